/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks and exceptions: what of them is traced (DDI0608 D6.6, D6.8), and their P0 elements (D6.9.2 to
 * D6.9.4). */
#include "unit/core.h"

void cairn_unit_begin(struct cairn_unit *unit)
{
    if (unit->speculative)
        cairn_unit_save(unit);
    unit->told++;
    unit->path.can_mispredict = false;
}

void cairn_unit_end(struct cairn_unit *unit)
{
    if (unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))
        return;
    cairn_unit_commit_due(unit);
    if (unit->mode & CAIRN_MODE_REQUEST)
        cairn_unit_give_timestamp(unit);
    if (cairn_unit_generated(unit) >= unit->sync_at)
        unit->mode |= CAIRN_MODE_SYNC;
}

struct cairn_unit_place cairn_unit_follows(const struct cairn_block *block, bool taken)
{
    struct cairn_unit_place place = {
        .address = cairn_unit_wrap(block->isa, block->address + block->size),
        .isa = block->isa,
    };

    if (taken && block->kind == CAIRN_INSN_BRANCH_INDIRECT) {
        place.isa = CAIRN_ISA_UNKNOWN;
    } else if (taken && block->kind == CAIRN_INSN_BRANCH_DIRECT) {
        place.address = block->target;
        if (block->target_isa != CAIRN_ISA_UNKNOWN)
            place.isa = block->target_isa;
    }
    return place;
}

struct cairn_unit_place cairn_unit_last_instruction(const struct cairn_block *block)
{
    return (struct cairn_unit_place){
        .address = cairn_unit_wrap(block->isa, block->address + block->size - block->last_size),
        .isa = block->isa,
    };
}

static struct cairn_filter_input filter_input(const struct cairn_unit *unit,
                                              const struct cairn_block *block)
{
    return (struct cairn_filter_input){
        .block = block, .context = &unit->path.context, .inputs = unit->inputs};
}

bool cairn_unit_broadcasts(const struct cairn_unit *unit, const struct cairn_block *block)
{
    const struct cairn_filter_input input = filter_input(unit, block);

    return unit->program.branch_broadcast && cairn_filter_broadcasts(&unit->program, &input);
}

static void put_atom(struct cairn_unit *unit, bool taken)
{
    cairn_unit_generate(unit, CAIRN_ELEMENT_ATOM,
                        taken ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0,
                        &(struct cairn_element_data){0});
}

void cairn_unit_settle_path(struct cairn_unit *unit)
{
    if (unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))
        return;
    cairn_unit_give_omitted(unit);
    cairn_unit_settle_q(unit);
}

void cairn_unit_lose_path(struct cairn_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_settle_path(unit);
    if (!(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE)))
        cairn_unit_land(unit);
    path->q = 0;
    path->owed |= CAIRN_OWED_TRACE_ON;
    path->owed &= ~(uint32_t)CAIRN_OWED_LANDING;
    path->blocks = 0;
    path->omitted = 0;
    path->next.isa = CAIRN_ISA_UNKNOWN;
}

/* A Context synchronization event: what is speculated behind it waits (R_QHQLY). */
static void synchronize_context(struct cairn_unit *unit)
{
    unit->path.barrier = unit->told;
}

void cairn_unit_follow(struct cairn_unit *unit, const struct cairn_block *block, bool taken,
                       bool pushes, bool broadcast)
{
    struct cairn_unit_path *path = &unit->path;

    path->last_pushed = taken && (block->flags & CAIRN_INSN_LINK) && pushes && !broadcast &&
                        unit->return_limit > 0;
    if (!taken)
        return;
    path->last_push = cairn_unit_returns_next(&path->returns);
    if (path->last_pushed)
        cairn_unit_returns_push(&path->returns, unit->return_limit,
                                cairn_unit_wrap(block->isa, block->address + block->size),
                                cairn_unit_sub_isa(block->isa));
    if (block->kind == CAIRN_INSN_BRANCH_INDIRECT)
        path->owed |= CAIRN_OWED_TARGET;
    if (broadcast)
        path->owed |= CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT;
    if ((block->flags & CAIRN_INSN_ERET) && !unit->program.is_ete)
        cairn_unit_generate(unit, CAIRN_ELEMENT_EXCEPTION_RETURN, 0,
                            &(struct cairn_element_data){0});
}

