/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace unit registers by MRS and MSR: DDI0608 D8.1.2. */
#include "reach.h"

/* Words of A64, as an assembler gives them. */
#define MRS_X1_TRCSTATR 0xd5310301u
#define MRS_X0_TRCVICTLR 0xd5310040u
#define MSR_TRCVICTLR_X0 0xd5110040u
#define MSR_TRCPRGCTLR_X0 0xd5110100u
#define MSR_TRCACVR9_X3 0xd5112223u
#define MRS_X3_TRCACVR9 0xd5312223u
#define MSR_OSLAR_EL1_X1 0xd5101081u

static uint64_t read_word(struct bench *b, uint32_t word)
{
    uint64_t value = UINT64_MAX;

    assert_int_equal(cairn_unit_mrs(b->unit, CAIRN_SYSREG_OF_WORD(word), 1, &value, NULL),
                     CAIRN_ANSWER_OK);
    return value;
}

static void write_word(struct bench *b, uint32_t word, uint64_t value)
{
    assert_int_equal(cairn_unit_msr(b->unit, CAIRN_SYSREG_OF_WORD(word), 1, value, NULL),
                     CAIRN_ANSWER_OK);
}

static void test_words(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    write_word(&b, MSR_TRCVICTLR_X0, 0x00600201);
    /* proves: R_FYRRX */
    assert_int_equal(read_register(&b, "TRCVICTLR"), 0x00600201);
    write_register(&b, "TRCVICTLR", 0x00100201);
    /* proves: R_JVLBN */
    assert_int_equal(read_word(&b, MRS_X0_TRCVICTLR), 0x00100201);
    write_word(&b, MSR_TRCACVR9_X3, UINT64_C(0xffff000008000000));
    /* proves: R_FYRRX */
    assert_int_equal(read_register(&b, "TRCACVR9"), UINT64_C(0xffff000008000000));
    /* proves: R_JVLBN */
    assert_int_equal(read_word(&b, MRS_X3_TRCACVR9), UINT64_C(0xffff000008000000));
    write_word(&b, MSR_TRCPRGCTLR_X0, 1);
    /* proves: R_FYRRX */
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
    /* proves: R_JVLBN */
    assert_int_equal(read_word(&b, MRS_X1_TRCSTATR), 0);
    write_word(&b, MSR_OSLAR_EL1_X1, 1);
    assert_int_equal(read_word(&b, MRS_X1_TRCSTATR), 3);
    bench_end(&b);
}

/* Both answers of an encoding at a level. */
static void check_undefined(struct bench *b, uint32_t sysreg, unsigned EL)
{
    struct cairn_error why = {.text = ""};
    uint64_t value = 7;

    assert_int_equal(cairn_unit_mrs(b->unit, sysreg, EL, &value, &why), CAIRN_ANSWER_UNDEFINED);
    assert_int_equal(value, 7);
    assert_true(why.text[0] != '\0');
    assert_int_equal(cairn_unit_msr(b->unit, sysreg, EL, 1, NULL), CAIRN_ANSWER_UNDEFINED);
}

/* The upper half of CRn has no trace unit register, whatever the rest says. */
static void test_CRn(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    for (unsigned n = 0; n < 2048; n++) {
        const unsigned CRn = n >> 7, CRm = n >> 3 & 15, op2 = n & 7;
        const uint32_t sysreg = CAIRN_SYSREG(2, 1, CRn, CRm, op2);
        uint64_t value;

        if (CRn >= 8)
            /* proves: R_VGVTS */
            assert_int_equal(cairn_unit_mrs(b.unit, sysreg, 3, &value, NULL),
                             CAIRN_ANSWER_UNDEFINED);
        if (CRn >= 8)
            /* proves: R_VGVTS */
            assert_int_equal(cairn_unit_msr(b.unit, sysreg, 3, 0, NULL), CAIRN_ANSWER_UNDEFINED);
    }
    /* Nor has any other op0 or op1, but for the PE's OS Lock. */
    check_undefined(&b, CAIRN_SYSREG(3, 1, 0, 0, 2), 1);
    check_undefined(&b, CAIRN_SYSREG(2, 0, 0, 0, 2), 1);
    check_undefined(&b, CAIRN_SYSREG(2, 3, 0, 1, 0), 1);
    {
        struct cairn_error why = {.text = ""};

        assert_int_equal(cairn_unit_msr(b.unit, CAIRN_SYSREG(3, 5, 14, 13, 6), 1, 0, &why),
                         CAIRN_ANSWER_UNDEFINED);
        assert_true(strncmp(why.text, "S3_5_C14_C13_6 is no trace unit register", 40) == 0);
        assert_int_equal(cairn_unit_msr(b.unit, CAIRN_SYSREG(2, 3, 0, 1, 0), 1, 0, &why),
                         CAIRN_ANSWER_UNDEFINED);
        assert_true(strncmp(why.text, "S2_3_C0_C1_0 is no trace unit register", 38) == 0);
        assert_int_equal(cairn_unit_msr(b.unit, CAIRN_SYSREG(3, 1, 0, 1, 0), 1, 0, &why),
                         CAIRN_ANSWER_UNDEFINED);
        assert_true(strncmp(why.text, "S3_1_C0_C1_0 is no trace unit register", 38) == 0);
        assert_int_equal(cairn_unit_msr(b.unit, CAIRN_SYSREG(2, 1, 6, 13, 5), 1, 0, &why),
                         CAIRN_ANSWER_UNDEFINED);
        assert_true(strncmp(why.text, "S2_1_C6_C13_5 is no register", 28) == 0);
    }
    check_undefined(&b, UINT32_C(0x10000) | CAIRN_SYSREG(2, 1, 0, 1, 0), 1);
    bench_end(&b);
}

