/* SPDX-License-Identifier: BSD-2-Clause */
/* What accesses to the PMU's registers do. */
#include "pe/pmu.h"
#include "pe/pmu_count.h"

#define CYCLE_BIT (UINT32_C(1) << CAIRN_PMU_CYCLE_COUNTER)
#define USER_BITS UINT64_C(0xf) /* PMUSERENR_EL0: EN, SW, CR, ER */

static uint64_t *slot(struct cairn_pmu *pmu, enum cairn_pe_register name)
{
    return &pmu->registers->value[name];
}

/* EL1 and EL0 do not reach the counters reserved for EL2. */
static bool is_limited(const struct cairn_pmu *pmu, const struct cairn_pe_state *state)
{
    return state && state->EL < 2 &&
           cairn_pe_has_EL2(&pmu->config.features, pmu->registers, state->security);
}

static unsigned reachable(const struct cairn_pmu *pmu, const struct cairn_pe_state *state)
{
    return is_limited(pmu, state) ? cairn_pmu_first_reserved(pmu) : cairn_pmu_counters(pmu);
}

static uint32_t reachable_bits(const struct cairn_pmu *pmu, const struct cairn_pe_state *state)
{
    return ((UINT32_C(1) << reachable(pmu, state)) - 1) | CYCLE_BIT;
}

static uint64_t filter_bits(const struct cairn_pmu *pmu)
{
    const struct cairn_pe_features *features = &pmu->config.features;
    uint64_t bits = CAIRN_MASK(PMEVTYPER_P) | CAIRN_MASK(PMEVTYPER_U);

    if (features->EL3)
        bits |= CAIRN_MASK(PMEVTYPER_NSK) | CAIRN_MASK(PMEVTYPER_NSU) | CAIRN_MASK(PMEVTYPER_M);
    if (features->EL2)
        bits |= CAIRN_MASK(PMEVTYPER_NSH);
    if (features->EL3 && features->secure_EL2)
        bits |= CAIRN_MASK(PMEVTYPER_SH);
    if (features->realms)
        bits |= CAIRN_MASK(PMEVTYPER_RLK) | CAIRN_MASK(PMEVTYPER_RLU) | CAIRN_MASK(PMEVTYPER_RLH);
    if (features->transactions)
        bits |= CAIRN_MASK(PMEVTYPER_T);
    return bits;
}

static uint64_t event_bits(const struct cairn_pmu *pmu)
{
    return pmu->config.version < CAIRN_PMU_V3P1 ? CAIRN_MASK(PMEVTYPER_EVENT_V3)
                                                : CAIRN_MASK(PMEVTYPER_EVENT);
}

static uint64_t control_bits(const struct cairn_pmu *pmu)
{
    uint64_t bits = CAIRN_MASK(PMCR_E) | CAIRN_MASK(PMCR_D) | CAIRN_MASK(PMCR_X) |
                    CAIRN_MASK(PMCR_DP) | CAIRN_MASK(PMCR_LC);

    if (pmu->config.version >= CAIRN_PMU_V3P5)
        bits |= CAIRN_MASK(PMCR_LP);
    if (pmu->config.version >= CAIRN_PMU_V3P7)
        bits |= CAIRN_MASK(PMCR_FZO);
    return bits;
}

/* PMCEID<n>_EL0: 32 events from 0x20 * n on, and 32 from 0x4000 + 0x20 * n on. */
static uint64_t identify(const struct cairn_pmu *pmu, unsigned n)
{
    uint64_t bits = 0;

    for (unsigned bit = 0; bit < 64; bit++)
        if (cairn_pmu_countable(pmu, (bit < 32 ? 0 : 0x4000) + 0x20 * n + bit % 32))
            bits |= UINT64_C(1) << bit;
    return bits;
}

static void identify_all(struct cairn_pmu *pmu)
{
    *slot(pmu, CAIRN_PE_PMCEID0_EL0) = identify(pmu, 0);
    *slot(pmu, CAIRN_PE_PMCEID1_EL0) = identify(pmu, 1);
}

cairn_status cairn_pmu_init(struct cairn_pmu *pmu, const struct cairn_pmu_config *config,
                            struct cairn_pe_registers *registers)
{
    switch (config->version) {
    case 0:
    case CAIRN_PMU_V3:
    case CAIRN_PMU_V3P1:
    case CAIRN_PMU_V3P4:
    case CAIRN_PMU_V3P5:
    case CAIRN_PMU_V3P7: break;
    default: return CAIRN_E_ARGUMENT;
    }
    if (config->features.counters > CAIRN_PE_EVENT_COUNTERS)
        return CAIRN_E_ARGUMENT;
    *pmu = (struct cairn_pmu){.config = *config, .registers = registers};
    if (config->version == 0)
        pmu->config.version = CAIRN_PMU_V3P7;
    cairn_pmu_events_of(&pmu->implemented, &config->features, config->ETE);
    cairn_pmu_reset(pmu);
    return CAIRN_OK;
}

