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

static struct cairn_latency_point point_now(struct cairn_latency *latency,
                                            const struct latency_thread *thread,
                                            const struct cairn_call_moment *moment)
{
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
        .all_holes = latency->holes,
        .all_off = latency->off,
        .thread = (uint32_t)(thread - latency->threads),
        .inside = thread->inside,
        .excepted = thread->excepted,
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

bool cairn_latency_unwanted(const struct cairn_latency *latency, struct latency_thread *thread,
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

/* Whether the exception that the first moment was in is still open at the second. */
static bool is_over_levels(const struct latency_thread *thread,
                           const struct cairn_latency_point *from,
                           const struct cairn_latency_point *to)
{
    if (from->thread != to->thread)
        return true;
    if (from->inside == 0 || from->inside == to->inside)
        return false;
    for (size_t i = thread->count; i > 0; i--)
        if (thread->open[i - 1].point.is_exception &&
            thread->open[i - 1].point.serial == from->inside)
            return false;
    return true;
}

static struct cairn_latency_last *last_of(struct cairn_latency *latency, uint32_t group,
                                          uint32_t thread)
{
    const uint32_t hash = cairn_table_hash((uint64_t)group << 32 | thread, 0);
    size_t at = cairn_table_begin(&latency->by_last, hash);
    uint32_t item;

    while ((item = cairn_table_next(&latency->by_last, hash, &at)) != CAIRN_TABLE_NONE)
        if (latency->lasts[item].group == group && latency->lasts[item].thread == thread)
            return &latency->lasts[item];
    if (latency->last_count == latency->last_capacity) {
        const uint32_t wanted = latency->last_capacity ? latency->last_capacity * 2 : 16;
        struct cairn_latency_last *grown =
            wanted > CAIRN_LATENCY_LASTS_MAX
                ? NULL
                : realloc(latency->lasts, wanted * sizeof *latency->lasts);

        if (!grown) {
            latency->status = wanted > CAIRN_LATENCY_LASTS_MAX ? CAIRN_E_LIMIT : CAIRN_E_MEMORY;
            return NULL;
        }
        latency->lasts = grown;
        latency->last_capacity = wanted;
    }
    latency->lasts[latency->last_count] =
        (struct cairn_latency_last){.group = group, .thread = thread};
    if (cairn_table_add(&latency->by_last, hash, latency->last_count))
        latency->status = CAIRN_E_MEMORY;
    return &latency->lasts[latency->last_count++];
}

/* From one beginning of a group to the next: in the same thread; that of an exception in any. */
static void add_period(struct cairn_latency *latency, uint32_t group, uint32_t id,
                       const struct cairn_latency_point *point, bool begins)
{
    const bool is_any = latency->groups[group].kind == CAIRN_CALL_EXCEPTION;
    const uint32_t thread = is_any ? UINT32_MAX : cairn_calls_first(latency->calls, id);
    struct cairn_latency_last *last = last_of(latency, group, thread);

    if (!last)
        return;
    if (begins && last->is_there) {
        struct cairn_latency_sample sample = sample_of(latency, group, id, CAIRN_LATENCY_WHOLE);

        sample.from = last->point;
        sample.to = *point;
        sample.is_over_levels = is_over_levels(&latency->threads[id], &sample.from, &sample.to);
        if (sample.from.lost != sample.to.lost)
            sample.end = CAIRN_LATENCY_CUT;
        cairn_latency_add(latency, &sample);
    }
    last->is_there = begins;
    last->point = *point;
    if (begins)
        cairn_latency_wait(latency, point, UINT32_MAX, (size_t)(last - latency->lasts));
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
        .depth = depth,
        .from = from,
        .point = point_now(latency, thread, &now),
        .pushed = now.instructions,
        .pushed_cycles = now.cycles,
    };

    open.point.is_exception = handles;
    if (handles) {
        cairn_latency_chain(latency, thread, &open, now.executed);
        latency->exception_serial = open.point.serial;
        if (!latency->by_instruction)
            open.point.is_told[CYCLES] = false;
        open.outside = thread->inside;
        open.point.inside = thread->inside = open.point.serial;
    }
    if (!handles && thread->carries && thread->carried_depth == depth) {
        open.point = thread->carried;
        open.inherits = true;
        open.function = thread->carried_function;
        open.is_running = thread->carried_running;
    }
    thread->carries = false;
    thread->open[thread->count++] = open;
    cairn_latency_wait(latency, &open.point, id, thread->count - 1);
}

static bool began_before(const struct cairn_call *call)
{
    return call->kind == CAIRN_CALL_RESUMED || call->kind == CAIRN_CALL_FOUND;
}

static uint32_t end_of(const struct cairn_latency_sample *sample, const struct latency_open *open,
                       const struct cairn_call *call)
{
    if (open->inherits ? open->is_running : began_before(call))
        return CAIRN_LATENCY_RUNNING;
    if (call->end == CAIRN_CALL_CUT || sample->from.lost != sample->to.lost)
        return CAIRN_LATENCY_CUT;
    if (call->end == CAIRN_CALL_SWITCHED)
        return CAIRN_LATENCY_SWITCHED;
    if (call->end == CAIRN_CALL_OPEN)
        return CAIRN_LATENCY_OPEN;
    if (call->end == CAIRN_CALL_UNWOUND)
        return CAIRN_LATENCY_LEFT;
    if (call->kind == CAIRN_CALL_EXCEPTION && call->address == 0)
        return CAIRN_LATENCY_UNSEEN;
    return CAIRN_LATENCY_WHOLE;
}

/* An exception is followed by what is executed next: its end is where that has begun, as its beginning is where its first
 * instruction has. */
static void end_by_instruction(const struct cairn_latency *latency,
                               struct cairn_latency_sample *sample)
{
    struct cairn_latency_point *to = &sample->to;
    uint64_t total;

    to->is_told[CYCLES] = cairn_calls_next_cycles(latency->calls, &total);
    to->ends_there = !to->is_told[CYCLES];
    if (to->ends_there)
        return;
    sample->back = cairn_latency_since(to->moment.total_cycles, total);
    to->low[CYCLES] = to->high[CYCLES] = total;
}

static bool is_measured(struct cairn_latency *latency, const struct latency_open *open,
                        const struct cairn_call *call)
{
    switch (latency->of) {
    case CAIRN_LATENCY_EXCEPTIONS: return open->point.is_exception;
    case CAIRN_LATENCY_PAIRS: return false;
    case CAIRN_LATENCY_FUNCTION: break;
    }
    return open->inherits || cairn_call_is_wanted(latency->function, latency->calls, call,
                                                  &latency->matches, &latency->match_count);
}

/* For periods. */
static cairn_status enter(void *context, const struct cairn_call *call)
{
    struct cairn_latency *latency = context;
    const struct latency_thread *thread = cairn_latency_thread(latency, call->thread);

    if (!thread || thread->count == 0 || thread->open[thread->count - 1].depth != call->depth)
        return latency->status;
    const struct latency_open *open = &thread->open[thread->count - 1];
    if (!is_measured(latency, open, call) ||
        cairn_latency_unwanted(latency, &latency->threads[call->thread], call->thread))
        return latency->status;
    const uint32_t group = cairn_latency_group(latency, call, open->point.is_exception);
    if (group == CAIRN_LATENCY_GROUPS_MAX)
        latency->left_out++;
    else
        add_period(latency, group, call->thread, &open->point, !began_before(call));
    return latency->status;
}

static cairn_status leave(void *context, const struct cairn_call *call)
{
    struct cairn_latency *latency = context;
    struct latency_thread *thread = cairn_latency_thread(latency, call->thread);

    if (!thread || thread->count == 0 || thread->open[thread->count - 1].depth != call->depth)
        return latency->status;
    struct latency_open open = thread->open[--thread->count];
    /* what was another stack's after all (calls/switches.h) */
    const uint64_t moved = call->began.instructions - open.pushed;
    struct cairn_latency_sample sample =
        sample_of(latency, CAIRN_LATENCY_GROUPS_MAX, call->thread, CAIRN_LATENCY_WHOLE);

    open.point.moment.instructions += moved;
    open.point.moment.cycles += call->began.cycles - open.pushed_cycles;
    sample.to = point_now(latency, thread, &call->ended);
    if (open.point.is_exception) {
        if (latency->by_instruction && latency->has_clock[CAIRN_CLOCK_CYCLES])
            end_by_instruction(latency, &sample);
        cairn_latency_leave_exception(latency, thread, &open, call, &sample.to);
    }
    if (latency->period || !is_measured(latency, &open, call) ||
        cairn_latency_unwanted(latency, thread, call->thread))
        return latency->status;
    if (latency->of == CAIRN_LATENCY_FUNCTION && call->end == CAIRN_CALL_JUMPED) {
        thread->carries = true;
        thread->carried_running = open.inherits ? open.is_running : began_before(call);
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
    sample.end = end_of(&sample, &open, call);
    sample.is_over_levels = open.point.inside != sample.to.inside || moved;
    sample.is_own |= latency->of == CAIRN_LATENCY_FUNCTION &&
                     cairn_calls_takes_turns(latency->calls, call->thread);
    if (latency->by_instruction && latency->has_clock[CAIRN_CLOCK_CYCLES] &&
        open.point.is_exception && cairn_latency_exact(&open.point))
        sample.entry = cairn_latency_since(call->began.total_cycles, open.point.low[CYCLES]);
    cairn_latency_add(latency, &sample);
    return latency->status;
}

/* --- pairs --- */

/* From one task to another one, too: `of` has what all stacks of the context have begun. */
static void end_pair(struct cairn_latency *latency, struct latency_thread *of, uint32_t id,
                     const struct cairn_latency_point *to, uint32_t end)
{
    struct cairn_latency_sample sample = sample_of(latency, 0, id, end);

    sample.from = of->pair;
    sample.to = *to;
    sample.is_over_levels = is_over_levels(&latency->threads[to->thread], &sample.from, to);
    if (end != CAIRN_LATENCY_OPEN && sample.from.lost != to->lost)
        sample.end = CAIRN_LATENCY_CUT;
    of->has_pair = false;
    cairn_latency_add(latency, &sample);
}

static void reached(void *context, uint32_t id, uint32_t place)
{
    struct cairn_latency *latency = context;
    const uint32_t first = cairn_calls_first(latency->calls, id);
    struct latency_thread *thread = cairn_latency_thread(latency, id);

    if (!thread || cairn_latency_unwanted(latency, thread, id))
        return;
    struct latency_thread *const of = &latency->threads[first];
    const struct cairn_call_moment now = cairn_calls_now(latency->calls);
    const struct cairn_latency_point point = point_now(latency, &latency->threads[id], &now);
    const bool begins = latency->roles[place] & 1, ends = latency->roles[place] & 2;

    if (ends && of->has_pair)
        end_pair(latency, of, id, &point, CAIRN_LATENCY_WHOLE);
    else if (ends && !begins)
        latency->unbegun++;
    if (!begins)
        return;
    if (of->has_pair)
        end_pair(latency, of, id, &point, CAIRN_LATENCY_AGAIN);
    of->has_pair = true;
    of->pair = point;
    cairn_latency_wait(latency, &point, first, UINT32_MAX);
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
    for (unsigned clock = 0; clock < CAIRN_CLOCKS; clock++)
        latency->groups[0].high[clock].rounds_up = true;
    latency->groups[0].is_wanted = true;
    return CAIRN_OK;
}

cairn_status cairn_latency_source(struct cairn_latency *latency, struct cairn_image *image,
                                  const char *name, struct cairn_config *config,
                                  struct cairn_consumer *consumer)
{
    const bool begins = latency->period && latency->of != CAIRN_LATENCY_PAIRS;
    const struct cairn_calls_sink sink = {
        .size = sizeof sink, .context = latency, .enter = begins ? enter : NULL, .leave = leave};

    latency->source = name;
    latency->source_index = cairn_config_source(config);
    latency->config = config;
    latency->by_instruction = config->rules.every_instruction;
    latency->told_at = UINT64_MAX;
    latency->first_time = latency->last_time = 0;
    cairn_status status = latency->space ? CAIRN_OK : cairn_space_new(image, &latency->space);
    if (!status)
        status = cairn_calls_make(config, image, NULL, &latency->functions, NULL, &sink, NULL, NULL,
                                  &latency->calls);
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
    free(thread->before);
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
    latency->whole[CAIRN_CLOCK_TIME] +=
        cairn_latency_since(latency->first_time, latency->last_time);
    free(latency->threads);
    latency->threads = NULL;
    latency->thread_count = 0;
    latency->waiting_count[CYCLES] = latency->waiting_count[TIME] = 0;
    latency->last_count = 0;
    cairn_table_clear(&latency->by_last);
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
    free(latency->matches);
    free(latency->waiting[CYCLES]);
    free(latency->waiting[TIME]);
    free(latency->pending);
    free(latency->lasts);
    cairn_table_clear(&latency->by_last);
    cairn_table_clear(&latency->by_what);
    cairn_functions_free(&latency->functions);
    cairn_homes_free(&latency->homes);
    cairn_space_free(latency->space);
}
