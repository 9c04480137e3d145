/* SPDX-License-Identifier: BSD-2-Clause */
/* PMU events that the trace unit sees: DDI0608 D7.11. */
#include "pmu_trace_bench.h"

static const struct cairn_pmu_gate external = {.self_hosted = false};
static const struct cairn_pmu_gate self_hosted = {.self_hosted = true};
static const struct cairn_pmu_gate prohibited = {.self_hosted = true, .prohibited = true};

static const struct cairn_pe_state secure_EL1 = {.EL = 1, .security = CAIRN_SECURE};

/* Everything that can happen, happens in this state. */
static void raise_all(struct bench *b, const struct cairn_pe_state *state)
{
    const struct cairn_block call =
        block_of(4, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_LINK | CAIRN_INSN_RETURN);

    overflow_both(b, state);
    cairn_pmu_retired(&b->pmu, &call, true, state);
    cairn_pmu_predicted(&b->pmu, CAIRN_PMU_MISPREDICTED, state);
    cairn_pmu_exception(&b->pmu, CAIRN_PMU_EXC_SVC, state);
    cairn_pmu_cycles(&b->pmu, 9, state);
    cairn_pmu_event(&b->pmu, CAIRN_PMU_TRB_WRAP, 1, state);
    cairn_pmu_event(&b->pmu, CAIRN_PMU_TRB_TRIG, 1, state);
    cairn_pmu_transaction_start(&b->pmu, state);
    cairn_pmu_transaction_fail(&b->pmu, BIT(17), 0, state);
    for (uint32_t n = 0; n < 4; n++) {
        cairn_pmu_event(&b->pmu, CAIRN_PMU_TRCEXTOUT0 + n, 1, state);
        cairn_pmu_event(&b->pmu, CAIRN_PMU_CTI_TRIGOUT4 + n, 1, state);
    }
}

/* The eight of VBCBZ and KRSMY, and what was exported besides. */
static unsigned count_always(struct bench *b, bool *anything_else)
{
    static const uint32_t always[] = {0x4018, 0x4019, 0x401a, 0x401b,
                                      0x400d, 0x400c, 0x400e, 0x400f};
    unsigned found = 0;

    for (unsigned n = 0; n < 8; n++)
        found += exported(b, always[n]) == 1;
    *anything_else = false;
    for (unsigned n = 0; n < b->said_count; n++)
        *anything_else |= b->said[n].count != 0;
    return found;
}

static void test_prohibited(void **state)
{
    bool else_too;
    struct bench b;

    (void)state;
    begin(&b, 0);
    cairn_pmu_set_gate(&b.pmu, prohibited);
    raise_all(&b, &EL0);
    /* proves: R_RFWZB, R_VBCBZ */
    assert_int_equal(count_always(&b, &else_too), 8);
    /* proves: R_RFWZB */
    assert_false(else_too);
    cairn_pmu_set_gate(&b.pmu, self_hosted);
    raise_all(&b, &EL0);
    /* proves: R_RFWZB */
    assert_int_equal(exported(&b, CAIRN_PMU_INST_RETIRED), 4);
    assert_int_equal(exported(&b, CAIRN_PMU_CPU_CYCLES), 9);
    assert_int_equal(exported(&b, CAIRN_PMU_EXC_SVC), 1);
    assert_int_equal(exported(&b, CAIRN_PMU_TME_FAILURE_MEM), 1);
}

/* Self-hosted trace off: Secure counting decides, by MDCR_EL3.{SPME, MPMX}; before FEAT_PMUv3p7 by SPME. */
static void test_secure(void **state)
{
    static const struct row {
        uint8_t version;
        uint64_t MDCR_EL3;
        bool passes;
    } rows[] = {
        {CAIRN_PMU_V3P7, 0, false},          {CAIRN_PMU_V3P7, SPME, true},
        {CAIRN_PMU_V3P7, MPMX, true},        {CAIRN_PMU_V3P7, SPME | MPMX, true},
        {CAIRN_PMU_V3P5, 0, false},          {CAIRN_PMU_V3P5, MPMX, false},
        {CAIRN_PMU_V3P5, SPME | MPMX, true},
    };

    (void)state;
    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        struct cairn_pmu_config config = everything();
        bool else_too;
        struct bench b;

        config.version = rows[n].version;
        bench_begin(&b, &config);
        cairn_pmu_set_gate(&b.pmu, external);
        put_other(&b, CAIRN_PE_MDCR_EL3, rows[n].MDCR_EL3);
        cairn_pmu_retired(&b.pmu, &(struct cairn_block){.count = 1}, true, &secure_EL1);
        /* proves: R_WSXTC */
        assert_int_equal(exported(&b, CAIRN_PMU_INST_RETIRED), rows[n].passes);
        cairn_pmu_retired(&b.pmu, &(struct cairn_block){.count = 1}, true, &EL1);
        /* proves: R_WSXTC */
        assert_int_equal(exported(&b, CAIRN_PMU_INST_RETIRED), 1);
        put(&b, CAIRN_PE_PMCR_EL0, E);
        raise_all(&b, &secure_EL1); /* with MDCR_EL3 0 from the overflow on */
        /* proves: R_WSXTC, R_VBCBZ */
        assert_int_equal(count_always(&b, &else_too), 8);
        if (rows[n].MDCR_EL3 == 0) {
            /* BRB_FILTRATE was raised while SPME was 1. */
            exported(&b, CAIRN_PMU_BRB_FILTRATE);
            count_always(&b, &else_too);
            /* proves: R_WSXTC */
            assert_false(else_too);
        }
    }
}

