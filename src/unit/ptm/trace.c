/* SPDX-License-Identifier: BSD-2-Clause */
/* Waypoints -> elements (IHI0035 chapters 2, 4 and 5). */
#include "unit/ptm/core.h"

#define INFO_CC 0x01u
#define DEBUG_EXIT 1u /* of Trace On: protocol/ptm/encode.c */

/* Exception numbers of packets (4.5.4). */
enum {
    NUMBER_DEBUG = 0x1,
    NUMBER_SMC = 0x2,
    NUMBER_HYP = 0x3,
    NUMBER_ASYNCHRONOUS = 0x4,
    NUMBER_THUMBEE_CHECK = 0x5,
    NUMBER_RESET = 0x8,
    NUMBER_UNDEFINED = 0x9,
    NUMBER_SVC = 0xa,
    NUMBER_PREFETCH = 0xb,
    NUMBER_DATA = 0xc,
    NUMBER_GENERIC = 0xd,
    NUMBER_IRQ = 0xe,
    NUMBER_FIQ = 0xf,
};

static const struct cairn_element_data nothing;

static void put(struct cairn_ptm_unit *unit, unsigned kind, unsigned flags,
                const struct cairn_element_data *data)
{
    cairn_unit_pipe_put(&unit->pipe, kind, (uint16_t)flags, data);
}

static void put_place(struct cairn_ptm_unit *unit, unsigned kind, unsigned flags,
                      struct cairn_ptm_place place)
{
    put(unit, kind, flags,
        &(struct cairn_element_data){.address = place.address,
                                     .sub_isa = cairn_ptm_sub_isa(place.isa)});
}

static void put_update(struct cairn_ptm_unit *unit, uint64_t address, uint8_t isa)
{
    put_place(unit, CAIRN_ELEMENT_WAYPOINT_UPDATE, 0,
              (struct cairn_ptm_place){.address = address & UINT32_MAX, .isa = isa});
}

/* --- context --- */

static bool is_hyp(const struct cairn_context *context)
{
    return context->EL == CAIRN_PTM_HYP;
}

/* Security or Hyp mode changed: what no atom can lead into. */
static bool changes_state(const struct cairn_ptm_unit *unit, const struct cairn_context *context)
{
    return (context->security == CAIRN_SECURE) != (unit->told.security == CAIRN_SECURE) ||
           is_hyp(context) != is_hyp(&unit->told);
}

static bool changes_identifiers(const struct cairn_ptm_unit *unit,
                                const struct cairn_context *context)
{
    return ((context->context_id ^ unit->told.context_id) & unit->context_mask) != 0 ||
           (unit->traces_vmid && context->vmid != unit->told.vmid);
}

static void put_context(struct cairn_ptm_unit *unit, const struct cairn_context *context)
{
    unit->told = *context;
    put(unit, CAIRN_ELEMENT_CONTEXT, 0, &(struct cairn_element_data){.context = *context});
}

/* Identifiers that changed since the last waypoint (4.5.7). Security and mode need a branch. */
static void put_identifiers(struct cairn_ptm_unit *unit)
{
    struct cairn_context context = unit->context;

    if (!changes_identifiers(unit, &context))
        return;
    context.EL = unit->told.EL;
    context.security = unit->told.security;
    put_context(unit, &context);
}

/* --- time --- */

static void put_count(struct cairn_ptm_unit *unit, uint64_t clock)
{
    const uint64_t cycles = clock - unit->counted_at;
    const bool known = cycles < CAIRN_PTM_OVERFLOW;

    if (!unit->counts)
        return;
    unit->counted_at = clock;
    unit->time_wanted |= !known; /* 4.14 */
    put(unit, CAIRN_ELEMENT_CYCLE_COUNT, known ? 0 : CAIRN_ELEMENT_UNKNOWN,
        &(struct cairn_element_data){.value = known ? cycles : 0});
}

static void put_time(struct cairn_ptm_unit *unit, uint64_t time, uint32_t cycles)
{
    if (unit->timestamps)
        put(unit, CAIRN_ELEMENT_TIMESTAMP, time == 0 ? CAIRN_ELEMENT_UNKNOWN : 0,
            &(struct cairn_element_data){.value = time, .cycles = cycles});
    unit->time_wanted = false;
}

/* Behind a waypoint that happened then. */
static void serve_time(struct cairn_ptm_unit *unit, uint64_t time)
{
    unit->traced_time = time;
    if (unit->time_wanted)
        put_time(unit, time, 0);
}

