/* SPDX-License-Identifier: BSD-2-Clause */
/* What ETMv4 says of its registers: numbers from the register summary of IHI0064 (table 7-1), each
 * register's offset; what tells the protocols apart; and the registry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "about_numbers.h"

static void test_etmv4_numbers(void **state)
{
    static const struct offset rows[] = {
        {"TRCCONFIGR", 0x010},   {"TRCEVENTCTL0R", 0x020}, {"TRCEVENTCTL1R", 0x024},
        {"TRCSTALLCTLR", 0x02c}, {"TRCTSCTLR", 0x030},     {"TRCSYNCPR", 0x034},
        {"TRCCCCTLR", 0x038},    {"TRCBBCTLR", 0x03c},     {"TRCTRACEIDR", 0x040},
        {"TRCQCTLR", 0x044},     {"TRCVICTLR", 0x080},     {"TRCVIIECTLR", 0x084},
        {"TRCVISSCTLR", 0x088},  {"TRCIDR8", 0x180},       {"TRCIDR9", 0x184},
        {"TRCIDR10", 0x188},     {"TRCIDR11", 0x18c},      {"TRCIDR12", 0x190},
        {"TRCIDR13", 0x194},     {"TRCIDR0", 0x1e0},       {"TRCIDR1", 0x1e4},
        {"TRCIDR2", 0x1e8},      {"TRCIDR3", 0x1ec},       {"TRCIDR4", 0x1f0},
        {"TRCIDR5", 0x1f4},      {"TRCAUTHSTATUS", 0xfb8}, {"TRCDEVARCH", 0xfbc},
    };

    (void)state;
    check_numbers(CAIRN_PROTOCOL_ETMV4, rows, sizeof rows / sizeof rows[0]);
}

/* Whether a register with this value speaks for the protocol. */
static bool speaks(enum cairn_protocol_id protocol, const char *name, uint64_t value)
{
    for (const struct cairn_witness *w = cairn_about(protocol)->witnesses; w && w->name; w++)
        if (strcmp(w->name, name) == 0)
            return (value & w->mask) == w->value;
    return false;
}

/* TRCDEVARCH.ARCHID, TRCIDR1.TRCARCHMAJ (DDI0608 D18); ETMIDR[11:8] (IHI0014 3.5.18, IHI0035). */
static void test_witnesses(void **state)
{
    static const struct {
        const char *name;
        uint32_t value; /* with other fields that are not 0 */
        enum cairn_protocol_id protocol;
    } rows[] = {
        {"TRCDEVARCH", 0x47754a13, CAIRN_PROTOCOL_ETMV4},
        {"TRCDEVARCH", 0x47725a13, CAIRN_PROTOCOL_ETE},
        {"TRCIDR1", 0x4100f442, CAIRN_PROTOCOL_ETMV4},
        {"TRCIDR1", 0x4100fff2, CAIRN_PROTOCOL_ETE},
        {"ETMIDR", 0x410cf250, CAIRN_PROTOCOL_ETMV3},
        {"ETMIDR", 0x411cf310, CAIRN_PROTOCOL_PTM},
        {"ETMIDR", 0x41000030, CAIRN_PROTOCOL_ETMV1},
    };
    static const enum cairn_protocol_id protocols[] = {CAIRN_PROTOCOL_ETMV4, CAIRN_PROTOCOL_ETE,
                                                       CAIRN_PROTOCOL_ETMV3, CAIRN_PROTOCOL_PTM,
                                                       CAIRN_PROTOCOL_ETMV1};
    static const unsigned widths[] = {16, 16, 4, 4, 4, 4, 4}, shifts[] = {0, 0, 8, 8, 8, 8, 8};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t p = 0; p < 5; p++) {
            const bool mine = protocols[p] == rows[i].protocol;

            assert_int_equal(speaks(protocols[p], rows[i].name, rows[i].value), mine);
            for (unsigned bit = 0; mine && bit < 32; bit++) /* every bit of the field counts */
                assert_int_equal(
                    speaks(protocols[p], rows[i].name, rows[i].value ^ UINT32_C(1) << bit),
                    bit < shifts[i] || bit >= shifts[i] + widths[i]);
        }
    /* what names the version is believed before what only refers to it */
    for (size_t p = 0; p < 2; p++)
        assert_true(cairn_about(protocols[p])->witnesses[0].rank <
                    cairn_about(protocols[p])->witnesses[1].rank);
}

/* Zeros before the 80 of synchronisation (DDI0608 D5.4, IHI0014 7.7.2, IHI0035 4.3.1), and the
 * cores that have one. */
static void test_synchronisation(void **state)
{
    static const struct {
        enum cairn_protocol_id protocol;
        unsigned zeros, first_arch, last_arch;
    } rows[] = {
        {CAIRN_PROTOCOL_ETE, 11, 9, 0},  {CAIRN_PROTOCOL_ETMV4, 11, 0, 0},
        {CAIRN_PROTOCOL_ETMV3, 5, 0, 7}, {CAIRN_PROTOCOL_PTM, 5, 0, 7},
        {CAIRN_PROTOCOL_MTB, 0, 0, 0},   {CAIRN_PROTOCOL_ETMV1, 0, 0, 6},
        {CAIRN_PROTOCOL_ITM, 5, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_about *about = cairn_about(rows[i].protocol);

        assert_int_equal(about->id, rows[i].protocol);
        assert_int_equal(about->sync_zeros, rows[i].zeros);
        assert_int_equal(about->first_arch, rows[i].first_arch);
        assert_int_equal(about->last_arch, rows[i].last_arch);
    }
}

/* The registry ends, and lists each protocol once. */
static void test_registry(void **state)
{
    size_t count = 0;

    (void)state;
    while (cairn_about_at(count))
        count++;
    assert_true(count > 5);
    assert_null(cairn_about_at(count + 1));
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(cairn_about(cairn_about_at(i)->id), cairn_about_at(i));
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(cairn_about_at(k)->id, cairn_about_at(i)->id);
    }
    assert_string_equal(cairn_about((enum cairn_protocol_id)77)->name, "unknown");
    assert_null(cairn_about((enum cairn_protocol_id)77)->registers);
    assert_int_equal(cairn_protocol_depth((enum cairn_protocol_id)77), CAIRN_DEPTH_NONE);
    assert_int_equal(cairn_protocol_depth(CAIRN_PROTOCOL_ETMV3), CAIRN_DEPTH_FLOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_etmv4_numbers),
        cmocka_unit_test(test_witnesses),
        cmocka_unit_test(test_synchronisation),
        cmocka_unit_test(test_registry),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
