/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine: its making, and the calls that feed it. */
#include "flow/engine.h"

#include "base/cpu.h"
#include "base/sizes.h"
#include "flow/follow.h"
#include "flow/gate.h"
#include "flow/parallel.h"
#include "protocol/protocol.h"

#include <stdlib.h>
#include <string.h>

enum {
    RECORDS = 256,
    COUNTED_BYTES = 1 << 30, /* no word has less than a byte */
    ELEMENTS = 1024,         /* between two Atom packets, at most; more go through the levels */
};

#define FLAGS                                                                                      \
    (CAIRN_ENGINE_COUNTS | CAIRN_ENGINE_PORTABLE | CAIRN_ENGINE_NO_PACKETS | CAIRN_ENGINE_WORDS |  \
     CAIRN_ENGINE_WORDS_OF_SCAN | CAIRN_ENGINE_WORDS_OF_LEVELS)

static void flush_counts(void *owner)
{
    struct cairn_engine *engine = owner;

    cairn_parallel_begin(engine);
    cairn_parallel_flush_counts(engine);
    cairn_parallel_end(engine);
}

static void prepare_dictionary(struct cairn_engine *e)
{
    const uint32_t flags = e->options.flags;

    e->dictionary = &e->own;
    cairn_dictionary_init(&e->own, e->options.table_bytes, (flags & CAIRN_ENGINE_COUNTS) != 0);
    e->own.m_profile = e->config->rules.m_profile;
    e->own.portable = (flags & CAIRN_ENGINE_PORTABLE) != 0;
    e->own.flush = flush_counts;
    e->own.owner = e;
}

/* What of the reference path it needs: the follower, since readers and scans have levels of their
 * own. */
static cairn_status new_levels(const struct cairn_engine *engine, struct cairn_decoder **levels)
{
    const cairn_status status = cairn_decoder_new_flow(engine->config, engine->image, levels);

    if (status == CAIRN_OK) /* the records view does it */
        (*levels)->flow->leaves_data = true;
    return status;
}

static void prepare_job(struct cairn_engine *e)
{
    e->job = (struct cairn_hot_job){
        .builder = {.dictionary = e->dictionary,
                    .blocks = &e->blocks,
                    .return_stack = e->config->rules.return_stack},
        .engine = e,
        .peer = cairn_engine_peer_memo,
    };
}

/* What its words of packets mean is for the dictionary, too. */
static cairn_status begin_reading(struct cairn_engine *e)
{
    const cairn_status status = cairn_reading_begin(e);

    memcpy(e->dictionary->atoms, e->reading.bytes.atoms, sizeof e->dictionary->atoms);
    return status;
}

static cairn_status prepare(struct cairn_engine *e)
{
    struct cairn_hot_stack *stack = &e->lane.stack;
    cairn_status status;

    status = cairn_flow_batch_new(RECORDS, &e->records);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(ELEMENTS, &e->elements);
    if (status == CAIRN_OK)
        status = new_levels(e, &e->levels);
    if (status != CAIRN_OK)
        return status;
    if (!e->dictionary)
        prepare_dictionary(e);
    e->blocks.dictionary = e->dictionary;
    e->blocks.rules = e->config->rules;
    e->blocks.fetch.space = e->levels->flow->space;
    e->blocks.fetch.arch = e->config->arch;
    stack->bottom = stack->entries + CAIRN_HOT_STACK_FIRST;
    stack->base = stack->bottom;
    stack->sp = stack->bottom;
    prepare_job(e);
    e->lane.code = CAIRN_CODE_LOST;
    e->lane.expected = CAIRN_CODE_NEED;
    return begin_reading(e);
}

cairn_status cairn_engine_make(struct cairn_config *config, struct cairn_image *image,
                               const struct cairn_engine_options *options,
                               struct cairn_dictionary *dictionary, struct cairn_engine **engine)
{
    if (cairn_depth_of(config->protocol) != CAIRN_DEPTH_FLOW)
        return CAIRN_E_UNSUPPORTED;
    struct cairn_engine_options given = CAIRN_ENGINE_OPTIONS_INIT;
    cairn_status status = cairn_options_read(&given, sizeof given, options);

