/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/findings.h"

#include <stdarg.h>
#include <stdio.h>

#define RANGES_SHOWN 24

void cli_finding_sentence(char sentence[CLI_SENTENCE_MAX], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, CLI_SENTENCE_MAX, format, arguments);
    va_end(arguments);
}

static const char *severity_word(enum cairn_severity severity)
{
    switch (severity) {
    case CAIRN_NOTE: return "note";
    case CAIRN_WARNING: return "warning";
    case CAIRN_PROBLEM: return "problem";
    }
    return "note";
}

static const char *plural(unsigned long long count)
{
    return count == 1 ? "" : "s";
}

static void text_ranges(struct cairn_output *output, const struct cli_ranges *ranges)
{
    for (size_t i = 0; i < ranges->count && i < RANGES_SHOWN; i++) {
        const struct cli_range *range = &ranges->items[i];
        cairn_output_format(output, "    0x%llx", (unsigned long long)range->first);
        if (range->last != range->first)
            cairn_output_format(output, "..0x%llx", (unsigned long long)range->last);
        cairn_output_format(output, "  %llu time%s", (unsigned long long)range->count,
                            plural(range->count));
        cairn_output_line(output);
    }
    if (ranges->count > RANGES_SHOWN) {
        cairn_output_format(output, "    ... and %zu more ranges (all of them: --format json)",
                            ranges->count - RANGES_SHOWN);
        cairn_output_line(output);
    }
}

static void text_finding(struct cairn_output *output, const struct cli_finding *finding)
{
    cairn_output_text(output, severity_word(finding->severity));
    cairn_output_text(output, ": ");
    if (finding->where) {
        cairn_output_text(output, finding->where);
        cairn_output_text(output, ": ");
    }
    cairn_output_text(output, finding->what);
    cairn_output_line(output);
    if (finding->first && finding->first->count) {
        cairn_output_format(output, "    first at source offset 0x%llx",
                            (unsigned long long)finding->first->offset);
        if (finding->first->file_offset != UINT64_MAX)
            cairn_output_format(output, ", file offset 0x%llx",
                                (unsigned long long)finding->first->file_offset);
        cairn_output_line(output);
    }
    if (finding->ranges)
        text_ranges(output, finding->ranges);
    if (finding->advice) {
        cairn_output_text(output, "    what to do: ");
        cairn_output_text(output, finding->advice);
        cairn_output_line(output);
    }
}

static void json_member(struct cairn_output *output, const char *name, const char *text)
{
    cairn_output_format(output, ",\"%s\":", name);
    cairn_output_json(output, text);
}

static void json_ranges(struct cairn_output *output, const struct cli_ranges *ranges)
{
    cairn_output_text(output, ",\"ranges\":[");
    for (size_t i = 0; i < ranges->count; i++)
        cairn_output_format(output, "%s{\"first\":\"0x%llx\",\"last\":\"0x%llx\",\"count\":%llu}",
                            i ? "," : "", (unsigned long long)ranges->items[i].first,
                            (unsigned long long)ranges->items[i].last,
                            (unsigned long long)ranges->items[i].count);
    cairn_output_char(output, ']');
}

static void json_finding(struct cairn_output *output, const struct cli_finding *finding)
{
    cairn_output_text(output, "{\"type\":\"finding\",\"severity\":");
    cairn_output_json(output, severity_word(finding->severity));
    cairn_output_format(output, ",\"loses_data\":%s",
                        finding->loss == CLI_LOSES_DATA ? "true" : "false");
    if (finding->where)
        json_member(output, "where", finding->where);
    json_member(output, "what", finding->what);
    if (finding->advice)
        json_member(output, "advice", finding->advice);
    if (finding->bytes)
        cairn_output_format(output, ",\"bytes\":%llu", (unsigned long long)finding->bytes);
    if (finding->first && finding->first->count) {
        cairn_output_format(output, ",\"count\":%llu,\"offset\":%llu",
                            (unsigned long long)finding->first->count,
                            (unsigned long long)finding->first->offset);
        if (finding->first->file_offset != UINT64_MAX)
            cairn_output_format(output, ",\"file_offset\":%llu",
                                (unsigned long long)finding->first->file_offset);
    }
    if (finding->ranges)
        json_ranges(output, finding->ranges);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

void cli_findings_add(struct cli_findings *findings, const struct cli_finding *finding)
{
    struct cairn_output *output = findings->audit->session->output;

    findings->severities[finding->severity]++;
    if (finding->loss == CLI_LOSES_DATA)
        findings->losses++;
    if (findings->audit->session->options->format == CLI_FORMAT_JSON)
        json_finding(output, finding);
    else
        text_finding(output, finding);
}

void cli_findings_end(struct cli_findings *findings)
{
    struct cairn_output *output = findings->audit->session->output;
    unsigned long long problems = findings->severities[CAIRN_PROBLEM];
    unsigned long long warnings = findings->severities[CAIRN_WARNING];
    unsigned long long notes = findings->severities[CAIRN_NOTE];

    if (findings->audit->session->options->format == CLI_FORMAT_JSON)
        cairn_output_format(output,
                            "{\"type\":\"result\",\"problems\":%llu,\"warnings\":%llu,"
                            "\"notes\":%llu,\"losing_data\":%llu}",
                            problems, warnings, notes, (unsigned long long)findings->losses);
    else if (problems + warnings + notes == 0)
        cairn_output_text(output, "nothing to complain about: every byte was decoded");
    else
        cairn_output_format(output, "%llu problem%s, %llu warning%s, %llu note%s; %llu lose data",
                            problems, plural(problems), warnings, plural(warnings), notes,
                            plural(notes), (unsigned long long)findings->losses);
    cairn_output_line(output);
}
