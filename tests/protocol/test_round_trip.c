/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer and parser are inverse: random fields of every kind -> bytes -> the same fields; and what
 * the parser makes of any bytes, where the writer can express it, is never written longer, and with
 * as many bytes it is the same bytes. The two share no table. */
#include "writer_session.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/etmv4/etmv4.h"

#define PACKETS 20000
#define NOISE_BYTES 200000
#define WRITE_BYTES 64

struct stream {
    uint8_t *bytes;
    size_t size;
    size_t count;
    uint16_t kind[PACKETS];
    size_t length[PACKETS];
    struct cairn_packet_fields fields[PACKETS];
};

/* xorshift64*: the same sequence everywhere. */
static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545f4914f6cdd1d;
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)((next_random(seed) >> 32) % limit);
}

/* A number of a random width, so that short and long encodings are as likely. */
static uint64_t any_width(uint64_t *seed, unsigned width)
{
    return next_random(seed) >> (64 - 1 - below(seed, width));
}

static struct cairn_context random_context(uint64_t *seed)
{
    return (struct cairn_context){
        .EL = (uint8_t)below(seed, 4),
        .security = (uint8_t)below(seed, 4),
        .SF = (uint8_t)below(seed, 2),
        .vmid = below(seed, 2) ? 0 : below(seed, 256),
        .context_id = below(seed, 2) ? 0 : (uint32_t)next_random(seed),
    };
}

/* Fields that may or may not fit the kind: near the last address, so that short forms occur. */
static struct cairn_packet_fields random_fields(uint64_t *seed, uint64_t last_address)
{
    static const uint8_t address_bits[] = {0, 8, 9, 16, 17, 32, 64};
    struct cairn_packet_fields fields = {
        .flags = (uint32_t)next_random(seed) & 0x3ff & ~(uint32_t)CAIRN_PACKET_SBZ,
        .type = (uint16_t)any_width(seed, 11),
        .sub_isa = (uint8_t)below(seed, 2),
        .count = (uint32_t)any_width(seed, 32),
        .value = any_width(seed, 64),
        .cycles = (uint32_t)any_width(seed, 20),
        .info = (uint8_t)any_width(seed, 8),
        .address_bits = address_bits[below(seed, COUNT_OF(address_bits))],
        .context = random_context(seed),
    };
    fields.atom_count = (uint8_t)below(seed, 26);
    fields.atoms = below(seed, 2) ? UINT32_MAX >> 1 : (uint32_t)next_random(seed);
    if (fields.atom_count < 24 && below(seed, 2))
        fields.atoms = ((uint32_t)1 << fields.atom_count >> 1) - 1;
    fields.atoms &= ((uint32_t)1 << fields.atom_count) - 1;
    fields.address = (last_address ^ (any_width(seed, 64) << 2)) & ~UINT64_C(1);
    if (!fields.sub_isa || below(seed, 4) == 0)
        fields.address &= ~UINT64_C(3);
    return fields;
}

static bool is_address_kind(unsigned kind)
{
    return kind >= CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0 && kind <= CAIRN_ETMV4_SOURCE_64_IS1 &&
           kind != CAIRN_ETMV4_TIMESTAMP_MARKER && kind != CAIRN_ETMV4_Q_COUNT &&
           kind != CAIRN_ETMV4_Q;
}

/* The last three addresses and the cycle count threshold, as the specification has them. */
struct model {
    uint64_t address[3];
    uint8_t sub_isa[3];
    uint32_t threshold;
};

static void model_push(struct model *model, uint64_t address, uint8_t sub_isa)
{
    memmove(model->address + 1, model->address, 2 * sizeof *model->address);
    memmove(model->sub_isa + 1, model->sub_isa, 2 * sizeof *model->sub_isa);
    model->address[0] = address;
    model->sub_isa[0] = sub_isa;
}

