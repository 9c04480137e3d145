/* SPDX-License-Identifier: BSD-2-Clause */
#include "program.h"

#include <string.h>

uint64_t whole_draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t whole_below(uint64_t *state, uint32_t count)
{
    return (uint32_t)((whole_draw(state) >> 32) * count >> 32);
}

uint64_t whole_base(unsigned level)
{
    static const uint64_t bases[WHOLE_LEVELS] = {0x400000, UINT64_C(0xffff800010080000),
                                                 0x4080000000, 0x1c000000};

    return bases[level];
}

bool whole_find(uint64_t address, unsigned *level, unsigned *word)
{
    for (*level = 0; *level < WHOLE_LEVELS; ++*level)
        if (address - whole_base(*level) < 4 * WHOLE_WORDS && address % 4 == 0) {
            *word = (unsigned)((address - whole_base(*level)) / 4);
            return true;
        }
    return false;
}

static enum whole_op draw_op(unsigned level, bool transactions, uint64_t *state)
{
    const uint32_t at = whole_below(state, 100);

    if (at < 40)
        return WHOLE_PLAIN;
    if (at < 43)
        return transactions ? WHOLE_TSTART : WHOLE_PLAIN;
    if (at < 46)
        return WHOLE_TCOMMIT;
    if (at < 60)
        return WHOLE_CONDITIONAL;
    if (at < 62)
        return WHOLE_ALWAYS;
    if (at < 68)
        return WHOLE_DIRECT;
    if (at < 75)
        return WHOLE_DIRECT_CALL;
    if (at < 80)
        return WHOLE_INDIRECT;
    if (at < 84)
        return WHOLE_INDIRECT_CALL;
    if (at < 91)
        return WHOLE_SUB_RETURN;
    if (at < 93)
        return WHOLE_ISB;
    if (at < 96)
        return WHOLE_SVC;
    return level > 0 ? WHOLE_ERET : WHOLE_SVC;
}

/* B.cond but AL and NV, CBZ, CBNZ, TBZ, TBNZ */
static uint32_t conditional(uint32_t distance, uint64_t *state)
{
    switch (whole_below(state, 3)) {
    case 0: return 0x54000000u | (distance & 0x7ffffu) << 5 | whole_below(state, 14);
    case 1: return 0xb4000001u | whole_below(state, 2) << 24 | (distance & 0x7ffffu) << 5;
    default: return 0x36180001u | whole_below(state, 2) << 24 | (distance & 0x3fffu) << 5;
    }
}

static uint32_t encode(enum whole_op op, uint32_t distance, uint64_t *state)
{
    switch (op) {
    case WHOLE_PLAIN: return whole_percent(state, 50) ? 0xd503201fu : 0x91000400u; /* NOP, ADD */
    case WHOLE_CONDITIONAL: return conditional(distance, state);
    case WHOLE_ALWAYS:
        return 0x5400000eu | (distance & 0x7ffffu) << 5 | whole_below(state, 2) |
               whole_below(state, 2) << 4;
    case WHOLE_DIRECT: return 0x14000000u | (distance & 0x3ffffffu);
    case WHOLE_DIRECT_CALL: return 0x94000000u | (distance & 0x3ffffffu);
    case WHOLE_INDIRECT: return 0xd61f0000u | (1 + whole_below(state, 17)) << 5;
    case WHOLE_INDIRECT_CALL: return 0xd63f0000u | whole_below(state, 18) << 5;
    case WHOLE_SUB_RETURN: return 0xd65f03c0u;
    case WHOLE_ERET: return 0xd69f03e0u;
    case WHOLE_SVC: return 0xd4000001u | whole_below(state, 0x10000) << 5;
    case WHOLE_TSTART: return 0xd5233060u | whole_below(state, 31);
    case WHOLE_TCOMMIT: return 0xd503307fu;
    case WHOLE_ISB: break;
    }
    return 0xd5033fdfu;
}

void whole_program_draw(struct whole_program *program, bool transactions, uint64_t *state)
{
    memset(program, 0, sizeof *program);
    for (unsigned level = 0; level < WHOLE_LEVELS; level++)
        for (unsigned word = 0; word < WHOLE_WORDS; word++) {
            /* Nothing runs out of the end of its region. */
            const enum whole_op op =
                word + 1 == WHOLE_WORDS ? WHOLE_DIRECT : draw_op(level, transactions, state);
            const unsigned target = whole_below(state, WHOLE_WORDS);
            const uint32_t code = encode(op, target - word, state);

            program->ops[level][word] = (uint8_t)op;
            program->targets[level][word] = (uint16_t)target;
            for (unsigned i = 0; i < 4; i++)
                program->bytes[level][4 * word + i] = (uint8_t)(code >> (8 * i));
        }
}
