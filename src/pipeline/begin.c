/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/begin.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flow/begin.h"

/* Bytes looked at together, at first and at most; those behind the place that a decoder may have to
 * look at; and what two looks have in common, for synchronisations that are far apart. */
#define LOOK_FIRST ((uint64_t)64 << 10)
#define LOOK_MOST ((uint64_t)16 << 20)
#define BEHIND ((uint64_t)4 << 10)
#define IN_COMMON ((uint64_t)1 << 20)

struct cairn_search {
    const struct cairn_pipeline_options *options;
    struct cairn_config *config;
    struct cairn_reader *reader;
    struct cairn_engine *scout; /* NULL: synchronisations alone are looked for */
    uint8_t *bytes;
    size_t size;
    uint64_t origin; /* source offset of bytes[0] */
    uint64_t source_bytes;
};

static int watch(void *context, uint64_t done, uint64_t total)
{
    const struct cairn_pipeline_options *options = context;

    (void)total;
    return options->progress ? options->progress(options->context, done) : 0;
}

/* Reads source bytes [from, to), or as many as there are; of these, what stands together at `end`: nothing in front of
 * a loss is known behind it. */
static cairn_status read_bytes(struct cairn_search *search, uint64_t from, uint64_t end,
                               uint64_t to)
{
    const size_t want = (size_t)(to - from);
    uint8_t *bytes = realloc(search->bytes, want ? want : 1);
    struct cairn_chunk chunk = {.size = 1};
    cairn_status status;

    if (!bytes)
        return CAIRN_E_MEMORY;
    search->bytes = bytes;
    search->size = 0;
    search->origin = from;
    status = cairn_reader_seek(search->reader, from);
    while (!status && search->origin + search->size < to && chunk.size) {
        status = cairn_reader_next(search->reader, &chunk);
        if (status || !chunk.size || (cairn_reader_lost(search->reader) && chunk.offset > end))
            break;
        if (cairn_reader_lost(search->reader)) {
            search->origin = chunk.offset;
            search->size = 0;
        }
        const uint64_t left = to - search->origin - search->size;
        const size_t part = chunk.size < left ? chunk.size : (size_t)left;
        memcpy(bytes + search->size, chunk.data, part);
        search->size += part;
    }
    return status;
}

static cairn_status look(struct cairn_search *search, uint64_t from, uint64_t end,
                         struct cairn_beginning *beginning)
{
    uint64_t to = search->source_bytes - end > BEHIND ? end + BEHIND : search->source_bytes;
    cairn_status status = read_bytes(search, from, end, to);

    if (status)
        return status;
    if (!search->scout) {
        beginning->found = cairn_begin_sync(search->config, search->bytes, search->size,
                                            search->origin, end, &beginning->offset);
        return CAIRN_OK;
    }
    status = cairn_begin_find(search->scout, search->bytes, search->size, search->origin, end,
                              &beginning->standing, &beginning->found);
    beginning->offset = beginning->standing.offset;
    return status;
}

static cairn_status look_back(struct cairn_search *search, uint64_t lowest, uint64_t end,
                              struct cairn_beginning *beginning)
{
    uint64_t bytes = LOOK_FIRST;
    cairn_status status = CAIRN_OK;

    while (!status && !beginning->found && end > lowest) {
        const uint64_t from = end - lowest > bytes ? end - bytes : lowest;

        if (watch((void *)search->options, 0, 0))
            return CAIRN_E_LIMIT;
        status = look(search, from, end, beginning);
        if (from == lowest || search->origin > from)
            break;
        if (bytes < LOOK_MOST)
            bytes *= 4;
        else
            end = from + IN_COMMON;
    }
    return status;
}

static cairn_status prepare(struct cairn_search *search, struct cairn_capture *capture,
                            size_t source, struct cairn_image *image, struct cairn_error *error)
{
    const struct cairn_engine_options own = CAIRN_ENGINE_OPTIONS_INIT;
    cairn_status status = cairn_reader_new(capture, source, &search->reader, error);

    if (!status)
        status = cairn_reader_size(search->reader, watch, (void *)search->options,
                                   &search->source_bytes);
    if (!status && search->options->level == CAIRN_LEVEL_FLOW)
        status = cairn_engine_make(search->config, image, &own, NULL, &search->scout);
    return status;
}

