/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks: what of them is traced (DDI0608 D6.6.4, D6.8), and the elements of their P0 instructions
 * (D6.9.2, D6.9.4). */
#include "unit/etmv4/core.h"

static void put_atom(struct cairn_etmv4_unit *unit, bool taken)
{
    cairn_unit_generate(unit, CAIRN_ELEMENT_ATOM,
                        taken ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0,
                        &(struct cairn_element_data){0});
}

static void trace_p0(struct cairn_etmv4_unit *unit, const struct cairn_block *block, bool taken)
{
    struct cairn_unit_path *path = &unit->path;

    if (cairn_unit_broadcasts(unit, block))
        cairn_unit_returns_clear(&path->returns);
    if (!taken && cairn_unit_omit(unit))
        return;
    if (taken && path->omitted > 0) {
        cairn_unit_put_place(unit, CAIRN_ELEMENT_SOURCE_ADDRESS, cairn_unit_last_instruction(block),
                             0);
        path->last_trace = CAIRN_TRACE_SOURCE;
    } else {
        put_atom(unit, taken);
        path->last_trace = CAIRN_TRACE_ATOM;
    }
    path->blocks = 0;
    path->omitted = 0;
    if (!taken)
        return;
    cairn_unit_push_return(unit, block);
    cairn_unit_go(unit, block);
}

/* Why it is not, if anybody asks. */
static bool is_viewed(struct cairn_etmv4_unit *unit, const struct cairn_block *block, uint32_t *why)
{
    struct cairn_unit_path *path = &unit->path;

    if (unit->program.views_all)
        return true;

    const struct cairn_filter_input input = cairn_unit_filter_input(unit, block);

    if (unit->base.sight.observe)
        *why |= cairn_filter_terms(&unit->program, &input, path->start_stop);
    return cairn_filter_view(&unit->program, &input, &path->start_stop);
}

/* Blocks behind the last P0 element need another one, whatever ViewInst says (R_KHDNX). */
static bool has_to_be_traced(struct cairn_etmv4_unit *unit, struct cairn_unit_place place)
{
    cairn_unit_give_omitted(unit);
    if (!unit->path.q_tail)
        cairn_unit_end_q(unit, place);
    return unit->path.blocks > 0;
}

static void trace_block(struct cairn_etmv4_unit *unit, const struct cairn_block *block, bool taken)
{
    struct cairn_unit_path *path = &unit->path;
    const struct cairn_unit_place place = {.address = block->address, .isa = block->isa};

    path->traced = true;
    unit->counters.traced += block->count;
    if (path->q > 0 && !cairn_unit_continues_q(unit, block))
        cairn_unit_end_q(unit, place);
    if (path->owed &
        CAIRN_OWED_CHANGE) /* no Q element has instructions of two contexts (I_BTNZC) */
        path->instructions = UINT32_MAX;
    cairn_unit_introduce_block(unit, place);
    if (path->blocks == 0)
        path->instructions = 0;
    path->last_omitted = path->omitted;
    path->last_omitted_first = path->omitted_first;
    path->last_blocks = path->blocks;
    if (unit->has_q && cairn_unit_join_q(unit, block, taken))
        return;
    if (cairn_unit_is_p0(unit, block)) {
        trace_p0(unit, block, taken);
        return;
    }
    path->blocks++;
    path->instructions = cairn_unit_add(path->instructions, cairn_unit_count(block));
}

/* For whoever asks: what is observed is, at most, for these reasons. */
static void see_unseen(struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    const uint32_t owed = unit->path.owed;
    uint32_t why = unit->mode & CAIRN_MODE_DISABLED ? CAIRN_UNIT_WHY_DISABLED : 0;

    why |= owed & CAIRN_PATH_PROHIBITED ? CAIRN_UNIT_WHY_PROHIBITED : 0;
    why |= owed & CAIRN_PATH_DEBUG ? CAIRN_UNIT_WHY_DEBUG : 0;
    if (unit->base.sight.observe)
        cairn_unit_see(&unit->base.sight, cairn_unit_seen_block(block, &unit->path.context), false,
                       why);
}

/* Blocks that no P0 instruction ends wait for one. */
static void see(struct cairn_etmv4_unit *unit, const struct cairn_block *block, bool traced,
                uint32_t why)
{
    struct cairn_unit_sight *sight = &unit->base.sight;
    const struct cairn_unit_seen seen = cairn_unit_seen_block(block, &unit->path.context);

    if (traced && !cairn_unit_is_p0(unit, block) && unit->path.q == 0)
        cairn_unit_see_open(sight, seen, why);
    else
        cairn_unit_see(sight, seen, traced, why);
}

