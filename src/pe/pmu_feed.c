/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens in the PE, as events; which of them reach the trace unit; and what a run came to. */
#include "pe/pmu.h"
#include "pe/pmu_count.h"

#define ALL_COUNTERS (CAIRN_PE_EVENT_COUNTERS + 1)

/* --- to the trace unit --- */

cairn_status cairn_pmu_select(struct cairn_pmu *pmu, const uint32_t *numbers, size_t count)
{
    struct cairn_pmu_events selected = {0};

    for (size_t n = 0; n < count; n++) {
        const cairn_status status = cairn_pmu_events_add(&selected, numbers[n]);

        if (status != CAIRN_OK)
            return status;
    }
    pmu->selected = selected;
    pmu->selects = true;
    return CAIRN_OK;
}

void cairn_pmu_set_gate(struct cairn_pmu *pmu, struct cairn_pmu_gate gate)
{
    pmu->gate = gate;
}

/* Counting in Secure state is prohibited, of whatever level there (R_WSXTC). */
static bool secure_is_prohibited(const struct cairn_pmu *pmu)
{
    if (!pmu->config.features.EL3 || CAIRN_GETS(pmu->registers, MDCR_EL3, MDCR_EL3_SPME))
        return false;
    return pmu->config.version < CAIRN_PMU_V3P7 ||
           !CAIRN_GETS(pmu->registers, MDCR_EL3, MDCR_EL3_MPMX);
}

static bool passes(const struct cairn_pmu *pmu, uint32_t number, const struct cairn_pe_state *state)
{
    const uint32_t choices = pmu->config.choices;

    if (!cairn_pmu_events_have(&pmu->implemented, number))
        return false;
    if ((choices & CAIRN_PMU_EXPORT_BY_X) && !CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_X))
        return false;
    switch (number) {
    case CAIRN_PMU_CTI_TRIGOUT4:
    case CAIRN_PMU_CTI_TRIGOUT5:
    case CAIRN_PMU_CTI_TRIGOUT6:
    case CAIRN_PMU_CTI_TRIGOUT7:
    case CAIRN_PMU_PMU_OVFS:
    case CAIRN_PMU_TRB_WRAP:
    case CAIRN_PMU_TRB_TRIG: return true;
    case CAIRN_PMU_PMU_HOVFS:
        return !pmu->gate.self_hosted || CAIRN_GETS(pmu->registers, TRFCR_EL2, TRFCR_EL2_E2TRE);
    case CAIRN_PMU_TRCEXTOUT0:
    case CAIRN_PMU_TRCEXTOUT1:
    case CAIRN_PMU_TRCEXTOUT2:
    case CAIRN_PMU_TRCEXTOUT3:
        if (!(choices & CAIRN_PMU_OUTPUTS_ARE_INPUTS))
            return false;
        break;
    default: break;
    }
    if (pmu->gate.self_hosted)
        return !pmu->gate.prohibited;
    return state->security != CAIRN_SECURE || !secure_is_prohibited(pmu);
}

void cairn_pmu_export(struct cairn_pmu *pmu, uint32_t number, uint64_t count,
                      const struct cairn_pe_state *state)
{
    if (count == 0 || !pmu->config.calls.exported)
        return;
    if (pmu->selects && !cairn_pmu_events_have(&pmu->selected, number))
        return;
    if (passes(pmu, number, state))
        pmu->config.calls.exported(pmu->config.calls.user, number, count);
}

void cairn_pmu_emit(struct cairn_pmu *pmu, uint32_t number, uint64_t count,
                    const struct cairn_pe_state *state)
{
    const struct cairn_pmu_together events = {.numbers = {(uint16_t)number}, .count = 1};

    cairn_pmu_count(pmu, &events, count, state);
    cairn_pmu_export(pmu, number, count, state);
}

/* --- instructions, exceptions, cycles --- */

static bool in_transaction(const struct cairn_pmu *pmu, const struct cairn_pe_state *state)
{
    return pmu->transaction.depth > 0 && state->transactional;
}

