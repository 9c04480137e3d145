/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps that a probe or a script wrote word by word in the other byte order. */
#ifndef CAIRN_CAPTURE_BYTE_ORDER_H
#define CAIRN_CAPTURE_BYTE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* For a sample of a buffer that has no alignment synchronisation, with or without frames: the size
 * of the words (2, 4 or 8) in which the bytes have to be reversed so that there are some; 0: of
 * none, or there are some as it is. */
unsigned cairn_reversed_words(const uint8_t *sample, size_t size, uint64_t file_size,
                              size_t *found);

/* `sample` with the bytes of each word in reverse; what is behind the last whole word is not
 * written. */
void cairn_reverse_words(const uint8_t *sample, size_t size, size_t word, uint8_t *reversed);

#endif
