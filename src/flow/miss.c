/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that are not in the memo where they should be: found elsewhere in it, borrowed from another
 * thread's, or worked out. */
#include "flow/hot.h"

#include <stdint.h>
#include <string.h>

void cairn_hot_stack_lower(struct cairn_hot_stack *stack)
{
    uint64_t *const first = stack->entries + CAIRN_HOT_STACK_FIRST;
    const ptrdiff_t kept = stack->sp - stack->bottom;

    memmove(first, stack->bottom, (size_t)kept * sizeof *first);
    stack->base = first + (stack->base - stack->bottom);
    stack->bottom = first;
    stack->sp = first + kept;
}

/* Works the word out. False: `*exit` says why not. */
static bool work_out(const struct cairn_lane *lane, struct cairn_hot_job *job, uint64_t code,
                     uint64_t word, unsigned count, struct cairn_word_path *worked,
                     enum cairn_hot_exit *exit)
{
    switch (cairn_word_build(&job->builder, code, word, count, &lane->stack, worked)) {
    case CAIRN_WORD_FOUND: job->misses++; return true; /* what has no path is no new word */
    case CAIRN_WORD_HARD: *exit = CAIRN_HOT_HARD; return false;
    case CAIRN_WORD_FULL: *exit = CAIRN_HOT_FULL; return false;
    }
    return false;
}

/* Whether the key came by a short while ago. */
static bool came_by(struct cairn_hot_job *job, uint32_t hash_of_key)
{
    uint16_t *seen = &job->seen[hash_of_key >> (32 - CAIRN_HOT_SEEN_BITS)];
    const uint16_t mark = (uint16_t)(hash_of_key | 1);
    const bool was = *seen == mark;

    *seen = mark;
    return was;
}

static enum cairn_path_kind kind_of(uint64_t word)
{
    return cairn_word_is_bits(word) ? CAIRN_PATH_BITS : CAIRN_PATH_PACKETS;
}

/* Adds the path of a word that will not come again. To take back, nothing is added: what was
 * counted is gone with the paths. */
static bool add_loose(struct cairn_hot_job *job, struct cairn_word_path *worked,
                      uint32_t hash_of_key, enum cairn_hot_exit *exit)
{
    struct cairn_dictionary *dictionary = job->builder.dictionary;

    worked->path = 0;
    if (job->delta != 1)
        return true;
    job->repeated += came_by(job, hash_of_key);
    *exit = CAIRN_HOT_FULL;
    worked->path = cairn_dictionary_add_path(dictionary, kind_of(worked->atoms), worked->atoms,
                                             worked->steps, worked->step_count);
    if (worked->path != 0 && job->counting)
        dictionary->counts[worked->path]++;
    return worked->path != 0;
}

/* Adds its path, and makes room for its entry. */
static bool add(struct cairn_hot_job *job, struct cairn_word_path *worked, cairn_memo_hash *hash_by,
                enum cairn_hot_exit *exit)
{
    struct cairn_dictionary *dictionary = job->builder.dictionary;

    *exit = CAIRN_HOT_FULL;
    if (!cairn_memo_room(job->memo, dictionary, job->builder.return_stack, hash_by))
        return false;
    worked->path = cairn_dictionary_add_path(dictionary, kind_of(worked->atoms), worked->atoms,
                                             worked->steps, worked->step_count);
    return worked->path != 0;
}

/* An entry that another thread has worked out: the same path then has one number. */
static struct cairn_memo_entry *borrow(struct cairn_hot_job *job, uint64_t code, uint64_t word,
                                       cairn_memo_hash *hash_by)
{
    const struct cairn_memo *memo;

    for (unsigned n = 0; (memo = job->peer(job->engine, &n)) != NULL;) {
        const struct cairn_memo_entry *entry = cairn_memo_find(memo, code, word, hash_by);

        if (!entry)
            continue;
        if (!cairn_memo_room(job->memo, job->builder.dictionary, false, hash_by))
            return NULL;
        return cairn_memo_copy(job->memo, entry, hash_by);
    }
    return NULL;
}

static struct cairn_stack_entry *borrow_stacked(const struct cairn_lane *lane,
                                                struct cairn_hot_job *job, uint64_t code,
                                                uint64_t word, unsigned *count,
                                                cairn_memo_hash *hash_by)
{
    const struct cairn_memo *memo;

    for (unsigned n = 0; (memo = job->peer(job->engine, &n)) != NULL;) {
        const struct cairn_stack_entry *entry =
            cairn_memo_find_stacked(memo, code, word, &lane->stack, hash_by);

        if (!entry)
            continue;
        if (!cairn_memo_room(job->memo, job->builder.dictionary, true, hash_by))
            return NULL;
        if (entry->bytes != 0)
            *count = entry->bytes;
        return cairn_memo_copy_stacked(job->memo, memo, entry, hash_by);
    }
    return NULL;
}

