/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults and External aborts, and IMPLEMENTATION DEFINED events: E1.2.2.1, E1.2.2.4 to E1.2.2.6. */
#include "bench.h"

static struct bench b;

/* Fault status codes of Data Aborts (public). */
enum { TRANSLATION_L3 = 0x07, ABORT = 0x10, ABORT_WALK_L2 = 0x16 };

static void begin(const struct cairn_pe_trbe_options *options, unsigned FM)
{
    bench_begin(&b, options);
    bench_enable(&b, FM, IGNORE, BASE, LIMIT, BASE);
}

/* Every code, either stage: the whole register, and the pointer is the fault address. */
static void test_fault(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    for (unsigned n = 0; n < 128; n++)
        EACH_WAY(options, way)
        {
            const uint8_t stage = n & 1 ? 2 : 1, FSC = (uint8_t)(n >> 1);

            bench_begin(&b, &options);
            b.registers.value[CAIRN_PE_TRBSR_EL1] = TRG | WRAP | EC(0x2a) | 0x9a40;
            bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
            bench_fault(&b, BASE + 100, stage, FSC);
            assert_int_equal(bench_offer(&b, 200), 200);
            /* proves: R_FSPBK, I_ZNPQG */
            assert_int_equal(bench_status(&b),
                             TRG | WRAP | IRQ | S | EC(stage == 1 ? 0x24 : 0x25) | 0x9a40 | FSC);
            /* proves: I_GVGPB */
            assert_int_equal(bench_pointer(&b), BASE + 100);
            assert_int_equal(b.stored, 100);
            assert_true(b.level);
        }
}

/* Whether the byte that faults counts. */
static void test_fault_counts(void **state)
{
    static const struct {
        bool counts, aborts;
        uint64_t trigger, left;
        size_t events;
    } rows[] = {
        {false, false, 10, 6, 0}, {true, false, 10, 5, 0}, {false, true, 10, 6, 0},
        {true, true, 10, 5, 0},   {false, false, 5, 1, 0}, {true, false, 5, 0, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct cairn_pe_trbe_options options = {
            .choices = rows[i].counts ? CAIRN_PE_TRBE_FAULTS_COUNT : 0};

        EACH_WAY(options, way)
        {
            bench_begin(&b, &options);
            cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBTRG_EL1, rows[i].trigger);
            bench_enable(&b, FILL, STOP, BASE, LIMIT, BASE);
            cairn_pe_trbe_detected_trigger(&b.trbe);
            if (rows[i].aborts)
                bench_abort(&b, BASE + 4, 1, ABORT);
            else
                bench_fault(&b, BASE + 4, 1, TRANSLATION_L3);
            bench_offer(&b, 50);
            /* proves: R_BQTGW */
            assert_int_equal(bench_get(&b, CAIRN_PE_TRBTRG_EL1), rows[i].left);
            assert_int_equal(bench_count(&b, EVENT, 0x400e), rows[i].events);
            assert_false(b.trbe.flush_wanted); /* collection had stopped */
        }
    }
}

/* Several on one byte, the last of the buffer: fault, then abort, then full, then wrap. */
static void test_priority(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    for (unsigned n = 0; n < 8; n++)
        EACH_WAY(options, way)
        {
            const bool fault = n & 1, abort = n & 2, fill = n & 4;
            uint64_t expected = fill ? WRAP | IRQ | S | 1 : WRAP | IRQ;

            begin(&options, fill ? FILL : WRAPS);
            if (fault || abort)
                b.faults[b.fault_count++] = (struct bench_fault){
                    LIMIT - 1, fault ? 1 : 0, TRANSLATION_L3, abort ? 2 : 0, ABORT, false};
            if (abort)
                expected = EA | IRQ | S | EC(0x25) | ABORT;
            if (fault)
                expected = IRQ | S | EC(0x24) | TRANSLATION_L3;
            bench_offer(&b, 0x1000);
            /* proves: R_MCKCHT */
            assert_int_equal(bench_status(&b), expected);
            assert_int_equal(bench_pointer(&b), fault || abort ? LIMIT - 1 : BASE);
        }
}

