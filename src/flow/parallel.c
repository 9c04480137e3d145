/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/parallel.h"

#include "flow/follow.h"
#include "flow/gate.h"
#include "flow/plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    JOBS_MAX = 256,
    LEAST = 256 << 10, /* bytes that are worth it */
    PART = 128 << 10,
    UNITS = 192 << 10, /* of a part's batch: it has one a byte at most */
    EVENTS = 16 << 10,
    BATCHES_EACH = 3,     /* parts of one thread that may wait to be handed over */
    READY_MANY = 2,       /* parts that are ready when the caller's thread is behind */
    PART_TINY = 64 << 10, /* smaller parts are of tests: their batches are small as well */
};

struct cairn_parallel {
    struct cairn_engine *engine; /* whose parts these are */
    bool counting;
    bool offsets;  /* batches have that column */
    bool decoding; /* the caller's thread decodes, and does not wait for parts */
    struct cairn_plan plan;

    pthread_mutex_t mutex; /* of all that follows, and of the parts' states */
    pthread_cond_t work;   /* a part can be begun */
    pthread_cond_t done;   /* a part has ended */
    bool quit;
    struct cairn_part **parts; /* in order of their starts */
    unsigned part_count;
    unsigned part_room;
    struct cairn_engine **free_engines;
    unsigned free_engine_count;
    struct cairn_unit_batch **free_batches;
    unsigned free_batch_count;
    unsigned batch_count; /* made so far */
    unsigned batch_room;

    uint64_t accepted; /* of the parts that others began */
    uint64_t rejected;

    struct cairn_engine **engines; /* all that decode; the first is `engine` */
    unsigned engine_count;
    pthread_t *threads;
    unsigned thread_count;
    struct cairn_gate gate;
};

/* --- the other threads --- */

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

static struct cairn_unit_batch *take_batch(struct cairn_parallel *p)
{
    const bool tiny = p->plan.part_max < PART_TINY;

    if (p->free_batch_count > 0)
        return p->free_batches[--p->free_batch_count];
    if (p->batch_count == p->batch_room)
        return NULL;
    struct cairn_unit_batch *batch =
        tiny ? cairn_part_batch(512, 256, p->offsets) : cairn_part_batch(UNITS, EVENTS, p->offsets);

    p->batch_count += batch != NULL;
    return batch;
}

static struct cairn_part *claim(struct cairn_parallel *p)
{
    struct cairn_part *part = p->free_engine_count > 0 ? choose(p) : NULL;

    if (!part)
        return NULL;
    part->batch = take_batch(p);
    if (!part->batch)
        return NULL;
    part->engine = p->free_engines[--p->free_engine_count];
    atomic_store(&part->engine->cancelled, false);
    part->engine->options.flags &= ~CAIRN_ENGINE_COUNTS; /* it lists what may be given up */
    if (part->engine != p->engine) { /* that one has them, and is read by the caller's thread */
        part->engine->data = p->plan.data;
        part->engine->size = p->plan.size;
    }
    part->state = CAIRN_PART_RUNNING;
    return part;
}

static void give_back_engine(struct cairn_parallel *p, struct cairn_engine *engine)
{
    atomic_store(&engine->cancelled, false);
    p->free_engines[p->free_engine_count++] = engine;
    pthread_cond_broadcast(&p->work);
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
            give_back_engine(p, part->engine);
            part->engine = NULL;
        }
        pthread_cond_broadcast(&p->done);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

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
    if (part->engine)
        give_back_engine(p, part->engine);
    drop_first(p);
}

