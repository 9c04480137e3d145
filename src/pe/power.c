/* SPDX-License-Identifier: BSD-2-Clause */
/* Resets and power of a PE with all that stands around it, and its Cross-trigger Interface. */
#include <string.h>

#include "pe/pe.h"
#include "pe/sysreg.h"

/* Any sequence of seeds will do; 0 stays. */
static uint64_t next_seed(uint64_t seed)
{
    return seed ? seed * UINT64_C(6364136223846793005) + 1 : 0;
}

/* --- resets --- */

/* Its controls are among `values` already; of BRBFCR_EL1 the records have two fields, and where it is UNKNOWN so is what
 * else they have that is. */
static void reset_branches(struct cairn_pe *pe, struct cairn_pe_registers *values, bool is_cold)
{
    const struct cairn_pe_registers controls = *values;

    if (is_cold || pe->features.brbe < 2)
        pe->brbe.options.unknown = controls.value[CAIRN_PE_BRBFCR_EL1];
    cairn_brbe_reset(&pe->brbe, values, is_cold);
    values->value[CAIRN_PE_BRBCR_EL1] = controls.value[CAIRN_PE_BRBCR_EL1];
    values->value[CAIRN_PE_BRBCR_EL2] = controls.value[CAIRN_PE_BRBCR_EL2];
}

/* What is UNKNOWN is among `values`. The rest of the monitors' registers are other names of these. */
static void reset_monitors(struct cairn_pe *pe, struct cairn_pe_registers *values)
{
    static const enum cairn_pe_register unknown[] = {
        CAIRN_PE_PMCR_EL0,       CAIRN_PE_PMSELR_EL0,   CAIRN_PE_PMUSERENR_EL0,
        CAIRN_PE_PMCNTENSET_EL0, CAIRN_PE_PMOVSSET_EL0, CAIRN_PE_PMINTENSET_EL1,
        CAIRN_PE_PMCCNTR_EL0,    CAIRN_PE_PMCCFILTR_EL0};

    pe->pmu_registers = *values;
    cairn_pmu_reset(&pe->pmu);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        cairn_pmu_write(&pe->pmu, unknown[i], values->value[unknown[i]], NULL);
    for (uint32_t reg = CAIRN_PE_PMEVCNTR0_EL0; reg < CAIRN_PE_REGISTERS; reg++)
        cairn_pmu_write(&pe->pmu, (enum cairn_pe_register)reg, values->value[reg], NULL);
    for (uint32_t reg = 0; reg < CAIRN_PE_REGISTERS; reg++)
        if (cairn_pmu_owns((enum cairn_pe_register)reg))
            values->value[reg] = pe->pmu_registers.value[reg];
}

static void reset_registers(struct cairn_pe *pe, bool is_cold)
{
    struct cairn_pe_registers values = pe->order.lanes[0].direct;

    cairn_pe_registers_reset(&values, &pe->features,
                             is_cold ? CAIRN_PE_RESET_COLD : CAIRN_PE_RESET_WARM, pe->unknown);
    pe->unknown = next_seed(pe->unknown);
    values.value[CAIRN_PE_TRBSR_EL1] = 0; /* as cairn_pe_trbe_reset has it */
    reset_monitors(pe, &values);          /* whose flags may freeze the records */
    if (pe->has_brbe)
        reset_branches(pe, &values, is_cold);
    for (unsigned i = 0; i < pe->order.lane_count; i++) {
        struct cairn_access_lane *lane = &pe->order.lanes[i];

        if (pe->has_trbe)
            cairn_pe_trbe_reset(&pe->lanes[i].trbe, 0);
        memset(&pe->lanes[i].memory, 0, sizeof pe->lanes[i].memory);
        lane->direct = lane->seen = values;
        memset(&lane->dirty, 0, sizeof lane->dirty);
        memset(&lane->fresh, 0, sizeof lane->fresh);
        memset(&lane->settled, 0, sizeof lane->settled);
    }
    cairn_pe_late_pmu_synchronize(pe);
}

static void reset_unit(struct cairn_pe *pe, enum cairn_reset kind)
{
    if (!pe->unit)
        return;
    cairn_unit_reset(pe->unit, kind);
    cairn_pe_pass_trace(pe, false);
    if (kind == CAIRN_RESET_COLD) {
        pe->late_unit.locked = true;
        pe->prohibited = true; /* which the unit knows (S_WVMHS) */
    }
    cairn_pe_late_unit_set(pe);
}

static void tell_reset(const struct cairn_pe *pe, enum cairn_reset kind, bool done)
{
    if (pe->reset)
        pe->reset(pe->caller, kind, done);
}

/* Nothing of before is late any more. */
static void reset_PE(struct cairn_pe *pe, enum cairn_reset kind)
{
    tell_reset(pe, kind, false);
    reset_registers(pe, kind == CAIRN_RESET_COLD);
    pe->uses_tables = false;
    pe->identified = false;
    if (kind == CAIRN_RESET_COLD) {
        pe->authentication.TFO = false; /* EDSCR.TFO (S_WVMHS) */
        reset_unit(pe, kind);
    }
    pe->state = cairn_pe_state_out_of_reset(&pe->features);
}

