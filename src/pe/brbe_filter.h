/* SPDX-License-Identifier: BSD-2-Clause */
/* What is recorded: BRBE Prohibited regions (DDI0608 F1.1.4), types of branches and exceptions and the
 * filters on them (F1.1.9), and which freeze and timestamp the controls ask for (F1.1.10). Nothing here
 * keeps anything. */
#ifndef CAIRN_PE_BRBE_FILTER_H
#define CAIRN_PE_BRBE_FILTER_H

#include "pe/state.h"

/* One side of an event: the values that count there. */
struct cairn_brbe_side {
    const struct cairn_pe_registers *registers;
    const struct cairn_pe_state *state;
};

/* Self-hosted EL3 branch recording is enabled (R_JWWFY). */
bool cairn_brbe_records_EL3(const struct cairn_pe_features *features,
                            const struct cairn_pe_registers *registers);
bool cairn_brbe_is_prohibited(const struct cairn_pe_features *features,
                              const struct cairn_brbe_side *side);

/* Records have cycle counts, or show mispredictions: both registers say so, BRBCR_EL2 whenever EL2 is
 * implemented (R_MJDL, R_XHWRB). */
bool cairn_brbe_counts_cycles(const struct cairn_pe_features *features,
                              const struct cairn_pe_registers *registers);
bool cairn_brbe_shows_predictions(const struct cairn_pe_features *features,
                                  const struct cairn_pe_registers *registers);

/* --- what there is --- */

/* FEAT_BRBE and FEAT_BRBEv1p1 as ID_AA64DFR0_EL1.BRBE has them: 0, 1 or 2 as in struct cairn_pe_features;
 * what is reserved counts as the greatest that is known. */
unsigned cairn_brbe_version(uint64_t ID_AA64DFR0);
/* CAIRN_E_CONFIG for a version that no PE of that architecture can have: FEAT_BRBE is optional from Armv9.2
 * on, FEAT_BRBEv1p1 from Armv9.3 on, where FEAT_BRBE alone is not enough (F1.1). Neither depends on another
 * feature. */
cairn_status cairn_brbe_check_version(const struct cairn_arch *arch, unsigned version);
/* BRBIDR0_EL1. */
uint64_t cairn_brbe_identity(const struct cairn_pe_features *features);

#define CAIRN_BRBE_NO_TYPE 0xffu

/* enum cairn_branch_type of an A64 instruction; of an ISB CAIRN_BRANCH_DIRECT (Table F1.10).
 * CAIRN_BRBE_NO_TYPE for what is no branch. */
unsigned cairn_brbe_branch_type(unsigned kind, uint32_t flags);
/* BRBFCR_EL1 selects branches of that type. */
bool cairn_brbe_selects(uint64_t BRBFCR, unsigned type);

enum cairn_brbe_cause {
    CAIRN_BRBE_SYNCHRONOUS, /* ESR_ELx.EC says what */
    CAIRN_BRBE_IRQ,
    CAIRN_BRBE_FIQ,
    CAIRN_BRBE_SERROR,
};
/* Table F1.2. `trapped`: a control bit trapped an SVC, HVC or SMC, which then is no Call; an SMC that goes
 * to EL2 is always that. What the table does not have is a Trap; a Granule Protection Check exception a Data
 * fault. */
unsigned cairn_brbe_exception_type(enum cairn_brbe_cause cause, unsigned EC, unsigned target_EL,
                                   bool trapped);
/* Exceptions to that level, and exception returns from it, are recorded. */
bool cairn_brbe_selects_exception(const struct cairn_pe_features *features,
                                  const struct cairn_pe_registers *registers, unsigned target_EL);
bool cairn_brbe_selects_return(const struct cairn_pe_features *features,
                               const struct cairn_pe_registers *registers, unsigned source_EL);

/* The overflow flags PMOVSCLR_EL0 ask for a freeze, if nothing else stands against it (R_NXCWF, R_GXGWY,
 * R_PkTXQ). */
bool cairn_brbe_asks_for_freeze(const struct cairn_pe_features *features,
                                const struct cairn_pe_registers *registers, uint64_t overflow);
/* What is captured in BRBTS_EL1 while the physical counter is `count` (Table F1.11). `reserved_TS` stands
 * in for BRBCR_EL1.TS 0b00 where it decides; *reserved says whether it did. */
uint64_t cairn_brbe_timestamp(const struct cairn_pe_features *features,
                              const struct cairn_pe_registers *registers, uint64_t count,
                              unsigned reserved_TS, bool *reserved);

/* A branch target without its address tag (I_KBDLR), as the translation regime of `side` has tags. */
uint64_t cairn_brbe_untag(const struct cairn_pe_features *features,
                          const struct cairn_brbe_side *side, uint64_t address);

/* Settings for the uses of Table F1.1, and for every branch (S_XZRTW): the filter bits of BRBFCR_EL1, and
 * EXCEPTION and ERTN of BRBCR_EL1 and BRBCR_EL2. */
enum cairn_brbe_preset {
    CAIRN_BRBE_CONTROL_PATH,
    CAIRN_BRBE_CALL_PATH,
    CAIRN_BRBE_KERNEL_CALLS,
    CAIRN_BRBE_ALL_BRANCHES,
};
struct cairn_brbe_preset_values {
    uint64_t BRBFCR;
    uint64_t BRBCR;
};
struct cairn_brbe_preset_values cairn_brbe_preset(enum cairn_brbe_preset preset);

#endif
