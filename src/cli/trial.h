/* SPDX-License-Identifier: BSD-2-Clause */
/* A source read under another protocol, to see whether that fits better. */
#ifndef CAIRN_CLI_TRIAL_H
#define CAIRN_CLI_TRIAL_H

#include "cli/session.h"

/* Counts the reserved packets under `protocol`; false when its configuration is impossible,
 * or most of the source has no synchronisation of it. */
bool cli_trial_run(struct cli_session *session, size_t source, enum cairn_protocol_id protocol,
                   uint64_t *reserved);

#endif
