/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "second_unit.h"

#define SSCS_MASK UINT64_C(0xc0000000)
#define RSR_MASK UINT64_C(0x1f0f)
#define RSR_TA UINT64_C(0x1000)
#define ALL_RESOLVED (SECOND_UNRESOLVED * 3 / 4) /* what is older than so many is resolved */

struct mark {
    uint64_t unit, second, pc;
    unsigned context;
    bool prohibited;
};

bool second_tells;

static struct {
    const struct second_program *program;
    struct second_difference *difference;
    bool differs;
    struct cairn_unit *unit;
    struct second model;
    size_t step;

    /* the PE */
    uint64_t pc, behind_tstart;
    unsigned context;
    bool prohibited, low, debug, inside;
    struct mark marks[SECOND_UNRESOLVED];
    size_t mark_count, cancellable; /* those from here on */

    /* what the unit gave */
    struct second_output outputs[SECOND_OUTPUTS];
    size_t output_count, outputs_compared;
    uint8_t elements[SECOND_OUTPUTS];
    size_t element_count, elements_compared;
    uint64_t traced, exceptions;
} run;

/* --- comparing --- */

static void differ(const char *what, uint64_t unit, uint64_t second)
{
    if (run.differs)
        return;
    run.differs = true;
    run.difference->step = run.step;
    snprintf(run.difference->what, sizeof run.difference->what,
             "%s: the unit has %#" PRIx64 ", the second model %#" PRIx64, what, unit, second);
}

static void expect(const char *what, uint64_t unit, uint64_t second)
{
    if (unit != second)
        differ(what, unit, second);
}

/* FNV-1a, by words. */
static void note_outcome(uint64_t value)
{
    run.difference->outcome = (run.difference->outcome ^ value) * UINT64_C(0x100000001b3);
}

static void note_outputs(void *context, uint64_t clock, uint32_t events)
{
    (void)context;
    if (run.output_count == SECOND_OUTPUTS) {
        differ("so many External Outputs", SECOND_OUTPUTS, run.model.output_count);
        return;
    }
    run.outputs[run.output_count].clock = clock;
    run.outputs[run.output_count++].events = events & 0xf;
}

static void note_element(void *context, unsigned kind, uint16_t flags,
                         const struct cairn_element_data *data)
{
    (void)context;
    (void)flags;
    if (kind != CAIRN_ELEMENT_EVENT)
        return;
    if (run.element_count == SECOND_OUTPUTS) {
        differ("so many Event elements", SECOND_OUTPUTS, run.model.element_count);
        return;
    }
    run.elements[run.element_count++] = (uint8_t)data->value;
}

/* What both have given; one of them may be ahead until the unit is disabled. */
static void compare_outputs(void)
{
    while (run.outputs_compared < run.output_count &&
           run.outputs_compared < run.model.output_count) {
        const struct second_output *unit = &run.outputs[run.outputs_compared];
        const struct second_output *second = &run.model.outputs[run.outputs_compared++];

        expect("the clock of an ETEEvent", unit->clock, second->clock);
        expect("ETEEvents", unit->events, second->events);
    }
    while (!run.program->overflows && run.elements_compared < run.element_count &&
           run.elements_compared < run.model.element_count) {
        expect("the number of an Event element", run.elements[run.elements_compared],
               run.model.elements[run.elements_compared]);
        run.elements_compared++;
    }
}

static void compare_register(const char *name, uint64_t mask, uint64_t second)
{
    uint64_t unit = 0;

    if (cairn_unit_read(run.unit, name, &unit) != CAIRN_OK)
        differ(name, UINT64_MAX, second);
    expect(name, unit & mask, second & mask);
}

static void compare_state(void)
{
    const struct second_registers *reg = &run.model.reg;
    static const char *const counters[] = {"TRCCNTVR0", "TRCCNTVR1", "TRCCNTVR2", "TRCCNTVR3"};
    static const char *const shots[] = {"TRCSSCSR0", "TRCSSCSR1", "TRCSSCSR2", "TRCSSCSR3",
                                        "TRCSSCSR4", "TRCSSCSR5", "TRCSSCSR6", "TRCSSCSR7"};

    for (unsigned n = 0; n < 4; n++)
        compare_register(counters[n], UINT64_MAX, reg->cntvr[n]);
    compare_register("TRCSEQSTR", UINT64_MAX, reg->seqstr);
    for (unsigned n = 0; n < 8; n++)
        compare_register(shots[n], SSCS_MASK, reg->sscs[n]);
    compare_register("TRCRSR", run.program->overflows ? RSR_MASK & ~RSR_TA : RSR_MASK, reg->rsr);
    compare_register("TRCVICTLR", UINT64_MAX, reg->victlr);
}

