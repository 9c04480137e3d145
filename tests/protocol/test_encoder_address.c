/* SPDX-License-Identifier: BSD-2-Clause */
/* The form of each address and context (DDI0608 D6.11.3, D5.13 to D5.25, D5.47 to D5.75): bytes
 * written by hand. */
#include "encoder_session.h"

#include <stdio.h>
#include <string.h>

#define IS0 0
#define IS1 1
#define IRQ 0x0e
#define FAR 0xffffffc012345678u

static const struct cairn_context el1 = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};
static const struct cairn_context el0 = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};
static struct encoder_session session;

enum form { EXACT, NARROW, WORD, WHOLE };

/* From a history of three times 0x0/IS0 on, each compressed against those before it. */
static const struct {
    uint64_t address;
    uint8_t sub_isa;
    uint8_t form;
    const char *payload; /* of an exact match, the entry */
} walk[] = {
    {0x1fc, IS0, NARROW, "7f"},
    {0x200, IS0, NARROW, "8001"},
    {0x1fffc, IS0, NARROW, "ffff"},
    {0x20000, IS0, WORD, "00000200"},
    {0xfffffffc, IS0, WORD, "7f7fffff"},
    {0x100000000, IS0, WHOLE, "0000000001000000"},
    {0xfffffffffffffffc, IS0, WHOLE, "7f7fffffffffffff"},
    {0x100000000, IS0, EXACT, "1"},
    {0x100000000, IS0, EXACT, "0"}, /* entry 2 is the same address */
    {0xfffffffffffffffc, IS0, EXACT, "2"},
    {0xfffffffffffffffc, IS1, NARROW, "7e"}, /* the same address, another instruction set */
    {0xfffffffffffffffc, IS0, EXACT, "1"},
    {0xffffffff00000100, IS1, WORD, "00010000"}, /* the upper half stays */
    {0xffffffff000000fe, IS1, NARROW, "ff00"},
    {0xffffffff0000fffe, IS1, NARROW, "ffff"},
    {0xffffffff00010000, IS1, WORD, "00000100"},
    {0x10000, IS1, WHOLE, "0000010000000000"},
    {0x100fe, IS1, NARROW, "7f"},
    {0x10100, IS1, NARROW, "8001"},
    {0xffffffff00010000, IS1, WHOLE, "00000100ffffffff"}, /* was four addresses ago */
};

struct family {
    unsigned kind;
    const char *before;  /* bytes in front of the header */
    unsigned headers[4]; /* by form, IS0; IS1 is the next one but for an exact match */
    const char *after;   /* bytes behind the payload */
};

static void expected(const struct family *family, size_t step, char *hex, size_t size)
{
    const unsigned form = walk[step].form;
    const bool exact = form == EXACT;
    const unsigned header = family->headers[form] + (exact ? (unsigned)(walk[step].payload[0] - '0')
                                                           : (unsigned)walk[step].sub_isa);

    snprintf(hex, size, "%s%02x%s%s", family->before, header, exact ? "" : walk[step].payload,
             family->after);
}

static void start(uint32_t choices)
{
    encoder_begin_ete(&session, 64, false, choices);
    encoder_start(&session);
}

static void put_source(uint64_t address, uint8_t sub_isa)
{
    put(&session, CAIRN_ELEMENT_SOURCE_ADDRESS, 0, D(.address = address, .sub_isa = sub_isa));
}

static void put_q(uint64_t count)
{
    put_value(&session, CAIRN_ELEMENT_Q, count);
}

static void test_target_forms(void **state)
{
    static const struct family family = {
        CAIRN_ELEMENT_TARGET_ADDRESS, "", {0x90, 0x95, 0x9a, 0x9d}, ""};
    char hex[64];
    (void)state;

    start(0);
    for (size_t i = 0; i < COUNT_OF(walk); i++) {
        put_target(&session, walk[i].address, walk[i].sub_isa);
        expected(&family, i, hex, sizeof hex);
        /* proves: R_BPRDC */
        expect_bytes(&session, hex);
    }
    expect_elements(&session);
    encoder_end(&session);
}

