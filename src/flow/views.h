/* SPDX-License-Identifier: BSD-2-Clause */
/* The two lists, once for any processor and once for one with AVX2: the same loops (view_loops.h),
 * built twice. */
#ifndef CAIRN_FLOW_VIEWS_H
#define CAIRN_FLOW_VIEWS_H

#include "base/cpu.h"
#include "flow/dictionary.h"

size_t cairn_view_blocks_portable(const struct cairn_word_batch *batch,
                                  struct cairn_word_cursor *cursor, uint32_t *steps,
                                  size_t capacity);
size_t cairn_view_instructions_portable(const struct cairn_word_batch *batch,
                                        struct cairn_word_cursor *cursor, uint64_t *addresses,
                                        size_t capacity);

#if CAIRN_AVX2
CAIRN_TARGET_AVX2 size_t cairn_view_blocks_avx2(const struct cairn_word_batch *batch,
                                                struct cairn_word_cursor *cursor, uint32_t *steps,
                                                size_t capacity);
CAIRN_TARGET_AVX2 size_t cairn_view_instructions_avx2(const struct cairn_word_batch *batch,
                                                      struct cairn_word_cursor *cursor,
                                                      uint64_t *addresses, size_t capacity);
#endif

#endif
