/* SPDX-License-Identifier: BSD-2-Clause */
/* PTM: address bits, words, damage in any place, any cut of the bytes, and what the writer refuses.
 * The packets themselves: vectors/ptm_*.vec; registers: test_ptm_configure.c. */
#include "ptm_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/etmv3.h>

#include "protocol/ptm/ptm.h"

#define FIELDS 32

/* ---- addresses, bit for bit ---- */

/* The bytes of a five-byte branch with one address bit set, from the figures: which byte has the
 * bit, and where. */
static void put_bit(unsigned state, unsigned bit, uint8_t bytes[5])
{
    static const uint8_t marks[] = {0x08, 0x10, 0x20};
    const unsigned low = state == CAIRN_STATE_ARM ? 2 : state == CAIRN_STATE_THUMB ? 1 : 0;

    memcpy(bytes, (const uint8_t[]){0x81, 0x80, 0x80, 0x80, marks[state]}, 5);
    if (bit < low + 6)
        bytes[0] |= (uint8_t)(1u << (bit - low + 1));
    else
        bytes[1 + (bit - low - 6) / 7] |= (uint8_t)(1u << ((bit - low - 6) % 7));
}

/* How many address bits, each alone and each missing from an address of ones, do not come out as they were put in. */
static unsigned wrong_bits(unsigned state)
{
    struct cairn_config *config = ptm_config(0, A15_ETMIDR, A15_ETMCCER);
    const unsigned low = state == CAIRN_STATE_ARM ? 2 : state == CAIRN_STATE_THUMB;
    const uint64_t all = UINT64_C(0xffffffff) & ~((UINT64_C(1) << low) - 1);
    unsigned wrong = 0;

    for (unsigned i = low; i < 64; i++) {
        const uint64_t wanted = i < 32 ? UINT64_C(1) << i : all & ~(UINT64_C(1) << (i - 32));
        uint8_t bytes[17] = {0, 0, 0, 0, 0, 0x80, 8, 0, 0, 0, 0, 0x21};
        struct ptm_packets packets = {0};

        for (unsigned bit = low; bit < 32; bit++) {
            uint8_t one[5];

            put_bit(state, bit, one);
            for (unsigned k = 0; k < 5; k++)
                bytes[12 + k] |=
                    (uint8_t)(bytes[12 + k] == 0 || (wanted >> bit & 1) != 0 ? one[k] : 0);
        }
        if ((wanted >> low & 1) == 0) /* what the first bit of all brought with it */
            bytes[12] &= 0xfd;
        ptm_decode(config, bytes, sizeof bytes, sizeof bytes, 1, 8, &packets);
        wrong += packets.count != 3 || packets.list[2].kind != CAIRN_PTM_BRANCH_ADDRESS ||
                 packets.list[2].fields.address != wanted || packets.list[2].fields.state != state;
        ptm_forget(&packets);
    }
    cairn_config_unref(config);
    return wrong;
}

static void test_address_bits(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-c */
    assert_int_equal(wrong_bits(CAIRN_STATE_ARM), 0);
    /* proves: PFT-4.5.4-d */
    assert_int_equal(wrong_bits(CAIRN_STATE_THUMB), 0);
    assert_int_equal(wrong_bits(CAIRN_STATE_JAZELLE), 0);
}

