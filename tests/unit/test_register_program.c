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

/* A selector selects nothing that was not built (table D7.1). */
static void test_selected(void **state)
{
    static const uint32_t built[8] = {0x7, 0x7, 0xf3, 0x3, 0xf, 0x3, 0x1f, 0x3f};

    (void)state;
    for (unsigned group = 0; group < 8; group++) {
        bare(CAIRN_PROTOCOL_ETE);
        /* 6 VMIDs, 5 context IDs, 2 single-shots, 3 PE inputs, 2 pairs */
        set("TRCIDR4", 0x65213002);
        set("TRCIDR5", 0x28000600); /* 2 counters, the sequencer, 3 external input selectors */
        set("TRCRSCTLR3", group << 16 | (group == 4 ? 0xffff : group == 0 ? 0xf : 0xff));
        assert_int_equal(program_of().selectors[3], group << 16 | built[group]);
        assert_int_equal(program_of().selectors[2], 0);
    }
    set("TRCIDR5", 0x20000600); /* no sequencer */
    set("TRCRSCTLR3", 0x200ff);
    assert_int_equal(program_of().selectors[3], 0x20003);
}

/* What counters, sequencer and single-shots are programmed to; nothing of those that are not there. */
static void test_derived(void **state)
{
    (void)state;
    bare(CAIRN_PROTOCOL_ETE);
    set("TRCIDR4", 0x00220001); /* 2 single-shots, 3 pairs, a range */
    set("TRCIDR5", 0x28400600);
    set("TRCIDR0", 0x00000400); /* two ETEEvents */
    set("TRCCNTRLDVR1", 0x1234);
    set("TRCCNTCTLR1", 0x38203);
    set("TRCSEQEVR2", 0x0581);
    set("TRCSEQRSTEVR", 4);
    set("TRCSSCCR1", 0x1010002);
    set("TRCEXTINSELR2", 0xabcd);
    set("TRCEVENTCTL1R", 0x800);
    {
        const struct cairn_unit_program program = program_of();

        assert_int_equal(program.counters[1].reload_value, 0x1234);
        assert_true(program.counters[1].self_reload && program.counters[1].chained);
        assert_true(program.decrements[1].select == 3 && !program.decrements[1].pair);
        assert_true(program.reloads[1].select == 2 && program.reloads[1].pair);
        assert_true(program.forwards[2].select == 1 && program.forwards[2].pair);
        assert_true(program.backwards[2].select == 5 && !program.backwards[2].pair);
        assert_int_equal(program.sequencer_reset.select, 4);
        assert_true(program.single_shots[1].sacs == 2 && program.single_shots[1].arcs == 1);
        assert_true(program.multi_shots == 2 && program.shots_used == 2);
        assert_true(program.selected_inputs[2] == 0xabcd && program.input_count == 3);
        assert_true(program.event_count == 2 && program.atb_trigger);
        assert_true(program.reloads[0].select == 0 && program.counters[0].reload_value == 0);
    }
    set("TRCIDR5", 0);
    set("TRCIDR4", 0x00020001);
    {
        const struct cairn_unit_program program = program_of();

        assert_true(program.reloads[1].select == 0 && program.forwards[2].select == 0 &&
                    program.sequencer_reset.select == 0 && program.shots_used == 0 &&
                    program.input_count == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_program),   cmocka_unit_test(test_options),
        cmocka_unit_test(test_each_comparator), cmocka_unit_test(test_selected),
        cmocka_unit_test(test_derived),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
