/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts and findings for programs: docs/findings.md has the keys. */
#include <stdio.h>

#include "cli/audit/findings.h"
#include "cli/audit/verdict.h"
#include "report/json_fields.h"

static void number(struct cairn_output *output, const char *name, uint64_t value)
{
    cairn_output_format(output, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void text(struct cairn_output *output, const char *name, const char *value)
{
    cairn_output_format(output, ",\"%s\":", name);
    cairn_output_json(output, value);
}

static void begin(struct cairn_output *output, const char *type)
{
    cairn_output_format(output, "{\"type\":\"%s\",\"schema\":%d", type, CAIRN_JSON_SCHEMA);
}

static void end(struct cairn_output *output)
{
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

static void verdict(const struct cli_findings *findings, size_t index)
{
    struct cairn_output *output = findings->audit->session->output;
    const struct cli_audit_source *source = &findings->audit->sources[index];
    const struct cli_known known = cli_known_of(source);
    char sentence[CLI_SENTENCE_MAX];

    cli_verdict_sentence(findings, index, sentence);
    begin(output, "verdict");
    text(output, "where", source->info.name);
    text(output, "what", sentence);
    text(output, "unit", cli_unit_word(known.unit, 2));
    number(output, "followed", known.followed);
    number(output, "lost", known.lost);
    number(output, "bytes", source->bytes);
    number(output, "unread_bytes", known.unread);
    number(output, "causes", cli_findings_causes_of(findings, index, true));
    end(output);
}

static void ranges(struct cairn_output *output, const struct cli_ranges *list)
{
    cairn_output_text(output, ",\"ranges\":[");
    for (size_t i = 0; i < list->count; i++)
        cairn_output_format(output, "%s{\"first\":\"0x%llx\",\"last\":\"0x%llx\",\"count\":%llu}",
                            i ? "," : "", (unsigned long long)list->items[i].first,
                            (unsigned long long)list->items[i].last,
                            (unsigned long long)list->items[i].count);
    cairn_output_char(output, ']');
}

static void cost(struct cairn_output *output, const struct cli_cost *value)
{
    cairn_output_format(output,
                        ",\"cost\":{\"branches\":%llu,\"instructions\":%llu,\"bytes\":%llu}",
                        (unsigned long long)value->branches,
                        (unsigned long long)value->instructions, (unsigned long long)value->bytes);
}

static void finding(const struct cli_findings *findings, const struct cli_kept *kept)
{
    struct cairn_output *output = findings->audit->session->output;
    const struct cli_finding *it = &kept->finding;

    begin(output, "finding");
    text(output, "code", it->code);
    text(output, "severity", cli_severity_word(it->severity));
    cairn_output_format(output, ",\"loses_data\":%s",
                        it->loss == CLI_LOSES_DATA ? "true" : "false");
    if (it->where)
        text(output, "where", it->where);
    text(output, "what", it->what);
    if (it->advice)
        text(output, "advice", it->advice);
    cost(output, &it->cost);
    if (it->count)
        number(output, "count", it->count);
    if (it->first) {
        number(output, "offset", it->first->offset);
        if (it->first->file_offset != UINT64_MAX)
            number(output, "file_offset", it->first->file_offset);
    }
    if (it->ranges)
        ranges(output, it->ranges);
    if (kept->because != SIZE_MAX)
        text(output, "because", findings->items[kept->because].finding.code);
    end(output);
}

/* Those of one cause, and behind them what follows from it. */
static void cause(const struct cli_findings *findings, size_t index)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].because == SIZE_MAX && findings->items[i].cause == index)
            finding(findings, &findings->items[i]);
    for (size_t i = 0; i < findings->count; i++) {
        size_t root = i;
        while (findings->items[root].because != SIZE_MAX)
            root = findings->items[root].because;
        if (root != i && findings->items[root].cause == index)
            finding(findings, &findings->items[i]);
    }
}

void cli_findings_json(const struct cli_findings *findings)
{
    struct cairn_output *output = findings->audit->session->output;
    size_t severities[CAIRN_PROBLEM + 1] = {0}, losing = 0;

    cairn_json_begin(output, findings->audit->session->command->name);
    for (size_t i = 0; i < findings->audit->source_count; i++)
        if (findings->audit->sources[i].state != CLI_AUDIT_NOT_CHOSEN)
            verdict(findings, i);
    for (size_t i = 0; i < findings->cause_count; i++)
        cause(findings, i);
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].because != SIZE_MAX)
            continue;
        severities[findings->items[i].finding.severity]++;
        losing += cli_finding_matters(&findings->items[i].finding);
    }
    begin(output, "result");
    number(output, "causes", findings->cause_count);
    number(output, "problems", severities[CAIRN_PROBLEM]);
    number(output, "warnings", severities[CAIRN_WARNING]);
    number(output, "notes", severities[CAIRN_NOTE]);
    number(output, "losing_data", losing);
    end(output);
}
