/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts of a PE in all orders: a driver's sequence is silent and gives what a plain trace unit writes;
 * with a line left out, what is missing is named. */
#include "scripts.h"

/* The same trace by a unit that has no buffer: TRBLIMITR_EL1.E is never 1. */
static cairn_status collect(void *context, const uint8_t *bytes, size_t size)
{
    struct pe_bench *b = context;

    assert_true(b->found + size <= PE_BENCH_MEMORY);
    memcpy(b->memory + b->found, bytes, size);
    b->found += (unsigned)size;
    return CAIRN_OK;
}

static void run_plain(struct pe_bench *b, const struct script_text *text)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_error error;
    char script[8192];
    size_t size = 0;

    for (size_t i = 0; i < text->count; i++)
        if (!strstr(text->lines[i], "TRB"))
            size += (size_t)snprintf(script + size, sizeof script - size, "%s\n", text->lines[i]);
    memset(b, 0, sizeof *b);
    unit.sink = collect;
    unit.sink_context = b;
    options.unit = &unit;
    options.finds = true; /* so that it is flushed as often */
    if (cairn_pe_new(&options, &b->pe, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    if (cairn_pe_script(b->pe, "script", script, size, NULL, NULL, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    cairn_pe_settle(b->pe);
    cairn_pe_free(b->pe);
}

static void test_driver(void **state)
{
    static struct pe_bench plain, b;
    struct script_text text;

    (void)state;
    script_load("linux.pe", &text);
    run_plain(&plain, &text);
    assert_true(plain.found > 100);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        script_run(&b, &text, 0,
                   seed == 0   ? CAIRN_PE_EARLY
                   : seed == 1 ? CAIRN_PE_LATE
                               : CAIRN_PE_RANDOM,
                   seed);
        if (b.found)
            fail_msg("seed %u: line %u: %s %s, since %u", (unsigned)seed, (unsigned)b.first.place,
                     b.first.rule, b.name, (unsigned)b.first.since);
        assert_int_equal(b.value, SCRIPT_BASE + plain.found);
        assert_int_equal(b.status, 0);
        assert_memory_equal(b.memory, plain.memory, plain.found);
    }
}

/* What stands there once, and not again before it is needed. */
static void test_driver_lacks(void **state)
{
    (void)state;
    assert_script_finds("linux.pe", 'A', "R_DFHWV", "", CAIRN_PE_MISSES_DSB | CAIRN_PE_MISSES_CSE2);
    assert_script_finds("linux.pe", 'B', "R_DJMD", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE);
    assert_script_finds("linux.pe", 'C', "R_MDZDN", "TRCPRGCTLR", CAIRN_PE_MISSES_RUNNING);
}

static void test_drain(void **state)
{
    (void)state;
    assert_script_silent("drain.pe");
    /* proves: R_DFHWV */
    assert_script_finds("drain.pe", 'A', "R_DFHWV", "", CAIRN_PE_MISSES_DSB | CAIRN_PE_MISSES_CSE2);
    /* proves: S_VKHHY, R_ZCDDS */
    assert_script_finds("drain.pe", 'B', "R_TSPXF", "TRBLIMITR_EL1", CAIRN_PE_MISSES_TSB);
    /* proves: R_VLWDM */
    assert_script_finds("drain.pe", 'C', "R_VLWDM", "", CAIRN_PE_MISSES_DSB);
    /* proves: R_VTNCS */
    assert_script_finds("drain.pe", 'D', "R_VTNCS", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE2);
}

static void test_inside(void **state)
{
    (void)state;
    assert_script_silent("inside.pe");
    assert_script_silent("back.pe");
    /* proves: R_NRLDV */
    assert_script_finds("inside.pe", 'B', "R_NRLDV", "TRFCR_EL1", CAIRN_PE_MISSES_CSE);
    assert_script_finds("inside.pe", 'C', "R_NRLDV", "TRFCR_EL1", CAIRN_PE_MISSES_CSE);
    assert_script_finds("inside.pe", 'D', "R_VTNCS", "TRBPTR_EL1",
                        CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_CSE2);
    assert_script_finds("inside.pe", 'E', "R_VTNCS", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE2);
    /* proves: I_CPBKF */
    assert_script_finds("inside.pe", 'F', "I_CPBKF", "BRBCR_EL1", CAIRN_PE_MISSES_CSE);
}

/* The trace unit: its state is changed and looked at with a Context synchronization event between. */
static void test_unit(void **state)
{
    (void)state;
    assert_script_silent("unit.pe");
    /* proves: R_KNQWS */
    assert_script_finds("unit.pe", 'A', "R_KNQWS", "TRCPRGCTLR", CAIRN_PE_MISSES_CSE);
    /* proves: R_MDZDN */
    assert_script_finds("unit.pe", 'B', "R_MDZDN", "TRCPRGCTLR", CAIRN_PE_MISSES_RUNNING);
    /* proves: R_RWYQD */
    assert_script_finds("unit.pe", 'C', "R_RWYQD", "TRCVICTLR",
                        CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_IDLE);
    /* proves: R_WZQWC */
    assert_script_finds("unit.pe", 'D', "R_WZQWC", "TRCRSR", CAIRN_PE_MISSES_CSE);
    /* proves: S_HSXGZ */
    assert_script_finds("unit.pe", 'E', "S_HSXGZ", "TRCSTATR", CAIRN_PE_MISSES_CSE);
    assert_script_finds("unit.pe", 'G', "I_PNZGH", "TRCSEQSTR",
                        CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_STABLE);
    assert_script_finds("unit.pe", 'H', "R_KNQWS", "OSLAR_EL1", CAIRN_PE_MISSES_CSE);
}

/* Contexts are switched (G3.1): out and in where tracing is prohibited, and out where it is allowed. */
static void test_switch(void **state)
{
    (void)state;
    /* proves: S_PKLXF */
    assert_script_silent("switch.pe");
    assert_script_finds("switch.pe", 'A', "R_TSPXF", "TRBLIMITR_EL1", CAIRN_PE_MISSES_TSB);
    /* proves: S_YKCNB */
    assert_script_finds("switch.pe", 'B', "S_YKCNB", "TTBR1_EL1", CAIRN_PE_MISSES_OFF);
    assert_script_finds("switch.pe", 'C', "R_VLWDM", "", CAIRN_PE_MISSES_DSB);
    assert_script_finds("switch.pe", 'D', "S_YKCNB", "TTBR1_EL1", CAIRN_PE_MISSES_CSE);
    assert_script_finds("switch.pe", 'E', "S_PKLXF", "TTBR1_EL1", CAIRN_PE_MISSES_CSE);
}

/* An enabled buffer may ignore what is written to its registers. */
static void test_again(void **state)
{
    (void)state;
    assert_script_silent("again.pe");
    /* proves: R_DJMD */
    assert_script_finds("again.pe", 'A', "R_DJMD", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE);
    assert_script_finds("again.pe", 'B', "R_DJMD", "TRBSR_EL1", CAIRN_PE_MISSES_OFF);
    assert_script_finds("again.pe", 'C', "R_VTNCS", "TRBSR_EL1", CAIRN_PE_MISSES_CSE2);
    assert_script_finds("again.pe", 'D', "R_DJMD", "TRBSR_EL1", CAIRN_PE_MISSES_CSE);
}

static void test_stop(void **state)
{
    (void)state;
    /* proves: S_FMBCL, I_BYSGH */
    assert_script_silent("stop.pe");
    assert_script_finds("stop.pe", 'A', "R_VLWDM", "",
                        CAIRN_PE_MISSES_PROHIBITION | CAIRN_PE_MISSES_DSB);
    /* The event behind it has come by then, and the TSB CSYNC before that. */
    assert_script_finds("stop.pe", 'B', "R_VTNCS", "TRBPTR_EL1",
                        CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_CSE2);
    assert_script_finds("stop.pe", 'C', "R_VTNCS", "TRBPTR_EL1",
                        CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_CSE2);
    assert_script_finds("stop.pe", 'D', "R_VLWDM", "", CAIRN_PE_MISSES_DSB);
    assert_script_finds("stop.pe", 'E', "R_VTNCS", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE2);
}

static void test_records(void **state)
{
    static struct pe_bench b;
    struct script_text text;

    (void)state;
    assert_script_silent("records.pe");
    assert_script_finds("records.pe", 'A', "R_PGDLX", "BRBSRC0_EL1", CAIRN_PE_MISSES_CSE);
    assert_script_finds("records.pe", 'B', "I_PPBZP", "BRBFCR_EL1", CAIRN_PE_MISSES_CSE);
    script_load("records.pe", &text);
    /* The last line reads bank 1, which is empty, or bank 0: one branch, at the end of 64 blocks of EL1. */
    script_run(&b, &text, script_line(&text, 'B'), CAIRN_PE_EARLY, 0);
    /* proves: I_PPBZP */
    assert_int_equal(b.value, 0);
    script_run(&b, &text, script_line(&text, 'B'), CAIRN_PE_LATE, 0);
    assert_int_equal(b.value, 0x20000 + 64 * 16 - 4);
    /* Line 10 alone: what it reads without A may be of before. */
    text.count = 10;
    script_run(&b, &text, script_line(&text, 'A'), CAIRN_PE_EARLY, 0);
    assert_int_equal(b.value, 0x20000 + 64 * 16 - 4);
    script_run(&b, &text, script_line(&text, 'A'), CAIRN_PE_LATE, 0);
    /* proves: R_PGDLX */
    assert_int_equal(b.value, 0);
    script_run(&b, &text, 0, CAIRN_PE_LATE, 0);
    assert_int_equal(b.value, 0x20000 + 64 * 16 - 4);
}

/* What trace operations wrote may be read as it was, or not. */
static void test_unsynchronized(void **state)
{
    static struct pe_bench b;
    struct script_text text;

    (void)state;
    script_load("drain.pe", &text);
    script_run(&b, &text, script_line(&text, 'D'), CAIRN_PE_EARLY, 0);
    assert_true(b.value > SCRIPT_BASE);
    script_run(&b, &text, script_line(&text, 'D'), CAIRN_PE_LATE, 0);
    /* proves: I_NRQF */
    assert_int_equal(b.value, SCRIPT_BASE);
    script_run(&b, &text, 0, CAIRN_PE_LATE, 0);
    assert_true(b.value > SCRIPT_BASE);
}

/* A read that waits needs an event in front of each try, where the first one did not say so. */
static void test_unit_again(void **state)
{
    static struct pe_bench b;
    struct script_text text;

    (void)state;
    script_load("unit.pe", &text);
    script_run(&b, &text, script_line(&text, 'F'), CAIRN_PE_LATE, 1);
    assert_int_equal(b.found, 1);
    assert_string_equal(b.first.rule, "S_HSXGZ");
    script_run(&b, &text, script_line(&text, 'F'), CAIRN_PE_EARLY, 0);
    assert_int_equal(b.found, 0);
}

static void test_monitors(void **state)
{
    static struct pe_bench b;
    struct script_text text;

    (void)state;
    assert_script_silent("monitors.pe");
    assert_script_finds("monitors.pe", 'A', "G1.3", "PMCNTENSET_EL0", CAIRN_PE_MISSES_CSE);
    assert_script_finds("monitors.pe", 'B', "Arm ARM", "PMEVCNTR0_EL0", CAIRN_PE_MISSES_CSE);
    assert_script_finds("monitors.pe", 'C', "G1.3", "PMCNTENCLR_EL0", CAIRN_PE_MISSES_CSE);
    assert_script_finds("monitors.pe", 'D', "G1.2", "PMSELR_EL0", CAIRN_PE_MISSES_CSE);
    assert_script_finds("monitors.pe", 'E', "G1.3", "PMCNTENSET_EL0", CAIRN_PE_MISSES_CSE);
    assert_script_finds("monitors.pe", 'F', "G1.3", "PMEVTYPER1_EL0", CAIRN_PE_MISSES_CSE);
    assert_script_finds("monitors.pe", 'G', "G1.3", "PMEVCNTR1_EL0", CAIRN_PE_MISSES_CSE);
    assert_script_finds("monitors.pe", 'H', "G1.3", "PMCR_EL0", CAIRN_PE_MISSES_CSE);
    assert_script_finds("monitors.pe", 'I', "G1.3", "PMCCFILTR_EL0", CAIRN_PE_MISSES_CSE);
    assert_script_finds("monitors.pe", 'J', "Arm ARM", "PMCCNTR_EL0", CAIRN_PE_MISSES_CSE);
    /* Eight of the cycles behind 0x100 are of code that is counted, and a block takes one for each. */
    script_load("monitors.pe", &text);
    for (unsigned order = CAIRN_PE_EARLY; order <= CAIRN_PE_RANDOM; order++) {
        script_run(&b, &text, 0, (enum cairn_pe_order)order, 7);
        assert_int_equal(b.value, 0x108);
    }
    script_run(&b, &text, script_line(&text, 'J'), CAIRN_PE_LATE, 0);
    assert_int_equal(b.value, 0x100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driver),         cmocka_unit_test(test_driver_lacks),
        cmocka_unit_test(test_drain),          cmocka_unit_test(test_inside),
        cmocka_unit_test(test_unit),           cmocka_unit_test(test_unit_again),
        cmocka_unit_test(test_again),          cmocka_unit_test(test_switch),
        cmocka_unit_test(test_stop),           cmocka_unit_test(test_records),
        cmocka_unit_test(test_unsynchronized), cmocka_unit_test(test_monitors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
