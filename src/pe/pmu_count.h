/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the Performance Monitors: which counters count, and counting (pmu.c), for the rooms beside it. */
#ifndef CAIRN_PE_PMU_COUNT_H
#define CAIRN_PE_PMU_COUNT_H

#include "pe/pmu.h"

/* Some events that occur together, each as often: one of them at least once in a step. */
struct cairn_pmu_together {
    uint16_t numbers[2];
    unsigned count;
    bool cycle; /* PMCCNTR_EL0 as well */
};

/* How many event counters there are, and the first of those that are reserved for EL2. */
unsigned cairn_pmu_counters(const struct cairn_pmu *pmu);
unsigned cairn_pmu_first_reserved(const struct cairn_pmu *pmu);

/* Counts `count` of them in a state, without exporting them. */
void cairn_pmu_count(struct cairn_pmu *pmu, const struct cairn_pmu_together *events, uint64_t count,
                     const struct cairn_pe_state *state);

/* Adds to one counter, whatever enables it. */
void cairn_pmu_add(struct cairn_pmu *pmu, unsigned counter, uint64_t count,
                   const struct cairn_pe_state *state);

/* PMSWINC_EL0: 1 for each of these counters that counts SW_INCR in this state. */
void cairn_pmu_increment(struct cairn_pmu *pmu, uint32_t counters,
                         const struct cairn_pe_state *state);

/* Counts and exports. */
void cairn_pmu_emit(struct cairn_pmu *pmu, uint32_t number, uint64_t count,
                    const struct cairn_pe_state *state);

/* Exports alone; `state` is that of the PE. */
void cairn_pmu_export(struct cairn_pmu *pmu, uint32_t number, uint64_t count,
                      const struct cairn_pe_state *state);

/* At the end of a transaction that commits: says what has been held back of counters that overflowed in
 * it. */
void cairn_pmu_tell_deferred(struct cairn_pmu *pmu);

/* Sets both registers of the overflow flags, and PMUIRQ after them. */
void cairn_pmu_set_flags(struct cairn_pmu *pmu, uint32_t flags);
void cairn_pmu_update_line(struct cairn_pmu *pmu);

/* Counters whose event is 0x4034 or 0x4035, and those chained to them. */
uint32_t cairn_pmu_committed_counters(const struct cairn_pmu *pmu);

/* Whether a counter of the number counts at all. */
bool cairn_pmu_countable(const struct cairn_pmu *pmu, uint32_t number);

#endif