    if (status == CAIRN_OK && given.flags & ~FLAGS)
        status = CAIRN_E_ARGUMENT;
    if (status != CAIRN_OK)
        return status;
    struct cairn_engine *e = calloc(1, sizeof *e);

    if (!e)
        return CAIRN_E_MEMORY;
    e->options = given;
    if (e->options.table_bytes == 0)
        e->options.table_bytes =
            CAIRN_ENGINE_TABLE_BYTES * (e->options.jobs > 1 ? e->options.jobs : 1);
    if (e->options.table_bytes < CAIRN_ENGINE_TABLE_BYTES_MIN)
        e->options.table_bytes = CAIRN_ENGINE_TABLE_BYTES_MIN;
    e->config = cairn_config_ref(config);
    e->image = cairn_image_ref(image);
    e->dictionary = dictionary;
    e->listing = !(e->options.flags & CAIRN_ENGINE_COUNTS);
    e->current = e;
    e->stop = SIZE_MAX;
    atomic_init(&e->cancelled, false);
    e->statistics.size = sizeof e->statistics;
    status = prepare(e);
    if (status != CAIRN_OK) {
        cairn_engine_free(e);
        return status;
    }
    *engine = e;
    return CAIRN_OK;
}

cairn_status cairn_engine_new(struct cairn_config *config, struct cairn_image *image,
                              const struct cairn_engine_options *options,
                              struct cairn_engine **engine)
{
    struct cairn_engine_options given = CAIRN_ENGINE_OPTIONS_INIT;
    cairn_status status = cairn_options_read(&given, sizeof given, options);

    if (status == CAIRN_OK && given.flags & (CAIRN_ENGINE_WORDS | CAIRN_ENGINE_WORDS_OF_SCAN |
                                             CAIRN_ENGINE_WORDS_OF_LEVELS))
        status = CAIRN_E_ARGUMENT; /* these are for tests, which call cairn_engine_make */
    return status == CAIRN_OK ? cairn_engine_make(config, image, options, NULL, engine) : status;
}

void cairn_engine_free(struct cairn_engine *engine)
{
    if (!engine)
        return;
    cairn_parallel_free(engine);
    for (unsigned i = 0; i < CAIRN_ENGINE_VIEWS; i++) {
        cairn_memo_release(&engine->views[i].memo);
        free(engine->views[i].groups);
    }
    cairn_reading_end(engine);
    cairn_blocks_release(&engine->blocks);
    cairn_element_batch_free(engine->elements);
    cairn_flow_batch_free(engine->records);
    cairn_decoder_free(engine->levels);
    cairn_dictionary_release(&engine->own);
    cairn_image_unref(engine->image);
    cairn_config_unref(engine->config);
    free(engine->job.seen);
    free(engine);
}

/* Forgets what the dictionary and the memos know. */
static void begin_dictionary(struct cairn_engine *engine)
{
    struct cairn_engine *e = engine->current;

    cairn_parallel_stop(engine);
    if (e->turn == CAIRN_TURN_TAKE)
        cairn_engine_from_lane(e); /* it knows some of it by its last path */
    e->lane.path = 0;
    const bool keep_blocks = !e->fresh_blocks && cairn_dictionary_block_bytes(engine->dictionary) <=
                                                     engine->dictionary->limit / 4;

    cairn_dictionary_clear(engine->dictionary, keep_blocks);
    cairn_engine_forget(e, keep_blocks);
    for (unsigned i = 0; i < cairn_parallel_engines(engine); i++)
        if (cairn_parallel_engine(engine, i) != e) /* they are not to leave it without room */
            cairn_engine_give_up_tables(cairn_parallel_engine(engine, i));
    engine->dictionary_ended = false;
    e->known_blocks = e->blocks.used;
    e->fresh = false; /* to be found out anew */
    e->fresh_blocks = false;
    e->novel = 0;
    e->statistics.generations++;
}

