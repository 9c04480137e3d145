/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf record --threads` makes a folder: beside the file `data`, which has the events, each of its threads writes records
 * into one without a header, data.0, data.1 ... A buffer of trace is in one of them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/letters.h"
#include "capture/files.h"
#include "capture/perf/trace.h"

#define FILES_MOST 4096u

void cairn_perf_say_end(struct cairn_capture *capture, const struct cairn_perf *perf)
{
    if (perf->is_front_cut)
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_PROBLEM,
            "%s: of what was mapped before recording (simpleperf's section init_map) nothing is read from offset "
            "0x%llx on: the record there is cut off or damaged. Copy the file again, or record anew.",
            perf->input.name, (unsigned long long)perf->front_at);
    if (perf->ended == CAIRN_PERF_END_CUT && perf->at == perf->input.size)
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_PROBLEM,
            "%s: the file ends before the data that its header tells of: copy it again.",
            perf->input.name);
    else if (perf->ended != CAIRN_PERF_END_WHOLE)
        cairn_capture_say_as(
            capture, CAIRN_PERF_LOST, CAIRN_PROBLEM,
            "%s: nothing is read from offset 0x%llx on: the record there is cut off or damaged. Copy "
            "the file again, or record anew.",
            perf->input.name, (unsigned long long)perf->at);
}

/* A file that is there is file number trace->file. */
static void read_file(struct cairn_capture *capture, const char *path, struct cairn_perf *perf,
                      struct cairn_perf_trace *trace)
{
    struct cairn_perf_input input = {.read = cairn_input_read_of, .name = path};
    struct cairn_perf_record record;
    struct cairn_error error;
    int fd = -1;

    if (cairn_input_open(path, &fd, &input.size, &error) != CAIRN_OK) {
        trace->has_untold_runs = true;
        cairn_capture_say_as(capture, CAIRN_PERF_LOST, CAIRN_PROBLEM,
                             "%s: what is in it is missing.", error.text);
        return;
    }
    input.context = &fd;
    cairn_perf_go_on(perf, &input);
    while (cairn_perf_next(perf, &record))
        cairn_perf_trace_take(trace, perf, &record);
    trace->has_untold_runs |= perf->ended != CAIRN_PERF_END_WHOLE;
    cairn_perf_say_end(capture, perf);
    cairn_input_close(fd);
    perf->input.size = 0;
}

/* Those that are numbered in between are there as well, if nobody took them away. */
static void say_missing(struct cairn_capture *capture, const char *path,
                        struct cairn_perf_trace *trace, uint32_t from, uint32_t until)
{
    if (from == until)
        return;
    trace->has_untold_runs = true;
    cairn_capture_say_as(
        capture, CAIRN_PERF_LOST, CAIRN_PROBLEM,
        "%s.%u%s not there: trace, mappings and threads are missing. Copy all of the "
        "folder that `perf record --threads` made.",
        path, from, until - from > 1 ? " and others beside it are" : " is");
}

cairn_status cairn_perf_read_further(struct cairn_capture *capture, const struct cairn_files *files,
                                     const char *path, struct cairn_perf *perf,
                                     struct cairn_perf_trace *trace, bool are_there)
{
    uint32_t next = 0;

    trace->files = calloc(FILES_MOST + 1, sizeof *trace->files);
    if (!trace->files)
        return CAIRN_E_MEMORY;
    for (uint32_t n = 0; n < FILES_MOST; n++) {
        char *name = NULL;
        uint64_t size;

        if (asprintf(&name, "%s.%u", path, n) < 0)
            return CAIRN_E_MEMORY;
        const bool is_there = files->size_of(files->context, name, &size);

        trace->files[n + 1] = is_there ? cairn_arena_text(trace->arena, name) : NULL;
        free(name);
        if (!is_there)
            continue;
        if (!trace->files[n + 1])
            return CAIRN_E_MEMORY;
        say_missing(capture, path, trace, next, n);
        next = n + 1;
        trace->file = n + 1;
        read_file(capture, trace->files[n + 1], perf, trace);
    }
    say_missing(capture, path, trace, 0, are_there && !next);
    return CAIRN_OK;
}
