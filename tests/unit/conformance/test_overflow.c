/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffer overflow, Overflow and Discard elements: DDI0608 D1.6, D6.4, D6.9.15, D6.9.19. */
#include "bench.h"

#include <stdlib.h>

#define SMALL "fifo=256 drain=16 "

/* Jumps with addresses that compress badly, until the buffer is more than full. */
static void fill(struct bench *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        jump(b, 0x100000 + 0x10010 * (uint64_t)i);
}

static void drain(struct bench *b)
{
    cycles(b, 100000);
}

static void test_recovery(void **state)
{
    struct bench b;
    const char *text, *behind;

    (void)state;
    bench_begin(&b, SMALL);
    fill(&b, 200);
    drain(&b);
    branch(&b, 0x900000, 0x2000, NOT_TAKEN);
    drain(&b);
    text = bench_trace(&b);
    /* proves: R_LDDL */
    assert_int_equal(bench_count(text, "OVERFLOW"), 1);
    assert_int_equal(bench_count(text, "BROKEN"), 0);
    behind = strstr(text, "OVERFLOW");
    /* proves: R_DQBDH, I_YNRQ, R_PQGXB */
    assert_string_equal(behind, "OVERFLOW SYNC INFO ON CTX(EL1n) ADDR(900000) N");
    bench_end(&b);

    bench_begin(&b, "fifo=0");
    fill(&b, 2000);
    assert_int_equal(bench_count(bench_trace(&b), "OVERFLOW"), 0);
    bench_end(&b);
}

/* What was generated before comes before, in one piece: a prefix of the trace without overflow. */
static void test_what_was_before(void **state)
{
    (void)state;
    for (unsigned size = 64; size < 400; size += 7) {
        struct bench small, large;
        char setting[64], *whole;
        const char *text;
        size_t cut;

        snprintf(setting, sizeof(setting), "fifo=%u drain=16", size);
        bench_begin(&small, setting);
        bench_begin(&large, "");
        fill(&small, 200);
        fill(&large, 200);
        drain(&small);
        code(&small, 0x900000, 1);
        drain(&small);
        whole = strdup(bench_trace(&large));
        text = bench_trace(&small);
        cut = bench_find(text, "DISCARD", 0);
        assert_true(cut < strlen(text));
        while (cut > 0 && text[cut - 1] == ' ')
            cut--;
        /* proves: R_RQHFH */
        assert_int_equal(bench_count(text, "BROKEN"), 0);
        /* proves: R_HRYKY */
        assert_memory_equal(text, whole, cut);
        free(whole);
        bench_end(&small);
        bench_end(&large);
    }
}

/* Commits that could still be merged with others belong to what was before. */
static void test_commits_before(void **state)
{
    struct bench b;
    const char *text;
    uint64_t committed = 0;

    (void)state;
    bench_begin(&b, SMALL "MAXSPEC=200 choices=0");
    fill(&b, 200);
    drain(&b);
    code(&b, 0x900000, 1);
    drain(&b);
    text = bench_trace(&b);
    for (size_t at = bench_find(text, "COMMIT(", 0); text[at] != '\0';
         at = bench_find(text, "COMMIT(", at + 1))
        committed += strtoull(text + at + 7, NULL, 10);
    assert_int_equal(bench_count(text, "OVERFLOW"), 1);
    /* proves: R_HRYKY */
    assert_int_equal(committed, bench_count(text, "E"));
    bench_end(&b);
}

static void test_flush_and_disable(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, SMALL);
    fill(&b, 200);
    cairn_unit_flush(b.unit);
    /* proves: R_TWBVY */
    assert_int_equal(bench_count(bench_trace(&b), "OVERFLOW"), 1);
    bench_end(&b);

    bench_begin(&b, SMALL);
    fill(&b, 200);
    cairn_unit_disable(b.unit);
    text = bench_trace(&b);
    /* proves: R_RPSPH */
    assert_int_equal(bench_count(text, "OVERFLOW"), 1);
    assert_string_equal(text + strlen(text) - 8, "OVERFLOW");
    bench_end(&b);
}

static void test_event(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, SMALL "TRCEVENTCTL1R=0xf");
    fill(&b, 200);
    cairn_unit_event(b.unit, 2);
    cycles(&b, 1);
    drain(&b);
    branch(&b, 0x900000, 0x2000, NOT_TAKEN);
    drain(&b);
    text = bench_trace(&b);
    assert_true(bench_find(text, "OVERFLOW", 0) < strlen(text));
    /* proves: R_SHYMY */
    assert_true(bench_find(text, "EV2", 0) < bench_find(text, "OVERFLOW", 0));
    bench_end(&b);
}

/* --- Discard --- */

static void test_discard(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "MAXSPEC=8 TRCEVENTCTL1R=1");
    speculate(&b);
    branch(&b, 0x1000, 0x1000, TAKEN);
    resolve(&b, mark(&b));
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_event(b.unit, 0);
    (void)bench_trace(&b);
    cairn_unit_disable(b.unit);
    text = bench_trace(&b);
    /* proves: R_WDWGV, R_FHQDX */
    assert_true(strlen(text) >= 7 && strcmp(text + strlen(text) - 7, "DISCARD") == 0);
    assert_int_equal(bench_count(text, "DISCARD"), 1);
    bench_end(&b);

    bench_begin(&b, "");
    tstart(&b, 0x1000);
    branch(&b, 0x1004, 0x1004, TAKEN);
    cairn_unit_disable(b.unit);
    text = bench_trace(&b);
    /* proves: R_WDWGV */
    assert_string_equal(text + strlen(text) - 7, "DISCARD");
    bench_end(&b);
}

static void test_discard_at_reset(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "MAXSPEC=8");
    speculate(&b);
    branch(&b, 0x1000, 0x1000, TAKEN);
    (void)bench_trace(&b);
    /* The reset comes while it is open what becomes of the branch. */
    cairn_unit_exception(b.unit, CAIRN_EXCEPTION_PE_RESET, 0, CAIRN_ISA_A64);
    branch(&b, 0, 0x1000, TAKEN);
    text = bench_trace(&b);
    /* It can still output the resolution, and needs no Discard. */
    assert_int_equal(bench_count(text, "DISCARD"), 0);
    resolve(&b, mark(&b));
    cairn_unit_flush(b.unit);
    b.consumed = 0;
    text = bench_trace(&b);
    /* proves: R_NSMJF */
    assert_true(bench_order(text, "E", "EXC(PE_Reset)", "E", "COMMIT(1)", NULL) &&
                bench_count(text, "COMMIT(2)") == 1);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_what_was_before),
        cmocka_unit_test(test_commits_before),
        cmocka_unit_test(test_flush_and_disable),
        cmocka_unit_test(test_event),
        cmocka_unit_test(test_discard),
        cmocka_unit_test(test_discard_at_reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
