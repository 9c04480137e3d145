/* SPDX-License-Identifier: BSD-2-Clause */
/* Which Branch Record Buffer a PE has, and may have (DDI0608 F1.1, F1.1.11). */
#include "pe/brbe_filter.h"

#define CC_20_BITS 5u /* BRBIDR0_EL1.CC */

enum { NONE = 0, BRBE = 1, BRBE_V1P1 = 2 };

unsigned cairn_brbe_version(uint64_t ID_AA64DFR0)
{
    const uint64_t code = CAIRN_GET(ID_AA64DFR0, ID_AA64DFR0_BRBE);

    return code < BRBE_V1P1 ? (unsigned)code : BRBE_V1P1;
}

cairn_status cairn_brbe_check_version(const struct cairn_arch *arch, unsigned version)
{
    const unsigned of = arch->profile == CAIRN_PROFILE_A ? arch->major * 256u + arch->minor : 0;
    const unsigned v9_2 = 9 * 256 + 2, v9_3 = 9 * 256 + 3;

    switch (version) {
    case NONE: return CAIRN_OK;
    case BRBE: return of >= v9_2 && of < v9_3 ? CAIRN_OK : CAIRN_E_CONFIG;
    case BRBE_V1P1: return of >= v9_3 ? CAIRN_OK : CAIRN_E_CONFIG;
    default: return CAIRN_E_CONFIG;
    }
}

uint64_t cairn_brbe_identity(const struct cairn_pe_features *features)
{
    const uint64_t value = CAIRN_PUT(UINT64_C(0), BRBIDR0_CC, CC_20_BITS);

    return CAIRN_PUT(value, BRBIDR0_NUMREC, features->records);
}
