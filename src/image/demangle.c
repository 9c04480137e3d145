/* SPDX-License-Identifier: BSD-2-Clause */
/* By __cxa_demangle, which the Itanium C++ ABI (3.4) has every C++ runtime offer as a C function. It
 * is loaded where a name of C++ is met and never linked, so that a program in C needs no C++. */
#include "image/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

static demangler *demangle;

static void load(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle"); /* a program in C++ has it */

    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0] && !found; i++) {
        void *const library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);

        found = library ? dlsym(library, "__cxa_demangle") : NULL;
    }
    /* Through memcpy: a pointer to data is no pointer to a function in C. */
    memcpy(&demangle, &found, sizeof found);
}

char *cairn_demangle(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status;

    if (strncmp(name, "_Z", 2) != 0 || pthread_once(&once, load) != 0 || !demangle)
        return NULL;
    return demangle(name, NULL, NULL, &status);
}
