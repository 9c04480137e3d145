/* SPDX-License-Identifier: BSD-2-Clause */
/* Resets and power of a PE with what stands around it, and its Cross-trigger Interface. */
#include "bench.h"

#define BASE UINT64_C(0x80000000)
#define ORDERS 12u
#define FEW 4u
#define BUFFER                                                                                     \
    "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000000\nisb\nmsr TRCPRGCTLR, 1\n"           \
    "msr TRBLIMITR_EL1, 0x80010001\nisb\n"
#define RUNS PE_BENCH_OWNED_BY_EL1 BUFFER "enter EL0n\nrun 20000\n"
/* Counter 0 counts CTI_TRIGOUT4, and so on; and the cycle counter does. */
#define COUNTS                                                                                     \
    "msr PMEVTYPER0_EL0, 0x4018\nmsr PMEVTYPER1_EL0, 0x4019\nmsr PMEVTYPER2_EL0, 0x401a\n"         \
    "msr PMEVTYPER3_EL0, 0x401b\nmsr PMEVTYPER4_EL0, 8\nmsr PMCNTENSET_EL0, 0x8000001f\n"          \
    "msr PMCR_EL0, 1\nisb\n"
/* MDCR_EL2.HPMN is the number of counters; MDCR_EL3.SPME, so that EL3 is counted. */
#define COUNTED "msr MDCR_EL3, 0x20000\nmsr MDCR_EL2, 6\n" COUNTS

static void begin(struct pe_bench *b, unsigned order)
{
    const struct cairn_pe_options options = pe_bench_order(order);

    pe_bench_begin(b, BASE, &options);
}

static enum cairn_pe_answer answer(struct pe_bench *b, const char *name)
{
    uint64_t value;

    return cairn_pe_mrs(b->pe, cairn_pe_encoding(name), &value);
}

/* --- cross triggers --- */

/* Outputs of the CTI are counted, each by its own event. */
static void test_outputs(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, COUNTED "trigger 4\ntrigger 5\ntrigger 5\ntrigger 7\nisb\n");
        /* proves: EV_0x4018 */
        assert_int_equal(pe_bench_get(&b, "PMEVCNTR0_EL0"), 1);
        /* proves: EV_0x4019 */
        assert_int_equal(pe_bench_get(&b, "PMEVCNTR1_EL0"), 2);
        /* proves: EV_0x401A */
        assert_int_equal(pe_bench_get(&b, "PMEVCNTR2_EL0"), 0);
        /* proves: EV_0x401B */
        assert_int_equal(pe_bench_get(&b, "PMEVCNTR3_EL0"), 1);
        assert_int_equal(cairn_pe_trigger(b.pe, 3), CAIRN_E_ARGUMENT);
        assert_int_equal(cairn_pe_trigger(b.pe, 8), CAIRN_E_ARGUMENT);
        pe_bench_end(&b);
    }
}

/* Through the trace unit: what output 5 of the CTI selects as External Input comes out of External Output 1, which is
 * input 5. Where tracing is prohibited, External Inputs wait (X_HZLDV). */
static void test_through(void **state)
{
    static struct pe_bench b;

    (void)state;
    begin(&b, 0);
    pe_bench_run(&b, PE_BENCH_OWNED_BY_EL1
                 "msr TRCEXTINSELR0, 0x4019\nmsr TRCRSCTLR2, 1\nmsr TRCEVENTCTL0R, 0x0200\n"
                 "msr TRCPRGCTLR, 1\nisb\nenter EL0n\nrun 8\n");
    assert_int_equal(b.cti[5], 0);
    pe_bench_run(&b, "trigger 5\nrun 8\n");
    /* proves: I_XDSQV */
    assert_int_equal(b.cti[5], 1);
    pe_bench_run(&b, "trigger 4\nrun 8\nenter EL1n\ntrigger 5\n");
    assert_int_equal(b.cti[5], 1);
    pe_bench_run(&b, "enter EL0n\nrun 8\n");
    assert_int_equal(b.cti[5], 2);
    assert_int_equal(b.cti[4] + b.cti[6] + b.cti[7], 0);
    pe_bench_end(&b);
}

