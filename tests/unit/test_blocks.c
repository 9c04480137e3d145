/* SPDX-License-Identifier: BSD-2-Clause */
/* Instruction blocks, what a unit observes of them, and branch broadcasting: DDI0608 D6.6, D6.10.1.
 */
#include "conformance/bench.h"

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Instructions of a random program, many of them branches. */
static void random_code(enum cairn_isa isa, uint32_t *seed, uint8_t *bytes, size_t size)
{
    static const uint32_t a64[] = {0x54000040, 0xd65f03c0, 0x94000010, 0xd5033fdf, 0xb4000061};
    static const uint32_t a32[] = {0x0a000002, 0xe12fff1e, 0xeb000010, 0xe8bd8000, 0xf57ff06f};
    static const uint16_t t32[] = {0xd002, 0x4770, 0xf000, 0xf810, 0xbd00};

    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word = next_random(seed) << 8 ^ next_random(seed);
        uint32_t which = next_random(seed) % 15;

        if (which < 5 && isa == CAIRN_ISA_A64)
            word = a64[which];
        else if (which < 5 && isa == CAIRN_ISA_A32)
            word = a32[which];
        else if (which < 5)
            word = (word & 0xffff0000u) | t32[which];
        memcpy(bytes + i, &word, 4);
    }
}

static bool is_p0(const struct cairn_insn *insn)
{
    return insn->kind == CAIRN_INSN_BRANCH_DIRECT || insn->kind == CAIRN_INSN_BRANCH_INDIRECT ||
           insn->kind == CAIRN_INSN_ISB || insn->kind == CAIRN_INSN_TSTART;
}

/* A block against a walk over the same bytes. */
static void check_block(const struct cairn_block *block, const struct cairn_arch *arch,
                        const uint8_t *bytes, size_t size)
{
    struct cairn_insn insn = {0};
    uint32_t offset = 0, count = 0, p0 = 0;
    uint32_t last_p0 = 0;

    while (offset < block->size) {
        unsigned length = cairn_insn_decode(arch, block->isa, block->address + offset,
                                            bytes + offset, size - offset, &insn);
        assert_int_not_equal(length, 0);
        offset += length;
        count++;
        if (is_p0(&insn)) {
            p0++;
            last_p0 = offset;
        }
    }
    /* proves: R_BQTL */
    assert_true(count >= 1 && block->count == count);
    /* proves: R_GDZBX */
    assert_true(p0 <= 1);
    /* proves: R_CVJQH */
    assert_true(p0 == 0 || last_p0 == block->size);
    /* proves: R_LDJXZ */
    assert_int_equal(offset, block->size);
    assert_int_equal(block->last_size, insn.size);
    assert_int_equal(block->kind, p0 ? insn.kind : CAIRN_INSN_OTHER);
    if (p0) {
        assert_int_equal(block->flags, insn.flags);
        assert_true(block->target == insn.target);
    }
}

static void test_scan(void **state)
{
    static const enum cairn_isa isas[] = {CAIRN_ISA_A64, CAIRN_ISA_A32, CAIRN_ISA_T32};
    uint8_t bytes[256];
    uint32_t seed = 7;
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    for (unsigned round = 0; round < 600; round++) {
        enum cairn_isa isa = isas[round % 3];
        size_t at = 0;

        random_code(isa, &seed, bytes, sizeof(bytes));
        while (at < sizeof(bytes)) {
            struct cairn_block block;
            size_t size = next_random(&seed) % 4 ? sizeof(bytes) - at : next_random(&seed) % 24;
            size_t used;

            if (size > sizeof(bytes) - at)
                size = sizeof(bytes) - at;
            used = cairn_unit_scan(b.unit, isa, 0x10000 + at, bytes + at, size, &block);
            if (used == 0) {
                /* Not one whole instruction: there is no block. */
                assert_true(size < 4);
                at += isa == CAIRN_ISA_T32 ? 2 : 4;
                continue;
            }
            assert_int_equal(used, block.size);
            check_block(&block, &b.options.arch, bytes + at, size);
            at += used;
        }
    }
    bench_end(&b);
}

