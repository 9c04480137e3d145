/* SPDX-License-Identifier: BSD-2-Clause */
/* Places of readers (protocol/words.h): all that what follows depends on. A reader that begins at a place
 * stands at that place, whatever of it is set, and no two places of different states are equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "etmv3_session.h"
#include "protocol/words_of_scan.h"
#include "ptm_session.h"
#include "random_trace.h"

/* What of a place means one thing: bits of struct cairn_reader_place.state. */
struct field {
    unsigned index, shift, bits;
};

static const struct field etmv4_fields[] = {
    {0, 0, 64}, {1, 0, 64},  {2, 0, 64},             /* addresses */
    {3, 0, 64},                                      /* timestamp */
    {4, 0, 32}, {4, 32, 32},                         /* Context ID, VMID */
    {5, 0, 8},  {5, 8, 8},   {5, 16, 8}, {5, 24, 8}, /* EL, security, SF, SBZ */
    {6, 0, 32}, {6, 32, 1},                          /* threshold, a marker */
};

static const struct field etmv3_fields[] = {
    {0, 0, 64},                                      /* timestamp */
    {1, 0, 32}, {1, 32, 32},                         /* address, Context ID */
    {2, 0, 32}, {2, 32, 8},  {2, 40, 8}, {2, 48, 8}, /* data address, VMID, state, reason */
    {3, 0, 8},  {3, 8, 8},                           /* known bits of timestamp, data address */
    {3, 16, 1}, {3, 17, 1},  {3, 18, 1}, {3, 19, 1}, /* NS, Hyp, endianness, a count is due */
    {4, 0, 64}, {6, 0, 64},                          /* where it went on; packet of the waits */
};

static const struct field ptm_fields[] = {
    {0, 0, 64},                                     /* timestamp */
    {1, 0, 32}, {1, 32, 8}, {1, 40, 8},             /* address, alignment, known bits */
    {2, 0, 32}, {2, 32, 8}, {2, 40, 1}, {2, 41, 1}, /* Context ID, VMID, NS, Hyp */
    {3, 0, 64},                                     /* the last waypoint */
};

/* Whether a reader of the configuration stands where it begins; then it stands at that place. */
static bool stands_there(struct cairn_config *config, const struct cairn_reader_place *place)
{
    const struct cairn_protocol *protocol = config->protocol;
    struct cairn_word_bytes meanings = {{0}, {0}};
    struct cairn_reader_place got;
    void *reader = NULL;
    bool stands;

    assert_int_equal(protocol->reader_new(config, &meanings, &reader), CAIRN_OK);
    protocol->reader_begin_at(reader, place->offset, place);
    stands = protocol->reader_stand(reader, &got);
    protocol->reader_free(reader);
    if (stands)
        assert_memory_equal(&got, place, sizeof got);
    return stands;
}

/* A place in which all fields have something. */
static struct cairn_reader_place full_place(const struct cairn_reader_place *least,
                                            const struct field *fields, size_t count)
{
    struct cairn_reader_place all = *least;

    for (size_t i = 0; i < count; i++)
        all.state[fields[i].index] |= (UINT64_MAX >> (64 - fields[i].bits)) << fields[i].shift;
    return all;
}

/* Each bit alone, and all but it. */
static void check(struct cairn_config *config, const struct cairn_reader_place *least,
                  const struct field *fields, size_t count)
{
    const struct cairn_reader_place all = full_place(least, fields, count);

    assert_true(stands_there(config, least));
    assert_true(stands_there(config, &all));
    for (size_t i = 0; i < count; i++)
        for (unsigned bit = 0; bit < fields[i].bits; bit++) {
            const uint64_t one = UINT64_C(1) << (fields[i].shift + bit);
            struct cairn_reader_place place = *least;

            place.state[fields[i].index] |= one;
            assert_true(stands_there(config, &place));
            place = all;
            place.state[fields[i].index] &= ~one;
            assert_true(stands_there(config, &place));
        }
}

/* --- without a place --- */

enum {
    ROOM = 512,
    ATOMS = 4000,
    BY_LEVELS = 200, /* bytes of them that the levels may take before the reader does */
};

