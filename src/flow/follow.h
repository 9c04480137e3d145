/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference follower's state: what DDI0608 D9.5 calls the analyser. */
#ifndef CAIRN_FLOW_FOLLOW_H
#define CAIRN_FLOW_FOLLOW_H

#include <cairn/flow.h>

#include "flow/data.h"
#include "flow/fetch.h"
#include "flow/returnstack.h"
#include "protocol/protocol.h"

/* What one element may walk, whatever came before it: instructions, and ranges. Both are bounds
 * that do not come from the input. */
#define CAIRN_WALK_MAX (1u << 18)
#define CAIRN_WALK_RANGES (1u << 12)

/* Walks of this many instructions or more are remembered, as many as there is room for: a short
 * trace could otherwise keep the follower busy with one long body. What is remembered saves time
 * and changes nothing. */
#define CAIRN_WALKED_LONG 64u
#define CAIRN_WALKED_SETS 64u
#define CAIRN_WALKED_WAYS 4u

/* Walks to an exception's return address, without a P0 instruction on the way, are remembered however
 * short they are: an interrupted loop and a system call come back to the same place. */
#define CAIRN_STRAIGHTS 64u

/* The same as above for walks that begin elsewhere and lead through the same instructions: a hop is from
 * where a walk came into a stretch of code to where it left it, if no P0 instruction lies between.
 */
#define CAIRN_HOP_BYTES 1024u
#define CAIRN_HOPS 2048u

/* Records that one step can give. */
#define CAIRN_FLOW_PENDING 12

/* What is left to do for the element in hand. */
enum cairn_follow_task {
    CAIRN_TASK_NONE,
    CAIRN_TASK_ATOM,      /* walk to the next P0 instruction */
    CAIRN_TASK_EXCEPTION, /* walk to the return address; branches on the way are not taken */
    CAIRN_TASK_SOURCE,    /* walk to the source address; what lies before it is not taken */
    CAIRN_TASK_UPTO,      /* walk up to and with the instruction that contains the address; no P0
                             instruction lies before it */
    CAIRN_TASK_PINS,      /* give the transfers that the pins' bytes make */
    CAIRN_TASK_Q,         /* list the instructions of a Q element whose path is known */
};

/* How the current address came to be known. */
enum cairn_address_from {
    CAIRN_FROM_TRACE,          /* an address element */
    CAIRN_FROM_OPCODE,         /* flow itself: fall through, or a direct branch */
    CAIRN_FROM_STACK,          /* the return stack */
    CAIRN_FROM_RETURN_ADDRESS, /* an exception's: execution normally goes on elsewhere */
};

/* A Q element that waits for its Target Address: only that tells how its last branch went. */
struct cairn_q {
    bool pending;
    bool complete;    /* `count` instructions were found with no open branch before the last */
    bool last_branch; /* the last one is a branch, which `last_always` tells is always taken */
    bool last_always;
    bool last_direct; /* and leads to `last_target` then */
    uint8_t sub_isa;
    uint64_t offset; /* of its packet */
    uint64_t length;
    uint64_t start;
    uint64_t count;
    uint64_t next; /* behind the last instruction */
    uint64_t last_target;
    bool has_context; /* a Context came between the Q and the Target Address */
    struct cairn_context context;
    uint64_t context_offset; /* of the Context's packet */
    uint64_t context_length;
};

struct cairn_record {
    uint8_t kind;
    uint8_t isa;
    uint16_t flags;
    uint32_t instructions;
    uint64_t offset;
    uint64_t length;
    uint64_t address;
    uint64_t value;
};

/* A stretch of instructions, walked. */
struct cairn_walk {
    enum cairn_isa isa;
    uint64_t start;
    uint64_t next; /* behind the last instruction, wrapped */
    uint64_t last; /* address of the last instruction */
    uint32_t count;
    bool undefined; /* an undefined instruction is at `undefined_at` */
    uint64_t undefined_at;
    struct cairn_insn insn; /* the last one */
    bool always;            /* with `any_source`: it executes whatever the flags are */
};

/* Why a walk stopped. */
enum cairn_stop {
    CAIRN_STOP_P0,     /* the last instruction is a P0 instruction */
    CAIRN_STOP_END,    /* the end address or count was reached */
    CAIRN_STOP_MEMORY, /* the image has nothing at the next address */
    CAIRN_STOP_LIMIT,  /* the element has walked all that one may */
};

/* A memory that was selected a while ago. */
struct cairn_selection {
    uint64_t identity; /* of the space's layers; 0: none */
    uint64_t from;     /* source offset from which they stand as they stood */
    uint32_t generation;
};

struct cairn_walked {
    uint32_t generation; /* of the memory it was walked in; 0: none */
    enum cairn_stop stop;
    struct cairn_walk walk;
};

