/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/frames.h"

#include <stdlib.h>
#include <string.h>

#include "calls/plain.h"

enum { FIRST_FRAMES = 64 };

void cairn_call_thread_free(struct cairn_call_thread *thread)
{
    free(thread->frames);
    free(thread->ghosts);
}

static struct cairn_call_frame *top_of(const struct cairn_call_thread *thread)
{
    return &thread->frames[thread->depth - 1];
}

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

/* Tells of the topmost frame, if that was put off. */
static cairn_status tell(const struct cairn_stacks *stacks, struct cairn_call_thread *thread)
{
    if (thread->depth == 0 || top_of(thread)->is_told)
        return CAIRN_OK;
    cairn_status status = CAIRN_OK;
    if (stacks->totals)
        status = cairn_call_totals_enter(stacks->totals, thread, top_of(thread));
    else if (stacks->counter.enter)
        status = stacks->counter.enter(stacks->counter.context, thread, top_of(thread));
    top_of(thread)->is_told = true;
    if (!status && stacks->sink.enter) {
        const struct cairn_call call = call_of(stacks, thread, top_of(thread));

        status = stacks->sink.enter(stacks->sink.context, &call);
    }
    return status;
}

static cairn_status pop(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                        enum cairn_call_end end)
{
    const struct cairn_call_moment ended =
        end == CAIRN_CALL_CUT ? cut_at(stacks, thread) : cairn_stacks_moment(stacks, thread);
    /* behind where it was cut the thread has none but those that came late */
    const uint64_t cycles = cairn_call_code_cycles(stacks, thread);
    cairn_status status = tell(stacks, thread);

    if (!status && stacks->totals)
        status = cairn_call_totals_leave(stacks->totals, thread, top_of(thread), cycles);
    else if (!status && stacks->counter.leave)
        status = stacks->counter.leave(stacks->counter.context, thread, cycles);
    if (!status && stacks->sink.leave) {
        struct cairn_call call = call_of(stacks, thread, top_of(thread));

        call.end = end;
        call.ended = ended;
        status = stacks->sink.leave(stacks->sink.context, &call);
    }
    thread->depth--;
    thread->now = thread->depth ? top_of(thread)->now : UINT32_MAX;
    return status;
}

/* Ends the frames above the lowest `depth`. The last of them ended as `end` says, those above it
 * were unwound. */
