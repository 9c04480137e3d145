/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/feed.h"

#include "pe/pe.h"

/* --- who wants to know --- */

static bool may_record(const struct cairn_pe_registers *registers)
{
    return CAIRN_GETS(registers, BRBCR_EL1, BRBCR_EL1_E0BRE) ||
           CAIRN_GETS(registers, BRBCR_EL1, BRBCR_EL1_E1BRE) ||
           CAIRN_GETS(registers, BRBCR_EL2, BRBCR_EL2_E0HBRE) ||
           CAIRN_GETS(registers, BRBCR_EL2, BRBCR_EL2_E2BRE) ||
           CAIRN_GETS(registers, MDCR_EL3, MDCR_EL3_E3BREC) ||
           CAIRN_GETS(registers, MDCR_EL3, MDCR_EL3_E3BREW);
}

/* Nobody but the trace unit, and perhaps the branch records, looks at what the PE does. */
static bool is_quiet(const struct cairn_pe *pe)
{
    const struct cairn_access_lane *lane = &pe->order.lanes[0];

    return pe->order.lane_count == 1 && lane->kind == CAIRN_LANE_EARLY && !pe->tell &&
           !pe->exports && !pe->feed.alarm && pe->feed.held == CAIRN_PE_HELD_NOTHING &&
           pe->pmu_registers.value[CAIRN_PE_PMCNTENSET_EL0] == 0 &&
           !(pe->has_trbe && CAIRN_GETS(&lane->seen, TRBLIMITR_EL1, TRBLIMITR_E));
}

/* Nor they, at the level where it is. */
static bool records(const struct cairn_pe *pe)
{
    const struct cairn_brbe_side now = cairn_pe_side(pe);

    return pe->has_brbe &&
           (!cairn_brbe_is_prohibited(&pe->features, &now) || pe->brbe.waiting.open);
}

void cairn_pe_attend(struct cairn_pe *pe)
{
    const bool quiet = is_quiet(pe);
    const bool deaf =
        quiet && pe->unit &&
        !(pe->has_brbe && (may_record(&pe->order.lanes[0].seen) || pe->brbe.waiting.open)) &&
        (pe->feed.deaf || !pe->feed.unseen); /* it comes back as it left */

    if (deaf && !pe->feed.deaf) {
        pe->feed.by_return = false;
        pe->feed.back = pe->context;
    }
    pe->feed.deaf = deaf;
    pe->attends = !quiet || records(pe);
}

void cairn_pe_programmed(struct cairn_pe *pe)
{
    pe->exports = pe->unit && (cairn_unit_needs(pe->unit) & CAIRN_UNIT_NEEDS_PMU_EVENTS);
    cairn_pe_export(pe, pe->exports);
    cairn_pe_attend(pe);
}

const bool *cairn_pe_attends(const struct cairn_pe *pe)
{
    return &pe->attends;
}

void cairn_pe_feed_programmed(struct cairn_pe *pe)
{
    cairn_pe_pass_trace(pe, false);
    cairn_pe_programmed(pe);
}

bool cairn_pe_feed_is_timed(const struct cairn_pe *pe)
{
    return pe->pmu_registers.value[CAIRN_PE_PMCNTENSET_EL0] != 0 ||
           (pe->has_brbe && cairn_brbe_counts_cycles(&pe->features, &pe->order.lanes[0].seen));
}

void cairn_pe_feed_tap(struct cairn_pe *pe, cairn_unit_sink *tap, void *context)
{
    pe->tap = tap;
    pe->tap_context = context;
}

void cairn_pe_feed_alarm(struct cairn_pe *pe, uint64_t instructions, void (*alarm)(void *context),
                         void *context)
{
    pe->feed.alarm = alarm;
    pe->feed.alarm_context = context;
    pe->feed.alarm_left = instructions;
}

void cairn_pe_feed_debug(struct cairn_pe *pe)
{
    pe->authentication.TFO = true;
    cairn_pe_follow(pe);
}

/* --- what is held back --- */

static void hold(struct cairn_pe *pe, enum cairn_pe_held held)
{
    pe->feed.held = held;
    pe->feed.moment = cairn_brbe_moment(&pe->brbe);
    pe->feed.has_context = false;
    pe->feed.deaf = false;
    pe->attends = true;
}

