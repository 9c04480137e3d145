/* SPDX-License-Identifier: BSD-2-Clause */
/* Any sequence of calls of an ETMv3 or ETMv2 trace unit, sensible or not, data transfers among them.
 * Whatever a feed tells: each byte that the unit counts goes to the sink once, and what it writes
 * is whole packets that a decoder knows, under the registers of the time. */
#include <stdlib.h>
#include <string.h>

#include <cairn.h>
#include <cairn/unit.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    CODE = 512,     /* bytes of program */
    MOST = 1 << 18, /* bytes of trace after which nothing more is told */
    ROOM = 1 << 20,
    CAPACITY = 256, /* records */
    LEAPS = 4,      /* through many cycles */
    REGISTERS_MAX = 7,
    V2 = 0x80, /* of the byte that says how many registers there are */
    V2_FOLDS = 0x40,
    V2_FIFO_LEAST = 14,
    V2_FIFO_MOST = 100,
};
#define BASE UINT64_C(0x8000)

struct input {
    const uint8_t *at;
    size_t left;
};

struct run {
    struct input input;
    uint8_t code[CODE];
    struct cairn_image *image;
    struct cairn_unit *unit;
    struct cairn_config *config; /* of the bytes in `trace` */
    uint8_t *trace;
    size_t size;
    uint64_t written;
    unsigned leaps;
    struct cairn_block block; /* the last one */
    uint32_t takes;           /* of a port: a mask of how many bytes it takes at once */
    uint32_t drawn;
    bool open; /* it takes all */
};

static uint8_t byte(struct input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

static uint64_t number(struct input *input)
{
    static const uint8_t sizes[] = {0, 1, 1, 1, 2, 2, 4, 8};
    const uint8_t first = byte(input);
    uint64_t value = 0;

    for (unsigned n = sizes[first % sizeof sizes]; n > 0; n--)
        value = value << 8 | byte(input);
    return first & 0x80 ? ~value : value;
}

static const char *register_name(struct input *input)
{
    static const char *const names[] = {
        "ETMCR",      "ETMIDR",    "ETMCCER",      "ETMTEEVR",    "ETMTECR1",   "ETMTECR2",
        "ETMTSSCR",   "ETMVDEVR",  "ETMVDCR1",     "ETMVDCR3",    "ETMFFLR",    "ETMSYNCFR",
        "ETMACVR1",   "ETMACVR2",  "ETMACTR1",     "ETMACTR2",    "ETMDCVR1",   "ETMDCMR1",
        "ETMCIDCVR1", "ETMCIDCMR", "ETMCNTRLDVR1", "ETMCNTENR1",  "ETMSQ12EVR", "ETMTRIGGER",
        "ETMTSEVR",   "ETMSR",     "ETMIDR2",      "ETMTRACEIDR", "ETMACVR16",  "ETMNONE",
    };

    return names[byte(input) % (sizeof names / sizeof names[0])];
}

/* --- the trace --- */

static cairn_status take(void *context, const uint8_t *bytes, size_t size)
{
    struct run *r = context;

    if (size == 0 || size > ROOM - r->size)
        abort();
    memcpy(r->trace + r->size, bytes, size);
    r->size += size;
    r->written += size;
    return CAIRN_OK;
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

static void check_ledger(const struct cairn_ledger *ledger, size_t size)
{
    static const enum cairn_account never[] = {CAIRN_GAP_RESERVED, CAIRN_GAP_CUT,
                                               CAIRN_GAP_TRUNCATED};
    uint64_t sum = 0;

    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++)
        sum += ledger->account[i].bytes;
    if (ledger->total != size || sum != size)
        abort();
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (ledger->account[never[i]].bytes != 0)
            abort();
}

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
    check_ledger(cairn_decoder_ledger(decoder), r->size);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    r->size = 0;
}

static void check_counters(struct run *r)
{
    uint64_t position;
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_flush(r->unit);
    cairn_unit_counters(r->unit, &counters);
    if (counters.traced > counters.instructions || cairn_unit_status(r->unit) != CAIRN_OK)
        abort();
    position = cairn_unit_position(r->unit);
    if (counters.bytes != r->written + cairn_unit_pending_bytes(r->unit) ||
        position != counters.bytes)
        abort();
}

/* --- calls --- */

/* What is in the trace was written under the registers as they were. */
static void write_register(struct run *r)
{
    const char *const name = register_name(&r->input);
    const uint64_t value = number(&r->input);
    struct cairn_error error;

    cairn_unit_disable(r->unit);
    check_counters(r);
    decode(r);
    const cairn_status status = cairn_unit_write(r->unit, name, value, &error);
    if (status != CAIRN_OK && status != CAIRN_E_CONFIG && status != CAIRN_E_NOT_FOUND)
        abort();
    cairn_unit_disable(r->unit);
    cairn_config_unref(r->config);
    r->config = cairn_unit_config(r->unit);
    if (!r->config)
        abort();
    decode(r);
    cairn_unit_enable(r->unit);
}

