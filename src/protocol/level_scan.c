/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/level_scan.h"

#include "protocol/protocol.h"

#include <stdlib.h>

enum {
    PACKETS = 256,
    ELEMENTS = 256,
    PIECE = 64, /* bytes for the levels at a time where what follows may go past them */
};

struct level_scan {
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_packet_batch *taken;
    struct cairn_element_batch *raw;
    struct cairn_element_batch *resolved;
    size_t packet_at;
    size_t raw_at;
    size_t resolved_at;
    bool ended;
    bool plain; /* there are packets that go past the levels */
    struct cairn_scan_ledger ledger;
};

cairn_status cairn_level_scan_new(struct cairn_config *config, void **state)
{
    struct level_scan *s = calloc(1, sizeof *s);
    cairn_status status = s ? cairn_packets_new(config, &s->packets) : CAIRN_E_MEMORY;

    if (status == CAIRN_OK)
        status = cairn_elements_new(config, &s->elements);
    if (status == CAIRN_OK)
        status = cairn_resolver_new(config, &s->resolver);
    if (status == CAIRN_OK)
        status = cairn_packet_batch_new(PACKETS, &s->taken);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(ELEMENTS, &s->raw);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(ELEMENTS, &s->resolved);
    if (status != CAIRN_OK) {
        cairn_level_scan_free(s);
        return status;
    }
    cairn_elements_shorten(s->elements);
    s->plain = config->protocol->plain_serves && config->protocol->plain_serves(config);
    *state = s;
    return CAIRN_OK;
}

void cairn_level_scan_free(void *state)
{
    struct level_scan *s = state;

    if (!s)
        return;
    cairn_packets_free(s->packets);
    cairn_elements_free(s->elements);
    cairn_resolver_free(s->resolver);
    cairn_packet_batch_free(s->taken);
    cairn_element_batch_free(s->raw);
    cairn_element_batch_free(s->resolved);
    free(s);
}

/* --- tokens --- */

static bool same_context(const struct cairn_context *a, const struct cairn_context *b)
{
    return a->EL == b->EL && a->security == b->security && a->SF == b->SF && a->sbz == b->sbz &&
           a->vmid == b->vmid && a->context_id == b->context_id;
}

/* All but `nth`, which nobody asks a token for. */
static bool same_data(const struct cairn_element_data *a, const struct cairn_element_data *b)
{
    return a->address == b->address && a->value == b->value && a->cycles == b->cycles &&
           a->sub_isa == b->sub_isa && a->reason == b->reason && a->info == b->info &&
           same_context(&a->context, &b->context);
}

/* An Atom says by its one bit what both of its statuses are, unless they differ. */
static void tell_atom(struct cairn_token *token)
{
    const unsigned statuses = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
    const unsigned both = token->flags & statuses;
    const unsigned rest = token->flags & ~statuses;

    token->count = 1;
    token->value = (token->flags & CAIRN_ELEMENT_E) != 0;
    if ((both != 0 && both != statuses) || (rest & ~CAIRN_ELEMENT_TRANSACTIONAL))
        token->flags |= CAIRN_TOKEN_ODD;
    else
        token->flags = (uint16_t)rest;
}

/* What can be said of an element without data of its own. */
static struct cairn_token token_of(const struct cairn_element_batch *in, size_t i)
{
    const struct cairn_element_data *data = &in->data[i];
    struct cairn_token token = {.offset = in->offset[i],
                                .length = in->length[i],
                                .value = data->value,
                                .flags = in->flags[i],
                                .kind = in->kind[i]};

    switch (token.kind) {
    case CAIRN_ELEMENT_ATOM: tell_atom(&token); break;
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
    case CAIRN_ELEMENT_TARGET_ADDRESS:
        token.value = data->address;
        token.count = data->sub_isa;
        break;
    default: break;
    }
    return token;
}

/* Gives tokens for the resolved elements at hand. False: the batch has no room for all of them. */
static bool give(struct level_scan *s, struct cairn_scan_batch *batch)
{
    const struct cairn_element_batch *in = s->resolved;

    for (; s->resolved_at < in->count; s->resolved_at++) {
        const struct cairn_element_data *data = &in->data[s->resolved_at];
        struct cairn_token token = token_of(in, s->resolved_at);
        const struct cairn_element_data plain = cairn_token_data(batch, &token);

        if (batch->count == batch->capacity || batch->data_count == batch->data_capacity)
            return false;
        if (!same_data(&plain, data)) {
            batch->data[batch->data_count++] = *data;
            token.data = (uint32_t)batch->data_count;
        }
        batch->token[batch->count++] = token;
    }
    return true;
}

/* --- the levels --- */

static void count_packets(struct level_scan *s)
{
    const struct cairn_packet_batch *packets = s->taken;

    for (size_t i = 0; i < packets->count; i++) {
        s->ledger.total += packets->length[i];
        s->ledger.account[packets->account[i]].bytes += packets->length[i];
        s->ledger.account[packets->account[i]].packets++;
    }
}

/* Passes on what the levels have. *room false: the batch has none for all of it. */
static cairn_status pump(struct level_scan *s, struct cairn_scan_batch *batch, bool *room)
{
    for (;;) {
        cairn_status status;

        *room = give(s, batch);
        if (!*room)
            return CAIRN_OK;
        s->resolved->count = 0;
        s->resolved_at = 0;
        status = cairn_resolver_run(s->resolver, s->raw, &s->raw_at, s->resolved);
        if (status != CAIRN_OK)
            return status;
        if (s->resolved->count > 0)
            continue;
        s->raw->count = 0;
        s->raw_at = 0;
        status = cairn_elements_run(s->elements, s->taken, &s->packet_at, s->raw);
        if (status != CAIRN_OK || s->raw->count == 0)
            return status;
    }
}

