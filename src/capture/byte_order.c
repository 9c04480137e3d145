/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/byte_order.h"

#include <stdlib.h>

#include "capture/detect.h"

static size_t syncs_of(const uint8_t *sample, size_t size, uint64_t file_size)
{
    const struct cairn_format_guess guess = cairn_format_detect(sample, size, file_size);
    return guess.format == CAIRN_FORMAT_SOURCE_DATA ? guess.plain_syncs : guess.frame_syncs;
}

void cairn_reverse_words(const uint8_t *sample, size_t size, size_t word, uint8_t *reversed)
{
    for (size_t at = 0; at + word <= size; at += word) {
        for (size_t i = 0; i < word; i++)
            reversed[at + i] = sample[at + word - 1 - i];
    }
}

unsigned cairn_reversed_words(const uint8_t *sample, size_t size, uint64_t file_size, size_t *found)
{
    static const unsigned words[] = {4, 2, 8}; /* what is usual first */
    unsigned best = 0;
    *found = 0;
    if (syncs_of(sample, size, file_size))
        return 0;
    uint8_t *reversed = malloc(size + 1);
    for (size_t i = 0; reversed && i < sizeof words / sizeof words[0]; i++) {
        const size_t whole = size / words[i] * words[i];
        cairn_reverse_words(sample, whole, words[i], reversed);
        const size_t syncs = syncs_of(reversed, whole, file_size);
        if (syncs > *found) {
            *found = syncs;
            best = words[i];
        }
    }
    free(reversed);
    return best;
}
