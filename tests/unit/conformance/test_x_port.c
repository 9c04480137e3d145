/* SPDX-License-Identifier: BSD-2-Clause */
/* A port that may take less than it is offered: overflow by it, the PE stalled for it (DDI0608 D1.6,
 * D6.4, D6.10.5, D6.10.6), and what becomes of bytes that nobody takes. */
#include "bench.h"

#include <stdlib.h>

#define ISTALL 0x100u /* TRCSTALLCTLR */
#define NOOVERFLOW 0x2000u
#define BEHIND_OVERFLOW "OVERFLOW SYNC INFO ON CTX(EL1n) ADDR(900000) N"

/* Jumps with addresses that compress badly, `count` of them from the n-th on. */
static void jumps(struct bench *b, unsigned n, unsigned count)
{
    for (unsigned i = n; i < n + count; i++)
        jump(b, 0x100000 + 0x10010 * (uint64_t)i);
}

static struct cairn_unit_counters count(struct bench *b)
{
    struct cairn_unit_counters counters = {.size = sizeof(counters)};

    cairn_unit_counters(b->unit, &counters);
    return counters;
}

static uint64_t waiting(struct bench *b)
{
    return cairn_unit_pending_bytes(b->unit);
}

/* --- what is offered --- */

static void test_all_taken(void **state)
{
    struct bench sink, port;

    (void)state;
    bench_begin(&sink, "RS TS CCI THRESHOLD=4 TRCSYNCPR=8");
    bench_begin(&port, "RS TS CCI THRESHOLD=4 TRCSYNCPR=8 port");
    for (unsigned i = 0; i < 5000; i++) {
        struct bench *both[] = {&sink, &port};

        for (unsigned j = 0; j < 2; j++) {
            if (i % 7 == 0)
                call(both[j], 0x4000, 0x4000 + 8 * (uint64_t)(i % 5));
            else
                jumps(both[j], i, 1);
            if (i % 3 == 0)
                cycles(both[j], i % 11);
            at_time(both[j], i);
            if (i % 1000 == 999)
                cairn_unit_flush(both[j]->unit);
        }
    }
    cairn_unit_disable(sink.unit);
    cairn_unit_disable(port.unit);
    assert_int_equal(count(&port).overflows, 0);
    assert_int_equal(waiting(&port), 0);
    assert_int_equal(waiting(&sink), 0);
    assert_int_equal(sink.size, port.size);
    assert_memory_equal(sink.bytes, port.bytes, sink.size);
    bench_end(&sink);
    bench_end(&port);
}

/* No cycle is ever told: what is told lacks room, and that offers. */
static void test_without_cycles(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "port");
    jumps(&b, 0, 1000);
    assert_int_equal(count(&b).overflows, 0);
    assert_true(b.most_waited > CAIRN_UNIT_PORT_DEPTH - 64);
    assert_true(b.most_waited <= CAIRN_UNIT_PORT_DEPTH);
    assert_int_equal(b.offered, 0);
    assert_true(b.size > 0);
    bench_end(&b);
}

/* A byte at a time, in the midst of packets. */
static void test_pieces(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "port");
    b.credit = 0;
    branch(&b, 0x1000, 0x2000, TAKEN);
    assert_int_equal(waiting(&b), 12 + 3 + 1 + 5); /* A-sync, Trace Info, Trace On, both others */
    for (size_t i = 1; i <= 30; i++) {
        b.credit = 1;
        cycles(&b, 3);
        assert_int_equal(b.size, i < 21 ? i : 21);
        assert_int_equal(b.offered, 3 * i);
    }
    assert_int_equal(waiting(&b), 0);
    b.credit = 1;
    cycles(&b, 1024); /* R_GFMRH: and the atom, when nothing else has come */
    assert_int_equal(waiting(&b), 0);
    assert_int_equal(b.size, 22);
    assert_int_equal(b.offered, 90 + 1024);
    b.credit = SIZE_MAX;
    assert_trace(&b, BEGIN("1000") " E");
    bench_end(&b);
}

static size_t too_much(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    (void)bytes;
    (void)cycles;
    ++*(unsigned *)context;
    return size + 1;
}