void cairn_unit_note_synchronization(struct cairn_unit *unit, const struct cairn_block *block,
                                     bool taken)
{
    if (!taken || (block->kind != CAIRN_INSN_ISB && !(block->flags & CAIRN_INSN_ERET)))
        return;
    synchronize_context(unit);
    cairn_unit_request_timestamp(unit);
}

static void trace_p0(struct cairn_unit *unit, const struct cairn_block *block, bool taken)
{
    struct cairn_unit_path *path = &unit->path;
    const bool broadcast = cairn_unit_broadcasts(unit, block);

    if (broadcast)
        cairn_unit_returns_clear(&path->returns);
    if (!taken && cairn_unit_omit(unit))
        return;
    if (taken && path->omitted > 0) {
        cairn_unit_put_place(unit, CAIRN_ELEMENT_SOURCE_ADDRESS,
                             cairn_unit_last_instruction(block), 0);
        path->last_trace = CAIRN_TRACE_SOURCE;
    } else {
        put_atom(unit, taken);
        path->last_trace = CAIRN_TRACE_ATOM;
    }
    path->blocks = 0;
    path->omitted = 0;
    cairn_unit_follow(unit, block, taken, true, broadcast);
}

static bool is_viewed(struct cairn_unit *unit, const struct cairn_block *block)
{
    struct cairn_unit_path *path = &unit->path;

    if (unit->program.views_all)
        return true;

    const struct cairn_filter_input input = filter_input(unit, block);

    return cairn_filter_view(&unit->program, &input, &path->start_stop);
}

/* Blocks behind the last P0 element need another one, whatever ViewInst says (R_KHDNX). */
static bool has_to_be_traced(struct cairn_unit *unit, struct cairn_unit_place place)
{
    cairn_unit_give_omitted(unit);
    if (!unit->path.q_tail)
        cairn_unit_end_q(unit, place);
    return unit->path.blocks > 0;
}

static void trace_block(struct cairn_unit *unit, const struct cairn_block *block, bool taken)
{
    struct cairn_unit_path *path = &unit->path;
    const struct cairn_unit_place place = {.address = block->address, .isa = block->isa};

    path->traced = true;
    unit->counters.traced += block->count;
    if (path->q > 0 && !cairn_unit_continues_q(unit, block))
        cairn_unit_end_q(unit, place);
    if (path->owed & CAIRN_OWED_CHANGE) /* no Q element has instructions of two contexts (I_BTNZC) */
        path->instructions = unit->q_instructions;
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
    path->instructions += cairn_unit_count(block);
}

/* The whole way of a block. */
static __attribute__((noinline)) void observe_block(struct cairn_unit *unit,
                                                    const struct cairn_block *block, bool taken)
{
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    if (unit->mode & CAIRN_MODE_DISABLED)
        return;
    unit->counters.blocks++;
    unit->counters.instructions += block->count;
    if (path->owed & (CAIRN_PATH_PROHIBITED | CAIRN_PATH_DEBUG))
        return;
    cairn_unit_recover(unit);
    cairn_unit_make_room(unit);
    if (path->next.isa != CAIRN_ISA_UNKNOWN &&
        (path->next.address != block->address || path->next.isa != block->isa)) {
        unit->counters.discontinuities++;
        cairn_unit_lose_path(unit);
    }
    if (unit->has_events || unit->has_timestamp_event)
        cairn_unit_sample(unit, block);

    const bool viewed = is_viewed(unit, block);

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
    } else if (viewed || has_to_be_traced(unit, (struct cairn_unit_place){
                                            .address = block->address, .isa = block->isa})) {
        trace_block(unit, block, taken);
    } else {
        path->traced = false;
        path->owed |= CAIRN_OWED_TRACE_ON;
        path->blocks = 0;
    }
    if (cairn_unit_is_p0(unit, block))
        cairn_unit_note_synchronization(unit, block, taken);
    path->next = cairn_unit_follows(block, taken);
    cairn_unit_end(unit);
}

/* The short way has filled the buffer, or a synchronisation is due. */
static __attribute__((noinline)) void reach_limit(struct cairn_unit *unit)
{
    if (cairn_unit_generated(unit) >= unit->sync_at)
        unit->mode |= CAIRN_MODE_SYNC;
    if (unit->out.capacity - unit->out.size < 2 * CAIRN_ENCODER_ROOM)
        cairn_unit_drain(unit);
}

