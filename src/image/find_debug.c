/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in the debug information: copies that the compiler made inside others, and which source
 * file code is of. */
#include "image/find_debug.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "image/symbol.h"

#define DEPTH_MAX 256 /* of blocks in blocks: what is deeper is not looked at */
#define QUESTIONS 64u /* that may look at all of a file */

bool cairn_debug_open(const struct cairn_object *object, struct cairn_debug *debug)
{
    debug->left = object->file->identity.size;
    debug->asked = QUESTIONS * object->file->identity.size;
    return cairn_dwarf_open(&debug->dwarf, object->file);
}

void cairn_debug_close(struct cairn_debug *debug)
{
    cairn_dwarf_close(&debug->dwarf);
    *debug = (struct cairn_debug){0};
}

/* With what is in another file, if that is here. */
static Dwarf_Die whole_of(struct cairn_debug *debug, Dwarf_Die *unit)
{
    struct cairn_split split;

    if (debug->unit != unit->cu)
        (void)cairn_dwarf_whole(&debug->dwarf, unit, &debug->whole, &split);
    debug->unit = unit->cu;
    return debug->whole;
}

static bool may_look(struct cairn_debug *debug)
{
    if (debug->left == 0)
        return false;
    debug->left--;
    return true;
}

bool cairn_debug_unit(struct cairn_debug *debug, Dwarf_Off *next, Dwarf_Die *unit)
{
    Dwarf_Off at = *next;
    size_t header;

    while (may_look(debug) &&
           dwarf_nextcu(debug->dwarf.dwarf, at, next, &header, NULL, NULL, NULL) == 0 &&
           *next > at) {
        if (dwarf_offdie(debug->dwarf.dwarf, at + header, unit))
            return true;
        at = *next;
    }
    return false;
}

bool cairn_debug_child(struct cairn_debug *debug, Dwarf_Die *die, Dwarf_Die *child)
{
    return may_look(debug) && dwarf_child(die, child) == 0;
}

bool cairn_debug_next(struct cairn_debug *debug, Dwarf_Die *die)
{
    Dwarf_Die next;

    if (!may_look(debug) || dwarf_siblingof(die, &next) != 0)
        return false;
    const bool goes_on = dwarf_dieoffset(&next) > dwarf_dieoffset(die);
    *die = next;
    return goes_on;
}

/* What may have functions in it. */
static bool has_functions(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_try_block:
    case DW_TAG_catch_block: return true;
    default: return false;
    }
}

