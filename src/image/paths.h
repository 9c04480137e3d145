/* SPDX-License-Identifier: BSD-2-Clause */
/* Source files as debug information names them: below the folder that the compiler ran in (DWARF 5, 6.2.4), of which libdw
 * puts in front of a name what the line table has of it. */
#ifndef CAIRN_IMAGE_PATHS_H
#define CAIRN_IMAGE_PATHS_H

#include <stddef.h>

#include "base/table.h"

struct cairn_whole_path {
    const char *folder, *name; /* as given */
    char *whole;               /* owned */
};

/* All zero: none yet. */
struct cairn_paths {
    struct cairn_whole_path *list; /* of those that are not as they were given */
    size_t count, room;
    struct cairn_table by_name;
};
void cairn_paths_clear(struct cairn_paths *paths);

/* The whole path of a file, without "//", "/./" and "folder/../": the same text for the same one, as long as the paths.
 * `folder` and `name` are texts that live as long, and do not change; `folder` may be NULL. Without memory it is `name`. */
const char *cairn_path_whole(struct cairn_paths *paths, const char *folder, const char *name);

#endif
