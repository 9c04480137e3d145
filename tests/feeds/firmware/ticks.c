/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware that does the same however often SysTick interrupts it. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)

void reset(void);

static volatile unsigned ticks, sink;

static void on_tick(void)
{
    ticks++;
}

__attribute__((noinline)) static unsigned weigh(unsigned value)
{
    unsigned weight = 0;

    for (; value; value >>= 1)
        weight += value & 1;
    return weight;
}

void reset(void)
{
    SYST_RVR = 700;
    SYST_CVR = 0;
    SYST_CSR = 7;
    for (unsigned i = 0; i < 3000; i++)
        sink += weigh(i);
    __asm volatile("mov r0, #0x18\n" /* semihosting: exit */
                   "ldr r1, =0x20026\n"
                   "bkpt 0xab" ::
                       : "r0", "r1");
    for (;;)
        ;
}

__attribute__((section(".vectors"), used)) const void *const vectors[16] = {
    (const void *)0x20008000, (const void *)reset, [15] = (const void *)on_tick};
