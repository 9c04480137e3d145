/* SPDX-License-Identifier: BSD-2-Clause */
#include "isa/plain.h"

#include <string.h>

#include "base/bytes.h"

enum {
    SIZE = 4,  /* of an instruction */
    GROUP = 8, /* instructions looked at together */
};

/* DDI0487 C4.1: op0 is bits 28:25. 101x are branches and system instructions; 0000, 0001 and 0011
 * are reserved, SME and unallocated. The rest is SVE, data processing, loads and stores. */
#define BRANCHES_MASK 0x1c000000u /* op0 101x */
#define BRANCHES 0x14000000u
#define RESERVED_MASK 0x18000000u /* op0 00xx ... */
#define SVE_MASK 0x1e000000u      /* ... but for 0010 */
#define SVE 0x04000000u

/* Four instructions; what is found in them is told by all ones. */
typedef uint32_t words __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum stop {
    AT_BRANCH,
    AT_BRANCH_OR_RESERVED,
};

static inline words stops(words word, enum stop stop)
{
    words found = (words)((word & BRANCHES_MASK) == BRANCHES);

    if (stop == AT_BRANCH_OR_RESERVED)
        found |= (words)((word & RESERVED_MASK) == 0) & (words)((word & SVE_MASK) != SVE);
    return found;
}

static inline words load(const uint8_t *bytes)
{
    words made;

    memcpy(&made, bytes, sizeof made);
    for (unsigned i = 0; i < sizeof made / SIZE; i++)
        made[i] = cairn_le32(made[i]);
    return made;
}

/* Bit i: a run stops at instruction i of the eight. */
static inline uint32_t stops_of_group(const uint8_t *bytes, enum stop stop)
{
    const words low = stops(load(bytes), stop) & (words){1, 2, 4, 8};
    const words high = stops(load(bytes + sizeof low), stop) & (words){16, 32, 64, 128};
    const halves both = (halves)(low | high);
    const uint64_t all = both[0] | both[1];

    return (uint32_t)(all | all >> 32);
}

/* Blocks are short and end anywhere: with a group there is nothing to guess for the processor. */
static inline size_t run(const uint8_t *bytes, size_t count, enum stop stop)
{
    size_t i = 0;

    for (; count - i >= GROUP; i += GROUP) {
        const uint32_t found = stops_of_group(bytes + i * SIZE, stop);

        if (found)
            return i + (size_t)__builtin_ctz(found);
    }
    if (i < count) {
        uint8_t rest[GROUP * SIZE];
        uint32_t found;

        memset(rest, 0, sizeof rest);
        memcpy(rest, bytes + i * SIZE, (count - i) * SIZE);
        found = stops_of_group(rest, stop) | 1u << (count - i);
        i += (size_t)__builtin_ctz(found);
    }
    return i;
}

size_t cairn_a64_plain_run(const uint8_t *bytes, size_t count)
{
    return run(bytes, count, AT_BRANCH_OR_RESERVED);
}

size_t cairn_a64_unbranched_run(const uint8_t *bytes, size_t count)
{
    return run(bytes, count, AT_BRANCH);
}
