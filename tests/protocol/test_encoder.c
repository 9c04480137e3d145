/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements in, bytes out that were written by hand from the layouts of DDI0608 D5 and its worked
 * examples (D11.1, D12, D14). */
#include "encoder_session.h"

#define IS0 0
#define IS1 1
#define IRQ 0x0e
#define DATA_FAULT 0x0c
#define CALL 0x02

static const struct cairn_context el1 = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};
static struct encoder_session session;

/* The start of the examples: Trace Info, Trace On, Context and Target Address 0x1000. */
static void start_at_1000(uint32_t maxspec, uint32_t choices)
{
    encoder_begin_ete(&session, maxspec, false, choices);
    encoder_start(&session);
    put_kind(&session, CAIRN_ELEMENT_TRACE_ON);
    put_context(&session, &el1);
    put_target(&session, 0x1000, IS0);
    expect_bytes(&session, "04 82 00 08 00 00 31");
}

static void test_example_filtering(void **state)
{
    (void)state;
    start_at_1000(0, 0); /* D11.1.1 */
    put_atoms(&session, "EN");
    put_exception(&session, IRQ, 0x2014, IS0);
    expect_bytes(&session, "d9 06 1d 95 85 10");
    put_kind(&session, CAIRN_ELEMENT_TRACE_ON); /* D11.1.2, the second half */
    put_target(&session, 0x2010, IS0);
    put_exception(&session, IRQ, 0x2014, IS0);
    expect_bytes(&session, "04 95 04 06 1d 91");
    expect_elements(&session);
    encoder_end(&session);
}

static void test_example_exceptions(void **state)
{
    (void)state;
    start_at_1000(8, 0); /* D12.1 */
    put_atoms(&session, "EN");
    put_value(&session, CAIRN_ELEMENT_CANCEL, 1);
    put_exception(&session, IRQ, 0x2000, IS0);
    put_value(&session, CAIRN_ELEMENT_COMMIT, 2);
    expect_bytes(&session, "d9 2e 01 06 1d 95 80 10 2d 02");
    expect_elements(&session);
    encoder_end(&session);

    start_at_1000(8, 0); /* D12.2 */
    put_atoms(&session, "EN");
    put_value(&session, CAIRN_ELEMENT_CANCEL, 1);
    put_exception(&session, DATA_FAULT, 0x2004, IS0);
    put_value(&session, CAIRN_ELEMENT_COMMIT, 2);
    expect_bytes(&session, "d9 2e 01 06 19 95 81 10 2d 02");
    encoder_end(&session);
}

/* D12.3: two exceptions in a row, both ways of stating the address between them. */
static void test_example_two_exceptions(void **state)
{
    (void)state;
    start_at_1000(8, CAIRN_ENCODER_EXPLICIT_ADDRESSES);
    put_atoms(&session, "EN");
    put_value(&session, CAIRN_ELEMENT_CANCEL, 1);
    put_exception(&session, DATA_FAULT, 0x2004, IS0);
    put_target(&session, 0x4000, IS0);
    put_exception(&session, IRQ, 0x4000, IS0);
    put_value(&session, CAIRN_ELEMENT_COMMIT, 3);
    expect_bytes(&session, "d9 2e 01 06 19 95 81 10 06 5c 95 80 20 2d 03");
    expect_elements(&session);
    encoder_end(&session);

    start_at_1000(8, 0);
    put_target(&session, 0x4000, IS0);
    put_exception(&session, IRQ, 0x4000, IS0);
    expect_bytes(&session, "95 80 20 06 1d 90");
    encoder_end(&session);
}

/* Tables D14.1 and D14.2, without and with a return stack. */
static void test_example_return(void **state)
{
    (void)state;
    start_at_1000(0, 0);
    put_atoms(&session, "ENE");
    put_target(&session, 0x1004, IS0);
    put_atoms(&session, "E");
    expect_bytes(&session, "fd 95 01 f7");
    encoder_end(&session);

    start_at_1000(0, 0);
    put_atoms(&session, "ENEE");
    expect_bytes(&session, "fd f7");
    encoder_end(&session);
}

