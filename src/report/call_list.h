/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls in the order of time, as lines for people and as what other programs show. */
#ifndef CAIRN_REPORT_CALL_LIST_H
#define CAIRN_REPORT_CALL_LIST_H

#include <cairn/calls.h>
#include <cairn/capture.h>

#include "base/table.h"
#include "report/naming.h"
#include "report/output.h"
#include "report/wanted.h"

/* What times and durations are counted in. */
enum cairn_call_clock {
    CAIRN_CLOCK_INSTRUCTIONS = 0,
    CAIRN_CLOCK_CYCLES = 1,
    CAIRN_CLOCK_TIME = 2, /* timestamps */
};

enum cairn_call_line_kind {
    CAIRN_LINE_OPEN = 0,  /* a call begins, and others are inside of it */
    CAIRN_LINE_CLOSE = 1, /* and ends */
    CAIRN_LINE_WHOLE = 2, /* a call without any inside */
    CAIRN_LINE_GAP = 3,
};

struct cairn_call_line {
    struct cairn_call call; /* of a gap: thread and `ended` */
    uint32_t kind;
    uint32_t account; /* of a gap */
    uint32_t level;   /* how far it is in */
};

struct cairn_call_list;

/* A format. */
struct cairn_call_format {
    const char *name;
    void (*begin)(struct cairn_call_list *list);  /* before the first source */
    void (*source)(struct cairn_call_list *list); /* one begins; or NULL */
    void (*line)(struct cairn_call_list *list, const struct cairn_call_line *line);
    void (*end)(struct cairn_call_list *list); /* or NULL */
    bool wants_opens;                          /* OPEN and CLOSE of every call, never WHOLE */
    bool only_ends;                            /* no OPEN: a call is told where it ends */
};

extern const struct cairn_call_format cairn_calls_text;
extern const struct cairn_call_format cairn_calls_json;
extern const struct cairn_call_format cairn_calls_chrome;
extern const struct cairn_call_format cairn_calls_perfetto;

/* A thread's track. */
struct cairn_call_track {
    uint64_t latest;  /* time told */
    uint64_t lost_at; /* a gap behind which nothing came yet */
    uint32_t account; /* of that */
    bool is_lost;
};

/* Whose a thread's track is: the numbers are those of the recorded threads where they are known. */
struct cairn_call_whose {
    uint64_t process, thread;
    bool is_known;   /* its thread */
    bool is_process; /* and that one's process; else it is the source's */
};

/* What timelines count beside the calls. */
struct cairn_call_counters {
    struct cairn_call_track *tracks; /* by thread */
    size_t track_count;
    uint64_t depth_at, depth_step, depth_told;
    uint32_t depth_thread; /* told last, + 1 */
    uint64_t rate_at, rate_step, rate_told;
    uint64_t executed, cycles; /* at rate_at */
    bool has_rate;
    uint64_t EL_at;
    uint32_t EL;
    bool has_EL, tells_EL;
};

struct cairn_call_list {
    /* Set by the caller: */
    const struct cairn_call_format *format;
    struct cairn_output *output;
    struct cairn_naming *naming;
    enum cairn_call_clock clock;
    const struct cairn_clock_info *system; /* that timestamps are told by; NULL: as they are */
    const struct cairn_wanted *function;   /* only its calls, and those inside; NULL: all */
    uint32_t depth;                        /* levels; UINT32_MAX: all */
    size_t last;                           /* only the last lines of each source; 0: all */
    const struct cairn_capture *capture;   /* whose threads have names */
    const char *source;                    /* name of the one that is listed, */
    size_t source_index;                   /* and its number in the capture */
    struct cairn_config *config;
    struct cairn_calls *calls;
    uint32_t source_number; /* from 0 on */
    /* The list's own: */
    struct cairn_call_line held; /* begun, and nothing behind it yet */
    bool is_held;
    struct cairn_call_line *ring;
    size_t ring_at, ring_count;
    uint8_t *matches; /* by function: 0 not looked at, 1 no, 2 yes */
    size_t match_count;
    uint32_t *inside; /* by thread: depth of the call that was asked for + 1; 0: outside */
    size_t inside_count;
    uint32_t thread; /* of the last line, + 1 */
    bool has_lines;
    uint64_t lines;
    uint8_t *named; /* by thread: its track was told */
    size_t named_count;
    bool is_named;  /* the source was told of */
    bool has_clock; /* some line's moment was told by `clock` */
    /* Of timelines: what began before the source's first time. */
    struct cairn_call_line *early;
    size_t early_count;
    bool is_timed;
    struct cairn_call_counters counters;
    struct cairn_call_whose *whose; /* by thread, of those that are `named` */
    size_t whose_count;
    struct cairn_call_whose *taken; /* numbers that tracks have, of all sources */
    size_t taken_count, taken_room;
    struct cairn_table taken_by;
    uint64_t spare; /* numbers given that no thread has */
    uint64_t told;  /* of formats that need to know whether something was before */
};

/* For cairn_calls_new. */
struct cairn_calls_sink cairn_call_list_sink(struct cairn_call_list *list);
/* CAIRN_E_MEMORY: so many last lines cannot be kept. */
CAIRN_MUST_CHECK cairn_status cairn_call_list_begin(struct cairn_call_list *list);
/* A source begins, or has ended. */
void cairn_call_list_source(struct cairn_call_list *list);
void cairn_call_list_source_end(struct cairn_call_list *list);
void cairn_call_list_end(struct cairn_call_list *list);
void cairn_call_list_free(struct cairn_call_list *list);

/* For formats: what a call is called, a moment by the list's clock, and its thread's name. */
#define CAIRN_CALL_NAME 512
const char *cairn_call_list_name(struct cairn_call_list *list, const struct cairn_call *call,
                                 char text[CAIRN_CALL_NAME]);
/* A time or duration that the trace does not tell. */
#define CAIRN_CALL_NOT_KNOWN UINT64_MAX
uint64_t cairn_call_list_time(const struct cairn_call_list *list,
                              const struct cairn_call_moment *moment);
/* From `began` to `ended`: in instructions and cycles those of the thread alone. Not known where no cycles
 * were counted yet, or a timestamp is none or lies before the first. */
uint64_t cairn_call_list_took(const struct cairn_call_list *list, const struct cairn_call *call);
void cairn_call_list_thread(const struct cairn_call_list *list, uint32_t thread,
                            char text[CAIRN_CALL_NAME]);
/* Whether the thread's track is told of for the first time. */
bool cairn_call_list_names(struct cairn_call_list *list, uint32_t thread);
/* Room for the entry of `index` in *array, all zero at first. */
bool cairn_call_list_room(void *array, size_t *count, size_t index, size_t size);
/* The same of a counter of it. */
bool cairn_call_list_counts(struct cairn_call_list *list, uint32_t thread, unsigned counter);
/* Whether a call is of a function that is wanted; by its function it is remembered in *known (enum: 0 not asked, 1 no,
 * 2 yes), of *count functions. */
bool cairn_call_is_wanted(const struct cairn_wanted *wanted, const struct cairn_calls *calls,
                          const struct cairn_call *call, uint8_t **known, size_t *count);
/* Words for how a call ended, or NULL where it returned. */
const char *cairn_call_end_word(uint32_t end);

#endif
