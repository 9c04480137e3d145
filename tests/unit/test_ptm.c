/* SPDX-License-Identifier: BSD-2-Clause */
/* The PTM model against bytes worked out by hand from IHI0035: its examples, and what each kind of
 * waypoint writes. */
#include "ptm_bench.h"

#define THUMB 1u
#define LINK CAIRN_INSN_LINK
#define ERET CAIRN_INSN_ERET

static struct ptm_bench b;

/* An I-sync at 0x1000, by a branch there that is not taken. */
static void start(uint32_t etmidr, uint32_t etmcr, uint64_t at)
{
    ptm_begin(&b, etmidr, etmcr, NULL, 0);
    b.at = at;
}

/* Table 2-1. */
static void test_example(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0x1000);
    ptm_direct(&b, 12, 0x1100, true, 0);
    ptm_direct(&b, 20, 0x1104, true, 0);
    ptm_direct(&b, 16, 0x1104, true, 0);
    ptm_direct(&b, 16, 0x1104, false, 0);
    ptm_indirect(&b, 12, 0x2000, true, 0);
    ptm_indirect(&b, 12, 0x5000, false, 0);
    ptm_indirect(&b, 12, 0x3000, true, 0);
    ptm_straight(&b, 56);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    ptm_straight(&b, 4);
    /* proves: PFT-2.1.4-a, PFT-2.1.1-b, PFT-4.5.4-a, PFT-2.1.2-a, PFT-2.3-a */
    ptm_expect(&b, "08 00 10 00 00 21 a2 81 20 86 81 30 72 1b 8d 40 1c");
    ptm_end(&b);
}

/* Tables 5-1 and 5-2: behind instructions, and behind a waypoint. */
static void test_interrupts(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0xf00);
    ptm_direct(&b, 4, 0x1004, true, 0);
    ptm_straight(&b, 8);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    ptm_indirect(&b, 4, 0x3000, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-5.2.1-a, PFT-5.3-a, PFT-5.4-g, PFT-4.2-b */
    ptm_expect(&b, "08 00 0f 00 00 21 84 72 85 10 8d 40 1c 81 30");
    ptm_end(&b);
    start(PTM_1_0, 0, 0xf00);
    ptm_direct(&b, 4, 0x1004, true, 0);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    ptm_indirect(&b, 4, 0x3000, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-5.2.2-a */
    ptm_expect(&b, "08 00 0f 00 00 21 84 8d 40 1c 81 30");
    ptm_end(&b);
}

/* Table 5-3. */
static void test_back_to_back(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0x1000);
    ptm_straight(&b, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    ptm_exception(&b, CAIRN_EXCEPTION_FIQ, 0x1c);
    ptm_indirect(&b, 4, 0x2000, true, 0);
    ptm_indirect(&b, 8, 0x18, true, ERET);
    ptm_indirect(&b, 4, 0x1004, true, ERET);
    ptm_straight(&b, 4);
    /* proves: PFT-5.2.3-a, PFT-5.4-h */
    ptm_expect(&b, "08 00 10 00 00 21 72 01 8d 40 1c 8f 40 1e 81 20 8d 00 83 10");
    ptm_end(&b);
}

/* Table 5-5, all Thumb: a 32-bit instruction at 0x1000, a 16-bit one at the vector. */
static void test_thumb_interrupts(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0x1000);
    b.isa = CAIRN_ISA_T32;
    ptm_straight(&b, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18 | THUMB);
    ptm_straight(&b, 2);
    ptm_exception(&b, CAIRN_EXCEPTION_FIQ, 0x1c | THUMB);
    ptm_indirect(&b, 4, 0x2000 | THUMB, true, 0);
    ptm_indirect(&b, 4, 0x1a | THUMB, true, ERET);
    ptm_indirect(&b, 2, 0x1004 | THUMB, true, ERET);
    ptm_straight(&b, 2);
    /* proves: PFT-5.2.3-d, PFT-5.4-o, PFT-5.4-p, PFT-5.4-r, PFT-4.5.5-e */
    ptm_expect(&b, "08 01 10 00 00 21 72 01 99 40 1c 72 19 9d 40 1e 81 c0 00 9b 80 00 85 20");
    ptm_end(&b);
}

