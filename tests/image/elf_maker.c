/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_maker.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CONTENT_SIZE 0x400
#define SECTIONS 6
#define SECTION_BYTES (MAKER_CONTENT + CONTENT_SIZE) /* what sections hold follows the content */

void maker_begin(struct maker *maker, bool is_64, bool is_big, uint16_t machine, uint64_t vaddr)
{
    memset(maker, 0, sizeof *maker);
    maker->is_64 = is_64;
    maker->is_big = is_big;
    maker->machine = machine;
    maker->segment_count = 1;
    maker->segments[0] = (struct maker_segment){.type = PT_LOAD,
                                                .flags = PF_R | PF_X,
                                                .offset = MAKER_CONTENT,
                                                .vaddr = vaddr,
                                                .filesz = 0x100,
                                                .memsz = 0x100};
    maker->text_address = vaddr;
    maker->text_size = 0x100;
}

void maker_put(struct maker *maker, size_t offset, uint64_t value, unsigned size)
{
    assert_true(offset + size <= MAKER_SIZE);
    for (unsigned i = 0; i < size; i++) {
        const unsigned shift = 8 * (maker->is_big ? size - 1 - i : i);
        maker->bytes[offset + i] = (uint8_t)(value >> shift);
    }
}

uint8_t maker_byte(size_t n)
{
    return (uint8_t)(n * 7 + n / 256 + 1);
}