/* In PFT 1.0 it is the time of the packet, and its count what passed since the last one (4.14). */
void cairn_ptm_put_time_off(struct cairn_ptm_unit *unit)
{
    const uint64_t cycles = unit->clock - unit->counted_at;

    if (unit->is_1_1) {
        put_time(unit, unit->traced_time, 0);
        return;
    }
    if (unit->timestamps && unit->counts)
        unit->counted_at = unit->clock;
    put_time(unit, unit->time, cycles < CAIRN_PTM_OVERFLOW ? (uint32_t)cycles : CAIRN_PTM_OVERFLOW);
}

/* --- synchronisation --- */

void cairn_ptm_put_alignment(struct cairn_ptm_unit *unit)
{
    put(unit, CAIRN_ELEMENT_A_SYNC, 0, &nothing);
    unit->counters.syncs++;
    unit->sync_wanted = false;
    unit->time_wanted = true; /* T-sync */
    unit->sync_at = unit->sync_period > 0
                        ? cairn_unit_pipe_generated(&unit->pipe) + unit->sync_period
                        : UINT64_MAX;
}

/* An I-sync at the start of the run. */
static void put_sync(struct cairn_ptm_unit *unit, unsigned reason)
{
    const struct cairn_element_data on = {.value = reason == CAIRN_PTM_DEBUG_EXIT ? DEBUG_EXIT : 0};
    const bool periodic = reason == CAIRN_PTM_PERIODIC;

    put(unit, CAIRN_ELEMENT_TRACE_INFO, 0,
        &(struct cairn_element_data){.info = unit->counts ? INFO_CC : 0});
    if (reason == CAIRN_PTM_AFTER_OVERFLOW)
        put(unit, CAIRN_ELEMENT_OVERFLOW, 0, &nothing);
    if (!periodic)
        put(unit, CAIRN_ELEMENT_TRACE_ON, 0, &on);
    put_context(unit, &unit->run.context);
    put_place(unit, CAIRN_ELEMENT_TARGET_ADDRESS, periodic ? CAIRN_ELEMENT_CHECK : 0,
              unit->run.start);
    if (!periodic)
        put_count(unit, unit->run.clock);
    cairn_unit_returns_clear(&unit->returns); /* 4.13 */
    serve_time(unit, unit->run.time);
    unit->fresh = unit->pipe.elements;
    unit->tracing = true;
    unit->time_off = true;
}

/* What has to come before anything of the run (4.11). */
static void introduce(struct cairn_ptm_unit *unit)
{
    unsigned reason = unit->reason;

    if (unit->tracing && cairn_unit_pipe_generated(&unit->pipe) >= unit->sync_at)
        unit->sync_wanted = true;
    if (unit->sync_wanted)
        cairn_ptm_put_alignment(unit);
    else if (unit->tracing)
        return;
    if (unit->tracing)
        reason = CAIRN_PTM_PERIODIC;
    else if (unit->overflowed && reason != CAIRN_PTM_DEBUG_EXIT)
        reason = CAIRN_PTM_AFTER_OVERFLOW;
    unit->overflowed = false;
    unit->reason = CAIRN_PTM_TRACE_ON;
    put_sync(unit, reason);
}

/* --- what of a run is traced --- */

void cairn_ptm_overflow(struct cairn_ptm_unit *unit)
{
    cairn_unit_pipe_pack(&unit->pipe);
    unit->counters.overflows++;
    unit->overflowed = true;
    unit->tracing = false;
}

bool cairn_ptm_stalls(const struct cairn_ptm_unit *unit)
{
    return unit->enabled && !unit->overflowed && !cairn_ptm_is_unseen(unit) &&
           (unit->registers.values[CAIRN_ETM_ETMCR] & CAIRN_ETMCR_STALL) &&
           cairn_unit_pipe_lacks_room(&unit->pipe) && cairn_unit_taker_may_wait(&unit->pipe.taker);
}

static bool has_room(struct cairn_ptm_unit *unit)
{
    if (unit->overflowed && !cairn_unit_pipe_is_empty(&unit->pipe))
        return false;
    if (unit->overflowed) {
        cairn_ptm_put_owed_trigger(unit);
        return true;
    }
    if (cairn_unit_pipe_has_room(&unit->pipe))
        return true;
    if ((unit->registers.values[CAIRN_ETM_ETMCR] & CAIRN_ETMCR_STALL) &&
        cairn_unit_pipe_wait(&unit->pipe))
        return true;
    cairn_ptm_overflow(unit);
    return false;
}

