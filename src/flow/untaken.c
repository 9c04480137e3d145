/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk on which nothing is taken, up to a Source Address or an exception's return address
 * (DDI0608 D2.2.2, D2.2.3), looked over before any of it is told. One damaged bit in such an address
 * leads through code that was never executed, and what gives it away may come late: an instruction
 * that cannot be N, one that is undefined, an address inside of an instruction. */
#include "flow/walk.h"

enum {
    HALFWORD = 2,
    IT_REACH = 14, /* bytes from a T32 branch back to its IT: three instructions may lie between */
};

/* True when the branch may stand in an IT block, whose condition is then its own. Where the
 * instructions before it begin is not known: anything that looks like an IT counts. */
static bool may_have_it(struct cairn_flow *flow, uint64_t branch)
{
    struct cairn_insn insn;

    for (uint64_t back = HALFWORD; back <= IT_REACH; back += HALFWORD)
        if (cairn_fetch_insn(&flow->fetch, CAIRN_ISA_T32, cairn_walk_wrap(flow, branch - back),
                             &insn) == 0 ||
            (insn.flags & CAIRN_INSN_IT))
            return true;
    return false;
}

/* Whether the P0 instruction at the end of the walk cannot have been N. */
static bool is_never_n(struct cairn_flow *flow, const struct cairn_walk *w)
{
    const struct cairn_insn *insn = &w->insn;

    if (insn->flags & CAIRN_INSN_NEVER_N)
        return true;
    return cairn_walk_is_branch(insn) && !(insn->flags & CAIRN_INSN_CONDITIONAL) &&
           insn->cond == CAIRN_COND_AL && (w->isa != CAIRN_ISA_T32 || !may_have_it(flow, w->last));
}

enum plan {
    PLAN_FITS,
    PLAN_CONTRADICTED,
    PLAN_TOO_LONG,
};

/* From the current address up to `end`; `*at` is then the place that decided. Missing memory fits:
 * what comes before it was executed. `*open`: the instruction at `end` goes into the same range. */
static enum plan look_over(struct cairn_flow *flow, uint64_t end, uint64_t *at, bool *open)
{
    const struct cairn_bounds bounds = {.to_end = true, .end = end, .limit = UINT64_MAX};
    struct cairn_walk w;
    bool first = true;

    while (flow->address < end) {
        *at = flow->address;
        if (flow->ranges_left == 0)
            return PLAN_TOO_LONG;
        flow->ranges_left--;
        const enum cairn_stop stop = cairn_walk_image(flow, &bounds, &w);

        if (first) {
            flow->first = w;
            flow->first_stop = stop;
            first = false;
        }
        flow->instructions_left -= w.count;
        *at = w.undefined ? w.undefined_at : w.last;
        if (w.undefined || (stop == CAIRN_STOP_P0 && is_never_n(flow, &w)))
            return PLAN_CONTRADICTED;
        *at = w.next;
        if (stop == CAIRN_STOP_LIMIT)
            return PLAN_TOO_LONG;
        if (stop == CAIRN_STOP_MEMORY)
            return PLAN_FITS;
        *open = stop == CAIRN_STOP_END;
        if (w.next < w.last)
            break; /* wrapped */
        flow->address = w.next;
    }
    *at = end;
    return flow->address == end ? PLAN_FITS : PLAN_CONTRADICTED;
}

/* The instruction at a Source Address was taken: it has to be one that decides the path. */
static enum plan look_at_source(struct cairn_flow *flow, bool open)
{
    const struct cairn_bounds bounds = {.limit = 1};
    struct cairn_walk w;

    if (flow->ranges_left == 0 && !open)
        return PLAN_TOO_LONG;
    switch (cairn_walk_image(flow, &bounds, &w)) {
    case CAIRN_STOP_P0:
    case CAIRN_STOP_MEMORY: return PLAN_FITS;
    case CAIRN_STOP_LIMIT: return PLAN_TOO_LONG;
    case CAIRN_STOP_END: break;
    }
    return PLAN_CONTRADICTED;
}

static struct cairn_walked *straight_at(struct cairn_flow *flow, uint64_t address, uint64_t end)
{
    return &flow->straight[(address / HALFWORD ^ end / HALFWORD << 3) % CAIRN_STRAIGHTS];
}

/* A walk to an exception's return address that went by before, and straight there. */
static bool knows_straight(struct cairn_flow *flow, uint64_t end)
{
    const struct cairn_walked *known = straight_at(flow, flow->address, end);

    if (known->generation != flow->generation || known->walk.start != flow->address ||
        known->walk.next != end || known->walk.isa != cairn_walk_isa(flow))
        return false;
    flow->first = known->walk;
    flow->first_stop = known->stop;
    flow->first_kept = true;
    return true;
}

/* The plan in hand fits, and its first range is known: if it leads all the way, it is remembered. */
static void keep_straight(struct cairn_flow *flow, uint64_t end)
{
    if (flow->first_stop == CAIRN_STOP_END && flow->first.next == end)
        *straight_at(flow, flow->address, end) = (struct cairn_walked){
            .generation = flow->generation, .stop = flow->first_stop, .walk = flow->first};
}

bool cairn_follow_plan_walk(struct cairn_flow *flow, uint64_t end, bool source)
{
    const uint64_t address = flow->address;
    const uint32_t instructions = flow->instructions_left;
    const uint32_t ranges = flow->ranges_left;
    uint64_t at = end;
    bool open = false;
    const bool far = address < end; /* there is a range before it */
    enum plan plan;

    if (!source && knows_straight(flow, end))
        return true;
    plan = look_over(flow, end, &at, &open);

    if (plan == PLAN_FITS && source && at == end)
        plan = look_at_source(flow, open);
    flow->address = address;
    flow->instructions_left = instructions;
    flow->ranges_left = ranges;
    flow->first_kept = plan == PLAN_FITS && far;
    if (flow->first_kept && !source)
        keep_straight(flow, end);
    if (plan == PLAN_FITS)
        return true;
    cairn_follow_lose_for(flow, plan == PLAN_TOO_LONG ? CAIRN_GAP_LIMIT : CAIRN_GAP_INCONSISTENT,
                          at);
    return false;
}
