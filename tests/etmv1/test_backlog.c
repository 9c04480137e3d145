/* SPDX-License-Identifier: BSD-2-Clause */
/* Data of ETMv1 that waits in the FIFO for many instructions, and what is told of it where it does not come
 * (IHI0014 5.3, 5.9). */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NOP 0xe1a00000u
#define LDR 0xe5920000u  /* ldr r0,[r2] */
#define LDRB 0xe5d20000u /* ldrb r0,[r2] */
#define BX_LR 0xe12fff1eu

#define ON "BE*/80 A0/80 A0/82 WT/80 WT/10 "
#define STARTS "on; context 0; first "

static struct etmv1_bench bench;

static void begin_values(void)
{
    etmv1_begin(&bench, CR_8 | CR_VALUE, CCR(3));
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

#define BEGINS_4 "BE*/0 A0/8 A0/0 WT/8 WT/2 WT/8 WT/0 WT/8 WT/0 WT/1 " /* ON, on 4 pins */

/* A FIFO may hold a byte of each of 256 instructions: here 100 of them, on 4 pins. */
static void test_deep(void **state)
{
    static char cycles[8192], wanted[16384];
    uint32_t code[200];
    char *to = cycles, *text = wanted;

    (void)state;
    etmv1_begin(&bench, CR_4 | CR_VALUE, CCR(3));
    to += sprintf(to, BEGINS_4);
    text += sprintf(text, "on; context 0");
    for (unsigned i = 0; i < 400; i++) {
        to += sprintf(to, "%s/%x ", i < 200 ? "ID" : "WT", i / 2 >> 4 * (i % 2) & 15);
        if (i < 200)
            text += sprintf(text, "; %s%x E", i == 0 ? "first " : "", 0x8000 + 4 * i);
        if (i % 2)
            text += sprintf(text, "; data = %02x of %x.0", i / 2, 0x8000 + 4 * (i / 2));
    }
    for (unsigned i = 0; i < 200; i++)
        code[i] = LDRB;
    etmv1_words(&bench, 0x8000, code, 200);
    /* proves: ETM1-5.3-h */
    assert_flow(&bench, cycles, wanted);
    etmv1_end(&bench);
}

/* More than any FIFO has is not believed; each instruction has its data or is told to have none. */
static void test_too_deep(void **state)
{
    static char cycles[16384];
    char *to = cycles;

    (void)state;
    etmv1_begin(&bench, CR_4 | CR_VALUE, CCR(3));
    ETMV1_WORDS(&bench, 0x8000, LDR, 0xeafffffd /* b 8000 */);
    to += sprintf(to, BEGINS_4);
    for (unsigned i = 0; i < 700; i++)
        to += sprintf(to, "ID/1 IE/1 ");
    /* what comes next is the branch back, whose address makes an end of it */
    sprintf(to, "ID/1 BE*/0 A0/0 A0 ID/7 WT/6 WT/7 WT/6 WT/7 WT/6 WT/7 WT/6");
    etmv1_cycles(&bench, cycles);
    etmv1_flow_text(&bench);
    assert_true(count_of(bench.text, "lost of 8000.0") > 512);
    /* and the last one is in doubt as well */
    assert_int_equal(count_of(bench.text, "data = ") + count_of(bench.text, "lost of "), 702 + 1);
    assert_non_null(strstr(bench.text, "data = 67676767 of 8000.0"));
    etmv1_end(&bench);
}

/* A load of sixteen doubles with its address, all of it in front of the status. */
static void test_longest(void **state)
{
    static char cycles[4096], wanted[2048];
    char *to = cycles, *text = wanted;

    (void)state;
    etmv1_begin(&bench, CR_4 | CR_ADDRESS | CR_VALUE, CCR(3));
    ETMV1_WORDS(&bench, 0x8000, 0xec920b20 /* vldmia r2,{d0-d15} */, NOP, BX_LR);
    to += sprintf(to, BEGINS_4 "WT/0 WT/8 WT/0 WT/8 WT/8 WT/8 WT/0 WT/8 WT/0 WT/0 ");
    for (unsigned i = 0; i < 128; i++)
        to += sprintf(to, "WT/%x WT/%x ", i & 15, i >> 4);
    sprintf(to, "ID IE");
    text += sprintf(text, STARTS "8000 E; data at 20000 = 03020100 of 8000.0");
    for (unsigned i = 1; i < 32; i++)
        text += sprintf(text, "; data = %02x%02x%02x%02x of 8000.%u", 4 * i + 3, 4 * i + 2,
                        4 * i + 1, 4 * i, i);
    sprintf(text, "; 8004 E");
    /* proves: ETM1-5.7.2-b */
    assert_flow(&bench, cycles, wanted);
    etmv1_end(&bench);
}

/* An overflow may take the packets of the instruction before it; the byte beside its status is none then,
 * and looks like one. Behind a Wait nothing is in doubt. */
static void test_doubt(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, LDRB, LDRB);
    /* proves: ETM1-5.9-c */
    assert_flow(&bench, ON "ID/11 ID/00 BE*/80 A0/80 A0/82 WT/80 WT/20 ID/55",
                STARTS "8000 E; data = 11 of 8000.0; 8004 E; data = 00 of 8004.0; overflow; on; "
                       "lost of 8004.0; first 8000 E; data = 55 of 8000.0; lost of 8000.0");
    assert_flow(&bench, ON "ID/11 WT/22 ID BE*/80 A0/80 A0/82 WT/80 WT/20 ID/55",
                STARTS "8000 E; data = 11 of 8000.0; 8004 E; data = 22 of 8004.0; overflow; on; "
                       "first 8000 E; data = 55 of 8000.0; lost of 8000.0");
    etmv1_end(&bench);
}

