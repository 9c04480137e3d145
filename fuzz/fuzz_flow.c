/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes to flow on any input: the same records however the bytes and batches are cut, a ledger that
 * adds up, at most one gap a packet, and every range consistent in itself. */
#include "fuzz/setup.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 256 };

struct outcome {
    uint64_t hash;
    uint64_t records;
    uint64_t gap_bytes[CAIRN_LEDGER_ACCOUNTS];
    struct cairn_ledger ledger;
};

static void mix(struct outcome *outcome, uint64_t value)
{
    outcome->hash = (outcome->hash ^ value) * 0x100000001b3ull;
}

static void take(struct outcome *outcome, struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] > CAIRN_FLOW_DATA)
            abort();
        if (batch->kind[i] == CAIRN_FLOW_RANGE &&
            (batch->instructions[i] == 0 || batch->instructions[i] > 1u << 18))
            abort();
        if (batch->kind[i] == CAIRN_FLOW_GAP) {
            if (batch->value[i] > CAIRN_GAP_LOST)
                abort();
            outcome->gap_bytes[batch->value[i]] += batch->length[i];
        }
        mix(outcome, batch->kind[i]);
        mix(outcome, batch->flags[i]);
        mix(outcome, batch->offset[i]);
        mix(outcome, batch->address[i]);
        mix(outcome, batch->value[i]);
        outcome->records++;
    }
    batch->count = 0;
}

static void decode(const struct fuzz_setup *setup, const uint8_t *data, size_t size, size_t step,
                   size_t capacity, struct outcome *outcome)
{
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *batch;

    memset(outcome, 0, sizeof *outcome);
    if (cairn_decoder_new(setup->config, setup->image, &decoder) != CAIRN_OK ||
        cairn_flow_batch_new(capacity, &batch) != CAIRN_OK)
        abort();
    for (size_t at = 0; at < size;) {
        const size_t end = size - at < step ? size : at + step;

        while (cairn_decoder_run(decoder, data, end, &at, batch) == CAIRN_OK && batch->count > 0)
            take(outcome, batch);
    }
    while (cairn_decoder_finish(decoder, batch) == CAIRN_OK && batch->count > 0)
        take(outcome, batch);
    outcome->ledger = *cairn_decoder_ledger(decoder);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
}

static void check_ledger(const struct outcome *outcome, size_t size)
{
    const struct cairn_ledger *ledger = &outcome->ledger;
    uint64_t sum = 0;

    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        if (ledger->account[i].bytes > size)
            abort();
        sum += ledger->account[i].bytes;
    }
    if (ledger->total != size || sum != size)
        abort();
    for (unsigned i = CAIRN_GAP_NOT_DECODED; i < CAIRN_LEDGER_ACCOUNTS; i++)
        if (ledger->account[i].bytes != outcome->gap_bytes[i])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_setup setup;
    struct outcome whole;
    struct outcome pieces;

    if (!fuzz_setup_begin(&setup, &data, &size))
        return 0;
    decode(&setup, data, size, size, CAPACITY, &whole);
    decode(&setup, data, size, 3, 1, &pieces);
    check_ledger(&whole, size);
    if (memcmp(&whole, &pieces, sizeof whole) != 0)
        abort();
    fuzz_setup_end(&setup);
    return 0;
}
