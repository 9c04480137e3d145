/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference follower: one element at a time, as DDI0608 D9.5 analyses them. It keeps what a
 * walk found between two addresses, and nothing of how elements follow each other; the fast engine is checked against it. */
#include "flow/follow.h"

#include "base/sizes.h"
#include "image/space.h"
#include "protocol/protocol.h"

#include <stdlib.h>
#include <string.h>

enum {
    IT_BLOCK = 4, /* instructions of the longest IT block */
    HALFWORD = 2,
};

cairn_status cairn_flow_new(struct cairn_config *config, struct cairn_image *image,
                            struct cairn_flow **flow)
{
    struct cairn_flow *f;
    cairn_status status;

    if (cairn_depth_of(config->protocol) != CAIRN_DEPTH_FLOW)
        return CAIRN_E_UNSUPPORTED;
    f = calloc(1, sizeof *f);
    if (!f)
        return CAIRN_E_MEMORY;
    status = cairn_space_new(image, &f->space);
    if (status != CAIRN_OK) {
        free(f);
        return status;
    }
    if (config->protocol->pins_new) {
        status = config->protocol->pins_new(config, &f->pins);
        if (status != CAIRN_OK) {
            cairn_space_free(f->space);
            free(f);
            return status;
        }
    }
    f->config = cairn_config_ref(config);
    f->fetch.space = f->space;
    f->fetch.arch = config->arch;
    f->undefined_at = UINT64_MAX;
    f->lost = CAIRN_GAP_NO_ADDRESS;
    *flow = f;
    return CAIRN_OK;
}

void cairn_flow_free(struct cairn_flow *flow)
{
    if (!flow)
        return;
    cairn_space_free(flow->space);
    if (flow->pins)
        flow->config->protocol->pins_free(flow->pins);
    cairn_config_unref(flow->config);
    free(flow->hops);
    free(flow);
}

void cairn_follow_lose_address(struct cairn_flow *flow)
{
    flow->address_known = false;
    flow->awaiting_target = false;
    flow->undefined_pending = false;
    flow->half = false;
    flow->discontinuity = true;
    flow->lost = CAIRN_GAP_NO_ADDRESS;
    flow->lost_at = flow->address;
}

void cairn_follow_lose_for(struct cairn_flow *flow, enum cairn_account reason, uint64_t address)
{
    cairn_follow_gap(flow, reason, address);
    cairn_follow_lose_address(flow);
    cairn_return_stack_doubt(&flow->stack);
    flow->lost = reason;
    flow->lost_at = address;
}

/* The generation of what is selected: that of before, if it is the memory of before. */
static uint32_t generation_of(struct cairn_flow *flow)
{
    const uint64_t identity = flow->space_current ? cairn_space_identity(flow->space) : 0;

    for (unsigned i = 0; i < CAIRN_FETCH_MEMORIES && identity != 0; i++) {
        const struct cairn_selection *known = &flow->selections[i];
        if (known->identity == identity && known->from == flow->selected_from)
            return known->generation;
    }
    const uint32_t generation = ++flow->generations;

    flow->selections[generation % CAIRN_FETCH_MEMORIES] = (struct cairn_selection){
        .identity = identity, .from = flow->selected_from, .generation = generation};
    return generation;
}

static cairn_status select_anew(struct cairn_flow *flow)
{
    const struct cairn_place place = {
        .source = flow->config->source,
        .EL = flow->context.EL,
        .security = flow->context.security,
        .vmid = flow->context.vmid,
        .context_id = flow->context.context_id,
        .offset = flow->offset,
    };
    const cairn_status status = cairn_space_select(flow->space, &place);

    flow->space_current = status == CAIRN_OK;
    cairn_space_hold(flow->space, &flow->selected_from, &flow->selected_until);
    flow->generation = generation_of(flow);
    cairn_fetch_select(&flow->fetch, flow->generation);
    return status;
}

/* The layers of the image that the context selects. */
cairn_status cairn_follow_select(struct cairn_flow *flow)
{
    if (flow->space_current && flow->offset >= flow->selected_from &&
        flow->offset <= flow->selected_until)
        return CAIRN_OK;
    return select_anew(flow);
}

