/* SPDX-License-Identifier: BSD-2-Clause */
/* Two flows side by side: as long as they are the same they go on together; where they part, both are searched for the
 * nearest place at which they meet again. docs/diff.md states the rules. */
#include <stdlib.h>
#include <string.h>

#include "base/golden.h"

#include "report/diff_window.h"

/* Symbols that have to be the same where flows meet: inside of the same calls, and anywhere. */
enum { MEET_IN_CALLS = 4, MEET_ANYWHERE = 24 };
/* What is searched, all searches of a pair together, as a multiple of what there is to compare. */
enum { BUDGET_WINDOWS = 32, BUDGET_TIMES = 16 };

/* Steps of a search after which it is asked whether to give up. */
#define STOPS_EACH 65536u

#define PAST_END CAIRN_DIFF_PAST_END
/* Symbols of flows that go on together, at a time. */
#define STRETCH 4096u

struct diff_slot {
    uint32_t hash, stamp;
    uint32_t lowest; /* as of a place */
    uint32_t step;   /* from where the search began */
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
    struct cairn_diff_flow *flows;
    const struct cairn_diff_chain *calls;
    size_t at[CAIRN_DIFF_SIDES];   /* where they parted */
    size_t from[CAIRN_DIFF_SIDES]; /* where they are searched from: behind a gap */
    uint32_t lowest[CAIRN_DIFF_SIDES];
    struct diff_places places[CAIRN_DIFF_SIDES];
    uint64_t budget;
    bool (*stops)(void);
    unsigned length; /* MEET_... */
    bool in_calls;
};

static uint32_t hash_at(const struct diff_search *search, const struct diff_place *place)
{
    const struct cairn_diff_flow *const flow = &search->flows[place->side];
    uint64_t hash = 0;

    if (search->in_calls)
        hash = (uint64_t)place->lowest << 32 | cairn_diff_chain_at(flow, place->position);
    for (unsigned i = 0; i < search->length; i++)
        hash = (hash ^ cairn_diff_symbol_at(flow, place->position + i)) * CAIRN_GOLDEN ^ hash >> 31;
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
        (cairn_diff_chain_at(one, a->position) != cairn_diff_chain_at(other, b->position) ||
         a->lowest != b->lowest))
        return false;
    for (unsigned i = 0; i < search->length; i++)
        if (cairn_diff_symbol_at(one, a->position + i) !=
            cairn_diff_symbol_at(other, b->position + i))
            return false;
    return true;
}

static cairn_status grow_places(struct diff_places *places)
{
    struct diff_places made = {.bits = places->bits ? places->bits + 1 : 10, .stamp = 1};

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
                                         search->from[side] + places->slots[at].step};

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
    places->slots[at] =
        (struct diff_slot){.hash = hash,
                           .stamp = places->stamp,
                           .lowest = place->lowest,
                           .step = (uint32_t)(place->position - search->from[place->side])};
    places->used++;
    return CAIRN_OK;
}

/* One step further on one side: a meeting there, if it is nearer than the best one. */
static cairn_status step_on(struct diff_search *search, unsigned side, size_t step, size_t best[2],
                            size_t *distance)
{
    const size_t *const from = search->from;
    struct diff_place place = {.side = side, .position = from[side] + step};
    struct cairn_diff_flow *const flow = &search->flows[side];
    const cairn_status status =
        cairn_diff_flow_need(flow, search->at[side], place.position + MEET_ANYWHERE);

    if (status || place.position >= flow->count ||
        cairn_diff_symbol_at(flow, place.position) == CAIRN_DIFF_GAP)
        return status;
    const uint32_t depth = search->calls[cairn_diff_chain_at(flow, place.position)].depth;
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
static cairn_status search_meeting(struct diff_search *search, size_t best[2], size_t *distance)
{
    const size_t *const from = search->from;
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
        status = step_on(search, CAIRN_DIFF_A, step, best, distance);
        if (!status)
            status = step_on(search, CAIRN_DIFF_B, step, best, distance);
    }
    return status;
}

/* Behind a gap, and at a beginning, nobody knows which calls they are inside of. */
static cairn_status find_meeting(struct diff_search *search, bool behind_gap, size_t best[2],
                                 bool *meets)
{
    size_t distance = SIZE_MAX;
    cairn_status status = CAIRN_OK;

    for (int attempt = 0; attempt < 2 && distance == SIZE_MAX && !status; attempt++) {
        search->in_calls = (attempt == 0) != behind_gap;
        search->length = search->in_calls ? MEET_IN_CALLS : MEET_ANYWHERE;
        status = search_meeting(search, best, &distance);
    }
    *meets = distance != SIZE_MAX;
    return status;
}

/* --- partings --- */

static struct cairn_diff_point point_of(const struct cairn_diff_flow *flow, size_t position)
{
    if (position >= flow->count)
        return (struct cairn_diff_point){.token = flow->thread->count};
    return flow->by_lines ? flow->points[position - flow->first]
                          : (struct cairn_diff_point){.token = position};
}

