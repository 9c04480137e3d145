/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of one compilation unit, and those inlined into them, by address. */
#ifndef CAIRN_IMAGE_SCOPES_H
#define CAIRN_IMAGE_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "image/dwarf.h"
#include "image/interval.h"

#define CAIRN_SCOPE_NONE UINT32_MAX

/* A function's code, or that of a call which was inlined. */
struct cairn_scope_node {
    uint32_t parent;    /* what it is inlined into; CAIRN_SCOPE_NONE: it is a function's own */
    uint32_t call_line; /* of the inlined call; 0: not known */
    uint32_t call_discriminator;
    uint32_t start_line;    /* of its declaration; 0: not known */
    const char *start_file; /* of its declaration, or NULL */
    const char *name;       /* or NULL; the texts are the debug information's */
    const char *call_file;  /* or NULL */
};

/* All zero: nothing. */
struct cairn_scopes {
    struct cairn_scope_node *list;
    size_t count;
    struct cairn_intervals index; /* owner: of `list` */
    bool has_variables;           /* of functions */
    bool describes_calls;         /* a function says that all its calls are described */
};

/* Reads all of the unit in one go, since a look at one function costs as much. What is damaged,
 * beyond all measure or not in the program is left out. */
void cairn_scopes_read(const struct cairn_dwarf *dwarf, Dwarf_Die *unit,
                       struct cairn_scopes *scopes);
/* The same without what is in functions: a tenth of the time, for who only asks what a function is. */
void cairn_scopes_read_functions(const struct cairn_dwarf *dwarf, Dwarf_Die *unit,
                                 struct cairn_scopes *scopes);
void cairn_scopes_clear(struct cairn_scopes *scopes);

/* The innermost one at the address, or CAIRN_SCOPE_NONE. */
uint32_t cairn_scopes_find(const struct cairn_scopes *scopes, uint64_t address);

/* The addresses in a row around one that are of the same function, inlined calls included. False: it is in none. */
bool cairn_scopes_function(const struct cairn_scopes *scopes, uint64_t address, uint64_t *first,
                           uint64_t *last);

#endif