void cairn_follow_match_stack(struct cairn_flow *flow)
{
    struct cairn_return_entry entry;

    flow->awaiting_target = false;
    if (!flow->config->rules.return_stack) { /* the target has to be in the trace */
        cairn_follow_lose_for(flow, CAIRN_GAP_NO_ADDRESS, flow->address);
        return;
    }
    if (!cairn_return_stack_pop(&flow->stack, &entry)) {
        cairn_follow_lose_for(flow, CAIRN_GAP_RETURN_STACK, flow->address);
        return;
    }
    if (entry.stale)
        cairn_follow_warn(flow, CAIRN_WARNING_STALE_RETURN, entry.address);
    flow->address = entry.address;
    flow->sub_isa = entry.sub_isa;
    flow->address_known = true;
    flow->from = CAIRN_FROM_STACK;
}

/* True when a P0 element can be followed; otherwise its packet is a gap. */
bool cairn_follow_ready(struct cairn_flow *flow)
{
    if (flow->awaiting_target)
        cairn_follow_match_stack(flow);
    if (!flow->context_known) {
        cairn_follow_gap(flow, CAIRN_GAP_NO_ADDRESS, flow->address);
        cairn_follow_lose_address(flow); /* the address does not wait for a context (D15.2.2) */
        return false;
    }
    if (!flow->address_known) {
        cairn_return_stack_doubt(&flow->stack); /* calls and returns went by unseen */
        cairn_follow_gap(flow, flow->lost, flow->lost_at);
        return false;
    }
    if (flow->context.SF && flow->sub_isa) {
        cairn_follow_warn(flow, CAIRN_WARNING_SF_IS1, flow->address);
        cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, flow->address);
        return false;
    }
    return true;
}

void cairn_follow_take_context(struct cairn_flow *flow, const struct cairn_context *context)
{
    struct cairn_record *record;

    if (memcmp(&flow->context, context, sizeof *context) != 0)
        flow->space_current = false;
    flow->context = *context;
    if (flow->context_reported && memcmp(&flow->reported, context, sizeof *context) == 0)
        return;
    flow->reported = *context;
    flow->context_reported = true;
    record = cairn_follow_record(flow, CAIRN_FLOW_CONTEXT);
    record->address = (uint64_t)context->vmid << 32 | context->context_id;
    record->value =
        (uint64_t)context->EL | (uint64_t)context->security << 2 | (uint64_t)context->SF << 4;
    if (context->sbz)
        cairn_follow_warn(flow, CAIRN_WARNING_CONTEXT_SBZ, flow->address);
}

static void context_element(struct cairn_flow *flow)
{
    flow->context_known = true;
    if (flow->q.pending) /* the Q's instructions are still those of the old context */
        cairn_follow_keep_context(flow);
    else
        cairn_follow_take_context(flow, &flow->element.context);
}

/* Further than behind one instruction: a branch led there. */
static bool is_far(uint64_t instruction, uint64_t next)
{
    return next - instruction > 2 * HALFWORD;
}

/* ITSTATE at the Target Address in hand. An instruction that the trace tells of although flow goes
 * on behind it may stand in an IT block; code that was interrupted may, too, and so may the first
 * one of a run that begins anew. */
static void find_it(struct cairn_flow *flow)
{
    const bool goes_on = flow->address_known && flow->from == CAIRN_FROM_OPCODE &&
                         flow->address == flow->element.address;

    if (!goes_on)
        flow->it = 0;
    if (flow->returning || (goes_on && flow->anew && !is_far(flow->anew_at, flow->address)))
        flow->it_doubt = IT_BLOCK;
    else if (!goes_on)
        flow->it_doubt = 0;
    flow->returning = false;
    flow->anew = !flow->address_known && !flow->awaiting_target;
    flow->anew_at = flow->element.address;
}

/* Where the two halves of a BL are two instructions, trace may begin at the second one, and a handler
 * may return to it (IHI0014 4.5.4). In the image it is the first one's. */
