/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparators, resource selectors, ViewInst and regions as functions: DDI0608 D6.8, D6.10, D7.3 to
 * D7.6. What the whole unit makes of them: test_view.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/filter.h"

/* A programmed unit, and what it looks at. Begins with everything traced, and a block of one A64
 * instruction at 0x1000 in Non-secure EL1. */
struct bench {
    struct cairn_unit_registers registers;
    struct cairn_unit_program program;
    struct cairn_block block;
    struct cairn_context context;
    struct cairn_filter_input input;
    bool active; /* SSSTATUS */
};

static void at(struct bench *b, uint64_t address, uint32_t instructions)
{
    b->block = (struct cairn_block){.address = address,
                                    .size = 4 * instructions,
                                    .count = instructions,
                                    .isa = CAIRN_ISA_A64,
                                    .last_size = 4};
}

static void in(struct bench *b, enum cairn_security security, uint8_t el)
{
    b->context.security = (uint8_t)security;
    b->context.EL = el;
}

static void set(struct bench *b, const char *name, uint64_t value)
{
    struct cairn_error error = {0};
    if (cairn_unit_registers_write(&b->registers, name, value, true, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    struct cairn_unit_state unit;
    cairn_unit_registers_load(&b->registers, &unit);
    b->active = unit.start_stop;
    cairn_unit_program_read(&b->registers, &b->program);
}

static void set_n(struct bench *b, const char *name, unsigned n, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%s%u", name, n);
    set(b, text, value);
}

static void begin(struct bench *b)
{
    const struct cairn_arch arch = {.profile = CAIRN_PROFILE_A, .major = 9, .minor = 2};
    *b = (struct bench){.context = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1}};
    cairn_unit_registers_reset(&b->registers, CAIRN_PROTOCOL_ETE, &arch);
    b->input.block = &b->block;
    b->input.context = &b->context;
    at(b, 0x1000, 1);
    set(b, "TRCIDR4", 0x880f8008); /* with eight PE comparators */
}

static void set_range(struct bench *b, unsigned arc, uint64_t first, uint64_t last)
{
    set_n(b, "TRCACVR", 2 * arc, first);
    set_n(b, "TRCACVR", 2 * arc + 1, last);
}

static bool view(struct bench *b)
{
    return cairn_filter_view(&b->program, &b->input, &b->active);
}

static bool view_at(struct bench *b, uint64_t address, uint32_t instructions)
{
    at(b, address, instructions);
    return view(b);
}

static bool event(struct bench *b, uint8_t select, bool pair)
{
    return cairn_filter_event(
        &b->program, (struct cairn_unit_selection){.select = select, .pair = pair}, &b->input);
}

/* TRCRSCTLR.GROUP */
enum { INPUTS, PES, COUNTERS, SINGLE_SHOTS, SACS, ARCS, CIDS, VMIDS };

/* Resource `number` of a group, through selector 2. */
static bool resource(struct bench *b, unsigned group, unsigned number)
{
    set(b, "TRCRSCTLR2", group << 16 | 1u << number);
    return event(b, 2, false);
}

static bool resource_at(struct bench *b, unsigned group, unsigned number, uint64_t address)
{
    at(b, address, 1);
    return resource(b, group, number);
}

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

/* D6.16: S EL0 to EL2, EL3, NS EL0 to EL2. And Realm EL0 to EL2, where there are realms. */
static const struct {
    enum cairn_security security;
    uint8_t EL;
    uint8_t bit; /* of an EXLEVEL field that begins with Secure EL0, in TRCVICTLR */
} levels[] = {
    {CAIRN_SECURE, 0, 16},    {CAIRN_SECURE, 1, 17},    {CAIRN_SECURE, 2, 18},
    {CAIRN_SECURE, 3, 19},    {CAIRN_NONSECURE, 0, 20}, {CAIRN_NONSECURE, 1, 21},
    {CAIRN_NONSECURE, 2, 22}, {CAIRN_REALM, 0, 24},     {CAIRN_REALM, 1, 25},
    {CAIRN_REALM, 2, 26},     {CAIRN_ROOT, 3, 19},
};
enum { LEVELS = sizeof levels / sizeof *levels };

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

/* --- comparators --- */

static void test_single_address(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    for (unsigned n = 0; n < 16; n++) {
        set_n(&b, "TRCACVR", n, 0x1000);
        bool before = resource_at(&b, SACS, n, 0x0ffc);
        bool behind = resource_at(&b, SACS, n, 0x1004);
        /* proves: R_PYMYZV */
        assert_true(resource_at(&b, SACS, n, 0x1000) && !before && !behind);
        set_n(&b, "TRCACVR", n, 0);
    }
    set(&b, "TRCACVR5", UINT64_C(0xffff800012345678));
    assert_true(resource_at(&b, SACS, 5, UINT64_C(0xffff800012345678)));
    assert_false(resource_at(&b, SACS, 5, UINT64_C(0x0000800012345678)));
    b.input.block = NULL; /* a cycle without a block */
    assert_false(resource(&b, SACS, 5));
}

static void test_range(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    for (unsigned n = 0; n < 8; n++) {
        set_range(&b, n, 0x1000, 0x100c);
        bool before = resource_at(&b, ARCS, n, 0x0ffc);
        bool first = resource_at(&b, ARCS, n, 0x1000);
        bool last = resource_at(&b, ARCS, n, 0x100c);
        bool behind = resource_at(&b, ARCS, n, 0x1010);
        /* proves: R_LLQPL */
        assert_true(!before && first && last && !behind);
    }
    set_range(&b, 0, 0x0ffe, 0x0ffe); /* the lowest byte of a T32 instruction of four */
    b.block = (struct cairn_block){
        .address = 0x0ffe, .size = 4, .count = 1, .isa = CAIRN_ISA_T32, .last_size = 4};
    bool lowest_byte = resource(&b, ARCS, 0);
    /* proves: R_YYXSQ */
    assert_true(lowest_byte);
    set_range(&b, 0, 0, UINT64_MAX);
    assert_true(resource_at(&b, ARCS, 0, UINT64_MAX - 3));
}

/* EXLEVEL of TRCACATR stands eight bits lower than that of TRCVICTLR. */
static uint32_t acatr_bit(unsigned victlr_bit)
{
    return 1u << (victlr_bit - 8);
}

static void test_comparator_levels(void **state)
{
    struct bench b;
    (void)state;
    for (unsigned i = 0; i < LEVELS; i++) {
        begin(&b);
        set_range(&b, 1, 0x1000, 0x1000);
        set(&b, "TRCACATR2", acatr_bit(levels[i].bit));
        for (unsigned other = 0; other < LEVELS; other++) {
            in(&b, levels[other].security, levels[other].EL);
            bool expected = levels[other].bit != levels[i].bit;
            /* proves: R_DKCFF */
            assert_int_equal(resource(&b, SACS, 2), expected);
            /* proves: R_TMCJX */
            assert_int_equal(resource(&b, ARCS, 1), expected);
            assert_true(resource(&b, SACS, 3));
        }
    }
}

static void test_comparator_contexts(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    set_range(&b, 1, 0x1000, 0x1000);
    set(&b, "TRCCIDCVR5", 55);
    set(&b, "TRCVMIDCVR5", 66);
    for (unsigned type = 0; type < 4; type++) {
        set(&b, "TRCACATR2", 5u << 4 | type << 2);
        for (unsigned matches = 0; matches < 4; matches++) {
            b.context.context_id = matches & 1 ? 55 : 54;
            b.context.vmid = matches & 2 ? 66 : 65;
            bool expected = (matches & type) == type;
            /* proves: R_QFNSK, R_DCCBY, R_RTBEM */
            assert_int_equal(resource(&b, SACS, 2), expected);
            /* proves: R_VSBJF */
            assert_int_equal(resource(&b, ARCS, 1), expected);
        }
        b.context.context_id = 55;
        b.context.vmid = 66;
        assert_false(resource_at(&b, SACS, 2, 0x1004));
        assert_false(resource_at(&b, ARCS, 1, 0x1004));
        at(&b, 0x1000, 1);
    }
}

static void test_context_bytes(void **state)
{
    struct bench b;
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        for (unsigned left_out = 0; left_out < 16; left_out++) {
            begin(&b);
            set_n(&b, "TRCCIDCVR", n, 0x11223344);
            set_n(&b, "TRCCIDCCTLR", n / 4, (uint64_t)left_out << 8 * (n % 4));
            for (unsigned byte = 0; byte < 4; byte++) {
                b.context.context_id = 0x11223344u ^ 0x80u << 8 * byte;
                /* proves: D7.5 */
                assert_int_equal(resource(&b, CIDS, n), left_out >> byte & 1);
            }
            b.context.context_id = 0x11223344;
            assert_true(resource(&b, CIDS, n));
        }
    }
    /* The same for the other kind, one of each register. */
    begin(&b);
    set(&b, "TRCVMIDCVR6", 0x11223344);
    set(&b, "TRCVMIDCCTLR1", 0x00040000);
    b.context.vmid = 0x11ff3344;
    assert_true(resource(&b, VMIDS, 6));
    b.context.vmid = 0x11ff3345;
    assert_false(resource(&b, VMIDS, 6));
}

