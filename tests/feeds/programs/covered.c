/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines, branches, decisions and functions that run often, once, in part and never. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned total;

static int tree(int a, int b, int c)
{
    if (a && b && c)
        return 1;
    return 0;
}

static int join(int a, int b, int c)
{
    if ((a && b) || c)
        return 1;
    return 0;
}

static int one_way(int a, int b)
{
    if (a || b)
        return 1;
    return 0;
}

static unsigned choose(unsigned value)
{
    switch (value % 7) {
    case 0: return 3;
    case 1: return value + 1;
    case 2: return value * 3;
    case 3: return value ^ 5;
    case 9: return 77;
    default: break;
    }
    return value % 3 ? value : 2;
}

static void never_called(int value)
{
    printf("never %d\n", value);
}

static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static inline __attribute__((always_inline)) unsigned mix(unsigned a, unsigned b)
{
    unsigned made = a * 31;

    if (b & 1)
        made += b;
    return made;
}

int main(int argc, char **argv)
{
    const unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10;
    unsigned i;

    for (i = 0; i < count; i++) {
        total += choose(i);
        if (i == 5)
            total += fibonacci(9);
        total += mix(i, total);
        total += mix(total, i) + mix(i, i);
    }
    total += (unsigned)(tree(1, 1, 1) + tree(0, 1, 1) + tree(1, 0, 1) + tree(1, 1, 0));
    total += (unsigned)(join(1, 1, 0) + join(0, 1, 0) + join(1, 0, 1) + join(1, 0, 0));
    total += (unsigned)one_way(0, 0);
    do
        i -= 2;
    while (i > 3);
    while (i < 100)
        i += 7;
    if (count > 100000)
        never_called(3);
    printf("%u\n", total);
    return 0;
}
