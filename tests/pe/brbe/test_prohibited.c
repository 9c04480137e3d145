/* SPDX-License-Identifier: BSD-2-Clause */
/* BRBE Prohibited regions (DDI0608 F1.1.4): every row, by whether a branch is recorded. */
#include "bench.h"

/* A branch here is recorded. */
static bool records(struct bench *b)
{
    bench_restart(b);
    bench_b(b, 0x1000);
    return bench_valid(b) == 1;
}

static void below_EL3(struct bench *b, unsigned EL, unsigned security, unsigned SBRBE)
{
    b->state.EL = (uint8_t)EL;
    b->state.security = (uint8_t)security;
    bench_set(b, MDCR_EL3, MDCR_EL3_SBRBE, SBRBE);
    /* Secure EL2 there too */
    bench_set(b, SCR_EL3, SCR_EL3_EEL2, 1);
}

/* SBRBE 0b00: nowhere; 0b01: not in Secure state; 0b1x: it does not prohibit. */
static bool allowed_by_EL3(unsigned security, unsigned SBRBE)
{
    return SBRBE >= 2 || (SBRBE == 1 && security != CAIRN_SECURE);
}

static const uint8_t states[] = {CAIRN_SECURE, CAIRN_NONSECURE, CAIRN_REALM};

static void EL2(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned i = 0; i < 24; i++) {
        const unsigned security = states[i / 8], SBRBE = i % 4, E2BRE = i / 4 % 2;

        below_EL3(&b, 2, security, SBRBE);
        /* the other levels say the opposite */
        b.registers.value[CAIRN_PE_BRBCR_EL1] = E2BRE ? 0 : 3;
        b.registers.value[CAIRN_PE_BRBCR_EL2] = E2BRE ? 2 : 1;
        /* proves: R_SFZQD */
        assert_int_equal(records(&b), E2BRE && allowed_by_EL3(security, SBRBE));
    }
}

static void EL1(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned i = 0; i < 24; i++) {
        const unsigned security = states[i / 8], SBRBE = i % 4, E1BRE = i / 4 % 2;

        below_EL3(&b, 1, security, SBRBE);
        b.registers.value[CAIRN_PE_BRBCR_EL1] = E1BRE ? 2 : 1;
        b.registers.value[CAIRN_PE_BRBCR_EL2] = E1BRE ? 0 : 3;
        /* proves: R_YPHYG */
        assert_int_equal(records(&b), E1BRE && allowed_by_EL3(security, SBRBE));
        /* proves: REG_MDCR_BRBE */
        assert_int_equal(records(&b), E1BRE && allowed_by_EL3(security, SBRBE));
    }
}

static void EL0(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned i = 0; i < 3 * 4 * 8; i++) {
        const unsigned security = states[i / 32], SBRBE = i % 4, E0BRE = i / 4 % 2;
        const unsigned E0HBRE = i / 8 % 2, TGE = i / 16 % 2;

        below_EL3(&b, 0, security, SBRBE);
        bench_set(&b, HCR_EL2, HCR_EL2_TGE, TGE);
        bench_set(&b, BRBCR_EL1, BRBCR_EL1_E0BRE, E0BRE);
        bench_set(&b, BRBCR_EL2, BRBCR_EL2_E0HBRE, E0HBRE);
        /* proves: R_DBPCP */
        assert_int_equal(records(&b), (TGE ? E0HBRE : E0BRE) && allowed_by_EL3(security, SBRBE));
    }
    /* EL2 disabled in Secure state: TGE does not count there */
    below_EL3(&b, 0, CAIRN_SECURE, 3);
    bench_set(&b, SCR_EL3, SCR_EL3_EEL2, 0);
    bench_set(&b, HCR_EL2, HCR_EL2_TGE, 1);
    for (unsigned E0BRE = 0; E0BRE < 2; E0BRE++) {
        bench_set(&b, BRBCR_EL1, BRBCR_EL1_E0BRE, E0BRE);
        bench_set(&b, BRBCR_EL2, BRBCR_EL2_E0HBRE, !E0BRE);
        assert_int_equal(records(&b), E0BRE);
    }
    /* no EL2 at all */
    b.state.security = CAIRN_NONSECURE;
    b.features.EL2 = false;
    assert_true(records(&b));
}

/* {E3BREC, E3BREW} 00 and 11: disabled. */
static void EL3(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.state.EL = 3;
    b.state.security = CAIRN_SECURE;
    for (unsigned version = 1; version <= 2; version++)
        for (unsigned i = 0; i < 16; i++) {
            bench_set(&b, MDCR_EL3, MDCR_EL3_E3BREW, i % 2);
            bench_set(&b, MDCR_EL3, MDCR_EL3_E3BREC, i / 2 % 2);
            /* SBRBE is of the levels below */
            bench_set(&b, MDCR_EL3, MDCR_EL3_SBRBE, i / 4);
            b.features.brbe = (uint8_t)version;
            /* proves: R_GLKGW */
            assert_int_equal(records(&b), version == 2 && (i % 4 == 1 || i % 4 == 2));
            /* proves: R_JWWFY */
            assert_int_equal(cairn_brbe_records_EL3(&b.features, &b.registers),
                             version == 2 && (i % 4 == 1 || i % 4 == 2));
        }
    b.features.EL3 = false;
    assert_false(cairn_brbe_records_EL3(&b.features, &b.registers));
    /* and without EL3 nobody prohibits the levels below */
    below_EL3(&b, 1, CAIRN_NONSECURE, 0);
    assert_true(records(&b));
}

