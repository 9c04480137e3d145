/* SPDX-License-Identifier: BSD-2-Clause */
#include "runner.h"

#include <stdlib.h>

#include <cairn/engine.h>

#include "flow/cursor.h"
#include "protocol/protocol.h"

enum {
    PACKETS_AT_ONCE = 1024,
    NARROW_AT_ONCE = 8192,
    TOKENS_AT_ONCE = 1024,
    RECORDS_AT_ONCE = 4096,
    UNITS_AT_ONCE = 16384,
    STEPS_AT_ONCE = 32768,
    ADDRESSES_AT_ONCE = 32768,
};

/* What a mode needs of each source; the rest is shared by all. */
struct lane {
    const struct bench_source *source;
    struct cairn_engine *engine;
    const struct cairn_dictionary *dictionary; /* of the last batch */
    uint64_t counted; /* instructions that the dictionary's counters told of before this pass */
};

struct bench_runner {
    enum bench_mode mode;
    unsigned threads;
    bool checking;
    size_t count;
    struct lane *lanes;
    struct cairn_image *image;
    struct cairn_packet_batch *packets;
    struct cairn_packet_batch narrow; /* without fields */
    struct cairn_scan_batch tokens;
    struct cairn_flow_batch *records;
    struct cairn_word_batch *units;
    uint32_t *steps;
    uint64_t *addresses;
    uint64_t total; /* of the pass under way */
};

/* --- what is made of a batch of units --- */

static uint64_t count_by_paths(const struct cairn_dictionary *dictionary)
{
    size_t count, paths;
    const uint64_t *counts = cairn_dictionary_counts(dictionary, &count);
    const struct cairn_path *path = cairn_dictionary_paths(dictionary, &paths);
    uint64_t instructions = 0;

    for (size_t i = 0; counts && i < count && i < paths; i++)
        instructions += counts[i] * path[i].instructions;
    return instructions;
}

static void take_counts(struct bench_runner *runner, struct lane *lane)
{
    runner->total += runner->units->instructions;
    if (!runner->units->dictionary_ends)
        return;
    runner->total += count_by_paths(lane->dictionary) - lane->counted;
    lane->counted = 0;
}

static void take_ids(struct bench_runner *runner, struct lane *lane)
{
    const struct cairn_word_batch *units = runner->units;
    const struct cairn_path *paths;
    size_t count;

    runner->total += units->instructions;
    if (!runner->checking)
        return;
    paths = cairn_dictionary_paths(lane->dictionary, &count);
    for (size_t i = 0; i < units->count; i++)
        runner->total += paths[units->path[i] & ~CAIRN_WORD_INFERRED].instructions;
}

static void take_blocks(struct bench_runner *runner, struct lane *lane)
{
    struct cairn_word_cursor cursor = {0};
    size_t count;

    runner->total += runner->units->instructions;
    while ((count = cairn_words_blocks(runner->units, &cursor, runner->steps, STEPS_AT_ONCE))) {
        size_t blocks;
        const struct cairn_code_block *block = cairn_dictionary_blocks(lane->dictionary, &blocks);

        for (size_t i = 0; i < count && runner->checking; i++)
            runner->total += block[runner->steps[i] >> 1].instructions;
    }
}

static void take_instructions(struct bench_runner *runner, struct lane *lane)
{
    struct cairn_word_cursor cursor = {0};
    size_t count;

    (void)lane;
    runner->total += runner->units->instructions;
    while ((count = cairn_words_instructions(runner->units, &cursor, runner->addresses,
                                             ADDRESSES_AT_ONCE)))
        runner->total += count;
}

static void take_range(void *context, const struct cairn_range *range)
{
    *(uint64_t *)context += range->instructions;
}

static void take_calls(struct bench_runner *runner, struct lane *lane)
{
    (void)lane;
    cairn_words_each(runner->units, take_range, &runner->total);
}

/* --- passes --- */

