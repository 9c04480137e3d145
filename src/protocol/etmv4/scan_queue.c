/* SPDX-License-Identifier: BSD-2-Clause */
/* What a scan's fast mode has not resolved yet: the rules of resolve.c (DDI0608 D9.3) over tokens,
 * where several Atoms are one entry and a Commit or Cancel may cut it. */
#include "protocol/etmv4/scan.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_CAPACITY = 256,
    BOUND = 32768, /* tokens; the levels' own bound, in elements, is further away */
    PACKET = 16,   /* tokens that one packet can add, and more */
    FIRST_SPILL = 64,
};

_Static_assert(BOUND + CAIRN_ETMV4_MAX_SPECULATION + 2 * CAIRN_TOKEN_ATOMS < 65536,
               "the resolver's queue never reaches its bound in fast mode");

/* --- room --- */

static bool grow(struct cairn_etmv4_scan *s)
{
    const size_t capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY;
    struct cairn_token *queue = realloc(s->queue, capacity * sizeof *queue);
    struct cairn_element_data *slot;
    uint32_t *free_slot;

    if (queue)
        s->queue = queue;
    slot = queue ? realloc(s->slot, capacity * sizeof *slot) : NULL;
    if (slot)
        s->slot = slot;
    free_slot = slot ? realloc(s->free_slot, capacity * sizeof *free_slot) : NULL;
    if (!free_slot) {
        s->failed = true;
        return false;
    }
    s->free_slot = free_slot;
    while (s->slots < capacity)
        s->free_slot[s->free_slots++] = s->slots++;
    s->capacity = capacity;
    return true;
}

bool cairn_etmv4_scan_reserve(struct cairn_etmv4_scan *s, size_t count)
{
    while (s->capacity < count)
        if (!grow(s))
            return false;
    return true;
}

bool cairn_etmv4_scan_room(struct cairn_etmv4_scan *s)
{
    const size_t count = s->end - s->first;

    if (s->capacity - s->end >= PACKET)
        return true;
    if (count >= s->capacity / 2) {
        if (count + PACKET > BOUND)
            return false;
        if (!grow(s))
            return false;
    }
    if (s->first > 0)
        memmove(s->queue, s->queue + s->first, count * sizeof *s->queue);
    s->voided = s->voided > s->first ? s->voided - s->first : 0;
    s->first = 0;
    s->end = count;
    return true;
}

uint32_t cairn_etmv4_scan_keep(struct cairn_etmv4_scan *s, const struct cairn_element_data *data)
{
    const uint32_t slot = s->free_slot[--s->free_slots];

    s->slot[slot] = *data;
    return slot + 1;
}

void cairn_etmv4_scan_free_data(struct cairn_etmv4_scan *s, uint32_t data)
{
    if (data != 0)
        s->free_slot[s->free_slots++] = data - 1;
}

/* --- to the caller --- */

static void put(struct cairn_scan_batch *batch, const struct cairn_token *token,
                const struct cairn_element_data *data)
{
    struct cairn_token *at = &batch->token[batch->count++];

    *at = *token;
    if (token->data == 0)
        return;
    batch->data[batch->data_count++] = *data;
    at->data = (uint32_t)batch->data_count;
}

static bool has_room(const struct cairn_scan_batch *batch, const struct cairn_token *token)
{
    return batch->count < batch->capacity &&
           (token->data == 0 || batch->data_count < batch->data_capacity);
}

static void spill(struct cairn_etmv4_scan *s, const struct cairn_token *token,
                  const struct cairn_element_data *data)
{
    if (s->spill_end == s->spill_capacity) {
        const size_t capacity = s->spill_capacity ? 2 * s->spill_capacity : FIRST_SPILL;
        struct cairn_scan_spill *more = realloc(s->spill, capacity * sizeof *more);

        if (!more) {
            s->failed = true;
            return;
        }
        s->spill = more;
        s->spill_capacity = capacity;
    }
    struct cairn_scan_spill *at = &s->spill[s->spill_end++];

    at->token = *token;
    if (token->data != 0)
        at->data = *data;
}

void cairn_etmv4_scan_give(struct cairn_etmv4_scan *s, const struct cairn_token *token,
                           const struct cairn_element_data *data)
{
    if (s->spill_end == 0 && has_room(s->batch, token))
        put(s->batch, token, data);
    else
        spill(s, token, data);
}

