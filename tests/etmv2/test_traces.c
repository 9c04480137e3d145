/* SPDX-License-Identifier: BSD-2-Clause */
/* The second writer's traces of runs made by hand, cycle by cycle, as IHI0014's text has them. Ids in
 * brackets as in test_writer.c. */
#include "pins.h"
#include "trace.h"

/* Runs made by hand: instructions at 0x8000 and on, a cycle each. */
static struct sw_run run;
static struct sw_trace trace;
static const struct sw_slot plain = {.what = SW_PLAIN, .size = 4};
static const struct sw_slot multiple = {
    .what = SW_LOAD, .size = 4, .transfers = 3, .bytes = 4, .is_lsm = true};
static const struct sw_slot load = {.what = SW_LOAD, .size = 4, .transfers = 1, .bytes = 1};

static void begin_run(const struct sw_settings *settings)
{
    run.settings = *settings;
    run.instruction_count = run.cycle_count = run.item_count = 0;
}

static struct sw_cycle *add_cycle(bool is_enabled)
{
    struct sw_cycle *cycle = &run.cycles[run.cycle_count++];

    *cycle = (struct sw_cycle){
        .phantom = SW_NONE,
        .instruction = SW_NONE,
        .open = SW_NONE,
        .first_item = run.item_count,
        .is_enabled = is_enabled,
    };
    return cycle;
}

static struct sw_cycle *add_executed(const struct sw_slot *slot)
{
    struct sw_cycle *cycle = add_cycle(true);
    struct sw_insn *insn = &run.instructions[run.instruction_count];

    *insn = (struct sw_insn){
        .place = {0x8000 + 4 * run.instruction_count, false},
        .slot = slot,
        .has_passed = true,
        .is_data = slot->transfers > 0,
    };
    cycle->instruction = run.instruction_count++;
    return cycle;
}

static void add_transfer(struct sw_cycle *cycle, uint32_t address, uint32_t value)
{
    run.items[run.item_count++] = (struct sw_item){
        .kind = SW_TRANSFER,
        .owner = cycle->instruction,
        .address = address,
        .value = value,
        .is_viewed = true,
    };
    cycle->item_count++;
}

/* The vector of ETM2-6.5.1-p: ADD; LDRB, of which 0x12 is the value, on eight pins; then tracing is
 * disabled, shows WT until the FIFO is empty, then TD [ETM2-6.9.2-a] */
static void test_first_vector(void **state)
{
    static const struct pins wanted[] = {
        {SW_TD, 0x09}, {SW_IE, 0x20}, {SW_DE, 0x00}, {SW_WT, 0x80}, {SW_WT, 0x00},
        {SW_WT, 0x00}, {SW_WT, 0x26}, {SW_WT, 0x12}, {SW_TD, 0x00},
    };

    (void)state;
    begin_run(&(struct sw_settings){.pins = 8, .depth = DEPTH, .sync = 1024, .has_values = true});
    add_cycle(false);
    add_executed(&plain);
    add_transfer(add_executed(&load), 0x20000000, 0x12);
    for (unsigned i = 0; i < 6; i++)
        add_cycle(false);
    sw_trace_run(&trace, &run, 0);
    expect_pins(&trace.port, 0, wanted, sizeof wanted / sizeof *wanted);
}

/* A group of ten bytes where there is room for nine: all or nothing; then WT until the FIFO is empty, and
 * a TFO of reason 2 [ETM2-6.10-a, -b] */
static void test_overflow(void **state)
{
    static const struct pins wanted[] = {
        {SW_TD, 0x09}, {SW_WT, 0x20}, {SW_WT, 0x00}, {SW_WT, 0x80}, {SW_WT, 0x00},
        {SW_WT, 0x00}, {SW_TD, 0x09}, {SW_IE, 0x40}, {SW_IE, 0x10}, {SW_IE, 0x80},
    };
    const struct sw_settings settings = {
        .pins = 8, .depth = 14, .sync = 1024, .has_addresses = true, .has_values = true};
    const uint32_t value = 0x12345678;

    (void)state;
    begin_run(&settings);
    add_cycle(false);
    add_transfer(add_executed(&load), 0x20000000, value);
    for (unsigned i = 0; i < 3; i++)
        add_executed(&plain);
    add_cycle(true);
    add_cycle(true);
    for (unsigned i = 0; i < 3; i++)
        add_executed(&plain);
    sw_trace_run(&trace, &run, 0);
    expect_pins(&trace.port, 0, wanted, sizeof wanted / sizeof *wanted);
}

/* Idle cycles count in cycle-accurate mode while tracing is on [ETM2-6.11-a, ETM2-6.1.6-a]; without it
 * a capture device may drop them */
