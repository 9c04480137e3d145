/* SPDX-License-Identifier: BSD-2-Clause */
/* The flow of a capture as the feed: each of its sources is a processor with a unit of its own. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/pipeline.h>
#include <cairn/replay.h>

#include "cli/screen/watch.h"
#include "cli/simulate/simulate.h"
#include "cli/simulate/simulate_names.h"
#include "cli/window/where.h"
#include "machine/recording.h"
#include "protocol/about.h"
#include "unit/model.h"

struct feed {
    struct cli_simulation *simulation;
    struct cairn_filters filters;
    struct cairn_recording *recording; /* or NULL */
    struct cairn_recorded_source *source;
    struct cairn_unit *unit;
    struct cairn_replay *replay;
    uint64_t epoch; /* that the source is at */
};

/* --- filters by name --- */

static bool is_range(enum cairn_filter_use use)
{
    return use == CAIRN_FILTER_INCLUDE || use == CAIRN_FILTER_EXCLUDE;
}

static bool add_filter(struct feed *feed, const struct cli_filter *filter)
{
    struct cli_session *session = feed->simulation->session;
    struct cli_place *places = NULL;
    size_t count = 0;
    bool done = true;

    if (!cli_where(session, cairn_filter_name(filter->use), filter->text, &places, &count))
        return false;
    for (size_t i = 0; done && i < count; i++) {
        const bool range = is_range(filter->use);

        if (range && places[i].kind == CAIRN_MATCH_ADDRESS) {
            cli_session_say(session, "--%s %s: expected A..B or a function: this is one address",
                            cairn_filter_name(filter->use), filter->text);
            done = false;
        } else if (range || places[i].is_entry || places[i].kind == CAIRN_MATCH_ADDRESS) {
            done = cairn_filters_add(&feed->filters, filter->use, places[i].first,
                                     range ? places[i].end - 1 : places[i].first) == CAIRN_OK;
        }
    }
    free(places);
    return done;
}

static bool find_filters(struct feed *feed)
{
    const struct cli_record *record = &feed->simulation->options->record;

    for (size_t i = 0; i < record->filter_count; i++)
        if (!add_filter(feed, &record->filters[i]))
            return false;
    return true;
}

/* --- a source --- */

static cairn_status take_code(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct feed *feed = context;
    const uint64_t epoch = cairn_recording_code(feed->recording, address, bytes, size);

    if (epoch <= feed->epoch)
        return CAIRN_OK;
    feed->epoch = epoch;
    return cairn_recorded_source_epoch(feed->source, epoch, cairn_unit_position(feed->unit));
}

static cairn_status take_records(void *context, const struct cairn_flow_batch *batch)
{
    struct feed *feed = context;

    return cairn_replay_records(feed->replay, batch);
}

static cairn_status replay(struct feed *feed, size_t source, struct cairn_config *config,
                           struct cairn_error *error)
{
    struct cli_session *session = feed->simulation->session;
    struct cairn_image *image = cairn_capture_image(session->capture);
    struct cairn_replay_options options = CAIRN_REPLAY_OPTIONS_INIT;
    struct cairn_pipeline_options piped = CAIRN_PIPELINE_OPTIONS_INIT;
    const struct cairn_consumer consumer = {
        .size = sizeof consumer, .context = feed, .events = take_records};
    struct cairn_pipeline *pipeline = NULL;
    struct cli_progress progress;
    cairn_status status;

