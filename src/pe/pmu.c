/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/pmu.h"

#include "pe/pmu_count.h"

#define LOW_HALF UINT32_MAX
#define CYCLE_BIT (UINT32_C(1) << CAIRN_PMU_CYCLE_COUNTER)
#define CYCLES_A_TICK 64u
#define MOST_COMMITTED UINT32_MAX

static uint64_t value_of(const struct cairn_pmu *pmu, enum cairn_pe_register name)
{
    return pmu->registers->value[name];
}

static uint64_t *counter_of(struct cairn_pmu *pmu, unsigned counter)
{
    return &pmu->registers->value[CAIRN_PE_PMEVCNTR0_EL0 + counter];
}

static uint64_t type_of(const struct cairn_pmu *pmu, unsigned counter)
{
    return pmu->registers->value[CAIRN_PE_PMEVTYPER0_EL0 + counter];
}

static uint16_t event_of(const struct cairn_pmu *pmu, unsigned counter)
{
    return (uint16_t)CAIRN_GET(type_of(pmu, counter), PMEVTYPER_EVENT);
}

unsigned cairn_pmu_counters(const struct cairn_pmu *pmu)
{
    return pmu->config.features.counters;
}

unsigned cairn_pmu_first_reserved(const struct cairn_pmu *pmu)
{
    const unsigned counters = cairn_pmu_counters(pmu);
    const unsigned HPMN = (unsigned)CAIRN_GETS(pmu->registers, MDCR_EL2, MDCR_EL2_HPMN);

    return pmu->config.features.EL2 && HPMN < counters ? HPMN : counters;
}

static uint32_t first_counters(unsigned count)
{
    return (UINT32_C(1) << count) - 1;
}

static bool is_reserved(const struct cairn_pmu *pmu, unsigned counter)
{
    return counter >= cairn_pmu_first_reserved(pmu);
}

/* Overflow is that of bit 63, else of bit 31. */
static bool is_long(const struct cairn_pmu *pmu, unsigned counter)
{
    if (pmu->config.version < CAIRN_PMU_V3P5)
        return false;
    return is_reserved(pmu, counter) ? CAIRN_GETS(pmu->registers, MDCR_EL2, MDCR_EL2_HLP)
                                     : CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_LP);
}

bool cairn_pmu_countable(const struct cairn_pmu *pmu, uint32_t number)
{
    const struct cairn_pmu_event_row *row = cairn_pmu_event_row(number);

    if (!cairn_pmu_events_have(&pmu->implemented, number))
        return false;
    if (number == CAIRN_PMU_TRB_TRIG)
        return !(pmu->config.choices & CAIRN_PMU_TRB_TRIG_UNCOUNTABLE);
    return !row || !(row->is & CAIRN_PMU_IS_UNCOUNTABLE);
}

/* --- which counters count --- */

struct prohibition {
    bool low, reserved; /* of the two ranges of event counters */
    bool cycle;         /* whatever PMCR_EL0.DP is */
};

static struct prohibition find_prohibition(const struct cairn_pmu *pmu,
                                           const struct cairn_pe_state *state)
{
    const struct cairn_pe_features *features = &pmu->config.features;
    const uint64_t EL3 = value_of(pmu, CAIRN_PE_MDCR_EL3);
    const uint64_t EL2 = value_of(pmu, CAIRN_PE_MDCR_EL2);
    const bool v3p1 = pmu->config.version >= CAIRN_PMU_V3P1;
    const bool v3p5 = pmu->config.version >= CAIRN_PMU_V3P5;
    const bool v3p7 = pmu->config.version >= CAIRN_PMU_V3P7;
    const bool secure = features->EL3 && state->security == CAIRN_SECURE;
    const bool SPME = CAIRN_GET(EL3, MDCR_EL3_SPME);
    const bool MPMX = v3p7 && CAIRN_GET(EL3, MDCR_EL3_MPMX);
    struct prohibition prohibition = {0};

    if (secure && !SPME && !MPMX)
        prohibition.low = prohibition.reserved = true;
    if (state->EL == 3 && MPMX) {
        prohibition.low = true;
        prohibition.reserved |= !SPME;
    }
    if (state->EL == 2 && v3p1 && CAIRN_GET(EL2, MDCR_EL2_HPMD))
        prohibition.low = true;
    if (v3p5 && secure && CAIRN_GET(EL3, MDCR_EL3_SCCD))
        prohibition.cycle = true;
    if (v3p5 && state->EL == 2 && CAIRN_GET(EL2, MDCR_EL2_HCCD))
        prohibition.cycle = true;
    if (v3p7 && state->EL == 3 && CAIRN_GET(EL3, MDCR_EL3_MCCD))
        prohibition.cycle = true;
    return prohibition;
}

