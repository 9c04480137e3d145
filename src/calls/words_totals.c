/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a source of whose calls nothing but totals is wanted: what cairn_calls_go_to does, with what moves in registers. */
#include "base/room.h"
#include "calls/going.h"

/* What comes is asked of memory before it is wanted: paths are many, and come in any order. */
#define PATHS_AHEAD 16u
#define TURNS_AHEAD 6u
/* Of so few paths all that is known is in a near cache, and asking takes longer than waiting. */
#define PATHS_NEAR 8192u
#define NOTHING UINT32_MAX

/* Forced: of a function that does no more compilers think that it does nothing, and leave calls of it out. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct cairn_known *known,
                                                              const struct cairn_word_batch *batch,
                                                              size_t word, size_t end)
{
    if (word + PATHS_AHEAD < end) {
        const uint32_t id = batch->path[word + PATHS_AHEAD] & ~CAIRN_WORD_INFERRED;

        __builtin_prefetch(&known->counts[id], 1);
        __builtin_prefetch(&known->paths[id]);
    }
    if (word + TURNS_AHEAD < end) { /* some have none, so that nothing need lie there */
        const uint32_t id = batch->path[word + TURNS_AHEAD] & ~CAIRN_WORD_INFERRED;
        const uintptr_t turn =
            (uintptr_t)known->turns + known->paths[id].first * sizeof *known->turns;

        __builtin_prefetch((const void *)turn);
        __builtin_prefetch((const void *)(turn + sizeof *known->turns));
    }
}

/* A thread that is gone along with; its own members are as of the last time that they were needed. Nobody has its
 * address, so that it can be in registers. */
struct adding {
    struct cairn_call_frame *top; /* NULL: nothing is done at once. Its `now` is this one: */
    uint32_t now;
    uint64_t instructions, cycles;
    struct cairn_call_frame *lowest, *highest; /* that the thread has, and has room for, */
    struct cairn_call_frame *held;             /* and that is not returned from at once */
    struct cairn_call_total *totals;           /* of all functions that there are */
};

static inline void give_back(const struct cairn_calls *calls, struct adding adding)
{
    struct cairn_call_thread *const thread = calls->thread;

    thread->instructions = adding.instructions;
    if (adding.top) {
        thread->depth = (size_t)(adding.top - adding.lowest) + 1;
        thread->now = adding.top->now = adding.now;
    }
}

/* Calls, returns and jumps are done at once where the totals are the thread's. All frames below the topmost one are told. */
static struct adding take_back(const struct cairn_calls *calls)
{
    const struct cairn_call_thread *const thread = calls->thread;
    const struct cairn_call_totals *const totals = calls->stacks.totals;
    const size_t room =
        thread->capacity < CAIRN_CALLS_DEPTH_MAX ? thread->capacity : CAIRN_CALLS_DEPTH_MAX;
    struct adding adding = {
        .instructions = thread->instructions,
        .cycles = cairn_call_code_cycles(&calls->stacks, thread),
        .now = thread->now,
        .totals = totals->list,
    };

    if (thread->depth && thread->depth <= room && totals->thread == thread) {
        adding.top = &thread->frames[thread->depth - 1];
        adding.lowest = thread->frames;
        adding.held = &thread->frames[thread->held - 1];
        adding.highest = &thread->frames[room - 1];
    }
    return adding;
}

/* As cairn_call_totals_enter. */
static inline void tell(struct cairn_call_total *totals, struct cairn_call_frame *top)
{
    struct cairn_call_total *const total = &totals[top->function];

    if (top->is_told)
        return;
    top->is_told = true;
    total->open++;
    total->calls += top->kind != CAIRN_CALL_FOUND && top->kind != CAIRN_CALL_RESUMED;
}

/* As cairn_call_totals_leave. */
static inline void leave(struct cairn_call_total *totals, const struct cairn_call_frame *top,
                         uint64_t instructions, uint64_t cycles)
{
    struct cairn_call_total *const total = &totals[top->function];

    if (--total->open == 0) {
        total->instructions += instructions - top->began.instructions;
        total->cycles += cycles - top->code_cycles;
    }
}

