/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast mode of a scan: packets parsed where they lie, the frequent ones by a table of headers
 * (scan_headers.c) and without the structures of the levels. Which packets mean what is in payload.c
 * and elements.c; here is the same again for those that make up nearly all of a trace. */
#include "protocol/etmv4/scan.h"

#include "protocol/etmv4/address.h"

enum {
    INFO_T = 1 << 6,
    CYCLES_F1 = 0x0e, /* its first header; format 2 is before it */
    AGAIN = 8,        /* packets until the direct way is tried again */
};

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

/* --- a packet each --- */

/* Where packets are taken. */
struct fast {
    struct cairn_etmv4_scan *s;
    struct cairn_scan_view *view;
    const uint8_t *bytes;
    uint64_t origin; /* offset of bytes[0] */
    size_t at;       /* place of the next packet */
};

/* The packet at hand is done. */
static enum cairn_scan_next fast_took(struct fast *f, unsigned account, size_t length)
{
    f->s->ledger.account[account].bytes += length;
    f->s->ledger.account[account].packets++;
    f->at += length;
    return CAIRN_SCAN_ON;
}

static bool fast_is_cut(const struct fast *f, size_t length)
{
    return f->at + length > f->view->limit;
}

static enum cairn_scan_next fast_atoms(struct fast *f, const struct cairn_scan_header *header)
{
    add_atoms(f->s, f->origin + f->at, 1, header);
    return fast_took(f, header->account, 1);
}

static enum cairn_scan_next fast_exact(struct fast *f, const struct cairn_scan_header *header)
{
    const struct cairn_etmv4_address entry = f->s->compression->history[f->bytes[f->at] & 3];

    add_target(f->s, f->origin + f->at, 1, entry.address, entry.sub_isa);
    return fast_took(f, header->account, 1);
}

static enum cairn_scan_next fast_short(struct fast *f, const struct cairn_scan_header *header)
{
    const uint8_t *at = f->bytes + f->at;
    const unsigned low = header->count ? 1 : 2;
    const unsigned more = at[1] >> CAIRN_ETMV4_GROUP;
    const unsigned bits = CAIRN_ETMV4_GROUP + low + 8 * more;
    const size_t length = 2 + more;
    uint64_t value = (uint64_t)(at[1] & 0x7f) << low;

    if (fast_is_cut(f, length))
        return CAIRN_SCAN_LOOK;
    value |= (uint64_t)(at[2] * more) << (CAIRN_ETMV4_GROUP + low);
    value |= f->s->compression->history[0].address & ~((UINT64_C(1) << bits) - 1);
    add_target(f->s, f->origin + f->at, length, value, header->count);
    return fast_took(f, header->account, length);
}

static enum cairn_scan_next fast_long(struct fast *f, const struct cairn_scan_header *header)
{
    const struct cairn_etmv4_address_form form = {
        header->cancel == 8 ? CAIRN_ETMV4_FORM_64 : CAIRN_ETMV4_FORM_32, header->count, 0};
    struct cairn_etmv4_cursor in = {.bytes = f->bytes + f->at, .size = CAIRN_SCAN_MARGIN, .at = 1};
    struct cairn_packet_fields fields;
    const size_t length = 1u + header->cancel;

    if (fast_is_cut(f, length))
        return CAIRN_SCAN_LOOK;
    fields.flags = 0;
    (void)cairn_etmv4_read_address(&in, f->s->compression, form, f->bytes[f->at],
                                   &fields); /* all entries are known */
    add_target(f->s, f->origin + f->at, length, fields.address, fields.sub_isa);
    return fast_took(f, header->account, length);
}

static enum cairn_scan_next fast_cycles_f3(struct fast *f, const struct cairn_scan_header *header)
{
    const bool commopt = f->s->decoded->commopt;
    const unsigned byte = f->bytes[f->at];

    if (commopt && (byte & 0x0c) != 0)
        return CAIRN_SCAN_LEAVE;
    if (!cycle_count(f->s, f->origin + f->at, 1, commopt ? 0 : ((byte >> 2) & 3) + 1u,
                     f->s->compression->cc_threshold + (byte & 3)))
        return CAIRN_SCAN_LEAVE;
    return fast_took(f, header->account, 1);
}

