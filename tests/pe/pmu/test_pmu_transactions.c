/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions in the PMU: DDI0608 C2.5, C3.2. */
#include "pmu_transaction_bench.h"

/* --- the filter --- */

static void test_filter(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0, 0);
    count_event(&b, 0, CAIRN_PMU_INST_RETIRED | T);
    count_event(&b, 1, CAIRN_PMU_INST_RETIRED);
    retire(&b, 10, &EL0);
    retire(&b, 7, &EL0_inside);
    retire(&b, 1, &EL0);
    /* proves: I_WKDW, R_NDRV, R_DQWK */
    assert_int_equal(counted(&b, 0), 7);
    /* proves: R_DQWK */
    assert_int_equal(counted(&b, 1), 18);
}

/* BUS_ACCESS and CTI_TRIGOUT4 are not of an instruction of this PE. */
static void test_unattributable(void **state)
{
    (void)state;
    EACH_CHOICE(choice, CAIRN_PMU_T_SPARES_UNATTRIBUTABLE)
    {
        struct bench b;

        begin(&b, choice, 0);
        count_event(&b, 0, CAIRN_PMU_CTI_TRIGOUT4 | T);
        count_event(&b, 1, CAIRN_PMU_INST_RETIRED | T);
        cairn_pmu_event(&b.pmu, CAIRN_PMU_CTI_TRIGOUT4, 3, &EL0);
        cairn_pmu_event(&b.pmu, CAIRN_PMU_CTI_TRIGOUT4, 4, &EL0_inside);
        /* proves: R_NDRV */
        assert_int_equal(counted(&b, 0), choice ? 7 : 4);
        retire(&b, 3, &EL0);
        retire(&b, 5, &EL0_inside);
        /* proves: R_NDRV */
        assert_int_equal(counted(&b, 1), 5);
    }
}

static void test_cycle_filter(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0, 0);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    put(&b, CAIRN_PE_PMCCFILTR_EL0, T);
    cairn_pmu_cycles(&b.pmu, 5, &EL0);
    cairn_pmu_cycles(&b.pmu, 9, &EL0_inside);
    /* proves: R_KCZZ */
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 9);
    put(&b, CAIRN_PE_PMCCFILTR_EL0, 0);
    cairn_pmu_cycles(&b.pmu, 5, &EL0);
    /* proves: R_KCZZ */
    assert_int_equal(get(&b, CAIRN_PE_PMCCNTR_EL0), 14);
}

static void test_without_transactions(void **state)
{
    struct cairn_pmu_config config = everything();
    struct bench b;

    (void)state;
    config.features.transactions = false;
    bench_begin(&b, &config);
    put(&b, EVTYPER(2), ~UINT64_C(0));
    /* proves: R_DQWK */
    assert_int_equal(get(&b, EVTYPER(2)) & T, 0);
    put(&b, CAIRN_PE_PMCCFILTR_EL0, ~UINT64_C(0));
    /* proves: R_KCZZ */
    assert_int_equal(get(&b, CAIRN_PE_PMCCFILTR_EL0) & T, 0);
    assert_int_equal(get(&b, CAIRN_PE_PMCCFILTR_EL0) & P, P);
}

/* At the border, an event of microarchitecture may be counted in the state before; instructions and
 * exceptions may not, whatever the PE is like. */
static void test_accuracy(void **state)
{
    (void)state;
    EACH_CHOICE(choice, CAIRN_PMU_INEXACT)
    {
        struct bench b;

        begin(&b, choice, 0);
        assert_int_equal(cairn_pmu_implement(&b.pmu, CAIRN_PMU_L1D_CACHE), CAIRN_OK);
        count_event(&b, 0, CAIRN_PMU_L1D_CACHE | T);
        count_event(&b, 1, CAIRN_PMU_INST_RETIRED | T);
        count_event(&b, 2, CAIRN_PMU_EXC_TAKEN | T);
        count_event(&b, 3, CAIRN_PMU_BR_RETIRED | T);
        retire(&b, 1, &EL0);
        cairn_pmu_event(&b.pmu, CAIRN_PMU_L1D_CACHE, 1, &EL0_inside);
        /* proves: R_QJQP, I_WXMC */
        assert_int_equal(counted(&b, 0), choice ? 0 : 1);
        retire(&b, 2, &EL0_inside);
        cairn_pmu_event(&b.pmu, CAIRN_PMU_L1D_CACHE, 10, &EL0);
        /* proves: R_QJQP, I_WXMC */
        assert_int_equal(counted(&b, 0), choice ? 10 : 1);
        cairn_pmu_exception(&b.pmu, 0, &EL0);
        retire(&b, 2, &EL0);
        /* proves: R_VTYX */
        assert_int_equal(counted(&b, 1), 2);
        /* proves: R_VTYX */
        assert_int_equal(counted(&b, 2), 0);
        const struct cairn_block branch = block_of(1, CAIRN_INSN_BRANCH_DIRECT, 0);
        cairn_pmu_retired(&b.pmu, &branch, true, &EL0_inside);
        cairn_pmu_exception(&b.pmu, 0, &EL0_inside);
        /* proves: R_VTYX */
        assert_int_equal(counted(&b, 2), 1);
        /* proves: R_VTYX */
        assert_int_equal(counted(&b, 3), 1);
    }
}

