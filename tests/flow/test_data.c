/* SPDX-License-Identifier: BSD-2-Clause */
/* Which instruction each data transfer of ETMv3 belongs to, and the engine with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "bench.h"

enum {
    DATA = CAIRN_ELEMENT_DATA,
    CANCELLED = CAIRN_ELEMENT_CANCELLED,
    BASE = 0x1000,
};

static const struct cairn_follow_rules etmv3 = {.every_instruction = true, .return_packets = true};
static const struct cairn_follow_rules etmv3_m = {
    .every_instruction = true, .return_packets = true, .m_profile = true};

static const uint32_t code[] = {
    /* 1000 */ 0xe5910000, /* LDR r0, [r1] */
    /* 1004 */ 0xe2800001, /* ADD r0, r0, #1 */
    /* 1008 */ 0xe8a1000c, /* STM r1!, {r2, r3} */
    /* 100c */ 0xee110f10, /* MRC p15, 0, r0, c1, c0, 0 */
    /* 1010 */ 0x15910000, /* LDRNE r0, [r1] */
    /* 1014 */ 0xe320f000, /* NOP */
};

static void begin(struct bench *b, const struct cairn_follow_rules *rules)
{
    bench_begin(b, NULL, rules, BASE, BENCH_CODE(code));
    bench_start(b, BASE);
}

static void put_data(struct bench *b, enum cairn_data_kind kind, uint32_t address, uint32_t value)
{
    const struct cairn_element_data data = {.address = address,
                                            .value = value,
                                            .cycles = CAIRN_DATA_FORM(kind, 4, 0),
                                            .info = CAIRN_DATA_HAS_ADDRESS | CAIRN_DATA_HAS_VALUE};

    assert_true(script_put(&b->script, DATA, 0, &data));
}

static void data_is_of_the_last_instruction_that_has_any(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, &etmv3);
    put_data(&b, CAIRN_DATA_NORMAL, 0x10, 1); /* of what came before */
    bench_atoms(&b, "E");
    put_data(&b, CAIRN_DATA_NORMAL, 0x8000, 2);
    bench_atoms(&b, "EE");
    put_data(&b, CAIRN_DATA_NORMAL, 0x8004, 3);
    put_data(&b, CAIRN_DATA_NORMAL, 0x8008, 4);
    bench_atoms(&b, "EN"); /* MRC is not traced, and LDRNE did not load */
    put_data(&b, CAIRN_DATA_STORE_FAILED, 0, 0);
    bench_expect(&b, "data 0 at 10 = 1 of ?\n"
                     "range 1000 1004 1 E\n"
                     "data 0 at 8000 = 2 of 1000[0]\n"
                     "range 1004 1008 1 E\n"
                     "range 1008 100c 1 E\n"
                     "data 0 at 8004 = 3 of 1008[0]\n"
                     "data 0 at 8008 = 4 of 1008[1]\n"
                     "range 100c 1010 1 E\n"
                     "range 1010 1014 1 N\n"
                     "data 5 at 0 = 0 of 1008[1]\n");
    bench_end(&b);
}

static void a_coprocessor_has_data_if_it_is_traced(void **state)
{
    struct cairn_follow_rules rules = etmv3;
    struct bench b;

    (void)state;
    rules.coprocessor_data = true;
    begin(&b, &rules);
    bench_atoms(&b, "EEEE");
    put_data(&b, CAIRN_DATA_NORMAL, 0, 7);
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "range 1004 1008 1 E\n"
                     "range 1008 100c 1 E\n"
                     "range 100c 1010 1 E\n"
                     "data 0 at 0 = 7 of 100c[0]\n");
    bench_end(&b);
}

static void data_of_what_did_not_execute_is_dropped(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, &etmv3);
    bench_atoms(&b, "EE");
    bench_put(&b, CANCELLED, CAIRN_ELEMENT_E, 0, 0); /* the STM */
    put_data(&b, CAIRN_DATA_NORMAL, 0x8004, 3);
    put_data(&b, CAIRN_DATA_LATE, 32, 4); /* an older one's */
    bench_atoms(&b, "E");
    bench_put(&b, CANCELLED, CAIRN_ELEMENT_E, 0, 0); /* the MRC, which has none: the STM's */
    put_data(&b, CAIRN_DATA_NORMAL, 0x8008, 5);
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "range 1004 1008 1 E\n"
                     "data 2 = 4 of packet 32\n"
                     "range 1008 100c 1 E\n"
                     "data 0 at 8008 = 5 of 1008[0]\n");
    bench_end(&b);
}

