/* SPDX-License-Identifier: BSD-2-Clause */
#include "shrink.h"
#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIES_MOST = 6000,
    REST_PERCENT = 40,
};

/* Decoding may begin at any synchronisation: what follows is the end of the truth. */
static bool try_rest(struct trip_work *work, struct peer_random *random, unsigned forgiven)
{
    const struct trip_trace *trace = &work->trace;
    size_t from = 0;
    uint32_t skip;

    if (work->said.syncs < 2)
        return true;
    skip = peer_random_range(random, 1, work->said.syncs - 1);
    while (skip-- > 0)
        from = cairn_find_sync(trace->config, trace->bytes, trace->size, from + 1);
    if (from >= trace->size)
        return true;
    work->has_rest = true;
    forgiven |= TRIP_MAY_BEGIN_LATE | TRIP_MAY_LOSE;
    if (trip_decode(trace, from, &work->program, random, forgiven, &work->rest) &&
        trip_compare(&work->trip, &work->truth, &work->rest, forgiven))
        return true;
    snprintf(work->said.problem, sizeof work->said.problem, "from offset %zu on: %.300s", from,
             work->rest.problem);
    return false;
}

enum trip_verdict trip_try(struct trip_work *work)
{
    struct peer_random random = {.state = ~work->trip.seed};
    unsigned forgiven = 0;

    work->has_rest = false;
    work->said.problem[0] = '\0';
    work->said.overflows = work->said.syncs = 0;
    trip_truth_make(&work->truth, &work->trip);
    if (work->truth.impossible)
        return TRIP_IMPOSSIBLE;
    if (!trip_feed(&work->trip, &work->trace))
        return TRIP_BAD;
    if (work->truth.lost || work->trace.counters.overflows > 0)
        forgiven |= TRIP_MAY_LOSE;
    if (!trip_decode(&work->trace, 0, &work->program, &random, forgiven, &work->said) ||
        !trip_compare(&work->trip, &work->truth, &work->said, forgiven))
        return TRIP_BAD;
    if (work->said.overflows != work->trace.counters.overflows) {
        snprintf(work->said.problem, sizeof work->said.problem,
                 "%" PRIu32 " overflows were told of %" PRIu64, work->said.overflows,
                 work->trace.counters.overflows);
        return TRIP_BAD;
    }
    if (peer_random_percent(&random, REST_PERCENT) && !try_rest(work, &random, forgiven))
        return TRIP_BAD;
    if (!trip_engine_agrees(&work->trip, &work->trace, &work->said))
        return TRIP_BAD;
    return TRIP_GOOD;
}

const char *trip_problem(const struct trip_work *work)
{
    if (work->truth.impossible)
        return work->truth.impossible;
    return work->trace.problem[0] ? work->trace.problem : work->said.problem;
}

/* What is wrong with a shorter case must be wrong in the same way: its first word says which. */
static bool is_alike(const char *a, const char *b)
{
    const size_t length = strcspn(a, " ");

    return strncmp(a, b, length) == 0;
}

/* Tries work->other in place of work->trip. */
static bool is_worth_it(struct trip_work *work, unsigned *tries)
{
    struct trip_case *keep;

    if (*tries == 0)
        return false;
    --*tries;
    keep = malloc(sizeof *keep);
    if (!keep)
        return false;
    *keep = work->trip;
    work->trip = work->other;
    if (trip_try(work) == TRIP_BAD && is_alike(work->first, trip_problem(work))) {
        free(keep);
        return true;
    }
    work->trip = *keep;
    free(keep);
    return false;
}

static bool drop_steps(struct trip_work *work, unsigned *tries)
{
    bool better = false;

    for (uint32_t size = work->trip.count / 2; size > 0; size /= 2)
        for (uint32_t at = 0; at + size <= work->trip.count;) {
            struct trip_case *other = &work->other;

            *other = work->trip;
            memmove(&other->steps[at], &other->steps[at + size],
                    (other->count - at - size) * sizeof *other->steps);
            other->count -= size;
            if (is_worth_it(work, tries))
                better = true;
            else
                at += size > 4 ? size / 2 : 1;
        }
    return better;
}

/* Two steps that only go together (begin and end of a region). */
static bool drop_pairs(struct trip_work *work, unsigned *tries)
{
    bool better = false;

    for (uint32_t at = 0; at < work->trip.count; at++)
        for (uint32_t second = at + 1; second < work->trip.count && second < at + 12; second++) {
            struct trip_case *other = &work->other;
            uint32_t count = 0;

            if (work->trip.count > 60)
                return better;
            *other = work->trip;
            for (uint32_t i = 0; i < work->trip.count; i++)
                if (i != at && i != second)
                    other->steps[count++] = work->trip.steps[i];
            other->count = count;
            better |= is_worth_it(work, tries);
        }
    return better;
}

static void drop_options(struct trip_work *work, unsigned *tries)
{
#define PLAIN(member, plain)                                                                       \
    do {                                                                                           \
        work->other = work->trip;                                                                  \
        work->other.options.member = plain;                                                        \
        if (memcmp(&work->other.options, &work->trip.options, sizeof work->trip.options) != 0)     \
            (void)is_worth_it(work, tries);                                                        \
    } while (0)
    PLAIN(fifo_bytes, 0);
    PLAIN(q, 0);
    PLAIN(broadcast, false);
    PLAIN(cycles, false);
    PLAIN(timestamps, false);
    PLAIN(timestamp_markers, false);
    PLAIN(context_ids, false);
    PLAIN(vmids, false);
    PLAIN(return_stack, false);
    PLAIN(include, 0);
    PLAIN(exclude, 0);
    PLAIN(start, 0);
    PLAIN(stop, 0);
    PLAIN(active, true);
    PLAIN(view_inputs, 0);
    PLAIN(levels_secure, 0);
    PLAIN(levels_nonsecure, 0);
    PLAIN(force_errors, false);
    PLAIN(force_resets, false);
    PLAIN(sync_period, 0);
    PLAIN(maxspec, 0);
    PLAIN(maxspec, 4);
    PLAIN(commopt, true);
    PLAIN(commtrans, true);
    PLAIN(choices, CAIRN_UNIT_COMMIT_AT_ONCE);
    for (unsigned bit = 0; bit < 6; bit++)
        PLAIN(choices, work->trip.options.choices & ~(1u << bit));
    PLAIN(events_traced, 0);
    PLAIN(cycle_bits, 20);
    PLAIN(stack_depth, 15);
#undef PLAIN
}

void trip_shrink(struct trip_work *work)
{
    unsigned tries = TRIES_MOST;
    bool better = true;

    snprintf(work->first, sizeof work->first, "%s", trip_problem(work));

    while (better && tries > 0) {
        better = drop_steps(work, &tries);
        better |= drop_pairs(work, &tries);
        drop_options(work, &tries);
    }
    (void)trip_try(work);
}

void trip_work_clear(struct trip_work *work)
{
    trip_trace_clear(&work->trace);
    free(work->trace.bytes);
    trip_program_clear(&work->program);
}
