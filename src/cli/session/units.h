/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug information that is in other files than the program (-gsplit-dwarf), and not here. */
#ifndef CAIRN_CLI_SESSION_UNITS_H
#define CAIRN_CLI_SESSION_UNITS_H

#include "cli/session/session.h"
#include "image/lines.h"

#define CLI_UNITS_TEXT 1024

/* What is not known of the program at `path`, and where that would be, as a sentence without its end: of parts that were
 * split off (missing->count), and of what several files have in common (missing->common). */
void cli_units_text(const char *path, const struct cairn_missing_units *missing,
                    char text[CLI_UNITS_TEXT]);

void cli_units_common_text(const char *path, const struct cairn_missing_units *missing,
                           char text[CLI_UNITS_TEXT]);

/* Says so, and what to do, if something was asked of the file that is not here; the same of each file of an image. NULL is
 * fine. */
void cli_units_tell_file(struct cli_session *session, struct cairn_file *file);
void cli_units_tell(struct cli_session *session, const struct cairn_image *image);

#endif
