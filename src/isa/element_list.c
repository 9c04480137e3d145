/* SPDX-License-Identifier: BSD-2-Clause */
/* The transfers of VLD1 to VLD4 and VST1 to VST4 (DDI0406 A7.7). IHI0014 says that there is one
 * data packet for each 32-bit transfer, and not how elements make them up: whole structures are
 * taken as consecutive words, single ones as their elements. */
#include "isa/transfer_list.h"

enum { D_REGISTERS = 32, ALL_LANES = 3, DOUBLEWORD_ELEMENTS = 3, WORD_ELEMENTS = 2 };

/* Elements of n registers that lie together in memory. */
struct structure {
    uint8_t count;     /* n of VLDn */
    uint8_t registers; /* of each of the n */
    uint8_t stride;    /* from one of the n to the next */
};

/* Bits 11:8 where bit 23 is clear; count 0: undefined. */
static const struct structure structures[16] = {
    [0x0] = {4, 1, 1}, [0x1] = {4, 1, 2}, [0x2] = {1, 4, 1}, [0x3] = {2, 2, 2},
    [0x4] = {3, 1, 1}, [0x5] = {3, 1, 2}, [0x6] = {1, 3, 1}, [0x7] = {1, 1, 1},
    [0x8] = {2, 1, 1}, [0x9] = {2, 1, 2}, [0xa] = {1, 2, 1},
};

static uint32_t first_register(uint32_t word)
{
    return cairn_bits(word, 22, 1) << 4 | cairn_bits(word, 12, 4);
}

/* Which register, and which half of it, is the word `index` of a structure. */
static void place(struct cairn_transfer *transfer, const struct structure *s, uint32_t index,
                  uint32_t log_size, uint32_t swapped)
{
    if (s->count > 1 && log_size < WORD_ELEMENTS) {
        transfer->file = CAIRN_REGISTER_SEVERAL;
        return;
    }

    const uint32_t element = index / s->count; /* words that each of the n got so far */

    transfer->file = CAIRN_REGISTER_D;
    transfer->number = (uint8_t)(transfer->number + index % s->count * s->stride + element / 2);
    transfer->part = (uint8_t)((element & 1) ^ swapped);
}

static void whole_structures(struct cairn_transfer_draft *draft, uint32_t word)
{
    const struct structure *s = &structures[cairn_bits(word, 8, 4)];
    const uint32_t log_size = cairn_bits(word, 6, 2);
    const uint32_t first = first_register(word);
    const uint32_t words = 2u * s->count * s->registers;
    const bool doublewords = log_size == DOUBLEWORD_ELEMENTS;
    const bool is_big = (draft->order & CAIRN_TRANSFERS_BIG_ENDIAN) != 0;
    const uint32_t last = first + (s->count - 1u) * s->stride + s->registers - 1u;

    if (s->count == 0 || (doublewords && s->count > 1) || last >= D_REGISTERS) {
        cairn_transfers_unknown(draft);
        return;
    }
    for (uint32_t i = 0; i < words; i++) {
        struct cairn_transfer transfer = {.kind = cairn_memory_kind(cairn_bits(word, 21, 1)),
                                          .size = CAIRN_WORD,
                                          .offset = (uint8_t)(CAIRN_WORD * i),
                                          .number = (uint8_t)first};

        place(&transfer, s, i, log_size, doublewords && is_big);
        cairn_transfers_add(draft, transfer);
    }
}

struct lanes {
    uint32_t count; /* n of VLDn */
    uint32_t log_size;
    uint32_t stride;
    uint32_t part;
};

/* Bits 7:4: the lane, the stride and the alignment; how many bits each has is by the size. */
static struct lanes one_lane(uint32_t word)
{
    const uint32_t log_size = cairn_bits(word, 10, 2);
    const uint32_t index_align = cairn_bits(word, 4, 4);

    return (struct lanes){.count = cairn_bits(word, 8, 2) + 1,
                          .log_size = log_size,
                          .stride = log_size == 0 ? 1 : 1 + (index_align >> log_size & 1),
                          .part = index_align >> (log_size + 1)};
}

static struct lanes all_lanes(uint32_t word)
{
    const uint32_t size = cairn_bits(word, 6, 2);

    return (struct lanes){.count = cairn_bits(word, 8, 2) + 1,
                          .log_size = size > WORD_ELEMENTS ? WORD_ELEMENTS : size, /* VLD4.32 */
                          .stride = 1 + cairn_bits(word, 5, 1),
                          .part = CAIRN_TRANSFER_ALL_PARTS};
}

static void lane_elements(struct cairn_transfer_draft *draft, uint32_t word)
{
    const bool to_all = cairn_bits(word, 10, 2) == ALL_LANES;
    const bool load = cairn_bits(word, 21, 1) != 0;
    const struct lanes lanes = to_all ? all_lanes(word) : one_lane(word);
    const uint32_t first = first_register(word);

    if ((to_all && !load) || first + (lanes.count - 1) * lanes.stride >= D_REGISTERS) {
        cairn_transfers_unknown(draft);
        return;
    }
    for (uint32_t i = 0; i < lanes.count; i++)
        cairn_transfers_add(draft,
                            (struct cairn_transfer){.kind = cairn_memory_kind(load),
                                                    .size = (uint8_t)(1u << lanes.log_size),
                                                    .offset = (uint8_t)(i << lanes.log_size),
                                                    .file = CAIRN_REGISTER_D,
                                                    .number = (uint8_t)(first + i * lanes.stride),
                                                    .part = (uint8_t)lanes.part});
}

void cairn_element_transfers(struct cairn_transfer_draft *draft, uint32_t word)
{
    draft->out->flags |= CAIRN_TRANSFERS_ASSUMED;
    if (cairn_bits(word, 23, 1))
        lane_elements(draft, word);
    else
        whole_structures(draft, word);
}
