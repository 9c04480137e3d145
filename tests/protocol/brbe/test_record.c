/* SPDX-License-Identifier: BSD-2-Clause */
/* One record: registers by hand, and what is wrong with others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/brbe.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static uint32_t decode(uint64_t BRBINF, uint64_t BRBSRC, uint64_t BRBTGT,
                       struct cairn_branch *branch)
{
    const struct cairn_branch_registers registers = {BRBINF, BRBSRC, BRBTGT};
    uint32_t findings = ~0u;

    memset(branch, 0xa5, sizeof *branch);
    branch->size = sizeof *branch;
    assert_int_equal(cairn_branch_decode(&registers, branch, &findings), CAIRN_OK);
    return findings;
}

static uint32_t findings_of(uint64_t BRBINF, uint64_t BRBSRC, uint64_t BRBTGT)
{
    struct cairn_branch branch;

    return decode(BRBINF, BRBSRC, BRBTGT, &branch);
}

/* A return at EL1, mispredicted, in a transaction, after a failed one, 0x205 cycles. CC: (256 + 2) << 1 is
 * 0x204; exponent 2, mantissa 2. */
#define FULL_INF                                                                                   \
    (UINT64_C(0x0202) << 32 | 1u << 17 | 1u << 16 | 0x05u << 8 | 1u << 6 | 1u << 5 | 3u)

static void full(void **state)
{
    struct cairn_branch branch;

    (void)state;
    assert_int_equal(decode(FULL_INF, 0x1000, 0x2000, &branch), 0);
    /* proves: R_GSMRH */
    assert_int_equal(branch.flags & (CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET),
                     CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET);
    /* proves: REG_BRBINF */
    assert_int_equal(branch.flags, CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET |
                                       CAIRN_BRANCH_MISPREDICTED | CAIRN_BRANCH_TRANSACTIONAL |
                                       CAIRN_BRANCH_LAST_FAILED);
    assert_int_equal(branch.type, CAIRN_BRANCH_RETURN);
    assert_int_equal(branch.EL, 1);
    assert_int_equal(branch.cycles, 0x204);
    /* proves: REG_BRBSRC */
    assert_true(branch.source == 0x1000);
    /* proves: REG_BRBTGT */
    assert_true(branch.target == 0x2000);
}

static void half_source(void **state)
{
    struct cairn_branch branch;

    (void)state;
    /* an SVC that went where nothing is recorded; a target and a level are not to be believed */
    const uint32_t findings = decode(0x22u << 8 | 2u << 6 | 2u, 0x4004, 0x8888, &branch);
    /* proves: R_RPVXK */
    assert_int_equal(branch.flags, CAIRN_BRANCH_SOURCE);
    assert_true(branch.source == 0x4004);
    assert_true(branch.target == 0);
    assert_int_equal(branch.EL, 0);
    assert_int_equal(findings, CAIRN_BRANCH_BAD_HALF);
    assert_int_equal(findings_of(0x22u << 8 | 2u, 0x4004, 0), 0);
}

static void half_target(void **state)
{
    struct cairn_branch branch;

    (void)state;
    const uint32_t findings = decode(0x07u << 8 | 1u << 5 | 1u << 6 | 1u, 0x9999, 0x4004, &branch);
    /* proves: R_LPLYK */
    assert_int_equal(branch.flags, CAIRN_BRANCH_TARGET);
    assert_true(branch.source == 0);
    assert_true(branch.target == 0x4004);
    assert_int_equal(branch.EL, 1);
    assert_int_equal(findings, CAIRN_BRANCH_BAD_HALF);
}

static void unknown_count(void **state)
{
    struct cairn_branch branch;

    (void)state;
    assert_int_equal(decode(UINT64_C(1) << 46 | 3u, 4, 8, &branch), 0);
    /* proves: R_PBJTJ */
    assert_int_equal(branch.flags & CAIRN_BRANCH_CYCLES_UNKNOWN, CAIRN_BRANCH_CYCLES_UNKNOWN);
    assert_true(branch.cycles == 0);
    assert_int_equal(findings_of(UINT64_C(1) << 46 | UINT64_C(1) << 32 | 3u, 4, 8),
                     CAIRN_BRANCH_BAD_CYCLES);
    branch.flags |= CAIRN_BRANCH_CYCLES_UNKNOWN;
    branch.cycles = 77;
    struct cairn_branch_registers registers;
    assert_int_equal(cairn_branch_encode(&branch, &registers), CAIRN_OK);
    assert_true(registers.BRBINF == (UINT64_C(1) << 46 | 3u));
}

