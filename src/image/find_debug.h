/* SPDX-License-Identifier: BSD-2-Clause */
/* The debug information of a file, opened for one search. */
#ifndef CAIRN_IMAGE_FIND_DEBUG_H
#define CAIRN_IMAGE_FIND_DEBUG_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "image/find.h"

struct cairn_debug {
    Elf *elf;
    Dwarf *dwarf; /* NULL: there is none */
};
bool cairn_debug_open(const struct cairn_object *object, struct cairn_debug *debug);
void cairn_debug_close(struct cairn_debug *debug);

/* The unit at *next, which moves on; false behind the last. Begin with 0. */
bool cairn_debug_unit(const struct cairn_debug *debug, Dwarf_Off *next, Dwarf_Die *unit);

/* The function at an address, or the copy of one that is innermost there: where its description is;
 * 0: none. */
Dwarf_Off cairn_debug_function(Dwarf_Die *unit, uint64_t address);

#endif
