/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/sizes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* No structure of this library will ever be as large: what is larger is no size. */
#define LARGEST ((size_t)1 << 20)

static size_t size_of(const void *structure)
{
    size_t size;

    memcpy(&size, structure, sizeof size);
    return size;
}

static bool is_size(size_t size)
{
    return size >= sizeof size && size <= LARGEST;
}

cairn_status cairn_options_read(void *given, size_t size, const void *options)
{
    const uint8_t *bytes = options;

    if (!options)
        return CAIRN_OK;
    const size_t told = size_of(options);
    if (!is_size(told))
        return CAIRN_E_ARGUMENT;
    for (size_t at = size; at < told; at++)
        if (bytes[at])
            return CAIRN_E_ARGUMENT;
    memcpy((uint8_t *)given + sizeof size, bytes + sizeof size,
           (told < size ? told : size) - sizeof size);
    return CAIRN_OK;
}

cairn_status cairn_info_write(void *info, const void *made, size_t size)
{
    const size_t told = size_of(info);

    if (!is_size(told))
        return CAIRN_E_ARGUMENT;
    const size_t known = told < size ? told : size;
    memcpy((uint8_t *)info + sizeof size, (const uint8_t *)made + sizeof size, known - sizeof size);
    if (told > size)
        memset((uint8_t *)info + size, 0, told - size);
    return CAIRN_OK;
}
