/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a PE with each other, programmed by instructions as software does: trace into the buffer, its
 * interrupt, triggers, events to and from the Performance Monitors, the freeze of branch records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/pe.h>

#define MEMORY 0x20000u
#define BASE UINT64_C(0x80000000)

struct bench {
    struct cairn_pe *pe;
    uint8_t memory[MEMORY];
    uint64_t most; /* bytes written from BASE on */
    uint64_t to_bus;
    unsigned levels; /* times that TRBIRQ changed */
    bool level;
    uint64_t value; /* what an mrs read last */
};

static cairn_status bus(void *context, const uint8_t *bytes, size_t size)
{
    struct bench *b = context;

    (void)bytes;
    b->to_bus += size;
    return CAIRN_OK;
}

static void memory(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct bench *b = context;

    assert_true(address >= BASE && address + size <= BASE + MEMORY);
    memcpy(b->memory + (address - BASE), bytes, size);
    if (address + size - BASE > b->most)
        b->most = address + size - BASE;
}

static void line(void *context, bool level)
{
    struct bench *b = context;

    b->levels++;
    b->level = level;
}

static void told(void *context, unsigned number, const char *name, uint64_t value)
{
    struct bench *b = context;

    (void)number;
    (void)name;
    b->value = value;
}

static void script(struct bench *b, const char *text)
{
    struct cairn_error error;

    if (cairn_pe_script(b->pe, "test", text, strlen(text), told, b, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

/* Non-secure EL1 owns the buffer, nothing is trapped, EL0 is traced once TRCPRGCTLR.EN is 1. */
static void begin_in(struct bench *b, enum cairn_pe_order order)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_error error;

    memset(b, 0, sizeof *b);
    unit.sink = bus;
    unit.sink_context = b;
    options.unit = &unit;
    options.memory = memory;
    options.line = line;
    options.context = b;
    options.order = order;
    options.seed = 1;
    if (cairn_pe_new(&options, &b->pe, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    script(b, "msr SCR_EL3, 0x401\n"
              "msr MDCR_EL3, 0x303040000\n" /* SBRBE, NSTB, STE */
              "msr MDCR_EL2, 0x3000006\n"   /* E2TB, HPMN 6 */
              "enter EL1n\n"
              "msr TRBBASER_EL1, 0x80000000\n"
              "msr TRBPTR_EL1, 0x80000000\n"
              "msr TRFCR_EL1, 1\n"
              "msr TRCCONFIGR, 1\n"
              "msr TRCVICTLR, 0x201\n"
              "msr TRCSYNCPR, 8\n"
              "isb\n");
}

static void begin(struct bench *b)
{
    begin_in(b, CAIRN_PE_EARLY);
}

static void end(struct bench *b)
{
    cairn_pe_free(b->pe);
}

static uint64_t value(struct bench *b, const char *name)
{
    uint64_t read = 0;

    assert_int_equal(cairn_pe_read(b->pe, name, &read), CAIRN_OK);
    return read;
}

/* Fill mode: the buffer of 4 KiB fills, collection stops, and the interrupt is high until IRQ is cleared. */
static void test_fill(void **state)
{
    static struct bench b;

    (void)state;
    begin(&b);
    script(&b,
           "msr TRBLIMITR_EL1, 0x80001001\nmsr TRCPRGCTLR, 1\nenter EL0n\nrun 400000\nenter EL1n\n"
           "tsb\ndsb\nisb\nmrs x0, TRBSR_EL1\n");
    assert_int_equal(b.value, 1u << 22 | 1u << 20 | 1u << 17 | 1); /* IRQ, WRAP, S, BSC: filled */
    assert_int_equal(b.most, 4096);
    assert_true(b.level);
    assert_int_equal(b.levels, 1);
    /* While it is Enabled nothing goes to the other sink, though bytes are lost. */
    /* proves: R_JYTYH */
    assert_int_equal(b.to_bus, 0);
    script(&b, "msr TRBSR_EL1, 0\nisb\n");
    assert_false(b.level);
    end(&b);
}

/* However late trace is written, TSB CSYNC behind an exception has all of it written that is of instructions before:
 * what the trace unit kept, too. */
static void test_late(void **state)
{
    static const enum cairn_pe_order orders[] = {CAIRN_PE_EARLY, CAIRN_PE_RANDOM, CAIRN_PE_LATE};
    static struct bench b;
    uint64_t written = 0;

    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        begin_in(&b, orders[i]);
        script(&b, "msr TRBLIMITR_EL1, 0x80001001\nmsr TRCPRGCTLR, 1\nisb\nenter EL0n\nrun 4000\n"
                   "enter EL1n\ntsb\ndsb\nisb\nmrs x0, TRBPTR_EL1\n");
        written = i == 0 ? b.most : written;
        assert_true(b.value > BASE);
        /* proves: R_VWJNN */
        assert_int_equal(b.value - BASE, written);
        assert_int_equal(b.most, written);
        end(&b);
    }
}

/* While it is Disabled the trace goes to the other sink. */
static void test_bus(void **state)
{
    static struct bench b;

    (void)state;
    begin(&b);
    script(&b,
           "msr TRBLIMITR_EL1, 0x80001000\nmsr TRCPRGCTLR, 1\nenter EL0n\nrun 40000\nenter EL1n\n"
           "tsb\ndsb\nisb\n");
    /* proves: I_YHJDQ */
    assert_true(b.to_bus > 100);
    assert_int_equal(b.most, 0);
    end(&b);
}

/* What TRFCR_EL1 and the owner say is prohibited is computed: nobody tells. */
static void test_prohibited(void **state)
{
    static struct bench b;

    (void)state;
    begin(&b);
    script(&b, "msr TRFCR_EL1, 0\nmsr TRBLIMITR_EL1, 0x80001001\nmsr TRCPRGCTLR, 1\nisb\n");
    assert_true(cairn_pe_is_prohibited(b.pe));
    script(&b, "enter EL0n\nrun 4000\nenter EL1n\nmsr TRFCR_EL1, 1\nisb\nrun 4000\n");
    assert_true(cairn_pe_is_prohibited(b.pe)); /* EL1 still is */
    script(&b, "tsb\ndsb\nisb\n");
    assert_int_equal(b.most, 0);
    script(&b, "enter EL0n\n");
    assert_false(cairn_pe_is_prohibited(b.pe));
    end(&b);
}

/* ETEEvent 0 is the buffer's Detected Trigger, and TRCEXTOUT0 of the Performance Monitors; it comes from a
 * PMU event that an External Input Selector selects. */
static void test_events(void **state)
{
    static struct bench b;

    (void)state;
    begin(&b);
    script(&b, "msr TRCEXTINSELR0, 0x21\n" /* BR_RETIRED */
               "msr TRCRSCTLR2, 0x1\n"     /* input 0 */
               "msr TRCEVENTCTL0R, 2\n"
               "msr PMEVTYPER0_EL0, 0x4010\n"
               "msr PMEVTYPER1_EL0, 0x21\n"
               "msr PMCNTENSET_EL0, 3\n"
               "msr PMCR_EL0, 1\n"
               "msr TRBTRG_EL1, 0\n"
               "msr TRBLIMITR_EL1, 0x80001001\n" /* stop on trigger */
               "msr TRCPRGCTLR, 1\nisb\nenter EL0n\nrun 40\nenter EL1n\ntsb\ndsb\nisb\n");
    assert_int_equal(value(&b, "PMEVCNTR1_EL0"), 11); /* ten blocks, and the return to EL0 */
    /* As many outputs as branches where tracing is allowed. */
    assert_int_equal(value(&b, "PMEVCNTR0_EL0"), 10);
    script(&b, "mrs x0, TRBSR_EL1\n");
    /* proves: I_YRQCN */
    assert_int_equal(b.value & 1u << 21, 1u << 21);
    assert_int_equal(b.value & 0x3f, 2); /* collection stopped by the Trigger Event */
    end(&b);
}

/* TRFCR_ELx are FEAT_TRF's: they prohibit as well where there is no Trace Buffer Unit. */
static void test_without_buffer(void **state)
{
    static struct bench b;
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_error error;

    (void)state;
    memset(&b, 0, sizeof b);
    unit.sink = bus;
    unit.sink_context = &b;
    options.unit = &unit;
    options.flags &= ~CAIRN_PE_HAS_TRBE;
    assert_int_equal(cairn_pe_new(&options, &b.pe, &error), CAIRN_OK);
    script(&b, "msr SCR_EL3, 0x401\nenter EL1n\nmsr TRFCR_EL1, 0\nmsr TRCCONFIGR, 1\n"
               "msr TRCVICTLR, 0x201\nmsr TRCPRGCTLR, 1\nisb\n");
    assert_true(cairn_pe_is_prohibited(b.pe));
    script(&b, "msr TRFCR_EL1, 1\nisb\n");
    assert_true(cairn_pe_is_prohibited(b.pe));
    script(&b, "enter EL0n\n");
    assert_false(cairn_pe_is_prohibited(b.pe));
    end(&b);
}

/* An indirect branch of which nothing is executed but an exception at its target has that target: no record is
 * lost. */
static void test_interrupted_target(void **state)
{
    static struct bench b;
    struct cairn_branch branches[4];
    const struct cairn_block block = {.address = 0x20000,
                                      .size = 8,
                                      .count = 2,
                                      .isa = CAIRN_ISA_A64,
                                      .kind = CAIRN_INSN_BRANCH_INDIRECT,
                                      .last_size = 4,
                                      .target_isa = CAIRN_ISA_A64};
    const struct cairn_pe_exception irq = {.size = sizeof irq,
                                           .type = CAIRN_EXCEPTION_IRQ,
                                           .address = 0x24680,
                                           .vector = 0x30000,
                                           .isa = CAIRN_ISA_A64,
                                           .to = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1}};

    (void)state;
    begin(&b);
    for (size_t i = 0; i < 4; i++)
        branches[i].size = sizeof branches[i];
    /* EnI: all branches; EXCEPTION, E0BRE */
    script(&b, "msr BRBFCR_EL1, 0x10000\nmsr BRBCR_EL1, 0x800001\nisb\nenter EL0n\n");
    cairn_pe_execute(b.pe, &block, true);
    cairn_pe_exception(b.pe, &irq);
    /* proves: R_PGXMB, R_PKZCF */
    assert_int_equal(cairn_pe_branches(b.pe, branches, 4), 2);
    assert_int_equal(branches[1].source, 0x20004);
    assert_int_equal(branches[1].target, 0x24680);
    assert_int_equal(branches[1].type, CAIRN_BRANCH_INDIRECT);
    assert_int_equal(branches[0].source, 0x24680);
    assert_int_equal(branches[0].type, CAIRN_BRANCH_IRQ);
    end(&b);
}

/* Branches are recorded, the youngest first; an overflow of a counter below HPMN freezes them. */
static void test_branches(void **state)
{
    static struct bench b;
    struct cairn_branch branches[40];
    size_t count;

    (void)state;
    begin(&b);
    for (size_t i = 0; i < 40; i++)
        branches[i].size = sizeof branches[i];
    script(&b, "msr BRBFCR_EL1, 0x10000\nmsr BRBCR_EL1, 1\nisb\nenter EL0n\nrun 1024\n");
    count = cairn_pe_branches(b.pe, branches, 40);
    assert_int_equal(count, 4); /* one each 64 blocks; exception returns are not asked for */
    assert_int_equal(branches[0].source, 0x10000 + 64 * 16 - 4);
    assert_int_equal(branches[0].target, 0x10000);
    assert_int_equal(branches[0].type, CAIRN_BRANCH_CONDITIONAL);
    assert_int_equal(branches[0].EL, 0);
    script(
        &b,
        "enter EL1n\nmsr BRBCR_EL1, 0x101\n" /* FZP */
        "msr PMEVTYPER0_EL0, 0x21\nmsr PMEVCNTR0_EL0, 0xfffffff0\nmsr PMCNTENSET_EL0, 1\nmsr PMCR_EL0, 1\n"
        "isb\nenter EL0n\nrun 10240\nenter EL1n\nisb\nmrs x0, BRBFCR_EL1\n");
    /* proves: R_NXCWF, R_BHYTD */
    assert_int_equal(b.value & 0x80, 0x80);
    /* The counter overflows with the 16th branch that retires, of which none is taken. */
    assert_int_equal(cairn_pe_branches(b.pe, branches, 40), count);
    end(&b);
}

/* The PE's OS Lock disables an ETE, which has none of its own. */
static void test_lock(void **state)
{
    static struct bench b;

    (void)state;
    begin(&b);
    script(
        &b,
        "msr TRBLIMITR_EL1, 0x80001001\nmsr TRCPRGCTLR, 1\nmsr OSLAR_EL1, 1\nisb\nenter EL0n\nrun 4000\n"
        "enter EL1n\ntsb\ndsb\nisb\n");
    /* proves: R_TMLTF */
    assert_int_equal(b.most, 0);
    script(&b, "msr OSLAR_EL1, 0\nisb\nenter EL0n\nrun 4000\nenter EL1n\ntsb\ndsb\nisb\n");
    assert_true(b.most > 0);
    end(&b);
}

/* An access is UNDEFINED or trapped as the registers say at that level. */
static void test_traps(void **state)
{
    static struct bench b;
    uint64_t read;

    (void)state;
    begin(&b);
    assert_int_equal(cairn_pe_mrs(b.pe, cairn_pe_encoding("TRBPTR_EL1"), &read),
                     CAIRN_PE_ANSWER_OK);
    assert_int_equal(cairn_pe_mrs(b.pe, cairn_pe_encoding("TRFCR_EL2"), &read),
                     CAIRN_PE_ANSWER_UNDEFINED);
    assert_int_equal(cairn_pe_write(b.pe, "MDCR_EL2", 6 | 1u << 19), CAIRN_OK); /* E2TB 0, TTRF */
    assert_int_equal(cairn_pe_mrs(b.pe, cairn_pe_encoding("TRBPTR_EL1"), &read),
                     CAIRN_PE_ANSWER_TRAP_EL2);
    assert_int_equal(cairn_pe_msr(b.pe, cairn_pe_encoding("TRFCR_EL1"), 0),
                     CAIRN_PE_ANSWER_TRAP_EL2);
    assert_int_equal(cairn_pe_write(b.pe, "MDCR_EL3", 0), CAIRN_OK);
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_PE_BRB_IALL, 0), CAIRN_PE_ANSWER_TRAP_EL3);
    script(&b, "enter EL0n\n");
    assert_int_equal(cairn_pe_mrs(b.pe, cairn_pe_encoding("TRBPTR_EL1"), &read),
                     CAIRN_PE_ANSWER_UNDEFINED);
    end(&b);
}

