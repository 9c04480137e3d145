/* SPDX-License-Identifier: BSD-2-Clause */
/* Data of ETMv1, whose bytes the instructions tell apart (IHI0014 5.3, 5.4, 5.7). */
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

#define ON "BE*/80 A0/80 A0/82 WT/80 WT/10 "
#define STARTS "on; context 0; first "
/* Where the trace ends with the status of an instruction with data, an overflow may have come to that, and a
 * byte beside the status be none (5.9): then the instruction is "lost" besides. */
#define LOOP "BE*/00 A0 A0 " /* back to 0x8000: the one before is there as well */

static struct etmv1_bench bench;

static void begin(uint32_t cr, const struct etmv1_more *more)
{
    etmv1_begin_with(&bench, cr, CCR(3), more);
}

static void begin_values(void)
{
    begin(CR_8 | CR_VALUE, NULL);
}

/* Example 5-1: 30 cycles, behind a branch that tells where the program is (0x1000; the listing of the
 * example counts its addresses by 4 in decimal), and with the two offset cycles of the last branch. The
 * lines of the analysis: bytes with TD are none; LDRB's byte is with its status; LDRH's cannot begin on
 * or before that; the four behind are LDR's, whose own status has none. */
#define EXAMPLE                                                                                    \
    "TD/1 TD/1 TD/1 TD/1 IE/1 TD/1 TD/1 TD/1 TD/1 TD/1 ID/11 TD/1 TD/1 TD/1 TD/1 TD/1 ID/11 "      \
    "WT/22 TD/1 TD/1 WT/11 WT/22 WT/33 WT/44 ID/1 TD/1 TD/1 TD/1 IE/1 BE*/0 "

static void test_example(void **state)
{
    (void)state;
    begin(CR_8 | CR_VALUE | CR_CYCLES, NULL);
    ETMV1_WORDS(&bench, 0x1000, 0xe3a02802 /* mov r2,#0x20000 */, LDRB, LDRH, LDR, NOP,
                0xeafffff9 /* b 1000 */);
    /* proves: ETM1-5.3.2-a, ETM1-5.3.2-b, ETM1-5.3.2-c, ETM1-5.3.2-d, ETM1-5.3.2-e */
    assert_flow(&bench, "BE*/80 A0/a0 A0/80 WT/80 WT/10 " EXAMPLE "A0 A0 IE",
                "cycles ?; on; context 0; cycles 9; first 1000 E; cycles 6; 1004 E; "
                "data = 11 of 1004.0; cycles 6; 1008 E; data = 2211 of 1008.0; cycles 8; 100c E; "
                "data = 44332211 of 100c.0; cycles 4; 1010 E; cycles 1; 1014 E; cycles 3; 1000 E");
    etmv1_end(&bench);
}

/* Its cycles as a logic analyser has them, each with what it carries. */
static void test_example_cycles(void **state)
{
    (void)state;
    begin(CR_8 | CR_VALUE | CR_CYCLES, NULL);
    /* proves: ETM1-5.3.2-f */
    assert_packets(
        &bench, EXAMPLE "A0 A0",
        "TD -; TD -; TD -; TD -; IE o; TD -; TD -; TD -; TD -; TD -; ID o; TD -; TD -; TD -; "
        "TD -; TD -; ID o; WT d; TD -; TD -; WT d; WT d; WT d; WT d; ID o; TD -; TD -; TD -; "
        "IE o; BE a1/1 apo 0 lost; APO o 0; APO o 0");
    etmv1_end(&bench);
}

