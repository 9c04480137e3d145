/* SPDX-License-Identifier: BSD-2-Clause */
/* Data packets of ETMv3 that its reader takes past the levels (protocol/etmv3/words_bits.c):
 * traces written by hand, and what they say of transfers, worked out by hand. Sections are
 * IHI0014's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../house/share.h"
#include "etmv3_walk.h"

enum {
    ROUNDS = TEST_PART(60),
    BYTES = 1 << 17,
    UNITS = 256,
    V3_4 = 0x410cf240,
    DATA = 3 << 2,            /* ETMCR[3:2]: addresses and values */
    CYCLE_ACCURATE = 1 << 12, /* ETMCR[12] */
};

/* A32: the third is the branch behind which the trace gives an address. */
static const uint8_t code[] = {0x00, 0x00, 0x91, 0xe5,  /* 8000 ldr r0, [r1] */
                               0x00, 0x00, 0x82, 0xe5,  /* 8004 str r0, [r2] */
                               0x1e, 0xff, 0x2f, 0xe1}; /* 8008 bx lr */

/* Bytes, and what they say. */
struct piece {
    uint8_t size;
    uint8_t bytes[64];
    uint8_t instructions;
    uint8_t cycles;
    uint8_t transfers;
    uint16_t sum; /* of their values */
};
#define PIECE(INSTRUCTIONS, CYCLES, TRANSFERS, SUM, ...)                                           \
    {                                                                                              \
        sizeof(const uint8_t[]){__VA_ARGS__}, {__VA_ARGS__}, INSTRUCTIONS, CYCLES, TRANSFERS, SUM  \
    }
#define TO_8000 0x01 /* a branch whose six address bits are those of 8000 (7.3.5) */
/* A branch packet to 8000 with Can = 1 and the exception IRQ (Table 7-12). */
#define CANCEL 0x81, 0x80, 0x81, 0x80, 0x48, 0x20 | 14 << 1
#define A_SYNC 0x00, 0x00, 0x00, 0x00, 0x00, 0x80
#define I_SYNC(ADDRESS) 0x08, 0x01, ADDRESS, 0x80, 0x00, 0x00 /* periodic (7.7.3) */

/* Normal data (7.4.2): where the address begins with 2 it is the load's, with 3 the store's. */
#define LOAD(VALUE) 0x26, 0x84, 0x80, 0x80, 0x80, 0x02, VALUE           /* 20000004, a byte */
#define STORE(VALUE) 0x2e, 0x88, 0x81, 0x80, 0x80, 0x03, VALUE, 0, 0, 0 /* 30000088, a word */
#define NEAR(VALUE) 0x2a, 0x10, VALUE, 0x01 /* seven bits of the address; 256 more than VALUE */
#define MORE(VALUE) 0x06, VALUE             /* no address */

struct trace {
    uint8_t bytes[BYTES];
    size_t size;
    uint64_t instructions;
    uint64_t cycles;
    uint64_t transfers;
    uint64_t sum;
};

static void put(struct trace *trace, const struct piece *piece)
{
    assert_true(trace->size + piece->size <= BYTES);
    memcpy(trace->bytes + trace->size, piece->bytes, piece->size);
    trace->size += piece->size;
    trace->instructions += piece->instructions;
    trace->cycles += piece->cycles;
    trace->transfers += piece->transfers;
    trace->sum += piece->sum;
}

/* A-sync; I-sync to 8000 in ARM state, Secure, where tracing begins (7.7.2, 7.7.3). */
static void begin(struct trace *trace)
{
    static const struct piece syncs = PIECE(0, 0, 0, 0, A_SYNC, 0x08, 0x21, 0x00, 0x80, 0x00, 0x00);

    memset(trace, 0, sizeof *trace);
    put(trace, &syncs);
}

/* What the engine gave of transfers. */
struct transfers {
    uint64_t count;
    uint64_t sum;
};

/* The instruction is in the low half of the record's address, the data's address above it. */
static void take_transfer(void *owner, const struct cairn_flow_batch *records, size_t i)
{
    struct transfers *transfers = owner;
    const unsigned kind = CAIRN_FLOW_DATA_KIND(records->instructions[i]);
    const uint32_t wanted = records->address[i] >> 60 == 3 ? ETMV3_BASE + 4 : ETMV3_BASE;

    if (kind != CAIRN_DATA_NORMAL)
        return;
    if (records->flags[i] & CAIRN_FLOW_HAS_ADDRESS)
        assert_int_equal(records->address[i] & UINT32_MAX, wanted);
    assert_true(records->flags[i] & CAIRN_FLOW_HAS_VALUE);
    transfers->count++;
    transfers->sum += records->value[i];
}

