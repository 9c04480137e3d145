/* SPDX-License-Identifier: BSD-2-Clause */
/* ViewInst, and the regions of branch broadcasting and Q elements, as functions: DDI0608 D6.8,
 * D6.10. What the whole unit makes of them: test_view.c. */
#include "filter_bench.h"

/* --- ViewInst --- */

static void test_view_terms(void **state)
{
    struct bench b;
    (void)state;
    for (unsigned terms = 0; terms < 16; terms++) {
        begin(&b);
        set_range(&b, 0, 0x1000, 0x1000);
        set(&b, "TRCVIIECTLR", terms & 1 ? 0x00000001 : 0x00010000);
        set(&b, "TRCVICTLR",
            (terms & 2 ? 1u : 0u) | (terms & 4 ? 0x200u : 0u) | (terms & 8 ? 0u : 0x200000u));
        assert_int_equal(view(&b), terms == 15);
    }
}

static void test_view_levels(void **state)
{
    struct bench b;
    (void)state;
    for (unsigned bit = 16; bit <= 26; bit++) {
        if (bit == 23)
            continue;
        begin(&b);
        set(&b, "TRCVICTLR", 0x201 | 1u << bit);
        for (unsigned i = 0; i < LEVELS; i++) {
            in(&b, levels[i].security, levels[i].EL);
            /* proves: R_LWYJR */
            assert_int_equal(view(&b), levels[i].bit != bit);
        }
    }
}

static void test_view_event(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    set(&b, "TRCVICTLR", 0x200); /* selector 0: FALSE */
    assert_false(view(&b));
    set(&b, "TRCVICTLR", 0x202); /* selector 2: input 3 */
    set(&b, "TRCRSCTLR2", 0x8);
    assert_false(view(&b));
    b.input.inputs = 0x8;
    assert_true(view(&b));
    set(&b, "TRCVICTLR", 0x281); /* pair 1: inputs 3 and 0 */
    set(&b, "TRCRSCTLR3", 0x1);
    /* proves: R_BQWNP */
    assert_false(view(&b));
    b.input.inputs = 0x9;
    /* proves: R_BQWNP, S_MSHWC */
    assert_true(view(&b));
}

/* --- start and stop --- */

/* Points: start at SAC 0, stop at SAC 1, inactive at first. */
static void begin_start_stop(struct bench *b, uint64_t start, uint64_t stop)
{
    begin(b);
    set(b, "TRCACVR0", start);
    set(b, "TRCACVR1", stop);
    set(b, "TRCVISSCTLR", 0x00020001);
    set(b, "TRCVICTLR", 0x001);
}

static void test_start_stop_instructions(void **state)
{
    struct bench b;
    (void)state;
    begin_start_stop(&b, 0x1004, 0x100c);
    assert_false(view_at(&b, 0x1000, 1));
    /* proves: R_MVDJT */
    assert_true(view_at(&b, 0x1004, 1));
    assert_true(view_at(&b, 0x8000, 1)); /* what it calls */
    assert_true(view_at(&b, 0x100c, 1));
    /* proves: R_CDFBP */
    assert_false(view_at(&b, 0x1010, 1));
    assert_false(view_at(&b, 0x1008, 1));
}

/* The equations D6.17 to D6.23 over blocks of one instruction. */
static void test_start_stop_equations(void **state)
{
    struct bench b;
    uint32_t seed = 1;
    (void)state;
    for (unsigned round = 0; round < 64; round++) {
        begin(&b);
        for (unsigned n = 0; n < 16; n++)
            set_n(&b, "TRCACVR", n, 0x1000 + 4 * n);
        uint32_t controls[2];
        for (unsigned i = 0; i < 2; i++) {
            seed = seed * 1664525 + 1013904223;
            controls[i] = seed;
        }
        /* A start that is a stop as well is UNPREDICTABLE (R_XHFYQ). */
        uint32_t start = controls[0] & 0xffff, stop = controls[0] >> 16 & ~start;
        uint32_t pe_start = controls[1] & 0xff, pe_stop = controls[1] >> 16 & 0xff & ~pe_start;
        set(&b, "TRCVISSCTLR", start | stop << 16);
        set(&b, "TRCVIPCSSCTLR", pe_start | pe_stop << 16);
        set(&b, "TRCVICTLR", round & 1 ? 0x201 : 0x001);
        bool status = round & 1;
        for (unsigned step = 0; step < 200; step++) {
            seed = seed * 1664525 + 1013904223;
            unsigned n = seed >> 16 & 0x1f; /* 16 to 31: no comparator there */
            b.input.pe_matches = 0;
            if ((seed >> 24 & 3) == 0)
                b.input.pe_matches = (uint8_t)(1u << (seed >> 28 & 7));
            bool starts = (n < 16 && (start >> n & 1)) || (b.input.pe_matches & pe_start);
            bool stops = (n < 16 && (stop >> n & 1)) || (b.input.pe_matches & pe_stop);
            bool s = status || starts;
            status = s && !stops;
            assert_int_equal(view_at(&b, 0x1000 + 4 * n, 1), s);
            /* proves: R_KCYTR */
            assert_int_equal(b.active, status);
        }
    }
}

