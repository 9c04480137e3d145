/* SPDX-License-Identifier: BSD-2-Clause */
/* The source levels of an address of a space, and where an image may have a vector table. */
#ifndef CAIRN_IMAGE_FRAMES_H
#define CAIRN_IMAGE_FRAMES_H

#include <time.h>

#include <cairn/image.h>

#include "image/lines.h"

/* As cairn_file_frames, by the file that has or names the code at the address under the selected
 * place. *changed: when that file was written. */
size_t cairn_space_frames(const struct cairn_space *space, uint64_t address,
                          struct cairn_frame *frames, size_t capacity, struct timespec *changed);

/* Where the function at the address under the selected place is declared; of one of which debug information does not say it,
 * where its code at the address is from. False: neither is known. */
bool cairn_space_declaration(const struct cairn_space *space, uint64_t address, const char **file,
                             uint32_t *line);

/* The ELF file that has or names what is at the address under the selected place; NULL: none. */
const char *cairn_space_object(const struct cairn_space *space, uint64_t address);

/* The ELF file that has or names the code at an address under the selected place. */
struct cairn_code_file {
    const char *path;
    struct cairn_file *file;
    uint64_t bias;        /* address here minus address in the file */
    uint64_t first, last; /* around the address it is the same file with the same bias */
    const char *own;      /* the program's file, where this one was split off from it; or NULL */
};
/* False: none. */
bool cairn_space_code_file(const struct cairn_space *space, uint64_t address,
                           struct cairn_code_file *found);

/* Whether what names the address is a label of assembly and no function. */
bool cairn_space_has_label(const struct cairn_space *space, uint64_t address);

/* Where an exception lands that passes the call at an address under the selected place; *landing is 0
 * where it passes through. False: no table of the file that has or names the code tells. */
bool cairn_space_landing(const struct cairn_space *space, uint64_t site, uint64_t *landing);

/* Addresses at which the image may have an M profile vector table: those of the sections and symbols
 * that compilers and libraries call so, the begin of memory that has no names, and 0. Writes at
 * most `capacity`, and returns how many. */
size_t cairn_image_vectors(struct cairn_image *image, uint64_t *addresses, size_t capacity);

/* A word of data under the selected place: of memory or, where there is none, of the file that names
 * what is there (a recording has code that was executed, and no tables). False: of neither. */
bool cairn_space_word(const struct cairn_space *space, uint64_t address, uint32_t *word);

#endif
