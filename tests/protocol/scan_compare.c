/* SPDX-License-Identifier: BSD-2-Clause */
#include "readers_compare.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PACKETS = 512, ELEMENTS = 512, UNEVEN_MAX = 600 };

#define STATUSES (CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E)

static struct scan_element *more(struct scan_elements *elements)
{
    if (elements->count == elements->capacity) {
        elements->capacity = elements->capacity ? 2 * elements->capacity : 4096;
        elements->list = realloc(elements->list, elements->capacity * sizeof *elements->list);
        assert_non_null(elements->list);
    }
    return &elements->list[elements->count++];
}

void scan_elements_empty(struct scan_elements *elements)
{
    *elements = (struct scan_elements){.list = elements->list, .capacity = elements->capacity};
}

void scan_elements_free(struct scan_elements *elements)
{
    free(elements->list);
    *elements = (struct scan_elements){0};
}

/* --- the levels --- */

struct levels {
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_packet_batch *packet_batch;
    struct cairn_element_batch *raw;
    struct cairn_element_batch *resolved;
    struct scan_elements *out;
};

static size_t keep_resolved(struct levels *l)
{
    const size_t count = l->resolved->count;

    for (size_t i = 0; i < count; i++) {
        struct scan_element *element = more(l->out);

        element->offset = l->resolved->offset[i];
        element->length = l->resolved->length[i];
        element->flags = l->resolved->flags[i];
        element->kind = l->resolved->kind[i];
        element->data = l->resolved->data[i];
    }
    l->resolved->count = 0;
    return count;
}

static void pass_packets(struct levels *l)
{
    struct cairn_scan_ledger *ledger = &l->out->ledger;
    size_t at = 0;

    for (size_t i = 0; i < l->packet_batch->count; i++) {
        ledger->total += l->packet_batch->length[i];
        ledger->account[l->packet_batch->account[i]].bytes += l->packet_batch->length[i];
        ledger->account[l->packet_batch->account[i]].packets++;
    }
    do {
        size_t raw_at = 0;

        l->raw->count = 0;
        assert_int_equal(cairn_elements_run(l->elements, l->packet_batch, &at, l->raw), CAIRN_OK);
        do
            assert_int_equal(cairn_resolver_run(l->resolver, l->raw, &raw_at, l->resolved),
                             CAIRN_OK);
        while (keep_resolved(l) > 0 || raw_at < l->raw->count);
    } while (l->raw->count > 0 || at < l->packet_batch->count);
    l->packet_batch->count = 0;
}

void scan_reference(struct cairn_config *config, const uint8_t *bytes, size_t size,
                    struct scan_elements *elements)
{
    struct levels l = {.out = elements};
    size_t position = 0;
    size_t given;

    assert_int_equal(cairn_packets_new(config, &l.packets), CAIRN_OK);
    assert_int_equal(cairn_elements_new(config, &l.elements), CAIRN_OK);
    assert_int_equal(cairn_resolver_new(config, &l.resolver), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(PACKETS, &l.packet_batch), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(ELEMENTS, &l.raw), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(ELEMENTS, &l.resolved), CAIRN_OK);
    cairn_elements_shorten(l.elements);
    do {
        assert_int_equal(cairn_packets_run(l.packets, bytes, size, &position, l.packet_batch),
                         CAIRN_OK);
        given = l.packet_batch->count;
        pass_packets(&l);
    } while (given > 0);
    do {
        assert_int_equal(cairn_packets_finish(l.packets, l.packet_batch), CAIRN_OK);
        given = l.packet_batch->count;
        pass_packets(&l);
    } while (given > 0);
    do
        assert_int_equal(cairn_resolver_finish(l.resolver, l.resolved), CAIRN_OK);
    while (keep_resolved(&l) > 0);
    cairn_packets_free(l.packets);
    cairn_elements_free(l.elements);
    cairn_resolver_free(l.resolver);
    cairn_packet_batch_free(l.packet_batch);
    cairn_element_batch_free(l.raw);
    cairn_element_batch_free(l.resolved);
}

/* --- the scan --- */

static void expand_atoms(const struct cairn_scan_batch *batch, const struct cairn_token *token,
                         struct scan_elements *out)
{
    assert_true(token->count >= 1 && token->count <= CAIRN_TOKEN_ATOMS);
    assert_int_equal((uint32_t)token->value >> token->count, 0);
    if (cairn_token_apart(token) != 0) {
        assert_true(token->count <= CAIRN_TOKEN_RUN);
        assert_int_equal(token->flags, 0);
        out->runs += token->count > 1;
    }
    if (token->flags & CAIRN_TOKEN_ODD) {
        assert_int_equal(token->count, 1);
        assert_int_equal(token->value, token->flags & CAIRN_ELEMENT_E);
    } else {
        assert_int_equal(token->flags & STATUSES, 0);
    }
    for (unsigned i = 0; i < token->count; i++) {
        struct scan_element *element = more(out);

        *element = (struct scan_element){.offset = token->offset + cairn_token_apart(token) * i,
                                         .length = token->length,
                                         .kind = token->kind,
                                         .flags = token->flags & (uint16_t)~CAIRN_TOKEN_ODD,
                                         .data = cairn_token_data(batch, token)};
        if (!(token->flags & CAIRN_TOKEN_ODD) && ((token->value >> i) & 1))
            element->flags |= STATUSES;
    }
}

