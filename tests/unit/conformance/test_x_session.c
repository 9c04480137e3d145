/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace sessions, disabling and flushing: DDI0608 D1.6, D6.2.1 to D6.2.3. */
#include "bench.h"

#define EVENT_0 "TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1 "
#define IDLE 1u /* TRCSTATR */

static uint64_t generated(const struct bench *b)
{
    struct cairn_unit_counters counters = {.size = sizeof(counters)};

    cairn_unit_counters(b->unit, &counters);
    return counters.bytes;
}

static uint64_t overflows(const struct bench *b)
{
    struct cairn_unit_counters counters = {.size = sizeof(counters)};

    cairn_unit_counters(b->unit, &counters);
    return counters.overflows;
}

static void test_sessions(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    cairn_unit_disable(b.unit);
    /* proves: R_XBPSQ */
    assert_trace(&b, BEGIN("1000") " E");
    branch(&b, 0x2000, 0x2000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2000);
    branch(&b, 0x3000, 0x4000, TAKEN);
    cairn_unit_enable(b.unit);
    branch(&b, 0x4000, 0x5000, NOT_TAKEN);
    /* Nothing of what was executed while disabled, and nothing that needs the first session. */
    /* proves: R_XBPSQ, R_RDPW */
    assert_trace(&b, BEGIN("4000") " N");
    bench_end(&b);
}

/* Where execution was in one session says nothing about the next: it may begin anywhere. */
static void test_begins_elsewhere(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof(counters)};
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    cairn_unit_disable(b.unit);
    cairn_unit_enable(b.unit);
    branch(&b, 0x4000, 0x5000, NOT_TAKEN);
    /* proves: R_XBPSQ */
    assert_trace(&b, BEGIN("1000") " E " BEGIN("4000") " N");
    cairn_unit_counters(b.unit, &counters);
    assert_int_equal(counters.discontinuities, 0);
    bench_end(&b);
}

/* A unit that is enabled keeps its program. */
static void test_program_is_kept(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TRCEVENTCTL1R=1");
    assert_int_equal(cairn_unit_write(b.unit, "TRCEVENTCTL1R", 2, NULL), CAIRN_E_CONFIG);
    assert_int_equal(read_register(&b, "TRCEVENTCTL1R"), 1);
    cairn_unit_disable(b.unit);
    assert_int_equal(cairn_unit_write(b.unit, "TRCEVENTCTL1R", 2, NULL), CAIRN_OK);
    assert_int_equal(read_register(&b, "TRCEVENTCTL1R"), 2);
    bench_end(&b);
}

/* 200 indirect branches in no time, which no FIFO of 64 bytes holds. */
static void flood(struct bench *b, uint64_t address)
{
    for (unsigned i = 0; i < 200; i++)
        jump(b, address + 0x10010 * (uint64_t)i);
}

/* Whatever may happen to a unit besides: only enabling and recovery make generation operative. */
static void test_operative(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "fifo=256 drain=64");
    branch(&b, 0x1000, 0x2000, TAKEN);
    cycles(&b, 10000);
    cairn_unit_prohibit(b.unit, true);
    branch(&b, 0x2000, 0x3000, TAKEN);
    cairn_unit_prohibit(b.unit, false);
    branch(&b, 0x3000, 0x4000, TAKEN);
    cycles(&b, 10000);
    exception(&b, CAIRN_EXCEPTION_DEBUG_HALT, 0x4000);
    cairn_unit_debug_state(b.unit, true);
    cairn_unit_debug_state(b.unit, false);
    branch(&b, 0x4000, 0x5000, TAKEN);
    cycles(&b, 10000);
    cairn_unit_low_power(b.unit, true);
    cairn_unit_low_power(b.unit, false);
    branch(&b, 0x5000, 0x6000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
    branch(&b, 0x0, 0x6000, TAKEN);
    cycles(&b, 10000);
    text = bench_trace(&b);
    /* proves: R_RDPW, R_BDRKW */
    assert_int_equal(bench_count(text, "SYNC") + bench_count(text, "INFO"), 2);
    assert_int_equal(overflows(&b), 0);
    flood(&b, 0x100000);
    cycles(&b, 100000);
    branch(&b, 0x900000, 0x1000, TAKEN);
    text = bench_trace(&b);
    /* proves: R_RDPW, R_BDRKW */
    assert_true(bench_count(text, "SYNC") == 1 && bench_count(text, "OVERFLOW") == 1);
    cairn_unit_disable(b.unit);
    (void)bench_trace(&b);
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: R_BDRKW */
    assert_trace(&b, "");
    bench_end(&b);
}

