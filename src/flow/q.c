/* SPDX-License-Identifier: BSD-2-Clause */
/* Q elements (DDI0608 D2.2.4, D9.5.15): what they executed is settled by the Target Address behind.
 */
#include "flow/walk.h"

enum { TOP_BYTE = 8 };

/* The top byte may differ after a change of TBI (D6.9.13). */
bool cairn_follow_same_target(const struct cairn_flow *flow, uint64_t a, uint64_t b)
{
    const uint64_t difference = a ^ b;

    return flow->context.SF ? (difference << TOP_BYTE) == 0 : (uint32_t)difference == 0;
}

static struct cairn_record *q_record(struct cairn_flow *flow)
{
    struct cairn_record *record = cairn_follow_record(flow, CAIRN_FLOW_Q);

    record->offset = flow->q.offset;
    record->length = flow->q.length;
    record->address = flow->q.start;
    record->value = flow->q.count;
    flow->q.pending = false;
    return record;
}

/* Of several contexts before the Target Address the last one counts: nothing was executed in the
 * others. */
void cairn_follow_keep_context(struct cairn_flow *flow)
{
    struct cairn_q *q = &flow->q;

    q->has_context = true;
    q->context = flow->element.context;
    q->context_offset = flow->offset;
    q->context_length = flow->length;
}

void cairn_follow_take_kept_context(struct cairn_flow *flow)
{
    struct cairn_q *q = &flow->q;
    const uint64_t offset = flow->offset;
    const uint64_t length = flow->length;

    if (!q->has_context)
        return;
    q->has_context = false;
    flow->offset = q->context_offset; /* its record belongs to its packet */
    flow->length = q->context_length;
    cairn_follow_take_context(flow, &q->context);
    flow->offset = offset;
    flow->length = length;
}

/* A Q whose Target Address did not come, or did not fit: what it executed is not known. */
void cairn_follow_unknown_q(struct cairn_flow *flow)
{
    if (!flow->q.pending)
        return;
    q_record(flow)->flags |= CAIRN_FLOW_UNKNOWN;
    cairn_follow_take_kept_context(flow);
}

/* Whether execution can go on at the address in hand behind the last instruction of the Q. */
static bool leads_there(const struct cairn_flow *flow)
{
    const struct cairn_q *q = &flow->q;
    const uint64_t address = flow->element.address;

    if (q->last_branch && !q->last_direct)
        return true;
    if (q->last_direct && cairn_follow_same_target(flow, q->last_target, address))
        return true;
    return !q->last_always && cairn_follow_same_target(flow, q->next, address);
}

/* The count and the address contradict each other. */
static void contradicted_q(struct cairn_flow *flow)
{
    const uint64_t offset = flow->offset;
    const uint64_t length = flow->length;

    flow->offset = flow->q.offset;
    flow->length = flow->q.length;
    cairn_follow_gap(flow, CAIRN_GAP_INCONSISTENT, flow->q.next);
    flow->offset = offset;
    flow->length = length;
}

/* The Target Address behind a Q: its instructions can be listed if they lead there. */
void cairn_follow_end_q(struct cairn_flow *flow)
{
    const struct cairn_q *q = &flow->q;

    if (!q->complete || !leads_there(flow)) {
        if (q->complete)
            contradicted_q(flow);
        cairn_follow_unknown_q(flow);
        cairn_follow_take_target(flow);
        return;
    }
    q_record(flow);
    flow->offset = q->offset;
    flow->length = q->length;
    flow->address = q->start;
    flow->sub_isa = q->sub_isa;
    flow->q_left = q->count;
    flow->task = CAIRN_TASK_Q;
}

/* What a Q executed is settled by the Target Address that follows it. */
cairn_status cairn_follow_q(struct cairn_flow *flow)
{
    const bool known = !(flow->element_flags & CAIRN_ELEMENT_UNKNOWN) && flow->element.value > 0;
    cairn_status status;

    if (!cairn_follow_ready(flow))
        return CAIRN_OK;
    flow->tells = false; /* its own record says whether its path is known */
    status = cairn_follow_select(flow);
    if (status != CAIRN_OK)
        return status;
    if (known) {
        (void)cairn_follow_plan_q(flow, flow->element.value);
    } else {
        flow->q = (struct cairn_q){.pending = true,
                                   .offset = flow->offset,
                                   .length = flow->length,
                                   .start = flow->address};
    }
    cairn_follow_lose_address(flow);
    return CAIRN_OK;
}

