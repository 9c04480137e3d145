/* SPDX-License-Identifier: BSD-2-Clause */
/* The program flow that ETMv1's statuses and branch addresses tell (IHI0014 4.5, 4.7, 5.5 to 5.11). */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NOP 0xe1a00000u
#define BX_LR 0xe12fff1eu

/* Trace on at 0x8000 on 8 pins, in ARM and in Thumb state. */
#define ON "BE*/80 A0/80 A0/82 WT/80 WT/10 "
#define ON_THUMB "BE*/81 A0/80 A0/82 WT/80 WT/10 "
#define STARTS "on; context 0; first "

static struct etmv1_bench bench;

static void begin(uint32_t cr)
{
    etmv1_begin(&bench, CR_8 | cr, CCR(3));
}

/* B, BL and BLX lead where their opcodes say, and what failed its condition goes on behind. */
static void test_direct(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, 0xea000000 /* b 8008 */, NOP, 0x1afffffc /* bne 8000 */,
                0xeb000000 /* bl 8014 */, NOP, 0xfa000000 /* blx 801c */, NOP);
    ETMV1_HALFWORDS(&bench, 0x801c, 0x46c0 /* nop */, 0xe7fd /* b 801c */);
    /* proves: ETM1-4.5.2-a */
    assert_flow(&bench, ON "IE IN IE IE IE IE IE",
                STARTS "8000 E; 8008 N; 800c E; 8014 E; 801c E; 801e E; 801c E");
    /* flushed instructions are waits, and no statuses */
    /* proves: ETM1-5.1-l */
    assert_flow(&bench, ON "IE WT TD IN TD TD IE", STARTS "8000 E; 8008 N; 800c E");
    etmv1_end(&bench);
}

/* Whatever else writes the PC has an address, also where it could be worked out. */
static void test_indirect(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, BX_LR, NOP, NOP, NOP, 0xe28ff004 /* add pc,pc,#4 */, NOP, NOP, NOP,
                0xe590f000 /* ldr pc,[r0] */);
    ETMV1_HALFWORDS(&bench, 0x8030, 0x4770 /* bx lr */);
    /* proves: ETM1-4.5.2-b, ETM1-4.10.3-b, ETM1-5.1-h */
    assert_flow(&bench, ON "BE*/10 A0 A0 BE*/20 A0 A0 BE*/31 A0 A0 BE*/00 A0 A0",
                STARTS "8000 E; 8010 E; 8020 E; 8030 E");
    /* the offset cycles are no statuses, whatever they look like: three addresses were in front */
    /* proves: ETM1-5.1-n */
    assert_flow(&bench, "BE A3 A0 WT*/01 WT*/02 WT*/03 WT*/80 WT/80 WT/82 WT/80 WT/10 BE*/10 A0 A0",
                STARTS "8000 E");
    etmv1_end(&bench);
}

/* ON, an instruction, and one that an exception takes the place of or follows. 0x8000 to 0xNN is three
 * bytes. */
static void assert_vector(unsigned vector, const char *wanted)
{
    char cycles[128], text[256];

    snprintf(cycles, sizeof cycles, ON "IE BE*/%02x A0/80 A0/00 IE", 0x80 | vector);
    snprintf(text, sizeof text, STARTS "8000 E; %s", wanted);
    assert_flow(&bench, cycles, text);
}

static void add_vectors(uint32_t base)
{
    ETMV1_WORDS(&bench, base, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP);
}

static void test_vectors(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, NOP);
    add_vectors(0);
    /* proves: ETM1-4.5.3-c, ETM1-5.1-m, ETM1-4.5.2-c */
    assert_vector(0x18, "exception 6 at 8004; first 18 E");
    assert_vector(0x1c, "exception 7 at 8004; first 1c E");
    assert_vector(0x0c, "exception 3 at 8004; first c E");
    assert_vector(0x00, "exception 0 at 8004; first 0 E");
    etmv1_end(&bench);
}

/* The status of these is that of an instruction that executed. */
static void test_executed(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, 0xef000001 /* svc */, NOP);
    add_vectors(0);
    /* proves: ETM1-4.5.3-d, ETM1-4.5.3-b, ETM1-4.5.3-f */
    assert_vector(0x08, "8004 E; exception 2 at 8008; first 8 E");
    assert_vector(0x10, "8004 E; exception 4 at 8008; first 10 E");
    assert_vector(0x04, "8004 E; exception 1 at 8008; first 4 E");
    /* where no vector is, it is a branch, which this instruction is none of */
    assert_vector(0x14, "8004 E; warning 2; 14 E");
    assert_vector(0x20, "8004 E; warning 2; gap no image at the address");
    /* nor is it one in Thumb state */
    assert_vector(0x19, "8004 E; warning 2; 18 E");
    etmv1_end(&bench);
}

