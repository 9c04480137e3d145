/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ETM or PTM looks at: address, context ID and VMID comparators, events, the start/stop
 * block, TraceEnable (IHI0035 3.3 to 3.8). Counters, the sequencer, instrumentation and
 * EmbeddedICE resources are not modelled: as resources they are low. */
#ifndef CAIRN_UNIT_ETM_FILTER_H
#define CAIRN_UNIT_ETM_FILTER_H

#include "unit/etm/registers.h"

/* What was executed from one waypoint's target to the next waypoint, both ends included. */
struct cairn_etm_run {
    uint32_t first; /* address of the first instruction */
    uint32_t last;  /* of the last byte of the last one */
    bool empty;     /* nothing: back-to-back exceptions (5.2.3); no single address matches */
    bool prohibited;
    struct cairn_context context;
    uint32_t inputs; /* cairn_unit_inputs */
};

/* Whether every run is traced, whatever it is: nothing to evaluate. */
bool cairn_etm_traces_all(const struct cairn_etm_registers *registers);

/* An event register's value: two resources and a function of them (3.8.3). */
bool cairn_etm_event(const struct cairn_etm_registers *registers, uint32_t event,
                     const struct cairn_etm_run *run, bool start_stop);

/* TraceEnable of the run (3.3). `start_stop` is ETMSR[2] before the run, and is changed to what it
 * is behind it. */
bool cairn_etm_trace_enable(const struct cairn_etm_registers *registers,
                            const struct cairn_etm_run *run, bool *start_stop);

#endif