static void test_EL0(void **state)
{
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct bench b;

    (void)state;
    bench_open(&b, "");
    for (size_t i = 0; cairn_unit_register_info(b.unit, i, &info) == CAIRN_OK; i++) {
        uint64_t value;

        if (info.sysreg == 0)
            continue;
        /* proves: R_SGPQB */
        assert_int_equal(cairn_unit_mrs(b.unit, info.sysreg, 0, &value, NULL),
                         CAIRN_ANSWER_UNDEFINED);
        /* proves: R_SGPQB */
        assert_int_equal(cairn_unit_msr(b.unit, info.sysreg, 0, 1, NULL), CAIRN_ANSWER_UNDEFINED);
        for (unsigned EL = 1; EL < 4; EL++)
            assert_int_equal(cairn_unit_mrs(b.unit, info.sysreg, EL, &value, NULL),
                             info.flags & CAIRN_REGISTER_READABLE ? CAIRN_ANSWER_OK
                                                                  : CAIRN_ANSWER_UNDEFINED);
    }
    check_undefined(&b, CAIRN_SYSREG_OSLAR_EL1, 0);
    /* proves: R_SGPQB */
    assert_int_equal(read_register(&b, "TRCPRGCTLR"), 0);
    bench_end(&b);
}

/* Read-only, write-only, not there: all of the 1,024 encodings give one of these answers. */
static void test_absent(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "TRCIDR4=0x11170004 TRCIDR5=0x28c709ff");
    /* proves: I_WCXDT */
    assert_int_equal(try_msr(&b, "TRCSTATR", 1, 0), CAIRN_ANSWER_UNDEFINED);
    /* proves: I_WCXDT */
    assert_int_equal(try_msr(&b, "TRCIDR0", 1, 0), CAIRN_ANSWER_UNDEFINED);
    assert_int_equal(try_mrs(&b, "TRCIDR0", 1), CAIRN_ANSWER_OK);
    /* TRCCNTVR1 is there, 2 is not; TRCACVR7 and 8. */
    assert_int_equal(try_mrs(&b, "TRCCNTVR1", 1), CAIRN_ANSWER_OK);
    check_undefined(&b, CAIRN_SYSREG(2, 1, 0, 10, 5), 1);
    assert_int_equal(try_mrs(&b, "TRCACVR7", 1), CAIRN_ANSWER_OK);
    check_undefined(&b, CAIRN_SYSREG(2, 1, 2, 0, 1), 1);
    for (unsigned n = 0; n < 1024; n++) {
        const uint32_t sysreg = CAIRN_SYSREG(2, 1, n >> 7, n >> 3 & 15, n & 7);
        bool reads = false, writes = false;
        struct cairn_unit_register_info info = {.size = sizeof info};
        uint64_t value;

        for (size_t i = 0; cairn_unit_register_info(b.unit, i, &info) == CAIRN_OK; i++) {
            reads |= info.sysreg == sysreg && (info.flags & CAIRN_REGISTER_READABLE);
            writes |= info.sysreg == sysreg && (info.flags & CAIRN_REGISTER_WRITABLE);
        }
        /* proves: I_WCXDT */
        assert_int_equal(cairn_unit_mrs(b.unit, sysreg, 1, &value, NULL) == CAIRN_ANSWER_UNDEFINED,
                         !reads);
        if (n != 0x08) /* TRCPRGCTLR would enable it */
            /* proves: I_WCXDT */
            assert_int_equal(cairn_unit_msr(b.unit, sysreg, 1, 0, NULL) == CAIRN_ANSWER_UNDEFINED,
                             !writes);
    }
    bench_end(&b);
}

