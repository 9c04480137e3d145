/* SPDX-License-Identifier: BSD-2-Clause */
/* External aborts of the writes of a trace buffer, in a PE (DDI0608 E1.2.2.5). */
#include "bench.h"

#define BASE UINT64_C(0x80000000)
#define IRQ (UINT64_C(1) << 22)
#define EA (UINT64_C(1) << 18)
#define S (UINT64_C(1) << 17)
#define STAGE1 (UINT64_C(0x24) << 26) /* TRBSR_EL1.EC */
/* FSC, the Arm Architecture Reference Manual's, as in a Data Abort */
#define SYNCHRONOUS 0x10u
#define ASYNCHRONOUS 0x11u

#define ORDERS 12u
#define BUFFER                                                                                     \
    "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000000\nisb\nmsr TRCPRGCTLR, 1\n"           \
    "msr TRBLIMITR_EL1, 0x80010001\nisb\n"
#define TRACED "enter EL0n\nrun 20000\nenter EL1n\n"
#define FINISHED "tsb csync\nisb\nmrs x0, TRBSR_EL1\nmrs x0, TRBPTR_EL1\n"
#define DRAINED "tsb csync\ndsb\nisb\nmrs x0, TRBSR_EL1\nmrs x0, TRBPTR_EL1\n"

static void begin(struct pe_bench *b, unsigned order)
{
    const struct cairn_pe_options options = pe_bench_order(order);

    pe_bench_begin(b, BASE, &options);
}

/* The byte at the fault address is not written, what is before it is, and nothing behind. */
static void test_synchronous(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, PE_BENCH_OWNED_BY_EL1 "abort 0x80000101 4096\n" BUFFER TRACED DRAINED);
        /* proves: R_XRLSC */
        assert_int_equal(b.status, STAGE1 | IRQ | EA | S | SYNCHRONOUS);
        /* proves: I_GVGPB */
        assert_int_equal(b.value, BASE + 0x101);
        assert_int_equal(b.written, 0x101);
        assert_true(b.level);
        assert_int_equal(b.found, 0);
        assert_int_equal(b.system_errors, 0);
        /* Collection has stopped, and whatever comes is thrown away. */
        pe_bench_run(&b, TRACED DRAINED);
        assert_int_equal(b.value, BASE + 0x101);
        assert_int_equal(b.written, 0x101);
        pe_bench_end(&b);
    }
}

/* It is told 64 bytes later, which are written, with those that abort left out. */
static void test_asynchronous(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, PE_BENCH_OWNED_BY_EL1 "abort 0x80000101 2 async\n" BUFFER TRACED DRAINED);
        assert_int_equal(b.status, STAGE1 | IRQ | EA | S | ASYNCHRONOUS);
        /* proves: R_TVKJR */
        assert_int_equal(b.value, BASE + 0x102 + 64);
        assert_int_equal(b.written, 0x101 - 1 + 64);
        assert_int_equal(b.found, 0);
        pe_bench_end(&b);
    }
}

/* Without a DSB nobody knows of one that is on its way: TSB CSYNC does not wait for it. */
static void test_completion(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        struct cairn_pe_options options = pe_bench_order(n);

        options.abort_delay = 0x10000;
        pe_bench_begin(&b, BASE, &options);
        pe_bench_run(&b, PE_BENCH_OWNED_BY_EL1 "abort 0x80000101 1 async\n" BUFFER TRACED FINISHED);
        /* proves: R_JQDJD */
        assert_int_equal(b.status, 0);
        assert_false(b.level);
        /* proves: R_NSFRQ */
        assert_int_equal(b.found, 2);
        assert_string_equal(b.first.rule, "R_NSFRQ");
        assert_string_equal(b.name, "TRBSR_EL1");
        assert_int_equal(b.first.missing, CAIRN_PE_MISSES_DSB);
        pe_bench_run(&b, "msr TRFCR_EL1, 0\nisb\n" DRAINED);
        /* proves: R_NSFRQ */
        assert_int_equal(b.status, STAGE1 | IRQ | EA | S | ASYNCHRONOUS);
        assert_int_equal(b.value, BASE + b.written + 1);
        assert_true(b.level);
        assert_int_equal(b.found, 2);
        pe_bench_end(&b);
    }
}

/* The unit is told nothing and goes on; the PE is, once of bytes in a row. */
static void test_system_error(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(
            &b, PE_BENCH_OWNED_BY_EL1
            "abort 0x80000101 16 serror\nabort 0x80000201 1 serror\n" BUFFER TRACED DRAINED);
        /* proves: R_GQWBF */
        assert_int_equal(b.status, 0);
        assert_int_equal(b.system_errors, 2);
        assert_int_equal(b.error_address, BASE + 0x201);
        assert_int_equal(b.value, BASE + b.written + 17);
        assert_int_equal(b.found, 0);
        pe_bench_end(&b);
    }
}

