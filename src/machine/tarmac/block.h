/* SPDX-License-Identifier: BSD-2-Clause */
/* The lower half of a processor: instructions that were executed, into blocks, into the unit. */
#ifndef CAIRN_MACHINE_TARMAC_BLOCK_H
#define CAIRN_MACHINE_TARMAC_BLOCK_H

#include "machine/tarmac/processor.h"

/* The instruction of a record, classified as the processor's unit sees it. */
const struct cairn_tarmac_slot *cairn_tarmac_look(struct cairn_tarmac_processor *processor,
                                                  const struct cairn_tarmac_record *record);

/* Where a classified instruction leads whose condition passed or failed: false when that is not
 * known from it alone. */
bool cairn_tarmac_leads(const struct cairn_tarmac_slot *slot, bool passed, uint64_t *next);

/* Whether execution may go on at `next` behind it, however the log lists branches that are not taken. */
bool cairn_tarmac_may_lead(const struct cairn_tarmac_slot *slot, bool passed, uint64_t next);

/* The instruction was executed; `next`: where execution went on, NULL when that is not known. */
void cairn_tarmac_executed(struct cairn_tarmac_processor *processor,
                           const struct cairn_tarmac_record *record, const uint64_t *next);

/* The block so far goes to the unit. */
void cairn_tarmac_flush(struct cairn_tarmac_processor *processor);

/* What is executed next does not follow: instructions behind the last P0 element are told by a
 * Debug halt. */
void cairn_tarmac_break(struct cairn_tarmac_processor *processor);

/* The clocks of the unit go on to the log's time. */
void cairn_tarmac_clock(struct cairn_tarmac_processor *processor, uint64_t time);

#endif
