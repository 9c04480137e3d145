/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of opening a perf.data file share. */
#ifndef CAIRN_CAPTURE_PERF_OPENING_H
#define CAIRN_CAPTURE_PERF_OPENING_H

#include "capture/perf/trace.h"

struct cairn_perf_opening {
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
/* open.c: the error that memory is out. */
cairn_status cairn_perf_no_memory(const struct cairn_perf_opening *opening);

/* sources.c: a buffer of each stream, and a source of each trace unit in it. */
CAIRN_MUST_CHECK cairn_status cairn_perf_add_sources(struct cairn_perf_opening *opening);
/* What a stream is called; NULL: memory is out. */
const char *cairn_perf_stream_name(struct cairn_perf_opening *opening, size_t n);

/* tell.c: what was odd, what is missing, and what the driver says of losses. */
void cairn_perf_tell(struct cairn_perf_opening *opening);

#endif
