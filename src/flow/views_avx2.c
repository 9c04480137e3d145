/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists, built for a processor with AVX2. */
#include "flow/views.h"

#if CAIRN_AVX2

#define VIEW_VECTOR 32
#include "flow/view_loops.h"

size_t cairn_view_blocks_avx2(const struct cairn_word_batch *batch,
                              struct cairn_word_cursor *cursor, uint32_t *steps, size_t capacity)
{
    return view_blocks(batch, cursor, steps, capacity);
}

size_t cairn_view_instructions_avx2(const struct cairn_word_batch *batch,
                                    struct cairn_word_cursor *cursor, uint64_t *addresses,
                                    size_t capacity)
{
    return view_instructions(batch, cursor, addresses, capacity);
}

#endif