static void find_half(struct cairn_flow *flow)
{
    struct cairn_insn insn;

    if (!flow->config->rules.half_addresses || !flow->sub_isa || !flow->context_known ||
        cairn_follow_select(flow) != CAIRN_OK)
        return;
    const uint64_t first = (flow->address - HALFWORD) & UINT32_MAX; /* Thumb: of 32 bits */

    if (cairn_fetch_insn(&flow->fetch, CAIRN_ISA_T32, first, &insn) != 2 * HALFWORD)
        return;
    flow->address = first;
    flow->half = true;
}

/* Makes the Target Address in hand the current address. */
void cairn_follow_take_target(struct cairn_flow *flow)
{
    cairn_follow_take_kept_context(flow);
    if (flow->config->rules.any_source)
        find_it(flow);
    flow->half = false;
    flow->undefined_pending = false;
    flow->address = flow->element.address;
    flow->sub_isa = flow->element.sub_isa;
    flow->address_known = true;
    flow->awaiting_target = false;
    flow->from = CAIRN_FROM_TRACE;
    find_half(flow);
}

/* What should be known already: said once more. */
static bool is_told(const struct cairn_flow *flow)
{
    const uint64_t address = flow->address + (flow->half ? HALFWORD : 0);

    return cairn_follow_same_target(flow, address, flow->element.address) &&
           flow->sub_isa == flow->element.sub_isa;
}

static void address_element(struct cairn_flow *flow)
{
    const struct cairn_element_data *element = &flow->element;
    const bool unknown = (flow->element_flags & CAIRN_ELEMENT_UNKNOWN) != 0;
    const bool check = (flow->element_flags & CAIRN_ELEMENT_CHECK) != 0;
    const bool known = flow->address_known && (flow->from == CAIRN_FROM_OPCODE ||
                                               (check && flow->from != CAIRN_FROM_RETURN_ADDRESS));

    if (unknown && !check) {
        cairn_follow_unknown_q(flow);
        cairn_follow_lose_address(flow);
        if (element->reason != CAIRN_ACCOUNT_FLOW)
            flow->lost = (enum cairn_account)element->reason;
        return;
    }
    if (flow->clear_stack) {
        cairn_return_stack_clear(&flow->stack);
        flow->clear_stack = false;
    }
    if (unknown)
        return;
    if (flow->q.pending) {
        cairn_follow_end_q(flow);
        return;
    }
    if (known && flow->context_known) {
        if (check && is_told(flow))
            return;
        if ((check || !cairn_follow_same_target(flow, flow->address, element->address)) &&
            !cairn_follow_is_announced(flow))
            cairn_follow_warn(flow, CAIRN_WARNING_TARGET_MISMATCH, element->address);
    }
    cairn_follow_take_target(flow);
}

/* An Atom's walk is one step: it is taken at once. */
static cairn_status follow_atom(struct cairn_flow *flow)
{
    const bool after_exception = flow->address_known && flow->from == CAIRN_FROM_RETURN_ADDRESS;
    cairn_status status;

    if (!cairn_follow_ready(flow)) {
        cairn_follow_pins_lost(flow);
        return CAIRN_OK;
    }
    if (after_exception)
        cairn_follow_warn(flow, CAIRN_WARNING_CONTINUES, flow->address);
    cairn_follow_past_undefined(flow);
    status = cairn_follow_select(flow);
    if (status != CAIRN_OK)
        return status;
    flow->task = CAIRN_TASK_ATOM;
    cairn_follow_walk(flow);
    return CAIRN_OK;
}

/* An address that is walked to by `task`. It is in the instruction set that is being executed: a
 * Source Address that says A32 for T32, or the reverse, is still that of an instruction there. */
static void walked_address(struct cairn_flow *flow, enum cairn_follow_task task)
{
    if (!cairn_follow_ready(flow))
        return;
    if (flow->element.sub_isa == flow->sub_isa ||
        (task == CAIRN_TASK_SOURCE && !flow->context.SF)) {
        flow->task = task;
        return;
    }
    if (flow->context.SF)
        cairn_follow_warn(flow, CAIRN_WARNING_SF_IS1, flow->element.address);
    cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, flow->element.address);
}

