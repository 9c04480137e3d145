/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/reading.h"

#include "base/cpu.h"
#include "flow/engine.h"
#include "flow/follow.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORDS = 512,
    ASIDES = 2048,
    DATA = 1024,
    ELEMENTS = 1024,     /* behind the words of a batch */
    ELEMENTS_SPARE = 640 /* that one word may be: atoms, asides, cycles and a target */
};

static const struct cairn_take_loops *choose_loops(const struct cairn_engine *engine)
{
#if defined(__x86_64__)
    if (!(engine->options.flags & CAIRN_ENGINE_PORTABLE) && cairn_cpu_has_fast_bits())
        return &cairn_take_x86;
#endif
    (void)engine;
    return &cairn_take_portable;
}

cairn_status cairn_reading_begin(struct cairn_engine *engine)
{
    struct cairn_reading *reading = &engine->reading;
    struct cairn_words *words = &reading->taking.words;

    reading->protocol = cairn_reading_choose(engine);
    reading->loops = choose_loops(engine);
    words->capacity = WORDS;
    words->aside_capacity = ASIDES;
    words->data_capacity = DATA;
    words->word = malloc(WORDS * sizeof *words->word); /* a short trace fills little of it */
    words->aside = malloc(ASIDES * sizeof *words->aside);
    words->data = malloc(DATA * sizeof *words->data);
    words->until = UINT64_MAX;
    words->packets = engine->listing && !(engine->options.flags & CAIRN_ENGINE_NO_PACKETS);
    words->ledger = &reading->ledger;
    if (!words->word || !words->aside || !words->data ||
        cairn_element_batch_new(ELEMENTS, &words->elements) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    engine->turn = CAIRN_TURN_TAKE;
    return reading->protocol->reader_new(engine->config, &reading->bytes, &reading->reader);
}

void cairn_reading_end(struct cairn_engine *engine)
{
    struct cairn_reading *reading = &engine->reading;
    struct cairn_words *words = &reading->taking.words;

    if (reading->reader)
        reading->protocol->reader_free(reading->reader);
    cairn_element_batch_free(words->elements);
    free(words->word);
    free(words->aside);
    free(words->data);
}

cairn_status cairn_reading_rewind(struct cairn_engine *engine)
{
    struct cairn_reading *reading = &engine->reading;
    const struct cairn_words words = reading->taking.words;
    void *reader;
    cairn_status status;

    if (!reading->reader)
        return CAIRN_OK;
    status = reading->protocol->reader_new(engine->config, &reading->bytes, &reader);
    if (status != CAIRN_OK)
        return status;
    reading->protocol->reader_free(reading->reader);
    reading->reader = reader;
    reading->taking = (struct cairn_taking){.words = words};
    cairn_words_empty(&reading->taking.words);
    reading->under_way = false;
    engine->turn = CAIRN_TURN_TAKE;
    cairn_engine_to_lane(engine);
    return CAIRN_OK;
}

cairn_status cairn_reading_lose(struct cairn_engine *engine, uint64_t offset)
{
    struct cairn_reading *reading = &engine->reading;
    struct cairn_element_batch *elements = reading->taking.words.elements;
    const cairn_status status = cairn_reading_rewind(engine);

    if (status != CAIRN_OK)
        return status;
    reading->protocol->reader_amid(reading->reader, offset);
    elements->offset[0] = offset;
    elements->length[0] = 0;
    elements->kind[0] = CAIRN_ELEMENT_GAP;
    elements->flags[0] = 0;
    elements->data[0] = (struct cairn_element_data){.value = CAIRN_GAP_LOST};
    elements->count = 1;
    return CAIRN_OK;
}

/* --- through the follower --- */

static void put_up_element(struct cairn_element_batch *elements, unsigned kind, unsigned flags,
                           uint64_t offset, uint64_t length, const struct cairn_element_data *data)
{
    const size_t n = elements->count++;

    elements->offset[n] = offset;
    elements->length[n] = length;
    elements->kind[n] = (uint8_t)kind;
    elements->flags[n] = (uint16_t)flags;
    elements->data[n] = *data;
}

/* The cycle that stands in front of an atom, if waits are told there. */
static void put_up_wait(struct cairn_engine *engine, unsigned step)
{
    const struct cairn_taking *t = &engine->reading.taking;
    const struct cairn_aside *run = t->run ? &t->words.aside[t->run - 1] : NULL;
    const struct cairn_element_data one = {.value = 1};

    if (!run || run->kind != CAIRN_ASIDE_WAITS || step >= run->step + run->value)
        return;
    put_up_element(engine->elements, CAIRN_ELEMENT_CYCLE_COUNT, 0, t->words.origin + run->at,
                   run->length, &one);
}

/* Asides in front of an atom. */
static void put_up_asides(struct cairn_engine *engine, unsigned step)
{
    struct cairn_taking *t = &engine->reading.taking;
    const struct cairn_word *word = &t->words.word[t->next];
    const size_t behind = t->first_aside + word->asides;

    for (; t->aside < behind && t->words.aside[t->aside].step <= step; t->aside++) {
        struct cairn_aside *aside = &t->words.aside[t->aside];
        struct cairn_element_data data;

        switch (aside->kind) {
        case CAIRN_ASIDE_WAITS:
        case CAIRN_ASIDE_PACKET:
            t->run = aside->value ? t->aside + 1 : 0;
            t->run_step = aside->step;
            break;
        case CAIRN_ASIDE_COUNTS:
            if (!cairn_take_put_up_counts(t, aside, step, engine->elements))
                return;
            break;
        case CAIRN_ASIDE_TRANSACTION: t->transaction = aside->value != 0; break;
        default:
            data = cairn_aside_data(&t->words, aside);
            put_up_element(engine->elements, aside->kind, aside->flags, t->words.origin + aside->at,
                           aside->length, &data);
            break;
        }
    }
}

static void put_up_atom(struct cairn_engine *engine, unsigned step, unsigned nth, bool E,
                        bool addressed)
{
    struct cairn_taking *t = &engine->reading.taking;
    const struct cairn_element_data data = {.nth = (uint8_t)nth};
    unsigned flags = E ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0;
    uint64_t length;
    const uint64_t offset = cairn_take_packet(t, step, &length);

    if (t->transaction)
        flags |= CAIRN_ELEMENT_TRANSACTIONAL;
    if (addressed)
        flags |= CAIRN_ELEMENT_ADDRESSED;
    put_up_element(engine->elements, CAIRN_ELEMENT_ATOM, flags, offset, length, &data);
}

/* The next packet of the word in hand, or of a word of bits the next atom. */
static void put_up_next(struct cairn_engine *engine)
{
    struct cairn_taking *t = &engine->reading.taking;
    const struct cairn_word_bytes *bytes = &engine->reading.bytes;
    const uint64_t left = t->left;

    put_up_asides(engine, t->taken);
    if (cairn_word_is_bits(left)) {
        const bool last = cairn_take_count(left) == 1;

        put_up_wait(engine, t->taken);
        put_up_atom(engine, t->taken, 0, left & 1, last && (left & CAIRN_WORD_BRANCH));
        t->run_step = t->taken + 1;
    } else {
        for (unsigned i = 0; i < bytes->atoms[left & 0xff]; i++)
            put_up_atom(engine, t->taken, i, bytes->bits[left & 0xff] >> i & 1, false);
    }
    t->left = cairn_take_rest(left, 1);
    t->taken++;
    t->untold = true;
}

static void put_up_target(struct cairn_engine *engine, const struct cairn_word *word)
{
    const struct cairn_taking *t = &engine->reading.taking;
    const struct cairn_element_data data = {.address = word->target & ~UINT64_C(1),
                                            .sub_isa = (uint8_t)(word->target & 1)};

    put_up_element(engine->elements, CAIRN_ELEMENT_TARGET_ADDRESS,
                   t->transaction ? CAIRN_ELEMENT_TRANSACTIONAL : 0,
                   t->words.origin + word->at + word->before, word->target_length, &data);
}

/* What is left of the word in hand. */
static void put_up_rest(struct cairn_engine *engine)
{
    struct cairn_taking *t = &engine->reading.taking;
    const struct cairn_word *word = &t->words.word[t->next];

    while (t->left != 0)
        put_up_next(engine);
    put_up_asides(engine, UINT8_MAX);
    if (word->target != CAIRN_WORD_NO_TARGET)
        put_up_target(engine, word);
    t->next++;
    t->first_aside = t->aside;
    t->begun = false;
    t->run = 0;
}

static void begin_word(struct cairn_taking *t)
{
    if (t->begun)
        return;
    t->begun = true;
    t->left = t->words.word[t->next].atoms;
    t->taken = 0;
    t->run = 0;
    t->untold = false;
}

/* Words up to the first address: where memory, or where execution is, is not known. */
static void put_up_words(struct cairn_engine *engine)
{
    struct cairn_taking *t = &engine->reading.taking;
    const struct cairn_element_batch *elements = engine->elements;

    while (t->next < t->words.count && elements->capacity - elements->count >= ELEMENTS_SPARE) {
        const bool target = t->words.word[t->next].target != CAIRN_WORD_NO_TARGET;

        begin_word(t);
        put_up_rest(engine);
        if (target)
            break;
    }
}

static void begin_following(struct cairn_engine *engine)
{
    engine->elements->count = 0;
    engine->element_at = 0;
    engine->turn = CAIRN_TURN_FOLLOW;
    cairn_engine_from_lane(engine);
}

/* The elements behind the words, as they are. */
static void follow_behind(struct cairn_engine *engine)
{
    struct cairn_words *words = &engine->reading.taking.words;
    struct cairn_element_batch *behind = words->elements;

    words->elements = engine->elements;
    begin_following(engine);
    engine->elements = behind;
}

bool cairn_reading_put_up(struct cairn_engine *engine)
{
    const struct cairn_taking *t = &engine->reading.taking;

    if (t->next < t->words.count) {
        begin_following(engine);
        put_up_words(engine);
        return true;
    }
    if (t->words.elements->count == 0)
        return false;
    follow_behind(engine);
    return true;
}

/* --- taking --- */

static struct cairn_hot_job *prepare_memo(struct cairn_engine *engine)
{
    struct cairn_hot_job *job = &engine->job;

    job->memo = &engine->view->memo;
    job->builder.bits = engine->reading.bytes.bits;
    job->builder.pop_first = engine->config->rules.pop_first;
    job->builder.fresh = engine->fresh;
    job->builder.fresh_blocks = engine->fresh_blocks;
    job->builder.gate = engine->gate;
    job->builder.cancelled = &engine->cancelled;
    job->counting = (engine->options.flags & CAIRN_ENGINE_COUNTS) != 0;
    job->delta = 1;
    job->misses = 0;
    job->repeated = 0;
    return job;
}

/* Where a word's packets end, or the last of them begins: that of its target. */
static uint64_t end_of(const struct cairn_words *words, const struct cairn_word *word)
{
    return words->origin + word->at + word->before;
}

/* Words up to which the selected memory holds, or, of the one in hand, atoms. */
static void bound(struct cairn_engine *engine, struct cairn_take_job *job)
{
    const uint64_t until = engine->levels->flow->selected_until;
    struct cairn_taking *t = &engine->reading.taking;
    const struct cairn_words *words = &t->words;
    size_t end = t->next;
    unsigned most = 0;

    job->end = words->count;
    if (until == UINT64_MAX)
        return;
    begin_word(t);
    while (end < words->count && end_of(words, &words->word[end]) <= until)
        end++;
    job->end = end;
    if (end > t->next || end == words->count)
        return;
    for (uint64_t length; most < cairn_take_count(t->left); most++)
        if (cairn_take_packet(t, t->taken + most, &length) > until)
            break;
    job->end = t->next + 1;
    job->most = most;
}

static void end_dictionary(struct cairn_engine *engine, bool *again)
{
    engine->out->dictionary_ends = true;
    engine->stuck = true;
    *again = false;
}

/* What stopped the words is followed. */
static void follow_stop(struct cairn_engine *engine, enum cairn_take_stop stop)
{
    struct cairn_taking *t = &engine->reading.taking;

    begin_following(engine);
    if (stop == CAIRN_TAKE_TARGET)
        put_up_rest(engine);
    else
        put_up_next(engine);
    if (t->begun && t->left == 0)
        put_up_rest(engine);
}

/* Takes the words at hand as far as the batch has room and nothing is to be followed. `*again`
 * false: it has none, or the dictionary. */
static cairn_status take_words(struct cairn_engine *engine, bool *again)
{
    struct cairn_reading *reading = &engine->reading;
    struct cairn_taking *t = &reading->taking;
    struct cairn_flow *flow = engine->levels->flow;
    struct cairn_take_job job = {.taking = t,
                                 .lane = &engine->lane,
                                 .out = engine->out,
                                 .flow = flow,
                                 .listing = engine->listing};

    if (engine->lane.code == CAIRN_CODE_LOST)
        begin_word(t);
    const bool fits = cairn_engine_fits_lane(flow);

    if (fits && cairn_reading_is_lost(engine)) {
        cairn_reading_pass_lost(engine, again);
        return CAIRN_OK;
    }
    if (!fits || (engine->lane.code == CAIRN_CODE_LOST && t->left != 0)) {
        begin_following(engine);
        put_up_words(engine);
        return CAIRN_OK;
    }
    flow->offset = cairn_take_offset(t);
    const cairn_status status = cairn_engine_select(engine);

    if (status != CAIRN_OK)
        return status;
    job.memo = prepare_memo(engine);
    job.packets = !(engine->options.flags & (CAIRN_ENGINE_COUNTS | CAIRN_ENGINE_NO_PACKETS));
    job.events_most = engine->gate && !job.memo->counting ? CAIRN_ENGINE_ROOM : SIZE_MAX;
    bound(engine, &job);
    if (engine->lane.code == CAIRN_CODE_LOST)
        job.end = t->next + 1; /* there is its target, and nothing else */
    if (engine->fresh)
        cairn_engine_ask_of_words(engine, &job);
    const size_t next = t->next;
    const unsigned taken = t->begun ? t->taken : 0;
    const enum cairn_take_stop stop = engine->config->rules.return_stack
                                          ? reading->loops->stacked(&job)
                                          : reading->loops->plain(&job);

    if (t->marked)
        cairn_take_unmark(&job);
    engine->statistics.misses += job.memo->misses;
    reading->misses += job.memo->misses;
    reading->repeated += job.memo->repeated;
    if (t->next > next || (t->begun && t->taken > taken))
        engine->stuck = false;
    switch (stop) {
    case CAIRN_TAKE_WORDS: break;
    case CAIRN_TAKE_ROOM: *again = false; break;
    case CAIRN_TAKE_FULL:
        if (!engine->stuck) {
            end_dictionary(engine, again);
            break;
        }
        begin_word(t);
        follow_stop(engine, stop); /* there is no room for it in an empty dictionary either */
        break;
    case CAIRN_TAKE_HARD:
    case CAIRN_TAKE_TARGET:
        begin_word(t);
        follow_stop(engine, stop);
        break;
    }
    return CAIRN_OK;
}

/* What there is of the batch. *left false: nothing. */
static cairn_status take(struct cairn_engine *engine, bool *again, bool *left)
{
    const struct cairn_taking *t = &engine->reading.taking;
    cairn_status status = CAIRN_OK;

    *left = false;
    if (t->next < t->words.count) {
        *left = true;
        status = take_words(engine, again);
        if (status != CAIRN_OK || !*again || engine->turn == CAIRN_TURN_FOLLOW ||
            t->next < t->words.count)
            return status;
    }
    if (t->words.elements->count > 0) {
        *left = true;
        follow_behind(engine);
    }
    return status;
}

/* --- reading --- */

static void begin_batch(struct cairn_engine *engine)
{
    struct cairn_reading *reading = &engine->reading;
    struct cairn_taking *t = &reading->taking;

    if (t->words.count > 0)
        cairn_engine_watch(engine, reading->misses, reading->repeated, reading->length);
    reading->misses = 0;
    reading->repeated = 0;
    reading->length = 0;
    cairn_words_empty(&t->words);
    t->next = 0;
    t->first_aside = 0;
    t->aside = 0;
    t->begun = false;
    t->packets = NULL;
    t->found_of = 0;
    t->words.by_levels = 0;
}

/* Bytes that the reader has taken. */
static void count_bytes(struct cairn_engine *engine, uint64_t bytes)
{
    const uint64_t by_levels = engine->reading.taking.words.by_levels;

    engine->statistics.scanned_bytes += by_levels;
    engine->statistics.hot_bytes += bytes - by_levels;
}

void cairn_reading_settle(struct cairn_engine *engine)
{
    struct cairn_reading *reading = &engine->reading;
    struct cairn_ledger *ledger = &engine->levels->ledger;

    if (reading->ledger.total == 0)
        return;
    ledger->total += reading->ledger.total;
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        ledger->account[i].bytes += reading->ledger.account[i].bytes;
        ledger->account[i].packets += reading->ledger.account[i].packets;
    }
    memset(&reading->ledger, 0, sizeof reading->ledger);
}

