/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycle Count elements: DDI0608 D2.4.1, D6.9.18, D6.10.3. */
#include "bench.h"

#include <stdlib.h>

static void loop(struct bench *b, uint64_t count)
{
    cycles(b, count);
    branch(b, 0x1000, 0x1000, TAKEN);
}

/* Enabled, and the first Cycle Count, which is unknown, behind it. */
static void begin(struct bench *b, const char *text)
{
    bench_begin(b, text);
    loop(b, 4095);
    assert_int_equal(bench_count(bench_trace(b), "CC(?)"), 1);
}

static void test_first_is_unknown(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "CCI THRESHOLD=4");
    loop(&b, 100);
    /* proves: R_YFMWB */
    assert_trace(&b, "SYNC INFO(CC=4) ON CTX(EL1n) ADDR(1000) E CC(?)");
    loop(&b, 100);
    assert_trace(&b, "E CC(100)");
    cairn_unit_disable(b.unit);
    (void)bench_trace(&b);
    cairn_unit_enable(b.unit);
    loop(&b, 100);
    loop(&b, 100);
    /* proves: R_YFMWB */
    assert_trace(&b, "SYNC INFO(CC=4) ON CTX(EL1n) ADDR(1000) E CC(?) E CC(100)");
    bench_end(&b);
}

static void test_threshold(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "CCI THRESHOLD=10");
    loop(&b, 5);
    loop(&b, 7); /* the Commits at 5 and at 12 */
    /* proves: R_BHYWB, R_GWQGS */
    assert_trace(&b, "E E CC(12)");
    loop(&b, 9);
    loop(&b, 1);
    /* proves: R_GWQGS */
    assert_trace(&b, "E E CC(10)");
    bench_end(&b);
    begin(&b, "CCI THRESHOLD=1");
    loop(&b, 1);
    loop(&b, 0); /* of nothing there is no count */
    loop(&b, 2);
    /* proves: R_GWQGS */
    assert_trace(&b, "E CC(1) E E CC(2)");
    bench_end(&b);
}

static unsigned unknown_counts;

/* What is UNKNOWN has no value. */
static void note_count(void *context, unsigned kind, uint16_t flags,
                       const struct cairn_element_data *data)
{
    (void)context;
    if (kind != CAIRN_ELEMENT_CYCLE_COUNT || !(flags & CAIRN_ELEMENT_UNKNOWN))
        return;
    unknown_counts++;
    assert_int_equal(data->value, 0);
}

static void test_unknown_has_no_value(void **state)
{
    static const struct cairn_register counting[] = {{"TRCCONFIGR", 1 << 4}, {"TRCCCCTLR", 4}};
    static const struct cairn_block block = {.address = 0x1000,
                                             .target = 0x1000,
                                             .size = 4,
                                             .count = 1,
                                             .isa = CAIRN_ISA_A64,
                                             .kind = CAIRN_INSN_BRANCH_DIRECT,
                                             .last_size = 4,
                                             .target_isa = CAIRN_ISA_A64};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit;

    (void)state;
    options.arch = cairn_arch_any_a();
    options.registers = counting;
    options.register_count = sizeof(counting) / sizeof *counting;
    options.watch = note_count;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    cairn_unit_enable(unit);
    unknown_counts = 0;
    cairn_unit_cycles(unit, 100);
    cairn_unit_execute(unit, &block, true); /* the first one */
    cairn_unit_cycles(unit, UINT32_MAX);
    cairn_unit_execute(unit, &block, true); /* more than the counter holds */
    /* proves: R_YFMWB */
    assert_int_equal(unknown_counts, 2);
    cairn_unit_free(unit);
}

/* A Commit is one as well when the packet of another P0 element implies it. */
static void test_implied_commit(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "CCI THRESHOLD=10 MAXSPEC=2 COMMOPT=0 choices=0 implied");
    cairn_unit_flush(b.unit);
    speculate(&b);
    loop(&b, 1);
    loop(&b, 1);
    resolve(&b, mark(&b)); /* not told yet */
    (void)bench_trace(&b);
    loop(&b, 10);
    /* proves: R_BHYWB, R_VNYMN */
    assert_int_equal(strncmp(bench_trace(&b), "E c1 CC(12)", 11), 0);
    bench_end(&b);
}

/* The Cycle Count stands at the Commit that asked for it. */
static void test_at_once(void **state)
{
    struct bench b;
    uint64_t one, two;

    (void)state;
    begin(&b, "CCI THRESHOLD=10 MAXSPEC=8 COMMOPT=0");
    speculate(&b);
    loop(&b, 4);
    one = mark(&b);
    loop(&b, 4);
    two = mark(&b);
    loop(&b, 4);
    resolve(&b, one); /* at 12 */
    cycles(&b, 3);
    resolve(&b, two); /* 3 behind: none */
    cycles(&b, 20);
    resolve(&b, mark(&b));
    /* proves: R_GDTBW, I_TCFRL, R_VNYMN */
    assert_trace(&b, "E E E COMMIT(1) CC(12) COMMIT(1) COMMIT(1) CC(23)");
    bench_end(&b);
}

/* Merged Commits: the one with a Cycle Count stays alone. */
static void test_not_merged(void **state)
{
    struct bench b;
    uint64_t one, two, three;

    (void)state;
    begin(&b, "CCI THRESHOLD=10 MAXSPEC=16 COMMOPT=0 choices=0");
    speculate(&b);
    loop(&b, 1);
    one = mark(&b);
    loop(&b, 1);
    two = mark(&b);
    loop(&b, 1);
    three = mark(&b);
    loop(&b, 1);
    (void)bench_trace(&b);
    resolve(&b, one); /* 4 cycles */
    cycles(&b, 10);
    resolve(&b, two); /* with a Cycle Count */
    resolve(&b, three);
    resolve(&b, mark(&b));
    cairn_unit_flush(b.unit);
    /* proves: R_ZHWDD */
    assert_trace(&b, "COMMIT(2) CC(14) COMMIT(2)");
    bench_end(&b);
}

