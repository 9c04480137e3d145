/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a perf.data file with trace: what is taken for trace lies in the file, no byte of it is taken twice,
 * and the same bytes give the same a second time. */
#include <stdlib.h>
#include <string.h>

#include "capture/perf/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct source {
    const uint8_t *at;
    size_t size;
};

static int64_t read_source(void *context, void *bytes, size_t size, uint64_t offset)
{
    const struct source *source = context;

    if (offset >= source->size)
        return 0;
    const size_t left = source->size - (size_t)offset;
    const size_t count = size < left ? size : left;
    memcpy(bytes, source->at + offset, count);
    return (int64_t)count;
}

static void require(bool condition)
{
    if (!condition)
        abort();
}

static uint64_t check_streams(const struct cairn_perf_streams *streams, uint64_t size,
                              uint64_t unpacked)
{
    uint64_t taken = 0, sum = 0;

    for (size_t i = 0; i < streams->count; i++) {
        const struct cairn_perf_stream *stream = &streams->list[i];
        const uint64_t of = stream->file == CAIRN_PERF_UNPACKED ? unpacked : size;
        uint64_t bytes = 0;

        require(stream->span_count > 0);
        for (size_t k = 0; k < stream->span_count; k++) {
            const struct cairn_span *span = &stream->spans[k];

            require(span->length > 0 && span->offset < of && span->length <= of - span->offset);
            bytes += span->length;
            sum = sum * 31 + span->offset;
        }
        require(bytes == stream->bytes);
        taken += bytes;
        sum = sum * 31 + stream->owner.cpu + stream->fragments;
    }
    require(taken <= size + unpacked);
    return sum + taken;
}

static uint64_t read_all(struct cairn_perf *perf, const struct cairn_perf_input *input)
{
    struct cairn_arena arena = CAIRN_ARENA_INIT;
    struct cairn_perf_trace trace = {.arena = &arena};
    struct cairn_perf_streams streams = {0};
    struct cairn_perf_record record;
    uint64_t sum = 0, offset, size;

    if (cairn_perf_open(perf, input, NULL) == CAIRN_OK) {
        while (cairn_perf_next(perf, &record))
            cairn_perf_trace_take(&trace, perf, &record);
        if (cairn_perf_feature(perf, CAIRN_PERF_FEATURE_BUILD_ID, &offset, &size))
            require(offset <= input->size && size <= input->size - offset);
        trace.is_unmarked = true; /* the records tell whose it is, or nothing does */
        trace.has_kernel = (input->size & 1) != 0;
        require(cairn_perf_trace_settle(&trace, &streams) == CAIRN_OK);
        sum = check_streams(&streams, input->size, trace.packed.size);
        for (size_t i = 0; i < trace.core_count; i++) {
            require(trace.cores[i].register_count <= CAIRN_PERF_REGISTERS_MOST);
            sum = sum * 31 + trace.cores[i].cpu + (uint64_t)trace.cores[i].trace_id;
        }
        for (size_t i = 0; i < trace.mapping_count; i++)
            sum = sum * 31 + trace.mappings[i].address + strlen(trace.mappings[i].path);
    }
    cairn_perf_close(perf);
    cairn_perf_streams_clear(&streams);
    cairn_perf_trace_clear(&trace);
    cairn_arena_free(&arena);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cairn_perf perf;
    struct source source = {data, size};
    const struct cairn_perf_input input = {read_source, &source, size, "fuzz"};

    require(read_all(&perf, &input) == read_all(&perf, &input));
    return 0;
}
