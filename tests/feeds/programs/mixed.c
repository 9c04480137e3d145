/* SPDX-License-Identifier: BSD-2-Clause */
/* A32 and T32 in one program: functions of both kinds call each other, IT blocks and conditional
 * instructions, tables of functions, signals. Built with -marm or -mthumb, that is the other
 * half. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((target("arm"), noinline)) static int in_arm(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i & 4 ? i * 3 : i > 5 ? -i : 1;
    return sum;
}

__attribute__((target("thumb"), noinline)) static int in_thumb(int n)
{
    int sum = 0;
    for (int i = n; i > 0; i--)
        sum += i % 3 == 0 ? in_arm(i) : i & 1 ? i : -i;
    return sum;
}

__attribute__((target("arm"), noinline)) static int recurse(int n)
{
    return n <= 0 ? 1 : in_thumb(n) + recurse(n - 2);
}

static int compare(const void *a, const void *b)
{
    const int left = *(const int *)a, right = *(const int *)b;
    return left < right ? -1 : left > right;
}

static volatile sig_atomic_t seen;
static void handler(int number)
{
    seen += number;
}

int main(void)
{
    int (*const table[])(int) = {in_arm, in_thumb, recurse, abs};
    int values[64];

    signal(SIGUSR1, handler);
    for (int i = 0; i < 64; i++)
        values[i] = table[i & 3](i % 23);
    raise(SIGUSR1);
    qsort(values, 64, sizeof *values, compare);
    char text[64];
    snprintf(text, sizeof text, "%d %d %d %d", values[0], values[31], values[63], (int)seen);
    puts(text);
    return (int)strlen(text);
}
