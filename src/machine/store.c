/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Multiples of every page size (4, 16, 64 KiB), so that pieces can be mapped anywhere. */
#define PIECE_LEAST ((size_t)64 << 10)
#define PIECE_MOST ((size_t)4 << 20)

/* Growing a file beyond RLIMIT_FSIZE is a signal that would end the traced program. */
static int check_limit(uint64_t end)
{
    struct rlimit limit;
    if (end > INT64_MAX)
        return EFBIG;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        end > limit.rlim_cur)
        return EFBIG;
    return 0;
}

/* Opens for the time of one call. Signals wait: they would interrupt the reservation. */
static int reserve(const char *path, uint64_t begin, uint64_t size, uint64_t reach,
                   uint8_t **mapped)
{
    sigset_t all, before;
    int number = check_limit(begin + size);
    if (number)
        return number;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        number = errno;
    } else {
        number = posix_fallocate(fd, (off_t)begin, (off_t)size);
        if (!number && mapped) {
            void *at =
                mmap(NULL, (size_t)reach, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)begin);
            if (at == MAP_FAILED)
                number = errno;
            else
                *mapped = at;
        }
        close(fd);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return number;
}

int cairn_store_map(const char *path, uint64_t size, size_t reach, uint8_t **mapped)
{
    return reserve(path, 0, size, reach, mapped);
}

int cairn_store_reserve(const char *path, uint64_t size)
{
    return reserve(path, 0, size, 0, NULL);
}

int cairn_store_make(struct cairn_store *store, char *path)
{
    *store = (struct cairn_store){.path = path, .next = PIECE_LEAST};
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* Maps the piece that has byte `at`. On a disk that is nearly full a small one must do. */
static int map_piece(struct cairn_store *store, uint64_t at)
{
    const uint64_t begin = at - at % PIECE_LEAST;
    int number;
    for (size_t size = store->next;; size /= 2) {
        uint8_t *piece;
        number = reserve(store->path, begin, size, size, &piece);
        if (!number) {
            cairn_store_rest(store);
            store->piece = piece;
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
