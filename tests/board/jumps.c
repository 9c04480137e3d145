/* SPDX-License-Identifier: BSD-2-Clause */
/* What leaves its way: signals, faults that a handler does not return from, pages that come when they are touched. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { NUMBERS = 2000, FAULTS = 3, PAGES = 64, A_PAGE = 4096 };
static sigjmp_buf back;
static volatile int ticks;

static void tick(int number)
{
    (void)number;
    ticks++;
}

static void fault(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void set_timer(int microseconds)
{
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(void)
{
    static int numbers[NUMBERS];
    volatile int *nowhere = NULL;
    char *pages;

    signal(SIGALRM, tick);
    signal(SIGSEGV, fault);
    set_timer(1000);
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = i * 7919 % 2003;
    qsort(numbers, NUMBERS, sizeof *numbers, order);
    for (int i = 0; i < FAULTS; i++)
        if (sigsetjmp(back, 1) == 0)
            nowhere[2] = 1;
    pages = mmap(NULL, PAGES * A_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < PAGES; i++)
        pages[i * A_PAGE] = 1;
    printf("%d %d\n", fibonacci(17), numbers[77]);
    set_timer(0);
    return 0;
}
