/* SPDX-License-Identifier: BSD-2-Clause */
/* The debug information of a file, opened for one search. */
#ifndef CAIRN_IMAGE_FIND_DEBUG_H
#define CAIRN_IMAGE_FIND_DEBUG_H

#include <stdbool.h>

#include "image/dwarf.h"
#include "image/find.h"

struct cairn_debug {
    struct cairn_dwarf dwarf;
    struct Dwarf_CU *unit; /* of which `whole` is the whole unit, or NULL */
    Dwarf_Die whole;
    uint64_t
        left; /* descriptions that may be looked at: no file has more of them than bytes, but one
                      that is broken may lead back and forth */
    uint64_t asked; /* the same for all questions which function is at an address */
};
bool cairn_debug_open(const struct cairn_object *object, struct cairn_debug *debug);
void cairn_debug_close(struct cairn_debug *debug);

/* The unit at *next, which moves on; false behind the last. Begin with 0. */
bool cairn_debug_unit(struct cairn_debug *debug, Dwarf_Off *next, Dwarf_Die *unit);

/* The first description in `die`, and the one behind *die, which becomes that; false: there is none. */
bool cairn_debug_child(struct cairn_debug *debug, Dwarf_Die *die, Dwarf_Die *child);
bool cairn_debug_next(struct cairn_debug *debug, Dwarf_Die *die);

/* The function at an address, or the copy of one that is innermost there: where its description is;
 * 0: none. */
Dwarf_Off cairn_debug_function(struct cairn_debug *debug, Dwarf_Die *unit, uint64_t address);

#endif
