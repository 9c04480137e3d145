/* SPDX-License-Identifier: BSD-2-Clause */
/* Q elements (DDI0608 D2.2.4, D9.5.15): what they executed is settled by the Target Address behind.
 */
#include "flow/follow.h"

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

/* The Target Address behind a Q: its instructions can be listed if they lead there. */
void cairn_follow_end_q(struct cairn_flow *flow)
{
    const struct cairn_q *q = &flow->q;

    if (!q->complete ||
        (!q->last_branch && !cairn_follow_same_target(flow, q->next, flow->element.address))) {
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
    case CAIRN_ELEMENT_Q:
    case CAIRN_ELEMENT_TRACE_ON:
    case CAIRN_ELEMENT_DISCARD:
    case CAIRN_ELEMENT_OVERFLOW:
    case CAIRN_ELEMENT_TRANSACTION_FAILURE:
    case CAIRN_ELEMENT_GAP: return true;
    default: return false;
    }
}
