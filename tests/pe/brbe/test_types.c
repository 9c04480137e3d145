/* SPDX-License-Identifier: BSD-2-Clause */
/* Which type a record has: Tables F1.2 to F1.10, by real instructions and by syndromes. */
#include "bench.h"

/* The type of the one record that a taken instruction word makes; 0xff: none. */
static unsigned type_of(uint32_t word, uint32_t options)
{
    const struct cairn_arch arch = cairn_arch_any_a();
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                              (uint8_t)(word >> 24)};
    struct cairn_insn insn;
    struct bench b;

    bench_begin(&b);
    b.options.flags = options;
    bench_restart(&b);
    assert_int_equal(cairn_insn_decode(&arch, CAIRN_ISA_A64, 0x1000, bytes, 4, &insn), 4);
    bench_branch(&b, insn.kind, insn.flags, 0x1000, 0x2000);
    if (bench_valid(&b) == 0)
        return 0xff;
    assert_int_equal(bench_valid(&b), 1);
    return bench_record(&b, 0).type;
}

static void direct_call(void **state)
{
    (void)state;
    /* proves: TAB_F1.4 */
    assert_int_equal(type_of(0x94000010, 0), CAIRN_BRANCH_DIRECT_CALL); /* BL */
}

static void indirect_calls(void **state)
{
    /* BLR, BLRAA, BLRAAZ, BLRAB, BLRABZ */
    static const uint32_t words[] = {0xd63f0020, 0xd73f0822, 0xd63f083f, 0xd73f0c22, 0xd63f0c3f};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        /* proves: TAB_F1.5 */
        assert_int_equal(type_of(words[i], 0), CAIRN_BRANCH_INDIRECT_CALL);
}

static void returns(void **state)
{
    static const uint32_t words[] = {0xd65f03c0, 0xd65f0bff, 0xd65f0fff}; /* RET, RETAA, RETAB */

    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        /* proves: TAB_F1.6 */
        assert_int_equal(type_of(words[i], 0), CAIRN_BRANCH_RETURN);
}

static void indirect(void **state)
{
    /* BR, BRAA, BRAAZ, BRAB, BRABZ */
    static const uint32_t words[] = {0xd61f0020, 0xd71f0822, 0xd61f083f, 0xd71f0c22, 0xd61f0c3f};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        /* proves: TAB_F1.7 */
        assert_int_equal(type_of(words[i], 0), CAIRN_BRANCH_INDIRECT);
}

static void conditional(void **state)
{
    /* B.EQ, B.AL, B.NV, BC.EQ, BC.AL, CBZ, CBNZ (32 and 64 bits), TBZ, TBNZ */
    static const uint32_t words[] = {0x54000080, 0x5400008e, 0x5400008f, 0x54000090,
                                     0x5400009e, 0x34000080, 0x35000080, 0xb4000080,
                                     0xb5000080, 0x36000080, 0x37000080};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        /* proves: TAB_F1.8 */
        assert_int_equal(type_of(words[i], 0), CAIRN_BRANCH_CONDITIONAL);
}

static void unconditional(void **state)
{
    (void)state;
    /* proves: TAB_F1.9 */
    assert_int_equal(type_of(0x14000010, 0), CAIRN_BRANCH_DIRECT); /* B */
}

static void isb(void **state)
{
    (void)state;
    assert_int_equal(type_of(0xd5033fdf, 0), 0xff);
    /* proves: TAB_F1.10 */
    assert_int_equal(type_of(0xd5033fdf, CAIRN_BRBE_RECORDS_ISB), CAIRN_BRANCH_DIRECT);
}

/* ERET, ERETAA, ERETAB are no branches of a filter: as one they are ignored, as a return recorded. */
static void exception_returns(void **state)
{
    static const uint32_t words[] = {0xd69f03e0, 0xd69f0bff, 0xd69f0fff};
    const struct cairn_arch arch = cairn_arch_any_a();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        const uint8_t bytes[4] = {(uint8_t)words[i], (uint8_t)(words[i] >> 8),
                                  (uint8_t)(words[i] >> 16), (uint8_t)(words[i] >> 24)};
        struct cairn_insn insn;
        struct bench b;

        assert_int_equal(type_of(words[i], 0), 0xff);
        bench_begin(&b);
        cairn_insn_decode(&arch, CAIRN_ISA_A64, 0x1000, bytes, 4, &insn);
        if (insn.flags & CAIRN_INSN_ERET)
            bench_return(&b, 0, 0x1000, 0x2000);
        /* proves: TAB_F1.3 */
        assert_int_equal(bench_record(&b, 0).type, CAIRN_BRANCH_EXCEPTION_RETURN);
    }
}

static void no_branches(void **state)
{
    /* NOP, ADD, LDR, WFE, SVC, DSB SY, TSTART X0 */
    static const uint32_t words[] = {0xd503201f, 0x8b020020, 0xf9400020, 0xd503205f,
                                     0xd4000001, 0xd5033f9f, 0xd5233060};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        assert_int_equal(type_of(words[i], CAIRN_BRBE_RECORDS_ISB), 0xff);
}

