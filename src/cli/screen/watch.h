/* SPDX-License-Identifier: BSD-2-Clause */
/* The person in front of the terminal: Ctrl-C, and progress of long work. */
#ifndef CAIRN_CLI_SCREEN_WATCH_H
#define CAIRN_CLI_SCREEN_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* From here on Ctrl-C only sets a mark (a second one ends the program at once). */
void cli_watch_start(void);
/* ... nor does a second one: a pager is the user's way out. */
void cli_watch_keep(void);
bool cli_interrupted(void);

/* True when the last failed write was to a pipe that nobody reads any more. */
bool cli_pipe_closed(void);

struct cairn_output; /* report/output.h */

/* Progress on standard error: only on a terminal, only after a second of work. */
struct cli_progress {
    const char *what; /* "ETM_0" */
    uint64_t total;   /* bytes; 0: not known */
    uint64_t started; /* nanoseconds */
    uint64_t shown;   /* when the line was last written; 0: never */
    bool terminal;
    /* A listing that has nothing more to say for a while: what it has said is shown. NULL: there is none. */
    struct cairn_output *listing;
    uint64_t flushed; /* nanoseconds */
};
void cli_progress_start(struct cli_progress *progress, const char *what, uint64_t total);
void cli_progress_update(struct cli_progress *progress, uint64_t done);
void cli_progress_end(struct cli_progress *progress);

/* The same, as the library calls it: `progress` may be NULL. Non-zero after Ctrl-C. */
int cli_progress_watch(void *progress, uint64_t done);

#endif