static void add_limited(uint64_t *sum, uint64_t count)
{
    *sum = count > UINT64_MAX - *sum ? UINT64_MAX : *sum + count;
}

/* An exception return counts as a branch, an ISB does not (as FEAT_PMUv3p9 has it). */
static void branch_retired(struct cairn_pmu *pmu, const struct cairn_block *block, bool passed,
                           const struct cairn_pe_state *state)
{
    const bool direct = block->kind == CAIRN_INSN_BRANCH_DIRECT;
    const bool returns = block->flags & CAIRN_INSN_RETURN;

    cairn_pmu_emit(pmu, CAIRN_PMU_BR_RETIRED, 1, state);
    cairn_pmu_emit(pmu, direct ? CAIRN_PMU_BR_IMMED_RETIRED : CAIRN_PMU_BR_IND_RETIRED, 1, state);
    if (!passed) {
        cairn_pmu_emit(pmu, CAIRN_PMU_BR_SKIP_RETIRED, 1, state);
        return;
    }
    cairn_pmu_emit(pmu, CAIRN_PMU_PC_WRITE_RETIRED, 1, state);
    if (direct)
        cairn_pmu_emit(pmu, CAIRN_PMU_BR_IMMED_TAKEN_RETIRED, 1, state);
    else if (!returns)
        cairn_pmu_emit(pmu, CAIRN_PMU_BR_INDNR_TAKEN_RETIRED, 1, state);
    if (returns)
        cairn_pmu_emit(pmu, CAIRN_PMU_BR_RETURN_RETIRED, 1, state);
    if (block->flags & CAIRN_INSN_ERET)
        cairn_pmu_emit(pmu, CAIRN_PMU_EXC_RETURN, 1, state);
}

void cairn_pmu_retired(struct cairn_pmu *pmu, const struct cairn_block *block, bool passed,
                       const struct cairn_pe_state *state)
{
    struct cairn_pmu_together events = {.numbers = {CAIRN_PMU_INST_RETIRED}, .count = 1};

    if (in_transaction(pmu, state)) {
        events.numbers[events.count++] = CAIRN_PMU_TME_INST_RETIRED_COMMITTED;
        add_limited(&pmu->transaction.instructions, block->count);
    }
    cairn_pmu_count(pmu, &events, block->count, state);
    cairn_pmu_export(pmu, CAIRN_PMU_INST_RETIRED, block->count, state);
    if (block->kind == CAIRN_INSN_BRANCH_DIRECT || block->kind == CAIRN_INSN_BRANCH_INDIRECT)
        branch_retired(pmu, block, passed, state);
    if ((block->flags & CAIRN_INSN_ERET) && passed)
        pmu->exception_from = *state;
    pmu->before_transactional = state->transactional;
}

void cairn_pmu_predicted(struct cairn_pmu *pmu, enum cairn_pmu_prediction prediction,
                         const struct cairn_pe_state *state)
{
    cairn_pmu_emit(pmu, CAIRN_PMU_BR_PRED, 1, state);
    if (prediction == CAIRN_PMU_PREDICTED) {
        cairn_pmu_emit(pmu, CAIRN_PMU_BR_PRED_RETIRED, 1, state);
        return;
    }
    cairn_pmu_emit(pmu, CAIRN_PMU_BR_MIS_PRED, 1, state);
    cairn_pmu_emit(pmu, CAIRN_PMU_BR_MIS_PRED_RETIRED, 1, state);
}

void cairn_pmu_exception(struct cairn_pmu *pmu, uint32_t number, const struct cairn_pe_state *from)
{
    pmu->exception_from = *from;
    cairn_pmu_emit(pmu, CAIRN_PMU_EXC_TAKEN, 1, from);
    if (number != 0)
        cairn_pmu_event(pmu, number, 1, from);
    pmu->before_transactional = from->transactional;
}

void cairn_pmu_exception_event(struct cairn_pmu *pmu, uint32_t number)
{
    const struct cairn_pe_state from = pmu->exception_from;

    cairn_pmu_event(pmu, number, 1, &from);
}

