/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of a source, such that all parts together are the whole of it: each record is of the part that the packet of the
 * first record behind a cut says. Decoding begins before the part, so that all is known of what was executed in front
 * of it, and what was counted up to there is taken off. Words are counted as they are, but for batches that a cut may be
 * in: of these each record is looked at. */
#include <stdlib.h>

#include "calls/calls.h"
#include "cli/answers/count_ledger.h"
#include "cli/screen/watch.h"
#include "flow/dictionary.h"
#include "pipeline/begin.h"
#include "pipeline/chosen.h"
#include "pipeline/counted_marks.h"
#include "pipeline/unfold.h"

/* Before a cut: records of packets so many bytes behind another may come before it (pipeline.c). */
#define BEFORE (UINT64_C(1) << 20)

#define EVENTS ((size_t)4096)

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
    struct cairn_chosen chosen;
    struct cairn_word_batch *kept; /* what is chosen of a batch */
    uint64_t near;                 /* from here on records are right */
    enum part_where where;
    bool is_in_rows; /* ranges are counted one by one */
    bool has_range;  /* one was executed since `near` */
    bool has_row;    /* and one ended a row of ranges */
    struct part_mark from, to;
    struct cli_part_snapshots snapshots;

    /* what comes */
    bool has_words;
    const struct cairn_dictionary *dictionary;
    uint32_t generation;
    struct cairn_unfold unfold;
    struct cairn_word_event *events; /* that wait to be told */
    size_t event_count;
};

/* --- who counts --- */

static cairn_status tell_both(struct part_run *run, const struct cairn_word_batch *batch)
{
    const cairn_status status = run->blocks.words(run->blocks.context, batch);

    return status ? status : run->ranges.words(run->ranges.context, batch);
}

/* Events alone, of the dictionary in use. */
static struct cairn_word_batch batch_of(const struct part_run *run, struct cairn_word_event *events,
                                        size_t count)
{
    return (struct cairn_word_batch){
        .size = sizeof(struct cairn_word_batch),
        .event = events,
        .event_count = count,
        .event_size = sizeof *events,
        .dictionary = run->dictionary,
        .generation = run->generation,
    };
}

/* What was executed in the part says of memory that is not there, and of overflows. */
static cairn_status count_events(struct part_run *run, const struct cairn_word_batch *batch)
{
    struct cli_count_part *const part = run->part;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->event_count && !status && run->where == INSIDE; i++) {
        const struct cairn_word_event *const event = cairn_word_event_at(batch, i);

        status = cli_count_event(part->counts, &part->overflows, event->kind, event->address,
                                 event->value);
    }
    return status;
}

/* The events that wait. */
static cairn_status tell(struct part_run *run)
{
    struct cairn_word_batch some = batch_of(run, run->events, run->event_count);

    if (!run->event_count)
        return CAIRN_OK;
    run->event_count = 0;
    cairn_chosen_words(&run->chosen, &some);
    const cairn_status status = count_events(run, &some);
    return status ? status : tell_both(run, &some);
}

/* Puts down what was counted by words. */
static cairn_status flush(struct part_run *run)
{
    struct cairn_word_batch none = batch_of(run, run->events, 0);

    none.dictionary_ends = true;
    return tell_both(run, &none);
}

/* --- marks --- */

static void clear_mark(struct part_mark *mark)
{
    cairn_counted_mark_clear(&mark->counted);
    free(mark->blocks);
}

