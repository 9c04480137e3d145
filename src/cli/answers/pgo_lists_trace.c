/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch lists of a trace: each source, as far as its elements. */
#include <inttypes.h>

#include "base/error.h"
#include "cli/answers/pgo_lists.h"
#include "cli/audit/audit.h"
#include "cli/screen/watch.h"
#include "cli/session/whose.h"
#include "protocol/protocol.h"

static bool wants_place(void *context, const struct cairn_place *place)
{
    return cli_whose_wants(context, place->context_id, place->vmid);
}

static cairn_status list_all(struct cairn_pipeline *pipeline, struct cairn_lister *lister)
{
    cairn_status status = cairn_pipeline_next(pipeline);

    while (!status && cairn_pipeline_elements(pipeline)->count) {
        status = cairn_lister_take(lister, cairn_pipeline_elements(pipeline));
        if (!status)
            status = cairn_pipeline_next(pipeline);
    }
    return status ? status : cairn_lister_end(lister);
}

static void note(struct pgo_run *run, const struct cairn_lister *lister,
                 const struct cairn_pipeline *pipeline)
{
    const struct cairn_lister_told told = cairn_lister_told(lister);
    const uint64_t lost = cli_audit_gap_bytes(cairn_pipeline_ledger(pipeline));

    run->listed.outside += told.outside;
    run->listed.unplaced += told.unplaced;
    run->listed.unsure += told.unsure;
    run->listed.cut += told.cut;
    run->lost_bytes += lost;
    run->gaps |= lost || told.outside || told.unplaced || told.unsure || told.cut;
}

cairn_status cli_pgo_list_source(struct pgo_run *run, size_t source, struct cairn_config *config,
                                 struct cairn_error *error)
{
    struct cairn_capture *const capture = run->session->capture;
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cairn_pipeline_options wanted = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_lister_options options = {.capture = capture, .config = config};
    struct cairn_pipeline *pipeline = NULL;
    struct cairn_lister *lister = NULL;
    struct cli_progress progress;

    cairn_status status = cairn_capture_source(capture, source, &info);
    if (!status)
        status = cairn_capture_buffer(capture, info.buffer, &buffer);
    if (status)
        return status;
    if (cairn_lister_problem(config))
        return cairn_fail(error, CAIRN_E_UNSUPPORTED, "%s", cairn_lister_problem(config));
    if (cli_whose_asks(run->session)) {
        options.wants = wants_place;
        options.context = run->session;
    }
    cli_progress_start(&progress, info.name, buffer.bytes);
    wanted.level = CAIRN_LEVEL_RESOLVED;
    wanted.progress = cli_progress_watch;
    wanted.context = &progress;
    status = cairn_pipeline_new(capture, source, config, NULL, &wanted, &pipeline, error);
    if (!status)
        status = cairn_lister_new(run->lists, &run->pgo, &options, &lister);
    if (!status)
        status = list_all(pipeline, lister);
    cli_progress_end(&progress);
    if (!status) {
        run->has_return_stack |= config->rules.return_stack;
        note(run, lister, pipeline);
    }
    cairn_lister_free(lister);
    cairn_pipeline_free(pipeline);
    return status;
}

/* "1 branch is", "2 branches are": a number and what stands behind it. */
#define BRANCHES(count) (count), (count) == 1 ? "branch is" : "branches are"

void cli_pgo_say_listed(struct pgo_run *run)
{
    const struct cairn_lister_told *const told = &run->listed;

    if (run->has_return_stack)
        cli_session_say(
            run->session,
            "the trace leaves out where returns go (return stack). simpleperf does not "
            "follow a list behind such a return; Cairn does, where the list has the call");
    if (told->outside)
        cli_session_say(
            run->session,
            "%" PRIu64 " %s of no file that is here, and left out: a list has the "
            "addresses of the file, which it alone tells. Tell where files are (--sysroot, "
            "--debug-dir, --image); `cairn info %s` lists them",
            BRANCHES(told->outside), run->session->options->capture);
    if (told->unplaced)
        cli_session_say(run->session,
                        "%" PRIu64 " %s left out: the trace does not tell where that is",
                        BRANCHES(told->unplaced));
    if (told->unsure)
        cli_session_say(run->session,
                        "%" PRIu64
                        " %s left out: the trace does not tell whether that was executed",
                        BRANCHES(told->unsure));
    if (told->cut)
        cli_session_say(run->session, "%" PRIu64 " %s left out: a list has room for %u of them",
                        BRANCHES(told->cut), CAIRN_LISTED_BITS_MOST);
}