static void test_idle(void **state)
{
    struct sw_settings settings = {.pins = 16, .depth = DEPTH, .sync = 1024};

    (void)state;
    for (unsigned accurate = 0; accurate < 2; accurate++) {
        settings.is_cycle_accurate = accurate != 0;
        begin_run(&settings);
        add_cycle(false);
        add_executed(&plain);
        for (unsigned i = 0; i < 4; i++)
            add_cycle(true);
        add_cycle(false);
        sw_trace_run(&trace, &run, 0);
        expect_pins(&trace.port, 0,
                    (const struct pins[]){{SW_TD, 0x09},
                                          {SW_IE, 0x0020},
                                          {SW_WT, 0x0080},
                                          {SW_WT, 0x6600},
                                          {SW_TD, accurate ? 0x7 : 0x0},
                                          {SW_TD, accurate ? 0x7 : 0x0},
                                          {SW_TD, 0}},
                    7);
    }
}

/* A periodic TFO waits for an IE, in the place of which it stands [ETM2-6.5.1-a, -d]; if none comes until
 * the counter is at zero again, an overflow is forced [ETM2-6.5.1-b] */
static void test_periodic(void **state)
{
    struct sw_settings settings = {.pins = 8, .depth = DEPTH, .sync = 8, .data_phase = 4};
    unsigned tfos = 0;

    (void)state;
    begin_run(&settings);
    add_cycle(false);
    for (unsigned i = 0; i < 10; i++)
        add_executed(&plain);
    run.instructions[7].has_passed = false; /* in the cycle in which the counter is at zero */
    sw_trace_run(&trace, &run, 0);
    assert_int_equal(trace.samples[4 * 8], SW_IN);
    assert_int_equal(trace.samples[4 * 9], SW_TD);
    assert_int_equal(trace.samples[4 * 9 + 2], 0x09);
    assert_int_equal(trace.samples[4 * 10 + 2], 0x00);
    for (unsigned i = 0; i < trace.said_count; i++)
        tfos += trace.said[i].kind == SW_SAID_PERIODIC && trace.said[i].number == 8;
    assert_int_equal(tfos, 1);
    for (unsigned i = 0; i < 20; i++)
        add_executed(&plain);
    for (unsigned i = 0; i < run.instruction_count; i++)
        run.instructions[i].has_passed = false;
    sw_trace_run(&trace, &run, 0);
    assert_int_equal(trace.samples[4 * 15], SW_IN);
    assert_int_equal(trace.samples[4 * 16], SW_TD); /* the FIFO was empty */
    assert_int_equal(trace.samples[4 * 17], SW_TD);
    assert_int_equal(trace.samples[4 * 17 + 2], 0x09);
    assert_int_equal(trace.samples[4 * 18 + 2], SW_OVERFLOW << 5);
}

/* The statuses of a folded branch and what is executed with it [ETM2-6.1-j, -k] */
static void test_phantoms(void **state)
{
    static const unsigned wanted[2][2] = {{0x8, 0xa}, {0xc, 0xe}};

    (void)state;
    for (unsigned not_taken = 0; not_taken < 2; not_taken++)
        for (unsigned failed = 0; failed < 2; failed++) {
            struct sw_cycle *cycle;

            begin_run(&(struct sw_settings){.pins = 8, .depth = DEPTH, .sync = 1024});
            add_cycle(false);
            cycle = add_executed(&plain);
            run.instructions[0].has_passed = !not_taken;
            cycle->phantom = 0;
            cycle->instruction = 1;
            run.instructions[run.instruction_count++] =
                (struct sw_insn){.place = {0x8004, false}, .slot = &plain, .has_passed = !failed};
            add_cycle(false);
            sw_trace_run(&trace, &run, 0);
            assert_int_equal(trace.samples[4], wanted[not_taken][failed]);
        }
}

/* A value that comes back when tracing is off has a DW of its own [ETM2-6.4.3-a, -e, ETM2-6.1-g] */
static void test_late_value(void **state)
{
    static const struct pins wanted[] = {
        {SW_TD, 0x09}, {SW_DE, 0x20}, {SW_IE, 0x00}, {SW_WT, 0x80}, {SW_WT, 0x00}, {SW_WT, 0x00},
        {SW_WT, 0x78}, {SW_TD, 0x00}, {SW_TD, 0x00}, {SW_DW, 0x44}, {SW_WT, 0x34}, {SW_TD, 0x00},
    };
    struct sw_item *item;

    (void)state;
    begin_run(&(struct sw_settings){.pins = 8, .depth = DEPTH, .sync = 1024, .has_values = true});
    add_cycle(false);
    add_transfer(add_executed(&load), 0x20000000, 0x34);
    run.items[0].kind = SW_MISS;
    run.items[0].tag = 2;
    add_executed(&plain);
    for (unsigned i = 0; i < 6; i++)
        add_cycle(false);
    add_transfer(add_cycle(false), 0, 0x34);
    item = &run.items[1];
    item->kind = SW_RETURN;
    item->tag = 2;
    item->miss = 0;
    add_cycle(false);
    add_cycle(false);
    sw_trace_run(&trace, &run, 0);
    expect_pins(&trace.port, 0, wanted, sizeof wanted / sizeof *wanted);
}

