/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of a source, such that all parts together are the whole of it: each record is of the part that the packet of the
 * first record behind a cut says. Decoding begins before the part, so that all is known of what was executed in front
 * of it, and what was counted up to there is taken off. */
#include <stdlib.h>

#include "calls/calls.h"
#include "cli/answers/count.h"
#include "cli/screen/watch.h"
#include "pipeline/counted_marks.h"

/* Before a cut: records of packets so many bytes behind another may come before it (pipeline.c). */
#define BEFORE (UINT64_C(1) << 20)

/* What is counted at a moment. */
struct part_mark {
    struct cairn_counted_mark counted;
    uint64_t *blocks; /* executed, taken, cycles */
    uint32_t block_count;
    uint64_t instructions, cycles;
    bool has_edges;
};

enum part_where { BEFORE_ALL, NEAR, INSIDE, BEHIND };

struct part_run {
    struct cli_count_part *part;
    struct cairn_pipeline *pipeline;
    struct cairn_calls *calls;
    struct cairn_consumer blocks, ranges;
    uint64_t near; /* from here on records are right */
    enum part_where where;
    bool has_range; /* one was executed since */
    bool has_row;   /* and one ended a row of ranges */
    struct part_mark from, to;
};

static void clear_mark(struct part_mark *mark)
{
    cairn_counted_mark_clear(&mark->counted);
    free(mark->blocks);
}

static cairn_status set_mark(const struct part_run *run, struct part_mark *mark)
{
    const struct cairn_block_counts *const blocks = &run->part->blocks;
    const struct cairn_call_moment now = cairn_calls_now(run->calls);

    mark->block_count = blocks->count;
    mark->blocks = calloc((size_t)blocks->count * 3 + 1, sizeof *mark->blocks);
    if (!mark->blocks)
        return CAIRN_E_MEMORY;
    for (uint32_t i = 0; i < blocks->count; i++) {
        mark->blocks[3 * (size_t)i] = blocks->list[i].executed;
        mark->blocks[3 * (size_t)i + 1] = blocks->list[i].taken;
        mark->blocks[3 * (size_t)i + 2] = blocks->list[i].cycles;
    }
    mark->instructions = now.executed;
    mark->cycles = now.total_cycles;
    return cairn_counted_mark(run->part->counted, &mark->counted);
}

static struct cairn_flow_batch slice(const struct cairn_flow_batch *batch, size_t from, size_t to)
{
    struct cairn_flow_batch made = *batch;

    made.kind += from;
    made.isa += from;
    made.flags += from;
    made.instructions += from;
    made.offset += from;
    made.length += from;
    made.address += from;
    made.value += from;
    made.count = made.capacity = to - from;
    return made;
}

static cairn_status tell(struct part_run *run, const struct cairn_flow_batch *batch, size_t from,
                         size_t to)
{
    const struct cairn_flow_batch some = slice(batch, from, to);
    cairn_status status = CAIRN_OK;

    if (from == to)
        return CAIRN_OK;
    status = run->blocks.events(run->blocks.context, &some);
    if (!status)
        status = run->ranges.events(run->ranges.context, &some);
    if (status || run->where != INSIDE)
        return status;
    cairn_ledger_flow(&run->part->ledger, &some);
    return cli_count_events(run->part->counts, &run->part->overflows, &some);
}

/* A range that comes first behind a mark says where the branch in front of it went. */
static bool is_awaited(const struct part_run *run, const struct cairn_flow_batch *batch, size_t i)
{
    return batch->kind[i] == CAIRN_FLOW_RANGE && batch->instructions[i] &&
           ((run->from.counted.is_set && !run->from.has_edges) ||
            (run->to.counted.is_set && !run->to.has_edges));
}

static cairn_status mark_edges(struct part_run *run)
{
    struct part_mark *const mark = run->to.counted.is_set ? &run->to : &run->from;

    mark->has_edges = true;
    return cairn_counted_mark_edges(run->part->counted, &mark->counted);
}

static bool ends_row(const struct cairn_flow_batch *batch, size_t i)
{
    switch (batch->kind[i]) {
    case CAIRN_FLOW_RANGE:
        return (batch->flags[i] & (CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN)) ==
               (CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN);
    case CAIRN_FLOW_GAP:
    case CAIRN_FLOW_EXCEPTION:
    case CAIRN_FLOW_TRACE_ON: return true;
    default: return false;
    }
}

