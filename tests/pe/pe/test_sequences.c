/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequences of DDI0608 G3.1: each is silent, and with any step left out names that step. */
#include "scripts.h"

static void test_switching_out(void **state)
{
    (void)state;
    assert_script_silent("out.pe");
    /* proves: S_VKHHY */
    assert_script_finds("out.pe", 'A', "R_ZCDDS", "TRBLIMITR_EL1", CAIRN_PE_MISSES_PROHIBITION);
    assert_script_finds("out.pe", 'B', "R_TSPXF", "TRBLIMITR_EL1",
                        CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_TSB);
    /* proves: I_BYSGH, S_VKHHY */
    assert_script_finds("out.pe", 'C', "R_TSPXF", "TRBLIMITR_EL1", CAIRN_PE_MISSES_TSB);
    /* proves: S_VKHHY, S_YKCNB */
    assert_script_finds("out.pe", 'D', "S_YKCNB", "TTBR0_EL1", CAIRN_PE_MISSES_OFF);
    /* proves: S_VKHHY */
    assert_script_finds("out.pe", 'E', "R_VLWDM", "", CAIRN_PE_MISSES_DSB);
    /* proves: S_VKHHY */
    assert_script_finds("out.pe", 'F', "R_VTNCS", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE2);
    /* The trace unit's state is saved when it is disabled, and stands still. */
    /* proves: S_VKHHY */
    assert_script_finds("out.pe", 'G', "I_PNZGH", "TRCSEQSTR", CAIRN_PE_MISSES_STABLE);
}

static void test_disabled_unit(void **state)
{
    (void)state;
    assert_script_silent("off.pe");
}

static void test_switching_out_while_allowed(void **state)
{
    (void)state;
    assert_script_silent("allowed.pe");
    /* proves: S_FMBCL */
    assert_script_finds("allowed.pe", 'A', "R_ZCDDS", "TRBLIMITR_EL1", CAIRN_PE_MISSES_PROHIBITION);
    /* proves: S_FMBCL */
    assert_script_finds("allowed.pe", 'B', "R_TSPXF", "TRBLIMITR_EL1",
                        CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_TSB);
    /* proves: S_FMBCL */
    assert_script_finds("allowed.pe", 'C', "R_TSPXF", "TRBLIMITR_EL1", CAIRN_PE_MISSES_TSB);
    /* proves: S_FMBCL */
    assert_script_finds("allowed.pe", 'D', "R_VLWDM", "", CAIRN_PE_MISSES_DSB);
    /* proves: S_FMBCL */
    assert_script_finds("allowed.pe", 'E', "R_VTNCS", "TRBPTR_EL1", CAIRN_PE_MISSES_CSE2);
}

static void test_switching_in(void **state)
{
    (void)state;
    assert_script_silent("in.pe");
    /* proves: S_PKLXF */
    assert_script_finds("in.pe", 'A', "S_PKLXF", "TTBR0_EL1", CAIRN_PE_MISSES_CSE);
    assert_script_finds("in.pe", 'B', "S_YKCNB", "TTBR0_EL1", CAIRN_PE_MISSES_OFF);
    /* The trace unit of the process before is not known to be idle. */
    assert_script_finds("in.pe", 'C', "R_RWYQD", "TRCCONFIGR",
                        CAIRN_PE_MISSES_CSE | CAIRN_PE_MISSES_IDLE);
}

static void test_on_too_long(void **state)
{
    (void)state;
    assert_script_silent("tables.pe");
    /* proves: S_YKCNB */
    assert_script_finds("tables.pe", 'A', "S_YKCNB", "TTBR1_EL1", CAIRN_PE_MISSES_OFF);
    /* proves: S_YKCNB */
    assert_script_finds("tables.pe", 'B', "S_YKCNB", "TTBR1_EL1", CAIRN_PE_MISSES_CSE);
}

static void test_other_state(void **state)
{
    (void)state;
    /* proves: S_YKCNB */
    assert_script_finds("states.pe", 0, "S_YKCNB", "SCR_EL3", CAIRN_PE_MISSES_OFF);
    assert_script_finds("states.pe", 'A', "S_YKCNB", "TRBLIMITR_EL1", CAIRN_PE_MISSES_OFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switching_out), cmocka_unit_test(test_switching_out_while_allowed),
        cmocka_unit_test(test_switching_in),  cmocka_unit_test(test_on_too_long),
        cmocka_unit_test(test_other_state),   cmocka_unit_test(test_disabled_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
