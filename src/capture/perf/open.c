/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data as a capture: a buffer for each CPU (or thread) that has trace, a source for each trace unit in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/letters.h"
#include "capture/perf/trace.h"
#include "capture/trace_unit.h"

struct perf_opening {
    struct cairn_capture *capture;
    const struct cairn_files *files;
    const char *path;
    const char *kcore; /* the folder for it; NULL: the file is in none */
    const struct cairn_capture_options *options;
    struct cairn_error *error;
    int fd;
    struct cairn_perf *perf;
    struct cairn_perf_trace trace;
    struct cairn_perf_streams streams;
    struct cairn_perf_place *places; /* of each source */
    size_t place_count, place_room;
};

static bool is_perf(const char *path)
{
    uint8_t head[CAIRN_PERF_PROBE];

    return cairn_perf_probe(head, cairn_input_head(path, head, sizeof head));
}

/* `perf record --kcore` makes a folder, with the file in it. */
#define FILE_OF_FOLDER "data"
#define KCORE_OF_FOLDER "kcore_dir"

static bool is_perf_folder(const char *path)
{
    char *file = NULL;

    if (!cairn_is_folder(path) || asprintf(&file, "%s/" FILE_OF_FOLDER, path) < 0)
        return false;
    const bool is_one = is_perf(file);
    free(file);
    return is_one;
}

bool cairn_perf_is_capture(const struct cairn_files *files, const char *path)
{
    (void)files;
    return is_perf(path) || is_perf_folder(path);
}

static int64_t read_input(void *context, void *bytes, size_t size, uint64_t offset)
{
    return cairn_input_read(*(const int *)context, bytes, size, offset);
}

static cairn_status no_memory(const struct perf_opening *opening)
{
    return cairn_fail(opening->error, CAIRN_E_MEMORY, "%s: not enough memory to open it",
                      opening->path);
}

/* --- what the file says --- */

/* The section is records of BUILD_ID, each with its header. */
static void read_build_ids(struct perf_opening *opening)
{
    uint64_t offset, size;

    if (!cairn_perf_feature(opening->perf, CAIRN_PERF_FEATURE_BUILD_ID, &offset, &size))
        return;
    while (size >= 8) {
        const uint8_t *header = cairn_perf_bytes(opening->perf, offset, 8);
        const size_t own = header ? cairn_perf_u16(opening->perf, header + 6) : 0;

        if (own < 8 || own > size || !(header = cairn_perf_bytes(opening->perf, offset, own)))
            return;
        cairn_perf_take_build_id(&opening->trace, opening->perf, header + 8, own - 8,
                                 cairn_perf_u16(opening->perf, header + 4));
        offset += own;
        size -= own;
    }
}

static cairn_status check_kind(const struct perf_opening *opening)
{
    const struct cairn_perf_trace *const trace = &opening->trace;

    if (trace->no_memory)
        return no_memory(opening);
    if (trace->has_info && trace->is_foreign)
        return cairn_fail(
            opening->error, CAIRN_E_UNSUPPORTED,
            "%s: its trace is none of CoreSight's (cs_etm), but of another kind of processor or "
            "of samples (Intel PT, SPE): Cairn decodes ETM, ETE and PTM",
            opening->path);
    if (!trace->has_info)
        return cairn_fail(
            opening->error, CAIRN_E_FORMAT,
            "%s: there is no trace in it (no AUXTRACE_INFO record): record with `perf record -e "
            "cs_etm//u`. Branch stacks are listed by `cairn branches`",
            opening->path);
    if (!trace->core_count)
        return cairn_fail(
            opening->error, CAIRN_E_FORMAT,
            "%s: its AUXTRACE_INFO record describes no trace unit that is known: %u of a kind or "
            "size that is not. Record anew, or copy the file again",
            opening->path, trace->unknown_cores);
    return CAIRN_OK;
}

