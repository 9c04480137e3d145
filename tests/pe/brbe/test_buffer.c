/* SPDX-License-Identifier: BSD-2-Clause */
/* The Branch record buffer storage: sizes, order, banks, loss, save and restore, reset (DDI0608 F1.1.11,
 * F1.1.13). */
#include "bench.h"

static const uint8_t sizes[] = {8, 16, 32, 64};

static void begin(struct bench *b, unsigned records)
{
    bench_begin(b);
    b->features.records = (uint8_t)records;
    bench_restart(b);
}

static void which_sizes(void **state)
{
    struct bench b;
    unsigned good = 0;

    (void)state;
    bench_begin(&b);
    for (unsigned records = 0; records < 256; records++) {
        b.features.records = (uint8_t)records;
        const bool fits = records == 8 || records == 16 || records == 32 || records == 64;
        /* proves: I_FBHCC */
        assert_int_equal(cairn_brbe_begin(&b.brbe, &b.features, NULL, NULL),
                         fits ? CAIRN_OK : CAIRN_E_CONFIG);
        good += fits;
    }
    assert_int_equal(good, 4);
    b.features.records = 32;
    b.features.brbe = 0;
    assert_int_equal(cairn_brbe_begin(&b.brbe, &b.features, NULL, NULL), CAIRN_E_CONFIG);
    b.features.brbe = 1;
    b.features.counters = 32;
    assert_int_equal(cairn_brbe_begin(&b.brbe, &b.features, NULL, NULL), CAIRN_E_CONFIG);
}

/* What BRBIDR0_EL1 says is what there is room for. */
static void as_it_says(void **state)
{
    struct bench b;

    (void)state;
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        begin(&b, sizes[k]);
        for (unsigned i = 0; i < 200; i++)
            bench_b(&b, 0x1000);
        const uint64_t BRBIDR0 = cairn_brbe_identity(&b.features);
        /* proves: R_KSLSM */
        assert_int_equal(bench_valid(&b), BRBIDR0 & 0xff);
        assert_int_equal(BRBIDR0 >> 8, 0x50);
    }
}

/* ID_AA64DFR0_EL1.BRBE, bits 55:52, between others of no matter. */
static void versions(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 16; code++) {
        const uint64_t value = (uint64_t)code << 52 | ~(UINT64_C(0xf) << 52);
        /* proves: I_FKLJM */
        assert_int_equal(cairn_brbe_version(value) >= 1, code >= 1);
        /* proves: I_GFXY */
        assert_int_equal(cairn_brbe_version(value) >= 2, code >= 2);
        assert_in_range(cairn_brbe_version(value), 0, 2);
    }
    assert_int_equal(cairn_brbe_version(UINT64_C(1) << 52), 1);
    assert_int_equal(cairn_brbe_version(~(UINT64_C(0xf) << 52)), 0);
}

/* The lowest version and the highest that an architecture allows besides none. */
static bool allows(unsigned major, unsigned minor, unsigned version)
{
    const struct cairn_arch arch = {CAIRN_PROFILE_A, (uint8_t)major, (uint8_t)minor, 0};

    return cairn_brbe_check_version(&arch, version) == CAIRN_OK;
}

static void architectures(void **state)
{
    const struct cairn_arch r = {CAIRN_PROFILE_R, 9, 3, 0}, m = {CAIRN_PROFILE_M, 9, 3, 0};

    (void)state;
    for (unsigned minor = 0; minor < 8; minor++) {
        assert_true(allows(9, minor, 0));
        /* proves: R_VNFCR */
        assert_int_equal(allows(9, minor, 1) || allows(9, minor, 2), minor >= 2);
        /* proves: R_VYMSG */
        assert_int_equal(allows(9, minor, 2), minor >= 3);
        if (minor >= 3)
            /* proves: R_KRBNR */
            assert_false(allows(9, minor, 1));
    }
    assert_true(allows(9, 2, 1));
    assert_false(allows(8, 9, 1));
    assert_false(allows(8, 9, 2));
    assert_true(allows(10, 0, 2));
    assert_false(allows(10, 0, 1));
    assert_false(allows(9, 5, 3));
    assert_int_equal(cairn_brbe_check_version(&r, 2), CAIRN_E_CONFIG);
    assert_int_equal(cairn_brbe_check_version(&m, 2), CAIRN_E_CONFIG);
}