/* Tables 5-7 and 5-8. */
static void test_aborts(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0xf00);
    ptm_indirect(&b, 4, 0x1004, true, 0);
    ptm_exception(&b, CAIRN_EXCEPTION_DATA_FAULT, 0x10);
    ptm_indirect(&b, 4, 0x3400, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-5.3.5-b */
    ptm_expect(&b, "08 00 0f 00 00 21 83 10 89 40 18 81 34");
    ptm_end(&b);
    start(PTM_1_0, 0, 0xf00);
    ptm_indirect(&b, 4, 0x1000, true, 0);
    ptm_straight(&b, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_DATA_FAULT, 0x10);
    ptm_indirect(&b, 4, 0x3400, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-5.3.5-c, PFT-5.4-e */
    ptm_expect(&b, "08 00 0f 00 00 21 81 10 72 01 89 40 18 81 34");
    ptm_end(&b);
}

/* An SVC is executed before its exception; an undefined instruction is named by the update although
 * it is the preferred return address. */
static void test_calls(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0x1000);
    ptm_straight(&b, 8);
    ptm_exception(&b, CAIRN_EXCEPTION_CALL, 0x8);
    ptm_straight(&b, 4);
    /* proves: PFT-5.3.3-a, PFT-5.4-b */
    ptm_expect(&b, "08 00 10 00 00 21 72 03 85 40 14");
    ptm_end(&b);
    start(PTM_1_0, 0, 0x1000);
    ptm_straight(&b, 8);
    ptm_exception(&b, CAIRN_EXCEPTION_TRAP, 0x4);
    ptm_straight(&b, 4);
    /* proves: PFT-5.3.2-a, PFT-5.4-a */
    ptm_expect(&b, "08 00 10 00 00 21 72 05 83 40 12");
    ptm_end(&b);
    start(PTM_1_0, 0, 0x1000);
    ptm_straight(&b, 8);
    ptm_exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-5.3.1-a */
    ptm_expect(&b, "08 00 10 00 00 21 81 40 10");
    ptm_end(&b);
}

/* The privileged modes of Secure state are at EL3 where EL3 is AArch32 (DDI0487 G1.9): an SVC leads
 * there from Secure User mode, and between them, as an SMC does from Non-secure state. */
static void test_secure_call(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0x1000);
    ptm_context(&b, 0, CAIRN_SECURE, 0, 0);
    ptm_straight(&b, 8);
    ptm_exception(&b, CAIRN_EXCEPTION_CALL, 0x8);
    ptm_context(&b, 3, CAIRN_SECURE, 0, 0);
    ptm_straight(&b, 8);
    ptm_exception(&b, CAIRN_EXCEPTION_CALL, 0x8);
    ptm_straight(&b, 4);
    ptm_expect(&b, "08 00 10 00 00 21 72 03 85 40 14 72 07 85 40 14");
    ptm_end(&b);
}

/* Secure 0x8000, to Non-secure 0x8100; SMC back to Secure 0x8008. */
static void test_security(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0x8000);
    ptm_indirect(&b, 4, 0x8100, true, 0);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 0);
    ptm_straight(&b, 4);
    ptm_expect(&b, "08 00 80 00 00 21 81 41 01");
    ptm_exception(&b, CAIRN_EXCEPTION_CALL, 0x8008);
    ptm_context(&b, 3, CAIRN_SECURE, 0, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.5.4-bd, PFT-5.4-c */
    ptm_expect(&b, "72 01 85 40 04");
    /* A change without a branch: the next direct one that is taken tells it. */
    ptm_context(&b, 3, CAIRN_NONSECURE, 0, 0);
    ptm_direct(&b, 4, 0x8100, false, 0);
    ptm_direct(&b, 4, 0x8040, true, 0);
    ptm_direct(&b, 4, 0x8040, true, 0);
    /* 0x8008 to 0x8040, Non-secure, no exception; the N before it and the E behind it are atoms */
    ptm_expect(&b, "86 a1 40 01 84");
    ptm_end(&b);
}

/* Hyp entry from 0x8000 to 0x40000014, and back to 0x8004 (PFT 1.1: with an exception return). */
static void test_hyp(void **state)
{
    (void)state;
    ptm_begin(&b, PTM_1_1, 0, NULL, 0);
    b.at = 0x8000;
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 0);
    ptm_straight(&b, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_CALL, 0x40000014);
    ptm_context(&b, 2, CAIRN_NONSECURE, 0, 0);
    ptm_indirect(&b, 4, 0x8004, true, ERET);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.5.4-be, PFT-5.4-d, PFT-4.5.10-a */
    ptm_expect(&b, "08 00 80 00 00 29 72 01 8b 80 80 80 4a 87 20 83 80 81 80 48 81 00 76");
    ptm_end(&b);
}

