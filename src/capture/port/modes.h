/* SPDX-License-Identifier: BSD-2-Clause */
/* The clocking modes of a trace port (IHI0014 2.10, Tables 2-17 and 2-18), as data. */
#ifndef CAIRN_CAPTURE_PORT_MODES_H
#define CAIRN_CAPTURE_PORT_MODES_H

#include <cairn/port.h>

#include "capture/port/cycle.h"

struct cairn_port_clocking {
    enum cairn_port_mode mode;
    const char *name; /* what --port-mode takes */
    bool both_edges;  /* of TRACECLK; else the rising one alone */
    uint8_t edges;    /* that one sample of all pins takes: 2 in multiplexed mode */
    uint8_t cycles;   /* of the trace unit's clock that one sample is: 2 in demultiplexed modes */
    bool in_old, in_new; /* ETMv1 and ETMv2 have it; ETMv3 has it */
    uint8_t etmcr;       /* bits [13, 17:16] of ETMCR; of ETMv3 one of those that it stands for */
    /* How fast, in hundredths of the trace unit's clock; 0: not said. */
    uint8_t clock_percent, data_percent;
    uint16_t pin_percent; /* pins of the port, in hundredths of the trace unit's */
};

/* NULL: the kind has no such mode. CAIRN_PORT_MODE_DEFAULT: normal, of ETMv3 both edges. */
const struct cairn_port_clocking *cairn_port_clocking(enum cairn_port_kind kind,
                                                      enum cairn_port_mode mode);
/* By name, in any case; NULL: there is none. */
const struct cairn_port_clocking *cairn_port_clocking_named(const char *name);
/* What ETMCR says; NULL: a combination that Tables 2-17 and 2-18 do not have. */
const struct cairn_port_clocking *cairn_port_clocking_of_etmcr(enum cairn_port_kind kind,
                                                               uint64_t etmcr);
/* The bits of ETMCR that say so. */
uint32_t cairn_port_etmcr_of_clocking(const struct cairn_port_clocking *clocking);
/* All bits of an ETMv1's or ETMv2's that tell of the port: its width, [6:4], and its mode. */
#define CAIRN_PORT_ETMCR ((uint64_t)0x7 << 4 | (uint64_t)1 << 13 | (uint64_t)0x3 << 16)
/* "normal, multiplexed ..." of the kind, for a sentence. */
#define CAIRN_PORT_MODES_TEXT 160
void cairn_port_clocking_list(enum cairn_port_kind kind, char text[CAIRN_PORT_MODES_TEXT]);

#endif
