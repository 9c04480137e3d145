/* SPDX-License-Identifier: BSD-2-Clause */
/* States, pointers, trace buffer modes and what is accepted: E1.2.1, E1.2.2.2. */
#include "bench.h"

static struct bench b;

/* --- states --- */

static void test_states(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        const bool E = n & 1, stopped = n & 2, hosted = n & 4;

        bench_begin(&b, NULL);
        b.registers.value[CAIRN_PE_TRBLIMITR_EL1] = E;
        b.registers.value[CAIRN_PE_TRBSR_EL1] = stopped ? S : 0;
        b.authentication.TFO = !hosted;
        b.authentication.signals = CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPNIDEN;
        if (!E || !hosted)
            assert_int_equal(cairn_pe_trbe_state(&b.trbe), CAIRN_PE_TRBE_DISABLED);
        else if (!stopped)
            /* proves: R_BGLHT */
            assert_int_equal(cairn_pe_trbe_state(&b.trbe), CAIRN_PE_TRBE_RUNNING);
        else
            /* proves: R_FRHXV */
            assert_int_equal(cairn_pe_trbe_state(&b.trbe), CAIRN_PE_TRBE_STOPPED);
    }
}

/* Enabled it accepts, discards or rejects each byte: 10 of a rate of 4 a cycle with room for 10; Disabled it
 * loses them. */
static void test_outcomes(void **state)
{
    struct cairn_pe_trbe_options options = {.rate = 64, .depth = 10};

    (void)state;
    EACH_WAY(options, way)
    {
        const struct cairn_pe_trbe_counts *counts = &b.trbe.counts;

        bench_begin(&b, &options);
        bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
        /* proves: R_YMYQX */
        assert_int_equal(bench_offer(&b, 6), 6);
        assert_memory_equal(&b.memory[BASE - MEMORY], "\1\2\3\4\5\6", 6);
        assert_int_equal(bench_offer(&b, 6), 4); /* 7 to 10 */
        /* proves: R_LNTVR */
        assert_int_equal(bench_offer(&b, 6), 0);
        assert_int_equal(cairn_pe_trbe_port(&b.trbe, NULL, 0, 1), 0); /* a cycle: 4 leave */
        assert_int_equal(bench_offer(&b, 6), 4);
        assert_int_equal(bench_at(&b, BASE + 13), 14); /* none was lost */
        b.registers.value[CAIRN_PE_TRBSR_EL1] |= S;
        /* proves: R_YMVZL */
        assert_int_equal(bench_offer(&b, 9), 9);
        assert_int_equal(bench_at(&b, BASE + 14), 0);
        /* proves: I_JYSQZ */
        assert_int_equal(counts->accepted + counts->discarded, 6 + 4 + 4 + 9);
        assert_int_equal(counts->rejected, 2 + 6 + 2);
        assert_int_equal(counts->written, 14);
    }
}

/* Running, and not able to accept: what waits for memory fills its internal buffer. */
static void test_full_inside(void **state)
{
    (void)state;
    for (uint32_t depth = 10; depth < 12; depth++) {
        const struct cairn_pe_trbe_options options = {.rate = 64, .depth = depth};

        bench_begin(&b, &options);
        bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
        assert_int_equal(bench_offer(&b, 10), 10);
        assert_int_equal(cairn_pe_trbe_state(&b.trbe), CAIRN_PE_TRBE_RUNNING);
        /* proves: I_SQYCT */
        assert_int_equal(bench_offer(&b, 1), depth == 10 ? 0 : 1);
    }
}

static void test_disabled(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    bench_switch(&b, false);
    b.trbe.outside.bus = NULL;
    assert_int_equal(bench_offer(&b, 100), 100);
    /* proves: R_HNTLG */
    assert_int_equal(b.stored, 0);
    assert_int_equal(bench_pointer(&b), BASE);
    assert_int_equal(b.trbe.counts.discarded, 100);
}

