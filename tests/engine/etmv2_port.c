/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv2_port.h"

#include <string.h>

enum { SAMPLE = 4, ROOM = 64 * SAMPLE, GAP = 6, FILLER = 0x66 };

bool port_has_room(const struct port *port, unsigned bytes)
{
    return port->level + bytes <= PORT_FIFO && port->size + ROOM <= PORT_BYTES;
}

static void put_sample(struct port *port, unsigned status, unsigned packet)
{
    port->bytes[port->size++] = (uint8_t)status;
    port->bytes[port->size++] = 0;
    port->bytes[port->size++] = (uint8_t)packet;
    port->bytes[port->size++] = (uint8_t)(packet >> 8);
}

static uint8_t pull(struct port *port)
{
    const uint8_t byte = port->fifo[0];

    memmove(port->fifo, port->fifo + 1, --port->level);
    return byte;
}

/* What is on TRACEPKT in a cycle that is neither TD nor TR. */
static unsigned come_out(struct port *port)
{
    unsigned packet;

    if (port->extras > 0) {
        packet = port->extra[0];
        memmove(port->extra, port->extra + 1, --port->extras);
        return packet;
    }
    if (port->level == 0)
        return 0x6666u & ((1u << port->pins) - 1);
    if (port->pins == 4) {
        port->half = !port->half;
        return port->half ? port->fifo[0] & 15u : pull(port) >> 4;
    }
    packet = pull(port);
    if (port->pins == 16)
        packet |= (port->level > 0 ? pull(port) : (unsigned)FILLER) << 8;
    return packet;
}

static void add_group(struct port *port, const uint8_t *group, unsigned bytes)
{
    memcpy(port->fifo + port->level, group, bytes);
    port->level += bytes;
}

void port_cycle(struct port *port, unsigned status, const uint8_t *group, unsigned bytes)
{
    if (bytes > 0)
        add_group(port, group, bytes);
    if (port->trigger) {
        port->trigger = false;
        put_sample(port, PORT_TR, status);
        return;
    }
    if (status == PORT_WT && port->level == 0 && port->extras == 0) {
        put_sample(port, PORT_TD, 0);
        return;
    }
    put_sample(port, status, come_out(port));
}

/* By the formula of 6.5.1. */
static unsigned offset_byte(unsigned value)
{
    return (value & 15) << 4 | (value >> 6 & 1 ? 0u : 8u) | (value >> 4 & 3) << 1 | 1;
}

void port_tfo(struct port *port, const uint8_t *packet, unsigned bytes)
{
    const unsigned value = offset_byte(port->level);
    const bool triggered = port->trigger;

    port->trigger = false;
    port->extras = 0;
    if (triggered)
        port->extra[port->extras++] = (uint8_t)(port->pins == 4 ? value & 15 : value);
    if (port->pins == 4) {
        port->extra[port->extras++] = (uint8_t)(value >> 4);
        if (port->half)
            port->extra[port->extras++] = GAP;
    }
    if (triggered)
        put_sample(port, PORT_TR, PORT_TD);
    else
        put_sample(port, PORT_TD, port->pins == 4 ? value & 15 : value);
    add_group(port, packet, bytes);
}

void port_drain(struct port *port)
{
    while (port->level > 0 || port->extras > 0)
        port_cycle(port, PORT_WT, NULL, 0);
}
