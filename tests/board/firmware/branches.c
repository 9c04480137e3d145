/* SPDX-License-Identifier: BSD-2-Clause */
/* The Branch Record Buffer, paused, read by banks, invalidated and run again in the order of Linux's driver. Which branches
 * the programs here take, and where they go, is written down in test_branches.py once more. */
#include "firmware.h"

#define RECORDS 32
#define BRBFCR_EnI (1u << 16)
#define BRBFCR_PAUSED (1u << 7)
#define BRBFCR_BANK(bank) ((uint64_t)(bank) << 28)
#define BRBCR_E0BRE 1u /* of EL1; of EL2: E0HBRE */
#define BRBCR_E1BRE 2u /* of EL1; of EL2: E2BRE */
#define BRBCR_CC (1u << 3)
#define BRBCR_MPRED (1u << 4)
#define BRBCR_ERTN (1u << 22)
#define BRBCR_EXCEPTION (1u << 23)
#define BOTH_LEVELS (BRBCR_E0BRE | BRBCR_E1BRE)
#define BOTH_WAYS (BRBCR_EXCEPTION | BRBCR_ERTN)

/* From EL1 to EL0, a branch of each type there, two exceptions and back to EL3. br_... are where branches are and lead.
 * Vectors of EL1 for it: EC 0, an UNDEFINED instruction, is stepped over; SVC returns unless X8 says that it is the last. */
asm(".text\n.balign 0x800\n"
    ".global branch_vectors, branch_many\n"
    "branch_vectors:\n"
    "    .skip 0x200\n"
    "    mrs x9, ESR_EL1\n"
    "    mrs x10, ELR_EL1\n"
    "    mov x11, #1\n"
    "    smc #0\n"
    "    .skip 0x1f0\n"
    "br_vector: mrs x9, ESR_EL1\n"
    "    lsr x10, x9, #26\n"
    "br_is_undefined: cbz x10, br_skip\n"
    "br_is_last: cbnz x8, br_finish\n"
    "br_eret: eret\n"
    "br_skip: mrs x10, ELR_EL1\n"
    "    add x10, x10, #4\n"
    "    msr ELR_EL1, x10\n"
    "br_skip_eret: eret\n"
    "br_finish: mrs x10, ELR_EL1\n"
    "    mov x11, #1\n"
    "    smc #0\n"
    ".balign 0x800\n"
    "branch_program: mov x9, #0x3c0\n"
    "    msr SPSR_EL1, x9\n"
    "    adr x9, br_user\n"
    "    msr ELR_EL1, x9\n"
    "    mov x8, #0\n"
    "    isb\n"
    "br_down: eret\n"
    "br_user: nop\n"
    "br_call: bl br_callee\n"
    "    adr x1, br_callee\n"
    "br_blr: blr x1\n"
    "    adr x2, br_there\n"
    "br_br: br x2\n"
    "    nop\n"
    "br_there: mov x3, #2\n"
    "br_loop: sub x3, x3, #1\n"
    "br_cbnz: cbnz x3, br_loop\n"
    "br_b: b br_on\n"
    "    nop\n"
    "br_on: nop\n"
    "br_svc: svc #1\n"
    "br_udf: .inst 0\n"
    "br_more: mov x8, #1\n"
    "br_last: svc #0\n"
    "br_callee: nop\n"
    "br_ret: ret\n"
    /* From EL1 to EL2 by HVC, and back; the vectors of EL2 return from it, and hand on all else. */
    ".balign 0x800\n"
    "branch_vectors_EL2:\n"
    "    .skip 0x400\n"
    "br_vector_EL2: cbnz x8, br_finish_EL2\n"
    "br_eret_EL2: eret\n"
    "br_finish_EL2: mrs x9, ESR_EL2\n"
    "    mrs x10, ELR_EL2\n"
    "    mov x11, #2\n"
    "    smc #0\n"
    ".balign 0x800\n"
    "branch_program_EL2: mov x8, #0\n"
    "br_hvc: hvc #0\n"
    "br_hvc_back: mov x8, #1\n"
    "br_hvc_last: hvc #0\n"
    /* X0 branches in a row at EL1, so many that the oldest are lost. */
    "branch_many: nop\n"
    "br_many: sub x0, x0, #1\n"
    "br_many_cbnz: cbnz x0, br_many\n"
    "    svc #0\n"
    /* measured(BRBFCR, BRBFCR paused): recording begins and ends inside. */
    "branch_measured: msr S2_1_C9_C0_1, x0\n"
    "    isb\n"
    "br_measured: b br_measured_on\n"
    "    nop\n"
    "br_measured_on: msr S2_1_C9_C0_1, x1\n"
    "    isb\n"
    "    ret\n"
    "branch_driver_EL1: bl branch_driver\n"
    "    svc #0\n");
