/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace buffer: that it fills, wraps and interrupts, what is its owner's memory, and what is nobody's. */
#include "firmware.h"

/* At EL0, X0 times: which way it goes is by a shift register, so that atoms do not repeat. */
asm(".text\n.balign 64\n"
    ".type scramble, %function\n"
    "scramble: mov w1, #1\n"
    "    movz w2, #0xb400, lsl #0\n"
    "1:  and w3, w1, #1\n"
    "    lsr w1, w1, #1\n"
    "    cbz w3, 2f\n"
    "    eor w1, w1, w2\n"
    "2:  sub w0, w0, #1\n"
    "    cbnz w0, 1b\n"
    "    svc #0\n"
    ".size scramble, . - scramble\n");
extern const char scramble[];

#define SECURE_MEMORY UINT64_C(0x0e000000)
#define NO_MEMORY UINT64_C(0x700000000)
#define PAGE 4096u
#define ROUNDS_SHORT 300u
#define ROUNDS_LONG 40000u
/* A GICv3's redistributor of core 0: interrupts of the core that are pending. */
#define GICR_ISPENDR0 (*(volatile uint32_t *)0x080b0200)
#define TRBIRQ 31u

static void say_interrupt(const char *name)
{
    say(name, GICR_ISPENDR0 >> TRBIRQ & 1);
}

/* "buffer:NAME TRBPTR TRBSR", and the interrupt: as it is, and when software has taken it back. */
static void try_buffer(const char *name, uint64_t base, uint64_t size, uint64_t mode,
                       uint64_t rounds)
{
    trace_begin_at(base, base + size, mode);
    run_at(0, scramble, rounds);
    trace_end();
    put("buffer:");
    put(name);
    put(" ");
    put_number(MRS(TRBPTR_EL1));
    put(" ");
    put_number(MRS(TRBSR_EL1));
    put(" ");
    put_number(GICR_ISPENDR0 >> TRBIRQ & 1);
    put(" ");
    MSR(TRBSR_EL1, 0);
    ISB();
    put_number(GICR_ISPENDR0 >> TRBIRQ & 1);
    put("\n");
}

static void try_modes(const char *owner)
{
    const uint64_t base = (uint64_t)trace_buffer;
    static const struct {
        const char *name;
        uint64_t mode;
    } modes[] = {
        {"fill", TRBLIMITR_FILL}, {"wrap", TRBLIMITR_WRAP}, {"circular", TRBLIMITR_CIRCULAR}};

    for (unsigned i = 0; i < 3; i++) {
        char name[32] = "";
        char *at = name;

        for (const char *from = owner; *from; from++)
            *at++ = *from;
        for (const char *from = modes[i].name; *from; from++)
            *at++ = *from;
        try_buffer(name, base, PAGE, modes[i].mode, ROUNDS_LONG);
        MSR(TRBPTR_EL1, base + PAGE); /* all of it is said */
        trace_say(name, base);
    }
}

void try_buffers(void)
{
    trace_program();
    MSR(TRFCR_EL1, 3);
    MSR(TRFCR_EL2, 3);
    MSR(MDCR_EL2, MDCR_EL2_E2TB(3));
    say_interrupt("interrupt-before");
    say("buffer-base", (uint64_t)trace_buffer);

    MSR(MDCR_EL3, MDCR_EL3_NSTB(2) | MDCR_EL3_STE);
    MSR(SCR_EL3, SCR_BASE | SCR_NS);
    try_modes("NS-");
    try_buffer("NS-secure-memory", SECURE_MEMORY, PAGE, TRBLIMITR_FILL, ROUNDS_SHORT);
    try_buffer("NS-no-memory", NO_MEMORY, PAGE, TRBLIMITR_FILL, ROUNDS_SHORT);

    MSR(MDCR_EL3, MDCR_EL3_NSTB(0) | MDCR_EL3_STE);
    MSR(SCR_EL3, SCR_BASE);
    try_modes("S-");
    try_buffer("S-no-memory", NO_MEMORY, PAGE, TRBLIMITR_FILL, ROUNDS_SHORT);
    trace_begin_at(SECURE_MEMORY, SECURE_MEMORY + PAGE, TRBLIMITR_FILL);
    run_at(0, scramble, ROUNDS_SHORT);
    trace_end();
    trace_say("S-secure-memory", SECURE_MEMORY);
}
