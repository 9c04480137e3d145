/* SPDX-License-Identifier: BSD-2-Clause */
/* P-headers and branch packets without exception, straight from the bytes to tokens (IHI0014 7.3.1,
 * 7.3.5): nearly all of a trace without cycles and data. An atom is certain when the next one comes
 * (7.3.5), so what is taken ends in front of a P-header: whatever else ends the loop, it goes back
 * there, and the levels take that packet and those behind it. */
#include <string.h>

#include "protocol/etmv3/elements.h"
#include "protocol/etmv3/payload.h"

enum {
    MARGIN = 8,    /* bytes that are read at once, of a packet and behind it */
    LONGEST = 5,   /* a branch packet without information bytes */
    BRANCH = 0x01, /* of its header */
    LAST_MORE = 0x80,
    LAST_INFO = 0x40,
    P_HEADER = 0x80,
};

/* The bytes of an address with their continuation bits. */
#define CONTINUES UINT64_C(0x8080808080)

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

/* The fifth byte: its address bits and the state. False: it is not for here. */
static bool read_last(unsigned byte, uint32_t payload, uint32_t *address, unsigned *state)
{
    if (byte & (LAST_MORE | LAST_INFO))
        return false;
    if ((byte & 0x38) == 0x08) {
        *state = CAIRN_STATE_ARM;
        *address = (payload | (byte & 7) << 27) << 2;
    } else if ((byte & 0x30) == 0x10) {
        *state = CAIRN_STATE_THUMB;
        *address = (payload | (byte & 15) << 27) << 1;
    } else {
        return false;
    }
    return true;
}

/* Reads a branch packet. 0: it is not for here. `narrow`: the last byte of two to four has six bits
 * of the address, and tells whether information follows (the alternative encoding). */
static inline unsigned read_branch(uint64_t bytes, bool narrow, uint32_t *address, unsigned *state)
{
    const unsigned shift = *state == CAIRN_STATE_ARM ? 2 : 1;
    const uint64_t ends = ~bytes & CONTINUES;
    const uint32_t payload = (uint32_t)(bytes >> 1 & 0x3f) | (uint32_t)(bytes >> 8 & 0x7f) << 6 |
                             (uint32_t)(bytes >> 16 & 0x7f) << 13 |
                             (uint32_t)(bytes >> 24 & 0x7f) << 20;
    /* four bytes with this bit go on to a fifth */
    const unsigned length = ends ? (unsigned)__builtin_ctzll(ends) / 8 + 1 : LONGEST + 1;

    if (length > LONGEST)
        return 0;
    const unsigned last = (unsigned)(bytes >> (8 * (length - 1))) & 0xff;

    if (last == 0 && (bytes >> (8 * length) & 0xff) == 0)
        return 0; /* it may be the beginning of an A-sync */
    if (length == LONGEST)
        return read_last(last, payload, address, state) ? length : 0;
    if (narrow && length > 1 && (last & LAST_INFO))
        return 0;
    const unsigned count = length == 1 ? 6 : 7 * length - (narrow ? 2 : 1);
    const uint32_t mask = (UINT32_C(1) << (count + shift)) - 1;

    *address = (*address & ~mask) | (payload << shift & mask);
    return length;
}

bool cairn_etmv3_plain_serves(const struct cairn_config *config)
{
    const struct cairn_etmv3_config *decoded = cairn_etmv3_of(config);

    return !decoded->cycle_accurate && !decoded->data_only && !decoded->data_value &&
           !decoded->data_address && !decoded->cprt;
}

bool cairn_etmv3_plain_stands(const void *packets, const void *elements, const uint8_t *data,
                              size_t position, size_t *unused)
{
    const struct cairn_etmv3_state *state = cairn_etmv3_parser_stands(packets, unused);
    unsigned header;

    if (!state || *unused > position || *unused == 0)
        return false;
    const struct cairn_context context = cairn_etmv3_context(state);

    header = data[position - *unused];
    return !(header & BRANCH) && count_atoms(header) > 0 && state->address_known == 32 &&
           (state->state == CAIRN_STATE_ARM || state->state == CAIRN_STATE_THUMB) &&
           cairn_etmv3_elements_stand(elements, &context);
}

void cairn_etmv3_plain_settle(void *resolver)
{
    cairn_etmv3_resolver_settle(resolver);
}

/* In front of a P-header. */
struct place {
    size_t at;
    struct cairn_token *token;
    uint32_t address;
    unsigned state;
};

size_t cairn_etmv3_plain_run(void *packets, void *elements, const uint8_t *data, size_t size,
                             struct cairn_scan_batch *batch, struct cairn_scan_ledger *ledger)
{
    uint64_t offset;
    struct cairn_etmv3_state *const known = cairn_etmv3_parser_state(packets, &offset);
    const bool narrow = cairn_etmv3_elements_config(elements)->alternative;
    struct cairn_token *const first = batch->token + batch->count;
    struct cairn_token *const end = batch->token + batch->capacity;
    struct place now = {0, first, known->address, known->state};
    struct place safe = now;

    while (size - now.at >= MARGIN && now.token < end) {
        uint64_t bytes;
        unsigned length = 1;

        memcpy(&bytes, data + now.at, sizeof bytes);
        if (bytes & BRANCH) {
            length = read_branch(bytes, narrow, &now.address, &now.state);
            if (length == 0)
                break;
            *now.token++ = (struct cairn_token){.offset = offset + now.at,
                                                .length = length,
                                                .value = now.address,
                                                .kind = CAIRN_ELEMENT_TARGET_ADDRESS,
                                                .count = now.state == CAIRN_STATE_THUMB};
        } else {
            const unsigned count = count_atoms(bytes & 0xff);

            if (count == 0)
                break;
            safe = now;
            *now.token++ = (struct cairn_token){.offset = offset + now.at,
                                                .length = length,
                                                .value = atoms_of[bytes >> 1 & 0x3f].bits,
                                                .kind = CAIRN_ELEMENT_ATOM,
                                                .count = (uint8_t)count};
        }
        now.at += length;
    }
    if (safe.at == 0)
        return 0;
    known->address = safe.address;
    known->state = (uint8_t)safe.state;
    known->zero_stored = false;
    batch->count += (size_t)(safe.token - first);
    ledger->total += safe.at;
    ledger->bytes[CAIRN_ACCOUNT_FLOW] += safe.at;
    ledger->packets[CAIRN_ACCOUNT_FLOW] += (uint64_t)(safe.token - first); /* one each */
    cairn_etmv3_elements_skip(elements);
    cairn_etmv3_parser_skip(packets, safe.at);
    return safe.at;
}
