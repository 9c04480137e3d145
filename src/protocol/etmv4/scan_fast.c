/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast mode of a scan: packets parsed where they lie, the frequent ones by a table of headers
 * and without the structures of the levels. Which packets mean what is in payload.c and elements.c;
 * here is the same again for those that make up nearly all of a trace. */
#include "protocol/etmv4/scan.h"

#include "protocol/etmv4/address.h"

#include <string.h>

enum {
    INFO_T = 1 << 6,
    CYCLES_F1 = 0x0e, /* its first header; format 2 is before it */
    AGAIN = 8,        /* packets until the direct way is tried again */
};

/* --- the headers --- */

static enum cairn_scan_op op_of(const struct cairn_etmv4_scan *s, unsigned kind)
{
    switch ((enum cairn_etmv4_kind)kind) {
    case CAIRN_ETMV4_ATOM_F1:
    case CAIRN_ETMV4_ATOM_F2:
    case CAIRN_ETMV4_ATOM_F3:
    case CAIRN_ETMV4_ATOM_F4:
    case CAIRN_ETMV4_ATOM_F5_1:
    case CAIRN_ETMV4_ATOM_F5_2:
    case CAIRN_ETMV4_ATOM_F6: return CAIRN_SCAN_ATOMS;
    case CAIRN_ETMV4_ADDRESS_EXACT: return CAIRN_SCAN_EXACT;
    case CAIRN_ETMV4_ADDRESS_SHORT_IS0:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS1: return CAIRN_SCAN_SHORT;
    case CAIRN_ETMV4_ADDRESS_32_IS0:
    case CAIRN_ETMV4_ADDRESS_32_IS1:
    case CAIRN_ETMV4_ADDRESS_64_IS0:
    case CAIRN_ETMV4_ADDRESS_64_IS1: return CAIRN_SCAN_LONG;
    case CAIRN_ETMV4_CYCLE_COUNT_F1: return CAIRN_SCAN_CYCLES_F1;
    case CAIRN_ETMV4_CYCLE_COUNT_F2: return CAIRN_SCAN_CYCLES_F2;
    case CAIRN_ETMV4_CYCLE_COUNT_F3: return CAIRN_SCAN_CYCLES_F3;
    case CAIRN_ETMV4_COMMIT: return CAIRN_SCAN_COMMIT;
    case CAIRN_ETMV4_CANCEL_F1: return CAIRN_SCAN_CANCEL_F1;
    case CAIRN_ETMV4_CANCEL_F2:
    case CAIRN_ETMV4_CANCEL_F3:
    case CAIRN_ETMV4_MISPREDICT: return CAIRN_SCAN_CANCEL;
    case CAIRN_ETMV4_EVENT: return CAIRN_SCAN_EVENT;
    case CAIRN_ETMV4_IGNORE: return CAIRN_SCAN_IGNORE;
    case CAIRN_ETMV4_ALIGNMENT_SYNC: return CAIRN_SCAN_EXTENSION;
    case CAIRN_ETMV4_TIMESTAMP: return s->tsmark ? CAIRN_SCAN_OTHER : CAIRN_SCAN_TIMESTAMP;
    case CAIRN_ETMV4_TRANSACTION_START:
    case CAIRN_ETMV4_TRANSACTION_COMMIT:
    case CAIRN_ETMV4_RESERVED: return CAIRN_SCAN_LEVELS;
    default: return CAIRN_SCAN_OTHER;
    }
}

