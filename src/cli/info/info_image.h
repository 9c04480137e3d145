/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of the traced program by file: recordings have it in many pieces. */
#ifndef CAIRN_CLI_INFO_INFO_IMAGE_H
#define CAIRN_CLI_INFO_INFO_IMAGE_H

#include <cairn/image.h>

/* What one file gives. */
struct cli_image_file {
    struct cairn_layer_info first; /* its first layer: name, order, build-id, scope */
    size_t pieces;  /* of memory, each counted once, in however many contexts it is */
    uint64_t low;   /* lowest address, */
    uint64_t high;  /* and behind the highest */
    uint64_t bytes; /* of the pieces */
    size_t scopes;  /* contexts that it is in */
    size_t passing; /* layers for a part of the trace */
};

/* The files of an image in the order of their first layers. Free `files` with free(); false: out of
 * memory. */
bool cli_image_files(const struct cairn_image *image, struct cli_image_file **files, size_t *count);

#endif
