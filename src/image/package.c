/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/package.h"

#include "base/bytes.h"
#include "image/compose.h"
#include "image/elf.h"
#include "image/file.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HEAD = 16,         /* of the index: version, kinds of sections, units, slots */
    SLOT = 8 + 4,      /* a unit's number, and its row */
    SECTIONS_MOST = 8, /* kinds that there are */
};

struct cairn_package {
    struct cairn_file *file;
    Elf *elf;
    bool is_big;
    const uint8_t *index;
    uint32_t version, columns, units, slots;
};

/* A part of one of the package's sections. */
struct part {
    const uint8_t *bytes;
    size_t size;
};

static uint32_t number(const struct cairn_package *package, const uint8_t *at)
{
    return package->is_big ? cairn_load_be32(at) : cairn_load_le32(at);
}

static uint64_t wide(const struct cairn_package *package, const uint8_t *at)
{
    return package->is_big ? cairn_load_be64(at) : cairn_load_le64(at);
}

static void store(const struct cairn_package *package, uint8_t *at, uint32_t value)
{
    if (package->is_big)
        cairn_store_be32(at, value);
    else
        cairn_store_le32(at, value);
}

/* --- opening --- */

/* Version 5 has it in two bytes, version 2 (DWARF 4) in four. */
static bool read_index(struct cairn_package *package)
{
    size_t size = 0;
    GElf_Ehdr header;

    package->index = cairn_section_bytes(package->elf, ".debug_cu_index", &size);
    if (!package->index || size < HEAD || !gelf_getehdr(package->elf, &header))
        return false;
    package->is_big = header.e_ident[EI_DATA] == ELFDATA2MSB;
    package->version = number(package, package->index);
    if (package->version != 2)
        package->version = package->is_big ? package->version >> 16 : package->version & 0xffff;
    package->columns = number(package, package->index + 4);
    package->units = number(package, package->index + 8);
    package->slots = number(package, package->index + 12);
    const uint64_t rest = size - HEAD, rows = 1 + 2 * (uint64_t)package->units;
    return (package->version == 2 || package->version == 5) && package->columns &&
           package->columns <= SECTIONS_MOST && package->slots &&
           !(package->slots & (package->slots - 1)) && (uint64_t)package->slots * SLOT <= rest &&
           rows * package->columns * 4 <= rest - (uint64_t)package->slots * SLOT;
}

/* Of one that is compressed the sections are plain in what is composed of it. */
static bool open_elf(struct cairn_package *package)
{
    package->elf = cairn_elf_begin(package->file);
    if (!package->elf || !cairn_is_packed(package->elf))
        return package->elf != NULL;
    const int descriptor = cairn_compose_debug(package->elf, 0);
    elf_end(package->elf);
    package->elf = descriptor < 0 ? NULL : cairn_compose_open(descriptor);
    if (descriptor >= 0)
        close(descriptor);
    return package->elf != NULL;
}

struct cairn_package *cairn_package_open(const char *path)
{
    struct cairn_package *const package = calloc(1, sizeof *package);

    if (!package)
        return NULL;
    if (cairn_file_open(path, &package->file, NULL) == CAIRN_OK && open_elf(package) &&
        read_index(package))
        return package;
    cairn_package_close(package);
    return NULL;
}

void cairn_package_close(struct cairn_package *package)
{
    if (!package)
        return;
    elf_end(package->elf);
    cairn_file_close(package->file);
    free(package);
}

/* --- a unit --- */

/* Its row in the tables of places and of sizes, from 1 on; 0: there is none. */
static uint32_t find_row(const struct cairn_package *package, uint64_t id)
{
    const uint8_t *const ids = package->index + HEAD;
    const uint8_t *const rows = ids + 8 * (size_t)package->slots;
    const uint32_t mask = package->slots - 1, step = ((uint32_t)(id >> 32) & mask) | 1;
    uint32_t slot = (uint32_t)id & mask;

    for (uint32_t tried = 0; tried < package->slots; tried++, slot = (slot + step) & mask) {
        const uint32_t row = number(package, rows + 4 * (size_t)slot);

        if (!row)
            return 0;
        if (wide(package, ids + 8 * (size_t)slot) == id)
            return row <= package->units ? row : 0;
    }
    return 0;
}