/* Bends the fields so that kinds with narrow conditions occur as well. */
static void fit(unsigned kind, uint64_t *seed, const struct model *model,
                struct cairn_packet_fields *fields)
{
    if (kind == CAIRN_ETMV4_TRACE_INFO) {
        fields->type &= 0x0d;
        fields->info = fields->type & 1 ? fields->info & 0x7f : 0;
        fields->value = 0;
        fields->count = fields->type & 4 ? fields->count : 0;
        fields->cycles = fields->type & 8 ? below(seed, 0x1000) : 0;
    }
    if (kind == CAIRN_ETMV4_CYCLE_COUNT_F2 || kind == CAIRN_ETMV4_CYCLE_COUNT_F3) {
        fields->cycles = model->threshold + below(seed, 18);
        fields->count = below(seed, 66);
    }
    if (kind == CAIRN_ETMV4_CANCEL_F2 || kind == CAIRN_ETMV4_CANCEL_F3) {
        fields->count = below(seed, 8);
        fields->atom_count = (uint8_t)below(seed, 3);
        fields->atoms = below(seed, 1u << fields->atom_count);
    }
    if (kind == CAIRN_ETMV4_ATOM_F4 || kind == CAIRN_ETMV4_ATOM_F5_1 ||
        kind == CAIRN_ETMV4_ATOM_F5_2) {
        fields->atom_count = kind == CAIRN_ETMV4_ATOM_F4 ? 4 : 5;
        fields->atoms = below(seed, 1u << fields->atom_count);
    }
    if (kind == CAIRN_ETMV4_ADDRESS_EXACT || kind == CAIRN_ETMV4_SOURCE_EXACT ||
        kind == CAIRN_ETMV4_Q_EXACT ||
        (kind == CAIRN_ETMV4_EXCEPTION && fields->address_bits == 0)) {
        const unsigned entry = below(seed, 3);
        fields->info = (uint8_t)(entry | (fields->info & 0x80));
        fields->address_bits = 0;
        fields->address = model->address[entry];
        fields->sub_isa = model->sub_isa[entry];
    }
}

static void follow(unsigned kind, const struct cairn_packet_fields *fields, struct model *model)
{
    if (kind == CAIRN_ETMV4_TRACE_INFO) {
        memset(model, 0, sizeof *model);
        model->threshold = fields->info & 1 ? fields->cycles : 0;
    }
    if (kind == CAIRN_ETMV4_PE_RESET || kind == CAIRN_ETMV4_TRANSACTION_FAILURE)
        model_push(model, 0, 0);
    if (is_address_kind(kind) ||
        (kind == CAIRN_ETMV4_EXCEPTION && fields->flags & CAIRN_PACKET_HAS_ADDRESS))
        model_push(model, fields->address, fields->sub_isa);
}

/* Writes random packets until the stream is full; keeps those that the writer takes. */
static void write_stream(struct session *session, struct stream *stream, uint64_t *seed,
                         unsigned taken[CAIRN_ETMV4_KIND_COUNT])
{
    struct model model = {0};
    stream->bytes = malloc((size_t)PACKETS * WRITE_BYTES);
    assert_non_null(stream->bytes);
    stream->size = session->size;
    memcpy(stream->bytes, session->bytes, session->size);
    while (stream->count < PACKETS) {
        const unsigned kind = below(seed, CAIRN_ETMV4_KIND_COUNT);
        struct cairn_packet_fields fields = random_fields(seed, model.address[0]);
        fit(kind, seed, &model, &fields);
        const size_t size = cairn_packet_write(session->writer, kind, &fields,
                                               stream->bytes + stream->size, WRITE_BYTES);
        if (size == 0)
            continue;
        follow(kind, &fields, &model);
        stream->kind[stream->count] = (uint16_t)kind;
        stream->length[stream->count] = size;
        stream->fields[stream->count++] = fields;
        stream->size += size;
        taken[kind]++;
    }
}

