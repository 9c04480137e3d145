/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_resources.h"

#include <assert.h>
#include <string.h>

/* Table D7.1 */
enum { EXTERNAL, PE_COMPARATORS, COUNTERS_SEQUENCER, SINGLE_SHOTS, SACS, ARCS, CIDS, VMIDS };

#define RS_SELECT 0xffffu
#define RS_GROUP(r) ((r) >> 16 & 15u)
#define RS_INV (1u << 20)
#define RS_PAIRINV (1u << 21)
#define EVENT_PAIR 0x80u /* TYPE of a resource event; SEL below */
#define CNT_EVENT(r) ((r)&0xffu)
#define CNT_RLDEVENT(r) ((r) >> 8 & 0xffu)
#define CNT_RLDSELF (1u << 16)
#define CNT_CHAIN (1u << 17)
#define SEQ_F(r) ((r)&0xffu)
#define SEQ_B(r) ((r) >> 8 & 0xffu)
#define SSCC_RST (1u << 24)
#define SSCS_STATUS (1u << 31)
#define SSCS_PENDING (1u << 30)
#define EVENTCTL1_INSTEN 0xfu
#define EVENTCTL1_LPOVERRIDE (1u << 12)
#define RSR_EXTIN 0xfu
#define RSR_EVENT 0xf00u
#define RSR_EVENT_AT 8
#define EXTINSEL_NUMBER 0xffffu

const char *const second_deeds[SECOND_DEEDS] = {
    [SECOND_AT_ZERO] = "counter at zero",
    [SECOND_SELF_RELOAD] = "counter reloads itself",
    [SECOND_CHAINED] = "chained counter moves",
    [SECOND_FORWARD] = "sequencer forward",
    [SECOND_BACKWARD] = "sequencer backward",
    [SECOND_SEVERAL] = "sequencer through several states",
    [SECOND_RESET] = "sequencer reset",
    [SECOND_FIRED] = "single-shot fires",
    [SECOND_INPUT_NOTED] = "input noted while Paused",
    [SECOND_INPUT_REPLAYED] = "input of TRCRSR.EXTIN",
    [SECOND_EVENT] = "ETEEvent",
    [SECOND_EVENT_NOTED] = "ETEEvent noted while Paused",
    [SECOND_EVENT_REPLAYED] = "ETEEvent of TRCRSR.EVENT",
    [SECOND_PAUSING_STEP] = "last step while Pausing",
    [SECOND_VIEW_BY_EVENT] = "block left out by the resource event",
    [SECOND_STARTED] = "start point",
    [SECOND_STOPPED] = "stop point",
    [SECOND_EXCLUDED] = "block excluded",
    [SECOND_OWED] = "traced up to the next P0 element",
    [SECOND_FORCED] = "exception traced by force",
    [SECOND_PE_MATCH] = "PE Comparator Input",
    [SECOND_OVERFLOWED] = "overflow",
    [SECOND_PENDING] = "single-shot pending",
    [SECOND_UNDONE] = "start or stop point undone",
    [SECOND_NOT_FIRED] = "match for which no single-shot fires",
};

/* --- D7.3: selecting a resource, or two --- */

/* R_NRSGN, R_SXSQT, R_WZVDQ, R_HVNQG, R_WFGMY */
static bool selector(const struct second *s, unsigned n)
{
    const uint32_t control = s->reg.rsctlr[n];

    if (n == 0)
        return false;
    if (n == 1)
        return s->running;
    if (RS_GROUP(control) > VMIDS)
        return false;
    return ((s->line[RS_GROUP(control)] & control & RS_SELECT) != 0) != ((control & RS_INV) != 0);
}

/* Table D7.2: the AND of the two, each as its own INV has it, and inverted by the lower's PAIRINV.
 * D6.8.1's Fn(SEL, TYPE) */
bool second_event(const struct second *s, unsigned event)
{
    const unsigned select = event & 0x1f, lower = (select & 0xf) * 2;

    if (!(event & EVENT_PAIR))
        return selector(s, select);
    return (selector(s, lower) && selector(s, lower + 1)) !=
           ((s->reg.rsctlr[lower] & RS_PAIRINV) != 0);
}

