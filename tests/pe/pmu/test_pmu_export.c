/* SPDX-License-Identifier: BSD-2-Clause */
/* PMU events that the trace unit sees (DDI0608 D7.11), and those of trace that the PMU counts (E1.3,
 * F1.2). */
#include "pmu_bench.h"

#define E2TRE BIT(1)

static const struct cairn_pmu_gate external = {.self_hosted = false};
static const struct cairn_pmu_gate self_hosted = {.self_hosted = true};
static const struct cairn_pmu_gate prohibited = {.self_hosted = true, .prohibited = true};

static const struct cairn_pe_state secure_EL1 = {.EL = 1, .security = CAIRN_SECURE};

static void begin(struct bench *b, uint32_t choices)
{
    struct cairn_pmu_config config = everything();

    config.choices = choices;
    bench_begin(b, &config);
    put(b, CAIRN_PE_PMCR_EL0, E);
    put_other(b, CAIRN_PE_TRFCR_EL2, E2TRE);
}

/* Raises PMU_OVFS by counter 0 and PMU_HOVFS by counter 5. */
static void overflow_both(struct bench *b, const struct cairn_pe_state *state)
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
    static const uint32_t always[] = {0x4018, 0x4019, 0x401a, 0x401b, 0x400d, 0x400c, 0x400e, 0x400f};
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
        {CAIRN_PMU_V3P7, 0, false},         {CAIRN_PMU_V3P7, SPME, true},
        {CAIRN_PMU_V3P7, MPMX, true},       {CAIRN_PMU_V3P7, SPME | MPMX, true},
        {CAIRN_PMU_V3P5, 0, false},         {CAIRN_PMU_V3P5, MPMX, false},
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
    static const struct cairn_pmu_gate gates[] = {external, self_hosted, prohibited};
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
    assert_int_equal(cairn_pmu_select(&b.pmu, selected, 2), CAIRN_OK);
    cairn_pmu_retired(&b.pmu, &branch, true, &EL0);
    cairn_pmu_cycles(&b.pmu, 12, &EL0);
    assert_int_equal(b.said_count, 2);
    /* proves: R_YCNCR */
    assert_int_equal(exported(&b, CAIRN_PMU_BR_RETIRED), 1);
    /* proves: R_YCNCR */
    assert_int_equal(exported(&b, CAIRN_PMU_CPU_CYCLES), 12);
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

/* --- events of trace --- */

/* PMCEID0_EL0, with a feature and without. */
static uint64_t identified(struct cairn_pmu_config config)
{
    struct bench b;

    bench_begin(&b, &config);
    return get(&b, CAIRN_PE_PMCEID0_EL0);
}

/* What a counter of the number makes of `told`. */
static uint64_t count_of(uint32_t choices, uint32_t number, uint64_t told)
{
    struct bench b;

    begin(&b, choices);
    count_event(&b, 3, number);
    cairn_pmu_event(&b.pmu, number, told, &EL0);
    return counted(&b, 3);
}

static void test_TRB_events(void **state)
{
    struct cairn_pmu_config with = everything();
    struct cairn_pmu_config without = everything();
    struct bench b;

    (void)state;
    without.features.trbe = false;
    /* proves: EV_0x400C */
    assert_true(identified(with) >> 44 & 1u);
    /* proves: EV_0x400C */
    assert_false(identified(without) >> 44 & 1u);
    /* proves: EV_0x400C */
    assert_int_equal(count_of(0, 0x400c, 7), 7);
    /* proves: EV_0x400E */
    assert_false(identified(without) >> 46 & 1u);
    for (uint32_t choice = 0; choice <= CAIRN_PMU_TRB_TRIG_UNCOUNTABLE;
         choice += CAIRN_PMU_TRB_TRIG_UNCOUNTABLE) {
        with.choices = choice;
        /* proves: EV_0x400E */
        assert_int_equal(identified(with) >> 46 & 1u, choice ? 0 : 1);
        /* proves: EV_0x400E */
        assert_int_equal(count_of(choice, 0x400e, 5), choice ? 0 : 5);
        begin(&b, choice);
        cairn_pmu_event(&b.pmu, 0x400e, 1, &EL0);
        /* proves: EV_0x400E */
        assert_int_equal(exported(&b, 0x400e), 1);
    }
}

