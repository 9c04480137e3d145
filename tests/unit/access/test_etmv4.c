/* SPDX-License-Identifier: BSD-2-Clause */
/* What ETMv4 has otherwise than ETE: an OS Lock of its own, access by software through memory with a
 * software lock, a Debug power domain, and identification by instruction. */
#include "reach.h"

#define OSLAR 0x300u
#define PDSR 0x314u
#define LAR 0xfb0u
#define LSR 0xfb4u
#define VICTLR 0x080u
#define SOFTWARE CAIRN_EXTERNAL_SOFTWARE
#define KEY 0xc5acce55u

static uint64_t read_as(struct bench *b, uint32_t offset, uint32_t flags)
{
    uint64_t value = UINT64_MAX;

    assert_int_equal(cairn_unit_load(b->unit, offset, 4, flags, &value, NULL), CAIRN_ANSWER_OK);
    return value;
}

static void test_os_lock(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "etmv4");
    level(&b, "EL1n");
    assert_int_equal(mrs(&b, "TRCOSLSR"), 0x08);
    msr(&b, "TRCPRGCTLR", 1);
    msr(&b, "TRCOSLAR", 1);
    assert_int_equal(mrs(&b, "TRCOSLSR"), 0x0a);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
    /* Debuggers are kept out, but for the lock itself; software is not. */
    assert_int_equal(try_load(&b, VICTLR, 4, 0), CAIRN_ANSWER_ERROR);
    assert_int_equal(try_load(&b, VICTLR, 4, SOFTWARE), CAIRN_ANSWER_OK);
    assert_int_equal(read_as(&b, 0x304, 0), 0x0a);
    assert_int_equal(try_store(&b, OSLAR, 4, 0, 0), CAIRN_ANSWER_OK);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
    branch(&b, 0x1000, 0x1000, TAKEN);
    assert_int_equal(bench_count(bench_trace(&b), "E"), 1);
    /* What is written is write-only, and the PE's lock is another. */
    assert_int_equal(try_mrs(&b, "TRCOSLAR", 1), CAIRN_ANSWER_UNDEFINED);
    assert_int_equal(try_load(&b, OSLAR, 4, 0), CAIRN_ANSWER_RES0);
    assert_int_equal(cairn_unit_msr(b.unit, CAIRN_SYSREG_OSLAR_EL1, 1, 1, NULL),
                     CAIRN_ANSWER_UNDEFINED);
    bench_end(&b);
}

/* A late write to TRCOSLAR is seen behind an event, as OSLAR_EL1's is of ETE. */
static void test_late_lock(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "etmv4");
    choose(&b, CAIRN_ACCESS_LATE_ENABLE);
    msr(&b, "TRCPRGCTLR", 1);
    sync_context(&b);
    msr(&b, "TRCOSLAR", 1);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
    isb(&b, 0x1000, TAKEN);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
    /* What another does is there at once, and overtakes. */
    msr(&b, "TRCOSLAR", 0);
    assert_int_equal(try_store(&b, OSLAR, 4, 0, 1), CAIRN_ANSWER_OK);
    sync_context(&b);
    assert_int_equal(mrs(&b, "TRCOSLSR"), 0x0a);
    cairn_unit_os_lock(b.unit, false);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
    bench_end(&b);
}

static void test_software_lock(void **state)
{
    struct cairn_error why = {.text = ""};
    struct bench b;

    (void)state;
    bench_open(&b, "etmv4");
    /* Locked at first: software reads, and cannot write. */
    assert_int_equal(read_as(&b, LSR, SOFTWARE), 3);
    assert_int_equal(read_as(&b, VICTLR, SOFTWARE), 0x201);
    assert_int_equal(cairn_unit_store(b.unit, VICTLR, 4, SOFTWARE, 0x1, &why),
                     CAIRN_ANSWER_IGNORED);
    assert_non_null(strstr(why.text, "0xc5acce55"));
    assert_int_equal(read_as(&b, VICTLR, 0), 0x201);
    assert_int_equal(try_store(&b, LAR, 4, SOFTWARE, KEY), CAIRN_ANSWER_OK);
    assert_int_equal(read_as(&b, LSR, SOFTWARE), 1);
    assert_int_equal(try_store(&b, VICTLR, 4, SOFTWARE, 0x1), CAIRN_ANSWER_OK);
    assert_int_equal(read_as(&b, VICTLR, 0), 0x1);
    assert_int_equal(try_store(&b, LAR, 4, SOFTWARE, KEY ^ 1), CAIRN_ANSWER_OK);
    assert_int_equal(read_as(&b, LSR, SOFTWARE), 3);
    /* Debuggers and instructions have no such lock, and cannot open it. */
    assert_int_equal(read_as(&b, LSR, 0), 0);
    assert_int_equal(mrs(&b, "TRCLSR"), 0);
    assert_int_equal(try_store(&b, LAR, 4, 0, KEY), CAIRN_ANSWER_OK);
    assert_int_equal(read_as(&b, LSR, SOFTWARE), 3);
    assert_int_equal(try_store(&b, VICTLR, 4, 0, 0x201), CAIRN_ANSWER_OK);
    msr(&b, "TRCVICTLR", 0x1);
    assert_int_equal(read_as(&b, VICTLR, SOFTWARE), 0x1);
    bench_end(&b);
}

