/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet writer at every border: the greatest value that a field holds, and the first that it
 * does not. Widths and reserved values are DDI0608 D5's, those of ETMv4 alone docs/trace.md's. */
#include "writer_session.h"

#define IRQ 0x0e

/* D5.13: TYPE has five bits, and in ETMv4 ten; E says something of an address alone. */
static void test_exceptions(void **state)
{
    struct session s;
    struct cairn_context context = {.EL = 1};

    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION, P(.flags = ADDRESS, .type = 0x1f), "06 3f 90");
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION, P(.flags = ADDRESS, .type = IRQ, .sub_isa = 2));
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION, P(.flags = ADDRESS, .type = IRQ, .info = 0x80));
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION,
                   P(.flags = ADDRESS | CONTEXT, .type = IRQ, .address_bits = 17));
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION,
                   P(.flags = ADDRESS | CONTEXT, .type = IRQ, .address_bits = 0));
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS | CONTEXT, .type = IRQ, .sub_isa = 1, .address = 0x102,
                    .address_bits = 32, .context = context),
                  "06 1d 83 01 01 00 00 01");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS | CONTEXT, .type = IRQ, .sub_isa = 1, .address = 0x102,
                    .address_bits = 64, .context = context),
                  "06 1d 86 01 01 00 00 00 00 00 00 01");
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION,
                   P(.flags = ADDRESS | CONTEXT, .type = IRQ, .sub_isa = 1, .address = 0x102,
                     .address_bits = 64, .context = {.EL = 4}));
    session_end(&s);

    session_begin_etmv4(&s);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION, P(.type = 0x1f), "06 3e");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION, P(.type = 0x20), "06 80 01");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION, P(.type = 0x3ff), "06 be 1f");
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION, P(.type = 0x400));
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION, P(.flags = E10, .type = 0x1f));
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION, P(.type = 0x18), "06 30"); /* no transactions */
    session_end(&s);
}

/* D5.7: a section's value without its bit in PLCTL, bits that nothing defines, and the threshold
 * that cycle counts are without from there on. */
static void test_trace_info(void **state)
{
    struct session s;

    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    for (unsigned bit = 4; bit < 8; bit++)
        assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = (uint16_t)(1u << bit)));
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 2));
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 0xc, .info = 1));
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 0xd, .value = 1));
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 9, .count = 1));
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 5, .cycles = 1));
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT, .type = 9, .info = 1, .cycles = 7),
                  "01 09 01 07");
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = CYCLES, .cycles = 6));
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = CYCLES, .cycles = 7), "0e 00 00");
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT, .type = 9, .cycles = 7),
                  "01 09 00 07"); /* CC 0 */
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = CYCLES, .cycles = 6), "0e 00 06");
    session_end(&s);

    session_begin_etmv4(&s);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT, .type = 2, .value = UINT32_MAX),
                  "01 02 ff ff ff ff 0f");
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 2, .value = UINT64_C(1) << 32));
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 1, .info = 0x80));
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 1, .value = 1));
    for (unsigned bit = 4; bit < 8; bit++)
        assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = (uint16_t)(1u << bit)));
    session_end(&s);
}

/* D5.26 to D5.34, below the threshold and above the field. */
static void test_cycle_counts(void **state)
{
    struct session s;

    (void)state;
    for (unsigned commopt = 0; commopt < 2; commopt++) {
        const unsigned commits = commopt ? 0 : 1;
        const uint32_t flags = CYCLES | (commopt ? 0 : COUNT);

        session_begin_ete(&s, commopt);
        session_start(&s);
        assert_packet(&s, CAIRN_ETMV4_TRACE_INFO,
                      P(.flags = COUNT, .type = 9, .info = 1, .cycles = 4), "01 09 01 04");
        assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                      P(.flags = flags, .count = commits, .cycles = 19),
                      commopt ? "0d ff" : "0c 0f");
        assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                       P(.flags = flags, .count = commits, .cycles = 20));
        assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                       P(.flags = flags, .count = commits, .cycles = 3));
        assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                       P(.flags = flags & ~(uint32_t)CYCLES, .count = commits, .cycles = 5));
        assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F3,
                      P(.flags = flags, .count = commits, .cycles = 7), "13");
        assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F3,
                       P(.flags = flags, .count = commits, .cycles = 8));
        assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F3,
                       P(.flags = flags, .count = commits, .cycles = 3));
        assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F3, P(.count = commits, .cycles = 5));
        session_end(&s);
    }
    session_begin_ete(&s, false);
    session_start(&s);
    /* without CC there is no threshold; MAXSPEC 64: formats 2 reach 1 to 16 and 49 to 64 */
    assert_writes(&s, CAIRN_ETMV4_CYCLE_COUNT_F1,
                  P(.flags = COUNT | CYCLES, .count = UINT32_MAX, .cycles = 0xfffff),
                  "0e ff ff ff ff 0f ff ff 3f");
    assert_writes(&s, CAIRN_ETMV4_CYCLE_COUNT_F2, P(.flags = COUNT | CYCLES, .count = 1), "0c 00");
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F2, P(.flags = COUNT | CYCLES, .count = 17));
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F3, P(.flags = CYCLES));
    assert_writes(&s, CAIRN_ETMV4_CYCLE_COUNT_F3, P(.flags = COUNT | CYCLES, .count = 1), "10");
    session_end(&s);
}

