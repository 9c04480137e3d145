/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoder of ETMv1 keeps from what came before, and what the versions make of the same cycles
 * (IHI0014 5.5.4, 9.2, B.1, B.2). */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NOP 0xe1a00000u
#define LDR 0xe5920000u  /* ldr r0,[r2] */
#define LDRB 0xe5d20000u /* ldrb r0,[r2] */
#define LDRH 0xe1d200b0u /* ldrh r0,[r2] */
#define BX_LR 0xe12fff1eu

/* Trace on at 0x8000. */
#define ON "BE*/80 A0/80 A0/82 WT/80 WT/10 "

static struct etmv1_bench bench;

/* --- what is kept --- */

/* Of the flow of both runs of cycles, what the second has besides the first. */
static void tell_rest(const char *before, const char *behind, char *rest, size_t size)
{
    static char cycles[2048], first[ETMV1_TEXT];

    etmv1_cycles(&bench, before);
    etmv1_flow_text(&bench);
    snprintf(first, sizeof first, "%s", bench.text);
    snprintf(cycles, sizeof cycles, "%s%s", before, behind);
    etmv1_cycles(&bench, cycles);
    etmv1_flow_text(&bench);
    assert_int_equal(strncmp(bench.text, first, strlen(first)), 0);
    snprintf(rest, size, "%s", bench.text + strlen(first));
}

/* LDR at 0x8000, whose address differs from 0x20000 in 7 bits; a branch at 0x8008, whose address differs from
 * the last one in 7 bits and comes behind one that may wait. */
#define GOES_ON "ID/04 IE BE A%u A0 WT*/0c IE IE"

static void assert_rest(const char *before, unsigned waiting, const char *wanted)
{
    char behind[128], rest[1024];

    snprintf(behind, sizeof behind, GOES_ON, waiting);
    tell_rest(before, behind, rest, sizeof rest);
    assert_string_equal(rest, wanted);
}

/* Behind different ways that leave the same of it, the same cycles mean the same; and where one thing that
 * is kept is another, they do not. */
static void test_retained(void **state)
{
    static const char at_20000[] = "WT/80 WT/80 WT/88 WT/80 ID/00 ";

    static const char rest[] = "; 8000 E; data at 20004 of 8000.0; 8004 E; 8008 E; 800c E; 8010 E";
    char way[512];

    (void)state;
    etmv1_begin(&bench, CR_8 | CR_ADDRESS | CR_CONTEXT(1), CCR(3));
    ETMV1_WORDS(&bench, 0x8000, LDR, NOP, BX_LR, NOP, NOP, LDR, BX_LR);
    ETMV1_WORDS(&bench, 0x7ff8, BX_LR, NOP, LDR);
    /* round the loop at 0x8000 */
    snprintf(way, sizeof way, ON "WT/5 %sIE BE*/00 A0 A0 ", at_20000);
    /* proves: ETM1-5.5.4-g */
    assert_rest(way, 0, rest);
    /* trace on at 0x8014, and the branch at 0x8018 */
    snprintf(way, sizeof way, "BE*/94 A0/80 A0/82 WT/80 WT/10 WT/5 %sBE*/00 A0 A0 ", at_20000);
    assert_rest(way, 0, rest);
    /* behind missing cycles, at an address with its Context ID */
    snprintf(way, sizeof way, "IE BE!*/94 A0/80 A0/82 WT/80 WT/10 WT/5 %sBE*/00 A0 A0 ", at_20000);
    assert_rest(way, 0, rest);
    /* the last branch address is 0x7ffc: the short one replaces its low 7 bits */
    snprintf(way, sizeof way, "BE*/fc A0/ff A0/81 WT/80 WT/10 WT/5 IE %s", "");
    assert_rest(way, 0,
                "; 8000 E; data of 8000.0; 8004 E; 8008 E; gap no image at the address; "
                "gap no image at the address");
    /* no whole data address has come */
    assert_rest(ON "WT/5 ID/00 IE BE*/00 A0 A0 ", 0,
                "; 8000 E; data of 8000.0; 8004 E; 8008 E; 800c E; 8010 E");
    etmv1_end(&bench);
}