/* Each of the five enables has a level of its own, all others being 0. */
static void controls(void **state)
{
    static const struct {
        uint64_t BRBCR_EL1, BRBCR_EL2, TGE;
        unsigned EL;
    } rows[] = {{1, 0, 0, 0}, {2, 0, 0, 1}, {0, 1, 1, 0}, {0, 2, 0, 2}};
    struct bench b;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (unsigned EL = 0; EL < 3; EL++) {
            bench_begin(&b);
            b.registers.value[CAIRN_PE_BRBCR_EL1] = rows[i].BRBCR_EL1;
            b.registers.value[CAIRN_PE_BRBCR_EL2] = rows[i].BRBCR_EL2;
            bench_set(&b, HCR_EL2, HCR_EL2_TGE, rows[i].TGE);
            b.state.EL = (uint8_t)EL;
            /* proves: I_DMPQZ */
            assert_int_equal(records(&b), EL == rows[i].EL);
        }
}

static void aarch32(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned EL = 0; EL < 4; EL++) {
        b.state.EL = (uint8_t)EL;
        b.state.aarch32 = true;
        /* proves: R_FHGJN */
        assert_false(records(&b));
        b.state.aarch32 = false;
        assert_true(records(&b));
    }
}

static void debug_state(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned EL = 0; EL < 4; EL++) {
        b.state.EL = (uint8_t)EL;
        b.state.debug = true;
        /* proves: R_LPYBQ */
        assert_false(records(&b));
        b.state.debug = false;
        assert_true(records(&b));
    }
}

/* From EL1, where all is recorded, to EL2, where nothing may be, and back: whatever is done there. */
static void through_a_secret(struct bench *b, uint64_t secret)
{
    bench_begin(b);
    b->options.flags = CAIRN_BRBE_PREDICTS;
    bench_restart(b);
    bench_set(b, BRBCR_EL2, BRBCR_EL2_E2BRE, 0);
    for (unsigned i = 0; i < 3; i++) {
        bench_b(b, 0x1000);
        cairn_brbe_cycles(&b->brbe, 7);
        bench_exception(b, 2, CAIRN_BRANCH_CALL, 0x1104, secret + 0x600);
        const struct cairn_brbe_side now = bench_now(b);
        for (unsigned k = 0; k < secret % 7; k++) {
            cairn_brbe_branch(&b->brbe, &now,
                              &(struct cairn_brbe_branch){.source = 0x1000 + k * 4,
                                                          .target = secret,
                                                          .kind = CAIRN_INSN_BRANCH_DIRECT,
                                                          .flags = k % 3 ? CAIRN_INSN_LINK : 0,
                                                          .taken = true,
                                                          .has_target = true});
            cairn_brbe_cycles(&b->brbe, secret);
        }
        cairn_brbe_transaction_start(&b->brbe, &now);
        if (secret & 1)
            cairn_brbe_transaction_fail(&b->brbe, &now);
        else
            cairn_brbe_transaction_commit(&b->brbe);
        bench_return(b, 1, secret + 0x640, 0x1104);
        cairn_brbe_cycles(&b->brbe, 5);
        const struct cairn_brbe_side back = bench_now(b);
        cairn_brbe_branch(&b->brbe, &back,
                          &(struct cairn_brbe_branch){.source = 0x1000,
                                                      .target = 0x1800,
                                                      .kind = CAIRN_INSN_BRANCH_DIRECT,
                                                      .taken = true,
                                                      .has_target = true});
    }
}

static void nothing_leaks(void **state)
{
    static struct bench one, other;

    (void)state;
    through_a_secret(&one, 0x40000001);
    /* proves: I_NVWPM */
    assert_int_equal(bench_valid(&one), 12);
    for (uint64_t secret = 0; secret < 40; secret++) {
        through_a_secret(&other, secret * 0x1004 + 3);
        for (unsigned n = 0; n < 32; n++) {
            const struct cairn_branch_registers a = cairn_brbe_record(&one.brbe, n);
            const struct cairn_branch_registers b = cairn_brbe_record(&other.brbe, n);
            /* proves: R_YGGSC */
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(EL2),         cmocka_unit_test(EL1),           cmocka_unit_test(EL0),
        cmocka_unit_test(EL3),         cmocka_unit_test(controls),      cmocka_unit_test(aarch32),
        cmocka_unit_test(debug_state), cmocka_unit_test(nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
