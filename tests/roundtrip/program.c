/* SPDX-License-Identifier: BSD-2-Clause */
#include "program.h"

#include <string.h>

enum {
    TRANSACTION_PERCENT = 40, /* of programs with A64 code that have transactions */
    TSTARTS_MOST = 5,
    COMMITS_EACH = 3,
};

/* The Arm ARM's encodings of TSTART X0 and TCOMMIT. */
#define A64_TSTART 0xd5233060u
#define A64_TCOMMIT 0xd503307fu

static void replace(struct trip_program *program, uint32_t index, unsigned kind, uint32_t code)
{
    struct peer_op *op = &program->base.ops[index];
    struct peer_region *region = &program->base.regions[op->region];
    uint8_t *bytes = region->bytes + (op->address - region->address);

    op->kind = (uint8_t)kind;
    op->code = code;
    op->flags = 0;
    for (unsigned i = 0; i < op->size; i++)
        bytes[i] = (uint8_t)(code >> (8 * i));
}

static void replace_some(struct trip_program *program, struct peer_random *random, unsigned count,
                         unsigned kind, uint32_t code)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t index = peer_random_below(random, program->base.op_count);
        const struct peer_op *op = trip_op(program, index);

        if (op->isa == CAIRN_ISA_A64 && op->kind == PEER_OP_PLAIN) {
            replace(program, index, kind, code);
            program->has_transactions = true;
        }
    }
}

static void put_transactions(struct trip_program *program, struct peer_random *random)
{
    const unsigned starts = peer_random_range(random, 1, TSTARTS_MOST);

    replace_some(program, random, starts, TRIP_OP_TSTART, A64_TSTART);
    replace_some(program, random, starts * COMMITS_EACH, TRIP_OP_TCOMMIT, A64_TCOMMIT);
}

static void make_index(struct trip_program *program)
{
    memset(program->at, 0xff, sizeof program->at);
    for (uint32_t i = 0; i < program->base.op_count; i++) {
        const struct peer_op *op = trip_op(program, i);

        program->at[op->region][(op->address - program->base.regions[op->region].address) / 2] = i;
    }
}

static bool make_image(struct trip_program *program)
{
    struct cairn_error error;

    if (cairn_image_new(&program->image) != CAIRN_OK)
        return false;
    for (unsigned i = 0; i < program->base.region_count; i++) {
        const struct peer_region *region = &program->base.regions[i];

        if (cairn_image_add_bytes(program->image, "region", NULL, CAIRN_ORDER_LITTLE,
                                  region->address, region->bytes, region->size, &error) != CAIRN_OK)
            return false;
    }
    return true;
}

bool trip_program_make(struct trip_program *program, uint64_t seed)
{
    struct peer_random random = {.state = seed};

    trip_program_clear(program);
    program->has_transactions = false;
    program->family = (enum peer_family)peer_random_below(&random, PEER_FAMILY_COUNT);
    peer_program_make(&program->base, &random, program->family, 0);
    if (peer_random_percent(&random, TRANSACTION_PERCENT))
        put_transactions(program, &random);
    make_index(program);
    return make_image(program);
}

void trip_program_clear(struct trip_program *program)
{
    cairn_image_unref(program->image);
    program->image = NULL;
}

uint32_t trip_program_find(const struct trip_program *program, uint64_t address, enum cairn_isa isa)
{
    for (unsigned i = 0; i < program->base.region_count; i++) {
        const struct peer_region *region = &program->base.regions[i];

        if (region->isa == isa && address - region->address < region->size && address % 2 == 0)
            return program->at[i][(address - region->address) / 2];
    }
    return TRIP_NO_OP;
}

bool trip_op_is_last(const struct trip_program *program, uint32_t op)
{
    const struct peer_region *region = &program->base.regions[trip_op(program, op)->region];

    return op + 1 == region->first + region->count;
}

const uint8_t *trip_op_bytes(const struct trip_program *program, uint32_t op)
{
    const struct peer_region *region = &program->base.regions[trip_op(program, op)->region];

    return region->bytes + (trip_op(program, op)->address - region->address);
}
