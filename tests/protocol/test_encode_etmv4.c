/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet writer: cycle counts under both commit modes, and the packets that only some versions
 * have. Vectors by hand from DDI0608 D5 and docs/trace.md. */
#include "writer_session.h"

/* D5.26, D5.28, D5.30, D5.31, D5.33: COMMOPT 0, threshold 4, MAXSPEC 64. */
static void test_cycle_counts_with_commits(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT, .type = 9, .info = 1, .cycles = 4),
                  "01 09 01 04");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F1,
                  P(.flags = COUNT | CYCLES, .count = 2, .cycles = 14), "0e 02 0a");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = CYCLES, .cycles = 4), "0e 00 00");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = COUNT, .count = 128), "0f 80 01");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(0), "0f 00");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = CYCLES, .cycles = 0xfffff + 4),
                  "0e 00 ff ff 3f");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                  P(.flags = COUNT | CYCLES, .count = 3, .cycles = 9), "0c 25");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                  P(.flags = COUNT | CYCLES, .count = 16, .cycles = 19), "0c ff");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                  P(.flags = COUNT | CYCLES, .count = 64, .cycles = 4), "0d f0");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                  P(.flags = COUNT | CYCLES, .count = 49, .cycles = 5), "0d 01");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F3,
                  P(.flags = COUNT | CYCLES, .count = 4, .cycles = 5), "1d");
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = CYCLES, .cycles = 3));
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = CYCLES, .cycles = 0x100004));
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                   P(.flags = COUNT | CYCLES, .count = 48, .cycles = 5));
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F2,
                   P(.flags = COUNT | CYCLES, .count = 65, .cycles = 5));
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F2, P(.flags = CYCLES, .cycles = 5));
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F3,
                   P(.flags = COUNT | CYCLES, .count = 5, .cycles = 5));
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F3,
                   P(.flags = COUNT | CYCLES, .count = 1, .cycles = 8));
    session_end(&s);
}

/* D5.27, D5.29, D5.32, D5.34: COMMOPT 1. */
static void test_cycle_counts_without_commits(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, true);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT, .type = 9, .info = 1, .cycles = 4),
                  "01 09 01 04");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = CYCLES, .cycles = 14), "0e 0a");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(0), "0f");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F2, P(.flags = CYCLES, .cycles = 7), "0d f3");
    assert_packet(&s, CAIRN_ETMV4_CYCLE_COUNT_F3, P(.flags = CYCLES, .cycles = 6), "12");
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F1, P(.flags = COUNT, .count = 1));
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F2, P(.flags = COUNT | CYCLES, .count = 1));
    assert_refused(&s, CAIRN_ETMV4_CYCLE_COUNT_F3,
                   P(.flags = COUNT | CYCLES, .count = 1, .cycles = 5));
    session_end(&s);
}

/* Header 09: EL in one byte, then eight bytes of value (ETE 1.3). */
static void test_instrumentation(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_INSTRUMENTATION, P(.info = 2, .value = 0x0102030405060708),
                  "09 02 08 07 06 05 04 03 02 01");
    assert_refused(&s, CAIRN_ETMV4_INSTRUMENTATION, P(.info = 4));
    session_end(&s);
}

/* What ETMv4 has and ETE has not. */
static void test_etmv4(void **state)
{
    struct session s;
    (void)state;
    session_begin_etmv4(&s);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO,
                  P(.flags = COUNT, .type = 3, .info = 0x0e, .value = 130), "01 03 0e 82 01");
    assert_packet(&s, CAIRN_ETMV4_FUNCTION_RETURN, P(0), "05");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION_RETURN, P(0), "07");
    assert_packet(&s, CAIRN_ETMV4_BRANCH_FUTURE_FLUSH, P(0), "00 07");
    assert_packet(&s, CAIRN_ETMV4_DATA_SYNC_NUMBERED, P(.type = 7), "27");
    assert_packet(&s, CAIRN_ETMV4_DATA_SYNC_UNNUMBERED, P(.type = 4), "2c");
    assert_packet(&s, CAIRN_ETMV4_COND_INSTRUCTION_F1, P(.value = 200), "6c c8 01");
    assert_packet(&s, CAIRN_ETMV4_COND_INSTRUCTION_F2, P(.type = 2), "42");
    assert_packet(&s, CAIRN_ETMV4_COND_INSTRUCTION_F3, P(.value = 0x0b), "6d 0b");
    assert_packet(&s, CAIRN_ETMV4_COND_FLUSH, P(0), "43");
    assert_packet(&s, CAIRN_ETMV4_COND_RESULT_F4, P(.type = 1), "45");
    assert_packet(&s, CAIRN_ETMV4_COND_RESULT_F2, P(.type = 6), "4e");
    assert_refused(&s, CAIRN_ETMV4_COND_RESULT_F2, P(.type = 3));
    assert_refused(&s, CAIRN_ETMV4_TRANSACTION_START, P(0));
    assert_refused(&s, CAIRN_ETMV4_TIMESTAMP_MARKER, P(0));
    assert_refused(&s, CAIRN_ETMV4_PE_RESET, P(0));
    assert_refused(&s, CAIRN_ETMV4_SOURCE_SHORT_IS0, P(.address = 4));
    assert_refused(&s, CAIRN_ETMV4_INSTRUMENTATION, P(0));
    session_end(&s);
}