/* The other sink gets all of it or nothing, even when collection is stopped. */
static void test_other_sink(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    bench_offer(&b, 10);
    /* proves: R_JYTYH, R_LGVCX */
    assert_int_equal(b.passed, 0);
    b.registers.value[CAIRN_PE_TRBSR_EL1] |= S;
    bench_offer(&b, 10);
    assert_int_equal(b.passed, 0);
    bench_switch(&b, false);
    b.bus_takes = 7;
    assert_int_equal(bench_offer(&b, 10), 7);
    /* proves: I_YHJDQ, R_FJFNS */
    assert_int_equal(b.passed, 7);
    assert_int_equal(b.stored, 10);
    assert_int_equal(b.trbe.counts.passed_on, 7);
    assert_int_equal(b.trbe.counts.rejected, 3);
    b.bus_takes = SIZE_MAX;
    assert_int_equal(bench_offer(&b, 10), 10);
    assert_int_equal(b.trbe.counts.passed_on, 17);
    assert_int_equal(b.trbe.counts.rejected, 3);
}

/* A sink that says it took more than it was offered: the trace unit is told that, and stops. */
static size_t take_more(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    (void)context;
    (void)bytes;
    return size + (size_t)cycles + 1;
}

static void test_other_sink_wrong(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    b.trbe.outside.bus = take_more;
    assert_int_equal(bench_offer(&b, 10), 11);
    assert_int_equal(b.trbe.counts.passed_on, 0);
    assert_int_equal(b.trbe.counts.rejected, 0);
}

/* The owner changes registers by itself: what is offered next goes by them. */
static void test_owner_writes(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    b.registers.value[CAIRN_PE_TRBLIMITR_EL1] &= ~UINT64_C(1);
    bench_offer(&b, 10);
    assert_int_equal(b.stored, 0);
    b.registers.value[CAIRN_PE_TRBLIMITR_EL1] |= 1;
    b.registers.value[CAIRN_PE_TRBPTR_EL1] = BASE + 0x80;
    bench_offer(&b, 10);
    assert_int_equal(b.stored, 10);
    assert_int_equal(bench_pointer(&b), BASE + 0x8a);
    b.authentication.TFO = true; /* an external debugger takes over */
    b.authentication.signals = CAIRN_UNIT_DBGEN | CAIRN_UNIT_SPIDEN;
    bench_offer(&b, 10);
    assert_int_equal(b.stored, 10);
}

/* --- pointers --- */

static void test_pointers(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    EACH_WAY(options, way)
    {
        bench_begin(&b, &options);
        bench_enable(&b, CIRCULAR, IGNORE, BASE, LIMIT, BASE);
        bench_offer(&b, LIMIT - BASE - 1);
        /* proves: R_WKBRT */
        assert_int_equal(bench_pointer(&b), LIMIT - 1);
        assert_int_equal(bench_status(&b), 0);
        bench_offer(&b, 1);
        /* proves: R_VHNTF */
        assert_int_equal(bench_pointer(&b), BASE);
        assert_int_equal(bench_status(&b), WRAP);
        assert_int_equal(bench_count(&b, EVENT, 0x400c), 1);
        bench_offer(&b, 1);
        assert_int_equal(bench_pointer(&b), BASE + 1);
        bench_offer(&b, 3 * (LIMIT - BASE));
        assert_int_equal(bench_count(&b, EVENT, 0x400c), 4);
        assert_int_equal(b.trbe.counts.wraps, 4);
        assert_int_equal(b.trbe.counts.triggers, 0);
        /* proves: R_FVPBS */
        assert_int_equal(bench_at(&b, LIMIT), 0);
        assert_int_equal(bench_at(&b, BASE - 1), 0);
        assert_int_not_equal(bench_at(&b, BASE), 0);
        assert_int_not_equal(bench_at(&b, LIMIT - 1), 0);
    }
}

