/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions at EL0 of a PMU with everything, under each choice. */
#ifndef CAIRN_TESTS_PE_PMU_TRANSACTION_BENCH_H
#define CAIRN_TESTS_PE_PMU_TRANSACTION_BENCH_H

#include "pmu_bench.h"

/* What TSTART results in, as cairn_pmu_transaction_fail takes it. */
#define CNCL BIT(16)
#define MEM BIT(17)
#define IMP BIT(18)
#define ERR BIT(19)
#define SIZE BIT(20)
#define NEST BIT(21)
#define DBG BIT(22)
#define TRIVIAL BIT(24)

#define EACH_CHOICE(choice, bit) for (uint32_t choice = 0; choice <= (bit); choice += (bit))

static const struct cairn_pe_state EL0_inside = {
    .EL = 0, .security = CAIRN_NONSECURE, .transactional = true};

static inline void begin(struct bench *b, uint32_t choices, uint16_t transitions)
{
    struct cairn_pmu_config config = everything();

    config.choices = choices;
    config.transitions = transitions;
    bench_begin(b, &config);
    put(b, CAIRN_PE_PMCR_EL0, E);
}

static inline void start(struct bench *b)
{
    cairn_pmu_transaction_start(&b->pmu, &EL0);
}

static inline void commit(struct bench *b)
{
    cairn_pmu_transaction_commit(&b->pmu, &EL0_inside);
}

static inline void failed(struct bench *b, uint64_t result, unsigned besides)
{
    cairn_pmu_transaction_fail(&b->pmu, result, besides, &EL0_inside);
}

#endif