static void note_outcomes(void)
{
    const struct second_registers *reg = &run.model.reg;

    for (size_t i = 0; i < run.model.element_count; i++)
        note_outcome(run.model.elements[i]);
    for (unsigned n = 0; n < 4; n++)
        note_outcome(reg->cntvr[n]);
    for (unsigned n = 0; n < 8; n++)
        note_outcome(reg->sscs[n]);
    note_outcome(reg->seqstr);
    note_outcome(reg->victlr);
}

static void compare_all(void)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    compare_outputs();
    expect("how many clocks with ETEEvents", run.output_count, run.model.output_count);
    compare_state();
    note_outcomes();
    cairn_unit_counters(run.unit, &counters);
    if (!run.program->overflows) {
        expect("how many Event elements", run.element_count, run.model.element_count);
        expect("overflows", counters.overflows, 0);
    }
    run.model.deeds[SECOND_OVERFLOWED] += counters.overflows != 0;
    expect("the unit's status", (uint64_t)cairn_unit_status(run.unit), CAIRN_OK);
}

/* --- what is told --- */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;

    if (!second_tells)
        return;
    printf("#   step %zu, clock %" PRIu64 ": ", run.step, run.model.clock);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

static void tell_context(unsigned index)
{
    const struct second_context *is = &second_contexts[index];
    struct cairn_context context = {.EL = (uint8_t)is->level,
                                    .security = CAIRN_NONSECURE,
                                    .SF = 1,
                                    .vmid = is->vmid,
                                    .context_id = is->context_id};

    if (is->security == SECOND_SECURE)
        context.security = CAIRN_SECURE;
    say("context: %s EL%u, context id %#" PRIx32 ", vmid %#" PRIx32,
        is->security == SECOND_SECURE ? "Secure" : "Non-secure", is->level, is->context_id,
        is->vmid);
    run.context = index;
    run.model.context = *is;
    cairn_unit_context(run.unit, &context);
}

static void tell_resolve_all(void)
{
    say("resolve all");
    expect("resolving", (uint64_t)cairn_unit_resolve(run.unit, cairn_unit_mark(run.unit)),
           CAIRN_OK);
    second_resolve(&run.model, second_mark(&run.model));
    run.mark_count = run.cancellable = 0;
}

static void note_mark(void)
{
    struct mark *mark = &run.marks[run.mark_count];

    if (!run.model.speculative || run.low || run.debug)
        return;
    if (run.mark_count == ALL_RESOLVED || run.model.unresolved >= ALL_RESOLVED) {
        tell_resolve_all();
        mark = &run.marks[0];
    }
    mark->unit = cairn_unit_mark(run.unit);
    mark->second = second_mark(&run.model);
    mark->pc = run.pc;
    mark->context = run.context;
    mark->prohibited = run.prohibited;
    run.mark_count++;
}

static void tell_block(const struct cairn_block *block, bool taken)
{
    const struct second_block seen = {block->address, block->count,
                                      block->kind != CAIRN_INSN_OTHER};
    struct cairn_unit_counters counters = {.size = sizeof counters};
    enum second_verdict verdict = SECOND_EITHER;
    bool traced = false;

    note_mark();
    cairn_unit_execute(run.unit, block, taken);
    cairn_unit_counters(run.unit, &counters);
    traced = counters.traced != run.traced;
    verdict = second_execute(&run.model, &seen);
    if (verdict != SECOND_EITHER && !run.program->overflows)
        expect("instructions traced of the block", counters.traced - run.traced,
               verdict == SECOND_TRACED ? block->count : 0);
    say("%s block at %#" PRIx64 ", instructions: %u%s; %s", seen.p0 ? "P0" : "other",
        block->address, block->count, taken ? ", taken" : "",
        verdict == SECOND_TRACED   ? "traced"
        : verdict == SECOND_EITHER ? "either"
                                   : "not traced");
    note_outcome(traced);
    run.traced = counters.traced;
    second_settle(&run.model, &seen, traced);
}

