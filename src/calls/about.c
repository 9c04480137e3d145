/* SPDX-License-Identifier: BSD-2-Clause */
/* What a source's calls are asked. */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "calls/calls_state.h"
#include "calls/frames.h"

struct cairn_call_moment cairn_calls_now(const struct cairn_calls *calls)
{
    struct cairn_call_moment now = calls->stacks.now;

    now.instructions = calls->thread->instructions;
    now.cycles = now.total_cycles - calls->thread->others_cycles;
    return now;
}

uint64_t cairn_calls_offset(const struct cairn_calls *calls)
{
    return calls->offset;
}

void cairn_calls_eret(struct cairn_calls *calls)
{
    struct cairn_call_thread *thread = calls->thread;

    if (!thread->is_lost) /* else from what no frame is known of */
        thread->way = CAIRN_WAY_ERET;
    if (calls->watch && calls->watch->broke && !cairn_frames_topmost_handler(thread))
        calls->watch->broke(calls->watch->context, thread->id, CAIRN_BREAK_ERET);
}

bool cairn_calls_next_cycles(const struct cairn_calls *calls, uint64_t *total)
{
    *total = calls->told_cycles;
    return calls->cycles_ahead && !calls->excepts;
}

void cairn_calls_set_watch(struct cairn_calls *calls, const struct cairn_calls_watch *watch)
{
    calls->watch = calls->stacks.watch = watch;
    calls->remembers = false;
    calls->known.watch = watch->place_count ? watch : NULL;
}

bool cairn_calls_untold(const struct cairn_calls *calls, struct cairn_call *call)
{
    const struct cairn_call_thread *thread = calls->thread;
    const struct cairn_call_frame *top = thread->depth ? &thread->frames[thread->depth - 1] : NULL;

    if (!top || top->is_told || !top->handles)
        return false;
    *call = (struct cairn_call){.kind = top->kind, .exception = top->exception};
    return true;
}

cairn_status cairn_calls_function(const struct cairn_calls *calls, uint32_t function,
                                  struct cairn_calls_function *text)
{
    const struct cairn_functions *functions = calls->known.functions;

    if (function == 0 || function >= functions->count)
        return CAIRN_E_NOT_FOUND;
    const struct cairn_function *one = &functions->list[function];
    const struct cairn_calls_function made = {
        .size = sizeof made,
        .name = one->name,
        .object = one->object,
        .address = one->address,
    };
    return cairn_info_write(text, &made, sizeof made);
}

cairn_status cairn_calls_thread(const struct cairn_calls *calls, uint32_t thread,
                                struct cairn_calls_thread *text)
{
    struct cairn_calls_thread made;

    if (thread >= calls->threads.count)
        return CAIRN_E_NOT_FOUND;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.vmid = calls->threads.list[thread]->vmid;
    made.context_id = calls->threads.list[thread]->context_id;
    made.stack = calls->threads.list[thread]->stack;
    made.others = thread == CAIRN_CALLS_THREADS_MAX;
    return cairn_info_write(text, &made, sizeof made);
}

uint32_t cairn_calls_running(const struct cairn_calls *calls)
{
    return calls->thread->id;
}

uint32_t cairn_calls_first(const struct cairn_calls *calls, uint32_t thread)
{
    return thread < calls->threads.count ? calls->threads.list[thread]->first : thread;
}

bool cairn_calls_takes_turns(const struct cairn_calls *calls, uint32_t thread)
{
    const struct cairn_call_thread *const one =
        thread < calls->threads.count ? calls->threads.list[thread] : NULL;

    return one && (one->is_parked || one->parked);
}

void cairn_calls_set_lives(struct cairn_calls *calls, const struct cairn_call_lives *lives)
{
    calls->lives = *lives;
}

uint32_t cairn_calls_life(const struct cairn_calls *calls, uint32_t thread)
{
    return thread < calls->threads.count ? calls->threads.list[thread]->life : 0;
}

void cairn_calls_free(struct cairn_calls *calls)
{
    if (!calls)
        return;
    cairn_call_threads_free(&calls->threads);
    cairn_known_free(&calls->known);
    cairn_call_memo_free(&calls->memo);
    cairn_functions_free(&calls->own_functions);
    cairn_block_counts_free(&calls->own_counted);
    cairn_space_free(calls->own_space);
    cairn_config_unref(calls->config);
    free(calls);
}

cairn_status cairn_calls_new(struct cairn_config *config, struct cairn_image *image,
                             const struct cairn_calls_sink *sink, struct cairn_calls **calls)
{
    if (!config || !image || !sink || !calls)
        return CAIRN_E_ARGUMENT;
    return cairn_calls_make(config, image, NULL, NULL, NULL, sink, NULL, NULL, calls);
}
