/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of a Program Trace Macrocell (IHI0035). A waypoint whose target the image does not tell
 * leaves the unit when the target is known, with what is told next: until then it waits here. What
 * is between one waypoint's target and the next waypoint is a run; TraceEnable is decided of runs.
 *   observe.c  what the PE executes: where runs begin and end
 *   power.c    where it may not be seen: prohibited regions, Debug state; waiting for an interrupt
 *   events.c   resources cycle by cycle, the trigger, requests for timestamps
 *   trace.c    waypoints, synchronisation: the elements
 *   unit.c     registers, enabling, requests */
#ifndef CAIRN_UNIT_PTM_CORE_H
#define CAIRN_UNIT_PTM_CORE_H

#include <cairn/ptm.h>

#include "unit/etm/resources.h"
#include "unit/model.h"
#include "unit/pipe.h"
#include "unit/returnstack.h"

/* A waypoint further from the last one's target has a waypoint update before it (4.10). */
#define CAIRN_PTM_RUN_BYTES 4096u
#define CAIRN_PTM_HYP 2u /* context.EL of Hyp mode */

struct cairn_ptm_place {
    uint64_t address;
    uint8_t isa; /* enum cairn_isa, CAIRN_UNIT_ISA_...; CAIRN_ISA_UNKNOWN: not known */
};

/* From the target of a waypoint to the next one. */
struct cairn_ptm_run {
    bool begun; /* else it begins with the block told next */
    bool empty; /* nothing was executed yet */
    struct cairn_ptm_place start;
    struct cairn_context context; /* of the PE at `start` */
    uint64_t clock, time;         /* of the waypoint that led there */
    uint64_t last;                /* address of the last instruction executed, */
    uint8_t last_size;            /* its bytes, */
    uint8_t last_isa;             /* as of a place */
    uint64_t instructions;
};

enum cairn_ptm_wait {
    CAIRN_PTM_WAIT_NOTHING,
    CAIRN_PTM_WAIT_BRANCH,    /* an indirect branch was taken */
    CAIRN_PTM_WAIT_EXCEPTION, /* an exception was */
};

struct cairn_ptm_waypoint {
    uint8_t wait; /* enum cairn_ptm_wait */
    bool traced;
    bool hides;                    /* the PE's security state or mode were not told there yet */
    bool from_secure;              /* the exception was taken in Secure state */
    unsigned type;                 /* CAIRN_EXCEPTION_... */
    uint32_t flags;                /* CAIRN_INSN_... of the branch */
    struct cairn_ptm_place behind; /* the branch, or where the exception returns to */
    uint64_t clock, time;
};

struct cairn_ptm_unit {
    struct cairn_unit base; /* first */
    struct cairn_unit_pipe pipe;
    struct cairn_etm_registers registers;
    struct cairn_etm_resources resources;
    struct cairn_unit_counters counters;
    uint32_t choices; /* CAIRN_UNIT_... */
    uint32_t return_stack_depth;

    /* programmed; valid while enabled */
    bool enabled;
    bool counts;
    bool timestamps;
    bool broadcasts;
    bool barriers_timed; /* DMB and DSB ask for timestamps */
    bool is_1_1;         /* PFT 1.1: exception returns have packets, timestamps are of waypoints */
    bool has_trigger, has_time_event;
    bool watches; /* resources have to be looked at in each cycle */
    unsigned return_limit;
    uint32_t sync_period;
    uint32_t context_mask; /* bits of the context ID that are traced */
    bool traces_vmid;

    /* the PE */
    struct cairn_context context;
    uint64_t clock, time;
    uint32_t signals;   /* CAIRN_UNIT_DBGEN ... that are high */
    bool region;        /* the feed says that tracing is prohibited */
    bool secure_hidden; /* it is while SPNIDEN and SPIDEN are low (4.7) */
    bool prohibited;    /* for any reason */
    bool debug, jazelle;
    bool sleeps;                 /* it waits for an interrupt or event */
    struct cairn_ptm_place next; /* where execution goes on */
    struct cairn_ptm_run run;
    struct cairn_ptm_waypoint waiting;

    /* what a decoder knows */
    bool tracing;   /* the run's start; else an I-sync has to tell it first, */
    uint8_t reason; /* enum cairn_ptm_reason, why */
    struct cairn_context told;
    struct cairn_unit_returns returns;
    uint64_t counted_at; /* clock at the last cycle count */
    bool overflowed;
    bool triggered;    /* ETMSR[3] */
    bool status_kept;  /* software wrote it while the unit was off */
    bool trigger_owed; /* it came while the FIFO was full */
    bool sync_wanted, time_wanted;
    bool time_off;        /* trace was on, and since it went off no timestamp was sent (4.14) */
    uint64_t traced_time; /* of the last waypoint traced */
    uint64_t sync_at;     /* bytes generated at which the next one is due */
    uint64_t fresh;       /* elements put behind the last synchronisation */
};

static inline struct cairn_ptm_unit *cairn_ptm_unit(struct cairn_unit *base)
{
    return (struct cairn_ptm_unit *)base;
}