/* An undefined instruction executed if its exception comes behind it. Where flow goes on, or another exception
 * comes, the image has what was not executed; that which an interrupt takes the place of was not, and behind
 * the last one nobody knows. */
static void test_undefined(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, 0xe7f001f2 /* udf */, NOP, NOP);
    add_vectors(0);
    /* proves: ETM1-4.5.3-d */
    assert_vector(0x04, "8004 E; exception 1 at 8008; first 4 E");
    assert_vector(0x18, "exception 6 at 8004; first 18 E");
    assert_vector(0x08, "8004 E; warning 4; exception 2 at 8008; first 8 E");
    assert_flow(&bench, ON "IE IE IE IE", STARTS "8000 E; 8004 E; warning 4; 8008 E; 800c E");
    assert_flow(&bench, ON "IE IN IE", STARTS "8000 E; 8004 N; warning 4; 8008 E");
    assert_flow(&bench, ON "IE IE TR/0", STARTS "8000 E; 8004 E; event; warning 4; 8008 E");
    assert_flow(&bench, ON "IE IE", STARTS "8000 E; 8004 E");
    assert_flow(&bench, ON "IE IE BE*/80 A0/80 A0/82 WT/80 WT/20 IE",
                STARTS "8000 E; 8004 E; overflow; on; first 8000 E");
    /* the interrupt is of what would have come next */
    assert_flow(&bench, ON "IE IE BE*/98 A0/80 A0/00 IE",
                STARTS "8000 E; 8004 E; warning 4; exception 6 at 8008; first 18 E");
    etmv1_end(&bench);
}

/* HIVECS says where the vectors are. */
static void test_high_vectors(void **state)
{
    static const struct etmv1_more high[3] = {{"HIVECS", 1}};
    static const char irq[] = ON "IE BE*/98 A0/80 A0/fc WT/ff WT/0f IE"; /* 0xffff0018 */
    static const char low[] = ON "IE BE*/98 A0/80 A0/00 IE";

    (void)state;
    etmv1_begin_with(&bench, CR_8, CCR(3), high);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, NOP);
    add_vectors(0);
    add_vectors(0xffff0000);
    /* proves: ETM1-4.5.3-a */
    assert_flow(&bench, irq, STARTS "8000 E; exception 6 at 8004; first ffff0018 E");
    assert_flow(&bench, low, STARTS "8000 E; 8004 E; warning 2; 18 E");
    etmv1_end(&bench);
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, NOP);
    add_vectors(0xffff0000);
    assert_flow(&bench, irq, STARTS "8000 E; 8004 E; warning 2; ffff0018 E");
    etmv1_end(&bench);
}

/* Some cores turn the status of the instruction before the exception into the branch. */
static void test_quirk(void **state)
{
    static const struct etmv1_more quirk[3] = {{"VECTORQUIRK", 1}};
    static const char irq[] = ON "IE BE*/98 A0/80 A0/00 IE";

    (void)state;
    etmv1_begin_with(&bench, CR_8, CCR(3), quirk);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, NOP);
    add_vectors(0);
    /* proves: ETM1-4.5.3-g */
    assert_flow(&bench, irq, STARTS "8000 E; 8004 E; exception 6 at 8008; first 18 E");
    etmv1_end(&bench);
}

/* A direct branch to a vector looks as an exception does, and is taken for one. */
static void test_branch_to_vector(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, 0xeaffe003 /* b 18 */, NOP);
    add_vectors(0);
    /* proves: ETM1-5.5.1-b */
    assert_vector(0x18, "exception 6 at 8004; first 18 E");
    etmv1_end(&bench);
}

/* Reasons 1 to 3 are of no instruction; 0 and 4 are of one (Table 5-3). */
static void test_reasons(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, 0xeafffffd /* b 8000 */, NOP);
    /* proves: ETM1-5.5.5-b, ETM1-5.5.5-g */
    assert_flow(&bench, ON "IE BE*/84 A0/80 A0/82 WT/80 WT/10 IE",
                STARTS "8000 E; on; first 8004 E");
    /* proves: ETM1-5.5.5-c */
    assert_flow(&bench, ON "IE BE*/84 A0/80 A0/82 WT/80 WT/20 IE",
                STARTS "8000 E; overflow; on; first 8004 E");
    /* proves: ETM1-5.5.5-d */
    assert_flow(&bench, ON "IE BE*/84 A0/80 A0/82 WT/80 WT/30 IE",
                STARTS "8000 E; on; first 8004 E");
    etmv1_end(&bench);
}

