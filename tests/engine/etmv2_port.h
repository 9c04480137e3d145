/* SPDX-License-Identifier: BSD-2-Clause */
/* The pins of an ETMv2's trace port in a few lines, for tests: a FIFO, statuses, offsets, and which byte
 * comes out when (IHI0014 6.2, 6.3, 6.5.1). It knows nothing of what is in packets. */
#ifndef CAIRN_TESTS_ENGINE_ETMV2_PORT_H
#define CAIRN_TESTS_ENGINE_ETMV2_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PORT_FIFO = 80, PORT_BYTES = 1 << 16, PORT_EXTRA = 4 };

enum port_status { PORT_IE = 0, PORT_WT = 4, PORT_DW = 5, PORT_TR = 6, PORT_TD = 7 };

struct port {
    unsigned pins; /* 4, 8 or 16 */
    uint8_t fifo[PORT_FIFO];
    unsigned level;
    bool half;                 /* with 4 pins: the low nibble of the first byte is out */
    uint8_t extra[PORT_EXTRA]; /* TRACEPKT of the next cycles: of an offset, or the gap nibble */
    unsigned extras;
    bool trigger;              /* in the next cycle */
    uint8_t bytes[PORT_BYTES]; /* samples */
    size_t size;
};

/* Whether a group of so many bytes has room, and there is room for samples. */
bool port_has_room(const struct port *port, unsigned bytes);
/* A cycle, with a group of packets where the status places one. */
void port_cycle(struct port *port, unsigned status, const uint8_t *group, unsigned bytes);
/* A TFO, with its packet. */
void port_tfo(struct port *port, const uint8_t *packet, unsigned bytes);
/* Cycles of WT until the FIFO is empty. */
void port_drain(struct port *port);

#endif
