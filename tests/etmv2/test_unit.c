/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace unit model beside the second writer, which shares nothing with it: the same random runs, cycle
 * by cycle, give the same pins.
 *
 * The second writer is told of a run as a whole. The model is told by a feed, which knows no targets, and
 * resources decide of its trace: so a run is first made one that a feed can tell.
 *   - the address that a branch leads to is known in the last cycle in front of the next instruction;
 *   - TraceEnable changes where an instruction begins, and ViewData with a transfer: they are external
 *     inputs 1 and 2, the trigger is input 3;
 *   - a cycle of TD that a capture device does not keep is in neither.
 * Compared is what is in front of the first place where the two may differ, and both are right:
 *   - the second writer takes up a load or store multiple in a cycle in which nothing begins, the model goes
 *     on with the next instruction: both are "as soon as possible" (IHI0014 6.10);
 *   - trace is to begin behind a cycle that still has the branch address of what was traced before, or part of
 *     the value of the TFO before: the second writer leaves an instruction out, the model puts a cycle in.
 *
 * usage: test_etmv2_unit [--seeds FROM COUNT] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/unit.h>

#include "trace.h"

enum {
    SEEDS = 200,
    INSTRUCTIONS = 400,
    ENABLED = 1 << 0, /* external inputs */
    VIEWED = 1 << 1,
    TRIGGERED = 1 << 2,
    TD_KEPT = 1,
    FIFO_MOST = 100,
    SAMPLE = 4,
    OFFSET_CYCLES = 4, /* of a TFO's value on 4 pins, a trigger and the gap nibble among them */
};

static unsigned first_seed = 1, seed_count = SEEDS;
static struct sw_run run;
static struct sw_trace trace;

/* --- a run that a feed can tell --- */

static bool begins(const struct sw_cycle *cycle)
{
    return cycle->instruction != SW_NONE || cycle->phantom != SW_NONE;
}

/* Moves the address of each branch behind the cycles in which nothing begins. What comes behind the last
 * instruction nobody knows. */
static void move_branches(void)
{
    for (uint32_t i = 0; i < run.cycle_count; i++) {
        const struct sw_cycle from = run.cycles[i];
        uint32_t to = i;

        if (!from.has_branch)
            continue;
        while (to + 1 < run.cycle_count && !begins(&run.cycles[to + 1]) &&
               !run.cycles[to + 1].is_debug)
            to++;
        run.cycles[i].has_branch = false;
        if (to + 1 == run.cycle_count)
            continue;
        run.cycles[to].has_branch = true;
        run.cycles[to].target = from.target;
        run.cycles[to].is_cancelling = from.is_cancelling;
        run.cycles[to].is_reset = from.is_reset;
        i = to;
    }
}

static void hold_enables(void)
{
    bool is_enabled = false;

    for (uint32_t i = 0; i < run.cycle_count; i++) {
        if (begins(&run.cycles[i]))
            is_enabled = run.cycles[i].is_enabled;
        run.cycles[i].is_enabled = is_enabled;
    }
}

static void draw(uint64_t seed)
{
    struct peer_random random = {.state = seed};
    struct sw_settings settings;

    sw_settings_draw(&settings, &random);
    settings.loads_pc_first = false; /* not modelled */
    settings.sizes_alone = false;
    settings.forgets_misses = true;
    settings.tells_context_twice = true;
    if (settings.depth > FIFO_MOST)
        settings.depth = FIFO_MOST;
    if (settings.sync <= settings.depth)
        settings.sync = settings.depth + 1;
    settings.data_phase = settings.sync / 2;
    sw_run_draw(&run, &settings, seed, INSTRUCTIONS);
    move_branches();
    hold_enables();
    sw_trace_run(&trace, &run, 0);
    if (peer_random_percent(&random, 50) && sw_trigger_at_tfo(&run, &trace, &random))
        sw_trace_run(&trace, &run, 0);
}

/* --- the model --- */

static struct {
    struct cairn_unit *unit;
    uint8_t samples[SW_SAMPLES_BYTES];
    size_t size;
    uint32_t inputs;
    struct cairn_unit_counters counters;
} model;

