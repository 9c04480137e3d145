/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv3_program.h"

#include <string.h>

#include <cairn/isa.h>

#define TAIL 8u /* slots at the end that hold indirect branches only */

uint32_t program_below(struct program *program, uint32_t limit)
{
    uint64_t *state = &program->random;

    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 20) % limit;
}

bool program_one_in(struct program *program, uint32_t n)
{
    return program_below(program, n) == 0;
}

static uint32_t place_in(struct program *program, bool thumb)
{
    return program->starts[thumb][program_below(program, program->start_count[thumb])];
}

uint32_t program_place(struct program *program)
{
    return place_in(program, program->thumb_only || program_one_in(program, 2));
}

const struct program_insn *program_at(const struct program *program, uint32_t address)
{
    const bool thumb = (address & 1u) != 0;
    const uint32_t base = thumb ? PROGRAM_THUMB : PROGRAM_ARM;
    const uint32_t slot = ((address & ~1u) - base) / (thumb ? 2 : 4);

    if ((address & ~1u) < base || slot >= PROGRAM_SLOTS || !program->insn[thumb][slot].is_start)
        return NULL;
    return &program->insn[thumb][slot];
}

/* --- what there is --- */

#define FORMS 16u
#define FORMS_OF_MEMORY 12u /* the first ones; those of coprocessors are A and R profile's */

static const struct program_transfers forms[FORMS] = {
    {4, 1, false, false, 0xe5910000, 0xf8d10000, 0x6808}, /* LDR r0, [r1] */
    {4, 1, true, false, 0xe5810000, 0xf8c10000, 0x6008},  /* STR r0, [r1] */
    {1, 1, false, false, 0xe5d10000, 0xf8910000, 0x7808}, /* LDRB r0, [r1] */
    {1, 1, true, false, 0xe5c10000, 0xf8810000, 0x7008},  /* STRB r0, [r1] */
    {2, 1, false, false, 0xe1d100b0, 0xf8b10000, 0x8808}, /* LDRH r0, [r1] */
    {2, 1, true, false, 0xe1c100b0, 0xf8a10000, 0x8008},  /* STRH r0, [r1] */
    {4, 3, false, false, 0xe8b1001c, 0xe8b1001c, 0xc91c}, /* LDM r1!, {r2-r4} */
    {4, 3, true, false, 0xe8a1001c, 0xe8a1001c, 0xc11c},  /* STM r1!, {r2-r4} */
    {4, 5, false, false, 0xe8b1007c, 0xe8b1007c, 0xc97c}, /* LDM r1!, {r2-r6} */
    {4, 5, true, false, 0xe8a1007c, 0xe8a1007c, 0xc17c},  /* STM r1!, {r2-r6} */
    {8, 1, false, false, 0xe1c120d0, 0xe9d12300, 0},      /* LDRD r2, r3, [r1] */
    {8, 1, true, false, 0xe1c120f0, 0xe9c12300, 0},       /* STRD r2, r3, [r1] */
    {4, 1, false, true, 0xee1d0f70, 0xee1d0f70, 0},       /* MRC p15, 0, r0, c13, c0, 3 */
    {4, 1, true, true, 0xee0d0f50, 0xee0d0f50, 0},        /* MCR p15, 0, r0, c13, c0, 2 */
    {4, 2, false, true, 0xec510f0e, 0xec510f0e, 0},       /* MRRC p15, 0, r0, r1, c14 */
    {4, 2, true, true, 0xec410f02, 0xec410f02, 0},        /* MCRR p15, 0, r0, r1, c2 */
};

static const struct program_transfers *choose_form(struct program *program, bool narrow)
{
    const struct program_transfers *form =
        &forms[program_below(program, program->thumb_only ? FORMS_OF_MEMORY : FORMS)];

    return narrow && !form->narrow ? NULL : form;
}

static void choose_insn(struct program *program, bool thumb, uint32_t slot)
{
    struct program_insn *insn = &program->insn[thumb][slot];
    const bool tail = slot + TAIL >= PROGRAM_SLOTS;

    insn->is_start = true;
    insn->must_pass = tail;
    insn->kind = CAIRN_INSN_OTHER;
    if (tail || program_one_in(program, 10))
        insn->kind = CAIRN_INSN_BRANCH_INDIRECT;
    else if (program_one_in(program, 9))
        insn->kind = CAIRN_INSN_BRANCH_DIRECT;
    else if (program_one_in(program, 20))
        insn->kind = CAIRN_INSN_ISB;
    insn->size =
        !thumb || (!tail && (insn->kind == CAIRN_INSN_ISB || program_one_in(program, 2))) ? 4 : 2;
    if (insn->kind == CAIRN_INSN_OTHER && program_one_in(program, 3))
        insn->transfers = choose_form(program, insn->size == 2);
    program->starts[thumb][program->start_count[thumb]++] =
        thumb ? (PROGRAM_THUMB + 2 * slot) | 1u : PROGRAM_ARM + 4 * slot;
}

