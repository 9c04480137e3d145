/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace port of an ETMv1 (IHI0014 5.1 to 5.3). What is in the FIFO leaves in order and without gaps,
 * TRACESYNC with the first packet of a branch address. */
#ifndef CAIRN_UNIT_ETMV1_PORT_H
#define CAIRN_UNIT_ETMV1_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/etmv1/encode.h"
#include "unit/etm/pins.h"

#define CAIRN_ETMV1_FIFO_LEAST                                                                     \
    CAIRN_ETMV1_BRANCH_BYTES /* where trace begins it has to take these */
#define CAIRN_ETMV1_FIFO_MOST CAIRN_ETM_PINS_FIFO

struct cairn_etmv1_port {
    struct cairn_etm_pins pins;
    bool first[CAIRN_ETM_PINS_FIFO]; /* bytes: of a branch address */
    bool draining;       /* nothing is traced, so that a lone packet leaves a wide port (5.3.1) */
    bool cycle_accurate; /* ETMCR[12] */
    bool counts;         /* and every cycle is to be captured */
};

static inline uint32_t cairn_etmv1_port_room(const struct cairn_etmv1_port *port)
{
    return cairn_etm_pins_room(&port->pins);
}

/* Bytes of one group; there is room for them. `branch`: it begins with the first packet of a branch
 * address. */
void cairn_etmv1_port_push(struct cairn_etmv1_port *port, const uint8_t *bytes, size_t size,
                           bool branch);
/* Branch addresses whose first packet is still to come: the address packet offset of one that is pushed
 * now (5.6.1). */
unsigned cairn_etmv1_port_branches(const struct cairn_etmv1_port *port);
/* A cycle with this status, or half of an address packet offset. Not WT, TR or TD. */
void cairn_etmv1_port_status(struct cairn_etmv1_port *port, unsigned pipestat);
/* Cycles in which nothing is executed: WT while packets leave, then TD. */
void cairn_etmv1_port_wait(struct cairn_etmv1_port *port, uint64_t cycles);
/* Whether packets leave in cycles without a status. */
bool cairn_etmv1_port_is_busy(const struct cairn_etmv1_port *port);

#endif
