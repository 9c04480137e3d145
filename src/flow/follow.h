/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference follower's state: what DDI0608 D9.5 calls the analyser. */
#ifndef CAIRN_FLOW_FOLLOW_H
#define CAIRN_FLOW_FOLLOW_H

#include <cairn/flow.h>

#include "flow/fetch.h"
#include "flow/returnstack.h"
#include "protocol/protocol.h"

/* Bounds that do not come from the input: a packet walks at most 1 Mi instructions, and a trace on
 * average no more than 16 Ki for each of its bytes. */
#define CAIRN_WALK_MAX (1u << 20)
#define CAIRN_WALK_PER_BYTE (1u << 14)

/* Records that one step can give. */
#define CAIRN_FLOW_PENDING 12

/* What is left to do for the element in hand. */
enum cairn_follow_task {
    CAIRN_TASK_NONE,
    CAIRN_TASK_ATOM,      /* walk to the next P0 instruction */
    CAIRN_TASK_EXCEPTION, /* walk to the return address; branches on the way are not taken */
    CAIRN_TASK_SOURCE,    /* walk to the source address; what lies before it is not taken */
    CAIRN_TASK_Q,         /* walk `q_left` instructions */
};

/* How the current address came to be known. */
enum cairn_address_from {
    CAIRN_FROM_TRACE,  /* an address element */
    CAIRN_FROM_OPCODE, /* flow itself: fall through, or a direct branch */
    CAIRN_FROM_STACK,  /* the return stack */
    CAIRN_FROM_RETURN_ADDRESS, /* an exception's: execution normally goes on elsewhere */
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

struct cairn_flow {
    struct cairn_config *config;
    struct cairn_space *space;
    struct cairn_fetch fetch;
    bool has_epochs; /* the image changes with the source offset */

    /* DDI0608 D9.5.2.1, D15.2.2: FULL_SYNC is address_known && context_known; awaiting_target is
     * the state behind a taken indirect branch, which the return stack may end. */
    bool address_known;
    bool context_known;
    bool awaiting_target;
    bool discontinuity; /* the next range does not follow from the last */
    enum cairn_address_from from;
    uint8_t sub_isa;
    uint64_t address;
    struct cairn_context context;
    bool space_current; /* the space is selected for `context` */
    struct cairn_context reported;
    bool context_reported;

    struct cairn_return_stack stack;
    bool clear_stack; /* at the next address: a Trace Info was seen */

    uint64_t total_cycles;
    uint64_t credit; /* instructions that may still be walked */
    uint64_t credit_offset; /* packet that `credit` was last raised for */
    bool credit_started;
    bool gap_given; /* `gap_offset` is valid */
    uint64_t gap_offset; /* last packet that a GAP record was given for */
    uint64_t undefined_at; /* last address an undefined instruction was reported for */

    /* the element in hand */
    enum cairn_follow_task task;
    uint64_t offset;
    uint64_t length;
    uint16_t element_flags;
    struct cairn_element_data element;
    uint64_t q_left;

    unsigned count;
    unsigned given;
    struct cairn_record pending[CAIRN_FLOW_PENDING];
};

/* walk.c: one range further with the task in hand. Leaves task NONE when it is done. */
void cairn_follow_walk(struct cairn_flow *flow);

/* follow.c, for walk.c */
struct cairn_record *cairn_follow_record(struct cairn_flow *flow, enum cairn_flow_kind kind);
void cairn_follow_gap(struct cairn_flow *flow, enum cairn_account reason, uint64_t address);
void cairn_follow_warn(struct cairn_flow *flow, enum cairn_flow_warning warning, uint64_t address);
void cairn_follow_exception_record(struct cairn_flow *flow);

#endif