static void test_mistakes(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    const struct cairn_block block = {.address = 0x1000, .size = 4, .count = 1, .last_size = 4};
    struct cairn_unit *unit = NULL;
    struct cairn_error error;
    struct bench b;
    unsigned calls = 0;

    (void)state;
    bench_open(&b, ""); /* whose sink is one */
    options.arch = cairn_arch_any_a();
    options.port = too_much;
    options.port_context = &calls;
    options.sink = b.options.sink;
    assert_int_equal(cairn_unit_new(&options, &unit, &error), CAIRN_E_CONFIG);
    options.sink = NULL;
    options.fifo_drain = 1;
    assert_int_equal(cairn_unit_new(&options, &unit, &error), CAIRN_E_CONFIG);
    options.fifo_drain = 0;
    options.protocol = CAIRN_PROTOCOL_MTB;
    assert_int_equal(cairn_unit_new(&options, &unit, &error), CAIRN_E_CONFIG);
    options.protocol = CAIRN_PROTOCOL_ETE;
    assert_int_equal(cairn_unit_new(&options, &unit, &error), CAIRN_OK);
    cairn_unit_enable(unit);
    cairn_unit_execute(unit, &block, true);
    assert_int_equal(cairn_unit_offer(unit), 0);
    assert_int_equal(cairn_unit_status(unit), CAIRN_E_ARGUMENT);
    cairn_unit_disable(unit);
    assert_int_equal(calls, 1);
    assert_int_equal(cairn_unit_pending_bytes(unit), 0);
    cairn_unit_free(unit);
    bench_end(&b);
}

/* --- overflow --- */

static void test_overflow(void **state)
{
    struct bench b;
    const char *text;
    size_t before;

    (void)state;
    bench_begin(&b, "port fifo=256");
    b.credit = 0;
    jumps(&b, 0, 200);
    assert_int_equal(count(&b).overflows, 1);
    before = (size_t)waiting(&b);
    assert_true(before > 256 - 64 && before <= 256);
    b.credit = before - 1;
    cycles(&b, 1);
    jumps(&b, 200, 1); /* not empty: still inoperative */
    assert_int_equal(waiting(&b), 1);
    b.credit = SIZE_MAX;
    branch(&b, 0x900000, 0x2000, NOT_TAKEN);
    text = bench_trace(&b);
    assert_int_equal(bench_count(text, "BROKEN"), 0);
    /* proves: I_HDJWW */
    assert_int_equal(bench_count(text, "OVERFLOW"), 1);
    assert_string_equal(strstr(text, "OVERFLOW"), BEHIND_OVERFLOW);
    bench_end(&b);

    /* The same program, and a taker that keeps up. */
    bench_begin(&b, "port fifo=256");
    b.credit = 0;
    b.a_cycle = 8;
    for (unsigned i = 0; i < 400; i++) {
        jumps(&b, i, 1);
        cycles(&b, 1);
    }
    /* proves: I_HDJWW */
    assert_int_equal(count(&b).overflows, 0);
    bench_end(&b);
}

/* Every offset at which a port may stop taking. */
static void test_any_time(void **state)
{
    (void)state;
    for (size_t stop = 0; stop < 500; stop += 3) {
        struct bench b;
        const char *text, *seen;
        char *whole;

        bench_begin(&b, "port fifo=128 TS watched");
        b.credit = stop;
        jumps(&b, 0, 300);
        b.credit = SIZE_MAX;
        branch(&b, 0x900000, 0x2000, NOT_TAKEN);
        whole = strdup(bench_trace(&b));
        seen = strstr(bench_seen(&b), "OVERFLOW");
        text = strstr(whole, "DISCARD OVERFLOW"); /* one packet, which stands for both */
        assert_non_null(seen);
        assert_non_null(text);
        /* proves: R_RQHFH */
        assert_string_equal(text + strlen("DISCARD "), seen);
        assert_memory_equal(whole, b.text, (size_t)(text - whole));
        assert_int_equal(seen - b.text, text - whole);
        assert_null(strstr(seen + 1, "OVERFLOW"));
        free(whole);
        bench_end(&b);
    }
}

