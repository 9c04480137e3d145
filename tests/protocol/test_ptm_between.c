/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of PTM that stand between those which its reader takes past the levels: their elements
 * are those that the levels give of the whole trace. */
#include <string.h>

#include "ptm_session.h"

enum {
    CYCLES = 0x1000, /* ETMCR[12] */
    ATOMS = 24,      /* in front of what stands between, and behind it */
    MOST = 256,
};

/* A-sync, and an I-sync after nothing (reason 1, Non-secure) at 0x8000 with a count of 1. */
static const uint8_t begin[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x80, 0x00, 0x00, 0x29, 0x84};
#define ATOM 0x88 /* E with a count of 2 */
/* A-sync, and a periodic I-sync at 0x8000. */
#define AGAIN 0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x80, 0x00, 0x00, 0x09

struct trace {
    uint8_t bytes[MOST];
    size_t size;
    size_t between; /* where it begins */
    struct cairn_config *config;
    struct cairn_packet_batch *packets;
    struct cairn_element_batch *whole; /* all elements */
};

static void put(struct trace *trace, const uint8_t *bytes, size_t size)
{
    memcpy(trace->bytes + trace->size, bytes, size);
    trace->size += size;
}

/* All of the trace through the levels. */
static void decode(struct trace *trace)
{
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    size_t at = 0;

    assert_int_equal(cairn_packets_new(trace->config, &packets), CAIRN_OK);
    assert_int_equal(cairn_elements_new(trace->config, &elements), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(MOST, &trace->packets), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new((size_t)8 * MOST, &trace->whole), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, trace->bytes, trace->size, &at, trace->packets),
                     CAIRN_OK);
    at = 0;
    assert_int_equal(cairn_elements_run(elements, trace->packets, &at, trace->whole), CAIRN_OK);
    cairn_elements_free(elements);
    cairn_packets_free(packets);
}

static void make(struct trace *trace, const uint8_t *between, size_t size)
{
    uint8_t atoms[ATOMS];

    memset(atoms, ATOM, sizeof atoms);
    *trace = (struct trace){.config = ptm_config(CYCLES, A15_ETMIDR, A15_ETMCCER)};
    put(trace, begin, sizeof begin);
    put(trace, atoms, sizeof atoms);
    trace->between = trace->size;
    put(trace, between, size);
    put(trace, atoms, sizeof atoms);
    decode(trace);
}

static void discard(struct trace *trace)
{
    cairn_packet_batch_free(trace->packets);
    cairn_element_batch_free(trace->whole);
    cairn_config_unref(trace->config);
}

/* The elements of `length` bytes from where it begins, which are the levels'. */
static void compare(const struct trace *trace, const struct cairn_element_batch *got, size_t length)
{
    size_t i = 0;

    while (trace->whole->offset[i] < trace->between)
        i++;
    for (size_t k = 0; k < got->count; k++, i++) {
        assert_int_equal(got->offset[k], trace->whole->offset[i]);
        assert_int_equal(got->length[k], trace->whole->length[i]);
        assert_int_equal(got->kind[k], trace->whole->kind[i]);
        assert_int_equal(got->flags[k], trace->whole->flags[i]);
        assert_int_equal(got->data[k].address, trace->whole->data[i].address);
        assert_int_equal(got->data[k].value, trace->whole->data[i].value);
    }
    assert_true(trace->whole->offset[i] >= trace->between + length);
}

/* Reads the atoms, and what stands behind them, of which `expected` bytes are taken at once. */
static void check(struct trace *trace, size_t expected)
{
    struct ptm_reading reading;
    const struct cairn_words *words = &reading.words;
    size_t at = 0;

    ptm_reading_begin(&reading, cairn_config_ref(trace->config));
    while (at < trace->between)
        ptm_reading_read(&reading, trace->bytes, trace->size, &at);
    assert_true(words->count > 0);
    assert_int_equal(at, trace->between + expected);
    compare(trace, words->elements, expected);
    ptm_reading_end(&reading);
}

static void test_syncs(void **state)
{
    static const uint8_t between[] = {AGAIN, AGAIN};
    struct trace trace;
    (void)state;

    make(&trace, between, sizeof between);
    check(&trace, sizeof between);
    discard(&trace);
}

/* A-syncs of more than five zeros, and Ignore between them. */
static void test_long_sync(void **state)
{
    static const uint8_t between[] = {0, 0, 0, AGAIN, 0x66, 0, AGAIN};
    struct trace trace;
    (void)state;

    make(&trace, between, sizeof between);
    check(&trace, sizeof between);
    discard(&trace);
}

/* The time is of the last waypoint (4.5.9), which was taken past the levels. */
static void test_timestamp(void **state)
{
    static const uint8_t between[] = {0x42, 0x05, 0x00};
    struct trace trace;
    (void)state;

    make(&trace, between, sizeof between);
    check(&trace, sizeof between);
    discard(&trace);
}

/* An exception, behind which there is another context. */
static void test_exception(void **state)
{
    /* an update to 0x8004, and an IRQ to 0x18 in Secure state */
    static const uint8_t between[] = {0x72, 0x03, 0x8d, 0x80, 0x80, 0x80, 0x48, 0x1c, 0x04};
    struct trace trace;
    (void)state;

    make(&trace, between, sizeof between);
    check(&trace, sizeof between);
    discard(&trace);
}

/* The last byte of the update is the first zero of an A-sync, which cuts it (4.5.1). */
static void test_cut(void **state)
{
    static const uint8_t cut[] = {0x72, 0x81, 0, 0, 0, 0, 0, 0x80};
    struct trace trace;
    (void)state;

    for (size_t triggers = 40; triggers < 80; triggers++) {
        uint8_t between[MOST / 2];

        memset(between, 0x0c, triggers);
        memcpy(between + triggers, cut, sizeof cut);
        make(&trace, between, triggers + sizeof cut);
        check(&trace, triggers < 64 ? triggers : 64);
        discard(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_syncs), cmocka_unit_test(test_long_sync),
        cmocka_unit_test(test_timestamp), cmocka_unit_test(test_exception),
        cmocka_unit_test(test_cut)};

    return cmocka_run_group_tests_name("between plain packets of PTM", tests, NULL, NULL);
}
