/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a source of whose calls nothing but totals is wanted: what cairn_calls_go_to does, with what moves in registers. */
#include "calls/going.h"

/* What comes is asked of memory before it is wanted: paths are many, and come in any order. */
#define PATHS_AHEAD 16u
#define TURNS_AHEAD 6u

static inline void fetch_ahead(const struct cairn_known *known,
                               const struct cairn_word_batch *batch, size_t word, size_t end)
{
    if (word + PATHS_AHEAD < end) {
        const uint32_t id = batch->path[word + PATHS_AHEAD] & ~CAIRN_WORD_INFERRED;

        __builtin_prefetch(&known->counts[id], 1);
        __builtin_prefetch(&known->paths[id]);
        __builtin_prefetch((const char *)(&known->paths[id] + 1) - 1);
    }
    if (word + TURNS_AHEAD < end) { /* some have none, so that nothing need lie there */
        const uint32_t id = batch->path[word + TURNS_AHEAD] & ~CAIRN_WORD_INFERRED;
        const uintptr_t turn =
            (uintptr_t)known->turns + known->paths[id].first * sizeof *known->turns;

        __builtin_prefetch((const void *)turn);
        __builtin_prefetch((const void *)(turn + sizeof *known->turns - 1));
    }
}

/* A thread that is gone along with; its own members are as of the last time that they were needed. */
struct adding {
    struct cairn_calls *calls;
    struct cairn_call_thread *thread;
    struct cairn_call_totals *totals;
    struct cairn_call_frame *top; /* NULL: nothing is done at once */
    uint64_t instructions, cycles;
    uint32_t depth, now;
};

static inline void give_back(const struct adding *adding)
{
    adding->thread->instructions = adding->instructions;
    if (adding->top) {
        adding->thread->depth = adding->depth;
        adding->thread->now = adding->now;
    }
}

/* Calls and returns are done at once where the topmost frame was told, as all those below are, and the totals are the thread's. */
static inline void take_back(struct adding *adding)
{
    struct cairn_call_thread *const thread = adding->thread;

    adding->depth = (uint32_t)thread->depth;
    adding->now = thread->now;
    adding->top = thread->depth ? &thread->frames[thread->depth - 1] : NULL;
    if (!adding->top || !adding->top->is_told || adding->totals->thread != thread)
        adding->top = NULL;
}

static inline bool call_at_once(struct adding *adding, uint64_t address, uint64_t site,
                                uint64_t behind, struct cairn_call_target to)
{
    if (!to.is_plain || to.function >= adding->totals->room ||
        adding->depth >= adding->thread->capacity || adding->depth >= CAIRN_CALLS_DEPTH_MAX)
        return false;
    struct cairn_call_total *const total = &adding->totals->list[to.function];
    *++adding->top = (struct cairn_call_frame){
        .address = address,
        .site = site,
        .behind = behind,
        .began = {.instructions = adding->instructions},
        .code_cycles = adding->cycles,
        .function = to.function,
        .now = to.function,
        .kind = CAIRN_CALL_CALLED,
        .is_told = true,
    };
    adding->depth++;
    adding->now = to.function;
    total->open++;
    total->calls++;
    return true;
}

static inline bool return_at_once(struct adding *adding, uint64_t address,
                                  struct cairn_call_target to)
{
    struct cairn_call_frame *const top = adding->top;

    if (adding->depth <= 1 || top->behind != address || !address || top->handles ||
        top->is_setjmp || to.lands)
        return false;
    struct cairn_call_total *const total = &adding->totals->list[top->function];
    if (--total->open == 0) {
        total->instructions += adding->instructions - top->began.instructions;
        total->cycles += adding->cycles - top->code_cycles;
    }
    adding->depth--;
    adding->top--;
    adding->top->now = adding->now = to.function;
    return true;
}

static inline cairn_status go(struct adding *adding, uint64_t address, uint64_t site,
                              uint64_t behind, uint8_t way, struct cairn_call_target to)
{
    if (adding->top) {
        if (way == CAIRN_WAY_RETURN && return_at_once(adding, address, to))
            return CAIRN_OK;
        if (way == CAIRN_WAY_CALL && call_at_once(adding, address, site, behind, to))
            return CAIRN_OK;
        if (way == CAIRN_WAY_JUMP && adding->now == to.function)
            return CAIRN_OK;
        if (way == CAIRN_WAY_ON) {
            adding->top->now = adding->now = to.function;
            return CAIRN_OK;
        }
    }
    give_back(adding);
    const cairn_status status =
        cairn_calls_go_to(adding->calls, adding->thread, address, site, behind, way, to);
    take_back(adding);
    return status;
}

cairn_status cairn_calls_total_words(struct cairn_calls *calls,
                                     const struct cairn_word_batch *batch, size_t from, size_t end)
{
    struct cairn_known *const known = &calls->known;
    struct cairn_call_thread *const thread = calls->thread;
    struct adding adding = {.calls = calls,
                            .thread = thread,
                            .totals = calls->stacks.totals,
                            .instructions = thread->instructions,
                            .cycles = cairn_call_code_cycles(&calls->stacks, thread)};
    const uint64_t before = thread->instructions;
    const struct cairn_known_path begun = {
        .site = thread->site, .behind = thread->behind, .way = thread->way};
    const struct cairn_known_path *left = &begun; /* what was executed last */
    cairn_status status = CAIRN_OK;
    uint32_t id = 0;

    take_back(&adding);
    for (size_t word = from; word < end && !status; word++) {
        id = batch->path[word] & ~CAIRN_WORD_INFERRED;
        fetch_ahead(known, batch, word, end);
        if (known->counts[id]++ == 0 && !known->paths[id].is_known)
            status = cairn_calls_know(calls, batch, word, id);
        /* of its batch all paths have their places already */
        const struct cairn_known_path *const path = &known->paths[id];
        const uint64_t began = adding.instructions;

        if (path->instructions == 0)
            continue;
        if (!status && ((left->way != CAIRN_WAY_ON && left->way != CAIRN_WAY_DIRECT) ||
                        adding.now != path->to.function))
            status = go(&adding, path->address, left->site, left->behind, left->way, path->to);
        for (uint32_t i = 0; i < path->turns && !status; i++) {
            const struct cairn_turn *const turn = &known->turns[path->first + i];

            adding.instructions = began + turn->before;
            status = go(&adding, turn->address, turn->site, turn->behind, turn->way, turn->to);
        }
        adding.instructions = began + path->instructions;
        left = path;
    }
    give_back(&adding);
    cairn_calls_leave_by(thread, left->way, left->site, left->behind);
    calls->stacks.now.executed += adding.instructions - before;
    if (!status && end > from)
        calls->last = known->blocks[known->paths[id].last >> 1].counted;
    return status;
}
