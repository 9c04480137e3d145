/* SPDX-License-Identifier: BSD-2-Clause */
/* The data packets that are not Normal data are few: read as the levels read them. */
#include "protocol/etmv3/plain_data.h"

#include "protocol/etmv3/payload.h"

static bool is_other_data(unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA:
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER:
    case CAIRN_ETMV3_STORE_FAILED:
    case CAIRN_ETMV3_DATA_SUPPRESSED:
    case CAIRN_ETMV3_VALUE_NOT_TRACED: return true;
    default: return false;
    }
}

unsigned cairn_etmv3_read_other_data(const struct cairn_etmv3_config *config, unsigned kind,
                                     const uint8_t *at, uint64_t offset,
                                     struct cairn_etmv3_data_place *place,
                                     struct cairn_etmv3_tags *tags,
                                     struct cairn_element_data *element, unsigned *flags)
{
    struct cairn_etmv3_cursor in = {.bytes = at, .size = CAIRN_ETMV3_DATA_MARGIN};
    struct cairn_etmv3_state state = {0};
    struct cairn_packet_fields fields;

    if (!is_other_data(kind))
        return 0;
    cairn_etmv3_to_data_place(&state, place);
    if (cairn_etmv3_payload(config, kind, &state, &in, &fields) != CAIRN_ETMV3_WHOLE)
        return 0;
    *place = cairn_etmv3_data_place_of(&state);
    cairn_etmv3_part(tags, kind);
    *element = (struct cairn_element_data){0};
    *flags = cairn_etmv3_data(tags, kind, offset, &fields, element);
    return (unsigned)in.at;
}
