/* SPDX-License-Identifier: BSD-2-Clause */
/* Identifiers of a context are those that software wrote: the bytes of Context and Address with Context packets, as D5.55 has them. */
#include "bench.h"

#define CIDS "msr TRCCONFIGR, 0x41\n"
#define BOTH "msr TRCCONFIGR, 0xc1\n"
#define ON                                                                                         \
    "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000000\nmsr TRBLIMITR_EL1, 0x80001001\n"    \
    "isb\nmsr TRCPRGCTLR, 1\nisb\n"
#define USER "enter EL0n\nrun 100\nenter EL1n\n"
#define OFF "tsb\ndsb\nisb\n"

static struct pe_bench bench;

/* Once: packets of several such bytes are not made by anything else here. */
static size_t place_of(const char *bytes, size_t size)
{
    for (size_t i = 0; i + size <= bench.written; i++)
        if (memcmp(bench.memory + i, bytes, size) == 0)
            return i;
    return SIZE_MAX;
}
#define PLACE_OF(text) place_of(text, sizeof(text) - 1)

static void run(unsigned order, const char *first, const char *then)
{
    const struct cairn_pe_options options = pe_bench_order(order);

    pe_bench_begin(&bench, 0x80000000, &options);
    pe_bench_run(&bench, first);
    pe_bench_run(&bench, PE_BENCH_OWNED_BY_EL1);
    pe_bench_run(&bench, then);
}

/* V, C, Non-secure, AArch64, EL0; VMID; context identifier. */
static void test_written(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 3; order++) {
        run(order, "msr TRFCR_EL2, 8\nmsr CONTEXTIDR_EL2, 0x7060504\n",
            BOTH "msr CONTEXTIDR_EL1, 0x12345678\n" ON USER
                 "msr CONTEXTIDR_EL1, 0x9abcdef0\nisb\n" USER OFF);
        const size_t first = PLACE_OF("\xf0\x04\x05\x06\x07\x78\x56\x34\x12");
        const size_t second = PLACE_OF("\xb0\xf0\xde\xbc\x9a");

        /* proves: R_PTVYD, R_MKKZN */
        assert_true(first < bench.written && second < bench.written);
        assert_true(first < second);
        pe_bench_end(&bench);
    }
}

static void test_disallowed(void **state)
{
    (void)state;
    run(0, "msr TRFCR_EL2, 0\nmsr CONTEXTIDR_EL2, 0x7060504\n",
        BOTH "msr CONTEXTIDR_EL1, 0x12345678\n" ON USER OFF);
    const size_t of_EL2 = PLACE_OF("\x04\x05\x06\x07");
    const size_t of_EL1 = PLACE_OF("\x78\x56\x34\x12");

    /* proves: R_JNXJT */
    assert_true(of_EL2 == SIZE_MAX);
    assert_true(of_EL1 != SIZE_MAX);
    pe_bench_end(&bench);
}

/* Until software wrote one, whoever told the context knows them. */
static void test_told(void **state)
{
    struct cairn_context context = {.SF = 1, .security = CAIRN_NONSECURE, .context_id = 0x55667788};

    (void)state;
    run(0, "", CIDS ON);
    cairn_pe_enter(bench.pe, &context);
    pe_bench_run(&bench, "run 100\nenter EL1n\n" OFF);
    assert_true(PLACE_OF("\xb0\x88\x77\x66\x55") != SIZE_MAX);
    pe_bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_disallowed),
        cmocka_unit_test(test_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
