/* SPDX-License-Identifier: BSD-2-Clause */
/* Event resources of the PTM model (IHI0035 3.8 to 3.12): their numbers, counters, the sequencer,
 * instrumentation, and what they are before the first waypoint. */
#include <string.h>

#include "ptm_bench.h"

#define ALWAYS 0x6fu

static struct ptm_bench b;

static void start(uint32_t etmidr, uint32_t etmcr, const struct cairn_register *registers,
                  size_t count)
{
    ptm_begin(&b, etmidr, etmcr, registers, count);
    b.at = 0x1000;
}
#define START(...)                                                                                 \
    do {                                                                                           \
        const struct cairn_register list[] = {__VA_ARGS__};                                        \
        start(PTM_1_1, 0, list, sizeof list / sizeof *list);                                       \
    } while (0)

static unsigned value_of(const char *name)
{
    uint64_t value = 0;

    assert_int_equal(cairn_unit_read(b.unit, name, &value), CAIRN_OK);
    return (unsigned)value;
}

static void write(const char *name, uint64_t value)
{
    assert_int_equal(cairn_unit_write(b.unit, name, value, NULL), CAIRN_OK);
}

/* Whether anything came out since the last look. */
static bool traced(void)
{
    bool more;

    (void)cairn_unit_position(b.unit);
    more = b.size > b.checked;
    b.checked = b.size;
    return more;
}

/* --- numbers --- */

/* Table 3-5, but for 6E, which is never active where something is traced; the sequencer is in state
 * 1. */
static bool has_number(unsigned number)
{
    return number <= 0x17 || (number >= 0x18 && number <= 0x1b) ||
           (number >= 0x20 && number <= 0x27) || (number >= 0x40 && number <= 0x43) ||
           number == 0x50 || (number >= 0x58 && number <= 0x5b) || number == 0x5f ||
           (number >= 0x60 && number <= 0x63) || (number >= 0x68 && number <= 0x6b) ||
           number == 0x6d || number == ALWAYS;
}

/* A run that all comparators match, Non-secure, every input high, all instrumentation set. */
static bool is_active_of(uint32_t etmidr, uint32_t etmccr, uint32_t etmccer, unsigned number)
{
    static const char *const names[16] = {"ETMACVR1",  "ETMACVR2",  "ETMACVR3",  "ETMACVR4",
                                          "ETMACVR5",  "ETMACVR6",  "ETMACVR7",  "ETMACVR8",
                                          "ETMACVR9",  "ETMACVR10", "ETMACVR11", "ETMACVR12",
                                          "ETMACVR13", "ETMACVR14", "ETMACVR15", "ETMACVR16"};
    struct cairn_register list[21] = {{"ETMTEEVR", number},
                                      {"ETMTSSCR", 1},
                                      {"ETMEXTINSELR", 0x0f020100},
                                      {"ETMCCER", etmccer},
                                      {"ETMCCR", etmccr}};
    bool active;

    for (unsigned i = 0; i < 16; i++)
        list[5 + i] = (struct cairn_register){names[i], 0x1000 + i % 2 * 4};
    start(etmidr, 0, list, 21);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 0);
    for (unsigned hint = 0; hint < 4; hint++)
        cairn_unit_hint(b.unit, hint);
    cairn_unit_inputs(b.unit, 0x8007ff0f);
    ptm_direct(&b, 8, 0x1000, true, 0);
    active = traced();
    ptm_end(&b);
    return active;
}

static bool is_active_when_all_are(uint32_t etmidr, uint32_t etmccer, unsigned number)
{
    return is_active_of(etmidr, 0x8f098008, etmccer, number);
}

/* Extended external input selector 1 is active when the one input is high that it names. */
static void test_extended_inputs(void **state)
{
    (void)state;
    for (unsigned input = 0; input < 5; input++)
        for (unsigned high = 0; high < 2; high++) {
            const uint32_t alone = UINT32_C(1) << (16 + input);
            const struct cairn_register program[] = {{"ETMTEEVR", 0x68}, {"ETMEXTINSELR", input}};

            start(PTM_1_1, 0, program, 2);
            cairn_unit_inputs(b.unit, high ? alone : ~alone);
            ptm_direct(&b, 8, 0x1000, true, 0);
            assert_int_equal(traced(), high);
            ptm_end(&b);
        }
}

