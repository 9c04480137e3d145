/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv3_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGISTERS_MAX 32

struct etmv3_bench bench;
static struct cairn_context context;

static cairn_status sink(void *closure, const uint8_t *bytes, size_t size)
{
    struct etmv3_bench *b = closure;

    if (b->size + size > BENCH_BYTES)
        return CAIRN_E_LIMIT;
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    return CAIRN_OK;
}

/* "NAME=HEX ..." into registers; names stay in `text`. */
static size_t parse(char *text, struct cairn_register *registers)
{
    size_t count = 0;

    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');

        assert_non_null(equals);
        assert_true(count < REGISTERS_MAX);
        *equals = 0;
        registers[count++] = (struct cairn_register){word, strtoull(equals + 1, NULL, 16)};
    }
    return count;
}

void bench_begin_with(uint32_t id, const char *program, struct cairn_unit_options options)
{
    struct cairn_register registers[REGISTERS_MAX + 1];
    struct cairn_error error = {.status = CAIRN_OK};
    char text[1024];
    const bool is_m = (id >> 19 & 3u) == 2; /* alternative encoding, no Security Extensions */

    memset(&bench, 0, sizeof bench);
    snprintf(text, sizeof text, "%s", program);
    options.register_count = parse(text, registers);
    registers[options.register_count++] = (struct cairn_register){"ETMIDR", id};
    options.registers = registers;
    options.protocol = CAIRN_PROTOCOL_ETMV3;
    options.arch = (struct cairn_arch){is_m            ? CAIRN_PROFILE_M
                                       : id & 1u << 19 ? CAIRN_PROFILE_A
                                                       : CAIRN_PROFILE_R,
                                       7, 0, CAIRN_FEATURE_THUMB2};
    options.sink = sink;
    options.sink_context = &bench;
    if (cairn_unit_new(&options, &bench.unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    context = (struct cairn_context){.security = CAIRN_SECURE};
    cairn_unit_context(bench.unit, &context);
    cairn_unit_enable(bench.unit);
}

void bench_begin(uint32_t id, const char *program)
{
    const struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    bench_begin_with(id, program, options);
}

void bench_end(void)
{
    assert_int_equal(cairn_unit_status(bench.unit), CAIRN_OK);
    cairn_unit_free(bench.unit);
    bench.unit = NULL;
}

void bench_start(uint32_t id, const char *program, uint32_t address, const char *hex)
{
    char wanted[128];

    bench_begin(id, program);
    run(address);
    snprintf(wanted, sizeof wanted, "00 00 00 00 00 80 %s", hex);
    expect(wanted);
}

void expect(const char *hex)
{
    char got[8192] = "";
    char wanted[8192] = "";
    size_t length = 0;

    cairn_unit_flush(bench.unit);
    assert_true((bench.size - bench.checked) * 2 < sizeof got);
    for (size_t i = bench.checked; i < bench.size; i++)
        snprintf(got + 2 * (i - bench.checked), 3, "%02x", bench.bytes[i]);
    for (; *hex; hex++)
        if (*hex != ' ')
            wanted[length++] = *hex;
    bench.checked = bench.size;
    assert_string_equal(got, wanted);
}

void instruction(uint32_t address, unsigned kind, uint32_t flags, uint32_t target, bool taken)
{
    const bool thumb = (address & 1u) != 0;
    const uint8_t size = thumb ? 2 : 4;
    const struct cairn_block block = {
        .address = address & ~1u,
        .target = target & ~1u,
        .size = size,
        .count = 1,
        .flags = flags,
        .isa = thumb ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
        .kind = (uint8_t)kind,
        .last_size = size,
        .target_isa = target & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
    };

    cairn_unit_execute(bench.unit, &block, taken);
}

void run(uint32_t address)
{
    instruction(address, CAIRN_INSN_OTHER, 0, 0, true);
}

void fail_condition(uint32_t address)
{
    instruction(address, CAIRN_INSN_OTHER, 0, 0, false);
}

void branch(uint32_t address, uint32_t target)
{
    instruction(address, CAIRN_INSN_BRANCH_DIRECT, 0, target, true);
}

void jump(uint32_t address)
{
    instruction(address, CAIRN_INSN_BRANCH_INDIRECT, 0, 0, true);
}

void exception_return(uint32_t address)
{
    instruction(address, CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ERET, 0, true);
}

void except(unsigned type, uint32_t address)
{
    cairn_unit_exception(bench.unit, type, address & ~1u,
                         address & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32);
}

void secure(bool is_secure, unsigned EL)
{
    context.security = is_secure ? CAIRN_SECURE : CAIRN_NONSECURE;
    context.EL = (uint8_t)EL;
    cairn_unit_context(bench.unit, &context);
}

void context_id(uint32_t id)
{
    context.context_id = id;
    cairn_unit_context(bench.unit, &context);
}

void transfer(uint32_t address, uint32_t bytes, uint64_t value, uint32_t flags)
{
    const struct cairn_unit_transfer told = {address, value, bytes, flags};

    cairn_unit_data(bench.unit, &told);
}

void load(uint32_t address, uint32_t bytes, uint64_t value)
{
    transfer(address, bytes, value, 0);
}

void store(uint32_t address, uint32_t bytes, uint64_t value)
{
    transfer(address, bytes, value, CAIRN_UNIT_DATA_STORE);
}
