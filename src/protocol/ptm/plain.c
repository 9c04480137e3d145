/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms and branch packets without information bytes, with or without cycle counts, straight from
 * the bytes to tokens (IHI0035 4.5.3, 4.5.4): nearly all of a trace. Everything else, and all that
 * is near an A-sync or odd in any way, is left to the levels. */
#include "protocol/ptm/ptm.h"

#include <string.h>

enum {
    BRANCH = 0x01, /* of its header */
    ATOM = 0x80,
    TOKENS_OF_ONE = 3, /* packet */
};

#define ATOM_N UINT64_C(0x02) /* of an atom's header with a count */

/* The atoms of a header 1xxxxxx0, by those six bits: the highest one tells how many stand beneath
 * it, the first of them the oldest; 1 is N. */
#define COUNT(X) ((X)&32 ? 5u : (X)&16 ? 4u : (X)&8 ? 3u : (X)&4 ? 2u : (X)&2 ? 1u : 0u)
#define BIT(X, I) ((I) < COUNT(X) ? (~(X) >> ((COUNT(X) - 1 - (I)) & 7u) & 1u) << (I) : 0u)
#define ONE(X)                                                                                     \
    {                                                                                              \
        COUNT(X), BIT(X, 0) | BIT(X, 1) | BIT(X, 2) | BIT(X, 3) | BIT(X, 4)                        \
    }
#define FOUR(X) ONE(X), ONE((X) + 1u), ONE((X) + 2u), ONE((X) + 3u)
#define SIXTEEN(X) FOUR(X), FOUR((X) + 4u), FOUR((X) + 8u), FOUR((X) + 12u)
static const struct {
    uint8_t count;
    uint8_t bits; /* 1 is E, the oldest in bit 0 */
} atoms_of[64] = {SIXTEEN(0u), SIXTEEN(16u), SIXTEEN(32u), SIXTEEN(48u)};

bool cairn_ptm_plain_serves(const struct cairn_config *config)
{
    (void)config;
    return true;
}

bool cairn_ptm_plain_stands(const void *packets, const void *elements, const uint8_t *data,
                            size_t size, size_t position, size_t *unused)
{
    const struct cairn_ptm_state *state = cairn_ptm_parser_stands(packets, unused);

    (void)data;
    (void)size;
    if (!state || *unused > position)
        return false;
    const struct cairn_context context = cairn_ptm_context(state);

    return state->address_known && state->alignment != CAIRN_STATE_JAZELLE && !state->alt_is &&
           cairn_ptm_elements_stand(elements, &context);
}

