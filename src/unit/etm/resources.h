/* SPDX-License-Identifier: BSD-2-Clause */
/* The event resources of a PTM, cycle by cycle, and what they decide (IHI0035 3.3, 3.7 to 3.12).
 *
 * A waypoint is a cycle of its own: its run is compared, single addresses match in that cycle, and
 * ranges, context IDs and the VMID hold until the next waypoint. Then counters and the sequencer
 * move, as they do in each cycle without a waypoint. */
#ifndef CAIRN_UNIT_ETM_RESOURCES_H
#define CAIRN_UNIT_ETM_RESOURCES_H

#include "unit/etm/comparators.h"
#include "unit/etm/derived.h"

struct cairn_etm_resources {
    const struct cairn_etm_registers *registers;
    struct cairn_etm_run run; /* up to the last waypoint */
    bool waypoint;            /* that is this cycle's */
    bool observed;            /* there was one since power-up (3.12) */
    bool jazelle;             /* no address comparator matches (4.17) */
    bool prohibited;          /* 4.7.1 */
    bool disabled;            /* no non-invasive debug: all stands still (4.7.2) */
    bool start_stop;          /* ETMSR[2] */
    uint32_t inputs;          /* CAIRN_UNIT_INPUT_... */
    uint8_t instrumentation;  /* resources that are set from the next cycle on, a bit each, */
    uint8_t pulsed;           /* and those that are active in this one */
    struct cairn_etm_derived derived;
    bool explains; /* somebody asks for `low` */
    uint32_t low;  /* of TraceEnable, at the last waypoint: CAIRN_UNIT_WHY_... */
    bool moves;    /* counters or sequencer are programmed to */
    uint32_t kept; /* registers of `derived` that software wrote: CAIRN_ETM_KEPT_... */
};
#define CAIRN_ETM_KEPT_SEQUENCER (1u << CAIRN_ETM_COUNTERS)    /* bit n: counter n */
#define CAIRN_ETM_KEPT_STATUS (1u << (CAIRN_ETM_COUNTERS + 1)) /* start/stop */

/* The Programming bit was cleared: counters are loaded, the sequencer is in state 1, the start/stop
 * block off, but for what software wrote since it was set (3.15.4). */
void cairn_etm_resources_begin(struct cairn_etm_resources *resources,
                               struct cairn_etm_registers *registers);
/* It was set: their state can be read. */
void cairn_etm_resources_store(const struct cairn_etm_resources *resources,
                               struct cairn_etm_registers *registers);

/* The cycle of a waypoint. Returns TraceEnable of the run. */
bool cairn_etm_resources_compare(struct cairn_etm_resources *resources,
                                 const struct cairn_etm_run *run);
/* That cycle, or another one, is over. */
void cairn_etm_resources_step(struct cairn_etm_resources *resources);
/* A DBG instruction is executed in this cycle (3.11). */
void cairn_etm_resources_hint(struct cairn_etm_resources *resources, unsigned hint);

/* An event register's value, in this cycle. */
bool cairn_etm_event(const struct cairn_etm_resources *resources, uint32_t event);

/* Whether every run is traced, whatever it is: nothing to evaluate. */
bool cairn_etm_traces_all(const struct cairn_etm_registers *registers);

#endif
