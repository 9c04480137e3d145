/* SPDX-License-Identifier: BSD-2-Clause */
/* Which file a stripped one says that its debug information is in: the section .gnu_debuglink, with a
 * name without folders and the CRC-32 of all bytes of that file (GDB's manual, "Debugging Information
 * in Separate Files"). */
#ifndef CAIRN_IMAGE_DEBUGLINK_H
#define CAIRN_IMAGE_DEBUGLINK_H

#include <stdbool.h>
#include <stdint.h>

struct cairn_debuglink {
    char *name; /* to be freed */
    uint32_t crc;
};

/* What the file at `path` says; false: nothing, or a name that leads to another folder. */
bool cairn_debuglink_read(const char *path, struct cairn_debuglink *link);

enum cairn_debuglink_match {
    CAIRN_DEBUGLINK_NONE,  /* no file that can be read, or `owner` itself */
    CAIRN_DEBUGLINK_OTHER, /* its bytes are others */
    CAIRN_DEBUGLINK_IS,
};

/* Whether the file at `path` is the one that `owner`, a path as well, means. All of it is read. */
enum cairn_debuglink_match cairn_debuglink_match(const struct cairn_debuglink *link,
                                                 const char *owner, const char *path);

#endif
