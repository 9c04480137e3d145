/* SPDX-License-Identifier: BSD-2-Clause */
/* Data packets straight from the bytes to DATA elements (IHI0014 7.4), for who takes them past the
 * levels: the same elements, and the same state behind them. */
#ifndef CAIRN_PROTOCOL_ETMV3_PLAIN_DATA_H
#define CAIRN_PROTOCOL_ETMV3_PLAIN_DATA_H

#include "base/bytes.h"
#include "protocol/etmv3/elements.h"

#define CAIRN_ETMV3_DATA_MARGIN 16u /* bytes that are looked at of each packet */

/* What data addresses are compressed against. */
struct cairn_etmv3_data_place {
    uint32_t address;
    uint8_t known; /* low bits that are certain */
    bool big_endian;
};

static inline struct cairn_etmv3_data_place
cairn_etmv3_data_place_of(const struct cairn_etmv3_state *state)
{
    return (struct cairn_etmv3_data_place){state->data_address, state->data_known,
                                           state->big_endian};
}

static inline void cairn_etmv3_to_data_place(struct cairn_etmv3_state *state,
                                             const struct cairn_etmv3_data_place *place)
{
    state->data_address = place->address;
    state->data_known = place->known;
    state->big_endian = place->big_endian;
}

/* 00A0SS10 */
static inline bool cairn_etmv3_is_normal_data(unsigned header)
{
    return (header & 0xd3) == 0x02;
}

/* An address of one to five bytes (7.4.2); the fifth has BE as well, from v3.1 on. Returns their
 * number. */
static inline unsigned cairn_etmv3_read_data_address(uint64_t bytes, bool has_order,
                                                     struct cairn_etmv3_data_place *place)
{
    const uint64_t ends = ~bytes & UINT64_C(0x80808080); /* bytes that none follows */
    const uint32_t groups = (uint32_t)(bytes & 0x7f) | (uint32_t)(bytes >> 8 & 0x7f) << 7 |
                            (uint32_t)(bytes >> 16 & 0x7f) << 14 |
                            (uint32_t)(bytes >> 24 & 0x7f) << 21;

    if (ends == 0) {
        *place = (struct cairn_etmv3_data_place){groups | (uint32_t)(bytes >> 32 & 15) << 28, 32,
                                                 has_order && (bytes >> 36 & 1)};
        return 5;
    }
    const unsigned count = (unsigned)__builtin_ctzll(ends) / 8 + 1;
    const uint32_t mask = (UINT32_C(1) << (7 * count)) - 1;

    place->address = (place->address & ~mask) | (groups & mask);
    if (place->known < 7 * count)
        place->known = (uint8_t)(7 * count);
    return count;
}

/* The Normal data packet there. Returns its length; the margin is there. */
static inline unsigned cairn_etmv3_read_normal_data(const struct cairn_etmv3_config *config,
                                                    const uint8_t *at,
                                                    struct cairn_etmv3_data_place *place,
                                                    struct cairn_element_data *element)
{
    const unsigned half = at[0] >> 2 & 3; /* SS: 0, 1, 2 or 4 bytes */
    const unsigned size = half == 3 ? 4 : half;
    const bool expected = at[0] & 0x20;
    unsigned length = 1;
    unsigned info = expected ? CAIRN_DATA_FIRST : 0;
    uint64_t bytes;

    *element = (struct cairn_element_data){.cycles = CAIRN_DATA_FORM(CAIRN_DATA_NORMAL, size, 0)};
    if (expected && config->data_address) {
        bytes = cairn_load_le64(at + 1);
        length += cairn_etmv3_read_data_address(bytes, config->minor >= 1, place);
        if (place->known == 32) {
            element->address = place->address;
            info |= CAIRN_DATA_HAS_ADDRESS | (place->big_endian ? CAIRN_DATA_BIG_ENDIAN : 0);
        }
    }
    if (config->data_value) {
        bytes = cairn_load_le64(at + length);
        element->value = bytes & ((UINT64_C(1) << 8 * size) - 1);
        info |= CAIRN_DATA_HAS_VALUE;
        length += size;
    }
    element->info = (uint8_t)info;
    return length;
}

/* plain_data.c: a data packet of another kind (`kind`, which this source may have), with the state
 * before it and what it leaves of that. Returns its length; 0: it is none. */
unsigned cairn_etmv3_read_other_data(const struct cairn_etmv3_config *config, unsigned kind,
                                     const uint8_t *at, uint64_t offset,
                                     struct cairn_etmv3_data_place *place,
                                     struct cairn_etmv3_tags *tags,
                                     struct cairn_element_data *element, unsigned *flags);

#endif