/* D14.1.2, with COMMTRANS of 0: the transaction fails. */
static void test_example_transaction(void **state)
{
    (void)state;
    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    put_kind(&session, CAIRN_ELEMENT_TRACE_ON);
    put_context(&session, &el1);
    put_target(&session, 0x2000, IS0);
    put_atoms(&session, "E");
    put_kind(&session, CAIRN_ELEMENT_TRANSACTION_START);
    put_atoms(&session, "NE");
    put_target(&session, 0x3000, IS0);
    put_kind(&session, CAIRN_ELEMENT_TRANSACTION_FAILURE);
    put_target(&session, 0x2004, IS0);
    put_atoms(&session, "E");
    expect_bytes(&session, "04 82 00 10 00 00 31 f7 0a da 95 80 18 06 31 70 95 81 10 f7");
    put_kind(&session, CAIRN_ELEMENT_TRANSACTION_COMMIT);
    expect_bytes(&session, "0b");
    expect_elements(&session);
    encoder_end(&session);
}

/* D5.4 to D5.8, D5.10, D5.24. */
static void test_single_packets(void **state)
{
    (void)state;
    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    put_kind(&session, CAIRN_ELEMENT_DISCARD);
    expect_bytes(&session, "00 03");
    put_kind(&session, CAIRN_ELEMENT_OVERFLOW);
    expect_bytes(&session, "00 05");
    put_kind(&session, CAIRN_ELEMENT_DISCARD); /* one packet states both */
    put_kind(&session, CAIRN_ELEMENT_OVERFLOW);
    expect_bytes(&session, "00 05");
    put_kind(&session, CAIRN_ELEMENT_TIMESTAMP_MARKER);
    expect_bytes(&session, "88");
    put(&session, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN, D(.value = 0));
    expect_bytes(&session, "06 01 70");                 /* PE Reset */
    put_kind(&session, CAIRN_ELEMENT_EXCEPTION_RETURN); /* ETE has none */
    put_kind(&session, CAIRN_ELEMENT_FUNCTION_RETURN);
    expect_bytes(&session, "");
    encoder_end(&session);
}

/* An Atom that is put as an element like all others (D5.42: 0b001 is E, N, N). */
static void test_atoms_as_elements(void **state)
{
    (void)state;
    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    put(&session, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E, D(.nth = 0));
    put(&session, CAIRN_ELEMENT_ATOM, 0, D(.nth = 0));
    put(&session, CAIRN_ELEMENT_ATOM, 0, D(.nth = 0));
    expect_bytes(&session, "f9");
    encoder_end(&session);
}

static void test_trace_info(void **state)
{
    (void)state;
    encoder_begin_ete(&session, 200, false, 0);
    put_trace_info(&session, 0, 0, 0);
    /* proves: R_VRKLP */
    expect_bytes(&session, "0000000000000000000000 80 01 00");
    put_trace_info(&session, 0x40, 0, 0);
    expect_bytes(&session, "01 01 40");
    put_trace_info(&session, 0, 127, 0);
    expect_bytes(&session, "01 04 7f");
    put_trace_info(&session, 1, 0, 4);
    expect_bytes(&session, "01 09 01 04");
    put_trace_info(&session, 0x41, 128, 0xfff);
    expect_bytes(&session, "01 0d 41 80 01 ff 1f");
    put_trace_info(&session, 0, 0, 4); /* without cycle counting there is no threshold */
    expect_bytes(&session, "01 00");
    put_kind(&session, CAIRN_ELEMENT_A_SYNC);
    put_trace_info(&session, 1, 0, 0);
    expect_bytes(&session, "0000000000000000000000 80 01 01 01");
    encoder_end(&session);
}

/* D5.9: seven bits a byte, as far as they changed; nine bytes hold all 64. */
static void test_timestamps(void **state)
{
    const unsigned timestamp = CAIRN_ELEMENT_TIMESTAMP;
    (void)state;

    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    put_value(&session, timestamp, 0x12345);
    expect_bytes(&session, "02 c5 c6 04");
    put_value(&session, timestamp, 0x12346);
    expect_bytes(&session, "02 46");
    put_value(&session, timestamp, 0x123c6);
    expect_bytes(&session, "02 c6 47");
    put_value(&session, timestamp, 0xfffffffffffffffe);
    expect_bytes(&session, "02 fe ff ff ff ff ff ff ff ff");
    put_value(&session, timestamp, 0xfffffffffffffffe);
    expect_bytes(&session, "02 7e");
    put(&session, timestamp, CAIRN_ELEMENT_CYCLES, D(.value = 0xffffffffffffffff, .cycles = 0));
    expect_bytes(&session, "03 7f 00");
    put(&session, timestamp, CAIRN_ELEMENT_CYCLES, D(.value = 0xffffffffffffffff, .cycles = 999));
    expect_bytes(&session, "03 7f e7 07");
    put_trace_info(&session, 0, 0, 0);
    put_value(&session, timestamp, 0xff);
    /* proves: R_GPGQQ */
    expect_bytes(&session, "01 00 02 ff 01");
    put(&session, timestamp, CAIRN_ELEMENT_UNKNOWN, D(0));
    expect_bytes(&session, "02 80 00");
    expect_elements(&session);
    encoder_end(&session);
}

