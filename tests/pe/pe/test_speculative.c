/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that are traced and do not complete (E1.2.3.5): those of a transaction that fails are speculative, behind its
 * TSTART. What is ordered with that is ordered with their trace. And where tracing begins and ends (E1.2.3.3). */
#include "bench.h"

#define BASE UINT64_C(0x80000000)
#define HALF 0x8000u
#define ORDERS 12u
#define SEEDS_OF_SWITCHES 60u
#define UNIT PE_BENCH_OWNED_BY_EL1 "msr TRCPRGCTLR, 1\nisb\n"
#define BUFFER "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000000\nisb\n"
#define ENABLED "msr TRBLIMITR_EL1, 0x80010001\n"

static void begin(struct pe_bench *b, unsigned order)
{
    struct cairn_pe_options options = pe_bench_order(order);

    options.flags |= CAIRN_PE_HAS_TRANSACTIONS;
    pe_bench_begin(b, BASE, &options);
}

/* None of its instructions completes. */
static void run_and_fail(struct pe_bench *b)
{
    cairn_pe_transaction_start(b->pe);
    pe_bench_run(b, "run 4000\n");
    cairn_pe_transaction_fail(b->pe, 0x1000, 0);
}

static bool is_written(const struct pe_bench *b, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (b->memory[i])
            return true;
    return false;
}

/* S is not behind the Context synchronization event, no more than what completes: TSB CSYNC and DSB behind it complete the trace of S. */
static void test_completed(void **state)
{
    static const struct {
        const char *barriers;
        uint32_t missing;
    } rows[] = {
        {"tsb csync\ndsb\n", 0},
        {"tsb csync\n", CAIRN_PE_MISSES_DSB},
        {"dsb\n", CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_DSB},
        {"", CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_DSB},
    };
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < 2 * ORDERS; n++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            begin(&b, n / 2);
            pe_bench_run(&b, UNIT BUFFER ENABLED "enter EL0n\n");
            if (n % 2)
                run_and_fail(&b);
            else
                pe_bench_run(&b, "run 4000\n");
            pe_bench_run(&b, "enter EL1n\n");
            pe_bench_run(&b, rows[i].barriers);
            if (!rows[i].missing) /* nothing else was executed that is traced */
                /* proves: R_FBFRS, I_HBYGS */
                assert_true(b.written > 200);
            pe_bench_run(&b, "load 0x80000000 64\n");
            assert_int_equal(b.found != 0, rows[i].missing != 0);
            if (b.found) {
                assert_string_equal(b.first.rule, "R_VLWDM");
                /* proves: I_JGXWM, I_VFLVX */
                assert_int_equal(b.first.missing, rows[i].missing);
            }
            pe_bench_end(&b);
        }
}

/* S is behind it: its trace goes by what was written in front of it, and may go by what was written behind it. */
static void test_seen(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, UNIT BUFFER "msr TRBPTR_EL1, 0x80008000\nisb\n" ENABLED "enter EL0n\n");
        run_and_fail(&b);
        pe_bench_run(&b, "enter EL1n\ntsb csync\ndsb\n");
        assert_false(is_written(&b, 0, HALF));
        /* proves: I_WLLQH */
        assert_true(is_written(&b, HALF, HALF + 200));
        assert_int_equal(b.found, 0);
        pe_bench_end(&b);

        begin(&b, n);
        pe_bench_run(&b, UNIT BUFFER "msr TRFCR_EL1, 3\nisb\n" ENABLED);
        run_and_fail(&b);
        pe_bench_run(&b, "isb\n");
        assert_true(b.found > 0);
        assert_string_equal(b.first.rule, "R_BFJKD");
        assert_string_equal(b.name, "TRBLIMITR_EL1");
        /* proves: I_WLLQH */
        assert_int_equal(b.first.missing, CAIRN_PE_MISSES_CSE);
        pe_bench_end(&b);
    }
}

/* Software clears the buffer's memory. Trace of S may go there before S is known to fail or not, so that a DSB alone does
 * not order the two: an event has to be behind it. */
