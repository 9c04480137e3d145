/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource events and the selectors behind them (DDI0608 D7.3). */
#include <inttypes.h>
#include <stdio.h>

#include "unit/lint/lint.h"

#define TYPE_PAIR 0x80u
#define SEL 0x1fu
#define SELECTORS 32u
#define GROUPS 8u
#define EVENTS 4u

/* Calls `each` for every event field that is given and not 0. */
static void each_event(struct cairn_lint_run *run,
                       void (*each)(struct cairn_lint_run *run, const char *name, const char *field,
                                    unsigned event))
{
    struct cairn_register_place place;
    size_t index = 0;
    uint64_t value;

    while (cairn_lint_given(run, &index, &place, &value)) {
        const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
        const size_t count = cairn_register_fields(run->unit, place, fields);
        char name[CAIRN_REGISTER_NAME];

        cairn_register_name(place, name);
        for (size_t i = 0; i < count; i++) {
            const unsigned event = (unsigned)cairn_field_value(fields[i], value) & 0xff;
            if (fields[i]->meaning == CAIRN_MEANS_EVENT && event)
                each(run, name, fields[i]->name, event);
        }
    }
}

static void check_one_selector(struct cairn_lint_run *run, const char *name, const char *field,
                               unsigned event)
{
    const unsigned select = event & (event & TYPE_PAIR ? 0xf : SEL);
    const unsigned last = event & TYPE_PAIR ? 2 * select + 1 : select;

    /* without selectors there are no events: CAIRN-LINT-NOT-BUILT */
    if (run->built.selectors && last >= run->built.selectors)
        cairn_lint_say(run, name,
                       "%s is 0x%02x, %s %u, but this unit has selectors 0 to %" PRIu32
                       " (TRCIDR4.NUMRSPAIR)",
                       field, event, event & TYPE_PAIR ? "pair" : "selector", select,
                       run->built.selectors - 1);
}

static void check_selectors(struct cairn_lint_run *run)
{
    each_event(run, check_one_selector);
}

static void check_one_pair(struct cairn_lint_run *run, const char *name, const char *field,
                           unsigned event)
{
    if (event == TYPE_PAIR)
        cairn_lint_say(run, name, "%s is 0x80: pair 0 cannot be selected as a pair", field);
}

static void check_pair_0(struct cairn_lint_run *run)
{
    each_event(run, check_one_pair);
}

/* An event that is asked for: INSTEN, ATB. */
static uint32_t wanted_events(const struct cairn_lint_run *run)
{
    const uint64_t value = cairn_lint_value(run, "TRCEVENTCTL1R");

    return cairn_register_bits(value, 3, 0) | cairn_register_bits(value, 11, 11);
}

static void check_never(struct cairn_lint_run *run)
{
    const uint32_t wanted = wanted_events(run);
    uint64_t value;

    if (!cairn_lint_get(run, "TRCEVENTCTL0R", &value))
        return;
    for (unsigned i = 0; i < EVENTS; i++) {
        const unsigned event = cairn_register_bits(value, 8 * i + 7, 8 * i);
        if (((wanted >> i & 1) || event) && cairn_lint_event(run, event) == CAIRN_LINT_NEVER)
            cairn_lint_say(run, "TRCEVENTCTL0R", "EVENT%u is 0x%02x, which never occurs%s", i,
                           event,
                           wanted >> i & 1 ? ", and TRCEVENTCTL1R asks for it in the trace" : "");
    }
    value = cairn_lint_value(run, "TRCTSCTLR");
    if (value && cairn_lint_event(run, cairn_register_bits(value, 7, 0)) == CAIRN_LINT_NEVER)
        cairn_lint_say(run, "TRCTSCTLR", "EVENT is 0x%02" PRIx64 ", which never occurs", value);
}

static void check_always(struct cairn_lint_run *run)
{
    const uint32_t wanted = cairn_lint_bits(run, "TRCEVENTCTL1R", 3, 0);
    const uint64_t value = cairn_lint_value(run, "TRCEVENTCTL0R");
    const uint32_t stamp = cairn_lint_bits(run, "TRCTSCTLR", 7, 0);

    for (unsigned i = 0; i < EVENTS; i++)
        if ((wanted >> i & 1) &&
            cairn_lint_event(run, cairn_register_bits(value, 8 * i + 7, 8 * i)) ==
                CAIRN_LINT_ALWAYS)
            cairn_lint_say(run, "TRCEVENTCTL0R",
                           "EVENT%u is always active and told in the trace: it fills the buffer",
                           i);
    if (stamp && cairn_lint_bits(run, "TRCCONFIGR", 11, 11) &&
        cairn_lint_event(run, stamp) == CAIRN_LINT_ALWAYS)
        cairn_lint_say(run, "TRCTSCTLR",
                       "EVENT is always active: timestamps are asked for in every cycle");
}

static void check_pairs(struct cairn_lint_run *run)
{
    uint64_t a, b;

    for (unsigned n = 1; n < SELECTORS / 2; n++) {
        if (!(run->used.pairs >> n & 1) || !cairn_lint_get_n(run, "TRCRSCTLR", 2 * n, &a) ||
            !cairn_lint_get_n(run, "TRCRSCTLR", 2 * n + 1, &b))
            continue;
        /* Table D7.2: INV of A, INV of B, PAIRINV */
        const uint32_t function = cairn_register_bits(a, 20, 20) << 2 |
                                  cairn_register_bits(b, 20, 20) << 1 |
                                  cairn_register_bits(a, 21, 21);
        if (function == 2 || function == 5)
            cairn_lint_say_n(run, "TRCRSCTLR", 2 * n,
                             "pair %u has INV %" PRIu32 " and %" PRIu32 " and PAIRINV %" PRIu32
                             ", a function that is reserved",
                             n, function >> 2, function >> 1 & 1, function & 1);
    }
}

