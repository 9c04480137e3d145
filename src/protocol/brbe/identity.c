/* SPDX-License-Identifier: BSD-2-Clause */
/* BRBIDR0_EL1: how many records there are, and what their cycle counts are like (DDI0608 F1.1.2, F1.1.11;
 * positions and codes are those of the register's page). */
#include "protocol/brbe/brbe.h"

#include "base/sizes.h"

#define NUMREC(value) ((unsigned)(value)&0xff)
#define FORMAT(value) ((unsigned)((value) >> 8) & 0xf)
#define CC(value) ((unsigned)((value) >> 12) & 0xf)

#define FORMAT_0 0u
#define CC_20_BITS 5u

cairn_status cairn_branch_identify(uint64_t BRBIDR0, struct cairn_branch_identity *identity)
{
    const unsigned records = NUMREC(BRBIDR0);
    const struct cairn_branch_identity made = {
        .size = sizeof made, .records = records, .cycle_bits = 20};

    if (!identity || identity->size < sizeof identity->size)
        return CAIRN_E_ARGUMENT;
    if (records != 8 && records != 16 && records != 32 && records != 64)
        return CAIRN_E_CONFIG;
    if (FORMAT(BRBIDR0) != FORMAT_0 || CC(BRBIDR0) != CC_20_BITS)
        return CAIRN_E_UNSUPPORTED;
    return cairn_info_write(identity, &made, sizeof made);
}