/* Counters that stand still because one of their range has overflowed. */
static uint32_t find_frozen(const struct cairn_pmu *pmu, uint32_t low)
{
    const uint32_t flags = (uint32_t)value_of(pmu, CAIRN_PE_PMOVSSET_EL0);
    const uint32_t reserved = first_counters(cairn_pmu_counters(pmu)) & ~low;
    uint32_t frozen = 0;

    if (pmu->config.version < CAIRN_PMU_V3P7)
        return 0;
    if (CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_FZO) && (flags & low))
        frozen |= low;
    if (CAIRN_GETS(pmu->registers, MDCR_EL2, MDCR_EL2_HPMFZO) && (flags & reserved))
        frozen |= reserved;
    return frozen;
}

/* Whether the filter of PMEVTYPER<n>_EL0 or PMCCFILTR_EL0 leaves out the state's level. Bits that the
 * PE does not have are zero: writes see to that. */
static bool is_filtered(uint64_t filter, const struct cairn_pe_state *state)
{
    const bool P = CAIRN_GET(filter, PMEVTYPER_P);
    const bool U = CAIRN_GET(filter, PMEVTYPER_U);
    const bool NSH = CAIRN_GET(filter, PMEVTYPER_NSH);
    const bool realm = state->security == CAIRN_REALM;
    const bool secure = state->security == CAIRN_SECURE;

    switch (state->EL) {
    case 0:
        return U != (secure  ? false
                     : realm ? CAIRN_GET(filter, PMEVTYPER_RLU)
                             : CAIRN_GET(filter, PMEVTYPER_NSU));
    case 1:
        return P != (secure  ? false
                     : realm ? CAIRN_GET(filter, PMEVTYPER_RLK)
                             : CAIRN_GET(filter, PMEVTYPER_NSK));
    case 2:
        return NSH == (secure  ? CAIRN_GET(filter, PMEVTYPER_SH)
                       : realm ? CAIRN_GET(filter, PMEVTYPER_RLH)
                               : false);
    default: return P != (state->aarch32 ? false : CAIRN_GET(filter, PMEVTYPER_M));
    }
}

static uint64_t sieve_of(uint32_t number)
{
    return UINT64_C(1) << ((number ^ number >> 8) % 64);
}

