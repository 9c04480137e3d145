/* SPDX-License-Identifier: BSD-2-Clause */
/* Branches that nobody can foretell, some ten thousands of them: each number's way to 1, halved where it is
 * even, and three times it and one where it is odd. */
#include <stdio.h>

static __attribute__((noinline)) unsigned step(unsigned number)
{
    if (number % 2)
        return 3 * number + 1;
    return number / 2;
}

int main(void)
{
    unsigned steps = 0;

    for (unsigned first = 1; first < 300; first++)
        for (unsigned number = first; number != 1; number = step(number))
            steps++;
    printf("%u\n", steps);
    return 0;
}