/* --- D7.7: counters --- */

/* D7.7.2, EvalCounter. Whether the counter reloads. */
static bool eval_counter(struct second *s, unsigned n, bool lower_reloads)
{
    const uint32_t control = s->reg.cntctlr[n];
    uint32_t *value = &s->reg.cntvr[n];
    const bool self = control & CNT_RLDSELF;
    const bool chained = (control & CNT_CHAIN) && lower_reloads;
    const bool decrement = second_event(s, CNT_EVENT(control)) || chained;
    const bool reload_event = second_event(s, CNT_RLDEVENT(control));
    const bool zero = *value == 0;
    const bool reload = reload_event || (self && decrement && zero);

    if (zero && (!self || (decrement && !reload_event)))
        s->at_zero |= 1u << n;
    s->deeds[SECOND_AT_ZERO] += s->at_zero >> n & 1;
    s->deeds[SECOND_SELF_RELOAD] += reload && !reload_event;
    s->deeds[SECOND_CHAINED] += chained && !reload && !zero;
    if (reload)
        *value = s->reg.cntrldvr[n];
    else if (decrement && !zero)
        *value -= 1;
    return reload;
}

/* D7.7.2, EvalAllCounters; R_WPQD, R_GYKGZ: counters 1 and 3 can be chained. */
static void eval_counters(struct second *s)
{
    s->at_zero = 0;
    eval_counter(s, 1, eval_counter(s, 0, false));
    eval_counter(s, 3, eval_counter(s, 2, false));
}

/* --- D7.8: sequencer --- */

/* R_JDPYL, D7.8.1.2, as a walk: forward as far as the F lead, and only if not even the first of
 * them does, backward as long as B leads and the F of the state come to does not lead back. */
static unsigned sequencer_target(const bool F[3], const bool B[3], unsigned state)
{
    unsigned to = state;

    while (to < 3 && F[to])
        to++;
    if (to != state)
        return to;
    while (to > 0 && B[to - 1] && !F[to - 1])
        to--;
    return to;
}

/* D7.8.1.1 to D7.8.1.4 */
static void eval_sequencer(struct second *s)
{
    const unsigned state = s->reg.seqstr;
    unsigned to = 0;
    bool F[3], B[3];

    for (unsigned i = 0; i < 3; i++) {
        F[i] = second_event(s, SEQ_F(s->reg.seqevr[i]));
        B[i] = second_event(s, SEQ_B(s->reg.seqevr[i]));
    }
    s->states = 1u << state;
    if (!second_event(s, s->reg.seqrstevr & 0xff)) {
        to = sequencer_target(F, B, state);
        for (unsigned i = 0; i < 4; i++) /* R_HQHFT */
            if ((i > state && i < to) || (i < state && i > to))
                s->states |= 1u << i;
        s->deeds[SECOND_FORWARD] += to > state;
        s->deeds[SECOND_BACKWARD] += to < state;
        s->deeds[SECOND_SEVERAL] += s->states != 1u << state;
    } else { /* R_KVSXC, R_HQBFB */
        s->deeds[SECOND_RESET] += state != 0;
    }
    s->reg.seqstr = to;
}

/* --- D7.9: Single-shot Comparator Controls --- */

/* What they watch was executed, and for certain. R_XVVYX, R_SWNFV, R_KJBCH; R_GBDCK, R_TQHNK while
 * Paused: R_PVRGR then fires. */
void second_fire(struct second *s, unsigned controls)
{
    for (unsigned n = 0; n < 8; n++) {
        uint32_t *status = &s->reg.sscs[n];
        const bool again = (s->reg.sscc[n] & SSCC_RST) || !(*status & SSCS_STATUS);

        if (!(controls >> n & 1))
            continue;
        if (s->running && again) {
            s->line[SINGLE_SHOTS] |= (uint16_t)(1u << n);
            s->told = true;
            *status |= SSCS_STATUS;
            s->deeds[SECOND_FIRED]++;
        } else if (!s->running && s->enabled && (again || s->choices.pending_after_fired)) {
            *status |= SSCS_PENDING;
            s->deeds[SECOND_PENDING]++;
        }
    }
}

