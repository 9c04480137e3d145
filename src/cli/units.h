/* SPDX-License-Identifier: BSD-2-Clause */
/* One source through the engine, batch by batch: what the levels give at CLI_LEVEL_FLOW, record for
 * record; or less, where ranges need only be counted. */
#ifndef CAIRN_CLI_UNITS_H
#define CAIRN_CLI_UNITS_H

#include "cli/pipeline.h"

struct cli_units;

/* The intake stays the caller's. */
CAIRN_MUST_CHECK cairn_status cli_units_new(struct cairn_config *config, struct cairn_image *image,
                                            const struct cli_pipeline_options *options,
                                            struct cli_intake *intake, struct cli_units **units);
void cli_units_free(struct cli_units *units); /* NULL is fine */

/* Refills the batch of flow records; its count is 0 when the source has ended. */
CAIRN_MUST_CHECK cairn_status cli_units_next(struct cli_units *units);
const struct cairn_flow_batch *cli_units_flow(const struct cli_units *units);

/* Adds the ranges that were counted and not given as records. */
void cli_units_counted(const struct cli_units *units, struct cairn_summary *summary);

const struct cairn_ledger *cli_units_ledger(const struct cli_units *units);
uint64_t cli_units_source_bytes(const struct cli_units *units); /* read so far */

#endif
