/* SPDX-License-Identifier: BSD-2-Clause */
/* The ETMv3 model where rules meet: what is no data instruction, what goes on and what is kept
 * while trace goes off, waits and authentication. Bytes worked out by hand from IHI0014. */
#include "etmv3_bench.h"

#include <stdio.h>

#define START_8000 "08 21 00 80 00 00 84"
#define SYNC "00 00 00 00 00 80 "

/* A preload ends no block and has no data; the load behind it does both. */
static void test_preload(void **state)
{
    static const uint8_t code[] = {
        0x00, 0xf0, 0xd1, 0xf5, /* PLD [r1] */
        0x00, 0x00, 0x91, 0xe5, /* LDR r0, [r1] */
    };
    struct cairn_block block;

    (void)state;
    bench_begin(BENCH_R, "ETMCR=c");
    assert_int_equal(cairn_unit_scan(bench.unit, CAIRN_ISA_A32, 0x8000, code, sizeof code, &block),
                     8);
    /* proves: ETM3-4.6.3-a */
    assert_int_equal(block.count, 2);
    cairn_unit_execute(bench.unit, &block, true);
    load(0x20000000, 4, 7);
    expect(SYNC "08 21 00 80 00 00 88 26 80 80 80 80 02 07");
    bench_end();
}

/* A move to a coprocessor ends a block where its word is traced (ETMCR[1]). */
static void test_move(void **state)
{
    static const uint8_t code[] = {
        0x50, 0x0f, 0x0d, 0xee, /* MCR p15, 0, r0, c13, c0, 2 */
        0x00, 0xf0, 0x20, 0xe3, /* NOP */
    };
    struct cairn_block block;

    (void)state;
    bench_begin(BENCH_R, "ETMCR=4");
    assert_int_equal(cairn_unit_scan(bench.unit, CAIRN_ISA_A32, 0x8000, code, sizeof code, &block),
                     8);
    bench_end();
    bench_begin(BENCH_R, "ETMCR=6");
    assert_int_equal(cairn_unit_scan(bench.unit, CAIRN_ISA_A32, 0x8000, code, sizeof code, &block),
                     4);
    bench_end();
}

/* A branch ends a block, whether its target is in it or not. */
static void test_branches_end(void **state)
{
    static const uint8_t code[] = {
        0x1e, 0xff, 0x2f, 0xe1, /* BX lr */
        0xfe, 0xff, 0xff, 0xea, /* B . */
        0x00, 0xf0, 0x20, 0xe3, /* NOP */
    };
    struct cairn_block block;

    (void)state;
    bench_begin(BENCH_R, "");
    for (uint32_t at = 0; at < 8; at += 4) {
        assert_int_equal(cairn_unit_scan(bench.unit, CAIRN_ISA_A32, 0x8000 + at, code + at,
                                         sizeof code - at, &block),
                         4);
        assert_int_equal(block.kind,
                         at == 0 ? CAIRN_INSN_BRANCH_INDIRECT : CAIRN_INSN_BRANCH_DIRECT);
    }
    bench_end();
}

/* The data of the instruction that writes the Context ID, and the packet that tells of it. */
static void test_context_id_write(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=4006"); /* a byte of context ID, values, coprocessors */
    run(0x8000);
    transfer(0, 4, 0x22, CAIRN_UNIT_DATA_COPROCESSOR | CAIRN_UNIT_DATA_STORE);
    context_id(0x22);
    run(0x8004);
    /* proves: ETM3-7.3.6-c */
    expect(SYNC "08 00 21 00 80 00 00 84 06 22 6e 22 84");
    bench_end();
}

/* A value comes at the instruction at which a periodic I-sync is due, another behind it: all are
 * there. */
static void test_late_value_and_sync(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    (void)state;
    options.choices = CAIRN_UNIT_DATA_OUT_OF_ORDER;
    bench_begin_with(BENCH_R, "ETMCR=c", options);
    run(0x8000);
    load(0x20000000, 4, 0x12);
    run(0x8004);
    load(0x20000004, 4, 0x34);
    run(0x8008);
    cairn_unit_request_sync(bench.unit);
    run(0x800c);
    run(0x8010);
    /* proves: ETM3-7.4.3-f */
    expect(SYNC START_8000 "74 80 80 80 80 02 84 78 04 84 24 12 " SYNC
                           "08 01 0c 80 00 00 84 44 34 84");
    bench_end();
}

