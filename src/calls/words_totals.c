/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a source of whose calls nothing but totals is wanted: what cairn_calls_go_to does, with what moves in registers. */
#include "calls/going.h"

/* What comes is asked of memory before it is wanted: paths are many, and come in any order. */
#define PATHS_AHEAD 16u
#define TURNS_AHEAD 6u
#define NOTHING UINT32_MAX

static inline void fetch_ahead(const struct cairn_known *known,
                               const struct cairn_word_batch *batch, size_t word, size_t end)
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

/* A thread that is gone along with; its own members are as of the last time that they were needed. */
struct adding {
    struct cairn_call_frame *top; /* NULL: nothing is done at once */
    uint64_t instructions, cycles;
    uint32_t now;
    cairn_status status;
    struct cairn_call_frame *lowest, *highest; /* that the thread has, and has room for, */
    struct cairn_call_frame *held;             /* and that is not returned from at once */
    struct cairn_call_total *totals;
    uint32_t room; /* functions that have totals */
};

static inline void give_back(const struct cairn_calls *calls, const struct adding *adding)
{
    struct cairn_call_thread *const thread = calls->thread;

    thread->instructions = adding->instructions;
    if (adding->top) {
        thread->depth = (size_t)(adding->top - adding->lowest) + 1;
        thread->now = adding->now;
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
        .room = totals->room < CAIRN_FUNCTIONS_MAX ? (uint32_t)totals->room : CAIRN_FUNCTIONS_MAX,
    };

    if (thread->depth && thread->depth <= room && totals->thread == thread &&
        thread->frames[thread->depth - 1].function < adding.room) {
        adding.top = &thread->frames[thread->depth - 1];
        adding.lowest = thread->frames;
        adding.held = &thread->frames[thread->held - 1];
        adding.highest = &thread->frames[room - 1];
    }
    return adding;
}

/* As cairn_call_totals_enter. */
static inline void tell_top(const struct adding *adding)
{
    struct cairn_call_frame *const top = adding->top;
    struct cairn_call_total *const total = &adding->totals[top->function];

    if (top->is_told)
        return;
    top->is_told = true;
    total->open++;
    total->calls += top->kind != CAIRN_CALL_FOUND && top->kind != CAIRN_CALL_RESUMED;
}

/* As cairn_call_totals_leave. */
static inline void leave_top(const struct adding *adding)
{
    const struct cairn_call_frame *const top = adding->top;
    struct cairn_call_total *const total = &adding->totals[top->function];

    if (--total->open == 0) {
        total->instructions += adding->instructions - top->began.instructions;
        total->cycles += adding->cycles - top->code_cycles;
    }
}

static inline bool call_at_once(struct adding *adding, uint64_t address, uint64_t site,
                                uint64_t behind, struct cairn_call_target to)
{
    const uint32_t function = to.function;

    if (!(to.is_plain || to.is_stub) || function >= adding->room || adding->top == adding->highest)
        return false;
    tell_top(adding);
    struct cairn_call_frame *const frame = ++adding->top;
    /* one by one: for all of it at once compilers take a string instruction, which takes longer than all the rest */
    frame->address = address;
    frame->site = site;
    frame->behind = behind;
    frame->began.instructions = adding->instructions;
    frame->code_cycles = adding->cycles;
    frame->function = frame->now = adding->now = function;
    frame->exception = frame->context = 0;
    frame->kind = CAIRN_CALL_CALLED;
    frame->handles = frame->is_told = frame->is_setjmp = frame->is_lowest = false;
    if (to.is_plain)
        tell_top(adding);
    return true;
}

static inline bool return_at_once(struct adding *adding, uint64_t address,
                                  struct cairn_call_target to)
{
    const struct cairn_call_frame *const top = adding->top;

    if (top <= adding->held || top->behind != address || !address || top->handles ||
        top->is_setjmp || to.lands)
        return false;
    tell_top(adding);
    leave_top(adding);
    adding->top--;
    adding->top->now = adding->now = to.function;
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
                                struct cairn_call_target to)
{
    struct cairn_call_frame *const top = adding->top;
    const uint32_t function = to.function;