/* Neither a trace unit nor a trace buffer is needed; EL3 recording comes with the second version. */
static void alone(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.features.trbe = false;
    b.features.trace_filter = false;
    b.features.transactions = false;
    b.state.EL = 3;
    for (unsigned version = 1; version <= 2; version++) {
        b.features.brbe = (uint8_t)version;
        /* proves: B1.1.6 */
        assert_int_equal(cairn_brbe_begin(&b.brbe, &b.features, NULL, NULL), CAIRN_OK);
        bench_b(&b, 0x1000);
        /* proves: B1.1.8 */
        assert_int_equal(bench_valid(&b), version == 2);
    }
}

/* Branch i comes from 0x1000 * i. */
static void order(void **state)
{
    struct bench b;

    (void)state;
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        const unsigned most = sizes[k];

        begin(&b, most);
        assert_int_equal(bench_valid(&b), 0);
        for (unsigned i = 1; i <= 3 * most; i++) {
            bench_b(&b, 0x1000 * i);
            const unsigned wanted = i < most ? i : most;
            /* proves: R_SQLCX */
            assert_int_equal(bench_valid(&b), wanted);
            /* proves: R_TJGLK */
            assert_true(bench_record(&b, 0).source == 0x1000 * i);
            for (unsigned n = 0; n < wanted; n++)
                /* proves: R_HTRNR */
                assert_true(bench_record(&b, n).source == 0x1000 * (i - n));
        }
        /* proves: R_DTPDK */
        assert_true(bench_record(&b, most - 1).source == 0x1000 * (2 * most + 1));
    }
}

static void banks(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 64);
    for (unsigned i = 1; i <= 64; i++)
        bench_b(&b, 0x1000 * i);
    for (unsigned n = 0; n < 32; n++) {
        /* proves: R_WLSWP */
        assert_true(cairn_brbe_read(&b.brbe, 0, n, CAIRN_BRBE_SRC) == 0x1000 * (64 - n));
        /* proves: R_WRJLW */
        assert_true(cairn_brbe_read(&b.brbe, 1, n, CAIRN_BRBE_SRC) == 0x1000 * (32 - n));
    }
    assert_int_equal(b.findings, 0);
    assert_true(cairn_brbe_read(&b.brbe, 2, 0, CAIRN_BRBE_SRC) == 0);
    assert_int_equal(b.findings, 1u << CAIRN_BRBE_RESERVED_BANK);
    assert_true(cairn_brbe_read(&b.brbe, 0, 32, CAIRN_BRBE_SRC) == 0);
}

static void not_there(void **state)
{
    struct bench b;

    (void)state;
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        begin(&b, sizes[k]);
        for (unsigned i = 0; i < 100; i++)
            bench_b(&b, 0x1000);
        for (unsigned n = sizes[k]; n < 64; n++)
            for (unsigned part = 0; part < CAIRN_BRBE_PARTS; part++)
                /* proves: R_BNGTH */
                assert_true(cairn_brbe_read(&b.brbe, n / 32, n % 32, (enum cairn_brbe_part)part) ==
                            0);
    }
}

/* A record that was due and could not be captured takes all others with it. */
static void lost(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 16);
    for (unsigned i = 0; i < 5; i++)
        bench_b(&b, 0x1000);
    b.loses = true;
    bench_set(&b, BRBFCR_EL1, BRBFCR_INDIRECT, 1);
    bench_branch(&b, CAIRN_INSN_BRANCH_INDIRECT, 0, 0x1000, 0x2000);
    assert_int_equal(bench_valid(&b), 5); /* that one is filtered */
    bench_b(&b, 0x2000);
    /* proves: R_PMRRL */
    assert_int_equal(bench_valid(&b), 0);
    assert_int_equal(b.captured, 5);
    bench_b(&b, 0x3000);
    assert_int_equal(bench_valid(&b), 1);
}

/* --- save and restore --- */

static unsigned save(struct bench *b, struct cairn_branch_registers *saved)
{
    const unsigned valid = bench_valid(b);

    for (unsigned n = 0; n < valid; n++)
        saved[n] = (struct cairn_branch_registers){
            cairn_brbe_read(&b->brbe, n / 32, n % 32, CAIRN_BRBE_INF),
            cairn_brbe_read(&b->brbe, n / 32, n % 32, CAIRN_BRBE_SRC),
            cairn_brbe_read(&b->brbe, n / 32, n % 32, CAIRN_BRBE_TGT)};
    return valid;
}

