/* SPDX-License-Identifier: BSD-2-Clause */
/* Which comparators an instruction or a transfer matches: a bit each. */
#ifndef CAIRN_UNIT_ETMV3_COMPARATORS_H
#define CAIRN_UNIT_ETMV3_COMPARATORS_H

#include "unit/etmv3/resources.h"

uint16_t cairn_etmv3_match_instruction(const struct cairn_etmv3_registers *registers,
                                       const struct cairn_etmv3_instruction *instruction,
                                       const struct cairn_context *context);
uint8_t cairn_etmv3_match_instruction_ranges(const struct cairn_etmv3_registers *registers,
                                             const struct cairn_etmv3_instruction *instruction,
                                             const struct cairn_context *context);
uint16_t cairn_etmv3_match_transfer(const struct cairn_etmv3_registers *registers,
                                    const struct cairn_unit_transfer *transfer,
                                    const struct cairn_context *context);
uint8_t cairn_etmv3_match_transfer_ranges(const struct cairn_etmv3_registers *registers,
                                          const struct cairn_unit_transfer *transfer,
                                          const struct cairn_context *context);
/* Context ID comparator n, from 0. */
bool cairn_etmv3_context_matches(const struct cairn_etmv3_registers *registers, unsigned n,
                                 const struct cairn_context *context);

#endif
