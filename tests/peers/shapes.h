/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodings of the instructions that random programs are made of, from the Arm ARM (DDI0487). */
#ifndef CAIRN_TESTS_PEERS_SHAPES_H
#define CAIRN_TESTS_PEERS_SHAPES_H

#include "program.h"

/* Where a direct branch has its offset. */
enum peer_offset {
    PEER_OFFSET_NONE,
    PEER_OFFSET_A64_26,
    PEER_OFFSET_A64_19,
    PEER_OFFSET_A64_14,
    PEER_OFFSET_A32_24,
    PEER_OFFSET_A32_BLX,
    PEER_OFFSET_T16_11,
    PEER_OFFSET_T16_8,
    PEER_OFFSET_T16_CBZ,
    PEER_OFFSET_T32_20,
    PEER_OFFSET_T32_24, /* B.W, BL */
    PEER_OFFSET_T32_BLX,
};

/* A32: bits 31:28 are a condition; with any but AL it may fall */
#define PEER_SHAPE_COND (1u << 8)
#define PEER_SHAPE_KERNEL (1u << 9)    /* only privileged code has it */
#define PEER_SHAPE_NOT_IT (1u << 10)   /* not inside an IT block */
#define PEER_SHAPE_PAUTH (1u << 11)    /* needs pointer authentication */
#define PEER_SHAPE_END (1u << 12)      /* always leaves: may be the last of a region */
#define PEER_SHAPE_UNSHARED (1u << 13) /* libopencsd 1.3.3 does not know it */
#define PEER_SHAPE_CALL (1u << 14)     /* SVC */

struct peer_shape {
    uint8_t isa;
    uint8_t size;
    uint8_t kind;
    uint8_t offset;
    uint8_t weight;
    uint16_t flags; /* PEER_OP_..., PEER_SHAPE_... */
    uint32_t code;
    uint32_t random; /* bits that may be anything */
};

/* A random shape by weight among those with all of `with` and none of `without` set, of `size`
 * bytes (0: any) and, when `plain`, of kind PLAIN. There always is one. */
const struct peer_shape *peer_shape_pick(struct peer_random *random, enum cairn_isa isa,
                                         unsigned size, bool plain, unsigned with,
                                         unsigned without);

/* Puts the offset of a branch into its code; false when it does not reach. */
bool peer_shape_aim(enum peer_offset offset, uint64_t from, uint64_t to, uint32_t *code);

#endif
