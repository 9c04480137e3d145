/* SPDX-License-Identifier: BSD-2-Clause */
/* The hot loop itself, included once for each kind of machine with
 *   HOT_TARGET    attributes of its functions
 *   HOT_HASH(a,b) 32 bits of a key
 *   HOT_LOW(x,n)  the low n bits of x, n <= 64
 *   HOT_GATHER(x,mask)  bits of x under an address's mask, put together
 *
 * A unit is found by its bytes as they are: eight of them are loaded, the first that is no Atom
 * packet is found, and what lies before it is the word. The packet behind it is an address as a
 * rule; a table says how its bytes change which of the last addresses, without a branch on its
 * kind. */
#include "flow/hot_find.h"

#include <string.h>

/* Bytes that one round may take: seven packets of atoms and the longest address. */
#define HOT_ROUND 16

HOT_INLINE uint64_t hot_load(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

/* The same, with nothing behind the limit. */
HOT_INLINE uint64_t hot_load_up_to(const uint8_t *at, const uint8_t *limit)
{
    uint8_t bytes[8] = {0};

    memcpy(bytes, at, limit - at < 8 ? (size_t)(limit - at) : 8);
    return hot_load(bytes);
}

/* 8 * how many of the bytes, from the first on, have both top bits set. */
HOT_INLINE unsigned hot_atom_bits(uint64_t bytes)
{
    const uint64_t others = ~(bytes & (bytes << 1)) & UINT64_C(0x8080808080808080);

    return others ? (unsigned)__builtin_ctzll(others) & ~7u : 64;
}

HOT_INLINE enum cairn_hot_exit hot_run(struct cairn_lane *lane, struct cairn_hot_job *job,
                                       const bool stacked, const bool counting, const bool listing,
                                       const bool clamped)
{
    struct cairn_memo *memo = job->memo;
    const struct cairn_hot_address *table = job->address;
    const uint8_t *lengths = job->length;
    const uint8_t *const limit = job->limit;
    const uint8_t *const stop = clamped ? limit : limit - HOT_ROUND;
    const uint8_t *at = lane->at;
    const uint8_t *atom = lane->atom;
    const uint32_t delta = job->delta;
    uint64_t code = lane->code;
    uint64_t expected = lane->expected;
    uint64_t history[CAIRN_HOT_MOST + 3]; /* newest last */
    uint64_t *newest = history + 2;
    uint64_t address_bytes = 0;
    uint32_t *column = listing ? job->path + job->units : NULL;
    uint64_t *offsets = job->offset ? job->offset + job->units : NULL;
    uint32_t path = lane->path;
    enum cairn_hot_exit exit = CAIRN_HOT_LIMIT;
    /* What an empty memo has: two entries that are nothing's. */
    struct cairn_memo_entry nothing[2] = {{0}};
    struct cairn_memo_entry *entries = memo->bits ? memo->entries : nothing;
    unsigned shift = memo->bits ? 32 - memo->bits : 31;

    history[0] = lane->history[2];
    history[1] = lane->history[1];
    history[2] = lane->history[0];
    while (at < stop) {
        uint64_t bytes = clamped ? hot_load_up_to(at, limit) : hot_load(at);
        unsigned bits = hot_atom_bits(bytes);
        unsigned length;

        if (__builtin_expect(bits != 0, 1)) {
            const uint64_t word = HOT_LOW(bytes, bits);
            unsigned count = bits >> 3;
            uint32_t inferred = 0;

            if (clamped && job->short_of && at + count == limit && bits != 64)
                break;

            if (stacked) {
                struct cairn_stack_entry *entry;

                if (code == CAIRN_CODE_NEED && lane->stack.sp > lane->stack.base) {
                    code = *--lane->stack.sp;
                    inferred = CAIRN_WORD_INFERRED;
                }
                entry = memo->bits ? hot_find(memo, code, word, &lane->stack) : NULL;
                if (__builtin_expect(!entry, 0)) {
                    unsigned took = count; /* no address of `count`: it stays in a register */
                    enum cairn_hot_exit why = CAIRN_HOT_LIMIT;

                    entry = cairn_hot_miss_stacked(lane, job, code, word, &took, HOT_HASH_FUNCTION,
                                                   &why);
                    if (!entry) {
                        if (inferred) {
                            lane->stack.sp++;
                            code = CAIRN_CODE_NEED;
                        }
                        exit = why;
                        break;
                    }
                    if (took != count)
                        bits = 64; /* what is next is no address */
                    count = took;
                } else if (__builtin_expect(entry->bytes != 0, 0)) {
                    count = entry->bytes;
                    bits = 64;
                }
                hot_apply(memo, entry, &lane->stack);
                path = entry->path;
                if (counting)
                    entry->count += delta;
                code = entry->next;
            } else {
                struct cairn_memo_entry *entry = &entries[HOT_HASH(code, word) >> shift];

                if (__builtin_expect(entry->code != code || entry->atoms != word, 0)) {
                    unsigned took = count;
                    enum cairn_hot_exit why = CAIRN_HOT_LIMIT;

                    entry = cairn_hot_miss(lane, job, code, word, &took, HOT_HASH_FUNCTION, &why);
                    if (!entry) {
                        exit = why;
                        break;
                    }
                    if (took != count)
                        bits = 64; /* what is next is no address */
                    count = took;
                    if (memo->bits) {
                        entries = memo->entries;
                        shift = 32 - memo->bits;
                    }
                }
                path = entry->path;
                if (counting)
                    entry->count += delta;
                code = entry->next;
            }
            if (listing) {
                *column++ = path | inferred;
                if (offsets)
                    *offsets++ = (uint64_t)(uintptr_t)at + job->offset_bias;
            }
            at += count;
            atom = at - 1;
            expected = code;
            if (bits == 64)
                continue;
        }
        if (clamped) {
            bytes = hot_load_up_to(at, limit);
            length = lengths[bytes & CAIRN_HOT_LENGTH_MASK];
            if (at == limit || length > limit - at)
                break;
        } else if (__builtin_expect(bits <= 48, 1)) {
            length = lengths[(bytes >> bits) & CAIRN_HOT_LENGTH_MASK];
        } else {
            length = lengths[(at[0] | (unsigned)at[1] << 8) & CAIRN_HOT_LENGTH_MASK];
        }
        if (__builtin_expect(length == 0, 0)) {
            exit = CAIRN_HOT_OTHER;
            break;
        }
        {
            const uint64_t y = clamped ? hot_load_up_to(at + 1, limit) : hot_load(at + 1);
            const struct cairn_hot_address *address = &table[at[0] | (y & 0x80) << 1];
            uint64_t target = HOT_GATHER(y, address->mask) << address->shift;

            target |= newest[-(ptrdiff_t)address->entry] & address->keep;
            target |= address->sub_isa;
            if (__builtin_expect(expected != CAIRN_CODE_NEED && expected != target, 0)) {
                exit = CAIRN_HOT_OTHER;
                break;
            }
            *++newest = target;
            code = target;
            expected = CAIRN_CODE_NEED;
            address_bytes += length;
            at += length;
        }
    }
    lane->at = at;
    lane->atom = atom;
    lane->code = code;
    lane->expected = expected;
    lane->history[0] = newest[0];
    lane->history[1] = newest[-1];
    lane->history[2] = newest[-2];
    lane->path = path;
    job->address_packets += (uint64_t)(newest - (history + 2));
    job->address_bytes += address_bytes;
    if (listing)
        job->units = (size_t)(column - job->path);
    return exit;
}

/* The long run and what is left of it before the limit. */
HOT_INLINE enum cairn_hot_exit hot_both(struct cairn_lane *lane, struct cairn_hot_job *job,
                                        const bool stacked, const bool counting, const bool listing)
{
    enum cairn_hot_exit exit = CAIRN_HOT_LIMIT;

    if (job->limit - lane->at > HOT_ROUND)
        exit = hot_run(lane, job, stacked, counting, listing, false);
    if (exit == CAIRN_HOT_LIMIT)
        exit = hot_run(lane, job, stacked, counting, listing, true);
    return exit;
}

static HOT_TARGET enum cairn_hot_exit hot_plain(struct cairn_lane *lane, struct cairn_hot_job *job)
{
    if (!job->counting)
        return hot_both(lane, job, false, false, true);
    return job->path ? hot_both(lane, job, false, true, true)
                     : hot_both(lane, job, false, true, false);
}

static HOT_TARGET enum cairn_hot_exit hot_stacked(struct cairn_lane *lane,
                                                  struct cairn_hot_job *job)
{
    if (!job->counting)
        return hot_both(lane, job, true, false, true);
    return job->path ? hot_both(lane, job, true, true, true)
                     : hot_both(lane, job, true, true, false);
}
