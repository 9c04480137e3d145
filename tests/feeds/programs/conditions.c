/* SPDX-License-Identifier: BSD-2-Clause */
/* Each condition under each value of the flags; what passed shows in what it did. Says on its
 * output where the instructions with conditions are: FIRST END, and then a line for each value of
 * the flags, in order: a bit for each instruction that passed, the first one's the lowest. */
#include <stdint.h>
#include <stdio.h>

extern const char conditions_begin[], conditions_end[];

__attribute__((noinline, noclone)) static uint32_t try(uint32_t flags)
{
    uint32_t passed = 0;

    __asm__ volatile("msr APSR_nzcvq, %1\n"
                     ".global conditions_begin\n.type conditions_begin, %%object\n"
                     "conditions_begin:\n"
                     "ite eq\n orreq %0, %0, #0x1\n orrne %0, %0, #0x2\n"
                     "ite cs\n orrcs %0, %0, #0x4\n orrcc %0, %0, #0x8\n"
                     "ite mi\n orrmi %0, %0, #0x10\n orrpl %0, %0, #0x20\n"
                     "ite vs\n orrvs %0, %0, #0x40\n orrvc %0, %0, #0x80\n"
                     "ite hi\n orrhi %0, %0, #0x100\n orrls %0, %0, #0x200\n"
                     "itett ge\n orrge %0, %0, #0x400\n orrlt %0, %0, #0x800\n"
                     " orrge %0, %0, #0x1000\n orrge %0, %0, #0x2000\n"
                     "it gt\n orrgt %0, %0, #0x4000\n it le\n orrle %0, %0, #0x8000\n"
                     ".global conditions_end\n.type conditions_end, %%object\n"
                     "conditions_end:\n"
                     : "+r"(passed)
                     : "r"(flags)
                     : "cc");
    return passed;
}

int main(void)
{
    printf("%lx %lx\n", (unsigned long)(uintptr_t)conditions_begin,
           (unsigned long)(uintptr_t)conditions_end);
    for (uint32_t flags = 0; flags < 16; flags++)
        printf("%lx\n", (unsigned long)try(flags << 28));
    return 0;
}
