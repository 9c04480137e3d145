/* SPDX-License-Identifier: BSD-2-Clause */
/* Walking the image for one element: DDI0608 D9.5.4 (Atom), D9.5.6 (Exception), D9.5.7 (Source
 * Address), D9.5.15 (Q). Every range ends at the first P0 instruction, so that each record carries
 * at most one outcome. */
#include "flow/follow.h"
#include "isa/plain.h"

#include <stdlib.h>

enum { A64_SIZE = 4 };

#define TOP_BYTE (UINT64_C(0xff) << 56)

static bool is_p0_insn(const struct cairn_flow *flow, const struct cairn_insn *insn)
{
    const struct cairn_follow_rules *rules = &flow->config->rules;

    switch (insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT:
    case CAIRN_INSN_BRANCH_INDIRECT:
    case CAIRN_INSN_ISB:
    case CAIRN_INSN_TSTART: return true;
    case CAIRN_INSN_WFX: return rules->wfx_is_p0;
    default:
        return (rules->loads_are_p0 && (insn->flags & CAIRN_INSN_LOAD)) ||
               (rules->stores_are_p0 && (insn->flags & CAIRN_INSN_STORE));
    }
}

static uint64_t wrapped(const struct cairn_flow *flow, uint64_t address)
{
    return flow->context.SF ? address : address & UINT32_MAX;
}

static enum cairn_isa current_isa(const struct cairn_flow *flow)
{
    if (flow->context.SF)
        return CAIRN_ISA_A64;
    return flow->sub_isa ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
}

/* From the current address up to a P0 instruction, but not past `limit` instructions nor, when
 * `to_end`, to or past the address `end`. */
struct bounds {
    bool to_end;
    uint64_t end;
    uint64_t limit;
};

/* Passes A64 instructions whose major opcode says that they are not P0 instructions, no further
 * than to the next stretch that has a hop of its own. */
static void pass_plain(const struct cairn_flow *flow, const struct bounds *bounds, uint64_t limit,
                       struct cairn_walk *w)
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
static void hop(struct cairn_flow *flow, const struct bounds *bounds, uint64_t limit,
                struct hopping *hopping, struct cairn_walk *w)
{
    if (!flow->hops) /* few traces need them, and a follower is to be quickly made */
        flow->hops = calloc(CAIRN_HOPS, sizeof *flow->hops);
    if (!flow->hops) { /* nothing is remembered */
        hopping->from = w->next;
        return;
    }
    if (hopping->begun && w->next > hopping->from)
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
    for (;;) {
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
    hopping->undefined = w->undefined;
    hopping->from = w->next;
    hopping->count = w->count;
}

static enum cairn_stop walk(struct cairn_flow *flow, const struct bounds *bounds,
                            struct cairn_walk *w)
{
    const uint64_t left = flow->instructions_left;
    const uint64_t limit = bounds->limit < left ? bounds->limit : left;
    const bool transfers = flow->config->rules.loads_are_p0 || flow->config->rules.stores_are_p0;
    struct hopping hopping = {.from = flow->address};

    w->isa = current_isa(flow);
    w->start = flow->address;
    w->next = flow->address;
    w->last = flow->address;
    w->count = 0;
    w->undefined = false;
    w->undefined_at = 0;
    for (;;) {
        if (!same_stretch(w->next, hopping.from))
            hop(flow, bounds, limit, &hopping, w);
        if (w->isa == CAIRN_ISA_A64 && !transfers && !(bounds->to_end && w->next >= bounds->end))
            pass_plain(flow, bounds, limit, w);
        if (bounds->to_end && w->next >= bounds->end)
            return CAIRN_STOP_END;
        if (w->count == limit)
            return limit == bounds->limit ? CAIRN_STOP_END : CAIRN_STOP_LIMIT;
        const unsigned size = cairn_fetch_insn(&flow->fetch, w->isa, w->next, &w->insn);

        if (size == 0)
            return CAIRN_STOP_MEMORY;
        w->last = w->next;
        w->next = wrapped(flow, w->next + size);
        w->count++;
        if (w->insn.kind == CAIRN_INSN_OTHER && !transfers)
            continue;
        if (w->insn.kind == CAIRN_INSN_UNDEFINED && !w->undefined) {
            w->undefined = true;
            w->undefined_at = w->last;
        }
        if (is_p0_insn(flow, &w->insn))
            return CAIRN_STOP_P0;
        if (w->next < w->last && bounds->to_end) /* wrapped: the end lies behind */
            return CAIRN_STOP_END;
    }
}

static struct cairn_record *give_range(struct cairn_flow *flow, const struct cairn_walk *w)
{
    struct cairn_record *record;

