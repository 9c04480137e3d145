/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/call_timeline.h"

#include <stdlib.h>

static uint64_t when(const struct cairn_call_list *list, const struct cairn_call_line *line)
{
    return cairn_call_list_time(list, line->kind == CAIRN_LINE_OPEN ? &line->call.began
                                                                    : &line->call.ended);
}

/* --- counters --- */

/* So many are told of all there is; of what follows one each so many units of time, and twice as many each time that so
 * many were told again. */
#define COUNTS_WHOLE 8192u
#define STEP_FIRST 64u

/* Whether one is told; *step grows. */
static bool is_due(uint64_t passed, uint64_t *step, uint64_t *told)
{
    if (passed < *step)
        return false;
    if (++*told % COUNTS_WHOLE == 0)
        *step = *step ? *step * 2 : STEP_FIRST;
    return true;
}

static void put_counter(struct cairn_call_list *list, const struct cairn_call_line *line,
                        uint64_t at, enum cairn_timeline_counter counter, double value,
                        cairn_timeline_put *put)
{
    const struct cairn_timeline_event event = {
        .kind = CAIRN_TIMELINE_COUNTER,
        .line = line,
        .at = at,
        .until = at,
        .counter = counter,
        .value = value,
    };

    put(list, &event);
}

static void count_depth(struct cairn_call_list *list, const struct cairn_call_line *line,
                        uint64_t at, cairn_timeline_put *put)
{
    struct cairn_call_counters *counters = &list->counters;
    const uint32_t thread = line->call.thread + 1;
    const bool is_gap = line->kind == CAIRN_LINE_GAP;
    uint32_t depth = line->call.depth;

    if (counters->depth_thread == thread && !is_gap &&
        !is_due(at - counters->depth_at, &counters->depth_step, &counters->depth_told))
        return;
    depth = is_gap ? 0 : depth + (line->kind == CAIRN_LINE_OPEN);
    counters->depth_thread = thread;
    counters->depth_at = at;
    put_counter(list, line, at, CAIRN_COUNTER_DEPTH, depth, put);
}

/* A trace whose exception level never changes, or that does not tell it, has no such track. */
static void count_level(struct cairn_call_list *list, const struct cairn_call_line *line,
                        uint64_t at, cairn_timeline_put *put)
{
    struct cairn_call_counters *counters = &list->counters;

    if (line->kind == CAIRN_LINE_GAP || (counters->has_EL && counters->EL == line->call.EL))
        return;
    if (counters->has_EL && !counters->tells_EL)
        put_counter(list, line, counters->EL_at, CAIRN_COUNTER_EL, counters->EL, put);
    counters->tells_EL = counters->has_EL;
    counters->has_EL = true;
    counters->EL = line->call.EL;
    counters->EL_at = at;
    if (counters->tells_EL)
        put_counter(list, line, at, CAIRN_COUNTER_EL, counters->EL, put);
}

/* From the last time to now; none goes over a gap. */
static void count_rates(struct cairn_call_list *list, const struct cairn_call_line *line,
                        uint64_t at, cairn_timeline_put *put)
{
    struct cairn_call_counters *counters = &list->counters;
    const struct cairn_call_moment *now =
        line->kind == CAIRN_LINE_OPEN ? &line->call.began : &line->call.ended;
    const bool is_gap = line->kind == CAIRN_LINE_GAP;
    const uint64_t from = counters->rate_at;
    const uint64_t passed = at > from ? at - from : 0;

    if (!counters->rate_step)
        counters->rate_step = STEP_FIRST;
    if (counters->has_rate && !is_due(passed, &counters->rate_step, &counters->rate_told)) {
        counters->has_rate = !is_gap;
        return;
    }
    if (counters->has_rate && passed) {
        const double executed = (double)(now->executed - counters->executed);

        if (now->total_cycles > counters->cycles)
            put_counter(list, line, from, CAIRN_COUNTER_IPC,
                        executed / (double)(now->total_cycles - counters->cycles), put);
        if (list->clock == CAIRN_CLOCK_TIME)
            put_counter(list, line, from, CAIRN_COUNTER_RATE, executed / (double)passed, put);
    }
    counters->rate_at = at;
    counters->executed = now->executed;
    counters->cycles = now->total_cycles;
    counters->has_rate = !is_gap;
}

/* --- lines --- */