/* Where a reader stands in the middle of the atoms, and what it is called with. */
struct given {
    struct cairn_words words;
    struct cairn_word word[ROOM];
    struct cairn_aside aside[ROOM];
    struct cairn_element_data data[ROOM];
    struct cairn_scan_ledger ledger;
    struct cairn_reader_place place;
    bool stands;
    uint64_t elements; /* that are no part of words: kinds and places, added up */
};

static void read_from(void *reader, const struct cairn_protocol *protocol, const uint8_t *bytes,
                      size_t size, struct given *given)
{
    size_t at = 0;

    memset(given, 0, sizeof *given);
    given->words = (struct cairn_words){.capacity = ROOM,
                                        .word = given->word,
                                        .aside_capacity = ROOM,
                                        .aside = given->aside,
                                        .data_capacity = ROOM,
                                        .data = given->data,
                                        .ledger = &given->ledger,
                                        .until = size - ATOMS / 4,
                                        .packets = true};
    assert_int_equal(cairn_element_batch_new(ROOM, &given->words.elements), CAIRN_OK);
    do {
        cairn_words_empty(&given->words);
        assert_int_equal(protocol->reader_words(reader, bytes, size, &at, &given->words), CAIRN_OK);
        for (size_t i = 0; i < given->words.elements->count; i++) {
            const unsigned kind = given->words.elements->kind[i];

            if (kind != CAIRN_ELEMENT_ATOM && kind != CAIRN_ELEMENT_TARGET_ADDRESS)
                given->elements += kind * UINT64_C(0x10001) + given->words.elements->offset[i];
        }
    } while (given->words.count + given->words.elements->count > 0);
    given->stands = protocol->reader_stand(reader, &given->place);
    assert_true(given->words.by_levels < BY_LEVELS);
    cairn_element_batch_free(given->words.elements);
    given->words.elements = NULL;
}

/* A reader that stood somewhere, and then begins in front of a synchronisation of which nothing before is
 * known, stands where a new one does. `bytes` are followed by so many atoms. */
static void check_anew(struct cairn_config *config, const struct cairn_reader_place *place,
                       const uint8_t *bytes, size_t size, uint8_t atom)
{
    const struct cairn_protocol *protocol = config->protocol;
    struct cairn_word_bytes meanings = {{0}, {0}};
    static struct given fresh, again;
    uint8_t trace[64 + ATOMS];
    void *reader = NULL;

    memcpy(trace, bytes, size);
    memset(trace + size, atom, ATOMS);
    assert_int_equal(protocol->reader_new(config, &meanings, &reader), CAIRN_OK);
    read_from(reader, protocol, trace, size + ATOMS, &fresh);
    protocol->reader_free(reader);
    assert_true(fresh.stands);
    assert_int_equal(protocol->reader_new(config, &meanings, &reader), CAIRN_OK);
    protocol->reader_begin_at(reader, place->offset, place);
    protocol->reader_begin_at(reader, 0, NULL);
    read_from(reader, protocol, trace, size + ATOMS, &again);
    protocol->reader_free(reader);
    assert_true(again.stands);
    assert_int_equal(again.elements, fresh.elements);
    assert_memory_equal(again.place.state, fresh.place.state, sizeof fresh.place.state);
}

static void test_etmv4_anew(void **state)
{
    static const uint8_t bytes[] = {0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0x80,
                                    0x01, 0x00, 0x04, 0x9d, 0, 8, 0, 0, 0, 0, 0, 0};
    const struct cairn_reader_place least = {.offset = 0x123456789};
    const struct cairn_reader_place all = full_place(&least, etmv4_fields, COUNT_OF(etmv4_fields));
    unsigned checked = 0;

    (void)state;
    for (size_t i = 0; i < random_unit_count; i++) {
        struct cairn_config *config = random_configure(&random_units[i]);

        if (stands_there(config, &least)) {
            check_anew(config, &all, bytes, sizeof bytes, 0xf7);
            checked++;
        }
        cairn_config_unref(config);
    }
    assert_true(checked > 0);
}

/* ETE in which nothing is speculative and no cycles are counted. */
static struct cairn_config *configure_plain(void)
{
    static const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x1},     {"TRCIDR0", 0x28018ea1}, {"TRCIDR1", 0x4100fff0},
        {"TRCIDR2", 0x40001088}, {"TRCIDR8", 0},          {"TRCDEVARCH", 0x47735a13},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0};
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