/* A packet of one byte that gives one token at most. */
static void set_single(const struct cairn_etmv4_scan *s, struct cairn_scan_header *header,
                       unsigned byte)
{
    const bool commopt = s->decoded->commopt;

    header->token.length = 1;
    header->tokens = 1;
    switch (header->op) {
    case CAIRN_SCAN_ATOMS:
        header->single = 1;
        header->token.kind = CAIRN_ELEMENT_ATOM;
        header->token.count = header->count;
        header->token.value = header->atoms;
        header->p0 = header->count;
        header->recent = s->tsmark ? header->count : 0;
        header->runs = header->count == 1 && s->max > 0 &&
                       s->kinds[CAIRN_SCAN_COMMIT_HEADER] == CAIRN_ETMV4_COMMIT;
        break;
    case CAIRN_SCAN_CYCLES_F3:
        header->single = !commopt || (byte & 0x0c) == 0;
        header->token.kind = CAIRN_ELEMENT_CYCLE_COUNT;
        header->token.value = byte & 3;
        header->cycle_mask = UINT32_MAX;
        header->zero_flags = CAIRN_ELEMENT_UNKNOWN;
        header->commits = commopt ? 0 : (uint8_t)(((byte >> 2) & 3) + 1);
        break;
    case CAIRN_SCAN_EVENT:
        header->single = (byte & (byte - 1) & 0xf) == 0;
        header->token.kind = CAIRN_ELEMENT_EVENT;
        header->token.value = (unsigned)__builtin_ctz(byte & 0xf);
        header->recent = s->tsmark;
        break;
    case CAIRN_SCAN_IGNORE:
        header->single = 1;
        header->tokens = 0;
        break;
    default: break;
    }
}

void cairn_etmv4_scan_headers(struct cairn_etmv4_scan *s)
{
    static const uint8_t none[1];

    cairn_etmv4_headers(s->decoded, s->kinds);
    for (unsigned i = 0; i < 256; i++) {
        struct cairn_scan_header *header = &s->header[i];
        const uint8_t byte = (uint8_t)i;
        struct cairn_packet_fields fields = {0};
        struct cairn_etmv4_state state = {0};
        unsigned kind = s->kinds[i];
        size_t length = 0;

        header->op = (uint8_t)op_of(s, kind);
        header->account = (uint8_t)cairn_etmv4_account(kind);
        switch (header->op) {
        case CAIRN_SCAN_ATOMS:
        case CAIRN_SCAN_CANCEL:
            (void)cairn_etmv4_payload(s->decoded, s->kinds, &state, &byte, sizeof none, &length,
                                      &kind, &fields);
            header->count = fields.atom_count;
            header->atoms = fields.atoms;
            header->cancel = (uint8_t)fields.count;
            break;
        case CAIRN_SCAN_SHORT:
        case CAIRN_SCAN_LONG: {
            const struct cairn_etmv4_address_form form = cairn_etmv4_form_of(kind);

            header->count = form.sub_isa;
            header->cancel = form.form == CAIRN_ETMV4_FORM_64 ? 8 : 4;
            break;
        }
        default: break;
        }
        set_single(s, header, i);
    }
    (void)cairn_etmv4_hot_table(s->config, &s->hot);
}

/* --- the queue --- */

static struct cairn_token *add(struct cairn_etmv4_scan *s, uint64_t offset, uint64_t length,
                               unsigned kind, uint64_t value)
{
    struct cairn_token *token = &s->queue[s->end++];

    *token = (struct cairn_token){
        .offset = offset, .length = length, .value = value, .kind = (uint8_t)kind};
    return token;
}

/* P0 elements entered the queue: the oldest are committed if there are too many (D6.11.1). */
static void deepen(struct cairn_etmv4_scan *s, unsigned count)
{
    s->outstanding += count;
    if (s->outstanding + s->unseen > s->max)
        cairn_etmv4_scan_commit(s, s->outstanding + s->unseen - s->max);
}

static void add_atoms(struct cairn_etmv4_scan *s, uint64_t offset, uint64_t length,
                      const struct cairn_scan_header *header)
{
    const unsigned count = header->count;
    struct cairn_token *token;

    if (s->max == 0) { /* nothing is ever outstanding */
        cairn_etmv4_scan_pass(s);
        token = &s->held;
        *token = (struct cairn_token){.offset = offset,
                                      .length = length,
                                      .value = header->atoms,
                                      .kind = CAIRN_ELEMENT_ATOM,
                                      .count = (uint8_t)count};
    } else {
        token = add(s, offset, length, CAIRN_ELEMENT_ATOM, header->atoms);
        token->count = (uint8_t)count;
        s->atoms += count;
        deepen(s, count);
    }
    cairn_etmv4_scan_recent(s, offset, count - 1);
}

