/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters on the types of branches (DDI0608 F1.1.9), and presets of them. */
#include "bench.h"

enum { B, BR, BL, BLR, RET, B_COND, ISB, KINDS };

static const struct {
    unsigned kind;
    uint32_t flags;
} kinds[KINDS] = {
    [B] = {CAIRN_INSN_BRANCH_DIRECT, 0},
    [BR] = {CAIRN_INSN_BRANCH_INDIRECT, 0},
    [BL] = {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_LINK},
    [BLR] = {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_LINK},
    [RET] = {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_RETURN},
    [B_COND] = {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL},
    [ISB] = {CAIRN_INSN_ISB, 0},
};

/* Which of them are recorded, a bit each. */
static unsigned recorded(struct bench *b, uint64_t BRBFCR)
{
    unsigned made = 0;

    bench_restart(b);
    bench_control(b, BRBFCR);
    for (unsigned i = 0; i < KINDS; i++) {
        const unsigned before = bench_valid(b);
        bench_branch(b, kinds[i].kind, kinds[i].flags, 0x1000, 0x2000);
        made |= (bench_valid(b) - before) << i;
    }
    return made;
}

/* The bit alone, EnI alone, both, neither: {1, 0}, {0, 1} record. */
static unsigned four(struct bench *b, unsigned bit, unsigned which)
{
    unsigned table = 0;

    for (unsigned i = 0; i < 4; i++)
        table |= (recorded(b, (i & 1) << bit | (i >> 1) << 16) >> which & 1) << i;
    return table;
}

#define EXCLUSIVE 0x6u /* of {EnI, bit}: 01 and 10 */

/* With a bit and without EnI, what else is recorded. */
static unsigned only(struct bench *b, unsigned bit)
{
    return recorded(b, 1u << bit);
}

static void direct_calls(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    /* proves: R_RBDXK */
    assert_int_equal(four(&b, 21, BL), EXCLUSIVE);
    assert_int_equal(only(&b, 21), 1u << BL);
}

static void indirect_calls(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    /* proves: R_VBGTZ */
    assert_int_equal(four(&b, 20, BLR), EXCLUSIVE);
    assert_int_equal(only(&b, 20), 1u << BLR);
}

static void returns(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    /* proves: R_CKNBH */
    assert_int_equal(four(&b, 19, RET), EXCLUSIVE);
    assert_int_equal(only(&b, 19), 1u << RET);
}

static void indirect(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    /* proves: R_KKLDV */
    assert_int_equal(four(&b, 18, BR), EXCLUSIVE);
    assert_int_equal(only(&b, 18), 1u << BR);
}

static void conditional(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    /* proves: R_BBNSZ */
    assert_int_equal(four(&b, 22, B_COND), EXCLUSIVE);
    assert_int_equal(only(&b, 22), 1u << B_COND);
}

static void unconditional(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    /* proves: R_FJYVT */
    assert_int_equal(four(&b, 17, B), EXCLUSIVE);
    assert_int_equal(only(&b, 17), 1u << B);
}

static void isb_either_way(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    /* proves: R_FJYDC */
    assert_int_equal(four(&b, 17, ISB), 0);
    b.options.flags = CAIRN_BRBE_RECORDS_ISB;
    /* proves: R_FJYDC */
    assert_int_equal(four(&b, 17, ISB), EXCLUSIVE);
    assert_int_equal(only(&b, 17), 1u << B | 1u << ISB);
    /* its target is what is behind it, whether that was told or not */
    bench_restart(&b);
    const struct cairn_brbe_side now = bench_now(&b);
    cairn_brbe_branch(&b.brbe, &now,
                      &(struct cairn_brbe_branch){.source = 0x1000, .kind = CAIRN_INSN_ISB});
    assert_true(bench_record(&b, 0).target == 0x1004);
}

/* All six together, with each pattern of the filter bits: independent of each other. */
static void each_pattern(void **state)
{
    /* from bit 17 up: DIRECT, INDIRECT, RTN, INDCALL, DIRCALL, CONDDIR */
    static const unsigned of_bit[] = {B, BR, RET, BLR, BL, B_COND};
    struct bench b;

    (void)state;
    bench_begin(&b);
    for (unsigned pattern = 0; pattern < 128; pattern++) {
        unsigned wanted = 0;

        for (unsigned i = 0; i < COUNT_OF(of_bit); i++)
            wanted |= ((pattern >> (i + 1) ^ pattern) & 1) << of_bit[i];
        /* proves: I_FSNVG */
        assert_int_equal(recorded(&b, (uint64_t)pattern << 16), wanted);
    }
    /* proves: S_XZRTW */
    assert_int_equal(recorded(&b, 0x010000), 0x3f);
}

