/* SPDX-License-Identifier: BSD-2-Clause */
/* Records: made by the follower a few at a time, handed to the caller as its batch has room. */
#include "flow/follow.h"

#include <string.h>

struct cairn_record *cairn_follow_record(struct cairn_flow *flow, enum cairn_flow_kind kind)
{
    struct cairn_record *record = &flow->pending[flow->count++];

    memset(record, 0, sizeof *record);
    record->kind = (uint8_t)kind;
    record->offset = flow->offset;
    record->length = flow->length;
    return record;
}

/* An element is lost once, whatever fails for want of it. */
static void count_lost(struct cairn_flow *flow, enum cairn_account reason)
{
    if (flow->tells && flow->ledger && (unsigned)reason < CAIRN_LEDGER_ACCOUNTS)
        flow->ledger->lost[reason]++;
    flow->tells = false;
}

/* One record a packet, whatever of it failed first: the ledger moves its bytes once. */
void cairn_follow_gap(struct cairn_flow *flow, enum cairn_account reason, uint64_t address)
{
    struct cairn_record *record;

    count_lost(flow, reason);
    if (reason != CAIRN_GAP_LOST) { /* which is no packet's */
        if (flow->gap_given && flow->offset <= flow->gap_offset)
            return;
        flow->gap_given = true;
        flow->gap_offset = flow->offset;
    }
    record = cairn_follow_record(flow, CAIRN_FLOW_GAP);
    record->value = reason;
    record->address = address;
}

void cairn_follow_warn(struct cairn_flow *flow, enum cairn_flow_warning warning, uint64_t address)
{
    struct cairn_record *record = cairn_follow_record(flow, CAIRN_FLOW_WARNING);

    record->value = warning;
    record->address = address;
}

void cairn_follow_own_data(struct cairn_flow *flow)
{
    unsigned count = 0;

    for (unsigned i = 0; i < flow->count; i++) {
        struct cairn_record *record = &flow->pending[i];
        struct cairn_word_event event = {.kind = record->kind,
                                         .isa = record->isa,
                                         .flags = record->flags,
                                         .instructions = record->instructions,
                                         .address = record->address,
                                         .value = record->value};

        if (!cairn_data_pass(&flow->data, flow->config->rules.m_profile, &event))
            continue;
        record->isa = event.isa;
        record->flags = event.flags;
        record->instructions = event.instructions;
        record->address = event.address;
        flow->pending[count++] = *record;
    }
    flow->count = count;
}

static void put(const struct cairn_record *record, struct cairn_flow_batch *out)
{
    const size_t i = out->count++;

    out->kind[i] = record->kind;
    out->isa[i] = record->isa;
    out->flags[i] = record->flags;
    out->instructions[i] = record->instructions;
    out->offset[i] = record->offset;
    out->length[i] = record->length;
    out->address[i] = record->address;
    out->value[i] = record->value;
}

/* The same where the caller left out columns. */
static void put_some(const struct cairn_record *record, struct cairn_flow_batch *out)
{
    const size_t i = out->count++;

    if (out->kind)
        out->kind[i] = record->kind;
    if (out->isa)
        out->isa[i] = record->isa;
    if (out->flags)
        out->flags[i] = record->flags;
    if (out->instructions)
        out->instructions[i] = record->instructions;
    if (out->offset)
        out->offset[i] = record->offset;
    if (out->length)
        out->length[i] = record->length;
    if (out->address)
        out->address[i] = record->address;
    if (out->value)
        out->value[i] = record->value;
}

bool cairn_follow_has_all_columns(const struct cairn_flow_batch *out)
{
    return out->kind && out->isa && out->flags && out->instructions && out->offset && out->length &&
           out->address && out->value;
}

void cairn_follow_give(struct cairn_flow *flow, struct cairn_flow_batch *out)
{
    while (flow->given < flow->count && out->count < out->capacity) {
        if (flow->all_columns)
            put(&flow->pending[flow->given++], out);
        else
            put_some(&flow->pending[flow->given++], out);
    }
}