/* Where a traced branch leads is told though tracing is off there [ETM2-6.7.1-f, -g] */
static void test_branch_out_of_trace(void **state)
{
    static const struct pins wanted[] = {
        {SW_TD, 0x09}, {SW_IE, 0x20}, {SW_DW, 0x00}, {SW_WT, 0x80},
        {SW_WT, 0x00}, {SW_WT, 0x00}, {SW_WT, 0x09}, {SW_TD, 0x00},
    };
    struct sw_cycle *cycle;

    (void)state;
    begin_run(&(struct sw_settings){.pins = 8, .depth = DEPTH, .sync = 1024});
    add_cycle(false);
    add_executed(&plain);
    cycle = add_cycle(false);
    cycle->has_branch = true;
    cycle->target = (struct sw_place){0x8010, false};
    for (unsigned i = 0; i < 5; i++)
        add_cycle(false);
    sw_trace_run(&trace, &run, 0);
    expect_pins(&trace.port, 0, wanted, sizeof wanted / sizeof *wanted);
}

/* Tracing turns on among the transfers of LDM, beneath which another instruction begins: the packet has
 * both addresses, the second as a branch from the first [ETM2-6.5.5-a, -b] */
static void test_lsm_in_progress(void **state)
{
    static const struct pins wanted[] = {
        {SW_TD, 0x00}, {SW_TD, 0x00}, {SW_TD, 0x09}, {SW_DE, 0xa0}, {SW_WT, 0x00}, {SW_WT, 0x80},
        {SW_WT, 0x00}, {SW_WT, 0x00}, {SW_WT, 0x03}, {SW_WT, 0x26}, {SW_WT, 0x12}, {SW_TD, 0x00},
    };
    struct sw_cycle *cycle;

    (void)state;
    begin_run(&(struct sw_settings){.pins = 8, .depth = DEPTH, .sync = 1024, .has_values = true});
    add_cycle(false);
    add_executed(&multiple)->is_enabled = false;
    add_cycle(false)->open = 0;
    cycle = add_executed(&plain);
    cycle->open = 0;
    add_transfer(cycle, 0x20000004, 0x12);
    run.items[0].owner = 0;
    for (unsigned i = 0; i < 8; i++)
        add_cycle(false);
    sw_trace_run(&trace, &run, 0);
    expect_pins(&trace.port, 0, wanted, sizeof wanted / sizeof *wanted);
}

/* Three words of LDM, of which ViewData leaves out the second, in one group: C in all but the last, A in
 * the first [ETM2-6.2-e, ETM2-6.4.1-h, -i, ETM2-6.4.4-a, -b] */
static void test_partial_lsm(void **state)
{
    static const unsigned wanted[] = {0xa6, 0x11, 0xea, 0x06, 0x22};
    struct sw_cycle *cycle;

    (void)state;
    begin_run(&(struct sw_settings){.pins = 8, .depth = DEPTH, .sync = 1024, .has_values = true});
    add_cycle(false);
    for (unsigned i = 0; i < 5; i++)
        add_executed(&plain);
    cycle = add_executed(&multiple);
    add_transfer(cycle, 0x20000000, 0x11);
    add_transfer(cycle, 0x20000004, 0x33);
    add_transfer(cycle, 0x20000008, 0x22);
    run.items[1].is_viewed = false;
    for (unsigned i = 0; i < 6; i++)
        add_cycle(false);
    sw_trace_run(&trace, &run, 0);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(trace.samples[4 * (6 + i)], i == 0 ? SW_DE : SW_WT);
        assert_int_equal(trace.samples[4 * (6 + i) + 2], wanted[i]);
    }
    assert_int_equal(trace.samples[4 * 11], SW_TD);
}

/* Debug state ends tracing, the FIFO drains, and the TFO behind it has reason 3 [ETM2-6.5.4-b] */
static void test_debug_exit(void **state)
{
    static const struct pins wanted[] = {
        {SW_TD, 0x09}, {SW_IE, 0x20}, {SW_WT, 0x00}, {SW_WT, 0x80}, {SW_WT, 0x00},
        {SW_WT, 0x00}, {SW_TD, 0x00}, {SW_TD, 0x09}, {SW_IE, 0x60}, {SW_WT, 0x04},
    };

    (void)state;
    begin_run(
        &(struct sw_settings){.pins = 8, .depth = DEPTH, .sync = 1024, .is_cycle_accurate = true});
    add_cycle(false);
    add_executed(&plain);
    for (unsigned i = 0; i < 6; i++)
        add_cycle(true)->is_debug = true;
    add_executed(&plain);
    add_cycle(true);
    sw_trace_run(&trace, &run, 0);
    expect_pins(&trace.port, 0, wanted, sizeof wanted / sizeof *wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_vector),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_phantoms),
        cmocka_unit_test(test_late_value),
        cmocka_unit_test(test_branch_out_of_trace),
        cmocka_unit_test(test_lsm_in_progress),
        cmocka_unit_test(test_partial_lsm),
        cmocka_unit_test(test_debug_exit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
