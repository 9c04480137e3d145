/* SPDX-License-Identifier: BSD-2-Clause */
/* Who ran on a processor while a part of the trace was recorded, by records of its switches. A part begins when the one
 * before it was complete, or tracing began, and is a thread's if no other ran until it was complete. */
#include <stdlib.h>

#include "capture/perf/trace.h"

#define MISC_OUT (1u << 13) /* of SWITCH and SWITCH_CPU_WIDE: who is told no longer runs */
#define IDLE 0u
/* Streams that turns may make: a source each. */
#define STRETCHES_MOST 16384u
#define TURNS_MOST 16384u /* threads of a buffer */

static enum cairn_perf_run_kind kind_of(const struct cairn_perf_record *record)
{
    if (record->type == CAIRN_PERF_RECORD_AUX)
        return CAIRN_PERF_RUN_PART;
    if (record->type == CAIRN_PERF_RECORD_ITRACE_START)
        return CAIRN_PERF_RUN_START;
    return record->misc & MISC_OUT ? CAIRN_PERF_RUN_ENDS : CAIRN_PERF_RUN_BEGINS;
}

static uint32_t find_index(const struct cairn_perf_trace *trace, uint64_t event)
{
    const uint32_t hash = cairn_table_hash(event, 0);
    size_t at = cairn_table_begin(&trace->indexed, hash);
    uint32_t item;

    while ((item = cairn_table_next(&trace->indexed, hash, &at)) != CAIRN_TABLE_NONE)
        if (trace->indexes[item].event == event)
            break;
    return item;
}

static bool add_index(struct cairn_perf_trace *trace, const struct cairn_perf_index *index)
{
    if (find_index(trace, index->event) != CAIRN_TABLE_NONE)
        return true;
    if (!cairn_perf_room(trace, (void **)&trace->indexes, trace->index_count, &trace->index_room,
                         sizeof *trace->indexes, CAIRN_PERF_INDEXES_MOST))
        return false;
    if (cairn_table_add(&trace->indexed, cairn_table_hash(index->event, 0),
                        (uint32_t)trace->index_count)) {
        trace->no_memory = true;
        return false;
    }
    trace->indexes[trace->index_count++] = *index;
    return true;
}

/* A count, and for each identifier of an event (id, buffer, CPU, thread): no thread where it counts on a CPU. */
void cairn_perf_take_index(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                           const struct cairn_perf_record *record)
{
    enum { COUNT_SIZE = 8, ENTRY_SIZE = 32, AT_INDEXED_CPU = 16, AT_INDEXED_THREAD = 24 };
    bool has_room = true;

    for (size_t at = COUNT_SIZE; at + ENTRY_SIZE <= record->size && has_room; at += ENTRY_SIZE) {
        const uint8_t *const entry = record->bytes + at;
        const struct cairn_perf_index index = {
            .event = cairn_perf_u64(perf, entry),
            .cpu = (uint32_t)cairn_perf_u64(perf, entry + AT_INDEXED_CPU),
        };

        trace->is_of_tasks |=
            (uint32_t)cairn_perf_u64(perf, entry + AT_INDEXED_THREAD) != CAIRN_PERF_NOBODY;
        has_room = add_index(trace, &index);
    }
}

void cairn_perf_find_cpu(const struct cairn_perf_trace *trace, struct cairn_perf_sample_id *from)
{
    const uint32_t item =
        from->has_event && !from->has_cpu ? find_index(trace, from->event) : CAIRN_TABLE_NONE;

    if (item == CAIRN_TABLE_NONE)
        return;
    from->cpu = trace->indexes[item].cpu;
    from->has_cpu = from->cpu != CAIRN_PERF_NOBODY;
}

bool cairn_perf_take_run(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                         const struct cairn_perf_record *record)
{
    struct cairn_perf_sample_id from = {.time = 0};
    const bool is_identified = cairn_perf_identify(perf, record, &from);

    cairn_perf_find_cpu(trace, &from);
    const bool is_told = is_identified && from.has_time && from.has_thread;
    const bool is_switch = record->type == CAIRN_PERF_RECORD_SWITCH ||
                           record->type == CAIRN_PERF_RECORD_SWITCH_CPU_WIDE;
    const bool has_room =
        is_told && cairn_perf_room(trace, (void **)&trace->runs, trace->run_count, &trace->run_room,
                                   sizeof *trace->runs, CAIRN_PERF_RUNS_MOST);
    trace->has_untold_runs |= is_switch && (!has_room || !from.has_cpu);
    if (!has_room)
        return false;
    trace->runs[trace->run_count] =
        (struct cairn_perf_run){.cpu = from.has_cpu ? from.cpu : CAIRN_PERF_NOBODY,
                                .thread = from.thread,
                                .time = from.time,
                                .number = trace->run_count,
                                .kind = kind_of(record)};
    trace->run_count++;
    return from.has_cpu;
}