/* ADD, ADD, ADD, B.EQ at 0x1000. */
static const uint8_t four[16] = {0x00, 0x04, 0x00, 0x91, 0x00, 0x04, 0x00, 0x91,
                                 0x00, 0x04, 0x00, 0x91, 0x40, 0x00, 0x00, 0x54};

/* Executes `count` instructions of the four, from the `from`-th on, as one block. */
static void run_four(struct bench *b, unsigned from, unsigned count, int taken)
{
    struct cairn_block block;
    size_t used = cairn_unit_scan(b->unit, CAIRN_ISA_A64, 0x1000 + 4 * from, four + 4 * from,
                                  4 * count, &block);

    assert_int_equal(used, 4 * count);
    cairn_unit_execute(b->unit, &block, taken != 0);
}

static void test_exception_ends_block(void **state)
{
    (void)state;
    for (unsigned count = 1; count < 4; count++) {
        struct bench b;
        char expected[128];

        bench_begin(&b, "");
        run_four(&b, 0, count, TAKEN);
        exception(&b, CAIRN_EXCEPTION_IRQ, 0x1000 + 4 * count);
        jump(&b, 0x8000);
        run_four(&b, count, 4 - count, NOT_TAKEN);
        snprintf(expected, sizeof(expected), BEGIN("1000") " EXC(IRQ,%x) ADDR(8000) E ADDR(%x) N",
                 0x1000 + 4 * count, 0x1000 + 4 * count);
        /* proves: R_HPJTP */
        assert_trace(&b, expected);
        bench_end(&b);
    }
}

static void test_any_length(void **state)
{
    (void)state;
    for (unsigned cuts = 0; cuts < 8; cuts++) {
        struct bench b;
        unsigned from = 0;

        bench_begin(&b, "");
        for (unsigned i = 1; i <= 4; i++) {
            if (i == 4 || (cuts >> (i - 1) & 1)) {
                run_four(&b, from, i - from, TAKEN);
                from = i;
            }
        }
        jump(&b, 0x1014);
        /* proves: I_JCQHC */
        assert_trace(&b, BEGIN("1000") " E E");
        bench_end(&b);
    }
}

static void test_one_instruction_viewed(void **state)
{
    static const char *const ranges[4] = {ONLY("0x1000", "0x1000"), ONLY("0x1004", "0x1004"),
                                          ONLY("0x1008", "0x1008"), ONLY("0x100c", "0x100c")};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct bench b;

        bench_begin(&b, ranges[i]);
        run_four(&b, 0, 4, TAKEN);
        jump(&b, 0x1014);
        /* One evaluation for the block, which begins at 0x1000. */
        /* proves: R_XPNZL, R_WNGDH */
        assert_trace(&b, BEGIN("1000") " E");
        bench_end(&b);
    }
}

/* --- what is observed --- */

static void test_all_is_observed(void **state)
{
    struct bench b;
    unsigned executed = 0;
    uint32_t seed = 3;

    (void)state;
    /* Nothing is viewed; Event 0 tells of SAC 0. */
    bench_begin(&b, "TRCVICTLR=0x200 TRCRSCTLR2=0x40001 TRCACVR0=0x1000 TRCEVENTCTL0R=2 "
                    "TRCEVENTCTL1R=1 TRCSYNCPR=0");
    for (unsigned i = 0; i < 200; i++) {
        uint32_t what = next_random(&seed) % 4;

        cairn_unit_prohibit(b.unit, what == 3);
        code(&b, what & 1 ? 0x1000 : 0x2000, 1);
        executed += what == 1;
        cycles(&b, 1);
    }
    /* proves: R_QCFSS */
    assert_int_equal(bench_count(bench_trace(&b), "EV0"), executed);
    bench_end(&b);
}

