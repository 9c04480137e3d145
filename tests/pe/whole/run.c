/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cairn/unit.h>

enum { CALLS = 8, IRQ_PERCENT = 12, CONTROL_PERCENT = 3, LAST_WORD = WHOLE_WORDS - 1 };

#define BUFFER UINT64_C(0x80000000)

struct whole_runner {
    struct whole_run *run;
    const struct whole_settings *settings;
    const struct whole_program *program;
    struct cairn_pe *pe;
    uint64_t state;
    unsigned level, word;
    unsigned filters; /* BRBFCR_EL1 bits 22:16 */
    bool paused;
    unsigned epoch;
    uint64_t clock;
    bool aims; /* the last event's target is known when the next thing happens */
    /* From where nothing is traced: an instruction has to come before the next event. */
    bool arrived;
    uint16_t calls[WHOLE_LEVELS][CALLS];
    unsigned depth[WHOLE_LEVELS];
    struct {
        uint8_t level;
        uint16_t word;
        bool valid;
    } saved[WHOLE_LEVELS]; /* ELR_ELx, SPSR_ELx */
    char script[4096];
    size_t length;
};

/* --- programming --- */

static void say(struct whole_runner *r, const char *format, ...)
{
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(r->script + r->length, sizeof r->script - r->length, format, list);
    va_end(list);
    r->length += (size_t)length;
}

static unsigned bit(unsigned value, unsigned position)
{
    return value >> position & 1;
}

static void program_EL3(struct whole_runner *r)
{
    const struct whole_settings *s = r->settings;
    const uint64_t MDCR = (uint64_t)s->E3BRE << 37 | (uint64_t)s->SBRBE << 32 |
                          (s->secure ? 1u : 3u) << 24 | 1u << 18 | 1u << 17;

    say(r, "msr SCR_EL3, 0x%x\n", s->secure ? 0x400u : 0x401u);
    say(r, "msr MDCR_EL3, 0x%llx\n", (unsigned long long)MDCR);
}

static void program_EL2(struct whole_runner *r)
{
    const struct whole_settings *s = r->settings;

    say(r, "msr HCR_EL2, 0x%llx\n", s->TGE ? 1ull << 34 | 1ull << 31 | 1ull << 27 : 1ull << 31);
    say(r, "msr MDCR_EL2, 0x%x\n", (s->owner_is_EL1 ? 3u : 0u) << 24 | 6u);
    say(r, "msr TRFCR_EL2, 0x%x\n", bit(s->traced, 2) << 1 | bit(s->traced, 0));
    say(r, "msr BRBCR_EL2, 0x%x\n",
        (unsigned)s->EXCEPTION[2] << 23 | (unsigned)s->ERTN[2] << 22 | (unsigned)s->MPRED[2] << 4 |
            (unsigned)s->CC[2] << 3 | bit(s->recorded, 2) << 1 | bit(s->recorded, 0));
}

/* Where EL0 is EL2's, EL1's controls of it say the opposite, and do not count. */
static void program_EL1(struct whole_runner *r)
{
    const struct whole_settings *s = r->settings;
    const unsigned other = s->TGE;

    say(r, "msr TRFCR_EL1, 0x%x\n", bit(s->traced, 1) << 1 | (bit(s->traced, 0) ^ other));
    say(r, "msr BRBCR_EL1, 0x%x\n",
        (unsigned)s->EXCEPTION[1] << 23 | (unsigned)s->ERTN[1] << 22 | (unsigned)s->MPRED[1] << 4 |
            (unsigned)s->CC[1] << 3 | bit(s->recorded, 1) << 1 | (bit(s->recorded, 0) ^ other));
    say(r, "msr BRBFCR_EL1, 0x%x\n", s->filters << 16);
}

