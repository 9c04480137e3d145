/* SPDX-License-Identifier: BSD-2-Clause */
/* A small random program: what the generator knows of its own instructions is the truth that both
 * decoders are compared with. It shares nothing with the library's classifier. */
#ifndef CAIRN_TESTS_PEERS_PROGRAM_H
#define CAIRN_TESTS_PEERS_PROGRAM_H

#include <cairn/isa.h>
#include <stddef.h>

#include "random.h"

enum {
    PEER_OPS_MAX = 512,
    PEER_REGIONS_MAX = 6,
    PEER_REGION_BYTES = 512,
};

enum peer_op_kind {
    PEER_OP_PLAIN,
    PEER_OP_DIRECT,
    PEER_OP_INDIRECT,
    PEER_OP_ISB,
    PEER_OP_WAIT, /* WFI, WFE */
    PEER_OP_CALL, /* SVC: always takes an exception */
};

#define PEER_OP_LINK (1u << 0)
#define PEER_OP_RETURN (1u << 1)    /* of a function */
#define PEER_OP_ERET (1u << 2)      /* of an exception */
#define PEER_OP_MAY_FALL (1u << 3)  /* conditional, by its encoding or an IT block */
#define PEER_OP_SAME_ISA (1u << 4)  /* cannot change the instruction set */
#define PEER_OP_INSIDE_IT (1u << 5) /* no branch may go here */
#define PEER_OP_OTHER_ISA (1u << 6) /* BLX with an immediate: always changes it */

struct peer_op {
    uint64_t address;
    uint32_t code;   /* 32-bit T32: the first halfword in bits 31:16 */
    uint32_t target; /* of a direct branch: index of an op */
    uint16_t flags;
    uint8_t size;
    uint8_t isa;
    uint8_t kind;
    uint8_t region;
};

struct peer_region {
    uint64_t address;
    uint32_t first; /* op */
    uint32_t count;
    uint32_t size; /* bytes */
    uint8_t isa;
    bool kernel;
    uint8_t bytes[PEER_REGION_BYTES];
};

struct peer_program {
    uint32_t op_count;
    unsigned region_count;
    struct peer_op ops[PEER_OPS_MAX];
    struct peer_region regions[PEER_REGIONS_MAX];
};

/* Which instruction sets the two privilege levels use. */
enum peer_family {
    PEER_FAMILY_A64,
    PEER_FAMILY_AARCH32,
    PEER_FAMILY_MIXED, /* an AArch32 user program under an A64 kernel */
    PEER_FAMILY_COUNT,
};

/* `without`: shapes with one of these PEER_OP_... or PEER_SHAPE_... bits are left out. */
void peer_program_make(struct peer_program *program, struct peer_random *random,
                       enum peer_family family, unsigned without);

/* The op at exactly this address in this instruction set, or NULL. */
const struct peer_op *peer_program_at(const struct peer_program *program, uint64_t address,
                                      enum cairn_isa isa);

/* A random op of that privilege where a branch may go: in `isa`, or CAIRN_ISA_UNKNOWN for any.
 * False when there is none. */
bool peer_program_pick(const struct peer_program *program, struct peer_random *random, bool kernel,
                       enum cairn_isa isa, uint32_t *op);

#endif
