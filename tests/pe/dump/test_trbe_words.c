/* SPDX-License-Identifier: BSD-2-Clause */
/* What the status says, what may be done with a pointer, and where the trigger is. */
#include "bench.h"

static struct cairn_trbe_status status_of(uint64_t TRBSR)
{
    struct cairn_trbe_status status = {.size = sizeof status};

    assert_int_equal(cairn_trbe_status_read(TRBSR, &status), CAIRN_OK);
    return status;
}

static void assert_says(uint64_t TRBSR, const char *words)
{
    const struct cairn_trbe_status status = status_of(TRBSR);
    char text[CAIRN_TRBE_TEXT];

    cairn_trbe_status_text(&status, BASE + 0x123, text);
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, text);
}

static void assert_finds(const struct cairn_trbe_session *session,
                         enum cairn_trbe_finding_kind kind, const char *words)
{
    char text[CAIRN_TRBE_TEXT] = "";

    assert_true(findings_of(session, kind, text) > 0);
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, text);
}

/* Every EC with every code. */
static void reasons(void **state)
{
    static const struct {
        unsigned from, to;
        enum cairn_trbe_reason reason;
    } faults[] = {
        {0x00, 0x0f, CAIRN_TRBE_MMU_FAULT},      {0x10, 0x11, CAIRN_TRBE_EXTERNAL_ABORT},
        {0x13, 0x17, CAIRN_TRBE_EXTERNAL_ABORT}, {0x21, 0x21, CAIRN_TRBE_ALIGNMENT_FAULT},
        {0x29, 0x29, CAIRN_TRBE_MMU_FAULT},      {0x2b, 0x2b, CAIRN_TRBE_MMU_FAULT},
        {0x30, 0x31, CAIRN_TRBE_MMU_FAULT},
    };

    (void)state;
    for (unsigned ec = 0; ec < 64; ec++) {
        for (unsigned code = 0; code < 64; code++) {
            enum cairn_trbe_reason expected = CAIRN_TRBE_RESERVED;
            if (ec == 0x00 && code < 3)
                expected = code == 0   ? CAIRN_TRBE_NOT_FILLED
                           : code == 1 ? CAIRN_TRBE_FILLED
                                       : CAIRN_TRBE_TRIGGERED;
            else if (ec == 0x1f)
                expected = CAIRN_TRBE_IMPLEMENTATION;
            for (size_t i = 0; (ec == 0x24 || ec == 0x25) && i < sizeof faults / sizeof *faults;
                 i++)
                if (code >= faults[i].from && code <= faults[i].to)
                    expected = faults[i].reason;
            const struct cairn_trbe_status status = status_of(SR_EC(ec) | SR_S | code);
            /* proves: REG_TRBSR */
            assert_int_equal(status.reason, expected);
            assert_int_equal(status.EC, ec);
            assert_int_equal(status.code, code);
            assert_int_equal(status.stage, ec == 0x24 ? 1 : ec == 0x25 ? 2 : 0);
            /* while collection goes on the rest is of before */
            assert_int_equal(status_of(SR_EC(ec) | code).reason, CAIRN_TRBE_NOT_STOPPED);
            const struct cairn_trbe_session session =
                session_of(FILL, BASE, SR_EC(ec) | SR_S | code);
            assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_RESERVED, NULL),
                             expected == CAIRN_TRBE_RESERVED);
            assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_STOPPED, NULL), 1);
        }
    }
}

static void bits(void **state)
{
    (void)state;
    assert_true(status_of(SR_IRQ).IRQ && !status_of(~SR_IRQ).IRQ);
    assert_true(status_of(SR_TRG).TRG && !status_of(~SR_TRG).TRG);
    assert_true(status_of(SR_WRAP).WRAP && !status_of(~SR_WRAP).WRAP);
    assert_true(status_of(SR_EA).EA && !status_of(~SR_EA).EA);
    assert_true(status_of(SR_S).S && !status_of(~SR_S).S);
    assert_int_equal(status_of(0xffff).MSS, 0xffff);
    assert_int_equal(status_of(~UINT64_C(0xffff)).MSS, 0);
    assert_int_equal(cairn_trbe_status_read(0, NULL), CAIRN_E_ARGUMENT);
    struct cairn_trbe_status none = {.size = 0};
    assert_int_equal(cairn_trbe_status_read(0, &none), CAIRN_E_ARGUMENT);
}

