/* SPDX-License-Identifier: BSD-2-Clause */
/* T32: IT blocks that fault inside, skip what would fault, branch at their end. Prints how many
 * instructions faulted. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static sigjmp_buf back;
static volatile int faults;
static volatile unsigned cell;

static void leave(int number)
{
    (void)number;
    faults++;
    siglongjmp(back, 1);
}

static void repair(int number, siginfo_t *info, void *context)
{
    ucontext_t *registers = context;

    (void)number, (void)info;
    faults++;
    registers->uc_mcontext.arm_r4 = (uintptr_t)&cell;
}

static __attribute__((noinline)) void third_faults(int condition)
{
    register int value __asm__("r5") = condition;
    register uintptr_t address __asm__("r4") = 8;

    __asm__ volatile("cmp r5, #1\n ittet eq\n addeq r6, r5, #1\n addeq r6, r6, #1\n"
                     "movne r6, #3\n ldreq r6, [r4]\n add r6, r6, #1"
                     : "+r"(value), "+r"(address)::"r6", "cc", "memory");
}

static __attribute__((noinline)) void either_faults(int condition)
{
    register int value __asm__("r5") = condition;
    register uintptr_t address __asm__("r4") = 8;

    __asm__ volatile("cmp r5, #0\n ite eq\n ldreq r6, [r4]\n strne r5, [r4]\n add r6, r6, #1"
                     : "+r"(value), "+r"(address)::"r6", "cc", "memory");
}

static __attribute__((noinline)) void last_branches(int condition)
{
    __asm__ volatile("movs r6, %0\n cmp r6, #2\n itt eq\n addeq r6, r6, #1\n beq 1f\n"
                     "add r6, r6, #1\n1: cbz r6, 2f\n nop\n2: nop" ::"r"(condition)
                     : "r6", "cc");
}

int main(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = leave;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 8; i++)
        if (!sigsetjmp(back, 1))
            third_faults(i & 3);

    action.sa_sigaction = repair;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 8; i++)
        either_faults(i & 1);
    for (int i = 0; i < 4; i++)
        last_branches(i);
    printf("%d\n", faults);
    return 0;
}