/* D5.35 to D5.46: how many atoms and how many elements each format is of. */
static void test_atoms_and_counts(void **state)
{
    static const struct {
        unsigned kind, least, most;
    } rows[] = {
        {CAIRN_ETMV4_ATOM_F1, 1, 1},  {CAIRN_ETMV4_ATOM_F2, 2, 2},   {CAIRN_ETMV4_ATOM_F3, 3, 3},
        {CAIRN_ETMV4_ATOM_F4, 4, 4},  {CAIRN_ETMV4_ATOM_F5_1, 5, 5}, {CAIRN_ETMV4_ATOM_F5_2, 5, 5},
        {CAIRN_ETMV4_ATOM_F6, 4, 24},
    };
    struct session s;
    uint8_t bytes[8];

    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (unsigned count = 0; count < 32; count++) {
            unsigned forms = 0; /* patterns of so many atoms, of those that end in E and begin so */
            for (uint32_t atoms = 0; atoms < 32; atoms++)
                forms += cairn_packet_write(s.writer, rows[i].kind,
                                            P(.atom_count = (uint8_t)count, .atoms = atoms), bytes,
                                            sizeof bytes) == 1;
            if (count >= rows[i].least && count <= rows[i].most && count <= 5)
                assert_true(forms > 0);
            if (count < rows[i].least || count > rows[i].most)
                assert_int_equal(forms, 0);
        }
    assert_writes(&s, CAIRN_ETMV4_COMMIT, P(.count = UINT32_MAX), "2d ff ff ff ff 0f");
    assert_writes(&s, CAIRN_ETMV4_CANCEL_F1, P(.count = UINT32_MAX), "2e ff ff ff ff 0f");
    assert_refused(&s, CAIRN_ETMV4_CANCEL_F2, P(.count = 0));
    assert_refused(&s, CAIRN_ETMV4_CANCEL_F2, P(.count = 1, .atom_count = 3, .atoms = 7));
    assert_refused(&s, CAIRN_ETMV4_CANCEL_F3, P(.count = 1));
    assert_refused(&s, CAIRN_ETMV4_CANCEL_F3, P(.count = 2, .atom_count = 2, .atoms = 3));
    assert_refused(&s, CAIRN_ETMV4_MISPREDICT, P(.atom_count = 3, .atoms = 7));
    assert_writes(&s, CAIRN_ETMV4_Q_COUNT, P(.flags = COUNT, .count = UINT32_MAX),
                  "ac ff ff ff ff 0f");
    assert_writes(&s, CAIRN_ETMV4_INSTRUMENTATION, P(.info = 3, .value = 1),
                  "09 03 01 00 00 00 00 00 00 00");
    session_end(&s);
}

