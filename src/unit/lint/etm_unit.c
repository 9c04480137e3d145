/* SPDX-License-Identifier: BSD-2-Clause */
/* PTM (IHI0035), ETMv3 (IHI0014) and MTB: the unit's own state, what it was built with, values that
 * are compared in part. */
#include <inttypes.h>
#include <stdio.h>

#include "unit/lint/lint.h"

#define CONTEXTS 3u
#define DATA_VALUES 8u
#define EVENT_ALWAYS 0x6fu
#define EVENT_MASK 0x1ffffu
#define FUNCTION_SHIFT 14
#define B_SHIFT 7
#define RESOURCE 0x7fu

static void check_programming(struct cairn_lint_run *run)
{
    if (cairn_lint_bits(run, "ETMCR", 10, 10) && !run->told->script)
        cairn_lint_say(run, "ETMCR", "PROGRAMMING is 1: the unit does not trace");
}

static void check_power(struct cairn_lint_run *run)
{
    if (cairn_lint_bits(run, "ETMCR", 0, 0))
        cairn_lint_say(run, "ETMCR", "POWERDOWN is 1: the unit does not trace");
}

static void check_sync(struct cairn_lint_run *run)
{
    uint64_t value;

    if (cairn_lint_get(run, "ETMSYNCFR", &value) && cairn_register_bits(value, 11, 0) == 0)
        cairn_lint_say(run, "ETMSYNCFR", "PERIOD is 0: no synchronisation follows the first one");
}

static void check_stamps(struct cairn_lint_run *run)
{
    uint64_t event;

    if (cairn_lint_bits(run, "ETMCR", 28, 28) && cairn_lint_get(run, "ETMTSEVR", &event) &&
        (event & (EVENT_MASK & ~(RESOURCE << B_SHIFT))) == EVENT_ALWAYS)
        cairn_lint_say(run, "ETMTSEVR", "it is 0x%" PRIx64 ", which is always", event);
}

/* What ETMCR asks for, and the bit of ETMCCER that says it is there. */
static void check_built(struct cairn_lint_run *run)
{
    static const struct {
        unsigned asked, built;
        const char *field;
    } options[] = {{28, 22, "TIMESTAMP"}, {29, 23, "RETSTACK"}, {30, 26, "VMID"}};
    uint64_t built;

    if (!cairn_lint_get(run, "ETMCCER", &built))
        return;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (cairn_lint_bits(run, "ETMCR", options[i].asked, options[i].asked) &&
            !(built >> options[i].built & 1) &&
            (options[i].asked != 29 || run->unit == CAIRN_OF_PTM))
            cairn_lint_say(run, "ETMCR", "%s is 1, but this unit has none (ETMCCER bit %u)",
                           options[i].field, options[i].built);
}

/* True where ETMCCR and ETMCCER say that there is no such resource. */
static bool is_absent(const struct cairn_lint_run *run, unsigned number)
{
    const unsigned index = number & 0xf;
    uint64_t ccr, ccer;
    const bool has_ccr = cairn_lint_get(run, "ETMCCR", &ccr);
    const bool has_ccer = cairn_lint_get(run, "ETMCCER", &ccer);

    if (has_ccr && number < 0x10)
        return index >= 2 * cairn_register_bits(ccr, 3, 0);
    if (has_ccr && number < 0x18)
        return index >= cairn_register_bits(ccr, 3, 0);
    if (has_ccer && number >= 0x18 && number < 0x1c)
        return index - 8 >= cairn_register_bits(ccer, 15, 13);
    if (has_ccer && number >= 0x20 && number < 0x28)
        return index >= cairn_register_bits(ccer, 19, 16);
    if (has_ccr && number >= 0x30 && number < 0x40)
        return index >= cairn_register_bits(ccr, 12, 8);
    if (has_ccr && number >= 0x40 && number < 0x44)
        return index >= cairn_register_bits(ccr, 15, 13);
    if (has_ccr && number >= 0x50 && number < 0x53)
        return !(ccr >> 16 & 1);
    if (has_ccr && number >= 0x58 && number < 0x5b)
        return index - 8 >= cairn_register_bits(ccr, 25, 24);
    if (has_ccr && number == 0x5f)
        return !(ccr >> 26 & 1);
    if (has_ccr && number >= 0x60 && number < 0x64)
        return index >= cairn_register_bits(ccr, 19, 17);
    return has_ccer && number >= 0x68 && number < 0x6c &&
           index - 8 >= cairn_register_bits(ccer, 2, 0);
}

static void check_resources(struct cairn_lint_run *run)
{
    struct cairn_register_place place;
    size_t index = 0;
    uint64_t value;

    while (cairn_lint_given(run, &index, &place, &value)) {
        const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
        const size_t count = cairn_register_fields(run->unit, place, fields);
        char name[CAIRN_REGISTER_NAME], words[CAIRN_FIELD_WORDS];

        cairn_register_name(place, name);
        for (size_t i = 0; i < count; i++) {
            if (fields[i]->meaning != CAIRN_MEANS_EVENT17 || (value & EVENT_MASK) == 0)
                continue;
            const bool b = (value >> FUNCTION_SHIFT & 7) >= 2;
            if (!is_absent(run, (unsigned)value & RESOURCE) &&
                !(b && is_absent(run, (unsigned)(value >> B_SHIFT) & RESOURCE)))
                continue;
            cairn_field_describe(run->unit, fields[i], value, words);
            cairn_lint_say(run, name,
                           "the event is \"%s\", but this unit does not have all of that "
                           "(ETMCCR, ETMCCER)",
                           words);
        }
    }
}

