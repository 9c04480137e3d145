/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU beside a second one that counts one event after the other, with its own equations, under random
 * programming. */
#include <stdio.h>
#include <stdlib.h>

#include "pmu_bench.h"

#define COUNTERS 7u
#define SEEDS 300u
#define STEPS 250u

/* --- the second one --- */

enum {
    INST = 0x8,
    CYCLES = 0x11,
    CHAIN_EVENT = 0x1e,
    OTHER = 0xc9,
    BRANCH = 0x21,
    TX_INST = 0x4034,
    TX_CYCLES = 0x4035
};

struct naive {
    unsigned version;
    bool direct;
    /* as written */
    uint64_t PMCR, EL2, EL3, types[COUNTERS], CCFILTR;
    uint32_t enabled, interrupts, flags;
    uint64_t values[COUNTERS], CCNTR;
    unsigned cycles_to_tick;
    /* the transaction */
    bool inside;
    uint64_t aside[COUNTERS], old_values[COUNTERS];
    uint32_t old_flags, silent;
    uint64_t silent_low, silent_high;
    uint64_t OVFS, HOVFS;
};

static bool bit(uint64_t value, unsigned n)
{
    return (value & (UINT64_C(1) << n)) != 0;
}

static unsigned border(const struct naive *n)
{
    const unsigned HPMN = n->EL2 & 31;

    return HPMN > COUNTERS ? COUNTERS : HPMN;
}

static bool high(const struct naive *n, unsigned i)
{
    return i < COUNTERS && i >= border(n);
}

static bool range_overflowed(const struct naive *n, bool of_high)
{
    for (unsigned i = 0; i < COUNTERS; i++)
        if (high(n, i) == of_high && bit(n->flags, i))
            return true;
    return false;
}

static bool range_frozen(const struct naive *n, bool of_high)
{
    return n->version >= 7 && bit(of_high ? n->EL2 : n->PMCR, of_high ? 29 : 9) &&
           range_overflowed(n, of_high);
}

static bool range_prohibited(const struct naive *n, bool of_high, const struct cairn_pe_state *s)
{
    const bool mpmx = n->version >= 7 && bit(n->EL3, 35);
    const bool spme = bit(n->EL3, 17);

    if (s->security == CAIRN_SECURE) {
        if (!spme && !mpmx)
            return true;
        if (s->EL == 3 && mpmx && (!spme || !of_high))
            return true;
    }
    return !of_high && s->EL == 2 && n->version >= 4 && bit(n->EL2, 17);
}

static bool passes_filter(uint64_t f, const struct cairn_pe_state *s)
{
    const bool ns = s->security == CAIRN_NONSECURE;

    if (bit(f, 23) && !s->transactional)
        return false;
    if (s->EL == 0)
        return ns ? bit(f, 30) == bit(f, 28) : !bit(f, 30);
    if (s->EL == 1)
        return ns ? bit(f, 31) == bit(f, 29) : !bit(f, 31);
    if (s->EL == 2)
        return ns ? bit(f, 27) : bit(f, 27) != bit(f, 24);
    return bit(f, 31) == bit(f, 26);
}

static bool may_count(const struct naive *n, unsigned i, const struct cairn_pe_state *s)
{
    return !s->debug && bit(n->enabled, i) &&
           bit(high(n, i) ? n->EL2 : n->PMCR, high(n, i) ? 7 : 0) &&
           !range_prohibited(n, high(n, i), s);
}

static bool counts(const struct naive *n, unsigned i, const struct cairn_pe_state *s)
{
    return may_count(n, i, s) && !range_frozen(n, high(n, i)) && passes_filter(n->types[i], s);
}

static bool counts_cycles(const struct naive *n, const struct cairn_pe_state *s)
{
    if (s->debug || !bit(n->enabled, 31) || !bit(n->PMCR, 0) || !passes_filter(n->CCFILTR, s))
        return false;
    if (bit(n->PMCR, 5) && (range_prohibited(n, false, s) || range_frozen(n, false)))
        return false;
    if (n->version >= 6 && s->security == CAIRN_SECURE && bit(n->EL3, 23))
        return false;
    if (n->version >= 6 && s->EL == 2 && bit(n->EL2, 23))
        return false;
    return !(n->version >= 7 && s->EL == 3 && bit(n->EL3, 34));
}