/* A program that leaves everything at EL3, on, and counted from 0. */
static void write_script(struct whole_runner *r)
{
    static const unsigned events[4] = {0x08, 0x21, 0x09, 0x811f};
    const struct whole_settings *s = r->settings;

    program_EL3(r);
    say(r, "isb\n%s", s->at_their_levels ? "enter EL2n\n" : "");
    program_EL2(r);
    say(r, "isb\n%s", s->at_their_levels ? "enter EL1n\n" : "");
    program_EL1(r);
    say(r, "msr TRCCONFIGR, 0x%x\nmsr TRCVICTLR, 0x201\nmsr TRCSYNCPR, %u\n",
        1u | (unsigned)s->return_stack << 12, s->sync_period);
    say(r, "isb\n%s", s->at_their_levels ? "enter EL3\n" : "");
    if (s->buffered)
        say(r, "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000000\n"
               "msr TRBLIMITR_EL1, 0x80100001\nisb\n");
    say(r, "msr TRCPRGCTLR, 1\nsys BRB_IALL\n");
    for (unsigned n = 0; n < 4; n++) /* NSH: at EL2, too */
        say(r, "msr PMEVTYPER%u_EL0, 0x%x\nmsr PMEVCNTR%u_EL0, 0\n", n, 1u << 27 | events[n], n);
    say(r, "msr PMCNTENSET_EL0, 15\nmsr PMCR_EL0, 1\nisb\n");
}

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

    if (address < BUFFER || take(r->run, (size_t)(address - BUFFER), bytes, size) != CAIRN_OK)
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

    r->arrived = !bit(traced, r->level) && bit(traced, level);
    r->level = level;
    r->word = word;
}

static void happen(struct whole_runner *r, uint64_t source, unsigned type, unsigned level,
                   unsigned word)
{
    const struct whole_event event = {.source = source,
                                      .target = whole_address(level, word),
                                      .type = (uint8_t)type,
                                      .from = (uint8_t)r->level,
                                      .to = (uint8_t)level,
                                      .filters = (uint8_t)r->filters,
                                      .paused = r->paused,
                                      .epoch = r->epoch,
                                      .clock = r->clock};

    whole_add(&r->run->truth, &event);
}

/* Some cycles pass, now and then many, and something happens. */
static void pass(struct whole_runner *r)
{
    struct whole_list *truth = &r->run->truth;
    const uint64_t cycles = whole_percent(&r->state, 98) ? 1 + whole_below(&r->state, 40)
                                                         : whole_below(&r->state, 1u << 19);

    cairn_pe_cycles(r->pe, cycles);
    r->clock += cycles;
    if (r->aims && truth->count > 0)
        truth->events[truth->count - 1].clock = r->clock;
    r->aims = false;
}

/* One of the levels that are used, from `low` to `high`. */
static unsigned draw_level(struct whole_runner *r, unsigned low, unsigned high)
{
    unsigned levels[WHOLE_LEVELS], count = 0;

    for (unsigned level = low; level <= high; level++)
        if (bit(whole_used(r->settings), level))
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
    r->run->truth.exceptions++;
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
    r->run->truth.instructions += count;
    r->word += count;
    r->arrived = false;
}

static void branch(struct whole_runner *r, unsigned count, enum whole_op op)
{
    static const struct {
        uint8_t kind;
        uint32_t flags;
        uint8_t type;
    } forms[] = {
        [WHOLE_CONDITIONAL] = {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL,
                               CAIRN_BRANCH_CONDITIONAL},
        [WHOLE_DIRECT] = {CAIRN_INSN_BRANCH_DIRECT, 0, CAIRN_BRANCH_DIRECT},
        [WHOLE_DIRECT_CALL] = {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_LINK, CAIRN_BRANCH_DIRECT_CALL},
        [WHOLE_INDIRECT] = {CAIRN_INSN_BRANCH_INDIRECT, 0, CAIRN_BRANCH_INDIRECT},
        [WHOLE_INDIRECT_CALL] = {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_LINK,
                                 CAIRN_BRANCH_INDIRECT_CALL},
        [WHOLE_SUB_RETURN] = {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_RETURN, CAIRN_BRANCH_RETURN},
    };
    const bool direct = forms[op].kind == CAIRN_INSN_BRANCH_DIRECT;
    const unsigned level = r->level, last = r->word + count - 1;
    const bool taken = op != WHOLE_CONDITIONAL || whole_percent(&r->state, 50);
    unsigned word = direct ? r->program->targets[level][last] : whole_below(&r->state, WHOLE_WORDS);

    if (op == WHOLE_SUB_RETURN && r->depth[level] > 0 && whole_percent(&r->state, 80))
        word = r->calls[level][--r->depth[level]];
    if (forms[op].flags & CAIRN_INSN_LINK) {
        if (r->depth[level] == CALLS)
            r->depth[level] = 0;
        r->calls[level][r->depth[level]++] = (uint16_t)(last + 1);
    }
    execute(r, count, forms[op].kind, forms[op].flags, direct ? whole_address(level, word) : 0,
            taken);
    r->run->truth.branches++;
    if (!taken)
        return;
    happen(r, whole_address(level, last), forms[op].type, level, word);
    r->aims = !direct;
    go(r, level, word);
}