/* Bytes may come in front of the status, with it, and far behind it, out of the FIFO. */
static void test_early_and_late(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, LDR, LDRB, NOP, LDRH, NOP, BX_LR);
    /* proves: ETM1-5.3-e, ETM1-5.1-d, ETM1-5.4-b */
    assert_flow(&bench, ON "WT/44 WT/33 TD WT/22 WT/11 ID ID/55 IE WT/1 ID/2",
                STARTS "8000 E; data = 11223344 of 8000.0; 8004 E; data = 55 of 8004.0; 8008 E; "
                       "800c E; data = 0201 of 800c.0; lost of 800c.0");
    /* LDR's go on below the statuses of others, and LDRB's is behind them; a trigger holds one back */
    /* proves: ETM1-5.3-h, ETM1-5.8.2-b */
    assert_flow(&bench, ON "ID/44 ID/33 IE/22 TR/3 TD WT/11 WT/55 TD TD WT/1 ID/2",
                STARTS "8000 E; 8004 E; 8008 E; event; data = 11223344 of 8000.0; "
                       "data = 55 of 8004.0; 800c E; data = 0201 of 800c.0; lost of 800c.0");
    etmv1_end(&bench);
}

/* What is on the pins of a status that no instruction claims is none. */
static void test_unused(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, NOP, LDRB, NOP, LDRB, BX_LR);
    /* proves: ETM1-5.3-i, ETM1-5.4-a */
    assert_flow(&bench, ON "IE/aa ID/11 IN/bb ID/22 BE*/00 A0/cc A0/dd IE",
                STARTS "8000 E; 8004 E; data = 11 of 8004.0; 8008 N; 800c E; data = 22 of 800c.0; "
                       "8010 E; 8000 E");
    etmv1_end(&bench);
}

/* BD: data, then the address; the bytes of both in one block. */
static void test_branch_with_data(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, 0xe590f000 /* ldr pc,[r0] */, NOP, NOP, LDRB);
    /* proves: ETM1-5.1-i, ETM1-5.4-f, ETM1-5.7.3-a, ETM1-5.7.1-b */
    assert_flow(&bench, ON "BD/0c A0/80 A0/00 WT/00 WT*/0c ID/77",
                STARTS
                "8000 E; data = 0000800c of 8000.0; 800c E; data = 77 of 800c.0; lost of 800c.0");
    /* the same with the data in front */
    assert_flow(&bench, ON "WT/0c WT/80 WT/00 WT/00 BD*/0c A0 A0 ID/77",
                STARTS
                "8000 E; data = 0000800c of 8000.0; 800c E; data = 77 of 800c.0; lost of 800c.0");
    etmv1_end(&bench);
}

/* Registers in the order of the list, 4 bytes each; doubles and swaps are words as well. */
static void test_multiple(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, 0xe8920212 /* ldmia r2,{r1,r4,r9} */,
                0xe1020090 /* swp r0,r0,[r2] */, 0xe1420090 /* swpb r0,r0,[r2] */,
                0xe1c200d0 /* ldrd r0,[r2] */);
    /* proves: ETM1-5.7.2-b, ETM1-4.10.1-a */
    assert_flow(&bench,
                ON "WT/1 WT WT WT WT/4 WT WT WT WT/9 WT WT WT ID "
                   "WT/5 WT WT WT WT/6 WT WT WT ID WT/7 ID/8 "
                   "WT/a WT WT WT WT/b WT WT WT ID",
                STARTS
                "8000 E; data = 00000001 of 8000.0; data = 00000004 of 8000.1; "
                "data = 00000009 of 8000.2; 8004 E; data = 00000005 of 8004.0; "
                "data = 00000006 of 8004.1; 8008 E; data = 07 of 8008.0; data = 08 of 8008.1; "
                "800c E; data = 0000000a of 800c.0; data = 0000000b of 800c.1");
    etmv1_end(&bench);
}