/* --- a port that takes nothing --- */

static void test_disable(void **state)
{
    struct bench b;
    uint64_t left;
    const char *text;

    (void)state;
    bench_begin(&b, "port");
    b.credit = 0;
    branch(&b, 0x1000, 0x1000, TAKEN);
    cairn_unit_disable(b.unit);
    left = waiting(&b);
    assert_true(left > 0);
    assert_int_equal(b.size, 0);
    cycles(&b, 1000000);
    assert_int_equal(waiting(&b), left);
    assert_int_equal(cairn_unit_offer(b.unit), left);
    b.credit = 5;
    assert_int_equal(cairn_unit_offer(b.unit), left - 5);
    b.credit = SIZE_MAX;
    cycles(&b, 1); /* of a disabled unit */
    assert_int_equal(waiting(&b), 0);
    assert_trace(&b, BEGIN("1000") " E");
    bench_end(&b);

    /* In an overflow: that is told when there is room, and only then is the unit idle. */
    bench_begin(&b, "port fifo=256");
    b.credit = 0;
    jumps(&b, 0, 200);
    cairn_unit_disable(b.unit);
    left = waiting(&b);
    b.credit = (size_t)left;
    /* proves: R_RPSPH */
    assert_true(cairn_unit_offer(b.unit) > 0);
    assert_int_equal(b.size, left);
    b.credit = SIZE_MAX;
    assert_int_equal(cairn_unit_offer(b.unit), 0);
    text = bench_trace(&b);
    /* proves: R_RPSPH */
    assert_string_equal(text + strlen(text) - 8, "OVERFLOW");
    bench_end(&b);
}

/* Enabled again, again and again: the buffer does not grow, and the overflow is told once. */
static void test_sessions(void **state)
{
    struct bench b;
    const char *text;

    (void)state;
    bench_begin(&b, "port fifo=256 TS TRCEVENTCTL1R=0xf");
    b.credit = 0;
    at_time(&b, 7);
    jumps(&b, 0, 200);
    cairn_unit_event(b.unit, 3);
    for (unsigned i = 0; i < 1000; i++) {
        cairn_unit_disable(b.unit);
        cairn_unit_enable(b.unit);
        jumps(&b, i, 2);
        cairn_unit_flush(b.unit);
    }
    assert_true(waiting(&b) <= 256);
    assert_int_equal(count(&b).overflows, 1);
    b.credit = SIZE_MAX;
    branch(&b, 0x900000, 0x2000, NOT_TAKEN);
    text = bench_trace(&b);
    assert_int_equal(bench_count(text, "OVERFLOW"), 1);
    assert_int_equal(bench_count(text, "EV3"), 1);
    assert_string_equal(strstr(text, "OVERFLOW"),
                        "OVERFLOW SYNC INFO ON CTX(EL1n) ADDR(900000) N MARK TS(7)");
    bench_end(&b);

    /* What comes of flushing alone: timestamps, and then no more. */
    bench_begin(&b, "port fifo=256 TS");
    b.credit = 0;
    jumps(&b, 0, 2);
    for (unsigned i = 0; i < 10000; i++) {
        at_time(&b, (uint64_t)i << 40);
        cairn_unit_flush(b.unit);
    }
    assert_true(waiting(&b) <= 256);
    assert_int_equal(count(&b).overflows, 1);
    bench_end(&b);
}

static void test_flush(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "port fifo=256");
    b.credit = 0;
    jumps(&b, 0, 200);
    cairn_unit_flush(b.unit);
    b.credit = (size_t)waiting(&b);
    cairn_unit_flush(b.unit); /* it is complete when the Overflow is out, too */
    /* proves: R_TWBVY */
    assert_true(waiting(&b) > 0);
    b.credit = SIZE_MAX;
    cycles(&b, 1);
    assert_int_equal(waiting(&b), 0);
    /* proves: R_TWBVY */
    assert_int_equal(bench_count(bench_trace(&b), "OVERFLOW"), 1);
    bench_end(&b);
}

/* --- stalling --- */