static inline uint64_t load(const uint8_t *at)
{
    uint64_t bytes;

    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* A packet that ends so may be cut by an A-sync, whose zeros began in it (4.5.1). */
static inline bool may_be_cut(const uint8_t *packet, unsigned length)
{
    return packet[length - 1] == 0 && packet[length] == 0;
}

static inline struct cairn_token *put_atoms(struct cairn_token *token, uint64_t offset,
                                            unsigned length, unsigned count, unsigned bits)
{
    *token = (struct cairn_token){.offset = offset,
                                  .length = length,
                                  .value = bits,
                                  .kind = CAIRN_ELEMENT_ATOM,
                                  .count = (uint8_t)count};
    return token + 1;
}

static inline struct cairn_token *put_branch(struct cairn_token *token, uint64_t offset,
                                             unsigned length,
                                             const struct cairn_branch_place *place)
{
    token[0] = (struct cairn_token){.offset = offset,
                                    .length = length,
                                    .value = 1,
                                    .flags = CAIRN_TOKEN_ODD | CAIRN_ELEMENT_E |
                                             CAIRN_ELEMENT_INITIAL_E | CAIRN_ELEMENT_ADDRESSED,
                                    .kind = CAIRN_ELEMENT_ATOM,
                                    .count = 1};
    token[1] = (struct cairn_token){.offset = offset,
                                    .length = length,
                                    .value = place->address,
                                    .kind = CAIRN_ELEMENT_TARGET_ADDRESS,
                                    .count = place->thumb};
    return token + 2;
}

static inline struct cairn_token *put_count(struct cairn_token *token, uint64_t offset,
                                            unsigned length, uint32_t count)
{
    const bool known = cairn_count_is_known(count);

    *token = (struct cairn_token){.offset = offset,
                                  .length = length,
                                  .value = known ? count : 0,
                                  .flags = known ? 0 : CAIRN_ELEMENT_UNKNOWN,
                                  .kind = CAIRN_ELEMENT_CYCLE_COUNT};
    return token + 1;
}

/* Where the loop stands. */
struct point {
    struct cairn_branch_place place;
    struct cairn_token *token;
    uint64_t offset; /* of what is read next */
};

/* A packet of Atoms. Returns its length; 0: it is not for here. */
static inline unsigned take_atoms(struct point *p, const uint8_t *packet, const bool counts)
{
    const uint64_t bytes = load(packet);
    unsigned length = 1;

    if (!(bytes & ATOM))
        return 0;
    if (counts) {
        uint32_t count;

        length = cairn_count_read(bytes, &count);
        if (length == 0 || may_be_cut(packet, length))
            return 0;
        p->token = put_atoms(p->token, p->offset, length, 1, !(bytes & ATOM_N));
        p->token = put_count(p->token, p->offset, length, count);
    } else {
        const unsigned atoms = bytes >> 1 & 0x3f;

        if (atoms_of[atoms].count == 0)
            return 0;
        p->token =
            put_atoms(p->token, p->offset, length, atoms_of[atoms].count, atoms_of[atoms].bits);
    }
    return length;
}

/* A branch packet, in the same way. */
static inline unsigned take_branch(struct point *p, const uint8_t *packet, const bool counts)
{
    struct cairn_branch_place moved = p->place;
    unsigned length = cairn_branch_read(load(packet), true, &moved);
    uint32_t count = 0;

    if (length == 0)
        return 0;
    if (counts) {
        const uint64_t bytes = load(packet + length);
        const unsigned more = cairn_count_read(bytes, &count);

        if (more == 0)
            return 0;
        length += more;
    }
    if (may_be_cut(packet, length))
        return 0;
    p->place = moved;
    p->token = put_branch(p->token, p->offset, length, &moved);
    if (counts)
        p->token = put_count(p->token, p->offset, length, count);
    return length;
}

/* Packets up to one that is not for here. Returns their bytes; *packets of them, and *last is where
 * the last one begins. */
static inline size_t take_packets(struct point *p, const uint8_t *data, size_t size,
                                  const struct cairn_token *end, const bool counts,
                                  uint64_t *packets, uint64_t *last)
{
    size_t at = 0;

    while (size - at >= CAIRN_WAYPOINT_MARGIN && end - p->token >= TOKENS_OF_ONE) {
        const unsigned length = data[at] & BRANCH ? take_branch(p, data + at, counts)
                                                  : take_atoms(p, data + at, counts);

        if (length == 0)
            break;
        *last = p->offset;
        p->offset += length;
        at += length;
        ++*packets;
    }
    return at;
}

bool cairn_ptm_counted_waypoints(const struct cairn_config *config)
{
    return cairn_ptm_of(config)->cycle_accurate;
}

struct cairn_branch_place cairn_ptm_plain_place(void *packets)
{
    uint64_t offset;
    const struct cairn_ptm_state *known = cairn_ptm_parser_state(packets, &offset);

    return (struct cairn_branch_place){known->address, known->alignment == CAIRN_STATE_THUMB};
}

void cairn_ptm_plain_skip(void *packets, void *elements, size_t bytes, uint64_t last,
                          const struct cairn_branch_place *place)
{
    uint64_t offset;
    struct cairn_ptm_state *const known = cairn_ptm_parser_state(packets, &offset);

    known->address = place->address;
    known->alignment = place->thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    cairn_ptm_elements_skip(elements, last);
    cairn_ptm_parser_skip(packets, bytes);
}

size_t cairn_ptm_plain_run(void *packets, void *elements, const uint8_t *data, size_t size,
                           struct cairn_scan_batch *batch, struct cairn_scan_ledger *ledger)
{
    struct point p = {.place = cairn_ptm_plain_place(packets),
                      .token = batch->token + batch->count};
    const struct cairn_token *const end = batch->token + batch->capacity;
    uint64_t count = 0;
    uint64_t last = 0;
    size_t taken;

    (void)cairn_ptm_parser_state(packets, &p.offset);
    taken = cairn_ptm_elements_count(elements)
                ? take_packets(&p, data, size, end, true, &count, &last)
                : take_packets(&p, data, size, end, false, &count, &last);
    if (taken == 0)
        return 0;
    batch->count = (size_t)(p.token - batch->token);
    ledger->total += taken;
    ledger->account[CAIRN_ACCOUNT_FLOW].bytes += taken;
    ledger->account[CAIRN_ACCOUNT_FLOW].packets += count;
    cairn_ptm_plain_skip(packets, elements, taken, last, &p.place);
    return taken;
}
