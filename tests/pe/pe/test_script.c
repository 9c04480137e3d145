/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts of a PE in all orders: a driver's sequence is silent and gives what a plain trace unit writes;
 * with a line left out, what is missing is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/pe.h>

#define MEMORY 0x20000u
#define BASE UINT64_C(0x80000000)
#define LINES 80u

struct bench {
    struct cairn_pe *pe;
    uint8_t memory[MEMORY];
    uint64_t read[2]; /* the last one, TRBSR_EL1 */
    unsigned found;
    struct cairn_pe_finding first;
    char name[24];
};

struct text {
    char *lines[LINES];
    size_t count;
    char all[8192];
};

static void load_script(const char *name, struct text *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s%s", SCRIPTS, name);
    file = fopen(path, "r");
    assert_non_null(file);
    text->all[fread(text->all, 1, sizeof text->all - 1, file)] = '\0';
    fclose(file);
    text->count = 0;
    for (char *line = text->all; line && *line;) {
        char *next = strchr(line, '\n');

        assert_true(text->count < LINES);
        text->lines[text->count++] = line;
        if (next)
            *next++ = '\0';
        line = next;
    }
}

static void tell(void *context, const struct cairn_pe_finding *finding)
{
    struct bench *b = context;

    if (b->found++ > 0)
        return;
    b->first = *finding;
    b->name[0] = '\0';
    if (finding->name)
        snprintf(b->name, sizeof b->name, "%s", finding->name);
}

static void memory(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct bench *b = context;

    assert_true(address >= BASE && address + size <= BASE + MEMORY);
    memcpy(b->memory + (address - BASE), bytes, size);
}

static void told(void *context, unsigned line, const char *name, uint64_t value)
{
    struct bench *b = context;

    (void)line;
    b->read[strcmp(name, "TRBSR_EL1") == 0] = value;
}

/* Runs the script, without line `without` (from 1; 0: all). */
static void run(struct bench *b, const struct text *text, size_t without, enum cairn_pe_order order,
                uint64_t seed)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_error error;
    char script[8192];
    size_t size = 0;

    for (size_t i = 0; i < text->count; i++)
        size += (size_t)snprintf(script + size, sizeof script - size, "%s\n",
                                 i + 1 == without ? "" : text->lines[i]);
    memset(b, 0, sizeof *b);
    options.unit = &unit;
    options.order = order;
    options.seed = seed;
    options.finds = true;
    options.tell = tell;
    options.memory = memory;
    options.context = b;
    if (cairn_pe_new(&options, &b->pe, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    /* A unit that does not take what is written too soon may never come to what is waited for. */
    if (cairn_pe_script(b->pe, "script", script, size, told, b, &error) != CAIRN_OK && !b->found)
        fail_msg("%s", error.text);
    cairn_pe_settle(b->pe);
    cairn_pe_free(b->pe);
}

/* The same trace by a unit that has no buffer: TRBLIMITR_EL1.E is never 1. */
static cairn_status collect(void *context, const uint8_t *bytes, size_t size)
{
    struct bench *b = context;

    assert_true(b->found + size <= MEMORY);
    memcpy(b->memory + b->found, bytes, size);
    b->found += (unsigned)size;
    return CAIRN_OK;
}

static void run_plain(struct bench *b, const struct text *text)
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
    static struct bench plain, b;
    struct text text;

    (void)state;
    load_script("linux.pe", &text);
    run_plain(&plain, &text);
    assert_true(plain.found > 100);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run(&b, &text, 0,
            seed == 0   ? CAIRN_PE_EARLY
            : seed == 1 ? CAIRN_PE_LATE
                        : CAIRN_PE_RANDOM,
            seed);
        if (b.found)
            fail_msg("seed %u: line %u: %s %s, since %u", (unsigned)seed, (unsigned)b.first.place,
                     b.first.rule, b.name, (unsigned)b.first.since);
        assert_int_equal(b.read[0], BASE + plain.found);
        assert_int_equal(b.read[1], 0);
        assert_memory_equal(b.memory, plain.memory, plain.found);
    }
}

