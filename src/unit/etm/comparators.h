/* SPDX-License-Identifier: BSD-2-Clause */
/* Address, context ID and VMID comparators of a PTM (IHI0035 3.4 to 3.6): what a run matches. */
#ifndef CAIRN_UNIT_ETM_COMPARATORS_H
#define CAIRN_UNIT_ETM_COMPARATORS_H

#include "unit/etm/registers.h"

/* What was executed from one waypoint's target to the next waypoint, both ends included. */
struct cairn_etm_run {
    uint32_t first; /* address of the first instruction */
    uint32_t last;  /* of the last byte of the last one */
    bool empty;     /* nothing: back-to-back exceptions (5.2.3); no single address matches */
    struct cairn_context context;
};

/* Comparators have numbers from 0. */
bool cairn_etm_context_matches(const struct cairn_etm_registers *registers, unsigned number,
                               const struct cairn_etm_run *run);
bool cairn_etm_vmid_matches(const struct cairn_etm_registers *registers,
                            const struct cairn_etm_run *run);
/* A single address (3.4.2). */
bool cairn_etm_address_matches(const struct cairn_etm_registers *registers, unsigned number,
                               const struct cairn_etm_run *run);
/* A range (3.4.3): some of the run lies in it. */
bool cairn_etm_range_touches(const struct cairn_etm_registers *registers, unsigned pair,
                             const struct cairn_etm_run *run);
/* All of it does. */
bool cairn_etm_range_holds(const struct cairn_etm_registers *registers, unsigned pair,
                           const struct cairn_etm_run *run);

#endif