/* No exception of the PE: ESR and FAR are not this unit's to change, nor is any register but its own. */
static void test_nothing_else(void **state)
{
    static struct cairn_pe_registers before;

    (void)state;
    begin(NULL, FILL);
    bench_fault(&b, BASE + 4, 1, TRANSLATION_L3);
    before = b.registers;
    bench_offer(&b, 10);
    before.value[CAIRN_PE_TRBPTR_EL1] = BASE + 4;
    before.value[CAIRN_PE_TRBSR_EL1] = IRQ | S | EC(0x24) | TRANSLATION_L3;
    /* proves: I_DTKGB */
    assert_memory_equal(&b.registers, &before, sizeof before);
    assert_int_equal(bench_count_what(&b, SYSTEM_ERROR), 0);
}

/* Software mends the mapping and clears S: it goes on at the fault address. What came meanwhile is lost. */
static void test_goes_on(void **state)
{
    (void)state;
    begin(NULL, FILL);
    bench_fault(&b, BASE + 100, 1, TRANSLATION_L3);
    bench_offer(&b, 150);
    bench_switch(&b, false);
    b.fault_count = 0;
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, 0);
    bench_switch(&b, true);
    bench_offer(&b, 50);
    /* proves: I_CRSGP */
    assert_int_equal(bench_pointer(&b), BASE + 150);
    assert_int_equal(bench_at(&b, BASE + 99), 100);
    assert_int_equal(bench_at(&b, BASE + 100), 151);
    assert_int_equal(bench_count_what(&b, FINDING), 0);
}

/* --- External aborts --- */

static void test_synchronous(void **state)
{
    struct cairn_pe_trbe_options options = {.aborts = CAIRN_PE_TRBE_ABORTS_SYNCHRONOUS};

    (void)state;
    for (unsigned stage = 1; stage < 3; stage++)
        EACH_WAY(options, way)
        {
            bench_begin(&b, &options);
            b.registers.value[CAIRN_PE_TRBSR_EL1] = TRG | EC(0x2a) | 0x9a40;
            bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
            bench_abort(&b, BASE + 100, (uint8_t)stage, ABORT_WALK_L2);
            bench_offer(&b, 200);
            /* proves: R_XRLSC */
            assert_int_equal(bench_status(&b), TRG | EA | IRQ | S | EC(stage == 1 ? 0x24 : 0x25) |
                                                   0x9a40 | ABORT_WALK_L2);
            assert_int_equal(bench_pointer(&b), BASE + 100);
            assert_int_equal(b.stored, 100);
            /* proves: R_DJLWB */
            assert_int_equal(bench_status(&b) & 0x3f, ABORT_WALK_L2);
        }
}

/* Reported so many bytes later; the pointer went on. */
static void test_asynchronous(void **state)
{
    (void)state;
    for (uint32_t delay = 0; delay < 12; delay++) {
        struct cairn_pe_trbe_options options = {.aborts = CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS,
                                                .abort_delay = delay};

        EACH_WAY(options, way)
        {
            begin(&options, FILL);
            bench_abort(&b, BASE + 100, delay % 2 ? 2 : 1, ABORT);
            bench_offer(&b, 200);
            /* proves: R_NZTKV */
            assert_int_equal(bench_status(&b), EA | IRQ | S | EC(delay % 2 ? 0x25 : 0x24) | ABORT);
            /* proves: R_TVKJR */
            assert_int_equal(b.stored, 100 + delay);
            assert_int_equal(bench_pointer(&b), BASE + 101 + delay);
            assert_int_equal(b.trbe.counts.lost, 1);
        }
    }
}

/* Behind an event that has stopped collection it sets EA alone; a DSB waits for it, a TSB CSYNC need not. */
static void test_late(void **state)
{
    struct cairn_pe_trbe_options options = {.aborts = CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS,
                                            .abort_delay = 100};

    (void)state;
    EACH_WAY(options, way)
    {
        begin(&options, FILL);
        bench_abort(&b, LIMIT - 10, 2, ABORT);
        bench_offer(&b, 0x1000);
        assert_int_equal(bench_status(&b), WRAP | IRQ | S | 1);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, WRAP | S | 1);
        cairn_pe_trbe_drain(&b.trbe);
        /* proves: R_JQDJD */
        assert_int_equal(bench_status(&b), WRAP | S | 1);
        assert_true(cairn_pe_trbe_is_finished(&b.trbe));
        cairn_pe_trbe_complete(&b.trbe);
        /* proves: R_NSFRQ, R_JPPZZ */
        assert_int_equal(bench_status(&b), WRAP | EA | S | 1);
        /* proves: R_XRLSC */
        assert_false(b.level);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, WRAP | S | 1);
        cairn_pe_trbe_complete(&b.trbe);
        assert_int_equal(bench_status(&b), WRAP | S | 1); /* once */
    }
}