static void flag(struct naive *n, unsigned i, bool silent)
{
    const bool raises = bit(n->interrupts, i);

    if (silent && !bit(n->flags, i))
        n->silent |= UINT32_C(1) << i;
    n->flags |= UINT32_C(1) << i;
    if (high(n, i))
        *(silent ? &n->silent_high : &n->HOVFS) += raises;
    else
        *(silent ? &n->silent_low : &n->OVFS) += raises;
}

/* One more in counter i; `s` decides whether the next one may follow in a chain. */
static void one_more(struct naive *n, unsigned i, const struct cairn_pe_state *s, bool silent)
{
    const bool wide = n->version >= 6 && bit(high(n, i) ? n->EL2 : n->PMCR, high(n, i) ? 26 : 7);

    n->values[i]++;
    if (n->version < 6)
        n->values[i] &= 0xffffffff;
    if ((n->values[i] & (wide ? UINT64_MAX : 0xffffffff)) != 0)
        return;
    flag(n, i, silent);
    if (wide || i % 2 == 1 || i + 1 >= COUNTERS || high(n, i) != high(n, i + 1))
        return;
    if ((n->types[i + 1] & 0xffff) == CHAIN_EVENT && may_count(n, i + 1, s))
        one_more(n, i + 1, s, silent);
}

/* Events that occur together, once. */
static void occur(struct naive *n, uint16_t first, uint16_t second, bool cycle,
                  const struct cairn_pe_state *s)
{
    bool now[COUNTERS];
    const bool tick = cycle && counts_cycles(n, s);

    for (unsigned i = 0; i < COUNTERS; i++) {
        const uint16_t event = (uint16_t)n->types[i];

        now[i] = (event == first || (second && event == second)) && counts(n, i, s);
    }
    for (unsigned i = 0; i < COUNTERS; i++) {
        const uint16_t event = (uint16_t)n->types[i];

        if (!now[i])
            continue;
        if (event != TX_INST && event != TX_CYCLES)
            one_more(n, i, s, false);
        else if (n->direct)
            one_more(n, i, s, true);
        else
            n->aside[i]++;
    }
    if (!tick)
        return;
    if (bit(n->PMCR, 3) && !bit(n->PMCR, 6) && ++n->cycles_to_tick < 64)
        return;
    if (bit(n->PMCR, 3) && !bit(n->PMCR, 6))
        n->cycles_to_tick = 0;
    n->CCNTR++;
    if ((n->CCNTR & (bit(n->PMCR, 6) ? UINT64_MAX : 0xffffffff)) == 0)
        flag(n, 31, false);
}

static bool naive_line(const struct naive *n)
{
    for (unsigned i = 0; i < 32; i++)
        if (bit(n->flags & n->interrupts & ~n->silent, i) && (i < COUNTERS || i == 31) &&
            bit(high(n, i) ? n->EL2 : n->PMCR, high(n, i) ? 7 : 0))
            return true;
    return false;
}

static void naive_begin(struct naive *n)
{
    n->inside = true;
    memset(n->aside, 0, sizeof n->aside);
    memcpy(n->old_values, n->values, sizeof n->values);
    n->old_flags = n->flags;
}

static void naive_commit(struct naive *n, const struct cairn_pe_state *s)
{
    n->inside = false;
    for (unsigned i = 0; i < COUNTERS; i++)
        for (; n->aside[i] > 0; n->aside[i]--)
            one_more(n, i, s, false);
    n->OVFS += n->silent_low;
    n->HOVFS += n->silent_high;
    n->silent = 0;
    n->silent_low = n->silent_high = 0;
}

static void naive_fail(struct naive *n)
{
    bool back = false;

    n->inside = false;
    memset(n->aside, 0, sizeof n->aside);
    for (unsigned i = 0; i < COUNTERS && n->direct; i++) {
        const uint16_t event = (uint16_t)n->types[i];

        back =
            event == TX_INST || event == TX_CYCLES || (i % 2 == 1 && back && event == CHAIN_EVENT);
        if (!back)
            continue;
        n->values[i] = n->old_values[i];
        n->flags = (n->flags & ~(UINT32_C(1) << i)) | (n->old_flags & UINT32_C(1) << i);
    }
    n->silent = 0;
    n->silent_low = n->silent_high = 0;
}

/* --- both --- */

struct pair {
    struct bench b;
    struct naive n;
    struct cairn_pe_state state;
    uint64_t seed;
    unsigned number;
    uint64_t OVFS, HOVFS;
};

