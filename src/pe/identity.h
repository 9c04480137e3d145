/* SPDX-License-Identifier: BSD-2-Clause */
/* Which extensions of trace a PE has: as identification registers tell, and whether they go together
 * (DDI0608 B1.1, E1.2, F1.1). Positions and codes are public. */
#ifndef CAIRN_PE_IDENTITY_H
#define CAIRN_PE_IDENTITY_H

#include "base/error.h"
#include "pe/state.h"

struct cairn_pe_identity {
    uint8_t v9;   /* Armv9.<v9>: 0 to 3 */
    uint8_t ete;  /* 0 none, 1 FEAT_ETE, 2 FEAT_ETEv1p1, 3 FEAT_ETEv1p2 */
    uint8_t brbe; /* as in struct cairn_pe_features */
    uint8_t records;
    bool trbe, trace_filter, fine_traps, realms, double_lock;
    bool etm; /* an Embedded Trace Macrocell: ETMv4 */
};

/* What the registers say: ID_AA64DFR0_EL1, BRBIDR0_EL1, ID_AA64PFR0_EL1, ID_AA64MMFR0_EL1, and
 * TRCDEVARCH of the trace unit (0: it has none). `v9` is for the caller to set: no register tells
 * it. */
void cairn_pe_identify(const struct cairn_pe_registers *registers, uint32_t TRCDEVARCH,
                       struct cairn_pe_identity *identity);
/* And back, into ID_AA64DFR0_EL1 and BRBIDR0_EL1, whose other fields stay. */
void cairn_pe_identity_registers(const struct cairn_pe_identity *identity,
                                 struct cairn_pe_registers *registers);
/* CAIRN_E_CONFIG, and why: no implementation may have these together. */
CAIRN_MUST_CHECK cairn_status cairn_pe_identity_check(const struct cairn_pe_identity *identity,
                                                      struct cairn_error *error);

#endif