/* Counter n two events below its overflow, which is that of bit 31 or 63; the interrupt enabled, or not. */
static uint64_t overflows_of(unsigned n, bool enabled, uint64_t from, uint64_t control, uint64_t EL2_bits,
                             uint32_t number)
{
    struct bench b;

    begin(&b, 0);
    put_EL2(&b, 3, HPME | EL2_bits);
    put(&b, CAIRN_PE_PMCR_EL0, E | control);
    count_event(&b, n, CAIRN_PMU_INST_RETIRED);
    put(&b, EVCNTR(n), from);
    put(&b, CAIRN_PE_PMINTENSET_EL1, enabled ? BIT(n) : 0);
    retire(&b, 1, &EL0);
    assert_int_equal(exported(&b, number), 0);
    retire(&b, 1, &EL0);
    return exported(&b, number);
}

static void test_OVFS(void **state)
{
    const uint64_t low = 0xfffffffe;
    const uint64_t all = UINT64_MAX - 1;
    struct bench b;

    (void)state;
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(2, true, low, 0, HLP, 0x400d), 1);
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(2, false, low, 0, HLP, 0x400d), 0);
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(2, true, low, LP, 0, 0x400d), 0);
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(2, true, all, LP, 0, 0x400d), 1);
    /* proves: EV_0x400D */
    assert_int_equal(overflows_of(3, true, low, 0, 0, 0x400d), 0);
    begin(&b, 0);
    put(&b, CAIRN_PE_PMCNTENSET_EL0, CYCLE_BIT);
    put(&b, CAIRN_PE_PMINTENSET_EL1, CYCLE_BIT);
    for (unsigned long_count = 0; long_count < 2; long_count++) {
        put(&b, CAIRN_PE_PMCR_EL0, long_count ? E | LC : E);
        put(&b, CAIRN_PE_PMCCNTR_EL0, low);
        cairn_pmu_cycles(&b.pmu, 2, &EL0);
        /* proves: EV_0x400D */
        assert_int_equal(exported(&b, 0x400d), !long_count);
        put(&b, CAIRN_PE_PMCCNTR_EL0, all);
        cairn_pmu_cycles(&b.pmu, 2, &EL0);
        /* proves: EV_0x400D */
        assert_int_equal(exported(&b, 0x400d), 1);
    }
    put(&b, CAIRN_PE_PMINTENCLR_EL1, CYCLE_BIT);
    put(&b, CAIRN_PE_PMCCNTR_EL0, all);
    cairn_pmu_cycles(&b.pmu, 2, &EL0);
    /* proves: EV_0x400D */
    assert_int_equal(exported(&b, 0x400d), 0);
}

/* Without EL2 all counters raise PMU_OVFS, and there is no PMU_HOVFS; neither is ever counted. */
static void test_OVFS_presence(void **state)
{
    struct cairn_pmu_config config = everything();
    struct bench b;

    (void)state;
    /* proves: EV_0x400D, EV_0x400F */
    assert_int_equal(identified(config) & (BIT(45) | BIT(47)), 0);
    config.features.EL2 = false;
    bench_begin(&b, &config);
    put_EL2(&b, 1, 0);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    count_event(&b, 5, CAIRN_PMU_INST_RETIRED);
    put(&b, EVCNTR(5), UINT32_MAX);
    put(&b, CAIRN_PE_PMINTENSET_EL1, BIT(5));
    retire(&b, 1, &EL0);
    /* proves: EV_0x400D */
    assert_int_equal(exported(&b, 0x400d), 1);
    /* proves: EV_0x400F */
    assert_int_equal(exported(&b, 0x400f), 0);
    begin(&b, 0);
    overflow_both(&b, &EL0);
    put(&b, CAIRN_PE_PMOVSCLR_EL0, UINT32_MAX);
    count_event(&b, 1, CAIRN_PMU_PMU_OVFS);
    count_event(&b, 2, CAIRN_PMU_PMU_HOVFS);
    overflow_both(&b, &EL0);
    /* proves: EV_0x400D */
    assert_int_equal(counted(&b, 1), 0);
    /* proves: EV_0x400F */
    assert_int_equal(counted(&b, 2), 0);
}

static void test_HOVFS(void **state)
{
    const uint64_t low = 0xfffffffe;
    const uint64_t all = UINT64_MAX - 1;

    (void)state;
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(3, true, low, LP, 0, 0x400f), 1);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(5, true, low, LP, 0, 0x400f), 1);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(3, false, low, LP, 0, 0x400f), 0);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(3, true, low, 0, HLP, 0x400f), 0);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(3, true, all, 0, HLP, 0x400f), 1);
    /* proves: EV_0x400F */
    assert_int_equal(overflows_of(2, true, low, 0, 0, 0x400f), 0);
}

