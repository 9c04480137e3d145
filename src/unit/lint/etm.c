/* SPDX-License-Identifier: BSD-2-Clause */
/* PTM (IHI0035) and ETMv3 (IHI0014): what is traced, and the comparators that decide it. */
#include <inttypes.h>
#include <stdio.h>

#include "unit/lint/lint.h"

#define PAIRS 8u
#define ADDRESSES 16u
#define EVENT_NEVER 0x406fu
#define EVENT_MASK 0x1ffffu
#define FUNCTION_SHIFT 14
#define B_SHIFT 7
#define RESOURCE 0x7fu

/* ETMCR */
#define STALL 7u
#define SUPPRESS 18u

/* Ranges that ETMTECR1, ETMVDCR3 or an event choose. */
static uint32_t used_ranges(const struct cairn_lint_run *run)
{
    struct cairn_register_place place;
    uint32_t used = cairn_lint_bits(run, "ETMTECR1", 7, 0);
    size_t index = 0;
    uint64_t value;

    used |= cairn_lint_bits(run, "ETMVDCR3", 7, 0) | cairn_lint_bits(run, "ETMVDCR3", 15, 8);
    while (cairn_lint_given(run, &index, &place, &value)) {
        const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
        const size_t count = cairn_register_fields(run->unit, place, fields);
        for (size_t i = 0; i < count; i++) {
            if (fields[i]->meaning != CAIRN_MEANS_EVENT17)
                continue;
            const unsigned a = (unsigned)value & RESOURCE,
                           b = (unsigned)value >> B_SHIFT & RESOURCE;
            if (a >= 0x10 && a < 0x18)
                used |= 1u << (a - 0x10);
            if ((value >> FUNCTION_SHIFT & 7) >= 2 && b >= 0x10 && b < 0x18)
                used |= 1u << (b - 0x10);
        }
    }
    return used;
}

static void check_range_order(struct cairn_lint_run *run)
{
    const uint32_t used = used_ranges(run);
    char name[CAIRN_REGISTER_NAME];
    uint64_t first, last;

    for (unsigned n = 0; n < PAIRS; n++)
        if ((used >> n & 1) && cairn_lint_get_n(run, "ETMACVR", 2 * n + 1, &first) &&
            cairn_lint_get_n(run, "ETMACVR", 2 * n + 2, &last) && last <= first) {
            snprintf(name, sizeof name, "ETMACVR%u", 2 * n + 2);
            cairn_lint_say(run, name,
                           "range %u is from 0x%" PRIx64 " to 0x%" PRIx64
                           ": the second address has to be greater",
                           n + 1, first, last);
        }
}

static void check_range_types(struct cairn_lint_run *run)
{
    /* The data comparison is of the first one alone (IHI0014 3.5.10). */
    const uint64_t ignored = run->unit == CAIRN_OF_ETMV3 ? UINT64_C(0x60) : 0;
    const uint32_t used = used_ranges(run);
    char name[CAIRN_REGISTER_NAME];
    uint64_t a, b, last;

    for (unsigned n = 0; n < PAIRS; n++) {
        uint64_t differing = 0;
        if (!(used >> n & 1) || !cairn_lint_get_n(run, "ETMACTR", 2 * n + 1, &a) ||
            !cairn_lint_get_n(run, "ETMACTR", 2 * n + 2, &b))
            continue;
        differing = (a ^ b) & ~ignored;
        /* A range that includes the last address may have another size mask. */
        if (cairn_lint_get_n(run, "ETMACVR", 2 * n + 2, &last) && last == UINT32_MAX)
            differing &= ~UINT64_C(0x18);
        snprintf(name, sizeof name, "ETMACTR%u", 2 * n + 2);
        if (differing)
            cairn_lint_say(run, name,
                           "range %u has types 0x%" PRIx64 " and 0x%" PRIx64
                           ", which have to be the same",
                           n + 1, a, b);
    }
}

static void check_data_compare(struct cairn_lint_run *run)
{
    char name[CAIRN_REGISTER_NAME];
    uint64_t type;

    for (unsigned n = 1; n <= ADDRESSES; n++) {
        snprintf(name, sizeof name, "ETMACTR%u", n);
        if (cairn_lint_get(run, name, &type) && !(type & 4) && cairn_register_bits(type, 6, 5) != 0)
            cairn_lint_say(run, name,
                           "it compares instructions (TYPE %" PRIu32 ") and a data value (DATA "
                           "%" PRIu32 ")",
                           cairn_register_bits(type, 2, 0), cairn_register_bits(type, 6, 5));
    }
}