/* How far the instructions of a thread were added up. */
struct diff_walk {
    struct cairn_diff_cursor cursor;
    struct cairn_diff_marks marks;
    uint32_t skip; /* instructions of the token that is next */
    bool has_mark; /* it was read, and stands further on */
    uint64_t flow, handled;
};

static void begin_walk(struct diff_walk *walk, const struct cairn_diff *diff,
                       const struct cairn_diff_thread *thread)
{
    *walk = (struct diff_walk){.marks = {.thread = thread}};
    cairn_diff_seek(&walk->cursor, diff, thread, 0);
}

/* Goes on to a point, and tells how many instructions are on the way. */
static uint64_t walk_to(struct diff_walk *walk, struct cairn_diff_point point, bool *has_gap)
{
    const struct cairn_diff *const diff = walk->cursor.diff;
    uint64_t sum = point.skip;

    while (walk->cursor.position < point.token && cairn_diff_read(&walk->cursor)) {
        sum += diff->blocks[walk->cursor.token].instructions;
        *has_gap |= walk->cursor.token == CAIRN_DIFF_GAP;
    }
    sum -= walk->skip;
    walk->skip = point.skip;
    walk->flow += sum;
    return sum;
}

/* What handlers executed in front of where it is. */
static uint64_t handled_before(struct diff_walk *walk)
{
    while ((walk->has_mark || cairn_diff_next_mark(&walk->marks)) &&
           walk->marks.mark.token <= walk->cursor.position) {
        walk->has_mark = false;
        if (walk->marks.mark.kind == CAIRN_MARK_HANDLED)
            walk->handled += walk->marks.mark.value;
    }
    walk->has_mark = walk->marks.mark.token > walk->cursor.position;
    return walk->handled;
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
static uint32_t shared(const struct cairn_diff *diff, const struct cairn_diff_flow flows[2],
                       const size_t at[2], const size_t to[2])
{
    const struct cairn_diff_block *blocks[CAIRN_DIFF_SIDES];

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        if (at[side] >= flows[side].count || at[side] == to[side])
            return 0;
        blocks[side] = &diff->blocks[cairn_diff_symbol_at(&flows[side], at[side])];
    }
    const struct cairn_diff_block *const a = blocks[CAIRN_DIFF_A], *const b = blocks[CAIRN_DIFF_B];
    if (a->object != b->object || a->first != b->first || a->isa != b->isa || !a->object)
        return 0;
    return a->instructions < b->instructions ? a->instructions : b->instructions;
}

/* What was executed opposite to a gap may have been executed in that. */
static void note_hidden(struct cairn_diff *diff, unsigned side, const struct diff_walk *walk,
                        size_t to)
{
    struct cairn_diff_cursor cursor = walk->cursor;
    bool is_part = walk->skip != 0;

    for (; cursor.position < to && cairn_diff_read(&cursor); is_part = false)
        if (!is_part && cursor.token != CAIRN_DIFF_GAP)
            diff->blocks[cursor.token].seen[side].hidden++;
}

/* Both flows have the same symbols from one position to another. */
static void add_common(struct cairn_diff_pair *pair, const struct cairn_diff_flow flows[2],
                       struct diff_walk walks[2], const size_t from[2], size_t count)
{
    const bool by_lines = flows[CAIRN_DIFF_A].by_lines;
    bool unused = false;

    for (size_t i = 0; i < count; i = by_lines ? i + 1 : count) {
        const size_t end = by_lines ? i + 1 : count;
        uint64_t sums[CAIRN_DIFF_SIDES];

        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            const struct cairn_diff_flow *const flow = &flows[side];
            const bool is_nameless =
                by_lines && cairn_diff_symbol_at(flow, from[side] + i) == CAIRN_DIFF_NAMELESS;

            sums[side] = walk_to(&walks[side], point_of(flow, from[side] + end), &unused);
            *(is_nameless ? &pair->nameless[side] : &pair->common[side]) += sums[side];
        }
        pair->differs |= sums[CAIRN_DIFF_A] != sums[CAIRN_DIFF_B];
    }
}

/* As long as both flows are the same they go on together. */
static cairn_status go_on(struct cairn_diff *diff, struct cairn_diff_pair *pair,
                          struct cairn_diff_flow flows[2], struct diff_walk walks[2], size_t at[2])
{
    const struct cairn_diff_flow *const a = &flows[CAIRN_DIFF_A], *const b = &flows[CAIRN_DIFF_B];
    size_t count;

