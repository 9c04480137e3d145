/* SPDX-License-Identifier: BSD-2-Clause */
/* DATA elements -> data packets (IHI0014 7.4). */
#include "protocol/etmv3/encode.h"

#define WHOLE_ADDRESS 32u

/* The bytes that a value takes: leading zeros are left out, three bytes there are not (7.4.2). */
static unsigned value_bytes(uint64_t value)
{
    return value == 0 ? 0 : value < 0x100 ? 1 : value < 0x10000 ? 2 : 4;
}

static void add_address(struct cairn_etmv3_encoder *e, const struct cairn_element_data *data,
                        struct cairn_packet_fields *fields)
{
    fields->info = data->info & CAIRN_DATA_FIRST ? 1 : 0;
    if (!fields->info || !e->etm->data_address)
        return;
    fields->address = data->address & UINT32_MAX;
    if (data->info & CAIRN_DATA_BIG_ENDIAN)
        fields->flags |= CAIRN_PACKET_BIG_ENDIAN;
    if (e->data_sync)
        fields->address_bits = WHOLE_ADDRESS;
}

static void add_value(const struct cairn_etmv3_encoder *e, const struct cairn_element_data *data,
                      struct cairn_packet_fields *fields)
{
    if (!e->etm->data_value)
        return;
    fields->value = data->value & UINT32_MAX;
    fields->size = (uint8_t)value_bytes(fields->value);
}

void cairn_etmv3_encode_data(struct cairn_etmv3_encoder *encoder,
                             const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    const unsigned kind = CAIRN_DATA_KIND(data->cycles);
    struct cairn_packet_fields fields = {.tag = (uint8_t)CAIRN_DATA_TAG(data->cycles)};

    if (encoder->etm->data_only && kind == CAIRN_DATA_SUPPRESSED)
        return;
    switch (kind) {
    case CAIRN_DATA_NORMAL:
        add_address(encoder, data, &fields);
        add_value(encoder, data, &fields);
        cairn_etmv3_encode(encoder, CAIRN_ETMV3_NORMAL_DATA, &fields, out);
        break;
    case CAIRN_DATA_PLACEHOLDER:
        add_address(encoder, data, &fields);
        cairn_etmv3_encode(encoder, CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER, &fields, out);
        break;
    case CAIRN_DATA_LATE:
        add_value(encoder, data, &fields);
        cairn_etmv3_encode(encoder, CAIRN_ETMV3_OUT_OF_ORDER_DATA, &fields, out);
        break;
    case CAIRN_DATA_NOT_TRACED:
        add_address(encoder, data, &fields);
        cairn_etmv3_encode(encoder, CAIRN_ETMV3_VALUE_NOT_TRACED, &fields, out);
        break;
    case CAIRN_DATA_SUPPRESSED:
        cairn_etmv3_encode(encoder, CAIRN_ETMV3_DATA_SUPPRESSED, &fields, out);
        /* Up to ETMv3.2 the next address is a whole one (7.4.6). */
        encoder->data_sync = encoder->data_sync || encoder->etm->minor <= 2;
        break;
    case CAIRN_DATA_STORE_FAILED:
        cairn_etmv3_encode(encoder, CAIRN_ETMV3_STORE_FAILED, &fields, out);
        break;
    default: break;
    }
    if (fields.address_bits == WHOLE_ADDRESS)
        encoder->data_sync = false;
}