/* The highest bit that changed gives the length (table 4-5). */
static void test_address_lengths(void **state)
{
    static const struct {
        uint8_t state, bit, plain, with_info;
    } table[] = {
        {CAIRN_STATE_ARM, 2, 1, 2},    {CAIRN_STATE_ARM, 7, 1, 2},    {CAIRN_STATE_ARM, 8, 2, 2},
        {CAIRN_STATE_ARM, 13, 2, 2},   {CAIRN_STATE_ARM, 14, 3, 3},   {CAIRN_STATE_ARM, 20, 3, 3},
        {CAIRN_STATE_ARM, 21, 4, 4},   {CAIRN_STATE_ARM, 27, 4, 4},   {CAIRN_STATE_ARM, 28, 5, 5},
        {CAIRN_STATE_ARM, 31, 5, 5},   {CAIRN_STATE_THUMB, 1, 1, 2},  {CAIRN_STATE_THUMB, 6, 1, 2},
        {CAIRN_STATE_THUMB, 7, 2, 2},  {CAIRN_STATE_THUMB, 12, 2, 2}, {CAIRN_STATE_THUMB, 13, 3, 3},
        {CAIRN_STATE_THUMB, 19, 3, 3}, {CAIRN_STATE_THUMB, 20, 4, 4}, {CAIRN_STATE_THUMB, 26, 4, 4},
        {CAIRN_STATE_THUMB, 27, 5, 5}, {CAIRN_STATE_THUMB, 31, 5, 5},
    };
    struct cairn_config *config = ptm_config(0, A15_ETMIDR, A15_ETMCCER);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        struct cairn_packet_fields fields = {.address = 0x55555554, .state = table[i].state};
        struct cairn_packet_writer *writer;
        uint8_t bytes[64];

        assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
        assert_int_equal(cairn_packet_write(writer, CAIRN_PTM_INSTRUCTION_SYNC, &fields, bytes, 64),
                         6);
        fields.address ^= UINT64_C(1) << table[i].bit;
        /* proves: PFT-4.5.4-m */
        assert_int_equal(cairn_packet_write(writer, CAIRN_PTM_BRANCH_ADDRESS, &fields, bytes, 64),
                         table[i].plain);
        fields.address ^= UINT64_C(1) << table[i].bit;
        fields.flags = CAIRN_PACKET_HAS_EXCEPTION;
        fields.type = 0xe;
        /* proves: PFT-4.5.4-s, PFT-4.5.4-r */
        assert_int_equal(cairn_packet_write(writer, CAIRN_PTM_BRANCH_ADDRESS, &fields, bytes, 64),
                         table[i].with_info + 1);
        cairn_packet_writer_free(writer);
    }
    cairn_config_unref(config);
}

/* ---- damage and cuts ---- */

/* Every kind of packet, cycle accurate with Context IDs of four bytes. */
static const uint8_t all_kinds[] = {
    0,    0,    0,    0,    0,    0x80,                                           /* A-sync */
    0x08, 0x01, 0x80, 0x34, 0x12, 0x29, 0xf0, 0x12, 0x78, 0x56, 0x34, 0x12,       /* I-sync */
    0x84, 0xc0, 0x80, 0x80, 0x80, 0x01, 0x0c, 0x66,                               /* atoms */
    0xbd, 0xd6, 0xe8, 0xc8, 0x48, 0x9c, 0x01, 0x78, 0xff, 0xff, 0xff, 0x7f,       /* branch */
    0x72, 0xbd, 0xd6, 0xe8, 0xc8, 0x08, 0x6e, 0x01, 0x00, 0x00, 0x00, 0x3c, 0x05, /* others */
    0x46, 0xf0, 0xbd, 0xf3, 0xd5, 0x89, 0xcf, 0x95, 0x9a, 0x12, 0x78, 0xff, 0xff,
    0xff, 0x7f, /* time */
    0x76, 0x0c,
};

static void test_cuts(void **state)
{
    struct cairn_config *config = ptm_config(0x1000d000, A15_ETMIDR, A15_ETMCCER);
    struct ptm_packets wanted = {0}, got = {0};

    (void)state;
    ptm_decode(config, all_kinds, sizeof all_kinds, sizeof all_kinds, 1, 64, &wanted);
    assert_int_equal(wanted.count, 13);
    for (size_t cut = 1; cut < sizeof all_kinds; cut++) {
        ptm_decode(config, all_kinds, sizeof all_kinds, cut, sizeof all_kinds, 64, &got);
        ptm_assert_same(&got, &wanted);
        ptm_forget(&got);
        ptm_decode(config, all_kinds, sizeof all_kinds, cut, 1, 1, &got);
        ptm_assert_same(&got, &wanted);
        ptm_forget(&got);
    }
    ptm_forget(&wanted);
    cairn_config_unref(config);
}

