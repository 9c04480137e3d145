/* SPDX-License-Identifier: BSD-2-Clause */
/* Random A32 and Thumb code, a random way through it, and what an ETMv1, or ETMv2, shows of that. The walk asks no
 * processor: conditions, data and targets are made up. */
#ifndef CAIRN_TESTS_PEERS_ETMV1_PROGRAM_H
#define CAIRN_TESTS_PEERS_ETMV1_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cairn/unit.h>

#define ETMV1_CODE UINT32_C(0x8000) /* A32 from here on, Thumb behind it */
#define ETMV1_THUMB UINT32_C(0x8400)
#define ETMV1_END UINT32_C(0x8800)
#define ETMV1_VECTORS 32u             /* bytes at 0: branches to A32 code */
#define ETMV1_SAMPLES_MOST (1u << 22) /* bytes */

/* What the walk may meet besides. */
#define ETMV1_PAIRS (1u << 0)       /* BL pairs of Thumb */
#define ETMV1_SWAPS (1u << 1)       /* SWP and SWPB */
#define ETMV1_BUSY (1u << 2)        /* branches whose addresses wait behind others */
#define ETMV1_TRIGGERS (1u << 3)    /* a trigger */
#define ETMV1_CONTEXTS (1u << 4)    /* Context IDs */
#define ETMV1_DATA_FIRST (1u << 5)  /* the first instruction may have data */
#define ETMV1_NARROW (1u << 6)      /* bytes and halfwords in Thumb state */
#define ETMV1_LOADS_STATE (1u << 7) /* loads of PC change the state, as from ARMv5 on */
#define ETMV1_EXCEPTIONS (1u << 8)  /* interrupts, aborts, undefined instructions */
#define ETMV1_DEBUG (1u << 9)       /* debug state, between two instructions */
/* of an ETMv2 */
#define ETMV1_FOLDS (1u << 10)   /* branch phantoms */
#define ETMV1_MISSES (1u << 11)  /* loads whose values come later */
#define ETMV1_FILTERS (1u << 12) /* TraceEnable goes on and off */

struct etmv1_walk {
    uint64_t random;
    uint32_t control; /* ETMCR */
    uint32_t inputs;  /* external ones */
    unsigned steps;
    unsigned features;
    bool v2;                        /* through an ETMv2 */
    uint32_t depth;                 /* of the FIFO; 0: the PE waits for the pins */
    uint64_t overflows, exceptions; /* of the unit, behind the walk */
    uint8_t code[ETMV1_END - ETMV1_CODE];
    uint8_t vectors[ETMV1_VECTORS];
    struct cairn_unit *unit;
    uint8_t *samples;
    size_t size;
    FILE *truth; /* a line an instruction, transfer or address; NULL: nobody reads it */
};

/* ETMCR, code and way by `seed`; the caller's features. */
void etmv1_walk_begin(struct etmv1_walk *walk, uint64_t seed, unsigned features);
/* Walks. False when there is no memory, or the unit failed. */
bool etmv1_walk_run(struct etmv1_walk *walk);
void etmv1_walk_end(struct etmv1_walk *walk);

#endif