static bool is_function(Dwarf_Die *die)
{
    const int tag = dwarf_tag(die);

    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static Dwarf_Off innermost(struct cairn_debug *debug, Dwarf_Die *die, uint64_t address,
                           unsigned depth)
{
    Dwarf_Die child;
    Dwarf_Off found = 0;

    if (depth > DEPTH_MAX || !cairn_debug_child(debug, die, &child))
        return 0;
    do {
        if (!has_functions(&child))
            continue;
        const bool is_here = cairn_dropped_has(&debug->dwarf, &child, address);

        if (is_here || !is_function(&child))
            found = innermost(debug, &child, address, depth + 1);
        if (!found && is_here && is_function(&child))
            found = dwarf_dieoffset(&child);
    } while (!found && cairn_debug_next(debug, &child));
    return found;
}

Dwarf_Off cairn_debug_function(struct cairn_debug *debug, Dwarf_Die *unit, uint64_t address)
{
    struct cairn_debug other = *debug;

    other.left = debug->asked;
    Dwarf_Die whole = whole_of(debug, unit);
    const Dwarf_Off found = innermost(&other, &whole, address, 0);
    debug->asked = other.left;
    return found;
}

char *cairn_find_source(const struct cairn_object *object, uint64_t address)
{
    struct cairn_debug debug;
    Dwarf_Die unit;
    Dwarf_Off next = 0;
    bool is_here = false;
    char *found = NULL;

    if (!cairn_debug_open(object, &debug))
        return NULL;
    while (!is_here && cairn_debug_unit(&debug, &next, &unit))
        is_here = cairn_dropped_has(&debug.dwarf, &unit, address);
    if (is_here) {
        Dwarf_Die whole = whole_of(&debug, &unit);
        const char *const name = dwarf_diename(&whole);

        found = name ? strdup(name) : NULL;
    }
    cairn_debug_close(&debug);
    return found;
}

/* --- copies --- */

struct search {
    const struct cairn_object *object;
    const struct cairn_name *name;
    struct cairn_matches *matches;
    const struct cairn_symbols *symbols; /* or NULL */
    struct cairn_debug *debug;
};

/* What it is a copy of, by its own name or the one that the linker would see. */
static enum cairn_likeness compare(const struct search *search, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    bool is_part;
    const char *name = NULL;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    if (!name && dwarf_attr_integrate(die, DW_AT_name, &attribute))
        name = dwarf_formstring(&attribute);
    return name ? cairn_name_compare(search->name, name, &is_part) : CAIRN_LIKE_NOT;
}

static uint64_t entry_of(Dwarf_Die *die)
{
    Dwarf_Addr entry;

    return dwarf_entrypc(die, &entry) == 0 ? entry : UINT64_MAX;
}

static cairn_status add_ranges(const struct search *search, Dwarf_Die *die,
                               enum cairn_likeness like)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    const uint64_t entry = entry_of(die);
    cairn_status status = CAIRN_OK;
    size_t first = search->matches->count;
    bool has_entry = false;

    while (!status &&
           (at = cairn_dropped_ranges(&search->debug->dwarf, die, at, &base, &start, &end)) > 0) {
        const char *function = NULL;
        uint64_t offset;

        if (search->symbols)
            (void)!cairn_symbols_find(search->symbols, start, &function, &offset);
        has_entry |= start == entry;
        status = cairn_matches_add(search->matches, &(struct cairn_found){
                                                        .first = start + search->object->bias,
                                                        .last = end - 1 + search->object->bias,
                                                        .kind = CAIRN_MATCH_INLINED,
                                                        .like = like,
                                                        .is_entry = start == entry,
                                                        .object = search->object,
                                                        .function = (char *)(uintptr_t)function,
                                                    });
    }
    /* Its entry is inside of a range, or nobody says where: the lowest one. */
    for (size_t i = first, lowest = first; !has_entry && i < search->matches->count; i++) {
        struct cairn_found *const list = search->matches->list;

        lowest = list[i].first < list[lowest].first ? i : lowest;
        if (i + 1 == search->matches->count)
            list[lowest].is_entry = true;
    }
    return status;
}

static cairn_status look(const struct search *search, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;
    cairn_status status = CAIRN_OK;

    if (depth > DEPTH_MAX || !cairn_debug_child(search->debug, die, &child))
        return status;
    do {
        if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
            const enum cairn_likeness like = compare(search, &child);

            if (like != CAIRN_LIKE_NOT)
                status = add_ranges(search, &child, like);
        }
        if (!status && has_functions(&child) && !cairn_dropped_is(&search->debug->dwarf, &child))
            status = look(search, &child, depth + 1);
    } while (!status && cairn_debug_next(search->debug, &child));
    return status;
}

cairn_status cairn_find_inlined(const struct cairn_object *object, const struct cairn_name *name,
                                struct cairn_matches *matches)
{
    struct search search = {.object = object, .name = name, .matches = matches};
    struct cairn_debug debug;
    Dwarf_Die unit;
    Dwarf_Off next = 0;
    cairn_status status = CAIRN_OK;

    if (!cairn_debug_open(object, &debug))
        return CAIRN_OK;
    search.debug = &debug;
    if (cairn_file_symbols(object->file, &search.symbols) != CAIRN_OK)
        search.symbols = NULL;
    while (!status && cairn_debug_unit(&debug, &next, &unit)) {
        Dwarf_Die whole = whole_of(&debug, &unit);

        status = look(&search, &whole, 0);
    }
    cairn_debug_close(&debug);
    return status;
}
