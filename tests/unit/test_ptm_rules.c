/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of each kind and instruction set (IHI0035 5.4), requests, and the cycles of an overflow
 * (4.4), in the PTM model. */
#include <stdio.h>
#include <string.h>

#include "ptm_bench.h"

#define THUMB 1u

static struct ptm_bench b;

struct exception {
    uint32_t executed; /* bytes from 0x1000 on, before the exception */
    unsigned type;     /* CAIRN_EXCEPTION_... */
    uint64_t vector;
    unsigned el, security; /* there */
    const char *hex;       /* behind the I-sync */
};

/* An exception behind `executed` bytes from 0x1000 on, of a PE in this state. */
static void check(uint32_t etmidr, enum cairn_isa isa, unsigned security,
                  const struct exception *exception)
{
    const unsigned low = isa == CAIRN_ISA_T32;
    char expected[128];

    ptm_begin(&b, etmidr, 0, NULL, 0);
    b.isa = isa;
    b.at = 0x1000;
    ptm_context(&b, 0, security, 0, 0);
    ptm_straight(&b, exception->executed);
    ptm_exception(&b, exception->type, exception->vector | low);
    ptm_context(&b, exception->el, exception->security, 0, 0);
    ptm_straight(&b, 4);
    snprintf(expected, sizeof expected, "08 %02x 10 00 00 %s %s", low,
             security == CAIRN_SECURE ? "21" : "29", exception->hex);
    ptm_expect(&b, expected);
    ptm_end(&b);
}

static void test_thumb(void **state)
{
    const struct exception undefined = {2, CAIRN_EXCEPTION_TRAP, 0x4,
                                        1, CAIRN_SECURE,         "72 03 85 40 12"};
    const struct exception svc = {2, CAIRN_EXCEPTION_CALL, 0x8, 1, CAIRN_SECURE, "72 01 89 40 14"};
    const struct exception smc = {4, CAIRN_EXCEPTION_CALL, 0x8, 3, CAIRN_SECURE, "72 01 89 40 04"};
    const struct exception hvc = {4, CAIRN_EXCEPTION_CALL, 0x14,
                                  2, CAIRN_NONSECURE,      "72 01 95 40 87 20"};

    (void)state;
    /* proves: PFT-5.4-i */
    check(PTM_1_0, CAIRN_ISA_T32, CAIRN_SECURE, &undefined);
    /* proves: PFT-5.4-j */
    check(PTM_1_0, CAIRN_ISA_T32, CAIRN_SECURE, &svc);
    /* proves: PFT-5.4-k */
    check(PTM_1_0, CAIRN_ISA_T32, CAIRN_NONSECURE, &smc); /* out of Non-secure state */
    /* proves: PFT-5.4-l */
    check(PTM_1_1, CAIRN_ISA_T32, CAIRN_NONSECURE, &hvc);
}

static void test_aborts(void **state)
{
    const struct exception data = {
        2, CAIRN_EXCEPTION_DATA_FAULT, 0x10, 1, CAIRN_SECURE, "72 01 91 40 18"};
    const struct exception prefetch = {
        4, CAIRN_EXCEPTION_INST_FAULT, 0xc, 1, CAIRN_SECURE, "72 01 8d 40 16"};
    const struct exception arm = {
        8, CAIRN_EXCEPTION_INST_FAULT, 0xc, 1, CAIRN_SECURE, "72 03 87 40 16"};

    (void)state;
    /* proves: PFT-5.4-m */
    check(PTM_1_0, CAIRN_ISA_T32, CAIRN_SECURE, &data);
    /* proves: PFT-5.4-n */
    check(PTM_1_0, CAIRN_ISA_T32, CAIRN_SECURE, &prefetch);
    /* proves: PFT-5.4-f */
    check(PTM_1_0, CAIRN_ISA_A32, CAIRN_SECURE, &arm);
}

/* Into Hyp mode interrupts keep their number, and what is trapped has the one of Hyp entry: the
 * instruction is not named, since it did not execute. */
static void test_into_hyp(void **state)
{
    const struct exception irq = {8, CAIRN_EXCEPTION_IRQ, 0x18,
                                  2, CAIRN_NONSECURE,     "72 03 8d 40 9d 20"};
    const struct exception trapped = {8, CAIRN_EXCEPTION_TRAP, 0x14,
                                      2, CAIRN_NONSECURE,      "72 03 8b 40 87 20"};

    (void)state;
    check(PTM_1_1, CAIRN_ISA_A32, CAIRN_NONSECURE, &irq);
    /* proves: PFT-5.3.7-a */
    check(PTM_1_1, CAIRN_ISA_A32, CAIRN_NONSECURE, &trapped);
}

