/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of an ELF file's code, found by address. */
#ifndef CAIRN_IMAGE_SYMBOL_H
#define CAIRN_IMAGE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#include "image/file.h"

struct cairn_symbols;

/* Reads .symtab, or .dynsym when that names no code: functions and labels, no data, no mapping
 * symbols ($a, $t, $d, $x). A file without symbols gives an empty table. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_symbols_read(const struct cairn_file *file,
                                                 struct cairn_symbols **symbols);
void cairn_symbols_free(struct cairn_symbols *symbols); /* NULL is fine */

/* The symbol that covers an address of the file (no bias). A symbol with a size covers that; inside
 * another one the inner wins. One without a size covers the addresses up to the next symbol or the
 * end of its section. *name lives as long as the table. CAIRN_E_NOT_FOUND. */
cairn_status cairn_symbols_find(const struct cairn_symbols *symbols, uint64_t address,
                                const char **name, uint64_t *offset);

/* The addresses in a row around one that the same symbol covers, both included. CAIRN_E_NOT_FOUND. */
cairn_status cairn_symbols_extent(const struct cairn_symbols *symbols, uint64_t address,
                                  uint64_t *first, uint64_t *last);

/* The addresses in a row around one that no symbol covers, both included. False: one does. */
bool cairn_symbols_gap(const struct cairn_symbols *symbols, uint64_t address, uint64_t *first,
                       uint64_t *last);

/* Whether that symbol is a label (STT_NOTYPE): a place in assembly, be it a function or inside of one. */
bool cairn_symbols_has_label(const struct cairn_symbols *symbols, uint64_t address);

/* How many there are. */
size_t cairn_symbols_count(const struct cairn_symbols *symbols);

/* The file's table, read at the first call; safe in any thread. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_file_symbols(struct cairn_file *file,
                                                 const struct cairn_symbols **symbols);

#endif
