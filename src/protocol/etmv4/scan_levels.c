/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan hands over to the levels and back, between two packets: what is not resolved yet moves
 * from the queue of tokens to the resolver's queue of elements, or the other way. */
#include "protocol/etmv4/scan.h"

enum {
    FEW = 64,       /* elements that are handed back at once, whatever it costs */
    PER_PACKET = 8, /* otherwise the levels have to earn it: elements a packet */
    QUEUE_MOST = 16384,
};

/* --- to the levels --- */

static struct cairn_etmv4_entry *push(struct cairn_etmv4_scan *s, const struct cairn_token *token)
{
    struct cairn_etmv4_entry *entry = cairn_etmv4_queue_push(&s->resolver->queue);

    if (!entry) {
        s->failed = true;
        return NULL;
    }
    *entry = (struct cairn_etmv4_entry){.offset = token->offset,
                                        .length = token->length,
                                        .flags = token->flags & (uint16_t)~CAIRN_TOKEN_DROP,
                                        .kind = token->kind,
                                        .drop = (token->flags & CAIRN_TOKEN_DROP) != 0};
    return entry;
}

static void push_atoms(struct cairn_etmv4_scan *s, const struct cairn_token *token, unsigned first)
{
    const unsigned nth = (unsigned)(token->value >> CAIRN_TOKEN_NTH_SHIFT);

    for (unsigned i = first; i < token->count; i++) {
        struct cairn_etmv4_entry *entry = push(s, token);

        if (!entry)
            return;
        if ((token->value >> i) & 1)
            entry->flags |= CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
        entry->data.nth = (uint8_t)(nth + i);
    }
}

static struct cairn_element_data data_of(const struct cairn_etmv4_scan *s,
                                         const struct cairn_token *token)
{
    const struct cairn_scan_batch slots = {.data = s->slot};

    return cairn_token_data(&slots, token);
}

/* Of the held Atoms only the youngest can still change; the others are the caller's. */
static void hand_over_held(struct cairn_etmv4_scan *s)
{
    struct cairn_token older = s->held;

    if (s->held.count == 0)
        return;
    if (s->held.count > 1) {
        older.count--;
        older.value &= (UINT64_C(1) << older.count) - 1;
        cairn_etmv4_scan_give(s, &older, NULL);
    }
    push_atoms(s, &s->held, s->held.count - 1u);
    s->resolver->ready = 1;
    s->resolver->last_p0 = 1;
    s->resolver->atoms = 1;
    s->held.count = 0;
}

static void empty(struct cairn_etmv4_resolver *r)
{
    r->queue.first = r->queue.end;
    r->held.first = r->held.end;
    r->out.first = r->out.end;
    r->ready = 0;
    r->last_p0 = 0;
    r->voided = 0; /* looking again at what was voided changes nothing */
    r->atoms = 0;
    r->initialised = true;
    r->transaction = CAIRN_TRANSACTION_OUTSIDE;
}

void cairn_etmv4_scan_leave(struct cairn_etmv4_scan *s)
{
    struct cairn_etmv4_resolver *r = s->resolver;

    empty(r);
    hand_over_held(s);
    for (size_t i = s->first; i < s->end; i++) {
        const struct cairn_token *token = &s->queue[i];

        if (token->kind == CAIRN_ELEMENT_ATOM) {
            push_atoms(s, token, 0);
            continue;
        }
        struct cairn_etmv4_entry *entry = push(s, token);

        if (entry)
            entry->data = data_of(s, token);
        cairn_etmv4_scan_free_data(s, token->data);
    }
    r->mispredicts = s->mispredicts;
    r->atoms += s->atoms;
    r->outstanding = s->outstanding;
    r->unseen = s->unseen;
    r->marked = s->marked;
    r->mark_approximate = s->mark_approximate;
    r->mark_offset = s->mark_offset;
    r->mark_nth = s->mark_nth;
    r->recent_known = s->recent_known;
    r->recent_offset = s->recent_offset;
    r->recent_nth = s->recent_nth;
    cairn_etmv4_elements_restore(s->elements, s->outstanding + s->unseen);
    cairn_etmv4_parser_move(s->parser, s->offset);
    s->first = 0;
    s->end = 0;
    s->fast = false;
    s->by_levels = 0;
    s->stride = 1;
}

