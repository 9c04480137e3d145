/* SPDX-License-Identifier: BSD-2-Clause */
/* Resources with a state of their own: counters (DDI0608 D7.7), the sequencer (D7.8), single-shot
 * comparator controls (D7.9), external input selectors (D7.11). */
#include <inttypes.h>
#include <stdio.h>

#include "unit/lint/lint.h"

#define COUNTERS 4u
#define STATES 4u
#define CONTROLS 8u
#define INPUTS 4u
#define PMU_EVENTS 0x1ffu

/* TRCCNTCTLR, as far as it is given. */
struct counter {
    enum cairn_lint_truth counts, loads;
    bool self, chained, given;
};

static struct counter counter_of(const struct cairn_lint_run *run, unsigned n)
{
    uint64_t value;
    struct counter counter = {CAIRN_LINT_UNKNOWN, CAIRN_LINT_UNKNOWN, false, false, false};

    if (!cairn_lint_get_n(run, "TRCCNTCTLR", n, &value))
        return counter;
    counter.given = true;
    counter.counts = cairn_lint_event(run, cairn_register_bits(value, 7, 0));
    counter.loads = cairn_lint_event(run, cairn_register_bits(value, 15, 8));
    counter.self = value >> 16 & 1;
    counter.chained = n % 2 == 1 && (value >> 17 & 1);
    return counter;
}

/* A counter whose being at zero matters: something selects it, or the next one is chained to it. */
static bool is_used(const struct cairn_lint_run *run, unsigned n)
{
    return (run->used.counters >> n & 1) ||
           (n % 2 == 0 && counter_of(run, n + 1).chained && (run->used.counters >> (n + 1) & 1));
}

/* Whether the counter below reloads: it must, to count a chained one down. */
static bool lower_reloads(const struct cairn_lint_run *run, unsigned n)
{
    const struct counter lower = counter_of(run, n - 1);

    return !lower.given || lower.self || lower.loads != CAIRN_LINT_NEVER;
}

static bool counts(const struct cairn_lint_run *run, unsigned n)
{
    const struct counter counter = counter_of(run, n);

    return counter.counts != CAIRN_LINT_NEVER || (counter.chained && lower_reloads(run, n));
}

static void check_count(struct cairn_lint_run *run)
{
    char name[CAIRN_REGISTER_NAME];

    for (unsigned n = 0; n < COUNTERS; n++) {
        const struct counter counter = counter_of(run, n);
        if (!counter.given || !is_used(run, n) || counts(run, n))
            continue;
        snprintf(name, sizeof name, "TRCCNTCTLR%u", n);
        if (counter.chained)
            cairn_lint_say(run, name,
                           "CNTCHAIN is 1 and CNTEVENT never occurs, and counter %u, which is to "
                           "count it down, never reloads",
                           n - 1);
        else
            cairn_lint_say(run, name, "CNTEVENT never occurs: counter %u stays where it is", n);
    }
}

static void check_load(struct cairn_lint_run *run)
{
    char name[CAIRN_REGISTER_NAME];
    uint64_t value;

    for (unsigned n = 0; n < COUNTERS; n++) {
        const struct counter counter = counter_of(run, n);
        if (!counter.given || !is_used(run, n) || counter.self ||
            counter.loads != CAIRN_LINT_NEVER || !cairn_lint_get_n(run, "TRCCNTVR", n, &value) ||
            cairn_register_bits(value, 15, 0) != 0)
            continue;
        snprintf(name, sizeof name, "TRCCNTVR%u", n);
        cairn_lint_of_state(run, name);
        cairn_lint_say(run, name,
                       "counter %u begins at 0 and nothing loads it: it is at zero all the time",
                       n);
    }
}

static void check_reload_value(struct cairn_lint_run *run)
{
    char name[CAIRN_REGISTER_NAME];
    uint64_t value;

    for (unsigned n = 0; n < COUNTERS; n++) {
        const struct counter counter = counter_of(run, n);
        if (!counter.given || !is_used(run, n) || !counter.self ||
            !cairn_lint_get_n(run, "TRCCNTRLDVR", n, &value) ||
            cairn_register_bits(value, 15, 0) != 0)
            continue;
        snprintf(name, sizeof name, "TRCCNTRLDVR%u", n);
        cairn_lint_say(run, name,
                       "counter %u loads itself with 0: it is at zero each time that it counts", n);
    }
}

/* Events that take the sequencer from each state, forward and back (TRCSEQEVR0 to 2). */
struct sequencer {
    enum cairn_lint_truth forward[STATES], back[STATES], reset;
    unsigned state;
    bool given;
};

static struct sequencer sequencer_of(const struct cairn_lint_run *run)
{
    struct sequencer s = {.reset = CAIRN_LINT_NEVER};
    uint64_t value;

