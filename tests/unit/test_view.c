/* SPDX-License-Identifier: BSD-2-Clause */
/* ViewInst in a whole unit: what is traced and what is not (DDI0608 D1.6, D6.8). */
#include "conformance/bench.h"

/* Start and stop points, inactive at first. */
#define START_STOP(start, stop)                                                                    \
    "TRCACVR0=" start " TRCACVR1=" stop " TRCVISSCTLR=0x00020001 TRCVICTLR=1 "

static bool is_active(struct bench *b)
{
    return read_register(b, "TRCVICTLR") >> 9 & 1;
}

/* A block of A64 instructions that ends in a conditional branch to `target`. */
static void block(struct bench *b, uint64_t address, uint32_t count, uint64_t target, int taken)
{
    struct cairn_block block = {.address = address,
                                .target = target,
                                .size = 4 * count,
                                .count = count,
                                .flags = CAIRN_INSN_CONDITIONAL,
                                .isa = CAIRN_ISA_A64,
                                .kind = CAIRN_INSN_BRANCH_DIRECT,
                                .last_size = 4,
                                .target_isa = CAIRN_ISA_A64};

    cairn_unit_execute(b->unit, &block, taken != 0);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

/* A random program of P0 instructions within 0x1000 to 0x17ff, one a block; what is outside
 * 0x1000 to `last` is not viewed. Writes the words that its trace must be. */
static void run_random(struct bench *b, uint32_t seed, uint64_t last, char *expected, size_t size)
{
    uint64_t address = 0x1000;
    bool first = true, traced = false, indirect = false;
    size_t used = 0;

    expected[0] = '\0';
    for (unsigned i = 0; i < 300; i++) {
        const bool viewed = address <= last;
        const uint64_t target = 0x1000 + 4 * (next_random(&seed) & 0x1ff);
        const uint64_t behind = address + 4 < 0x1800 ? address + 4 : 0x1000;
        const unsigned kind = address + 4 < 0x1800 ? next_random(&seed) % 3 : 1;

        if (viewed && first)
            used += (size_t)snprintf(expected + used, size - used,
                                     "SYNC INFO ON CTX(EL1n) ADDR(%x)", (unsigned)address);
        else if (viewed && !traced)
            used +=
                (size_t)snprintf(expected + used, size - used, " ON ADDR(%x)", (unsigned)address);
        else if (viewed && indirect)
            used += (size_t)snprintf(expected + used, size - used, " ADDR(%x)", (unsigned)address);
        if (viewed)
            used += (size_t)snprintf(expected + used, size - used, kind == 0 ? " N" : " E");
        first = first && !viewed;
        traced = viewed;
        indirect = kind == 2;
        if (kind == 2)
            jump(b, address);
        else
            branch(b, address, target, kind == 0 ? NOT_TAKEN : TAKEN);
        address = kind == 0 ? behind : target;
    }
}

static void test_everything(void **state)
{
    static char expected[BENCH_TEXT];

    (void)state;
    for (uint32_t seed = 1; seed < 6; seed++) {
        struct bench b;

        bench_begin(&b, "TRCSYNCPR=0");
        run_random(&b, seed, 0x17ff, expected, sizeof(expected));
        /* proves: R_MTLFH */
        assert_trace(&b, expected);
        bench_end(&b);
    }
}

static void test_what_is_viewed(void **state)
{
    static char expected[BENCH_TEXT];

    (void)state;
    for (uint32_t seed = 1; seed < 6; seed++) {
        struct bench b;

        bench_begin(&b, "TRCSYNCPR=0 " ONLY("0x1000", "0x13fc"));
        run_random(&b, seed, 0x13ff, expected, sizeof(expected));
        /* proves: R_MTLFH, R_BZXFH */
        assert_trace(&b, expected);
        bench_end(&b);
    }
}

/* Overflows the unit: nothing drains while no cycles go by. Continues at 0x1000. */
static void overflow(struct bench *b)
{
    struct cairn_unit_counters counters = {.size = sizeof(counters)};

    for (unsigned i = 0; counters.overflows == 0 && i < 10000; i++) {
        jump(b, 0x1000);
        jump(b, 0x1010);
        cairn_unit_counters(b->unit, &counters);
    }
    assert_int_equal(counters.overflows, 1);
}

static void test_view_in_overflow(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "fifo=256 drain=16 " START_STOP("0x1000", "0x2000"));
    overflow(&b);
    branch(&b, 0x2000, 0x3000, TAKEN); /* stop */
    cycles(&b, 10000);
    bench_trace(&b);
    branch(&b, 0x3000, 0x4000, TAKEN);
    /* proves: R_MFNB, R_MVFYN */
    assert_trace(&b, "");
    bench_end(&b);

    bench_begin(&b, "fifo=256 drain=16 " START_STOP("0x1000", "0x2000"));
    overflow(&b);
    branch(&b, 0x2000, 0x1000, TAKEN); /* stop */
    branch(&b, 0x1000, 0x3000, TAKEN); /* start */
    cycles(&b, 10000);
    bench_trace(&b);
    branch(&b, 0x3000, 0x4000, TAKEN);
    const char *text = bench_trace(&b);
    /* proves: R_MFNB */
    assert_int_equal(bench_count(text, "ADDR(3000)"), 1);
    bench_end(&b);
}

