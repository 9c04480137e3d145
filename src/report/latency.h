/* SPDX-License-Identifier: BSD-2-Clause */
/* How long things took: exceptions and interrupts, calls of a function, from one place to another. Measured by
 * each clock that a trace has, as what it took at least and at most: a clock is told at some places alone, and
 * what lies between two of them is only known to lie there. */
#ifndef CAIRN_REPORT_LATENCY_H
#define CAIRN_REPORT_LATENCY_H

#include "calls/calls.h"
#include "report/call_list.h"
#include "report/homes.h"
#include "report/spread.h"

#define CAIRN_CLOCKS 3u /* enum cairn_call_clock */
#define CAIRN_LATENCY_WORST_MAX 32u
#define CAIRN_LATENCY_FROM_MAX                                                                     \
    16u /* functions that were interrupted, of each kind; the rest are others */
#define CAIRN_LATENCY_GROUPS_MAX 4096u
#define CAIRN_LATENCY_LASTS_MAX (1u << 20) /* beginnings whose next one is waited for */

enum cairn_latency_of {
    CAIRN_LATENCY_EXCEPTIONS = 0,
    CAIRN_LATENCY_FUNCTION = 1, /* from call to return */
    CAIRN_LATENCY_PAIRS = 2,    /* from a place to a place */
};

/* How it came out. */
enum cairn_latency_end {
    CAIRN_LATENCY_WHOLE = 0,
    CAIRN_LATENCY_CUT = 1,      /* trace was lost inside */
    CAIRN_LATENCY_OPEN = 2,     /* the source ended before it did */
    CAIRN_LATENCY_RUNNING = 3,  /* its beginning was not seen */
    CAIRN_LATENCY_LEFT = 4,     /* by another way than its return */
    CAIRN_LATENCY_AGAIN = 5,    /* of a pair: it began again before it ended */
    CAIRN_LATENCY_UNSEEN = 6,   /* an exception whose handling was not traced */
    CAIRN_LATENCY_SWITCHED = 7, /* another stack may have been meant, or went on in its place */
    CAIRN_LATENCY_ENDS = 8,
};

struct cairn_latency_span {
    bool is_known;
    uint64_t low, high; /* it took at least, at most */
};

/* What exceptions took that have ended, of a thread: those inside of each one that is still open, and those outside of
 * all. Between two moments it is the difference, if the exception of the first is still open at the second. */
struct cairn_latency_excepted {
    uint64_t instructions, cycles, inexact;
};

/* When something was, by the clocks but for instructions: cycles 0, time 1. */
struct cairn_latency_point {
    struct cairn_call_moment moment;
    uint64_t serial;
    uint64_t offset; /* in the source's bytes */
    uint64_t low[2], high[2];
    bool is_told[2]; /* `high` is known */
    bool is_exception;
    bool ends_there; /* of an exception: the cycles that are told next are those of this moment */
    uint64_t unknown[2];         /* of the source: how often the clock was lost */
    uint64_t lost;               /* of the source: losses of trace */
    uint64_t holes, off;         /* of the thread */
    uint64_t all_holes, all_off; /* of the source */
    uint32_t thread;
    uint64_t inside; /* serial of the exception that it is in; 0: none */
    struct cairn_latency_excepted excepted;
};

struct cairn_latency_sample {
    const char *source;
    struct cairn_latency_point from, to;
    struct cairn_latency_span span[CAIRN_CLOCKS];
    uint64_t entry, back; /* cycles; UINT64_MAX: not told */
    uint32_t group;
    uint32_t source_index, thread;
    uint32_t vmid, context_id;
    uint32_t interrupted; /* function; 0: not known */
    uint32_t end;         /* enum cairn_latency_end */
    bool is_own;          /* what other threads did meanwhile is not in it */
    bool is_over_levels;  /* what exceptions took of it is not known */
};

struct cairn_latency_from {
    uint32_t function;
    uint64_t count;
};

struct cairn_latency_group {
    const char *exception; /* its name, or NULL */
    uint32_t kind;         /* enum cairn_call_kind: EXCEPTION, SIGNAL; else CALLED */
    uint32_t number;       /* of the exception */
    uint32_t function;     /* handler, or the function itself; 0: not known */
    uint64_t address;      /* of a function without a name */
    bool is_wanted;
    uint64_t count;                    /* that began */
    uint64_t ends[CAIRN_LATENCY_ENDS]; /* how they came out */
    struct cairn_spread low[CAIRN_CLOCKS], high[CAIRN_CLOCKS];
    uint64_t unknown[CAIRN_CLOCKS];      /* whole ones that the clock does not tell */
    uint64_t inexact[CAIRN_CLOCKS];      /* whole ones of which `low` and `high` differ */
    uint64_t self[CAIRN_CLOCKS];         /* without exceptions inside; all, whole or not, */
    uint64_t self_unknown[CAIRN_CLOCKS]; /* but these, of which it is not known */
    uint64_t switched;                   /* other threads executed meanwhile, */
    uint64_t apart;                      /* and what they did is not in it */
    uint64_t with_off;                   /* a part was not traced */
    struct cairn_spread entry, back;
    struct cairn_latency_from from[CAIRN_LATENCY_FROM_MAX];
    uint32_t from_count;
    uint64_t from_others;
    struct cairn_latency_sample *worst[CAIRN_CLOCKS]; /* the longest first */
    uint32_t worst_count[CAIRN_CLOCKS];
};

/* Of a group, the last one that began, for periods: of each thread, of exceptions of all. */
struct cairn_latency_last {
    uint32_t group, thread;
    bool is_there;
    struct cairn_latency_point point;
};