static void test_all_before_synchronization(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    branch(&b, 0x2000, 0x3000, NOT_TAKEN);
    bench_seen(&b);
    code(&b, 0x2004, 2);
    branch(&b, 0x200c, 0x3000, TAKEN);
    isb(&b, 0x3000, TAKEN);
    cairn_unit_prohibit(b.unit, true); /* what the ISB made effective */
    /* proves: R_CDNKX */
    assert_seen(&b, "E E");
    cairn_unit_prohibit(b.unit, false);
    code(&b, 0x3004, 2);
    exception(&b, CAIRN_EXCEPTION_CALL, 0x300c);
    cairn_unit_prohibit(b.unit, true);
    /* proves: R_CDNKX */
    assert_seen(&b, "ON ADDR(3004) EXC(Call,300c)");
    bench_end(&b);
}

static void test_exceptions_are_observed(void **state)
{
    static const unsigned types[] = {0x01, 0x02, 0x03, 0x04, 0x06, 0x07, 0x0a,
                                     0x0b, 0x0c, 0x0e, 0x0f, 0x10, 0x17};
    struct bench b;

    (void)state;
    bench_begin(&b, "TRCSYNCPR=0");
    code(&b, 0x1000, 1);
    for (unsigned i = 0; i < sizeof(types) / sizeof *types; i++) {
        exception(&b, types[i], 0x1004 + 4 * i);
        code(&b, 0x1004 + 4 * i, 1);
        const char *text = bench_trace(&b);
        /* proves: R_QMBKJ */
        assert_int_equal(bench_count(text, "EXC"), 1);
    }
    bench_end(&b);

    /* One that is not traced is observed, too: TRCRSR.TA tells of it. */
    bench_begin(&b, "TRCVICTLR=0x200 TRCRSR=0x1000");
    code(&b, 0x1000, 1);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x1004);
    /* proves: R_QMBKJ */
    assert_int_equal(read_register(&b, "TRCRSR"), 0);
    bench_end(&b);
}

/* Resources run while the unit is enabled, not in low power, and outside Prohibited regions: then
 * selector 1 is TRUE, and Event 0 occurs in each cycle. */
static void test_running(void **state)
{
    (void)state;
    for (unsigned all = 0; all < 8; all++) {
        struct bench b;
        bool enabled = all & 1, low = all & 2, prohibited = all & 4;

        bench_open(&b, "TRCEVENTCTL0R=1 TRCEVENTCTL1R=1 TRCSYNCPR=0");
        if (enabled)
            cairn_unit_enable(b.unit);
        cairn_unit_low_power(b.unit, low);
        cairn_unit_prohibit(b.unit, prohibited);
        bench_trace(&b);
        cycles(&b, 5);
        const char *text = bench_trace(&b);
        /* proves: R_LYFDT, R_SXSQT */
        assert_int_equal(bench_count(text, "EV0"), all == 1 ? 5 : 0);
        if (enabled) {
            cairn_unit_low_power(b.unit, false);
            cairn_unit_prohibit(b.unit, false);
            bench_trace(&b);
            cycles(&b, 2);
            /* proves: R_LYFDT */
            assert_int_equal(bench_count(bench_trace(&b), "EV0"), 2);
        }
        bench_end(&b);
    }
}

/* Low-power Override Mode. */
static void test_low_power_override(void **state)
{
    (void)state;
    for (int override = 0; override < 2; override++) {
        struct bench b;

        bench_begin(&b, override ? "TRCEVENTCTL0R=1 TRCEVENTCTL1R=0x1001"
                                 : "TRCEVENTCTL0R=1 TRCEVENTCTL1R=0x0001");
        cairn_unit_low_power(b.unit, true);
        cycles(&b, 3);
        /* proves: R_VHSFL */
        assert_int_equal(bench_count(bench_trace(&b), "EV0"), override ? 3 : 0);
        bench_end(&b);
    }
}

