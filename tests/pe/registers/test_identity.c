/* SPDX-License-Identifier: BSD-2-Clause */
/* Which extensions go together (DDI0608 B1.1, E1.2, F1.1), and how registers tell them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pe/identity.h"

static const struct cairn_pe_identity whole = {
    .v9 = 3,
    .ete = 3,
    .brbe = 2,
    .records = 64,
    .trbe = true,
    .trace_filter = true,
    .fine_traps = true,
    .realms = true,
};

static bool is_right(struct cairn_pe_identity identity)
{
    return cairn_pe_identity_check(&identity, NULL) == CAIRN_OK;
}

static void test_branches(void **state)
{
    const struct cairn_pe_identity alone = {.v9 = 2, .brbe = 1, .records = 8};
    struct cairn_pe_identity identity = alone;

    (void)state;
    /* proves: B1.1.6 */
    assert_true(is_right(alone)); /* without ETE and TRBE */
    identity.v9 = 1;
    /* proves: B1.1.6, R_VNFCR */
    assert_false(is_right(identity));
    identity = alone;
    identity.brbe = 0;
    /* proves: R_VNFCR */
    assert_true(is_right(identity)); /* optional */
    identity.v9 = 3;
    assert_true(is_right(identity));
    identity.brbe = 1;
    /* proves: R_KRBNR */
    assert_false(is_right(identity));
    identity.brbe = 2;
    /* proves: R_VYMSG, R_KRBNR */
    assert_true(is_right(identity));
    identity.v9 = 2;
    /* proves: R_VYMSG */
    assert_false(is_right(identity));
    identity.v9 = 3;
    identity.brbe = 3;
    assert_false(is_right(identity));
}

static void test_records(void **state)
{
    (void)state;
    for (unsigned records = 0; records < 256; records++) {
        struct cairn_pe_identity identity = whole;

        identity.records = (uint8_t)records;
        /* proves: I_FBHCC */
        assert_int_equal(is_right(identity),
                         records == 8 || records == 16 || records == 32 || records == 64);
    }
}

static void test_buffer(void **state)
{
    struct cairn_pe_identity identity = {.ete = 1, .trbe = true, .trace_filter = true};

    (void)state;
    /* proves: B1.1.1, B1.1.4 */
    assert_true(is_right(identity));
    identity.trbe = false;
    /* proves: R_KYJWX, B1.1.1 */
    assert_false(is_right(identity));
    identity.trbe = true;
    identity.ete = 0;
    /* proves: R_KLNJV, B1.1.4 */
    assert_false(is_right(identity));
    identity.ete = 1;
    identity.trace_filter = false;
    /* proves: R_LPMRM, B1.1.1, B1.1.4 */
    assert_false(is_right(identity));
    identity = (struct cairn_pe_identity){0};
    assert_true(is_right(identity)); /* none of it */
    identity.trbe = identity.trace_filter = true;
    identity.etm = true;
    assert_false(is_right(identity));
}

static void test_versions(void **state)
{
    struct cairn_pe_identity identity = whole;

    (void)state;
    assert_true(is_right(whole));
    identity.realms = false;
    /* proves: B1.1.7 */
    assert_false(is_right(identity));
    identity.ete = 2;
    /* proves: B1.1.5 */
    assert_true(is_right(identity));
    identity.fine_traps = false;
    /* proves: B1.1.5 */
    assert_false(is_right(identity));
    identity.ete = 1;
    assert_true(is_right(identity));
    identity = whole;
    identity.brbe = 0;
    identity.v9 = 1;
    /* proves: B1.1.7 */
    assert_false(is_right(identity));
    identity.v9 = 2;
    /* proves: B1.1.7 */
    assert_true(is_right(identity));
    identity.v9 = 1;
    identity.ete = 2;
    /* proves: B1.1.5 */
    assert_true(is_right(identity));
    identity.v9 = 0;
    /* proves: B1.1.5 */
    assert_false(is_right(identity));
    identity = whole;
    identity.ete = 4;
    assert_false(is_right(identity));
}

static void test_never(void **state)
{
    struct cairn_pe_identity identity = whole;
    struct cairn_error error;

    (void)state;
    identity.double_lock = true;
    /* proves: B1.1 */
    assert_int_equal(cairn_pe_identity_check(&identity, &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "FEAT_DoubleLock"));
    identity.double_lock = false;
    identity.etm = true;
    /* proves: B1.1 */
    assert_int_equal(cairn_pe_identity_check(&identity, &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "ETM"));
}

/* ID_AA64DFR0_EL1 by hand: BRBE 55:52, TraceBuffer 47:44, TraceFilt 43:40, TraceVer 7:4. */
static void test_registers(void **state)
{
    static const struct {
        uint64_t DFR0, BRBIDR0;
        uint32_t DEVARCH;
        unsigned brbe, records, ete;
        bool trbe, filter, etm;
    } rows[] = {
        {0, 0, 0, 0, 0, 0, false, false, false},
        {0x0010000000000000, 0x5008, 0, 1, 8, 0, false, false, false},
        {0x0020000000000000, 0x5040, 0, 2, 64, 0, false, false, false},
        {0x0000110000000010, 0, 0x47705a13, 0, 0, 1, true, true, false},
        {0x0000110000000010, 0, 0x47715a13, 0, 0, 2, true, true, false},
        {0x0020110000000010, 0x5020, 0x47725a13, 2, 32, 3, true, true, false},
        {0x0000000000000010, 0, 0x47704a13, 0, 0, 0, false, false, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_pe_registers registers = {{0}};
        struct cairn_pe_identity identity = {0};

        registers.value[CAIRN_PE_ID_AA64DFR0_EL1] = rows[i].DFR0;
        registers.value[CAIRN_PE_BRBIDR0_EL1] = rows[i].BRBIDR0;
        cairn_pe_identify(&registers, rows[i].DEVARCH, &identity);
        /* proves: I_FKLJM, I_GFXY, B1.1.8, R_KSLSM */
        assert_int_equal(identity.brbe, rows[i].brbe);
        assert_int_equal(identity.records, rows[i].records);
        /* proves: S_QVGQX */
        assert_int_equal(identity.trbe, rows[i].trbe);
        assert_int_equal(identity.trace_filter, rows[i].filter);
        assert_int_equal(identity.ete, rows[i].ete);
        assert_int_equal(identity.etm, rows[i].etm);
        memset(&registers, 0, sizeof registers);
        cairn_pe_identity_registers(&identity, &registers);
        assert_int_equal(registers.value[CAIRN_PE_ID_AA64DFR0_EL1], rows[i].DFR0);
        assert_int_equal(registers.value[CAIRN_PE_BRBIDR0_EL1], rows[i].BRBIDR0);
    }
}

/* FEAT_FGT is ID_AA64MMFR0_EL1 59:56, FEAT_RME ID_AA64PFR0_EL1 55:52. */
static void test_others(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct cairn_pe_registers registers = {{0}};
        struct cairn_pe_identity identity = {0};

        registers.value[CAIRN_PE_ID_AA64MMFR0_EL1] = i & 1 ? UINT64_C(1) << 56 : 0;
        registers.value[CAIRN_PE_ID_AA64PFR0_EL1] = i & 2 ? UINT64_C(1) << 52 : 0;
        cairn_pe_identify(&registers, 0, &identity);
        assert_int_equal(identity.fine_traps, i & 1);
        assert_int_equal(identity.realms, i >> 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches), cmocka_unit_test(test_records),
        cmocka_unit_test(test_buffer),   cmocka_unit_test(test_versions),
        cmocka_unit_test(test_never),    cmocka_unit_test(test_registers),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