void cairn_pmu_reset(struct cairn_pmu *pmu)
{
    for (unsigned name = 0; name < CAIRN_PE_REGISTERS; name++)
        if (cairn_pmu_owns((enum cairn_pe_register)name))
            pmu->registers->value[name] = 0;
    *slot(pmu, CAIRN_PE_PMCR_EL0) = CAIRN_PUT(UINT64_C(0), PMCR_N, cairn_pmu_counters(pmu));
    *slot(pmu, CAIRN_PE_MDCR_EL2) =
        CAIRN_PUT(*slot(pmu, CAIRN_PE_MDCR_EL2), MDCR_EL2_HPMN, cairn_pmu_counters(pmu));
    *slot(pmu, CAIRN_PE_PMMIR_EL1) = pmu->config.PMMIR;
    identify_all(pmu);
    pmu->transaction = (struct cairn_pmu_transaction){0};
    pmu->before_transactional = false;
    pmu->divider = 0;
    cairn_pmu_changed(pmu);
}

cairn_status cairn_pmu_implement(struct cairn_pmu *pmu, uint32_t number)
{
    const cairn_status status = cairn_pmu_events_add(&pmu->implemented, number);

    if (status == CAIRN_OK) {
        identify_all(pmu);
        cairn_pmu_changed(pmu);
    }
    return status;
}

bool cairn_pmu_owns(enum cairn_pe_register name)
{
    if (name >= CAIRN_PE_PMEVCNTR0_EL0 && name < CAIRN_PE_REGISTERS)
        return true;
    switch (name) {
#define S(register, op0, op1, CRn, CRm, op2) case CAIRN_PE_##register:
        CAIRN_PE_SYSREGS_PMU(S)
#undef S
        return true;
    default: return false;
    }
}

/* --- reads --- */

static uint64_t read_counter(const struct cairn_pmu *pmu, unsigned n,
                             const struct cairn_pe_state *state)
{
    return n < reachable(pmu, state) ? pmu->registers->value[CAIRN_PE_PMEVCNTR0_EL0 + n] : 0;
}

static uint64_t read_type(const struct cairn_pmu *pmu, unsigned n,
                          const struct cairn_pe_state *state)
{
    return n < reachable(pmu, state) ? pmu->registers->value[CAIRN_PE_PMEVTYPER0_EL0 + n] : 0;
}

uint64_t cairn_pmu_read(const struct cairn_pmu *pmu, enum cairn_pe_register name,
                        const struct cairn_pe_state *state)
{
    const unsigned selected = (unsigned)CAIRN_GETS(pmu->registers, PMSELR_EL0, PMSELR_SEL);

    if (!cairn_pmu_owns(name))
        return 0;
    if (name >= CAIRN_PE_PMEVTYPER0_EL0)
        return read_type(pmu, (unsigned)name - CAIRN_PE_PMEVTYPER0_EL0, state);
    if (name >= CAIRN_PE_PMEVCNTR0_EL0)
        return read_counter(pmu, (unsigned)name - CAIRN_PE_PMEVCNTR0_EL0, state);
    switch (name) {
    case CAIRN_PE_PMCR_EL0:
        return CAIRN_PUT(pmu->registers->value[name], PMCR_N, reachable(pmu, state));
    case CAIRN_PE_PMCNTENSET_EL0:
    case CAIRN_PE_PMCNTENCLR_EL0:
    case CAIRN_PE_PMOVSSET_EL0:
    case CAIRN_PE_PMOVSCLR_EL0:
    case CAIRN_PE_PMINTENSET_EL1:
    case CAIRN_PE_PMINTENCLR_EL1: return pmu->registers->value[name] & reachable_bits(pmu, state);
    case CAIRN_PE_PMSWINC_EL0: return 0;
    case CAIRN_PE_PMXEVTYPER_EL0:
        return selected == CAIRN_PMU_CYCLE_COUNTER ? pmu->registers->value[CAIRN_PE_PMCCFILTR_EL0]
                                                   : read_type(pmu, selected, state);
    case CAIRN_PE_PMXEVCNTR_EL0: return read_counter(pmu, selected, state);
    default: return pmu->registers->value[name];
    }
}

/* --- writes --- */

static void write_counter(struct cairn_pmu *pmu, unsigned n, uint64_t value,
                          const struct cairn_pe_state *state)
{
    if (n < reachable(pmu, state))
        pmu->registers->value[CAIRN_PE_PMEVCNTR0_EL0 + n] =
            pmu->config.version < CAIRN_PMU_V3P5 ? value & UINT32_MAX : value;
}

static void write_type(struct cairn_pmu *pmu, unsigned n, uint64_t value,
                       const struct cairn_pe_state *state)
{
    uint64_t *type = &pmu->registers->value[CAIRN_PE_PMEVTYPER0_EL0 + n];

    if (n >= reachable(pmu, state))
        return;
    value &= filter_bits(pmu) | event_bits(pmu);
    if (CAIRN_GET(*type, PMEVTYPER_EVENT) != CAIRN_GET(value, PMEVTYPER_EVENT))
        pmu->totals[n] = pmu->overflows[n] = 0;
    *type = value;
}

