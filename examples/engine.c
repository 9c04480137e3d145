/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast engine: how often each block of a capture's first source was executed. No range is
 * listed for it: the engine counts paths, and a path's blocks are looked up once.
 *
 * usage: example-engine CAPTURE */
#include <inttypes.h>
#include <string.h>

#include "source.h"

#define UNITS_AT_ONCE 4096
#define HOTTEST 10

struct count {
    uint64_t address;
    uint64_t end;
    uint32_t instructions;
    uint64_t times;
};

struct counts {
    struct count *list;
    size_t size;
    size_t room;
};

static void add(struct counts *counts, struct count one)
{
    if (counts->size == counts->room) {
        counts->room = counts->room ? 2 * counts->room : 1024;
        counts->list = realloc(counts->list, counts->room * sizeof *counts->list);
        must(counts->list ? CAIRN_OK : CAIRN_E_MEMORY, NULL);
    }
    counts->list[counts->size++] = one;
}

static int by_place(const void *a, const void *b)
{
    const struct count *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int by_times(const void *a, const void *b)
{
    const struct count *x = a, *y = b;

    if (x->times != y->times)
        return x->times > y->times ? -1 : 1;
    return by_place(a, b);
}

/* One entry a block. */
static void merge(struct counts *counts)
{
    size_t merged = 0;

    if (counts->size > 0)
        qsort(counts->list, counts->size, sizeof *counts->list, by_place);
    for (size_t i = 0; i < counts->size; i++) {
        if (merged > 0 && by_place(&counts->list[merged - 1], &counts->list[i]) == 0)
            counts->list[merged - 1].times += counts->list[i].times;
        else
            counts->list[merged++] = counts->list[i];
    }
    counts->size = merged;
}

/* What a dictionary's counters tell: those of its paths, given to their blocks. */
static void add_dictionary(struct counts *counts, const struct cairn_dictionary *dictionary)
{
    size_t path_count, block_count, n;
    const uint64_t *units = cairn_dictionary_counts(dictionary, &n);
    const struct cairn_path *path = cairn_dictionary_paths(dictionary, &path_count);
    const struct cairn_code_block *block = cairn_dictionary_blocks(dictionary, &block_count);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &n);
    uint64_t *times = calloc(block_count, sizeof *times);

    must(times ? CAIRN_OK : CAIRN_E_MEMORY, NULL);
    for (size_t i = 1; i < path_count; i++)
        for (uint32_t k = 0; k < path[i].steps; k++)
            times[steps[path[i].first + k] >> 1] += units[i];
    for (size_t i = 1; i < block_count; i++)
        if (times[i] > 0)
            add(counts,
                (struct count){block[i].address, block[i].end, block[i].instructions, times[i]});
    free(times);
    merge(counts);
}

/* Takes what a call gave: ranges that no path has are events, and counters are read before their
 * dictionary ends. False: it gave nothing. */
static bool take(struct cairn_word_batch *batch, struct counts *counts)
{
    const bool any = batch->event_count > 0 || batch->dictionary_ends;

    for (size_t i = 0; i < batch->event_count; i++) {
        const struct cairn_word_event *event = cairn_word_event_at(batch, i);

        if (event->kind == CAIRN_FLOW_RANGE)
            add(counts, (struct count){event->address, event->value, event->instructions, 1});
    }
    if (batch->dictionary_ends)
        add_dictionary(counts, batch->dictionary);
    batch->count = 0;
    batch->event_count = 0;
    return any;
}

static void run(struct cairn_engine *engine, const uint8_t *bytes, size_t size,
                struct cairn_word_batch *batch, struct counts *counts)
{
    for (size_t at = 0; at < size; take(batch, counts))
        must(cairn_engine_run(engine, bytes, size, &at, batch), NULL);
}

static void finish(struct cairn_engine *engine, struct cairn_word_batch *batch,
                   struct counts *counts)
{
    do
        must(cairn_engine_finish(engine, batch), NULL);
    while (take(batch, counts));
}

static void count(const struct cairn_capture *capture, struct cairn_config *config,
                  struct cairn_image *image, struct counts *counts)
{
    struct cairn_engine_options options = CAIRN_ENGINE_OPTIONS_INIT;
    struct cairn_engine *engine = NULL;
    struct cairn_word_batch *batch = NULL;
    struct cairn_error error = {0};
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;

    must(cairn_reader_new(capture, 0, &reader, &error), &error);
    options.flags = CAIRN_ENGINE_COUNTS;
    must(cairn_engine_new(config, image, &options, &engine), NULL);
    must(cairn_word_batch_new(UNITS_AT_ONCE, false, &batch), NULL);
    do {
        must(cairn_reader_next(reader, &chunk), NULL);
        if (cairn_reader_lost(reader)) { /* trace is missing in front of it */
            finish(engine, batch, counts);
            must(cairn_engine_lose(engine), NULL);
        }
        run(engine, chunk.data, chunk.size, batch, counts);
    } while (chunk.size > 0);
    finish(engine, batch, counts);
    add_dictionary(counts, batch->dictionary);
    cairn_word_batch_free(batch);
    cairn_engine_free(engine);
    cairn_reader_free(reader);
}

int main(int argc, char **argv)
{
    struct cairn_capture *capture = open_capture(argc, argv);
    struct cairn_config *config = NULL;
    struct counts counts = {0};
    uint64_t instructions = 0;

    if (cairn_capture_source_count(capture) > 0)
        config = configure(capture, 0);
    if (config)
        count(capture, config, cairn_capture_image(capture), &counts);
    for (size_t i = 0; i < counts.size; i++)
        instructions += counts.list[i].times * counts.list[i].instructions;
    if (counts.size > 0)
        qsort(counts.list, counts.size, sizeof *counts.list, by_times);
    for (size_t i = 0; i < counts.size && i < HOTTEST; i++)
        printf("%" PRIx64 " %" PRIx64 " %" PRIu32 " %" PRIu64 "\n", counts.list[i].address,
               counts.list[i].end, counts.list[i].instructions, counts.list[i].times);
    printf("# %zu blocks, %" PRIu64 " instructions\n", counts.size, instructions);
    free(counts.list);
    cairn_config_unref(config);
    cairn_capture_free(capture);
    return 0;
}
