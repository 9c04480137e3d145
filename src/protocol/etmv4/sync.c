/* SPDX-License-Identifier: BSD-2-Clause */
/* Alignment synchronisation is found by bytes, before any packet is parsed (DDI0608 D5.4): at least
 * eleven zeros and then 80. No legal packet holds eleven zeros in a row.
 *
 * Eleven zeros hold two words of zeros in a row, wherever words begin. So the search is for these,
 * sixteen words at once, and only where there are two does it look at bytes. */
#include "base/bytes.h"
#include "protocol/etmv4/payload.h"

#include <string.h>

enum {
    WORD = 4,
    PAIR = 2 * WORD,
    VECTORS = 4, /* looked at together */
};

typedef uint32_t words __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

#define GROUP (VECTORS * sizeof(words))

/* True when one of the words of a group is zero, and the word behind it: GROUP + WORD bytes. */
static bool has_zero_pair(const uint8_t *bytes)
{
    words found = {0};
    halves both;

    for (size_t i = 0; i < GROUP; i += sizeof(words)) {
        words word, next;

        memcpy(&word, bytes + i, sizeof word);
        memcpy(&next, bytes + i + WORD, sizeof next);
        found |= (words)((word | next) == 0);
    }
    both = (halves)found;
    return (both[0] | both[1]) != 0;
}

/* The first of the words from `at` on that is zero with the one behind it, or `size`. */
static size_t find_zero_pair(const uint8_t *data, size_t size, size_t at)
{
    while (size - at >= GROUP + WORD && !has_zero_pair(data + at))
        at += GROUP;
    while (size - at >= PAIR && cairn_load_le64(data + at) != 0)
        at += WORD;
    return size - at >= PAIR ? at : size;
}

/* The first byte from `at` on that is not zero, or `size`. */
static size_t skip_zeros(const uint8_t *data, size_t size, size_t at)
{
    while (size - at >= 2 * PAIR &&
           (cairn_load_le64(data + at) | cairn_load_le64(data + at + PAIR)) == 0)
        at += 2 * PAIR;
    while (at < size && data[at] == 0)
        at++;
    return at;
}

size_t cairn_etmv4_find_sync(const uint8_t *data, size_t size, size_t from)
{
    size_t at = from;

    while (at < size) {
        size_t begin = find_zero_pair(data, size, at);
        const size_t end = begin < size ? skip_zeros(data, size, begin + PAIR) : size;

        if (end == size)
            break;
        while (begin > from && data[begin - 1] == 0)
            begin--;
        if (data[end] == CAIRN_ETMV4_ASYNC_END && end - begin >= CAIRN_ETMV4_ASYNC_ZEROS)
            return end - CAIRN_ETMV4_ASYNC_ZEROS;
        at = end + 1;
    }
    return size;
}
