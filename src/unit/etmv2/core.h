/* SPDX-License-Identifier: BSD-2-Clause */
/* The ETMv2 trace unit model as its parts see it. A status is given in the first cycle of an instruction
 * (IHI0014 6.1.4), and what a cycle puts into the FIFO goes with it. So there is a cycle in hand, `now`, into
 * which goes what is told; and where time was told since, the one before it, `held`, which can still take
 * the address that the last instruction led to.
 *   unit/etmv1/pins_unit.c  what ETMv1 has as well: registers, resources, the path, what hides it
 *   path.c       instructions -> statuses, branch addresses
 *   exception.c  exceptions, regions, Debug state, waiting
 *   data.c       transfers -> data packets, values out of order
 *   sync.c       where trace begins, TFOs, overflow
 *   cycle.c      the cycles in hand, time, the trigger
 *   port.c       the FIFO and the pins
 *
 * What the specification leaves open, as decided here:
 *   - a cycle whose packets have no room shows nothing else of it either: overflow begins (6.10);
 *   - at most four words of transfers, and eight of values that were missed, go into one cycle;
 *   - values that come back in the cycle in front of the first that is traced are lost to its TFO (6.4.3);
 *   - a TFO that has no room where trace is to begin is an overflow;
 *   - a transfer whose value the feed does not know is as one that ViewData leaves out where values are traced: Value
 *     Not Traced only behind a packet of its instruction (6.4.4), and no Load Miss Occurred (6.4.3);
 *   - a write that changes the Context ID has its data packet and a Context ID packet (6.4.5);
 *   - an exception from where nothing is visible (cairn_unit_prohibit behind it) leads to its vector. */
#ifndef CAIRN_UNIT_ETMV2_CORE_H
#define CAIRN_UNIT_ETMV2_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/etmv2.h>
#include <cairn/unit.h>

#include "unit/etmv1/pins_unit.h"
#include "unit/etmv2/port.h"

#define CAIRN_ETMV2_UNIT_TAGS 4u
/* Words of transfers, and of values that were missed, in one cycle; and the bytes that it may put into the
 * FIFO, which by these rules are fewer. */
#define CAIRN_ETMV2_MOVED 4u
#define CAIRN_ETMV2_RETURNED 8u
#define CAIRN_ETMV2_GROUP 128u

/* What an observer is told of an instruction when its cycle is shown. */
struct cairn_etmv2_sight {
    struct cairn_unit_seen seen;
    bool traced;
    uint32_t why;
};

/* A cycle that is not shown yet. */
struct cairn_etmv2_cycle {
    bool used;
    bool begins;     /* an instruction that is traced: */
    bool passed;     /*   its condition; */
    bool folds;      /*   it is a direct branch, which the next instruction may make a phantom; */
    bool whole;      /*   and it counts */
    bool enabled;    /* TraceEnable is high, whether it is traced or not */
    bool counts;     /* trace is on */
    bool triggers;   /* the trigger event occurred */
    bool ended;      /* a branch address ends the group */
    uint8_t phantom; /* CAIRN_ETMV2_PIPESTAT_PT or _PN: an instruction in front of that */
    uint8_t moved, returned; /* words */
    struct cairn_pins_location place;
    uint32_t context_id; /* as the trace has told it */
    uint8_t group[CAIRN_ETMV2_GROUP];
    uint8_t size;
    uint8_t header; /* where the last packet's is */
    uint8_t sight_count;
    struct cairn_etmv2_sight sights[2];
};

/* The instruction told last. */
struct cairn_etmv2_last {
    struct cairn_pins_location place;
    bool passed;  /* its condition */
    bool whole;   /* it counts */
    bool enabled; /* TraceEnable was high when it began */
    bool traced;
    bool branches; /* a branch address has to tell where it leads */
    bool folds;    /* it is a direct branch that may be folded */
    bool left;     /* cycles have passed since */
    bool aborted;  /* some transfer was */
};

/* The instruction whose transfers come: the last one, or an earlier one beneath which others execute
 * (2.11.2). */
struct cairn_etmv2_mover {
    struct cairn_pins_location place;
    bool traced;
    bool counted;   /* as traced, or it does not count */
    bool several;   /* it makes several transfers: a load or store multiple */
    bool beneath;   /* others were told since */
    bool started;   /* one of its transfers has a packet: the others have, too (6.4.4) */
    uint8_t ranges; /* comparators that its address matches */
    uint16_t matches;
    uint32_t pending; /* transfers to come */
};