/* Nothing matches, and counters are at 1. */
static bool is_active_when_none_is(unsigned number)
{
    bool active;

    START({"ETMTEEVR", number}, {"ETMCNTRLDVR1", 1}, {"ETMCNTRLDVR2", 1}, {"ETMCNTRLDVR3", 1},
          {"ETMCNTRLDVR4", 1}, {"ETMCIDCVR1", 1}, {"ETMCIDCVR2", 1}, {"ETMCIDCVR3", 1},
          {"ETMVMIDCVR", 1});
    ptm_direct(&b, 8, 0x1000, true, 0);
    active = traced();
    ptm_end(&b);
    return active;
}

static void test_numbers(void **state)
{
    (void)state;
    for (unsigned number = 1; number < 0x80; number++) { /* the event 0 is single address 1 */
        /* proves: PFT-3.8.1-a */
        assert_int_equal(is_active_when_all_are(PTM_1_1, 0x34c89884, number), has_number(number));
        /* proves: PFT-3.8.1-a */
        assert_int_equal(is_active_when_none_is(number), number == 0x50 || number == ALWAYS);
    }
    assert_true(is_active_when_all_are(PTM_1_1, 0x34c89884, 0));
    assert_false(is_active_when_none_is(0));
    /* proves: PFT-3.8.1-a */
    assert_false(is_active_when_all_are(PTM_1_0, 0x00c89884, 0x5b)); /* VMID: from 1.1 on */
    /* what a unit was built without: a Cortex-A15 has two selectors and no instrumentation */
    assert_true(is_active_when_all_are(PTM_1_1, 0x34c01ac2, 0x69));
    assert_false(is_active_when_all_are(PTM_1_1, 0x34c01ac2, 0x6a));
    assert_false(is_active_when_all_are(PTM_1_1, 0x34c01ac2, 0x18));
    assert_false(is_active_when_all_are(PTM_1_1, 0x34c01ac2, 0x20));
}

/* ETMCCR and ETMCCER say how many there are: the last one that is, and the first one that is not.
 */
static bool counts(uint32_t etmccr, uint32_t etmccer, unsigned last)
{
    return is_active_of(PTM_1_1, etmccr, etmccer, last) &&
           !is_active_of(PTM_1_1, etmccr, etmccer, last + 1);
}

static void test_count_of_pairs(void **state)
{
    (void)state;
    /* proves: PFT-3.16.2-j */
    assert_true(counts(0x8f098003, 0x34c89884, 0x05) && counts(0x8f098003, 0x34c89884, 0x12));
}

static void test_count_of_counters(void **state)
{
    (void)state;
    /* proves: PFT-3.16.2-i */
    assert_true(counts(0x8f094008, 0x34c89884, 0x41));
}

static void test_count_of_context_ids(void **state)
{
    (void)state;
    /* proves: PFT-3.16.2-d */
    assert_true(counts(0x8d098008, 0x34c89884, 0x58));
}

static void test_count_of_inputs(void **state)
{
    (void)state;
    /* proves: PFT-3.16.2-g */
    assert_true(counts(0x8f058008, 0x34c89884, 0x61));
}

static void test_count_of_instrumentation(void **state)
{
    (void)state;
    /* proves: PFT-3.16.29-l */
    assert_true(counts(0x8f098008, 0x34c85884, 0x19));
}

static void test_count_of_embedded_ice(void **state)
{
    (void)state;
    /* proves: PFT-3.16.29-k */
    assert_true(counts(0x8f098008, 0x34c39884, 0x22));
}

static void test_count_of_selectors(void **state)
{
    (void)state;
    /* proves: PFT-3.16.29-p */
    assert_true(counts(0x8f098008, 0x34c89882, 0x69));
}

static void test_count_of_extended_inputs(void **state)
{
    (void)state;
    /* proves: PFT-3.16.29-o */
    assert_true(counts(0x8f098008, 0x34c89814, 0x69));
}

