/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/keeper.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)256 << 10) /* the host program's thread variables are in there too */
#define DESCRIPTORS_MOST 65536L

enum state { STARTING, IDLE, ASKED, ENDING, FAILED };

struct cairn_keeper {
    pthread_t thread;
    pthread_mutex_t turn; /* of those who ask */
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    enum state state;
    void (*task)(void *context);
    void *context;
};

/* Copies of descriptors that stay open here would keep pipes from ending. */
static void close_all(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 0u, ~0u, 0u) == 0)
        return;
#endif
    const long limit = sysconf(_SC_OPEN_MAX);
    const long most = limit < 0 || limit > DESCRIPTORS_MOST ? DESCRIPTORS_MOST : limit;
    for (int i = 0; i < most; i++)
        close(i);
}

static bool set_apart(void)
{
    if (unshare(CLONE_FS | CLONE_FILES) != 0)
        return false;
    close_all();
    return true;
}

static void become(struct cairn_keeper *keeper, enum state state)
{
    keeper->state = state;
    pthread_cond_broadcast(&keeper->changed);
}

static void await_change(struct cairn_keeper *keeper, enum state from)
{
    while (keeper->state == from)
        pthread_cond_wait(&keeper->changed, &keeper->lock);
}

static void *serve(void *context)
{
    struct cairn_keeper *keeper = context;

    pthread_mutex_lock(&keeper->lock);
    become(keeper, set_apart() ? IDLE : FAILED);
    while (keeper->state == IDLE || keeper->state == ASKED) {
        if (keeper->state == ASKED) {
            keeper->task(keeper->context);
            become(keeper, IDLE);
        }
        await_change(keeper, IDLE);
    }
    pthread_mutex_unlock(&keeper->lock);
    return NULL;
}

static bool start(struct cairn_keeper *keeper)
{
    sigset_t all, before;
    pthread_attr_t attributes;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool made = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                      pthread_create(&keeper->thread, &attributes, serve, keeper) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!made)
        return false;
    pthread_mutex_lock(&keeper->lock);
    await_change(keeper, STARTING);
    const bool runs = keeper->state == IDLE;
    pthread_mutex_unlock(&keeper->lock);
    if (!runs)
        pthread_join(keeper->thread, NULL);
    return runs;
}

static void release(struct cairn_keeper *keeper)
{
    pthread_cond_destroy(&keeper->changed);
    pthread_mutex_destroy(&keeper->lock);
    pthread_mutex_destroy(&keeper->turn);
    free(keeper);
}

struct cairn_keeper *cairn_keeper_new(void)
{
    struct cairn_keeper *keeper = calloc(1, sizeof *keeper);

    if (!keeper)
        return NULL;
    pthread_mutex_init(&keeper->turn, NULL);
    pthread_mutex_init(&keeper->lock, NULL);
    pthread_cond_init(&keeper->changed, NULL);
    if (start(keeper))
        return keeper;
    release(keeper);
    return NULL;
}

void cairn_keeper_free(struct cairn_keeper *keeper)
{
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    become(keeper, ENDING);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    release(keeper);
}

void cairn_keeper_run(struct cairn_keeper *keeper, void (*task)(void *context), void *context)
{
    if (!keeper) {
        task(context);
        return;
    }
    pthread_mutex_lock(&keeper->turn);
    pthread_mutex_lock(&keeper->lock);
    keeper->task = task;
    keeper->context = context;
    become(keeper, ASKED);
    await_change(keeper, ASKED);
    pthread_mutex_unlock(&keeper->lock);
    pthread_mutex_unlock(&keeper->turn);
}