/* A fixed stream under each setting of ETMCR[3:2] (3.5.1, 5.4). The first address is a whole one. */
static void test_modes(void **state)
{
    static const struct {
        uint32_t cr;
        const char *cycles, *wanted;
    } rows[] = {
        {CR_VALUE, "ID/11 ID/22",
         "8000 E; data = 11 of 8000.0; 8004 E; data = 22 of 8004.0; lost of 8004.0"},
        {CR_ADDRESS, "WT/84 WT/80 WT/88 WT/80 ID/00 ID/05",
         "8000 E; data at 20004 of 8000.0; 8004 E; data at 20005 of 8004.0; lost of 8004.0"},
        {CR_ADDRESS | CR_VALUE, "WT/84 WT/80 WT/88 WT/80 WT/00 ID/11 WT/05 ID/22",
         "8000 E; data at 20004 = 11 of 8000.0; 8004 E; data at 20005 = 22 of 8004.0; lost of 8004.0"},
        {0, "IE/11 IE/22", "8000 E; 8004 E"},
    };
    char cycles[128], wanted[256];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(CR_8 | rows[i].cr, NULL);
        ETMV1_WORDS(&bench, 0x8000, LDRB, LDRB, NOP);
        snprintf(cycles, sizeof cycles, "%s%s", ON, rows[i].cycles);
        snprintf(wanted, sizeof wanted, "%s%s", STARTS, rows[i].wanted);
        /* proves: ETM1-3.5.1-b, ETM1-5.4-c, ETM1-5.4-d */
        assert_flow(&bench, cycles, wanted);
        etmv1_end(&bench);
    }
}

/* Of several registers the first has an address; without values it is all there is. */
static void test_multiple_addresses(void **state)
{
    (void)state;
    begin(CR_8 | CR_ADDRESS, NULL);
    ETMV1_WORDS(&bench, 0x8000, 0xe8920212 /* ldmia r2,{r1,r4,r9} */, LDRB);
    /* proves: ETM1-4.6.2-a */
    assert_flow(&bench, ON "WT/80 WT/80 WT/88 WT/80 ID/00 ID/0c",
                STARTS
                "8000 E; data at 20000 of 8000.0; 8004 E; data at 2000c of 8004.0; lost of 8004.0");
    etmv1_end(&bench);
    begin(CR_8 | CR_ADDRESS | CR_VALUE, NULL);
    ETMV1_WORDS(&bench, 0x8000, 0xe8920012 /* ldmia r2,{r1,r4} */, LDRB);
    assert_flow(&bench, ON "WT/80 WT/80 WT/88 WT/80 WT/00 WT/1 WT WT WT WT/2 WT WT ID/0",
                STARTS "8000 E; data at 20000 = 00000001 of 8000.0; data = 00000002 of 8000.1; "
                       "lost of 8000.1");
    etmv1_end(&bench);
}

/* Compressed against the last data address, which a gap takes away (5.7.5). */
static void test_addresses(void **state)
{
    (void)state;
    begin(CR_8 | CR_ADDRESS, NULL);
    ETMV1_WORDS(&bench, 0x8000, LDR, LDR, LDR, LDR, LDR, BX_LR);
    /* 0x12345678; then 1, 2, 3 and 4 bytes of low bits */
    /* proves: ETM1-5.7.3-b */
    assert_flow(&bench,
                ON "WT/f8 WT/ac WT/d1 WT/91 ID/01 ID/04 WT/80 ID/01 WT/81 WT/81 ID/01 "
                   "WT/80 WT/80 WT/80 ID/02",
                STARTS "8000 E; data at 12345678 of 8000.0; 8004 E; data at 12345604 of 8004.0; "
                       "8008 E; data at 12344080 of 8008.0; 800c E; data at 12204081 of 800c.0; "
                       "8010 E; data at 10400000 of 8010.0; lost of 8010.0");
    /* proves: ETM1-5.7.5-b */
    assert_flow(&bench,
                ON "ID/04 WT/f8 WT/ac WT/d1 WT/91 ID/01 "
                   "BE*/80 A0/80 A0/82 WT/80 WT/20 ID/04 WT/f8 WT/ac WT/d1 WT/91 ID/01",
                STARTS "8000 E; data of 8000.0; 8004 E; data at 12345678 of 8004.0; overflow; on; "
                       "lost of 8004.0; first 8000 E; data of 8000.0; 8004 E; "
                       "data at 12345678 of 8004.0; lost of 8004.0");
    etmv1_end(&bench);
}