/* The trace buffer wraps: TRB_WRAP is such an input as well. */
static void test_wraps(void **state)
{
    static struct pe_bench b;

    (void)state;
    begin(&b, 0);
    pe_bench_run(&b, PE_BENCH_OWNED_BY_EL1);
    assert_int_equal(cairn_pe_write(b.pe, "MDCR_EL2", 0x3000006), CAIRN_OK); /* HPMN */
    pe_bench_run(&b, "msr TRCEXTINSELR0, 0x400c\nmsr TRCRSCTLR2, 1\nmsr TRCEVENTCTL0R, 0x0200\n"
                     "msr PMEVTYPER0_EL0, 0x400c\nmsr PMCNTENSET_EL0, 1\nmsr PMCR_EL0, 1\n"
                     "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000000\nisb\n"
                     "msr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 0x80001007\nisb\n");
    for (unsigned i = 0; i < 8; i++)
        pe_bench_run(&b, "enter EL0n\nrun 20000\nenter EL1n\n");
    pe_bench_run(&b, "enter EL0n\nrun 8\n");
    assert_true(b.cti[5] > 1);
    assert_int_equal(b.cti[5], pe_bench_get(&b, "PMEVCNTR0_EL0"));
    pe_bench_end(&b);
}

/* PMUIRQ, when it goes high; and Debug state, when it is entered. */
static void test_inputs(void **state)
{
    static struct pe_bench b;
    const struct cairn_context EL3 = {.EL = 3, .security = CAIRN_SECURE, .SF = 1};

    (void)state;
    begin(&b, 0);
    pe_bench_run(&b, COUNTED "msr PMEVCNTR4_EL0, 0xfffffffffffffff0\nmsr PMCR_EL0, 0x81\n"
                             "msr PMINTENSET_EL1, 0x10\nrun 8\n");
    assert_int_equal(b.cti[CAIRN_PE_CTI_OVERFLOW], 0);
    pe_bench_run(&b, "run 40\n");
    assert_int_equal(b.cti[CAIRN_PE_CTI_OVERFLOW], 1);
    cairn_pe_halt(b.pe, 0x1000, CAIRN_ISA_A64);
    cairn_pe_halt(b.pe, 0x1000, CAIRN_ISA_A64);
    assert_int_equal(b.cti[CAIRN_PE_CTI_HALTED], 1);
    cairn_pe_resume(b.pe, 0x1000, &EL3);
    assert_int_equal(b.cti[CAIRN_PE_CTI_HALTED], 1);
    pe_bench_end(&b);
}

/* --- resets --- */

/* The trace unit goes on, and the rest is as out of reset. What was traced is where it was to go. */
static void test_warm(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, RUNS "enter EL3\n" COUNTS);
        assert_int_equal(b.found, 0);
        pe_bench_run(&b, "reset warm\n");
        assert_true(b.written > 256);
        assert_int_equal(b.bus, 0);
        /* proves: RESET_TRBE */
        assert_int_equal(pe_bench_get(&b, "TRBLIMITR_EL1") & 1, 0);
        assert_int_equal(pe_bench_get(&b, "TRBSR_EL1"), 0);
        assert_int_equal(pe_bench_get(&b, "TRFCR_EL1") & 3, 0);
        assert_int_equal(pe_bench_get(&b, "PMCR_EL0") & 1, 0);
        assert_int_equal(pe_bench_get(&b, "PMCNTENSET_EL0"), 0);
        assert_int_equal(pe_bench_get(&b, "OSLSR_EL1"), 8);
        /* proves: R_YYHBF */
        assert_int_equal(pe_bench_get(&b, "TRCPRGCTLR"), 1);
        assert_int_equal(pe_bench_get(&b, "TRCVICTLR") & 0xff, 1);
        /* At EL3, which is not traced; and from where it can be traced again, to the other sink now. */
        assert_int_equal(answer(&b, "MDCR_EL3"), CAIRN_PE_ANSWER_OK);
        assert_true(cairn_pe_is_prohibited(b.pe));
        pe_bench_run(&b, "msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x3000000\nenter EL0n\n");
        assert_true(cairn_pe_is_prohibited(b.pe));
        pe_bench_run(&b, "enter EL3\nmsr TRFCR_EL1, 1\n"
                         "enter EL0n\nrun 4000\nenter EL3\ntsb csync\n");
        /* proves: R_SVDBD */
        assert_true(b.bus > 0);
        pe_bench_end(&b);
    }
}