static void test_etmv4_conditional_results(void **state)
{
    struct session s;
    (void)state;
    session_begin_etmv4(&s);
    session_start(&s);
    assert_writes(&s, CAIRN_ETMV4_COND_RESULT_F3, P(.value = 0xa5c), "5a 5c");
    assert_writes(&s, CAIRN_ETMV4_COND_RESULT_F1,
                  P(.type = 1, .value = UINT64_C(0x300000002), .info = 0x01), "69 21 30");
    assert_writes(&s, CAIRN_ETMV4_COND_RESULT_F1, P(.type = 7, .value = 3), "6f 30");
    assert_writes(&s, CAIRN_ETMV4_COND_RESULT_F1, P(.type = 6, .value = 7, .info = 0xf), "6e 7f");
    assert_refused(&s, CAIRN_ETMV4_COND_RESULT_F1, P(.type = 4));
    assert_refused(&s, CAIRN_ETMV4_COND_RESULT_F1, P(.type = 7, .info = 0x10));
    assert_writes(&s, CAIRN_ETMV4_COND_RESULT_F1, P(.type = 7, .value = 8, .info = 5), "6f 85 01");
    assert_writes(&s, CAIRN_ETMV4_COND_RESULT_F1,
                  P(.type = 3, .value = UINT64_C(0xffffffff0000000b), .info = 0xa5),
                  "6b b5 01 fa ff ff ff ff 01");
    assert_refused(&s, CAIRN_ETMV4_COND_RESULT_F3, P(.value = 0x1000));
    session_end(&s);
}

/* A TYPE of more than five bits and a pending fault take a second information byte. */
static void test_etmv4_exceptions(void **state)
{
    struct session s;
    struct cairn_context context = {.EL = 1, .vmid = 0xab};
    (void)state;
    session_begin_etmv4(&s);
    session_start(&s);
    assert_packet(
        &s, CAIRN_ETMV4_EXCEPTION,
        P(.flags = ADDRESS, .type = 0x0b, .sub_isa = 1, .address = 0x102, .address_bits = 16),
        "06 17 96 81 01");
    assert_packet(
        &s, CAIRN_ETMV4_EXCEPTION,
        P(.flags = ADDRESS | E10, .type = 0x208, .sub_isa = 1, .address = 0x104, .address_bits = 8),
        "06 d0 10 96 02");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS, .type = 0x03, .info = 0x81, .sub_isa = 1, .address = 0x102),
                  "06 87 20 91");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION, P(.type = 0x1a), "06 34");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS | CONTEXT | VMID, .type = 1, .sub_isa = 1, .address = 0x102,
                    .address_bits = 32, .context = context),
                  "06 03 83 01 01 00 00 41 ab");
    context.vmid = 0x100; /* the unit's VMID has eight bits */
    assert_refused(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT | VMID, .context = context));
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION, P(.type = 0x400));
    session_end(&s);
}

/* Q packets are of ETE, and of ETMv4 where TRCIDR0.QSUPP says so. */
static void test_etmv4_without_q(void **state)
{
    static const unsigned kinds[] = {
        CAIRN_ETMV4_Q_EXACT,  CAIRN_ETMV4_Q_SHORT_IS0, CAIRN_ETMV4_Q_SHORT_IS1,
        CAIRN_ETMV4_Q_32_IS0, CAIRN_ETMV4_Q_32_IS1,    CAIRN_ETMV4_Q_COUNT,
        CAIRN_ETMV4_Q,
    };
    static const struct cairn_register registers[] = {
        {"TRCCONFIGR", 1},       {"TRCIDR0", 0x08000ee1}, {"TRCIDR1", 0x4100f420},
        {"TRCIDR2", 0x00000488}, {"TRCIDR8", 0},
    };
    struct session s;
    (void)state;
    session_begin(&s, CAIRN_PROTOCOL_ETMV4, (struct cairn_arch){CAIRN_PROFILE_M, 8, 1, 0},
                  registers, COUNT_OF(registers));
    session_start(&s);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        assert_refused(&s, kinds[i],
                       kinds[i] == CAIRN_ETMV4_Q         ? P(0)
                       : kinds[i] == CAIRN_ETMV4_Q_COUNT ? P(.flags = COUNT, .count = 5)
                                                         : P(.flags = COUNT | ADDRESS, .count = 5));
    session_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycle_counts_with_commits),
        cmocka_unit_test(test_cycle_counts_without_commits),
        cmocka_unit_test(test_instrumentation),
        cmocka_unit_test(test_etmv4),
        cmocka_unit_test(test_etmv4_conditional_results),
        cmocka_unit_test(test_etmv4_exceptions),
        cmocka_unit_test(test_etmv4_without_q),
    };
    return cmocka_run_group_tests_name("encode-etmv4", tests, NULL, NULL);
}
