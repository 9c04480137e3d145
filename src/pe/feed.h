/* SPDX-License-Identifier: BSD-2-Clause */
/* What a feed tells a PE. A feed (<cairn/unit.h>) knows that an exception was taken, and where from; the PE
 * (<cairn/pe.h>) wants to know where it led, and to which level. A feed tells of a return by the flags of a
 * block; the PE wants to know where to. So the trace unit is told at once, as without a PE, and the rest is
 * held back until the next block, the next exception, or until it is known that nothing will be seen.
 *
 * Where a feed sees nothing (a kernel under an emulated program) the PE is at EL1 of the same Security state,
 * or where it was if that is higher, from the exception on, and comes back by a return.
 *
 * A PE Reset exception is a Warm reset of the PE: a Cold one would be of the trace unit as well, whose trace goes on. */
#ifndef CAIRN_PE_FEED_H
#define CAIRN_PE_FEED_H

#include <cairn/pe.h>

#include "pe/brbe.h"
#include "pe/state.h"

enum cairn_pe_held {
    CAIRN_PE_HELD_NOTHING,
    CAIRN_PE_HELD_EXCEPTION, /* taken: the vector and the context are to come */
    CAIRN_PE_HELD_RETURN,    /* the last block's: the target and the context are */
    CAIRN_PE_HELD_BACK,      /* from where nothing was seen, back already: the target is */
    CAIRN_PE_HELD_RESTART,   /* Debug state was left: where to is */
};

struct cairn_pe_feed {
    enum cairn_pe_held held;
    struct cairn_brbe_moment moment; /* when it was */
    bool deaf;      /* whatever is told, wherever, only the unit listens: nothing is held back */
    bool closed;    /* what is unseen was prohibited before */
    bool unseen;    /* the feed does not see what is executed */
    bool by_return; /* and what leads back from there is a return */
    bool has_context;
    struct cairn_context context; /* told since something is held, and not followed yet */
    struct cairn_context back;    /* where a return from unseen code leads */
    struct cairn_pe_exception exception;
    struct cairn_pe_state from;   /* of the return or the restart */
    void (*alarm)(void *context); /* NULL: none */
    void *alarm_context;
    uint64_t alarm_left; /* instructions */
};

/* Whether every block is to be told: valid as long as the PE. While it is false the unit may be told blocks,
 * cycles and time alone. */
const bool *cairn_pe_attends(const struct cairn_pe *pe);
/* The unit's registers were changed, or it was enabled or disabled, by the caller. */
void cairn_pe_feed_programmed(struct cairn_pe *pe);
/* A counter or the branch records' cycle counts may look at cycles and time. */
bool cairn_pe_feed_is_timed(const struct cairn_pe *pe);
/* All bytes that the unit writes go to `tap` besides, as they are written. */
void cairn_pe_feed_tap(struct cairn_pe *pe, cairn_unit_sink *tap, void *context);

/* Once, in front of the first block behind `instructions` further ones. `alarm` may call the PE. */
void cairn_pe_feed_alarm(struct cairn_pe *pe, uint64_t instructions, void (*alarm)(void *context),
                         void *context);
/* An external debugger has the trace (EDSCR.TFO): no filter keeps anything from it, EL3 neither. */
void cairn_pe_feed_debug(struct cairn_pe *pe);

/* As the calls of <cairn/unit.h> with these names. An alarm is none any more behind a reset. */
void cairn_pe_feed_block(struct cairn_pe *pe, const struct cairn_block *block, bool taken);
void cairn_pe_feed_exception(struct cairn_pe *pe, unsigned type, uint64_t address,
                             enum cairn_isa isa);
void cairn_pe_feed_context(struct cairn_pe *pe, const struct cairn_context *context);
void cairn_pe_feed_prohibit(struct cairn_pe *pe, bool prohibited);
void cairn_pe_feed_debug_state(struct cairn_pe *pe, bool debug);
void cairn_pe_feed_event(struct cairn_pe *pe, unsigned number);
uint64_t cairn_pe_feed_position(struct cairn_pe *pe);

/* The unit is told that the PE halted at the address, and went on, so that what was executed before is in
 * its trace; the PE did nothing of that. */
void cairn_pe_feed_halt(struct cairn_pe *pe, uint64_t address, enum cairn_isa isa);
/* Nothing more will come: what is held back, and a branch whose target is to come, led where nothing is seen. The
 * unit is as it was. */
void cairn_pe_feed_end(struct cairn_pe *pe);

#endif
