/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3 packets: what each header byte is, cuts, random bytes, the writer's round trip,
 * and the search for an A-sync by bytes and by bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/element.h>

#include "../house/share.h"
#include "etmv3_session.h"
#include "protocol/etmv3/etmv3.h"

#define R5 0x4104f230u
#define A7 0x410cf250u
#define A7_CCER 0x344008f2u
#define M3 0x4114f240u
#define V3_0 0x41002200u
#define DATA 0xcu
#define CYCLES 0x1000u
#define CONTEXT_4 0xc000u
#define VMID_ON 0x40000000u
#define DATA_ONLY 0x100000u

static struct cairn_config *configure(enum cairn_profile profile, uint32_t id, uint32_t control)
{
    struct cairn_error error = {.text = ""};
    struct cairn_config *config = etmv3_configure(profile, id, control, A7_CCER, &error);

    assert_string_equal(error.text, "");
    assert_non_null(config);
    return config;
}

/* ---- headers ---- */

/* Table 7-1, in issue Q's form, by code; `codes` ends with -1. */
struct row {
    unsigned kind;
    int codes[24];
};

static const struct row full_table[] = {
    {CAIRN_ETMV3_CYCLE_COUNT, {0x04, -1}},
    {CAIRN_ETMV3_I_SYNC, {0x08, -1}},
    {CAIRN_ETMV3_TRIGGER, {0x0c, -1}},
    {CAIRN_ETMV3_OUT_OF_ORDER_DATA,
     {0x20, 0x24, 0x28, 0x2c, 0x40, 0x44, 0x48, 0x4c, 0x60, 0x64, 0x68, 0x6c, -1}},
    {CAIRN_ETMV3_STORE_FAILED, {0x50, -1}},
    {CAIRN_ETMV3_I_SYNC_CYCLES, {0x70, -1}},
    {CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER, {0x54, 0x58, 0x5c, 0x74, 0x78, 0x7c, -1}},
    {CAIRN_ETMV3_VMID, {0x3c, -1}},
    {CAIRN_ETMV3_NORMAL_DATA, {0x02, 0x06, 0x0a, 0x0e, 0x22, 0x26, 0x2a, 0x2e, -1}},
    {CAIRN_ETMV3_DATA_SUPPRESSED, {0x62, -1}},
    {CAIRN_ETMV3_IGNORE, {0x66, -1}},
    {CAIRN_ETMV3_VALUE_NOT_TRACED, {0x6a, 0x7a, -1}},
    {CAIRN_ETMV3_CONTEXT_ID, {0x6e, -1}},
    {CAIRN_ETMV3_EXCEPTION_EXIT, {0x76, -1}},
    {CAIRN_ETMV3_TIMESTAMP, {0x42, 0x46, -1}},
};

/* What this header is in a stream: the kind of the packet it begins. */
static unsigned kind_of(struct cairn_config *config, unsigned header)
{
    static struct etmv3_list list;
    uint8_t bytes[6 + 1 + 20 + 1] = {0, 0, 0, 0, 0, 0x80};

    bytes[6] = (uint8_t)header;
    memset(bytes + 7, 0x09, 21); /* no zeros, no continuation; a state in a fifth byte */
    assert_true(etmv3_decode(config, bytes, sizeof bytes, 0, 64, &list));
    assert_int_equal(list.packets[0].kind, CAIRN_ETMV3_A_SYNC);
    assert_int_equal(list.packets[1].offset, 6);
    return list.packets[1].kind;
}

