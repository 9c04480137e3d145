/* SPDX-License-Identifier: BSD-2-Clause */
#include "truth.h"

#include <string.h>

#include "entries.h"
#include "view.h"

enum { ITEMS_MAX = 1024 };

/* What a Cancel takes back. */
struct state {
    bool active;         /* TRCVICTLR.SSSTATUS */
    bool ta;             /* TRCRSR.TA */
    bool must;           /* ViewInst was high since the last P0 (R_KHDNX) */
    bool unviewed;       /* ViewInst was low for the youngest block */
    uint8_t was;         /* enum trip_answer: the block before was traced */
    bool expected_known; /* where execution goes on */
    bool fresh;          /* no block since the unit was enabled */
    bool behind_block;   /* nothing was told since the youngest block */
    bool in_transaction;
    bool active_inside; /* `active` just behind TSTART */
    uint8_t expected_isa;
    uint64_t expected;
    uint32_t from;   /* item that begins the transaction, as far as it was seen */
    uint32_t resume; /* op behind TSTART */
};

/* A transaction that was committed. */
struct commit {
    uint32_t from; /* its first item */
    uint32_t behind;
};

struct maker {
    const struct trip_case *trip;
    struct trip_truth *truth;
    struct state state;
    bool enabled;
    bool prohibited;
    bool debug;
    bool low;
    bool speculative;
    bool failed; /* a transaction, and nothing was told since */
    bool fails;  /* a transaction, and that is not resolved */
    bool loose;  /* a Cancel went by since the last P0 element */
    uint32_t inputs;
    uint32_t context; /* index, 0: none yet */
    uint32_t count;
    uint32_t resolved;
    uint32_t barrier; /* items in front of it cannot be taken back */
    uint32_t commit_count;
    uint32_t stops;
    uint64_t time;
    uint64_t cycle;
    bool has_block;       /* the resource clock has one */
    unsigned told_events; /* in it; each occurs once, when it ends */
    struct commit commits[ITEMS_MAX];
    struct state states[ITEMS_MAX]; /* before each item */
    struct trip_item items[ITEMS_MAX];
};

static void refuse(struct maker *m, const char *why)
{
    if (!m->truth->impossible)
        m->truth->impossible = why;
}

static const struct peer_op *op_of(const struct maker *m, uint32_t index)
{
    return trip_op(m->trip->program, index);
}

static const struct peer_op *last_op(const struct maker *m, const struct trip_step *block)
{
    return trip_last_op(m->trip, block);
}

static bool is_p0(const struct maker *m, const struct trip_step *step)
{
    return trip_closes(m->trip, step);
}

static const struct cairn_context *context_now(const struct maker *m)
{
    return &m->truth->contexts[m->context];
}

/* --- steps --- */

static void go_on(struct maker *m, uint64_t address, unsigned isa)
{
    m->state.expected_known = true;
    m->state.expected = isa == CAIRN_ISA_A64 ? address : (uint32_t)address;
    m->state.expected_isa = (uint8_t)isa;
}

/* Where execution goes on behind a block. */
static void follow(struct maker *m, const struct trip_step *block, bool taken)
{
    const struct peer_op *op = last_op(m, block);

    if (taken && op->kind == PEER_OP_DIRECT)
        go_on(m, op_of(m, op->target)->address, op_of(m, op->target)->isa);
    else if (taken && op->kind == PEER_OP_INDIRECT)
        m->state.expected_known = false;
    else
        go_on(m, op->address + op->size, op->isa);
}

static bool is_observed(const struct maker *m)
{
    return m->enabled && !m->prohibited && !m->debug;
}

static void note_time(struct maker *m)
{
    m->truth->times[m->truth->time_count++] = m->time;
}

static struct trip_item *observe(struct maker *m, const struct trip_step *step)
{
    struct trip_item *item = &m->items[m->count];