/* The source ends at any byte: whole packets as ever, and one piece behind them at most. */
static void test_ends(void **state)
{
    struct cairn_config *config = ptm_config(0x1000d000, A15_ETMIDR, A15_ETMCCER);
    struct ptm_packets wanted = {0}, got = {0};

    (void)state;
    ptm_decode(config, all_kinds, sizeof all_kinds, sizeof all_kinds, 1, 64, &wanted);
    for (size_t size = 6; size < sizeof all_kinds; size++) {
        size_t whole = 0;

        ptm_decode(config, all_kinds, size, size, 1, 64, &got);
        while (whole < wanted.count &&
               wanted.list[whole].offset + wanted.list[whole].length <= size)
            whole++;
        const size_t end = (size_t)(wanted.list[whole - 1].offset + wanted.list[whole - 1].length);

        assert_int_equal(got.count, whole + (end < size));
        if (end < size) {
            const bool in_sync = wanted.list[whole].kind == CAIRN_PTM_ALIGNMENT_SYNC;
            assert_int_equal(got.list[whole].kind,
                             in_sync ? CAIRN_PTM_INCOMPLETE_SYNC : CAIRN_PTM_INCOMPLETE);
            assert_int_equal(got.list[whole].account,
                             in_sync ? CAIRN_ACCOUNT_PADDING : CAIRN_GAP_TRUNCATED);
        }
        ptm_forget(&got);
    }
    ptm_forget(&wanted);
    cairn_config_unref(config);
}

/* An A-sync at any byte: the packet there is cut, and the next one is right again. */
static void test_cut_packets(void **state)
{
    static const uint8_t again[] = {0, 0, 0, 0, 0, 0x80, 8, 0, 0x80, 0, 0, 1, 1, 0, 0, 0, 0x84};
    struct cairn_config *config = ptm_config(0x1000d000, A15_ETMIDR, A15_ETMCCER);
    uint8_t bytes[sizeof all_kinds + sizeof again];
    struct ptm_packets wanted = {0}, got = {0};

    (void)state;
    ptm_decode(config, all_kinds, sizeof all_kinds, sizeof all_kinds, 1, 64, &wanted);
    for (size_t at = 6; at < sizeof all_kinds; at++) {
        size_t whole = 0;

        memcpy(bytes, all_kinds, at);
        memcpy(bytes + at, again, sizeof again);
        ptm_decode(config, bytes, at + sizeof again, at + sizeof again, 1, 64, &got);
        while (wanted.list[whole].offset + wanted.list[whole].length <= at)
            whole++;
        const bool between = wanted.list[whole].offset == at;

        assert_int_equal(got.count, whole + !between + 3);
        if (!between) {
            assert_int_equal(got.list[whole].kind, CAIRN_PTM_CUT);
            assert_int_equal(got.list[whole].account, CAIRN_GAP_CUT);
        }
        assert_int_equal(got.list[got.count - 3].kind, CAIRN_PTM_ALIGNMENT_SYNC);
        assert_int_equal(got.list[got.count - 2].fields.address, 0x8000);
        assert_int_equal(got.list[got.count - 1].account, CAIRN_ACCOUNT_FLOW);
        ptm_forget(&got);
    }
    ptm_forget(&wanted);
    cairn_config_unref(config);
}

/* Any bytes, cut anywhere: the same packets, all bytes in them, and the gaps where they belong. */
static void test_noise(void **state)
{
    static uint8_t bytes[20000];
    uint64_t seed = 77;

    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        struct cairn_config *config = ptm_any_config(&seed);
        struct ptm_packets wanted = {0}, got = {0};
        const size_t size = 1 + ptm_below(&seed, sizeof bytes);
        bool reserved = false;

        for (size_t i = 0; i < size; i++)
            bytes[i] = ptm_below(&seed, 4) ? (uint8_t)(ptm_random(&seed) >> 40) : 0;
        for (size_t i = 0; i + 6 < size; i += ptm_below(&seed, 2000))
            memcpy(bytes + i, (const uint8_t[]){0, 0, 0, 0, 0, 0x80}, 6);
        ptm_decode(config, bytes, size, size, 1, 1000, &wanted);
        ptm_decode(config, bytes, size, ptm_below(&seed, (uint32_t)size), 1 + ptm_below(&seed, 50),
                   1 + ptm_below(&seed, 3), &got);
        ptm_assert_same(&got, &wanted);
        for (size_t i = 0; i < got.count; i++) {
            const struct ptm_packet *p = &got.list[i];

            reserved =
                p->kind != CAIRN_PTM_ALIGNMENT_SYNC && (reserved || p->kind == CAIRN_PTM_RESERVED);
            if (reserved)
                assert_true(CAIRN_ACCOUNT_IS_GAP(p->account));
            assert_int_equal(p->kind == CAIRN_PTM_NOT_SYNC, p->account == CAIRN_GAP_NO_SYNC);
        }
        ptm_forget(&wanted);
        ptm_forget(&got);
        cairn_config_unref(config);
    }
}

