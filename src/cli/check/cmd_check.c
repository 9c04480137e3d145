/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit/audit.h"
#include "cli/audit/codes.h"
#include "cli/audit/contradictions.h"
#include "cli/audit/findings.h"
#include "cli/audit/port_trial.h"
#include "cli/audit/verdict.h"
#include "cli/check/fix.h"
#include "cli/command.h"
#include "cli/screen/watch.h"
#include "cli/session/session.h"

enum {
    KEY_ALL = CLI_OWN_KEY,
    KEY_FIX,
    KEY_EXPLAIN,
};

static const struct cli_option own_options[] = {
    {"all", KEY_ALL, NULL,
     "Everything: notes, what follows from what, every source, every range. Default: the verdict\n"
     "and the worst causes, 25 lines at most."},
    {"fix", KEY_FIX, NULL,
     "Write what is certain to be wrong in the description anew, beside it and never over it, and\n"
     "say where; of a raw buffer that was described by options, print the command line. An\n"
     "existing file is kept unless --force is given."},
    {"explain", KEY_EXPLAIN, "CODE",
     "Tell what a finding's code means (CAIRN-NO-IMAGE, or NO-IMAGE), with an example and what to\n"
     "do. `all`: of all of them. No capture is needed."},
    {0},
};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    switch (key) {
    case KEY_ALL: options->check.all = true; break;
    case KEY_FIX: options->check.fix = true; break;
    case KEY_EXPLAIN: options->check.explain = argument; break;
    }
    return true;
}

static void collect(struct cli_findings *findings)
{
    const struct cli_audit *audit = findings->audit;

    cli_check_images(findings);
    cli_check_debug(findings);
    cli_check_capture(findings);
    for (size_t i = 0; i < audit->buffer_count; i++)
        cli_check_buffer(findings, i);
    for (size_t i = 0; i < audit->source_count; i++)
        cli_check_source(findings, i);
    cli_findings_sort(findings);
}

static enum cli_exit check(const struct cli_audit *audit)
{
    struct cli_findings findings = {.audit = audit, .port_left = CLI_PORT_CHECK};
    const struct cli_options *options = audit->session->options;
    enum cli_exit result = CLI_UNUSABLE;

    collect(&findings);
    if (findings.no_memory) {
        cli_session_say(audit->session, "out of memory");
    } else if (cli_session_goes_on(audit->session)) {
        if (options->format == CLI_FORMAT_JSON)
            cli_findings_json(&findings);
        else
            cli_findings_text(&findings);
        result = cli_verdict_result(&findings);
        if (options->check.fix && cli_fix(&findings) == CLI_UNUSABLE)
            result = CLI_UNUSABLE;
    }
    cli_findings_free(&findings);
    return result;
}

/* The audit, and what the rules about images ask for. */
static enum cli_exit audit_images(struct cli_audit *audit, struct cli_session *session,
                                  struct cli_differences *differences,
                                  struct cli_contradictions *contradictions)
{
    enum cli_exit result = CLI_CLEAN;
    bool done = cli_differences_find(differences, session);

    audit->differences = differences;
    if (done)
        result = cli_audit_run(audit, session);
    if (done && !result && !cli_interrupted())
        done = cli_contradictions_find(contradictions, audit);
    audit->contradictions = contradictions;
    if (done)
        return result;
    cli_session_say(session, "out of memory");
    return CLI_UNUSABLE;
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;
    struct cli_audit audit = {0};
    struct cli_differences differences = {0};
    struct cli_contradictions contradictions = {0};

    if (options->check.explain)
        return cli_code_explain(options->check.explain) ? CLI_CLEAN : CLI_UNUSABLE;
    enum cli_exit result =
        cli_session_open(&session, &cli_command_check, options, CLI_SURVEY_ALWAYS);
    if (!result)
        result = audit_images(&audit, &session, &differences, &contradictions);
    if (!result && cli_session_goes_on(&session))
        result = check(&audit);
    cli_contradictions_free(&contradictions);
    cli_differences_free(&differences);
    cli_audit_free(&audit);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_check = {
    .name = "check",
    .summary = "tell what is wrong with a capture and what to do about it",
    .arguments = "CAPTURE",
    .description =
        "Decodes the whole capture and says how much of what was executed is known, and why not\n"
        "all of it: missing files, impossible or missing register values, a wrong protocol, wrong\n"
        "frames, trace IDs that no trace unit is configured for, no synchronisation, damaged or\n"
        "truncated buffers, overflows, addresses without memory, an image that contradicts the\n"
        "trace. Each cause is told once, the worst first, with what it costs and what to do.",
    .output =
        "text: a line for each source, or for all of which the same is true: how many of its\n"
        "branches (ETMv3: instructions) were followed to code. Then the causes, the costliest\n"
        "first: severity (problem, warning or note), source or buffer, what it is, [its code],\n"
        "what it costs, where it was first seen, and what to do. The last line counts them.\n"
        "json: an object with type \"verdict\" for each source, one with type \"finding\" for\n"
        "each finding (code, severity, loses_data, where, what, advice, cost, count, offset,\n"
        "file_offset, ranges, because), at the end one with type \"result\". docs/findings.md has\n"
        "the keys, and each code.",
    .exit_status = "0   nothing that matters is missing. The first bytes of a buffer that wrapped\n"
                   "    around do not matter, nor what never was certain to be executed\n"
                   "1   gaps that matter\n"
                   "2   nothing could be decoded, nothing was traced at all, or the command line\n"
                   "    is wrong\n"
                   "130 stopped by Ctrl-C",
    .examples = "cairn check snapshot/\n"
                "cairn check --image vmlinux snapshot/\n"
                "cairn check --fix snapshot/\n"
                "cairn check --explain NO-IMAGE\n"
                "cairn check --format json snapshot/ | jq -r 'select(.loses_data) | .code'",
    .options = CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_FORMAT | CLI_TAKES_OUTPUT |
               CLI_TAKES_DECODER,
    .own = own_options,
    .take_own = take_own,
    .run = run,
};