/* Works the entry out, or finds it by less of the word. */
static struct cairn_memo_entry *miss(struct cairn_lane *lane, struct cairn_hot_job *job,
                                     uint64_t code, uint64_t word, unsigned *count,
                                     cairn_memo_hash *hash_by, enum cairn_hot_exit *exit)
{
    struct cairn_memo_entry *entry = NULL;
    struct cairn_word_path worked;

    if (!work_out(lane, job, code, word, *count, &worked, exit))
        return NULL;
    if (job->builder.fresh) {
        if (!add_loose(job, &worked, hash_by(code, word), exit))
            return NULL;
        job->loose = (struct cairn_memo_entry){.next = worked.next, .path = worked.path};
        *count = worked.bytes;
        *exit = CAIRN_HOT_LIMIT;
        return &job->loose;
    }
    if (worked.bytes < *count)
        entry = cairn_memo_find(job->memo, code, worked.atoms, hash_by);
    if (!entry) {
        if (!add(job, &worked, hash_by, exit))
            return NULL;
        entry = cairn_memo_add(job->memo, code, &worked, hash_by);
    }
    *count = worked.bytes;
    *exit = CAIRN_HOT_LIMIT;
    return entry;
}

static struct cairn_stack_entry *miss_stacked(struct cairn_lane *lane, struct cairn_hot_job *job,
                                              uint64_t code, uint64_t word, unsigned *count,
                                              cairn_memo_hash *hash_by, enum cairn_hot_exit *exit)
{
    struct cairn_stack_entry *entry;
    struct cairn_word_path worked;

    if (!work_out(lane, job, code, word, *count, &worked, exit))
        return NULL;
    if (job->builder.fresh) {
        if (!cairn_memo_room(job->memo, job->builder.dictionary, true, hash_by) ||
            !add_loose(job, &worked, hash_by(code, word), exit)) {
            *exit = CAIRN_HOT_FULL;
            return NULL;
        }
        cairn_memo_set_loose(job->memo, &job->loose_stacked, word, &worked);
        *count = worked.bytes;
        *exit = CAIRN_HOT_LIMIT;
        return &job->loose_stacked;
    }
    if (!add(job, &worked, hash_by, exit))
        return NULL;
    entry = cairn_memo_add_stacked(job->memo, code, word, &worked, hash_by);
    *count = worked.bytes;
    *exit = CAIRN_HOT_LIMIT;
    return entry;
}

/* Into the dictionary, which nobody else has in hand then. False: `*exit` says why not. */
static bool enter(struct cairn_hot_job *job, enum cairn_hot_exit *exit)
{
    *exit = CAIRN_HOT_FULL;
    if (!cairn_gate_enter(job->builder.gate, job->builder.cancelled))
        return false;
    job->builder.dictionary->full = false;
    return true;
}

/* Of entries that were not found in their own places one in so many goes there, and what was there takes its place: those
 * that come often are found at once then, and two that come in turns do not change places each time. */
enum { FINDS = 8 };

/* Whether one may: others look for entries of this memo, too. */
static bool may_bring(struct cairn_hot_job *job)
{
    return ++job->finds % FINDS == 0 && cairn_gate_try(job->builder.gate);
}

struct cairn_memo_entry *cairn_hot_miss(struct cairn_lane *lane, struct cairn_hot_job *job,
                                        uint64_t code, uint64_t word, unsigned *count,
                                        cairn_memo_hash *hash_by, enum cairn_hot_exit *exit)
{
    struct cairn_memo_entry *entry = cairn_memo_find(job->memo, code, word, hash_by);

    if (entry) {
        if (may_bring(job)) {
            entry = cairn_memo_bring(job->memo, entry, hash_by);
            cairn_gate_leave(job->builder.gate);
        }
        return entry;
    }
    if (!enter(job, exit))
        return NULL;
    entry = job->builder.gate ? borrow(job, code, word, hash_by) : NULL;
    if (!entry)
        entry = miss(lane, job, code, word, count, hash_by, exit);
    cairn_gate_leave(job->builder.gate);
    return entry;
}

struct cairn_stack_entry *cairn_hot_miss_stacked(struct cairn_lane *lane, struct cairn_hot_job *job,
                                                 uint64_t code, uint64_t word, unsigned *count,
                                                 cairn_memo_hash *hash_by,
                                                 enum cairn_hot_exit *exit)
{
    struct cairn_stack_entry *entry =
        cairn_memo_find_stacked(job->memo, code, word, &lane->stack, hash_by);

    if (entry) {
        if (entry->bytes != 0)
            *count = entry->bytes;
        if (may_bring(job)) {
            entry = cairn_memo_bring_stacked(job->memo, entry, hash_by);
            cairn_gate_leave(job->builder.gate);
        }
        return entry;
    }
    if (!enter(job, exit))
        return NULL;
    entry = job->builder.gate ? borrow_stacked(lane, job, code, word, count, hash_by) : NULL;
    if (!entry)
        entry = miss_stacked(lane, job, code, word, count, hash_by, exit);
    cairn_gate_leave(job->builder.gate);
    return entry;
}