static void test_periodic(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, 0xeafffffd /* b 8000 */, NOP);
    /* proves: ETM1-5.5.5-e, ETM1-5.5.5-h */
    assert_flow(&bench, ON "IE BE*/80 A0/80 A0/82 WT/80 WT/40 IE", STARTS "8000 E; 8004 E; 8000 E");
    /* proves: ETM1-5.5.5-a */
    assert_flow(&bench, ON "IE BE*/80 A0/80 A0/82 WT/80 WT/00 IE", STARTS "8000 E; 8004 E; 8000 E");
    /* the opcode says where such a branch leads; the trace is believed, and the image doubted */
    /* proves: ETM1-5.6.2-e */
    assert_flow(&bench, ON "IE BE*/08 A0 A0 IE", STARTS "8000 E; 8004 E; warning 2; 8008 E");
    etmv1_end(&bench);
}

/* b101 to b111: told, and flow goes on at the address, which is whole. */
static void test_reserved_reasons(void **state)
{
    static const char *const last[] = {"50", "60", "70"};
    char cycles[128];

    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, NOP);
    for (unsigned i = 0; i < 3; i++) {
        snprintf(cycles, sizeof cycles, ON "IE BE*/80 A0/80 A0/82 WT/80 WT/%s IE", last[i]);
        /* proves: ETM1-5.5.5-f */
        assert_flow(&bench, cycles, STARTS "8000 E; gap reserved packet; first 8000 E");
    }
    etmv1_end(&bench);
}

/* In front of a full address nothing is known, and a short one behind it is compressed against it. */
static void test_late_start(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, BX_LR, NOP);
    assert_elements(&bench, "IE IE BE*/08 A0 A0 IE BE*/80 A0/80 A0/82 WT/80 WT/00 IE BE*/08 A0 A0",
                    "gap no synchronisation; context 0; >8000; E; E; >8008");
    assert_flow(&bench, "IE IE BE*/08 A0 A0 IE BE*/80 A0/80 A0/82 WT/80 WT/00 IE BE*/08 A0 A0 IE",
                "gap no synchronisation; context 0; first 8000 E; 8004 E; 8008 E");
    etmv1_end(&bench);
}

/* A BL of Thumb is two statuses; trace may begin, or an exception stand, between the two. */
static void test_thumb_halves(void **state)
{
    (void)state;
    begin(0);
    ETMV1_HALFWORDS(&bench, 0x8000, 0xf000, 0xf802 /* bl 8008 */, 0x46c0, 0x46c0,
                    0x4770 /* bx lr */);
    add_vectors(0);
    assert_flow(&bench, ON_THUMB "IE IE BE*/05 A0 A0 IE", STARTS "8000 E; 8008 E; 8004 E");
    assert_flow(&bench, ON_THUMB "IE BE*/98 A0/80 A0/00 IE",
                "on; context 0; exception 6 at 8002; first 18 E");
    /* and a handler returns to the second one */
    assert_flow(&bench, ON_THUMB "IE BE*/98 A0/80 A0/00 BE*/83 A0/80 A0/02 IE IE",
                "on; context 0; exception 6 at 8002; first 18 E; warning 2; 8000 E; 8008 E");
    etmv1_end(&bench);
}

/* Bytecodes are boundaries and no more: statuses are told, and are no flow (5.11). */
static void test_jazelle(void **state)
{
    static const char cycles[] =
        ON "IE BE*/80 A0/80 A0/82 WT/80 WT/80 IE IN BE*/84 A0/80 A0/82 WT/80 WT/00 IE";

    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, 0xe12fff20 /* bxj r0 */, NOP);
    /* proves: ETM1-5.11-b, ETM1-5.5.4-f */
    assert_elements(&bench, cycles, "on; context 0; >8000; E; E; >?; E; N; E; >8004; E");
    assert_flow(&bench, cycles,
                STARTS "8000 E; 8004 E; gap not decoded; gap not decoded; "
                       "gap not decoded; first 8004 E");
    etmv1_end(&bench);
}

/* ETMCR[8]: every taken branch has an address, and no image is needed for it. */
static void test_branch_output(void **state)
{
    (void)state;
    begin(CR_BRANCH);
    /* proves: ETM1-3.5.1-e */
    assert_elements(&bench, ON "IE BE*/10 A0 A0 IE BE*/00 A0 A0 IE BE*/10 A0 A0",
                    "on; context 0; >8000; E; E; >8010; E; E; >8000; E; E; >8010");
    etmv1_end(&bench);
}

