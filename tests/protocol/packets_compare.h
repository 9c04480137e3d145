/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets without fields beside packets with all columns. */
#ifndef CAIRN_TESTS_PROTOCOL_PACKETS_COMPARE_H
#define CAIRN_TESTS_PROTOCOL_PACKETS_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/packet.h>

/* Columns that a batch has. */
enum {
    PACKETS_KIND = 1 << 0,
    PACKETS_OFFSET = 1 << 1,
    PACKETS_LENGTH = 1 << 2,
    PACKETS_ACCOUNT = 1 << 3,
    PACKETS_ADDRESS = 1 << 4,
    PACKETS_ADDRESS_PACKET = 1 << 5,
    PACKETS_FIELDS = 1 << 6,   /* in every second call */
    PACKETS_PORTABLE = 1 << 7, /* no column: as on any processor */
};
#define PACKETS_COLUMNS 0x3fu

/* How a source is given to the decoder. */
struct packets_cut {
    size_t piece;    /* bytes of a call; 0: all at once; UNEVEN: random */
    size_t capacity; /* of the batch */
    unsigned columns;
};
#define PACKETS_UNEVEN SIZE_MAX

/* Fails the test, with the first difference, unless every cut gives the packets, and addresses,
 * that a batch with all columns gives. Returns the number of packets. */
size_t packets_check(struct cairn_config *config, const uint8_t *bytes, size_t size,
                     const struct packets_cut *cuts, size_t count);

#endif