/* Resources of each group that there can be (Table D7.1). */
static const uint16_t members[GROUPS] = {0x000f, 0x00ff, 0x00ff, 0x00ff,
                                         0xffff, 0x00ff, 0x00ff, 0x00ff};

static void check_reserved(struct cairn_lint_run *run)
{
    char name[CAIRN_REGISTER_NAME];
    uint64_t value;

    for (unsigned n = 2; n < SELECTORS; n++) {
        if (!cairn_lint_get_n(run, "TRCRSCTLR", n, &value))
            continue;
        const uint32_t group = cairn_register_bits(value, 19, 16);
        const uint32_t select = cairn_register_bits(value, 15, 0);
        snprintf(name, sizeof name, "TRCRSCTLR%u", n);
        if (group >= GROUPS)
            cairn_lint_say(run, name, "GROUP is %" PRIu32 ", and there are groups 0 to 7", group);
        else if (select & ~(uint32_t)members[group])
            cairn_lint_say(run, name,
                           "SELECT is 0x%04" PRIx32 ", and group %" PRIu32 " has resources 0x%04x",
                           select, group, (unsigned)members[group]);
    }
}

static uint32_t ones(uint32_t count)
{
    return count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
}

/* Of those the ones that this unit has. */
static uint32_t built_members(const struct cairn_lint_run *run, uint32_t group)
{
    const struct cairn_unit_built *built = &run->built;

    switch (group) {
    case 0: return ones(built->extinsels);
    case 1: return ones(built->pcs);
    case 2: return ones(built->counters) | (built->sequencer ? 0xf0u : 0);
    case 3: return ones(built->sscs);
    case 4: return ones(2 * built->arcs);
    case 5: return ones(built->arcs);
    case 6: return ones(built->cids);
    default: return ones(built->vmids);
    }
}

static void check_resources(struct cairn_lint_run *run)
{
    char name[CAIRN_REGISTER_NAME], list[CAIRN_LINT_LIST];
    uint64_t value;

    for (unsigned n = 2; n < SELECTORS; n++) {
        if (!cairn_lint_get_n(run, "TRCRSCTLR", n, &value) ||
            cairn_register_bits(value, 19, 16) >= GROUPS)
            continue;
        const uint32_t group = cairn_register_bits(value, 19, 16);
        const uint32_t absent =
            cairn_register_bits(value, 15, 0) & members[group] & ~built_members(run, group);
        if (!absent)
            continue;
        snprintf(name, sizeof name, "TRCRSCTLR%u", n);
        cairn_lint_list(absent, 0, list);
        cairn_lint_say(run, name,
                       "it selects %s of group %" PRIu32 " (%s), which this unit does not have "
                       "(TRCIDR4, TRCIDR5)",
                       list, group, cairn_meaning_word(CAIRN_MEANS_GROUP, group));
    }
}

const struct cairn_lint_rule cairn_lint_event_rules[] = {
    {.code = "CAIRN-LINT-EVENT-SELECTOR",
     .requirement = "D7.3; I_TQVKS",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_selectors,
     .meaning = "An event takes a resource selector, or a pair of them, that was not built: it may "
                "occur at any time, or never.",
     .remedy = "use a selector that TRCIDR4.NUMRSPAIR has; 0 is never, 1 is always",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x10 TRCIDR4=0x11170004"},
    {.code = "CAIRN-LINT-EVENT-PAIR-0",
     .requirement = "Arm ARM: TRCVICTLR.EVENT",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_pair_0,
     .meaning = "An event takes pair 0, selectors 0 and 1, as a pair, which is UNPREDICTABLE.",
     .remedy = "write 0 for never, 1 for always",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x80"},
    {.code = "CAIRN-LINT-EVENT-NEVER",
     .requirement = "R_HVNQG; R_NRSGN",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_never,
     .meaning = "An event is asked for, or programmed, that never occurs: its selector is FALSE, "
                "selects nothing, or its pair cannot be true.",
     .remedy = "give the event a selector, and choose a resource in its TRCRSCTLR",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCEVENTCTL0R=0x0 TRCEVENTCTL1R=0x1"},
    {.code = "CAIRN-LINT-EVENT-ALWAYS",
     .requirement = "R_SXSQT",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_always,
     .meaning = "An event that puts something into the trace is active all the time: the trace is "
                "full of it, and overflows.",
     .remedy = "give the event a selector with a resource; for none at all write 0",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCEVENTCTL0R=0x1 TRCEVENTCTL1R=0x1"},
    {.code = "CAIRN-LINT-PAIR-FUNCTION",
     .requirement = "D7.3.1",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_pairs,
     .meaning = "A pair of selectors that an event uses has one of the two reserved combinations "
                "of INV, INV and PAIRINV (Table D7.2).",
     .remedy = "exchange what the two selectors select: A and not B is not B and A",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x81 TRCRSCTLR2=0x40001 TRCRSCTLR3=0x140002"},
    {.code = "CAIRN-LINT-SELECTOR-RESERVED",
     .requirement = "R_WZVDQ",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_reserved,
     .meaning =
         "A selector has a group, or a resource of its group, that is reserved (Table D7.1).",
     .remedy = "`cairn registers --explain` tells the groups and their resources",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCRSCTLR2=0x50100"},
    {.code = "CAIRN-LINT-SELECTOR-NOT-BUILT",
     .requirement = "D7.3; D16",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_resources,
     .meaning = "A selector selects a resource that this unit was built without.",
     .remedy = "select one that TRCIDR4 and TRCIDR5 have",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCRSCTLR2=0x40100 TRCIDR4=0x11170004"},
    {0},
};
