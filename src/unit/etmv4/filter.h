/* SPDX-License-Identifier: BSD-2-Clause */
/* What the unit looks at, block by block: comparators (DDI0608 D7.4 to D7.6), resource selectors
 * (D7.3), ViewInst (D6.8), the regions of branch broadcasting (D6.10.1) and of Q elements
 * (D6.10.2). Pure functions of the program, the block, the context and a small state. */
#ifndef CAIRN_UNIT_ETMV4_FILTER_H
#define CAIRN_UNIT_ETMV4_FILTER_H

#include "unit/etmv4/registers.h"

/* What a block is evaluated under. */
struct cairn_filter_input {
    const struct cairn_block *block; /* NULL in a cycle without one: address comparators are low */
    const struct cairn_context *context;
    uint32_t inputs;      /* External Input Selectors that are high */
    uint8_t pe_matches;   /* PE comparator inputs that match the block; 0: the model has none */
    uint8_t derived;      /* counters and sequencer, as in group 2 */
    uint8_t single_shots; /* those that fire */
};

/* Of the comparators in `wanted`, those that the block matches; both by group, from SACS on. */
void cairn_filter_match(const struct cairn_unit_program *program,
                        const struct cairn_filter_input *input, const uint16_t wanted[CAIRN_GROUPS],
                        uint16_t high[CAIRN_GROUPS]);

/* Resource event: true when the selection is active for this input. */
bool cairn_filter_event(const struct cairn_unit_program *program,
                        struct cairn_unit_selection selection,
                        const struct cairn_filter_input *input);

/* ViewInst of the block, neither Prohibited nor Debug state being the case. `active` is
 * TRCVICTLR.SSSTATUS before the block and is updated to what it is behind it. */
bool cairn_filter_view(const struct cairn_unit_program *program,
                       const struct cairn_filter_input *input, bool *active);

/* The terms of ViewInst that are low for the block, `active` being as before it: CAIRN_UNIT_WHY_... */
uint32_t cairn_filter_terms(const struct cairn_unit_program *program,
                            const struct cairn_filter_input *input, bool active);

/* Whether branch broadcasting is active for the P0 instruction that ends the block. */
bool cairn_filter_broadcasts(const struct cairn_unit_program *program,
                             const struct cairn_filter_input *input);

/* Whether the block may be in a Q element (D6.27). */
bool cairn_filter_allows_q(const struct cairn_unit_program *program,
                           const struct cairn_filter_input *input);

#endif
