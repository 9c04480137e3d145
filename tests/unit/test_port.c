/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports of trace units of every protocol beside what they have to equal: a port that takes all is a
 * sink, and one that takes so many bytes a cycle is what fifo_drain says. What comes out of one that
 * takes what it likes is a stream of whole packets, and is of what was traced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/packet.h>
#include <cairn/unit.h>

#include "../house/share.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { STEPS = 3000, SEEDS = TEST_PART(60), BYTES = 1 << 20, PACKETS = 1024, PTM_STALL = 1 << 7 };

static const struct row {
    enum cairn_protocol_id protocol;
    struct cairn_arch arch;
    enum cairn_isa isa;
    struct cairn_register registers[5];
    size_t register_count;
} rows[] = {
    {CAIRN_PROTOCOL_ETE,
     {CAIRN_PROFILE_A, 9, 2, 0},
     CAIRN_ISA_A64,
     {{"TRCCONFIGR", 0x18d1}, {"TRCCCCTLR", 4}, {"TRCEVENTCTL1R", 1}, {"TRCSYNCPR", 8}},
     4},
    {CAIRN_PROTOCOL_ETMV4,
     {CAIRN_PROFILE_A, 8, 0, 0},
     CAIRN_ISA_A64,
     {{"TRCCONFIGR", 0x18d1}, {"TRCCCCTLR", 4}, {"TRCEVENTCTL1R", 1}, {"TRCSYNCPR", 8}},
     4},
    {CAIRN_PROTOCOL_ETMV3,
     {CAIRN_PROFILE_A, 7, 0, 0},
     CAIRN_ISA_A32,
     {{"ETMIDR", 0x410cf250}, {"ETMCR", 0x10001000}, {"ETMSYNCFR", 1024}},
     3},
    {CAIRN_PROTOCOL_PTM,
     {CAIRN_PROFILE_A, 7, 0, 0},
     CAIRN_ISA_A32,
     {{"ETMIDR", 0x411cf310}, {"ETMCR", 0x30001000}, {"ETMSYNCFR", 200}},
     3},
};

/* A taker. */
enum manner { EVERYTHING, AT_A_RATE, AT_RANDOM };
struct taker {
    enum manner manner;
    uint32_t rate; /* sixteenths of a byte a cycle */
    uint64_t carry;
    bool open; /* takes everything after all */
    uint32_t random;
    size_t size;
    size_t most; /* offered at once */
    uint8_t bytes[BYTES];
};
static struct taker one, other;

static uint32_t draw(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % limit;
}

static cairn_status sink(void *context, const uint8_t *bytes, size_t size)
{
    struct taker *taker = context;

    assert_true(taker->size + size <= BYTES);
    memcpy(taker->bytes + taker->size, bytes, size);
    taker->size += size;
    return CAIRN_OK;
}

static size_t how_many(struct taker *taker, size_t size, uint64_t cycles)
{
    if (taker->open || taker->manner == EVERYTHING)
        return size;
    if (taker->manner == AT_RANDOM)
        return draw(&taker->random, 3) ? 0 : draw(&taker->random, 24);
    const uint64_t sixteenths = taker->carry + cycles * taker->rate;

    taker->carry = sixteenths / 16 >= size ? 0 : sixteenths % 16;
    return (size_t)(sixteenths / 16);
}

static size_t take(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    struct taker *taker = context;
    size_t count = how_many(taker, size, cycles);

    assert_true(size > 0 || cycles > 0);
    if (size > taker->most)
        taker->most = size;
    count = count < size ? count : size;
    if (size == 0)
        return 0;
    assert_int_equal(sink(taker, bytes, count), CAIRN_OK);
    return count;
}

/* --- what the PE does --- */

struct pe {
    const struct row *row;
    struct cairn_unit *unit;
    struct taker *taker;
    uint32_t random;
    uint32_t cycles; /* at most, a step */
    uint64_t at, time;
    struct cairn_context context;
};

static void go(struct pe *pe)
{
    static const uint8_t kinds[] = {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_BRANCH_INDIRECT,
                                    CAIRN_INSN_OTHER, CAIRN_INSN_ISB};
    const unsigned kind = kinds[draw(&pe->random, COUNT_OF(kinds))];
    const uint32_t count = 1 + draw(&pe->random, 4);
    const uint64_t target = (0x1000 + 4 * (uint64_t)draw(&pe->random, 1 << 20)) & UINT32_MAX;
    const bool indirect = kind == CAIRN_INSN_BRANCH_INDIRECT;
    const bool branches = indirect || kind == CAIRN_INSN_BRANCH_DIRECT;
    const bool taken = kind != CAIRN_INSN_BRANCH_DIRECT || draw(&pe->random, 2);
    const struct cairn_block block = {
        .address = pe->at,
        .target = kind == CAIRN_INSN_BRANCH_DIRECT ? target : 0,
        .size = 4 * count,
        .count = count,
        .flags = branches && draw(&pe->random, 2) ? CAIRN_INSN_LINK : 0,
        .isa = (uint8_t)pe->row->isa,
        .kind = (uint8_t)kind,
        .last_size = 4,
        .target_isa = (uint8_t)(indirect ? CAIRN_ISA_UNKNOWN : pe->row->isa),
    };

    cairn_unit_execute(pe->unit, &block, taken);
    pe->at = taken && branches ? target : pe->at + 4 * count;
}