/* Context IDs come with the address, and a reset makes them unknown. */
static void test_context_ids(void **state)
{
    static const char on[] = "BE*/80 A0/80 A0/82 WT/80 WT/10 WT/34 WT/12 ";
    char cycles[256];

    (void)state;
    begin(CR_CONTEXT(2));
    snprintf(cycles, sizeof cycles, "%sIE BE*/04 A0 A0 BE*/80 A0/80 A0/82 WT/80 WT/40 WT/35 WT/12",
             on);
    /* proves: ETM1-9.3-a */
    assert_elements(&bench, cycles, "on; context 1234; >8000; E; E; >8004; E; context 1235; >8000");
    snprintf(cycles, sizeof cycles, "%sIE BE*/80 A0/80 A0/00 IE BE*/04 A0 A0", on);
    /* not known is told as 0: docs/etmv1.md */
    /* proves: ETM1-4.7-d */
    assert_elements(
        &bench, cycles,
        "on; context 1234; >8000; E; exception 0; context 0; >0; E; E; exception 1; >4");
    etmv1_end(&bench);
}

/* Behind a gap another program may run: flow goes on where its Context ID is. */
static void test_context_behind_gap(void **state)
{
    (void)state;
    begin(CR_CONTEXT(1));
    ETMV1_WORDS(&bench, 0x8000, NOP, BX_LR, NOP);
    /* proves: ETM1-5.6.3-a, ETM1-9.3-a */
    assert_elements(&bench,
                    ON "WT/5 IE IE! BE*/80 A0/80 A0/82 WT/80 WT/00 IE "
                       "BE*/80 A0/80 A0/82 WT/80 WT/40 WT/6 IE",
                    "on; context 5; >8000; E; gap no synchronisation; context 6; >8000; E");
    etmv1_end(&bench);
    /* where none is traced nothing is waited for */
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, BX_LR, NOP);
    assert_elements(&bench, ON "IE IE! BE*/80 A0/80 A0/82 WT/80 WT/00 IE",
                    "on; context 0; >8000; E; gap no synchronisation; context 0; >8000; E");
    etmv1_end(&bench);
}

/* The offset says that it is not the address that comes next: flow goes on at a whole one alone. */
static void test_contradiction(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, BX_LR, NOP, BX_LR, NOP);
    assert_elements(&bench, ON "IE BE*/08 A1 A0 WT*/0c IE",
                    "on; context 0; >8000; E; gap packet cut by synchronisation");
    assert_elements(
        &bench, ON "IE BE*/08 A1 A0 WT*/80 WT/80 WT/82 WT/80 WT/00 IE",
        "on; context 0; >8000; E; gap packet cut by synchronisation; context 0; >8000; E");
    etmv1_end(&bench);
}

/* An address of no branch is not that of one that came behind it and was given up. */
static void test_stray_address(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP);
    /* proves: ETM1-5.6.1-f */
    assert_flow(&bench,
                ON "IE WT*/05 BE*/80 BE/80 A0/82 A0/80 WT/20 WT*/84 WT/80 WT/82 WT/80 WT/20 IE",
                STARTS "8000 E; overflow; on; first 8004 E");
    etmv1_end(&bench);
}

/* Two programs at one address, told apart by Context ID. */
static void test_images(void **state)
{
    static const uint8_t nop[] = {0x00, 0x00, 0xa0, 0xe1}, branch[] = {0xfe, 0xff, 0xff, 0xea};
    struct cairn_scope scope = cairn_scope_any();

    (void)state;
    begin(CR_CONTEXT(1));
    scope.any_context_id = false;
    scope.context_id = 5;
    assert_int_equal(cairn_image_add_bytes(bench.image, "five", &scope, CAIRN_ORDER_LITTLE, 0x8000,
                                           nop, sizeof nop, NULL),
                     CAIRN_OK);
    scope.context_id = 6;
    assert_int_equal(cairn_image_add_bytes(bench.image, "six", &scope, CAIRN_ORDER_LITTLE, 0x8000,
                                           branch, sizeof branch, NULL),
                     CAIRN_OK);
    /* proves: ETM1-9.1-a */
    assert_flow(&bench, ON "WT/5 IE BE*/80 A0/80 A0/82 WT/80 WT/10 WT/6 IE IE",
                "on; context 5; first 8000 E; on; context 6; first 8000 E; 8000 E");
    etmv1_end(&bench);
}

