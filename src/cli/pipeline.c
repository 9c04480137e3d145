/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/pipeline.h"

#include <stdlib.h>

#include "cli/units.h"

/* The engine wants much at once, and a part for each of its threads. A listing is printed by one
 * thread, which takes longer than all decoding: there larger pieces would only be more memory. */
#define PIECE ((size_t)1 << 20)
#define PIECE_OF_JOB ((size_t)8 << 20)

struct cli_pipeline {
    struct cli_intake *intake;
    struct cli_levels *levels; /* one of these two */
    struct cli_units *units;
};

static size_t piece_max(const struct cli_pipeline_options *options)
{
    if (options->level != CLI_LEVEL_FLOW || options->reference)
        return 0;
    if (options->jobs <= 1 || options->wanted == CLI_WANTED_RECORDS)
        return PIECE;
    return PIECE_OF_JOB * options->jobs;
}

cairn_status cli_pipeline_new(const struct cairn_capture *capture, size_t source,
                              struct cairn_config *config, struct cairn_image *image,
                              const struct cli_pipeline_options *options,
                              struct cli_pipeline **pipeline, struct cairn_error *error)
{
    struct cli_pipeline *made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    cairn_status status = cli_intake_new(capture, source, piece_max(options), options->progress,
                                         &made->intake, error);
    if (!status && options->level == CLI_LEVEL_FLOW && !options->reference)
        status = cli_units_new(config, image, options, made->intake, &made->units);
    else if (!status)
        status = cli_levels_new(config, image, options->level, made->intake, &made->levels);
    if (status) {
        cli_pipeline_free(made);
        return status;
    }
    *pipeline = made;
    return CAIRN_OK;
}

void cli_pipeline_free(struct cli_pipeline *pipeline)
{
    if (!pipeline)
        return;
    cli_units_free(pipeline->units);
    cli_levels_free(pipeline->levels);
    cli_intake_free(pipeline->intake);
    free(pipeline);
}

cairn_status cli_pipeline_next(struct cli_pipeline *pipeline)
{
    return pipeline->units ? cli_units_next(pipeline->units) : cli_levels_next(pipeline->levels);
}

const struct cairn_packet_batch *cli_pipeline_packets(const struct cli_pipeline *pipeline)
{
    return cli_levels_packets(pipeline->levels);
}

const struct cairn_element_batch *cli_pipeline_elements(const struct cli_pipeline *pipeline)
{
    return cli_levels_elements(pipeline->levels);
}

const struct cairn_flow_batch *cli_pipeline_flow(const struct cli_pipeline *pipeline)
{
    return pipeline->units ? cli_units_flow(pipeline->units) : cli_levels_flow(pipeline->levels);
}

void cli_pipeline_counted(const struct cli_pipeline *pipeline, struct cairn_summary *summary)
{
    if (pipeline->units)
        cli_units_counted(pipeline->units, summary);
}

uint64_t cli_pipeline_file_offset(const struct cli_pipeline *pipeline, uint64_t offset)
{
    return cli_intake_file_offset(pipeline->intake, offset);
}

size_t cli_pipeline_bytes(const struct cli_pipeline *pipeline, uint64_t offset, uint64_t length,
                          uint8_t bytes[CLI_BYTES_KEPT])
{
    return cli_levels_bytes(pipeline->levels, offset, length, bytes);
}

const struct cairn_ledger *cli_pipeline_ledger(const struct cli_pipeline *pipeline)
{
    return pipeline->units ? cli_units_ledger(pipeline->units)
                           : cli_levels_ledger(pipeline->levels);
}

uint64_t cli_pipeline_source_bytes(const struct cli_pipeline *pipeline)
{
    return pipeline->units ? cli_units_source_bytes(pipeline->units)
                           : cli_levels_source_bytes(pipeline->levels);
}
