/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each block was executed, over all dictionaries and sources. */
#ifndef CAIRN_CALLS_COUNTED_H
#define CAIRN_CALLS_COUNTED_H

#include <cairn/engine.h>

struct cairn_block_count {
    struct cairn_code_block block;
    struct cairn_place place; /* that it was first seen at */
    uint32_t source;          /* index in the capture */
    uint32_t function;        /* of its first instruction */
    uint64_t memory;          /* see cairn_block_counts_find */
    uint64_t executed;
    uint64_t taken;  /* E on its last instruction */
    uint64_t cycles; /* counted when it was the last one executed */
    bool is_whole;   /* all of it is known to be of the function */
};

/* Different blocks that are kept; more is CAIRN_E_LIMIT. */
#define CAIRN_BLOCK_COUNTS_MAX (1u << 24)

struct cairn_block_counts {
    struct cairn_block_count *list; /* 0 is none */
    uint32_t count, capacity;
    uint32_t *slots; /* an entry, and above it some bits of its hash; 0 is empty */
    unsigned bits;
};

/* Zero it first. */
void cairn_block_counts_free(struct cairn_block_counts *counted);

/* The entry of a block, new with counts of 0 if it was not known. Blocks are the same that have the same
 * instructions of the same function, or in memory that has the same number where the function does not tell: 0 is
 * that it does. */
CAIRN_MUST_CHECK cairn_status cairn_block_counts_find(struct cairn_block_counts *counted,
                                                      const struct cairn_code_block *block,
                                                      uint32_t function, uint64_t memory,
                                                      uint32_t *entry);

#endif
