/* SPDX-License-Identifier: BSD-2-Clause */
/* INI text as snapshots and raw configurations have it, in the order of its lines.
 *
 * Read here rather than by libinih, as systems ship it, for four reasons. It ends a key at ':' as
 * well as at '=', so that "TRCCONFIGR(id:0x4)=1" is cut inside the name. It takes an indented line
 * for the rest of the value before it. It does not tell where a section begins (one may come
 * twice: [dump] and [dump]) nor a line's number. And a line has 200 characters (paths are longer).
 *
 * Rules: `[section]`; `key=value`; spaces around all three are dropped, and quotes around a whole
 * value; a line that begins with ; or # is a comment, and so is the rest of a value from " ;" or
 * " #" on; a byte order mark is skipped; CR LF and LF both end a line. */
#ifndef CAIRN_CAPTURE_INI_H
#define CAIRN_CAPTURE_INI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cairn_ini_kind {
    CAIRN_INI_SECTION = 0, /* a section begins; key and value are "" */
    CAIRN_INI_PAIR = 1,
    CAIRN_INI_MALFORMED = 2, /* `value` is the line */
};

struct cairn_ini_line {
    enum cairn_ini_kind kind;
    const char *section; /* "" before the first */
    const char *key;
    const char *value;
    unsigned number; /* of the line, from 1 */
};

/* Non-zero stops. */
typedef int cairn_ini_handler(void *context, const struct cairn_ini_line *line);

/* Reads `text`, which is cut up in place and must have text[size] == 0; the strings handed over
 * stay valid as long as it. Returns what stopped it, or 0. */
int cairn_ini_read(char *text, size_t size, cairn_ini_handler *handler, void *context);

/* The next item of a list such as "buffer1, buffer2,": cuts up *list, skips empty items; NULL at
 * the end. */
char *cairn_ini_item(char **list);

/* A value of up to 64 bits: 0x... or decimal, with nothing behind it but a comment. */
bool cairn_ini_number(const char *text, uint64_t *value);

#endif