/* Event 0 tells of SAC 0. */
#define SAC_EVENT "TRCRSCTLR2=0x40001 TRCACVR0=0x1000 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1 TRCSYNCPR=0 "

static void test_overflow_and_resources(void **state)
{
    (void)state;
    for (int matches = 0; matches < 2; matches++) {
        struct cairn_unit_counters counters = {.size = sizeof(counters)};
        struct bench b;

        bench_begin(&b, "fifo=256 drain=16 " SAC_EVENT);
        for (unsigned i = 0; counters.overflows == 0 && i < 10000; i++) {
            jump(&b, 0x2000);
            jump(&b, 0x3000);
            cairn_unit_counters(b.unit, &counters);
        }
        assert_int_equal(bench_count(bench_trace(&b), "EV"), 0);
        jump(&b, matches ? 0x1000 : 0x1004); /* in the overflow */
        cycles(&b, 10000);
        jump(&b, 0x2000);
        const char *text = bench_trace(&b);
        assert_int_equal(bench_count(text, "OVERFLOW"), 1);
        /* proves: R_TMPZZ */
        assert_int_equal(bench_count(text, "EV0"), matches);
        bench_end(&b);
    }
}

/* What the last block before the resources are paused does to them counts. */
static void test_pausing(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct bench b;

        bench_begin(&b, SAC_EVENT "TRCVICTLR=0x200");
        code(&b, 0x1000, 1);
        if (how == 0)
            cairn_unit_prohibit(b.unit, true);
        else if (how == 1)
            cairn_unit_low_power(b.unit, true);
        else
            cairn_unit_disable(b.unit);
        cycles(&b, 10);
        /* proves: I_LGWRK */
        assert_int_equal(bench_count(bench_trace(&b), "EV0"), 1);
        bench_end(&b);
    }
}

/* In a Prohibited region nothing moves, whatever would outside. */
static void test_paused(void **state)
{
    struct cairn_register before[256], after;
    struct bench b;
    size_t count = 0;

    (void)state;
    bench_begin(&b, SAC_EVENT "TRCACVR1=0x2000 TRCVISSCTLR=0x00020001");
    code(&b, 0x1000, 1); /* start */
    cairn_unit_prohibit(b.unit, true);
    while (cairn_unit_register(b.unit, count, &before[count]) == CAIRN_OK)
        count++;
    assert_true(count > 10);
    jump(&b, 0x1000);
    jump(&b, 0x2000); /* stop */
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2004);
    code(&b, 0x2000, 1);
    cycles(&b, 100);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cairn_unit_register(b.unit, i, &after), CAIRN_OK);
        assert_string_equal(after.name, before[i].name);
        /* proves: R_YWQNO */
        assert_true(after.value == before[i].value);
    }
    bench_end(&b);
}

/* --- branch broadcasting --- */

static void test_broadcast(void **state)
{
    static const struct {
        const char *mode;
        bool inside, outside;
    } modes[] = {{"TRCBBCTLR=0x101 BB TRCACVR0=0x1000 TRCACVR1=0x10ff", true, false},
                 {"TRCBBCTLR=0x001 BB TRCACVR0=0x1000 TRCACVR1=0x10ff", false, true},
                 {"TRCBBCTLR=0x101 TRCACVR0=0x1000 TRCACVR1=0x10ff", false, false},
                 {"BB TRCIDR4=0x880f0000", true, true}};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct bench b;
        char expected[128];

        bench_begin(&b, modes[i].mode);
        branch(&b, 0x1000, 0x1080, TAKEN);
        branch(&b, 0x1080, 0x2000, NOT_TAKEN);
        branch(&b, 0x1084, 0x2000, TAKEN);
        branch(&b, 0x2000, 0x3000, NOT_TAKEN);
        branch(&b, 0x2004, 0x3000, TAKEN);
        branch(&b, 0x3000, 0x4000, NOT_TAKEN);
        snprintf(expected, sizeof(expected), BEGIN("1000") " E%s N E%s N E%s N",
                 modes[i].inside ? " ADDR(1080)" : "", modes[i].inside ? " ADDR(2000)" : "",
                 modes[i].outside ? " ADDR(3000)" : "");
        /* proves: R_MHYFV, I_DCYQT, R_XSVSX */
        assert_trace(&b, expected);
        bench_end(&b);
    }
}