/* After a reset the instruction before is one of Non-transactional state. */
static void test_accuracy_after_reset(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, CAIRN_PMU_INEXACT, 0);
    retire(&b, 1, &EL0_inside);
    cairn_pmu_reset(&b.pmu);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    count_event(&b, 0, CAIRN_PMU_BR_PRED | T);
    cairn_pmu_predicted(&b.pmu, CAIRN_PMU_PREDICTED, &EL0_inside);
    assert_int_equal(counted(&b, 0), 0);
    retire(&b, 1, &EL0_inside);
    cairn_pmu_predicted(&b.pmu, CAIRN_PMU_PREDICTED, &EL0_inside);
    assert_int_equal(counted(&b, 0), 1);
}

/* --- which events there are --- */

static void test_required(void **state)
{
    static const uint32_t required[] = {0x4030, 0x4031, 0x4032, 0x4034, 0x4035, 0x4038, 0x4039,
                                        0x403a, 0x403b, 0x403c, 0x403d, 0x403e, 0x403f};
    uint64_t bits = 0;

    (void)state;
    for (unsigned n = 0; n < sizeof required / sizeof required[0]; n++)
        bits |= BIT(32 + required[n] - 0x4020);
    for (unsigned with = 0; with < 2; with++) {
        struct cairn_pmu_config config = everything();
        struct bench b;

        config.features.transactions = with;
        bench_begin(&b, &config);
        /* proves: R_FVHG */
        assert_true((get(&b, CAIRN_PE_PMCEID1_EL0) >> 48) == (with ? bits >> 48 : 0));
    }
}

/* --- starts, commits, failures --- */

static void test_outer(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0, 0);
    count_event(&b, 0, 0x4030);
    count_event(&b, 1, 0x4031);
    for (unsigned n = 0; n < 3; n++)
        start(&b);
    /* proves: R_NRPB, EV_0x4030 */
    assert_int_equal(counted(&b, 0), 1);
    commit(&b);
    commit(&b);
    /* proves: R_CKYT */
    assert_int_equal(counted(&b, 1), 0);
    commit(&b);
    /* proves: R_CKYT, EV_0x4031 */
    assert_int_equal(counted(&b, 1), 1);
    start(&b);
    commit(&b);
    start(&b);
    failed(&b, MEM, 0);
    /* proves: R_NRPB, EV_0x4030 */
    assert_int_equal(counted(&b, 0), 3);
    /* proves: R_CKYT, EV_0x4031 */
    assert_int_equal(counted(&b, 1), 2);
    /* proves: EV_0x4030 */
    assert_int_equal(exported(&b, 0x4030), 3);
    /* proves: EV_0x4031 */
    assert_int_equal(exported(&b, 0x4031), 2);
}

static void test_failed(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0, 0);
    count_event(&b, 0, 0x4032);
    start(&b);
    failed(&b, MEM | SIZE | IMP, 0);
    /* proves: R_YVWS, EV_0x4032 */
    assert_int_equal(counted(&b, 0), 1);
    start(&b);
    start(&b);
    failed(&b, CNCL, 0);
    /* proves: R_YVWS, EV_0x4032 */
    assert_int_equal(counted(&b, 0), 2);
    start(&b);
    commit(&b);
    /* proves: R_YVWS, EV_0x4032 */
    assert_int_equal(counted(&b, 0), 2);
    start(&b);
    failed(&b, DBG, 0);
    failed(&b, TRIVIAL, 0); /* a TSTART that fails at once */
    /* proves: R_YVWS */
    assert_int_equal(counted(&b, 0), 4);
}

