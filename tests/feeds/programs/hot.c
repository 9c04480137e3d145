/* SPDX-License-Identifier: BSD-2-Clause */
/* For profiles: a function that is inlined, one that is called from two places and through pointers, branches of which
 * one side is rare. Prints a number that depends on all. */
#include <stdio.h>
#include <stdlib.h>

static int __attribute__((noinline)) rare(int x)
{
    return x * 3 + 1;
}

static inline int leaf(int x)
{
    int sum = 0;

    for (int i = 0; i < (x & 7); i++)
        sum += (i & 1) ? i * sum : -i;
    return sum;
}

int __attribute__((noinline)) step(int x);
int __attribute__((noinline)) step(int x)
{
    if (x % 17 == 0)
        return rare(x);
    return leaf(x) + 1;
}

int main(int argc, char **argv)
{
    int (*const functions[2])(int) = {step, rare};
    const int count = argc > 1 ? atoi(argv[1]) : 1000;
    long sum = 0;

    for (int i = 0; i < count; i++) {
        sum += functions[i % 5 == 0](i);
        sum += step(i);
    }
    printf("%ld\n", sum);
    return 0;
}
