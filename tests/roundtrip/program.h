/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of the round trips: those of tests/peers, with transactions put in, and an index. */
#ifndef CAIRN_TESTS_ROUNDTRIP_PROGRAM_H
#define CAIRN_TESTS_ROUNDTRIP_PROGRAM_H

#include <cairn/image.h>

#include "../peers/program.h"

/* Kinds of ops beside enum peer_op_kind. */
enum {
    TRIP_OP_TSTART = 32,  /* P0 */
    TRIP_OP_TCOMMIT = 33, /* no P0 instruction, but where a block is cut */
};

#define TRIP_NO_OP UINT32_MAX

struct trip_program {
    struct peer_program base;
    struct cairn_image *image;
    enum peer_family family;
    bool has_transactions;
    uint32_t at[PEER_REGIONS_MAX][PEER_REGION_BYTES / 2]; /* op that begins there, or TRIP_NO_OP */
};

/* The program of a seed. False when memory is short. */
bool trip_program_make(struct trip_program *program, uint64_t seed);
void trip_program_clear(struct trip_program *program);

/* The op that begins at `address` in `isa`, or TRIP_NO_OP. */
uint32_t trip_program_find(const struct trip_program *program, uint64_t address,
                           enum cairn_isa isa);

static inline const struct peer_op *trip_op(const struct trip_program *program, uint32_t op)
{
    return &program->base.ops[op];
}

static inline bool trip_op_in_kernel(const struct trip_program *program, uint32_t op)
{
    return program->base.regions[program->base.ops[op].region].kernel;
}

/* The op is the last of its region: nothing lies behind it. */
bool trip_op_is_last(const struct trip_program *program, uint32_t op);

/* The bytes from the op's first on. */
const uint8_t *trip_op_bytes(const struct trip_program *program, uint32_t op);

static inline bool trip_op_is_p0(const struct peer_op *op, bool waits_are_p0)
{
    return op->kind == PEER_OP_DIRECT || op->kind == PEER_OP_INDIRECT || op->kind == PEER_OP_ISB ||
           op->kind == TRIP_OP_TSTART || (op->kind == PEER_OP_WAIT && waits_are_p0);
}

#endif
