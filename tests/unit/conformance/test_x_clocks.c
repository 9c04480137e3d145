/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource clocks, when the resources run, and External Outputs: DDI0608 D7.1, D7.3, D7.10. */
#include "bench.h"

#define EXTIN 0xfu   /* TRCRSR */
#define EVENT 0xf00u /* TRCRSR */
#define IDLE 1u      /* TRCSTATR */
#define PMSTABLE 2u

#define CPU_CYCLES 0x11u

static unsigned counter(struct bench *b, unsigned n)
{
    char name[16];

    snprintf(name, sizeof name, "TRCCNTVR%u", n);
    return (unsigned)read_register(b, name);
}

/* Which clock a block is in: ETEEvent 0 is execution at 0x1000. */
static void test_clocks(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "outputs TRCACVR0=0x1000 TRCRSCTLR2=0x40001 TRCEVENTCTL0R=2");
    code(&b, 0x1000, 1); /* clock 0 */
    code(&b, 0x1004, 1); /* 1 */
    code(&b, 0x1000, 1); /* 2 */
    assert_outputs(&b, "0:1");
    cycles(&b, 1); /* ends 2 */
    assert_outputs(&b, "2:1");
    code(&b, 0x1000, 1);        /* 3 */
    cycles(&b, 5);              /* and 4 to 7 */
    cycles(&b, 2);              /* 8, 9 */
    code(&b, 0x1000, 1);        /* 10 */
    code(&b, 0x1000, 1);        /* 11 */
    cairn_unit_disable(b.unit); /* in it */
    code(&b, 0x1000, 1);        /* 12: nobody looks */
    cycles(&b, 1);
    cairn_unit_enable(b.unit);
    code(&b, 0x1000, 1); /* 13 */
    cycles(&b, 1);
    assert_outputs(&b, "3:1 10:1 11:1 13:1");
    bench_end(&b);
}

/* The outputs show ETEEvents whether they are traced or not, and those that a feed tells. */
static void test_outputs(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "outputs TRCEVENTCTL0R=0x05040302 TRCEVENTCTL1R=2");
    branch(&b, 0x1000, 0x1000, TAKEN);
    clock_with(&b, 0xf);
    clock_with(&b, 2);
    clock_with(&b, 0);
    cairn_unit_event(b.unit, 3);
    clock_with(&b, 1);
    /* proves: S_MFTNW */
    assert_outputs(&b, "0:f 1:2 3:9");
    assert_trace(&b, BEGIN("1000") " E EV1 EV1");
    bench_end(&b);

    bench_begin(&b, SELECTORS "outputs TRCEVENTCTL0R=0x0302 TRCEVENTCTL1R=0x800"); /* ATB */
    clock_with(&b, 1);
    clock_with(&b, 2);
    assert_int_equal(CAIRN_UNIT_ATB_TRIGGER, 0x100);
    assert_outputs(&b, "0:101 1:2");
    bench_end(&b);
}

static void test_outputs_are_there(void **state)
{
    struct bench b;
    struct cairn_error error;

    (void)state;
    bench_open(&b, "TRCIDR0=0x2801c6a1"); /* NUMEVENT: two */
    write_register(&b, "TRCEVENTCTL0R", 0x0101);
    /* proves: S_MFTNW */
    assert_int_equal(cairn_unit_write(b.unit, "TRCEVENTCTL0R", 0x010000, &error), CAIRN_E_CONFIG);
    bench_end(&b);
    bench_begin(&b, "outputs TRCIDR0=0x2801c6a1");
    for (unsigned n = 0; n < 6; n++)
        cairn_unit_event(b.unit, n);
    cycles(&b, 1);
    assert_outputs(&b, "0:3");
    bench_end(&b);
    /* NUMEXTINSEL: one input. */
    bench_begin(&b, SELECTORS "outputs TRCIDR5=0x48c703ff TRCEVENTCTL0R=0x05040302");
    clock_with(&b, 0xf);
    assert_outputs(&b, "0:1");
    bench_end(&b);
}

