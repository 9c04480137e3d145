/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/tell.h"

#include <stdlib.h>
#include <string.h>

#include "calls/plain.h"

enum { FIRST_FRAMES = 64 };

struct cairn_call_moment cairn_stacks_moment(const struct cairn_stacks *stacks,
                                             const struct cairn_call_thread *thread)
{
    struct cairn_call_moment moment = stacks->now;

    moment.instructions = thread->instructions;
    moment.cycles = moment.total_cycles - thread->others_cycles;
    return moment;
}

/* When what a thread did was no more known: a gap is told when the thread goes on behind it. */
static struct cairn_call_moment cut_at(const struct cairn_stacks *stacks,
                                       const struct cairn_call_thread *thread)
{
    return thread->has_left ? thread->left : cairn_stacks_moment(stacks, thread);
}

static struct cairn_call call_of(const struct cairn_stacks *stacks,
                                 const struct cairn_call_thread *thread,
                                 const struct cairn_call_frame *frame)
{
    return (struct cairn_call){
        .size = sizeof(struct cairn_call),
        .thread = thread->id,
        .depth = (uint32_t)(frame - thread->frames),
        .kind = frame->kind,
        .end = CAIRN_CALL_OPEN,
        .function = frame->function,
        .exception = frame->exception,
        .address = frame->address,
        .site = frame->site,
        .return_address = frame->behind,
        .began = frame->began,
        .ended = frame->began,
        .EL = stacks->EL,
    };
}

cairn_status cairn_stack_tell(const struct cairn_stacks *stacks, struct cairn_call_thread *thread)
{
    if (thread->depth == 0 || cairn_stack_top(thread)->is_told)
        return CAIRN_OK;
    cairn_status status = CAIRN_OK;
    if (stacks->totals)
        status = cairn_call_totals_enter(stacks->totals, thread, cairn_stack_top(thread));
    else if (stacks->counter.enter)
        status = stacks->counter.enter(stacks->counter.context, thread, cairn_stack_top(thread));
    cairn_stack_top(thread)->is_told = true;
    if (!status && stacks->sink.enter) {
        const struct cairn_call call = call_of(stacks, thread, cairn_stack_top(thread));

        status = stacks->sink.enter(stacks->sink.context, &call);
    }
    return status;
}

/* Of a frame that may be another stack's it is not known how long it took. */
static enum cairn_call_end end_of(const struct cairn_call_thread *thread, enum cairn_call_end end)
{
    const bool may_be_others =
        thread->depth <= thread->doubt.frames || cairn_stack_top(thread)->is_doubtful;

    return may_be_others && end != CAIRN_CALL_CUT && end != CAIRN_CALL_OPEN ? CAIRN_CALL_SWITCHED
                                                                            : end;
}

cairn_status cairn_stack_pop(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                             enum cairn_call_end end)
{
    const struct cairn_call_moment ended =
        end == CAIRN_CALL_CUT ? cut_at(stacks, thread) : cairn_stacks_moment(stacks, thread);
    /* behind where it was cut the thread has none but those that came late */
    const uint64_t cycles = cairn_call_code_cycles(stacks, thread);
    cairn_status status = cairn_stack_tell(stacks, thread);

    if (!status && stacks->totals)
        status = cairn_call_totals_leave(stacks->totals, thread, cairn_stack_top(thread), cycles);
    else if (!status && stacks->counter.leave)
        status = stacks->counter.leave(stacks->counter.context, thread, cycles);
    if (!status && stacks->sink.leave) {
        struct cairn_call call = call_of(stacks, thread, cairn_stack_top(thread));

        call.end = end_of(thread, end);
        call.ended = ended;
        status = stacks->sink.leave(stacks->sink.context, &call);
    }
    thread->depth--;
    thread->now = thread->depth ? cairn_stack_top(thread)->now : UINT32_MAX;
    if (thread->doubt.frames > thread->depth) {
        thread->doubt.frames = thread->depth;
        cairn_call_hold(thread);
    }
    return status;
}

cairn_status cairn_stack_unwind(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                size_t depth, enum cairn_call_end end)
{
    cairn_status status = CAIRN_OK;

    while (!status && thread->depth > depth)
        status =
            cairn_stack_pop(stacks, thread, thread->depth == depth + 1 ? end : CAIRN_CALL_UNWOUND);
    return status;
}

