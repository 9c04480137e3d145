/* SPDX-License-Identifier: BSD-2-Clause */
/* P-headers, branch packets without exception and data packets, straight from the bytes to tokens
 * (IHI0014 7.3.1, 7.3.5, 7.4): nearly all of a trace. An atom is certain when the next one comes
 * (7.3.5), so what is taken ends in front of a P-header: whatever else ends the loop, it goes back
 * there, and the levels take that packet and those behind it. */
#include <string.h>

#include "protocol/etmv3/elements.h"
#include "protocol/etmv3/payload.h"
#include "protocol/etmv3/plain_data.h"
#include "protocol/hot.h"

enum {
    P_HEADER = 0x80,
    TOKENS_OF_ONE = 16, /* P-header with cycles, at most: eight atoms, and a W before each */
    FAR = 1024,         /* bytes without a place to go back to: fewer than the elements that a
                           resolver holds */
};

/* The atoms of a P-header 1xxxxxx0, by those six bits; 1 is E, the oldest in bit 0. Format 1 is
 * 1NEEEE00: so many E, and if N is 1 an N behind them. Format 2 is 1000FS10: the first and the
 * second, each N if its bit is 1. */
#define EXECUTED(X) ((X) >> 1 & 15u)
#define FORMAT_2(X) (((X)&0x39u) == 1)
#define COUNT(X) (!((X)&1) ? EXECUTED(X) + ((X) >> 5) : FORMAT_2(X) ? 2u : 0u)
#define BITS(X) (!((X)&1) ? (1u << EXECUTED(X)) - 1 : (~(X) >> 2 & 1u) | (~(X)&2u))
#define ONE(X)                                                                                     \
    {                                                                                              \
        COUNT(X), BITS(X)                                                                          \
    }
#define FOUR(X) ONE(X), ONE((X) + 1u), ONE((X) + 2u), ONE((X) + 3u)
#define SIXTEEN(X) FOUR(X), FOUR((X) + 4u), FOUR((X) + 8u), FOUR((X) + 12u)
static const struct {
    uint16_t count; /* 0: it has none, or is none */
    uint16_t bits;
} atoms_of[64] = {SIXTEEN(0u), SIXTEEN(16u), SIXTEEN(32u), SIXTEEN(48u)};

/* Of a header whose bit 0 is 0. */
static inline unsigned count_atoms(unsigned header)
{
    return header & P_HEADER ? atoms_of[header >> 1 & 0x3f].count : 0;
}

/* The cycle-accurate ones: 1N0EEE00 with a W before each atom, 1000FS10 with one before both,
 * 1E1WWW00 with WWW + 1 of them, 10010F10 without, 10000000 that is one. Those that a version does
 * not have have no atoms. */
static struct cairn_wait_form wait_form(const struct cairn_etmv3_config *config, unsigned header)
{
    const unsigned three = header >> 2 & 7;
    const bool top = (header & 0x40) != 0;
    struct cairn_wait_form form = {0};

    if ((header & 0xa3) == 0x80) {
        form = (struct cairn_wait_form){(uint8_t)(three + top), (uint8_t)((1u << three) - 1),
                                        three + top > 0, true};
        form.waits |= header == 0x80 && config->minor == 0;
    } else if ((header & 0xf3) == 0x82) {
        form = (struct cairn_wait_form){2, (uint8_t)BITS(header >> 1 & 0x3f), 1, false};
    } else if ((header & 0xa3) == 0xa0) {
        form = (struct cairn_wait_form){top, top, (uint8_t)(three + 1), false};
    } else if ((header & 0xfb) == 0x92 && config->minor >= 3) {
        form = (struct cairn_wait_form){1, !(header & 4), 0, false};
    }
    return form;
}

unsigned cairn_etmv3_count_atoms(const struct cairn_etmv3_config *config, unsigned header)
{
    if (cairn_branch_begins(header))
        return 0;
    return config->cycle_accurate ? wait_form(config, header).atoms : count_atoms(header);
}

bool cairn_etmv3_plain_serves(const struct cairn_config *config)
{
    return !cairn_etmv3_of(config)->data_only;
}

static bool has_data(const struct cairn_etmv3_config *config)
{
    return config->data_value || config->data_address || config->cprt;
}

