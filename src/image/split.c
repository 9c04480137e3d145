/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/split.h"

#include "base/bytes.h"
#include "image/compose.h"
#include "image/dwarf.h"
#include "image/package.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE CAIRN_SPLIT_ROOM

/* What libdw 0.188 has no names for: strings by number, as GCC had them before DWARF 5. */
#define FORM_GNU_STR_INDEX 0x1f02u

/* A unit of which the other part is looked for. */
struct search {
    struct cairn_dwarf *dwarf;
    struct cairn_split split;
    uint64_t id;
    uint8_t offset_size;
    char path[PATH_SIZE]; /* of a file that libdw can read; empty: none yet */
    int made;             /* the file that is at that path, if it is in memory; or -1 */
};

/* --- candidates --- */

static bool has_unit(Dwarf *dwarf, uint64_t id)
{
    Dwarf_CU *unit = NULL;
    uint8_t type;
    uint64_t found;

    while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, &type, NULL, NULL) == 0)
        if (type == DW_UT_split_compile &&
            dwarf_cu_info(unit, NULL, NULL, NULL, NULL, &found, NULL, NULL) == 0 && found == id)
            return true;
    return false;
}

static void name_made(struct search *search, int made)
{
    search->made = made;
    snprintf(search->path, PATH_SIZE, "/proc/self/fd/%d", made);
}

/* libdw takes whole paths only. */
static void name_file(struct search *search, const char *path)
{
    char *const whole = path[0] == '/' ? NULL : realpath(path, NULL);

    if (whole || path[0] == '/')
        snprintf(search->path, PATH_SIZE, "%s", whole ? whole : path);
    free(whole);
}

/* Takes the file at the path if it has the unit. */
static void consider(struct search *search, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void consider(struct search *search, const char *format, ...)
{
    struct cairn_file *file;
    char path[PATH_SIZE];
    va_list arguments;
    Elf *elf;
    int made;

    if (search->path[0])
        return;
    va_start(arguments, format);
    const int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= PATH_SIZE || cairn_file_open(path, &file, NULL) != CAIRN_OK)
        return;
    Dwarf *const dwarf = cairn_dwarf_begin(file, &elf, &made);
    if (has_unit(dwarf, search->id)) {
        if (made >= 0)
            name_made(search, made);
        else
            name_file(search, path);
    } else if (made >= 0) {
        close(made);
    }
    if (dwarf)
        dwarf_end(dwarf);
    elf_end(elf);
    cairn_file_close(file);
}

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Where the compiler put it, beside the program, and in folders of debug files: there as it lay on the machine that it was
 * compiled on, or by its name. */
static void look_for_file(struct search *search)
{
    const struct cairn_file *const file = search->dwarf->file;
    const char *const name = search->split.name, *const folder = search->split.folder;
    const bool is_whole = name[0] == '/';

    if (is_whole)
        consider(search, "%s", name);
    else if (folder)
        consider(search, "%s/%s", folder, name);
    const int length = (int)(last_part(file->path) - file->path);
    if (!is_whole)
        consider(search, "%.*s%s", length, file->path, name);
    consider(search, "%.*s%s", length, file->path, last_part(name));
    for (size_t i = 0; file->folders && i < file->folders->count; i++) {
        const char *const other = file->folders->list[i];

        if (!is_whole && folder)
            consider(search, "%s/%s/%s", other, folder, name);
        consider(search, "%s/%s", other, name);
        consider(search, "%s/%s", other, last_part(name));
    }
}

/* --- packages --- */