/* An output that is asserted has its Event packet, one that is kept low has not. */
static void test_outputs_and_packets(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, SELECTORS "outputs TRCEVENTCTL0R=0x05040302 TRCEVENTCTL1R=0xf");
    branch(&b, 0x1000, 0x2000, TAKEN);
    cycles(&b, 1);
    (void)bench_trace(&b);
    cairn_unit_event(b.unit, 2);
    cairn_unit_prohibit(b.unit, true); /* Pausing: it is propagated */
    /* proves: R_SNKFL */
    assert_outputs(&b, "1:4");
    text = bench_trace(&b);
    /* proves: R_SNKFL */
    assert_string_equal(text, "EV2");
    for (unsigned n = 0; n < 4; n++) {
        cairn_unit_event(b.unit, n);
        cycles(&b, 2);
    }
    cairn_unit_inputs(b.unit, 0xf);
    cycles(&b, 4);
    cairn_unit_inputs(b.unit, 0);
    /* proves: R_BQSMN */
    assert_outputs(&b, "");
    /* proves: R_FVCMB */
    assert_trace(&b, "");
    /* proves: R_DCLHJ */
    assert_int_equal(read_register(&b, "TRCRSR") & (EVENT | EXTIN), EVENT | EXTIN);
    cairn_unit_prohibit(b.unit, false);
    cycles(&b, 3);
    /* proves: R_SNKFL */
    assert_outputs(&b, "13:f");
    assert_trace(&b, "EV0 EV1 EV2 EV3");
    bench_end(&b);
}

static void test_outputs_in_low_power(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "outputs TRCEVENTCTL0R=0x05040302");
    clock_with(&b, 0xf);
    cairn_unit_low_power(b.unit, true);
    (void)bench_outputs(&b);
    for (unsigned n = 0; n < 4; n++)
        cairn_unit_event(b.unit, n);
    clock_with(&b, 0xf);
    cycles(&b, 10);
    /* proves: R_FHYHC */
    assert_outputs(&b, "");
    cairn_unit_low_power(b.unit, false);
    cycles(&b, 1);
    /* proves: R_FHYHC */
    assert_outputs(&b, "12:f");
    bench_end(&b);
}

/* What is in transition when the resources pause: a comparator still counts, and what counters and
 * the sequencer have come to is propagated once more. */
static void test_pausing(void **state)
{
    static void (*const pause[])(struct cairn_unit * unit, bool on) = {cairn_unit_prohibit,
                                                                       cairn_unit_low_power};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bench b;

        /* Execution at 0x1000 decrements counter 0, which is 1; ETEEvent 0 is that it is at zero.
         * The same makes the sequencer go to state 1, which is ETEEvent 1. */
        bench_begin(&b, SELECTORS "outputs TRCACVR0=0x1000 TRCRSCTLR16=0x40001 TRCCNTVR0=1 "
                                  "TRCCNTCTLR0=0x10 TRCSEQEVR0=0x10 TRCEVENTCTL0R=0x0b06");
        cycles(&b, 3);
        code(&b, 0x1000, 1);
        if (i < 2)
            pause[i](b.unit, true);
        else
            cairn_unit_disable(b.unit);
        /* proves: R_RDCGC */
        assert_int_equal(counter(&b, 0), 0);
        /* proves: R_RDCGC, I_BRZXY */
        assert_outputs(&b, "3:3");
        assert_int_equal(read_register(&b, "TRCSEQSTR"), 1);
        cycles(&b, 10);
        assert_outputs(&b, "");
        bench_end(&b);
    }

    { /* Nothing but those: TRUE, inputs and comparators do not count once more. */
        struct bench b;

        bench_begin(&b, SELECTORS "TRCCNTVR0=100 TRCCNTCTLR0=1 TRCCNTVR1=100 TRCCNTCTLR1=2 "
                                  "TRCACVR0=0x1000 TRCRSCTLR16=0x40001 TRCCNTVR2=100 "
                                  "TRCCNTCTLR2=0x10");
        code(&b, 0x1000, 1);
        cairn_unit_inputs(b.unit, 1);
        cairn_unit_disable(b.unit);
        /* proves: R_RDCGC */
        assert_int_equal(counter(&b, 0) & counter(&b, 1) & counter(&b, 2), 99);
        bench_end(&b);
    }
}

