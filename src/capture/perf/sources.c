/* SPDX-License-Identifier: BSD-2-Clause */
/* A buffer for each CPU (or thread) that has trace, a source for each trace unit in it. */
#include <string.h>

#include "base/error.h"
#include "capture/files.h"
#include "capture/perf/opening.h"
#include "capture/trace_unit.h"

static bool is_of_thread(const struct cairn_perf_stream *stream)
{
    return stream->owner.cpu == CAIRN_PERF_NOBODY;
}

/* "thread-1234"; of a processor's buffer "cpu7", or the turns of a thread on it "cpu7-thread-1234". */
static const char *first_name(struct cairn_perf_opening *opening,
                              const struct cairn_perf_stream *stream)
{
    struct cairn_arena *const arena = &opening->capture->arena;

    if (is_of_thread(stream))
        return cairn_arena_format(arena, "thread-%u", stream->owner.thread);
    if (stream->thread != CAIRN_PERF_NOBODY)
        return cairn_arena_format(arena, "cpu%u-thread-%u", stream->owner.cpu, stream->thread);
    return cairn_arena_format(arena, "cpu%u", stream->owner.cpu);
}

/* Further stretches have a number behind that: "cpu7-thread-1234-2". */
static const char *owner_name(struct cairn_perf_opening *opening,
                              const struct cairn_perf_stream *stream)
{
    const char *const name = first_name(opening, stream);

    return name && stream->number
               ? cairn_arena_format(&opening->capture->arena, "%s-%u", name, stream->number + 1)
               : name;
}

/* Of those that have both, the raw bytes as "cpu7-raw". */
const char *cairn_perf_stream_name(struct cairn_perf_opening *opening, size_t n)
{
    const struct cairn_perf_stream *const stream = &opening->streams.list[n];
    const struct cairn_perf_stream *const before = n ? stream - 1 : NULL;
    const bool second = before && before->owner.cpu == stream->owner.cpu &&
                        before->thread == stream->thread && before->stretch == stream->stretch;
    const char *const name = owner_name(opening, stream);

    return name && second ? cairn_arena_format(&opening->capture->arena, "%s%s", name,
                                               stream->is_raw ? "-raw" : "-frames")
                          : name;
}

static enum cairn_protocol_id protocol_of(const struct cairn_perf_opening *opening,
                                          const struct cairn_perf_core *core,
                                          const struct cairn_register *registers, size_t count)
{
    const struct cairn_register *witness;
    const enum cairn_protocol_id seen = cairn_protocol_of_registers(registers, count, &witness);

    if (opening->options->protocol)
        return opening->options->protocol;
    return seen ? seen : core->protocol;
}

/* The registers of the file, the ID that was found, and what the user says over both. */
static cairn_status set_registers(struct cairn_perf_opening *opening,
                                  struct cairn_source_info *info,
                                  const struct cairn_perf_core *core, int id)
{
    struct cairn_capture *const capture = opening->capture;
    const struct cairn_capture_options *const options = opening->options;
    cairn_status status =
        cairn_source_override(capture, info, core->registers, core->register_count);

    if (status == CAIRN_OK && id >= 0) {
        const struct cairn_register holder = {.name = cairn_trace_id_register(core->protocol),
                                              .value = (uint64_t)id};

        status = cairn_source_override(capture, info, &holder, 1);
    }
    if (status == CAIRN_OK)
        status = cairn_source_set(capture, info, CAIRN_PROTOCOL_UNKNOWN, options->registers,
                                  options->register_count);
    if (status == CAIRN_OK)
        status = cairn_source_core_set(capture, info, options->registers, options->register_count);
    return status;
}

