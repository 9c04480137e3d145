/* SPDX-License-Identifier: BSD-2-Clause */
/* TraceEnable, start/stop, comparators and events of the PTM model (IHI0035 3.3 to 3.8): which
 * blocks are traced, as bytes worked out by hand. */
#include <cairn/ptm.h>

#include "protocol/ptm/ptm.h"
#include "ptm_bench.h"

static struct ptm_bench b;

static void start(const struct cairn_register *registers, size_t count, uint64_t at)
{
    ptm_begin(&b, PTM_1_1, 0, registers, count);
    b.at = at;
}
#define START(at, ...)                                                                             \
    do {                                                                                           \
        const struct cairn_register list[] = {__VA_ARGS__};                                        \
        start(list, sizeof list / sizeof *list, at);                                               \
    } while (0)

/* 0x1000 to 0x2000, run there to 0x2100, from there to 0x3000: a comparator at 0x2050 is decided
 * when the waypoint at 0x2100 is processed. */
static void test_decided_at_waypoint(void **state)
{
    (void)state;
    START(0x1000, {"ETMTECR1", 0x02000000 | 0x01000000}, {"ETMACVR1", 0x2050}, {"ETMTSSCR", 1});
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_straight(&b, 0x100);
    ptm_expect(&b, "");
    ptm_direct(&b, 4, 0x3000, true, 0);
    /* proves: PFT-3.4.1-a, PFT-3.3.2-a */
    ptm_expect(&b, "08 00 20 00 00 21 84");
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "84");
    ptm_end(&b);
}

/* Start at 0x2004, stop at 0x3008: the blocks that contain them are traced. */
static void test_start_stop(void **state)
{
    uint64_t status = 0;

    (void)state;
    START(0x1000, {"ETMTECR1", 0x03000000}, {"ETMACVR1", 0x2004}, {"ETMACVR2", 0x3008},
          {"ETMTSSCR", 0x00020001});
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_direct(&b, 12, 0x3000, true, 0);
    assert_int_equal(cairn_unit_read(b.unit, "ETMSR", &status), CAIRN_OK);
    assert_int_equal(status & 4, 4);
    ptm_direct(&b, 8, 0x3000, false, 0);
    ptm_direct(&b, 4, 0x4000, true, 0);
    ptm_direct(&b, 4, 0x2000, true, 0);
    /* E at 0x2008, N at 0x3004, E at 0x3008; nothing of 0x4000 */
    ptm_expect(&b, "08 00 20 00 00 21 94");
    assert_int_equal(cairn_unit_read(b.unit, "ETMSR", &status), CAIRN_OK);
    assert_int_equal(status & 4, 0);
    ptm_end(&b);
    /* both in one block, the stop first: on for the block, off behind it */
    START(0x2000, {"ETMTECR1", 0x03000000}, {"ETMACVR1", 0x2008}, {"ETMACVR2", 0x2004},
          {"ETMTSSCR", 0x00020001});
    ptm_direct(&b, 12, 0x4000, true, 0);
    ptm_direct(&b, 4, 0x4000, true, 0);
    /* proves: PFT-3.3.3-a */
    ptm_expect(&b, "08 00 20 00 00 21 84");
    ptm_end(&b);
}

/* Any byte of the waypoint instruction is the end of its block; the one behind it is not. */
static void test_block_end(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= 4; i++) {
        START(0x0ffc, {"ETMTECR1", 0x03000000}, {"ETMACVR1", 0x1000 + i}, {"ETMTSSCR", 1});
        ptm_direct(&b, 8, 0x5000, true, 0);
        /* proves: PFT-3.4.1-b, PFT-3.4.2-a */
        ptm_expect(&b, i < 4 ? "08 fc 0f 00 00 21 84" : "");
        ptm_end(&b);
    }
}

/* Include: a block that touches the range; exclude: one that lies in it. The end is not in it. */
static void test_ranges(void **state)
{
    (void)state;
    START(0x1ff8, {"ETMTECR1", 0x00000001}, {"ETMACVR1", 0x2000}, {"ETMACVR2", 0x2008});
    ptm_direct(&b, 8, 0x1ffc, true, 0); /* 0x1ff8 to 0x1fff */
    ptm_direct(&b, 8, 0x2004, true, 0); /* 0x1ffc to 0x2003 */
    ptm_direct(&b, 4, 0x2008, true, 0);
    ptm_direct(&b, 4, 0x1000, true, 0); /* 0x2008 */
    ptm_expect(&b, "08 fc 1f 00 00 21 88");
    ptm_end(&b);
    START(0x1ffc, {"ETMTECR1", 0x01000001}, {"ETMACVR1", 0x2000}, {"ETMACVR2", 0x2008});
    ptm_direct(&b, 8, 0x2000, true, 0);
    ptm_direct(&b, 8, 0x2004, true, 0); /* 0x2000 to 0x2007 */
    ptm_direct(&b, 8, 0x1000, true, 0); /* 0x2004 to 0x200b */
    /* proves: PFT-3.3.4-a, PFT-3.4.3-a */
    ptm_expect(&b, "08 fc 1f 00 00 21 84 08 04 20 00 00 21 84");
    ptm_end(&b);
    /* the same with the second pair */
    START(0x1ffc, {"ETMTECR1", 0x01000002}, {"ETMACVR3", 0x2000}, {"ETMACVR4", 0x2008});
    ptm_direct(&b, 8, 0x2000, true, 0);
    ptm_direct(&b, 8, 0x2004, true, 0);
    ptm_direct(&b, 8, 0x1000, true, 0);
    /* proves: PFT-3.3.4-a, PFT-3.4.3-a */
    ptm_expect(&b, "08 fc 1f 00 00 21 84 08 04 20 00 00 21 84");
    ptm_end(&b);
}

