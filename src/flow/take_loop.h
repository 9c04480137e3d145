/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop that takes words, included once for each kind of machine with
 *   HOT_TARGET         attributes of its functions
 *   HOT_HASH(a,b)      32 bits of a key
 *   HOT_HASH_FUNCTION  the same as a function
 *
 * Words are known some way ahead: where the memo is large, the next ones' entries are asked for
 * before they are looked up. */
#include "flow/data.h"
#include "flow/follow.h"
#include "flow/hot_find.h"
#include "flow/take.h"

enum {
    AHEAD = 12, /* words */
    /* Of memos that no near cache holds: in a smaller one asking is a loss. */
    ASK_PLAIN_BITS = 17,
    ASK_STACKED_BITS = 15,
    SAMPLE = 8,       /* one of so many words is looked at, */
    SAMPLED = 512,    /* of the next so many */
    EVENTS_SPARE = 4, /* marks in front of a word */
    EVENTS_LEAST = 48 /* room in which a word is cut, if it has more of them */
};

/* An entry, as far as taking needs it. */
struct looked_up {
    uint64_t next;
    uint32_t path;  /* with CAIRN_WORD_INFERRED */
    unsigned count; /* packets, or atoms, that it covers; 0: all */
};

/* Finds the entry of `atoms` at `code`, or works it out. False: `*stop` says why not. */
HOT_INLINE bool take_look_up(const struct cairn_take_job *job, uint64_t code, uint64_t atoms,
                             const bool stacked, const bool counting, struct looked_up *found,
                             enum cairn_take_stop *stop)
{
    struct cairn_lane *lane = job->lane;
    struct cairn_hot_job *memo_job = job->memo;
    const struct cairn_memo *memo = memo_job->memo;
    enum cairn_hot_exit why = CAIRN_HOT_LIMIT;

    if (stacked) {
        struct cairn_stack_entry *entry;
        uint32_t inferred = 0;

        found->count = 0;
        if (code == CAIRN_CODE_NEED && lane->stack.sp > lane->stack.base) {
            code = *--lane->stack.sp;
            inferred = CAIRN_WORD_INFERRED;
        }
        entry = memo->bits ? hot_find(memo, code, atoms, &lane->stack) : NULL;
        if (__builtin_expect(!entry, 0)) {
            const unsigned count = cairn_take_count(atoms);
            unsigned took = count;

            entry =
                cairn_hot_miss_stacked(lane, memo_job, code, atoms, &took, HOT_HASH_FUNCTION, &why);
            if (!entry) {
                if (inferred)
                    lane->stack.sp++;
                *stop = why == CAIRN_HOT_FULL ? CAIRN_TAKE_FULL : CAIRN_TAKE_HARD;
                return false;
            }
            if (took != count)
                found->count = took;
        } else if (__builtin_expect(entry->bytes != 0, 0)) {
            found->count = entry->bytes;
        }
        hot_apply(memo, entry, &lane->stack);
        found->path = entry->path | inferred;
        if (counting)
            entry->count++;
        found->next = entry->next;
    } else {
        struct cairn_memo_entry *entry = NULL;

        found->count = 0;
        if (__builtin_expect(memo->bits != 0, 1))
            entry = &memo->entries[HOT_HASH(code, atoms) >> (32 - memo->bits)];
        if (__builtin_expect(!entry || entry->code != code || entry->atoms != atoms, 0)) {
            const unsigned count = cairn_take_count(atoms);
            unsigned took = count;

            entry = cairn_hot_miss(lane, memo_job, code, atoms, &took, HOT_HASH_FUNCTION, &why);
            if (!entry) {
                *stop = why == CAIRN_HOT_FULL ? CAIRN_TAKE_FULL : CAIRN_TAKE_HARD;
                return false;
            }
            if (took != count)
                found->count = took;
        }
        found->path = entry->path;
        if (counting)
            entry->count++;
        found->next = entry->next;
    }
    return true;
}

HOT_INLINE void take_list(const struct cairn_take_job *job, uint32_t path, uint64_t offset)
{
    struct cairn_word_batch *out = job->out;

    out->path[out->count] = path;
    if (out->offset)
        out->offset[out->count] = offset;
    out->count++;
}