static void read_registers(struct run *r)
{
    struct cairn_register found;
    uint64_t value;
    const size_t index = byte(&r->input);
    const cairn_status status = cairn_unit_read(r->unit, register_name(&r->input), &value);

    if (status != CAIRN_OK && status != CAIRN_E_NOT_FOUND)
        abort();
    if (cairn_unit_register(r->unit, index, &found) == CAIRN_OK &&
        cairn_unit_read(r->unit, found.name, &value) != CAIRN_OK)
        abort();
}

static void change_context(struct run *r)
{
    const uint8_t bits = byte(&r->input);
    const struct cairn_context context = {
        .EL = bits & 3,
        .security = bits >> 2 & 3,
        .SF = bits >> 4 & 1,
        .vmid = bits & 0x40 ? (uint32_t)number(&r->input) : 0,
        .context_id = bits & 0x80 ? (uint32_t)number(&r->input) : 0,
    };

    cairn_unit_context(r->unit, &context);
}

static void execute_code(struct run *r, enum cairn_isa isa, bool follow)
{
    const uint8_t choice = byte(&r->input);
    uint64_t at = choice * UINT64_C(2);

    if (follow)
        at = r->block.address + r->block.size - BASE;
    if (follow && choice & 0x40 && r->block.target)
        at = r->block.target - BASE;
    if (at >= CODE ||
        cairn_unit_scan(r->unit, isa, BASE + at, r->code + at, (size_t)(CODE - at), &r->block) == 0)
        return;
    cairn_unit_execute(r->unit, &r->block, choice & 1);
}

/* A block that no program has. */
static void execute_anything(struct run *r)
{
    const uint8_t bits = byte(&r->input);

    if (bits & 1)
        r->block.address = number(&r->input);
    if (bits & 2)
        r->block.target = number(&r->input);
    if (bits & 4)
        r->block.size = (uint32_t)number(&r->input) & 0x3ff;
    if (bits & 8)
        r->block.count = (uint32_t)number(&r->input);
    if (bits & 16)
        r->block.flags = (uint32_t)number(&r->input);
    if (bits & 32)
        r->block.kind = byte(&r->input);
    if (bits & 64) {
        const uint8_t isas = byte(&r->input);

        r->block.isa = isas & 7;
        r->block.target_isa = isas >> 3 & 7;
        r->block.last_size = isas >> 6;
    }
    cairn_unit_execute(r->unit, &r->block, bits & 128);
}

static void transfer(struct run *r)
{
    const uint8_t bits = byte(&r->input);
    static const uint32_t sizes[] = {1, 2, 4, 8};
    struct cairn_unit_transfer told = {.bytes = sizes[bits & 3], .flags = byte(&r->input)};

    told.address = number(&r->input);
    told.value = number(&r->input);
    if (bits & 4)
        told.bytes = (uint32_t)number(&r->input);
    if (bits & 0x80) /* missed, or returned */
        told.flags |= (bits >> 5 & 3u) << 8 | CAIRN_UNIT_DATA_TAG(bits >> 3 & 3);
    cairn_unit_data(r->unit, &told);
}

static void pass_cycles(struct run *r)
{
    const uint64_t cycles = number(&r->input);

    if (cycles < 1000 || r->leaps++ < LEAPS)
        cairn_unit_cycles(r->unit, cycles);
}

/* One call; false at the end of the input. */
static bool call(struct run *r)
{
    struct input *const in = &r->input;
    struct cairn_unit *const unit = r->unit;

    if (in->left == 0 || r->size > MOST)
        return false;
    switch (byte(in) % 29) {
    case 0:
    case 1:
    case 2: execute_code(r, CAIRN_ISA_A32, true); break;
    case 3: execute_code(r, CAIRN_ISA_A32, false); break;
    case 4:
    case 5: execute_code(r, CAIRN_ISA_T32, true); break;
    case 6: execute_code(r, CAIRN_ISA_T32, false); break;
    case 7: execute_anything(r); break;
    case 8:
    case 9:
    case 10: transfer(r); break;
    case 11: change_context(r); break;
    case 12: {
        const unsigned type = (unsigned)number(in);

        cairn_unit_exception(unit, type, number(in), (enum cairn_isa)(byte(in) & 7));
        break;
    }
    case 13:
        cairn_unit_exception(unit, byte(in) & 0x1f, r->block.address + r->block.size,
                             (enum cairn_isa)r->block.isa);
        break;
    case 14:
        cairn_unit_exception(unit, byte(in) & 0x1f, r->block.address, (enum cairn_isa)r->block.isa);
        break;
    case 15: cairn_unit_prohibit(unit, byte(in) & 1); break;
    case 16: cairn_unit_debug_state(unit, byte(in) & 1); break;
    case 17:
    case 18: pass_cycles(r); break;
    case 19: cairn_unit_time(unit, number(in)); break;
    case 20: cairn_unit_clock_stopped(unit); break;
    case 21: cairn_unit_inputs(unit, (uint32_t)number(in)); break;
    case 22: cairn_unit_request_sync(unit); break;
    case 23: check_counters(r); break;
    case 24: write_register(r); break;
    case 26: cairn_unit_data_pending(unit, byte(in) & 3); break;
    case 27: cairn_unit_authenticate(unit, byte(in) & 15); break;
    case 28: cairn_unit_low_power(unit, byte(in) & 1); break;
    default: read_registers(r);
    }
    return true;
}