/* A loop: counter 0 at zero moves the sequencer, whose state 1 is ETEEvent 0. At the end of Pausing
 * that may be lost; the state itself is not. */
static void test_loop(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, SELECTORS "outputs TRCCNTVR0=1 TRCCNTCTLR0=2 TRCSEQEVR0=6 TRCEVENTCTL0R=0x0b");
    cycles(&b, 1);
    cairn_unit_pmu_event(b.unit, 0); /* all inputs select event 0 */
    cairn_unit_disable(b.unit);
    assert_int_equal(counter(&b, 0), 0);
    text = bench_outputs(&b);
    /* proves: I_CQNGN */
    assert_true(strcmp(text, "") == 0 || strcmp(text, "1:1") == 0);
    /* proves: I_CQNGN */
    assert_int_equal(read_register(&b, "TRCSEQSTR"), 1);
    bench_end(&b);
}

/* A Cancel leads out of a Prohibited region that was entered speculatively, or back into one. */
static void test_cancelled_region(void **state)
{
    struct bench b;
    uint64_t before;

    (void)state;
    bench_begin(&b, SELECTORS "MAXSPEC=8 COMMOPT=0 TRCCNTVR0=100 TRCCNTCTLR0=1");
    speculate(&b);
    code(&b, 0x1000, 1);
    before = mark(&b);
    cairn_unit_prohibit(b.unit, true);
    cycles(&b, 10); /* the first one has been evaluated */
    assert_int_equal(counter(&b, 0), 99);
    cancel(&b, before);
    cycles(&b, 10);
    /* proves: R_LYFDT */
    assert_int_equal(counter(&b, 0), 89);
    cairn_unit_prohibit(b.unit, true);
    before = mark(&b);
    cairn_unit_prohibit(b.unit, false);
    cycles(&b, 5);
    assert_int_equal(counter(&b, 0), 84);
    cancel(&b, before);
    cycles(&b, 10);
    /* proves: R_JLLVN */
    assert_int_equal(counter(&b, 0), 84);
    bench_end(&b);
}

/* An overflow stops the trace, not the resources. */
static void test_overflow(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "fifo=64 drain=0 TRCCNTVR0=1000 TRCCNTCTLR0=1 TRCEVENTCTL0R=1 "
                              "TRCEVENTCTL1R=1");
    cycles(&b, 300);
    {
        struct cairn_unit_counters counters = {.size = sizeof counters};

        cairn_unit_counters(b.unit, &counters);
        assert_true(counters.overflows > 0);
    }
    /* proves: R_TMPZZ */
    assert_int_equal(counter(&b, 0), 700);
    bench_end(&b);
}

/* ViewInst's event and everything else see the same clock. */
static void test_same_clock(void **state)
{
    struct bench b;

    (void)state;
    /* ViewInst by counter 0 at zero; the counter is decremented by input 0, and is 1. */
    bench_begin(&b, SELECTORS "TRCVICTLR=0x206 TRCCNTVR0=1 TRCCNTCTLR0=2");
    branch(&b, 0x1000, 0x1004, TAKEN);
    cycles(&b, 1);
    clock_with(&b, 1); /* clock 1: it becomes 0 */
    branch(&b, 0x1004, 0x1008, TAKEN);
    cycles(&b, 1); /* clock 2: it is */
    assert_trace(&b, "");
    branch(&b, 0x1008, 0x2000, TAKEN); /* clock 3 sees it */
    assert_trace(&b, BEGIN("1008") " E");
    bench_end(&b);

    /* ViewInst by an input: as told before the block. */
    bench_begin(&b, SELECTORS "TRCVICTLR=0x202 TRCCNTVR0=100 TRCCNTCTLR0=2 TRCEXTINSELR0=0x11");
    cairn_unit_pmu_event(b.unit, CPU_CYCLES);
    branch(&b, 0x1000, 0x1004, TAKEN);
    cycles(&b, 1);
    branch(&b, 0x1004, 0x1008, TAKEN);
    cycles(&b, 1);
    assert_trace(&b, BEGIN("1000") " E");
    assert_int_equal(counter(&b, 0), 99);
    bench_end(&b);

    /* By a single-shot: the block that makes it fire, and no other. */
    bench_begin(&b, SELECTORS "TRCVICTLR=0x20e TRCACVR0=0x1004 TRCSSCCR0=0x1000001");
    branch(&b, 0x1000, 0x1004, TAKEN);
    branch(&b, 0x1004, 0x1008, TAKEN);
    branch(&b, 0x1008, 0x100c, TAKEN);
    assert_trace(&b, BEGIN("1004") " E");
    bench_end(&b);
}