static void overflowed_count(void **state)
{
    struct cairn_branch branch;
    struct cairn_branch_registers registers;

    (void)state;
    assert_int_equal(decode(UINT64_C(0x3fff) << 32 | 3u, 4, 8, &branch), 0);
    assert_int_equal(branch.flags & CAIRN_BRANCH_CYCLES_OVERFLOWED, CAIRN_BRANCH_CYCLES_OVERFLOWED);
    assert_true(branch.cycles == 0x100000);
    assert_int_equal(cairn_branch_encode(&branch, &registers), CAIRN_OK);
    assert_true(registers.BRBINF == (UINT64_C(0x3fff) << 32 | 3u));
    /* the flag is enough */
    branch.cycles = 5;
    assert_int_equal(cairn_branch_encode(&branch, &registers), CAIRN_OK);
    assert_true(registers.BRBINF == (UINT64_C(0x3fff) << 32 | 3u));
    /* exponent 13: the counter has no such bits */
    assert_int_equal(findings_of(UINT64_C(0x0d00) << 32 | 3u, 4, 8), CAIRN_BRANCH_BAD_EXPONENT);
    assert_int_equal(findings_of(UINT64_C(0x0cff) << 32 | 3u, 4, 8), 0);
}

/* All 64 codes: twenty with a name, in a record of the shape that they come in. */
static void types(void **state)
{
    static const struct {
        uint8_t code, valid;
        const char *name;
    } known[] = {
        {0x00, 3, "Direct branch"},
        {0x01, 3, "Indirect branch"},
        {0x02, 3, "Direct branch with link"},
        {0x03, 3, "Indirect branch with link"},
        {0x05, 3, "Return from subroutine"},
        {0x07, 3, "Exception return"},
        {0x08, 3, "Conditional direct branch"},
        {0x21, 2, "Debug halt"},
        {0x22, 3, "Call"},
        {0x23, 3, "Trap"},
        {0x24, 3, "System Error"},
        {0x26, 3, "Inst debug"},
        {0x27, 3, "Data debug"},
        {0x2a, 3, "Alignment"},
        {0x2b, 3, "Inst fault"},
        {0x2c, 3, "Data fault"},
        {0x2e, 3, "IRQ"},
        {0x2f, 3, "FIQ"},
        {0x30, 3, "IMPLEMENTATION DEFINED exception to EL3"},
        {0x39, 1, "Debug exit"},
    };
    size_t next = 0;

    (void)state;
    for (unsigned code = 0; code < 64; code++) {
        const bool is_known = next < COUNT_OF(known) && known[next].code == code;
        const unsigned valid = is_known ? known[next].valid : 3;
        struct cairn_branch branch;
        const uint32_t findings =
            decode(code << 8 | valid, valid & 2 ? 4 : 0, valid & 1 ? 8 : 0, &branch);

        assert_int_equal(branch.type, code);
        /* proves: REG_BRBINF_TYPE */
        assert_string_equal(cairn_branch_type_name(code), is_known ? known[next].name : "reserved");
        assert_int_equal(findings, is_known ? 0 : CAIRN_BRANCH_BAD_TYPE);
        next += is_known;
    }
    assert_int_equal(next, COUNT_OF(known));
    assert_string_equal(cairn_branch_type_name(64), "reserved");
}

static void what_cannot_be(void **state)
{
    (void)state;
    assert_int_equal(findings_of(0, 0, 0), 0);
    assert_int_equal(findings_of(0, 4, 0), CAIRN_BRANCH_BAD_EMPTY);
    assert_int_equal(findings_of(0, 0, 4), CAIRN_BRANCH_BAD_EMPTY);
    assert_int_equal(findings_of(1u << 8, 0, 0), CAIRN_BRANCH_BAD_EMPTY);
    /* each bit that no field has */
    for (unsigned bit = 0; bit < 64; bit++) {
        const bool reserved = (bit >= 2 && bit <= 4) || bit == 14 || bit == 15 ||
                              (bit >= 18 && bit <= 31) || bit >= 47;
        assert_int_equal((findings_of(3 | UINT64_C(1) << bit, 4, 8) & CAIRN_BRANCH_BAD_RESERVED),
                         reserved ? CAIRN_BRANCH_BAD_RESERVED : 0);
    }
    assert_int_equal(findings_of(0x22u << 8 | 1u << 5 | 3u, 4, 8), CAIRN_BRANCH_BAD_PREDICTION);
    /* a branch does not cross, Debug state has one half */
    assert_int_equal(findings_of(0x05u << 8 | 2u, 4, 0), CAIRN_BRANCH_BAD_SHAPE);
    assert_int_equal(findings_of(0x21u << 8 | 3u, 4, 8), CAIRN_BRANCH_BAD_SHAPE);
    assert_int_equal(findings_of(0x39u << 8 | 2u, 4, 0), CAIRN_BRANCH_BAD_SHAPE);
}

/* Each finding has words of its own. */
static void words(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 9; i++)
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(cairn_branch_finding_text(1u << i),
                                    cairn_branch_finding_text(1u << k));
    assert_string_equal(cairn_branch_finding_text(0), "");
    assert_string_equal(cairn_branch_finding_text(1u << 9), "");
    assert_string_equal(cairn_branch_finding_text(CAIRN_BRANCH_BAD_TYPE),
                        "TYPE is a reserved value");
}

