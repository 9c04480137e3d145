/* SPDX-License-Identifier: BSD-2-Clause */
/* A PMU with everything beside a trace unit that EL2 may trace with. */
#ifndef CAIRN_TESTS_PE_PMU_TRACE_BENCH_H
#define CAIRN_TESTS_PE_PMU_TRACE_BENCH_H

#include "pmu_bench.h"

#define E2TRE BIT(1) /* TRFCR_EL2 */

static inline void begin(struct bench *b, uint32_t choices)
{
    struct cairn_pmu_config config = everything();

    config.choices = choices;
    bench_begin(b, &config);
    put(b, CAIRN_PE_PMCR_EL0, E);
    put_other(b, CAIRN_PE_TRFCR_EL2, E2TRE);
}

/* Raises PMU_OVFS by counter 0 and PMU_HOVFS by counter 5. */
static inline void overflow_both(struct bench *b, const struct cairn_pe_state *state)
{
    put_EL2(b, 5, HPME);
    count_event(b, 0, CAIRN_PMU_BRB_FILTRATE);
    count_event(b, 5, CAIRN_PMU_BRB_FILTRATE);
    put(b, EVCNTR(0), UINT32_MAX);
    put(b, EVCNTR(5), UINT32_MAX);
    put(b, CAIRN_PE_PMINTENSET_EL1, BIT(0) | BIT(5));
    put_other(b, CAIRN_PE_MDCR_EL3, SPME);
    cairn_pmu_event(&b->pmu, CAIRN_PMU_BRB_FILTRATE, 1, state);
    put_other(b, CAIRN_PE_MDCR_EL3, 0);
}

#endif
