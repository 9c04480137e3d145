/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions and the returns from them: DDI0608 D9.5.6, and those that older protocols tell where
 * execution stands. */
#include "flow/walk.h"

enum {
    HALFWORD = 2,               /* bytes of a Thumb instruction's half */
    M_NO_ADDRESS = 0xfffffffeu, /* M profile: a tail-chained or deferred exception */
    TYPE_IMPDEF_FIRST = 0x10,   /* IMPLEMENTATION DEFINED exceptions of A and R profile */
    TYPE_IMPDEF_LAST = 0x17,
};

void cairn_follow_exception_record(struct cairn_flow *flow)
{
    const unsigned type = (unsigned)flow->element.value;
    struct cairn_record *record = cairn_follow_record(flow, CAIRN_FLOW_EXCEPTION);
    const bool unknown = (flow->element_flags & CAIRN_ELEMENT_UNKNOWN) != 0;

    record->value = type;
    record->address = flow->element.address;
    if (unknown)
        record->flags |= CAIRN_FLOW_UNKNOWN;
    if (flow->element_flags & CAIRN_ELEMENT_APPROXIMATE)
        cairn_follow_warn(flow, CAIRN_WARNING_IMPRECISE, flow->element.address);
    if (unknown || !flow->address_known) {
        cairn_follow_lose_address(flow);
        return;
    }
    /* An implementation defined exception may go on at the next instruction without an address
     * (D6.9.13); for the others one follows. */
    flow->address = flow->element.address;
    flow->sub_isa = flow->element.sub_isa;
    flow->discontinuity = true;
    flow->from = CAIRN_FROM_RETURN_ADDRESS;
    if (!flow->config->rules.m_profile && type >= TYPE_IMPDEF_FIRST && type <= TYPE_IMPDEF_LAST)
        flow->from = CAIRN_FROM_TRACE;
}

/* D9.5.6. Without an address nothing is implied about execution, nor about the return stack. */
static void walked_exception(struct cairn_flow *flow)
{
    const bool unknown = (flow->element_flags & CAIRN_ELEMENT_UNKNOWN) != 0;
    const bool no_walk =
        flow->config->rules.m_profile && (uint32_t)flow->element.address == M_NO_ADDRESS;

    if (unknown || no_walk) {
        flow->awaiting_target = false;
        cairn_follow_exception_record(flow);
        cairn_follow_lose_address(flow);
        return;
    }
    if (flow->awaiting_target)
        cairn_follow_match_stack(flow);
    if (flow->address_known && flow->from == CAIRN_FROM_RETURN_ADDRESS)
        cairn_follow_lose_address(flow); /* where the one before it went on was not traced */
    if (!flow->context_known)
        cairn_follow_lose_address(flow); /* D15.2.2: from ADDRESS back to NOT_SYNC */
    if (flow->context.SF && flow->element.sub_isa)
        cairn_follow_warn(flow, CAIRN_WARNING_SF_IS1, flow->element.address);
    if (!flow->address_known) {
        cairn_follow_exception_record(flow);
        return;
    }
    flow->task = CAIRN_TASK_EXCEPTION;
}

/* Where execution stands is behind the instruction that the exception came to, which executed and goes on
 * again, wherever it would have led. */
static void go_back(struct cairn_flow *flow)
{
    uint64_t address;

    if ((!flow->address_known && !flow->awaiting_target) ||
        flow->from == CAIRN_FROM_RETURN_ADDRESS || !cairn_follow_behind_transfer(flow, &address))
        return;
    flow->address = address;
    flow->address_known = true;
    flow->awaiting_target = false;
    flow->half = false;
}

/* Taken where execution stands, which atoms or a waypoint update have told before. Where it stands
 * is not known behind an indirect branch whose target nothing told, and that is no gap: nothing was
 * executed there. */
static void exception_here(struct cairn_flow *flow)
{
    const bool unknown = (flow->element_flags & CAIRN_ELEMENT_UNKNOWN) != 0;
    const bool halves = flow->config->rules.half_addresses;
    struct cairn_record *record;

    if (flow->awaiting_target && flow->config->rules.return_stack)
        cairn_follow_match_stack(flow);
    if (flow->element_flags & CAIRN_ELEMENT_E)
        go_back(flow);
    if (!flow->context_known || flow->from == CAIRN_FROM_RETURN_ADDRESS)
        flow->address_known = false;
    record = cairn_follow_record(flow, CAIRN_FLOW_EXCEPTION);
    record->value = flow->element.value;
    record->address = flow->element.address;
    if (unknown && flow->address_known)
        record->address = flow->address + (halves && flow->half ? HALFWORD : 0);
    else if (unknown)
        record->flags |= CAIRN_FLOW_UNKNOWN;
    if (flow->element_flags & CAIRN_ELEMENT_APPROXIMATE)
        cairn_follow_warn(flow, CAIRN_WARNING_IMPRECISE, record->address);
    if (!flow->address_known) {
        cairn_follow_lose_address(flow);
        return;
    }
    flow->address = record->address;
    flow->half = false;
    flow->discontinuity = true;
    flow->from = CAIRN_FROM_RETURN_ADDRESS;
}

/* Whether an undefined instruction raises it. */
static bool is_of_undefined(const struct cairn_flow *flow)
{
    const uint16_t *types = flow->config->rules.undefined;

    for (unsigned i = 0; i < CAIRN_RULES_UNDEFINED && types[i] != 0; i++)
        if (types[i] == flow->element.value)
            return true;
    return false;
}

void cairn_follow_exception(struct cairn_flow *flow)
{
    if (is_of_undefined(flow))
        flow->undefined_pending = false;
    cairn_follow_past_undefined(flow);
    if (flow->element_flags & CAIRN_ELEMENT_HERE)
        exception_here(flow);
    else
        walked_exception(flow);
}

/* Where the protocol tells of it. On M profile the branch before it was the exception return itself, whose target is
 * not on the return stack. */
void cairn_follow_exception_return(struct cairn_flow *flow)
{
    cairn_follow_record(flow, CAIRN_FLOW_EXCEPTION_RETURN)->address = flow->address;
    flow->returning = true;
    if (!flow->config->rules.m_profile)
        return;
    if (flow->awaiting_target)
        cairn_follow_lose_address(flow);
}
