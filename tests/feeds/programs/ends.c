/* SPDX-License-Identifier: BSD-2-Clause */
/* How threads and processes end: short N (threads one after the other), cancel (while they wait,
 * look or compute), main (before its threads), signals (threads hit while they compute). */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 4

static volatile unsigned sum;
static atomic_bool stop;
static atomic_int hits;

static void work(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        sum = sum * 3 + i;
}

static void *briefly(void *argument)
{
    work((unsigned)(uintptr_t)argument);
    return NULL;
}

static void clean(void *argument)
{
    work((unsigned)(uintptr_t)argument);
}

static void *looks(void *argument)
{
    pthread_cleanup_push(clean, (void *)9);
    for (;;) {
        work(100);
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
    return argument;
}

static void *computes(void *argument)
{
    pthread_cleanup_push(clean, (void *)3);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        work(100);
    pthread_cleanup_pop(0);
    return argument;
}

static void *waits(void *argument)
{
    for (;;)
        sleep(100);
    return argument;
}

static void *leaves(void *argument)
{
    usleep(20000);
    work(1000);
    pthread_exit(argument);
}

static void hit(int number)
{
    work((unsigned)number);
    hits++;
}

static void hit_with_info(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    hit(number);
}

static void *until_stopped(void *argument)
{
    while (!stop)
        work(37);
    return argument;
}

static void one_after_another(int count)
{
    pthread_t thread;

    for (int i = 0; i < count; i++) {
        if (pthread_create(&thread, NULL, briefly, (void *)(uintptr_t)(i % 50)) != 0)
            exit(1);
        pthread_join(thread, NULL);
    }
}

static void cancel(void)
{
    void *(*const entries[THREADS])(void *) = {looks, computes, waits, leaves};
    pthread_t threads[THREADS];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, entries[i], NULL);
        usleep(3000);
        for (int i = 0; i < THREADS - 1; i++)
            pthread_cancel(threads[i]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
}

static void signal_threads(void)
{
    pthread_t threads[THREADS];
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = hit;
    sigaction(SIGUSR1, &action, NULL);
    action.sa_sigaction = hit_with_info;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &action, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, until_stopped, NULL);
    for (int i = 0; i < 200; i++) {
        pthread_kill(threads[i % THREADS], i & 1 ? SIGUSR1 : SIGUSR2);
        if (i % 16 == 0)
            usleep(200);
    }
    usleep(2000);
    stop = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (hits == 0)
        exit(1);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t thread;

    if (!strcmp(how, "short"))
        one_after_another(atoi(argv[2]));
    else if (!strcmp(how, "cancel"))
        cancel();
    else if (!strcmp(how, "signals"))
        signal_threads();
    if (strcmp(how, "main") != 0)
        return 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, leaves, NULL);
    pthread_exit(NULL);
}
