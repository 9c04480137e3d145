/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes small ELF files byte by byte, in both classes and byte orders, right or wrong. */
#ifndef CAIRN_TEST_ELF_MAKER_H
#define CAIRN_TEST_ELF_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAKER_SEGMENTS 4
#define MAKER_SYMBOLS 24
#define MAKER_SIZE 8192

struct maker_segment {
    uint32_t type;  /* PT_LOAD */
    uint32_t flags; /* PF_X | PF_W | PF_R */
    uint64_t offset;
    uint64_t vaddr;
    uint64_t filesz;
    uint64_t memsz;
};

struct maker_symbol {
    const char *name;
    uint64_t value;
    uint64_t size;
    uint8_t info; /* binding << 4 | type */
    uint16_t section;
};

/* What is to be written. Sections, when there are symbols or a build-id: 0 null, 1 .text
 * (text_address, text_size), 2 .symtab or .dynsym, 3 .strtab, 4 .note.gnu.build-id,
 * 5 .shstrtab. */
struct maker {
    bool is_64;
    bool is_big;
    bool symbols_are_dynamic;
    uint16_t machine;
    uint32_t flags;
    size_t segment_count;
    struct maker_segment segments[MAKER_SEGMENTS];
    uint64_t text_address;
    uint64_t text_size;
    size_t symbol_count;
    struct maker_symbol symbols[MAKER_SYMBOLS];
    const uint8_t *build_id;
    size_t build_id_size;
    /* the result */
    uint8_t bytes[MAKER_SIZE];
    size_t size;
};

#define MAKER_CONTENT 0x400 /* from here the file is what maker_fill put there */

/* A maker with one executable segment of 0x100 content bytes at `vaddr`. */
void maker_begin(struct maker *maker, bool is_64, bool is_big, uint16_t machine, uint64_t vaddr);
/* Writes the file into bytes[0 .. size). Content byte n at MAKER_CONTENT + n is maker_byte(n). */
void maker_write(struct maker *maker);
uint8_t maker_byte(size_t n);

/* Where e_phoff and the first program header's fields are, for tests that break them. */
size_t maker_phdr_offset(const struct maker *maker);
void maker_put(struct maker *maker, size_t offset, uint64_t value, unsigned size);

#endif
