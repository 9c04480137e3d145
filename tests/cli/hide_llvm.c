/* SPDX-License-Identifier: BSD-2-Clause */
/* Preloaded into the program under test: its machine has no LLVM then, or none but those whose file
 * name has what CAIRN_TEST_LLVM says. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) void *dlopen(const char *name, int flags);

void *dlopen(const char *name, int flags)
{
    void *(*real)(const char *, int);
    void *const symbol = dlsym(RTLD_NEXT, "dlopen");
    const char *shown = getenv("CAIRN_TEST_LLVM");

    if (name && strstr(name, "LLVM") && !(shown && strstr(name, shown)))
        return NULL;
    memcpy(&real, &symbol, sizeof real);
    return real(name, flags);
}
