/* SPDX-License-Identifier: BSD-2-Clause */
/* Who owns the trace buffer: the table of DDI0608 E1.2.1.6 word for word, an X standing for every value. */
#include "view.h"

/* --- the owner --- */

static const struct owner_row {
    bool enabled;
    int NSTB, E2TB, EEL2, E2H; /* NSTB, E2TB: their upper bit where the table has 0b0X, 0b1X */
    uint8_t security, EL;
    bool host;
} owner_rows[] = {
    {false, X, X, X, X, 0, 0, false},
    {true, 0, X, 0, X, CAIRN_SECURE, 1, false},
    {true, 0, 0, 1, 0, CAIRN_SECURE, 2, false},
    {true, 0, 0, 1, 1, CAIRN_SECURE, 2, true},
    {true, 0, 1, 1, X, CAIRN_SECURE, 1, false},
    {true, 1, 0, X, 0, CAIRN_NONSECURE, 2, false},
    {true, 1, 0, X, 1, CAIRN_NONSECURE, 2, true},
    {true, 1, 1, X, X, CAIRN_NONSECURE, 1, false},
};

/* Over every combination: exactly one row stands for it, and says who owns the buffer. 0b01 of E2TB is reserved
 * and left out. */
static void test_owner_table(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 256; n++) {
        const unsigned enabled = n & 1, NSTB = n >> 1 & 3, E2TB = n >> 3 & 3, EEL2 = n >> 5 & 1,
                       E2H = n >> 6 & 1, NS = n >> 7 & 1;
        const struct owner_row *row = NULL;
        struct cairn_pe_owner owner;

        if (E2TB == 1)
            continue;
        for (size_t i = 0; i < COUNT_OF(owner_rows); i++) {
            const struct owner_row *r = &owner_rows[i];

            if (r->enabled != enabled || !fits(r->NSTB, NSTB >> 1) || !fits(r->EEL2, EEL2) ||
                !fits(r->E2H, E2H) || !fits(r->E2TB, E2TB >> 1))
                continue;
            assert_null(row);
            row = r;
        }
        assert_non_null(row);
        begin();
        set_E(enabled);
        set_NSTB(NSTB);
        set_E2TB(E2TB);
        set_EEL2(EEL2);
        set_E2H(E2H);
        set_NS(NS);
        owner = cairn_pe_trace_buffer_owner(&pe.view);
        /* proves: R_MCYDC */
        assert_int_equal(owner.defined, row->enabled);
        if (!owner.defined)
            continue;
        /* proves: R_HBZNT, I_QCKVZ */
        assert_int_equal(owner.security, row->security);
        /* proves: R_SKVWG */
        assert_int_equal(owner.EL, row->EL);
        /* proves: R_DPGJG */
        assert_int_equal(owner.E2H, row->host);
    }
}

/* Without EL3 the Security state that the PE is in; without EL2, EL1. */
static void test_owner_of_less(void **state)
{
    struct cairn_pe_owner owner;

    (void)state;
    for (unsigned security = CAIRN_SECURE; security <= CAIRN_NONSECURE; security++) {
        begin();
        pe.features.EL3 = pe.features.EL2 = false;
        pe.state.security = (uint8_t)security;
        set_E(1);
        set_NSTB(security == CAIRN_SECURE ? 3 : 0); /* not there */
        owner = cairn_pe_trace_buffer_owner(&pe.view);
        /* proves: R_HBZNT */
        assert_int_equal(owner.security, security);
        /* proves: R_SKVWG */
        assert_int_equal(owner.EL, 1);
        assert_false(owner.disagrees);
    }
}

/* The lower bits of NSTB and E2TB are of traps and do not name the owner. */
static void test_owner_fields(void **state)
{
    static const struct {
        unsigned NSTB, E2TB;
        uint8_t security, EL;
    } rows[] = {
        {0, 0, CAIRN_SECURE, 2},    {1, 2, CAIRN_SECURE, 1},    {0, 3, CAIRN_SECURE, 1},
        {2, 0, CAIRN_NONSECURE, 2}, {3, 2, CAIRN_NONSECURE, 1}, {2, 3, CAIRN_NONSECURE, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct cairn_pe_owner owner;

        begin();
        set_E(1);
        set_EEL2(1);
        set_NSTB(rows[i].NSTB);
        set_E2TB(rows[i].E2TB);
        owner = cairn_pe_trace_buffer_owner(&pe.view);
        /* proves: REG_MDCR_OWNER */
        assert_int_equal(owner.security << 4 | owner.EL, rows[i].security << 4 | rows[i].EL);
    }
}

/* EL1 owner: stage 2 by HCR_EL2.VM where EL2 is enabled. EL2 owner: none. */
static void test_stages(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        const bool VM = n & 1, E2TB = n & 2, has_EL2 = n & 4;
        struct cairn_pe_owner owner;

        begin();
        pe.features.EL2 = has_EL2;
        set_E(1);
        set_NSTB(3);
        set_NS(1);
        set_VM(VM);
        set_E2TB(E2TB ? 2 : 0);
        owner = cairn_pe_trace_buffer_owner(&pe.view);
        if (owner.EL == 1)
            /* proves: R_XWDZV */
            assert_int_equal(owner.stage2, VM && has_EL2);
        else
            /* proves: R_SHXTV */
            assert_false(owner.stage2);
        assert_int_equal(owner.EL, has_EL2 && !E2TB ? 2 : 1);
    }
}

static void test_realm_owner(void **state)
{
    (void)state;
    for (unsigned NSTB = 0; NSTB < 4; NSTB++)
        for (unsigned choice = 0; choice < 2; choice++) {
            struct cairn_pe_owner owner;

            begin();
            pe.features.realms = true;
            pe.view.choices = choice ? CAIRN_PE_PROHIBIT_RESERVED_IS_REALM : 0;
            set_E(1);
            set_NS(1);
            set_NSE(1);
            set_NSTBE(1);
            set_NSTB(NSTB);
            owner = cairn_pe_trace_buffer_owner(&pe.view);
            assert_int_equal(owner.security, NSTB >= 2 || choice ? CAIRN_REALM : CAIRN_NONSECURE);
            assert_int_equal(owner.disagrees, owner.security != CAIRN_REALM);
        }
}

/* NSTB and SCR_EL3.NS apart: either state, whole. */
static void test_states_disagree(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        const bool NS = n & 1, current = n & 2;
        struct cairn_pe_owner owner;

        begin();
        pe.view.choices = current ? CAIRN_PE_PROHIBIT_TRANSLATES_AS_CURRENT : 0;
        set_E(1);
        set_NS(NS);
        set_NSTB(NS ? 0 : 2);
        set_E2TB(2);
        set_VM(
            1); /* Non-secure EL1&0 has a stage 2; Secure EL2 is disabled, so that Secure has none */
        owner = cairn_pe_trace_buffer_regime(&pe.view);
        /* proves: R_RRCNN */
        assert_int_equal(owner.security, current == NS ? CAIRN_NONSECURE : CAIRN_SECURE);
        /* proves: I_MJMWG */
        assert_int_equal(owner.stage2, owner.security == CAIRN_NONSECURE);
        assert_true(owner.disagrees);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owner_table),  cmocka_unit_test(test_owner_of_less),
        cmocka_unit_test(test_owner_fields), cmocka_unit_test(test_stages),
        cmocka_unit_test(test_realm_owner),  cmocka_unit_test(test_states_disagree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
