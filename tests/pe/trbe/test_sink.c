/* SPDX-License-Identifier: BSD-2-Clause */
/* An ETE's model writes through a Trace Buffer Unit, and another one, told the same, into a plain sink: what is
 * in the buffer, put in order by registers and the count of TRB_WRAP, is that stream.
 *
 * usage: test_pe_trbe_sink [--seeds FROM COUNT] */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SEEDS 200u

enum { WORDS = 96, CODE = 0x400000, STREAM = 1 << 20, SESSIONS = 4 };

static struct bench b;
static uint64_t from = 0, count = SEEDS;

static struct {
    uint8_t bytes[STREAM];
    size_t size;
} stream;

static struct {
    uint64_t random;
    uint8_t code[4 * WORDS];
    uint64_t pc, link;
    struct cairn_unit *unit, *plain; /* plain: may be NULL */
} w;

static struct {
    uint64_t sessions, wrapped, full, stopped, restarted, laps;
} seen;

static uint32_t draw(uint32_t limit)
{
    w.random ^= w.random << 13;
    w.random ^= w.random >> 7;
    w.random ^= w.random << 17;
    return (uint32_t)(w.random >> 33) % limit;
}

/* --- a program and two units --- */

static cairn_status sink(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    assert_true(stream.size + size <= STREAM);
    memcpy(stream.bytes + stream.size, bytes, size);
    stream.size += size;
    return CAIRN_OK;
}

static void make_program(void)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t kind = draw(8);
        const uint32_t offset = draw(WORDS) - i;
        uint32_t word = 0xd503201fu; /* NOP */

        if (i == WORDS - 1 || kind == 0)
            word = 0x14000000u | (offset & 0x3ffffffu); /* B */
        else if (kind == 1)
            word = 0x94000000u | (offset & 0x3ffffffu); /* BL */
        else if (kind <= 4)
            word = 0x54000000u | (offset & 0x7ffffu) << 5; /* B.EQ */
        else if (kind == 5)
            word = 0xd61f0020u; /* BR X1 */
        for (unsigned n = 0; n < 4; n++)
            w.code[4 * i + n] = (uint8_t)(word >> 8 * n);
    }
    w.pc = CODE;
}

/* The registers of a unit that counts cycles, traces Events, and synchronizes often. */
static struct cairn_unit *new_unit(cairn_unit_port *port, uint32_t fifo)
{
    static const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x18d1}, {"TRCCCCTLR", 4}, {"TRCEVENTCTL1R", 1}, {"TRCSYNCPR", 8}};
    static const struct cairn_context context = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit;

    options.arch = (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0};
    options.registers = registers;
    options.register_count = COUNT_OF(registers);
    if (port) {
        options.port = port;
        options.port_context = &b.trbe;
        options.outputs = cairn_pe_trbe_outputs;
        options.outputs_context = &b.trbe;
        options.fifo_bytes = fifo;
    } else {
        options.sink = sink;
    }
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    cairn_unit_enable(unit);
    cairn_unit_context(unit, &context);
    return unit;
}

static void both(void (*call)(struct cairn_unit *unit))
{
    call(w.unit);
    if (w.plain)
        call(w.plain);
}

static void execute(void)
{
    struct cairn_block block;
    const size_t at = (size_t)(w.pc - CODE);
    bool taken;

    assert_true(
        cairn_unit_scan(w.unit, CAIRN_ISA_A64, w.pc, w.code + at, sizeof w.code - at, &block) > 0);
    taken = block.kind != CAIRN_INSN_OTHER && (!(block.flags & CAIRN_INSN_CONDITIONAL) || draw(2));
    cairn_unit_execute(w.unit, &block, taken);
    if (w.plain)
        cairn_unit_execute(w.plain, &block, taken);
    w.pc = block.address + block.size;
    if (taken && block.kind == CAIRN_INSN_BRANCH_DIRECT)
        w.pc = block.target;
    if (taken && block.kind == CAIRN_INSN_BRANCH_INDIRECT)
        w.pc = CODE + 4 * (uint64_t)draw(WORDS);
}

static void event_0(struct cairn_unit *unit)
{
    cairn_unit_event(unit, 0);
}

static void step(unsigned events)
{
    const uint64_t cycles = 1 + draw(30);

    execute();
    if (draw(1000) < events)
        both(event_0);
    cairn_unit_cycles(w.unit, cycles);
    if (w.plain)
        cairn_unit_cycles(w.plain, cycles);
}

static void begin(uint64_t seed)
{
    w.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    stream.size = 0;
    make_program();
}

static void end(void)
{
    cairn_unit_free(w.unit);
    cairn_unit_free(w.plain);
    w.unit = w.plain = NULL;
}

/* --- sessions --- */

/* What is done for a flush of a Trigger Event, and for a TSB CSYNC, to both, so that they write alike. */
static void settle(void)
{
    while (b.trbe.flush_wanted) {
        both(cairn_unit_flush);
        cairn_pe_trbe_flushed(&b.trbe);
    }
}

static void synchronize(void)
{
    both(cairn_unit_flush);
    settle();
    cairn_pe_trbe_drain(&b.trbe);
    assert_int_equal(cairn_unit_pending_bytes(w.unit), 0);
}