static cairn_status set_mark(struct part_run *run, struct part_mark *mark)
{
    const struct cairn_block_counts *const blocks = &run->part->blocks;
    const cairn_status status = flush(run);

    if (status)
        return status;
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

static bool waits_for_edges(const struct part_mark *mark)
{
    return mark->counted.is_set && !mark->has_edges;
}

/* A range that comes first behind marks says where the branch in front of them went. */
static bool is_awaited(const struct part_run *run, const struct cairn_word_event *event)
{
    return event->kind == CAIRN_FLOW_RANGE && event->instructions &&
           (waits_for_edges(&run->from) || waits_for_edges(&run->to));
}

static cairn_status mark_edges(struct part_run *run)
{
    struct part_mark *const marks[] = {&run->from, &run->to};
    cairn_status status = CAIRN_OK;

    for (unsigned i = 0; i < 2 && !status; i++)
        if (waits_for_edges(marks[i])) {
            status = cairn_counted_mark_edges(run->part->counted, &marks[i]->counted);
            marks[i]->has_edges = true;
        }
    return status;
}

/* --- record by record --- */

static bool ends_row(const struct cairn_word_event *event)
{
    switch (event->kind) {
    case CAIRN_FLOW_RANGE:
        return (event->flags & (CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN)) ==
               (CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN);
    case CAIRN_FLOW_GAP:
    case CAIRN_FLOW_EXCEPTION:
    case CAIRN_FLOW_TRACE_ON: return true;
    default: return false;
    }
}

/* Whether an event is a record that can be the first one of a part: marks are none, and of warnings and data it depends on
 * those before whether they are told. */
static bool is_record(const struct cairn_word_event *event)
{
    return event->kind < CAIRN_WORD_DISCONTINUITY && event->kind != CAIRN_FLOW_WARNING &&
           event->kind != CAIRN_FLOW_DATA;
}

static bool has_end(const struct cli_count_part *part)
{
    return part->to < part->size;
}

/* Where something comes to another place of the part. UINT64_MAX: nowhere any more. */
static uint64_t next_cut(const struct part_run *run)
{
    switch (run->where) {
    case BEFORE_ALL: return run->near;
    case NEAR: return run->part->from;
    case INSIDE: return has_end(run->part) ? run->part->to : UINT64_MAX;
    case BEHIND: break;
    }
    return UINT64_MAX;
}

/* CAIRN_E_NOT_FOUND: what was in front of the part is not known well enough. */
static cairn_status move_on(struct part_run *run, uint64_t offset)
{
    const struct cli_count_part *const part = run->part;
    cairn_status status = tell(run);

    if (run->where == BEFORE_ALL)
        run->where = NEAR;
    if (!status && run->where == NEAR && offset >= part->from) {
        if (run->near && !(run->has_range && run->has_row))
            return CAIRN_E_NOT_FOUND;
        run->where = INSIDE;
        status = set_mark(run, &run->from);
    }
    if (!status && run->where == INSIDE && has_end(part) && offset >= part->to) {
        run->where = BEHIND;
        status = set_mark(run, &run->to);
    }
    return status;
}

static cairn_status add_event(struct part_run *run, const struct cairn_word_event *event)
{
    run->events[run->event_count++] = *event;
    return run->event_count == EVENTS ? tell(run) : CAIRN_OK;
}

/* Not sure to be right, but where the context is, how many cycles there were, and in which packet decoding stands. */
static cairn_status take_unsure(struct part_run *run, const struct cairn_word_event *event)
{
    struct cairn_word_event cycles = *event;
    cairn_status status = CAIRN_OK;

    switch (event->kind) {
    case CAIRN_WORD_WAITS: /* and the steps that have one each are left out */
        status = add_event(run, event);
        cycles.kind = CAIRN_FLOW_CYCLES;
        cycles.address += event->instructions;
        return status ? status : add_event(run, &cycles);
    case CAIRN_WORD_PACKET:
    case CAIRN_FLOW_CONTEXT:
    case CAIRN_FLOW_CYCLES: return add_event(run, event);
    default: return CAIRN_OK;
    }
}

static bool is_done(const struct part_run *run)
{
    return run->where == BEHIND && run->to.has_edges;
}

static cairn_status take_event(void *context, const struct cairn_word_event *event)
{
    struct part_run *const run = context;
    cairn_status status = CAIRN_OK;

    if (is_done(run))
        return CAIRN_OK;
    if (is_record(event) && event->offset >= next_cut(run))
        status = move_on(run, event->offset);
    if (status)
        return status;
    if (run->where == BEFORE_ALL)
        return take_unsure(run, event);
    run->has_range |= event->kind == CAIRN_FLOW_RANGE && event->instructions;
    run->has_row |= ends_row(event);
    if (run->where == INSIDE)
        cli_part_move_gap(&run->part->ledger, event);
    const bool awaited = is_awaited(run, event);
    status = add_event(run, event);
    if (!status && awaited)
        status = tell(run);
    return !status && awaited ? mark_edges(run) : status;
}

/* --- batches --- */

/* Whether each record of a batch has to be looked at. */
static bool is_near_cut(const struct part_run *run, const struct cairn_word_batch *batch)
{
    if (run->where == BEFORE_ALL || waits_for_edges(&run->from) || waits_for_edges(&run->to) ||
        (run->where == NEAR && run->near && !(run->has_range && run->has_row)))
        return true;
    return next_cut(run) < UINT64_MAX && cairn_unfold_reaches(batch, next_cut(run));
}

static cairn_status look_at(struct part_run *run, const struct cairn_word_batch *batch)
{
    cairn_status status = cairn_unfold_words(&run->unfold, batch, take_event, run);

    if (!status)
        status = tell(run);
    return !status && batch->dictionary_ends ? flush(run) : status;
}

/* A copy of what is wanted of a batch: the pipeline has still to read its own. */
static cairn_status choose(struct part_run *run, struct cairn_word_batch *batch)
{
    const struct cairn_word_batch given = *batch;

    if (!run->chosen.wants)
        return CAIRN_OK;
    if (!run->kept || run->kept->capacity < given.count ||
        run->kept->event_capacity < given.event_count) {
        const size_t room = given.count > given.event_count ? given.count : given.event_count;

        cairn_word_batch_free(run->kept);
        run->kept = NULL;
        const cairn_status status = cairn_word_batch_new(room, true, &run->kept);
        if (status)
            return status;
    }
    batch->path = run->kept->path;
    batch->offset = run->kept->offset;
    batch->event = run->kept->event;
    batch->event_size = sizeof *batch->event;
    for (size_t i = 0; i < given.count; i++) {
        batch->path[i] = given.path[i];
        batch->offset[i] = given.offset[i];
    }
    for (size_t i = 0; i < given.event_count; i++)
        batch->event[i] = *cairn_word_event_at(&given, i);
    cairn_chosen_words(&run->chosen, batch);
    return CAIRN_OK;
}

static cairn_status count_row_event(void *context, const struct cairn_word_event *event)
{
    struct part_run *const run = context;

    run->events[run->event_count++] = *event;
    if (run->event_count < EVENTS)
        return CAIRN_OK;
    const struct cairn_word_batch some = batch_of(run, run->events, run->event_count);
    run->event_count = 0;
    return run->ranges.words(run->ranges.context, &some);
}

/* Rows of ranges need each range in its place. */
static cairn_status count_rows(struct part_run *run, const struct cairn_word_batch *batch)
{
    struct cairn_unfold unfold = run->unfold;
    cairn_status status = cairn_unfold_words(&unfold, batch, count_row_event, run);
    struct cairn_word_batch rest = batch_of(run, run->events, run->event_count);

    run->event_count = 0;
    rest.dictionary_ends = batch->dictionary_ends;
    return status ? status : run->ranges.words(run->ranges.context, &rest);
}

/* All of a batch is at one place of the part. */
static cairn_status take_whole(struct part_run *run, const struct cairn_word_batch *batch)
{
    struct cairn_word_batch some = *batch;

    for (size_t i = 0; i < batch->event_count && run->where == INSIDE; i++)
        cli_part_move_gap(&run->part->ledger, cairn_word_event_at(batch, i));
    cairn_status status = choose(run, &some);
    if (!status)
        status = count_events(run, &some);
    if (!status)
        status = run->blocks.words(run->blocks.context, &some);
    if (!status)
        status = run->is_in_rows ? count_rows(run, &some)
                                 : run->ranges.words(run->ranges.context, &some);
    cairn_unfold_pass(&run->unfold, batch);
    return status;
}

/* CAIRN_E_LIMIT: nothing more is wanted. */
static cairn_status take_words(void *context, const struct cairn_word_batch *batch)
{
    struct part_run *const run = context;

    run->has_words = true;
    run->dictionary = batch->dictionary;
    run->generation = batch->generation;
    cli_part_snapshot(&run->snapshots, run->part, batch, cairn_pipeline_ledger(run->pipeline));
    const cairn_status status =
        is_near_cut(run, batch) ? look_at(run, batch) : take_whole(run, batch);
    return !status && is_done(run) ? CAIRN_E_LIMIT : status;
}

/* Records: all there is of the reference path. In front of words it is the context where decoding begins. */
static cairn_status take_records(void *context, const struct cairn_flow_batch *batch)
{
    struct part_run *const run = context;
    cairn_status status = CAIRN_OK;

    if (run->has_words)
        return CAIRN_OK;
    if (!run->part->session->options->reference && batch->count)
        run->snapshots.begin = batch->offset[0];
    for (size_t i = 0; i < batch->count && !status; i++)
        status = take_event(run, &(struct cairn_word_event){
                                     .kind = batch->kind[i],
                                     .isa = batch->isa[i],
                                     .flags = batch->flags[i],
                                     .instructions = batch->instructions[i],
                                     .offset = batch->offset[i],
                                     .length = batch->length[i],
                                     .address = batch->address[i],
                                     .value = batch->value[i],
                                 });
    if (!status)
        status = tell(run);
    return !status && is_done(run) ? CAIRN_E_LIMIT : status;
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
        run->ranges.end(run->ranges.context, NULL, CAIRN_OK);
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

static cairn_status new_pipeline(struct part_run *run, struct cli_progress *progress,
                                 const struct cairn_source_info *info, struct cairn_error *error)
{
    const struct cli_count_part *const part = run->part;
    const struct cli_options *const options = part->session->options;
    const struct cairn_consumer consumer = {
        .size = sizeof consumer, .context = run, .words = take_words, .events = take_records};
    struct cairn_pipeline_options wanted = CAIRN_PIPELINE_OPTIONS_INIT;

    wanted.flags = CAIRN_PIPELINE_OWN_TOTALS |
                   (options->reference ? CAIRN_PIPELINE_REFERENCE : CAIRN_PIPELINE_COUNTS);
    wanted.jobs = options->jobs;
    wanted.table_bytes = options->table_bytes;
    wanted.from = run->near;
    wanted.progress = cli_progress_watch;
    wanted.context = progress;
    cli_count_choose(part->session, info, &wanted);
    /* cuts are between all records, and gaps of all of them are in the ledger */
    cairn_chosen_begin(&run->chosen, wanted.chooses, wanted.chooses_context);
    wanted.chooses = NULL;
    const cairn_status status = cairn_pipeline_new(
        part->session->capture, part->source, part->config,
        cairn_capture_image(part->session->capture), &wanted, &run->pipeline, error);
    if (status)
        return status;
    cairn_pipeline_repeat_undefined(run->pipeline); /* warnings are not counted */
    return cairn_pipeline_add(run->pipeline, &consumer);
}

static cairn_status new_counts(struct part_run *run)
{
    static const struct cairn_dictionary none = {.path_count = 0};
    struct cli_count_part *const part = run->part;
    struct cairn_image *const image = cairn_capture_image(part->session->capture);

    run->dictionary = &none; /* until words come */
    run->events = calloc(EVENTS, sizeof *run->events);
    cairn_status status = run->events ? CAIRN_OK : CAIRN_E_MEMORY;
    if (!status)
        status = cli_count_begin(part->session->options, image, part->config, &part->counted);
    if (!status)
        status = cairn_calls_make(part->config, image, NULL, &part->functions, &part->blocks, NULL,
                                  NULL, NULL, &run->calls);
    if (status)
        return status;
    run->is_in_rows = cli_count_wants_rows(part->session->options, part->config);
    run->blocks = cairn_calls_consumer(run->calls);
    run->ranges = cairn_counted_words_consumer(part->counted);
    return CAIRN_OK;
}

static cairn_status decode(struct part_run *run, struct cairn_error *error)
{
    struct cli_count_part *const part = run->part;
    struct cairn_source_info info = {.size = sizeof info};
    struct cli_progress progress;

    (void)cairn_capture_source(part->session->capture, part->source, &info);
    cli_progress_start(&progress, info.name, 0);
    cairn_status status = new_pipeline(run, &progress, &info, error);
    if (!status)
        status = new_counts(run);
    if (!status)
        status = cairn_pipeline_run(run->pipeline);
    if (status == CAIRN_E_LIMIT && is_done(run))
        status = CAIRN_OK;
    if (!status && !cli_interrupted())
        status = cli_part_packets(part, &run->snapshots, error);
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS && !status; i++)
        part->ledger.lost[i] = (part->ledger.account[i].bytes || part->ledger.account[i].packets) &&
                               cairn_pipeline_ledger(run->pipeline)->lost[i];
    cli_progress_end(&progress);
    return status;
}

static void clear_run(struct part_run *run)
{
    cairn_calls_free(run->calls);
    cairn_pipeline_free(run->pipeline);
    cairn_word_batch_free(run->kept);
    free(run->events);
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

    run.where = near ? BEFORE_ALL : part->from ? NEAR : INSIDE;
    part->ledger = (struct cairn_ledger){.size = sizeof part->ledger};
    part->overflows = 0;
    cairn_status status = decode(&run, error);
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