static void test_source_forms(void **state)
{
    static const struct family family = {
        CAIRN_ELEMENT_SOURCE_ADDRESS, "", {0xb0, 0xb4, 0xb6, 0xb8}, ""};
    char hex[64];
    (void)state;

    start(0);
    for (size_t i = 0; i < COUNT_OF(walk); i++) {
        put_source(walk[i].address, walk[i].sub_isa);
        expected(&family, i, hex, sizeof hex);
        /* proves: R_GWKFD */
        expect_bytes(&session, hex);
    }
    expect_elements(&session);
    encoder_end(&session);
}

static void test_exception_forms(void **state)
{
    static const struct family family = {
        CAIRN_ELEMENT_EXCEPTION, "061d", {0x90, 0x95, 0x9a, 0x9d}, ""};
    char hex[64];
    (void)state;

    start(0);
    for (size_t i = 0; i < COUNT_OF(walk); i++) {
        put_exception(&session, IRQ, walk[i].address, walk[i].sub_isa);
        expected(&family, i, hex, sizeof hex);
        /* proves: R_YLXFK */
        expect_bytes(&session, hex);
    }
    expect_elements(&session);
    encoder_end(&session);
}

/* D5.69 to D5.75: a Q with a count has no 64-bit form. */
static void test_q_forms(void **state)
{
    static const struct family family = {CAIRN_ELEMENT_Q, "", {0xa0, 0xa5, 0xaa, 0}, "c801"};
    static const struct family apart = {
        CAIRN_ELEMENT_TARGET_ADDRESS, "acc801", {0x90, 0x95, 0x9a, 0x9d}, ""};
    char hex[64];
    (void)state;

    start(0);
    for (size_t i = 0; i < COUNT_OF(walk); i++) {
        put_q(200);
        put_target(&session, walk[i].address, walk[i].sub_isa);
        expected(walk[i].form == WHOLE ? &apart : &family, i, hex, sizeof hex);
        /* proves: R_YCMCG */
        expect_bytes(&session, hex);
    }
    put(&session, CAIRN_ELEMENT_Q, CAIRN_ELEMENT_UNKNOWN, D(0));
    put_target(&session, 0xffffffff00010000, IS1);
    expect_bytes(&session, "af 90");
    put_q(1); /* a Context with the Target Address is no reason to lose either */
    put_context(&session, &el1);
    put_target(&session, 0xffffffff00020000, IS1);
    expect_bytes(&session, "ac 01 83 00 00 02 00 31");
    expect_elements(&session);
    encoder_end(&session);
}

/* Addresses that no shorter form relates to each other. */
#define A 0x1111111100000000u
#define B 0x2222222200000000u
#define C 0x3333333300000000u

static void test_history(void **state)
{
    (void)state;
    start(0);
    put_target(&session, A, IS0);
    put_source(B, IS0);
    expect_bytes(&session, "9d 00 00 00 00 11 11 11 11 b8 00 00 00 00 22 22 22 22");
    put_target(&session, B, IS0);
    /* proves: R_LMHFW */
    expect_bytes(&session, "90");
    put_q(1);
    put_target(&session, B + 4, IS0);
    put_source(B + 4, IS0);
    /* proves: R_LMHFW */
    expect_bytes(&session, "a5 01 01 b0");
    put_exception(&session, IRQ, C, IS1);
    put_target(&session, C, IS1);
    /* proves: R_CMCRT */
    expect_bytes(&session, "06 1d 9e 00 00 00 00 33 33 33 33 90");
    put_kind(&session, CAIRN_ELEMENT_TRANSACTION_FAILURE);
    put_target(&session, 0x4, IS0); /* would be 64 bits behind C */
    put(&session, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN, D(.value = 0));
    put_target(&session, 0, IS0);
    /* proves: R_FPDFJ */
    expect_bytes(&session, "06 31 70 95 01 06 01 70 90");
    put_target(&session, A, IS0);
    put_trace_info(&session, 0, 0, 0);
    put_target(&session, 0, IS0);
    put_target(&session, A, IS0);
    put_trace_info(&session, 0, 0, 0);
    put_target(&session, 0x1fc, IS0);
    /* proves: R_BTWGD */
    expect_bytes(&session, "9d 00 00 00 00 11 11 11 11 01 00 90"
                           "9d 00 00 00 00 11 11 11 11 01 00 95 7f");
    expect_elements(&session);
    encoder_end(&session);
}

