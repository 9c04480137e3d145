/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting for keeps: what `count` and cairn-mpi do. */
#ifndef CAIRN_CLI_ANSWERS_COUNT_H
#define CAIRN_CLI_ANSWERS_COUNT_H

#include "cli/session/session.h"
#include "pipeline/counted.h"
#include "report/counts.h"
#include "report/counts_take.h"

/* Adds what a capture executed, or its shard by options->count. Prints what goes wrong. */
enum cli_exit cli_count_capture(const struct cli_command *command, const struct cli_options *given,
                                const char *path, struct cairn_counts *counts);

/* Writes counts that are settled to options->output, whole or not at all ("-": to standard output). Prints why not: false. */
bool cli_count_write(const struct cli_command *command, const struct cli_options *options,
                     const struct cairn_counts *counts);
/* False, after a message, where there is no --output, or it is there already, or a terminal. */
bool cli_count_can_write(const struct cli_command *command, const struct cli_options *options);
/* options->output for messages. */
const char *cli_count_output_name(const struct cli_options *options);

/* count_part.c: the bytes [from, to) of a source. */
struct cli_count_part {
    struct cli_session *session;
    size_t source;
    struct cairn_config *config;
    uint64_t from, to, size; /* to == size: to its end */
    /* what came of it: */
    struct cairn_functions functions;
    struct cairn_block_counts blocks;
    struct cairn_counted *counted; /* finished */
    uint64_t instructions, cycles, overflows;
    struct cairn_ledger ledger;
    struct cairn_counts *counts; /* addresses without memory are added at once */
};
CAIRN_MUST_CHECK cairn_status cli_count_part(struct cli_count_part *part,
                                             struct cairn_error *error);
void cli_count_part_free(struct cli_count_part *part);

/* How ranges of a source are counted for compilers. */
CAIRN_MUST_CHECK cairn_status cli_count_begin(const struct cli_options *options,
                                              struct cairn_image *image,
                                              struct cairn_config *config,
                                              struct cairn_counted **counted);
/* Leaves out what other threads executed than those that are wanted. */
void cli_count_choose(struct cli_session *session, const struct cairn_source_info *info,
                      struct cairn_pipeline_options *wanted);
/* Whether each range is wanted in its place. */
bool cli_count_wants_rows(const struct cli_options *options, const struct cairn_config *config);
/* What a record says of code without memory, and of overflows. */
CAIRN_MUST_CHECK cairn_status cli_count_event(struct cairn_counts *counts, uint64_t *overflows,
                                              uint8_t kind, uint64_t address, uint64_t value);

#endif