static void execute(enum cairn_insn_kind kind, uint32_t value)
{
    static const uint8_t kinds[8] = {CAIRN_INSN_OTHER,           CAIRN_INSN_OTHER,
                                     CAIRN_INSN_BRANCH_DIRECT,   CAIRN_INSN_BRANCH_DIRECT,
                                     CAIRN_INSN_BRANCH_DIRECT,   CAIRN_INSN_BRANCH_DIRECT,
                                     CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ISB};
    const uint64_t target = CODE_AT + 4 * (value >> 6 & (CODE_INSTRUCTIONS - 1));
    const bool outside = run.pc + 16 >= CODE_AT + 4 * CODE_INSTRUCTIONS;
    struct cairn_block block = {.address = run.pc,
                                .count = 1 + (value & 3),
                                .isa = CAIRN_ISA_A64,
                                .kind = (uint8_t)kind,
                                .last_size = 4,
                                .target_isa = CAIRN_ISA_A64};
    bool branches = false, taken = false;

    if (kind == CAIRN_INSN_OTHER)
        block.kind = outside ? CAIRN_INSN_BRANCH_DIRECT : kinds[value >> 2 & 7];
    block.size = 4 * block.count;
    if (block.kind == CAIRN_INSN_BRANCH_DIRECT)
        block.target = target;
    branches = block.target || block.kind == CAIRN_INSN_BRANCH_INDIRECT;
    taken = block.target ? (value >> 5 & 1) || outside : block.kind != CAIRN_INSN_OTHER;
    tell_block(&block, taken);
    run.pc = branches && taken ? target : block.address + block.size;
}

static void tell_exception(unsigned type, uint32_t value)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    bool traced = false;

    note_mark();
    cairn_unit_exception(run.unit, type, run.pc, CAIRN_ISA_A64);
    cairn_unit_counters(run.unit, &counters);
    traced =
        second_exception(&run.model, type == CAIRN_EXCEPTION_SYSTEM_ERROR ? SECOND_SYSTEM_ERROR
                                     : type == CAIRN_EXCEPTION_PE_RESET   ? SECOND_PE_RESET
                                                                          : SECOND_OTHER_EXCEPTION);
    if (!run.program->overflows)
        expect("exceptions traced", counters.exceptions - run.exceptions, traced);
    say("exception %u; %straced", type, traced ? "" : "not ");
    note_outcome(traced);
    run.exceptions = counters.exceptions;
    run.pc = CODE_AT + 4 * (value >> 6 & (CODE_INSTRUCTIONS - 1));
}

static void tell_debug(bool debug, uint32_t value)
{
    if (debug == run.debug || run.prohibited || run.low || run.inside)
        return;
    if (debug)
        tell_exception(CAIRN_EXCEPTION_DEBUG_HALT, value);
    run.debug = debug;
    run.cancellable = run.mark_count;
    say("Debug state: %d", debug);
    cairn_unit_debug_state(run.unit, debug);
    second_debug_state(&run.model, debug);
}

static void tell_low_power(bool low)
{
    if (low == run.low || run.debug || run.inside)
        return;
    run.low = low;
    run.cancellable = run.mark_count;
    say("low power: %d", low);
    cairn_unit_low_power(run.unit, low);
    second_low_power(&run.model, low);
}

static void tell_prohibited(bool prohibited)
{
    if (prohibited == run.prohibited || run.debug || run.low)
        return;
    run.prohibited = prohibited;
    say("prohibited: %d", prohibited);
    cairn_unit_prohibit(run.unit, prohibited);
    second_prohibit(&run.model, prohibited);
}

static void tell_cycles(uint64_t cycles)
{
    say("cycles: %" PRIu64, cycles);
    cairn_unit_cycles(run.unit, cycles);
    second_cycles(&run.model, cycles);
}

static void tell_inputs(uint32_t levels)
{
    say("inputs: %#" PRIx32, levels);
    cairn_unit_inputs(run.unit, levels);
    second_inputs(&run.model, levels);
}

static void tell_pmu_event(uint32_t value)
{
    const unsigned number = second_pmu_numbers[value % PMU_EVENTS];

    say("PMU event %#x", number);
    cairn_unit_pmu_event(run.unit, number);
    second_pmu_event(&run.model, number);
}