/* For the engine's loops over bytes. */
static bool is_bare(const struct cairn_config *config)
{
    return cairn_etmv3_plain_serves(config) && !has_data(cairn_etmv3_of(config));
}

bool cairn_etmv3_plain_stands(const void *packets, const void *elements, const uint8_t *data,
                              size_t size, size_t position, size_t *unused)
{
    const struct cairn_etmv3_state *state = cairn_etmv3_parser_stands(packets, unused);
    unsigned header;

    if (!state || *unused > position || position - *unused == size)
        return false;
    const struct cairn_context context = cairn_etmv3_context(state);

    header = data[position - *unused];
    return cairn_etmv3_count_atoms(cairn_etmv3_elements_config(elements), header) > 0 &&
           state->address_known == 32 &&
           (state->state == CAIRN_STATE_ARM || state->state == CAIRN_STATE_THUMB) &&
           cairn_etmv3_elements_stand(elements, &context);
}

void cairn_etmv3_plain_settle(void *resolver)
{
    cairn_etmv3_resolver_settle(resolver);
}

uint64_t cairn_etmv3_plain_release(void *resolver, uint64_t *offset)
{
    return cairn_etmv3_resolver_release(resolver, offset);
}

void cairn_etmv3_plain_hold(void *resolver, uint64_t offset, uint64_t waits)
{
    cairn_etmv3_resolver_hold(resolver, offset, waits);
}

bool cairn_etmv3_branches(const struct cairn_config *config, struct cairn_hot_table *table,
                          bool *narrow)
{
    if (!is_bare(config) || cairn_etmv3_of(config)->cycle_accurate)
        return false;
    for (unsigned header = P_HEADER; header < 256; header += 2) {
        table->atoms[header] = (uint8_t)count_atoms(header);
        table->bits[header] = atoms_of[header >> 1 & 0x3f].bits;
    }
    *narrow = cairn_etmv3_of(config)->alternative;
    return true;
}

bool cairn_etmv3_wait_forms(const struct cairn_config *config, struct cairn_wait_form forms[256],
                            bool *narrow)
{
    const struct cairn_etmv3_config *decoded = cairn_etmv3_of(config);

    if (!is_bare(config) || !decoded->cycle_accurate)
        return false;
    for (unsigned header = 0; header < 256; header++)
        forms[header] = wait_form(decoded, header);
    *narrow = decoded->alternative;
    return true;
}

struct cairn_branch_place cairn_etmv3_plain_place(void *packets)
{
    uint64_t offset;
    const struct cairn_etmv3_state *known = cairn_etmv3_parser_state(packets, &offset);

    return (struct cairn_branch_place){known->address, known->state == CAIRN_STATE_THUMB};
}

void cairn_etmv3_plain_skip(void *packets, void *elements, size_t bytes, uint64_t last,
                            const struct cairn_branch_place *place)
{
    uint64_t offset;
    struct cairn_etmv3_state *const known = cairn_etmv3_parser_state(packets, &offset);

    (void)last;
    known->address = place->address;
    known->state = place->thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    known->zero_stored = false;
    cairn_etmv3_elements_skip(elements);
    cairn_etmv3_parser_skip(packets, bytes);
}

size_t cairn_etmv3_plain_between(void *packets, size_t skipped,
                                 const struct cairn_branch_place *place, const uint8_t *bytes,
                                 size_t size, struct cairn_packet_batch *batch)
{
    return cairn_etmv3_parser_between(packets, skipped, place, bytes, size, batch);
}

/* --- the run --- */

#define INLINE static inline __attribute__((always_inline))

/* Where it stands. */
struct point {
    size_t at;
    struct cairn_token *token; /* the next one's place */
    size_t data_count;         /* data packets: each has an element's data */
    size_t data_bytes;
    uint64_t packets;
    struct cairn_branch_place place;
    struct cairn_etmv3_data_place data_place;
    bool waits; /* the last token is W's */
};