/* From one PE to one of any size, where EL2, in which nothing is recorded, restores. */
static void migration(void **state)
{
    struct cairn_branch_registers saved[64], back[64];
    struct bench one, other;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes) * COUNT_OF(sizes); i++) {
        const unsigned from = sizes[i / 4], to = sizes[i % 4];

        begin(&one, from);
        for (unsigned k = 0; k < from; k++) {
            cairn_brbe_cycles(&one.brbe, k * k);
            bench_b(&one, 0x1000 * (k + 1));
            if (k % 5 == 4)
                bench_exception(&one, 1, CAIRN_BRANCH_IRQ, 0x1000 * k, 0x280);
        }
        const unsigned count = save(&one, saved);
        assert_int_equal(count, from);
        begin(&other, to);
        bench_set(&other, BRBCR_EL2, BRBCR_EL2_E2BRE, 0);
        other.state.EL = 2;
        for (unsigned n = count; n-- > 0;)
            bench_inject(&other, &saved[n]);
        const unsigned kept = from < to ? from : to;
        assert_int_equal(save(&other, back), kept);
        if (to < from)
            /* proves: I_QJFSV */
            assert_memory_equal(back, saved, kept * sizeof *back);
        /* proves: I_DXNLX, I_FJHMP */
        assert_memory_equal(back, saved, kept * sizeof *back);
        assert_int_equal(other.findings, 0);
        assert_int_equal(other.captured, 0);
    }
}

static void injection(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 8);
    bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 0);
    const struct cairn_brbe_side now = bench_now(&b);
    cairn_brbe_write_injection(&b.brbe, CAIRN_BRBE_INF, 0x05u << 8 | 3u);
    cairn_brbe_write_injection(&b.brbe, CAIRN_BRBE_SRC, 0x1000);
    cairn_brbe_write_injection(&b.brbe, CAIRN_BRBE_TGT, 0x2000);
    /* proves: R_FYXNL */
    assert_true(cairn_brbe_read_injection(&b.brbe, CAIRN_BRBE_SRC) == 0x1000);
    /* at once, without a synchronization: the values written just now */
    assert_int_equal(cairn_brbe_inject(&b.brbe, &now), 0);
    /* proves: R_PWKFJ */
    assert_true(bench_record(&b, 0).source == 0x1000);
    /* proves: R_XVDNN */
    assert_int_equal(bench_record(&b, 0).type, CAIRN_BRANCH_RETURN);
    /* later writes are of the next one */
    cairn_brbe_write_injection(&b.brbe, CAIRN_BRBE_SRC, 0x5000);
    cairn_brbe_write_injection(&b.brbe, CAIRN_BRBE_INF, 0);
    /* proves: I_TVDMK */
    assert_true(bench_record(&b, 0).source == 0x1000);
    assert_int_equal(bench_valid(&b), 1);
    /* a record that is none */
    cairn_brbe_write_injection(&b.brbe, CAIRN_BRBE_TGT, 0);
    assert_int_equal(cairn_brbe_inject(&b.brbe, &now), 0);
    assert_int_equal(bench_valid(&b), 1);
    assert_int_equal(b.findings, 1u << CAIRN_BRBE_INJECTS_NOTHING);
}

static void unknown_afterwards(void **state)
{
    const struct cairn_branch_registers record = {3, 4, 8};
    struct bench b;

    (void)state;
    bench_begin(&b);
    b.options.unknown = UINT64_C(0xdeadbeefdeadbeef);
    bench_restart(&b);
    bench_set(&b, BRBCR_EL1, BRBCR_EL1_E1BRE, 0);
    for (unsigned part = 0; part < CAIRN_BRBE_PARTS; part++)
        assert_true(cairn_brbe_read_injection(&b.brbe, (enum cairn_brbe_part)part) ==
                    UINT64_C(0xdeadbeefdeadbeef));
    bench_inject(&b, &record);
    for (unsigned part = 0; part < CAIRN_BRBE_PARTS; part++)
        /* proves: R_LKDTJ */
        assert_true(cairn_brbe_read_injection(&b.brbe, (enum cairn_brbe_part)part) ==
                    UINT64_C(0xdeadbeefdeadbeef));
    assert_int_equal(b.findings, 0);
    /* two of three written anew */
    const struct cairn_brbe_side now = bench_now(&b);
    cairn_brbe_write_injection(&b.brbe, CAIRN_BRBE_INF, 3);
    cairn_brbe_write_injection(&b.brbe, CAIRN_BRBE_TGT, 8);
    assert_int_equal(cairn_brbe_inject(&b.brbe, &now), 0);
    /* proves: R_LKDTJ */
    assert_int_equal(b.findings, 1u << CAIRN_BRBE_INJECTS_UNKNOWN);
}