/* For whoever asks. */
static void see_run(struct cairn_ptm_unit *unit, bool traced, uint32_t why)
{
    const struct cairn_ptm_run *run = &unit->run;
    const struct cairn_unit_seen seen = {
        .size = sizeof seen,
        .address = run->start.address,
        .end = run->last + run->last_size,
        .instructions = run->instructions,
        .isa = run->start.isa,
        .context = run->context,
    };

    if (unit->base.sight.observe && !run->empty)
        cairn_unit_see(&unit->base.sight, seen, traced, why);
}

/* The run has ended: whether its end is traced, and if so all that comes before it is out. */
static bool begin_waypoint(struct cairn_ptm_unit *unit)
{
    const bool enabled = cairn_ptm_see_waypoint(unit);
    const bool waits = unit->sleeps && !unit->tracing; /* a wait does not begin trace (4.9) */

    if (!enabled || waits) {
        see_run(unit, false,
                (enabled ? 0 : unit->resources.low) | (waits ? CAIRN_UNIT_WHY_WAITING : 0));
        unit->tracing = false;
        return false;
    }
    if (!has_room(unit)) {
        see_run(unit, false, CAIRN_UNIT_WHY_OVERFLOW);
        return false;
    }
    see_run(unit, true, 0);
    introduce(unit);
    unit->counters.traced += unit->run.instructions;
    return true;
}

/* --- waypoints --- */

void cairn_ptm_begin_run(struct cairn_ptm_unit *unit, struct cairn_ptm_place place, uint64_t clock,
                         uint64_t time)
{
    unit->run = (struct cairn_ptm_run){.begun = true,
                                       .empty = true,
                                       .start = place,
                                       .context = unit->context,
                                       .clock = clock,
                                       .time = time};
}

/* A context that was told since the waypoint is what it led into: nothing ran before the change. */
void cairn_ptm_start_run(struct cairn_ptm_unit *unit)
{
    unit->run.context = unit->context;
    if (unit->tracing)
        put_identifiers(unit);
}

/* What tells the return stack's entries apart besides the address: the last bit is the security
 * state, as a decoder knows it. */
static uint8_t state_of(const struct cairn_ptm_unit *unit, struct cairn_ptm_place place)
{
    return (uint8_t)(cairn_ptm_sub_isa(place.isa) << 1 | (unit->told.security == CAIRN_SECURE));
}

/* 4.13: what a decoder pushes as well. Where the branch was in a state that was not told before its
 * own packet, a decoder pushes the wrong one. */
static void push_return(struct cairn_ptm_unit *unit, uint32_t flags, struct cairn_ptm_place behind,
                        bool hides)
{
    if (!(flags & CAIRN_INSN_LINK) || unit->return_limit == 0)
        return;
    if (hides)
        cairn_unit_returns_clear(&unit->returns);
    else
        cairn_unit_returns_push(&unit->returns, unit->return_limit, behind.address,
                                state_of(unit, behind));
}

/* An indirect branch to the return address of the last call. */
static bool matches(struct cairn_ptm_unit *unit, struct cairn_ptm_place place)
{
    if (unit->return_limit == 0 || (unit->waiting.flags & CAIRN_INSN_ERET) || unit->broadcasts ||
        changes_state(unit, &unit->context))
        return false;
    return cairn_unit_returns_match(&unit->returns, place.address, state_of(unit, place));
}

static void put_atom(struct cairn_ptm_unit *unit, bool taken, unsigned flags)
{
    if (taken)
        flags |= CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
    put(unit, CAIRN_ELEMENT_ATOM, flags, &nothing);
}

/* The rest of a branch packet. */
static void put_target(struct cairn_ptm_unit *unit, struct cairn_ptm_place place)
{
    if (changes_state(unit, &unit->context) || changes_identifiers(unit, &unit->context))
        put_context(unit, &unit->context);
    put_place(unit, CAIRN_ELEMENT_TARGET_ADDRESS, 0, place);
}

/* 4.10. Thumb may name any halfword of the instruction before. */
static void put_long_run(struct cairn_ptm_unit *unit)
{
    const struct cairn_ptm_run *run = &unit->run;

    if (run->last + run->last_size - run->start.address > CAIRN_PTM_RUN_BYTES)
        put_update(unit, run->last - (cairn_ptm_is_thumb(run->last_isa) ? 2 : 4), run->last_isa);
}

