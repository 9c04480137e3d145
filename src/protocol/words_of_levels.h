/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of a protocol (protocol/words.h) over its own levels: bytes through packets, elements
 * and resolver, whose elements are put together into words of bits. It is right for every protocol
 * whose levels are, and no faster than they are, so that a new protocol has the engine for nothing.
 * It does not stand anywhere, so its sources are decoded by one thread. */
#ifndef CAIRN_PROTOCOL_WORDS_OF_LEVELS_H
#define CAIRN_PROTOCOL_WORDS_OF_LEVELS_H

#include <cairn/status.h>

#include "protocol/words.h"

struct cairn_config;

cairn_status cairn_words_of_levels_new(struct cairn_config *config, struct cairn_word_bytes *bytes,
                                       void **state);
void cairn_words_of_levels_amid(void *state, uint64_t offset);
void cairn_words_of_levels_free(void *state);
cairn_status cairn_words_of_levels(void *state, const uint8_t *data, size_t size, size_t *position,
                                   struct cairn_words *words);
cairn_status cairn_words_of_levels_finish(void *state, struct cairn_words *words);

/* For the initializer of a struct cairn_protocol. */
#define CAIRN_WORDS_OF_LEVELS                                                                      \
    .reader_new = cairn_words_of_levels_new, .reader_free = cairn_words_of_levels_free,            \
    .reader_amid = cairn_words_of_levels_amid, .reader_words = cairn_words_of_levels,              \
    .reader_finish = cairn_words_of_levels_finish

#endif
