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
    F1_N = 0x40,
};

/* The bytes of an address with their continuation bits. */
#define CONTINUES UINT64_C(0x8080808080)

static bool is_format_1(unsigned header)
{
    return (header & 0x83) == 0x80;
}

static bool is_format_2(unsigned header)
{
    return (header & 0xf3) == 0x82;
}

/* Atoms of a P-header, the oldest in bit 0 of `bits`, 1 = E. 0: it has none, or is none. */
static inline unsigned read_atoms(unsigned header, uint64_t *bits)
{
    if (is_format_1(header)) {
        const unsigned executed = header >> 2 & 0xf;

        *bits = (UINT64_C(1) << executed) - 1;
        return executed + (header & F1_N ? 1 : 0);
    }
    *bits = (header & 0x08 ? 0u : 1u) | (header & 0x04 ? 0u : 2u);
    return is_format_2(header) ? 2 : 0;
}

/* The fifth byte: its address bits and the state. False: it is not for here. */
static bool read_last(unsigned byte, struct cairn_etmv3_state *state, uint32_t payload)
{
    if (byte & (LAST_MORE | LAST_INFO))
        return false;
    if ((byte & 0x38) == 0x08) {
        state->state = CAIRN_STATE_ARM;
        state->address = (payload | (byte & 7) << 27) << 2;
    } else if ((byte & 0x30) == 0x10) {
        state->state = CAIRN_STATE_THUMB;
        state->address = (payload | (byte & 15) << 27) << 1;
    } else {
        return false;
    }
    return true;
}

/* Reads a branch packet. 0: it is not for here. `narrow`: the last byte of two to four has six bits
 * of the address, and tells whether information follows (the alternative encoding). */
static unsigned read_branch(uint64_t bytes, bool narrow, struct cairn_etmv3_state *state)
{
    const unsigned shift = state->state == CAIRN_STATE_ARM ? 2 : 1;
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
        return read_last(last, state, payload) ? length : 0;
    if (narrow && length > 1 && (last & LAST_INFO))
        return 0;
    const unsigned count = length == 1 ? 6 : 7 * length - (narrow ? 2 : 1);
    const uint32_t mask = (UINT32_C(1) << (count + shift)) - 1;

    state->address = (state->address & ~mask) | (payload << shift & mask);
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
    uint64_t bits;

    if (!state || *unused > position || *unused == 0)
        return false;
    const struct cairn_context context = cairn_etmv3_context(state);

    return read_atoms(data[position - *unused], &bits) > 0 && state->address_known == 32 &&
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
    uint64_t packets;
    struct cairn_etmv3_state state;
};

size_t cairn_etmv3_plain_run(void *packets, void *elements, const uint8_t *data, size_t size,
                             struct cairn_scan_batch *batch, struct cairn_scan_ledger *ledger)
{
    uint64_t offset;
    struct cairn_etmv3_state *const known = cairn_etmv3_parser_state(packets, &offset);
    const bool narrow = cairn_etmv3_elements_config(elements)->alternative;
    struct cairn_token *const end = batch->token + batch->capacity;
    struct place now = {0, batch->token + batch->count, 0, *known};
    struct place safe = now;

    while (size - now.at >= MARGIN && now.token < end) {
        uint64_t bytes, atoms;
        unsigned length = 1;

        memcpy(&bytes, data + now.at, sizeof bytes);
        if (bytes & BRANCH) {
            length = read_branch(bytes, narrow, &now.state);
            if (length == 0)
                break;
            *now.token++ = (struct cairn_token){.offset = offset + now.at,
                                                .length = length,
                                                .value = now.state.address,
                                                .kind = CAIRN_ELEMENT_TARGET_ADDRESS,
                                                .count = now.state.state == CAIRN_STATE_THUMB};
        } else {
            const unsigned count = read_atoms(bytes & 0xff, &atoms);

            if (count == 0)
                break;
            safe = now;
            *now.token++ = (struct cairn_token){.offset = offset + now.at,
                                                .length = length,
                                                .value = atoms,
                                                .kind = CAIRN_ELEMENT_ATOM,
                                                .count = (uint8_t)count};
        }
        now.at += length;
        now.packets++;
    }
    if (safe.at == 0)
        return 0;
    *known = safe.state;
    known->zero_stored = false;
    batch->count = (size_t)(safe.token - batch->token);
    ledger->total += safe.at;
    ledger->bytes[CAIRN_ACCOUNT_FLOW] += safe.at;
    ledger->packets[CAIRN_ACCOUNT_FLOW] += safe.packets;
    cairn_etmv3_elements_skip(elements);
    cairn_etmv3_parser_skip(packets, safe.at);
    return safe.at;
}