/* Out of traced code: the last that is written is a PE Reset packet without a Target Address element (D5.25). */
static void test_warm_is_traced(void **state)
{
    static const uint8_t packet[] = {0x06, 0x01, 0x70};
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {

        begin(&b, n);
        pe_bench_run(&b, RUNS "reset warm\n");
        assert_true(b.written > 256);
        /* proves: R_YYHBF */
        assert_memory_equal(b.memory + b.written - sizeof packet, packet, sizeof packet);
        pe_bench_end(&b);
    }
}

/* Records of branches: MDCR_EL3.E3BREC, and the controls of FEAT_BRBEv1p1. */
static void test_branches(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned v1p1 = 0; v1p1 < 2; v1p1++) {
        struct cairn_pe_options options = pe_bench_order(0);

        options.flags |= v1p1 ? CAIRN_PE_HAS_BRBE_V1P1 : 0;
        for (unsigned cold = 0; cold < 2; cold++) {
            struct cairn_branch records[32];

            pe_bench_begin(&b, BASE, &options);
            pe_bench_run(&b, "msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x300000000\nmsr BRBCR_EL2, 3\n"
                             "enter EL1n\nmsr BRBCR_EL1, 3\nmsr BRBFCR_EL1, 0x10000\n"
                             "isb\nrun 4000\nenter EL3\nmsr MDCR_EL3, 0x6000000000\nisb\n");
            for (size_t i = 0; i < 32; i++)
                records[i].size = sizeof records[i];
            assert_true(cairn_pe_branches(b.pe, records, 32) > 4);
            pe_bench_run(&b, cold ? "reset cold\n" : "reset warm\n");
            /* proves: X_FFPJPO */
            assert_int_equal(pe_bench_get(&b, "MDCR_EL3") >> 37 & 3, cold ? 0 : 2);
            /* proves: I_NZMWQ */
            assert_int_equal(pe_bench_get(&b, "BRBCR_EL1"), !cold && v1p1 ? 3 : 0);
            /* proves: S_YLMQQ */
            assert_true(cairn_pe_branches(b.pe, records, 32) > 4);
            pe_bench_run(&b, "sys BRB_IALL\n");
            assert_int_equal(cairn_pe_branches(b.pe, records, 32), 0);
            /* What is UNKNOWN is of no register that is as it was. */
            pe_bench_run(&b, "msr BRBINFINJ_EL1, 0x202\nsys BRB_INJ\nmrs x0, BRBINFINJ_EL1\n");
            assert_int_equal(b.value, 0);
            pe_bench_end(&b);
        }
    }
}

/* Everything; the OS Lock keeps the trace unit off until software unlocks it. */
static void test_cold(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        struct cairn_pe_options options = pe_bench_order(n);
        uint64_t before;

        options.unknown = n + 1;
        pe_bench_begin(&b, BASE, &options);
        pe_bench_run(&b, RUNS "enter EL3\nreset cold\n");
        assert_true(b.written > 256);
        assert_int_equal(pe_bench_get(&b, "TRBLIMITR_EL1") & 1, 0);
        assert_int_equal(pe_bench_get(&b, "TRCPRGCTLR"), 0);
        assert_int_equal(pe_bench_get(&b, "OSLSR_EL1"), 0xa);
        assert_true(pe_bench_get(&b, "TRBPTR_EL1") != BASE);
        assert_true(pe_bench_get(&b, "TRBPTR_EL1") != 0);
        /* of the Performance Monitors all but PMCR_EL0.E (Arm ARM) */
        assert_int_equal(pe_bench_get(&b, "PMCR_EL0") & 1, 0);
        assert_true(pe_bench_get(&b, "PMCCNTR_EL0") != 0);
        assert_true(pe_bench_get(&b, "PMEVCNTR0_EL0") != 0);
        assert_true(pe_bench_get(&b, "PMEVTYPER0_EL0") != 0);
        assert_int_equal(pe_bench_get(&b, "PMCNTENSET_EL0"), pe_bench_get(&b, "PMCNTENCLR_EL0"));
        assert_false(b.level);
        before = b.written;
        pe_bench_run(&b, PE_BENCH_OWNED_BY_EL1
                     "msr TRBMAR_EL1, 0\nmsr TRBTRG_EL1, 0\nmsr TRBSR_EL1, 0\n"
                     "msr TRCEVENTCTL0R, 0\nmsr TRCEVENTCTL1R, 0\nmsr TRCSYNCPR, 8\n"
                     "msr TRCTRACEIDR, 1\nmsr TRCTSCTLR, 0\nmsr TRCVIIECTLR, 0\n"
                     "msr TRCVISSCTLR, 0\n" BUFFER "enter EL0n\nrun 4000\nenter EL1n\n"
                     "tsb csync\ndsb\n");
        assert_int_equal(b.written, before);
        pe_bench_run(&b, "msr OSLAR_EL1, 0\nisb\nenter EL0n\nrun 20000\nenter EL1n\n"
                         "tsb csync\ndsb\n");
        assert_true(b.written > before + 256);
        pe_bench_end(&b);
    }
}

