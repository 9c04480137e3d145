/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/part.h"

#include "flow/follow.h"

#include <stdlib.h>
#include <string.h>

static void empty(struct cairn_word_batch *batch)
{
    batch->count = 0;
    batch->event_count = 0;
    batch->instructions = 0;
    batch->dictionary_ends = false;
}

/* The engine stands at the part's start, and has done nothing. */
static void put(struct cairn_part *part)
{
    struct cairn_engine *engine = part->engine;
    struct cairn_ledger *ledger = &engine->levels->ledger;

    cairn_standing_put(&part->guess, engine);
    memset(ledger, 0, sizeof *ledger);
    ledger->size = sizeof *ledger;
    memset(&engine->statistics, 0, sizeof engine->statistics);
    engine->statistics.size = sizeof engine->statistics;
    engine->out = part->batch;
    engine->stop = part->stop;
    empty(part->batch);
}

void cairn_part_decode(struct cairn_part *part)
{
    struct cairn_engine *engine = part->engine;
    const struct cairn_word_batch *batch = part->batch;

    put(part);
    part->position = part->start;
    part->status = cairn_engine_go_on(engine, &part->position);
    part->counted = (engine->options.flags & CAIRN_ENGINE_COUNTS) != 0;
    part->ledger = engine->levels->ledger;
    part->statistics = engine->statistics;
    const bool cut = batch->dictionary_ends || atomic_load(&engine->cancelled);

    part->filled = !cut && part->position < part->stop;
    part->stands = !cut && part->status == CAIRN_OK && part->position >= part->stop &&
                   cairn_standing_take(engine, part->position, &part->end);
    engine->stop = SIZE_MAX;
}

/* Adds cycles to what the engine counts, and to records that it has still to give. */
void cairn_part_add_cycles(struct cairn_engine *engine, uint64_t cycles)
{
    struct cairn_flow *flow = engine->levels->flow;
    struct cairn_flow_batch *records = engine->records;

    flow->total_cycles += cycles;
    for (size_t i = engine->record_at; i < records->count; i++)
        if (records->kind[i] == CAIRN_FLOW_CYCLES)
            records->address[i] += cycles;
    for (unsigned i = flow->given; i < flow->count; i++)
        if (flow->pending[i].kind == CAIRN_FLOW_CYCLES)
            flow->pending[i].address += cycles;
}

static void hand_over_event(struct cairn_part *part, struct cairn_word_batch *out)
{
    struct cairn_word_event *event = &out->event[out->event_count++];

    *event = part->batch->event[part->event++];
    event->word = (uint32_t)out->count;
    if (event->kind == CAIRN_FLOW_CYCLES || event->kind == CAIRN_WORD_WAITS)
        event->address += part->cycles;
    if (event->kind == CAIRN_FLOW_RANGE)
        out->instructions += event->instructions;
}

/* Units up to `end`. False: not all of them. */
static bool hand_over_words(struct cairn_part *part, size_t end, struct cairn_word_batch *out)
{
    const struct cairn_word_batch *batch = part->batch;
    const size_t room = out->capacity - out->count;
    const size_t count = end - part->word < room ? end - part->word : room;

    if (count > 0) {
        memcpy(out->path + out->count, batch->path + part->word, count * sizeof *out->path);
        if (out->offset)
            memcpy(out->offset + out->count, batch->offset + part->word,
                   count * sizeof *out->offset);
    }
    out->count += count;
    part->word += count;
    return part->word == end;
}

/* Adds `each` to the counter of every word that is not handed over: 1, or -1 for what is counted
 * elsewhere. */
static void count(const struct cairn_part *part, struct cairn_dictionary *dictionary, uint64_t each)
{
    const struct cairn_word_batch *batch = part->batch;

    for (size_t i = part->word; i < batch->count; i++)
        dictionary->counts[batch->path[i] & ~CAIRN_WORD_INFERRED] += each;
}

void cairn_part_uncount(struct cairn_part *part, struct cairn_dictionary *dictionary)
{
    if (part->counted)
        count(part, dictionary, UINT64_MAX); /* -1 */
    part->counted = false;
}