/* A request waits for what is traced. */
static void test_request_while_off(void **state)
{
    const struct cairn_register exclude[] = {
        {"ETMTECR1", 0x01000001}, {"ETMACVR1", 0x2000}, {"ETMACVR2", 0x2100}};

    (void)state;
    ptm_begin(&b, PTM_1_0, 0, exclude, 3);
    b.at = 0x1000;
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 84");
    cairn_unit_request_sync(b.unit);
    ptm_direct(&b, 4, 0x3000, true, 0);
    ptm_expect(&b, "");
    ptm_direct(&b, 4, 0x3000, true, 0);
    /* proves: PFT-4.11.1-c */
    ptm_expect(&b, "00 00 00 00 00 80 08 00 30 00 00 21 84");
    /* where trace is on it is periodic, and repeats the target of the last waypoint */
    cairn_unit_request_sync(b.unit);
    ptm_direct(&b, 4, 0x3000, false, 0);
    ptm_expect(&b, "00 00 00 00 00 80 08 00 30 00 00 01 86");
    ptm_end(&b);
}

/* Several requests for a timestamp are one. */
static void test_merged_times(void **state)
{
    (void)state;
    ptm_begin(&b, PTM_1_1, ETMCR_TIMESTAMPS, NULL, 0);
    b.at = 0x1000;
    cairn_unit_time(b.unit, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 42 81 80 80 80 80 80 80 80 00 84");
    cairn_unit_flush(b.unit);
    cairn_unit_flush(b.unit);
    cairn_unit_time(b.unit, 2);
    ptm_isb(&b, 4);
    ptm_isb(&b, 4);
    /* proves: PFT-4.14-d */
    ptm_expect(&b, "84 42 02 84 42 02");
    ptm_end(&b);
}

/* What changed in Debug state is told behind it. */
static void test_debug_context(void **state)
{
    (void)state;
    ptm_begin(&b, PTM_1_0, ETMCR_CONTEXT_8, NULL, 0);
    b.at = 0x1000;
    ptm_context(&b, 1, CAIRN_SECURE, 0x11, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_exception(&b, CAIRN_EXCEPTION_DEBUG_HALT, 0);
    cairn_unit_debug_state(b.unit, true);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0x22, 0);
    cairn_unit_debug_state(b.unit, false);
    b.at = 0x2000;
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-5.3.8-c */
    ptm_expect(&b, "08 00 10 00 00 21 11 84 81 80 80 80 48 02 08 00 20 00 00 69 22 84");
    ptm_end(&b);
}

/* In the low-power state of a wait nothing stays inside. */
static void test_wait(void **state)
{
    size_t before;

    (void)state;
    ptm_begin(&b, PTM_1_0, 0, NULL, 0);
    b.at = 0x1000;
    ptm_direct(&b, 4, 0x1000, true, 0);
    before = b.size;
    cairn_unit_low_power(b.unit, true);
    assert_int_equal(b.size - before, 7);
    cairn_unit_low_power(b.unit, false);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 84 84");
    ptm_end(&b);
}

/* A request from outside: A-sync, I-sync, and the whole timestamp, in this order. */
static void test_order_of_synchronisation(void **state)
{
    (void)state;
    ptm_begin(&b, PTM_1_1, ETMCR_TIMESTAMPS, NULL, 0);
    b.at = 0x1000;
    cairn_unit_time(b.unit, 0x81);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.11.1-a */
    ptm_expect(&b, "08 00 10 00 00 21 42 81 81 80 80 80 80 80 80 00 84");
    cairn_unit_request_sync(b.unit);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.11.1-a */
    ptm_expect(&b, "00 00 00 00 00 80 08 00 10 00 00 01 42 81 81 80 80 80 80 80 80 00 84");
    ptm_end(&b);
}

/* Atoms that wait for more of their header come out at a flush, when the Programming bit is set, and when
 * the PE waits for an interrupt: three are b1001FFF0. */
static void test_pending_atoms(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 3; way++) {
        ptm_begin(&b, PTM_1_0, 0, NULL, 0);
        b.at = 0x1000;
        for (unsigned i = 0; i < 3; i++)
            ptm_direct(&b, 4, 0x1000, true, 0);
        assert_int_not_equal(b.bytes[b.size - 1], 0x90);
        if (way == 0)
            cairn_unit_flush(b.unit);
        else if (way == 1)
            assert_int_equal(cairn_unit_write(b.unit, "ETMCR", 0x400, NULL), CAIRN_OK);
        else
            cairn_unit_low_power(b.unit, true);
        /* proves: PFT-4.15-a */
        assert_int_equal(b.bytes[b.size - 1], 0x90);
        ptm_end(&b);
    }
}

/* Of a Context ID, the bits are told that ETMCR.ContextIDsize says, and a change of each of them is; one of the
 * others is no change (IHI0035 4.5.7). */
