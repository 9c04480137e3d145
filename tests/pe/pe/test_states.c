/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program is in beside its level, as branch records have it: Debug state, transactions, predictions; which
 * branches are conditional; and what a PE may be made with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/pe.h>
#include <cairn/unit.h>

enum { RECORDS = 64 };

struct states_bench {
    struct cairn_pe *pe;
    struct cairn_branch records[RECORDS];
    size_t count;
    unsigned found;
    const char *rule;
};

static void tell(void *context, const struct cairn_pe_finding *finding)
{
    struct states_bench *b = context;

    b->found++;
    b->rule = finding->rule;
}

static void script(struct states_bench *b, const char *text)
{
    struct cairn_error error;

    if (cairn_pe_script(b->pe, "test", text, strlen(text), NULL, NULL, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

static const struct cairn_pe_options plain = CAIRN_PE_OPTIONS_INIT;

/* EL0 and EL1 are recorded, all branches, exceptions and returns, with predictions and cycles. */
static void begin(struct states_bench *b, const struct cairn_pe_options *given)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_pe_options options = *given;
    struct cairn_error error;

    memset(b, 0, sizeof *b);
    unit.arch = cairn_arch_any_a();
    options.unit = &unit;
    options.tell = tell;
    options.context = b;
    if (cairn_pe_new(&options, &b->pe, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    script(b, "msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x303040000\nmsr MDCR_EL2, 0x3000006\n"
              "msr BRBCR_EL2, 0x18\nmsr BRBCR_EL1, 0xc0001b\nmsr BRBFCR_EL1, 0x10000\n"
              "isb\nenter EL1n\nsys BRB_IALL\n");
}

static void end(struct states_bench *b)
{
    cairn_pe_free(b->pe);
}

static void look(struct states_bench *b)
{
    for (size_t i = 0; i < RECORDS; i++)
        b->records[i].size = sizeof b->records[i];
    b->count = cairn_pe_branches(b->pe, b->records, RECORDS);
}

/* One word at that address, as a block. */
static struct cairn_block block_of(struct states_bench *b, uint64_t address, uint32_t word)
{
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                              (uint8_t)(word >> 24)};
    struct cairn_block block;

    assert_int_equal(
        cairn_unit_scan(cairn_pe_unit(b->pe), CAIRN_ISA_A64, address, bytes, sizeof bytes, &block),
        4);
    return block;
}

#define B_8 0x14000002u /* B .+8 */

static void execute(struct states_bench *b, uint64_t address, uint32_t word)
{
    const struct cairn_block block = block_of(b, address, word);

    cairn_pe_execute(b->pe, &block, true);
}

static unsigned type_of(uint32_t word)
{
    static struct states_bench b;
    unsigned type;

    begin(&b, &plain);
    execute(&b, 0x1000, word);
    look(&b);
    assert_int_equal(b.count, 1);
    type = b.records[0].type;
    end(&b);
    return type;
}

/* A block says that its branch has a condition, even one that always passes. */
static void test_conditional(void **state)
{
    /* B.EQ, B.AL, B.NV, BC.NE, BC.AL, BC.NV */
    static const uint32_t words[] = {0x54000040, 0x5400004e, 0x5400004f,
                                     0x54000051, 0x5400005e, 0x5400005f};

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        /* proves: TAB_F1.8 */
        assert_int_equal(type_of(words[i]), CAIRN_BRANCH_CONDITIONAL);
    assert_int_equal(type_of(B_8), CAIRN_BRANCH_DIRECT);
}

static bool missed(const struct states_bench *b, size_t n)
{
    return b->records[n].flags & CAIRN_BRANCH_MISPREDICTED;
}

static void test_predictions(void **state)
{
    static struct states_bench b;
    const struct cairn_context to = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};
    struct cairn_block nop;

    (void)state;
    begin(&b, &plain);
    script(&b, "msr PMEVTYPER0_EL0, 0x22\nmsr PMEVTYPER1_EL0, 0x10\nmsr PMEVTYPER2_EL0, 0x12\n"
               "msr PMEVCNTR0_EL0, 0\nmsr PMEVCNTR1_EL0, 0\nmsr PMEVCNTR2_EL0, 0\n"
               "msr PMCNTENSET_EL0, 7\nmsr PMCR_EL0, 1\nisb\n");
    cairn_pe_predict(b.pe, CAIRN_PE_PREDICTED);
    execute(&b, 0x1000, B_8);
    execute(&b, 0x1008, B_8); /* nobody says */
    cairn_pe_predict(b.pe, CAIRN_PE_MISPREDICTED);
    execute(&b, 0x1010, B_8);
    /* It is for the block that comes next, and for no other. */
    cairn_pe_predict(b.pe, CAIRN_PE_PREDICTED);
    nop = block_of(&b, 0x1018, 0xd503201f);
    cairn_pe_execute(b.pe, &nop, false);
    execute(&b, 0x101c, B_8);
    /* That of an exception return is kept until it has gone somewhere. */
    cairn_pe_predict(b.pe, CAIRN_PE_PREDICTED);
    execute(&b, 0x1024, 0xd69f03e0);
    cairn_pe_return(b.pe, 0x2000, &to);
    execute(&b, 0x2000, B_8);
    look(&b);
    assert_int_equal(b.count, 6);
    assert_true(missed(&b, 0));
    assert_int_equal(b.records[1].type, CAIRN_BRANCH_EXCEPTION_RETURN);
    assert_false(missed(&b, 1));
    assert_true(missed(&b, 2));
    assert_true(missed(&b, 3));
    /* proves: R_LRBGV */
    assert_true(missed(&b, 4));
    assert_false(missed(&b, 5));
    for (unsigned n = 0; n < 3; n++) {
        static const char *const names[] = {"PMEVCNTR0_EL0", "PMEVCNTR1_EL0", "PMEVCNTR2_EL0"};
        static const uint64_t counts[] = {1, 1, 3}; /* BR_MIS_PRED_RETIRED, BR_MIS_PRED, BR_PRED */
        uint64_t value = 0;

        assert_int_equal(cairn_pe_read(b.pe, names[n], &value), CAIRN_OK);
        assert_int_equal(value, counts[n]);
    }
    end(&b);
}

/* Debug state is left only if it was entered, and the other way round. */
static void test_debug(void **state)
{
    static struct states_bench b;
    const struct cairn_context to = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};

    (void)state;
    begin(&b, &plain);
    cairn_pe_resume(b.pe, 0x3000, &to);
    look(&b);
    assert_int_equal(b.count, 0);
    cairn_pe_halt(b.pe, 0x1000, CAIRN_ISA_A64);
    cairn_pe_halt(b.pe, 0x1004, CAIRN_ISA_A64);
    cairn_pe_resume(b.pe, 0x2000, &to);
    look(&b);
    assert_int_equal(b.count, 2);
    /* proves: R_LLCTG */
    assert_int_equal(b.records[1].type, CAIRN_BRANCH_DEBUG_HALT);
    assert_int_equal(b.records[1].source, 0x1000);
    assert_int_equal(b.records[1].flags & 3, CAIRN_BRANCH_SOURCE);
    /* proves: R_RBCFP */
    assert_int_equal(b.records[0].type, CAIRN_BRANCH_DEBUG_EXIT);
    assert_int_equal(b.records[0].target, 0x2000);
    assert_int_equal(b.records[0].flags & 3, CAIRN_BRANCH_TARGET);
    assert_int_equal(b.records[0].EL, 0);
    end(&b);
}

/* A Debug halt counts as BRB_FILTRATE of where it was, whatever an exception or a return was before. */
static void test_debug_count(void **state)
{
    const struct cairn_context to = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};
    static struct states_bench b;
    uint64_t value = 0;

    (void)state;
    begin(&b, &plain);
    script(&b, "msr PMEVTYPER0_EL0, 0x4000811f\nmsr PMEVCNTR0_EL0, 0\n" /* U: not at EL0 */
               "msr PMCNTENSET_EL0, 1\nmsr PMCR_EL0, 1\nisb\n");
    execute(&b, 0x1000, 0xd69f03e0);
    cairn_pe_return(b.pe, 0x2000, &to);
    cairn_pe_halt(b.pe, 0x2000, CAIRN_ISA_A64);
    look(&b);
    assert_int_equal(b.count, 2);
    assert_int_equal(cairn_pe_read(b.pe, "PMEVCNTR0_EL0", &value), CAIRN_OK);
    /* proves: R_GMCHN */
    assert_int_equal(value, 1);
    end(&b);
}

