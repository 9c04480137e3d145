/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses of an external debugger: DDI0608 D8.1.1. */
#include "reach.h"

#define VICTLR 0x080u
#define ACVR3 0x418u
#define PRGCTLR 0x004u
#define NONSECURE CAIRN_EXTERNAL_NONSECURE

static uint64_t read_at(struct bench *b, uint32_t offset, uint32_t bytes)
{
    uint64_t value = UINT64_MAX;

    assert_int_equal(cairn_unit_load(b->unit, offset, bytes, 0, &value, NULL), CAIRN_ANSWER_OK);
    return value;
}

static void test_sizes(void **state)
{
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct bench b;

    (void)state;
    bench_open(&b, "");
    for (size_t i = 0; cairn_unit_register_info(b.unit, i, &info) == CAIRN_OK; i++) {
        const enum cairn_answer reads =
            info.flags & CAIRN_REGISTER_READABLE ? CAIRN_ANSWER_OK : CAIRN_ANSWER_RES0;

        /* proves: R_VQWLY */
        assert_int_equal(try_load(&b, info.offset, 4, 0), reads);
        if (info.bits == 64)
            /* proves: R_VQWLY */
            assert_int_equal(try_load(&b, info.offset + 4, 4, 0), reads);
        if (info.bits == 64)
            /* proves: R_VQWLY */
            assert_int_equal(try_load(&b, info.offset, 8, 0), reads);
    }
    assert_int_equal(try_store(&b, ACVR3, 8, 0, UINT64_C(0x1122334455667788)), CAIRN_ANSWER_OK);
    /* proves: R_VQWLY */
    assert_int_equal(read_at(&b, ACVR3, 4), 0x55667788);
    /* proves: R_VQWLY */
    assert_int_equal(read_at(&b, ACVR3 + 4, 4), 0x11223344);
    assert_int_equal(read_at(&b, ACVR3, 8), UINT64_C(0x1122334455667788));
    bench_end(&b);
}

/* A 64-bit register is written by halves, each of which is seen when it is there. */
static void test_halves(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    store(&b, "TRCACVR3", UINT64_C(0x1122334455667788));
    assert_int_equal(try_store(&b, ACVR3, 4, 0, 0xaaaaaaaa), CAIRN_ANSWER_OK);
    /* proves: R_VNNPF */
    assert_int_equal(mrs(&b, "TRCACVR3"), UINT64_C(0x11223344aaaaaaaa));
    assert_int_equal(try_store(&b, ACVR3 + 4, 4, 0, 0xbbbbbbbb), CAIRN_ANSWER_OK);
    /* proves: R_VNNPF */
    assert_int_equal(mrs(&b, "TRCACVR3"), UINT64_C(0xbbbbbbbbaaaaaaaa));
    bench_end(&b);
}

static const struct {
    uint32_t offset, bytes, flags;
} unsupported[] = {
    {VICTLR, 1, 0},
    {VICTLR, 2, 0},
    {VICTLR + 2, 4, 0}, /* unaligned */
    {VICTLR + 1, 2, 0},
    {ACVR3 + 4, 8, 0}, /* doublewords: unaligned, ... */
    {VICTLR, 8, 0},    /* ... of two registers */
    {ACVR3, 16, 0},
    {0x400, 64, 0},
    {VICTLR, 4, CAIRN_EXTERNAL_EXCLUSIVE},
    {ACVR3, 8, CAIRN_EXTERNAL_EXCLUSIVE},
    {VICTLR, 3, 0},
    {VICTLR, 0, 0},
};