/* Enabled or not, recovering or not. */
static void test_when_operative(void **state)
{
    struct bench b;
    const char *text;
    size_t before;

    (void)state;
    bench_open(&b, "fifo=256 drain=64");
    level(&b, "EL1n");
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: R_ZVNV */
    assert_trace(&b, "");
    cairn_unit_enable(b.unit);
    branch(&b, 0x1000, 0x1000, TAKEN);
    /* proves: R_ZVNV */
    assert_trace(&b, BEGIN("1000") " E");
    flood(&b, 0x100000);
    before = bench_count(bench_trace(&b), "E");
    assert_true(before < 200 && overflows(&b) == 1);
    branch(&b, 0x5000, 0x5000, TAKEN);
    text = bench_trace(&b);
    /* proves: R_ZVNV */
    assert_int_equal(bench_count(text, "E") + bench_count(text, "ADDR"), 0);
    cycles(&b, 100000);
    branch(&b, 0x5000, 0x5000, TAKEN);
    text = bench_trace(&b);
    /* proves: R_ZVNV */
    assert_int_equal(bench_count(text, "E"), 1);
    bench_end(&b);
}

static void test_all_execution(void **state)
{
    static const char *const levels[] = {"EL0n", "EL1n", "EL2n", "EL0s", "EL1s", "EL3s"};
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "");
    for (size_t i = 0; i < sizeof(levels) / sizeof *levels; i++) {
        exception(&b, CAIRN_EXCEPTION_CALL, 0x1000 * i);
        level(&b, levels[i]);
        branch(&b, 0x1000 * (i + 1), 0x1000 * (i + 1) + 0x100, TAKEN);
        isb(&b, 0x1000 * (i + 1) + 0x100, TAKEN);
        branch(&b, 0x1000 * (i + 1) + 0x104, 0x1000 * (i + 1), TAKEN);
    }
    text = bench_trace(&b);
    /* proves: R_KBFFQ */
    assert_true(bench_count(text, "E") - bench_count(text, "EXC") == 18 &&
                bench_count(text, "ON") == 1);
    for (size_t i = 0; i < sizeof(levels) / sizeof *levels; i++) {
        char word[32];

        snprintf(word, sizeof(word), "CTX(%s) ADDR(%zx)", levels[i], 0x1000 * (i + 1));
        /* proves: R_KBFFQ */
        assert_non_null(strstr(text, word));
    }
    bench_end(&b);
}

static void test_disabled(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, EVENT_0);
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_disable(b.unit);
    (void)bench_trace(&b);
    cairn_unit_inputs(b.unit, 1);
    cairn_unit_event(b.unit, 0);
    cycles(&b, 100);
    at_time(&b, 1000);
    branch(&b, 0x1000, 0x2000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_SYSTEM_ERROR, 0x2000);
    cairn_unit_request_sync(b.unit);
    cairn_unit_flush(b.unit);
    /* proves: R_YFLJT */
    assert_trace(&b, "");
    cairn_unit_inputs(b.unit, 0);
    cycles(&b, 1);
    cairn_unit_enable(b.unit);
    cycles(&b, 100);
    branch(&b, 0x3000, 0x4000, TAKEN);
    /* No ETEEvent either that would be traced later. */
    /* proves: R_YFLJT */
    assert_trace(&b, BEGIN("3000") " E");
    bench_end(&b);
}

/* What a disable, a request and TSB CSYNC write out. */
static void test_flush_causes(void **state)
{
    (void)state;
    for (int cause = 0; cause < 3; cause++) {
        struct bench b;
        size_t written;

        bench_begin(&b, "");
        branch(&b, 0x1000, 0x2000, TAKEN);
        branch(&b, 0x2000, 0x3000, NOT_TAKEN);
        if (cause == 0) {
            cairn_unit_disable(b.unit);
            /* proves: R_ZDTLK */
            assert_int_equal(b.size, generated(&b));
        } else if (cause == 1) {
            cairn_unit_flush(b.unit);
        } else {
            cairn_unit_prohibit(b.unit, true);
            cairn_unit_flush(b.unit); /* TSB CSYNC */
        }
        written = b.size;
        /* proves: R_JLRQH, R_PFHWW, R_DKFRL */
        assert_trace(&b, BEGIN("1000") " E N");
        /* proves: R_JLRQH, R_ZDTLK */
        assert_int_equal(b.size, written);
        bench_end(&b);
    }
}

