/* SPDX-License-Identifier: BSD-2-Clause */
/* What no unit, or not this one, has: bits, values, registers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "unit/lint/lint.h"

#define NAMES_MOST 120u
#define NEAR_MOST 2u
/* TRCCONFIGR's fields that the model of the unit lacks. */
#define CONFIGR_INSTP0 UINT64_C(0x6)
#define CONFIGR_COND UINT64_C(0x700)
#define CONFIGR_DATA UINT64_C(0x30000)
#define CONFIGR_ITO UINT64_C(0x40000)
#define CONFIGR_RES1 UINT64_C(0x1)
#define VICTLR_RES1 UINT64_C(0x201) /* SSSTATUS, and bit 0 of EVENT */

/* Of software, not what hardware says of itself: that may be of a later version. */
static bool is_programmed(struct cairn_register_place place)
{
    return place.family->access != CAIRN_FAMILY_BUILT &&
           place.family->access != CAIRN_FAMILY_STATUS;
}

static void check_bits(struct cairn_lint_run *run)
{
    struct cairn_register_place place;
    size_t index = 0;
    uint64_t value;

    while (cairn_lint_given(run, &index, &place, &value)) {
        const uint64_t reserved = cairn_register_reserved(run->unit, place);
        char name[CAIRN_REGISTER_NAME];

        if (!is_programmed(place) || !(value & reserved))
            continue;
        cairn_register_name(place, name);
        cairn_lint_say(run, name, "it is 0x%" PRIx64 ", but bits 0x%" PRIx64 " are reserved", value,
                       value & reserved);
    }
}

/* Rules of their own tell of these. */
static bool is_told_elsewhere(unsigned meaning)
{
    return meaning == CAIRN_MEANS_TRACE_ID || meaning == CAIRN_MEANS_GROUP ||
           meaning == CAIRN_MEANS_SELECT;
}

static void check_values(struct cairn_lint_run *run)
{
    struct cairn_register_place place;
    size_t index = 0;
    uint64_t value;

    while (cairn_lint_given(run, &index, &place, &value)) {
        const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
        const size_t count = cairn_register_fields(run->unit, place, fields);
        char name[CAIRN_REGISTER_NAME], words[CAIRN_FIELD_WORDS];

        cairn_register_name(place, name);
        /* 0 is what was never programmed, and what is not there reads as */
        for (size_t i = 0; value && is_programmed(place) && i < count; i++)
            if (!is_told_elsewhere(fields[i]->meaning) &&
                !cairn_field_describe(run->unit, fields[i], value, words))
                cairn_lint_say(run, name, "%s (bits %u:%u) is 0x%" PRIx64 ": %s", fields[i]->name,
                               fields[i]->high, fields[i]->low, cairn_field_value(fields[i], value),
                               words);
    }
}

/* "RS, TS": the fields that have these bits. */
static void name_fields(const struct cairn_lint_run *run, struct cairn_register_place place,
                        uint64_t bits, char text[NAMES_MOST])
{
    const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
    const size_t count = cairn_register_fields(run->unit, place, fields);
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = count; i-- > 0 && length < NAMES_MOST - 40;)
        if (cairn_field_mask(fields[i]) & bits)
            length += (size_t)snprintf(text + length, NAMES_MOST - length, "%s%s",
                                       length ? ", " : "", fields[i]->name);
}

static unsigned row_of(const struct cairn_lint_run *run, const char *name)
{
    const unsigned protocol = run->unit == CAIRN_OF_ETE ? CAIRN_REGISTER_ETE : CAIRN_REGISTER_ETMV4;

    for (unsigned i = 0; i < CAIRN_REG_COUNT; i++)
        if ((cairn_register_rows[i].protocols & protocol) &&
            strcasecmp(cairn_register_rows[i].name, name) == 0)
            return i;
    return CAIRN_REG_COUNT;
}

bool cairn_lint_has_bits(const struct cairn_lint_run *run, const char *name)
{
    const unsigned row = row_of(run, name);

    return row != CAIRN_REG_COUNT && cairn_register_implemented(&run->all, row) != 0;
}