/* No more than there can be, whatever the registers say. */
static void test_too_many_counters(void **state)
{
    (void)state;
    for (unsigned number = 0x44; number < 0x48; number++)
        assert_false(is_active_of(PTM_1_1, 0x8f09e008, 0x34c89884, number));
}

static void test_start_stop_block(void **state)
{
    (void)state;
    /* proves: PFT-3.16.2-c */
    assert_true(is_active_of(PTM_1_1, 0x8f098008, 0x34c89884, 0x5f) &&
                !is_active_of(PTM_1_1, 0x8b098008, 0x34c89884, 0x5f));
}

static void test_sequencer_is_there(void **state)
{
    (void)state;
    /* proves: PFT-3.16.2-h */
    assert_true(is_active_of(PTM_1_1, 0x8f098008, 0x34c89884, 0x50) &&
                !is_active_of(PTM_1_1, 0x8f088008, 0x34c89884, 0x50));
}

/* States 2 and 3, as software sets them; of the three one is active. */
static void test_sequencer_numbers(void **state)
{
    (void)state;
    for (unsigned at = 0; at < 3; at++) {
        for (unsigned number = 0; number < 3; number++) {
            START({"ETMTEEVR", 0x50 + number});
            write("ETMCR", 0x400);
            write("ETMSQR", at);
            write("ETMCR", 0);
            (void)traced(); /* the A-sync */
            ptm_direct(&b, 4, 0x1000, true, 0);
            /* proves: PFT-3.8.1-a */
            assert_int_equal(traced(), at == number);
            ptm_end(&b);
        }
    }
}

/* Example 3-1: only in state 3. Example 3-2: in range 3, with counter 2 at zero. */
static void test_examples(void **state)
{
    (void)state;
    START({"ETMTEEVR", 0x00052}, {"ETMSQ13EVR", 0x60});
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_inputs(b.unit, 1);
    cairn_unit_cycles(b.unit, 1);
    cairn_unit_inputs(b.unit, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-3.8.3-a */
    ptm_expect(&b, "08 00 10 00 00 21 84");
    ptm_end(&b);
    for (unsigned i = 0; i < 4; i++) {
        START({"ETMTEEVR", 0x08941}, {"ETMACVR5", i & 1 ? 0x1000 : 0x2000}, {"ETMACVR6", 0x2010},
              {"ETMCNTRLDVR1", 1}, {"ETMCNTRLDVR2", i & 2 ? 0 : 1});
        ptm_direct(&b, 4, 0x1000, true, 0);
        /* proves: PFT-3.8.3-a */
        assert_int_equal(traced(), i == 3);
        ptm_end(&b);
    }
}

/* --- counters and the sequencer --- */

/* Counter 1 counts runs with 0x1004 down from 2, and is reloaded by one with 0x2000; what is traced
 * begins with it at zero. */
static void test_counter(void **state)
{
    static const struct {
        uint32_t target;
        unsigned count; /* behind the branch there */
    } runs[] = {{0x1004, 2}, {0x1004, 1}, {0x1004, 0}, {0x2000, 0}, {0x1000, 2}, {0x1000, 2}};

    (void)state;
    START({"ETMTEEVR", 0x40}, {"ETMCNTRLDVR1", 2}, {"ETMCNTENR1", 0}, {"ETMCNTRLDEVR1", 1},
          {"ETMACVR1", 0x1004}, {"ETMACVR2", 0x2000});
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        ptm_direct(&b, 4, runs[i].target, true, 0);
        /* proves: PFT-3.9-a */
        assert_int_equal(value_of("ETMCNTVR1"), runs[i].count);
    }
    /* proves: PFT-3.9-a */
    ptm_expect(&b, "08 04 10 00 00 21 88");
    ptm_end(&b);
}

/* Of 16 bits, cycle by cycle; a reload wins; where the Programming bit is cleared it begins with
 * the reload value, or with what software wrote. */
