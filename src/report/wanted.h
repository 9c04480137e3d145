/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that a user means by a name: those that the files with names have by it (cairn_image_find). */
#ifndef CAIRN_REPORT_WANTED_H
#define CAIRN_REPORT_WANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/image.h>

struct cairn_wanted_place {
    uint64_t address; /* that the function begins at; of T32 without bit 0 */
    char *object;     /* the file that names it; NULL: any that has code there */
};

/* Zero it first. */
struct cairn_wanted {
    const char *text;
    bool rest;  /* "[FILE]": the code of a file that no symbol names, as it is shown */
    bool parts; /* what the compiler moved out of them as well (.cold); set it before it is read */
    struct cairn_wanted_place *places;
    size_t count;
    struct cairn_error error; /* why it means none */
};

/* What `text` means in an image. *matches: all that was found, to be freed, or NULL. What cairn_image_find returns;
 * CAIRN_E_ARGUMENT also: it is no function. `error` says so. */
CAIRN_MUST_CHECK cairn_status cairn_wanted_read(struct cairn_wanted *wanted,
                                                const struct cairn_image *image, const char *text,
                                                struct cairn_matches **matches);
void cairn_wanted_free(struct cairn_wanted *wanted);

/* Whether a function is meant: its symbol, or NULL, its file, or NULL, and where it begins. */
bool cairn_wanted_is(const struct cairn_wanted *wanted, const char *symbol, const char *object,
                     uint64_t address);

#endif