static void test_headers(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, DATA | CONTEXT_4 | VMID_ON);
    unsigned expected[256] = {0}, reserved = 0;

    for (size_t i = 0; i < sizeof full_table / sizeof full_table[0]; i++)
        for (const int *code = full_table[i].codes; *code >= 0; code++)
            expected[*code] = full_table[i].kind;
    for (unsigned header = 1; header < 256; header++) {
        unsigned want = expected[header] ? expected[header] : CAIRN_ETMV3_RESERVED;
        if (header & 1)
            want = CAIRN_ETMV3_BRANCH;
        else if (header >= 0x80 && !(header & 3))
            want = CAIRN_ETMV3_P_HEADER_F1;
        else if (header >= 0x80 && header <= 0x8e)
            want = CAIRN_ETMV3_P_HEADER_F2;
        reserved += header < 0x80 && want == CAIRN_ETMV3_RESERVED;
        /* proves: ETM3-7.2-r, ETM35-7.2-a, ETM35Q-7.2-a, ETM3-7.2-s */
        assert_int_equal(kind_of(config, header), want);
    }
    assert_int_equal(reserved, 22 + 1); /* and 7E, which is of the M profile */
    cairn_config_unref(config);
}

/* Table 7-1 as issue O prints it, for a unit that writes all of it. */
static void test_headers_v3_4(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_M, M3, DATA | CONTEXT_4);
    unsigned branches = 0, atoms = 0, reserved = 0, others = 1; /* A-sync */

    for (unsigned header = 1; header < 256; header++) {
        const unsigned kind = kind_of(config, header);

        branches += kind == CAIRN_ETMV3_BRANCH;
        if (header >= 0x80 && !(header & 1))
            atoms++;
        else if (kind == CAIRN_ETMV3_RESERVED)
            reserved++;
        else if (kind != CAIRN_ETMV3_BRANCH)
            others++;
    }
    /* proves: ETM3-7.2-a */
    assert_int_equal(branches, 128);
    assert_int_equal(atoms, 64);
    assert_int_equal(others, 39);
    assert_int_equal(reserved, 25);
    cairn_config_unref(config);
}

/* Headers that came with a version, or with a profile. */
static void test_headers_by_version(void **state)
{
    (void)state;
    for (unsigned minor = 0; minor <= 5; minor++)
        for (unsigned m = 0; m < 2; m++) {
            struct cairn_config *config =
                configure(m ? CAIRN_PROFILE_M : CAIRN_PROFILE_A, V3_0 | minor << 4, DATA | VMID_ON);
            const bool virtual = minor >= 5 && !m;

            /* proves: ETM3-7.2-u, ETM3-7.2-p, ETM35Q-B.3.6-a */
            assert_int_equal(kind_of(config, 0x76) != CAIRN_ETMV3_RESERVED, minor >= (m ? 4 : 5));
            assert_int_equal(kind_of(config, 0x7e) != CAIRN_ETMV3_RESERVED, m && minor >= 4);
            assert_int_equal(kind_of(config, 0x3c) != CAIRN_ETMV3_RESERVED, virtual);
            assert_int_equal(kind_of(config, 0x42) != CAIRN_ETMV3_RESERVED, minor >= 5);
            assert_int_equal(kind_of(config, 0x46) != CAIRN_ETMV3_RESERVED, minor >= 5);
            assert_int_equal(kind_of(config, 0x50) != CAIRN_ETMV3_RESERVED, minor >= 1);
            cairn_config_unref(config);
        }
}

/* 7.4.10: no other packet is written, so each of their headers is reserved. */
static void test_data_only_headers(void **state)
{
    (void)state;
    static const unsigned kept[] = {
        CAIRN_ETMV3_I_SYNC,
        CAIRN_ETMV3_TRIGGER,
        CAIRN_ETMV3_OUT_OF_ORDER_DATA,
        CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER,
        CAIRN_ETMV3_VMID,
        CAIRN_ETMV3_NORMAL_DATA,
        CAIRN_ETMV3_IGNORE,
        CAIRN_ETMV3_VALUE_NOT_TRACED,
        CAIRN_ETMV3_CONTEXT_ID,
        CAIRN_ETMV3_TIMESTAMP,
    };
    struct cairn_config *config =
        configure(CAIRN_PROFILE_A, A7, DATA | CONTEXT_4 | VMID_ON | DATA_ONLY);
    unsigned expected[256];

    for (unsigned header = 1; header < 256; header++)
        expected[header] = CAIRN_ETMV3_RESERVED;
    for (size_t i = 0; i < sizeof full_table / sizeof full_table[0]; i++)
        for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++)
            for (const int *code = full_table[i].codes; *code >= 0; code++)
                if (full_table[i].kind == kept[k])
                    expected[*code] = kept[k];
    for (unsigned header = 1; header < 256; header++)
        /* proves: ETM3-7.4.10-a, ETM35Q-7.4.10-a */
        assert_int_equal(kind_of(config, header), expected[header]);
    cairn_config_unref(config);
}