static void test_counting_cycles(void **state)
{
    (void)state;
    START({"ETMCNTRLDVR3", 0xffff}, {"ETMCNTENR3", ALWAYS}, {"ETMCNTRLDEVR3", 0x60});
    cairn_unit_cycles(b.unit, 0xfffe);
    assert_int_equal(value_of("ETMCNTVR3"), 1);
    cairn_unit_cycles(b.unit, 3);
    /* proves: PFT-3.9-a */
    assert_int_equal(value_of("ETMCNTVR3"), 0);
    cairn_unit_inputs(b.unit, 1);
    cairn_unit_cycles(b.unit, 3);
    /* proves: PFT-3.9-a */
    assert_int_equal(value_of("ETMCNTVR3"), 0xffff);
    cairn_unit_inputs(b.unit, 0);
    cairn_unit_cycles(b.unit, 5);
    write("ETMCR", 0x400);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCNTRLDVR3", 0x10000, NULL), CAIRN_E_CONFIG);
    cairn_unit_cycles(b.unit, 5);
    assert_int_equal(value_of("ETMCNTVR3"), 0xfffa);
    write("ETMCNTVR3", 7);
    write("ETMCR", 0);
    assert_int_equal(value_of("ETMCNTVR3"), 7);
    write("ETMCR", 0x400);
    write("ETMCR", 0);
    assert_int_equal(value_of("ETMCNTVR3"), 0xffff);
    ptm_end(&b);
}

/* It counts also where it is all that counts, which the trigger behind its two cycles shows. */
static void test_reduced_counter_alone(void **state)
{
    (void)state;
    START({"ETMCCER", 0x3cc89884}, {"ETMCNTRLDVR1", 2}, {"ETMTRIGGER", 0x40});
    cairn_unit_cycles(b.unit, 1);
    /* proves: PFT-3.16.14-a */
    assert_int_equal(value_of("ETMSR") & 8, 0);
    cairn_unit_cycles(b.unit, 2);
    /* proves: PFT-3.16.14-a */
    assert_int_equal(value_of("ETMSR") & 8, 8);
    ptm_end(&b);
}

/* ETMCCER[27]: counter 1 counts all cycles from 2 and is reloaded behind each zero; counter 2
 * counts the zeros. Its value cannot be read. In PFT 1.0 there is none. */
static void test_reduced_counter(void **state)
{
    static const unsigned zeros[] = {0, 0, 1, 1, 1, 2, 2};

    (void)state;
    START({"ETMCCER", 0x3cc89884}, {"ETMCNTRLDVR1", 2}, {"ETMCNTRLDVR2", 9}, {"ETMCNTENR2", 0x40});
    for (unsigned i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        cairn_unit_cycles(b.unit, 1);
        /* proves: PFT-3.16.14-a, PFT-3.16.29-c */
        assert_int_equal(value_of("ETMCNTVR2"), 9 - zeros[i]);
        /* proves: PFT-3.16.14-a */
        assert_int_equal(value_of("ETMCNTVR1"), 0);
    }
    write("ETMCR", 0x400);
    write("ETMCR", 0);
    cairn_unit_cycles(b.unit, 2);
    /* proves: PFT-3.16.14-a */
    assert_int_equal(value_of("ETMCNTVR2"), 9);
    ptm_end(&b);
    start(PTM_1_0, 0, (const struct cairn_register[]){{"ETMCCER", 0x08c01800}, {"ETMCNTRLDVR1", 2}},
          2);
    cairn_unit_cycles(b.unit, 1);
    assert_int_equal(value_of("ETMCNTVR1"), 2);
    ptm_end(&b);
}

/* 1 -> 2 by input 1, 1 -> 3 and 2 -> 3 by input 2, 2 -> 1 and 3 -> 1 by input 3, 3 -> 2 by input
 * 4. */
