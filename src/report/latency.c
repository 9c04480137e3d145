/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows what is measured through a source; latency_groups.c adds up what it was. */
#include "report/latency_state.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/protocol.h"

/* --- threads and moments --- */

struct latency_thread *cairn_latency_thread(struct cairn_latency *latency, uint32_t id)
{
    if (id >= latency->thread_count) {
        const uint32_t wanted = id + id / 2 + 8;
        struct latency_thread *grown = realloc(latency->threads, wanted * sizeof *grown);

        if (!grown) {
            latency->status = CAIRN_E_MEMORY;
            return NULL;
        }
        memset(grown + latency->thread_count, 0, (wanted - latency->thread_count) * sizeof *grown);
        latency->threads = grown;
        latency->thread_count = wanted;
    }
    return &latency->threads[id];
}

static struct latency_level *level_of(struct latency_thread *thread, uint32_t level)
{
    return &thread->levels[level < CAIRN_LATENCY_LEVELS ? level : CAIRN_LATENCY_LEVELS - 1];
}

static struct cairn_latency_point point_now(struct cairn_latency *latency,
                                            struct latency_thread *thread,
                                            const struct cairn_call_moment *moment)
{
    const struct latency_level *level = level_of(thread, thread->level);
    const bool exact = latency->by_instruction || latency->told_at == moment->executed;

    return (struct cairn_latency_point){
        .moment = *moment,
        .serial = ++latency->serial,
        .offset = cairn_calls_offset(latency->calls),
        .low = {moment->total_cycles, moment->timestamp},
        .high = {moment->total_cycles, moment->timestamp},
        .is_told = {exact && latency->has_clock[CAIRN_CLOCK_CYCLES], false},
        .unknown = {moment->total_cycles ? latency->unknown[CYCLES] : UINT64_MAX,
                    moment->timestamp ? latency->unknown[TIME] : UINT64_MAX},
        .lost = latency->lost,
        .holes = thread->holes,
        .off = thread->off,
        .level = thread->level,
        .excepted = {level->instructions, level->cycles, level->inexact},
    };
}

/* --- samples --- */

static struct cairn_latency_sample sample_of(const struct cairn_latency *latency, uint32_t group,
                                             uint32_t thread, uint32_t end)
{
    struct cairn_calls_thread known = {.size = sizeof known};

    (void)cairn_calls_thread(latency->calls, thread, &known);
    return (struct cairn_latency_sample){
        .source = latency->source,
        .source_index = latency->source_index,
        .group = group,
        .thread = thread,
        .vmid = known.vmid,
        .context_id = known.context_id,
        .end = end,
        .entry = UINT64_MAX,
        .back = UINT64_MAX,
        .is_own = latency->of == CAIRN_LATENCY_EXCEPTIONS && !latency->period,
    };
}

static bool is_unwanted(const struct cairn_latency *latency, struct latency_thread *thread,
                        uint32_t id)
{
    struct cairn_calls_thread known = {.size = sizeof known};

    if (latency->wants && thread->wanted == UNASKED &&
        cairn_calls_thread(latency->calls, id, &known) == CAIRN_OK)
        thread->wanted = latency->wants(latency->wants_context, known.context_id, known.vmid)
                             ? WANTED
                             : UNWANTED;
    return thread->wanted == UNWANTED;
}

/* From one beginning of a group to the next. */
static void add_period(struct cairn_latency *latency, uint32_t index, uint32_t thread,
                       const struct cairn_latency_point *point)
{
    struct cairn_latency_group *group = &latency->groups[index];

    if (group->has_last && group->last.moment.executed <= point->moment.executed &&
        group->last.serial < point->serial) {
        struct cairn_latency_sample sample = sample_of(latency, index, thread, CAIRN_LATENCY_WHOLE);

        sample.from = group->last;
        sample.to = *point;
        if (sample.from.lost != sample.to.lost)
            sample.end = CAIRN_LATENCY_CUT;
        cairn_latency_add(latency, &sample);
    }
    if (!group->has_last || group->last.serial < point->serial)
        group->last = *point;
    group->has_last = true;
}

/* --- calls --- */