/* The line that ends with that letter. */
static size_t line_of(const struct text *text, char letter)
{
    for (size_t i = 0; i < text->count; i++) {
        const size_t length = strlen(text->lines[i]);

        if (length > 3 && text->lines[i][length - 1] == letter &&
            strncmp(text->lines[i] + length - 3, "# ", 2) == 0)
            return i + 1;
    }
    fail_msg("no line %c", letter);
    return 0;
}

static void assert_silent(const char *name)
{
    static struct bench b;
    struct text text;

    load_script(name, &text);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run(&b, &text, 0, seed ? CAIRN_PE_RANDOM : CAIRN_PE_LATE, seed);
        if (b.found)
            fail_msg("%s, seed %u: line %u: %s %s, since %u", name, (unsigned)seed,
                     (unsigned)b.first.place, b.first.rule, b.name, (unsigned)b.first.since);
    }
}

/* Without that line the first finding is this one, whatever happens. */
static void assert_finds(const char *name, char letter, const char *rule, const char *reg,
                         uint32_t missing)
{
    static struct bench b;
    struct text text;

    load_script(name, &text);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run(&b, &text, line_of(&text, letter),
            seed == 0   ? CAIRN_PE_EARLY
            : seed == 1 ? CAIRN_PE_LATE
                        : CAIRN_PE_RANDOM,
            seed);
        if (!b.found)
            fail_msg("%s without %c, seed %u: nothing", name, letter, (unsigned)seed);
        if (strcmp(b.first.rule, rule) != 0 || strcmp(b.name, reg) != 0 ||
            b.first.missing != missing)
            fail_msg("%s without %c, seed %u: line %u: %s %s %x, since %u", name, letter,
                     (unsigned)seed, (unsigned)b.first.place, b.first.rule, b.name,
                     (unsigned)b.first.missing, (unsigned)b.first.since);
    }
}

/* What stands there once, and not again before it is needed. */
static void test_driver_lacks(void **state)
{
    (void)state;
    assert_finds("linux.pe", 'A', "R_DFHWV", "", CAIRN_PE_MISSES_DSB | CAIRN_PE_MISSES_CSE2);
    assert_finds("linux.pe", 'B', "R_DJMD", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE);
    assert_finds("linux.pe", 'C', "R_MDZDN", "TRCPRGCTLR", CAIRN_PE_MISSES_RUNNING);
}

static void test_drain(void **state)
{
    (void)state;
    assert_silent("drain.pe");
    /* proves: R_DFHWV */
    assert_finds("drain.pe", 'A', "R_DFHWV", "", CAIRN_PE_MISSES_DSB | CAIRN_PE_MISSES_CSE2);
    /* proves: S_VKHHY, R_ZCDDS */
    assert_finds("drain.pe", 'B', "R_TSPXF", "TRBLIMITR_EL1", CAIRN_PE_MISSES_TSB);
    /* proves: R_VLWDM */
    assert_finds("drain.pe", 'C', "R_VLWDM", "", CAIRN_PE_MISSES_DSB);
    /* proves: R_VTNCS */
    assert_finds("drain.pe", 'D', "R_VTNCS", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE2);
}

static void test_inside(void **state)
{
    (void)state;
    assert_silent("inside.pe");
    assert_silent("back.pe");
    /* proves: R_NRLDV */
    assert_finds("inside.pe", 'B', "R_NRLDV", "TRFCR_EL1", CAIRN_PE_MISSES_CSE);
    assert_finds("inside.pe", 'C', "R_NRLDV", "TRFCR_EL1", CAIRN_PE_MISSES_CSE);
    assert_finds("inside.pe", 'D', "R_VTNCS", "TRBPTR_EL1",
                 CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_CSE2);
    assert_finds("inside.pe", 'E', "R_VTNCS", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE2);
    /* proves: I_CPBKF */
    assert_finds("inside.pe", 'F', "I_CPBKF", "BRBCR_EL1", CAIRN_PE_MISSES_CSE);
}