/* The short way behind a taken indirect branch, of which nothing is owed but the target. */
static void reach_target(struct cairn_unit *unit, const struct cairn_block *block)
{
    struct cairn_unit_path *path = &unit->path;
    const uint8_t sub_isa = cairn_unit_sub_isa(block->isa);

    path->owed = 0;
    path->target = (struct cairn_unit_place){.address = block->address, .isa = block->isa};
    if (unit->return_limit == 0 ||
        !cairn_unit_returns_match(&path->returns, block->address, sub_isa))
        cairn_unit_put_place(unit, CAIRN_ELEMENT_TARGET_ADDRESS, path->target, 0);
}

/* Whether the short way is open: nothing is owed, nothing is to be looked at, and the block is where
 * the one before leads. */
static inline bool goes_short_way(struct cairn_unit *unit, const struct cairn_block *block)
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
    return path->owed == 0 && block->address == path->next.address &&
           block->isa == path->next.isa;
}

void cairn_unit_execute(struct cairn_unit *unit, const struct cairn_block *block, bool taken)
{
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

/* --- exceptions --- */

/* Types that packets can state (D5.13; ETMv4 on M profile has more and others). */
static bool is_type(const struct cairn_unit *unit, unsigned type)
{
    const uint32_t types = 0x00ffdcdfu; /* bit n: type n */

    if (unit->registers.protocol != CAIRN_PROTOCOL_ETE && unit->arch.profile == CAIRN_PROFILE_M)
        return type <= 0x3ff;
    return type < 32 && (types >> type & 1u);
}

/* The preferred return address of these need not be where execution stopped (D2.2.2.1). */
static bool is_imprecise(unsigned type)
{
    return type == CAIRN_EXCEPTION_SYSTEM_ERROR || type == CAIRN_EXCEPTION_DEBUG_HALT;
}

static bool is_forced(const struct cairn_unit *unit, unsigned type)
{
    return (type == CAIRN_EXCEPTION_SYSTEM_ERROR && unit->program.force_errors) ||
           (type == CAIRN_EXCEPTION_PE_RESET && unit->program.force_resets);
}

/* A PE Reset has no address: its element tells nothing of execution. */
static void trace_reset(struct cairn_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->owed & CAIRN_OWED_TRACE_ON) {
        struct cairn_unit_place place = path->next;

        if (place.isa == CAIRN_ISA_UNKNOWN)
            place.isa = path->context.SF ? CAIRN_ISA_A64 : CAIRN_ISA_A32;
        cairn_unit_introduce_exception(unit, place);
    }
    /* A target that matched is not taken off a decoder's stack: no execution is told behind it. */
    cairn_unit_returns_clear(&path->returns);
    cairn_unit_generate(unit, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN,
                        &(struct cairn_element_data){.value = CAIRN_EXCEPTION_PE_RESET});
}

static void trace_exception(struct cairn_unit *unit, unsigned type, struct cairn_unit_place place)
{
    struct cairn_unit_path *path = &unit->path;
    const bool was_traced = path->traced;

    if (type == CAIRN_EXCEPTION_PE_RESET) {
        trace_reset(unit);
    } else {
        cairn_unit_end_q(unit, path->next.isa != CAIRN_ISA_UNKNOWN ? path->next : place);
        cairn_unit_introduce_exception(unit, place);
        cairn_unit_put_place(unit, CAIRN_ELEMENT_EXCEPTION, place, type);
    }
    unit->counters.exceptions++;
    path->blocks = 0;
    path->omitted = 0;
    path->owed &= ~(uint32_t)CAIRN_OWED_LANDING;
    path->owed |= CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_CHANGE;
    if (!was_traced) { /* the block before it was not, either (R_LMLSN) */
        path->owed |= CAIRN_OWED_TRACE_ON;
        path->traced = (unit->choices & CAIRN_UNIT_FORCED_SETS_TA) != 0;
    }
}

/* A reset ends a transaction, and what was traced of it has no outcome (R_QWGL, R_NSMJF). */
static void reset_transaction(struct cairn_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;
    const bool started = path->started;

    path->in_transaction = false;
    cairn_unit_fail_started(unit);
    path->owed &= ~(uint32_t)CAIRN_OWED_START;
    if (!started)
        return;
    cairn_unit_generate_resolved(unit, CAIRN_ELEMENT_DISCARD);
    path->owed |= CAIRN_OWED_CONTEXT;
}