void cairn_etmv4_scan_mispredict(struct cairn_etmv4_scan *s, uint64_t offset, uint64_t length)
{
    s->mispredicts++;
    (void)add(s, offset, length, CAIRN_ELEMENT_MISPREDICT, 0);
    if (s->atoms == 0 && s->held.count == 0)
        cairn_etmv4_scan_void(s);
}

/* Atoms, a Cancel of `count`, a Mispredict, each of which there may be. False: it is for the
 * levels, and nothing happened. */
static bool cancel(struct cairn_etmv4_scan *s, uint64_t offset, uint64_t length,
                   const struct cairn_scan_header *header, uint64_t count, bool mispredict)
{
    const uint64_t depth = (uint64_t)s->outstanding + s->unseen + header->count;
    const uint64_t commits = depth > s->max ? depth - s->max : 0;
    const uint64_t outstanding = commits > s->unseen ? depth - commits : depth - s->unseen;

    if (count > 0 && (s->marked || count > outstanding))
        return false;
    if (header->count > 0)
        add_atoms(s, offset, length, header);
    if (count > 0)
        cairn_etmv4_scan_cancel(s, count);
    if (mispredict)
        cairn_etmv4_scan_mispredict(s, offset, length);
    return true;
}

static void add_target(struct cairn_etmv4_scan *s, uint64_t offset, uint64_t length,
                       uint64_t address, unsigned sub_isa)
{
    add(s, offset, length, CAIRN_ELEMENT_TARGET_ADDRESS, address)->count = (uint8_t)sub_isa;
    cairn_etmv4_push(s->compression, address, (uint8_t)sub_isa);
}

/* A Commit of `commits` and a Cycle Count. False: more are committed than are outstanding. */
static bool cycle_count(struct cairn_etmv4_scan *s, uint64_t offset, uint64_t length,
                        uint64_t commits, uint32_t cycles)
{
    struct cairn_token *token;

    if (commits > (uint64_t)s->outstanding + s->unseen)
        return false;
    if (commits > 0)
        cairn_etmv4_scan_commit(s, commits);
    token = add(s, offset, length, CAIRN_ELEMENT_CYCLE_COUNT, cycles);
    if (cycles == 0)
        token->flags = CAIRN_ELEMENT_UNKNOWN;
    return true;
}

/* --- packets that are not frequent --- */

static void mark(struct cairn_etmv4_scan *s)
{
    s->marked = s->recent_known;
    s->mark_approximate = false;
    s->mark_offset = s->recent_offset;
    s->mark_nth = s->recent_nth;
}

/* As bind_timestamp() of resolve.c. */
static void bind_timestamp(struct cairn_etmv4_scan *s, struct cairn_token *token,
                           struct cairn_element_data *data)
{
    if (!s->tsmark)
        return;
    if (s->marked) {
        data->address = s->mark_offset;
        if (s->mark_approximate)
            token->flags |= CAIRN_ELEMENT_APPROXIMATE;
    } else {
        data->address = UINT64_MAX;
        token->flags |= CAIRN_ELEMENT_APPROXIMATE;
    }
    s->marked = false;
}

struct cairn_token cairn_etmv4_scan_arrival(struct cairn_etmv4_scan *s, size_t i,
                                            struct cairn_element_data *data)
{
    const struct cairn_element_batch *in = s->raw;
    struct cairn_token token = {.offset = in->offset[i],
                                .length = in->length[i],
                                .value = data->value,
                                .flags = in->flags[i] & (uint16_t)~CAIRN_ELEMENT_COMMITS,
                                .kind = in->kind[i]};

