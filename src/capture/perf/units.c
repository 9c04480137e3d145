/* SPDX-License-Identifier: BSD-2-Clause */
/* Of which trace unit bytes are: by the sink and the trace ID where there are frames, by the processor where there are
 * none. */
#include "capture/perf/trace.h"

#define MOVES_MOST 16384u /* streams that they may make: a source each */

const struct cairn_perf_core *cairn_perf_core_of_cpu(const struct cairn_perf_trace *trace,
                                                     uint32_t cpu)
{
    for (size_t i = 0; i < trace->core_count; i++)
        if (trace->cores[i].cpu == cpu)
            return &trace->cores[i];
    return NULL;
}

static bool have_other_sinks(const struct cairn_perf_core *one, const struct cairn_perf_core *other)
{
    return one && other && one->has_sink && other->has_sink && one->sink != other->sink;
}

/* Of those whose ID a record tells, or else of the others. */
static const struct cairn_perf_core *find_id(const struct cairn_perf_trace *trace,
                                             const struct cairn_perf_stream *stream, int id,
                                             bool is_told, size_t *count)
{
    const struct cairn_perf_core *const own = cairn_perf_core_of_cpu(trace, stream->cpu);
    const struct cairn_perf_core *found = NULL;

    *count = 0;
    for (size_t i = 0; i < trace->core_count; i++) {
        const struct cairn_perf_core *const core = &trace->cores[i];

        if (core->trace_id != id || core->is_id_told != is_told || have_other_sinks(own, core))
            continue;
        if (!found || core == own)
            found = core;
        ++*count;
    }
    if (own && found == own && stream->owner.cpu != CAIRN_PERF_NOBODY)
        *count = 1;
    return found;
}

const struct cairn_perf_core *cairn_perf_core_of_id(const struct cairn_perf_trace *trace,
                                                    const struct cairn_perf_stream *stream, int id,
                                                    size_t *count)
{
    const struct cairn_perf_core *const told = find_id(trace, stream, id, true, count);

    return told ? told : find_id(trace, stream, id, false, count);
}

/* --- processors --- */

/* Whether two parts of a thread's buffer are of different trace units by where they were recorded. Frames tell these apart
 * themselves, where they went into one sink. */
static bool are_apart(const struct cairn_perf_trace *trace, const struct cairn_perf_fragment *one,
                      const struct cairn_perf_fragment *other)
{
    if (one->cpu == other->cpu)
        return false;
    if ((one->flags | other->flags) & CAIRN_PERF_AUX_FORMAT)
        return true;
    return have_other_sinks(cairn_perf_core_of_cpu(trace, one->cpu),
                            cairn_perf_core_of_cpu(trace, other->cpu));
}

static bool is_of_thread(const struct cairn_perf_fragment *fragment)
{
    return fragment->owner.cpu == CAIRN_PERF_NOBODY && fragment->size;
}

void cairn_perf_part_moves(struct cairn_perf_trace *trace)
{
    const struct cairn_perf_fragment *last = NULL;
    uint32_t moves = 0;

    for (size_t i = 0; i < trace->fragment_count; i++) {
        struct cairn_perf_fragment *const fragment = &trace->fragments[i];

        if (!is_of_thread(fragment))
            continue;
        const bool is_same = last && !cairn_perf_by_owner(&last->owner, &fragment->owner);
        moves += is_same && fragment->cpu != CAIRN_PERF_NOBODY && last->cpu != CAIRN_PERF_NOBODY &&
                 are_apart(trace, last, fragment);
        fragment->stretch = 1 + moves;
        if (!is_same || fragment->cpu != CAIRN_PERF_NOBODY)
            last = fragment;
    }
    trace->has_many_moves = moves >= MOVES_MOST;
    for (size_t i = 0; i < trace->fragment_count && trace->has_many_moves; i++)
        if (is_of_thread(&trace->fragments[i]))
            trace->fragments[i].stretch = 0;
}

void cairn_perf_say_moves(struct cairn_capture *capture, const char *path,
                          const struct cairn_perf_trace *trace)
{
    if (trace->has_many_moves)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: threads went from one processor to another more than %u times: these are not told "
            "apart, and all trace of a thread counts as of the processor that it was on first, with the "
            "registers of that one. Record by processor (without --per-thread), or less at a time.",
            path, MOVES_MOST);
}
