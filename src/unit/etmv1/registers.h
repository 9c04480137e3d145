/* SPDX-License-Identifier: BSD-2-Clause */
/* The register file of an ETMv1 or ETMv2, by name (IHI0014 3.3). Comparators, counters, sequencer and what
 * they decide are as ETMv3.0 has them, and the values stay in a file of that kind (unit/etmv3/resources.h):
 * what later versions added is left at 0 and has no name here. */
#ifndef CAIRN_UNIT_ETMV1_REGISTERS_H
#define CAIRN_UNIT_ETMV1_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "protocol/etmv1/encode.h"
#include "unit/etmv3/registers.h"

struct cairn_etmv1_registers {
    struct cairn_etmv3_registers file;
    bool v2;          /* of an ETMv2 */
    uint32_t ETMFFRR; /* regions in which FIFOFULL may be asserted; ETMv3 has no such register */
    /* what a decoder is told of the core: no registers of the unit */
    uint32_t HIVECS;
    uint32_t BIGENDIAN; /* given, or seen of its transfers */
};

/* ETMCR (3.5.1), where it is not as ETMv3's */
#define CAIRN_ETMCR1_PORT_SHIFT 4u /* 0, 1, 2: 4, 8, 16 pins */
#define CAIRN_ETMCR1_STALL (1u << 7)
#define CAIRN_ETMCR1_CONTEXT_SHIFT 14u

void cairn_etmv1_registers_reset(struct cairn_etmv1_registers *registers, bool v2);
/* As the functions of unit/etmv3/registers.h. */
cairn_status cairn_etmv1_registers_program(struct cairn_etmv1_registers *registers,
                                           const struct cairn_register *list, size_t count,
                                           struct cairn_error *error);
cairn_status cairn_etmv1_registers_read(const struct cairn_etmv1_registers *registers,
                                        const char *name, uint64_t *value);
cairn_status cairn_etmv1_registers_write(struct cairn_etmv1_registers *registers, const char *name,
                                         uint64_t value, bool built, struct cairn_error *error);
cairn_status cairn_etmv1_registers_list(const struct cairn_etmv1_registers *registers, size_t index,
                                        struct cairn_register *value);

/* Of an ETMv1; never NULL: what is programmed has been checked. */
const struct cairn_etmv1_edition *
cairn_etmv1_registers_edition(const struct cairn_etmv1_registers *registers);

/* ETMSR (3.5.5) */
#define CAIRN_ETMSR1_OVERFLOW (1u << 0)
#define CAIRN_ETMSR1_PROGRAMMING (1u << 1)
#define CAIRN_ETMSR1_START_STOP (1u << 2)

/* What a program that is loaded asks for, of either version. */
unsigned cairn_etmv1_registers_pins(const struct cairn_etmv1_registers *registers);
uint8_t cairn_etmv1_registers_context_bytes(const struct cairn_etmv1_registers *registers);
/* Some resource is looked at: comparators have to be evaluated. */
bool cairn_etmv1_registers_watch(const struct cairn_etmv1_registers *registers);
/* What ends a block, besides branches: CAIRN_BLOCK_ENDS_... */
uint32_t cairn_etmv1_registers_block_ends(const struct cairn_etmv1_registers *registers);
/* Whether FIFOFULL is asserted and the core looks at it, with so many bytes of the FIFO free (3.5.8); the
 * ranges are those that the instruction seen last is in. */
bool cairn_etmv1_registers_stall(const struct cairn_etmv1_registers *registers, uint32_t room,
                                 uint8_t ranges);

#endif
