/* SPDX-License-Identifier: BSD-2-Clause */
/* One source through the levels of the reference path, batch by batch: bytes -> packets -> elements
 * -> resolved elements -> flow. Pulled; keeps the ledger. */
#ifndef CAIRN_CLI_LEVELS_H
#define CAIRN_CLI_LEVELS_H

#include <cairn/flow.h>

#include "cli/intake.h"

/* The level whose batches are wanted. */
enum cli_level {
    CLI_LEVEL_PACKETS = 0,
    CLI_LEVEL_ELEMENTS = 1,
    CLI_LEVEL_RESOLVED = 2,
    CLI_LEVEL_FLOW = 3,
};

struct cli_levels;

/* `image` counts for CLI_LEVEL_FLOW only. The intake stays the caller's. */
CAIRN_MUST_CHECK cairn_status cli_levels_new(struct cairn_config *config, struct cairn_image *image,
                                             enum cli_level level, struct cli_intake *intake,
                                             struct cli_levels **levels);
void cli_levels_free(struct cli_levels *levels); /* NULL is fine */

/* Refills the level's batch; its count is 0 when the source has ended. */
CAIRN_MUST_CHECK cairn_status cli_levels_next(struct cli_levels *levels);

/* The batch that the last cli_levels_next filled; only the one of the level. */
const struct cairn_packet_batch *cli_levels_packets(const struct cli_levels *levels);
const struct cairn_element_batch *cli_levels_elements(const struct cli_levels *levels);
const struct cairn_flow_batch *cli_levels_flow(const struct cli_levels *levels);

/* The first bytes of a packet of the current batch: returns how many were kept, at most
 * CLI_BYTES_KEPT. For CLI_LEVEL_PACKETS. */
#define CLI_BYTES_KEPT 128
size_t cli_levels_bytes(const struct cli_levels *levels, uint64_t offset, uint64_t length,
                        uint8_t bytes[CLI_BYTES_KEPT]);

/* Every byte read so far, by account; complete when the source has ended. */
const struct cairn_ledger *cli_levels_ledger(const struct cli_levels *levels);

uint64_t cli_levels_source_bytes(const struct cli_levels *levels); /* read so far */

#endif