/* What EL1 lets EL0 have of the monitors it has behind the exception return, in every order. */
static void test_user_counters(void **state)
{
    static struct bench b;
    const uint32_t cycles = cairn_pe_encoding("PMCCNTR_EL0");
    uint64_t read;

    (void)state;
    for (unsigned order = CAIRN_PE_EARLY; order <= CAIRN_PE_RANDOM; order++) {
        begin_in(&b, (enum cairn_pe_order)order);
        script(&b, "msr PMCNTENSET_EL0, 0x80000000\nmsr PMCR_EL0, 1\nenter EL0n\nrun 40\n");
        assert_int_equal(cairn_pe_mrs(b.pe, cycles, &read), CAIRN_PE_ANSWER_TRAP_EL1);
        script(&b, "enter EL1n\nmsr PMUSERENR_EL0, 1\nenter EL0n\nrun 40\n");
        assert_int_equal(cairn_pe_mrs(b.pe, cycles, &read), CAIRN_PE_ANSWER_OK);
        script(&b, "isb\nmrs x0, PMCCNTR_EL0\n");
        assert_int_equal(b.value, 80);
        end(&b);
    }
}

/* MDCR_EL2.HPMN moves a counter to EL2's, which MDCR_EL2.HPME enables: behind an event, in every order. */
static void test_monitors_controls(void **state)
{
    static struct bench b;

    (void)state;
    for (unsigned order = CAIRN_PE_EARLY; order <= CAIRN_PE_RANDOM; order++) {
        begin_in(&b, (enum cairn_pe_order)order);
        script(&b, "msr PMEVTYPER5_EL0, 0x8\nmsr PMCNTENSET_EL0, 0x20\nmsr PMCR_EL0, 1\nisb\n"
                   "enter EL0n\nrun 40\nenter EL2n\nmsr MDCR_EL2, 0x3000005\nenter EL0n\nrun 40\n"
                   "enter EL2n\nmrs x0, PMEVCNTR5_EL0\n");
        assert_int_equal(b.value, 40 + 4); /* and the block that ends with the return to EL0 */
        script(&b,
               "msr MDCR_EL2, 0x3000085\nenter EL0n\nrun 40\nenter EL2n\nmrs x0, PMEVCNTR5_EL0\n");
        assert_int_equal(b.value, 84);
        end(&b);
    }
}

