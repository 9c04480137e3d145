/* SPDX-License-Identifier: BSD-2-Clause */
/* Triggers: E1.2.2.3, in the byte loop and in blocks. */
#include "bench.h"

static struct bench b;

static void begin(const struct cairn_pe_trbe_options *options, unsigned FM, unsigned TM,
                  uint64_t counter)
{
    bench_begin(&b, options);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBTRG_EL1, counter);
    bench_enable(&b, FM, TM, BASE, LIMIT, BASE);
}

static uint64_t counter(void)
{
    return bench_get(&b, CAIRN_PE_TRBTRG_EL1);
}

static size_t triggers(void)
{
    return bench_count(&b, EVENT, 0x400e);
}

static void trigger(void)
{
    cairn_pe_trbe_detected_trigger(&b.trbe);
}

/* It sets TRG and nothing else, while Enabled. */
static void test_detected(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        const uint64_t before = EC(0x2a) | 0x1234 | (n == 1 ? S : 0);

        begin(NULL, FILL, STOP, 100);
        b.registers.value[CAIRN_PE_TRBSR_EL1] = before;
        if (n == 2)
            bench_switch(&b, false);
        trigger();
        /* proves: R_KSQJW */
        assert_int_equal(bench_status(&b), n == 2 ? before : before | TRG);
        assert_int_equal(triggers(), 0);
    }
}

/* The owner clears E by itself: the next Detected Trigger sees that. */
static void test_detected_disabled(void **state)
{
    (void)state;
    begin(NULL, FILL, STOP, 0);
    b.registers.value[CAIRN_PE_TRBLIMITR_EL1] &= ~UINT64_C(1);
    trigger();
    assert_int_equal(bench_status(&b), 0);
    assert_int_equal(triggers(), 0);
}

/* Stop on trigger is over with its flush: the next one may be of another mode. */
static void test_modes_in_turn(void **state)
{
    (void)state;
    begin(NULL, FILL, STOP, 0);
    trigger();
    cairn_pe_trbe_flushed(&b.trbe);
    bench_switch(&b, false);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, 0);
    bench_enable(&b, FILL, INTERRUPT, BASE, LIMIT, BASE);
    trigger();
    cairn_pe_trbe_flushed(&b.trbe);
    /* proves: I_NGLLQ */
    assert_int_equal(bench_status(&b), TRG | IRQ);
}

/* ETEEvent 0 is the trigger condition, and no other. */
static void test_event_0(void **state)
{
    (void)state;
    begin(NULL, FILL, STOP, 100);
    cairn_pe_trbe_outputs(&b.trbe, 0, 0xe | CAIRN_UNIT_ATB_TRIGGER);
    assert_int_equal(bench_status(&b), 0);
    cairn_pe_trbe_outputs(&b.trbe, 0, 0x5);
    /* proves: I_YRQCN */
    assert_int_equal(bench_status(&b), TRG);
}

static void test_counter(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    EACH_WAY(options, way)
    {
        begin(&options, FILL, STOP, 10);
        bench_offer(&b, 7);
        assert_int_equal(counter(), 10); /* no trigger yet */
        trigger();
        bench_offer(&b, 4);
        /* proves: R_BQTGW */
        assert_int_equal(counter(), 6);
        bench_offer(&b, 5);
        assert_int_equal(counter(), 1);
        assert_int_equal(triggers(), 0);
        bench_offer(&b, 3);
        assert_int_equal(counter(), 0);
        assert_int_equal(triggers(), 1);
        assert_int_equal(b.log[0].stored, 7 + 10); /* with the tenth byte */
    }
}

/* The Trigger Event comes after the counter's number of bytes; with 0, at once. */
static void test_event_after(void **state)
{
    static const unsigned counts[] = {0, 1, 2, 100, 4096};
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        EACH_WAY(options, way)
        {
            begin(&options, CIRCULAR, STOP, counts[i]);
            bench_offer(&b, 50);
            trigger();
            /* proves: R_DHLQG */
            assert_int_equal(triggers(), counts[i] == 0);
            assert_int_equal(bench_offer(&b, 5000), 5000);
            /* proves: I_HHLBM */
            assert_int_equal(triggers(), 1);
            for (size_t at = 0; at < b.log_count; at++)
                if (b.log[at].what == EVENT && b.log[at].value == 0x400e)
                    /* proves: R_MLZZW */
                    assert_int_equal(b.log[at].stored, 50 + counts[i]);
        }
}