static unsigned cycle_kind(unsigned header, unsigned minor)
{
    if (header == 0x80)
        return minor == 0 ? CAIRN_ETMV3_P_HEADER_CYCLES_F0 : CAIRN_ETMV3_RESERVED;
    if (!(header & 3))
        return header & 0x20 ? CAIRN_ETMV3_P_HEADER_CYCLES_F3 : CAIRN_ETMV3_P_HEADER_CYCLES_F1;
    if (header <= 0x8e)
        return CAIRN_ETMV3_P_HEADER_CYCLES_F2;
    if ((header == 0x92 || header == 0x96) && minor >= 3)
        return CAIRN_ETMV3_P_HEADER_CYCLES_F4;
    return CAIRN_ETMV3_RESERVED;
}

static void test_cycle_headers(void **state)
{
    (void)state;
    static const unsigned minors[] = {0, 1, 2, 3, 4, 5};

    for (size_t i = 0; i < sizeof minors / sizeof minors[0]; i++) {
        struct cairn_config *config = configure(CAIRN_PROFILE_R, V3_0 | minors[i] << 4, CYCLES);

        for (unsigned header = 0x80; header < 256; header += 2)
            assert_int_equal(kind_of(config, header), cycle_kind(header, minors[i]));
        cairn_config_unref(config);
    }
}

/* ---- what may be cancelled ---- */

static void test_p0(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, 0);

    assert_true(cairn_protocol_decodes(CAIRN_PROTOCOL_ETMV3));
    assert_true(cairn_element_is_p0(config, CAIRN_ELEMENT_ATOM));
    assert_false(cairn_element_is_p0(config, CAIRN_ELEMENT_EXCEPTION));
    assert_false(cairn_element_is_p0(config, CAIRN_ELEMENT_EXCEPTION_RETURN));
    cairn_config_unref(config);
    config = configure(CAIRN_PROFILE_M, M3, 0);
    assert_true(cairn_element_is_p0(config, CAIRN_ELEMENT_EXCEPTION_RETURN));
    cairn_config_unref(config);
}

/* ---- cuts, random bytes, round trips ---- */

static uint32_t random_state;

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static const struct {
    enum cairn_profile profile;
    uint32_t id, control;
} settings[] = {
    {CAIRN_PROFILE_A, A7, DATA | CONTEXT_4 | VMID_ON},
    {CAIRN_PROFILE_A, A7, CYCLES | VMID_ON},
    {CAIRN_PROFILE_R, R5, DATA},
    {CAIRN_PROFILE_M, M3, 0},
    {CAIRN_PROFILE_M, M3, DATA | 0x4000},
    {CAIRN_PROFILE_A, V3_0, CYCLES | DATA},
    {CAIRN_PROFILE_R, R5, DATA_ONLY | DATA},
    {CAIRN_PROFILE_A, A7, DATA_ONLY | DATA | CONTEXT_4 | VMID_ON},
};
#define SETTINGS (sizeof settings / sizeof settings[0])

/* Random bytes with many zeros, so that there are A-syncs. */
static void fill_random(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const uint32_t random = next_random();

        bytes[i] = (uint8_t)(random >> 24);
        if (random % 32 == 0 && i + 6 <= size) {
            memset(bytes + i, 0, 5);
            i += 5;
            bytes[i] = random & 0x100 ? 0x80 : (uint8_t)random;
        }
    }
}