/* Zeros without end take no memory and no time to speak of, and stay one packet. */
static void test_zeros(void **state)
{
    struct cairn_config *config = ptm_config(0, A15_ETMIDR, A15_ETMCCER);
    const size_t size = 1 << 20;
    uint8_t *bytes = calloc(size, 1);
    struct ptm_packets packets = {0};

    (void)state;
    assert_non_null(bytes);
    bytes[5] = 0x80;
    ptm_decode(config, bytes, size, size, 1, 64, &packets);
    assert_int_equal(packets.count, 2);
    assert_int_equal(packets.list[1].kind, CAIRN_PTM_INCOMPLETE_SYNC);
    ptm_forget(&packets);
    bytes[size - 1] = 0x80;
    ptm_decode(config, bytes, size, 100, 4000, 64, &packets);
    assert_int_equal(packets.count, 2);
    assert_int_equal(packets.list[1].kind, CAIRN_PTM_ALIGNMENT_SYNC);
    ptm_forget(&packets);
    free(bytes);
    cairn_config_unref(config);
}

/* ---- columns ---- */

static void test_columns(void **state)
{
    struct cairn_config *config = ptm_config(0x1000d000, A15_ETMIDR, A15_ETMCCER);
    uint64_t address[16];
    uint32_t packet[16];
    struct cairn_packet_batch batch = {
        .size = sizeof batch, .capacity = 16, .address = address, .address_packet = packet};
    struct cairn_packets *packets;
    size_t position = 0;

    (void)state;
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, all_kinds, sizeof all_kinds, &position, &batch),
                     CAIRN_OK);
    assert_int_equal(cairn_packets_finish(packets, &batch), CAIRN_OK);
    assert_int_equal(batch.count, 13);
    assert_int_equal(batch.address_count, 3);
    assert_int_equal(packet[0], 1);
    assert_true(address[0] == 0x12348001); /* bit 0: Thumb */
    assert_int_equal(packet[1], 6);
    assert_true(address[1] == 0x12345678);
    assert_int_equal(packet[2], 7);
    position = 0;
    assert_int_equal(cairn_packets_run(packets, all_kinds, sizeof all_kinds, &position, &batch),
                     CAIRN_E_ARGUMENT);
    cairn_packets_free(packets);
    cairn_config_unref(config);
}

/* ---- words ---- */

/* "name=value name=value" of the last packet that the bytes are. Takes the configuration. */
static void assert_words(struct cairn_config *config, const uint8_t *bytes, size_t size,
                         const char *words)
{
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    struct cairn_field fields[FIELDS];
    size_t position = 0;
    char text[400] = "";

    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(16, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, bytes, size, &position, batch), CAIRN_OK);
    assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
    const size_t count = cairn_packet_describe(config, batch, batch->count - 1, fields, FIELDS);

    assert_int_equal(cairn_packet_describe(config, batch, batch->count - 1, NULL, 0), count);
    batch->fields[batch->count] = batch->fields[batch->count - 1]; /* behind the last */
    batch->kind[batch->count] = batch->kind[batch->count - 1];
    assert_int_equal(cairn_packet_describe(config, batch, batch->count, NULL, 0), 0);
    for (size_t i = 0; i < count; i++) {
        char value[48];

        if (fields[i].type == CAIRN_FIELD_TEXT)
            snprintf(value, sizeof value, "%s", fields[i].text);
        else if (fields[i].type == CAIRN_FIELD_UNKNOWN)
            snprintf(value, sizeof value, "?");
        else
            snprintf(value, sizeof value, fields[i].type == CAIRN_FIELD_HEX ? "0x%llx" : "%llu",
                     (unsigned long long)fields[i].value);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s=%s", i ? ", " : "",
                 fields[i].name, value);
    }
    assert_string_equal(text, words);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_config_unref(config);
}

