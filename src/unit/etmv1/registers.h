/* SPDX-License-Identifier: BSD-2-Clause */
/* The register file of an ETMv1, by name (IHI0014 3.3). Comparators, counters, sequencer and what they
 * decide are as ETMv3.0 has them, and the values stay in a file of that kind (unit/etmv3/resources.h):
 * what ETMv2 and ETMv3 added is left at 0 and has no name here. */
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
    uint32_t ETMFFRR; /* regions in which FIFOFULL may be asserted; ETMv3 has no such register */
    /* what a decoder is told of the core: no registers of the unit */
    uint32_t HIVECS;
    uint32_t BIGENDIAN; /* given, or seen of its transfers */
};

/* ETMCR (3.5.1), where it is not as ETMv3's */
#define CAIRN_ETMCR1_PORT_SHIFT 4u /* 0, 1, 2: 4, 8, 16 pins */
#define CAIRN_ETMCR1_STALL (1u << 7)
#define CAIRN_ETMCR1_CONTEXT_SHIFT 14u

void cairn_etmv1_registers_reset(struct cairn_etmv1_registers *registers);
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

/* Never NULL: what is programmed has been checked. */
const struct cairn_etmv1_edition *
cairn_etmv1_registers_edition(const struct cairn_etmv1_registers *registers);

#endif