/* A reader of ETMv4 that begins at a place, or anew, reads bytes that are just as long as they are, and nothing
 * in front of its words: the sanitizers watch. Returns the elements that it gave. */
static size_t read_all(const struct cairn_reader_place *place, const uint8_t *bytes, size_t size)
{
    size_t given = 0;

    for (size_t i = 0; i <= random_unit_count; i++) {
        struct cairn_config *config =
            i < random_unit_count ? random_configure(&random_units[i]) : configure_plain();
        const struct cairn_protocol *protocol = config->protocol;
        struct cairn_word_bytes meanings = {{0}, {0}};
        struct cairn_scan_ledger ledger = {0};
        uint8_t *exact = malloc(size);
        struct cairn_words words = {.capacity = ROOM,
                                    .word = malloc(ROOM * sizeof *words.word),
                                    .aside_capacity = ROOM,
                                    .aside = malloc(ROOM * sizeof *words.aside),
                                    .data_capacity = ROOM,
                                    .data = malloc(ROOM * sizeof *words.data),
                                    .ledger = &ledger,
                                    .until = UINT64_MAX,
                                    .packets = true};
        void *reader = NULL;
        size_t at = 0;

        assert_true(exact && words.word && words.aside && words.data);
        memcpy(exact, bytes, size);
        assert_int_equal(cairn_element_batch_new(ROOM, &words.elements), CAIRN_OK);
        assert_int_equal(protocol->reader_new(config, &meanings, &reader), CAIRN_OK);
        if (place)
            protocol->reader_begin_at(reader, place->offset, place);
        do {
            cairn_words_empty(&words);
            assert_int_equal(protocol->reader_words(reader, exact, size, &at, &words), CAIRN_OK);
            given += words.elements->count;
        } while (words.count + words.elements->count > 0);
        assert_int_equal(at, size);
        protocol->reader_free(reader);
        cairn_element_batch_free(words.elements);
        free(words.word);
        free(words.aside);
        free(words.data);
        free(exact);
        cairn_config_unref(config);
    }
    return given;
}

/* The first packet is none that can be read in step: there is no word to give up. */
static void test_etmv4_begins_with_other(void **state)
{
    const struct cairn_reader_place place = {.offset = 0x123456789};
    static const uint8_t others[] = {0x40 /* reserved */, 0x0a, 0x30, 0xa5, 0x2d};
    uint8_t bytes[200];

    (void)state;
    for (size_t i = 0; i < sizeof others; i++) {
        memset(bytes, 0xf7, sizeof bytes);
        bytes[0] = others[i];
        assert_true(read_all(&place, bytes, sizeof bytes) > 0);
    }
}

/* No atom comes any more, up to the very end. */
static void test_etmv4_ends_without_atoms(void **state)
{
    static const uint8_t begin[] = {0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01,
                                    0x00, 0x04, 0x9d, 0, 8, 0, 0, 0, 0, 0, 0, 0xf7, 0xf7};
    uint8_t bytes[sizeof begin + 200];

    (void)state;
    memset(bytes, 0x71, sizeof bytes); /* Events */
    memcpy(bytes, begin, sizeof begin);
    assert_true(read_all(NULL, bytes, sizeof bytes) > 0);
}

/* Behind a periodic I-sync, which is no beginning of trace. */
static void test_etmv3_anew(void **state)
{
    static const uint8_t bytes[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x01, 0, 0x80, 0, 0};
    const struct cairn_reader_place least = {.offset = 0x123456789, .atom = 1, .state[5] = 1};
    const struct cairn_reader_place all = full_place(&least, etmv3_fields, COUNT_OF(etmv3_fields));
    struct cairn_error error;

    (void)state;
    for (uint32_t cycles = 0; cycles < 2; cycles++) {
        struct cairn_config *config =
            etmv3_configure(CAIRN_PROFILE_A, 0x410cf250, cycles << 12, 0x18541800, &error);

        assert_non_null(config);
        check_anew(config, &all, bytes, sizeof bytes, 0x84);
        cairn_config_unref(config);
    }
}

