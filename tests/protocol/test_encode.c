/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet writer against bytes written by hand from the layouts of DDI0608 D5, and each of those
 * packets through the parser back to the same fields. */
#include "protocol/etmv4/etmv4.h"
#include "writer_session.h"

static const struct cairn_context el1_ns = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};

/* D5.4 to D5.8, D5.10 to D5.12, D5.67 and D5.68: packets of a header, or header and second byte. */
static void test_single_bytes(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_TRACE_ON, P(0), "04");
    assert_packet(&s, CAIRN_ETMV4_TRANSACTION_START, P(0), "0a");
    assert_packet(&s, CAIRN_ETMV4_TRANSACTION_COMMIT, P(0), "0b");
    assert_packet(&s, CAIRN_ETMV4_TIMESTAMP_MARKER, P(0), "88");
    assert_packet(&s, CAIRN_ETMV4_IGNORE, P(0), "70");
    assert_packet(&s, CAIRN_ETMV4_EVENT, P(.type = 1), "71");
    assert_packet(&s, CAIRN_ETMV4_EVENT, P(.type = 0xb), "7b");
    assert_packet(&s, CAIRN_ETMV4_EVENT, P(.type = 0xf), "7f");
    assert_packet(&s, CAIRN_ETMV4_DISCARD, P(0), "00 03");
    assert_packet(&s, CAIRN_ETMV4_OVERFLOW, P(0), "00 05");
    assert_refused(&s, CAIRN_ETMV4_EVENT, P(.type = 0)); /* that is Ignore */
    assert_refused(&s, CAIRN_ETMV4_EVENT, P(.type = 0x10));
    session_end(&s);
}

/* D5.7: the eight variants; SPEC is LE128 of 32 bits, CYCT of 12. */
static void test_trace_info(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT, .type = 1, .info = 0x41),
                  "01 01 41");
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT, .type = 4, .count = 127),
                  "01 04 7f");
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT, .type = 5, .info = 1, .count = 128),
                  "01 05 01 80 01");
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT, .type = 8, .cycles = 4),
                  "01 08 04");
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO,
                  P(.flags = COUNT, .type = 9, .info = 1, .cycles = 0xfff), "01 09 01 ff 1f");
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO,
                  P(.flags = COUNT, .type = 12, .count = UINT32_MAX, .cycles = 0x80),
                  "01 0c ff ff ff ff 0f 80 01");
    assert_packet(&s, CAIRN_ETMV4_TRACE_INFO,
                  P(.flags = COUNT, .type = 13, .info = 0x40, .count = 2, .cycles = 3),
                  "01 0d 40 02 03");
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 0, .count = 1));
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 2, .value = 1)); /* KEY is ETMv4's */
    assert_refused(&s, CAIRN_ETMV4_TRACE_INFO, P(.type = 8, .cycles = 0x1000));
    session_end(&s);
}

/* D5.40 to D5.46. */
static void test_atoms(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_ATOM_F1, P(.atom_count = 1, .atoms = 0), "f6");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F1, P(.atom_count = 1, .atoms = 1), "f7");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F2, P(.atom_count = 2, .atoms = 1), "d9"); /* E N */
    assert_packet(&s, CAIRN_ETMV4_ATOM_F2, P(.atom_count = 2, .atoms = 2), "da"); /* N E */
    assert_packet(&s, CAIRN_ETMV4_ATOM_F3, P(.atom_count = 3, .atoms = 4), "fc"); /* N N E */
    assert_packet(&s, CAIRN_ETMV4_ATOM_F3, P(.atom_count = 3, .atoms = 7), "ff");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F4, P(.atom_count = 4, .atoms = 14), "dc"); /* N E E E */
    assert_packet(&s, CAIRN_ETMV4_ATOM_F4, P(.atom_count = 4, .atoms = 0), "dd");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F4, P(.atom_count = 4, .atoms = 10), "de"); /* N E N E */
    assert_packet(&s, CAIRN_ETMV4_ATOM_F4, P(.atom_count = 4, .atoms = 5), "df");  /* E N E N */
    assert_packet(&s, CAIRN_ETMV4_ATOM_F5_1, P(.atom_count = 5, .atoms = 30), "f5");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F5_2, P(.atom_count = 5, .atoms = 0), "d5");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F5_2, P(.atom_count = 5, .atoms = 10), "d6");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F5_2, P(.atom_count = 5, .atoms = 21), "d7");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F6, P(.atom_count = 4, .atoms = 15), "c0");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F6, P(.atom_count = 4, .atoms = 7), "e0");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F6, P(.atom_count = 24, .atoms = 0xffffff), "d4");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F6, P(.atom_count = 24, .atoms = 0x7fffff), "f4");
    assert_refused(&s, CAIRN_ETMV4_ATOM_F4, P(.atom_count = 4, .atoms = 3));
    assert_refused(&s, CAIRN_ETMV4_ATOM_F6, P(.atom_count = 25, .atoms = 0x1ffffff));
    assert_refused(&s, CAIRN_ETMV4_ATOM_F6, P(.atom_count = 5, .atoms = 0x17));
    assert_refused(&s, CAIRN_ETMV4_ATOM_F1, P(.atom_count = 2, .atoms = 1));
    session_end(&s);
}

