/* SPDX-License-Identifier: BSD-2-Clause */
/* The Performance Monitors: their overflow freezes branch records and interrupts. */
#include "firmware.h"

extern const char branch_many[], branch_vectors[], vectors_EL1[];

#define BRBCR_E1BRE 2u
#define BRBCR_FZP (1u << 8)
#define BRBFCR_EnI (1u << 16)
#define BRBFCR_PAUSED (1u << 7)
#define PMCR_E 1u
#define PMEVTYPER_M (1u << 26) /* with P 0: not at EL3 */
#define BRB_FILTRATE 0x811fu
#define INST_RETIRED 0x08u
#define BR_RETIRED 0x21u
#define BEFORE_OVERFLOW(count) (UINT64_C(0x100000000) - (count))
#define GICR_ISPENDR0 (*(volatile uint32_t *)0x080b0200)
#define PMUIRQ 23u
#define BRANCHES 40u /* of which the last is not taken */

/* "freeze:NAME" and the records, BRBFCR_EL1.PAUSED, PMOVSCLR_EL0, the counter, whether BRBTS_EL1 is a time of this run, and the
 * interrupt before and behind the flag's clearing. */
static void try_freeze(const char *name, uint64_t BRBCR, uint64_t event, uint64_t count)
{
    const uint64_t before = MRS(CNTPCT_EL0);
    unsigned records = 0;

    asm volatile("sys #1, c7, c2, #4, xzr" ::: "memory");
    MSR(BRBTS_EL1, 0);
    MSR(PMOVSCLR_EL0, UINT64_C(0xffffffff));
    MSR(PMEVTYPER0_EL0, event | PMEVTYPER_M);
    MSR(PMEVCNTR0_EL0, BEFORE_OVERFLOW(count));
    MSR(PMINTENSET_EL1, 1);
    MSR(PMCNTENSET_EL0, 1);
    MSR(PMCR_EL0, PMCR_E);
    MSR(BRBCR_EL1, BRBCR);
    MSR(BRBFCR_EL1, BRBFCR_EnI);
    ISB();
    run_at(1, branch_many, BRANCHES);
    const unsigned pending = GICR_ISPENDR0 >> PMUIRQ & 1; /* while PMCR_EL0.E is 1 */
    const uint64_t control = MRS(BRBFCR_EL1);
    MSR(BRBFCR_EL1, BRBFCR_EnI | BRBFCR_PAUSED);
    ISB();
    records += MRS(S2_1_C8_C0_0) &
               1; /* BRBINF0_EL1.VALID; then of others, up to where there are 8 to 11 */
    records += MRS(S2_1_C8_C7_0) & 1;
    records += MRS(S2_1_C8_C8_0) & 1;
    records += MRS(S2_1_C8_C9_0) & 1;
    records += MRS(S2_1_C8_C10_0) & 1;
    records += MRS(S2_1_C8_C15_4) & 1;
    put("freeze:");
    put(name);
    put(" ");
    put_number(records);
    put(" ");
    put_number(control & BRBFCR_PAUSED ? 1 : 0);
    put(" ");
    put_number(MRS(PMOVSCLR_EL0));
    put(" ");
    put_number(MRS(PMEVCNTR0_EL0));
    put(" ");
    put_number(MRS(BRBTS_EL1) >= before && MRS(BRBTS_EL1) <= MRS(CNTPCT_EL0));
    put(" ");
    put_number(pending);
    MSR(PMOVSCLR_EL0, 1);
    ISB();
    put(" ");
    put_number(GICR_ISPENDR0 >> PMUIRQ & 1);
    put("\n");
    MSR(PMCR_EL0, 0);
    MSR(PMCNTENCLR_EL0, 1);
    MSR(PMINTENCLR_EL1, 1);
    MSR(BRBCR_EL1, 0);
    ISB();
}

/* Branches that retire are an External Input of the trace unit, and each makes it trace an Event element. */
static void try_export(void)
{
    trace_program();
    MSR(TRCEXTINSELR0, BR_RETIRED);
    MSR(TRCRSCTLR2, 1);         /* External Input Selector 0 */
    MSR(TRCEVENTCTL0R, 2 << 8); /* resource 2; of ETEEvent 1, as 0 is the trigger */
    MSR(TRCEVENTCTL1R, 2);      /* is an element */
    MSR(MDCR_EL3, MDCR_EL3_NSTB(3));
    MSR(MDCR_EL2, 6 | MDCR_EL2_E2TB(3));
    MSR(TRFCR_EL1, 2);
    MSR(PMCR_EL0, PMCR_E);
    ISB();
    trace_begin();
    run_at(1, branch_many, BRANCHES);
    trace_end();
    trace_say("events", (uint64_t)trace_buffer);
    MSR(PMCR_EL0, 0);
    trace_program();
}

void try_counters(void)
{
    MSR(VBAR_EL1, branch_vectors);
    MSR(SCR_EL3, SCR_BASE | SCR_NS);
    MSR(MDCR_EL3, MDCR_EL3_SBRBE(UINT64_C(3)));
    MSR(MDCR_EL2, 6); /* HPMN: all counters are EL1's */
    ISB();
    say("counters", MRS(PMCR_EL0) >> 11 & 31);
    try_freeze("records", BRBCR_E1BRE | BRBCR_FZP, BRB_FILTRATE, 10);
    try_freeze("instructions", BRBCR_E1BRE | BRBCR_FZP, INST_RETIRED, 21);
    try_freeze("none", BRBCR_E1BRE, BRB_FILTRATE, 10);
    try_freeze("later", BRBCR_E1BRE | BRBCR_FZP, BRB_FILTRATE, 1000);
    try_export();
    MSR(VBAR_EL1, vectors_EL1);
    ISB();
}