static void test_always(void **state)
{
    const struct cairn_pmu_gate gates[] = {external, self_hosted, prohibited};
    static const struct cairn_pe_state *const states[] = {&EL0, &secure_EL1, &EL3};

    (void)state;
    for (unsigned g = 0; g < 3; g++)
        for (unsigned s = 0; s < 3; s++) {
            static const uint32_t told[] = {0x4018, 0x4019, 0x401a, 0x401b, 0x400c, 0x400e};
            struct bench b;

            begin(&b, 0);
            cairn_pmu_set_gate(&b.pmu, gates[g]);
            for (unsigned n = 0; n < 6; n++) {
                cairn_pmu_event(&b.pmu, told[n], 1, states[s]);
                /* proves: R_VBCBZ */
                assert_int_equal(exported(&b, told[n]), 1);
            }
            overflow_both(&b, states[s]);
            /* proves: R_VBCBZ */
            assert_int_equal(exported(&b, 0x400d), 1);
        }
}

static void test_HOVFS_gate(void **state)
{
    (void)state;
    for (unsigned hosted = 0; hosted < 2; hosted++)
        for (unsigned E2 = 0; E2 < 2; E2++) {
            struct bench b;

            begin(&b, 0);
            cairn_pmu_set_gate(&b.pmu, (struct cairn_pmu_gate){.self_hosted = hosted});
            put_other(&b, CAIRN_PE_TRFCR_EL2, E2 ? E2TRE : 0);
            overflow_both(&b, &EL0);
            /* proves: R_KRSMY, EV_0x400F */
            assert_int_equal(exported(&b, CAIRN_PMU_PMU_HOVFS), hosted && !E2 ? 0 : 1);
        }
}

/* Of an ETE PMCR_EL0.X does not matter; of an ETMv4 nothing passes without it. */
static void test_X(void **state)
{
    (void)state;
    for (unsigned X_is = 0; X_is < 2; X_is++) {
        struct bench b;

        begin(&b, 0);
        put(&b, CAIRN_PE_PMCR_EL0, X_is ? X | E : E);
        retire(&b, 3, &EL0);
        cairn_pmu_event(&b.pmu, CAIRN_PMU_CTI_TRIGOUT4, 1, &EL0);
        /* proves: R_PHDQT, D16.47 */
        assert_int_equal(exported(&b, CAIRN_PMU_INST_RETIRED), 3);
        /* proves: R_PHDQT, D16.47 */
        assert_int_equal(exported(&b, CAIRN_PMU_CTI_TRIGOUT4), 1);
        begin(&b, CAIRN_PMU_EXPORT_BY_X);
        put(&b, CAIRN_PE_PMCR_EL0, X_is ? X | E : E);
        retire(&b, 3, &EL0);
        /* proves: D16.47 */
        assert_int_equal(exported(&b, CAIRN_PMU_INST_RETIRED), X_is ? 3 : 0);
    }
}

/* An event of no PE, one that the owner has not said it tells, and one that needs what is not there. */
static void test_absent(void **state)
{
    struct cairn_pmu_config config = everything();
    struct bench b;

    (void)state;
    begin(&b, 0);
    cairn_pmu_event(&b.pmu, 0x3ff, 1, &EL0);
    /* proves: R_MTGKB */
    assert_int_equal(exported(&b, 0x3ff), 0);
    assert_int_equal(cairn_pmu_implement(&b.pmu, 0x3ff), CAIRN_OK);
    cairn_pmu_event(&b.pmu, 0x3ff, 1, &EL0);
    /* proves: R_MTGKB */
    assert_int_equal(exported(&b, 0x3ff), 1);
    config.features.trbe = false;
    bench_begin(&b, &config);
    cairn_pmu_event(&b.pmu, CAIRN_PMU_TRB_WRAP, 1, &EL0);
    /* proves: R_MTGKB */
    assert_int_equal(exported(&b, CAIRN_PMU_TRB_WRAP), 0);
}

