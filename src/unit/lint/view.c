/* SPDX-License-Identifier: BSD-2-Clause */
/* ViewInst: what is traced at all (DDI0608 D6.8), and the comparators that decide it (D7.4). */
#include <inttypes.h>

#include "unit/lint/lint.h"

#define SACS 16u
#define ARCS 8u
#define PES 8u
#define COMPARATORS 8u
#define LEVELS_S 0xfu
#define LEVELS 0x7u

static void check_event(struct cairn_lint_run *run)
{
    uint64_t value;

    if (run->built.selectors && cairn_lint_get(run, "TRCVICTLR", &value) &&
        cairn_lint_event(run, cairn_register_bits(value, 7, 0)) == CAIRN_LINT_NEVER)
        cairn_lint_say(run, "TRCVICTLR",
                       "EVENT is 0x%02" PRIx32 ", which is never active: nothing is traced",
                       cairn_register_bits(value, 7, 0));
}

/* Whether some level of the PE is left; Realm ones count where TRCIDR6 is given. */
static bool leaves_levels(const struct cairn_lint_run *run, uint32_t secure, uint32_t nonsecure,
                          uint32_t realm)
{
    const uint64_t *idr = &run->all.values[CAIRN_REG_TRCIDR];

    if (cairn_register_bits(idr[3], 22, 16) == 0) /* a TRCIDR3 that tells of none */
        return true;
    return (cairn_register_bits(idr[3], 19, 16) & ~secure & LEVELS_S) ||
           (cairn_register_bits(idr[3], 22, 20) & ~nonsecure & LEVELS) ||
           (cairn_lint_has(run, "TRCIDR6") &&
            (cairn_register_bits(idr[6], 2, 0) & ~realm & LEVELS));
}

static void check_levels(struct cairn_lint_run *run)
{
    uint64_t value;

    if (cairn_lint_get(run, "TRCVICTLR", &value) &&
        !leaves_levels(run, cairn_register_bits(value, 19, 16), cairn_register_bits(value, 22, 20),
                       cairn_register_bits(value, 26, 24)))
        cairn_lint_say(run, "TRCVICTLR",
                       "it is 0x%" PRIx64 ": every Exception level of this PE is left out, so "
                       "nothing is traced",
                       value);
}

/* The addresses of a range, where both are given. */
static bool range_of(const struct cairn_lint_run *run, unsigned range, uint64_t *first,
                     uint64_t *last)
{
    return cairn_lint_get_n(run, "TRCACVR", 2 * range, first) &&
           cairn_lint_get_n(run, "TRCACVR", 2 * range + 1, last);
}

static void check_range_order(struct cairn_lint_run *run)
{
    uint64_t first, last;
    char name[CAIRN_REGISTER_NAME];

    for (unsigned n = 0; n < ARCS; n++)
        if ((run->used.arcs >> n & 1) && range_of(run, n, &first, &last) && first > last) {
            cairn_register_name(
                (struct cairn_register_place){cairn_register_place_of(run->unit, "TRCACVR0").family,
                                              2 * n},
                name);
            cairn_lint_say(run, name,
                           "range %u begins at 0x%" PRIx64 " and ends at 0x%" PRIx64
                           ", which is before: it may match at any time or never",
                           n, first, last);
        }
}

static void check_range_types(struct cairn_lint_run *run)
{
    uint64_t a, b;

    for (unsigned n = 0; n < ARCS; n++)
        if ((run->used.arcs >> n & 1) && cairn_lint_get_n(run, "TRCACATR", 2 * n, &a) &&
            cairn_lint_get_n(run, "TRCACATR", 2 * n + 1, &b) && a != b)
            cairn_lint_say_n(run, "TRCACATR", 2 * n,
                             "range %u has 0x%" PRIx64 " in TRCACATR%u and 0x%" PRIx64
                             " in TRCACATR%u: they have to be the same",
                             n, a, 2 * n, b, 2 * n + 1);
}