static enum cairn_scan_next fast_cycles(struct fast *f, const struct cairn_scan_header *header)
{
    const struct cairn_etmv4_config *config = f->s->decoded;
    struct cairn_scan_cycles cycles;
    const size_t length = cairn_etmv4_scan_cycles(
        config, config->commopt, f->s->compression->cc_threshold, f->bytes + f->at, &cycles);

    if (length == 0)
        return CAIRN_SCAN_LEAVE;
    if (fast_is_cut(f, length))
        return CAIRN_SCAN_LOOK;
    if (!cycle_count(f->s, f->origin + f->at, length, cycles.commits, cycles.cycles))
        return CAIRN_SCAN_LEAVE;
    return fast_took(f, header->account, length);
}

static enum cairn_scan_next fast_commit(struct fast *f, const struct cairn_scan_header *header)
{
    size_t length;
    const uint64_t commits = cairn_etmv4_scan_number(f->bytes + f->at, &length);

    if (fast_is_cut(f, length))
        return CAIRN_SCAN_LOOK;
    if (commits > (uint64_t)f->s->outstanding + f->s->unseen)
        return CAIRN_SCAN_LEAVE;
    cairn_etmv4_scan_commit(f->s, commits);
    return fast_took(f, header->account, length);
}

/* Cancel format 1: how many is behind the header, which tells of a Mispredict. */
static enum cairn_scan_next fast_cancel_f1(struct fast *f, const struct cairn_scan_header *header)
{
    size_t length;
    const uint64_t count = cairn_etmv4_scan_number(f->bytes + f->at, &length);

    if (fast_is_cut(f, length))
        return CAIRN_SCAN_LOOK;
    if (count == 0 || !cancel(f->s, f->origin + f->at, length, header, count, f->bytes[f->at] & 1))
        return CAIRN_SCAN_LEAVE;
    return fast_took(f, header->account, length);
}

static enum cairn_scan_next fast_cancel(struct fast *f, const struct cairn_scan_header *header)
{
    if (!cancel(f->s, f->origin + f->at, 1, header, header->cancel, true))
        return CAIRN_SCAN_LEAVE;
    return fast_took(f, header->account, 1);
}

/* Each Event that the header has a bit of. */
static enum cairn_scan_next fast_event(struct fast *f, const struct cairn_scan_header *header)
{
    const uint64_t offset = f->origin + f->at;

    for (unsigned i = 0, nth = 0; i < 4; i++) {
        if (!((f->bytes[f->at] >> i) & 1))
            continue;
        (void)add(f->s, offset, 1, CAIRN_ELEMENT_EVENT, i);
        cairn_etmv4_scan_recent(f->s, offset, nth++);
    }
    return fast_took(f, header->account, 1);
}

static enum cairn_scan_next fast_timestamp(struct fast *f, const struct cairn_scan_header *header)
{
    struct cairn_etmv4_state *state = f->s->compression;
    const uint64_t offset = f->origin + f->at;
    struct cairn_scan_time time;
    const size_t length = cairn_etmv4_scan_time(f->bytes + f->at, state->timestamp, &time);
    struct cairn_token *token;

    if (fast_is_cut(f, length))
        return CAIRN_SCAN_LOOK;
    state->timestamp = time.value;
    token = add(f->s, offset, length, CAIRN_ELEMENT_TIMESTAMP, time.value);
    if (time.value == 0)
        token->flags = CAIRN_ELEMENT_UNKNOWN;
    if (time.has_cycles) {
        const struct cairn_element_data data = {
            .address = offset, .value = time.value, .cycles = time.cycles};

        token->flags |= CAIRN_ELEMENT_CYCLES;
        token->data = cairn_etmv4_scan_keep(f->s, &data);
    }
    return fast_took(f, header->account, length);
}

/* An A-sync, or another packet whose header is 0. */
static enum cairn_scan_next fast_extension(struct fast *f, const struct cairn_scan_header *header)
{
    size_t length;