static cairn_status fail(cairn_status status, struct cairn_error *error)
{
    if (status && error && !error->status)
        return cairn_fail(error, status, "where to begin was not found: %s",
                          status == CAIRN_E_LIMIT ? "stopped" : cairn_status_text(status));
    return status;
}

cairn_status cairn_search_new(struct cairn_capture *capture, size_t source,
                              struct cairn_config *config, struct cairn_image *image,
                              const struct cairn_pipeline_options *options,
                              struct cairn_search **search, struct cairn_error *error)
{
    struct cairn_search *made = calloc(1, sizeof *made);

    if (!made)
        return fail(CAIRN_E_MEMORY, error);
    made->options = options;
    made->config = config;
    const cairn_status status = prepare(made, capture, source, image, error);
    if (status) {
        cairn_search_free(made);
        return fail(status, error);
    }
    *search = made;
    return CAIRN_OK;
}

void cairn_search_free(struct cairn_search *search)
{
    if (!search)
        return;
    cairn_engine_free(search->scout);
    cairn_reader_free(search->reader);
    free(search->bytes);
    free(search);
}

cairn_status cairn_search_between(struct cairn_search *search, uint64_t lowest, uint64_t from,
                                  struct cairn_beginning *beginning)
{
    const uint64_t end = from < search->source_bytes ? from : search->source_bytes;

    *beginning = (struct cairn_beginning){.found = false};
    if (search->scout && !cairn_begin_can(search->scout))
        return CAIRN_OK;
    return look_back(search, lowest, end, beginning);
}

cairn_status cairn_beginning_find(struct cairn_capture *capture, size_t source,
                                  struct cairn_config *config, struct cairn_image *image,
                                  const struct cairn_pipeline_options *options,
                                  struct cairn_beginning *beginning, struct cairn_error *error)
{
    struct cairn_search *search = NULL;
    cairn_status status = cairn_search_new(capture, source, config, image, options, &search, error);

    if (status)
        return status;
    status = cairn_search_between(search, 0, options->from, beginning);
    cairn_search_free(search);
    return fail(status, error);
}

/* --- what is before --- */

struct counting {
    struct cairn_prefix *prefix;
    uint64_t from;
    uint64_t begin;
};

/* CAIRN_E_LIMIT: nothing more is wanted. */
static cairn_status note_events(void *context, const struct cairn_flow_batch *batch)
{
    const struct counting *counting = context;
    struct cairn_prefix *prefix = counting->prefix;

    for (size_t i = 0; i < batch->count && !prefix->counted; i++) {
        if (batch->kind[i] == CAIRN_FLOW_CYCLES && batch->offset[i] >= counting->from) {
            prefix->counted = true;
            prefix->cycles = batch->address[i];
        }
        if (batch->kind[i] == CAIRN_FLOW_WARNING && batch->value[i] == CAIRN_WARNING_UNDEFINED &&
            batch->offset[i] < counting->begin) {
            prefix->undefined = true;
            prefix->undefined_at = batch->address[i];
        }
    }
    return prefix->counted ? CAIRN_E_LIMIT : CAIRN_OK;
}

cairn_status cairn_prefix_count(struct cairn_capture *capture, size_t source,
                                struct cairn_config *config, struct cairn_image *image,
                                const struct cairn_pipeline_options *options, uint64_t begin,
                                uint64_t until, struct cairn_prefix *prefix)
{
    struct counting counting = {prefix, options->from, begin};
    struct cairn_pipeline_options counts = *options;
    struct cairn_pipeline *pipeline;
    const struct cairn_consumer consumer = {
        .size = sizeof consumer, .context = &counting, .events = note_events};

    *prefix = (struct cairn_prefix){.counted = false};
    counts.size = sizeof counts;
    counts.flags = CAIRN_PIPELINE_COUNTS;
    counts.from = 0;
    counts.wants = NULL;
    cairn_status status =
        cairn_pipeline_new(capture, source, config, image, &counts, &pipeline, NULL);
    if (status)
        return status;
    cairn_pipeline_until(pipeline, until);
    status = cairn_pipeline_add(pipeline, &consumer);
    if (!status)
        status = cairn_pipeline_run(pipeline);
    cairn_pipeline_free(pipeline);
    return prefix->counted ? CAIRN_OK : status;
}
