/* SPDX-License-Identifier: BSD-2-Clause */
/* What the reference path makes of a trace, kept small: a hash of each record, and counts. */
#ifndef CAIRN_TESTS_ENGINE_REFERENCE_H
#define CAIRN_TESTS_ENGINE_REFERENCE_H

#include <stdio.h>

#include <cairn/engine.h>

/* A trace, and what it is decoded with. */
struct engine_case {
    struct cairn_config *config;
    struct cairn_image *image;
    const uint8_t *data;
    size_t size;
};

/* How often a range was executed, by what it is. */
struct engine_edge {
    uint64_t address;
    uint64_t end;
    uint32_t instructions;
    uint8_t isa;
    uint8_t outcome; /* 0: none, 1: N, 2: E */
    uint64_t count;  /* 0: the slot is free */
};

struct engine_edges {
    struct engine_edge *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t used;
    uint64_t instructions; /* sum over all */
};

bool engine_edges_add(struct engine_edges *edges, const struct engine_edge *edge, uint64_t count);
uint64_t engine_edges_get(const struct engine_edges *edges, const struct engine_edge *edge);
void engine_edges_free(struct engine_edges *edges);

struct engine_hashes {
    uint64_t *at;
    size_t count;
    size_t capacity;
};

struct engine_reference {
    struct engine_hashes records;
    struct engine_hashes events; /* the records that do not come from executed instructions */
    struct engine_edges edges;
    struct cairn_ledger ledger;
};

/* NULL when there is no memory. */
struct engine_reference *engine_reference_new(const struct engine_case *input);
void engine_reference_free(struct engine_reference *reference);

/* One record, out of any batch. */
struct engine_record {
    uint8_t kind;
    uint8_t isa;
    uint16_t flags;
    uint32_t instructions;
    uint64_t offset;
    uint64_t length;
    uint64_t address;
    uint64_t value;
};

struct engine_record engine_record_of(const struct cairn_flow_batch *batch, size_t i);
uint64_t engine_record_hash(const struct engine_record *record);
void engine_record_print(FILE *to, const char *who, const struct engine_record *record);

/* False for what a block tells: ranges, exception returns, and warnings of instructions. */
bool engine_record_is_event(const struct engine_record *record);

/* What a RANGE record counts for. */
struct engine_edge engine_record_edge(const struct engine_record *record);

/* Record `index` of the reference, decoded once more. False: there are not so many. */
bool engine_reference_find(const struct engine_case *input, size_t index, bool among_events,
                           struct engine_record *record);

#endif
