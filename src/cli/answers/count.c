/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answers/count.h"

#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "cli/answers/pgo_input.h"
#include "cli/options/protocols.h"
#include "cli/screen/watch.h"
#include "cli/session/whose.h"

struct counting {
    struct cli_session *session;
    struct cairn_counts *counts;
    const char *path;
    struct cairn_profiled profile;
    uint64_t *rows; /* of the profile's sources */
    struct cairn_counts_taker taker;
    struct cairn_pgo pgo;
    size_t decoded, refused, left_out;
    bool gaps;
    /* of the source that is counted */
    uint64_t overflows;
};

/* --- what records say --- */

#define COMPACT_FIRST ((size_t)1 << 16)

/* The same address comes again and again. */
static cairn_status add_missing(struct cairn_counts *counts, uint64_t address)
{
    const uint64_t cells[] = {address, 1};
    const size_t count = counts->tables[CAIRN_COUNTS_MISSING].count;
    cairn_status status = CAIRN_OK;

    if (count >= COMPACT_FIRST && !(count & (count - 1)))
        status = cairn_counts_compact(counts, CAIRN_COUNTS_MISSING);
    return status ? status : cairn_counts_add(counts, CAIRN_COUNTS_MISSING, cells);
}

cairn_status cli_count_event(struct cairn_counts *counts, uint64_t *overflows, uint8_t kind,
                             uint64_t address, uint64_t value)
{
    if (kind == CAIRN_FLOW_GAP && value == CAIRN_GAP_NO_IMAGE)
        return add_missing(counts, address);
    if (kind == CAIRN_FLOW_OVERFLOW)
        ++*overflows;
    return CAIRN_OK;
}

static cairn_status take_events(void *context, const struct cairn_flow_batch *batch)
{
    struct counting *const counting = context;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && !status; i++)
        status = cli_count_event(counting->counts, &counting->overflows, batch->kind[i],
                                 batch->address[i], batch->value[i]);
    return status;
}

/* Rows need each range in its place, also of what was executed a million times. */
bool cli_count_wants_rows(const struct cli_options *options, const struct cairn_config *config)
{
    return options->count.rows || (cairn_config_tells(config) & CAIRN_TELLS_CONDITIONS) != 0;
}

cairn_status cli_count_begin(const struct cli_options *options, struct cairn_image *image,
                             struct cairn_config *config, struct cairn_counted **counted)
{
    const cairn_status status = cairn_counted_new(image, config, counted);

    if (status)
        return status;
    if (options->count.rows)
        cairn_counted_want_rows(*counted, CAIRN_ROWS_TO_TAKEN);
    else if (cairn_config_tells(config) & CAIRN_TELLS_CONDITIONS)
        cairn_counted_want_rows(*counted, CAIRN_ROWS_TO_BRANCH);
    return CAIRN_OK;
}

static bool is_chosen(void *context, const struct cairn_context *where)
{
    return cli_whose_wants(context, where->context_id, where->vmid);
}

void cli_count_choose(struct cli_session *session, const struct cairn_source_info *info,
                      struct cairn_pipeline_options *wanted)
{
    if (!cli_whose_asks(session) || info->thread_id)
        return;
    wanted->chooses = is_chosen;
    wanted->chooses_context = session;
}

/* --- a source --- */

#define SAMPLE ((size_t)64 << 10)

static cairn_status sample(struct cairn_reader *reader, uint64_t at, uint64_t *sum)
{
    struct cairn_chunk chunk;
    cairn_status status = cairn_reader_seek(reader, at);
    size_t left = SAMPLE;

    while (!status && left) {
        status = cairn_reader_next(reader, &chunk);
        if (status || !chunk.size)
            break;
        const size_t size = chunk.size < left ? chunk.size : left;
        *sum = *sum * UINT64_C(0x100000001b3) ^ cairn_counts_checksum(chunk.data, size);
        left -= size;
    }
    return status;
}

/* What tells sources of one name apart: how many bytes they have, and some of these. */
static cairn_status look_at(struct counting *counting, size_t source, uint64_t *size,
                            uint64_t *fingerprint, struct cairn_error *error)
{
    struct cairn_reader *reader = NULL;
    cairn_status status = cairn_reader_new(counting->session->capture, source, &reader, error);

    if (!status)
        status = cairn_reader_size(reader, NULL, NULL, size);
    *fingerprint = 0;
    if (!status)
        status = sample(reader, 0, fingerprint);
    if (!status && *size > 2 * SAMPLE)
        status = sample(reader, *size / 2, fingerprint);
    if (!status && *size > SAMPLE)
        status = sample(reader, *size - SAMPLE, fingerprint);
    cairn_reader_free(reader);
    return status;
}