void cairn_unit_exception(struct cairn_unit *unit, unsigned type, uint64_t address,
                          enum cairn_isa isa)
{
    struct cairn_unit_path *path = &unit->path;
    struct cairn_unit_place place = {.address = address, .isa = (uint8_t)isa};

    if (isa == CAIRN_ISA_UNKNOWN)
        place.isa = path->context.SF ? CAIRN_ISA_A64 : CAIRN_ISA_A32;
    place.address &= ~(uint64_t)(place.isa == CAIRN_ISA_T32 ? 1 : 3);
    if (!is_type(unit, type))
        type = CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED;
    cairn_unit_begin(unit);
    if (unit->mode & CAIRN_MODE_DISABLED)
        return;
    if (type == CAIRN_EXCEPTION_PE_RESET)
        path->owed &= ~(uint32_t)CAIRN_PATH_DEBUG; /* I_NPQLT */
    if (path->owed & (CAIRN_PATH_PROHIBITED | CAIRN_PATH_DEBUG)) {
        if (type == CAIRN_EXCEPTION_PE_RESET)
            path->in_transaction = false;
        return;
    }
    cairn_unit_recover(unit);
    cairn_unit_make_room(unit);
    if (type != CAIRN_EXCEPTION_PE_RESET && !is_imprecise(type) &&
        path->next.isa != CAIRN_ISA_UNKNOWN &&
        (path->next.address != place.address || path->next.isa != place.isa)) {
        unit->counters.discontinuities++;
        cairn_unit_lose_path(unit);
    }
    if (type == CAIRN_EXCEPTION_PE_RESET) {
        cairn_unit_settle_path(unit);
        if (!(unit->mode & CAIRN_MODE_INOPERATIVE))
            cairn_unit_land(unit);
        reset_transaction(unit);
    }
    if (unit->mode & CAIRN_MODE_INOPERATIVE) {
        path->owed |= CAIRN_OWED_TRACE_ON;
    } else if (path->traced || is_forced(unit, type)) {
        trace_exception(unit, type, place);
    } else {
        path->owed |= CAIRN_OWED_TRACE_ON;
        path->blocks = 0;
    }
    synchronize_context(unit);
    cairn_unit_request_timestamp(unit);
    path->next.isa = CAIRN_ISA_UNKNOWN;
    cairn_unit_end(unit);
}

/* --- the PE's state --- */

void cairn_unit_context(struct cairn_unit *unit, const struct cairn_context *context)
{
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    path->context = *context;
    path->owed |= CAIRN_OWED_CHANGE;
}

void cairn_unit_synchronize_context(struct cairn_unit *unit)
{
    cairn_unit_begin(unit);
    synchronize_context(unit);
}

void cairn_unit_prohibit(struct cairn_unit *unit, bool prohibited)
{
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    if (prohibited == ((path->owed & CAIRN_PATH_PROHIBITED) != 0))
        return;
    if (!prohibited) {
        path->owed &= ~(uint32_t)CAIRN_PATH_PROHIBITED;
        synchronize_context(unit); /* R_YGGGJ */
        cairn_unit_resume_resources(unit);
        return;
    }
    if (!(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))) {
        cairn_unit_settle_path(unit);
        cairn_unit_fail_started(unit);
        cairn_unit_commit_all(unit);
    }
    cairn_unit_lose_path(unit);
    path->owed |= CAIRN_PATH_PROHIBITED;
}

void cairn_unit_debug_state(struct cairn_unit *unit, bool debug)
{
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    if (debug == ((path->owed & CAIRN_PATH_DEBUG) != 0))
        return;
    if (!debug) {
        path->owed &= ~(uint32_t)CAIRN_PATH_DEBUG;
        return;
    }
    if (!(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))) {
        cairn_unit_settle_path(unit);
        cairn_unit_commit_all(unit);
        cairn_unit_pack(unit); /* a debugger wants to see how it came to this (I_NHBMZ) */
        cairn_unit_drain(unit);
    }
    cairn_unit_lose_path(unit);
    path->owed |= CAIRN_PATH_DEBUG;
}
