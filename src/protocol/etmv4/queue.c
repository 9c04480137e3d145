/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv4/queue.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

static bool grow(struct cairn_etmv4_queue *queue)
{
    const size_t count = cairn_etmv4_queue_count(queue);
    const size_t capacity = queue->capacity ? 2 * queue->capacity : FIRST_CAPACITY;
    struct cairn_etmv4_entry *entries = malloc(capacity * sizeof *entries);

    if (!entries)
        return false;
    for (size_t i = 0; i < count; i++)
        entries[i] = *cairn_etmv4_queue_at(queue, i);
    free(queue->entries);
    queue->entries = entries;
    queue->capacity = capacity;
    queue->first = 0;
    queue->end = count;
    return true;
}

struct cairn_etmv4_entry *cairn_etmv4_queue_push(struct cairn_etmv4_queue *queue)
{
    if (cairn_etmv4_queue_count(queue) == queue->capacity && !grow(queue))
        return NULL;
    return &queue->entries[queue->end++ & (queue->capacity - 1)];
}

void cairn_etmv4_queue_free(struct cairn_etmv4_queue *queue)
{
    free(queue->entries);
    queue->entries = NULL;
    queue->capacity = 0;
    queue->first = 0;
    queue->end = 0;
}