    if (f->bytes[f->at + 1] != 0)
        return CAIRN_SCAN_LEAVE;
    length = cairn_etmv4_scan_async(f->view, f->at);
    if (length == 0)
        return CAIRN_SCAN_LOOK;
    return fast_took(f, header->account, length);
}

static enum cairn_scan_next fast_other(struct fast *f)
{
    struct cairn_etmv4_scan *s = f->s;
    size_t length;
    unsigned kind;

    if (fast_is_cut(f, CAIRN_SCAN_MARGIN) && cairn_etmv4_scan_look(f->view, f->at))
        return CAIRN_SCAN_ON;
    length = cairn_etmv4_scan_other(s, f->bytes + f->at, f->view->limit - f->at, f->origin + f->at,
                                    s->outstanding + s->unseen, &kind);
    if (length == 0)
        return CAIRN_SCAN_LEAVE;
    for (size_t i = 0; i < s->raw->count; i++)
        arrive(s, i);
    s->raw->count = 0;
    return fast_took(f, cairn_etmv4_account(kind), length);
}

/* --- the loop --- */

static enum cairn_scan_next fast_take(struct fast *f)
{
    const struct cairn_scan_header *header = &f->s->header[f->bytes[f->at]];

    if (f->at >= f->view->limit && header->op != CAIRN_SCAN_EXTENSION)
        return CAIRN_SCAN_LOOK;
    switch ((enum cairn_scan_op)header->op) {
    case CAIRN_SCAN_ATOMS: return fast_atoms(f, header);
    case CAIRN_SCAN_EXACT: return fast_exact(f, header);
    case CAIRN_SCAN_SHORT: return fast_short(f, header);
    case CAIRN_SCAN_LONG: return fast_long(f, header);
    case CAIRN_SCAN_CYCLES_F1:
    case CAIRN_SCAN_CYCLES_F2: return fast_cycles(f, header);
    case CAIRN_SCAN_CYCLES_F3: return fast_cycles_f3(f, header);
    case CAIRN_SCAN_COMMIT: return fast_commit(f, header);
    case CAIRN_SCAN_CANCEL_F1: return fast_cancel_f1(f, header);
    case CAIRN_SCAN_CANCEL: return fast_cancel(f, header);
    case CAIRN_SCAN_EVENT: return fast_event(f, header);
    case CAIRN_SCAN_IGNORE: return fast_took(f, header->account, 1);
    case CAIRN_SCAN_TIMESTAMP: return fast_timestamp(f, header);
    case CAIRN_SCAN_EXTENSION: return fast_extension(f, header);
    case CAIRN_SCAN_OTHER: return fast_other(f);
    case CAIRN_SCAN_LEVELS: break;
    }
    return CAIRN_SCAN_LEAVE;
}

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
    const struct cairn_scan_batch *batch = s->batch;
    struct fast f = {.s = s,
                     .view = view,
                     .bytes = view->bytes,
                     .origin = s->offset - *position,
                     .at = *position};
    enum cairn_scan_stop stop = CAIRN_SCAN_STOP_LEVELS;
    enum cairn_scan_next next = CAIRN_SCAN_ON;
    size_t packets = 0; /* until the direct way is tried */

    cairn_etmv4_scan_move(view, f.at);
    while (next == CAIRN_SCAN_ON ||
           (next == CAIRN_SCAN_LOOK && cairn_etmv4_scan_look(view, f.at))) {
        next = CAIRN_SCAN_ON;
        if (batch->count == batch->capacity || batch->data_count == batch->data_capacity) {
            stop = CAIRN_SCAN_STOP_FULL;
            break;
        }
        if (f.at + CAIRN_SCAN_MARGIN > view->size) {
            stop = CAIRN_SCAN_STOP_BYTES;
            break;
        }
        if (!cairn_etmv4_scan_room(s))
            break;
        if (packets-- == 0) {
            packets = AGAIN + (s->end - s->first);
            if (cairn_etmv4_scan_is_direct(s)) {
                packets = AGAIN;
                count_bytes(s, f.at, position);
                cairn_etmv4_scan_direct(s, view, position);
                f.at = *position;
                continue;
            }
        }
        next = fast_take(&f);
    }
    count_bytes(s, f.at, position);
    return stop;
}