void cairn_ptm_trace_block(struct cairn_ptm_unit *unit, const struct cairn_block *block, bool taken)
{
    const struct cairn_ptm_place behind = {.address = (block->address + block->size) & UINT32_MAX,
                                           .isa = block->isa};
    const bool direct = block->kind != CAIRN_INSN_BRANCH_INDIRECT;
    const bool traced = begin_waypoint(unit);
    const bool hides = changes_state(unit, &unit->context);

    if (traced)
        put_long_run(unit);
    if (!direct && taken) {
        unit->waiting = (struct cairn_ptm_waypoint){.wait = CAIRN_PTM_WAIT_BRANCH,
                                                    .traced = traced,
                                                    .hides = hides,
                                                    .flags = block->flags,
                                                    .behind = behind,
                                                    .clock = unit->clock,
                                                    .time = unit->time};
        return;
    }
    if (traced) {
        const bool branches = taken && block->kind == CAIRN_INSN_BRANCH_DIRECT;

        if (branches && (unit->broadcasts || hides)) {
            put_atom(unit, true, CAIRN_ELEMENT_ADDRESSED);
            put_target(unit, unit->next);
        } else {
            put_atom(unit, taken, 0);
        }
        put_count(unit, unit->clock);
        if (branches)
            push_return(unit, block->flags, behind, hides);
        put_identifiers(unit);
        unit->time_wanted |= block->kind == CAIRN_INSN_ISB ||
                             (block->kind == CAIRN_INSN_BARRIER && unit->barriers_timed);
        serve_time(unit, unit->time);
    }
    cairn_ptm_begin_run(unit, unit->next, unit->clock, unit->time);
}

/* --- what waited --- */

/* Which exception led from the last context into this one. */
static unsigned number_of(const struct cairn_ptm_unit *unit, const struct cairn_context *context)
{
    const bool enters_hyp = is_hyp(context) && !is_hyp(&unit->told);

    switch (unit->waiting.type) {
    case CAIRN_EXCEPTION_PE_RESET: return NUMBER_RESET;
    case CAIRN_EXCEPTION_DEBUG_HALT: return NUMBER_DEBUG;
    case CAIRN_EXCEPTION_SYSTEM_ERROR: return enters_hyp ? NUMBER_HYP : NUMBER_ASYNCHRONOUS;
    case CAIRN_EXCEPTION_THUMBEE_CHECK: return NUMBER_THUMBEE_CHECK;
    case CAIRN_EXCEPTION_IRQ: return NUMBER_IRQ;
    case CAIRN_EXCEPTION_FIQ: return NUMBER_FIQ;
    default: break;
    }
    if (enters_hyp)
        return NUMBER_HYP;
    switch (unit->waiting.type) {
    case CAIRN_EXCEPTION_CALL:
        /* An SVC stays in its security state, where Secure privileged modes may be at EL3. */
        return !unit->waiting.from_secure && context->security == CAIRN_SECURE ? NUMBER_SMC
                                                                               : NUMBER_SVC;
    case CAIRN_EXCEPTION_TRAP: return NUMBER_UNDEFINED;
    case CAIRN_EXCEPTION_INST_DEBUG:
    case CAIRN_EXCEPTION_INST_FAULT: return NUMBER_PREFETCH;
    case CAIRN_EXCEPTION_DATA_DEBUG:
    case CAIRN_EXCEPTION_ALIGNMENT:
    case CAIRN_EXCEPTION_DATA_FAULT: return NUMBER_DATA;
    default: return NUMBER_GENERIC;
    }
}

/* Chapter 5: instructions since the last waypoint are told by an update; an undefined one is named
 * by it, although it did not execute; what was executed before a reset is not known. */
static void put_exception_update(struct cairn_ptm_unit *unit, unsigned number)
{
    const struct cairn_ptm_place back = unit->waiting.behind;

    if (number == NUMBER_UNDEFINED)
        put_update(unit, back.address, back.isa);
    else if (!unit->run.empty && number != NUMBER_RESET)
        put_update(unit, unit->run.last, unit->run.last_isa);
}

static void put_exception(struct cairn_ptm_unit *unit, const struct cairn_context *context)
{
    const unsigned number = number_of(unit, context);

    put_exception_update(unit, number);
    put(unit, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_HERE,
        &(struct cairn_element_data){.value = number});
    unit->counters.exceptions++;
}