/* The three rules of G1, of registers that instructions, trace operations and the trace unit read. */
static void test_three_rules(void **state)
{
    static const char *const names[] = {"TRFCR_EL1", "TRBPTR_EL1", "BRBCR_EL1", "MDCR_EL2",
                                        "PMCR_EL0"};
    static struct bench b;

    (void)state;
    for (unsigned order = CAIRN_PE_EARLY; order <= CAIRN_PE_RANDOM; order++) {
        const bool is_late = order == CAIRN_PE_LATE;
        uint64_t before;

        begin_in(&b, (enum cairn_pe_order)order);
        /* A direct write does not reach what was before it: EL0 was traced. */
        script(&b, "msr TRBLIMITR_EL1, 0x80010001\nmsr TRCPRGCTLR, 1\nisb\nenter EL0n\nrun 4000\n"
                   "enter EL1n\nmsr TRFCR_EL1, 0\n");
        cairn_pe_settle(b.pe);
        assert_true(b.most > 50);
        /* A direct read sees a direct write by the same encoding. */
        script(&b, "enter EL2n\n");
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const uint32_t encoding = cairn_pe_encoding(names[i]);

            assert_int_equal(cairn_pe_mrs(b.pe, encoding, &before), CAIRN_PE_ANSWER_OK);
            assert_int_equal(cairn_pe_msr(b.pe, encoding, before ^ 1), CAIRN_PE_ANSWER_OK);
            assert_int_equal(cairn_pe_mrs(b.pe, encoding, &b.value), CAIRN_PE_ANSWER_OK);
            /* proves: G1_FIGS */
            assert_int_equal(b.value, before ^ 1);
        }
        end(&b);
        if (order == CAIRN_PE_RANDOM)
            continue;
        /* An indirect read sees it behind a Context synchronization event; before it may. */
        begin_in(&b, (enum cairn_pe_order)order);
        script(&b, "msr TRFCR_EL1, 3\n");
        assert_int_equal(cairn_pe_is_prohibited(b.pe), is_late);
        script(&b, "isb\n");
        assert_false(cairn_pe_is_prohibited(b.pe));
        end(&b);
    }
}

