/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks through the image, for the elements that they are made for. */
#ifndef CAIRN_FLOW_WALK_H
#define CAIRN_FLOW_WALK_H

#include "flow/follow.h"

/* From the current address up to a P0 instruction, but not past `limit` instructions nor, when
 * `to_end`, to or past the address `end`; with `ends_at_wrap` not past the last address either, at
 * whatever instruction that is. With `bytes` no instruction is further from the start than that. */
struct cairn_bounds {
    bool to_end;
    bool ends_at_wrap;
    uint64_t end;
    uint64_t limit;
    uint64_t bytes; /* 0: no bound */
};

/* walk.c */
enum cairn_stop cairn_walk_image(struct cairn_flow *flow, const struct cairn_bounds *bounds,
                                 struct cairn_walk *w);

/* A walk to the next P0 instruction. Long ones are remembered, however they end. */
enum cairn_stop cairn_walk_to_p0(struct cairn_flow *flow, struct cairn_walk *w);

/* tasks.c */
/* What was walked, as a record; NULL: nothing was. */
struct cairn_record *cairn_walk_give_range(struct cairn_flow *flow, const struct cairn_walk *w);

/* A walk that could not go on: the instructions so far were executed, the rest is a gap. */
void cairn_walk_give_up(struct cairn_flow *flow, enum cairn_stop stop, const struct cairn_walk *w);

/* Execution goes on at `address`, as flow itself tells. */
void cairn_walk_go_on_at(struct cairn_flow *flow, uint64_t address);

static inline uint64_t cairn_walk_wrap(const struct cairn_flow *flow, uint64_t address)
{
    return flow->context.SF ? address : address & UINT32_MAX;
}

/* That at the current address. */
static inline enum cairn_isa cairn_walk_isa(const struct cairn_flow *flow)
{
    if (flow->context.SF)
        return CAIRN_ISA_A64;
    return flow->sub_isa ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
}

static inline uint8_t cairn_walk_sub_isa(enum cairn_isa isa)
{
    return isa == CAIRN_ISA_T32 ? 1 : 0;
}

/* ENTERX: what it leads to is not followed (docs/legacy.md). */
static inline bool cairn_walk_leaves(const struct cairn_insn *insn)
{
    return insn->kind == CAIRN_INSN_BRANCH_DIRECT && insn->target_isa == CAIRN_ISA_UNKNOWN;
}

/* Whether a source has an atom for the instruction. One rule for the reference and for the engine's
 * blocks: what is wrong in it shows beside other decoders, not beside one another. */
static inline bool cairn_is_p0(const struct cairn_follow_rules *rules,
                               const struct cairn_insn *insn)
{
    if (rules->every_instruction)
        return true;
    switch (insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT:
    case CAIRN_INSN_BRANCH_INDIRECT:
    case CAIRN_INSN_TSTART: return true;
    case CAIRN_INSN_ISB: return !rules->any_source; /* nothing is told of it */
    case CAIRN_INSN_WFX: return rules->wfx_is_p0;
    case CAIRN_INSN_BARRIER: return rules->barriers_are_p0;
    default:
        return (rules->loads_are_p0 && (insn->flags & CAIRN_INSN_LOAD)) ||
               (rules->stores_are_p0 && (insn->flags & CAIRN_INSN_STORE));
    }
}

static inline bool cairn_walk_is_branch(const struct cairn_insn *insn)
{
    return insn->kind == CAIRN_INSN_BRANCH_DIRECT || insn->kind == CAIRN_INSN_BRANCH_INDIRECT;
}

#endif
