/* SPDX-License-Identifier: BSD-2-Clause */
/* N threads (argument 1) that share a counter by atomics and a mutex, several rounds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int shared;
static int guarded;

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void *work(void *number)
{
    for (int i = 0; i < 20; i++) {
        atomic_fetch_add(&shared, 1);
        pthread_mutex_lock(&lock);
        guarded += fibonacci(5 + (int)(long)number % 5);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 4;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);

    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(long)i))
            return 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", shared, guarded);
    return 0;
}
