/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/contexts.h"

#include <stdlib.h>

#include "base/room.h"

void cairn_contexts_free(struct cairn_call_contexts *contexts)
{
    free(contexts->list);
    cairn_table_clear(&contexts->by_frame);
    *contexts = (struct cairn_call_contexts){0};
}

static bool is_context(const struct cairn_call_context *one,
                       const struct cairn_call_context *wanted)
{
    return one->below == wanted->below && one->function == wanted->function &&
           one->site == wanted->site && one->now == wanted->now && one->behind == wanted->behind &&
           one->exception == wanted->exception && one->waits == wanted->waits &&
           one->depth == wanted->depth && one->kind == wanted->kind &&
           one->handles == wanted->handles && one->is_told == wanted->is_told &&
           one->is_setjmp == wanted->is_setjmp;
}

static uint32_t find_context(struct cairn_call_contexts *contexts,
                             const struct cairn_call_context *wanted)
{
    struct cairn_table *const table = &contexts->by_frame;
    const uint32_t hash =
        cairn_table_hash((uint64_t)wanted->below << 32 | wanted->function,
                         wanted->site ^ (uint64_t)wanted->now << 40 ^ wanted->is_told);
    size_t at = cairn_table_begin(table, hash);
    uint32_t item;

    while ((item = cairn_table_next(table, hash, &at)) != CAIRN_TABLE_NONE)
        if (is_context(&contexts->list[item], wanted))
            return item;
    if (contexts->count == CAIRN_CONTEXTS_MAX)
        return CAIRN_CONTEXT_NONE;
    if (contexts->count == 0)
        contexts->count = 1;
    if (cairn_enlarge(&contexts->list, &contexts->room, contexts->count + 1,
                      sizeof *contexts->list) ||
        cairn_table_add(table, hash, (uint32_t)contexts->count))
        return CAIRN_CONTEXT_NONE;
    contexts->list[contexts->count] = *wanted;
    return (uint32_t)contexts->count++;
}

uint32_t cairn_contexts_of(struct cairn_call_contexts *contexts, struct cairn_call_thread *thread,
                           uint32_t waits, uint32_t node)
{
    size_t known = thread->depth;
    uint32_t context;

    if (!known)
        return CAIRN_CONTEXT_NONE;
    while (known && !thread->frames[known - 1].context)
        known--;
    if (known)
        context = thread->frames[known - 1].context;
    else
        context = find_context(contexts, &(struct cairn_call_context){.function = thread->id});
    for (; known < thread->depth && context; known++) {
        struct cairn_call_frame *const frame = &thread->frames[known];
        const struct cairn_call_context wanted = {
            .site = frame->site,
            .behind = frame->behind,
            .below = context,
            .function = frame->function,
            .now = frame->now,
            .exception = frame->exception,
            .waits = frame->is_told ? 0 : waits,
            .depth = (uint32_t)known + 1,
            .kind = frame->kind,
            .handles = frame->handles,
            .is_told = frame->is_told,
            .is_setjmp = frame->is_setjmp,
        };

        context = find_context(contexts, &wanted);
        /* what nobody was told of has another context with each instruction that it executes */
        frame->context = frame->is_told ? context : CAIRN_CONTEXT_NONE;
    }
    if (!context)
        return CAIRN_CONTEXT_NONE;
    struct cairn_call_context *const found = &contexts->list[context];
    if (!found->node)
        found->node = node;
    return found->node == node ? context : CAIRN_CONTEXT_NONE;
}

bool cairn_contexts_restore(const struct cairn_call_contexts *contexts, uint32_t context,
                            struct cairn_call_thread *thread, uint64_t code_cycles)
{
    const size_t live = thread->depth;
    size_t depth = contexts->list[context].depth;

    if (depth == 0 || depth > thread->capacity)
        return false;
    thread->depth = depth;
    thread->now = contexts->list[context].now;
    for (; depth; depth--) {
        const struct cairn_call_context *const one = &contexts->list[context];
        struct cairn_call_frame *const frame = &thread->frames[depth - 1];

        if (depth <= live && frame->context == context)
            return true;
        *frame = (struct cairn_call_frame){
            .site = one->site,
            .behind = one->behind,
            .began = {.instructions = thread->instructions - one->waits},
            .code_cycles = code_cycles,
            .function = one->function,
            .now = one->now,
            .exception = one->exception,
            .kind = one->kind,
            .handles = one->handles,
            .is_told = one->is_told,
            .is_setjmp = one->is_setjmp,
            .context = one->is_told ? context : CAIRN_CONTEXT_NONE,
        };
        context = one->below;
    }
    return true;
}