    if (m->count < ITEMS_MAX - 1)
        m->count++;
    else
        refuse(m, "too many blocks");
    m->states[item - m->items] = m->state;
    *item = (struct trip_item){.step = step,
                               .loose = m->loose,
                               .in_transaction = m->state.in_transaction,
                               .context = m->context,
                               .stops = m->stops,
                               .time = m->time,
                               .cycle = m->cycle};
    /* With the next block come the Exception behind a Cancel (R_KDVTX) and Transaction Start, which
     * is a P0 element where COMMTRANS is 0. */
    if (is_p0(m, step) || m->state.in_transaction || m->loose)
        note_time(m);
    if (is_p0(m, step))
        m->loose = false;
    return item;
}

static void end_observation(struct maker *m)
{
    if (!m->speculative)
        m->resolved = m->count;
}

static void do_block(struct maker *m, const struct trip_step *step)
{
    const struct peer_op *op = op_of(m, step->first);
    struct state *s = &m->state;
    struct trip_item *item;
    bool view;

    if (m->low || m->debug || m->context == 0)
        refuse(m, "a block where none can be");
    if (context_now(m)->SF != (op->isa == CAIRN_ISA_A64))
        refuse(m, "a context of another execution state");
    if (!is_observed(m))
        return;
    item = observe(m, step);
    item->taken = step->on;
    m->state.fresh = false;
    if (s->expected_known && (op->address != s->expected || op->isa != s->expected_isa)) {
        s->must = false;
        s->was = TRIP_NO;
        if (s->in_transaction || m->failed)
            refuse(m, "execution unseen in a transaction");
    }
    m->failed = false;
    view =
        trip_view(&m->trip->options, m->trip->program, step, context_now(m), m->inputs, &s->active);
    item->traced = view || s->must;
    item->unviewed = !view;
    s->unviewed = !view;
    item->announced = (uint8_t)(item->traced ? TRIP_YES - s->was : TRIP_NO);
    s->must = item->traced && !is_p0(m, step);
    s->ta = item->traced;
    s->was = item->traced ? TRIP_YES : TRIP_NO;
    follow(m, step, step->on);
    m->state.behind_block = true;
    end_observation(m);
}

static bool is_forced(const struct maker *m, unsigned type)
{
    return (type == CAIRN_EXCEPTION_SYSTEM_ERROR && m->trip->options.force_errors) ||
           (type == CAIRN_EXCEPTION_PE_RESET && m->trip->options.force_resets);
}

static void do_exception(struct maker *m, const struct trip_step *step)
{
    const struct peer_op *op = op_of(m, step->first);
    struct state *s = &m->state;
    struct trip_item *item;
    bool by_force;

    if (m->low || m->debug || m->context == 0)
        refuse(m, "an exception where none can be");
    if (step->type != CAIRN_EXCEPTION_PE_RESET && context_now(m)->SF != (op->isa == CAIRN_ISA_A64))
        refuse(m, "a context of another execution state");
    if (!is_observed(m))
        return;
    if (m->state.fresh)
        refuse(m, "an exception before any block");
    if (s->in_transaction)
        refuse(m, "an exception in a transaction");
    if (step->type != CAIRN_EXCEPTION_PE_RESET && s->expected_known &&
        (op->address != s->expected || op->isa != s->expected_isa))
        refuse(m, "an exception from elsewhere");
    m->failed = false;
    item = observe(m, step);
    by_force = !s->ta && is_forced(m, step->type);
    item->traced = s->ta || by_force;
    item->unviewed = s->unviewed && !by_force;
    if (item->traced) {
        item->announced = (uint8_t)(TRIP_YES - s->was);
        if (s->was == TRIP_NO)
            s->was = TRIP_MAYBE; /* no block was traced yet, but a Trace On is there */
    }
    s->must = false;
    s->ta = by_force ? (m->trip->options.choices & CAIRN_UNIT_FORCED_SETS_TA) != 0 : item->traced;
    s->expected_known = false;
    end_observation(m);
}

/* The first item behind a mark. */
static uint32_t behind(const struct maker *m, uint32_t id)
{
    uint32_t i = m->count;

    while (i > 0 && m->items[i - 1].step->id >= id)
        i--;
    return i;
}