static int compare_runs(const void *a, const void *b)
{
    const struct cairn_perf_run *const one = a, *const other = b;

    if (one->cpu != other->cpu)
        return one->cpu < other->cpu ? -1 : 1;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

void cairn_perf_sort_runs(struct cairn_perf_trace *trace)
{
    if (trace->run_count)
        qsort(trace->runs, trace->run_count, sizeof *trace->runs, compare_runs);
}

/* Who ran since the last border. */
struct alone {
    bool has_kernel, is_any, is_several;
    uint32_t thread;
};

static void add_thread(struct alone *alone, uint32_t thread)
{
    /* where nothing of the kernel is traced, nothing is of the one that is idle */
    if (thread == IDLE && !alone->has_kernel)
        return;
    alone->is_several |= alone->is_any && alone->thread != thread;
    alone->is_any = true;
    alone->thread = thread;
}

/* Whose each part was, by the number of its run. Runs are in order. False: records of switches are missing. */
static bool find_alone(const struct cairn_perf_trace *trace, uint32_t *threads)
{
    struct alone alone = {.has_kernel = trace->has_kernel};
    uint32_t runner = CAIRN_PERF_NOBODY;
    bool is_whole = true;

    for (size_t i = 0; i < trace->run_count; i++) {
        const struct cairn_perf_run *const run = &trace->runs[i];

        if (i && run[-1].cpu != run->cpu) {
            alone = (struct alone){.has_kernel = trace->has_kernel};
            runner = CAIRN_PERF_NOBODY;
        }
        if (run->kind != CAIRN_PERF_RUN_START)
            add_thread(&alone, run->thread);
        /* another than the one that ran: that it began to is missing */
        is_whole &= runner == CAIRN_PERF_NOBODY || run->kind == CAIRN_PERF_RUN_BEGINS ||
                    run->kind == CAIRN_PERF_RUN_START || run->thread == runner;
        if (run->kind == CAIRN_PERF_RUN_BEGINS)
            runner = run->thread;
        else if (run->kind == CAIRN_PERF_RUN_ENDS)
            runner = CAIRN_PERF_NOBODY;
        if (run->kind == CAIRN_PERF_RUN_PART)
            threads[run->number] = alone.is_any && !alone.is_several && alone.thread != IDLE
                                       ? alone.thread
                                       : CAIRN_PERF_NOBODY;
        if (run->kind == CAIRN_PERF_RUN_PART || run->kind == CAIRN_PERF_RUN_START) {
            alone = (struct alone){.has_kernel = trace->has_kernel};
            if (runner != CAIRN_PERF_NOBODY)
                add_thread(&alone, runner);
        }
    }
    return is_whole;
}

bool cairn_perf_is_marked(const struct cairn_perf_trace *trace, uint32_t cpu)
{
    const struct cairn_perf_core *const own = cairn_perf_core_of_cpu(trace, cpu);

    return trace->core_count &&
           cairn_perf_mark_of(own ? own : trace->cores) != CAIRN_THREAD_NOT_MARKED;
}

/* A part of a processor's buffer that does not say itself whose it is. */
static bool takes_turns(const struct cairn_perf_trace *trace,
                        const struct cairn_perf_fragment *fragment)
{
    return fragment->owner.cpu != CAIRN_PERF_NOBODY &&
           !cairn_perf_is_marked(trace, fragment->owner.cpu);
}

/* A snapshot may have what was recorded before the last one. */
static bool is_of_its_time(const struct cairn_perf_fragment *fragment)
{
    return fragment->run != CAIRN_PERF_NO_RUN && !(fragment->flags & CAIRN_PERF_AUX_OVERWRITE);
}

static cairn_status find_runs(struct cairn_perf_trace *trace)
{
    uint32_t *threads;

    if (trace->is_untimed || trace->has_untold_runs || trace->lost || trace->too_many ||
        !trace->run_count)
        return CAIRN_OK;
    threads = malloc(trace->run_count * sizeof *threads);
    if (!threads)
        return CAIRN_E_MEMORY;
    cairn_perf_sort_runs(trace);
    trace->has_untold_runs = !find_alone(trace, threads);
    for (size_t i = 0; i < trace->fragment_count && !trace->has_untold_runs; i++) {
        struct cairn_perf_fragment *const fragment = &trace->fragments[i];

        if (takes_turns(trace, fragment) && is_of_its_time(fragment))
            fragment->turn = threads[fragment->run];
    }
    free(threads);
    return CAIRN_OK;
}

/* Whether something was started while this was recorded; what there was before has no time. */
static bool has_children(const struct cairn_perf_trace *trace)
{
    return trace->is_inherited && trace->has_forks;
}

/* An event that counts where its tasks run is stopped when one of them no longer runs: what it has put into a processor's
 * buffer is a part by itself then, and of that thread. But it goes on from a task to one that was started by it, or
 * to another of these: the kernel exchanges their events and stops nothing. */
static bool are_of_tasks(struct cairn_perf_trace *trace)
{
    if (!trace->is_of_tasks || has_children(trace))
        return false;
    for (size_t i = 0; i < trace->fragment_count; i++) {
        struct cairn_perf_fragment *const fragment = &trace->fragments[i];

        if (takes_turns(trace, fragment) && fragment->thread)
            fragment->turn = fragment->thread;
    }
    return true;
}

static int compare_turns(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return one < other ? -1 : one > other;
}

/* How many of the numbers differ. */
static size_t count_different(uint32_t *turns, size_t count)
{
    size_t different = count != 0;

    if (count)
        qsort(turns, count, sizeof *turns, compare_turns);
    for (size_t i = 1; i < count; i++)
        different += turns[i] != turns[i - 1];
    return different;
}

/* *most: the most threads that parts of one buffer are of, counting that nobody knows as one. Fragments are in order. */
static cairn_status count_turns(const struct cairn_perf_trace *trace, size_t *most)
{
    const struct cairn_perf_fragment *const list = trace->fragments;
    uint32_t *const turns = malloc((trace->fragment_count + 1) * sizeof *turns);
    size_t count = 0;

    *most = 0;
    if (!turns)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < trace->fragment_count; i++) {
        turns[count++] = list[i].turn;
        if (i + 1 < trace->fragment_count &&
            !cairn_perf_by_owner(&list[i].owner, &list[i + 1].owner))
            continue;
        const size_t different = count_different(turns, count);
        *most = different > *most ? different : *most;
        count = 0;
    }
    free(turns);
    return CAIRN_OK;
}