/* D5.35 to D5.39. */
static void test_speculation(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_COMMIT, P(.flags = COUNT, .count = 133), "2d 85 01");
    assert_packet(&s, CAIRN_ETMV4_CANCEL_F1, P(.flags = COUNT, .count = 3), "2e 03");
    assert_packet(&s, CAIRN_ETMV4_CANCEL_F1, P(.flags = COUNT | MISPREDICT, .count = 1), "2f 01");
    assert_packet(&s, CAIRN_ETMV4_MISPREDICT, P(.flags = MISPREDICT), "30");
    assert_packet(&s, CAIRN_ETMV4_MISPREDICT, P(.flags = MISPREDICT, .atom_count = 1, .atoms = 1),
                  "31");
    assert_packet(&s, CAIRN_ETMV4_MISPREDICT, P(.flags = MISPREDICT, .atom_count = 2, .atoms = 3),
                  "32");
    assert_packet(&s, CAIRN_ETMV4_MISPREDICT, P(.flags = MISPREDICT, .atom_count = 1), "33");
    assert_packet(&s, CAIRN_ETMV4_CANCEL_F2, P(.flags = COUNT | MISPREDICT, .count = 1), "34");
    assert_packet(&s, CAIRN_ETMV4_CANCEL_F2,
                  P(.flags = COUNT | MISPREDICT, .count = 1, .atom_count = 2, .atoms = 3), "36");
    assert_packet(&s, CAIRN_ETMV4_CANCEL_F2,
                  P(.flags = COUNT | MISPREDICT, .count = 1, .atom_count = 1), "37");
    assert_packet(&s, CAIRN_ETMV4_CANCEL_F3, P(.flags = COUNT | MISPREDICT, .count = 2), "38");
    assert_packet(&s, CAIRN_ETMV4_CANCEL_F3,
                  P(.flags = COUNT | MISPREDICT, .count = 5, .atom_count = 1, .atoms = 1), "3f");
    assert_refused(&s, CAIRN_ETMV4_CANCEL_F1, P(.count = 0)); /* reserved */
    assert_refused(&s, CAIRN_ETMV4_CANCEL_F2, P(.count = 2));
    assert_refused(&s, CAIRN_ETMV4_CANCEL_F3, P(.count = 6));
    assert_refused(&s, CAIRN_ETMV4_CANCEL_F3, P(.count = 2, .atom_count = 1, .atoms = 0));
    assert_refused(&s, CAIRN_ETMV4_MISPREDICT, P(.atom_count = 2, .atoms = 1));
    session_end(&s);
}

