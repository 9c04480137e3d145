/* SPDX-License-Identifier: BSD-2-Clause */
/* Traps. Of each access it is asked which of EL1, EL2 and EL3 want it; the lowest has it. */
#include "pe/trap.h"

/* HDFGRTR_EL2 and HDFGWTR_EL2, where a 0 traps (I_BDKJJ). */
#define FINE_n_FIRST 59u
#define FINE_n_LAST 62u
#define HFGITR_nBRBINJ 55u
#define HFGITR_nBRBIALL 56u
#define HFGITR_TO_EL2(registers, bit) (!((registers)->value[CAIRN_PE_HFGITR_EL2] >> (bit)&1))

/* SBRBE, NSTB: bit 0 clear traps in the state that is named first, and so on. */
#define FREE 3u

struct access {
    struct cairn_pe_sysreg_place place; /* none of TRC* and SYS */
    uint32_t encoding;
    enum cairn_pe_direction direction;
    enum cairn_pe_control control;
    const struct cairn_pe_features *features;
    const struct cairn_pe_state *state;
    const struct cairn_pe_registers *registers;
    uint32_t choices;
    bool has_EL2; /* implemented, and enabled in the Security state */
};

#define GET(access, name, field) CAIRN_GET2((access)->registers->value[CAIRN_PE_##name], field)

static bool is_single(const struct access *access, enum cairn_pe_register name)
{
    return access->place.sysreg && cairn_pe_sysreg_slot(access->place) == name;
}

static bool is_of_row(const struct access *access, enum cairn_pe_row row)
{
    return access->place.sysreg == cairn_pe_sysreg_at((size_t)CAIRN_PE_SINGLES + (size_t)row);
}

/* --- fine-grained traps --- */

/* Registers of the trace unit: ranges of CRm in a CRn and op2. A register that no row has is under
 * TRC, in both directions. */
static const struct {
    uint8_t CRn, op2, first, last;
    uint8_t fine[2];
} trace_fine[] = {
    {0, 0, 1, 1, {44, 44}},   /* TRCPRGCTLR */
    {0, 0, 3, 3, {47, 33}},   /* TRCSTATR */
    {0, 0, 6, 6, {35, 35}},   /* TRCAUXCTLR */
    {0, 2, 0, 0, {48, 48}},   /* TRCVICTLR */
    {0, 4, 7, 7, {45, 45}},   /* TRCSEQSTR */
    {0, 5, 8, 11, {37, 37}},  /* TRCCNTVR<n> */
    {0, 6, 0, 5, {40, 33}},   /* TRCIDR8 to TRCIDR13 */
    {0, 7, 0, 7, {41, 41}},   /* TRCIMSPEC<n> */
    {0, 7, 8, 15, {40, 33}},  /* TRCIDR0 to TRCIDR7 */
    {1, 2, 8, 15, {46, 46}},  /* TRCSSCSR<n> */
    {1, 4, 0, 0, {33, 42}},   /* TRCOSLAR */
    {1, 4, 1, 1, {43, 33}},   /* TRCOSLSR */
    {7, 6, 8, 9, {36, 36}},   /* TRCCLAIMSET, TRCCLAIMCLR */
    {7, 6, 14, 14, {34, 33}}, /* TRCAUTHSTATUS */
    {7, 6, 15, 15, {40, 33}}, /* TRCDEVARCH */
    {7, 7, 2, 2, {40, 33}},   /* TRCDEVID */
};
#define FINE_TRC 33u

static unsigned fine_bit(const struct access *access)
{
    const unsigned CRn = access->encoding >> 7 & 15u, CRm = access->encoding >> 3 & 15u,
                   op2 = access->encoding & 7u;

    if (access->control != CAIRN_PE_CONTROL_TRACE)
        return access->place.sysreg ? access->place.sysreg->fine[access->direction]
                                    : CAIRN_PE_NOT_FINE;
    for (size_t i = 0; i < sizeof trace_fine / sizeof trace_fine[0]; i++)
        if (trace_fine[i].CRn == CRn && trace_fine[i].op2 == op2 && trace_fine[i].first <= CRm &&
            trace_fine[i].last >= CRm)
            return trace_fine[i].fine[access->direction];
    return FINE_TRC;
}