/* Whether range `a` lies in range `e`, and `e` matches in any context and at every level. */
static bool covers(const struct cairn_lint_run *run, unsigned e, uint64_t first, uint64_t last)
{
    uint64_t from, to, type;

    cairn_lint_get_n(run, "TRCACATR", 2 * e, &type);
    return range_of(run, e, &from, &to) && from <= first && to >= last && type == 0;
}

static bool is_excluded(const struct cairn_lint_run *run, uint32_t exclude, uint64_t first,
                        uint64_t last)
{
    for (unsigned e = 0; e < ARCS; e++)
        if ((exclude >> e & 1) && covers(run, e, first, last))
            return true;
    return false;
}

static void check_excluded(struct cairn_lint_run *run)
{
    const uint32_t include = cairn_lint_bits(run, "TRCVIIECTLR", 7, 0);
    const uint32_t exclude = cairn_lint_bits(run, "TRCVIIECTLR", 23, 16);
    const bool wide = cairn_register_bits(run->all.values[CAIRN_REG_TRCIDR + 2], 4, 0) == 8;
    uint64_t first, last;
    bool some = false;

    for (unsigned n = 0; n < ARCS; n++)
        if (include >> n & 1)
            some |= !(exclude >> n & 1) &&
                    (!range_of(run, n, &first, &last) || !is_excluded(run, exclude, first, last));
    if (!include)
        some = !is_excluded(run, exclude, 0, wide ? UINT64_MAX : UINT32_MAX);
    if (!some)
        cairn_lint_say(run, "TRCVIIECTLR",
                       "what is included is excluded as well: nothing is traced");
}

static uint32_t points(const struct cairn_lint_run *run, unsigned high, unsigned low)
{
    return cairn_lint_bits(run, "TRCVISSCTLR", high, low);
}

static void check_starts(struct cairn_lint_run *run)
{
    uint64_t value;

    if (cairn_lint_get(run, "TRCVICTLR", &value) && !cairn_register_bits(value, 9, 9) &&
        (run->built.arcs || run->built.pcs) && !points(run, 15, 0) &&
        !cairn_lint_bits(run, "TRCVIPCSSCTLR", 7, 0)) {
        if (points(run, 31, 16) || cairn_lint_bits(run, "TRCVIPCSSCTLR", 23, 16))
            cairn_lint_of_state(run, "TRCVICTLR"); /* a stop point may have been passed */
        cairn_lint_say(run, "TRCVICTLR",
                       "SSSTATUS is 0 (stopped) and nothing starts trace: TRCVISSCTLR.START and "
                       "TRCVIPCSSCTLR.START are 0");
    }
}

static void check_stops(struct cairn_lint_run *run)
{
    const uint32_t starts = points(run, 15, 0) | cairn_lint_bits(run, "TRCVIPCSSCTLR", 7, 0);
    const uint32_t stops = points(run, 31, 16) | cairn_lint_bits(run, "TRCVIPCSSCTLR", 23, 16);

    if (starts && !stops)
        cairn_lint_say(run, "TRCVISSCTLR",
                       "there are start points and no stop points: what is started goes on");
    else if (stops && !starts)
        cairn_lint_say(run, "TRCVISSCTLR",
                       "there are stop points and no start points: what is stopped stays so");
}

