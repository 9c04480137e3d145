/* SPDX-License-Identifier: BSD-2-Clause */
/* The FIFO of an ETMv1 and the pins that empty it: one sample (protocol/samples.h) a cycle of the core
 * (IHI0014 5.1 to 5.3). What is in the FIFO leaves in order and without gaps, TRACESYNC with the first
 * packet of a branch address.
 *
 * Written is what a capture device keeps (4.4.2): all cycles but those with TD whose TRACEPKT[0] is 0. */
#ifndef CAIRN_UNIT_ETMV1_PORT_H
#define CAIRN_UNIT_ETMV1_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "protocol/etmv1/encode.h"
#include "protocol/samples.h"

#define CAIRN_ETMV1_FIFO_LEAST                                                                     \
    CAIRN_ETMV1_BRANCH_BYTES /* where trace begins it has to take these */
#define CAIRN_ETMV1_FIFO_MOST 256u
#define CAIRN_ETMV1_SAMPLES 4096u                 /* kept before the sink gets them */
#define CAIRN_ETMV1_IDLE_MOST (UINT64_C(1) << 20) /* cycles with TD in a row that are written */

struct cairn_etmv1_port {
    /* the FIFO */
    uint8_t bytes[CAIRN_ETMV1_FIFO_MOST];
    bool first[CAIRN_ETMV1_FIFO_MOST]; /* of a branch address */
    uint32_t head, count;
    uint32_t depth;
    /* the pins */
    uint8_t width;       /* of TRACEPKT: 4, 8 or 16 */
    bool high_nibble;    /* of the oldest byte is to come */
    bool triggers;       /* the next cycle shows TR */
    bool draining;       /* nothing is traced, so that a lone packet leaves a wide port (5.3.1) */
    bool cycle_accurate; /* ETMCR[12] */
    bool counts;         /* and every cycle is to be captured */
    bool lost;           /* cycles are missing in front of the next sample */
    uint64_t clock;      /* cycles */
    /* where samples go */
    cairn_unit_sink *sink;
    void *sink_context;
    cairn_status status;
    uint64_t delivered; /* bytes */
    size_t size;
    uint8_t samples[CAIRN_ETMV1_SAMPLES * CAIRN_SAMPLE_BYTES];
};

static inline uint32_t cairn_etmv1_port_room(const struct cairn_etmv1_port *port)
{
    return port->depth - port->count;
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
/* The sink gets all samples. */
void cairn_etmv1_port_deliver(struct cairn_etmv1_port *port);

static inline uint64_t cairn_etmv1_port_generated(const struct cairn_etmv1_port *port)
{
    return port->delivered + port->size;
}

#endif