static void test_context_bits(void **state)
{
    static const unsigned sizes[] = {0, 1, 2, 4}; /* bytes */

    (void)state;
    for (uint32_t code = 0; code < 4; code++)
        for (unsigned bit = 0; bit < 32; bit++) {
            char expected[32] = "";

            ptm_begin(&b, PTM_1_1, code << 14, NULL, 0);
            b.at = 0x1000;
            ptm_direct(&b, 4, 0x1000, true, 0);
            (void)cairn_unit_position(b.unit);
            b.checked = b.size;
            ptm_context(&b, 1, CAIRN_SECURE, UINT32_C(1) << bit, 0);
            ptm_direct(&b, 4, 0x1000, false, 0);
            if (bit < 8 * sizes[code]) {
                unsigned at = (unsigned)snprintf(expected, sizeof expected, "6e ");

                for (unsigned i = 0; i < sizes[code]; i++)
                    at += (unsigned)snprintf(expected + at, sizeof expected - at, "%02x ",
                                             bit / 8 == i ? 1u << bit % 8 : 0u);
            }
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "86");
            /* proves: PFT-4.5.7-b */
            ptm_expect(&b, expected);
            ptm_end(&b);
        }
}

/* A comparator of an address matches at the waypoint whose run has it, in that cycle and in no later one
 * (IHI0035 3.8.1): what it counts does not go on while nothing is executed. */
static void test_match_is_over(void **state)
{
    const struct cairn_register program[] = {
        {"ETMACVR1", 0x1000}, {"ETMACTR1", 1}, {"ETMCNTRLDVR1", 9}, {"ETMCNTENR1", 0}};
    uint64_t value = 0;

    (void)state;
    ptm_begin(&b, PTM_1_1, 0, program, 4);
    b.at = 0x1000;
    for (unsigned i = 1; i <= 3; i++) {
        ptm_direct(&b, 4, i == 2 ? 0x1000 : 0x2000, true, 0);
        cairn_unit_cycles(b.unit, 5);
        assert_int_equal(cairn_unit_read(b.unit, "ETMCNTVR1", &value), CAIRN_OK);
        assert_int_equal(value, i < 3 ? 8 : 7); /* the second run is elsewhere */
    }
    ptm_end(&b);
}

/* 20 cycles pass while the FIFO is not empty, 200 until the next waypoint, which is traced. PFT 1.0 counts
 * the first ones in the I-sync; 1.1 does so or not, and that count says nothing to a decoder. */
static void test_overflow_cycles(void **state)
{
    static const struct {
        uint32_t id, choices;
        const char *bytes;
    } rows[] = {
        {PTM_1_0, 0, "08 00 10 00 00 41 d0 01 03 60 0c"},
        {PTM_1_0, CAIRN_UNIT_OVERFLOW_KEEPS_CYCLES, "08 00 10 00 00 41 d0 01 03 60 0c"},
        {PTM_1_1, 0, "08 00 10 00 00 41 80 03 60 0c"},
        {PTM_1_1, CAIRN_UNIT_OVERFLOW_KEEPS_CYCLES, "08 00 10 00 00 41 d0 01 03 60 0c"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cairn_unit_counters counters = {.size = sizeof counters};

        b.options = (struct cairn_unit_options)CAIRN_UNIT_OPTIONS_INIT;
        b.options.fifo_bytes = 64;
        b.options.fifo_drain = 16;
        b.options.choices = rows[i].choices;
        ptm_begin(&b, rows[i].id, ETMCR_CYCLES, NULL, 0);
        b.at = 0x1000;
        for (unsigned n = 0; n < 40; n++)
            ptm_indirect(&b, 4, 0x1000, true, 0);
        cairn_unit_counters(b.unit, &counters);
        assert_int_equal(counters.overflows, 1);
        (void)cairn_unit_position(b.unit);
        b.checked = b.size;
        cairn_unit_cycles(b.unit, 20);
        ptm_indirect(&b, 4, 0x1000, true, 0);
        cairn_unit_cycles(b.unit, 200);
        ptm_indirect(&b, 4, 0x1004, true, 0);
        ptm_straight(&b, 4);
        /* proves: PFT-4.4-d */
        ptm_expect(&b, rows[i].bytes);
        ptm_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overflow_cycles),
        cmocka_unit_test(test_thumb),
        cmocka_unit_test(test_aborts),
        cmocka_unit_test(test_into_hyp),
        cmocka_unit_test(test_request_while_off),
        cmocka_unit_test(test_merged_times),
        cmocka_unit_test(test_debug_context),
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_order_of_synchronisation),
        cmocka_unit_test(test_pending_atoms),
        cmocka_unit_test(test_context_bits),
        cmocka_unit_test(test_match_is_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