/* Behind the packet of what waited. */
static void finish_waypoint(struct cairn_ptm_unit *unit)
{
    const bool returns = (unit->waiting.flags & CAIRN_INSN_ERET) != 0;

    put_count(unit, unit->waiting.clock);
    if (returns && unit->is_1_1)
        put(unit, CAIRN_ELEMENT_EXCEPTION_RETURN, 0, &nothing);
    if (unit->is_1_1) /* 4.14 */
        unit->time_wanted |= returns || unit->waiting.wait == CAIRN_PTM_WAIT_EXCEPTION;
    serve_time(unit, unit->waiting.time);
}

void cairn_ptm_reach(struct cairn_ptm_unit *unit, struct cairn_ptm_place place)
{
    const struct cairn_ptm_waypoint *waiting = &unit->waiting;

    if (waiting->traced) {
        if (waiting->wait == CAIRN_PTM_WAIT_EXCEPTION) {
            put_exception(unit, &unit->context);
            put_target(unit, place);
        } else {
            if (matches(unit, place)) {
                put_atom(unit, true, 0);
            } else {
                put_atom(unit, true, CAIRN_ELEMENT_ADDRESSED);
                put_target(unit, place);
            }
            push_return(unit, waiting->flags, waiting->behind, waiting->hides);
        }
        finish_waypoint(unit);
        put_identifiers(unit);
    }
    cairn_ptm_begin_run(unit, place, waiting->clock, waiting->time);
    unit->waiting.wait = CAIRN_PTM_WAIT_NOTHING;
}

/* A packet whose address means nothing: Debug state, or nothing to be traced there (4.7, 5.3.8). */
static void put_no_target(struct cairn_ptm_unit *unit, const struct cairn_context *context)
{
    if (context)
        put_context(unit, context);
    put(unit, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN, &nothing);
    finish_waypoint(unit);
    unit->waiting.wait = CAIRN_PTM_WAIT_NOTHING;
    unit->run.begun = false;
}

void cairn_ptm_leave(struct cairn_ptm_unit *unit)
{
    struct cairn_context secure = unit->told;

    secure.security = CAIRN_SECURE;
    secure.EL = 0;
    if (!unit->waiting.traced)
        return;
    if (unit->waiting.wait == CAIRN_PTM_WAIT_EXCEPTION) {
        put_exception(unit, &unit->context);
        put_no_target(unit, &secure);
    } else if (unit->waiting.wait == CAIRN_PTM_WAIT_BRANCH && unit->told.security != CAIRN_SECURE) {
        put_atom(unit, true, CAIRN_ELEMENT_ADDRESSED);
        put_no_target(unit, &secure);
    }
}

/* --- exceptions --- */

void cairn_ptm_trace_exception(struct cairn_ptm_unit *unit, unsigned type,
                               struct cairn_ptm_place place)
{
    const bool traced = begin_waypoint(unit);

    unit->waiting =
        (struct cairn_ptm_waypoint){.wait = CAIRN_PTM_WAIT_EXCEPTION,
                                    .traced = traced,
                                    .from_secure = unit->context.security == CAIRN_SECURE,
                                    .type = type,
                                    .behind = place,
                                    .clock = unit->clock,
                                    .time = unit->time};
    if (traced && type == CAIRN_EXCEPTION_DEBUG_HALT) {
        put_exception(unit, &unit->context);
        put_no_target(unit, NULL);
    }
}

void cairn_ptm_break(struct cairn_ptm_unit *unit, unsigned reason)
{
    const struct cairn_ptm_waypoint *waiting = &unit->waiting;

    /* A waypoint that waits was seen; its outcome was not. */
    if (waiting->wait == CAIRN_PTM_WAIT_BRANCH && waiting->traced)
        put_update(unit, unit->run.last, unit->run.last_isa);
    else if (waiting->wait == CAIRN_PTM_WAIT_EXCEPTION && waiting->traced)
        put_exception_update(unit, number_of(unit, &unit->context));
    else if (waiting->wait == CAIRN_PTM_WAIT_NOTHING && unit->run.begun && !unit->run.empty &&
             begin_waypoint(unit))
        put_update(unit, unit->run.last, unit->run.last_isa);
    unit->waiting.wait = CAIRN_PTM_WAIT_NOTHING;
    unit->run.begun = false;
    unit->tracing = false;
    unit->reason = (uint8_t)reason;
}
