/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose trace is wanted (--pid, --tid, --comm, --cpu, --time): sources that are of others are not chosen, and where a
 * source is of several threads, commands that can tell them apart by its contexts leave others out. */
#ifndef CAIRN_CLI_SESSION_WHOSE_H
#define CAIRN_CLI_SESSION_WHOSE_H

#include "cli/session/session.h"

/* Why nobody knows whose the trace is where contexts have no numbers. */
#define CLI_NO_NUMBERS                                                                             \
    "the trace has no context IDs, all of them are 0. Its kernel lacks CONFIG_PID_IN_CONTEXTIDR, " \
    "or perf ran in a container (a PID namespace): record by thread (--per-thread)"

/* Leaves the chosen sources that are wanted. Prints why there are none; CLI_CLEAN or CLI_UNUSABLE. */
enum cli_exit cli_whose_choose(struct cli_session *session);

/* Whether contexts have to be asked whose they are, and whether one is wanted. */
bool cli_whose_asks(const struct cli_session *session);
/* The same of a source's: not where that is one thread's, which was chosen then. */
bool cli_whose_asks_of(const struct cli_session *session, size_t source);
bool cli_whose_wants(const struct cli_session *session, uint32_t context_id, uint32_t vmid);
/* Says that contexts had no numbers, and frees. */
void cli_whose_end(struct cli_session *session);
/* The same of a thread, for samples: by its process, itself, its name (NULL: it has none) and the processor. */
bool cli_whose_wants_sample(const struct cli_whose *whose, uint32_t process, uint32_t thread,
                            const char *name, uint32_t cpu);

#endif
