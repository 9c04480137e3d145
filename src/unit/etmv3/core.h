/* SPDX-License-Identifier: BSD-2-Clause */
/* The ETMv3 trace unit model as its parts see it. Nothing is speculative: what is told is generated
 * at once, in this order within an instruction:
 *   path.c     which instructions are traced, branch packets that are owed
 *   sync.c     I-syncs, periodic synchronisation, overflow, timestamps, triggers
 *   data.c     the transfers of the last instruction */
#ifndef CAIRN_UNIT_ETMV3_CORE_H
#define CAIRN_UNIT_ETMV3_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "unit/etmv3/resources.h"
#include "unit/model.h"
#include "unit/pipe.h"

#define CAIRN_ETMV3_TAGS 3u /* out-of-order data: values that are out at a time (7.4.3) */
#define CAIRN_ETMV3_PAUSES 8u

/* An address as packets have it. */
struct cairn_etmv3_place {
    uint32_t address;
    uint8_t isa; /* enum cairn_isa; CAIRN_ISA_UNKNOWN: the place is not known */
};

/* An exception whose branch packet waits for its target, if trace is on. */
struct cairn_etmv3_unit_exception {
    bool pending;
    bool cancels;   /* the instruction traced last */
    bool stacked;   /* M profile: 7E is out */
    uint8_t paused; /* M profile: transfers that the instruction had done */
    uint16_t type;  /* as packets have it */
    bool from_secure;
    bool is_call;
};

/* The instruction told last. */
struct cairn_etmv3_last {
    struct cairn_etmv3_place place;
    uint8_t size;
    bool passed; /* its condition */
    bool traced;
    bool branches;    /* a branch packet has to tell where it leads */
    bool exits;       /* it returns from an exception */
    bool left;        /* cycles have passed since */
    bool returns;     /* 76 is out behind it */
    bool owes_return; /* or comes when it is known to make no more transfers of its own */
    bool popped;      /* and registers were */
    bool aborted;
};

/* The instruction whose transfers come: the last one, or an earlier one beneath which others
 * execute (2.11.2). */
struct cairn_etmv3_mover {
    struct cairn_etmv3_place place;
    bool traced;
    bool beneath;         /* others were told since */
    bool started;         /* one of its transfers has a packet: the others have, too (7.4.4) */
    bool suppressed;      /* one of them was: so are the others (7.4.6) */
    uint8_t security, EL; /* when it was told */
    uint8_t ranges;       /* comparators that its address matches */
    uint16_t matches;
    uint32_t transfers; /* told */
    uint32_t pending;   /* to come */
    uint32_t next_data; /* address behind the last transfer */
};

/* A value on its way behind its placeholder. */
struct cairn_etmv3_late {
    uint8_t words; /* 0: the tag is free */
    uint8_t due;   /* instructions until it comes */
    uint32_t values[2];
};

struct cairn_etmv3_pause {
    uint32_t address;
    uint8_t transfers;
};

struct cairn_etmv3_unit {
    struct cairn_unit base;
    struct cairn_unit_pipe pipe;
    struct cairn_etmv3_registers registers;
    struct cairn_etmv3_resources resources;
    struct cairn_unit_counters counters;
    uint32_t choices;

    /* the program; valid while enabled */
    bool enabled;
    bool m_profile;
    uint8_t minor;
    bool cycle_accurate, branch_output, data_only, timestamps;
    bool data;     /* addresses or values of loads and stores */
    bool values;   /* of data */
    bool halves;   /* a 32-bit Thumb instruction has two atoms */
    bool watches;  /* some resource is looked at: comparators have to be evaluated */
    bool triggers; /* ETMTRIGGER or ETMTSEVR is not FALSE */

    /* where execution is */
    bool debug;
    bool in_region;                /* prohibited */
    struct cairn_etmv3_place next; /* where the last block leads */
    struct cairn_etmv3_last last;
    struct cairn_etmv3_mover mover;
    struct cairn_etmv3_unit_exception exception;
    bool owes_branch; /* the last instruction needs a branch packet with the next address */
    struct cairn_etmv3_pause pauses[CAIRN_ETMV3_PAUSES];
    unsigned pause_count;

    /* what the decoder knows */
    bool tracing;
    struct cairn_context told;
    bool synchronised;                /* since the unit was enabled */
    bool overflowed;                  /* nothing is generated until the FIFO is empty */
    bool after_overflow, after_debug; /* what the next I-sync says */
    uint64_t sync_at;    /* bytes generated, or cycles (v3.0), at which the next one is due, */
    uint64_t sync_limit; /* and at which it is too late */

    uint64_t clock;
    uint64_t time;
    uint64_t waits; /* cycles that have no W yet */
    uint64_t gap;   /* cycles while nothing is traced */
    bool stamp_wanted;
    bool clock_changed;
    bool stamp_event; /* ETMTSEVR was active */
    bool suppressing; /* data packets since the last Data suppressed one are left out */
    struct cairn_etmv3_late late[CAIRN_ETMV3_TAGS]; /* of tag 1, 2, 3 */
};

static inline struct cairn_etmv3_unit *cairn_etmv3_unit(struct cairn_unit *unit)
{
    return (struct cairn_etmv3_unit *)unit;
}

static inline const struct cairn_etmv3_unit *cairn_etmv3_unit_const(const struct cairn_unit *unit)
{
    return (const struct cairn_etmv3_unit *)unit;
}

static inline uint8_t cairn_etmv3_sub_isa(uint8_t isa)
{
    return isa == CAIRN_ISA_T32 ? 1 : 0;
}