static cairn_status keep(void *closure, const uint8_t *bytes, size_t size)
{
    (void)closure;
    if (model.size + size > sizeof model.samples)
        return CAIRN_E_LIMIT;
    memcpy(model.samples + model.size, bytes, size);
    model.size += size;
    return CAIRN_OK;
}

static void begin_model(void)
{
    /* the event "external input n": resource type 6, index n - 1 (3.3.1) */
    const struct cairn_register registers[] = {
        {"ETMCR", sw_control(&run.settings)},
        {"ETMIDR", sw_id(&run.settings)},
        {"ETMSYNCFR", run.settings.sync},
        {"ETMTEEVR", 0x60},
        {"ETMVDEVR", 0x61},
        {"ETMTRIGGER", 0x62},
    };
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_error error = {.status = CAIRN_OK};

    options.protocol = CAIRN_PROTOCOL_ETMV2;
    options.arch = (struct cairn_arch){CAIRN_PROFILE_A, 5, 0, 0};
    options.registers = registers;
    options.register_count = sizeof registers / sizeof *registers;
    options.choices = CAIRN_UNIT_FOLD_BRANCHES;
    options.fifo_bytes = run.settings.depth;
    options.sink = keep;
    model.size = 0;
    model.inputs = 0;
    if (cairn_unit_new(&options, &model.unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    cairn_unit_enable(model.unit);
}

static void set_input(uint32_t input, bool level)
{
    const uint32_t inputs = level ? model.inputs | input : model.inputs & ~input;

    if (inputs != model.inputs)
        cairn_unit_inputs(model.unit, inputs);
    model.inputs = inputs;
}

static void tell_context(uint32_t id)
{
    const struct cairn_context context = {.security = CAIRN_NONSECURE, .context_id = id};

    cairn_unit_context(model.unit, &context);
}

/* The next branch address of the instruction, if an exception is why. */
static bool leads_to_vector(uint32_t from, bool *cancels)
{
    for (uint32_t i = from; i < run.cycle_count && (i == from || !begins(&run.cycles[i])); i++)
        if (run.cycles[i].has_branch) {
            *cancels = run.cycles[i].is_cancelling;
            return true;
        }
    return false;
}

static unsigned transfers_of(uint32_t number)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < run.item_count; i++)
        count += run.items[i].owner == number &&
                 (run.items[i].kind == SW_TRANSFER || run.items[i].kind == SW_MISS);
    return count;
}

static unsigned kind_of(const struct sw_insn *insn, bool is_excepted)
{
    if (is_excepted || insn->has_aborted)
        return CAIRN_INSN_OTHER;
    switch (insn->slot->what) {
    case SW_DIRECT:
    case SW_BL_SECOND: return CAIRN_INSN_BRANCH_DIRECT;
    case SW_INDIRECT: return CAIRN_INSN_BRANCH_INDIRECT;
    case SW_LOAD: return insn->slot->loads_pc ? CAIRN_INSN_BRANCH_INDIRECT : CAIRN_INSN_OTHER;
    default: return CAIRN_INSN_OTHER;
    }
}

static void tell_instruction(uint32_t number, bool is_cancelled)
{
    const struct sw_insn *insn = &run.instructions[number];
    const struct cairn_block block = {
        .address = insn->place.address,
        .target = insn->slot->target.address,
        .size = insn->slot->size,
        .count = 1,
        .isa = insn->place.is_thumb ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
        .kind = (uint8_t)kind_of(insn, is_cancelled),
        .last_size = insn->slot->size,
        .target_isa = insn->slot->target.is_thumb ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
    };

    cairn_unit_execute(model.unit, &block, insn->has_passed);
    if (insn->is_data && transfers_of(number) > 0)
        cairn_unit_data_pending(model.unit, transfers_of(number));
}