/* Low bits of Base and Limit are none of them; of the pointer, and of the counter, all are. */
static void test_fields(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBBASER_EL1, UINT64_C(0xfedcba9876543fff));
    /* proves: R_JMPCB */
    assert_int_equal(cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBBASER_EL1),
                     UINT64_C(0xfedcba9876543000));
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBLIMITR_EL1, UINT64_C(0xfedcba9876543fff));
    /* proves: R_LLBBS */
    assert_int_equal(cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBLIMITR_EL1),
                     UINT64_C(0xfedcba987654303f));
    assert_int_equal(cairn_pe_trbe_limit(&b.trbe), UINT64_C(0xfedcba9876543000));
    bench_switch(&b, false);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, UINT64_C(0xfedcba9876543211));
    /* proves: R_KXRTY */
    assert_int_equal(cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBPTR_EL1),
                     UINT64_C(0xfedcba9876543211));
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBTRG_EL1, UINT64_C(0xffffffff87654321));
    /* proves: R_PBGNS */
    assert_int_equal(cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBTRG_EL1), 0x87654321u);
}

static void test_stopped_pointer(void **state)
{
    (void)state;
    for (unsigned FM = 0; FM < 4; FM += FM == 1 ? 2 : 1) {
        bench_begin(&b, NULL);
        b.registers.value[CAIRN_PE_TRBSR_EL1] = S;
        bench_enable(&b, FM, IGNORE, BASE, LIMIT, LIMIT - 1);
        bench_offer(&b, 10);
        /* proves: R_BGBCJ */
        assert_int_equal(bench_pointer(&b), LIMIT - 1);
        /* proves: I_VCDNP */
        assert_int_equal(bench_status(&b), S);
        assert_int_equal(bench_count_what(&b, EVENT), 0);
    }
}

/* Writes of up to 2KB, and of one byte, look alike. */
static void test_granules(void **state)
{
    static const uint16_t granules[] = {1, 3, 64, 2048, 0};
    static uint8_t expected[MEMORY_SIZE];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(granules); i++) {
        const struct cairn_pe_trbe_options options = {.granule = granules[i]};

        bench_begin(&b, &options);
        bench_enable(&b, WRAPS, IGNORE, BASE, LIMIT + 0x1000, BASE + 0x1ffd);
        bench_offer(&b, 0x2100);
        if (i == 0)
            memcpy(expected, b.memory, sizeof expected);
        /* proves: I_BTSCF */
        assert_memory_equal(b.memory, expected, sizeof expected);
        assert_int_equal(bench_pointer(&b), BASE + 0xfd);
        /* proves: R_BWNRF */
        assert_int_equal(b.most, granules[i] ? granules[i] : 2048);
        /* proves: R_CMSNC */
        assert_int_equal(b.stored, 0x2100);
        /* No write is to two pages, so that each has the attributes of its own address, and no boundary bears
         * on it. */
        /* proves: R_RZTDD, R_XRQTN */
        assert_int_equal(b.crossed, 0);
    }
}

/* The stream is what the trace unit wrote: nothing frames it, and TRCTRACEIDR is not looked at. */
static void test_raw(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    bench_offer(&b, 200);
    for (unsigned i = 0; i < 200; i++)
        /* proves: R_PHSKP */
        assert_int_equal(bench_at(&b, BASE + i), i + 1);
}

/* --- modes --- */

/* What was set before stays: EA and MSS here. */
static void test_fill(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    EACH_WAY(options, way)
    {
        bench_begin(&b, &options);
        b.registers.value[CAIRN_PE_TRBSR_EL1] = EA | EC(0x3f) | 0xffff;
        bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE + 0xff0);
        assert_int_equal(bench_offer(&b, 0x40), 0x40);
        /* proves: R_MBSHC */
        assert_int_equal(bench_status(&b), EA | WRAP | IRQ | S | EC(0) | 0xffc1);
        assert_int_equal(bench_pointer(&b), BASE);
        assert_int_equal(bench_count(&b, EVENT, 0x400c), 1);
        assert_true(b.level);
        /* proves: I_HJFLC */
        assert_int_equal(b.stored, 0x10);
        assert_int_equal(b.trbe.counts.discarded, 0x30);
    }
}