/* Of which findings know: what is executed before OSLAR_EL1 counts is traced or not. */
static void test_cold_is_locked(void **state)
{
    static struct pe_bench b;

    (void)state;
    begin(&b, 0);
    pe_bench_run(&b, "reset cold\n" PE_BENCH_OWNED_BY_EL1
                     "msr TRFCR_EL1, 3\nmsr TRCPRGCTLR, 1\nisb\nrun 8\n");
    assert_int_equal(b.found, 0);
    pe_bench_run(&b, "msr OSLAR_EL1, 0\nrun 8\n");
    assert_true(b.found > 0);
    /* proves: R_KNQWS */
    assert_string_equal(b.first.rule, "R_KNQWS");
    assert_string_equal(b.name, "OSLAR_EL1");
    pe_bench_end(&b);
}

/* What the trace unit was in is over as well: a transaction begins again in its trace, and what is executed is in it. */
static void test_unit_in_states(void **state)
{
    static struct pe_bench b;
    struct cairn_pe_options options = pe_bench_order(0);

    (void)state;
    options.flags |= CAIRN_PE_HAS_TRANSACTIONS;
    for (unsigned i = 0; i < 4; i++) {
        pe_bench_begin(&b, BASE, &options);
        pe_bench_run(&b, RUNS);
        if (i & 1)
            cairn_pe_halt(b.pe, 0x1000, CAIRN_ISA_A64);
        else
            cairn_pe_transaction_start(b.pe);
        pe_bench_run(
            &b, i & 2 ? "reset cold\nmsr OSLAR_EL1, 0\nmsr TRCCONFIGR, 1\nmsr TRCVICTLR, 0x201\n"
                        "msr TRCPRGCTLR, 1\n"
                      : "reset warm\n");
        pe_bench_run(&b, "msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x3000000\n"
                         "msr MDCR_EL2, 0x3000000\nmsr TRFCR_EL1, 1\n"
                         "msr TRBBASER_EL1, 0x80010000\nmsr TRBPTR_EL1, 0x80010000\n"
                         "msr TRBLIMITR_EL1, 0x80018001\nisb\nenter EL0n\n");
        cairn_pe_transaction_start(b.pe);
        pe_bench_run(&b, "run 40\nenter EL1n\ntsb csync\ndsb\n");
        /* A Transaction Start packet, which is 0x0a (D5.11). */
        assert_non_null(memchr(b.memory + 0x10000, 0x0a, 64));
        pe_bench_end(&b);
    }
}

/* In Transactional and in Debug state as elsewhere; of the trace unit alone, nothing else is. */
static void test_in_states(void **state)
{
    static struct pe_bench b;
    const struct cairn_context EL1 = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};

    (void)state;
    for (unsigned cold = 0; cold < 2; cold++) {
        struct cairn_pe_options options = pe_bench_order(0);

        options.flags |= CAIRN_PE_HAS_TRANSACTIONS;
        pe_bench_begin(&b, BASE, &options);
        pe_bench_run(&b, "msr PMCR_EL0, 1\nisb\n");
        cairn_pe_transaction_start(b.pe);
        assert_int_equal(cairn_pe_sys(b.pe, CAIRN_PE_BRB_IALL, 0), CAIRN_PE_ANSWER_FAILS);
        pe_bench_run(&b, cold ? "reset cold\n" : "reset warm\n");
        /* proves: R_ZGNK */
        assert_int_equal(cairn_pe_sys(b.pe, CAIRN_PE_BRB_IALL, 0), CAIRN_PE_ANSWER_OK);
        /* proves: R_KFBV */
        assert_int_equal(pe_bench_get(&b, "PMCR_EL0") & 1, 0);
        cairn_pe_halt(b.pe, 0x1000, CAIRN_ISA_A64);
        pe_bench_run(&b, cold ? "reset cold\n" : "reset warm\n");
        cairn_pe_resume(b.pe, 0x2000, &EL1); /* it is not in Debug state any more */
        assert_int_equal(answer(&b, "SCR_EL3"), CAIRN_PE_ANSWER_OK);
        pe_bench_end(&b);
    }
    begin(&b, 0);
    pe_bench_run(&b, RUNS "reset trace\n");
    assert_int_equal(pe_bench_get(&b, "TRCPRGCTLR"), 0);
    assert_int_equal(pe_bench_get(&b, "TRBLIMITR_EL1") & 1, 1);
    assert_int_equal(answer(&b, "TRBSR_EL1"), CAIRN_PE_ANSWER_UNDEFINED); /* at EL0, as before */
    pe_bench_end(&b);
}