/* D5.55: EL, security and SF, and identifiers of the width of the unit's. */
static void test_contexts(void **state)
{
    struct session s;

    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = {.EL = 3}), "81 03");
    assert_refused(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = {.EL = 4}));
    assert_refused(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = {.SF = 2}));
    assert_refused(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = {.security = 4}));
    assert_refused(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = {.sbz = 8}));
    assert_packet(&s, CAIRN_ETMV4_CONTEXT,
                  P(.flags = CONTEXT | CAIRN_PACKET_SBZ, .context = {.sbz = 4}), "81 04");
    /* what Context without payload repeats, member by member */
    assert_packet(&s, CAIRN_ETMV4_CONTEXT,
                  P(.flags = CONTEXT | VMID | CONTEXTID,
                    .context = {.EL = 1, .security = 1, .SF = 1, .vmid = 2, .context_id = 3}),
                  "81 f1 02 00 00 00 03 00 00 00");
    for (unsigned other = 0; other < 7; other++) {
        struct cairn_context context = {
            .EL = 1, .security = 1, .SF = 1, .vmid = 2, .context_id = 3};

        context.EL = (uint8_t)(context.EL + (other == 1));
        context.security = (uint8_t)(context.security + (other == 2));
        context.SF = (uint8_t)(context.SF - (other == 3));
        context.sbz = (uint8_t)(context.sbz + (other == 4));
        context.vmid += other == 5;
        context.context_id += other == 6;
        if (other)
            assert_refused(&s, CAIRN_ETMV4_CONTEXT_SAME, P(.flags = CONTEXT, .context = context));
        else
            assert_writes(&s, CAIRN_ETMV4_CONTEXT_SAME, P(.flags = CONTEXT, .context = context),
                          "80");
    }
    session_end(&s);

    session_begin_etmv4(&s);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT | VMID, .context = {.vmid = 0xff}),
                  "81 40 ff");
    assert_packet(&s, CAIRN_ETMV4_CONTEXT, /* D5.55: without FEAT_RME bit 3 is reserved as well */
                  P(.flags = CONTEXT | CAIRN_PACKET_SBZ, .context = {.sbz = 0xc, .vmid = 0xff}),
                  "81 0c");
    assert_refused(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = {.security = 2}));
    session_end(&s);
}

/* Headers with a number in their low bits, and what ETMv4's conditional packets hold. */
static void test_numbers(void **state)
{
    static const struct {
        unsigned kind, most;
        const char *bytes;
    } rows[] = {
        {CAIRN_ETMV4_DATA_SYNC_NUMBERED, 7, "27"},  {CAIRN_ETMV4_DATA_SYNC_UNNUMBERED, 4, "2c"},
        {CAIRN_ETMV4_COND_INSTRUCTION_F2, 2, "42"}, {CAIRN_ETMV4_COND_RESULT_F4, 2, "46"},
        {CAIRN_ETMV4_COND_RESULT_F2, 6, "4e"},      {CAIRN_ETMV4_EVENT, 15, "7f"},
    };
    struct session s;

    (void)state;
    session_begin_etmv4(&s);
    session_start(&s);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_writes(&s, rows[i].kind, P(.type = (uint16_t)rows[i].most), rows[i].bytes);
        assert_refused(&s, rows[i].kind, P(.type = (uint16_t)(rows[i].most + 1)));
    }
    assert_writes(&s, CAIRN_ETMV4_COND_INSTRUCTION_F1, P(.value = UINT32_MAX), "6c ff ff ff ff 0f");
    assert_refused(&s, CAIRN_ETMV4_COND_INSTRUCTION_F1, P(.value = UINT64_C(1) << 32));
    assert_writes(&s, CAIRN_ETMV4_COND_INSTRUCTION_F3, P(.value = 0xff), "6d ff");
    assert_refused(&s, CAIRN_ETMV4_COND_INSTRUCTION_F3, P(.value = 0x100));
    assert_writes(&s, CAIRN_ETMV4_COND_RESULT_F3, P(.value = 0xfff), "5f ff");
    for (unsigned type = 0; type < 9; type++) {
        static const bool exists[9] = {true, true, true, true, false, false, true, true, false};
        const bool two = type < 4;
        const struct cairn_packet_fields most = {.type = (uint16_t)type,
                                                 .value = two ? UINT64_MAX : UINT32_MAX,
                                                 .info = two ? 0xff : 0xf};
        uint8_t bytes[13];

        /* a key of 32 bits takes five groups of seven behind its first three */
        assert_int_equal(cairn_packet_write(s.writer, CAIRN_ETMV4_COND_RESULT_F1, &most, bytes, 13),
                         exists[type] ? 7 + 6 * two : 0);
        for (unsigned bit = 0; bit < 64; bit++)
            assert_int_equal(
                cairn_packet_write(s.writer, CAIRN_ETMV4_COND_RESULT_F1,
                                   P(.type = (uint16_t)type, .value = UINT64_C(1) << bit), bytes,
                                   13) != 0,
                exists[type] && (two || bit < 32));
        for (unsigned bit = 0; bit < 8; bit++)
            assert_int_equal(
                cairn_packet_write(s.writer, CAIRN_ETMV4_COND_RESULT_F1,
                                   P(.type = (uint16_t)type, .info = (uint8_t)(1u << bit)), bytes,
                                   13) != 0,
                exists[type] && (two || bit < 4));
    }
    session_end(&s);
}

