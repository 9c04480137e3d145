/* SPDX-License-Identifier: BSD-2-Clause */
/* A transfer as data packets of ETMv2 and ETMv3 have it: 4 bytes each, the lowest address first. */
#ifndef CAIRN_UNIT_ETM_WORDS_H
#define CAIRN_UNIT_ETM_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <cairn/unit.h>

#define CAIRN_ETM_WORD 4u

/* One data packet's worth of a transfer. */
struct cairn_etm_word {
    uint32_t address, value;
    uint8_t bytes;
    bool has_address, has_value, big_endian;
};

/* How many there are: 1 or 2. */
unsigned cairn_etm_words(const struct cairn_unit_transfer *transfer,
                         struct cairn_etm_word words[2]);

#endif
