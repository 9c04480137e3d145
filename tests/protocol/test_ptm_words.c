/* SPDX-License-Identifier: BSD-2-Clause */
/* PTM's reader gives what its levels give: of random packets in any order, of those damaged, and of
 * noise, however the bytes are cut. */
#include <string.h>

#include "../house/share.h"
#include "protocol/ptm/ptm.h"
#include "ptm_session.h"
#include "scan_compare.h"

enum { ROUNDS = TEST_PART(24), BYTES = 2048, LONGEST = 32 };

static const struct scan_cut cuts[] = {
    {0, 4096, 4096}, {1, 64, 64}, {7, 1, 1}, {SCAN_UNEVEN, 30, 5}};

struct trace {
    uint8_t bytes[BYTES];
    size_t size;
};

static void put(struct trace *trace, const uint8_t *bytes, size_t size)
{
    if (size > BYTES - trace->size)
        size = BYTES - trace->size;
    memcpy(trace->bytes + trace->size, bytes, size);
    trace->size += size;
}

static void make_trace(struct cairn_config *config, uint64_t *seed, struct trace *trace)
{
    struct cairn_packet_writer *writer = NULL;
    uint64_t near = 0x8000;

    assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
    trace->size = 0;
    while (trace->size < BYTES - LONGEST) {
        unsigned kind = CAIRN_PTM_ALIGNMENT_SYNC +
                        ptm_below(seed, CAIRN_PTM_KIND_COUNT - CAIRN_PTM_ALIGNMENT_SYNC);
        uint8_t bytes[LONGEST];

        if (trace->size == 0)
            kind = CAIRN_PTM_ALIGNMENT_SYNC;
        const struct cairn_packet_fields fields = ptm_any_fields(seed, kind, near);

        put(trace, bytes, cairn_packet_write(writer, kind, &fields, bytes, sizeof bytes));
        if (fields.address != 0)
            near = fields.address;
    }
    cairn_packet_writer_free(writer);
}

static void check(struct cairn_config *config, const struct trace *trace, size_t *elements)
{
    size_t runs = 0;

    *elements += scan_check(config, trace->bytes, trace->size, cuts, COUNT_OF(cuts), &runs);
}

static void test_packets(void **state)
{
    uint64_t seed = 1;
    size_t elements = 0;
    (void)state;

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct cairn_config *config = ptm_any_config(&seed);
        struct trace trace;

        make_trace(config, &seed, &trace);
        check(config, &trace, &elements);
        for (unsigned k = 0; k < 8; k++)
            trace.bytes[ptm_below(&seed, (uint32_t)trace.size)] = (uint8_t)ptm_below(&seed, 256);
        check(config, &trace, &elements);
        cairn_config_unref(config);
    }
    assert_true(elements > (size_t)ROUNDS * BYTES / 4); /* most of it is no gap */
}

static void test_noise(void **state)
{
    static const uint8_t a_sync[] = {0, 0, 0, 0, 0, 0x80, 0x08};
    uint64_t seed = 2;
    size_t elements = 0;
    (void)state;

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct cairn_config *config = ptm_any_config(&seed);
        struct trace trace = {.size = 0};

        while (trace.size < BYTES) {
            const uint8_t byte = (uint8_t)ptm_below(&seed, 256);

            put(&trace, &byte, 1);
            if (ptm_below(&seed, 40) == 0)
                put(&trace, a_sync, sizeof a_sync);
        }
        check(config, &trace, &elements);
        cairn_config_unref(config);
    }
    assert_true(elements > 0);
}

/* 1,000 atom packets of EEEEE in a row: the levels take no more than the first few. */
static void test_past_levels(void **state)
{
    static const uint8_t syncs[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x80, 0x00, 0x00, 0x21};
    struct ptm_reading reading;
    uint8_t bytes[sizeof syncs + 1000];
    size_t at = 0;
    size_t words = 0;
    uint64_t by_levels = 0;
    (void)state;

    memset(bytes, 0xc0, sizeof bytes);
    memcpy(bytes, syncs, sizeof syncs);
    ptm_reading_begin(&reading, ptm_config(0, A15_ETMIDR, A15_ETMCCER));
    do {
        ptm_reading_read(&reading, bytes, sizeof bytes, &at);
        words += reading.words.count;
        by_levels += reading.words.by_levels;
    } while (at < sizeof bytes);
    assert_true(words > 900 / 6); /* six packets each: 30 atoms */
    assert_true(by_levels < 100);
    ptm_reading_end(&reading);
}

/* Addresses whose last byte is 00, in front of zeros that may be an A-sync's. */
static void test_zeros(void **state)
{
    static const uint8_t syncs[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x80, 0x00, 0x00, 0x21};
    uint64_t seed = 3;
    size_t elements = 0;
    (void)state;

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct cairn_config *config = ptm_config(0, A15_ETMIDR, A15_ETMCCER);
        struct trace trace = {.size = 0};

        put(&trace, syncs, sizeof syncs);
        while (trace.size < BYTES - LONGEST) {
            const uint8_t bytes[] = {
                0xc4, (uint8_t)(0x81 | ptm_below(&seed, 128)), 0, 0, 0, 0, 0, 0, 0};

            put(&trace, bytes, 2 + ptm_below(&seed, 8));
            if (ptm_below(&seed, 2))
                put(&trace, syncs + 5, ptm_below(&seed, 16) ? 1 : 7);
        }
        check(config, &trace, &elements);
        cairn_config_unref(config);
    }
    assert_true(elements > 0);
}

/* With room for the asides of one word and no more, it goes on: all Atoms come, in words. */
static void test_least_room(void **state)
{
    enum { ATOMS = 1000, E = 0x84 /* one E (IHI0035 4.5.3) */ };
    static const uint8_t begin[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x80, 0x00, 0x00, 0x29};
    static uint8_t bytes[sizeof begin + ATOMS];
    struct ptm_reading reading;
    size_t given = 0;
    size_t at = 0;

    (void)state;
    memcpy(bytes, begin, sizeof begin);
    memset(bytes + sizeof begin, E, ATOMS);
    ptm_reading_begin(&reading, ptm_config(0, A15_ETMIDR, A15_ETMCCER));
    cairn_ptm_reader_portable(reading.reader);
    reading.words.aside_capacity = CAIRN_PTM_WORD_ASIDES;
    reading.words.packets = true;
    for (unsigned calls = 0; at < sizeof bytes; calls++) {
        assert_true(calls < ATOMS);
        ptm_reading_read(&reading, bytes, sizeof bytes, &at);
        for (size_t i = 0; i < reading.words.count; i++)
            given += (size_t)(reading.words.word[i].atoms >> CAIRN_WORD_BITS_SHIFT);
    }
    assert_true(given > ATOMS / 2); /* the levels take the first and the last ones */
    ptm_reading_end(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packets), cmocka_unit_test(test_noise),
                                       cmocka_unit_test(test_past_levels),
                                       cmocka_unit_test(test_zeros),
                                       cmocka_unit_test(test_least_room)};

    return cmocka_run_group_tests_name("words of PTM", tests, NULL, NULL);
}