/* A gap took the time up to what comes next on its thread, if that is any. */
static void close_gap(struct cairn_call_list *list, struct cairn_call_track *track,
                      const struct cairn_call_line *line, uint64_t at, cairn_timeline_put *put)
{
    const bool is_gap = line->kind == CAIRN_LINE_GAP;
    const struct cairn_call_line gap = {
        .call = {.thread = line->call.thread}, .kind = CAIRN_LINE_GAP, .account = track->account};
    const struct cairn_timeline_event event = {
        .kind = CAIRN_TIMELINE_LOST, .line = &gap, .at = track->lost_at, .until = at};

    if (is_gap && !track->is_lost) {
        track->lost_at = at;
        track->account = line->account;
    } else if (!is_gap && track->is_lost && at > track->lost_at) {
        put(list, &event);
    }
    track->is_lost = is_gap;
}

/* Time does not go back on a track, whatever the timestamps do. */
static void put_line(struct cairn_call_list *list, const struct cairn_call_line *line, uint64_t at,
                     cairn_timeline_put *put)
{
    struct cairn_timeline_event event = {
        .kind = CAIRN_TIMELINE_END, .line = line, .at = at, .until = at};
    struct cairn_call_counters *counters = &list->counters;

    if (!cairn_call_list_room(&counters->tracks, &counters->track_count, line->call.thread,
                              sizeof *counters->tracks))
        return;
    struct cairn_call_track *track = &counters->tracks[line->call.thread];
    event.at = event.until = at = at > track->latest ? at : track->latest;
    track->latest = at;
    if (line->kind == CAIRN_LINE_GAP)
        event.kind = CAIRN_TIMELINE_GAP;
    else if (line->kind == CAIRN_LINE_OPEN)
        event.kind = CAIRN_TIMELINE_BEGIN;
    close_gap(list, track, line, at, put);
    put(list, &event);
    count_depth(list, line, at, put);
    count_level(list, line, at, put);
    count_rates(list, line, at, put);
}

/* --- time --- */

#define EARLY_MAX 4096u

/* Calls that were open at the source's first time are told to begin there. */
static void start_at(struct cairn_call_list *list, uint64_t at, cairn_timeline_put *put)
{
    list->is_timed = true;
    for (size_t i = 0; i < list->early_count; i++)
        if (list->early[i].kind == CAIRN_LINE_OPEN)
            put_line(list, &list->early[i], at, put);
    list->early_count = 0;
}

/* False: there is no room for another one. */
static bool has_room(struct cairn_call_list *list)
{
    size_t count = 0;

    if (!list->early)
        list->early = malloc(EARLY_MAX * sizeof *list->early);
    if (!list->early)
        return false;
    if (list->early_count < EARLY_MAX)
        return true;
    for (size_t i = 0; i < list->early_count; i++)
        if (list->early[i].kind == CAIRN_LINE_OPEN)
            list->early[count++] = list->early[i];
    list->early_count = count;
    return count < EARLY_MAX / 2;
}

/* When a call was that ended before the first time is not known: it is not told at all. */
static void forget(struct cairn_call_list *list, uint32_t thread)
{
    for (size_t i = list->early_count; i > 0; i--)
        if (list->early[i - 1].kind == CAIRN_LINE_OPEN &&
            list->early[i - 1].call.thread == thread) {
            list->early[i - 1].kind = CAIRN_LINE_CLOSE;
            break;
        }
    while (list->early_count && list->early[list->early_count - 1].kind != CAIRN_LINE_OPEN)
        list->early_count--;
}

void cairn_timeline_line(struct cairn_call_list *list, const struct cairn_call_line *line,
                         cairn_timeline_put *put)
{
    const uint64_t at = when(list, line);

    if (at == CAIRN_CALL_NOT_KNOWN && !list->is_timed) {
        if (line->kind == CAIRN_LINE_CLOSE)
            forget(list, line->call.thread);
        if (line->kind != CAIRN_LINE_OPEN)
            return;
        if (has_room(list)) {
            list->early[list->early_count++] = *line;
            return;
        }
        start_at(list, 0, put); /* so many that they are told at once */
    }
    if (!list->is_timed)
        start_at(list, at, put);
    put_line(list, line, at == CAIRN_CALL_NOT_KNOWN ? 0 : at, put);
}

const char *cairn_timeline_gap(const struct cairn_call_line *line)
{
    return line->account ? cairn_account_name((enum cairn_account)line->account) : "gap";
}

const char *cairn_timeline_counter(const struct cairn_call_list *list,
                                   enum cairn_timeline_counter counter)
{
    switch (counter) {
    case CAIRN_COUNTER_DEPTH: return "stack depth";
    case CAIRN_COUNTER_EL: return "exception level";
    case CAIRN_COUNTER_IPC: return "instructions per cycle";
    case CAIRN_COUNTER_RATE:
        return list->system ? "instructions per nanosecond" : "instructions per tick";
    case CAIRN_COUNTERS: break;
    }
    return "";
}
