/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that are loaded where they are first needed: what few runs need is no cost of every start. */
#ifndef CAIRN_BASE_LIBRARY_H
#define CAIRN_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* A function of a library, and where its pointer is to be put: the address of a pointer to a function. */
struct cairn_library_function {
    const char *name;
    void *pointer;
};

/* Puts a function of an open library where `pointer` is. False: the library has none of the name. */
bool cairn_library_find(void *library, const char *name, void *pointer);

/* Loads the first of the names (ended by NULL) that is there and has all the functions. It is never unloaded.
 * False: there is none, and the pointers are of no use. */
bool cairn_library_load(const char *const *names, const struct cairn_library_function *functions,
                        size_t count);

#endif
