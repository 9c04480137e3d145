/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data as a capture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/letters.h"
#include "capture/files.h"
#include "capture/perf/opening.h"

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

cairn_status cairn_perf_no_memory(const struct cairn_perf_opening *opening)
{
    return cairn_fail(opening->error, CAIRN_E_MEMORY, "%s: not enough memory to open it",
                      opening->path);
}

/* --- what the file says --- */

/* The section is records of BUILD_ID, each with its header. */
static void read_build_ids(struct cairn_perf_opening *opening)
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

static cairn_status check_kind(const struct cairn_perf_opening *opening)
{
    const struct cairn_perf_trace *const trace = &opening->trace;

    if (trace->no_memory)
        return cairn_perf_no_memory(opening);
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
static bool traces_kernel(const struct cairn_perf_opening *opening)
{
    const struct cairn_perf *const perf = opening->perf;

    for (size_t i = 0; i < perf->event_count; i++)
        if (perf->events[i].type == opening->trace.event_type && !perf->events[i].excludes_kernel)
            return true;
    return false;
}

/* Whether all such events count where their tasks run, and go on in what these start. */
static void look_at_events(struct cairn_perf_opening *opening)
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

/* TIME_CONV makes times of the kernel's own clock, which records have unless the user chose another. */
static bool have_other_clock(const struct cairn_perf *perf)
{
    bool have = false;

    for (size_t i = 0; i < perf->event_count; i++)
        have |= perf->events[i].has_other_clock;
    return have;
}

static void take_clock(struct cairn_perf_opening *opening)
{
    struct cairn_capture *const capture = opening->capture;
    const bool has_clock = cairn_perf_has_clock(&opening->trace);

    capture->has_clock = has_clock && !have_other_clock(opening->perf);
    capture->clock = opening->trace.clock;
    if (has_clock && !capture->has_clock)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%s: its records have times of a clock that was chosen (perf record --clockid), and the trace those of "
            "the kernel's own: nobody knows how far these are apart, and timestamps stay as they are. Record "
            "without --clockid.",
            opening->path);
}

/* The further files lie beside it, whether the folder was named or the file. */
static bool is_of_threads(struct cairn_perf *perf)
{
    uint64_t offset, size;

    if (!cairn_perf_feature(perf, CAIRN_PERF_FEATURE_DIR_FORMAT, &offset, &size) || size < 8)
        return false;
    const uint8_t *const version = cairn_perf_bytes(perf, offset, 8);
    return version && cairn_perf_u64(perf, version) != 0;
}

static cairn_status read_further(struct cairn_perf_opening *opening)
{
    const bool of_threads = is_of_threads(opening->perf);

    if (!opening->kcore && !of_threads)
        return CAIRN_OK;
    return cairn_perf_read_further(opening->capture, opening->files, opening->path, opening->perf,
                                   &opening->trace, of_threads);
}

static cairn_status read_records(struct cairn_perf_opening *opening)
{
    struct cairn_perf_input input = {
        .read = cairn_input_read_of, .context = &opening->fd, .name = opening->path};
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
    if (read_further(opening) != CAIRN_OK)
        return cairn_perf_no_memory(opening);
    status = check_kind(opening);
    if (status != CAIRN_OK)
        return status;
    opening->capture->has_times = !opening->trace.is_untimed;
    take_clock(opening);
    opening->capture->thread_mark = cairn_perf_thread_mark(&opening->trace);
    for (size_t i = 0; i < opening->trace.core_count; i++)
        opening->trace.is_unmarked |= !cairn_perf_mark_of(&opening->trace.cores[i]);
    opening->trace.is_mixed =
        opening->trace.is_unmarked && opening->capture->thread_mark != CAIRN_THREAD_NOT_MARKED;
    look_at_events(opening);
    return cairn_perf_trace_settle(&opening->trace, &opening->streams) == CAIRN_OK
               ? CAIRN_OK
               : cairn_perf_no_memory(opening);
}

static cairn_status open_all(struct cairn_perf_opening *opening)
{
    cairn_status status = read_records(opening);

    if (status != CAIRN_OK)
        return status;
    status = cairn_perf_add_sources(opening);
    if (status != CAIRN_OK)
        return status;
    cairn_capture_check_ids(opening->capture);
    cairn_perf_tell(opening);
    if (cairn_perf_add_threads(opening->capture, &opening->trace) != CAIRN_OK)
        return cairn_perf_no_memory(opening);
    status =
        cairn_perf_add_kernel(opening->capture, opening->files, &opening->trace, opening->options,
                              opening->kcore, traces_kernel(opening), opening->error);
    if (status != CAIRN_OK)
        return status == CAIRN_E_MEMORY ? cairn_perf_no_memory(opening) : status;
    if (cairn_perf_find_stored(&opening->trace, opening->options) != CAIRN_OK)
        return cairn_perf_no_memory(opening);
    status = cairn_perf_add_images(opening->capture, opening->files, &opening->trace,
                                   opening->places, opening->place_count, opening->options);
    if (status == CAIRN_OK)
        status = cairn_perf_add_lives(opening->capture, opening->path, &opening->trace,
                                      opening->places, opening->place_count);
    return status == CAIRN_OK ? CAIRN_OK : cairn_perf_no_memory(opening);
}

cairn_status cairn_perf_capture_open(struct cairn_capture *capture, const struct cairn_files *files,
                                     const char *path, const struct cairn_capture_options *options,
                                     struct cairn_error *error)
{
    struct cairn_perf_opening opening = {
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
        status = cairn_perf_no_memory(&opening);
    if (opening.perf)
        cairn_perf_close(opening.perf);
    cairn_input_close(opening.fd);
    for (size_t i = 0; i < opening.place_count; i++)
        cairn_perf_place_clear(&opening.places[i]);
    free(opening.places);
    cairn_perf_streams_clear(&opening.streams);
    cairn_perf_trace_clear(&opening.trace);
    free(opening.perf);
    return status;
}
