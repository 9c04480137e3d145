/* SPDX-License-Identifier: BSD-2-Clause */
/* ITSTATE (Arm ARM, "IT block"): bits 7:4 are the condition of the next instruction, bits 3:0 count
 * what is left of the block with their lowest one bit, and bit 4 takes the next of them each step.
 */
#include <cairn/isa.h>

enum {
    IT_MASK = 0x0f,       /* zero: outside a block */
    IT_MORE = 0x07,       /* zero: the last instruction of the block is next */
    IT_BASE = 0xe0,       /* the part of the condition that all of the block shares */
    IT_SHIFTING = 0x1f,   /* the condition's lowest bit and the mask */
    COND_ALWAYS_TOO = 15, /* "else" of AL: unpredictable, and always true where it runs */
};

unsigned cairn_it_condition(uint8_t it)
{
    const unsigned cond = it >> 4;

    if ((it & IT_MASK) == 0 || cond == COND_ALWAYS_TOO)
        return CAIRN_COND_AL;
    return cond;
}

uint8_t cairn_it_advance(uint8_t it)
{
    if ((it & IT_MORE) == 0)
        return 0;
    return (uint8_t)((it & IT_BASE) | ((unsigned)it << 1 & IT_SHIFTING));
}
