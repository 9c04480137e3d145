/* SPDX-License-Identifier: BSD-2-Clause */
/* Random A32 and T32 programs, traced by the PTM model, and two decoders: Cairn must say exactly
 * what was executed, and so must libopencsd. The unit is told what the generator knows of its
 * programs, not what the library makes of their bytes. The engine must say what the reference path
 * says, of some traces also when they are damaged. In odd seeds counters, the sequencer and all
 * other resources have random events, which ask for triggers and timestamps, synchronisation is
 * asked for twice, and authentication signals change. A second writer, which knows the
 * specification alone, must write the same bytes.
 *
 * usage: test_peers_ptm [--seeds FROM COUNT] [--alone]     default: 800 from 1; without libopencsd
 *
 * A seed that fails prints itself, the first difference, the registers and the bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cairn/unit.h>

#include "../engine/compare.h"
#include "../engine/mutate.h"
#include "opencsd.h"
#include "second_ptm_trace.h"
#include "shapes.h"

enum {
    SEEDS = 800,
    FAILURES_SHOWN = 3,
    PEER_SECONDS = 10,
    BYTES_A_LINE = 32,
    SHARED_PERCENT = 70, /* of seeds stay inside what libopencsd decodes right */
    STEPS_LEAST = 5,
    STEPS_MOST = 200,
    GAP_PERCENT = 3,
    HYP = 2,
    UNDEFINED = 9,  /* the exception's number */
    DAMAGED_OF = 4, /* one trace of so many is damaged, too */
};

/* ETMCR, ETMIDR, ETMCCER, ETMSYNCFR of docs/trace.md. */
#define CR_BROADCAST (1u << 8)
#define CR_CYCLES (1u << 12)
#define CR_CONTEXT_32 (3u << 14)
#define CR_TIMESTAMPS (1u << 28)
#define CR_RETURN_STACK (1u << 29)
#define CR_VMID (1u << 30)
#define IDR_1_0 0x411cf301u
#define IDR_1_1 0x411cf312u
#define CCER_1_0 0x00c00800u /* return stack, timestamps of 48 bits in Gray code */
#define CCER_1_1 0x34c01800u /* the same of 64 bits in binary, virtualization */

struct work {
    struct peer_trace trace;
    struct peer_truth said;
    struct peer_random random;
    struct peer_machine machine;
    struct cairn_unit *unit;
    struct cairn_context context; /* told */
    uint64_t time;
    struct peer_random chance; /* of what resources do: what is executed does not depend on it */
    bool resources;
    bool broadcast;
    bool ids;
    bool hyp; /* the PE was in Hyp mode before an exception */
};

/* --- the settings --- */