/* Table 4-2: waypoints at cycles 0 (A), 10 (B), 30 (C), 50 (D, not traced), 70 (E), 100 (F). */
static void test_cycles(void **state)
{
    const struct cairn_register exclude[] = {
        {"ETMTECR1", 0x01000001}, {"ETMACVR1", 0x2000}, {"ETMACVR2", 0x2004}};

    (void)state;
    ptm_begin(&b, PTM_1_0, ETMCR_CYCLES, exclude, 3);
    b.at = 0x1000;
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_cycles(b.unit, 10);
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_cycles(b.unit, 20);
    ptm_direct(&b, 4, 0x2000, true, 0);
    cairn_unit_cycles(b.unit, 20);
    ptm_direct(&b, 4, 0x3000, true, 0);
    cairn_unit_cycles(b.unit, 20);
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_cycles(b.unit, 30);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.5.2-o, PFT-4.5.2-n, PFT-3.3.2-a, PFT-4.5.2-j */
    ptm_expect(&b, "08 00 10 00 00 21 80 80 a8 d0 01 08 00 30 00 00 21 d0 01 d0 01 f8 01");
    ptm_end(&b);
}

/* A branch packet's count is of the branch, though it leaves the unit later. */
static void test_branch_cycles(void **state)
{
    (void)state;
    start(PTM_1_0, ETMCR_CYCLES, 0x1000);
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_cycles(b.unit, 15);
    ptm_indirect(&b, 4, 0x1020, true, 0);
    cairn_unit_cycles(b.unit, 16);
    ptm_direct(&b, 4, 0x1000, false, 0);
    /* proves: PFT-4.5.4-bf, PFT-4.4-a, PFT-4.5.3-f */
    ptm_expect(&b, "08 00 10 00 00 21 80 80 11 3c c2 01");
    ptm_end(&b);
}

/* BL at 0x1000 to 0x2000 and back; BLX of a register to 0x3000, which is not 0x1004. */
static void test_return_stack(void **state)
{
    (void)state;
    start(PTM_1_0, ETMCR_RETURN_STACK, 0x1000);
    ptm_direct(&b, 4, 0x2000, true, LINK);
    ptm_indirect(&b, 4, 0x1004, true, 0);
    ptm_indirect(&b, 4, 0x3000, true, LINK);
    ptm_indirect(&b, 4, 0x1008, true, 0);
    ptm_direct(&b, 4, 0x1000, false, 0);
    /* E E; 0x3000 from 0x1000; E N */
    ptm_expect(&b, "08 00 10 00 00 21 88 81 30 8a");
    /* A BLX to the top of the stack pops it, then pushes. */
    ptm_direct(&b, 4, 0x2000, true, LINK);
    ptm_indirect(&b, 4, 0x1010, true, LINK);
    ptm_indirect(&b, 4, 0x2004, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.13-d, PFT-4.13-i */
    ptm_expect(&b, "90");
    /* An exception return to the address on top is told, and leaves the entry. */
    ptm_indirect(&b, 4, 0x3000, true, LINK);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    ptm_indirect(&b, 4, 0x200c, true, ERET);
    ptm_straight(&b, 4);
    /* 0x3000 again; the IRQ without an update; 0x200c, compressed against 0x18 */
    /* proves: PFT-4.13-g */
    ptm_expect(&b, "01 8d 40 1c 87 20");
    ptm_end(&b);
}

/* Of a stack of two entries the oldest of three is dropped. */
static void test_return_stack_depth(void **state)
{
    (void)state;
    b.options = (struct cairn_unit_options)CAIRN_UNIT_OPTIONS_INIT;
    b.options.return_stack_depth = 2;
    start(PTM_1_0, ETMCR_RETURN_STACK, 0x1000);
    ptm_direct(&b, 4, 0x2000, true, LINK);
    ptm_direct(&b, 4, 0x3000, true, LINK);
    ptm_direct(&b, 4, 0x4000, true, LINK);
    ptm_indirect(&b, 4, 0x3004, true, 0);
    ptm_indirect(&b, 4, 0x2004, true, 0);
    ptm_indirect(&b, 4, 0x1004, true, 0);
    ptm_straight(&b, 4);
    /* five times E; 0x1004 is told */
    /* proves: PFT-4.13-f */
    ptm_expect(&b, "08 00 10 00 00 21 c0 03");
    ptm_end(&b);
}

/* Each I-sync, a periodic one too, empties it. */
static void test_return_stack_sync(void **state)
{
    (void)state;
    start(PTM_1_0, ETMCR_RETURN_STACK, 0x1000);
    ptm_direct(&b, 4, 0x2000, true, LINK);
    cairn_unit_request_sync(b.unit);
    ptm_indirect(&b, 4, 0x1004, true, 0);
    ptm_straight(&b, 4);
    ptm_expect(&b, "08 00 10 00 00 21 84 00 00 00 00 00 80 08 00 20 00 00 01 83 10");
    ptm_end(&b);
}

/* 4.10: a branch at 0xa000 that nothing comes before since 0x8000. */
static void test_long_run(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0x8000);
    ptm_direct(&b, 0x2004, 0x8000, true, 0);
    /* proves: PFT-4.10-a, PFT-4.5.5-h */
    ptm_expect(&b, "08 00 80 00 00 21 72 ff 1f 84");
    /* 4096 bytes with the branch are not too many */
    ptm_direct(&b, 0x1000, 0x8000, true, 0);
    ptm_expect(&b, "84");
    ptm_end(&b);
}

