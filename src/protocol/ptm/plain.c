/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms and branch packets without information bytes, straight from the bytes to tokens (IHI0035
 * 4.5.3, 4.5.4): nearly all of a trace without cycle counts. Everything else, and all that is near
 * an A-sync or odd in any way, is left to the levels. */
#include "protocol/ptm/ptm.h"

#include <string.h>

enum {
    MARGIN = 8,    /* bytes that are read at once, of a packet and behind it */
    LONGEST = 5,   /* a branch packet without information bytes */
    BRANCH = 0x01, /* of its header */
    ATOM = 0x80,
};

/* The bytes of an address with their continuation bits: low ones of the first, then of each. */
#define CONTINUES UINT64_C(0x8080808080)

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

/* Reads a branch packet. 0: it is not for here. */
static unsigned read_branch(uint64_t bytes, struct cairn_ptm_state *state)
{
    const uint64_t ends = ~bytes & CONTINUES;
    unsigned length;
    uint32_t payload;
    const unsigned shift = state->alignment == CAIRN_STATE_ARM ? 2 : 1;

    if (ends == 0)
        return 0;
    length = (unsigned)__builtin_ctzll(ends) / 8 + 1;
    const unsigned last = (unsigned)(bytes >> (8 * (length - 1))) & 0xff;

    /* information bytes follow, or it may be the beginning of an A-sync */
    if ((length > 1 && (last & 0x40)) || (last == 0 && (bytes >> (8 * length) & 0xff) == 0))
        return 0;
    payload = (uint32_t)(bytes >> 1 & 0x3f) | (uint32_t)(bytes >> 8 & 0x7f) << 6 |
              (uint32_t)(bytes >> 16 & 0x7f) << 13 | (uint32_t)(bytes >> 24 & 0x7f) << 20;
    if (length == LONGEST) {
        if ((last & 0x38) == 0x08) {
            state->alignment = CAIRN_STATE_ARM;
            state->address = (payload | (last & 7) << 27) << 2;
        } else if ((last & 0x30) == 0x10) {
            state->alignment = CAIRN_STATE_THUMB;
            state->address = (payload | (last & 15) << 27) << 1;
        } else {
            return 0;
        }
        return length;
    }
    /* six bits of the first byte, seven of each between, six of the last */
    const unsigned count = length == 1 ? 6 : 7 * length - 2;
    const uint32_t mask = (UINT32_C(1) << (count + shift)) - 1;

    state->address = (state->address & ~mask) | (payload << shift & mask);
    return length;
}

bool cairn_ptm_plain_serves(const struct cairn_config *config)
{
    return !cairn_ptm_of(config)->cycle_accurate;
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

static void put_branch(struct cairn_token *token, uint64_t offset, unsigned length,
                       const struct cairn_ptm_state *state)
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
                                    .value = state->address,
                                    .kind = CAIRN_ELEMENT_TARGET_ADDRESS,
                                    .count = state->alignment == CAIRN_STATE_THUMB};
}

size_t cairn_ptm_plain_run(void *packets, void *elements, const uint8_t *data, size_t size,
                           struct cairn_scan_batch *batch, struct cairn_scan_ledger *ledger)
{
    uint64_t offset;
    struct cairn_ptm_state *const known = cairn_ptm_parser_state(packets, &offset);
    struct cairn_ptm_state state = *known;
    struct cairn_token *token = batch->token + batch->count;
    struct cairn_token *const end = batch->token + batch->capacity;
    uint64_t count = 0; /* packets */
    size_t last = 0;    /* the last of them */
    size_t at = 0;

    while (size - at >= MARGIN && end - token >= 2) {
        uint64_t bytes;
        unsigned length;

        memcpy(&bytes, data + at, sizeof bytes);
        if ((bytes & BRANCH) == 0) {
            const unsigned atoms = bytes >> 1 & 0x3f;

            if (!(bytes & ATOM) || atoms_of[atoms].count == 0)
                break;
            *token++ = (struct cairn_token){.offset = offset + at,
                                            .length = 1,
                                            .value = atoms_of[atoms].bits,
                                            .kind = CAIRN_ELEMENT_ATOM,
                                            .count = atoms_of[atoms].count};
            length = 1;
        } else {
            struct cairn_ptm_state moved = state;

            length = read_branch(bytes, &moved);
            /* to 0 may be the fall into a prohibited region (4.7) */
            if (length == 0 || moved.address == 0)
                break;
            state = moved;
            put_branch(token, offset + at, length, &state);
            token += 2;
        }
        last = at;
        at += length;
        count++;
    }
    if (at == 0)
        return 0;
    *known = state;
    batch->count = (size_t)(token - batch->token);
    ledger->total += at;
    ledger->bytes[CAIRN_ACCOUNT_FLOW] += at;
    ledger->packets[CAIRN_ACCOUNT_FLOW] += count;
    cairn_ptm_elements_skip(elements, offset + last);
    cairn_ptm_parser_skip(packets, at);
    return at;
}