/* The three entries are the last three packets with addresses, whatever their kind. */
static void test_three_entries(void **state)
{
    (void)state;
    start(0);
    put_target(&session, A, IS0);
    put_exception(&session, IRQ, B, IS0);
    put_source(C, IS0);
    flush(&session);
    session.checked = session.size;
    put_target(&session, A, IS0);         /* C B A -> A C B */
    put_source(B, IS0);                   /* -> B A C */
    put_exception(&session, IRQ, C, IS0); /* -> C B A */
    put_kind(&session, CAIRN_ELEMENT_TRANSACTION_FAILURE);
    put_target(&session, B, IS0); /* 0 C B -> B 0 C */
    put(&session, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN, D(.value = 0));
    put_q(1); /* 0 B 0: C is gone, and a Q has no 64-bit form */
    put_target(&session, B, IS0);
    put_target(&session, C, IS0);
    /* proves: R_SJPYH */
    expect_bytes(&session, "92 b2 06 1d 92 06 31 70 92 06 01 70 a1 01"
                           "9d 00 00 00 00 33 33 33 33");
    encoder_end(&session);
}

/* D5.56 to D5.59: one packet for both, in whichever order they come. */
static void test_target_with_context(void **state)
{
    (void)state;
    start(0);
    put_context(&session, &el1);
    put_target(&session, 0x20000, IS0);
    expect_bytes(&session, "82 00 00 02 00 31");
    put_target(&session, 0x20004, IS1);
    put_context(&session, &el0);
    expect_bytes(&session, "83 02 00 02 00 30");
    put_target(&session, FAR, IS0);
    put_context(&session, &el1);
    expect_bytes(&session, "85 1e 2b 34 12 c0 ff ff ff 31");
    put_target(&session, 2, IS1);
    put_context(&session, &el0);
    expect_bytes(&session, "86 01 00 00 00 00 00 00 00 30");
    put_context(&session, &el1); /* an exact match is shorter apart */
    put_target(&session, FAR, IS0);
    expect_bytes(&session, "81 31 91");
    put_target(&session, FAR + 4, IS0); /* and so is what has not changed */
    put_context(&session, &el1);
    expect_bytes(&session, "95 1f 80");
    put_context(&session, &el1); /* two Contexts: only the second has an address behind it */
    put_context(&session, &el0);
    put_target(&session, FAR + 8, IS0);
    put_target(&session, FAR + 12, IS0);
    expect_bytes(&session, "80 82 20 2b 34 12 30 95 21");
    expect_elements(&session);
    encoder_end(&session);
}

static void test_separate_packets(void **state)
{
    (void)state;
    start(CAIRN_ENCODER_SEPARATE_PACKETS | CAIRN_ENCODER_EXPLICIT_ADDRESSES);
    put_context(&session, &el1);
    put_target(&session, 0x20000, IS0);
    expect_bytes(&session, "81 31 9a 00 00 02 00");
    put_target(&session, 0x20004, IS0);
    put_context(&session, &el0);
    expect_bytes(&session, "95 01 81 30");
    put_context(&session, &el1);
    put_target(&session, 0x20008, IS0);
    put_exception(&session, IRQ, 0x20008, IS0);
    expect_bytes(&session, "81 31 06 5c 95 02");
    put_target(&session, 0x2000c, IS0);
    put_context(&session, &el0);
    put_exception(&session, IRQ, 0x20010, IS0); /* that shares no Target Address */
    expect_bytes(&session, "95 03 06 1d 82 04 00 02 00 30");
    expect_elements(&session);
    encoder_end(&session);
}