/* Whatever registers without findings say comes back as those registers. */
static void there_and_back(void **state)
{
    uint64_t random = 12345;
    unsigned good = 0;

    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        struct cairn_branch_registers given, made = {1, 1, 1};
        struct cairn_branch branch;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        given.BRBINF = (random >> 17) & UINT64_C(0x7fff00033fe3);
        given.BRBINF &= i % 3 ? ~(UINT64_C(0x3000) << 32) : ~UINT64_C(0);
        given.BRBSRC = given.BRBINF & 2 ? random : 0;
        given.BRBTGT = given.BRBINF & 1 ? ~random : 0;
        if (decode(given.BRBINF, given.BRBSRC, given.BRBTGT, &branch))
            continue;
        good++;
        assert_int_equal(cairn_branch_encode(&branch, &made), CAIRN_OK);
        /* proves: I_JBTBH */
        assert_memory_equal(&made, &given, sizeof made);
    }
    assert_true(good > 1000);
}

static void identity(void **state)
{
    static const uint8_t sizes[] = {8, 16, 32, 64};

    (void)state;
    for (unsigned NUMREC = 0; NUMREC < 256; NUMREC++) {
        struct cairn_branch_identity identity = {.size = sizeof identity, .records = 99};
        const bool fits = memchr(sizes, (int)NUMREC, sizeof sizes);

        /* proves: REG_BRBIDR0 */
        assert_int_equal(cairn_branch_identify(0x5000 | NUMREC, &identity),
                         fits ? CAIRN_OK : CAIRN_E_CONFIG);
        assert_int_equal(identity.records, fits ? NUMREC : 99);
    }
    for (unsigned code = 0; code < 256; code++) {
        struct cairn_branch_identity identity = {.size = sizeof identity};

        /* FORMAT 0 and a counter of 20 bits are known */
        /* proves: R_HQXNW */
        assert_int_equal(cairn_branch_identify(code << 8 | 32, &identity),
                         code == 0x50 ? CAIRN_OK : CAIRN_E_UNSUPPORTED);
        assert_int_equal(identity.cycle_bits, code == 0x50 ? 20 : 0);
    }
    struct cairn_branch_identity none = {.size = 0};
    assert_int_equal(cairn_branch_identify(0x5020, &none), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_branch_identify(0x5020, NULL), CAIRN_E_ARGUMENT);
}

static void refused(void **state)
{
    struct cairn_branch_registers registers = {7, 7, 7};
    struct cairn_branch branch = {.size = sizeof branch};

    (void)state;
    branch.type = 64;
    assert_int_equal(cairn_branch_encode(&branch, &registers), CAIRN_E_ARGUMENT);
    branch = (struct cairn_branch){.size = sizeof branch, .EL = 4};
    assert_int_equal(cairn_branch_encode(&branch, &registers), CAIRN_E_ARGUMENT);
    branch = (struct cairn_branch){.size = sizeof branch, .flags = 1u << 10};
    assert_int_equal(cairn_branch_encode(&branch, &registers), CAIRN_E_ARGUMENT);
    branch = (struct cairn_branch){.size = 0};
    assert_int_equal(cairn_branch_encode(&branch, &registers), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_branch_decode(&registers, &branch, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_branch_decode(NULL, &branch, NULL), CAIRN_E_ARGUMENT);
    assert_true(registers.BRBINF == 7 && registers.BRBSRC == 7 && registers.BRBTGT == 7);
    /* what nobody saw has no bits */
    branch = (struct cairn_branch){.size = sizeof branch,
                                   .flags = CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_SOURCE_UNKNOWN |
                                            CAIRN_BRANCH_TARGET | CAIRN_BRANCH_TARGET_UNKNOWN};
    assert_int_equal(cairn_branch_encode(&branch, &registers), CAIRN_OK);
    assert_true(registers.BRBINF == 3 && registers.BRBSRC == 0 && registers.BRBTGT == 0);
    /* without either half there is no record, whatever else is said */
    branch = (struct cairn_branch){.size = sizeof branch,
                                   .source = 4,
                                   .cycles = 9,
                                   .type = CAIRN_BRANCH_IRQ,
                                   .flags = CAIRN_BRANCH_LAST_FAILED | CAIRN_BRANCH_TRANSACTIONAL};
    assert_int_equal(cairn_branch_encode(&branch, &registers), CAIRN_OK);
    assert_true(registers.BRBINF == 0 && registers.BRBSRC == 0 && registers.BRBTGT == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full),
        cmocka_unit_test(half_source),
        cmocka_unit_test(half_target),
        cmocka_unit_test(unknown_count),
        cmocka_unit_test(overflowed_count),
        cmocka_unit_test(types),
        cmocka_unit_test(what_cannot_be),
        cmocka_unit_test(words),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(refused),
        cmocka_unit_test(identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