static void words(void **state)
{
    (void)state;
    assert_says(FILLED | SR_WRAP, "because the buffer was full");
    assert_says(TRIGGERED | SR_TRG, "on a Trigger Event");
    assert_says(STAGE_1(0x07), "on a stage 1 Translation fault, level 3 at 0xffff000010000123");
    assert_says(STAGE_2(0x0d), "on a stage 2 Permission fault, level 1 at 0xffff000010000123");
    assert_says(STAGE_1(0x12), "a fault with the reserved code 0x12 near");
    assert_says(SR_EC(0x1f) | SR_S | 0xabcd, "a reason of this core's own, MSS 0xabcd");
    assert_says(SR_EC(0x1e) | SR_S, "Granule Protection Check");
    assert_says(SR_S | 7, "BSC says why with the reserved value 0x07");
    const struct cairn_trbe_status running = status_of(SR_EC(0x24) | 7);
    char text[CAIRN_TRBE_TEXT] = "?";
    cairn_trbe_status_text(&running, BASE, text);
    assert_string_equal(text, "");
    assert_string_equal(cairn_trbe_mode_name(0), "Fill mode");
    assert_string_equal(cairn_trbe_mode_name(1), "Wrap mode");
    assert_string_equal(cairn_trbe_mode_name(3), "Circular Buffer mode");
    assert_string_equal(cairn_trbe_trigger_mode_name(0), "Stop on trigger");
    assert_string_equal(cairn_trbe_trigger_mode_name(1), "IRQ on trigger");
    assert_string_equal(cairn_trbe_trigger_mode_name(3), "Ignore trigger");
    assert_non_null(cairn_trbe_mode_name(2));
    assert_non_null(cairn_trbe_trigger_mode_name(9));
    assert_null(cairn_trbe_fault_name(0x3f));
    assert_null(cairn_trbe_fault_name(64));
}

/* Trace that a disabled unit could not write: EC 0x00 with BSC 0, or EC 0x1f. */
static void disabled_early(void **state)
{
    (void)state;
    const struct cairn_trbe_session early = session_of(FILL, BASE + 8, SR_S | SR_IRQ);
    /* proves: I_TRWF */
    assert_finds(&early, CAIRN_TRBE_FINDS_STOPPED, "disabled before its trace was written");
    const struct cairn_trbe_session other = session_of(FILL, BASE + 8, SR_EC(0x1f) | SR_S | SR_IRQ);
    assert_finds(&other, CAIRN_TRBE_FINDS_STOPPED, "a reason of this core's own");
}

/* A stage 2 fault may be of the access, or of a walk of stage 1: the sentence names neither. */
static void neutral(void **state)
{
    const struct cairn_trbe_status status = status_of(STAGE_2(0x06));
    char text[CAIRN_TRBE_TEXT];

    (void)state;
    cairn_trbe_status_text(&status, BASE, text);
    assert_non_null(strstr(text, "stage 2 Translation fault, level 2"));
    /* proves: I_ZNPQG */
    assert_true(!strstr(text, "access") && !strstr(text, "walk"));
}

/* The pointer is the address of a fault, or of a synchronous abort. */
static void exact(void **state)
{
    static const struct {
        uint64_t TRBSR;
        bool exact;
    } rows[] = {
        {STAGE_1(0x04), true},
        {STAGE_2(0x0f), true},
        {STAGE_1(0x21), true},
        {STAGE_1(0x10) | SR_EA, true},
        {STAGE_1(0x15) | SR_EA, true},
        {STAGE_1(0x11) | SR_EA, false},
        {STAGE_2(0x11) | SR_EA, false},
        {FILLED | SR_WRAP | SR_EA, false},
        {TRIGGERED | SR_TRG | SR_EA, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct cairn_trbe_session session = session_of(FILL, BASE, rows[i].TRBSR);
        const struct cairn_trbe_status status = status_of(rows[i].TRBSR);
        /* proves: I_GVGPB */
        assert_int_equal(status.exact, rows[i].exact);
        assert_int_equal(extent_of(&session).approximate, !rows[i].exact);
        /* that the address is not known is told whenever an abort was, whatever stopped collection */
        assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_ABORT, NULL), !rows[i].exact);
        assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_STOPPED, NULL), 1);
    }
    assert_says(STAGE_1(0x11) | SR_EA, "near 0xffff000010000123, which need not be the address");
}

static enum cairn_trbe_value value_of(uint64_t mode, uint64_t TRBSR, bool serror)
{
    struct cairn_trbe_session session = session_of(mode, BASE + 0x40, TRBSR);

    session.serror = serror;
    return extent_of(&session).value;
}