/* A trigger is at a place of the trace, and changes nothing of its flow. */
static void test_trigger(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, 0x1afffffc, NOP);
    /* proves: ETM1-5.1.1-c */
    assert_flow(&bench, ON "IE TR/3 IE TR/2 TR/0",
                STARTS "8000 E; event; 8004 E; event; 8008 N; event; 800c E");
    etmv1_end(&bench);
}

/* Every captured cycle counts, and those of a gap are not known (5.10). */
static void test_cycles(void **state)
{
    (void)state;
    begin(CR_CYCLES);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, NOP, NOP);
    /* proves: ETM1-5.10-a, ETM1-5.10-b */
    assert_flow(
        &bench, ON "IE TD/1 TD/1 IE TD/0 BE*/80 A0/80 A0/82 WT/80 WT/20 TD/1 IE",
        "cycles ?; on; context 0; cycles 5; first 8000 E; cycles 3; 8004 E; overflow; cycles ?; "
        "on; cycles 6; first 8000 E");
    etmv1_end(&bench);
    /* the same without: TD is not stored, and nothing else changes */
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, NOP, NOP);
    /* proves: ETM1-3.5.1-d */
    assert_flow(&bench, ON "IE IE BE*/80 A0/80 A0/82 WT/80 WT/20 IE",
                STARTS "8000 E; 8004 E; overflow; on; first 8000 E");
    etmv1_end(&bench);
}

/* Only TR is a trigger. */
static void test_each_status(void **state)
{
    static const char *const statuses[] = {"IE",           "ID",           "IN",   "WT",
                                           "BE*/00 A0 A0", "BD*/00 A0 A0", "TR/3", "TD"};
    char cycles[64];

    (void)state;
    begin(0);
    for (unsigned i = 0; i < 8; i++) {
        snprintf(cycles, sizeof cycles, ON "%s", statuses[i]);
        etmv1_cycles(&bench, cycles);
        etmv1_elements_text(&bench);
        /* proves: ETM1-4.4.1-a */
        assert_int_equal(strstr(bench.text, "event") != NULL, i == 6);
    }
    etmv1_end(&bench);
}

/* Where there is no code instructions are lost, and none behind the branch back. */
static void test_no_image(void **state)
{
    (void)state;
    begin(CR_VALUE);
    ETMV1_WORDS(&bench, 0x8000, BX_LR, NOP, 0xe5d20000 /* ldrb */, BX_LR);
    /* proves: ETM1-9.3-b */
    assert_flow(&bench, ON "BE*/80 A0/01 A0 IE ID/11 IE BE*/88 A0/00 A0 ID/22 BE*/00 A0 A0",
                STARTS "8000 E; gap no image at the address; gap no image at the address; "
                       "gap no image at the address; gap no image at the address; first 8008 E; "
                       "data = 22 of 8008.0; 800c E");
    etmv1_end(&bench);
}

/* Overlays told apart by unused bits of their addresses. */
static void test_aliases(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, BX_LR);
    ETMV1_WORDS(&bench, 0x18000, BX_LR, NOP);
    /* proves: ETM1-9.1.1-a */
    assert_flow(&bench, ON "IE BE*/80 A0/80 A0/06 BE*/80 A0/80 A0/02 IE",
                STARTS "8000 E; 8004 E; 18000 E; 8000 E");
    etmv1_end(&bench);
}

/* One that never was a branch, and a branch that none followed. */
static void test_wrong_image(void **state)
{
    (void)state;
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, BX_LR, NOP, NOP);
    assert_flow(
        &bench, ON "IE IE BE*/04 A0 A0 IE",
        STARTS
        "8000 E; gap no address or context yet; gap no address or context yet; first 8004 E");
    etmv1_end(&bench);
    begin(0);
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, NOP);
    assert_flow(&bench, ON "BE*/08 A0 A0 IE", STARTS "8000 E; warning 2; 8008 E");
    etmv1_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_indirect),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_executed),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_high_vectors),
        cmocka_unit_test(test_quirk),
        cmocka_unit_test(test_branch_to_vector),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_reserved_reasons),
        cmocka_unit_test(test_late_start),
        cmocka_unit_test(test_thumb_halves),
        cmocka_unit_test(test_jazelle),
        cmocka_unit_test(test_branch_output),
        cmocka_unit_test(test_context_ids),
        cmocka_unit_test(test_context_behind_gap),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_stray_address),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_trigger),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_wrong_image),
        cmocka_unit_test(test_each_status),
        cmocka_unit_test(test_no_image),
        cmocka_unit_test(test_aliases),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