    flow->instructions_left -= w->count;
    if (w->count == 0)
        return NULL;
    record = cairn_follow_record(flow, CAIRN_FLOW_RANGE);
    record->isa = (uint8_t)w->isa;
    record->address = w->start;
    record->value = w->next;
    record->instructions = w->count;
    if (flow->from == CAIRN_FROM_STACK)
        record->flags |= CAIRN_FLOW_INFERRED;
    if (flow->discontinuity)
        record->flags |= CAIRN_FLOW_DISCONTINUITY;
    if (flow->element_flags & CAIRN_ELEMENT_TRANSACTIONAL)
        record->flags |= CAIRN_FLOW_TRANSACTION;
    if (flow->element_flags & CAIRN_ELEMENT_APPROXIMATE)
        record->flags |= CAIRN_FLOW_IMPRECISE;
    flow->discontinuity = false;
    if (w->undefined && flow->undefined_at != w->undefined_at) {
        flow->undefined_at = w->undefined_at;
        cairn_follow_warn(flow, CAIRN_WARNING_UNDEFINED, w->undefined_at);
    }
    return record;
}

/* A walk that could not go on: the instructions so far were executed, the rest is a gap. */
static void give_up(struct cairn_flow *flow, enum cairn_stop stop, const struct cairn_walk *w)
{
    cairn_follow_lose_for(flow, stop == CAIRN_STOP_MEMORY ? CAIRN_GAP_NO_IMAGE : CAIRN_GAP_LIMIT,
                          w->next);
    flow->task = CAIRN_TASK_NONE;
}

static void go_on_at(struct cairn_flow *flow, uint64_t address)
{
    flow->address = address;
    flow->from = CAIRN_FROM_OPCODE;
}

static uint8_t sub_isa_of(enum cairn_isa isa)
{
    return isa == CAIRN_ISA_T32 ? 1 : 0;
}

/* What executing the P0 instruction at the end of the walk does (D9.5.18.3). `initial` is the
 * status that a Branch with Link is pushed for, before any Mispredict (D9.5.3). */
static void execute(struct cairn_flow *flow, const struct cairn_walk *w,
                    struct cairn_record *record, bool taken, bool initial)
{
    const struct cairn_insn *insn = &w->insn;
    const bool branch =
        insn->kind == CAIRN_INSN_BRANCH_DIRECT || insn->kind == CAIRN_INSN_BRANCH_INDIRECT;

    record->flags |= CAIRN_FLOW_P0;
    if (initial && (insn->flags & CAIRN_INSN_LINK))
        cairn_return_stack_push(&flow->stack, w->next, sub_isa_of(w->isa));
    go_on_at(flow, w->next);
    if (!taken) {
        if (insn->flags & CAIRN_INSN_NEVER_N)
            cairn_follow_warn(flow, CAIRN_WARNING_RESERVED_N, w->last);
        return;
    }
    record->flags |= CAIRN_FLOW_TAKEN;
    if (!branch)
        return;
    if (insn->flags & CAIRN_INSN_LINK)
        record->flags |= CAIRN_FLOW_LINK;
    if (insn->flags & CAIRN_INSN_RETURN)
        record->flags |= CAIRN_FLOW_RETURN;
    if (insn->kind == CAIRN_INSN_BRANCH_DIRECT) {
        go_on_at(flow, wrapped(flow, insn->target));
        flow->sub_isa = sub_isa_of((enum cairn_isa)insn->target_isa);
        return;
    }
    flow->address_known = false;
    flow->awaiting_target = true;
    if ((insn->flags & CAIRN_INSN_ERET) && !flow->config->rules.return_packets)
        cairn_follow_record(flow, CAIRN_FLOW_EXCEPTION_RETURN)->address = w->last;
}

/* Blocks begin at aligned addresses more often than not: all bits take part. */
static unsigned walked_set(uint64_t address)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / the golden ratio */

    return (unsigned)((address * golden) >> 32) % CAIRN_WALKED_SETS;
}

/* A walk to the next P0 instruction. Long ones are remembered, however they end. */
static enum cairn_stop walk_to_p0(struct cairn_flow *flow, struct cairn_walk *w)
{
    const struct bounds bounds = {.limit = UINT64_MAX};
    struct cairn_walked *set = flow->walked[walked_set(flow->address)];
    enum cairn_stop stop;