/* Told as N it is no data instruction (IHI0014 7.3.2): data behind it is the older one's. */
static void what_was_cancelled_as_n_has_no_data(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, &etmv3);
    bench_atoms(&b, "EE");
    bench_put(&b, CANCELLED, 0, 0, 0); /* the STM */
    put_data(&b, CAIRN_DATA_NORMAL, 0x8000, 3);
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "range 1004 1008 1 E\n"
                     "data 0 at 8000 = 3 of 1000[0]\n");
    bench_end(&b);
}

/* A late value that was not stored is its placeholder's, like the value: not the instruction's that
 * was executed last (IHI0014 7.4.7). */
static void a_late_store_that_failed_is_its_placeholders(void **state)
{
    const struct cairn_element_data late = {
        .address = 32,
        .cycles = CAIRN_DATA_FORM(CAIRN_DATA_LATE, 0, 1),
        .info = CAIRN_DATA_HAS_VALUE,
    };
    const struct cairn_element_data failed = {
        .address = 32, .cycles = CAIRN_DATA_FORM(CAIRN_DATA_STORE_FAILED, 0, 1)};
    const struct cairn_element_data waits = {.cycles =
                                                 CAIRN_DATA_FORM(CAIRN_DATA_PLACEHOLDER, 0, 1)};
    struct bench b;

    (void)state;
    begin(&b, &etmv3);
    bench_atoms(&b, "E");
    put_data(&b, CAIRN_DATA_NORMAL, 0x8000, 1);
    assert_true(script_put(&b.script, DATA, 0, &late));
    assert_true(script_put(&b.script, DATA, 0, &failed));
    assert_true(script_put(&b.script, DATA, CAIRN_ELEMENT_UNKNOWN, &failed));
    bench_atoms(&b, "E");
    bench_put(&b, CANCELLED, CAIRN_ELEMENT_E, 0, 0); /* the STM */
    assert_true(script_put(&b.script, DATA, 0, &waits));
    assert_true(script_put(&b.script, DATA, 0, &late));
    assert_true(script_put(&b.script, DATA, 0, &failed));
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "data 0 at 8000 = 1 of 1000[0]\n"
                     "data 2 = 0 of packet 32\n"
                     "data 5 of packet 32\n"
                     "data 5 of ?\n"
                     "range 1004 1008 1 E\n");
    bench_end(&b);
}

/* From there on data is missing, of whatever else executes (IHI0014 7.4.6). */
static void suppression_is_told_behind_what_did_not_execute(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, &etmv3);
    bench_atoms(&b, "EE");
    bench_put(&b, CANCELLED, CAIRN_ELEMENT_E, 0, 0);
    put_data(&b, CAIRN_DATA_NORMAL, 0x8004, 3);
    put_data(&b, CAIRN_DATA_SUPPRESSED, 0, 0);
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "range 1004 1008 1 E\n"
                     "data 4 at 0 = 0 of ?\n");
    bench_end(&b);
}

/* An instruction is about to go on behind its first transfer, and something else comes in front of
 * it: what executes then counts from the start. */
static void nothing_else_is_resumed(void **state)
{
    static const struct {
        unsigned kind, flags;
        const char *expected;
    } cases[] = {
        {CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN, "exception 0 1008\n"},
        {CANCELLED, CAIRN_ELEMENT_E, ""},
        {CAIRN_ELEMENT_TRACE_ON, 0, ""},
    };
    const struct cairn_element_data resumed = {.address = 0x1008, .info = 1};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        char expected[200];

        begin(&b, &etmv3_m);
        bench_atoms(&b, "EE");
        assert_true(
            script_put(&b.script, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_PAUSED, &resumed));
        bench_put(&b, cases[i].kind, cases[i].flags, 0, 0);
        bench_address(&b, BASE);
        bench_atoms(&b, "E");
        put_data(&b, CAIRN_DATA_NORMAL, 0x8000, 3);
        snprintf(expected, sizeof expected,
                 "range 1000 1004 1 E\n"
                 "range 1004 1008 1 E\n"
                 "%srange 1000 1004 1 E%s\n"
                 "data 0 at 8000 = 3 of 1000[0]\n",
                 cases[i].expected, cases[i].kind == CANCELLED ? "" : " first");
        bench_expect(&b, expected);
        bench_end(&b);
    }
}