/* No second one: TRG is 1 already. None while Disabled. Software that clears TRG gets another. */
static void test_once(void **state)
{
    (void)state;
    begin(NULL, FILL, IGNORE, 0);
    trigger();
    trigger();
    bench_offer(&b, 10);
    /* proves: I_ZGFSK */
    assert_int_equal(triggers(), 1);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, 0);
    trigger();
    assert_int_equal(triggers(), 2);
    assert_int_equal(b.trbe.counts.triggers, 2);
    assert_int_equal(b.trbe.counts.wraps, 0);
    bench_switch(&b, false);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, 0);
    trigger();
    assert_int_equal(triggers(), 2);
}

/* Stop on trigger: flush, and when that is complete IRQ, S, EC, BSC, behind the last byte. */
static void test_stop(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    EACH_WAY(options, way)
    {
        begin(&options, FILL, STOP, 5);
        b.registers.value[CAIRN_PE_TRBSR_EL1] = EC(0x3f) | EA | 0xff00;
        trigger();
        bench_offer(&b, 8);
        assert_int_equal(bench_count_what(&b, FLUSH), 1);
        assert_true(b.trbe.flush_wanted);
        assert_false(cairn_pe_trbe_is_finished(&b.trbe));
        assert_int_equal(bench_status(&b), EC(0x3f) | EA | 0xff00 | TRG);
        bench_offer(&b, 20); /* the trace unit writes out */
        cairn_pe_trbe_flushed(&b.trbe);
        /* proves: R_XRRWP */
        assert_int_equal(bench_status(&b), EC(0) | EA | 0xff02 | TRG | IRQ | S);
        assert_int_equal(triggers(), 1);
        /* proves: I_MCGFL */
        assert_int_equal(bench_pointer(&b), BASE + 28);
        assert_true(b.level);
        bench_offer(&b, 10);
        assert_int_equal(bench_pointer(&b), BASE + 28);
        cairn_pe_trbe_flushed(&b.trbe); /* nobody wanted it */
        assert_int_equal(triggers(), 1);
    }
}

/* The last byte of the flush is the last of the buffer: the pointer is at the Base pointer. */
static void test_stop_at_limit(void **state)
{
    (void)state;
    begin(NULL, CIRCULAR, STOP, 0);
    trigger();
    bench_offer(&b, 0x1000);
    cairn_pe_trbe_flushed(&b.trbe);
    /* proves: R_XRRWP */
    assert_int_equal(bench_pointer(&b), BASE);
    assert_int_equal(bench_status(&b), TRG | WRAP | IRQ | S | 2);
}

static void test_interrupt(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    EACH_WAY(options, way)
    {
        begin(&options, FILL, INTERRUPT, 5);
        trigger();
        bench_offer(&b, 8);
        assert_int_equal(bench_count_what(&b, FLUSH), 1);
        assert_false(b.level);
        cairn_pe_trbe_flushed(&b.trbe);
        /* proves: R_XYPYF */
        assert_int_equal(bench_status(&b), TRG | IRQ);
        assert_int_equal(triggers(), 1);
        bench_offer(&b, 8);
        assert_int_equal(bench_pointer(&b), BASE + 16);
    }
}

static void test_ignore(void **state)
{
    (void)state;
    begin(NULL, FILL, IGNORE, 5);
    trigger();
    bench_offer(&b, 8);
    /* proves: I_LMQHK */
    assert_int_equal(bench_status(&b), TRG);
    assert_int_equal(triggers(), 1);
    assert_int_equal(bench_count_what(&b, FLUSH), 0);
}

/* The same stream in the three, and the field that selects them. */
static void test_modes(void **state)
{
    static const struct {
        unsigned TM;
        uint64_t status;
    } rows[] = {{STOP, TRG | IRQ | S | 2}, {INTERRUPT, TRG | IRQ}, {IGNORE, TRG}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        begin(NULL, FILL, rows[i].TM, 0);
        trigger();
        cairn_pe_trbe_flushed(&b.trbe);
        /* proves: I_NGLLQ, I_JDWMT */
        assert_int_equal(bench_status(&b), rows[i].status);
    }
}