/* What writes all out: time passes until that is done. */
static void write_out(struct pe *pe, void (*call)(struct cairn_unit *unit))
{
    pe->taker->open = true;
    call(pe->unit);
    pe->taker->open = false;
    pe->taker->carry = 0;
}

static void step(struct pe *pe)
{
    go(pe);
    switch (draw(&pe->random, 32)) {
    case 0:
        cairn_unit_exception(pe->unit, CAIRN_EXCEPTION_IRQ, pe->at, pe->row->isa);
        pe->at = 0x400;
        break;
    case 1:
        pe->context.context_id = draw(&pe->random, 3);
        cairn_unit_context(pe->unit, &pe->context);
        break;
    case 2: cairn_unit_request_sync(pe->unit); break;
    case 3: cairn_unit_event(pe->unit, 0); break;
    case 4:
        cairn_unit_prohibit(pe->unit, true);
        cairn_unit_prohibit(pe->unit, false);
        break;
    case 5: cairn_unit_cycles(pe->unit, draw(&pe->random, 8) ? 1 : 2000); break;
    case 6:
        if (draw(&pe->random, 8) == 0 && pe->taker->manner != AT_A_RATE && !pe->taker->rate)
            write_out(pe, cairn_unit_flush);
        break;
    case 7:
        if (draw(&pe->random, 32) == 0 && pe->taker->manner != AT_A_RATE && !pe->taker->rate) {
            write_out(pe, cairn_unit_disable);
            cairn_unit_enable(pe->unit);
        }
        break;
    default: cairn_unit_cycles(pe->unit, draw(&pe->random, pe->cycles)); break;
    }
    cairn_unit_time(pe->unit, pe->time += draw(&pe->random, 3));
}

static struct cairn_unit *make(const struct row *row, struct taker *taker, uint32_t fifo_bytes,
                               uint32_t fifo_drain, bool has_port)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;
    struct cairn_error error = {.status = CAIRN_OK};

    options.protocol = row->protocol;
    options.arch = row->arch;
    options.registers = row->registers;
    options.register_count = row->register_count;
    options.fifo_bytes = fifo_bytes;
    options.fifo_drain = has_port ? 0 : fifo_drain;
    options.sink = has_port ? NULL : sink;
    options.sink_context = taker;
    options.port = has_port ? take : NULL;
    options.port_context = taker;
    if (cairn_unit_new(&options, &unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    return unit;
}

static void begin(struct taker *taker, enum manner manner, uint32_t rate, uint32_t seed)
{
    taker->manner = manner;
    taker->rate = rate;
    taker->carry = 0;
    taker->open = false;
    taker->random = seed;
    taker->size = 0;
    taker->most = 0;
}

/* Returns how often it overflowed. */
static uint64_t run(const struct row *row, struct cairn_unit *unit, struct taker *taker,
                    uint32_t seed, uint32_t cycles)
{
    struct pe pe = {.row = row,
                    .unit = unit,
                    .taker = taker,
                    .random = seed,
                    .cycles = cycles,
                    .at = 0x1000,
                    .context = {.EL = 1, .security = CAIRN_NONSECURE}};
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_context(unit, &pe.context);
    cairn_unit_enable(unit);
    for (unsigned i = 0; i < STEPS; i++)
        step(&pe);
    if (taker->manner == AT_A_RATE)
        cairn_unit_disable(unit);
    else
        write_out(&pe, cairn_unit_disable);
    taker->open = true;
    assert_int_equal(cairn_unit_offer(unit), 0);
    assert_int_equal(cairn_unit_pending_bytes(unit), 0);
    assert_int_equal(cairn_unit_status(unit), CAIRN_OK);
    cairn_unit_counters(unit, &counters);
    assert_int_equal(counters.bytes, taker->size);
    assert_int_equal(cairn_unit_position(unit), taker->size);
    return counters.overflows;
}

/* --- comparisons --- */

static void compare(const struct row *row, uint32_t seed, enum manner manner, uint32_t fifo_bytes,
                    uint32_t rate)
{
    struct cairn_unit *with_sink, *with_port;
    uint64_t overflows;

    begin(&one, EVERYTHING, rate, 0);
    begin(&other, manner, rate, 0);
    with_sink = make(row, &one, manner == EVERYTHING ? 0 : fifo_bytes, rate, false);
    with_port = make(row, &other, fifo_bytes, 0, true);
    overflows = run(row, with_sink, &one, seed, manner == EVERYTHING ? 8 : 24);
    assert_int_equal(run(row, with_port, &other, seed, manner == EVERYTHING ? 8 : 24), overflows);
    assert_int_equal(one.size, other.size);
    assert_memory_equal(one.bytes, other.bytes, one.size);
    if (manner == AT_A_RATE)
        assert_true(overflows > 0);
    cairn_unit_free(with_sink);
    cairn_unit_free(with_port);
}

/* Idle packets are completed for a port alone: there are no long pauses here. */
static void test_all_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            struct row row = rows[i];

            if (row.protocol == CAIRN_PROTOCOL_ETE || row.protocol == CAIRN_PROTOCOL_ETMV4)
                row.registers[0].value |= seed % 2 ? 0 : 8; /* branch broadcasting */
            compare(&row, seed, EVERYTHING, seed % 3 ? 0 : 64 + seed, 0);
        }
}