/* Options of TRCCONFIGR that units have and the model lacks: those that are not there. */
static uint64_t absent_options(const struct cairn_lint_run *run)
{
    const uint64_t idr0 = run->all.values[CAIRN_REG_TRCIDR];
    uint64_t absent = 0;

    if (run->unit == CAIRN_OF_ETE)
        return cairn_register_bits(idr0, 22, 22) ? 0 : CONFIGR_ITO;
    absent |= cairn_register_bits(idr0, 2, 1) ? 0 : CONFIGR_INSTP0;
    absent |= cairn_register_bits(idr0, 6, 6) ? 0 : CONFIGR_COND;
    absent |= cairn_register_bits(idr0, 4, 3) ? 0 : CONFIGR_DATA;
    return absent;
}

static void check_built(struct cairn_lint_run *run)
{
    struct cairn_register_place place;
    size_t index = 0;
    uint64_t value;

    while (cairn_lint_given(run, &index, &place, &value)) {
        char name[CAIRN_REGISTER_NAME], names[NAMES_MOST];

        cairn_register_name(place, name);
        const unsigned row = row_of(run, name);
        if (!is_programmed(place) || row == CAIRN_REG_COUNT || !place.family->mask)
            continue;
        uint64_t absent =
            cairn_register_rows[row].mask & ~cairn_register_implemented(&run->all, row);
        if (row == CAIRN_REG_TRCCONFIGR)
            absent = (absent | absent_options(run)) & ~CONFIGR_RES1;
        if (row == CAIRN_REG_TRCVICTLR)
            absent &= ~VICTLR_RES1; /* where nothing starts or stops trace, without selectors */
        if (!(value & absent))
            continue;
        name_fields(run, place, value & absent, names);
        cairn_lint_say(run, name,
                       "it is 0x%" PRIx64 ", but this unit does not have bits 0x%" PRIx64 " (%s): "
                       "see %s",
                       value, value & absent, names,
                       cairn_register_rows[row].needs ? cairn_register_rows[row].needs
                                                      : "TRCIDR0 to TRCIDR6");
    }
}

/* What hardware says of itself, and no hardware can be. */
static void check_identification(struct cairn_lint_run *run)
{
    struct cairn_register_place place;
    size_t index = 0;
    uint64_t value, depth;

    while (cairn_lint_given(run, &index, &place, &value)) {
        const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
        const size_t count = cairn_register_fields(run->unit, place, fields);
        char name[CAIRN_REGISTER_NAME], words[CAIRN_FIELD_WORDS];

        cairn_register_name(place, name);
        for (size_t i = 0; place.family->access == CAIRN_FAMILY_BUILT && i < count; i++)
            if (!cairn_field_describe(run->unit, fields[i], value, words))
                cairn_lint_say(run, name, "%s (bits %u:%u) is 0x%" PRIx64 ": %s", fields[i]->name,
                               fields[i]->high, fields[i]->low, cairn_field_value(fields[i], value),
                               words);
    }
    /* Without speculation a Transaction Start is a P0 element. */
    if (run->unit == CAIRN_OF_ETE && cairn_lint_get(run, "TRCIDR8", &depth) && depth == 0 &&
        cairn_lint_bits(run, "TRCIDR0", 30, 30))
        cairn_lint_say(run, "TRCIDR0", "COMMTRANS is 1, and TRCIDR8.MAXSPEC is 0: it has to be 0");
}

static void say_unknown(struct cairn_lint_run *run, const char *name)
{
    char near[NEAR_MOST][CAIRN_REGISTER_NAME];
    const size_t count = cairn_register_names_near(run->unit, name, near, NEAR_MOST);

    cairn_lint_say(run, name, "there is no register of this name%s%s%s%s%s",
                   count ? "; nearest: " : "", count ? near[0] : "", count > 1 ? ", " : "",
                   count > 1 ? near[1] : "", count ? "" : " in a unit of this kind");
}

static void check_names(struct cairn_lint_run *run)
{
    for (size_t i = 0; i < run->told->register_count && run->line == 0; i++) {
        const char *name = run->told->registers[i].name;
        if (name && !cairn_register_place_of(run->unit, name).family)
            say_unknown(run, name);
    }
}

static void check_name(struct cairn_lint_run *run, const struct cairn_script_access *access,
                       struct cairn_register_place place)
{
    /* An instruction may access any other part of the PE. */
    const bool is_other = access->by_instruction && strncasecmp(access->name, "TRC", 3) != 0;

    if (access->name[0] && !place.family && !is_other)
        say_unknown(run, access->name);
    else if (place.family && access->field[0] &&
             !cairn_register_field_of(run->unit, place, access->field))
        cairn_lint_say(run, access->name, "it has no field %s", access->field);
}