/* A block has waited for its P0 element since before the overflow: that is lost, and what follows it does not have
 * to be traced for it. */
static void test_next_p0_lost(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof(counters)};
    struct bench b;

    (void)state;
    bench_begin(&b, "fifo=256 drain=16 " ONLY("0x1000", "0x1010"));
    do {
        cairn_unit_counters(b.unit, &counters);
        assert_int_equal(counters.overflows, 0);
        jump(&b, 0x1014);
        code(&b, 0x1000, 1);
        jump(&b, 0x1004); /* here, or not at all */
        cairn_unit_counters(b.unit, &counters);
        code(&b, 0x1010, 1);
    } while (counters.overflows == 0);
    cycles(&b, 10000);
    bench_trace(&b);
    code(&b, 0x1014, 1); /* not viewed */
    branch(&b, 0x1018, 0x3000, TAKEN);
    /* proves: R_KHDNX, R_BZXFH */
    assert_trace(&b, "");
    bench_end(&b);
}

/* Four terms, and the two states in which they do not matter. */
static void test_view_terms(void **state)
{
    (void)state;
    for (unsigned terms = 0; terms < 16; terms++) {
        for (int where = 0; where < 3; where++) {
            struct bench b;
            char text[256];

            snprintf(
                text, sizeof(text), "TRCACVR0=0x1000 TRCACVR1=0x1000 TRCVIIECTLR=%s TRCVICTLR=%u",
                terms & 1 ? "1" : "0x10000",
                (terms & 2 ? 1u : 0u) | (terms & 4 ? 0x200u : 0u) | (terms & 8 ? 0u : 0x200000u));
            bench_begin(&b, text);
            if (where == 1)
                cairn_unit_prohibit(b.unit, true);
            if (where == 2)
                cairn_unit_debug_state(b.unit, true);
            branch(&b, 0x1000, 0x3000, TAKEN);
            /* proves: R_GQFSB */
            assert_trace(&b, terms == 15 && where == 0 ? BEGIN("1000") " E" : "");
            bench_end(&b);
        }
    }
}

/* One instruction is viewed, and no P0 element can tell it but one of instructions that are not. */
static void test_next_p0(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, ONLY("0x1000", "0x1000"));
    branch(&b, 0x0ff8, 0x2000, NOT_TAKEN);
    code(&b, 0x0ffc, 1);
    code(&b, 0x1000, 1);
    code(&b, 0x1004, 1);
    branch(&b, 0x1008, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, TAKEN);
    /* proves: R_KHDNX, I_MJMCV, I_VFYXG */
    assert_trace(&b, BEGIN("1000") " E");
    bench_end(&b);

    bench_begin(&b, ONLY("0x1000", "0x1000"));
    code(&b, 0x1000, 1);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1004);
    branch(&b, 0x8000, 0x9000, TAKEN);
    /* proves: R_KHDNX, I_VFYXG */
    assert_trace(&b, BEGIN("1000") " EXC(IRQ,1004)");
    bench_end(&b);
}

