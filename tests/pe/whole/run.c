/* SPDX-License-Identifier: BSD-2-Clause */
#include "runner.h"

#include <stdio.h>
#include <string.h>

#include <cairn/unit.h>

enum {
    IRQ_PERCENT = 12,
    HALT_PERCENT = 2,
    CONTROL_PERCENT = 6,
    FAILURE_PERCENT = 8,
    LAST_WORD = WHOLE_WORDS - 1,
};
/* What a transaction fails with: MEM, and retrying may help. */
#define RESULT (UINT64_C(1) << 15 | UINT64_C(1) << 17)

/* --- where bytes go --- */

static cairn_status take(struct whole_run *run, size_t at, const uint8_t *bytes, size_t size)
{
    if (at > sizeof run->bytes || size > sizeof run->bytes - at)
        return CAIRN_E_LIMIT;
    memcpy(run->bytes + at, bytes, size);
    run->size = run->size > at + size ? run->size : at + size;
    return CAIRN_OK;
}

static cairn_status bus(void *context, const uint8_t *bytes, size_t size)
{
    struct whole_runner *r = context;

    return take(r->run, r->run->size, bytes, size);
}

static void memory(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct whole_runner *r = context;

    if (address < WHOLE_BUFFER ||
        take(r->run, (size_t)(address - WHOLE_BUFFER), bytes, size) != CAIRN_OK)
        snprintf(r->run->error, sizeof r->run->error, "trace is written outside the buffer");
}

/* --- execution --- */

static uint64_t here(const struct whole_runner *r)
{
    return whole_address(r->level, r->word);
}

static struct cairn_context context_of(const struct whole_runner *r, unsigned level)
{
    const bool secure = r->settings->secure || level == 3;

    return (struct cairn_context){
        .EL = (uint8_t)level, .security = secure ? CAIRN_SECURE : CAIRN_NONSECURE, .SF = 1};
}

static void go(struct whole_runner *r, unsigned level, unsigned word)
{
    const unsigned traced = whole_traced(r->settings);

    r->arrived = !whole_bit(traced, r->level) && whole_bit(traced, level);
    r->level = level;
    r->word = word;
}

struct whole_event *whole_note(struct whole_runner *r, enum whole_deed deed)
{
    static struct whole_event dropped;
    struct whole_list *truth = &r->run->truth;
    const struct whole_event event = {.clock = r->clock,
                                      .deed = (uint8_t)deed,
                                      .from = (uint8_t)r->level,
                                      .to = (uint8_t)r->level,
                                      .transactional = r->transaction.depth > 0};

    whole_add(truth, &event);
    truth->deeds[deed]++;
    return truth->full ? &dropped : &truth->events[truth->count - 1];
}

static struct whole_event *happen(struct whole_runner *r, uint64_t source, unsigned type,
                                  unsigned level, unsigned word)
{
    struct whole_event *event = whole_note(r, WHOLE_BRANCH);

    event->source = source;
    event->target = whole_address(level, word);
    event->type = (uint8_t)type;
    event->to = (uint8_t)level;
    return event;
}

/* Some cycles pass, now and then many, and something happens. */
static void pass(struct whole_runner *r)
{
    const uint64_t cycles = whole_percent(&r->state, 98) ? 1 + whole_below(&r->state, 40)
                                                         : whole_below(&r->state, 1u << 19);

    cairn_pe_cycles(r->pe, cycles);
    r->clock += cycles;
    cairn_pe_time(r->pe, r->clock);
}

/* One of the levels that are used, from `low` to `high`. */
static unsigned draw_level(struct whole_runner *r, unsigned low, unsigned high)
{
    unsigned levels[WHOLE_LEVELS], count = 0;

    for (unsigned level = low; level <= high; level++)
        if (whole_bit(whole_used(r->settings), level))
            levels[count++] = level;
    return levels[whole_below(&r->state, count)];
}

static void except(struct whole_runner *r, unsigned type, unsigned level, unsigned word)
{
    const struct cairn_pe_exception exception = {.size = sizeof exception,
                                                 .type = type,
                                                 .address = here(r),
                                                 .vector = whole_address(level, word),
                                                 .isa = CAIRN_ISA_A64,
                                                 .to = context_of(r, level)};

    pass(r);
    r->run->truth.totals.exceptions++;
    happen(r, exception.address, 0x20 | type, level, word);
    r->saved[level].level = (uint8_t)r->level;
    r->saved[level].word = (uint16_t)r->word;
    r->saved[level].valid = true;
    cairn_pe_exception(r->pe, &exception);
    go(r, level, word);
}

