/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that name code which others have the bytes of (cairn_image_add_names). */
#ifndef CAIRN_IMAGE_NAMES_H
#define CAIRN_IMAGE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/image.h>

#include "image/file.h"

struct cairn_names {
    char *path; /* owned */
    char *own;  /* owned: the program's file, where `path` was split off from it; or NULL */
    struct cairn_file *file; /* the image's */
    uint64_t bias;
    uint64_t first, last; /* addresses, included */
    struct cairn_scope scope;
};

struct cairn_names_list {
    struct cairn_names *list;
    size_t count, capacity;
};

/* As cairn_image_add_names, of a file that is a kernel's list of symbols (kallsyms). `first`..`last`: addresses, included. */
CAIRN_MUST_CHECK cairn_status cairn_image_add_listed(struct cairn_image *image, const char *path,
                                                     uint64_t first, uint64_t last,
                                                     struct cairn_error *error);

/* The names that were added last are of the program at `own`: their file has its debug information alone. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_image_name_program(struct cairn_image *image, const char *own,
                                                       struct cairn_error *error);

/* Where debug information that is apart from its program is looked for, of files that are added from here on. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_image_set_folders(struct cairn_image *image,
                                                      const char *const *folders, size_t count);
/* The file of the image at a path is a copy of the one at `origin`, of which other files have their names. */
CAIRN_MUST_CHECK cairn_status cairn_image_is_copy(struct cairn_image *image, const char *path,
                                                  const char *origin);

/* Every file that the image uses, by number; NULL behind the last. */
struct cairn_file *cairn_image_file(const struct cairn_image *image, size_t number);

const struct cairn_names_list *cairn_image_names(const struct cairn_image *image);
/* Takes back what was said of the file with that bias. No space of the image may be in use. */
void cairn_image_drop_names(struct cairn_image *image, const char *path, uint64_t bias);
void cairn_names_clear(struct cairn_names_list *names);

/* Whose code is at the address for the place; NULL: nobody said. */
const struct cairn_names *cairn_names_find(const struct cairn_names_list *names,
                                           const struct cairn_place *place, uint64_t address);

/* Narrows *first..*last, addresses around `address`, to those that the same names are found for. */
void cairn_names_narrow(const struct cairn_names_list *names, const struct cairn_place *place,
                        uint64_t address, uint64_t *first, uint64_t *last);

/* Narrows *from..*until, source offsets of the place, to those at which the same files name code. */
void cairn_names_hold(const struct cairn_names_list *names, const struct cairn_place *place,
                      uint64_t *from, uint64_t *until);

/* The symbol there. CAIRN_E_NOT_FOUND. */
cairn_status cairn_names_symbol(const struct cairn_names *names, uint64_t address,
                                const char **name, uint64_t *offset);

#endif
