/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow. */
#ifndef CAIRN_BASE_ROOM_H
#define CAIRN_BASE_ROOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/status.h>

#include "base/pages.h"

/* *array, which is on the heap or NULL and has `*room` entries of `size` bytes, gets `count` of them or more; the new ones
 * are zero. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK static inline cairn_status cairn_enlarge(void *array, size_t *room, size_t count,
                                                          size_t size)
{
    void **const at = array;
    size_t wanted = *room ? *room : 256;

    if (count <= *room)
        return CAIRN_OK;
    if (count > SIZE_MAX / 2 / size)
        return CAIRN_E_MEMORY;
    while (wanted < count)
        wanted *= 2;
    void *const grown =
        wanted > SIZE_MAX / size ? NULL : cairn_pages_grow(*at, *room * size, wanted * size);
    if (!grown)
        return CAIRN_E_MEMORY;
    memset((char *)grown + *room * size, 0, (wanted - *room) * size);
    *at = grown;
    *room = wanted;
    return CAIRN_OK;
}

/* The same of entries that shall not lie in two lines of the cache: they have 32 or 64 bytes. */
CAIRN_MUST_CHECK static inline cairn_status cairn_enlarge_lines(void *array, size_t *room,
                                                                size_t count, size_t size)
{
    void **const at = array;
    size_t wanted = *room ? *room : 256;

    if (count <= *room)
        return CAIRN_OK;
    if (count > SIZE_MAX / 4 / size)
        return CAIRN_E_MEMORY;
    while (wanted < count)
        wanted *= 2;
    void *const grown = cairn_pages_new(wanted * size);
    if (!grown)
        return CAIRN_E_MEMORY;
    if (*room)
        memcpy(grown, *at, *room * size);
    memset((char *)grown + *room * size, 0, (wanted - *room) * size);
    free(*at);
    *at = grown;
    *room = wanted;
    return CAIRN_OK;
}

#endif
