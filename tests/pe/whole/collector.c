/* SPDX-License-Identifier: BSD-2-Clause */
#include "collector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/flow.h>
#include <cairn/unit.h>

#include "program.h"

#define HALF ((uint32_t)COLLECTOR_HALF)
#define DRIVER UINT64_C(0x8000)

/* What a block generates has left the trace unit when its cycles are over. */
enum { FIFO_BYTES = 256, FIFO_DRAIN = 64, CYCLES = 16 };

/* TRBSR_EL1 */
#define IRQ 22
#define TRG 21
#define WRAP 20
#define S 17
#define BSC_FILLED 1u

/* TRBLIMITR_EL1.FM and TM */
enum { FM_FILL = 0, FM_WRAP = 1, FM_CIRCULAR = 3, TM_IRQ = 1, TM_IGNORE = 3 };

static const struct {
    uint8_t FM, TM;
    bool keeps_old; /* when it is full */
    bool wraps;
} methods[COLLECTOR_METHODS] = {
    [COLLECTOR_FILL] = {FM_FILL, TM_IGNORE, true, false},
    [COLLECTOR_WRAP] = {FM_WRAP, TM_IGNORE, false, true},
    [COLLECTOR_TRIGGER] = {FM_FILL, TM_IRQ, true, false},
    [COLLECTOR_CIRCULAR] = {FM_CIRCULAR, TM_IGNORE, false, true},
};

/* --- what the PE tells --- */

static void store(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct collector *c = context;

    assert_true(address >= COLLECTOR_BASE && address + size <= COLLECTOR_BASE + sizeof c->memory);
    memcpy(c->memory + (address - COLLECTOR_BASE), bytes, size);
    c->written += size;
}

static void interrupt(void *context, bool level)
{
    struct collector *c = context;

    if (!level || c->due != COLLECTOR_NEVER)
        return;
    c->due = c->now + c->plan.latency;
    c->raised = c->written;
}

static cairn_status plain_sink(void *context, const uint8_t *bytes, size_t size)
{
    struct collector *c = context;

    if (size > sizeof c->stream - c->stream_size)
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

static uint64_t generated(const struct collector *c)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(cairn_pe_unit(c->pe), &counters);
    return counters.bytes;
}

/* Where a session begins in its half. */
static uint32_t start_of(const struct collector *c)
{
    return c->plan.method == COLLECTOR_WRAP ? HALF - c->plan.watermark : 0;
}

/* DDI0608 G3.1, S_PKLXF; the exception return that follows is the second Context synchronization event. */
static void switch_on(struct collector *c)
{
    const uint64_t base = COLLECTOR_BASE + c->half * HALF;
    const bool triggers = c->plan.method == COLLECTOR_TRIGGER;

    write_register(c, "TRBSR_EL1", (uint64_t)triggers << TRG);
    write_register(c, "TRBTRG_EL1", triggers ? c->plan.watermark : 0);
    write_register(c, "TRBBASER_EL1", base);
    write_register(c, "TRBPTR_EL1", base + start_of(c));
    barrier(c, CAIRN_PE_BARRIER_ISB);
    c->wraps = read_register(c, "PMEVCNTR0_EL0");
    c->generated = generated(c);
    c->written = 0;
    c->raised = SIZE_MAX;
    c->due = COLLECTOR_NEVER;
    write_register(c, "TRBLIMITR_EL1",
                   (base + HALF) | (unsigned)methods[c->plan.method].TM << 3 |
                       (unsigned)methods[c->plan.method].FM << 1 | 1);
}

/* So many bytes of the piece are copied. */
static void copy(struct collector *c, uint32_t most)
{
    for (; most > 0 && c->piece.left > 0; most--, c->piece.left--) {
        assert_true(c->taken_size < sizeof c->taken);
        c->taken[c->taken_size++] = c->memory[c->piece.base + c->piece.at];
        c->piece.at = (c->piece.at + 1) % HALF;
    }
}

/* G3.1, S_VKHHY: tracing is prohibited at EL1, and the exception was the first event. */
static void switch_off(struct collector *c)
{
    barrier(c, CAIRN_PE_BARRIER_TSB_CSYNC);
    write_register(c, "TRBLIMITR_EL1", 0);
    barrier(c, CAIRN_PE_BARRIER_DSB);
    barrier(c, CAIRN_PE_BARRIER_ISB);
}