void cairn_pmu_cycles(struct cairn_pmu *pmu, uint64_t cycles, const struct cairn_pe_state *state)
{
    struct cairn_pmu_together events = {
        .numbers = {CAIRN_PMU_CPU_CYCLES}, .count = 1, .cycle = true};

    if (in_transaction(pmu, state)) {
        events.numbers[events.count++] = CAIRN_PMU_TME_CPU_CYCLES_COMMITTED;
        add_limited(&pmu->transaction.cycles, cycles);
    }
    cairn_pmu_count(pmu, &events, cycles, state);
    cairn_pmu_export(pmu, CAIRN_PMU_CPU_CYCLES, cycles, state);
}

void cairn_pmu_stopped_cycles(struct cairn_pmu *pmu, uint64_t cycles,
                              const struct cairn_pe_state *state)
{
    if (pmu->config.choices & CAIRN_PMU_STOPPED_CLOCK_COUNTS)
        cairn_pmu_cycles(pmu, cycles, state);
}

void cairn_pmu_event(struct cairn_pmu *pmu, uint32_t number, uint64_t count,
                     const struct cairn_pe_state *state)
{
    const struct cairn_pmu_event_row *row = cairn_pmu_event_row(number);

    if (number == CAIRN_PMU_CPU_CYCLES) {
        cairn_pmu_cycles(pmu, count, state);
        return;
    }
    if ((row && (row->is & CAIRN_PMU_IS_MADE)) || !cairn_pmu_events_have(&pmu->implemented, number))
        return;
    cairn_pmu_emit(pmu, number, count, state);
}

/* --- transactions --- */

void cairn_pmu_transaction_start(struct cairn_pmu *pmu, const struct cairn_pe_state *state)
{
    struct cairn_pmu_transaction *transaction = &pmu->transaction;

    if (transaction->depth > 0) {
        transaction->depth++;
        return;
    }
    cairn_pmu_emit(pmu, CAIRN_PMU_TSTART_RETIRED, 1, state);
    *transaction = (struct cairn_pmu_transaction){.depth = 1};
    for (unsigned n = 0; n < cairn_pmu_counters(pmu); n++) {
        transaction->saved[n] = pmu->registers->value[CAIRN_PE_PMEVCNTR0_EL0 + n];
        transaction->saved_totals[n] = pmu->totals[n];
        transaction->saved_overflows[n] = pmu->overflows[n];
    }
    transaction->saved_flags = (uint32_t)pmu->registers->value[CAIRN_PE_PMOVSSET_EL0];
}

void cairn_pmu_transaction_commit(struct cairn_pmu *pmu, const struct cairn_pe_state *state)
{
    struct cairn_pmu_transaction *transaction = &pmu->transaction;

    if (transaction->depth == 0 || --transaction->depth > 0)
        return;
    if (!(pmu->config.choices & CAIRN_PMU_COMMITTED_DIRECT))
        for (unsigned n = 0; n < cairn_pmu_counters(pmu); n++)
            if (transaction->added[n] != 0)
                cairn_pmu_add(pmu, n, transaction->added[n], state);
    cairn_pmu_tell_deferred(pmu);
    cairn_pmu_export(pmu, CAIRN_PMU_TME_INST_RETIRED_COMMITTED, transaction->instructions, state);
    cairn_pmu_export(pmu, CAIRN_PMU_TME_CPU_CYCLES_COMMITTED, transaction->cycles, state);
    *transaction = (struct cairn_pmu_transaction){0};
    cairn_pmu_emit(pmu, CAIRN_PMU_TCOMMIT_RETIRED, 1, state);
}

/* What went to the counters of committed instructions and cycles is taken back, with its flag. */
static void take_back(struct cairn_pmu *pmu)
{
    const struct cairn_pmu_transaction *transaction = &pmu->transaction;
    const uint32_t committed = cairn_pmu_committed_counters(pmu);
    const uint32_t flags = (uint32_t)pmu->registers->value[CAIRN_PE_PMOVSSET_EL0];

    for (uint32_t left = committed; left != 0; left &= left - 1) {
        const unsigned n = (unsigned)__builtin_ctz(left);

        pmu->registers->value[CAIRN_PE_PMEVCNTR0_EL0 + n] = transaction->saved[n];
        pmu->totals[n] = transaction->saved_totals[n];
        pmu->overflows[n] = transaction->saved_overflows[n];
    }
    cairn_pmu_set_flags(pmu, (flags & ~committed) | (transaction->saved_flags & committed));
}