/* --- images --- */

/* At one address each Context ID has its own program; of one that is not given there is no memory. */
static void test_images(void **state)
{
    static const uint8_t fives[] = {0x00, 0x00, 0xa0, 0xe1,
                                    0xfd, 0xff, 0xff, 0xea}; /* nop, b 8000 */
    static const uint8_t sixes[] = {0x00, 0x00, 0x00, 0xea, 0x00, 0x00,
                                    0xa0, 0xe1, 0x00, 0x00, 0xa0, 0xe1}; /* b 8008, nop, nop */
    struct cairn_scope scope = cairn_scope_any();

    (void)state;
    etmv1_begin(&bench, CR_8 | CR_CONTEXT(1), CCR(3));
    scope.any_context_id = false;
    scope.context_id = 5;
    assert_int_equal(cairn_image_add_bytes(bench.image, "five", &scope, CAIRN_ORDER_LITTLE, 0x8000,
                                           fives, sizeof fives, NULL),
                     CAIRN_OK);
    scope.context_id = 6;
    assert_int_equal(cairn_image_add_bytes(bench.image, "six", &scope, CAIRN_ORDER_LITTLE, 0x8000,
                                           sixes, sizeof sixes, NULL),
                     CAIRN_OK);
    /* proves: ETM1-9.2-a */
    assert_flow(&bench,
                ON "WT/5 IE IE IE BE*/80 A0/80 A0/82 WT/80 WT/40 WT/6 IE IE "
                   "BE*/80 A0/80 A0/82 WT/80 WT/40 WT/7 IE",
                "on; context 5; first 8000 E; 8004 E; 8000 E; 8004 E; context 6; 8000 E; 8008 E; "
                "gap no image at the address; context 7; gap no image at the address");
    etmv1_end(&bench);
}

/* A core whose big-endian data is BE-32 accesses 0x2003 for a byte at 0x2000, and 0x2002 for a halfword; the
 * trace has what the instruction asked for, and so has its decoder (4.9.1). Its code is stored so as well. */
static void test_be_32(void **state)
{
    static const struct etmv1_more big[3] = {{"BIGENDIAN", 1}};
    static const uint8_t code[] = {0xe5, 0xd2, 0x00, 0x00, 0xe1, 0xd2,
                                   0x00, 0xb0, 0xe1, 0xa0, 0x00, 0x00};

    (void)state;
    etmv1_begin_with(&bench, CR_8 | CR_ADDRESS | CR_VALUE, CCR(3), big);
    assert_int_equal(cairn_image_add_bytes(bench.image, "code", NULL, CAIRN_ORDER_BE32, 0x8000,
                                           code, sizeof code, NULL),
                     CAIRN_OK);
    /* proves: ETM1-4.9.1-a */
    assert_flow(&bench, ON "WT/80 WT/c0 WT/80 WT/80 WT/00 ID/11 WT/02 WT/22 ID/33 IE",
                "on; context 0; first 8000 E; data at 2000 = 11 of 8000.0; 8004 E; "
                "data at 2002 = 2233 of 8004.0; 8008 E");
    etmv1_end(&bench);
}

/* --- branches --- */

