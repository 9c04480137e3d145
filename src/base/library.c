/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool cairn_library_find(void *library, const char *name, void *pointer)
{
    void *const symbol = dlsym(library, name);

    /* Through memcpy: ISO C has no cast from a pointer to data to one to a function. */
    memcpy(pointer, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(void *library, const struct cairn_library_function *functions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!cairn_library_find(library, functions[i].name, functions[i].pointer))
            return false;
    return true;
}

bool cairn_library_load(const char *const *names, const struct cairn_library_function *functions,
                        size_t count)
{
    for (; *names; names++) {
        void *const library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);

        if (library && find_all(library, functions, count))
            return true;
        if (library)
            dlclose(library);
    }
    return false;
}