/* What both sides must agree on, where the kind carries it. */
static void assert_same_meaning(unsigned kind, const struct cairn_packet_fields *got,
                                const struct cairn_packet_fields *given)
{
    if (got->flags & CAIRN_PACKET_HAS_ADDRESS) {
        assert_true(got->address == given->address);
        if (given->address_bits != 0)
            assert_int_equal(got->address_bits, given->address_bits);
    }
    if (kind == CAIRN_ETMV4_EXCEPTION) {
        assert_int_equal(got->type, given->type);
        assert_int_equal(got->flags & CAIRN_PACKET_E10, given->flags & CAIRN_PACKET_E10);
        assert_int_equal(
            got->flags & CAIRN_PACKET_HAS_CONTEXT,
            got->flags & CAIRN_PACKET_HAS_ADDRESS ? given->flags & CAIRN_PACKET_HAS_CONTEXT : 0);
        assert_int_equal(got->info & 0x80, given->info & 0x80);
    }
    if (got->flags & CAIRN_PACKET_HAS_CONTEXT && kind != CAIRN_ETMV4_CONTEXT_SAME) {
        assert_int_equal(got->context.EL, given->context.EL);
        assert_int_equal(got->context.security, given->context.security);
        assert_int_equal(got->context.SF, given->context.SF);
        assert_int_equal(got->context.vmid, given->context.vmid);
        assert_int_equal(got->context.context_id, given->context.context_id);
    }
    if (got->flags & CAIRN_PACKET_HAS_COUNT && kind != CAIRN_ETMV4_TRACE_INFO)
        assert_int_equal(got->count, given->count);
    if (got->flags & CAIRN_PACKET_HAS_CYCLES)
        assert_int_equal(got->cycles, given->cycles);
    if (got->atom_count != 0) {
        assert_int_equal(got->atom_count, given->atom_count);
        assert_int_equal(got->atoms, given->atoms);
    }
    if (kind == CAIRN_ETMV4_TIMESTAMP || kind == CAIRN_ETMV4_INSTRUMENTATION ||
        kind == CAIRN_ETMV4_COND_INSTRUCTION_F1 || kind == CAIRN_ETMV4_COND_RESULT_F1 ||
        kind == CAIRN_ETMV4_COND_RESULT_F3)
        assert_true(got->value == given->value);
    if (kind == CAIRN_ETMV4_COND_RESULT_F1)
        assert_int_equal(got->info, given->info);
    if (kind == CAIRN_ETMV4_EVENT || kind == CAIRN_ETMV4_TRACE_INFO ||
        kind == CAIRN_ETMV4_COND_RESULT_F2)
        assert_int_equal(got->type, given->type);
}