static void draw(struct peer_settings *s, struct work *w)
{
    struct peer_random *random = &w->random;

    memset(s, 0, sizeof *s);
    s->protocol = CAIRN_PROTOCOL_PTM;
    s->family = PEER_FAMILY_AARCH32;
    s->shared = peer_random_percent(random, SHARED_PERCENT);
    s->minor = peer_random_below(random, 2);
    s->cycles = peer_random_percent(random, 40);
    s->timestamps = peer_random_percent(random, 40);
    s->context_ids = peer_random_percent(random, 40);
    s->vmids = s->minor == 1 && peer_random_percent(random, 30);
    s->return_stack = peer_random_percent(random, 50);
    s->stack_depth = peer_random_range(random, 0, 15);
    s->steps = peer_random_range(random, STEPS_LEAST, STEPS_MOST);
    s->without = s->shared ? PEER_SHAPE_UNSHARED | PEER_SHAPE_CALL | PEER_OP_OTHER_ISA : 0;
    w->broadcast = !s->return_stack && peer_random_percent(random, 20);
    w->ids = s->context_ids || s->vmids;
    s->rules.context_ids = s->context_ids;
    s->rules.vmids = s->vmids;
    s->rules.kernel_el = (uint8_t)peer_random_range(random, 1, 3);
    if (s->shared || (s->rules.kernel_el == HYP && s->minor == 0))
        s->rules.kernel_el = 1;
    s->rules.user_security = CAIRN_NONSECURE;
    s->rules.kernel_security = s->rules.kernel_el == 3 ? CAIRN_SECURE : CAIRN_NONSECURE;
    s->rules.exception_percent = (uint8_t)peer_random_range(random, 0, 12);
    s->arch = (struct cairn_arch){
        .profile = CAIRN_PROFILE_A, .major = 7, .features = CAIRN_FEATURE_THUMB2};
    s->registers[0] = (struct cairn_register){
        "ETMCR", (s->cycles ? CR_CYCLES : 0) | (s->timestamps ? CR_TIMESTAMPS : 0) |
                     (s->context_ids ? CR_CONTEXT_32 : 0) | (s->vmids ? CR_VMID : 0) |
                     (s->return_stack ? CR_RETURN_STACK : 0) | (w->broadcast ? CR_BROADCAST : 0)};
    s->registers[1] = (struct cairn_register){"ETMIDR", s->minor ? IDR_1_1 : IDR_1_0};
    s->registers[2] = (struct cairn_register){"ETMCCER", s->minor ? CCER_1_1 : CCER_1_0};
    s->registers[3] = (struct cairn_register){"ETMTRACEIDR", 0x10};
    for (unsigned i = 4; i < PEER_REGISTERS; i++)
        s->registers[i] = (struct cairn_register){"ETMSYNCFR", 0};
    if (peer_random_percent(random, 60))
        s->registers[PEER_REGISTERS - 1].value = peer_random_range(random, 20, 1000);
}

/* Two resources that exist, and any function of them. */
static uint32_t draw_event(struct peer_random *random)
{
    static const uint8_t firsts[] = {0x00, 0x08, 0x10, 0x18, 0x20, 0x40,
                                     0x50, 0x58, 0x60, 0x68, 0x6c};
    uint32_t event = peer_random_below(random, 8) << 14;

    for (unsigned i = 0; i < 2; i++)
        event |= (firsts[peer_random_below(random, sizeof firsts)] + peer_random_below(random, 4))
                 << 7 * i;
    return event;
}

static bool set(struct work *w, const char *name, unsigned number, uint32_t value)
{
    char full[32];

    if (number > 0)
        snprintf(full, sizeof full, "%s%u", name, number);
    else
        snprintf(full, sizeof full, "%s", name);
    return cairn_unit_write(w->unit, full, value, NULL) == CAIRN_OK;
}

/* What decides nothing of what is traced, but asks for triggers and timestamps. */
static bool program_resources(struct work *w)
{
    static const char *const events[] = {"ETMTRIGGER", "ETMTSEVR",   "ETMSQ12EVR", "ETMSQ21EVR",
                                         "ETMSQ23EVR", "ETMSQ31EVR", "ETMSQ32EVR", "ETMSQ13EVR"};
    const struct peer_program *program = &w->trace.program;
    struct peer_random *random = &w->chance;
    bool good = set(w, "ETMEXTINSELR", 0, peer_random_below(random, 0x10000));

    for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
        good &= set(w, events[i], 0, draw_event(random));
    for (unsigned n = 1; n <= 4; n++)
        good &= set(w, "ETMCNTRLDVR", n, peer_random_below(random, 100)) &&
                set(w, "ETMCNTENR", n, draw_event(random)) &&
                set(w, "ETMCNTRLDEVR", n, draw_event(random));
    for (unsigned n = 1; n <= 16; n++)
        good &= set(w, "ETMACVR", n,
                    (uint32_t)program->ops[peer_random_below(random, program->op_count)].address);
    return good && set(w, "ETMTSSCR", 0, peer_random_below(random, 0x10000) << 8);
}

/* --- what the unit is told --- */

static cairn_status keep(void *context, const uint8_t *bytes, size_t size)
{
    struct peer_bytes *out = context;

    if (size > sizeof out->data - out->size)
        return CAIRN_E_LIMIT;
    memcpy(out->data + out->size, bytes, size);
    out->size += size;
    return CAIRN_OK;
}

