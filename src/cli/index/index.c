/* SPDX-License-Identifier: BSD-2-Clause */
/* What writing an index and reading it have in common. */
#include "cli/index/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/golden.h"
#include "image/compare.h"
#include "image/layer.h"

/* --- hashes --- */

#define LANES 8u
#define STRIPE (LANES * sizeof(uint64_t))
#define ODD UINT64_C(0xd6e8feb86659fd93)

/* Each step maps what was before one to one, so a change in a lane is never lost. */
static uint64_t mix(uint64_t lane, uint64_t value)
{
    lane = (lane ^ value) * ODD;
    return lane ^ lane >> 32;
}

static void take_stripe(uint64_t lane[LANES], const uint8_t *bytes)
{
    for (unsigned i = 0; i < LANES; i++)
        lane[i] = mix(lane[i], cairn_load_le64(bytes + i * sizeof(uint64_t)));
}

uint64_t cli_index_hash(uint64_t before, const uint8_t *bytes, size_t size)
{
    uint64_t lane[LANES], hash = mix(before, size);
    size_t at = 0;

    for (unsigned i = 0; i < LANES; i++)
        lane[i] = before + (i + 1) * CAIRN_GOLDEN;
    for (; size - at >= STRIPE; at += STRIPE)
        take_stripe(lane, bytes + at);
    if (at < size) {
        uint8_t rest[STRIPE] = {0};

        memcpy(rest, bytes + at, size - at);
        take_stripe(lane, rest);
    }
    for (unsigned i = 0; i < LANES; i++)
        hash = mix(hash, lane[i]);
    return hash;
}

static uint64_t add_number(uint64_t hash, uint64_t number)
{
    uint8_t bytes[sizeof number];

    cairn_store_le64(bytes, number);
    return cli_index_hash(hash, bytes, sizeof bytes);
}

static uint64_t add_text(uint64_t hash, const char *text)
{
    return cli_index_hash(hash, (const uint8_t *)text, strlen(text));
}

static uint64_t add_layer(uint64_t hash, const struct cairn_layer *layer)
{
    const struct cairn_scope *scope = &layer->scope;
    const uint64_t numbers[] = {
        layer->address,        layer->size,    (uint64_t)layer->order, (uint64_t)layer->precedence,
        scope->source,         scope->el_mask, scope->security_mask,   scope->any_vmid,
        scope->any_context_id, scope->vmid,    scope->context_id,      scope->epoch_from,
        scope->epoch_to};
    struct cairn_bytes bytes;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        hash = add_number(hash, numbers[i]);
    if (cairn_layer_bytes(layer, &bytes))
        hash = cli_index_hash(hash, bytes.bytes, (size_t)bytes.size);
    return hash;
}

uint64_t cli_index_key(struct cairn_capture *capture, size_t source)
{
    const struct cairn_layers *layers = cairn_image_layers(cairn_capture_image(capture));
    struct cairn_source_info info = {.size = sizeof info};
    uint64_t key = add_text(0, cairn_version());

    if (cairn_capture_source(capture, source, &info))
        return 0;
    key = add_number(key, source);
    key = add_number(key, (uint64_t)info.protocol);
    key = add_number(key, (uint64_t)info.arch.profile);
    key = add_number(key, (uint64_t)info.arch.major << 8 | info.arch.minor);
    key = add_number(key, info.arch.features);
    for (size_t i = 0; i < info.register_count; i++)
        key = add_number(add_text(key, info.registers[i].name), info.registers[i].value);
    for (size_t i = 0; i < layers->count; i++)
        key = add_layer(key, &layers->list[i]);
    return key;
}

/* --- where it is --- */

char *cli_index_path(const struct cairn_capture *capture, size_t source)
{
    static const char trace[] = ".bin", own[] = ".index";
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cairn_source_info info = {.size = sizeof info};

    if (cairn_capture_source(capture, source, &info) ||
        cairn_capture_buffer(capture, info.buffer, &buffer) ||
        buffer.format != CAIRN_FORMAT_SOURCE_DATA || !buffer.path)
        return NULL;
    const size_t length = strlen(buffer.path);
    if (length < sizeof trace || strcmp(buffer.path + length - (sizeof trace - 1), trace))
        return NULL;
    const size_t stem = length - (sizeof trace - 1);
    char *path = malloc(stem + sizeof own);
    if (!path)
        return NULL;
    memcpy(path, buffer.path, stem);
    memcpy(path + stem, own, sizeof own);
    return path;
}

/* --- blocks of the trace --- */

uint64_t cli_index_blocks(uint64_t size)
{
    return size / CLI_INDEX_BLOCK + (size % CLI_INDEX_BLOCK ? 1 : 0);
}

cairn_status cli_index_block(struct cli_index_bytes *bytes, uint64_t size, uint64_t *hash)
{
    struct cairn_chunk *chunk = &bytes->chunk;
    size_t done = 0;

    while (done < size) {
        if (bytes->used == chunk->size) {
            const cairn_status status = cairn_reader_next(bytes->reader, chunk);

            if (status)
                return status;
            if (!chunk->size)
                return CAIRN_E_IO;
            bytes->used = 0;
        }
        const size_t left = chunk->size - bytes->used;
        const size_t part = left < size - done ? left : (size_t)(size - done);
        if (part == size) { /* it stands together */
            *hash = cli_index_hash(0, chunk->data + bytes->used, part);
            bytes->used += part;
            return CAIRN_OK;
        }
        memcpy(bytes->bytes + done, chunk->data + bytes->used, part);
        bytes->used += part;
        done += part;
    }
    *hash = cli_index_hash(0, bytes->bytes, done);
    return CAIRN_OK;
}

/* --- numbers --- */

size_t cli_index_put(uint8_t *to, uint64_t number)
{
    size_t count = 0;

    for (; number >= 0x80; number >>= 7)
        to[count++] = (uint8_t)(number | 0x80);
    to[count++] = (uint8_t)number;
    return count;
}

bool cli_index_get(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    uint64_t value = 0;

    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*at)++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *number = value;
            return true;
        }
    }
    return false;
}
