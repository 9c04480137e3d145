/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv1/port.h"

#define LANE_BITS 8u
#define IDLE_COUNTED 1u /* TRACEPKT[0] where a TD is to be captured (5.10) */

void cairn_etmv1_port_push(struct cairn_etmv1_port *port, const uint8_t *bytes, size_t size,
                           bool branch)
{
    struct cairn_etm_pins *pins = &port->pins;

    for (size_t i = 0; i < size && pins->count + i < CAIRN_ETM_PINS_FIFO; i++)
        port->first[cairn_etm_pins_slot(pins, pins->count + (uint32_t)i)] = branch && i == 0;
    cairn_etm_pins_push(pins, bytes, size);
}

unsigned cairn_etmv1_port_branches(const struct cairn_etmv1_port *port)
{
    const struct cairn_etm_pins *pins = &port->pins;
    unsigned branches = 0;

    for (uint32_t i = pins->high_nibble ? 1 : 0; i < pins->count; i++)
        branches += port->first[cairn_etm_pins_slot(pins, i)];
    return branches;
}

/* --- samples --- */

/* What the pins show where no packet is: as example 5-1 has it. */
static unsigned filler(const struct cairn_etmv1_port *port)
{
    return port->cycle_accurate && port->counts ? IDLE_COUNTED : 0;
}

/* --- packets that leave --- */

/* Whether the second of two packets may stand beside the first (5.3.1). */
static bool makes_a_pair(const struct cairn_etmv1_port *port)
{
    return port->pins.count > 1 && !port->first[cairn_etm_pins_slot(&port->pins, 1)];
}

/* Whether a cycle shows packets. A lone one keeps a wide port waiting for a status. */
static bool shows_packets(const struct cairn_etmv1_port *port, bool waits)
{
    if (port->pins.count == 0)
        return false;
    return port->pins.width != CAIRN_ETM_PINS_WIDE || !waits || port->draining ||
           makes_a_pair(port);
}

static unsigned take_packets(struct cairn_etmv1_port *port)
{
    const bool pair = port->pins.width == CAIRN_ETM_PINS_WIDE && makes_a_pair(port);
    const unsigned packet = cairn_etm_pins_take(&port->pins);

    return pair ? packet | cairn_etm_pins_take(&port->pins) << LANE_BITS : packet;
}

/* The FIFO stands still for a trigger, which shows the status where packets would be (5.1.1). */
static void show_trigger(struct cairn_etmv1_port *port, unsigned pipestat)
{
    port->pins.triggers = false;
    cairn_etm_pins_put(&port->pins, CAIRN_ETMV1_PIPESTAT_TR, pipestat, 0);
}

/* TRACESYNC, where packets are shown. */
static unsigned sync_flag(const struct cairn_etmv1_port *port)
{
    return !port->pins.high_nibble && port->first[port->pins.head] ? CAIRN_SAMPLE_SYNC : 0;
}

void cairn_etmv1_port_status(struct cairn_etmv1_port *port, unsigned pipestat)
{
    port->pins.clock = cairn_etm_pins_later(port->pins.clock, 1);
    if (port->pins.triggers) {
        show_trigger(port, pipestat);
        return;
    }
    const bool shows = shows_packets(port, false);
    const unsigned flags = shows ? sync_flag(port) : 0;

    cairn_etm_pins_put(&port->pins, pipestat, shows ? take_packets(port) : filler(port), flags);
}

static void wait_once(struct cairn_etmv1_port *port)
{
    const bool shows = shows_packets(port, true);
    const unsigned pipestat = shows ? CAIRN_ETMV1_PIPESTAT_WT : CAIRN_ETMV1_PIPESTAT_TD;
    const unsigned flags = shows ? sync_flag(port) : 0;

    port->pins.clock = cairn_etm_pins_later(port->pins.clock, 1);
    if (port->pins.triggers)
        show_trigger(port, pipestat);
    else if (shows)
        cairn_etm_pins_put(&port->pins, pipestat, take_packets(port), flags);
    else if (filler(port))
        cairn_etm_pins_put(&port->pins, pipestat, filler(port), 0);
}

bool cairn_etmv1_port_is_busy(const struct cairn_etmv1_port *port)
{
    return shows_packets(port, true);
}

void cairn_etmv1_port_wait(struct cairn_etmv1_port *port, uint64_t cycles)
{
    while (cycles > 0 && (port->pins.triggers || cairn_etmv1_port_is_busy(port))) {
        wait_once(port);
        cycles--;
    }
    const uint64_t written = cairn_etm_pins_idle(&port->pins, cycles, filler(port) != 0);

    for (uint64_t i = 0; i < written; i++)
        wait_once(port);
}