    if (feed->simulation->options->keep_events)
        options.flags |= CAIRN_REPLAY_EVENTS;
    if (feed->simulation->options->record.fifo_bytes)
        options.flags |= CAIRN_REPLAY_CYCLES;
    if (feed->recording) {
        options.code = take_code;
        options.context = feed;
    }
    cli_progress_start(&progress, feed->simulation->list[feed->simulation->count - 1]->name, 0);
    piped.progress = cli_progress_watch;
    piped.context = &progress;
    piped.jobs = session->options->jobs;
    status = cairn_pipeline_new(session->capture, source, config, image, &piped, &pipeline, error);
    if (status == CAIRN_OK)
        status = cairn_replay_new(config, image, feed->unit, &options, &feed->replay, error);
    if (status == CAIRN_OK)
        status = cairn_pipeline_add(pipeline, &consumer);
    if (status == CAIRN_OK)
        status = cairn_pipeline_run(pipeline);
    if (feed->replay && status == CAIRN_OK)
        status = cairn_replay_end(feed->replay);
    cairn_pipeline_free(pipeline);
    cli_progress_end(&progress);
    return status;
}

static bool make_unit(struct feed *feed, const struct cairn_source_info *info,
                      const struct cli_simulated_registers *registers,
                      struct cli_simulated *simulated, struct cairn_error *error)
{
    const struct cli_record *record = &feed->simulation->options->record;
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *base = NULL;
    cairn_status status;

    options.protocol = registers->protocol;
    options.arch = info->arch;
    options.registers = registers->list;
    options.register_count = registers->count;
    options.fifo_bytes = record->fifo_bytes;
    options.fifo_drain = /* pins say it themselves */
        cairn_about(registers->protocol)->samples ? 0 : record->fifo_drain;
    status = cairn_unit_new(&options, &base, error);
    if (feed->source) {
        options.sink = cairn_recorded_source_sink;
        options.sink_context = feed->source;
    }
    cli_simulated_watch(simulated, &options);
    if (status == CAIRN_OK)
        status = cairn_unit_new(&options, &feed->unit, error);
    if (status == CAIRN_OK && feed->filters.count > 0)
        status = cairn_filters_program(&feed->filters, base, NULL, feed->unit, error);
    if (status == CAIRN_OK && feed->source)
        status = cairn_recorded_source_describe(feed->source, feed->unit);
    cairn_unit_free(base);
    return status == CAIRN_OK;
}

/* Why it cannot be, if it cannot. */
static bool run_source(struct feed *feed, size_t source, const struct cairn_source_info *info,
                       const struct cli_simulated_registers *registers, struct cairn_error *error)
{
    struct cli_session *session = feed->simulation->session;
    struct cli_simulated *simulated =
        cli_simulated_new(feed->simulation, info->name, registers->protocol);
    struct cairn_config *config = cli_session_config(session, source, error);
    bool done = false;

    if (!simulated || !config)
        return false;
    simulated->source = source;
    simulated->replayed = true;
    if ((!feed->recording ||
         !cairn_recorded_source_new(feed->recording, info->name, &feed->source, error)) &&
        make_unit(feed, info, registers, simulated, error)) {
        const cairn_status status = replay(feed, source, config, error);

        if (status != CAIRN_OK && !error->status) {
            error->status = status;
            snprintf(error->text, sizeof error->text, "%s: %s", info->name,
                     cairn_status_text(status));
        }
        done = status == CAIRN_OK;
        if (done && feed->source)
            (void)!cairn_recorded_source_describe(feed->source, feed->unit);
        cli_simulated_end(simulated, feed->unit);
        if (feed->replay)
            cairn_replay_counts(feed->replay, &simulated->replay);
        simulated->cycles = simulated->replay.cycles;
    }
    cairn_replay_free(feed->replay);
    cairn_unit_free(feed->unit);
    feed->replay = NULL;
    feed->unit = NULL;
    feed->source = NULL;
    feed->epoch = 0;
    cairn_config_unref(config);
    return done;
}

/* --- all of them --- */

static bool open_recording(struct feed *feed, const struct cairn_source_info *info,
                           enum cairn_protocol_id protocol)
{
    struct cli_session *session = feed->simulation->session;
    const struct cli_record *record = &feed->simulation->options->record;
    struct cairn_error error = {.status = CAIRN_OK};
    const char *core = session->options->open.core ? session->options->open.core : info->core_type;
    const struct cairn_recording_options options = {
        .size = sizeof options,
        .protocol = protocol,
        .core = core ? core : "ARM-AA64",
        .note = "simulated by `cairn simulate` from the flow of a capture",
        .overwrite = record->force,
    };

