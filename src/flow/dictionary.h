/* SPDX-License-Identifier: BSD-2-Clause */
/* What path ids mean: paths, their steps, and the blocks that these are of. One generation at a
 * time; all of it is given up at once when there is no room left. */
#ifndef CAIRN_FLOW_DICTIONARY_H
#define CAIRN_FLOW_DICTIONARY_H

#include <cairn/engine.h>

/* Steps of the longest path: eight packets of 24 atoms. */
#define CAIRN_PATH_STEPS_MAX 192u

/* Whether a block is a half of a 32-bit Thumb instruction. The first half has no instruction: with
 * the second it has been executed. */
enum cairn_block_half {
    CAIRN_BLOCK_WHOLE,
    CAIRN_BLOCK_FIRST_HALF,
    CAIRN_BLOCK_SECOND_HALF, /* address and end are those of the instruction */
};

/* What only the building of paths needs of a block. */
struct cairn_block_more {
    uint64_t target;       /* of a direct branch */
    uint64_t undefined_at; /* with CAIRN_BLOCK_UNDEFINED */
    uint32_t view;         /* of memory, that it was found in */
    uint32_t sizes;        /* T32, instructions of both sizes: where they begin in the dictionary's
                              `sizes`; 0: they are all alike. add_block sets it */
    uint8_t target_isa;
    uint8_t half; /* enum cairn_block_half */
};

/* What going from block to block needs of one, all in one place. */
struct cairn_block_link {
    uint32_t next[2]; /* block behind it for N and E, in the same view; 0: not known, or
                         CAIRN_LINK_NEED */
    uint32_t instructions;
    uint32_t flags; /* CAIRN_BLOCK_... */
};
#define CAIRN_LINK_NEED UINT32_MAX /* a target that is still to come */

/* Address of the last instruction. Only the first one's may be beyond 32 bits in A32 and T32. */
static inline uint64_t cairn_block_last(const struct cairn_code_block *block)
{
    if (block->instructions == 1)
        return block->address;

    const uint64_t last = block->end - block->last_size;

    return block->isa == CAIRN_ISA_A64 ? last : last & UINT32_MAX;
}

struct cairn_dictionary {
    uint64_t limit; /* bytes that all tables together may have */
    uint64_t bytes; /* that they have */
    uint32_t generation;
    bool full; /* something did not fit */
    bool counting;
    bool uneven;        /* instructions of a block may not be four bytes apart: T32, or it wraps */
    bool m_profile;     /* of the core: exception returns unstack */
    bool portable;      /* views use no instructions beyond the build's own */
    uint8_t atoms[256]; /* of a packet byte; 0: it is no Atom packet */

    struct cairn_path *paths; /* 0 is none */
    uint64_t *counts;         /* by path, when counting; `flush` adds what is counted elsewhere */
    void (*flush)(void *owner);
    void *owner;
    uint32_t path_count;
    uint32_t path_capacity;

    uint32_t *steps; /* room for CAIRN_PATH_STEPS_MAX more than step_capacity: copies may overrun */
    uint32_t step_count;
    uint32_t step_capacity;

    struct cairn_code_block *blocks; /* 0 is none */
    struct cairn_block_more *more;
    struct cairn_block_link *links;
    uint32_t block_count;
    uint32_t block_capacity;

    uint64_t *sizes;     /* bit i of a block's words: its instruction i has four bytes, not two */
    uint32_t size_count; /* words of the blocks that there are; 0 is none's */
    uint32_t size_capacity;
    uint32_t size_noted; /* instructions of the block that is being built */
};

/* Atoms in each packet of a PACKETS path: which of its bytes step `step` belongs to. */
static inline unsigned cairn_path_packet(const struct cairn_dictionary *dictionary, uint64_t atoms,
                                         size_t step)
{
    unsigned byte = 0;

    for (;; byte++) {
        const unsigned count = dictionary->atoms[(atoms >> (8 * byte)) & 0xff];

        if (step < count || count == 0)
            return byte;
        step -= count;
    }
}

void cairn_dictionary_init(struct cairn_dictionary *dictionary, uint64_t limit, bool counting);
void cairn_dictionary_release(struct cairn_dictionary *dictionary);

/* Forgets all paths, and blocks too unless they are kept, and begins the next generation. Memory is
 * kept. */
void cairn_dictionary_clear(struct cairn_dictionary *dictionary, bool keep_blocks);

/* Memory of the blocks that there are. */
uint64_t cairn_dictionary_block_bytes(const struct cairn_dictionary *dictionary);

/* True when a table may grow by `bytes`; counts them then. False: the dictionary is full. */
bool cairn_dictionary_grow(struct cairn_dictionary *dictionary, uint64_t bytes);

/* Of a T32 block that is being built: its instruction `n` has `size` bytes (2 or 4). All of them
 * are told in order, 0 first, and the next cairn_dictionary_add_block keeps what the views need of
 * it. False when there is no room (`full` is set). */
bool cairn_dictionary_note_size(struct cairn_dictionary *dictionary, uint32_t n, unsigned size);

/* A new block or path; 0 when there is no room (`full` is set). `steps` are copied. */
uint32_t cairn_dictionary_add_block(struct cairn_dictionary *dictionary,
                                    const struct cairn_code_block *block,
                                    const struct cairn_block_more *more);
uint32_t cairn_dictionary_add_path(struct cairn_dictionary *dictionary, enum cairn_path_kind kind,
                                   uint64_t word, const uint32_t *steps, uint32_t count);

#endif