/* TSB CSYNC in Debug state is enough for what is written behind it only where the trace unit is disabled. */
static void test_debug_drain(void **state)
{
    struct cairn_pe_options options = plain;
    static struct states_bench b;

    (void)state;
    options.finds = true;
    for (unsigned disabled = 0; disabled < 2; disabled++) {
        begin(&b, &options);
        script(&b, "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000000\nmsr TRCCONFIGR, 1\n"
                   "msr TRCVICTLR, 0x201\nmsr TRFCR_EL1, 3\nisb\nmsr TRBLIMITR_EL1, 0x80010001\n"
                   "msr TRCPRGCTLR, 1\npoll TRCSTATR.IDLE 0\nrun 400\n");
        cairn_pe_halt(b.pe, 0x20000, CAIRN_ISA_A64);
        script(&b, disabled ? "msr TRCPRGCTLR, 0\nisb\ntsb\nmsr TRBLIMITR_EL1, 0x80010000\n"
                            : "tsb\nmsr TRBLIMITR_EL1, 0x80010000\n");
        /* proves: R_XQVZW */
        assert_int_equal(b.found, !disabled);
        if (!disabled)
            assert_string_equal(b.rule, "R_ZCDDS");
        end(&b);
    }
}

static void test_transactions(void **state)
{
    struct cairn_pe_options options = plain;
    static struct states_bench b;

    (void)state;
    options.flags |= CAIRN_PE_HAS_TRANSACTIONS;
    begin(&b, &options);
    execute(&b, 0x1000, B_8);
    execute(&b, 0x1008, 0xd5233060); /* TSTART X0 */
    cairn_pe_transaction_start(b.pe);
    cairn_pe_transaction_start(b.pe); /* an inner one is none */
    execute(&b, 0x100c, B_8);
    /* proves: I_TFKNW */
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_PE_BRB_IALL, 0), CAIRN_PE_ANSWER_FAILS);
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_PE_BRB_INJ, 0), CAIRN_PE_ANSWER_FAILS);
    look(&b);
    assert_int_equal(b.count, 2);
    cairn_pe_transaction_fail(b.pe, 0x1014, 1u << 19);
    cairn_pe_transaction_fail(b.pe, 0x1014, 1u << 19);
    execute(&b, 0x100c, B_8);
    execute(&b, 0x1014, B_8);
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_PE_BRB_INJ, 0), CAIRN_PE_ANSWER_OK);
    look(&b);
    assert_int_equal(b.count, 4);
    assert_false(b.records[0].flags & (CAIRN_BRANCH_TRANSACTIONAL | CAIRN_BRANCH_LAST_FAILED));
    /* proves: R_GVCJH */
    assert_int_equal(b.records[1].flags & (CAIRN_BRANCH_TRANSACTIONAL | CAIRN_BRANCH_LAST_FAILED),
                     CAIRN_BRANCH_LAST_FAILED);
    assert_int_equal(b.records[2].flags & (CAIRN_BRANCH_TRANSACTIONAL | CAIRN_BRANCH_LAST_FAILED),
                     CAIRN_BRANCH_TRANSACTIONAL);
    cairn_pe_transaction_start(b.pe);
    cairn_pe_transaction_commit(b.pe);
    execute(&b, 0x101c, B_8);
    look(&b);
    assert_false(b.records[0].flags & (CAIRN_BRANCH_TRANSACTIONAL | CAIRN_BRANCH_LAST_FAILED));
    end(&b);

    begin(&b, &plain); /* without FEAT_TME there are none */
    cairn_pe_transaction_start(b.pe);
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_PE_BRB_IALL, 0), CAIRN_PE_ANSWER_OK);
    end(&b);
}