static void pushed(void *context, uint32_t id, uint32_t depth, uint32_t from, bool handles)
{
    struct cairn_latency *latency = context;
    struct latency_thread *thread = cairn_latency_thread(latency, id);

    if (!thread || (!handles && latency->of != CAIRN_LATENCY_FUNCTION))
        return;
    if (thread->count == thread->capacity) {
        const size_t wanted = thread->capacity ? thread->capacity * 2 : 16;
        struct latency_open *grown = realloc(thread->open, wanted * sizeof *grown);

        if (!grown) {
            latency->status = CAIRN_E_MEMORY;
            return;
        }
        thread->open = grown;
        thread->capacity = wanted;
    }
    const struct cairn_call_moment now = cairn_calls_now(latency->calls);
    struct latency_open open = {
        .depth = depth, .from = from, .point = point_now(latency, thread, &now)};

    open.point.is_exception = handles;
    if (handles) {
        latency->exception_serial = open.point.serial;
        if (!latency->by_instruction)
            open.point.is_told[CYCLES] = false;
        const struct latency_level *level = level_of(thread, ++thread->level);
        open.point.level = thread->level;
        open.point.excepted.instructions = level->instructions;
        open.point.excepted.cycles = level->cycles;
        open.point.excepted.inexact = level->inexact;
    }
    if (!handles && thread->carries && thread->carried_depth == depth) {
        open.point = thread->carried;
        open.inherits = true;
        open.function = thread->carried_function;
    }
    thread->carries = false;
    thread->open[thread->count++] = open;
    cairn_latency_wait(latency, &open.point, id, thread->count - 1);
}

static uint64_t since(uint64_t first, uint64_t then)
{
    return then > first ? then - first : 0;
}

/* Of the thread's own clocks, as far as they were told; cycles from where the exception's own count is. */
static void took(const struct latency_open *open, const struct cairn_call *call, uint64_t others,
                 uint64_t clocks[CAIRN_CLOCKS])
{
    const struct cairn_latency_point *point = &open->point;

    clocks[CAIRN_CLOCK_INSTRUCTIONS] = call->ended.instructions - call->began.instructions;
    clocks[CAIRN_CLOCK_CYCLES] =
        point->is_told[CYCLES] ? since(point->high[CYCLES] + others, call->ended.total_cycles) : 0;
    clocks[CAIRN_CLOCK_TIME] = 0; /* timestamps stand too far apart to be shared out */
}

static uint32_t end_of(const struct cairn_latency_sample *sample, const struct cairn_call *call)
{
    if (call->kind == CAIRN_CALL_RESUMED || call->kind == CAIRN_CALL_FOUND)
        return CAIRN_LATENCY_RUNNING;
    if (call->end == CAIRN_CALL_CUT || sample->from.lost != sample->to.lost)
        return CAIRN_LATENCY_CUT;
    if (call->end == CAIRN_CALL_OPEN)
        return CAIRN_LATENCY_OPEN;
    if (call->end == CAIRN_CALL_UNWOUND)
        return CAIRN_LATENCY_LEFT;
    if (call->kind == CAIRN_CALL_EXCEPTION && call->address == 0)
        return CAIRN_LATENCY_UNSEEN;
    return CAIRN_LATENCY_WHOLE;
}

/* What an exception took, for what it was inside of. */
static void leave_exception(struct cairn_latency *latency, struct latency_thread *thread,
                            const struct latency_open *open, const struct cairn_call *call,
                            const struct cairn_latency_point *to)
{
    const uint64_t others = since(call->ended.cycles - call->began.cycles,
                                  call->ended.total_cycles - call->began.total_cycles);
    uint64_t clocks[CAIRN_CLOCKS];

    thread->level -= thread->level > 0;
    took(open, call, others, clocks);
    struct latency_level *level = level_of(thread, thread->level);
    level->instructions += clocks[CAIRN_CLOCK_INSTRUCTIONS];
    if (open->point.is_told[CYCLES] && to->is_told[CYCLES] &&
        open->point.low[CYCLES] == open->point.high[CYCLES])
        level->cycles += since(open->point.high[CYCLES] + others, to->low[CYCLES]);
    else
        level->inexact++;
    for (size_t i = thread->count; i > 0; i--) {
        if (!thread->open[i - 1].point.is_exception)
            continue;
        for (unsigned clock = 0; clock < CAIRN_CLOCKS; clock++)
            thread->open[i - 1].inside.clocks[clock] += clocks[clock];
        break;
    }
    if (latency->of != CAIRN_LATENCY_EXCEPTIONS || is_unwanted(latency, thread, call->thread))
        return;
    const uint32_t index = cairn_latency_group(latency, call, true);
    if (index == CAIRN_LATENCY_GROUPS_MAX)
        return;
    for (unsigned clock = 0; clock < CAIRN_CLOCKS; clock++)
        latency->groups[index].self[clock] += since(open->inside.clocks[clock], clocks[clock]);
}