static void check_same_point(struct cairn_lint_run *run)
{
    const uint32_t starts = points(run, 15, 0), stops = points(run, 31, 16);
    uint64_t a, b;

    for (unsigned i = 0; i < SACS; i++)
        for (unsigned j = 0; (starts >> i & 1) && j < SACS; j++) {
            if (!(stops >> j & 1))
                continue;
            if (i == j)
                cairn_lint_say(run, "TRCVISSCTLR",
                               "address comparator %u is a start point and a stop point", i);
            else if (cairn_lint_get_n(run, "TRCACVR", i, &a) &&
                     cairn_lint_get_n(run, "TRCACVR", j, &b) && a == b)
                cairn_lint_say(run, "TRCVISSCTLR",
                               "0x%" PRIx64 " is a start point (comparator %u) and a stop point "
                               "(comparator %u)",
                               a, i, j);
        }
    const uint32_t inputs = cairn_lint_value(run, "TRCVIPCSSCTLR") & 0xff &
                            cairn_lint_bits(run, "TRCVIPCSSCTLR", 23, 16);
    for (unsigned i = 0; i < PES; i++)
        if (inputs >> i & 1)
            cairn_lint_say(run, "TRCVIPCSSCTLR",
                           "PE comparator input %u is a start point and a stop point", i);
}

static void check_order(struct cairn_lint_run *run)
{
    const uint32_t chosen = points(run, 15, 0) | points(run, 31, 16);
    uint64_t before = 0, value;
    unsigned last = SACS;

    for (unsigned i = 0; i < SACS; i++) {
        if (!(chosen >> i & 1) || !cairn_lint_get_n(run, "TRCACVR", i, &value))
            continue;
        if (last < SACS && value < before)
            cairn_lint_say(run, "TRCVISSCTLR",
                           "comparator %u has 0x%" PRIx64 ", which is below 0x%" PRIx64
                           " of comparator %u: start and stop points have to be in the order of "
                           "their addresses",
                           i, value, before, last);
        before = value;
        last = i;
    }
}

/* Bits 63:56 of an address are those of bit 55 (R_SBCPK): anything else is a tag. */
static bool is_tagged(uint64_t address)
{
    const uint64_t top = address >> 55;

    return top != 0 && top != 0x1ff;
}

/* Of a range the first comparator; of single ones those that something looks at alone. */
static void check_addresses(struct cairn_lint_run *run)
{
    const bool wide = cairn_register_bits(run->all.values[CAIRN_REG_TRCIDR + 2], 4, 0) == 8;
    uint64_t address, type;

    for (unsigned n = 0; n < SACS; n++) {
        const uint32_t used = run->used.sacs | (run->used.arcs >> n / 2 & 1 & (n % 2 == 0)) << n;
        cairn_lint_get_n(run, "TRCACATR", n, &type);
        if (!(used >> n & 1) || !cairn_lint_get_n(run, "TRCACVR", n, &address) ||
            (run->unit == CAIRN_OF_ETMV4 && (type & 3) != 0)) /* a data address */
            continue;
        if (address & 1)
            cairn_lint_say_n(run, "TRCACVR", n,
                             "it is 0x%" PRIx64 ", and no instruction begins at an odd address",
                             address);
        else if (!wide && address > UINT32_MAX)
            cairn_lint_say_n(run, "TRCACVR", n,
                             "it is 0x%" PRIx64 ", and addresses have 32 bits (TRCIDR2.IASIZE)",
                             address);
        else if (wide && is_tagged(address))
            cairn_lint_say_n(run, "TRCACVR", n,
                             "it is 0x%" PRIx64 ", but bits 63:56 of an instruction's address are "
                             "as bit 55: a tag is never compared",
                             address);
    }
}

/* What a comparator that something uses is programmed with. */
static bool used_type(const struct cairn_lint_run *run, unsigned n, uint64_t *type)
{
    const uint32_t used = run->used.sacs | (run->used.arcs >> n / 2 & 1) << n;

    return (used >> n & 1) && cairn_lint_get_n(run, "TRCACATR", n, type);
}

static void check_comparator_levels(struct cairn_lint_run *run)
{
    uint64_t type;

    for (unsigned n = 0; n < SACS; n++)
        if (used_type(run, n, &type) &&
            !leaves_levels(run, cairn_register_bits(type, 11, 8), cairn_register_bits(type, 14, 12),
                           run->unit == CAIRN_OF_ETE ? cairn_register_bits(type, 18, 16) : LEVELS))
            cairn_lint_say_n(run, "TRCACATR", n,
                             "comparator %u is used, but TRCACATR%u is 0x%" PRIx64
                             ", which leaves out every Exception level: it never matches",
                             n, n, type);
}

