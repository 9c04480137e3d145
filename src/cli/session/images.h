/* SPDX-License-Identifier: BSD-2-Clause */
/* The files given with --image, and how they stand to the capture's own memory. */
#ifndef CAIRN_CLI_SESSION_IMAGES_H
#define CAIRN_CLI_SESSION_IMAGES_H

#include "cli/session/session.h"

/* A file given with --image. */
struct cli_image {
    const char *argument; /* as it was given */
    char *path;           /* owned */
    uint64_t address;     /* of a raw file; what is added to those of an ELF file */
    bool is_elf;
    bool automatic; /* FILE@auto: the address was found */
    size_t first;   /* its layers in the capture's image */
    size_t count;
};

/* Adds what --image gives to the capture's image; FILE@auto waits for cli_images_find. Prints what went
 * wrong; CLI_CLEAN or CLI_UNUSABLE. */
enum cli_exit cli_images_add(struct cli_session *session);

/* Finds the addresses of FILE@auto and adds these, when the sources are chosen. Says on standard error
 * which it took and why; CLI_UNUSABLE where none fits, or several do. */
enum cli_exit cli_images_find(struct cli_session *session);

void cli_images_free(struct cli_session *session);

/* Adds the file at `image->address`, and fills in the rest. */
CAIRN_MUST_CHECK cairn_status cli_image_put(struct cli_session *session, struct cli_image *image,
                                            struct cairn_error *error);

/* Says on standard error, a line a file, which of the files that the flow or its names come from
 * differ from what the capture recorded or dumped. */
void cli_images_tell(struct cli_session *session);

/* Says the same of files given in which nothing was executed, of what `session->ran` was told since. */
void cli_images_tell_unused(struct cli_session *session);

/* "prog@0x5500000000": the option's value that gives the file there. */
#define CLI_IMAGE_OPTION_MAX 512
void cli_image_option(const char *path, uint64_t address, bool is_elf,
                      char text[CLI_IMAGE_OPTION_MAX]);

#endif