/* R_PVRGR */
static void fire_pending(struct second *s)
{
    unsigned controls = 0;

    for (unsigned n = 0; n < 8; n++) {
        if (s->reg.sscs[n] & SSCS_PENDING)
            controls |= 1u << n;
        s->reg.sscs[n] &= ~SSCS_PENDING;
    }
    second_fire(s, controls);
}

/* --- D7.10: ETEEvents --- */

static void eval_events(struct second *s)
{
    unsigned events = s->events;

    for (unsigned n = 0; n < s->choices.events; n++)
        if (second_event(s, s->reg.eventctl0 >> 8 * n & 0xff))
            events |= 1u << n;
    s->events = 0;
    if (!events)
        return;
    s->deeds[SECOND_EVENT]++;
    assert(s->output_count < SECOND_OUTPUTS);
    s->outputs[s->output_count].clock = s->clock;
    s->outputs[s->output_count++].events = events;
    for (unsigned n = 0; n < 4; n++) /* R_KKLYB */
        if ((events & s->reg.eventctl1 & EVENTCTL1_INSTEN) >> n & 1) {
            assert(s->element_count < SECOND_OUTPUTS);
            s->elements[s->element_count++] = (uint8_t)n;
        }
}

/* --- the clock --- */

/* Group 2 of what the registers hold: a counter in Normal mode at zero, the Sequencer's state. */
static uint16_t held_states(const struct second *s)
{
    unsigned states = 16u << s->reg.seqstr;

    for (unsigned n = 0; n < 4; n++)
        if (s->reg.cntvr[n] == 0 && !(s->reg.cntctlr[n] & CNT_RLDSELF))
            states |= 1u << n;
    return (uint16_t)states;
}

static void clear_lines(struct second *s)
{
    memset(s->line, 0, sizeof s->line);
    s->line[COUNTERS_SEQUENCER] = (uint16_t)(s->at_zero | s->states << 4);
    s->told = false;
}

static void evaluate(struct second *s)
{
    if (s->running)
        s->line[EXTERNAL] |= (uint16_t)(s->levels & 0xf);
    eval_events(s);
    eval_counters(s);
    eval_sequencer(s);
    clear_lines(s);
}

/* D6.2.6, R_VHSFL */
static bool in_low_power(const struct second *s)
{
    return s->low_power && !(s->reg.eventctl1 & EVENTCTL1_LPOVERRIDE);
}

/* R_KCXLF: Pausing or Paused, and neither disabled nor in low power; R_KVEVS. */
static void note_inputs(struct second *s, uint32_t inputs)
{
    if (s->running || !s->enabled || in_low_power(s))
        return;
    s->deeds[SECOND_INPUT_NOTED] += (inputs & RSR_EXTIN & ~s->reg.rsr) != 0;
    s->reg.rsr |= inputs & RSR_EXTIN;
}

/* R_YWQNO, R_FHFMP: Paused, nothing moves. */
void second_next_clock(struct second *s)
{
    if (s->running)
        evaluate(s);
    else
        note_inputs(s, s->levels);
    s->has_block = false;
    s->clock++;
}

void second_cycles(struct second *s, uint64_t cycles)
{
    while (cycles--)
        second_next_clock(s);
}

/* --- D7.1: Running, Pausing, Paused --- */

/* R_LYFDT */
static bool may_run(const struct second *s)
{
    return s->enabled && !s->prohibited && !in_low_power(s);
}

/* R_RDCGC: what the inputs were goes through, counters and sequencer do once more, and are seen as
 * the registers have them (I_BRZXY). */
static void pause(struct second *s)
{
    struct second_registers before;

    if (s->told)
        evaluate(s);
    clear_lines(s);
    s->line[COUNTERS_SEQUENCER] |= held_states(s);
    before = s->reg;
    s->running = false;
    evaluate(s);
    s->deeds[SECOND_PAUSING_STEP] += memcmp(before.cntvr, s->reg.cntvr, sizeof before.cntvr) != 0 ||
                                     before.seqstr != s->reg.seqstr;
}

