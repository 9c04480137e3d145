/* SPDX-License-Identifier: BSD-2-Clause */
#include "decode.h"

#include <cairn/flow.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CHUNK_MOST = 40,
    BATCH_MOST = 64,
};

struct listener {
    const struct peer_trace *trace;
    struct peer_truth *truth;
    struct cairn_context context;
    bool good;
};

void peer_add_range(struct peer_truth *truth, const struct peer_program *program, uint64_t address,
                    uint64_t end, enum cairn_isa isa, const struct cairn_context *context,
                    enum peer_entry_kind last)
{
    struct peer_entry entry = {.isa = (uint8_t)isa, .context = *context};

    while (address < end) {
        const struct peer_op *op = peer_program_at(program, address, isa);

        entry.address = address;
        address += op ? op->size : end - address;
        entry.kind = (uint8_t)(address >= end ? last : PEER_PLAIN);
        peer_truth_add(truth, &entry);
    }
}

bool peer_program_image(const struct peer_program *program, struct cairn_image **image)
{
    struct cairn_error error;

    if (cairn_image_new(image) != CAIRN_OK)
        return false;
    for (unsigned i = 0; i < program->region_count; i++) {
        const struct peer_region *region = &program->regions[i];

        if (cairn_image_add_bytes(*image, "region", NULL, CAIRN_ORDER_LITTLE, region->address,
                                  region->bytes, region->size, &error) != CAIRN_OK) {
            printf("# %s\n", error.text);
            return false;
        }
    }
    return true;
}

static bool is_expected_warning(const struct listener *listener, uint64_t warning)
{
    switch ((enum cairn_flow_warning)warning) {
    case CAIRN_WARNING_IMPRECISE: return true; /* System Error */
    case CAIRN_WARNING_UNCERTAIN: return true; /* the last before a Discard */
    case CAIRN_WARNING_RESERVED_N: return false;
    default: return listener->trace->lossy;
    }
}

static void hear(struct listener *listener, const struct cairn_flow_batch *batch, size_t i)
{
    struct peer_truth *truth = listener->truth;
    const struct peer_entry exception = {
        .kind = PEER_EXCEPTION, .address = batch->address[i], .type = (uint16_t)batch->value[i]};
    const uint16_t flags = batch->flags[i];

    switch ((enum cairn_flow_kind)batch->kind[i]) {
    case CAIRN_FLOW_RANGE:
        peer_add_range(truth, &listener->trace->program, batch->address[i], batch->value[i],
                       (enum cairn_isa)batch->isa[i], &listener->context,
                       !(flags & CAIRN_FLOW_P0)     ? PEER_PLAIN
                       : (flags & CAIRN_FLOW_TAKEN) ? PEER_TAKEN
                                                    : PEER_NOT_TAKEN);
        break;
    case CAIRN_FLOW_CONTEXT:
        listener->context.vmid = (uint32_t)(batch->address[i] >> 32);
        listener->context.context_id = (uint32_t)batch->address[i];
        listener->context.EL = batch->value[i] & 3;
        listener->context.security = (batch->value[i] >> 2) & 3;
        listener->context.SF = (batch->value[i] >> 4) & 1;
        break;
    case CAIRN_FLOW_EXCEPTION: peer_truth_add(truth, &exception); break;
    case CAIRN_FLOW_TIMESTAMP: peer_truth_add_value(truth, PEER_TIMESTAMPS, batch->value[i]); break;
    case CAIRN_FLOW_CYCLES: peer_truth_add_value(truth, PEER_CYCLES, batch->value[i]); break;
    case CAIRN_FLOW_EVENT: peer_truth_add_value(truth, PEER_EVENTS, batch->value[i]); break;
    case CAIRN_FLOW_GAP:
        if (listener->trace->lossy)
            break;
        printf("# Cairn: a gap at offset %" PRIu64 ", address %" PRIx64 ": %s\n", batch->offset[i],
               batch->address[i], cairn_account_name((enum cairn_account)batch->value[i]));
        listener->good = false;
        break;
    case CAIRN_FLOW_WARNING:
        if (is_expected_warning(listener, batch->value[i]))
            break;
        printf("# Cairn: a warning at offset %" PRIu64 ", address %" PRIx64 ": %s\n",
               batch->offset[i], batch->address[i],
               cairn_flow_warning_text((unsigned)batch->value[i]));
        listener->good = false;
        break;
    default: break;
    }
}

static void hear_all(struct listener *listener, struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        hear(listener, batch, i);
    batch->count = 0;
}

static bool feed(struct cairn_decoder *decoder, struct listener *listener,
                 struct peer_random *random, struct cairn_flow_batch *batch)
{
    const struct peer_bytes *bytes = &listener->trace->bytes;
    const bool whole = peer_random_percent(random, 30);
    size_t end = 0, at, added;

    for (size_t begin = 0; begin < bytes->size; begin = end) {
        end = whole ? bytes->size : begin + peer_random_range(random, 1, CHUNK_MOST);
        if (end > bytes->size)
            end = bytes->size;
        for (at = 0; at < end - begin; hear_all(listener, batch))
            if (cairn_decoder_run(decoder, bytes->data + begin, end - begin, &at, batch) !=
                CAIRN_OK)
                return false;
        do { /* what did not fit into the last batch */
            if (cairn_decoder_run(decoder, bytes->data + begin, end - begin, &at, batch) !=
                CAIRN_OK)
                return false;
            added = batch->count;
            hear_all(listener, batch);
        } while (added > 0);
    }
    do {
        if (cairn_decoder_finish(decoder, batch) != CAIRN_OK)
            return false;
        added = batch->count;
        hear_all(listener, batch);
    } while (added > 0);
    return true;
}

static bool ledger_adds_up(const struct cairn_decoder *decoder, size_t size)
{
    const struct cairn_ledger *ledger = cairn_decoder_ledger(decoder);
    uint64_t sum = 0;

    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++)
        sum += ledger->account[i].bytes;
    if (ledger->total == size && sum == size)
        return true;
    printf("# Cairn: the ledger says %" PRIu64 " in all and %" PRIu64 " in its accounts of %zu\n",
           ledger->total, sum, size);
    return false;
}

bool peer_decode_cairn(const struct peer_trace *trace, struct cairn_config *config,
                       struct peer_random *random, struct peer_truth *truth)
{
    struct listener listener = {.trace = trace, .truth = truth, .good = true};
    struct cairn_image *image = NULL;
    struct cairn_decoder *decoder = NULL;
    struct cairn_flow_batch *batch = NULL;

    peer_truth_clear(truth);
    if (!peer_program_image(&trace->program, &image) ||
        cairn_decoder_new(config, image, &decoder) != CAIRN_OK ||
        cairn_flow_batch_new(peer_random_range(random, 1, BATCH_MOST), &batch) != CAIRN_OK ||
        !feed(decoder, &listener, random, batch)) {
        printf("# Cairn failed\n");
        listener.good = false;
    } else if (!ledger_adds_up(decoder, trace->bytes.size)) {
        listener.good = false;
    }
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_image_unref(image);
    return listener.good;
}
