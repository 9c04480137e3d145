/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets, elements and the resolver on any bytes: the answer does not depend on how the bytes and
 * batches are cut, packets tile the input, and speculation never exceeds its bound. */
#include "fuzz/setup.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 64 };

struct totals {
    uint64_t hash;
    uint64_t bytes;
    uint64_t packets;
};

static void mix(struct totals *totals, uint64_t value)
{
    totals->hash = (totals->hash ^ value) * 0x100000001b3ull;
}

static void take_packets(struct totals *totals, struct cairn_packet_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->offset[i] != totals->bytes || batch->length[i] == 0)
            abort(); /* packets tile the input */
        totals->bytes += batch->length[i];
        totals->packets++;
        mix(totals, batch->kind[i]);
        mix(totals, batch->length[i]);
        mix(totals, batch->fields[i].address);
        mix(totals, batch->fields[i].value);
    }
    batch->count = 0;
}

/* Decodes in pieces of `step` bytes with batches of `capacity`. */
static struct totals decode(struct cairn_config *config, const uint8_t *data, size_t size,
                            size_t step, size_t capacity)
{
    struct totals totals = {.hash = 0xcbf29ce484222325ull};
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;

    if (cairn_packets_new(config, &packets) != CAIRN_OK ||
        cairn_packet_batch_new(capacity, &batch) != CAIRN_OK)
        abort();
    for (size_t at = 0; at < size;) {
        const size_t end = size - at < step ? size : at + step;

        while (cairn_packets_run(packets, data, end, &at, batch) == CAIRN_OK && batch->count > 0)
            take_packets(&totals, batch);
    }
    while (cairn_packets_finish(packets, batch) == CAIRN_OK && batch->count > 0)
        take_packets(&totals, batch);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    return totals;
}

/* ETMv3, which has packets alone: a bit that says so, and its registers behind it. */
enum { ETMV3 = 4, ETMV3_HEADER = 6 };

static bool begin_etmv3(struct fuzz_setup *setup, const uint8_t **data, size_t *size)
{
    const uint8_t *h = *data;

    if (*size < ETMV3_HEADER)
        return false;
    const struct cairn_register registers[] = {
        {"ETMIDR", 0x41000200u | (uint32_t)(h[1] & 7) << 4 | (uint32_t)(h[1] >> 3 & 0x1f) << 16},
        {"ETMCR", (uint32_t)h[2] | (uint32_t)h[3] << 8 | (uint32_t)h[4] << 16 | 0x50000000u},
        {"ETMCCER", (uint32_t)h[5] << 24},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = cairn_arch_any_a();
    if (h[0] & 2)
        source.arch.profile = CAIRN_PROFILE_M;
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    *data += ETMV3_HEADER;
    *size -= ETMV3_HEADER;
    return cairn_config_new(&source, &setup->config, NULL) == CAIRN_OK;
}

static bool begin(struct fuzz_setup *setup, const uint8_t **data, size_t *size)
{
    if (*size > 0 && **data & ETMV3)
        return begin_etmv3(setup, data, size);
    return fuzz_setup_begin(setup, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_setup setup = {0};

    if (!begin(&setup, &data, &size))
        return 0;
    const struct totals whole = decode(setup.config, data, size, size, CAPACITY);
    const struct totals bytewise = decode(setup.config, data, size, 1, CAPACITY);
    const struct totals narrow = decode(setup.config, data, size, 7, 1);

    if (whole.bytes != size)
        abort(); /* every byte is in exactly one packet */
    if (memcmp(&whole, &bytewise, sizeof whole) != 0 || memcmp(&whole, &narrow, sizeof whole) != 0)
        abort(); /* cutting changes nothing */
    fuzz_setup_end(&setup);
    return 0;
}