/* TraceEnable falls between two transfers (ETMTEEVR is external input 1). */
static void test_multiple_completes(void **state)
{
    (void)state;
    bench_begin(BENCH_R, "ETMCR=c ETMTEEVR=60");
    cairn_unit_inputs(bench.unit, 1);
    run(0x8000);
    load(0x20000000, 4, 1);
    cairn_unit_inputs(bench.unit, 0);
    load(0x20000004, 4, 2);
    load(0x20000008, 4, 3);
    run(0x8004);
    /* proves: ETM3-7.4.5-b, ETMC-2.6.4-f */
    expect(SYNC START_8000 "26 80 80 80 80 02 01 06 02 06 03");
    bench_end();
}

/* ETMTRIGGER is external input 2, ETMTEEVR external input 1. */
static void test_trigger(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit_counters counters = {.size = sizeof counters};
    uint32_t at = 0x8000;

    (void)state;
    bench_begin(BENCH_R, "ETMTRIGGER=61 ETMTEEVR=60");
    run(0x8000);
    cairn_unit_inputs(bench.unit, 2);
    run(0x8004);
    /* proves: ETM3-7.8.1-a */
    expect("0c"); /* nothing is traced, and nothing was */
    cairn_unit_inputs(bench.unit, 0);
    cairn_unit_inputs(bench.unit, 3);
    run(0x8008);
    expect(SYNC "08 21 08 80 00 00 84"); /* one is all there is */
    bench_end();

    options.fifo_bytes = 128;
    options.fifo_drain = 16;
    bench_begin_with(BENCH_R, "ETMTRIGGER=61", options);
    for (unsigned i = 0; i < 20; i++) { /* two far apart: 6 bytes a jump */
        jump(at);
        at ^= 0xc0000000;
    }
    cairn_unit_counters(bench.unit, &counters);
    assert_int_equal(counters.overflows, 1);
    cairn_unit_flush(bench.unit);
    bench.checked = bench.size;
    cairn_unit_inputs(bench.unit, 2);
    /* proves: ETM3-7.8.1-a */
    expect("0c");
    cairn_unit_cycles(bench.unit, 1000);
    run(at);
    expect(SYNC "08 41 00 80 00 00 84");
    bench_end();
}

static unsigned value_of(const char *name)
{
    uint64_t value = 0;

    assert_int_equal(cairn_unit_read(bench.unit, name, &value), CAIRN_OK);
    return (unsigned)value;
}

/* ETMTRIGGER and the sequencer go by external input 2; the counter counts instructions and cycles.
 */
static void test_noninvasive_debug(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    (void)state;
    options.fifo_bytes = 128;
    options.fifo_drain = 1;
    bench_begin_with(BENCH_A, "ETMTRIGGER=61 ETMSQ12EVR=61 ETMCNTRLDVR1=9 ETMCNTENR1=2006f",
                     options);
    run(0x8000);
    cairn_unit_authenticate(bench.unit, 0);
    /* proves: ETM35Q-2.14-a, ETMC-2.14-a */
    assert_int_equal(bench.size, 13); /* all of it has left */
    cairn_unit_inputs(bench.unit, 2);
    cairn_unit_cycles(bench.unit, 5);
    run(0x8004);
    /* proves: ETM35Q-2.14-a, ETMC-2.14-a */
    assert_int_equal(value_of("ETMCNTVR1"), 8);
    /* proves: ETM35Q-2.14-a, ETMC-2.14-a */
    assert_int_equal(value_of("ETMSQR"), 0);
    /* proves: ETM35Q-2.14-a, ETMC-2.14-a */
    expect(SYNC START_8000);
    cairn_unit_authenticate(bench.unit, CAIRN_UNIT_NIDEN);
    run(0x8008);
    assert_int_equal(value_of("ETMCNTVR1"), 7);
    assert_int_equal(value_of("ETMSQR"), 1);
    expect("08 21 08 80 00 00 84 0c");
    bench_end();
    /* A prohibited region inside of it, and around it. */
    bench_start(BENCH_A, "", 0x8000, START_8000);
    cairn_unit_prohibit(bench.unit, true);
    cairn_unit_authenticate(bench.unit, 0);
    cairn_unit_prohibit(bench.unit, false);
    run(0x8004);
    expect("");
    cairn_unit_authenticate(bench.unit, CAIRN_UNIT_NIDEN);
    run(0x8008);
    expect("08 21 08 80 00 00 84");
    bench_end();
}

/* ETMTRIGGER is that nothing may be traced, which is so in a prohibited region as well, and there
 * the trigger is on. */