struct run {
    const struct cairn_etmv3_config *config;
    const uint8_t *kinds;
    const uint8_t *data;
    size_t size;
    uint64_t offset;
    struct cairn_scan_batch *batch;
    struct point safe;               /* the last place to go back to, */
    struct cairn_etmv3_tags tags;    /* and what they are there; */
    struct cairn_etmv3_tags tagging; /* here they may differ, */
    bool tagged;                     /* if this is so */
    size_t other;                    /* end of the last data packet that is not Normal data */
};

/* Member by member: made elsewhere and copied, it would have to wait for the stores of its parts.
 */
static inline struct cairn_token *put(struct cairn_token *token, unsigned kind, uint64_t offset,
                                      unsigned length, uint64_t value, unsigned count)
{
    token->offset = offset;
    token->length = length;
    token->value = value;
    token->data = 0;
    token->flags = 0;
    token->kind = (uint8_t)kind;
    token->count = (uint8_t)count;
    return token + 1;
}

/* W's and atoms in their order. `waits`: W's stand right before, and the first ones come to them.
 */
static inline struct cairn_token *put_waits(struct cairn_token *token, uint64_t offset,
                                            const struct cairn_wait_form *form, bool waits)
{
    if (form->waits > 0 && waits)
        token[-1].value += form->waits;
    else if (form->waits > 0)
        token = put(token, CAIRN_ELEMENT_CYCLE_COUNT, offset, 1, form->waits, 0);
    if (!form->each)
        return form->atoms == 0
                   ? token
                   : put(token, CAIRN_ELEMENT_ATOM, offset, 1, form->bits, form->atoms);
    for (unsigned i = 0; i < form->atoms; i++) {
        if (i > 0)
            token = put(token, CAIRN_ELEMENT_CYCLE_COUNT, offset, 1, 1, 0);
        token = put(token, CAIRN_ELEMENT_ATOM, offset, 1, form->bits >> i & 1, 1);
    }
    return token;
}

/* Each takes the packet at hand, and returns its length; 0: it is not for here. */
INLINE unsigned take_branch(const struct run *r, struct point *now)
{
    uint64_t bytes;
    unsigned length;

    memcpy(&bytes, r->data + now->at, sizeof bytes);
    length = cairn_branch_read(bytes, r->config->alternative, &now->place);
    now->token = put(now->token, CAIRN_ELEMENT_TARGET_ADDRESS, r->offset + now->at, length,
                     now->place.address, now->place.thumb);
    now->waits = false;
    return length;
}

/* To W's right before it the next P-header's come, so that it is no place to go back to. */
INLINE unsigned take_header(struct run *r, struct point *now, unsigned header, const bool cycles)
{
    const uint64_t offset = r->offset + now->at;
    struct cairn_wait_form form = {0};

    if (cycles)
        form = wait_form(r->config, header);
    else
        form.atoms = (uint8_t)count_atoms(header);
    if (form.atoms + form.waits == 0)
        return 0;
    if (form.atoms > 0 && !now->waits) {
        r->safe = *now;
        if (r->tagged)
            r->tags = r->tagging;
        r->tagged = false;
    }
    if (cycles)
        now->token = put_waits(now->token, offset, &form, now->waits);
    else
        now->token = put(now->token, CAIRN_ELEMENT_ATOM, offset, 1,
                         atoms_of[header >> 1 & 0x3f].bits, form.atoms);
    now->waits = form.atoms == 0;
    return 1;
}

static unsigned read_other(struct run *r, size_t at, struct cairn_etmv3_data_place *place,
                           struct cairn_element_data *element, unsigned *flags)
{
    unsigned length;

    if (r->other != at) /* what they tell of the packet before it is of another */
        r->tagging.last = r->tagging.late = 0;
    length = cairn_etmv3_read_other_data(r->config, r->kinds[r->data[at]], r->data + at,
                                         r->offset + at, place, &r->tagging, element, flags);
    r->other = at + length;
    r->tagged = true;
    return length;
}

