/* SPDX-License-Identifier: BSD-2-Clause */
/* Two flows side by side: as long as they are the same they go on together; where they part, both are searched for the
 * nearest place at which they meet again. docs/diff.md states the rules. */
#include "report/diff.h"

#include <stdlib.h>
#include <string.h>

/* Symbols that have to be the same where flows meet: inside of the same calls, and anywhere. */
enum { MEET_IN_CALLS = 4, MEET_ANYWHERE = 24 };
/* What is searched, all searches of a pair together, as a multiple of what there is to compare. */
enum { BUDGET_WINDOWS = 32, BUDGET_TIMES = 16 };

/* Steps of a search after which it is asked whether to give up. */
#define STOPS_EACH 65536u

#define PAST_END UINT32_MAX

struct diff_slot {
    uint32_t hash, stamp;
    uint32_t lowest; /* as of a place */
    size_t position;
};

/* A place that a search has come to. */
struct diff_place {
    unsigned side;
    uint32_t lowest; /* fewest calls that the flow was inside of on the way there */
    size_t position;
};

/* The places of one flow that a search has come to, by what is there. */
struct diff_places {
    struct diff_slot *slots;
    unsigned bits;
    uint32_t stamp;
    size_t used;
};

struct diff_search {
    const struct cairn_diff_flow *flows;
    const struct cairn_diff_chain *calls;
    uint32_t lowest[CAIRN_DIFF_SIDES];
    struct diff_places places[CAIRN_DIFF_SIDES];
    uint64_t budget;
    bool (*stops)(void);
    unsigned length; /* MEET_... */
    bool in_calls;
};

static uint32_t symbol_at(const struct cairn_diff_flow *flow, size_t position)
{
    return position < flow->count ? flow->symbols[position] : PAST_END;
}

static uint32_t hash_at(const struct diff_search *search, const struct diff_place *place)
{
    const struct cairn_diff_flow *const flow = &search->flows[place->side];
    uint64_t hash = 0;

    if (search->in_calls)
        hash = (uint64_t)place->lowest << 32 | flow->chains[place->position];
    for (unsigned i = 0; i < search->length; i++)
        hash = (hash ^ symbol_at(flow, place->position + i)) * UINT64_C(0x9e3779b97f4a7c15) ^
               hash >> 31;
    return (uint32_t)(hash >> 32);
}

/* Inside of calls they have come to the same chain of calls, and have left as many of those that they parted in: what is
 * called once more behind their return is no meeting. */
static bool is_meeting(const struct diff_search *search, const struct diff_place *a,
                       const struct diff_place *b)
{
    const struct cairn_diff_flow *const one = &search->flows[a->side];
    const struct cairn_diff_flow *const other = &search->flows[b->side];

    if (search->in_calls &&
        (one->chains[a->position] != other->chains[b->position] || a->lowest != b->lowest))
        return false;
    for (unsigned i = 0; i < search->length; i++)
        if (symbol_at(one, a->position + i) != symbol_at(other, b->position + i))
            return false;
    return true;
}

static cairn_status grow_places(struct diff_places *places)
{
    struct diff_places made = {.bits = places->bits ? places->bits + 2 : 10, .stamp = 1};

    made.slots = calloc((size_t)1 << made.bits, sizeof *made.slots);
    if (!made.slots)
        return CAIRN_E_MEMORY;
    const size_t mask = ((size_t)1 << made.bits) - 1;
    for (size_t i = 0; places->bits && i < (size_t)1 << places->bits; i++) {
        const struct diff_slot *const slot = &places->slots[i];
        size_t at = slot->hash & mask;

        if (slot->stamp != places->stamp)
            continue;
        while (made.slots[at].stamp == made.stamp)
            at = (at + 1) & mask;
        made.slots[at] = *slot;
        made.slots[at].stamp = made.stamp;
    }
    made.used = places->used;
    free(places->slots);
    *places = made;
    return CAIRN_OK;
}

static void forget_places(struct diff_places *places)
{
    places->used = 0;
    if (++places->stamp == 0) {
        if (places->slots)
            memset(places->slots, 0, ((size_t)1 << places->bits) * sizeof *places->slots);
        places->stamp = 1;
    }
}

/* The first of the places of a side that is as one that a search has come to; SIZE_MAX: none. */
static size_t look_up(const struct diff_search *search, unsigned side,
                      const struct diff_place *place, uint32_t hash)
{
    const struct diff_places *const places = &search->places[side];
    const size_t mask = ((size_t)1 << places->bits) - 1;

    for (size_t at = hash & mask; places->bits && places->slots[at].stamp == places->stamp;
         at = (at + 1) & mask) {
        const struct diff_place there = {side, places->slots[at].lowest,
                                         places->slots[at].position};

        if (places->slots[at].hash == hash && is_meeting(search, &there, place))
            return there.position;
    }
    return SIZE_MAX;
}