/* Decoding goes on in the first part if it begins where the current engine stands. */
static void judge_first(struct cairn_parallel *p)
{
    struct cairn_part *part = p->parts[0];
    struct cairn_engine *engine = p->engine->current;
    struct cairn_unit_batch *out = engine->out;
    struct cairn_standing standing;

    cairn_standing_take(engine, &standing);
    if (!cairn_standing_same(&standing, &part->guess)) {
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
        out->event[out->event_count++] = (struct cairn_unit_event){.unit = (uint32_t)out->count,
                                                                   .kind = CAIRN_UNIT_DISCONTINUITY,
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
    engine->options.flags = old->options.flags;
    cairn_engine_flush_counts(old);
    p->engine->current = engine;
    give_back_engine(p, old);
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
                      struct cairn_unit_batch *out)
{
    struct cairn_engine *engine = p->engine;
    bool all;

    if (!p->counting)
        return cairn_part_hand_over(part, out, NULL);
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
    struct cairn_unit_batch *out = p->engine->current->out;
    cairn_status status;
    bool all;

    *again = false;
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

static bool is_full(const struct cairn_parallel *p, const struct cairn_unit_batch *out)
{
    return out->event_count == out->event_capacity || (!p->counting && out->count == out->capacity);
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
    if (part && *position == part->start && cairn_engine_stands(engine, *position)) {
        *again = !is_full(p, engine->out);
        if (*again)
            judge_first(p);
        return CAIRN_OK;
    }
    engine->stop = part ? part->start : SIZE_MAX;
    pthread_mutex_unlock(&p->mutex);
    status = cairn_engine_go_on(engine, position);
    pthread_mutex_lock(&p->mutex);
    *again = *position >= engine->stop && cairn_engine_stands(engine, *position);
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
    p->free_batches = calloc(p->batch_room, sizeof(struct cairn_unit_batch *));
    p->engines = calloc(jobs, sizeof(struct cairn_engine *));
    p->free_engines = calloc(jobs, sizeof(struct cairn_engine *));
    p->threads = calloc(jobs, sizeof *p->threads);
    if (!p->parts || !p->free_batches || !p->engines || !p->free_engines || !p->threads)
        return CAIRN_E_MEMORY;
    return make_engines(p, jobs);
}

static void release(struct cairn_parallel *p)
{
    for (unsigned i = 1; i < p->engine_count; i++)
        cairn_engine_free(p->engines[i]);
    cairn_engine_free(p->plan.scout);
    for (unsigned i = 0; i < p->free_batch_count; i++)
        cairn_unit_batch_free(p->free_batches[i]);
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

/* Engines and threads; without them the caller's thread does it all. */
static void start(struct cairn_engine *engine)
{
    const unsigned jobs = engine->options.jobs < JOBS_MAX ? engine->options.jobs : JOBS_MAX;
    struct cairn_parallel *p = new_parallel(engine);

    engine->tried_parallel = true;
    if (!p)
        return;
    engine->gate = &p->gate;
    if (make(p, jobs) == CAIRN_OK)
        while (p->thread_count < jobs - 1 &&
               pthread_create(&p->threads[p->thread_count], NULL, work, p) == 0)
            p->thread_count++;
    if (p->thread_count == 0) {
        engine->gate = NULL;
        release(p);
        return;
    }
    engine->parallel = p;
    engine->fresh = false;
    engine->fresh_blocks = false;
    engine->novel = 0;
    cairn_gate_open(&p->gate);
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

/* Batches that are made from here on have offsets, or have none. */
static void set_offsets(struct cairn_parallel *p, bool offsets)
{
    if (p->offsets == offsets)
        return;
    pthread_mutex_lock(&p->mutex);
    while (p->free_batch_count > 0) {
        cairn_unit_batch_free(p->free_batches[--p->free_batch_count]);
        p->batch_count--;
    }
    p->offsets = offsets;
    pthread_mutex_unlock(&p->mutex);
}

bool cairn_parallel_wants(struct cairn_engine *engine, size_t position)
{
    const size_t least = engine->part_least > 0 ? engine->part_least : LEAST;
    struct cairn_parallel *p = engine->parallel;

    if (p && p->part_count > 0)
        return true;
    if (engine->options.jobs < 2 || !engine->can_be_hot || engine->scanned.scan ||
        engine->size - position < least)
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
    pthread_mutex_lock(&p->mutex);
    p->quit = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->mutex);
    for (unsigned i = 0; i < p->thread_count; i++)
        pthread_join(p->threads[i], NULL);
    engine->parallel = NULL;
    release(p);
}