#define SYNC CAIRN_BRBE_SYNCHRONOUS

/* The rows of Table F1.2 with their codes: ESR_ELx.EC, and TYPE. */
static const struct {
    const char *row;
    enum cairn_brbe_cause cause;
    unsigned EC, EL;
    bool trapped;
    unsigned type;
} exceptions[] = {
    {"Branch Target", SYNC, 0x0d, 1, false, 0x2b},
    {"Breakpoint, lower", SYNC, 0x30, 1, false, 0x26},
    {"Breakpoint, same", SYNC, 0x31, 1, false, 0x26},
    {"FIQ", CAIRN_BRBE_FIQ, 0, 1, false, 0x2f},
    {"HVC", SYNC, 0x16, 2, false, 0x22},
    {"HVC, AArch32", SYNC, 0x12, 2, false, 0x22},
    {"IRQ", CAIRN_BRBE_IRQ, 0, 1, false, 0x2e},
    {"Illegal Execution state", SYNC, 0x0e, 1, false, 0x23},
    {"Instruction Abort, lower", SYNC, 0x20, 1, false, 0x2b},
    {"Instruction Abort, same", SYNC, 0x21, 1, false, 0x2b},
    {"trapped WFx", SYNC, 0x01, 1, false, 0x23},
    {"trapped SVE, SIMD or FP", SYNC, 0x07, 1, false, 0x23},
    {"trapped MSR or MRS", SYNC, 0x18, 2, false, 0x23},
    {"trapped ERET", SYNC, 0x1a, 2, false, 0x23},
    {"trapped SVC", SYNC, 0x15, 2, true, 0x23},
    {"trapped SMC", SYNC, 0x17, 2, false, 0x23},
    {"trapped floating point", SYNC, 0x2c, 1, false, 0x23},
    {"MemCopy or MemSet", SYNC, 0x27, 1, false, 0x23},
    {"Misaligned PC", SYNC, 0x22, 1, false, 0x2a},
    {"PAC Fail", SYNC, 0x1c, 1, false, 0x2c},
    {"SError", CAIRN_BRBE_SERROR, 0, 1, false, 0x24},
    {"SError, as EC says", SYNC, 0x2f, 1, false, 0x24},
    {"SMC", SYNC, 0x17, 3, false, 0x22},
    {"SVC", SYNC, 0x15, 1, false, 0x22},
    {"SVC, AArch32", SYNC, 0x11, 1, false, 0x22},
    {"SVC to EL2 by TGE", SYNC, 0x15, 2, false, 0x22},
    {"BRK", SYNC, 0x3c, 1, false, 0x26},
    {"BKPT", SYNC, 0x38, 1, false, 0x26},
    {"Software Step, lower", SYNC, 0x32, 1, false, 0x26},
    {"Software Step, same", SYNC, 0x33, 1, false, 0x26},
    {"Stack Pointer misalignment", SYNC, 0x26, 1, false, 0x2a},
    {"Data Abort, lower", SYNC, 0x24, 1, false, 0x2c},
    {"Data Abort, same", SYNC, 0x25, 1, false, 0x2c},
    {"UNDEFINED", SYNC, 0x00, 1, false, 0x23},
    {"Vector Catch", SYNC, 0x3a, 1, false, 0x26},
    {"unallocated", SYNC, 0x2a, 1, false, 0x23},
    {"Watchpoint, lower", SYNC, 0x34, 1, false, 0x27},
    {"Watchpoint, same", SYNC, 0x35, 1, false, 0x27},
};

static void exception_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(exceptions); i++) {
        struct bench b;

        bench_begin(&b);
        bench_exception(&b, exceptions[i].EL,
                        cairn_brbe_exception_type(exceptions[i].cause, exceptions[i].EC,
                                                  exceptions[i].EL, exceptions[i].trapped),
                        0x1000, 0x200);
        const struct cairn_branch record = bench_record(&b, 0);
        if (record.type != exceptions[i].type)
            print_message("# %s\n", exceptions[i].row);
        /* proves: TAB_F1.2, R_CBHRY */
        assert_int_equal(record.type, exceptions[i].type);
        /* proves: R_DHNPJ */
        assert_int_equal(record.flags & CAIRN_BRANCH_MISPREDICTED, 0);
    }
}

static void debug_halt(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b);
    bench_halt(&b, 0x1000);
    assert_int_equal(bench_record(&b, 0).type, 0x21);
    bench_resume(&b, 0x3000);
    assert_int_equal(bench_record(&b, 0).type, 0x39);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_call), cmocka_unit_test(indirect_calls),
        cmocka_unit_test(returns),     cmocka_unit_test(indirect),
        cmocka_unit_test(conditional), cmocka_unit_test(unconditional),
        cmocka_unit_test(isb),         cmocka_unit_test(exception_returns),
        cmocka_unit_test(no_branches), cmocka_unit_test(exception_types),
        cmocka_unit_test(debug_halt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