/* Up to the addressed instruction there is no waypoint: what cannot be followed begins here. */
static void waypoint_update(struct cairn_flow *flow)
{
    cairn_follow_past_undefined(flow);
    if (flow->element.reason == CAIRN_ACCOUNT_FLOW)
        walked_address(flow, CAIRN_TASK_UPTO);
    else if (cairn_follow_ready(flow))
        cairn_follow_lose_for(flow, (enum cairn_account)flow->element.reason, flow->address);
}

static void timestamp_element(struct cairn_flow *flow)
{
    struct cairn_record *record = cairn_follow_record(flow, CAIRN_FLOW_TIMESTAMP);

    record->value = flow->element.value;
    record->address = flow->element.cycles;
    if (flow->element_flags & CAIRN_ELEMENT_CYCLES)
        record->flags |= CAIRN_FLOW_CYCLES_VALID;
    if (flow->element_flags & CAIRN_ELEMENT_UNKNOWN)
        record->flags |= CAIRN_FLOW_UNKNOWN;
    if (flow->element_flags & CAIRN_ELEMENT_APPROXIMATE)
        record->flags |= CAIRN_FLOW_IMPRECISE;
}

static void cycles_element(struct cairn_flow *flow)
{
    struct cairn_record *record = cairn_follow_record(flow, CAIRN_FLOW_CYCLES);

    if (flow->element_flags & CAIRN_ELEMENT_UNKNOWN)
        record->flags |= CAIRN_FLOW_UNKNOWN;
    else
        flow->total_cycles += flow->element.value;
    record->value = flow->element.value;
    record->address = flow->total_cycles;
}

/* Synchronisation is lost altogether: context and address have to come again. */
static void desynchronise(struct cairn_flow *flow)
{
    cairn_follow_lose_address(flow);
    flow->context_known = false;
}

/* An element that was lost before it could be resolved. */
static void lost_element(struct cairn_flow *flow, unsigned kind)
{
    cairn_follow_unknown_q(flow);
    cairn_follow_gap(flow, (enum cairn_account)flow->element.reason, flow->address);
    cairn_follow_lose_address(flow);
    if (kind == CAIRN_ELEMENT_CONTEXT)
        flow->context_known = false;
}

