/* SPDX-License-Identifier: BSD-2-Clause */
/* Where words do not repeat: a memo of things that never come back is work for nothing, and memory
 * is what decoding waits for. */
#include "flow/engine.h"

#include <stdlib.h>
#include <string.h>

enum {
    NOVEL_STRETCHES = 64, /* on end, with more than a miss in NOVEL_BYTES: nothing repeats */
    NOVEL_BYTES = 24,
    REPEATED = 4,    /* of as many misses one that had come by: it does again */
    LINE = 64,       /* of the cache */
    ASKED_LINES = 6, /* a word seldom needs more */
    ASKED = 256,     /* targets asked for at once */
};

/* Nothing came by yet. The table is made when it is first needed: few sources need it, and an
 * engine is to be small and quickly made. False: there is no memory. */
static bool forget_seen(struct cairn_engine *engine)
{
    const size_t size = sizeof(uint16_t) << CAIRN_HOT_SEEN_BITS;

    if (!engine->job.seen)
        engine->job.seen = malloc(size);
    if (!engine->job.seen)
        return false;
    memset(engine->job.seen, 0, size);
    return true;
}

void cairn_engine_watch(struct cairn_engine *engine, uint64_t misses, uint64_t repeated,
                        uint64_t bytes)
{
    if (engine->gate) /* what is not remembered is learnt in step with others */
        return;
    if (engine->fresh && repeated * REPEATED > misses)
        engine->fresh = false;
    if (engine->fresh)
        return;
    engine->novel = misses * NOVEL_BYTES > bytes ? engine->novel + 1 : 0;
    if (engine->novel < NOVEL_STRETCHES || !forget_seen(engine))
        return;
    engine->fresh = true;
    engine->novel = 0;
    engine->fresh_blocks =
        engine->blocks.used - engine->known_blocks > engine->dictionary->step_count / REPEATED;
}

static void ask(const struct cairn_engine *engine, const uint64_t *codes, size_t count)
{
    const struct cairn_window *window = &engine->blocks.fetch.window;

    for (size_t i = 0; i < count; i++) {
        uint64_t offset = codes[i] - window->address;

        if (!engine->fresh_blocks) {
            cairn_blocks_ask(&engine->blocks, codes[i], false);
            continue;
        }
        for (unsigned k = 0; k < ASKED_LINES && offset < window->size; k++, offset += LINE)
            __builtin_prefetch(window->bytes + offset, 0, 2);
    }
    for (size_t i = 0; i < count && !engine->fresh_blocks; i++)
        cairn_blocks_ask(&engine->blocks, codes[i], true);
}

void cairn_engine_ask_of_words(const struct cairn_engine *engine, const struct cairn_take_job *job)
{
    const struct cairn_word *word = job->taking->words.word;
    uint64_t codes[ASKED];
    size_t count = 0;

    for (size_t i = job->taking->next; i < job->end; i++) {
        if (word[i].target != CAIRN_WORD_NO_TARGET)
            codes[count++] = word[i].target;
        if (count == ASKED) {
            ask(engine, codes, count);
            count = 0;
        }
    }
    ask(engine, codes, count);
}
