/* SPDX-License-Identifier: BSD-2-Clause */
/* Alignment synchronisation is found by bytes, before any packet is parsed (IHI0035 4.5.1): at
 * least five zeros and then 80. No legal packets hold those 47 zero bits and a one.
 *
 * Of any five bytes in a row that are zero, one stands at each fifth place: the others are looked
 * at only around a zero. */
#include "protocol/ptm/ptm.h"

size_t cairn_ptm_find_sync(const uint8_t *data, size_t size, size_t from)
{
    const size_t zeros = CAIRN_PTM_ASYNC_ZEROS;
    size_t at = from; /* no run of zeros that counts begins before it */

    while (size - at > zeros) {
        size_t begin = at + zeros - 1;
        size_t end = begin + 1;

        if (data[begin] != 0) {
            at += zeros;
            continue;
        }
        while (begin > at && data[begin - 1] == 0)
            begin--;
        while (end < size && data[end] == 0)
            end++;
        if (end == size)
            break;
        if (end - begin >= zeros && data[end] == CAIRN_PTM_ASYNC_END)
            return end - zeros;
        at = end + 1;
    }
    return size;
}
