/* SPDX-License-Identifier: BSD-2-Clause */
/* Walking the image for one element. Every range ends at the first P0 instruction, so that each
 * record carries at most one outcome. */
#include "flow/walk.h"
#include "base/golden.h"
#include "isa/plain.h"

#include <stdlib.h>

enum { A64_SIZE = 4 };

/* Passes A64 instructions whose major opcode says that they are not P0 instructions, no further
 * than to the next stretch that has a hop of its own. */
static void pass_plain(const struct cairn_flow *flow, const struct cairn_bounds *bounds,
                       uint64_t limit, struct cairn_walk *w)
{
    const struct cairn_window *window = &flow->fetch.window;
    const uint64_t at = w->next - window->address;
    const uint64_t stretch = CAIRN_HOP_BYTES - w->next % CAIRN_HOP_BYTES;
    uint64_t count = limit - w->count;

    if (at >= window->size || window->order == CAIRN_ORDER_BE32)
        return;
    if (count > (window->size - at) / A64_SIZE)
        count = (window->size - at) / A64_SIZE;
    if (bounds->to_end && count > (bounds->end - w->next) / A64_SIZE)
        count = (bounds->end - w->next) / A64_SIZE;
    if (count > (stretch + A64_SIZE - 1) / A64_SIZE)
        count = (stretch + A64_SIZE - 1) / A64_SIZE;
    count = w->undefined ? cairn_a64_unbranched_run(window->bytes + at, (size_t)count)
                         : cairn_a64_plain_run(window->bytes + at, (size_t)count);
    if (count == 0)
        return;
    w->count += (uint32_t)count;
    w->next += count * A64_SIZE;
    w->last = w->next - A64_SIZE;
}

/* The hop that a walk is on: from where it came into a stretch of code. */
struct hopping {
    bool begun;
    bool plain;     /* not in an IT block, as far as that is followed */
    bool undefined; /* an undefined instruction lies before `from` */
    uint64_t from;
    uint32_t count; /* of the walk at `from` */
};

static bool same_stretch(uint64_t a, uint64_t b)
{
    return a / CAIRN_HOP_BYTES == b / CAIRN_HOP_BYTES;
}

static struct cairn_hop *hop_at(struct cairn_flow *flow, uint64_t address)
{
    return &flow->hops[address / CAIRN_HOP_BYTES % CAIRN_HOPS];
}

/* The walk has come into another stretch: keeps how it went through the one before, and goes on by
 * the hops that are known. */
static void hop(struct cairn_flow *flow, const struct cairn_bounds *bounds, uint64_t limit,
                struct hopping *hopping, struct cairn_walk *w)
{
    const bool plain = flow->it == 0 && flow->it_doubt == 0;

    if (!flow->hops) /* few traces need them, and a follower is to be quickly made */
        flow->hops = calloc(CAIRN_HOPS, sizeof *flow->hops);
    if (!flow->hops) { /* nothing is remembered */
        hopping->from = w->next;
        return;
    }
    if (hopping->begun && hopping->plain && plain && w->next > hopping->from)
        *hop_at(flow, hopping->from) = (struct cairn_hop){
            .generation = flow->generation,
            .isa = w->isa,
            .count = w->count - hopping->count,
            .unknown = hopping->undefined,
            .undefined = w->undefined,
            .from = hopping->from,
            .to = w->next,
            .last = w->last,
            .undefined_at = w->undefined_at,
        };
    while (plain) {
        const struct cairn_hop *known = hop_at(flow, w->next);

        if (known->generation != flow->generation || known->from != w->next ||
            known->isa != w->isa || known->count > limit - w->count ||
            (known->unknown && !w->undefined) || (bounds->to_end && known->to > bounds->end))
            break;
        if (known->undefined && !w->undefined) {
            w->undefined = true;
            w->undefined_at = known->undefined_at;
        }
        w->count += known->count;
        w->next = known->to;
        w->last = known->last;
    }
    hopping->begun = true;
    hopping->plain = plain;
    hopping->undefined = w->undefined;
    hopping->from = w->next;
    hopping->count = w->count;
}

/* Whether the instruction at the end of the walk executes whatever the flags are, and ITSTATE
 * behind it. */
static void follow_it(struct cairn_flow *flow, struct cairn_walk *w)
{
    const struct cairn_insn *insn = &w->insn;
    const unsigned cond = flow->it ? cairn_it_condition(flow->it) : insn->cond;

    w->always =
        flow->it_doubt == 0 && cond == CAIRN_COND_AL && !(insn->flags & CAIRN_INSN_CONDITIONAL);
    flow->it = cairn_it_advance(flow->it);
    if (flow->it_doubt > 0)
        flow->it_doubt--;
    if (insn->flags & CAIRN_INSN_IT) {
        flow->it = insn->it;
        flow->it_doubt = 0; /* no IT block has one inside */
    }
}

