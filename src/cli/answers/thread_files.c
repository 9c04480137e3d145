/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answers/thread_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* False after a message. */
static bool name_file(struct cli_session *session, size_t number, char name[PATH_MAX])
{
    const char *const path = session->options->profile.files;

    if (snprintf(name, PATH_MAX, "%s-%02zu", path, number) < PATH_MAX)
        return true;
    cli_session_say(session, "cannot write %s-%02zu: %s", path, number, strerror(ENAMETOOLONG));
    return false;
}

/* The number of a file of threads, by its name in the folder; 0: it is none. */
static size_t number_of(const char *name, const char *base)
{
    const size_t length = strlen(base);
    char again[NAME_MAX + 1];
    char *end;

    if (strncmp(name, base, length) || name[length] != '-' || name[length + 1] < '0' ||
        name[length + 1] > '9')
        return 0;
    const unsigned long number = strtoul(name + length + 1, &end, 10);
    if (*end || snprintf(again, sizeof again, "%s-%02lu", base, number) >= (int)sizeof again)
        return 0;
    return strcmp(again, name) ? 0 : number;
}

/* What there is is left alone, and nothing of it may be read now; or it is removed. */
enum part_use { PARTS_ARE_LEFT, PARTS_ARE_REMOVED };

/* False after a message. */
static bool use_file(struct cli_session *session, const char *name, enum part_use use)
{
    struct stat there;

    if (use == PARTS_ARE_LEFT && cli_session_reads(session, name)) {
        cli_session_say(session,
                        "--output %s: %s is one of the files that are read; choose another",
                        session->options->profile.files, name);
        return false;
    }
    if (use == PARTS_ARE_REMOVED && !lstat(name, &there) && !S_ISDIR(there.st_mode) &&
        unlink(name)) {
        cli_session_say(session, "cannot remove %s: %s", name, strerror(errno));
        return false;
    }
    return true;
}

/* All that are there from a number on; *lowest: the first of these, or 0. False after a message. */
static bool use_files(struct cli_session *session, size_t from, enum part_use use, size_t *lowest)
{
    const char *const path = session->options->profile.files;
    const char *const slash = strrchr(path, '/');
    char *const folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    DIR *const all = folder ? opendir(folder) : NULL; /* without one nothing can be written there */
    bool went_well = true;

    *lowest = 0;
    for (const struct dirent *one; all && went_well && (one = readdir(all)) != NULL;) {
        const size_t number = number_of(one->d_name, slash ? slash + 1 : path);
        char name[PATH_MAX];

        if (!number || number < from)
            continue;
        if (!*lowest || number < *lowest)
            *lowest = number;
        went_well = name_file(session, number, name) && use_file(session, name, use);
    }
    if (all)
        closedir(all);
    free(folder);
    return went_well;
}

/* False after a message. */
static bool make_way(struct cli_session *session, size_t count)
{
    size_t lowest, first;
    char name[PATH_MAX];

    if (!use_files(session, 1, PARTS_ARE_LEFT, &lowest))
        return false;
    if (lowest && session->options->force)
        return use_files(session, count + 1, PARTS_ARE_REMOVED, &first);
    if (lowest && name_file(session, lowest, name))
        cli_session_say(session, "%s exists; give --force to replace it", name);
    return !lowest;
}

/* False after a message, but for *status. */
static bool write_file(struct cli_session *session, struct cairn_profile_view *view,
                       const struct cairn_profile_whoms *whoms, size_t index, cairn_status *status)
{
    struct cairn_output *const listing = view->output;
    struct cairn_output *const file = malloc(sizeof *file);
    char name[PATH_MAX], text[CAIRN_PROFILE_NAME];

    if (!file)
        *status = CAIRN_E_MEMORY;
    if (!file || !name_file(session, index + 1, name) ||
        cli_session_open_file(session, name, file) != CLI_CLEAN) {
        free(file);
        return false;
    }
    view->output = file;
    *status = cairn_profile_callgrind_thread(view, session->options->capture, whoms, index);
    view->output = listing;
    cairn_output_flush(file);
    if (close(file->fd) && !file->error)
        file->error = errno;
    const int error = file->error;
    free(file);
    if (error)
        cli_session_say(session, "cannot write %s: %s", name, strerror(error));
    if (error || *status)
        return false;
    cairn_output_format(listing, "%s  %14llu  ", name,
                        (unsigned long long)whoms->list[index].instructions);
    cairn_output_text(listing, cairn_profile_whom_text(&whoms->list[index], text));
    cairn_output_line(listing);
    return true;
}

/* Not all could be written: what was, and what was to be replaced, is no whole. */
static void take_back(struct cli_session *session, size_t count)
{
    struct stat there;
    char name[PATH_MAX];
    size_t removed = 0;

    for (size_t i = 1; i <= count; i++)
        if (name_file(session, i, name) && !lstat(name, &there) && S_ISREG(there.st_mode) &&
            !unlink(name))
            removed++;
    if (removed)
        cli_session_say(session, "the other files of threads were removed, for they are not all");
}

bool cli_thread_files_write(struct cli_session *session, struct cairn_profile_view *view,
                            cairn_status *status)
{
    struct cairn_profile_whoms whoms;
    bool went_well;

    *status = cairn_profile_whoms(view, &whoms);
    if (*status)
        return true;
    went_well = make_way(session, whoms.count);
    /* also of what was decoded until Ctrl-C */
    for (size_t i = 0; went_well && i < whoms.count; i++) {
        went_well = write_file(session, view, &whoms, i, status);
        if (!went_well)
            take_back(session, whoms.count);
    }
    cairn_profile_whoms_free(&whoms);
    return went_well || *status;
}