struct latency_thread;
struct latency_waiting;

struct cairn_latency {
    /* Set by the caller: */
    enum cairn_latency_of of;
    bool period;                          /* from one beginning to the next */
    bool without_exceptions;              /* what exceptions and other threads took is not in it */
    const struct cairn_wanted *function;  /* FUNCTION */
    const struct cairn_wanted *exception; /* only of this name, or with this handler, or NULL */
    const uint64_t *places;               /* PAIRS: ascending, */
    const uint8_t *roles;                 /* bit 0: a beginning, bit 1: an end */
    uint32_t place_count;
    bool (*wants)(void *context, uint32_t context_id, uint32_t vmid); /* NULL: all threads */
    void *wants_context;
    uint32_t worst; /* kept of each group */
    struct cairn_naming *naming;
    struct cairn_output *samples; /* all of them as lines of CSV, or NULL */

    struct cairn_functions functions;
    struct cairn_space *space; /* of the image, for: */
    uint8_t *matches;          /* by function: whether it is that */
    size_t match_count;
    struct cairn_homes homes; /* a function of a file is one, wherever that is loaded */
    struct cairn_calls_watch watch;
    struct cairn_latency_group *groups;
    uint32_t group_count, group_capacity;
    struct cairn_table by_what;
    uint64_t left_out;            /* samples for which there was no room */
    uint64_t unbegun;             /* ends of pairs, or of exceptions, that none had begun */
    uint64_t whole[CAIRN_CLOCKS]; /* what all sources executed */
    bool is_whole_unknown[CAIRN_CLOCKS];
    uint64_t source_count;
    bool has_clock[CAIRN_CLOCKS];

    /* Of the source that is decoded: */
    const char *source;
    struct cairn_config *config;
    struct cairn_calls *calls;
    uint32_t source_index;
    bool by_instruction; /* cycles stand in front of each instruction */
    cairn_status status; /* what went wrong where nothing can be returned */
    struct latency_thread *threads;
    uint32_t thread_count;
    struct latency_waiting *waiting[2];
    size_t waiting_count[2];
    struct cairn_latency_sample *pending;
    size_t first_pending, pending_count; /* a ring */
    uint64_t samples_seen, resolved[2];  /* so many from the beginning have the clock */
    uint64_t serial, exception_serial;
    uint64_t unknown[2], lost, holes, off;
    struct cairn_latency_last *lasts;
    uint32_t last_count, last_capacity;
    struct cairn_table by_last;
    uint64_t told_at; /* instructions */
    uint64_t first_time, last_time;
};

CAIRN_MUST_CHECK cairn_status cairn_latency_begin(struct cairn_latency *latency);
/* A source begins: with this consumer of its pipeline. */
CAIRN_MUST_CHECK cairn_status cairn_latency_source(struct cairn_latency *latency,
                                                   struct cairn_image *image, const char *name,
                                                   struct cairn_config *config,
                                                   struct cairn_consumer *consumer);
CAIRN_MUST_CHECK cairn_status cairn_latency_source_end(struct cairn_latency *latency);
/* All have ended: sorts. */
void cairn_latency_finish(struct cairn_latency *latency);
void cairn_latency_free(struct cairn_latency *latency);

/* latency_groups.c: a sample is complete. */
CAIRN_MUST_CHECK cairn_status cairn_latency_count(struct cairn_latency *latency,
                                                  struct cairn_latency_sample *sample);
/* The group of an exception or function; CAIRN_LATENCY_GROUPS_MAX: there is no room, or no memory. */
uint32_t cairn_latency_group(struct cairn_latency *latency, const struct cairn_call *call,
                             bool is_exception);
/* A line of CSV, and the head of it. */
void cairn_latency_csv(struct cairn_latency *latency, const struct cairn_latency_sample *sample);
void cairn_latency_csv_head(struct cairn_latency *latency);

/* How it is shown. */
struct cairn_latency_view {
    struct cairn_latency *latency;
    struct cairn_output *output;
    enum cairn_call_clock clock;
    uint64_t frequency; /* of the clock in Hz; 0: not known */
    bool linear;        /* bins */
    size_t top;         /* groups with details */
    const char *capture;
    const char *const
        *words; /* how it was opened: names of options, each with its value behind it */
    size_t word_count;
    const char *begin, *end; /* of pairs, as they were given */
    int width;               /* of a column: latency_text.c */
};
/* The clock that tells most. */
enum cairn_call_clock cairn_latency_clock(const struct cairn_latency *latency);
void cairn_latency_text(const struct cairn_latency_view *view);
void cairn_latency_json(const struct cairn_latency_view *view, uint64_t lost_bytes);
/* "SysTick: on_systick" */
const char *cairn_latency_name(const struct cairn_latency_view *view,
                               const struct cairn_latency_group *group, char text[CAIRN_CALL_NAME]);
const char *cairn_latency_function(struct cairn_latency *latency, uint32_t function,
                                   char text[CAIRN_CALL_NAME]);
const char *cairn_latency_end_word(uint32_t end);
/* "exception" */
const char *cairn_latency_kind(const struct cairn_latency *latency,
                               const struct cairn_latency_group *group);
/* The bins of a group's histogram: [first, end) with how many it has at most in them. */
#define CAIRN_LATENCY_BINS_MAX 65u
struct cairn_latency_bin {
    uint64_t first, end; /* 0: no end */
    uint64_t count;
};
size_t cairn_latency_bins(const struct cairn_latency_view *view,
                          const struct cairn_latency_group *group,
                          struct cairn_latency_bin bins[CAIRN_LATENCY_BINS_MAX]);

#endif