/* Counts of one event after a transaction failed with each cause alone. */
static void count_causes(struct bench *b, uint32_t number, uint64_t counts[25], unsigned besides)
{
    begin(b, 0, 0);
    count_event(b, 0, number);
    for (unsigned bit = 16; bit < 25; bit++) {
        put(b, EVCNTR(0), 0);
        start(b);
        failed(b, BIT(bit), besides);
        counts[bit] = counted(b, 0);
    }
}

/* That this cause and no other is counted, and that it is exported. */
static bool counts_only(uint32_t number, unsigned cause, unsigned besides)
{
    uint64_t counts[25] = {0};
    struct bench b;
    bool only = true;

    count_causes(&b, number, counts, besides);
    for (unsigned bit = 16; bit < 25; bit++)
        only = only && counts[bit] == (bit == cause);
    return only && exported(&b, number) == 1;
}

static void test_causes_1(void **state)
{
    (void)state;
    /* proves: R_BTWV, EV_0x4038 */
    assert_true(counts_only(0x4038, 16, 0));
    /* proves: R_FFTX, EV_0x403C */
    assert_true(counts_only(0x403c, 17, 0));
}

static void test_causes_2(void **state)
{
    (void)state;
    /* proves: R_TCHY, EV_0x403B */
    assert_true(counts_only(0x403b, 18, 0));
    /* proves: R_NJXX, EV_0x403A */
    assert_true(counts_only(0x403a, 19, 0));
}

static void test_causes_3(void **state)
{
    (void)state;
    /* proves: R_LDPC, EV_0x403D */
    assert_true(counts_only(0x403d, 20, 0));
    /* proves: R_LRJQ, EV_0x4039 */
    assert_true(counts_only(0x4039, 21, 0));
}

/* A subset of IMP, and one of SIZE. */
static void test_subsets(void **state)
{
    const unsigned both = CAIRN_PMU_FAILED_BY_TLBI | CAIRN_PMU_FAILED_BY_WSET;
    uint64_t counts[25] = {0};
    struct bench b;

    (void)state;
    /* proves: R_MXRY, EV_0x403E */
    assert_true(counts_only(0x403e, 18, both));
    count_causes(&b, 0x403e, counts, CAIRN_PMU_FAILED_BY_WSET);
    /* proves: R_MXRY, EV_0x403E */
    assert_int_equal(counts[18], 0);
    /* proves: R_BSJR, EV_0x403F */
    assert_true(counts_only(0x403f, 20, both));
    count_causes(&b, 0x403f, counts, CAIRN_PMU_FAILED_BY_TLBI);
    /* proves: R_BSJR, EV_0x403F */
    assert_int_equal(counts[20], 0);
    begin(&b, 0, 0);
    count_event(&b, 0, 0x403b);
    count_event(&b, 1, 0x403e);
    start(&b);
    failed(&b, IMP, CAIRN_PMU_FAILED_BY_TLBI);
    start(&b);
    failed(&b, IMP, 0);
    /* proves: EV_0x403E */
    assert_int_equal(counted(&b, 0), 2);
    /* proves: EV_0x403E */
    assert_int_equal(counted(&b, 1), 1);
}

/* --- events between states, with T --- */

/* One transaction that commits and one that fails with everything; how often a counter with T counts the
 * event while the PE takes it to be in Transactional state, or in Non-transactional state. */
static void with_T(uint32_t number, uint64_t counts[2])
{
    for (unsigned inside = 0; inside < 2; inside++) {
        struct bench b;

        begin(&b, 0, (uint16_t)(inside << (number - 0x4030)));
        count_event(&b, 0, number | T);
        count_event(&b, 1, number);
        start(&b);
        commit(&b);
        start(&b);
        failed(&b, CNCL | MEM | IMP | ERR | SIZE | NEST,
               CAIRN_PMU_FAILED_BY_TLBI | CAIRN_PMU_FAILED_BY_WSET);
        counts[inside] = counted(&b, 0);
        assert_int_equal(counted(&b, 1), number == 0x4030 ? 2 : 1);
    }
}

static bool none_or(uint32_t number, uint64_t full)
{
    uint64_t counts[2];

    with_T(number, counts);
    return counts[0] == 0 && counts[1] == full;
}

static void test_T_of_transitions(void **state)
{
    (void)state;
    /* proves: R_HKGP, R_LFLKP */
    assert_true(none_or(0x4030, 2));
    /* proves: R_XCGL, R_LFLKP */
    assert_true(none_or(0x4031, 1));
    /* proves: R_JKPJ, R_LFLKP */
    assert_true(none_or(0x4032, 1));
}