static struct cairn_packet_batch *parse(const struct session *session, const uint8_t *bytes,
                                        size_t size, size_t capacity)
{
    struct cairn_packet_batch *batch;
    struct cairn_packets *packets;
    size_t position = 0;
    assert_int_equal(cairn_packet_batch_new(capacity, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_new(session->config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, bytes, size, &position, batch), CAIRN_OK);
    assert_int_equal(position, size);
    assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
    assert_true(batch->count < batch->capacity);
    cairn_packets_free(packets);
    return batch;
}

/* `head` packets come before those of the stream. */
static void check_stream(struct session *session, uint64_t seed, unsigned head,
                         unsigned taken[CAIRN_ETMV4_KIND_COUNT])
{
    struct stream *stream = calloc(1, sizeof *stream);
    assert_non_null(stream);
    write_stream(session, stream, &seed, taken);
    struct cairn_packet_batch *batch =
        parse(session, stream->bytes, stream->size, PACKETS + head + 1);
    assert_int_equal(batch->count, stream->count + head);
    for (size_t i = 0; i < stream->count; i++) {
        assert_int_equal(batch->kind[i + head], stream->kind[i]);
        assert_int_equal(batch->length[i + head], stream->length[i]);
        assert_same_meaning(stream->kind[i], &batch->fields[i + head], &stream->fields[i]);
    }
    cairn_packet_batch_free(batch);
    free(stream->bytes);
    free(stream);
}

/* Every kind came up that the configuration has. */
static void assert_all_taken(const struct session *session, const unsigned *taken,
                             const unsigned *absent, size_t absent_count)
{
    for (unsigned kind = CAIRN_ETMV4_ALIGNMENT_SYNC; kind < CAIRN_ETMV4_KIND_COUNT; kind++) {
        bool expected = true;
        for (size_t i = 0; i < absent_count; i++)
            expected = expected && absent[i] != kind;
        if ((taken[kind] != 0) != expected)
            print_message("# %s\n", cairn_packet_mnemonic(session->config, kind));
        assert_int_equal(taken[kind] != 0, expected);
    }
}

static void test_random_ete(void **state)
{
    static const unsigned absent[] = {
        CAIRN_ETMV4_BRANCH_FUTURE_FLUSH,  CAIRN_ETMV4_FUNCTION_RETURN,
        CAIRN_ETMV4_EXCEPTION_RETURN,     CAIRN_ETMV4_DATA_SYNC_NUMBERED,
        CAIRN_ETMV4_DATA_SYNC_UNNUMBERED, CAIRN_ETMV4_COND_INSTRUCTION_F1,
        CAIRN_ETMV4_COND_INSTRUCTION_F2,  CAIRN_ETMV4_COND_INSTRUCTION_F3,
        CAIRN_ETMV4_COND_FLUSH,           CAIRN_ETMV4_COND_RESULT_F1,
        CAIRN_ETMV4_COND_RESULT_F2,       CAIRN_ETMV4_COND_RESULT_F3,
        CAIRN_ETMV4_COND_RESULT_F4,
    };
    unsigned taken[CAIRN_ETMV4_KIND_COUNT] = {0};
    (void)state;
    for (unsigned commopt = 0; commopt < 2; commopt++) {
        struct session session;
        session_begin_ete(&session, commopt == 1);
        session_start(&session);
        check_stream(&session, 0x1234567 + commopt, 2, taken);
        if (commopt == 1)
            assert_all_taken(&session, taken, absent, COUNT_OF(absent));
        session_end(&session);
    }
}

static void test_random_etmv4(void **state)
{
    static const unsigned absent[] = {
        CAIRN_ETMV4_PE_RESET,          CAIRN_ETMV4_TRANSACTION_FAILURE,
        CAIRN_ETMV4_TRANSACTION_START, CAIRN_ETMV4_TRANSACTION_COMMIT,
        CAIRN_ETMV4_INSTRUMENTATION,   CAIRN_ETMV4_TIMESTAMP_MARKER,
        CAIRN_ETMV4_SOURCE_EXACT,      CAIRN_ETMV4_SOURCE_SHORT_IS0,
        CAIRN_ETMV4_SOURCE_SHORT_IS1,  CAIRN_ETMV4_SOURCE_32_IS0,
        CAIRN_ETMV4_SOURCE_32_IS1,     CAIRN_ETMV4_SOURCE_64_IS0,
        CAIRN_ETMV4_SOURCE_64_IS1,
    };
    unsigned taken[CAIRN_ETMV4_KIND_COUNT] = {0};
    struct session session;
    (void)state;
    session_begin_etmv4(&session);
    session_start(&session);
    check_stream(&session, 0x7654321, 2, taken);
    assert_all_taken(&session, taken, absent, COUNT_OF(absent));
    session_end(&session);
}

/* Writes again what the parser made of `bytes`; the writer's state follows packet by packet. */
static size_t rewrite(struct session *session, const uint8_t *bytes,
                      const struct cairn_packet_batch *batch)
{
    size_t same = 0;
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t again[WRITE_BYTES];
        const struct cairn_packet_fields *fields = &batch->fields[i];
        const size_t size =
            cairn_packet_write(session->writer, batch->kind[i], fields, again, sizeof again);
        if (batch->kind[i] <= CAIRN_ETMV4_INCOMPLETE) {
            assert_int_equal(size, 0);
            continue;
        }
        if (batch->kind[i] == CAIRN_ETMV4_ALIGNMENT_SYNC)
            continue; /* any number of zeros from eleven on */
        if (batch->kind[i] == CAIRN_ETMV4_CANCEL_F1 && fields->count == 0)
            continue; /* a reserved value (D5.36) */
        assert_int_not_equal(size, 0);
        assert_true(size <= batch->length[i]);
        if (batch->kind[i] == CAIRN_ETMV4_INSTRUMENTATION)
            continue; /* nothing says what the bits above EL are */
        if (size == batch->length[i] && !(fields->flags & CAIRN_PACKET_SBZ)) {
            assert_memory_equal(again, bytes + batch->offset[i], size);
            same++;
        }
    }
    return same;
}

/* Bytes of any kind between alignment synchronisations. */
static void test_rewrite_noise(void **state)
{
    static uint8_t noise[NOISE_BYTES];
    struct session session;
    uint64_t seed = 99;
    (void)state;
    session_begin_ete(&session, false);
    for (size_t i = 0; i < NOISE_BYTES; i++)
        noise[i] = (uint8_t)(next_random(&seed) >> 56);
    for (size_t i = 0; i + 16 < NOISE_BYTES; i += 64) {
        memset(noise + i, 0, 11);
        noise[i + 11] = 0x80;
        noise[i + 12] = 0x01;
        noise[i + 13] = 0x00;
    }
    struct cairn_packet_batch *batch = parse(&session, noise, NOISE_BYTES, NOISE_BYTES + 1);
    assert_true(rewrite(&session, noise, batch) > NOISE_BYTES / 40);
    cairn_packet_batch_free(batch);
    session_end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_ete),
        cmocka_unit_test(test_random_etmv4),
        cmocka_unit_test(test_rewrite_noise),
    };
    return cmocka_run_group_tests_name("round-trip", tests, NULL, NULL);
}