static cairn_status other_element(struct cairn_flow *flow, unsigned kind)
{
    const bool uncertain = (flow->element_flags & CAIRN_ELEMENT_UNCERTAIN) != 0;

    switch ((enum cairn_element_kind)kind) {
    case CAIRN_ELEMENT_TRACE_INFO:
        cairn_follow_record(flow, CAIRN_FLOW_SYNC)->value = flow->element.value;
        if (uncertain) {
            cairn_follow_warn(flow, CAIRN_WARNING_OVER_COMMIT, flow->address);
            desynchronise(flow);
        }
        flow->clear_stack = true;
        flow->source_isa_told = false;
        break;
    case CAIRN_ELEMENT_TRACE_ON:
        cairn_follow_record(flow, CAIRN_FLOW_TRACE_ON);
        cairn_follow_lose_address(
            flow); /* an unchanged context need not be traced again (R_TJLYH) */
        break;
    case CAIRN_ELEMENT_SOURCE_ADDRESS: walked_address(flow, CAIRN_TASK_SOURCE); break;
    case CAIRN_ELEMENT_WAYPOINT_UPDATE: waypoint_update(flow); break;
    case CAIRN_ELEMENT_Q: return cairn_follow_q(flow);
    case CAIRN_ELEMENT_EXCEPTION: cairn_follow_exception(flow); break;
    case CAIRN_ELEMENT_EXCEPTION_RETURN: cairn_follow_exception_return(flow); break;
    case CAIRN_ELEMENT_FUNCTION_RETURN:
        cairn_follow_record(flow, CAIRN_FLOW_FUNCTION_RETURN)->address = flow->address;
        break;
    case CAIRN_ELEMENT_COMMIT:
    case CAIRN_ELEMENT_CANCEL:
        cairn_follow_warn(flow, CAIRN_WARNING_OVER_COMMIT, flow->address);
        break;
    case CAIRN_ELEMENT_MISPREDICT: /* of an Atom that was not seen: the other way is not known */
        cairn_follow_warn(flow, CAIRN_WARNING_UNCERTAIN, flow->address);
        cairn_follow_lose_address(flow);
        break;
    case CAIRN_ELEMENT_DISCARD:
        cairn_follow_record(flow, CAIRN_FLOW_DISCARD);
        desynchronise(flow);
        break;
    case CAIRN_ELEMENT_OVERFLOW:
        cairn_follow_record(flow, CAIRN_FLOW_OVERFLOW);
        desynchronise(flow);
        break;
    case CAIRN_ELEMENT_CYCLE_COUNT: cycles_element(flow); break;
    case CAIRN_ELEMENT_TIMESTAMP: timestamp_element(flow); break;
    case CAIRN_ELEMENT_TIMESTAMP_MARKER:
        cairn_follow_record(flow, CAIRN_FLOW_TIMESTAMP_MARKER);
        break;
    case CAIRN_ELEMENT_EVENT:
        cairn_follow_record(flow, CAIRN_FLOW_EVENT)->value = flow->element.value;
        break;
    case CAIRN_ELEMENT_TRANSACTION_START:
        cairn_follow_record(flow, CAIRN_FLOW_TRANSACTION_START)->address = flow->address;
        if (uncertain)
            cairn_follow_warn(flow,
                              flow->element_flags & CAIRN_ELEMENT_TRANSACTIONAL
                                  ? CAIRN_WARNING_TRANSACTION_NESTED
                                  : CAIRN_WARNING_TRANSACTION_UNRESOLVED,
                              flow->address);
        break;
    case CAIRN_ELEMENT_TRANSACTION_COMMIT:
        cairn_follow_record(flow, CAIRN_FLOW_TRANSACTION_COMMIT)->address = flow->address;
        break;
    case CAIRN_ELEMENT_TRANSACTION_FAILURE:
        cairn_follow_record(flow, CAIRN_FLOW_TRANSACTION_FAILURE)->value =
            (flow->element_flags & CAIRN_ELEMENT_IMPLIED) ? 1 : 0;
        cairn_follow_lose_address(flow); /* where it goes on comes as a Target Address (D6.9.11) */
        break;
    case CAIRN_ELEMENT_DATA: return cairn_follow_data(flow);
    case CAIRN_ELEMENT_STACKING: cairn_follow_stacking(flow); break;
    case CAIRN_ELEMENT_CANCELLED: return cairn_follow_cancelled(flow);
    case CAIRN_ELEMENT_INSTRUMENTATION: {
        struct cairn_record *record = cairn_follow_record(flow, CAIRN_FLOW_INSTRUMENTATION);

        record->value = flow->element.value;
        record->address = flow->element.info;
        break;
    }
    case CAIRN_ELEMENT_GAP:
        cairn_follow_gap(flow, (enum cairn_account)flow->element.value, flow->address);
        desynchronise(flow);
        cairn_return_stack_clear(&flow->stack);
        break;
    case CAIRN_ELEMENT_ATOM:
    case CAIRN_ELEMENT_CONTEXT:
    case CAIRN_ELEMENT_TARGET_ADDRESS:
    case CAIRN_ELEMENT_DATA_SYNC:
    case CAIRN_ELEMENT_CONDITIONAL:
    case CAIRN_ELEMENT_BRANCH_FUTURE_FLUSH:
    case CAIRN_ELEMENT_A_SYNC: break;
    }
    return CAIRN_OK;
}