/* External input 0 through resource selector 2. */
#define BY_INPUT "TRCVICTLR=0x202 TRCRSCTLR2=1 "

static void test_event_of_the_cycle(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, BY_INPUT);
    for (unsigned i = 0; i < 4; i++) {
        cairn_unit_inputs(b.unit, i & 1);
        branch(&b, 0x1000 + 4 * i, 0x3000, NOT_TAKEN);
        cycles(&b, 1);
    }
    /* proves: R_NBKRP, R_BQWNP */
    assert_trace(&b, BEGIN("1004") " N ON ADDR(100c) N");
    bench_end(&b);
}

static void test_event_without_block(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, BY_INPUT);
    branch(&b, 0x1000, 0x3000, NOT_TAKEN);
    cycles(&b, 1);
    cairn_unit_inputs(b.unit, 1);
    cycles(&b, 3);
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 1);
    branch(&b, 0x1004, 0x3000, NOT_TAKEN);
    /* proves: R_SRMMD */
    assert_trace(&b, "");
    cairn_unit_inputs(b.unit, 1);
    branch(&b, 0x1008, 0x3000, NOT_TAKEN);
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 5);
    cairn_unit_inputs(b.unit, 1);
    branch(&b, 0x100c, 0x3000, NOT_TAKEN);
    /* proves: R_SRMMD */
    assert_trace(&b, BEGIN("1008") " N N");
    bench_end(&b);
}

static void test_levels(void **state)
{
    static const char *const names[] = {"EL0s", "EL1s", "EL2s", "EL3s", "EL0n", "EL1n", "EL2n"};

    (void)state;
    for (unsigned out = 0; out < 7; out++) {
        struct bench b;
        char text[64], expected[512] = "SYNC INFO";
        bool gap = true;

        snprintf(text, sizeof(text), "TRCVICTLR=%u", 0x201u | 1u << (16 + out));
        bench_begin(&b, text);
        for (unsigned i = 0; i < 7; i++) {
            size_t used = strlen(expected);

            level(&b, names[i]);
            branch(&b, 0x1000 + 4 * i, 0x3000, NOT_TAKEN);
            if (i == out) {
                gap = true;
                continue;
            }
            if (gap)
                snprintf(expected + used, sizeof(expected) - used, " ON CTX(%s) ADDR(%x) N",
                         names[i], 0x1000 + 4 * i);
            else
                snprintf(expected + used, sizeof(expected) - used, " CTX(%s) N", names[i]);
            gap = false;
        }
        /* proves: R_LWYJR */
        assert_trace(&b, expected);
        bench_end(&b);
    }
}

/* --- start and stop --- */

static void test_points(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, START_STOP("0x1004", "0x2000"));
    branch(&b, 0x1000, 0x3000, NOT_TAKEN);
    branch(&b, 0x1004, 0x2000, TAKEN); /* start */
    branch(&b, 0x2000, 0x3000, TAKEN); /* stop */
    branch(&b, 0x3000, 0x4000, TAKEN);
    branch(&b, 0x4000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, TAKEN); /* stop */
    /* proves: R_LMQPR, R_BWXL, R_MVDJT, R_CDFBP */
    assert_trace(&b, BEGIN("1004") " E E");
    bench_end(&b);
}

static void test_points_in_blocks(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, START_STOP("0x1008", "0x2004"));
    block(&b, 0x1000, 4, 0x2000, TAKEN); /* a start inside */
    block(&b, 0x2000, 4, 0x3000, TAKEN); /* a stop inside */
    block(&b, 0x3000, 4, 0x1000, TAKEN);
    /* proves: R_PTTKL, R_WJLMR, R_NFDCZ */
    assert_trace(&b, BEGIN("1000") " E E");
    block(&b, 0x1000, 4, 0x2000, TAKEN);
    block(&b, 0x2000, 4, 0x1000, TAKEN);
    block(&b, 0x1000, 4, 0x2000, TAKEN); /* a start directly behind the stop */
    /* proves: R_WJLMR */
    assert_trace(&b, "ON ADDR(1000) E E E");
    bench_end(&b);
}

