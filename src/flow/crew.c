/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/crew.h"

#include <stdlib.h>

enum {
    JOBS_MAX = 256,
    PART = 128 << 10,
    UNITS = 192 << 10, /* of a part's batch: it has one a byte at most */
    EVENTS = 16 << 10,
    BATCHES_EACH = 3,     /* parts of one thread that may wait to be handed over */
    READY_MANY = 2,       /* parts that are ready when the caller's thread is behind */
    PART_TINY = 64 << 10, /* smaller parts are of tests: their batches are small as well */
};

/* --- decoding --- */

/* The next part to begin; NULL: none. The first one is for the caller's thread if it will be there
 * before long. */
static struct cairn_part *choose(struct cairn_parallel *p)
{
    unsigned ready = 0;
    bool leave;

    for (unsigned i = 0; i < p->part_count; i++)
        ready += p->parts[i]->state == CAIRN_PART_DONE;
    leave = ready < READY_MANY;
    for (unsigned i = 0; i < p->part_count; i++) {
        struct cairn_part *part = p->parts[i];

        if (part->state != CAIRN_PART_PLANNED)
            continue;
        if (!leave)
            return part->has_stop ? part : NULL;
        leave = false;
    }
    return NULL;
}

static struct cairn_word_batch *take_batch(struct cairn_parallel *p)
{
    const bool tiny = p->plan.part_max < PART_TINY;

    if (p->free_batch_count > 0)
        return p->free_batches[--p->free_batch_count];
    if (p->batch_count == p->batch_room)
        return NULL;
    struct cairn_word_batch *batch =
        tiny ? cairn_part_batch(512, 256, p->offsets) : cairn_part_batch(UNITS, EVENTS, p->offsets);

    p->batch_count += batch != NULL;
    return batch;
}

static struct cairn_part *claim(struct cairn_parallel *p)
{
    struct cairn_part *part = p->free_engine_count > 0 && !p->hold ? choose(p) : NULL;

    if (!part)
        return NULL;
    part->batch = take_batch(p);
    if (!part->batch)
        return NULL;
    part->engine = p->free_engines[--p->free_engine_count];
    atomic_store(&part->engine->cancelled, false);
    part->engine->listing = true;    /* what it counts may have to be taken off again */
    if (part->engine != p->engine) { /* that one has them, and is read by the caller's thread */
        part->engine->data = p->plan.data;
        part->engine->size = p->plan.size;
    }
    part->state = CAIRN_PART_RUNNING;
    return part;
}

void cairn_crew_give_back(struct cairn_parallel *p, struct cairn_engine *engine)
{
    atomic_store(&engine->cancelled, false);
    p->free_engines[p->free_engine_count++] = engine;
    pthread_cond_broadcast(&p->work);
}

void cairn_crew_uncount(struct cairn_parallel *p, struct cairn_part *part)
{
    struct cairn_engine *engine = p->engine;

    if (part->state != CAIRN_PART_DONE || !part->counted)
        return;
    (void)cairn_gate_enter(engine->gate, &engine->cancelled); /* it is open */
    cairn_part_uncount(part, engine->dictionary);
    cairn_gate_leave(engine->gate);
}

/* The first that nobody has and that the caller's engine has not refused. */
static struct cairn_part *choose_to_help(const struct cairn_parallel *p)
{
    for (unsigned i = 0; i < p->part_count; i++) {
        struct cairn_part *part = p->parts[i];

        if (part->state == CAIRN_PART_PLANNED && !part->refused)
            return part->has_stop ? part : NULL;
    }
    return NULL;
}

/* What it could not end may go on from where it stopped in an engine that is the part's own, and
 * this one is not. */
static void refuse(struct cairn_parallel *p, struct cairn_part *part)
{
    cairn_crew_uncount(p, part);
    p->free_batches[p->free_batch_count++] = part->batch;
    part->batch = NULL;
    part->state = CAIRN_PART_PLANNED;
    part->refused = true;
}

bool cairn_crew_help(struct cairn_parallel *p, struct cairn_engine *engine)
{
    const struct cairn_ledger ledger = engine->levels->ledger;
    const struct cairn_engine_statistics statistics = engine->statistics;
    struct cairn_word_batch *const out = engine->out;
    const bool listing = engine->listing;
    struct cairn_part *part = choose_to_help(p);

    if (part)
        part->batch = take_batch(p);
    if (!part || !part->batch)
        return false;
    part->engine = engine;
    part->state = CAIRN_PART_RUNNING;
    engine->listing = true;
    pthread_mutex_unlock(&p->mutex);
    cairn_part_decode(part);
    pthread_mutex_lock(&p->mutex);
    part->engine = NULL;
    part->state = CAIRN_PART_DONE;
    if (!part->stands)
        refuse(p, part);
    engine->levels->ledger = ledger;
    engine->statistics = statistics;
    engine->out = out;
    engine->listing = listing;
    return true;
}

