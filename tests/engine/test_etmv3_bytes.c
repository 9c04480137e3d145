/* SPDX-License-Identifier: BSD-2-Clause */
/* P-headers and branch packets of ETMv3 that its reader takes past the levels (etmv3/words_headers.c):
 * traces written by hand, with what ends such a run in front of an atom that is not yet certain.
 * Sections are IHI0014's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "etmv3_walk.h"

enum {
    ROUNDS = 40,
    BYTES = 1 << 14,
    UNITS = 64,
};

/* Three instructions of A32: the third is the branch behind which the trace gives an address. */
static const uint8_t code[] = {0x00, 0x00, 0xa0, 0xe1,  /* 8000 mov r0, r0 */
                               0x00, 0x00, 0xa0, 0xe1,  /* 8004 mov r0, r0 */
                               0x1e, 0xff, 0x2f, 0xe1}; /* 8008 bx lr */

struct trace {
    uint8_t bytes[BYTES];
    size_t size;
};

static void put(struct trace *trace, const void *bytes, size_t size)
{
    assert_true(trace->size + size <= BYTES);
    memcpy(trace->bytes + trace->size, bytes, size);
    trace->size += size;
}
#define PUT(trace, ...)                                                                            \
    put(trace, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

/* A-sync; I-sync to 8000 in ARM state, Secure, with that reason (7.7.2, 7.7.3). */
static void put_syncs(struct trace *trace, unsigned reason)
{
    PUT(trace, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80);
    PUT(trace, 0x08, (uint8_t)(0x01 | reason << 5), 0x00, 0x80, 0x00, 0x00);
}

/* EEE, and a branch whose six address bits are those of 8000 (7.3.5). */
static void put_loop(struct trace *trace, unsigned times)
{
    while (times-- > 0)
        PUT(trace, 0x8c, 0x01);
}

/* A branch packet to 8000 with Can = 1 and the exception IRQ: the last atom did not execute (Table
 * 7-12). */
static void put_cancel(struct trace *trace)
{
    PUT(trace, 0x81, 0x80, 0x81, 0x80, 0x48, 0x20 | 14 << 1);
}

static uint64_t instructions_of(const struct engine_case *input)
{
    struct engine_reference *reference = engine_reference_new(input);
    uint64_t instructions;

    assert_non_null(reference);
    instructions = reference->edges.instructions;
    engine_reference_free(reference);
    return instructions;
}

/* Bytes that were decoded unit by unit. */
static uint64_t hot_bytes(const struct engine_case *input)
{
    struct cairn_engine_options options = CAIRN_ENGINE_OPTIONS_INIT;
    struct cairn_engine_statistics statistics = {.size = sizeof statistics};
    struct cairn_engine *engine;
    struct cairn_word_batch *batch;

    options.flags = CAIRN_ENGINE_COUNTS;
    assert_int_equal(cairn_engine_new(input->config, input->image, &options, &engine), CAIRN_OK);
    assert_int_equal(cairn_word_batch_new(UNITS, false, &batch), CAIRN_OK);
    for (size_t at = 0; at < input->size; batch->count = batch->event_count = 0)
        assert_int_equal(cairn_engine_run(engine, input->data, input->size, &at, batch), CAIRN_OK);
    cairn_engine_statistics(engine, &statistics);
    assert_int_equal(statistics.hot_bytes + statistics.scanned_bytes, input->size);
    cairn_word_batch_free(batch);
    cairn_engine_free(engine);
    return statistics.hot_bytes;
}

/* The trace is of so many instructions, in every way of feeding the engine, and `hot` of a hundred
 * of its bytes at least are taken unit by unit. */
static void check(const struct trace *trace, uint64_t instructions, unsigned hot)
{
    const struct engine_case input =
        etmv3_case(trace->bytes, trace->size, 0x410cf240, 0, code, sizeof code);

    assert_int_equal(instructions_of(&input), instructions);
    assert_true(engine_compare_ways(&input, ENGINE_ALL_WAYS, 1, stdout));
    assert_in_range(hot_bytes(&input) * 100, trace->size * hot, trace->size * 100);
    etmv3_case_end(&input);
}

static void test_loops_and_periodic_syncs(void **state)
{
    static struct trace trace;
    (void)state;

    put_syncs(&trace, 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        put_loop(&trace, 80);
        put_syncs(&trace, 0);
    }
    put_loop(&trace, 80);
    check(&trace, (ROUNDS + 1) * 80 * 3, 90);
}

/* Eight P-headers and fewer, and E where the bits of the atoms change nothing about the way. */
static void test_words_of_any_length(void **state)
{
    static struct trace trace;
    unsigned instructions = 0;
    (void)state;

    put_syncs(&trace, 1);
    for (unsigned i = 0; i < ROUNDS * 2; i++) {
        /* N of what is no branch goes on behind it as E does */
        const unsigned headers = i % 11; /* of one instruction each: two, before the branch */

        if (headers >= 2)
            PUT(&trace, 0xc0, 0x84, 0x84); /* N E, and the branch */
        else
            PUT(&trace, 0x8a, 0x84); /* NE in format 2 */
        PUT(&trace, 0x01);
        instructions += 3;
        for (unsigned k = 0; k < headers; k++) {
            PUT(&trace, 0x88, 0xc0); /* E E; the branch N: execution would leave the program */
            trace.size--;
            PUT(&trace, 0x84, 0x01);
            instructions += 3;
        }
    }
    put_loop(&trace, 40);
    check(&trace, instructions + 40 * 3, 90);
}

/* What takes the atom back stands directly behind it, behind its branch's address, and behind a
 * periodic I-sync, which says nothing of it. */
static void test_cancelled_atoms(void **state)
{
    static struct trace trace;
    (void)state;

    put_syncs(&trace, 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        put_loop(&trace, 40);
        PUT(&trace, 0x8c);
        put_cancel(&trace);
        put_loop(&trace, 41);
        put_cancel(&trace);
        put_loop(&trace, 41);
        put_syncs(&trace, 0);
        put_cancel(&trace);
    }
    put_loop(&trace, 40);
    check(&trace, ROUNDS * 3 * (40 * 3 + 2) + 40 * 3, 50);
}

/* A single P-header between two things that end a run: it is given back whole. */
static void test_short_runs(void **state)
{
    static struct trace trace;
    (void)state;

    put_syncs(&trace, 1);
    for (unsigned i = 0; i < ROUNDS * 4; i++) {
        PUT(&trace, 0x8c);
        put_cancel(&trace);
        put_loop(&trace, i % 3);
        put_syncs(&trace, 0);
        put_loop(&trace, 1);
        put_syncs(&trace, 0);
    }
    put_loop(&trace, 40);
    /* of every three rounds 0 + 1 + 2 loops, and the 160th has none */
    check(&trace, ROUNDS * 4 * 5 + (ROUNDS * 4 / 3 * 3) * 3 + 40 * 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops_and_periodic_syncs),
        cmocka_unit_test(test_words_of_any_length),
        cmocka_unit_test(test_cancelled_atoms),
        cmocka_unit_test(test_short_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