static void test_pending_commits(void **state)
{
    struct bench b;
    size_t written;

    (void)state;
    for (int disables = 0; disables < 2; disables++) {
        bench_begin(&b, "MAXSPEC=8 choices=0");
        speculate(&b);
        branch(&b, 0x1000, 0x2000, TAKEN);
        branch(&b, 0x2000, 0x3000, NOT_TAKEN);
        resolve(&b, mark(&b));
        if (disables)
            cairn_unit_disable(b.unit);
        else
            cairn_unit_flush(b.unit);
        written = b.size;
        /* proves: R_XXFBC, I_LMVMT, R_HGYLG */
        assert_trace(&b, BEGIN("1000") " E N COMMIT(2)");
        /* proves: R_HGYLG */
        assert_int_equal(b.size, written);
        bench_end(&b);
    }
}

/* With no sink everything counts as delivered: nothing waits for it. */
static void test_no_sink(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit_counters counters = {.size = sizeof(counters)};
    const struct cairn_context context = {.EL = 1, .SF = 1, .security = CAIRN_NONSECURE};
    struct cairn_unit *unit;
    struct cairn_error error;
    uint64_t status;

    (void)state;
    options.arch = cairn_arch_any_a();
    assert_int_equal(cairn_unit_new(&options, &unit, &error), CAIRN_OK);
    cairn_unit_enable(unit);
    cairn_unit_context(unit, &context);
    for (unsigned i = 0; i < 100000; i++) {
        const struct cairn_block jump_back = {.address = 0x1000 + 0x10000 * (uint64_t)(i % 97),
                                              .size = 4,
                                              .count = 1,
                                              .isa = CAIRN_ISA_A64,
                                              .kind = CAIRN_INSN_BRANCH_INDIRECT,
                                              .last_size = 4};

        cairn_unit_execute(unit, &jump_back, true);
    }
    cairn_unit_flush(unit);
    cairn_unit_counters(unit, &counters);
    assert_true(counters.bytes > 100000);
    /* proves: R_NLSSL */
    assert_int_equal(cairn_unit_position(unit), counters.bytes);
    /* proves: R_NLSSL */
    assert_int_equal(counters.overflows, 0);
    cairn_unit_disable(unit);
    assert_int_equal(cairn_unit_read(unit, "TRCSTATR", &status), CAIRN_OK);
    /* proves: R_NLSSL */
    assert_int_equal(status & IDLE, IDLE);
    assert_int_equal(cairn_unit_status(unit), CAIRN_OK);
    cairn_unit_free(unit);
}

/* After a flush the unit goes on. */
static void test_flush_goes_on(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 2);
    cairn_unit_flush(b.unit);
    branch(&b, 0x2008, 0x3000, TAKEN);
    /* proves: R_HGYLG */
    assert_trace(&b, BEGIN("1000") " E E");
    bench_end(&b);
}

static void test_stops_before_idle(void **state)
{
    struct bench b;
    size_t written;

    (void)state;
    bench_begin(&b, "MAXSPEC=8 TS " EVENT_0);
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    cairn_unit_event(b.unit, 0);
    assert_int_equal(read_register(&b, "TRCSTATR") & IDLE, 0);
    cairn_unit_disable(b.unit);
    assert_int_equal(read_register(&b, "TRCSTATR") & IDLE, IDLE);
    written = b.size;
    cycles(&b, 1000);
    branch(&b, 0x2000, 0x3000, TAKEN);
    cairn_unit_speculate(b.unit, false);
    cairn_unit_flush(b.unit);
    (void)bench_trace(&b);
    /* proves: R_TTDBB */
    assert_int_equal(b.size, written);
    /* proves: R_TTDBB */
    assert_int_equal(generated(&b), written);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions),        cmocka_unit_test(test_begins_elsewhere),
        cmocka_unit_test(test_program_is_kept), cmocka_unit_test(test_operative),
        cmocka_unit_test(test_when_operative),  cmocka_unit_test(test_all_execution),
        cmocka_unit_test(test_disabled),        cmocka_unit_test(test_flush_causes),
        cmocka_unit_test(test_pending_commits), cmocka_unit_test(test_flush_goes_on),
        cmocka_unit_test(test_no_sink),         cmocka_unit_test(test_stops_before_idle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
