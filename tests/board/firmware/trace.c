/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace unit and a buffer, from EL3, where tracing is prohibited whoever owns the buffer. */
#include "firmware.h"

uint8_t trace_buffer[TRACE_SIZE] __attribute__((aligned(4096)));

#define TRCCONFIGR_RES1 1u
#define TRCVICTLR_ALWAYS 0x201u /* SSSTATUS, and resource 1, which is TRUE */
#define TRCSTATR_IDLE 1u

void trace_program(void)
{
    MSR(OSLAR_EL1, 0);
    ISB();
    MSR(TRCCONFIGR, TRCCONFIGR_RES1);
    MSR(TRCEVENTCTL0R, 0);
    MSR(TRCEVENTCTL1R, 0);
    MSR(TRCTSCTLR, 0);
    MSR(TRCSYNCPR, 8); /* 256 bytes: a buffer of a page that wrapped is decoded from within */
    MSR(TRCTRACEIDR, 0x10);
    MSR(TRCVICTLR, TRCVICTLR_ALWAYS);
    MSR(TRCVIIECTLR, 0);
    MSR(TRCVISSCTLR, 0);
}

void trace_say_unit(void)
{
    put("unit ");
    put_number(MRS(TRCIDR0));
    put(" ");
    put_number(MRS(TRCIDR1));
    put(" ");
    put_number(MRS(TRCIDR2));
    put(" ");
    put_number(MRS(TRCIDR8));
    put(" ");
    put_number(MRS(TRCDEVARCH));
    put("\n");
}

void trace_begin_at(uint64_t base, uint64_t limit, uint64_t mode)
{
    MSR(TRBBASER_EL1, base);
    MSR(TRBPTR_EL1, base);
    MSR(TRBSR_EL1, 0);
    ISB();
    MSR(TRBLIMITR_EL1, limit | mode | TRBLIMITR_E);
    ISB();
    MSR(TRCPRGCTLR, 1);
    do
        ISB();
    while (MRS(TRCSTATR) & TRCSTATR_IDLE);
    ISB();
}

void trace_begin(void)
{
    const uint64_t base = (uint64_t)trace_buffer;

    trace_begin_at(base, base + TRACE_SIZE, TRBLIMITR_CIRCULAR);
}

void trace_drain(void)
{
    ISB();
    TSB();
    DSB();
    ISB();
}

void trace_end(void)
{
    trace_drain();
    MSR(TRCPRGCTLR, 0);
    do
        ISB();
    while (!(MRS(TRCSTATR) & TRCSTATR_IDLE));
    trace_drain();
    MSR(TRBLIMITR_EL1, 0);
    ISB();
}

/* "trace:NAME TRBPTR TRBSR TRCCONFIGR BYTES": what was written from `base` on up to the pointer. */
void trace_say(const char *name, uint64_t base)
{
    const uint64_t end = MRS(TRBPTR_EL1);

    put("trace:");
    put(name);
    put(" ");
    put_number(end);
    put(" ");
    put_number(MRS(TRBSR_EL1));
    put(" ");
    put_number(MRS(TRCCONFIGR));
    put(" ");
    if (end == base)
        put("-");
    hexadecimal((const uint8_t *)base, end - base);
    put("\n");
}
