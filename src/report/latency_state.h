/* SPDX-License-Identifier: BSD-2-Clause */
/* What is measured while a source is decoded: latency.c follows it, latency_clocks.c tells it the time. */
#ifndef CAIRN_REPORT_LATENCY_STATE_H
#define CAIRN_REPORT_LATENCY_STATE_H

#include "report/latency.h"

#define CAIRN_LATENCY_PENDING ((size_t)1 << 16) /* samples that wait for a clock */
#define CAIRN_LATENCY_WAITING ((size_t)1 << 16) /* beginnings that do */

enum latency_clock { CYCLES = 0, TIME = 1, BOTH = 2 };

/* An exception that another one followed at once: when that began it ended, and this is told behind it. */
struct latency_chained {
    uint64_t ended;          /* instructions of the source */
    uint64_t others;         /* cycles that other threads took, */
    uint64_t inside;         /* and exceptions in it, */
    bool is_inside_unknown;  /* if that is known */
    bool was_around_unknown; /* what the exception around it had in it before */
    bool is_there;
    uint32_t group; /* CAIRN_LATENCY_GROUPS_MAX: nobody asks for it */
    struct cairn_latency_point from;
};

/* A call that is measured, or may be. */
struct latency_open {
    uint32_t depth;
    uint32_t from;    /* function that was interrupted */
    uint64_t outside; /* the exception around it; 0: none */
    struct cairn_latency_point point;
    uint64_t pushed, pushed_cycles; /* `began` of the call, as it was told then */
    uint32_t before;                /* of the thread's `before`, + 1; 0: none */
    bool inherits;                  /* a tail call in the place of one that is measured, */
    uint32_t function;              /* which is this */
    bool is_running;                /* that began before it was seen */
    uint64_t inside[CAIRN_CLOCKS];  /* exceptions in it, */
    bool is_inside_unknown;         /* but what they took in cycles is not known */
};

struct latency_thread {
    struct latency_open *open;
    size_t count, capacity;
    uint64_t holes, off;
    uint64_t inside; /* as of a point */
    struct cairn_latency_excepted excepted;
    struct latency_chained chained; /* that has ended just now */
    struct latency_chained *before; /* those that exceptions have followed that are open */
    size_t before_count, before_room;
    enum { UNASKED, WANTED, UNWANTED } wanted;
    bool has_pair;
    struct cairn_latency_point pair;
    bool carries; /* a measured call that has jumped */
    uint32_t carried_depth, carried_function;
    bool carried_running;
    struct cairn_latency_point carried;
};

/* A beginning behind which a clock is to be told. */
struct latency_waiting {
    uint64_t serial;
    uint32_t thread; /* UINT32_MAX: a last one, for periods */
    uint32_t index;  /* in the thread's open calls; UINT32_MAX: its pair */
};

struct latency_thread *cairn_latency_thread(struct cairn_latency *latency, uint32_t id);

/* Whether nobody asks for the thread. */
bool cairn_latency_unwanted(const struct cairn_latency *latency, struct latency_thread *thread,
                            uint32_t id);
/* Whether it is known at which cycle a moment was. */
bool cairn_latency_exact(const struct cairn_latency_point *point);
/* `then` - `first`, or 0. */
uint64_t cairn_latency_since(uint64_t first, uint64_t then);
/* latency_shares.c: an exception has ended; what it took, for what it was inside of. */
void cairn_latency_leave_exception(struct cairn_latency *latency, struct latency_thread *thread,
                                   const struct latency_open *open, const struct cairn_call *call,
                                   const struct cairn_latency_point *to);
/* An exception begins, `now`: if another one has ended just now, it was then. */
void cairn_latency_chain(struct cairn_latency *latency, struct latency_thread *thread,
                         struct latency_open *open, uint64_t now);

/* The beginning number `index` of a thread's open calls (UINT32_MAX: of its pair; without a thread: of the last ones) waits for what the clocks tell next. */
void cairn_latency_wait(struct cairn_latency *latency, const struct cairn_latency_point *point,
                        uint32_t thread, size_t index);
/* A sample, which may wait for them as well, is counted when they have told. */
void cairn_latency_add(struct cairn_latency *latency, const struct cairn_latency_sample *sample);
/* They tell nothing more. */
void cairn_latency_flush(struct cairn_latency *latency);
/* For the watch. */
void cairn_latency_told(void *context, enum cairn_watch_told what);
void cairn_latency_broke(void *context, uint32_t id, enum cairn_watch_break why);

#endif
