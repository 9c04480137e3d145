/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields -> packets (DDI0486 2.3.1): two words, little endian, and no compression. */
#include "protocol/mtb/mtb.h"

static void put_word(uint8_t *bytes, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

cairn_status cairn_mtb_writer_new(struct cairn_config *config, void **state)
{
    (void)config;
    *state = NULL; /* a packet does not depend on those before */
    return CAIRN_OK;
}

void cairn_mtb_writer_free(void *state)
{
    (void)state;
}

size_t cairn_mtb_writer_write(void *state, unsigned kind, const struct cairn_packet_fields *fields,
                              uint8_t *bytes, size_t capacity)
{
    (void)state;
    const uint64_t source = fields->value;
    const uint64_t destination = fields->address;
    struct cairn_packet_fields read;
    if (capacity < CAIRN_MTB_PACKET_SIZE || ((source | destination) & CAIRN_MTB_FLAG) ||
        source > UINT32_MAX || destination > UINT32_MAX)
        return 0;
    if (kind != CAIRN_MTB_BRANCH && kind != CAIRN_MTB_EXCEPTION &&
        kind != CAIRN_MTB_EXCEPTION_RETURN && kind != CAIRN_MTB_RETURN_TARGET)
        return 0;
    const uint32_t word0 = (uint32_t)source | (fields->info & CAIRN_MTB_A ? CAIRN_MTB_FLAG : 0);
    const uint32_t word1 =
        (uint32_t)destination | (fields->info & CAIRN_MTB_S ? CAIRN_MTB_FLAG : 0);
    if (cairn_mtb_read(word0, word1, &read) != kind)
        return 0;
    put_word(bytes, word0);
    put_word(bytes + 4, word1);
    return CAIRN_MTB_PACKET_SIZE;
}
