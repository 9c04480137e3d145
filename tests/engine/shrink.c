/* SPDX-License-Identifier: BSD-2-Clause */
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRIES_MOST = 4000,
    BYTES_A_LINE = 32,
    PRINTED_MOST = 1024,
};

static void print(const struct engine_case *input, FILE *report)
{
    for (size_t i = 0; i < input->size && i < PRINTED_MOST; i++)
        fprintf(report, "%s%02x", i % BYTES_A_LINE ? " " : i ? "\n#   " : "#   ", input->data[i]);
    fprintf(report, "\n");
}

/* Tries `input` without [at, at + count). True: it fails without them, and they are gone. */
static bool is_worth_it(struct engine_case *input, uint8_t *bytes, uint8_t *other, size_t at,
                        size_t count, uint32_t ways, uint64_t seed)
{
    struct engine_case shorter = *input;

    memcpy(other, bytes, at);
    memcpy(other + at, bytes + at + count, input->size - at - count);
    shorter.data = other;
    shorter.size = input->size - count;
    if (engine_compare_ways(&shorter, ways, seed, NULL))
        return false;
    memcpy(bytes, other, shorter.size);
    input->size = shorter.size;
    return true;
}

void engine_shrink(const struct engine_case *input, uint32_t ways, uint64_t seed, FILE *report)
{
    struct engine_case now = *input;
    uint8_t *bytes = malloc(input->size + 1);
    uint8_t *other = malloc(input->size + 1);
    unsigned tries = TRIES_MOST;
    uint32_t way = 1;

    while (way && (!(ways & way) || engine_compare_ways(input, way, seed, NULL)))
        way <<= 1;
    if (bytes && other && way) {
        bool better = true;

        memcpy(bytes, input->data, input->size);
        now.data = bytes;
        while (better && tries > 0) {
            better = false;
            for (size_t count = now.size / 2; count > 0 && tries > 0; count /= 2)
                for (size_t at = 0; at + count <= now.size && tries > 0; tries--) {
                    if (is_worth_it(&now, bytes, other, at, count, way, seed))
                        better = true;
                    else
                        at += count;
                }
        }
        fprintf(report, "# shortest, %zu bytes:\n", now.size);
        print(&now, report);
        engine_compare_ways(&now, way, seed, report);
    }
    free(bytes);
    free(other);
}
