/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that was mapped out of an archive: an Android application (.apk) has its libraries in it as they are. simpleperf
 * tells such a file by its name in there ("base.apk!/lib/arm64-v8a/libx.so"), perf by the place in the archive; by the archive,
 * if it is here, the latter becomes the former. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/perf/trace.h"
#include "image/file.h"
#include "image/stored.h"

static bool has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path), own = strlen(ending);

    return length > own && !strcasecmp(path + length - own, ending);
}

static bool may_be_archive(const struct cairn_perf_mapping *mapping)
{
    return cairn_perf_has_file(mapping) && mapping->offset &&
           (has_ending(mapping->path, ".apk") || has_ending(mapping->path, ".zip") ||
            has_ending(mapping->path, ".jar"));
}

/* The archive, below another root if one is named; NULL: it is not here. */
static struct cairn_file *open_archive(const char *path,
                                       const struct cairn_capture_options *options)
{
    struct cairn_file *file = NULL;
    char *whole = NULL;

    if (options->sysroot && asprintf(&whole, "%s/%s", options->sysroot, path) >= 0) {
        if (cairn_file_open(whole, &file, NULL) != CAIRN_OK)
            file = NULL;
        free(whole);
    } else if (cairn_file_open(path, &file, NULL) != CAIRN_OK) {
        file = NULL;
    }
    return file;
}

static cairn_status rename_mapping(struct cairn_perf_trace *trace,
                                   struct cairn_perf_mapping *mapping,
                                   const struct cairn_file *archive)
{
    struct cairn_stored stored;

    if (!cairn_stored_at(archive->data, (size_t)archive->identity.size, mapping->offset, &stored))
        return CAIRN_OK;
    const char *const path =
        cairn_arena_format(trace->arena, "%s" CAIRN_STORED_MARK "%.*s", mapping->path,
                           (int)stored.name_length, stored.name);

    if (!path)
        return CAIRN_E_MEMORY;
    mapping->path = path;
    mapping->offset -= stored.offset;
    return CAIRN_OK;
}

cairn_status cairn_perf_find_stored(struct cairn_perf_trace *trace,
                                    const struct cairn_capture_options *options)
{
    const char *last = NULL; /* the same again and again, as a rule */
    struct cairn_file *archive = NULL;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < trace->mapping_count && status == CAIRN_OK; i++) {
        struct cairn_perf_mapping *const mapping = &trace->mappings[i];

        if (!may_be_archive(mapping))
            continue;
        if (!last || strcmp(last, mapping->path) != 0) {
            cairn_file_close(archive);
            archive = open_archive(mapping->path, options);
            last = mapping->path;
        }
        if (archive)
            status = rename_mapping(trace, mapping, archive);
    }
    cairn_file_close(archive);
    return status;
}