/* Whether to ask about each instruction, those among them that do not bear on flow. */
static bool looks_at_each(const struct cairn_flow *flow, const struct cairn_bounds *bounds)
{
    const struct cairn_follow_rules *rules = &flow->config->rules;

    return rules->loads_are_p0 || rules->stores_are_p0 || rules->every_instruction ||
           rules->any_source || bounds->ends_at_wrap;
}

enum cairn_stop cairn_walk_image(struct cairn_flow *flow, const struct cairn_bounds *bounds,
                                 struct cairn_walk *w)
{
    const uint64_t left = flow->instructions_left;
    const uint64_t limit = bounds->limit < left ? bounds->limit : left;
    const struct cairn_follow_rules *rules = &flow->config->rules;
    const bool each = looks_at_each(flow, bounds);
    const bool passes = !each && bounds->bytes == 0;
    const bool hops = !rules->every_instruction && bounds->bytes == 0;
    struct hopping hopping = {.from = flow->address};

    w->isa = cairn_walk_isa(flow);
    w->start = flow->address;
    w->next = flow->address;
    w->last = flow->address;
    w->count = 0;
    w->undefined = false;
    w->undefined_at = 0;
    w->always = false;
    for (;;) {
        if (hops && !same_stretch(w->next, hopping.from))
            hop(flow, bounds, limit, &hopping, w);
        if (w->isa == CAIRN_ISA_A64 && passes && !(bounds->to_end && w->next >= bounds->end))
            pass_plain(flow, bounds, limit, w);
        if (bounds->to_end && w->next >= bounds->end)
            return CAIRN_STOP_END;
        if (w->count == limit)
            return limit == bounds->limit ? CAIRN_STOP_END : CAIRN_STOP_LIMIT;
        if (bounds->bytes && cairn_walk_wrap(flow, w->next - w->start) > bounds->bytes)
            return CAIRN_STOP_LIMIT;
        const unsigned size = cairn_fetch_insn(&flow->fetch, w->isa, w->next, &w->insn);

        if (size == 0)
            return CAIRN_STOP_MEMORY;
        w->last = w->next;
        w->next = cairn_walk_wrap(flow, w->next + size);
        w->count++;
        if (w->insn.kind == CAIRN_INSN_OTHER && !each)
            continue;
        if (rules->any_source)
            follow_it(flow, w);
        if (w->insn.kind == CAIRN_INSN_UNDEFINED && !w->undefined) {
            w->undefined = true;
            w->undefined_at = w->last;
        }
        if (cairn_is_p0(&flow->config->rules, &w->insn))
            return CAIRN_STOP_P0;
        if (w->next < w->last && bounds->to_end) /* wrapped: the end lies behind */
            return CAIRN_STOP_END;
    }
}

cairn_status cairn_follow_look(struct cairn_flow *flow, struct cairn_insn *insn,
                               enum cairn_isa *isa, bool *found)
{
    cairn_status status;

    *found = false;
    if (!flow->address_known || !flow->context_known || (flow->context.SF && flow->sub_isa))
        return CAIRN_OK;
    status = cairn_follow_select(flow);
    *isa = cairn_walk_isa(flow);
    if (status == CAIRN_OK)
        *found = cairn_fetch_insn(&flow->fetch, *isa, flow->address, insn) != 0;
    return status;
}

/* Blocks begin at aligned addresses more often than not: all bits take part. */
static unsigned walked_set(uint64_t address)
{
    return (unsigned)((address * CAIRN_GOLDEN) >> 32) % CAIRN_WALKED_SETS;
}

enum cairn_stop cairn_walk_to_p0(struct cairn_flow *flow, struct cairn_walk *w)
{
    const struct cairn_bounds bounds = {.limit = UINT64_MAX,
                                        .bytes = flow->config->rules.walk_bytes};
    struct cairn_walked *set = flow->walked[walked_set(flow->address)];
    enum cairn_stop stop;

    for (unsigned way = 0; way < CAIRN_WALKED_WAYS; way++) {
        if (set[way].generation == flow->generation && set[way].walk.start == flow->address &&
            set[way].walk.isa == cairn_walk_isa(flow)) {
            *w = set[way].walk;
            return set[way].stop;
        }
    }
    stop = cairn_walk_image(flow, &bounds, w);
    if (w->count >= CAIRN_WALKED_LONG)
        set[flow->walked_next++ % CAIRN_WALKED_WAYS] =
            (struct cairn_walked){.generation = flow->generation, .stop = stop, .walk = *w};
    return stop;
}