/* What the registers say is in the half, and is not any more. */
static void take_half(struct collector *c)
{
    const uint64_t status = read_register(c, "TRBSR_EL1");
    const uint32_t base = c->half * HALF, start = start_of(c);
    const uint32_t at = (uint32_t)(read_register(c, "TRBPTR_EL1") - COLLECTOR_BASE) - base;
    const uint32_t laps = (uint32_t)(read_register(c, "PMEVCNTR0_EL0") - c->wraps);
    const bool stopped = status >> S & 1;
    uint64_t made = (uint64_t)laps * HALF + at - start;

    assert_int_equal(status >> WRAP & 1, laps > 0);
    /* What came when the buffer was full no register counts: what the trace unit generated does. */
    if (stopped) {
        assert_int_equal(status & 0x3f, BSC_FILLED);
        made = generated(c) - c->generated;
    }
    c->lost += c->piece.left; /* of the other half, that is wanted now */
    c->piece.base = base;
    c->piece.left = made < HALF ? (uint32_t)made : HALF;
    c->piece.at = methods[c->plan.method].wraps && made > HALF ? at : start;
    if (stopped)
        assert_int_equal(at, 0);
    c->lost += made - c->piece.left;
}

/* --- what is to be expected --- */

/* What of the piece before was copied, and what of the stream since is in this half, where the stream ends. */
static void expect(struct collector *c)
{
    const size_t made = c->stream_size - c->seen;
    const size_t kept = made < HALF ? made : HALF;
    const uint64_t could = (uint64_t)(c->now - c->last.since) * c->plan.rate;
    const size_t copied = could < c->last.size ? (size_t)could : c->last.size;

    memcpy(c->wanted + c->wanted_size, c->stream + c->last.from, copied);
    c->wanted_size += copied;
    c->missing += c->last.size - copied + (made - kept);
    c->last.from = methods[c->plan.method].keeps_old ? c->seen : c->stream_size - kept;
    c->last.size = kept;
    c->last.since = c->now;
    c->seen = c->stream_size;
}

/* With nothing late the interrupt comes with the very byte that is to raise it; a Trigger Event has the trace unit
 * write out first, at most what a block made. */
static void check_interrupt(const struct collector *c)
{
    const size_t made = c->stream_size - c->seen;
    const size_t at = c->plan.method == COLLECTOR_FILL ? HALF : c->plan.watermark;
    const size_t late = c->plan.method == COLLECTOR_TRIGGER ? FIFO_DRAIN : 0;

    if (c->plan.method == COLLECTOR_CIRCULAR) {
        assert_true(c->raised == SIZE_MAX);
        return;
    }
    if (c->plan.order != CAIRN_PE_EARLY)
        return;
    if (made < at)
        assert_true(c->raised == SIZE_MAX);
    else
        /* proves: S_NFQZJ */
        assert_in_range(c->raised, at, at + late);
}

static void change_halves(struct collector *c)
{
    switch_off(c);
    check_interrupt(c);
    expect(c);
    take_half(c);
    assert_int_equal(c->lost, c->missing);
    c->half ^= 1;
    c->changes++;
}

/* --- the program --- */

static void execute(struct collector *c, const struct cairn_block *block)
{
    cairn_pe_execute(c->pe, block, true);
    cairn_pe_execute(c->plain, block, true);
    cairn_pe_cycles(c->pe, CYCLES);
    cairn_pe_cycles(c->plain, CYCLES);
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
                                           .address = c->next,
                                           .vector = DRIVER,
                                           .isa = CAIRN_ISA_A64,
                                           .to = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1}};

    cairn_pe_exception(c->pe, &irq);
    cairn_pe_exception(c->plain, &irq);
}

static void to_program(struct collector *c)
{
    const struct cairn_context to = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};
    struct cairn_block block = block_at(DRIVER);

    block.flags = CAIRN_INSN_ERET;
    execute(c, &block);
    cairn_pe_return(c->pe, c->next, &to);
    cairn_pe_return(c->plain, c->next, &to);
}

