/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv3/p_header.h"

#include "protocol/etmv3/etmv3.h"

/* 1NEEEE00: so many E, and if N is 1 an N behind them. 1000FS10: the first and the second, each N if
 * its bit is 1. */
static struct cairn_etmv3_p_header header_of_atoms(unsigned header)
{
    const unsigned executed = header >> 2 & 15;
    struct cairn_etmv3_p_header says = {0};

    if ((header & 0x83) == 0x80) {
        says.atoms = (uint8_t)(executed + (header >> 6 & 1));
        says.bits = (uint16_t)((1u << executed) - 1);
    } else if ((header & 0xf3) == 0x82) {
        says.atoms = 2;
        says.bits = (uint16_t)((~header >> 3 & 1) | (~header >> 1 & 2));
    }
    return says;
}

/* The cycle-accurate ones: 1N0EEE00 with a W before each atom, 1000FS10 with one before both,
 * 1E1WWW00 with WWW + 1 of them, 10010F10 without, 10000000 that is one. Those that a version does
 * not have have no atoms. */
static struct cairn_etmv3_p_header header_with_waits(const struct cairn_etmv3_config *config,
                                                     unsigned header)
{
    const unsigned three = header >> 2 & 7;
    const bool top = (header & 0x40) != 0;
    struct cairn_etmv3_p_header says = {0};

    if ((header & 0xa3) == 0x80) {
        says.atoms = (uint8_t)(three + top);
        says.bits = (uint16_t)((1u << three) - 1);
        says.ones = says.atoms;
        says.waits = says.atoms > 0 || config->minor == 0;
    } else if ((header & 0xf3) == 0x82) {
        says = header_of_atoms(header);
        says.waits = 1;
    } else if ((header & 0xa3) == 0xa0) {
        says =
            (struct cairn_etmv3_p_header){.bits = top, .atoms = top, .waits = (uint8_t)(three + 1)};
    } else if ((header & 0xfb) == 0x92 && config->minor >= 3) {
        says = (struct cairn_etmv3_p_header){.bits = !(header & 4), .atoms = 1};
    }
    return says;
}

struct cairn_etmv3_p_header cairn_etmv3_p_header(const struct cairn_etmv3_config *config,
                                                 unsigned header)
{
    return config->cycle_accurate ? header_with_waits(config, header) : header_of_atoms(header);
}