/* Implemented with ETE and not without; counted; and seen by the trace unit as told, or never. */
static bool is_output(unsigned n, bool input)
{
    struct cairn_pmu_config config = everything();
    const uint32_t number = 0x4010 + n;
    struct bench b;
    bool right;

    right = identified(config) >> (48 + n) & 1u;
    config.ETE = false;
    right = right && !(identified(config) >> (48 + n) & 1u);
    right = right && count_of(0, number, 6) == 6;
    begin(&b, input ? CAIRN_PMU_OUTPUTS_ARE_INPUTS : 0);
    cairn_pmu_event(&b.pmu, number, 1, &EL0);
    return right && exported(&b, number) == input;
}

static void test_outputs(void **state)
{
    (void)state;
    for (unsigned input = 0; input < 2; input++) {
        /* proves: EV_0x4010 */
        assert_true(is_output(0, input));
        /* proves: EV_0x4011 */
        assert_true(is_output(1, input));
        /* proves: EV_0x4012 */
        assert_true(is_output(2, input));
        /* proves: EV_0x4013 */
        assert_true(is_output(3, input));
    }
}

static bool is_trigger(unsigned n)
{
    struct cairn_pmu_config config = everything();
    const uint32_t number = 0x4018 + n;
    struct bench b;
    bool right;

    right = identified(config) >> (56 + n) & 1u;
    config.ETE = false;
    right = right && !(identified(config) >> (56 + n) & 1u);
    right = right && count_of(0, number, 2) == 2;
    begin(&b, 0);
    cairn_pmu_event(&b.pmu, number, 1, &EL0);
    return right && exported(&b, number) == 1;
}

static void test_triggers(void **state)
{
    (void)state;
    /* proves: EV_0x4018, I_XDSQV */
    assert_true(is_trigger(0));
    /* proves: EV_0x4019, I_XDSQV */
    assert_true(is_trigger(1));
    /* proves: EV_0x401A, I_XDSQV */
    assert_true(is_trigger(2));
    /* proves: EV_0x401B, I_XDSQV */
    assert_true(is_trigger(3));
}

/* --- branch records --- */

static void test_FILTRATE(void **state)
{
    struct cairn_pmu_config config = everything();
    struct bench b;

    (void)state;
    /* proves: EV_0x811F */
    assert_int_equal(count_of(0, 0x811f, 11), 11);
    config.features.brbe = 0;
    bench_begin(&b, &config);
    put(&b, CAIRN_PE_PMCR_EL0, E);
    count_event(&b, 0, 0x811f);
    cairn_pmu_event(&b.pmu, 0x811f, 1, &EL0);
    /* proves: EV_0x811F */
    assert_int_equal(counted(&b, 0), 0);
}

/* The record of an exception is made when the PE is at EL1 already, that of a return when it has left. */
static void test_exception_related(void **state)
{
    const struct cairn_block eret = block_of(2, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET);
    struct bench b;

    (void)state;
    begin(&b, 0);
    count_event(&b, 0, 0x811f | P | NSU); /* U 0, NSU 1: nothing of EL0 */
    count_event(&b, 1, 0x811f | P);       /* Non-secure EL0 alone */
    count_event(&b, 2, 0x811f | U | NSU | P | NSK);
    put(&b, EVTYPER(0), 0x811f | U); /* Non-secure EL1 alone */
    cairn_pmu_exception(&b.pmu, CAIRN_PMU_EXC_SVC, &EL0);
    retire(&b, 3, &EL1);
    cairn_pmu_exception_event(&b.pmu, CAIRN_PMU_BRB_FILTRATE);
    /* proves: R_GMCHN, EV_0x811F */
    assert_int_equal(counted(&b, 1), 1);
    /* proves: R_GMCHN */
    assert_int_equal(counted(&b, 0), 0);
    cairn_pmu_retired(&b.pmu, &eret, true, &EL1);
    retire(&b, 3, &EL0);
    cairn_pmu_exception_event(&b.pmu, CAIRN_PMU_BRB_FILTRATE);
    /* proves: R_GMCHN */
    assert_int_equal(counted(&b, 0), 1);
    /* proves: R_GMCHN */
    assert_int_equal(counted(&b, 1), 1);
    assert_int_equal(counted(&b, 2), 2);
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
        cmocka_unit_test(test_TRB_events),
        cmocka_unit_test(test_OVFS),
        cmocka_unit_test(test_OVFS_presence),
        cmocka_unit_test(test_HOVFS),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_triggers),
        cmocka_unit_test(test_FILTRATE),
        cmocka_unit_test(test_exception_related),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