/* Whatever led there: another level is one by an exception or a return. */
static void enter(struct cairn_pe *pe, const struct cairn_context *context)
{
    const struct cairn_pe_state before = pe->state;

    pe->state = cairn_pe_state_of(pe, context);
    pe->context = cairn_pe_identified(pe, context);
    if (before.EL != pe->state.EL || before.security != pe->state.security) {
        cairn_pe_cse(pe);
        if (pe->has_brbe)
            cairn_brbe_synchronize(&pe->brbe);
    }
    cairn_pe_follow(pe);
}

/* A return's record, `from` a state that the PE has left already. */
static void record_return(struct cairn_pe *pe, const struct cairn_pe_state *from, uint64_t target)
{
    const struct cairn_brbe_side before = {&pe->order.lanes[0].seen, from};
    const struct cairn_brbe_side now = cairn_pe_side(pe);
    const struct cairn_brbe_return record = {.target = target};

    if (!pe->has_brbe)
        return;
    cairn_brbe_return(&pe->brbe, &before, &now, &record);
    cairn_brbe_synchronize(&pe->brbe);
}

/* The next record has a half of which nobody told where it is. */
static void set_untold(struct cairn_pe *pe, uint32_t half)
{
    pe->brbe.untold_next = (uint16_t)half;
}

/* What is held back led to `address`, in the context that was told since, or in the one before. */
static void lead(struct cairn_pe *pe, uint64_t address)
{
    struct cairn_pe_feed *feed = &pe->feed;
    const enum cairn_pe_held held = feed->held;
    const struct cairn_context to = feed->has_context ? feed->context : pe->context;

    feed->held = CAIRN_PE_HELD_NOTHING;
    feed->has_context = false;
    switch (held) {
    case CAIRN_PE_HELD_NOTHING: return;
    case CAIRN_PE_HELD_EXCEPTION:
        feed->exception.vector = address;
        feed->exception.to = to;
        cairn_pe_excepted(pe, &feed->exception);
        return;
    case CAIRN_PE_HELD_RETURN: cairn_pe_return(pe, address, &to); return;
    case CAIRN_PE_HELD_BACK:
        set_untold(pe, CAIRN_BRANCH_SOURCE_UNKNOWN);
        record_return(pe, &feed->from, address);
        set_untold(pe, 0);
        break;
    case CAIRN_PE_HELD_RESTART:
        if (pe->has_brbe) {
            const struct cairn_brbe_side before = {&pe->order.lanes[0].seen, &feed->from};
            const struct cairn_brbe_side now = cairn_pe_side(pe);

            cairn_brbe_debug_exit(&pe->brbe, &before, &now, address);
        }
        break;
    }
    cairn_pe_follow(pe);
}

/* The same. Cycles that were told since are not in its record. */
static void arrive(struct cairn_pe *pe, uint64_t address)
{
    if (pe->feed.held == CAIRN_PE_HELD_NOTHING)
        return;
    cairn_brbe_back_to(&pe->brbe, &pe->feed.moment);
    lead(pe, address);
    cairn_brbe_up_to_date(&pe->brbe);
}

/* --- what a feed tells --- */

/* The buffer gets what the unit has as soon as it has it: a unit keeps thousands of bytes back for its sink,
 * and triggers and interrupts would be late by as much. */
static void hand_over(struct cairn_pe *pe)
{
    (void)cairn_unit_offer(pe->unit);
    cairn_pe_pass_trace(pe, false);
}

static void count_down(struct cairn_pe_feed *feed, uint32_t instructions)
{
    void (*const alarm)(void *context) = feed->alarm;

    if (feed->alarm_left > 0) {
        feed->alarm_left -= feed->alarm_left < instructions ? feed->alarm_left : instructions;
        return;
    }
    feed->alarm = NULL;
    alarm(feed->alarm_context);
}

void cairn_pe_feed_block(struct cairn_pe *pe, const struct cairn_block *block, bool taken)
{
    arrive(pe, block->address);
    if (pe->feed.alarm)
        count_down(&pe->feed, block->count);
    cairn_pe_execute(pe, block, taken);
    if (pe->has_trbe && pe->unit &&
        CAIRN_GETS(&pe->order.lanes[0].seen, TRBLIMITR_EL1, TRBLIMITR_E))
        hand_over(pe);
    if ((block->flags & CAIRN_INSN_ERET) && taken)
        hold(pe, CAIRN_PE_HELD_RETURN);
}