/* A value on its way behind its Load Miss Occurred. */
struct cairn_etmv2_late {
    uint8_t words; /* 0: the tag is free */
    uint8_t due;   /* instructions until it comes; 0: it is told */
    uint32_t values[2];
};

struct cairn_etmv2_unit {
    struct cairn_pins_unit common;
    struct cairn_etmv2_port port;
    struct cairn_etmv2_encoder encoder;
    uint32_t choices;

    /* the program; valid while enabled */
    uint8_t minor;
    bool data; /* addresses or values of loads and stores */
    bool cycle_accurate;

    /* where execution is */
    struct cairn_etmv2_last last;
    struct cairn_etmv2_mover mover;
    bool owes_branch;       /* the address that the last instruction leads to */
    bool excepted, cancels; /* and that is because of an exception, which cancels it */
    uint8_t exception;      /* CAIRN_EXCEPTION_... */
    struct cairn_etmv2_cycle held, now;
    struct cairn_etmv2_late late[CAIRN_ETMV2_UNIT_TAGS];

    /* what the decoder knows */
    bool tracing;
    bool
        kept_until_now; /* by transfers, which have ended: if nothing begins in this cycle trace does */
    uint32_t told_context;
    /* the synchronisation counter, by the port's clock (6.5.1, 6.5.6) */
    uint64_t sync_at; /* when it reaches zero */
    bool sync_wanted; /* it has, and no TFO has come since */
    bool sync_asked;  /* one was requested, whatever the counter is: that is not its zero */
    uint64_t data_at; /* when it asks for a whole data address */
    bool data_known;  /* there was one since trace began, or was asked for one */

    /* time, in cycles of the core */
    uint64_t ahead; /* in hand or shown, and not told yet */
};

static inline struct cairn_etmv2_unit *cairn_etmv2_unit(struct cairn_unit *unit)
{
    return (struct cairn_etmv2_unit *)unit;
}

static inline const struct cairn_etmv2_unit *cairn_etmv2_unit_const(const struct cairn_unit *unit)
{
    return (const struct cairn_etmv2_unit *)unit;
}

static inline struct cairn_etmv2_place cairn_etmv2_place_of(struct cairn_pins_location location)
{
    const bool thumb = location.isa == CAIRN_ISA_T32;

    return (struct cairn_etmv2_place){location.address & (thumb ? ~UINT32_C(1) : ~UINT32_C(3)),
                                      thumb};
}

/* Transfers of an earlier instruction come. */
static inline bool cairn_etmv2_is_beneath(const struct cairn_etmv2_unit *unit)
{
    return unit->mover.beneath && unit->mover.pending > 0;
}

/* What executes beneath a data instruction that is traced is traced, too (2.11.2, 6.4.4). */
static inline bool cairn_etmv2_is_kept_on(const struct cairn_etmv2_unit *unit)
{
    return cairn_etmv2_is_beneath(unit) && unit->mover.traced && unit->tracing &&
           !unit->common.resources.prohibited;
}

/* --- cycle.c --- */
/* What is in hand is shown. Cycles that were not told count as passed. */
void cairn_etmv2_show_held(struct cairn_etmv2_unit *unit);
void cairn_etmv2_show_now(struct cairn_etmv2_unit *unit); /* both */
/* A cycle in which nothing that is traced happens, in hand or not. */
void cairn_etmv2_show_wait(struct cairn_etmv2_unit *unit, uint64_t cycles);
/* The one before the cycle in hand is shown, if there is anything in it that a TFO does not push out. */
void cairn_etmv2_show_busy(struct cairn_etmv2_unit *unit);
/* A cycle with a TFO, in front of the one in hand. Behind cairn_etmv2_show_busy. */
void cairn_etmv2_show_tfo(struct cairn_etmv2_unit *unit, const uint8_t *packet, size_t size);
/* The cycle that what follows from the instruction told last still goes into, with room for the packets of
 * a Context ID and a branch. */
