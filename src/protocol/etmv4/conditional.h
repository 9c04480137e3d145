/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of conditional instruction trace (ETMv4) -> elements, as far as public sources agree. */
#ifndef CAIRN_PROTOCOL_ETMV4_CONDITIONAL_H
#define CAIRN_PROTOCOL_ETMV4_CONDITIONAL_H

#include <cairn/element.h>

/* How many elements a packet of one of the CAIRN_ETMV4_COND_ kinds stands for: 1, or 2. */
unsigned cairn_etmv4_conditional_count(unsigned kind, const struct cairn_packet_fields *fields);
/* Element `index` of it, into a content that is all zero. */
void cairn_etmv4_conditional(unsigned kind, const struct cairn_packet_fields *fields,
                             unsigned index, struct cairn_element_data *data);

#endif