/* R_QWYSK, R_SWBRL, R_PVRGR: what was remembered is seen for a clock. R_YWQNO: counters and
 * sequencer are as they were left. */
static void run(struct second *s)
{
    const uint32_t remembered = s->reg.rsr & (RSR_EXTIN | RSR_EVENT);

    s->running = true;
    s->line[EXTERNAL] |= (uint16_t)(remembered & RSR_EXTIN);
    s->events |= (remembered & RSR_EVENT) >> RSR_EVENT_AT;
    s->told = s->told || remembered;
    s->deeds[SECOND_INPUT_REPLAYED] += (remembered & RSR_EXTIN) != 0;
    s->deeds[SECOND_EVENT_REPLAYED] += (remembered & RSR_EVENT) != 0;
    s->reg.rsr &= ~remembered;
    fire_pending(s);
}

static void look_at_state(struct second *s)
{
    if (may_run(s) && !s->running)
        run(s);
    else if (!may_run(s) && s->running)
        pause(s);
}

void second_begin(struct second *s, const struct second_registers *registers,
                  const struct second_choices *choices)
{
    memset(s, 0, offsetof(struct second, outputs));
    memset(s->deeds, 0, sizeof s->deeds);
    s->output_count = 0;
    s->element_count = 0;
    s->reg = *registers;
    s->choices = *choices;
}

/* R_VNGFG, R_TQWHX: counters and sequencer begin as they were programmed. */
void second_enable(struct second *s)
{
    s->enabled = true;
    s->at_zero = held_states(s) & 15u;
    s->states = held_states(s) >> 4;
    clear_lines(s);
    s->inside = s->resolved_inside = s->transaction; /* R_ZBTPF */
    s->outer = s->reg.victlr;
    look_at_state(s);
}

/* R_TMVLW; R_NKKSJ, R_KFMKS: what is unresolved never fires. */
void second_disable(struct second *s)
{
    second_forget_unresolved(s);
    s->enabled = false;
    look_at_state(s);
}

void second_prohibit(struct second *s, bool prohibited)
{
    if (prohibited && s->inside && s->choices.prohibited_forgets)
        second_tell(s, SECOND_FORGET, 0);
    s->prohibited = prohibited;
    s->owed = s->owed && !prohibited;
    s->doubt = s->doubt && !prohibited;
    look_at_state(s);
}

void second_low_power(struct second *s, bool low)
{
    s->low_power = low;
    look_at_state(s);
}

/* D6.3: nothing is observed; the resources go on. */
void second_debug_state(struct second *s, bool debug)
{
    s->debug = debug;
    s->owed = s->doubt = false;
}

/* --- D7.11: external inputs --- */

void second_inputs(struct second *s, uint32_t levels)
{
    s->levels = levels & (0xff00u | ((1u << s->choices.inputs) - 1));
    note_inputs(s, s->levels);
}

/* R_QPDHK: once a clock. */
void second_pmu_event(struct second *s, unsigned number)
{
    uint32_t inputs = 0;

    for (unsigned n = 0; n < s->choices.inputs; n++) /* R_MTGKB, R_YCNCR: all numbers exist */
        if ((s->reg.extinsel[n] & EXTINSEL_NUMBER) == number)
            inputs |= 1u << n;
    if (s->running && inputs) {
        s->line[EXTERNAL] |= (uint16_t)inputs;
        s->told = true;
    }
    note_inputs(s, inputs);
}

/* R_YFLJT: none while disabled. R_GYWLS, R_SWBRL: Paused, it waits. */
void second_ete_event(struct second *s, unsigned number)
{
    if (number >= s->choices.events)
        return;
    if (s->running) {
        s->events |= 1u << number;
        s->told = true;
    } else if (s->enabled) {
        s->reg.rsr |= 1u << (RSR_EVENT_AT + number);
        s->deeds[SECOND_EVENT_NOTED]++;
    }
}