/* A move to or from a coprocessor has no address and 4 bytes, or 8 of two registers. */
static void test_coprocessor(void **state)
{
    (void)state;
    begin(CR_8 | CR_ADDRESS | CR_VALUE | CR_CPRT, NULL);
    ETMV1_WORDS(&bench, 0x8000, 0xee110f10 /* mrc p15,0,r0,c1,c0,0 */,
                0xec410f12 /* mcrr p15,1,r0,r1,c2 */, 0xee000f00 /* cdp p15 */, NOP);
    /* proves: ETM1-4.11.3-a, ETM1-4.11.1-a */
    assert_flow(&bench, ON "WT/44 WT/33 WT/22 ID/11 WT/1 WT WT WT WT/2 WT WT ID IE IE",
                STARTS "8000 E; data = 11223344 of 8000.0; 8004 E; data = 00000001 of 8004.0; "
                       "data = 00000002 of 8004.1; 8008 E; 800c E");
    etmv1_end(&bench);
}

/* How many words LDC transfers, its opcode does not say: data is lost up to the next branch. */
static void test_unknown_count(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, 0xed920100 /* ldc p1,c0,[r2] */, LDRB, BX_LR);
    assert_flow(&bench, ON "WT/1 WT/2 WT/3 ID/4 ID/5 " LOOP "WT WT WT WT ID ID/66 " LOOP,
                STARTS
                "8000 E; 8004 E; 8008 E; lost of 8000.0; lost of 8004.0; 8000 E; 8004 E; 8008 E; "
                "lost of 8000.0; lost of 8004.0");
    etmv1_end(&bench);
}

/* Unless they are given for the coprocessor: here 2 words for p1, and 3 for p9. */
static void test_given_counts(void **state)
{
    static const struct etmv1_more given[3] = {{"LDCWORDS", 0x20}, {"LDCWORDSHIGH", 0x30}};

    (void)state;
    begin(CR_8 | CR_VALUE, given);
    ETMV1_WORDS(&bench, 0x8000, 0xed920100 /* ldc p1,c0,[r2] */, 0xed820900 /* stc p9,c0,[r2] */,
                LDRB, 0xed920200 /* ldc p2,c0,[r2] */, LDRB, BX_LR);
    /* proves: ETM1-4.11.2-a */
    assert_flow(
        &bench,
        ON
        "WT/1 WT WT WT WT/2 WT WT ID WT/3 WT WT WT WT/4 WT WT WT WT/5 WT WT ID ID/66 ID/7 ID/8 " LOOP,
        STARTS "8000 E; data = 00000001 of 8000.0; data = 00000002 of 8000.1; 8004 E; "
               "data = 00000003 of 8004.0; data = 00000004 of 8004.1; data = 00000005 of 8004.2; "
               "8008 E; data = 66 of 8008.0; 800c E; 8010 E; 8014 E; lost of 800c.0; "
               "lost of 8010.0");
    etmv1_end(&bench);
}

/* Each single transfer, and how many bytes it has; the value is before sign extension. */
static void test_singles(void **state)
{
    static const struct {
        uint32_t opcode;
        unsigned size;
    } rows[] = {
        {0xe5920000, 4} /* ldr */,
        {0xe5820000, 4} /* str */,
        {0xe5d20000, 1} /* ldrb */,
        {0xe5c20000, 1} /* strb */,
        {0xe4b20004, 4} /* ldrt */,
        {0xe4a20004, 4} /* strt */,
        {0xe4f20001, 1} /* ldrbt */,
        {0xe4e20001, 1} /* strbt */,
        {0xe1d200b0, 2} /* ldrh */,
        {0xe1c200b0, 2} /* strh */,
        {0xe1d200d0, 1} /* ldrsb */,
        {0xe1d200f0, 2} /* ldrsh */,
        {0xe7920001, 4} /* ldr r0,[r2,r1] */,
        {0xed920a00, 4} /* vldr s0,[r2] */,
        {0xed820a00, 4} /* vstr s0,[r2] */,
        {0xe8920002, 4} /* ldm r2,{r1} */,
    };
    char cycles[128], wanted[128];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_values();
        ETMV1_WORDS(&bench, 0x8000, rows[i].opcode, LDRB);
        snprintf(cycles, sizeof cycles, "%s%s", ON,
                 rows[i].size == 1   ? "ID/ab ID/cd"
                 : rows[i].size == 2 ? "WT/ab ID/80 ID/cd"
                                     : "WT/ab WT/80 WT/80 ID/80 ID/cd");
        snprintf(wanted, sizeof wanted,
                 "%s8000 E; data = %s of 8000.0; 8004 E; data = cd of 8004.0; lost of 8004.0",
                 STARTS,
                 rows[i].size == 1   ? "ab"
                 : rows[i].size == 2 ? "80ab"
                                     : "808080ab");
        /* proves: ETM1-4.10.2-a */
        assert_flow(&bench, cycles, wanted);
        etmv1_end(&bench);
    }
}

