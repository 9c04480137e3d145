/* SPDX-License-Identifier: BSD-2-Clause */
/* What one element executes: DDI0608 D9.5.4 (Atom), D9.5.6 (Exception), D9.5.7 (Source Address);
 * IHI0035 4.5.5 (Waypoint update). */
#include "flow/walk.h"

enum { THUMB_WIDE = 4 };

#define TOP_BYTE (UINT64_C(0xff) << 56)

static void tell_undefined(struct cairn_flow *flow, uint64_t address)
{
    if (flow->undefined_at == address)
        return;
    flow->undefined_at = address;
    cairn_follow_warn(flow, CAIRN_WARNING_UNDEFINED, address);
}

void cairn_follow_past_undefined(struct cairn_flow *flow)
{
    if (flow->undefined_pending)
        tell_undefined(flow, flow->undefined_last);
    flow->undefined_pending = false;
}

struct cairn_record *cairn_walk_give_range(struct cairn_flow *flow, const struct cairn_walk *w)
{
    struct cairn_record *record;

    flow->instructions_left -= w->count;
    flow->half = false;
    if (w->count == 0)
        return NULL;
    record = cairn_follow_record(flow, CAIRN_FLOW_RANGE);
    record->isa = (uint8_t)w->isa;
    record->address = w->start;
    record->value = w->next;
    record->instructions = w->count;
    if (flow->from == CAIRN_FROM_STACK)
        record->flags |= CAIRN_FLOW_INFERRED;
    if (flow->discontinuity)
        record->flags |= CAIRN_FLOW_DISCONTINUITY;
    if (flow->element_flags & CAIRN_ELEMENT_TRANSACTIONAL)
        record->flags |= CAIRN_FLOW_TRANSACTION;
    if (flow->element_flags & CAIRN_ELEMENT_APPROXIMATE)
        record->flags |= CAIRN_FLOW_IMPRECISE;
    flow->discontinuity = false;
    if (w->undefined && w->undefined_at == w->last && flow->config->rules.undefined[0] != 0) {
        flow->undefined_pending = true;
        flow->undefined_last = w->undefined_at;
    } else if (w->undefined) {
        tell_undefined(flow, w->undefined_at);
    }
    return record;
}

void cairn_walk_give_up(struct cairn_flow *flow, enum cairn_stop stop, const struct cairn_walk *w)
{
    cairn_follow_lose_for(flow, stop == CAIRN_STOP_MEMORY ? CAIRN_GAP_NO_IMAGE : CAIRN_GAP_LIMIT,
                          w->next);
    flow->task = CAIRN_TASK_NONE;
}

void cairn_walk_go_on_at(struct cairn_flow *flow, uint64_t address)
{
    flow->address = address;
    flow->from = CAIRN_FROM_OPCODE;
}

/* Pushes the return address of a call. False: it pops its target first, and there is none. */
static bool push(struct cairn_flow *flow, const struct cairn_walk *w, bool taken)
{
    const struct cairn_follow_rules *rules = &flow->config->rules;
    const uint8_t sub_isa = cairn_walk_sub_isa(w->isa);
    struct cairn_return_entry target;

    if (!rules->pop_first || !rules->return_stack || !taken ||
        w->insn.kind != CAIRN_INSN_BRANCH_INDIRECT ||
        (flow->element_flags & CAIRN_ELEMENT_ADDRESSED)) {
        cairn_return_stack_push(&flow->stack, w->next, sub_isa);
        return true;
    }
    /* What is popped at the next P0 element, as behind every indirect branch, has to be what was on
     * the stack before the call. */
    const bool found = cairn_return_stack_pop(&flow->stack, &target);

    cairn_return_stack_push(&flow->stack, w->next, sub_isa);
    if (!found)
        return false;
    if (target.stale)
        cairn_follow_warn(flow, CAIRN_WARNING_STALE_RETURN, target.address);
    cairn_return_stack_push(&flow->stack, target.address, target.sub_isa);
    return true;
}