void cairn_pmu_transaction_fail(struct cairn_pmu *pmu, uint64_t result, unsigned besides,
                                const struct cairn_pe_state *state)
{
    const bool IMP = CAIRN_GET(result, CAIRN_PMU_RESULT_IMP);
    const bool SIZE = CAIRN_GET(result, CAIRN_PMU_RESULT_SIZE);

    if (pmu->transaction.depth > 0 && (pmu->config.choices & CAIRN_PMU_COMMITTED_DIRECT))
        take_back(pmu);
    pmu->transaction = (struct cairn_pmu_transaction){0};
    cairn_pmu_changed(pmu);
    cairn_pmu_emit(pmu, CAIRN_PMU_TME_TRANSACTION_FAILED, 1, state);
    cairn_pmu_emit(pmu, CAIRN_PMU_TME_FAILURE_CNCL, CAIRN_GET(result, CAIRN_PMU_RESULT_CNCL),
                   state);
    cairn_pmu_emit(pmu, CAIRN_PMU_TME_FAILURE_NEST, CAIRN_GET(result, CAIRN_PMU_RESULT_NEST),
                   state);
    cairn_pmu_emit(pmu, CAIRN_PMU_TME_FAILURE_ERR, CAIRN_GET(result, CAIRN_PMU_RESULT_ERR), state);
    cairn_pmu_emit(pmu, CAIRN_PMU_TME_FAILURE_IMP, IMP, state);
    cairn_pmu_emit(pmu, CAIRN_PMU_TME_FAILURE_MEM, CAIRN_GET(result, CAIRN_PMU_RESULT_MEM), state);
    cairn_pmu_emit(pmu, CAIRN_PMU_TME_FAILURE_SIZE, SIZE, state);
    cairn_pmu_emit(pmu, CAIRN_PMU_TME_FAILURE_TLBI, IMP && (besides & CAIRN_PMU_FAILED_BY_TLBI),
                   state);
    cairn_pmu_emit(pmu, CAIRN_PMU_TME_FAILURE_WSET, SIZE && (besides & CAIRN_PMU_FAILED_BY_WSET),
                   state);
}

/* --- what a run came to --- */

bool cairn_pmu_is_idle(const struct cairn_pmu *pmu)
{
    if (pmu->registers->value[CAIRN_PE_PMCNTENSET_EL0] != 0)
        return false;
    return !pmu->config.calls.exported || (pmu->selects && pmu->selected.count == 0);
}

size_t cairn_pmu_totals(const struct cairn_pmu *pmu, struct cairn_pmu_total *list)
{
    const uint64_t enabled = pmu->registers->value[CAIRN_PE_PMCNTENSET_EL0];
    size_t count = 0;

    for (unsigned n = 0; n < ALL_COUNTERS; n++) {
        const bool cycle = n == CAIRN_PMU_CYCLE_COUNTER;
        const uint64_t type =
            cycle ? CAIRN_PMU_CPU_CYCLES : pmu->registers->value[CAIRN_PE_PMEVTYPER0_EL0 + n];
        const uint16_t number = (uint16_t)CAIRN_GET(type, PMEVTYPER_EVENT);
        const struct cairn_pmu_event_row *row = cairn_pmu_event_row(number);

        if ((!cycle && n >= cairn_pmu_counters(pmu)) ||
            (!(enabled >> n & 1u) && pmu->totals[n] == 0))
            continue;
        list[count++] = (struct cairn_pmu_total){.counter = n,
                                                 .number = number,
                                                 .name = row ? row->name : NULL,
                                                 .counted = pmu->totals[n],
                                                 .overflows = pmu->overflows[n]};
    }
    return count;
}