/* A second management event behind that of the abort: the flush of a trigger. */
static void test_second(void **state)
{
    struct cairn_pe_trbe_options options = {.aborts = CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS,
                                            .abort_delay = 2};

    (void)state;
    EACH_WAY(options, way)
    {
        bench_begin(&b, &options);
        bench_enable(&b, FILL, STOP, BASE, LIMIT, BASE);
        bench_abort(&b, BASE + 10, 1, ABORT);
        bench_offer(&b, 12);
        cairn_pe_trbe_detected_trigger(&b.trbe);
        bench_offer(&b, 1);
        assert_int_equal(bench_status(&b), TRG | EA | IRQ | S | EC(0x24) | ABORT);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, TRG | EA | S | EC(0x24) | ABORT);
        cairn_pe_trbe_flushed(&b.trbe);
        /* proves: R_TVKJR */
        assert_int_equal(bench_status(&b), TRG | EA | IRQ | S | EC(0x24) | ABORT);
    }
}

static void test_system_error(void **state)
{
    struct cairn_pe_trbe_options options = {.aborts = CAIRN_PE_TRBE_ABORTS_SYSTEM_ERROR};

    (void)state;
    EACH_WAY(options, way)
    {
        begin(&options, FILL);
        bench_abort(&b, BASE + 100, 1, ABORT);
        bench_offer(&b, 200);
        /* proves: R_GQWBF */
        assert_int_equal(bench_count(&b, SYSTEM_ERROR, BASE + 100), 1);
        assert_int_equal(bench_status(&b), 0);
        /* proves: I_TZNMV */
        assert_int_equal(bench_pointer(&b), BASE + 200);
        assert_int_equal(b.stored, 199);
        assert_int_equal(bench_at(&b, BASE + 101), 102);
    }
}

/* --- what an abort leaves --- */

/* A fault value may not run again: of an abort, of an Alignment fault, of a System Error. An MMU fault leaves
 * a restart value. */
static void test_fault_values(void **state)
{
    static const struct {
        uint8_t aborts;
        bool is_fault;
        uint8_t FSC;
        bool expected;
    } rows[] = {
        {CAIRN_PE_TRBE_ABORTS_SYNCHRONOUS, false, ABORT, true},
        {CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS, false, ABORT, true},
        {CAIRN_PE_TRBE_ABORTS_SYSTEM_ERROR, false, ABORT, true},
        {CAIRN_PE_TRBE_ABORTS_SYNCHRONOUS, true, 0x21, true},
        {CAIRN_PE_TRBE_ABORTS_SYNCHRONOUS, true, TRANSLATION_L3, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (unsigned restored = 0; restored < 2; restored++) {
            const struct cairn_pe_trbe_options options = {.aborts = rows[i].aborts, .align = 4};
            uint64_t pointer;

            begin(&options, FILL);
            if (rows[i].is_fault)
                bench_fault(&b, BASE + 5, 1, rows[i].FSC);
            else
                bench_abort(&b, BASE + 5, 1, rows[i].FSC);
            bench_offer(&b, 7);
            bench_switch(&b, false);
            pointer = cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBPTR_EL1);
            assert_int_not_equal(pointer % 16, 0);
            b.log_count = 0;
            if (restored) { /* another context in between */
                cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, BASE + 0x100);
                cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, pointer);
            }
            bench_switch(&b, true); /* S is 1, but for a System Error: not Running */
            if (b.registers.value[CAIRN_PE_TRBSR_EL1] & S)
                assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_FAULT_VALUE), 0);
            bench_switch(&b, false);
            b.log_count = 0;
            cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, 0);
            bench_switch(&b, true);
            /* proves: R_XZWXQ, I_VRFQC */
            assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_FAULT_VALUE), rows[i].expected);
            /* proves: R_HXZZM */
            assert_false(b.trbe.strays);
        }
}