    s.given = cairn_lint_has(run, "TRCSEQSTR") && cairn_lint_has(run, "TRCSEQEVR0") &&
              cairn_lint_has(run, "TRCSEQEVR1") && cairn_lint_has(run, "TRCSEQEVR2");
    s.state = cairn_lint_bits(run, "TRCSEQSTR", 1, 0);
    s.back[0] = s.forward[STATES - 1] = CAIRN_LINT_NEVER;
    for (unsigned n = 0; n + 1 < STATES; n++) {
        cairn_lint_get_n(run, "TRCSEQEVR", n, &value);
        s.forward[n] = cairn_lint_event(run, cairn_register_bits(value, 7, 0));
        s.back[n + 1] = cairn_lint_event(run, cairn_register_bits(value, 15, 8));
    }
    if (cairn_lint_get(run, "TRCSEQRSTEVR", &value))
        s.reset = cairn_lint_event(run, cairn_register_bits(value, 7, 0));
    return s;
}

static bool can_leave(const struct sequencer *s, unsigned state)
{
    return s->forward[state] != CAIRN_LINT_NEVER || s->back[state] != CAIRN_LINT_NEVER ||
           (state > 0 && s->reset != CAIRN_LINT_NEVER);
}

static uint32_t reached(const struct sequencer *s)
{
    uint32_t states = 1u << s->state;

    for (unsigned round = 0; round < STATES; round++)
        for (unsigned n = 0; n < STATES; n++) {
            if (!(states >> n & 1))
                continue;
            if (s->forward[n] != CAIRN_LINT_NEVER && n + 1 < STATES)
                states |= 1u << (n + 1);
            if (s->back[n] != CAIRN_LINT_NEVER && n > 0)
                states |= 1u << (n - 1);
            if (s->reset != CAIRN_LINT_NEVER)
                states |= 1u;
        }
    return states;
}

static void check_stuck(struct cairn_lint_run *run)
{
    const struct sequencer s = sequencer_of(run);
    const uint32_t states = reached(&s);

    if (!s.given || !run->used.states)
        return;
    cairn_lint_of_state(run, "TRCSEQSTR");
    for (unsigned n = 0; n < STATES; n++) {
        if (!(states >> n & 1) || can_leave(&s, n))
            continue;
        if (n == s.state)
            cairn_lint_say(run, "TRCSEQSTR",
                           "the sequencer begins in state %u, and no event takes it from there", n);
        else
            cairn_lint_note(run, "TRCSEQSTR", "no event takes the sequencer out of state %u", n);
    }
}

static void check_reached(struct cairn_lint_run *run)
{
    const struct sequencer s = sequencer_of(run);
    const uint32_t unreached = run->used.states & ~reached(&s);
    char list[CAIRN_LINT_LIST];

    if (!s.given || !unreached)
        return;
    cairn_lint_list(unreached, 0, list);
    cairn_lint_of_state(run, "TRCSEQSTR");
    cairn_lint_say(run, "TRCSEQSTR",
                   "state %s of the sequencer is selected as a resource, and from state %u no "
                   "events lead there",
                   list, s.state);
}

static void check_control(struct cairn_lint_run *run)
{
    char name[CAIRN_REGISTER_NAME];
    uint64_t value, inputs;

    for (unsigned n = 0; n < CONTROLS; n++) {
        if (!(run->used.controls >> n & 1) || !cairn_lint_get_n(run, "TRCSSCCR", n, &value))
            continue;
        cairn_lint_get_n(run, "TRCSSPCICR", n, &inputs);
        if (cairn_register_bits(value, 23, 0) || inputs)
            continue;
        snprintf(name, sizeof name, "TRCSSCCR%u", n);
        cairn_lint_say(run, name,
                       "single-shot control %u is selected as a resource and watches nothing: it "
                       "never fires",
                       n);
    }
}

static void check_fired(struct cairn_lint_run *run)
{
    char name[CAIRN_REGISTER_NAME];
    uint64_t value, status;

    for (unsigned n = 0; n < CONTROLS; n++) {
        if (!(run->used.controls >> n & 1) || !cairn_lint_get_n(run, "TRCSSCCR", n, &value) ||
            !cairn_lint_get_n(run, "TRCSSCSR", n, &status) || value >> 24 & 1 ||
            !(status >> 31 & 1))
            continue;
        snprintf(name, sizeof name, "TRCSSCSR%u", n);
        cairn_lint_of_state(run, name);
        cairn_lint_say(run, name,
                       "single-shot control %u has fired (STATUS is 1) and fires once (RST is 0): "
                       "it does not fire again",
                       n);
    }
}