static const struct peer_op *op_of(const struct work *w, uint32_t index)
{
    return &w->trace.program.ops[index];
}

static void tell_context(struct work *w, const struct cairn_context *context)
{
    if (!peer_context_equal(context, &w->context))
        cairn_unit_context(w->unit, context);
    w->context = *context;
}

static uint8_t kind_of(const struct peer_op *op)
{
    switch (op->kind) {
    case PEER_OP_DIRECT: return CAIRN_INSN_BRANCH_DIRECT;
    case PEER_OP_INDIRECT: return CAIRN_INSN_BRANCH_INDIRECT;
    case PEER_OP_ISB: return CAIRN_INSN_ISB;
    default: return CAIRN_INSN_OTHER;
    }
}

static void pass_time(struct work *w)
{
    const uint32_t cycles = peer_random_percent(&w->random, 90)
                                ? peer_random_below(&w->random, 40)
                                : peer_random_below(&w->random, w->resources ? 1000 : 100000);

    w->time += cycles;
    cairn_unit_cycles(w->unit, cycles);
    cairn_unit_time(w->unit, w->time);
}

static void tell_block(struct work *w, uint32_t first, uint32_t count, bool taken)
{
    const struct peer_op *last = op_of(w, first + count - 1);
    struct cairn_block block = {
        .address = op_of(w, first)->address,
        .size = (uint32_t)(last->address + last->size - op_of(w, first)->address),
        .count = count,
        .isa = last->isa,
        .kind = kind_of(last),
        .last_size = last->size,
        .flags = (last->flags & PEER_OP_LINK ? CAIRN_INSN_LINK : 0) |
                 (last->flags & PEER_OP_ERET ? CAIRN_INSN_ERET : 0),
    };

    if (last->kind == PEER_OP_DIRECT) {
        block.target = op_of(w, last->target)->address;
        block.target_isa = op_of(w, last->target)->isa;
    }
    pass_time(w);
    cairn_unit_execute(w->unit, &block, taken);
}

/* What events look at besides. */
static void change_inputs(struct work *w)
{
    if (!w->resources)
        return;
    if (peer_random_percent(&w->chance, 20))
        cairn_unit_inputs(w->unit, peer_random_below(&w->chance, UINT32_MAX));
    if (peer_random_percent(&w->chance, 20))
        cairn_unit_hint(w->unit, peer_random_below(&w->chance, 16));
}

/* Blocks may end anywhere; a waypoint ends one. */
static void tell_blocks(struct work *w, uint32_t first, uint32_t count, bool taken)
{
    if (count > 1 && peer_random_percent(&w->random, 30)) {
        const uint32_t part = peer_random_range(&w->random, 1, count - 1);

        tell_block(w, first, part, false);
        first += part;
        count -= part;
    }
    if (count > 0)
        tell_block(w, first, count, taken);
}

/* --- what was executed --- */

static void know_instruction(struct work *w, const struct peer_step *step, uint32_t index,
                             uint8_t kind)
{
    const struct peer_op *op = op_of(w, index);
    struct peer_entry entry = {
        .address = op->address, .isa = op->isa, .context = step->context, .kind = kind};

    entry.context.EL = step->context.EL == HYP ? HYP : 0; /* all that a trace tells */
    peer_truth_add(&w->trace.truth, &entry);
}

static void know_instructions(struct work *w, const struct peer_step *step, uint8_t last)
{
    for (uint32_t i = 0; i < step->count; i++)
        know_instruction(w, step, step->first + i, i + 1 == step->count ? last : PEER_PLAIN);
}

