/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv4/parse_fast.h"
#include "base/bytes.h"

#include <stdlib.h>

enum {
    LANES = 8,   /* packets written at once */
    ROUND = 6,   /* bytes of a round before the header whose length is looked up */
    LONGEST = 2, /* of the packets that their header tells all of, addresses apart */
};

#define TOP_BITS UINT64_C(0x8080808080808080)

typedef uint16_t kinds __attribute__((vector_size(2 * LANES)));

/* Packets without an address whose length the header and the byte behind it tell, and that change
 * nothing that other packets are compressed against. */
static bool is_plain(unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV4_TRACE_ON:
    case CAIRN_ETMV4_FUNCTION_RETURN:
    case CAIRN_ETMV4_EXCEPTION_RETURN:
    case CAIRN_ETMV4_TRANSACTION_START:
    case CAIRN_ETMV4_TRANSACTION_COMMIT:
    case CAIRN_ETMV4_CYCLE_COUNT_F1:
    case CAIRN_ETMV4_CYCLE_COUNT_F2:
    case CAIRN_ETMV4_CYCLE_COUNT_F3:
    case CAIRN_ETMV4_COMMIT:
    case CAIRN_ETMV4_CANCEL_F1:
    case CAIRN_ETMV4_CANCEL_F2:
    case CAIRN_ETMV4_CANCEL_F3:
    case CAIRN_ETMV4_MISPREDICT:
    case CAIRN_ETMV4_IGNORE:
    case CAIRN_ETMV4_EVENT:
    case CAIRN_ETMV4_CONTEXT_SAME:
    case CAIRN_ETMV4_TIMESTAMP_MARKER: return true;
    default: return false;
    }
}

/* The length of a plain packet, worked out by parsing one; 0: it depends on more. */
static size_t plain_length(const struct cairn_etmv4_fast *f, unsigned header, unsigned next)
{
    const uint8_t bytes[CAIRN_FAST_MARGIN] = {(uint8_t)header, (uint8_t)next};
    struct cairn_etmv4_state state = {0};
    struct cairn_packet_fields fields;
    unsigned kind;
    size_t length;

    if (!is_plain(f->kinds[header]) ||
        cairn_etmv4_payload(f->decoded, f->kinds, &state, bytes, sizeof bytes, &length, &kind,
                            &fields) != CAIRN_TAKE_WHOLE)
        return 0;
    return length <= LONGEST ? length : 0;
}

struct cairn_etmv4_fast *cairn_etmv4_fast_new(const struct cairn_config *config, bool portable)
{
    struct cairn_etmv4_fast *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->decoded = cairn_etmv4_of(config);
    f->portable = portable || !cairn_cpu_has_avx2();
    cairn_etmv4_headers(f->decoded, f->kinds);
    (void)cairn_etmv4_hot_table(config, &f->table);
    for (unsigned header = 0; header < 256; header++) {
        uint8_t *const length = &f->table.length[header];

        f->account[header] = (uint8_t)cairn_etmv4_account(f->kinds[header]);
        f->is_address[header] = *length != 0;
        if (header >= CAIRN_ETMV4_FIRST_ATOM) {
            length[0] = length[CAIRN_FAST_CONTINUE] = 1;
        } else if (header != 0 && *length == 0) {
            length[0] = (uint8_t)plain_length(f, header, 0);
            length[CAIRN_FAST_CONTINUE] = (uint8_t)plain_length(f, header, CAIRN_ETMV4_CONTINUE);
        }
    }
    for (unsigned i = 0; i < sizeof f->address_of / sizeof *f->address_of; i++) {
        const struct cairn_hot_address *form = &f->table.address[i];

        f->address_of[i].keep[form->entry] = form->keep;
        f->address_of[i].mask = form->mask;
        f->address_of[i].shift = form->shift;
        f->address_of[i].sub_isa = form->sub_isa;
    }
    return f;
}

static void fast_put(struct cairn_etmv4_fast *f, unsigned kind, enum cairn_account account,
                     size_t length)
{
    const size_t i = f->count++;

    if (f->offset)
        f->offset[i] = f->origin + f->at;
    if (f->length)
        f->length[i] = length;
    if (f->account_of)
        f->account_of[i] = (uint8_t)account;
    if (f->kind)
        f->kind[i] = (uint16_t)kind;
    f->at += length;
}