static void make_plan(struct cairn_pmu *pmu, const struct cairn_pe_state *state)
{
    struct cairn_pmu_plan *plan = &pmu->plan;
    const struct prohibition prohibition = find_prohibition(pmu, state);
    const uint32_t all = first_counters(cairn_pmu_counters(pmu));
    const uint32_t low = first_counters(cairn_pmu_first_reserved(pmu));
    const uint32_t frozen = find_frozen(pmu, low);
    const bool E = CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_E);
    const bool HPME = CAIRN_GETS(pmu->registers, MDCR_EL2, MDCR_EL2_HPME);
    uint32_t enabled = 0;

    *plan = (struct cairn_pmu_plan){.fresh = true, .state = *state, .low = low};
    if (E && !prohibition.low)
        enabled |= low;
    if (HPME && !prohibition.reserved)
        enabled |= all & ~low;
    if (E && !prohibition.cycle &&
        !(CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_DP) && (prohibition.low || (frozen & low))))
        enabled |= CYCLE_BIT;
    if (state->debug)
        enabled = 0;
    enabled &= (uint32_t)value_of(pmu, CAIRN_PE_PMCNTENSET_EL0);
    plan->enabled = enabled;
    for (uint32_t left = enabled & ~frozen; left != 0; left &= left - 1) {
        const unsigned counter = (unsigned)__builtin_ctz(left);
        const bool cycle = counter == CAIRN_PMU_CYCLE_COUNTER;
        const uint64_t filter =
            cycle ? value_of(pmu, CAIRN_PE_PMCCFILTR_EL0) : type_of(pmu, counter);

        if (is_filtered(filter, state))
            continue;
        if (!cycle && !cairn_pmu_countable(pmu, event_of(pmu, counter)))
            continue;
        plan->counting[1] |= UINT32_C(1) << counter;
        if (!CAIRN_GET(filter, PMEVTYPER_T))
            plan->counting[0] |= UINT32_C(1) << counter;
        if (!cycle)
            plan->sieve |= sieve_of(event_of(pmu, counter));
    }
}

static bool is_planned(const struct cairn_pmu_plan *plan, const struct cairn_pe_state *state)
{
    return plan->fresh && plan->state.EL == state->EL && plan->state.security == state->security &&
           plan->state.aarch32 == state->aarch32 && plan->state.debug == state->debug;
}

uint32_t cairn_pmu_counting(struct cairn_pmu *pmu, const struct cairn_pe_state *state)
{
    if (!is_planned(&pmu->plan, state))
        make_plan(pmu, state);
    return pmu->plan.counting[state->transactional];
}

/* The Transactional state that an event is filtered by. */
static bool is_inside(const struct cairn_pmu *pmu, uint32_t number,
                      const struct cairn_pe_state *state)
{
    const struct cairn_pmu_event_row *row = cairn_pmu_event_row(number);
    const unsigned is = row ? row->is : 0;
    const uint32_t choices = pmu->config.choices;

    if (is & CAIRN_PMU_IS_TRANSITION)
        return pmu->config.transitions >> (number - CAIRN_PMU_TSTART_RETIRED) & 1u;
    if ((is & CAIRN_PMU_IS_UNATTRIBUTABLE) && (choices & CAIRN_PMU_T_SPARES_UNATTRIBUTABLE))
        return true;
    if (number == CAIRN_PMU_TME_CPU_CYCLES_COMMITTED)
        return state->transactional;
    if ((choices & CAIRN_PMU_INEXACT) && !(is & CAIRN_PMU_IS_EXACT))
        return pmu->before_transactional;
    return state->transactional;
}

static uint32_t find_counters(struct cairn_pmu *pmu, const struct cairn_pmu_together *events,
                              const struct cairn_pe_state *state)
{
    uint32_t found = 0;

    if (!is_planned(&pmu->plan, state))
        make_plan(pmu, state);
    for (unsigned n = 0; n < events->count; n++) {
        const uint16_t number = events->numbers[n];
        uint32_t left;

        if (!(pmu->plan.sieve & sieve_of(number)))
            continue;
        left = pmu->plan.counting[is_inside(pmu, number, state)] & ~CYCLE_BIT;
        for (; left != 0; left &= left - 1)
            if (event_of(pmu, (unsigned)__builtin_ctz(left)) == number)
                found |= left & -left;
    }
    if (events->cycle)
        found |= pmu->plan.counting[is_inside(pmu, CAIRN_PMU_CPU_CYCLES, state)] & CYCLE_BIT;
    return found;
}

/* --- adding --- */

/* What overflowed in a step: wraps of counters with an interrupt enabled, by range. */
struct overflows {
    uint32_t flags;
    uint64_t wraps[2];
};