static cairn_status add_source(struct cairn_perf_opening *opening,
                               const struct cairn_perf_stream *stream, const char *stream_is,
                               const struct cairn_perf_core *core, int id)
{
    struct cairn_capture *const capture = opening->capture;
    struct cairn_arena *const arena = &capture->arena;
    const bool is_own = id < 0 || stream->owner.cpu == core->cpu;
    /* who had a turn on one processor says nothing of the trace of others that share its sink */
    const uint32_t thread = is_own || is_of_thread(stream) ? stream->thread : CAIRN_PERF_NOBODY;
    struct cairn_source_info info = {
        .name = is_own ? stream_is : cairn_arena_format(arena, "%s-cpu%u", stream_is, core->cpu),
        .core = cairn_arena_format(arena, "cpu_%u", core->cpu),
        .trace_id = id,
        .buffer = capture->buffer_count - 1,
        .thread_mark = cairn_perf_mark_of(core),
        .thread_id = thread != CAIRN_PERF_NOBODY ? thread : 0,
        .thread_name =
            thread != CAIRN_PERF_NOBODY ? cairn_perf_name_of(&opening->trace, thread) : NULL,
    };

    if (!info.name || !info.core || set_registers(opening, &info, core, id) != CAIRN_OK)
        return cairn_perf_no_memory(opening);
    info.protocol = protocol_of(opening, core, info.registers, info.register_count);
    info.type = cairn_protocol_word(info.protocol);
    if (opening->options->core &&
        !(info.core_type = cairn_arena_text(arena, opening->options->core)))
        return cairn_perf_no_memory(opening);
    info.arch = cairn_capture_arch(capture, info.name, info.core_type, info.protocol);
    if (cairn_grow((void **)&opening->places, opening->place_count, &opening->place_room,
                   sizeof *opening->places) != CAIRN_OK)
        return cairn_perf_no_memory(opening);
    opening->places[opening->place_count++] =
        (struct cairn_perf_place){.source = capture->source_count,
                                  .buffer = info.buffer,
                                  .id = id,
                                  .stream = stream,
                                  .thread = thread};
    return cairn_capture_add_source(capture, &info) == CAIRN_OK ? CAIRN_OK
                                                                : cairn_perf_no_memory(opening);
}

/* The trace unit of an ID. Of a buffer with one ID alone, which nobody has, that of its processor, if nothing tells the
 * ID of that. */
static const struct cairn_perf_core *core_of_id(struct cairn_perf_opening *opening,
                                                const struct cairn_perf_stream *stream,
                                                const char *name, int id, bool is_alone)
{
    const struct cairn_perf_core *const own =
        cairn_perf_core_of_cpu(&opening->trace, stream->owner.cpu);
    size_t count;
    const struct cairn_perf_core *const core =
        cairn_perf_core_of_id(&opening->trace, stream, id, &count);

    if (!core && own && own->is_id_unsure && !own->is_id_told && is_alone)
        return own;
    if (count > 1)
        cairn_capture_say(
            opening->capture, CAIRN_WARNING,
            "%s: %zu trace units have the trace ID 0x%02x, and nothing says which of them wrote to "
            "this buffer (AUX_OUTPUT_HW_ID records of a newer kernel tell their sinks): that of CPU %u is "
            "assumed. Record fewer processors at a time (perf record -C).",
            name, count, (unsigned)id, core->cpu);
    return core;
}

/* Of a buffer with frames, each trace ID that has bytes and a trace unit. */
static cairn_status add_ids(struct cairn_perf_opening *opening,
                            const struct cairn_perf_stream *stream, const char *name)
{
    struct cairn_capture *const capture = opening->capture;
    const size_t buffer = capture->buffer_count - 1;
    const size_t sources = capture->source_count, remarks = capture->remark_count;
    struct cairn_buffer_account account = {.size = sizeof account};
    cairn_status status =
        cairn_capture_survey(capture, buffer, &account, NULL, NULL, opening->error);
    unsigned count = 0;

    /* what it said and added for unknown IDs: most of them become known now */
    capture->source_count = sources;
    capture->remark_count = remarks;
    capture->buffers[buffer].surveyed = false;
    for (unsigned id = 1; id < CAIRN_FRAME_ID_COUNT; id++)
        count += account.data[id] != 0;
    for (unsigned id = 1; id < CAIRN_FRAME_ID_COUNT && status == CAIRN_OK; id++) {
        const struct cairn_perf_core *core =
            account.data[id] ? core_of_id(opening, stream, name, (int)id, count == 1) : NULL;

        if (core)
            status = add_source(opening, stream, name, core, (int)id);
    }
    return status;
}