static void test_trigger_without_debug(void **state)
{
    (void)state;
    bench_start(BENCH_A, "ETMTRIGGER=6e", 0x8000, START_8000);
    cairn_unit_authenticate(bench.unit, 0);
    run(0x8004);
    /* proves: ETM35Q-2.14-a, ETMC-2.14-a */
    expect("");
    cairn_unit_authenticate(bench.unit, CAIRN_UNIT_NIDEN);
    run(0x8008);
    expect("08 21 08 80 00 00 84");
    cairn_unit_prohibit(bench.unit, true);
    run(0x800c);
    expect("0c");
    bench_end();
}

/* 0x8004, which is the start address, is in a prohibited region. */
static void test_prohibited_comparators(void **state)
{
    (void)state;
    bench_begin(BENCH_A, "ETMTECR1=3000000 ETMTSSCR=1 ETMACVR1=8004 ETMACTR1=19");
    run(0x8000);
    cairn_unit_prohibit(bench.unit, true);
    run(0x8004);
    cairn_unit_prohibit(bench.unit, false);
    run(0x8008);
    expect("");
    branch(0x800c, 0x8004);
    run(0x8004);
    expect(SYNC "08 21 04 80 00 00 84");
    bench_end();
}

/* A WFI at 0x8000, and the interrupt that ends the wait. */
static void test_wait(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    uint32_t at = 0x8000;

    (void)state;
    options.fifo_bytes = 128;
    options.fifo_drain = 1;
    bench_begin_with(BENCH_R, "", options);
    run(0x8000);
    cairn_unit_low_power(bench.unit, true);
    /* proves: ETM3-4.12-a */
    assert_int_equal(bench.size, 13); /* all of it has left */
    expect(SYNC START_8000);
    cairn_unit_low_power(bench.unit, false);
    except(CAIRN_EXCEPTION_IRQ, 0x8004);
    run(0x18);
    /* proves: ETM3-4.12-a */
    expect("08 21 18 00 00 00 84");
    bench_end();
    /* Behind an overflow. */
    bench_begin_with(BENCH_R, "", options);
    for (unsigned i = 0; i < 20; i++) { /* two far apart: 6 bytes a jump */
        jump(at);
        at ^= 0xc0000000;
    }
    run(at);
    cairn_unit_low_power(bench.unit, true);
    bench.checked = bench.size;
    cairn_unit_low_power(bench.unit, false);
    run(at + 4);
    /* proves: ETM3-4.12-a */
    expect(SYNC "08 41 04 80 00 00 84");
    bench_end();
}

static unsigned exceptions, their_flags;

static void note_exception(void *context, unsigned kind, uint16_t flags,
                           const struct cairn_element_data *data)
{
    (void)context;
    (void)data;
    if (kind != CAIRN_ELEMENT_EXCEPTION)
        return;
    exceptions++;
    their_flags = flags;
}

/* An Exception element tells of no Atom's way: where it is from is known, its address is not. */
static void test_flags_of_exceptions(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    (void)state;
    exceptions = 0;
    options.watch = note_exception;
    bench_begin_with(BENCH_R, "", options);
    run(0x8000);
    except(CAIRN_EXCEPTION_IRQ, 0x8004);
    run(0x18);
    assert_int_equal(exceptions, 1);
    assert_int_equal(their_flags, CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN);
    bench_end();
}

static unsigned infos, flagged;

static void note_statuses(void *context, unsigned kind, uint16_t flags,
                          const struct cairn_element_data *data)
{
    (void)context;
    (void)data;
    infos += kind == CAIRN_ELEMENT_TRACE_INFO;
    if (kind != CAIRN_ELEMENT_ATOM && (flags & (CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E)))
        flagged++;
}

/* E is a status of Atoms alone: an I-sync has none, whether trace begins there or not (7.7.3). */
static void test_flags_of_syncs(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    (void)state;
    infos = flagged = 0;
    options.watch = note_statuses;
    bench_begin_with(BENCH_R, "", options);
    run(0x8000);
    cairn_unit_request_sync(bench.unit);
    run(0x8004);
    assert_int_equal(infos, 2);
    assert_int_equal(flagged, 0);
    bench_end();
}

/* Loads that are on their way have ended where the core waits: what executes behind that is not
 * beneath them, and its own first transfer has an address (7.4.2), in full behind an I-sync for
 * Trace-on (7.7.4). */
static void test_loads_before_waiting(void **state)
{
    (void)state;
    bench_start(BENCH_R, "ETMCR=c", 0x8000, START_8000);
    cairn_unit_data_pending(bench.unit, 2);
    load(0x20000000, 4, 7);
    expect("26 80 80 80 80 02 07");
    cairn_unit_low_power(bench.unit, true);
    cairn_unit_low_power(bench.unit, false);
    run(0x8004);
    load(0x20000004, 4, 9);
    /* proves: ETM3-4.12-a */
    expect("08 21 04 80 00 00 84 26 84 80 80 80 02 09");
    bench_end();
}

