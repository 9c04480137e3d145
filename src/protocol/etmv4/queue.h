/* SPDX-License-Identifier: BSD-2-Clause */
/* A growing ring of elements with a bound: the resolution queue and its output. */
#ifndef CAIRN_ETMV4_QUEUE_H
#define CAIRN_ETMV4_QUEUE_H

#include "protocol/etmv4/etmv4.h"

/* One element with its packet. `drop` marks one that a Mispredict or a limit made void. */
struct cairn_etmv4_entry {
    uint64_t offset;
    uint64_t length;
    uint16_t flags;
    uint8_t kind;
    bool drop;
    struct cairn_element_data data;
};

struct cairn_etmv4_queue {
    struct cairn_etmv4_entry *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t first;    /* counts up for ever; the entry is at first & (capacity - 1) */
    size_t end;
};

static inline size_t cairn_etmv4_queue_count(const struct cairn_etmv4_queue *queue)
{
    return queue->end - queue->first;
}

/* The entry at distance `i` from the front; i < count. */
static inline struct cairn_etmv4_entry *cairn_etmv4_queue_at(const struct cairn_etmv4_queue *queue,
                                                             size_t i)
{
    return &queue->entries[(queue->first + i) & (queue->capacity - 1)];
}

/* Makes room for one more and returns it, uninitialised; NULL when memory is short. */
struct cairn_etmv4_entry *cairn_etmv4_queue_push(struct cairn_etmv4_queue *queue);

void cairn_etmv4_queue_free(struct cairn_etmv4_queue *queue);

#endif
