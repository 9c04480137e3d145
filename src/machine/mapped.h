/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files' code was where: while it is recorded, and made modules of a snapshot. */
#ifndef CAIRN_MACHINE_MAPPED_H
#define CAIRN_MACHINE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/snapshot/write.h"
#include "machine/journal.h"
#include "machine/keeper.h"

/* A file's code at [address, address + length), length never 0, from `offset` of the file on; from
 * epoch `from` on, and before `to`. */
struct cairn_mapped {
    uint64_t address, length, offset;
    uint64_t executed; /* an address of code there */
    uint64_t from, to; /* UINT64_MAX: to the end */
    struct cairn_journal_file file;
    char *path;
};

struct cairn_mapped_list {
    struct cairn_mapped *list;
    size_t count, capacity;
};

/* What adding did. */
enum cairn_mapped_news {
    CAIRN_MAPPED_OLD,      /* it is there already */
    CAIRN_MAPPED_ADDED,    /* nothing was there */
    CAIRN_MAPPED_REPLACED, /* others were, which end in front of `from` */
};

/* The newest mapping that has the address; NULL: none. */
const struct cairn_mapped *cairn_mapped_find(const struct cairn_mapped_list *mapped,
                                             uint64_t address);

/* What adding it would do. */
enum cairn_mapped_news cairn_mapped_look(const struct cairn_mapped_list *mapped,
                                         const struct cairn_journal_mapping *file, uint64_t address,
                                         const char *path);

/* Adds one, from epoch `from` on. CAIRN_E_MEMORY; CAIRN_E_LIMIT: there are too many. */
CAIRN_MUST_CHECK cairn_status cairn_mapped_add(struct cairn_mapped_list *mapped,
                                               const struct cairn_journal_mapping *file,
                                               uint64_t address, const char *path,
                                               size_t path_length, uint64_t from);
void cairn_mapped_clear(struct cairn_mapped_list *mapped);

/* Which file the path leads to, as the keeper sees it (or NULL: the caller): all but what `is_elf` is for.
 * Stays as it is where there is none. */
void cairn_mapped_identify(struct cairn_keeper *keeper, const char *path,
                           struct cairn_journal_file *file);
/* The rest of it, of the mapping at `address`. */
void cairn_mapped_read(struct cairn_keeper *keeper, const char *path, uint64_t address,
                       struct cairn_journal_mapping *mapping);
/* All of it, of a file that runs where it says itself (firmware): there is no bias. */
void cairn_mapped_look_at(const char *path, struct cairn_journal_file *file);
/* Whether the path leads to that file still; also where it is not known. */
bool cairn_mapped_is_there(const char *path, const struct cairn_journal_file *file);

/* What the file itself tells of a module: its build-id (to be freed; NULL: it has none), and the
 * bias it was loaded with if what is at `offset` was at `address` (`bias` NULL: it does not matter).
 * False: it is no ELF file, or does not load what is there. */
bool cairn_mapped_inspect(const char *path, uint64_t address, uint64_t offset, uint64_t *bias,
                          char **build_id);

#endif