/* The three outcomes: each has its answers, and the register is as that says. */
static void test_unsupported(void **state)
{
    static const uint32_t choices[] = {0, CAIRN_ACCESS_UNSUPPORTED_ERROR,
                                       CAIRN_ACCESS_UNSUPPORTED_IGNORED};

    (void)state;
    for (unsigned choice = 0; choice < 3; choice++) {
        for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++) {
            struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
            const uint32_t offset = unsupported[i].offset, bytes = unsupported[i].bytes;
            struct bench b;
            uint64_t victlr, acvr, value;
            bool changed;

            bench_open(&b, "TRCACVR3=0x123456789abc TRCVICTLR=0x201");
            options.choices = choices[choice];
            options.unknown = 99;
            choose_all(&b, &options);
            victlr = read_register(&b, "TRCVICTLR");
            acvr = read_register(&b, "TRCACVR3");
            /* proves: R_KYDTQ, R_YFRMG */
            assert_int_equal(
                cairn_unit_load(b.unit, offset, bytes, unsupported[i].flags, &value, NULL),
                choice == 1 ? CAIRN_ANSWER_ERROR : CAIRN_ANSWER_UNKNOWN);
            assert_int_equal(read_register(&b, "TRCVICTLR"), victlr);
            assert_int_equal(read_register(&b, "TRCACVR3"), acvr);
            /* proves: R_KYDTQ, R_YFRMG */
            assert_int_equal(try_store(&b, offset, bytes, unsupported[i].flags, 0x5),
                             choice == 1   ? CAIRN_ANSWER_ERROR
                             : choice == 2 ? CAIRN_ANSWER_IGNORED
                                           : CAIRN_ANSWER_UNKNOWN);
            changed =
                read_register(&b, "TRCVICTLR") != victlr || read_register(&b, "TRCACVR3") != acvr;
            if (offset != 0x400)
                /* proves: R_YFRMG */
                assert_int_equal(changed, choice != 2);
            bench_end(&b);
        }
    }
}

/* What an unsupported write makes UNKNOWN is what it touches, and no more. */
static void test_unsupported_extent(void **state)
{
    static const struct {
        uint32_t offset, bytes;
        bool before, at, behind, far; /* TRCACVR2, 3, 4, 5 */
    } rows[] = {
        {ACVR3, 1, false, true, false, false},     {ACVR3 + 7, 1, false, true, false, false},
        {ACVR3 + 4, 8, false, true, true, false},  {ACVR3 - 2, 4, true, true, false, false},
        {ACVR3, 16, false, true, true, false},     {ACVR3 - 8, 24, true, true, true, false},
        {ACVR3 + 1, 2, false, true, false, false}, {ACVR3 + 12, 16, false, false, true, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
        struct bench b;

        bench_open(&b, "TRCACVR2=2 TRCACVR3=3 TRCACVR4=4 TRCACVR5=5");
        options.unknown = i + 1;
        choose_all(&b, &options);
        assert_int_equal(try_store(&b, rows[i].offset, rows[i].bytes, 0, 0), CAIRN_ANSWER_UNKNOWN);
        /* proves: R_YFRMG */
        assert_int_equal(read_register(&b, "TRCACVR2") != 2, rows[i].before);
        /* proves: R_YFRMG */
        assert_int_equal(read_register(&b, "TRCACVR3") != 3, rows[i].at);
        assert_int_equal(read_register(&b, "TRCACVR4") != 4, rows[i].behind);
        assert_int_equal(read_register(&b, "TRCACVR5") != 5, rows[i].far);
        bench_end(&b);
    }
}

/* Nothing is read where the answer is an error. */
static void test_error_reads_nothing(void **state)
{
    struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
    uint64_t value = 77;
    struct bench b;

    (void)state;
    bench_open(&b, "");
    options.choices = CAIRN_ACCESS_UNSUPPORTED_ERROR;
    options.unknown = 5;
    choose_all(&b, &options);
    assert_int_equal(cairn_unit_load(b.unit, VICTLR, 2, 0, &value, NULL), CAIRN_ANSWER_ERROR);
    assert_int_equal(value, 77);
    options.choices = CAIRN_ACCESS_UNSUPPORTED_IGNORED;
    choose_all(&b, &options);
    assert_int_equal(cairn_unit_load(b.unit, VICTLR, 2, 0, &value, NULL), CAIRN_ANSWER_UNKNOWN);
    assert_int_not_equal(value, 77);
    bench_end(&b);
}

/* An unsupported write may even enable the unit, or not; two seeds are two values. */
static void test_unsupported_enable(void **state)
{
    bool met[2] = {false, false};

    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
        struct bench b;

        bench_open(&b, "");
        options.unknown = seed;
        choose_all(&b, &options);
        assert_int_equal(try_store(&b, PRGCTLR, 1, 0, 1), CAIRN_ANSWER_UNKNOWN);
        met[cairn_unit_session(b.unit) == CAIRN_SESSION_RUNNING] = true;
        bench_end(&b);
    }
    /* proves: R_YFRMG */
    assert_true(met[0] && met[1]);
}

