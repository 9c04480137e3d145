/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of a source's calls beside the calls themselves, for who measures: each step of the clocks where it
 * is told, each call at once, and when instructions are reached. */
#ifndef CAIRN_CALLS_WATCH_H
#define CAIRN_CALLS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the trace told of a clock. */
enum cairn_watch_told {
    CAIRN_TOLD_CYCLES = 0,
    CAIRN_TOLD_CYCLES_UNKNOWN = 1, /* some passed, and how many is not known */
    CAIRN_TOLD_TIME = 2,
};

/* Why not all that was executed is known. */
enum cairn_watch_break {
    CAIRN_BREAK_LOST = 0, /* trace was lost, of any thread */
    CAIRN_BREAK_HOLE = 1, /* code of which no memory or path is known */
    CAIRN_BREAK_OFF = 2,  /* the trace unit did not trace for some time, and said so */
    CAIRN_BREAK_ERET = 3, /* an exception returns of which the beginning was not seen */
};

/* The moment of each is cairn_calls_now (calls/calls.h). A member that is NULL is not called. */
struct cairn_calls_watch {
    void *context;
    /* The thread that executes has a call more, which is at `depth`; it was in the function `from` (0: not
     * known). `handles`: it is an exception or a signal. A tail call is one that was pushed, too. */
    void (*pushed)(void *context, uint32_t thread, uint32_t depth, uint32_t from, bool handles);
    /* What is executed next is the instruction at an address of `places`. */
    void (*reached)(void *context, uint32_t thread, uint32_t place);
    void (*told)(void *context, enum cairn_watch_told what);
    void (*broke)(void *context, uint32_t thread, enum cairn_watch_break why);
    const uint64_t *places; /* ascending, no two the same; of T32 without bit 0 */
    uint32_t place_count;
};

#endif