/* Firmware has the choice: with MDCR_EL3.E3BREC EL3 is recorded from a Warm reset on, and without it is not, whatever
 * E3BREW was; behind a Cold reset it never is. */
static void test_recorded(void **state)
{
    static struct pe_bench b;
    struct cairn_pe_options options = pe_bench_order(0);
    struct cairn_branch record = {.size = sizeof record};
    char text[256];

    (void)state;
    options.flags |= CAIRN_PE_HAS_BRBE_V1P1;
    for (unsigned n = 0; n < 8; n++) {
        const unsigned E3BREW = n & 1, E3BREC = n >> 1 & 1, cold = n >> 2;

        pe_bench_begin(&b, BASE, &options);
        snprintf(text, sizeof text, "msr MDCR_EL3, 0x%llx\nmsr BRBFCR_EL1, 0x10000\nisb\nrun 400\n",
                 (unsigned long long)E3BREC << 38 | (unsigned long long)E3BREW << 37);
        pe_bench_run(&b, text);
        assert_int_equal(cairn_pe_branches(b.pe, &record, 1), E3BREC != E3BREW);
        pe_bench_run(&b, "sys BRB_IALL\nisb\n");
        pe_bench_run(&b, cold ? "reset cold\n" : "reset warm\n");
        pe_bench_run(&b, "run 400\n");
        /* proves: X_FFPJPO */
        assert_int_equal(cairn_pe_branches(b.pe, &record, 1), !cold && E3BREC);
        pe_bench_end(&b);
    }
}

struct resets {
    struct pe_bench bench;
    unsigned calls;
    enum cairn_reset kinds[8];
    bool done[8];
    uint64_t TRBLIMITR[8];
};

static void note_reset(void *context, enum cairn_reset kind, bool done)
{
    struct resets *r = context;

    assert_true(r->calls < 8);
    r->kinds[r->calls] = kind;
    r->done[r->calls] = done;
    r->TRBLIMITR[r->calls++] = pe_bench_get(&r->bench, "TRBLIMITR_EL1");
    if (done)
        assert_int_equal(cairn_pe_write(r->bench.pe, "TRBTRG_EL1", 0x1234), CAIRN_OK);
}

/* Who looks after the PE is asked in front of it and behind it, whoever tells of it. */
static void test_told(void **state)
{
    static const enum cairn_reset kinds[] = {CAIRN_RESET_WARM, CAIRN_RESET_COLD, CAIRN_RESET_COLD};
    static struct resets r;

    (void)state;
    for (unsigned n = 0; n < FEW; n++) {
        struct cairn_pe_options options = pe_bench_order(n);

        memset(&r, 0, sizeof r);
        options.reset = note_reset;
        pe_bench_begin(&r.bench, BASE, &options);
        pe_bench_run(&r.bench, RUNS "reset trace\n");
        assert_int_equal(r.calls, 0);
        pe_bench_run(&r.bench, "enter EL3\nreset warm\nreset cold\npower down\npower normal\n");
        assert_int_equal(r.calls, 6);
        for (unsigned i = 0; i < 6; i++) {
            assert_int_equal(r.kinds[i], kinds[i / 2]);
            assert_int_equal(r.done[i], i % 2);
            assert_int_equal(r.TRBLIMITR[i], i == 0 ? 0x80010001 : 0);
        }
        assert_int_equal(pe_bench_get(&r.bench, "TRBTRG_EL1"), 0x1234);
        assert_int_equal(pe_bench_get(&r.bench, "TRFCR_EL1"), 0);
        pe_bench_end(&r.bench);
    }
}