/* Whether the event that the trace is of takes the kernel in. */
static bool traces_kernel(const struct perf_opening *opening)
{
    const struct cairn_perf *const perf = opening->perf;

    for (size_t i = 0; i < perf->event_count; i++)
        if (perf->events[i].type == opening->trace.event_type && !perf->events[i].excludes_kernel)
            return true;
    return false;
}

/* Whether all such events count where their tasks run, and go on in what these start. */
static void look_at_events(struct perf_opening *opening)
{
    const struct cairn_perf *const perf = opening->perf;
    struct cairn_perf_trace *const trace = &opening->trace;
    bool starts_program = true;
    size_t count = 0;

    for (size_t i = 0; i < perf->event_count; i++)
        if (perf->events[i].type == trace->event_type) {
            starts_program &= perf->events[i].starts_program;
            trace->is_inherited |= perf->events[i].is_inherited;
            count++;
        }
    trace->is_of_tasks |= count && starts_program;
    trace->has_kernel = traces_kernel(opening);
    trace->has_untold_runs |= perf->unpack.unreadable != 0;
}

static cairn_status read_records(struct perf_opening *opening)
{
    struct cairn_perf_input input = {
        .read = read_input, .context = &opening->fd, .name = opening->path};
    struct cairn_perf_record record;
    cairn_status status =
        cairn_input_open(opening->path, &opening->fd, &input.size, opening->error);

    if (status == CAIRN_OK)
        status = cairn_perf_open(opening->perf, &input, opening->error);
    if (status != CAIRN_OK)
        return status;
    opening->trace.time_from = opening->options->time_from;
    opening->trace.time_to = opening->options->time_to;
    while (cairn_perf_next(opening->perf, &record))
        cairn_perf_trace_take(&opening->trace, opening->perf, &record);
    cairn_perf_say_end(opening->capture, opening->perf);
    read_build_ids(opening);
    if (opening->kcore && cairn_perf_read_further(opening->capture, opening->files, opening->path,
                                                  opening->perf, &opening->trace) != CAIRN_OK)
        return no_memory(opening);
    status = check_kind(opening);
    if (status != CAIRN_OK)
        return status;
    opening->capture->has_times = !opening->trace.is_untimed;
    opening->capture->has_clock = cairn_perf_has_clock(&opening->trace);
    opening->capture->clock = opening->trace.clock;
    opening->capture->thread_mark = cairn_perf_thread_mark(&opening->trace);
    opening->trace.is_unmarked = opening->capture->thread_mark == CAIRN_THREAD_NOT_MARKED;
    look_at_events(opening);
    return cairn_perf_trace_settle(&opening->trace, &opening->streams) == CAIRN_OK
               ? CAIRN_OK
               : no_memory(opening);
}

/* --- sources --- */

static bool is_of_thread(const struct cairn_perf_stream *stream)
{
    return stream->owner.cpu == CAIRN_PERF_NOBODY;
}

/* "thread-1234"; of a processor's buffer "cpu7", or the turns of a thread on it "cpu7-thread-1234". */
static const char *first_name(struct perf_opening *opening, const struct cairn_perf_stream *stream)
{
    struct cairn_arena *const arena = &opening->capture->arena;

    if (is_of_thread(stream))
        return cairn_arena_format(arena, "thread-%u", stream->owner.thread);
    if (stream->thread != CAIRN_PERF_NOBODY)
        return cairn_arena_format(arena, "cpu%u-thread-%u", stream->owner.cpu, stream->thread);
    return cairn_arena_format(arena, "cpu%u", stream->owner.cpu);
}

/* Further stretches have a number behind that: "cpu7-thread-1234-2". */
static const char *owner_name(struct perf_opening *opening, const struct cairn_perf_stream *stream)
{
    const char *const name = first_name(opening, stream);

    return name && stream->number
               ? cairn_arena_format(&opening->capture->arena, "%s-%u", name, stream->number + 1)
               : name;
}

