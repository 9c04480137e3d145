/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a buffer is full and perf does not read it, the kernel starts the event, finds no room and records nothing, without
 * a word: there is no part (AUX record) for what ran then. An event that is started says so each time (ITRACE_START), and
 * the kernel may leave it off until perf has read: then a thread begins to run (SWITCH) and it is not started. No part is no
 * proof, as a filter, or code that is not traced, gives none either: only what comes behind a part at which the buffer became
 * full counts. Buffers are of processors, or of threads (--per-thread), whose records are looked at wherever they ran.
 * An event that counts on processors, whoever runs, is started once: again behind such a part, when perf has read it. What ran
 * in between is told by switches alone. */
#include <inttypes.h>
#include <stdlib.h>

#include "capture/perf/trace.h"

#define PAGE 4096u /* a buffer has as many as a power of two */
#define NANOSECONDS_OF_MS 1e6

/* A processor, or a thread, run by run. */
struct silence {
    struct cairn_perf_trace *trace;
    const uint32_t
        *coded; /* threads that have code, ascending, where the event counts on processors */
    size_t coded_count;
    bool is_of_thread;       /* the buffer */
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
    uint64_t ran, times;    /* of what runs on a processor that is off: since the last part */
};

static bool is_power(uint64_t size)
{
    return size >= PAGE && !(size & (size - 1));
}

static uint32_t owner_of(const struct cairn_perf_run *run, bool is_of_thread)
{
    return is_of_thread ? run->thread : run->cpu;
}

