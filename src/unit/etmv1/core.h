/* SPDX-License-Identifier: BSD-2-Clause */
/* The ETMv1 trace unit model as its parts see it. A status is given in the last cycle of an instruction
 * (IHI0014 5.7.2), when it is known where a branch leads: so an instruction waits until the next thing
 * is told, and cycles that are told in between are its.
 *   pins_unit.c  what ETMv2 has as well: registers, resources, the path, what hides it
 *   path.c       instructions -> statuses, branch addresses, exceptions
 *   sync.c       where trace begins, whole addresses now and then, overflow
 *   data.c       transfers -> data packets
 *   time.c       cycles, the trigger
 *   port.c       the FIFO and the pins
 *
 * What the specification leaves open, as decided here:
 *   - the FIFO and a branch address that does not fit: overflow begins in place of the branch's status;
 *     an instruction whose data did not fit has its status, without what did not fit (5.9);
 *   - an exception from where nothing is visible (cairn_unit_prohibit behind it) leads to its vector. */
#ifndef CAIRN_UNIT_ETMV1_CORE_H
#define CAIRN_UNIT_ETMV1_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "unit/etmv1/pins_unit.h"
#include "unit/etmv1/port.h"

#define CAIRN_ETMV1_PERIOD 1024u  /* cycles without a whole address until one is wanted (5.6.2), */
#define CAIRN_ETMV1_PATIENCE 512u /* and then until it is forced */

/* The instruction that executes. */
struct cairn_etmv1_step {
    struct cairn_pins_location place;
    bool pending; /* it is traced, and its status is still to come */
    bool traced;
    bool passed;       /* its condition */
    bool indirect;     /* only an address tells where it leads */
    bool direct;       /* it branches to where its opcode says */
    bool data;         /* some of its transfers have packets, or had no room for them */
    bool chosen;       /* ViewData has been looked at */
    bool viewed;       /* and all its transfers have packets (5.7.2) */
    bool addressed;    /* the address of the first one is out */
    bool overflows;    /* some packet had no room */
    bool aborted;      /* some transfer was */
    uint8_t exception; /* CAIRN_EXCEPTION_... + 1 that it ends with; 0: none */
};

struct cairn_etmv1_unit {
    struct cairn_pins_unit common;
    struct cairn_etmv1_port port;
    struct cairn_etmv1_encoder encoder;

    /* the program; valid while enabled */
    const struct cairn_etmv1_edition *edition;
    bool values, addresses; /* of data */

    /* where execution is */
    bool jazelle; /* execution is in Jazelle state */
    struct cairn_etmv1_step last;

    /* what the decoder knows */
    bool tracing;
    uint32_t told_context;
    uint64_t whole_at; /* the port's clock at the last whole branch address */
    uint64_t data_at;  /* and data address; */
    bool data_known;   /* there was one since trace began */

    /* time, in cycles of the core */
    uint64_t owed;  /* told, and not shown by the port yet */
    uint64_t ahead; /* shown by the port, and not told yet */
};

static inline struct cairn_etmv1_unit *cairn_etmv1_unit(struct cairn_unit *unit)
{
    return (struct cairn_etmv1_unit *)unit;
}

static inline const struct cairn_etmv1_unit *cairn_etmv1_unit_const(const struct cairn_unit *unit)
{
    return (const struct cairn_etmv1_unit *)unit;
}

/* --- time.c --- */
void cairn_etmv1_unit_cycles(struct cairn_unit *base, uint64_t cycles);
void cairn_etmv1_unit_inputs(struct cairn_unit *base, uint32_t inputs);
/* All cycles that were told pass, also the one that is kept for a status. */
void cairn_etmv1_pass_time(struct cairn_etmv1_unit *unit);
/* A cycle with a status, which is one of those that were told, if there are any. */
void cairn_etmv1_show(struct cairn_etmv1_unit *unit, unsigned pipestat);
/* A cycle in which nothing that is traced ends. */
void cairn_etmv1_show_wait(struct cairn_etmv1_unit *unit, uint64_t cycles);
/* The trigger event. */
void cairn_etmv1_sample(struct cairn_etmv1_unit *unit);
bool cairn_etmv1_unit_stalls(const struct cairn_unit *base);
/* Cycles pass until there is room, if the PE waits for the port. Whether there is room. */
bool cairn_etmv1_make_room(struct cairn_etmv1_unit *unit, size_t bytes);

/* --- sync.c --- */
/* Before an instruction that is to be traced: trace begins, if it is not on. False: it cannot. */
bool cairn_etmv1_make_ready(struct cairn_etmv1_unit *unit, struct cairn_pins_location place);
/* Nothing is traced from here on; the FIFO drains. */
void cairn_etmv1_stop(struct cairn_etmv1_unit *unit);
void cairn_etmv1_overflow(struct cairn_etmv1_unit *unit);
/* Whether a direct branch that is executed now becomes one with an address (5.6.2, 5.6.3). */
bool cairn_etmv1_forces_address(const struct cairn_etmv1_unit *unit);
/* The status of a branch, with its address and offset. False: there was no room. */
bool cairn_etmv1_put_branch(struct cairn_etmv1_unit *unit, unsigned pipestat,
                            struct cairn_pins_location place);

/* --- path.c --- */
void cairn_etmv1_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken);
void cairn_etmv1_unit_context(struct cairn_unit *base, const struct cairn_context *context);
void cairn_etmv1_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa);
void cairn_etmv1_unit_debug_state(struct cairn_unit *base, bool debug);
void cairn_etmv1_unit_low_power(struct cairn_unit *base, bool low);
/* The status of the instruction told last, which leads to `place`. */
void cairn_etmv1_finish(struct cairn_etmv1_unit *unit, struct cairn_pins_location place);
/* What comes is not to be seen; an exception leads to its vector. */
void cairn_etmv1_hide_path(struct cairn_unit *base);
/* Execution goes on elsewhere, unseen. */
void cairn_etmv1_lose_path(struct cairn_etmv1_unit *unit);

/* --- data.c --- */
void cairn_etmv1_unit_data(struct cairn_unit *base, const struct cairn_unit_transfer *transfer);

#endif
