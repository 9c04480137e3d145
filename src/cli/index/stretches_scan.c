/* SPDX-License-Identifier: BSD-2-Clause */
/* Stretches by counting: a second pipeline goes through the source, in all threads, ahead of the
 * listing. Nothing but what may be looked for comes from it as records. */
#include <stdlib.h>
#include <string.h>

#include "cli/index/stretches.h"

/* A record may be of a packet a little before one whose record came first. */
#define LATE ((uint64_t)4 << 10)

struct cli_scan {
    struct cairn_pipeline *pipeline;
    const struct cli_choice *choice;
    struct cli_stretch *queue; /* the last one is open */
    size_t count, capacity;
    uint64_t seen; /* the packet of the last record */
    bool ended;
    bool useless; /* nothing can be left out from here on */
};

static struct cli_stretch *open_stretch(const struct cli_scan *scan)
{
    return &scan->queue[scan->count - 1];
}

/* The open stretch ends at `offset`, and the next one begins there. */
static cairn_status begin_stretch(struct cli_scan *scan, uint64_t offset)
{
    if (scan->count == scan->capacity) {
        const size_t capacity = 2 * scan->capacity;
        struct cli_stretch *grown = realloc(scan->queue, capacity * sizeof *grown);

        if (!grown)
            return CAIRN_E_MEMORY;
        scan->queue = grown;
        scan->capacity = capacity;
    }
    if (scan->count)
        open_stretch(scan)->to = offset;
    scan->queue[scan->count++] = (struct cli_stretch){.from = offset, .to = UINT64_MAX};
    return CAIRN_OK;
}

/* The first word from number `first` on that is of a packet at `offset` or behind it. */
static size_t find_word(const struct cairn_word_batch *batch, size_t first, uint64_t offset)
{
    size_t low = first, high = batch->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (batch->offset[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Each word has an instruction at least. */
static cairn_status take_words(void *context, const struct cairn_word_batch *batch)
{
    struct cli_scan *scan = context;
    cairn_status status = CAIRN_OK;
    size_t word = 0;

    while (!status && word < batch->count) {
        struct cli_stretch *open = open_stretch(scan);
        const size_t next = find_word(batch, word, open->from + CLI_STRETCH_BYTES);

        open->instructions += next - word;
        word = next;
        if (word < batch->count)
            status = begin_stretch(scan, batch->offset[word]);
    }
    return status;
}

static bool is_looked_for(const struct cli_choice *choice, uint64_t address, uint64_t end)
{
    if (end <= address) /* it wraps */
        return true;
    for (size_t i = 0; i < choice->place_count; i++)
        if (choice->places[i].first >= address && choice->places[i].first < end)
            return true;
    return false;
}

static bool wants(void *context, const struct cairn_code_block *block)
{
    return block->instructions && is_looked_for(context, block->address, block->end);
}

/* What comes behind cycles depends on each of them, and what is told of an undefined instruction on
 * the last that was told of. */
static void take_record(struct cli_scan *scan, const struct cairn_flow_batch *batch, size_t i)
{
    bool touched = false;
    size_t at = scan->count - 1;

    scan->seen = batch->offset[i];
    if (batch->kind[i] == CAIRN_FLOW_RANGE)
        touched = batch->instructions[i] &&
                  is_looked_for(scan->choice, batch->address[i], batch->value[i]);
    else if (batch->kind[i] == CAIRN_FLOW_CYCLES)
        scan->useless = true;
    else if (batch->kind[i] == CAIRN_FLOW_WARNING)
        touched = true;
    if (!touched && !scan->useless)
        return;
    while (at && scan->queue[at].from > batch->offset[i])
        at--;
    scan->queue[at].touched = true;
}

static cairn_status go_on(struct cli_scan *scan)
{
    const cairn_status status = cairn_pipeline_next(scan->pipeline);
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(scan->pipeline);

    if (status)
        return status;
    for (size_t i = 0; i < batch->count && !scan->useless; i++)
        take_record(scan, batch, i);
    scan->ended = !batch->count || scan->useless;
    return CAIRN_OK;
}

static bool is_complete(const struct cli_scan *scan)
{
    if (scan->ended)
        return true;
    return scan->count > 1 && scan->seen >= LATE && scan->seen - LATE >= scan->queue[0].to;
}

cairn_status cli_scan_next(void *context, struct cli_stretch *stretch, bool *any)
{
    struct cli_scan *scan = context;
    cairn_status status = CAIRN_OK;

    while (!status && !is_complete(scan))
        status = go_on(scan);
    *any = scan->count > 0;
    if (status || !*any)
        return status;
    *stretch = scan->queue[0];
    if (scan->useless && stretch->touched) {
        stretch->to = UINT64_MAX;
        scan->count = 1;
    }
    scan->count--;
    memmove(scan->queue, scan->queue + 1, scan->count * sizeof *scan->queue);
    return CAIRN_OK;
}

cairn_status cli_scan_new(const struct cli_plan_of *of, struct cli_scan **scan,
                          struct cairn_error *error)
{
    struct cairn_pipeline_options wanted = cli_plan_pipeline(of, 0, CAIRN_PIPELINE_COUNTS);
    struct cairn_capture *capture = of->session->capture;
    struct cli_scan *made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    const struct cairn_consumer words = {
        .size = sizeof words, .context = made, .words = take_words};
    made->choice = of->choice;
    made->capacity = 16;
    made->queue = malloc(made->capacity * sizeof *made->queue);
    wanted.wants = wants;
    wanted.wants_context = (void *)of->choice;
    cairn_status status = made->queue ? begin_stretch(made, 0) : CAIRN_E_MEMORY;
    if (!status)
        status = cairn_pipeline_new(capture, of->source, of->config, cairn_capture_image(capture),
                                    &wanted, &made->pipeline, error);
    if (!status)
        status = cairn_pipeline_add(made->pipeline, &words);
    if (status) {
        cli_scan_free(made);
        return status;
    }
    *scan = made;
    return CAIRN_OK;
}

void cli_scan_free(struct cli_scan *scan)
{
    if (!scan)
        return;
    cairn_pipeline_free(scan->pipeline);
    free(scan->queue);
    free(scan);
}