/* Whether instructions are traced changes once between a write of a filter and the next event, at any of them; and
 * at the event in any case. */
static void test_filter_once(void **state)
{
    static struct bench b;
    unsigned soon = 0, late = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
        struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
        struct cairn_error error;
        unsigned changes = 0;
        bool was = false;

        memset(&b, 0, sizeof b);
        options.unit = &unit;
        options.order = CAIRN_PE_RANDOM;
        options.seed = seed;
        assert_int_equal(cairn_pe_new(&options, &b.pe, &error), CAIRN_OK);
        script(&b, "msr SCR_EL3, 0x401\nenter EL1n\nmsr TRFCR_EL1, 2\nmsr TRCCONFIGR, 1\n"
                   "msr TRCVICTLR, 0x201\nmsr TRCPRGCTLR, 1\nisb\nrun 40\nmsr TRFCR_EL1, 0\n");
        for (unsigned i = 0; i < 8; i++) {
            const bool is = cairn_pe_is_prohibited(b.pe);

            changes += is != was;
            soon += is && i == 1 && !was;
            was = is;
            script(&b, "run 4\n");
        }
        late += !cairn_pe_is_prohibited(b.pe);
        /* proves: R_NNRHD */
        assert_true(changes <= 1);
        script(&b, "isb\n");
        assert_true(cairn_pe_is_prohibited(b.pe));
        end(&b);
    }
    assert_true(soon > 0);
    assert_true(late > 0);
}