/* The bytes of the buffer in the order they were written, the youngest `size`. */
static void unroll(uint64_t base, uint64_t limit, uint64_t pointer, size_t size, uint8_t *bytes)
{
    uint64_t at = pointer;

    for (size_t i = size; i > 0; i--) {
        at = at == base ? limit - 1 : at - 1;
        bytes[i - 1] = b.memory[at - MEMORY];
    }
}

/* So many were written since the session began, by the pointers and TRB_WRAP. */
static void check_session(uint64_t limit, uint64_t start, size_t before)
{
    static uint8_t bytes[MEMORY_SIZE];
    const uint64_t laps = bench_count(&b, EVENT, 0x400c);
    const uint64_t pointer = cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBPTR_EL1);
    const uint64_t written = laps * (limit - BASE) + pointer - start;
    const uint64_t kept = written < limit - BASE ? written : limit - BASE;
    const uint64_t status = bench_status(&b);

    assert_true(before + written <= stream.size);
    if (!(status & S))
        /* proves: S_HKNBM */
        assert_int_equal(before + written, stream.size);
    unroll(BASE, limit, pointer, (size_t)kept, bytes);
    /* proves: R_PLYXP, R_PHSKP */
    assert_memory_equal(bytes, stream.bytes + before + written - kept, (size_t)kept);
    assert_int_equal((status & WRAP) != 0, laps > 0);
    seen.sessions++;
    seen.wrapped += laps > 0;
    seen.laps += laps;
    seen.full += (status & (S | 0x3f)) == (S | 1);
    seen.stopped += (status & (S | 0x3f)) == (S | 2);
}

/* One way of collecting, with new pointers or those that were left. */
static void run_session(unsigned FM, unsigned TM, uint64_t limit, bool restarts)
{
    const size_t before = stream.size;
    const uint64_t start = restarts
                               ? bench_pointer(&b)
                               : BASE + (uint64_t)draw(8) * 512 / (1 + draw(2)) % (limit - BASE);
    const unsigned steps = 200 + draw(3000), events = draw(2) ? 0 : 3;

    b.log_count = 0;
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, 0);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBTRG_EL1, (uint64_t)draw(4) * 2048);
    bench_enable(&b, FM, TM, BASE, limit, start);
    for (unsigned i = 0; i < steps; i++) {
        step(events);
        settle();
        if (draw(500) == 0)
            synchronize();
    }
    synchronize();
    bench_switch(&b, false);
    check_session(limit, start, before);
    seen.restarted += restarts;
}

static void run(uint64_t seed)
{
    static const uint8_t FMs[] = {FILL, WRAPS, CIRCULAR}, TMs[] = {STOP, INTERRUPT, IGNORE};
    static const uint8_t aligns[] = {0, 4, 6, 11};
    struct cairn_pe_trbe_options options = {0};
    uint64_t limit = 0;

    begin(seed);
    options.align = aligns[draw(4)];
    options.choices = draw(2) ? CAIRN_PE_TRBE_COLLECTS : 0;
    options.granule = (uint16_t)draw(200);
    bench_begin(&b, &options);
    b.trbe.outside.bus = NULL;
    w.unit = new_unit(cairn_pe_trbe_port, CAIRN_UNIT_PORT_DEPTH);
    w.plain = new_unit(NULL, 0);
    for (unsigned i = 0; i < SESSIONS; i++) {
        const bool restarts = i > 0 && draw(2);

        if (!restarts)
            limit = BASE + 0x1000 * (1 + (uint64_t)draw(3));
        run_session(FMs[draw(3)], TMs[draw(3)], limit, restarts);
        for (unsigned n = draw(20); n > 0; n--) /* nobody gets that */
            step(0);
        synchronize();
    }
    assert_int_equal(cairn_unit_status(w.unit), CAIRN_OK);
    end();
}

static void test_unrolled(void **state)
{
    (void)state;
    for (uint64_t seed = from; seed < from + count; seed++) {
        run(seed);
    }
    print_message("# %" PRIu64 " sessions: wrapped %" PRIu64 ", full %" PRIu64
                  ", stopped by trigger %" PRIu64 ", restarted %" PRIu64 ", laps %" PRIu64 "\n",
                  seen.sessions, seen.wrapped, seen.full, seen.stopped, seen.restarted, seen.laps);
    if (count < 50)
        return;
    assert_true(seen.wrapped * 10 > seen.sessions);
    assert_true(seen.full * 30 > seen.sessions);
    assert_true(seen.stopped * 30 > seen.sessions);
    /* proves: R_HXZZM */
    assert_true(seen.restarted * 10 > seen.sessions);
}

/* --- too little bandwidth --- */

static uint64_t overflows;

static void look(void *context, unsigned kind, uint16_t flags,
                 const struct cairn_element_data *data)
{
    (void)context;
    (void)flags;
    (void)data;
    overflows += kind == CAIRN_ELEMENT_OVERFLOW;
}