static void test_ptm_anew(void **state)
{
    static const uint8_t bytes[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0, 0x80, 0, 0, 0x01};
    static const uint8_t early[] = {0, 0, 0, 0, 0, 0x80, 0x84, 0x08, 0, 0x80, 0, 0, 0x01};
    const struct cairn_reader_place least = {.offset = 0x123456789};
    const struct cairn_reader_place all = full_place(&least, ptm_fields, COUNT_OF(ptm_fields));
    struct cairn_config *config = ptm_config(0, A15_ETMIDR, A15_ETMCCER);

    (void)state;
    check_anew(config, &all, bytes, sizeof bytes, 0x84);
    /* a context that is the same as the one before is told anew */
    check_anew(config, &least, bytes, sizeof bytes, 0x84);
    /* an atom in front of the first I-sync is a gap, though the place before was behind one */
    check_anew(config, &all, early, sizeof early, 0x84);
    cairn_config_unref(config);
}

static void test_etmv4(void **state)
{
    const struct cairn_reader_place least = {.offset = 0x123456789};
    unsigned checked = 0;

    (void)state;
    for (size_t i = 0; i < random_unit_count; i++) {
        struct cairn_config *config = random_configure(&random_units[i]);

        if (stands_there(config, &least)) { /* else it is read by the levels, which stand nowhere */
            check(config, &least, etmv4_fields, COUNT_OF(etmv4_fields));
            checked++;
        }
        cairn_config_unref(config);
    }
    assert_true(checked > 0);
}

static void test_etmv3(void **state)
{
    /* One wait: without any there is no packet of it. */
    const struct cairn_reader_place least = {.offset = 0x123456789, .atom = 1, .state[5] = 1};
    const struct cairn_reader_place no_waits = {.offset = 0x123456789, .atom = 1};
    struct cairn_error error;
    struct cairn_config *config =
        etmv3_configure(CAIRN_PROFILE_A, 0x410cf250, 0x100c, 0x18541800, &error);

    (void)state;
    assert_non_null(config);
    check(config, &least, etmv3_fields, COUNT_OF(etmv3_fields));
    assert_true(stands_there(config, &no_waits));
    cairn_config_unref(config);
}

static void test_ptm(void **state)
{
    const struct cairn_reader_place least = {.offset = 0x123456789};
    struct cairn_config *config = ptm_config(1 << 12, A15_ETMIDR, A15_ETMCCER);

    (void)state;
    check(config, &least, ptm_fields, COUNT_OF(ptm_fields));
    cairn_config_unref(config);
}

/* --- what a reader is called with --- */

/* Without room for anything that it gives, or from behind the bytes, it refuses. */
static void check_arguments(struct cairn_config *config, bool always_asides)
{
    static const uint8_t bytes[1];
    static struct given given;
    const struct cairn_protocol *protocol = config->protocol;
    struct cairn_word_bytes meanings = {{0}, {0}};
    struct cairn_element_batch none = {.size = sizeof none};
    struct cairn_element_batch *elements = NULL;
    void *reader = NULL;
    size_t at = 0;

    assert_int_equal(cairn_element_batch_new(ROOM, &elements), CAIRN_OK);
    const struct cairn_words whole = {.capacity = ROOM,
                                      .word = given.word,
                                      .aside_capacity = ROOM,
                                      .aside = given.aside,
                                      .data_capacity = ROOM,
                                      .data = given.data,
                                      .elements = elements,
                                      .ledger = &given.ledger,
                                      .until = UINT64_MAX};
    assert_int_equal(protocol->reader_new(config, &meanings, &reader), CAIRN_OK);
    for (unsigned lack = 0; lack < 3u + always_asides; lack++) {
        const size_t from = lack == 2 ? 2 : 0;
        struct cairn_words words = whole;

        if (lack == 0)
            words.capacity = 0;
        if (lack == 1)
            words.elements = &none;
        if (lack == 3)
            words.aside_capacity = 0;
        at = from;
        assert_int_equal(protocol->reader_words(reader, bytes, sizeof bytes, &at, &words),
                         CAIRN_E_ARGUMENT);
        assert_int_equal(at, from);
        if (lack == 1)
            assert_int_equal(protocol->reader_finish(reader, &words), CAIRN_E_ARGUMENT);
    }
    struct cairn_words words = whole;
    at = 0;
    assert_int_equal(protocol->reader_words(reader, bytes, sizeof bytes, &at, &words), CAIRN_OK);
    assert_int_equal(at, 1);
    assert_int_equal(protocol->reader_finish(reader, &words), CAIRN_OK);
    protocol->reader_free(reader);
    cairn_element_batch_free(elements);
}