bool cairn_etmv4_scan_flush(struct cairn_etmv4_scan *s)
{
    for (; s->spill_first < s->spill_end; s->spill_first++) {
        const struct cairn_scan_spill *at = &s->spill[s->spill_first];

        if (!has_room(s->batch, &at->token))
            return false;
        put(s->batch, &at->token, &at->data);
    }
    s->spill_first = 0;
    s->spill_end = 0;
    return true;
}

/* --- resolving --- */

/* The Mispredicts between the held Atom and the next Atom: each inverts it, and voids the Target
 * Addresses between (D6.9.14). True: it is inverted. */
static bool apply_mispredicts(struct cairn_etmv4_scan *s)
{
    bool inverted = false;
    size_t last = s->first;

    for (size_t i = s->first; i < s->end; i++) {
        struct cairn_token *token = &s->queue[i];

        if (token->kind == CAIRN_ELEMENT_ATOM)
            break;
        if (token->kind != CAIRN_ELEMENT_MISPREDICT || (token->flags & CAIRN_TOKEN_DROP))
            continue;
        inverted = !inverted;
        token->flags |= CAIRN_TOKEN_DROP;
        last = i;
    }
    for (size_t i = s->first; i < last; i++)
        if (s->queue[i].kind == CAIRN_ELEMENT_TARGET_ADDRESS)
            s->queue[i].flags |= CAIRN_TOKEN_DROP;
    return inverted;
}

/* The held Atoms leave, the youngest of them inverted. */
static void give_inverted(struct cairn_etmv4_scan *s)
{
    struct cairn_token token = s->held;
    const unsigned last = token.count - 1u;
    const bool initial = (token.value >> last) & 1;

    if (last > 0) {
        token.count = (uint8_t)last;
        token.value &= (UINT64_C(1) << last) - 1;
        cairn_etmv4_scan_give(s, &token, NULL);
    }
    token.count = 1;
    token.value = !initial;
    token.flags = CAIRN_TOKEN_ODD | (initial ? CAIRN_ELEMENT_INITIAL_E : CAIRN_ELEMENT_E);
    cairn_etmv4_scan_give(s, &token, NULL);
}

/* The first Atoms of the packet may have been given before: one token for all. */
static bool join_held(struct cairn_etmv4_scan *s)
{
    struct cairn_token *last;

    if (s->spill_end > 0 || s->batch->count == 0)
        return false;
    last = &s->batch->token[s->batch->count - 1];
    if (last->kind != CAIRN_ELEMENT_ATOM || last->offset != s->held.offset || last->flags != 0 ||
        last->count + s->held.count > (int)CAIRN_TOKEN_ATOMS)
        return false;
    last->value |= s->held.value << last->count;
    last->count = (uint8_t)(last->count + s->held.count);
    s->held.count = 0;
    return true;
}

static void release_held(struct cairn_etmv4_scan *s)
{
    const bool first = s->held.value <= UINT32_MAX;

    if (s->held.count == 0)
        return;
    s->held.value &= UINT32_MAX;
    if (!first && s->mispredicts == 0 && join_held(s))
        return;
    if (s->mispredicts > 0 && apply_mispredicts(s))
        give_inverted(s);
    else
        cairn_etmv4_scan_give(s, &s->held, NULL);
    s->held.count = 0;
}

/* The token at the front, which is no Atom, leaves. */
static void pop(struct cairn_etmv4_scan *s)
{
    struct cairn_token *token = &s->queue[s->first++];

    if (token->kind == CAIRN_ELEMENT_MISPREDICT) {
        s->mispredicts--;
        token->flags |= CAIRN_ELEMENT_UNCERTAIN; /* nothing was there for it to correct */
    }
    if (!(token->flags & CAIRN_TOKEN_DROP))
        cairn_etmv4_scan_give(s, token, token->data ? &s->slot[token->data - 1] : NULL);
    cairn_etmv4_scan_free_data(s, token->data);
}

void cairn_etmv4_scan_pass(struct cairn_etmv4_scan *s)
{
    release_held(s);
    while (s->first < s->end)
        pop(s);
    s->first = 0;
    s->end = 0;
    s->voided = 0;
}

