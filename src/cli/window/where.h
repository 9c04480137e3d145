/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses as a user gives them: 0x400600, main, main+0x40, file.c:120, libc.so.6:memcpy, or from
 * one to another, main..main+0x40 (cairn_image_find). */
#ifndef CAIRN_CLI_WINDOW_WHERE_H
#define CAIRN_CLI_WINDOW_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/image.h>

#include "cli/session/session.h"
#include "report/wanted.h"

/* Addresses that a text means. A single address (0x400600, main+0x40) is one of 1 byte. */
struct cli_place {
    uint64_t first;
    uint64_t end; /* first address behind it; UINT64_MAX at the end of memory */
    bool
        is_entry; /* execution of what was named begins at `first`: of a function not its .cold part,
                      of a line the lowest of its addresses in each function */
    uint32_t kind; /* enum cairn_match_kind */
};

/* The places that `text`, given with --OPTION, means: ascending, no two the same, at least one. Free
 * them with free(). False after a message, which has the nearest names where there are none, and the
 * whole choice where one place is needed and there are several ("a..b" with two functions a). Where a
 * name is of several functions all of them are meant, and a note says so with how to mean one. */
bool cli_where(struct cli_session *session, const char *option, const char *text,
               struct cli_place **places, size_t *count);

/* The same of any image, said as `cairn COMMAND: --OPTION TEXT: ...`. */
bool cli_where_in(struct cairn_image *image, const char *command, const char *option,
                  const char *text, struct cli_place **places, size_t *count);

/* The functions that `text`, given with --OPTION, means in an image. False after a message: it is none. */
bool cli_where_functions(struct cli_session *session, const struct cairn_image *image,
                         const char *option, const char *text, struct cairn_wanted *wanted);
/* What is said of a text whose places were not met. */
void cli_where_none(struct cli_session *session, const char *option, const char *text,
                    const char *what);

/* The notes that cli_where prints of what was found. */
void cli_where_tell(const char *command, const char *option, const char *text,
                    const struct cairn_matches *matches);

#endif
