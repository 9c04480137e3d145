/* SPDX-License-Identifier: BSD-2-Clause */
#include "program.h"

#include <string.h>

#include "shapes.h"

enum {
    OPS_LEAST = 6, /* in a region */
    OPS_MOST = 40,
    IT_PERCENT = 12,
    BRANCH_AL_PERCENT = 35, /* of A32 instructions that can be conditional */
    AIM_TRIES = 12,
    A32_NOP = 0xe320f000,
    COND_AL = 14,
};

#define A64_NOP 0xd503201fu
#define T16_NOP 0xbf00u
#define T32_NOP 0xf3af8000u
#define T16_IT 0xbf00u

/* What is known of an op before it has an address. */
struct plan {
    enum peer_offset offset;
};

struct maker {
    struct peer_program *program;
    struct peer_random *random;
    unsigned without;
    struct plan plans[PEER_OPS_MAX];
};

static unsigned without(const struct maker *maker, const struct peer_region *region)
{
    return (region->kernel ? 0 : PEER_SHAPE_KERNEL) | maker->without;
}

static void set_condition(struct maker *maker, struct peer_op *op, unsigned shape_flags)
{
    if (!(shape_flags & PEER_SHAPE_COND))
        return;
    if (peer_random_percent(maker->random, BRANCH_AL_PERCENT)) {
        op->code |= (uint32_t)COND_AL << 28;
        return;
    }
    op->code |= peer_random_below(maker->random, COND_AL) << 28;
    op->flags |= PEER_OP_MAY_FALL;
}

static struct peer_op *add(struct maker *maker, struct peer_region *region,
                           const struct peer_shape *shape)
{
    struct peer_program *program = maker->program;
    struct peer_op *op = &program->ops[program->op_count];

    maker->plans[program->op_count++].offset = (enum peer_offset)shape->offset;
    memset(op, 0, sizeof *op);
    op->region = (uint8_t)(region - program->regions);
    op->isa = shape->isa;
    op->kind = shape->kind;
    op->size = shape->size;
    op->flags = shape->flags & 0xff;
    op->code = shape->code | ((uint32_t)peer_random_64(maker->random) & shape->random);
    set_condition(maker, op, shape->flags);
    region->count++;
    region->size += op->size;
    return op;
}

/* IT and its one to four instructions; a branch can only be the last. */
static void add_it_block(struct maker *maker, struct peer_region *region)
{
    const unsigned count = peer_random_range(maker->random, 1, 4);
    const bool always = peer_random_percent(maker->random, 15);
    const uint32_t cond = always ? COND_AL : peer_random_below(maker->random, COND_AL);
    const struct peer_shape it = {.isa = CAIRN_ISA_T32, .size = 2, .kind = PEER_OP_PLAIN};
    uint32_t mask = 1;

    /* From the last instruction to the second: then repeats bit 0 of the condition. */
    for (unsigned i = 1; i < count; i++) {
        const uint32_t then = cond & 1;
        const bool otherwise = !always && peer_random_percent(maker->random, 50);

        mask |= (otherwise ? then ^ 1 : then) << i;
    }
    mask <<= 4 - count;
    add(maker, region, &it)->code = T16_IT | cond << 4 | mask;
    for (unsigned i = 0; i < count; i++) {
        const bool plain = i + 1 < count || peer_random_percent(maker->random, 30);
        struct peer_op *op = add(maker, region,
                                 peer_shape_pick(maker->random, CAIRN_ISA_T32, 0, plain, 0,
                                                 without(maker, region) | PEER_SHAPE_NOT_IT));

        op->flags |= PEER_OP_INSIDE_IT;
        if (!always)
            op->flags |= PEER_OP_MAY_FALL;
    }
}

static void fill(struct maker *maker, struct peer_region *region)
{
    const unsigned count = peer_random_range(maker->random, OPS_LEAST, OPS_MOST);
    const enum cairn_isa isa = (enum cairn_isa)region->isa;

    region->first = maker->program->op_count;
    while (region->count < count) {
        const bool plain = peer_random_percent(maker->random, 45);

        if (isa == CAIRN_ISA_T32 && peer_random_percent(maker->random, IT_PERCENT))
            add_it_block(maker, region);
        else
            add(maker, region,
                peer_shape_pick(maker->random, isa, 0, plain, 0, without(maker, region)));
    }
    add(maker, region,
        peer_shape_pick(maker->random, isa, 0, false, PEER_SHAPE_END,
                        without(maker, region) | PEER_OP_MAY_FALL));
}