/* Takes the oldest `count` Atoms off a token. */
static struct cairn_token split(struct cairn_token *token, unsigned count)
{
    struct cairn_token old = *token;
    const uint64_t nth = token->value >> CAIRN_TOKEN_NTH_SHIFT;

    old.count = (uint8_t)count;
    old.value = (token->value & ((UINT64_C(1) << count) - 1)) | nth << CAIRN_TOKEN_NTH_SHIFT;
    token->value = (token->value & UINT32_MAX) >> count | (nth + count) << CAIRN_TOKEN_NTH_SHIFT;
    token->count = (uint8_t)(token->count - count);
    return old;
}

/* Commits `count` Atoms of the token at the front. */
static void commit_atoms(struct cairn_etmv4_scan *s, unsigned count)
{
    struct cairn_token *token = &s->queue[s->first];
    struct cairn_token old = *token;
    /* The rest of a packet of which some were committed before, and nothing came between. */
    const bool joins = s->held.count > 0 && s->held.offset == old.offset;

    if (!joins)
        release_held(s); /* looks at the queue for Mispredicts */
    if (count == token->count)
        s->first++;
    else
        old = split(token, count);
    s->outstanding -= count;
    s->atoms -= count;
    if (!joins) {
        s->held = old;
        return;
    }
    s->held.value |= (old.value & UINT32_MAX) << s->held.count;
    s->held.count = (uint8_t)(s->held.count + count);
}

void cairn_etmv4_scan_commit(struct cairn_etmv4_scan *s, uint64_t count)
{
    const uint32_t unseen = count < s->unseen ? (uint32_t)count : s->unseen;

    s->unseen -= unseen;
    count -= unseen;
    while (count > 0) {
        const struct cairn_token *token = &s->queue[s->first];

        if (token->kind == CAIRN_ELEMENT_ATOM) {
            const unsigned atoms = token->count < count ? token->count : (unsigned)count;

            commit_atoms(s, atoms);
            count -= atoms;
            continue;
        }
        release_held(s);
        if (cairn_etmv4_scan_is_p0(s, token)) {
            s->outstanding--;
            count--;
        }
        pop(s);
    }
    if (s->first == s->end) {
        s->first = 0;
        s->end = 0;
        s->voided = 0;
    }
}

/* Drops or keeps what is behind the cancelled P0 elements (D9.3.4). */
static void cancel_from(struct cairn_etmv4_scan *s, size_t from)
{
    size_t kept = from;

    for (size_t i = from; i < s->end; i++) {
        const struct cairn_token *token = &s->queue[i];

        if (token->kind == CAIRN_ELEMENT_ATOM) {
            s->atoms -= token->count;
            s->outstanding -= token->count;
        } else if (cairn_etmv4_survives(token->kind)) {
            s->queue[kept++] = *token;
            continue;
        } else if (token->kind == CAIRN_ELEMENT_MISPREDICT) {
            s->mispredicts--;
        } else if (cairn_etmv4_scan_is_p0(s, token)) {
            s->outstanding--;
        }
        cairn_etmv4_scan_free_data(s, token->data);
    }
    s->end = kept;
    if (s->voided > kept)
        s->voided = kept;
}

void cairn_etmv4_scan_cancel(struct cairn_etmv4_scan *s, uint64_t count)
{
    size_t i = s->end;

    while (count > 0) {
        struct cairn_token *token = &s->queue[--i];

        if (token->kind == CAIRN_ELEMENT_ATOM) {
            if (token->count > count) {
                token->count = (uint8_t)(token->count - count);
                token->value &=
                    ~((UINT64_C(1) << CAIRN_TOKEN_NTH_SHIFT) - (UINT64_C(1) << token->count));
                s->outstanding -= (uint32_t)count;
                s->atoms -= (uint32_t)count;
                i++;
                break;
            }
            count -= token->count;
        } else if (cairn_etmv4_scan_is_p0(s, token)) {
            count--;
        }
    }
    cancel_from(s, i);
}

void cairn_etmv4_scan_void(struct cairn_etmv4_scan *s)
{
    if (s->voided < s->first)
        s->voided = s->first;
    for (; s->voided < s->end; s->voided++)
        if (s->queue[s->voided].kind == CAIRN_ELEMENT_TARGET_ADDRESS)
            s->queue[s->voided].flags |= CAIRN_TOKEN_DROP;
}