struct cairn_hop {
    uint32_t generation; /* as in cairn_walked */
    enum cairn_isa isa;
    uint32_t count; /* instructions from `from` to `to`, exclusive */
    bool unknown;   /* whether one is undefined: nobody looked, behind one that was */
    bool undefined;
    uint64_t from;
    uint64_t to;
    uint64_t last; /* the instruction before `to` */
    uint64_t undefined_at;
};

struct cairn_flow {
    struct cairn_config *config;
    struct cairn_space *space;
    struct cairn_fetch fetch;
    uint64_t selected_from; /* the selection of `space` holds for these source offsets, included */
    uint64_t selected_until;

    /* DDI0608 D9.5.2.1, D15.2.2: FULL_SYNC is address_known && context_known; awaiting_target is
     * the state behind a taken indirect branch, which the return stack may end. */
    bool address_known;
    bool context_known;
    bool awaiting_target;
    enum cairn_account lost; /* why the address is not known: what follows is lost for it too */
    uint64_t lost_at;
    bool discontinuity; /* the next range does not follow from the last */
    enum cairn_address_from from;
    uint8_t sub_isa;
    uint64_t address;
    bool half;        /* of the 32-bit Thumb instruction there the first half has gone by */
    uint8_t it;       /* ITSTATE there, and for how many instructions it may be another one: they */
    uint8_t it_doubt; /* are kept with `any_source` only */
    bool returning;   /* from an exception: the next address is in the code that it interrupted */
    bool anew;        /* the last address, `anew_at`, was the first that is known */
    uint64_t anew_at;
    struct cairn_context context;
    bool space_current; /* the space is selected for `context` */
    struct cairn_context reported;
    bool context_reported;

    struct cairn_return_stack stack;
    bool clear_stack; /* at the next address: a Trace Info was seen */

    uint64_t total_cycles;
    uint32_t generation;  /* of the selected memory: the same for the same, as far as remembered */
    uint32_t generations; /* given so far */
    struct cairn_selection selections[CAIRN_FETCH_MEMORIES];
    struct cairn_walked walked[CAIRN_WALKED_SETS][CAIRN_WALKED_WAYS];
    unsigned walked_next;                          /* way to replace next */
    struct cairn_walked straight[CAIRN_STRAIGHTS]; /* their `stop` is END */
    struct cairn_hop *hops;     /* CAIRN_HOPS; NULL: no walk has left a stretch yet */
    uint32_t instructions_left; /* that the element in hand may still walk */
    uint32_t ranges_left;       /* and ranges */
    bool planned;               /* the walk in hand is known to fit the image */
    bool first_kept;            /* and `first` is what its first range is */
    enum cairn_stop first_stop;
    struct cairn_walk first;
    bool source_isa_told;  /* since the last Trace Info */
    bool gap_given;        /* `gap_offset` is valid */
    uint64_t gap_offset;   /* last packet that a GAP record was given for */
    uint64_t undefined_at; /* last address an undefined instruction was reported for */
    /* execution stands behind an undefined instruction, as it should if that raises its exception now */
    bool undefined_pending;
    uint64_t undefined_last; /* that one */

    struct cairn_ledger *ledger; /* whose `lost` is counted; NULL: nobody's */

    /* the element in hand */
    enum cairn_follow_task task;
    bool tells; /* it decides the path, and has not been counted as lost */
    uint64_t offset;
    uint64_t length;
    uint16_t element_flags;
    struct cairn_element_data element;
    struct cairn_q q;
    uint64_t q_left; /* instructions of the Q still to list */

    bool leaves_data;            /* Data records are given as they are */
    struct cairn_word_data data; /* otherwise: whose they are */
    void *pins;                  /* of the protocol's pins_new; NULL: it has none */

    bool all_columns; /* the batch of the call under way has every column */
    unsigned count;
    unsigned given;
    struct cairn_record pending[CAIRN_FLOW_PENDING];
};

/* tasks.c: one range further with the task in hand. Leaves task NONE when it is done. */
void cairn_follow_walk(struct cairn_flow *flow);

/* q.c: the same for a planned Q. */
void cairn_follow_list_q(struct cairn_flow *flow);

/* untaken.c: looks ahead over a walk on which nothing is taken, before any of it is told; `source`: the
 * instruction at `end` is taken, and has to be one that may be. False: trace and image contradict
 * each other, or it is too long: a gap was recorded, and the address is lost. */
bool cairn_follow_plan_walk(struct cairn_flow *flow, uint64_t end, bool source);

/* q.c: looks ahead over the instructions of a Q element from the current address, and fills
 * flow->q. False: the image ended (a gap was recorded). */
bool cairn_follow_plan_q(struct cairn_flow *flow, uint64_t count);

/* walk.c: the instruction at the current address; false: it is not known, or not there. */
CAIRN_MUST_CHECK cairn_status cairn_follow_look(struct cairn_flow *flow, struct cairn_insn *insn,
                                                enum cairn_isa *isa, bool *found);

