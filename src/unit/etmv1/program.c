/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv1/program.h"

#include <strings.h>

#include "base/error.h"
#include "protocol/protocol.h"
#include "unit/etm/derived.h"

#define REGISTERS_MOST 128u
#define ETMCR_POWER_DOWN (1u << 0)
#define MINOR_STATUS 2u /* of all of ETMSR but the overflow: v1.2 */

static uint32_t status_register(const struct cairn_etmv1_registers *registers,
                                const struct cairn_etmv3_resources *resources, bool enabled,
                                bool overflow)
{
    uint32_t status = overflow ? CAIRN_ETMSR1_OVERFLOW : 0;

    if (!registers->v2 && cairn_etmv1_registers_edition(registers)->minor < MINOR_STATUS)
        return status;
    status |= enabled ? 0 : CAIRN_ETMSR1_PROGRAMMING;
    return status | (resources->start_stop ? CAIRN_ETMSR1_START_STOP : 0);
}

struct cairn_etmv1_registers
cairn_etmv1_program_current(const struct cairn_etmv1_registers *registers,
                            const struct cairn_etmv3_resources *resources, bool enabled,
                            bool overflow)
{
    struct cairn_etmv1_registers now = *registers;
    uint32_t *values = now.file.values;

    if (!enabled)
        values[CAIRN_ETMV3_REG_ETMCR] |= CAIRN_ETMCR3_PROGRAMMING;
    values[CAIRN_ETMV3_REG_ETMSR] = status_register(registers, resources, enabled, overflow);
    if (!enabled)
        return now;
    values[CAIRN_ETMV3_REG_ETMSQR] = resources->derived.sequencer;
    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++)
        values[CAIRN_ETMV3_REG_ETMCNTVR + n] = resources->derived.counters[n];
    return now;
}

cairn_status cairn_etmv1_program_write(struct cairn_etmv1_registers *registers, bool enabled,
                                       const char *name, uint64_t value, bool *overflow,
                                       enum cairn_etmv1_request *request, struct cairn_error *error)
{
    const bool control = name && strcasecmp(name, "ETMCR") == 0;
    const uint64_t programming = control ? value & CAIRN_ETMCR3_PROGRAMMING : 0;
    const uint32_t now = registers->file.values[CAIRN_ETMV3_REG_ETMCR];
    cairn_status status;

    *request = CAIRN_ETMV1_REQUEST_NONE;
    if (enabled && !(control && (value & ~programming) == now))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s cannot be written while the trace unit traces: set the Programming "
                          "bit, ETMCR[10], alone first",
                          name ? name : "(null)");
    status = cairn_etmv1_registers_write(registers, name, value & ~programming, false, error);
    if (status != CAIRN_OK || !control)
        return status;
    if (value & ETMCR_POWER_DOWN)
        *overflow = false;
    *request = programming ? CAIRN_ETMV1_REQUEST_DISABLE : CAIRN_ETMV1_REQUEST_ENABLE;
    return CAIRN_OK;
}

struct cairn_config *cairn_etmv1_program_config(const struct cairn_etmv1_registers *registers,
                                                const struct cairn_arch *arch)
{
    struct cairn_register list[REGISTERS_MOST];
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = registers->v2 ? CAIRN_PROTOCOL_ETMV2 : CAIRN_PROTOCOL_ETMV1;
    source.arch = *arch;
    source.registers = list;
    while (source.register_count < REGISTERS_MOST &&
           cairn_etmv1_registers_list(registers, source.register_count,
                                      &list[source.register_count]) == CAIRN_OK)
        source.register_count++;
    return cairn_config_new(&source, &config, NULL) == CAIRN_OK ? config : NULL;
}

cairn_status cairn_etmv1_program_new(struct cairn_etmv1_registers *registers, bool v2,
                                     const struct cairn_unit_options *options, uint32_t least,
                                     uint32_t most, uint32_t *depth, struct cairn_error *error)
{
    const char *name = v2 ? "ETMv2" : "ETMv1";

    *depth = options->fifo_bytes == 0 ? most : options->fifo_bytes;
    if (*depth < least || *depth > most)
        return cairn_fail(error, CAIRN_E_CONFIG, "the FIFO of an %s has %u to %u bytes, not %u",
                          name, least, most, *depth);
    if (options->fifo_drain != 0)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "fifo_drain is %u, but how fast the FIFO of an %s drains follows from "
                          "its pins, ETMCR[6:4]",
                          options->fifo_drain, name);
    cairn_etmv1_registers_reset(registers, v2);
    registers->file.fifo_bytes = *depth;
    return cairn_etmv1_registers_program(registers, options->registers, options->register_count,
                                         error);
}