/* D5.47 to D5.53: the address forms against the history, and what the history becomes. */
static void test_target_addresses(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_64_IS0,
                  P(.flags = ADDRESS, .address = 0xffff000000001000, .address_bits = 64),
                  "9d 00 08 00 00 00 00 ff ff");
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_SHORT_IS0,
                  P(.flags = ADDRESS, .address = 0xffff000000001014, .address_bits = 9), "95 05");
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_SHORT_IS0,
                  P(.flags = ADDRESS, .address = 0xffff000000004014, .address_bits = 17),
                  "95 85 20");
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_32_IS0,
                  P(.flags = ADDRESS, .address = 0xffff000080123458, .address_bits = 32),
                  "9a 16 1a 12 80");
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_EXACT,
                  P(.flags = ADDRESS, .address = 0xffff000000001014, .info = 2), "92");
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_EXACT,
                  P(.flags = ADDRESS, .address = 0xffff000080123458, .info = 1), "91");
    assert_packet(
        &s, CAIRN_ETMV4_ADDRESS_32_IS1,
        P(.flags = ADDRESS, .sub_isa = 1, .address = 0xffff000080002010, .address_bits = 32),
        "9b 08 20 00 80");
    assert_packet(
        &s, CAIRN_ETMV4_ADDRESS_SHORT_IS1,
        P(.flags = ADDRESS, .sub_isa = 1, .address = 0xffff0000800020fe, .address_bits = 8),
        "96 7f");
    assert_packet(
        &s, CAIRN_ETMV4_ADDRESS_SHORT_IS1,
        P(.flags = ADDRESS, .sub_isa = 1, .address = 0xffff000080009102, .address_bits = 16),
        "96 81 91");
    assert_packet(
        &s, CAIRN_ETMV4_ADDRESS_64_IS1,
        P(.flags = ADDRESS, .sub_isa = 1, .address = 0x0123456789abcdee, .address_bits = 64),
        "9e 77 cd ab 89 67 45 23 01");
    /* the fewest bytes when address_bits does not say */
    assert_writes(&s, CAIRN_ETMV4_ADDRESS_SHORT_IS1, P(.sub_isa = 1, .address = 0x0123456789abcd02),
                  "96 01");
    assert_writes(&s, CAIRN_ETMV4_ADDRESS_SHORT_IS1, P(.sub_isa = 1, .address = 0x0123456789ab0002),
                  "96 81 00");
    session_end(&s);
}

static void test_addresses_refused(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_32_IS0,
                  P(.flags = ADDRESS, .address = 0x1000, .address_bits = 32), "9a 00 08 00 00");
    /* another upper half, another bit 17, no alignment, another instruction set, no such entry */
    assert_refused(&s, CAIRN_ETMV4_ADDRESS_32_IS0, P(.address = 0x100001000));
    assert_refused(&s, CAIRN_ETMV4_ADDRESS_SHORT_IS0, P(.address = 0x21000));
    assert_refused(&s, CAIRN_ETMV4_ADDRESS_SHORT_IS0, P(.address = 0x1200, .address_bits = 9));
    assert_refused(&s, CAIRN_ETMV4_ADDRESS_SHORT_IS0, P(.address = 0x1002));
    assert_refused(&s, CAIRN_ETMV4_ADDRESS_SHORT_IS1, P(.address = 0x1001));
    assert_refused(&s, CAIRN_ETMV4_ADDRESS_EXACT, P(.address = 0x1000, .sub_isa = 1));
    assert_refused(&s, CAIRN_ETMV4_ADDRESS_EXACT, P(.address = 0x1004));
    assert_refused(&s, CAIRN_ETMV4_ADDRESS_EXACT, P(.address = 0x1000, .info = 3));
    /* a refusal changes nothing: 0x1000 is still entry 0, 0 is entry 1 */
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_EXACT, P(.flags = ADDRESS, .info = 1), "91");
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_EXACT, P(.flags = ADDRESS, .address = 0x1000, .info = 1),
                  "91");
    session_end(&s);
}