/* record.c */
/* Puts into the Data among the pending records whose they are. */
void cairn_follow_own_data(struct cairn_flow *flow);
struct cairn_record *cairn_follow_record(struct cairn_flow *flow, enum cairn_flow_kind kind);
void cairn_follow_gap(struct cairn_flow *flow, enum cairn_account reason, uint64_t address);
void cairn_follow_warn(struct cairn_flow *flow, enum cairn_flow_warning warning, uint64_t address);

/* Whether the caller wants every column of a record. */
bool cairn_follow_has_all_columns(const struct cairn_flow_batch *out);

/* Moves pending records into the batch as far as they fit. */
void cairn_follow_give(struct cairn_flow *flow, struct cairn_flow_batch *out);

/* follow.c: steps up to the next that gives records, which are then `pending`; those of the last one
 * are gone. *done: there was nothing left to do. */
CAIRN_MUST_CHECK cairn_status cairn_follow_steps(struct cairn_flow *flow,
                                                 const struct cairn_element_batch *in,
                                                 size_t *position, bool *done);

/* exception.c */
/* The Exception in hand, and the Exception Return. */
void cairn_follow_exception(struct cairn_flow *flow);
void cairn_follow_exception_return(struct cairn_flow *flow);

/* transfers.c: the elements DATA, STACKING and CANCELLED, and a TARGET_ADDRESS that may be of an
 * instruction which was paused. */
CAIRN_MUST_CHECK cairn_status cairn_follow_data(struct cairn_flow *flow);
void cairn_follow_stacking(struct cairn_flow *flow);
CAIRN_MUST_CHECK cairn_status cairn_follow_cancelled(struct cairn_flow *flow);
void cairn_follow_resume(struct cairn_flow *flow);
/* Whether the instruction in front of where execution stands is a load or store, on cores before Thumb-2;
 * its address. */
bool cairn_follow_behind_transfer(struct cairn_flow *flow, uint64_t *address);
/* Whether the Target Address in hand says where execution goes on, though it stands elsewhere by the image. */
bool cairn_follow_is_announced(struct cairn_flow *flow);

/* pins.c */
/* A Data element that is CAIRN_DATA_PINS, and the task that gives its transfers. */
CAIRN_MUST_CHECK cairn_status cairn_follow_pins(struct cairn_flow *flow);
void cairn_follow_give_pins(struct cairn_flow *flow);
/* The Atom in hand may have data in the pins: its instruction is known, or not. False: it is one that
 * transfers nothing, so that trace and image contradict each other. */
bool cairn_follow_pins_executed(struct cairn_flow *flow, const struct cairn_walk *w);
void cairn_follow_pins_lost(struct cairn_flow *flow);
/* The trace ends: the task that tells whose data did not come. */
void cairn_follow_pins_end(struct cairn_flow *flow);

/* Its record, where execution was followed to its address or is not known. */
void cairn_follow_exception_record(struct cairn_flow *flow);
/* Execution goes on behind the undefined instruction at which it stood, if it did: that is told. */
void cairn_follow_past_undefined(struct cairn_flow *flow);

/* follow.c, for the other files of the follower */
/* Behind a taken indirect branch without a Target Address, the next P0 element takes the target
 * from the return stack (D9.5.18.2). */
void cairn_follow_match_stack(struct cairn_flow *flow);

/* What is executed from here on is executed in `context`: tells so if that is news. */
void cairn_follow_take_context(struct cairn_flow *flow, const struct cairn_context *context);

/* Makes the Target Address in hand the current address. */
void cairn_follow_take_target(struct cairn_flow *flow);

/* Where execution goes on is not known, until the next address. */
void cairn_follow_lose_address(struct cairn_flow *flow);

/* The same, because of a gap: the packet's, and that of all that cannot be followed before an
 * address comes. */
void cairn_follow_lose_for(struct cairn_flow *flow, enum cairn_account reason, uint64_t address);

/* Chooses the layers of the image for the current context. */
cairn_status cairn_follow_select(struct cairn_flow *flow);

/* True when a P0 element can be followed; otherwise its packet is a gap. */
bool cairn_follow_ready(struct cairn_flow *flow);

/* q.c */
/* True when two targets are the same but for what a change of TBI may do to the top byte. */
bool cairn_follow_same_target(const struct cairn_flow *flow, uint64_t a, uint64_t b);

/* The Q element in hand. */
cairn_status cairn_follow_q(struct cairn_flow *flow);

/* The Context in hand came while a Q is pending, and the Q was executed before it: it is kept, and
 * taken, if one was kept, once the Q is listed or given up. */
void cairn_follow_keep_context(struct cairn_flow *flow);
void cairn_follow_take_kept_context(struct cairn_flow *flow);

/* The Target Address in hand is that of the pending Q. */
void cairn_follow_end_q(struct cairn_flow *flow);

/* A pending Q whose Target Address can no longer come: its instructions are not known. */
void cairn_follow_unknown_q(struct cairn_flow *flow);

/* Elements after which a Q's Target Address can no longer come. */
bool cairn_follow_ends_q(unsigned kind);

#endif