/* Kinds that a version, or a unit without the option, does not have (DDI0608 D5, docs/trace.md). */
static void test_kinds(void **state)
{
    static const unsigned of_etmv4[] = {
        CAIRN_ETMV4_FUNCTION_RETURN,      CAIRN_ETMV4_EXCEPTION_RETURN,
        CAIRN_ETMV4_BRANCH_FUTURE_FLUSH,  CAIRN_ETMV4_DATA_SYNC_NUMBERED,
        CAIRN_ETMV4_DATA_SYNC_UNNUMBERED, CAIRN_ETMV4_COND_INSTRUCTION_F1,
        CAIRN_ETMV4_COND_INSTRUCTION_F2,  CAIRN_ETMV4_COND_INSTRUCTION_F3,
        CAIRN_ETMV4_COND_FLUSH,           CAIRN_ETMV4_COND_RESULT_F1,
        CAIRN_ETMV4_COND_RESULT_F2,       CAIRN_ETMV4_COND_RESULT_F3,
        CAIRN_ETMV4_COND_RESULT_F4,
    };
    static const unsigned of_ete[] = {
        CAIRN_ETMV4_TRANSACTION_START,   CAIRN_ETMV4_TRANSACTION_COMMIT,
        CAIRN_ETMV4_TRANSACTION_FAILURE, CAIRN_ETMV4_PE_RESET,
        CAIRN_ETMV4_TIMESTAMP_MARKER,    CAIRN_ETMV4_INSTRUMENTATION,
        CAIRN_ETMV4_SOURCE_EXACT,        CAIRN_ETMV4_SOURCE_SHORT_IS0,
        CAIRN_ETMV4_SOURCE_SHORT_IS1,    CAIRN_ETMV4_SOURCE_32_IS0,
        CAIRN_ETMV4_SOURCE_32_IS1,       CAIRN_ETMV4_SOURCE_64_IS0,
        CAIRN_ETMV4_SOURCE_64_IS1,
    };
    static const unsigned broken[] = {CAIRN_ETMV4_NOT_SYNC, CAIRN_ETMV4_RESERVED, CAIRN_ETMV4_CUT,
                                      CAIRN_ETMV4_INCOMPLETE};
    /* `type` 0x18 is Transaction Failure's; addresses 0 are in the history of every start */
    const struct cairn_packet_fields any = {.flags = ADDRESS};
    uint8_t bytes[24];
    struct session ete, etmv4;

    (void)state;
    session_begin_ete(&ete, false);
    session_begin_etmv4(&etmv4);
    session_start(&ete);
    session_start(&etmv4);
    for (size_t i = 0; i < COUNT_OF(of_etmv4); i++) {
        struct cairn_packet_fields fields = any;

        assert_int_equal(cairn_packet_write(ete.writer, of_etmv4[i], &fields, bytes, 24), 0);
        assert_true(cairn_packet_write(etmv4.writer, of_etmv4[i], &fields, bytes, 24) > 0);
    }
    for (size_t i = 0; i < COUNT_OF(of_ete); i++) {
        const unsigned kind = of_ete[i];
        struct cairn_packet_fields fields = any;

        fields.sub_isa = kind == CAIRN_ETMV4_SOURCE_SHORT_IS1 ||
                         kind == CAIRN_ETMV4_SOURCE_32_IS1 || kind == CAIRN_ETMV4_SOURCE_64_IS1;
        assert_int_equal(cairn_packet_write(etmv4.writer, kind, &fields, bytes, 24), 0);
        assert_true(cairn_packet_write(ete.writer, kind, &fields, bytes, 24) > 0);
    }
    for (size_t i = 0; i < COUNT_OF(broken); i++) {
        assert_int_equal(cairn_packet_write(ete.writer, broken[i], &any, bytes, 24), 0);
        assert_int_equal(cairn_packet_write(etmv4.writer, broken[i], &any, bytes, 24), 0);
    }
    session_end(&ete);
    session_end(&etmv4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exceptions),   cmocka_unit_test(test_trace_info),
        cmocka_unit_test(test_cycle_counts), cmocka_unit_test(test_atoms_and_counts),
        cmocka_unit_test(test_contexts),     cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_kinds),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