static size_t expand(struct cairn_scan_batch *batch, struct scan_elements *out)
{
    const size_t count = batch->count;

    assert_true(batch->count <= batch->capacity && batch->data_count <= batch->data_capacity);
    for (size_t i = 0; i < count; i++) {
        const struct cairn_token *token = &batch->token[i];

        assert_true(token->data <= batch->data_count);
        if (token->kind == CAIRN_ELEMENT_ATOM) {
            expand_atoms(batch, token, out);
            continue;
        }
        struct scan_element *element = more(out);

        *element = (struct scan_element){.offset = token->offset,
                                         .length = token->length,
                                         .kind = token->kind,
                                         .flags = token->flags,
                                         .data = cairn_token_data(batch, token)};
    }
    out->tokens += count;
    batch->count = 0;
    batch->data_count = 0;
    return count;
}

void scan_expand(struct cairn_config *config, const uint8_t *bytes, size_t size,
                 const struct scan_cut *cut, struct scan_elements *elements)
{
    struct cairn_scan_batch batch = {.capacity = cut->capacity,
                                     .data_capacity = cut->data_capacity};
    const struct cairn_protocol *protocol = config->protocol;
    uint32_t random = 12345;
    size_t position = 0;
    void *state;

    batch.token = malloc(batch.capacity * sizeof *batch.token);
    batch.data = malloc(batch.data_capacity * sizeof *batch.data);
    assert_true(batch.token && batch.data);
    assert_int_equal(protocol->scan_new(config, &state), CAIRN_OK);
    while (position < size) {
        size_t piece = cut->piece ? cut->piece : size;
        size_t at = 0;

        if (piece == SCAN_UNEVEN) {
            random = random * 1664525u + 1013904223u;
            piece = 1 + (random >> 8) % UNEVEN_MAX;
        }
        if (piece > size - position)
            piece = size - position;
        /* A place of just that size, for the sanitizers to watch. */
        uint8_t *copy = malloc(piece);

        assert_non_null(copy);
        memcpy(copy, bytes + position, piece);
        do
            assert_int_equal(protocol->scan_run(state, copy, piece, &at, &batch), CAIRN_OK);
        while (expand(&batch, elements) > 0);
        assert_int_equal(at, piece);
        free(copy);
        position += piece;
    }
    do
        assert_int_equal(protocol->scan_finish(state, &batch), CAIRN_OK);
    while (expand(&batch, elements) > 0);
    elements->ledger = *protocol->scan_ledger(state);
    protocol->scan_free(state);
    free(batch.token);
    free(batch.data);
}

/* --- both --- */

static void print(const char *who, const struct scan_elements *elements, size_t i)
{
    if (i >= elements->count) {
        print_message("# %s: nothing\n", who);
        return;
    }
    const struct scan_element *e = &elements->list[i];

    print_message("# %s: offset %" PRIu64 "+%" PRIu64 " %s flags %x value %" PRIx64
                  " address %" PRIx64 " sub_isa %u cycles %u reason %u info %u\n",
                  who, e->offset, e->length, cairn_element_name(e->kind), e->flags, e->data.value,
                  e->data.address, e->data.sub_isa, e->data.cycles, e->data.reason, e->data.info);
}

/* The members; what lies between them is nobody's. */
static bool is_same_data(const struct cairn_element_data *a, const struct cairn_element_data *b)
{
    return a->address == b->address && a->value == b->value && a->cycles == b->cycles &&
           a->sub_isa == b->sub_isa && a->reason == b->reason && a->info == b->info &&
           a->context.EL == b->context.EL && a->context.security == b->context.security &&
           a->context.SF == b->context.SF && a->context.sbz == b->context.sbz &&
           a->context.vmid == b->context.vmid && a->context.context_id == b->context.context_id;
}

static bool is_same(const struct scan_element *a, const struct scan_element *b)
{
    return a->offset == b->offset && a->length == b->length && a->flags == b->flags &&
           a->kind == b->kind && is_same_data(&a->data, &b->data);
}

void scan_assert_same(const struct scan_elements *wanted, const struct scan_elements *got)
{
    size_t i = 0;

    while (i < wanted->count && i < got->count && is_same(&wanted->list[i], &got->list[i]))
        i++;
    if (i < wanted->count || i < got->count) {
        print_message("# element %zu of %zu (%zu)\n", i, wanted->count, got->count);
        for (size_t k = i > 3 ? i - 3 : 0; k < i + 3; k++) {
            print("wanted", wanted, k);
            print("got   ", got, k);
        }
    }
    assert_int_equal(i, wanted->count);
    assert_int_equal(i, got->count);
    assert_memory_equal(&wanted->ledger, &got->ledger, sizeof wanted->ledger);
}

size_t scan_check(struct cairn_config *config, const uint8_t *bytes, size_t size,
                  const struct scan_cut *cuts, size_t count, size_t *runs)
{
    struct scan_elements wanted = {0}, got = {0};
    size_t elements;

    scan_reference(config, bytes, size, &wanted);
    for (size_t i = 0; i < count && config->protocol->scan_new; i++) {
        scan_elements_empty(&got);
        scan_expand(config, bytes, size, &cuts[i], &got);
        scan_assert_same(&wanted, &got);
        *runs += got.runs;
    }
    elements = wanted.count;
    if (config->protocol->scan_new)
        readers_check(config, bytes, size, cuts, count, &wanted);
    for (size_t i = 0; i < count && !config->protocol->scan_new; i++)
        readers_check(config, bytes, size, &cuts[i], 1, &wanted);
    scan_elements_free(&got);
    scan_elements_free(&wanted);
    return elements;
}