static bool is_measured(struct cairn_latency *latency, const struct latency_open *open,
                        const struct cairn_call *call)
{
    struct cairn_calls_function function = {.size = sizeof function};

    switch (latency->of) {
    case CAIRN_LATENCY_EXCEPTIONS: return open->point.is_exception;
    case CAIRN_LATENCY_PAIRS: return false;
    case CAIRN_LATENCY_FUNCTION: break;
    }
    return open->inherits ||
           (call->function &&
            cairn_calls_function(latency->calls, call->function, &function) == CAIRN_OK &&
            function.name && cairn_naming_is(latency->naming, function.name, latency->function));
}

static cairn_status leave(void *context, const struct cairn_call *call)
{
    struct cairn_latency *latency = context;
    struct latency_thread *thread = cairn_latency_thread(latency, call->thread);

    if (!thread || thread->count == 0 || thread->open[thread->count - 1].depth != call->depth)
        return latency->status;
    const struct latency_open open = thread->open[--thread->count];
    struct cairn_latency_sample sample =
        sample_of(latency, CAIRN_LATENCY_GROUPS_MAX, call->thread, CAIRN_LATENCY_WHOLE);

    sample.to = point_now(latency, thread, &call->ended);
    if (open.point.is_exception)
        leave_exception(latency, thread, &open, call, &sample.to);
    if (!is_measured(latency, &open, call) || is_unwanted(latency, thread, call->thread))
        return latency->status;
    if (latency->of == CAIRN_LATENCY_FUNCTION && call->end == CAIRN_CALL_JUMPED) {
        thread->carries = true;
        thread->carried_depth = call->depth;
        thread->carried = open.point;
        thread->carried_function = open.inherits ? open.function : call->function;
        return latency->status;
    }
    struct cairn_call measured = *call;
    if (open.inherits)
        measured.function = open.function;
    sample.group = cairn_latency_group(latency, &measured, open.point.is_exception);
    if (sample.group == CAIRN_LATENCY_GROUPS_MAX) {
        latency->left_out++;
        return latency->status;
    }
    sample.from = open.point;
    sample.interrupted = open.from == UINT32_MAX ? 0 : open.from;
    sample.end = open.inherits && call->end == CAIRN_CALL_RETURNED ? CAIRN_LATENCY_WHOLE
                                                                   : end_of(&sample, call);
    if (latency->by_instruction && latency->has_clock[CAIRN_CLOCK_CYCLES] &&
        open.point.is_exception) {
        sample.entry = since(call->began.total_cycles, open.point.low[CYCLES]);
        sample.back = latency->told_at == call->ended.executed
                          ? since(latency->settled_cycles, call->ended.total_cycles)
                          : 0;
    }
    if (latency->period)
        add_period(latency, sample.group, call->thread, &sample.from);
    else
        cairn_latency_add(latency, &sample);
    return latency->status;
}

/* --- pairs --- */

static void end_pair(struct cairn_latency *latency, struct latency_thread *thread, uint32_t id,
                     const struct cairn_latency_point *to, uint32_t end)
{
    struct cairn_latency_sample sample = sample_of(latency, 0, id, end);

    sample.from = thread->pair;
    sample.to = *to;
    if (end != CAIRN_LATENCY_OPEN && sample.from.lost != to->lost)
        sample.end = CAIRN_LATENCY_CUT;
    thread->has_pair = false;
    cairn_latency_add(latency, &sample);
}

static void reached(void *context, uint32_t id, uint32_t place)
{
    struct cairn_latency *latency = context;
    struct latency_thread *thread = cairn_latency_thread(latency, id);

    if (!thread || is_unwanted(latency, thread, id))
        return;
    const struct cairn_call_moment now = cairn_calls_now(latency->calls);
    const struct cairn_latency_point point = point_now(latency, thread, &now);
    const bool begins = latency->roles[place] & 1, ends = latency->roles[place] & 2;

    if (ends && thread->has_pair)
        end_pair(latency, thread, id, &point, CAIRN_LATENCY_WHOLE);
    else if (ends && !begins)
        latency->unbegun++;
    if (!begins)
        return;
    if (thread->has_pair)
        end_pair(latency, thread, id, &point, CAIRN_LATENCY_AGAIN);
    thread->has_pair = true;
    thread->pair = point;
    cairn_latency_wait(latency, &point, id, UINT32_MAX);
}

/* --- sources --- */

