/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/parallel.h"

#include "flow/crew.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST = 256 << 10, /* bytes that are worth it */
};

/* --- planning --- */

static cairn_status add_part(struct cairn_parallel *p, const struct cairn_part *found)
{
    struct cairn_part *part = malloc(sizeof *part);

    if (!part)
        return CAIRN_E_MEMORY;
    *part = *found;
    if (p->part_count > 0) {
        p->parts[p->part_count - 1]->stop = part->start;
        p->parts[p->part_count - 1]->has_stop = true;
    }
    p->parts[p->part_count++] = part;
    return CAIRN_OK;
}

/* Plans ahead, with the mutex. */
static cairn_status plan(struct cairn_parallel *p, size_t position)
{
    struct cairn_part *last;

    while (!p->plan.done && p->part_count < p->part_room) {
        struct cairn_part part = {.state = CAIRN_PART_PLANNED};
        bool found;
        cairn_status status = cairn_plan_next(&p->plan, position, &part, &found);

        if (status == CAIRN_OK && found)
            status = add_part(p, &part);
        if (status != CAIRN_OK)
            return status;
        if (!found)
            break;
        pthread_cond_broadcast(&p->work);
    }
    last = p->part_count > 0 ? p->parts[p->part_count - 1] : NULL;
    if (p->plan.done && last && !last->has_stop) {
        last->stop = p->plan.size - CAIRN_PLAN_TAIL;
        last->has_stop = true;
        pthread_cond_broadcast(&p->work);
    }
    return CAIRN_OK;
}

/* --- the caller's thread --- */

static void wait_for(struct cairn_parallel *p, const struct cairn_part *part)
{
    while (part->state == CAIRN_PART_RUNNING)
        pthread_cond_wait(&p->done, &p->mutex);
}

/* The first part is no more; its engine is not its own. */
static void drop_first(struct cairn_parallel *p)
{
    struct cairn_part *part = p->parts[0];

    if (part->batch)
        p->free_batches[p->free_batch_count++] = part->batch;
    free(part);
    p->part_count--;
    memmove(p->parts, p->parts + 1, p->part_count * sizeof(struct cairn_part *));
    pthread_cond_broadcast(&p->work);
}

/* The same, and it has never been. */
static void reject_first(struct cairn_parallel *p)
{
    struct cairn_part *part = p->parts[0];

    if (part->state == CAIRN_PART_RUNNING) {
        atomic_store(&part->engine->cancelled, true);
        cairn_gate_call(&p->gate);
        wait_for(p, part);
    }
    p->rejected += part->state == CAIRN_PART_DONE;
    cairn_crew_uncount(p, part);
    if (part->engine)
        cairn_crew_give_back(p, part->engine);
    drop_first(p);
}

/* Decoding goes on in the first part if it begins where the current engine stands. */
static void judge_first(struct cairn_parallel *p)
{
    struct cairn_part *part = p->parts[0];
    struct cairn_engine *engine = p->engine->current;
    struct cairn_word_batch *out = engine->out;
    struct cairn_standing standing;

    if (!cairn_standing_take(engine, part->start, &standing) ||
        !cairn_standing_same(&standing, &part->guess)) {
        reject_first(p);
        return;
    }
    if (part->state == CAIRN_PART_PLANNED) {
        drop_first(p);
        return;
    }
    part->accepted = true;
    p->accepted++;
    part->cycles = standing.total_cycles;
    if (standing.discontinuity)
        out->event[out->event_count++] = (struct cairn_word_event){.word = (uint32_t)out->count,
                                                                   .kind = CAIRN_WORD_DISCONTINUITY,
                                                                   .offset = engine->offset};
}

/* What the part's batch did not hold is still to come from its engine, which becomes the current
 * one. */
static void go_on_with_engine(struct cairn_parallel *p, struct cairn_part *part)
{
    struct cairn_engine *old = p->engine->current;
    struct cairn_engine *engine = part->engine;

    cairn_ledger_add(&engine->levels->ledger, &old->levels->ledger);
    cairn_statistics_add(&engine->statistics, &old->statistics);
    cairn_part_add_cycles(engine, part->cycles);
    engine->out = old->out;
    engine->listing = old->listing;
    p->engine->current = engine;
    cairn_crew_give_back(p, old);
}