/* An indirect branch is the last of a transaction: it would have gone there. */
static void test_last_of_a_transaction(void **state)
{
    struct cairn_pe_options options = plain;
    static struct states_bench b;

    (void)state;
    options.flags |= CAIRN_PE_HAS_TRANSACTIONS;
    begin(&b, &options);
    execute(&b, 0x1008, 0xd5233060);
    cairn_pe_transaction_start(b.pe);
    execute(&b, 0x100c, 0xd61f0020); /* BR X1 */
    cairn_pe_transaction_fail(b.pe, 0x4000, 0);
    look(&b);
    assert_int_equal(b.count, 1);
    assert_int_equal(b.records[0].target, 0x4000);
    assert_true(b.records[0].flags & CAIRN_BRANCH_TRANSACTIONAL);
    end(&b);
}

/* Records from 32 on are read behind BANK, and that counts behind a Context synchronization event. */
static void test_bank(void **state)
{
    struct cairn_pe_options options = plain;
    static struct states_bench b;
    uint64_t young = 0, old = 0;

    (void)state;
    options.branch_records = 64;
    options.order = CAIRN_PE_LATE;
    begin(&b, &options);
    for (uint64_t n = 0; n < 64; n++)
        execute(&b, 0x1000 + 8 * n, B_8);
    script(&b, "isb\nmsr BRBFCR_EL1, 0x10010080\n"); /* BANK 1, PAUSED */
    assert_int_equal(cairn_pe_mrs(b.pe, cairn_pe_encoding("BRBSRC0_EL1"), &young),
                     CAIRN_PE_ANSWER_OK);
    script(&b, "isb\n");
    assert_int_equal(cairn_pe_mrs(b.pe, cairn_pe_encoding("BRBSRC0_EL1"), &old),
                     CAIRN_PE_ANSWER_OK);
    /* proves: I_PPBZP */
    assert_int_equal(young, 0x1000 + 8 * 63);
    assert_int_equal(old, 0x1000 + 8 * 31);
    end(&b);
}