    switch (token.kind) {
    case CAIRN_ELEMENT_TARGET_ADDRESS:
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
        token.value = data->address;
        token.count = data->sub_isa;
        break;
    case CAIRN_ELEMENT_TIMESTAMP: bind_timestamp(s, &token, data); break;
    case CAIRN_ELEMENT_TIMESTAMP_MARKER: mark(s); break;
    default: break;
    }
    if ((s->p0 >> token.kind) & 1)
        cairn_etmv4_scan_recent(s, token.offset, data->nth);
    return token;
}

/* One element of elements.c into the queue. */
static void arrive(struct cairn_etmv4_scan *s, size_t i)
{
    struct cairn_element_data data = s->raw->data[i];
    struct cairn_token *token = &s->queue[s->end++];

    *token = cairn_etmv4_scan_arrival(s, i, &data);
    if (cairn_etmv4_scan_has_more(token, &data))
        token->data = cairn_etmv4_scan_keep(s, &data);
    if ((s->p0 >> token->kind) & 1)
        deepen(s, 1);
}

/* Packets that the fast mode leaves to the levels, although they were parsed. */
static bool is_for_levels(uint32_t depth, unsigned kind, const struct cairn_packet_fields *fields)
{
    switch (kind) {
    case CAIRN_ETMV4_TRACE_INFO: return fields->count != depth || (fields->info & INFO_T);
    case CAIRN_ETMV4_PE_RESET:
    case CAIRN_ETMV4_TRANSACTION_FAILURE: return true;
    default: return false;
    }
}

size_t cairn_etmv4_scan_other(struct cairn_etmv4_scan *s, const uint8_t *bytes, size_t size,
                              uint64_t offset, uint32_t depth, unsigned *kind)
{
    struct cairn_etmv4_state moved = *s->compression;
    struct cairn_packet_batch *packet = s->packets;
    size_t length = 0;
    size_t at = 0;

    if (cairn_etmv4_payload(s->decoded, s->kinds, &moved, bytes, size, &length, kind,
                            &packet->fields[0]) != CAIRN_TAKE_WHOLE ||
        is_for_levels(depth, *kind, &packet->fields[0]))
        return 0;
    *s->compression = moved;
    packet->offset[0] = offset;
    packet->length[0] = length;
    packet->kind[0] = (uint16_t)*kind;
    packet->count = 1;
    s->raw->count = 0;
    cairn_etmv4_elements_restore(s->elements, depth);
    if (cairn_etmv4_elements_run(s->elements, packet, &at, s->raw) != CAIRN_OK)
        s->failed = true;
    packet->count = 0;
    return length;
}

size_t cairn_etmv4_scan_cycles(const struct cairn_etmv4_config *config, bool commopt,
                               uint32_t threshold, const uint8_t *bytes,
                               struct cairn_scan_cycles *cycles)
{
    struct cairn_etmv4_cursor in = {.bytes = bytes, .size = CAIRN_SCAN_MARGIN, .at = 1};
    const unsigned header = bytes[0];
    const unsigned aaaa = bytes[1] >> 4;

    cycles->commits = 0;
    cycles->cycles = 0;
    if (header >= CYCLES_F1) {
        if (!commopt)
            cycles->commits = cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_COMMIT);
        if (!(header & 1))
            cycles->cycles = threshold + (uint32_t)cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_CYCLES);
        return in.at;
    }
    if (commopt && config->is_ete && !(header & 1))
        return 0;
    cycles->cycles = threshold + (bytes[1] & 0xf);
    if (commopt)
        return 2;
    if (!(header & 1))
        cycles->commits = aaaa + 1;
    else if (config->maxspec + aaaa > 15)
        cycles->commits = config->maxspec + aaaa - 15;
    return 2;
}

/* --- the loop --- */

#define CURSOR(name)                                                                               \
    struct cairn_etmv4_cursor name = {.bytes = bytes + at, .size = CAIRN_SCAN_MARGIN, .at = 1}