static void test_wrap(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    EACH_WAY(options, way)
    {
        bench_begin(&b, &options);
        b.registers.value[CAIRN_PE_TRBSR_EL1] = EC(0x2a) | 0x1234;
        bench_enable(&b, WRAPS, IGNORE, BASE, LIMIT, BASE);
        bench_offer(&b, 0x1000);
        /* proves: R_VBDJZ */
        assert_int_equal(bench_status(&b), EC(0x2a) | 0x1234 | WRAP | IRQ);
        bench_offer(&b, 0x1001);
        assert_int_equal(bench_count(&b, EVENT, 0x400c), 2);
        assert_int_equal(bench_pointer(&b), BASE + 1);
        assert_int_equal(bench_at(&b, BASE), 0x2000 % 251 + 1); /* the oldest is overwritten */
    }
}

static void test_circular(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    EACH_WAY(options, way)
    {
        bench_begin(&b, &options);
        b.registers.value[CAIRN_PE_TRBSR_EL1] = EC(0x2a) | 0x1234;
        bench_enable(&b, CIRCULAR, IGNORE, BASE, LIMIT, BASE);
        bench_offer(&b, 0x2001);
        /* proves: I_GDSTS */
        assert_int_equal(bench_status(&b), EC(0x2a) | 0x1234 | WRAP);
        assert_int_equal(bench_count(&b, EVENT, 0x400c), 2);
        assert_false(b.level);
    }
}

/* The same stream in the three. */
static void test_modes(void **state)
{
    static const struct {
        unsigned FM;
        bool interrupts, stops;
    } rows[] = {{FILL, true, true}, {WRAPS, true, false}, {CIRCULAR, false, false}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bench_begin(&b, NULL);
        bench_enable(&b, rows[i].FM, IGNORE, BASE, LIMIT, BASE);
        bench_offer(&b, 0x1800);
        /* proves: I_GYHBB, I_FZXSV */
        assert_int_equal(bench_status(&b) & (IRQ | S),
                         (rows[i].interrupts ? IRQ : 0) | (rows[i].stops ? S : 0));
        assert_int_equal(bench_pointer(&b), rows[i].stops ? BASE : BASE + 0x800);
        assert_int_equal(bench_at(&b, BASE), rows[i].stops ? 1 : 0x1000 % 251 + 1);
    }
}

/* --- the interrupt --- */

static void test_line(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, IRQ);
    /* proves: R_LRTPB */
    assert_true(b.level);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, IRQ | WRAP);
    assert_true(b.level);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, WRAP);
    assert_false(b.level);
    assert_int_equal(b.log_count, 2); /* told when it changes */
    b.registers.value[CAIRN_PE_TRBSR_EL1] = IRQ;
    cairn_pe_trbe_update(&b.trbe);
    assert_true(b.level);
}

/* Two units: each has its buffer and its line. */
static void test_one_a_PE(void **state)
{
    static struct bench other;

    (void)state;
    bench_begin(&b, NULL);
    bench_begin(&other, NULL);
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    bench_enable(&other, FILL, IGNORE, BASE, LIMIT, BASE);
    bench_offer(&b, 0x1000);
    bench_offer(&other, 5);
    /* proves: I_MRFPK */
    assert_int_equal(other.stored, 5);
    /* proves: R_TPPCF */
    assert_true(b.level && !other.level);
}

/* --- collected into units --- */

