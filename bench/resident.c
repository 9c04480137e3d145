/* SPDX-License-Identifier: BSD-2-Clause */
#include "resident.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairn/engine.h>

enum {
    UNITS = 16384,
    LINE = 64,
};

static uint64_t resident(void)
{
    unsigned long long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file) {
        if (fscanf(file, "%llu %llu", &size, &pages) != 2)
            pages = 0;
        fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* What is the caller's is in memory before anything is measured. */
static unsigned touch(const struct bench_capture *loaded, struct cairn_word_batch *batch)
{
    unsigned sum = 0;

    for (size_t i = 0; i < loaded->source_count; i++)
        for (size_t at = 0; at < loaded->sources[i].size; at += LINE)
            sum += loaded->sources[i].bytes[at];
    memset(batch->path, (int)(sum & 1), batch->capacity * sizeof *batch->path);
    memset(batch->event, (int)(sum & 1), batch->event_capacity * sizeof *batch->event);
    return sum;
}

static void decode(struct cairn_engine *engine, const struct bench_source *source,
                   struct cairn_word_batch *batch)
{
    size_t position = 0;

    do {
        batch->count = batch->event_count = 0;
        bench_must(cairn_engine_run(engine, source->bytes, source->size, &position, batch), NULL,
                   "engine");
    } while (position < source->size);
    do {
        batch->count = batch->event_count = 0;
        bench_must(cairn_engine_finish(engine, batch), NULL, "engine");
    } while (batch->count > 0 || batch->event_count > 0 || batch->dictionary_ends);
}

void bench_resident(const struct bench_capture *loaded)
{
    const struct cairn_engine_options options = {.size = sizeof options,
                                                 .flags = CAIRN_ENGINE_NO_PACKETS};
    struct cairn_engine_statistics statistics = {.size = sizeof statistics};
    struct cairn_engine **engines = calloc(loaded->source_count, sizeof(struct cairn_engine *));
    struct cairn_word_batch *batch = NULL;
    uint64_t before, tables = 0, bytes = 0;

    bench_must(engines ? cairn_word_batch_new(UNITS, false, &batch) : CAIRN_E_MEMORY, NULL,
               "batch");
    (void)touch(loaded, batch);
    before = resident();
    for (size_t i = 0; i < loaded->source_count; i++) {
        const struct bench_source *source = &loaded->sources[i];

        bench_must(cairn_engine_new(source->config, loaded->image, &options, &engines[i]), NULL,
                   "engine");
        decode(engines[i], source, batch);
        cairn_engine_statistics(engines[i], &statistics);
        tables += statistics.table_bytes;
        bytes += source->size;
    }
    printf("{\"trace_bytes\":%" PRIu64 ",\"resident_bytes\":%" PRIu64 ",\"table_bytes\":%" PRIu64
           "}\n",
           bytes, resident() - before, tables);
    for (size_t i = 0; i < loaded->source_count; i++)
        cairn_engine_free(engines[i]);
    cairn_word_batch_free(batch);
    free(engines);
}
