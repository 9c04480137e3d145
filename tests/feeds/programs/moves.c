/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves to and from coprocessors that a user program may make: a thread's register (c13), a VFP
 * register's halves. Prints a word a line, as they are moved between first and last. */
#include <stdio.h>

extern const char first[], last[];

static unsigned move(unsigned value, unsigned other, unsigned *low, unsigned *high)
{
    unsigned back = 0;

    __asm__ volatile(".global first, last\n"
                     "first:\n"
                     "mcr p15, 0, %[value], c13, c0, 2\n"
                     "mrc p15, 0, %[back], c13, c0, 2\n"
                     "cmp %[back], #0\n"
                     "it ne\n"
                     "mrcne p15, 0, %[back], c13, c0, 2\n"
                     "it eq\n"
                     "mrceq p15, 0, %[back], c13, c0, 2\n"
                     "vmov d0, %[value], %[other]\n"
                     "vmov %[low], %[high], d0\n"
                     "last:\n"
                     : [back] "=&r"(back), [low] "=&r"(*low), [high] "=&r"(*high)
                     : [value] "r"(value), [other] "r"(other)
                     : "cc", "d0");
    return back;
}

int main(void)
{
    unsigned low = 0, high = 0;
    const unsigned back = move(0x1234abcd, 0x77, &low, &high);

    printf("%lx %lx\n", (unsigned long)first & ~1ul, (unsigned long)last & ~1ul);
    printf("to %x\nfrom %x\nfrom %x\n", back, back, back); /* one of the conditional ones */
    printf("to %x\nto %x\nfrom %x\nfrom %x\n", low, high, low, high);
    return 0;
}
