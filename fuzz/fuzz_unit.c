/* SPDX-License-Identifier: BSD-2-Clause */
/* Any sequence of calls of a trace unit, sensible or not. Whatever a feed tells: each byte that the
 * unit counts goes to the sink once, and what it writes is whole packets that a decoder knows,
 * under the registers of the time. Flow need not make sense, but its ledger adds up. */
#include <stdlib.h>
#include <string.h>

#include <cairn.h>
#include <cairn/unit.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    CODE = 512,     /* bytes of program */
    MARKS = 8,      /* remembered for resolve and cancel */
    MOST = 1 << 18, /* bytes of trace after which nothing more is told */
    ROOM = 1 << 22, /* bytes of trace that a bounded unit stays below all the same */
    LEAPS = 2,
    CAPACITY = 256, /* records */
    REGISTERS_MAX = 7,
    CHOOSES_PTM = 1 << 7, /* of the choices: no unit has that one */
};

/* What is left of the input; zeros behind its end. */
struct input {
    const uint8_t *at;
    size_t left;
};

struct run {
    struct input input;
    uint8_t code[CODE];
    uint64_t base; /* of the code */
    struct cairn_image *image;
    struct cairn_unit *unit;
    struct cairn_config *config; /* of the bytes in `trace` */
    uint8_t *trace;
    size_t size;
    uint64_t written;
    uint64_t refuse_at; /* of `written`: the sink takes no more */
    unsigned leaps;     /* through many cycles, in each of which something may happen */
    uint64_t marks[MARKS];
    unsigned mark;
    struct cairn_block block; /* the last one */
    bool old_states;          /* Jazelle or ThumbEE was told */
    uint32_t takes;           /* of a port: a mask of how many bytes it takes at once */
    uint32_t drawn;
    bool open; /* it takes all */
    bool has_port;
};

