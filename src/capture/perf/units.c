/* SPDX-License-Identifier: BSD-2-Clause */
/* Of which trace unit bytes are, by the sink and the trace ID. */
#include "capture/perf/trace.h"

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

const struct cairn_perf_core *cairn_perf_core_of_id(const struct cairn_perf_trace *trace,
                                                    const struct cairn_perf_stream *stream, int id,
                                                    size_t *count)
{
    const struct cairn_perf_core *const own = cairn_perf_core_of_cpu(trace, stream->cpu);
    const struct cairn_perf_core *found = NULL;

    *count = 0;
    for (size_t i = 0; i < trace->core_count; i++) {
        const struct cairn_perf_core *const core = &trace->cores[i];

        if (core->trace_id != id || have_other_sinks(own, core))
            continue;
        if (!found || core == own)
            found = core;
        ++*count;
    }
    if (own && found == own && stream->owner.cpu != CAIRN_PERF_NOBODY)
        *count = 1;
    return found;
}