/* To be told that the core is in no prohibited region, or not in Debug state, where it was not changes nothing;
 * nor does what it did in Debug state before the unit was enabled. */
static void test_still_allowed(void **state)
{
    (void)state;
    bench_start(BENCH_R, "", 0x8000, START_8000);
    cairn_unit_prohibit(bench.unit, false);
    run(0x8004);
    run(0x8008);
    expect("88");
    cairn_unit_debug_state(bench.unit, false);
    run(0x800c);
    expect("84");
    cairn_unit_disable(bench.unit);
    cairn_unit_debug_state(bench.unit, true);
    cairn_unit_debug_state(bench.unit, false);
    cairn_unit_enable(bench.unit);
    cairn_unit_flush(bench.unit);
    bench.checked = bench.size;
    run(0x8000);
    expect(SYNC START_8000);
    bench_end();
}

/* All eight bits of a VMID are told, and no other one (ETMCR[30]). */
static void test_vmid_bits(void **state)
{
    struct cairn_context context = {.EL = 1, .security = CAIRN_NONSECURE};

    (void)state;
    bench_begin(BENCH_A, "ETMCR=40000000");
    cairn_unit_context(bench.unit, &context);
    run(0x8000);
    cairn_unit_flush(bench.unit);
    bench.checked = bench.size;
    for (unsigned bit = 0; bit < 10; bit++) {
        char wanted[16];

        context.vmid = 1u << bit;
        cairn_unit_context(bench.unit, &context);
        run(0x8004 + 4 * bit);
        snprintf(wanted, sizeof wanted, bit > 8 ? "84" : "3c %02x 84", context.vmid & 0xff);
        expect(wanted);
    }
    bench_end();
}

/* Of a program the registers that say what was built come first, wherever they stand in it, and status
 * registers, which a copied program may have, are left alone. */
static void test_order_of_program(void **state)
{
    const struct cairn_register rows[][3] = {
        {{"ETMCR", 1u << 28}, {"ETMIDR", BENCH_R}, {"ETMSR", 2}}, /* v3.3 has no timestamps */
        {{"ETMCR", 1u << 28}, {"ETMSR", 2}, {"ETMIDR", BENCH_A}},
    };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
        struct cairn_unit *unit = NULL;
        struct cairn_error error = {.status = CAIRN_OK};

        options.protocol = CAIRN_PROTOCOL_ETMV3;
        options.arch = (struct cairn_arch){i ? CAIRN_PROFILE_A : CAIRN_PROFILE_R, 7, 0, 0};
        options.registers = rows[i];
        options.register_count = 3;
        assert_int_equal(cairn_unit_new(&options, &unit, &error), i ? CAIRN_OK : CAIRN_E_CONFIG);
        if (i)
            cairn_unit_free(unit);
    }
}

/* ETMCR has the bits that the version and ETMCCER say: timestamps from v3.5 on with bit 22, VMIDs with bit 26. */
static void test_bits_of_control(void **state)
{
    enum { TIMESTAMPS = 1 << 22, VIRTUALIZATION = 1 << 26 };
    static const struct {
        uint32_t id, extensions, control;
        bool there;
    } rows[] = {
        {BENCH_A, TIMESTAMPS | VIRTUALIZATION, 1u << 28, true},
        {BENCH_A, TIMESTAMPS | VIRTUALIZATION, 1u << 30, true},
        {BENCH_A, VIRTUALIZATION, 1u << 28, false},
        {BENCH_A, VIRTUALIZATION, 1u << 30, true},
        {BENCH_A, TIMESTAMPS, 1u << 28, true},
        {BENCH_A, TIMESTAMPS, 1u << 30, false},
        {BENCH_R, TIMESTAMPS | VIRTUALIZATION, 1u << 28, false},
        {BENCH_R, TIMESTAMPS | VIRTUALIZATION, 1u << 30, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_register list[] = {
            {"ETMCR", rows[i].control}, {"ETMIDR", rows[i].id}, {"ETMCCER", rows[i].extensions}};
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
        struct cairn_unit *unit = NULL;
        struct cairn_error error = {.status = CAIRN_OK};

        options.protocol = CAIRN_PROTOCOL_ETMV3;
        options.arch =
            (struct cairn_arch){rows[i].id == BENCH_A ? CAIRN_PROFILE_A : CAIRN_PROFILE_R, 7, 0, 0};
        options.registers = list;
        options.register_count = 3;
        assert_int_equal(cairn_unit_new(&options, &unit, &error),
                         rows[i].there ? CAIRN_OK : CAIRN_E_CONFIG);
        if (rows[i].there)
            cairn_unit_free(unit);
    }
}

static uint64_t traced(void)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(bench.unit, &counters);
    return counters.traced;
}