/* Predicted not taken, and taken after all. */
static void test_broadcast_mispredicted(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "BB MAXSPEC=8 choices=0");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, NOT_TAKEN);
    mispredict(&b);
    branch(&b, 0x2000, 0x3000, NOT_TAKEN);
    resolve(&b, mark(&b));
    const char *text = bench_trace(&b);
    /* proves: R_MHYFV */
    assert_int_equal(bench_count(text, "ADDR(2000)"), 1);
    /* proves: R_MHYFV */
    assert_true(bench_find(text, "MISP", 0) < strlen(text));
    bench_end(&b);
}

static void test_broadcast_and_return_stack(void **state)
{
    (void)state;
    for (int broadcasting = 0; broadcasting < 2; broadcasting++) {
        struct bench b;

        bench_begin(&b, broadcasting ? "RS BB" : "RS");
        call(&b, 0x1000, 0x2000);
        ret(&b, 0x2000);
        branch(&b, 0x1004, 0x3000, NOT_TAKEN);
        /* proves: R_VQTVR */
        assert_trace(&b, broadcasting ? BEGIN("1000") " E ADDR(2000) E ADDR(1004) N"
                                      : BEGIN("1000") " E E N");
        bench_end(&b);
    }
    /* Only the return, or only the call, is where it is active: nothing matches either. */
    for (int returning = 0; returning < 2; returning++) {
        struct bench b;

        bench_begin(&b, returning ? "RS BB TRCBBCTLR=0x101 TRCACVR0=0x2000 TRCACVR1=0x20ff"
                                  : "RS BB TRCBBCTLR=0x101 TRCACVR0=0x1000 TRCACVR1=0x10ff");
        call(&b, 0x1000, 0x2000);
        ret(&b, 0x2000);
        branch(&b, 0x1004, 0x3000, NOT_TAKEN);
        /* proves: R_VQTVR */
        assert_trace(&b, returning ? BEGIN("1000") " E E ADDR(1004) N"
                                   : BEGIN("1000") " E ADDR(2000) E ADDR(1004) N");
        bench_end(&b);
    }
}

/* What was pushed before the region is gone behind it. */
static void test_broadcast_region_entered(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "RS BB TRCBBCTLR=0x101 TRCACVR0=0x2000 TRCACVR1=0x20ff");
    call(&b, 0x1000, 0x2000);
    branch(&b, 0x2000, 0x3000, TAKEN);
    ret(&b, 0x3000);
    branch(&b, 0x1004, 0x4000, NOT_TAKEN);
    /* proves: R_SBZJB */
    assert_trace(&b, BEGIN("1000") " E E ADDR(3000) E ADDR(1004) N");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_exception_ends_block),
        cmocka_unit_test(test_any_length),
        cmocka_unit_test(test_one_instruction_viewed),
        cmocka_unit_test(test_all_is_observed),
        cmocka_unit_test(test_all_before_synchronization),
        cmocka_unit_test(test_exceptions_are_observed),
        cmocka_unit_test(test_running),
        cmocka_unit_test(test_low_power_override),
        cmocka_unit_test(test_overflow_and_resources),
        cmocka_unit_test(test_pausing),
        cmocka_unit_test(test_paused),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_broadcast_mispredicted),
        cmocka_unit_test(test_broadcast_and_return_stack),
        cmocka_unit_test(test_broadcast_region_entered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