static void do_resolve(struct maker *m, const struct trip_step *step)
{
    const uint32_t at = behind(m, step->id);

    if (!m->speculative || !m->enabled)
        refuse(m, "a resolve without speculation");
    if (at > m->resolved)
        m->resolved = at;
    if (at >= m->barrier)
        m->fails = false;
}

static void do_cancel(struct maker *m, const struct trip_step *step)
{
    const uint32_t at = behind(m, step->id);

    if (!m->speculative || !m->enabled || at < m->resolved || at < m->barrier)
        refuse(m, "a cancel of what is resolved");
    if (at == m->count)
        return;
    m->state = m->states[at];
    m->count = at;
    while (m->commit_count > 0 && m->commits[m->commit_count - 1].behind > at)
        m->commit_count--;
    for (uint32_t i = at; i > 0 && !is_p0(m, m->items[i - 1].step); i--)
        m->items[i - 1].landed = true;
    m->loose = true;
    m->prohibited = false; /* it was entered by mistake, if at all */
}

static void do_mispredict(struct maker *m)
{
    struct trip_item *item = &m->items[m->count - 1];
    const struct peer_op *op;

    if (m->count == 0 || m->count <= m->barrier || !m->state.behind_block || !m->speculative ||
        !is_observed(m) || item->step->kind != TRIP_BLOCK ||
        (m->resolved == m->count &&
         (m->trip->options.maxspec == 0 || /* Source Addresses and Qs have no Mispredict */
          m->trip->options.q_instructions > 0 ||
          (m->trip->options.choices & CAIRN_UNIT_OMIT_NOT_TAKEN)))) {
        refuse(m, "nothing to mispredict");
        return;
    }
    op = last_op(m, item->step);
    if ((op->kind != PEER_OP_DIRECT && op->kind != PEER_OP_INDIRECT) || (op->flags & PEER_OP_ERET))
        refuse(m, "a mispredict of no branch");
    item->taken = !item->taken;
    m->loose = true;
    item->loose = true;
    follow(m, item->step, item->taken);
}

static void fail_items(struct maker *m)
{
    for (uint32_t i = m->state.from; i < m->count; i++)
        m->items[i].failed = true;
    m->state.from = m->count;
}

static void do_transaction(struct maker *m, const struct trip_step *step)
{
    const struct trip_step *last = m->count ? m->items[m->count - 1].step : NULL;
    const struct peer_op *op = last && last->kind == TRIP_BLOCK ? last_op(m, last) : NULL;
    struct state *s = &m->state;

    if (!is_observed(m))
        return;
    switch ((enum trip_step_kind)step->kind) {
    case TRIP_TRANSACTION_START:
        if (!op || op->kind != TRIP_OP_TSTART || s->in_transaction || m->count <= m->barrier)
            refuse(m, "a transaction without TSTART");
        else
            s->resume = last->first + last->count;
        m->truth->in_order = false;
        s->in_transaction = true;
        s->active_inside = s->active;
        s->from = m->count;
        break;
    case TRIP_TRANSACTION_COMMIT:
        if (!op || op->kind != TRIP_OP_TCOMMIT || !s->in_transaction || m->count <= m->barrier)
            refuse(m, "a commit without TCOMMIT");
        else if (m->commit_count < ITEMS_MAX)
            m->commits[m->commit_count++] = (struct commit){.from = s->from, .behind = m->count};
        s->in_transaction = false;
        break;
    default:
        if (!s->in_transaction)
            refuse(m, "a failure without a transaction");
        if (s->must && !trip_options_view_all(&m->trip->options))
            refuse(m, "a transaction that fails behind a block of which nothing was told");
        fail_items(m);
        s->active = s->active_inside;
        s->in_transaction = false;
        s->must = false;
        m->barrier = m->count;
        m->failed = true;
        m->fails = m->speculative;
        go_on(m, op_of(m, s->resume)->address, op_of(m, s->resume)->isa);
        break;
    }
}