static cairn_status add_place(struct diff_search *search, const struct diff_place *place,
                              uint32_t hash)
{
    struct diff_places *const places = &search->places[place->side];

    if (look_up(search, place->side, place, hash) != SIZE_MAX)
        return CAIRN_OK; /* the first one counts */
    if (!places->bits || places->used * 2 >= (size_t)1 << places->bits) {
        const cairn_status status = grow_places(places);

        if (status)
            return status;
    }
    const size_t mask = ((size_t)1 << places->bits) - 1;
    size_t at = hash & mask;
    while (places->slots[at].stamp == places->stamp)
        at = (at + 1) & mask;
    places->slots[at] = (struct diff_slot){
        .hash = hash, .stamp = places->stamp, .lowest = place->lowest, .position = place->position};
    places->used++;
    return CAIRN_OK;
}

/* One step further on one side: a meeting there, if it is nearer than the best one. */
static cairn_status step_on(struct diff_search *search, unsigned side, const size_t from[2],
                            size_t step, size_t best[2], size_t *distance)
{
    struct diff_place place = {.side = side, .position = from[side] + step};
    const struct cairn_diff_flow *const flow = &search->flows[side];

    if (place.position >= flow->count || flow->symbols[place.position] == CAIRN_DIFF_GAP)
        return CAIRN_OK;
    const uint32_t depth = search->calls[flow->chains[place.position]].depth;
    if (depth < search->lowest[side])
        search->lowest[side] = depth;
    place.lowest = search->lowest[side];
    const uint32_t hash = hash_at(search, &place);
    const size_t met = look_up(search, !side, &place, hash);
    if (met != SIZE_MAX && step + (met - from[!side]) < *distance) {
        *distance = step + (met - from[!side]);
        best[side] = place.position;
        best[!side] = met;
    }
    return add_place(search, &place, hash);
}

/* The meeting with the fewest symbols in front of it; found: *distance is not SIZE_MAX. */
static cairn_status search_meeting(struct diff_search *search, const size_t from[2], size_t best[2],
                                   size_t *distance)
{
    cairn_status status = CAIRN_OK;

    *distance = SIZE_MAX;
    search->lowest[CAIRN_DIFF_A] = search->lowest[CAIRN_DIFF_B] = UINT32_MAX;
    forget_places(&search->places[CAIRN_DIFF_A]);
    forget_places(&search->places[CAIRN_DIFF_B]);
    for (size_t step = 0; step < CAIRN_DIFF_WINDOW && step <= *distance && !status; step++) {
        if (search->budget == 0 ||
            (from[CAIRN_DIFF_A] + step >= search->flows[CAIRN_DIFF_A].count &&
             from[CAIRN_DIFF_B] + step >= search->flows[CAIRN_DIFF_B].count))
            break;
        if (search->budget-- % STOPS_EACH == 0 && search->stops && search->stops()) {
            search->budget = 0;
            break;
        }
        status = step_on(search, CAIRN_DIFF_A, from, step, best, distance);
        if (!status)
            status = step_on(search, CAIRN_DIFF_B, from, step, best, distance);
    }
    return status;
}

/* Behind a gap, and at a beginning, nobody knows which calls they are inside of. */
static cairn_status find_meeting(struct diff_search *search, bool behind_gap, const size_t from[2],
                                 size_t best[2], bool *meets)
{
    size_t distance = SIZE_MAX;
    cairn_status status = CAIRN_OK;

    for (int attempt = 0; attempt < 2 && distance == SIZE_MAX && !status; attempt++) {
        search->in_calls = (attempt == 0) != behind_gap;
        search->length = search->in_calls ? MEET_IN_CALLS : MEET_ANYWHERE;
        status = search_meeting(search, from, best, &distance);
    }
    *meets = distance != SIZE_MAX;
    return status;
}

/* --- partings --- */

static struct cairn_diff_point point_of(const struct cairn_diff_flow *flow,
                                        const struct cairn_diff_thread *thread, size_t position)
{
    if (position >= flow->count)
        return (struct cairn_diff_point){.token = thread->count};
    return flow->points ? flow->points[position] : (struct cairn_diff_point){.token = position};
}

/* Instructions from a point to another one. */
static uint64_t add_up(const struct cairn_diff *diff, const struct cairn_diff_thread *thread,
                       struct cairn_diff_point from, struct cairn_diff_point to, bool *has_gap)
{
    uint64_t sum = to.skip;

    for (size_t i = from.token; i < to.token; i++) {
        sum += diff->blocks[thread->tokens[i]].instructions;
        *has_gap |= thread->tokens[i] == CAIRN_DIFF_GAP;
    }
    return sum - from.skip;
}

