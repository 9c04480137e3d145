/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of Atoms, for the loops that gather them: looked up, and taken. */
#ifndef CAIRN_FLOW_SCANNED_WORD_H
#define CAIRN_FLOW_SCANNED_WORD_H

#include "flow/scanned.h"

#define HOT_TARGET
#define HOT_HASH(a, b) hash(a, b)

static inline uint32_t hash(uint64_t code, uint64_t word)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / the golden ratio */
    uint64_t x = (code * golden) ^ word;

    x ^= x >> 32;
    x *= golden;
    return (uint32_t)(x >> 32);
}

#include "flow/hot_find.h"

enum {
    MOST = 32, /* Atoms of a word: longer ones are looked up less often, and known less often */
};

/* What became of a word. */
enum looked_up {
    LOOKED_UP,
    LOOKED_CUT, /* it has to be taken in parts */
    LOOKED_FULL,
};

/* Finds or works out a word that is not where it is looked for first. `*covers` of its Atoms are
 * then in the entry. */
enum looked_up cairn_scanned_miss(const struct cairn_lane *lane, struct cairn_scanned_job *job,
                                  uint64_t code, uint64_t word, unsigned count, unsigned *covers,
                                  struct cairn_memo_entry **entry);
/* The same with return stack. A word that has to be cut is kept too, so that this is known when it
 * comes again. */
enum looked_up cairn_scanned_miss_stacked(const struct cairn_lane *lane,
                                          struct cairn_scanned_job *job, uint64_t code,
                                          uint64_t word, unsigned count, unsigned *covers,
                                          struct cairn_stack_entry **entry);

/* Packets that there is certainly room for, if each gives so many events and units at most. */
static inline size_t cairn_scanned_room(const struct cairn_scanned_job *job,
                                        const struct cairn_word_event *next, unsigned events,
                                        unsigned units)
{
    const struct cairn_word_batch *out = job->out;
    const size_t room = (size_t)(out->event + out->event_capacity - next) / events;

    if (job->counting || (out->capacity - out->count) / units >= room)
        return room;
    return (out->capacity - out->count) / units;
}

static inline struct cairn_word_event *put_event(struct cairn_word_batch *out, unsigned kind,
                                                 unsigned step, uint64_t offset, uint64_t length)
{
    struct cairn_word_event *event = &out->event[out->event_count++];

    /* Member by member: a copy would wait for the stores of its parts. */
    event->word = (uint32_t)out->count;
    event->step = (uint16_t)step;
    event->kind = (uint8_t)kind;
    event->isa = 0;
    event->flags = 0;
    event->reserved = 0;
    event->instructions = 0;
    event->offset = offset;
    event->length = length;
    event->address = 0;
    event->value = 0;
    return event;
}

/* Looks a word up and takes it. `*covers` tells how much of it is to be taken if it is CUT. */
HOT_INLINE enum looked_up take_word(struct cairn_lane *lane, struct cairn_scanned_job *job,
                                    uint64_t word, unsigned count, uint64_t offset,
                                    unsigned *covers, const bool stacked)
{
    const struct cairn_memo *memo = job->memo;
    struct cairn_word_batch *out = job->out;
    const uint64_t key = word | (uint64_t)count << CAIRN_WORD_COUNT_SHIFT;
    uint64_t code = lane->code;
    uint32_t inferred = 0;
    uint32_t path;

    if (stacked) {
        struct cairn_stack_entry *entry;
        enum looked_up how = LOOKED_UP;

        if (code == CAIRN_CODE_NEED && lane->stack.sp > lane->stack.base) {
            code = *--lane->stack.sp;
            inferred = CAIRN_WORD_INFERRED;
        }
        entry = memo->bits ? hot_find(memo, code, key, &lane->stack) : NULL;
        if (__builtin_expect(!entry || entry->bytes > 0, 0)) {
            how = cairn_scanned_miss_stacked(lane, job, code, key, count, covers, &entry);
            if (how != LOOKED_UP) {
                if (inferred)
                    lane->stack.sp++;
                return how;
            }
        }
        hot_apply(memo, entry, &lane->stack);
        path = entry->path;
        if (job->counting)
            entry->count++;
        code = entry->next;
    } else {
        struct cairn_memo_entry *entry = NULL;
        enum looked_up how = LOOKED_UP;

        if (__builtin_expect(memo->bits != 0, 1))
            entry = &memo->entries[hash(code, key) >> (32 - memo->bits)];
        if (__builtin_expect(!entry || entry->code != code || entry->atoms != key, 0)) {
            how = cairn_scanned_miss(lane, job, code, key, count, covers, &entry);
            if (how != LOOKED_UP)
                return how;
        }
        path = entry->path;
        if (job->counting)
            entry->count++;
        code = entry->next;
    }
    lane->path = path;
    lane->code = code;
    lane->expected = code;
    if (!job->counting) {
        out->path[out->count] = path | inferred;
        if (out->offset)
            out->offset[out->count] = offset;
        out->count++;
    }
    return LOOKED_UP;
}

#endif
