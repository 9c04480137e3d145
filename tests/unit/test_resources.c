/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparators and resource selectors as functions: DDI0608 D7.3 to D7.6. */
#include "filter_bench.h"

#include "unit/etmv4/resources.h"

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

/* Every resource is reached by its number, and by no other. */
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
        b.input.derived = b.input.pe_matches;
        b.input.single_shots = b.input.pe_matches;
        b.context.context_id = 100 + is;
        b.context.vmid = 200 + is;
        for (unsigned n = 0; n < 16; n++) {
            if (n < 4)
                assert_int_equal(resource(&b, INPUTS, n), n == is);
            if (n < 8) {
                assert_int_equal(resource(&b, PES, n), n == is);
                assert_int_equal(resource(&b, CIDS, n), n == is);
                assert_int_equal(resource(&b, VMIDS, n), n == is);
                /* Counters 0 to 3 at zero are 0 to 3, sequencer states 4 to 7. */
                /* proves: R_WZVDQ */
                assert_int_equal(resource(&b, COUNTERS, n), n == is);
                /* proves: R_WZVDQ */
                assert_int_equal(resource(&b, SINGLE_SHOTS, n), n == is);
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

/* What ViewInst asks for and what a clock evaluates are two ways to the same: of any registers, and
 * whatever is high. */
static void test_two_ways(void **state)
{
    uint32_t random = 12345;
    struct bench b;
    (void)state;
    begin(&b);
    for (unsigned i = 0; i < 20000; i++) {
        struct cairn_resource_lines lines = {.running = true};
        struct cairn_resource_logic logic;
        uint32_t draws[8];

        for (unsigned n = 0; n < 8; n++) {
            random = random * 1664525u + 1013904223u;
            draws[n] = random >> 8;
        }
        for (unsigned n = 2; n < 6; n++)
            b.program.selectors[n] = (draws[n - 2] & 0x300000) | (draws[n - 2] & 3) << 16 |
                                     (draws[n - 2] >> 4 & draws[5] >> 4 & 0xff);
        b.input.inputs = draws[6] & 0xf;
        b.input.pe_matches = (uint8_t)(draws[6] >> 4);
        b.input.derived = (uint8_t)(draws[7]);
        b.input.single_shots = (uint8_t)(draws[7] >> 8);
        lines.high[CAIRN_GROUP_INPUTS] = (uint16_t)b.input.inputs;
        lines.high[CAIRN_GROUP_PES] = b.input.pe_matches;
        lines.high[CAIRN_GROUP_DERIVED] = b.input.derived;
        lines.high[CAIRN_GROUP_SINGLE_SHOTS] = b.input.single_shots;
        for (unsigned select = 0; select < 6; select++) {
            const bool pair = select < 3 && draws[4] & 1;

            b.program.events[2] =
                (struct cairn_unit_selection){.select = (uint8_t)select, .pair = pair};
            cairn_resources_connect(&logic, &b.program, 4, false);
            assert_int_equal(cairn_resources_events(&logic, &lines) >> 2 & 1,
                             event(&b, (uint8_t)select, pair));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(test_two_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