static uint8_t byte(struct input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

/* A number of up to eight bytes, few in most cases. */
static uint64_t number(struct input *input)
{
    static const uint8_t sizes[] = {0, 1, 1, 1, 1, 2, 2, 4, 8};
    const uint8_t first = byte(input);
    uint64_t value = 0;

    for (unsigned n = sizes[first % sizeof sizes]; n > 0; n--)
        value = value << 8 | byte(input);
    return first & 0x80 ? ~value : value;
}

static const char *register_name(struct input *input)
{
    static const char *const names[] = {
        "TRCCONFIGR",    "TRCVICTLR",     "TRCVIIECTLR", "TRCVISSCTLR",   "TRCVIPCSSCTLR",
        "TRCQCTLR",      "TRCCCCTLR",     "TRCSYNCPR",   "TRCTSCTLR",     "TRCBBCTLR",
        "TRCEVENTCTL0R", "TRCEVENTCTL1R", "TRCRSR",      "TRCSTALLCTLR",  "TRCPRGCTLR",
        "TRCACVR0",      "TRCACVR1",      "TRCACATR0",   "TRCACATR1",     "TRCRSCTLR2",
        "TRCRSCTLR3",    "TRCCNTRLDVR0",  "TRCCNTCTLR0", "TRCCNTVR0",     "TRCSEQEVR0",
        "TRCSEQSTR",     "TRCSEQRSTEVR",  "TRCSSCCR0",   "TRCSSCSR0",     "TRCSSPCICR0",
        "TRCCIDCVR0",    "TRCCIDCCTLR0",  "TRCVMIDCVR0", "TRCVMIDCCTLR0", "TRCEXTINSELR0",
        "TRCTRACEIDR",   "TRCIDR0",       "TRCIDR1",     "TRCIDR2",       "TRCIDR3",
        "TRCIDR4",       "TRCIDR5",       "TRCIDR6",     "TRCIDR8",       "TRCDEVARCH",
        "TRCAUTHSTATUS", "TRCACVR7",      "TRCRSCTLR31", "trcconfigr",    "TRCNONE",
        "ETMCR",         "ETMTRIGGER",    "ETMTSSCR",    "ETMTEEVR",      "ETMTECR1",
        "ETMACVR1",      "ETMACVR2",      "ETMACTR1",    "ETMACTR2",      "ETMCIDCVR1",
        "ETMCIDCMR",     "ETMVMIDCVR",    "ETMSYNCFR",   "ETMTSEVR",      "ETMTRACEIDR",
        "ETMIDR",        "ETMCCER",       "ETMSR",
    };

    static const char *const derived[16] = {
        "ETMCNTRLDVR1",  "ETMCNTENR1", "ETMCNTRLDEVR1", "ETMCNTVR1",  "ETMCNTENR2", "ETMCNTRLDVR4",
        "ETMCNTRLDEVR4", "ETMCNTVR4",  "ETMSQ12EVR",    "ETMSQ21EVR", "ETMSQ23EVR", "ETMSQ32EVR",
        "ETMSQ13EVR",    "ETMSQR",     "ETMEXTINSELR",  "ETMCCR",
    };
    const uint8_t choice = byte(input);

    if (choice >= 0xf0)
        return derived[choice & 0xf];
    return names[choice % (sizeof names / sizeof names[0])];
}

/* --- the trace --- */

static cairn_status take(void *context, const uint8_t *bytes, size_t size)
{
    struct run *r = context;

    if (r->written >= r->refuse_at)
        return CAIRN_E_IO;
    if (size == 0 || size > ROOM - r->size)
        abort();
    memcpy(r->trace + r->size, bytes, size);
    r->size += size;
    r->written += size;
    return CAIRN_OK;
}

static void look(void *context, unsigned kind, uint16_t flags,
                 const struct cairn_element_data *data)
{
    (void)context;
    (void)flags;
    (void)data;
    if (kind > CAIRN_ELEMENT_CANCELLED && kind != CAIRN_ELEMENT_A_SYNC)
        abort();
}

static void hear(void *context, uint64_t clock, uint32_t events)
{
    (void)context;
    (void)clock;
    if (events == 0 || events & ~(0xfu | CAIRN_UNIT_ATB_TRIGGER))
        abort();
}

/* A port takes some, or nothing. */
static size_t take_some(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    struct run *r = context;
    size_t count = size;

    if (!r->open) {
        r->drawn = r->drawn * 1664525u + 1013904223u + (uint32_t)cycles;
        count = r->drawn >> 8 & r->takes;
    }
    count = count < size ? count : size;
    if (count > 0 && take(r, bytes, count) != CAIRN_OK)
        return size + 1;
    return count;
}

/* Whatever waits for a port. */
static void take_rest(struct run *r)
{
    r->open = true;
    if (cairn_unit_offer(r->unit) != 0 && cairn_unit_status(r->unit) == CAIRN_OK)
        abort();
    r->open = false;
}

static void check_ledger(const struct cairn_ledger *ledger, size_t size, bool old_states)
{
    static const enum cairn_account never[] = {CAIRN_GAP_RESERVED, CAIRN_GAP_CUT,
                                               CAIRN_GAP_TRUNCATED, CAIRN_GAP_NOT_DECODED};
    uint64_t sum = 0;

    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++)
        sum += ledger->account[i].bytes;
    if (ledger->total != size || sum != size)
        abort();
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (ledger->account[never[i]].bytes != 0 &&
            !(old_states && never[i] == CAIRN_GAP_NOT_DECODED))
            abort();
}

/* Decodes what came under the registers so far. */
static void decode(struct run *r)
{
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *batch;
    size_t at = 0;

    take_rest(r);
    if (cairn_decoder_new(r->config, r->image, &decoder) != CAIRN_OK ||
        cairn_flow_batch_new(CAPACITY, &batch) != CAIRN_OK)
        abort();
    while (cairn_decoder_run(decoder, r->trace, r->size, &at, batch) == CAIRN_OK &&
           batch->count > 0)
        batch->count = 0;
    while (cairn_decoder_finish(decoder, batch) == CAIRN_OK && batch->count > 0)
        batch->count = 0;
    check_ledger(cairn_decoder_ledger(decoder), r->size, r->old_states);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    r->size = 0;
}

