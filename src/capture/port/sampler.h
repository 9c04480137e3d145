/* SPDX-License-Identifier: BSD-2-Clause */
/* From levels of wires to the bytes of a source: edges of TRACECLK, (de)multiplexing, what a capture
 * device stores (IHI0014 2.10, 4.4, 8.2, 8.4). Everything it knows is a value, so that it can go on
 * from any place that was kept. */
#ifndef CAIRN_CAPTURE_PORT_SAMPLER_H
#define CAIRN_CAPTURE_PORT_SAMPLER_H

#include "capture/port/pins.h"

/* Wire i of the layout is bit i; the clock is behind them. */
struct cairn_port_levels {
    uint64_t high;
    uint64_t unknown; /* x or z */
};

struct cairn_port_counts {
    uint64_t cycles; /* of the port, stored or not */
    uint64_t stored;
    uint64_t unreadable; /* a wire was neither 0 nor 1 */
    uint64_t triggers;
    uint64_t first_trigger; /* its offset in the source's bytes */
    uint64_t edges;         /* of the clock */
    uint64_t breaks;        /* times in which TRACECLK was not known, between others */
    uint64_t left_out;  /* bits of an ETMv3 behind what is missing, to where it can be read again */
    uint64_t realigned; /* synchronisations that did not end with a byte */
    uint64_t ones, zeros; /* which bits of stored cycles were ever so */
    uint64_t damaged;     /* chunks of a session that cannot be unpacked to their end */
};

struct cairn_port_sampler {
    const struct cairn_port_layout *layout;
    struct cairn_port_levels settled; /* before the changes of this time */
    struct cairn_port_levels now;
    uint64_t half; /* of a sample of two edges: what the rising one gave */
    bool has_half, half_unreadable;
    bool lost;     /* cycles are missing in front of the next one */
    uint64_t bits; /* of an ETMv3's next bytes */
    unsigned bit_count;
    unsigned run; /* bits as synchronisation begins with, up to as many as it has */
    bool hunting; /* cycles are missing, and synchronisation has not come since */
    struct cairn_port_counts counts;
    uint64_t produced; /* bytes */
};

/* All wires are unknown. */
void cairn_port_sampler_init(struct cairn_port_sampler *sampler,
                             const struct cairn_port_layout *layout);

/* What one edge may give: 12 bytes of a synchronisation, and what is behind it. */
#define CAIRN_PORT_EDGE_BYTES 16u
/* All changes of one time are made: what an edge of the clock among them gives. The other wires are taken as
 * they were before, for what changes with the edge is not set up for it. How many bytes. */
size_t cairn_port_sampler_settle(struct cairn_port_sampler *sampler,
                                 uint8_t bytes[CAIRN_PORT_EDGE_BYTES]);

#endif