/* Jumps of a PE that waits where it is asked to. Whether anything was lost. */
static bool overflows(struct bench *b, const char *text, unsigned a_cycle)
{
    bench_begin(b, text);
    b->credit = 0;
    b->a_cycle = a_cycle;
    for (unsigned i = 0; i < 300; i++) {
        while (cairn_unit_stalls(b->unit))
            cycles(b, 1);
        jumps(b, i, 1);
    }
    return count(b).overflows != 0;
}

static void test_no_overflow(void **state)
{
    struct bench b;

    (void)state;
    /* proves: R_YSPHL */
    assert_true(overflows(&b, "port fifo=256", 1));
    bench_end(&b);
    /* proves: R_YSPHL, R_LCGZJ */
    assert_false(overflows(&b, "port fifo=256 TRCSTALLCTLR=0x2100", 1));
    assert_true(count(&b).stalled > 0);
    assert_int_equal(b.offered, count(&b).stalled);
    b.credit = SIZE_MAX;
    cairn_unit_flush(b.unit);
    assert_int_equal(bench_count(bench_trace(&b), "E"), 300);
    bench_end(&b);
    /* proves: R_MYMKW */
    assert_true(overflows(&b, "port fifo=256 TRCSTALLCTLR=0x2100 TRCIDR3=0x857f0004", 1));
    assert_int_equal(count(&b).stalled, 0);
    bench_end(&b);
    /* By the level. */
    /* proves: I_ZRQBK, R_RWTYJ */
    assert_false(overflows(&b, "port fifo=256 TRCSTALLCTLR=0x100", 1));
    bench_end(&b);
}

/* A feed that does not ask: the unit waits in the call. */
static void test_wait_inside(void **state)
{
    struct bench b;
    uint64_t waited;

    (void)state;
    bench_begin(&b, "port fifo=256 TRCSTALLCTLR=0x2100 TRCEVENTCTL1R=0xf");
    b.credit = 0;
    b.a_cycle = 1;
    jumps(&b, 0, 300);
    waited = count(&b).stalled;
    assert_true(waited > 0);
    assert_int_equal(b.offered, waited);
    /* proves: R_LCGZJ */
    assert_int_equal(count(&b).overflows, 0);
    for (unsigned n = 0; n < 4; n++)
        cairn_unit_event(b.unit, n);
    cycles(&b, 1);
    jumps(&b, 300, 1);
    /* proves: R_VHMZX */
    assert_int_equal(count(&b).overflows, 0);
    b.credit = SIZE_MAX;
    cairn_unit_flush(b.unit);
    assert_true(bench_order(bench_trace(&b), "EV0", "EV1", "EV2", "EV3", NULL));
    bench_end(&b);

    /* The same at a fixed rate. */
    bench_begin(&b, "fifo=256 drain=16 TRCSTALLCTLR=0x2100");
    jumps(&b, 0, 300);
    assert_int_equal(count(&b).overflows, 0);
    assert_true(count(&b).stalled + 2 >= waited && count(&b).stalled <= waited + 2);
    bench_end(&b);
}

/* R_NVKXX: not for ever, whoever waits. */
static void test_bound(void **state)
{
    struct bench b;

    (void)state;
    /* proves: R_NVKXX */
    assert_true(overflows(&b, "port fifo=256 TRCSTALLCTLR=0x2100", 0));
    assert_int_equal(count(&b).stalled, CAIRN_UNIT_STALL_MOST);
    assert_int_equal(b.offered, CAIRN_UNIT_STALL_MOST);
    b.credit = (size_t)waiting(&b);
    cycles(&b, 1);
    b.credit = (size_t)waiting(&b);
    cycles(&b, 1);
    jumps(&b, 0, 100); /* and again, without asking */
    /* proves: R_NVKXX */
    assert_int_equal(count(&b).overflows, 2);
    assert_int_equal(count(&b).stalled, 2 * CAIRN_UNIT_STALL_MOST);
    bench_end(&b);
    /* proves: R_NVKXX */
    assert_true(overflows(&b, "fifo=256 drain=0 TRCSTALLCTLR=0x2100", 0));
    assert_int_equal(count(&b).stalled, CAIRN_UNIT_STALL_MOST);
    bench_end(&b);
}