static void note(struct cairn_pmu *pmu, struct overflows *overflows, unsigned counter,
                 uint64_t wraps)
{
    const bool reserved = counter != CAIRN_PMU_CYCLE_COUNTER && is_reserved(pmu, counter);

    overflows->flags |= UINT32_C(1) << counter;
    pmu->overflows[counter] += wraps;
    if (value_of(pmu, CAIRN_PE_PMINTENSET_EL1) >> counter & 1u)
        overflows->wraps[reserved] += wraps;
}

/* Adds to a value of 64 bits; returns how often bit 31, or 63, overflowed. */
static uint64_t add_to(uint64_t *value, uint64_t count, bool is_long)
{
    const uint64_t before = *value;

    *value += count;
    if (is_long)
        return *value < before;
    return (count >> 32) + (((before & LOW_HALF) + (count & LOW_HALF)) >> 32);
}

static void bump(struct cairn_pmu *pmu, struct overflows *overflows, unsigned counter,
                 uint64_t count)
{
    uint64_t *value = counter_of(pmu, counter);
    const bool counts_long = is_long(pmu, counter);
    const uint64_t wraps = add_to(value, count, counts_long);
    const unsigned odd = counter + 1;

    if (pmu->config.version < CAIRN_PMU_V3P5)
        *value &= LOW_HALF;
    pmu->totals[counter] += count;
    if (wraps == 0)
        return;
    note(pmu, overflows, counter, wraps);
    /* CHAIN is counted with the overflow that it is of, before anything freezes, and in all states: a
     * PE may leave the odd counter's filter out, and software has to have it count in all. Across the
     * border to what is reserved for EL2 it does not count, which is left open. */
    if (counter % 2 == 0 && !counts_long && odd < cairn_pmu_counters(pmu) &&
        is_reserved(pmu, counter) == is_reserved(pmu, odd) && (pmu->plan.enabled >> odd & 1u) &&
        event_of(pmu, odd) == CAIRN_PMU_CHAIN)
        bump(pmu, overflows, odd, wraps);
}

static void bump_cycles(struct cairn_pmu *pmu, struct overflows *overflows, uint64_t cycles)
{
    uint64_t *value = &pmu->registers->value[CAIRN_PE_PMCCNTR_EL0];
    const bool LC = CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_LC);
    uint64_t ticks = cycles;
    uint64_t wraps;

    if (!LC && CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_D)) {
        const unsigned rest = pmu->divider + (unsigned)(cycles % CYCLES_A_TICK);

        ticks = cycles / CYCLES_A_TICK + rest / CYCLES_A_TICK;
        pmu->divider = (uint8_t)(rest % CYCLES_A_TICK);
    }
    wraps = add_to(value, ticks, LC);
    pmu->totals[CAIRN_PMU_CYCLE_COUNTER] += ticks;
    if (wraps != 0)
        note(pmu, overflows, CAIRN_PMU_CYCLE_COUNTER, wraps);
}

void cairn_pmu_update_line(struct cairn_pmu *pmu)
{
    const uint32_t low = first_counters(cairn_pmu_first_reserved(pmu)) | CYCLE_BIT;
    uint32_t enabled = 0;
    bool level;

    if (CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_E))
        enabled |= low;
    if (CAIRN_GETS(pmu->registers, MDCR_EL2, MDCR_EL2_HPME))
        enabled |= first_counters(cairn_pmu_counters(pmu)) & ~low;
    level = value_of(pmu, CAIRN_PE_PMOVSSET_EL0) & value_of(pmu, CAIRN_PE_PMINTENSET_EL1) &
            enabled & ~pmu->transaction.deferred;
    if (level == pmu->line)
        return;
    pmu->line = level;
    if (pmu->config.calls.line)
        pmu->config.calls.line(pmu->config.calls.user, level);
}

void cairn_pmu_set_flags(struct cairn_pmu *pmu, uint32_t flags)
{
    pmu->registers->value[CAIRN_PE_PMOVSSET_EL0] = flags;
    pmu->registers->value[CAIRN_PE_PMOVSCLR_EL0] = flags;
    pmu->transaction.deferred &= flags;
    pmu->plan.fresh = false;
    cairn_pmu_update_line(pmu);
}