#define ENABLED "msr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 0x80010001\nisb\n"

/* Trace of instructions goes by what is in registers when it is written, which other instructions have written since. */
static void test_operations(void **state)
{
    static struct bench b;
    unsigned before = 0;

    (void)state;
    begin_in(&b, CAIRN_PE_LATE);
    script(&b, ENABLED "enter EL0n\nrun 20000\nenter EL1n\nmsr TRBPTR_EL1, 0x80004000\nisb\n");
    assert_int_equal(b.most, 0);
    script(&b, "tsb csync\ndsb\n");
    for (size_t i = 0; i < 0x4000; i++)
        before |= b.memory[i];
    /* proves: R_ZVDST, I_GVCVL */
    assert_int_equal(before, 0);
    assert_true(b.most > 0x4100);
    end(&b);
}

/* TSB CSYNC in Debug state: trace of before it has written to the registers. */
static void test_debug_barrier(void **state)
{
    static struct bench b;

    (void)state;
    for (unsigned with = 0; with < 2; with++) {
        begin_in(&b, CAIRN_PE_LATE);
        script(&b, ENABLED "enter EL0n\nrun 20000\n");
        cairn_pe_halt(b.pe, 0x10000, CAIRN_ISA_A64);
        if (with)
            cairn_pe_barrier(b.pe, CAIRN_PE_BARRIER_TSB_CSYNC);
        cairn_pe_barrier(b.pe, CAIRN_PE_BARRIER_ISB);
        /* proves: R_SCRQL */
        assert_int_equal(value(&b, "TRBPTR_EL1") > BASE + 0x100, with);
        end(&b);
    }
}

