/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of captures that can be opened (docs/adding-a-container.md: how to add one). */
#ifndef CAIRN_CAPTURE_CONTAINERS_H
#define CAIRN_CAPTURE_CONTAINERS_H

#include "capture/model.h"

struct cairn_container {
    const char *name;
    /* Whether the path is of this kind, by its name, its kind of file or its first bytes. */
    bool (*probe)(const struct cairn_files *files, const char *path);
    /* Fills a new capture: buffers, sources with their registers, layers of the image. */
    cairn_status (*open)(struct cairn_capture *capture, const struct cairn_files *files,
                         const char *path, const struct cairn_capture_options *options,
                         struct cairn_error *error);
};

/* Asked in this order; the last one takes anything. */
extern const struct cairn_container cairn_containers[];
extern const size_t cairn_container_count;

#endif
