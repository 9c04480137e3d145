/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/frames.h"
#include "calls/plain.h"
#include "calls/switches.h"
#include "calls/tell.h"

/* An exception may go on behind an instruction that it did the work of. */
#define MENDED_BYTES 8u

/* --- what a step does --- */

/* Another function in the place of the topmost frame. */
static cairn_status replace(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                            const struct cairn_call_step *step)
{
    const struct cairn_function *function = &stacks->functions->list[step->function];
    struct cairn_call_frame *top = cairn_stack_top(thread);

    if (top->handles || cairn_call_stands_in(thread, top)) {
        if (!top->is_told) {
            top->function = step->function;
            top->is_setjmp = top->is_setjmp || function->is_setjmp;
            top->address = step->address;
        }
        (void)cairn_stack_settle(thread, step->function);
        return top->handles || function->is_stub ? CAIRN_OK : cairn_stack_tell(stacks, thread);
    }
    struct cairn_call_frame next = *top;
    next.address = step->address;
    next.function = next.now = step->function;
    next.kind = CAIRN_CALL_JUMPED_TO;
    next.site = step->site;
    next.is_told = false;
    next.is_setjmp = next.is_setjmp || function->is_setjmp;
    cairn_status status = cairn_stack_pop(stacks, thread, CAIRN_CALL_JUMPED);
    if (!status)
        status = cairn_stack_push(stacks, thread, &next);
    return status || function->is_stub ? status : cairn_stack_tell(stacks, thread);
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
    *status = cairn_stack_unwind(stacks, thread, found, CAIRN_CALL_UNWOUND);
    (void)cairn_stack_settle(thread, step->function);
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

static cairn_status return_elsewhere(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                     const struct cairn_call_step *step);
static cairn_status go_back(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                            const struct cairn_call_step *step);

/* A branch that is neither call nor return, to another function. */
static cairn_status jump(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                         const struct cairn_call_step *step)
{
    cairn_status landed;
    size_t found;

    if (thread->depth == 0)
        return cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
    if (step->function == thread->now)
        return CAIRN_OK;
    if (step->way != CAIRN_WAY_DIRECT && land(stacks, thread, step, &landed))
        return landed;
    const struct cairn_call_frame *top = cairn_stack_top(thread);
    if (stacks->functions->list[step->function].is_part || step->function == top->function)
        return cairn_stack_settle(thread, step->function);
    if (!step->starts) {
        found = landing_of(stacks, thread, step);
        if (!found)
            found = cairn_frames_function(stacks, thread, step->function);
        if (found) {
            const cairn_status status =
                cairn_stack_unwind(stacks, thread, found, CAIRN_CALL_UNWOUND);

            return status ? status : cairn_stack_settle(thread, step->function);
        }
        /* no call goes there, but a stub around a function's first instructions: another stack goes on */
        if (step->way == CAIRN_WAY_JUMP && stacks->functions->list[step->function].name &&
            !stacks->functions->list[step->function].is_label && !top->handles &&
            !cairn_call_stands_in(thread, top))
            return return_elsewhere(stacks, thread, step);
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
    if (thread->depth && cairn_stack_top(thread)->handles) /* of a signal, to what ends it */
        return cairn_stack_settle(thread, step->function);
    if (found) {
        const size_t again = found - 1;
        size_t first = again;

        /* What an earlier gap cut need not have called it: it is kept for a return of its own. */
        while (first > 0 && !thread->ghosts[first].is_lowest)
            first--;
        while (!status && thread->depth)
            status = cairn_stack_pop(stacks, thread, CAIRN_CALL_RETURNED);
        thread->ghost_count = first;
        for (size_t i = first; i < again && !status; i++) {
            struct cairn_call_frame frame = thread->ghosts[i];

            frame.kind = CAIRN_CALL_RESUMED;
            frame.is_told = frame.is_lowest = false;
            status = cairn_stack_push(stacks, thread, &frame);
        }
        if (!status)
            status = cairn_stack_tell(stacks, thread);
        if (status)
            return status;
        return thread->depth ? cairn_stack_settle(thread, step->function)
                             : cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
    }
    if (cairn_switches_find(stacks, thread, step, &status))
        return status ? status : go_back(stacks, thread, step);
    if (thread->depth <= 1) { /* to a caller that was not seen */
        if (thread->depth)
            status = cairn_stack_pop(stacks, thread, CAIRN_CALL_RETURNED);
        return status ? status : cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
    }
    if (step->starts || cairn_frames_function(stacks, thread, step->function))
        return jump(stacks, thread, step);
    return cairn_stack_begin_anew(stacks, thread, step, 0, CAIRN_CALL_SWITCHED);
}

static cairn_status go_back(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                            const struct cairn_call_step *step)
{
    cairn_status status;
    size_t found = 0;
    bool sets;

    if (thread->depth && cairn_stack_top(thread)->behind != step->address)
        found = landing_of(stacks, thread, step);
    if (found) {
        status = cairn_stack_unwind(stacks, thread, found, CAIRN_CALL_UNWOUND);
        return status ? status : cairn_stack_settle(thread, step->function);
    }
    /* before any return: what does not come back may be called right in front of where exceptions land */
    if (land(stacks, thread, step, &status))
        return status;
    if (thread->depth <= thread->doubt.frames && thread->depth) {
        status = cairn_switches_return(stacks, thread, step);
        if (status)
            return status;
    }
    found = cairn_frames_return(thread->frames, thread->depth, step->address);
    if (!found || thread->frames[found - 1].handles)
        return return_elsewhere(stacks, thread, step);
    sets = thread->frames[found - 1].is_setjmp;
    status = cairn_stack_unwind(stacks, thread, found - 1, CAIRN_CALL_RETURNED);
    if (status)
        return status;
    if (thread->depth == 0) /* the frame was the lowest known: its caller is */
        return cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
    if (thread->now != step->function)
        (void)cairn_stack_settle(thread, step->function);
    if (sets) {
        stacks->is_special = true;
        note_landed(stacks, step->address);
        cairn_frames_note_landing(thread, step->address);
    }
    return CAIRN_OK;
}

/* A signal's handler begins where the kernel returns to a program's function; and of the M profile another exception's
 * may, of which the trace has nothing. */
static bool may_be_handler(const struct cairn_stacks *stacks,
                           const struct cairn_call_thread *thread,
                           const struct cairn_call_step *step)
{
    const bool is_possible = stacks->is_m_profile ? stacks->misses_exceptions : stacks->EL == 0;

    return is_possible && step->starts && step->function != thread->now;
}

/* An exception return. To another place than the exception came from: to a signal's handler, to code that mends
 * what failed, or to another stack. */
static cairn_status go_back_from_exception(struct cairn_stacks *stacks,
                                           struct cairn_call_thread *thread,
                                           const struct cairn_call_step *step)
{
    const size_t own = cairn_frames_handler(thread, step->address);
    const size_t found = own ? own : cairn_frames_topmost_handler(thread);
    struct cairn_call_frame ended = {.kind = 0};
    cairn_status status = CAIRN_OK;

    if (found) {
        ended = thread->frames[found - 1];
        status = cairn_stack_unwind(stacks, thread, found - 1, CAIRN_CALL_RETURNED);
    }
    if (status || cairn_switches_resume(stacks, thread, step, &ended, own != 0, &status))
        return status;
    if (!found && thread->depth > 1)
        return cairn_stack_begin_anew(stacks, thread, step, 0, CAIRN_CALL_SWITCHED);
    if (!found)
        return return_elsewhere(stacks, thread, step);
    if (thread->depth == 0)
        return cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
    if (own) /* what is there may have a label of its own */
        return cairn_stack_settle(thread, step->function);
    if (may_be_handler(stacks, thread, step)) {
        ended.kind = stacks->is_m_profile ? CAIRN_CALL_EXCEPTION : CAIRN_CALL_SIGNAL;
        ended.address = step->address;
        ended.function = ended.now = step->function;
        ended.is_told = false;
        return cairn_stack_push(stacks, thread, &ended);
    }
    if (!step->starts && step->function == thread->now) {
        /* what was executed is passed over, or tried again otherwise; if it is far, it may be another task's */
        if (step->address - ended.behind > MENDED_BYTES)
            cairn_switches_lose(thread);
        return CAIRN_OK;
    }
    return cairn_switches_begin(stacks, thread, step, &ended);
}

/* The trace goes on somewhere behind a break. */
static cairn_status go_on_behind(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                 const struct cairn_call_step *step)
{
    struct cairn_call_frame *top = thread->depth ? cairn_stack_top(thread) : NULL;
    cairn_status status;
    size_t found = 0;

    if (thread->is_lost)
        return cairn_stack_begin_anew(stacks, thread, step, thread->account, CAIRN_CALL_CUT);
    if (top && top->handles && !top->is_told) { /* nothing is seen of what handles the exception */
        if (cairn_frames_handler(thread, step->address) || stacks->is_m_profile ||
            stacks->EL != 0 || !step->starts || cairn_switches_waits(thread, step->address))
            return go_back_from_exception(stacks, thread, step);
        top->kind = CAIRN_CALL_SIGNAL;
        top->function = top->now = thread->now = step->function;
        top->address = step->address;
        return cairn_stack_tell(stacks, thread);
    }
    if (thread->called && cairn_frames_leads(stacks, step->behind - 1, step))
        return cairn_stack_settle(thread, step->function); /* by an unwinder without memory, */
    if (thread->called && land(stacks, thread, step, &status))
        return status;                                   /* or to a caller */
    if (thread->called && step->address == step->behind) /* from code without memory */
        return thread->now == step->function ? CAIRN_OK
                                             : cairn_stack_settle(thread, step->function);
    if (thread->account) {
        found = cairn_frames_return(thread->frames, thread->depth, step->address);
        if (found)
            return go_back(stacks, thread, step);
    }
    if (top && step->function == thread->now && !step->starts)
        return CAIRN_OK;
    return thread->depth
               ? cairn_stack_begin_anew(stacks, thread, step, thread->account, CAIRN_CALL_CUT)
               : cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
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
            return cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
        return cairn_stack_settle(thread, step->function);
    case CAIRN_WAY_DIRECT:
        if (thread->depth && stacks->functions->list[step->function].is_label)
            return cairn_stack_settle(thread, step->function);
        return jump(stacks, thread, step);
    case CAIRN_WAY_CALL: return cairn_stack_begin(stacks, thread, step, CAIRN_CALL_CALLED);
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
            return cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
        if (!cairn_stack_top(thread)->is_told)
            cairn_stack_top(thread)->function = step->function;
        cairn_stack_top(thread)->address = step->address;
        cairn_stack_top(thread)->context = 0;
        return cairn_stack_settle(thread, step->function);
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
    const cairn_status status =
        thread->is_lost ? cairn_stack_cut(stacks, thread, thread->account, CAIRN_CALL_CUT)
                        : CAIRN_OK;

    stacks->is_special = true;
    be_back(thread);
    return status ? status : cairn_stack_push(stacks, thread, &frame);
}

cairn_status cairn_stacks_chain(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                uint32_t type)
{
    const size_t found = cairn_frames_topmost_handler(thread);
    uint64_t back = 0;
    cairn_status status = CAIRN_OK;

    if (found) {
        back = thread->frames[found - 1].behind;
        status = cairn_stack_unwind(stacks, thread, found - 1, CAIRN_CALL_RETURNED);
    }
    return status ? status : cairn_stacks_except(stacks, thread, back, type);
}

cairn_status cairn_stacks_end(struct cairn_stacks *stacks, struct cairn_call_thread *thread)
{
    cairn_status status = CAIRN_OK;

    while (!status && thread->depth)
        status = cairn_stack_pop(stacks, thread, CAIRN_CALL_OPEN);
    return status;
}