/* Align 4: sixteen bytes at a time, so that the pointer that is read is aligned; the rest when it is drained. */
static void test_collected(void **state)
{
    struct cairn_pe_trbe_options options = {.align = 4, .choices = CAIRN_PE_TRBE_COLLECTS};

    (void)state;
    EACH_WAY(options, way)
    {
        bench_begin(&b, &options);
        bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
        assert_int_equal(bench_offer(&b, 37), 37);
        /* proves: R_VMVJH */
        assert_int_equal(bench_pointer(&b), BASE + 32);
        assert_int_equal(b.stored, 32);
        assert_false(cairn_pe_trbe_is_finished(&b.trbe));
        cairn_pe_trbe_drain(&b.trbe);
        assert_int_equal(bench_pointer(&b), BASE + 37);
        assert_int_equal(bench_at(&b, BASE + 36), 37);
        assert_true(cairn_pe_trbe_is_finished(&b.trbe));
        bench_offer(&b, 12); /* up to the next boundary eleven are missing */
        assert_int_equal(bench_pointer(&b), BASE + 48);
        bench_offer(&b, 0x1000);
        assert_int_equal(bench_status(&b), WRAP | IRQ | S | 1);
        assert_int_equal(b.trbe.counts.accepted, 0x1000);
        assert_int_equal(b.stored, 0x1000);
    }
}

/* Disabled with something collected: written first, or lost, and a finding. */
static void test_cut(void **state)
{
    (void)state;
    for (unsigned writes = 0; writes < 2; writes++) {
        const struct cairn_pe_trbe_options options = {
            .align = 4,
            .choices = CAIRN_PE_TRBE_COLLECTS | (writes ? CAIRN_PE_TRBE_DISABLING_WRITES : 0)};

        bench_begin(&b, &options);
        bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
        bench_offer(&b, 20);
        bench_switch(&b, false);
        /* proves: I_TRWF */
        assert_int_equal(b.stored, writes ? 20 : 16);
        assert_int_equal(bench_pointer(&b), BASE + (writes ? 20 : 16));
        assert_int_equal(b.trbe.counts.lost, writes ? 0 : 4);
        assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_BYTES_CUT), 1);
        assert_true(b.last.regime.defined);
        assert_int_equal(b.last.regime.EL, 1);
    }
}

/* So does what a DSB waits for; but not of a unit that the owner has Disabled meanwhile. */
static void test_collected_complete(void **state)
{
    const struct cairn_pe_trbe_options options = {.align = 4, .choices = CAIRN_PE_TRBE_COLLECTS};

    (void)state;
    bench_begin(&b, &options);
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    bench_offer(&b, 5);
    cairn_pe_trbe_complete(&b.trbe);
    assert_int_equal(b.stored, 5);
    bench_offer(&b, 5);
    b.registers.value[CAIRN_PE_TRBLIMITR_EL1] &= ~UINT64_C(1);
    cairn_pe_trbe_drain(&b.trbe);
    assert_int_equal(b.stored, 5);
    assert_int_equal(b.trbe.counts.lost, 5);
}

/* A drained unit takes again what it had no room for. */
static void test_drain(void **state)
{
    const struct cairn_pe_trbe_options options = {.rate = 1, .depth = 8};

    (void)state;
    bench_begin(&b, &options);
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    assert_int_equal(bench_offer(&b, 20), 8);
    assert_int_equal(cairn_pe_trbe_port(&b.trbe, NULL, 0, 15), 0);
    assert_int_equal(bench_offer(&b, 12), 0); /* fifteen sixteenths of a byte have left */
    assert_int_equal(cairn_pe_trbe_port(&b.trbe, NULL, 0, 1), 0);
    assert_int_equal(bench_offer(&b, 12), 1);
    cairn_pe_trbe_drain(&b.trbe);
    assert_int_equal(bench_offer(&b, 11), 8);
    assert_int_equal(cairn_pe_trbe_port(&b.trbe, NULL, 0, UINT64_MAX), 0);
    assert_int_equal(bench_offer(&b, 3), 3);
    assert_int_equal(bench_at(&b, BASE + 19), 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_full_inside),
        cmocka_unit_test(test_disabled),
        cmocka_unit_test(test_other_sink),
        cmocka_unit_test(test_other_sink_wrong),
        cmocka_unit_test(test_owner_writes),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_stopped_pointer),
        cmocka_unit_test(test_granules),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_circular),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_one_a_PE),
        cmocka_unit_test(test_collected),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_collected_complete),
        cmocka_unit_test(test_drain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
