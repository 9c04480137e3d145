/* SPDX-License-Identifier: BSD-2-Clause */
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 1024,
    FIRST_SLOTS = 256,
    FIRST_HASHES = 1024,
};

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / the golden ratio */

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * GOLDEN;
    return hash ^ hash >> 29;
}

/* --- edges --- */

static bool same_edge(const struct engine_edge *a, const struct engine_edge *b)
{
    return a->address == b->address && a->end == b->end && a->instructions == b->instructions &&
           a->isa == b->isa && a->outcome == b->outcome;
}

/* The edge's slot, or the free one where it belongs. */
static struct engine_edge *slot_of(struct engine_edge *slots, size_t capacity,
                                   const struct engine_edge *edge)
{
    uint64_t hash = mixed(edge->address, edge->end);

    hash =
        mixed(hash, (uint64_t)edge->instructions << 16 | (uint64_t)edge->isa << 8 | edge->outcome);
    for (size_t at = (size_t)hash & (capacity - 1);; at = (at + 1) & (capacity - 1))
        if (slots[at].count == 0 || same_edge(&slots[at], edge))
            return &slots[at];
}

static bool make_room(struct engine_edges *edges)
{
    const size_t capacity = edges->capacity ? edges->capacity * 2 : FIRST_SLOTS;
    struct engine_edge *slots;

    if (edges->used * 2 < edges->capacity)
        return true;
    slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < edges->capacity; i++)
        if (edges->slots[i].count > 0)
            *slot_of(slots, capacity, &edges->slots[i]) = edges->slots[i];
    free(edges->slots);
    edges->slots = slots;
    edges->capacity = capacity;
    return true;
}

bool engine_edges_add(struct engine_edges *edges, const struct engine_edge *edge, uint64_t count)
{
    struct engine_edge *slot;

    if (count == 0)
        return true;
    if (!make_room(edges))
        return false;
    slot = slot_of(edges->slots, edges->capacity, edge);
    if (slot->count == 0) {
        *slot = *edge;
        slot->count = 0;
        edges->used++;
    }
    slot->count += count;
    edges->instructions += count * edge->instructions;
    return true;
}

uint64_t engine_edges_get(const struct engine_edges *edges, const struct engine_edge *edge)
{
    return edges->capacity ? slot_of(edges->slots, edges->capacity, edge)->count : 0;
}

void engine_edges_free(struct engine_edges *edges)
{
    free(edges->slots);
}

/* --- records --- */

struct engine_record engine_record_of(const struct cairn_flow_batch *batch, size_t i)
{
    return (struct engine_record){.kind = batch->kind[i],
                                  .isa = batch->isa[i],
                                  .flags = batch->flags[i],
                                  .instructions = batch->instructions[i],
                                  .offset = batch->offset[i],
                                  .length = batch->length[i],
                                  .address = batch->address[i],
                                  .value = batch->value[i]};
}

uint64_t engine_record_hash(const struct engine_record *r)
{
    uint64_t hash = mixed(r->kind, (uint64_t)r->flags << 8 | r->isa);

    hash = mixed(hash, r->instructions);
    hash = mixed(hash, r->offset);
    hash = mixed(hash, r->length);
    hash = mixed(hash, r->address);
    return mixed(hash, r->value);
}

void engine_record_print(FILE *to, const char *who, const struct engine_record *r)
{
    fprintf(to,
            "# %s: %s isa %u flags %#x instructions %" PRIu32 " offset %" PRIu64 " length %" PRIu64
            " address %#" PRIx64 " value %#" PRIx64 "\n",
            who, cairn_flow_kind_name(r->kind), r->isa, r->flags, r->instructions, r->offset,
            r->length, r->address, r->value);
}

bool engine_record_is_event(const struct engine_record *record)
{
    if (record->kind == CAIRN_FLOW_RANGE || record->kind == CAIRN_FLOW_EXCEPTION_RETURN ||
        record->kind == CAIRN_FLOW_DATA)
        return false;
    return record->kind != CAIRN_FLOW_WARNING ||
           (record->value != CAIRN_WARNING_UNDEFINED && record->value != CAIRN_WARNING_RESERVED_N);
}

