/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/modes.h"

#include <stdio.h>
#include <strings.h>

/* ETMCR: bit 13 is half-rate clocking, or Port mode [2] of ETMv3. */
#define HIGH_SHIFT 13
#define LOW_SHIFT 16
#define LOW_MASK 0x3u
#define HALF 0x4u
/* Port mode [2:0] of ETMv3 (Table 2-18) */
#define DYNAMIC 0x0u
#define RESERVED 0x2u

static const struct cairn_port_clocking modes[] = {
    {.mode = CAIRN_PORT_MODE_NORMAL,
     .name = "normal",
     .edges = 1,
     .cycles = 1,
     .in_old = true,
     .etmcr = 0,
     .clock_percent = 100,
     .data_percent = 100,
     .pin_percent = 100},
    {.mode = CAIRN_PORT_MODE_MULTIPLEXED,
     .name = "multiplexed",
     .both_edges = true,
     .edges = 2,
     .cycles = 1,
     .in_old = true,
     .etmcr = 1,
     .clock_percent = 100,
     .data_percent = 200,
     .pin_percent = 50},
    {.mode = CAIRN_PORT_MODE_DEMULTIPLEXED,
     .name = "demultiplexed",
     .edges = 1,
     .cycles = 2,
     .in_old = true,
     .etmcr = 2,
     .clock_percent = 50,
     .data_percent = 50,
     .pin_percent = 200},
    /* of ETMv3 any of its modes but the dynamic one, 1:1 for one: the device cannot tell them apart */
    {.mode = CAIRN_PORT_MODE_HALF_RATE,
     .name = "half-rate",
     .both_edges = true,
     .edges = 1,
     .cycles = 1,
     .in_old = true,
     .in_new = true,
     .etmcr = HALF | 0,
     .clock_percent = 50,
     .data_percent = 100,
     .pin_percent = 100},
    {.mode = CAIRN_PORT_MODE_DEMULTIPLEXED_HALF_RATE,
     .name = "demultiplexed-half-rate",
     .both_edges = true,
     .edges = 1,
     .cycles = 2,
     .in_old = true,
     .etmcr = HALF | 2,
     .clock_percent = 25,
     .data_percent = 50,
     .pin_percent = 200},
    /* captured on the chip, by the trace unit's own clock */
    {.mode = CAIRN_PORT_MODE_DYNAMIC,
     .name = "dynamic",
     .edges = 1,
     .cycles = 1,
     .in_new = true,
     .etmcr = DYNAMIC,
     .data_percent = 100,
     .pin_percent = 100},
};
#define MODE_COUNT (sizeof modes / sizeof modes[0])

static bool has(enum cairn_port_kind kind, const struct cairn_port_clocking *clocking)
{
    return kind == CAIRN_PORT_V3 ? clocking->in_new : clocking->in_old;
}

const struct cairn_port_clocking *cairn_port_clocking(enum cairn_port_kind kind,
                                                      enum cairn_port_mode mode)
{
    if (mode == CAIRN_PORT_MODE_DEFAULT)
        mode = kind == CAIRN_PORT_V3 ? CAIRN_PORT_MODE_HALF_RATE : CAIRN_PORT_MODE_NORMAL;
    for (size_t i = 0; i < MODE_COUNT; i++)
        if (modes[i].mode == mode)
            return has(kind, &modes[i]) ? &modes[i] : NULL;
    return NULL;
}

const struct cairn_port_clocking *cairn_port_clocking_named(const char *name)
{
    for (size_t i = 0; i < MODE_COUNT; i++)
        if (!strcasecmp(modes[i].name, name))
            return &modes[i];
    return NULL;
}

const struct cairn_port_clocking *cairn_port_clocking_of_etmcr(enum cairn_port_kind kind,
                                                               uint64_t etmcr)
{
    const unsigned code =
        (unsigned)(etmcr >> LOW_SHIFT & LOW_MASK) | (etmcr >> HIGH_SHIFT & 1 ? HALF : 0);

    if (kind == CAIRN_PORT_V3 && code == RESERVED)
        return NULL;
    if (kind == CAIRN_PORT_V3)
        return cairn_port_clocking(kind, code == DYNAMIC ? CAIRN_PORT_MODE_DYNAMIC
                                                         : CAIRN_PORT_MODE_HALF_RATE);
    for (size_t i = 0; i < MODE_COUNT; i++)
        if (modes[i].in_old && modes[i].etmcr == code)
            return &modes[i];
    return NULL;
}

uint32_t cairn_port_etmcr_of_clocking(const struct cairn_port_clocking *clocking)
{
    return (clocking->etmcr & LOW_MASK) << LOW_SHIFT | (uint32_t)(clocking->etmcr >= HALF)
                                                           << HIGH_SHIFT;
}

void cairn_port_clocking_list(enum cairn_port_kind kind, char text[CAIRN_PORT_MODES_TEXT])
{
    size_t length = 0;

    text[0] = 0;
    for (size_t i = 0; i < MODE_COUNT; i++)
        if (has(kind, &modes[i]))
            length += (size_t)snprintf(text + length, CAIRN_PORT_MODES_TEXT - length, "%s%s",
                                       length ? ", " : "", modes[i].name);
}
