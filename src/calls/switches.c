/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/switches.h"

#include <stdlib.h>
#include <string.h>

#include "calls/frames.h"
#include "calls/plain.h"
#include "calls/tell.h"
#include "calls/threads.h"

/* What switches tasks on the M profile, and does little else. */
#define M_PENDSV 14u
/* Of a stack that could not be in the place of the one in doubt. */
#define DISAGREES SIZE_MAX

struct cairn_call_parked {
    struct cairn_call_thread
        *list[CAIRN_CALLS_STACKS_MAX]; /* the one that was left first comes first */
    size_t count;
};

/* --- turns --- */

static void end_doubt(struct cairn_call_thread *thread)
{
    thread->doubt = (struct cairn_call_doubt){.at = 0};
    cairn_call_hold(thread);
}

/* The lowest frames will not be known to be the stack's. */
static void doubt_for_good(struct cairn_call_thread *thread, size_t frames)
{
    for (size_t i = 0; i < frames; i++)
        thread->frames[i].is_doubtful = true;
    end_doubt(thread);
}

void cairn_switches_lose(struct cairn_call_thread *thread)
{
    doubt_for_good(thread, thread->depth);
}

static void put_last(struct cairn_call_parked *parked, struct cairn_call_thread *stack)
{
    parked->list[parked->count++] = stack;
}

static struct cairn_call_thread *take_out(struct cairn_call_parked *parked, size_t index)
{
    struct cairn_call_thread *const stack = parked->list[index];

    parked->count--;
    memmove(&parked->list[index], &parked->list[index + 1],
            (parked->count - index) * sizeof parked->list[0]);
    return stack;
}

/* `other`, which is in no list, executes in the place of the thread, which was interrupted at an address. */
static void turn_to(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                    struct cairn_call_thread *other, uint64_t resumes)
{
    doubt_for_good(thread, thread->doubt.frames);
    thread->resumes = resumes;
    thread->is_lost = thread->called = thread->has_left = false;
    thread->account = 0;
    if (stacks->totals)
        cairn_call_totals_rest(stacks->totals);
    cairn_call_threads_exchange(stacks->threads, thread, other, stacks->now.total_cycles);
    put_last(thread->parked, other);
    stacks->is_special = true;
}

/* Trace was lost since it executed: it may have done so in the gap. */
static bool is_stale(const struct cairn_call_thread *thread, const struct cairn_call_thread *parked)
{
    return parked->gaps != thread->gaps;
}

/* --- where an exception returns to --- */

/* The stack is taken for one of several that were interrupted at an address, and has returned from `passed` frames since. */
static void begin_doubt(const struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                        uint64_t at, size_t passed)
{
    doubt_for_good(thread, thread->doubt.frames);
    thread->doubt = (struct cairn_call_doubt){
        .at = at,
        .frames = thread->depth,
        .all = thread->depth + passed,
        .passed = passed,
        .instructions = thread->instructions,
        .cycles = cairn_call_cycles(stacks, thread),
        .code_cycles = cairn_call_code_cycles(stacks, thread),
    };
    cairn_call_hold(thread);
}

/* All that were may take its place. */
static void let_agree(const struct cairn_call_thread *thread)
{
    for (size_t i = 0; i < thread->parked->count; i++) {
        struct cairn_call_thread *const one = thread->parked->list[i];

        one->agreed = one->resumes == thread->doubt.at && !is_stale(thread, one) ? 0 : DISAGREES;
    }
}

bool cairn_switches_waits(const struct cairn_call_thread *thread, uint64_t address)
{
    for (size_t i = 0; thread->parked && i < thread->parked->count; i++)
        if (thread->parked->list[i]->resumes == address)
            return true;
    return false;
}

