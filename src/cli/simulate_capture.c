/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include <cairn/pipeline.h>
#include <cairn/replay.h>

#include "cli/simulate.h"
#include "cli/watch.h"
#include "machine/recording.h"

struct feed {
    struct cli_session *session;
    struct cairn_recording *recording; /* or NULL */
    struct cairn_recorded_source *source;
    struct cairn_unit *unit;
    struct cairn_replay *replay;
    uint64_t epoch;
};

static cairn_status take_code(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct feed *feed = context;
    const uint64_t epoch = cairn_recording_code(feed->recording, address, bytes, size);

    if (epoch == feed->epoch)
        return CAIRN_OK;
    feed->epoch = epoch;
    return cairn_recorded_source_epoch(feed->source, epoch, cairn_unit_position(feed->unit));
}

static cairn_status take_records(void *context, const struct cairn_flow_batch *batch)
{
    struct feed *feed = context;

    return cairn_replay_records(feed->replay, batch);
}

static cairn_status run_source(struct feed *feed, size_t source, struct cairn_config *config,
                               struct cairn_error *error)
{
    struct cli_session *session = feed->session;
    struct cairn_image *image = cairn_capture_image(session->capture);
    struct cairn_replay_options options = CAIRN_REPLAY_OPTIONS_INIT;
    struct cairn_pipeline_options piped = CAIRN_PIPELINE_OPTIONS_INIT;
    const struct cairn_consumer consumer = {
        .size = sizeof consumer, .context = feed, .events = take_records};
    struct cairn_pipeline *pipeline = NULL;
    cairn_status status;

    if (session->options->simulate->keep_events)
        options.flags |= CAIRN_REPLAY_EVENTS;
    if (feed->recording) {
        options.code = take_code;
        options.context = feed;
    }
    piped.progress = cli_progress_watch;
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
    return status;
}

static bool is_fed(const struct cairn_source_info *info)
{
    return cairn_protocol_decodes(info->protocol);
}

static enum cli_exit simulate_source(struct feed *feed, const struct cli_programmed *programmed,
                                     size_t source, const struct cairn_source_info *info)
{
    struct cli_session *session = feed->session;
    struct cairn_unit_options wanted = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_error error = {.status = CAIRN_OK};
    enum cli_exit result = CLI_UNUSABLE;
    const struct cli_trace_unit *programming =
        cli_simulate_unit_for(session, programmed, info->name, info->protocol, &wanted);
    struct cairn_config *config;

    if (!programming)
        return CLI_UNUSABLE;
    wanted.arch = info->arch;
    config = cli_session_config(session, source, &error);
    if (!config) {
        cli_session_say(session, "%s", error.text);
        return CLI_UNUSABLE;
    }
    if (feed->recording &&
        cairn_recorded_source_new(feed->recording, info->name, &feed->source, &error)) {
        cli_session_say(session, "%s", error.text);
    } else {
        if (feed->recording) {
            wanted.sink = cairn_recorded_source_sink;
            wanted.sink_context = feed->source;
        }
        if (cli_simulate_unit_new(session, programming, &wanted, &feed->unit)) {
            cairn_status status = CAIRN_OK;
            if (feed->source)
                status = cairn_recorded_source_describe(feed->source, feed->unit);
            if (status == CAIRN_OK)
                status = run_source(feed, source, config, &error);
            if (status == CAIRN_OK && feed->source)
                status = cairn_recorded_source_describe(feed->source, feed->unit);
            if (status != CAIRN_OK)
                cli_session_say(session, "%s: %s", info->name,
                                error.status ? error.text : cairn_status_text(status));
            else
                result = CLI_CLEAN;
            struct cairn_unit_counters c = {.size = sizeof c};
            struct cairn_replay_counts r = {.size = sizeof r};
            cairn_unit_counters(feed->unit, &c);
            if (feed->replay) cairn_replay_counts(feed->replay, &r);
            fprintf(stderr, "%s: instr %" PRIu64 " traced %" PRIu64 " exc %" PRIu64 " disc %" PRIu64 " bytes %" PRIu64 " | told %" PRIu64 " exc %" PRIu64 " on %" PRIu64 " gaps %" PRIu64 " halts %" PRIu64 " cut %" PRIu64 " nomem %" PRIu64 "\n", info->name,
              c.instructions, c.traced, c.exceptions, c.discontinuities, c.bytes, r.instructions, r.exceptions, r.trace_ons, r.gaps, r.halts, r.cut, r.no_memory);
        }
    }
    cairn_replay_free(feed->replay);
    cairn_unit_free(feed->unit);
    feed->replay = NULL;
    feed->unit = NULL;
    cairn_config_unref(config);
    return result;
}

static bool open_recording(struct feed *feed, enum cairn_protocol_id protocol)
{
    struct cli_session *session = feed->session;
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_source_info info = {.size = sizeof info};
    const char *core = session->options->open.core;

    for (size_t i = 0; !core && i < session->source_count; i++)
        if (!cairn_capture_source(session->capture, session->sources[i], &info))
            core = info.core_type;
    const struct cairn_recording_options options = {
        .size = sizeof options,
        .protocol = protocol,
        .core = core ? core : "ARM-AA64",
        .overwrite = session->options->force,
    };
    if (!session->options->simulate->folder)
        return true;
    if (cairn_recording_new(session->options->simulate->folder, &options, &feed->recording,
                            &error) == CAIRN_OK)
        return true;
    cli_session_say(session, "%s", error.text);
    return false;
}

enum cli_exit cli_simulate_capture(struct cli_session *session,
                                   const struct cli_programmed *programmed)
{
    struct feed feed = {.session = session};
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_error error = {.status = CAIRN_OK};
    enum cli_exit result = CLI_CLEAN;
    bool opened = false;

    for (size_t i = 0; i < session->source_count && result == CLI_CLEAN; i++) {
        struct cairn_unit_options wanted = CAIRN_UNIT_OPTIONS_INIT;
        if (cairn_capture_source(session->capture, session->sources[i], &info) || !is_fed(&info))
            continue;
        if (!opened && (!cli_simulate_unit_for(session, programmed, info.name, info.protocol, &wanted) || !open_recording(&feed, wanted.protocol)))
            return CLI_UNUSABLE;
        opened = true;
        result = simulate_source(&feed, programmed, session->sources[i], &info);
    }
    if (feed.recording) {
        atomic_store(&cairn_recording_control(feed.recording)->finished, 1);
        cairn_recording_free(feed.recording);
        struct cairn_recording_result finished;
        if (cairn_recording_finish(session->options->simulate->folder, NULL, &finished, &error)) {
            cli_session_say(session, "%s", error.text);
            result = CLI_UNUSABLE;
        }
    }
    return result;
}