static void choose_all(struct program *program)
{
    for (uint32_t slot = 0; slot < PROGRAM_SLOTS; slot++)
        choose_insn(program, false, slot);
    for (uint32_t slot = 0; slot < PROGRAM_SLOTS; slot += program->insn[1][slot].size / 2)
        choose_insn(program, true, slot);
    for (unsigned thumb = 0; thumb < 2; thumb++)
        for (uint32_t slot = 0; slot < PROGRAM_SLOTS; slot++) {
            struct program_insn *insn = &program->insn[thumb][slot];

            if (insn->kind != CAIRN_INSN_BRANCH_DIRECT || !insn->is_start)
                continue;
            /* BLX, which alone goes to the other state, has 4 bytes and no condition. */
            const bool exchanges = insn->size == 4 && !program->thumb_only &&
                                   !program->keeps_state && program_one_in(program, 3);
            insn->target = place_in(program, exchanges != (thumb != 0));
            insn->must_pass = (insn->target & 1u) != thumb;
        }
}

/* --- and its bytes --- */

static uint32_t arm_branch(uint32_t address, uint32_t target)
{
    const uint32_t offset = (target & ~1u) - (address + 8);

    if (!(target & 1u))
        return 0xea000000 | (offset >> 2 & 0xffffff);                        /* B */
    return 0xfa000000 | (offset >> 1 & 1u) << 24 | (offset >> 2 & 0xffffff); /* BLX */
}

static uint32_t arm_word(const struct program_insn *insn, uint32_t address)
{
    switch (insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT: return arm_branch(address, insn->target);
    case CAIRN_INSN_BRANCH_INDIRECT: return 0xe12fff10;                  /* BX r0 */
    case CAIRN_INSN_ISB: return 0xf57ff06f;                              /* ISB SY */
    default: return insn->transfers ? insn->transfers->arm : 0xe1a00000; /* MOV r0, r0 */
    }
}

/* B.W and BLX: S, I1, I2, imm10, imm11 of the offset; the first halfword is the upper one. */
static uint32_t thumb_wide_branch(uint32_t address, uint32_t target)
{
    const bool exchanges = !(target & 1u);
    const uint32_t pc = exchanges ? (address + 4) & ~3u : address + 4;
    const uint32_t offset = (target & ~1u) - pc;
    const uint32_t sign = offset >> 24 & 1u;
    const uint32_t j1 = (offset >> 23 & 1u) ^ sign ^ 1u;
    const uint32_t j2 = (offset >> 22 & 1u) ^ sign ^ 1u;

    return 0xf0000000 | sign << 26 | (offset >> 12 & 0x3ff) << 16 |
           (exchanges ? 0xc000u : 0x9000u) | j1 << 13 | j2 << 11 | (offset >> 1 & 0x7ff);
}

static uint32_t thumb_wide(const struct program_insn *insn, uint32_t address)
{
    switch (insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT: return thumb_wide_branch(address, insn->target);
    case CAIRN_INSN_BRANCH_INDIRECT: return 0xf8d1f000;                   /* LDR.W pc, [r1] */
    case CAIRN_INSN_ISB: return 0xf3bf8f6f;                               /* ISB SY */
    default: return insn->transfers ? insn->transfers->wide : 0xf3af8000; /* NOP.W */
    }
}

static uint32_t thumb_narrow(const struct program_insn *insn, uint32_t address)
{
    switch (insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT:
        return 0xe000 | (((insn->target & ~1u) - (address + 4)) >> 1 & 0x7ff); /* B */
    case CAIRN_INSN_BRANCH_INDIRECT: return 0x4700;                            /* BX r0 */
    default: return insn->transfers ? insn->transfers->narrow : 0xbf00;        /* NOP */
    }
}

static void write_halfword(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

void program_make(struct program *program)
{
    const uint64_t seed = program->random;
    const bool thumb_only = program->thumb_only;
    const bool keeps_state = program->keeps_state;

    memset(program, 0, sizeof *program);
    program->thumb_only = thumb_only;
    program->keeps_state = keeps_state;
    program->random = 0x9e3779b97f4a7c15u * (seed + 1);
    for (unsigned i = 0; i < 16; i++)
        program_below(program, 2);
    choose_all(program);
    for (uint32_t slot = 0; slot < PROGRAM_SLOTS; slot++) {
        const uint32_t word = arm_word(&program->insn[0][slot], PROGRAM_ARM + 4 * slot);

        write_halfword(program->arm + 4 * slot, word);
        write_halfword(program->arm + 4 * slot + 2, word >> 16);
    }
    for (uint32_t slot = 0; slot < PROGRAM_SLOTS; slot += program->insn[1][slot].size / 2) {
        const struct program_insn *insn = &program->insn[1][slot];
        const uint32_t address = PROGRAM_THUMB + 2 * slot;
        const uint32_t wide = thumb_wide(insn, address);

        if (insn->size == 4) {
            write_halfword(program->thumb + 2 * slot, wide >> 16);
            write_halfword(program->thumb + 2 * slot + 2, wide);
        } else {
            write_halfword(program->thumb + 2 * slot, thumb_narrow(insn, address));
        }
    }
}