static inline const struct cairn_ptm_unit *cairn_ptm_unit_const(const struct cairn_unit *base)
{
    return (const struct cairn_ptm_unit *)base;
}

/* What the encoder calls it: enum cairn_packet_state. */
static inline uint8_t cairn_ptm_sub_isa(uint8_t isa)
{
    switch (isa) {
    case CAIRN_ISA_T32: return CAIRN_STATE_THUMB;
    case CAIRN_UNIT_ISA_THUMBEE: return CAIRN_STATE_THUMBEE;
    case CAIRN_UNIT_ISA_JAZELLE: return CAIRN_STATE_JAZELLE;
    default: return CAIRN_STATE_ARM;
    }
}

/* Instructions of halfwords. */
static inline bool cairn_ptm_is_thumb(uint8_t isa)
{
    return isa == CAIRN_ISA_T32 || isa == CAIRN_UNIT_ISA_THUMBEE;
}

/* Nothing that the PE does is a waypoint to the unit. */
static inline bool cairn_ptm_is_unseen(const struct cairn_ptm_unit *unit)
{
    return !unit->enabled || unit->prohibited || unit->debug;
}

/* For whoever asks: what was told is not seen. */
static inline void cairn_ptm_see_unseen(struct cairn_ptm_unit *unit,
                                        const struct cairn_block *block, uint32_t why)
{
    if (unit->base.sight.observe)
        cairn_unit_see(&unit->base.sight, cairn_unit_seen_block(block, &unit->context), false, why);
}

/* --- trace.c --- */

/* The run ends with the waypoint instruction of `block`, which is in it. */
void cairn_ptm_trace_block(struct cairn_ptm_unit *unit, const struct cairn_block *block,
                           bool taken);
/* The run ends with an exception, whose preferred return address is `place`. */
void cairn_ptm_trace_exception(struct cairn_ptm_unit *unit, unsigned type,
                               struct cairn_ptm_place place);
/* The target of what waits is known; the next run begins there. */
void cairn_ptm_reach(struct cairn_ptm_unit *unit, struct cairn_ptm_place place);
/* What waits leads where nothing is traced (4.7). */
void cairn_ptm_leave(struct cairn_ptm_unit *unit);
/* Execution goes on unseen: tells what was executed so far (4.10). */
void cairn_ptm_break(struct cairn_ptm_unit *unit, unsigned reason);
void cairn_ptm_begin_run(struct cairn_ptm_unit *unit, struct cairn_ptm_place place, uint64_t clock,
                         uint64_t time);
/* The first instruction of a run that a direct waypoint led to. */
void cairn_ptm_start_run(struct cairn_ptm_unit *unit);
/* An A-sync, when the unit is enabled (4.5.1). */
void cairn_ptm_put_alignment(struct cairn_ptm_unit *unit);
/* Whether the PE waits now for room in the FIFO (ETMCR[7]). */
bool cairn_ptm_stalls(const struct cairn_ptm_unit *unit);
/* Nothing more is traced until the FIFO is empty (4.8). */
void cairn_ptm_overflow(struct cairn_ptm_unit *unit);
/* A timestamp where trace is off. */
void cairn_ptm_put_time_off(struct cairn_ptm_unit *unit);

/* --- events.c --- */

/* The run has ended: the cycle of its waypoint. Returns TraceEnable. */
bool cairn_ptm_see_waypoint(struct cairn_ptm_unit *unit);
void cairn_ptm_request_time(struct cairn_ptm_unit *unit);
/* A trigger that the full FIFO kept back. */
void cairn_ptm_put_owed_trigger(struct cairn_ptm_unit *unit);

/* --- power.c --- */

/* The context is about to change: whether the next one is prohibited. */
void cairn_ptm_judge_context(struct cairn_ptm_unit *unit, const struct cairn_context *next);
/* What follows from what is prohibited now. */
void cairn_ptm_apply_prohibition(struct cairn_ptm_unit *unit);
/* All that is inside comes out. */
void cairn_ptm_empty_fifo(struct cairn_ptm_unit *unit);

/* --- for the table in unit.c --- */

void cairn_ptm_unit_context(struct cairn_unit *base, const struct cairn_context *context);
void cairn_ptm_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken);
void cairn_ptm_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                              enum cairn_isa isa);
void cairn_ptm_unit_prohibit(struct cairn_unit *base, bool prohibited);
void cairn_ptm_unit_authenticate(struct cairn_unit *base, uint32_t signals);
void cairn_ptm_unit_debug_state(struct cairn_unit *base, bool debug);
void cairn_ptm_unit_low_power(struct cairn_unit *base, bool low);
void cairn_ptm_unit_cycles(struct cairn_unit *base, uint64_t cycles);
void cairn_ptm_unit_time(struct cairn_unit *base, uint64_t time);
void cairn_ptm_unit_inputs(struct cairn_unit *base, uint32_t inputs);
void cairn_ptm_unit_hint(struct cairn_unit *base, unsigned hint);
void cairn_ptm_unit_event(struct cairn_unit *base, unsigned number);

#endif