/* TRBIRQ goes high in the middle of a program, which goes on until it is taken, wherever that is. */
static void test_taken_late(void **state)
{
    static const unsigned later[] = {0, 4, 400};
    static struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        char text[64];
        uint64_t before;

        begin(&b);
        script(&b, "msr PMEVTYPER0_EL0, 8\nmsr PMCNTENSET_EL0, 1\nmsr PMCR_EL0, 1\n"
                   "msr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 0x80001001\nisb\nenter EL0n\n");
        before = value(&b, "PMEVCNTR0_EL0");
        script(&b, "run 2000000\n");
        assert_true(b.level);
        snprintf(text, sizeof text, "run %u\n", later[i]);
        script(&b, text);
        /* proves: I_ZLVHR */
        assert_int_equal(value(&b, "PMEVCNTR0_EL0"), before + 2000000 + later[i]);
        assert_int_equal(cairn_pe_mrs(b.pe, cairn_pe_encoding("TRBSR_EL1"), &b.value),
                         CAIRN_PE_ANSWER_UNDEFINED); /* it is at EL0 */
        script(&b, "enter EL1n\nmrs x0, TRBSR_EL1\n");
        assert_int_equal(b.value, 1u << 22 | 1u << 20 | 1u << 17 | 1); /* IRQ, WRAP, S, filled */
        end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_bus),
        cmocka_unit_test(test_prohibited),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_traps),
        cmocka_unit_test(test_without_buffer),
        cmocka_unit_test(test_interrupted_target),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_user_counters),
        cmocka_unit_test(test_monitors_controls),
        cmocka_unit_test(test_three_rules),
        cmocka_unit_test(test_filter_once),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_debug_barrier),
        cmocka_unit_test(test_taken_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