/* What is unseen may be prohibited besides. */
static void see_whether_closed(struct cairn_pe *pe)
{
    const struct cairn_pe_view view = cairn_pe_view_now(pe);

    if (pe->feed.unseen)
        pe->feed.closed = cairn_pe_trace_prohibited(&view);
}

/* Nobody takes an exception there: no branch is recorded, and what would return from one never does. Where the last one
 * went is not known. The context behind it is told if it is not as before. */
static void reset(struct cairn_pe *pe, uint64_t address, enum cairn_isa isa)
{
    struct cairn_pe_feed *feed = &pe->feed;

    set_untold(pe, CAIRN_BRANCH_TARGET_UNKNOWN);
    arrive(pe, 0);
    cairn_pe_aim(pe, 0);
    set_untold(pe, 0);
    feed->alarm = NULL;
    feed->by_return = false;

    const struct cairn_context context = pe->context;

    cairn_pe_reset_as_told(pe, address, isa);
    enter(pe, &context);
    see_whether_closed(pe);
}

/* Whoever listens. */
static __attribute__((noinline)) void take_exception(struct cairn_pe *pe, unsigned type,
                                                     uint64_t address, enum cairn_isa isa)
{
    if (type == CAIRN_EXCEPTION_PE_RESET) {
        reset(pe, address, isa);
        return;
    }
    arrive(pe, address);
    cairn_pe_except(pe, type, address, isa);
    if (type == CAIRN_EXCEPTION_DEBUG_HALT) {
        pe->feed.exception.address = address; /* for cairn_pe_feed_debug_state */
        return;
    }
    hold(pe, CAIRN_PE_HELD_EXCEPTION);
    pe->feed.exception = (struct cairn_pe_exception){
        .size = sizeof pe->feed.exception, .type = type, .address = address, .isa = isa};
}

/* Each system call of a recorded program comes here, and twice to cairn_pe_feed_prohibit: while only the unit listens they
 * have to cost next to nothing, so that the rest is elsewhere. */
void cairn_pe_feed_exception(struct cairn_pe *pe, unsigned type, uint64_t address,
                             enum cairn_isa isa)
{
    if (!pe->feed.deaf || type == CAIRN_EXCEPTION_PE_RESET) {
        take_exception(pe, type, address, isa);
        return;
    }
    pe->feed.exception.address = address;
    cairn_unit_exception(pe->unit, type, address, isa);
}

void cairn_pe_feed_context(struct cairn_pe *pe, const struct cairn_context *context)
{
    struct cairn_pe_feed *feed = &pe->feed;

    if (pe->unit) {
        const struct cairn_context identified = cairn_pe_identified(pe, context);

        cairn_unit_context(pe->unit, &identified);
        cairn_pe_pass_trace(pe, false);
    }
    if (feed->held == CAIRN_PE_HELD_EXCEPTION || feed->held == CAIRN_PE_HELD_RETURN) {
        feed->context = *context;
        feed->has_context = true;
    } else {
        feed->back = *context;
        enter(pe, context);
        see_whether_closed(pe);
    }
}

/* What is executed is not seen from here on. */
static void leave(struct cairn_pe *pe)
{
    struct cairn_pe_feed *feed = &pe->feed;
    const enum cairn_pe_held held = feed->held;

    if (held == CAIRN_PE_HELD_BACK || held == CAIRN_PE_HELD_RESTART)
        feed->held = CAIRN_PE_HELD_NOTHING; /* nobody knows where to, nor what came behind */
    feed->unseen = true;
    feed->by_return = held == CAIRN_PE_HELD_EXCEPTION;
    feed->back = pe->context;
    if (feed->by_return && !feed->has_context) {
        feed->context = pe->context;
        if (feed->context.EL == 0) {
            feed->context.EL = 1;
            feed->context.SF = 1;
        }
        feed->has_context = true;
    } else if (held == CAIRN_PE_HELD_RETURN && !feed->has_context) {
        feed->context = pe->context;
        feed->context.EL = 0;
        feed->has_context = true;
    } else if (feed->held == CAIRN_PE_HELD_NOTHING) {
        /* Branches that nobody saw: those before them are no longer the last ones (R_PMRRL). */
        const struct cairn_brbe_side now = cairn_pe_side(pe);

        if (pe->has_brbe && !cairn_brbe_is_prohibited(&pe->features, &now)) {
            cairn_brbe_withdraw(&pe->brbe);
            (void)cairn_brbe_invalidate(&pe->brbe, &now);
        }
    }
    set_untold(pe, CAIRN_BRANCH_TARGET_UNKNOWN);
    arrive(pe, 0);
    set_untold(pe, 0);
    cairn_pe_follow(pe);
}