static void tell_item(const struct sw_item *item)
{
    struct cairn_unit_transfer transfer = {item->address, item->value, 4, 0};

    switch (item->kind) {
    case SW_NEW_CONTEXT: tell_context(item->value); return;
    case SW_RETURN:
        transfer.flags = CAIRN_UNIT_DATA_RETURNED | CAIRN_UNIT_DATA_TAG(item->tag);
        break;
    case SW_MISS: transfer.flags = CAIRN_UNIT_DATA_MISSED | CAIRN_UNIT_DATA_TAG(item->tag); break;
    case SW_TRANSFER: transfer.flags = item->is_register ? CAIRN_UNIT_DATA_COPROCESSOR : 0; break;
    }
    if (item->kind != SW_RETURN)
        set_input(VIEWED, item->is_viewed);
    if (item->kind != SW_RETURN || !item->is_second)
        cairn_unit_data(model.unit, &transfer);
}

/* Where the instruction before leads, if that is an exception's vector. */
static void tell_exception(const struct sw_cycle *cycle, const struct sw_insn *last)
{
    static const unsigned cancelling[] = {CAIRN_EXCEPTION_PE_RESET,
                                          0,
                                          0,
                                          CAIRN_EXCEPTION_INST_FAULT,
                                          CAIRN_EXCEPTION_SYSTEM_ERROR,
                                          0,
                                          CAIRN_EXCEPTION_IRQ,
                                          CAIRN_EXCEPTION_FIQ};
    static const unsigned others[] = {
        0, CAIRN_EXCEPTION_TRAP, CAIRN_EXCEPTION_CALL, 0, CAIRN_EXCEPTION_DATA_FAULT, 0, 0, 0};
    const unsigned vector = cycle->target.address >> 2 & 7;
    const bool is_call = last->slot->what == SW_SVC && !cycle->is_cancelling;

    if (!cycle->is_cancelling && !last->has_aborted && last->slot->what != SW_SVC &&
        last->slot->what != SW_UNDEFINED)
        return;
    cairn_unit_exception(model.unit, cycle->is_cancelling ? cancelling[vector] : others[vector],
                         last->place.address + (is_call ? last->slot->size : 0),
                         last->place.is_thumb ? CAIRN_ISA_T32 : CAIRN_ISA_A32);
}

static uint32_t tell_cycle(uint32_t n, uint32_t last, bool *in_debug)
{
    const struct sw_cycle *cycle = &run.cycles[n];
    const bool is_begin = n == 0 || !run.cycles[n - 1].is_debug;

    if (cycle->is_debug && is_begin && last != SW_NONE)
        cairn_unit_exception(
            model.unit, CAIRN_EXCEPTION_DEBUG_HALT,
            n > 0 && run.cycles[n - 1].has_branch ? run.cycles[n - 1].target.address : 0,
            n > 0 && run.cycles[n - 1].target.is_thumb ? CAIRN_ISA_T32 : CAIRN_ISA_A32);
    if (cycle->is_debug != *in_debug)
        cairn_unit_debug_state(model.unit, cycle->is_debug);
    *in_debug = cycle->is_debug;
    if (begins(cycle))
        set_input(ENABLED, cycle->is_enabled);
    set_input(TRIGGERED, cycle->is_trigger);
    if (cycle->phantom != SW_NONE)
        tell_instruction(cycle->phantom, false);
    if (cycle->instruction != SW_NONE) {
        bool cancels = false;
        const bool leads = leads_to_vector(n, &cancels);

        tell_instruction(cycle->instruction, leads && cancels);
        last = cycle->instruction;
    }
    for (uint32_t i = 0; i < cycle->item_count; i++)
        tell_item(&run.items[cycle->first_item + i]);
    cairn_unit_cycles(model.unit, 1);
    if (cycle->has_branch && last != SW_NONE)
        tell_exception(cycle, &run.instructions[last]);
    return last;
}

static void run_model(void)
{
    uint32_t last = SW_NONE;
    bool in_debug = false;

    begin_model();
    tell_context(run.first_context);
    for (uint32_t n = 0; n < run.cycle_count; n++)
        last = tell_cycle(n, last, &in_debug);
    cairn_unit_flush(model.unit);
    assert_int_equal(cairn_unit_status(model.unit), CAIRN_OK);
    model.counters.size = sizeof model.counters;
    cairn_unit_counters(model.unit, &model.counters);
    cairn_unit_free(model.unit);
}

