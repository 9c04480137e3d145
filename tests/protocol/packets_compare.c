/* SPDX-License-Identifier: BSD-2-Clause */
#include "packets_compare.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/etmv4/etmv4.h"

enum { WHOLE = 1000, UNEVEN_MAX = 1200 };

struct packet {
    uint64_t offset;
    uint64_t length;
    uint64_t address; /* with its sub_isa */
    uint16_t kind;
    uint8_t account;
    uint8_t has_address;
};

struct packets {
    struct packet *list;
    size_t count;
    size_t capacity;
};

static struct packet *more(struct packets *packets)
{
    if (packets->count == packets->capacity) {
        packets->capacity = packets->capacity ? 2 * packets->capacity : 4096;
        packets->list = realloc(packets->list, packets->capacity * sizeof *packets->list);
        assert_non_null(packets->list);
    }
    packets->list[packets->count] = (struct packet){0};
    return &packets->list[packets->count++];
}

/* --- with all columns --- */

static bool keep_whole(struct cairn_packet_batch *batch, struct packets *out)
{
    const bool any = batch->count > 0;
    size_t k = 0;

    for (size_t i = 0; i < batch->count; i++) {
        const struct cairn_packet_fields *fields = &batch->fields[i];

        *more(out) = (struct packet){.offset = batch->offset[i],
                                     .length = batch->length[i],
                                     .kind = batch->kind[i],
                                     .account = batch->account[i]};
        if (!(fields->flags & CAIRN_PACKET_HAS_ADDRESS))
            continue;
        out->list[out->count - 1].has_address = 1;
        out->list[out->count - 1].address = fields->address | fields->sub_isa;
        assert_true(k < batch->address_count);
        assert_int_equal(batch->address_packet[k], i);
        assert_int_equal(batch->address[k], fields->address | fields->sub_isa);
        k++;
    }
    assert_int_equal(batch->address_count, k);
    batch->count = 0; /* the count of addresses is taken down with it */
    return any;
}

static void decode_whole(struct cairn_config *config, const uint8_t *bytes, size_t size,
                         struct packets *out)
{
    struct cairn_packet_batch *batch;
    struct cairn_packets *decoder;
    size_t at = 0;

    assert_int_equal(cairn_packet_batch_new(WHOLE, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_new(config, &decoder), CAIRN_OK);
    do
        assert_int_equal(cairn_packets_run(decoder, bytes, size, &at, batch), CAIRN_OK);
    while (keep_whole(batch, out));
    do
        assert_int_equal(cairn_packets_finish(decoder, batch), CAIRN_OK);
    while (keep_whole(batch, out));
    cairn_packets_free(decoder);
    cairn_packet_batch_free(batch);
}

/* --- with some --- */

/* A batch whose columns are just as large as they have to be, for the sanitizers to watch. */
static struct cairn_packet_batch make_batch(const struct packets_cut *cut)
{
    const size_t n = cut->capacity;
    struct cairn_packet_batch batch = {.size = sizeof batch, .capacity = n};

