/* SPDX-License-Identifier: BSD-2-Clause */
/* The queue laid out in the caller's batch, for packets that go straight there (scan_direct.c), and
 * what is not resolved then taken back. */
#include "protocol/etmv4/scan.h"

#include <string.h>

enum {
    ROOM = CAIRN_SCAN_ROOM,
    WAITING = 256, /* tokens in the queue at most, to begin with */
};

/* Atoms of more packets than one. */
static bool is_run(const struct cairn_token *token)
{
    return token->kind == CAIRN_ELEMENT_ATOM && cairn_token_apart(token) != 0;
}

struct cairn_token *cairn_etmv4_scan_invert(const struct cairn_etmv4_scan *s,
                                            const struct cairn_token *base, struct cairn_token *t)
{
    struct cairn_token *atom = t;
    unsigned last;

    for (; atom > base && !cairn_etmv4_scan_is_p0(s, atom - 1); atom--)
        if (atom[-1].kind == CAIRN_ELEMENT_TARGET_ADDRESS)
            return NULL;
    if (atom == base || (--atom)->kind != CAIRN_ELEMENT_ATOM)
        return NULL;
    last = atom->count - 1u;
    if (last > 0) {
        memmove(atom + 2, atom + 1, (size_t)(t - (atom + 1)) * sizeof *atom);
        t++;
        atom[1] = cairn_token_atom(atom, last);
        cairn_etmv4_scan_shorten(atom, last);
        atom++;
    } else {
        *atom = cairn_token_atom(atom, 0);
    }
    if (!(atom->flags & CAIRN_TOKEN_ODD))
        atom->flags = atom->value ? CAIRN_TOKEN_ODD | CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E
                                  : CAIRN_TOKEN_ODD;
    atom->value ^= 1;
    atom->flags ^= CAIRN_ELEMENT_E;
    return t;
}

/* Whether each Mispredict in the queue is one that applies to the Atom before it at once. */
static bool mispredicts_are_plain(const struct cairn_etmv4_scan *s)
{
    bool atom = s->held.count > 0; /* the last P0 element is an Atom, no Target Address behind it */

    for (size_t i = s->first; i < s->end; i++) {
        const struct cairn_token *token = &s->queue[i];

        if (token->flags & CAIRN_TOKEN_DROP)
            return false;
        if (token->kind == CAIRN_ELEMENT_MISPREDICT && !atom)
            return false;
        if (token->kind == CAIRN_ELEMENT_TARGET_ADDRESS)
            atom = false;
        else if (cairn_etmv4_scan_is_p0(s, token))
            atom = token->kind == CAIRN_ELEMENT_ATOM;
    }
    return true;
}

bool cairn_etmv4_scan_is_direct(const struct cairn_etmv4_scan *s)
{
    const size_t waiting = s->end - s->first;
    const struct cairn_scan_batch *batch = s->batch;

    return s->unseen == 0 && waiting <= WAITING && s->spill_end == 0 &&
           batch->capacity - batch->count >= 2 * (waiting + 2 * ROOM) &&
           batch->data_capacity - batch->data_count >= 2 * (waiting + ROOM) &&
           mispredicts_are_plain(s);
}

/* Puts the queue behind what the batch has. */
struct cairn_token *cairn_etmv4_scan_lay_out(struct cairn_etmv4_scan *s)
{
    struct cairn_scan_batch *batch = s->batch;
    const struct cairn_token *const base = &batch->token[batch->count];
    struct cairn_token *t = &batch->token[batch->count];

    s->front_nth = 0;
    if (s->held.count > 0) {
        /* Its packet's first Atoms may have been given before; those of a queue without it not. */
        s->front_offset = s->held.offset;
        s->front_nth = (uint8_t)(s->held.value >> CAIRN_TOKEN_NTH_SHIFT);
        *t = s->held;
        t++->value &= UINT32_MAX;
    }
    for (size_t i = s->first; i < s->end; i++) {
        if (s->queue[i].kind == CAIRN_ELEMENT_MISPREDICT) {
            t = cairn_etmv4_scan_invert(s, base, t);
            continue;
        }
        *t = s->queue[i];
        if (t->kind == CAIRN_ELEMENT_ATOM)
            t->value &= UINT32_MAX;
        if (i == s->first && s->held.count > 0 && t->kind == CAIRN_ELEMENT_ATOM &&
            t->offset == t[-1].offset) { /* one packet again */
            t[-1].value |= t->value << t[-1].count;
            t[-1].count = (uint8_t)(t[-1].count + t->count);
            continue;
        }
        if (t->data != 0) {
            batch->data[batch->data_count++] = s->slot[t->data - 1];
            cairn_etmv4_scan_free_data(s, t->data);
            t->data = (uint32_t)batch->data_count;
        }
        t++;
    }
    s->held.count = 0;
    s->mispredicts = 0;
    s->first = 0;
    s->end = 0;
    s->voided = 0;
    return t;
}

/* The place in its packet of the first Atom of a token. */
static uint64_t nth_of(const struct cairn_etmv4_scan *s, const struct cairn_token *base,
                       const struct cairn_token *token)
{
    uint64_t nth = token->offset == s->front_offset ? s->front_nth : 0;

    while (token > base && token[-1].kind == CAIRN_ELEMENT_ATOM &&
           token[-1].offset == token->offset)
        nth += (--token)->count;
    return nth;
}