static void execute(struct whole_runner *r, unsigned count, unsigned kind, uint32_t flags,
                    uint64_t target, bool taken)
{
    const struct cairn_block block = {.address = here(r),
                                      .target = target,
                                      .size = 4 * count,
                                      .count = count,
                                      .flags = flags,
                                      .isa = CAIRN_ISA_A64,
                                      .kind = (uint8_t)kind,
                                      .last_size = 4,
                                      .target_isa = CAIRN_ISA_A64};

    pass(r);
    cairn_pe_execute(r->pe, &block, taken);
    r->run->truth.totals.instructions += count;
    r->word += count;
    r->arrived = false;
}

/* What the instruction is, by the library's decoder. */
static struct cairn_insn decode(const struct whole_runner *r, unsigned word)
{
    const struct cairn_arch arch = cairn_arch_any_a();
    struct cairn_insn insn = {.kind = CAIRN_INSN_UNDEFINED};

    (void)cairn_insn_decode(&arch, CAIRN_ISA_A64, whole_address(r->level, word),
                            &r->program->bytes[r->level][4 * word], 4, &insn);
    return insn;
}

/* Nobody says, or it was right, or wrong. True: right. */
static bool predict(struct whole_runner *r)
{
    const enum cairn_pe_prediction how = (enum cairn_pe_prediction)whole_below(&r->state, 3);

    if (how != CAIRN_PE_NOT_PREDICTED)
        cairn_pe_predict(r->pe, how);
    r->run->truth.mispredicted += how == CAIRN_PE_MISPREDICTED;
    return how == CAIRN_PE_PREDICTED;
}

static void branch(struct whole_runner *r, unsigned count, enum whole_op op)
{
    const unsigned level = r->level, last = r->word + count - 1;
    const struct cairn_insn insn = decode(r, last);
    const bool direct = insn.kind == CAIRN_INSN_BRANCH_DIRECT;
    const bool taken = op != WHOLE_CONDITIONAL || whole_percent(&r->state, 50);
    unsigned word = direct ? r->program->targets[level][last] : whole_below(&r->state, WHOLE_WORDS);
    bool predicted;

    if (op == WHOLE_SUB_RETURN && r->depth[level] > 0 && whole_percent(&r->state, 80))
        word = r->calls[level][--r->depth[level]];
    if (insn.flags & CAIRN_INSN_LINK) {
        if (r->depth[level] == WHOLE_CALLS)
            r->depth[level] = 0;
        r->calls[level][r->depth[level]++] = (uint16_t)(last + 1);
    }
    predicted = predict(r);
    execute(r, count, insn.kind, insn.flags, direct ? whole_address(level, word) : 0, taken);
    r->run->truth.totals.branches++;
    if (!taken)
        return;
    happen(r, whole_address(level, last), whole_type(r->program, level, last), level, word)
        ->predicted = predicted;
    go(r, level, word);
}

static void barrier(struct whole_runner *r, unsigned count)
{
    const uint64_t source = whole_address(r->level, r->word + count - 1);

    execute(r, count, CAIRN_INSN_ISB, 0, 0, true);
    happen(r, source, CAIRN_BRANCH_DIRECT, r->level, r->word)->isb = true;
}

static void leave(struct whole_runner *r, unsigned count)
{
    const unsigned from = r->level, last = r->word + count - 1;
    unsigned level = draw_level(r, 0, from), word = whole_below(&r->state, WHOLE_WORDS);
    struct cairn_context to;
    bool predicted;

    if (r->saved[from].valid && whole_percent(&r->state, 80)) {
        level = r->saved[from].level;
        word = r->saved[from].word;
    }
    r->saved[from].valid = false;
    to = context_of(r, level);
    predicted = predict(r);
    execute(r, count, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET, 0, true);
    r->run->truth.totals.branches++;
    happen(r, whole_address(from, last), CAIRN_BRANCH_EXCEPTION_RETURN, level, word)->predicted =
        predicted;
    cairn_pe_return(r->pe, whole_address(level, word), &to);
    go(r, level, word);
}

/* A debugger stops the PE, and has it go on somewhere else. */
static void halt(struct whole_runner *r)
{
    const unsigned word = whole_below(&r->state, WHOLE_WORDS);
    unsigned level = r->level;
    struct cairn_context to;
    struct whole_event *event;

    pass(r);
    event = happen(r, here(r), CAIRN_BRANCH_DEBUG_HALT, r->level, 0);
    event->to = WHOLE_NOWHERE;
    event->target = 0;
    cairn_pe_halt(r->pe, here(r), CAIRN_ISA_A64);
    pass(r);
    if (whole_controls(r) && whole_percent(&r->state, 20))
        whole_invalidate(r);
    level = draw_level(r, 0, 3);
    to = context_of(r, level);
    event = happen(r, 0, CAIRN_BRANCH_DEBUG_EXIT, level, word);
    event->from = WHOLE_NOWHERE;
    cairn_pe_resume(r->pe, whole_address(level, word), &to);
    go(r, level, word);
    r->arrived = whole_bit(whole_traced(r->settings), level);
}

