/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/dwarf.h"

#include "image/compose.h"
#include "image/elf.h"
#include "image/package.h"
#include "image/split.h"

#include <dwarf.h>
#include <stdlib.h>
#include <unistd.h>

/* In place of *elf, what was composed of it. */
static Dwarf *begin_composed(Elf **elf, int descriptor)
{
    Elf *const composed = descriptor >= 0 ? cairn_compose_open(descriptor) : NULL;

    elf_end(*elf);
    *elf = composed;
    return composed ? dwarf_begin_elf(composed, DWARF_C_READ, NULL) : NULL;
}

Dwarf *cairn_dwarf_begin(const struct cairn_file *file, Elf **elf, int *made)
{
    *made = -1;
    *elf = cairn_elf_begin(file);
    if (!*elf)
        return NULL;
    if (!cairn_is_packed(*elf))
        return dwarf_begin_elf(*elf, DWARF_C_READ, NULL);
    *made = cairn_compose_debug(*elf, 0);
    return begin_composed(elf, *made);
}

/* Not every file with addresses apart from its units is split: clang has them so in DWARF 5. */
static bool has_split_units(Dwarf *dwarf, Elf *elf)
{
    Dwarf_CU *unit = NULL;
    uint8_t type;
    size_t size;

    if (!cairn_section_bytes(elf, ".debug_addr", &size))
        return false;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, NULL, NULL) == 0)
        if (type == DW_UT_skeleton)
            return true;
    return false;
}

bool cairn_dwarf_open(struct cairn_dwarf *dwarf, const struct cairn_file *file)
{
    int made;

    *dwarf = (struct cairn_dwarf){.file = file};
    dwarf->dwarf = cairn_dwarf_begin(file, &dwarf->elf, &made);
    if (made >= 0)
        close(made);
    if (dwarf->dwarf && has_split_units(dwarf->dwarf, dwarf->elf)) {
        const int descriptor = cairn_compose_debug(dwarf->elf, CAIRN_SPLIT_ROOM);

        dwarf_end(dwarf->dwarf);
        dwarf->dwarf = begin_composed(&dwarf->elf, descriptor);
        if (descriptor >= 0)
            close(descriptor);
    }
    if (dwarf->dwarf) {
        cairn_common_open(dwarf);
        Elf *const elf = cairn_elf_begin(file);

        cairn_dropped_find(dwarf, elf, cairn_dwarf_whole);
        elf_end(elf);
        return true;
    }
    cairn_dwarf_close(dwarf);
    return false;
}

void cairn_dwarf_close(struct cairn_dwarf *dwarf)
{
    if (dwarf->dwarf)
        dwarf_end(dwarf->dwarf);
    elf_end(dwarf->elf);
    cairn_common_close(&dwarf->common);
    cairn_package_close(dwarf->package);
    free(dwarf->lines);
    *dwarf = (struct cairn_dwarf){0};
}

const char *cairn_dwarf_folder(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;

    return dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
}
