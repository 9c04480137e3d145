/* SPDX-License-Identifier: BSD-2-Clause */
/* A parser of PTM, for the two files that are it. */
#ifndef CAIRN_PROTOCOL_PTM_PARSE_H
#define CAIRN_PROTOCOL_PTM_PARSE_H

#include "protocol/framing.h"
#include "protocol/ptm/ptm.h"

struct cairn_ptm_parser {
    struct cairn_framing framing; /* first: protocol/framing.h */
    struct cairn_config *config;
    const struct cairn_ptm_config *decoded;
    struct cairn_ptm_state state;
    uint8_t kinds[256];
};

/* parse_bare.c: the rules' `fast` */
size_t cairn_ptm_parse_bare(void *parser, uint64_t at, const uint8_t *data, size_t size,
                            struct cairn_packet_batch *batch);

#endif
