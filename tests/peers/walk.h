/* SPDX-License-Identifier: BSD-2-Clause */
/* A core that runs a random program: branch outcomes, indirect targets, exceptions and context
 * changes are drawn, and told a step at a time. */
#ifndef CAIRN_TESTS_PEERS_WALK_H
#define CAIRN_TESTS_PEERS_WALK_H

#include <cairn/packet.h>

#include "program.h"

enum {
    PEER_CALLS = 8,
    PEER_FRAMES = 4,
};

/* What may happen on the way. */
struct peer_rules {
    bool waits_are_p0;
    bool context_ids; /* change, when they are traced */
    bool vmids;
    uint8_t kernel_el;
    uint8_t kernel_security;
    uint8_t user_security;
    uint8_t exception_percent;
};

struct peer_frame {
    uint32_t op;
    struct cairn_context context;
};

struct peer_machine {
    const struct peer_program *program;
    const struct peer_rules *rules;
    struct peer_random *random;
    uint32_t at; /* the op that runs next */
    struct cairn_context context;
    unsigned call_count;
    unsigned frame_count;
    uint32_t calls[PEER_CALLS];
    struct peer_frame frames[PEER_FRAMES];
};

enum peer_step_kind {
    PEER_STEP_P0,        /* up to and including a P0 instruction */
    PEER_STEP_EXCEPTION, /* up to `resume`, not included */
};

struct peer_step {
    enum peer_step_kind kind;
    uint32_t first;               /* op; the following ones are consecutive */
    uint32_t count;               /* executed */
    bool taken;                   /* P0 */
    uint16_t type;                /* Exception */
    uint32_t resume;              /* Exception: op at the preferred return address */
    uint32_t next;                /* op that runs after this step */
    struct cairn_context context; /* of the executed instructions */
};

/* Starts at a random place in user code. */
void peer_machine_start(struct peer_machine *machine, const struct peer_program *program,
                        const struct peer_rules *rules, struct peer_random *random);

/* One step, with everything that may happen. */
void peer_machine_step(struct peer_machine *machine, struct peer_step *step);

/* One step down a path that may not have been executed at all: false, and nothing done, where the
 * next P0 instruction synchronises context or the next thing is an exception. */
bool peer_machine_guess(struct peer_machine *machine, struct peer_step *step);

/* The op with index `op` as a branch that goes the given way; the machine goes on behind it. */
void peer_machine_branch(struct peer_machine *machine, uint32_t op, bool taken);

/* Somewhere else altogether, with another context: what a stretch without trace does. */
void peer_machine_jump(struct peer_machine *machine);

/* The context's byte and numbers, zeros elsewhere; what a unit that traces no ids would say. */
bool peer_context_equal(const struct cairn_context *a, const struct cairn_context *b);

#endif