/* Of those that have both, the raw bytes as "cpu7-raw". */
static const char *stream_name(struct perf_opening *opening, size_t n)
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

static enum cairn_protocol_id protocol_of(const struct perf_opening *opening,
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
static cairn_status set_registers(struct perf_opening *opening, struct cairn_source_info *info,
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

static cairn_status add_source(struct perf_opening *opening, const struct cairn_perf_stream *stream,
                               const char *stream_is, const struct cairn_perf_core *core, int id)
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
        return no_memory(opening);
    info.protocol = protocol_of(opening, core, info.registers, info.register_count);
    info.type = cairn_protocol_word(info.protocol);
    if (opening->options->core &&
        !(info.core_type = cairn_arena_text(arena, opening->options->core)))
        return no_memory(opening);
    info.arch = cairn_capture_arch(capture, info.name, info.core_type, info.protocol);
    if (cairn_grow((void **)&opening->places, opening->place_count, &opening->place_room,
                   sizeof *opening->places) != CAIRN_OK)
        return no_memory(opening);
    opening->places[opening->place_count++] =
        (struct cairn_perf_place){.source = capture->source_count,
                                  .buffer = info.buffer,
                                  .id = id,
                                  .stream = stream,
                                  .thread = thread};
    return cairn_capture_add_source(capture, &info) == CAIRN_OK ? CAIRN_OK : no_memory(opening);
}

/* The trace unit of an ID. Of a buffer with one ID alone, which nobody tells, that of its processor. */
static const struct cairn_perf_core *core_of_id(struct perf_opening *opening,
                                                const struct cairn_perf_stream *stream,
                                                const char *name, int id, bool is_alone)
{
    const struct cairn_perf_core *const own =
        cairn_perf_core_of_cpu(&opening->trace, stream->owner.cpu);
    size_t count;
    const struct cairn_perf_core *const core =
        cairn_perf_core_of_id(&opening->trace, stream, id, &count);

    if (own && own->trace_id < 0 && is_alone)
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
static cairn_status add_ids(struct perf_opening *opening, const struct cairn_perf_stream *stream,
                            const char *name)
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
static const struct cairn_perf_core *core_of_stream(struct perf_opening *opening, size_t n)
{
    const struct cairn_perf_trace *const trace = &opening->trace;
    const struct cairn_perf_stream *const stream = &opening->streams.list[n];
    const struct cairn_perf_core *const own = cairn_perf_core_of_cpu(trace, stream->cpu);

    if (own || !stream->is_raw)
        return own ? own : trace->cores;
    if (stream->cpu != CAIRN_PERF_NOBODY)
        cairn_capture_say(opening->capture, CAIRN_WARNING,
                          "%s: no trace unit of CPU %u is described; that of CPU %u is assumed.",
                          stream_name(opening, n), stream->cpu, trace->cores[0].cpu);
    else if (trace->core_count > 1)
        cairn_capture_say(opening->capture, CAIRN_WARNING,
                          "%s: its CPU is not told; the trace unit of CPU %u is assumed.",
                          stream_name(opening, n), trace->cores[0].cpu);
    return trace->cores;
}

static cairn_status resume(const struct perf_opening *opening, struct cairn_perf_stream *stream,
                           enum cairn_protocol_id protocol)
{
    uint64_t size;
    int fd = -1;

    if (!stream->file)
        return cairn_perf_resume(stream, protocol, opening->fd);
    /* what cannot be read any more is told by the decoders */
    if (cairn_input_open(opening->trace.files[stream->file], &fd, &size, NULL) != CAIRN_OK)
        return CAIRN_OK;
    const cairn_status status = cairn_perf_resume(stream, protocol, fd);

    cairn_input_close(fd);
    return status;
}

static cairn_status add_stream(struct perf_opening *opening, size_t n)
{
    struct cairn_perf_stream *const stream = &opening->streams.list[n];
    const struct cairn_perf_core *core = core_of_stream(opening, n);
    const char *name = stream_name(opening, n);

    if (!name ||
        resume(opening, stream,
               protocol_of(opening, core, core->registers, core->register_count)) != CAIRN_OK)
        return no_memory(opening);
    const struct cairn_buffer_options buffer = {
        .size = sizeof buffer,
        .name = name,
        .path = stream->file ? opening->trace.files[stream->file] : opening->path,
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

/* --- what is to be said --- */

static void say_stream(struct perf_opening *opening, size_t n)
{
    const struct cairn_perf_stream *const stream = &opening->streams.list[n];
    const uint64_t odd = stream->truncated + stream->partial + stream->collided;

    if (odd)
        cairn_capture_say(
            opening->capture, CAIRN_WARNING,
            "%s: of its %llu parts the driver says that trace was lost behind %llu (truncated), in %llu "
            "(partial) and by collisions in %llu. Record with a larger buffer (perf record -m,SIZE), "
            "or less at a time.",
            stream_name(opening, n), (unsigned long long)stream->fragments,
            (unsigned long long)stream->truncated, (unsigned long long)stream->partial,
            (unsigned long long)stream->collided);
    if (stream->left_out)
        cairn_capture_say(
            opening->capture, CAIRN_WARNING,
            "%s: %llu bytes are left out: behind a loss they stand in front of the first %s, and cannot "
            "be read.",
            stream_name(opening, n), (unsigned long long)stream->left_out,
            stream->is_raw ? "synchronisation" : "barrier or part that names its trace ID");
}

static void say_file(struct perf_opening *opening)
{
    const struct cairn_perf *const perf = opening->perf;
    struct cairn_capture *const capture = opening->capture;

    if (perf->killed)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%s: its recorder was killed before it wrote how much there is: all is read "
            "up to the end, and what was recorded last may be missing.",
            opening->path);
    if (perf->unpack.unreadable)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: %llu compressed records cannot be unpacked: what was in them (mappings, threads) is "
            "missing.",
            opening->path, (unsigned long long)perf->unpack.unreadable);
    if (opening->trace.too_many)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: it has more records of a kind than there is room for: the rest is left out. Record "
            "less at a time.",
            opening->path);
    if (opening->trace.unknown_cores)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: %u trace units are of a kind that is not known, or their registers are cut off.",
            opening->path, opening->trace.unknown_cores);
    if (opening->trace.lost)
        cairn_capture_say(capture, CAIRN_WARNING,
                          "%s: %llu records and samples were lost while recording.", opening->path,
                          (unsigned long long)opening->trace.lost);
}