/* The owner says which numbers its trace unit selects; no other call is made then. */
static void test_selected(void **state)
{
    const uint32_t selected[] = {CAIRN_PMU_BR_RETIRED, CAIRN_PMU_CPU_CYCLES};
    const struct cairn_block branch = block_of(5, CAIRN_INSN_BRANCH_DIRECT, 0);
    const uint32_t too_far = 0x10000;
    struct bench b;

    (void)state;
    begin(&b, 0);
    assert_false(cairn_pmu_is_idle(&b.pmu));
    assert_int_equal(cairn_pmu_select(&b.pmu, selected, 2), CAIRN_OK);
    cairn_pmu_retired(&b.pmu, &branch, true, &EL0);
    cairn_pmu_cycles(&b.pmu, 12, &EL0);
    assert_int_equal(b.said_count, 2);
    /* proves: R_YCNCR */
    assert_int_equal(exported(&b, CAIRN_PMU_BR_RETIRED), 1);
    /* proves: R_YCNCR */
    assert_int_equal(exported(&b, CAIRN_PMU_CPU_CYCLES), 12);
    assert_int_equal(cairn_pmu_select(&b.pmu, &too_far, 1), CAIRN_E_ARGUMENT);
    assert_false(cairn_pmu_is_idle(&b.pmu));
    assert_int_equal(cairn_pmu_select(&b.pmu, NULL, 0), CAIRN_OK);
    assert_true(cairn_pmu_is_idle(&b.pmu));
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    assert_false(cairn_pmu_is_idle(&b.pmu));
    put(&b, CAIRN_PE_PMCNTENCLR_EL0, CYCLE_BIT);
    assert_int_equal(cairn_pmu_select(&b.pmu, selected, 2), CAIRN_OK);
    assert_false(cairn_pmu_is_idle(&b.pmu));
    assert_int_equal(cairn_pmu_select(&b.pmu, &too_far, 1), CAIRN_E_ARGUMENT);
    /* What was selected before stays. */
    cairn_pmu_cycles(&b.pmu, 1, &EL0);
    assert_int_equal(exported(&b, CAIRN_PMU_CPU_CYCLES), 1);
}

/* --- SW_INCR --- */

static bool increments(struct bench *b, const struct cairn_pe_state *state, uint64_t bits)
{
    cairn_pmu_write(&b->pmu, CAIRN_PE_PMSWINC_EL0, bits, state);
    return exported(b, CAIRN_PMU_SW_INCR) == 1;
}

static void test_software_increment_high(void **state)
{
    static const struct cairn_pe_state *const states[] = {&EL2, &EL3};

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct bench b;

        begin(&b, 0);
        put_EL2(&b, 2, HPME);
        put_other(&b, CAIRN_PE_MDCR_EL3, SPME);
        /* No counter counts SW_INCR: the trace unit sees it all the same. */
        for (unsigned counter = 0; counter < 6; counter++)
            put(&b, EVTYPER(counter), CAIRN_PMU_CPU_CYCLES);
        /* proves: R_XGMPN */
        assert_true(increments(&b, states[n], BIT(0)));
        /* proves: R_XGMPN */
        assert_true(increments(&b, states[n], BIT(5)));
        /* proves: R_XGMPN */
        assert_true(increments(&b, states[n], BIT(5) | BIT(6)));
        /* proves: R_XGMPN */
        assert_false(increments(&b, states[n], BIT(6) | BIT(30) | BIT(31)));
        /* proves: R_XGMPN */
        assert_false(increments(&b, states[n], 0));
    }
}

static void test_software_increment_low(void **state)
{
    static const struct cairn_pe_state *const states[] = {&EL0, &EL1};

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct cairn_pmu_config config = everything();
        struct cairn_pe_state secure = *states[n];
        struct bench b;

        secure.security = CAIRN_SECURE;
        begin(&b, 0);
        put_EL2(&b, 2, HPME);
        put_other(&b, CAIRN_PE_MDCR_EL3, SPME);
        /* EL2 enabled: below HPMN. */
        /* proves: R_BXPZK */
        assert_true(increments(&b, states[n], BIT(1)));
        /* proves: R_BXPZK */
        assert_false(increments(&b, states[n], BIT(2) | BIT(5) | BIT(6)));
        /* EL2 disabled in Secure state: all that there are. */
        /* proves: R_BXPZK */
        assert_true(increments(&b, &secure, BIT(5)));
        /* proves: R_BXPZK */
        assert_false(increments(&b, &secure, BIT(6)));
        put_other(&b, CAIRN_PE_SCR_EL3, BIT(18)); /* EEL2 */
        /* proves: R_BXPZK */
        assert_false(increments(&b, &secure, BIT(5)));
        config.features.EL2 = false;
        bench_begin(&b, &config);
        put_EL2(&b, 2, 0);
        /* proves: R_BXPZK */
        assert_true(increments(&b, states[n], BIT(5)));
        /* proves: R_BXPZK */
        assert_false(increments(&b, states[n], BIT(6)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prohibited),
        cmocka_unit_test(test_secure),
        cmocka_unit_test(test_always),
        cmocka_unit_test(test_HOVFS_gate),
        cmocka_unit_test(test_X),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_selected),
        cmocka_unit_test(test_software_increment_high),
        cmocka_unit_test(test_software_increment_low),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