/* TRCRSCTLR2 and up to where TRCIDR4.NUMRSPAIR says. */
static void test_selectors(void **state)
{
    (void)state;
    for (unsigned pairs = 0; pairs < 16; pairs++) {
        char text[64];
        unsigned found = 0;
        struct bench b;

        snprintf(text, sizeof text, "TRCIDR4=0x%x", 0x88800008u | pairs << 16);
        bench_open(&b, text);
        for (unsigned n = 0; n < 32; n++) {
            const uint32_t offset = 0x200 + 4 * n;
            const uint32_t sysreg = CAIRN_SYSREG(2, 1, 1, n & 15, n >> 4);
            uint64_t value;

            if (cairn_unit_mrs(b.unit, sysreg, 1, &value, NULL) == CAIRN_ANSWER_OK) {
                found++;
                assert_int_equal(n, found + 1);
                assert_int_equal(try_store(&b, offset, 4, 0, 1), CAIRN_ANSWER_OK);
            } else {
                assert_int_equal(try_load(&b, offset, 4, 0), CAIRN_ANSWER_RES0);
            }
        }
        /* proves: R_QDJVV */
        assert_int_equal(found, 2 * pairs);
        bench_end(&b);
    }
}

/* An ETE has no lock of its own: TRCOSLAR is not there, and what the PE's lock is disables it. */
static void test_os_lock_is_the_PEs(void **state)
{
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct bench b;

    (void)state;
    bench_open(&b, "");
    /* proves: D16.41 */
    assert_int_equal(cairn_unit_register_find(b.unit, "TRCOSLAR", &info), CAIRN_E_NOT_FOUND);
    check_undefined(&b, CAIRN_SYSREG(2, 1, 1, 0, 4), 1);
    assert_int_equal(try_store(&b, 0x300, 4, 0, 1), CAIRN_ANSWER_RES0);
    /* TRCOSLSR.OSLM says that it is the PE's. */
    /* proves: D16.41 */
    assert_int_equal(mrs(&b, "TRCOSLSR"), 0x10);
    msr(&b, "TRCPRGCTLR", 1);
    lock(&b, 1);
    /* proves: D16.41 */
    assert_int_equal(mrs(&b, "TRCOSLSR"), 0x12);
    /* proves: D16.41 */
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
    assert_int_equal(read_word(&b, 0xd5301180u), 0xa); /* mrs x0, OSLSR_EL1 */
    lock(&b, 0);
    assert_int_equal(read_word(&b, 0xd5301180u), 0x8);
    assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
    /* One is written, the other read. */
    assert_int_equal(cairn_unit_msr(b.unit, CAIRN_SYSREG_OSLSR_EL1, 1, 0, NULL),
                     CAIRN_ANSWER_UNDEFINED);
    {
        uint64_t value;

        assert_int_equal(cairn_unit_mrs(b.unit, CAIRN_SYSREG_OSLAR_EL1, 1, &value, NULL),
                         CAIRN_ANSWER_UNDEFINED);
    }
    bench_end(&b);
}

/* There are two ways to an ETE's registers: no third one by memory, and no instruction that reaches
 * what only debuggers do. */
static void test_ways_in(void **state)
{
    static const char *const outside[] = {"TRCPDCR",    "TRCPDSR",  "TRCITCTRL",
                                          "TRCDEVAFF0", "TRCLAR",   "TRCLSR",
                                          "TRCPIDR0",   "TRCCIDR0", "TRCDEVTYPE"};
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct bench b;

    (void)state;
    bench_open(&b, "");
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        /* proves: D16.19 */
        assert_int_equal(try_load(&b, offset, 4, CAIRN_EXTERNAL_SOFTWARE), CAIRN_ANSWER_ERROR);
        /* proves: D16.19 */
        assert_int_equal(try_store(&b, offset, 4, CAIRN_EXTERNAL_SOFTWARE, 1), CAIRN_ANSWER_ERROR);
    }
    assert_int_equal(read_register(&b, "TRCPRGCTLR"), 0);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_int_equal(reach(&b, outside[i]).sysreg, 0);
    /* Nor is there a register that chooses a PE: one unit, one PE. */
    /* proves: D16.20, R_TLJSQ */
    assert_int_equal(cairn_unit_register_find(b.unit, "TRCPROCSELR", &info), CAIRN_E_NOT_FOUND);
    check_undefined(&b, CAIRN_SYSREG(2, 1, 0, 2, 0), 1);
    bench_end(&b);
}

