/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv2/encode.h"

#include "base/bytes.h"

enum {
    GROUP_BITS = 7,
    GROUP = 0x7f,
    MORE = 0x80, /* another byte of the address follows */
    /* headers (Table 6-2) */
    NORMAL_DATA = 0x02,
    MISS_OCCURRED = 0x50,
    MISS_DATA = 0x00,
    NOT_TRACED = 0x6a,
    CONTEXT_ID = 0x6e,
    A_BIT = 0x20,
    SIZE_SHIFT = 2,         /* SS */
    OCCURRED_TAG_SHIFT = 2, /* TT */
    DATA_TAG_SHIFT = 5,
    /* headers of TFO packets (Table 6-6) */
    REASON_SHIFT = 5,
    IN_PROGRESS = 0x80,
    /* the steps of a branch address (6.7.1) */
    PREFIX_BIT = 32,
    EXCEPTION_BIT = 34, /* bit 6 of the fifth byte */
    BRANCH = 1,
    /* TRACEPKT of a TFO (6.5.1) */
    OFFSET = 1,
    OFFSET_NOT_64 = 8,
};

/* Splits `bits` into `count` pieces of seven, the lowest first. */
static size_t put_pieces(uint64_t bits, unsigned count, uint8_t *bytes)
{
    for (unsigned i = 0; i < count; i++)
        bytes[i] =
            (uint8_t)((bits >> (GROUP_BITS * i) & GROUP) | (i + 1u < count ? (unsigned)MORE : 0u));
    return count;
}

/* The pieces that reach the highest bit that has changed. */
static unsigned pieces_of(uint64_t changed)
{
    unsigned count = 1;

    while (count < CAIRN_ETMV2_WHOLE_ADDRESS && changed >> (GROUP_BITS * count))
        count++;
    return count;
}

/* Steps 1 to 3 of 6.7.1. */
static uint64_t branch_bits(struct cairn_etmv2_place place)
{
    const uint64_t prefixed = UINT64_C(1) << PREFIX_BIT | place.address;

    return (place.thumb ? prefixed >> 1 : prefixed >> 2) << 1 | BRANCH;
}

size_t cairn_etmv2_encode_branch(struct cairn_etmv2_encoder *encoder,
                                 struct cairn_etmv2_place place, bool cancels,
                                 uint8_t bytes[CAIRN_ETMV2_WHOLE_ADDRESS])
{
    const struct cairn_etmv2_place before = {encoder->address, encoder->thumb};
    const uint64_t bits = branch_bits(place);
    const bool whole = cancels || place.thumb != before.thumb;
    const unsigned count =
        whole ? CAIRN_ETMV2_WHOLE_ADDRESS : pieces_of(bits ^ branch_bits(before));

    encoder->address = place.address;
    encoder->thumb = place.thumb;
    return put_pieces(bits | (cancels ? UINT64_C(1) << EXCEPTION_BIT : 0), count, bytes);
}

static size_t put_data_address(struct cairn_etmv2_encoder *encoder,
                               const struct cairn_etmv2_transfer *transfer, uint8_t *bytes)
{
    const unsigned count =
        transfer->full ? CAIRN_ETMV2_WHOLE_ADDRESS : pieces_of(transfer->address ^ encoder->data);

    if (!encoder->has_addresses || !transfer->first)
        return 0;
    encoder->data = transfer->address;
    return put_pieces(transfer->address, count, bytes);
}

/* SS (Table 6-3): without values there are no leading zeros to be left out, and it is 0. */
static unsigned value_size(const struct cairn_etmv2_encoder *encoder, uint32_t value)
{
    if (!encoder->has_values || value == 0)
        return 0;
    if (value < 0x100)
        return 1;
    return value < 0x10000 ? 2 : 3;
}

static size_t put_value(unsigned size, uint32_t value, uint8_t *bytes)
{
    static const uint8_t counts[] = {0, 1, 2, 4};

    for (unsigned i = 0; i < counts[size]; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    return counts[size];
}

size_t cairn_etmv2_encode_data(struct cairn_etmv2_encoder *encoder,
                               const struct cairn_etmv2_transfer *transfer,
                               uint8_t bytes[CAIRN_ETMV2_DATA_BYTES])
{
    const unsigned size = value_size(encoder, transfer->value);
    size_t length = 1;

    bytes[0] =
        (uint8_t)(NORMAL_DATA | (transfer->first ? (unsigned)A_BIT : 0u) | size << SIZE_SHIFT);
    length += put_data_address(encoder, transfer, bytes + length);
    return length + put_value(size, transfer->value, bytes + length);
}

size_t cairn_etmv2_encode_miss(struct cairn_etmv2_encoder *encoder,
                               const struct cairn_etmv2_transfer *transfer, unsigned tag,
                               uint8_t bytes[CAIRN_ETMV2_DATA_BYTES])
{
    bytes[0] = (uint8_t)(MISS_OCCURRED | (transfer->first ? (unsigned)A_BIT : 0u) |
                         tag << OCCURRED_TAG_SHIFT);
    return 1 + put_data_address(encoder, transfer, bytes + 1);
}

size_t cairn_etmv2_encode_miss_data(const struct cairn_etmv2_encoder *encoder, uint32_t value,
                                    unsigned tag, uint8_t bytes[CAIRN_ETMV2_DATA_BYTES])
{
    const unsigned size = value_size(encoder, value);

    bytes[0] = (uint8_t)(MISS_DATA | tag << DATA_TAG_SHIFT | size << SIZE_SHIFT);
    return 1 + put_value(size, value, bytes + 1);
}

size_t cairn_etmv2_encode_not_traced(uint8_t bytes[1])
{
    bytes[0] = NOT_TRACED;
    return 1;
}

static size_t put_context(const struct cairn_etmv2_encoder *encoder, uint32_t id, uint8_t *bytes)
{
    for (unsigned i = 0; i < encoder->context_bytes; i++)
        bytes[i] = (uint8_t)(id >> (8 * i));
    return encoder->context_bytes;
}

size_t cairn_etmv2_encode_context(const struct cairn_etmv2_encoder *encoder, uint32_t id,
                                  uint8_t bytes[CAIRN_ETMV2_CONTEXT_BYTES])
{
    bytes[0] = CONTEXT_ID;
    return 1 + put_context(encoder, id, bytes + 1);
}

size_t cairn_etmv2_tfo_size(const struct cairn_etmv2_encoder *encoder)
{
    return 1u + encoder->context_bytes + sizeof(uint32_t);
}

size_t cairn_etmv2_encode_tfo(struct cairn_etmv2_encoder *encoder, unsigned reason, uint32_t id,
                              struct cairn_etmv2_place place,
                              const struct cairn_etmv2_place *current,
                              uint8_t bytes[CAIRN_ETMV2_TFO_BYTES])
{
    size_t length = 1;

    bytes[0] = (uint8_t)(reason << REASON_SHIFT | (current ? (unsigned)IN_PROGRESS : 0u));
    length += put_context(encoder, id, bytes + length);
    cairn_store_le32(bytes + length, place.address | place.thumb);
    length += sizeof(uint32_t);
    encoder->address = place.address;
    encoder->thumb = place.thumb;
    return current ? length + cairn_etmv2_encode_branch(encoder, *current, false, bytes + length)
                   : length;
}

unsigned cairn_etmv2_encode_offset(unsigned offset)
{
    const unsigned low = offset & 0xf, high = offset >> 4 & 3;

    return low << 4 | (offset & 64 ? 0u : (unsigned)OFFSET_NOT_64) | high << 1 | OFFSET;
}