/* Whether the next event can go, with those that stand inside of the same word, and that word. */
static bool has_room(const struct cairn_part *part, const struct cairn_word_batch *out,
                     bool counting)
{
    const struct cairn_word_event *event = &part->batch->event[part->event];
    const size_t left = part->batch->event_count - part->event;
    const size_t room = out->event_capacity - out->event_count;

    if (counting || event->step == 0)
        return room > 0;
    return out->count < out->capacity &&
           (room >= left || event[room].word != event->word || event[room].step == 0);
}

/* The word that an event of the part stands in front of, or in, as the caller's batch has it. */
static uint32_t word_of(const struct cairn_part *part, const struct cairn_word_event *event,
                        const struct cairn_word_batch *out, bool counting)
{
    return (uint32_t)(counting ? out->count : out->count + (event->word - part->word));
}

/* Events from `from` on that can go at once, in front of one that stands inside of no word, or of
 * another: as many as there is room for, with the words up to each. */
static size_t run_of_events(const struct cairn_part *part, const struct cairn_word_batch *out,
                            bool counting)
{
    const struct cairn_word_event *event = &part->batch->event[part->event];
    const size_t left = part->batch->event_count - part->event;
    const size_t room = out->event_capacity - out->event_count;
    const size_t words = out->capacity - out->count;
    size_t count = left < room ? left : room;

    if (counting)
        return count;
    while (count > 0 && event[count - 1].word - part->word >= words)
        count = event[count / 2].word - part->word >= words ? count / 2 : count - 1;
    if (count == left)
        return count;
    while (count > 0 && event[count].step > 0 && event[count - 1].word == event[count].word)
        count--;
    return count;
}

/* These, and the words in front of the last of them. */
static void hand_over_run(struct cairn_part *part, struct cairn_word_batch *out, bool counting)
{
    const size_t count = run_of_events(part, out, counting);
    const struct cairn_word_event *from = &part->batch->event[part->event];
    struct cairn_word_event *to = &out->event[out->event_count];

    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        to[i].word = word_of(part, &from[i], out, counting);
        if (from[i].kind == CAIRN_FLOW_CYCLES || from[i].kind == CAIRN_WORD_WAITS)
            to[i].address += part->cycles;
        if (from[i].kind == CAIRN_FLOW_RANGE)
            out->instructions += from[i].instructions;
    }
    out->event_count += count;
    part->event += count;
    if (!counting)
        (void)hand_over_words(part, from[count - 1].word, out);
}

bool cairn_part_hand_over(struct cairn_part *part, struct cairn_word_batch *out,
                          struct cairn_dictionary *counting)
{
    const struct cairn_word_batch *batch = part->batch;

    hand_over_run(part, out, counting != NULL);
    while (part->event < batch->event_count) {
        const struct cairn_word_event *event = &batch->event[part->event];

        if (!counting && !hand_over_words(part, event->word, out))
            return false;
        if (!has_room(part, out, counting != NULL))
            return false;
        hand_over_event(part, out);
    }
    if (!counting)
        return hand_over_words(part, batch->count, out);
    if (!part->counted)
        count(part, counting, 1);
    part->word = batch->count;
    return true;
}

struct cairn_word_batch *cairn_part_batch(size_t words, size_t events, bool offsets)
{
    struct cairn_word_batch *batch = calloc(1, sizeof *batch);

    if (!batch)
        return NULL;
    batch->size = sizeof *batch;
    batch->capacity = words;
    batch->event_capacity = events;
    batch->path = malloc(words * sizeof *batch->path);
    batch->offset = offsets ? malloc(words * sizeof *batch->offset) : NULL;
    batch->event = malloc(events * sizeof *batch->event);
    if (!batch->path || (offsets && !batch->offset) || !batch->event) {
        cairn_word_batch_free(batch);
        return NULL;
    }
    return batch;
}

void cairn_ledger_add(struct cairn_ledger *ledger, const struct cairn_ledger *part)
{
    ledger->total += part->total;
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        ledger->account[i].bytes += part->account[i].bytes;
        ledger->account[i].packets += part->account[i].packets;
        ledger->lost[i] += part->lost[i];
    }
}

void cairn_statistics_add(struct cairn_engine_statistics *statistics,
                          const struct cairn_engine_statistics *part)
{
    statistics->hot_bytes += part->hot_bytes;
    statistics->scanned_bytes += part->scanned_bytes;
    statistics->cold_bytes += part->cold_bytes;
    statistics->switches += part->switches;
    statistics->misses += part->misses;
    statistics->generations += part->generations;
}