/* The trace unit: its state is changed and looked at with a Context synchronization event between. */
static void test_unit(void **state)
{
    (void)state;
    assert_silent("unit.pe");
    /* proves: R_KNQWS */
    assert_finds("unit.pe", 'A', "R_KNQWS", "TRCPRGCTLR", CAIRN_PE_MISSES_CSE);
    /* proves: R_MDZDN */
    assert_finds("unit.pe", 'B', "R_MDZDN", "TRCPRGCTLR", CAIRN_PE_MISSES_RUNNING);
    /* proves: R_RWYQD */
    assert_finds("unit.pe", 'C', "R_RWYQD", "TRCVICTLR",
                 CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_IDLE);
    /* proves: R_WZQWC */
    assert_finds("unit.pe", 'D', "R_WZQWC", "TRCRSR", CAIRN_PE_MISSES_CSE);
    /* proves: S_HSXGZ */
    assert_finds("unit.pe", 'E', "S_HSXGZ", "TRCSTATR", CAIRN_PE_MISSES_CSE);
    assert_finds("unit.pe", 'G', "I_PNZGH", "TRCSEQSTR",
                 CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_STABLE);
    assert_finds("unit.pe", 'H', "R_KNQWS", "OSLAR_EL1", CAIRN_PE_MISSES_CSE);
}

/* Contexts are switched (G3.1): out and in where tracing is prohibited, and out where it is allowed. */
static void test_switch(void **state)
{
    (void)state;
    /* proves: S_PKLXF */
    assert_silent("switch.pe");
    assert_finds("switch.pe", 'A', "R_TSPXF", "TRBLIMITR_EL1", CAIRN_PE_MISSES_TSB);
    assert_finds("switch.pe", 'B', "S_YKCNB", "TTBR1_EL1",
                 CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_DISABLED);
    assert_finds("switch.pe", 'C', "R_VLWDM", "", CAIRN_PE_MISSES_DSB);
    assert_finds("switch.pe", 'D', "S_YKCNB", "TTBR1_EL1", CAIRN_PE_MISSES_CSE);
    assert_finds("switch.pe", 'E', "S_YKCNB", "TRBLIMITR_EL1", CAIRN_PE_MISSES_CSE);
}

/* An enabled buffer may ignore what is written to its registers. */
static void test_again(void **state)
{
    (void)state;
    assert_silent("again.pe");
    /* proves: R_DJMD */
    assert_finds("again.pe", 'A', "R_DJMD", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE);
    assert_finds("again.pe", 'B', "R_DJMD", "TRBSR_EL1",
                 CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_DISABLED);
    assert_finds("again.pe", 'C', "R_VTNCS", "TRBSR_EL1", CAIRN_PE_MISSES_CSE2);
    assert_finds("again.pe", 'D', "R_DJMD", "TRBSR_EL1", CAIRN_PE_MISSES_CSE);
}

static void test_stop(void **state)
{
    (void)state;
    /* proves: S_FMBCL, I_BYSGH */
    assert_silent("stop.pe");
    assert_finds("stop.pe", 'A', "R_VLWDM", "", CAIRN_PE_MISSES_PROHIBITION | CAIRN_PE_MISSES_DSB);
    /* The event behind it has come by then, and the TSB CSYNC before that. */
    assert_finds("stop.pe", 'B', "R_VTNCS", "TRBPTR_EL1",
                 CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_CSE2);
    assert_finds("stop.pe", 'C', "R_VTNCS", "TRBPTR_EL1",
                 CAIRN_PE_MISSES_TSB | CAIRN_PE_MISSES_CSE2);
    assert_finds("stop.pe", 'D', "R_VLWDM", "", CAIRN_PE_MISSES_DSB);
    assert_finds("stop.pe", 'E', "R_VTNCS", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE2);
}