static void a_paused_instruction_keeps_its_data(void **state)
{
    const struct cairn_element_data resumed = {.address = 0x1008, .info = 1};
    struct bench b;

    (void)state;
    begin(&b, &etmv3_m);
    bench_atoms(&b, "EE");
    bench_put(&b, CANCELLED, CAIRN_ELEMENT_E | CAIRN_ELEMENT_PAUSED, 0, 0);
    put_data(&b, CAIRN_DATA_NORMAL, 0x8004, 3);
    bench_put(&b, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN, 0, 14);
    bench_address(&b, BASE);
    bench_atoms(&b, "E");
    put_data(&b, CAIRN_DATA_NORMAL, 0x8000, 4);
    assert_true(
        script_put(&b.script, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_PAUSED, &resumed));
    bench_atoms(&b, "E"); /* the second of its transfers is left */
    put_data(&b, CAIRN_DATA_NORMAL, 0x8008, 5);
    bench_address(&b, BASE);
    bench_atoms(&b, "E");
    put_data(&b, CAIRN_DATA_NORMAL, 0x8000, 6);
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "range 1004 1008 1 E\n"
                     "data 0 at 8004 = 3 of 1008[0]\n"
                     "exception 14 1008\n"
                     "range 1000 1004 1 E first\n"
                     "data 0 at 8000 = 4 of 1000[0]\n"
                     "warning mismatch 1008\n"
                     "range 1008 100c 1 E\n"
                     "data 0 at 8008 = 5 of 1008[1]\n"
                     "warning mismatch 1000\n"
                     "range 1000 1004 1 E\n"
                     "data 0 at 8000 = 6 of 1000[0]\n");
    bench_end(&b);
}

static void the_core_stacks_by_itself(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned m = 0; m < 2; m++) {
        begin(&b, m ? &etmv3_m : &etmv3);
        bench_atoms(&b, "E");
        bench_put(&b, CAIRN_ELEMENT_STACKING, 0, 0, 0);
        put_data(&b, CAIRN_DATA_NORMAL, 0x9000, 1);
        bench_atoms(&b, "E");
        put_data(&b, CAIRN_DATA_NORMAL, 0x8000, 2); /* the LDR's, which is late */
        bench_expect(&b, "range 1000 1004 1 E\n"
                         "data 0 at 9000 = 1 of core\n"
                         "range 1004 1008 1 E\n"
                         "data 0 at 8000 = 2 of 1000[0]\n");
        /* A return unstacks on the M profile; elsewhere its instruction loads. */
        bench_start(&b, BASE);
        bench_atoms(&b, "E");
        bench_put(&b, CAIRN_ELEMENT_EXCEPTION_RETURN, 0, 0, 0);
        put_data(&b, CAIRN_DATA_NORMAL, 0x9000, 1);
        bench_expect(&b, m ? "range 1000 1004 1 E\n"
                             "return 1004\n"
                             "data 0 at 9000 = 1 of core\n"
                           : "range 1000 1004 1 E\n"
                             "return 1004\n"
                             "data 0 at 9000 = 1 of 1000[0]\n");
        bench_end(&b);
    }
}

static void data_behind_a_gap_is_of_nothing_known(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, &etmv3);
    bench_atoms(&b, "E");
    bench_put(&b, CAIRN_ELEMENT_TRACE_ON, 0, 0, 0);
    put_data(&b, CAIRN_DATA_NORMAL, 0x8000, 1);
    bench_address(&b, 0x2000); /* no memory */
    bench_atoms(&b, "E");
    put_data(&b, CAIRN_DATA_NORMAL, 0x8004, 2);
    bench_put(&b, CANCELLED, CAIRN_ELEMENT_E, 0, 0);
    put_data(&b, CAIRN_DATA_NORMAL, 0x8008, 3);
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "data 0 at 8000 = 1 of ?\n"
                     "gap no-image 2000\n"
                     "data 0 at 8004 = 2 of ?\n"
                     "data 0 at 8008 = 3 of ?\n");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_is_of_the_last_instruction_that_has_any),
        cmocka_unit_test(a_coprocessor_has_data_if_it_is_traced),
        cmocka_unit_test(data_of_what_did_not_execute_is_dropped),
        cmocka_unit_test(a_late_store_that_failed_is_its_placeholders),
        cmocka_unit_test(what_was_cancelled_as_n_has_no_data),
        cmocka_unit_test(suppression_is_told_behind_what_did_not_execute),
        cmocka_unit_test(nothing_else_is_resumed),
        cmocka_unit_test(a_paused_instruction_keeps_its_data),
        cmocka_unit_test(the_core_stacks_by_itself),
        cmocka_unit_test(data_behind_a_gap_is_of_nothing_known),
    };

    return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