/* What executing the P0 instruction at the end of the walk does (D9.5.18.3). `initial` is the
 * status that a Branch with Link is pushed for, before any Mispredict (D9.5.3). */
static void execute(struct cairn_flow *flow, const struct cairn_walk *w,
                    struct cairn_record *record, bool taken, bool initial)
{
    const struct cairn_insn *insn = &w->insn;
    const struct cairn_follow_rules *rules = &flow->config->rules;
    bool found = true;

    record->flags |= CAIRN_FLOW_P0;
    if (initial && (insn->flags & CAIRN_INSN_LINK))
        found = push(flow, w, taken);
    cairn_walk_go_on_at(flow, w->next);
    if (!taken) {
        if ((insn->flags & CAIRN_INSN_NEVER_N) && !rules->every_instruction)
            cairn_follow_warn(flow, CAIRN_WARNING_RESERVED_N, w->last);
        return;
    }
    record->flags |= CAIRN_FLOW_TAKEN;
    if (!cairn_walk_is_branch(insn))
        return;
    if (insn->flags & CAIRN_INSN_LINK)
        record->flags |= CAIRN_FLOW_LINK;
    if (insn->flags & CAIRN_INSN_RETURN)
        record->flags |= CAIRN_FLOW_RETURN;
    if (cairn_walk_leaves(insn)) {
        cairn_follow_lose_address(flow);
        flow->lost = CAIRN_GAP_NOT_DECODED;
        return;
    }
    if (insn->kind == CAIRN_INSN_BRANCH_DIRECT) {
        cairn_walk_go_on_at(flow, cairn_walk_wrap(flow, insn->target));
        flow->sub_isa = cairn_walk_sub_isa((enum cairn_isa)insn->target_isa);
        return;
    }
    flow->address_known = false;
    flow->awaiting_target = true;
    if ((insn->flags & CAIRN_INSN_ERET) && !rules->return_packets)
        cairn_follow_record(flow, CAIRN_FLOW_EXCEPTION_RETURN)->address = w->last;
    if (!found)
        cairn_follow_lose_for(flow, CAIRN_GAP_RETURN_STACK, w->last);
}

/* The first half of a 32-bit Thumb instruction decides nothing, and is told with the second. */
static bool is_first_half(const struct cairn_flow *flow, const struct cairn_walk *w)
{
    return flow->config->rules.thumb_halves && !flow->half && w->isa == CAIRN_ISA_T32 &&
           w->insn.size == THUMB_WIDE;
}

static void walk_atom(struct cairn_flow *flow)
{
    const bool taken = (flow->element_flags & CAIRN_ELEMENT_E) != 0;
    const bool initial = (flow->element_flags & CAIRN_ELEMENT_INITIAL_E) != 0;
    struct cairn_walk w;
    const enum cairn_stop stop = cairn_walk_to_p0(flow, &w);

    flow->task = CAIRN_TASK_NONE;
    if (stop == CAIRN_STOP_P0 && is_first_half(flow, &w)) {
        cairn_walk_go_on_at(flow, flow->address);
        flow->half = true;
        cairn_follow_pins_lost(flow);
        return;
    }
    struct cairn_record *record = stop == CAIRN_STOP_LIMIT ? NULL : cairn_walk_give_range(flow, &w);

    if (stop != CAIRN_STOP_P0) {
        cairn_walk_give_up(flow, stop, &w);
        cairn_follow_pins_lost(flow);
        return;
    }
    execute(flow, &w, record, taken, initial);
    if (taken && flow->config->rules.every_instruction &&
        cairn_data_has(&flow->config->rules, &flow->config->arch, w.isa, &w.insn))
        record->flags |= CAIRN_FLOW_TRANSFER;
    if (!cairn_follow_pins_executed(flow, &w))
        cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, w.last);
    if ((flow->element_flags & CAIRN_ELEMENT_UNCERTAIN) &&
        (w.insn.kind == CAIRN_INSN_BRANCH_INDIRECT || (w.insn.flags & CAIRN_INSN_CONDITIONAL) ||
         flow->config->rules.every_instruction))
        cairn_follow_warn(flow, CAIRN_WARNING_UNCERTAIN, w.last);
}