struct cairn_etmv2_cycle *cairn_etmv2_open_cycle(struct cairn_etmv2_unit *unit);
/* A packet into the cycle. */
void cairn_etmv2_add(struct cairn_etmv2_cycle *cycle, const uint8_t *packet, size_t size);
/* Nothing of what is in hand is traced. */
void cairn_etmv2_drop_cycles(struct cairn_etmv2_unit *unit);
/* All leaves, in as many cycles as it takes. */
void cairn_etmv2_drain(struct cairn_etmv2_unit *unit);
/* Cycles pass until there is room, if the PE waits for the port. Whether there is room. */
bool cairn_etmv2_make_room(struct cairn_etmv2_unit *unit, size_t bytes);
/* The trigger event. */
void cairn_etmv2_sample(struct cairn_etmv2_unit *unit);
void cairn_etmv2_unit_cycles(struct cairn_unit *base, uint64_t cycles);
void cairn_etmv2_unit_inputs(struct cairn_unit *base, uint32_t inputs);
bool cairn_etmv2_unit_stalls(const struct cairn_unit *base);

/* --- sync.c --- */
/* Trace begins at `place`, or with the instruction that transfers data, beneath which that one is. False:
 * it cannot. */
bool cairn_etmv2_begin_trace(struct cairn_etmv2_unit *unit, struct cairn_pins_location place);
/* A TFO has come, or trace was told to need none. */
void cairn_etmv2_reload(struct cairn_etmv2_unit *unit);
/* The counter, in front of a cycle in which trace is on. False: it forces an overflow. */
bool cairn_etmv2_count_down(struct cairn_etmv2_unit *unit);
/* Whether a data address in the cycle in hand, in front of which none is held, has to be whole; then that is
 * done. */
bool cairn_etmv2_takes_whole_data(struct cairn_etmv2_unit *unit);
/* Whether the cycle's IE is told by a TFO, and then its packet; 0: it is not. */
size_t cairn_etmv2_periodic(struct cairn_etmv2_unit *unit, const struct cairn_etmv2_cycle *cycle,
                            uint8_t packet[CAIRN_ETMV2_TFO_BYTES]);
void cairn_etmv2_overflow(struct cairn_etmv2_unit *unit);
/* The Context ID, if it has changed. */
void cairn_etmv2_put_context(struct cairn_etmv2_unit *unit);
uint32_t cairn_etmv2_context_id(const struct cairn_etmv2_unit *unit);
void cairn_etmv2_unit_request_sync(struct cairn_unit *base);

/* --- path.c --- */
void cairn_etmv2_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken);
void cairn_etmv2_unit_context(struct cairn_unit *base, const struct cairn_context *context);
/* An instruction begins. `whole` is what counts: itself, the BL of which it is the second half, or NULL. */
void cairn_etmv2_begin(struct cairn_etmv2_unit *unit,
                       const struct cairn_etmv3_instruction *instruction, uint8_t isa,
                       const struct cairn_etmv3_instruction *whole);
/* Trace is on from the instruction told last, because of a transfer: its status, behind the TFO. */
void cairn_etmv2_trace_last(struct cairn_etmv2_unit *unit);
/* The address that is owed, with the Context ID if trace is on, before an instruction at `place`. */
void cairn_etmv2_introduce(struct cairn_etmv2_unit *unit, struct cairn_pins_location place);
/* Nothing is traced from here on; what is owed can be told if `place` is known. */
void cairn_etmv2_stop(struct cairn_etmv2_unit *unit, struct cairn_pins_location place);
/* Execution goes on elsewhere, unseen. */
void cairn_etmv2_lose_path(struct cairn_etmv2_unit *unit);

/* --- exception.c --- */
void cairn_etmv2_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa);
/* What comes is not to be seen; an exception leads to its vector. */
void cairn_etmv2_hide_path(struct cairn_unit *base);
void cairn_etmv2_unit_debug_state(struct cairn_unit *base, bool debug);
void cairn_etmv2_unit_low_power(struct cairn_unit *base, bool low);

/* --- data.c --- */
void cairn_etmv2_unit_data(struct cairn_unit *base, const struct cairn_unit_transfer *transfer);
void cairn_etmv2_unit_data_pending(struct cairn_unit *base, uint32_t transfers);
/* An instruction has begun: values that were missed may come now. */
void cairn_etmv2_return_data(struct cairn_etmv2_unit *unit);
/* All of them come; or none ever does (6.4.3). */
void cairn_etmv2_return_all_data(struct cairn_etmv2_unit *unit);
void cairn_etmv2_forget_data(struct cairn_etmv2_unit *unit);

#endif
