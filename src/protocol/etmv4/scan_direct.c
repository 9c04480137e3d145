/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast mode of a scan at its fastest: tokens go straight to the caller's batch, although the
 * last of them are not resolved yet. A Commit is then a subtraction, a Cancel takes tokens off the
 * end, and a Mispredict inverts the last Atom. Before the batch is the caller's again, what is not
 * resolved goes back into the queue (scan_queue.c), where a Mispredict is a token again.
 *
 * A Mispredict may be applied when it comes if the last P0 element is an Atom: no Cancel comes
 * between the two, except one of more than is outstanding; and for that, as for all that is odd,
 * the queue is filled again first. */
#include "protocol/etmv4/scan.h"

#include "protocol/etmv4/cursor.h"

#include <string.h>

enum {
    SESSION = 16384, /* tokens at most between two fillings of the queue, which has room for that */
    ROOM = 16,       /* tokens that one packet can add, and more */
    WAITING = 256,   /* tokens in the queue at most, to begin with */
    BITS_COMMIT = 32,
    BITS_CYCLES = 20,
    BITS_TIMESTAMP = 64,
    TALLY_PACKET = 32, /* bit of a tally in which packets are counted; bytes below */
};

static bool is_p0(const struct cairn_etmv4_scan *s, const struct cairn_token *token)
{
    return (s->p0 >> token->kind) & 1;
}

/* --- from the queue, and back --- */

/* Inverts the last Atom. NULL: the last P0 element is no Atom, or not here, or there are Target
 * Addresses to void, which come back if the Atom is lost. */