/* Tables of translation are memory, and stay; registers that know of them do not. */
static void test_tables(void **state)
{
    static struct pe_bench b;

    (void)state;
    begin(&b, 0);
    pe_bench_run(&b, "map 0x10000 0x80000000 4096\nreset warm\n");
    assert_int_equal(pe_bench_get(&b, "SCTLR_EL1") & 1, 0);
    pe_bench_run(&b, "map 0x20000 0x80001000 4096\n");
    assert_int_equal(pe_bench_get(&b, "SCTLR_EL1") & 1, 1);
    pe_bench_run(&b, "msr SCR_EL3, 0x401\nenter EL1n\nload 0x10000 64\nload 0x20000 64\n");
    pe_bench_end(&b);
}

/* --- power --- */

/* What there is in a state, and behind it. */
static void test_states(void **state)
{
    static const struct {
        const char *word;
        bool reached, kept;
    } rows[] = {
        {"standby", true, true},
        {"retention", false, true},
        {"saved", false, true},
        {"down", false, false},
    };
    static struct pe_bench b;
    struct cairn_error error;
    char text[128];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t before;

        begin(&b, 1);
        pe_bench_run(&b, RUNS "enter EL1n\n");
        snprintf(text, sizeof text, "power %s\n", rows[i].word);
        pe_bench_run(&b, text);
        if (strcmp(rows[i].word, "down") == 0 || strcmp(rows[i].word, "saved") == 0)
            assert_true(b.written > 256);
        before = b.written;
        assert_int_equal(pe_bench_try(&b, "mrs x0, TRBPTR_EL1\n", &error),
                         rows[i].reached ? CAIRN_OK : CAIRN_E_CONFIG);
        assert_int_equal(answer(&b, "TRBPTR_EL1"),
                         rows[i].reached ? CAIRN_PE_ANSWER_OK : CAIRN_PE_ANSWER_UNDEFINED);
        {
            uint64_t value = 1;

            assert_int_equal(cairn_pe_read(b.pe, "TRBLIMITR_EL1", &value),
                             rows[i].reached ? CAIRN_OK : CAIRN_E_UNSUPPORTED);
            assert_int_equal(value, rows[i].reached ? 0x80010001 : 0);
            /* proves: R_TWQJT, I_GNFXXM */
            assert_int_equal(cairn_pe_read(b.pe, "TRCPRGCTLR", &value),
                             rows[i].reached ? CAIRN_OK : CAIRN_E_UNSUPPORTED);
            if (!rows[i].reached) /* which changes nothing */
                assert_int_equal(cairn_pe_write(b.pe, "TRBLIMITR_EL1", 0), CAIRN_E_UNSUPPORTED);
        }
        if (!rows[i].reached) {
            const struct cairn_context EL0 = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};

            assert_non_null(strstr(error.text, "until `power normal`"));
            assert_int_equal(pe_bench_try(&b, "read TRCPRGCTLR\n", &error), CAIRN_E_CONFIG);
            assert_int_equal(pe_bench_try(&b, "write TRBLIMITR_EL1 0\n", &error), CAIRN_E_CONFIG);
            assert_non_null(strstr(error.text, "until `power normal`"));
            cairn_pe_enter(b.pe, &EL0);
            cairn_pe_barrier(b.pe, CAIRN_PE_BARRIER_DSB);
            cairn_pe_reset(b.pe, CAIRN_RESET_TRACE_UNIT, 0, CAIRN_ISA_A64);
            cairn_pe_reset(b.pe, CAIRN_RESET_WARM, 0, CAIRN_ISA_A64);
            assert_int_equal(b.written, before);
        }
        pe_bench_run(&b, "power normal\n");
        assert_int_equal(pe_bench_get(&b, "TRBLIMITR_EL1") & 1, rows[i].kept);
        assert_int_equal(pe_bench_get(&b, "TRCPRGCTLR"), rows[i].kept);
        assert_int_equal(pe_bench_get(&b, "OSLSR_EL1"), rows[i].kept ? 8 : 0xa);
        /* at EL1 as before, or at EL3 */
        assert_int_equal(answer(&b, "SCR_EL3"),
                         rows[i].kept ? CAIRN_PE_ANSWER_UNDEFINED : CAIRN_PE_ANSWER_OK);
        if (rows[i].kept) {
            pe_bench_run(&b, "enter EL0n\nrun 20000\nenter EL1n\ntsb csync\ndsb\n");
            assert_true(b.written > before + 256);
        }
        pe_bench_end(&b);
    }
    begin(&b, 0);
    assert_int_equal(pe_bench_try(&b, "power down\npower saved\n", &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "what is gone is gone"));
    assert_int_equal(pe_bench_try(&b, "power up\n", &error), CAIRN_E_CONFIG);
    assert_int_equal(pe_bench_try(&b, "power normal\nreset hot\n", &error), CAIRN_E_CONFIG);
    assert_int_equal(pe_bench_try(&b, "trigger 8\n", &error), CAIRN_E_CONFIG);
    assert_int_equal(pe_bench_try(&b, "trigger 0x100000004\n", &error), CAIRN_E_CONFIG);
    pe_bench_end(&b);
}