static void test_reset(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "etmv4");
    assert_int_equal(try_store(&b, LAR, 4, SOFTWARE, KEY), CAIRN_ANSWER_OK);
    cairn_unit_reset(b.unit, CAIRN_RESET_TRACE_UNIT);
    assert_int_equal(read_as(&b, LSR, SOFTWARE), 3);
    assert_int_equal(mrs(&b, "TRCOSLSR"), 0x0a);
    assert_int_equal(read_as(&b, PDSR, 0), 0x23); /* locked, sticky, powered */
    bench_end(&b);
}

/* The unit's own domain may be without power while the Debug domain has it. */
static void test_power(void **state)
{
    static const uint32_t there[] = {0x310, PDSR, LSR, 0xfbc, 0xfcc, 0xfe0, 0xffc};
    struct bench b;

    (void)state;
    bench_open(&b, "etmv4");
    cairn_unit_power(b.unit, CAIRN_POWER_DOWN);
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        assert_int_equal(try_load(&b, there[i], 4, 0), CAIRN_ANSWER_OK);
    assert_int_equal(read_as(&b, PDSR, 0) & 1, 0);
    assert_int_equal(try_load(&b, VICTLR, 4, 0), CAIRN_ANSWER_ERROR);
    assert_int_equal(try_load(&b, 0xfa0, 4, 0), CAIRN_ANSWER_ERROR);
    assert_int_equal(try_mrs(&b, "TRCVICTLR", 1), CAIRN_ANSWER_ERROR);
    cairn_unit_power(b.unit, CAIRN_POWER_NORMAL);
    assert_int_equal(read_as(&b, PDSR, 0) & 3, 3);
    bench_end(&b);
}

/* What an instruction reaches, and what it does not. */
static void test_instructions(void **state)
{
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct bench b;

    (void)state;
    bench_open(&b, "etmv4");
    assert_int_equal(mrs(&b, "TRCDEVTYPE"), 0x13);
    assert_int_equal(mrs(&b, "TRCCIDR1"), 0x90);
    assert_int_equal(mrs(&b, "TRCPDSR"), 1);
    assert_int_equal(reach(&b, "TRCDEVID1").sysreg, 0);
    msr(&b, "TRCPDCR", 0xff);
    assert_int_equal(mrs(&b, "TRCPDCR"), 8);
    msr(&b, "TRCEXTINSELR", 0x04030201); /* one register of four bytes */
    assert_int_equal(read_as(&b, 0x120, 0), 0x04030201);
    assert_int_equal(cairn_unit_register_find(b.unit, "TRCRSR", &info), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_unit_register_find(b.unit, "TRCEXTINSELR1", &info), CAIRN_E_NOT_FOUND);
    assert_int_equal(try_load(&b, 0x124, 4, 0), CAIRN_ANSWER_RES0);
    bench_end(&b);
}

/* The same programming states. */
static void test_states(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "etmv4");
    delay(&b, 2, 2, 2);
    assert_int_equal(try_store(&b, LAR, 4, SOFTWARE, KEY), CAIRN_ANSWER_OK);
    assert_int_equal(try_store(&b, 0x004, 4, SOFTWARE, 1), CAIRN_ANSWER_OK);
    assert_int_equal(read_as(&b, 0x00c, SOFTWARE) & 1, 1);
    assert_int_equal(try_store(&b, VICTLR, 4, SOFTWARE, 0), CAIRN_ANSWER_IGNORED);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
    assert_int_equal(try_store(&b, 0x004, 4, SOFTWARE, 0), CAIRN_ANSWER_OK);
    assert_int_equal(read_as(&b, 0x00c, SOFTWARE), 0);
    assert_int_equal(read_as(&b, 0x00c, SOFTWARE), 0);
    assert_int_equal(read_as(&b, 0x00c, SOFTWARE), STATR_PMSTABLE);
    assert_int_equal(read_as(&b, 0x00c, SOFTWARE), STATR_PMSTABLE);
    assert_int_equal(read_as(&b, 0x00c, SOFTWARE), STATR_PMSTABLE | STATR_IDLE);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_os_lock),       cmocka_unit_test(test_late_lock),
        cmocka_unit_test(test_software_lock), cmocka_unit_test(test_reset),
        cmocka_unit_test(test_power),         cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
