/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/registers.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static const char *without_prefix(const struct cairn_registers *registers, const char *name)
{
    const size_t length = registers->prefix ? strlen(registers->prefix) : 0;

    return strncasecmp(name, registers->prefix ? registers->prefix : "", length) == 0
               ? name + length
               : name;
}

void cairn_registers_take(struct cairn_registers *registers,
                          const struct cairn_source_config *source, struct cairn_config *config)
{
    for (size_t i = 0; i < source->register_count; i++) {
        const struct cairn_register *given = &source->registers[i];

        for (unsigned r = 0; given->name && r < registers->count; r++) {
            if (strcasecmp(without_prefix(registers, given->name), registers->names[r]) != 0)
                continue;
            if (given->value > UINT32_MAX)
                cairn_config_add_note(config,
                                      "%s is 0x%" PRIx64 ", but the register has 32 bits: its "
                                      "lower 32 bits are used",
                                      registers->names[r], given->value);
            registers->value[r] = (uint32_t)given->value;
            registers->given[r] = true;
        }
    }
}

void cairn_registers_assume(struct cairn_registers *registers, struct cairn_config *config,
                            unsigned which, uint32_t value, const char *meaning)
{
    if (registers->given[which])
        return;
    registers->value[which] = value;
    cairn_config_add_note(config, "%s is missing: 0x%08" PRIx32 " is assumed (%s)",
                          registers->names[which], value, meaning);
}
