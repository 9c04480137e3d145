/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols as Linux lists those of its kernel and modules (/proc/kallsyms): a line each, address, type, name and, in
 * brackets, the module that it is of. */
#ifndef CAIRN_IMAGE_KALLSYMS_H
#define CAIRN_IMAGE_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_kallsym {
    uint64_t address;
    char type;        /* as nm has it: T, t, W, w are code */
    const char *name; /* not ended by a 0 */
    size_t length;
};

/* The next symbol of the text at *at, which goes behind its line; lines that are none are passed over. False at the
 * end. */
bool cairn_kallsyms_next(const char *text, size_t size, size_t *at, struct cairn_kallsym *symbol);

/* Whether it names code, at an address that was not hidden from who listed it (0). */
bool cairn_kallsym_is_code(const struct cairn_kallsym *symbol);

/* Whether the text has such a symbol. */
bool cairn_kallsyms_name_code(const char *text, size_t size);

/* The address of a name; false: it is not in the text, or hidden. */
bool cairn_kallsyms_find(const char *text, size_t size, const char *name, uint64_t *address);

#endif
