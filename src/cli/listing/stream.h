/* SPDX-License-Identifier: BSD-2-Clause */
/* One source of a listing: its pipeline, its place in the current batch, its last timestamp. */
#ifndef CAIRN_CLI_LISTING_STREAM_H
#define CAIRN_CLI_LISTING_STREAM_H

#include "cli/index/index.h"
#include "cli/index/stretches.h"
#include "cli/screen/watch.h"
#include "cli/session/session.h"
#include "cli/window/held.h"
#include "cli/window/plan.h"
#include "report/report.h"
#include "report/summary.h"
#include <cairn/pipeline.h>

enum cli_stream_state {
    CLI_STREAM_RUNNING = 0,
    CLI_STREAM_ENDED = 1,
    CLI_STREAM_REFUSED = 2, /* cannot be decoded; `why` says so */
    CLI_STREAM_FAILED = 3,  /* broke off; `why` says so */
};

struct cli_stream {
    enum cli_stream_state state;
    enum cairn_level level;
    struct cairn_source_info info;
    struct cairn_buffer_info buffer;
    struct cairn_config *config;
    struct cairn_pipeline *pipeline;
    struct cairn_listing listing;
    struct cairn_summary summary;
    struct cli_progress progress;
    size_t index;    /* of the current record in the batch */
    size_t count;    /* of the batch */
    uint64_t offset; /* of the last record printed or skipped */
    uint64_t time;   /* last timestamp */
    bool timed;      /* it carries timestamps */
    bool counted;    /* ranges are counted, not listed: they are no records */
    bool cut;        /* it ended before the source did */
    bool gaps;       /* a gap that matters was listed */
    bool followed;   /* an instruction was, or of a listing of data a transfer */
    struct cli_plan plan;
    struct cli_window window; /* of flow, if a part of it is listed */
    struct cli_window_out window_out;
    struct cli_way way;      /* of a part that is looked for by stretches */
    struct cli_scan *scan;   /* which tells of them, */
    struct cli_index *known; /* or this */
    struct cli_choice end;   /* what the part is at the end of a program that crashed */
    const struct cli_options *options;
    const struct cairn_report *report;
    const struct cli_session *session;
    bool asks;      /* contexts tell whether they are of a thread that is wanted */
    bool is_others; /* this one is of one that is not */
    bool live;      /* of packets, elements and transfers: the part has begun */
    uint64_t units; /* and so many came by */
    uint64_t data;  /* transfers listed */
    struct cli_held held;
    struct cairn_error why;
};

/* Opens the source for a listing; a source that cannot be decoded is REFUSED. Close in every case.
 */
void cli_stream_open(struct cli_stream *stream, struct cli_session *session, size_t source,
                     enum cairn_level level);
void cli_stream_close(struct cli_stream *stream);

/* Makes a current record, if there is one: true. */
bool cli_stream_ready(struct cli_stream *stream);

/* The timestamp of the current record, if it is one. */
bool cli_stream_timestamp(const struct cli_stream *stream, uint64_t *time);

/* Prints the current record if the options want it, and goes on to the next. */
void cli_stream_print(struct cli_stream *stream, const struct cli_options *options,
                      const struct cairn_report *report);

/* Prints what is held back: when the source has ended, or its turn has. */
void cli_stream_flush(struct cli_stream *stream, const struct cairn_report *report);

/* How far it came, in the source's bytes. */
uint64_t cli_stream_reached(const struct cli_stream *stream);

/* CLI_CLEAN, CLI_GAPS or (nothing decoded) CLI_UNUSABLE. */
enum cli_exit cli_stream_result(const struct cli_stream *stream);

#endif