/* How far the instructions in front of a point were added up. */
struct diff_position {
    struct cairn_diff_point point;
    size_t mark;
    uint64_t flow, handled;
};

static void move_to(const struct cairn_diff *diff, const struct cairn_diff_thread *thread,
                    struct diff_position *position, struct cairn_diff_point point)
{
    bool unused = false;

    position->flow += add_up(diff, thread, position->point, point, &unused);
    position->point = point;
    for (;
         position->mark < thread->mark_count && thread->marks[position->mark].token <= point.token;
         position->mark++)
        if (thread->marks[position->mark].kind == CAIRN_MARK_HANDLED)
            position->handled += thread->marks[position->mark].value;
}

static bool is_known(const struct cairn_diff_parting *parting)
{
    return parting->kind == CAIRN_PARTING_WAYS || parting->kind == CAIRN_PARTING_END;
}

/* That they part is known of some partings; of fewer, what the other one did not execute behind them. */
static cairn_status add_parting(struct cairn_diff_pair *pair, const struct cairn_diff_parting *made,
                                bool is_compared)
{
    const bool known = is_known(made);

    pair->ways += known;
    pair->unknowns += !known;
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        if (known && is_compared && !made->has_gap)
            pair->own[side] += made->instructions[side];
        else
            pair->hidden[side] += made->instructions[side];
    if (pair->kept[known] == CAIRN_DIFF_PARTINGS_MAX)
        return CAIRN_OK;
    pair->kept[known]++;
    if (cairn_grow((void **)&pair->partings, pair->parting_count, &pair->parting_room,
                   sizeof *pair->partings))
        return CAIRN_E_MEMORY;
    pair->partings[pair->parting_count++] = *made;
    return CAIRN_OK;
}

/* Of blocks that begin in one place and end in different ones the shorter one is in common. */
static uint32_t shared(const struct cairn_diff *diff, struct cairn_diff_thread *const threads[2],
                       const struct cairn_diff_parting *parting)
{
    const struct cairn_diff_block *blocks[CAIRN_DIFF_SIDES];

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        const size_t token = parting->from[side].token;

        if (token >= threads[side]->count || token == parting->to[side].token)
            return 0;
        blocks[side] = &diff->blocks[threads[side]->tokens[token]];
    }
    const struct cairn_diff_block *const a = blocks[CAIRN_DIFF_A], *const b = blocks[CAIRN_DIFF_B];
    if (a->object != b->object || a->first != b->first || a->isa != b->isa || !a->object)
        return 0;
    return a->instructions < b->instructions ? a->instructions : b->instructions;
}

/* What was executed opposite to a gap may have been executed in that. */
static void note_hidden(struct cairn_diff *diff, struct cairn_diff_thread *const threads[2],
                        const struct cairn_diff_parting *parting)
{
    if (is_known(parting) && !parting->has_gap)
        return;
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        for (size_t i = parting->from[side].token + (parting->from[side].skip != 0);
             i < parting->to[side].token; i++)
            if (threads[side]->tokens[i] != CAIRN_DIFF_GAP)
                diff->blocks[threads[side]->tokens[i]].seen[side].hidden++;
}

/* Both flows have the same symbols from one position to another. */
static void add_common(const struct cairn_diff *diff, struct cairn_diff_pair *pair,
                       const struct cairn_diff_flow flows[2],
                       struct cairn_diff_thread *const threads[2], const size_t from[2],
                       const size_t to[2])
{
    const size_t count = to[CAIRN_DIFF_A] - from[CAIRN_DIFF_A];
    const bool by_lines = flows[CAIRN_DIFF_A].points != NULL;
    bool unused = false;

    for (size_t i = 0; i < count; i = by_lines ? i + 1 : count) {
        const size_t end = by_lines ? i + 1 : count;
        uint64_t sums[CAIRN_DIFF_SIDES];

        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            const struct cairn_diff_flow *const flow = &flows[side];
            const bool is_nameless =
                by_lines && flow->symbols[from[side] + i] == CAIRN_DIFF_NAMELESS;

            sums[side] = add_up(diff, threads[side], point_of(flow, threads[side], from[side] + i),
                                point_of(flow, threads[side], from[side] + end), &unused);
            *(is_nameless ? &pair->nameless[side] : &pair->common[side]) += sums[side];
        }
        pair->differs |= sums[CAIRN_DIFF_A] != sums[CAIRN_DIFF_B];
    }
}

static bool is_cut(const struct cairn_diff *diff, const size_t at[2],
                   const struct cairn_diff_flow flows[2])
{
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        if (at[side] >= flows[side].count && diff->runs[side].is_full)
            return true;
    return false;
}