static void check_contexts(struct cairn_lint_run *run)
{
    uint64_t type;

    for (unsigned n = 0; n < SACS; n++) {
        if (!cairn_lint_get_n(run, "TRCACATR", n, &type))
            continue;
        const uint32_t kind = cairn_register_bits(type, 3, 2);
        const uint32_t context = cairn_register_bits(type, 6, 4);
        if (((kind & 1) && context >= run->built.cids) ||
            ((kind & 2) && context >= run->built.vmids))
            cairn_lint_say_n(run, "TRCACATR", n,
                             "it asks for context comparator %" PRIu32 ", but there are "
                             "%" PRIu32 " of context identifiers and %" PRIu32 " of virtual ones "
                             "(TRCIDR4)",
                             context, run->built.cids, run->built.vmids);
    }
}

/* Bytes that a comparator leaves out have to be 0. */
static void check_masked(struct cairn_lint_run *run, const char *values, const char *masks)
{
    uint64_t value, mask;

    for (unsigned n = 0; n < COMPARATORS; n++) {
        if (!cairn_lint_get_n(run, values, n, &value) ||
            !cairn_lint_get_n(run, masks, n / 4, &mask))
            continue;
        for (unsigned byte = 0; byte < 4; byte++)
            if ((mask >> (8 * (n % 4) + byte) & 1) && (value >> 8 * byte & 0xff))
                cairn_lint_say_n(run, values, n,
                                 "byte %u of %s%u is 0x%02" PRIx64 ", and %s%u leaves it out: it "
                                 "has to be 0",
                                 byte, values, n, value >> 8 * byte & 0xff, masks, n / 4);
    }
}

static void check_identifiers(struct cairn_lint_run *run)
{
    check_masked(run, "TRCCIDCVR", "TRCCIDCCTLR");
    check_masked(run, "TRCVMIDCVR", "TRCVMIDCCTLR");
}