/* A token as the queue has it. An inverted Atom is the Atom, and then a Mispredict. */
static void queue_token(struct cairn_etmv4_scan *s, const struct cairn_token *token, uint64_t nth)
{
    struct cairn_token *to = &s->queue[s->end++];

    *to = *token;
    if (cairn_etmv4_scan_is_p0(s, token))
        s->outstanding += token->kind == CAIRN_ELEMENT_ATOM ? token->count : 1;
    if (token->kind != CAIRN_ELEMENT_ATOM) {
        if (token->data != 0)
            to->data = cairn_etmv4_scan_keep(s, &s->batch->data[token->data - 1]);
        return;
    }
    s->atoms += token->count;
    to->flags = 0;
    if (token->flags & CAIRN_TOKEN_ODD)
        to->value = (token->flags & CAIRN_ELEMENT_INITIAL_E) != 0;
    to->value |= nth << CAIRN_TOKEN_NTH_SHIFT;
    if (!(token->flags & CAIRN_TOKEN_ODD) || to->value % 2 == token->value)
        return;
    s->mispredicts++;
    s->queue[s->end++] = (struct cairn_token){
        .offset = token->offset, .length = token->length, .kind = CAIRN_ELEMENT_MISPREDICT};
}

/* The Atoms of a token from the `first` on, each of a packet of its own. */
static void queue_run(struct cairn_etmv4_scan *s, const struct cairn_token *token, unsigned first)
{
    for (unsigned i = first; i < token->count; i++) {
        const struct cairn_token atom = cairn_token_atom(token, i);

        queue_token(s, &atom, 0);
    }
}

/* The Atoms at `token`, of which all that follow `count` are outstanding, are held. */
static void hold(struct cairn_etmv4_scan *s, const struct cairn_token *token, unsigned count,
                 uint64_t nth)
{
    queue_token(s, token, nth);
    s->outstanding = 0;
    s->atoms = 0;
    s->held = s->queue[0];
    if (count < token->count) {
        struct cairn_token *rest = &s->queue[0];
        const unsigned left = token->count - count;

        rest->value = (token->value >> count) | (nth + count) << CAIRN_TOKEN_NTH_SHIFT;
        rest->count = (uint8_t)left;
        s->outstanding = left;
        s->atoms = left;
        s->held.count = (uint8_t)count;
        s->held.value =
            (token->value & ((UINT64_C(1) << count) - 1)) | nth << CAIRN_TOKEN_NTH_SHIFT;
        return;
    }
    s->end--;
    if (s->end == 1) /* a Mispredict came along */
        s->queue[0] = s->queue[1];
}

/* Places in the queue for tokens that go back there. */
static size_t places_for(const struct cairn_token *from, const struct cairn_token *t)
{
    size_t places = ROOM;

    for (; from < t; from++)
        places += from->kind == CAIRN_ELEMENT_ATOM ? 1u + from->count : 1;
    return places;
}

void cairn_etmv4_scan_take_back(struct cairn_etmv4_scan *s, struct cairn_token *t,
                                uint32_t outstanding)
{
    struct cairn_scan_batch *batch = s->batch;
    struct cairn_token *base = &batch->token[batch->count];
    struct cairn_token *from = t;
    struct cairn_token *token;
    uint32_t left = outstanding;
    unsigned committed = 0; /* Atoms of *from */

    while (left > 0) {
        from--;
        if (from->kind == CAIRN_ELEMENT_ATOM) {
            if (from->count > left) {
                committed = from->count - left;
                left = 0;
                break;
            }
            left -= from->count;
        } else if (cairn_etmv4_scan_is_p0(s, from)) {
            left--;
        }
    }
    if (committed == 0) {
        while (from > base && !cairn_etmv4_scan_is_p0(s, from - 1))
            from--;
        if (from > base && from[-1].kind == CAIRN_ELEMENT_ATOM)
            committed = (--from)->count;
    }
    s->first = 0;
    s->end = 0;
    s->voided = 0;
    s->held.count = 0;
    s->outstanding = 0;
    s->atoms = 0;
    s->mispredicts = 0;
    batch->count = (size_t)(from - batch->token);
    if (!cairn_etmv4_scan_reserve(s, places_for(from, t)))
        return;
    token = from;
    if (committed > 0 && is_run(from)) {
        const struct cairn_token youngest = cairn_token_atom(from, committed - 1);

        hold(s, &youngest, 1, 0);
        queue_run(s, from, committed);
        cairn_etmv4_scan_shorten(from, committed - 1);
        batch->count += committed > 1;
        token++;
    } else if (committed > 0) {
        hold(s, token, committed, nth_of(s, base, token));
        token++;
    }
    for (; token < t; token++)
        if (is_run(token))
            queue_run(s, token, 0);
        else
            queue_token(s, token, token->kind == CAIRN_ELEMENT_ATOM ? nth_of(s, from, token) : 0);
    for (token = from; token < t; token++)
        if (token->data != 0) {
            batch->data_count = token->data - 1;
            break;
        }
}
