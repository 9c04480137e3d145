/* SPDX-License-Identifier: BSD-2-Clause */
/* Alignment synchronisation is found by bytes, before any packet is parsed (DDI0608 D5.4): at least
 * eleven zeros and then 80. No legal packet holds eleven zeros in a row. */
#include "protocol/etmv4/payload.h"

#include <string.h>

size_t cairn_etmv4_find_sync(const uint8_t *data, size_t size, size_t from)
{
    static const uint8_t zeros[CAIRN_ETMV4_ASYNC_ZEROS];
    size_t at = from;

    if (from > size || size - from < CAIRN_ETMV4_ASYNC_ZEROS + 1)
        return size;
    at += CAIRN_ETMV4_ASYNC_ZEROS;
    while (at < size) {
        const uint8_t *end = memchr(data + at, CAIRN_ETMV4_ASYNC_END, size - at);

        if (!end)
            break;
        at = (size_t)(end - data);
        if (memcmp(end - CAIRN_ETMV4_ASYNC_ZEROS, zeros, sizeof zeros) == 0)
            return at - CAIRN_ETMV4_ASYNC_ZEROS;
        at++;
    }
    return size;
}