static void list_packets(struct bench_runner *runner, struct lane *lane,
                         struct cairn_packet_batch *batch)
{
    const struct bench_source *source = lane->source;
    struct cairn_packets *packets = NULL;
    size_t added;

    bench_must(cairn_packets_new(source->config, &packets), NULL, "packets");
    for (size_t at = 0; at < source->size; batch->count = 0) {
        bench_must(cairn_packets_run(packets, source->bytes, source->size, &at, batch), NULL,
                   "packets");
        runner->total += batch->count;
    }
    do {
        bench_must(cairn_packets_finish(packets, batch), NULL, "packets");
        added = batch->count;
        runner->total += added;
        batch->count = 0;
    } while (added);
    cairn_packets_free(packets);
}

/* Packets, their addresses whole. */
static void run_packets(struct bench_runner *runner, struct lane *lane)
{
    list_packets(runner, lane, &runner->narrow);
}

/* The same with speculation resolved: what lies below flow, all of it. */
static void run_scan(struct bench_runner *runner, struct lane *lane)
{
    const struct bench_source *source = lane->source;
    const struct cairn_protocol *protocol = source->config->protocol;
    struct cairn_scan_batch *batch = &runner->tokens;
    void *state = NULL;
    size_t added;

    bench_must(protocol->scan_new ? protocol->scan_new(source->config, &state)
                                  : CAIRN_E_UNSUPPORTED,
               NULL, "scan");
    for (size_t at = 0; at < source->size; batch->count = batch->data_count = 0)
        bench_must(protocol->scan_run(state, source->bytes, source->size, &at, batch), NULL,
                   "packets");
    do {
        bench_must(protocol->scan_finish(state, batch), NULL, "packets");
        added = batch->count;
        batch->count = batch->data_count = 0;
    } while (added);
    protocol->scan_free(state);
}

static void run_packet_list(struct bench_runner *runner, struct lane *lane)
{
    list_packets(runner, lane, runner->packets);
}

static void take_records(struct bench_runner *runner)
{
    struct cairn_flow_batch *batch = runner->records;

    for (size_t i = 0; i < batch->count; i++)
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            runner->total += batch->instructions[i];
    batch->count = 0;
}

/* A decoder's life from its making to its end: nothing is kept from pass to pass. */
static void run_reference(struct bench_runner *runner, struct lane *lane)
{
    const struct bench_source *source = lane->source;
    struct cairn_decoder *decoder = NULL;
    size_t added;

    bench_must(cairn_decoder_new(source->config, runner->image, &decoder), NULL, "decoder");
    for (size_t at = 0; at < source->size; take_records(runner))
        bench_must(cairn_decoder_run(decoder, source->bytes, source->size, &at, runner->records),
                   NULL, "flow");
    do {
        bench_must(cairn_decoder_finish(decoder, runner->records), NULL, "flow");
        added = runner->records->count;
        take_records(runner);
    } while (added);
    cairn_decoder_free(decoder);
}

struct mode {
    const char *name;
    enum bench_depth depth;
    uint32_t flags; /* of the engine */
    void (*run)(struct bench_runner *runner, struct lane *lane);
    void (*take)(struct bench_runner *runner, struct lane *lane);
};

static void run_engine(struct bench_runner *runner, struct lane *lane);

