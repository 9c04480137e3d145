/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug information of code that is not in the program: of functions that the linker dropped, since nothing refers to them
 * (--gc-sections) or since another file has the same (templates, inline functions). Linkers leave what describes it, with a
 * beginning that is no address: 0 (GNU ld, gold), or the last ones there are (lld);
 * in lists of ranges also 1. Where code of the program is at low
 * addresses, it would be taken for that. */
#ifndef CAIRN_IMAGE_DROPPED_H
#define CAIRN_IMAGE_DROPPED_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct cairn_dwarf;
struct cairn_split;

/* What begins at address 0 and is in the program: at most one thing. All zero: nothing. */
struct cairn_lowest {
    bool is_unknown;    /* there is code, and no symbol says of what */
    Dwarf_Off unit;     /* that has it; 0: none */
    Dwarf_Off function; /* that it is, in the whole unit; 0: code of assembly, without one */
    uint64_t end;       /* of the function */
    uint64_t line;      /* of its declaration, or 0 */
};

/* Finds that, and takes the lines of what was dropped out of what libdw reads. To be called before any of them is read.
 * `elf` is the whole file (libdw may have been given debug information alone), `whole_unit` is cairn_dwarf_whole. */
typedef bool cairn_whole_unit(struct cairn_dwarf *dwarf, Dwarf_Die *unit, Dwarf_Die *whole,
                              struct cairn_split *split);
void cairn_dropped_find(struct cairn_dwarf *dwarf, Elf *elf, cairn_whole_unit *whole_unit);

/* As dwarf_ranges, of a unit, a function or an inlined call, without what was dropped and what is empty. *base is to
 * stay as it is from one call to the next. */
ptrdiff_t cairn_dropped_ranges(const struct cairn_dwarf *dwarf, Dwarf_Die *die, ptrdiff_t at,
                               Dwarf_Addr *base, Dwarf_Addr *first, Dwarf_Addr *end);

/* Whether the address is in one of these. */
bool cairn_dropped_has(const struct cairn_dwarf *dwarf, Dwarf_Die *die, uint64_t address);

/* Whether all that it has was dropped: what is inlined in it as well. */
bool cairn_dropped_is(const struct cairn_dwarf *dwarf, Dwarf_Die *die);

#endif