/* The pieces of the buffer: these are in order. */
static void find_pieces(struct silence *silence, uint32_t number)
{
    const struct cairn_perf_trace *const trace = silence->trace;
    const struct cairn_perf_owner owner = {
        .cpu = silence->is_of_thread ? CAIRN_PERF_NOBODY : number,
        .thread = silence->is_of_thread ? number : CAIRN_PERF_NOBODY,
    };
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
    if (silence->last && silence->is_silent)
        silence->trace->fragments[silence->last - silence->trace->fragments].is_before_silence =
            true;
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

    for (size_t i = from; i < trace->run_count &&
                          owner_of(&trace->runs[i], silence->is_of_thread) ==
                              owner_of(&trace->runs[from], silence->is_of_thread) &&
                          !silence->is_larger;
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

/* --- an event that counts on processors --- */

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return one < other ? -1 : one > other;
}

/* Threads of processes that have code of a user's: others, and the one that is idle, execute the kernel's alone. Of an event
 * that takes the kernel in all have code, but for that one. */
static cairn_status list_coded(const struct cairn_perf_trace *trace, uint32_t **coded,
                               size_t *count)
{
    uint32_t *const processes = malloc((trace->mapping_count + 1) * sizeof *processes);

    *coded = malloc((trace->task_count + 1) * sizeof **coded);
    *count = 0;
    if (!processes || !*coded) {
        free(processes);
        return CAIRN_E_MEMORY;
    }
    for (size_t i = 0; i < trace->mapping_count; i++)
        processes[i] = trace->mappings[i].process;
    if (trace->mapping_count)
        qsort(processes, trace->mapping_count, sizeof *processes, compare_numbers);
    for (size_t i = 0; i < trace->task_count; i++)
        if (trace->has_kernel || (trace->mapping_count &&
                                  bsearch(&trace->tasks[i].process, processes, trace->mapping_count,
                                          sizeof *processes, compare_numbers)))
            (*coded)[(*count)++] = trace->tasks[i].thread;
    if (*count)
        qsort(*coded, *count, sizeof **coded, compare_numbers);
    free(processes);
    return CAIRN_OK;
}

static bool has_code(const struct silence *silence, uint32_t thread)
{
    return thread && silence->coded_count &&
           bsearch(&thread, silence->coded, silence->coded_count, sizeof *silence->coded,
                   compare_numbers);
}

static void end_of_turn(struct silence *silence, uint64_t now)
{
    if (silence->is_open) {
        silence->ran += now - silence->began;
        silence->times++;
    }
    silence->is_open = false;
}

static void take_wide(struct silence *silence, const struct cairn_perf_run *run)
{
    struct cairn_perf_trace *const trace = silence->trace;
    const bool is_off = silence->last && is_full(silence, silence->last);
    const bool runs = silence->is_open;

    switch (run->kind) {
    case CAIRN_PERF_RUN_BEGINS:
        end_of_turn(silence, run->time);
        silence->is_open = has_code(silence, run->thread);
        silence->began = run->time;
        return;
    case CAIRN_PERF_RUN_ENDS: end_of_turn(silence, run->time); return;
    case CAIRN_PERF_RUN_START:
        end_of_turn(silence, run->time);
        if (is_off) {
            trace->silences += silence->times;
            trace->silent += silence->ran;
            silence->is_silent |= silence->times != 0;
        }
        silence->last = NULL;
        break;
    case CAIRN_PERF_RUN_PART: take_part(silence, run); break;
    }
    /* who runs then is counted from there on */
    silence->is_open = runs;
    silence->began = run->time;
    silence->ran = silence->times = 0;
}

/* --- all of them --- */

/* Snapshots need no room: the kernel writes over what is older. And the parts have to be where their buffers are. */
static bool can_tell(const struct cairn_perf_trace *trace, bool *is_of_thread)
{
    *is_of_thread = trace->fragment_count && trace->fragments[0].owner.cpu == CAIRN_PERF_NOBODY;
    for (size_t i = 0; i < trace->fragment_count; i++) {
        const struct cairn_perf_fragment *const fragment = &trace->fragments[i];
        const uint32_t number = *is_of_thread ? fragment->owner.thread : fragment->owner.cpu;

        if ((fragment->owner.cpu == CAIRN_PERF_NOBODY) != *is_of_thread ||
            number == CAIRN_PERF_NOBODY || (fragment->flags & CAIRN_PERF_AUX_OVERWRITE) ||
            fragment->happened == CAIRN_PERF_NO_RUN ||
            owner_of(&trace->runs[fragment->happened], *is_of_thread) != number)
            return false;
    }
    return trace->run_count && !trace->is_untimed && !trace->lost && !trace->too_many &&
           !trace->elsewhen;
}

static int compare_of_threads(const void *a, const void *b)
{
    const struct cairn_perf_run *const one = a, *const other = b;

    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* It does not stop when others run. */
static bool counts_on_processors(const struct cairn_perf_trace *trace)
{
    return !trace->is_of_tasks && trace->index_count;
}

static void find_all(struct silence begin)
{
    struct cairn_perf_trace *const trace = begin.trace;
    const bool is_wide = counts_on_processors(trace);
    struct silence silence = begin;

    for (size_t i = 0; i < trace->run_count; i++) {
        const uint32_t number = owner_of(&trace->runs[i], begin.is_of_thread);

        if (!i || owner_of(&trace->runs[i - 1], begin.is_of_thread) != number) {
            if (!is_wide)
                end_processor(&silence);
            silence = begin;
            find_pieces(&silence, number);
            find_room(&silence, i);
        }
        if (is_wide)
            take_wide(&silence, &trace->runs[i]);
        else
            take_run(&silence, &trace->runs[i]);
    }
    if (!is_wide)
        end_processor(&silence);
}

cairn_status cairn_perf_find_silences(struct cairn_perf_trace *trace)
{
    struct silence begin = {.trace = trace};
    cairn_status status = CAIRN_OK;
    uint32_t *coded = NULL;
    size_t *fragments;

    if (!can_tell(trace, &begin.is_of_thread) ||
        (counts_on_processors(trace) && (!trace->has_switches || trace->has_untold_runs)))
        return CAIRN_OK;
    fragments = malloc(trace->run_count * sizeof *fragments);
    if (!fragments)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < trace->run_count; i++)
        fragments[i] = SIZE_MAX;
    for (size_t i = 0; i < trace->fragment_count; i++)
        fragments[trace->fragments[i].happened] = i;
    if (counts_on_processors(trace))
        status = list_coded(trace, &coded, &begin.coded_count);
    if (begin.is_of_thread)
        qsort(trace->runs, trace->run_count, sizeof *trace->runs, compare_of_threads);
    else
        cairn_perf_sort_runs(trace);
    for (size_t i = 0; i < trace->run_count; i++)
        begin.until = trace->runs[i].time > begin.until ? trace->runs[i].time : begin.until;
    begin.fragments = fragments;
    begin.coded = coded;
    if (!status)
        find_all(begin);
    free(coded);
    free(fragments);
    return status;
}

void cairn_perf_say_silences(struct cairn_capture *capture, const char *path,
                             const struct cairn_perf_trace *trace)
{
    if (trace->silences)
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_WARNING,
            "%s: %s%" PRIu64
            " %s that a traced thread ran, for %.3f ms in all, the kernel recorded nothing: "
            "the buffer was full, and perf had not read it. Give it a larger one (perf record -m ,16M), or "
            "trace less at a time.",
            path, trace->has_open_silence ? "at least " : "", trace->silences,
            trace->silences == 1 ? "time" : "times", (double)trace->silent / NANOSECONDS_OF_MS);
}