/* Where a record is; CAIRN_E_NOT_FOUND: what was in front of the part is not known well enough. */
static cairn_status move_on(struct part_run *run, const struct cairn_flow_batch *batch, size_t i)
{
    const struct cli_count_part *const part = run->part;
    const uint64_t offset = batch->offset[i];
    cairn_status status = CAIRN_OK;

    if (run->where == BEFORE_ALL && offset >= run->near)
        run->where = NEAR;
    if (run->where == NEAR && offset >= part->from) {
        if (run->near && !(run->has_range && run->has_row))
            return CAIRN_E_NOT_FOUND;
        run->where = INSIDE;
        if (part->from)
            status = set_mark(run, &run->from);
    }
    if (!status && run->where == INSIDE && offset >= part->to && part->to < part->size) {
        run->where = BEHIND;
        status = set_mark(run, &run->to);
    }
    return status;
}

/* Records that need no look each go on together. */
static cairn_status take_batch(struct part_run *run, const struct cairn_flow_batch *batch)
{
    cairn_status status = CAIRN_OK;
    size_t told = 0;

    for (size_t i = 0; i < batch->count && !status; i++) {
        const enum part_where before = run->where;
        const uint64_t offset = batch->offset[i];
        const bool moves =
            (before == BEFORE_ALL && offset >= run->near) ||
            (before == NEAR && offset >= run->part->from) ||
            (before == INSIDE && offset >= run->part->to && run->part->to < run->part->size);

        if (moves) {
            status = before == BEFORE_ALL ? CAIRN_OK : tell(run, batch, told, i);
            told = i;
            if (!status)
                status = move_on(run, batch, i);
        }
        if (status)
            break;
        if (run->where == BEFORE_ALL) {
            /* not sure to be right, but where the context is, and how many cycles there were */
            told = i + 1;
            if (batch->kind[i] == CAIRN_FLOW_CONTEXT || batch->kind[i] == CAIRN_FLOW_CYCLES)
                status = tell(run, batch, i, i + 1);
            continue;
        }
        run->has_range |= batch->kind[i] == CAIRN_FLOW_RANGE && batch->instructions[i];
        run->has_row |= ends_row(batch, i);
        if (is_awaited(run, batch, i)) {
            status = tell(run, batch, told, i + 1);
            told = i + 1;
            if (!status)
                status = mark_edges(run);
        }
        if (run->where == BEHIND && run->to.has_edges)
            return status;
    }
    return status ? status : tell(run, batch, told, batch->count);
}

/* --- accounts --- */

/* Of the packets: those of gaps of the flow are moved as their records come. */
static cairn_status count_packets(struct cli_count_part *part, struct cairn_error *error)
{
    struct cairn_pipeline_options wanted = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_pipeline *pipeline = NULL;
    const struct cairn_packet_batch *batch;
    bool goes_on = true;

    wanted.level = CAIRN_LEVEL_PACKETS;
    wanted.from = part->from;
    wanted.progress = cli_progress_watch;
    cairn_status status =
        cairn_pipeline_new(part->session->capture, part->source, part->config,
                           cairn_capture_image(part->session->capture), &wanted, &pipeline, error);
    while (!status && goes_on) {
        status = cairn_pipeline_next(pipeline);
        batch = cairn_pipeline_packets(pipeline);
        goes_on = !status && batch->count;
        for (size_t i = 0; i < batch->count && !status; i++) {
            if (batch->offset[i] < part->from)
                continue;
            if (batch->offset[i] >= part->to) {
                goes_on = false;
                break;
            }
            part->ledger.total += batch->length[i];
            part->ledger.account[batch->account[i]].bytes += batch->length[i];
            part->ledger.account[batch->account[i]].packets++;
        }
    }
    cairn_pipeline_free(pipeline);
    return status;
}

/* --- all of it --- */

static void keep_blocks(struct part_run *run)
{
    const struct part_mark *const from = &run->from, *const to = &run->to;

    for (uint32_t i = 1; i < run->part->blocks.count; i++) {
        struct cairn_block_count *const one = &run->part->blocks.list[i];
        uint64_t *const counts[] = {&one->executed, &one->taken, &one->cycles};

        for (unsigned j = 0; j < 3; j++) {
            const size_t at = 3 * (size_t)i + j;

            if (to->blocks)
                *counts[j] = i < to->block_count ? to->blocks[at] : 0;
            if (from->blocks && i < from->block_count)
                *counts[j] -= from->blocks[at];
        }
    }
}

