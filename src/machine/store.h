/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that only grows, of which one piece at its end is mapped: what is written is in the file
 * whatever becomes of the process. Disk space is reserved before a piece is mapped, so that a full
 * disk is an error and not a SIGBUS. No descriptor stays open: the traced program shares ours and
 * may close them, or be given one of the same number. */
#ifndef CAIRN_MACHINE_STORE_H
#define CAIRN_MACHINE_STORE_H

#include <stddef.h>
#include <stdint.h>

struct cairn_keeper;

struct cairn_store {
    char *path;                  /* absolute; the store's own */
    uint64_t used;               /* bytes written */
    uint64_t begin;              /* of the mapped piece, in the file */
    uint8_t *piece;              /* or NULL */
    size_t size;                 /* of the piece */
    size_t next;                 /* how large the next piece should be */
    struct cairn_keeper *keeper; /* opens the file; or NULL */
};

/* Makes an empty file; takes `path` (heap) over in any case. `keeper`, which may be NULL, must
 * outlive the store's use. Returns 0 or an errno value. */
int cairn_store_make(struct cairn_store *store, struct cairn_keeper *keeper, char *path);

/* Appends all of the bytes; returns 0 or an errno value, and then nothing was appended. */
int cairn_store_append(struct cairn_store *store, const void *bytes, size_t size);

/* Unmaps the piece; the next append maps one again. */
void cairn_store_rest(struct cairn_store *store);

/* For the child after a fork: what is mapped becomes memory of its own. */
void cairn_store_detach(struct cairn_store *store);

void cairn_store_free(struct cairn_store *store);

/* Reserves the first `size` bytes of a file and maps its first `reach`, of which those that are
 * reserved, now or later, may be touched; *mapped is set on success only. Returns 0 or an errno
 * value. */
int cairn_store_map(struct cairn_keeper *keeper, const char *path, uint64_t size, size_t reach,
                    uint8_t **mapped);
/* Reserves without mapping. */
int cairn_store_reserve(struct cairn_keeper *keeper, const char *path, uint64_t size);

#endif
