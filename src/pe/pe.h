/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of <cairn/pe.h> share. */
#ifndef CAIRN_PE_PE_H
#define CAIRN_PE_PE_H

#include <cairn/pe.h>

#include "pe/abort.h"
#include "pe/brbe.h"
#include "pe/feed.h"
#include "pe/lane.h"
#include "pe/late.h"
#include "pe/memory.h"
#include "pe/order.h"
#include "pe/pmu.h"
#include "pe/trbe.h"
#include "pe/walked.h"

/* A lane's Trace Buffer Unit. */
struct cairn_pe_lane {
    struct cairn_pe *pe;
    struct cairn_access_lane *lane;
    struct cairn_pe_trbe trbe;
    struct cairn_pe_lane_memory memory;
    uint64_t abort_operation; /* of an abort that is on its way */
    uint64_t aborts_late;     /* the youngest operation with an asynchronous one */
};

struct cairn_pe {
    struct cairn_pe_features features;
    struct cairn_pe_state state;
    struct cairn_pe_authentication authentication;
    struct cairn_context context; /* as told, but for identifiers that software wrote */
    bool identified;              /* it did, since the last reset */
    struct cairn_access_order order;
    struct cairn_pe_lane lanes[3];
    struct cairn_brbe brbe;
    struct cairn_pmu pmu;
    struct cairn_pe_registers pmu_registers; /* the PMU's own */
    struct cairn_pe_late_pmu late_pmu;
    struct cairn_pe_late_unit late_unit;
    struct cairn_unit *unit;
    bool has_brbe, has_trbe;
    bool prohibited; /* as the trace unit was told */
    bool exports;    /* the trace unit looks at events of the PMU */
    bool attends;    /* somebody wants to know of every block: cairn_pe_attend */
    struct cairn_pe_feed feed;
    cairn_unit_sink *tap; /* gets all that the unit writes, whoever else does */
    void *tap_context;
    cairn_unit_sink *bus; /* the other sink */
    void *bus_context;
    uint8_t *trace; /* what the unit has written in the call that is going on */
    size_t trace_size, trace_room;
    uint64_t occurred[4]; /* ETEEvents in that call: they may not call the unit back */
    uint64_t count;       /* the physical counter */
    uint64_t last;        /* address of the last instruction */
    uint8_t prediction;   /* enum cairn_pe_prediction, of what is executed next */
    cairn_status status;
    cairn_pe_tell *tell;
    cairn_pe_memory *memory;
    cairn_pe_walk *walk;
    struct cairn_pe_tables *tables; /* of scripts; NULL: none */
    bool uses_tables;               /* the registers were set to them since the last reset */
    uint64_t mapped_place;          /* where tables were changed last, or that was noticed */
    struct cairn_pe_walked walked;
    struct cairn_pe_abort_areas abort_areas;
    cairn_pe_aborts *aborts;
    void (*system_error)(void *context, uint64_t address);
    bool has_system_error;
    uint64_t error_address; /* of the last byte */
    void (*line)(void *context, bool level);
    void (*counter_line)(void *context, bool level);
    cairn_pe_cti *cti;
    void (*reset)(void *context, enum cairn_reset kind, bool done);
    void *caller;
    enum cairn_power power;
    uint64_t unknown;                                            /* a seed, of the next reset */
    struct cairn_register_set operation_reads, operation_writes; /* of the Trace Buffer Unit */
    /* Findings that were told, so that one is told once. */
    struct {
        uint64_t place, since;
        uint32_t reg;
    } told[64];
    unsigned told_count;
};

/* tell.c: a cairn_order_tell. */
void cairn_pe_tell_finding(void *context, const struct cairn_order_finding *finding);

/* The barriers of `missing`, in words, as far as there is room. */
void cairn_pe_missing_text(uint32_t missing, char *text, size_t size);

/* cairn_pe_settle, where the unit is not to be made to flush, for it wrote otherwise then than without a PE. */
void cairn_pe_settle_as_told(struct cairn_pe *pe);

