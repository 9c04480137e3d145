/* SPDX-License-Identifier: BSD-2-Clause */
/* A driver that collects trace from two halves of a buffer, in each mode: a timer, and the buffer's interrupt after
 * its latency, have it change halves, and what is in the other one is copied away while the program goes on, so many
 * bytes a block. Where there is room and the copy is fast enough, no byte is lost: what arrives is what a plain sink
 * gets. Where not, what is missing is what the sizes say, and TRBSR_EL1.WRAP says in which half.
 *
 * usage: test_pe_collector [--seeds FROM COUNT] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/pe.h>
#include <cairn/unit.h>

#include "program.h"

enum {
    HALF = 4096,
    STREAM = 1 << 17,
    BLOCKS = 6000,
    CODE = 0x10000,
};
enum collector_mode { FILL = 0, WRAP = 1, CIRCULAR = 3 };

#define BASE UINT64_C(0x80000000)
#define NEVER UINT32_MAX

static struct {
    uint64_t from, count;
} seeds = {0, 60};

/* What is to be copied, oldest first, from a place in memory that may come round once. */
struct collector_piece {
    uint32_t base, at, left;
};

struct collector {
    /* how it is set */
    enum collector_mode mode;
    uint32_t period, latency, rate;
    /* the PE with the buffer, and one beside it that does the same, with a plain sink */
    struct cairn_pe *pe, *plain;
    uint8_t memory[2 * HALF];
    uint8_t stream[STREAM];
    size_t stream_size;
    uint32_t half;
    uint32_t due; /* block at which the interrupt arrives, or NEVER */
    uint32_t now;
    uint64_t at; /* next address */
    uint64_t state;
    /* what has been collected */
    struct collector_piece piece;
    uint8_t taken[STREAM];
    size_t taken_size;
    /* what is expected, from sizes alone */
    uint8_t wanted[STREAM];
    size_t wanted_size;
    size_t seen; /* of the stream, up to the last change of halves */
    struct {
        size_t from, size;
        uint32_t since;
    } last; /* piece of the stream that is being copied */
    uint64_t lost;
};

static void store(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct collector *c = context;

    assert_true(address >= BASE && address + size <= BASE + 2 * HALF);
    memcpy(c->memory + (address - BASE), bytes, size);
}

static void interrupt(void *context, bool level)
{
    struct collector *c = context;

    if (level && c->due == NEVER)
        c->due = c->now + c->latency;
}

static cairn_status plain_sink(void *context, const uint8_t *bytes, size_t size)
{
    struct collector *c = context;

    if (size > STREAM - c->stream_size)
        return CAIRN_E_LIMIT;
    memcpy(c->stream + c->stream_size, bytes, size);
    c->stream_size += size;
    return CAIRN_OK;
}

static cairn_status no_sink(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    return size == 0 ? CAIRN_OK : CAIRN_E_LIMIT; /* the buffer is on: nothing comes here */
}

/* --- the driver --- */

static void write_register(struct collector *c, const char *name, uint64_t value)
{
    assert_int_equal(cairn_pe_msr(c->pe, cairn_pe_encoding(name), value), CAIRN_PE_ANSWER_OK);
}

static uint64_t read_register(struct collector *c, const char *name)
{
    uint64_t value = 0;

    assert_int_equal(cairn_pe_mrs(c->pe, cairn_pe_encoding(name), &value), CAIRN_PE_ANSWER_OK);
    return value;
}

static void barrier(struct collector *c, enum cairn_pe_barrier barrier)
{
    cairn_pe_barrier(c->pe, barrier);
    cairn_pe_barrier(c->plain, barrier);
}

static void switch_on(struct collector *c)
{
    const uint64_t base = BASE + c->half * HALF;

    write_register(c, "TRBSR_EL1", 0);
    write_register(c, "TRBBASER_EL1", base);
    write_register(c, "TRBPTR_EL1", base);
    write_register(c, "TRBLIMITR_EL1", (base + HALF) | 3u << 3 | (unsigned)c->mode << 1 | 1);
    barrier(c, CAIRN_PE_BARRIER_ISB);
}