static void check_mask(struct cairn_lint_run *run, const char *name, uint64_t value,
                       const char *mask_name, uint64_t mask)
{
    if (value & mask)
        cairn_lint_say(run, name, "bits 0x%" PRIx64 " are left out by %s: they have to be 0",
                       value & mask, mask_name);
}

static void check_masked(struct cairn_lint_run *run)
{
    char name[CAIRN_REGISTER_NAME], mask_name[CAIRN_REGISTER_NAME];
    uint64_t value, mask;

    for (unsigned n = 1; n <= CONTEXTS; n++) {
        snprintf(name, sizeof name, "ETMCIDCVR%u", n);
        if (cairn_lint_get(run, name, &value) && cairn_lint_get(run, "ETMCIDCMR", &mask))
            check_mask(run, name, value, "ETMCIDCMR", mask);
    }
    for (unsigned n = 1; n <= DATA_VALUES; n++) {
        snprintf(name, sizeof name, "ETMDCVR%u", n);
        snprintf(mask_name, sizeof mask_name, "ETMDCMR%u", n);
        if (cairn_lint_get(run, name, &value) && cairn_lint_get(run, mask_name, &mask))
            check_mask(run, name, value, mask_name, mask);
    }
}

static void check_auxiliary(struct cairn_lint_run *run)
{
    const uint64_t value = cairn_lint_value(run, "ETMAUXCR");

    if (value)
        cairn_lint_say(run, "ETMAUXCR", "it is 0x%" PRIx64, value);
}

static void check_mtb(struct cairn_lint_run *run)
{
    uint64_t master;

    if (cairn_lint_get(run, "MTB_MASTER", &master) && !(master >> 31 & 1) && !(master >> 5 & 1))
        cairn_lint_say(run, "MTB_MASTER", "EN is 0, and TSTARTEN does not let a signal set it");
}

const struct cairn_lint_rule cairn_lint_etm_unit_rules[] = {
    {.code = "CAIRN-LINT-ETM-PROGRAMMING",
     .requirement = "PFT-3.16.1-h",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_NOTE,
     .check = check_programming,
     .meaning = "PTM, ETMv3: the Programming bit is set. A dump that was made after a session has "
                "it so.",
     .remedy = "clear it to trace",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMCR=0x400"},
    {.code = "CAIRN-LINT-ETM-POWER-DOWN",
     .requirement = "PFT-3.16.1-l; PFT-3.16.1-o",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_WARNING,
     .check = check_power,
     .meaning = "PTM, ETMv3: the unit is powered down: it does not trace, and writes of other "
                "registers may be lost. Out of reset it is so.",
     .remedy = "clear ETMCR.POWERDOWN before anything else",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMCR=0x1"},
    {.code = "CAIRN-LINT-ETM-NO-SYNC",
     .requirement = "PFT-3.16.27-a",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_WARNING,
     .check = check_sync,
     .meaning = "PTM, ETMv3: periodic synchronisation is off. In a buffer that wraps a decoder "
                "finds no place to begin.",
     .remedy = "write 0x400 (1024 bytes) to ETMSYNCFR",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMSYNCFR=0x0"},
    {.code = "CAIRN-LINT-ETM-TIMESTAMPS",
     .requirement = "PFT-3.16.33-a",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_WARNING,
     .check = check_stamps,
     .meaning = "PTM, ETMv3: timestamps are asked for in every cycle: the FIFO is full of them.",
     .remedy = "write 0x406f (never) to ETMTSEVR: synchronisation brings timestamps as well",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMCR=0x10000000 ETMTSEVR=0x6f"},
    {.code = "CAIRN-LINT-ETM-NOT-BUILT",
     .requirement = "PFT-3.16.29-g; PFT-3.16.29-h; PFT-3.16.29-d",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_built,
     .meaning = "PTM, ETMv3: ETMCR asks for what the unit was built without.",
     .remedy = "clear the bit, or check that ETMCCER is this unit's",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMCR=0x20000000 ETMCCER=0x1800"},
    {.code = "CAIRN-LINT-ETM-RESOURCE",
     .requirement = "PFT-3.8.1-a; IHI0014 3.6",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_resources,
     .meaning = "PTM, ETMv3: an event uses a resource that the unit was built without.",
     .remedy = "use one that ETMCCR and ETMCCER have; 0x6f is always, 0x406f never",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMTRIGGER=0x40 ETMCCR=0x8c000004"},
    {.code = "CAIRN-LINT-ETM-MASKED",
     .requirement = "IHI0014 3.5.11, 3.5.15",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_masked,
     .meaning = "PTM, ETMv3: bits of a value that is compared are left out by its mask and are not "
                "0, as they must be.",
     .remedy = "clear in the value what the mask leaves out",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMCIDCVR1=0x1234 ETMCIDCMR=0xff"},
    {.code = "CAIRN-LINT-ETM-AUXILIARY",
     .requirement = "PFT-3.16.34-a",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_NOTE,
     .check = check_auxiliary,
     .meaning = "PTM, ETMv3: the auxiliary register is not 0. What it does is IMPLEMENTATION "
                "DEFINED and may break the rules of the protocol.",
     .remedy = "write 0, unless the unit's manual asks for another value",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMAUXCR=0x1"},
    {.code = "CAIRN-LINT-MTB-OFF",
     .requirement = "DDI0486 3.2",
     .units = CAIRN_OF_MTB,
     .severity = CAIRN_LINT_WARNING,
     .check = check_mtb,
     .meaning = "MTB: trace is off, and no signal turns it on.",
     .remedy = "set MTB_MASTER.EN (bit 31), or TSTARTEN (bit 5)",
     .example_unit = CAIRN_OF_MTB,
     .example = "MTB_MASTER=0x8"},
    {0},
};
