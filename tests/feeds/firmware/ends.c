/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware that does not end the machine itself: it calls functions for ever, or with LOCKS until a
 * fault in the handler of a fault, for which a core locks up (QEMU gives up then). */
#include <stdint.h>

static volatile uint32_t sink;

void reset(void);

static void on_fault(void)
{
    asm volatile("udf #2");
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))0x20020000,
    reset,
    on_fault,
    on_fault,
};

static __attribute__((noinline)) void count(void)
{
    sink++;
}

void reset(void)
{
    for (;;) {
        count();
#ifdef LOCKS
        if (sink == 1000)
            asm volatile("udf #1");
#endif
    }
}
