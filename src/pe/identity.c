/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/identity.h"

/* TRCDEVARCH: ARCHPART 15:0, REVISION 19:16 (D8.4). */
#define ARCHPART_ETE 0x5a13u
#define ARCHPART_ETMV4 0x4a13u
#define REVISION(DEVARCH) ((DEVARCH) >> 16 & 15u)
#define ID_AA64PFR0_RME 55, 52
#define ID_AA64MMFR0_FGT 59, 56
#define BRBIDR0_CC_20 5u

void cairn_pe_identify(const struct cairn_pe_registers *registers, uint32_t TRCDEVARCH,
                       struct cairn_pe_identity *identity)
{
    const uint64_t BRBE = CAIRN_GETS(registers, ID_AA64DFR0_EL1, ID_AA64DFR0_BRBE);
    const uint32_t part = TRCDEVARCH & 0xffffu;

    identity->ete = (uint8_t)(part == ARCHPART_ETE ? REVISION(TRCDEVARCH) + 1 : 0);
    identity->etm = part == ARCHPART_ETMV4;
    identity->brbe = (uint8_t)BRBE;
    identity->records = (uint8_t)(BRBE ? CAIRN_GETS(registers, BRBIDR0_EL1, BRBIDR0_NUMREC) : 0);
    identity->trbe = CAIRN_GETS(registers, ID_AA64DFR0_EL1, ID_AA64DFR0_TRACEBUFFER) != 0;
    identity->trace_filter = CAIRN_GETS(registers, ID_AA64DFR0_EL1, ID_AA64DFR0_TRACEFILT) != 0;
    identity->fine_traps = CAIRN_GETS(registers, ID_AA64MMFR0_EL1, ID_AA64MMFR0_FGT) != 0;
    identity->realms = CAIRN_GETS(registers, ID_AA64PFR0_EL1, ID_AA64PFR0_RME) != 0;
}

void cairn_pe_identity_registers(const struct cairn_pe_identity *identity,
                                 struct cairn_pe_registers *registers)
{
    uint64_t DFR0 = registers->value[CAIRN_PE_ID_AA64DFR0_EL1];
    uint64_t BRBIDR0 = registers->value[CAIRN_PE_BRBIDR0_EL1];

    DFR0 = CAIRN_PUT(DFR0, ID_AA64DFR0_BRBE, identity->brbe);
    DFR0 = CAIRN_PUT(DFR0, ID_AA64DFR0_TRACEBUFFER, identity->trbe);
    DFR0 = CAIRN_PUT(DFR0, ID_AA64DFR0_TRACEFILT, identity->trace_filter);
    DFR0 = CAIRN_PUT(DFR0, ID_AA64DFR0_TRACEVER, identity->ete || identity->etm);
    BRBIDR0 = CAIRN_PUT(BRBIDR0, BRBIDR0_NUMREC, identity->brbe ? identity->records : 0);
    BRBIDR0 = CAIRN_PUT(BRBIDR0, BRBIDR0_CC, identity->brbe ? BRBIDR0_CC_20 : 0);
    registers->value[CAIRN_PE_ID_AA64DFR0_EL1] = DFR0;
    registers->value[CAIRN_PE_BRBIDR0_EL1] = BRBIDR0;
}

cairn_status cairn_pe_identity_check(const struct cairn_pe_identity *identity,
                                     struct cairn_error *error)
{
    const struct cairn_pe_identity *it = identity;
    const struct {
        bool wrong;
        const char *why;
    } rules[] = {
        {it->double_lock, "Armv9 forbids FEAT_DoubleLock (B1.1)"},
        {it->etm, "an Armv9 PE has no ETM, but an ETE (B1.1)"},
        {it->ete && !it->trbe, "FEAT_ETE needs FEAT_TRBE (R_KYJWX)"},
        {it->trbe && !it->ete, "FEAT_TRBE needs FEAT_ETE (R_KLNJV)"},
        {it->ete && !it->trace_filter, "FEAT_ETE needs FEAT_TRF (B1.1.1)"},
        {it->trbe && !it->trace_filter, "FEAT_TRBE needs FEAT_TRF (R_LPMRM)"},
        {it->ete > 3, "no such version of FEAT_ETE"},
        {it->ete >= 2 && it->v9 < 1, "FEAT_ETEv1p1 is of Armv9.1 and later (B1.1.5)"},
        {it->ete >= 2 && !it->fine_traps, "FEAT_ETEv1p1 needs FEAT_FGT (B1.1.5)"},
        {it->ete >= 3 && it->v9 < 2, "FEAT_ETEv1p2 is of Armv9.2 and later (B1.1.7)"},
        {it->ete >= 3 && !it->realms, "FEAT_ETEv1p2 needs FEAT_RME (B1.1.7)"},
        {it->brbe > 2, "no such version of FEAT_BRBE"},
        {it->brbe && it->v9 < 2, "FEAT_BRBE is of Armv9.2 and later (R_VNFCR)"},
        {it->brbe >= 2 && it->v9 < 3, "FEAT_BRBEv1p1 is of Armv9.3 and later (R_VYMSG)"},
        {it->brbe == 1 && it->v9 >= 3, "Armv9.3 has FEAT_BRBEv1p1 with FEAT_BRBE (R_KRBNR)"},
        {it->brbe && it->records != 8 && it->records != 16 && it->records != 32 &&
             it->records != 64,
         "the buffer holds 8, 16, 32 or 64 branch records (I_FBHCC)"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].wrong)
            return cairn_fail(error, CAIRN_E_CONFIG, "%s", rules[i].why);
    return CAIRN_OK;
}