/* --- from the levels --- */

/* What an element's token has of it. Atoms come one by one. */
static struct cairn_token token_of(uint64_t offset, uint64_t length, unsigned kind, unsigned flags,
                                   const struct cairn_element_data *data)
{
    struct cairn_token token = {.offset = offset,
                                .length = length,
                                .value = data->value,
                                .flags = (uint16_t)flags,
                                .kind = (uint8_t)kind};

    if (kind == CAIRN_ELEMENT_TARGET_ADDRESS || kind == CAIRN_ELEMENT_SOURCE_ADDRESS) {
        token.value = data->address;
        token.count = data->sub_isa;
    }
    return token;
}

bool cairn_etmv4_scan_has_more(const struct cairn_token *token,
                               const struct cairn_element_data *data)
{
    switch (token->kind) {
    case CAIRN_ELEMENT_CONTEXT:
    case CAIRN_ELEMENT_EXCEPTION:
    case CAIRN_ELEMENT_TRACE_INFO:
    case CAIRN_ELEMENT_GAP:
    case CAIRN_ELEMENT_Q:
    case CAIRN_ELEMENT_CONDITIONAL:
    case CAIRN_ELEMENT_INSTRUMENTATION: return true;
    case CAIRN_ELEMENT_TIMESTAMP:
        return (token->flags & CAIRN_ELEMENT_CYCLES) || data->address != token->offset;
    case CAIRN_ELEMENT_TARGET_ADDRESS: /* a mark tells a Q element from its target by its place */
        return data->reason != 0 || data->nth != 0;
    default: return data->reason != 0;
    }
}

static bool resolver_is_simple(const struct cairn_etmv4_scan *s)
{
    const struct cairn_etmv4_resolver *r = s->resolver;
    const size_t count = cairn_etmv4_queue_count(&r->queue);

    if (!r->initialised || r->failed || r->transaction != CAIRN_TRANSACTION_OUTSIDE ||
        cairn_etmv4_queue_count(&r->out) > 0 || count > QUEUE_MOST ||
        (count > FEW && s->by_levels * PER_PACKET < count))
        return false;
    if (r->ready > 1 || (r->ready == 1 && r->last_p0 != 1) ||
        cairn_etmv4_elements_depth(s->elements) != r->outstanding + r->unseen)
        return false;
    if (r->ready == 1 && cairn_etmv4_queue_at(&r->queue, 0)->kind != CAIRN_ELEMENT_ATOM)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->queue, i);

        switch (entry->kind) {
        case CAIRN_ELEMENT_TRANSACTION_START:
        case CAIRN_ELEMENT_TRANSACTION_COMMIT:
        case CAIRN_ELEMENT_TRANSACTION_FAILURE: return false;
        case CAIRN_ELEMENT_TRACE_INFO:
            if (entry->data.info & CAIRN_ETMV4_INFO_T)
                return false;
            break;
        case CAIRN_ELEMENT_ATOM:
            if (entry->drop || (entry->flags & ~(CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E)))
                return false;
            break;
        default: break;
        }
    }
    return true;
}

/* An Atom into the queue: onto the token of its packet, if that is the last one. */
static void take_atom(struct cairn_etmv4_scan *s, const struct cairn_etmv4_entry *entry)
{
    const uint64_t taken = (entry->flags & CAIRN_ELEMENT_E) != 0;

    if (s->end > s->first) {
        struct cairn_token *last = &s->queue[s->end - 1];

        if (last->kind == CAIRN_ELEMENT_ATOM && last->offset == entry->offset &&
            last->count < CAIRN_TOKEN_ATOMS) {
            last->value |= taken << last->count++;
            return;
        }
    }
    s->queue[s->end++] = (struct cairn_token){
        .offset = entry->offset,
        .length = entry->length,
        .value = taken | (uint64_t)entry->data.nth << CAIRN_TOKEN_NTH_SHIFT,
        .kind = CAIRN_ELEMENT_ATOM,
        .count = 1,
    };
}