static void test_context_resources(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    set(&b, "TRCCIDCVR3", 33);
    set(&b, "TRCVMIDCVR4", 44);
    b.context.context_id = 33;
    bool mine = resource(&b, CIDS, 3);
    b.context.context_id = 34;
    /* proves: R_BKQKQ */
    assert_true(mine && !resource(&b, CIDS, 3));
    b.context.vmid = 44;
    mine = resource(&b, VMIDS, 4);
    b.context.vmid = 45;
    /* proves: R_VWYMY */
    assert_true(mine && !resource(&b, VMIDS, 4));

    b.context.vmid = 44;
    set(&b, "TRCRSCTLR2", VMIDS << 16 | 1u << 4);
    b.program.vmid_allowed = false; /* TRFCR_EL2.CX */
    /* proves: R_FLXQL */
    assert_false(event(&b, 2, false));

    b.program.vmid_allowed = true;
    b.input.block = NULL;
    assert_false(event(&b, 2, false));
}

/* Four instructions of a block match at once: one signal. */
static void test_matches_at_once(void **state)
{
    struct bench b;
    unsigned arc = 0, cid = 0, vmid = 0;
    (void)state;
    begin(&b);
    set_range(&b, 0, 0x1000, 0x100c);
    at(&b, 0x1000, 4);
    arc += resource(&b, ARCS, 0);
    cid += resource(&b, CIDS, 0);
    vmid += resource(&b, VMIDS, 0);
    /* proves: R_HMYMX */
    assert_in_range(arc, 1, 4);
    /* proves: R_MPJBW */
    assert_in_range(cid, 1, 4);
    /* proves: R_JNNDL */
    assert_in_range(vmid, 1, 4);
}