static uint64_t draw(struct pair *p)
{
    p->seed ^= p->seed << 13;
    p->seed ^= p->seed >> 7;
    p->seed ^= p->seed << 17;
    return p->seed * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

static uint64_t below(struct pair *p, uint64_t most)
{
    return draw(p) % most;
}

static uint64_t value_near(struct pair *p)
{
    static const uint64_t tops[] = {0, 0xffffffff, UINT64_MAX, 0x7ffffffff};

    return tops[below(p, 4)] - below(p, 40);
}

static void program_counter(struct pair *p)
{
    static const uint16_t events[] = {INST,  CYCLES, CYCLES,  CHAIN_EVENT,
                                      OTHER, BRANCH, TX_INST, TX_CYCLES};
    const unsigned i = (unsigned)below(p, COUNTERS);
    uint64_t type = events[below(p, 8)];
    uint64_t value = value_near(p);

    if (below(p, 2))
        type |= draw(p) & (P | U | NSK | NSU | NSH | SH | M | T);
    if (below(p, 3) == 0)
        type |= NSH;
    put(&p->b, EVTYPER(i), type);
    put(&p->b, EVCNTR(i), value);
    p->n.types[i] = p->n.version < 4 ? type & 0xffff03ff : type;
    p->n.values[i] = p->n.version < 6 ? value & 0xffffffff : value;
}

static void program(struct pair *p)
{
    uint64_t value = draw(p);

    switch (below(p, 8)) {
    case 0:
    case 1:
    case 2: program_counter(p); break;
    case 3:
        value &= E | D | DP | LC | LP | FZO;
        value |= below(p, 4) ? E : 0;
        value &= below(p, 3) ? ~D : ~UINT64_C(0);
        put(&p->b, CAIRN_PE_PMCR_EL0, value);
        p->n.PMCR = value & ~((p->n.version < 6 ? LP : 0) | (p->n.version < 7 ? FZO : 0));
        break;
    case 4:
        value &= HPMD | HCCD | HLP | HPMFZO | 7;
        value |= below(p, 4) ? HPME : 0;
        put_other(&p->b, CAIRN_PE_MDCR_EL2, value);
        p->n.EL2 = value;
        break;
    case 5:
        value &= SPME | SCCD | MCCD | MPMX;
        put_other(&p->b, CAIRN_PE_MDCR_EL3, value);
        p->n.EL3 = value;
        break;
    case 6:
        put(&p->b, CAIRN_PE_PMCNTENCLR_EL0, ~UINT64_C(0));
        put(&p->b, CAIRN_PE_PMINTENCLR_EL1, ~UINT64_C(0));
        put(&p->b, CAIRN_PE_PMCNTENSET_EL0, value | value >> 8);
        put(&p->b, CAIRN_PE_PMINTENSET_EL1, value >> 16);
        p->n.enabled = (uint32_t)(value | value >> 8) & 0x8000007f;
        p->n.interrupts = (uint32_t)(value >> 16) & 0x8000007f;
        break;
    default:
        put(&p->b, CAIRN_PE_PMOVSCLR_EL0, value);
        p->n.flags &= ~(uint32_t)value;
        value = value_near(p);
        put(&p->b, CAIRN_PE_PMCCNTR_EL0, value);
        p->n.CCNTR = value;
        value =
            draw(p) & (P | U | NSK | NSU | NSH | SH | M | T) & (below(p, 2) ? NSH : ~UINT64_C(0));
        put(&p->b, CAIRN_PE_PMCCFILTR_EL0, value);
        p->n.CCFILTR = value;
        break;
    }
}

static void transact(struct pair *p)
{
    struct cairn_pmu *pmu = &p->b.pmu;

    if (!p->n.inside) {
        cairn_pmu_transaction_start(pmu, &p->state);
        naive_begin(&p->n);
    } else if (below(p, 2)) {
        cairn_pmu_transaction_commit(pmu, &p->state);
        naive_commit(&p->n, &p->state);
    } else {
        cairn_pmu_transaction_fail(pmu, BIT(17), 0, &p->state);
        naive_fail(&p->n);
    }
    p->state.transactional = p->n.inside;
}

static void move(struct pair *p)
{
    p->state.EL = (uint8_t)below(p, 4);
    p->state.security = p->state.EL == 3 || below(p, 3) == 0 ? CAIRN_SECURE : CAIRN_NONSECURE;
    p->state.debug = below(p, 12) == 0;
}

static void happen(struct pair *p)
{
    const struct cairn_pe_state *s = &p->state;
    const uint64_t count = 1 + below(p, below(p, 4) ? 20 : 400);

    switch (below(p, 3)) {
    case 0:
        cairn_pmu_cycles(&p->b.pmu, count, s);
        for (uint64_t k = 0; k < count; k++)
            occur(&p->n, CYCLES, p->n.inside ? TX_CYCLES : 0, true, s);
        break;
    case 1:
        retire(&p->b, (uint32_t)count, s);
        for (uint64_t k = 0; k < count; k++)
            occur(&p->n, INST, p->n.inside ? TX_INST : 0, false, s);
        break;
    default:
        cairn_pmu_event(&p->b.pmu, OTHER, count, s);
        for (uint64_t k = 0; k < count; k++)
            occur(&p->n, OTHER, 0, false, s);
        break;
    }
}

static void agree(struct pair *p)
{
    bool same = true;

    p->OVFS += exported(&p->b, 0x400d);
    p->HOVFS += exported(&p->b, 0x400f);
    p->b.said_count = 0;
    for (unsigned i = 0; i < COUNTERS; i++)
        same = same && get(&p->b, EVCNTR(i)) == p->n.values[i];
    same = same && get(&p->b, CAIRN_PE_PMOVSSET_EL0) == p->n.flags;
    same = same && get(&p->b, CAIRN_PE_PMCCNTR_EL0) == p->n.CCNTR;
    same = same && p->b.line == naive_line(&p->n);
    same = same && p->OVFS == p->n.OVFS && p->HOVFS == p->n.HOVFS;
    if (!same)
        print_message("seed %u differs\n", p->number);
    assert_true(same);
}

static uint64_t run_seed(unsigned number)
{
    static const uint8_t versions[] = {1, 4, 5, 6, 7, 7, 7, 7};
    struct cairn_pmu_config config = everything();
    struct pair *p = calloc(1, sizeof *p);
    uint64_t overflows;

    assert_non_null(p);
    p->number = number;
    p->seed = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (unsigned n = 0; n < 5; n++)
        draw(p);
    config.features.counters = COUNTERS;
    config.version = versions[below(p, 8)];
    config.choices = below(p, 2) ? CAIRN_PMU_COMMITTED_DIRECT : 0;
    bench_begin(&p->b, &config);
    assert_int_equal(cairn_pmu_implement(&p->b.pmu, OTHER), CAIRN_OK);
    p->n.version = config.version;
    p->n.direct = config.choices != 0;
    p->n.EL2 = COUNTERS;
    for (unsigned n = 0; n < 40; n++)
        program(p);
    for (unsigned n = 0; n < STEPS; n++) {
        const uint64_t kind = below(p, 10);

        /* Only SW_INCR is written inside a transaction. */
        if (kind < 2 && !p->n.inside)
            program(p);
        else if (kind == 2)
            transact(p);
        else if (kind == 3)
            move(p);
        else
            happen(p);
        agree(p);
    }
    overflows = p->OVFS + p->HOVFS;
    free(p);
    return overflows;
}

static void test_random(void **state)
{
    uint64_t overflows = 0;

    (void)state;
    for (unsigned number = 1; number <= SEEDS; number++)
        overflows += run_seed(number);
    /* Not a test of standing still. */
    assert_true(overflows > SEEDS);
}

/* Many at once against the same in pieces. */
static void test_pieces(void **state)
{
    (void)state;
    for (unsigned pieces = 2; pieces < 50; pieces++) {
        struct bench one;
        struct bench many;
        const struct cairn_pmu_config config = everything();

        for (unsigned n = 0; n < 2; n++) {
            struct bench *b = n ? &many : &one;

            bench_begin(b, &config);
            put(b, CAIRN_PE_PMCR_EL0, pieces % 3 ? E | FZO | DP : E | D);
            put_EL2(b, pieces % 7, HPME | (pieces % 2 ? HPMFZO : 0));
            for (unsigned i = 0; i < 6; i++)
                count_event(b, i, i % 4 == 1 ? CHAIN_EVENT : CYCLES);
            put(b, EVCNTR(2), UINT32_MAX - 1000 * pieces);
            put(b, EVCNTR(4), UINT32_MAX - 777 * pieces);
            put(b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
        }
        cairn_pmu_cycles(&one.pmu, (UINT64_C(1) << 36) * pieces, &EL0);
        for (unsigned n = 0; n < pieces; n++) {
            cairn_pmu_cycles(&many.pmu, 12345, &EL0);
            cairn_pmu_cycles(&many.pmu, (UINT64_C(1) << 36) - 12345, &EL0);
            many.said_count = 0;
        }
        assert_memory_equal(&one.registers, &many.registers, sizeof one.registers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_pieces),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
