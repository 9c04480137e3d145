/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the buffer of a processor is full and perf does not read it, the kernel starts the event, finds no room and records
 * nothing, without a word: there is no part (AUX record) for what ran then. An event that is started says so each time
 * (ITRACE_START), and the kernel may leave it off until perf has read: then a thread begins to run (SWITCH) and it is not started.
 * No part is no proof, as a filter, or code that is not traced, gives none either: only what comes behind a part at which the
 * buffer became full counts. */
#include <inttypes.h>
#include <stdlib.h>

#include "capture/perf/trace.h"

#define PAGE 4096u /* a buffer has as many as a power of two */
#define NANOSECONDS_OF_MS 1e6

/* A processor, run by run. */
struct silence {
    struct cairn_perf_trace *trace;
    const size_t *fragments; /* by the number of their runs; SIZE_MAX: none */
    const struct cairn_perf_fragment *last;
    size_t first, behind;   /* pieces of the buffer */
    uint64_t largest;       /* size of these */
    uint64_t until;         /* the last time of all that happened on any processor */
    bool is_larger;         /* the buffer, than any of them */
    uint64_t began, ended;  /* of what runs, or ran last; `ended` 0: it still does */
    bool is_open, has_part; /* since it began */
    bool is_started;        /* and nobody began to run since */
    bool is_silent;         /* since the last part */
};

static bool is_power(uint64_t size)
{
    return size >= PAGE && !(size & (size - 1));
}

/* The pieces of the processor's buffer: these are in order. */
static void find_pieces(struct silence *silence, uint32_t cpu)
{
    const struct cairn_perf_trace *const trace = silence->trace;
    const struct cairn_perf_owner owner = {.cpu = cpu, .thread = CAIRN_PERF_NOBODY};
    size_t low = 0, high = trace->piece_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (cairn_perf_by_owner(&trace->pieces[middle].owner, &owner) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    silence->first = low;
    for (; low < trace->piece_count && !cairn_perf_by_owner(&trace->pieces[low].owner, &owner);
         low++)
        if (trace->pieces[low].size > silence->largest)
            silence->largest = trace->pieces[low].size;
    silence->behind = low;
}

/* Whether perf has read a whole buffer at once, that ended with the part. */
static bool fills_buffer(const struct silence *silence, const struct cairn_perf_fragment *fragment)
{
    const struct cairn_perf_piece *const pieces = silence->trace->pieces;
    const uint64_t end = fragment->offset + fragment->size;
    size_t low = silence->first, high = silence->behind;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (pieces[middle].offset < end)
            low = middle + 1;
        else
            high = middle;
    }
    return !silence->is_larger && low > silence->first &&
           pieces[low - 1].offset + pieces[low - 1].size == end &&
           pieces[low - 1].size == silence->largest && is_power(silence->largest);
}

static bool is_full(const struct silence *silence, const struct cairn_perf_fragment *fragment)
{
    return (fragment->flags & CAIRN_PERF_AUX_LOSSES) || fills_buffer(silence, fragment);
}

static bool is_behind_full(const struct silence *silence)
{
    return silence->is_open && !silence->has_part && silence->last &&
           (silence->is_silent || is_full(silence, silence->last));
}

/* What ran has ended, and the event was stopped since. */
static void close_run(struct silence *silence, uint64_t now)
{
    const uint64_t until = silence->ended ? silence->ended : now;

    if (is_behind_full(silence)) {
        silence->trace->silences++;
        silence->trace->silent += until - silence->began;
        silence->is_silent = true;
    }
    silence->is_open = false;
}

/* Nothing more happens on the processor: a part comes at once behind what has ended, and if anything was recorded later it
 * would be there. */
static void end_processor(struct silence *silence)
{
    if (silence->ended && silence->ended < silence->until)
        close_run(silence, silence->until);
    else
        silence->trace->has_open_silence |= is_behind_full(silence);
}

static void open_run(struct silence *silence, uint64_t now)
{
    close_run(silence, now);
    silence->is_open = true;
    silence->has_part = false;
    silence->began = now;
    silence->ended = 0;
}

static void take_part(struct silence *silence, const struct cairn_perf_run *run)
{
    const size_t at = silence->fragments[run->number];

    silence->has_part = true;
    silence->last = NULL;
    if (at != SIZE_MAX) {
        silence->trace->fragments[at].is_behind_silence = silence->is_silent;
        silence->last = &silence->trace->fragments[at];
    }
    silence->is_silent = false;
}

