/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, programming and enabling the model of an MTB, and its RAM (DDI0486 3.2). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/sizes.h"
#include "protocol/protocol.h"
#include "unit/mtb/core.h"

#define PACKET 8u
#define MASK_DEFAULT 8u /* 4 KiB */
#define MASK_MOST 24u   /* 256 MiB */
#define BASE_DEFAULT UINT32_C(0x20000000)
#define GIVEN_OUT 65536u /* bytes that the sink gets at once */

static const struct {
    const char *name;
    uint32_t mask;
} rows[CAIRN_MTB_REGISTERS] = {
    [CAIRN_MTB_POSITION] = {"MTB_POSITION", CAIRN_MTB_POINTER | CAIRN_MTB_WRAP},
    [CAIRN_MTB_MASTER] = {"MTB_MASTER", CAIRN_MTB_MASK | CAIRN_MTB_TSTARTEN | CAIRN_MTB_TSTOPEN |
                                            CAIRN_MTB_HALTREQ | CAIRN_MTB_EN},
    [CAIRN_MTB_FLOW] = {"MTB_FLOW", CAIRN_MTB_POINTER | CAIRN_MTB_AUTOSTOP | CAIRN_MTB_AUTOHALT},
    [CAIRN_MTB_BASE] = {"MTB_BASE", ~UINT32_C(7)},
};
#define PREFIX_SIZE 4 /* "MTB_", which may be left out */

static unsigned find(const char *name)
{
    for (unsigned i = 0; name && i < CAIRN_MTB_REGISTERS; i++)
        if (strcasecmp(name, rows[i].name) == 0 ||
            strcasecmp(name, rows[i].name + PREFIX_SIZE) == 0)
            return i;
    return CAIRN_MTB_REGISTERS;
}

static uint64_t ring_of(const struct cairn_mtb_unit *unit)
{
    return UINT64_C(1) << ((unit->registers[CAIRN_MTB_MASTER] & CAIRN_MTB_MASK) + 4);
}

static cairn_status check(unsigned index, uint64_t value, struct cairn_error *error)
{
    if (value & ~(uint64_t)rows[index].mask)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s: 0x%" PRIx64 " has bits that the trace unit has not (it has "
                          "0x%08" PRIx32 ")",
                          rows[index].name, value, rows[index].mask);
    if (index == CAIRN_MTB_MASTER && (value & CAIRN_MTB_MASK) > MASK_MOST)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "MTB_MASTER.MASK is %u, a buffer of 2^%u bytes: the model has at most %u",
                          (unsigned)(value & CAIRN_MTB_MASK),
                          (unsigned)(value & CAIRN_MTB_MASK) + 4, MASK_MOST);
    return CAIRN_OK;
}

/* --- the RAM --- */

