/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's console, and its end. */
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