    for (unsigned way = 0; way < CAIRN_WALKED_WAYS; way++) {
        if (set[way].generation == flow->generation && set[way].walk.start == flow->address &&
            set[way].walk.isa == current_isa(flow)) {
            *w = set[way].walk;
            return set[way].stop;
        }
    }
    stop = walk(flow, &bounds, w);
    if (w->count >= CAIRN_WALKED_LONG)
        set[flow->walked_next++ % CAIRN_WALKED_WAYS] =
            (struct cairn_walked){.generation = flow->generation, .stop = stop, .walk = *w};
    return stop;
}

static void walk_atom(struct cairn_flow *flow)
{
    const bool taken = (flow->element_flags & CAIRN_ELEMENT_E) != 0;
    const bool initial = (flow->element_flags & CAIRN_ELEMENT_INITIAL_E) != 0;
    struct cairn_walk w;
    const enum cairn_stop stop = walk_to_p0(flow, &w);
    struct cairn_record *record = give_range(flow, &w);

    if (stop != CAIRN_STOP_P0) {
        give_up(flow, stop, &w);
        return;
    }
    execute(flow, &w, record, taken, initial);
    if ((flow->element_flags & CAIRN_ELEMENT_UNCERTAIN) &&
        (w.insn.kind == CAIRN_INSN_BRANCH_INDIRECT || (w.insn.flags & CAIRN_INSN_CONDITIONAL)))
        cairn_follow_warn(flow, CAIRN_WARNING_UNCERTAIN, w.last);
    flow->task = CAIRN_TASK_NONE;
}

/* The return address, with the top byte of where execution is: a branch target may have been masked
 * there while the return address is not (D6.9.13). */
static uint64_t end_of_exception(const struct cairn_flow *flow)
{
    if (!flow->context.SF)
        return wrapped(flow, flow->element.address);
    return (flow->element.address & ~TOP_BYTE) | (flow->address & TOP_BYTE);
}

/* True when the element in hand may give one more range. If not, the rest is a gap. */
static bool may_go_on(struct cairn_flow *flow)
{
    if (flow->ranges_left > 0) {
        flow->ranges_left--;
        return true;
    }
    cairn_follow_lose_for(flow, CAIRN_GAP_LIMIT, flow->address);
    return false;
}

/* Up to the return address, not including it. One branch a step. */
static void walk_exception(struct cairn_flow *flow)
{
    const uint64_t end = end_of_exception(flow);
    const struct bounds bounds = {.to_end = true, .end = end, .limit = UINT64_MAX};
    struct cairn_walk w;
    enum cairn_stop stop = CAIRN_STOP_END;

    if (flow->address < end && may_go_on(flow)) {
        stop = walk(flow, &bounds, &w);
        struct cairn_record *record = give_range(flow, &w);

        if (stop == CAIRN_STOP_P0) {
            execute(flow, &w, record, false, false);
            if (flow->address > w.last && flow->address < end)
                return;
        } else if (stop != CAIRN_STOP_END) {
            give_up(flow, stop, &w);
        }
    }
    cairn_follow_exception_record(flow);
    flow->task = CAIRN_TASK_NONE;
}

/* Up to the addressed instruction, and including it: that one is taken. One branch a step. */
static void walk_source(struct cairn_flow *flow)
{
    const uint64_t target = wrapped(flow, flow->element.address);
    const struct bounds bounds = {.to_end = true, .end = target, .limit = UINT64_MAX};
    struct cairn_walk w;
    enum cairn_stop stop;
    struct cairn_record *record;

    if (flow->address <= target && !may_go_on(flow)) {
        flow->task = CAIRN_TASK_NONE;
        return;
    }
    if (flow->address < target) {
        stop = walk(flow, &bounds, &w);
        if (stop == CAIRN_STOP_P0) {
            record = give_range(flow, &w);
            execute(flow, &w, record, false, false);
            return;
        }
        if (stop != CAIRN_STOP_END) {
            give_range(flow, &w);
            give_up(flow, stop, &w);
            return;
        }
        if (w.next != target) { /* the address lies inside an instruction */
            give_range(flow, &w);
            cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, target);
            flow->task = CAIRN_TASK_NONE;
            return;
        }
        /* The last instruction goes into the same range. */
        const uint64_t start = w.start;
        const uint32_t before = w.count;

        flow->address = target;
        flow->instructions_left -= before;
        stop = walk(flow, &(struct bounds){.limit = 1}, &w);
        flow->instructions_left += before;
        w.start = start;
        w.count += before;
    } else if (flow->address == target) {
        stop = walk(flow, &(struct bounds){.limit = 1}, &w);
    } else {
        cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, target);
        flow->task = CAIRN_TASK_NONE;
        return;
    }
    record = give_range(flow, &w);
    flow->task = CAIRN_TASK_NONE;
    if (stop == CAIRN_STOP_P0) {
        execute(flow, &w, record, true, true);
    } else if (stop ==
               CAIRN_STOP_END) { /* not a P0 instruction: trace and image contradict each other */
        cairn_follow_lose_for(flow, CAIRN_GAP_INCONSISTENT, target);
    } else {
        give_up(flow, stop, &w);
    }
}