/* They trap EL1, and EL0 where EL2 is not its host. */
static bool are_fine_traps_on(const struct access *access)
{
    if (!access->features->fine_traps || !access->has_EL2 || access->state->EL > 1)
        return false;
    if (access->features->EL3 && !GET(access, SCR_EL3, SCR_EL3_FGTEn))
        return false;
    return access->state->EL == 1 ||
           !(GET(access, HCR_EL2, HCR_EL2_TGE) && GET(access, HCR_EL2, HCR_EL2_E2H));
}

static bool is_fine_trapped(const struct access *access)
{
    if (!are_fine_traps_on(access))
        return false;
    if (access->encoding == CAIRN_PE_BRB_IALL)
        return HFGITR_TO_EL2(access->registers, HFGITR_nBRBIALL);
    if (access->encoding == CAIRN_PE_BRB_INJ)
        return HFGITR_TO_EL2(access->registers, HFGITR_nBRBINJ);
    const unsigned bit = fine_bit(access);
    if (bit == CAIRN_PE_NOT_FINE)
        return false;
    const uint64_t traps =
        access->registers->value[access->direction == CAIRN_PE_READ ? CAIRN_PE_HDFGRTR_EL2
                                                                    : CAIRN_PE_HDFGWTR_EL2];
    return (traps >> bit & 1) != (bit >= FINE_n_FIRST && bit <= FINE_n_LAST);
}

/* --- EL3 --- */

/* MDCR_EL3.SBRBE: in Secure state 0b11 alone lets accesses pass, in others 0bx1. */
static bool is_branches_trapped(const struct access *access)
{
    const uint64_t SBRBE = GET(access, MDCR_EL3, MDCR_EL3_SBRBE);

    return access->state->security == CAIRN_SECURE ? SBRBE != FREE : !(SBRBE & 1);
}

/* MDCR_EL3.{NSTBE, NSTB[1]} is the owning Security state; NSTB[0] lets it have its registers. */
static bool is_buffer_trapped(const struct access *access)
{
    const uint64_t NSTB = GET(access, MDCR_EL3, MDCR_EL3_NSTB);
    const bool NS = access->state->security != CAIRN_SECURE;
    const bool NSE = access->state->security == CAIRN_REALM;

    return !(NSTB & 1) || (NSTB >> 1 != 0) != NS ||
           (access->features->realms && (GET(access, MDCR_EL3, MDCR_EL3_NSTBE) != 0) != NSE);
}

static bool wants_EL3(const struct access *access)
{
    if (!access->features->EL3)
        return false;
    if (access->control == CAIRN_PE_CONTROL_TRACE) /* EL3's own, too */
        return GET(access, CPTR_EL3, CPTR_EL3_TTA);
    if (access->state->EL == 3)
        return false;
    switch (access->control) {
    case CAIRN_PE_CONTROL_FILTER: return GET(access, MDCR_EL3, MDCR_EL3_TTRF);
    case CAIRN_PE_CONTROL_BUFFER: return is_buffer_trapped(access);
    case CAIRN_PE_CONTROL_BRANCHES: return is_branches_trapped(access);
    case CAIRN_PE_CONTROL_PMU:
    case CAIRN_PE_CONTROL_PMU_ENABLE:
    case CAIRN_PE_CONTROL_PMU_ID: return GET(access, MDCR_EL3, MDCR_EL3_TPM);
    case CAIRN_PE_CONTROL_DEBUG:
    case CAIRN_PE_CONTROL_MDCR: return GET(access, MDCR_EL3, MDCR_EL3_TDA);
    case CAIRN_PE_CONTROL_OS_LOCK: return GET(access, MDCR_EL3, MDCR_EL3_TDOSA);
    case CAIRN_PE_CONTROL_DOUBLE_LOCK:
        return access->choices & CAIRN_PE_TRAPS_OSDLR && GET(access, MDCR_EL3, MDCR_EL3_TDOSA);
    case CAIRN_PE_CONTROL_CPTR: return GET(access, CPTR_EL3, CPTR_EL3_TCPAC);
    case CAIRN_PE_CONTROL_FINE: return !GET(access, SCR_EL3, SCR_EL3_FGTEn);
    case CAIRN_PE_CONTROL_OFFSET: return !GET(access, SCR_EL3, SCR_EL3_ECVEn);
    case CAIRN_PE_CONTROL_NONE:
    case CAIRN_PE_CONTROL_BUFFER_ID:
    case CAIRN_PE_CONTROL_MEMORY:
    case CAIRN_PE_CONTROL_ID:
    case CAIRN_PE_CONTROL_TRACE: break;
    }
    return false;
}