static bool has_known_turn(const struct cairn_perf_trace *trace)
{
    for (size_t i = 0; i < trace->fragment_count; i++)
        if (trace->fragments[i].turn != CAIRN_PERF_NOBODY)
            return true;
    return false;
}

/* Between parts that do not follow one another a thread may have run without trace that is known to be its: each stretch
 * of parts is by itself. False: there are too many. */
static bool set_stretches(struct cairn_perf_trace *trace)
{
    struct cairn_perf_fragment *const list = trace->fragments;
    uint32_t count = 0;

    for (size_t i = 0; i < trace->fragment_count; i++) {
        count += !i || cairn_perf_by_owner(&list[i - 1].owner, &list[i].owner) ||
                 list[i - 1].turn != list[i].turn;
        list[i].stretch = count;
    }
    trace->has_many_stretches = count > STRETCHES_MOST;
    for (size_t i = 0; i < trace->fragment_count && trace->has_many_stretches; i++)
        list[i].stretch = 0;
    return !trace->has_many_stretches;
}

/* Whether any two are of different threads, on whichever processor. */
static bool has_several(const struct cairn_perf_trace *trace)
{
    for (size_t i = 1; i < trace->fragment_count; i++)
        if (trace->fragments[i].turn != trace->fragments[0].turn)
            return true;
    return false;
}

/* One that counts on processors goes on when others run: only records of the switches tell who did. */
cairn_status cairn_perf_find_turns(struct cairn_perf_trace *trace)
{
    cairn_status status = CAIRN_OK;

    if (!trace->is_unmarked)
        return CAIRN_OK;
    if (trace->has_switches) {
        status = find_runs(trace);
        trace->has_turns = status == CAIRN_OK && has_known_turn(trace) && set_stretches(trace);
    } else if (are_of_tasks(trace) &&
               (trace->is_mixed ? has_known_turn(trace) : has_several(trace))) {
        size_t most;

        status = count_turns(trace, &most);
        trace->has_many_turns = most > TURNS_MOST;
        trace->has_turns = status == CAIRN_OK && !trace->has_many_turns;
    }
    return status;
}

void cairn_perf_say_turns(struct cairn_capture *capture, const char *path,
                          const struct cairn_perf_trace *trace,
                          const struct cairn_perf_streams *streams)
{
    uint64_t several = 0, all = 0;

    for (size_t i = 0; i < streams->count; i++) {
        const struct cairn_perf_stream *const stream = &streams->list[i];

        if (cairn_perf_is_marked(trace, stream->cpu))
            continue;
        all += stream->fragments;
        several += stream->thread == CAIRN_PERF_NOBODY ? stream->fragments : 0;
    }
    if (trace->has_turns && several)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%s: of %llu parts of the trace (AUX records)%s %llu are of several threads, or of none that "
            "is known: the processor switched while they were recorded. Record with contextid (perf "
            "record -e cs_etm/contextid/) to tell them apart.",
            path, (unsigned long long)all,
            trace->is_mixed ? " of processors whose trace does not say whose it is" : "",
            (unsigned long long)several);
    else if (trace->has_many_turns || trace->has_many_stretches)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: %s more than %u %s: these are not told apart, and nobody knows whose the trace is. "
            "Record with contextid (perf record -e cs_etm/contextid/), or less at a time.",
            path,
            trace->has_many_turns ? "threads took turns on a processor,"
                                  : "processors went from one thread to another,",
            trace->has_many_turns ? TURNS_MOST : STRETCHES_MOST,
            trace->has_many_turns ? "of them" : "times");
    else if (trace->has_switches && trace->is_unmarked && trace->has_untold_runs)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%s: records of switches are missing, or do not say when and where: nobody knows whose the "
            "trace is.",
            path);
}