static void observe(struct cairn_etmv4_unit *unit, const struct cairn_block *block, bool taken)
{
    struct cairn_unit_path *path = &unit->path;

    if ((unit->mode & CAIRN_MODE_LOW) && !(unit->mode & CAIRN_MODE_DISABLED)) /* the PE is awake */
        cairn_etmv4_unit_low_power(&unit->base, false);
    if (unit->mode & CAIRN_MODE_CLOCK)
        cairn_unit_clock_block(unit);
    cairn_unit_begin(unit);
    if (unit->mode & CAIRN_MODE_DISABLED) {
        see_unseen(unit, block);
        return;
    }
    unit->counters.blocks++;
    unit->counters.instructions += block->count;
    if (path->owed & (CAIRN_PATH_PROHIBITED | CAIRN_PATH_DEBUG)) {
        see_unseen(unit, block);
        return;
    }
    cairn_unit_get_ready(unit);
    if (path->next.isa != CAIRN_ISA_UNKNOWN &&
        (path->next.address != block->address || path->next.isa != block->isa)) {
        unit->counters.discontinuities++;
        cairn_unit_lose_path(unit);
    }
    if (unit->mode & CAIRN_MODE_CLOCK)
        cairn_unit_clock_match(unit, block);

    uint32_t why = 0;
    const bool viewed = is_viewed(unit, block, &why);
    bool traced = false;

    if (cairn_unit_is_p0(unit, block)) {
        path->last = *block;
        path->last_taken = taken;
        path->last_barrier = path->barrier;
        path->last_trace = CAIRN_TRACE_NOTHING;
        path->last_pushed = false;
        path->can_mispredict = true;
    }
    if (unit->mode & CAIRN_MODE_INOPERATIVE) {
        path->owed |= CAIRN_OWED_TRACE_ON;
        path->traced &= viewed;
        why |= CAIRN_UNIT_WHY_OVERFLOW;
    } else if (viewed || has_to_be_traced(unit, (struct cairn_unit_place){.address = block->address,
                                                                          .isa = block->isa})) {
        trace_block(unit, block, taken);
        traced = true;
    } else {
        path->traced = false;
        path->owed |= CAIRN_OWED_TRACE_ON;
        path->blocks = 0;
    }
    if (unit->base.sight.observe)
        see(unit, block, traced, why);
    if (cairn_unit_is_p0(unit, block))
        cairn_unit_note_synchronization(unit, block, taken);
    path->next = cairn_unit_follows(block, taken);
    cairn_unit_end(unit);
}

/* The whole way of a block. */
static __attribute__((noinline)) void observe_block(struct cairn_etmv4_unit *unit,
                                                    const struct cairn_block *block, bool taken)
{
    observe(unit, block, taken);
    if (taken && (block->kind == CAIRN_INSN_ISB || (block->flags & CAIRN_INSN_ERET)))
        cairn_unit_synchronized(unit);
}

/* The short way has filled the buffer, or a synchronisation is due. */
static __attribute__((noinline)) void reach_limit(struct cairn_etmv4_unit *unit)
{
    if (cairn_unit_generated(unit) >= unit->sync_at)
        unit->mode |= CAIRN_MODE_SYNC;
    if (unit->out.capacity - unit->out.size < 2 * CAIRN_ENCODER_ROOM)
        cairn_unit_drain(unit);
}

/* The short way behind a taken indirect branch, of which nothing is owed but the target. */
static void reach_target(struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    struct cairn_unit_path *path = &unit->path;
    const uint8_t sub_isa = cairn_unit_sub_isa(block->isa);

    path->owed = 0;
    path->target = (struct cairn_unit_place){.address = block->address, .isa = block->isa};
    if (unit->return_limit == 0 ||
        !cairn_unit_returns_match(&path->returns, block->address, sub_isa))
        cairn_unit_put_place(unit, CAIRN_ELEMENT_TARGET_ADDRESS, path->target, 0);
}

/* Whether the short way is open: nothing is owed, nothing is to be looked at, and the block is
 * where the one before leads. */
static inline bool goes_short_way(struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    const struct cairn_unit_path *path = &unit->path;

    if (unit->mode != 0 || !((unit->fast_kinds >> (block->kind & 31u)) & 1u) ||
        (block->flags & unit->slow_flags))
        return false;
    if (path->owed == CAIRN_OWED_TARGET && path->next.isa == CAIRN_ISA_UNKNOWN &&
        path->blocks == 0) {
        reach_target(unit, block);
        return true;
    }
    return path->owed == 0 && block->address == path->next.address && block->isa == path->next.isa;
}

void cairn_etmv4_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;

    if (!goes_short_way(unit, block)) {
        observe_block(unit, block, taken);
        return;
    }
    unit->told++;
    unit->counters.blocks++;
    unit->counters.instructions += block->count;
    unit->counters.traced += block->count;
    path->can_mispredict = false;
    path->traced = true;
    if (!cairn_unit_is_p0(unit, block)) {
        if (path->blocks++ == 0)
            path->target = (struct cairn_unit_place){.address = block->address, .isa = block->isa};
        path->next = cairn_unit_follows(block, false);
        if (unit->out.size >= unit->limit)
            reach_limit(unit);
        return;
    }
    unit->put_atom(unit->encoder, taken, &unit->out);
    unit->atoms++;
    unit->stamp.valid = true;
    unit->stamp.time = unit->time;
    unit->stamp.clock = unit->clock;
    path->blocks = 0;
    if (taken && (block->flags & CAIRN_INSN_LINK))
        cairn_unit_returns_push(&path->returns, unit->return_limit,
                                cairn_unit_wrap(block->isa, block->address + block->size),
                                cairn_unit_sub_isa(block->isa));
    if (taken && block->kind == CAIRN_INSN_BRANCH_INDIRECT)
        path->owed |= CAIRN_OWED_TARGET;
    path->next = cairn_unit_follows(block, taken);
    if (unit->program.cycle_counting)
        cairn_unit_count_cycles(unit);
    if (unit->out.size >= unit->limit)
        reach_limit(unit);
}
