/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/files.h"
#include "capture/snapshot/search.h"

#define PREFIX "module"
#define SUFFIX ".debug"

enum { NAME_MOST = 100, CHUNK = 1 << 16 };

static bool is_plain(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.-+", c));
}

bool cairn_embed_name_ok(const char *name)
{
    const size_t length = strlen(name);
    size_t digits = strlen(PREFIX);

    if (length < strlen(PREFIX) + strlen(SUFFIX) || strncmp(name, PREFIX, digits) != 0 ||
        strcmp(name + length - strlen(SUFFIX), SUFFIX) != 0)
        return false;
    while (name[digits] >= '0' && name[digits] <= '9')
        digits++;
    for (size_t i = digits; i < length; i++)
        if (!is_plain(name[i]))
            return false;
    return digits > strlen(PREFIX) && name[digits] == '-';
}

/* "module3-libc.so.6.debug" */
static char *name_of(struct cairn_arena *arena, const char *path, size_t number)
{
    const char *const slash = strrchr(path, '/');
    char *name = cairn_arena_format(arena, PREFIX "%zu-%.*s" SUFFIX, number, NAME_MOST,
                                    slash ? slash + 1 : path);

    for (char *at = name; at && *at; at++)
        if (!is_plain(*at))
            *at = '_';
    return name;
}

static bool write_whole(int to, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t done = write(to, bytes, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

static bool copy_bytes(int from, int to)
{
    char *bytes = malloc(CHUNK);
    ssize_t size = -1;
    bool all = bytes != NULL;

    while (all && (size = read(from, bytes, CHUNK)) != 0)
        all = size < 0 ? errno == EINTR : write_whole(to, bytes, (size_t)size);
    free(bytes);
    return all;
}

/* A link in the file's place is not followed. */
static bool copy(const char *from_path, const char *to_path)
{
    unlink(to_path);
    const int from = open(from_path, O_RDONLY | O_CLOEXEC);
    const int to =
        from < 0 ? -1 : open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool done = to >= 0 && copy_bytes(from, to);

    if (to >= 0 && close(to) != 0)
        done = false;
    if (from >= 0)
        close(from);
    if (to >= 0 && !done)
        unlink(to_path);
    return done;
}

/* The package of its split debug information, if there is one beside the file, to be beside the copy. */
static void copy_package(struct cairn_arena *arena, const char *path, const char *place)
{
    const char *const from = cairn_arena_format(arena, "%s" CAIRN_EMBED_PACKAGE, path);
    const char *const to = cairn_arena_format(arena, "%s" CAIRN_EMBED_PACKAGE, place);

    if (from && to)
        (void)copy(from, to);
}

cairn_status cairn_modules_embed(const char *folder, const struct cairn_recorded_program *program,
                                 struct cairn_arena *arena, struct cairn_snapshot_module *modules,
                                 size_t count, uint64_t *failed)
{
    const struct cairn_files files = cairn_files_of_system();
    const struct cairn_capture_options options = {.size = sizeof options,
                                                  .debug_folders = program->debug_folders,
                                                  .debug_folder_count =
                                                      program->debug_folder_count};
    const struct cairn_module_search search = {.files = &files, .folder = "", .options = &options};

    for (size_t i = 0; i < count; i++) {
        const struct cairn_module_info told = {.path = modules[i].path,
                                               .build_id = modules[i].build_id};
        struct cairn_module_found found;
        const cairn_status status = cairn_module_find(&search, &told, NULL, &found);
        const char *const name = name_of(arena, modules[i].path, i + 1);
        const char *const place = cairn_arena_format(arena, "%s/%s", folder, name ? name : "");

        if (status != CAIRN_OK || !name || !place) {
            cairn_module_found_clear(&found);
            return CAIRN_E_MEMORY;
        }
        if (found.file && copy(found.file, place)) {
            modules[i].file = name;
            copy_package(arena, modules[i].path, place);
        } else {
            ++*failed;
        }
        cairn_module_found_clear(&found);
    }
    return CAIRN_OK;
}