static void test_records(void **state)
{
    static struct bench b;
    struct text text;

    (void)state;
    assert_silent("records.pe");
    assert_finds("records.pe", 'A', "R_PGDLX", "BRBSRC0_EL1", CAIRN_PE_MISSES_CSE);
    assert_finds("records.pe", 'B', "I_PPBZP", "BRBFCR_EL1", CAIRN_PE_MISSES_CSE);
    load_script("records.pe", &text);
    /* The last line reads bank 1, which is empty, or bank 0: one branch, at the end of 64 blocks of EL1. */
    run(&b, &text, line_of(&text, 'B'), CAIRN_PE_EARLY, 0);
    /* proves: I_PPBZP */
    assert_int_equal(b.read[0], 0);
    run(&b, &text, line_of(&text, 'B'), CAIRN_PE_LATE, 0);
    assert_int_equal(b.read[0], 0x20000 + 64 * 16 - 4);
    /* Line 10 alone: what it reads without A may be of before. */
    text.count = 10;
    run(&b, &text, line_of(&text, 'A'), CAIRN_PE_EARLY, 0);
    assert_int_equal(b.read[0], 0x20000 + 64 * 16 - 4);
    run(&b, &text, line_of(&text, 'A'), CAIRN_PE_LATE, 0);
    /* proves: R_PGDLX */
    assert_int_equal(b.read[0], 0);
    run(&b, &text, 0, CAIRN_PE_LATE, 0);
    assert_int_equal(b.read[0], 0x20000 + 64 * 16 - 4);
}

/* What trace operations wrote may be read as it was, or not. */
static void test_unsynchronized(void **state)
{
    static struct bench b;
    struct text text;

    (void)state;
    load_script("drain.pe", &text);
    run(&b, &text, line_of(&text, 'D'), CAIRN_PE_EARLY, 0);
    assert_true(b.read[0] > BASE);
    run(&b, &text, line_of(&text, 'D'), CAIRN_PE_LATE, 0);
    /* proves: I_NRQF */
    assert_int_equal(b.read[0], BASE);
    run(&b, &text, 0, CAIRN_PE_LATE, 0);
    assert_true(b.read[0] > BASE);
}

/* A read that waits needs an event in front of each try, where the first one did not say so. */
static void test_unit_again(void **state)
{
    static struct bench b;
    struct text text;

    (void)state;
    load_script("unit.pe", &text);
    run(&b, &text, line_of(&text, 'F'), CAIRN_PE_LATE, 1);
    assert_int_equal(b.found, 1);
    assert_string_equal(b.first.rule, "S_HSXGZ");
    run(&b, &text, line_of(&text, 'F'), CAIRN_PE_EARLY, 0);
    assert_int_equal(b.found, 0);
}

static void test_monitors(void **state)
{
    static struct bench b;
    struct text text;

    (void)state;
    assert_silent("monitors.pe");
    assert_finds("monitors.pe", 'A', "G1.3", "PMCNTENSET_EL0", CAIRN_PE_MISSES_CSE);
    assert_finds("monitors.pe", 'B', "Arm ARM", "PMEVCNTR0_EL0", CAIRN_PE_MISSES_CSE);
    assert_finds("monitors.pe", 'C', "G1.3", "PMCNTENCLR_EL0", CAIRN_PE_MISSES_CSE);
    assert_finds("monitors.pe", 'D', "G1.2", "PMSELR_EL0", CAIRN_PE_MISSES_CSE);
    assert_finds("monitors.pe", 'E', "G1.3", "PMCNTENSET_EL0", CAIRN_PE_MISSES_CSE);
    assert_finds("monitors.pe", 'F', "G1.3", "PMEVTYPER1_EL0", CAIRN_PE_MISSES_CSE);
    assert_finds("monitors.pe", 'G', "G1.3", "PMEVCNTR1_EL0", CAIRN_PE_MISSES_CSE);
    assert_finds("monitors.pe", 'H', "G1.3", "PMCR_EL0", CAIRN_PE_MISSES_CSE);
    assert_finds("monitors.pe", 'I', "G1.3", "PMCCFILTR_EL0", CAIRN_PE_MISSES_CSE);
    assert_finds("monitors.pe", 'J', "Arm ARM", "PMCCNTR_EL0", CAIRN_PE_MISSES_CSE);
    /* Eight of the cycles behind 0x100 are of code that is counted, and a block takes one for each. */
    load_script("monitors.pe", &text);
    for (unsigned order = CAIRN_PE_EARLY; order <= CAIRN_PE_RANDOM; order++) {
        run(&b, &text, 0, (enum cairn_pe_order)order, 7);
        assert_int_equal(b.read[0], 0x108);
    }
    run(&b, &text, line_of(&text, 'J'), CAIRN_PE_LATE, 0);
    assert_int_equal(b.read[0], 0x100);
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