/* Flags are in the registers already, and no counter is half added to: what is called may call back. */
static void tell(struct cairn_pmu *pmu, uint32_t flags, const uint64_t wraps[2])
{
    const struct cairn_pe_state state = pmu->plan.state;

    if (flags != 0 && pmu->config.calls.overflow)
        pmu->config.calls.overflow(pmu->config.calls.user, flags);
    if (wraps[0] != 0)
        cairn_pmu_export(pmu, CAIRN_PMU_PMU_OVFS, wraps[0], &state);
    if (wraps[1] != 0)
        cairn_pmu_export(pmu, CAIRN_PMU_PMU_HOVFS, wraps[1], &state);
}

static void settle(struct cairn_pmu *pmu, const struct overflows *overflows, bool deferred)
{
    const uint32_t flags = (uint32_t)value_of(pmu, CAIRN_PE_PMOVSSET_EL0);

    if (overflows->flags == 0)
        return;
    if (deferred) {
        pmu->transaction.deferred |= overflows->flags & ~flags;
        pmu->transaction.deferred_wraps[0] += overflows->wraps[0];
        pmu->transaction.deferred_wraps[1] += overflows->wraps[1];
    }
    cairn_pmu_set_flags(pmu, flags | overflows->flags);
    if (!deferred)
        tell(pmu, overflows->flags, overflows->wraps);
}

void cairn_pmu_tell_deferred(struct cairn_pmu *pmu)
{
    const uint32_t flags = pmu->transaction.deferred;
    const uint64_t wraps[2] = {pmu->transaction.deferred_wraps[0],
                               pmu->transaction.deferred_wraps[1]};

    pmu->transaction.deferred = 0;
    cairn_pmu_update_line(pmu);
    tell(pmu, flags, wraps);
}

uint32_t cairn_pmu_committed_counters(const struct cairn_pmu *pmu)
{
    uint32_t committed = 0;

    for (unsigned counter = 0; counter < cairn_pmu_counters(pmu); counter++) {
        const uint16_t number = event_of(pmu, counter);

        if (number == CAIRN_PMU_TME_INST_RETIRED_COMMITTED ||
            number == CAIRN_PMU_TME_CPU_CYCLES_COMMITTED ||
            (number == CAIRN_PMU_CHAIN && counter % 2 == 1 && (committed >> (counter - 1) & 1u)))
            committed |= UINT32_C(1) << counter;
    }
    return committed;
}

/* What one more step may add of 0x4034 or 0x4035 in this transaction. */
static uint64_t cap(const struct cairn_pmu *pmu, unsigned counter, uint64_t count)
{
    const uint64_t most =
        pmu->config.choices & CAIRN_PMU_COMMITTED_CAPPED ? MOST_COMMITTED : UINT64_MAX;
    const uint64_t room = most - pmu->transaction.added[counter];

    return count < room ? count : room;
}

static void add_committed(struct cairn_pmu *pmu, unsigned counter, uint64_t count,
                          struct overflows *overflows)
{
    const uint64_t more = cap(pmu, counter, count);

    pmu->transaction.added[counter] += more;
    if (pmu->config.choices & CAIRN_PMU_COMMITTED_DIRECT)
        bump(pmu, overflows, counter, more);
}

/* Events until a counter overflows, at least 1. */
static uint64_t distance(const struct cairn_pmu *pmu, unsigned counter)
{
    const uint64_t value = pmu->registers->value[CAIRN_PE_PMEVCNTR0_EL0 + counter];

    if (!is_long(pmu, counter))
        return LOW_HALF - (value & LOW_HALF) + 1;
    return value == 0 ? UINT64_MAX : -value;
}