/* And what follows from where it is then. */
static void begin_again(struct cairn_pe *pe, enum cairn_reset kind)
{
    cairn_pe_programmed(pe);
    cairn_pe_follow(pe);
    tell_reset(pe, kind, true);
}

/* What it was in. */
static void leave_states(struct cairn_pe *pe)
{
    cairn_pe_undo_transaction(pe, 0); /* R_ZGNK; in the trace the exception may imply it (R_QWGL) */
    if (pe->unit && pe->state.debug)
        cairn_unit_debug_state(pe->unit, false);
}

void cairn_pe_reset_as_told(struct cairn_pe *pe, uint64_t address, enum cairn_isa isa)
{
    if (!cairn_pe_hears(pe))
        return;
    cairn_order_lose(&pe->order, CAIRN_PE_TRBPTR_EL1);
    cairn_pe_except(pe, CAIRN_EXCEPTION_PE_RESET, address, isa);
    leave_states(pe);
    cairn_pe_settle_as_told(pe);
    reset_PE(pe, CAIRN_RESET_WARM);
    begin_again(pe, CAIRN_RESET_WARM);
}

void cairn_pe_reset(struct cairn_pe *pe, enum cairn_reset kind, uint64_t address,
                    enum cairn_isa isa)
{
    struct cairn_context context = {.SF = 1};

    if (kind == CAIRN_RESET_TRACE_UNIT && !cairn_pe_is_off(pe->power)) {
        reset_unit(pe, kind);
        cairn_pe_programmed(pe);
    }
    if ((kind != CAIRN_RESET_COLD && kind != CAIRN_RESET_WARM) || !cairn_pe_hears(pe))
        return;
    /* Neither completes what the buffer has accepted. */
    cairn_order_lose(&pe->order, CAIRN_PE_TRBPTR_EL1);
    if (kind == CAIRN_RESET_WARM)
        cairn_pe_except(pe, CAIRN_EXCEPTION_PE_RESET, address, isa);
    leave_states(pe);
    cairn_pe_settle(pe);
    reset_PE(pe, kind);
    context.EL = pe->state.EL;
    context.security = pe->state.security;
    cairn_pe_tell_context(pe, &context);
    begin_again(pe, kind);
}

/* --- power --- */

static void sleep_or_wake(struct cairn_pe *pe, bool sleeps)
{
    if (!pe->unit)
        return;
    cairn_unit_low_power(pe->unit, sleeps);
    cairn_pe_pass_trace(pe, false);
}

static void tell_unit(struct cairn_pe *pe, enum cairn_power power)
{
    if (!pe->unit)
        return;
    cairn_unit_power(pe->unit, power);
    cairn_pe_pass_trace(pe, false);
}

void cairn_pe_power(struct cairn_pe *pe, enum cairn_power power)
{
    const enum cairn_power was = pe->power;

    /* What is gone stays gone. */
    if ((unsigned)power > CAIRN_POWER_SAVED || power == was ||
        (was == CAIRN_POWER_DOWN && cairn_pe_is_off(power)))
        return;
    if (was == CAIRN_POWER_STANDBY)
        sleep_or_wake(pe, false);
    if (power == CAIRN_POWER_DOWN || power == CAIRN_POWER_SAVED) {
        cairn_order_lose(&pe->order, CAIRN_PE_TRBPTR_EL1);
        cairn_pe_settle(pe);
        tell_unit(pe, power);
        cairn_pe_settle(pe);
    } else {
        tell_unit(pe, power);
    }
    if (was == CAIRN_POWER_DOWN) {
        pe->power = CAIRN_POWER_NORMAL;
        cairn_pe_reset(pe, CAIRN_RESET_COLD, 0, CAIRN_ISA_A64);
    }
    pe->power = power;
    if (power == CAIRN_POWER_STANDBY)
        sleep_or_wake(pe, true);
    cairn_pe_programmed(pe);
}

bool cairn_pe_wakes(struct cairn_pe *pe)
{
    if (pe->power == CAIRN_POWER_STANDBY)
        cairn_pe_power(pe, CAIRN_POWER_NORMAL);
    return pe->power == CAIRN_POWER_NORMAL;
}

/* --- cross triggers --- */

cairn_status cairn_pe_trigger(struct cairn_pe *pe, unsigned number)
{
    const unsigned first = CAIRN_PE_CTI_TRACE;

    if (number < first || number > first + 3)
        return CAIRN_E_ARGUMENT;
    if (cairn_pe_is_off(pe->power))
        return CAIRN_OK;
    cairn_pmu_event(&pe->pmu, CAIRN_PMU_CTI_TRIGOUT4 + number - first, 1, &pe->state);
    cairn_pe_pass_trace(pe, false);
    return CAIRN_OK;
}

void cairn_pe_tell_cti(const struct cairn_pe *pe, unsigned number)
{
    if (pe->cti)
        pe->cti(pe->caller, number);
}