/* So many bytes of the piece are copied. */
static void copy(struct collector *c, uint32_t most)
{
    for (; most > 0 && c->piece.left > 0; most--, c->piece.left--) {
        assert_true(c->taken_size < STREAM);
        c->taken[c->taken_size++] = c->memory[c->piece.base + c->piece.at];
        c->piece.at = (c->piece.at + 1) % HALF;
    }
}

/* The stream since the last change: what of it is to be in the half, where the stream ends, and what has been copied
 * of the piece before, by the sizes and by the clock. */
static bool expect(struct collector *c)
{
    const size_t made = c->stream_size - c->seen;
    const size_t kept = made < HALF ? made : HALF;
    const uint64_t could = (uint64_t)(c->now - c->last.since) * c->rate;
    const size_t copied = could < c->last.size ? (size_t)could : c->last.size;

    memcpy(c->wanted + c->wanted_size, c->stream + c->last.from, copied);
    c->wanted_size += copied;
    c->lost += c->last.size - copied + (made - kept);
    /* Fill mode stops at the end and keeps what is old; the others keep what is new. */
    c->last.from = c->mode == FILL ? c->seen : c->stream_size - kept;
    c->last.size = kept;
    c->last.since = c->now;
    c->seen = c->stream_size;
    return made >= HALF;
}

static void change_halves(struct collector *c)
{
    const uint32_t base = c->half * HALF;
    uint64_t status;
    uint32_t at;
    bool full;

    barrier(c, CAIRN_PE_BARRIER_TSB_CSYNC);
    barrier(c, CAIRN_PE_BARRIER_DSB);
    barrier(c, CAIRN_PE_BARRIER_ISB);
    status = read_register(c, "TRBSR_EL1");
    at = (uint32_t)(read_register(c, "TRBPTR_EL1") - BASE) - base;
    full = expect(c);
    assert_int_equal(status >> 20 & 1, full);
    assert_int_equal(status >> 17 & 1, full && c->mode == FILL);
    write_register(c, "TRBLIMITR_EL1", 0);
    barrier(c, CAIRN_PE_BARRIER_ISB);
    c->piece.base = base;
    c->piece.at = full ? at % HALF : 0;
    c->piece.left = full ? HALF : at;
    c->half ^= 1;
    c->due = NEVER;
}

/* --- the program --- */

static void execute(struct collector *c, const struct cairn_block *block)
{
    cairn_pe_execute(c->pe, block, true);
    cairn_pe_execute(c->plain, block, true);
}

static struct cairn_block block_at(uint64_t address)
{
    return (struct cairn_block){.address = address,
                                .size = 8,
                                .count = 2,
                                .isa = CAIRN_ISA_A64,
                                .kind = CAIRN_INSN_BRANCH_INDIRECT,
                                .last_size = 4,
                                .target_isa = CAIRN_ISA_A64};
}

static void to_driver(struct collector *c)
{
    const struct cairn_pe_exception irq = {.size = sizeof irq,
                                           .type = CAIRN_EXCEPTION_IRQ,
                                           .address = c->at,
                                           .vector = 0x8000,
                                           .isa = CAIRN_ISA_A64,
                                           .to = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1}};

    cairn_pe_exception(c->pe, &irq);
    cairn_pe_exception(c->plain, &irq);
}

static void to_program(struct collector *c)
{
    const struct cairn_context to = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};
    struct cairn_block block = block_at(0x8000);

    block.flags = CAIRN_INSN_ERET;
    execute(c, &block);
    cairn_pe_return(c->pe, c->at, &to);
    cairn_pe_return(c->plain, c->at, &to);
}

static void run_blocks(struct collector *c, uint32_t count)
{
    uint32_t began = 0;

    for (c->now = 1; c->now <= count; c->now++) {
        const struct cairn_block block = block_at(c->at);

        execute(c, &block);
        c->at = CODE + 8u * whole_below(&c->state, 1u << 16);
        copy(c, c->rate);
        if (c->now == count)
            break;
        if (c->now - began < c->period && c->now < c->due)
            continue;
        began = c->now;
        to_driver(c);
        change_halves(c);
        switch_on(c);
        to_program(c);
    }
    /* The program is over: what is left is copied in peace, from one half and from the other. */
    copy(c, HALF);
    c->now += HALF;
    to_driver(c);
    change_halves(c);
    copy(c, HALF);
    c->now += HALF;
    assert_false(expect(c));
}