static void restart(void **state)
{
    (void)state;
    /* proves: R_HXZZM */
    assert_int_equal(value_of(FILL, 0, false), CAIRN_TRBE_VALUE_RESTART);
    assert_int_equal(value_of(FILL, TRIGGERED | SR_TRG, false), CAIRN_TRBE_VALUE_RESTART);
    assert_int_equal(value_of(FILL | LIMITR_E, 0, false), CAIRN_TRBE_VALUE_UNKNOWN);
    /* proves: R_XZWXQ */
    assert_int_equal(value_of(FILL, STAGE_1(0x10) | SR_EA, false), CAIRN_TRBE_VALUE_FAULT);
    assert_int_equal(value_of(FILL, TRIGGERED | SR_EA, false), CAIRN_TRBE_VALUE_FAULT);
    assert_int_equal(value_of(FILL, STAGE_2(0x21), false), CAIRN_TRBE_VALUE_FAULT);
    assert_int_equal(value_of(FILL, 0, true), CAIRN_TRBE_VALUE_FAULT);
    assert_int_equal(value_of(FILL | LIMITR_E, STAGE_1(0x10) | SR_EA, false),
                     CAIRN_TRBE_VALUE_UNKNOWN);
}

/* An MMU fault is no end: mend it and go on; trace is lost meanwhile. Other faults are. */
static void after_a_fault(void **state)
{
    (void)state;
    const struct cairn_trbe_session mmu = session_of(FILL, BASE + 0x40, STAGE_1(0x07));
    /* proves: I_CRSGP */
    assert_int_equal(extent_of(&mmu).value, CAIRN_TRBE_VALUE_RESTART);
    assert_finds(&mmu, CAIRN_TRBE_FINDS_STOPPED, "after that is lost");
    assert_finds(&mmu, CAIRN_TRBE_FINDS_STOPPED, "may go on from this pointer");
    const struct cairn_trbe_session alignment = session_of(FILL, BASE + 0x40, STAGE_1(0x21));
    /* proves: I_VRFQC */
    assert_finds(&alignment, CAIRN_TRBE_FINDS_STOPPED, "is a fault value: start anew");
}

/* What helps depends on who marks pages as accessed and dirty (TRBIDR_EL1.F). */
static void advice(void **state)
{
    struct cairn_trbe_session session = session_of(FILL, BASE, STAGE_1(0x07));

    (void)state;
    /* proves: S_GTLCY */
    assert_finds(&session, CAIRN_TRBE_FINDS_STOPPED, "pin the buffer's pages");
    session.TRBSR = STAGE_1(0x0b);
    assert_finds(&session, CAIRN_TRBE_FINDS_STOPPED, "mark the buffer's pages as accessed");
    session.TRBSR = STAGE_1(0x0f);
    assert_finds(&session, CAIRN_TRBE_FINDS_STOPPED, "mark them as dirty beforehand");
    session.TRBIDR = 1u << 5;
    assert_finds(&session, CAIRN_TRBE_FINDS_STOPPED, "manages the Access flag");
    session.TRBSR = STAGE_1(0x0b);
    assert_finds(&session, CAIRN_TRBE_FINDS_STOPPED, "manages the Access flag");
}

static void contradictions(void **state)
{
    static const uint64_t rings[] = {WRAP_MODE, CIRCULAR};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct cairn_trbe_session ring = session_of(rings[i], BASE, FILLED | SR_WRAP);
        assert_finds(&ring, CAIRN_TRBE_FINDS_STATUS, "was filled, but in");
    }
    struct cairn_trbe_session session = session_of(FILL | IGNORE_TRIGGER, BASE, TRIGGERED | SR_TRG);
    assert_finds(&session, CAIRN_TRBE_FINDS_STATUS, "Ignore trigger none does");
    session = session_of(FILL, BASE, TRIGGERED);
    assert_finds(&session, CAIRN_TRBE_FINDS_STATUS, "TRG is 0");
    session = session_of(FILL, BASE + 8, TRIGGERED | SR_TRG);
    assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_STATUS, NULL), 0);
    session = session_of(FILL | LIMITR_E, BASE, 0);
    assert_finds(&session, CAIRN_TRBE_FINDS_ENABLED, "TRBLIMITR_EL1.E is 1");
    assert_true(extent_of(&session).approximate);
    session = session_of(FILL | nVM, BASE, 0);
    assert_finds(&session, CAIRN_TRBE_FINDS_PHYSICAL, "physical");
}