static void next_packets(struct level_scan *s)
{
    s->taken->count = 0;
    s->packet_at = 0;
}

/* Whether the resolver holds W's, which the next packet's come to. */
static bool holds_waits(struct level_scan *s)
{
    uint64_t offset;
    const uint64_t waits = cairn_levels_plain_release(s->resolver, &offset);

    if (waits > 0)
        cairn_levels_plain_hold(s->resolver, offset, waits);
    return waits > 0;
}

/* Takes packets past the levels, which have given all that they had. *took false: there are none
 * here, or (*room false) the batch is full. */
static cairn_status take_plain(struct level_scan *s, const uint8_t *data, size_t size,
                               size_t *position, struct cairn_scan_batch *batch, bool *room,
                               bool *took)
{
    cairn_status status;
    size_t unused, taken;

    *took = false;
    if (!cairn_levels_plain_stands(s->packets, s->elements, data, size, *position, &unused))
        return CAIRN_OK;
    cairn_levels_plain_settle(s->resolver);
    status = pump(s, batch, room);
    if (status != CAIRN_OK || !*room || holds_waits(s))
        return status;
    taken = cairn_levels_plain_run(s->packets, s->elements, data + *position - unused,
                                   size - *position + unused, batch, &s->ledger);
    if (taken > 0)
        *position = *position - unused + taken;
    *took = taken > 0;
    return CAIRN_OK;
}

/* Gives the levels bytes: one packet's, and few more, where others may then go past them. */
static cairn_status take_levels(struct level_scan *s, const uint8_t *data, size_t size,
                                size_t *position)
{
    cairn_status status;

    next_packets(s);
    s->taken->capacity = s->plain ? 1 : PACKETS;
    if (s->plain && size - *position > PIECE)
        size = *position + PIECE;
    status = cairn_packets_run(s->packets, data, size, position, s->taken);
    s->taken->capacity = PACKETS;
    count_packets(s);
    return status;
}

cairn_status cairn_level_scan_run(void *state, const uint8_t *data, size_t size, size_t *position,
                                  struct cairn_scan_batch *batch)
{
    struct level_scan *s = state;

    if (*position > size || s->ended || batch->capacity == 0 || batch->data_capacity == 0)
        return CAIRN_E_ARGUMENT;
    for (;;) {
        bool room;
        bool took = false;
        cairn_status status = pump(s, batch, &room);

        if (status == CAIRN_OK && room && s->plain)
            status = take_plain(s, data, size, position, batch, &room, &took);
        if (status != CAIRN_OK || !room)
            return status;
        if (took)
            continue;
        status = take_levels(s, data, size, position);
        if (status != CAIRN_OK || (s->taken->count == 0 && *position == size))
            return status;
    }
}

cairn_status cairn_level_scan_finish(void *state, struct cairn_scan_batch *batch)
{
    struct level_scan *s = state;

    if (batch->capacity == 0 || batch->data_capacity == 0)
        return CAIRN_E_ARGUMENT;
    s->ended = true;
    for (;;) {
        bool room;
        cairn_status status = pump(s, batch, &room);

        if (status != CAIRN_OK || !room)
            return status;
        next_packets(s);
        status = cairn_packets_finish(s->packets, s->taken);
        count_packets(s);
        if (status != CAIRN_OK)
            return status;
        if (s->taken->count > 0)
            continue;
        status = cairn_resolver_finish(s->resolver, s->resolved);
        if (status != CAIRN_OK || s->resolved->count == 0)
            return status;
    }
}

cairn_status cairn_level_scan_stand(void *state, const uint8_t *data, size_t size, size_t position,
                                    struct cairn_scan_batch *batch, size_t *unused,
                                    struct cairn_branch_place *place, bool *stands)
{
    struct level_scan *s = state;
    bool room;
    cairn_status status = pump(s, batch, &room);

    *stands = false;
    if (status != CAIRN_OK || !room ||
        !cairn_levels_plain_stands(s->packets, s->elements, data, size, position, unused))
        return status;
    cairn_levels_plain_settle(s->resolver);
    status = pump(s, batch, &room);
    *stands = batch->count == 0;
    *place = cairn_levels_plain_place(s->packets);
    return status;
}

void cairn_level_scan_skip(void *state, size_t bytes, uint64_t last,
                           const struct cairn_branch_place *place)
{
    struct level_scan *s = state;

    cairn_levels_plain_skip(s->packets, s->elements, bytes, last, place);
}

uint64_t cairn_level_scan_release(void *state, uint64_t *offset)
{
    struct level_scan *s = state;

    return cairn_levels_plain_release(s->resolver, offset);
}

void cairn_level_scan_hold(void *state, uint64_t offset, uint64_t waits)
{
    struct level_scan *s = state;

    cairn_levels_plain_hold(s->resolver, offset, waits);
}

cairn_status cairn_level_scan_between(void *state, size_t skipped,
                                      const struct cairn_branch_place *place, const uint8_t *bytes,
                                      size_t size, struct cairn_element_batch *out, size_t *length)
{
    struct level_scan *s = state;

    next_packets(s);
    *length = cairn_levels_plain_between(s->packets, skipped, place, bytes, size, s->taken);
    if (*length == 0)
        return CAIRN_OK;
    count_packets(s);
    return cairn_elements_run(s->elements, s->taken, &s->packet_at, out);
}

const struct cairn_scan_ledger *cairn_level_scan_ledger(const void *state)
{
    const struct level_scan *s = state;

    return &s->ledger;
}
