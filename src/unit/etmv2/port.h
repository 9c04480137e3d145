/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace port of an ETMv2 (IHI0014 6.1 to 6.3, 6.5.1): what a cycle puts into the FIFO, and what the
 * pins show of it. What is in the FIFO leaves in order, without gaps and as soon as possible, but for
 * triggers and offsets of TFOs, for which it stands still. */
#ifndef CAIRN_UNIT_ETMV2_PORT_H
#define CAIRN_UNIT_ETMV2_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/etmv2/encode.h"
#include "unit/etm/pins.h"

/* Where trace begins the FIFO has to take the longest TFO packet. */
#define CAIRN_ETMV2_PORT_LEAST CAIRN_ETMV2_TFO_BYTES
/* Whatever is in front of a TFO packet that has room, which has five bytes at least: its offset can be
 * told (Table 6-4). */
#define CAIRN_ETMV2_PORT_MOST (CAIRN_ETMV2_OFFSET_MOST + 5u)

/* PIPESTAT (Table 6-1). IE to DN have DE's bit if packets were placed, and phantoms are added. */
enum cairn_etmv2_pipestat {
    CAIRN_ETMV2_PIPESTAT_IE = 0,
    CAIRN_ETMV2_PIPESTAT_IN = 2,
    CAIRN_ETMV2_PIPESTAT_WT = 4,
    CAIRN_ETMV2_PIPESTAT_TR = 6,
    CAIRN_ETMV2_PIPESTAT_TD = 7,
    CAIRN_ETMV2_PIPESTAT_PT = 8,
    CAIRN_ETMV2_PIPESTAT_PN = 12,
    CAIRN_ETMV2_PIPESTAT_D = 1, /* of what is not TR or TD */
};

/* What of an offset the next cycles show. */
enum cairn_etmv2_offset_part {
    CAIRN_ETMV2_OFFSET_NONE,
    CAIRN_ETMV2_OFFSET_BEGIN, /* a trigger took the place */
    CAIRN_ETMV2_OFFSET_HIGH,  /* 4 pins: the high nibble, */
    CAIRN_ETMV2_OFFSET_GAP,   /* and the one that fills up a byte */
};

struct cairn_etmv2_port {
    struct cairn_etm_pins pins;
    uint8_t offset; /* as TRACEPKT has it */
    uint8_t offset_part;
    bool counts; /* cycles without anything are to be captured (6.11) */
};

/* A cycle: PIPESTAT without D, which is WT where no instruction begins, and a group of packets, for which
 * there is room. */
void cairn_etmv2_port_cycle(struct cairn_etmv2_port *port, unsigned pipestat, const uint8_t *group,
                            size_t size);
/* A cycle with a TFO, and its packet. Not while the offset of one is shown. */
void cairn_etmv2_port_tfo(struct cairn_etmv2_port *port, const uint8_t *packet, size_t size);
/* Cycles in which nothing is executed. */
void cairn_etmv2_port_wait(struct cairn_etmv2_port *port, uint64_t cycles);

/* Whether a cycle has something to show. */
static inline bool cairn_etmv2_port_is_busy(const struct cairn_etmv2_port *port)
{
    return port->pins.count > 0 || port->offset_part != CAIRN_ETMV2_OFFSET_NONE;
}

#endif