/* --- registers --- */

static void test_stable(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "TRCCNTVR0=1000 TRCCNTCTLR0=1");
    branch(&b, 0x1000, 0x1004, TAKEN);
    /* proves: R_QVYMJ, R_TNYDD */
    assert_int_equal(read_register(&b, "TRCSTATR") & (IDLE | PMSTABLE), 0);
    cairn_unit_low_power(b.unit, true);
    cycles(&b, 10);
    /* proves: R_FMXFM, R_MVZYP */
    assert_true(read_register(&b, "TRCPRGCTLR") == 1 &&
                (read_register(&b, "TRCSTATR") & (IDLE | PMSTABLE)) == 0);
    /* proves: R_DNKDV */
    assert_int_equal(counter(&b, 0), 999);
    cairn_unit_low_power(b.unit, false);
    cycles(&b, 1);
    cairn_unit_disable(b.unit);
    /* proves: R_QVYMJ, R_TNYDD */
    assert_int_equal(read_register(&b, "TRCSTATR") & (IDLE | PMSTABLE), IDLE | PMSTABLE);
    assert_int_equal(counter(&b, 0), 998);
    bench_end(&b);
}

/* A context that is written counts from then on, or from the next synchronization on; one of both. */
static void test_context_between(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "CID TRCCIDCVR0=5 TRCCIDCVR1=6 TRCRSCTLR2=0x60001 TRCRSCTLR3=0x60002 "
                    "TRCCNTVR0=100 TRCCNTCTLR0=2 TRCCNTVR1=100 TRCCNTCTLR1=3");
    context_id(&b, 5);
    code(&b, 0x1000, 1);
    cycles(&b, 1);
    context_id(&b, 6);
    code(&b, 0x1004, 1);
    cycles(&b, 1);
    /* proves: I_GKDRL */
    assert_true((counter(&b, 0) == 98) != (counter(&b, 1) == 99));
    isb(&b, 0x1008, TAKEN);
    code(&b, 0x100c, 1);
    cycles(&b, 1);
    /* proves: I_GKDRL */
    assert_true(counter(&b, 0) >= 97 && counter(&b, 1) <= 99);
    bench_end(&b);
}

/* A FIFO that drains: all that is generated leaves in finite time, though nobody asks for it, and
 * nothing comes behind it. */
static void test_finite_time(void **state)
{
    (void)state;
    for (unsigned steps = 1; steps <= 3000; steps += 2999) {
        struct bench b;
        size_t written;

        bench_begin(&b, "fifo=256 drain=16");
        for (unsigned i = 0; i < 5; i++)
            branch(&b, 0x1000, 0x1000, TAKEN);
        for (unsigned i = 0; i < 3000; i += steps) /* in one call, or a cycle each */
            cycles(&b, steps);
        written = b.size;
        cairn_unit_flush(b.unit);
        /* proves: R_GFMRH, D16.21 */
        assert_true(written > 0 && b.size == written);
        assert_trace(&b, BEGIN("1000") " E E E E E");
        bench_end(&b);
    }
}

/* --- what a unit needs to be told --- */

