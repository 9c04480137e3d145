/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_program.h"

#include <string.h>

enum { COND_AL = 14, ARM_PC = 8, THUMB_PC = 4, CBZ_REACH = 126 };

uint64_t second_next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

unsigned second_below(uint64_t *seed, unsigned count)
{
    return (unsigned)(second_next(seed) % count);
}

/* What an instruction is to be, before it has a target. */
enum shape {
    PLAIN,
    LOAD,
    LOAD_TWO,
    JUMP,
    JUMP_IF,
    CALL,
    EXCHANGE,
    COMPARE_ZERO, /* T32 */
    REGISTER,
    POP_PC,
    MOVE_PC,
    LOAD_PC,
    PLAIN_WIDE, /* T32 */
    SHAPES
};

static enum second_insn_kind kind_of(enum shape shape)
{
    switch (shape) {
    case LOAD: return SECOND_LOAD;
    case LOAD_TWO: return SECOND_LOAD_TWO;
    case JUMP:
    case JUMP_IF:
    case CALL:
    case EXCHANGE:
    case COMPARE_ZERO: return SECOND_DIRECT;
    case REGISTER:
    case POP_PC:
    case MOVE_PC:
    case LOAD_PC: return SECOND_INDIRECT;
    default: return SECOND_PLAIN;
    }
}

/* Half of all instructions neither branch nor transfer. */
static enum shape choose_shape(uint64_t *seed, enum second_sets sets)
{
    const enum shape shape = second_below(seed, 2) ? (enum shape)second_below(seed, SHAPES) : PLAIN;

    return shape == EXCHANGE && sets == SECOND_THUMB_ALONE ? CALL : shape;
}

static uint32_t arm_opcode(enum shape shape, uint32_t cond, const struct second_insn *insn)
{
    const uint32_t offset = insn->target - insn->address - ARM_PC;
    const uint32_t imm24 = offset >> 2 & 0xffffffu;

    switch (shape) {
    case LOAD: return cond << 28 | 0x05921000u;     /* LDR r1, [r2] */
    case LOAD_TWO: return cond << 28 | 0x08920003u; /* LDM r2, {r0, r1} */
    case JUMP:
    case JUMP_IF:
    case COMPARE_ZERO: return cond << 28 | 0x0a000000u | imm24;     /* B */
    case CALL: return cond << 28 | 0x0b000000u | imm24;             /* BL */
    case EXCHANGE: return 0xfa000000u | (offset & 2) << 23 | imm24; /* BLX; H is bit 24 */
    case REGISTER: return cond << 28 | 0x012fff11u;                 /* BX r1 */
    case POP_PC: return cond << 28 | 0x08bd8000u;                   /* LDM sp!, {pc} */
    case MOVE_PC: return cond << 28 | 0x01a0f00eu;                  /* MOV pc, lr */
    case LOAD_PC: return cond << 28 | 0x0590f000u;                  /* LDR pc, [r0] */
    default: return cond << 28 | 0x00800000u;                       /* ADD r0, r0, r0 */
    }
}

/* S, J1, J2 of BL and B.W: I1 and I2 are the inverse of J EOR S. */
static uint32_t long_branch(uint32_t opcode, uint32_t offset)
{
    const uint32_t s = offset >> 24 & 1;
    const uint32_t j1 = (offset >> 23 & 1) ^ 1 ^ s;
    const uint32_t j2 = (offset >> 22 & 1) ^ 1 ^ s;

    return opcode | s << 26 | (offset >> 12 & 0x3ff) << 16 | j1 << 13 | j2 << 11 |
           (offset >> 1 & 0x7ff);
}

/* B<c>.W: S:J2:J1:imm6:imm11. */
static uint32_t conditional_branch(uint32_t cond, uint32_t offset)
{
    return 0xf0008000u | (offset >> 20 & 1) << 26 | cond << 22 | (offset >> 12 & 0x3f) << 16 |
           (offset >> 18 & 1) << 13 | (offset >> 19 & 1) << 11 | (offset >> 1 & 0x7ff);
}