/* The atoms that are left of the word in hand, in as many pieces as they need. False: `*stop`. */
HOT_INLINE bool take_pieces(const struct cairn_take_job *job, const struct cairn_word *word,
                            const bool stacked, const bool counting, const bool listing,
                            enum cairn_take_stop *stop)
{
    struct cairn_taking *t = job->taking;
    struct cairn_lane *lane = job->lane;
    struct cairn_word_batch *out = job->out;

    while (t->left != 0) {
        const unsigned all = cairn_take_count(t->left);
        const size_t asides = t->first_aside + word->asides - t->aside;
        const size_t room = out->event_capacity - out->event_count;
        unsigned most = job->most ? job->most : all;
        struct looked_up found;

        *stop = CAIRN_TAKE_ROOM;
        if ((listing && out->count == out->capacity) || room < EVENTS_SPARE)
            return false;
        if (__builtin_expect(asides + all + EVENTS_SPARE > room, 0)) {
            if (room < EVENTS_LEAST)
                return false;
            most = 1; /* each has a few, but the first may have many */
            cairn_take_asides(job, t->taken, t->taken, false);
            if (out->event_capacity - out->event_count < EVENTS_LEAST / 2)
                return false;
        } else if (__builtin_expect(asides + all + EVENTS_SPARE > job->events_most, 0)) {
            const unsigned fit = cairn_take_fitting(job, all);

            most = fit < most ? fit : most;
        }
        if (!take_look_up(job, lane->code, cairn_take_first(t->left, most), stacked, counting,
                          &found, stop))
            return false;
        if (found.count == 0)
            found.count = most < all ? most : all;
        cairn_take_asides(job, t->taken, t->taken + found.count, false);
        if (listing) {
            uint64_t length;

            take_list(job, found.path, cairn_take_packet(t, t->taken, &length));
        }
        lane->path = found.path & ~CAIRN_WORD_INFERRED;
        lane->code = found.next;
        lane->expected = found.next;
        t->left = cairn_take_rest(t->left, found.count);
        t->taken += found.count;
        if (job->most && t->left != 0) {
            *stop = CAIRN_TAKE_WORDS;
            return false;
        }
    }
    return true;
}

/* The target of the word in hand. False: it is not where execution goes on. */
HOT_INLINE bool take_target(const struct cairn_take_job *job, uint64_t target)
{
    struct cairn_lane *lane = job->lane;
    struct cairn_flow *flow = job->flow;

    if (__builtin_expect(lane->expected != CAIRN_CODE_NEED && lane->expected != target, 0))
        return false;
    if (__builtin_expect(flow->clear_stack, 0)) {
        lane->stack.sp = lane->stack.bottom;
        lane->stack.base = lane->stack.bottom;
        flow->clear_stack = false;
    }
    lane->code = target;
    lane->expected = CAIRN_CODE_NEED;
    return true;
}

/* The word in hand, or what is left of it. False: `*stop`. */
HOT_INLINE bool take_word(const struct cairn_take_job *job, const struct cairn_word *word,
                          const bool stacked, const bool counting, const bool listing,
                          enum cairn_take_stop *stop)
{
    struct cairn_taking *t = job->taking;

    if (!t->begun) {
        t->begun = true;
        t->left = word->atoms;
        t->taken = 0;
        t->run = 0;
        t->untold = false;
    }
    if (!take_pieces(job, word, stacked, counting, listing, stop))
        return false;
    if (t->aside < t->first_aside + word->asides) {
        cairn_take_asides(job, t->taken, t->taken, true);
        *stop = CAIRN_TAKE_ROOM;
        if (t->aside < t->first_aside + word->asides)
            return false;
    }
    *stop = CAIRN_TAKE_TARGET;
    if (word->target != CAIRN_WORD_NO_TARGET && !take_target(job, word->target))
        return false;
    t->next++;
    t->first_aside = t->aside;
    t->begun = false;
    t->run = 0;
    return true;
}