/* The trace unit whose registers a stream without frames has, and whose protocol. */
static const struct cairn_perf_core *core_of_stream(struct cairn_perf_opening *opening, size_t n)
{
    const struct cairn_perf_trace *const trace = &opening->trace;
    const struct cairn_perf_stream *const stream = &opening->streams.list[n];
    const struct cairn_perf_core *const own = cairn_perf_core_of_cpu(trace, stream->cpu);

    if (own || !stream->is_raw)
        return own ? own : trace->cores;
    if (stream->cpu != CAIRN_PERF_NOBODY)
        cairn_capture_say(opening->capture, CAIRN_WARNING,
                          "%s: no trace unit of CPU %u is described; that of CPU %u is assumed.",
                          cairn_perf_stream_name(opening, n), stream->cpu, trace->cores[0].cpu);
    else if (trace->core_count > 1)
        cairn_capture_say(opening->capture, CAIRN_WARNING,
                          "%s: its CPU is not told; the trace unit of CPU %u is assumed.",
                          cairn_perf_stream_name(opening, n), trace->cores[0].cpu);
    return trace->cores;
}

static int64_t read_unpacked(void *context, void *bytes, size_t size, uint64_t offset)
{
    const struct cairn_perf_packed *const packed = context;
    const size_t left = offset < packed->size ? packed->size - (size_t)offset : 0;
    const size_t some = size < left ? size : left;

    if (some)
        memcpy(bytes, packed->bytes + offset, some);
    return (int64_t)some;
}

static cairn_status resume(struct cairn_perf_opening *opening, struct cairn_perf_stream *stream,
                           enum cairn_protocol_id protocol)
{
    struct cairn_perf_input input = {.read = cairn_input_read_of, .context = &opening->fd};
    int fd = -1;

    if (stream->file == CAIRN_PERF_UNPACKED) {
        input = (struct cairn_perf_input){.read = read_unpacked, .context = &opening->trace.packed};
    } else if (stream->file) {
        /* what cannot be read any more is told by the decoders */
        if (cairn_input_open(opening->trace.files[stream->file], &fd, &input.size, NULL) !=
            CAIRN_OK)
            return CAIRN_OK;
        input.context = &fd;
    }
    const cairn_status status = cairn_perf_resume(stream, protocol, &input);

    cairn_input_close(fd);
    return status;
}

static cairn_status add_stream(struct cairn_perf_opening *opening, size_t n)
{
    struct cairn_perf_stream *const stream = &opening->streams.list[n];
    const struct cairn_perf_core *core = core_of_stream(opening, n);
    const char *name = cairn_perf_stream_name(opening, n);
    const bool is_unpacked = stream->file == CAIRN_PERF_UNPACKED;

    if (!name ||
        resume(opening, stream,
               protocol_of(opening, core, core->registers, core->register_count)) != CAIRN_OK)
        return cairn_perf_no_memory(opening);
    const struct cairn_buffer_options buffer = {
        .size = sizeof buffer,
        .name = name,
        .path = is_unpacked    ? NULL
                : stream->file ? opening->trace.files[stream->file]
                               : opening->path,
        .memory = is_unpacked ? opening->trace.packed.bytes : NULL,
        .memory_size = is_unpacked ? opening->trace.packed.size : 0,
        .format = stream->is_raw ? CAIRN_FORMAT_SOURCE_DATA : CAIRN_FORMAT_CORESIGHT,
        .spans = stream->spans,
        .span_count = stream->span_count,
        .losses = stream->losses,
        .loss_count = stream->loss_count,
    };
    const cairn_status status =
        stream->span_count
            ? cairn_capture_put_buffer(opening->capture, &buffer, NULL, opening->error)
            : CAIRN_OK;
    if (status != CAIRN_OK || !stream->span_count)
        return status;
    return stream->is_raw ? add_source(opening, stream, name, core, -1)
                          : add_ids(opening, stream, name);
}

cairn_status cairn_perf_add_sources(struct cairn_perf_opening *opening)
{
    cairn_status status = cairn_perf_keep_packed(opening->capture, &opening->trace);

    if (status != CAIRN_OK)
        return cairn_perf_no_memory(opening);
    for (size_t i = 0; i < opening->streams.count && status == CAIRN_OK; i++)
        status = add_stream(opening, i);
    return status;
}