    if (cut->columns & PACKETS_KIND)
        batch.kind = malloc(n * sizeof *batch.kind);
    if (cut->columns & PACKETS_OFFSET)
        batch.offset = malloc(n * sizeof *batch.offset);
    if (cut->columns & PACKETS_LENGTH)
        batch.length = malloc(n * sizeof *batch.length);
    if (cut->columns & PACKETS_ACCOUNT)
        batch.account = malloc(n * sizeof *batch.account);
    if (cut->columns & PACKETS_ADDRESS)
        batch.address = malloc(n * sizeof *batch.address);
    if (cut->columns & PACKETS_ADDRESS_PACKET)
        batch.address_packet = malloc(n * sizeof *batch.address_packet);
    return batch;
}

static void free_batch(struct cairn_packet_batch *batch)
{
    free(batch->kind);
    free(batch->offset);
    free(batch->length);
    free(batch->account);
    free(batch->address);
    free(batch->address_packet);
}

/* Checks a batch against what it should be, and empties it. */
static bool compare(struct cairn_packet_batch *batch, const struct packets *wanted, size_t *at)
{
    const bool any = batch->count > 0;
    size_t k = 0;

    assert_true(batch->count <= batch->capacity);
    for (size_t i = 0; i < batch->count; i++, ++*at) {
        const struct packet *packet = &wanted->list[*at];
        bool same = *at < wanted->count;

        if (same && batch->kind)
            same = batch->kind[i] == packet->kind;
        if (same && batch->offset)
            same = batch->offset[i] == packet->offset;
        if (same && batch->length)
            same = batch->length[i] == packet->length;
        if (same && batch->account)
            same = batch->account[i] == packet->account;
        if (same && packet->has_address && (batch->address || batch->address_packet)) {
            same = k < batch->address_count;
            if (same && batch->address)
                same = batch->address[k] == packet->address;
            if (same && batch->address_packet)
                same = batch->address_packet[k] == i;
            k++;
        }
        if (same)
            continue;
        print_message("# packet %zu of %zu", *at, wanted->count);
        if (*at < wanted->count)
            print_message(": offset %" PRIu64 "+%" PRIu64 " kind %u account %u address %" PRIx64,
                          packet->offset, packet->length, packet->kind, packet->account,
                          packet->address);
        print_message("; got %zu of the batch, kind %d\n", i, batch->kind ? batch->kind[i] : -1);
        fail();
    }
    if (batch->address || batch->address_packet)
        assert_int_equal(batch->address_count, k);
    batch->count = 0;
    return any;
}

static void check_cut(struct cairn_config *config, const uint8_t *bytes, size_t size,
                      const struct packets_cut *cut, const struct packets *wanted)
{
    struct cairn_packet_batch batch = make_batch(cut);
    struct cairn_packet_fields *fields = malloc(cut->capacity * sizeof *fields);
    const struct cairn_protocol *protocol = config->protocol;
    void *decoder;
    uint32_t random = 12345;
    size_t position = 0;
    size_t seen = 0;

    assert_non_null(fields);
    assert_int_equal(protocol->packets_new(config, &decoder), CAIRN_OK);
    if (cut->columns & PACKETS_PORTABLE && (cairn_config_protocol(config) == CAIRN_PROTOCOL_ETMV4 ||
                                            cairn_config_protocol(config) == CAIRN_PROTOCOL_ETE))
        cairn_etmv4_parser_portable(decoder);
    while (position < size) {
        size_t piece = cut->piece ? cut->piece : size;
        size_t at = 0;

        if (piece == PACKETS_UNEVEN) {
            random = random * 1664525u + 1013904223u;
            piece = 1 + (random >> 8) % UNEVEN_MAX;
        }
        if (piece > size - position)
            piece = size - position;
        uint8_t *copy = malloc(piece);

        assert_non_null(copy);
        memcpy(copy, bytes + position, piece);
        do {
            if (cut->columns & PACKETS_FIELDS)
                batch.fields = batch.fields ? NULL : fields;
            assert_int_equal(protocol->packets_run(decoder, copy, piece, &at, &batch), CAIRN_OK);
            assert_true(at == piece || batch.count == batch.capacity);
        } while (compare(&batch, wanted, &seen));
        assert_int_equal(at, piece);
        free(copy);
        position += piece;
    }
    do
        assert_int_equal(protocol->packets_finish(decoder, &batch), CAIRN_OK);
    while (compare(&batch, wanted, &seen));
    assert_int_equal(seen, wanted->count);
    protocol->packets_free(decoder);
    free_batch(&batch);
    free(fields);
}

size_t packets_check(struct cairn_config *config, const uint8_t *bytes, size_t size,
                     const struct packets_cut *cuts, size_t count)
{
    struct packets wanted = {0};
    size_t packets;

    decode_whole(config, bytes, size, &wanted);
    for (size_t i = 0; i < count; i++)
        check_cut(config, bytes, size, &cuts[i], &wanted);
    packets = wanted.count;
    free(wanted.list);
    return packets;
}
