/* SPDX-License-Identifier: BSD-2-Clause */
/* The Branch record buffer storage (DDI0608 F1.1.11, F1.1.12): shared by the files of brbe.h alone. */
#ifndef CAIRN_PE_BRBE_BUFFER_H
#define CAIRN_PE_BRBE_BUFFER_H

#include "pe/brbe.h"

void cairn_brbe_find(struct cairn_brbe *brbe, enum cairn_brbe_finding finding);
/* Adds a record as the youngest; of a full buffer the oldest is lost. */
void cairn_brbe_push(struct cairn_brbe *brbe, const struct cairn_branch_registers *record);
/* Keeps the youngest so many, which are at most the fresh ones. */
void cairn_brbe_keep(struct cairn_brbe *brbe, uint32_t youngest);

/* What is looked at before and behind each event: regions left, counting enabled, and freezes. */
void cairn_brbe_notice(struct cairn_brbe *brbe, const struct cairn_brbe_side *now);
void cairn_brbe_freeze_if_due(struct cairn_brbe *brbe, const struct cairn_brbe_side *now);
/* The freeze that waits happens. */
void cairn_brbe_freeze(struct cairn_brbe *brbe, const struct cairn_brbe_side *now);

#endif