/* Two Commits that are not told yet, and time enough for a Cycle Count: what is told by then. */
static void tell_waiting(struct bench *b)
{
    loop(b, 4095);
    (void)bench_trace(b);
    speculate(b);
    loop(b, 1);
    loop(b, 1);
    resolve(b, mark(b));
    cycles(b, 20);
}

/* It is the same whether Events were traced in a session before or not. */
static void test_session_before(void **state)
{
    struct bench b;
    char expected[128];

    (void)state;
    bench_begin(&b, "CCI THRESHOLD=10 MAXSPEC=16 COMMOPT=0 choices=0");
    tell_waiting(&b);
    snprintf(expected, sizeof(expected), "%s", bench_trace(&b));
    bench_end(&b);
    bench_begin(&b, "CCI THRESHOLD=10 MAXSPEC=16 COMMOPT=0 choices=0 TRCRSCTLR2=1 TRCEVENTCTL0R=2 "
                    "TRCEVENTCTL1R=1");
    loop(&b, 1);
    cairn_unit_disable(b.unit);
    write_register(&b, "TRCEVENTCTL1R", 0);
    cairn_unit_enable(b.unit);
    tell_waiting(&b);
    /* proves: R_XBPSQ */
    assert_trace(&b, expected);
    bench_end(&b);
}

/* Over a run of any shape the Cycle Counts add up to the clock. */
static void test_sum(void **state)
{
    static const char *const settings[] = {
        "CCI THRESHOLD=4",
        "CCI THRESHOLD=100",
        "CCI THRESHOLD=30 MAXSPEC=5 COMMOPT=0",
        "CCI THRESHOLD=30 MAXSPEC=5 COMMOPT=1",
        "CCI THRESHOLD=30 MAXSPEC=5 COMMOPT=0 choices=0",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(settings) / sizeof *settings; i++) {
        struct bench b;
        const char *text;
        unsigned seed = (unsigned)i + 1;
        uint64_t clock = 0, sum = 0;

        begin(&b, settings[i]);
        if (strstr(settings[i], "MAXSPEC") != NULL)
            speculate(&b);
        for (unsigned n = 0; n < 400; n++) {
            seed = seed * 1103515245 + 12345;
            clock += seed >> 16 & 31;
            loop(&b, seed >> 16 & 31);
            if ((seed >> 24 & 3) == 0)
                resolve(&b, mark(&b));
        }
        loop(&b, 200); /* enough for a last one */
        resolve(&b, mark(&b));
        clock += 200;
        text = bench_trace(&b);
        for (size_t at = bench_find(text, "CC(", 0); text[at] != '\0';
             at = bench_find(text, "CC(", at + 1))
            sum += strtoull(text + at + 3, NULL, 10);
        /* proves: R_JMLLY */
        assert_true(bench_count(text, "CC(") > 10);
        /* proves: R_BMVKB */
        assert_int_equal(sum, clock);
        bench_end(&b);
    }
}

static void test_counter_beyond_maximum(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "CCI THRESHOLD=4 CCSIZE=0");
    loop(&b, 5000); /* more than 12 bits hold */
    loop(&b, 4095);
    loop(&b, 4096);
    /* proves: R_YVWJW */
    assert_trace(&b, "E CC(?) E CC(4095) E CC(?)");
    assert_true(bench_has_bytes(&b, "0f"));
    bench_end(&b);
}

static void test_overflow(void **state)
{
    struct bench b;
    const char *text, *behind;

    (void)state;
    begin(&b, "CCI THRESHOLD=4 fifo=256 drain=16");
    for (unsigned i = 0; i < 200; i++)
        jump(&b, 0x100000 + 0x10010 * (uint64_t)i);
    for (unsigned i = 0; i < 20; i++)
        loop(&b, 1000);
    text = bench_trace(&b);
    behind = strstr(text, "OVERFLOW ");
    assert_non_null(behind);
    /* proves: R_HQKWH */
    assert_true(strncmp(behind + bench_find(behind, "CC(", 0), "CC(?) E CC(1000) ", 17) == 0);
    bench_end(&b);
}

static void test_clock_stopped(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "CCI THRESHOLD=4");
    loop(&b, 10);
    cairn_unit_clock_stopped(b.unit);
    loop(&b, 10);
    loop(&b, 10);
    /* proves: I_PDBDY */
    assert_trace(&b, "E CC(10) E CC(?) E CC(10)");
    bench_end(&b);
}

static void test_prohibited(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, "CCI THRESHOLD=4");
    loop(&b, 10);
    cycles(&b, 3);
    cairn_unit_prohibit(b.unit, true);
    cycles(&b, 1000);
    code(&b, 0x1000, 1);
    cycles(&b, 1);
    cairn_unit_prohibit(b.unit, false);
    loop(&b, 6);
    /* proves: R_SZRZR */
    assert_trace(&b, "E CC(10) ON ADDR(1000) E CC(1010)");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_is_unknown),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_unknown_has_no_value),
        cmocka_unit_test(test_implied_commit),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_not_merged),
        cmocka_unit_test(test_session_before),
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_counter_beyond_maximum),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_clock_stopped),
        cmocka_unit_test(test_prohibited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
