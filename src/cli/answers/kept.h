/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of counts in place of captures. */
#ifndef CAIRN_CLI_ANSWERS_KEPT_H
#define CAIRN_CLI_ANSWERS_KEPT_H

#include "cli/session/session.h"
#include "report/counts_give.h"

/* Counts, and where the files are that they are of. Zero it, and close it in the end. */
struct cli_counts_file {
    struct cairn_counts counts;
    struct cairn_counts_given given;
    bool is_odd; /* what cli_kept_say has found */
};

/* A session of a command that takes either: of a file of counts its output alone. */
enum cli_exit cli_kept_session(struct cli_session *session, const struct cli_command *command,
                               const struct cli_options *options);
/* Reads a file of counts, or what comes through a pipe. Errors as of cairn_counts_open and cli_spool_open. */
CAIRN_MUST_CHECK cairn_status cli_kept_read(struct cairn_counts *counts, const char *path,
                                            struct cairn_error *error);
/* Reads the file that options->capture is, which the session says; with `finds` it looks for what was executed. Tells what
 * goes wrong, and what is odd. False: it cannot be used. */
bool cli_kept_open(struct cli_session *session, struct cli_counts_file *kept, bool finds);
void cli_kept_close(struct cli_counts_file *kept);
/* CLI_GAPS where something of the captures is not in the counts, or more than once. */
enum cli_exit cli_kept_result(const struct cli_counts_file *kept);

/* The capture that counts are of, if it is one; or else `name`. */
const char *cli_kept_name(const struct cairn_counts *counts, const char *name);
/* Bytes of trace that gave no flow, of all sources. */
uint64_t cli_kept_lost(const struct cairn_counts *counts);
/* False, after a message, where what was merged cannot be added up so that it means something. */
bool cli_kept_fits(const struct cli_command *command, const struct cairn_counts *counts);
/* What there is to say of counts, whoever reads them. True: some are missing, or there twice. */
bool cli_kept_say(const struct cli_command *command, const char *name,
                  const struct cairn_counts *counts);

/* What was counted anew lacks what could not be followed, and a file says that to nobody who does not read it. */
void cli_kept_say_lost(const struct cli_command *command, const struct cairn_counts *counts);

#endif