static void check_inputs(struct cairn_lint_run *run)
{
    const uint64_t value = cairn_lint_value(run, "TRCEXTINSELR");
    const uint32_t built = cairn_register_bits(run->all.values[CAIRN_REG_TRCIDR + 5], 8, 0);

    for (unsigned n = 0; n < INPUTS; n++) {
        const uint32_t input = cairn_register_bits(value, 8 * n + 7, 8 * n);
        if (cairn_lint_has(run, "TRCEXTINSELR") && (run->used.inputs >> n & 1) &&
            built != PMU_EVENTS && input >= built)
            cairn_lint_say(run, "TRCEXTINSELR",
                           "SEL%u is %" PRIu32 ", but there are %" PRIu32
                           " external inputs (TRCIDR5.NUMEXTIN)",
                           n, input, built);
    }
}

const struct cairn_lint_rule cairn_lint_state_rules[] = {
    {.code = "CAIRN-LINT-COUNTER-STANDS",
     .requirement = "D7.7; R_QHZFW",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_count,
     .meaning = "A counter is used as a resource, and nothing ever counts it down: neither its "
                "event nor, if it is chained, a reload of the counter below.",
     .remedy = "write an event to CNTEVENT: 1 counts every cycle; of chained counters, let the "
               "lower one reload (RLDSELF)",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x2 TRCRSCTLR2=0x20001 TRCCNTCTLR0=0x10000"},
    {.code = "CAIRN-LINT-COUNTER-EMPTY",
     .requirement = "D7.7",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_load,
     .meaning = "A counter is used as a resource, begins at 0 and is never loaded: its resource is "
                "active all the time.",
     .remedy = "write a value to TRCCNTVR, or let it reload (RLDSELF or RLDEVENT)",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x2 TRCRSCTLR2=0x20001 TRCCNTCTLR0=0x1 TRCCNTVR0=0x0"},
    {.code = "CAIRN-LINT-COUNTER-RELOAD",
     .requirement = "D7.7.2",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_reload_value,
     .meaning = "A counter that is used as a resource loads itself with 0.",
     .remedy = "write the number of counts, less 1, to TRCCNTRLDVR",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x2 TRCRSCTLR2=0x20001 TRCCNTCTLR0=0x10001 TRCCNTRLDVR0=0x0"},
    {.code = "CAIRN-LINT-SEQUENCER-STUCK",
     .requirement = "R_JDPYL",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_stuck,
     .meaning = "A state of the sequencer is used as a resource, and the sequencer cannot leave "
                "the state it begins in. Of another state that it cannot leave a note is told: "
                "that may be meant.",
     .remedy = "give TRCSEQEVR0 to 2 or TRCSEQRSTEVR an event, or begin in another state",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x2 TRCRSCTLR2=0x20010 TRCSEQSTR=0x0 TRCSEQEVR0=0x0 TRCSEQEVR1=0x0 "
                "TRCSEQEVR2=0x0"},
    {.code = "CAIRN-LINT-SEQUENCER-STATE",
     .requirement = "R_JDPYL",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_reached,
     .meaning = "A state of the sequencer is used as a resource that it can never come to.",
     .remedy =
         "give the transitions between an event each: state n is left forward by TRCSEQEVRn.F",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x2 TRCRSCTLR2=0x20080 TRCSEQSTR=0x0 TRCSEQEVR0=0x1 TRCSEQEVR1=0x0 "
                "TRCSEQEVR2=0x1"},
    {.code = "CAIRN-LINT-SINGLE-SHOT-NONE",
     .requirement = "D7.9",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_control,
     .meaning = "A single-shot comparator control is used as a resource and has no comparator.",
     .remedy = "choose comparators in TRCSSCCR.SAC or ARC, or PE inputs in TRCSSPCICR",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x2 TRCRSCTLR2=0x30001 TRCSSCCR0=0x0"},
    {.code = "CAIRN-LINT-SINGLE-SHOT-FIRED",
     .requirement = "D7.9.1",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_fired,
     .meaning = "A single-shot comparator control that fires once has fired already.",
     .remedy = "clear TRCSSCSR.STATUS before the session, or set TRCSSCCR.RST",
     .example_unit = CAIRN_OF_ETE,
     .example = "TRCTSCTLR=0x2 TRCRSCTLR2=0x30001 TRCSSCCR0=0x1 TRCSSCSR0=0x80000000"},
    {.code = "CAIRN-LINT-EXTERNAL-INPUT",
     .requirement = "D7.11; D16",
     .units = CAIRN_OF_ETMV4,
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_inputs,
     .meaning = "An external input selector that is used takes an input that was not built.",
     .remedy = "choose one of the inputs that TRCIDR5.NUMEXTIN counts",
     .example_unit = CAIRN_OF_ETMV4,
     .example = "TRCTSCTLR=0x2 TRCRSCTLR2=0x1 TRCEXTINSELR=0x4 TRCIDR5=0x28c70804"},
    {0},
};