/* The return address, with the top byte of where execution is: a branch target may have been masked
 * there while the return address is not (D6.9.13). */
static uint64_t end_of_exception(const struct cairn_flow *flow)
{
    if (!flow->context.SF)
        return cairn_walk_wrap(flow, flow->element.address);
    return (flow->element.address & ~TOP_BYTE) | (flow->address & TOP_BYTE);
}

/* True when the element in hand may give one more range. If not, the rest is a gap. */
static bool may_go_on(struct cairn_flow *flow)
{
    if (flow->ranges_left > 0) {
        flow->ranges_left--;
        return true;
    }
    cairn_follow_lose_for(flow, CAIRN_GAP_LIMIT, flow->address);
    return false;
}

/* A branch that is certainly taken: with `any_source` the trace would have told it. */
static bool cannot_pass(const struct cairn_flow *flow, const struct cairn_walk *w)
{
    return flow->config->rules.any_source && w->always && cairn_walk_is_branch(&w->insn);
}

/* Whether the walk in hand leads to where it has to. With `any_source` each step finds out for
 * itself. */
static bool is_planned(struct cairn_flow *flow, uint64_t end, bool source)
{
    if (!flow->planned && !flow->config->rules.any_source) {
        flow->planned = cairn_follow_plan_walk(flow, end, source);
        if (flow->planned && source && flow->element.sub_isa != flow->sub_isa &&
            !flow->source_isa_told) {
            flow->source_isa_told = true;
            cairn_follow_warn(flow, CAIRN_WARNING_SOURCE_ISA, end);
        }
        return flow->planned;
    }
    return true;
}

/* The next range of a walk on which nothing is taken. */
static enum cairn_stop walk_untaken(struct cairn_flow *flow, const struct cairn_bounds *bounds,
                                    struct cairn_walk *w)
{
    if (!flow->first_kept)
        return cairn_walk_image(flow, bounds, w);
    flow->first_kept = false;
    *w = flow->first;
    return flow->first_stop;
}

/* Up to the return address, not including it. One branch a step. */
static void walk_exception(struct cairn_flow *flow)
{
    const uint64_t end = end_of_exception(flow);
    const struct cairn_bounds bounds = {.to_end = true, .end = end, .limit = UINT64_MAX};
    struct cairn_walk w;
    enum cairn_stop stop = CAIRN_STOP_END;

    if (flow->address < end && is_planned(flow, end, false) && may_go_on(flow)) {
        stop = walk_untaken(flow, &bounds, &w);
        struct cairn_record *record = cairn_walk_give_range(flow, &w);

        if (stop == CAIRN_STOP_P0 && cannot_pass(flow, &w)) {
            cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, w.last);
        } else if (stop == CAIRN_STOP_P0) {
            execute(flow, &w, record, false, false);
            if (flow->address > w.last && flow->address < end)
                return;
        } else if (stop != CAIRN_STOP_END) {
            cairn_walk_give_up(flow, stop, &w);
        }
    }
    cairn_follow_past_undefined(flow);
    cairn_follow_exception_record(flow);
    flow->task = CAIRN_TASK_NONE;
}