static void test_start_stop_blocks(void **state)
{
    struct bench b;
    (void)state;
    /* Instructions at 0x1000 to 0x101c; starts at 0x1008. */
    begin_start_stop(&b, 0x1008, 0x2008);
    bool whole_block = view_at(&b, 0x1000, 8);
    /* proves: R_PTTKL */
    assert_true(whole_block && b.active);
    whole_block = view_at(&b, 0x2000, 8);
    /* proves: R_WJLMR */
    assert_true(whole_block && !b.active);
    assert_false(view_at(&b, 0x3000, 8));
    /* A stop alone does not activate. */
    assert_false(view_at(&b, 0x2000, 8));
    /* A start in the block behind a stop. */
    b.active = true;
    assert_true(view_at(&b, 0x2000, 8));
    /* proves: R_WJLMR */
    assert_true(view_at(&b, 0x1000, 8));
}

static void test_start_stop_order(void **state)
{
    struct bench b;
    (void)state;
    begin_start_stop(&b, 0x1004, 0x1010); /* start, then stop */
    bool whole_block = view_at(&b, 0x1000, 8);
    /* proves: R_SMGJZ */
    assert_true(whole_block && !b.active);
    begin_start_stop(&b, 0x1010, 0x1004); /* stop, then start */
    whole_block = view_at(&b, 0x1000, 8);
    /* proves: R_SMGJZ */
    assert_true(whole_block && b.active);
    whole_block = view_at(&b, 0x1000, 8);
    assert_true(whole_block && b.active);
    /* The last of many decides: start 0x1000, stop 0x1004, start 0x1008, stop 0x100c. */
    begin(&b);
    for (unsigned n = 0; n < 4; n++)
        set_n(&b, "TRCACVR", n, 0x1000 + 4 * n);
    set(&b, "TRCVISSCTLR", 0x000a0005);
    set(&b, "TRCVICTLR", 0x001);
    for (uint32_t count = 1; count <= 4; count++) {
        b.active = false;
        assert_true(view_at(&b, 0x1000, count));
        /* proves: R_SMGJZ */
        assert_int_equal(b.active, count % 2 == 1);
    }
}

/* The other terms do not hold the function back. */
static void test_start_stop_while_filtered(void **state)
{
    struct bench b;
    (void)state;
    begin_start_stop(&b, 0x1004, 0x100c);
    set(&b, "TRCVICTLR", 0x00200001); /* Non-secure EL1 is left out */
    assert_false(view_at(&b, 0x1004, 1));
    in(&b, CAIRN_NONSECURE, 0);
    assert_true(view_at(&b, 0x1008, 1));
    in(&b, CAIRN_NONSECURE, 1);
    assert_false(view_at(&b, 0x100c, 1));
    in(&b, CAIRN_NONSECURE, 0);
    assert_false(view_at(&b, 0x1010, 1));
}

/* A start point is a comparator with its conditions. */
static void test_start_stop_conditions(void **state)
{
    struct bench b;
    (void)state;
    begin_start_stop(&b, 0x1004, 0x100c);
    set(&b, "TRCACATR0", 0x2004); /* not in Non-secure EL1; context id comparator 0 */
    set(&b, "TRCCIDCVR0", 7);
    b.context.context_id = 7;
    assert_false(view_at(&b, 0x1004, 1));
    in(&b, CAIRN_NONSECURE, 0);
    b.context.context_id = 8;
    assert_false(view_at(&b, 0x1004, 1));
    b.context.context_id = 7;
    assert_true(view_at(&b, 0x1004, 1));
}