static cairn_status begin(struct cairn_engine *engine, struct cairn_word_batch *batch)
{
    const bool counts = engine->own.counting;

    if (!batch->event || !CAIRN_ROWS_FIT(struct cairn_word_batch, batch, event, event_size) ||
        batch->event_capacity - batch->event_count < CAIRN_ENGINE_ROOM ||
        (!counts && (!batch->path || batch->capacity - batch->count < CAIRN_ENGINE_ROOM)))
        return CAIRN_E_ARGUMENT;
    if (engine->dictionary_ended) {
        if (batch->count > 0 || batch->event_count > 0)
            return CAIRN_E_ARGUMENT; /* what is in it is of the last dictionary */
        begin_dictionary(engine);
    }
    engine->current->out = batch;
    batch->dictionary = engine->dictionary;
    batch->generation = engine->dictionary->generation;
    batch->dictionary_ends = false;
    return CAIRN_OK;
}

/* True at the end of a part. */
static bool is_done(const struct cairn_engine *engine, size_t position)
{
    return position >= engine->stop && engine->turn == CAIRN_TURN_TAKE;
}

/* Follows what is put up. `*again` false: the batch is full before the end. */
static cairn_status follow(struct cairn_engine *engine, bool *again)
{
    const cairn_status status = cairn_engine_follow(engine, again);

    if (*again)
        cairn_engine_to_lane(engine);
    return status;
}

/* What is next, of bytes. `*again` false: they are used up, or the batch or the dictionary is full.
 */
static cairn_status turn(struct cairn_engine *engine, size_t *position, bool *again)
{
    switch (engine->turn) {
    case CAIRN_TURN_TAKE: return cairn_reading_run(engine, position, again);
    case CAIRN_TURN_FOLLOW: break;
    }
    return follow(engine, again);
}

/* What the follower has given is out, and there is room for more. */
static inline bool has_room(struct cairn_engine *engine)
{
    if (engine->records->count > 0) /* seldom: most records never come by there */
        return cairn_engine_give_records(engine);
    return !atomic_load_explicit(&engine->cancelled, memory_order_relaxed) &&
           engine->out->event_count < engine->out->event_capacity;
}

cairn_status cairn_engine_go_on(struct cairn_engine *engine, size_t *position)
{
    cairn_status status = CAIRN_OK;
    bool again = true;

    while (status == CAIRN_OK && again && has_room(engine) && !is_done(engine, *position)) {
        const size_t before = *position;

        status = turn(engine, position, &again);
        engine->uncounted += *position > before ? *position - before : 0;
        if (engine->uncounted >= COUNTED_BYTES) { /* the memo's counters have 31 bits */
            cairn_engine_flush_counts(engine);
            engine->uncounted = 0;
        }
    }
    cairn_reading_settle(engine);
    return status;
}

/* What the call had of the data. */
static void end(struct cairn_engine *engine, size_t position, const struct cairn_word_batch *batch)
{
    engine->dictionary_ended = batch->dictionary_ends;
    engine->unfinished = position < engine->size;
    engine->position = position;
}

cairn_status cairn_engine_run(struct cairn_engine *engine, const uint8_t *data, size_t size,
                              size_t *position, struct cairn_word_batch *batch)
{
    cairn_status status;

    if (*position > size || (engine->unfinished && (data != engine->data || size != engine->size ||
                                                    *position != engine->position)))
        return CAIRN_E_ARGUMENT;
    cairn_parallel_begin(engine);
    status = begin(engine, batch);
    if (status == CAIRN_OK) {
        struct cairn_engine *e = engine->current;

        if (!engine->unfinished) {
            engine->data = data;
            engine->size = size;
        }
        e->data = data;
        e->size = size;
        engine->pending = engine->pending || *position < size;
        status = cairn_parallel_wants(engine, *position) ? cairn_parallel_run(engine, position)
                                                         : cairn_engine_go_on(e, position);
        end(engine, *position, batch);
    }
    cairn_parallel_end(engine);
    return status;
}

/* What is next, behind the last byte. `*again` false: nothing is left, or the batch or the
 * dictionary is full. */
static cairn_status turn_at_end(struct cairn_engine *engine, bool *again)
{
    switch (engine->turn) {
    case CAIRN_TURN_TAKE: return cairn_reading_finish(engine, again);
    case CAIRN_TURN_FOLLOW: break;
    }
    return follow(engine, again);
}

static cairn_status finish(struct cairn_engine *engine)
{
    cairn_status status = CAIRN_OK;
    bool again = true;

    while (status == CAIRN_OK && cairn_engine_give_records(engine) && again)
        status = turn_at_end(engine, &again);
    cairn_reading_settle(engine);
    return status;
}

