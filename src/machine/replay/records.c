/* SPDX-License-Identifier: BSD-2-Clause */
/* One record at a time. */
#include "machine/replay/replay.h"
#include "protocol/protocol.h"

struct record {
    unsigned kind, flags;
    enum cairn_isa isa;
    uint64_t offset, address, value;
};

static void take_range(struct cairn_replay *replay, const struct record *record)
{
    const bool known = (record->flags & CAIRN_FLOW_P0) != 0;
    const cairn_status status = cairn_replay_select(replay, record->offset);

    if (status != CAIRN_OK) {
        replay->status = status;
        return;
    }
    replay->counts.ranges++;
    cairn_replay_range(replay, record->address, record->value, record->isa, known,
                       (record->flags & CAIRN_FLOW_TAKEN) != 0);
}

static void take_context(struct cairn_replay *replay, const struct record *record)
{
    replay->context = cairn_flow_context(record->address, record->value);
    replay->has_context = true;
    replay->memory.selected = false;
}

/* The flow does not say it of an address, but where it stands. */
static enum cairn_isa isa_at(const struct cairn_replay *replay, uint64_t address)
{
    if (replay->context.SF)
        return CAIRN_ISA_A64;
    if (replay->last_isa == CAIRN_ISA_A32 || replay->last_isa == CAIRN_ISA_T32)
        return (enum cairn_isa)replay->last_isa;
    return address & 2 ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
}

static void take_exception(struct cairn_replay *replay, const struct record *record)
{
    const struct cairn_about *flow = replay->config->protocol->about;
    unsigned type = (unsigned)record->value;

    cairn_replay_tell(replay);
    if (flow->exceptions)
        type = type < flow->exception_count ? flow->exceptions[type]
                                            : CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED;
    if (((record->flags & CAIRN_FLOW_UNKNOWN) && type != CAIRN_EXCEPTION_PE_RESET) ||
        (replay->context.SF && !replay->has_a64)) {
        cairn_replay_break(replay);
        return;
    }
    cairn_replay_arrive(replay);
    replay->counts.exceptions++;
    replay->wait = CAIRN_REPLAY_EXCEPTION;
    replay->type = type;
    replay->address = record->address;
    replay->address_isa = (uint8_t)isa_at(replay, record->address);
}

/* Failed ones are not in the flow, nor what was executed in them. */
static void take_transaction(struct cairn_replay *replay, const struct record *record)
{
    const bool starts = record->kind == CAIRN_FLOW_TRANSACTION_START;

    cairn_replay_tell(replay);
    if (starts == replay->in_transaction)
        return;
    replay->in_transaction = starts;
    cairn_replay_settle_cycles(replay);
    if (starts)
        cairn_processor_transaction_start(&replay->processor);
    else if (record->kind == CAIRN_FLOW_TRANSACTION_COMMIT)
        cairn_processor_transaction_commit(&replay->processor);
    else
        cairn_processor_transaction_fail(&replay->processor);
}

static void take_cycles(struct cairn_replay *replay, const struct record *record)
{
    if (replay->tells_each)
        cairn_replay_tell(replay);
    if (record->flags & CAIRN_FLOW_UNKNOWN)
        cairn_replay_some_cycles(replay);
    else
        cairn_replay_cycles(replay, record->value);
}

static void take_time(struct cairn_replay *replay, const struct record *record)
{
    if (!(record->flags & CAIRN_FLOW_UNKNOWN))
        cairn_replay_time(replay, record->value);
}

static void take_event(struct cairn_replay *replay, const struct record *record)
{
    if (!(replay->options.flags & CAIRN_REPLAY_EVENTS)) {
        replay->counts.events++;
        return;
    }
    cairn_replay_tell(replay);
    cairn_replay_settle_cycles(replay);
    cairn_processor_event(&replay->processor, (unsigned)record->value);
}

static void take(struct cairn_replay *replay, const struct record *record)
{
    struct cairn_replay_counts *counts = &replay->counts;

    switch ((enum cairn_flow_kind)record->kind) {
    case CAIRN_FLOW_RANGE: take_range(replay, record); break;
    case CAIRN_FLOW_CONTEXT: take_context(replay, record); break;
    case CAIRN_FLOW_EXCEPTION: take_exception(replay, record); break;
    case CAIRN_FLOW_CYCLES: take_cycles(replay, record); break;
    case CAIRN_FLOW_TIMESTAMP: take_time(replay, record); break;
    case CAIRN_FLOW_EVENT: take_event(replay, record); break;
    case CAIRN_FLOW_TRANSACTION_START:
    case CAIRN_FLOW_TRANSACTION_COMMIT:
    case CAIRN_FLOW_TRANSACTION_FAILURE: take_transaction(replay, record); break;
    case CAIRN_FLOW_TRACE_ON:
        counts->trace_ons++;
        cairn_replay_break(replay);
        break;
    case CAIRN_FLOW_GAP:
        counts->gaps++;
        cairn_replay_break(replay);
        break;
    case CAIRN_FLOW_OVERFLOW:
        counts->overflows++;
        cairn_replay_break(replay);
        break;
    case CAIRN_FLOW_DISCARD:
        counts->discards++;
        cairn_replay_break(replay);
        break;
    case CAIRN_FLOW_Q:
        if (!(record->flags & CAIRN_FLOW_UNKNOWN))
            break;
        counts->unknown_qs++;
        cairn_replay_break(replay);
        break;
    case CAIRN_FLOW_DATA: counts->data++; break;
    case CAIRN_FLOW_INSTRUMENTATION: counts->instrumentation++; break;
    /* What leads there tells the unit. */
    case CAIRN_FLOW_EXCEPTION_RETURN:
    case CAIRN_FLOW_FUNCTION_RETURN:
    case CAIRN_FLOW_TIMESTAMP_MARKER:
    case CAIRN_FLOW_SYNC:
    case CAIRN_FLOW_WARNING: break;
    }
}

cairn_status cairn_replay_records(struct cairn_replay *replay, const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count && replay->status == CAIRN_OK; i++) {
        const struct record record = {
            .kind = batch->kind[i],
            .flags = batch->flags[i],
            .isa = (enum cairn_isa)batch->isa[i],
            .offset = batch->offset[i],
            .address = batch->address[i],
            .value = batch->value[i],
        };

        if (record.kind == CAIRN_FLOW_RANGE)
            replay->counts.instructions += batch->instructions[i];
        take(replay, &record);
    }
    return replay->status;
}
