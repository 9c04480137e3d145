/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms and branch packets of PTM with cycle counts where they lie, as words without packets: included
 * once for each kind of machine with
 *   COUNTED_TARGET           attributes of its functions
 *   COUNTED_BITS(bytes)      bit 1 of each of eight bytes, the first in bit 0
 *   COUNTED_PAYLOAD(bytes)   what cairn_branch_payload gives
 *   COUNTED_LOW(value, bits) so many bits of it, 64 at most
 * What is seldom goes through ptm_read. */
#include "protocol/branches.h"
#include "protocol/ptm/words_packet.h"

#define COUNTED_INLINE static inline COUNTED_TARGET __attribute__((always_inline))
#define EACH_BYTE UINT64_C(0x0101010101010101)

/* A branch packet whose count is still to be told. */
struct counted_branch {
    unsigned length; /* 0: there is none */
    uint32_t count;
};

/* What moves. */
struct counted {
    const uint8_t *at;
    struct cairn_aside *aside;
    struct cairn_branch_place place;
    uint64_t bits; /* of the word's atoms, */
    unsigned count;
};

/* An aside for Atoms that stand side by side with a count of their own in the same byte, `most` at
 * most, and for the count before them; none if there is neither. Returns how many Atoms. */
COUNTED_INLINE unsigned counted_take_atoms(struct counted *now, size_t most, uint64_t bias,
                                           struct counted_branch before)
{
    /* With none to take, the bytes at hand may end here. */
    const uint64_t bytes = most > 0 ? cairn_load_le64(now->at) : 0;
    const uint64_t others = (bytes ^ EACH_BYTE * 0x80) & EACH_BYTE * 0xc1;
    unsigned atoms = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    const unsigned room = CAIRN_WORD_ATOMS_MOST - now->count;
    struct cairn_aside *const aside = now->aside;

    atoms = atoms < most ? atoms : (unsigned)most;
    atoms = atoms < room ? atoms : room;
    /* Member by member: a copy would wait for the stores of its parts. */
    aside->value = COUNTED_LOW(bytes >> 2 & EACH_BYTE * 15, 8 * atoms);
    aside->at = (uint32_t)((uintptr_t)now->at + bias);
    aside->data = before.count;
    aside->length = (uint16_t)atoms;
    aside->lead = (uint16_t)before.length;
    aside->flags = 0;
    aside->kind = CAIRN_ASIDE_COUNTS;
    aside->step = (uint8_t)now->count;
    now->aside += (atoms | before.length) != 0;
    now->bits |= COUNTED_LOW(COUNTED_BITS(~bytes), atoms) << now->count;
    now->count += atoms;
    now->at += atoms;
    return atoms;
}

/* The same as ptm_read with counts, for what mostly is a branch packet with a short one. */
COUNTED_INLINE struct ptm_packet counted_read(const uint8_t *at, struct cairn_branch_place *place)
{
    const uint64_t bytes = cairn_load_le64(at);
    struct cairn_branch_place moved = *place;
    const unsigned length =
        cairn_branch_begins(bytes)
            ? cairn_branch_read_payload(bytes, COUNTED_PAYLOAD(bytes), true, &moved)
            : 0;
    const uint64_t tail = bytes >> (8 * length);

    if (__builtin_expect(length == 0 || (tail & 0x40) || (tail & 0xffff) == 0, 0))
        return ptm_read(at, true, place);
    *place = moved;
    return (struct ptm_packet){
        .length = length + 1, .atoms = 1, .bits = 1, .branch = true, .count = tail >> 2 & 15};
}

/* Words as far as they go. The count of a branch packet comes behind its address, so that it is of
 * the next word. */
COUNTED_INLINE void counted_read_words(struct cairn_ptm_word_run *run, const uint64_t branched)
{
    struct cairn_words *const out = run->out;
    struct cairn_word *word = out->word + out->count;
    const struct cairn_word *const words = out->word + out->capacity - 1; /* one more has room */
    const struct cairn_aside *const asides =
        out->aside + out->aside_capacity - CAIRN_PTM_WORD_ASIDES;
    const uint8_t *const limit = run->limit;
    const uint64_t bias = run->bias;
    struct counted now = {
        .at = run->at, .aside = out->aside + out->aside_count, .place = run->place};
    const uint8_t *last = run->last;
    struct counted_branch before = {0};
    uint64_t read = 0; /* packets */
    bool ended = now.at >= limit;

    while (word < words && now.aside <= asides && (!ended || before.length > 0)) {
        struct cairn_aside *const first = now.aside;
        const uint8_t *const begin = now.at;
        const unsigned behind = before.length; /* that packet */
        uint64_t target = CAIRN_WORD_NO_TARGET;

        now.bits = 0;
        now.count = 0;
        if (__builtin_expect(!cairn_count_is_known(before.count), 0)) {
            ptm_put_count(&now.aside, 0, (uint32_t)((uintptr_t)now.at + bias) - before.length,
                          &(struct ptm_packet){.length = before.length, .count = before.count});
            before = (struct counted_branch){0};
        }
        do {
            const size_t left = ended ? 0 : (size_t)(limit - now.at);
            const unsigned atoms = counted_take_atoms(&now, left, bias, before);

            before = (struct counted_branch){0};
            read += atoms;
            last = atoms > 0 ? now.at - 1 : last;
            ended = now.at >= limit;
            if (atoms == 8 || now.count == CAIRN_WORD_ATOMS_MOST || ended)
                continue;
            struct cairn_branch_place moved = now.place;
            const struct ptm_packet packet = counted_read(now.at, &moved);

            if (__builtin_expect(packet.length == 0, 0)) {
                run->other = true;
                ended = true;
                break;
            }
            now.bits |= (uint64_t)packet.bits << now.count++;
            read++;
            last = now.at;
            now.at += packet.length;
            ended = now.at >= limit;
            if (__builtin_expect(packet.branch, 1)) {
                now.place = moved;
                now.bits |= branched;
                target = now.place.address | now.place.thumb;
                before = (struct counted_branch){packet.length, packet.count};
                break;
            }
            ptm_put_count(&now.aside, now.count, (uint32_t)((uintptr_t)last + bias), &packet);
        } while (!ended && now.count < CAIRN_WORD_ATOMS_MOST);
        if (now.aside == first && now.count == 0)
            break;
        word->atoms = now.count > 0 ? now.bits | (uint64_t)now.count << CAIRN_WORD_BITS_SHIFT : 0;
        word->target = target;
        word->at = (uint32_t)((uintptr_t)begin + bias) - (now.count > 0 ? 0 : behind);
        word->before = (uint16_t)((before.length > 0 ? last : now.at) - begin);
        word->target_length = (uint8_t)before.length;
        word->asides = (uint8_t)(now.aside - first);
        word++;
    }
    run->place = now.place;
    run->at = now.at;
    run->last = last;
    run->packets = read;
    out->count = (size_t)(word - out->word);
    out->aside_count = (size_t)(now.aside - out->aside);
}

static COUNTED_TARGET void counted_run(struct cairn_ptm_word_run *run, bool branched)
{
    if (branched)
        counted_read_words(run, CAIRN_WORD_BRANCH);
    else
        counted_read_words(run, 0);
}