static void check_stall(struct cairn_lint_run *run)
{
    if (cairn_lint_bits(run, "ETMCR", STALL, STALL) &&
        cairn_lint_bits(run, "ETMCR", SUPPRESS, SUPPRESS))
        cairn_lint_say(run, "ETMCR", "STALL and SUPPRESS are both 1");
}

static void check_level(struct cairn_lint_run *run)
{
    uint64_t level;

    if ((cairn_lint_bits(run, "ETMCR", STALL, STALL) ||
         cairn_lint_bits(run, "ETMCR", SUPPRESS, SUPPRESS)) &&
        cairn_lint_get(run, "ETMFFLR", &level) && level == 0)
        cairn_lint_say(run, "ETMFFLR", "it is 0, and ETMCR asks for stalling or suppression");
}

static void check_view(struct cairn_lint_run *run)
{
    uint64_t event;

    if (cairn_lint_get(run, "ETMTEEVR", &event) &&
        (event & (EVENT_MASK & ~(RESOURCE << B_SHIFT))) == EVENT_NEVER)
        cairn_lint_say(run, "ETMTEEVR", "it is 0x%" PRIx64 ", which is never: nothing is traced",
                       event);
}

static void check_includes(struct cairn_lint_run *run)
{
    uint64_t value;

    if (cairn_lint_get(run, "ETMTECR1", &value) && !(value >> 24 & 1) &&
        !(value & UINT64_C(0xffffff)) && !cairn_lint_value(run, "ETMTECR2"))
        cairn_lint_say(run, "ETMTECR1",
                       "EXCLUDE is 0 and nothing is chosen: only what is chosen is traced");
}

static void check_starts(struct cairn_lint_run *run)
{
    uint64_t status;

    if (cairn_lint_bits(run, "ETMTECR1", 25, 25) && cairn_lint_has(run, "ETMTSSCR") &&
        !cairn_lint_bits(run, "ETMTSSCR", 15, 0) && !cairn_lint_bits(run, "ETMTESSEICR", 7, 0) &&
        !(cairn_lint_get(run, "ETMSR", &status) && (status & 4)))
        cairn_lint_say(run, "ETMTSSCR",
                       "trace waits for a start point (ETMTECR1.STARTSTOP), and there is none");
}

/* Comparators of data addresses that decide what is excluded (2.6.4). */
static void check_data_exclude(struct cairn_lint_run *run)
{
    const uint32_t ranges = cairn_lint_bits(run, "ETMTECR1", 7, 0);
    uint32_t used = cairn_lint_bits(run, "ETMTECR2", 15, 0);
    uint64_t type;

    for (unsigned n = 0; n < ADDRESSES; n++) {
        used |= (ranges >> n / 2 & 1u) << n;
        if (cairn_lint_bits(run, "ETMTECR1", 24, 24) && (used >> n & 1) &&
            cairn_lint_get_n(run, "ETMACTR", n + 1, &type) && (type & 4))
            cairn_lint_say_n(run, "ETMACTR", n + 1,
                             "it compares data addresses (TYPE %" PRIu32 "), and ETMTECR1 excludes "
                             "where it matches",
                             cairn_register_bits(type, 2, 0));
    }
}

static void check_same_point(struct cairn_lint_run *run)
{
    const uint32_t both =
        cairn_lint_bits(run, "ETMTSSCR", 15, 0) & cairn_lint_bits(run, "ETMTSSCR", 31, 16);
    char list[CAIRN_LINT_LIST];

    cairn_lint_list(both, 1, list);
    if (both)
        cairn_lint_say(run, "ETMTSSCR", "address comparator %s starts and stops trace", list);
}

static void check_fetch(struct cairn_lint_run *run)
{
    uint64_t type;

    for (unsigned n = 1; n <= ADDRESSES && cairn_lint_bits(run, "ETMSCR", 17, 17); n++)
        if ((used_ranges(run) >> (n - 1) / 2 & 1) && cairn_lint_get_n(run, "ETMACTR", n, &type) &&
            (type & 7) == 0)
            cairn_lint_say_n(run, "ETMACTR", n,
                             "it compares fetches, and this unit cannot (ETMSCR bit 17)");
}