static void test_when_stopped(void **state)
{
    (void)state;
    for (unsigned TM = 0; TM < 2; TM++) {
        begin(NULL, FILL, TM, 0);
        b.registers.value[CAIRN_PE_TRBSR_EL1] = S | 1;
        trigger();
        /* proves: R_MWWHM */
        assert_int_equal(bench_status(&b), S | TRG | 1);
        assert_int_equal(triggers(), 1);
        assert_int_equal(bench_count_what(&b, FLUSH), 0);
    }
}

/* The buffer fills while the trace unit is flushed: that is what stops collection. */
static void test_filled_meanwhile(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    EACH_WAY(options, way)
    {
        begin(&options, FILL, STOP, 5);
        bench_offer(&b, 0xff0);
        trigger();
        bench_offer(&b, 10);
        assert_true(b.trbe.flush_wanted);
        bench_offer(&b, 20);
        /* proves: I_JLZDN */
        assert_int_equal(bench_status(&b), TRG | WRAP | IRQ | S | 1);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, TRG | WRAP | S | 1);
        cairn_pe_trbe_flushed(&b.trbe);
        /* proves: I_VPLRF */
        assert_int_equal(bench_status(&b), TRG | WRAP | IRQ | S | 1);
    }
}

/* The byte that fills the buffer takes the counter to 0 as well: collection has stopped by then. */
static void test_filled_with_it(void **state)
{
    struct cairn_pe_trbe_options options = {0};

    (void)state;
    EACH_WAY(options, way)
    {
        begin(&options, FILL, STOP, 0x1000);
        trigger();
        bench_offer(&b, 0x1000);
        assert_int_equal(bench_status(&b), TRG | WRAP | IRQ | S | 1);
        assert_int_equal(b.log[0].value, 0x400c);
        assert_int_equal(triggers(), 1);
        assert_int_equal(bench_count_what(&b, FLUSH), 0);
    }
}

/* Counter 0, half and all of the size: trace before, around and after the Detected Trigger. */
static void test_around(void **state)
{
    static const struct {
        unsigned counter, before, after;
    } rows[] = {{0, 0x1000, 0}, {0x800, 0x800, 0x800}, {0x1000, 0, 0x1000}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t at;
        unsigned before = 0, after = 0;

        begin(NULL, CIRCULAR, STOP, rows[i].counter);
        memset(b.memory, 0xff, sizeof b.memory);
        bench_offer(&b, 0x2345);
        trigger();
        if (b.trbe.flush_wanted)
            cairn_pe_trbe_flushed(&b.trbe);
        for (unsigned n = 0; n < 0x1000; n++) {
            cairn_pe_trbe_port(&b.trbe, (const uint8_t *)"", 1, 0);
            if (b.trbe.flush_wanted)
                cairn_pe_trbe_flushed(&b.trbe);
        }
        for (at = BASE; at < LIMIT; at++) {
            before += bench_at(&b, at) != 0;
            after += bench_at(&b, at) == 0;
        }
        /* proves: S_DHJTB */
        assert_int_equal(before, rows[i].before);
        assert_int_equal(after, rows[i].after);
        assert_int_equal(bench_status(&b) & (S | 0x3f), S | 2);
    }
}

/* At a Detected Trigger some of the counter may go without a byte, up to a unit. */
static void test_over_decrement(void **state)
{
    (void)state;
    for (unsigned over = 0; over <= 16; over += 4) {
        const struct cairn_pe_trbe_options options = {.align = 4, .over_decrement = over};

        begin(&options, FILL, STOP, 48);
        trigger();
        /* proves: R_QFGNQ */
        assert_int_equal(counter(), 48 - over);
        trigger();
        assert_int_equal(counter(), 48 - over);
        begin(&options, FILL, STOP, 16);
        trigger();
        assert_int_equal(triggers(), over == 16);
        begin(&options, FILL, STOP, 6); /* misaligned, and no more than there is */
        trigger();
        assert_int_equal(counter(), over >= 8 ? 0 : 6 - over);
        assert_int_equal(triggers(), over >= 8);
    }
}