    if (adding->now == function)
        return true;
    if (!(to.is_plain || to.is_stub) || top->handles || function >= adding->room ||
        (to.lands && way != CAIRN_WAY_DIRECT))
        return false;
    if (function != top->function) {
        /* into the midst of a function it may be a longjmp's */
        if (!to.starts &&
            (is_landing(calls->thread, address) || calls->known.functions->list[function].name))
            return false;
        if (top->is_told ||
            adding->instructions - top->began.instructions > CAIRN_STUB_INSTRUCTIONS_MAX) {
            tell_top(adding);
            leave_top(adding);
            top->site = site;
            top->began.instructions = adding->instructions;
            top->code_cycles = adding->cycles;
            top->kind = CAIRN_CALL_JUMPED_TO;
            top->is_told = false;
        }
        top->address = address;
        top->function = function;
        if (to.is_plain)
            tell_top(adding);
    }
    top->now = adding->now = function;
    return true;
}

static __attribute__((noinline)) void go_slowly(struct cairn_calls *calls, struct adding *adding,
                                                uint64_t address, uint64_t site, uint64_t behind,
                                                uint8_t way, struct cairn_call_target to)
{
    give_back(calls, adding);
    const cairn_status status =
        cairn_calls_go_to(calls, calls->thread, address, site, behind, way, to);
    *adding = take_back(calls);
    adding->status = status;
}

static inline void go(struct cairn_calls *calls, struct adding *adding, uint64_t address,
                      uint64_t site, uint64_t behind, uint8_t way, struct cairn_call_target to)
{
    if (adding->top) {
        if (way == CAIRN_WAY_RETURN && return_at_once(adding, address, to))
            return;
        if (way == CAIRN_WAY_CALL && call_at_once(adding, address, site, behind, to))
            return;
        if ((way == CAIRN_WAY_JUMP || way == CAIRN_WAY_DIRECT) &&
            jump_at_once(calls, adding, address, site, way, to))
            return;
        if (way == CAIRN_WAY_ON) {
            adding->top->now = adding->now = to.function;
            return;
        }
    }
    go_slowly(calls, adding, address, site, behind, way, to);
}

/* From the path that was executed last, or from where the thread was, to another one. */
static inline void go_on(struct cairn_calls *calls, struct adding *adding, uint32_t left,
                         uint8_t way, const struct cairn_known_path *path)
{
    const struct cairn_known *const known = &calls->known;
    uint64_t site = calls->thread->site, behind = calls->thread->behind;

    if (left != NOTHING) {
        site = known->sites[left];
        behind = cairn_known_behind(site, known->paths[left].site_size);
    }
    go(calls, adding, path->address, site, behind, way, path->to);
}

cairn_status cairn_calls_total_words(struct cairn_calls *calls,
                                     const struct cairn_word_batch *batch, size_t from, size_t end)
{
    struct cairn_known *const known = &calls->known;
    struct cairn_call_thread *const thread = calls->thread;
    struct adding adding = take_back(calls);
    const uint64_t before = thread->instructions;
    uint32_t left = NOTHING; /* the path that was executed last */
    uint8_t way = thread->way;
    uint32_t id = 0;

    for (size_t word = from; word < end && !adding.status; word++) {
        id = batch->path[word] & ~CAIRN_WORD_INFERRED;
        fetch_ahead(known, batch, word, end);
        if (known->counts[id]++ == 0 && !known->paths[id].is_known)
            adding.status = cairn_calls_know(calls, batch, word, id);
        /* of its batch all paths have their places already */
        const struct cairn_known_path *const path = &known->paths[id];
        const uint64_t began = adding.instructions;

        if (path->instructions == 0)
            continue;
        if (!adding.status &&
            ((way != CAIRN_WAY_ON && way != CAIRN_WAY_DIRECT) || adding.now != path->to.function))
            go_on(calls, &adding, left, way, path);
        for (uint32_t i = 0; i < path->turns && !adding.status; i++) {
            const struct cairn_turn *const turn = &known->turns[path->first + i];

            adding.instructions = began + turn->before;
            go(calls, &adding, turn->address, turn->site,
               cairn_known_behind(turn->site, turn->site_size), turn->way, turn->to);
        }
        adding.instructions = began + path->instructions;
        left = id;
        way = path->way;
    }
    give_back(calls, &adding);
    if (left != NOTHING)
        cairn_calls_leave_by(thread, way, known->sites[left],
                             cairn_known_behind(known->sites[left], known->paths[left].site_size));
    calls->stacks.now.executed += adding.instructions - before;
    if (!adding.status && end > from)
        calls->last = known->blocks[known->paths[id].last >> 1].counted;
    return adding.status;
}