/* Fields of a caller, with more atoms than a packet has: five are shown. */
static void test_many_atoms(void **state)
{
    struct cairn_config *config = ptm_config(0, A15_ETMIDR, A15_ETMCCER);
    struct cairn_packet_batch *batch;
    struct cairn_field fields[FIELDS];

    (void)state;
    assert_int_equal(cairn_packet_batch_new(1, &batch), CAIRN_OK);
    batch->count = 1;
    batch->kind[0] = CAIRN_PTM_ATOM;
    batch->fields[0] = (struct cairn_packet_fields){.atoms = 0x0d};
    for (unsigned count = 4; count <= 9; count++) {
        batch->fields[0].atom_count = (uint8_t)count;
        assert_int_equal(cairn_packet_describe(config, batch, 0, fields, FIELDS), 1);
        assert_string_equal(fields[0].text, count == 4 ? "ENEE" : "ENEEN");
    }
    cairn_packet_batch_free(batch);
    cairn_config_unref(config);
}

#define WORDS(ETMCR, TEXT, ...)                                                                    \
    ASSERT_WORDS_OF(ptm_config(ETMCR, A15_ETMIDR, A15_ETMCCER), TEXT, __VA_ARGS__)
#define ASSERT_WORDS_OF(CONFIG, TEXT, ...)                                                         \
    assert_words(CONFIG, (const uint8_t[]){0, 0, 0, 0, 0, 0x80, __VA_ARGS__},                      \
                 sizeof((const uint8_t[]){0, 0, 0, 0, 0, 0x80, __VA_ARGS__}), TEXT)

static void test_words(void **state)
{
    (void)state;
    WORDS(0x9000,
          "reason=trace on, address=0x8000, state=Thumb, address bits=32, NS=1, Hyp=0, "
          "CONTEXTID=0x1234, cycle count=5",
          0x08, 0x01, 0x80, 0, 0, 0x29, 0x94, 0x34, 0x12);
    WORDS(0x1000,
          "reason=after overflow, address=0x8000, state=ARM, address bits=32, NS=0, Hyp=1, "
          "cycle count=?",
          0x08, 0x00, 0x80, 0, 0, 0x43, 0x94);
    WORDS(0x1000, "reason=periodic, address=0x8000, state=ARM, address bits=32, NS=0, Hyp=0", 0x08,
          0x00, 0x80, 0, 0, 0x01);
    WORDS(0, "address=?, address bits=8", 0x05);
    WORDS(0, "exception=IRQ, Exception=0xe, address=0x18, state=ARM, address bits=14, NS=0, Hyp=0",
          0x08, 0, 0x10, 0, 0, 0x21, 0x8d, 0x40, 0x1c);
    WORDS(0x1000, "address=0x1008, state=ARM, address bits=8, cycle count=1", 0x08, 0, 0x10, 0, 0,
          0x21, 0x80, 0x05, 0x04);
    WORDS(0, "atoms=EEEN", 0xa2);
    WORDS(0x1000, "atoms=N, cycle count=16", 0xc2, 0x01);
    WORDS(0, "address=0x1034, state=ARM, address bits=8", 0x08, 0, 0x10, 0, 0, 0x21, 0x72, 0x1b);
    WORDS(0x4000, "CONTEXTID=0x22", 0x6e, 0x22);
    WORDS(0, "VMID=0x5", 0x3c, 0x05);
    WORDS(0, "TS=?, bytes=1", 0x42, 0x3d);
    WORDS(0x1000, "TS=0x123456789abcdef0, bytes=9, clock changed=1, cycle count=0", 0x46, 0xf0,
          0xbd, 0xf3, 0xd5, 0x89, 0xcf, 0x95, 0x9a, 0x12, 0x00);
    WORDS(0, "TS=?, bytes=9", 0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00);
    WORDS(0, "atoms=E", 0x84);
    WORDS(0,
          "exception=IRQ, Exception=0xe, address=?, address bits=14, NS=0, Hyp=0, SBZ not zero=1",
          0x81, 0x40, 0x3c);
    WORDS(0, "", 0x76);
    WORDS(0, "", 0x0c);
}