static void test_random_bytes(void **state)
{
    (void)state;
    static struct etmv3_list whole, cut;
    uint8_t bytes[600];

    random_state = 0x1234567;
    for (unsigned round = 0; round < 700; round++) {
        const size_t s = round % SETTINGS;
        struct cairn_config *config =
            configure(settings[s].profile, settings[s].id, settings[s].control);

        fill_random(bytes, sizeof bytes);
        assert_true(etmv3_decode(config, bytes, sizeof bytes, 0, 256, &whole));
        assert_true(etmv3_decode(config, bytes, sizeof bytes, 1, 256, &cut));
        assert_true(etmv3_same(&whole, &cut));
        assert_true(etmv3_decode(config, bytes, sizeof bytes, 1 + round % 13, 1, &cut));
        assert_true(etmv3_same(&whole, &cut));
        cairn_config_unref(config);
    }
}

/* The same bytes behind two I-syncs: where packets begin and end does not depend on what code they
 * are about. */
static void test_lengths(void **state)
{
    (void)state;
    static const uint8_t syncs[2][6] = {{0x08, 0x21, 0x00, 0x80, 0x00, 0x00},
                                        {0x08, 0x49, 0xf1, 0x83, 0x00, 0xc0}};
    static struct etmv3_list lists[2];
    uint8_t bytes[6 + 6 + 200] = {0, 0, 0, 0, 0, 0x80};

    random_state = 0xc0de;
    for (unsigned round = 0; round < 200; round++) {
        struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, round & 1 ? CYCLES : DATA);

        for (size_t i = 12; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(next_random() >> 24);
        for (size_t k = 0; k < 2; k++) {
            memcpy(bytes + 6, syncs[k], 6);
            assert_true(etmv3_decode(config, bytes, sizeof bytes, 0, 256, &lists[k]));
        }
        /* proves: ETM3-7.2-v */
        assert_int_equal(lists[0].count, lists[1].count);
        for (size_t i = 0; i < lists[0].count; i++) {
            assert_int_equal(lists[0].packets[i].kind, lists[1].packets[i].kind);
            assert_int_equal(lists[0].packets[i].length, lists[1].packets[i].length);
        }
        cairn_config_unref(config);
    }
}

/* Every prefix of a stream: the packets before the cut are the same. */
static void test_every_end(void **state)
{
    (void)state;
    static struct etmv3_list whole, part;
    uint8_t bytes[300];

    random_state = 0x777;
    for (size_t s = 0; s < SETTINGS; s++) {
        struct cairn_config *config =
            configure(settings[s].profile, settings[s].id, settings[s].control);

        fill_random(bytes, sizeof bytes);
        memcpy(bytes, "\0\0\0\0\0\x80", 6);
        assert_true(etmv3_decode(config, bytes, sizeof bytes, 0, 256, &whole));
        for (size_t size = 0; size < sizeof bytes; size++)
            assert_true(size == 0 || etmv3_decode(config, bytes, size, 0, 64, &part));
        cairn_config_unref(config);
    }
}

/* A packet of a random stream, written, is its bytes again, or as few that mean the same. */
static bool writes(struct cairn_packet_writer *writer, const struct etmv3_packet *packet,
                   uint8_t *bytes, size_t *size)
{
    *size = cairn_packet_write(writer, packet->kind, &packet->fields, bytes, 64);
    return *size != 0;
}

/* Entry to Halting debug: its NS and Hyp mean nothing, and are not kept. */
static bool is_halting(const struct etmv3_packet *packet)
{
    return packet->kind == CAIRN_ETMV3_BRANCH && packet->fields.flags & CAIRN_PACKET_HAS_INFO &&
           !(packet->fields.flags & CAIRN_PACKET_HAS_CONTEXT);
}