/* D5.20 to D5.23. */
static void test_exception_with_context(void **state)
{
    (void)state;
    start(0);
    put_context(&session, &el1);
    put_exception(&session, IRQ, 0x20000, IS0);
    expect_bytes(&session, "06 1d 82 00 00 02 00 31");
    put_context(&session, &el0);
    put_exception(&session, IRQ, 0x20002, IS1);
    expect_bytes(&session, "06 1d 83 01 00 02 00 30");
    put_context(&session, &el1);
    put_exception(&session, IRQ, FAR, IS0);
    expect_bytes(&session, "06 1d 85 1e 2b 34 12 c0 ff ff ff 31");
    put_context(&session, &el0);
    put_exception(&session, IRQ, 2, IS1);
    expect_bytes(&session, "06 1d 86 01 00 00 00 00 00 00 00 30");
    put_context(&session, &el0);
    put_exception(&session, IRQ, 4, IS1);
    expect_bytes(&session, "80 06 1d 96 02");
    put_context(&session, &el1);
    put_exception(&session, IRQ, FAR, IS0);
    expect_bytes(&session, "81 31 06 1d 92");
    put_target(&session, FAR + 4, IS0); /* a Target Address at the same place is no part of it */
    put_context(&session, &el0);
    put_exception(&session, IRQ, FAR + 4, IS0);
    expect_bytes(&session, "82 1f 2b 34 12 30 06 1d 90");
    expect_elements(&session);
    encoder_end(&session);
}

/* E=10: the Exception states the Target Address too, D5.13. */
static void test_explicit_addresses(void **state)
{
    (void)state;
    start(CAIRN_ENCODER_EXPLICIT_ADDRESSES);
    put_target(&session, 0x20000, IS0);
    put_exception(&session, IRQ, 0x20000, IS0);
    expect_bytes(&session, "06 5c 9a 00 00 02 00");
    put_target(&session, 0x20000, IS0);
    put_exception(&session, IRQ, 0x20000, IS0);
    expect_bytes(&session, "06 5c 90");
    put_target(&session, 0x20000, IS0); /* other address, other instruction set, not behind it */
    put_exception(&session, IRQ, 0x20004, IS0);
    put_target(&session, 0x20008, IS0);
    put_exception(&session, IRQ, 0x20008, IS1);
    put_target(&session, 0x2000c, IS0);
    put_kind(&session, CAIRN_ELEMENT_TIMESTAMP_MARKER);
    put_exception(&session, IRQ, 0x2000c, IS0);
    expect_bytes(&session, "90 06 1d 95 01 95 02 06 1d 96 04 95 03 88 06 1d 90");
    put_context(&session, &el1);
    put_target(&session, 0x20010, IS0);
    put_exception(&session, IRQ, 0x20010, IS0);
    expect_bytes(&session, "06 5c 82 04 00 02 00 31");
    put_target(&session, 0x20014, IS0);
    put_context(&session, &el0);
    put_exception(&session, IRQ, 0x20014, IS0);
    expect_bytes(&session, "06 5c 82 05 00 02 00 30");
    put_target(&session, 0x20018, IS0);
    put_context(&session, &el0);
    put_exception(&session, IRQ, 0x20018, IS0);
    expect_bytes(&session, "80 06 5c 95 06");
    expect_elements(&session);
    encoder_end(&session);
}

/* D5.3.2: packets have no bits below the alignment of the instruction set. */
static void test_misaligned(void **state)
{
    (void)state;
    start(CAIRN_ENCODER_EXPLICIT_ADDRESSES);
    put_target(&session, 0x103, IS0);
    put_target(&session, 0x101, IS0);
    put_target(&session, 0x103, IS1);
    put_exception(&session, IRQ, 0xffffffffffffffff, IS1);
    expect_bytes(&session, "95 40 90 96 01 06 1d 9e 7f ff ff ff ff ff ff ff");
    encoder_end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_target_forms),
        cmocka_unit_test(test_source_forms),
        cmocka_unit_test(test_exception_forms),
        cmocka_unit_test(test_q_forms),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_three_entries),
        cmocka_unit_test(test_target_with_context),
        cmocka_unit_test(test_separate_packets),
        cmocka_unit_test(test_exception_with_context),
        cmocka_unit_test(test_explicit_addresses),
        cmocka_unit_test(test_misaligned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
