/* SPDX-License-Identifier: BSD-2-Clause */
/* What TRCCONFIGR asks for and what goes with it, and the trace ID. */
#include <inttypes.h>

#include "unit/lint/lint.h"

#include "base/error.h"
#include "base/sizes.h"

#define ID_MASK 0x7fu
#define ID_FIRST_RESERVED 0x70u

/* The trace ID of any unit that has one; -1: it is not given. */
static int trace_id(const struct cairn_lint_run *run, const char **name)
{
    uint64_t value;

    *name = run->unit & CAIRN_OF_BOTH ? "TRCTRACEIDR" : "ETMTRACEIDR";
    return cairn_lint_get(run, *name, &value) ? (int)(value & ID_MASK) : -1;
}

static void check_trace_id(struct cairn_lint_run *run)
{
    const char *name;
    const int id = trace_id(run, &name);

    if (id >= (int)ID_FIRST_RESERVED)
        cairn_lint_say(run, name, "the trace ID is 0x%02x, and 0x70 to 0x7f are reserved", id);
    else if (id == 0 && run->told->flags & CAIRN_LINT_SHARED_BUS)
        cairn_lint_say(run, name, "the trace ID is 0, which means no source on a shared bus");
    else if (id == 0 && !(run->told->flags & CAIRN_LINT_OWN_SINK))
        cairn_lint_note(run, name,
                        "the trace ID is 0, which means no source where the bus is shared");
}

static void check_sync(struct cairn_lint_run *run)
{
    uint64_t value;

    if (cairn_lint_get(run, "TRCSYNCPR", &value) && cairn_register_bits(value, 4, 0) == 0 &&
        !cairn_register_bits(run->all.values[CAIRN_REG_TRCIDR + 3], 25, 25))
        cairn_lint_say(run, "TRCSYNCPR",
                       "PERIOD is 0: no synchronisation follows the first one, so a decoder cannot "
                       "begin in a buffer that wrapped");
}

static void check_threshold(struct cairn_lint_run *run)
{
    const uint32_t least = cairn_register_bits(run->all.values[CAIRN_REG_TRCIDR + 3], 11, 0);
    uint64_t value;

    if (!cairn_lint_bits(run, "TRCCONFIGR", 4, 4) || !cairn_lint_get(run, "TRCCCCTLR", &value))
        return;
    const uint32_t threshold = cairn_register_bits(value, 11, 0);
    if (threshold < least)
        cairn_lint_say(run, "TRCCCCTLR",
                       "THRESHOLD is %" PRIu32 " and cycles are counted, but the least that this "
                       "unit takes is %" PRIu32 " (TRCIDR3.CCITMIN)",
                       threshold, least);
}

static void check_stall(struct cairn_lint_run *run)
{
    const uint32_t no_overflow = cairn_lint_bits(run, "TRCSTALLCTLR", 13, 13);
    const uint32_t stalls = cairn_lint_bits(run, "TRCSTALLCTLR", 8, 8);

    if (no_overflow && !stalls)
        cairn_lint_say(run, "TRCSTALLCTLR",
                       "NOOVERFLOW is 1 and ISTALL is 0: whether overflows are prevented, or "
                       "nothing stalls, is CONSTRAINED UNPREDICTABLE");
}

static void check_stall_ignored(struct cairn_lint_run *run)
{
    const uint32_t stalls = cairn_lint_bits(run, "TRCSTALLCTLR", 8, 8);
    const uint32_t level = cairn_lint_bits(run, "TRCSTALLCTLR", 3, 0);

    if (stalls && !cairn_register_bits(run->all.values[CAIRN_REG_TRCIDR + 3], 27, 27))
        cairn_lint_say(run, "TRCSTALLCTLR",
                       "ISTALL is 1, but the system does not let the unit stall the PE "
                       "(TRCIDR3.SYSSTALL is 0): it overflows as ever");
    else if (level && !stalls)
        cairn_lint_say(run, "TRCSTALLCTLR", "LEVEL is %" PRIu32 " and ISTALL is 0: nothing stalls",
                       level);
}

/* MODE 1 is "inside the ranges", of which there are none. */
static bool is_nowhere(const struct cairn_lint_run *run, const char *name)
{
    const uint32_t value = cairn_lint_bits(run, name, 8, 0);

    return (value & 0x100u) && !(value & 0xffu);
}

static void check_ranges(struct cairn_lint_run *run)
{
    if (is_nowhere(run, "TRCBBCTLR"))
        cairn_lint_say(run, "TRCBBCTLR",
                       "MODE is 1 (inside the ranges) and RANGE is 0: where branches are broadcast "
                       "is CONSTRAINED UNPREDICTABLE");
}