static void test_fixed_rate(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (uint32_t seed = 1; seed <= SEEDS; seed++)
            compare(&rows[i], seed, AT_A_RATE, 64 + 7 * seed, 1 + seed % 6);
}

static void check_kind(const char *name)
{
    static const char *const broken[] = {"UNSYNCHRONISED", "NOT_SYNC",       "RESERVED", "CUT",
                                         "INCOMPLETE",     "INCOMPLETE_SYNC"};

    for (size_t i = 0; i < COUNT_OF(broken); i++)
        assert_string_not_equal(name, broken[i]);
}

/* Whole packets, all known. */
static void check_stream(struct cairn_config *config, const struct taker *taker)
{
    struct cairn_packet_batch *batch;
    struct cairn_packets *packets;
    size_t at = 0;

    assert_int_equal(cairn_packet_batch_new(PACKETS, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    do {
        batch->count = 0;
        if (at < taker->size)
            assert_int_equal(cairn_packets_run(packets, taker->bytes, taker->size, &at, batch),
                             CAIRN_OK);
        else
            assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
        for (size_t i = 0; i < batch->count; i++)
            check_kind(cairn_packet_mnemonic(config, batch->kind[i]));
    } while (at < taker->size || batch->count > 0);
    cairn_packets_free(packets);
    cairn_packet_batch_free(batch);
}

static void test_at_random(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t overflows = 0;

        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            const uint32_t depth = 128 + 8 * seed;
            struct cairn_unit *unit;
            struct cairn_config *config;

            begin(&one, AT_RANDOM, 0, seed);
            unit = make(&rows[i], &one, depth, 0, true);
            config = cairn_unit_config(unit);
            overflows += run(&rows[i], unit, &one, seed, 8);
            check_stream(config, &one);
            /* And what a call completes; an ETMv3 tells a pause of 2,000 cycles by W atoms. */
            assert_true(one.most <=
                        depth + (rows[i].protocol == CAIRN_PROTOCOL_ETMV3 ? 300u : 64u));
            cairn_config_unref(config);
            cairn_unit_free(unit);
        }
        assert_true(overflows > SEEDS);
    }
}

/* --- a PTM that stalls its core --- */

static void test_ptm_stalls(void **state)
{
    struct row row = rows[3];
    struct cairn_unit_counters counters = {.size = sizeof counters};
    struct pe pe = {.row = &row, .taker = &one, .random = 1, .at = 0x1000};

    (void)state;
    row.registers[1].value |= PTM_STALL;
    for (unsigned asks = 0; asks < 2; asks++) {
        begin(&one, AT_A_RATE, 4, 0);
        pe.unit = make(&row, &one, 0, 0, true);
        cairn_unit_enable(pe.unit);
        for (unsigned i = 0; i < STEPS; i++) {
            while (asks && cairn_unit_stalls(pe.unit))
                cairn_unit_cycles(pe.unit, 1);
            go(&pe);
        }
        cairn_unit_counters(pe.unit, &counters);
        assert_int_equal(counters.overflows, 0);
        assert_true(counters.stalled > STEPS);
        assert_false(cairn_unit_stalls(pe.unit) && !asks && one.size == 0);

        /* Nothing is taken: not for ever. */
        one.rate = 0;
        for (unsigned i = 0; i < STEPS; i++)
            go(&pe);
        cairn_unit_counters(pe.unit, &counters);
        assert_int_equal(counters.overflows, 1);
        assert_false(cairn_unit_stalls(pe.unit));
        cairn_unit_free(pe.unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_taken),
        cmocka_unit_test(test_fixed_rate),
        cmocka_unit_test(test_at_random),
        cmocka_unit_test(test_ptm_stalls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