/* --- IMPLEMENTATION DEFINED --- */

static void test_implementation_defined(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        const uint64_t before = n == 2 ? TRG | WRAP | S | EC(0x24) | 7 : TRG | WRAP;

        begin(NULL, FILL);
        b.registers.value[CAIRN_PE_TRBSR_EL1] = before;
        cairn_pe_trbe_event(&b.trbe, 0xbeef);
        /* proves: R_CHNSL */
        assert_int_equal(bench_status(&b), TRG | WRAP | IRQ | S | EC(0x1f) | 0xbeef);
        assert_true(b.level);
        assert_int_equal(bench_offer(&b, 10), 10);
        assert_int_equal(b.trbe.counts.discarded, 10);
    }
}

/* What was collected before it is written. */
static void test_implementation_collected(void **state)
{
    const struct cairn_pe_trbe_options options = {.align = 4, .choices = CAIRN_PE_TRBE_COLLECTS};

    (void)state;
    begin(&options, FILL);
    bench_offer(&b, 21);
    cairn_pe_trbe_event(&b.trbe, 1);
    assert_int_equal(b.stored, 21);
    assert_int_equal(bench_pointer(&b), BASE + 21);
}

/* A new buffer after an abort is no fault value. */
static void test_new_pointer(void **state)
{
    (void)state;
    begin(NULL, FILL);
    bench_abort(&b, BASE + 5, 1, ABORT);
    bench_offer(&b, 7);
    bench_switch(&b, false);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, 0);
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE + 0x100);
    assert_int_equal(bench_count_what(&b, FINDING), 0);
}

/* An IMPLEMENTATION DEFINED event and an asynchronous abort, the one before the other: the first stops
 * collection, and each leaves what is its own. */
static void test_no_order(void **state)
{
    const struct cairn_pe_trbe_options options = {.aborts = CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS,
                                                  .abort_delay = 100};

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        begin(&options, FILL);
        bench_abort(&b, BASE + 5, 1, ABORT);
        bench_offer(&b, 20);
        if (n)
            cairn_pe_trbe_complete(&b.trbe);
        assert_int_equal(bench_status(&b), n ? EA | IRQ | S | EC(0x24) | ABORT : 0);
        cairn_pe_trbe_event(&b.trbe, 0x77);
        cairn_pe_trbe_complete(&b.trbe);
        /* proves: R_GTMJD */
        assert_int_equal(bench_status(&b), EA | IRQ | S | EC(0x1f) | 0x77);
    }
}

/* Every management event sets IRQ and the line with it. */
static void test_each_event(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 6; n++) {
        const struct cairn_pe_trbe_options options = {.astray = CAIRN_PE_TRBE_ASTRAY_EVENT,
                                                      .unknown = S | EC(0x33) | 0x11};

        bench_begin(&b, &options);
        bench_enable(&b, n == 0 ? WRAPS : FILL, INTERRUPT, BASE, LIMIT, n == 5 ? LIMIT : BASE);
        if (n == 2)
            bench_fault(&b, BASE, 1, TRANSLATION_L3);
        if (n == 3)
            bench_abort(&b, BASE, 1, ABORT);
        if (n == 4) {
            cairn_pe_trbe_detected_trigger(&b.trbe);
            cairn_pe_trbe_flushed(&b.trbe);
        } else {
            bench_offer(&b, 0x1000);
        }
        /* proves: I_NFZKS */
        assert_true(bench_status(&b) & IRQ);
        /* proves: R_HLKSG, I_KQXVW */
        assert_int_equal(bench_count(&b, LINE, 1), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_fault_counts),
        cmocka_unit_test(test_priority),
        cmocka_unit_test(test_nothing_else),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_synchronous),
        cmocka_unit_test(test_asynchronous),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_second),
        cmocka_unit_test(test_system_error),
        cmocka_unit_test(test_fault_values),
        cmocka_unit_test(test_implementation_defined),
        cmocka_unit_test(test_implementation_collected),
        cmocka_unit_test(test_new_pointer),
        cmocka_unit_test(test_no_order),
        cmocka_unit_test(test_each_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
