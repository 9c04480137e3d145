/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a file was loaded, by bytes that the capture has as well. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/golden.h"
#include "cli/session/bias.h"

#define SAMPLE 16u /* bytes: four instructions are seldom the same ones elsewhere */
#define SAMPLES ((size_t)1 << 15)
#define SLOTS (4 * SAMPLES)
#define STEP 4u
#define PAGE 4096u

struct sample {
    uint64_t address;
    const uint8_t *bytes; /* NULL: none */
    bool twice;           /* the same bytes are elsewhere, too */
};

static size_t slot_of(const uint8_t *bytes)
{
    const uint64_t low = cairn_load_le64(bytes), high = cairn_load_le64(bytes + 8);

    return (size_t)((((low * CAIRN_GOLDEN) ^ high) * CAIRN_GOLDEN) >> 40) % SLOTS;
}

/* Padding, zeros and the like tell nothing. */
static bool is_plain(const uint8_t *bytes)
{
    return !memcmp(bytes, bytes + STEP, SAMPLE - STEP);
}

static void keep(struct sample *samples, uint64_t address, const uint8_t *bytes)
{
    size_t at = slot_of(bytes);

    while (samples[at].bytes && memcmp(samples[at].bytes, bytes, SAMPLE))
        at = (at + 1) % SLOTS;
    if (samples[at].bytes)
        samples[at].twice |= samples[at].address != address;
    else
        samples[at] = (struct sample){.address = address, .bytes = bytes};
}

/* Takes samples at even distances from all layers. */
static void take_samples(struct sample *samples, const struct cairn_layers *layers, size_t count)
{
    struct cairn_bytes bytes;
    uint64_t total = 0;

    for (size_t i = 0; i < count; i++)
        if (cairn_layer_bytes(&layers->list[i], &bytes))
            total += bytes.size;
    const uint64_t step = (total / (SAMPLES / 2) / STEP + 1) * STEP;

    for (size_t i = 0, taken = 0; i < count; i++) {
        if (!cairn_layer_bytes(&layers->list[i], &bytes))
            continue;
        for (uint64_t at = -bytes.address % STEP;
             bytes.size >= SAMPLE && at <= bytes.size - SAMPLE && taken < SAMPLES; at += step)
            if (!is_plain(bytes.bytes + at)) {
                keep(samples, bytes.address + at, bytes.bytes + at);
                taken++;
            }
    }
}

void cli_bias_by_bytes(const struct cli_file_code *code, const struct cairn_layers *layers,
                       size_t count, struct cli_votes *votes)
{
    struct sample *samples = calloc(SLOTS, sizeof *samples);

    if (!samples)
        return;
    take_samples(samples, layers, count);
    for (size_t i = 0; i < code->count; i++) {
        const struct cairn_bytes *part = &code->parts[i];

        for (uint64_t at = -part->address % STEP; part->size >= SAMPLE && at <= part->size - SAMPLE;
             at += STEP) {
            const uint8_t *bytes = part->bytes + at;
            size_t slot = slot_of(bytes);

            while (samples[slot].bytes && memcmp(samples[slot].bytes, bytes, SAMPLE))
                slot = (slot + 1) % SLOTS;
            const uint64_t bias = samples[slot].address - (part->address + at);

            if (samples[slot].bytes && !samples[slot].twice && bias % PAGE == 0)
                cli_votes_add(votes, bias);
        }
    }
    free(samples);
}

static bool count_different(void *context, uint64_t address, uint64_t size)
{
    (void)address;
    *(uint64_t *)context += size;
    return true;
}

void cli_bias_compare(const struct cli_file_code *code, uint64_t bias,
                      const struct cairn_layers *layers, size_t count, uint64_t *same,
                      uint64_t *different)
{
    uint64_t both = 0;

    *different = 0;
    for (size_t i = 0; i < code->count; i++) {
        struct cairn_bytes part = code->parts[i], other;

        part.address += bias;
        if (part.size - 1 > UINT64_MAX - part.address)
            continue;
        for (size_t j = 0; j < count; j++)
            if (cairn_layer_bytes(&layers->list[j], &other))
                both += cairn_bytes_compare(&part, &other, STEP, count_different, different);
    }
    *same = both - *different;
}
