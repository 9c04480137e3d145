/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of items in the order of their keys. */
#ifndef CAIRN_BASE_KEYED_H
#define CAIRN_BASE_KEYED_H

#include <stddef.h>
#include <stdint.h>

struct cairn_keyed {
    uint64_t key;
    uint32_t item;
};

/* Sorts by key. Items ascend in the list, and where keys are the same they still do so behind it. */
void cairn_keyed_sort(struct cairn_keyed *list, size_t count);

#endif