/* What waits where trace ends never comes, and is told. */
static void test_end(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, LDR, 0xe8920012 /* ldmia r2,{r1,r4} */, NOP);
    /* proves: ETM1-5.9-f */
    assert_flow(&bench, ON "ID/44 ID/33", STARTS "8000 E; 8004 E; lost of 8000.0; lost of 8004.0");
    assert_flow(&bench, ON "ID/44 ID/33 WT/22 WT/11 WT/8 WT/7 WT/6 WT/5 WT/4",
                STARTS "8000 E; 8004 E; data = 11223344 of 8000.0; data = 05060708 of 8004.0; "
                       "lost of 8004.1");
    etmv1_end(&bench);
}

/* Data is given up behind a reserved reason code, but the address of the branch before it still waits in
 * the FIFO: up to that, and to its own, no byte is of what executes now. */
static void test_backlog(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, 0xe8920012 /* ldmia r2,{r1,r4} */, BX_LR, NOP, NOP, LDRB, BX_LR,
                NOP, NOP, LDRB);
    assert_flow(&bench,
                ON "ID/01 BE/02 A0/03 A0/04 ID/05 BE/06 A1/07 A0/08 ID*/10 WT/5a "
                   "WT*/a0 WT/80 WT/82 WT/80 WT/50 WT/77 IE",
                STARTS "8000 E; 8004 E; data = 04030201 of 8000.0; 8010 E; "
                       "gap reserved packet; lost of 8000.1; lost of 8010.0; first 8020 E; "
                       "data = 77 of 8020.0; gap no image at the address");
    etmv1_end(&bench);
}

/* A branch of which nobody knows where it leads has its address in the trace like others: data of the
 * one behind it is not before that. */
static void test_lost_branch(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, LDRB, NOP, LDRB, BX_LR);
    assert_flow(&bench,
                "BE/11 A0/22 A0/33 BE/44 A1/55 A0/66 ID/99 WT*/04 WT/aa WT*/80 WT/80 WT/82 WT/80 "
                "WT/10 WT/77 IE",
                "gap no synchronisation; on; context 0; first 8000 E; data = 77 of 8000.0; 8004 E");
    etmv1_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubt),       cmocka_unit_test(test_deep),
        cmocka_unit_test(test_too_deep),    cmocka_unit_test(test_longest),
        cmocka_unit_test(test_end),         cmocka_unit_test(test_backlog),
        cmocka_unit_test(test_lost_branch),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