bool cairn_switches_resume(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                           const struct cairn_call_step *step, const struct cairn_call_frame *ended,
                           bool may_stay, cairn_status *status)
{
    struct cairn_call_parked *const parked = thread->parked;
    const bool wants_another = stacks->is_m_profile && ended->exception == M_PENDSV;
    size_t first = 0, stale = 0, count = 0;
    bool is_stale_one = false;

    *status = CAIRN_OK;
    for (size_t i = 0; parked && i < parked->count; i++) {
        const struct cairn_call_thread *const one = parked->list[i];

        if (one->resumes != step->address)
            continue;
        if (is_stale(thread, one)) {
            stale = is_stale_one ? stale : i;
            is_stale_one = true;
        } else if (count++ == 0) {
            first = i;
        }
    }
    if (!count && (may_stay || !is_stale_one))
        return false;
    const bool turns = !may_stay || wants_another;
    if (turns)
        turn_to(stacks, thread, take_out(parked, count ? first : stale), ended->behind);
    if (!count) {
        thread->gaps = stacks->gaps;
        *status = cairn_stack_begin_anew(stacks, thread, step, stacks->gap_account, CAIRN_CALL_CUT);
        return true;
    }
    if (count + may_stay > 1) {
        begin_doubt(stacks, thread, step->address, 0);
        let_agree(thread);
    }
    if (turns)
        *status = thread->depth ? cairn_stack_settle(thread, step->function)
                                : cairn_stack_begin(stacks, thread, step, CAIRN_CALL_FOUND);
    return turns;
}

/* A stack for another task. In the place of one whose calls have all ended, or of which trace was lost, if there is any:
 * there are as many as there are tasks. NULL: there is no room. */
static struct cairn_call_thread *spare_stack(struct cairn_stacks *stacks,
                                             struct cairn_call_thread *thread)
{
    struct cairn_call_parked *parked = thread->parked;

    if (!parked)
        parked = thread->parked = calloc(1, sizeof *parked);
    if (!parked)
        return NULL;
    for (size_t i = 0; i < parked->count; i++)
        if (parked->list[i]->depth == 0 || is_stale(thread, parked->list[i]))
            return take_out(parked, i);
    if (parked->count < CAIRN_CALLS_STACKS_MAX - 1) {
        struct cairn_call_thread *const made =
            cairn_call_threads_add_stack(stacks->threads, thread, (uint32_t)parked->count + 1);

        if (made)
            return made;
    }
    return parked->count ? take_out(parked, 0) : NULL;
}

cairn_status cairn_switches_begin(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                  const struct cairn_call_step *step,
                                  const struct cairn_call_frame *ended)
{
    struct cairn_call_thread *const other = stacks->threads ? spare_stack(stacks, thread) : NULL;
    /* what calls a task's function has no place in it */
    const struct cairn_call_step first = {
        .address = step->address, .function = step->function, .way = step->way};
    cairn_status status = CAIRN_OK;

    if (!other)
        return cairn_stack_begin_anew(stacks, thread, step, 0, CAIRN_CALL_SWITCHED);
    const bool is_lost = is_stale(thread, other);
    turn_to(stacks, thread, other, ended->behind);
    thread->gaps = stacks->gaps;
    if (thread->depth)
        status = cairn_stack_cut(stacks, thread, is_lost ? stacks->gap_account : 0,
                                 is_lost ? CAIRN_CALL_CUT : CAIRN_CALL_SWITCHED);
    return status ? status
                  : cairn_stack_begin(stacks, thread, &first,
                                      step->starts ? CAIRN_CALL_CALLED : CAIRN_CALL_FOUND);
}

/* --- doubt --- */

/* It is as if the stack had executed so much less, or as its calls began so much more: what it did in the other's place. */
static void shift(struct cairn_call_thread *thread, const struct cairn_call_doubt *by, bool less)
{
    for (size_t i = 0; i < thread->depth; i++) {
        struct cairn_call_frame *const frame = &thread->frames[i];

        frame->began.instructions += less ? by->instructions : -by->instructions;
        frame->began.cycles += less ? by->cycles : -by->cycles;
        frame->code_cycles += less ? by->code_cycles : -by->code_cycles;
    }
}

