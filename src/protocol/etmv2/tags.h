/* SPDX-License-Identifier: BSD-2-Clause */
/* Data packets of ETMv2 as DATA elements, and loads that missed (IHI0014 6.4.2 to 6.4.4). */
#ifndef CAIRN_PROTOCOL_ETMV2_TAGS_H
#define CAIRN_PROTOCOL_ETMV2_TAGS_H

#include <cairn/element.h>

#include "protocol/etmv2/etmv2.h"

enum {
    CAIRN_ETMV2_TAGS = 4, /* TT */
    CAIRN_ETMV2_OPEN = 2, /* two of a tag side by side are the halves of a 64-bit value */
    CAIRN_ETMV2_NO_TAG = CAIRN_ETMV2_TAGS,
};

struct cairn_etmv2_tag {
    uint8_t count;
    uint64_t offset[CAIRN_ETMV2_OPEN]; /* of packets, the oldest first */
};

/* Loads that missed and whose values have not come, by tag. Begin with cairn_etmv2_tags_clear. */
struct cairn_etmv2_tags {
    struct cairn_etmv2_tag tag[CAIRN_ETMV2_TAGS];
    uint8_t last; /* tag of the packet before, if that was a Load miss occurred */
};

void cairn_etmv2_tags_clear(struct cairn_etmv2_tags *tags);
/* A packet of this kind comes. */
void cairn_etmv2_tags_part(struct cairn_etmv2_tags *tags, unsigned kind);
/* The content of the DATA element of a packet at `offset`, and its flags. */
unsigned cairn_etmv2_data(struct cairn_etmv2_tags *tags, unsigned kind, uint64_t offset,
                          const struct cairn_packet_fields *fields,
                          struct cairn_element_data *data);

#endif