/* --- EL2 --- */

static bool is_TTA_of_EL2(const struct access *access)
{
    return GET(access, HCR_EL2, HCR_EL2_E2H) ? GET(access, CPTR_EL2, CPTR_EL2_TTA_E2H)
                                             : GET(access, CPTR_EL2, CPTR_EL2_TTA);
}

/* The event counter of an access; `counters`: none. */
static unsigned counter_of(const struct access *access)
{
    if (is_of_row(access, CAIRN_PE_ROW_PMEVCNTR) || is_of_row(access, CAIRN_PE_ROW_PMEVTYPER))
        return access->place.number;
    if (is_single(access, CAIRN_PE_PMXEVCNTR_EL0))
        return (unsigned)access->registers->value[CAIRN_PE_PMSELR_EL0] & 31u;
    /* 31 selects PMCCFILTR_EL0. */
    const unsigned selected = (unsigned)access->registers->value[CAIRN_PE_PMSELR_EL0] & 31u;
    if (is_single(access, CAIRN_PE_PMXEVTYPER_EL0) && selected != CAIRN_PE_EVENT_COUNTERS)
        return selected;
    return UINT32_MAX;
}

/* A counter that there is, and that EL2 keeps for itself. */
static bool is_kept(const struct access *access)
{
    const unsigned counter = counter_of(access);

    return counter != UINT32_MAX && access->has_EL2 && access->state->EL < 2 &&
           counter >= GET(access, MDCR_EL2, MDCR_EL2_HPMN) && counter < access->features->counters;
}

static bool wants_EL2(const struct access *access)
{
    if (access->control == CAIRN_PE_CONTROL_TRACE && access->state->EL == 2)
        return is_TTA_of_EL2(access);
    if (!access->has_EL2 || access->state->EL > 1)
        return false;
    if (is_fine_trapped(access))
        return true;
    switch (access->control) {
    case CAIRN_PE_CONTROL_TRACE: return is_TTA_of_EL2(access);
    case CAIRN_PE_CONTROL_FILTER: return GET(access, MDCR_EL2, MDCR_EL2_TTRF);
    case CAIRN_PE_CONTROL_BUFFER: return !(GET(access, MDCR_EL2, MDCR_EL2_E2TB) & 1);
    case CAIRN_PE_CONTROL_PMU:
        return GET(access, MDCR_EL2, MDCR_EL2_TPM) ||
               (is_single(access, CAIRN_PE_PMCR_EL0) && GET(access, MDCR_EL2, MDCR_EL2_TPMCR)) ||
               (is_kept(access) &&
                (access->features->fine_traps || access->choices & CAIRN_PE_KEPT_TRAP));
    case CAIRN_PE_CONTROL_PMU_ENABLE:
    case CAIRN_PE_CONTROL_PMU_ID: return GET(access, MDCR_EL2, MDCR_EL2_TPM);
    case CAIRN_PE_CONTROL_DEBUG:
        return GET(access, MDCR_EL2, MDCR_EL2_TDA) || GET(access, MDCR_EL2, MDCR_EL2_TDE);
    case CAIRN_PE_CONTROL_OS_LOCK:
        return GET(access, MDCR_EL2, MDCR_EL2_TDOSA) || GET(access, MDCR_EL2, MDCR_EL2_TDE);
    case CAIRN_PE_CONTROL_DOUBLE_LOCK:
        return access->choices & CAIRN_PE_TRAPS_OSDLR &&
               (GET(access, MDCR_EL2, MDCR_EL2_TDOSA) || GET(access, MDCR_EL2, MDCR_EL2_TDE));
    case CAIRN_PE_CONTROL_CPTR: return GET(access, CPTR_EL2, CPTR_EL2_TCPAC);
    case CAIRN_PE_CONTROL_MEMORY:
        return access->direction == CAIRN_PE_READ ? GET(access, HCR_EL2, HCR_EL2_TRVM)
                                                  : GET(access, HCR_EL2, HCR_EL2_TVM);
    case CAIRN_PE_CONTROL_ID: return GET(access, HCR_EL2, HCR_EL2_TID3);
    case CAIRN_PE_CONTROL_NONE:
    case CAIRN_PE_CONTROL_BUFFER_ID:
    case CAIRN_PE_CONTROL_BRANCHES:
    case CAIRN_PE_CONTROL_MDCR:
    case CAIRN_PE_CONTROL_FINE:
    case CAIRN_PE_CONTROL_OFFSET: break;
    }
    return false;
}

