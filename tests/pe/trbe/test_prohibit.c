/* SPDX-License-Identifier: BSD-2-Clause */
/* Where trace is prohibited: the table of DDI0608 E1.2.1.6 word for word, an X standing for every value, and
 * FEAT_TRF's functions. */
#include "view.h"

/* --- Enabled --- */

static void test_enabled(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        const bool hosted = n & 1, E = n & 2, has = n & 4;

        begin();
        pe.features.trbe = has;
        pe.authentication.TFO = !hosted;
        pe.authentication.signals = CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPNIDEN;
        set_E(E);
        assert_int_equal(cairn_pe_self_hosted_trace(&pe.view), hosted);
        /* proves: R_YCHKJ, R_JYXPM */
        assert_int_equal(cairn_pe_trace_buffer_enabled(&pe.view), hosted && E && has);
    }
}

/* SelfHostedTraceEnabled() without FEAT_TRF; with EDSCR.TFO by MDCR_EL3.STE and the signals. */
static void test_self_hosted(void **state)
{
    static const struct {
        bool EL3, STE, TFO;
        uint32_t signals;
        bool expected;
    } rows[] = {
        {true, false, false, 0, true},
        {true, false, true, 0, false},
        {true, true, true, 0, true},
        {true, true, true, CAIRN_UNIT_SPNIDEN, true}, /* DBGEN and NIDEN are low */
        {true, true, true, CAIRN_UNIT_NIDEN, true},
        {true, true, true, CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPNIDEN, false},
        {true, true, true, CAIRN_UNIT_DBGEN | CAIRN_UNIT_SPIDEN, false},
        {false, false, true, 0, true},
        {false, false, true, CAIRN_UNIT_DBGEN | CAIRN_UNIT_SPIDEN, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        begin();
        pe.features.EL3 = rows[i].EL3;
        pe.authentication.TFO = rows[i].TFO;
        pe.authentication.signals = rows[i].signals;
        set_STE(rows[i].STE);
        assert_int_equal(cairn_pe_self_hosted_trace(&pe.view), rows[i].expected);
        pe.features.trace_filter = false;
        assert_false(cairn_pe_self_hosted_trace(&pe.view));
    }
}

static void test_self_hosted_realms(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 32; n++) {
        const bool STE = n & 1, RLTE = n & 2, secure = n & 4, realm = n & 8, SEL2 = n & 16;

        begin();
        pe.features.realms = true;
        pe.features.secure_EL2 = SEL2;
        pe.authentication.TFO = true;
        pe.authentication.signals = CAIRN_UNIT_NIDEN | (secure ? CAIRN_UNIT_SPNIDEN : 0);
        pe.authentication.RLPIDEN = realm;
        set_STE(STE);
        set_RLTE(RLTE);
        assert_int_equal(cairn_pe_self_hosted_trace(&pe.view),
                         (SEL2 && STE && !secure) || (RLTE && !realm));
    }
}

/* --- prohibited --- */

enum control { P, NA, E2TRE, E1TRE, E0TRE, E0HTRE };

static const struct prohibited_row {
    int NS, STE, NSTB, E2TB, EEL2, TGE; /* NSTB, E2TB: the upper bit */
    enum control EL[4];
} prohibited_rows[] = {
    {1, X, 0, X, X, X, {P, P, P, P}},
    {1, X, 1, 1, X, 0, {E0TRE, E1TRE, P, P}},
    {1, X, 1, 1, X, 1, {P, NA, P, P}},
    {1, X, 1, 0, X, 0, {E0TRE, E1TRE, E2TRE, P}},
    {1, X, 1, 0, X, 1, {E0HTRE, NA, E2TRE, P}},
    {0, 0, X, X, X, X, {P, P, P, P}},
    {0, 1, 1, X, X, X, {P, P, P, P}},
    {0, 1, 0, X, 0, X, {E0TRE, E1TRE, NA, P}},
    {0, 1, 0, 1, 1, 0, {E0TRE, E1TRE, P, P}},
    {0, 1, 0, 1, 1, 1, {P, NA, P, P}},
    {0, 1, 0, 0, 1, 0, {E0TRE, E1TRE, E2TRE, P}},
    {0, 1, 0, 0, 1, 1, {E0HTRE, NA, E2TRE, P}},
};

/* The filters: bit n is of enum control n + E2TRE. */
static void set_filters(unsigned filters)
{
    set(CAIRN_PE_TRFCR_EL2, 1, filters & 1);
    set(CAIRN_PE_TRFCR_EL1, 1, filters >> 1 & 1);
    set(CAIRN_PE_TRFCR_EL1, 0, filters >> 2 & 1);
    set(CAIRN_PE_TRFCR_EL2, 0, filters >> 3 & 1);
}

