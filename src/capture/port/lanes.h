/* SPDX-License-Identifier: BSD-2-Clause */
/* The port of an ETMv3 from the trace unit's side: bytes into cycles of TRACEDATA and TRACECTL (IHI0014
 * 7.8). */
#ifndef CAIRN_CAPTURE_PORT_LANES_H
#define CAIRN_CAPTURE_PORT_LANES_H

#include "capture/port/cycle.h"

struct cairn_port_lanes {
    unsigned width; /* 1, 2, 4, or a multiple of 8 up to 32 */
    uint64_t bits;  /* of a cycle that is not full */
    unsigned count;
    bool trigger; /* its first byte is a trigger packet */
};

/* Whether a port of so many pins can be written. */
bool cairn_port_lanes_have(unsigned width);

/* What one call may give: a cycle that is filled up, and 8 of a byte on one pin. */
#define CAIRN_PORT_LANE_CYCLES 9u

/* Each returns how many cycles were filled. A byte waits until the port's whole width has trace. */
size_t cairn_port_lanes_put(struct cairn_port_lanes *lanes, uint8_t byte,
                            uint64_t cycles[CAIRN_PORT_LANE_CYCLES]);
/* The trigger packet, between two packets. */
size_t cairn_port_lanes_trigger(struct cairn_port_lanes *lanes,
                                uint64_t cycles[CAIRN_PORT_LANE_CYCLES]);
/* What waits, with Ignore packets in the upper bytes; at most one cycle. */
size_t cairn_port_lanes_fill(struct cairn_port_lanes *lanes,
                             uint64_t cycles[CAIRN_PORT_LANE_CYCLES]);

/* A cycle without trace. */
uint64_t cairn_port_lanes_idle(void);

#endif