static void check_coprocessor(struct cairn_lint_run *run)
{
    if (cairn_lint_bits(run, "ETMCR", 19, 19) && !cairn_lint_bits(run, "ETMCR", 1, 1))
        cairn_lint_say(run, "ETMCR", "FILTERCPRT is 1 and MONITORCPRT is 0");
}

static void check_port(struct cairn_lint_run *run)
{
    const uint32_t size =
        cairn_lint_bits(run, "ETMCR", 21, 21) << 3 | cairn_lint_bits(run, "ETMCR", 6, 4);
    const uint32_t mode =
        cairn_lint_bits(run, "ETMCR", 13, 13) << 2 | cairn_lint_bits(run, "ETMCR", 17, 16);

    if (size == 7 || (size >= 10 && size <= 13)) /* Table 3-6 */
        cairn_lint_say(run, "ETMCR", "the port's size (bits 21, 6:4) is %" PRIu32, size);
    if (mode == 2)
        cairn_lint_say(run, "ETMCR", "the port's mode (bits 13, 17:16) is 2");
}

/* Other bits of ETMCR change while the Programming bit has taken effect, not with it. */
static void check_alone(struct cairn_lint_run *run, const struct cairn_script_access *access,
                        struct cairn_register_place place)
{
    uint64_t before;

    if (access->kind == CAIRN_SCRIPT_WRITE && place.family &&
        cairn_lint_get(run, "ETMCR", &before) &&
        place.family == cairn_register_place_of(run->unit, "ETMCR").family && !(before & 0x400) &&
        (access->value & 0x400) && (before ^ access->value) != 0x400)
        cairn_lint_say(run, access->name,
                       "PROGRAMMING is set and bits 0x%" PRIx64 " change with it",
                       (before ^ access->value) & ~UINT64_C(0x400));
}