static void *work(void *context)
{
    struct cairn_parallel *p = context;

    pthread_mutex_lock(&p->mutex);
    while (!p->quit) {
        struct cairn_part *part = claim(p);

        if (!part) {
            pthread_cond_wait(&p->work, &p->mutex);
            continue;
        }
        pthread_mutex_unlock(&p->mutex);
        cairn_part_decode(part);
        pthread_mutex_lock(&p->mutex);
        part->state = CAIRN_PART_DONE;
        if (part->stands) {
            cairn_crew_give_back(p, part->engine);
            part->engine = NULL;
        }
        pthread_cond_broadcast(&p->done);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* --- making and ending --- */

static cairn_status make_engine(const struct cairn_parallel *p, struct cairn_engine **made)
{
    const struct cairn_engine *engine = p->engine;
    const cairn_status status = cairn_engine_make(engine->config, engine->image, &engine->options,
                                                  engine->dictionary, made);

    if (status == CAIRN_OK)
        (*made)->gate = engine->gate;
    return status;
}

static cairn_status make_engines(struct cairn_parallel *p, unsigned jobs)
{
    cairn_status status = make_engine(p, &p->plan.scout);

    p->engines[p->engine_count++] = p->engine;
    while (status == CAIRN_OK && p->engine_count < jobs) {
        status = make_engine(p, &p->engines[p->engine_count]);
        if (status != CAIRN_OK)
            return status;
        p->free_engines[p->free_engine_count++] = p->engines[p->engine_count++];
    }
    return status;
}

static cairn_status make(struct cairn_parallel *p, unsigned jobs)
{
    p->part_room = (BATCHES_EACH + 1) * (jobs - 1) + 2;
    p->batch_room = BATCHES_EACH * (jobs - 1);
    p->plan.ahead_most = 4 * p->part_room * p->plan.part_max;
    p->plan.jobs = jobs;
    p->parts = calloc(p->part_room, sizeof(struct cairn_part *));
    p->free_batches = calloc(p->batch_room, sizeof(struct cairn_word_batch *));
    p->engines = calloc(jobs, sizeof(struct cairn_engine *));
    p->free_engines = calloc(jobs, sizeof(struct cairn_engine *));
    p->threads = calloc(jobs, sizeof *p->threads);
    if (!p->parts || !p->free_batches || !p->engines || !p->free_engines || !p->threads)
        return CAIRN_E_MEMORY;
    const cairn_status status = make_engines(p, jobs);

    for (unsigned i = 0; i < p->engine_count; i++) {
        p->engines[i]->peers = p->engines;
        p->engines[i]->peer_count = p->engine_count;
    }
    return status;
}

static void release(struct cairn_parallel *p)
{
    for (unsigned i = 1; i < p->engine_count; i++)
        cairn_engine_free(p->engines[i]);
    cairn_engine_free(p->plan.scout);
    for (unsigned i = 0; i < p->free_batch_count; i++)
        cairn_word_batch_free(p->free_batches[i]);
    free(p->threads);
    free(p->free_engines);
    free(p->engines);
    free(p->free_batches);
    free(p->parts);
    cairn_gate_release(&p->gate);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

static struct cairn_parallel *new_parallel(struct cairn_engine *engine)
{
    struct cairn_parallel *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    if (pthread_mutex_init(&p->mutex, NULL) != 0) {
        free(p);
        return NULL;
    }
    /* These two cannot fail where the mutex did not: they take no memory. */
    (void)pthread_cond_init(&p->work, NULL);
    (void)pthread_cond_init(&p->done, NULL);
    (void)cairn_gate_init(&p->gate);
    p->engine = engine;
    p->counting = (engine->options.flags & CAIRN_ENGINE_COUNTS) != 0;
    p->plan.part_max = engine->part_bytes > 0 ? engine->part_bytes : PART;
    p->plan.part = p->plan.part_max;
    return p;
}

struct cairn_parallel *cairn_crew_start(struct cairn_engine *engine)
{
    const unsigned jobs = engine->options.jobs < JOBS_MAX ? engine->options.jobs : JOBS_MAX;
    struct cairn_parallel *p = new_parallel(engine);

    if (!p)
        return NULL;
    engine->gate = &p->gate;
    if (make(p, jobs) == CAIRN_OK)
        while (p->thread_count < jobs - 1 &&
               pthread_create(&p->threads[p->thread_count], NULL, work, p) == 0)
            p->thread_count++;
    if (p->thread_count == 0) {
        engine->gate = NULL;
        engine->peers = NULL;
        release(p);
        return NULL;
    }
    cairn_gate_open(&p->gate);
    return p;
}

void cairn_crew_end(struct cairn_parallel *p)
{
    pthread_mutex_lock(&p->mutex);
    p->quit = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->mutex);
    for (unsigned i = 0; i < p->thread_count; i++)
        pthread_join(p->threads[i], NULL);
    release(p);
}