/* The kernel hands the event of a task on to what that has started, and starts nothing then. */
static bool starts_each(const struct cairn_perf_trace *trace)
{
    return trace->is_of_tasks && !(trace->is_inherited && trace->has_forks);
}

static void take_run(struct silence *silence, const struct cairn_perf_run *run)
{
    switch (run->kind) {
    case CAIRN_PERF_RUN_START:
        open_run(silence, run->time);
        silence->is_started = true;
        break;
    case CAIRN_PERF_RUN_BEGINS:
        if (!silence->is_started && starts_each(silence->trace))
            open_run(silence, run->time);
        silence->is_started = false;
        break;
    case CAIRN_PERF_RUN_ENDS:
        silence->ended = run->time;
        silence->is_started = false;
        break;
    case CAIRN_PERF_RUN_PART: take_part(silence, run); break;
    }
}

/* Where one part follows another one and the event was not started in between, there was room behind the first: perf has read a part
 * of the buffer, as it does when it is woken at half of it. */
static void find_room(struct silence *silence, size_t from)
{
    const struct cairn_perf_trace *const trace = silence->trace;
    const struct cairn_perf_fragment *last = NULL;

    for (size_t i = from;
         i < trace->run_count && trace->runs[i].cpu == trace->runs[from].cpu && !silence->is_larger;
         i++) {
        const struct cairn_perf_run *const run = &trace->runs[i];
        const bool is_part = run->kind == CAIRN_PERF_RUN_PART;
        const size_t at = is_part ? silence->fragments[run->number] : SIZE_MAX;

        if (is_part && last && fills_buffer(silence, last))
            silence->is_larger = true;
        if (at != SIZE_MAX)
            last = &trace->fragments[at];
        else if (run->kind != CAIRN_PERF_RUN_ENDS)
            last = NULL;
    }
}

/* Snapshots have parts only where somebody asks for one, and a thread's own buffer goes from processor to processor. */
static bool can_tell(const struct cairn_perf_trace *trace)
{
    for (size_t i = 0; i < trace->fragment_count; i++)
        if (trace->fragments[i].owner.cpu == CAIRN_PERF_NOBODY ||
            (trace->fragments[i].flags & CAIRN_PERF_AUX_OVERWRITE))
            return false;
    return trace->run_count && !trace->is_untimed && !trace->lost && !trace->too_many &&
           !trace->elsewhen;
}

cairn_status cairn_perf_find_silences(struct cairn_perf_trace *trace)
{
    struct silence silence = {.trace = trace};
    uint64_t until = 0;
    size_t *fragments;

    if (!can_tell(trace))
        return CAIRN_OK;
    fragments = malloc(trace->run_count * sizeof *fragments);
    if (!fragments)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < trace->run_count; i++)
        fragments[i] = SIZE_MAX;
    for (size_t i = 0; i < trace->fragment_count; i++)
        if (trace->fragments[i].run != CAIRN_PERF_NO_RUN)
            fragments[trace->fragments[i].run] = i;
    cairn_perf_sort_runs(trace);
    for (size_t i = 0; i < trace->run_count; i++)
        until = trace->runs[i].time > until ? trace->runs[i].time : until;
    for (size_t i = 0; i < trace->run_count; i++) {
        if (!i || trace->runs[i - 1].cpu != trace->runs[i].cpu) {
            end_processor(&silence);
            silence = (struct silence){.trace = trace, .fragments = fragments, .until = until};
            find_pieces(&silence, trace->runs[i].cpu);
            find_room(&silence, i);
        }
        take_run(&silence, &trace->runs[i]);
    }
    end_processor(&silence);
    free(fragments);
    return CAIRN_OK;
}

void cairn_perf_say_silences(struct cairn_capture *capture, const char *path,
                             const struct cairn_perf_trace *trace)
{
    if (trace->silences)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: %s%" PRIu64
            " %s that a traced thread ran, for %.3f ms in all, the kernel recorded nothing: "
            "the buffer was full, and perf had not read it. Give it a larger one (perf record -m ,16M), or "
            "trace less at a time.",
            path, trace->has_open_silence ? "at least " : "", trace->silences,
            trace->silences == 1 ? "time" : "times", (double)trace->silent / NANOSECONDS_OF_MS);
}
