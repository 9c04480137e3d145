/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <stdlib.h>

struct field {
    const char *name, *where;
    unsigned shift, width;
};

/* Fields by their names in the specification (docs/trace.md, "Registers"). */
static const struct field fields[] = {
    {"BB", "TRCCONFIGR", 3, 1},    {"CCI", "TRCCONFIGR", 4, 1},       {"CID", "TRCCONFIGR", 6, 1},
    {"VMID", "TRCCONFIGR", 7, 1},  {"TS", "TRCCONFIGR", 11, 1},       {"RS", "TRCCONFIGR", 12, 1},
    {"QE", "TRCCONFIGR", 13, 2},   {"THRESHOLD", "TRCCCCTLR", 0, 12}, {"MAXSPEC", "TRCIDR8", 0, 32},
    {"COMMOPT", "TRCIDR0", 29, 1}, {"COMMTRANS", "TRCIDR0", 30, 1},   {"TSMARK", "TRCIDR0", 23, 1},
    {"QFILT", "TRCIDR0", 14, 1},   {"QSUPP", "TRCIDR0", 15, 2},       {"WFXMODE", "TRCIDR2", 31, 1},
    {"CCSIZE", "TRCIDR2", 25, 4},  {"REVISION", "TRCDEVARCH", 16, 4},
};

static cairn_status keep_bytes(void *context, const uint8_t *bytes, size_t size)
{
    struct bench *b = context;

    if (b->size + size > b->capacity) {
        b->capacity = (b->size + size) * 2;
        b->bytes = realloc(b->bytes, b->capacity);
        if (b->bytes == NULL)
            return CAIRN_E_MEMORY;
    }
    if (size != 0)
        memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    return CAIRN_OK;
}

static size_t take_some(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    struct bench *b = context;
    size_t count;

    b->offers++;
    b->offered += cycles;
    b->most_waited = size > b->most_waited ? size : b->most_waited;
    if (b->credit != SIZE_MAX)
        b->credit += (size_t)cycles * b->a_cycle;
    count = size < b->credit ? size : b->credit;
    assert_int_equal(keep_bytes(b, bytes, count), CAIRN_OK);
    if (b->credit != SIZE_MAX)
        b->credit -= count;
    return count;
}

/* --- setting up --- */

static void set_register(struct bench *b, const char *name, uint64_t value)
{
    size_t count = b->options.register_count;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(b->names[i], name) == 0) {
            b->registers[i].value = value;
            return;
        }
    }
    assert_true(count < BENCH_REGISTERS);
    snprintf(b->names[count], sizeof(b->names[count]), "%s", name);
    b->registers[count] = (struct cairn_register){b->names[count], value};
    b->options.register_count++;
}

/* What the register is so far: set before, or the default of a unit like this one. */
static uint64_t planned(struct bench *b, const struct cairn_unit *plain, const char *name)
{
    uint64_t value;

    for (size_t i = 0; i < b->options.register_count; i++) {
        if (strcmp(b->names[i], name) == 0)
            return b->registers[i].value;
    }
    assert_int_equal(cairn_unit_read(plain, name, &value), CAIRN_OK);
    return value;
}

static bool set_option(struct bench *b, const char *name, uint64_t value)
{
    if (strcmp(name, "choices") == 0)
        b->options.choices = (uint32_t)value;
    else if (strcmp(name, "depth") == 0)
        b->options.return_stack_depth = (uint32_t)value;
    else if (strcmp(name, "fifo") == 0)
        b->options.fifo_bytes = (uint32_t)value;
    else if (strcmp(name, "drain") == 0)
        b->options.fifo_drain = (uint32_t)value;
    else if (strcmp(name, "q") == 0)
        b->options.q_instructions = (uint32_t)value;
    else if (strcmp(name, "etmv4") == 0)
        b->options.protocol = CAIRN_PROTOCOL_ETMV4;
    else if (strcmp(name, "implied") == 0)
        b->show_implied = true;
    else if (strcmp(name, "watched") == 0)
        b->must_watch = true;
    else if (strcmp(name, "outputs") == 0)
        b->options.outputs = bench_hear;
    else if (strcmp(name, "port") == 0)
        b->options.port = take_some;
    else
        return false;
    return true;
}