static bool expected_prohibited(enum control control, unsigned filters)
{
    return control == P || !(filters >> (control - E2TRE) & 1);
}

static void expect_row(const struct prohibited_row *row, unsigned NS, unsigned filters)
{
    for (uint8_t EL = 0; EL < 4; EL++) {
        if (row->EL[EL] == NA)
            continue;
        pe.state.EL = EL;
        pe.state.security = EL == 3 || !NS ? CAIRN_SECURE : CAIRN_NONSECURE;
        /* proves: I_DCRYN, R_MFFGX, R_VGWJN */
        assert_int_equal(cairn_pe_trace_prohibited(&pe.view),
                         expected_prohibited(row->EL[EL], filters));
    }
}

static void test_prohibited_table(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 1u << 10; n++) {
        const unsigned NS = n & 1, STE = n >> 1 & 1, NSTB = n >> 2 & 1, E2TB = n >> 3 & 1,
                       EEL2 = n >> 4 & 1, TGE = n >> 5 & 1, filters = n >> 6;
        const struct prohibited_row *row = NULL;

        for (size_t i = 0; i < COUNT_OF(prohibited_rows); i++) {
            const struct prohibited_row *r = &prohibited_rows[i];

            if (!fits(r->NS, NS) || !fits(r->STE, STE) || !fits(r->NSTB, NSTB) ||
                !fits(r->E2TB, E2TB) || !fits(r->EEL2, EEL2) || !fits(r->TGE, TGE))
                continue;
            assert_null(row);
            row = r;
        }
        assert_non_null(row);
        begin();
        set_E(1);
        set_NS(NS);
        set_STE(STE);
        set_NSTB(NSTB * 2 + (n & 1));
        set_E2TB(E2TB * 2);
        set_EEL2(EEL2);
        set_TGE(TGE);
        set_filters(filters);
        expect_row(row, NS, filters);
    }
}

/* What an owner adds, by itself: EL1 and EL2, with and without TGE. All filters are open. */
static void test_prohibited_by_owner(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 16; n++) {
        const uint8_t EL = n & 3;
        const bool E2TB = n & 4, TGE = n & 8;

        begin();
        set_E(1);
        set_NS(1);
        set_NSTB(3);
        set_E2TB(E2TB ? 3 : 0);
        set_TGE(TGE);
        set_filters(15);
        pe.state.EL = EL;
        pe.state.security = EL == 3 ? CAIRN_SECURE : CAIRN_NONSECURE;
        set_STE(1);
        if (E2TB && !(TGE && EL == 1))
            /* proves: R_XWDZV */
            assert_int_equal(cairn_pe_trace_prohibited(&pe.view), EL >= 2 || (EL == 0 && TGE));
        if (!E2TB)
            /* proves: R_SHXTV */
            assert_int_equal(cairn_pe_trace_prohibited(&pe.view), EL == 3);
    }
}

/* The unit Disabled: FEAT_TRF's filters alone. */
static void test_prohibited_by_filters(void **state)
{
    (void)state;
    for (unsigned filters = 0; filters < 16; filters++)
        for (uint8_t EL = 0; EL < 3; EL++)
            for (unsigned TGE = 0; TGE < 2; TGE++) {
                static const enum control of[2][3] = {{E0TRE, E1TRE, E2TRE},
                                                      {E0HTRE, E1TRE, E2TRE}};

                begin();
                set_NS(1);
                set_TGE(TGE);
                set_filters(filters);
                pe.state.EL = EL;
                assert_int_equal(cairn_pe_trace_prohibited(&pe.view),
                                 expected_prohibited(of[TGE][EL], filters));
            }
}

/* EL3 has no filter: it is prohibited, whoever owns the buffer. */
static void test_EL3(void **state)
{
    (void)state;
    for (unsigned E = 0; E < 2; E++) {
        begin();
        set_E(E);
        set_EEL2(1);
        set_STE(1);
        set_filters(15);
        pe.state.security = CAIRN_SECURE;
        pe.state.EL = 2;
        assert_false(cairn_pe_trace_prohibited(&pe.view));
        pe.state.EL = 3;
        assert_true(cairn_pe_trace_prohibited(&pe.view));
    }
}

/* Bits of FEAT_RME are none without it. */
static void test_no_realms(void **state)
{
    struct cairn_pe_owner owner;

    (void)state;
    begin();
    set_E(1);
    set_NS(1);
    set_NSE(1);
    set_NSTB(3);
    set_NSTBE(1);
    owner = cairn_pe_trace_buffer_owner(&pe.view);
    assert_int_equal(owner.security, CAIRN_NONSECURE);
    assert_false(owner.disagrees);
}