static void say_all(struct perf_opening *opening)
{
    const struct cairn_perf_streams *const streams = &opening->streams;
    struct cairn_capture *const capture = opening->capture;
    const struct cairn_capture_options *const options = opening->options;

    if (options->format != CAIRN_FORMAT_AUTO || options->trace_id >= 0 || options->config_path)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "A perf.data file describes itself: the format, trace ID and configuration file given "
            "are not used (registers, protocol and core are).");
    say_file(opening);
    for (size_t i = 0; i < streams->count; i++)
        say_stream(opening, i);
    cairn_perf_say_forks(capture, opening->path, &opening->trace);
    cairn_perf_say_turns(capture, opening->path, &opening->trace, streams);
    cairn_perf_say_moves(capture, opening->path, &opening->trace);
    cairn_perf_say_silences(capture, opening->path, &opening->trace);
    if (streams->missing)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: of %llu parts of the trace (AUX records) %llu bytes are not in the file: the recorder "
            "was stopped, or could not write as fast.",
            opening->path, (unsigned long long)streams->missing,
            (unsigned long long)streams->missing_bytes);
    if (streams->untold_bytes)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: no AUX record tells of %llu bytes of trace that are in the file (AUXTRACE records): they "
            "are left out.",
            opening->path, (unsigned long long)streams->untold_bytes);
    if (opening->trace.nobodys)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: %llu AUX records do not say which of several buffers they are of: the first is "
            "assumed.",
            opening->path, (unsigned long long)opening->trace.nobodys);
    if (streams->overlapping || streams->unknown_formats)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: %llu AUX records tell of bytes that others have told of, and %llu of a format that "
            "is not known: they are left out.",
            opening->path, (unsigned long long)streams->overlapping,
            (unsigned long long)streams->unknown_formats);
    if (!streams->count && opening->trace.elsewhen)
        cairn_capture_say(
            capture, CAIRN_PROBLEM,
            "%s: none of its %llu parts of the trace (AUX records) was complete at the "
            "time that was given.",
            opening->path, (unsigned long long)opening->trace.elsewhen);
    else if (opening->trace.elsewhen)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%s: %llu of its %llu parts of the trace (AUX records) were complete at the time that was "
            "given. They are taken whole: the first may begin before it, and what ran last at that time may be "
            "in one that was complete later.",
            opening->path, (unsigned long long)(opening->trace.aux_count - opening->trace.elsewhen),
            (unsigned long long)opening->trace.aux_count);
    else if (!streams->count)
        cairn_capture_say(
            capture, CAIRN_PROBLEM,
            "%s: it describes %zu trace unit%s and has no trace of them. Record longer, or where the "
            "program runs (perf record -e cs_etm//u PROGRAM).",
            opening->path, opening->trace.core_count, cairn_plural(opening->trace.core_count));
}

