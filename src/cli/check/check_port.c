/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace port that is described wrongly. */
#include "cli/audit/findings.h"
#include "cli/audit/port_trial.h"

/* What a wrongly described port looks like. */
static const char *const wrong_port[] = {
    CLI_NO_SYNC,      CLI_NO_FLOW,      CLI_RESERVED,           CLI_CUT,     CLI_TRUNCATED,
    CLI_NO_ADDRESS,   CLI_NOT_DECODED,  CLI_OVERFLOW,           CLI_LIMIT,   CLI_NO_IMAGE,
    CLI_UNDEFINED,    CLI_UNCERTAIN,    CLI_IMPRECISE,          CLI_CONTEXT, CLI_CONTINUES,
    CLI_REGISTER_ODD, CLI_IMAGE_UNUSED, CLI_IMAGE_CONTRADICTED, NULL};

bool cli_check_port(struct cli_findings *findings, size_t index)
{
    char what[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX];

    if (!cli_port_try(findings->audit, index, &findings->port_left, what, advice))
        return false;
    const struct cli_finding finding = {
        .code = CLI_WRONG_PORT,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = findings->audit->sources[index].info.name,
        .what = what,
        .advice = advice,
        .explains = wrong_port,
        .whole = findings->audit->source_count == 1,
    };
    cli_findings_add(findings, &finding);
    return true;
}