cairn_status cairn_reading_read(struct cairn_engine *engine, size_t position)
{
    struct cairn_reading *reading = &engine->reading;
    struct cairn_words *words = &reading->taking.words;
    const uint64_t origin = cairn_reading_origin(engine, position);
    const size_t before = reading->under_way ? reading->taken : position;
    cairn_status status;

    reading->taken = before;
    reading->under_way = true;
    begin_batch(engine);
    words->until = engine->stop < engine->size ? origin + engine->stop : UINT64_MAX;
    status = reading->protocol->reader_words(reading->reader, engine->data, engine->size,
                                             &reading->taken, words);
    engine->offset = origin + reading->taken;
    if (words->count > 0 && reading->protocol->reader_packets) {
        reading->taking.packets = reading->protocol->reader_packets;
        reading->taking.reader = reading->reader;
        reading->taking.bytes = engine->data;
        reading->taking.bytes_origin = origin;
    }
    reading->length = reading->taken - before;
    count_bytes(engine, reading->length);
    return status;
}

cairn_status cairn_reading_run(struct cairn_engine *engine, size_t *position, bool *again)
{
    struct cairn_reading *reading = &engine->reading;
    const struct cairn_words *words = &reading->taking.words;
    bool left;
    cairn_status status = take(engine, again, &left);

    if (status != CAIRN_OK || left)
        return status;
    /* The caller comes again while its position is before the end: there may be words then. */
    if (reading->under_way && reading->taken < engine->size && reading->taken > *position)
        *position = reading->taken;
    if (*position >= engine->stop)
        return CAIRN_OK;
    status = cairn_reading_read(engine, *position);
    if (words->count == 0 && words->elements->count == 0 && reading->taken == engine->size) {
        *position = engine->size;
        reading->under_way = false;
        *again = false;
        return status;
    }
    return status == CAIRN_OK ? take(engine, again, &left) : status;
}

cairn_status cairn_reading_finish(struct cairn_engine *engine, bool *again)
{
    struct cairn_reading *reading = &engine->reading;
    const struct cairn_words *words = &reading->taking.words;
    bool left;
    cairn_status status = take(engine, again, &left);

    if (status != CAIRN_OK || left)
        return status;
    begin_batch(engine);
    status = reading->protocol->reader_finish(reading->reader, &reading->taking.words);
    count_bytes(engine, reading->taking.words.by_levels);
    if (status != CAIRN_OK || words->count > 0 || words->elements->count > 0)
        return status;
    cairn_engine_from_lane(engine);
    status = cairn_flow_finish(engine->levels->flow, engine->records);
    if (engine->records->count == 0)
        *again = false;
    cairn_engine_to_lane(engine);
    return status;
}