/* Table 4-10. */
static void test_context_id(void **state)
{
    (void)state;
    ptm_begin(&b, PTM_1_0, ETMCR_CONTEXT_8, NULL, 0);
    b.at = 0x1000;
    ptm_context(&b, 1, CAIRN_SECURE, 0x11, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_straight(&b, 4);
    ptm_context(&b, 1, CAIRN_SECURE, 0x22, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_indirect(&b, 4, 0x2000, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.5.7-b */
    ptm_expect(&b, "08 00 10 00 00 21 11 88 6e 22 81 20");
    /* changed, and back before the next waypoint */
    ptm_context(&b, 1, CAIRN_SECURE, 0x33, 0);
    ptm_context(&b, 1, CAIRN_SECURE, 0x22, 0);
    ptm_direct(&b, 4, 0x1000, false, 0);
    /* proves: PFT-4.5.7-d */
    ptm_expect(&b, "86");
    /* behind a waypoint, before anything else: of the next instructions */
    ptm_context(&b, 1, CAIRN_SECURE, 0x55, 0);
    ptm_direct(&b, 4, 0x1000, false, 0);
    ptm_expect(&b, "6e 55 86");
    /* with a change of security: behind the branch packet */
    ptm_indirect(&b, 4, 0x2100, true, 0);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0x44, 0);
    ptm_straight(&b, 4);
    ptm_expect(&b, "81 61 01 6e 44");
    ptm_end(&b);
}

/* The VMID follows each I-sync; a reset says that it is 0. */
static void test_vmid(void **state)
{
    (void)state;
    ptm_begin(&b, PTM_1_1, ETMCR_VMID, NULL, 0);
    b.at = 0x1000;
    ptm_context(&b, 1, CAIRN_NONSECURE, 0, 7);
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_request_sync(b.unit);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.5.8-b */
    ptm_expect(&b, "08 00 10 00 00 29 3c 07 84 00 00 00 00 00 80 08 00 10 00 00 09 3c 07 84");
    ptm_exception(&b, CAIRN_EXCEPTION_PE_RESET, 0);
    ptm_context(&b, 1, CAIRN_SECURE, 0, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.5.8-c */
    ptm_expect(&b, "81 40 10");
    ptm_end(&b);
}

/* 5.3.8, with the return in a periodic way impossible: an I-sync of reason 3. */
static void test_debug(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0x1000);
    ptm_straight(&b, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_DEBUG_HALT, 0);
    cairn_unit_debug_state(b.unit, true);
    ptm_expect(&b, "08 00 10 00 00 21 72 01 81 80 80 80 48 02");
    ptm_straight(&b, 4);
    cairn_unit_debug_state(b.unit, false);
    b.at = 0x1004;
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.18-a, PFT-4.5.2-p */
    ptm_expect(&b, "08 04 10 00 00 61 84");
    ptm_end(&b);
}

/* 4.7: an SVC from Non-secure user code to where nothing may be traced, and back. */
static void test_prohibited(void **state)
{
    (void)state;
    ptm_begin(&b, PTM_1_0, ETMCR_CONTEXT_8, NULL, 0);
    b.at = 0x1000;
    ptm_context(&b, 0, CAIRN_NONSECURE, 0x11, 0);
    ptm_straight(&b, 4);
    ptm_exception(&b, CAIRN_EXCEPTION_CALL, 0x8);
    ptm_context(&b, 1, CAIRN_NONSECURE, 0x12, 0);
    cairn_unit_prohibit(b.unit, true);
    /* proves: PFT-4.7-c */
    ptm_expect(&b, "08 00 10 00 00 29 11 72 01 81 80 80 80 48 14");
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_prohibit(b.unit, false);
    ptm_context(&b, 0, CAIRN_NONSECURE, 0x11, 0);
    b.at = 0x1004;
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.7-e, PFT-4.7.1-a, PFT-4.11.3-a */
    ptm_expect(&b, "08 04 10 00 00 29 11 84");
    /* without an exception or a branch: what was executed is told, and no more */
    ptm_straight(&b, 8);
    cairn_unit_prohibit(b.unit, true);
    ptm_expect(&b, "72 03");
    ptm_end(&b);
}

static void test_broadcast(void **state)
{
    const struct cairn_register both[] = {{"ETMCR", ETMCR_BROADCAST | ETMCR_RETURN_STACK}};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit;

    (void)state;
    start(PTM_1_0, ETMCR_BROADCAST, 0x1000);
    ptm_direct(&b, 4, 0x1020, true, 0);
    ptm_direct(&b, 4, 0x1000, false, 0);
    ptm_isb(&b, 4);
    ptm_indirect(&b, 4, 0x1000, true, 0);
    ptm_straight(&b, 4);
    ptm_expect(&b, "08 00 10 00 00 21 11 8c 01");
    ptm_end(&b);
    options.protocol = CAIRN_PROTOCOL_PTM;
    options.registers = both;
    options.register_count = 1;
    /* proves: PFT-4.6-b */
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_E_CONFIG);
}

/* PFT 1.1, 64 bits in binary: the time of the last waypoint, whole behind an A-sync; an ISB and an
 * exception ask for one, an atom does not. */
static void test_timestamps(void **state)
{
    (void)state;
    ptm_begin(&b, PTM_1_1, ETMCR_TIMESTAMPS, NULL, 0);
    b.at = 0x1000;
    cairn_unit_time(b.unit, 0x81);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-4.11.4-a, PFT-4.11.1-b, PFT-4.5.1-e */
    ptm_expect(&b, "08 00 10 00 00 21 42 81 81 80 80 80 80 80 80 00 84");
    cairn_unit_time(b.unit, 0x82);
    ptm_isb(&b, 4);
    cairn_unit_time(b.unit, 0x83);
    ptm_exception(&b, CAIRN_EXCEPTION_IRQ, 0x18);
    cairn_unit_time(b.unit, 0x90);
    ptm_direct(&b, 4, 0x18, true, 0);
    /* 0x82 and 0x83 differ from what was told in the lowest seven bits only */
    /* proves: PFT-4.14-a */
    ptm_expect(&b, "84 42 02 8d 40 1c 42 03 84");
    cairn_unit_flush(b.unit);
    cairn_unit_time(b.unit, 0x91);
    ptm_direct(&b, 4, 0x18, true, 0);
    /* proves: PFT-4.15-a */
    ptm_expect(&b, "84 42 11");
    ptm_end(&b);
}

/* ETMCCER[24] and [25]: a DMB is a waypoint, and asks for a timestamp. */
static void test_barriers(void **state)
{
    static const uint8_t dmb[] = {0x5f, 0xf0, 0x7f, 0xf5};
    const struct cairn_register built[] = {{"ETMCCER", 0x37c01800}};
    const struct cairn_register odd = {"ETMCCER", 0x36c01800};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit;
    struct cairn_block block;

    (void)state;
    ptm_begin(&b, PTM_1_1, ETMCR_TIMESTAMPS, built, 1);
    assert_int_equal(cairn_unit_scan(b.unit, CAIRN_ISA_A32, 0x1000, dmb, 4, &block), 4);
    assert_int_equal(block.kind, CAIRN_INSN_BARRIER);
    cairn_unit_time(b.unit, 5);
    cairn_unit_execute(b.unit, &block, true);
    /* proves: PFT-4.14-a, PFT-2.4-a */
    ptm_expect(&b, "08 00 10 00 00 21 42 85 80 80 80 80 80 80 80 00 84 42 05");
    ptm_end(&b);
    options.protocol = CAIRN_PROTOCOL_PTM;
    options.registers = &odd;
    options.register_count = 1;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_E_UNSUPPORTED);
}