static inline bool call_at_once(struct adding *adding, uint64_t address, uint64_t site,
                                uint64_t behind, const struct cairn_call_target *to)
{
    struct cairn_call_frame *const frame = adding->top + 1;

    if (!(to->is_plain | to->is_stub) || adding->top == adding->highest)
        return false;
    tell(adding->totals, adding->top);
    adding->top->now = adding->now;
    /* one by one: for all of it at once compilers take a string instruction, which takes longer than all the rest */
    frame->address = address;
    frame->site = site;
    frame->behind = behind;
    frame->began.instructions = adding->instructions;
    frame->code_cycles = adding->cycles;
    frame->function = adding->now = to->function;
    frame->exception = frame->context = 0;
    frame->kind = CAIRN_CALL_CALLED;
    frame->handles = frame->is_told = frame->is_setjmp = frame->is_lowest = frame->is_doubtful =
        false;
    if (to->is_plain)
        tell(adding->totals, frame);
    adding->top = frame;
    return true;
}

static inline bool return_at_once(struct adding *adding, uint64_t address,
                                  const struct cairn_call_target *to)
{
    struct cairn_call_frame *const top = adding->top;

    if (top->behind != address || top <= adding->held || !address || top->handles ||
        top->is_setjmp || to->lands)
        return false;
    tell(adding->totals, top);
    leave(adding->totals, top, adding->instructions, adding->cycles);
    adding->top--;
    adding->now = to->function;
    return true;
}

static bool is_landing(const struct cairn_call_thread *thread, uint64_t address)
{
    for (size_t i = 0; i < thread->landing_count; i++)
        if (thread->landings[i].address == address)
            return true;
    return false;
}

/* A branch that is no call: to another function it is a tail call, as `jump` and `replace` of stack.c do it. */
static inline bool jump_at_once(const struct cairn_calls *calls, struct adding *adding,
                                uint64_t address, uint64_t site, uint8_t way,
                                const struct cairn_call_target *to)
{
    struct cairn_call_frame *const top = adding->top;
    const uint32_t function = to->function;

    if (adding->now == function)
        return true;
    if (!(to->is_plain | to->is_stub) || top->handles || (to->lands && way != CAIRN_WAY_DIRECT))
        return false;
    if (function != top->function) {
        /* into the midst of a function it may be a longjmp's */
        if (!to->starts &&
            (is_landing(calls->thread, address) || calls->known.functions->list[function].name))
            return false;
        if (top->is_told ||
            adding->instructions - top->began.instructions > CAIRN_STUB_INSTRUCTIONS_MAX) {
            tell(adding->totals, top);
            leave(adding->totals, top, adding->instructions, adding->cycles);
            top->site = site;
            top->began.instructions = adding->instructions;
            top->code_cycles = adding->cycles;
            top->kind = CAIRN_CALL_JUMPED_TO;
            top->is_told = false;
        }
        top->address = address;
        top->function = function;
        if (to->is_plain)
            tell(adding->totals, top);
    }
    adding->now = function;
    return true;
}

static __attribute__((noinline)) struct adding
go_slowly(struct cairn_calls *calls, struct adding adding, uint64_t address, uint64_t site,
          uint64_t behind, uint8_t way, struct cairn_call_target to, cairn_status *status)
{
    give_back(calls, adding);
    *status = cairn_calls_go_to(calls, calls->thread, address, site, behind, way, to);
    return take_back(calls);
}

/* To a block, by another way than a return. */
static inline cairn_status go(struct cairn_calls *calls, struct adding *adding, uint64_t address,
                              uint64_t site, uint64_t behind, uint8_t way,
                              const struct cairn_call_target *to)
{
    cairn_status status;

    if (adding->top) {
        if (way == CAIRN_WAY_CALL && call_at_once(adding, address, site, behind, to))
            return CAIRN_OK;
        if ((way == CAIRN_WAY_JUMP || way == CAIRN_WAY_DIRECT) &&
            jump_at_once(calls, adding, address, site, way, to))
            return CAIRN_OK;
        if (way == CAIRN_WAY_ON) {
            adding->now = to->function;
            return CAIRN_OK;
        }
    }
    *adding = go_slowly(calls, *adding, address, site, behind, way, *to, &status);
    return status;
}

