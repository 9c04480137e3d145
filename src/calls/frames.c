/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/frames.h"

#include <string.h>

/* An exception that goes back to the instruction itself, though it was to go behind it: a system call
 * that is begun again. */
#define AGAIN_BYTES 4u

static size_t lowest_of(size_t count)
{
    return count > CAIRN_SEARCH_MAX ? count - CAIRN_SEARCH_MAX : 0;
}

size_t cairn_frames_return(const struct cairn_call_frame *frames, size_t count, uint64_t address)
{
    for (size_t i = count; i > lowest_of(count); i--)
        if (frames[i - 1].behind == address && address)
            return i;
    return 0;
}

static bool goes_back(const struct cairn_call_frame *frame, uint64_t address)
{
    return frame->handles && (frame->behind == address ||
                              (frame->behind > address && frame->behind - address <= AGAIN_BYTES));
}

size_t cairn_frames_handler(const struct cairn_call_thread *thread, uint64_t address)
{
    for (size_t i = thread->depth; i > lowest_of(thread->depth); i--)
        if (goes_back(&thread->frames[i - 1], address))
            return i;
    return 0;
}

size_t cairn_frames_topmost_handler(const struct cairn_call_thread *thread)
{
    for (size_t i = thread->depth; i > lowest_of(thread->depth); i--)
        if (thread->frames[i - 1].handles)
            return i;
    return 0;
}

/* Who called _Unwind_Resume has had its turn. */
static bool has_resumed(const struct cairn_stacks *stacks, const struct cairn_call_thread *thread,
                        size_t above)
{
    return above < thread->depth &&
           stacks->functions->list[thread->frames[above].function].is_resume;
}

/* All code of a file that has no symbols is one function: that tells nothing. */
size_t cairn_frames_function(const struct cairn_stacks *stacks,
                             const struct cairn_call_thread *thread, uint32_t function)
{
    if (!stacks->functions->list[function].name)
        return 0;
    for (size_t i = thread->depth; i > lowest_of(thread->depth); i--)
        if ((thread->frames[i - 1].now == function || thread->frames[i - 1].function == function) &&
            !has_resumed(stacks, thread, i))
            return i;
    return 0;
}

bool cairn_frames_leads(const struct cairn_stacks *stacks, uint64_t site,
                        const struct cairn_call_step *step)
{
    uint64_t landing;

    return step->lands && stacks->lands && stacks->lands(stacks->lands_context, site, &landing) &&
           landing == step->address;
}

size_t cairn_frames_catcher(const struct cairn_stacks *stacks,
                            const struct cairn_call_thread *thread,
                            const struct cairn_call_step *step)
{
    const size_t lowest = lowest_of(thread->depth);

    for (size_t i = thread->depth; step->lands && i > lowest + 1; i--) {
        const struct cairn_call_frame *above = &thread->frames[i - 1];

        /* a call may be the last instruction of its function; what an exception interrupts is no call */
        if (above->behind && cairn_frames_leads(stacks, above->behind - !above->handles, step))
            return i - 1;
    }
    return 0;
}

size_t cairn_frames_landing(const struct cairn_call_thread *thread,
                            const struct cairn_call_step *step)
{
    for (size_t i = thread->landing_count; i > 0; i--) {
        const struct cairn_call_landing *landing = &thread->landings[i - 1];

        if (landing->address == step->address && landing->depth <= thread->depth &&
            thread->frames[landing->depth - 1].now == step->function)
            return landing->depth;
    }
    return 0;
}

void cairn_frames_note_landing(struct cairn_call_thread *thread, uint64_t address)
{
    size_t count = 0;

    for (size_t i = 0; i < thread->landing_count; i++) {
        const struct cairn_call_landing one = thread->landings[i];

        if (one.depth < thread->depth || (one.depth == thread->depth && one.address != address))
            thread->landings[count++] = one;
    }
    if (count == CAIRN_LANDINGS_MAX)
        memmove(thread->landings, thread->landings + 1, --count * sizeof *thread->landings);
    if (thread->depth)
        thread->landings[count++] = (struct cairn_call_landing){address, thread->depth};
    thread->landing_count = count;
}
