/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the trace unit (TRC*) and of the Performance Monitors: they count behind a Context
 * synchronization event as well (DDI0608 D8.2, part G1). Lane 0 has the only trace unit and the only
 * monitors: there they are as late as the lane is. What other orders may make of them is found without
 * running any, by what was written, what was synchronized, and what depends on it. */
#ifndef CAIRN_PE_LATE_H
#define CAIRN_PE_LATE_H

#include <cairn/pe.h>

#include "pe/order.h"
#include "pe/pmu.h"

/* In struct cairn_order_finding.reg: a register of the trace unit, by its encoding. */
#define CAIRN_PE_OF_UNIT 0x80000000u
/* A branch record, likewise: it is none of enum cairn_pe_register. */
#define CAIRN_PE_OF_RECORDS 0x40000000u

/* What software knows of the trace unit's state (D8.3) by what it wrote and read. */
enum cairn_pe_unit_known {
    CAIRN_PE_UNIT_IDLE,
    CAIRN_PE_UNIT_ENABLED, /* and TRCSTATR.IDLE was not seen as 0 */
    CAIRN_PE_UNIT_RUNNING,
    CAIRN_PE_UNIT_DISABLED, /* and neither TRCSTATR.PMSTABLE nor IDLE was seen as 1 */
    CAIRN_PE_UNIT_STABLE,
};

struct cairn_pe_late_unit {
    uint8_t known; /* enum cairn_pe_unit_known */
    bool EN, locked;
    bool is_open;    /* one of the two was changed, and no event came */
    uint32_t reg;    /* that was written last */
    uint64_t before; /* its value */
    uint64_t place;
    bool has_read; /* TRCSTATR was read, and no event came */
    bool settles;  /* no event came behind the read that said it is Stable or Idle */
    uint64_t read_place;
};

#define CAIRN_PE_LATE_WRITES 32u
#define CAIRN_PE_LATE_FLAGS (CAIRN_PE_EVENT_COUNTERS + 1) /* PMOVSSET_EL0, in `shown` */

struct cairn_pe_late_pmu {
    /* Writes that do not count yet, oldest first. */
    struct {
        uint32_t reg;
        uint64_t value;
        struct cairn_pe_state state;
    } writes[CAIRN_PE_LATE_WRITES];
    unsigned count;
    /* What a read may still give: event counters, the cycle counter, overflow flags. */
    uint64_t shown[CAIRN_PE_EVENT_COUNTERS + 2];
    uint64_t counted_place; /* of the last instruction */
    /* For findings: the registers as at the last event, and with all that was written since. */
    bool is_open;
    struct cairn_pe_registers before, after;
    struct cairn_pmu written; /* of `after` */
    uint32_t counters;        /* that were written, a bit each; 31: PMCCNTR_EL0 */
    uint32_t enables, flags;  /* by which name of the two */
    uint64_t looked_place;    /* where it was looked at */
    struct cairn_pe_state looked;
};

struct cairn_pe;
/* A new unit, as late as the order says. */
void cairn_pe_late_unit_begin(struct cairn_pe *pe, enum cairn_pe_order order, uint64_t seed);
/* An instruction has read or written a TRC* register, or OSLAR_EL1; a debugger has written one. */
void cairn_pe_late_unit_read(struct cairn_pe *pe, uint32_t encoding, uint64_t value);
void cairn_pe_late_unit_write(struct cairn_pe *pe, uint32_t encoding, uint64_t value);
void cairn_pe_late_unit_set(struct cairn_pe *pe);
/* An instruction is executed where tracing is allowed. */
void cairn_pe_late_unit_depend(struct cairn_pe *pe);
void cairn_pe_late_unit_synchronize(struct cairn_pe *pe);

/* Accesses to the monitors' registers; `state` NULL: a debugger's, at once. */
void cairn_pe_late_pmu_write(struct cairn_pe *pe, uint32_t reg, uint64_t value,
                             const struct cairn_pe_state *state);
uint64_t cairn_pe_late_pmu_read(struct cairn_pe *pe, uint32_t reg,
                                const struct cairn_pe_state *state);
/* An instruction is about to be executed, and counted. */
void cairn_pe_late_pmu_depend(struct cairn_pe *pe);
void cairn_pe_late_pmu_synchronize(struct cairn_pe *pe);

#endif
