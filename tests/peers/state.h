/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the trace unit of unit.h, and what its parts share. */
#ifndef CAIRN_TESTS_PEERS_STATE_H
#define CAIRN_TESTS_PEERS_STATE_H

#include "unit.h"

enum {
    STACK_MAX = 15,
    OUTSTANDING_MAX = 64, /* above every MAXSPEC that is drawn */
};

struct return_entry {
    uint64_t address;
    uint8_t sub_isa;
};

/* What a Cancel takes back. */
struct unit_state {
    struct return_entry stack[STACK_MAX]; /* the top is the last */
    unsigned stack_count;
    bool target_owed;  /* a Target Address is needed before the next P0 element */
    bool context_owed; /* so is a Context, even if it did not change */
    bool inferred;     /* the return stack gave the target: an address now would spoil it */
};

struct unit {
    const struct peer_settings *settings;
    const struct peer_program *program;
    struct peer_random *random;
    struct peer_truth *truth;
    struct peer_trace *trace;
    struct peer_emitter emitter;
    struct peer_machine machine;
    struct unit_state state;
    struct cairn_context traced;   /* the last Context in the trace that was not cancelled */
    bool synchronised;             /* a Trace Info was written since `state` was saved */
    bool omitting;                 /* N atoms are left out, up to a Source Address or Exception */
    size_t omitted_from;           /* in the truth */
    uint32_t depth;                /* P0 elements outstanding, those of `wrong` included */
    uint32_t wrong;                /* of a path that was not executed */
    uint32_t held;                 /* the youngest executed ones that no Commit may reach yet */
    size_t marks[OUTSTANDING_MAX]; /* where the outstanding executed ones begin in the truth */
    unsigned mark_count;
};

static inline const struct peer_op *unit_op(const struct unit *unit, uint32_t index)
{
    return &unit->program->ops[index];
}

static inline unsigned unit_sub_isa(const struct peer_op *op)
{
    return op->isa == CAIRN_ISA_T32;
}

static inline bool unit_chance(struct unit *unit, unsigned percent)
{
    return peer_random_percent(unit->random, percent);
}

/* One more P0 element: too many outstanding resolve the oldest (D6.11.1). `truth_start`, of an
 * executed one, is where what it tells begins. */
void unit_count_p0(struct unit *unit, bool executed, size_t truth_start);
void unit_commit_all(struct unit *unit);

/* The outstanding P0 elements will never be resolved. */
void unit_lose(struct unit *unit);

/* Maybe events, timestamps, cycle counts, Commits, Ignore packets. */
void unit_sprinkle(struct unit *unit);

/* The beginning of a trace; an announced stretch without trace, an unannounced one. */
void unit_start(struct unit *unit);
void unit_gap(struct unit *unit);
void unit_overflow(struct unit *unit);

/* Maybe a periodic synchronisation. */
void unit_maybe_sync(struct unit *unit);

/* libopencsd takes the instruction set behind a Context from the last address packet, although a
 * direct branch may have changed it since: true when a Context alone would mislead it at `op`. */
bool unit_context_spoils(const struct unit *unit, const struct peer_op *op);

/* Context and Target Address before a P0 element of `machine`, where they are owed; sometimes where
 * they are not, which is allowed if it changes nothing (I_QWSVJ, I_MDZJL). */
void unit_introduce(struct unit *unit, const struct peer_machine *machine);

/* A Branch with Link at `index` was traced as taken (D6.11.4). */
void unit_push_return(struct unit *unit, uint32_t index);

/* Behind a P0 instruction that was `taken` in the end and goes on at `next`: whether an address is
 * owed, or the return stack has it. */
void unit_settle(struct unit *unit, const struct peer_op *op, bool taken, uint32_t next);

/* wrong.c: elements behind the last executed P0 element that a Cancel removes again. */
void unit_guess_and_cancel(struct unit *unit, bool indirect);

/* wrong.c: whether this branch's Atom may be, and is drawn to be, wrong at first. */
bool unit_can_mispredict(struct unit *unit, const struct peer_op *op, bool taken);

/* wrong.c: the Atom of `step` with the wrong status, then its correction. `before` is the machine
 * in front of it. */
void unit_write_mispredicted(struct unit *unit, const struct peer_step *step,
                             const struct peer_machine *before, size_t truth_start);

#endif
