/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv2/port.h"

#define NIBBLE 0xfu
#define NIBBLE_BITS 4u
#define LANE_BITS 8u
#define FILLER 0x66u    /* the upper lane of a lone byte (6.2) */
#define GAP_NIBBLE 0x6u /* (6.5.1) */
#define IDLE_COUNTED 7u /* TRACEPKT[3:0] where a TD is to be captured (Table 6-4) */

static bool is_narrow(const struct cairn_etmv2_port *port)
{
    return port->pins.width == CAIRN_ETM_PINS_NARROW;
}

static void put(struct cairn_etmv2_port *port, unsigned pipestat, unsigned packet)
{
    cairn_etm_pins_put(&port->pins, pipestat, packet, 0);
}

/* The status that it takes the place of is on TRACEPKT (6.1.7). */
static void put_trigger(struct cairn_etmv2_port *port, unsigned pipestat)
{
    port->pins.triggers = false;
    put(port, CAIRN_ETMV2_PIPESTAT_TR, pipestat);
}

/* --- the offset of a TFO --- */

static void end_offset(struct cairn_etmv2_port *port)
{
    port->offset_part = port->pins.high_nibble ? CAIRN_ETMV2_OFFSET_GAP : CAIRN_ETMV2_OFFSET_NONE;
}

/* TRACEPKT of its first cycle. */
static unsigned begin_offset(struct cairn_etmv2_port *port)
{
    if (is_narrow(port)) {
        port->offset_part = CAIRN_ETMV2_OFFSET_HIGH;
        return port->offset & NIBBLE;
    }
    end_offset(port);
    return port->offset;
}

static unsigned take_offset(struct cairn_etmv2_port *port)
{
    switch (port->offset_part) {
    case CAIRN_ETMV2_OFFSET_BEGIN: return begin_offset(port);
    case CAIRN_ETMV2_OFFSET_HIGH: end_offset(port); return port->offset >> NIBBLE_BITS;
    default: port->offset_part = CAIRN_ETMV2_OFFSET_NONE; return GAP_NIBBLE;
    }
}

void cairn_etmv2_port_tfo(struct cairn_etmv2_port *port, const uint8_t *packet, size_t size)
{
    port->pins.clock = cairn_etm_pins_later(port->pins.clock, 1);
    port->offset = (uint8_t)cairn_etmv2_encode_offset(port->pins.count);
    port->offset_part = CAIRN_ETMV2_OFFSET_BEGIN;
    cairn_etm_pins_push(&port->pins, packet, size);
    if (port->pins.triggers)
        put_trigger(port, CAIRN_ETMV2_PIPESTAT_TD);
    else
        put(port, CAIRN_ETMV2_PIPESTAT_TD, begin_offset(port));
}

/* --- bytes of the FIFO --- */

static unsigned take_bytes(struct cairn_etmv2_port *port)
{
    unsigned packet;

    if (port->pins.count == 0)
        return 0;
    packet = cairn_etm_pins_take(&port->pins);
    if (port->pins.width != CAIRN_ETM_PINS_WIDE)
        return packet;
    return packet | (port->pins.count > 0 ? cairn_etm_pins_take(&port->pins) : FILLER) << LANE_BITS;
}

/* Nothing happens: in its place TD is told, which is captured where cycles count (6.1.6, 6.11). */
static void put_idle(struct cairn_etmv2_port *port)
{
    if (port->counts)
        put(port, CAIRN_ETMV2_PIPESTAT_TD, IDLE_COUNTED);
}

void cairn_etmv2_port_cycle(struct cairn_etmv2_port *port, unsigned pipestat, const uint8_t *group,
                            size_t size)
{
    const unsigned status = pipestat | (size > 0 ? (unsigned)CAIRN_ETMV2_PIPESTAT_D : 0u);

    cairn_etm_pins_push(&port->pins, group, size);
    port->pins.clock = cairn_etm_pins_later(port->pins.clock, 1);
    if (port->pins.triggers)
        put_trigger(port, status);
    else if (port->offset_part != CAIRN_ETMV2_OFFSET_NONE)
        put(port, status, take_offset(port));
    else if (status == CAIRN_ETMV2_PIPESTAT_WT && port->pins.count == 0)
        put_idle(port);
    else
        put(port, status, take_bytes(port));
}

void cairn_etmv2_port_wait(struct cairn_etmv2_port *port, uint64_t cycles)
{
    for (; cycles > 0 && (port->pins.triggers || cairn_etmv2_port_is_busy(port)); cycles--)
        cairn_etmv2_port_cycle(port, CAIRN_ETMV2_PIPESTAT_WT, NULL, 0);
    for (uint64_t left = cairn_etm_pins_idle(&port->pins, cycles, port->counts); left > 0; left--)
        cairn_etmv2_port_cycle(port, CAIRN_ETMV2_PIPESTAT_WT, NULL, 0);
}
