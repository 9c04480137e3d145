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

/* --- the loop --- */

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
        if (cairn_etmv4_scan_is_p0(s, t))
            *outstanding = at_most(*outstanding + 1, s->max);
    }
    s->raw->count = 0;
    return t;
}

#define CURSOR(name)                                                                               \
    struct cairn_etmv4_cursor name = {.bytes = bytes + at, .size = CAIRN_SCAN_MARGIN, .at = 1}
#define TALLY(account, length) tally[account] += (UINT64_C(1) << TALLY_PACKET) + (length)

/* Atoms, each with its Commit, and the addresses behind them, as far as it goes. */
static struct cairn_token *take_runs(struct cairn_etmv4_scan *s, const uint8_t *bytes,
                                     struct cairn_scan_runs *runs, uint32_t *outstanding,
                                     uint64_t *tally)
{
    const unsigned flow = s->header[CAIRN_SCAN_ATOM_N].account;
    const unsigned commit = s->header[CAIRN_SCAN_COMMIT_HEADER].account;

    cairn_etmv4_scan_runs(&s->hot, bytes, runs);
    if (runs->packets == 0)
        return runs->token;
    if (*outstanding == s->max) /* the first Atom committed the oldest one (D6.11.1) */
        --*outstanding;
    tally[flow] += (runs->packets << TALLY_PACKET) + runs->packets;
    tally[commit] += (runs->packets << TALLY_PACKET) + 2 * runs->packets;
    tally[flow] += (runs->addresses << TALLY_PACKET) + runs->address_bytes;
    cairn_etmv4_scan_recent(s, runs->atom, 0);
    return runs->token;
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
    struct cairn_token *t = cairn_etmv4_scan_lay_out(s);
    struct cairn_hot_state hot;
    struct cairn_scan_runs runs = {.origin = origin, .full = full, .history = hot.history};
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
        if (header->runs) {
            runs.at = at;
            runs.stop = stop;
            runs.token = t;
            t = take_runs(s, bytes, &runs, &outstanding, tally);
            if (runs.at > at) {
                at = runs.at;
                continue;
            }
        }
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
            const uint64_t address = cairn_etmv4_scan_address(form, hot.history, bytes + at + 1);

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

                count = cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_COMMIT);
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

            count = cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_COMMIT);
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
            inverted = cairn_etmv4_scan_invert(s, base, t);
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
            const uint64_t time =
                cairn_etmv4_bit_replacement(&in, CAIRN_ETMV4_BITS_TIMESTAMP, hot.timestamp);
            struct cairn_element_data data = {.address = offset, .value = time};

            if (batch->data_capacity - batch->data_count < ROOM)
                goto leave;
            if (bytes[at] & 1)
                data.cycles = (uint32_t)cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_CYCLES);
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
    cairn_etmv4_scan_take_back(s, t, outstanding);
    if (late != UINT64_MAX && !s->failed)
        cairn_etmv4_scan_mispredict(s, late, s->offset - late);
    *position = at;
}
