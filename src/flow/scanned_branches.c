/* SPDX-License-Identifier: BSD-2-Clause */
/* P-headers and branch packets of ETMv3 straight from the bytes, as the hot loop has Atom packets
 * and addresses: up to eight P-headers, as they are, make a word. An atom is certain when the next
 * one comes (IHI0014 7.3.5), so what is taken ends in front of a P-header: whatever else ends the
 * loop, it goes back there. */
#include "flow/follow.h"
#include "flow/scanned_word.h"

#include <string.h>

enum { WORD_BITS = 64, PACKET_BITS = 8 };

static inline uint64_t load(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t low(uint64_t bytes, unsigned bits)
{
    return bits == WORD_BITS ? bytes : bytes & ((UINT64_C(1) << bits) - 1);
}

/* Finds or works out a unit that is not where it is looked for first. `*count` of its packets are
 * then in the entry. */
static enum looked_up miss(const struct cairn_lane *lane, struct cairn_scanned_job *job,
                           uint64_t code, uint64_t word, unsigned *count,
                           struct cairn_memo_entry **entry)
{
    struct cairn_dictionary *dictionary = job->builder.dictionary;
    struct cairn_word_path unit;

    *entry = cairn_memo_find(job->memo, code, word, hash);
    if (*entry)
        return LOOKED_UP;
    job->misses++;
    switch (cairn_word_build(&job->builder, code, word, *count, &lane->stack, &unit)) {
    case CAIRN_WORD_FOUND: break;
    case CAIRN_WORD_HARD: return LOOKED_CUT;
    case CAIRN_WORD_FULL: return LOOKED_FULL;
    }
    if (unit.bytes < *count)
        *entry = cairn_memo_find(job->memo, code, unit.atoms, hash);
    *count = unit.bytes;
    if (*entry)
        return LOOKED_UP;
    if (!cairn_memo_room(job->memo, dictionary, false, hash))
        return LOOKED_FULL;
    unit.path = cairn_dictionary_add_path(dictionary, CAIRN_PATH_PACKETS, unit.atoms, unit.steps,
                                          unit.step_count);
    if (unit.path == 0)
        return LOOKED_FULL;
    *entry = cairn_memo_add(job->memo, code, &unit, hash);
    return LOOKED_UP;
}

/* The loop keeps all that it moves in registers: what has just been stored in parts cannot be
 * copied as a whole without waiting. */
HOT_INLINE enum cairn_scanned_stop run(struct cairn_scanned_branches *b,
                                       const struct cairn_lane *lane, struct cairn_scanned_job *job,
                                       const bool counting)
{
    const struct cairn_memo *memo = job->memo;
    const uint8_t *const limit = b->limit;
    const uint64_t bias = b->offset - (uint64_t)(uintptr_t)b->first; /* offset of address 0 */
    const bool narrow = b->narrow;
    struct cairn_memo_entry nothing[2] = {{0}}; /* what an empty memo has */
    struct cairn_memo_entry *entries = memo->bits ? memo->entries : nothing;
    unsigned shift = memo->bits ? 32 - memo->bits : 31;
    uint32_t *column = counting ? NULL : job->out->path + job->out->count;
    uint32_t *const full = counting ? NULL : job->out->path + job->out->capacity;
    uint64_t *offsets = counting || !job->out->offset ? NULL : job->out->offset + job->out->count;
    struct cairn_scanned_point now = b->now;
    struct cairn_scanned_point last = b->now;
    struct cairn_memo_entry *taken = NULL;
    enum cairn_scanned_stop stop = CAIRN_SCANNED_TOKENS;

    while (now.at < limit) {
        uint64_t bytes = load(now.at);
        unsigned bits = cairn_p_header_bits(bytes);

        if (__builtin_expect(bits > 0, 1)) {
            const uint64_t word = low(bytes, bits);
            struct cairn_memo_entry *entry = &entries[hash(now.code, word) >> shift];
            unsigned count = bits / PACKET_BITS;

            if (!counting && column == full) {
                stop = CAIRN_SCANNED_ROOM;
                break;
            }
            if (__builtin_expect(entry->code != now.code || entry->atoms != word, 0)) {
                unsigned took = count; /* no address of `count`: it stays in a register */
                struct cairn_memo_entry *found;
                const enum looked_up how = miss(lane, job, now.code, word, &took, &found);

                if (how != LOOKED_UP) {
                    stop = how == LOOKED_FULL ? CAIRN_SCANNED_FULL : CAIRN_SCANNED_ATOM;
                    break;
                }
                if (took != count)
                    bits = WORD_BITS; /* what is next is no branch */
                count = took;
                entry = found;
                entries = memo->entries;
                shift = 32 - memo->bits;
            }
            last = now;
            taken = entry;
            if (counting) {
                entry->count++;
            } else {
                *column++ = entry->path;
                if (offsets)
                    *offsets++ = (uint64_t)(uintptr_t)now.at + bias;
            }
            now.path = entry->path;
            now.code = entry->next;
            now.expected = entry->next;
            now.at += count;
            if (bits == WORD_BITS)
                continue;
            bytes = load(now.at);
        }
        {
            struct cairn_branch_place place = now.place;
            const unsigned length =
                cairn_branch_begins(bytes) ? cairn_branch_read(bytes, narrow, &place) : 0;
            const uint64_t target = place.address | place.thumb;

            if (__builtin_expect(length == 0 ||
                                     (now.expected != CAIRN_CODE_NEED && now.expected != target),
                                 0)) {
                stop = CAIRN_SCANNED_TOKEN;
                break;
            }
            now.place = place;
            now.code = target;
            now.expected = CAIRN_CODE_NEED;
            now.branches++;
            now.longer += length - 1;
            now.at += length;
        }
    }
    b->now = now;
    b->last = last;
    b->entry = taken;
    b->count = taken ? (unsigned)(cairn_p_header_bits(load(last.at)) / PACKET_BITS) : 0;
    if (!counting)
        job->out->count = (size_t)(column - job->out->path);
    return stop;
}

static void to_lane(const struct cairn_scanned_point *now, struct cairn_lane *lane)
{
    lane->code = now->code;
    lane->expected = now->expected;
    lane->path = now->path;
}

enum cairn_scanned_stop cairn_scanned_take_branches(struct cairn_lane *lane,
                                                    struct cairn_scanned_job *job,
                                                    struct cairn_scanned_branches *branches)
{
    enum cairn_scanned_stop stop;

    branches->first = branches->now.at;
    branches->now.code = lane->code;
    branches->now.expected = lane->expected;
    branches->now.path = lane->path;
    stop = job->counting ? run(branches, lane, job, true) : run(branches, lane, job, false);
    to_lane(&branches->now, lane);
    return stop;
}

bool cairn_scanned_branches_stand(const struct cairn_scanned_branches *branches)
{
    return cairn_p_header_bits(load(branches->now.at)) > 0;
}

/* Takes the unit at hand, whose entry is known. */
static void take_unit(struct cairn_scanned_branches *b, struct cairn_scanned_job *job,
                      struct cairn_memo_entry *entry, unsigned count)
{
    struct cairn_word_batch *out = job->out;

    if (job->counting) {
        entry->count++;
    } else {
        out->path[out->count] = entry->path;
        if (out->offset)
            out->offset[out->count] = b->offset + (uint64_t)(b->now.at - b->first);
        out->count++;
    }
    b->now.path = entry->path;
    b->now.code = entry->next;
    b->now.expected = entry->next;
    b->now.at += count;
}

bool cairn_scanned_give_back(struct cairn_lane *lane, struct cairn_scanned_job *job,
                             struct cairn_scanned_branches *b)
{
    unsigned count;
    enum looked_up how = LOOKED_UP;

    if (!b->entry)
        return true;
    count = b->count - 1;
    if (job->counting)
        b->entry->count--;
    else
        job->out->count--;
    b->now = b->last;
    if (count > 0) {
        const uint64_t word = low(load(b->now.at), count * PACKET_BITS);
        struct cairn_memo_entry *entry;

        how = miss(lane, job, b->now.code, word, &count, &entry);
        if (how == LOOKED_UP)
            take_unit(b, job, entry, count);
    }
    to_lane(&b->now, lane);
    return how != LOOKED_FULL;
}