static void check_q(struct cairn_lint_run *run)
{
    const uint32_t wanted = cairn_lint_bits(run, "TRCCONFIGR", 14, 13);
    const uint32_t built = cairn_register_bits(run->all.values[CAIRN_REG_TRCIDR], 16, 15);

    if (wanted == 1 && built == 2)
        cairn_lint_say(run, "TRCCONFIGR",
                       "QE is 1, Q elements with a count alone, but this unit has only those "
                       "without (TRCIDR0.QSUPP)");
    if (wanted && is_nowhere(run, "TRCQCTLR"))
        cairn_lint_note(run, "TRCQCTLR",
                        "MODE is 1 (inside the ranges) and RANGE is 0: there are no Q elements, "
                        "though TRCCONFIGR.QE asks for them");
}

/* Options whose registers say something, and which are off. */
static void check_unused(struct cairn_lint_run *run)
{
    static const struct {
        const char *name;
        unsigned bit;
        const char *field;
    } options[] = {{"TRCCCCTLR", 4, "CCI"}, {"TRCTSCTLR", 11, "TS"}, {"TRCBBCTLR", 3, "BB"}};

    if (!cairn_lint_has(run, "TRCCONFIGR"))
        return;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (cairn_lint_value(run, options[i].name) &&
            !cairn_lint_bits(run, "TRCCONFIGR", options[i].bit, options[i].bit))
            cairn_lint_say(run, options[i].name, "it is programmed, but TRCCONFIGR.%s is 0",
                           options[i].field);
}

static void check_trfcr(struct cairn_lint_run *run)
{
    uint64_t el1, el2;
    if (run->told->script && !run->ended)
        return; /* the filter may be opened last */
    const bool has_el2 = cairn_lint_get(run, "TRFCR_EL2", &el2);

    if (cairn_lint_get(run, "TRFCR_EL1", &el1) && !(el1 & 3) && !(has_el2 && (el2 & 3)))
        cairn_lint_say(run, "TRFCR_EL1",
                       "E0TRE and E1TRE are 0: with self-hosted trace nothing is traced at EL0 and "
                       "EL1, whatever the unit's own registers say");
}