/* --- resource selectors --- */

static void test_fixed_selectors(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    /* proves: R_NRSGN */
    assert_false(event(&b, 0, false));
    /* proves: R_SXSQT */
    assert_true(event(&b, 1, false));
    assert_false(event(&b, 0, true)); /* FALSE and TRUE */
    set(&b, "TRCIDR4", 0x88030008);   /* selectors 0 to 7 */
    b.program.selectors[8] = 1u << 20;
    b.program.selectors[9] = 1u << 20;
    assert_false(event(&b, 8, false));
    assert_false(event(&b, 4, true));
}

/* Every resource that has a behaviour is reached by its number, and by no other. */
static void test_groups(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    for (unsigned n = 0; n < 16; n++)
        set_n(&b, "TRCACVR", n, n % 2 ? 0x1008 + 0x100 * n : 0x1100 + 0x100 * n);
    for (unsigned n = 0; n < 8; n++) {
        set_n(&b, "TRCCIDCVR", n, 100 + n);
        set_n(&b, "TRCVMIDCVR", n, 200 + n);
    }
    for (unsigned is = 0; is < 16; is++) {
        b.input.inputs = is < 4 ? 1u << is : 0;
        b.input.pe_matches = (uint8_t)(is < 8 ? 1u << is : 0);
        b.context.context_id = 100 + is;
        b.context.vmid = 200 + is;
        for (unsigned n = 0; n < 16; n++) {
            if (n < 4)
                assert_int_equal(resource(&b, INPUTS, n), n == is);
            if (n < 8) {
                assert_int_equal(resource(&b, PES, n), n == is);
                assert_int_equal(resource(&b, CIDS, n), n == is);
                assert_int_equal(resource(&b, VMIDS, n), n == is);
                assert_false(resource(&b, COUNTERS, n));
                assert_false(resource(&b, SINGLE_SHOTS, n));
                assert_int_equal(resource_at(&b, ARCS, n, 0x1104 + 0x200 * is), is < 8 && n == is);
            }
            uint64_t address = is % 2 ? 0x1008 + 0x100 * is : 0x1100 + 0x100 * is;
            assert_int_equal(resource_at(&b, SACS, n, address), n == is);
        }
    }
}