const struct cairn_lint_rule cairn_lint_view_rules[] = {
    {.code = "CAIRN-LINT-VIEW-NEVER",
     .requirement = "R_NRSGN; D6.8",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_event,
     .meaning = "The event of ViewInst is never active, so that nothing is traced. Selector 0 is "
                "FALSE; a selector that selects nothing is, too.",
     .remedy = "write 1 to TRCVICTLR.EVENT: selector 1 is always active",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVICTLR=0x200"},
    {.code = "CAIRN-LINT-LEVELS-NONE",
     .requirement = "R_LWYJR",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_levels,
     .meaning = "Every Exception level that the PE has is left out. A bit that is 1 leaves its "
                "level out.",
     .remedy = "clear the bits of the levels that are to be traced in TRCVICTLR.EXLEVEL_S and "
               "EXLEVEL_NS",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVICTLR=0x7f0201"},
    {.code = "CAIRN-LINT-EXCLUDES-ALL",
     .requirement = "R_SKZHH",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_excluded,
     .meaning = "The ranges that are excluded cover all that is included.",
     .remedy = "take the range out of TRCVIIECTLR.EXCLUDE, or correct its addresses",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVIIECTLR=0x10001"},
    {.code = "CAIRN-LINT-NEVER-STARTS",
     .requirement = "S_XMMLP",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_starts,
     .meaning = "The start/stop function is stopped, and nothing ever starts it.",
     .remedy = "set SSSTATUS (write 0x201 to TRCVICTLR), or choose start points",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVICTLR=0x1"},
    {.code = "CAIRN-LINT-NEVER-STOPS",
     .requirement = "D6.8.2",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_NOTE,
     .check = check_stops,
     .meaning = "There are only start points, or only stop points. That is allowed: trace changes "
                "once.",
     .remedy = "choose the other points as well, if it is to go on and off",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVISSCTLR=0x1"},
    {.code = "CAIRN-LINT-START-IS-STOP",
     .requirement = "R_XHFYQ",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_same_point,
     .meaning = "One address starts and stops trace: what the start/stop function does is "
                "UNPREDICTABLE.",
     .remedy = "give start and stop points different addresses",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVISSCTLR=0x20001 TRCACVR0=0x1000 TRCACVR1=0x1000"},
    {.code = "CAIRN-LINT-POINT-ORDER",
     .requirement = "R_SFXZB; I_RYPM",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_order,
     .meaning = "Comparators that start and stop trace are not in the order of their addresses, "
                "without which the start/stop function is UNPREDICTABLE: of two the one with the "
                "lower address has the lower number.",
     .remedy = "sort the addresses into the comparators, and choose START and STOP anew",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVISSCTLR=0x20001 TRCACVR0=0x2000 TRCACVR1=0x1000"},
    {.code = "CAIRN-LINT-RANGE-ORDER",
     .requirement = "R_MXCGD; S_WFSPV",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_range_order,
     .meaning = "A range that something uses ends before it begins: whether it matches is "
                "CONSTRAINED UNPREDICTABLE, at any time.",
     .remedy = "write the lower address to the comparator with the even number",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVIIECTLR=0x1 TRCACVR0=0x2000 TRCACVR1=0x1000"},
    {.code = "CAIRN-LINT-RANGE-TYPES",
     .requirement = "R_XYJLC",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_range_types,
     .meaning = "The two comparators of a range that something uses have different types, which is "
                "CONSTRAINED UNPREDICTABLE.",
     .remedy = "write the same value to both TRCACATR",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVIIECTLR=0x1 TRCACATR0=0x100 TRCACATR1=0x0"},
    {.code = "CAIRN-LINT-ADDRESS",
     .requirement = "R_PYMYZV; S_HSFTQ; R_SBCPK",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_addresses,
     .meaning = "A comparator that something uses, or a range that begins there, has an address at "
                "which no instruction can be: odd, as pointers to T32 code are, with a tag, or "
                "beyond 32 bits in a unit of 32-bit addresses. A single comparator never matches; "
                "what a range does with its first instruction is the implementation's.",
     .remedy =
         "write the address of the lowest byte of the instruction: bit 0 clear, bits 63:56 as "
         "bit 55",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVIIECTLR=0x1 TRCACVR0=0x8001 TRCACVR1=0x80ff"},
    {.code = "CAIRN-LINT-COMPARATOR-LEVELS",
     .requirement = "R_DKCFF",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_comparator_levels,
     .meaning = "A comparator that something uses matches at no Exception level. A bit that is 1 "
                "leaves its level out.",
     .remedy = "clear the bits of the levels at which it is to match",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCVIIECTLR=0x1 TRCACATR0=0x7f00"},
    {.code = "CAIRN-LINT-CONTEXT-COMPARATOR",
     .requirement = "R_QFNSK",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_contexts,
     .meaning = "A comparator waits for a context comparator that was not built.",
     .remedy = "use a context comparator that TRCIDR4.NUMCIDC and NUMVMIDC have, or clear "
               "CONTEXTTYPE",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCACATR0=0x14 TRCIDR4=0x11170004"},
    {.code = "CAIRN-LINT-CONTEXT-MASKED",
     .requirement = "D7.5; Arm ARM: TRCCIDCCTLR0",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_identifiers,
     .meaning = "A byte of an identifier is left out of the comparison and is not 0: whether the "
                "comparator matches is CONSTRAINED UNPREDICTABLE.",
     .remedy = "write 0 to the bytes that TRCCIDCCTLR0 (TRCVMIDCCTLR0 ...) leaves out",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCCIDCVR0=0x1234 TRCCIDCCTLR0=0x2"},
    {0},
};