static void put_word(uint8_t *bytes, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

/* FLOW: at the watermark trace stops, or the PE is asked to halt. */
static void look_at_watermark(struct cairn_mtb_unit *unit)
{
    const uint32_t flow = unit->registers[CAIRN_MTB_FLOW];
    const uint32_t position = unit->registers[CAIRN_MTB_POSITION];

    if ((position & CAIRN_MTB_POINTER) != (flow & CAIRN_MTB_POINTER))
        return;
    if (flow & CAIRN_MTB_AUTOSTOP)
        unit->registers[CAIRN_MTB_MASTER] &= ~CAIRN_MTB_EN;
    if (flow & CAIRN_MTB_AUTOHALT)
        unit->registers[CAIRN_MTB_MASTER] |= CAIRN_MTB_HALTREQ;
}

void cairn_mtb_write(struct cairn_mtb_unit *unit, uint32_t word0, uint32_t word1)
{
    uint32_t *position = &unit->registers[CAIRN_MTB_POSITION];
    const uint32_t round = (uint32_t)(ring_of(unit) - 1);
    const uint32_t at = *position & CAIRN_MTB_POINTER & round;
    const uint32_t next = (at + PACKET) & round;

    if (!cairn_mtb_traces(unit)) /* it stopped between the two packets of a return */
        return;
    put_word(unit->ram + at, word0);
    put_word(unit->ram + at + 4, word1);
    unit->counters.bytes += PACKET;
    *position = (*position & ~(round & CAIRN_MTB_POINTER)) | next;
    if (next == 0)
        *position |= CAIRN_MTB_WRAP;
    look_at_watermark(unit);
}

/* All that is written, from the lowest address on. */
static void give_out(struct cairn_mtb_unit *unit)
{
    const uint32_t position = unit->registers[CAIRN_MTB_POSITION];
    const uint64_t ring = ring_of(unit);
    const uint64_t size =
        position & CAIRN_MTB_WRAP ? ring : position & CAIRN_MTB_POINTER & (ring - 1);

    for (uint64_t at = 0; at < size && unit->sink && unit->status == CAIRN_OK; at += GIVEN_OUT) {
        const uint64_t rest = size - at;

        unit->status = unit->sink(unit->sink_context, unit->ram + at,
                                  (size_t)(rest < GIVEN_OUT ? rest : GIVEN_OUT));
    }
    if (unit->status == CAIRN_OK)
        unit->delivered += size;
}

/* --- enabling --- */

void cairn_mtb_start(struct cairn_mtb_unit *unit)
{
    if (!unit->ram) {
        unit->ram = calloc(1, (size_t)ring_of(unit));
        if (!unit->ram) {
            unit->status = CAIRN_E_MEMORY;
            return;
        }
    }
    unit->registers[CAIRN_MTB_MASTER] |= CAIRN_MTB_EN;
    unit->in_session = true;
    unit->starts = true;
    unit->seen = false;
    unit->wait = CAIRN_MTB_WAIT_NOTHING;
}

static void enable(struct cairn_unit *base)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);

    if (!cairn_mtb_traces(unit))
        cairn_mtb_start(unit);
}

static void disable(struct cairn_unit *base)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);

    unit->registers[CAIRN_MTB_MASTER] &= ~CAIRN_MTB_EN;
    if (unit->in_session)
        give_out(unit);
    unit->in_session = false;
}

/* --- registers --- */

static cairn_status read_register(const struct cairn_unit *base, const char *name, uint64_t *value)
{
    const unsigned index = find(name);

    if (index == CAIRN_MTB_REGISTERS)
        return CAIRN_E_NOT_FOUND;
    *value = cairn_mtb_unit_const(base)->registers[index];
    return CAIRN_OK;
}

static cairn_status write_master(struct cairn_unit *base, uint32_t value, struct cairn_error *error)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);
    uint32_t *master = &unit->registers[CAIRN_MTB_MASTER];

    if ((value ^ *master) & CAIRN_MTB_MASK) {
        if (cairn_mtb_traces(unit))
            return cairn_fail(
                error, CAIRN_E_CONFIG,
                "MTB_MASTER.MASK cannot be changed while trace is on: clear EN first");
        free(unit->ram); /* another ring */
        unit->ram = NULL;
        unit->registers[CAIRN_MTB_POSITION] &= ~CAIRN_MTB_WRAP;
    }
    *master = (value & ~CAIRN_MTB_EN) | (*master & CAIRN_MTB_EN);
    if (value & CAIRN_MTB_EN)
        enable(base);
    else
        disable(base);
    return unit->status;
}

static cairn_status write_register(struct cairn_unit *base, const char *name, uint64_t value,
                                   struct cairn_error *error)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);
    const unsigned index = find(name);
    cairn_status status;

    if (index == CAIRN_MTB_REGISTERS)
        return cairn_fail(error, CAIRN_E_NOT_FOUND, "the trace unit has no register %s",
                          name ? name : "(null)");
    status = check(index, value, error);
    if (status != CAIRN_OK)
        return status;
    if (index == CAIRN_MTB_MASTER)
        return write_master(base, (uint32_t)value, error);
    if (index == CAIRN_MTB_BASE)
        return cairn_fail(error, CAIRN_E_CONFIG, "MTB_BASE is read-only");
    if (cairn_mtb_traces(unit))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s cannot be written while trace is on: clear MTB_MASTER.EN first",
                          rows[index].name);
    unit->registers[index] = (uint32_t)value;
    return CAIRN_OK;
}

