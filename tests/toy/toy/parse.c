/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes -> packets, by protocol/framing.h. */
#include <stdlib.h>

#include "protocol/framing.h"
#include "toy/toy.h"

enum { ZEROS = 5, SYNC_END = 0x80, ADDRESS_BYTES = 9, STOP_BYTES = 2 };

const uint8_t toy_accounts[TOY_KIND_COUNT] = {
#define ROW(NAME, ACCOUNT, TEXT) ACCOUNT,
    TOY_PACKETS(ROW)
#undef ROW
};

size_t toy_find_sync(const uint8_t *data, size_t size, size_t from)
{
    size_t zeros = 0;

    for (size_t i = from; i < size; i++) {
        if (data[i] == SYNC_END && zeros >= ZEROS)
            return i - ZEROS;
        zeros = data[i] == 0 ? zeros + 1 : 0;
    }
    return size;
}

static bool toy_step(struct cairn_framing *f, struct cairn_packet_batch *batch)
{
    const uint8_t *bytes = f->window + f->head;
    const size_t size = cairn_framing_limit(f) - f->head;
    struct cairn_packet_fields scratch;
    struct cairn_packet_fields *fields = batch->fields ? &batch->fields[batch->count] : &scratch;
    unsigned kind = TOY_RESERVED;
    size_t length = 1;

    if (size == 0 || bytes[0] == 0) {
        cairn_framing_zero_run(f);
        return true;
    }
    *fields = (struct cairn_packet_fields){0};
    switch (bytes[0]) {
    case 'A':
        kind = TOY_ADDRESS;
        length = ADDRESS_BYTES;
        break;
    case 'S':
        kind = TOY_STOP;
        length = STOP_BYTES;
        break;
    case 'E': kind = TOY_ATOM_E; break;
    case 'N': kind = TOY_ATOM_N; break;
    case '.': kind = TOY_IGNORE; break;
    default: break;
    }
    if (size < length)
        return cairn_framing_put_rest(f, batch);
    if (!cairn_framing_settled(f, length, ZEROS))
        return false;
    if (kind == TOY_RESERVED || (kind == TOY_STOP && bytes[1] != 0)) {
        cairn_framing_put_damage(f, batch, TOY_RESERVED, length);
        return true;
    }
    if (kind == TOY_ADDRESS) {
        fields->flags = CAIRN_PACKET_HAS_ADDRESS;
        for (unsigned i = 1; i < ADDRESS_BYTES; i++)
            fields->address |= (uint64_t)bytes[i] << (8 * (i - 1));
    }
    cairn_framing_put(f, batch, kind, cairn_framing_at(f), length, fields);
    f->head += length;
    return true;
}

static bool toy_packets(void *parser, struct cairn_packet_batch *batch)
{
    while (cairn_framing_goes_on(parser, batch))
        if (!toy_step(parser, batch))
            return false;
    return true;
}

static const struct cairn_framing_rules rules = {
    .sync_zeros = ZEROS,
    .accounts = toy_accounts,
    .async = TOY_A_SYNC,
    .not_sync = TOY_NOT_SYNC,
    .reserved = TOY_RESERVED,
    .incomplete = TOY_INCOMPLETE,
    .cut = TOY_CUT,
    .incomplete_sync = TOY_INCOMPLETE,
    .find_sync = toy_find_sync,
    .packets = toy_packets,
};

cairn_status toy_packets_new(struct cairn_config *config, void **state)
{
    struct cairn_framing *f = calloc(1, sizeof *f);

    (void)config;
    if (!f)
        return CAIRN_E_MEMORY;
    cairn_framing_begin(f, &rules);
    *state = f;
    return CAIRN_OK;
}

void toy_packets_free(void *state)
{
    free(state);
}

cairn_status toy_packets_run(void *state, const uint8_t *data, size_t size, size_t *position,
                             struct cairn_packet_batch *batch)
{
    return cairn_framing_run(state, data, size, position, batch);
}

cairn_status toy_packets_finish(void *state, struct cairn_packet_batch *batch)
{
    return cairn_framing_finish(state, batch);
}