    do {
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            const cairn_status status =
                cairn_diff_flow_need(&flows[side], at[side], at[side] + STRETCH + 1);

            if (status)
                return status;
        }
        for (count = 0; count < STRETCH; count++) {
            const uint32_t symbol = cairn_diff_symbol_at(a, at[CAIRN_DIFF_A] + count);

            if (symbol != cairn_diff_symbol_at(b, at[CAIRN_DIFF_B] + count) || symbol == PAST_END ||
                symbol == CAIRN_DIFF_GAP)
                break;
        }
        add_common(pair, flows, walks, at, count);
        at[CAIRN_DIFF_A] += count;
        at[CAIRN_DIFF_B] += count;
    } while (count == STRETCH && !(diff->stops && diff->stops()));
    return CAIRN_OK;
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
    const uint32_t a = cairn_diff_symbol_at(&flows[CAIRN_DIFF_A], at[CAIRN_DIFF_A]);
    const uint32_t b = cairn_diff_symbol_at(&flows[CAIRN_DIFF_B], at[CAIRN_DIFF_B]);

    if (a == CAIRN_DIFF_GAP || b == CAIRN_DIFF_GAP)
        return CAIRN_PARTING_GAP;
    if (is_cut(diff, at, flows))
        return CAIRN_PARTING_LIMIT;
    if (a == PAST_END || b == PAST_END)
        return CAIRN_PARTING_END;
    return at[CAIRN_DIFF_A] || at[CAIRN_DIFF_B] ? CAIRN_PARTING_WAYS : CAIRN_PARTING_START;
}

/* They part: what each did up to where they meet again, or to its end. */
static cairn_status part(struct diff_search *search, struct cairn_diff *diff,
                         struct cairn_diff_pair *pair, struct diff_walk walks[2], size_t at[2])
{
    struct cairn_diff_flow *const flows = search->flows;
    struct cairn_diff_parting made = {.kind = kind_of(diff, flows, at)};
    size_t to[CAIRN_DIFF_SIDES];
    bool is_compared = true;

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        search->at[side] = at[side];
        search->from[side] =
            at[side] + (cairn_diff_symbol_at(&flows[side], at[side]) == CAIRN_DIFF_GAP);
        to[side] = flows[side].count;
    }
    const cairn_status status =
        find_meeting(search, made.kind == CAIRN_PARTING_GAP || made.kind == CAIRN_PARTING_START, to,
                     &made.meets);
    if (!made.meets) {
        to[CAIRN_DIFF_A] = flows[CAIRN_DIFF_A].count;
        to[CAIRN_DIFF_B] = flows[CAIRN_DIFF_B].count;
        is_compared = search->from[CAIRN_DIFF_A] >= to[CAIRN_DIFF_A] ||
                      search->from[CAIRN_DIFF_B] >= to[CAIRN_DIFF_B];
        pair->gave_up |= !is_compared;
    }
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        made.from[side] = point_of(&flows[side], at[side]);
        made.to[side] = point_of(&flows[side], to[side]);
    }
    if (!flows[CAIRN_DIFF_A].by_lines) {
        made.from[CAIRN_DIFF_A].skip = made.from[CAIRN_DIFF_B].skip = shared(diff, flows, at, to);
        pair->common[CAIRN_DIFF_A] += made.from[CAIRN_DIFF_A].skip;
        pair->common[CAIRN_DIFF_B] += made.from[CAIRN_DIFF_A].skip;
    }
    struct diff_walk parted[CAIRN_DIFF_SIDES];
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        bool unused = false;

        (void)walk_to(&walks[side], made.from[side], &unused);
        made.before[side] = walks[side].flow + handled_before(&walks[side]);
        parted[side] = walks[side];
        made.instructions[side] = walk_to(&walks[side], made.to[side], &made.has_gap);
        at[side] = to[side];
    }
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES && (!is_known(&made) || made.has_gap); side++)
        note_hidden(diff, side, &parted[side], made.to[side].token);
    return status ? status : add_parting(pair, &made, is_compared);
}

cairn_status cairn_diff_align(struct cairn_diff *diff, struct cairn_diff_pair *pair,
                              struct cairn_diff_flow flows[CAIRN_DIFF_SIDES])
{
    const uint64_t total = (uint64_t)flows[CAIRN_DIFF_A].count + flows[CAIRN_DIFF_B].count;
    struct diff_walk walks[CAIRN_DIFF_SIDES];
    size_t at[CAIRN_DIFF_SIDES] = {0, 0};
    struct diff_search search = {
        .flows = flows,
        .calls = diff->chains,
        .stops = diff->stops,
        .budget = (uint64_t)BUDGET_WINDOWS * CAIRN_DIFF_WINDOW + BUDGET_TIMES * total,
    };
    cairn_status status = CAIRN_OK;

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        begin_walk(&walks[side], diff, flows[side].thread);
    while (!status && !(diff->stops && diff->stops())) {
        status = go_on(diff, pair, flows, walks, at);
        if (status || (at[CAIRN_DIFF_A] >= flows[CAIRN_DIFF_A].count &&
                       at[CAIRN_DIFF_B] >= flows[CAIRN_DIFF_B].count))
            break;
        status = part(&search, diff, pair, walks, at);
    }
    free(search.places[CAIRN_DIFF_A].slots);
    free(search.places[CAIRN_DIFF_B].slots);
    return status;
}