void whole_must(struct whole_runner *r, enum cairn_pe_answer answer)
{
    if (answer != CAIRN_PE_ANSWER_OK)
        snprintf(r->run->error, sizeof r->run->error, "an access at EL%u is answered with %d",
                 r->level, (int)answer);
}

/* --- transactions --- */

static void start(struct whole_runner *r, unsigned count)
{
    execute(r, count, CAIRN_INSN_TSTART, CAIRN_INSN_NEVER_N, 0, true);
    if (r->transaction.depth++ > 0)
        return;
    cairn_pe_transaction_start(r->pe);
    r->transaction.word = r->word;
    r->transaction.since = r->run->truth.count;
    r->transaction.before = r->run->truth.totals;
}

/* Outside of a transaction TCOMMIT is UNDEFINED; nothing here looks at that. */
static void commit(struct whole_runner *r, unsigned count)
{
    execute(r, count, CAIRN_INSN_OTHER, 0, 0, false);
    if (r->transaction.depth > 0 && --r->transaction.depth == 0)
        cairn_pe_transaction_commit(r->pe);
}

static void fail(struct whole_runner *r)
{
    struct whole_list *truth = &r->run->truth;
    const struct whole_totals *before = &r->transaction.before;

    pass(r);
    if (whole_controls(r) && whole_percent(&r->state, 30) &&
        cairn_pe_sys(r->pe, CAIRN_PE_BRB_IALL, 0) != CAIRN_PE_ANSWER_FAILS)
        snprintf(r->run->error, sizeof r->run->error, "BRB IALL is executed in a transaction");
    cairn_pe_transaction_fail(r->pe, here(r), RESULT);
    for (unsigned i = r->transaction.since; i < truth->count; i++)
        truth->events[i].undone = true;
    truth->undone.instructions += truth->totals.instructions - before->instructions;
    truth->undone.branches += truth->totals.branches - before->branches;
    truth->undone.exceptions += truth->totals.exceptions - before->exceptions;
    whole_note(r, WHOLE_FAILURE);
    r->transaction.depth = 0;
    r->word = r->transaction.word;
}

/* What no transaction survives, and now and then another PE's store. */
static bool is_failure(struct whole_runner *r, enum whole_op op)
{
    return r->transaction.depth > 0 &&
           (op == WHOLE_SVC || op == WHOLE_ERET || whole_percent(&r->state, FAILURE_PERCENT));
}

/* --- a step --- */

/* An interrupt, or Debug state, before one of these instructions. False: neither. */
static bool interrupt(struct whole_runner *r, unsigned count)
{
    const bool halts = r->settings->halts && whole_percent(&r->state, HALT_PERCENT);
    const unsigned before = whole_below(&r->state, count), low = r->level > 0 ? r->level : 1;

    if ((!halts && !whole_percent(&r->state, IRQ_PERCENT)) || (before == 0 && r->arrived))
        return false;
    if (before > 0)
        execute(r, before, CAIRN_INSN_OTHER, 0, 0, false);
    if (halts)
        halt(r);
    else
        except(r, CAIRN_EXCEPTION_IRQ, draw_level(r, low, 3), whole_below(&r->state, WHOLE_WORDS));
    return true;
}

static void step(struct whole_runner *r)
{
    const unsigned low = r->level > 0 ? r->level : 1;
    unsigned count = 0;
    enum whole_op op;

    do
        op = (enum whole_op)r->program->ops[r->level][r->word + count++];
    while (op == WHOLE_PLAIN);
    if (is_failure(r, op)) {
        if (count > 1)
            execute(r, count - 1, CAIRN_INSN_OTHER, 0, 0, false);
        fail(r);
        return;
    }
    if (r->transaction.depth == 0 && interrupt(r, count))
        return;
    if (r->transaction.depth == 0 && count > 1 && whole_controls(r) &&
        whole_percent(&r->state, CONTROL_PERCENT)) {
        execute(r, count - 1, CAIRN_INSN_OTHER, 0, 0, false);
        whole_control(r);
        return;
    }
    switch (op) {
    case WHOLE_PLAIN: break;
    case WHOLE_CONDITIONAL:
    case WHOLE_ALWAYS:
    case WHOLE_DIRECT:
    case WHOLE_DIRECT_CALL:
    case WHOLE_INDIRECT:
    case WHOLE_INDIRECT_CALL:
    case WHOLE_SUB_RETURN: branch(r, count, op); break;
    case WHOLE_ERET: leave(r, count); break;
    case WHOLE_SVC:
        execute(r, count, CAIRN_INSN_OTHER, 0, 0, false);
        except(r, CAIRN_EXCEPTION_CALL, r->level == 0 && r->settings->TGE ? 2 : low,
               whole_below(&r->state, WHOLE_WORDS));
        break;
    case WHOLE_ISB: barrier(r, count); break;
    case WHOLE_TSTART: start(r, count); break;
    case WHOLE_TCOMMIT: commit(r, count); break;
    }
}