/* Execution that is not traced begins or ends. */
static void leave_out(struct maker *m, bool begins)
{
    if (m->state.in_transaction)
        fail_items(m);
    m->state.must = false;
    if (begins)
        return;
    m->state.was = TRIP_NO;
    m->state.expected_known = false;
    m->barrier = m->count;
    m->failed = false;
}

static void do_debug(struct maker *m, const struct trip_step *step)
{
    const struct trip_step *last = m->count ? m->items[m->count - 1].step : NULL;

    if (m->debug == step->on || !m->enabled || m->prohibited)
        refuse(m, "Debug state where it cannot be");
    if (step->on && (!last || last->kind != TRIP_EXCEPTION ||
                     last->type != CAIRN_EXCEPTION_DEBUG_HALT || m->count <= m->barrier))
        refuse(m, "Debug state without an exception");
    leave_out(m, step->on);
    m->debug = step->on;
}

static void check_outcomes(struct maker *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const struct trip_item *item = &m->items[i];

        if (item->step->kind == TRIP_BLOCK && is_p0(m, item->step) && !item->taken &&
            !item->failed && !(last_op(m, item->step)->flags & PEER_OP_MAY_FALL))
            refuse(m, "an unconditional branch was not taken");
    }
}

static void end_session(struct maker *m)
{
    if (m->state.in_transaction) {
        fail_items(m);
        m->truth->lost = true; /* its end */
    }
    if (m->speculative)
        for (uint32_t i = 0; i < m->commit_count; i++)
            for (uint32_t n = m->commits[i].from;
                 m->commits[i].behind > m->resolved && n < m->commits[i].behind; n++)
                m->items[n].failed = true;
    check_outcomes(m);
    if (m->speculative && m->resolved < m->count &&
        (m->trip->options.start | m->trip->options.stop))
        m->state.fresh = true; /* R_BZSXR: nobody knows whether start and stop points counted */
    if (m->speculative && m->resolved < m->count)
        m->truth->lost = true;
    trip_entries_add(m->truth, m->trip, m->items, m->speculative ? m->resolved : m->count,
                     m->context);
    m->count = m->resolved = m->barrier = m->commit_count = 0;
}

static void do_enable(struct maker *m, bool on)
{
    if (m->enabled == on || m->prohibited || m->debug || m->low)
        refuse(m, "enabled or disabled where it cannot be");
    if (!on) {
        end_session(m);
        m->enabled = false;
        return;
    }
    if (m->state.in_transaction)
        refuse(m, "a transaction that the unit saw nothing of");
    m->enabled = true;
    m->stops++;
    m->fails = false;
    m->state.fresh = true;
    m->failed = false;
    m->loose = false;
    m->speculative = false;
    m->state.must = false;
    m->state.ta = false;
    m->state.was = TRIP_NO;
    m->state.expected_known = false;
}

static void do_prohibit(struct maker *m, const struct trip_step *step)
{
    if (!step->on && !m->prohibited)
        return;
    if (m->prohibited == step->on || !m->enabled || m->debug || m->low)
        refuse(m, "a Trace Prohibited region where it cannot be");
    leave_out(m, step->on);
    m->prohibited = step->on;
}

static void do_event(struct maker *m, const struct trip_step *step)
{
    if (!is_observed(m) || m->low)
        refuse(m, "an event that may be ignored");
    m->told_events |= 1u << step->type;
}

static void end_clock(struct maker *m)
{
    const unsigned events = m->told_events & m->trip->options.events_traced;

    for (unsigned n = 0; n < TRIP_EVENTS; n++) {
        if (!(events >> n & 1))
            continue;
        m->truth->events[m->truth->event_count] = (uint8_t)n;
        m->truth->event_times[m->truth->event_count++] = m->time;
    }
    if (events)
        note_time(m);
    m->told_events = 0;
}

/* A resource clock sees one block, and passes with cycles; where the resources pause, what was told
 * in it occurs at once. */