struct engine_edge engine_record_edge(const struct engine_record *record)
{
    return (struct engine_edge){.address = record->address,
                                .end = record->value,
                                .instructions = record->instructions,
                                .isa = record->isa,
                                .outcome = !(record->flags & CAIRN_FLOW_P0)   ? 0
                                           : record->flags & CAIRN_FLOW_TAKEN ? 2
                                                                              : 1};
}

/* --- the reference path --- */

static bool add_hash(struct engine_hashes *hashes, uint64_t hash)
{
    if (hashes->count == hashes->capacity) {
        const size_t capacity = hashes->capacity ? hashes->capacity * 2 : FIRST_HASHES;
        uint64_t *at = realloc(hashes->at, capacity * sizeof *at);

        if (!at)
            return false;
        hashes->at = at;
        hashes->capacity = capacity;
    }
    hashes->at[hashes->count++] = hash;
    return true;
}

static bool keep(struct engine_reference *reference, const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct engine_record record = engine_record_of(batch, i);
        const struct engine_edge edge = engine_record_edge(&record);
        const uint64_t hash = engine_record_hash(&record);

        if (!add_hash(&reference->records, hash))
            return false;
        if (engine_record_is_event(&record) && !add_hash(&reference->events, hash))
            return false;
        if (record.kind == CAIRN_FLOW_RANGE && !engine_edges_add(&reference->edges, &edge, 1))
            return false;
    }
    return true;
}

/* The next records of the whole trace; none: it has ended, or something failed. */
static void next(struct cairn_decoder *decoder, const struct engine_case *input, size_t *at,
                 struct cairn_flow_batch *batch)
{
    batch->count = 0;
    while (*at < input->size && batch->count == 0)
        if (cairn_decoder_run(decoder, input->data, input->size, at, batch) != CAIRN_OK)
            return;
    if (batch->count == 0 && cairn_decoder_finish(decoder, batch) != CAIRN_OK)
        batch->count = 0;
}

struct engine_reference *engine_reference_new(const struct engine_case *input)
{
    static _Thread_local struct cairn_flow_batch *batch; /* for the next one as well */
    struct engine_reference *reference = calloc(1, sizeof *reference);
    struct cairn_decoder *decoder = NULL;
    size_t at = 0;
    bool good = reference && cairn_decoder_new(input->config, input->image, &decoder) == CAIRN_OK &&
                (batch || cairn_flow_batch_new(BATCH, &batch) == CAIRN_OK);

    while (good) {
        next(decoder, input, &at, batch);
        if (batch->count == 0)
            break;
        good = keep(reference, batch);
    }
    if (good)
        reference->ledger = *cairn_decoder_ledger(decoder);
    cairn_decoder_free(decoder);
    if (good)
        return reference;
    engine_reference_free(reference);
    return NULL;
}

void engine_reference_free(struct engine_reference *reference)
{
    if (!reference)
        return;
    free(reference->records.at);
    free(reference->events.at);
    engine_edges_free(&reference->edges);
    free(reference);
}

bool engine_reference_find(const struct engine_case *input, size_t index, bool among_events,
                           struct engine_record *record)
{
    struct cairn_decoder *decoder = NULL;
    struct cairn_flow_batch *batch = NULL;
    size_t at = 0;
    bool found = false;

    if (cairn_decoder_new(input->config, input->image, &decoder) == CAIRN_OK &&
        cairn_flow_batch_new(BATCH, &batch) == CAIRN_OK) {
        do {
            next(decoder, input, &at, batch);
            for (size_t i = 0; i < batch->count && !found; i++) {
                *record = engine_record_of(batch, i);
                if (among_events && !engine_record_is_event(record))
                    continue;
                found = index-- == 0;
            }
        } while (batch->count > 0 && !found);
    }
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    return found;
}