static uint32_t thumb_opcode(enum shape shape, uint32_t cond, const struct second_insn *insn)
{
    const uint32_t offset = insn->target - insn->address - THUMB_PC;
    const uint32_t from_word = insn->target - ((insn->address + THUMB_PC) & ~3u);

    switch (shape) {
    case LOAD: return 0x6808;                          /* LDR r0, [r1] */
    case LOAD_TWO: return 0xe9d20100u;                 /* LDRD r0, r1, [r2] */
    case JUMP: return 0xe000u | (offset >> 1 & 0x7ff); /* B */
    case JUMP_IF: return conditional_branch(cond, offset);
    case CALL: return long_branch(0xf000d000u, offset); /* BL */
    case EXCHANGE: return long_branch(0xf000c000u, from_word);
    case COMPARE_ZERO: /* CBZ r0 */
        return 0xb100u | (offset >> 6 & 1) << 9 | (offset >> 1 & 0x1f) << 3;
    case REGISTER: return 0x4708; /* BX r1 */
    case POP_PC: return 0xbd00;
    case MOVE_PC: return 0x46f7;         /* MOV pc, lr */
    case LOAD_PC: return 0xf8d0f000u;    /* LDR.W pc, [r0] */
    case PLAIN_WIDE: return 0xeb010002u; /* ADD.W r0, r1, r2 */
    default: return 0x1800;              /* ADDS r0, r0, r0 */
    }
}

static uint8_t thumb_size(enum shape shape)
{
    switch (shape) {
    case LOAD_TWO:
    case JUMP_IF:
    case CALL:
    case EXCHANGE:
    case LOAD_PC:
    case PLAIN_WIDE: return 4;
    default: return 2;
    }
}

static void put(uint8_t *bytes, uint32_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* Of A32 only branches without exchange need no condition; T32 has conditions in two. */
static bool may_fail(enum shape shape, bool thumb, uint32_t cond)
{
    if (thumb)
        return shape == JUMP_IF || shape == COMPARE_ZERO;
    return shape != EXCHANGE && cond != COND_AL;
}

static uint32_t choose_target(const struct second_program *p, const struct second_insn *insn,
                              uint64_t *seed)
{
    const bool into_thumb = insn->thumb != insn->exchanges;

    return p->insns[(into_thumb ? SECOND_INSNS : 0) + second_below(seed, SECOND_INSNS)].address;
}

/* Of its instruction set: nothing is behind it. */
static bool is_last(const struct second_program *p, const struct second_insn *insn)
{
    return insn == &p->insns[SECOND_INSNS - 1] || insn == &p->insns[2 * SECOND_INSNS - 1];
}

static void lay_out(struct second_program *p, enum shape *shapes, uint64_t *seed,
                    enum second_sets sets)
{
    uint32_t thumb = SECOND_THUMB_BASE;

    for (unsigned i = 0; i < 2 * SECOND_INSNS; i++) {
        struct second_insn *insn = &p->insns[i];

        shapes[i] = is_last(p, insn) ? JUMP : choose_shape(seed, sets);
        insn->thumb = i >= SECOND_INSNS;
        insn->size = insn->thumb ? thumb_size(shapes[i]) : 4;
        insn->address = insn->thumb ? thumb : SECOND_ARM_BASE + 4 * i;
        insn->kind = kind_of(shapes[i]);
        insn->exchanges = shapes[i] == EXCHANGE;
        thumb += insn->thumb ? insn->size : 0;
    }
}

static void encode(struct second_program *p, struct second_insn *insn, enum shape shape,
                   uint64_t *seed)
{
    const bool always = is_last(p, insn) || second_below(seed, 3);
    const uint32_t cond = always ? COND_AL : second_below(seed, COND_AL);
    uint32_t opcode;

    insn->target = choose_target(p, insn, seed);
    if (shape == COMPARE_ZERO && insn->thumb && /* forward only, and not far */
        insn->target - insn->address - THUMB_PC > CBZ_REACH) {
        shape = PLAIN;
        insn->kind = SECOND_PLAIN;
    }
    insn->may_fail = may_fail(shape, insn->thumb, cond);
    if (!insn->thumb) {
        put(p->arm + (insn->address - SECOND_ARM_BASE), arm_opcode(shape, cond, insn), 4);
        return;
    }
    opcode = thumb_opcode(shape, cond == COND_AL ? 0 : cond, insn);
    if (insn->size == 4)
        opcode = opcode << 16 | opcode >> 16;
    put(p->thumb + (insn->address - SECOND_THUMB_BASE), opcode, insn->size);
}

void second_program(struct second_program *program, uint64_t *seed, enum second_sets sets)
{
    enum shape shapes[2 * SECOND_INSNS];

    memset(program, 0, sizeof *program);
    lay_out(program, shapes, seed, sets);
    for (unsigned i = 0; i < 2 * SECOND_INSNS; i++)
        encode(program, &program->insns[i], shapes[i], seed);
}
