/* SPDX-License-Identifier: BSD-2-Clause */
/* A made-up protocol: a byte is a packet of one element, the next one that the test has made, and the same as a
 * token of a scan. */
#ifndef CAIRN_TESTS_PROTOCOL_WORDS_MADE_H
#define CAIRN_TESTS_PROTOCOL_WORDS_MADE_H

#include <stddef.h>
#include <stdint.h>

#include "protocol/protocol.h"

enum { MADE_MOST = 16 };

struct made {
    uint64_t offset, length;
    uint16_t flags;
    uint8_t kind;
    struct cairn_element_data data;
};

extern struct made made[MADE_MOST];
extern size_t made_given; /* of them, so many are given */
extern const struct cairn_protocol made_protocol;

#endif