static inline cairn_status begin(struct cairn_flow *flow, const struct cairn_element_batch *in,
                                 size_t i)
{
    const unsigned kind = in->kind[i];
    cairn_status status = CAIRN_OK;

    flow->offset = in->offset[i];
    flow->length = in->length[i];
    flow->element_flags = in->flags[i];
    flow->tells = kind == CAIRN_ELEMENT_ATOM || kind == CAIRN_ELEMENT_SOURCE_ADDRESS ||
                  kind == CAIRN_ELEMENT_Q;
    flow->instructions_left = CAIRN_WALK_MAX;
    flow->ranges_left = CAIRN_WALK_RANGES;
    flow->planned = false;
    flow->first_kept = false;
    if (flow->q.pending && cairn_follow_ends_q(kind))
        cairn_follow_unknown_q(flow);
    if (kind == CAIRN_ELEMENT_ATOM && !(flow->element_flags & CAIRN_ELEMENT_LOST))
        return follow_atom(flow);
    flow->element = in->data[i];
    if (flow->element_flags & CAIRN_ELEMENT_LOST)
        lost_element(flow, kind);
    else if (kind == CAIRN_ELEMENT_TARGET_ADDRESS) {
        address_element(flow);
        if (flow->element_flags & CAIRN_ELEMENT_PAUSED)
            cairn_follow_resume(flow);
    } else if (kind == CAIRN_ELEMENT_CONTEXT)
        context_element(flow);
    else
        status = other_element(flow, kind);
    if (status != CAIRN_OK)
        return status;
    return flow->task == CAIRN_TASK_NONE ? CAIRN_OK : cairn_follow_select(flow);
}

/* A step is an element, or one range of what it executes. */
cairn_status cairn_follow_steps(struct cairn_flow *flow, const struct cairn_element_batch *in,
                                size_t *position, bool *done)
{
    const bool owns_data = flow->config->rules.every_instruction && !flow->leaves_data;
    cairn_status status = CAIRN_OK;

    flow->count = 0;
    flow->given = 0;
    *done = false;
    do {
        if (flow->task != CAIRN_TASK_NONE) {
            cairn_follow_walk(flow);
        } else if (*position == in->count) {
            *done = true;
            break;
        } else {
            status = begin(flow, in, (*position)++);
        }
        if (owns_data)
            cairn_follow_own_data(flow);
    } while (status == CAIRN_OK && flow->count == 0);
    return status;
}

cairn_status cairn_flow_run(struct cairn_flow *flow, const struct cairn_element_batch *in,
                            size_t *position, struct cairn_flow_batch *out)
{
    bool done = false;

    if (*position > in->count || !CAIRN_ROWS_FIT(struct cairn_element_batch, in, data, data_size))
        return CAIRN_E_ARGUMENT;
    flow->all_columns = cairn_follow_has_all_columns(out);
    while (!done) {
        if (flow->count > 0)
            cairn_follow_give(flow, out);
        if (flow->given < flow->count)
            return CAIRN_OK;
        const cairn_status status = cairn_follow_steps(flow, in, position, &done);

        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

cairn_status cairn_flow_finish(struct cairn_flow *flow, struct cairn_flow_batch *out)
{
    const struct cairn_element_batch none = {.size = sizeof none};
    size_t position = 0;
    cairn_status status = cairn_flow_run(flow, &none, &position, out);

    if (status != CAIRN_OK || out->count == out->capacity)
        return status;
    if (flow->pins) {
        cairn_follow_pins_end(flow);
        return cairn_flow_run(flow, &none, &position, out);
    }
    if (!flow->q.pending)
        return CAIRN_OK;
    cairn_follow_unknown_q(flow);
    cairn_follow_give(flow, out);
    return CAIRN_OK;
}

void cairn_flow_state(const struct cairn_flow *flow, struct cairn_flow_state *state)
{
    struct cairn_flow_state made;

    memset(&made, 0, sizeof made); /* what is between the members is the caller's to see, too */
    made.address_known = flow->address_known;
    made.context_known = flow->context_known;
    made.awaiting_target = flow->awaiting_target;
    made.sub_isa = flow->sub_isa;
    made.return_stack_depth = (uint8_t)flow->stack.depth;
    made.address = flow->address;
    made.context = flow->context;
    made.total_cycles = flow->total_cycles;
    cairn_info_write(state, &made, sizeof made);
}
