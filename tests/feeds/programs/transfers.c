/* SPDX-License-Identifier: BSD-2-Clause */
/* Every form of load and store of A32 and T32, and store exclusives that fail. Says on its output
 * what each of its store exclusives has to be in data trace: ADDRESS VALUE... , and "failed" behind
 * it. */
#include <stdint.h>
#include <stdio.h>

static uint32_t words[64] __attribute__((aligned(64)));
static uint32_t cell[2] __attribute__((aligned(8)));

static void multiples(void)
{
    __asm__ volatile("ldmia %0, {r2-r8}\n stmia %1, {r2-r8}\n"
                     "ldmdb %1, {r3, r5}\n"
                     "push {r2, r4, r6}\n pop {r2, r4, r6}\n"
                     "ldrd r2, r3, [%0]\n strd r2, r3, [%1, #8]\n"
                     "vldmia %0, {d0-d3}\n vstmia %1, {s1-s5}\n vldr d4, [%0, #8]\n vstr s9, [%1]\n"
                     "vldr s3, [%0, #4]\n vstr d0, [%1, #16]\n"
                     :
                     : "r"(words), "r"(words + 32)
                     : "r2", "r3", "r4", "r5", "r6", "r7", "r8", "d0", "d1", "d2", "d3", "d4",
                       "memory");
}

static void vectors(void)
{
    __asm__ volatile(".fpu neon\n"
                     "vld1.32 {d0-d3}, [%0]\n vst1.8 {d1}, [%1]\n vld2.8 {d0, d1}, [%0]\n"
                     "vst3.16 {d0-d2}, [%1]\n vld4.16 {d0-d3}, [%0]\n vst4.8 {d0-d3}, [%1]\n"
                     "vld1.8 {d0[3]}, [%0]\n vst1.32 {d2[1]}, [%1]\n vld1.16 {d5[]}, [%0]\n"
                     :
                     : "r"(words), "r"(words + 32)
                     : "d0", "d1", "d2", "d3", "d5", "memory");
}

static void singles(void)
{
    __asm__ volatile("ldrb r2, [%0, #1]\n ldrsb r3, [%0, #3]\n ldrh r4, [%0, #2]\n"
                     "ldrsh r5, [%0, #6]\n ldr r6, [%0, #5]\n" /* that one is not aligned */
                     "strb r6, [%1, #1]\n strh r6, [%1, #6]\n str r6, [%1, #8]!\n"
                     "cmp %0, #0\n it eq\n ldreq r2, [%0]\n it ne\n strne r2, [%1]\n"
                     "it eq\n strbeq r2, [%1]\n pld [%0]\n"
                     :
                     : "r"(words), "r"(words + 32)
                     : "r2", "r3", "r4", "r5", "r6", "cc", "memory");
}

static int exclusive(uint32_t value, int fails)
{
    uint32_t result;

    if (fails == 1)
        __asm__ volatile("clrex" ::: "memory");
    else
        __asm__ volatile("ldrex r2, [%0]" : : "r"(cell) : "r2", "memory");
    if (fails == 2) /* somebody else stored there */
        cell[0]++;
    __asm__ volatile("strex %0, %1, [%2]" : "=&r"(result) : "r"(value), "r"(cell) : "memory");
    return (int)result;
}

static int exclusive_double(uint32_t low, uint32_t high, int fails)
{
    register uint32_t first __asm__("r4") = low, second __asm__("r5") = high;
    uint32_t result;

    if (fails)
        __asm__ volatile("clrex" ::: "memory");
    else
        __asm__ volatile("ldrexd r2, r3, [%0]" : : "r"(cell) : "r2", "r3", "memory");
    __asm__ volatile("strexd %0, %1, %2, [%3]"
                     : "=&r"(result)
                     : "r"(first), "r"(second), "r"(cell)
                     : "memory");
    return (int)result;
}

static int exclusive_byte(uint32_t value)
{
    uint32_t result;

    __asm__ volatile("ldrexb r2, [%1]\n strexb %0, %2, [%1]\n"
                     : "=&r"(result)
                     : "r"(cell), "r"(value)
                     : "r2", "memory");
    return (int)result;
}

static void say(uint32_t low, uint32_t high, int failed)
{
    printf("%lx %lx %lx%s\n", (unsigned long)(uintptr_t)cell, (unsigned long)low,
           (unsigned long)high, failed ? " failed" : "");
}

int main(void)
{
    for (unsigned i = 0; i < 64; i++)
        words[i] = 0x9e3779b9u * (i + 1);
    for (unsigned i = 0; i < 40; i++) {
        multiples();
        vectors();
        singles();
    }
    say(0x5ead0001, 0, exclusive(0x5ead0001, 0));
    say(0x5ead0002, 0, exclusive(0x5ead0002, 1));
    say(0x5ead0003, 0, exclusive(0x5ead0003, 2));
    say(0x5ead0004, 0x5ead0005, exclusive_double(0x5ead0004, 0x5ead0005, 0));
    say(0x5ead0006, 0x5ead0007, exclusive_double(0x5ead0006, 0x5ead0007, 1));
    say(0xa5, 0, exclusive_byte(0xa5));
    return 0;
}