static const struct mode modes[BENCH_MODE_COUNT] = {
    [BENCH_MODE_PACKETS] = {"packets", BENCH_PACKETS, 0, run_packets, NULL},
    [BENCH_MODE_SCAN] = {"scan", BENCH_PACKETS, 0, run_scan, NULL},
    [BENCH_MODE_PACKET_LIST] = {"packet_list", BENCH_PACKETS, 0, run_packet_list, NULL},
    [BENCH_MODE_REFERENCE] = {"reference", BENCH_FLOW, 0, run_reference, NULL},
    [BENCH_MODE_COUNTS] = {"counts", BENCH_FLOW, CAIRN_ENGINE_COUNTS, run_engine, take_counts},
    [BENCH_MODE_PATH_IDS] = {"path_ids", BENCH_FLOW, 0, run_engine, take_ids},
    [BENCH_MODE_BLOCKS] = {"blocks", BENCH_FLOW, 0, run_engine, take_blocks},
    [BENCH_MODE_INSTRUCTIONS] = {"instructions", BENCH_FLOW, 0, run_engine, take_instructions},
    [BENCH_MODE_CALLBACK] = {"callback", BENCH_FLOW, 0, run_engine, take_calls},
};

static size_t take(struct bench_runner *runner, struct lane *lane)
{
    struct cairn_word_batch *units = runner->units;
    const size_t added = units->count + units->event_count;
    const bool more = added || units->instructions || units->dictionary_ends;

    lane->dictionary = units->dictionary;
    modes[runner->mode].take(runner, lane);
    units->count = 0;
    units->event_count = 0;
    units->instructions = 0;
    return more;
}

static struct cairn_engine *make_engine(const struct bench_runner *runner,
                                        const struct bench_source *source)
{
    struct cairn_engine_options options = CAIRN_ENGINE_OPTIONS_INIT;
    struct cairn_engine *engine = NULL;

    options.flags = modes[runner->mode].flags | CAIRN_ENGINE_NO_PACKETS;
    options.jobs = runner->threads;
    bench_must(cairn_engine_new(source->config, runner->image, &options, &engine), NULL, "engine");
    return engine;
}

static void run_engine(struct bench_runner *runner, struct lane *lane)
{
    const struct bench_source *source = lane->source;

    bench_must(cairn_engine_rewind(lane->engine), NULL, "engine");
    for (size_t at = 0; at < source->size; take(runner, lane))
        bench_must(cairn_engine_run(lane->engine, source->bytes, source->size, &at, runner->units),
                   NULL, "engine");
    do
        bench_must(cairn_engine_finish(lane->engine, runner->units), NULL, "engine");
    while (take(runner, lane));
    if (runner->mode == BENCH_MODE_COUNTS) {
        const uint64_t now = count_by_paths(lane->dictionary);

        runner->total += now - lane->counted;
        lane->counted = now;
    }
}

/* --- a runner --- */

const char *bench_mode_name(enum bench_mode mode)
{
    return modes[mode].name;
}

enum bench_depth bench_mode_depth(enum bench_mode mode)
{
    return modes[mode].depth;
}

bool bench_mode_learns(enum bench_mode mode)
{
    return modes[mode].take != NULL;
}

static void make_batches(struct bench_runner *runner)
{
    switch (runner->mode) {
    case BENCH_MODE_PACKETS:
        runner->narrow = (struct cairn_packet_batch){
            .size = sizeof runner->narrow,
            .capacity = NARROW_AT_ONCE,
            .offset = calloc(NARROW_AT_ONCE, sizeof *runner->narrow.offset),
            .kind = calloc(NARROW_AT_ONCE, sizeof *runner->narrow.kind),
            .address = calloc(NARROW_AT_ONCE, sizeof *runner->narrow.address),
            .address_packet = calloc(NARROW_AT_ONCE, sizeof *runner->narrow.address_packet)};
        if (!runner->narrow.offset || !runner->narrow.kind || !runner->narrow.address ||
            !runner->narrow.address_packet)
            bench_must(CAIRN_E_MEMORY, NULL, "batch");
        break;
    case BENCH_MODE_SCAN:
        runner->tokens.capacity = runner->tokens.data_capacity = TOKENS_AT_ONCE;
        runner->tokens.token = calloc(TOKENS_AT_ONCE, sizeof *runner->tokens.token);
        runner->tokens.data = calloc(TOKENS_AT_ONCE, sizeof *runner->tokens.data);
        break;
    case BENCH_MODE_PACKET_LIST:
        bench_must(cairn_packet_batch_new(PACKETS_AT_ONCE, &runner->packets), NULL, "batch");
        break;
    case BENCH_MODE_REFERENCE:
        bench_must(cairn_flow_batch_new(RECORDS_AT_ONCE, &runner->records), NULL, "batch");
        break;
    case BENCH_MODE_COUNTS:
    case BENCH_MODE_PATH_IDS:
    case BENCH_MODE_BLOCKS:
    case BENCH_MODE_INSTRUCTIONS:
    case BENCH_MODE_CALLBACK:
    case BENCH_MODE_COUNT:
        bench_must(cairn_word_batch_new(UNITS_AT_ONCE, false, &runner->units), NULL, "batch");
        break;
    }
    if (runner->mode == BENCH_MODE_BLOCKS)
        runner->steps = calloc(STEPS_AT_ONCE, sizeof *runner->steps);
    if (runner->mode == BENCH_MODE_INSTRUCTIONS)
        runner->addresses = calloc(ADDRESSES_AT_ONCE, sizeof *runner->addresses);
}

