/* SPDX-License-Identifier: BSD-2-Clause */
/* A small program to record: calls, a loop, a table of functions, a switch.
 *
 *     aarch64-linux-gnu-gcc -O1 -g -static primes.c -o primes
 *     cairn record -o trace --return-stack -- ./primes
 *     cairn flow --image primes trace | less */
#include <stdio.h>

static int divides(int divisor, int number)
{
    return number % divisor == 0;
}

static int is_prime(int number)
{
    for (int divisor = 2; divisor * divisor <= number; divisor++)
        if (divides(divisor, number))
            return 0;
    return number > 1;
}

static int is_even(int number)
{
    return (number & 1) == 0;
}

int main(void)
{
    int (*const tests[])(int) = {is_prime, is_even};
    int found[2] = {0};

    for (int number = 0; number < 12; number++)
        for (int test = 0; test < 2; test++)
            found[test] += tests[test](number);
    printf("%d primes, %d even\n", found[0], found[1]);
    return 0;
}
