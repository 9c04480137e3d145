/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware that begins at EL3 and programs what a core has for trace, as on silicon. What it reads it says on the console;
 * what is right is in test_firmware.py. */
#include "firmware.h"

struct outcome outcome;

/* PL011, and the GPIO by which software in Secure state switches the machine off. */
#define UART (*(volatile uint32_t *)0x09000000)
#define GPIO_DIRECTION (*(volatile uint32_t *)0x090b0400)
#define GPIO_SHUTDOWN (*(volatile uint32_t *)0x090b0008)

void put(const char *text)
{
    for (; *text; text++)
        UART = (uint8_t)*text;
}

static void put_digits(uint64_t value, unsigned digits)
{
    while (digits-- > 0)
        UART = (uint8_t) "0123456789abcdef"[value >> 4 * digits & 15];
}

void put_number(uint64_t value)
{
    unsigned digits = 1;

    while (digits < 16 && value >> 4 * digits)
        digits++;
    put_digits(value, digits);
}

void say(const char *name, uint64_t value)
{
    put(name);
    put(" ");
    put_number(value);
    put("\n");
}

void hexadecimal(const uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        put_digits(bytes[i], 2);
}

void switch_off(void)
{
    GPIO_DIRECTION = 2;
    GPIO_SHUTDOWN = 0;
    GPIO_SHUTDOWN = 2;
    for (;;)
        asm volatile("wfi");
}

/* At EL1, on a machine that has no EL3: nothing that it has there is trapped. */
void main_below(void)
{
    say("CurrentEL", MRS(CurrentEL) >> 2);
    say("TRCIDR2", MRS(TRCIDR2));
    say("TRCIDR3", MRS(TRCIDR3));
    MSR(BRBCR_EL1, 2);
    MSR(TRFCR_EL1, 3);
    ISB();
    say("BRBCR_EL1", MRS(BRBCR_EL1));
    say("TRFCR_EL1", MRS(TRFCR_EL1));
    MSR(TRBPTR_EL1, 0);
    put("end\n");
}

void main(void)
{
    say("CurrentEL", MRS(CurrentEL) >> 2);
    say("TRCIDR2", MRS(TRCIDR2));
    say("TRCIDR3", MRS(TRCIDR3));
    if (!(MRS(ID_AA64PFR0_EL1) >> 8 & 15)) { /* no EL2 */
        put("end\n");
        return;
    }
    try_levels();
    trace_program();
    trace_say_unit();
    try_prohibited();
    try_accesses();
    try_buffers();
    try_branches();
    try_lock();
    try_fetch();
    put("end\n");
}