static void go_on_behind(struct cairn_parallel *p, struct cairn_part *part)
{
    struct cairn_engine *engine = p->engine->current;

    part->end.total_cycles += part->cycles;
    cairn_standing_put(&part->end, engine);
    cairn_ledger_add(&engine->levels->ledger, &part->ledger);
    cairn_statistics_add(&engine->statistics, &part->statistics);
}

static bool hand_over(struct cairn_parallel *p, struct cairn_part *part,
                      struct cairn_word_batch *out)
{
    struct cairn_engine *engine = p->engine;
    bool all;

    if (!p->counting || part->counted)
        return cairn_part_hand_over(part, out, p->counting ? engine->dictionary : NULL);
    (void)cairn_gate_enter(engine->gate, &engine->cancelled); /* it is open */
    all = cairn_part_hand_over(part, out, engine->dictionary);
    cairn_gate_leave(engine->gate);
    return all;
}

/* Hands over the first part, which is accepted. *again false: the caller's batch is full, or the
 * dictionary. */
static cairn_status finish_first(struct cairn_parallel *p, size_t *position, bool *again)
{
    struct cairn_part *part = p->parts[0];
    struct cairn_word_batch *out = p->engine->current->out;
    cairn_status status;
    bool all;

    *again = false;
    while (part->state == CAIRN_PART_RUNNING && cairn_crew_help(p, p->engine->current))
        ;
    wait_for(p, part);
    pthread_mutex_unlock(&p->mutex);
    all = hand_over(p, part, out);
    pthread_mutex_lock(&p->mutex);
    if (!all)
        return CAIRN_OK;
    status = part->status;
    *position = part->position;
    out->dictionary_ends |= part->batch->dictionary_ends;
    *again = status == CAIRN_OK && !out->dictionary_ends;
    cairn_plan_learn(&p->plan, part);
    if (part->stands)
        go_on_behind(p, part);
    else
        go_on_with_engine(p, part);
    drop_first(p);
    return status;
}

static bool is_full(const struct cairn_parallel *p, const struct cairn_word_batch *out)
{
    return out->event_count == out->event_capacity || (!p->counting && out->count == out->capacity);
}

/* All that was decoded has been told. */
static bool is_at_rest(const struct cairn_engine *engine)
{
    return engine->turn == CAIRN_TURN_TAKE && engine->records->count == 0;
}

/* One step, with the mutex. */
static cairn_status step(struct cairn_parallel *p, size_t *position, bool *again)
{
    struct cairn_engine *engine = p->engine->current;
    struct cairn_part *part = p->part_count > 0 ? p->parts[0] : NULL;
    cairn_status status;

    if (part && part->batch && !part->batch->offset && engine->out->offset && !p->counting)
        return CAIRN_E_ARGUMENT; /* the batches before it had none */
    if (part && part->accepted)
        return finish_first(p, position, again);
    if (part && *position > part->start) {
        reject_first(p);
        return CAIRN_OK;
    }
    if (part && *position == part->start && is_at_rest(engine)) {
        *again = !is_full(p, engine->out);
        if (*again)
            judge_first(p);
        return CAIRN_OK;
    }
    engine->stop = part ? part->start : SIZE_MAX;
    pthread_mutex_unlock(&p->mutex);
    status = cairn_engine_go_on(engine, position);
    pthread_mutex_lock(&p->mutex);
    *again = *position >= engine->stop && is_at_rest(engine);
    engine->stop = SIZE_MAX;
    return status;
}

cairn_status cairn_parallel_run(struct cairn_engine *engine, size_t *position)
{
    struct cairn_parallel *p = engine->parallel;
    cairn_status status = CAIRN_OK;
    bool again = true;

    pthread_mutex_lock(&p->mutex);
    while (status == CAIRN_OK && again) {
        status = plan(p, *position);
        if (status == CAIRN_OK)
            status = step(p, position, &again);
    }
    pthread_mutex_unlock(&p->mutex);
    if (status != CAIRN_OK || *position == p->plan.size)
        cairn_parallel_stop(engine);
    return status;
}

