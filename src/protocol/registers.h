/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers that a protocol's configuration depends on, as a source gives them. */
#ifndef CAIRN_PROTOCOL_REGISTERS_H
#define CAIRN_PROTOCOL_REGISTERS_H

#include "protocol/protocol.h"

#define CAIRN_REGISTERS_MAX 16

/* Begin with {.names = ..., .count = ...}. */
struct cairn_registers {
    const char *const *names; /* the specification's; case does not count */
    unsigned count;           /* at most CAIRN_REGISTERS_MAX */
    const char *prefix;       /* that may stand before a name, or NULL */
    uint32_t value[CAIRN_REGISTERS_MAX];
    bool given[CAIRN_REGISTERS_MAX];
};

/* Of one given twice the last value counts. More than 32 bits are noted and left out. */
void cairn_registers_take(struct cairn_registers *registers,
                          const struct cairn_source_config *source, struct cairn_config *config);

/* What a register that was not given is taken to be, with a note: `meaning` says what that means.
 */
void cairn_registers_assume(struct cairn_registers *registers, struct cairn_config *config,
                            unsigned which, uint32_t value, const char *meaning);

/* Bits high to low of a register. */
static inline uint32_t cairn_register_bits(uint32_t value, unsigned high, unsigned low)
{
    return (value >> low) & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

static inline bool cairn_register_bit(uint32_t value, unsigned position)
{
    return (value >> position & 1) != 0;
}

#endif