/* Random packets from a random stream that has no damage: each whole one, behind an I-sync. */
static void check_round_trip(struct cairn_config *config, const struct etmv3_list *list,
                             const uint8_t *source, struct etmv3_list *again)
{
    static uint8_t written[16384];
    struct cairn_packet_writer *writer = NULL;
    size_t total = 0, count = 0, size;
    static const struct etmv3_packet *kept[ETMV3_PACKETS_MAX];

    assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
    for (size_t i = 0; i < list->count && total + 64 < sizeof written; i++) {
        const struct etmv3_packet *packet = &list->packets[i];

        if (packet->kind <= CAIRN_ETMV3_INCOMPLETE || packet->account == CAIRN_GAP_RESERVED ||
            packet->fields.flags & CAIRN_PACKET_SBZ)
            break; /* the history of the two is no longer the same */
        if (!writes(writer, packet, written + total, &size))
            fail_msg("%u at %llu is not written", packet->kind, (unsigned long long)packet->offset);
        if (size == packet->length && packet->kind != CAIRN_ETMV3_A_SYNC && !is_halting(packet))
            assert_memory_equal(written + total, source + packet->offset, size);
        kept[count++] = packet;
        total += size;
    }
    cairn_packet_writer_free(writer);
    assert_true(total == 0 || etmv3_decode(config, written, total, 0, 256, again));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(again->packets[i].kind, kept[i]->kind);
        assert_int_equal(again->packets[i].fields.flags, kept[i]->fields.flags);
        assert_int_equal(again->packets[i].fields.address, kept[i]->fields.address);
        assert_int_equal(again->packets[i].fields.value, kept[i]->fields.value);
        assert_int_equal(again->packets[i].fields.state, kept[i]->fields.state);
        assert_int_equal(again->packets[i].fields.type, kept[i]->fields.type);
        assert_int_equal(again->packets[i].fields.count, kept[i]->fields.count);
        assert_int_equal(again->packets[i].fields.atoms, kept[i]->fields.atoms);
        assert_int_equal(again->packets[i].fields.cycles, kept[i]->fields.cycles);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    static struct etmv3_list list, again;
    uint8_t bytes[120];

    random_state = 0xabcdef;
    for (unsigned round = 0; round < TEST_PART(20000); round++) {
        const size_t s = round % SETTINGS;
        struct cairn_config *config =
            configure(settings[s].profile, settings[s].id, settings[s].control);

        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(next_random() >> 24);
        memcpy(bytes, "\0\0\0\0\0\x80", 6);
        assert_true(etmv3_decode(config, bytes, sizeof bytes, 0, 256, &list));
        check_round_trip(config, &list, bytes, &again);
        cairn_config_unref(config);
    }
}

/* 7.3.5, Branch address generation: a one at bit 32, shifted as the state says, a one below, pieces
 * of seven bits, each but the last with bit 7. */
static void generate(uint32_t address, unsigned shift, uint8_t bytes[5])
{
    const uint64_t whole = (UINT64_C(1) << 32 | address) >> shift << 1 | 1;

    for (unsigned i = 0; i < 5; i++)
        bytes[i] = (uint8_t)((whole >> (7 * i) & 0x7f) | (i < 4 ? 0x80 : 0));
}

static void test_generation(void **state)
{
    (void)state;
    static const struct {
        unsigned state, shift;
    } states[] = {{CAIRN_STATE_ARM, 2}, {CAIRN_STATE_THUMB, 1}, {CAIRN_STATE_JAZELLE, 0}};
    static struct etmv3_list list;
    uint8_t bytes[6 + 5] = {0, 0, 0, 0, 0, 0x80};

    random_state = 0x5eed;
    for (unsigned round = 0; round < 600; round++) {
        const unsigned s = round % 3;
        const uint32_t address = next_random() >> states[s].shift << states[s].shift;
        struct cairn_config *config = configure(CAIRN_PROFILE_A, A7 | (round & 1) << 20, 0);

        generate(address, states[s].shift, bytes + 6);
        assert_true(etmv3_decode(config, bytes, sizeof bytes, 0, 16, &list));
        assert_int_equal(list.count, 2);
        /* proves: ETM3-7.3.5-ce, ETM3-7.3.5-f */
        assert_int_equal(list.packets[1].fields.address, address);
        assert_int_equal(list.packets[1].fields.state, states[s].state);
        cairn_config_unref(config);
    }
}