/* How many events pass before a range freezes: what counts with it has then counted as often. */
static uint64_t find_step(const struct cairn_pmu *pmu, uint32_t counters, uint64_t count)
{
    const uint32_t low = pmu->plan.low;
    uint32_t freezing = 0;

    if (pmu->config.version < CAIRN_PMU_V3P7)
        return count;
    if (CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_FZO))
        freezing |= low;
    if (CAIRN_GETS(pmu->registers, MDCR_EL2, MDCR_EL2_HPMFZO))
        freezing |= ~low & ~CYCLE_BIT;
    for (uint32_t left = counters & freezing; left != 0; left &= left - 1) {
        const uint64_t most = distance(pmu, (unsigned)__builtin_ctz(left));

        if (most < count)
            count = most;
    }
    return count;
}

void cairn_pmu_count(struct cairn_pmu *pmu, const struct cairn_pmu_together *events, uint64_t count,
                     const struct cairn_pe_state *state)
{
    /* A step ends where a range freezes, which it does once: there are three at most. */
    while (count > 0) {
        const uint32_t counters = find_counters(pmu, events, state);
        const uint64_t step = find_step(pmu, counters, count);
        struct overflows overflows = {0};
        struct overflows deferred = {0};

        if (counters == 0)
            return;
        for (uint32_t left = counters & ~CYCLE_BIT; left != 0; left &= left - 1) {
            const unsigned counter = (unsigned)__builtin_ctz(left);
            const uint16_t number = event_of(pmu, counter);

            if (number == CAIRN_PMU_TME_INST_RETIRED_COMMITTED ||
                number == CAIRN_PMU_TME_CPU_CYCLES_COMMITTED)
                add_committed(pmu, counter, step, &deferred);
            else
                bump(pmu, &overflows, counter, step);
        }
        if (counters & CYCLE_BIT)
            bump_cycles(pmu, &overflows, step);
        settle(pmu, &deferred, true);
        settle(pmu, &overflows, false);
        count -= step;
    }
}

void cairn_pmu_add(struct cairn_pmu *pmu, unsigned counter, uint64_t count,
                   const struct cairn_pe_state *state)
{
    struct overflows overflows = {0};

    if (!is_planned(&pmu->plan, state))
        make_plan(pmu, state);
    bump(pmu, &overflows, counter, count);
    settle(pmu, &overflows, false);
}

void cairn_pmu_increment(struct cairn_pmu *pmu, uint32_t counters,
                         const struct cairn_pe_state *state)
{
    const struct cairn_pmu_together events = {.numbers = {CAIRN_PMU_SW_INCR}, .count = 1};
    struct overflows overflows = {0};

    counters &= find_counters(pmu, &events, state);
    for (; counters != 0; counters &= counters - 1)
        bump(pmu, &overflows, (unsigned)__builtin_ctz(counters), 1);
    settle(pmu, &overflows, false);
}

uint64_t cairn_pmu_until_overflow(struct cairn_pmu *pmu, uint32_t number,
                                  const struct cairn_pe_state *state)
{
    const struct cairn_pmu_together events = {
        .numbers = {(uint16_t)number}, .count = 1, .cycle = number == CAIRN_PMU_CPU_CYCLES};
    const uint32_t counters = find_counters(pmu, &events, state);
    uint64_t least = UINT64_MAX;

    for (uint32_t left = counters & ~CYCLE_BIT; left != 0; left &= left - 1) {
        const uint64_t most = distance(pmu, (unsigned)__builtin_ctz(left));

        least = most < least ? most : least;
    }
    if (counters & CYCLE_BIT) {
        const uint64_t value = value_of(pmu, CAIRN_PE_PMCCNTR_EL0);
        const bool LC = CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_LC);
        uint64_t most = LC ? (value == 0 ? UINT64_MAX : -value) : LOW_HALF - (value & LOW_HALF) + 1;

        if (!LC && CAIRN_GETS(pmu->registers, PMCR_EL0, PMCR_D))
            most = most * CYCLES_A_TICK - pmu->divider;
        least = most < least ? most : least;
    }
    return least;
}

void cairn_pmu_changed(struct cairn_pmu *pmu)
{
    pmu->plan.fresh = false;
    cairn_pmu_update_line(pmu);
}
