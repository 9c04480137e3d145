/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of every kind that C has: recursion, pointers, callbacks of a library, setjmp and longjmp out of
 * several levels and in a recursive function, signals, and a signal's handler that jumps away. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tree.h"

static jmp_buf outer, inner;
static sigjmp_buf from_signal;
static volatile int seen;

static int leaf(int n)
{
    return n * 3 + 1;
}

static int fib(int n)
{
    return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

static int even(int n);
static int odd(int n)
{
    return n == 0 ? 0 : even(n - 1);
}
static int even(int n)
{
    return n == 0 ? 1 : odd(n - 1);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - leaf(*(const int *)b);
}

static void throw_out(int n)
{
    if (n == 0)
        longjmp(outer, 1);
    throw_out(n - 1);
}

/* In the middle one of its levels it comes back to itself. */
static int nested(int n)
{
    if (n == 3) {
        if (setjmp(inner) == 0)
            return nested(n - 1);
        return leaf(n);
    }
    if (n == 0)
        longjmp(inner, 1);
    return nested(n - 1) + 1;
}

static void on_signal(int number)
{
    seen += leaf(number);
}

static void on_signal_away(int number)
{
    leaf(number);
    siglongjmp(from_signal, 1);
}

static int with_signals(void)
{
    signal(SIGUSR1, on_signal);
    signal(SIGUSR2, on_signal_away);
    for (int i = 0; i < 3; i++) {
        raise(SIGUSR1);
        leaf(i);
    }
    if (sigsetjmp(from_signal, 1) == 0)
        raise(SIGUSR2);
    return leaf(7);
}

static int (*const table[])(int) = {leaf, fib, odd};

int main(void)
{
    int numbers[] = {5, 3, 9, 1, 7, 2, 8}, sum = 0;

    sum += fib(7);
    sum += odd(9);
    qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, compare);
    if (setjmp(outer) == 0)
        throw_out(5);
    sum += leaf(2);
    sum += nested(6);
    sum += with_signals();
    for (int i = 0; i < 6; i++)
        sum += table[i % 3](i);
    log_print();
    return sum == 0;
}