static struct cairn_package *try_package(struct cairn_package *found, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static struct cairn_package *try_package(struct cairn_package *found, const char *format, ...)
{
    char path[PATH_SIZE];
    va_list arguments;

    if (found)
        return found;
    va_start(arguments, format);
    const int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return length < 0 || length >= PATH_SIZE ? NULL : cairn_package_open(path);
}

/* PROGRAM.dwp, beside it or in a folder of debug files; also of PROGRAM.debug, which was split off. */
static struct cairn_package *find_package(const struct cairn_file *file)
{
    static const char suffix[] = ".debug";
    const char *const paths[] = {file->path, file->origin};
    struct cairn_package *found = NULL;

    for (size_t i = 0; i < sizeof paths / sizeof *paths && paths[i]; i++) {
        const char *const path = paths[i], *const name = last_part(path);
        const int length = (int)strlen(path), own = (int)sizeof suffix - 1;
        const int bare =
            length > own && !strcmp(path + length - own, suffix) ? length - own : length;

        found = try_package(found, "%s.dwp", path);
        found = try_package(found, "%.*s.dwp", bare, path);
        for (size_t j = 0; file->folders && j < file->folders->count; j++) {
            const char *const folder = file->folders->list[j];

            found = try_package(found, "%s/%.*s.dwp", folder, bare, path);
            found = try_package(found, "%s/%s.dwp", folder, name);
            found = try_package(found, "%s/%.*s.dwp", folder, bare - (int)(name - path), name);
        }
    }
    return found;
}

static void look_in_package(struct search *search)
{
    struct cairn_dwarf *const dwarf = search->dwarf;

    if (search->path[0])
        return;
    if (!dwarf->looked_for_package)
        dwarf->package = find_package(dwarf->file);
    dwarf->looked_for_package = true;
    const int made = dwarf->package ? cairn_package_unit(dwarf->package, search->id) : -1;
    if (made >= 0)
        name_made(search, made);
}

/* --- telling libdw --- */

/* A number in the file's bytes that stands for another while libdw reads it. */
struct patch {
    uint8_t *at;
    uint8_t was[8];
    uint8_t size;
};

static void store(uint8_t *at, uint64_t value, uint8_t size, bool is_big)
{
    for (uint8_t i = 0; i < size; i++)
        at[is_big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* The number of a string in the section that tells where strings are. */
static bool string_number(const Dwarf_Attribute *name, bool is_big, uint64_t *found)
{
    const uint8_t *at = name->valp;
    unsigned size = 0, shift = 0;

    switch (name->form) {
    case DW_FORM_strx1: size = 1; break;
    case DW_FORM_strx2: size = 2; break;
    case DW_FORM_strx3: size = 3; break;
    case DW_FORM_strx4: size = 4; break;
    case DW_FORM_strx:
    case FORM_GNU_STR_INDEX: break;
    default: return false;
    }
    *found = 0;
    for (unsigned i = 0; i < size; i++)
        *found |= (uint64_t)at[is_big ? size - 1 - i : i] << 8 * i;
    for (bool goes_on = !size; goes_on && shift < 64; shift += 7) { /* LEB128; libdw has read it */
        *found |= (uint64_t)(*at & 0x7f) << shift;
        goes_on = *at++ & 0x80;
    }
    return true;
}

/* Where the unit's strings are told begins at DW_AT_str_offsets_base. */
static uint8_t *place_of_string(const struct search *search, Dwarf_Die *unit, uint64_t index)
{
    Dwarf_Attribute attribute;
    Dwarf_Word base = 0;
    size_t size = 0;
    const uint8_t *const places =
        cairn_section_bytes(search->dwarf->elf, ".debug_str_offsets", &size);

    if (!places || (dwarf_attr(unit, DW_AT_str_offsets_base, &attribute) &&
                    dwarf_formudata(&attribute, &base) != 0))
        return NULL;
    return base <= size && index < (size - base) / search->offset_size
               ? (uint8_t *)(uintptr_t)places + base + index * search->offset_size
               : NULL;
}

/* Has the name of the other file be the path that was found, in the room behind the strings: libdw looks only where the
 * compiler put it, and knows by that name which units belong together. False: the name is told in another way. */
static bool put_path(const struct search *search, Dwarf_Die *unit, Dwarf_Attribute *name,
                     struct patch *patch)
{
    GElf_Ehdr header;
    size_t size = 0;
    uint64_t index;
    const uint8_t *const strings = cairn_section_bytes(
        search->dwarf->elf, name->form == DW_FORM_line_strp ? ".debug_line_str" : ".debug_str",
        &size);

    if (!strings || size < CAIRN_SPLIT_ROOM || !gelf_getehdr(search->dwarf->elf, &header))
        return false;
    const bool is_big = header.e_ident[EI_DATA] == ELFDATA2MSB;
    if (name->form == DW_FORM_strp || name->form == DW_FORM_line_strp)
        patch->at = name->valp;
    else if (string_number(name, is_big, &index))
        patch->at = place_of_string(search, unit, index);
    if (!patch->at)
        return false;
    patch->size = search->offset_size;
    memcpy(patch->was, patch->at, patch->size);
    store(patch->at, size - CAIRN_SPLIT_ROOM, patch->size, is_big);
    strcpy((char *)(uintptr_t)strings + (size - CAIRN_SPLIT_ROOM), search->path);
    return true;
}

static bool take(struct search *search, Dwarf_Die *unit, Dwarf_Attribute *name, Dwarf_Die *whole)
{
    struct patch patch = {0};
    Dwarf_Die found = {0};

    if (!put_path(search, unit, name, &patch))
        return false;
    const bool is_told =
        dwarf_cu_info(unit->cu, NULL, NULL, NULL, &found, NULL, NULL, NULL) == 0 && found.addr;
    memcpy(patch.at, patch.was, patch.size);
    if (is_told)
        *whole = found;
    return is_told;
}

static const char *text_of(Dwarf_Die *unit, unsigned name, Dwarf_Attribute *attribute)
{
    return dwarf_attr(unit, name, attribute) ? dwarf_formstring(attribute) : NULL;
}

bool cairn_dwarf_whole(struct cairn_dwarf *dwarf, Dwarf_Die *unit, Dwarf_Die *whole,
                       struct cairn_split *split)
{
    struct search search = {.dwarf = dwarf, .made = -1};
    Dwarf_Attribute name;
    uint8_t type;

    *whole = *unit;
    *split = (struct cairn_split){0};
    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, &search.id, NULL, &search.offset_size) ||
        type != DW_UT_skeleton)
        return true;
    search.split.name = text_of(unit, DW_AT_dwo_name, &name);
    if (!search.split.name)
        search.split.name = text_of(unit, DW_AT_GNU_dwo_name, &name);
    search.split.folder = cairn_dwarf_folder(unit);
    if (!search.split.name)
        return true;
    *split = search.split;
    look_for_file(&search);
    look_in_package(&search);
    const bool is_found = search.path[0] && take(&search, unit, &name, whole);
    if (search.made >= 0)
        close(search.made);
    return is_found;
}