/* Loads whose data is filtered out have the status of any instruction, and no bytes. */
static void test_filtered(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, 0xe8920212 /* ldmia r2,{r1,r4,r9} */, LDRB, LDR, LDRB);
    /* proves: ETM1-2.6.4-a */
    assert_flow(
        &bench, ON "TD IE/99 ID/11 IE ID/22",
        STARTS
        "8000 E; 8004 E; data = 11 of 8004.0; 8008 E; 800c E; data = 22 of 800c.0; lost of 800c.0");
    etmv1_end(&bench);
}

/* An address of data is not told by TRACESYNC, and no branch takes it for its own. */
static void test_no_sync_of_data(void **state)
{
    (void)state;
    begin(CR_8 | CR_ADDRESS, NULL);
    ETMV1_WORDS(&bench, 0x8000, LDR, BX_LR);
    etmv1_cycles(&bench, ON "ID/84 BE/80 A0/90 A0/81 WT/00 WT*/00 ID/05");
    etmv1_packets_text(&bench);
    /* proves: ETM1-5.2-d */
    assert_string_equal(bench.text,
                        "BE a1/5 apo 0 >8000 A reason 1; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5; "
                        "ID o; BE o apo 0 >8000 A; APO o 0; APO o 0; WT d; WT a1/1; ID o");
    etmv1_flow_text(&bench);
    assert_string_equal(bench.text, STARTS "8000 E; 8004 E; data at 240004 of 8000.0; 8000 E; "
                                           "data at 240005 of 8000.0; lost of 8000.0");
    etmv1_end(&bench);
}

/* Where the trace is cut off behind a status with data, cycles are missing there, or debug state is told,
 * nothing would tell that the FIFO had overflowed: what came beside the status may be none. Another status
 * shows that it had not, and bytes of Waits are certain. */
static void test_untold_overflow(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, LDRB, LDRH, NOP, LDRB);
    assert_flow(&bench, ON "ID/11", STARTS "8000 E; data = 11 of 8000.0; lost of 8000.0");
    assert_flow(&bench, ON "ID/11 TR/3 TD WT/22",
                STARTS "8000 E; data = 11 of 8000.0; event; lost of 8000.0");
    assert_flow(&bench, ON "WT/11 ID/22", STARTS "8000 E; data = 11 of 8000.0");
    assert_flow(&bench, ON "ID/11 WT/22 WT/33 ID IE",
                STARTS "8000 E; data = 11 of 8000.0; 8004 E; data = 3322 of 8004.0; 8008 E");
    /* one of two bytes, and cycles are missing in front of a branch, or it is the one out of debug state */
    assert_flow(&bench, ON "ID/11 WT/22 ID/33 BE!*/80 A0/80 A0/82 WT/80 WT/10 IE",
                STARTS "8000 E; data = 11 of 8000.0; 8004 E; data = 3322 of 8004.0; "
                       "gap no synchronisation; on; lost of 8004.0; first 8000 E");
    /* proves: ETM1-5.9-c */
    assert_flow(&bench, ON "ID/11 WT/22 ID/33 TD BE*/80 A0/80 A0/82 WT/80 WT/30 IE",
                STARTS "8000 E; data = 11 of 8000.0; 8004 E; data = 3322 of 8004.0; on; "
                       "lost of 8004.0; first 8000 E");
    assert_flow(&bench, ON "ID/11 WT/22 ID/33 IE BE*/80 A0/80 A0/82 WT/80 WT/30 IE",
                STARTS "8000 E; data = 11 of 8000.0; 8004 E; data = 3322 of 8004.0; 8008 E; on; "
                       "first 8000 E");
    /* that trace was switched on again is not said in place of an overflow */
    assert_flow(&bench, ON "ID/11 WT/22 ID/33 BE*/80 A0/80 A0/82 WT/80 WT/10 IE",
                STARTS "8000 E; data = 11 of 8000.0; 8004 E; data = 3322 of 8004.0; on; "
                       "first 8000 E");
    etmv1_end(&bench);
}