static void test_sequencer(void **state)
{
    static const struct {
        uint32_t inputs;
        unsigned state; /* from 0 */
    } steps[] = {{0, 0},  {3, 0}, {1, 1}, {1, 1}, {6, 1}, {2, 2}, {2, 2},
                 {12, 2}, {8, 1}, {4, 0}, {2, 2}, {4, 0}, {4, 0}, {1, 1}};

    (void)state;
    START({"ETMSQ12EVR", 0x60}, {"ETMSQ13EVR", 0x61}, {"ETMSQ23EVR", 0x61}, {"ETMSQ21EVR", 0x62},
          {"ETMSQ31EVR", 0x62}, {"ETMSQ32EVR", 0x63});
    assert_int_equal(value_of("ETMSQR"), 0);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        cairn_unit_inputs(b.unit, steps[i].inputs);
        cairn_unit_cycles(b.unit, 1);
        /* proves: PFT-3.10-a */
        assert_int_equal(value_of("ETMSQR"), steps[i].state);
    }
    write("ETMCR", 0x400);
    write("ETMCR", 0);
    /* proves: PFT-3.10-a */
    assert_int_equal(value_of("ETMSQR"), 0);
    ptm_end(&b);
}

/* A trigger in the cycle in which a counter comes to zero, without a waypoint; a timestamp likewise
 * asked for. */
static void test_events_of_cycles(void **state)
{
    (void)state;
    START({"ETMTRIGGER", 0x40}, {"ETMCNTRLDVR1", 3}, {"ETMCNTENR1", ALWAYS});
    cairn_unit_cycles(b.unit, 2);
    ptm_expect(&b, "");
    cairn_unit_cycles(b.unit, 1);
    ptm_expect(&b, "0c");
    cairn_unit_cycles(b.unit, 1);
    ptm_expect(&b, "");
    ptm_end(&b);
}

/* --- instrumentation --- */

enum { SET = 0x0, CLEAR = 0x4, PULSE = 0x8, NONE = 0xc };

/* Table 3-12, with what was before: whether the resource is active in the cycle of the two, and in
 * the next. */
static void test_parallel_hints(void **state)
{
    static const struct {
        unsigned first, second;
        bool before, now, next;
    } cases[] = {
        {NONE, SET, false, true, true},     {NONE, SET, true, true, true},
        {NONE, CLEAR, true, true, false},   {NONE, CLEAR, false, false, false},
        {CLEAR, SET, true, true, true},     {CLEAR, SET, false, true, true},
        {CLEAR, PULSE, false, true, false}, {CLEAR, PULSE, true, true, false},
        {NONE, PULSE, false, true, false},  {NONE, PULSE, true, true, false},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases * 4; i++) {
        const unsigned resource = i % 4;
        unsigned count = 9;

        START({"ETMCNTRLDVR2", 9}, {"ETMCNTENR2", 0x18 + resource});
        if (cases[i / 4].before) {
            cairn_unit_hint(b.unit, SET + resource);
            cairn_unit_cycles(b.unit, 1);
            count--;
        }
        cairn_unit_hint(b.unit, cases[i / 4].first + resource);
        cairn_unit_hint(b.unit, cases[i / 4].second + resource);
        cairn_unit_cycles(b.unit, 1);
        count -= cases[i / 4].now;
        /* proves: PFT-3.11-a */
        assert_int_equal(value_of("ETMCNTVR2"), count);
        cairn_unit_cycles(b.unit, 1);
        count -= cases[i / 4].next;
        /* proves: PFT-3.11-a */
        assert_int_equal(value_of("ETMCNTVR2"), count);
        ptm_end(&b);
    }
}