/* --- EL1 --- */

/* PMUSERENR_EL0: EN lets EL0 have all of the monitors, other bits what they name. */
static bool is_user_enabled(const struct access *access)
{
    uint64_t enables = CAIRN_MASK(PMUSERENR_EN);

    if (access->direction == CAIRN_PE_READ && is_single(access, CAIRN_PE_PMCCNTR_EL0))
        enables |= CAIRN_MASK(PMUSERENR_CR);
    if (access->direction == CAIRN_PE_READ &&
        (is_single(access, CAIRN_PE_PMXEVCNTR_EL0) || is_of_row(access, CAIRN_PE_ROW_PMEVCNTR)))
        enables |= CAIRN_MASK(PMUSERENR_ER);
    if (is_single(access, CAIRN_PE_PMSELR_EL0))
        enables |= CAIRN_MASK(PMUSERENR_ER);
    if (is_single(access, CAIRN_PE_PMSWINC_EL0))
        enables |= CAIRN_MASK(PMUSERENR_SW);
    return access->registers->value[CAIRN_PE_PMUSERENR_EL0] & enables;
}

static bool wants_EL1(const struct access *access)
{
    if (access->control == CAIRN_PE_CONTROL_TRACE)
        return access->state->EL == 1 && GET(access, CPACR_EL1, CPACR_EL1_TTA);
    if (access->state->EL != 0)
        return false;
    return access->control == CAIRN_PE_CONTROL_ID ||
           (access->control == CAIRN_PE_CONTROL_PMU && !is_user_enabled(access));
}

/* --- whether it is there --- */

static bool is_built(const struct access *access)
{
    const struct cairn_pe_features *features = access->features;
    const unsigned counter = counter_of(access);

    switch (access->control) {
    case CAIRN_PE_CONTROL_FILTER: return features->trace_filter;
    case CAIRN_PE_CONTROL_BUFFER:
    case CAIRN_PE_CONTROL_BUFFER_ID: return features->trbe;
    case CAIRN_PE_CONTROL_BRANCHES: return features->brbe != 0;
    case CAIRN_PE_CONTROL_FINE: return features->fine_traps;
    case CAIRN_PE_CONTROL_PMU: return counter == UINT32_MAX || counter < features->counters;
    default: return true;
    }
}

/* What EL0 has: the monitors, the counters of the timer, and identification by a trap. */
static bool is_below(const struct access *access)
{
    if (access->control == CAIRN_PE_CONTROL_TRACE || !access->place.sysreg)
        return access->state->EL < 1;
    if (access->control == CAIRN_PE_CONTROL_ID)
        return false;
    if (access->control == CAIRN_PE_CONTROL_PMU_ENABLE && access->direction == CAIRN_PE_WRITE)
        return access->state->EL < 1;
    return access->state->EL < access->place.sysreg->EL;
}

static enum cairn_pe_permission judge(const struct access *access)
{
    const bool undefined3 = access->state->debug && access->choices & CAIRN_PE_SDD;