static void test_etmv4_arguments(void **state)
{
    struct cairn_config *config = configure_plain();

    (void)state;
    check_arguments(config, false);
    cairn_config_unref(config);
    for (size_t i = 0; i < random_unit_count; i++) {
        config = random_configure(&random_units[i]);
        check_arguments(config, false);
        cairn_config_unref(config);
    }
}

/* The reader over a scan gives a batch that is empty, with room for a word and what is its. */
static void test_scan_arguments(void **state)
{
    static const uint8_t bytes[1];
    static struct given given;
    struct cairn_config *config = configure_plain();
    struct cairn_element_batch *elements = NULL, none = {.size = sizeof none};
    void *reader = NULL;

    (void)state;
    assert_int_equal(cairn_words_of_scan_new(config, NULL, &reader), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(ROOM, &elements), CAIRN_OK);
    for (unsigned lack = 0; lack < 7; lack++) {
        struct cairn_words words = {.capacity = lack == 0 ? 0 : ROOM,
                                    .word = given.word,
                                    .aside_capacity = lack == 1 ? 0 : ROOM,
                                    .aside = given.aside,
                                    .data_capacity = lack == 2 ? 0 : ROOM,
                                    .data = given.data,
                                    .elements = lack == 3 ? &none : elements,
                                    .ledger = &given.ledger,
                                    .until = UINT64_MAX};
        size_t at = 0;

        words.count = lack == 4;
        elements->count = lack == 5;
        assert_int_equal(cairn_words_of_scan(reader, bytes, sizeof bytes, &at, &words),
                         lack == 6 ? CAIRN_OK : CAIRN_E_ARGUMENT);
        assert_int_equal(cairn_words_of_scan_finish(reader, &words),
                         lack == 6 ? CAIRN_OK : CAIRN_E_ARGUMENT);
    }
    cairn_words_of_scan_free(reader);
    cairn_element_batch_free(elements);
    cairn_config_unref(config);
}

static void test_etmv3_arguments(void **state)
{
    struct cairn_error error;
    struct cairn_config *config =
        etmv3_configure(CAIRN_PROFILE_A, 0x410cf250, 0x100c, 0x18541800, &error);

    (void)state;
    check_arguments(config, true);
    cairn_config_unref(config);
}

static void test_ptm_arguments(void **state)
{
    struct cairn_config *config = ptm_config(1 << 12, A15_ETMIDR, A15_ETMCCER);

    (void)state;
    check_arguments(config, true);
    cairn_config_unref(config);
}

/* Of the protocol that is named; ETMv4 and ETE without a name. */
int main(int argc, char **argv)
{
    const struct CMUnitTest etmv4[] = {
        cmocka_unit_test(test_etmv4),
        cmocka_unit_test(test_etmv4_anew),
        cmocka_unit_test(test_etmv4_begins_with_other),
        cmocka_unit_test(test_etmv4_ends_without_atoms),
        cmocka_unit_test(test_etmv4_arguments),
        cmocka_unit_test(test_scan_arguments),
    };
    const struct CMUnitTest etmv3[] = {cmocka_unit_test(test_etmv3),
                                       cmocka_unit_test(test_etmv3_anew),
                                       cmocka_unit_test(test_etmv3_arguments)};
    const struct CMUnitTest ptm[] = {cmocka_unit_test(test_ptm), cmocka_unit_test(test_ptm_anew),
                                     cmocka_unit_test(test_ptm_arguments)};

    if (argc > 1 && strcmp(argv[1], "etmv3") == 0)
        return cmocka_run_group_tests(etmv3, NULL, NULL);
    if (argc > 1 && strcmp(argv[1], "ptm") == 0)
        return cmocka_run_group_tests(ptm, NULL, NULL);
    return cmocka_run_group_tests(etmv4, NULL, NULL);
}