cairn_status cairn_engine_finish(struct cairn_engine *engine, struct cairn_word_batch *batch)
{
    struct cairn_engine *e = engine->current;
    const size_t words = batch->count;
    const size_t events = batch->event_count;
    cairn_status status;

    if (engine->unfinished)
        return CAIRN_E_ARGUMENT;
    cairn_parallel_begin(engine);
    status = begin(engine, batch);
    if (status == CAIRN_OK) {
        status = finish(e);
        engine->dictionary_ended = batch->dictionary_ends;
        if (status == CAIRN_OK && batch->count == words && batch->event_count == events &&
            !batch->dictionary_ends)
            engine->pending = false;
    }
    cairn_parallel_end(engine);
    return status;
}

bool cairn_engine_is_pending(const struct cairn_engine *engine)
{
    return engine->pending;
}

/* As new, with the tables as they are. */
static cairn_status rewind_one(struct cairn_engine *engine)
{
    struct cairn_decoder *old = engine->levels;
    struct cairn_decoder *levels;
    cairn_status status = new_levels(engine, &levels);

    if (status != CAIRN_OK)
        return status;
    /* The views and the blocks know the space. */
    struct cairn_space *space = levels->flow->space;

    levels->flow->space = old->flow->space;
    levels->flow->fetch.space = levels->flow->space;
    levels->flow->generations = old->flow->generations;
    old->flow->space = space;
    old->flow->fetch.space = space;
    levels->flow->hops = old->flow->hops; /* of an older generation, all of them */
    old->flow->hops = NULL;
    cairn_decoder_free(old);
    engine->levels = levels;
    engine->records->count = 0;
    engine->record_at = 0;
    engine->turn = CAIRN_TURN_TAKE;
    engine->stuck = false;
    engine->offset = 0;
    engine->lane.path = 0;
    engine->view = NULL;
    return cairn_reading_rewind(engine);
}

cairn_status cairn_engine_rewind(struct cairn_engine *engine)
{
    cairn_parallel_begin(engine);
    cairn_parallel_stop(engine);
    cairn_parallel_end(engine);
    engine->unfinished = false;
    engine->pending = false;
    return rewind_one(engine->current);
}

cairn_status cairn_engine_lose(struct cairn_engine *engine)
{
    if (engine->unfinished || engine->pending)
        return CAIRN_E_ARGUMENT;
    if (!engine->config->protocol->packets_amid)
        return CAIRN_E_UNSUPPORTED;
    return cairn_reading_lose(engine->current, engine->current->offset);
}

const struct cairn_ledger *cairn_engine_ledger(const struct cairn_engine *engine)
{
    return cairn_decoder_ledger(engine->current->levels);
}

void cairn_engine_statistics(const struct cairn_engine *engine,
                             struct cairn_engine_statistics *statistics)
{
    struct cairn_engine_statistics now = engine->current->statistics;

    now.table_bytes = engine->dictionary->bytes;
    cairn_info_write(statistics, &now, sizeof now);
}

/* What is not written is not read either: zeros would only cost time. */
static void *new_column(size_t capacity, size_t size)
{
    return capacity > SIZE_MAX / size ? NULL : malloc(capacity * size);
}

cairn_status cairn_word_batch_new(size_t capacity, bool offsets, struct cairn_word_batch **batch)
{
    struct cairn_word_batch *b = calloc(1, sizeof *b);

    if (!b)
        return CAIRN_E_MEMORY;
    b->size = sizeof *b;
    b->capacity = capacity;
    b->event_capacity = capacity;
    b->path = new_column(capacity, sizeof *b->path);
    b->offset = offsets ? new_column(capacity, sizeof *b->offset) : NULL;
    b->event_size = sizeof *b->event;
    b->event = new_column(capacity, sizeof *b->event);
    if (!b->path || !b->event || (offsets && !b->offset)) {
        cairn_word_batch_free(b);
        return CAIRN_E_MEMORY;
    }
    *batch = b;
    return CAIRN_OK;
}

void cairn_word_batch_free(struct cairn_word_batch *batch)
{
    if (!batch)
        return;
    free(batch->path);
    free(batch->offset);
    free(batch->event);
    free(batch);
}