/* The same for its reason: what was collected before counts when it is written. */
static void test_collected(void **state)
{
    struct cairn_pe_trbe_options options = {.align = 4, .choices = CAIRN_PE_TRBE_COLLECTS};

    (void)state;
    EACH_WAY(options, way)
    {
        begin(&options, FILL, STOP, 32);
        bench_offer(&b, 10);
        trigger();
        bench_offer(&b, 6);
        /* proves: I_QQKZF */
        assert_int_equal(counter(), 16); /* six bytes since, and ten from before */
        bench_offer(&b, 15);
        assert_int_equal(triggers(), 0);
        bench_offer(&b, 1);
        assert_int_equal(triggers(), 1);
        bench_offer(&b, 3); /* collected when the flush is complete: written before S */
        cairn_pe_trbe_flushed(&b.trbe);
        assert_int_equal(bench_pointer(&b), BASE + 35);
        assert_int_equal(bench_status(&b), TRG | IRQ | S | 2);
    }
}

/* A counter that was written misaligned: each outcome. */
static void test_misaligned(void **state)
{
    static const struct {
        uint8_t how;
        size_t events, stored;
    } rows[] = {{CAIRN_PE_TRBE_TRIGGER_COUNTS, 1, 37},
                {CAIRN_PE_TRBE_TRIGGER_NEVER, 0, 0},
                {CAIRN_PE_TRBE_TRIGGER_WITH_UNIT, 1, 32}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct cairn_pe_trbe_options options = {.align = 4, .misaligned_trigger = rows[i].how};

        EACH_WAY(options, way)
        {
            begin(&options, FILL, IGNORE, 37);
            assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_MISALIGNED_TRIGGER), 1);
            b.log_count = 0;
            trigger();
            bench_offer(&b, 100);
            /* proves: R_CPDMM */
            assert_int_equal(triggers(), rows[i].events);
            assert_int_equal(counter(), 0);
            if (rows[i].events)
                assert_int_equal(b.log[0].stored, rows[i].stored);
        }
    }
}

/* Less than a unit: there is no whole one, at the Detected Trigger or later. */
static void test_misaligned_small(void **state)
{
    const struct cairn_pe_trbe_options options = {
        .align = 4, .misaligned_trigger = CAIRN_PE_TRBE_TRIGGER_WITH_UNIT};

    (void)state;
    begin(&options, FILL, IGNORE, 5);
    trigger();
    assert_int_equal(triggers(), 0);
    bench_offer(&b, 20);
    /* proves: R_CPDMM */
    assert_int_equal(triggers(), 0);
    assert_int_equal(counter(), 0);
}

/* A watermark by Fill mode, IRQ on trigger and TRG preset: the interrupt after so many bytes, then full. */
static void test_watermark(void **state)
{
    (void)state;
    begin(NULL, FILL, INTERRUPT, 0x600);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, TRG);
    bench_offer(&b, 0x5ff);
    assert_int_equal(triggers(), 0);
    bench_offer(&b, 1);
    cairn_pe_trbe_flushed(&b.trbe);
    /* proves: LST_G3.2b */
    assert_int_equal(bench_status(&b), TRG | IRQ);
    assert_int_equal(triggers(), 1);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, TRG);
    bench_offer(&b, 0x1000);
    assert_int_equal(bench_status(&b), TRG | WRAP | IRQ | S | 1);
    assert_int_equal(triggers(), 1);
}

/* By Wrap mode and a pointer in the midst: the interrupt and TRB_WRAP when the rest is full. */
static void test_watermark_by_wrap(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    bench_enable(&b, WRAPS, IGNORE, BASE, LIMIT, LIMIT - 0x600);
    bench_offer(&b, 0x5ff);
    assert_false(b.level);
    bench_offer(&b, 1);
    /* proves: LST_G3.2a */
    assert_int_equal(bench_status(&b), WRAP | IRQ);
    assert_int_equal(bench_count(&b, EVENT, 0x400c), 1);
    bench_offer(&b, 0xa01); /* over the oldest byte */
    assert_int_equal(bench_pointer(&b), LIMIT - 0x600 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_detected),
        cmocka_unit_test(test_event_0),
        cmocka_unit_test(test_detected_disabled),
        cmocka_unit_test(test_modes_in_turn),
        cmocka_unit_test(test_misaligned_small),
        cmocka_unit_test(test_counter),
        cmocka_unit_test(test_event_after),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_stop_at_limit),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_ignore),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_when_stopped),
        cmocka_unit_test(test_filled_meanwhile),
        cmocka_unit_test(test_filled_with_it),
        cmocka_unit_test(test_around),
        cmocka_unit_test(test_over_decrement),
        cmocka_unit_test(test_collected),
        cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_watermark),
        cmocka_unit_test(test_watermark_by_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
