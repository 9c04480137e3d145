/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of the second writer of ETMv3 as what the library's packet writer takes: kinds and fields,
 * with all forms of a packet that there are (<cairn/etmv3.h>). */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_FIELDS_H
#define CAIRN_TESTS_PROTOCOL_SECOND_FIELDS_H

#include <cairn/etmv3.h>
#include <cairn/packet.h>

#include "second_writer.h"

struct second_packet {
    unsigned kind;
    struct cairn_packet_fields fields;
};

struct second_packets {
    bool
        overflowed; /* the next timestamp is whole: the packet writer leaves that to who calls it */
    size_t count;
    struct second_packet packets[SECOND_ATOMS_MAX];
};

/* The packets of an event that the writer has just written. What was chosen where there is a choice
 * comes from it: which P-headers say the atoms, and how many bytes an address has that has more
 * than it needs. */
void second_packets_of(struct second_packets *packets, const struct second_writer *writer,
                       const struct second_event *event);

#endif
