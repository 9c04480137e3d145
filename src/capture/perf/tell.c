/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be said of a perf.data file: what was odd, what is missing, and what the driver says of losses. */
#include "base/letters.h"
#include "capture/perf/opening.h"

static void say_stream(struct cairn_perf_opening *opening, size_t n)
{
    const struct cairn_perf_stream *const stream = &opening->streams.list[n];
    const uint64_t odd = stream->truncated + stream->partial + stream->collided;

    if (odd)
        cairn_capture_say_as(
            opening->capture, CAIRN_PERF_LOST, CAIRN_WARNING,
            "%s: of its %llu parts the driver says that trace was lost behind %llu (truncated), in %llu "
            "(partial) and by collisions in %llu. Record with a larger buffer (perf record -m,SIZE), "
            "or less at a time.",
            cairn_perf_stream_name(opening, n), (unsigned long long)stream->fragments,
            (unsigned long long)stream->truncated, (unsigned long long)stream->partial,
            (unsigned long long)stream->collided);
    if (stream->left_out)
        cairn_capture_say_as(
            opening->capture, CAIRN_PERF_LOST, CAIRN_WARNING,
            "%s: %llu bytes are left out: behind a loss they stand in front of the first %s, and cannot "
            "be read.",
            cairn_perf_stream_name(opening, n), (unsigned long long)stream->left_out,
            stream->is_raw ? "synchronisation" : "barrier or part that names its trace ID");
}

static void say_file(struct cairn_perf_opening *opening)
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
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_WARNING,
            "%s: %llu compressed records cannot be unpacked: what was in them (mappings, threads) is "
            "missing.",
            opening->path, (unsigned long long)perf->unpack.unreadable);
    if (opening->trace.packed.unreadable)
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_WARNING,
            "%s: of %llu packed pieces of trace (AUXTRACE records of simpleperf record -z) not all can be "
            "unpacked: they are damaged, or there is no room for them. Copy the file again, or record less "
            "at a time.",
            opening->path, (unsigned long long)opening->trace.packed.unreadable);
    if (opening->trace.too_many)
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_WARNING,
            "%s: it has more records of a kind than there is room for: the rest is left out. Record "
            "less at a time.",
            opening->path);
    if (opening->trace.unknown_cores)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: %u trace units are of a kind that is not known, or their registers are cut off.",
            opening->path, opening->trace.unknown_cores);
    if (opening->trace.guests)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%s: %llu records are of virtual machines (guests): their processes have numbers of their own, and "
            "what is told of them is left out.",
            opening->path, (unsigned long long)opening->trace.guests);
    if (opening->trace.lost)
        cairn_capture_say_as(capture, CAIRN_PERF_LOST, CAIRN_WARNING,
                             "%s: %llu records and samples were lost while recording.",
                             opening->path, (unsigned long long)opening->trace.lost);
}

void cairn_perf_tell(struct cairn_perf_opening *opening)
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
    if (streams->nothing)
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_WARNING,
            "%s: of %llu parts of the trace (AUX records) there is no byte, nor anything in front of them: the "
            "driver says that trace was lost. Record with a larger buffer (perf record -m,SIZE), or less at a "
            "time.",
            opening->path, (unsigned long long)streams->nothing);
    if (streams->missing)
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_WARNING,
            "%s: of %llu parts of the trace (AUX records) %llu bytes are not in the file: the recorder "
            "was stopped, or could not write as fast.",
            opening->path, (unsigned long long)streams->missing,
            (unsigned long long)streams->missing_bytes);
    if (streams->overwritten)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%s: it has snapshots (perf record --snapshot): of %llu parts of the trace (AUX records) %llu bytes are "
            "in none of them.",
            opening->path, (unsigned long long)streams->overwritten,
            (unsigned long long)streams->overwritten_bytes);
    if (streams->untold_bytes)
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_WARNING,
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
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_WARNING,
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
