/* SPDX-License-Identifier: BSD-2-Clause */
/* Programming a unit with pins, an ETMv1 or ETMv2: what its software sees, and what a capture lists. */
#ifndef CAIRN_UNIT_ETMV1_PROGRAM_H
#define CAIRN_UNIT_ETMV1_PROGRAM_H

#include "unit/etmv1/registers.h"
#include "unit/etmv3/resources.h"

/* What a write of a register asks for besides. */
enum cairn_etmv1_request {
    CAIRN_ETMV1_REQUEST_NONE,
    CAIRN_ETMV1_REQUEST_ENABLE, /* ETMCR[10] is clear, */
    CAIRN_ETMV1_REQUEST_DISABLE /* or set */
};

/* As software reads them: with what the unit keeps of its state there. `overflow`: one that the trace
 * does not show yet. */
struct cairn_etmv1_registers
cairn_etmv1_program_current(const struct cairn_etmv1_registers *registers,
                            const struct cairn_etmv3_resources *resources, bool enabled,
                            bool overflow);
/* A write by software. *overflow is cleared by ETMCR[0], which the Programming bit does not do (3.5.5). */
cairn_status cairn_etmv1_program_write(struct cairn_etmv1_registers *registers, bool enabled,
                                       const char *name, uint64_t value, bool *overflow,
                                       enum cairn_etmv1_request *request,
                                       struct cairn_error *error);
/* The decoder's view; NULL: no memory. */
struct cairn_config *cairn_etmv1_program_config(const struct cairn_etmv1_registers *registers,
                                                const struct cairn_arch *arch);
/* A new unit's registers, and whether its FIFO can be as the options say; `depth` is what it has. */
cairn_status cairn_etmv1_program_new(struct cairn_etmv1_registers *registers, bool v2,
                                     const struct cairn_unit_options *options, uint32_t least,
                                     uint32_t most, uint32_t *depth, struct cairn_error *error);

#endif
