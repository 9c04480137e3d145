/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/pmu.h"

/* What is counted of a number, if a counter counts it. */
static bool find(const struct cairn_pmu_total *list, size_t count, uint16_t number,
                 uint64_t *counted)
{
    for (size_t n = 0; n < count; n++)
        if (list[n].number == number && list[n].counter != CAIRN_PMU_CYCLE_COUNTER) {
            *counted = list[n].counted;
            return true;
        }
    return false;
}

/* `part` is never more than `whole`. */
static const struct {
    uint16_t part, whole;
    const char *text;
} parts[] = {
    {CAIRN_PMU_TCOMMIT_RETIRED, CAIRN_PMU_TSTART_RETIRED,
     "more transactions committed than started"},
    {CAIRN_PMU_TME_FAILURE_CNCL, CAIRN_PMU_TME_TRANSACTION_FAILED,
     "more transactions were cancelled than failed or were cancelled"},
    {CAIRN_PMU_TME_FAILURE_NEST, CAIRN_PMU_TME_TRANSACTION_FAILED,
     "more transactions failed with NEST than failed"},
    {CAIRN_PMU_TME_FAILURE_ERR, CAIRN_PMU_TME_TRANSACTION_FAILED,
     "more transactions failed with ERR than failed"},
    {CAIRN_PMU_TME_FAILURE_IMP, CAIRN_PMU_TME_TRANSACTION_FAILED,
     "more transactions failed with IMP than failed"},
    {CAIRN_PMU_TME_FAILURE_MEM, CAIRN_PMU_TME_TRANSACTION_FAILED,
     "more transactions failed with MEM than failed"},
    {CAIRN_PMU_TME_FAILURE_SIZE, CAIRN_PMU_TME_TRANSACTION_FAILED,
     "more transactions failed with SIZE than failed"},
    {CAIRN_PMU_TME_FAILURE_TLBI, CAIRN_PMU_TME_FAILURE_IMP,
     "more transactions failed by a TLBI than with IMP"},
    {CAIRN_PMU_TME_FAILURE_WSET, CAIRN_PMU_TME_FAILURE_SIZE,
     "more transactions failed by an evicted entry of the write set than with SIZE"},
};

size_t cairn_pmu_broken_identities(const struct cairn_pmu_total *list, size_t count,
                                   const char *texts[CAIRN_PMU_IDENTITIES])
{
    uint64_t started;
    uint64_t committed;
    uint64_t failed;
    size_t broken = 0;

    for (size_t n = 0; n < sizeof parts / sizeof parts[0]; n++) {
        uint64_t part;
        uint64_t whole;

        if (find(list, count, parts[n].part, &part) && find(list, count, parts[n].whole, &whole) &&
            part > whole)
            texts[broken++] = parts[n].text;
    }
    if (!find(list, count, CAIRN_PMU_TSTART_RETIRED, &started) ||
        !find(list, count, CAIRN_PMU_TCOMMIT_RETIRED, &committed) ||
        !find(list, count, CAIRN_PMU_TME_TRANSACTION_FAILED, &failed) || committed > started)
        return broken;
    if (failed > started - committed)
        texts[broken++] = "more transactions committed or failed than started";
    else if (started - committed - failed > 1)
        texts[broken++] = "more than one transaction neither committed nor failed";
    return broken;
}
