/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/lines.h"

#include <elfutils/libdw.h>
#include <stdlib.h>

/* Of a file whose debug information was looked for. */
struct cairn_lines {
    Elf *elf;
    Dwarf *dwarf; /* NULL: there is none */
};

void cairn_lines_free(struct cairn_lines *lines)
{
    if (!lines)
        return;
    if (lines->dwarf)
        dwarf_end(lines->dwarf);
    if (lines->elf)
        elf_end(lines->elf);
    free(lines);
}

static struct cairn_lines *open_lines(const struct cairn_file *file)
{
    struct cairn_lines *lines = calloc(1, sizeof *lines);

    if (!lines)
        return NULL;
    (void)elf_version(EV_CURRENT);
    /* libelf takes a pointer to char, and only reads. */
    lines->elf = elf_memory((char *)(uintptr_t)file->data, (size_t)file->identity.size);
    if (lines->elf)
        lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
    return lines;
}

/* Not every compiler writes the index of addresses: without it each unit is asked. */
static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit)
{
    Dwarf_Off at = 0, next;
    size_t header;

    if (dwarf_addrdie(dwarf, address, unit))
        return true;
    while (!dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL)) {
        if (dwarf_offdie(dwarf, at + header, unit) && dwarf_haspc(unit, address) == 1)
            return true;
        at = next;
    }
    return false;
}

static cairn_status find_line(Dwarf *dwarf, uint64_t address, const char **name, uint32_t *line)
{
    Dwarf_Die unit;
    int number;

    if (!dwarf || !find_unit(dwarf, address, &unit))
        return CAIRN_E_NOT_FOUND;
    Dwarf_Line *found = dwarf_getsrc_die(&unit, address);
    const char *source = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
    if (!source || dwarf_lineno(found, &number) || number <= 0)
        return CAIRN_E_NOT_FOUND;
    *name = source;
    *line = (uint32_t)number;
    return CAIRN_OK;
}

/* libdw reads as it is asked, so that each question is under the lock. */
cairn_status cairn_file_line(struct cairn_file *file, uint64_t address, const char **name,
                             uint32_t *line)
{
    cairn_status status = CAIRN_E_MEMORY;

    if (pthread_mutex_lock(&file->lock) != 0)
        return status;
    if (!file->lines)
        file->lines = open_lines(file);
    if (file->lines)
        status = find_line(file->lines->dwarf, address, name, line);
    pthread_mutex_unlock(&file->lock);
    return status;
}
