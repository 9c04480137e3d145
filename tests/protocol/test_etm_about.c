/* SPDX-License-Identifier: BSD-2-Clause */
/* What ETMv3 and PTM say of their registers: numbers from IHI0014 3.3 and IHI0035 3.16, each
 * register's offset; and the fields that tell of the length of packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/unit.h>

#include "about_numbers.h"

static void test_etm_numbers(void **state)
{
    static const struct offset rows[] = {
        {"ETMCR", 0x000},     {"ETMCCR", 0x004}, {"ETMTEEVR", 0x020}, {"ETMTECR1", 0x024},
        {"ETMSYNCFR", 0x1e0}, {"ETMIDR", 0x1e4}, {"ETMCCER", 0x1e8},  {"ETMTRACEIDR", 0x200},
    };

    (void)state;
    check_numbers(CAIRN_PROTOCOL_ETMV3, rows, sizeof rows / sizeof rows[0]);
    check_numbers(CAIRN_PROTOCOL_PTM, rows, sizeof rows / sizeof rows[0]);
}

/* ETMIDR[7:4] is the minor version of a PTM: the A9 has PFT 1.0, the A15 1.1. */
static void test_type(void **state)
{
    const struct cairn_register a9 = {"ETMIDR", 0x411cf301u};
    const struct cairn_register a15 = {"etmidr", 0x411cf312u};
    const struct cairn_register none = {"ETMCR", 0};
    const struct cairn_register both[] = {none, {"etmIDR", 0x411cf301u}};
    const struct cairn_about *ptm = cairn_about(CAIRN_PROTOCOL_PTM);

    (void)state;
    assert_string_equal(ptm->type_of(&a9, 1), "PTM1.0");
    assert_string_equal(ptm->type_of(&a15, 1), "PTM1.1");
    assert_string_equal(ptm->type_of(&none, 1), "PTM1.1");
    assert_string_equal(ptm->type_of(both, 2), "PTM1.0");
}

/* Fields that decide how long packets are: where they stand (IHI0014 3.5.1, 3.5.18, 3.5.41;
 * IHI0035 3.11), whether a wrong value loses the framing, since each packet of a frequent kind has another length
 * then, and whether a source without the register has 0 there. */
static void test_parts(void **state)
{
    static const struct {
        enum cairn_protocol_id protocol;
        const char *name;
        unsigned shift, width;
        bool by_frame, may_lack;
    } rows[] = {
        {CAIRN_PROTOCOL_ETMV3, "ETMCR", 14, 2, false, true},
        {CAIRN_PROTOCOL_ETMV3, "ETMCR", 12, 1, false, true},
        {CAIRN_PROTOCOL_ETMV3, "ETMCR", 2, 2, true, true},
        {CAIRN_PROTOCOL_ETMV3, "ETMCR", 30, 1, true, true},
        {CAIRN_PROTOCOL_ETMV3, "ETMIDR", 20, 1, true, false},
        {CAIRN_PROTOCOL_ETMV3, "ETMCCER", 29, 1, false, false},
        {CAIRN_PROTOCOL_PTM, "ETMCR", 14, 2, false, true},
        {CAIRN_PROTOCOL_PTM, "ETMCR", 12, 1, false, true},
        {CAIRN_PROTOCOL_PTM, "ETMCCER", 29, 1, false, false},
    };
    size_t there = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned found = 0;

        for (const struct cairn_register_part *part = cairn_about(rows[i].protocol)->parts;
             part->name; part++)
            found += strcmp(part->name, rows[i].name) == 0 && part->shift == rows[i].shift &&
                     part->width == rows[i].width && part->by_frame == rows[i].by_frame &&
                     part->may_lack == rows[i].may_lack;
        assert_int_equal(found, 1);
    }
    for (size_t p = 0; p < 2; p++)
        for (const struct cairn_register_part *part =
                 cairn_about(p ? CAIRN_PROTOCOL_PTM : CAIRN_PROTOCOL_ETMV3)->parts;
             part->name; part++)
            there++;
    assert_int_equal(there, sizeof rows / sizeof rows[0]);
}

/* Numbers of exceptions (IHI0014 table 7-11, IHI0035 4.5.4) as ETE's packets have them (DDI0608 D5.13);
 * those of ETMv1 are its vectors (IHI0014 4.5.3). */
static void test_exceptions(void **state)
{
    static const struct {
        unsigned type, as;
    } four_bits[] = {
        {1, CAIRN_EXCEPTION_DEBUG_HALT},   {2, CAIRN_EXCEPTION_CALL}, /* SMC */
        {3, CAIRN_EXCEPTION_CALL},                                    /* to Hyp mode */
        {4, CAIRN_EXCEPTION_SYSTEM_ERROR}, {5, CAIRN_EXCEPTION_THUMBEE_CHECK},
        {8, CAIRN_EXCEPTION_PE_RESET},     {9, CAIRN_EXCEPTION_TRAP}, /* Undefined */
        {10, CAIRN_EXCEPTION_CALL},                                   /* SVC */
        {11, CAIRN_EXCEPTION_INST_FAULT},  {12, CAIRN_EXCEPTION_DATA_FAULT},
        {14, CAIRN_EXCEPTION_IRQ},         {15, CAIRN_EXCEPTION_FIQ},
    };
    static const unsigned vectors[] = {
        CAIRN_EXCEPTION_PE_RESET,   CAIRN_EXCEPTION_TRAP,
        CAIRN_EXCEPTION_CALL,       CAIRN_EXCEPTION_INST_FAULT,
        CAIRN_EXCEPTION_DATA_FAULT, CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED,
        CAIRN_EXCEPTION_IRQ,        CAIRN_EXCEPTION_FIQ};
    static const enum cairn_protocol_id protocols[] = {CAIRN_PROTOCOL_PTM, CAIRN_PROTOCOL_ETMV3,
                                                       CAIRN_PROTOCOL_ETMV2};
    const struct cairn_about *etmv1 = cairn_about(CAIRN_PROTOCOL_ETMV1);

    (void)state;
    for (size_t p = 0; p < sizeof protocols / sizeof protocols[0]; p++) {
        const struct cairn_about *about = cairn_about(protocols[p]);
        unsigned expected[16];

        for (unsigned type = 0; type < 16; type++)
            expected[type] = CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED;
        for (size_t i = 0; i < sizeof four_bits / sizeof four_bits[0]; i++)
            expected[four_bits[i].type] = four_bits[i].as;
        assert_int_equal(about->exception_count, 16);
        for (unsigned type = 0; type < 16; type++)
            assert_int_equal(about->exceptions[type], expected[type]);
    }
    assert_int_equal(etmv1->exception_count, 8);
    for (unsigned vector = 0; vector < 8; vector++)
        assert_int_equal(etmv1->exceptions[vector], vectors[vector]);
    assert_null(cairn_about(CAIRN_PROTOCOL_ETE)->exceptions); /* the numbers themselves */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_etm_numbers),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_type),
        cmocka_unit_test(test_exceptions),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
