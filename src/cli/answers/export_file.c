/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answers/export_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/export.h"

#define PART ".part"

static void empty_folder(const char *path)
{
    char name[64];
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES && folder >= 0; i++) {
        snprintf(name, sizeof name, "%s.csv", cairn_export_schemas[i].name);
        unlinkat(folder, name, 0);
    }
    if (folder >= 0)
        close(folder);
}

/* Whether a folder has nothing but tables, so that all of it may be replaced. */
static bool is_export(const char *path)
{
    DIR *const folder = opendir(path);
    const struct dirent *entry;
    bool is_ours = folder != NULL;

    while (is_ours && (entry = readdir(folder))) {
        char name[64];

        is_ours = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
        for (unsigned i = 0; i < CAIRN_EXPORT_TABLES && !is_ours; i++) {
            snprintf(name, sizeof name, "%s.csv", cairn_export_schemas[i].name);
            is_ours = !strcmp(entry->d_name, name);
        }
    }
    if (folder)
        closedir(folder);
    return is_ours;
}

void cli_export_remove_part(struct cli_export_file *place)
{
    if (place->is_made && place->is_folder) {
        empty_folder(place->part);
        rmdir(place->part);
    } else if (place->is_made) {
        unlink(place->part);
    }
    place->is_made = false;
}

enum cli_exit cli_export_cannot_write(struct cli_session *session, const char *path,
                                      const char *why)
{
    cli_session_say(session, "cannot write %s: %s", path, why);
    return CLI_UNUSABLE;
}

enum cli_exit cli_export_make_part(struct cli_session *session, struct cli_export_file *place)
{
    const bool replaces = session->options->force;
    const size_t length = strlen(place->path);
    struct stat there;

    if (!lstat(place->path, &there)) {
        if (!replaces) {
            cli_session_say(session, "%s exists; give --force to replace it", place->path);
            return CLI_UNUSABLE;
        }
        if (cli_session_reads(session, place->path)) {
            cli_session_say(session,
                            "--output %s is one of the files that are read; choose another",
                            place->path);
            return CLI_UNUSABLE;
        }
        if (place->is_folder ? !S_ISDIR(there.st_mode) : !S_ISREG(there.st_mode)) {
            cli_session_say(session, "--output %s is no %s, and is not replaced", place->path,
                            place->is_folder ? "folder" : "regular file");
            return CLI_UNUSABLE;
        }
        if (place->is_folder && !is_export(place->path)) {
            cli_session_say(session,
                            "--output %s has more in it than tables of an export, and is not "
                            "replaced: choose another folder, or take the rest out of it",
                            place->path);
            return CLI_UNUSABLE;
        }
    }
    /* in front of a name alone, which could mean something else to who opens it */
    const char *const here = strchr(place->path, '/') ? "" : "./";
    size_t used = length;
    while (used > 1 && place->path[used - 1] == '/')
        used--;
    if (asprintf(&place->part, "%s%.*s" PART, here, (int)used, place->path) < 0) {
        place->part = NULL;
        return cli_export_cannot_write(session, place->path, "out of memory");
    }
    int made = -1;
    if (place->is_folder)
        made = mkdir(place->part, 0777);
    else
        made = open(place->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0 && errno == EEXIST) {
        cli_session_say(
            session,
            "%s exists: it is being written, or is what was left of one that was ended: "
            "then remove it",
            place->part);
        return CLI_UNUSABLE;
    }
    if (made < 0)
        return cli_export_cannot_write(session, place->part, strerror(errno));
    if (!place->is_folder)
        close(made);
    place->is_made = true;
    return CLI_CLEAN;
}

/* A folder that is there goes when the new one has its place: one of them is there, whatever happens. */
static bool replace_folder(struct cli_session *session, const struct cli_export_file *place)
{
    char *aside;

    if (asprintf(&aside, "%s.old", place->part) < 0) {
        errno = ENOMEM;
        return false;
    }
    const bool was_there = !rename(place->path, aside);
    bool is_done = was_there || errno == ENOENT;
    if (is_done && rename(place->part, place->path)) {
        const int error = errno;

        is_done = false;
        if (was_there && rename(aside, place->path))
            cli_session_say(session, "%s is what was at %s", aside, place->path);
        errno = error;
    } else if (is_done && was_there) {
        empty_folder(aside);
        if (rmdir(aside))
            cli_session_say(session, "%s has what else was put into %s meanwhile", aside,
                            place->path);
    }
    free(aside);
    return is_done;
}

/* Who has written something there in the meantime keeps it. */
static bool put_new(const struct cli_export_file *place)
{
    struct stat there;

    if (!place->is_folder && !link(place->part, place->path)) {
        unlink(place->part);
        return true;
    }
    if (!place->is_folder && errno == EEXIST)
        return false;
    /* a file system without links, or a folder, which replaces none but an empty one */
    if (!lstat(place->path, &there)) {
        errno = EEXIST;
        return false;
    }
    return !rename(place->part, place->path);
}

enum cli_exit cli_export_put_in_place(struct cli_session *session, struct cli_export_file *place)
{
    bool is_done;

    if (!session->options->force)
        is_done = put_new(place);
    else if (place->is_folder)
        is_done = replace_folder(session, place);
    else
        is_done = !rename(place->part, place->path);
    if (!is_done)
        return cli_export_cannot_write(session, place->path, strerror(errno));
    place->is_made = false;
    return CLI_CLEAN;
}