/* Both in one block: the later one counts for the next block. */
static void test_points_in_one_block(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, START_STOP("0x1004", "0x1008"));
    block(&b, 0x1000, 4, 0x3000, TAKEN);
    block(&b, 0x3000, 4, 0x4000, TAKEN);
    /* proves: R_SMGJZ */
    assert_trace(&b, BEGIN("1000") " E");
    bench_end(&b);

    bench_begin(&b, "TRCACVR0=0x1004 TRCACVR1=0x1008 TRCVISSCTLR=0x00010002 TRCVICTLR=1");
    block(&b, 0x1000, 4, 0x3000, TAKEN); /* stop, then start */
    block(&b, 0x3000, 4, 0x4000, TAKEN);
    /* proves: R_SMGJZ */
    assert_trace(&b, BEGIN("1000") " E E");
    bench_end(&b);
}

/* What passes the points without executing there. */
static void test_no_effect(void **state)
{
    struct bench b;

    (void)state;
    for (int active = 0; active < 2; active++) {
        /* The points are where what must not matter happens: of the other kind each time. */
        uint64_t point = active ? 0x2000 : 0x1000;

        bench_begin(&b, START_STOP("0x1000", "0x2000"));
        branch(&b, active ? 0x1000 : 0x2000, point, TAKEN);
        exception(&b, CAIRN_EXCEPTION_IRQ, point);
        code(&b, 0x8000, 1);
        /* proves: R_MVFYN */
        assert_int_equal(is_active(&b), active);
        exception(&b, CAIRN_EXCEPTION_DEBUG_HALT, 0x8004);
        cairn_unit_debug_state(b.unit, true);
        branch(&b, point, 0x8004, TAKEN);
        cairn_unit_debug_state(b.unit, false);
        code(&b, 0x8004, 1);
        /* proves: R_MVFYN, R_TGFHM */
        assert_int_equal(is_active(&b), active);
        cairn_unit_prohibit(b.unit, true);
        branch(&b, point, 0x8008, TAKEN);
        cairn_unit_prohibit(b.unit, false);
        code(&b, 0x8008, 1);
        /* proves: R_MVFYN */
        assert_int_equal(is_active(&b), active);
        branch(&b, point, 0x8008, TAKEN);
        assert_int_equal(is_active(&b), !active);
        bench_end(&b);
    }

    bench_begin(&b, "fifo=256 drain=16 " START_STOP("0x1000", "0x2000"));
    overflow(&b);
    /* proves: R_MVFYN */
    assert_true(is_active(&b));
    cycles(&b, 10000);
    code(&b, 0x3000, 1);
    /* proves: R_MVFYN */
    assert_true(is_active(&b));
    bench_end(&b);
}

static void test_speculated_points(void **state)
{
    (void)state;
    for (int active = 0; active < 2; active++) {
        struct bench b;
        uint64_t point = active ? 0x2000 : 0x1000;
        uint64_t before;

        bench_begin(&b, "MAXSPEC=8 " START_STOP("0x1000", "0x2000"));
        branch(&b, active ? 0x1000 : 0x2000, 0x4000, TAKEN);
        speculate(&b);
        before = mark(&b);
        code(&b, 0x4000, 1);
        branch(&b, point, 0x4000, TAKEN);
        assert_int_equal(is_active(&b), !active);
        branch(&b, 0x4000, 0x5000, TAKEN);
        cancel(&b, before);
        /* proves: R_HYLDM */
        assert_int_equal(is_active(&b), active);
        bench_trace(&b);
        branch(&b, 0x4000, 0x6000, TAKEN);
        branch(&b, 0x6000, 0x7000, TAKEN);
        /* proves: R_HYLDM */
        assert_int_equal(bench_count(bench_trace(&b), "E"), active ? 2 : 0);
        bench_end(&b);
    }
}