static void leave(struct whole_runner *r, unsigned count)
{
    const unsigned from = r->level, last = r->word + count - 1;
    unsigned level = draw_level(r, 0, from), word = whole_below(&r->state, WHOLE_WORDS);
    struct cairn_context to;

    if (r->saved[from].valid && whole_percent(&r->state, 80)) {
        level = r->saved[from].level;
        word = r->saved[from].word;
    }
    r->saved[from].valid = false;
    to = context_of(r, level);
    execute(r, count, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET, 0, true);
    r->run->truth.branches++;
    happen(r, whole_address(from, last), CAIRN_BRANCH_EXCEPTION_RETURN, level, word);
    cairn_pe_return(r->pe, whole_address(level, word), &to);
    go(r, level, word);
}

static void must(struct whole_runner *r, enum cairn_pe_answer answer)
{
    if (answer != CAIRN_PE_ANSWER_OK)
        snprintf(r->run->error, sizeof r->run->error, "an access at EL%u is answered with %d",
                 r->level, (int)answer);
}

/* Software that may pauses branch records, goes on, chooses others, or throws all away. */
static void control(struct whole_runner *r)
{
    if (r->level == 0 || (r->level < 3 && r->settings->SBRBE != 3))
        return;
    switch (whole_below(&r->state, 3)) {
    case 0:
        r->paused = !r->paused;
        r->epoch += !r->paused;
        break;
    case 1: r->filters = whole_below(&r->state, 128); break;
    default:
        must(r, cairn_pe_sys(r->pe, CAIRN_PE_BRB_IALL, 0));
        r->run->truth.cleared = r->run->truth.count;
        r->epoch++;
        break;
    }
    must(r, cairn_pe_msr(r->pe, cairn_pe_encoding("BRBFCR_EL1"),
                         (uint64_t)r->filters << 16 | (uint64_t)r->paused << 7));
    cairn_pe_barrier(r->pe, CAIRN_PE_BARRIER_ISB);
}

static void step(struct whole_runner *r)
{
    const unsigned low = r->level > 0 ? r->level : 1;
    unsigned count = 0;
    enum whole_op op;

    do
        op = (enum whole_op)r->program->ops[r->level][r->word + count++];
    while (op == WHOLE_PLAIN);
    if (whole_percent(&r->state, IRQ_PERCENT)) {
        const unsigned before = whole_below(&r->state, count);

        if (before > 0 || !r->arrived) {
            if (before > 0)
                execute(r, before, CAIRN_INSN_OTHER, 0, 0, false);
            except(r, CAIRN_EXCEPTION_IRQ, draw_level(r, low, 3),
                   whole_below(&r->state, WHOLE_WORDS));
            return;
        }
    }
    if (count > 1 && whole_percent(&r->state, CONTROL_PERCENT)) {
        execute(r, count - 1, CAIRN_INSN_OTHER, 0, 0, false);
        control(r);
        return;
    }
    switch (op) {
    case WHOLE_PLAIN: break;
    case WHOLE_CONDITIONAL:
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
    case WHOLE_ISB: execute(r, count, CAIRN_INSN_ISB, 0, 0, true); break;
    }
}

static void run_steps(struct whole_runner *r, unsigned steps)
{
    const struct cairn_context start = context_of(r, 0);
    const struct whole_event first = {
        .target = whole_base(0), .type = WHOLE_ARRIVAL, .from = WHOLE_NOWHERE, .to = 0};

    whole_add(&r->run->truth, &first);
    cairn_pe_enter(r->pe, &start);
    r->arrived = true;
    for (unsigned n = 0; n < steps || r->arrived; n++)
        step(r);
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
    if (cairn_pe_new(&options, &r->pe, error) != CAIRN_OK)
        return false;
    write_script(r);
    return cairn_pe_script(r->pe, "setup", r->script, r->length, NULL, NULL, error) == CAIRN_OK;
}

static void look(struct whole_runner *r)
{
    struct whole_run *run = r->run;
    static const char *const names[WHOLE_REGISTERS] = {
        "TRCCONFIGR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCDEVARCH", "TRCCCCTLR"};
    char name[] = "PMEVCNTR0_EL0";

    for (unsigned n = 0; n < WHOLE_RECORDS; n++)
        run->branches[n].size = sizeof run->branches[n];
    run->branch_count = cairn_pe_branches(r->pe, run->branches, WHOLE_RECORDS);
    for (unsigned n = 0; n < 4; n++) {
        name[8] = (char)('0' + n);
        if (cairn_pe_read(r->pe, name, &run->counts[n]) != CAIRN_OK)
            run->counts[n] = UINT64_MAX;
    }
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