/* Up to the addressed instruction, and including it: that one is taken. One branch a step. */
static void walk_source(struct cairn_flow *flow)
{
    const uint64_t target = cairn_walk_wrap(flow, flow->element.address);
    const struct cairn_bounds bounds = {.to_end = true, .end = target, .limit = UINT64_MAX};
    struct cairn_walk w;
    enum cairn_stop stop;
    struct cairn_record *record;

    if (!is_planned(flow, target, true) || (flow->address <= target && !may_go_on(flow))) {
        flow->task = CAIRN_TASK_NONE;
        return;
    }
    if (flow->address < target) {
        stop = walk_untaken(flow, &bounds, &w);
        if (stop == CAIRN_STOP_P0) {
            record = cairn_walk_give_range(flow, &w);
            if (cannot_pass(flow, &w)) {
                cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, w.last);
                flow->task = CAIRN_TASK_NONE;
                return;
            }
            execute(flow, &w, record, false, false);
            return;
        }
        if (stop != CAIRN_STOP_END) {
            cairn_walk_give_range(flow, &w);
            cairn_walk_give_up(flow, stop, &w);
            return;
        }
        if (w.next != target) { /* the address lies inside an instruction */
            cairn_walk_give_range(flow, &w);
            cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, target);
            flow->task = CAIRN_TASK_NONE;
            return;
        }
        /* The last instruction goes into the same range. */
        const uint64_t start = w.start;
        const uint32_t before = w.count;

        flow->address = target;
        flow->instructions_left -= before;
        stop = cairn_walk_image(flow, &(struct cairn_bounds){.limit = 1}, &w);
        flow->instructions_left += before;
        w.start = start;
        w.count += before;
    } else if (flow->address == target) {
        stop = cairn_walk_image(flow, &(struct cairn_bounds){.limit = 1}, &w);
    } else {
        cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, target);
        flow->task = CAIRN_TASK_NONE;
        return;
    }
    record = cairn_walk_give_range(flow, &w);
    flow->task = CAIRN_TASK_NONE;
    if (stop == CAIRN_STOP_P0) {
        execute(flow, &w, record, true, true);
    } else if (stop == CAIRN_STOP_END && flow->config->rules.any_source) {
        cairn_walk_go_on_at(flow, w.next); /* where the address behind it has to be */
    } else if (stop == CAIRN_STOP_END) {   /* trace and image contradict each other */
        cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, target);
    } else {
        cairn_walk_give_up(flow, stop, &w);
    }
}

/* Up to and with the instruction that contains the address. A P0 instruction may be that one, and
 * an exception came in its place, so it has no outcome; one before it would have been told. */
static void walk_upto(struct cairn_flow *flow)
{
    const uint64_t target = cairn_walk_wrap(flow, flow->element.address);
    const struct cairn_bounds bounds = {.to_end = true,
                                        .ends_at_wrap = true,
                                        .end = target == UINT64_MAX ? target : target + 1,
                                        .limit = UINT64_MAX};
    struct cairn_walk w;
    enum cairn_stop stop;

    flow->task = CAIRN_TASK_NONE;
    if (flow->address > target) {
        cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, target);
        return;
    }
    stop = cairn_walk_image(flow, &bounds, &w);
    if (stop != CAIRN_STOP_LIMIT)
        (void)cairn_walk_give_range(flow, &w);
    if (stop == CAIRN_STOP_MEMORY || stop == CAIRN_STOP_LIMIT)
        cairn_walk_give_up(flow, stop, &w);
    else if (w.count > 0 && target - w.last < cairn_walk_wrap(flow, w.next - w.last))
        cairn_walk_go_on_at(flow, w.next);
    else
        cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, target);
}

void cairn_follow_walk(struct cairn_flow *flow)
{
    switch (flow->task) {
    case CAIRN_TASK_NONE: break;
    case CAIRN_TASK_ATOM: walk_atom(flow); break;
    case CAIRN_TASK_EXCEPTION: walk_exception(flow); break;
    case CAIRN_TASK_SOURCE: walk_source(flow); break;
    case CAIRN_TASK_UPTO: walk_upto(flow); break;
    case CAIRN_TASK_PINS: cairn_follow_give_pins(flow); break;
    case CAIRN_TASK_Q: cairn_follow_list_q(flow); break;
    }
}