/* nVM: the unit's attributes are TRBMAR_EL1's, and the reader's may be others. */
static void attributes(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 8; bits++) {
        struct cairn_trbe_session session = session_of(FILL | (bits & 1 ? nVM : 0), BASE, 0);
        session.TRBMAR = 0x344; /* Outer Shareable, Normal Non-cacheable */
        session.has_TRBMAR = bits & 2;
        session.has_mapping = bits & 4;
        session.mapping = 0xff; /* Normal Write-Back */
        /* proves: S_ZMPXW */
        assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_ATTRIBUTES, NULL), bits == 7);
        session.mapping = 0x44;
        assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_ATTRIBUTES, NULL), 0);
    }
}

static void reserved(void **state)
{
    (void)state;
    for (uint64_t fields = 0; fields < 16; fields++) {
        const uint64_t FM = fields & 3, TM = fields >> 2;
        const struct cairn_trbe_session session = session_of(FM << 1 | TM << 3, BASE, 0);
        /* proves: REG_TRBLIMITR */
        assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_RESERVED, NULL),
                         (FM == 2) + (TM == 2));
    }
    for (unsigned align = 0; align < 16; align++) {
        struct cairn_trbe_session session = session_of(FILL, BASE + 1, 0);
        session.TRBIDR = align;
        /* proves: REG_TRBIDR */
        assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_RESERVED, NULL), align > 11);
        assert_int_equal(findings_of(&session, CAIRN_TRBE_FINDS_MISALIGNED, NULL),
                         align >= 1 && align <= 11);
    }
}

/* Stop on trigger in a ring that wrapped: the whole size is there. What the counter began with says how
 * much is behind the trigger. */
static struct cairn_trbe_extent stopped_with(uint64_t counter)
{
    struct cairn_trbe_session session =
        session_of(CIRCULAR | STOP_ON_TRIGGER, BASE + 0x700, TRIGGERED | SR_TRG | SR_WRAP);

    session.has_trigger = session.has_TRBTRG = true;
    session.trigger = counter;
    return extent_of(&session);
}

static void trigger(void **state)
{
    (void)state;
    /* before: it may be the newest byte; around: half is behind; after: all is. One unit more may have
     * been counted at once, which is one byte where Align is 0. */
    /* proves: S_DHJTB */
    assert_int_equal(stopped_with(0).trigger_to, SIZE);
    assert_int_equal(stopped_with(SIZE / 2).trigger_to, SIZE / 2 + 1);
    assert_int_equal(stopped_with(SIZE).trigger_to, 1);
    assert_true(stopped_with(0).has_trigger && stopped_with(SIZE).has_trigger);
    assert_false(stopped_with(SIZE + 2).has_trigger); /* it was overwritten */
    /* still counting: 0x300 of 0x1000 bytes */
    struct cairn_trbe_session session = started(session_of(CIRCULAR, BASE + 0x700, SR_TRG), BASE);
    session.has_trigger = session.has_TRBTRG = true;
    session.trigger = 0x1000;
    session.TRBTRG = 0xd00;
    assert_int_equal(extent_of(&session).trigger_from, 0x400);
    assert_int_equal(extent_of(&session).trigger_to, 0x401);
    assert_finds(&session, CAIRN_TRBE_FINDS_TRIGGER, "between offsets 1024 and 1025");
    session.TRBIDR = 6;
    assert_int_equal(extent_of(&session).trigger_to, 0x440);
    session.has_TRBIDR = false; /* up to 2 KB, and no further than what there is */
    assert_int_equal(extent_of(&session).trigger_to, 0x700);
    /* the byte that failed may have been counted as well */
    session.has_TRBIDR = true;
    session.TRBIDR = 0;
    session.TRBSR = SR_TRG | STAGE_1(0x07);
    assert_int_equal(extent_of(&session).trigger_to, 0x402);
    /* none was detected, or it is not known what was counted */
    session.TRBSR = 0;
    assert_false(extent_of(&session).has_trigger);
    session.TRBSR = SR_TRG;
    session.TRBTRG = 0x1001;
    assert_false(extent_of(&session).has_trigger);
    session.has_TRBTRG = false;
    assert_false(extent_of(&session).has_trigger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons),    cmocka_unit_test(bits),
        cmocka_unit_test(words),      cmocka_unit_test(disabled_early),
        cmocka_unit_test(neutral),    cmocka_unit_test(exact),
        cmocka_unit_test(restart),    cmocka_unit_test(after_a_fault),
        cmocka_unit_test(advice),     cmocka_unit_test(contradictions),
        cmocka_unit_test(reserved),   cmocka_unit_test(trigger),
        cmocka_unit_test(attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
