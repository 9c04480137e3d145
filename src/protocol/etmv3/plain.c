/* SPDX-License-Identifier: BSD-2-Clause */
/* P-headers and branch packets without exception, straight from the bytes to tokens (IHI0014 7.3.1,
 * 7.3.5): nearly all of a trace without cycles and data. An atom is certain when the next one comes
 * (7.3.5), so what is taken ends in front of a P-header: whatever else ends the loop, it goes back
 * there, and the levels take that packet and those behind it. */
#include <string.h>

#include "protocol/etmv3/elements.h"
#include "protocol/etmv3/payload.h"
#include "protocol/hot.h"

enum { P_HEADER = 0x80 };

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
    const struct cairn_etmv3_config *decoded = cairn_etmv3_of(config);

    return !decoded->data_only && !decoded->data_value && !decoded->data_address && !decoded->cprt;
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
    if (!cairn_etmv3_plain_serves(config) || cairn_etmv3_of(config)->cycle_accurate)
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

    if (!cairn_etmv3_plain_serves(config) || !decoded->cycle_accurate)
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

/* In front of a P-header. */
struct point {
    size_t at;
    struct cairn_token *token;
    struct cairn_branch_place place;
};

size_t cairn_etmv3_plain_run(void *packets, void *elements, const uint8_t *data, size_t size,
                             struct cairn_scan_batch *batch, struct cairn_scan_ledger *ledger)
{
    uint64_t offset;
    (void)cairn_etmv3_parser_state(packets, &offset);
    const bool narrow = cairn_etmv3_elements_config(elements)->alternative;
    struct cairn_token *const first = batch->token + batch->count;
    struct cairn_token *const end = batch->token + batch->capacity;
    struct point now = {0, first, cairn_etmv3_plain_place(packets)};
    struct point safe = now;

    if (cairn_etmv3_elements_config(elements)->cycle_accurate)
        return 0; /* the engine takes these, and nobody else */
    while (size - now.at >= CAIRN_BRANCH_MARGIN && now.token < end) {
        uint64_t bytes;
        unsigned length = 1;

        memcpy(&bytes, data + now.at, sizeof bytes);
        if (cairn_branch_begins(bytes)) {
            length = cairn_branch_read(bytes, narrow, &now.place);
            if (length == 0)
                break;
            *now.token++ = (struct cairn_token){.offset = offset + now.at,
                                                .length = length,
                                                .value = now.place.address,
                                                .kind = CAIRN_ELEMENT_TARGET_ADDRESS,
                                                .count = now.place.thumb};
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
    batch->count += (size_t)(safe.token - first);
    ledger->total += safe.at;
    ledger->bytes[CAIRN_ACCOUNT_FLOW] += safe.at;
    ledger->packets[CAIRN_ACCOUNT_FLOW] += (uint64_t)(safe.token - first); /* one each */
    cairn_etmv3_plain_skip(packets, elements, safe.at, 0, &safe.place);
    return safe.at;
}
