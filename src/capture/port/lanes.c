/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/lanes.h"

#define CTL (UINT64_C(1) << CAIRN_PORT_CTL)
#define TRIGGER 0x0cu  /* 7.8.1 */
#define IGNORE 0x66u   /* 7.8.2 */
#define IDLE_DATA 0x3u /* TRACEDATA[1:0] */

bool cairn_port_lanes_have(unsigned width)
{
    return width == 1 || width == 2 || width == 4 ||
           (width % 8 == 0 && width && width <= CAIRN_PORT_DATA_MAX);
}

size_t cairn_port_lanes_put(struct cairn_port_lanes *lanes, uint8_t byte,
                            uint64_t cycles[CAIRN_PORT_LANE_CYCLES])
{
    const uint64_t mask = (UINT64_C(1) << lanes->width) - 1;
    size_t count = 0;

    lanes->bits |= (uint64_t)byte << lanes->count;
    lanes->count += 8;
    while (lanes->count >= lanes->width) {
        cycles[count++] = (lanes->bits & mask) | (lanes->trigger ? CTL : 0);
        lanes->trigger = false; /* of a trigger on fewer than 8 pins: the first cycle alone */
        lanes->bits >>= lanes->width;
        lanes->count -= lanes->width;
    }
    return count;
}

size_t cairn_port_lanes_fill(struct cairn_port_lanes *lanes,
                             uint64_t cycles[CAIRN_PORT_LANE_CYCLES])
{
    size_t count = 0;

    while (lanes->count)
        count += cairn_port_lanes_put(lanes, IGNORE, cycles + count);
    return count;
}

size_t cairn_port_lanes_trigger(struct cairn_port_lanes *lanes,
                                uint64_t cycles[CAIRN_PORT_LANE_CYCLES])
{
    const size_t count = cairn_port_lanes_fill(lanes, cycles);

    lanes->trigger = true;
    return count + cairn_port_lanes_put(lanes, TRIGGER, cycles + count);
}

uint64_t cairn_port_lanes_idle(void)
{
    return CTL | IDLE_DATA;
}
