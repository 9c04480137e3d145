/* SPDX-License-Identifier: BSD-2-Clause */
/* Each moment lies between what a clock told before it and what it tells behind it: whoever waits for the second
 * has it here. */
#include "report/latency_state.h"

static void wait_for(struct cairn_latency *latency, unsigned clock, uint64_t serial,
                     uint32_t thread, size_t index)
{
    if (latency->waiting_count[clock] < CAIRN_LATENCY_WAITING)
        latency->waiting[clock][latency->waiting_count[clock]++] =
            (struct latency_waiting){serial, thread, (uint32_t)index};
}

void cairn_latency_wait(struct cairn_latency *latency, const struct cairn_latency_point *point,
                        uint32_t thread, size_t index)
{
    if (!point->is_told[CYCLES] || point->is_exception)
        wait_for(latency, CYCLES, point->serial, thread, index);
    wait_for(latency, TIME, point->serial, thread, index);
}

/* --- samples --- */

static struct cairn_latency_sample *pending_at(struct cairn_latency *latency, size_t index)
{
    return &latency->pending[(latency->first_pending + index) % CAIRN_LATENCY_PENDING];
}

static void count_first(struct cairn_latency *latency)
{
    const cairn_status status = cairn_latency_count(latency, pending_at(latency, 0));

    if (status)
        latency->status = status;
    latency->first_pending = (latency->first_pending + 1) % CAIRN_LATENCY_PENDING;
    latency->pending_count--;
}

/* Those that no clock is waited for any more. */
static void count_resolved(struct cairn_latency *latency)
{
    const uint64_t cycles = latency->resolved[CYCLES], time = latency->resolved[TIME];
    const uint64_t both = cycles < time ? cycles : time;

    while (latency->pending_count && latency->samples_seen - latency->pending_count < both)
        count_first(latency);
}

void cairn_latency_add(struct cairn_latency *latency, const struct cairn_latency_sample *sample)
{
    if (latency->pending_count == CAIRN_LATENCY_PENDING)
        count_first(latency);
    *pending_at(latency, latency->pending_count++) = *sample;
    latency->samples_seen++;
}

void cairn_latency_flush(struct cairn_latency *latency)
{
    while (latency->pending_count)
        count_first(latency);
    latency->resolved[CYCLES] = latency->resolved[TIME] = latency->samples_seen;
}

/* --- clocks --- */

static struct cairn_latency_point *waiting_point(struct cairn_latency *latency,
                                                 const struct latency_waiting *waiting)
{
    struct latency_thread *thread =
        waiting->thread == UINT32_MAX ? NULL : &latency->threads[waiting->thread];
    struct cairn_latency_point *point = NULL;

    if (!thread)
        point = &latency->lasts[waiting->index].point;
    else if (waiting->index == UINT32_MAX)
        point = thread->has_pair ? &thread->pair : NULL;
    else if (waiting->index < thread->count)
        point = &thread->open[waiting->index].point;
    return point && point->serial == waiting->serial ? point : NULL;
}

static void settle_time(struct cairn_latency_point *point, unsigned clock, uint64_t at)
{
    if (!point->is_told[clock]) {
        point->high[clock] = at;
        point->is_told[clock] = true;
    }
}

/* Where the count is the exception's own, or of what follows it at once, it was then. True: a later one may be
 * nearer. */
static bool settle_cycles(const struct cairn_latency *latency, struct cairn_latency_point *point,
                          const struct cairn_call_moment *now)
{
    const bool is_own = point->is_exception && point->serial == latency->exception_serial;

    if (point->moment.executed == now->executed && (is_own || point->ends_there) &&
        (latency->by_instruction || !point->is_told[CYCLES])) {
        point->low[CYCLES] = point->high[CYCLES] = now->total_cycles;
        point->is_told[CYCLES] = true;
        return latency->by_instruction;
    }
    settle_time(point, CYCLES, now->total_cycles);
    return false;
}

/* What waited for a clock has it: `at`. */
static void settle_waiting(struct cairn_latency *latency, unsigned clock,
                           const struct cairn_call_moment *now)
{
    size_t kept = 0;

    for (size_t i = 0; i < latency->waiting_count[clock]; i++) {
        const struct latency_waiting one = latency->waiting[clock][i];
        struct cairn_latency_point *point = waiting_point(latency, &one);

        if (!point)
            continue;
        if (clock == TIME)
            settle_time(point, TIME, now->timestamp);
        else if (settle_cycles(latency, point, now))
            latency->waiting[clock][kept++] = one;
    }
    latency->waiting_count[clock] = kept;
}

static void settle_samples(struct cairn_latency *latency, unsigned clock,
                           const struct cairn_call_moment *now)
{
    const uint64_t first = latency->samples_seen - latency->pending_count;
    const uint64_t from = latency->resolved[clock] > first ? latency->resolved[clock] : first;

    for (uint64_t i = from; i < latency->samples_seen; i++) {
        struct cairn_latency_sample *sample = pending_at(latency, (size_t)(i - first));

        if (clock == TIME) {
            settle_time(&sample->from, TIME, now->timestamp);
            settle_time(&sample->to, TIME, now->timestamp);
        } else {
            (void)settle_cycles(latency, &sample->from, now);
            (void)settle_cycles(latency, &sample->to, now);
        }
    }
    latency->resolved[clock] = latency->samples_seen;
    count_resolved(latency);
}

/* What waited for a clock will not have it. */
static void give_up(struct cairn_latency *latency, unsigned clock)
{
    latency->unknown[clock]++;
    latency->waiting_count[clock] = 0;
    latency->resolved[clock] = latency->samples_seen;
    count_resolved(latency);
}

void cairn_latency_told(void *context, enum cairn_watch_told what)
{
    struct cairn_latency *latency = context;
    const struct cairn_call_moment now = cairn_calls_now(latency->calls);

    if (what == CAIRN_TOLD_CYCLES_UNKNOWN) {
        if (now.executed)
            latency->is_whole_unknown[CAIRN_CLOCK_CYCLES] = true;
        give_up(latency, CYCLES);
        return;
    }
    if (what == CAIRN_TOLD_TIME) {
        if (!latency->first_time)
            latency->first_time = now.timestamp;
        if (now.timestamp < latency->last_time)
            give_up(latency, TIME);
        latency->last_time = now.timestamp;
        latency->has_clock[CAIRN_CLOCK_TIME] = true;
        settle_waiting(latency, TIME, &now);
        settle_samples(latency, TIME, &now);
        return;
    }
    latency->has_clock[CAIRN_CLOCK_CYCLES] = true;
    latency->told_at = now.executed;
    settle_waiting(latency, CYCLES, &now);
    settle_samples(latency, CYCLES, &now);
}

void cairn_latency_broke(void *context, uint32_t id, enum cairn_watch_break why)
{
    struct cairn_latency *latency = context;
    struct latency_thread *thread = cairn_latency_thread(latency, id);

    if (!thread)
        return;
    switch (why) {
    case CAIRN_BREAK_HOLE:
        thread->holes++;
        latency->holes++;
        break;
    case CAIRN_BREAK_OFF:
        thread->off++;
        latency->off++;
        break;
    case CAIRN_BREAK_LOST: latency->lost++; break;
    case CAIRN_BREAK_ERET: latency->unbegun += latency->of == CAIRN_LATENCY_EXCEPTIONS; break;
    }
}
