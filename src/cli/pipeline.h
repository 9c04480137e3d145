/* SPDX-License-Identifier: BSD-2-Clause */
/* One source, decoded batch by batch: to packets and elements by their levels, to flow by the
 * engine or, on request, by the reference path. Pulled, so that several sources can be merged. */
#ifndef CAIRN_CLI_PIPELINE_H
#define CAIRN_CLI_PIPELINE_H

#include <cairn/capture.h>
#include <cairn/flow.h>

#include "cli/levels.h"
#include "cli/watch.h"
#include "report/summary.h"

/* What is wanted of the flow. */
enum cli_wanted {
    CLI_WANTED_RECORDS = 0, /* all of it, record by record */
    CLI_WANTED_EVENTS =
        1, /* ranges need only be counted, unless there is something to say of them */
    CLI_WANTED_TOTALS = 2, /* the same, and where the events were does not matter */
};

struct cli_pipeline_options {
    enum cli_level level;
    enum cli_wanted wanted;
    bool reference;
    uint32_t jobs;
    uint64_t table_bytes;          /* 0: the engine's own default */
    struct cli_progress *progress; /* NULL: none */
};

struct cli_pipeline;

/* `image` counts for CLI_LEVEL_FLOW only. After Ctrl-C the source ends early. */
CAIRN_MUST_CHECK cairn_status cli_pipeline_new(const struct cairn_capture *capture, size_t source,
                                               struct cairn_config *config,
                                               struct cairn_image *image,
                                               const struct cli_pipeline_options *options,
                                               struct cli_pipeline **pipeline,
                                               struct cairn_error *error);
void cli_pipeline_free(struct cli_pipeline *pipeline); /* NULL is fine */

/* Refills the level's batch; its count is 0 when the source has ended. */
CAIRN_MUST_CHECK cairn_status cli_pipeline_next(struct cli_pipeline *pipeline);

/* The batch that the last cli_pipeline_next filled; only the one of the pipeline's level. */
const struct cairn_packet_batch *cli_pipeline_packets(const struct cli_pipeline *pipeline);
const struct cairn_element_batch *cli_pipeline_elements(const struct cli_pipeline *pipeline);
const struct cairn_flow_batch *cli_pipeline_flow(const struct cli_pipeline *pipeline);

/* Adds what was counted and given in no batch so far; of CLI_WANTED_RECORDS there is none. */
void cli_pipeline_counted(const struct cli_pipeline *pipeline, struct cairn_summary *summary);

/* Where a byte of the source is in its file, or UINT64_MAX when that was too long ago to know. */
uint64_t cli_pipeline_file_offset(const struct cli_pipeline *pipeline, uint64_t offset);

/* As cli_levels_bytes. For CLI_LEVEL_PACKETS. */
size_t cli_pipeline_bytes(const struct cli_pipeline *pipeline, uint64_t offset, uint64_t length,
                          uint8_t bytes[CLI_BYTES_KEPT]);

/* Every byte read so far, by account; complete when the source has ended. */
const struct cairn_ledger *cli_pipeline_ledger(const struct cli_pipeline *pipeline);

uint64_t cli_pipeline_source_bytes(const struct cli_pipeline *pipeline); /* read so far */

#endif