/* --- addresses --- */

static bool is_free(const struct peer_program *program, const struct peer_region *region,
                    uint64_t address)
{
    for (const struct peer_region *other = program->regions; other < region; other++)
        if (address < other->address + PEER_REGION_BYTES &&
            other->address < address + PEER_REGION_BYTES)
            return false;
    return true;
}

static uint64_t random_address(struct maker *maker, const struct peer_region *region)
{
    struct peer_random *random = maker->random;
    const struct peer_region *first = maker->program->regions;
    uint64_t address = peer_random_64(random);

    if (region > first && peer_random_percent(random, 70)) {
        /* near another one, so that direct branches reach it */
        static const uint32_t distances[] = {0x400, 0x2000, 0x20000, 0xc0000, 0x700000};
        const struct peer_region *near =
            &first[peer_random_below(random, (uint32_t)(region - first))];

        address = near->address + (address % distances[peer_random_below(random, 5)]) -
                  (near->address > 0x800000 && peer_random_percent(random, 50) ? 0x400000 : 0);
        if (region->isa != CAIRN_ISA_A64)
            address &= 0xffffffff;
    } else if (region->isa != CAIRN_ISA_A64) {
        address &= 0xffffffff;
    } else if (peer_random_percent(random, 40)) {
        address &= 0x7fffffff;
    } else {
        address = region->kernel ? address | UINT64_C(0xffff000000000000)
                                 : address & UINT64_C(0x0000ffffffffffff);
    }
    if (address < 0x1000)
        address += 0x1000;
    if ((uint32_t)address > 0xffff0000)
        address -= 0x10000;
    return address & (region->isa == CAIRN_ISA_T32 ? ~UINT64_C(1) : ~UINT64_C(3));
}

static void place(struct maker *maker, struct peer_region *region)
{
    uint64_t address;

    do
        address = random_address(maker, region);
    while (!is_free(maker->program, region, address));
    region->address = address;
    for (uint32_t i = 0; i < region->count; i++) {
        maker->program->ops[region->first + i].address = address;
        address += maker->program->ops[region->first + i].size;
    }
}

/* --- targets --- */

static bool pick_in(const struct peer_program *program, struct peer_random *random, bool kernel,
                    enum cairn_isa isa, uint32_t first, uint32_t count, uint32_t *found)
{
    uint32_t at = peer_random_below(random, count);

    for (uint32_t tries = 0; tries < count; tries++, at = (at + 1) % count) {
        const struct peer_op *op = &program->ops[first + at];

        if ((op->flags & PEER_OP_INSIDE_IT) || program->regions[op->region].kernel != kernel ||
            (isa != CAIRN_ISA_UNKNOWN && op->isa != isa))
            continue;
        *found = first + at;
        return true;
    }
    return false;
}

bool peer_program_pick(const struct peer_program *program, struct peer_random *random, bool kernel,
                       enum cairn_isa isa, uint32_t *op)
{
    return pick_in(program, random, kernel, isa, 0, program->op_count, op);
}

static enum cairn_isa target_isa(const struct peer_op *op)
{
    if (!(op->flags & PEER_OP_OTHER_ISA))
        return (enum cairn_isa)op->isa;
    return op->isa == CAIRN_ISA_A32 ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
}

static bool aim(struct maker *maker, uint32_t index)
{
    struct peer_program *program = maker->program;
    struct peer_op *op = &program->ops[index];
    const struct peer_region *region = &program->regions[op->region];

    for (unsigned i = 0; i < AIM_TRIES; i++) {
        const bool near = peer_random_percent(maker->random, 60);
        uint32_t code = op->code;
        uint32_t target;

        if (!pick_in(program, maker->random, region->kernel, target_isa(op),
                     near ? region->first : 0, near ? region->count : program->op_count, &target))
            continue;
        if (!peer_shape_aim(maker->plans[index].offset, op->address, program->ops[target].address,
                            &code))
            continue;
        op->code = code;
        op->target = target;
        return true;
    }
    return false;
}

