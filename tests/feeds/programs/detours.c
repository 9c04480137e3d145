/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow that leaves its usual way: handlers that change the address they return to, that jump out of
 * each other, that go on elsewhere with setcontext; coroutines; waiting system calls that a signal
 * ends. Prints how many instructions faulted. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define ROUNDS 10
#define STACK_BYTES 65536
#define FAR 0x2000000 /* from the main stack */

static volatile int *volatile nowhere = (volatile int *)16;
static volatile int faults, depth, ticks;
static sigjmp_buf back;
static ucontext_t again, home, routine[3];

static void set(int number, void (*handler)(int), int flags)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, NULL);
}

/* All that faults on purpose is 4 bytes long. */
static void skip(int number, siginfo_t *info, void *context)
{
    ucontext_t *registers = context;

    (void)number, (void)info;
    faults++;
#ifdef __aarch64__
    registers->uc_mcontext.pc += 4;
#else
    registers->uc_mcontext.arm_pc += 4;
#endif
}

static void change_pc(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = skip;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < ROUNDS; i++)
#if defined(__aarch64__)
        __asm__ volatile("mov x9, #16\n str w9, [x9]\n ldr w9, [x9]\n nop" ::: "x9", "memory");
#elif defined(__thumb__)
        __asm__ volatile("mov r6, #16\n str.w r6, [r6]\n ldr.w r6, [r6]\n nop" ::: "r6", "memory");
#else
        __asm__ volatile("mov r6, #16\n str r6, [r6]\n ldr r6, [r6]\n nop" ::: "r6", "memory");
#endif
#ifdef __aarch64__
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < ROUNDS; i++)
        __asm__ volatile("brk #1");
#endif
}

static void nest(int number)
{
    (void)number;
    if (++depth == 5)
        siglongjmp(back, 1);
    if (depth & 1) {
        raise(SIGUSR1);
    } else {
        faults++;
        *nowhere = 1;
    }
}

static void jump_out(void)
{
    set(SIGUSR1, nest, SA_NODEFER);
    set(SIGSEGV, nest, SA_NODEFER | SA_ONSTACK);
    for (volatile int i = 0; i < ROUNDS; i++) {
        depth = 0;
        if (sigsetjmp(back, 1))
            continue;
        if (i & 1)
            raise(SIGUSR1);
        faults++;
        *nowhere = 2;
    }
}

static void elsewhere(int number)
{
    (void)number;
    setcontext(&again);
}

static void go_elsewhere(void)
{
    volatile int times = 0;

    set(SIGSEGV, elsewhere, SA_NODEFER);
    getcontext(&again);
    if (times++ < ROUNDS) {
        faults++;
        *nowhere = 3;
    }
}

static void take_turns(int number)
{
    for (int i = 0; i < ROUNDS; i++)
        swapcontext(&routine[number], &routine[(number + 1) % 3]);
    swapcontext(&routine[number], &home);
}

static void switch_stacks(void)
{
    for (int i = 0; i < 3; i++) {
        getcontext(&routine[i]);
        routine[i].uc_stack.ss_sp = malloc(STACK_BYTES);
        routine[i].uc_stack.ss_size = STACK_BYTES;
        routine[i].uc_link = &home;
        makecontext(&routine[i], (void (*)(void))take_turns, 1, i);
    }
    swapcontext(&home, &routine[0]);
}

static void tick(int number)
{
    (void)number;
    ticks++;
}

static int wait_in_vain(void)
{
    const struct itimerval every = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}};
    const struct timespec pause = {.tv_nsec = 20000000};
    int pipes[2], interrupted = 0;
    char byte;

    if (pipe(pipes) != 0)
        return 0;
    set(SIGALRM, tick, 0);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        interrupted += read(pipes[0], &byte, 1) < 0 && errno == EINTR;
        interrupted += nanosleep(&pause, NULL) < 0 && errno == EINTR;
    }
    setitimer(ITIMER_REAL, &off, NULL);
    return interrupted;
}

/* Near the address, if that is free. */
static void handle_signals_at(uintptr_t address)
{
    stack_t other = {.ss_size = STACK_BYTES};

    other.ss_sp = mmap((void *)(address & ~(uintptr_t)0xffff), STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&other, NULL);
}

int main(int argc, char **argv)
{
    const uintptr_t here = (uintptr_t)&argc;

    handle_signals_at(here - FAR);
    change_pc();
    handle_signals_at(here + FAR);
    change_pc();
    jump_out();
    go_elsewhere();
    switch_stacks();
    if (argc > 1 && !strcmp(argv[1], "wait") && wait_in_vain() != 2 * ROUNDS)
        return 1;
    printf("%d\n", faults);
    return 0;
}