/* What a word's own place in the memo has for it; NULL: it is to be looked for. */
HOT_INLINE struct cairn_memo_entry *take_first_look(struct cairn_memo_entry *entries,
                                                    unsigned shift, uint64_t code, uint64_t atoms)
{
    struct cairn_memo_entry *entry = &entries[HOT_HASH(code, atoms) >> shift];

    return __builtin_expect(entry->code == code && entry->atoms == atoms, 1) ? entry : NULL;
}

/* Words without asides that there is room for in the columns. */
HOT_INLINE const struct cairn_word *take_end(const struct cairn_take_job *job, const bool listing)
{
    const struct cairn_taking *t = job->taking;
    const struct cairn_word_batch *out = job->out;
    const struct cairn_word *const word = t->words.word + t->next;
    const size_t words = job->end - t->next;
    const size_t room = listing ? out->capacity - out->count : words;
    const struct cairn_word *const end = word + (words < room ? words : room);

    if (t->first_aside == t->words.aside_count)
        return end;
    for (const struct cairn_word *at = word; at < end; at++)
        if (at->asides != 0)
            return at;
    return end;
}

/* Up to where the entries of words AHEAD are asked for. */
HOT_INLINE const struct cairn_word *take_ask_end(const struct cairn_memo *memo, unsigned least,
                                                 const struct cairn_word *word,
                                                 const struct cairn_word *end)
{
    return memo->bits >= least && end - word > AHEAD ? end - AHEAD : word;
}

/* Where in a table the entry of the word AHEAD is, if the one before it has a target. */
HOT_INLINE uint32_t take_ahead(const struct cairn_word *word, unsigned shift)
{
    return HOT_HASH(word[AHEAD - 1].target, word[AHEAD].atoms) >> shift;
}

/* The first `covers` packets of a word are done, and no more. */
HOT_INLINE void take_part(struct cairn_taking *t, uint64_t atoms, unsigned covers)
{
    t->begun = true;
    t->left = cairn_take_rest(atoms, covers);
    t->taken = covers;
}

/* Words without asides, as far as they go: what moves stays in registers. */
HOT_INLINE bool take_plain_words(const struct cairn_take_job *job, const bool counting,
                                 const bool listing, enum cairn_take_stop *stop)
{
    struct cairn_taking *t = job->taking;
    struct cairn_lane *lane = job->lane;
    struct cairn_word_batch *out = job->out;
    const struct cairn_memo *memo = job->memo->memo;
    const struct cairn_word *word = t->words.word + t->next;
    const struct cairn_word *const end = take_end(job, listing);
    const struct cairn_word *const ask = take_ask_end(memo, ASK_PLAIN_BITS, word, end);
    const uint64_t origin = t->words.origin;
    uint32_t *column = listing ? out->path + out->count : NULL;
    uint64_t *offsets = listing && out->offset ? out->offset + out->count : NULL;
    uint64_t code = lane->code;
    uint64_t expected = lane->expected;
    uint32_t path = lane->path;
    /* What an empty memo has: two entries that are nothing's. */
    struct cairn_memo_entry nothing[2] = {{0}};
    struct cairn_memo_entry *entries = memo->bits ? memo->entries : nothing;
    unsigned shift = memo->bits ? 32 - memo->bits : 31;
    bool went = word < end;

    *stop = CAIRN_TAKE_ROOM;
    for (; word < end; word++) {
        const uint64_t target = word->target;
        const uint64_t atoms = word->atoms;

        if (word < ask)
            __builtin_prefetch(&entries[take_ahead(word, shift)]);
        if (__builtin_expect(atoms != 0, 1)) {
            struct cairn_memo_entry *entry = take_first_look(entries, shift, code, atoms);
            unsigned covers = 0;

            if (__builtin_expect(entry != NULL, 1)) {
                path = entry->path;
                if (counting)
                    entry->count++;
                code = entry->next;
            } else {
                struct looked_up found;

                if (!take_look_up(job, code, atoms, false, counting, &found, stop)) {
                    went = false;
                    break;
                }
                path = found.path;
                code = found.next;
                covers = found.count;
                if (memo->bits) {
                    entries = memo->entries;
                    shift = 32 - memo->bits;
                }
            }
            if (listing) {
                *column++ = path;
                if (offsets)
                    *offsets++ = origin + word->at;
            }
            expected = code;
            if (__builtin_expect(covers != 0, 0)) {
                take_part(t, atoms, covers);
                break;
            }
        }
        if (target == CAIRN_WORD_NO_TARGET)
            continue;
        if (__builtin_expect(expected != CAIRN_CODE_NEED && expected != target, 0)) {
            take_part(t, 0, cairn_take_count(atoms));
            *stop = CAIRN_TAKE_TARGET;
            went = false;
            break;
        }
        code = target;
        expected = CAIRN_CODE_NEED;
    }
    lane->code = code;
    lane->expected = expected;
    lane->path = path;
    t->next = (size_t)(word - t->words.word);
    if (listing)
        out->count = (size_t)(column - out->path);
    return went;
}

