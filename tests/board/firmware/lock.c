/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace unit's registers saved and restored behind the OS Lock, as where a core loses its power; and what a core does in
 * between. */
#include "firmware.h"

#define TRCCONFIGR_CID (1u << 6)
#define TRCSTATR_IDLE 1u
#define TRCSTATR_PMSTABLE 2u
#define IDENTIFIER 0x5a17u

extern const char visit_NS_EL0[], visit_NS_EL1[];

/* Each with a value of its own, which only means something to those that are needed here: the range of addresses. */
#define SAVED(R)                                                                                   \
    R(TRCCONFIGR, 1 | TRCCONFIGR_CID)                                                              \
    R(TRCEVENTCTL0R, 0)                                                                            \
    R(TRCEVENTCTL1R, 0)                                                                            \
    R(TRCTSCTLR, 0)                                                                                \
    R(TRCSYNCPR, 9)                                                                                \
    R(TRCTRACEIDR, 0x2a)                                                                           \
    R(TRCVICTLR, 0x201)                                                                            \
    R(TRCVIIECTLR, 1)                                                                              \
    R(TRCVISSCTLR, 0)                                                                              \
    R(TRCSEQEVR0, 0x0203)                                                                          \
    R(TRCCNTRLDVR0, 0x1234)                                                                        \
    R(TRCCNTCTLR0, 0x0504)                                                                         \
    R(TRCCNTVR0, 0x4321)                                                                           \
    R(TRCRSCTLR2, 0x30001)                                                                         \
    R(TRCACVR0, (uint64_t)visit_NS_EL1)                                                            \
    R(TRCACVR1, (uint64_t)visit_NS_EL1 + 12)                                                       \
    R(TRCACATR0, 0)                                                                                \
    R(TRCACATR1, 0)                                                                                \
    R(TRCCIDCVR0, 0x77665544)

static void wait_for(uint64_t bit)
{
    do
        ISB();
    while (!(MRS(TRCSTATR) & bit));
}

static void visit(void)
{
    run_at(0, visit_NS_EL0, 0);
    run_at(1, visit_NS_EL1, 0);
    trace_drain();
}

void try_lock(void)
{
    uint64_t saved[32], base = (uint64_t)trace_buffer;
    unsigned n = 0;

    MSR(MDCR_EL3, MDCR_EL3_NSTB(3));
    MSR(MDCR_EL2, MDCR_EL2_E2TB(3));
    MSR(SCR_EL3, SCR_BASE | SCR_NS);
    MSR(TRFCR_EL1, 3);
    MSR(TRFCR_EL2, 0);
    MSR(CONTEXTIDR_EL1, IDENTIFIER);
#define WRITE(name, value) MSR(name, value);
    SAVED(WRITE)
    say("lock-before", MRS(OSLSR_EL1) >> 1 & 1);
    trace_begin();
    visit();

    /* as Linux's driver does it */
    DSB();
    ISB();
    MSR(OSLAR_EL1, 1);
    ISB();
    say("lock-locked", MRS(OSLSR_EL1) >> 1 & 1);
    wait_for(TRCSTATR_PMSTABLE);
    ISB();
#define SAVE(name, value) saved[n++] = MRS(name);
    const uint64_t control = MRS(TRCPRGCTLR);
    SAVED(SAVE)
    wait_for(TRCSTATR_IDLE);
    say("lock-size", MRS(TRBPTR_EL1) - base);
    visit();
    say("lock-size-locked", MRS(TRBPTR_EL1) - base);

    /* the power is gone: all is forgotten */
    MSR(TRCPRGCTLR, 0);
    wait_for(TRCSTATR_IDLE);
#define FORGET(name, value) MSR(name, 0);
    SAVED(FORGET)
    put("lock-saved ");
    put_number(control);
#define SAY(name, value)                                                                           \
    put(" ");                                                                                      \
    put_number(saved[n++] ^ (value));
    n = 0;
    SAVED(SAY)
    put("\n");

    n = 0;
#define RESTORE(name, value) MSR(name, saved[n++]);
    SAVED(RESTORE)
    MSR(TRCPRGCTLR, control);
    ISB();
    MSR(OSLAR_EL1, 0);
    ISB();
    visit();
    trace_end();
    trace_say("lock", base);
    MSR(CONTEXTIDR_EL1, 0);
    MSR(TRCACVR0, 0);
    MSR(TRCACVR1, 0);
    ISB();
}

#define LAST_OF_MEMORY UINT64_C(0x5ffffffc)
#define MSR_CONTEXTIDR_EL1_X0 0xd518d020u

/* The instruction behind an MSR is not executed: nothing is at its address, and an abort comes in its place. What the MSR
 * wrote is the context of the code that takes it. */
void try_fetch(void)
{
    trace_program();
    MSR(TRCCONFIGR, 1 | TRCCONFIGR_CID);
    *(volatile uint32_t *)LAST_OF_MEMORY = MSR_CONTEXTIDR_EL1_X0;
    asm volatile("ic iallu\n dsb sy\n isb" ::: "memory");
    trace_begin();
    run_at(1, (const void *)LAST_OF_MEMORY, IDENTIFIER);
    trace_end();
    put("fetch ");
    put_number(outcome.level);
    put(" ");
    put_number(EC(outcome));
    put(" ");
    put_number(outcome.ELR);
    put("\n");
    trace_say("fetch", (uint64_t)trace_buffer);
    MSR(CONTEXTIDR_EL1, 0);
}
