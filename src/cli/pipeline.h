/* SPDX-License-Identifier: BSD-2-Clause */
/* One source through the levels, batch by batch: bytes -> packets -> elements -> resolved elements
 * -> flow. Pulled, so that several sources can be merged; keeps the ledger. */
#ifndef CAIRN_CLI_PIPELINE_H
#define CAIRN_CLI_PIPELINE_H

#include <cairn/capture.h>
#include <cairn/flow.h>

#include "cli/watch.h"

/* The level whose batches are wanted. */
enum cli_level {
    CLI_LEVEL_PACKETS = 0,
    CLI_LEVEL_ELEMENTS = 1,
    CLI_LEVEL_RESOLVED = 2,
    CLI_LEVEL_FLOW = 3,
};

struct cli_pipeline;

/* `image` counts for CLI_LEVEL_FLOW only. `progress` is told of every chunk of the file; NULL:
 * none. After Ctrl-C the source ends early. */
CAIRN_MUST_CHECK cairn_status cli_pipeline_new(const struct cairn_capture *capture, size_t source,
                                               struct cairn_config *config,
                                               struct cairn_image *image, enum cli_level level,
                                               struct cli_progress *progress,
                                               struct cli_pipeline **pipeline,
                                               struct cairn_error *error);
void cli_pipeline_free(struct cli_pipeline *pipeline); /* NULL is fine */

/* Refills the level's batch; its count is 0 when the source has ended. */
CAIRN_MUST_CHECK cairn_status cli_pipeline_next(struct cli_pipeline *pipeline);

/* The batch that the last cli_pipeline_next filled; only the one of the pipeline's level. */
const struct cairn_packet_batch *cli_pipeline_packets(const struct cli_pipeline *pipeline);
const struct cairn_element_batch *cli_pipeline_elements(const struct cli_pipeline *pipeline);
const struct cairn_flow_batch *cli_pipeline_flow(const struct cli_pipeline *pipeline);

/* Where a byte of the source is in its file, or UINT64_MAX when that was too long ago to know: the
 * last CLI_RUNS_KEPT runs are. */
#define CLI_RUNS_KEPT 65536
uint64_t cli_pipeline_file_offset(const struct cli_pipeline *pipeline, uint64_t offset);

/* The first bytes of a packet of the current batch: returns how many were kept, at most
 * CLI_BYTES_KEPT. For CLI_LEVEL_PACKETS. */
#define CLI_BYTES_KEPT 128
size_t cli_pipeline_bytes(const struct cli_pipeline *pipeline, uint64_t offset, uint64_t length,
                          uint8_t bytes[CLI_BYTES_KEPT]);

/* Every byte read so far, by account; complete when the source has ended. */
const struct cairn_ledger *cli_pipeline_ledger(const struct cli_pipeline *pipeline);

uint64_t cli_pipeline_source_bytes(const struct cli_pipeline *pipeline); /* read so far */

#endif