/* How many bytes of 256 have to be free. */
static void test_level(void **state)
{
    (void)state;
    for (unsigned level = 0; level < 16; level++) {
        const uint64_t wanted = level * 16 > 64 ? level * 16 : 64;
        struct bench b;
        char text[64];

        snprintf(text, sizeof(text), "port fifo=256 TRCSTALLCTLR=%u", ISTALL | level);
        bench_begin(&b, text);
        b.credit = 0;
        assert_false(cairn_unit_stalls(b.unit));
        for (unsigned i = 0; count(&b).overflows == 0; i++) {
            /* proves: R_RWTYJ, I_ZRQBK */
            assert_int_equal(cairn_unit_stalls(b.unit), 256 - waiting(&b) < wanted);
            jumps(&b, i, 1);
        }
        assert_false(cairn_unit_stalls(b.unit)); /* nothing is left to be lost */
        bench_end(&b);
    }
}

static void fill(struct bench *b, const char *text)
{
    bench_begin(b, text);
    b->credit = 0;
    for (unsigned i = 0; waiting(b) <= 256 - 64; i++)
        jumps(b, i, 1);
}

static void test_never(void **state)
{
    struct bench b;
    struct cairn_error error;

    (void)state;
    fill(&b, "port fifo=256 TRCSTALLCTLR=0x2100");
    assert_true(cairn_unit_stalls(b.unit));
    /* proves: R_NVBGS */
    assert_int_equal(read_register(&b, "TRCSTALLCTLR"), ISTALL | NOOVERFLOW);
    cairn_unit_prohibit(b.unit, true);
    /* proves: R_SCLVV */
    assert_false(cairn_unit_stalls(b.unit));
    cairn_unit_prohibit(b.unit, false);
    assert_true(cairn_unit_stalls(b.unit));
    cairn_unit_debug_state(b.unit, true);
    /* proves: R_SCLVV */
    assert_false(cairn_unit_stalls(b.unit));
    cairn_unit_debug_state(b.unit, false);
    assert_true(cairn_unit_stalls(b.unit));
    /* proves: R_NVBGS */
    assert_int_equal(cairn_unit_write(b.unit, "TRCPRGCTLR", 0, &error), CAIRN_OK);
    /* proves: R_SCLVV */
    assert_false(cairn_unit_stalls(b.unit));
    assert_int_equal(count(&b).stalled, 0);
    bench_end(&b);

    fill(&b, "port fifo=256");
    /* proves: R_SCLVV */
    assert_false(cairn_unit_stalls(b.unit));
    bench_end(&b);
    fill(&b, "port fifo=256 TRCSTALLCTLR=0x210f TRCIDR3=0x857f0004");
    /* proves: R_SCLVV, R_MYMKW */
    assert_false(cairn_unit_stalls(b.unit));
    bench_end(&b);
    /* A level and no ISTALL. */
    fill(&b, "port fifo=256 TRCSTALLCTLR=0xf");
    /* proves: R_RWTYJ, I_ZRQBK */
    assert_false(cairn_unit_stalls(b.unit));
    bench_end(&b);
}

/* While the PE is stalled clocks pass. */
static void test_counters_go_on(void **state)
{
    struct bench b;

    (void)state;
    fill(&b, SELECTORS "port fifo=256 TRCSTALLCTLR=0x2100 TRCCNTCTLR0=1 TRCCNTVR0=1000");
    b.a_cycle = 1;
    const uint64_t before = read_register(&b, "TRCCNTVR0");

    cycles(&b, 10);
    assert_true(count(&b).stalled > 0);
    /* proves: R_PZQGV */
    assert_int_equal(read_register(&b, "TRCCNTVR0"), before - 10);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_taken),      cmocka_unit_test(test_without_cycles),
        cmocka_unit_test(test_pieces),         cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_overflow),       cmocka_unit_test(test_any_time),
        cmocka_unit_test(test_disable),        cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_flush),          cmocka_unit_test(test_no_overflow),
        cmocka_unit_test(test_wait_inside),    cmocka_unit_test(test_bound),
        cmocka_unit_test(test_level),          cmocka_unit_test(test_never),
        cmocka_unit_test(test_counters_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