static struct cairn_unit *narrow_unit(void)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    static const struct cairn_register registers[] = {{"TRCCONFIGR", 0x18d1}, {"TRCCCCTLR", 4}};
    struct cairn_unit *unit;

    options.arch = (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0};
    options.registers = registers;
    options.register_count = COUNT_OF(registers);
    options.port = cairn_pe_trbe_port;
    options.port_context = &b.trbe;
    options.watch = look;
    options.fifo_bytes = 128;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    cairn_unit_enable(unit);
    return unit;
}

/* What the buffer rejects waits in the trace unit, and what does not fit there makes an Overflow. A buffer that
 * is full makes none: it discards. */
static void test_overflow(void **state)
{
    (void)state;
    for (unsigned rate = 1; rate <= 1024; rate *= 32) {
        const struct cairn_pe_trbe_options options = {.rate = rate, .depth = 16};
        struct cairn_unit_counters counters = {.size = sizeof counters};

        begin(rate);
        bench_begin(&b, &options);
        bench_enable(&b, CIRCULAR, IGNORE, BASE, LIMIT + 0x3000, BASE);
        overflows = 0;
        w.unit = narrow_unit();
        for (unsigned i = 0; i < 2000; i++)
            step(0);
        assert_true(cairn_pe_trbe_synchronize(&b.trbe, w.unit));
        cairn_unit_counters(w.unit, &counters);
        /* proves: I_TRCDR */
        assert_int_equal(overflows > 0, rate == 1);
        assert_int_equal(counters.overflows > 0, rate == 1);
        /* proves: R_RFJQN */
        assert_int_equal(b.trbe.counts.accepted, counters.bytes);
        end();
    }
}

static void test_no_overflow(void **state)
{
    const struct cairn_pe_trbe_options options = {0};

    (void)state;
    begin(7);
    bench_begin(&b, &options);
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    overflows = 0;
    w.unit = narrow_unit();
    for (unsigned i = 0; i < 10000; i++)
        step(0);
    assert_true(bench_status(&b) & S);
    assert_true(b.trbe.counts.discarded > 0);
    /* proves: I_HDJWW, GL_OVERFLOW */
    assert_int_equal(overflows, 0);
    end();
}

/* TSB CSYNC ends, though the other sink takes nothing. */
static void test_synchronize(void **state)
{
    const struct cairn_pe_trbe_options options = {.rate = 1, .depth = 1};

    (void)state;
    begin(3);
    bench_begin(&b, &options);
    b.bus_takes = 0;
    w.unit = new_unit(cairn_pe_trbe_port, 256);
    for (unsigned i = 0; i < 50; i++)
        step(0);
    /* proves: I_ZKRZH */
    assert_false(cairn_pe_trbe_synchronize(&b.trbe, w.unit));
    assert_true(cairn_unit_pending_bytes(w.unit) > 0);
    bench_enable(&b, FILL, STOP, BASE, LIMIT, BASE);
    cairn_pe_trbe_detected_trigger(&b.trbe); /* its flush is completed as well */
    /* proves: R_JQDJD */
    assert_true(cairn_pe_trbe_synchronize(&b.trbe, w.unit));
    /* proves: I_GPHHS */
    assert_int_equal(bench_status(&b), TRG | IRQ | S | 2);
    assert_int_equal(cairn_unit_pending_bytes(w.unit), 0);
    assert_true(cairn_pe_trbe_is_finished(&b.trbe));
    end();
}

/* ETEEvent 0 of the trace unit is the Detected Trigger; its Event is in the buffer when collection stops. */
static void test_trigger(void **state)
{
    size_t before;

    (void)state;
    begin(11);
    bench_begin(&b, NULL);
    bench_enable(&b, CIRCULAR, STOP, BASE, LIMIT, BASE);
    w.unit = new_unit(cairn_pe_trbe_port, CAIRN_UNIT_PORT_DEPTH);
    w.plain = new_unit(NULL, 0);
    for (unsigned i = 0; i < 20; i++)
        step(0);
    cairn_unit_event(w.unit, 1);
    cairn_unit_event(w.plain, 1);
    step(0);
    assert_int_equal(bench_status(&b) & TRG, 0);
    both(cairn_unit_flush);
    before = stream.size;
    step(1000);
    /* proves: I_YRQCN */
    assert_true(bench_status(&b) & TRG);
    settle();
    assert_int_equal(bench_status(&b), TRG | IRQ | S | 2);
    /* proves: I_MCGFL, R_RWJNN */
    assert_memory_equal(b.memory + BASE - MEMORY, stream.bytes, stream.size);
    assert_int_equal(bench_pointer(&b), BASE + stream.size);
    /* The Event packet of ETEEvent 0 (D5.68: 0x70 and a bit each). */
    assert_non_null(memchr(stream.bytes + before, 0x71, stream.size - before));
    end();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unrolled),    cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_no_overflow), cmocka_unit_test(test_synchronize),
        cmocka_unit_test(test_trigger),
    };

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        from = strtoull(argv[2], NULL, 0);
        count = strtoull(argv[3], NULL, 0);
    } else if (argc != 1) {
        fprintf(stderr, "usage: test_pe_trbe_sink [--seeds FROM COUNT]\n");
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