size_t maker_phdr_offset(const struct maker *maker)
{
    return maker->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

/* A cursor that writes fields one after another. */
struct pen {
    struct maker *maker;
    size_t at;
};

static void half(struct pen *pen, uint64_t value)
{
    maker_put(pen->maker, pen->at, value, 2);
    pen->at += 2;
}

static void word(struct pen *pen, uint64_t value)
{
    maker_put(pen->maker, pen->at, value, 4);
    pen->at += 4;
}

/* An address or offset: 4 or 8 bytes by class. */
static void native(struct pen *pen, uint64_t value)
{
    const unsigned size = pen->maker->is_64 ? 8 : 4;
    maker_put(pen->maker, pen->at, value, size);
    pen->at += size;
}

static bool has_sections(const struct maker *maker)
{
    return maker->symbol_count > 0 || maker->build_id;
}

static void write_header(struct maker *maker, size_t section_table)
{
    const uint8_t ident[EI_NIDENT] = {0x7f,
                                      'E',
                                      'L',
                                      'F',
                                      maker->is_64 ? ELFCLASS64 : ELFCLASS32,
                                      maker->is_big ? ELFDATA2MSB : ELFDATA2LSB,
                                      EV_CURRENT};
    memcpy(maker->bytes, ident, sizeof ident);
    struct pen pen = {maker, EI_NIDENT};
    half(&pen, ET_EXEC);
    half(&pen, maker->machine);
    word(&pen, EV_CURRENT);
    native(&pen, maker->text_address); /* e_entry */
    native(&pen, maker_phdr_offset(maker));
    native(&pen, section_table);
    word(&pen, maker->flags);
    half(&pen, maker_phdr_offset(maker)); /* e_ehsize */
    half(&pen, maker->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
    half(&pen, maker->segment_count);
    half(&pen, maker->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
    half(&pen, section_table ? SECTIONS : 0);
    half(&pen, section_table ? SECTIONS - 1 : 0);
}

static void write_segments(struct maker *maker)
{
    struct pen pen = {maker, maker_phdr_offset(maker)};
    for (size_t i = 0; i < maker->segment_count; i++) {
        const struct maker_segment *const s = &maker->segments[i];
        word(&pen, s->type);
        if (maker->is_64)
            word(&pen, s->flags);
        native(&pen, s->offset);
        native(&pen, s->vaddr);
        native(&pen, s->vaddr); /* p_paddr */
        native(&pen, s->filesz);
        native(&pen, s->memsz);
        if (!maker->is_64)
            word(&pen, s->flags);
        native(&pen, 1); /* p_align */
    }
}

struct section {
    uint32_t type;
    uint64_t address;
    uint64_t offset;
    uint64_t size;
    uint32_t link;
    uint64_t entry;
};

static void write_section(struct pen *pen, const struct section *section)
{
    word(pen, 0); /* sh_name */
    word(pen, section->type);
    native(pen, 0); /* sh_flags */
    native(pen, section->address);
    native(pen, section->offset);
    native(pen, section->size);
    word(pen, section->link);
    word(pen, 0);   /* sh_info */
    native(pen, 1); /* sh_addralign */
    native(pen, section->entry);
}

static void write_symbol(struct pen *pen, const struct maker_symbol *symbol, uint64_t name)
{
    word(pen, name);
    if (pen->maker->is_64) {
        maker_put(pen->maker, pen->at++, symbol->info, 1);
        maker_put(pen->maker, pen->at++, 0, 1);
        half(pen, symbol->section);
        native(pen, symbol->value);
        native(pen, symbol->size);
    } else {
        native(pen, symbol->value);
        native(pen, symbol->size);
        maker_put(pen->maker, pen->at++, symbol->info, 1);
        maker_put(pen->maker, pen->at++, 0, 1);
        half(pen, symbol->section);
    }
}

/* Strings first, since a symbol needs the place of its name; returns the section table's offset. */
static size_t write_sections(struct maker *maker)
{
    struct section list[SECTIONS] = {
        [1] = {SHT_PROGBITS, maker->text_address, MAKER_CONTENT, maker->text_size, 0, 0},
        [2] = {.type = maker->symbols_are_dynamic ? SHT_DYNSYM : SHT_SYMTAB, .link = 3},
        [3] = {.type = SHT_STRTAB},
        [4] = {.type = maker->build_id ? SHT_NOTE : SHT_NULL},
        [5] = {.type = SHT_STRTAB},
    };
    uint64_t names[MAKER_SYMBOLS] = {0};
    struct pen pen = {maker, SECTION_BYTES};
    list[3].offset = pen.at++;
    for (size_t i = 0; i < maker->symbol_count; i++) {
        const size_t length = strlen(maker->symbols[i].name) + 1;
        assert_true(pen.at + length <= MAKER_SIZE);
        memcpy(maker->bytes + pen.at, maker->symbols[i].name, length);
        names[i] = pen.at - list[3].offset;
        pen.at += length;
    }
    list[3].size = pen.at - list[3].offset;
    list[5].offset = pen.at++;
    list[5].size = 1;
    pen.at = (pen.at + 7) & ~(size_t)7;
    list[2].offset = pen.at;
    list[2].entry = maker->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    write_symbol(&pen, &(struct maker_symbol){0}, 0);
    for (size_t i = 0; i < maker->symbol_count; i++)
        write_symbol(&pen, &maker->symbols[i], names[i]);
    list[2].size = pen.at - list[2].offset;
    list[4].offset = pen.at;
    if (maker->build_id) {
        word(&pen, 4);
        word(&pen, maker->build_id_size);
        word(&pen, NT_GNU_BUILD_ID);
        memcpy(maker->bytes + pen.at, "GNU", 4);
        memcpy(maker->bytes + pen.at + 4, maker->build_id, maker->build_id_size);
        pen.at += 4 + ((maker->build_id_size + 3) & ~(size_t)3);
        list[4].size = pen.at - list[4].offset;
    }
    pen.at = (pen.at + 7) & ~(size_t)7;
    const size_t table = pen.at;
    for (size_t i = 0; i < SECTIONS; i++)
        write_section(&pen, &list[i]);
    maker->size = pen.at;
    return table;
}

void maker_write(struct maker *maker)
{
    memset(maker->bytes, 0, sizeof maker->bytes);
    for (size_t n = 0; n < CONTENT_SIZE; n++)
        maker->bytes[MAKER_CONTENT + n] = maker_byte(n);
    maker->size = SECTION_BYTES;
    write_header(maker, has_sections(maker) ? write_sections(maker) : 0);
    write_segments(maker);
}
