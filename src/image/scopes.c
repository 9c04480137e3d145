/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/scopes.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#define AT_GNU_ALL_CALL_SITES 0x2117u /* DW_AT_call_all_calls of DWARF 4 */
#define AT_GNU_DISCRIMINATOR                                                                       \
    0x2136u /* of inlined calls (LLVM); elfutils 0.188 has no name for it */

enum {
    DEPTH_MAX = 128,      /* of entries inside of each other; compilers stay far below */
    CLAIMS_MAX = 1 << 22, /* ranges of addresses in one unit */
    FIRST_CAPACITY = 64,
};

/* A unit while it is read. */
struct reading {
    const struct cairn_dwarf *dwarf;
    struct cairn_scopes *scopes;
    size_t capacity; /* of scopes->list */
    struct cairn_claim *claims;
    size_t claim_count, claim_capacity;
    Dwarf_Files *files;
    size_t file_count;
    bool only_functions; /* what is in them is left out */
    bool full;           /* memory is short, or there is too much */
};

static bool reserve(struct reading *reading, void **list, size_t *capacity, size_t count,
                    size_t element)
{
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    void *const grown = reallocarray(*list, wanted, element);

    if (!grown) {
        reading->full = true;
        return false;
    }
    *list = grown;
    *capacity = wanted;
    return true;
}

/* As the linker knows it, which tells functions of one name apart; else as the source has it. */
static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute)) {
        const char *name = dwarf_formstring(&attribute);
        if (name)
            return name;
    }
    return dwarf_attr_integrate(die, DW_AT_name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* 0: the entry does not say. */
static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;

    return dwarf_attr_integrate(die, name, &attribute) && !dwarf_formudata(&attribute, &value) &&
                   value <= UINT32_MAX
               ? (uint32_t)value
               : 0;
}

static void find_call(const struct reading *reading, Dwarf_Die *die, struct cairn_scope_node *node)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;

    node->call_line = number_of(die, DW_AT_call_line);
    node->call_discriminator = number_of(die, AT_GNU_DISCRIMINATOR);
    if (dwarf_attr(die, DW_AT_call_file, &attribute) && !dwarf_formudata(&attribute, &value) &&
        value < reading->file_count)
        node->call_file = dwarf_filesrc(reading->files, (size_t)value, NULL, NULL);
}

/* The inner one is to be found: the deeper it is, the lower its rank. What a linker dropped of a function of which it kept
 * the rest is left at 0, and must not hide what is there. */
static uint64_t rank_of(uint64_t from, unsigned depth)
{
    return (uint64_t)(DEPTH_MAX - depth + (from ? 0 : DEPTH_MAX)) << 32;
}

static bool claim(struct reading *reading, Dwarf_Die *die, unsigned depth)
{
    const uint32_t owner = (uint32_t)reading->scopes->count;
    ptrdiff_t at = 0;
    Dwarf_Addr base, from, to;
    bool any = false;

    while ((at = cairn_dropped_ranges(reading->dwarf, die, at, &base, &from, &to)) > 0) {
        void *list = reading->claims;

        if (reading->claim_count == CLAIMS_MAX) {
            reading->full = true;
            break;
        }
        if (!reserve(reading, &list, &reading->claim_capacity, reading->claim_count,
                     sizeof *reading->claims))
            break;
        reading->claims = list;
        reading->claims[reading->claim_count] = (struct cairn_claim){
            .first = from,
            .last = to - 1,
            .rank = rank_of(from, depth) | reading->claim_count,
            .owner = owner,
        };
        reading->claim_count++;
        any = true;
    }
    return any;
}

/* Adds the entry if it has code: the scope that its children are in. */
static uint32_t add_scope(struct reading *reading, Dwarf_Die *die, int tag, uint32_t parent,
                          unsigned depth)
{
    struct cairn_scopes *scopes = reading->scopes;
    void *list = scopes->list;

    if (!reserve(reading, &list, &reading->capacity, scopes->count, sizeof *scopes->list))
        return parent;
    scopes->list = list;
    if (!claim(reading, die, depth))
        return tag == DW_TAG_subprogram ? CAIRN_SCOPE_NONE : parent;
    struct cairn_scope_node *node = &scopes->list[scopes->count];
    *node = (struct cairn_scope_node){.parent = CAIRN_SCOPE_NONE,
                                      .name = name_of(die),
                                      .start_file = dwarf_decl_file(die),
                                      .start_line = number_of(die, DW_AT_decl_line)};
    if (tag == DW_TAG_inlined_subroutine) {
        node->parent = parent;
        find_call(reading, die, node);
    }
    return (uint32_t)scopes->count++;
}