static bool is_branch(const struct cairn_insn *insn)
{
    return insn->kind == CAIRN_INSN_BRANCH_DIRECT || insn->kind == CAIRN_INSN_BRANCH_INDIRECT;
}

/* In T32 an IT block may make any branch conditional. */
static bool is_always(const struct cairn_walk *w)
{
    return w->isa != CAIRN_ISA_T32 && !(w->insn.flags & CAIRN_INSN_CONDITIONAL) &&
           w->insn.cond == CAIRN_COND_AL;
}

/* A Q element's branches were not traced (D9.5.15). Its path is known if the only branch whose
 * outcome is open is the last instruction: the Target Address behind the Q settles that one. */
bool cairn_follow_plan_q(struct cairn_flow *flow, uint64_t count)
{
    struct cairn_q *q = &flow->q;
    const uint64_t address = flow->address;
    const uint8_t sub_isa = flow->sub_isa;
    uint64_t left = count;
    bool found = true;

    *q = (struct cairn_q){.pending = true,
                          .offset = flow->offset,
                          .length = flow->length,
                          .start = address,
                          .count = count,
                          .sub_isa = sub_isa};
    while (left > 0) {
        const struct bounds bounds = {.limit = left};
        struct cairn_walk w;
        enum cairn_stop stop;

        if (flow->ranges_left == 0) {
            cairn_follow_gap(flow, CAIRN_GAP_LIMIT, flow->address);
            found = false;
            break;
        }
        stop = walk(flow, &bounds, &w);
        flow->ranges_left--;
        flow->instructions_left -= w.count;
        left -= w.count;
        q->next = w.next;
        q->last_branch = stop == CAIRN_STOP_P0 && is_branch(&w.insn);
        q->last_always = q->last_branch && is_always(&w);
        if (stop == CAIRN_STOP_MEMORY || stop == CAIRN_STOP_LIMIT) {
            cairn_follow_gap(flow, stop == CAIRN_STOP_MEMORY ? CAIRN_GAP_NO_IMAGE : CAIRN_GAP_LIMIT,
                             w.next);
            found = false;
            break;
        }
        q->complete = left == 0;
        flow->address = w.next;
        if (!q->last_branch || left == 0)
            continue;
        if (!q->last_always || w.insn.kind != CAIRN_INSN_BRANCH_DIRECT)
            break;
        flow->address = wrapped(flow, w.insn.target);
        flow->sub_isa = sub_isa_of((enum cairn_isa)w.insn.target_isa);
    }
    flow->address = address;
    flow->sub_isa = sub_isa;
    return found;
}

/* Lists a planned Q, one range a step. It never touches the return stack (D9.5.15). */
static void walk_q(struct cairn_flow *flow)
{
    const struct bounds bounds = {.limit = flow->q_left};
    struct cairn_walk w;
    const enum cairn_stop stop = walk(flow, &bounds, &w);
    struct cairn_record *record = give_range(flow, &w);

    if (stop == CAIRN_STOP_MEMORY || stop == CAIRN_STOP_LIMIT) {
        give_up(flow, stop, &w);
        cairn_follow_take_target(flow);
        return;
    }
    flow->q_left -= w.count;
    go_on_at(flow, w.next);
    if (stop == CAIRN_STOP_P0) {
        const bool last = flow->q_left == 0;
        const bool taken =
            !is_branch(&w.insn) || !last || flow->q.last_always || flow->element.address != w.next;

        record->flags |= CAIRN_FLOW_P0 | (taken ? CAIRN_FLOW_TAKEN : 0);
        if (is_branch(&w.insn) && !last) {
            go_on_at(flow, wrapped(flow, w.insn.target));
            flow->sub_isa = sub_isa_of((enum cairn_isa)w.insn.target_isa);
        }
    }
    if (flow->q_left > 0)
        return;
    flow->task = CAIRN_TASK_NONE;
    cairn_follow_take_target(flow);
}

void cairn_follow_walk(struct cairn_flow *flow)
{
    switch (flow->task) {
    case CAIRN_TASK_NONE: break;
    case CAIRN_TASK_ATOM: walk_atom(flow); break;
    case CAIRN_TASK_EXCEPTION: walk_exception(flow); break;
    case CAIRN_TASK_SOURCE: walk_source(flow); break;
    case CAIRN_TASK_Q: walk_q(flow); break;
    }
}
