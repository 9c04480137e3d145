/* SPDX-License-Identifier: BSD-2-Clause */
#include "port.h"

enum {
    NIBBLE = 4,
    LOW_NIBBLE = 0xf,
    IDLE_COUNTED = 0x7, /* Table 6-4: trace disabled, cycle-accurate */
};

uint8_t sw_tfo_pins(unsigned value)
{
    const unsigned low = value & 0xf;
    const unsigned middle = (value >> 4) & 3;
    const unsigned top = (value >> 6) & 1;

    return (uint8_t)(low << 4 | (top ^ 1) << 3 | middle << 1 | 1);
}

/* Bits for pins that mean nothing. */
static uint16_t noise(struct sw_port *port)
{
    if (port->noise == 0)
        return 0;
    port->noise = port->noise * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    port->noise |= 1;
    return (uint16_t)(port->noise >> 40);
}

static uint16_t pins_of(const struct sw_port *port)
{
    return (uint16_t)((1U << port->pins) - 1);
}

static void put_sample(struct sw_port *port, unsigned status, unsigned packet)
{
    packet &= pins_of(port);
    if (port->size + 4 > port->capacity) {
        port->is_full = true;
        return;
    }
    port->samples[port->size++] = (uint8_t)status;
    port->samples[port->size++] = 0;
    port->samples[port->size++] = (uint8_t)packet;
    port->samples[port->size++] = (uint8_t)(packet >> 8);
}

static void push(struct sw_port *port, const uint8_t *bytes, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        port->fifo[(port->head + port->count++) % SW_FIFO] = bytes[i];
}

static uint8_t pop(struct sw_port *port)
{
    const uint8_t byte = port->fifo[port->head];

    port->head = (port->head + 1) % SW_FIFO;
    port->count--;
    return byte;
}

/* What the FIFO puts on the pins: it is not empty. */
static unsigned drain(struct sw_port *port)
{
    unsigned packet;

    switch (port->pins) {
    case 4:
        packet = noise(port) & ~(unsigned)LOW_NIBBLE;
        if (!port->half) {
            port->half = true;
            return packet | (port->fifo[port->head] & LOW_NIBBLE);
        }
        port->half = false;
        return packet | pop(port) >> NIBBLE;
    case 8: return pop(port);
    default:
        packet = pop(port);
        return packet | (port->count > 0 ? pop(port) : (unsigned)SW_LONE_BYTE) << 8;
    }
}

static uint8_t take_due(struct sw_port *port)
{
    const uint8_t first = port->due[0];

    port->due[0] = port->due[1];
    port->due[1] = port->due[2];
    port->due_count--;
    return first;
}

/* A value on the lowest pins, noise on the others. */
static unsigned beside_noise(struct sw_port *port, unsigned value, unsigned bits)
{
    return value | (unsigned)noise(port) << bits;
}

static unsigned due_bits(const struct sw_port *port)
{
    return port->pins == 4 ? NIBBLE : 8;
}

void sw_port_cycle(struct sw_port *port, enum sw_status status, bool is_trigger, bool is_counted,
                   const uint8_t *group, unsigned size)
{
    push(port, group, size);
    if (is_trigger) {
        /* 6.1.7: the FIFO stands still; a WT is never made a TD here */
        put_sample(port, SW_TR, beside_noise(port, status, NIBBLE));
        return;
    }
    if (port->due_count > 0) {
        const unsigned value = take_due(port);

        put_sample(port, status, beside_noise(port, value, due_bits(port)));
        return;
    }
    if (port->count > 0) {
        put_sample(port, status, drain(port));
        return;
    }
    if (status != SW_WT)
        put_sample(port, status, noise(port));
    else if (is_counted)
        put_sample(port, SW_TD, beside_noise(port, IDLE_COUNTED, NIBBLE));
    else
        put_sample(port, SW_TD, noise(port) & ~1U);
}

void sw_port_tfo(struct sw_port *port, bool is_trigger, const uint8_t *packet, unsigned size)
{
    const uint8_t value = sw_tfo_pins(port->count);

    if (port->pins == 4) {
        port->due[0] = value & LOW_NIBBLE;
        port->due[1] = value >> NIBBLE;
        port->due[2] = SW_GAP;
        port->due_count = port->half ? 3 : 2;
    } else {
        port->due[0] = value;
        port->due_count = 1;
    }
    push(port, packet, size);
    if (is_trigger) {
        put_sample(port, SW_TR, beside_noise(port, SW_TD, NIBBLE));
    } else {
        const unsigned first = take_due(port);

        put_sample(port, SW_TD, beside_noise(port, first, due_bits(port)));
    }
}

bool sw_port_has_room(const struct sw_port *port, unsigned size)
{
    return port->count + size <= port->depth;
}

bool sw_port_takes_tfo(const struct sw_port *port, unsigned size)
{
    return port->due_count == 0 && port->count <= SW_TFO_MAX && sw_port_has_room(port, size);
}