/* --- Debug state, reset --- */

static void in_debug_state(void **state)
{
    const struct cairn_branch_registers record = {3, 4, 8};
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_b(&b, 0x1000);
    bench_halt(&b, 0x1100);
    bench_inject(&b, &record);
    /* proves: R_BRFKL */
    assert_int_equal(bench_valid(&b), 3);
    assert_true(bench_record(&b, 0).source == 4);
    const struct cairn_brbe_side now = bench_now(&b);
    assert_int_equal(cairn_brbe_invalidate(&b.brbe, &now), 0);
    /* proves: R_MPTNR */
    assert_int_equal(bench_valid(&b), 0);
}

/* E3BREC goes with a Cold reset, E3BREW with a Warm one, and with a Cold one, which is one too. */
static void resets(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned E3BREC = i & 1, E3BREW = i >> 1 & 1, cold = i >> 2;

        bench_begin(&b);
        bench_set(&b, MDCR_EL3, MDCR_EL3_E3BREC, E3BREC);
        bench_set(&b, MDCR_EL3, MDCR_EL3_E3BREW, E3BREW);
        cairn_brbe_reset(&b.brbe, &b.registers, cold);
        /* proves: X_FFPJPO */
        assert_int_equal(b.registers.value[CAIRN_PE_MDCR_EL3] >> 38 & 1, cold ? 0 : E3BREC);
        /* proves: X_FFPJPO */
        assert_int_equal(b.registers.value[CAIRN_PE_MDCR_EL3] >> 37 & 1, 0);
        /* recording goes on exactly if it was kept so */
        assert_int_equal(cairn_brbe_records_EL3(&b.features, &b.registers), !cold && E3BREC);
    }
}

static void controls_at_reset(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t unknown = i & 1 ? ~UINT64_C(0) : 0;

        bench_begin(&b);
        b.options.unknown = unknown;
        bench_restart(&b);
        bench_control(&b, 0x100c0);
        const uint64_t before = b.registers.value[CAIRN_PE_BRBCR_EL1];
        cairn_brbe_reset(&b.brbe, &b.registers, i & 2);
        /* proves: I_NZMWQ */
        assert_true(b.registers.value[CAIRN_PE_BRBCR_EL1] == (i & 2 ? unknown : before));
        assert_true(b.registers.value[CAIRN_PE_BRBCR_EL2] == (i & 2 ? unknown : before));
        assert_int_equal(b.registers.value[CAIRN_PE_BRBFCR_EL1] >> 16 & 0xff,
                         i & 2 ? unknown & 0xff : 1);
        /* proves: I_NZMWQ */
        assert_int_equal(bench_paused(&b), i & 2 ? i & 1 : 1);
        assert_int_equal(b.brbe.last_failed, i & 2 ? i & 1 : 1);
    }
}

/* Of PAUSED and LASTFAILED each its own bit; and nothing that was begun goes on. */
static void begun_before_reset(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        bench_begin(&b);
        b.options.unknown = i ? 0x80 : 0x40;
        bench_restart(&b);
        cairn_brbe_reset(&b.brbe, &b.registers, true);
        assert_int_equal(b.brbe.paused, i);
        assert_int_equal(b.brbe.last_failed, !i);
    }
    bench_begin(&b);
    const struct cairn_brbe_side now = bench_now(&b);
    const struct cairn_brbe_branch branch = {
        .source = 0x1000, .kind = CAIRN_INSN_BRANCH_INDIRECT, .taken = true};
    cairn_brbe_branch(&b.brbe, &now, &branch);
    cairn_brbe_transaction_start(&b.brbe, &now);
    cairn_brbe_branch(&b.brbe, &now, &branch);
    cairn_brbe_reset(&b.brbe, &b.registers, false);
    cairn_brbe_target(&b.brbe, &now, 0x2000);
    assert_int_equal(bench_valid(&b), 0);
    cairn_brbe_transaction_fail(&b.brbe, &now);
    assert_false(b.brbe.last_failed);
    bench_b(&b, 0x1000);
    assert_int_equal(bench_record(&b, 0).flags & CAIRN_BRANCH_CYCLES_UNKNOWN,
                     CAIRN_BRANCH_CYCLES_UNKNOWN);
    bench_b(&b, 0x1000);
    cairn_brbe_reset(&b.brbe, &b.registers, false);
    bench_b(&b, 0x1000);
    assert_int_equal(bench_record(&b, 0).flags & CAIRN_BRANCH_CYCLES_UNKNOWN,
                     CAIRN_BRANCH_CYCLES_UNKNOWN);
}