/* --- set up --- */

static struct cairn_pe *make(struct collector *c, const struct cairn_unit_options *unit,
                             enum cairn_pe_order order)
{
    static const char setup[] =
        "msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x3000000\nmsr MDCR_EL2, 0x3000006\n"
        "enter EL1n\nmsr TRFCR_EL1, 1\nmsr TRCCONFIGR, 1\n"
        "msr TRCVICTLR, 0x201\nmsr TRCSYNCPR, 8\nisb\n"
        "msr TRCPRGCTLR, 1\nisb\n";
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_error error;
    struct cairn_pe *pe;

    options.unit = unit;
    options.context = c;
    options.memory = store;
    options.line = interrupt;
    options.order = order;
    options.seed = c->state;
    if (cairn_pe_new(&options, &pe, &error) != CAIRN_OK ||
        cairn_pe_script(pe, "setup", setup, sizeof setup - 1, NULL, NULL, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    return pe;
}

static void begin(struct collector *c, uint64_t seed, enum collector_mode mode)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;

    memset(c, 0, sizeof *c);
    c->mode = mode;
    c->state = seed;
    c->at = CODE;
    c->due = NEVER;
    unit.sink_context = c;
    unit.sink = no_sink;
    c->pe = make(c, &unit, (enum cairn_pe_order)whole_below(&c->state, 3));
    unit.sink = plain_sink;
    c->plain = make(c, &unit, CAIRN_PE_EARLY);
}

static void run(struct collector *c)
{
    switch_on(c);
    to_program(c);
    run_blocks(c, BLOCKS);
    assert_int_equal(cairn_pe_status(c->pe), CAIRN_OK);
    assert_int_equal(cairn_pe_status(c->plain), CAIRN_OK);
    assert_int_equal(c->taken_size, c->wanted_size);
    assert_memory_equal(c->taken, c->wanted, c->taken_size);
    assert_int_equal(c->stream_size, c->taken_size + c->lost);
}

static void end(struct collector *c)
{
    cairn_pe_free(c->pe);
    cairn_pe_free(c->plain);
}

/* Of an indirect branch there are an atom and an address, of six bytes together, and each 256 bytes what
 * synchronizes: less than MOST bytes a block on the average of a period. */
enum { MOST = 7, SAFE_PERIOD = HALF / MOST };

static const enum collector_mode modes[] = {FILL, WRAP, CIRCULAR};
static struct collector c;

/* Whatever comes between two changes fits into a half, and is copied until the next. */
static void test_below(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < seeds.count; n++) {
        begin(&c, seeds.from + n, modes[n % 3]);
        c.latency = whole_below(&c.state, 100);
        c.period = 50 + whole_below(&c.state, SAFE_PERIOD - 50);
        c.rate = 2 * MOST;
        run(&c);
        assert_int_equal(c.lost, 0);
        assert_int_equal(c.taken_size, c.stream_size);
        assert_memory_equal(c.taken, c.stream, c.stream_size);
        end(&c);
    }
}

/* The timer is slow, the interrupt late or there is none, or the copy slow. */
static void test_above(void **state)
{
    uint64_t with_loss = 0, without = 0;

    (void)state;
    for (uint64_t n = 0; n < seeds.count; n++) {
        begin(&c, seeds.from + n, modes[n % 3]);
        c.latency = whole_below(&c.state, 1000);
        c.period = 100 + whole_below(&c.state, 1500);
        c.rate = 2 + whole_below(&c.state, 12);
        run(&c);
        with_loss += c.lost > 0;
        without += c.lost == 0;
        end(&c);
    }
    if (seeds.count >= 60)
        assert_true(with_loss > seeds.count / 4);
    if (seeds.count >= 60)
        assert_true(without > seeds.count / 20);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_below), cmocka_unit_test(test_above)};

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        seeds.from = strtoull(argv[2], NULL, 0);
        seeds.count = strtoull(argv[3], NULL, 0);
    } else if (argc != 1) {
        fprintf(stderr, "usage: test_pe_collector [--seeds FROM COUNT]\n");
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