/* ---- synchronisation ---- */

static size_t slow_sync(const uint8_t *data, size_t size, size_t from)
{
    for (size_t at = from; at + 6 <= size; at++)
        if (memcmp(data + at, "\0\0\0\0\0\x80", 6) == 0)
            return at;
    return size;
}

static void test_find_sync(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, 0);
    uint8_t bytes[64];

    random_state = 99;
    for (unsigned round = 0; round < TEST_PART(2000); round++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = next_random() % 8 == 0 ? 0x80 : next_random() % 16 == 0;
        for (size_t from = 0; from <= sizeof bytes; from++)
            assert_int_equal(cairn_find_sync(config, bytes, sizeof bytes, from),
                             slow_sync(bytes, sizeof bytes, from));
    }
    cairn_config_unref(config);
}

static void test_shift(void **state)
{
    (void)state;
    static const uint8_t aligned[] = {0x84, 0, 0, 0, 0, 0, 0x80, 0x84};
    static const uint8_t early[] = {0x42, 0, 0, 0, 0, 0, 0x40, 0x42};
    static const uint8_t first[] = {0, 0, 0, 0, 0, 0x40, 0x42};
    static const uint8_t printed[] = {0x01, 0, 0, 0, 0, 0x40, 0x42};
    static const uint8_t one_less[] = {0x80, 0, 0, 0, 0, 0, 0x40, 0x42};
    uint8_t out[sizeof early];
    unsigned shift = 9;

    assert_int_equal(cairn_etmv3_find_shift(aligned, sizeof aligned, 0, &shift), 6);
    assert_int_equal(shift, 0);
    for (size_t from = 1; from <= sizeof aligned; from++) /* it ends there, or behind it */
        assert_int_equal(cairn_etmv3_find_shift(aligned, sizeof aligned, from, &shift),
                         from <= 6 ? 6 : sizeof aligned);
    /* proves: ETM3-7.7.2-e */
    assert_int_equal(cairn_etmv3_find_shift(early, sizeof early, 0, &shift), 6);
    assert_int_equal(shift, 7);
    assert_int_equal(cairn_etmv3_align(early, sizeof early, shift, out), sizeof early - 1);
    assert_memory_equal(out, aligned + 1, sizeof out - 1);
    /* 45 zeros: no A-sync, whatever the specification prints */
    assert_int_equal(cairn_etmv3_find_shift(printed, sizeof printed, 0, &shift), sizeof printed);
    /* 46 behind a one */
    assert_int_equal(cairn_etmv3_find_shift(one_less, sizeof one_less, 0, &shift), sizeof one_less);
    assert_int_equal(cairn_etmv3_find_shift(NULL, 0, 0, &shift), 0);
    /* 46, from the first bit on */
    assert_int_equal(cairn_etmv3_find_shift(first, sizeof first, 0, &shift), sizeof first);
    for (unsigned late = 0; late < 8; late++) {
        uint8_t bytes[12] = {0xff};
        for (unsigned i = 0; i < 8 * sizeof aligned; i++)
            if (aligned[i / 8] >> i % 8 & 1)
                bytes[1 + (i + late) / 8] |= (uint8_t)(1u << (i + late) % 8);
        assert_true(cairn_etmv3_find_shift(bytes, sizeof bytes, 0, &shift) < sizeof bytes);
        assert_int_equal(shift, late);
        assert_int_equal(cairn_etmv3_align(bytes, sizeof bytes, shift, bytes),
                         sizeof bytes - (late != 0));
        assert_memory_equal(bytes + 1, aligned, sizeof aligned);
    }
}

