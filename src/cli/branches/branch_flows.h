/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose flows --brbe and --check go through: the sources of a capture, or the processors of a TARMAC log. */
#ifndef CAIRN_CLI_BRANCHES_BRANCH_FLOWS_H
#define CAIRN_CLI_BRANCHES_BRANCH_FLOWS_H

#include "cli/session/session.h"

struct cli_branch_flows {
    struct cli_session *session;
    const char *log; /* its path; NULL: the session's capture */
    size_t count;
    char **names;    /* of sources, or of processors as the log has them */
    size_t *sources; /* of a capture: their numbers */
    uint64_t unread; /* lines of the log that are not understood */
};

/* Whether a file is a TARMAC log: text, in the beginning of which an instruction is listed. */
bool cli_branch_is_log(const char *path);

/* Those that --source chooses, of a session with a capture, or without one of the log at
 * session->options->capture. False after a message. Free in every case. */
bool cli_branch_flows_open(struct cli_branch_flows *flows, struct cli_session *session);
void cli_branch_flows_free(struct cli_branch_flows *flows);

/* branch_log.c: the processors of a log. False after a message. */
bool cli_branch_log_names(struct cli_branch_flows *flows);

struct cairn_pe;
struct cairn_unit_options;
/* branch_log.c: the log to its end, of one processor, told to a PE. `make` is called at its first instruction.
 * CAIRN_E_...: *error says why. */
struct cli_branch_log_pe {
    cairn_status (*make)(void *context, const struct cairn_unit_options *unit, struct cairn_pe **pe,
                         struct cairn_error *error);
    void *context;
};
CAIRN_MUST_CHECK cairn_status cli_branch_log_run(const struct cli_branch_flows *flows, size_t flow,
                                                 const struct cli_branch_log_pe *pe,
                                                 struct cairn_error *error);

#endif