static void put_cycles(uint64_t cycles)
{
    put_value(&session, CAIRN_ELEMENT_CYCLE_COUNT, cycles);
}

static void put_commit(uint64_t count)
{
    put_value(&session, CAIRN_ELEMENT_COMMIT, count);
}

/* D5.26, D5.28, D5.30, D5.31, D5.33: COMMOPT is 0, the threshold 10, MAXSPEC 40. */
static void test_cycles_with_commits(void **state)
{
    static const struct {
        unsigned commits, cycles;
        const char *hex;
    } cases[] = {
        {1, 10, "10"},        {4, 13, "1f"},           {2, 12, "16"},
        {1, 14, "0c 04"},     {5, 10, "0c 40"},        {16, 25, "0c ff"},
        {25, 10, "0d 00"},    {40, 25, "0d ff"},       {24, 10, "0e 18 00"},
        {17, 10, "0e 11 00"}, {1, 26, "0e 01 10"},     {40, 1000, "0e 28 de 07"},
        {0, 10, "0e 00 00"},  {0, 138, "0e 00 80 01"}, {3, 0x100009, "0e 03 ff ff 3f"},
    };
    (void)state;

    encoder_begin_ete(&session, 40, false, 0);
    put_trace_info(&session, 1, 0, 10);
    flush(&session);
    session.checked = session.size;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (cases[i].commits)
            put_commit(cases[i].commits);
        put_cycles(cases[i].cycles);
        expect_bytes(&session, cases[i].hex);
    }
    put_commit(3);
    put(&session, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_UNKNOWN, D(0));
    expect_bytes(&session, "0f 03");
    put(&session, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_UNKNOWN, D(0));
    expect_bytes(&session, "0f 00");
    expect_elements(&session);
    encoder_end(&session);
}

/* D5.27, D5.29, D5.32, D5.34: COMMOPT is 1, the threshold 10. */
static void test_cycles_without_commits(void **state)
{
    (void)state;
    encoder_begin_ete(&session, 40, true, 0);
    put_trace_info(&session, 1, 0, 10);
    flush(&session);
    session.checked = session.size;
    put_cycles(10);
    expect_bytes(&session, "10");
    put_cycles(13);
    expect_bytes(&session, "13");
    put_cycles(14);
    expect_bytes(&session, "0d f4");
    put_cycles(25);
    expect_bytes(&session, "0d ff");
    put_cycles(26);
    expect_bytes(&session, "0e 10");
    put_cycles(138);
    expect_bytes(&session, "0e 80 01");
    put(&session, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_UNKNOWN, D(0));
    expect_bytes(&session, "0f");
    put_commit(2);
    put_cycles(10);
    expect_bytes(&session, "2d 02 10");
    expect_elements(&session);
    encoder_end(&session);
}

static void test_commits(void **state)
{
    (void)state;
    encoder_begin_ete(&session, 4, false, 0);
    put_trace_info(&session, 1, 0, 0);
    flush(&session);
    session.checked = session.size;
    put_atoms(&session, "EEEE");
    put_atoms(&session, "E");
    put(&session, CAIRN_ELEMENT_COMMIT, CAIRN_ELEMENT_IMPLIED, D(.value = 1));
    put_atoms(&session, "E");
    put(&session, CAIRN_ELEMENT_COMMIT, CAIRN_ELEMENT_IMPLIED, D(.value = 1));
    /* proves: R_YKLRM */
    expect_bytes(&session, "c2"); /* and the atoms are still in one packet */
    put_commit(2);
    put_cycles(3);
    put_commit(1);
    /* proves: R_ZHWDD */
    expect_bytes(&session, "17 2d 01");
    put_atoms(&session, "EN");
    put_commit(1);
    put_atoms(&session, "N");
    put_commit(1);
    flush(&session); /* nothing stays inside */
    /* proves: I_LMVMT */
    assert_memory_equal(session.bytes + session.size - 6, "\xd9\x2d\x01\xf6\x2d\x01", 6);
    /* proves: R_VNYMN */
    expect_elements(&session);
    encoder_end(&session);
}

