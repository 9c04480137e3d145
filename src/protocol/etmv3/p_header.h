/* SPDX-License-Identifier: BSD-2-Clause */
/* What P-headers say (IHI0014 7.3.1). */
#ifndef CAIRN_PROTOCOL_ETMV3_P_HEADER_H
#define CAIRN_PROTOCOL_ETMV3_P_HEADER_H

#include <stdint.h>

struct cairn_etmv3_config;

#define CAIRN_ETMV3_P_HEADER 0x80u /* of its bits; bit 0 is 0 */

struct cairn_etmv3_p_header {
    uint16_t bits; /* of the atoms: 1 is E, the oldest in bit 0 */
    uint8_t atoms;
    uint8_t waits; /* W's before the first; none and no atoms: it is no P-header */
    uint8_t ones;  /* atoms, if each has one W before it; else 0 */
};

/* What a byte says as the header of a packet. */
struct cairn_etmv3_p_header cairn_etmv3_p_header(const struct cairn_etmv3_config *config,
                                                 unsigned header);

#endif
