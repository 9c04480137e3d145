/* SPDX-License-Identifier: BSD-2-Clause */
/* A core that runs a program: outcomes, targets, exceptions and contexts are drawn. It is a plain
 * value: a copy of it is the way back from a path that turns out wrong. */
#ifndef CAIRN_TESTS_ROUNDTRIP_CORE_H
#define CAIRN_TESTS_ROUNDTRIP_CORE_H

#include "case.h"

enum {
    TRIP_CALLS = 8,
    TRIP_FRAMES = 3,
};

struct trip_frame {
    uint32_t op;
    struct cairn_context context;
};

struct trip_habits {
    const struct trip_program *program;
    bool waits_are_p0;
    uint8_t kernel_el;
    uint8_t kernel_security;
    uint8_t user_security;
};

struct trip_core {
    uint32_t at; /* the op that runs next */
    struct cairn_context context;
    uint8_t call_count;
    uint8_t frame_count;
    uint8_t nesting;      /* transactions */
    uint32_t transaction; /* op behind the outer TSTART */
    uint32_t calls[TRIP_CALLS];
    struct trip_frame frames[TRIP_FRAMES];
};

void trip_habits_draw(struct trip_habits *habits, const struct trip_case *trip,
                      struct peer_random *random);

/* Anywhere, with any context; calls and exceptions are forgotten. */
void trip_core_jump(struct trip_core *core, const struct trip_habits *habits,
                    struct peer_random *random);

/* The op that ends the block at `core->at`: P0, SVC or TCOMMIT. */
uint32_t trip_core_block_end(const struct trip_core *core, const struct trip_habits *habits);

/* Draws how the P0 instruction `op` goes. */
bool trip_core_outcome(const struct trip_habits *habits, struct peer_random *random, uint32_t op);

/* The P0 instruction `op` goes that way. */
void trip_core_branch(struct trip_core *core, const struct trip_habits *habits,
                      struct peer_random *random, uint32_t op, bool taken);

/* Somewhere else of the same privilege: a wrong guess of an indirect branch, or its correction. */
void trip_core_redirect(struct trip_core *core, const struct trip_habits *habits,
                        struct peer_random *random);

/* An exception with that return address is taken. */
void trip_core_except(struct trip_core *core, const struct trip_habits *habits,
                      struct peer_random *random, uint32_t resume);

/* Other identifiers. */
void trip_core_switch_ids(struct trip_core *core, struct peer_random *random);

#endif