/* Everything told is written: the unit's own counts are those of the sink. */
static void check_counters(struct run *r)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_flush(r->unit);
    cairn_unit_counters(r->unit, &counters);
    if (counters.traced > counters.instructions)
        abort();
    if (cairn_unit_status(r->unit) == CAIRN_OK &&
        counters.bytes != r->written + cairn_unit_pending_bytes(r->unit))
        abort();
    if (cairn_unit_status(r->unit) == CAIRN_E_IO && r->written < r->refuse_at)
        abort();
}

static void check_position(struct run *r)
{
    const uint64_t position = cairn_unit_position(r->unit);

    if (position != r->written + (r->has_port ? cairn_unit_pending_bytes(r->unit) : 0) &&
        cairn_unit_status(r->unit) == CAIRN_OK)
        abort();
}

/* --- calls --- */

static void write_register(struct run *r)
{
    const char *const name = register_name(&r->input);
    const uint64_t value = number(&r->input);
    struct cairn_config *config;
    struct cairn_error error;

    if (strcmp(name, "TRCPRGCTLR") == 0) {
        if (cairn_unit_write(r->unit, name, value, &error) == CAIRN_OK && value > 1)
            abort();
        return;
    }
    check_counters(r);
    if (cairn_unit_write(r->unit, name, value, &error) != CAIRN_OK)
        return;
    decode(r);
    config = cairn_unit_config(r->unit);
    if (!config)
        abort();
    cairn_config_unref(r->config);
    r->config = config;
}

static void read_registers(struct run *r)
{
    struct cairn_register found;
    uint64_t value;
    size_t index = byte(&r->input);

    const cairn_status status = cairn_unit_read(r->unit, register_name(&r->input), &value);
    if (status != CAIRN_OK && status != CAIRN_E_NOT_FOUND)
        abort();
    if (cairn_unit_register(r->unit, index, &found) == CAIRN_OK &&
        (cairn_unit_read(r->unit, found.name, &value) != CAIRN_OK || value != found.value))
        abort();
}

static void change_context(struct run *r)
{
    const uint8_t bits = byte(&r->input);
    const struct cairn_context context = {
        .EL = bits & 3,
        .security = bits >> 2 & 3,
        .SF = bits >> 4 & 1,
        .sbz = bits >> 5 & 1,
        .vmid = bits & 0x40 ? (uint32_t)number(&r->input) : 0,
        .context_id = bits & 0x80 ? (uint32_t)number(&r->input) : 0,
    };

    cairn_unit_context(r->unit, &context);
}

/* A block of the program, which may be anywhere in it. */
static void execute_code(struct run *r, enum cairn_isa isa, bool follow)
{
    const uint8_t choice = byte(&r->input);
    uint64_t at = choice * UINT64_C(2);

    if (follow)
        at = r->block.address + r->block.size - r->base;
    if (follow && choice & 0x40 && r->block.target)
        at = r->block.target - r->base;
    if (at >= CODE || cairn_unit_scan(r->unit, isa, r->base + at, r->code + at, (size_t)(CODE - at),
                                      &r->block) == 0)
        return;
    cairn_unit_execute(r->unit, &r->block, choice & 1);
}

/* A block that no program has. */
/* The last two are Jazelle and ThumbEE, which no decoder follows. */
static uint8_t isa_of(struct run *r, unsigned bits)
{
    const uint8_t isas[8] = {0, 1, 2, 3, 4, 5, CAIRN_UNIT_ISA_THUMBEE, CAIRN_UNIT_ISA_JAZELLE};

    r->old_states |= (bits & 7) > 5;
    return isas[bits & 7];
}

static void execute_anything(struct run *r)
{
    const uint8_t bits = byte(&r->input);

    if (bits & 1)
        r->block.address = number(&r->input);
    if (bits & 2)
        r->block.target = number(&r->input);
    if (bits & 4)
        r->block.size = (uint32_t)number(&r->input);
    if (bits & 8)
        r->block.count = (uint32_t)number(&r->input);
    if (bits & 16)
        r->block.flags = (uint32_t)number(&r->input);
    if (bits & 32)
        r->block.kind = byte(&r->input);
    if (bits & 64) {
        const uint8_t isas = byte(&r->input);

        r->block.isa = isa_of(r, isas);
        r->block.target_isa = isa_of(r, isas >> 3);
        r->block.last_size = isas >> 6;
    }
    cairn_unit_execute(r->unit, &r->block, bits & 128);
}