/* Elements after which a Q's Target Address can no longer come. */
bool cairn_follow_ends_q(unsigned kind)
{
    switch (kind) {
    case CAIRN_ELEMENT_ATOM:
    case CAIRN_ELEMENT_EXCEPTION:
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
    case CAIRN_ELEMENT_WAYPOINT_UPDATE:
    case CAIRN_ELEMENT_Q:
    case CAIRN_ELEMENT_TRACE_ON:
    case CAIRN_ELEMENT_DISCARD:
    case CAIRN_ELEMENT_OVERFLOW:
    case CAIRN_ELEMENT_TRANSACTION_FAILURE:
    case CAIRN_ELEMENT_GAP: return true;
    default: return false;
    }
}

/* In T32 an IT block may make any branch conditional. */
static bool is_always(const struct cairn_walk *w)
{
    return w->isa != CAIRN_ISA_T32 && !(w->insn.flags & CAIRN_INSN_CONDITIONAL) &&
           w->insn.cond == CAIRN_COND_AL;
}

/* A Q element's branches were not traced (D9.5.15). Its path is known if the only branch whose
 * outcome is open is the last instruction: the Target Address behind the Q settles that one. */
bool cairn_follow_plan_q(struct cairn_flow *flow, uint64_t count)
{
    struct cairn_q *q = &flow->q;
    const uint64_t address = flow->address;
    const uint8_t sub_isa = flow->sub_isa;
    uint64_t left = count;
    bool found = true;

    *q = (struct cairn_q){.pending = true,
                          .offset = flow->offset,
                          .length = flow->length,
                          .start = address,
                          .count = count,
                          .sub_isa = sub_isa};
    while (left > 0) {
        const struct cairn_bounds bounds = {.limit = left};
        struct cairn_walk w;
        enum cairn_stop stop;

        if (flow->ranges_left == 0) {
            cairn_follow_gap(flow, CAIRN_GAP_LIMIT, flow->address);
            found = false;
            break;
        }
        stop = cairn_walk_image(flow, &bounds, &w);
        flow->ranges_left--;
        flow->instructions_left -= w.count;
        left -= w.count;
        q->next = w.next;
        q->last_branch = stop == CAIRN_STOP_P0 && cairn_walk_is_branch(&w.insn);
        q->last_always = q->last_branch && is_always(&w);
        q->last_direct = q->last_branch && w.insn.kind == CAIRN_INSN_BRANCH_DIRECT &&
                         !cairn_walk_leaves(&w.insn);
        q->last_target = cairn_walk_wrap(flow, w.insn.target);
        if (w.undefined) { /* it executed that many instructions, so not this one */
            cairn_follow_gap(flow, CAIRN_GAP_INCONSISTENT, w.undefined_at);
            found = false;
            break;
        }
        if (stop == CAIRN_STOP_MEMORY || stop == CAIRN_STOP_LIMIT) {
            cairn_follow_gap(flow, stop == CAIRN_STOP_MEMORY ? CAIRN_GAP_NO_IMAGE : CAIRN_GAP_LIMIT,
                             w.next);
            found = false;
            break;
        }
        q->complete = left == 0;
        flow->address = w.next;
        if (!q->last_branch || left == 0)
            continue;
        if (!q->last_always || w.insn.kind != CAIRN_INSN_BRANCH_DIRECT ||
            cairn_walk_leaves(&w.insn))
            break;
        flow->address = cairn_walk_wrap(flow, w.insn.target);
        flow->sub_isa = cairn_walk_sub_isa((enum cairn_isa)w.insn.target_isa);
    }
    flow->address = address;
    flow->sub_isa = sub_isa;
    return found;
}

/* Lists a planned Q, one range a step. It never touches the return stack (D9.5.15). */
void cairn_follow_list_q(struct cairn_flow *flow)
{
    const struct cairn_bounds bounds = {.limit = flow->q_left};
    struct cairn_walk w;
    const enum cairn_stop stop = cairn_walk_image(flow, &bounds, &w);
    struct cairn_record *record = cairn_walk_give_range(flow, &w);

    if (stop == CAIRN_STOP_MEMORY || stop == CAIRN_STOP_LIMIT) {
        cairn_walk_give_up(flow, stop, &w);
        cairn_follow_take_target(flow);
        return;
    }
    flow->q_left -= w.count;
    cairn_walk_go_on_at(flow, w.next);
    if (stop == CAIRN_STOP_P0) {
        const bool last = flow->q_left == 0;
        const bool taken = !cairn_walk_is_branch(&w.insn) || !last || flow->q.last_always ||
                           flow->element.address != w.next;

        record->flags |= CAIRN_FLOW_P0 | (taken ? CAIRN_FLOW_TAKEN : 0);
        if (cairn_walk_is_branch(&w.insn) && !last) {
            cairn_walk_go_on_at(flow, cairn_walk_wrap(flow, w.insn.target));
            flow->sub_isa = cairn_walk_sub_isa((enum cairn_isa)w.insn.target_isa);
        }
    }
    if (flow->q_left > 0)
        return;
    flow->task = CAIRN_TASK_NONE;
    cairn_follow_take_target(flow);
}
