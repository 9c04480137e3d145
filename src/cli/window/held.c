/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/window/held.h"

/* Whether a Data record names the instruction that made it. */
static bool has_instruction(unsigned flags, uint32_t form)
{
    return !(flags & (CAIRN_FLOW_UNKNOWN | CAIRN_FLOW_BY_CORE)) && !CAIRN_FLOW_DATA_IS_LATE(form);
}

/* Of the same run of the same instruction as what is held: transfers are counted from 0. */
static bool is_same(const struct cli_held *held, const struct cairn_flow_batch *batch, size_t index)
{
    const uint32_t form = batch->instructions[index];

    for (size_t i = held->count; i-- > 0;)
        if (has_instruction(held->flags[i], held->instructions[i]))
            return (uint32_t)held->address[i] == (uint32_t)batch->address[index] &&
                   CAIRN_FLOW_DATA_TRANSFER(held->instructions[i]) <=
                       CAIRN_FLOW_DATA_TRANSFER(form);
    return true;
}

enum cli_held_end cli_held_next(const struct cli_held *held, const struct cairn_flow_batch *batch,
                                size_t index)
{
    switch (batch->kind[index]) {
    case CAIRN_FLOW_RANGE:
        return batch->flags[index] & CAIRN_FLOW_TRANSFER ? CLI_HELD_COMPLETE : CLI_HELD_GOES_ON;
    case CAIRN_FLOW_DATA:
        if (held->count == CLI_HELD_MOST || (batch->flags[index] & CAIRN_FLOW_BY_CORE))
            return CLI_HELD_BROKEN;
        if (has_instruction(batch->flags[index], batch->instructions[index]) &&
            !is_same(held, batch, index))
            return CLI_HELD_COMPLETE;
        return CLI_HELD_GOES_ON;
    /* An exception may have paused it (M profile); and what follows may be read elsewhere. */
    case CAIRN_FLOW_EXCEPTION:
    case CAIRN_FLOW_CONTEXT:
    case CAIRN_FLOW_GAP:
    case CAIRN_FLOW_TRACE_ON:
    case CAIRN_FLOW_OVERFLOW:
    case CAIRN_FLOW_TIMESTAMP: return CLI_HELD_BROKEN;
    default: return CLI_HELD_GOES_ON;
    }
}

void cli_held_add(struct cli_held *held, const struct cairn_flow_batch *batch, size_t index,
                  const struct cairn_origin *origin)
{
    const size_t i = held->count++;

    held->origin[i] = *origin;
    held->kind[i] = batch->kind[index];
    held->isa[i] = batch->isa[index];
    held->flags[i] = batch->flags[index];
    held->instructions[i] = batch->instructions[index];
    held->offset[i] = batch->offset[index];
    held->length[i] = batch->length[index];
    held->address[i] = batch->address[index];
    held->value[i] = batch->value[index];
}

struct cairn_flow_batch cli_held_batch(struct cli_held *held)
{
    return (struct cairn_flow_batch){
        .size = sizeof(struct cairn_flow_batch),
        .capacity = CLI_HELD_MOST,
        .count = held->count,
        .kind = held->kind,
        .isa = held->isa,
        .flags = held->flags,
        .instructions = held->instructions,
        .offset = held->offset,
        .length = held->length,
        .address = held->address,
        .value = held->value,
    };
}
