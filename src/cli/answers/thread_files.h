/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile as a file for each thread. */
#ifndef CAIRN_CLI_ANSWERS_THREAD_FILES_H
#define CAIRN_CLI_ANSWERS_THREAD_FILES_H

#include "cli/session/session.h"
#include "report/profile_view.h"

/* Writes FILE-01, FILE-02 and so on, and lists them; programs that open one take all of these for one profile, so that none
 * of another one is left beside them, and none at all where not all can be written. False after a message. */
bool cli_thread_files_write(struct cli_session *session, struct cairn_profile_view *view,
                            cairn_status *status);

#endif