static void test_outside(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    assert_int_equal(try_load(&b, 0x1000, 4, 0), CAIRN_ANSWER_ERROR);
    assert_int_equal(try_load(&b, 0xffc, 8, 0), CAIRN_ANSWER_ERROR);
    assert_int_equal(try_load(&b, UINT32_MAX, 4, 0), CAIRN_ANSWER_ERROR);
    assert_int_equal(try_store(&b, 0x800, UINT32_MAX, 0, 0), CAIRN_ANSWER_ERROR);
    bench_end(&b);
}

/* Denied: with the power off, with the OS Lock locked, with neither. */
static void test_STAD(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    cairn_unit_deny_external(b.unit, true);
    assert_int_equal(try_load(&b, VICTLR, 4, 0), CAIRN_ANSWER_OK);
    assert_false(cairn_unit_denied(b.unit));
    cairn_unit_power(b.unit, CAIRN_POWER_RETENTION);
    assert_int_equal(try_load(&b, VICTLR, 4, NONSECURE), CAIRN_ANSWER_ERROR);
    /* proves: R_YSHRS */
    assert_false(cairn_unit_denied(b.unit));
    cairn_unit_power(b.unit, CAIRN_POWER_NORMAL);
    lock(&b, 1);
    assert_int_equal(try_load(&b, VICTLR, 4, NONSECURE), CAIRN_ANSWER_ERROR);
    /* proves: R_YSHRS */
    assert_false(cairn_unit_denied(b.unit));
    lock(&b, 0);
    assert_int_equal(try_load(&b, VICTLR, 4, NONSECURE), CAIRN_ANSWER_ERROR);
    /* proves: R_YSHRS */
    assert_true(cairn_unit_denied(b.unit));
    assert_false(cairn_unit_denied(b.unit)); /* reading cleared it */
    lock(&b, 1); /* a register that the lock does not guard: the denial is the reason */
    assert_int_equal(try_load(&b, 0x314, 4, NONSECURE), CAIRN_ANSWER_ERROR);
    /* proves: R_YSHRS */
    assert_true(cairn_unit_denied(b.unit));
    lock(&b, 0);
    assert_int_equal(try_store(&b, VICTLR, 4, NONSECURE, 0), CAIRN_ANSWER_ERROR);
    assert_int_equal(read_register(&b, "TRCVICTLR"), 0x201);
    assert_true(cairn_unit_denied(b.unit));
    bench_end(&b);
}

/* Which words are no register. */
static void find_holes(const struct bench *b, bool holes[0x400])
{
    struct cairn_unit_register_info info = {.size = sizeof info};

    memset(holes, true, 0x400 * sizeof *holes);
    for (size_t i = 0; cairn_unit_register_info(b->unit, i, &info) == CAIRN_OK; i++)
        memset(&holes[info.offset / 4], false, info.bits / 32 * sizeof *holes);
}

/* Table by hand: R_KQMKX. */
static enum cairn_answer expected_of_hole(uint32_t offset, bool locked, bool ETAD, bool nonsecure,
                                          uint32_t choices)
{
    if (offset >= 0xf00)
        return CAIRN_ANSWER_RES0;
    if (locked && (choices & CAIRN_ACCESS_LOCKED_ERROR))
        return CAIRN_ANSWER_ERROR;
    if (ETAD && nonsecure && (choices & CAIRN_ACCESS_DENIED_ERROR))
        return CAIRN_ANSWER_ERROR;
    return CAIRN_ANSWER_RES0;
}

