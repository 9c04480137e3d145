/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of an ELF file, as far as they are names of code. */
#ifndef CAIRN_IMAGE_ELF_SYMBOLS_H
#define CAIRN_IMAGE_ELF_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A string table whose end is known to be a NUL, so that each string is checked in no time. */
struct cairn_strings {
    const char *data;
    size_t size; /* through the last NUL */
};
bool cairn_strings_read(Elf *elf, size_t section, struct cairn_strings *strings);

/* A function or label that the file defines: no data, no mapping symbol ($a, $t, $d, $x). */
bool cairn_symbol_names_code(const GElf_Sym *symbol, const char *text);

/* The value of a symbol that the file defines; false: it has none of that name. */
bool cairn_symbol_value(Elf *elf, const char *name, uint64_t *value);

/* The address of a section; false: the file has none of that name. */
bool cairn_elf_section_address(Elf *elf, const char *name, uint64_t *address);

/* Bit 0 of an AArch32 function says T32 and is no part of the address. */
uint64_t cairn_symbol_address(const GElf_Sym *symbol, unsigned machine);

/* The last address of the symbol's section; UINT64_MAX: not known. */
uint64_t cairn_symbol_section_last(Elf *elf, const GElf_Sym *symbol);

#endif