static void keep_clock(struct maker *m, const struct trip_step *step)
{
    switch ((enum trip_step_kind)step->kind) {
    case TRIP_BLOCK:
        if (m->has_block)
            end_clock(m);
        m->has_block = true;
        break;
    case TRIP_CYCLES:
        if (step->value == 0)
            break;
        end_clock(m);
        m->has_block = false;
        break;
    case TRIP_DISABLE: end_clock(m); break;
    case TRIP_PROHIBIT:
    case TRIP_LOW_POWER:
        if (step->on)
            end_clock(m);
        break;
    default: break;
    }
}

static void do_step(struct maker *m, const struct trip_step *step)
{
    keep_clock(m, step);
    switch ((enum trip_step_kind)step->kind) {
    case TRIP_ENABLE: do_enable(m, true); break;
    case TRIP_DISABLE: do_enable(m, false); break;
    case TRIP_CONTEXT:
        m->state.behind_block = false;
        m->truth->contexts[++m->context] = step->context;
        if (!m->trip->options.context_ids)
            m->truth->contexts[m->context].context_id = 0;
        if (!m->trip->options.vmids)
            m->truth->contexts[m->context].vmid = 0;
        break;
    case TRIP_BLOCK: do_block(m, step); break;
    case TRIP_EXCEPTION: do_exception(m, step); break;
    case TRIP_PROHIBIT: do_prohibit(m, step); break;
    case TRIP_DEBUG: do_debug(m, step); break;
    case TRIP_LOW_POWER:
        if (m->low == step->on || !is_observed(m))
            refuse(m, "low power where it cannot be");
        m->low = step->on;
        break;
    case TRIP_CYCLES: m->cycle += step->value; break;
    case TRIP_TIME:
        if (step->value < m->time)
            refuse(m, "time runs back");
        m->time = step->value;
        break;
    case TRIP_INPUTS: m->inputs = step->type; break;
    case TRIP_EVENT: do_event(m, step); break;
    case TRIP_SPECULATE:
        if (!is_observed(m))
            refuse(m, "speculation that begins unseen");
        if (m->speculative == step->on)
            break;
        m->speculative = step->on;
        m->fails = false;
        m->resolved = m->count;
        m->truth->in_order = false;
        break;
    case TRIP_RESOLVE: do_resolve(m, step); break;
    case TRIP_CANCEL: do_cancel(m, step); break;
    case TRIP_MISPREDICT: do_mispredict(m); break;
    case TRIP_TRANSACTION_START:
    case TRIP_TRANSACTION_COMMIT:
    case TRIP_TRANSACTION_FAIL: do_transaction(m, step); break;
    case TRIP_SYNCHRONIZE: m->state.behind_block = false; break;
    case TRIP_CLOCK_STOPPED: m->stops++; break;
    case TRIP_REQUEST_SYNC:
    case TRIP_FLUSH:
    case TRIP_POSITION:
    case TRIP_STEP_KINDS: break;
    }
}

void trip_truth_make(struct trip_truth *truth, const struct trip_case *trip)
{
    static _Thread_local struct maker m;

    memset(&m, 0, offsetof(struct maker, commits));
    m.trip = trip;
    m.truth = truth;
    m.state.active = trip->options.active;
    truth->impossible = NULL;
    truth->lost = false;
    truth->in_order = trip->options.q == 0 && !(trip->options.choices & CAIRN_UNIT_OMIT_NOT_TAKEN);
    truth->count = truth->event_count = truth->time_count = 0;
    memset(&truth->contexts[0], 0, sizeof truth->contexts[0]);
    for (uint32_t i = 0; i < trip->count && !truth->impossible; i++)
        do_step(&m, &trip->steps[i]);
    if (m.enabled && (m.prohibited || m.debug || m.low || m.state.in_transaction || m.fails ||
                      trip->steps[trip->count - 1].kind != TRIP_FLUSH))
        refuse(&m, "no end");
    if (m.enabled)
        end_session(&m);
    truth->context_count = m.context + 1;
    truth->cycles = m.cycle;
    trip_entries_finish(truth, &trip->options);
}