/* A branch that reaches nothing becomes something else of the same size: the last of a region an
 * indirect branch, any other a NOP. */
static void give_up(struct maker *maker, uint32_t index)
{
    struct peer_program *program = maker->program;
    struct peer_op *op = &program->ops[index];
    const struct peer_region *region = &program->regions[op->region];
    const enum cairn_isa isa = (enum cairn_isa)op->isa;
    const struct peer_shape *shape;

    if (index == region->first + region->count - 1) {
        do
            shape = peer_shape_pick(maker->random, isa, op->size, false, PEER_SHAPE_END,
                                    without(maker, region) | PEER_OP_MAY_FALL);
        while (shape->kind != PEER_OP_INDIRECT);
        op->kind = shape->kind;
        op->flags = shape->flags & 0xff;
        op->code = shape->code;
        return;
    }
    op->kind = PEER_OP_PLAIN;
    op->flags &= PEER_OP_INSIDE_IT;
    op->code = isa == CAIRN_ISA_A64   ? A64_NOP
               : isa == CAIRN_ISA_A32 ? (uint32_t)A32_NOP
               : op->size == 2        ? T16_NOP
                                      : T32_NOP;
}

static void write_half(uint8_t *bytes, uint32_t half)
{
    bytes[0] = (uint8_t)half;
    bytes[1] = (uint8_t)(half >> 8);
}

static void assemble(struct peer_program *program, struct peer_region *region)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < region->count; i++) {
        const struct peer_op *op = &program->ops[region->first + i];
        const bool t32 = op->isa == CAIRN_ISA_T32;

        write_half(region->bytes + at, t32 && op->size == 4 ? op->code >> 16 : op->code);
        if (op->size == 4)
            write_half(region->bytes + at + 2, t32 ? op->code : op->code >> 16);
        at += op->size;
    }
}

static void add_region(struct maker *maker, enum cairn_isa isa, bool kernel)
{
    struct peer_region *region = &maker->program->regions[maker->program->region_count++];

    region->isa = (uint8_t)isa;
    region->kernel = kernel;
    fill(maker, region);
    place(maker, region);
}

void peer_program_make(struct peer_program *program, struct peer_random *random,
                       enum peer_family family, unsigned without_too)
{
    struct maker maker = {.program = program, .random = random, .without = without_too};
    const bool a64_user = family == PEER_FAMILY_A64;
    const bool a64_kernel = family != PEER_FAMILY_AARCH32;

    memset(program, 0, sizeof *program);
    add_region(&maker, a64_user ? CAIRN_ISA_A64 : CAIRN_ISA_T32, false);
    add_region(&maker, a64_user ? CAIRN_ISA_A64 : CAIRN_ISA_A32, false);
    if (peer_random_percent(random, 50))
        add_region(&maker, a64_user ? CAIRN_ISA_A64 : CAIRN_ISA_T32, false);
    add_region(&maker, a64_kernel ? CAIRN_ISA_A64 : CAIRN_ISA_A32, true);
    if (peer_random_percent(random, 60))
        add_region(&maker, a64_kernel ? CAIRN_ISA_A64 : CAIRN_ISA_T32, true);
    for (uint32_t i = 0; i < program->op_count; i++)
        if (program->ops[i].kind == PEER_OP_DIRECT && !aim(&maker, i))
            give_up(&maker, i);
    for (unsigned i = 0; i < program->region_count; i++)
        assemble(program, &program->regions[i]);
}

const struct peer_op *peer_program_at(const struct peer_program *program, uint64_t address,
                                      enum cairn_isa isa)
{
    for (unsigned i = 0; i < program->region_count; i++) {
        const struct peer_region *region = &program->regions[i];

        if (address - region->address >= region->size || region->isa != isa)
            continue;
        for (uint32_t n = 0; n < region->count; n++)
            if (program->ops[region->first + n].address == address)
                return &program->ops[region->first + n];
    }
    return NULL;
}
