/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be seen of a PE from outside: what it says that it has, and its interrupt lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <cairn/pe.h>

/* What software reads of how many records there are. */
static void test_identity(void **state)
{
    static const uint32_t records[] = {8, 16, 32, 64};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
        struct cairn_pe *pe;
        uint64_t read = 0;

        options.branch_records = records[i];
        assert_int_equal(cairn_pe_new(&options, &pe, NULL), CAIRN_OK);
        cairn_pe_reset(pe, CAIRN_RESET_COLD, 0, CAIRN_ISA_A64);
        assert_int_equal(cairn_pe_mrs(pe, cairn_pe_encoding("BRBIDR0_EL1"), &read),
                         CAIRN_PE_ANSWER_OK);
        /* proves: R_KSLSM, R_HQXNW */
        assert_int_equal(read, 5u << 12 | records[i]);
        cairn_pe_free(pe);
    }
}

static void count_line(void *context, bool level)
{
    int *levels = context;

    *levels = *levels * 2 + level;
}

/* PMUIRQ is as the flags, the enables and PMCR_EL0.E are. */
static void test_counter_line(void **state)
{
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_pe *pe;
    int levels = 1;

    (void)state;
    options.counter_line = count_line;
    options.context = &levels;
    assert_int_equal(cairn_pe_new(&options, &pe, NULL), CAIRN_OK);
    const uint32_t set = cairn_pe_encoding("PMOVSSET_EL0"),
                   clear = cairn_pe_encoding("PMOVSCLR_EL0");
    assert_int_equal(cairn_pe_msr(pe, cairn_pe_encoding("PMINTENSET_EL1"), 1), CAIRN_PE_ANSWER_OK);
    assert_int_equal(cairn_pe_msr(pe, cairn_pe_encoding("PMCR_EL0"), 1), CAIRN_PE_ANSWER_OK);
    assert_int_equal(levels, 1);
    assert_int_equal(cairn_pe_msr(pe, set, 3), CAIRN_PE_ANSWER_OK);
    assert_int_equal(levels, 3);
    assert_int_equal(cairn_pe_msr(pe, clear, 2), CAIRN_PE_ANSWER_OK);
    assert_int_equal(levels, 3);
    assert_int_equal(cairn_pe_msr(pe, clear, 1), CAIRN_PE_ANSWER_OK);
    assert_int_equal(levels, 6);
    cairn_pe_free(pe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_counter_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