/* Whether code may be described inside. */
static bool holds_code(int tag)
{
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type: return true;
    default: return false;
    }
}

static void read_children(struct reading *reading, Dwarf_Die *unit)
{
    struct {
        Dwarf_Die die;
        uint32_t scope; /* that its siblings are in */
        bool dropped;   /* and so are they */
    } stack[DEPTH_MAX];
    unsigned depth = 0;

    stack[0].scope = CAIRN_SCOPE_NONE;
    stack[0].dropped = false;
    if (dwarf_child(unit, &stack[0].die))
        return;
    while (!reading->full) {
        Dwarf_Die *const die = &stack[depth].die;
        const int tag = dwarf_tag(die);
        uint32_t scope = stack[depth].scope;
        bool dropped = stack[depth].dropped;

        if (tag == DW_TAG_subprogram)
            dropped = cairn_dropped_is(reading->dwarf, die);
        if (tag == DW_TAG_subprogram || (tag == DW_TAG_inlined_subroutine && !dropped))
            scope = add_scope(reading, die, tag, scope, depth);
        reading->scopes->has_variables |=
            scope != CAIRN_SCOPE_NONE && (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter);
        reading->scopes->describes_calls |=
            tag == DW_TAG_subprogram &&
            (dwarf_hasattr(die, DW_AT_call_all_calls) || dwarf_hasattr(die, AT_GNU_ALL_CALL_SITES));
        if (holds_code(tag) && !(reading->only_functions && tag == DW_TAG_subprogram) &&
            depth + 1 < DEPTH_MAX && dwarf_child(die, &stack[depth + 1].die) == 0) {
            stack[++depth].scope = scope;
            stack[depth].dropped = dropped;
            continue;
        }
        while (dwarf_siblingof(&stack[depth].die, &stack[depth].die) != 0)
            if (depth-- == 0)
                return;
    }
}

static void read_unit(struct reading *reading, Dwarf_Die *unit)
{
    struct cairn_scopes *const scopes = reading->scopes;

    *scopes = (struct cairn_scopes){0};
    if (dwarf_getsrcfiles(unit, &reading->files, &reading->file_count))
        reading->file_count = 0;
    read_children(reading, unit);
    if (cairn_intervals_flatten(reading->claims, reading->claim_count, &scopes->index))
        cairn_scopes_clear(scopes);
    free(reading->claims);
}

void cairn_scopes_read(const struct cairn_dwarf *dwarf, Dwarf_Die *unit,
                       struct cairn_scopes *scopes)
{
    read_unit(&(struct reading){.dwarf = dwarf, .scopes = scopes}, unit);
}

void cairn_scopes_read_functions(const struct cairn_dwarf *dwarf, Dwarf_Die *unit,
                                 struct cairn_scopes *scopes)
{
    read_unit(&(struct reading){.dwarf = dwarf, .scopes = scopes, .only_functions = true}, unit);
}

void cairn_scopes_clear(struct cairn_scopes *scopes)
{
    cairn_intervals_clear(&scopes->index);
    free(scopes->list);
    *scopes = (struct cairn_scopes){0};
}

uint32_t cairn_scopes_find(const struct cairn_scopes *scopes, uint64_t address)
{
    const struct cairn_interval *found = cairn_intervals_find(&scopes->index, address);

    return found ? found->owner : CAIRN_SCOPE_NONE;
}

static uint32_t function_of(const struct cairn_scopes *scopes, uint32_t node)
{
    while (scopes->list[node].parent != CAIRN_SCOPE_NONE)
        node = scopes->list[node].parent;
    return node;
}

bool cairn_scopes_function(const struct cairn_scopes *scopes, uint64_t address, uint64_t *first,
                           uint64_t *last)
{
    const struct cairn_interval *const list = scopes->index.list;
    const struct cairn_interval *const found = cairn_intervals_find(&scopes->index, address);

    if (!found)
        return false;
    const uint32_t function = function_of(scopes, found->owner);
    size_t from = (size_t)(found - list), until = from;
    while (from > 0 && list[from - 1].last + 1 == list[from].first &&
           function_of(scopes, list[from - 1].owner) == function)
        from--;
    while (until + 1 < scopes->index.count && list[until].last + 1 == list[until + 1].first &&
           function_of(scopes, list[until + 1].owner) == function)
        until++;
    *first = list[from].first;
    *last = list[until].last;
    return true;
}
