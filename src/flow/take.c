/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking words on any machine, and the asides of words. */
#define HOT_TARGET
#define HOT_HASH(a, b) take_hash(a, b)
#define HOT_HASH_FUNCTION take_hash

#include <stdint.h>

#include "base/golden.h"

static inline uint32_t take_hash(uint64_t code, uint64_t word)
{
    uint64_t x = (code * CAIRN_GOLDEN) ^ word;

    x ^= x >> 32;
    x *= CAIRN_GOLDEN;
    return (uint32_t)(x >> 32);
}

#include "flow/take_loop.h"

const struct cairn_take_loops cairn_take_portable = {
    .hash = take_hash, .plain = take_plain, .stacked = take_stacked};

/* Asks for the packets of the word in hand. */
static void find_packets(struct cairn_taking *t)
{
    const struct cairn_word *word = &t->words.word[t->next];

    if (t->found_of == t->next + 1)
        return;
    const uint64_t offset = t->words.origin + word->at;
    const uint8_t *bytes = offset < t->bytes_origin ? NULL : t->bytes + (offset - t->bytes_origin);

    t->found_of = t->next + 1;
    t->found_count = t->packets(t->reader, word, bytes, t->found);
}

static bool tells_packet(const struct cairn_aside *aside)
{
    return aside->kind == CAIRN_ASIDE_PACKET || aside->kind == CAIRN_ASIDE_WAITS;
}

/* The last of the asides up to a step that tells of a packet; NULL: none. */
static const struct cairn_aside *last_packet(const struct cairn_aside *aside, size_t count,
                                             unsigned step)
{
    const struct cairn_aside *last = NULL;

    for (size_t i = 0; i < count && aside[i].step <= step; i++)
        if (tells_packet(&aside[i]))
            last = &aside[i];
    return last;
}

uint64_t cairn_take_packet(struct cairn_taking *taking, unsigned step, uint64_t *length)
{
    const struct cairn_words *words = &taking->words;
    const struct cairn_word *word = &words->word[taking->next];
    const struct cairn_aside *aside;
    uint64_t offset = words->origin + word->at;

    *length = 1;
    if (!cairn_word_has_bits(word))
        return offset + step;
    aside = last_packet(&words->aside[taking->first_aside], word->asides, step);
    if (!aside && taking->packets) {
        find_packets(taking);
        aside = last_packet(taking->found, taking->found_count, step);
    }
    if (!aside)
        return offset;
    offset = words->origin + aside->at;
    if (aside->kind == CAIRN_ASIDE_PACKET)
        offset += aside->value * (step - aside->step);
    *length = aside->length;
    return offset;
}

