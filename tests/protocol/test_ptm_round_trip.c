/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer and parser of PTM are inverse: random fields of every kind in every configuration -> bytes
 * -> the same fields; and what the parser makes of any bytes, where the writer can express it, is
 * written as the same bytes. The two share no table. */
#include "ptm_session.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/ptm/ptm.h"

#define ROUNDS 200
#define PACKETS 400
#define NOISE_ROUNDS 1000
#define NOISE_BYTES 300
#define WRITE_BYTES 64

struct stream {
    size_t size, count;
    uint16_t kind[PACKETS];
    uint8_t length[PACKETS];
    struct cairn_packet_fields fields[PACKETS];
    uint8_t bytes[PACKETS * 16];
};

static void add(struct stream *stream, unsigned kind, const struct cairn_packet_fields *fields,
                size_t size)
{
    stream->kind[stream->count] = (uint16_t)kind;
    stream->length[stream->count] = (uint8_t)size;
    stream->fields[stream->count++] = *fields;
    stream->size += size;
}

/* Writes random packets until the stream is full; keeps those that the writer takes. It begins with
 * an A-sync and an I-sync, so that addresses are known. */
static void write_stream(struct cairn_packet_writer *writer, struct stream *stream, uint64_t *seed,
                         size_t taken[CAIRN_PTM_KIND_COUNT])
{
    uint64_t near = 0;

    stream->count = stream->size = 0;
    while (stream->count < PACKETS) {
        const unsigned kind = stream->count == 0   ? CAIRN_PTM_ALIGNMENT_SYNC
                              : stream->count == 1 ? CAIRN_PTM_INSTRUCTION_SYNC
                                                   : ptm_below(seed, CAIRN_PTM_KIND_COUNT);
        const struct cairn_packet_fields fields = ptm_any_fields(seed, kind, near);
        const size_t size =
            cairn_packet_write(writer, kind, &fields, stream->bytes + stream->size, WRITE_BYTES);

        if (size == 0)
            continue;
        assert_true(size <= 15);
        if (kind == CAIRN_PTM_BRANCH_ADDRESS || kind == CAIRN_PTM_INSTRUCTION_SYNC)
            near = fields.address;
        add(stream, kind, &fields, size);
        taken[kind]++;
    }
}

static void assert_same_address(const struct cairn_packet_fields *got,
                                const struct cairn_packet_fields *given)
{
    assert_true(got->flags & CAIRN_PACKET_HAS_ADDRESS);
    assert_int_equal(got->address, given->address);
    assert_int_equal(got->state, given->state);
    if (given->address_bits != 0 && got->address_bits != 32)
        assert_int_equal(got->address_bits, given->address_bits);
}

/* What both sides must agree on, where the kind carries it. */
static void assert_same_meaning(unsigned kind, const struct cairn_packet_fields *got,
                                const struct cairn_packet_fields *given)
{
    assert_false(got->flags & CAIRN_PACKET_SBZ);
    if (got->flags & CAIRN_PACKET_HAS_CYCLES)
        assert_int_equal(got->cycles, given->cycles);
    switch (kind) {
    case CAIRN_PTM_INSTRUCTION_SYNC:
        assert_same_address(got, given);
        assert_int_equal(got->reason, given->reason);
        assert_int_equal(got->context.security, given->context.security);
        assert_int_equal(got->context.EL, given->context.EL);
        if (got->flags & CAIRN_PACKET_HAS_CONTEXT_ID)
            assert_int_equal(got->context.context_id, given->context.context_id);
        break;
    case CAIRN_PTM_BRANCH_ADDRESS:
        assert_same_address(got, given);
        assert_int_equal(got->type, given->flags & CAIRN_PACKET_HAS_EXCEPTION ? given->type : 0);
        if (given->flags & CAIRN_PACKET_HAS_CONTEXT) {
            assert_int_equal(got->context.security, given->context.security);
            assert_int_equal(got->context.EL, given->context.EL);
        }
        assert_true(got->info >= given->info);
        break;
    case CAIRN_PTM_WAYPOINT_UPDATE: assert_same_address(got, given); break;
    case CAIRN_PTM_ATOM:
        assert_int_equal(got->atom_count, given->atom_count);
        assert_int_equal(got->atoms, given->atoms);
        break;
    case CAIRN_PTM_CONTEXT_ID:
        assert_int_equal(got->context.context_id, given->context.context_id);
        break;
    case CAIRN_PTM_VMID: assert_int_equal(got->context.vmid, given->context.vmid); break;
    case CAIRN_PTM_TIMESTAMP:
        assert_int_equal(got->info, given->info);
        if (got->flags & CAIRN_PACKET_HAS_TIMESTAMP)
            assert_true(got->value == given->value);
        break;
    default: break;
    }
}

