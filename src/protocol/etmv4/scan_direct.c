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

#define DIRECT_INLINE static inline __attribute__((always_inline))

enum {
    SESSION = 16384, /* tokens at most between two fillings of the queue, which has room for that */
    ROOM = CAIRN_SCAN_ROOM,
    TALLY_PACKET = 32, /* bit of a tally in which packets are counted; bytes below */
};

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
                cairn_etmv4_scan_shorten(from, from->count - (unsigned)count);
                from++;
                break;
            }
            count -= from->count;
        } else if (cairn_etmv4_scan_is_p0(s, from)) {
            count--;
        }
    }
    for (kept = from; from < t; from++)
        if (cairn_etmv4_survives(from->kind))
            *kept++ = *from;
    return kept;
}

/* --- what packets have in common --- */

static void count_tally(struct cairn_etmv4_scan *s, uint64_t *tally)
{
    for (unsigned account = 0; account < CAIRN_GAP_NO_SYNC; account++) {
        s->ledger.account[account].bytes += tally[account] & UINT32_MAX;
        s->ledger.account[account].packets += tally[account] >> TALLY_PACKET;
        tally[account] = 0;
    }
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

/* What moves from packet to packet, with what all of them need. Its address stays in functions that
 * are inlined, so that its members are in registers; what others write is behind pointers. */
struct direct {
    struct cairn_etmv4_scan *s;
    struct cairn_scan_view *view;
    const uint8_t *bytes;
    uint64_t origin;                /* offset of bytes[0] */
    const struct cairn_token *base; /* the first token of the session */
    struct cairn_hot_state *hot;
    struct cairn_scan_runs *runs;
    uint64_t *tally;
    struct cairn_token *token; /* where the next one goes */
    uint32_t outstanding;
    size_t at;     /* place of the next packet */
    size_t stop;   /* packets of one byte need no more care up to here */
    uint64_t late; /* offset of a Mispredict that is for the queue */
};

/* --- a packet each --- */

/* The packet at hand is done. */
DIRECT_INLINE enum cairn_scan_next direct_took(struct direct *d, unsigned account, size_t length)
{
    d->tally[account] += (UINT64_C(1) << TALLY_PACKET) + length;
    d->at += length;
    return CAIRN_SCAN_ON;
}

DIRECT_INLINE bool direct_is_cut(const struct direct *d, size_t length)
{
    return d->at + length > d->view->limit;
}

/* The bytes end here, or an A-sync may be near. */
DIRECT_INLINE enum cairn_scan_next direct_border(struct direct *d)
{
    size_t length;

    if (d->at + CAIRN_SCAN_MARGIN > d->view->size)
        return CAIRN_SCAN_LEAVE;
    count_tally(d->s, d->tally);
    length = cairn_etmv4_scan_async(d->view, d->at);
    if (length == 0)
        return CAIRN_SCAN_LOOK;
    d->stop = cairn_etmv4_scan_stop(d->view, d->at + length);
    return direct_took(d, CAIRN_ACCOUNT_PADDING, length);
}

/* Atoms, each with its Commit, and the addresses behind them, as far as it goes. False: there are
 * none. */
DIRECT_INLINE bool direct_runs(struct direct *d)
{
    struct cairn_etmv4_scan *s = d->s;
    struct cairn_scan_runs *runs = d->runs;
    const size_t at = d->at;

    runs->at = at;
    runs->stop = d->stop;
    runs->token = d->token;
    cairn_etmv4_scan_runs(&s->hot, d->bytes, runs);
    d->token = runs->token;
    d->at = runs->at;
    if (runs->packets > 0) {
        const unsigned flow = s->header[CAIRN_SCAN_ATOM_N].account;
        const unsigned commit = s->header[CAIRN_SCAN_COMMIT_HEADER].account;

        if (d->outstanding == s->max) /* the first Atom committed the oldest one (D6.11.1) */
            d->outstanding--;
        d->tally[flow] += (runs->packets << TALLY_PACKET) + runs->packets;
        d->tally[commit] += (runs->packets << TALLY_PACKET) + 2 * runs->packets;
        d->tally[flow] += (runs->addresses << TALLY_PACKET) + runs->address_bytes;
        cairn_etmv4_scan_recent(s, runs->atom, 0);
    }
    return d->at > at;
}

/* A packet of one byte that gives one token at most. */
DIRECT_INLINE enum cairn_scan_next direct_single(struct direct *d,
                                                 const struct cairn_scan_header *header)
{
    const uint64_t value = header->token.value + (d->hot->threshold & header->cycle_mask);
    const uint64_t offset = d->origin + d->at;

    if (header->commits > d->outstanding)
        return CAIRN_SCAN_LEAVE;
    *d->token = header->token;
    d->token->offset = offset;
    d->token->value = value;
    d->token->flags = value == 0 ? header->zero_flags : 0;
    d->token += header->tokens;
    d->outstanding = at_most(d->outstanding + header->p0 - header->commits, d->s->max);
    if (header->recent != 0)
        cairn_etmv4_scan_recent(d->s, offset, header->recent - 1u);
    return direct_took(d, header->account, 1);
}

DIRECT_INLINE enum cairn_scan_next direct_address(struct direct *d,
                                                  const struct cairn_scan_header *header)
{
    const uint8_t *at = d->bytes + d->at;
    const struct cairn_hot_address *form =
        &d->s->hot.address[at[0] | (at[1] & CAIRN_ETMV4_CONTINUE) << 1];
    uint64_t *history = d->hot->history;
    const uint64_t address = cairn_etmv4_scan_address(form, history, at + 1);
    const size_t length = form->length;

    if (direct_is_cut(d, length))
        return CAIRN_SCAN_LOOK;
    history[2] = history[1];
    history[1] = history[0];
    history[0] = address;
    *d->token++ = (struct cairn_token){.offset = d->origin + d->at,
                                       .length = length,
                                       .value = address & ~UINT64_C(1),
                                       .kind = CAIRN_ELEMENT_TARGET_ADDRESS,
                                       .count = (uint8_t)(address & 1)};
    return direct_took(d, header->account, length);
}

DIRECT_INLINE enum cairn_scan_next direct_cycles(struct direct *d,
                                                 const struct cairn_scan_header *header)
{
    const struct cairn_etmv4_config *config = d->s->decoded;
    struct cairn_scan_cycles cycles;
    const size_t length = cairn_etmv4_scan_cycles(config, config->commopt, d->hot->threshold,
                                                  d->bytes + d->at, &cycles);

    if (length == 0 || cycles.commits > d->outstanding)
        return CAIRN_SCAN_LEAVE;
    if (direct_is_cut(d, length))
        return CAIRN_SCAN_LOOK;
    d->outstanding -= (uint32_t)cycles.commits;
    *d->token++ = (struct cairn_token){.offset = d->origin + d->at,
                                       .length = length,
                                       .value = cycles.cycles,
                                       .flags = cycles.cycles == 0 ? CAIRN_ELEMENT_UNKNOWN : 0,
                                       .kind = CAIRN_ELEMENT_CYCLE_COUNT};
    return direct_took(d, header->account, length);
}

DIRECT_INLINE enum cairn_scan_next direct_commit(struct direct *d,
                                                 const struct cairn_scan_header *header)
{
    uint64_t count = d->bytes[d->at + 1];
    size_t length = 2;

    if (count & CAIRN_ETMV4_CONTINUE)
        count = cairn_etmv4_scan_number(d->bytes + d->at, &length);
    if (direct_is_cut(d, length))
        return CAIRN_SCAN_LOOK;
    if (count > d->outstanding)
        return CAIRN_SCAN_LEAVE;
    d->outstanding -= (uint32_t)count;
    return direct_took(d, header->account, length);
}

/* Atoms, a Cancel of `count`, a Mispredict, each of which there may be. */
DIRECT_INLINE enum cairn_scan_next direct_cancel(struct direct *d,
                                                 const struct cairn_scan_header *header,
                                                 size_t length, uint64_t count, bool mispredict)
{
    struct cairn_etmv4_scan *s = d->s;
    const uint32_t depth = at_most(d->outstanding + header->count, s->max);
    const uint64_t offset = d->origin + d->at;
    struct cairn_token *inverted;

    if (count > depth || (count > 0 && s->marked))
        return CAIRN_SCAN_LEAVE;
    if (header->count > 0) {
        *d->token++ = (struct cairn_token){.offset = offset,
                                           .length = length,
                                           .value = header->atoms,
                                           .kind = CAIRN_ELEMENT_ATOM,
                                           .count = header->count};
        cairn_etmv4_scan_recent(s, offset, header->count - 1u);
    }
    d->outstanding = depth - (uint32_t)count;
    if (count > 0)
        d->token = cancel(s, d->token, count);
    (void)direct_took(d, header->account, length);
    if (!mispredict)
        return CAIRN_SCAN_ON;
    inverted = cairn_etmv4_scan_invert(s, d->base, d->token);
    if (!inverted) {
        d->late = offset;
        return CAIRN_SCAN_LEAVE;
    }
    d->token = inverted;
    return CAIRN_SCAN_ON;
}

/* Cancel format 1: how many is behind the header, which tells of a Mispredict. */
DIRECT_INLINE enum cairn_scan_next direct_cancel_f1(struct direct *d,
                                                    const struct cairn_scan_header *header)
{
    size_t length;
    const uint64_t count = cairn_etmv4_scan_number(d->bytes + d->at, &length);

    if (direct_is_cut(d, length))
        return CAIRN_SCAN_LOOK;
    if (count == 0)
        return CAIRN_SCAN_LEAVE;
    return direct_cancel(d, header, length, count, d->bytes[d->at] & 1);
}

/* Each Event that the header has a bit of. */
DIRECT_INLINE enum cairn_scan_next direct_event(struct direct *d,
                                                const struct cairn_scan_header *header)
{
    const uint64_t offset = d->origin + d->at;

    for (unsigned i = 0, nth = 0; i < 4; i++) {
        if (!((d->bytes[d->at] >> i) & 1))
            continue;
        *d->token++ = (struct cairn_token){
            .offset = offset, .length = 1, .value = i, .kind = CAIRN_ELEMENT_EVENT};
        cairn_etmv4_scan_recent(d->s, offset, nth++);
    }
    return direct_took(d, header->account, 1);
}

static bool has_room_for_data(const struct cairn_scan_batch *batch)
{
    return batch->data_capacity - batch->data_count >= ROOM;
}

DIRECT_INLINE enum cairn_scan_next direct_timestamp(struct direct *d,
                                                    const struct cairn_scan_header *header)
{
    struct cairn_scan_batch *batch = d->s->batch;
    const uint64_t offset = d->origin + d->at;
    struct cairn_scan_time time;
    size_t length;

    if (!has_room_for_data(batch))
        return CAIRN_SCAN_LEAVE;
    length = cairn_etmv4_scan_time(d->bytes + d->at, d->hot->timestamp, &time);
    if (direct_is_cut(d, length))
        return CAIRN_SCAN_LOOK;
    d->hot->timestamp = time.value;
    *d->token = (struct cairn_token){.offset = offset,
                                     .length = length,
                                     .value = time.value,
                                     .flags = time.value == 0 ? CAIRN_ELEMENT_UNKNOWN : 0,
                                     .kind = CAIRN_ELEMENT_TIMESTAMP};
    if (time.has_cycles) {
        batch->data[batch->data_count++] = (struct cairn_element_data){
            .address = offset, .value = time.value, .cycles = time.cycles};
        d->token->flags |= CAIRN_ELEMENT_CYCLES;
        d->token->data = (uint32_t)batch->data_count;
    }
    d->token++;
    return direct_took(d, header->account, length);
}

/* An A-sync, or another packet whose header is 0. */
DIRECT_INLINE enum cairn_scan_next direct_extension(struct direct *d,
                                                    const struct cairn_scan_header *header)
{
    size_t length;

    if (d->bytes[d->at + 1] != 0)
        return CAIRN_SCAN_LEAVE;
    length = cairn_etmv4_scan_async(d->view, d->at);
    if (length == 0)
        return CAIRN_SCAN_LOOK;
    d->stop = cairn_etmv4_scan_stop(d->view, d->at + length);
    return direct_took(d, header->account, length);
}

/* Tokens of the elements of a packet that is not frequent. */
DIRECT_INLINE void direct_put_raw(struct direct *d)
{
    struct cairn_etmv4_scan *s = d->s;
    struct cairn_scan_batch *batch = s->batch;

    for (size_t i = 0; i < s->raw->count; i++, d->token++) {
        struct cairn_element_data data = s->raw->data[i];

        *d->token = cairn_etmv4_scan_arrival(s, i, &data);
        if (cairn_etmv4_scan_has_more(d->token, &data)) {
            batch->data[batch->data_count++] = data;
            d->token->data = (uint32_t)batch->data_count;
        }
        if (cairn_etmv4_scan_is_p0(s, d->token))
            d->outstanding = at_most(d->outstanding + 1, s->max);
    }
    s->raw->count = 0;
}

DIRECT_INLINE enum cairn_scan_next direct_other(struct direct *d)
{
    struct cairn_etmv4_scan *s = d->s;
    size_t length;
    unsigned kind;

    if (!has_room_for_data(s->batch))
        return CAIRN_SCAN_LEAVE;
    if (direct_is_cut(d, CAIRN_SCAN_MARGIN) && cairn_etmv4_scan_look(d->view, d->at)) {
        d->stop = cairn_etmv4_scan_stop(d->view, d->at);
        return CAIRN_SCAN_ON;
    }
    cairn_etmv4_from_hot(d->hot, s->compression);
    length = cairn_etmv4_scan_other(s, d->bytes + d->at, d->view->limit - d->at, d->origin + d->at,
                                    d->outstanding, &kind);
    if (length == 0)
        return CAIRN_SCAN_LEAVE;
    cairn_etmv4_to_hot(s->compression, d->hot);
    direct_put_raw(d);
    return direct_took(d, cairn_etmv4_account(kind), length);
}

/* --- the loop --- */

/* Takes the next packet, or more of those that come in runs. */
DIRECT_INLINE enum cairn_scan_next direct_take(struct direct *d)
{
    const struct cairn_scan_header *header;

    if (d->at >= d->stop)
        return direct_border(d);
    header = &d->s->header[d->bytes[d->at]];
    if (header->runs && direct_runs(d))
        return CAIRN_SCAN_ON;
    if (header->single)
        return direct_single(d, header);
    switch ((enum cairn_scan_op)header->op) {
    case CAIRN_SCAN_EXACT:
    case CAIRN_SCAN_SHORT:
    case CAIRN_SCAN_LONG: return direct_address(d, header);
    case CAIRN_SCAN_CYCLES_F1:
    case CAIRN_SCAN_CYCLES_F2: return direct_cycles(d, header);
    case CAIRN_SCAN_COMMIT: return direct_commit(d, header);
    case CAIRN_SCAN_CANCEL_F1: return direct_cancel_f1(d, header);
    case CAIRN_SCAN_CANCEL: return direct_cancel(d, header, 1, header->cancel, true);
    case CAIRN_SCAN_EVENT: return direct_event(d, header);
    case CAIRN_SCAN_TIMESTAMP: return direct_timestamp(d, header);
    case CAIRN_SCAN_EXTENSION: return direct_extension(d, header);
    case CAIRN_SCAN_OTHER: return direct_other(d);
    case CAIRN_SCAN_ATOMS:
    case CAIRN_SCAN_CYCLES_F3:
    case CAIRN_SCAN_IGNORE:
    case CAIRN_SCAN_LEVELS: break;
    }
    return CAIRN_SCAN_LEAVE;
}

void cairn_etmv4_scan_direct(struct cairn_etmv4_scan *s, struct cairn_scan_view *view,
                             size_t *position)
{
    const struct cairn_scan_batch *batch = s->batch;
    struct cairn_token *const base = &batch->token[batch->count];
    const size_t room = batch->capacity - batch->count;
    const struct cairn_token *const full = base + (room < SESSION ? room : SESSION) - ROOM;
    const uint64_t origin = s->offset - *position;
    struct cairn_hot_state hot;
    struct cairn_scan_runs runs = {.origin = origin, .full = full, .history = hot.history};
    uint64_t tally[CAIRN_GAP_NO_SYNC] = {0};
    struct direct d = {.s = s,
                       .view = view,
                       .bytes = view->bytes,
                       .origin = origin,
                       .base = base,
                       .hot = &hot,
                       .runs = &runs,
                       .tally = tally,
                       .token = cairn_etmv4_scan_lay_out(s),
                       .outstanding = s->outstanding,
                       .at = *position,
                       .stop = cairn_etmv4_scan_stop(view, *position),
                       .late = UINT64_MAX};

    cairn_etmv4_to_hot(s->compression, &hot);
    while (d.token < full) {
        const enum cairn_scan_next next = direct_take(&d);

        if (next == CAIRN_SCAN_ON)
            continue;
        if (next == CAIRN_SCAN_LEAVE || !cairn_etmv4_scan_look(view, d.at))
            break;
        d.stop = cairn_etmv4_scan_stop(view, d.at);
    }
    count_tally(s, tally);
    cairn_etmv4_from_hot(&hot, s->compression);
    s->ledger.total += d.at - *position;
    s->offset += d.at - *position;
    cairn_etmv4_scan_take_back(s, d.token, d.outstanding);
    if (d.late != UINT64_MAX && !s->failed)
        cairn_etmv4_scan_mispredict(s, d.late, s->offset - d.late);
    *position = d.at;
}