static inline uint64_t cairn_etmv3_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Nothing is traced from here on: cycles that have no W yet are those of a gap. */
static inline void cairn_etmv3_end_cycles(struct cairn_etmv3_unit *unit)
{
    unit->gap = cairn_etmv3_add(unit->gap, unit->waits);
    unit->waits = 0;
}

/* --- unit.c --- */
cairn_status cairn_etmv3_unit_new(const struct cairn_unit_options *options,
                                  struct cairn_unit **base, struct cairn_error *error);
void cairn_etmv3_unit_free(struct cairn_unit *base);
cairn_status cairn_etmv3_unit_status(const struct cairn_unit *base);
void cairn_etmv3_unit_counters(const struct cairn_unit *base, struct cairn_unit_counters *counters);
cairn_status cairn_etmv3_unit_read(const struct cairn_unit *base, const char *name,
                                   uint64_t *value);
cairn_status cairn_etmv3_unit_write(struct cairn_unit *base, const char *name, uint64_t value,
                                    struct cairn_error *error);
cairn_status cairn_etmv3_unit_register(const struct cairn_unit *base, size_t index,
                                       struct cairn_register *value);
struct cairn_config *cairn_etmv3_unit_config(const struct cairn_unit *base);
void cairn_etmv3_unit_enable(struct cairn_unit *base);
void cairn_etmv3_unit_disable(struct cairn_unit *base);
void cairn_etmv3_unit_flush(struct cairn_unit *base);
uint64_t cairn_etmv3_unit_position(struct cairn_unit *base);
uint64_t cairn_etmv3_unit_offer(struct cairn_unit *base);
uint64_t cairn_etmv3_unit_pending(const struct cairn_unit *base);
void cairn_etmv3_put(struct cairn_etmv3_unit *unit, unsigned kind, uint16_t flags,
                     const struct cairn_element_data *data);
void cairn_etmv3_put_kind(struct cairn_etmv3_unit *unit, unsigned kind);
/* The Return from exception packet that is owed: what is told next is no transfer of the
 * instruction. */
void cairn_etmv3_end_return(struct cairn_etmv3_unit *unit);

/* --- path.c, exception.c --- */
void cairn_etmv3_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken);
void cairn_etmv3_unit_context(struct cairn_unit *base, const struct cairn_context *context);
void cairn_etmv3_unit_prohibit(struct cairn_unit *base, bool prohibited);
void cairn_etmv3_unit_authenticate(struct cairn_unit *base, uint32_t signals);
void cairn_etmv3_unit_debug_state(struct cairn_unit *base, bool debug);
void cairn_etmv3_unit_low_power(struct cairn_unit *base, bool low);
void cairn_etmv3_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa);
/* The branch packet that is owed, and the context, before an instruction at `place`. */
void cairn_etmv3_introduce(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place);
/* Trace is on from the instruction told last, because of a transfer: its Atoms, behind the I-sync.
 */
void cairn_etmv3_trace_last(struct cairn_etmv3_unit *unit);
/* TraceEnable. */
bool cairn_etmv3_is_enabled(const struct cairn_etmv3_unit *unit);
/* Nothing is traced from here on; what is owed can be told if `place` is known. */
void cairn_etmv3_stop(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place);
/* Execution goes on elsewhere, unseen. */
void cairn_etmv3_lose_path(struct cairn_etmv3_unit *unit);
/* The type of an exception that came as `told`, in the context of its handler. */
uint16_t cairn_etmv3_exception_type(const struct cairn_etmv3_unit *unit,
                                    const struct cairn_etmv3_unit_exception *exception);

/* --- sync.c --- */
/* Transfers of an earlier instruction come (7.7.3). */
static inline bool cairn_etmv3_is_beneath(const struct cairn_etmv3_unit *unit)
{
    return unit->mover.beneath && unit->mover.pending > 0;
}
/* Before an instruction that is to be traced. False: there is no room, an overflow began. */
bool cairn_etmv3_make_ready(struct cairn_etmv3_unit *unit, struct cairn_etmv3_place place);
void cairn_etmv3_put_waits(struct cairn_etmv3_unit *unit);
void cairn_etmv3_put_context(struct cairn_etmv3_unit *unit);
/* Behind an instruction or a transfer that was traced. */
void cairn_etmv3_give_timestamp(struct cairn_etmv3_unit *unit);
/* The events of the cycle: a trigger, a timestamp. */
void cairn_etmv3_sample(struct cairn_etmv3_unit *unit);
void cairn_etmv3_unit_cycles(struct cairn_unit *base, uint64_t cycles);
void cairn_etmv3_unit_time(struct cairn_unit *base, uint64_t time);
void cairn_etmv3_unit_clock_stopped(struct cairn_unit *base);
void cairn_etmv3_unit_inputs(struct cairn_unit *base, uint32_t inputs);
void cairn_etmv3_unit_request_sync(struct cairn_unit *base);

/* --- data.c --- */
void cairn_etmv3_unit_data(struct cairn_unit *base, const struct cairn_unit_transfer *transfer);
void cairn_etmv3_unit_data_pending(struct cairn_unit *base, uint32_t transfers);
/* SuppressData: the FIFO has less room than ETMFFLR wants, and data gives way (7.4.6). */
bool cairn_etmv3_suppresses(const struct cairn_etmv3_unit *unit);
/* An instruction begins: values that come out of order may come now. */
void cairn_etmv3_return_data(struct cairn_etmv3_unit *unit);
/* All of them come. */
void cairn_etmv3_return_all_data(struct cairn_etmv3_unit *unit);

#endif
