/* SPDX-License-Identifier: BSD-2-Clause */
/* Preloaded into the program under test: memory that was allocated and not written, and memory that was freed, has no
 * zeros, as with MALLOC_PERTURB_ of the C library. That writes what calloc() gives as well, twice, which is zero in
 * any case: a short listing takes twice as long, most of it for pages of tables that are never touched. */
#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);
PUBLIC void *malloc(size_t size);
PUBLIC void *realloc(void *old, size_t size);
PUBLIC void free(void *old);

/* Another one in each process, so that two that are compared do not agree on it. */
static unsigned char filling(void)
{
    static unsigned char byte;

    if (!byte)
        byte = (unsigned char)(getpid() % 255 + 1);
    return byte;
}

void *malloc(size_t size)
{
    void *const made = __libc_malloc(size);

    return made ? memset(made, filling(), malloc_usable_size(made))
                : NULL; /* realloc() may give the rest later */
}

void *realloc(void *old, size_t size)
{
    const size_t before = old ? malloc_usable_size(old) : 0;
    unsigned char *const made = __libc_realloc(old, size);

    if (made && size > before)
        memset(made + before, filling(), size - before);
    return made;
}

void free(void *old)
{
    if (old && malloc_usable_size(old) < 1 << 17) /* larger ones are unmapped */
        memset(old, filling(), malloc_usable_size(old));
    __libc_free(old);
}
