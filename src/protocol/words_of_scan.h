/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of a protocol (protocol/words.h) over its scan (protocol/scan.h): tokens are put
 * together into words of bits. It finds the packets of the batch that it gave last, and no others,
 * and does not stand anywhere, so its sources are decoded by one thread. */
#ifndef CAIRN_PROTOCOL_WORDS_OF_SCAN_H
#define CAIRN_PROTOCOL_WORDS_OF_SCAN_H

#include <cairn/status.h>

#include "protocol/words.h"

struct cairn_config;

cairn_status cairn_words_of_scan_new(struct cairn_config *config, struct cairn_word_bytes *bytes,
                                     void **state);
void cairn_words_of_scan_amid(void *state, uint64_t offset);
void cairn_words_of_scan_free(void *state);
cairn_status cairn_words_of_scan(void *state, const uint8_t *data, size_t size, size_t *position,
                                 struct cairn_words *words);
cairn_status cairn_words_of_scan_finish(void *state, struct cairn_words *words);
size_t cairn_words_of_scan_packets(void *state, const struct cairn_word *word, const uint8_t *bytes,
                                   struct cairn_aside *asides);

/* For the initializer of a struct cairn_protocol. */
#define CAIRN_WORDS_OF_SCAN                                                                        \
    .reader_new = cairn_words_of_scan_new, .reader_free = cairn_words_of_scan_free,                \
    .reader_amid = cairn_words_of_scan_amid, .reader_words = cairn_words_of_scan,                  \
    .reader_finish = cairn_words_of_scan_finish, .reader_packets = cairn_words_of_scan_packets

#endif