static cairn_status register_at(const struct cairn_unit *base, size_t index,
                                struct cairn_register *value)
{
    if (index >= CAIRN_MTB_REGISTERS)
        return CAIRN_E_NOT_FOUND;
    *value = (struct cairn_register){.name = rows[index].name,
                                     .value = cairn_mtb_unit_const(base)->registers[index]};
    return CAIRN_OK;
}

static struct cairn_config *config_of(const struct cairn_unit *base)
{
    struct cairn_register list[CAIRN_MTB_REGISTERS];
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_MTB;
    source.arch = base->arch;
    source.registers = list;
    while (register_at(base, source.register_count, &list[source.register_count]) == CAIRN_OK)
        source.register_count++;
    return cairn_config_new(&source, &config, NULL) == CAIRN_OK ? config : NULL;
}

/* --- making --- */

static void unit_free(struct cairn_unit *base)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);

    free(unit->ram);
    free(unit);
}

static cairn_status program(struct cairn_mtb_unit *unit, const struct cairn_unit_options *options,
                            struct cairn_error *error)
{
    unit->registers[CAIRN_MTB_MASTER] = MASK_DEFAULT;
    unit->registers[CAIRN_MTB_BASE] = BASE_DEFAULT;
    for (size_t i = 0; i < options->register_count; i++) {
        const struct cairn_register *given = &options->registers[i];
        const unsigned index = find(given->name);
        cairn_status status;

        if (index == CAIRN_MTB_REGISTERS)
            return cairn_fail(error, CAIRN_E_NOT_FOUND, "the trace unit has no register %s",
                              given->name ? given->name : "(null)");
        status = check(index, given->value, error);
        if (status != CAIRN_OK)
            return status;
        unit->registers[index] = (uint32_t)given->value;
    }
    /* Whatever a copied program says; and the RAM is empty. */
    unit->registers[CAIRN_MTB_MASTER] &= ~CAIRN_MTB_EN;
    unit->registers[CAIRN_MTB_POSITION] &= ~CAIRN_MTB_WRAP;
    return CAIRN_OK;
}

static cairn_status create(const struct cairn_unit_options *options, struct cairn_unit **base,
                           struct cairn_error *error)
{
    struct cairn_mtb_unit *unit = calloc(1, sizeof *unit);
    cairn_status status;

    if (!unit)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for a trace unit");
    unit->base.model = &cairn_mtb_unit_model;
    unit->base.arch = options->arch;
    unit->base.p0_kinds = 1u << CAIRN_INSN_BRANCH_DIRECT | 1u << CAIRN_INSN_BRANCH_INDIRECT;
    unit->sink = options->sink;
    unit->sink_context = options->sink_context;
    status = program(unit, options, error);
    if (status != CAIRN_OK) {
        unit_free(&unit->base);
        return status;
    }
    *base = &unit->base;
    return CAIRN_OK;
}

/* --- requests --- */

static cairn_status status_of(const struct cairn_unit *base)
{
    return cairn_mtb_unit_const(base)->status;
}

static void counters_of(const struct cairn_unit *base, struct cairn_unit_counters *counters)
{
    const struct cairn_mtb_unit *unit = cairn_mtb_unit_const(base);

    cairn_info_write(counters, &unit->counters, sizeof unit->counters);
}

/* What is in the RAM stays there. */
static void flush(struct cairn_unit *base)
{
    (void)base;
}

static uint64_t position(struct cairn_unit *base)
{
    return cairn_mtb_unit_const(base)->delivered;
}

const struct cairn_unit_model cairn_mtb_unit_model = {
    .protocol = CAIRN_PROTOCOL_MTB,
    .create = create,
    .free = unit_free,
    .status = status_of,
    .counters = counters_of,
    .read = read_register,
    .write = write_register,
    .register_at = register_at,
    .config = config_of,
    .enable = enable,
    .disable = disable,
    .context = cairn_mtb_unit_context,
    .execute = cairn_mtb_unit_execute,
    .exception = cairn_mtb_unit_exception,
    .data = cairn_mtb_unit_data,
    .prohibit = cairn_mtb_unit_prohibit,
    .flush = flush,
    .position = position,
    .debug_state = cairn_mtb_unit_debug_state,
    .inputs = cairn_mtb_unit_inputs,
};