#include "flow/take_stacked.h"
#include "flow/take_timed.h"

/* Whether guesses are worth it: the memo is large, and many words have no target. */
HOT_INLINE bool take_guesses(const struct cairn_take_job *job)
{
    const struct cairn_word *const words = job->taking->words.word;
    const size_t first = job->taking->next;
    const size_t count = job->end - first < SAMPLED ? job->end - first : SAMPLED;
    size_t none = 0;

    if (!job->memo->memo->guess)
        return false;
    for (size_t i = 0; i < count; i += SAMPLE)
        none += words[first + i].target == CAIRN_WORD_NO_TARGET;
    return none * SAMPLE > count * 2 / 5;
}

HOT_INLINE bool take_words_at_once(const struct cairn_take_job *job, const bool stacked,
                                   const bool counting, const bool listing, const bool guessing,
                                   enum cairn_take_stop *stop)
{
    if (!stacked)
        return take_plain_words(job, counting, listing, stop);
    return guessing ? take_stacked_words(job, counting, listing, true, stop)
                    : take_stacked_words(job, counting, listing, false, stop);
}

/* Whether the word at hand can be marked as one that does not follow from what was before it, and
 * then be taken as others are. */
HOT_INLINE bool take_begins_anew(const struct cairn_take_job *job, const struct cairn_word *word)
{
    return word->asides == 0 && word->atoms != 0 &&
           job->out->event_capacity - job->out->event_count >= EVENTS_SPARE;
}

HOT_INLINE enum cairn_take_stop take_run(const struct cairn_take_job *job, const bool stacked,
                                         const bool counting, const bool listing)
{
    struct cairn_taking *t = job->taking;
    enum cairn_take_stop stop = CAIRN_TAKE_WORDS;
    const bool guessing = stacked && take_guesses(job);

    while (t->next < job->end) {
        const struct cairn_word *word = t->words.word + t->next;
        const bool plain = !t->begun && !job->most && !job->flow->clear_stack &&
                           t->transaction == t->told && t->run == 0 &&
                           (!job->flow->discontinuity || take_begins_anew(job, word));

        if (plain && word->asides > 0) {
            if (!take_timed_words(job, stacked, counting, listing, &stop))
                return stop;
            if (t->words.word + t->next != word)
                continue;
        }
        if (!plain || word->asides > 0) {
            if (!take_word(job, word, stacked, counting, listing, &stop))
                return stop;
            continue;
        }
        if (job->flow->discontinuity)
            cairn_take_mark(job);
        if (!take_words_at_once(job, stacked, counting, listing, guessing, &stop))
            return stop;
    }
    return CAIRN_TAKE_WORDS;
}

static HOT_TARGET enum cairn_take_stop take_plain(const struct cairn_take_job *job)
{
    if (!job->memo->counting)
        return take_run(job, false, false, true);
    return job->listing ? take_run(job, false, true, true) : take_run(job, false, true, false);
}

static HOT_TARGET enum cairn_take_stop take_stacked(const struct cairn_take_job *job)
{
    if (!job->memo->counting)
        return take_run(job, true, false, true);
    return job->listing ? take_run(job, true, true, true) : take_run(job, true, true, false);
}
