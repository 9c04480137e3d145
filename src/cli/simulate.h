/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn simulate`: what a programmed trace unit makes of what some processor did, and its parts. */
#ifndef CAIRN_CLI_SIMULATE_H
#define CAIRN_CLI_SIMULATE_H

#include <cairn/unit.h>

#include "cli/programmed.h"
#include "cli/session.h"

/* What the command was told besides the registers. */
struct cli_simulate {
    const char *feed;   /* a capture, or */
    const char *tarmac; /* a log, */
    const char *folder; /* where the trace goes; NULL: nowhere */
    bool keep_events;
};

/* simulate_options.c: the command's own options. */
extern const struct cli_option cli_simulate_options[];
bool cli_simulate_take(struct cli_options *options, int key, const char *argument);
void cli_simulate_free(struct cli_options *options);

/* simulate_units.c: which of the programmed units one of the feed's sources gets, and of what protocol
 * it is there. NULL after a message. */
const struct cli_trace_unit *cli_simulate_unit_for(struct cli_session *session,
                                                   const struct cli_programmed *programmed,
                                                   const char *source,
                                                   enum cairn_protocol_id protocol,
                                                   struct cairn_unit_options *wanted);
/* Makes it. False after a message. */
bool cli_simulate_unit_new(struct cli_session *session, const struct cli_trace_unit *unit,
                           const struct cairn_unit_options *wanted, struct cairn_unit **made);

/* simulate_capture.c: the flow of a capture is the feed. */
enum cli_exit cli_simulate_capture(struct cli_session *session,
                                   const struct cli_programmed *programmed);

#endif
