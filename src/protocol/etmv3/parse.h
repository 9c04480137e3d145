/* SPDX-License-Identifier: BSD-2-Clause */
/* A parser of ETMv3, for the two files that are it. */
#ifndef CAIRN_PROTOCOL_ETMV3_PARSE_H
#define CAIRN_PROTOCOL_ETMV3_PARSE_H

#include "protocol/etmv3/payload.h"
#include "protocol/framing.h"

struct cairn_etmv3_parser {
    struct cairn_framing framing; /* first: protocol/framing.h */
    struct cairn_config *config;
    const struct cairn_etmv3_config *decoded;
    struct cairn_etmv3_state compression;
    bool damaged; /* bytes were lost since the last A-sync */
    uint8_t kinds[256];
};

/* parse_bare.c: the rules' `fast` */
size_t cairn_etmv3_parse_bare(void *parser, uint64_t at, const uint8_t *data, size_t size,
                              struct cairn_packet_batch *batch);

#endif
