/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of a trace: each source through the pipeline. */
#include "base/shell.h"
#include "cli/answers/pgo_lists.h"
#include "cli/audit/audit.h"
#include "cli/screen/watch.h"
#include "cli/session/whose.h"

static bool wants_place(void *context, const struct cairn_place *place)
{
    return cli_whose_wants(context, place->context_id, place->vmid);
}

/* Where rows of ranges end; 0: none are wanted. */
static enum cairn_rows_end rows_of(const struct cli_options *options, struct cairn_config *config)
{
    if (options->pgo.rows && !cli_pgo_is_by_name(options->pgo.format))
        return CAIRN_ROWS_TO_TAKEN;
    return cairn_config_tells(config) & CAIRN_TELLS_CONDITIONS ? CAIRN_ROWS_TO_BRANCH
                                                               : CAIRN_ROWS_NONE;
}

static cairn_status count_source(struct pgo_run *run, size_t source, struct cairn_config *config,
                                 struct cairn_error *error)
{
    const struct cli_options *const options = run->session->options;
    struct cairn_capture *const capture = run->session->capture;
    struct cairn_image *const image = cairn_capture_image(capture);
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cairn_pipeline *pipeline = NULL;
    struct cairn_counted *counted = NULL;
    struct cli_progress progress;
    struct cairn_pipeline_options wanted = CAIRN_PIPELINE_OPTIONS_INIT;
    const enum cairn_rows_end rows = rows_of(options, config);

    cairn_status status = cairn_capture_source(capture, source, &info);
    if (!status)
        status = cairn_capture_buffer(capture, info.buffer, &buffer);
    if (status)
        return status;
    cli_progress_start(&progress, info.name, buffer.bytes);
    wanted.flags =
        (options->reference ? CAIRN_PIPELINE_REFERENCE : 0) | (rows ? 0 : CAIRN_PIPELINE_COUNTS);
    wanted.jobs = options->jobs;
    wanted.table_bytes = options->table_bytes;
    wanted.progress = cli_progress_watch;
    wanted.context = &progress;
    status = cairn_pipeline_new(capture, source, config, image, &wanted, &pipeline, error);
    if (!status)
        status = cairn_counted_new(image, config, &counted);
    if (!status) {
        const struct cairn_consumer consumer =
            rows ? cairn_counted_consumer(counted) : cairn_counted_words_consumer(counted);

        cairn_counted_want_rows(counted, rows);
        if (cli_whose_asks_of(run->session, source))
            cairn_counted_filter(counted, wants_place, run->session);
        status = cairn_pipeline_add(pipeline, &consumer);
    }
    if (!status)
        status = cairn_pipeline_run(pipeline);
    cli_progress_end(&progress);
    if (!status && !cli_interrupted())
        status = cairn_counted_finish(counted);
    if (!status && !cli_interrupted())
        status = cairn_pgo_add_counted(&run->pgo, capture, counted);
    if (!status) {
        const uint64_t lost = cli_audit_gap_bytes(cairn_pipeline_ledger(pipeline));

        run->gaps |= lost != 0;
        run->lost_bytes += lost;
        if (options->pgo.format == CLI_PGO_JSON)
            cairn_pgo_json_source(run->session->output, info.name,
                                  cairn_pipeline_source_bytes(pipeline), lost);
    }
    cairn_counted_free(counted);
    cairn_pipeline_free(pipeline);
    return status;
}

static void take_source(struct pgo_run *run, size_t source)
{
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_source_info info = {.size = sizeof info};

    if (cairn_capture_source(run->session->capture, source, &info))
        return;
    if (!cairn_protocol_decodes(info.protocol)) {
        if (run->session->options->sources.count)
            cli_session_say(run->session, "%s: %s is not decoded to what was executed", info.name,
                            info.type ? info.type : cairn_protocol_name(info.protocol));
        run->gaps |= run->session->options->sources.count != 0;
        return;
    }
    struct cairn_config *config = cli_session_config(run->session, source, &error);
    const cairn_status status = !config      ? error.status
                                : run->lists ? cli_pgo_list_source(run, source, config, &error)
                                             : count_source(run, source, config, &error);

    cairn_config_unref(config);
    if (config && !status)
        run->decoded++;
    else if (!config)
        cli_session_say_refused(run->session, info.name, &error);
    else if (!cli_interrupted())
        cli_session_say(run->session, "%s: %s", info.name,
                        error.status ? error.text : cairn_status_text(status));
    run->gaps |= !config || status;
}

enum cli_exit cli_pgo_take_trace(struct pgo_run *run)
{
    struct cli_session *const session = run->session;
    char word[CAIRN_SHELL_ROOM];

    for (size_t i = 0; i < session->source_count && cli_session_goes_on(session); i++)
        take_source(run, session->sources[i]);
    if (cli_interrupted())
        return CLI_UNUSABLE;
    if (run->decoded)
        return CLI_CLEAN;
    cli_session_say(session, "no source of it could be decoded; `cairn info %s` tells why",
                    cairn_shell_file(session->options->capture, word));
    return CLI_UNUSABLE;
}
