/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow_hash.h"

/* What these say of a range, they say of its first instruction. */
#define FIRST (CAIRN_FLOW_INFERRED | CAIRN_FLOW_DISCONTINUITY)
/* Behind a range with one of these another one begins. */
#define LAST (CAIRN_FLOW_P0 | CAIRN_FLOW_IMPRECISE)

static void mix(struct cairn_flow_hash *hash, uint64_t value)
{
    hash->value = (hash->value ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash->value ^= hash->value >> 29;
}

/* Consecutive instructions are known by the first one, the end, and how many they are: the image
 * does the rest. */
static void close_range(struct cairn_flow_hash *hash)
{
    if (!hash->open)
        return;
    hash->open = false;
    mix(hash, (uint64_t)hash->flags << 16 | (uint64_t)hash->isa << 8 | CAIRN_FLOW_RANGE);
    mix(hash, hash->address);
    mix(hash, hash->end);
    mix(hash, hash->count);
}

static bool goes_on(const struct cairn_flow_hash *hash, const struct cairn_flow_batch *batch,
                    size_t i)
{
    const unsigned changed = (unsigned)hash->flags ^ batch->flags[i];

    return hash->open && !(hash->flags & LAST) && !(batch->flags[i] & FIRST) &&
           !(changed & CAIRN_FLOW_TRANSACTION) && hash->isa == batch->isa[i] &&
           hash->end == batch->address[i];
}

static void add_range(struct cairn_flow_hash *hash, const struct cairn_flow_batch *batch, size_t i)
{
    if (!goes_on(hash, batch, i)) {
        close_range(hash);
        hash->open = true;
        hash->isa = batch->isa[i];
        hash->flags = 0;
        hash->address = batch->address[i];
        hash->count = 0;
    }
    hash->flags |= batch->flags[i];
    hash->end = batch->value[i];
    hash->count += batch->instructions[i];
    hash->instructions += batch->instructions[i];
}

static void add_event(struct cairn_flow_hash *hash, const struct cairn_flow_batch *batch, size_t i)
{
    close_range(hash);
    hash->events++;
    mix(hash, (uint64_t)batch->instructions[i] << 32 | (uint64_t)batch->flags[i] << 16 |
                  (uint64_t)batch->isa[i] << 8 | batch->kind[i]);
    mix(hash, batch->length[i]);
    mix(hash, batch->address[i]);
    mix(hash, batch->value[i]);
}

void cairn_flow_hash_add(struct cairn_flow_hash *hash, const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            add_range(hash, batch, i);
        else
            add_event(hash, batch, i);
    }
}

uint64_t cairn_flow_hash_end(struct cairn_flow_hash *hash)
{
    close_range(hash);
    return hash->value;
}
