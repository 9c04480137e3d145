/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/paths.h"

#include "base/room.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cairn_paths_clear(struct cairn_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->list[i].whole);
    free(paths->list);
    cairn_table_clear(&paths->by_name);
    *paths = (struct cairn_paths){0};
}

/* Compilers run on Windows, too. */
static bool is_rooted(const char *path)
{
    const bool has_drive =
        ((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z')) &&
        path[1] == ':' && (path[2] == '/' || path[2] == '\\');

    return path[0] == '/' || has_drive || (path[0] == '\\' && path[1] == '\\');
}

static bool is_below(const char *name, const char *folder)
{
    const size_t length = strlen(folder);

    return strncmp(name, folder, length) == 0 && (name[length] == '/' || folder[length - 1] == '/');
}

static bool needs_folder(const char *folder, const char *name)
{
    return folder && folder[0] && !is_rooted(name) && !is_below(name, folder);
}

static bool is_tidy(const char *path)
{
    for (const char *at = path; *at; at++) {
        const bool begins = at == path || at[-1] == '/';

        if ((begins && at > path && *at == '/') ||
            (begins && at[0] == '.' && (at[1] == '/' || !at[1])) ||
            (begins && at[0] == '.' && at[1] == '.' && (at[2] == '/' || !at[2])))
            return false;
    }
    return true;
}

/* Takes "//", "/./" and "folder/../" out of a path, so that a file has one name whoever includes it. */
static void tidy(char *path)
{
    const bool begins_at_root = path[0] == '/';
    char *end = path + begins_at_root; /* of what is made */
    unsigned kept = 0;                 /* parts in it that ".." takes away */

    for (const char *at = path + begins_at_root; *at;) {
        const size_t length = strcspn(at, "/");
        const char *const next = at + length + (at[length] == '/');
        const bool is_up = length == 2 && at[0] == '.' && at[1] == '.';

        if (is_up && kept) {
            kept--;
            end -= end > path + begins_at_root;
            while (end > path + begins_at_root && end[-1] != '/')
                end--;
        } else if (length && !(length == 1 && at[0] == '.') && !(is_up && begins_at_root)) {
            kept = is_up ? 0 : kept + 1;
            memmove(end, at, length);
            end += length;
            if (at[length] == '/')
                *end++ = '/';
        }
        at = next;
    }
    if (end > path)
        *end = '\0';
}

static char *make(const char *folder, const char *name)
{
    char *whole = NULL;

    if (!needs_folder(folder, name))
        whole = strdup(name);
    else if (asprintf(&whole, "%s/%s", folder, name) < 0)
        whole = NULL;
    if (whole)
        tidy(whole);
    return whole;
}

const char *cairn_path_whole(struct cairn_paths *paths, const char *folder, const char *name)
{
    const uint32_t hash = cairn_table_hash((uint64_t)(uintptr_t)name, (uint64_t)(uintptr_t)folder);
    size_t at = cairn_table_begin(&paths->by_name, hash);
    uint32_t item;

    while ((item = cairn_table_next(&paths->by_name, hash, &at)) != CAIRN_TABLE_NONE)
        if (paths->list[item].name == name && paths->list[item].folder == folder)
            return paths->list[item].whole;
    if (!needs_folder(folder, name) && is_tidy(name))
        return name;
    if (paths->count == CAIRN_TABLE_NONE ||
        cairn_enlarge(&paths->list, &paths->room, paths->count + 1, sizeof *paths->list))
        return name;
    char *const whole = make(folder, name);
    if (!whole || cairn_table_add(&paths->by_name, hash, (uint32_t)paths->count)) {
        free(whole);
        return name;
    }
    paths->list[paths->count++] = (struct cairn_whole_path){folder, name, whole};
    return whole;
}