static uint64_t some_mark(struct run *r)
{
    const uint8_t choice = byte(&r->input);

    if (choice >= 0xf0)
        return number(&r->input);
    return choice & 0x80 ? cairn_unit_mark(r->unit) - (choice & 0x7f) : r->marks[choice % MARKS];
}

/* One call; false at the end of the input. */
static bool call(struct run *r)
{
    struct input *const in = &r->input;
    struct cairn_unit *const unit = r->unit;

    if (in->left == 0 || r->size > MOST)
        return false;
    switch (byte(in) % 40) {
    case 0:
    case 1:
    case 2:
    case 3: execute_code(r, CAIRN_ISA_A64, true); break;
    case 4: execute_code(r, CAIRN_ISA_A64, false); break;
    case 5: execute_code(r, CAIRN_ISA_A32, true); break;
    case 6: execute_code(r, CAIRN_ISA_A32, false); break;
    case 7: execute_code(r, CAIRN_ISA_T32, true); break;
    case 8: execute_code(r, CAIRN_ISA_T32, false); break;
    case 9: execute_anything(r); break;
    case 10: cairn_unit_execute(unit, &r->block, byte(in) & 1); break;
    case 11: change_context(r); break;
    case 12: {
        const unsigned type = byte(in);

        cairn_unit_exception(unit, type, number(in), (enum cairn_isa)isa_of(r, byte(in)));
        break;
    }
    case 13:
        cairn_unit_exception(unit, byte(in) & 0x1f, r->block.address + r->block.size,
                             (enum cairn_isa)r->block.isa);
        break;
    case 14: cairn_unit_synchronize_context(unit); break;
    case 15: cairn_unit_prohibit(unit, byte(in) & 1); break;
    case 16: cairn_unit_debug_state(unit, byte(in) & 1); break;
    case 17: cairn_unit_low_power(unit, byte(in) & 1); break;
    case 18:
    case 19: cairn_unit_cycles(unit, byte(in)); break;
    case 20:
        if (r->leaps++ < LEAPS)
            cairn_unit_cycles(unit, number(in));
        break;
    case 21: cairn_unit_time(unit, number(in)); break;
    case 22: cairn_unit_clock_stopped(unit); break;
    case 23: cairn_unit_inputs(unit, (uint32_t)number(in)); break;
    case 24: {
        const unsigned bits = byte(in);

        cairn_unit_event(unit, bits);
        cairn_unit_pmu_event(unit, bits);
        if (bits & 0x40)
            cairn_unit_hint(unit, bits & 0x1f);
        if (bits & 0x80)
            cairn_unit_authenticate(unit, bits & 0x1f);
        break;
    }
    case 25: cairn_unit_speculate(unit, byte(in) & 1); break;
    case 26:
    case 27: r->marks[r->mark++ % MARKS] = cairn_unit_mark(unit); break;
    case 28:
    case 29: (void)cairn_unit_resolve(unit, some_mark(r)); break;
    case 30: (void)cairn_unit_cancel(unit, some_mark(r)); break;
    case 31: (void)cairn_unit_mispredict(unit); break;
    case 32: cairn_unit_transaction_start(unit); break;
    case 33: cairn_unit_transaction_commit(unit); break;
    case 34: cairn_unit_transaction_fail(unit); break;
    case 35: cairn_unit_request_sync(unit); break;
    case 36: check_counters(r); break;
    case 37:
        if (byte(in) & 1)
            cairn_unit_enable(unit);
        else
            cairn_unit_disable(unit);
        break;
    case 38: write_register(r); break;
    default: read_registers(r); check_position(r);
    }
    return true;
}

/* --- the unit --- */

static struct cairn_arch some_arch(uint8_t choice)
{
    struct cairn_arch arch = cairn_arch_any_a();

    if (choice & 1) {
        arch.profile = (enum cairn_profile)(choice >> 1 & 3);
        arch.major = choice >> 3 & 15;
        arch.minor = choice >> 7;
    }
    return arch;
}