/* Each unit is a PE's own: what one is told and programmed is no matter of the other. */
static void test_units_are_apart(void **state)
{
    static struct bench one, other;

    (void)state;
    bench_open(&one, "");
    bench_open(&other, "");
    msr(&one, "TRCCLAIMSET", 4);
    msr(&one, "TRCVICTLR", 0x00100201);
    msr(&one, "TRCPRGCTLR", 1);
    lock(&other, 1);
    level(&one, "EL1n");
    branch(&one, 0x1000, 0x2000, TAKEN);
    /* proves: R_KBZTZ */
    assert_int_equal(cairn_unit_session(one.unit), CAIRN_SESSION_RUNNING);
    /* proves: R_KBZTZ */
    assert_int_equal(cairn_unit_session(other.unit), CAIRN_SESSION_IDLE);
    /* proves: R_KBZTZ */
    assert_int_equal(mrs(&other, "TRCCLAIMCLR"), 0);
    /* proves: R_KBZTZ */
    assert_int_equal(mrs(&other, "TRCVICTLR"), 0x201);
    assert_trace(&other, "");
    bench_end(&one);
    bench_end(&other);
}

/* Other units have no such ways in yet, and say so. */
static void test_other_protocols(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_access_options access = CAIRN_ACCESS_OPTIONS_INIT;
    struct cairn_error why = {.text = ""};
    struct cairn_unit *unit;
    uint64_t value = 3;

    (void)state;
    options.protocol = CAIRN_PROTOCOL_PTM;
    options.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A, .major = 7};
    assert_int_equal(cairn_unit_new(&options, &unit, &why), CAIRN_OK);
    assert_int_equal(cairn_unit_mrs(unit, CAIRN_SYSREG(2, 1, 0, 1, 0), 1, &value, &why),
                     CAIRN_ANSWER_ERROR);
    assert_non_null(strstr(why.text, "PTM"));
    assert_int_equal(cairn_unit_msr(unit, CAIRN_SYSREG(2, 1, 0, 1, 0), 1, 1, NULL),
                     CAIRN_ANSWER_ERROR);
    assert_int_equal(cairn_unit_load(unit, 0, 4, 0, &value, NULL), CAIRN_ANSWER_ERROR);
    assert_int_equal(cairn_unit_store(unit, 0, 4, 0, 0, NULL), CAIRN_ANSWER_ERROR);
    assert_int_equal(cairn_unit_access_options(unit, &access), CAIRN_E_UNSUPPORTED);
    assert_int_equal(cairn_unit_session(unit), CAIRN_SESSION_IDLE);
    assert_int_equal(cairn_unit_tsb(unit), 0);
    assert_false(cairn_unit_denied(unit));
    cairn_unit_os_lock(unit, true);
    cairn_unit_reset(unit, CAIRN_RESET_COLD);
    cairn_unit_power(unit, CAIRN_POWER_DOWN);
    cairn_unit_deny_external(unit, true);
    {
        struct cairn_unit_register_info info = {.size = sizeof info};

        assert_int_equal(cairn_unit_register_info(unit, 0, &info), CAIRN_E_NOT_FOUND);
        assert_int_equal(cairn_unit_register_find(unit, "ETMCR", &info), CAIRN_E_NOT_FOUND);
    }
    cairn_unit_free(unit);
}

/* What the options must not be. */
static void test_options(void **state)
{
    struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
    struct bench b;

    (void)state;
    bench_open(&b, "");
    options.choices = 1u << 30;
    assert_int_equal(cairn_unit_access_options(b.unit, &options), CAIRN_E_ARGUMENT);
    options.choices = 0;
    options.unstable = (1u << 20) + 1;
    assert_int_equal(cairn_unit_access_options(b.unit, &options), CAIRN_E_ARGUMENT);
    options.unstable = 1u << 20;
    assert_int_equal(cairn_unit_access_options(b.unit, &options), CAIRN_OK);
    assert_int_equal(cairn_unit_access_options(b.unit, NULL), CAIRN_E_ARGUMENT);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_CRn),
        cmocka_unit_test(test_EL0),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_os_lock_is_the_PEs),
        cmocka_unit_test(test_ways_in),
        cmocka_unit_test(test_units_are_apart),
        cmocka_unit_test(test_other_protocols),
        cmocka_unit_test(test_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