extern const char branch_vectors[], branch_vectors_EL2[], branch_program[], branch_program_EL2[],
    branch_many[], branch_driver_EL1[];
void branch_measured(uint64_t BRBFCR, uint64_t paused);
extern const char vectors_EL1[], vectors_EL2[];

static struct {
    uint64_t INF, SRC, TGT;
} records[2][RECORDS];

#define CASE(n, m, a, b, c)                                                                        \
    case n:                                                                                        \
        records[bank][n].INF = MRS(S2_1_C8_C##m##_##a);                                            \
        records[bank][n].SRC = MRS(S2_1_C8_C##m##_##b);                                            \
        records[bank][n].TGT = MRS(S2_1_C8_C##m##_##c);                                            \
        break
#define CASES(n, m)                                                                                \
    CASE(n, m, 0, 1, 2);                                                                           \
    CASE(n + 16, m, 4, 5, 6)

static void read_record(unsigned bank, unsigned number)
{
    switch (number) {
        CASES(0, 0);
        CASES(1, 1);
        CASES(2, 2);
        CASES(3, 3);
        CASES(4, 4);
        CASES(5, 5);
        CASES(6, 6);
        CASES(7, 7);
        CASES(8, 8);
        CASES(9, 9);
        CASES(10, 10);
        CASES(11, 11);
        CASES(12, 12);
        CASES(13, 13);
        CASES(14, 14);
        CASES(15, 15);
    default: break;
    }
}

static void invalidate(void)
{
    asm volatile("sys #1, c7, c2, #4, xzr" ::: "memory");
}

static void read_banks(uint64_t BRBFCR)
{
    for (unsigned bank = 0; bank < 2; bank++) {
        MSR(BRBFCR_EL1, BRBFCR | BRBFCR_PAUSED | BRBFCR_BANK(bank));
        ISB();
        for (unsigned n = 0; n < RECORDS; n++)
            read_record(bank, n);
    }
}

/* "branches:NAME", and INF SRC TGT of each record, the youngest first; then how many fields behind the last were not 0. */
static void say_records(const char *name)
{
    unsigned beyond = 0, n = 0;

    put("branches:");
    put(name);
    for (; n < RECORDS && (records[0][n].INF & 3); n++) {
        put(" ");
        put_number(records[0][n].INF);
        put(" ");
        put_number(records[0][n].SRC);
        put(" ");
        put_number(records[0][n].TGT);
    }
    for (unsigned bank = 0; bank < 2; bank++)
        for (unsigned i = bank ? 0 : n; i < RECORDS; i++)
            beyond += (records[bank][i].INF || records[bank][i].SRC || records[bank][i].TGT);
    put(" ");
    put_number(beyond);
    put("\n");
}

static void run_recorded(const char *name, unsigned EL, const void *program, uint64_t BRBFCR,
                         uint64_t BRBCR1, uint64_t BRBCR2)
{
    invalidate();
    MSR(BRBCR_EL1, BRBCR1);
    MSR(BRBCR_EL2, BRBCR2);
    MSR(BRBFCR_EL1, BRBFCR);
    ISB();
    run_at(EL, program, 40);
    MSR(BRBFCR_EL1, BRBFCR | BRBFCR_PAUSED);
    ISB();
    read_banks(BRBFCR);
    MSR(BRBCR_EL1, 0);
    MSR(BRBCR_EL2, 0);
    ISB();
    say_records(name);
}

/* At EL1: run, pause, read, invalidate, run again. */
void branch_driver(void)
{
    const uint64_t on = BRBFCR_EnI, off = BRBFCR_EnI | BRBFCR_PAUSED;

    MSR(BRBFCR_EL1, off);
    MSR(BRBCR_EL1, BRBCR_E1BRE);
    ISB();
    invalidate();
    branch_measured(on, off);
    branch_measured(on, off);
    read_banks(off);
    say_records("driver-twice");
    MSR(BRBFCR_EL1, off);
    invalidate();
    ISB();
    read_banks(off);
    say_records("driver-invalid");
    MSR(BRBFCR_EL1, off);
    ISB();
    branch_measured(on, off);
    read_banks(off);
    say_records("driver-again");
    MSR(BRBCR_EL1, 0);
    ISB();
}

static void try_filters(void)
{
    char name[] = "filter-00";

    for (unsigned EnI = 0; EnI < 2; EnI++)
        for (unsigned bit = 17; bit <= 22; bit++) {
            name[7] = (char)('0' + EnI);
            name[8] = (char)('0' + bit - 16);
            run_recorded(name, 1, branch_program, 1u << bit | (EnI ? BRBFCR_EnI : 0), BOTH_LEVELS,
                         0);
        }
}

void try_branches(void)
{
    MSR(VBAR_EL1, branch_vectors);
    MSR(VBAR_EL2, branch_vectors_EL2);
    MSR(SCR_EL3, SCR_BASE | SCR_NS | 1u << 8); /* HCE */
    MSR(MDCR_EL3, MDCR_EL3_SBRBE(UINT64_C(3)));
    MSR(MDCR_EL2, 0);
    ISB();
    say("BRBIDR0_EL1", MRS(BRBIDR0_EL1));
    run_recorded("all", 1, branch_program, BRBFCR_EnI, BOTH_LEVELS | BOTH_WAYS, 0);
    run_recorded("EL0", 1, branch_program, BRBFCR_EnI, BRBCR_E0BRE | BOTH_WAYS, 0);
    run_recorded("EL1", 1, branch_program, BRBFCR_EnI, BRBCR_E1BRE | BOTH_WAYS, 0);
    run_recorded("exceptions", 1, branch_program, 0, BOTH_LEVELS | BRBCR_EXCEPTION, 0);
    run_recorded("returns", 1, branch_program, 0, BOTH_LEVELS | BRBCR_ERTN, 0);
    run_recorded("neither", 1, branch_program, BRBFCR_EnI, BOTH_LEVELS, 0);
    run_recorded("paused", 1, branch_program, BRBFCR_EnI | BRBFCR_PAUSED, BOTH_LEVELS | BOTH_WAYS,
                 0);
    run_recorded("many", 1, branch_many, BRBFCR_EnI, BOTH_LEVELS, 0);
    try_filters();
    run_recorded("EL2", 1, branch_program_EL2, BRBFCR_EnI, BOTH_LEVELS, BRBCR_E1BRE | BOTH_WAYS);
    run_recorded("EL2-half", 1, branch_program_EL2, BRBFCR_EnI, BOTH_LEVELS, BOTH_WAYS);
    run_recorded("EL2-only", 1, branch_program_EL2, BRBFCR_EnI, 0, BRBCR_E1BRE | BOTH_WAYS);
    for (uint64_t SBRBE = 0; SBRBE < 4; SBRBE++)
        for (unsigned NS = 0; NS < 2; NS++) {
            char name[] = "S-0";
            static const char states[] = "SN";

            MSR(MDCR_EL3, MDCR_EL3_SBRBE(SBRBE));
            MSR(SCR_EL3, SCR_BASE | NS);
            ISB();
            name[0] = states[NS];
            name[2] = (char)('0' + SBRBE);
            run_recorded(name, 1, branch_program, BRBFCR_EnI, BOTH_LEVELS | BOTH_WAYS, 0);
        }
    MSR(VBAR_EL1, vectors_EL1);
    MSR(VBAR_EL2, vectors_EL2);
    MSR(SCR_EL3, SCR_BASE | SCR_NS);
    ISB();
    run_at(1, branch_driver_EL1, 0);
}
