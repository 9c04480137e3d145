/* SPDX-License-Identifier: BSD-2-Clause */
#include "isa/plain.h"

#include <stdbool.h>

/* DDI0487 C4.1: op0 is bits 28:25. 101x are branches and system instructions; 0000, 0001 and 0011
 * are reserved, SME and unallocated. The rest is SVE, data processing, loads and stores. A set has
 * a bit for each op0. */
#define PLAIN 0xf3f4u
#define UNBRANCHED 0xf3ffu

static inline size_t run(const uint8_t *bytes, size_t count, unsigned set)
{
    size_t i = 0;

    for (; i < count; i++, bytes += 4) {
        const unsigned op0 = bytes[3] >> 1 & 0xfu;

        if (!(set >> op0 & 1))
            break;
    }
    return i;
}

size_t cairn_a64_plain_run(const uint8_t *bytes, size_t count)
{
    return run(bytes, count, PLAIN);
}

size_t cairn_a64_unbranched_run(const uint8_t *bytes, size_t count)
{
    return run(bytes, count, UNBRANCHED);
}