static void test_cleared(void **state)
{
    static const struct {
        const char *barriers;
        uint32_t missing;
    } rows[] = {{"dsb\nisb\n", 0},
                {"dsb\n", CAIRN_PE_MISSES_CSE2},
                {"isb\n", CAIRN_PE_MISSES_DSB | CAIRN_PE_MISSES_CSE2}};
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            begin(&b, n);
            pe_bench_run(&b, UNIT BUFFER "msr TRFCR_EL1, 3\n" ENABLED "isb\n"
                                         "store 0x80000000 4096\n");
            pe_bench_run(&b, rows[i].barriers);
            run_and_fail(&b);
            cairn_pe_settle(b.pe);
            assert_int_equal(b.found != 0, rows[i].missing != 0);
            if (b.found) {
                assert_string_equal(b.first.rule, "R_DFHWV");
                /* proves: I_NLHGN */
                assert_int_equal(b.first.missing, rows[i].missing);
            }
            pe_bench_end(&b);
        }
}

/* A region where tracing is allowed is entered by an exception return: no other event is needed for what was written. */
static void test_entered(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, UNIT "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80008000\n"
                              "isb\n" ENABLED "enter EL0n\nrun 4000\nenter EL1n\ntsb csync\ndsb\n"
                              "load 0x80000000 64\n");
        assert_int_equal(b.found, 0);
        assert_false(is_written(&b, 0, HALF));
        /* proves: S_YPWVJ */
        assert_true(is_written(&b, HALF, HALF + 200));
        pe_bench_end(&b);
    }
}

/* Runs a bit, a few times, until tracing is prohibited or not. Once it is so it stays. */
static bool switches(struct pe_bench *b, unsigned times, bool prohibited)
{
    bool is_so = false;

    for (unsigned i = 0; i < times; i++) {
        pe_bench_run(b, "run 4\n");
        if (is_so)
            /* proves: I_VKRGM */
            assert_int_equal(cairn_pe_is_prohibited(b->pe), prohibited);
        is_so = cairn_pe_is_prohibited(b->pe) == prohibited;
    }
    return is_so;
}

/* TRFCR_EL1 is written where it decides: any instruction may be the first that sees it, or the event. */
static void test_clean(void **state)
{
    static struct pe_bench b;
    unsigned early[2] = {0, 0}, late[2] = {0, 0};

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS_OF_SWITCHES; seed++) {
        struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;

        options.order = CAIRN_PE_RANDOM;
        options.seed = seed;
        pe_bench_begin(&b, BASE, &options);
        pe_bench_run(&b, UNIT BUFFER ENABLED "isb\n");
        for (unsigned off = 0; off < 2; off++) {
            bool is_so;

            assert_int_equal(cairn_pe_is_prohibited(b.pe), !off);
            pe_bench_run(&b, off ? "msr TRFCR_EL1, 1\n" : "msr TRFCR_EL1, 3\n");
            is_so = switches(&b, 1 + seed % 8, off);
            early[off] += is_so;
            late[off] += !is_so;
            pe_bench_run(&b, "isb\n");
            assert_int_equal(cairn_pe_is_prohibited(b.pe), off);
        }
        pe_bench_end(&b);
    }
    for (unsigned off = 0; off < 2; off++) {
        assert_true(early[off] > 0);
        assert_true(late[off] > 0);
    }
}

/* Whether tracing is allowed, and whose the buffer is, goes by the same field: with a write that is not ordered each may
 * go by another value. */
static void test_owner_read_twice(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, UNIT BUFFER ENABLED "enter EL0n\nrun 4000\nenter EL2n\n"
                                             "msr MDCR_EL2, 6\nisb\n");
        assert_int_equal(b.found, 1);
        assert_string_equal(b.first.rule, "R_TSPXF");
        assert_string_equal(b.name, "MDCR_EL2");
        assert_int_equal(b.first.missing, CAIRN_PE_MISSES_TSB);
        /* proves: I_GGPH */
        assert_int_equal(b.first.values[0], 0x3000000);
        assert_int_equal(b.first.values[1], 6);
        pe_bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_completed),        cmocka_unit_test(test_seen),
        cmocka_unit_test(test_entered),          cmocka_unit_test(test_clean),
        cmocka_unit_test(test_owner_read_twice), cmocka_unit_test(test_cleared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
