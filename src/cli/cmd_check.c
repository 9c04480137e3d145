/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit.h"
#include "cli/command.h"
#include "cli/findings.h"
#include "cli/session.h"

static enum cli_exit result_of(const struct cli_findings *findings)
{
    const struct cli_audit *audit = findings->audit;
    size_t decoded = 0;
    uint64_t bytes = 0;

    for (size_t i = 0; i < audit->source_count; i++)
        if (audit->sources[i].state == CLI_AUDIT_DECODED ||
            audit->sources[i].state == CLI_AUDIT_PACKETS_ONLY)
            decoded++;
    for (size_t i = 0; i < audit->buffer_count; i++)
        bytes += audit->buffers[i].info.bytes;
    if (!decoded || !bytes)
        return CLI_UNUSABLE;
    return findings->losses ? CLI_GAPS : CLI_CLEAN;
}

static enum cli_exit check(const struct cli_audit *audit)
{
    struct cli_findings findings = {.audit = audit};

    cli_check_capture(&findings);
    for (size_t i = 0; i < audit->buffer_count; i++)
        cli_check_buffer(&findings, &audit->buffers[i]);
    for (size_t i = 0; i < audit->source_count; i++)
        cli_check_source(&findings, i);
    cli_findings_end(&findings);
    return result_of(&findings);
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;
    struct cli_audit audit = {0};
    enum cli_exit result =
        cli_session_open(&session, &cli_command_check, options, CLI_SURVEY_ALWAYS);

    if (!result)
        result = cli_audit_run(&audit, &session);
    if (!result && cli_session_goes_on(&session))
        result = check(&audit);
    cli_audit_free(&audit);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_check = {
    .name = "check",
    .summary = "tell what is wrong with a capture and what to do about it",
    .arguments = "CAPTURE",
    .description =
        "Decodes the whole capture and reports everything that is wrong, missing or suspicious:\n"
        "missing files, impossible or missing register values, trace IDs that no trace unit is\n"
        "configured for, no synchronisation, a wrong protocol, damaged or truncated buffers,\n"
        "overflows, addresses without memory (merged into ranges), an image that contradicts the\n"
        "trace, and what the decoder was not sure of.",
    .output = "text: for each finding its severity (problem, warning or note), the source or "
              "buffer, what\n"
              "it is, where it was first seen, and what to do. The last line counts them.\n"
              "json: an object a finding: type (\"finding\"), severity, loses_data, where, what, "
              "advice,\n"
              "bytes, count, offset, file_offset, ranges; at the end one with type \"result\".",
    .exit_status =
        "0   no finding loses data\n"
        "1   some finding loses data\n"
        "2   no source could be decoded, nothing was traced at all, or the command line\n"
        "    is wrong\n"
        "130 stopped by Ctrl-C",
    .examples = "cairn check snapshot/\n"
                "cairn check --image vmlinux snapshot/\n"
                "cairn check --format json snapshot/ | jq -r 'select(.loses_data) | .what'",
    .options = CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_FORMAT | CLI_TAKES_OUTPUT |
               CLI_TAKES_DECODER,
    .run = run,
};
