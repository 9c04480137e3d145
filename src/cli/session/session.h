/* SPDX-License-Identifier: BSD-2-Clause */
/* What every command begins with: the capture opened, images added, sources chosen, output ready.
 */
#ifndef CAIRN_CLI_SESSION_SESSION_H
#define CAIRN_CLI_SESSION_SESSION_H

#include <cairn/capture.h>

#include "cli/command.h"
#include "report/output.h"
#include "report/people.h"

struct cli_image;       /* cli/session/images.h */
struct cli_differences; /* cli/session/differences.h */

struct cli_choice; /* cli/window/window.h */

struct cli_session {
    const struct cli_command *command;
    const struct cli_options *options;
    struct cairn_capture *capture;
    bool is_spooled; /* it came through a pipe */
    size_t *sources; /* indexes of the chosen ones, in the capture's order */
    size_t source_count;
    struct cli_numbers
        threads; /* that are wanted of sources of several, ascending (cli/session/whose.h) */
    struct cli_whose_seen *seen; /* of these; NULL: none are asked for */
    struct cli_image *images;    /* as given */
    size_t image_count;
    size_t own_layers;           /* of the capture's image: those before what was given */
    struct cli_differences *ran; /* of a flow: what was executed of these; or NULL */
    bool recorded;               /* the capture is a recording: its memory is what was executed */
    struct cairn_output *output;
    bool made_output;                   /* its file did not exist before */
    struct cairn_people_options people; /* how a listing of the flow looks */
    const struct cli_choice *choice; /* which part of each source a listing has; NULL: all of it */
};

/* Which sources the command is about when the user names none. */
enum cli_survey {
    CLI_SURVEY_NEVER = 0,  /* what the capture describes: nothing is read in advance */
    CLI_SURVEY_ALWAYS = 1, /* trace IDs without configuration too: reads the buffers once */
};

/* Prints what went wrong; CLI_CLEAN or CLI_UNUSABLE. Close in every case. */
enum cli_exit cli_session_open(struct cli_session *session, const struct cli_command *command,
                               const struct cli_options *options, enum cli_survey survey);

/* A file beside the output, or in its place, to be closed by the caller; with a message where it cannot be written. */
enum cli_exit cli_session_open_file(struct cli_session *session, const char *path,
                                    struct cairn_output *output);

/* The output alone, for a command that has no capture. The same otherwise. */
enum cli_exit cli_session_open_output(struct cli_session *session,
                                      const struct cli_command *command,
                                      const struct cli_options *options);

/* Flushes and closes; turns `result` into the exit status: a closed pipe is quiet and clean, an
 * output that cannot be written is CLI_UNUSABLE, Ctrl-C is CLI_INTERRUPTED. Of what is unusable no
 * empty file is left behind that was not there before. */
enum cli_exit cli_session_close(struct cli_session *session, enum cli_exit result);

/* What was written is a heading with nothing below: a file that was made for it becomes empty. */
void cli_session_discard(struct cli_session *session);

/* A message on standard error: "cairn flow: ...". Flushes the listing first. */
void cli_session_say(struct cli_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A buffer's file as the user may open it; NULL where there is none, and for what came through a pipe. */
const char *cli_session_file(const struct cli_session *session, const char *path);

/* Whether a path is one of the files that are read. */
bool cli_session_reads(const struct cli_session *session, const char *path);

/* True as long as going on makes sense: no Ctrl-C, and somebody reads. */
bool cli_session_goes_on(const struct cli_session *session);

/* The configuration of one source; NULL, and why not, for the caller to say. */
struct cairn_config *cli_session_config(struct cli_session *session, size_t source,
                                        struct cairn_error *error);
/* Says that a source is not in the answer, and why: each source that is left out is to be heard of. */
void cli_session_say_refused(struct cli_session *session, const char *source,
                             const struct cairn_error *why);

#endif