/* Exception numbers: IHI0035 4.5.4. */
static uint16_t number_of(const struct work *w, unsigned type)
{
    static const uint8_t numbers[] = {
        [CAIRN_EXCEPTION_CALL] = 0xa,       [CAIRN_EXCEPTION_TRAP] = 0x9,
        [CAIRN_EXCEPTION_SYSTEM_ERROR] = 4, [CAIRN_EXCEPTION_INST_DEBUG] = 0xb,
        [CAIRN_EXCEPTION_DATA_DEBUG] = 0xc, [CAIRN_EXCEPTION_ALIGNMENT] = 0xc,
        [CAIRN_EXCEPTION_INST_FAULT] = 0xb, [CAIRN_EXCEPTION_DATA_FAULT] = 0xc,
        [CAIRN_EXCEPTION_IRQ] = 0xe,        [CAIRN_EXCEPTION_FIQ] = 0xf,
    };
    const unsigned el = w->trace.settings.rules.kernel_el;
    const bool interrupt = type == CAIRN_EXCEPTION_IRQ || type == CAIRN_EXCEPTION_FIQ;

    if (el == HYP && !w->hyp && !interrupt)
        return 3;
    /* an SMC leads out of Non-secure state; a call inside of Secure state is an SVC */
    if (type == CAIRN_EXCEPTION_CALL && el == 3 && w->context.security == CAIRN_NONSECURE)
        return 2;
    return numbers[type];
}

static void take_exception(struct work *w, const struct peer_step *step)
{
    const struct peer_op *resume = op_of(w, step->resume);
    const struct peer_entry entry = {
        .kind = PEER_EXCEPTION, .address = resume->address, .type = number_of(w, step->type)};

    know_instructions(w, step, PEER_PLAIN);
    if (entry.type == UNDEFINED) /* the trace names it like one that was executed (5.3.2) */
        know_instruction(w, step, step->resume, PEER_PLAIN);
    tell_blocks(w, step->first, step->count, false);
    pass_time(w);
    cairn_unit_exception(w->unit, step->type, resume->address, (enum cairn_isa)resume->isa);
    peer_truth_add(&w->trace.truth, &entry);
}

static void take_p0(struct work *w, const struct peer_step *step)
{
    know_instructions(w, step, step->taken ? PEER_TAKEN : PEER_NOT_TAKEN);
    tell_blocks(w, step->first, step->count, step->taken);
}

static void hide(struct work *w, bool hidden)
{
    if (w->resources)
        cairn_unit_authenticate(w->unit,
                                hidden ? CAIRN_UNIT_SPIDEN : CAIRN_UNIT_SPIDEN | CAIRN_UNIT_NIDEN);
    else
        cairn_unit_prohibit(w->unit, hidden);
}

/* Nothing is traced, and execution goes on elsewhere. Where a branch from Secure state leads is not
 * told there, and so not whether it was taken. */
static void make_gap(struct work *w, const struct peer_step *step)
{
    const bool waits = step->kind == PEER_STEP_P0 && step->taken &&
                       op_of(w, step->first + step->count - 1)->kind == PEER_OP_INDIRECT;

    if (waits && (w->trace.settings.shared || w->context.security == CAIRN_SECURE))
        return;
    tell_context(w, &w->machine.context); /* of an exception's handler */
    hide(w, true);
    peer_machine_jump(&w->machine);
    pass_time(w);
    hide(w, false);
}

/* What waits gets its target, where an interrupt comes and leads to what is not traced. */
static void end(struct work *w)
{
    const struct peer_op *op = op_of(w, w->machine.at);
    const struct peer_entry entry = {
        .kind = PEER_EXCEPTION, .address = op->address, .type = number_of(w, CAIRN_EXCEPTION_IRQ)};

    tell_context(w, &w->machine.context);
    cairn_unit_exception(w->unit, CAIRN_EXCEPTION_IRQ, op->address, (enum cairn_isa)op->isa);
    peer_truth_add(&w->trace.truth, &entry);
    cairn_unit_prohibit(w->unit, true);
    cairn_unit_disable(w->unit);
}

static void make_step(struct work *w, struct peer_step *step)
{
    const struct peer_machine before = w->machine;

    do { /* libopencsd takes waypoint updates for what addresses are compressed against */
        w->machine = before;
        peer_machine_step(&w->machine, step);
    } while (w->trace.settings.shared && step->kind == PEER_STEP_EXCEPTION && step->count > 0);
    if (w->trace.settings.shared && step->type == CAIRN_EXCEPTION_TRAP)
        step->type = CAIRN_EXCEPTION_INST_FAULT;
}