/* Exceptions and returns have nothing to do with the filter, which has none of theirs. */
static void exceptions_and_returns(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_control(&b, 0);
    bench_exception(&b, 2, CAIRN_BRANCH_CALL, 0x1000, 0x200);
    /* proves: R_LYGJZ */
    assert_int_equal(bench_valid(&b), 1);
    bench_return(&b, 1, 0x240, 0x1000);
    /* proves: R_RCGVB */
    assert_int_equal(bench_valid(&b), 2);
    bench_b(&b, 0x1000);
    assert_int_equal(bench_valid(&b), 2);
    b.registers.value[CAIRN_PE_BRBCR_EL2] &= ~UINT64_C(0xc00000);
    bench_control(&b, 0x10000);
    bench_exception(&b, 2, CAIRN_BRANCH_CALL, 0x1000, 0x200);
    bench_return(&b, 1, 0x240, 0x1000);
    assert_int_equal(bench_valid(&b), 2);
    bench_b(&b, 0x1000);
    /* proves: I_HPZWM */
    assert_int_equal(bench_valid(&b), 3);
}

/* What is asked of a type or a level that has no control. */
static void no_control(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    assert_false(cairn_brbe_selects(0x10000, CAIRN_BRANCH_CALL));
    assert_false(cairn_brbe_selects(0x7f0000, CAIRN_BRANCH_EXCEPTION_RETURN));
    assert_false(cairn_brbe_selects_exception(&b.features, &b.registers, 0));
    assert_false(cairn_brbe_selects_return(&b.features, &b.registers, 0));
}

/* A preset, and what it records of the branches, an exception and its return. */
static unsigned with_preset(enum cairn_brbe_preset preset)
{
    const struct cairn_brbe_preset_values values = cairn_brbe_preset(preset);
    struct bench b;

    bench_begin(&b);
    b.registers.value[CAIRN_PE_BRBCR_EL1] &= ~UINT64_C(0xc00000);
    b.registers.value[CAIRN_PE_BRBCR_EL2] &= ~UINT64_C(0xc00000);
    b.registers.value[CAIRN_PE_BRBCR_EL1] |= values.BRBCR;
    b.registers.value[CAIRN_PE_BRBCR_EL2] |= values.BRBCR;
    unsigned made = recorded(&b, values.BRBFCR);
    const unsigned before = bench_valid(&b);
    bench_exception(&b, 1, CAIRN_BRANCH_CALL, 0x1000, 0x200);
    made |= (bench_valid(&b) - before) << KINDS;
    const unsigned between = bench_valid(&b);
    bench_return(&b, 0, 0x240, 0x1000);
    return made | (bench_valid(&b) - between) << (KINDS + 1);
}

static void presets(void **state)
{
    const unsigned exceptions = 3u << KINDS;
    const unsigned branches = 1u << B | 1u << BR | 1u << BL | 1u << BLR | 1u << RET | 1u << B_COND;

    (void)state;
    /* proves: TAB_F1.1 */
    assert_int_equal(with_preset(CAIRN_BRBE_CONTROL_PATH), branches | exceptions);
    /* proves: TAB_F1.1 */
    assert_int_equal(with_preset(CAIRN_BRBE_CALL_PATH), 1u << BL | 1u << BLR | 1u << RET);
    /* proves: TAB_F1.1 */
    assert_int_equal(with_preset(CAIRN_BRBE_KERNEL_CALLS), exceptions);
    assert_int_equal(with_preset(CAIRN_BRBE_ALL_BRANCHES), branches);
    assert_true(cairn_brbe_preset(CAIRN_BRBE_ALL_BRANCHES).BRBCR == 0);
    assert_true(cairn_brbe_preset(CAIRN_BRBE_CALL_PATH).BRBCR == 0);
    assert_true(cairn_brbe_preset(CAIRN_BRBE_KERNEL_CALLS).BRBCR == 0xc00000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_calls),
        cmocka_unit_test(indirect_calls),
        cmocka_unit_test(returns),
        cmocka_unit_test(indirect),
        cmocka_unit_test(conditional),
        cmocka_unit_test(unconditional),
        cmocka_unit_test(isb_either_way),
        cmocka_unit_test(each_pattern),
        cmocka_unit_test(exceptions_and_returns),
        cmocka_unit_test(presets),
        cmocka_unit_test(no_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