static void run_steps(struct whole_runner *r, unsigned steps)
{
    const struct cairn_context start = context_of(r, 0);

    happen(r, 0, WHOLE_ARRIVAL, 0, 0)->from = WHOLE_NOWHERE;
    cairn_pe_enter(r->pe, &start);
    r->arrived = true;
    for (unsigned n = 0; n < steps || r->arrived; n++)
        step(r);
    if (r->transaction.depth > 0)
        fail(r);
    /* The last instruction is a P0 one, at which all is told. */
    except(r, CAIRN_EXCEPTION_IRQ, draw_level(r, r->level > 0 ? r->level : 1, 3), LAST_WORD);
    branch(r, 1, WHOLE_DIRECT);
    cairn_pe_settle(r->pe);
}

/* --- all of it --- */

static bool make(struct whole_runner *r, struct cairn_error *error)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;

    unit.arch = cairn_arch_any_a();
    unit.sink = bus;
    unit.sink_context = r;
    options.unit = &unit;
    options.memory = memory;
    options.context = r;
    options.order = r->settings->order;
    options.seed = r->state;
    options.branch_records = r->settings->records;
    if (!r->settings->has_TRBE)
        options.flags &= ~CAIRN_PE_HAS_TRBE;
    if (r->settings->v1p1)
        options.flags |= CAIRN_PE_HAS_BRBE_V1P1;
    if (r->settings->transactions)
        options.flags |= CAIRN_PE_HAS_TRANSACTIONS;
    options.branch_choices = r->settings->choices;
    options.branch_invalidation = r->settings->shift;
    options.branch_skid = r->settings->skid;
    if (cairn_pe_new(&options, &r->pe, error) != CAIRN_OK)
        return false;
    return whole_setup(r, error);
}

static void look(struct whole_runner *r)
{
    struct whole_run *run = r->run;
    static const char *const names[WHOLE_REGISTERS] = {
        "TRCCONFIGR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCDEVARCH", "TRCCCCTLR"};
    static const char *const counters[WHOLE_COUNTS] = {
        "PMEVCNTR0_EL0", "PMEVCNTR1_EL0", "PMEVCNTR2_EL0", "PMEVCNTR3_EL0", "PMEVCNTR5_EL0"};

    for (unsigned n = 0; n < WHOLE_RECORDS; n++)
        run->branches[n].size = sizeof run->branches[n];
    run->branch_count = cairn_pe_branches(r->pe, run->branches, WHOLE_RECORDS);
    for (unsigned n = 0; n < WHOLE_COUNTS; n++)
        if (cairn_pe_read(r->pe, counters[n], &run->counts[n]) != CAIRN_OK)
            run->counts[n] = UINT64_MAX;
    if (cairn_pe_read(r->pe, "BRBFCR_EL1", &run->BRBFCR) != CAIRN_OK ||
        cairn_pe_read(r->pe, "BRBTS_EL1", &run->BRBTS) != CAIRN_OK)
        snprintf(run->error, sizeof run->error, "BRBFCR_EL1 or BRBTS_EL1 cannot be read");
    for (unsigned n = 0; n < WHOLE_REGISTERS; n++) {
        run->registers[n] = (struct cairn_register){.name = names[n]};
        if (cairn_unit_read(cairn_pe_unit(r->pe), names[n], &run->registers[n].value) != CAIRN_OK)
            snprintf(run->error, sizeof run->error, "%s cannot be read", names[n]);
    }
    if (cairn_pe_status(r->pe) != CAIRN_OK)
        snprintf(run->error, sizeof run->error, "the PE has failed");
}

bool whole_run(struct whole_run *run, const struct whole_settings *settings,
               const struct whole_program *program, uint64_t state, unsigned steps)
{
    struct whole_runner r = {.run = run,
                             .settings = settings,
                             .program = program,
                             .state = state,
                             .filters = settings->filters};
    struct cairn_error error = {0};

    whole_clear(&run->truth);
    run->config = NULL;
    run->size = 0;
    run->error[0] = '\0';
    if (make(&r, &error)) {
        run_steps(&r, steps);
        look(&r);
        run->config = cairn_unit_config(cairn_pe_unit(r.pe));
        if (run->truth.full)
            snprintf(run->error, sizeof run->error, "too long");
    } else {
        snprintf(run->error, sizeof run->error, "%.100s", error.text);
    }
    cairn_pe_free(r.pe);
    return !run->error[0];
}

void whole_run_end(struct whole_run *run)
{
    cairn_config_unref(run->config);
    run->config = NULL;
}