static uint32_t kind_of(const struct cairn_diff *diff, const struct cairn_diff_flow flows[2],
                        const size_t at[2])
{
    const uint32_t a = symbol_at(&flows[CAIRN_DIFF_A], at[CAIRN_DIFF_A]);
    const uint32_t b = symbol_at(&flows[CAIRN_DIFF_B], at[CAIRN_DIFF_B]);

    if (a == CAIRN_DIFF_GAP || b == CAIRN_DIFF_GAP)
        return CAIRN_PARTING_GAP;
    if (is_cut(diff, at, flows))
        return CAIRN_PARTING_LIMIT;
    if (a == PAST_END || b == PAST_END)
        return CAIRN_PARTING_END;
    return at[CAIRN_DIFF_A] || at[CAIRN_DIFF_B] ? CAIRN_PARTING_WAYS : CAIRN_PARTING_START;
}

cairn_status cairn_diff_align(struct cairn_diff *diff, struct cairn_diff_pair *pair,
                              const struct cairn_diff_flow flows[CAIRN_DIFF_SIDES])
{
    const size_t total = flows[CAIRN_DIFF_A].count + flows[CAIRN_DIFF_B].count;
    struct cairn_diff_thread *threads[CAIRN_DIFF_SIDES];
    struct diff_position positions[CAIRN_DIFF_SIDES] = {[0] = {.mark = 0}};
    size_t at[CAIRN_DIFF_SIDES] = {0, 0};
    struct diff_search search = {
        .flows = flows,
        .calls = diff->chains,
        .stops = diff->stops,
        .budget = (uint64_t)BUDGET_WINDOWS * CAIRN_DIFF_WINDOW + (uint64_t)BUDGET_TIMES * total,
    };
    cairn_status status = CAIRN_OK;

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        threads[side] = cairn_diff_thread_of(diff, pair, side);
    while (!status) {
        const size_t began[CAIRN_DIFF_SIDES] = {at[CAIRN_DIFF_A], at[CAIRN_DIFF_B]};
        bool is_compared = true;
        uint32_t symbol;

        while ((symbol = symbol_at(&flows[CAIRN_DIFF_A], at[CAIRN_DIFF_A])) ==
                   symbol_at(&flows[CAIRN_DIFF_B], at[CAIRN_DIFF_B]) &&
               symbol != PAST_END && symbol != CAIRN_DIFF_GAP) {
            at[CAIRN_DIFF_A]++;
            at[CAIRN_DIFF_B]++;
        }
        add_common(diff, pair, flows, threads, began, at);
        if (at[CAIRN_DIFF_A] >= flows[CAIRN_DIFF_A].count &&
            at[CAIRN_DIFF_B] >= flows[CAIRN_DIFF_B].count)
            break;
        struct cairn_diff_parting made = {.kind = kind_of(diff, flows, at)};
        size_t from[CAIRN_DIFF_SIDES], to[CAIRN_DIFF_SIDES];
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            from[side] = at[side] + (symbol_at(&flows[side], at[side]) == CAIRN_DIFF_GAP);
            to[side] = flows[side].count;
        }
        status = find_meeting(&search,
                              made.kind == CAIRN_PARTING_GAP || made.kind == CAIRN_PARTING_START,
                              from, to, &made.meets);
        if (!made.meets) {
            to[CAIRN_DIFF_A] = flows[CAIRN_DIFF_A].count;
            to[CAIRN_DIFF_B] = flows[CAIRN_DIFF_B].count;
            is_compared =
                from[CAIRN_DIFF_A] >= to[CAIRN_DIFF_A] || from[CAIRN_DIFF_B] >= to[CAIRN_DIFF_B];
            pair->gave_up |= !is_compared;
        }
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            made.from[side] = point_of(&flows[side], threads[side], at[side]);
            made.to[side] = point_of(&flows[side], threads[side], to[side]);
            at[side] = to[side];
        }
        if (!flows[CAIRN_DIFF_A].points) {
            made.from[CAIRN_DIFF_A].skip = made.from[CAIRN_DIFF_B].skip =
                shared(diff, threads, &made);
            pair->common[CAIRN_DIFF_A] += made.from[CAIRN_DIFF_A].skip;
            pair->common[CAIRN_DIFF_B] += made.from[CAIRN_DIFF_A].skip;
        }
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            move_to(diff, threads[side], &positions[side], made.from[side]);
            made.before[side] = positions[side].flow + positions[side].handled;
            made.instructions[side] =
                add_up(diff, threads[side], made.from[side], made.to[side], &made.has_gap);
        }
        note_hidden(diff, threads, &made);
        if (!status)
            status = add_parting(pair, &made, is_compared);
    }
    free(search.places[CAIRN_DIFF_A].slots);
    free(search.places[CAIRN_DIFF_B].slots);
    return status;
}