static void check_read_only(struct cairn_lint_run *run, const struct cairn_script_access *access,
                            struct cairn_register_place place)
{
    if (place.family && access->kind == CAIRN_SCRIPT_WRITE && !is_programmed(place))
        cairn_lint_say(run, access->name, "it is read-only, and this writes it");
}

static void check_write_only(struct cairn_lint_run *run, const struct cairn_script_access *access,
                             struct cairn_register_place place)
{
    if (place.family && access->kind != CAIRN_SCRIPT_WRITE &&
        place.family->access == CAIRN_FAMILY_WRITE_ONLY)
        cairn_lint_say(run, access->name, "it is write-only, and this reads it");
}

const struct cairn_lint_rule cairn_lint_value_rules[] = {
    {.code = "CAIRN-LINT-RESERVED-BITS",
     .requirement = "D8.4.1",
     .units = CAIRN_OF_ANY,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_bits,
     .meaning = "Bits that no field has are set in a register that software writes. They are RES0: "
                "a later version may give them a meaning, and this one may do anything.",
     .remedy = "write 0 there. `cairn registers` shows the fields of the value; a bit of the field "
               "beside it may be meant",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTRACEIDR=0x110"},
    {.code = "CAIRN-LINT-RESERVED-VALUE",
     .requirement = "D7.3; Arm ARM",
     .units = CAIRN_OF_ANY,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_values,
     .meaning = "A field has a value that the specification reserves.",
     .remedy =
         "choose one of the values that the field has: `cairn registers --explain` tells what "
         "it does",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCSYNCPR=0x4"},
    {.code = "CAIRN-LINT-NOT-BUILT",
     .requirement = "D16",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_built,
     .meaning = "Something is asked for that this unit was built without, as its identification "
                "registers say: timestamps, cycle counts, comparators, counters ... The bits are "
                "RES0, and what they ask for does not happen.",
     .remedy = "leave it out, or check that the identification registers are this unit's",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCCONFIGR=0x801 TRCIDR0=0x00000ea1"},
    {.code = "CAIRN-LINT-IDENTIFICATION",
     .requirement = "R_VVFQZ; D16",
     .units = CAIRN_OF_ANY,
     .severity = CAIRN_LINT_WARNING,
     .check = check_identification,
     .meaning = "An identification register says what no unit can be: the value was read while the "
                "unit had no power, is another unit's, or was typed.",
     .remedy = "read the identification registers again",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCIDR0=0x40000001 TRCIDR8=0x0"},
    {.code = "CAIRN-LINT-UNKNOWN-REGISTER",
     .requirement = "D8.4",
     .units = CAIRN_OF_ANY,
     .severity = CAIRN_LINT_WARNING,
     .check = check_names,
     .access = check_name,
     .meaning = "A name is no register, or no field, of this kind of unit. It is not looked at.",
     .remedy = "correct the name, or say what kind of unit it is (--protocol)",
     .example_unit = CAIRN_OF_ETE,
     .example = "write TRCPRGCTLR 0\nwait TRCSTATR.IDLE 1\nwrite TRCVICTRL 0x201"},
    {.code = "CAIRN-LINT-READ-ONLY",
     .requirement = "R_SVSNR",
     .units = CAIRN_OF_ANY,
     .severity = CAIRN_LINT_PROBLEM,
     .access = check_read_only,
     .meaning = "A script writes a register that is read-only. Through memory that is a reserved "
                "access; an MSR of it is UNDEFINED (I_WCXDT).",
     .remedy = "leave the write out",
     .example_unit = CAIRN_OF_ETE,
     .example = "write TRCPRGCTLR 0\nwait TRCSTATR.IDLE 1\nwrite TRCSTATR 0"},
    {.code = "CAIRN-LINT-WRITE-ONLY",
     .requirement = "R_WPKDP",
     .units = CAIRN_OF_ANY,
     .severity = CAIRN_LINT_PROBLEM,
     .access = check_write_only,
     .meaning = "A script reads a register that is write-only, which is a reserved access; an MRS "
                "of it is UNDEFINED (I_WCXDT).",
     .remedy = "read the status register beside it: TRCLSR, TRCOSLSR, ETMOSLSR, ETMLSR",
     .example_unit = CAIRN_OF_ETE,
     .example = "read TRCLAR"},
    {0},
};
