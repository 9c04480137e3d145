/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycle-accurate P-headers of ETMv3 that its reader takes past the levels (etmv3/words_bits.c):
 * traces written by hand, and the cycles that were counted by hand. Sections are IHI0014's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "etmv3_walk.h"

enum {
    ROUNDS = 60,
    BYTES = 1 << 14,
    UNITS = 256,
    V3_0 = 0x410cf200,
    V3_4 = 0x410cf240,
    CYCLE_ACCURATE = 1 << 12, /* ETMCR[12] */
};

/* Three instructions of A32: the third is the branch behind which the trace gives an address. */
static const uint8_t code[] = {0x00, 0x00, 0xa0, 0xe1,  /* 8000 mov r0, r0 */
                               0x00, 0x00, 0xa0, 0xe1,  /* 8004 mov r0, r0 */
                               0x1e, 0xff, 0x2f, 0xe1}; /* 8008 bx lr */

struct trace {
    uint8_t bytes[BYTES];
    size_t size;
    uint64_t instructions;
    uint64_t cycles;
};

/* Bytes, and what they say by 7.3.1. */
struct piece {
    uint8_t size;
    uint8_t bytes[14];
    uint8_t instructions;
    uint8_t cycles;
};
#define PIECE(INSTRUCTIONS, CYCLES, ...)                                                           \
    {                                                                                              \
        sizeof(const uint8_t[]){__VA_ARGS__}, {__VA_ARGS__}, INSTRUCTIONS, CYCLES                  \
    }
#define TO_8000 0x01 /* a branch whose six address bits are those of 8000 (7.3.5) */
/* A branch packet to 8000 with Can = 1 and the exception IRQ (Table 7-12). */
#define CANCEL 0x81, 0x80, 0x81, 0x80, 0x48, 0x20 | 14 << 1

static void put(struct trace *trace, const struct piece *piece)
{
    assert_true(trace->size + piece->size <= BYTES);
    memcpy(trace->bytes + trace->size, piece->bytes, piece->size);
    trace->size += piece->size;
    trace->instructions += piece->instructions;
    trace->cycles += piece->cycles;
}

/* A-sync; I-sync to 8000 in ARM state, Secure, with that reason (7.7.2, 7.7.3). */
static void put_syncs(struct trace *trace, unsigned reason)
{
    const struct piece piece = PIECE(0, 0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x08,
                                     (uint8_t)(0x01 | reason << 5), 0x00, 0x80, 0x00, 0x00);

    put(trace, &piece);
}

/* Once through the program: WE WE WE. */
static const struct piece loop = PIECE(3, 3, 0x8c, TO_8000);

static void put_loops(struct trace *trace, unsigned times)
{
    while (times-- > 0)
        put(trace, &loop);
}

/* Instructions and cycles are as many as were put, every way of feeding the engine gives what the
 * reference path gives, and `hot` of a hundred bytes at least are taken unit by unit. */
static void check(const struct trace *trace, uint32_t id, unsigned hot)
{
    const struct engine_case input =
        etmv3_case(trace->bytes, trace->size, id, CYCLE_ACCURATE, code, sizeof code);
    const struct etmv3_totals totals = etmv3_walk(&input, UNITS, NULL, NULL);

    assert_int_equal(totals.instructions, trace->instructions);
    assert_int_equal(totals.cycles, trace->cycles);
    assert_int_equal(totals.last, trace->cycles);
    assert_true(engine_compare_ways(&input, ENGINE_ALL_WAYS, 1, stdout));
    assert_in_range(totals.hot_bytes * 100, trace->size * hot, trace->size * 100);
    etmv3_case_end(&input);
}

