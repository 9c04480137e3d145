/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of an object of counts, found again. */
#ifndef CAIRN_REPORT_COUNTS_FILES_H
#define CAIRN_REPORT_COUNTS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/capture.h>
#include <cairn/image.h>

/* Zeros: it is not here. */
struct cairn_counts_file {
    char *path;    /* the program's, or all that there is; owned */
    char *names;   /* debug information that was split off from it, or NULL; owned */
    bool has_code; /* the file at `path` has */
};
void cairn_counts_file_clear(struct cairn_counts_file *file);

/* Looks for the one with that id (report/counts_id.h): where it was, by the options, and among `files`. */
CAIRN_MUST_CHECK cairn_status cairn_counts_file_find(const char *path, const char *id,
                                                     const struct cairn_capture_options *options,
                                                     const char *const *files, size_t file_count,
                                                     struct cairn_counts_file *found);

/* Puts its names into the image and, if that is wanted and there, its code. */
CAIRN_MUST_CHECK cairn_status cairn_counts_file_add(const struct cairn_counts_file *file,
                                                    struct cairn_image *image, bool wants_code,
                                                    uint64_t bias, const struct cairn_scope *scope,
                                                    struct cairn_error *error);

#endif