/* What a source executed is taken before the next one is counted, which may have other code at its addresses. */
static cairn_status take_counted(struct counting *counting, struct cairn_config *config,
                                 struct cairn_block_counts *blocks,
                                 const struct cairn_counted *counted)
{
    cairn_status status =
        cairn_counts_take_blocks(&counting->taker, blocks, cairn_config_arch(config));

    cairn_block_counts_free(blocks);
    return status ? status
                  : cairn_pgo_add_counted(&counting->pgo, counting->session->capture, counted);
}

static cairn_status run_whole(struct counting *counting, struct cairn_pipeline *pipeline,
                              struct cairn_counts_source *made)
{
    struct cairn_profiled *const profile = &counting->profile;
    const struct cairn_consumer events = {
        .size = sizeof events, .context = counting, .events = take_events};
    struct cairn_counted *counted = NULL;

    uint64_t *const grown = realloc(counting->rows, (profile->source_count + 1) * sizeof *grown);

    if (!grown)
        return CAIRN_E_MEMORY;
    counting->rows = grown;
    grown[profile->source_count] = CAIRN_COUNTS_NO_ROW; /* until all of it is counted */
    counting->overflows = 0;
    cairn_status status =
        cli_count_begin(counting->session->options, profile->image, made->config, &counted);
    if (!status)
        status = cairn_profile_add(profile, made->info->name, pipeline);
    if (!status)
        status = cairn_pipeline_add(pipeline, &events);
    if (!status) {
        const struct cairn_consumer ranges =
            cli_count_wants_rows(counting->session->options, made->config)
                ? cairn_counted_consumer(counted)
                : cairn_counted_words_consumer(counted);

        status = cairn_pipeline_add(pipeline, &ranges);
    }
    if (!status)
        status = cairn_pipeline_run(pipeline);
    const cairn_status ended = cairn_profile_added(profile);
    if (!status)
        status = ended;
    if (!status)
        status = cairn_counted_finish(counted);
    if (!status)
        status = take_counted(counting, made->config, &profile->counted, counted);
    cairn_counted_free(counted);
    made->ledger = cairn_pipeline_ledger(pipeline);
    made->bytes = made->ledger->total;
    made->overflows = counting->overflows;
    if (status) {
        cairn_block_counts_free(&profile->counted);
        return status;
    }
    made->instructions = profile->sources[profile->source_count - 1].instructions;
    made->cycles = profile->sources[profile->source_count - 1].cycles;
    return cairn_counts_take_source(counting->counts, made, &grown[profile->source_count - 1]);
}

static cairn_status count_whole(struct counting *counting, size_t source,
                                struct cairn_counts_source *made, struct cairn_error *error)
{
    const struct cli_options *const options = counting->session->options;
    struct cairn_pipeline_options wanted = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_pipeline *pipeline = NULL;
    struct cli_progress progress;

    cli_progress_start(&progress, made->info->name, made->size);
    wanted.flags = (options->reference ? CAIRN_PIPELINE_REFERENCE : 0) |
                   (cli_count_wants_rows(options, made->config) ? 0 : CAIRN_PIPELINE_COUNTS);
    wanted.jobs = options->jobs;
    wanted.table_bytes = options->table_bytes;
    wanted.progress = cli_progress_watch;
    wanted.context = &progress;
    cli_count_choose(counting->session, made->info, &wanted);
    cairn_status status = cairn_pipeline_new(counting->session->capture, source, made->config,
                                             counting->profile.image, &wanted, &pipeline, error);
    if (!status)
        status = run_whole(counting, pipeline, made);
    cli_progress_end(&progress);
    cairn_pipeline_free(pipeline);
    return status;
}

/* Where part `number` of `count` begins. */
static uint64_t cut(uint64_t size, uint64_t number, uint64_t count)
{
    return size / count * number + size % count * number / count;
}

static cairn_status count_shard(struct counting *counting, size_t source,
                                struct cairn_counts_source *made, struct cairn_error *error)
{
    const struct cli_count *const options = &counting->session->options->count;
    struct cli_count_part part = {
        .session = counting->session,
        .source = source,
        .config = made->config,
        .from = cut(made->size, options->shard - 1, options->shards),
        .to = cut(made->size, options->shard, options->shards),
        .size = made->size,
        .counts = counting->counts,
        .ledger = {.size = sizeof part.ledger},
    };
    uint64_t row;
    cairn_status status = CAIRN_OK;

    if (part.from < part.to)
        status = cli_count_part(&part, error);
    if (!status && part.counted && !cli_interrupted())
        status = take_counted(counting, made->config, &part.blocks, part.counted);
    made->from = part.from;
    made->bytes = part.to - part.from;
    made->instructions = part.instructions;
    made->cycles = part.cycles;
    made->overflows = part.overflows;
    made->ledger = &part.ledger;
    if (!status && !cli_interrupted())
        status = cairn_counts_take_source(counting->counts, made, &row);
    cli_count_part_free(&part);
    return status;
}