/* Instructions, cycles and transfers are those that were put, each with its instruction, and every
 * way of feeding the engine gives what the reference path gives. */
static void check(const struct trace *trace, uint32_t control)
{
    const struct engine_case input =
        etmv3_case(trace->bytes, trace->size, V3_4, control, code, sizeof code);
    struct transfers transfers = {0};
    const struct etmv3_totals totals = etmv3_walk(&input, UNITS, take_transfer, &transfers);

    assert_int_equal(totals.instructions, trace->instructions);
    assert_int_equal(totals.cycles, trace->cycles);
    assert_int_equal(transfers.count, trace->transfers);
    assert_int_equal(transfers.sum, trace->sum);
    assert_true(engine_compare_ways(&input, ENGINE_ALL_WAYS, 1, stdout));
    etmv3_case_end(&input);
}

/* Once through the program: E and a load, E and a store, E, and the address. */
static const struct piece loop = PIECE(3, 0, 2, 7, 0x84, LOAD(3), 0x84, STORE(4), 0x84, TO_8000);

static const struct piece pieces[] = {
    PIECE(3, 0, 3, 268, 0x84, LOAD(5), NEAR(6), MORE(1), 0x88, TO_8000),
    PIECE(3, 0, 1, 255, 0x88, STORE(255), 0x84, TO_8000),                  /* E E: the store's */
    PIECE(3, 0, 2, 0, 0x84, LOAD(0), 0x50, 0x84, STORE(0), 0x84, TO_8000), /* Store failed */
    /* A cancelled load, whose data are dropped, and a store, with the load's kept. */
    PIECE(0, 0, 0, 0, 0x84, LOAD(9), CANCEL),
    PIECE(1, 0, 1, 8, 0x84, LOAD(8), 0x84, STORE(9), NEAR(9), CANCEL),
    /* The branch is cancelled: data behind it are the store's. */
    PIECE(2, 0, 1, 7, 0x8c, STORE(7), CANCEL),
    /* Synchronisation in front of data, between them, and behind them. */
    PIECE(3, 0, 4, 266, 0x84, A_SYNC, I_SYNC(4), LOAD(1), 0x84, STORE(2), A_SYNC, I_SYNC(8),
          MORE(3), NEAR(4), 0x84, TO_8000),
    /* Zeros that are data, and then an A-sync's. */
    PIECE(3, 0, 2, 0, 0x88, STORE(0), 0x0e, 0, 0, 0, 0, A_SYNC, 0x84, TO_8000),
};
enum { PIECES = sizeof pieces / sizeof pieces[0] };

static void test_transfers(void **state)
{
    static struct trace trace;
    (void)state;

    begin(&trace);
    for (unsigned i = 0; i < ROUNDS * PIECES; i++) {
        for (unsigned k = i % 11; k > 0; k--)
            put(&trace, &loop);
        put(&trace, &pieces[i % PIECES]);
        put(&trace, &pieces[i / PIECES % PIECES]);
    }
    put(&trace, &loop);
    check(&trace, DATA);
}

/* The same with W's: a data packet between two of them keeps them apart (7.3.1). */
static const struct piece waits[] = {
    PIECE(3, 3, 2, 7, 0x84, LOAD(3), 0x84, STORE(4), 0x84, TO_8000),
    PIECE(3, 11, 2, 7, 0x84, 0xa8, LOAD(3), 0xa0, 0x84, STORE(4), 0xa0, 0xa8, 0x84, TO_8000),
    PIECE(3, 5, 1, 255, 0x88, STORE(255), 0xe8, TO_8000), /* WE WE, WWWE */
    PIECE(3, 2, 1, 7, 0x82, STORE(7), 0xa0, 0x92, TO_8000),
    PIECE(0, 2, 0, 0, 0x84, LOAD(9), 0xa0, CANCEL),
    PIECE(3, 11, 1, 7, 0x88, 0xbc, STORE(7), 0x84, TO_8000),
};
enum { WAITS = sizeof waits / sizeof waits[0] };

static void test_cycles(void **state)
{
    static struct trace trace;
    (void)state;

    begin(&trace);
    for (unsigned i = 0; i < ROUNDS * WAITS; i++) {
        for (unsigned k = i % 11; k > 0; k--)
            put(&trace, &waits[0]);
        put(&trace, &waits[i % WAITS]);
        put(&trace, &waits[i / WAITS % WAITS]);
    }
    put(&trace, &waits[0]);
    check(&trace, DATA | CYCLE_ACCURATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
