/* SPDX-License-Identifier: BSD-2-Clause */
/* What a path can be. The first container in the list whose probe knows it opens it. */
#include "capture/containers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "capture/port/port.h"

#define SNAPSHOT_INI "snapshot.ini"

static bool is_folder(const struct cairn_files *files, const char *path)
{
    (void)files;
    return cairn_is_folder(path);
}

static cairn_status open_folder(struct cairn_capture *capture, const struct cairn_files *files,
                                const char *path, const struct cairn_capture_options *options,
                                struct cairn_error *error)
{
    const char *slash = *path && path[strlen(path) - 1] == '/' ? "" : "/";
    char *ini = cairn_arena_format(&capture->arena, "%s%s" SNAPSHOT_INI, path, slash);
    uint64_t size;

    if (!ini)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to open it", path);
    if (!files->size_of(files->context, ini, &size) && !files->respell(files->context, ini))
        return cairn_fail(error, CAIRN_E_NOT_FOUND,
                          "%s: the folder has no " SNAPSHOT_INI
                          "; give a snapshot's folder, or the trace buffer's file itself",
                          path);
    return cairn_snapshot_open(capture, files, ini, options, error);
}

/* An INI file that can be read: any other is what a later container makes of it. */
static bool is_ini(const struct cairn_files *files, const char *path)
{
    const char *dot = strrchr(path, '.');
    char *text;
    size_t size;

    if (!dot || strcasecmp(dot, ".ini") ||
        files->read_text(files->context, path, &text, &size, NULL) != CAIRN_OK)
        return false;
    free(text);
    return true;
}

static cairn_status open_ini(struct cairn_capture *capture, const struct cairn_files *files,
                             const char *path, const struct cairn_capture_options *options,
                             struct cairn_error *error)
{
    char *text;
    size_t size;
    const cairn_status status = files->read_text(files->context, path, &text, &size, error);

    if (status)
        return status;
    const bool snapshot = cairn_is_snapshot_text(text, size);
    const bool described = !snapshot && cairn_is_raw_text(text);
    free(text);
    if (snapshot)
        return cairn_snapshot_open(capture, files, path, options, error);
    if (described)
        return cairn_raw_open_described(capture, files, path, options, error);
    return cairn_fail(error, CAIRN_E_FORMAT,
                      "%s: is an INI file without a [device_list] or [trace] section, or a [source "
                      "NAME] with a file; give the snapshot's folder or its " SNAPSHOT_INI
                      ", or a trace buffer's file",
                      path);
}

/* Its description is that of a raw buffer. */
static bool is_port(const struct cairn_files *files, const char *path)
{
    (void)files;
    return cairn_port_is(path);
}

/* Whatever it is: the raw buffer refuses what is certainly no trace. */
static bool is_anything(const struct cairn_files *files, const char *path)
{
    (void)files;
    (void)path;
    return true;
}

const struct cairn_container cairn_containers[] = {
    {"perf.data, also as a folder", cairn_perf_is_capture, cairn_perf_capture_open},
    {"snapshot folder", is_folder, open_folder},
    {"snapshot.ini, or a description of dumps", is_ini, open_ini},
    {"file of a trace port", is_port, cairn_raw_open},
    {"raw buffer", is_anything, cairn_raw_open},
};
const size_t cairn_container_count = sizeof cairn_containers / sizeof cairn_containers[0];