/* --- speculation and transactions --- */

static void tell_speculate(bool speculative)
{
    say("speculative: %d", speculative);
    if (!speculative)
        run.mark_count = run.cancellable = 0;
    cairn_unit_speculate(run.unit, speculative);
    second_speculate(&run.model, speculative);
}

static void tell_resolve(uint32_t value)
{
    struct mark mark;
    size_t kept = 0;

    if (!run.mark_count)
        return;
    mark = run.marks[value % run.mark_count];
    say("resolve what was before mark %" PRIu64, mark.second);
    expect("resolving", (uint64_t)cairn_unit_resolve(run.unit, mark.unit), CAIRN_OK);
    second_resolve(&run.model, mark.second);
    for (size_t i = 0; i < run.mark_count; i++)
        if (run.marks[i].unit >= mark.unit)
            run.marks[kept++] = run.marks[i];
    run.cancellable -=
        run.mark_count - kept < run.cancellable ? run.mark_count - kept : run.cancellable;
    run.mark_count = kept;
}

static void tell_cancel(uint32_t value)
{
    const struct mark *mark = NULL;

    if (run.mark_count == run.cancellable || run.low || run.debug)
        return;
    run.mark_count = run.cancellable + value % (run.mark_count - run.cancellable);
    mark = &run.marks[run.mark_count];
    say("cancel what was behind mark %" PRIu64, mark->second);
    expect("cancelling", (uint64_t)cairn_unit_cancel(run.unit, mark->unit), CAIRN_OK);
    second_cancel(&run.model, mark->second);
    run.pc = mark->pc;
    tell_context(mark->context);
    tell_prohibited(mark->prohibited);
}

static void tell_transaction_start(uint32_t value)
{
    if (run.inside || run.prohibited || run.low || run.debug)
        return;
    execute(CAIRN_INSN_TSTART, value);
    tell_resolve_all();
    run.behind_tstart = run.pc;
    run.inside = true;
    say("transaction start");
    cairn_unit_transaction_start(run.unit);
    second_transaction(&run.model, SECOND_BEGIN);
    tell_resolve_all();
}

static void tell_transaction_end(bool commits, uint32_t value)
{
    if (!run.inside)
        return;
    tell_resolve_all();
    say("transaction %s", commits ? "commit" : "failure");
    if (commits)
        cairn_unit_transaction_commit(run.unit);
    else
        cairn_unit_transaction_fail(run.unit);
    second_transaction(&run.model, commits ? SECOND_COMMIT : SECOND_FAIL);
    tell_resolve_all();
    run.inside = false;
    if (!commits) {
        tell_prohibited(false);
        run.pc = run.behind_tstart;
        execute(CAIRN_INSN_OTHER, value);
    }
}

static void tell_aside(uint32_t value)
{
    switch (value & 3) {
    case 0: cairn_unit_flush(run.unit); break;
    case 1: cairn_unit_request_sync(run.unit); break;
    case 2: cairn_unit_synchronize_context(run.unit); break;
    default: cairn_unit_time(run.unit, value); break;
    }
}

/* --- sessions --- */

static void write_register(const char *name, uint64_t value)
{
    struct cairn_error error;

    say("%s = %#" PRIx64, name, value);
    if (cairn_unit_write(run.unit, name, value, &error) != CAIRN_OK)
        differ(name, UINT64_MAX, value);
}

/* State that software may program anew. */
static void program_state(uint32_t value)
{
    struct second_registers *reg = &run.model.reg;
    uint64_t random = value;
    const uint64_t bits = second_random(&random);

    if (bits & 1)
        write_register("TRCCNTVR1", reg->cntvr[1] = bits >> 8 & 7);
    if (bits & 2)
        write_register("TRCSEQSTR", reg->seqstr = bits >> 12 & 3);
    if (bits & 4)
        write_register("TRCSSCSR2", reg->sscs[2] = (uint32_t)(bits & SSCS_MASK));
    if (bits & 8)
        write_register("TRCRSR", reg->rsr = (uint32_t)(bits >> 16) & second_rsr_mask(run.program));
    if (bits & 16)
        write_register("TRCVICTLR", reg->victlr ^= 1u << 9);
}