static void test_needs(void **state)
{
    static const struct {
        const char *program;
        uint32_t needs;
    } rows[] = {
        {"", 0},
        {"CCI THRESHOLD=4", CAIRN_UNIT_NEEDS_CYCLES},
        {"TS", CAIRN_UNIT_NEEDS_TIME},
        {"CID", CAIRN_UNIT_NEEDS_CONTEXT},
        {"VMID", CAIRN_UNIT_NEEDS_CONTEXT},
        {"TRCVICTLR=0x100201", CAIRN_UNIT_NEEDS_CONTEXT},
        {"TRCACATR3=0x100", CAIRN_UNIT_NEEDS_CONTEXT},
        {"fifo=128", CAIRN_UNIT_NEEDS_CYCLES},
        {ONLY("0x1000", "0x1fff"), CAIRN_UNIT_NEEDS_ADDRESSES},
        {"TRCVISSCTLR=1", CAIRN_UNIT_NEEDS_ADDRESSES},
        {"TRCRSCTLR2=0x40001", 0}, /* nobody selects it */
        {"TRCRSCTLR2=0x40001 TRCVICTLR=0x202", CAIRN_UNIT_NEEDS_ADDRESSES},
        {"TRCRSCTLR2=0x60001 TRCVICTLR=0x202", CAIRN_UNIT_NEEDS_CONTEXT},
        /* an input is one of its clock, and no other's (D7.3.1) */
        {"TRCRSCTLR2=1 TRCVICTLR=0x202", CAIRN_UNIT_NEEDS_PMU_EVENTS | CAIRN_UNIT_NEEDS_CYCLES},
        {"TRCRSCTLR2=1 TRCEVENTCTL0R=2", 0}, /* nobody looks */
        {"outputs TRCRSCTLR2=1 TRCEVENTCTL0R=2",
         CAIRN_UNIT_NEEDS_PMU_EVENTS | CAIRN_UNIT_NEEDS_CYCLES},
        {"TRCRSCTLR2=1 TRCEVENTCTL0R=2 TRCEVENTCTL1R=1",
         CAIRN_UNIT_NEEDS_PMU_EVENTS | CAIRN_UNIT_NEEDS_CYCLES},
        {"TRCCNTCTLR3=1", CAIRN_UNIT_NEEDS_CYCLES},
        {"TRCSSCCR3=1", CAIRN_UNIT_NEEDS_CYCLES | CAIRN_UNIT_NEEDS_ADDRESSES},
        {"TRCTSCTLR=1", 0},
        {"TS TRCTSCTLR=1", CAIRN_UNIT_NEEDS_TIME | CAIRN_UNIT_NEEDS_CYCLES},
        {"BB TRCBBCTLR=0x101", CAIRN_UNIT_NEEDS_ADDRESSES},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;

        bench_open(&b, rows[i].program);
        assert_int_equal(cairn_unit_needs(b.unit), rows[i].needs);
        cairn_unit_enable(b.unit);
        assert_int_equal(cairn_unit_needs(b.unit), rows[i].needs);
        bench_end(&b);
    }
}

/* Units that give no answer of their own: all that they can look at. */
static void test_needs_of_others(void **state)
{
    static const struct {
        enum cairn_protocol_id protocol;
        uint32_t has, has_not;
    } rows[] = {
        {CAIRN_PROTOCOL_PTM, CAIRN_UNIT_NEEDS_CYCLES | CAIRN_UNIT_NEEDS_PMU_EVENTS,
         CAIRN_UNIT_NEEDS_DATA},
        {CAIRN_PROTOCOL_ETMV3, CAIRN_UNIT_NEEDS_CYCLES,
         CAIRN_UNIT_NEEDS_DATA}, /* none by default */
        {CAIRN_PROTOCOL_MTB, CAIRN_UNIT_NEEDS_ADDRESSES, CAIRN_UNIT_NEEDS_DATA},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
        struct cairn_unit *unit = NULL;

        options.protocol = rows[i].protocol;
        options.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A, .major = 7};
        if (rows[i].protocol == CAIRN_PROTOCOL_MTB)
            options.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_M, .major = 6};
        assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
        assert_int_equal(cairn_unit_needs(unit) & rows[i].has, rows[i].has);
        assert_int_equal(cairn_unit_needs(unit) & rows[i].has_not, 0);
        cairn_unit_pmu_event(unit, 0x11); /* nothing to it */
        cairn_unit_free(unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_outputs_are_there),
        cmocka_unit_test(test_outputs_and_packets),
        cmocka_unit_test(test_outputs_in_low_power),
        cmocka_unit_test(test_pausing),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_cancelled_region),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_same_clock),
        cmocka_unit_test(test_stable),
        cmocka_unit_test(test_context_between),
        cmocka_unit_test(test_finite_time),
        cmocka_unit_test(test_needs),
        cmocka_unit_test(test_needs_of_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
