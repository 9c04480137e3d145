/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answers/sources.h"

#include <stdlib.h>

#include "cli/audit/audit.h"
#include "cli/options/protocols.h"
#include "cli/screen/watch.h"
#include "cli/session/whose.h"

static cairn_status decode(struct cli_sources *sources, const struct cairn_source_info *info,
                           struct cairn_pipeline *pipeline)
{
    cairn_status status = sources->begin(sources->context, info,
                                         cairn_capture_image(sources->session->capture), pipeline);

    if (!status)
        status = cairn_pipeline_run(pipeline);
    if (cli_interrupted())
        cli_session_say(sources->session,
                        "stopped in %s at source offset 0x%llx; the rest was not decoded",
                        info->name, (unsigned long long)cairn_pipeline_source_bytes(pipeline));
    const struct cairn_ledger *ledger = cairn_pipeline_ledger(pipeline);
    const uint64_t lost = cli_audit_gap_bytes(ledger);
    sources->status = status;
    const cairn_status ended = sources->end(sources->context, info, ledger);

    sources->lost_bytes += lost;
    sources->with_gaps += lost != 0;
    return status ? status : ended;
}

static bool is_chosen(void *context, const struct cairn_context *where)
{
    return cli_whose_wants(context, where->context_id, where->vmid);
}

static void run_one(struct cli_sources *sources, size_t index, struct cairn_source_info *info)
{
    struct cli_session *session = sources->session;
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_pipeline *pipeline = NULL;
    struct cli_progress progress;
    cairn_status status = cairn_capture_source(session->capture, index, info);

    if (!status)
        status = cairn_capture_buffer(session->capture, info->buffer, &buffer);
    if (status || !cairn_protocol_decodes(info->protocol)) {
        if (info->name)
            cli_session_say(session, "%s: left out: %s is not decoded to flow", info->name,
                            info->type ? info->type : cairn_protocol_name(info->protocol));
        sources->refused++;
        return;
    }
    struct cairn_config *config = cli_session_config(session, index, &error);
    if (!config) {
        cli_session_say_refused(session, info->name, &error);
        sources->refused++;
        return;
    }
    cli_progress_start(&progress, info->name, buffer.bytes);
    const struct cairn_pipeline_options wanted = {
        .size = sizeof wanted,
        .level = CAIRN_LEVEL_FLOW,
        .flags = (sources->wants_records ? 0 : CAIRN_PIPELINE_COUNTS) |
                 (sources->wants_records || sources->exact_places ? 0 : CAIRN_PIPELINE_NO_PLACES) |
                 (session->options->reference ? CAIRN_PIPELINE_REFERENCE : 0),
        .jobs = session->options->jobs,
        .table_bytes = session->options->table_bytes,
        .progress = cli_progress_watch,
        .context = &progress,
        .chooses =
            cli_whose_asks(session) && !info->thread_id && !sources->all_threads ? is_chosen : NULL,
        .chooses_context = session,
    };
    status = cairn_pipeline_new(session->capture, index, config,
                                cairn_capture_image(session->capture), &wanted, &pipeline, &error);
    if (!status)
        status = decode(sources, info, pipeline);
    cli_progress_end(&progress);
    if (status && !cli_session_goes_on(session)) {
        sources->decoded++; /* as far as anybody wants to know */
    } else if (status) {
        cli_session_say(session, "%s: %s", info->name,
                        error.status ? error.text : cairn_status_text(status));
        sources->refused++;
    } else {
        sources->decoded++;
    }
    cairn_pipeline_free(pipeline);
    cairn_config_unref(config);
}

enum cli_exit cli_sources_run(struct cli_sources *sources)
{
    struct cli_session *session = sources->session;

    sources->infos = calloc(session->source_count + 1, sizeof *sources->infos);
    if (!sources->infos) {
        cli_session_say(session, "out of memory");
        return CLI_UNUSABLE;
    }
    for (size_t i = 0; i < session->source_count && cli_session_goes_on(session); i++) {
        sources->infos[i].size = sizeof sources->infos[i];
        run_one(sources, session->sources[i], &sources->infos[i]);
    }
    if (!sources->decoded) {
        if (!session->source_count)
            cli_session_say(session, "the capture has no sources. `cairn info` tells what it has");
        return CLI_UNUSABLE;
    }
    return sources->with_gaps || sources->refused ? CLI_GAPS : CLI_CLEAN;
}

void cli_sources_free(struct cli_sources *sources)
{
    free(sources->infos);
}