/* D5.60 to D5.66, D5.69 to D5.75. */
static void test_source_addresses_and_q(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_SOURCE_64_IS0,
                  P(.flags = ADDRESS, .address = 0x1000, .address_bits = 64),
                  "b8 00 08 00 00 00 00 00 00");
    assert_packet(&s, CAIRN_ETMV4_SOURCE_SHORT_IS0,
                  P(.flags = ADDRESS, .address = 0x1014, .address_bits = 9), "b4 05");
    assert_packet(&s, CAIRN_ETMV4_SOURCE_32_IS0,
                  P(.flags = ADDRESS, .address = 0x1010, .address_bits = 32), "b6 04 08 00 00");
    assert_packet(&s, CAIRN_ETMV4_SOURCE_EXACT, P(.flags = ADDRESS, .address = 0x1014, .info = 1),
                  "b1");
    assert_packet(&s, CAIRN_ETMV4_SOURCE_SHORT_IS1,
                  P(.flags = ADDRESS, .sub_isa = 1, .address = 0x100a, .address_bits = 8), "b5 05");
    assert_packet(&s, CAIRN_ETMV4_SOURCE_32_IS1,
                  P(.flags = ADDRESS, .sub_isa = 1, .address = 0x1002, .address_bits = 32),
                  "b7 01 10 00 00");
    assert_packet(&s, CAIRN_ETMV4_SOURCE_64_IS1,
                  P(.flags = ADDRESS, .sub_isa = 1, .address = 0x1002, .address_bits = 64),
                  "b9 01 10 00 00 00 00 00 00");

    assert_packet(&s, CAIRN_ETMV4_Q, P(0), "af");
    assert_packet(&s, CAIRN_ETMV4_Q_COUNT, P(.flags = COUNT, .count = 133), "ac 85 01");
    assert_packet(&s, CAIRN_ETMV4_Q_SHORT_IS0,
                  P(.flags = COUNT | ADDRESS, .count = 7, .address = 0x1014, .address_bits = 9),
                  "a5 05 07");
    assert_packet(
        &s, CAIRN_ETMV4_Q_SHORT_IS1,
        P(.flags = COUNT | ADDRESS, .count = 7, .sub_isa = 1, .address = 0x100a, .address_bits = 8),
        "a6 05 07");
    assert_packet(&s, CAIRN_ETMV4_Q_32_IS0,
                  P(.flags = COUNT | ADDRESS, .count = 7, .address = 0x1000, .address_bits = 32),
                  "aa 00 08 00 00 07");
    assert_packet(&s, CAIRN_ETMV4_Q_32_IS1,
                  P(.flags = COUNT | ADDRESS, .count = 300, .sub_isa = 1, .address = 0x1002,
                    .address_bits = 32),
                  "ab 01 10 00 00 ac 02");
    assert_packet(&s, CAIRN_ETMV4_Q_EXACT,
                  P(.flags = COUNT | ADDRESS, .count = 5, .address = 0x1000, .info = 1), "a1 05");
    session_end(&s);
}

/* D5.54 to D5.59. */
static void test_contexts(void **state)
{
    struct session s;
    struct cairn_context context = el1_ns;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = context), "81 31");
    assert_packet(&s, CAIRN_ETMV4_CONTEXT_SAME, P(.flags = CONTEXT, .context = context), "80");
    context.context_id = 0x12345678;
    assert_refused(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = context));
    assert_refused(&s, CAIRN_ETMV4_CONTEXT_SAME, P(.flags = CONTEXT, .context = context));
    assert_packet(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT | CONTEXTID, .context = context),
                  "81 b1 78 56 34 12");
    context.vmid = 0x9abc;
    context.EL = 2;
    assert_packet(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT | VMID, .context = context),
                  "81 72 bc 9a 00 00");
    context.security = CAIRN_REALM;
    assert_packet(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = context), "81 3a");
    context.security = CAIRN_ROOT;
    context.EL = 3;
    assert_packet(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = context), "81 1b");
    context = (struct cairn_context){.EL = 0, .security = CAIRN_SECURE, .vmid = 1, .context_id = 2};
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0,
                  P(.flags = ADDRESS | CONTEXT | VMID | CONTEXTID, .address = 0x1000,
                    .address_bits = 32, .context = context),
                  "82 00 08 00 00 c0 01 00 00 00 02 00 00 00");
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS1,
                  P(.flags = ADDRESS | CONTEXT, .address = 0x1002, .sub_isa = 1, .address_bits = 32,
                    .context = context),
                  "83 01 10 00 00 00");
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0,
                  P(.flags = ADDRESS | CONTEXT, .address = 0x8000000000001000, .address_bits = 64,
                    .context = context),
                  "85 00 08 00 00 00 00 00 80 00");
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1,
                  P(.flags = ADDRESS | CONTEXT, .address = 0x1002, .sub_isa = 1, .address_bits = 64,
                    .context = context),
                  "86 01 10 00 00 00 00 00 00 00");
    session_end(&s);
}