static void test_realm_prohibited(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        const bool RLTE = n & 1, owned = n & 2;

        begin();
        pe.features.realms = true;
        set_E(1);
        set_NS(1);
        set_NSE(1);
        set_NSTBE(owned);
        set_NSTB(3);
        set_RLTE(RLTE);
        set_filters(15);
        pe.state.security = CAIRN_REALM;
        assert_int_equal(cairn_pe_trace_prohibited(&pe.view), !(RLTE && owned));
        pe.state.security = CAIRN_ROOT;
        pe.state.EL = 3;
        assert_true(cairn_pe_trace_prohibited(&pe.view));
    }
}

/* Trace that is not self-hosted: the authentication interface decides, whatever the filters. */
static void test_external(void **state)
{
    static const struct {
        uint8_t security;
        uint32_t signals;
        bool RLPIDEN, allowed;
    } rows[] = {
        {CAIRN_NONSECURE, 0, false, false},
        {CAIRN_NONSECURE, CAIRN_UNIT_NIDEN, false, true},
        {CAIRN_NONSECURE, CAIRN_UNIT_DBGEN, false, true},
        {CAIRN_SECURE, CAIRN_UNIT_DBGEN, false, false},
        {CAIRN_SECURE, CAIRN_UNIT_SPIDEN, false, false},
        {CAIRN_SECURE, CAIRN_UNIT_DBGEN | CAIRN_UNIT_SPIDEN, false, true},
        {CAIRN_SECURE, CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPNIDEN, false, true},
        {CAIRN_REALM, CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPNIDEN, false, false},
        {CAIRN_REALM, CAIRN_UNIT_NIDEN, true, true},
        {CAIRN_ROOT, CAIRN_UNIT_NIDEN, true, false},
        {CAIRN_ROOT, CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPNIDEN, false, false},
        {CAIRN_ROOT, CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPNIDEN, true, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        begin();
        pe.authentication =
            (struct cairn_pe_authentication){rows[i].signals, rows[i].RLPIDEN, true};
        pe.state.security = rows[i].security;
        pe.state.EL = rows[i].security == CAIRN_ROOT ? 3 : 1;
        assert_false(cairn_pe_self_hosted_trace(&pe.view));
        assert_int_equal(cairn_pe_trace_prohibited(&pe.view), !rows[i].allowed);
    }
}

/* --- timestamps --- */

static void test_timestamp(void **state)
{
    enum {
        V = CAIRN_PE_TIMESTAMP_VIRTUAL,
        O = CAIRN_PE_TIMESTAMP_OFFSET_PHYSICAL,
        C = CAIRN_PE_TIMESTAMP_PHYSICAL
    };
    /* [TRFCR_EL2.TS][TRFCR_EL1.TS] with FEAT_ECV; reserved: V by the plain choice */
    static const unsigned with[4][4] = {{V, V, O, C}, {V, V, V, V}, {O, O, O, O}, {C, C, C, C}};

    (void)state;
    for (unsigned TS2 = 0; TS2 < 4; TS2++)
        for (unsigned TS1 = 0; TS1 < 4; TS1++) {
            begin();
            set(CAIRN_PE_TRFCR_EL2, 5, TS2);
            set(CAIRN_PE_TRFCR_EL1, 5, TS1);
            /* proves: I_YFPDZ */
            assert_int_equal(cairn_pe_trace_timestamp(&pe.view, true), with[TS2][TS1]);
            pe.features.EL2 = false;
            assert_int_equal(cairn_pe_trace_timestamp(&pe.view, true), with[0][TS1]);
            pe.authentication.TFO = true;
            assert_int_equal(cairn_pe_trace_timestamp(&pe.view, true),
                             CAIRN_PE_TIMESTAMP_CORESIGHT);
        }
    for (unsigned physical = 0; physical < 2; physical++) {
        const unsigned reserved = physical ? C : V;

        begin();
        pe.view.choices = physical ? CAIRN_PE_PROHIBIT_RESERVED_TS_IS_PHYSICAL : 0;
        assert_int_equal(cairn_pe_trace_timestamp(&pe.view, true), reserved);
        set(CAIRN_PE_TRFCR_EL1, 5, 2);
        assert_int_equal(cairn_pe_trace_timestamp(&pe.view, false), reserved);
        clear();
        set(CAIRN_PE_TRFCR_EL2, 5, 2);
        assert_int_equal(cairn_pe_trace_timestamp(&pe.view, false), reserved);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enabled),
        cmocka_unit_test(test_self_hosted),
        cmocka_unit_test(test_self_hosted_realms),
        cmocka_unit_test(test_prohibited_table),
        cmocka_unit_test(test_prohibited_by_owner),
        cmocka_unit_test(test_prohibited_by_filters),
        cmocka_unit_test(test_EL3),
        cmocka_unit_test(test_no_realms),
        cmocka_unit_test(test_realm_prohibited),
        cmocka_unit_test(test_external),
        cmocka_unit_test(test_timestamp),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