static bool make_unit(struct run *r)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_register registers[REGISTERS_MAX];
    struct input *const in = &r->input;
    const uint8_t bits = byte(in);
    struct cairn_error error;

    options.protocol = bits & 1 ? CAIRN_PROTOCOL_ETMV4 : CAIRN_PROTOCOL_ETE;
    options.arch = some_arch(bits & 2 ? byte(in) : 0);
    options.choices = byte(in);
    if (options.choices & CHOOSES_PTM)
        options.protocol = CAIRN_PROTOCOL_PTM;
    const uint8_t more = byte(in);
    options.return_stack_depth = more & 15;
    options.choices |= (uint32_t)(more >> 4) << 8 &
                       (CAIRN_UNIT_PROHIBITED_FORGETS_MATCHES | CAIRN_UNIT_PENDING_AFTER_FIRED);
    options.fifo_bytes = bits & 4 ? (uint32_t)number(in) : 0;
    options.fifo_drain = bits & 4 ? (uint32_t)number(in) : 0;
    options.q_instructions = bits & 8 ? (uint32_t)number(in) : 0;
    r->takes = options.fifo_drain & 0x3f;
    if (more & 0x40) {
        options.fifo_drain = 0;
        options.port = take_some;
        options.port_context = r;
        r->has_port = true;
    } else {
        options.sink = take;
        options.sink_context = r;
    }
    options.watch = bits & 16 ? look : NULL;
    options.outputs = bits & 16 ? hear : NULL;
    r->refuse_at = bits & 32 ? number(in) : UINT64_MAX;
    r->base = bits & 64 ? number(in) : 0x1000;
    options.registers = registers;
    options.register_count = byte(in) % (REGISTERS_MAX + 1);
    for (size_t i = 0; i < options.register_count; i++) {
        registers[i].name = register_name(in);
        registers[i].value = number(in);
    }
    if (cairn_unit_new(&options, &r->unit, &error) != CAIRN_OK)
        return false;
    r->config = cairn_unit_config(r->unit);
    if (!r->config)
        abort();
    if (!(bits & 128))
        cairn_unit_enable(r->unit);
    return true;
}

/* Instructions that decide the path in A64, A32 and T32 reading, with others between them. */
static void make_program(struct run *r)
{
    static const uint32_t words[] = {
        0xd503201f, 0x54000040, 0x94000004, 0xd65f03c0, 0xd63f0000, 0x14000002, 0x17fffff0,
        0x34000060, 0xd5033fdf, 0xd69f03e0, 0xd5233060, 0xe12fff1e, 0x0a000001, 0xebfffffe,
        0xfa000000, 0x47704770, 0xd0fdbf18, 0xf7ff4780, 0xf000f800, 0xe8bd8000, 0xd503207f,
        0xd503307f, 0x00000000, 0xffffffff, 0xbf304770, 0xd61f0200,
    };
    const uint64_t room = UINT64_MAX - r->base;

    for (size_t i = 0; i < CODE; i++)
        r->code[i] =
            (uint8_t)(words[i / 8 * 7 % (sizeof words / sizeof words[0])] >> (8 * (i & 3)));
    if (cairn_image_new(&r->image) != CAIRN_OK ||
        cairn_image_add_bytes(r->image, "program", NULL, CAIRN_ORDER_LITTLE, r->base, r->code,
                              room < CODE - 1 ? (size_t)room + 1 : CODE, NULL) != CAIRN_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run *const r = calloc(1, sizeof *r);

    if (!r)
        abort();
    r->input = (struct input){data, size};
    if (!make_unit(r)) {
        free(r);
        return 0;
    }
    r->trace = malloc(ROOM);
    if (!r->trace)
        abort();
    make_program(r);
    while (call(r))
        continue;
    check_counters(r);
    cairn_unit_disable(r->unit);
    check_counters(r);
    decode(r);
    cairn_unit_free(r->unit);
    cairn_config_unref(r->config);
    cairn_image_unref(r->image);
    free(r->trace);
    free(r);
    return 0;
}
