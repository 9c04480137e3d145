/* SPDX-License-Identifier: BSD-2-Clause */
/* For cores from before Thumb-2, of which ETMv1 is: A32 and Thumb code of ARMv5TE, without a C library. It
 * sorts, copies, calls through a table, goes from one state to the other and back, and makes some system
 * calls; its exit status is 42 if all of that came out right. */
#define THUMB __attribute__((noinline, target("thumb")))
#define ARM __attribute__((noinline, target("arm")))
#define COUNT 24u

typedef unsigned operation(unsigned, unsigned);

static unsigned numbers[COUNT];
static unsigned char bytes[3 * COUNT];
static unsigned short halves[COUNT];

THUMB static unsigned add(unsigned a, unsigned b)
{
    return a + b;
}

ARM static unsigned mix(unsigned a, unsigned b)
{
    return (a << 5 | a >> 27) ^ b;
}

THUMB static unsigned most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Several registers at a time, and a return by a load of PC. */
ARM static unsigned deep(unsigned depth, unsigned value)
{
    volatile unsigned kept = value;

    return depth == 0 ? value : mix(deep(depth - 1, value + depth), kept);
}

THUMB static unsigned deep_thumb(unsigned depth, unsigned value)
{
    volatile unsigned kept = value;

    return depth == 0 ? value : add(deep_thumb(depth - 1, value + depth), kept);
}

static operation *const operations[] = {add, mix, most, deep};

ARM static void swap(unsigned *a, unsigned *b)
{
    unsigned old;

    __asm__ volatile("swp %0, %2, [%3]" : "=&r"(old), "+m"(*a) : "r"(*b), "r"(a));
    *b = old;
}

ARM static void sort(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned j = i + 1; j < COUNT; j++)
            if (numbers[j] < numbers[i])
                swap(&numbers[i], &numbers[j]);
}

THUMB static void spread(void)
{
    for (unsigned i = 0; i < COUNT; i++) {
        bytes[i] = (unsigned char)numbers[i];
        halves[i] = (unsigned short)(numbers[i] + bytes[i]);
    }
}

ARM static void copy(void)
{
    const unsigned *from = numbers;
    unsigned char *to = bytes;
    unsigned rounds = COUNT / 4;

    __asm__ volatile("1: ldmia %0!, {r4-r6}\n"
                     "subs %2, %2, #1\n"
                     "stmia %1!, {r4-r6}\n"
                     "ldrgtb r4, [%0]\n"
                     "bgt 1b\n"
                     : "+r"(from), "+r"(to), "+r"(rounds)
                     :
                     : "r4", "r5", "r6", "cc", "memory");
}

ARM static int call_system(int number, int argument)
{
    register int r7 __asm__("r7") = number;
    register int r0 __asm__("r0") = argument;

    __asm__ volatile("svc #0" : "+r"(r0) : "r"(r7) : "memory");
    return r0;
}

ARM __attribute__((used)) int work(void)
{
    unsigned value = 1;

    for (unsigned i = 0; i < COUNT; i++)
        numbers[i] = value = operations[i & 3u](i & 7u, value + i);
    sort();
    for (unsigned i = 1; i < COUNT; i++)
        if (numbers[i - 1] > numbers[i])
            return 1;
    spread();
    copy();
    if (call_system(20 /* getpid */, 0) <= 0 || deep_thumb(5, 1) != 61)
        return 2;
    return 42;
}

__asm__(".globl _start\n"
        ".arm\n"
        "_start: bl work\n"
        "mov r7, #1\n"
        "svc #0\n");
