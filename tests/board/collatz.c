/* SPDX-License-Identifier: BSD-2-Clause */
/* Branches that go by numbers, calls, and what its C library does before and behind. */
#include <stdio.h>

__attribute__((noinline)) static int next(int x)
{
    return x & 1 ? 3 * x + 1 : x / 2;
}

int main(void)
{
    unsigned sum = 0;

    for (int i = 1; i < 300; i++)
        for (int x = i; x != 1; x = next(x))
            sum += (unsigned)x;
    printf("%u\n", sum);
    return 0;
}