static void count_source(struct counting *counting, size_t source)
{
    struct cli_session *const session = counting->session;
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_counts_source made = {.capture = counting->path, .info = &info};
    cairn_status status = cairn_capture_source(session->capture, source, &info);

    if (status || !cairn_protocol_decodes(info.protocol)) {
        if (info.name)
            cli_session_say(session, "%s: left out: %s is not decoded to flow", info.name,
                            info.type ? info.type : cairn_protocol_name(info.protocol));
        counting->refused++;
        return;
    }
    made.config = cli_session_config(session, source, &error);
    if (!made.config) {
        cli_session_say_refused(session, info.name, &error);
        counting->refused++;
        return;
    }
    status = look_at(counting, source, &made.size, &made.fingerprint, &error);
    if (!status && session->options->count.shards && session->options->count.no_calls)
        status = count_shard(counting, source, &made, &error);
    else if (!status)
        status = count_whole(counting, source, &made, &error);
    cairn_config_unref(made.config);
    if (status && !cli_interrupted()) {
        cli_session_say(session, "%s: %s", info.name,
                        error.status ? error.text : cairn_status_text(status));
        counting->refused++;
    } else {
        counting->decoded++;
    }
}

/* --- a capture --- */

/* Of shards with calls each has whole sources, for only who knows all before knows who called. */
static bool is_mine(const struct cli_count *options, size_t index)
{
    return !options->shards || options->no_calls || index % options->shards == options->shard - 1;
}

static cairn_status take_rest(struct counting *counting)
{
    struct cairn_counts *const counts = counting->counts;
    const struct cli_count *const options = &counting->session->options->count;
    cairn_status status = CAIRN_OK;

    if (!options->no_calls)
        status = cairn_counts_take_calls(&counting->taker, &counting->profile, counting->rows);
    if (!status)
        status = cairn_counts_set(counts, options->no_calls ? CAIRN_COUNTS_NO_CALLS
                                                            : CAIRN_COUNTS_HAS_CALLS);
    if (!status)
        status = cairn_counts_set(counts, options->rows ? CAIRN_COUNTS_WHOLE_RANGES
                                                        : CAIRN_COUNTS_SHORT_RANGES);
    if (!status && cli_interrupted())
        status = cairn_counts_set(counts, CAIRN_COUNTS_PARTIAL);
    cli_pgo_mark_recorded(counting->session->capture, &counting->pgo);
    if (!status)
        status = cairn_counts_take_pgo(counts, &counting->pgo);
    return status;
}

static enum cli_exit count_sources(struct counting *counting)
{
    struct cli_session *const session = counting->session;
    struct cairn_image *const image = cairn_capture_image(session->capture);
    cairn_status status = cairn_profile_begin(&counting->profile, image);
    char word[CAIRN_SHELL_ROOM];

    counting->profile.has_calls = !session->options->count.no_calls;
    counting->taker.counts = counting->counts;
    counting->taker.image = image;
    counting->taker.space = counting->profile.space;
    for (size_t i = 0; i < session->source_count && !status && !cli_interrupted(); i++)
        if (is_mine(&session->options->count, i))
            count_source(counting, session->sources[i]);
        else
            counting->left_out++;
    if (!status)
        status = take_rest(counting);
    /* where all shards see a source one says so, as the whole would */
    if (!status && (session->options->count.shard <= 1 || !session->options->count.no_calls))
        status = cairn_counts_increase(counting->counts, CAIRN_COUNTS_REFUSED, counting->refused);
    if (status) {
        cli_session_say(session, "%s: %s", counting->path, cairn_status_text(status));
        return CLI_UNUSABLE;
    }
    if (!counting->decoded && !counting->left_out && !cli_interrupted()) {
        cli_session_say(session, "%s: no source of it could be decoded; `cairn info %s` tells why",
                        counting->path, cairn_shell_file(counting->path, word));
        return CLI_UNUSABLE;
    }
    return counting->refused ? CLI_GAPS : CLI_CLEAN;
}

enum cli_exit cli_count_capture(const struct cli_command *command, const struct cli_options *given,
                                const char *path, struct cairn_counts *counts)
{
    struct cli_options options = *given;
    struct cli_session session;
    struct counting counting = {.session = &session, .counts = counts, .path = path};

    options.capture = path;
    options.output = NULL; /* written when all is known */
    enum cli_exit result = cli_session_open(&session, command, &options, CLI_SURVEY_NEVER);
    if (!result)
        result = count_sources(&counting);
    cairn_profile_free(&counting.profile);
    cairn_counts_taker_free(&counting.taker);
    cairn_pgo_clear(&counting.pgo);
    free(counting.rows);
    /* Ctrl-C: what was counted until then is kept, and known to be a part. */
    const enum cli_exit closed = cli_session_close(&session, result);
    return closed == CLI_INTERRUPTED ? result : closed;
}