/* --- comparing --- */

/* How many of the second writer's cycles are in front of the first in which the two may differ. */
static size_t comparable_cycles(void)
{
    bool is_on = false;
    uint32_t last_tfo = 0;

    for (uint32_t i = 0; i < trace.said_count; i++) {
        const struct sw_said *said = &trace.said[i];
        const struct sw_cycle *next = &run.cycles[said->sample + 1];
        const bool is_branch = said->kind == SW_SAID_BRANCH || said->kind == SW_SAID_CANCELLED;

        if (said->sample + 1 >= run.cycle_count)
            break;
        if (said->kind == SW_SAID_ON && !begins(next))
            return said->sample;
        if (is_branch && !is_on && begins(next) && next->is_enabled)
            return said->sample + 1;
        if (said->kind == SW_SAID_OFF && is_on && said->sample <= last_tfo + OFFSET_CYCLES)
            return said->sample;
        if (said->kind == SW_SAID_ON || said->kind == SW_SAID_PERIODIC)
            last_tfo = said->sample;
        is_on = (is_on || said->kind == SW_SAID_ON) && said->kind != SW_SAID_OFF &&
                said->kind != SW_SAID_LOST;
    }
    return trace.port.size / SAMPLE;
}

static bool is_kept(const uint8_t *sample)
{
    return sample[0] != SW_TD || (sample[2] & TD_KEPT);
}

static void show_sample(const char *who, const uint8_t *sample)
{
    printf("# %s %x %02x%02x", who, sample[0], sample[3], sample[2]);
}

/* The cycles in front of the one that differs, and what the run had in them. */
static void show_difference(size_t cycle, size_t at)
{
    for (size_t i = cycle < 12 ? 0 : cycle - 12; i <= cycle + 2 && i < run.cycle_count; i++) {
        const struct sw_cycle *was = &run.cycles[i];

        show_sample("second writer", trace.samples + SAMPLE * i);
        printf("  begins %d phantom %d items %u open %d branch %d enabled %d debug %d trigger %d\n",
               was->instruction != SW_NONE, was->phantom != SW_NONE, was->item_count,
               was->open != SW_NONE, was->has_branch, was->is_enabled, was->is_debug,
               was->is_trigger);
    }
    for (size_t i = at < 12 * SAMPLE ? 0 : at - 12 * SAMPLE; i <= at + 8 && i < model.size;
         i += SAMPLE) {
        show_sample("model        ", model.samples + i);
        printf("\n");
    }
}

static size_t compared_cycles, all_cycles, overflows, exceptions;

static void compare(uint64_t seed)
{
    const size_t cycles = comparable_cycles();
    size_t at = 0;

    for (size_t i = 0; i < cycles; i++) {
        const uint8_t *wanted = trace.samples + SAMPLE * i;

        if (!is_kept(wanted))
            continue;
        if (at + SAMPLE > model.size || memcmp(model.samples + at, wanted, SAMPLE) != 0) {
            show_difference(i, at);
            fail_msg("seed %u, cycle %u of %u: %x %02x%02x, but the second writer has %x %02x%02x",
                     (unsigned)seed, (unsigned)i, (unsigned)cycles, model.samples[at],
                     model.samples[at + 3], model.samples[at + 2], wanted[0], wanted[3], wanted[2]);
        }
        at += SAMPLE;
    }
    compared_cycles += cycles;
    all_cycles += trace.port.size / SAMPLE;
    overflows += (size_t)model.counters.overflows;
    exceptions += (size_t)model.counters.exceptions;
}

static void test_same_pins(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
        draw(seed);
        run_model();
        compare(seed);
    }
    printf("# %zu of %zu cycles, %zu overflows, %zu exceptions\n", compared_cycles, all_cycles,
           overflows, exceptions);
    assert_true(compared_cycles >= all_cycles / 2);
    assert_true(overflows >= seed_count / 4 && exceptions >= seed_count);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_pins)};

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        first_seed = (unsigned)strtoul(argv[2], NULL, 0);
        seed_count = (unsigned)strtoul(argv[3], NULL, 0);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