    if (!record->folder || feed->recording)
        return true;
    if (cairn_recording_new(record->folder, &options, &feed->recording, &error) != CAIRN_OK) {
        cli_session_say(session, "%s", error.text);
        return false;
    }
    cli_simulate_names(session, feed->recording);
    return true;
}

/* One folder is of one kind of unit. */
static bool same_kind(const struct feed *feed, enum cairn_protocol_id protocol, const char *name)
{
    const struct cli_simulation *simulation = feed->simulation;

    if (!feed->recording || simulation->count == 0 || simulation->list[0]->protocol == protocol)
        return true;
    cli_session_say(
        simulation->session,
        "%s: %s, and the units before it are of %s: a folder has one kind; choose sources "
        "with --source, or a kind with --protocol",
        name, cairn_protocol_name(protocol), cairn_protocol_name(simulation->list[0]->protocol));
    return false;
}

static enum cli_exit simulate_source(struct feed *feed, size_t source)
{
    struct cli_session *session = feed->simulation->session;
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_error error = {.status = CAIRN_OK};
    struct cli_simulated_registers registers;
    enum cli_exit result = CLI_UNUSABLE;

    if (cairn_capture_source(session->capture, source, &info) ||
        !cairn_protocol_decodes(info.protocol))
        return CLI_CLEAN;
    if (cli_simulate_registers(feed->simulation, info.name, &info, &info.arch, &registers) &&
        same_kind(feed, registers.protocol, info.name) &&
        open_recording(feed, &info, registers.protocol)) {
        if (run_source(feed, source, &info, &registers, &error))
            result = CLI_CLEAN;
        else if (!cli_interrupted())
            cli_session_say(session, "%s",
                            error.status ? error.text : cairn_status_text(CAIRN_E_MEMORY));
    }
    cli_simulate_registers_free(&registers);
    return result;
}

static enum cli_exit finish(struct feed *feed)
{
    struct cli_session *session = feed->simulation->session;
    struct cairn_recording_result result = {0};
    struct cairn_error error = {.status = CAIRN_OK};

    if (!feed->recording)
        return CLI_CLEAN;
    atomic_store(&cairn_recording_control(feed->recording)->finished, 1);
    cairn_recording_free(feed->recording);
    if (cli_simulate_names_finish(session, feed->simulation->options->record.folder, &result,
                                  &error) != CAIRN_OK) {
        cli_session_say(session, "%s", error.text);
        return CLI_UNUSABLE;
    }
    if (result.epochs_lost)
        cli_session_say(session,
                        "code changed more often than a capture can say: %" PRIu64
                        " changes are missing, and flow through that code may be wrong",
                        result.epochs_lost);
    return CLI_CLEAN;
}

enum cli_exit cli_simulate_capture(struct cli_simulation *simulation)
{
    struct cli_session *session = simulation->session;
    struct feed feed = {.simulation = simulation};
    enum cli_exit result = find_filters(&feed) ? CLI_CLEAN : CLI_UNUSABLE;

    for (size_t i = 0; i < session->source_count && result == CLI_CLEAN && !cli_interrupted(); i++)
        result = simulate_source(&feed, session->sources[i]);
    if (result == CLI_CLEAN && simulation->count == 0) {
        cli_session_say(session,
                        "%s: no source of it is decoded to instructions, so that there is "
                        "nothing to tell a trace unit",
                        session->options->capture);
        result = CLI_UNUSABLE;
    }
    const enum cli_exit finished = finish(&feed);
    cairn_filters_clear(&feed.filters);
    return result != CLI_CLEAN ? result : finished;
}