/* Bits 3:2 of the information byte should be zero where NSE does not exist: kept as they are. */
static void test_context_without_realm(void **state)
{
    const struct cairn_register registers[] = {{"TRCDEVARCH", 0x47705a13}};
    struct cairn_context context = el1_ns;
    struct session s;
    (void)state;
    session_begin(&s, CAIRN_PROTOCOL_ETE, (struct cairn_arch){CAIRN_PROFILE_A, 9, 0, 0}, registers,
                  1);
    session_start(&s);
    context.security = CAIRN_REALM;
    assert_refused(&s, CAIRN_ETMV4_CONTEXT, P(.flags = CONTEXT, .context = context));
    context.security = CAIRN_NONSECURE;
    context.sbz = 0x08;
    assert_packet(&s, CAIRN_ETMV4_CONTEXT,
                  P(.flags = CONTEXT | CAIRN_PACKET_SBZ, .context = context), "81 39");
    assert_refused(&s, CAIRN_ETMV4_INSTRUMENTATION, P(.value = 1)); /* ETE 1.3 */
    session_end(&s);
}

/* D5.13 to D5.25. */
static void test_exceptions(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    /* IRQ is TYPE 0e: information byte 1d, with E = 10 5c */
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS, .type = 0x0e, .address = 0x80002010, .address_bits = 32),
                  "06 1d 9a 04 10 00 80");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS | E10, .type = 0x0e, .address = 0x80002010), "06 5c 90");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS, .type = 2, .address = 0x80000404, .address_bits = 17),
                  "06 05 95 81 02");
    assert_packet(
        &s, CAIRN_ETMV4_EXCEPTION,
        P(.flags = ADDRESS, .type = 0x0e, .sub_isa = 1, .address = 0x800004fe, .address_bits = 8),
        "06 1d 96 7f");
    assert_packet(
        &s, CAIRN_ETMV4_EXCEPTION,
        P(.flags = ADDRESS, .type = 0x0e, .sub_isa = 1, .address = 0x80002010, .address_bits = 32),
        "06 1d 9b 08 20 00 80");
    assert_packet(
        &s, CAIRN_ETMV4_EXCEPTION,
        P(.flags = ADDRESS, .type = 0x0f, .address = 0xffff000080002010, .address_bits = 64),
        "06 1f 9d 04 10 00 80 00 00 ff ff");
    assert_packet(
        &s, CAIRN_ETMV4_EXCEPTION,
        P(.flags = ADDRESS, .type = 1, .sub_isa = 1, .address = 0x80002010, .address_bits = 64),
        "06 03 9e 08 20 00 80 00 00 00 00");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS | CONTEXT, .type = 0x0e, .address = 0x80002010,
                    .address_bits = 32, .context = el1_ns),
                  "06 1d 82 04 10 00 80 31");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS | CONTEXT | E10, .type = 4, .address = 0x1000,
                    .address_bits = 64, .context = el1_ns),
                  "06 48 85 00 08 00 00 00 00 00 00 31");
    assert_packet(&s, CAIRN_ETMV4_PE_RESET, P(0), "06 01 70");
    assert_packet(&s, CAIRN_ETMV4_PE_RESET, P(.flags = E10), "06 40 70");
    assert_packet(&s, CAIRN_ETMV4_TRANSACTION_FAILURE, P(.type = 0x18), "06 31 70");
    assert_packet(&s, CAIRN_ETMV4_TRANSACTION_FAILURE, P(.flags = E10, .type = 0x18), "06 70 70");
    /* those pushed address 0: three entries of it by now */
    assert_packet(&s, CAIRN_ETMV4_ADDRESS_EXACT, P(.flags = ADDRESS, .info = 2), "92");
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION, P(.type = 2)); /* ETE always has an address */
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION, P(.flags = ADDRESS, .type = 0x18));
    assert_refused(&s, CAIRN_ETMV4_EXCEPTION, P(.flags = ADDRESS, .type = 0x20));
    session_end(&s);
}