/* Packets that a unit like this never writes are taken, and marked (4.3). */
static void test_words_of_versions(void **state)
{
    struct cairn_source_config m = CAIRN_SOURCE_CONFIG_INIT;
    const struct cairn_register registers[] = {
        {"ETMCR", 0}, {"ETMIDR", A9_ETMIDR}, {"ETMCCER", A9_ETMCCER}};
    struct cairn_config *config;

    (void)state;
    m.protocol = CAIRN_PROTOCOL_PTM;
    m.arch.profile = CAIRN_PROFILE_M;
    m.registers = registers;
    m.register_count = COUNT_OF(registers);
    assert_int_equal(cairn_config_new(&m, &config, NULL), CAIRN_OK);
    /* proves: PFT-4.3-g */
    ASSERT_WORDS_OF(ptm_config(0, A9_ETMIDR, A9_ETMCCER), "not of this unit=1", 0x76);
    ASSERT_WORDS_OF(config, "", 0x76);
    ASSERT_WORDS_OF(ptm_config(0, A15_ETMIDR, A15_ETMCCER & ~0x04000000u),
                    "VMID=0x5, not of this unit=1", 0x3c, 0x05);
    ASSERT_WORDS_OF(ptm_config(0x100, A15_ETMIDR, A15_ETMCCER), "atoms=NN", 0x8e);
    /* proves: PFT-4.6-a */
    ASSERT_WORDS_OF(ptm_config(0x100, A15_ETMIDR, A15_ETMCCER), "atoms=EN, not of this unit=1",
                    0x8a);
}

/* ---- what cannot be written ---- */

static void test_refused(void **state)
{
    struct cairn_config *a9 = ptm_config(0, A9_ETMIDR, A9_ETMCCER);
    struct cairn_config *counts = ptm_config(0x1000, A15_ETMIDR, A15_ETMCCER);
    struct cairn_packet_writer *plain, *counting;
    uint8_t bytes[64];

#define REFUSED(WRITER, KIND, ...)                                                                 \
    assert_int_equal(cairn_packet_write(WRITER, CAIRN_PTM_##KIND,                                  \
                                        &(const struct cairn_packet_fields){__VA_ARGS__}, bytes,   \
                                        sizeof bytes),                                             \
                     0)
    (void)state;
    assert_int_equal(cairn_packet_writer_new(a9, &plain), CAIRN_OK);
    assert_int_equal(cairn_packet_writer_new(counts, &counting), CAIRN_OK);
    REFUSED(plain, RESERVED, .info = 0);
    REFUSED(plain, KIND_COUNT, .info = 0);
    REFUSED(plain, EXCEPTION_RETURN, .info = 0);
    REFUSED(plain, VMID, .info = 0);
    REFUSED(plain, CONTEXT_ID, .info = 0);
    REFUSED(plain, ATOM, .atom_count = 0);
    REFUSED(plain, ATOM, .atom_count = 6);
    REFUSED(plain, ATOM, .atom_count = 2, .atoms = 4);
    REFUSED(plain, ATOM, .atom_count = 1, .flags = CAIRN_PACKET_HAS_CYCLES, .cycles = 1);
    REFUSED(counting, ATOM, .atom_count = 2, .flags = CAIRN_PACKET_HAS_CYCLES, .cycles = 1);
    REFUSED(counting, ATOM, .atom_count = 1, .flags = CAIRN_PACKET_HAS_CYCLES,
            .cycles = CAIRN_PTM_OVERFLOW);
    REFUSED(plain, BRANCH_ADDRESS, .address = 2, .state = CAIRN_STATE_ARM);
    REFUSED(plain, BRANCH_ADDRESS, .address = 1, .state = CAIRN_STATE_THUMB);
    REFUSED(plain, BRANCH_ADDRESS, .address = UINT64_C(1) << 32);
    REFUSED(plain, BRANCH_ADDRESS, .address = 4, .state = 4);
    REFUSED(plain, BRANCH_ADDRESS, .address = 0x100, .address_bits = 8);
    REFUSED(plain, BRANCH_ADDRESS, .address = 4, .address_bits = 9);
    REFUSED(plain, BRANCH_ADDRESS, .state = CAIRN_STATE_THUMB, .address_bits = 7);
    REFUSED(plain, BRANCH_ADDRESS, .flags = CAIRN_PACKET_HAS_EXCEPTION, .type = 0x200);
    REFUSED(plain, BRANCH_ADDRESS, .info = 3);
    REFUSED(plain, BRANCH_ADDRESS, .flags = CAIRN_PACKET_HAS_CONTEXT, .context.EL = 2);
    REFUSED(plain, BRANCH_ADDRESS, .flags = CAIRN_PACKET_HAS_CONTEXT, .context.security = 2);
    REFUSED(plain, WAYPOINT_UPDATE, .state = CAIRN_STATE_JAZELLE);
    REFUSED(plain, INSTRUCTION_SYNC, .state = CAIRN_STATE_JAZELLE);
    REFUSED(plain, INSTRUCTION_SYNC, .reason = 4);
    REFUSED(plain, INSTRUCTION_SYNC, .context.EL = 2);
    REFUSED(counting, INSTRUCTION_SYNC, .flags = CAIRN_PACKET_HAS_CYCLES, .cycles = 1);
    REFUSED(counting, INSTRUCTION_SYNC, .reason = CAIRN_PTM_DEBUG_EXIT,
            .flags = CAIRN_PACKET_HAS_CYCLES);
    REFUSED(plain, TIMESTAMP, .value = UINT64_C(1) << 48);
    REFUSED(plain, TIMESTAMP, .value = 0x100, .size = 1);
    REFUSED(plain, TIMESTAMP, .size = 8);
    REFUSED(plain, TIMESTAMP, .info = 2);
    assert_int_equal(cairn_packet_write(plain, CAIRN_PTM_ALIGNMENT_SYNC,
                                        &(const struct cairn_packet_fields){0}, bytes, 5),
                     0);
    cairn_packet_writer_free(plain);
    cairn_packet_writer_free(counting);
    cairn_config_unref(a9);
    cairn_config_unref(counts);
}