const struct cairn_lint_rule cairn_lint_etm_rules[] = {
    {.code = "CAIRN-LINT-ETM-RANGE-ORDER",
     .requirement = "IHI0014 3.5.10",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_range_order,
     .meaning = "PTM, ETMv3: the second address of a range that something uses is not greater than "
                "the first, which is UNPREDICTABLE. The second one is behind the range.",
     .remedy = "write the lower address to the comparator with the odd number",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMTECR1=0x1 ETMACVR1=0x2000 ETMACVR2=0x1000"},
    {.code = "CAIRN-LINT-ETM-RANGE-TYPES",
     .requirement = "IHI0014 3.5.10",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_range_types,
     .meaning = "PTM, ETMv3: the two comparators of a range that something uses have different "
                "types, which is UNPREDICTABLE.",
     .remedy = "write the same value to both ETMACTR",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMTECR1=0x1 ETMACTR1=0x1 ETMACTR2=0x101"},
    {.code = "CAIRN-LINT-ETM-DATA-COMPARE",
     .requirement = "IHI0014 3.5.10",
     .units = CAIRN_OF_ETMV3,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_data_compare,
     .meaning = "ETMv3: a comparator of instructions compares a data value as well, which is "
                "UNPREDICTABLE.",
     .remedy = "write 0 to bits 6:5 of the ETMACTR, or compare loads or stores",
     .example_unit = CAIRN_OF_ETMV3,
     .example = "ETMACTR1=0x39"},
    {.code = "CAIRN-LINT-ETM-STALL",
     .requirement = "IHI0014 Table 3-21",
     .units = CAIRN_OF_ETMV3,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_stall,
     .meaning = "ETMv3: stalling the core and suppressing data are asked for at once, which is "
                "UNPREDICTABLE.",
     .remedy = "clear one of the two",
     .example_unit = CAIRN_OF_ETMV3,
     .example = "ETMCR=0x40080"},
    {.code = "CAIRN-LINT-ETM-FIFO-LEVEL",
     .requirement = "IHI0014 3.5.8",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_level,
     .meaning = "PTM, ETMv3: stalling or suppression is asked for below 0 free bytes, which is "
                "UNPREDICTABLE.",
     .remedy = "write 1 to the size of the FIFO to ETMFFLR",
     .example_unit = CAIRN_OF_ETMV3,
     .example = "ETMCR=0x80 ETMFFLR=0x0"},
    {.code = "CAIRN-LINT-ETM-VIEW-NEVER",
     .requirement = "IHI0014 3.5.7; PFT-3.23-a",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_WARNING,
     .check = check_view,
     .meaning = "PTM, ETMv3: the event of TraceEnable never occurs, so that nothing is traced.",
     .remedy = "write 0x6f (always) to ETMTEEVR",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMTEEVR=0x406f"},
    {.code = "CAIRN-LINT-ETM-INCLUDES-NOTHING",
     .requirement = "IHI0014 3.5.7; PFT-3.16.9-a",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_WARNING,
     .check = check_includes,
     .meaning = "PTM, ETMv3: only what is chosen is traced, and nothing is.",
     .remedy = "write 0x01000000 (exclude nothing) to ETMTECR1, or choose ranges",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMTECR1=0x0"},
    {.code = "CAIRN-LINT-ETM-NEVER-STARTS",
     .requirement = "IHI0014 3.5.7",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_WARNING,
     .check = check_starts,
     .meaning = "PTM, ETMv3: trace waits for a start point, and there is none.",
     .remedy = "choose comparators in ETMTSSCR.START, or clear ETMTECR1.STARTSTOP",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMTECR1=0x3000000 ETMTSSCR=0x0"},
    {.code = "CAIRN-LINT-ETM-START-IS-STOP",
     .requirement = "ETMC-2.6.4-g",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_same_point,
     .meaning = "PTM, ETMv3: one comparator starts and stops trace, which is UNPREDICTABLE.",
     .remedy = "take a comparator for each",
     .example_unit = CAIRN_OF_PTM,
     .example = "ETMTSSCR=0x10001"},
    {.code = "CAIRN-LINT-ETM-DATA-EXCLUDE",
     .requirement = "ETMC-2.6.4-c",
     .units = CAIRN_OF_ETMV3,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_data_exclude,
     .meaning = "ETMv3: TraceEnable excludes by a comparator of data addresses, which is "
                "UNPREDICTABLE.",
     .remedy = "exclude by addresses of instructions, or include by data addresses",
     .example_unit = CAIRN_OF_ETMV3,
     .example = "ETMTECR1=0x1000001 ETMACTR1=0x1c ETMACTR2=0x1c"},
    {.code = "CAIRN-LINT-ETM-FETCH",
     .requirement = "ETMC-3.5.10-e",
     .units = CAIRN_OF_ETMV3,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_fetch,
     .meaning = "ETMv3: a range that something uses compares fetches, which this unit cannot: that "
                "is UNPREDICTABLE.",
     .remedy = "compare executed instructions: TYPE 1",
     .example_unit = CAIRN_OF_ETMV3,
     .example = "ETMTECR1=0x1 ETMACTR1=0x18 ETMACTR2=0x18 ETMSCR=0x20000"},
    {.code = "CAIRN-LINT-ETM-CPRT",
     .requirement = "ETMC-2.6.5-f",
     .units = CAIRN_OF_ETMV3,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_coprocessor,
     .meaning = "ETMv3: coprocessor transfers are filtered and not traced, which is UNPREDICTABLE.",
     .remedy = "set MONITORCPRT as well, or clear FILTERCPRT",
     .example_unit = CAIRN_OF_ETMV3,
     .example = "ETMCR=0x80000"},
    {.code = "CAIRN-LINT-ETM-PORT",
     .requirement = "ETMC-3.5.1-d; ETMC-2.10.2-a",
     .units = CAIRN_OF_ETMV3,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_port,
     .meaning = "ETMv3: the size or the mode of the trace port is reserved.",
     .remedy =
         "choose a size of Table 3-6; of modes 0 (dynamic, for an on-chip buffer), or one that "
         "the port has",
     .example_unit = CAIRN_OF_ETMV3,
     .example = "ETMCR=0x70"},
    {.code = "CAIRN-LINT-ETM-ALONE",
     .requirement = "ETMC-3.4.3-b",
     .units = CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .access = check_alone,
     .meaning = "PTM, ETMv3: a script sets the Programming bit and changes other bits of ETMCR in "
                "the same write.",
     .remedy = "read ETMCR, set bit 10 alone, wait for ETMSR.PROGRAMMING to be 1, then write the "
               "others",
     .example_unit = CAIRN_OF_PTM,
     .example = "read ETMCR 0x1000\nwrite ETMCR 0x400"},
    {0},
};