static void run(struct work *w)
{
    for (unsigned i = 0; i < w->trace.settings.steps && !w->trace.truth.full; i++) {
        struct peer_step step;

        make_step(w, &step);
        w->hyp = step.context.EL == HYP;
        tell_context(w, &step.context);
        if (step.kind == PEER_STEP_EXCEPTION)
            take_exception(w, &step);
        else
            take_p0(w, &step);
        change_inputs(w);
        if (peer_random_percent(&w->random, 3)) {
            cairn_unit_request_sync(w->unit);
            if (w->resources && peer_random_percent(&w->chance, 30))
                cairn_unit_request_sync(w->unit); /* an overflow */
        }
        if (peer_random_percent(&w->random, 3))
            cairn_unit_flush(w->unit);
        if (peer_random_percent(&w->random, GAP_PERCENT))
            make_gap(w, &step);
    }
    end(w);
}

static bool make_trace(struct work *w, uint64_t seed)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct peer_settings *s = &w->trace.settings;
    bool fine;

    memset(w, 0, sizeof *w);
    w->random.state = seed;
    draw(s, w);
    options.protocol = CAIRN_PROTOCOL_PTM;
    options.arch = s->arch;
    options.registers = s->registers;
    options.register_count = PEER_REGISTERS;
    options.return_stack_depth = s->stack_depth;
    options.sink = keep;
    options.sink_context = &w->trace.bytes;
    options.watch = peer_second_watch;
    peer_second_forget();
    if (cairn_unit_new(&options, &w->unit, NULL) != CAIRN_OK)
        return false;
    peer_program_make(&w->trace.program, &w->random, s->family, s->without);
    w->chance.state = ~seed;
    w->resources = seed % 2 == 1;
    if (w->resources && !program_resources(w)) {
        cairn_unit_free(w->unit);
        return false;
    }
    peer_machine_start(&w->machine, &w->trace.program, &s->rules, &w->random);
    w->time = 1;
    w->context = w->machine.context;
    cairn_unit_context(w->unit, &w->context);
    cairn_unit_enable(w->unit);
    run(w);
    fine = cairn_unit_status(w->unit) == CAIRN_OK && !w->trace.truth.full;
    cairn_unit_free(w->unit);
    return fine;
}

/* --- the decoders --- */

static void print_failure(const struct work *w, uint64_t seed, unsigned failures)
{
    const struct peer_bytes *bytes = &w->trace.bytes;

    printf("# seed %" PRIu64 " failed\n", seed);
    if (failures > FAILURES_SHOWN)
        return;
    for (unsigned i = 0; i < PEER_REGISTERS; i++)
        printf("# %s=0x%08" PRIx64 "\n", w->trace.settings.registers[i].name,
               w->trace.settings.registers[i].value);
    for (size_t i = 0; i < bytes->size; i++)
        printf("%s%02x", i == 0 ? "# " : i % BYTES_A_LINE == 0 ? "\n# " : " ", bytes->data[i]);
    putchar('\n');
}

static bool check_cairn(struct work *w)
{
    struct cairn_config *config = peer_settings_config(&w->trace.settings);
    const bool good = config && peer_decode_cairn(&w->trace, config, &w->random, &w->said);

    cairn_config_unref(config);
    return peer_truth_equal(&w->trace.truth, &w->said, "Cairn",
                            w->ids ? 0 : PEER_COMPARE_CONTEXTS) &&
           good;
}

static bool check_second(const struct work *w)
{
    const struct cairn_register *registers = w->trace.settings.registers;

    return peer_second_equal((uint32_t)registers[1].value, (uint32_t)registers[0].value,
                             (uint32_t)registers[2].value, w->trace.bytes.data,
                             w->trace.bytes.size);
}