const struct cairn_lint_rule cairn_lint_option_rules[] = {
    {.code = "CAIRN-LINT-TRACE-ID",
     .requirement = "D1.5; D10.2",
     .units = CAIRN_OF_BOTH | CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_trace_id,
     .meaning = "The trace ID cannot be one on a shared bus: 0 means no source there, and 0x70 to "
                "0x7f are reserved for the bus itself. The formatter drops such trace. Where "
                "nothing says whether the bus is shared, 0 is a note.",
     .remedy = "give each source an ID of its own from 0x01 to 0x6f",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTRACEIDR=0x70"},
    {.code = "CAIRN-LINT-TRACE-ID-TWICE",
     .requirement = "I_TVDMT",
     .units = CAIRN_OF_BOTH | CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .meaning = "Two sources of one bus have the same trace ID, so that their bytes cannot be told "
                "apart.",
     .remedy = "give each source an ID of its own from 0x01 to 0x6f",
     .example_unit = CAIRN_OF_ETE,
     .example = "ETE_0:TRCTRACEIDR=0x10 ETE_1:TRCTRACEIDR=0x10"},
    {.code = "CAIRN-LINT-NO-SYNC",
     .requirement = "D10.2",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_sync,
     .meaning = "Periodic synchronisation is off. A decoder can begin only where a synchronisation "
                "is: in a buffer that wraps, what it needs is overwritten.",
     .remedy = "write 0xc (every 4096 bytes) to TRCSYNCPR, and less for a small buffer",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCSYNCPR=0x0"},
    {.code = "CAIRN-LINT-THRESHOLD",
     .requirement = "R_KJXDK",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_threshold,
     .meaning = "The threshold of cycle counting is lower than the unit can do: which Cycle Count "
                "elements there are is CONSTRAINED UNPREDICTABLE.",
     .remedy = "write TRCIDR3.CCITMIN or more to TRCCCCTLR",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCCONFIGR=0x11 TRCCCCTLR=0x3 TRCIDR3=0x0d7b0004"},
    {.code = "CAIRN-LINT-STALL",
     .requirement = "R_JYYLV",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_stall,
     .meaning = "Overflows are to be prevented without stalling the PE, which is how they are "
                "prevented.",
     .remedy = "set ISTALL as well, or clear NOOVERFLOW",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCSTALLCTLR=0x2000"},
    {.code = "CAIRN-LINT-STALL-IGNORED",
     .requirement = "R_SCLVV",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_stall_ignored,
     .meaning = "Stalling is asked for and cannot take place: the system does not allow it, or a "
                "level is given and ISTALL is 0.",
     .remedy = "set ISTALL where the PE is to stall; else write 0, and make the buffer larger or "
               "the filters narrower",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCSTALLCTLR=0xc"},
    {.code = "CAIRN-LINT-RANGE-NONE",
     .requirement = "Arm ARM: TRCBBCTLR.MODE",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_ranges,
     .meaning =
         "Branch broadcasting is limited to ranges, and no range is chosen: which branches are "
         "broadcast is CONSTRAINED UNPREDICTABLE.",
     .remedy = "choose ranges, or clear MODE: with no range that means everywhere",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCBBCTLR=0x100"},
    {.code = "CAIRN-LINT-Q",
     .requirement = "Arm ARM: TRCCONFIGR.QE",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_q,
     .meaning =
         "Q elements with a count are asked for, and the unit has only those without. Where they "
         "are limited to no range at all a note is told.",
     .remedy = "write 3 (both kinds) or 0 to QE",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCCONFIGR=0x2001 TRCIDR0=0x08010ea1"},
    {.code = "CAIRN-LINT-OPTION-OFF",
     .requirement = "D10.2",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_NOTE,
     .check = check_unused,
     .meaning = "A register is programmed that only matters with an option of TRCCONFIGR, and the "
                "option is off.",
     .remedy = "set the option, if the trace is to have it",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCCONFIGR=0x1 TRCCCCTLR=0x100"},
    {.code = "CAIRN-LINT-TRFCR",
     .requirement = "D6.6.6; Arm ARM: TRFCR_EL1",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_trfcr,
     .end = check_trfcr,
     .meaning = "The PE's own trace filter prohibits trace of EL0 and EL1.",
     .remedy = "set TRFCR_EL1.E0TRE, E1TRE (and at EL2 E0HTRE, E2TRE), or use an external debugger",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRFCR_EL1=0x20"},
    {0},
};

/* Of rules above, by itself. */
static const struct cairn_lint_rule *const twice = &cairn_lint_option_rules[1];

static void tell_twice(const struct cairn_lint_unit *unit, const struct cairn_lint_unit *other,
                       const struct cairn_register *id, cairn_lint_tell *tell, void *context)
{
    struct cairn_lint_run run = {.told = unit, .tell = tell, .context = context, .rule = twice};

    cairn_lint_say(&run, id->name, "the trace ID is 0x%02" PRIx64 ", as that of %s", id->value,
                   other->name ? other->name : "another source");
}

static const struct cairn_register *id_of(const struct cairn_lint_unit *unit)
{
    const char *name =
        cairn_of_protocol(unit->protocol) & CAIRN_OF_BOTH ? "TRCTRACEIDR" : "ETMTRACEIDR";

    for (size_t i = 0; i < unit->register_count; i++)
        if (unit->registers[i].name &&
            cairn_register_place_of(CAIRN_OF_ANY, unit->registers[i].name).family ==
                cairn_register_place_of(CAIRN_OF_ANY, name).family)
            return &unit->registers[i];
    return NULL;
}

cairn_status cairn_lint_bus(const struct cairn_lint_unit *const *units, size_t count,
                            cairn_lint_tell *tell, void *context, struct cairn_error *error)
{
    if (!tell || (count > 0 && !units))
        return cairn_fail(error, CAIRN_E_ARGUMENT, "units are missing, or nobody is told");
    for (size_t i = 0; i < count; i++) {
        struct cairn_lint_unit one = {.size = sizeof one};

        if (!units[i] || cairn_options_read(&one, sizeof one, units[i]) != CAIRN_OK)
            return cairn_fail(error, CAIRN_E_ARGUMENT, "unit %zu does not begin with its size", i);
        const struct cairn_register *id = one.registers ? id_of(&one) : NULL;
        for (size_t j = 0; id && id->value != 0 && j < i; j++) {
            struct cairn_lint_unit other = {.size = sizeof other};
            if (cairn_options_read(&other, sizeof other, units[j]) != CAIRN_OK)
                continue;
            const struct cairn_register *before = other.registers ? id_of(&other) : NULL;
            if (before && (before->value & ID_MASK) == (id->value & ID_MASK)) {
                tell_twice(&one, &other, id, tell, context);
                break;
            }
        }
    }
    return CAIRN_OK;
}
