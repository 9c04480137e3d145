/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

static void bench_memory(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct pe_bench *b = context;

    assert_true(address >= b->base && address + size <= b->base + PE_BENCH_MEMORY);
    memcpy(b->memory + (address - b->base), bytes, size);
    b->written += size;
}

static cairn_status bench_bus(void *context, const uint8_t *bytes, size_t size)
{
    struct pe_bench *b = context;

    (void)bytes;
    b->bus += size;
    return CAIRN_OK;
}

static void bench_line(void *context, bool level)
{
    struct pe_bench *b = context;

    b->level = level;
}

static void bench_cti(void *context, unsigned number)
{
    struct pe_bench *b = context;

    assert_true(number < sizeof b->cti / sizeof *b->cti);
    b->cti[number]++;
}

static void bench_system_error(void *context, uint64_t address)
{
    struct pe_bench *b = context;

    b->system_errors++;
    b->error_address = address;
}

static void bench_tell(void *context, const struct cairn_pe_finding *finding)
{
    struct pe_bench *b = context;

    if (b->found++ > 0)
        return;
    b->first = *finding;
    snprintf(b->name, sizeof b->name, "%s", finding->name ? finding->name : "");
}

static void bench_told(void *context, unsigned line, const char *name, uint64_t value)
{
    struct pe_bench *b = context;

    (void)line;
    *(strcmp(name, "TRBSR_EL1") == 0 ? &b->status : &b->value) = value;
}

void pe_bench_begin(struct pe_bench *b, uint64_t base, const struct cairn_pe_options *given)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_pe_options options = *given;
    struct cairn_error error;

    memset(b, 0, sizeof *b);
    b->base = base;
    unit.sink = bench_bus;
    unit.sink_context = b;
    options.unit = &unit;
    options.finds = true;
    options.memory = bench_memory;
    options.line = bench_line;
    options.tell = bench_tell;
    options.cti = bench_cti;
    options.system_error = bench_system_error;
    options.context = b;
    if (cairn_pe_new(&options, &b->pe, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

void pe_bench_end(struct pe_bench *b)
{
    cairn_pe_free(b->pe);
}

struct cairn_pe_options pe_bench_order(unsigned number)
{
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;

    options.order = number == 0 ? CAIRN_PE_EARLY : number == 1 ? CAIRN_PE_LATE : CAIRN_PE_RANDOM;
    options.seed = number;
    return options;
}

cairn_status pe_bench_try(struct pe_bench *b, const char *text, struct cairn_error *error)
{
    return cairn_pe_script(b->pe, "test", text, strlen(text), bench_told, b, error);
}

void pe_bench_run(struct pe_bench *b, const char *text)
{
    struct cairn_error error;

    if (pe_bench_try(b, text, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

uint64_t pe_bench_get(struct pe_bench *b, const char *name)
{
    uint64_t value = 0;

    assert_int_equal(cairn_pe_read(b->pe, name, &value), CAIRN_OK);
    return value;
}