/* The packet put last has an address. */
static void fast_put_address(struct cairn_etmv4_fast *f, uint64_t address)
{
    if (f->address_packet)
        f->address_packet[f->address_count] = (uint32_t)(f->count - 1);
    if (f->address)
        f->address[f->address_count] = address;
    f->address_count++;
}

/* The address of an Address packet, which is then the newest. `more` is CAIRN_ETMV4_CONTINUE or 0.
 */
static uint64_t next_address(struct cairn_etmv4_fast *f, unsigned header, unsigned more,
                             const uint8_t *payload)
{
    const struct cairn_fast_address *form = &f->address_of[header | more << 1];
    uint64_t address = cairn_hot_gather(cairn_load_le64(payload), form->mask) << form->shift;

    for (unsigned i = 0; i < CAIRN_FAST_HISTORY; i++)
        address |= f->history[i] & form->keep[i];
    f->history[2] = f->history[1];
    f->history[1] = f->history[0];
    f->history[0] = address | form->sub_isa;
    return f->history[0];
}

static void read_history(struct cairn_etmv4_fast *f, const struct cairn_etmv4_state *state)
{
    for (unsigned i = 0; i < CAIRN_FAST_HISTORY; i++)
        f->history[i] = state->history[i].address | state->history[i].sub_isa;
}

static void write_history(const struct cairn_etmv4_fast *f, struct cairn_etmv4_state *state)
{
    for (unsigned i = 0; i < CAIRN_FAST_HISTORY; i++) {
        state->history[i].address = f->history[i] & ~UINT64_C(1);
        state->history[i].sub_isa = (uint8_t)(f->history[i] & 1);
    }
}

/* An A-sync, all of which is there. The zeros are its own: the packet before it was clear. */
static bool take_async(struct cairn_etmv4_fast *f)
{
    size_t end = f->at;

    while (end < f->size && f->bytes[end] == 0)
        end++;
    if (end == f->size || end - f->at < CAIRN_ETMV4_ASYNC_ZEROS ||
        f->bytes[end] != CAIRN_ETMV4_ASYNC_END)
        return false;
    fast_put(f, CAIRN_ETMV4_ALIGNMENT_SYNC, CAIRN_ACCOUNT_PADDING, end + 1 - f->at);
    return true;
}

/* A packet that its header does not tell all of. */
static bool take_other(struct cairn_etmv4_fast *f, struct cairn_etmv4_state *state)
{
    const uint8_t *const bytes = f->bytes + f->at;
    const size_t left = f->size - f->at;
    struct cairn_etmv4_state moved;
    struct cairn_packet_fields fields;
    unsigned kind;
    size_t length;

    write_history(f, state);
    moved = *state;
    if (cairn_etmv4_payload(f->decoded, f->kinds, &moved, bytes, left, &length, &kind, &fields) !=
            CAIRN_TAKE_WHOLE ||
        !cairn_etmv4_is_clear(bytes, length, left))
        return false;
    *state = moved;
    read_history(f, state);
    fast_put(f, kind, cairn_etmv4_account(kind), length);
    if (fields.flags & CAIRN_PACKET_HAS_ADDRESS)
        fast_put_address(f, fields.address | fields.sub_isa);
    return true;
}

/* One packet of any kind. False: it is not for the fast way. */
static bool fast_step(struct cairn_etmv4_fast *f, struct cairn_etmv4_state *state)
{
    const uint8_t *const at = f->bytes + f->at;
    const unsigned header = at[0];
    const unsigned more = at[1] & CAIRN_ETMV4_CONTINUE;
    const size_t length = f->table.length[header | more << 8];

    if (header == 0)
        return take_async(f);
    if (length == 0)
        return take_other(f, state);
    if (!cairn_etmv4_is_clear(at, length, f->size - f->at))
        return false;
    fast_put(f, f->kinds[header], f->account[header], length);
    if (f->is_address[header])
        fast_put_address(f, next_address(f, header, more, at + 1));
    return true;
}

/* Kinds of up to eight packets that are Atoms, by their headers: each format has its place in a
 * range (DDI0608 D5.2), and what is no Atom packet gets some value. */