static void run_blocks(struct collector *c, uint32_t count)
{
    uint32_t began = 0;

    while (c->now < count) {
        const struct cairn_block block = block_at(c->next);

        c->executed[c->now++] = c->next;
        execute(c, &block);
        c->next = COLLECTOR_CODE + 8u * whole_below(&c->draws, COLLECTOR_PLACES);
        copy(c, c->plan.rate);
        if (c->now == count || (c->now - began < c->plan.period && c->now < c->due))
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
    expect(c);
}

/* --- set up --- */

static struct cairn_pe *make(struct collector *c, const struct cairn_unit_options *unit,
                             enum cairn_pe_order order)
{
    static const char setup[] =
        "msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x3000000\nmsr MDCR_EL2, 0x3000006\n"
        "enter EL1n\nmsr TRFCR_EL1, 1\nmsr TRCCONFIGR, 1\n"
        "msr TRCVICTLR, 0x201\nmsr TRCSYNCPR, 8\n"
        "msr PMEVTYPER0_EL0, 0x400c\nmsr PMEVCNTR0_EL0, 0\nmsr PMCNTENSET_EL0, 1\n"
        "msr PMCR_EL0, 1\nisb\nmsr TRCPRGCTLR, 1\nisb\n";
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_error error;
    struct cairn_pe *pe;

    options.unit = unit;
    options.context = c;
    options.memory = store;
    options.line = interrupt;
    options.order = order;
    options.seed = c->draws;
    if (cairn_pe_new(&options, &pe, &error) != CAIRN_OK ||
        cairn_pe_script(pe, "setup", setup, sizeof setup - 1, NULL, NULL, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    return pe;
}

void collector_run(struct collector *c, const struct collector_plan *plan, uint64_t seed,
                   uint32_t blocks)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;

    memset(c, 0, sizeof *c);
    c->plan = *plan;
    c->draws = seed;
    c->next = COLLECTOR_CODE;
    unit.fifo_bytes = FIFO_BYTES;
    unit.fifo_drain = FIFO_DRAIN;
    unit.sink_context = c;
    unit.sink = no_sink;
    c->pe = make(c, &unit, plan->order);
    unit.sink = plain_sink;
    c->plain = make(c, &unit, CAIRN_PE_EARLY);
    switch_on(c);
    to_program(c);
    run_blocks(c, blocks);
    assert_int_equal(cairn_pe_status(c->pe), CAIRN_OK);
    assert_int_equal(cairn_pe_status(c->plain), CAIRN_OK);
    assert_int_equal(c->taken_size, c->wanted_size);
    assert_memory_equal(c->taken, c->wanted, c->taken_size);
    assert_int_equal(c->lost, c->missing);
    assert_int_equal(c->stream_size, c->taken_size + c->lost);
}

void collector_end(struct collector *c)
{
    cairn_pe_free(c->pe);
    cairn_pe_free(c->plain);
}

/* --- the flow --- */

static struct cairn_image *make_image(void)
{
    static uint8_t code[8 * COLLECTOR_PLACES];
    static const uint8_t block[8] = {0x1f, 0x20, 0x03, 0xd5,
                                     0x20, 0x00, 0x1f, 0xd6}; /* NOP, BR X1 */
    struct cairn_image *image;
    struct cairn_error error;

    for (size_t i = 0; i < COLLECTOR_PLACES; i++)
        memcpy(code + 8 * i, block, sizeof block);
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "code", NULL, CAIRN_ORDER_LITTLE, COLLECTOR_CODE,
                                           code, sizeof code, &error),
                     CAIRN_OK);
    return image;
}

/* Each range is the next block. */
static uint32_t check_batch(const struct collector *c, struct cairn_flow_batch *batch, uint32_t n)
{
    for (size_t i = 0; i < batch->count; i++) {
        assert_true(batch->kind[i] != CAIRN_FLOW_GAP && batch->kind[i] != CAIRN_FLOW_WARNING &&
                    batch->kind[i] != CAIRN_FLOW_OVERFLOW);
        if (batch->kind[i] != CAIRN_FLOW_RANGE)
            continue;
        assert_true(n < COLLECTOR_BLOCKS);
        assert_int_equal(batch->address[i], c->executed[n]);
        assert_int_equal(batch->value[i], c->executed[n] + 8);
        n++;
    }
    batch->count = 0;
    return n;
}

void collector_assert_flow(const struct collector *c)
{
    struct cairn_config *config = cairn_unit_config(cairn_pe_unit(c->pe));
    struct cairn_image *image = make_image();
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *batch;
    uint32_t n = 0, before;
    size_t at = 0;

    assert_int_equal(cairn_decoder_new(config, image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(4096, &batch), CAIRN_OK);
    while (at < c->taken_size) {
        assert_int_equal(cairn_decoder_run(decoder, c->taken, c->taken_size, &at, batch), CAIRN_OK);
        n = check_batch(c, batch, n);
    }
    do {
        before = n;
        assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
        n = check_batch(c, batch, n);
    } while (n > before);
    assert_int_equal(n, c->now - 2 * HALF);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_image_unref(image);
    cairn_config_unref(config);
}