/* Whether the opcode says where it leads: these do, and nothing else that changes the PC. */
static void test_direct(void **state)
{
    static const struct {
        uint32_t opcode;
        enum cairn_isa isa;
        unsigned size;
        bool direct;
    } rows[] = {
        {0xea000000, CAIRN_ISA_A32, 4, true},  /* b */
        {0x1a000000, CAIRN_ISA_A32, 4, true},  /* bne */
        {0xeb000000, CAIRN_ISA_A32, 4, true},  /* bl */
        {0xfa000000, CAIRN_ISA_A32, 4, true},  /* blx */
        {0xe000, CAIRN_ISA_T32, 2, true},      /* b */
        {0xd100, CAIRN_ISA_T32, 2, true},      /* bne */
        {0xb100, CAIRN_ISA_T32, 2, true},      /* cbz */
        {0xb900, CAIRN_ISA_T32, 2, true},      /* cbnz */
        {0xf800f000, CAIRN_ISA_T32, 4, true},  /* bl, its first halfword in the low bits */
        {0xe800f000, CAIRN_ISA_T32, 4, true},  /* blx */
        {0x8f1ff3bf, CAIRN_ISA_T32, 4, true},  /* enterx */
        {0x8f0ff3bf, CAIRN_ISA_T32, 4, true},  /* leavex */
        {0xe12fff1e, CAIRN_ISA_A32, 4, false}, /* bx lr */
        {0xe12fff3e, CAIRN_ISA_A32, 4, false}, /* blx lr */
        {0xe12fff20, CAIRN_ISA_A32, 4, false}, /* bxj r0 */
        {0xe1a0f00e, CAIRN_ISA_A32, 4, false}, /* mov pc, lr */
        {0xe08ff101, CAIRN_ISA_A32, 4, false}, /* add pc, pc, r1, lsl #2 */
        {0xe590f000, CAIRN_ISA_A32, 4, false}, /* ldr pc, [r0] */
        {0xe8bd8001, CAIRN_ISA_A32, 4, false}, /* ldm sp!, {r0, pc} */
        {0xef000000, CAIRN_ISA_A32, 4, false}, /* svc */
        {0x4770, CAIRN_ISA_T32, 2, false},     /* bx lr */
        {0x46f7, CAIRN_ISA_T32, 2, false},     /* mov pc, lr */
        {0xbd00, CAIRN_ISA_T32, 2, false},     /* pop {pc} */
        {0xf000e8d0, CAIRN_ISA_T32, 4, false}, /* tbb */
    };
    struct cairn_arch arch;

    (void)state;
    assert_int_equal(cairn_arch_from_name("Cortex-A8", &arch), CAIRN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[4];
        struct cairn_insn insn;

        for (unsigned n = 0; n < 4; n++)
            bytes[n] = (uint8_t)(rows[i].opcode >> (8 * n));
        assert_int_equal(cairn_insn_decode(&arch, rows[i].isa, 0x8000, bytes, rows[i].size, &insn),
                         rows[i].size);
        /* proves: ETM1-4.10.3-a */
        assert_int_equal(insn.kind == CAIRN_INSN_BRANCH_DIRECT, rows[i].direct);
    }
}

/* Of a program in Jazelle state where it was entered and left is known, and the statuses between (5.11): no
 * branch of it is followed, but by an address. */
static void test_jazelle_boundaries(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    ETMV1_WORDS(&bench, 0x8000, 0xe12fff20 /* bxj r0 */, NOP, NOP);
    etmv1_cycles(&bench, ON "BE*/81 A0/82 A0/82 WT/80 WT/80 IE BE*/83 A0/82 A0/82 WT/80 WT/80 "
                            "BE*/84 A0/80 A0/82 WT/80 WT/00 IE");
    etmv1_packets_text(&bench);
    /* proves: ETM1-5.11-d */
    assert_non_null(strstr(bench.text, "BE a1/5 apo 0 >8101 J; "));
    assert_non_null(strstr(bench.text, "BE a1/5 apo 0 >8103 J; "));
    etmv1_flow_text(&bench);
    assert_string_equal(bench.text, "on; context 0; first 8000 E; gap not decoded; "
                                    "gap not decoded; gap not decoded; first 8004 E");
    etmv1_end(&bench);
}

/* A line of the listing is a cycle; what it counts as 1 of 5 are what chapter 5 alone calls packets, 8 bits each
 * whatever the width of the port. */