/* --- include and exclude --- */

static void test_include_exclude(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    set_range(&b, 0, 0x1000, 0x10fc);
    set_range(&b, 7, 0x3000, 0x30fc);
    set_range(&b, 2, 0x1080, 0x108c);
    /* {INCLUDE, EXCLUDE} over addresses in range 0, in 0 and 2, in 7, in none. */
    static const struct {
        uint32_t control;
        bool expected[4];
    } rows[] = {
        {0x00000000, {true, true, true, true}},     {0x00000001, {true, true, false, false}},
        {0x00000081, {true, true, true, false}},    {0x00040000, {true, false, true, true}},
        {0x00840000, {true, false, false, true}},   {0x00040001, {true, false, false, false}},
        {0x00040081, {true, false, true, false}},   {0x00010001, {false, false, false, false}},
        {0x00010004, {false, false, false, false}},
    };
    static const uint64_t addresses[4] = {0x1000, 0x1088, 0x30fc, 0x2000};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set(&b, "TRCVIIECTLR", rows[i].control);
        for (unsigned a = 0; a < 4; a++) {
            bool viewed = view_at(&b, addresses[a], 1);
            /* proves: R_SKZHH */
            assert_int_equal(viewed, rows[i].expected[a]);
        }
    }
}

static void test_include_exclude_blocks(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    set_range(&b, 0, 0x100c, 0x10fc);
    set(&b, "TRCVIIECTLR", 0x00000001);
    bool last_included = view_at(&b, 0x1000, 4);
    /* proves: R_RNPWD */
    assert_true(last_included);
    assert_false(view_at(&b, 0x1000, 3));
    set_range(&b, 0, 0x0f00, 0x1000);
    bool first_included = view_at(&b, 0x1000, 4);
    /* proves: R_RNPWD */
    assert_true(first_included);
    assert_false(view_at(&b, 0x1004, 3));
    /* The choice of this unit: any byte of an instruction is one inside the range. */
    set_range(&b, 0, 0x1003, 0x10fc);
    bool last_byte_included = view_at(&b, 0x1000, 1);
    /* proves: I_RPFWZ */
    assert_true(last_byte_included && !view_at(&b, 0x0ffc, 1));

    begin(&b);
    set_range(&b, 0, 0x1004, 0x100c);
    set(&b, "TRCVIIECTLR", 0x00010000);
    bool first_remains = view_at(&b, 0x1000, 4);
    bool last_remains = view_at(&b, 0x1004, 4);
    bool none_remains = view_at(&b, 0x1004, 3);
    /* proves: R_PLCQJ */
    assert_true(first_remains && last_remains && !none_remains);
}

/* Where one range does not cover the block the unit may do either: this one does not exclude it. */
static void test_exclude_two_ranges(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    set_range(&b, 0, 0x1000, 0x1004);
    set_range(&b, 1, 0x1008, 0x100c);
    set(&b, "TRCVIIECTLR", 0x00030000);
    bool between_two = view_at(&b, 0x1000, 4);
    set_range(&b, 1, 0x1000, 0x100c);
    bool in_one = view_at(&b, 0x1000, 4);
    /* proves: I_LBNVM */
    assert_true(between_two && !in_one);
}

/* --- regions --- */