INLINE unsigned take_data(struct run *r, struct point *now, unsigned header)
{
    struct cairn_element_data *const element = r->batch->data + now->data_count;
    unsigned flags = 0;
    unsigned length;

    if (cairn_etmv3_is_normal_data(header)) {
        length =
            cairn_etmv3_read_normal_data(r->config, r->data + now->at, &now->data_place, element);
    } else {
        struct cairn_etmv3_data_place place = now->data_place;

        length = read_other(r, now->at, &place, element, &flags);
        now->data_place = place;
        if (length == 0)
            return 0;
    }
    now->data_count++;
    now->data_bytes += length;
    now->token =
        put(now->token, CAIRN_ELEMENT_DATA, r->offset + now->at, length, element->value, 0);
    now->token[-1].data = (uint32_t)now->data_count;
    now->token[-1].flags = (uint16_t)flags;
    now->waits = false;
    return length;
}

/* Takes packets up to one that is not for here, or that there is no room for, and notes the last
 * place to go back to. A data packet that ends in zeros may be cut by an A-sync. Then 00 is behind
 * it, or 80 if there are enough: neither is taken, so that it is given back. */
INLINE void run(struct run *r, const bool with_data, const bool cycles)
{
    const size_t margin = with_data ? CAIRN_ETMV3_DATA_MARGIN : CAIRN_BRANCH_MARGIN;
    const struct cairn_scan_batch *const batch = r->batch;
    const struct cairn_token *const end = batch->token + batch->capacity;
    const size_t most = cycles ? TOKENS_OF_ONE : 1;
    struct point now = r->safe;

    while (r->size - now.at >= margin && (size_t)(end - now.token) >= most &&
           now.at - r->safe.at <= FAR) {
        const unsigned header = r->data[now.at];
        unsigned length = 0;

        if (cairn_branch_begins(header))
            length = take_branch(r, &now);
        else if (with_data && header == P_HEADER)
            return;
        else if (header & P_HEADER)
            length = take_header(r, &now, header, cycles);
        else if (with_data && now.data_count < batch->data_capacity)
            length = take_data(r, &now, header);
        if (length == 0)
            return;
        now.packets++;
        now.at += length;
    }
}

static void run_as_configured(struct run *r)
{
    if (!has_data(r->config))
        run(r, false, false);
    else if (!r->config->cycle_accurate)
        run(r, true, false);
    else
        run(r, true, true);
}

/* What was taken is up to the place to go back to. */
static void end_run(const struct run *r, size_t data_count, struct cairn_scan_ledger *ledger)
{
    const struct point *safe = &r->safe;
    const uint64_t data_packets = safe->data_count - data_count;

    r->batch->count = (size_t)(safe->token - r->batch->token);
    r->batch->data_count = safe->data_count;
    ledger->total += safe->at;
    ledger->account[CAIRN_ACCOUNT_FLOW].bytes += safe->at - safe->data_bytes;
    ledger->account[CAIRN_ACCOUNT_FLOW].packets += safe->packets - data_packets;
    ledger->account[CAIRN_ACCOUNT_METADATA].bytes += safe->data_bytes;
    ledger->account[CAIRN_ACCOUNT_METADATA].packets += data_packets;
}

size_t cairn_etmv3_plain_run(void *packets, void *elements, const uint8_t *data, size_t size,
                             struct cairn_scan_batch *batch, struct cairn_scan_ledger *ledger)
{
    const struct cairn_etmv3_config *config = cairn_etmv3_elements_config(elements);
    struct cairn_etmv3_tags *const tags = cairn_etmv3_elements_tags(elements);
    const size_t data_count = batch->data_count;
    struct run r = {.config = config,
                    .kinds = cairn_etmv3_parser_kinds(packets),
                    .data = data,
                    .size = size,
                    .batch = batch,
                    .tags = *tags,
                    .tagging = *tags};
    struct cairn_etmv3_state *const known = cairn_etmv3_parser_state(packets, &r.offset);

    if (config->cycle_accurate && !has_data(config))
        return 0; /* the engine takes these, and nobody else */
    r.safe = (struct point){.token = batch->token + batch->count,
                            .data_count = data_count,
                            .place = cairn_etmv3_plain_place(packets),
                            .data_place = cairn_etmv3_data_place_of(known)};
    run_as_configured(&r);
    if (r.safe.at == 0)
        return 0;
    end_run(&r, data_count, ledger);
    cairn_etmv3_to_data_place(known, &r.safe.data_place);
    *tags = r.tags;
    cairn_etmv3_plain_skip(packets, elements, r.safe.at, 0, &r.safe.place);
    return r.safe.at;
}