/* D5.68: a packet lists its events in ascending order. */
static void test_events(void **state)
{
    const unsigned event = CAIRN_ELEMENT_EVENT;
    (void)state;

    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    put_value(&session, event, 2);
    /* proves: I_RBKYZ */
    expect_bytes(&session, "74");
    for (unsigned number = 0; number < 4; number++)
        put_value(&session, event, number);
    expect_bytes(&session, "7f");
    put_value(&session, event, 0);
    put_value(&session, event, 1);
    put_value(&session, event, 0);
    put_value(&session, event, 0);
    put_value(&session, event, 3);
    expect_bytes(&session, "73 71 79");
    put_value(&session, event, 1);
    put_atoms(&session, "E");
    put_value(&session, event, 2);
    expect_bytes(&session, "72 f7 74");
    /* proves: R_SMLVB */
    expect_elements(&session);
    encoder_end(&session);
}

/* D5.54, D5.55: an identifier is there when it is traced and has changed. */
static void test_contexts(void **state)
{
    struct cairn_context context = el1;
    (void)state;

    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    put_context(&session, &context);
    expect_bytes(&session, "81 31");
    put_context(&session, &context);
    expect_bytes(&session, "80");
    context.context_id = 0x04030201;
    put_context(&session, &context);
    expect_bytes(&session, "81 b1 01 02 03 04");
    context.vmid = 0x44332211;
    put_context(&session, &context);
    expect_bytes(&session, "81 71 11 22 33 44");
    context = (struct cairn_context){.EL = 2, .vmid = 5, .context_id = 6};
    put_context(&session, &context);
    expect_bytes(&session, "81 c2 05 00 00 00 06 00 00 00");
    put_context(&session, &context);
    expect_bytes(&session, "80");
    put_trace_info(&session, 0, 0, 0); /* the last context is forgotten */
    put_context(&session, &context);
    expect_bytes(&session, "01 00 81 c2 05 00 00 00 06 00 00 00");
    expect_elements(&session);
    encoder_end(&session);
}

static void test_untraced_identifiers(void **state)
{
    static const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x1},     {"TRCIDR0", 0x08818ea1}, {"TRCIDR1", 0x4100fff0},
        {"TRCIDR2", 0x40001088}, {"TRCIDR8", 0},          {"TRCDEVARCH", 0x47705a13},
    };
    struct cairn_context context = el1;
    (void)state;

    encoder_begin(&session, CAIRN_PROTOCOL_ETE, (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0},
                  registers, COUNT_OF(registers), 0);
    encoder_start(&session);
    context.vmid = 5;
    context.context_id = 6;
    put_context(&session, &context);
    expect_bytes(&session, "81 31");
    context.context_id = 7;
    put_context(&session, &context);
    expect_bytes(&session, "80");
    encoder_end(&session);
}

/* Identifiers that are traced, of a unit without them (TRCIDR2.CIDSIZE and VMIDSIZE 0). */
static void test_identifiers_without_size(void **state)
{
    static const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0xc1}, {"TRCIDR0", 0x08018ea1}, {"TRCIDR1", 0x4100f420},
        {"TRCIDR2", 0x8},     {"TRCIDR8", 0},
    };
    struct cairn_context context = el1;
    (void)state;

    encoder_begin(&session, CAIRN_PROTOCOL_ETMV4, (struct cairn_arch){CAIRN_PROFILE_A, 8, 0, 0},
                  registers, COUNT_OF(registers), 0);
    encoder_start(&session);
    context.vmid = 5;
    context.context_id = 6;
    put_context(&session, &context);
    expect_bytes(&session, "81 31");
    context.vmid = 6;
    context.context_id = 7;
    put_context(&session, &context);
    expect_bytes(&session, "80");
    encoder_end(&session);
}

/* SF is one bit of the information byte (D5.55): whatever is not 0 is AArch64. */
static void test_wide_sf(void **state)
{
    struct cairn_context context = el1;
    (void)state;

    encoder_begin_ete(&session, 0, false, 0);
    encoder_start(&session);
    context.SF = 2;
    put_context(&session, &context);
    expect_bytes(&session, "81 31");
    put_context(&session, &el1);
    expect_bytes(&session, "80");
    put_context(&session, &context);
    expect_bytes(&session, "80");
    encoder_end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_filtering),
        cmocka_unit_test(test_example_exceptions),
        cmocka_unit_test(test_example_two_exceptions),
        cmocka_unit_test(test_example_return),
        cmocka_unit_test(test_example_transaction),
        cmocka_unit_test(test_single_packets),
        cmocka_unit_test(test_atoms_as_elements),
        cmocka_unit_test(test_trace_info),
        cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_cycles_with_commits),
        cmocka_unit_test(test_cycles_without_commits),
        cmocka_unit_test(test_commits),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_untraced_identifiers),
        cmocka_unit_test(test_identifiers_without_size),
        cmocka_unit_test(test_wide_sf),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