struct bench_runner *bench_runner_new(enum bench_mode mode, unsigned threads,
                                      const struct bench_capture *loaded, struct cairn_image *image)
{
    struct bench_runner *runner = calloc(1, sizeof *runner);

    bench_must(runner ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "runner");
    runner->mode = mode;
    runner->threads = threads;
    runner->image = cairn_image_ref(image);
    runner->count = loaded->source_count;
    runner->lanes = calloc(runner->count + 1, sizeof *runner->lanes);
    bench_must(runner->lanes ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "runner");
    make_batches(runner);
    for (size_t i = 0; i < runner->count; i++) {
        struct lane *lane = &runner->lanes[i];

        lane->source = &loaded->sources[i];
        if (modes[mode].take)
            lane->engine = make_engine(runner, lane->source);
    }
    return runner;
}

void bench_runner_free(struct bench_runner *runner)
{
    if (!runner)
        return;
    for (size_t i = 0; i < runner->count; i++)
        cairn_engine_free(runner->lanes[i].engine);
    free(runner->lanes);
    free(runner->tokens.token);
    free(runner->tokens.data);
    free(runner->narrow.offset);
    free(runner->narrow.kind);
    free(runner->narrow.address);
    free(runner->narrow.address_packet);
    cairn_packet_batch_free(runner->packets);
    cairn_flow_batch_free(runner->records);
    cairn_word_batch_free(runner->units);
    free(runner->steps);
    free(runner->addresses);
    cairn_image_unref(runner->image);
    free(runner);
}

void bench_runner_run(struct bench_runner *runner)
{
    runner->total = 0;
    for (size_t i = 0; i < runner->count; i++)
        modes[runner->mode].run(runner, &runner->lanes[i]);
}

uint64_t bench_runner_check(struct bench_runner *runner)
{
    runner->checking = true;
    bench_runner_run(runner);
    runner->checking = false;
    return runner->total;
}

struct bench_tables bench_runner_tables(const struct bench_runner *runner)
{
    struct bench_tables tables = {0};

    for (size_t i = 0; i < runner->count; i++) {
        const struct lane *lane = &runner->lanes[i];
        struct cairn_engine_statistics statistics = {.size = sizeof statistics};
        size_t paths = 0;

        if (!lane->engine)
            continue;
        cairn_engine_statistics(lane->engine, &statistics);
        if (lane->dictionary)
            cairn_dictionary_paths(lane->dictionary, &paths);
        tables.paths += paths;
        tables.bytes += statistics.table_bytes;
        tables.generations += statistics.generations;
        tables.misses += statistics.misses;
        tables.hot_bytes += statistics.hot_bytes;
        tables.scanned_bytes += statistics.scanned_bytes;
        tables.cold_bytes += statistics.cold_bytes;
    }
    return tables;
}