/* D5.9: bit replacement against the last timestamp, as few bytes as change. */
static void test_timestamps(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_TIMESTAMP, P(.flags = TIME, .value = 0), "02 00");
    assert_packet(&s, CAIRN_ETMV4_TIMESTAMP, P(.flags = TIME, .value = 0x1234), "02 b4 24");
    assert_packet(&s, CAIRN_ETMV4_TIMESTAMP,
                  P(.flags = TIME | CYCLES, .value = 0x1235, .cycles = 0), "03 35 00");
    assert_packet(&s, CAIRN_ETMV4_TIMESTAMP,
                  P(.flags = TIME | CYCLES, .value = 0x1235, .cycles = 0xfffff), "03 35 ff ff 3f");
    assert_packet(&s, CAIRN_ETMV4_TIMESTAMP, P(.flags = TIME, .value = 0x8000000000001235),
                  "02 b5 a4 80 80 80 80 80 80 80");
    assert_packet(&s, CAIRN_ETMV4_TIMESTAMP, P(.flags = TIME, .value = 0x8000000000000000),
                  "02 80 00");
    assert_refused(&s, CAIRN_ETMV4_TIMESTAMP, P(.flags = CYCLES, .cycles = 0x100000));
    session_end(&s);
}

/* DDI0608 D12.3: the example's packets from their meaning; two exceptions back to back. */
static void test_worked_example(void **state)
{
    struct session s;
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_packet(&s, CAIRN_ETMV4_TRACE_ON, P(0), "04");
    assert_packet(
        &s, CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0,
        P(.flags = ADDRESS | CONTEXT, .address = 0x1000, .address_bits = 32, .context = el1_ns),
        "82 00 08 00 00 31");
    assert_packet(&s, CAIRN_ETMV4_ATOM_F2, P(.atom_count = 2, .atoms = 1), "d9");
    assert_packet(&s, CAIRN_ETMV4_CANCEL_F1, P(.flags = COUNT, .count = 1), "2e 01");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS, .type = 0x0c, .address = 0x2004, .address_bits = 17),
                  "06 19 95 81 10");
    assert_packet(&s, CAIRN_ETMV4_EXCEPTION,
                  P(.flags = ADDRESS | E10, .type = 0x0e, .address = 0x4000, .address_bits = 17),
                  "06 5c 95 80 20");
    assert_packet(&s, CAIRN_ETMV4_COMMIT, P(.flags = COUNT, .count = 3), "2d 03");
    session_end(&s);
}

/* No room, or no packet of the protocol: 0, and nothing has changed. */
static void test_capacity(void **state)
{
    struct session s;
    uint8_t bytes[8] = {0};
    const struct cairn_packet_fields packet = {.address = 0x1000};
    (void)state;
    session_begin_ete(&s, false);
    session_start(&s);
    assert_int_equal(cairn_packet_write(s.writer, CAIRN_ETMV4_ADDRESS_32_IS0, &packet, bytes, 4),
                     0);
    assert_int_equal(bytes[0], 0);
    assert_refused(&s, CAIRN_ETMV4_ADDRESS_EXACT, &packet);
    assert_int_equal(cairn_packet_write(s.writer, CAIRN_ETMV4_ADDRESS_32_IS0, &packet, bytes, 5),
                     5);
    assert_refused(&s, CAIRN_ETMV4_RESERVED, P(0));
    assert_refused(&s, CAIRN_ETMV4_KIND_COUNT, P(0));
    assert_refused(&s, 0xffff, P(0));
    session_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_bytes),
        cmocka_unit_test(test_trace_info),
        cmocka_unit_test(test_atoms),
        cmocka_unit_test(test_speculation),
        cmocka_unit_test(test_target_addresses),
        cmocka_unit_test(test_addresses_refused),
        cmocka_unit_test(test_source_addresses_and_q),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_context_without_realm),
        cmocka_unit_test(test_exceptions),
        cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_capacity),
    };
    return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}