static cairn_status keep(struct part_run *run)
{
    struct cli_count_part *const part = run->part;
    cairn_status status = CAIRN_OK;

    if (run->where < INSIDE) { /* behind the last record: nothing is in it */
        status = set_mark(run, &run->from);
        if (!status)
            status = set_mark(run, &run->to);
    } else if (run->where == INSIDE) { /* the source has ended in it, and with it what waits */
        run->blocks.end(run->blocks.context, NULL, CAIRN_OK);
    }
    if (status)
        return status;
    const struct cairn_call_moment now = cairn_calls_now(run->calls);
    part->instructions =
        (run->to.blocks ? run->to.instructions : now.executed) - run->from.instructions;
    part->cycles = (run->to.blocks ? run->to.cycles : now.total_cycles) - run->from.cycles;
    keep_blocks(run);
    cairn_counted_keep(part->counted, &run->from.counted, &run->to.counted);
    return cairn_counted_finish(part->counted);
}

static cairn_status decode(struct part_run *run, struct cairn_error *error)
{
    struct cli_count_part *const part = run->part;
    const struct cli_options *const options = part->session->options;
    struct cairn_image *const image = cairn_capture_image(part->session->capture);
    struct cairn_pipeline_options wanted = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_source_info info = {.size = sizeof info};
    struct cli_progress progress;

    (void)cairn_capture_source(part->session->capture, part->source, &info);
    cli_progress_start(&progress, info.name, 0);
    wanted.flags = CAIRN_PIPELINE_OWN_TOTALS | (options->reference ? CAIRN_PIPELINE_REFERENCE : 0);
    wanted.jobs = options->jobs;
    wanted.table_bytes = options->table_bytes;
    wanted.from = run->near;
    wanted.progress = cli_progress_watch;
    wanted.context = &progress;
    cli_count_choose(part->session, &info, &wanted);
    cairn_status status = cairn_pipeline_new(part->session->capture, part->source, part->config,
                                             image, &wanted, &run->pipeline, error);
    if (!status)
        status = cli_count_begin(options, image, part->config, &part->counted);
    if (!status)
        status = cairn_calls_make(part->config, image, &part->functions, &part->blocks, NULL, NULL,
                                  NULL, &run->calls);
    if (!status) {
        run->blocks = cairn_calls_consumer(run->calls);
        run->ranges = cairn_counted_consumer(part->counted);
    }
    while (!status && !(run->where == BEHIND && run->to.has_edges) && !cli_interrupted()) {
        status = cairn_pipeline_next(run->pipeline);
        const struct cairn_flow_batch *const batch = cairn_pipeline_flow(run->pipeline);

        if (status || !batch->count)
            break;
        status = take_batch(run, batch);
    }
    if (!status && !cli_interrupted())
        for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++)
            part->ledger.lost[i] =
                part->ledger.account[i].bytes && cairn_pipeline_ledger(run->pipeline)->lost[i];
    cli_progress_end(&progress);
    return status;
}

static void clear_run(struct part_run *run)
{
    cairn_calls_free(run->calls);
    cairn_pipeline_free(run->pipeline);
    clear_mark(&run->from);
    clear_mark(&run->to);
}

void cli_count_part_free(struct cli_count_part *part)
{
    cairn_functions_free(&part->functions);
    cairn_block_counts_free(&part->blocks);
    cairn_counted_free(part->counted);
    part->counted = NULL;
}

static cairn_status try(struct cli_count_part *part, uint64_t near, struct cairn_error *error)
{
    struct part_run run = {.part = part, .near = near};

    part->ledger = (struct cairn_ledger){.size = sizeof part->ledger};
    part->overflows = 0;
    cairn_status status = count_packets(part, error);
    if (!status)
        status = decode(&run, error);
    if (!status && !cli_interrupted())
        status = keep(&run);
    clear_run(&run);
    return status;
}

cairn_status cli_count_part(struct cli_count_part *part, struct cairn_error *error)
{
    const uint64_t near = part->from > BEFORE ? part->from - BEFORE : 0;
    cairn_status status = try(part, near, error);

    if (status != CAIRN_E_NOT_FOUND || !near)
        return status;
    cli_count_part_free(part);
    return try(part, 0, error);
}