/* A request comes as A-sync and I-sync of the last waypoint's target, before the next waypoint. */
static void test_periodic(void **state)
{
    const struct cairn_register period[] = {{"ETMSYNCFR", 9}};
    const struct cairn_register none[] = {{"ETMSYNCFR", 0}};

    (void)state;
    ptm_begin(&b, PTM_1_0, 0, period, 1);
    b.at = 0x1000;
    ptm_indirect(&b, 4, 0x2000, true, 0);
    ptm_indirect(&b, 4, 0x3000, true, 0);
    ptm_indirect(&b, 4, 0x3000, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.11.1-a, PFT-4.5.2-h */
    ptm_expect(&b, "08 00 10 00 00 21 81 20 81 30 00 00 00 00 00 80 08 00 30 00 00 01 01");
    ptm_end(&b);
    ptm_begin(&b, PTM_1_0, 0, none, 1);
    b.at = 0x1000;
    for (unsigned i = 0; i < 4; i++)
        ptm_indirect(&b, 4, 0x1000, true, 0);
    ptm_straight(&b, 4);
    ptm_expect(&b, "08 00 10 00 00 21 01 01 01 01");
    ptm_end(&b);
}

/* 64 bytes that nothing drains: 28 branch packets of one byte fit beside the margin. Then nothing,
 * until the FIFO is empty. */
static void test_overflow(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    (void)state;
    b.options = (struct cairn_unit_options)CAIRN_UNIT_OPTIONS_INIT;
    b.options.fifo_bytes = 64;
    b.options.fifo_drain = 16;
    start(PTM_1_0, 0, 0x1000);
    for (unsigned i = 0; i < 40; i++)
        ptm_indirect(&b, 4, 0x1000, true, 0);
    cairn_unit_counters(b.unit, &counters);
    assert_int_equal(counters.overflows, 1);
    (void)cairn_unit_position(b.unit);
    b.checked = b.size;
    cairn_unit_cycles(b.unit, 20);
    ptm_indirect(&b, 4, 0x1000, true, 0);
    ptm_straight(&b, 4);
    ptm_expect(&b, "");
    cairn_unit_cycles(b.unit, 200);
    ptm_indirect(&b, 4, 0x1100, true, 0);
    ptm_straight(&b, 4);
    /* proves: PFT-4.8-a */
    ptm_expect(&b, "08 00 10 00 00 41 81 11");
    ptm_end(&b);
}

/* Execution that goes on elsewhere, unseen: what was executed is told, then it is a trace-on. */
static void test_break(void **state)
{
    (void)state;
    start(PTM_1_0, 0, 0x1000);
    ptm_straight(&b, 8);
    b.at = 0x2000;
    ptm_direct(&b, 4, 0x2000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 72 03 08 00 20 00 00 21 84");
    /* and when the unit is disabled */
    ptm_straight(&b, 8);
    cairn_unit_disable(b.unit);
    ptm_expect(&b, "72 03");
    ptm_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_interrupts),
        cmocka_unit_test(test_back_to_back),
        cmocka_unit_test(test_thumb_interrupts),
        cmocka_unit_test(test_aborts),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_secure_call),
        cmocka_unit_test(test_security),
        cmocka_unit_test(test_hyp),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_branch_cycles),
        cmocka_unit_test(test_return_stack),
        cmocka_unit_test(test_return_stack_depth),
        cmocka_unit_test(test_return_stack_sync),
        cmocka_unit_test(test_long_run),
        cmocka_unit_test(test_context_id),
        cmocka_unit_test(test_vmid),
        cmocka_unit_test(test_debug),
        cmocka_unit_test(test_prohibited),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_break),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
