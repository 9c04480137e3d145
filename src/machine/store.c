/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine/keeper.h"

/* Multiples of every page size (4, 16, 64 KiB), so that pieces can be mapped anywhere. */
#define PIECE_LEAST ((size_t)64 << 10)
#define PIECE_MOST ((size_t)4 << 20)

/* What is done to a file in one go, by the keeper if there is one. */
struct job {
    const char *path;
    uint64_t begin, size; /* to be reserved */
    size_t reach;         /* to be mapped from `begin` on; 0: nothing */
    uint8_t *mapped;
    int number; /* 0, or what errno was */
};

/* Growing a file beyond the soft RLIMIT_FSIZE is a signal that would end the traced program. The
 * limit is the program's: ours is the hard one. *before is what it was, if it has to be raised. */
static int raise_limit(uint64_t end, struct rlimit *before, bool *raised)
{
    *raised = false;
    if (end > INT64_MAX)
        return EFBIG;
    if (getrlimit(RLIMIT_FSIZE, before) != 0 || before->rlim_cur == RLIM_INFINITY ||
        end <= before->rlim_cur)
        return 0;
    const struct rlimit higher = {.rlim_cur = before->rlim_max, .rlim_max = before->rlim_max};
    if ((higher.rlim_cur != RLIM_INFINITY && end > higher.rlim_cur) ||
        setrlimit(RLIMIT_FSIZE, &higher) != 0)
        return EFBIG;
    *raised = true;
    return 0;
}

static void reserve_open(struct job *job, int fd)
{
    struct rlimit before;
    bool raised;

    job->number = raise_limit(job->begin + job->size, &before, &raised);
    if (job->number)
        return;
    job->number = posix_fallocate(fd, (off_t)job->begin, (off_t)job->size);
    if (raised)
        (void)setrlimit(RLIMIT_FSIZE, &before);
    if (job->number || !job->reach)
        return;
    void *at = mmap(NULL, job->reach, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)job->begin);
    if (at == MAP_FAILED)
        job->number = errno;
    else
        job->mapped = at;
}

static void reserve_task(void *context)
{
    struct job *job = context;
    const int fd = open(job->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0) {
        job->number = errno;
        return;
    }
    reserve_open(job, fd);
    close(fd);
}

static void make_task(void *context)
{
    struct job *job = context;
    const int fd = open(job->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);

    job->number = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
}

/* Signals wait: they would interrupt the reservation. */
static int reserve(struct cairn_keeper *keeper, struct job *job)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    cairn_keeper_run(keeper, reserve_task, job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return job->number;
}

int cairn_store_map(struct cairn_keeper *keeper, const char *path, uint64_t size, size_t reach,
                    uint8_t **mapped)
{
    struct job job = {.path = path, .size = size, .reach = reach};
    const int number = reserve(keeper, &job);

    if (!number)
        *mapped = job.mapped;
    return number;
}

int cairn_store_reserve(struct cairn_keeper *keeper, const char *path, uint64_t size)
{
    struct job job = {.path = path, .size = size};

    return reserve(keeper, &job);
}

int cairn_store_make(struct cairn_store *store, struct cairn_keeper *keeper, char *path)
{
    struct job job = {.path = path};

    *store = (struct cairn_store){.path = path, .next = PIECE_LEAST, .keeper = keeper};
    cairn_keeper_run(keeper, make_task, &job);
    return job.number;
}

/* Maps the piece that has byte `at`. On a disk that is nearly full a small one must do. */
static int map_piece(struct cairn_store *store, uint64_t at)
{
    const uint64_t begin = at - at % PIECE_LEAST;
    int number;
    for (size_t size = store->next;; size /= 2) {
        struct job job = {.path = store->path, .begin = begin, .size = size, .reach = size};
        number = reserve(store->keeper, &job);
        if (!number) {
            cairn_store_rest(store);
            store->piece = job.mapped;
            store->begin = begin;
            store->size = size;
            if (store->next < PIECE_MOST)
                store->next *= 2;
            return 0;
        }
        if (size == PIECE_LEAST)
            return number;
    }
}

int cairn_store_append(struct cairn_store *store, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    uint64_t at = store->used;
    while (size) {
        if (!store->piece || at < store->begin || at - store->begin >= store->size) {
            const int number = map_piece(store, at);
            if (number)
                return number;
        }
        const size_t place = (size_t)(at - store->begin);
        const size_t part = size < store->size - place ? size : store->size - place;
        memcpy(store->piece + place, from, part);
        from += part;
        at += part;
        size -= part;
    }
    store->used = at;
    return 0;
}

void cairn_store_rest(struct cairn_store *store)
{
    if (store->piece)
        munmap(store->piece, store->size);
    store->piece = NULL;
}

void cairn_store_detach(struct cairn_store *store)
{
    if (store->piece && mmap(store->piece, store->size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        cairn_store_rest(store);
}

void cairn_store_free(struct cairn_store *store)
{
    cairn_store_rest(store);
    free(store->path);
    *store = (struct cairn_store){0};
}