void cairn_parallel_stop(struct cairn_engine *engine)
{
    struct cairn_parallel *p = engine->parallel;

    if (!p)
        return;
    pthread_mutex_lock(&p->mutex);
    if (p->part_count > 0)
        cairn_plan_again(&p->plan);
    while (p->part_count > 0)
        reject_first(p);
    pthread_mutex_unlock(&p->mutex);
}

void cairn_parallel_flush_counts(struct cairn_engine *engine)
{
    struct cairn_parallel *p = engine->parallel;

    if (!p) {
        cairn_engine_flush_counts(engine);
        return;
    }
    pthread_mutex_lock(&p->mutex);
    p->hold = true;
    for (unsigned i = 0; i < p->part_count; i++) {
        wait_for(p, p->parts[i]);
        cairn_crew_uncount(p, p->parts[i]);
    }
    for (unsigned i = 0; i < p->engine_count; i++)
        cairn_engine_flush_counts(p->engines[i]);
    /* Behind a shut gate nobody adds to the dictionary's counters, as a thread does that gives up a
     * view, before the caller has read them. */
    cairn_gate_shut(&p->gate);
    p->hold = false;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->mutex);
}

void cairn_parallel_set_sizes(struct cairn_engine *engine, size_t least, size_t part)
{
    engine->part_least = least;
    engine->part_bytes = part;
}

void cairn_parallel_begin(struct cairn_engine *engine)
{
    if (engine->parallel)
        cairn_gate_open(engine->gate);
}

void cairn_parallel_end(struct cairn_engine *engine)
{
    if (engine->parallel)
        cairn_gate_shut(engine->gate);
}

/* Without other threads the caller's does it all. */
static void start(struct cairn_engine *engine)
{
    engine->tried_parallel = true;
    engine->parallel = cairn_crew_start(engine);
    if (!engine->parallel)
        return;
    engine->fresh = false;
    engine->fresh_blocks = false;
    engine->novel = 0;
}

/* Batches that are made from here on have offsets, or have none. */
static void set_offsets(struct cairn_parallel *p, bool offsets)
{
    if (p->offsets == offsets)
        return;
    pthread_mutex_lock(&p->mutex);
    while (p->free_batch_count > 0) {
        cairn_word_batch_free(p->free_batches[--p->free_batch_count]);
        p->batch_count--;
    }
    p->offsets = offsets;
    pthread_mutex_unlock(&p->mutex);
}

/* Whether decoding can begin in the midst of the source. What is known of IT blocks in the code of
 * a trace that tells any branch is in no standing. */
static bool has_places(const struct cairn_engine *engine)
{
    if (engine->config->rules.any_source)
        return false;
    return cairn_reading_can_stand(engine);
}

bool cairn_parallel_wants(struct cairn_engine *engine, size_t position)
{
    const size_t least = engine->part_least > 0 ? engine->part_least : LEAST;
    struct cairn_parallel *p = engine->parallel;

    if (p && p->part_count > 0)
        return true;
    if (engine->options.jobs < 2 || !has_places(engine) || engine->size - position < least)
        return false;
    if (!p && !engine->tried_parallel)
        start(engine);
    p = engine->parallel;
    if (!p)
        return false;
    set_offsets(p, engine->current->out->offset != NULL);
    if (!engine->unfinished || !p->plan.data)
        cairn_plan_begin(&p->plan, engine->current, position);
    return true;
}

unsigned cairn_parallel_engines(const struct cairn_engine *engine)
{
    return engine->parallel ? engine->parallel->engine_count : 1;
}

struct cairn_engine *cairn_parallel_engine(struct cairn_engine *engine, unsigned i)
{
    return engine->parallel ? engine->parallel->engines[i] : engine;
}

void cairn_parallel_tell(const struct cairn_engine *engine, uint64_t *accepted, uint64_t *rejected)
{
    if (!engine->parallel)
        return;
    *accepted = engine->parallel->accepted;
    *rejected = engine->parallel->rejected;
}

void cairn_parallel_free(struct cairn_engine *engine)
{
    struct cairn_parallel *p = engine->parallel;

    if (!p)
        return;
    cairn_gate_open(&p->gate);
    cairn_parallel_stop(engine);
    engine->parallel = NULL;
    cairn_crew_end(p);
}