static struct cairn_word_event *put_event(struct cairn_word_batch *out, unsigned kind,
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

static void put_timestamp(const struct cairn_words *words, const struct cairn_aside *aside,
                          struct cairn_word_event *event)
{
    const struct cairn_element_data data = cairn_aside_data(words, aside);
    unsigned flags = 0;

    if (aside->flags & CAIRN_ELEMENT_CYCLES)
        flags |= CAIRN_FLOW_CYCLES_VALID;
    if (aside->flags & CAIRN_ELEMENT_UNKNOWN)
        flags |= CAIRN_FLOW_UNKNOWN;
    if (aside->flags & CAIRN_ELEMENT_APPROXIMATE)
        flags |= CAIRN_FLOW_IMPRECISE;
    event->flags = (uint16_t)flags;
    event->value = data.value;
    event->address = data.cycles;
}

/* One aside that is an element. */
static void put_element(const struct cairn_take_job *job, const struct cairn_aside *aside,
                        unsigned step)
{
    const struct cairn_words *words = &job->taking->words;
    const uint64_t offset = words->origin + aside->at;
    struct cairn_word_batch *out = job->out;
    struct cairn_element_data data;
    struct cairn_word_event *event;

    switch (aside->kind) {
    case CAIRN_ELEMENT_CYCLE_COUNT:
        event = put_event(out, CAIRN_FLOW_CYCLES, step, offset, aside->length);
        if (aside->flags & CAIRN_ELEMENT_UNKNOWN)
            event->flags = CAIRN_FLOW_UNKNOWN;
        else
            job->flow->total_cycles += aside->value;
        event->value = aside->value;
        event->address = job->flow->total_cycles;
        break;
    case CAIRN_ELEMENT_TIMESTAMP:
        put_timestamp(words, aside,
                      put_event(out, CAIRN_FLOW_TIMESTAMP, step, offset, aside->length));
        break;
    case CAIRN_ELEMENT_TIMESTAMP_MARKER:
        put_event(out, CAIRN_FLOW_TIMESTAMP_MARKER, step, offset, aside->length);
        break;
    case CAIRN_ELEMENT_EVENT:
        put_event(out, CAIRN_FLOW_EVENT, step, offset, aside->length)->value = aside->value;
        break;
    case CAIRN_ELEMENT_DATA:
        if (!job->flow->config->rules.every_instruction)
            break;
        data = cairn_aside_data(words, aside);
        cairn_data_record(&data, aside->flags,
                          put_event(out, CAIRN_FLOW_DATA, step, offset, aside->length));
        break;
    default: break;
    }
}

/* What an aside that tells of more than one atom tells of those in front of `end`, in events that
 * count steps from `from`. */
static void put_run(const struct cairn_take_job *job, unsigned from, unsigned end)
{
    struct cairn_taking *t = job->taking;
    const struct cairn_aside *run = &t->words.aside[t->run - 1];
    const unsigned waits_end = run->step + (unsigned)run->value;

    if (run->kind == CAIRN_ASIDE_WAITS) {
        const unsigned stop = end < waits_end ? end : waits_end;
        struct cairn_word_event *event;

        if (t->run_step >= stop)
            return;
        event = put_event(job->out, CAIRN_WORD_WAITS, t->run_step - from, t->words.origin + run->at,
                          run->length);
        event->instructions = stop - t->run_step;
        event->address = job->flow->total_cycles;
        job->flow->total_cycles += event->instructions;
        t->run_step = stop;
        return;
    }
    for (; t->run_step < end; t->run_step++) {
        uint64_t length;
        const uint64_t offset = cairn_take_packet(t, t->run_step, &length);

        if (job->packets)
            put_event(job->out, CAIRN_WORD_PACKET, t->run_step - from, offset, length);
    }
}

/* Marks in front of the next atom. */
static void put_marks(const struct cairn_take_job *job, unsigned step, uint64_t offset,
                      uint64_t length)
{
    struct cairn_taking *t = job->taking;

    if (t->transaction == t->told)
        return;
    t->told = t->transaction;
    put_event(job->out, CAIRN_WORD_TRANSACTION, step, offset, length)->value = t->told;
}

static void put_discontinuity(const struct cairn_take_job *job, unsigned from)
{
    uint64_t length;
    const uint64_t offset = cairn_take_packet(job->taking, from, &length);

    job->flow->discontinuity = false;
    put_event(job->out, CAIRN_WORD_DISCONTINUITY, 0, offset, length);
}

void cairn_take_mark(const struct cairn_take_job *job)
{
    put_discontinuity(job, 0);
    job->taking->marked = job->taking->next + 1;
}

void cairn_take_unmark(const struct cairn_take_job *job)
{
    struct cairn_taking *t = job->taking;

    if (t->marked == t->next + 1 && !t->begun) {
        job->flow->discontinuity = true;
        job->out->event_count--;
    }
    t->marked = 0;
}

unsigned cairn_take_fitting(const struct cairn_take_job *job, unsigned all)
{
    const struct cairn_taking *t = job->taking;
    const struct cairn_word *word = &t->words.word[t->next];
    const size_t behind = t->first_aside + word->asides;
    size_t at = t->aside;
    unsigned count = 1;

    if (!cairn_word_has_bits(word))
        return all; /* nothing is between its atoms */
    for (; count < all; count++) {
        while (at < behind && t->words.aside[at].step <= t->taken + count)
            at++;
        if (at - t->aside + count + EVENTS_SPARE >= job->events_most)
            break;
    }
    return count;
}

bool cairn_take_put_up_counts(const struct cairn_taking *taking, struct cairn_aside *counts,
                              unsigned step, struct cairn_element_batch *elements)
{
    bool more = true;

    while (more && cairn_aside_first_count(counts) <= step) {
        const size_t n = elements->count++;
        struct cairn_aside count;

        more = cairn_aside_next_count(counts, &count);
        elements->offset[n] = taking->words.origin + count.at;
        elements->length[n] = count.length;
        elements->kind[n] = count.kind;
        elements->flags[n] = 0;
        elements->data[n] = (struct cairn_element_data){.value = count.value};
    }
    return !more;
}

/* Cycle Counts in front of the atoms up to `most`, in events that count steps from `from`; `last`:
 * behind all atoms. False: some are left, in an aside that is shorter then. */
static bool put_counts(const struct cairn_take_job *job, struct cairn_aside *counts, unsigned from,
                       unsigned most, bool last)
{
    bool more = true;

    while (more && (last || cairn_aside_first_count(counts) <= most)) {
        struct cairn_aside count;

        more = cairn_aside_next_count(counts, &count);
        put_element(job, &count, last || count.step < from ? 0 : count.step - from);
    }
    return !more;
}

void cairn_take_asides(const struct cairn_take_job *job, unsigned from, unsigned end, bool last)
{
    struct cairn_taking *t = job->taking;
    const struct cairn_word *word = &t->words.word[t->next];
    const bool bits = cairn_word_has_bits(word);
    const size_t behind = t->first_aside + word->asides;
    struct cairn_word_batch *out = job->out;

    if (end > from && job->flow->discontinuity)
        put_discontinuity(job, from);
    if (end > from && t->transaction != t->told) {
        uint64_t length;
        const uint64_t offset = cairn_take_packet(t, from, &length);

        put_marks(job, 0, offset, length);
    }
    if (end > from && t->untold && bits && job->packets) {
        uint64_t length;
        const uint64_t offset = cairn_take_packet(t, from, &length);

        t->untold = false;
        put_event(out, CAIRN_WORD_PACKET, 0, offset, length);
    }
    for (; t->aside < behind; t->aside++) {
        struct cairn_aside *aside = &t->words.aside[t->aside];
        const unsigned step = bits ? aside->step : aside->step > 0 ? UINT8_MAX : 0;
        const uint64_t offset = t->words.origin + aside->at;

        /* Where nothing but what stands at `from` is asked for, there may be no room for it. */
        if (!last && (end > from ? step >= end : step > end))
            break;
        if (end == from && out->event_capacity - out->event_count < EVENTS_SPARE)
            return;
        const unsigned at = step > from && !last ? step - from : 0;

        if (t->run)
            put_run(job, from, last ? t->taken : step);
        switch (aside->kind) {
        case CAIRN_ASIDE_WAITS:
        case CAIRN_ASIDE_PACKET:
            t->run = aside->value ? t->aside + 1 : 0;
            t->run_step = step;
            if (job->packets && aside->value == 0)
                put_event(out, CAIRN_WORD_PACKET, at, offset, aside->length);
            break;
        case CAIRN_ASIDE_COUNTS:
            if (!put_counts(job, aside, from, end > from ? end - 1 : end, last))
                return;
            break;
        case CAIRN_ASIDE_TRANSACTION:
            t->transaction = aside->value != 0;
            put_marks(job, at, offset, aside->length);
            break;
        default: put_element(job, aside, at); break;
        }
    }
    if (t->run && end > from)
        put_run(job, from, end);
}
