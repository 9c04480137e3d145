/* SPDX-License-Identifier: BSD-2-Clause */
/* States of a PE beside its level: Debug state and Transactional state, and what its parts are told of them. */
#include "pe/pe.h"

/* --- Debug state --- */

void cairn_pe_halt(struct cairn_pe *pe, uint64_t address, enum cairn_isa isa)
{
    const struct cairn_pe_state before = pe->state;

    if (before.debug || !cairn_pe_hears(pe))
        return;
    cairn_pe_aim(pe, address);
    if (pe->unit) {
        cairn_unit_exception(pe->unit, CAIRN_EXCEPTION_DEBUG_HALT, address, isa);
        cairn_unit_debug_state(pe->unit, true);
        cairn_pe_pass_trace(pe, !pe->prohibited);
    }
    pe->pmu.exception_from = before; /* its record counts as of there */
    pe->state.debug = true;
    cairn_pe_cse(pe);
    if (pe->has_brbe) {
        const struct cairn_brbe_side from = {&pe->order.lanes[0].seen, &before};
        const struct cairn_brbe_side to = cairn_pe_side(pe);

        cairn_brbe_debug_entry(&pe->brbe, &from, &to, address);
        cairn_brbe_synchronize(&pe->brbe);
    }
    cairn_pe_follow(pe);
    cairn_pe_tell_cti(pe, CAIRN_PE_CTI_HALTED);
}

void cairn_pe_resume(struct cairn_pe *pe, uint64_t address, const struct cairn_context *to)
{
    const struct cairn_pe_state before = pe->state;

    if (!before.debug || !cairn_pe_hears(pe))
        return;
    pe->state = cairn_pe_state_of(pe, to);
    pe->state.debug = false;
    cairn_pe_cse(pe);
    if (pe->has_brbe) {
        const struct cairn_brbe_side from = {&pe->order.lanes[0].seen, &before};
        const struct cairn_brbe_side now = cairn_pe_side(pe);

        cairn_brbe_debug_exit(&pe->brbe, &from, &now, address);
        cairn_brbe_synchronize(&pe->brbe);
    }
    if (pe->unit)
        cairn_unit_debug_state(pe->unit, false);
    cairn_pe_tell_context(pe, to);
    cairn_pe_follow(pe);
}

/* --- Transactional state --- */

void cairn_pe_transaction_start(struct cairn_pe *pe)
{
    const struct cairn_brbe_side now = cairn_pe_side(pe);

    if (!pe->features.transactions || pe->state.transactional || !cairn_pe_hears(pe))
        return;
    if (pe->unit) {
        cairn_unit_transaction_start(pe->unit);
        cairn_pe_pass_trace(pe, false);
    }
    cairn_pmu_transaction_start(&pe->pmu, &pe->state);
    if (pe->has_brbe)
        cairn_brbe_transaction_start(&pe->brbe, &now);
    pe->state.transactional = true;
}

void cairn_pe_transaction_commit(struct cairn_pe *pe)
{
    if (!pe->state.transactional || !cairn_pe_hears(pe))
        return;
    if (pe->unit) {
        cairn_unit_transaction_commit(pe->unit);
        cairn_pe_pass_trace(pe, false);
    }
    if (pe->has_brbe)
        cairn_brbe_transaction_commit(&pe->brbe);
    cairn_pmu_transaction_commit(&pe->pmu, &pe->state);
    pe->state.transactional = false;
}

void cairn_pe_transaction_fail(struct cairn_pe *pe, uint64_t address, uint64_t result)
{
    if (!pe->state.transactional || !cairn_pe_hears(pe))
        return;
    cairn_pe_aim(pe, address);
    cairn_pe_undo_transaction(pe, result);
}

void cairn_pe_undo_transaction(struct cairn_pe *pe, uint64_t result)
{
    if (!pe->state.transactional)
        return;
    if (pe->unit) {
        cairn_unit_transaction_fail(pe->unit);
        cairn_pe_pass_trace(pe, false);
    }
    if (pe->has_brbe) {
        const struct cairn_brbe_side now = cairn_pe_side(pe);

        cairn_brbe_transaction_fail(&pe->brbe, &now);
    }
    cairn_pmu_transaction_fail(&pe->pmu, result, 0, &pe->state);
    pe->state.transactional = false;
    cairn_pe_follow(pe); /* overflow flags may be what they were before it */
}