/* The stack in doubt was another one. What it returned from is that one's, and is waiting on the stack itself still. */
static cairn_status change(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                           size_t index, size_t agreeing)
{
    struct cairn_call_thread *const other = thread->parked->list[index];
    const struct cairn_call_doubt doubt = thread->doubt;
    const struct cairn_call_doubt moved = {
        .instructions = thread->instructions - doubt.instructions,
        .cycles = cairn_call_cycles(stacks, thread) - doubt.cycles,
        .code_cycles = cairn_call_code_cycles(stacks, thread) - doubt.code_cycles,
    };
    cairn_status status = CAIRN_OK;

    end_doubt(thread);
    shift(thread, &moved, true);
    for (size_t i = other->depth - doubt.passed; i < other->depth && !status; i++) {
        struct cairn_call_frame frame = other->frames[i];

        frame.kind = CAIRN_CALL_RESUMED;
        frame.is_told = frame.is_lowest = false;
        frame.is_doubtful = true;
        status = cairn_stack_push(stacks, thread, &frame);
    }
    if (!status)
        status = cairn_stack_tell(stacks, thread);
    if (status)
        return status;
    turn_to(stacks, thread, take_out(thread->parked, index), doubt.at);
    other->agreed = DISAGREES;
    shift(thread, &moved, false);
    for (size_t i = 0; i < doubt.passed && !status; i++)
        status = cairn_stack_pop(stacks, thread, CAIRN_CALL_SWITCHED);
    if (agreeing > 1) {
        begin_doubt(stacks, thread, doubt.at, doubt.passed);
        thread->doubt.instructions -= moved.instructions;
        thread->doubt.cycles -= moved.cycles;
        thread->doubt.code_cycles -= moved.code_cycles;
    }
    return status;
}

cairn_status cairn_switches_return(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                                   const struct cairn_call_step *step)
{
    struct cairn_call_parked *const parked = thread->parked;
    const bool stays = cairn_stack_top(thread)->behind == step->address;
    const size_t passed = thread->doubt.passed;
    const bool has_returned = thread->depth + passed == thread->doubt.all; /* and no more */
    size_t index = 0, agreeing = 0;

    stacks->is_special = true;
    for (size_t i = 0; i < parked->count && has_returned; i++) {
        struct cairn_call_thread *const one = parked->list[i];

        if (one->agreed != passed || passed >= one->depth ||
            one->frames[one->depth - 1 - passed].behind != step->address) {
            one->agreed = DISAGREES;
            continue;
        }
        one->agreed++;
        index = agreeing++ ? index : i;
    }
    if (stays && agreeing) {
        thread->doubt.passed++;
        return CAIRN_OK;
    }
    if (agreeing)
        return change(stacks, thread, index, agreeing);
    if (stays && has_returned)
        end_doubt(thread);
    else
        cairn_switches_lose(thread);
    return CAIRN_OK;
}

/* --- returns to what another stack called --- */

bool cairn_switches_find(struct cairn_stacks *stacks, struct cairn_call_thread *thread,
                         const struct cairn_call_step *step, cairn_status *status)
{
    struct cairn_call_parked *const parked = thread->parked;
    size_t found = 0, index = parked ? parked->count : 0;

    *status = CAIRN_OK;
    while (!found && index > 0) {
        const struct cairn_call_thread *const one = parked->list[--index];

        found = cairn_frames_return(one->frames, one->depth, step->address);
        if (found && one->frames[found - 1].handles)
            found = 0;
    }
    if (!found)
        return false;
    if (thread->depth == 1) /* what it returns from was the other one's */
        *status = cairn_stack_pop(stacks, thread, CAIRN_CALL_RETURNED);
    if (*status)
        return true;
    const bool is_lost = is_stale(thread, parked->list[index]);
    cairn_switches_lose(thread);
    turn_to(stacks, thread, take_out(parked, index), 0);
    cairn_switches_lose(thread);
    thread->gaps = stacks->gaps;
    if (is_lost)
        *status = cairn_stack_cut(stacks, thread, stacks->gap_account, CAIRN_CALL_CUT);
    return true;
}