/* Physical addresses: where the page is. What is not translated is a fault, whatever is at that address. */
static void test_translated(void **state)
{
    static const struct {
        const char *map;
        uint64_t status;
    } rows[] = {
        {"map 0x80000000 0x80010000 8192\nabort 0x80011000 1\n",
         STAGE1 | IRQ | EA | S | SYNCHRONOUS},
        {"map 0x80000000 0x80010000 4096\nabort 0x80001000 1\nabort 0x80011000 1\n",
         STAGE1 | IRQ | S | 0x07},
    };
    static struct pe_bench b;
    char text[1024];

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        begin(&b, 0);
        snprintf(text, sizeof text, PE_BENCH_OWNED_BY_EL1 "%s" BUFFER, rows[n].map);
        pe_bench_run(&b, text);
        for (unsigned i = 0; i < 8; i++)
            pe_bench_run(&b, TRACED DRAINED);
        assert_int_equal(b.status, rows[n].status);
        assert_int_equal(b.value, BASE + 0x1000);
        pe_bench_end(&b);
    }
}

/* What can be told of the caller's own memory. */
static size_t half(void *context, uint64_t address, size_t size, enum cairn_pe_abort *how)
{
    const uint64_t end = BASE + 0x180;

    assert_non_null(context);
    assert_true(address / 4096 == (address + size - 1) / 4096);
    *how = CAIRN_PE_ABORT_SYNCHRONOUS;
    if (address + size <= end)
        return size;
    return address < end ? (size_t)(end - address) : 0;
}

static void test_callers(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        struct cairn_pe_options options = pe_bench_order(n);

        options.aborts = half;
        pe_bench_begin(&b, BASE, &options);
        pe_bench_run(&b, PE_BENCH_OWNED_BY_EL1 "abort 0x80000200 1 async\n" BUFFER TRACED DRAINED);
        assert_int_equal(b.status, STAGE1 | IRQ | EA | S | SYNCHRONOUS);
        assert_int_equal(b.value, BASE + 0x180);
        assert_int_equal(b.written, 0x180);
        pe_bench_end(&b);
    }
}

/* What is said of a part of an area leaves the rest of it. */
static void test_areas(void **state)
{
    static const struct {
        const char *text;
        uint64_t at;
    } rows[] = {
        {"abort 0x80000000 65536\nabort 0x80000000 0x140 none\n", 0x140},
        {"abort 0x80000100 4096\nabort 0x80000180 16 none\n", 0x100},
        {"abort 0x80000100 4096\nabort 0x80000100 16 async\nabort 0x80000100 16 none\n", 0x110},
        {"abort 0x80000100 4096\nabort 0x80000180 16 async\n", 0x100},
        {"abort 0x80000100 0x100\nabort 0x80000180 4096\nabort 0x80000000 0x1ff none\n", 0x1ff},
        {"abort 0x80000000 0xffffffff80000000\nabort 0 0x80000150 none\n", 0x150},
    };
    static struct pe_bench b;
    struct cairn_error error;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&b, 0);
        pe_bench_run(&b, PE_BENCH_OWNED_BY_EL1);
        pe_bench_run(&b, rows[i].text);
        pe_bench_run(&b, BUFFER TRACED DRAINED);
        assert_int_equal(b.status, STAGE1 | IRQ | EA | S | SYNCHRONOUS);
        assert_int_equal(b.value, BASE + rows[i].at);
        pe_bench_end(&b);
    }
    /* Parts have to have room: each takes one more. */
    begin(&b, 0);
    pe_bench_run(&b, "abort 0x1000 0xfffffffffffff000\n");
    for (unsigned i = 1; i < 16; i++) {
        char text[64];

        snprintf(text, sizeof text, "abort 0x%x 1 none\n", 0x1000 + 16 * i);
        pe_bench_run(&b, text);
    }
    assert_int_equal(pe_bench_try(&b, "abort 0x8000 1 none\n", &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "there are 16 areas already"));
    pe_bench_run(&b, "abort 0 0xffffffffffffffff none\n");
    pe_bench_end(&b);
}

/* Memory that is mended; and lines that cannot be. */
static void test_words(void **state)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"abort 0x80000000\n", "something is missing"},
        {"abort 0x80000000 0\n", "no such addresses"},
        {"abort 0xffffffffffffffff 2\n", "no such addresses"},
        {"abort 0 4096 later\n", "later is no kind of abort"},
        {"abort 0 4096 sync 1\n", "words left over"},
    };
    static struct pe_bench b;
    struct cairn_error error;

    (void)state;
    begin(&b, 0);
    pe_bench_run(&b, PE_BENCH_OWNED_BY_EL1
                 "abort 0x80000101 1\nabort 0x80000100 4 none\n" BUFFER TRACED DRAINED);
    assert_int_equal(b.status, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(pe_bench_try(&b, wrong[i].text, &error) != CAIRN_OK);
        if (!strstr(error.text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].text, error.text);
    }
    for (unsigned i = 0; i < 16; i++) {
        char text[64];

        snprintf(text, sizeof text, "abort 0x%x 1\n", i);
        pe_bench_run(&b, text);
    }
    assert_int_equal(pe_bench_try(&b, "abort 16 1\n", &error), CAIRN_E_CONFIG);
    pe_bench_run(&b, "abort 0 16 none\nabort 16 1\n");
    pe_bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synchronous), cmocka_unit_test(test_asynchronous),
        cmocka_unit_test(test_completion),  cmocka_unit_test(test_system_error),
        cmocka_unit_test(test_translated),  cmocka_unit_test(test_callers),
        cmocka_unit_test(test_areas),       cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