/* Software clears the flag that froze: only then is what it unpauses not frozen again. */
static void test_flags(void **state)
{
    static struct states_bench b;

    (void)state;
    for (unsigned clears = 0; clears < 2; clears++) {
        begin(&b, &plain);
        script(&b, "msr BRBCR_EL1, 0xc0011b\nisb\n"); /* FZP */
        execute(&b, 0x1000, B_8);
        script(&b, "msr PMOVSSET_EL0, 1\n");
        execute(&b, 0x1008, B_8);
        look(&b);
        /* proves: R_NXCWF */
        assert_int_equal(b.count, 1);
        script(&b, clears ? "msr PMOVSCLR_EL0, 1\nmsr BRBFCR_EL1, 0x10000\nisb\n"
                          : "msr BRBFCR_EL1, 0x10000\nisb\n");
        execute(&b, 0x1010, B_8);
        look(&b);
        assert_int_equal(b.count, clears ? 2 : 1);
        end(&b);
    }
}

static void test_options(void **state)
{
    struct cairn_pe_options options = plain;
    struct cairn_error error;
    struct cairn_pe *pe;

    (void)state;
    options.branch_choices = UINT32_C(1) << 31;
    assert_int_equal(cairn_pe_new(&options, &pe, &error), CAIRN_E_ARGUMENT);
    assert_non_null(strstr(error.text, "branch_choices"));
    assert_null(pe);
    /* Of a program that was compiled before there were any. */
    options.size = offsetof(struct cairn_pe_options, branch_choices);
    assert_int_equal(cairn_pe_new(&options, &pe, &error), CAIRN_OK);
    cairn_pe_free(pe);
    /* By an instruction, and by choice. */
    for (unsigned by_choice = 0; by_choice < 2; by_choice++) {
        static struct states_bench b;

        options = plain;
        options.branch_choices = by_choice ? CAIRN_PE_BRANCHES_RECORD_ISB : 0;
        begin(&b, &options);
        execute(&b, 0x1000, 0xd5033fdf);
        look(&b);
        /* proves: R_FJYDC */
        assert_int_equal(b.count, by_choice);
        end(&b);
    }
}

/* A predictor of its own knows a target when it comes again. */
static void test_own_predictor(void **state)
{
    struct cairn_pe_options options = plain;
    static struct states_bench b;

    (void)state;
    options.branch_choices = CAIRN_PE_BRANCHES_PREDICTED;
    begin(&b, &options);
    execute(&b, 0x1000, B_8);
    execute(&b, 0x1000, B_8);
    look(&b);
    assert_int_equal(b.count, 2);
    assert_true(missed(&b, 1));
    assert_false(missed(&b, 0));
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditional),
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_debug),
        cmocka_unit_test(test_debug_drain),
        cmocka_unit_test(test_debug_count),
        cmocka_unit_test(test_transactions),
        cmocka_unit_test(test_last_of_a_transaction),
        cmocka_unit_test(test_bank),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_own_predictor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