/* Back-to-back exceptions: no single address matches, ranges do. */
static void test_empty_run(void **state)
{
    (void)state;
    START(0x1000, {"ETMTECR1", 0x03000000}, {"ETMACVR1", 0x18}, {"ETMTSSCR", 1});
    ptm_straight(&b, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    ptm_exception(&b, CAIRN_EXCEPTION_FIQ, 0x1c);
    ptm_straight(&b, 4);
    ptm_expect(&b, "");
    ptm_end(&b);
    START(0x1000, {"ETMTECR1", 0x00000001}, {"ETMACVR1", 0x18}, {"ETMACVR2", 0x1c});
    ptm_straight(&b, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    ptm_exception(&b, CAIRN_EXCEPTION_FIQ, 0x1c);
    ptm_straight(&b, 4);
    /* proves: PFT-5.2.3-b */
    ptm_expect(&b, "08 18 00 00 00 21 8f 40 1e");
    ptm_end(&b);
}

/* Context ID and VMID comparators: masked bits are ignored. */
static void test_identifiers(void **state)
{
    (void)state;
    START(0x1000, {"ETMTECR1", 0x00000001}, {"ETMACVR1", 0}, {"ETMACVR2", 0xffffffff},
          {"ETMACTR1", 0x201}, {"ETMCIDCVR2", 0x1200}, {"ETMCIDCMR", 0xff});
    ptm_context(&b, 1, CAIRN_SECURE, 0x1300, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_context(&b, 1, CAIRN_SECURE, 0x1234, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 84");
    ptm_end(&b);
    START(0x1000, {"ETMTEEVR", 0x5b}, {"ETMVMIDCVR", 9});
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 9);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-3.5-a */
    ptm_expect(&b, "08 00 10 00 00 29 84");
    ptm_end(&b);
}

/* ETMACTR of PFT 1.1: modes of each security state, Hyp mode apart. */
static void test_modes(void **state)
{
    static const struct {
        uint32_t type;
        unsigned el, security;
        bool traced;
    } cases[] = {
        {0x0001, 0, CAIRN_SECURE, true},     {0x0401, 0, CAIRN_SECURE, false},
        {0x0401, 1, CAIRN_NONSECURE, true},  {0x1001, 0, CAIRN_SECURE, false},
        {0x1001, 1, CAIRN_SECURE, true},     {0x1401, 0, CAIRN_SECURE, true},
        {0x1401, 1, CAIRN_SECURE, false},    {0x0801, 1, CAIRN_NONSECURE, false},
        {0x2001, 1, CAIRN_NONSECURE, true},  {0x2801, 0, CAIRN_NONSECURE, true},
        {0x2801, 1, CAIRN_NONSECURE, false}, {0x0001, 2, CAIRN_NONSECURE, false},
        {0x4001, 2, CAIRN_NONSECURE, true},  {0x0000, 0, CAIRN_SECURE, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        START(0x1000, {"ETMTECR1", 0x00000001}, {"ETMACVR1", 0x1000}, {"ETMACVR2", 0x1004},
              {"ETMACTR1", cases[i].type});
        ptm_context(&b, cases[i].el, cases[i].security, 0, 0);
        ptm_direct(&b, 4, 0x1000, true, 0);
        (void)cairn_unit_position(b.unit);
        /* proves: PFT-3.16.13-a, PFT-3.16.13-b */
        assert_int_equal(b.size > b.checked, cases[i].traced);
        ptm_end(&b);
    }
}

/* Functions of two resources: external inputs 0 (A) and 1 (B), each of the four states. */
static void test_functions(void **state)
{
    static const uint8_t truth[8] = {/* bit n: with inputs n */ 0xa,
                                     0x5,
                                     0x8,
                                     0x4,
                                     0x1,
                                     0xe,
                                     0xd,
                                     0x7};

    (void)state;
    for (uint32_t function = 0; function < 8; function++) {
        for (uint32_t inputs = 0; inputs < 4; inputs++) {
            START(0x1000, {"ETMTEEVR", function << 14 | 0x61 << 7 | 0x60});
            cairn_unit_inputs(b.unit, inputs);
            ptm_direct(&b, 4, 0x1000, true, 0);
            (void)cairn_unit_position(b.unit);
            /* proves: PFT-3.8.3-b */
            assert_int_equal(b.size > b.checked, truth[function] >> inputs & 1);
            ptm_end(&b);
        }
    }
}

/* Packets of a run: how many of a kind, and atoms. */
struct run {
    unsigned kinds[CAIRN_PTM_KIND_COUNT];
    unsigned first_kind;
    unsigned atoms;
};

/* What was written since the last call, as packets. */
static struct run read_run(void)
{
    struct cairn_config *config = cairn_unit_config(b.unit);
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    struct run run = {.atoms = 0};
    size_t position;

    (void)cairn_unit_position(b.unit);
    position = b.checked;
    b.checked = b.size;
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(32, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, b.bytes, b.size, &position, batch), CAIRN_OK);
    assert_in_range(batch->count, 1, 31);
    run.first_kind = batch->kind[0];
    for (size_t i = 0; i < batch->count; i++) {
        run.kinds[batch->kind[i]]++;
        run.atoms += batch->kind[i] == CAIRN_PTM_ATOM ? batch->fields[i].atom_count : 0;
    }
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_config_unref(config);
    return run;
}

/* One trigger up to where the Programming bit was set and cleared again, although its event stays
 * active. Where among the other packets is the unit's choice (4.5.6, 4.11.1), but for
 * cycle-accurate mode: there it is between its neighbours.
 */
static void test_trigger(void **state)
{
    struct run run;

    (void)state;
    START(0x1000, {"ETMTRIGGER", 0x10}, {"ETMACVR1", 0x2000}, {"ETMACVR2", 0x2004});
    b.checked = 0; /* the A-sync, too */
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_direct(&b, 4, 0x2000, true, 0);
    run = read_run();
    /* proves: PFT-3.14-a */
    assert_int_equal(run.kinds[CAIRN_PTM_TRIGGER], 1);
    assert_int_equal(run.atoms, 3);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCR", 0x400, NULL), CAIRN_OK);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCR", 0, NULL), CAIRN_OK);
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_direct(&b, 4, 0x2000, true, 0);
    run = read_run();
    /* proves: PFT-3.14-a */
    assert_int_equal(run.kinds[CAIRN_PTM_TRIGGER], 1);
    assert_int_equal(run.first_kind, CAIRN_PTM_ALIGNMENT_SYNC);
    assert_int_equal(run.kinds[CAIRN_PTM_INSTRUCTION_SYNC], 1);
    assert_int_equal(run.atoms, 2);
    ptm_end(&b);
    START(0x1000, {"ETMCR", ETMCR_CYCLES}, {"ETMTRIGGER", 0x10}, {"ETMACVR1", 0x2000},
          {"ETMACVR2", 0x2004});
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.5.6-b */
    ptm_expect(&b, "08 00 10 00 00 21 80 80 0c 80");
    ptm_end(&b);
}

/* Trace that was on stops at once where the Programming bit is set, and begins with an A-sync. */
static void test_programming(void **state)
{
    uint64_t value = 0;

    (void)state;
    START(0x1000, {"ETMTECR1", 0x01000000});
    ptm_direct(&b, 4, 0x1000, true, 0);
    assert_int_equal(cairn_unit_write(b.unit, "ETMSYNCFR", 100, NULL), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCR", ETMCR_CYCLES, NULL), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(b.unit, "ETMIDR", 0, NULL), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCR", 0x400, NULL), CAIRN_OK);
    assert_int_equal(cairn_unit_write(b.unit, "ETMVDCR", 0, NULL), CAIRN_E_NOT_FOUND);
    ptm_direct(&b, 4, 0x1000, true, 0);
    assert_int_equal(cairn_unit_write(b.unit, "ETMSYNCFR", 100, NULL), CAIRN_OK);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCR", ETMCR_CYCLES, NULL), CAIRN_OK);
    assert_int_equal(cairn_unit_read(b.unit, "ETMCR", &value), CAIRN_OK);
    assert_int_equal(value, ETMCR_CYCLES);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-3.3.2-b, PFT-4.5.1-e */
    ptm_expect(&b, "08 00 10 00 00 21 84 00 00 00 00 00 80 08 00 10 00 00 21 80 80");
    ptm_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decided_at_waypoint),
        cmocka_unit_test(test_start_stop),
        cmocka_unit_test(test_block_end),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_empty_run),
        cmocka_unit_test(test_identifiers),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_trigger),
        cmocka_unit_test(test_programming),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