/* Packets of the last instructions in front of an overflow may be lost, any of them (5.9). */
static void test_overflow(void **state)
{
    static const char *const left[] = {"", "WT/44 ", "WT/44 WT/33 ", "WT/44 WT/33 WT/22 "};
    char cycles[256];

    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, LDRB, LDR, LDRB);
    for (unsigned i = 0; i < 4; i++) {
        snprintf(cycles, sizeof cycles, ON "ID/11 %sTR/1 TD BE*/80 A0/80 A0/82 WT/80 WT/20 ID/55",
                 left[i]);
        /* proves: ETM1-5.9-c */
        assert_flow(&bench, cycles,
                    STARTS "8000 E; data = 11 of 8000.0; event; 8004 E; overflow; on; "
                           "lost of 8004.0; first 8000 E; data = 55 of 8000.0; lost of 8000.0");
    }
    etmv1_end(&bench);
}

/* An aborted transfer is traced all the same, and not valid; what a cancelled instruction transferred is
 * its own. */
static void test_aborts(void **state)
{
    (void)state;
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, 0xe8920012 /* ldmia r2,{r1,r4} */, LDRB);
    ETMV1_WORDS(&bench, 0x10, LDRB, NOP, LDRB);
    /* proves: ETM1-4.5.3-e, ETM1-5.7.4-b */
    assert_flow(&bench, ON "WT/1 WT WT WT WT/2 WT WT WT BD*/90 A0/80 A0/00 ID/33",
                STARTS "8000 E; exception 4 at 8000; warning 3; data = 00000001 of 8000.0; "
                       "data = 00000002 of 8000.1; first 10 E; data = 33 of 10.0; lost of 10.0");
    assert_flow(&bench, ON "WT/1 WT WT WT WT/2 WT WT WT BD*/98 A0/80 A0/00 ID/33",
                "on; context 0; data = 00000001 of 8000.0; data = 00000002 of 8000.1; "
                "exception 6 at 8000; first 18 E; data = 33 of 18.0; lost of 18.0");
    etmv1_end(&bench);
}

/* On 4 pins the low half comes first, and a block begins at any cycle. */
static void test_four_pins(void **state)
{
    (void)state;
    begin(CR_4 | CR_VALUE, NULL);
    ETMV1_WORDS(&bench, 0x8000, LDRB, LDRH, LDRB, BX_LR);
    assert_flow(&bench,
                "BE*/0 A0/8 A0/0 WT/8 WT/2 WT/8 WT/0 WT/8 WT/0 WT/1 "
                "ID/a TR/3 WT/b WT/1 WT/2 TD ID/3 WT/4 ID/5 BE/6 A0 A0 WT*/0 WT/0 ID/7 WT/8",
                STARTS "8000 E; event; data = ba of 8000.0; 8004 E; data = 4321 of 8004.0; 8008 E; "
                       "800c E; data = 65 of 8008.0; 8000 E; data = 87 of 8000.0; lost of 8000.0");
    etmv1_end(&bench);
}

