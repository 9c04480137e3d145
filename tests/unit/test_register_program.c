/* SPDX-License-Identifier: BSD-2-Clause */
/* What the registers of a unit mean to the model, field by field: each is the only one that is set
 * (DDI0608 D18, IHI0064 7.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "bare_registers.h"

static struct cairn_unit_program program_of(void)
{
    struct cairn_unit_program program;

    cairn_unit_program_read(&registers, &program);
    return program;
}

/* What was built, as the model goes by it: fields that ETMv4 gained in later versions. */
static void test_built_program(void **state)
{
    (void)state;
    for (unsigned p = 0; p < 2; p++)
        for (unsigned version = 0; version < 8; version++)
            for (unsigned bits = 0; bits < 16; bits++) {
                const bool is_ete = p == 0;
                const bool commopt = bits & 1, counts = bits & 2, mark = bits & 4, wfx = bits & 8;

                bare(is_ete ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4);
                set("TRCIDR0", 1u | (uint32_t)commopt << 29 | (uint32_t)counts << 7 |
                                   (uint32_t)mark << 23 | (uint32_t)wfx << 30);
                set("TRCIDR2", (is_ete ? 0x88u : 0x4u) | (uint32_t)wfx << 31 | 3u << 25);
                set("TRCIDR3", 0x123);
                if (is_ete)
                    set("TRCDEVARCH", 0x47705a13 | version << 16);
                else
                    set("TRCIDR1", 0x4100f400 | version << 4);
                const struct cairn_unit_program program = program_of();

                assert_int_equal(program.is_ete, is_ete);
                assert_int_equal(program.commopt, commopt && (is_ete || counts));
                assert_int_equal(program.commtrans_is_p0, is_ete && !wfx);
                assert_int_equal(program.wfx_is_p0, wfx && (is_ete || version >= 3));
                assert_int_equal(program.timestamp_markers, mark && (is_ete || version >= 6));
                assert_int_equal(program.realm, is_ete && version >= 2);
                assert_int_equal(program.cycle_minimum, 0x123);
                assert_int_equal(program.cycle_threshold, 0x123);
                assert_int_equal(program.cycle_max, 0x7fff); /* CCSIZE 3: 15 bits */
                assert_int_equal(program.selector_count, 0);
            }
}

/* TRCCONFIGR, bit by bit. */
static void test_options(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 16; bit++) {
        if (!(0x18d8u >> bit & 1))
            continue;
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCIDR0", 0x080186a1 | 1u << 9);
        set("TRCIDR2", 0x20001088);
        set("TRCCONFIGR", 1u << bit);
        const struct cairn_unit_program program = program_of();

        assert_int_equal(program.branch_broadcast, bit == 3);
        assert_int_equal(program.cycle_counting, bit == 4);
        assert_int_equal(program.context_id, bit == 6);
        assert_int_equal(program.vmid, bit == 7);
        assert_int_equal(program.timestamps, bit == 11);
        assert_int_equal(program.return_stack, bit == 12);
        assert_int_equal(program.q, 0);
    }
    for (unsigned q = 0; q < 4; q++) {
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCIDR0", 0x00018001);
        if (q == 2)
            continue;
        set("TRCCONFIGR", q << 13);
        assert_int_equal(program_of().q, q);
    }
    for (unsigned period = 8; period <= 20; period++) {
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCSYNCPR", period);
        assert_int_equal(program_of().sync_period, UINT32_C(1) << period);
    }
    for (unsigned both = 0; both < 4; both++) { /* NOOVERFLOW, of a PE that can be stalled */
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCIDR3", 0x80000004u | (both & 1 ? 1u << 27 : 0));
        set("TRCSTALLCTLR", both & 2 ? 1u << 13 : 0);
        assert_int_equal(program_of().no_overflow, both == 3);
    }
}

static void set_n(const char *name, unsigned n, uint64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%s%u", name, n);
    set(text, value);
}

/* A unit with eight of everything, in which only number n is programmed. */
static void test_each_comparator(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 16; n++) {
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCDEVARCH", 0x47725a13);
        set("TRCIDR3", 0x007f0004);
        set("TRCIDR4", 0x888f8008);
        set("TRCIDR6", 7);
        set_n("TRCACVR", n, UINT64_C(0x123456789abcdef0));
        set_n("TRCACATR", n, 0x5293c);
        if (n < 8) {
            set_n("TRCCIDCVR", n, 0x11223344);
            set_n("TRCCIDCCTLR", n / 4, (uint64_t)0xd << 8 * (n % 4));
            set_n("TRCVMIDCVR", n, 0x55667788);
            set_n("TRCVMIDCCTLR", n / 4, (uint64_t)0x6 << 8 * (n % 4));
        }
        const struct cairn_unit_program program = program_of();

        for (unsigned k = 0; k < 16; k++) {
            const struct cairn_unit_comparator *c = &program.comparators[k];
            const bool mine = k == n;

            assert_true(c->address == (mine ? UINT64_C(0x123456789abcdef0) : 0));
            assert_int_equal(c->context_type, mine ? 3 : 0);
            assert_int_equal(c->context, mine ? 3 : 0);
            assert_int_equal(c->levels_secure, mine ? 9 : 0);
            assert_int_equal(c->levels_nonsecure, mine ? 2 : 0);
            assert_int_equal(c->levels_realm, mine ? 5 : 0);
        }
        for (unsigned k = 0; k < 8; k++) {
            assert_int_equal(program.context_values[k], k == n ? 0x11223344 : 0);
            assert_int_equal(program.context_masks[k], k == n ? 0x0000ff00 : 0xffffffff);
            assert_int_equal(program.vmid_values[k], k == n ? 0x55667788 : 0);
            assert_int_equal(program.vmid_masks[k], k == n ? 0xff0000ff : 0xffffffff);
        }
    }
}

/* A selector selects nothing that was not built: external input selectors are four, counters and
 * the like as many as there can be (table D7.1). */
static void test_selected(void **state)
{
    static const uint32_t built[8] = {0xf, 0x7, 0xff, 0xff, 0xf, 0x3, 0x1f, 0x3f};
    static const char *const groups[8] = {
        "external inputs",    "PE comparators", NULL,      NULL,
        "single comparators", "ranges",         "context", "vmid"};

    (void)state;
    for (unsigned group = 0; group < 8; group++) {
        if (!groups[group])
            continue;
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCIDR4", 0x65013002); /* 6 VMIDs, 5 context IDs, 3 PE inputs, 2 pairs */
        set("TRCRSCTLR3", group << 16 | (group == 4 ? 0xffff : group == 0 ? 0xf : 0xff));
        assert_int_equal(program_of().selectors[3], group << 16 | built[group]);
        assert_int_equal(program_of().selectors[2], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_program),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_each_comparator),
        cmocka_unit_test(test_selected),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