cairn_status cairn_latency_begin(struct cairn_latency *latency)
{
    for (unsigned clock = 0; clock < BOTH; clock++) {
        latency->waiting[clock] = malloc(CAIRN_LATENCY_WAITING * sizeof *latency->waiting[clock]);
        if (!latency->waiting[clock])
            return CAIRN_E_MEMORY;
    }
    latency->pending = malloc(CAIRN_LATENCY_PENDING * sizeof *latency->pending);
    if (!latency->pending)
        return CAIRN_E_MEMORY;
    latency->has_clock[CAIRN_CLOCK_INSTRUCTIONS] = true;
    latency->watch = (struct cairn_calls_watch){
        .context = latency,
        .pushed = pushed,
        .reached = reached,
        .told = cairn_latency_told,
        .broke = cairn_latency_broke,
        .places = latency->places,
        .place_count = latency->place_count,
    };
    if (latency->samples)
        cairn_latency_csv_head(latency);
    if (latency->of != CAIRN_LATENCY_PAIRS)
        return CAIRN_OK;
    latency->groups = calloc(1, sizeof *latency->groups);
    if (!latency->groups)
        return CAIRN_E_MEMORY;
    latency->group_count = latency->group_capacity = 1;
    latency->groups[0].kind = CAIRN_CALL_CALLED;
    latency->groups[0].is_wanted = true;
    return CAIRN_OK;
}

cairn_status cairn_latency_source(struct cairn_latency *latency, struct cairn_image *image,
                                  const char *name, struct cairn_config *config,
                                  struct cairn_consumer *consumer)
{
    const struct cairn_calls_sink sink = {.size = sizeof sink, .context = latency, .leave = leave};

    latency->source = name;
    latency->source_index = cairn_config_source(config);
    latency->config = config;
    latency->by_instruction = config->rules.every_instruction;
    latency->told_at = UINT64_MAX;
    latency->told_cycles = latency->settled_cycles = 0;
    latency->first_time = latency->last_time = 0;
    for (uint32_t i = 0; i < latency->group_count; i++)
        latency->groups[i].has_last = false;
    const cairn_status status =
        cairn_calls_make(config, image, &latency->functions, NULL, &sink, NULL, &latency->calls);
    if (status)
        return status;
    cairn_calls_set_watch(latency->calls, &latency->watch);
    *consumer = cairn_calls_consumer(latency->calls);
    return CAIRN_OK;
}

static void end_thread(struct cairn_latency *latency, uint32_t id)
{
    struct latency_thread *thread = &latency->threads[id];
    const struct cairn_call_moment now = cairn_calls_now(latency->calls);

    if (thread->has_pair && !latency->period) {
        const struct cairn_latency_point point = point_now(latency, thread, &now);

        end_pair(latency, thread, id, &point, CAIRN_LATENCY_OPEN);
    }
    free(thread->open);
}

cairn_status cairn_latency_source_end(struct cairn_latency *latency)
{
    if (!latency->calls)
        return CAIRN_OK;
    const struct cairn_call_moment now = cairn_calls_now(latency->calls);
    for (uint32_t i = 0; i < latency->thread_count; i++)
        end_thread(latency, i);
    cairn_latency_flush(latency);
    latency->source_count++;
    latency->whole[CAIRN_CLOCK_INSTRUCTIONS] += now.executed;
    latency->whole[CAIRN_CLOCK_CYCLES] += now.total_cycles;
    latency->whole[CAIRN_CLOCK_TIME] += since(latency->first_time, latency->last_time);
    free(latency->threads);
    latency->threads = NULL;
    latency->thread_count = 0;
    latency->waiting_count[CYCLES] = latency->waiting_count[TIME] = 0;
    cairn_calls_free(latency->calls);
    latency->calls = NULL;
    return latency->status;
}

void cairn_latency_free(struct cairn_latency *latency)
{
    for (uint32_t i = 0; i < latency->group_count; i++) {
        struct cairn_latency_group *group = &latency->groups[i];

        for (unsigned clock = 0; clock < CAIRN_CLOCKS; clock++) {
            cairn_spread_free(&group->low[clock]);
            cairn_spread_free(&group->high[clock]);
            free(group->worst[clock]);
        }
        cairn_spread_free(&group->entry);
        cairn_spread_free(&group->back);
    }
    free(latency->groups);
    free(latency->waiting[CYCLES]);
    free(latency->waiting[TIME]);
    free(latency->pending);
    cairn_table_clear(&latency->by_what);
    cairn_functions_free(&latency->functions);
}