/* A-syncs that begin in the zeros of the packet before cut it: a trace unit never writes those. */
static bool is_ambiguous(const struct stream *stream)
{
    size_t at = 0;

    for (size_t i = 0; i < stream->count; i++) {
        for (size_t k = 0; k + 5 < (size_t)stream->length[i] + 5; k++) {
            static const uint8_t sync[] = {0, 0, 0, 0, 0, 0x80};

            if (stream->kind[i] != CAIRN_PTM_ALIGNMENT_SYNC && at + k + 6 <= stream->size &&
                memcmp(stream->bytes + at + k, sync, sizeof sync) == 0)
                return true;
        }
        at += stream->length[i];
    }
    return false;
}

static void test_fields(void **state)
{
    static struct stream stream;
    size_t taken[CAIRN_PTM_KIND_COUNT] = {0};
    uint64_t seed = 0x5eed;
    size_t ambiguous = 0;

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct cairn_config *config = ptm_any_config(&seed);
        struct cairn_packet_writer *writer;
        struct ptm_packets packets = {0};

        assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
        write_stream(writer, &stream, &seed, taken);
        if (is_ambiguous(&stream)) {
            ambiguous++;
        } else {
            ptm_decode(config, stream.bytes, stream.size, stream.size, 1, 64, &packets);
            assert_int_equal(packets.count, stream.count);
            for (size_t i = 0; i < packets.count; i++) {
                assert_int_equal(packets.list[i].kind, stream.kind[i]);
                assert_int_equal(packets.list[i].length, stream.length[i]);
                assert_same_meaning(stream.kind[i], &packets.list[i].fields, &stream.fields[i]);
            }
        }
        ptm_forget(&packets);
        cairn_packet_writer_free(writer);
        cairn_config_unref(config);
    }
    for (unsigned kind = CAIRN_PTM_ALIGNMENT_SYNC; kind < CAIRN_PTM_KIND_COUNT; kind++)
        assert_true(taken[kind] > 100);
    assert_true(ambiguous < ROUNDS / 4);
}

/* Bytes of noise that often look like packets; A-sync and I-sync before. */
static size_t make_noise(uint8_t *bytes, struct cairn_packet_writer *writer, uint64_t *seed)
{
    const struct cairn_packet_fields sync = {.address = 0x8000, .flags = 0};
    static const uint8_t common[] = {0x08, 0x42, 0x46, 0x72, 0x76, 0x66, 0x0c};
    size_t size = cairn_packet_write(writer, CAIRN_PTM_ALIGNMENT_SYNC, &sync, bytes, WRITE_BYTES);

    size +=
        cairn_packet_write(writer, CAIRN_PTM_INSTRUCTION_SYNC, &sync, bytes + size, WRITE_BYTES);
    while (size < NOISE_BYTES) {
        const uint8_t byte = (uint8_t)(ptm_random(seed) >> 40);
        const unsigned choice = ptm_below(seed, 10);

        bytes[size++] = choice < 6   ? byte | 0x84
                        : choice < 9 ? byte | 1
                                     : common[ptm_below(seed, COUNT_OF(common))];
    }
    return size;
}

