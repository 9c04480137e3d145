/* SPDX-License-Identifier: BSD-2-Clause */
/* Views of a batch that are made for speed: lists of blocks and of instructions, and calls. */
#include "flow/views.h"

#define VIEW_VECTOR 16
#include "flow/view_loops.h"

size_t cairn_view_blocks_portable(const struct cairn_word_batch *batch,
                                  struct cairn_word_cursor *cursor, uint32_t *steps,
                                  size_t capacity)
{
    return view_blocks(batch, cursor, steps, capacity);
}

size_t cairn_view_instructions_portable(const struct cairn_word_batch *batch,
                                        struct cairn_word_cursor *cursor, uint64_t *addresses,
                                        size_t capacity)
{
    return view_instructions(batch, cursor, addresses, capacity);
}

/* False also for a batch of counts only: it has no paths to view. */
static bool has_words(const struct cairn_word_batch *batch)
{
    return batch->path && batch->dictionary && batch->dictionary->paths;
}

size_t cairn_words_blocks(const struct cairn_word_batch *batch, struct cairn_word_cursor *cursor,
                          uint32_t *steps, size_t capacity)
{
    if (!has_words(batch))
        return 0;
#if CAIRN_AVX2
    if (!batch->dictionary->portable && cairn_cpu_has_avx2())
        return cairn_view_blocks_avx2(batch, cursor, steps, capacity);
#endif
    return cairn_view_blocks_portable(batch, cursor, steps, capacity);
}

size_t cairn_words_instructions(const struct cairn_word_batch *batch,
                                struct cairn_word_cursor *cursor, uint64_t *addresses,
                                size_t capacity)
{
    if (!has_words(batch))
        return 0;
#if CAIRN_AVX2
    if (!batch->dictionary->portable && cairn_cpu_has_avx2())
        return cairn_view_instructions_avx2(batch, cursor, addresses, capacity);
#endif
    return cairn_view_instructions_portable(batch, cursor, addresses, capacity);
}

/* --- calls --- */

typedef void range_call(void *context, const struct cairn_range *range);

/* A range that no path has. What its last instruction is, its record tells only where it was
 * taken. */
static void call_event(const struct cairn_word_event *event, range_call *call, void *context)
{
    struct cairn_range range = {.address = event->address,
                                .end = event->value,
                                .instructions = event->instructions,
                                .isa = event->isa,
                                .taken = (event->flags & CAIRN_FLOW_TAKEN) != 0};

    if (event->flags & CAIRN_FLOW_P0)
        range.flags |= CAIRN_BLOCK_P0;
    if (event->flags & CAIRN_FLOW_LINK)
        range.flags |= CAIRN_BLOCK_BRANCH | CAIRN_BLOCK_LINK;
    if (event->flags & CAIRN_FLOW_RETURN)
        range.flags |= CAIRN_BLOCK_BRANCH | CAIRN_BLOCK_RETURN;
    call(context, &range);
}

static void call_steps(const struct cairn_dictionary *dictionary, const uint32_t *steps,
                       size_t count, range_call *call, void *context)
{
    const struct cairn_code_block *blocks = dictionary->blocks;

    for (size_t i = 0; i < count; i++) {
        const uint32_t step = steps[i];
        const struct cairn_code_block *block = &blocks[step >> 1];
        const struct cairn_range range = {.address = block->address,
                                          .end = block->end,
                                          .instructions = block->instructions,
                                          .isa = block->isa,
                                          .taken = step & 1,
                                          .flags = block->flags};

        if (range.instructions > 0)
            call(context, &range);
    }
}

/* The next range among the events, or event_count. */
static size_t next_range(const struct cairn_word_batch *batch, size_t event)
{
    while (event < batch->event_count && batch->event[event].kind != CAIRN_FLOW_RANGE)
        event++;
    return event;
}

void cairn_words_each(const struct cairn_word_batch *batch,
                      void (*range)(void *context, const struct cairn_range *range), void *context)
{
    const struct cairn_dictionary *dictionary = batch->dictionary;
    const size_t words = has_words(batch) ? batch->count : 0;
    size_t event = next_range(batch, 0);

    for (size_t w = 0; w < words; w++) {
        const struct cairn_path *path = view_path(batch, w);
        const uint32_t *steps = dictionary->steps + path->first;
        size_t step = 0;

        while (event < batch->event_count && batch->event[event].word <= w) {
            const size_t at = batch->event[event].word < w ? 0 : batch->event[event].step;

            if (at > path->steps)
                break;
            if (at > step) {
                call_steps(dictionary, steps + step, at - step, range, context);
                step = at;
            }
            call_event(&batch->event[event], range, context);
            event = next_range(batch, event + 1);
        }
        call_steps(dictionary, steps + step, path->steps - step, range, context);
    }
    for (; event < batch->event_count; event = next_range(batch, event + 1))
        call_event(&batch->event[event], range, context);
}