static cairn_status open_all(struct perf_opening *opening)
{
    cairn_status status = read_records(opening);

    if (status != CAIRN_OK)
        return status;
    for (size_t i = 0; i < opening->streams.count && status == CAIRN_OK; i++)
        status = add_stream(opening, i);
    if (status != CAIRN_OK)
        return status;
    cairn_capture_check_ids(opening->capture);
    say_all(opening);
    if (cairn_perf_add_threads(opening->capture, opening->path, &opening->trace) != CAIRN_OK)
        return no_memory(opening);
    status =
        cairn_perf_add_kernel(opening->capture, opening->files, &opening->trace, opening->options,
                              opening->kcore, traces_kernel(opening), opening->error);
    if (status != CAIRN_OK)
        return status == CAIRN_E_MEMORY ? no_memory(opening) : status;
    return cairn_perf_add_images(opening->capture, opening->files, &opening->trace, opening->places,
                                 opening->place_count, opening->options) == CAIRN_OK
               ? CAIRN_OK
               : no_memory(opening);
}

cairn_status cairn_perf_capture_open(struct cairn_capture *capture, const struct cairn_files *files,
                                     const char *path, const struct cairn_capture_options *options,
                                     struct cairn_error *error)
{
    struct perf_opening opening = {
        .capture = capture,
        .files = files,
        .path = path,
        .options = options,
        .error = error,
        .fd = -1,
        .perf = calloc(1, sizeof *opening.perf),
        .trace.arena = &capture->arena,
    };
    cairn_status status = CAIRN_E_MEMORY;

    if (cairn_is_folder(path)) {
        opening.path = cairn_arena_format(&capture->arena, "%s/" FILE_OF_FOLDER, path);
        opening.kcore = cairn_arena_format(&capture->arena, "%s/" KCORE_OF_FOLDER, path);
    }
    if (opening.perf && opening.path)
        status = open_all(&opening);
    else
        status = no_memory(&opening);
    if (opening.perf)
        cairn_perf_close(opening.perf);
    cairn_input_close(opening.fd);
    for (size_t i = 0; i < opening.place_count; i++)
        free(opening.places[i].before);
    free(opening.places);
    cairn_perf_streams_clear(&opening.streams);
    cairn_perf_trace_clear(&opening.trace);
    free(opening.perf);
    return status;
}