/* One way of the engine's, drawn from the seed. */
static bool engine_agrees(const struct engine_case *input, uint64_t seed)
{
    const uint32_t way = UINT32_C(1) << (seed * UINT64_C(0x9e3779b97f4a7c15) >> 60);

    return engine_compare_ways(input, way, seed, stdout);
}

static bool check_engine(const struct work *w, uint64_t seed)
{
    static uint8_t bytes[sizeof w->trace.bytes.data + MUTATE_MORE];
    const struct peer_bytes *sound = &w->trace.bytes;
    struct engine_case input = {.config = peer_settings_config(&w->trace.settings),
                                .data = sound->data,
                                .size = sound->size};
    bool good = input.config && peer_program_image(&w->trace.program, &input.image) &&
                engine_agrees(&input, seed);

    if (good && seed % DAMAGED_OF == 0) {
        memcpy(bytes, sound->data, sound->size);
        input.data = bytes;
        input.size = mutate(bytes, sound->size, seed);
        good = engine_agrees(&input, seed);
    }
    cairn_image_unref(input.image);
    cairn_config_unref(input.config);
    return good;
}

static bool check_peer(struct work *w)
{
    const bool good = peer_decode_opencsd(&w->trace, &w->random, &w->said);

    return peer_truth_equal(&w->trace.truth, &w->said, "libopencsd", 0) && good;
}

/* One seed past libopencsd, in a process of its own: a trace that it does not survive must not end
 * the test. */
static bool agrees(struct work *w)
{
    int status = 1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(PEER_SECONDS);
        status = check_peer(w) ? 0 : 1;
        fflush(stdout);
        _exit(status);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

struct settings {
    uint64_t from, count;
    bool alone; /* without libopencsd */
};

static bool read_settings(struct settings *settings, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seeds") == 0 && i + 2 < argc) {
            settings->from = strtoull(argv[++i], NULL, 0);
            settings->count = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--alone") == 0) {
            settings->alone = true;
        } else {
            fprintf(stderr, "usage: test_peers_ptm [--seeds FROM COUNT] [--alone]\n");
            return false;
        }
    }
    return true;
}

struct tally {
    uint64_t instructions, bytes;
    unsigned failed, differs;
};

static void run_seed(struct work *w, const struct settings *settings, uint64_t seed,
                     struct tally *tally)
{
    if (!make_trace(w, seed) || !check_second(w) || !check_cairn(w) || !check_engine(w, seed))
        print_failure(w, seed, ++tally->failed);
    else if (!settings->alone && w->trace.settings.shared && !agrees(w))
        print_failure(w, seed, ++tally->differs);
    tally->instructions += w->trace.truth.count;
    tally->bytes += w->trace.bytes.size;
}

static void print_peer(const struct settings *settings, const struct tally *tally)
{
    if (!peer_opencsd_version())
        printf("ok 2 - libopencsd agrees: PTM # SKIP built without libopencsd-dev\n");
    else if (!settings->alone)
        printf("%sok 2 - libopencsd %s agrees: PTM (%u differ)\n",
               tally->differs == 0 ? "" : "not ", peer_opencsd_version(), tally->differs);
}

int main(int argc, char **argv)
{
    struct settings settings = {.from = 1, .count = SEEDS};
    struct tally tally = {0};
    struct work *w = calloc(1, sizeof *w);

    if (!w || !read_settings(&settings, argc, argv)) {
        free(w);
        return 2;
    }
    settings.alone = settings.alone || !peer_opencsd_version();
    for (uint64_t i = 0; i < settings.count; i++)
        run_seed(w, &settings, settings.from + i, &tally);
    printf("1..%d\n%sok 1 - Cairn tells what was executed: PTM (%" PRIu64 " seeds, %" PRIu64
           " instructions, %" PRIu64 " bytes, %u failed)\n",
           settings.alone && peer_opencsd_version() ? 1 : 2, tally.failed == 0 ? "" : "not ",
           settings.count, tally.instructions, tally.bytes, tally.failed);
    print_peer(&settings, &tally);
    free(w);
    return tally.failed > 0 || tally.differs > 0;
}