/* ---- trace from a port narrower than a byte ---- */

/* An A-sync, an I-sync at 0x8000 and an E atom, that begin at any bit of a byte: found bit by bit
 * and put right. Where they begin with a byte the search by bytes finds the same place. */
static void test_shift(void **state)
{
    static const uint8_t aligned[] = {0, 0, 0, 0, 0, 0x80, 8, 0, 0x80, 0, 0, 0x21, 0x84};
    struct cairn_config *config = ptm_config(0, A15_ETMIDR, A15_ETMCCER);

    (void)state;
    for (unsigned late = 0; late < 8; late++) {
        uint8_t bytes[sizeof aligned + 2] = {0xff};
        struct ptm_packets packets = {0};
        unsigned shift = 9;
        size_t size;

        for (size_t i = 0; i < 8 * sizeof aligned; i++)
            if (aligned[i / 8] >> i % 8 & 1)
                bytes[1 + (i + late) / 8] |= (uint8_t)(1u << (i + late) % 8);
        assert_int_equal(cairn_find_sync(config, bytes, sizeof bytes, 0) == 1, late == 0);
        /* proves: PFT-4.5.1-b */
        assert_true(cairn_etmv3_find_shift(bytes, sizeof bytes, 0, &shift) < sizeof bytes);
        assert_int_equal(shift, late);
        size = cairn_etmv3_align(bytes, sizeof bytes, shift, bytes);
        assert_int_equal(cairn_find_sync(config, bytes, size, 0), 1);
        ptm_decode(config, bytes + 1, sizeof aligned, sizeof aligned, 1, 8, &packets);
        assert_int_equal(packets.count, 3);
        assert_int_equal(packets.list[1].kind, CAIRN_PTM_INSTRUCTION_SYNC);
        assert_int_equal(packets.list[1].fields.address, 0x8000);
        assert_int_equal(packets.list[2].kind, CAIRN_PTM_ATOM);
        ptm_forget(&packets);
    }
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_address_bits), cmocka_unit_test(test_address_lengths),
        cmocka_unit_test(test_cuts),         cmocka_unit_test(test_ends),
        cmocka_unit_test(test_cut_packets),  cmocka_unit_test(test_noise),
        cmocka_unit_test(test_zeros),        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_words),        cmocka_unit_test(test_words_of_versions),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_shift),
        cmocka_unit_test(test_many_atoms),
    };
    return cmocka_run_group_tests_name("ptm", tests, NULL, NULL);
}