static void write_pair(struct cairn_pmu *pmu, enum cairn_pe_register set,
                       enum cairn_pe_register clear, uint64_t value)
{
    *slot(pmu, set) = *slot(pmu, clear) = value;
}

/* PMCR_EL0.P and C: neither touches the overflow flags. */
static void write_control(struct cairn_pmu *pmu, uint64_t value, const struct cairn_pe_state *state)
{
    const uint64_t bits = control_bits(pmu);
    uint64_t *control = slot(pmu, CAIRN_PE_PMCR_EL0);

    *control = (*control & ~bits) | (value & bits);
    if (CAIRN_GET(value, PMCR_P))
        for (unsigned n = 0; n < reachable(pmu, state); n++)
            pmu->registers->value[CAIRN_PE_PMEVCNTR0_EL0 + n] = 0;
    if (CAIRN_GET(value, PMCR_C)) {
        *slot(pmu, CAIRN_PE_PMCCNTR_EL0) = 0;
        pmu->divider = 0;
    }
}

/* One event in the PMU for each counter of SW_INCR; one at the trace unit, whatever the counters of these
 * bits count (R_XGMPN, R_BXPZK). */
static void write_software_increment(struct cairn_pmu *pmu, uint64_t value,
                                     const struct cairn_pe_state *state)
{
    const struct cairn_pe_state debugger = {.EL = 3, .security = CAIRN_SECURE, .debug = true};
    const uint32_t bits = (uint32_t)value & reachable_bits(pmu, state) & ~CYCLE_BIT;

    if (bits == 0)
        return;
    if (!state)
        state = &debugger;
    cairn_pmu_increment(pmu, bits, state);
    cairn_pmu_export(pmu, CAIRN_PMU_SW_INCR, 1, state);
}

void cairn_pmu_write(struct cairn_pmu *pmu, enum cairn_pe_register name, uint64_t value,
                     const struct cairn_pe_state *state)
{
    const unsigned selected = (unsigned)CAIRN_GETS(pmu->registers, PMSELR_EL0, PMSELR_SEL);
    const uint64_t bits = value & reachable_bits(pmu, state);

    if (!cairn_pmu_owns(name))
        return;
    if (name >= CAIRN_PE_PMEVTYPER0_EL0) {
        write_type(pmu, (unsigned)name - CAIRN_PE_PMEVTYPER0_EL0, value, state);
    } else if (name >= CAIRN_PE_PMEVCNTR0_EL0) {
        write_counter(pmu, (unsigned)name - CAIRN_PE_PMEVCNTR0_EL0, value, state);
    } else {
        switch (name) {
        case CAIRN_PE_PMCR_EL0: write_control(pmu, value, state); break;
        case CAIRN_PE_PMCNTENSET_EL0:
            write_pair(pmu, name, CAIRN_PE_PMCNTENCLR_EL0, *slot(pmu, name) | bits);
            break;
        case CAIRN_PE_PMCNTENCLR_EL0:
            write_pair(pmu, name, CAIRN_PE_PMCNTENSET_EL0, *slot(pmu, name) & ~bits);
            break;
        case CAIRN_PE_PMINTENSET_EL1:
            write_pair(pmu, name, CAIRN_PE_PMINTENCLR_EL1, *slot(pmu, name) | bits);
            break;
        case CAIRN_PE_PMINTENCLR_EL1:
            write_pair(pmu, name, CAIRN_PE_PMINTENSET_EL1, *slot(pmu, name) & ~bits);
            break;
        case CAIRN_PE_PMOVSSET_EL0:
            cairn_pmu_set_flags(pmu, (uint32_t)(*slot(pmu, name) | bits));
            break;
        case CAIRN_PE_PMOVSCLR_EL0:
            cairn_pmu_set_flags(pmu, (uint32_t)(*slot(pmu, name) & ~bits));
            break;
        case CAIRN_PE_PMSWINC_EL0: write_software_increment(pmu, value, state); break;
        case CAIRN_PE_PMSELR_EL0: *slot(pmu, name) = value & CAIRN_MASK(PMSELR_SEL); break;
        case CAIRN_PE_PMXEVTYPER_EL0:
            if (selected == CAIRN_PMU_CYCLE_COUNTER)
                *slot(pmu, CAIRN_PE_PMCCFILTR_EL0) = value & filter_bits(pmu);
            else
                write_type(pmu, selected, value, state);
            break;
        case CAIRN_PE_PMXEVCNTR_EL0: write_counter(pmu, selected, value, state); break;
        case CAIRN_PE_PMCCNTR_EL0: *slot(pmu, name) = value; break;
        case CAIRN_PE_PMCCFILTR_EL0: *slot(pmu, name) = value & filter_bits(pmu); break;
        case CAIRN_PE_PMUSERENR_EL0: *slot(pmu, name) = value & USER_BITS; break;
        default: return; /* PMCEID<n>_EL0, PMMIR_EL1 are read-only */
        }
    }
    cairn_pmu_changed(pmu);
}