static cairn_status unwind(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                           size_t depth, enum cairn_call_end end)
{
    cairn_status status = CAIRN_OK;

    while (!status && thread->depth > depth)
        status = pop(stacks, thread, thread->depth == depth + 1 ? end : CAIRN_CALL_UNWOUND);
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

/* What is known of the stack is no more so. */
static cairn_status cut(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                        uint32_t account)
{
    const struct cairn_call_moment moment = cut_at(stacks, thread);
    cairn_status status = CAIRN_OK;

    stacks->is_special = true;
    remember(stacks, thread);
    thread->landing_count = 0;
    while (!status && thread->depth)
        status = pop(stacks, thread, CAIRN_CALL_CUT);
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

static cairn_status push(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                         const struct cairn_call_frame *frame)
{
    cairn_status status = tell(stacks, thread);

    if (!status && (thread->depth >= CAIRN_CALLS_DEPTH_MAX ||
                    (thread->depth && thread->depth == thread->capacity &&
                     thread->capacity > CAIRN_CALLS_FRAMES_MAX - stacks->room)))
        status = cut(stacks, thread, 0);
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

/* A call in the step's function; of a stub it is told when it is seen what that stands for. */
static cairn_status begin(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
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
    const cairn_status status = push(stacks, thread, &frame);

    return status || function->is_stub ? status : tell(stacks, thread);
}

/* --- what a step does --- */

/* Control is in a frame that may have been executing other code of it. */
static cairn_status settle(struct cairn_call_thread *thread, uint32_t function)
{
    if (thread->depth)
        cairn_call_settle(thread, function);
    return CAIRN_OK;
}

static cairn_status begin_anew(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                               const struct cairn_call_step *step, uint32_t account)
{
    const cairn_status status = cut(stacks, thread, account);

    return status ? status : begin(stacks, thread, step, CAIRN_CALL_FOUND);
}

/* Another function in the place of the topmost frame. */
static cairn_status replace(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                            const struct cairn_call_step *step)
{
    const struct cairn_function *function = &stacks->functions->list[step->function];
    struct cairn_call_frame *top = top_of(thread);

    if (top->handles || cairn_call_stands_in(thread, top)) {
        if (!top->is_told) {
            top->function = step->function;
            top->is_setjmp = top->is_setjmp || function->is_setjmp;
            top->address = step->address;
        }
        (void)settle(thread, step->function);
        return top->handles || function->is_stub ? CAIRN_OK : tell(stacks, thread);
    }
    struct cairn_call_frame next = *top;
    next.address = step->address;
    next.function = next.now = step->function;
    next.kind = CAIRN_CALL_JUMPED_TO;
    next.site = step->site;
    next.is_told = false;
    next.is_setjmp = next.is_setjmp || function->is_setjmp;
    cairn_status status = pop(stacks, thread, CAIRN_CALL_JUMPED);
    if (!status)
        status = push(stacks, thread, &next);
    return status || function->is_stub ? status : tell(stacks, thread);
}

/* An exception lands: what is above the frame whose call leads there has ended. False: none is known to. */
static bool land(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                 const struct cairn_call_step *step, cairn_status *status)
{
    if (!step->lands)
        return false;
    stacks->is_special = true;
    const size_t found = cairn_frames_catcher(stacks, thread, step);
    if (!found)
        return false;
    *status = unwind(stacks, thread, found, CAIRN_CALL_UNWOUND);
    (void)settle(thread, step->function);
    return true;
}

static bool is_landed(const struct cairn_stacks *stacks, uint64_t address)
{
    for (size_t i = 0; i < stacks->landed_count; i++)
        if (stacks->landed[i] == address)
            return true;
    return stacks->landed_count == CAIRN_LANDINGS_MAX;
}

static void note_landed(struct cairn_stacks *stacks, uint64_t address)
{
    if (is_landed(stacks, address))
        return;
    stacks->landed[stacks->landed_count++] = address;
    stacks->is_changed = true;
}

/* The frame that a longjmp to the step goes to. */
static size_t landing_of(struct cairn_stacks *stacks, const struct cairn_call_thread *thread,
                         const struct cairn_call_step *step)
{
    if (is_landed(stacks, step->address))
        stacks->is_special = true;
    return cairn_frames_landing(thread, step);
}

/* A branch that is neither call nor return, to another function. */
static cairn_status jump(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                         const struct cairn_call_step *step)
{
    cairn_status landed;
    size_t found;

    if (thread->depth == 0)
        return begin(stacks, thread, step, CAIRN_CALL_FOUND);
    if (step->function == thread->now)
        return CAIRN_OK;
    if (step->way != CAIRN_WAY_DIRECT && land(stacks, thread, step, &landed))
        return landed;
    const struct cairn_call_frame *top = top_of(thread);
    if (stacks->functions->list[step->function].is_part || step->function == top->function)
        return settle(thread, step->function);
    if (!step->starts) {
        found = landing_of(stacks, thread, step);
        if (!found)
            found = cairn_frames_function(stacks, thread, step->function);
        if (found) {
            const cairn_status status = unwind(stacks, thread, found, CAIRN_CALL_UNWOUND);

            return status ? status : settle(thread, step->function);
        }
    }
    return replace(stacks, thread, step);
}

/* A return that no frame was waiting for. */
static cairn_status return_elsewhere(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                     const struct cairn_call_step *step)
{
    size_t found = cairn_frames_return(thread->ghosts, thread->ghost_count, step->address);
    cairn_status status = CAIRN_OK;

    stacks->is_special = true;
    if (thread->depth && top_of(thread)->handles) /* of a signal, to what ends it */
        return settle(thread, step->function);
    if (found) {
        const size_t again = found - 1;
        size_t first = again;

        /* What an earlier gap cut need not have called it: it is kept for a return of its own. */
        while (first > 0 && !thread->ghosts[first].is_lowest)
            first--;
        while (!status && thread->depth)
            status = pop(stacks, thread, CAIRN_CALL_RETURNED);
        thread->ghost_count = first;
        for (size_t i = first; i < again && !status; i++) {
            struct cairn_call_frame frame = thread->ghosts[i];

            frame.kind = CAIRN_CALL_RESUMED;
            frame.is_told = frame.is_lowest = false;
            status = push(stacks, thread, &frame);
        }
        if (!status)
            status = tell(stacks, thread);
        if (status)
            return status;
        return thread->depth ? settle(thread, step->function)
                             : begin(stacks, thread, step, CAIRN_CALL_FOUND);
    }
    if (thread->depth <= 1) { /* to a caller that was not seen */
        if (thread->depth)
            status = pop(stacks, thread, CAIRN_CALL_RETURNED);
        return status ? status : begin(stacks, thread, step, CAIRN_CALL_FOUND);
    }
    if (step->starts || cairn_frames_function(stacks, thread, step->function))
        return jump(stacks, thread, step);
    return begin_anew(stacks, thread, step, 0);
}

static cairn_status go_back(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                            const struct cairn_call_step *step)
{
    cairn_status status;
    size_t found = 0;
    bool sets;

    if (thread->depth && top_of(thread)->behind != step->address)
        found = landing_of(stacks, thread, step);
    if (found) {
        status = unwind(stacks, thread, found, CAIRN_CALL_UNWOUND);
        return status ? status : settle(thread, step->function);
    }
    /* before any return: what does not come back may be called right in front of where exceptions land */
    if (land(stacks, thread, step, &status))
        return status;
    found = cairn_frames_return(thread->frames, thread->depth, step->address);
    if (!found || thread->frames[found - 1].handles)
        return return_elsewhere(stacks, thread, step);
    sets = thread->frames[found - 1].is_setjmp;
    status = unwind(stacks, thread, found - 1, CAIRN_CALL_RETURNED);
    if (status)
        return status;
    if (thread->depth == 0) /* the frame was the lowest known: its caller is */
        return begin(stacks, thread, step, CAIRN_CALL_FOUND);
    if (thread->now != step->function)
        (void)settle(thread, step->function);
    if (sets) {
        stacks->is_special = true;
        note_landed(stacks, step->address);
        cairn_frames_note_landing(thread, step->address);
    }
    return CAIRN_OK;
}

/* Ends the exception in frame number `found`, from 1. */
static cairn_status end_exception(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                  size_t found, const struct cairn_call_step *step)
{
    const cairn_status status = unwind(stacks, thread, found - 1, CAIRN_CALL_RETURNED);

    if (status)
        return status;
    if (thread->depth == 0)
        return begin(stacks, thread, step, CAIRN_CALL_FOUND);
    return settle(thread, step->function); /* what is there may have a label of its own */
}

/* An exception return. To another place than the exception came from: to a signal's handler, of the M
 * profile to that of an exception that the trace has no more of (MTB), to code
 * that mends what failed, or to a thread that the trace does not tell from this one. */
static cairn_status go_back_from_exception(struct cairn_stacks *stacks,
                                           struct cairn_call_thread *thread,
                                           const struct cairn_call_step *step)
{
    size_t found = cairn_frames_handler(thread, step->address);

    if (found)
        return end_exception(stacks, thread, found, step);
    found = cairn_frames_topmost_handler(thread);
    if (!found) {
        if (thread->depth > 1)
            return begin_anew(stacks, thread, step, 0);
        return return_elsewhere(stacks, thread, step);
    }
    const struct cairn_call_frame ended = thread->frames[found - 1];
    cairn_status status = unwind(stacks, thread, found - 1, CAIRN_CALL_RETURNED);
    if (status)
        return status;
    if (thread->depth && step->starts && step->function != thread->now) {
        struct cairn_call_frame signal = ended;

        signal.kind = stacks->chains ? CAIRN_CALL_EXCEPTION : CAIRN_CALL_SIGNAL;
        signal.address = step->address;
        signal.function = signal.now = step->function;
        signal.is_told = false;
        return push(stacks, thread, &signal);
    }
    return jump(stacks, thread, step);
}

/* The trace goes on somewhere behind a break. */
static cairn_status go_on_behind(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                 const struct cairn_call_step *step)
{
    struct cairn_call_frame *top = thread->depth ? top_of(thread) : NULL;
    cairn_status status;
    size_t found = 0;

    if (thread->is_lost)
        return begin_anew(stacks, thread, step, thread->account);
    if (top && top->handles && !top->is_told) { /* nothing is seen of what handles the exception */
        found = cairn_frames_handler(thread, step->address);
        if (found)
            return end_exception(stacks, thread, found, step);
        if (stacks->EL == 0 && step->starts) {
            top->kind = CAIRN_CALL_SIGNAL;
            top->function = top->now = thread->now = step->function;
            top->address = step->address;
            return tell(stacks, thread);
        }
        return begin_anew(stacks, thread, step, 0);
    }
    if (thread->called && cairn_frames_leads(stacks, step->behind - 1, step))
        return settle(thread, step->function); /* by an unwinder without memory, */
    if (thread->called && land(stacks, thread, step, &status))
        return status;                                   /* or to a caller */
    if (thread->called && step->address == step->behind) /* from code without memory */
        return thread->now == step->function ? CAIRN_OK : settle(thread, step->function);
    if (thread->account) {
        found = cairn_frames_return(thread->frames, thread->depth, step->address);
        if (found)
            return go_back(stacks, thread, step);
    }
    if (top && step->function == thread->now && !step->starts)
        return CAIRN_OK;
    return thread->depth ? begin_anew(stacks, thread, step, thread->account)
                         : begin(stacks, thread, step, CAIRN_CALL_FOUND);
}

/* What was not known up to here has been dealt with. */
static void be_back(struct cairn_call_thread *thread)
{
    thread->is_lost = thread->called = thread->has_left = false;
    thread->account = 0;
}

cairn_status cairn_stacks_go(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                             const struct cairn_call_step *step)
{
    cairn_status status = CAIRN_OK;

    switch ((enum cairn_call_way)step->way) {
    case CAIRN_WAY_ON:
        if (thread->depth == 0)
            return begin(stacks, thread, step, CAIRN_CALL_FOUND);
        return settle(thread, step->function);
    case CAIRN_WAY_DIRECT:
        if (thread->depth && stacks->functions->list[step->function].is_label)
            return settle(thread, step->function);
        return jump(stacks, thread, step);
    case CAIRN_WAY_CALL: return begin(stacks, thread, step, CAIRN_CALL_CALLED);
    case CAIRN_WAY_RETURN: return go_back(stacks, thread, step);
    case CAIRN_WAY_JUMP: return jump(stacks, thread, step);
    case CAIRN_WAY_ERET:
        stacks->is_special = true;
        status = go_back_from_exception(stacks, thread, step);
        be_back(thread);
        return status;
    case CAIRN_WAY_PLACE: break;
    case CAIRN_WAY_EXCEPTION:
        stacks->is_special = true;
        if (thread->depth == 0)
            return begin(stacks, thread, step, CAIRN_CALL_FOUND);
        if (!top_of(thread)->is_told)
            top_of(thread)->function = step->function;
        top_of(thread)->address = step->address;
        top_of(thread)->context = 0;
        return settle(thread, step->function);
    case CAIRN_WAY_AWAY:
        stacks->is_special = true;
        status = go_on_behind(stacks, thread, step);
        be_back(thread);
        return status;
    }
    return status;
}

cairn_status cairn_stacks_except(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                 uint64_t back, uint32_t type)
{
    const struct cairn_call_frame frame = {
        .site = back,
        .behind = back,
        .exception = type,
        .kind = CAIRN_CALL_EXCEPTION,
        .handles = true,
    };
    const cairn_status status = thread->is_lost ? cut(stacks, thread, thread->account) : CAIRN_OK;

    stacks->is_special = true;
    be_back(thread);
    return status ? status : push(stacks, thread, &frame);
}

cairn_status cairn_stacks_chain(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                uint32_t type)
{
    const size_t found = cairn_frames_topmost_handler(thread);
    uint64_t back = 0;
    cairn_status status = CAIRN_OK;

    if (found) {
        back = thread->frames[found - 1].behind;
        status = unwind(stacks, thread, found - 1, CAIRN_CALL_RETURNED);
    }
    return status ? status : cairn_stacks_except(stacks, thread, back, type);
}

cairn_status cairn_stacks_end(struct cairn_stacks *stacks, struct cairn_call_thread *thread)
{
    cairn_status status = CAIRN_OK;

    while (!status && thread->depth)
        status = pop(stacks, thread, CAIRN_CALL_OPEN);
    return status;
}
