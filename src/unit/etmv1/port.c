/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv1/port.h"

#define NIBBLE 0xfu
#define WIDE 16u
#define NARROW 4u
#define LANE_BITS 8u
#define IDLE_COUNTED 1u /* TRACEPKT[0] where a TD is to be captured (5.10) */

static uint32_t slot(const struct cairn_etmv1_port *port, uint32_t n)
{
    return (port->head + n) % CAIRN_ETMV1_FIFO_MOST;
}

void cairn_etmv1_port_push(struct cairn_etmv1_port *port, const uint8_t *bytes, size_t size,
                           bool branch)
{
    for (size_t i = 0; i < size && port->count < CAIRN_ETMV1_FIFO_MOST; i++) {
        const uint32_t at = slot(port, port->count++);

        port->bytes[at] = bytes[i];
        port->first[at] = branch && i == 0;
    }
}

unsigned cairn_etmv1_port_branches(const struct cairn_etmv1_port *port)
{
    unsigned branches = 0;

    for (uint32_t i = port->high_nibble ? 1 : 0; i < port->count; i++)
        branches += port->first[slot(port, i)];
    return branches;
}

/* --- samples --- */

void cairn_etmv1_port_deliver(struct cairn_etmv1_port *port)
{
    if (port->sink && port->size > 0 && port->status == CAIRN_OK)
        port->status = port->sink(port->sink_context, port->samples, port->size);
    if (port->status == CAIRN_OK)
        port->delivered += port->size;
    port->size = 0;
}

static void put_sample(struct cairn_etmv1_port *port, unsigned pipestat, unsigned packet, bool sync)
{
    const struct cairn_sample sample = {
        .pipestat = (uint8_t)pipestat,
        .flags = (uint8_t)((sync ? CAIRN_SAMPLE_SYNC : 0) | (port->lost ? CAIRN_SAMPLE_LOST : 0)),
        .packet = (uint16_t)packet,
    };

    if (port->size + CAIRN_SAMPLE_BYTES > sizeof port->samples)
        cairn_etmv1_port_deliver(port);
    cairn_sample_store(port->samples + port->size, sample);
    port->size += CAIRN_SAMPLE_BYTES;
    port->lost = false;
}

/* What the pins show where no packet is: as example 5-1 has it. */
static unsigned filler(const struct cairn_etmv1_port *port)
{
    return port->cycle_accurate && port->counts ? IDLE_COUNTED : 0;
}

/* --- packets that leave --- */

static uint8_t pop(struct cairn_etmv1_port *port)
{
    const uint8_t byte = port->bytes[port->head];

    port->head = slot(port, 1);
    port->count--;
    return byte;
}

/* Whether the second of two packets may stand beside the first (5.3.1). */
static bool makes_a_pair(const struct cairn_etmv1_port *port)
{
    return port->count > 1 && !port->first[slot(port, 1)];
}

/* Whether a cycle shows packets. A lone one keeps a wide port waiting for a status. */
static bool shows_packets(const struct cairn_etmv1_port *port, bool waits)
{
    if (port->count == 0)
        return false;
    return port->width != WIDE || !waits || port->draining || makes_a_pair(port);
}

static unsigned take_packets(struct cairn_etmv1_port *port)
{
    unsigned packet;

    if (port->width == NARROW) {
        port->high_nibble = !port->high_nibble;
        return port->high_nibble ? port->bytes[port->head] & NIBBLE : (unsigned)pop(port) >> 4;
    }
    if (port->width != WIDE || !makes_a_pair(port))
        return pop(port);
    packet = pop(port);
    return packet | (unsigned)pop(port) << LANE_BITS;
}

/* The FIFO stands still for a trigger, which shows the status where packets would be (5.1.1). */
static void show_trigger(struct cairn_etmv1_port *port, unsigned pipestat)
{
    port->triggers = false;
    put_sample(port, CAIRN_ETMV1_PIPESTAT_TR, pipestat, false);
}

void cairn_etmv1_port_status(struct cairn_etmv1_port *port, unsigned pipestat)
{
    port->clock++;
    if (port->triggers) {
        show_trigger(port, pipestat);
        return;
    }
    const bool shows = shows_packets(port, false);
    const bool sync = shows && !port->high_nibble && port->first[port->head];

    put_sample(port, pipestat, shows ? take_packets(port) : filler(port), sync);
}

static void wait_once(struct cairn_etmv1_port *port)
{
    const bool shows = shows_packets(port, true);
    const unsigned pipestat = shows ? CAIRN_ETMV1_PIPESTAT_WT : CAIRN_ETMV1_PIPESTAT_TD;
    const bool sync = shows && !port->high_nibble && port->first[port->head];

    port->clock++;
    if (port->triggers)
        show_trigger(port, pipestat);
    else if (shows)
        put_sample(port, pipestat, take_packets(port), sync);
    else if (filler(port))
        put_sample(port, pipestat, filler(port), false);
}

bool cairn_etmv1_port_is_busy(const struct cairn_etmv1_port *port)
{
    return shows_packets(port, true);
}

/* A feed may pass any time in one call: what is written of it has a bound, and what is left out is
 * said. */
void cairn_etmv1_port_wait(struct cairn_etmv1_port *port, uint64_t cycles)
{
    uint64_t idle;

    while (cycles > 0 && (port->triggers || cairn_etmv1_port_is_busy(port))) {
        wait_once(port);
        cycles--;
    }
    idle = filler(port) ? cycles : 0;
    if (idle > CAIRN_ETMV1_IDLE_MOST)
        idle = CAIRN_ETMV1_IDLE_MOST;
    for (uint64_t i = 0; i < idle; i++)
        wait_once(port);
    cycles -= idle;
    port->lost = port->lost || (cycles > 0 && filler(port));
    port->clock = cycles > UINT64_MAX - port->clock ? UINT64_MAX : port->clock + cycles;
}
