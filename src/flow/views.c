/* SPDX-License-Identifier: BSD-2-Clause */
/* Views of a batch that are made for speed: lists of blocks and of instructions, and calls. */
#include "flow/dictionary.h"

size_t cairn_units_blocks(const struct cairn_unit_batch *batch, struct cairn_unit_cursor *cursor,
                          uint32_t *steps, size_t capacity)
{
    const struct cairn_dictionary *dictionary = batch->dictionary;
    size_t count = 0;

    for (; cursor->unit < batch->count; cursor->unit++) {
        const struct cairn_path *path =
            &dictionary->paths[batch->path[cursor->unit] & ~CAIRN_UNIT_INFERRED];

        if (capacity - count < path->steps)
            break;
        for (uint32_t i = 0; i < path->steps; i++)
            steps[count + i] = dictionary->steps[path->first + i];
        count += path->steps;
    }
    return count;
}