/* What is not in memory when power goes may never be there. */
static void test_lost(void **state)
{
    static const struct {
        const char *barriers;
        uint32_t missing;
    } rows[] = {
        {"", CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_DSB},
        {"tsb csync\n", CAIRN_PE_MISSES_DSB},
        {"dsb\n", CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_DSB},
        {"tsb csync\ndsb\n", 0},
    };
    static const char *const ends[] = {"power down\n", "power saved\n", "reset cold\n",
                                       "reset warm\n"};
    static struct pe_bench b;
    char text[1024];

    (void)state;
    for (unsigned n = 0; n < FEW; n++)
        for (size_t i = 0; i < 16; i++) {
            const uint32_t missing = rows[i % 4].missing;

            begin(&b, n);
            snprintf(text, sizeof text, RUNS "enter EL1n\n%s%s", rows[i % 4].barriers, ends[i / 4]);
            pe_bench_run(&b, text);
            assert_int_equal(b.found, missing != 0);
            if (missing) {
                /* proves: R_GTCKK */
                assert_string_equal(b.first.rule, "R_GTCKK");
                assert_int_equal(b.first.missing, missing);
            }
            pe_bench_end(&b);
        }
}

/* While the PE waits, its clock stands still, whatever the trace unit does, and a trigger is counted none the less; what
 * is executed wakes it. */
static void test_standby(void **state)
{
    /* The trace unit is disabled; enabled; with TRCEVENTCTL1R.LPOVERRIDE. */
    static const char *const units[] = {"", "msr TRCPRGCTLR, 1\n",
                                        "msr TRCEVENTCTL1R, 0x1000\nmsr TRCPRGCTLR, 1\n"};
    static struct pe_bench b;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint64_t cycles;

        begin(&b, 0);
        pe_bench_run(&b, COUNTED);
        pe_bench_run(&b, units[i]);
        pe_bench_run(&b, "isb\nrun 40\n");
        cycles = pe_bench_get(&b, "PMCCNTR_EL0");
        assert_int_equal(cycles, 40);
        pe_bench_run(&b, "power standby\n");
        cairn_pe_cycles(b.pe, 1000);
        pe_bench_run(&b, "trigger 4\n");
        cairn_pe_cycles(b.pe, 1000);
        /* proves: R_WMPTL, R_YLDV */
        assert_int_equal(pe_bench_get(&b, "PMCCNTR_EL0"), cycles);
        assert_int_equal(pe_bench_get(&b, "PMEVCNTR0_EL0"), 1);
        pe_bench_run(&b, "run 40\n");
        assert_int_equal(pe_bench_get(&b, "PMCCNTR_EL0"), 2 * cycles);
        /* Without power nobody hears it. */
        pe_bench_run(&b, "power retention\ntrigger 4\npower normal\n");
        assert_int_equal(pe_bench_get(&b, "PMEVCNTR0_EL0"), 1);
        pe_bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs),        cmocka_unit_test(test_through),
        cmocka_unit_test(test_wraps),          cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_warm),           cmocka_unit_test(test_warm_is_traced),
        cmocka_unit_test(test_branches),       cmocka_unit_test(test_cold),
        cmocka_unit_test(test_cold_is_locked), cmocka_unit_test(test_unit_in_states),
        cmocka_unit_test(test_in_states),      cmocka_unit_test(test_states),
        cmocka_unit_test(test_lost),           cmocka_unit_test(test_standby),
        cmocka_unit_test(test_told),           cmocka_unit_test(test_tables),
        cmocka_unit_test(test_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
