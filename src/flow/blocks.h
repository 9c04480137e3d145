/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks, worked out when first reached: address in a view -> block of the dictionary. */
#ifndef CAIRN_FLOW_BLOCKS_H
#define CAIRN_FLOW_BLOCKS_H

#include "flow/dictionary.h"
#include "flow/fetch.h"
#include "protocol/protocol.h"

/* A code address as the engine has it: bit 0 is set for T32. These two are none, and are no address
 * either that damaged trace gives for A32, where bit 1 may be set. NEED: behind a taken indirect
 * branch, the target is still to come. LOST: not known, or not to be followed without a second
 * look. */
#define CAIRN_CODE_NEED (~UINT64_C(1))
#define CAIRN_CODE_LOST (~UINT64_C(5))
/* Where each half of a 32-bit Thumb instruction has an atom: the second half of the one that is at
 * the address. */
#define CAIRN_CODE_HALF (UINT64_C(1) << 32)

struct cairn_blocks {
    struct cairn_dictionary *dictionary;
    struct cairn_follow_rules rules;
    struct cairn_fetch fetch; /* forgets when the space selects anew */
    uint32_t view;            /* of the memory that is selected */
    bool SF;                  /* AArch64 */
    uint64_t *slots;          /* view << 32 | id, by hash of view and address; 0 is empty */
    unsigned bits;
    uint32_t used;
};

void cairn_blocks_release(struct cairn_blocks *blocks);
void cairn_blocks_clear(struct cairn_blocks *blocks);

/* The block at a code address (no special one); 0 when the dictionary is full. */
uint32_t cairn_blocks_at(struct cairn_blocks *blocks, uint64_t code);

/* Asks for the memory that finding the block takes: first where it is looked up, some time later
 * what is found there. */
void cairn_blocks_ask(const struct cairn_blocks *blocks, uint64_t code, bool found);

/* The same as cairn_blocks_at, always a new one that nothing will find again: for traces where
 * nothing repeats. */
uint32_t cairn_blocks_fresh(struct cairn_blocks *blocks, uint64_t code);

/* Where execution goes on behind a block whose outcome is `taken`: a code address, or NEED. */
uint64_t cairn_blocks_behind(const struct cairn_blocks *blocks, uint32_t block, bool taken);

/* The block behind it; the outcome is not that of a taken indirect branch. 0: the dictionary is
 * full.
 */
uint32_t cairn_blocks_next(struct cairn_blocks *blocks, uint32_t block, bool taken);

#endif
