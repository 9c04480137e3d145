/* SPDX-License-Identifier: BSD-2-Clause */
/* Any samples of an ETMv2's trace port: packets tile them however they are cut, and the engine and the
 * reference path make the same of them. The first four bytes are the registers, and what the program is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn.h>

#include "tests/engine/compare.h"

enum {
    HEADER = 4,
    CODE = 1024, /* bytes of program, at 0 and at BASE */
    BASE = 0x8000,
    CAPACITY = 64,
    PORTS = 3,
};

struct sum {
    uint64_t hash, bytes, packets;
};

static void mix(struct sum *sum, uint64_t value)
{
    sum->hash = (sum->hash ^ value) * 0x100000001b3ull;
}

static void add(struct sum *sum, struct cairn_packet_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->offset[i] != sum->bytes || batch->length[i] == 0)
            abort(); /* packets tile the input */
        sum->bytes += batch->length[i];
        sum->packets++;
        mix(sum, batch->kind[i]);
        mix(sum, batch->length[i]);
        mix(sum, batch->fields[i].address);
        mix(sum, batch->fields[i].count);
    }
    batch->count = 0;
}

static struct sum decode(struct cairn_config *config, const uint8_t *data, size_t size, size_t step,
                         size_t capacity)
{
    struct sum sum = {.hash = 0xcbf29ce484222325ull};
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;

    if (cairn_packets_new(config, &packets) != CAIRN_OK ||
        cairn_packet_batch_new(capacity, &batch) != CAIRN_OK)
        abort();
    for (size_t at = 0; at < size;) {
        const size_t end = size - at < step ? size : at + step;

        while (at < end) {
            if (cairn_packets_run(packets, data, end, &at, batch) != CAIRN_OK)
                abort();
            add(&sum, batch);
        }
    }
    for (;;) {
        if (cairn_packets_finish(packets, batch) != CAIRN_OK)
            abort();
        if (batch->count == 0)
            break;
        add(&sum, batch);
    }
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    return sum;
}

static struct cairn_config *configure(const uint8_t *header)
{
    const struct cairn_register registers[] = {
        {"ETMIDR", 0x41002100u | (header[0] & 1u) << 4},
        {"ETMCR", (header[1] & 0xcu) | (header[0] >> 1 & 1u) << 1 | (header[1] & 3u) % PORTS << 4 |
                      (header[1] >> 4 & 1u) << 12 | (header[1] >> 5 & 3u) << 14},
        {"HIVECS", header[1] >> 7},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;

    source.protocol = CAIRN_PROTOCOL_ETMV2;
    source.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A, .major = 5};
    source.registers = registers;
    source.register_count = header[0] & 4 ? 3 : 2;
    return cairn_config_new(&source, &config, NULL) == CAIRN_OK ? config : NULL;
}

/* Instructions of every kind, in A32 and T32 reading. */
static struct cairn_image *make_image(uint32_t seed)
{
    static const uint32_t words[] = {0xe1a00000, 0xe5901000, 0x0a000002, 0xeafffff8,
                                     0xe590f000, 0xe8908006, 0xef000000, 0xe12fff1e,
                                     0xf800f000, 0x4770bd80, 0xe7f000f0, 0xee010f10};
    const struct cairn_scope any = cairn_scope_any();
    struct cairn_image *image;
    uint8_t code[CODE];

    for (size_t i = 0; i < CODE; i++) {
        if (i % 4 == 0)
            seed = seed * 1664525 + 1013904223;
        code[i] = (uint8_t)(words[(seed >> 16) % (sizeof words / sizeof *words)] >> (8 * (i % 4)));
    }
    if (cairn_image_new(&image) != CAIRN_OK ||
        cairn_image_add_bytes(image, "low", &any, CAIRN_ORDER_LITTLE, 0, code, CODE, NULL) !=
            CAIRN_OK ||
        cairn_image_add_bytes(image, "code", &any, CAIRN_ORDER_LITTLE, BASE, code, CODE, NULL) !=
            CAIRN_OK)
        abort();
    return image;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER)
        return 0;
    struct engine_case input = {
        .config = configure(data), .data = data + HEADER, .size = size - HEADER};

    if (!input.config)
        abort(); /* every such value is one that a unit may have */
    input.image = make_image(data[2]);
    const struct sum whole = decode(input.config, input.data, input.size, input.size, CAPACITY);
    const struct sum bytes = decode(input.config, input.data, input.size, 1, CAPACITY);
    const struct sum narrow = decode(input.config, input.data, input.size, 7, 1);

    if (whole.bytes != input.size)
        abort(); /* every byte is in exactly one packet */
    if (memcmp(&whole, &bytes, sizeof whole) != 0 || memcmp(&whole, &narrow, sizeof whole) != 0)
        abort(); /* cutting changes nothing */
    if (!engine_compare_ways(&input, UINT32_C(1) << (data[3] & 15), data[3], stderr))
        abort();
    cairn_image_unref(input.image);
    cairn_config_unref(input.config);
    return 0;
}