static bool take_queue(struct cairn_etmv4_scan *s)
{
    struct cairn_etmv4_resolver *r = s->resolver;

    for (size_t i = 0; i < cairn_etmv4_queue_count(&r->queue); i++) {
        const struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->queue, i);

        if (!cairn_etmv4_scan_room(s))
            return false;
        if (entry->kind == CAIRN_ELEMENT_ATOM) {
            take_atom(s, entry);
            if (i == 0 && r->ready == 1) {
                s->held = s->queue[s->first];
                s->end = s->first;
            }
            continue;
        }
        struct cairn_token token =
            token_of(entry->offset, entry->length, entry->kind,
                     entry->flags | (entry->drop ? CAIRN_TOKEN_DROP : 0), &entry->data);

        if (cairn_etmv4_scan_has_more(&token, &entry->data))
            token.data = cairn_etmv4_scan_keep(s, &entry->data);
        s->queue[s->end++] = token;
    }
    return true;
}

bool cairn_etmv4_scan_enter(struct cairn_etmv4_scan *s, size_t taken, size_t *unread)
{
    struct cairn_etmv4_resolver *r = s->resolver;

    if (s->decoded->maxspec != s->max || !cairn_etmv4_elements_between(s->elements) ||
        !cairn_etmv4_parser_between(s->parser, unread) || *unread > taken || !resolver_is_simple(s))
        return false;
    s->held.count = 0;
    s->first = 0;
    s->end = 0;
    s->voided = 0;
    if (!take_queue(s))
        return false;
    s->mispredicts = (uint32_t)r->mispredicts;
    s->atoms = (uint32_t)(r->atoms - r->ready);
    s->outstanding = (uint32_t)r->outstanding;
    s->unseen = (uint32_t)r->unseen;
    s->marked = r->marked;
    s->mark_approximate = r->mark_approximate;
    s->mark_offset = r->mark_offset;
    s->mark_nth = r->mark_nth;
    s->recent_known = r->recent_known;
    s->recent_offset = r->recent_offset;
    s->recent_nth = r->recent_nth;
    s->packet_at = 0;
    s->raw_at = 0;
    s->packets->count = 0;
    s->raw->count = 0;
    s->fast = true;
    return true;
}

/* --- what the resolver gave --- */

/* An Atom to the caller: onto the token before it, if that one is of the same packet. */
static void give_atom(struct cairn_etmv4_scan *s, const struct cairn_token *atom,
                      const struct cairn_element_data *data)
{
    const unsigned statuses = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
    const unsigned both = atom->flags & statuses;
    const unsigned rest = atom->flags & ~statuses;
    struct cairn_token token = *atom;

    token.value = (atom->flags & CAIRN_ELEMENT_E) != 0;
    token.count = 1;
    if ((both != 0 && both != statuses) || (rest & ~CAIRN_ELEMENT_TRANSACTIONAL)) {
        token.flags |= CAIRN_TOKEN_ODD;
        token.data = data->reason != 0;
        cairn_etmv4_scan_give(s, &token, data);
        return;
    }
    token.flags = (uint16_t)rest;
    if (s->spill_end == 0 && s->batch->count > 0) {
        struct cairn_token *last = &s->batch->token[s->batch->count - 1];

        if (last->kind == CAIRN_ELEMENT_ATOM && last->offset == token.offset &&
            last->flags == token.flags && last->count < CAIRN_TOKEN_ATOMS) {
            last->value |= token.value << last->count++;
            return;
        }
    }
    cairn_etmv4_scan_give(s, &token, NULL);
}

void cairn_etmv4_scan_translate(struct cairn_etmv4_scan *s)
{
    const struct cairn_element_batch *in = s->resolved;

    for (; s->resolved_at < in->count && s->spill_end == 0; s->resolved_at++) {
        const size_t i = s->resolved_at;
        const struct cairn_element_data *data = &in->data[i];
        struct cairn_token token =
            token_of(in->offset[i], in->length[i], in->kind[i], in->flags[i], data);

        if (token.kind == CAIRN_ELEMENT_ATOM) {
            give_atom(s, &token, data);
            continue;
        }
        token.data = cairn_etmv4_scan_has_more(&token, data);
        cairn_etmv4_scan_give(s, &token, data);
    }
}
