/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PE is in and what it has, as far as trace depends on it. */
#ifndef CAIRN_PE_STATE_H
#define CAIRN_PE_STATE_H

#include <stdbool.h>

#include <cairn/isa.h>

#include "pe/fields.h"
#include "pe/registers.h"

/* What the PE is executing in. */
struct cairn_pe_state {
    uint8_t EL;       /* 0 to 3 */
    uint8_t security; /* enum cairn_security; at EL3 without Realms CAIRN_SECURE */
    bool aarch32;
    bool debug; /* Debug state */
    bool transactional;
};

/* What it was built with. */
struct cairn_pe_features {
    bool EL2, EL3;
    bool secure_EL2;   /* FEAT_SEL2 */
    bool realms;       /* FEAT_RME */
    uint8_t brbe;      /* 0 none, 1 FEAT_BRBE, 2 FEAT_BRBEv1p1 */
    uint8_t records;   /* BRBIDR0_EL1.NUMREC: 8, 16, 32, 64 */
    bool trbe;         /* FEAT_TRBE */
    uint8_t counters;  /* PMCR_EL0.N: 0 to 31 */
    bool transactions; /* FEAT_TME */
    bool trace_filter; /* FEAT_TRF */
    bool fine_traps;   /* FEAT_FGT */
};

/* At the highest Exception level. */
static inline struct cairn_pe_state
cairn_pe_state_out_of_reset(const struct cairn_pe_features *features)
{
    return (struct cairn_pe_state){.EL = features->EL3   ? 3
                                         : features->EL2 ? 2
                                                         : 1,
                                   .security = features->EL3 ? CAIRN_SECURE : CAIRN_NONSECURE};
}

/* EL2Enabled() in a Security state. */
static inline bool cairn_pe_has_EL2(const struct cairn_pe_features *features,
                                    const struct cairn_pe_registers *registers, unsigned security)
{
    if (!features->EL2)
        return false;
    if (security != CAIRN_SECURE)
        return true;
    return features->secure_EL2 && features->EL3 && CAIRN_GETS(registers, SCR_EL3, SCR_EL3_EEL2);
}

/* EL0 is EL2's (E2H and TGE are both 1, and EL2 is enabled). */
static inline bool cairn_pe_EL0_is_host(const struct cairn_pe_features *features,
                                        const struct cairn_pe_registers *registers,
                                        unsigned security)
{
    return cairn_pe_has_EL2(features, registers, security) &&
           CAIRN_GETS(registers, HCR_EL2, HCR_EL2_TGE);
}

#endif
