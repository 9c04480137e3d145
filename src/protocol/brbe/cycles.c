/* SPDX-License-Identifier: BSD-2-Clause */
/* BRBINF<n>_EL1.CC: a mantissa of eight bits and an exponent of six (DDI0608 F1.1.2; the format is that
 * of the register's page). Exponent 0 is the mantissa itself; any other puts a one above the mantissa and
 * shifts the nine bits by one less than it says. DDI0608 does not say how a count is rounded: down. */
#include "protocol/brbe/brbe.h"

#define MANTISSA_BITS 8
#define MANTISSA ((1u << MANTISSA_BITS) - 1)
#define ALL_ONES ((1u << CAIRN_BRBINF_CC_BITS) - 1)
#define SHIFT_MOST (63 - MANTISSA_BITS) /* beyond it a count has more than 64 bits */

uint32_t cairn_branch_cycles_encode(uint64_t cycles)
{
    uint32_t exponent = 1;

    if (cycles > CAIRN_BRANCH_CYCLES_MOST)
        return ALL_ONES;
    if (cycles <= MANTISSA)
        return (uint32_t)cycles;
    while (cycles >> (MANTISSA_BITS + 1)) {
        cycles >>= 1;
        exponent++;
    }
    return exponent << MANTISSA_BITS | ((uint32_t)cycles & MANTISSA);
}

uint64_t cairn_branch_cycles_decode(uint32_t CC)
{
    const uint32_t exponent = (CC & ALL_ONES) >> MANTISSA_BITS;
    const uint64_t mantissa = CC & MANTISSA;

    if ((CC & ALL_ONES) == ALL_ONES)
        return CAIRN_BRANCH_CYCLES_MOST + 1;
    if (exponent == 0)
        return mantissa;
    if (exponent - 1 > SHIFT_MOST)
        return UINT64_MAX;
    return (mantissa | 1u << MANTISSA_BITS) << (exponent - 1);
}