static void test_broadcast_regions(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    set_range(&b, 0, 0x1000, 0x100c);
    set(&b, "TRCBBCTLR", 0x101);                                 /* include */
    assert_false(cairn_filter_broadcasts(&b.program, &b.input)); /* off: TRCCONFIGR.BB */
    set(&b, "TRCCONFIGR", 0x9);
    static const uint64_t outside[] = {0x0ffc, 0x1010};
    static const uint64_t inside[] = {0x1000, 0x100c};
    for (unsigned i = 0; i < 2; i++) {
        set(&b, "TRCBBCTLR", 0x101);
        at(&b, inside[i], 1);
        /* proves: I_DCYQT */
        assert_true(cairn_filter_broadcasts(&b.program, &b.input));
        at(&b, outside[i], 1);
        /* proves: I_DCYQT */
        assert_false(cairn_filter_broadcasts(&b.program, &b.input));
        set(&b, "TRCBBCTLR", 0x001); /* exclude */
        at(&b, inside[i], 1);
        /* proves: I_DCYQT */
        assert_false(cairn_filter_broadcasts(&b.program, &b.input));
        at(&b, outside[i], 1);
        /* proves: I_DCYQT */
        assert_true(cairn_filter_broadcasts(&b.program, &b.input));
    }
    /* The P0 instruction counts, not its block: here it is at 0x1010. */
    at(&b, 0x1000, 5);
    assert_true(cairn_filter_broadcasts(&b.program, &b.input));
    set(&b, "TRCBBCTLR", 0x101);
    assert_false(cairn_filter_broadcasts(&b.program, &b.input));
}

static void test_broadcast_without_ranges(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    set(&b, "TRCIDR4", 0x000f0000); /* no address comparators: no TRCBBCTLR */
    struct cairn_error error;
    assert_int_equal(cairn_unit_registers_write(&b.registers, "TRCBBCTLR", 0x101, false, &error),
                     CAIRN_E_CONFIG);
    set(&b, "TRCCONFIGR", 0x9);
    static const uint64_t anywhere[] = {0, 0x1000, UINT64_C(0xfffffffffffffffc)};
    for (unsigned i = 0; i < 3; i++) {
        at(&b, anywhere[i], 1);
        /* proves: R_XSVSX */
        assert_true(cairn_filter_broadcasts(&b.program, &b.input));
    }
}

static bool allows_q_at(struct bench *b, uint64_t address, uint32_t instructions)
{
    at(b, address, instructions);
    return cairn_filter_allows_q(&b->program, &b->input);
}

static void test_q_regions(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    set_range(&b, 0, 0x1000, 0x100c);
    set_range(&b, 1, 0x2000, 0x200c);
    set(&b, "TRCQCTLR", 0x103);               /* include */
    assert_false(allows_q_at(&b, 0x1000, 1)); /* off: TRCCONFIGR.QE */
    static const uint64_t inside[] = {0x1000, 0x100c, 0x2000, 0x200c};
    static const uint64_t outside[] = {0x0ffc, 0x1010, 0x1ffc, 0x2010};
    set(&b, "TRCCONFIGR", 0x6001);
    for (unsigned i = 0; i < 4; i++) {
        set(&b, "TRCQCTLR", 0x103);
        /* proves: R_DSFJZ, R_NQSLs */
        assert_true(allows_q_at(&b, inside[i], 1) && !allows_q_at(&b, outside[i], 1));
        set(&b, "TRCQCTLR", 0x003); /* exclude */
        /* proves: R_WXRDY, R_NQSLs */
        assert_true(!allows_q_at(&b, inside[i], 1) && allows_q_at(&b, outside[i], 1));
    }
    /* One instruction of the block is where it is permitted. */
    set(&b, "TRCQCTLR", 0x101);
    bool reaches_in = allows_q_at(&b, 0x0ff0, 5);
    set(&b, "TRCQCTLR", 0x001);
    bool reaches_out = allows_q_at(&b, 0x1000, 5);
    bool all_in = allows_q_at(&b, 0x1000, 4);
    /* proves: R_RBPJF */
    assert_true(reaches_in && reaches_out && !all_in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view_terms),
        cmocka_unit_test(test_view_levels),
        cmocka_unit_test(test_view_event),
        cmocka_unit_test(test_start_stop_instructions),
        cmocka_unit_test(test_start_stop_equations),
        cmocka_unit_test(test_start_stop_blocks),
        cmocka_unit_test(test_start_stop_order),
        cmocka_unit_test(test_start_stop_while_filtered),
        cmocka_unit_test(test_start_stop_conditions),
        cmocka_unit_test(test_include_exclude),
        cmocka_unit_test(test_include_exclude_blocks),
        cmocka_unit_test(test_exclude_two_ranges),
        cmocka_unit_test(test_broadcast_regions),
        cmocka_unit_test(test_broadcast_without_ranges),
        cmocka_unit_test(test_q_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
