/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks by number. A context is what calls depend on of a stack's topmost frame, and the context of the stack below
 * it: equal stacks of a thread have the same number. */
#ifndef CAIRN_CALLS_CONTEXTS_H
#define CAIRN_CALLS_CONTEXTS_H

#include "base/table.h"
#include "calls/stack.h"

/* More are CAIRN_CONTEXT_NONE. */
#define CAIRN_CONTEXTS_MAX (1u << 20)
#define CAIRN_CONTEXT_NONE 0u

struct cairn_call_context {
    uint64_t site, behind;
    uint32_t below;    /* of a thread without a frame: NONE */
    uint32_t function; /* of a thread without a frame: its number */
    uint32_t now, exception;
    uint32_t waits; /* instructions that it has executed, where nobody was told of it yet */
    uint32_t depth;
    uint32_t node; /* the counter's, of the whole stack; 0: it was not asked yet */
    uint8_t kind;
    bool handles, is_told, is_setjmp;
};

/* Zero it first. */
struct cairn_call_contexts {
    struct cairn_call_context *list; /* 0 is none */
    size_t count, room;
    struct cairn_table by_frame;
};

void cairn_contexts_free(struct cairn_call_contexts *contexts);

/* The context of a thread's stack, whose topmost frame has executed `waits` instructions that nobody was told of; the
 * counter has `node` for it. NONE: there is no room, or no frame. */
uint32_t cairn_contexts_of(struct cairn_call_contexts *contexts, struct cairn_call_thread *thread,
                           uint32_t waits, uint32_t node);
/* Makes a context's stack the thread's, which had it before. `code_cycles`: of the thread, by now. False: it had not. */
bool cairn_contexts_restore(const struct cairn_call_contexts *contexts, uint32_t context,
                            struct cairn_call_thread *thread, uint64_t code_cycles);

#endif
