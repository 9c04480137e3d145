/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that take turns. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, STEPS = 6000, A_TURN = 500 };
static volatile unsigned high[THREADS];

__attribute__((noinline)) static uint32_t step(uint32_t x)
{
    return x * UINT32_C(1103515245) + 12345;
}

static void *run(void *number)
{
    uint32_t x = (uint32_t)(uintptr_t)number;
    volatile unsigned *count = &high[x];

    for (int i = 0; i < STEPS; i++) {
        x = step(x);
        if (x & 0x40000)
            ++*count;
        if (i % A_TURN == 0)
            sched_yield();
    }
    return (void *)(uintptr_t)x;
}

int main(void)
{
    pthread_t threads[THREADS];
    uint32_t sum = 0;

    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;

        pthread_join(threads[i], &result);
        sum += (uint32_t)(uintptr_t)result;
    }
    printf("%u\n", (unsigned)sum);
    return 0;
}