static void set_word(struct bench *b, const struct cairn_unit *plain, const char *name,
                     uint64_t value)
{
    if (set_option(b, name, value))
        return;
    for (size_t i = 0; i < sizeof(fields) / sizeof *fields; i++) {
        const struct field *f = &fields[i];
        uint64_t mask = (UINT64_C(1) << f->width) - 1;

        if (strcmp(name, f->name) == 0) {
            uint64_t old = planned(b, plain, f->where);

            set_register(b, f->where, (old & ~(mask << f->shift)) | value << f->shift);
            return;
        }
    }
    set_register(b, name, value);
}

void bench_open(struct bench *b, const char *text)
{
    struct cairn_unit *plain;
    struct cairn_error error = {.text = ""};
    char copy[1024], *save, *word;

    memset(b, 0, sizeof(*b));
    b->isa = CAIRN_ISA_A64;
    b->options = (struct cairn_unit_options)CAIRN_UNIT_OPTIONS_INIT;
    b->options.arch = cairn_arch_any_a();
    b->options.registers = b->registers;
    b->options.sink = keep_bytes;
    b->options.sink_context = b;
    b->options.watch_context = b;
    b->options.outputs_context = b;
    b->options.port_context = b;
    b->credit = SIZE_MAX;
    if (strstr(text, "etmv4") != NULL)
        b->options.protocol = CAIRN_PROTOCOL_ETMV4;
    {
        struct cairn_unit_options none = b->options;

        none.sink = NULL;
        none.outputs = NULL;
        assert_int_equal(cairn_unit_new(&none, &plain, &error), CAIRN_OK);
    }
    snprintf(copy, sizeof(copy), "%s", text);
    for (word = strtok_r(copy, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');

        if (value != NULL)
            *value++ = '\0';
        set_word(b, plain, word, value != NULL ? strtoull(value, NULL, 0) : 1);
    }
    cairn_unit_free(plain);
    if (b->options.port)
        b->options.sink = NULL;
    if (b->must_watch || getenv("BENCH_UNWATCHED") == NULL)
        b->options.watch = bench_watch;
    if (cairn_unit_new(&b->options, &b->unit, &error) != CAIRN_OK)
        fail_msg("cairn_unit_new: %s", error.text);
    b->config = cairn_unit_config(b->unit);
    assert_non_null(b->config);
}

void bench_begin(struct bench *b, const char *text)
{
    bench_open(b, text);
    cairn_unit_enable(b->unit);
    level(b, "EL1n");
}

void bench_end(struct bench *b)
{
    assert_int_equal(cairn_unit_status(b->unit), CAIRN_OK);
    cairn_unit_free(b->unit);
    cairn_config_unref(b->config);
    free(b->bytes);
    free(b->words.word);
    free(b->seen.word);
    free(b->driven.word);
}

/* --- what the PE does --- */

void step(struct bench *b, uint64_t address, unsigned size, enum cairn_insn_kind kind,
          uint32_t flags, uint64_t target, int taken)
{
    struct cairn_block block = {
        .address = address,
        .target = target,
        .size = size,
        .count = 1,
        .flags = flags,
        .isa = (uint8_t)b->isa,
        .kind = (uint8_t)kind,
        .last_size = (uint8_t)size,
        .target_isa = (uint8_t)(kind == CAIRN_INSN_BRANCH_DIRECT ? b->isa : CAIRN_ISA_UNKNOWN),
    };

    if (kind == CAIRN_INSN_BRANCH_DIRECT && (flags & CAIRN_INSN_EXCHANGE) != 0)
        block.target_isa = b->isa == CAIRN_ISA_T32 ? CAIRN_ISA_A32 : CAIRN_ISA_T32;
    cairn_unit_execute(b->unit, &block, taken != 0);
}

static unsigned width(const struct bench *b)
{
    return b->isa == CAIRN_ISA_T32 ? 2 : 4;
}

void code(struct bench *b, uint64_t address, unsigned instructions)
{
    struct cairn_block block = {
        .address = address,
        .size = instructions * width(b),
        .count = instructions,
        .isa = (uint8_t)b->isa,
        .kind = CAIRN_INSN_OTHER,
        .last_size = (uint8_t)width(b),
    };

    cairn_unit_execute(b->unit, &block, true);
}

void branch(struct bench *b, uint64_t address, uint64_t target, int taken)
{
    step(b, address, width(b), CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL, target, taken);
}

void call(struct bench *b, uint64_t address, uint64_t target)
{
    step(b, address, 4, CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_LINK, target, TAKEN);
}

void jump(struct bench *b, uint64_t address)
{
    step(b, address, width(b), CAIRN_INSN_BRANCH_INDIRECT, 0, 0, TAKEN);
}

void ret(struct bench *b, uint64_t address)
{
    step(b, address, width(b), CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_RETURN, 0, TAKEN);
}

void call_register(struct bench *b, uint64_t address)
{
    step(b, address, width(b), CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_LINK, 0, TAKEN);
}

void eret(struct bench *b, uint64_t address)
{
    step(b, address, 4, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET, 0, TAKEN);
}

void isb(struct bench *b, uint64_t address, int taken)
{
    step(b, address, 4, CAIRN_INSN_ISB, 0, 0, taken);
}

void wfi(struct bench *b, uint64_t address, int taken)
{
    step(b, address, width(b), CAIRN_INSN_WFX, 0, 0, taken);
}

void tstart(struct bench *b, uint64_t address)
{
    step(b, address, 4, CAIRN_INSN_TSTART, 0, 0, TAKEN);
    cairn_unit_transaction_start(b->unit);
}

void tcommit(struct bench *b, uint64_t address)
{
    step(b, address, 4, CAIRN_INSN_OTHER, 0, 0, TAKEN);
    cairn_unit_transaction_commit(b->unit);
}

void clock_with(struct bench *b, unsigned inputs)
{
    cairn_unit_inputs(b->unit, inputs);
    cairn_unit_cycles(b->unit, 1);
    cairn_unit_inputs(b->unit, 0);
}

void exception(struct bench *b, unsigned type, uint64_t address)
{
    cairn_unit_exception(b->unit, type, address, b->isa);
}

void cycles(struct bench *b, uint64_t count)
{
    cairn_unit_cycles(b->unit, count);
}

void at_time(struct bench *b, uint64_t time)
{
    cairn_unit_time(b->unit, time);
}

void level(struct bench *b, const char *name)
{
    b->context.EL = (uint8_t)(name[2] - '0');
    b->context.security = name[3] == 's' ? CAIRN_SECURE : CAIRN_NONSECURE;
    b->context.SF = 1;
    cairn_unit_context(b->unit, &b->context);
}

void context_id(struct bench *b, uint32_t id)
{
    b->context.context_id = id;
    cairn_unit_context(b->unit, &b->context);
}

uint64_t mark(struct bench *b)
{
    return cairn_unit_mark(b->unit);
}

void speculate(struct bench *b)
{
    cairn_unit_speculate(b->unit, true);
}

void resolve(struct bench *b, uint64_t mark)
{
    assert_int_equal(cairn_unit_resolve(b->unit, mark), CAIRN_OK);
}

void cancel(struct bench *b, uint64_t mark)
{
    assert_int_equal(cairn_unit_cancel(b->unit, mark), CAIRN_OK);
}

void mispredict(struct bench *b)
{
    assert_int_equal(cairn_unit_mispredict(b->unit), CAIRN_OK);
}

uint64_t read_register(struct bench *b, const char *name)
{
    uint64_t value = 0;

    assert_int_equal(cairn_unit_read(b->unit, name, &value), CAIRN_OK);
    return value;
}

void write_register(struct bench *b, const char *name, uint64_t value)
{
    struct cairn_error error = {.text = ""};

    if (cairn_unit_write(b->unit, name, value, &error) != CAIRN_OK)
        fail_msg("%s: %s", name, error.text);
}