/* No register is reached in this state of power. */
static inline bool cairn_pe_is_off(enum cairn_power power)
{
    return power != CAIRN_POWER_NORMAL && power != CAIRN_POWER_STANDBY;
}

/* power.c: whether the PE executes what is told; in standby it does from here on. */
bool cairn_pe_wakes(struct cairn_pe *pe);
static inline bool cairn_pe_hears(struct cairn_pe *pe)
{
    return __builtin_expect(pe->power == CAIRN_POWER_NORMAL, 1) || cairn_pe_wakes(pe);
}
/* A Warm reset that a feed tells: the context of what is executed behind it is the feed's to tell as well. */
void cairn_pe_reset_as_told(struct cairn_pe *pe, uint64_t address, enum cairn_isa isa);
/* A trigger input of the CTI. */
void cairn_pe_tell_cti(const struct cairn_pe *pe, unsigned number);

/* join.c: what the parts tell each other. */
void cairn_pe_join(struct cairn_pe *pe);
/* The trace unit looks at events of the PMU, or does not. */
void cairn_pe_export(struct cairn_pe *pe, bool looks);
struct cairn_pe_trbe_outside cairn_pe_lane_outside(struct cairn_pe_lane *lane);
cairn_status cairn_pe_sink(void *context, const uint8_t *bytes, size_t size);
void cairn_pe_outputs(void *context, uint64_t clock, uint32_t events);
/* The unit was told something: its bytes become a trace operation. `traced`: of an instruction. */
void cairn_pe_pass_trace(struct cairn_pe *pe, bool traced);
/* Registers or the state have changed: what depends on them is told. */
void cairn_pe_follow(struct cairn_pe *pe);
/* Finds out whether every block has to be told to the PE (`attends`): a counter is enabled, branches are
 * recorded where the PE is, the trace buffer is, the unit looks at events, writes may be late, or a feed's
 * word is held back. While it is not so, the unit may be told alone, and its bytes go to the bus. */
void cairn_pe_attend(struct cairn_pe *pe);
/* Registers of the trace unit were changed: the same, and whether it looks at events of the PMU. */
void cairn_pe_programmed(struct cairn_pe *pe);
/* The two halves of cairn_pe_exception: the unit is told; and the PE is there. */
void cairn_pe_except(struct cairn_pe *pe, unsigned type, uint64_t address, enum cairn_isa isa);
void cairn_pe_excepted(struct cairn_pe *pe, const struct cairn_pe_exception *exception);
/* A Context synchronization event for registers and trace; and one that is no exception and no return, for
 * all parts. */
void cairn_pe_cse(struct cairn_pe *pe);
void cairn_pe_synchronize(struct cairn_pe *pe);
/* What is executed next is at that address: where an indirect branch went, if one was the last instruction. */
void cairn_pe_aim(struct cairn_pe *pe, uint64_t address);
/* cairn_pe_transaction_fail, where nobody knows behind which instruction. */
void cairn_pe_undo_transaction(struct cairn_pe *pe, uint64_t result);
/* The same context with the identifiers that software wrote, if it did. */
struct cairn_context cairn_pe_identified(const struct cairn_pe *pe,
                                         const struct cairn_context *context);
void cairn_pe_tell_context(struct cairn_pe *pe, const struct cairn_context *context);
/* The state, with what the context says of it. */
struct cairn_pe_state cairn_pe_state_of(const struct cairn_pe *pe,
                                        const struct cairn_context *context);
/* access.c: an instruction has written the register to a value that is kept elsewhere, and nothing kept it from that. */
void cairn_pe_written(struct cairn_pe *pe, uint32_t encoding, uint64_t value);
/* sequence.c: an instruction is about to write a register whose value a Trace Buffer Unit may use by itself. */
void cairn_pe_check_sequence(const struct cairn_pe *pe, uint32_t reg, uint64_t written);
struct cairn_pe_view cairn_pe_view_now(const struct cairn_pe *pe);
static inline struct cairn_brbe_side cairn_pe_side(const struct cairn_pe *pe)
{
    return (struct cairn_brbe_side){.registers = &pe->order.lanes[0].seen, .state = &pe->state};
}

#endif