/* ETMCR[24]: of privileged code only. */
static void test_privileged_hints(void **state)
{
    const struct cairn_register event[] = {{"ETMTEEVR", 0x19}};

    (void)state;
    start(PTM_1_1, 1u << 24, event, 1);
    ptm_context(&b, 0, CAIRN_SECURE, 0, 0);
    cairn_unit_hint(b.unit, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-3.16.1-e */
    ptm_expect(&b, "");
    ptm_context(&b, 1, CAIRN_SECURE, 0, 0);
    cairn_unit_hint(b.unit, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 84");
    ptm_end(&b);

    start(PTM_1_1, 0, event, 1); /* of all code */
    ptm_context(&b, 0, CAIRN_SECURE, 0, 0);
    cairn_unit_hint(b.unit, 1);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-3.16.1-e */
    ptm_expect(&b, "08 00 10 00 00 21 84");
    ptm_end(&b);
}

/* --- state of the PE --- */

/* Counter 1 counts cycles in which tracing is prohibited, counter 2 those in Non-secure state. */
static void test_power_up(void **state)
{
    (void)state;
    START({"ETMCNTRLDVR1", 100}, {"ETMCNTENR1", 0x6e}, {"ETMCNTRLDVR2", 100}, {"ETMCNTENR2", 0x6d},
          {"ETMCNTRLDVR3", 100}, {"ETMCNTENR3", 0x18});
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 0);
    cairn_unit_cycles(b.unit, 3);
    /* proves: PFT-3.12-a */
    assert_int_equal(value_of("ETMCNTVR1"), 97);
    /* proves: PFT-3.12-a */
    assert_int_equal(value_of("ETMCNTVR2"), 100);
    ptm_direct(&b, 4, 0x1000, true, 0); /* a cycle of its own */
    cairn_unit_cycles(b.unit, 2);
    /* proves: PFT-3.12-a */
    assert_int_equal(value_of("ETMCNTVR1"), 97);
    /* proves: PFT-3.12-a, PFT-3.8.1-a */
    assert_int_equal(value_of("ETMCNTVR2"), 97);
    /* inside a prohibited region counters go on, instrumentation does not */
    cairn_unit_prohibit(b.unit, true);
    cairn_unit_hint(b.unit, 0);
    cairn_unit_cycles(b.unit, 4);
    /* proves: PFT-4.7.1-a, PFT-3.8.1-a */
    assert_int_equal(value_of("ETMCNTVR1"), 93);
    /* proves: PFT-4.7.1-a */
    assert_int_equal(value_of("ETMCNTVR2"), 97);
    /* proves: PFT-4.7.1-a */
    assert_int_equal(value_of("ETMCNTVR3"), 100);
    ptm_end(&b);
}

/* What a capture lists, and gives to another unit. */
static void test_listing(void **state)
{
    struct cairn_register listed;
    unsigned found = 0;

    (void)state;
    START({"ETMCNTRLDVR1", 2}, {"ETMCNTENR1", 0}, {"ETMSQ12EVR", 0x60});
    for (size_t i = 0; cairn_unit_register(b.unit, i, &listed) == CAIRN_OK; i++) {
        assert_string_not_equal(listed.name, "ETMCNTVR1");
        assert_string_not_equal(listed.name, "ETMCNTENR2"); /* never */
        assert_string_not_equal(listed.name, "ETMACTR2");   /* of a comparator that nobody uses */
        found += strcmp(listed.name, "ETMCNTENR1") == 0 && listed.value == 0;
        found += strcmp(listed.name, "ETMSQ12EVR") == 0 && listed.value == 0x60;
    }
    assert_int_equal(found, 2);
    ptm_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_count_of_pairs),
        cmocka_unit_test(test_count_of_counters),
        cmocka_unit_test(test_count_of_context_ids),
        cmocka_unit_test(test_count_of_inputs),
        cmocka_unit_test(test_count_of_instrumentation),
        cmocka_unit_test(test_count_of_embedded_ice),
        cmocka_unit_test(test_count_of_selectors),
        cmocka_unit_test(test_count_of_extended_inputs),
        cmocka_unit_test(test_too_many_counters),
        cmocka_unit_test(test_start_stop_block),
        cmocka_unit_test(test_sequencer_is_there),
        cmocka_unit_test(test_sequencer_numbers),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_counter),
        cmocka_unit_test(test_counting_cycles),
        cmocka_unit_test(test_reduced_counter),
        cmocka_unit_test(test_reduced_counter_alone),
        cmocka_unit_test(test_sequencer),
        cmocka_unit_test(test_events_of_cycles),
        cmocka_unit_test(test_parallel_hints),
        cmocka_unit_test(test_extended_inputs),
        cmocka_unit_test(test_privileged_hints),
        cmocka_unit_test(test_power_up),
        cmocka_unit_test(test_listing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
