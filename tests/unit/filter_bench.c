/* SPDX-License-Identifier: BSD-2-Clause */
#include "filter_bench.h"

const struct level levels[LEVELS] = {
    {CAIRN_SECURE, 0, 16},    {CAIRN_SECURE, 1, 17},    {CAIRN_SECURE, 2, 18},
    {CAIRN_SECURE, 3, 19},    {CAIRN_NONSECURE, 0, 20}, {CAIRN_NONSECURE, 1, 21},
    {CAIRN_NONSECURE, 2, 22}, {CAIRN_REALM, 0, 24},     {CAIRN_REALM, 1, 25},
    {CAIRN_REALM, 2, 26},     {CAIRN_ROOT, 3, 19},
};

void at(struct bench *b, uint64_t address, uint32_t instructions)
{
    b->block = (struct cairn_block){.address = address,
                                    .size = 4 * instructions,
                                    .count = instructions,
                                    .isa = CAIRN_ISA_A64,
                                    .last_size = 4};
}

void in(struct bench *b, enum cairn_security security, uint8_t el)
{
    b->context.security = (uint8_t)security;
    b->context.EL = el;
}

void set(struct bench *b, const char *name, uint64_t value)
{
    struct cairn_error error = {0};
    if (cairn_unit_registers_write(&b->registers, name, value, true, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    struct cairn_unit_state unit;
    cairn_unit_registers_load(&b->registers, &unit);
    b->active = unit.start_stop;
    cairn_unit_program_read(&b->registers, &b->program);
}

void set_n(struct bench *b, const char *name, unsigned n, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%s%u", name, n);
    set(b, text, value);
}

void begin(struct bench *b)
{
    const struct cairn_arch arch = {.profile = CAIRN_PROFILE_A, .major = 9, .minor = 2};
    *b = (struct bench){.context = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1}};
    cairn_unit_registers_reset(&b->registers, CAIRN_PROTOCOL_ETE, &arch);
    b->input.block = &b->block;
    b->input.context = &b->context;
    at(b, 0x1000, 1);
    set(b, "TRCIDR4", 0x888f8008); /* with eight PE comparators */
}

void set_range(struct bench *b, unsigned arc, uint64_t first, uint64_t last)
{
    set_n(b, "TRCACVR", 2 * arc, first);
    set_n(b, "TRCACVR", 2 * arc + 1, last);
}

bool view(struct bench *b)
{
    return cairn_filter_view(&b->program, &b->input, &b->active);
}

bool view_at(struct bench *b, uint64_t address, uint32_t instructions)
{
    at(b, address, instructions);
    return view(b);
}

bool event(struct bench *b, uint8_t select, bool pair)
{
    return cairn_filter_event(
        &b->program, (struct cairn_unit_selection){.select = select, .pair = pair}, &b->input);
}

bool resource(struct bench *b, unsigned group, unsigned number)
{
    set(b, "TRCRSCTLR2", group << 16 | 1u << number);
    return event(b, 2, false);
}

bool resource_at(struct bench *b, unsigned group, unsigned number, uint64_t address)
{
    at(b, address, 1);
    return resource(b, group, number);
}