/* The feed goes back to where the unit was disabled. */
static void test_speculation_before_enabling(void **state)
{
    (void)state;
    for (int active = 0; active < 2; active++) {
        struct bench b;
        uint64_t before;

        bench_open(&b, "MAXSPEC=8 " START_STOP("0x1000", "0x2000"));
        write_register(&b, "TRCVICTLR", active ? 0x201 : 0x001);
        speculate(&b);
        before = mark(&b);
        branch(&b, 0x4000, 0x5000, TAKEN);
        cairn_unit_enable(b.unit);
        level(&b, "EL1n");
        branch(&b, active ? 0x2000 : 0x1000, 0x5000, TAKEN);
        branch(&b, 0x5000, 0x6000, TAKEN);
        assert_int_equal(is_active(&b), !active);
        cancel(&b, before);
        /* proves: R_HMKSZ */
        assert_int_equal(is_active(&b), active);
        bench_end(&b);
    }
}

static void test_failed_transaction(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, START_STOP("0x1000", "0x2000"));
    tstart(&b, 0x1000); /* a start point, and not undone */
    branch(&b, 0x1004, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, TAKEN); /* stop */
    assert_false(is_active(&b));
    cairn_unit_transaction_fail(b.unit);
    /* proves: R_CYQZV */
    assert_true(is_active(&b));
    branch(&b, 0x1004, 0x4000, TAKEN);
    assert_true(is_active(&b));
    bench_end(&b);

    bench_begin(&b, START_STOP("0x1000", "0x2000"));
    tstart(&b, 0x4000);
    branch(&b, 0x4004, 0x1000, TAKEN);
    branch(&b, 0x1000, 0x3000, TAKEN); /* start */
    assert_true(is_active(&b));
    cairn_unit_transaction_fail(b.unit);
    /* proves: R_CYQZV */
    assert_false(is_active(&b));
    bench_end(&b);
}

static void test_transaction_before_enabling(void **state)
{
    (void)state;
    for (int active = 0; active < 2; active++) {
        struct bench b;

        bench_open(&b, START_STOP("0x1000", "0x2000"));
        write_register(&b, "TRCVICTLR", active ? 0x201 : 0x001);
        tstart(&b, 0x3000);
        cairn_unit_enable(b.unit);
        level(&b, "EL1n");
        branch(&b, active ? 0x2000 : 0x1000, 0x5000, TAKEN);
        assert_int_equal(is_active(&b), !active);
        cairn_unit_transaction_fail(b.unit);
        /* proves: R_ZBTPF */
        assert_int_equal(is_active(&b), active);
        bench_end(&b);
    }
}

/* --- include and exclude --- */

static void test_ranges_and_blocks(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, ONLY("0x100c", "0x10fc"));
    block(&b, 0x1000, 4, 0x2000, TAKEN);
    block(&b, 0x2000, 4, 0x1000, TAKEN);
    block(&b, 0x1000, 3, 0x2000, TAKEN);
    /* proves: R_RNPWD */
    assert_trace(&b, BEGIN("1000") " E");
    bench_end(&b);

    bench_begin(&b, "TRCACVR0=0x1000 TRCACVR1=0x1008 TRCVIIECTLR=0x10000");
    block(&b, 0x1000, 4, 0x1004, TAKEN); /* the last one remains */
    block(&b, 0x1004, 2, 0x1000, TAKEN); /* none does */
    block(&b, 0x1000, 3, 0x0ffc, TAKEN); /* none does */
    block(&b, 0x0ffc, 4, 0x2000, TAKEN); /* the first one remains */
    /* proves: R_PLCQJ */
    assert_trace(&b, BEGIN("1000") " E ON ADDR(ffc) E");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_what_is_viewed),
        cmocka_unit_test(test_view_in_overflow),
        cmocka_unit_test(test_view_terms),
        cmocka_unit_test(test_next_p0),
        cmocka_unit_test(test_next_p0_lost),
        cmocka_unit_test(test_event_of_the_cycle),
        cmocka_unit_test(test_event_without_block),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_points_in_blocks),
        cmocka_unit_test(test_points_in_one_block),
        cmocka_unit_test(test_no_effect),
        cmocka_unit_test(test_speculated_points),
        cmocka_unit_test(test_speculation_before_enabling),
        cmocka_unit_test(test_failed_transaction),
        cmocka_unit_test(test_transaction_before_enabling),
        cmocka_unit_test(test_ranges_and_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
