/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv1_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGISTERS_MAX 32
#define DEPTH 45

struct etmv1_pins pins;
static struct cairn_context context;
static const char names[][3] = {"IE", "ID", "IN", "WT", "BE", "BD", "TR", "TD"};
static const char names_v2[][5] = {"IE",   "DE",   "IN",   "DN",   "WT",   "DW",   "TR",   "TD",
                                   "PTIE", "PTDE", "PTIN", "PTDN", "PNIE", "PNDE", "PNIN", "PNDN"};

static cairn_status keep(void *closure, const uint8_t *bytes, size_t size)
{
    struct etmv1_pins *p = closure;

    if (p->size + size > PINS_MOST)
        return CAIRN_E_LIMIT;
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
    return CAIRN_OK;
}

static void begin(const char *program, uint32_t fifo_bytes, bool v2, uint32_t choices)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_register registers[REGISTERS_MAX];
    struct cairn_error error = {.status = CAIRN_OK};
    uint64_t control = 0;
    char text[1024];

    memset(&pins, 0, sizeof pins);
    pins.v2 = v2;
    snprintf(text, sizeof text, "%s", program);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');

        assert_non_null(equals);
        *equals = 0;
        registers[options.register_count++] =
            (struct cairn_register){word, strtoull(equals + 1, NULL, 16)};
    }
    options.registers = registers;
    options.protocol = v2 ? CAIRN_PROTOCOL_ETMV2 : CAIRN_PROTOCOL_ETMV1;
    options.choices = choices;
    options.arch = (struct cairn_arch){CAIRN_PROFILE_A, 5, 0, 0};
    options.fifo_bytes = fifo_bytes;
    options.sink = keep;
    options.sink_context = &pins;
    if (cairn_unit_new(&options, &pins.unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(cairn_unit_read(pins.unit, "ETMCR", &control), CAIRN_OK);
    pins.digits = 1u << (control >> 4 & 3u);
    context = (struct cairn_context){.security = CAIRN_NONSECURE};
    cairn_unit_context(pins.unit, &context);
    cairn_unit_enable(pins.unit);
}

void pins_begin_with(const char *program, uint32_t fifo_bytes)
{
    begin(program, fifo_bytes, false, 0);
}

void pins_begin_v2(const char *program, uint32_t fifo_bytes, uint32_t choices)
{
    begin(program, fifo_bytes, true, choices);
}

void pins_begin(const char *program)
{
    pins_begin_with(program, DEPTH);
}

void begin_v2_at_8000(const char *program, uint32_t choices)
{
    pins_begin_v2(program, DEPTH, choices);
    pass(3);
    run(0x8000);
    pass(30);
    ignore_cycles();
}

void pins_end(void)
{
    assert_int_equal(cairn_unit_status(pins.unit), CAIRN_OK);
    cairn_unit_free(pins.unit);
    pins.unit = NULL;
}

/* The bytes come to the sink without a cycle more. */
static void collect(void)
{
    (void)cairn_unit_position(pins.unit);
}

size_t cycle_count(void)
{
    collect();
    return (pins.size - pins.checked) / CAIRN_SAMPLE_BYTES;
}

struct cairn_sample cycle_at(size_t n)
{
    collect();
    return cairn_sample_load(pins.bytes + pins.checked + n * CAIRN_SAMPLE_BYTES);
}

void ignore_cycles(void)
{
    collect();
    pins.checked = pins.size;
}

/* "TD.01x4" as four. */
static void unfold(const char *from, char *to, size_t room)
{
    size_t length = 0;

    while (*from) {
        const size_t word = strcspn(from, " ");
        const char *times = memchr(from, 'x', word);
        const int count = times ? atoi(times + 1) : 1;

        for (int i = 0; i < count; i++)
            length += (size_t)snprintf(to + length, room - length, "%s%.*s", length ? " " : "",
                                       (int)(times ? times - from : (long)word), from);
        from += word;
        from += strspn(from, " ");
    }
}

static void compare(const char *wanted, bool packets)
{
    static char got[32768], unfolded[32768];
    const size_t count = cycle_count();
    size_t length = 0;

    got[0] = unfolded[0] = 0;
    for (size_t i = 0; i < count && length < sizeof got - 16; i++) {
        const struct cairn_sample sample = cycle_at(i);

        length +=
            (size_t)snprintf(got + length, sizeof got - length, "%s%s", i ? " " : "",
                             pins.v2 ? names_v2[sample.pipestat & 15] : names[sample.pipestat & 7]);
        if (packets)
            length += (size_t)snprintf(got + length, sizeof got - length, "%c%0*x",
                                       sample.flags & CAIRN_SAMPLE_SYNC ? '*' : '.',
                                       (int)pins.digits, sample.packet);
    }
    pins.checked = pins.size;
    unfold(wanted, unfolded, sizeof unfolded);
    assert_string_equal(got, unfolded);
}

void expect_cycles(const char *cycles)
{
    compare(cycles, true);
}

void expect_statuses(const char *statuses)
{
    compare(statuses, false);
}

void tell(uint32_t address, unsigned kind, uint32_t target, bool passed)
{
    const bool thumb = (address & 1u) != 0;
    const uint8_t size = thumb ? 2 : 4;
    const struct cairn_block block = {
        .address = address & ~1u,
        .target = target & ~1u,
        .size = size,
        .count = 1,
        .isa = thumb ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
        .kind = (uint8_t)kind,
        .last_size = size,
        .target_isa = target & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
    };

    cairn_unit_execute(pins.unit, &block, passed);
}

void run(uint32_t address)
{
    tell(address, CAIRN_INSN_OTHER, 0, true);
}

void run_on(uint32_t from, uint32_t last)
{
    for (uint32_t at = from; at <= last; at += 4)
        run(at);
}

void fail_condition(uint32_t address)
{
    tell(address, CAIRN_INSN_OTHER, 0, false);
}

void branch(uint32_t address, uint32_t target)
{
    tell(address, CAIRN_INSN_BRANCH_DIRECT, target, true);
}

void jump(uint32_t address)
{
    tell(address, CAIRN_INSN_BRANCH_INDIRECT, 0, true);
}

void bytecode(uint32_t address)
{
    const struct cairn_block block = {
        .address = address, .size = 1, .count = 1, .isa = CAIRN_UNIT_ISA_JAZELLE, .last_size = 1};

    cairn_unit_execute(pins.unit, &block, true);
}

void except(unsigned type, uint32_t address)
{
    cairn_unit_exception(pins.unit, type, address & ~1u,
                         address & 1u ? CAIRN_ISA_T32 : CAIRN_ISA_A32);
}

void context_id(uint32_t id)
{
    context.context_id = id;
    cairn_unit_context(pins.unit, &context);
}

void transfer(uint32_t address, uint32_t bytes, uint64_t value, uint32_t flags)
{
    const struct cairn_unit_transfer told = {address, value, bytes, flags};

    cairn_unit_data(pins.unit, &told);
}

void load(uint32_t address, uint32_t bytes, uint64_t value)
{
    transfer(address, bytes, value, 0);
}

void pass(uint64_t cycles)
{
    cairn_unit_cycles(pins.unit, cycles);
}
