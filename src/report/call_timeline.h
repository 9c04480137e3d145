/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls on a line of time: slices that begin and end on a thread's track, gaps, and counters beside them. What Chrome's
 * and Perfetto's formats have in common. */
#ifndef CAIRN_REPORT_CALL_TIMELINE_H
#define CAIRN_REPORT_CALL_TIMELINE_H

#include "report/call_list.h"

enum cairn_timeline_kind {
    CAIRN_TIMELINE_BEGIN = 0,
    CAIRN_TIMELINE_END = 1,
    CAIRN_TIMELINE_GAP = 2,     /* a moment */
    CAIRN_TIMELINE_LOST = 3,    /* a gap that took time: from `at` to `until` */
    CAIRN_TIMELINE_COUNTER = 4, /* `value` holds from `at` on */
};

enum cairn_timeline_counter {
    CAIRN_COUNTER_DEPTH = 0, /* of a thread: calls that are open */
    CAIRN_COUNTER_EL = 1,    /* of a source */
    CAIRN_COUNTER_IPC = 2,   /* of a source: instructions per cycle */
    CAIRN_COUNTER_RATE = 3,  /* of a source: instructions per tick of its timestamps */
    CAIRN_COUNTERS = 4,
};

struct cairn_timeline_event {
    enum cairn_timeline_kind kind;
    const struct cairn_call_line *line; /* the thread; of BEGIN and gaps what they are */
    uint64_t at, until;
    enum cairn_timeline_counter counter;
    double value;
};

typedef void cairn_timeline_put(struct cairn_call_list *list,
                                const struct cairn_timeline_event *event);

/* Tells what a line is on the timeline. Times of a thread do not go back, but those of gaps that took time and of
 * counters of a source may lie before what was told last. */
void cairn_timeline_line(struct cairn_call_list *list, const struct cairn_call_line *line,
                         cairn_timeline_put *put);

/* Whose track a thread's is, once it is `named`. No two tracks have the same numbers. */
const struct cairn_call_whose *cairn_timeline_whose(const struct cairn_call_list *list,
                                                    uint32_t thread);
/* The number of the source as a process, which what no process is known of is in. */
uint64_t cairn_timeline_source(const struct cairn_call_list *list);
/* Whether the thread's track is told of for the first time; whose it is has been found then. */
bool cairn_timeline_names(struct cairn_call_list *list, uint32_t thread);
/* The same of a process that is known: *name is its name. */
bool cairn_timeline_process(struct cairn_call_list *list, uint32_t thread,
                            char name[CAIRN_CALL_NAME]);
/* "worker (cpu1)"; a thread that is not known as cairn_call_list_thread has it. */
void cairn_timeline_thread(const struct cairn_call_list *list, uint32_t thread,
                           char name[CAIRN_CALL_NAME]);

/* Words for people. */
const char *cairn_timeline_gap(const struct cairn_call_line *line);
const char *cairn_timeline_counter(const struct cairn_call_list *list,
                                   enum cairn_timeline_counter counter);

#endif