/* On 16 pins two bytes a cycle; the upper one of a status may be of the next block, or of none. */
static void test_sixteen_pins(void **state)
{
    (void)state;
    begin(CR_16 | CR_VALUE, NULL);
    ETMV1_WORDS(&bench, 0x8000, LDRB, LDR, LDRB, LDRB, BX_LR);
    assert_flow(
        &bench, "BE*/8080 A0/8082 A0/6610 ID/6611 ID/3344 ID/1122 ID/6655 BE*/6600 A0 A0 ID/6699",
        STARTS "8000 E; data = 11 of 8000.0; 8004 E; 8008 E; data = 11223344 of 8004.0; 800c E; "
               "data = 55 of 8008.0; data = 66 of 800c.0; 8010 E; 8000 E; "
               "data = 99 of 8000.0; lost of 8000.0");
    etmv1_end(&bench);
    /* Trace goes on behind an overflow before the FIFO is empty: the address of the branch before comes
     * out first, with an empty byte beside it, and so the offset is 1. */
    begin(CR_16 | CR_VALUE, NULL);
    ETMV1_WORDS(&bench, 0x8000, 0xe8920012 /* ldmia r2,{r1,r4} */, BX_LR, LDRB);
    /* proves: ETM1-5.3.1-d */
    assert_flow(
        &bench,
        "BE*/8080 A0/8082 A0/6610 ID/0201 BE/0403 A0/0605 A0/0807 BE*/6600 A1*/8088 A0/8082 "
        "ID/9920",
        STARTS
        "8000 E; 8004 E; data = 04030201 of 8000.0; data = 08070605 of 8000.1; overflow; on; "
        "lost of 8000.1; first 8008 E; data = 99 of 8008.0; lost of 8008.0");
    etmv1_end(&bench);
}

/* Memory's order: of a big-endian core the highest byte is the first. */
static void test_big_endian(void **state)
{
    static const struct etmv1_more big[3] = {{"BIGENDIAN", 1}};

    (void)state;
    begin(CR_8 | CR_VALUE, big);
    ETMV1_WORDS(&bench, 0x8000, LDRH, LDR, LDRB);
    /* proves: ETM1-4.9.2-a */
    assert_flow(&bench, ON "WT/11 ID/22 WT/11 WT/22 WT/33 ID/44 ID/55",
                STARTS "8000 E; data = 1122 of 8000.0; 8004 E; data = 11223344 of 8004.0; 8008 E; "
                       "data = 55 of 8008.0; lost of 8008.0");
    etmv1_end(&bench);
}

/* The image has another program: what contradicts it is told, and flow goes on at the next branch. */
static void test_wrong_image(void **state)
{
    (void)state;
    begin_values();
    /* data of an instruction that has none */
    ETMV1_WORDS(&bench, 0x8000, NOP, NOP, BX_LR);
    assert_flow(&bench, ON "ID/11 IE " LOOP "IE IE",
                STARTS "8000 E; gap trace and image disagree; gap trace and image disagree; "
                       "gap trace and image disagree; first 8000 E; 8004 E");
    etmv1_end(&bench);
    /* a word more than the byte that the image has */
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, LDRB, NOP, BX_LR);
    assert_flow(&bench, ON "WT/1 WT/2 WT/3 WT/4 ID IE " LOOP "ID/5",
                STARTS "8000 E; data = 01 of 8000.0; lost of 8000.0; 8004 E; 8008 E; 8000 E; "
                       "data = 05 of 8000.0; lost of 8000.0");
    /* and a word that is only a byte */
    etmv1_end(&bench);
    begin_values();
    ETMV1_WORDS(&bench, 0x8000, LDR, NOP, BX_LR);
    assert_flow(&bench, ON "ID/1 IE " LOOP "ID/5 IE/6 IN/7",
                STARTS "8000 E; 8004 E; 8008 E; lost of 8000.0; 8000 E; 8004 E; 8008 N; "
                       "lost of 8000.0");
    etmv1_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_example_cycles),
        cmocka_unit_test(test_early_and_late),
        cmocka_unit_test(test_unused),
        cmocka_unit_test(test_branch_with_data),
        cmocka_unit_test(test_multiple),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_multiple_addresses),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_coprocessor),
        cmocka_unit_test(test_unknown_count),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_untold_overflow),
        cmocka_unit_test(test_aborts),
        cmocka_unit_test(test_four_pins),
        cmocka_unit_test(test_sixteen_pins),
        cmocka_unit_test(test_big_endian),
        cmocka_unit_test(test_wrong_image),
        cmocka_unit_test(test_given_counts),
        cmocka_unit_test(test_singles),
        cmocka_unit_test(test_filtered),
        cmocka_unit_test(test_no_sync_of_data),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