static void test_widths(void **state)
{
    static const struct {
        uint32_t port;
        const char *cycles, *wanted;
    } rows[] = {
        {CR_4, "BE*/0 A0/8 A0/0 WT/8 WT/2 WT/8 WT/0 WT/8 WT/0 WT/1",
         "BE a1/5 apo 0 >8000 A reason 1; APO a1/5 0; APO a2/5 0; WT a2/5; WT a3/5; WT a3/5; "
         "WT a4/5; WT a4/5; WT a5/5; WT a5/5"},
        {CR_8, "BE*/80 A0/80 A0/82 WT/80 WT/10",
         "BE a1/5 apo 0 >8000 A reason 1; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5"},
        {CR_16, "BE*/8080 A0/8082 A0/6610",
         "BE a1/5,a2/5 apo 0 >8000 A reason 1; APO a3/5,a4/5 0; APO a5/5 0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        etmv1_begin(&bench, rows[i].port, CCR(3));
        /* proves: ETM1-4.1-a */
        assert_packets(&bench, rows[i].cycles, rows[i].wanted);
        etmv1_end(&bench);
    }
}

/* --- Example 5-1 --- */

/* Its listing has addresses that step by 4 in decimal. Read so, the program is at 0x3e8, and the one packet of
 * the branch back, 0, does not lead there; read as hexadecimal it does (test_data.c). */
static void test_decimal_example(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_8 | CR_VALUE, CCR(3));
    ETMV1_WORDS(&bench, 1000, 0xe3a02802 /* mov r2,#0x20000 */, LDRB, LDRH, LDR, NOP,
                0xeafffff9 /* b 1000 */);
    /* proves: ETM1-5.3.2-g */
    assert_flow(
        &bench,
        "BE*/e8 A0/87 A0/80 WT/80 WT/10 IE ID/11 ID/11 WT/22 WT/11 WT/22 WT/33 WT/44 ID/1 IE "
        "BE*/0 A0 A0 IE",
        "on; context 0; first 3e8 E; 3ec E; data = 11 of 3ec.0; 3f0 E; "
        "data = 2211 of 3f0.0; 3f4 E; data = 44332211 of 3f4.0; 3f8 E; 3fc E; warning 2; "
        "gap no image at the address");
    etmv1_end(&bench);
}

/* --- versions --- */

static void assert_version(unsigned protocol, const char *cycles, const char *wanted)
{
    etmv1_begin(&bench, CR_8 | CR_CONTEXT(1), CCR(protocol));
    assert_packets(&bench, cycles, wanted);
    etmv1_end(&bench);
}

/* ETMv1.2 brought Context IDs behind whole addresses with a reason, and reason b100; v1.3 the J bit. */
static void test_versions(void **state)
{
    static const char periodic[] = "BE*/80 A0/80 A0/82 WT/80 WT/40 WT/5";
    static const char java[] = "BE*/80 A0/80 A0/82 WT/80 WT/90 WT/5";

    (void)state;
    /* ETMCCR[30:28]: 1 is v1.1, 2 is v1.2, 3 is v1.3 */
    /* proves: ETM2-B.1.2-a */
    assert_version(
        1, periodic,
        "BE a1/5 apo 0 >8000 A reason 4; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5; WT -");
    assert_version(2, periodic,
                   "BE a1/5 apo 0 >8000 A reason 4 id 5; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5; "
                   "WT c1/1");
    assert_version(2, java,
                   "BE a1/5 apo 0 lost; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5; WT c1/1");
    assert_version(3, java,
                   "BE a1/5 apo 0 >8000 J reason 1 id 5; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5; "
                   "WT c1/1");
}

/* And the reason of a periodic address is reserved before: flow begins anew there. */
static void test_reserved_reason(void **state)
{
    static const char cycles[] = ON "IE BE*/80 A0/80 A0/82 WT/80 WT/40 IE";

    (void)state;
    etmv1_begin(&bench, CR_8, CCR(1));
    assert_elements(&bench, cycles,
                    "on; context 0; >8000; E; gap reserved packet; context 0; >8000; E");
    etmv1_end(&bench);
    etmv1_begin(&bench, CR_8, CCR(2));
    assert_elements(&bench, cycles, "on; context 0; >8000; E; E; >8000; E");
    etmv1_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retained),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_be_32),
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_jazelle_boundaries),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_decimal_example),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_reserved_reason),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