static void test_holes(void **state)
{
    bool holes[0x400];
    struct bench b;

    (void)state;
    bench_open(&b, "");
    find_holes(&b, holes);
    for (unsigned n = 0; n < 32; n++) {
        const bool locked = n & 1, ETAD = n & 2;
        const uint32_t flags = n & 4 ? NONSECURE : 0;
        const uint32_t choices =
            (n & 8 ? CAIRN_ACCESS_LOCKED_ERROR : 0) | (n & 16 ? CAIRN_ACCESS_DENIED_ERROR : 0);

        choose(&b, choices);
        cairn_unit_os_lock(b.unit, locked);
        cairn_unit_deny_external(b.unit, ETAD);
        for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
            uint64_t value = 0;
            const enum cairn_answer expected =
                expected_of_hole(offset, locked, ETAD, flags != 0, choices);

            if (!holes[offset / 4])
                continue;
            /* proves: R_KQMKX */
            assert_int_equal(cairn_unit_load(b.unit, offset, 4, flags, &value, NULL), expected);
            assert_int_equal(value, 0);
            /* proves: R_KQMKX */
            assert_int_equal(try_store(&b, offset, 4, flags, 0xff), expected);
        }
    }
    bench_end(&b);
}

/* Registers that are there: the OS Lock keeps debuggers from those that it guards, and from no other. */
static void test_lock_guards(void **state)
{
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct bench b;

    (void)state;
    bench_open(&b, "");
    lock(&b, 1);
    for (size_t i = 0; cairn_unit_register_info(b.unit, i, &info) == CAIRN_OK; i++) {
        const bool open = info.offset == 0x304 || info.offset == 0x310 || info.offset == 0x314 ||
                          (info.offset >= 0xf00 && info.offset != 0xfa0 && info.offset != 0xfa4);

        if (!(info.flags & CAIRN_REGISTER_READABLE))
            continue;
        assert_int_equal(try_load(&b, info.offset, info.bits / 8, 0),
                         open ? CAIRN_ANSWER_OK : CAIRN_ANSWER_ERROR);
        if (info.sysreg != 0) /* who saves and restores by instructions gets at all of them */
            assert_int_equal(try_mrs(&b, info.name, 1), CAIRN_ANSWER_OK);
    }
    bench_end(&b);
}

/* Reads of what is write-only, writes of what is read-only. */
static void test_one_way(void **state)
{
    struct bench b;
    uint64_t value = 1;

    (void)state;
    bench_open(&b, "");
    assert_int_equal(cairn_unit_load(b.unit, 0xfb0, 4, 0, &value, NULL), CAIRN_ANSWER_RES0);
    /* proves: R_WPKDP */
    assert_int_equal(value, 0);
    assert_int_equal(try_store(&b, 0x00c, 4, 0, 0), CAIRN_ANSWER_RES0);
    /* proves: R_SVSNR */
    assert_int_equal(read_at(&b, 0x00c, 4), STATR_IDLE | STATR_PMSTABLE);
    bench_end(&b);
}

/* --- two who write at once --- */

struct party {
    int instruction; /* else a debugger */
    uint64_t value;
    const char *name;
};

/* Runs the accesses of `order` (a bit each: which party) and returns what the registers are. */
static void run_order(unsigned order, uint64_t result[2])
{
    static const struct party parties[2][2] = {
        {{1, 0x1111, "TRCACVR0"}, {1, 0x2222, "TRCACVR1"}},
        {{0, UINT64_C(0x33330000333), "TRCACVR0"}, {0, UINT64_C(0x44440000444), "TRCACVR1"}},
    };
    unsigned at[2] = {0, 0};
    struct bench b;

    bench_open(&b, "");
    for (unsigned i = 0; i < 4; i++) {
        unsigned who = order >> i & 1;
        const struct party *party;

        if (at[who] == 2)
            who = !who;
        party = &parties[who][at[who]++];
        if (party->instruction)
            msr(&b, party->name, party->value);
        else
            store(&b, party->name, party->value);
    }
    result[0] = mrs(&b, "TRCACVR0");
    result[1] = load(&b, "TRCACVR1");
    bench_end(&b);
}

static void test_atomic(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 16; order++) {
        uint64_t result[2];

        run_order(order, result);
        /* Whatever the order, a register has what one of them wrote, whole. */
        /* proves: R_NBPML */
        assert_true(result[0] == 0x1111 || result[0] == UINT64_C(0x33330000333));
        /* proves: R_NBPML */
        assert_true(result[1] == 0x2222 || result[1] == UINT64_C(0x44440000444));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_unsupported_enable),
        cmocka_unit_test(test_unsupported_extent),
        cmocka_unit_test(test_error_reads_nothing),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_STAD),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_lock_guards),
        cmocka_unit_test(test_one_way),
        cmocka_unit_test(test_atomic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
