/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an export goes: beside its place until it is whole. */
#ifndef CAIRN_CLI_ANSWERS_EXPORT_FILE_H
#define CAIRN_CLI_ANSWERS_EXPORT_FILE_H

#include "cli/command.h"
#include "cli/session/session.h"

struct cli_export_file {
    const char *path;
    char *part; /* owned by the caller: to be freed */
    bool is_folder;
    bool is_made; /* `part` is there, and is ours */
};

/* Says that it is so, and why; always CLI_UNUSABLE. */
enum cli_exit cli_export_cannot_write(struct cli_session *session, const char *path,
                                      const char *why);

/* Makes `part`, empty. Else it has said why not: also where what is at `path` stays. */
enum cli_exit cli_export_make_part(struct cli_session *session, struct cli_export_file *place);
/* Gives it its place; what was there is gone only then. */
enum cli_exit cli_export_put_in_place(struct cli_session *session, struct cli_export_file *place);
/* Removes `part` if it is there. */
void cli_export_remove_part(struct cli_export_file *place);

#endif