/* The turns of a path, and what it executes. Step by step: behind a turn another stack may execute, which has executed as
 * much as it has. */
static inline cairn_status take_turns(struct cairn_calls *calls, struct adding *adding,
                                      const struct cairn_known_path *path)
{
    const struct cairn_turn *turn = &calls->known.turns[path->first];
    uint64_t done = 0;

    for (const struct cairn_turn *const end = turn + path->turns; turn < end; turn++) {
        adding->instructions += turn->before - done;
        done = turn->before;
        if (turn->way == CAIRN_WAY_RETURN && adding->top &&
            return_at_once(adding, turn->address, &turn->to))
            continue;
        const cairn_status status =
            go(calls, adding, turn->address, turn->site,
               cairn_known_behind(turn->site, turn->site_size), turn->way, &turn->to);
        if (status)
            return status;
    }
    adding->instructions += path->instructions - done;
    return CAIRN_OK;
}

/* From the path that was executed last, or from where the thread was, to another one. */
static inline cairn_status go_on(struct cairn_calls *calls, struct adding *adding, uint32_t left,
                                 uint8_t way, const struct cairn_known_path *path)
{
    const struct cairn_known *const known = &calls->known;

    /* as most go: where from need not be known */
    if (way == CAIRN_WAY_RETURN) {
        if (adding->top && return_at_once(adding, path->address, &path->to))
            return CAIRN_OK;
    } else if ((way == CAIRN_WAY_ON || way == CAIRN_WAY_DIRECT) &&
               adding->now == path->to.function) {
        return CAIRN_OK;
    }
    const bool is_first = left == NOTHING;
    const uint64_t site = is_first ? calls->thread->site : known->sites[left];
    const uint64_t behind =
        is_first ? calls->thread->behind : cairn_known_behind(site, known->paths[left].site_size);
    return go(calls, adding, path->address, site, behind, way, &path->to);
}

/* All functions that there are get totals. */
static cairn_status make_room(const struct cairn_calls *calls)
{
    struct cairn_call_totals *const totals = calls->stacks.totals;

    return cairn_enlarge(&totals->list, &totals->room, calls->known.functions->count,
                         sizeof *totals->list);
}

static __attribute__((noinline)) cairn_status
learn(struct cairn_calls *calls, const struct cairn_word_batch *batch, size_t word, uint32_t id)
{
    const cairn_status status = cairn_calls_know(calls, batch, word, id);

    return status ? status : make_room(calls);
}

cairn_status cairn_calls_total_words(struct cairn_calls *calls,
                                     const struct cairn_word_batch *batch, size_t from, size_t end)
{
    struct cairn_known *const known = &calls->known;
    struct cairn_call_thread *const thread = calls->thread;
    cairn_status status = make_room(calls);
    struct adding adding = take_back(calls);
    uint64_t executed = 0;
    uint32_t left = NOTHING; /* the path that was executed last */
    uint8_t way = thread->way;
    uint32_t id = 0;
    const bool are_far = known->path_count > PATHS_NEAR;

    for (size_t word = from; word < end; word++) {
        id = batch->path[word] & ~CAIRN_WORD_INFERRED;
        if (are_far)
            fetch_ahead(known, batch, word, end);
        /* of its batch all paths have their places already */
        const struct cairn_known_path *const path = &known->paths[id];
        if (known->counts[id]++ == 0 && !path->is_known) {
            status = learn(calls, batch, word, id);
            adding.totals = calls->stacks.totals->list;
        }
        if (path->instructions == 0)
            continue;
        if (!status)
            status = go_on(calls, &adding, left, way, path);
        if (!status)
            status = take_turns(calls, &adding, path);
        if (status)
            break;
        executed += path->instructions;
        left = id;
        way = path->way;
    }
    give_back(calls, adding);
    if (left != NOTHING)
        cairn_calls_leave_by(thread, way, known->sites[left],
                             cairn_known_behind(known->sites[left], known->paths[left].site_size));
    calls->stacks.now.executed += executed;
    if (!status && end > from)
        calls->last = known->blocks[known->paths[id].last >> 1].counted;
    return status;
}