static const char *section_name(const struct cairn_package *package, uint32_t kind)
{
    static const char *const five[] = {[1] = ".debug_info.dwo",
                                       [3] = ".debug_abbrev.dwo",
                                       [4] = ".debug_line.dwo",
                                       [6] = ".debug_str_offsets.dwo",
                                       [8] = ".debug_rnglists.dwo"};
    static const char *const two[] = {[1] = ".debug_info.dwo",
                                      [3] = ".debug_abbrev.dwo",
                                      [4] = ".debug_line.dwo",
                                      [6] = ".debug_str_offsets.dwo"};

    if (package->version == 5)
        return kind < sizeof five / sizeof *five ? five[kind] : NULL;
    return kind < sizeof two / sizeof *two ? two[kind] : NULL;
}

/* What the unit has of the section in a column. False: the index or the section is damaged. */
static bool find_part(const struct cairn_package *package, uint32_t row, uint32_t column,
                      const char *name, struct part *part)
{
    const size_t line = 4 * (size_t)package->columns;
    const uint8_t *const places =
        package->index + HEAD + SLOT * (size_t)package->slots + line * row + 4 * column;
    const uint32_t place = number(package, places);
    const uint32_t length = number(package, places + line * package->units);
    size_t size = 0;
    const uint8_t *const bytes = cairn_section_bytes(package->elf, name, &size);

    if (!bytes || place > size || length > size - place)
        return false;
    *part = (struct part){bytes + place, length};
    return true;
}

/* The strings of a unit alone, and where they are in that: the package has those of all units. DWARF 5 has a head in front
 * of the places: length, version, padding. Both to be freed. */
static bool take_strings(const struct cairn_package *package, const struct part *places,
                         struct part *new_places, struct part *strings)
{
    const size_t head = package->version == 5 ? 8 : 0;
    size_t all_size = 0, size = 0;
    const uint8_t *const all = cairn_section_bytes(package->elf, ".debug_str.dwo", &all_size);

    /* of 64-bit DWARF there are no packages: their index has 32 bits */
    if (!all || places->size < head || (head && number(package, places->bytes) == UINT32_MAX))
        return false;
    uint8_t *const copy = malloc(places->size + 1);
    uint8_t *const text = malloc(all_size + 1);
    *new_places = (struct part){copy, places->size};
    *strings = (struct part){text, 0};
    if (!copy || !text)
        return false;
    memcpy(copy, places->bytes, places->size);
    for (size_t at = head; at + 4 <= places->size; at += 4) {
        const uint32_t from = number(package, places->bytes + at);
        const uint8_t *const end = from < all_size ? memchr(all + from, 0, all_size - from) : NULL;
        const size_t length = end ? (size_t)(end - all) - from + 1 : 0;

        if (length > all_size - size) /* a unit has each string once */
            return false;
        if (length)
            memcpy(text + size, all + from, length);
        store(package, copy + at, (uint32_t)size);
        size += length;
    }
    strings->size = size;
    return true;
}

int cairn_package_unit(struct cairn_package *package, uint64_t id)
{
    const uint32_t row = find_row(package, id);
    const uint8_t *const kinds = package->index + HEAD + SLOT * (size_t)package->slots;
    struct cairn_section sections[SECTIONS_MOST + 1];
    struct part places = {0}, strings = {0};
    size_t count = 0;
    bool is_whole = row != 0;

    for (uint32_t column = 0; is_whole && column < package->columns; column++) {
        const char *const name = section_name(package, number(package, kinds + 4 * column));
        struct part part = {0};

        if (!name)
            continue;
        is_whole = find_part(package, row, column, name, &part);
        if (is_whole && !strcmp(name, ".debug_str_offsets.dwo") && !places.bytes) {
            is_whole = take_strings(package, &part, &places, &strings);
            part = places;
        }
        sections[count++] =
            (struct cairn_section){.name = name, .parts[0] = {part.bytes, part.size}};
    }
    if (strings.bytes)
        sections[count++] = (struct cairn_section){.name = ".debug_str.dwo",
                                                   .parts[0] = {strings.bytes, strings.size}};
    const int descriptor = is_whole && count ? cairn_compose(package->elf, sections, count) : -1;
    free((void *)(uintptr_t)places.bytes);
    free((void *)(uintptr_t)strings.bytes);
    return descriptor;
}