static struct cairn_token *mispredict(const struct cairn_etmv4_scan *s,
                                      const struct cairn_token *base, struct cairn_token *t)
{
    struct cairn_token *atom = t;

    for (; atom > base && !is_p0(s, atom - 1); atom--)
        if (atom[-1].kind == CAIRN_ELEMENT_TARGET_ADDRESS)
            return NULL;
    if (atom == base || (--atom)->kind != CAIRN_ELEMENT_ATOM)
        return NULL;
    if (atom->count > 1) {
        const unsigned last = atom->count - 1u;
        const uint64_t taken = (atom->value >> last) & 1;

        memmove(atom + 2, atom + 1, (size_t)(t - (atom + 1)) * sizeof *atom);
        t++;
        atom[1] = atom[0];
        atom[0].count = (uint8_t)last;
        atom[0].value &= (UINT64_C(1) << last) - 1;
        atom++;
        atom->value = taken;
        atom->count = 1;
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
        else if (is_p0(s, token))
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
static struct cairn_token *lay_out(struct cairn_etmv4_scan *s)
{
    struct cairn_scan_batch *batch = s->batch;
    const struct cairn_token *const base = &batch->token[batch->count];
    struct cairn_token *t = &batch->token[batch->count];
    const struct cairn_token *first = s->held.count > 0 ? &s->held : &s->queue[s->first];

    s->front_nth = 0;
    if ((s->held.count > 0 || s->first < s->end) && first->kind == CAIRN_ELEMENT_ATOM) {
        s->front_offset = first->offset;
        s->front_nth = (uint8_t)(first->value >> CAIRN_TOKEN_NTH_SHIFT);
    }
    if (s->held.count > 0) {
        *t = s->held;
        t++->value &= UINT32_MAX;
    }
    for (size_t i = s->first; i < s->end; i++) {
        if (s->queue[i].kind == CAIRN_ELEMENT_MISPREDICT) {
            t = mispredict(s, base, t);
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
    if (is_p0(s, token))
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

/* Takes back from the batch what is not resolved: the last `outstanding` P0 elements, and from the
 * youngest Atom before them on if that is the last P0 element committed. */
static void take_back(struct cairn_etmv4_scan *s, struct cairn_token *t, uint32_t outstanding)
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
        } else if (is_p0(s, from)) {
            left--;
        }
    }
    if (committed == 0) {
        while (from > base && !is_p0(s, from - 1))
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
    if (!cairn_etmv4_scan_reserve(s, 2 * (size_t)(t - from) + ROOM))
        return;
    token = from;
    if (committed > 0) {
        hold(s, token, committed, nth_of(s, base, token));
        token++;
    }
    for (; token < t; token++)
        queue_token(s, token, token->kind == CAIRN_ELEMENT_ATOM ? nth_of(s, from, token) : 0);
    for (token = from; token < t; token++)
        if (token->data != 0) {
            batch->data_count = token->data - 1;
            break;
        }
}

/* --- Cancel --- */

/* Removes the youngest `count` P0 elements and what goes with them; returns the new end. */
static struct cairn_token *cancel(const struct cairn_etmv4_scan *s, struct cairn_token *t,
                                  uint64_t count)
{
    struct cairn_token *from = t;
    struct cairn_token *kept;

    while (count > 0) {
        from--;
        if (from->kind == CAIRN_ELEMENT_ATOM) {
            if (from->count > count) {
                from->count = (uint8_t)(from->count - count);
                from->value &= (UINT64_C(1) << from->count) - 1;
                from++;
                break;
            }
            count -= from->count;
        } else if (is_p0(s, from)) {
            count--;
        }
    }
    for (kept = from; from < t; from++)
        if (cairn_etmv4_survives(from->kind))
            *kept++ = *from;
    return kept;
}

/* --- the loop --- */

static void count_tally(struct cairn_etmv4_scan *s, uint64_t *tally)
{
    for (unsigned account = 0; account < CAIRN_GAP_NO_SYNC; account++) {
        s->ledger.bytes[account] += tally[account] & UINT32_MAX;
        s->ledger.packets[account] += tally[account] >> TALLY_PACKET;
        tally[account] = 0;
    }
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

/* Elements of a packet that is not frequent. */
static struct cairn_token *put_raw(struct cairn_etmv4_scan *s, struct cairn_token *t,
                                   uint32_t *outstanding)
{
    struct cairn_scan_batch *batch = s->batch;

    for (size_t i = 0; i < s->raw->count; i++, t++) {
        struct cairn_element_data data = s->raw->data[i];

        *t = cairn_etmv4_scan_arrival(s, i, &data);
        if (cairn_etmv4_scan_has_more(t, &data)) {
            batch->data[batch->data_count++] = data;
            t->data = (uint32_t)batch->data_count;
        }
        if (is_p0(s, t))
            *outstanding = at_most(*outstanding + 1, s->max);
    }
    s->raw->count = 0;
    return t;
}

#define CURSOR(name)                                                                               \
    struct cairn_etmv4_cursor name = {.bytes = bytes + at, .size = CAIRN_SCAN_MARGIN, .at = 1}
#define TALLY(account, length) tally[account] += (UINT64_C(1) << TALLY_PACKET) + (length)

/* The address of a packet, and in bit 0 its sub_isa (protocol/hot.h). */
static uint64_t address_of(const struct cairn_hot_address *form, const uint64_t history[3],
                           const uint8_t *payload)
{
    uint64_t y;

    memcpy(&y, payload, sizeof y);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    y = __builtin_bswap64(y);
#endif
    return (history[form->entry] & form->keep) | cairn_hot_gather(y, form->mask) << form->shift |
           form->sub_isa;
}

void cairn_etmv4_scan_direct(struct cairn_etmv4_scan *s, struct cairn_scan_view *view,
                             size_t *position)
{
    const uint8_t *bytes = view->bytes;
    const uint64_t origin = s->offset - *position;
    const uint32_t max = s->max;
    const bool commopt = s->decoded->commopt;
    struct cairn_scan_batch *batch = s->batch;
    struct cairn_token *const base = &batch->token[batch->count];
    const size_t room = batch->capacity - batch->count;
    const struct cairn_token *const full = base + (room < SESSION ? room : SESSION) - ROOM;
    uint32_t outstanding = s->outstanding;
    struct cairn_token *t = lay_out(s);
    struct cairn_hot_state hot;
    uint64_t tally[CAIRN_GAP_NO_SYNC] = {0};
    uint64_t late = UINT64_MAX; /* offset of a Mispredict that is for the queue */
    size_t at = *position;
    size_t stop = cairn_etmv4_scan_stop(view, at);

    cairn_etmv4_to_hot(s->compression, &hot);
    while (t < full) {
        const struct cairn_scan_header *header;
        const uint64_t offset = origin + at;
        uint64_t count = 0;
        size_t length = 1;

        if (at >= stop) {
            if (at + CAIRN_SCAN_MARGIN > view->size)
                break;
            count_tally(s, tally);
            length = cairn_etmv4_scan_async(view, at);
            if (length == 0)
                goto look;
            TALLY(CAIRN_ACCOUNT_PADDING, length);
            at += length;
            stop = cairn_etmv4_scan_stop(view, at);
            continue;
        }
        header = &s->header[bytes[at]];
        if (header->single) {
            const uint64_t value = header->token.value + (hot.threshold & header->cycle_mask);

            if (header->commits > outstanding)
                break;
            *t = header->token;
            t->offset = offset;
            t->value = value;
            t->flags = value == 0 ? header->zero_flags : 0;
            t += header->tokens;
            outstanding = at_most(outstanding + header->p0 - header->commits, max);
            tally[header->account] += (UINT64_C(1) << TALLY_PACKET) + 1;
            if (header->recent != 0)
                cairn_etmv4_scan_recent(s, offset, header->recent - 1u);
            at++;
            continue;
        }
        switch ((enum cairn_scan_op)header->op) {
        case CAIRN_SCAN_EXACT:
        case CAIRN_SCAN_SHORT:
        case CAIRN_SCAN_LONG: {
            const struct cairn_hot_address *form =
                &s->hot.address[bytes[at] | (bytes[at + 1] & CAIRN_ETMV4_CONTINUE) << 1];
            const uint64_t address = address_of(form, hot.history, bytes + at + 1);

            length = form->length;
            if (at + length > view->limit)
                goto look;
            hot.history[2] = hot.history[1];
            hot.history[1] = hot.history[0];
            hot.history[0] = address;
            *t++ = (struct cairn_token){.offset = offset,
                                        .length = length,
                                        .value = address & ~UINT64_C(1),
                                        .kind = CAIRN_ELEMENT_TARGET_ADDRESS,
                                        .count = (uint8_t)(address & 1)};
            break;
        }
        case CAIRN_SCAN_CYCLES_F1:
        case CAIRN_SCAN_CYCLES_F2: {
            struct cairn_scan_cycles cycles;

            length =
                cairn_etmv4_scan_cycles(s->decoded, commopt, hot.threshold, bytes + at, &cycles);
            if (length == 0 || cycles.commits > outstanding)
                goto leave;
            if (at + length > view->limit)
                goto look;
            outstanding -= (uint32_t)cycles.commits;
            *t++ = (struct cairn_token){.offset = offset,
                                        .length = length,
                                        .value = cycles.cycles,
                                        .flags = cycles.cycles == 0 ? CAIRN_ELEMENT_UNKNOWN : 0,
                                        .kind = CAIRN_ELEMENT_CYCLE_COUNT};
            break;
        }
        case CAIRN_SCAN_COMMIT:
            count = bytes[at + 1];
            length = 2;
            if (count & CAIRN_ETMV4_CONTINUE) {
                CURSOR(in);

                count = cairn_etmv4_le128(&in, BITS_COMMIT);
                length = in.at;
            }
            if (at + length > view->limit)
                goto look;
            if (count > outstanding)
                goto leave;
            outstanding -= (uint32_t)count;
            break;
        case CAIRN_SCAN_CANCEL_F1: {
            CURSOR(in);

            count = cairn_etmv4_le128(&in, BITS_COMMIT);
            length = in.at;
            if (at + length > view->limit)
                goto look;
            if (count == 0)
                goto leave;
        } /* fall through */
        case CAIRN_SCAN_CANCEL: {
            const uint32_t depth = at_most(outstanding + header->count, max);
            struct cairn_token *inverted;

            count += header->cancel;
            if (count > depth || (count > 0 && s->marked))
                goto leave;
            if (header->count > 0) {
                *t++ = (struct cairn_token){.offset = offset,
                                            .length = length,
                                            .value = header->atoms,
                                            .kind = CAIRN_ELEMENT_ATOM,
                                            .count = header->count};
                cairn_etmv4_scan_recent(s, offset, header->count - 1u);
            }
            outstanding = depth - (uint32_t)count;
            if (count > 0)
                t = cancel(s, t, count);
            if (header->op == CAIRN_SCAN_CANCEL_F1 && !(bytes[at] & 1))
                break;
            inverted = mispredict(s, base, t);
            if (inverted) {
                t = inverted;
                break;
            }
            late = offset;
            tally[header->account] += (UINT64_C(1) << TALLY_PACKET) + length;
            at += length;
            goto leave;
        }
        case CAIRN_SCAN_EVENT:
            for (unsigned i = 0, nth = 0; i < 4; i++) {
                if (!((bytes[at] >> i) & 1))
                    continue;
                *t++ = (struct cairn_token){
                    .offset = offset, .length = 1, .value = i, .kind = CAIRN_ELEMENT_EVENT};
                cairn_etmv4_scan_recent(s, offset, nth++);
            }
            break;
        case CAIRN_SCAN_TIMESTAMP: {
            CURSOR(in);
            const uint64_t time = cairn_etmv4_bit_replacement(&in, BITS_TIMESTAMP, hot.timestamp);
            struct cairn_element_data data = {.address = offset, .value = time};

            if (batch->data_capacity - batch->data_count < ROOM)
                goto leave;
            if (bytes[at] & 1)
                data.cycles = (uint32_t)cairn_etmv4_le128(&in, BITS_CYCLES);
            length = in.at;
            if (at + length > view->limit)
                goto look;
            hot.timestamp = time;
            *t = (struct cairn_token){.offset = offset,
                                      .length = length,
                                      .value = time,
                                      .flags = time == 0 ? CAIRN_ELEMENT_UNKNOWN : 0,
                                      .kind = CAIRN_ELEMENT_TIMESTAMP};
            if (bytes[at] & 1) {
                t->flags |= CAIRN_ELEMENT_CYCLES;
                batch->data[batch->data_count++] = data;
                t->data = (uint32_t)batch->data_count;
            }
            t++;
            break;
        }
        case CAIRN_SCAN_EXTENSION:
            if (bytes[at + 1] != 0)
                goto leave;
            length = cairn_etmv4_scan_async(view, at);
            if (length == 0)
                goto look;
            stop = cairn_etmv4_scan_stop(view, at + length);
            break;
        case CAIRN_SCAN_OTHER: {
            unsigned kind;

            if (batch->data_capacity - batch->data_count < ROOM)
                goto leave;
            if (at + CAIRN_SCAN_MARGIN > view->limit && cairn_etmv4_scan_look(view, at)) {
                stop = cairn_etmv4_scan_stop(view, at);
                continue;
            }
            cairn_etmv4_from_hot(&hot, s->compression);
            length =
                cairn_etmv4_scan_other(s, bytes + at, view->limit - at, offset, outstanding, &kind);
            if (length == 0)
                goto leave;
            cairn_etmv4_to_hot(s->compression, &hot);
            t = put_raw(s, t, &outstanding);
            tally[cairn_etmv4_account(kind)] += (UINT64_C(1) << TALLY_PACKET) + length;
            at += length;
            continue;
        }
        case CAIRN_SCAN_ATOMS:
        case CAIRN_SCAN_CYCLES_F3:
        case CAIRN_SCAN_IGNORE:
        case CAIRN_SCAN_LEVELS: goto leave;
        }
        TALLY(header->account, length);
        at += length;
        continue;
    look: /* the packet may be cut */
        if (!cairn_etmv4_scan_look(view, at))
            break;
        stop = cairn_etmv4_scan_stop(view, at);
    }
leave:
    count_tally(s, tally);
    cairn_etmv4_from_hot(&hot, s->compression);
    s->ledger.total += at - *position;
    s->offset += at - *position;
    take_back(s, t, outstanding);
    if (late != UINT64_MAX && !s->failed)
        cairn_etmv4_scan_mispredict(s, late, s->offset - late);
    *position = at;
}