/* A range that looks at values as well: at the one transferred, from v3.3 on of the comparator's size, on all lanes
 * of the register, and before that as it is (2.8.3). */
static void test_range_values(void **state)
{
    static const struct {
        uint32_t id;
        const char *control, *value;
        uint32_t bytes, transferred, flags;
        bool inside;
    } cases[] = {
        /* words: equal, unequal, with a mask, of another size */
        {BENCH_R, "3e", "ETMDCVR1=ab", 4, 0xab, 0, true},
        {BENCH_R, "3e", "ETMDCVR1=ab", 4, 0xac, 0, false},
        {BENCH_R, "3e", "ETMDCVR1=ab ETMDCMR1=7", 4, 0xac, 0, true},
        {BENCH_R, "3e", "ETMDCVR1=ab ETMDCMR1=7", 4, 0xb0, 0, false},
        {BENCH_R, "7e", "ETMDCVR1=ab", 4, 0xac, 0, true},
        {BENCH_R, "7e", "ETMDCVR1=ab", 4, 0xab, 0, false},
        {BENCH_R, "7e", "ETMDCVR1=ab ETMDCMR1=7", 4, 0xac, 0, false},
        {BENCH_R, "3e", "ETMDCVR1=ab", 1, 0xab, 0, false},
        {BENCH_R, "7e", "ETMDCVR1=ab", 1, 0xac, 0, false},
        /* halfwords and bytes */
        {BENCH_R, "2e", "ETMDCVR1=12341234", 2, 0x1234, 0, true},
        {BENCH_R, "2e", "ETMDCVR1=1234", 2, 0x1234, 0, false},
        {BENCH_R, "2e", "ETMDCVR1=12341234", 4, 0x12341234, 0, false},
        {BENCH_R, "26", "ETMDCVR1=abababab", 1, 0xab, 0, true},
        {BENCH_R, "26", "ETMDCVR1=ab", 1, 0xab, 0, false},
        {BENCH_R, "66", "ETMDCVR1=ab", 1, 0xab, 0, true},
        {BENCH_R, "26", "ETMDCVR1=abababab", 2, 0xabab, 0, false},
        /* no value: neither equal nor unequal */
        {BENCH_R, "3e", "ETMDCVR1=0", 4, 0, CAIRN_UNIT_DATA_NO_VALUE, false},
        {BENCH_R, "7e", "ETMDCVR1=ab", 4, 0, CAIRN_UNIT_DATA_NO_VALUE, false},
        /* v3.2 */
        {0x41041220u, "3e", "ETMDCVR1=ab", 1, 0xab, 0, true},
        {0x41041220u, "26", "ETMDCVR1=ab", 1, 0xab, 0, true},
        {0x41041220u, "26", "ETMDCVR1=ab", 4, 0x1ab, 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char program[160];

        snprintf(program, sizeof program,
                 "ETMTEEVR=10 ETMACVR1=2004 ETMACVR2=2008 ETMACTR1=%s ETMACTR2=1e %s",
                 cases[i].control, cases[i].value);
        bench_begin(cases[i].id, program);
        run(0x8000);
        transfer(0x2004, cases[i].bytes, cases[i].transferred,
                 cases[i].flags | CAIRN_UNIT_DATA_STORE);
        run(0x8004);
        /* proves: ETMC-2.8.3-a */
        assert_int_equal(traced(), cases[i].inside ? 2 : 0);
        bench_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_preload),
        cmocka_unit_test(test_move),
        cmocka_unit_test(test_branches_end),
        cmocka_unit_test(test_context_id_write),
        cmocka_unit_test(test_late_value_and_sync),
        cmocka_unit_test(test_multiple_completes),
        cmocka_unit_test(test_trigger),
        cmocka_unit_test(test_noninvasive_debug),
        cmocka_unit_test(test_trigger_without_debug),
        cmocka_unit_test(test_prohibited_comparators),
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_flags_of_exceptions),
        cmocka_unit_test(test_flags_of_syncs),
        cmocka_unit_test(test_loads_before_waiting),
        cmocka_unit_test(test_still_allowed),
        cmocka_unit_test(test_vmid_bits),
        cmocka_unit_test(test_bits_of_control),
        cmocka_unit_test(test_order_of_program),
        cmocka_unit_test(test_range_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