/* A host that wants to know nothing: what it cannot say is 0. */
static void without_a_host(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    assert_int_equal(cairn_brbe_begin(&b.brbe, &b.features, NULL, NULL), CAIRN_OK);
    bench_set(&b, BRBCR_EL1, BRBCR_FZP, 1);
    bench_b(&b, 0x1000);
    b.brbe.timestamp = 5;
    bench_overflow(&b, 1);
    assert_true(bench_paused(&b));
    assert_true(b.brbe.timestamp == 0);
    assert_int_equal(bench_valid(&b), 1);
}

/* Records from before a reset are there, and reading them is told; BRB IALL makes it right. */
static void leak_at_reset(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_b(&b, 0x1000);
    bench_b(&b, 0x2000);
    cairn_brbe_reset(&b.brbe, &b.registers, false);
    bench_b(&b, 0x3000);
    assert_true(cairn_brbe_read(&b.brbe, 0, 0, CAIRN_BRBE_SRC) == 0x3000);
    assert_int_equal(b.findings, 0);
    assert_true(cairn_brbe_read(&b.brbe, 0, 1, CAIRN_BRBE_SRC) == 0x2000);
    /* proves: S_YLMQQ */
    assert_int_equal(b.findings, 1u << CAIRN_BRBE_READS_OLD);
    b.findings = 0;
    const struct cairn_brbe_side now = bench_now(&b);
    assert_int_equal(cairn_brbe_invalidate(&b.brbe, &now), 0);
    bench_b(&b, 0x4000);
    assert_int_equal(bench_valid(&b), 1);
    /* proves: S_YLMQQ */
    assert_int_equal(b.findings, 0);
}

/* Old records are lost first; when all are gone, none is told of. */
static void old_ones_go(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 8);
    for (unsigned i = 0; i < 8; i++)
        bench_b(&b, 0x1000);
    cairn_brbe_reset(&b.brbe, &b.registers, false);
    for (unsigned i = 1; i <= 8; i++) {
        bench_b(&b, 0x2000);
        b.findings = 0;
        cairn_brbe_read(&b.brbe, 0, i - 1, CAIRN_BRBE_SRC);
        assert_int_equal(b.findings, 0);
        cairn_brbe_read(&b.brbe, 0, i % 8, CAIRN_BRBE_SRC);
        assert_int_equal(b.findings, i < 8 ? 1u << CAIRN_BRBE_READS_OLD : 0);
    }
}

/* EL3 recording with controls that no one has written. */
static void unprogrammed(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned written = 0; written < 8; written++) {
        bench_begin(&b);
        b.options.unknown = 0xc0007b; /* as good as any, EXCEPTION and ERTN set */
        bench_restart(&b);
        cairn_brbe_reset(&b.brbe, &b.registers, true);
        bench_set(&b, MDCR_EL3, MDCR_EL3_E3BREC, 1);
        b.state.EL = 3;
        if (written & 1)
            cairn_brbe_programmed(&b.brbe, CAIRN_PE_BRBCR_EL1);
        if (written & 2)
            cairn_brbe_programmed(&b.brbe, CAIRN_PE_BRBCR_EL2);
        if (written & 4)
            bench_control(&b, 0x10000);
        bench_return(&b, 3, 0x1000, 0x2000);
        assert_int_equal(bench_valid(&b), 1);
        /* proves: S_GCYTK */
        assert_int_equal(b.findings, written == 7 ? 0 : 1u << CAIRN_BRBE_NOT_PROGRAMMED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_sizes),
        cmocka_unit_test(as_it_says),
        cmocka_unit_test(versions),
        cmocka_unit_test(architectures),
        cmocka_unit_test(alone),
        cmocka_unit_test(order),
        cmocka_unit_test(banks),
        cmocka_unit_test(not_there),
        cmocka_unit_test(lost),
        cmocka_unit_test(migration),
        cmocka_unit_test(injection),
        cmocka_unit_test(unknown_afterwards),
        cmocka_unit_test(in_debug_state),
        cmocka_unit_test(resets),
        cmocka_unit_test(controls_at_reset),
        cmocka_unit_test(leak_at_reset),
        cmocka_unit_test(unprogrammed),
        cmocka_unit_test(old_ones_go),
        cmocka_unit_test(begun_before_reset),
        cmocka_unit_test(without_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
