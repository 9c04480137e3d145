/* SPDX-License-Identifier: BSD-2-Clause */
/* A simulated capture has the names of what it was made of: its program, and the files its code is from. */
#ifndef CAIRN_CLI_SIMULATE_SIMULATE_NAMES_H
#define CAIRN_CLI_SIMULATE_SIMULATE_NAMES_H

#include "cli/session/session.h"
#include "machine/recording.h"

/* Tells the recording where the session's files are in memory. What is not there any more is left out. */
void cli_simulate_names(struct cli_session *session, struct cairn_recording *recording);
/* cairn_recording_finish, with the program of the session's capture. */
cairn_status cli_simulate_names_finish(struct cli_session *session, const char *folder,
                                       struct cairn_recording_result *result,
                                       struct cairn_error *error);

#endif