/* --- the unit --- */

/* It has neither a port nor a rate at which the FIFO drains. */
static void make_v2(struct cairn_unit_options *options, uint8_t bits)
{
    struct run *const r = options->port ? options->port_context : options->sink_context;

    options->protocol = CAIRN_PROTOCOL_ETMV2;
    options->arch = (struct cairn_arch){CAIRN_PROFILE_A, 5, 0, 0};
    options->choices |= bits & V2_FOLDS ? CAIRN_UNIT_FOLD_BRANCHES : 0;
    if (options->fifo_bytes != 0)
        options->fifo_bytes =
            V2_FIFO_LEAST + options->fifo_bytes % (V2_FIFO_MOST - V2_FIFO_LEAST + 1);
    options->fifo_drain = 0;
    options->port = NULL;
    options->sink = take;
    options->sink_context = r;
}

static bool make_unit(struct run *r)
{
    static const uint32_t ids[] = {0x410cf250, 0x4104f230, 0x4114f250, 0x41000200,
                                   0x41000210, 0x41041220, 0x411cf240, 0x4100f230};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_register registers[REGISTERS_MAX + 1];
    struct input *const in = &r->input;
    const uint8_t bits = byte(in);
    struct cairn_error error;

    options.protocol = CAIRN_PROTOCOL_ETMV3;
    options.arch =
        (struct cairn_arch){(enum cairn_profile)((bits >> 3 & 3) % 3), 7, 0, CAIRN_FEATURE_THUMB2};
    options.choices = byte(in);
    options.fifo_bytes = bits & 32 ? (uint32_t)number(in) : 0;
    options.fifo_drain = bits & 32 ? (uint32_t)number(in) : 0;
    r->takes = options.fifo_drain & 0x3f;
    if (bits & 128) {
        options.fifo_drain = 0;
        options.port = take_some;
        options.port_context = r;
    } else {
        options.sink = take;
        options.sink_context = r;
    }
    options.registers = registers;
    const uint8_t count = byte(in);

    if (count & V2)
        make_v2(&options, count);
    options.register_count = count % (REGISTERS_MAX + 1);
    for (size_t i = 0; i < options.register_count; i++) {
        registers[i].name = register_name(in);
        registers[i].value = number(in);
    }
    if (!(bits & 64) && !(count & V2))
        registers[options.register_count++] = (struct cairn_register){"ETMIDR", ids[bits & 7]};
    if (cairn_unit_new(&options, &r->unit, &error) != CAIRN_OK)
        return false;
    r->config = cairn_unit_config(r->unit);
    if (!r->config)
        abort();
    cairn_unit_enable(r->unit);
    return true;
}

static void make_program(struct run *r)
{
    static const uint32_t words[] = {
        0xe1a00000, 0xe5910000, 0x0a000001, 0xebfffffe, 0xe12fff1e, 0xfa000000, 0x47704770,
        0xd0fdbf18, 0x6808f8d1, 0xf3bf8f6f, 0xe8bd8000, 0xe8910007, 0xe1012090, 0xef000000,
    };

    for (size_t i = 0; i < CODE; i++)
        r->code[i] =
            (uint8_t)(words[i / 4 * 5 % (sizeof words / sizeof words[0])] >> (8 * (i & 3)));
    if (cairn_image_new(&r->image) != CAIRN_OK ||
        cairn_image_add_bytes(r->image, "program", NULL, CAIRN_ORDER_LITTLE, BASE, r->code, CODE,
                              NULL) != CAIRN_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run *const r = calloc(1, sizeof *r);

    if (!r)
        abort();
    r->input = (struct input){data, size};
    r->trace = malloc(ROOM);
    if (!r->trace)
        abort();
    if (make_unit(r)) {
        make_program(r);
        while (call(r))
            ;
        cairn_unit_disable(r->unit);
        check_counters(r);
        decode(r);
        cairn_image_unref(r->image);
        cairn_config_unref(r->config);
        cairn_unit_free(r->unit);
    }
    free(r->trace);
    free(r);
    return 0;
}