static void test_bytes(void **state)
{
    uint64_t seed = 0xfeed;
    size_t same = 0, refused = 0;
    uint8_t bytes[NOISE_BYTES + WRITE_BYTES], again[WRITE_BYTES];

    (void)state;
    for (unsigned round = 0; round < NOISE_ROUNDS; round++) {
        struct cairn_config *config = ptm_any_config(&seed);
        struct cairn_packet_writer *writer;
        struct ptm_packets packets = {0};

        assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
        const size_t size = make_noise(bytes, writer, &seed);

        ptm_decode(config, bytes, size, size, 1, 64, &packets);
        for (size_t i = 2; i < packets.count; i++) {
            const struct ptm_packet *p = &packets.list[i];
            const size_t written =
                cairn_packet_write(writer, p->kind, &p->fields, again, sizeof again);

            if (p->kind < CAIRN_PTM_ALIGNMENT_SYNC)
                break; /* from here on the two have not the same history */
            /* ThumbEE cannot be left without an information byte */
            if (written == 0 || written > p->length) {
                refused++;
                break;
            }
            if (p->kind == CAIRN_PTM_ALIGNMENT_SYNC || p->fields.flags & CAIRN_PACKET_SBZ)
                continue;             /* the meaning is the same, the bytes are not */
            if (written != p->length) /* a count may be longer than need be */
                assert_true(p->fields.cycles < 0x2000000);
            else
                assert_memory_equal(again, bytes + p->offset, written);
            same++;
        }
        ptm_forget(&packets);
        cairn_packet_writer_free(writer);
        cairn_config_unref(config);
    }
    print_message("# %zu packets the same, %zu not to be written\n", same, refused);
    assert_true(same > 4000);
    assert_true(refused < NOISE_ROUNDS);
}

/* ---- zeros ---- */

/* Packets with as many zeros as their fields may have. */
static void write_zeros(struct cairn_packet_writer *writer, struct stream *stream, uint64_t *seed)
{
    stream->count = stream->size = 0;
    for (unsigned i = 0; i < 4 * PACKETS && stream->count < PACKETS; i++) {
        const unsigned kind = ptm_below(seed, CAIRN_PTM_KIND_COUNT);
        struct cairn_packet_fields fields = ptm_any_fields(seed, kind, 0);
        size_t size;

        if (ptm_below(seed, 8) > 0) {
            fields.address = 0;
            fields.context.context_id = fields.context.vmid = 0;
            fields.value = 0;
            fields.cycles = 0;
        }
        size = cairn_packet_write(writer, kind, &fields, stream->bytes + stream->size, WRITE_BYTES);
        if (size > 0)
            add(stream, kind, &fields, size);
    }
}

/* Wherever 47 zero bits or more come before a one, that is the last bit of an A-sync. Returns the
 * most zeros in a row elsewhere, and counts A-syncs. */
static size_t look_for_syncs(const struct stream *stream, size_t *syncs)
{
    size_t zeros = 0, most = 0, at = 0;

    for (size_t i = 0; i < stream->count; at += stream->length[i++]) {
        for (size_t bit = 0; bit < 8u * stream->length[i]; bit++) {
            const bool last =
                stream->kind[i] == CAIRN_PTM_ALIGNMENT_SYNC && bit + 1 == 8u * stream->length[i];

            zeros++;
            if (!(stream->bytes[at + bit / 8] >> bit % 8 & 1))
                continue;
            /* proves: PFT-4.5.1-f */
            assert_int_equal(zeros > 47, last);
            *syncs += last;
            if (!last && zeros - 1 > most)
                most = zeros - 1;
            zeros = 0;
        }
    }
    return most;
}

static void test_zeros(void **state)
{
    static struct stream stream;
    uint64_t seed = 0x2e05;
    size_t syncs = 0, most = 0;

    (void)state;
    for (unsigned round = 0; round < 5 * ROUNDS; round++) {
        struct cairn_config *config = ptm_any_config(&seed);
        struct cairn_packet_writer *writer;
        size_t zeros;

        assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
        write_zeros(writer, &stream, &seed);
        zeros = look_for_syncs(&stream, &syncs);
        most = zeros > most ? zeros : most;
        cairn_packet_writer_free(writer);
        cairn_config_unref(config);
    }
    assert_true(syncs > 1000);
    /* a Context ID of four bytes and an atom with count 0 behind it */
    assert_true(most >= 1 + 32 + 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests_name("ptm round trip", tests, NULL, NULL);
}