/* The bytes up to `at` were taken. */
static void count_bytes(struct cairn_etmv4_scan *s, size_t at, size_t *position)
{
    s->ledger.total += at - *position;
    s->offset += at - *position;
    *position = at;
}

enum cairn_scan_stop cairn_etmv4_scan_fast(struct cairn_etmv4_scan *s, struct cairn_scan_view *view,
                                           size_t *position)
{
    const uint8_t *bytes = view->bytes;
    const size_t size = view->size;
    const uint64_t origin = s->offset - *position;
    const struct cairn_scan_batch *batch = s->batch;
    const bool commopt = s->decoded->commopt;
    struct cairn_etmv4_state *state = s->compression;
    size_t at = *position;
    enum cairn_scan_stop stop = CAIRN_SCAN_STOP_BYTES;

    size_t packets = 0;

    cairn_etmv4_scan_move(view, at);
    for (;;) {
        const struct cairn_scan_header *header;
        const uint64_t offset = origin + at;
        size_t length = 1;

        if (batch->count == batch->capacity || batch->data_count == batch->data_capacity) {
            stop = CAIRN_SCAN_STOP_FULL;
            break;
        }
        if (at + CAIRN_SCAN_MARGIN > size)
            break;
        if (!cairn_etmv4_scan_room(s)) {
            stop = CAIRN_SCAN_STOP_LEVELS;
            break;
        }
        if (packets-- == 0) {
            packets = AGAIN + (s->end - s->first);
            if (cairn_etmv4_scan_is_direct(s)) {
                packets = AGAIN;
                count_bytes(s, at, position);
                cairn_etmv4_scan_direct(s, view, position);
                at = *position;
                continue;
            }
        }
        header = &s->header[bytes[at]];
        if (at >= view->limit && header->op != CAIRN_SCAN_EXTENSION)
            goto look;
        switch ((enum cairn_scan_op)header->op) {
        case CAIRN_SCAN_ATOMS: add_atoms(s, offset, 1, header); break;
        case CAIRN_SCAN_EXACT: {
            const struct cairn_etmv4_address entry = state->history[bytes[at] & 3];

            add_target(s, offset, 1, entry.address, entry.sub_isa);
            break;
        }
        case CAIRN_SCAN_SHORT: {
            const unsigned low = header->count ? 1 : 2;
            const unsigned more = bytes[at + 1] >> CAIRN_ETMV4_GROUP;
            const unsigned bits = CAIRN_ETMV4_GROUP + low + 8 * more;
            uint64_t value = (uint64_t)(bytes[at + 1] & 0x7f) << low;

            length = 2 + more;
            if (at + length > view->limit)
                goto look;
            value |= (uint64_t)(bytes[at + 2] * more) << (CAIRN_ETMV4_GROUP + low);
            value |= state->history[0].address & ~((UINT64_C(1) << bits) - 1);
            add_target(s, offset, length, value, header->count);
            break;
        }
        case CAIRN_SCAN_LONG: {
            const struct cairn_etmv4_address_form form = {
                header->cancel == 8 ? CAIRN_ETMV4_FORM_64 : CAIRN_ETMV4_FORM_32, header->count, 0};
            struct cairn_packet_fields fields;
            CURSOR(in);

            length = 1u + header->cancel;
            if (at + length > view->limit)
                goto look;
            fields.flags = 0;
            (void)cairn_etmv4_read_address(&in, state, form, bytes[at],
                                           &fields); /* all entries are known */
            add_target(s, offset, length, fields.address, fields.sub_isa);
            break;
        }
        case CAIRN_SCAN_CYCLES_F3:
            if (commopt && (bytes[at] & 0x0c) != 0)
                goto levels;
            if (!cycle_count(s, offset, 1, commopt ? 0 : ((bytes[at] >> 2) & 3) + 1u,
                             state->cc_threshold + (bytes[at] & 3)))
                goto levels;
            break;
        case CAIRN_SCAN_CYCLES_F1:
        case CAIRN_SCAN_CYCLES_F2: {
            struct cairn_scan_cycles cycles;

            length = cairn_etmv4_scan_cycles(s->decoded, commopt, state->cc_threshold, bytes + at,
                                             &cycles);
            if (length == 0)
                goto levels;
            if (at + length > view->limit)
                goto look;
            if (!cycle_count(s, offset, length, cycles.commits, cycles.cycles))
                goto levels;
            break;
        }
        case CAIRN_SCAN_COMMIT: {
            CURSOR(in);
            const uint64_t commits = cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_COMMIT);

            length = in.at;
            if (at + length > view->limit)
                goto look;
            if (commits > (uint64_t)s->outstanding + s->unseen)
                goto levels;
            cairn_etmv4_scan_commit(s, commits);
            break;
        }
        case CAIRN_SCAN_CANCEL_F1: {
            CURSOR(in);
            const uint64_t count = cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_COMMIT);

            length = in.at;
            if (at + length > view->limit)
                goto look;
            if (count == 0 || !cancel(s, offset, length, header, count, bytes[at] & 1))
                goto levels;
            break;
        }
        case CAIRN_SCAN_CANCEL:
            if (!cancel(s, offset, 1, header, header->cancel, true))
                goto levels;
            break;
        case CAIRN_SCAN_EVENT:
            for (unsigned i = 0, nth = 0; i < 4; i++) {
                if (!((bytes[at] >> i) & 1))
                    continue;
                (void)add(s, offset, 1, CAIRN_ELEMENT_EVENT, i);
                cairn_etmv4_scan_recent(s, offset, nth++);
            }
            break;
        case CAIRN_SCAN_IGNORE: break;
        case CAIRN_SCAN_TIMESTAMP: {
            CURSOR(in);
            const uint64_t time =
                cairn_etmv4_bit_replacement(&in, CAIRN_ETMV4_BITS_TIMESTAMP, state->timestamp);
            struct cairn_element_data data = {.address = offset, .value = time};
            struct cairn_token *token;

            if (bytes[at] & 1)
                data.cycles = (uint32_t)cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_CYCLES);
            length = in.at;
            if (at + length > view->limit)
                goto look;
            state->timestamp = time;
            token = add(s, offset, length, CAIRN_ELEMENT_TIMESTAMP, time);
            if (time == 0)
                token->flags = CAIRN_ELEMENT_UNKNOWN;
            if (bytes[at] & 1) {
                token->flags |= CAIRN_ELEMENT_CYCLES;
                token->data = cairn_etmv4_scan_keep(s, &data);
            }
            break;
        }
        case CAIRN_SCAN_EXTENSION:
            if (bytes[at + 1] != 0)
                goto levels;
            length = cairn_etmv4_scan_async(view, at);
            if (length == 0)
                goto look;
            break;
        case CAIRN_SCAN_OTHER: {
            unsigned kind;

            if (at + CAIRN_SCAN_MARGIN > view->limit && cairn_etmv4_scan_look(view, at))
                continue;
            length = cairn_etmv4_scan_other(s, bytes + at, view->limit - at, offset,
                                            s->outstanding + s->unseen, &kind);
            if (length == 0)
                goto levels;
            for (size_t i = 0; i < s->raw->count; i++)
                arrive(s, i);
            s->raw->count = 0;
            s->ledger.account[cairn_etmv4_account(kind)].bytes += length;
            s->ledger.account[cairn_etmv4_account(kind)].packets++;
            at += length;
            continue;
        }
        case CAIRN_SCAN_LEVELS: goto levels;
        }
        s->ledger.account[header->account].bytes += length;
        s->ledger.account[header->account].packets++;
        at += length;
        continue;
    look: /* the packet may be cut */
        if (cairn_etmv4_scan_look(view, at))
            continue;
    levels:
        stop = CAIRN_SCAN_STOP_LEVELS;
        break;
    }
    count_bytes(s, at, position);
    return stop;
}