static void end_session(void)
{
    say("disable");
    cairn_unit_disable(run.unit);
    second_disable(&run.model);
    run.mark_count = run.cancellable = 0;
    compare_all();
}

static void tell_disable(uint32_t value)
{
    end_session();
    if (run.inside && (value & 8))
        tell_transaction_end(false, value);
    tell_cycles(value & 3);
    if (value & 4)
        tell_pmu_event(value >> 8);
    program_state(value);
    if (value & 16)
        note_mark();
    if (value & 32 && !run.low && !run.debug)
        execute(CAIRN_INSN_OTHER, value >> 8);
    say("enable");
    cairn_unit_enable(run.unit);
    second_enable(&run.model);
}

static void tell_step(const struct second_step *step)
{
    static const uint8_t types[4] = {CAIRN_EXCEPTION_IRQ, CAIRN_EXCEPTION_SYSTEM_ERROR,
                                     CAIRN_EXCEPTION_PE_RESET, CAIRN_EXCEPTION_DATA_FAULT};
    const uint32_t value = step->value;
    const bool high = value & 1;

    switch (step->kind) {
    case STEP_EXECUTE:
        if (value >> 30 == 0) {
            tell_low_power(false);
            tell_debug(false, 0);
            tell_prohibited(false);
        }
        if (!run.low && !run.debug)
            execute(CAIRN_INSN_OTHER, value);
        break;
    case STEP_CYCLES: tell_cycles(value); break;
    case STEP_INPUTS:
        tell_inputs((value & value >> 4 & 0xf) | (value & value >> 8 & value >> 16 & 0xff00));
        break;
    case STEP_PMU_EVENT: tell_pmu_event(value); break;
    case STEP_ETE_EVENT:
        say("ETEEvent %" PRIu32, value & 3);
        cairn_unit_event(run.unit, value & 3);
        second_ete_event(&run.model, value & 3);
        break;
    case STEP_CONTEXT:
        if (!run.inside)
            tell_context(value % CONTEXTS);
        break;
    case STEP_EXCEPTION:
        if (!run.inside && !run.low && !run.debug)
            tell_exception(types[value & 3], value);
        break;
    case STEP_ASIDE: tell_aside(value); break;
    case STEP_PROHIBIT: tell_prohibited(high); break;
    case STEP_LOW_POWER: tell_low_power(high); break;
    case STEP_DEBUG: tell_debug(high, value); break;
    case STEP_DISABLE: tell_disable(value); break;
    case STEP_SPECULATE: tell_speculate(high); break;
    case STEP_RESOLVE: tell_resolve(value); break;
    case STEP_CANCEL: tell_cancel(value); break;
    case STEP_TRANSACTION_START: tell_transaction_start(value); break;
    case STEP_TRANSACTION_COMMIT: tell_transaction_end(true, value); break;
    case STEP_TRANSACTION_FAIL: tell_transaction_end(false, value); break;
    case STEP_KINDS: break;
    }
}

bool second_run(const struct second_program *program, struct second_difference *difference,
                unsigned deeds[SECOND_DEEDS])
{
    const bool fine = program->seed % 4 == 0 || !deeds; /* registers after each step */

    run.program = program;
    run.difference = difference;
    difference->outcome = 0;
    run.differs = run.prohibited = run.low = run.debug = run.inside = false;
    run.step = run.mark_count = run.cancellable = 0;
    run.output_count = run.outputs_compared = run.element_count = run.elements_compared = 0;
    run.traced = run.exceptions = 0;
    run.pc = CODE_AT;
    run.unit = second_unit(program, note_element, note_outputs);
    if (!run.unit) {
        differ("a legal program, which the unit refuses", 1, 0);
        return false;
    }
    second_begin(&run.model, &program->reg, &program->choices);
    tell_context(0);
    cairn_unit_enable(run.unit);
    second_enable(&run.model);
    if (program->speculative)
        tell_speculate(true);
    for (run.step = 0; run.step < program->step_count && !run.differs; run.step++) {
        tell_step(&program->steps[run.step]);
        compare_outputs();
        if (fine)
            compare_state();
    }
    end_session();
    cairn_unit_free(run.unit);
    if (deeds)
        memcpy(deeds, run.model.deeds, sizeof run.model.deeds);
    return !run.differs;
}