static void test_inversion(void **state)
{
    struct bench b;
    (void)state;
    begin(&b);
    for (unsigned inputs = 0; inputs < 16; inputs++) {
        b.input.inputs = inputs;
        set(&b, "TRCRSCTLR9", 0x0000a); /* inputs 1 and 3 */
        /* proves: R_HVNQG */
        assert_int_equal(event(&b, 9, false), (inputs & 0xa) != 0);
        set(&b, "TRCRSCTLR9", 0x10000a);
        /* proves: R_WFGMY */
        assert_int_equal(event(&b, 9, false), (inputs & 0xa) == 0);
    }
    set(&b, "TRCRSCTLR9", 0x100000); /* nothing selected */
    assert_true(event(&b, 9, false));
}

/* Table D7.2, A and B being inputs 0 and 1: what comes out for AB = 00, 01, 10, 11. */
static void test_pairs(void **state)
{
    static const struct {
        bool inv_a, inv_b, pairinv;
        bool expected[4];
    } functions[] = {
        {0, 0, 0, {0, 0, 0, 1}}, /* and */
        {0, 0, 1, {1, 1, 1, 0}}, /* not both */
        {0, 1, 1, {1, 1, 0, 1}}, /* not A, or B */
        {1, 0, 0, {0, 1, 0, 0}}, /* B without A */
        {1, 1, 0, {1, 0, 0, 0}}, /* neither */
        {1, 1, 1, {0, 1, 1, 1}}, /* or */
    };
    struct bench b;
    (void)state;
    begin(&b);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        set(&b, "TRCRSCTLR30",
            1u | (uint32_t)functions[i].inv_a << 20 | (uint32_t)functions[i].pairinv << 21);
        set(&b, "TRCRSCTLR31", 2u | (uint32_t)functions[i].inv_b << 20);
        for (unsigned ab = 0; ab < 4; ab++) {
            b.input.inputs = (ab & 2) >> 1 | (ab & 1) << 1;
            bool fires = event(&b, 15, true);
            /* proves: D7.3.1 */
            assert_int_equal(fires, functions[i].expected[ab]);
        }
    }
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
        cmocka_unit_test(test_single_address),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_comparator_levels),
        cmocka_unit_test(test_comparator_contexts),
        cmocka_unit_test(test_context_bytes),
        cmocka_unit_test(test_context_resources),
        cmocka_unit_test(test_matches_at_once),
        cmocka_unit_test(test_fixed_selectors),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_inversion),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_broadcast_regions),
        cmocka_unit_test(test_broadcast_without_ranges),
        cmocka_unit_test(test_q_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