/* All formats, W's that come to those before them, and W's behind a branch, which do not. */
static const struct piece formats[] = {
    PIECE(3, 3, 0x8c, TO_8000),                   /* WE WE WE */
    PIECE(3, 5, 0xe8, 0x88, TO_8000),             /* WWWE, WE WE */
    PIECE(3, 7, 0xac, 0x8c, TO_8000),             /* WWWW, WE WE WE */
    PIECE(3, 7, 0xac, 0xa0, 0x82, 0x84, TO_8000), /* WWWW, W, WEE, WE */
    PIECE(3, 2, 0x92, 0x88, TO_8000),             /* E, WE WE */
    PIECE(3, 3, 0x8e, 0x92, 0xa4, TO_8000),       /* WNN, E, WW, and the address */
    PIECE(3, 7, 0x8c, TO_8000, 0xac),             /* WE WE WE, the address, WWWW */
    PIECE(3, 8, 0x8c, TO_8000, 0xac, TO_8000, 0xa0),
    PIECE(3, 19, 0xc0, 0xbc, 0xbc, 0x88, TO_8000), /* WN, 8 W, 8 W, WE WE */
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static void test_formats(void **state)
{
    static struct trace trace;
    (void)state;

    put_syncs(&trace, 1);
    for (unsigned i = 0; i < ROUNDS * FORMATS; i++) {
        put(&trace, &formats[i % FORMATS]);
        put(&trace, &formats[i / FORMATS % FORMATS]);
    }
    put_loops(&trace, 40);
    check(&trace, V3_4, 90);
}

/* Format 0 is v3.0's, in which an atom without a W before it is in format 2 alone. */
static void test_format_0(void **state)
{
    static const struct piece piece = PIECE(3, 6, 0x80, 0x80, 0xa0, 0x82, 0x80, 0xe0, TO_8000);
    static struct trace trace;
    (void)state;

    put_syncs(&trace, 1);
    for (unsigned i = 0; i < ROUNDS * 4; i++)
        put(&trace, &piece);
    put_loops(&trace, 40);
    check(&trace, V3_0, 90);
}

/* Nothing behind an atom but a periodic I-sync: the loop goes on over it, unless there are W's
 * that more may come to. */
static void test_periodic_syncs(void **state)
{
    static const struct piece waits = PIECE(3, 7, 0x8c, TO_8000, 0xac);
    static struct trace trace;
    (void)state;

    put_syncs(&trace, 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        put_loops(&trace, 40);
        put_syncs(&trace, 0);
        put_loops(&trace, 40);
        put(&trace, &waits);
        if (i % 2)
            put_syncs(&trace, 0);
    }
    put_loops(&trace, 40);
    check(&trace, V3_4, 85);
}

/* What takes an atom back, directly and behind W's; code that is not in the image, an address that
 * the code does not lead to, and a P-header of which one atom is to be followed by itself: each
 * behind W's that go on. */
static const struct piece odd[] = {
    PIECE(2, 3, 0x8c, CANCEL),
    PIECE(2, 7, 0x8c, 0xac, CANCEL),
    PIECE(2, 8, 0x8c, 0xac, 0xa0, TO_8000, CANCEL),
    PIECE(2, 7, 0x8c, 0x81, 0x00, 0xac, CANCEL),  /* a branch of two bytes, to 8000 too */
    PIECE(3, 9, 0xc8, 0xac, 0xa0, 0x84, TO_8000), /* WE WE WN: there is nothing at 800c */
    PIECE(3, 10, 0xdc, TO_8000, 0xa4),            /* eight atoms, of which five are behind it */
    PIECE(2, 8, 0x84, 0x05, 0xac, 0xa4, 0x84, TO_8000), /* to 8008, but from 8000 to 8004 */
    PIECE(3, 9, 0x84, 0xac, 0x03, 0xa4, 0x88, TO_8000), /* to 8004, as it is */
};
enum { ODD = sizeof odd / sizeof odd[0] };

static void test_odd(void **state)
{
    static struct trace trace;
    (void)state;

    put_syncs(&trace, 1);
    for (unsigned i = 0; i < ROUNDS * ODD; i++) {
        put_loops(&trace, i % 23);
        put(&trace, &formats[i / ODD % FORMATS]);
        put(&trace, &odd[i % ODD]);
    }
    put_loops(&trace, 40);
    check(&trace, V3_4, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_format_0),
        cmocka_unit_test(test_periodic_syncs),
        cmocka_unit_test(test_odd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
