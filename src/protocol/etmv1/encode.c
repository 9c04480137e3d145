/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv1/encode.h"

#define GROUP_BITS 7u
#define GROUP 0x7fu
#define CONTINUES 0x80u
#define TOP_SHIFT 28u /* the fifth packet: bits 31:28 of the address, */
#define WHY_SHIFT 4u  /* the reason, */
#define JAZELLE 0x80u /* and in ETMv1.3 the J bit */
#define NO_ETMV1 (UINT32_C(1) << 31)

const struct cairn_etmv1_edition *cairn_etmv1_edition_of(uint32_t ETMCCR)
{
    static const struct cairn_etmv1_edition versions[] = {
        {.minor = 0},
        {.minor = 1, .has_status = true},
        {.minor = 2, .has_status = true, .context_ids = true},
        {.minor = 3, .has_status = true, .context_ids = true, .jazelle = true},
    };
    /* 4, 5 and 7 are what revisions that mend errata say. */
    static const int8_t minor_of[] = {0, 1, 2, 3, 2, 3, -1, 3};
    const int8_t minor = minor_of[ETMCCR >> 28 & 7u];

    return ETMCCR & NO_ETMV1 || minor < 0 ? NULL : &versions[minor];
}

/* The packets that reach the highest bit that has changed. */
static unsigned groups_of(uint32_t changed)
{
    unsigned count = 1;

    while (count < CAIRN_ETMV1_WHOLE_ADDRESS && changed >> (GROUP_BITS * count))
        count++;
    return count;
}

static size_t put_address(uint32_t address, unsigned count, uint8_t *bytes)
{
    for (unsigned i = 0; i < count && i < CAIRN_ETMV1_WHOLE_ADDRESS - 1; i++)
        bytes[i] =
            (uint8_t)((address >> (GROUP_BITS * i) & GROUP) | (i + 1 < count ? CONTINUES : 0));
    if (count == CAIRN_ETMV1_WHOLE_ADDRESS)
        bytes[count - 1] = (uint8_t)(address >> TOP_SHIFT);
    return count;
}

/* As packets have it: bit 1 is 0 in ARM state (5.5.2). */
static uint32_t address_of(const struct cairn_etmv1_target *target)
{
    if (target->jazelle)
        return target->address;
    return target->thumb ? target->address | 1u : target->address & ~UINT32_C(3);
}

static unsigned branch_groups(const struct cairn_etmv1_encoder *encoder,
                              const struct cairn_etmv1_target *target)
{
    return target->full || target->jazelle ? CAIRN_ETMV1_WHOLE_ADDRESS
                                           : groups_of(address_of(target) ^ encoder->branch);
}

static size_t context_size(const struct cairn_etmv1_encoder *encoder,
                           const struct cairn_etmv1_target *target)
{
    return target->full && target->why != CAIRN_ETMV1_WHY_NORMAL ? encoder->context_bytes : 0;
}

size_t cairn_etmv1_branch_size(const struct cairn_etmv1_encoder *encoder,
                               const struct cairn_etmv1_target *target)
{
    return branch_groups(encoder, target) + context_size(encoder, target);
}

size_t cairn_etmv1_encode_branch(struct cairn_etmv1_encoder *encoder,
                                 const struct cairn_etmv1_target *target,
                                 uint8_t bytes[CAIRN_ETMV1_BRANCH_BYTES])
{
    const uint32_t address = address_of(target);
    const unsigned groups = branch_groups(encoder, target);
    const size_t context_bytes = context_size(encoder, target);
    size_t size = put_address(address, groups, bytes);

    if (groups == CAIRN_ETMV1_WHOLE_ADDRESS)
        bytes[size - 1] |= (uint8_t)((target->full ? (unsigned)target->why << WHY_SHIFT : 0u) |
                                     (target->jazelle ? JAZELLE : 0u));
    for (size_t i = 0; i < context_bytes; i++)
        bytes[size++] = (uint8_t)(target->context_id >> (8 * i));
    encoder->branch = address;
    return size;
}

size_t cairn_etmv1_encode_data_address(struct cairn_etmv1_encoder *encoder, uint32_t address,
                                       bool full, uint8_t bytes[CAIRN_ETMV1_WHOLE_ADDRESS])
{
    const unsigned groups = full ? CAIRN_ETMV1_WHOLE_ADDRESS : groups_of(address ^ encoder->data);

    encoder->data = address;
    return put_address(address, groups, bytes);
}

size_t cairn_etmv1_encode_value(uint64_t value, unsigned count, bool big_endian,
                                uint8_t bytes[CAIRN_ETMV1_WHOLE_VALUE])
{
    const unsigned size = count < CAIRN_ETMV1_WHOLE_VALUE ? count : CAIRN_ETMV1_WHOLE_VALUE;

    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * (big_endian ? size - 1 - i : i)));
    return size;
}
