/* SPDX-License-Identifier: BSD-2-Clause */
#include "isa/plain.h"

#include <stdbool.h>

/* DDI0487 C4.1: op0 is bits 28:25. 101x are branches and system instructions; 0000, 0001 and 0011
 * are reserved, SME and unallocated. The rest is SVE, data processing, loads and stores. */
static bool is_plain(uint32_t word)
{
    const uint32_t op0 = (word >> 25) & 0xf;

    return (0xf3f4u >> op0) & 1;
}

size_t cairn_a64_plain_run(const uint8_t *bytes, size_t count)
{
    size_t i = 0;

    for (; i < count; i++, bytes += 4) {
        const uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                              (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;

        if (!is_plain(word))
            break;
    }
    return i;
}
