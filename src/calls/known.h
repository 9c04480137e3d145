/* SPDX-License-Identifier: BSD-2-Clause */
/* What a dictionary's blocks and paths mean for calls: worked out once, when a path is first met. */
#ifndef CAIRN_CALLS_KNOWN_H
#define CAIRN_CALLS_KNOWN_H

#include "calls/counted.h"
#include "calls/functions.h"
#include "calls/watch.h"

/* How control leaves a block. */
enum cairn_call_way {
    CAIRN_WAY_ON = 0,     /* to what is behind it, or elsewhere in the function */
    CAIRN_WAY_CALL = 1,   /* by a Branch with Link */
    CAIRN_WAY_RETURN = 2, /* by a return */
    CAIRN_WAY_JUMP = 3,   /* by another branch: an indirect one */
    CAIRN_WAY_ERET = 4,   /* by an exception return */
    CAIRN_WAY_EXCEPTION = 5,
    CAIRN_WAY_AWAY = 6,   /* not told: what comes next does not follow */
    CAIRN_WAY_DIRECT = 7, /* by a direct branch that is no call */
    CAIRN_WAY_PLACE = 8,  /* of a turn: none, but a place that is watched is reached */
};

/* Where a block is. There are many of these, of turns and of paths, and the cache has the fewer of them the larger they
 * are. */
struct cairn_call_target {
    uint32_t function : 28; /* of its first instruction: less than CAIRN_FUNCTIONS_MAX */
    bool starts : 1;        /* its function begins with it */
    bool lands : 1;         /* exceptions land there */
    bool is_plain : 1;      /* a call of the function is no more than that */
    bool is_stub : 1; /* nothing is told of one until it is seen what the function stands for */
};

struct cairn_known_block {
    uint32_t counted; /* 0: not known yet */
    uint32_t instructions;
    struct cairn_call_target to;
    uint8_t way[2]; /* enum cairn_call_way, for N and E */
    uint32_t first_mark, marks;
};

/* A watched place in a block. */
struct cairn_mark {
    uint32_t place;  /* which */
    uint32_t before; /* instructions of the block in front of it */
};

/* Going from one block of a path to the next one, where that is more than going on in a function. */
struct cairn_turn {
    uint64_t address; /* of the next block */
    uint64_t site;    /* of the instruction that goes there */
    struct cairn_call_target to;
    uint32_t place;    /* CAIRN_WAY_PLACE */
    uint32_t before;   /* instructions of the path in front of the next block */
    uint8_t site_size; /* bytes of that instruction; 0: it is the last one of all addresses */
    uint8_t way;
};

struct cairn_known_path {
    uint64_t address;            /* of its first block */
    uint32_t first, turns;       /* in the list of turns */
    struct cairn_call_target to; /* its first block */
    uint32_t instructions;
    uint32_t last;     /* its last block with instructions: 2 * block + outcome */
    uint8_t site_size; /* bytes of its last instruction, as of a turn's */
    uint8_t way;       /* how it is left */
    bool is_known;
};
_Static_assert(sizeof(struct cairn_turn) == 32 && sizeof(struct cairn_known_path) == 32,
               "they are parts of the cache's lines");

struct cairn_known {
    struct cairn_block_counts *counted;
    struct cairn_functions *functions;
    const struct cairn_arch *arch;
    uint32_t source;
    uint32_t generation;
    struct cairn_known_path *paths;
    uint64_t *sites;  /* of each path's last instruction */
    uint64_t *counts; /* words of each path */
    size_t path_count, path_capacity;
    struct cairn_known_block *blocks;
    struct
        cairn_known_sum { /* of a block: what paths have executed of it, while that is added up */
        uint64_t executed, taken;
    } * sums;
    size_t block_count, block_capacity;
    struct cairn_turn *turns; /* has_turns: else of a path only its blocks are known */
    size_t turn_count, turn_capacity;
    bool has_turns;
    const struct cairn_calls_watch *watch; /* NULL: nobody asks for places */
    struct cairn_mark *marks;
    size_t mark_count, mark_capacity;
};

/* What follows an instruction in memory: a call's return address. */
static inline uint64_t cairn_known_behind(uint64_t site, uint8_t size)
{
    return __builtin_expect(size != 0, 1) ? site + size : 0;
}

/* Zero it, and set what it knows of its surroundings. */
void cairn_known_free(struct cairn_known *known);

/* Makes room for the paths of a batch, whose dictionary may be a new one. */
CAIRN_MUST_CHECK cairn_status cairn_known_batch(struct cairn_known *known,
                                                const struct cairn_word_batch *batch);
/* Learns a path of the dictionary, whose memory is selected in the space. */
CAIRN_MUST_CHECK cairn_status cairn_known_learn(struct cairn_known *known,
                                                const struct cairn_dictionary *dictionary,
                                                const struct cairn_space *space, uint32_t path);
/* Adds what was counted so far to the blocks, and begins again. Returns how many instructions it was. */
uint64_t cairn_known_flush(struct cairn_known *known, const struct cairn_dictionary *dictionary);

/* A range of a flow as a block, under the space's place. */
struct cairn_code_block cairn_known_range(const struct cairn_known *known,
                                          const struct cairn_space *space,
                                          const struct cairn_range *range);

/* A block that is in no dictionary. Its marks are the list's last ones. */
CAIRN_MUST_CHECK cairn_status cairn_known_one(struct cairn_known *known,
                                              const struct cairn_space *space,
                                              const struct cairn_code_block *block,
                                              struct cairn_known_block *made);

#endif