    if (undefined3 && access->choices & CAIRN_PE_SDD_FIRST && wants_EL3(access))
        return CAIRN_PE_UNDEFINED;
    if (wants_EL1(access))
        return access->state->EL == 0 && access->has_EL2 && GET(access, HCR_EL2, HCR_EL2_TGE)
                   ? CAIRN_PE_TRAP_EL2
                   : CAIRN_PE_TRAP_EL1;
    if (wants_EL2(access))
        return CAIRN_PE_TRAP_EL2;
    if (wants_EL3(access))
        return undefined3 ? CAIRN_PE_UNDEFINED : CAIRN_PE_TRAP_EL3;
    return CAIRN_PE_PERMITTED;
}

/* The Security state that decides whether EL2 is enabled: at EL3 that of the levels below. */
static unsigned below(const struct cairn_pe_state *state,
                      const struct cairn_pe_registers *registers)
{
    if (state->EL < 3)
        return state->security;
    return CAIRN_GETS(registers, SCR_EL3, SCR_EL3_NS) ? CAIRN_NONSECURE : CAIRN_SECURE;
}

enum cairn_pe_permission cairn_pe_permission(uint32_t encoding, enum cairn_pe_direction direction,
                                             const struct cairn_pe_features *features,
                                             const struct cairn_pe_state *state,
                                             const struct cairn_pe_registers *registers,
                                             uint32_t choices)
{
    struct access access = {
        .encoding = encoding,
        .direction = direction,
        .features = features,
        .state = state,
        .registers = registers,
        .choices = choices,
        .has_EL2 = cairn_pe_has_EL2(features, registers, below(state, registers)),
    };

    if (state->aarch32)
        return CAIRN_PE_UNDEFINED;
    if (cairn_pe_is_trace_sysreg(encoding))
        access.control = CAIRN_PE_CONTROL_TRACE;
    else if (encoding == CAIRN_PE_BRB_IALL || encoding == CAIRN_PE_BRB_INJ)
        access.control = CAIRN_PE_CONTROL_BRANCHES;
    else {
        access.place = cairn_pe_sysreg_encoded(encoding);
        if (!access.place.sysreg)
            return CAIRN_PE_UNDEFINED;
        /* Names of EL1 reach EL2's register and keep their own controls: those are alike. */
        access.place = cairn_pe_sysreg_reached(
            access.place, state->EL, access.has_EL2 && GET(&access, HCR_EL2, HCR_EL2_E2H));
        if (!access.place.sysreg || !(access.place.sysreg->access >> direction & 1))
            return CAIRN_PE_UNDEFINED;
        access.control = (enum cairn_pe_control)access.place.sysreg->control;
    }
    if (!is_built(&access) || is_below(&access))
        return CAIRN_PE_UNDEFINED;
    const enum cairn_pe_permission answer = judge(&access);
    if (answer != CAIRN_PE_PERMITTED)
        return answer;
    if (is_kept(&access) && access.control == CAIRN_PE_CONTROL_PMU)
        return choices & CAIRN_PE_KEPT_NOTHING ? CAIRN_PE_NOTHING : CAIRN_PE_UNDEFINED;
    if (state->EL == 3 && !features->EL2 && access.place.sysreg && access.place.sysreg->EL == 2)
        return CAIRN_PE_NOTHING;
    return CAIRN_PE_PERMITTED;
}

bool cairn_pe_buffer_is_others(const struct cairn_pe_features *features,
                               const struct cairn_pe_state *state,
                               const struct cairn_pe_registers *registers)
{
    const struct cairn_pe_registers *r = registers;

    if (state->EL == 3)
        return false;
    if (features->EL3) {
        const bool NS = CAIRN_GETS(r, MDCR_EL3, MDCR_EL3_NSTB) >> 1;
        const bool NSE = features->realms && CAIRN_GETS(r, MDCR_EL3, MDCR_EL3_NSTBE);
        const enum cairn_security owner = NSE ? CAIRN_REALM : NS ? CAIRN_NONSECURE : CAIRN_SECURE;
        if (state->security != owner)
            return true;
    }
    return state->EL < 2 && cairn_pe_has_EL2(features, r, state->security) &&
           CAIRN_GETS(r, MDCR_EL2, MDCR_EL2_E2TB) == 0;
}