/* And seen again, where it was left unless another context is told. */
static void come_back(struct cairn_pe *pe)
{
    struct cairn_pe_feed *feed = &pe->feed;
    const struct cairn_pe_state from = pe->state;

    feed->unseen = false;
    feed->back = cairn_pe_identified(pe, &feed->back);
    if (pe->unit)
        cairn_unit_context(pe->unit, &feed->back);
    enter(pe, &feed->back);
    if (!feed->by_return)
        return;
    hold(pe, CAIRN_PE_HELD_BACK);
    feed->from = from;
}

static __attribute__((noinline)) void leave_or_come_back(struct cairn_pe *pe, bool leaves)
{
    if (leaves)
        leave(pe);
    else
        come_back(pe);
}

/* While only the unit listens nothing depends on where the PE is meanwhile: what is held of that is as it was when it
 * became so (cairn_pe_attend), or as a context said since. */
void cairn_pe_feed_prohibit(struct cairn_pe *pe, bool prohibited)
{
    struct cairn_pe_feed *feed = &pe->feed;

    if (prohibited == feed->unseen)
        return;
    if (!feed->deaf) {
        leave_or_come_back(pe, prohibited);
        return;
    }
    feed->unseen = prohibited;
    if (prohibited)
        feed->closed = pe->prohibited;
    if (feed->closed)
        return;
    pe->prohibited = prohibited;
    cairn_unit_prohibit(pe->unit, prohibited);
}

void cairn_pe_feed_debug_state(struct cairn_pe *pe, bool debug)
{
    const struct cairn_pe_state before = pe->state;

    if (debug == pe->state.debug)
        return;
    if (debug)
        arrive(pe, pe->feed.exception.address);
    if (pe->unit) {
        cairn_unit_debug_state(pe->unit, debug);
        cairn_pe_pass_trace(pe, false);
    }
    pe->state.debug = debug;
    cairn_pe_synchronize(pe);
    if (!debug) {
        hold(pe, CAIRN_PE_HELD_RESTART);
        pe->feed.from = before;
    } else if (pe->has_brbe) {
        const struct cairn_brbe_side from = {&pe->order.lanes[0].seen, &before};
        const struct cairn_brbe_side now = cairn_pe_side(pe);

        cairn_brbe_debug_entry(&pe->brbe, &from, &now, pe->feed.exception.address);
    }
}

void cairn_pe_feed_halt(struct cairn_pe *pe, uint64_t address, enum cairn_isa isa)
{
    if (!pe->unit)
        return;
    cairn_unit_exception(pe->unit, CAIRN_EXCEPTION_DEBUG_HALT, address, isa);
    cairn_unit_debug_state(pe->unit, true);
    cairn_unit_debug_state(pe->unit, false);
    cairn_pe_pass_trace(pe, false);
}

void cairn_pe_feed_event(struct cairn_pe *pe, unsigned number)
{
    if (!pe->unit)
        return;
    cairn_unit_event(pe->unit, number);
    cairn_pe_pass_trace(pe, false);
}

uint64_t cairn_pe_feed_position(struct cairn_pe *pe)
{
    const uint64_t position = pe->unit ? cairn_unit_position(pe->unit) : 0;

    cairn_pe_pass_trace(pe, false);
    return position;
}

void cairn_pe_feed_end(struct cairn_pe *pe)
{
    /* A branch that is executed is recorded (R_KXTRK), whoever knows where it went. */
    set_untold(pe, CAIRN_BRANCH_TARGET_UNKNOWN);
    cairn_pe_aim(pe, 0);
    set_untold(pe, 0);
    if (pe->feed.held == CAIRN_PE_HELD_NOTHING)
        return;
    leave(pe);
}
