/* SPDX-License-Identifier: BSD-2-Clause */
/* Where trace is prohibited, and who owns the trace buffer (DDI0608 E1.2.1.6; FEAT_TRF, whose pseudocode
 * is the Arm Architecture Reference Manual's: SelfHostedTraceEnabled, TraceAllowed, TraceTimeStamp).
 * Nothing here has a state: each answer is of the registers that are given, so that the owner decides
 * which look at them counts for an instruction and which for its trace operation (R_NRLDV, I_GGPH). */
#ifndef CAIRN_PE_PROHIBIT_H
#define CAIRN_PE_PROHIBIT_H

#include "pe/state.h"

/* The external debug interface, as far as trace depends on it. */
struct cairn_pe_authentication {
    uint32_t signals; /* CAIRN_UNIT_DBGEN, NIDEN, SPIDEN, SPNIDEN of <cairn/unit.h> */
    bool RLPIDEN;     /* FEAT_RME: the signal of Realm state */
    bool TFO;         /* EDSCR.TFO: an external debugger overrides the trace filters */
};

/* All that an answer depends on. */
struct cairn_pe_view {
    const struct cairn_pe_features *features;
    const struct cairn_pe_registers *registers;
    const struct cairn_pe_state *state;
    const struct cairn_pe_authentication *authentication;
    uint32_t choices; /* CAIRN_PE_PROHIBIT_... */
};

/* Where the architecture leaves a choice; 0 is the plain one of each. */
/* The owning Security state and SCR_EL3.{NSE,NS} disagree: buffer addresses are translated as SCR_EL3 has
 * it, else as MDCR_EL3.NSTB has it (R_RRCNN). An owner that wants both within one translation asks twice. */
#define CAIRN_PE_PROHIBIT_TRANSLATES_AS_CURRENT (1u << 0)
/* FEAT_RME with MDCR_EL3.{NSTBE,NSTB} 0b10x, which is reserved: Realm owns the buffer, else Non-secure
 * state does. */
#define CAIRN_PE_PROHIBIT_RESERVED_IS_REALM (1u << 1)
/* TRFCR_ELx.TS with a reserved value selects the physical count, else the virtual one. */
#define CAIRN_PE_PROHIBIT_RESERVED_TS_IS_PHYSICAL (1u << 2)

/* SelfHostedTraceEnabled(). */
bool cairn_pe_self_hosted_trace(const struct cairn_pe_view *view);
/* TraceBufferEnabled(): R_YCHKJ. */
bool cairn_pe_trace_buffer_enabled(const struct cairn_pe_view *view);

struct cairn_pe_owner {
    bool defined;     /* nobody owns the buffer of a unit that is Disabled (R_MCYDC) */
    uint8_t security; /* enum cairn_security */
    uint8_t EL;       /* 1 or 2 */
    bool E2H;         /* with EL 2: the regime is EL2&0, else EL2 */
    bool
        stage2; /* with EL 1: HCR_EL2.VM is 1 and EL2 is enabled: intermediate physical addresses */
    bool disagrees; /* MDCR_EL3.NSTB and SCR_EL3 name two Security states: R_RRCNN */
};

/* The owning translation regime. */
struct cairn_pe_owner cairn_pe_trace_buffer_owner(const struct cairn_pe_view *view);
/* As the above if the Trace Buffer Unit were Enabled: what TRBIDR_EL1.P goes by. */
struct cairn_pe_owner cairn_pe_trace_buffer_owner_programmed(const struct cairn_pe_view *view);
/* The regime that addresses of the buffer are translated in: the owning one, unless the two Security states
 * disagree and the choice is the other. Of a unit that is Disabled: what it would be, for what may still be
 * written then (I_TRWF). */
struct cairn_pe_owner cairn_pe_trace_buffer_regime(const struct cairn_pe_view *view);

/* Whether what the PE executes in is a Trace Prohibited region: TraceAllowed() of its Exception level and
 * Security state is FALSE. Debug state is not looked at. */
bool cairn_pe_trace_prohibited(const struct cairn_pe_view *view);

enum cairn_pe_timestamp {
    CAIRN_PE_TIMESTAMP_CORESIGHT,       /* of an external source: trace is not self-hosted */
    CAIRN_PE_TIMESTAMP_VIRTUAL,         /* CNTPCT - CNTVOFF_EL2 */
    CAIRN_PE_TIMESTAMP_OFFSET_PHYSICAL, /* CNTPCT - CNTPOFF_EL2 */
    CAIRN_PE_TIMESTAMP_PHYSICAL,        /* CNTPCT */
};
/* TraceTimeStamp(): which count timestamps in the trace show, by TRFCR_EL2.TS and TRFCR_EL1.TS. `ecv`: the
 * PE has FEAT_ECV; without it 0b10 is reserved. */
enum cairn_pe_timestamp cairn_pe_trace_timestamp(const struct cairn_pe_view *view, bool ecv);

#endif
