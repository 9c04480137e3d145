/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/counts_files.h"

#include <stdlib.h>
#include <string.h>

#include "capture/files.h"
#include "capture/snapshot/search.h"
#include "image/elf.h"
#include "image/names.h"
#include "report/counts_id.h"

#define BUILD_ID "build-id:"

void cairn_counts_file_clear(struct cairn_counts_file *file)
{
    free(file->path);
    free(file->names);
    *file = (struct cairn_counts_file){0};
}

static bool is_it(const char *path, const char *id, bool *has_code)
{
    char there[CAIRN_COUNTS_ID];
    struct cairn_file *file = NULL;

    if (!path || cairn_file_open(path, &file, NULL))
        return false;
    cairn_counts_file_id(file, there);
    *has_code = cairn_elf_has_code(file);
    cairn_file_close(file);
    return strcmp(there, id) == 0;
}

static cairn_status search(const char *path, const char *id,
                           const struct cairn_capture_options *options,
                           struct cairn_counts_file *made)
{
    const struct cairn_files files = cairn_files_of_system();
    const struct cairn_module_search wanted = {.files = &files, .folder = "", .options = options};
    struct cairn_module_info module = {.size = sizeof module, .path = path};
    struct cairn_module_found found = {0};

    if (strncmp(id, BUILD_ID, strlen(BUILD_ID)) == 0)
        module.build_id = id + strlen(BUILD_ID);
    const cairn_status status = cairn_module_find(&wanted, &module, NULL, &found);
    /* without a build-id what is at the path may be anything, and what it names for its debug information as well */
    if (!status && is_it(found.code ? found.code : found.file, id, &made->has_code)) {
        made->path = found.code ? found.code : found.file;
        made->names = found.code ? found.file : NULL;
        found.code = found.file = NULL;
    }
    cairn_module_found_clear(&found);
    return status;
}

/* A file that was given is better than what was found for the same: code, or debug information alone. */
static cairn_status take_given(const char *path, bool has_code, struct cairn_counts_file *found)
{
    char *const copy = strdup(path);

    if (!copy)
        return CAIRN_E_MEMORY;
    if (has_code && found->path && !found->has_code) {
        found->names = found->path;
        found->path = NULL;
    }
    char **const place = has_code || !found->has_code ? &found->path : &found->names;
    free(*place);
    *place = copy;
    found->has_code |= has_code;
    return CAIRN_OK;
}

cairn_status cairn_counts_file_find(const char *path, const char *id,
                                    const struct cairn_capture_options *options,
                                    const char *const *files, size_t file_count,
                                    struct cairn_counts_file *found)
{
    struct cairn_counts_file made = {0};
    struct cairn_capture_options in_place = *options; /* it may have been below that root already */
    bool has_code;

    in_place.sysroot = NULL;
    cairn_status status = search(path, id, &in_place, &made);
    if (!status && !made.path && options->sysroot)
        status = search(path, id, options, &made);

    for (size_t i = 0; i < file_count && !status; i++)
        if (is_it(files[i], id, &has_code))
            status = take_given(files[i], has_code, &made);
    if (status)
        cairn_counts_file_clear(&made);
    else
        *found = made;
    return status;
}

/* The bytes alone: names of a layer that is an ELF file's would be this file's, which has none. */
static cairn_status add_code(const char *path, struct cairn_image *image, uint64_t bias,
                             const struct cairn_scope *scope, struct cairn_error *error)
{
    struct cairn_file *file = NULL;
    struct cairn_segments segments = {0};
    cairn_status status = cairn_file_open(path, &file, error);

    if (!status)
        status = cairn_elf_segments(file, path, &segments, error);
    for (size_t i = 0; i < segments.count && !status; i++) {
        const struct cairn_segment *const one = &segments.list[i];

        if (one->executable && !one->is_zeros)
            status = cairn_image_add_file(image, path, one->offset, one->size, scope,
                                          segments.order, one->address + bias, error);
    }
    cairn_segments_clear(&segments);
    cairn_file_close(file);
    return status;
}

/* All that the object has is the file's, wherever that ends: one of debug information alone loads nothing. */
static cairn_status add_names(const char *path, struct cairn_image *image, uint64_t bias,
                              const struct cairn_scope *scope, struct cairn_error *error)
{
    return cairn_image_add_names(image, path, bias, scope, 0, UINT64_MAX, error);
}

cairn_status cairn_counts_file_add(const struct cairn_counts_file *file, struct cairn_image *image,
                                   bool wants_code, uint64_t bias, const struct cairn_scope *scope,
                                   struct cairn_error *error)
{
    const bool has_code = wants_code && file->has_code;
    cairn_status status = CAIRN_OK;

    if (!file->names)
        return has_code ? cairn_image_add_elf(image, file->path, bias, scope, error)
                        : add_names(file->path, image, bias, scope, error);
    if (has_code)
        status = add_code(file->path, image, bias, scope, error);
    if (!status)
        status = add_names(file->names, image, bias, scope, error);
    return status ? status : cairn_image_name_program(image, file->path, error);
}
