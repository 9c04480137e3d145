/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of every kind: from a call, from a timer, from a fault (left with siglongjmp, or repaired
 * and returned from), from an undefined instruction, nested, on another stack. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t seen[65], ticks;
static sigjmp_buf back;
static char *page;

static void count(int number)
{
    seen[number]++;
}

static void nested(int number)
{
    seen[number]++;
    raise(SIGUSR2);
    seen[number]++;
}

static void jump(int number)
{
    seen[number]++;
    siglongjmp(back, 1);
}

static void repair(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    seen[number]++;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void tick(int number)
{
    (void)number;
    ticks++;
}

static void set(int number, void (*handler)(int), int flags)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
    const int timer = argc > 1 && !strcmp(argv[1], "timer");
    stack_t other = {.ss_size = 65536};
    struct sigaction action;
    volatile unsigned sum = 0;

    other.ss_sp = malloc(other.ss_size);
    sigaltstack(&other, NULL);
    set(SIGUSR1, nested, 0);
    set(SIGUSR2, count, SA_ONSTACK);
    for (int i = 0; i < 3; i++)
        raise(SIGUSR1);

    set(SIGSEGV, jump, 0);
    for (int i = 0; i < 3; i++)
        if (!sigsetjmp(back, 1))
            *(volatile int *)(long)(16 * i + 8) = i;

    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = repair;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 3; i++) {
        page[8 * i] = (char)i;
        sum += (unsigned)page[8 * i];
        mprotect(page, 4096, PROT_NONE);
    }

    set(SIGILL, jump, SA_NODEFER);
    if (!sigsetjmp(back, 1))
        __asm__ volatile(".inst 0"); /* udf */

    if (timer) {
        const struct itimerval every = {{0, 500}, {0, 500}};
        set(SIGALRM, tick, SA_RESTART);
        setitimer(ITIMER_REAL, &every, NULL);
        while (ticks < 20)
            for (unsigned i = 0; i < 1000; i++)
                sum = sum * 3 + i;
        const struct itimerval off = {0};
        setitimer(ITIMER_REAL, &off, NULL);
    }
    printf("%d %d %d %d\n", (int)seen[SIGUSR1], (int)seen[SIGUSR2], (int)seen[SIGSEGV],
           (int)(seen[SIGILL] + seen[SIGTRAP]));
    return 0;
}
