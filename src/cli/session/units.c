/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session/units.h"

#include <stdio.h>

#include "image/names.h"

void cli_units_text(const char *path, const struct cairn_missing_units *missing,
                    char text[CLI_UNITS_TEXT])
{
    const bool is_below = missing->name[0] != '/' && missing->folder;
    char which[40] = "a source file";

    if (missing->count > 1)
        snprintf(which, sizeof which, "%zu source files", missing->count);
    snprintf(text, CLI_UNITS_TEXT,
             "%s: the functions of %s, and what is inlined in them, are not known by debug "
             "information: that is in %s%s%s%s, which %s not here (-gsplit-dwarf)",
             path, which, is_below ? missing->folder : "", is_below ? "/" : "", missing->name,
             missing->count == 1 ? "" : " and others", missing->count == 1 ? "is" : "are");
}

void cli_units_common_text(const char *path, const struct cairn_missing_units *missing,
                           char text[CLI_UNITS_TEXT])
{
    snprintf(
        text, CLI_UNITS_TEXT,
        "%s: names, and functions that are inlined, are missing of its debug information: they "
        "are in %s, which is not here (dwz -m)",
        path, missing->common);
}

void cli_units_tell_file(struct cli_session *session, struct cairn_file *file)
{
    struct cairn_missing_units missing = {0};
    char text[CLI_UNITS_TEXT];

    if (file)
        cairn_file_missing_units(file, &missing);
    const char *const path = file ? file->origin ? file->origin : file->path : NULL;
    if (missing.common) {
        cli_units_common_text(path, &missing, text);
        cli_session_say(session, "%s. Put it back, or tell its folder by --debug-dir", text);
    }
    if (!missing.count)
        return;
    cli_units_text(path, &missing, text);
    cli_session_say(
        session,
        "%s. Put it back, tell its folder by --debug-dir, or pack all of them beside the "
        "program (dwp -e PROGRAM -o PROGRAM.dwp)",
        text);
}

void cli_units_tell(struct cli_session *session, const struct cairn_image *image)
{
    struct cairn_file *file;

    for (size_t i = 0; image && (file = cairn_image_file(image, i)) != NULL; i++)
        cli_units_tell_file(session, file);
}