/* The frames that are given up are kept for a return into one of them. */
static void remember(struct cairn_stacks *stacks, struct cairn_call_thread *thread)
{
    size_t count = thread->depth, kept = thread->ghost_count;
    const struct cairn_call_frame *frames = thread->frames;

    if (count == 0)
        return;
    if (!thread->ghosts && stacks->remembering < CAIRN_REMEMBERING_MAX) {
        thread->ghosts = malloc(CAIRN_GHOSTS_MAX * sizeof *thread->ghosts);
        stacks->remembering += thread->ghosts != NULL;
    }
    if (!thread->ghosts)
        return; /* without them a stack is merely not found again */
    if (count > CAIRN_GHOSTS_MAX) {
        frames += count - CAIRN_GHOSTS_MAX;
        count = CAIRN_GHOSTS_MAX;
    }
    if (kept + count > CAIRN_GHOSTS_MAX) {
        const size_t lost = kept + count - CAIRN_GHOSTS_MAX;

        memmove(thread->ghosts, thread->ghosts + lost, (kept - lost) * sizeof *thread->ghosts);
        kept -= lost;
    }
    memcpy(thread->ghosts + kept, frames, count * sizeof *frames);
    thread->ghosts[kept].is_lowest = true;
    thread->ghost_count = kept + count;
}

cairn_status cairn_stack_cut(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                             uint32_t account, enum cairn_call_end end)
{
    const struct cairn_call_moment moment = cut_at(stacks, thread);
    cairn_status status = CAIRN_OK;

    stacks->is_special = true;
    remember(stacks, thread);
    thread->landing_count = 0;
    while (!status && thread->depth)
        status = cairn_stack_pop(stacks, thread, end);
    if (!status && thread->capacity > FIRST_FRAMES) { /* its room is another thread's */
        stacks->room -= thread->capacity - FIRST_FRAMES;
        stacks->is_changed = true;
        free(thread->frames);
        thread->frames = NULL;
        thread->capacity = 0;
    }
    if (!status && stacks->sink.gap)
        status = stacks->sink.gap(stacks->sink.context, thread->id, account, &moment);
    return status;
}

cairn_status cairn_stack_push(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                              const struct cairn_call_frame *frame)
{
    cairn_status status = cairn_stack_tell(stacks, thread);

    if (!status && (thread->depth >= CAIRN_CALLS_DEPTH_MAX ||
                    (thread->depth && thread->depth == thread->capacity &&
                     thread->capacity > CAIRN_CALLS_FRAMES_MAX - stacks->room)))
        status = cairn_stack_cut(stacks, thread, 0, CAIRN_CALL_CUT);
    if (status)
        return status;
    if (thread->depth == thread->capacity) {
        const size_t capacity = thread->capacity ? thread->capacity * 2 : FIRST_FRAMES;
        struct cairn_call_frame *grown = realloc(thread->frames, capacity * sizeof *grown);

        if (!grown)
            return CAIRN_E_MEMORY;
        thread->frames = grown;
        stacks->room += thread->capacity ? capacity - thread->capacity : 0;
        thread->capacity = capacity;
    }
    if (stacks->watch && stacks->watch->pushed)
        stacks->watch->pushed(stacks->watch->context, thread->id, (uint32_t)thread->depth,
                              thread->depth ? thread->now : 0, frame->handles);
    thread->frames[thread->depth] = *frame;
    thread->frames[thread->depth].began = cairn_stacks_moment(stacks, thread);
    thread->frames[thread->depth].code_cycles = cairn_call_code_cycles(stacks, thread);
    thread->frames[thread->depth].context = 0;
    thread->depth++;
    thread->now = frame->now;
    return CAIRN_OK;
}

cairn_status cairn_stack_begin(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                               const struct cairn_call_step *step, enum cairn_call_kind kind)
{
    const struct cairn_function *function = &stacks->functions->list[step->function];
    const bool called = kind == CAIRN_CALL_CALLED;
    const struct cairn_call_frame frame = {
        .address = step->address,
        .site = called ? step->site : 0,
        .behind = called ? step->behind : 0,
        .function = step->function,
        .now = step->function,
        .kind = (uint8_t)kind,
        .is_setjmp = function->is_setjmp,
    };
    const cairn_status status = cairn_stack_push(stacks, thread, &frame);

    return status || function->is_stub ? status : cairn_stack_tell(stacks, thread);
}

cairn_status cairn_stack_settle(struct cairn_call_thread *thread, uint32_t function)
{
    if (thread->depth)
        cairn_call_settle(thread, function);
    return CAIRN_OK;
}

cairn_status cairn_stack_begin_anew(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                    const struct cairn_call_step *step, uint32_t account,
                                    enum cairn_call_end end)
{
    const cairn_status status = cairn_stack_cut(stacks, thread, account, end);

    return status ? status : cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
}