static kinds kinds_of_atoms(uint64_t word)
{
    typedef int8_t headers __attribute__((vector_size(LANES)));
    headers header, kind;
    uint8_t bytes[LANES];

    cairn_store_le64(bytes, word);
    memcpy(&header, bytes, sizeof header);
#define FROM(first, from, to)                                                                      \
    ((header >= (int8_t)(first)) & (int8_t)(CAIRN_ETMV4_ATOM_##to - CAIRN_ETMV4_ATOM_##from))
    kind = CAIRN_ETMV4_ATOM_F6 + FROM(0xd5, F6, F5_2) + FROM(0xd8, F5_2, F2) + FROM(0xdc, F2, F4) +
           FROM(0xe0, F4, F6) + FROM(0xf5, F6, F5_1) + FROM(0xf6, F5_1, F1) + FROM(0xf8, F1, F3);
#undef FROM
    return __builtin_convertvector(kind, kinds);
}

/* Atoms up to six, and the packet behind them, until one is rare. */
static void rounds(struct cairn_etmv4_fast *f)
{
    typedef uint64_t numbers __attribute__((vector_size(16)));
    const uint8_t *const bytes = f->bytes;
    const size_t stop = f->size - CAIRN_FAST_MARGIN;
    size_t at = f->at;

    while (at < stop && f->capacity - f->count >= LANES) {
        const uint64_t word = cairn_load_le64(bytes + at);
        const uint64_t others = (~(word & (word << 1)) & TOP_BITS) | UINT64_C(0x80) << (8 * ROUND);
        const unsigned bits = (unsigned)__builtin_ctzll(others) & ~7u;
        const unsigned pair = (unsigned)(word >> bits) & CAIRN_HOT_LENGTH_MASK;
        const size_t length = f->table.length[pair];
        const unsigned header = pair & 0xff;
        const unsigned atoms = bits / 8;
        const size_t i = f->count;

        if (length == 0 || cairn_etmv4_fast_is_odd(bytes + at + atoms + length - 1))
            break;
        if (f->kind) {
            const kinds kind = kinds_of_atoms(word);

            memcpy(&f->kind[i], &kind, sizeof kind);
            f->kind[i + atoms] = f->kinds[header];
        }
        if (f->wide) {
            if (f->offset)
                for (unsigned k = 0; k < LANES; k += 2) {
                    const numbers two = f->origin + at + k + (numbers){0, 1};

                    memcpy(&f->offset[i + k], &two, sizeof two);
                }
            if (f->length) {
                const numbers ones = {1, 1};

                for (unsigned k = 0; k < LANES; k += 2)
                    memcpy(&f->length[i + k], &ones, sizeof ones);
                f->length[i + atoms] = length;
            }
            if (f->account_of) {
                memset(&f->account_of[i], CAIRN_ACCOUNT_FLOW, LANES);
                f->account_of[i + atoms] = f->account[header];
            }
        }
        f->count = i + atoms + 1;
        if (f->is_address[header]) {
            fast_put_address(f, next_address(f, header, pair >> 8, bytes + at + atoms + 1));
        }
        at += atoms + length;
    }
    f->at = at;
}

void cairn_etmv4_fast_run(struct cairn_etmv4_fast *f, struct cairn_etmv4_state *state,
                          uint64_t offset, const uint8_t *data, size_t size, size_t *position,
                          struct cairn_packet_batch *batch)
{
    const bool addresses = cairn_batch_has_addresses(batch);

    f->bytes = data;
    f->at = *position;
    f->size = size;
    f->origin = offset - f->at;
    f->count = batch->count;
    f->capacity = batch->capacity;
    f->address_count = addresses ? batch->address_count : 0;
    f->wide = batch->offset || batch->length || batch->account;
    f->offset = batch->offset;
    f->length = batch->length;
    f->account_of = batch->account;
    f->kind = batch->kind;
    f->address = addresses ? batch->address : NULL;
    f->address_packet = addresses ? batch->address_packet : NULL;
    read_history(f, state);
    while (f->count < f->capacity && f->size - f->at >= CAIRN_FAST_MARGIN) {
#if CAIRN_AVX2
        if (!f->portable && f->capacity - f->count >= CAIRN_FAST_BLOCK_ROOM &&
            f->size - f->at >= CAIRN_FAST_BLOCK_MARGIN)
            cairn_etmv4_fast_blocks(f);
        else
#endif
            rounds(f);
        /* either leaves room for one more */
        if (f->size - f->at < CAIRN_FAST_MARGIN || !fast_step(f, state))
            break;
    }
    write_history(f, state);
    *position = f->at;
    batch->count = f->count;
    if (addresses)
        batch->address_count = f->address_count;
}