static void test_T_of_causes(void **state)
{
    (void)state;
    /* proves: R_LVHX */
    assert_true(none_or(0x4038, 1));
    /* proves: R_QWVR */
    assert_true(none_or(0x4039, 1));
    /* proves: R_XDTJ */
    assert_true(none_or(0x403a, 1));
    /* proves: R_SFBT */
    assert_true(none_or(0x403b, 1));
    /* proves: R_ZTDY */
    assert_true(none_or(0x403c, 1));
}

static void test_T_of_subsets(void **state)
{
    (void)state;
    /* proves: R_BZTQ */
    assert_true(none_or(0x403d, 1));
    /* proves: R_FFTW */
    assert_true(none_or(0x403e, 1));
    /* proves: R_QZH */
    assert_true(none_or(0x403f, 1));
}

/* --- what counts have to do with each other --- */

static void test_identities(void **state)
{
    struct cairn_pmu_total list[CAIRN_PE_EVENT_COUNTERS + 1];
    const char *texts[CAIRN_PMU_IDENTITIES];
    struct cairn_pmu_config config = everything();
    struct bench b;
    size_t count;

    (void)state;
    config.features.counters = 12;
    bench_begin(&b, &config);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    for (unsigned n = 0; n < 3; n++)
        count_event(&b, n, 0x4030 + n);
    for (unsigned n = 3; n < 11; n++)
        count_event(&b, n, 0x4038 + n - 3);
    start(&b);
    commit(&b);
    start(&b);
    failed(&b, CNCL | MEM | IMP | ERR | SIZE | NEST, CAIRN_PMU_FAILED_BY_TLBI);
    start(&b);
    failed(&b, DBG, 0);
    start(&b);
    count = cairn_pmu_totals(&b.pmu, list);
    /* proves: PMU_IDENTITY */
    assert_int_equal(cairn_pmu_broken_identities(list, count, texts), 0);
    /* Counters are in the order of their numbers: starts, commits, failures, CNCL to WSET. */
    list[9].counted = 2; /* TLBI */
    /* proves: PMU_IDENTITY */
    assert_int_equal(cairn_pmu_broken_identities(list, count, texts), 1);
    /* proves: PMU_IDENTITY */
    assert_string_equal(texts[0], "more transactions failed by a TLBI than with IMP");
    list[9].counted = 1;
    list[0].counted = 5;
    /* proves: PMU_IDENTITY */
    assert_int_equal(cairn_pmu_broken_identities(list, count, texts), 1);
    assert_string_equal(texts[0], "more than one transaction neither committed nor failed");
    list[0].counted = 2;
    /* proves: PMU_IDENTITY */
    assert_int_equal(cairn_pmu_broken_identities(list, count, texts), 1);
    assert_string_equal(texts[0], "more transactions committed or failed than started");
    list[0].counted = 1; /* as many as committed */
    assert_int_equal(cairn_pmu_broken_identities(list, count, texts), 1);
    list[0].counted = 0;
    assert_int_equal(cairn_pmu_broken_identities(list, count, texts), 1);
    assert_string_equal(texts[0], "more transactions committed than started");
    list[0].counted = 4;
    for (unsigned n = 3; n < 11; n++)
        list[n].counted = 3;
    /* six causes of more than two failures; TLBI and WSET are as many as IMP and SIZE */
    assert_int_equal(cairn_pmu_broken_identities(list, count, texts), 6);
    /* What nobody counted is not asked for. */
    assert_int_equal(cairn_pmu_broken_identities(&list[1], 1, texts), 0);
    assert_int_equal(cairn_pmu_broken_identities(&list[9], 2, texts), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter),       cmocka_unit_test(test_unattributable),
        cmocka_unit_test(test_cycle_filter), cmocka_unit_test(test_without_transactions),
        cmocka_unit_test(test_accuracy),     cmocka_unit_test(test_accuracy_after_reset),
        cmocka_unit_test(test_required),     cmocka_unit_test(test_outer),
        cmocka_unit_test(test_failed),       cmocka_unit_test(test_causes_1),
        cmocka_unit_test(test_causes_2),     cmocka_unit_test(test_causes_3),
        cmocka_unit_test(test_subsets),      cmocka_unit_test(test_T_of_transitions),
        cmocka_unit_test(test_T_of_causes),  cmocka_unit_test(test_T_of_subsets),
        cmocka_unit_test(test_identities),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