/* ---- packets between atoms ---- */

/* How many bytes are taken, with a P-header behind them: all of them, or none. */
static size_t between(struct cairn_config *config, const char *bytes, size_t size, unsigned *count)
{
    const struct cairn_branch_place place = {.address = 0x8000};
    struct cairn_etmv3_parser *parser;
    struct cairn_packet_batch *batch;

    assert_int_equal(cairn_etmv3_parser_new(config, &parser), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(8, &batch), CAIRN_OK);
    const size_t taken =
        cairn_etmv3_parser_between(parser, 0, &place, (const uint8_t *)bytes, size, batch);

    *count = (unsigned)batch->count;
    cairn_packet_batch_free(batch);
    cairn_etmv3_parser_free(parser);
    return taken;
}

/* Those that say nothing of the atoms before them (7.3.5: a branch packet may cancel one; 7.4:
 * data are of the last one; 7.7.3: trace that goes on has lost some), if they are whole. */
static void test_between(void **state)
{
#define ROW(COUNT, BYTES)                                                                          \
    {                                                                                              \
        COUNT, BYTES, sizeof BYTES - 1                                                             \
    }
    static const struct {
        unsigned count; /* of packets; 0: not taken */
        const char *bytes;
        size_t size;
    } rows[] = {
        ROW(1, "\x42\x05\x84"),                       /* Timestamp */
        ROW(1, "\x6e\x01\x02\x03\x04\x84"),           /* Context ID */
        ROW(1, "\x3c\x05\x84"),                       /* VMID */
        ROW(2, "\x0c\x66\x84"),                       /* Trigger, Ignore */
        ROW(1, "\x08\0\0\0\0\x01\0\x80\0\0\x84"),     /* I-sync, periodic */
        ROW(2, "\0\0\0\0\0\x80\x66\x84"),             /* A-sync, Ignore */
        ROW(2, "\x66\0\0\0\0\0\x80\x84"),             /* Ignore, A-sync */
        ROW(0, "\x08\0\0\0\0\x21\0\x80\0\0\x84"),     /* I-sync, trace on */
        ROW(0, "\x08\0\0\0\0\x81\0\x80\0\0\x05\x84"), /* data instruction's */
        ROW(0, "\x76\x84"),                           /* Return from exception */
        ROW(0, "\x05\x84"),                           /* branch packet */
        ROW(0, "\0\0\x80\x84"),                       /* no A-sync: too few zeros */
        ROW(0, "\x30\x84"),                           /* reserved */
        ROW(0, "\x6e\x01\x02\0\0\0\0\0\x80\x84"),     /* cut by an A-sync */
        ROW(0, "\x66\x66"),                           /* no P-header behind them */
        ROW(0, "\x66\x42\x85"),                       /* nor all of the packet */
    };
#undef ROW
    struct cairn_config *config = configure(CAIRN_PROFILE_A, A7, VMID_ON | CONTEXT_4);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned count;

        assert_int_equal(between(config, rows[i].bytes, rows[i].size, &count),
                         rows[i].count ? rows[i].size - 1 : 0);
        assert_int_equal(count, rows[i].count);
    }
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),       cmocka_unit_test(test_data_only_headers),
        cmocka_unit_test(test_headers_v3_4),  cmocka_unit_test(test_headers_by_version),
        cmocka_unit_test(test_lengths),       cmocka_unit_test(test_generation),
        cmocka_unit_test(test_cycle_headers), cmocka_unit_test(test_p0),
        cmocka_unit_test(test_random_bytes),  cmocka_unit_test(test_every_end),
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_find_sync),
        cmocka_unit_test(test_shift),         cmocka_unit_test(test_between),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
