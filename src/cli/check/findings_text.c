/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts and causes for people: what fits a screen, and what matters first. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "cli/audit/findings.h"
#include "cli/audit/verdict.h"

#define LINES_MOST 25 /* without --all */
#define VERDICTS_MOST 7
#define NAMES_SHOWN 3
#define RANGES_SHOWN 24 /* with --all */
#define RANGES_NAMED 2  /* without */

const char *cli_severity_word(enum cairn_severity severity)
{
    switch (severity) {
    case CAIRN_NOTE: return "note";
    case CAIRN_WARNING: return "warning";
    case CAIRN_PROBLEM: return "problem";
    }
    return "note";
}

/* ---- lines ---- */

struct lines {
    char **items;
    size_t count, capacity;
};

static void free_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i]);
    free(lines->items);
    *lines = (struct lines){0};
}

static void add_line(struct lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Without memory the line is lost. */
static void add_line(struct lines *lines, const char *format, ...)
{
    char *line = NULL;
    va_list arguments;

    va_start(arguments, format);
    const int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if (lines->count == lines->capacity) {
        const size_t capacity = lines->capacity ? lines->capacity * 2 : 16;
        char **items = realloc(lines->items, capacity * sizeof *items);
        if (!items) {
            free(line);
            return;
        }
        lines->items = items;
        lines->capacity = capacity;
    }
    lines->items[lines->count++] = line;
}

static void print_lines(struct cairn_output *output, const struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        cairn_output_text(output, lines->items[i]);
        cairn_output_line(output);
    }
}

/* ---- verdicts ---- */

/* Sources of which the same is said. */
struct verdict_line {
    char sentence[CLI_SENTENCE_MAX];
    char names[192];
    size_t order;
    size_t sources;
    size_t buffer;
    uint64_t missing; /* what is not known, to put the worst first */
    uint64_t bytes;
    bool unknown; /* trace IDs without configuration */
};

static void add_name(struct verdict_line *line, const char *name)
{
    const size_t length = strlen(line->names);

    if (line->sources < NAMES_SHOWN)
        snprintf(line->names + length, sizeof line->names - length, "%s%.60s",
                 line->sources ? ", " : "", name);
    line->sources++;
}

static struct verdict_line *line_for(struct verdict_line *lines, size_t *count,
                                     const char *sentence, const struct cli_audit_source *source)
{
    const bool unknown = source->state == CLI_AUDIT_NO_CONFIG && source->info.trace_id >= 0;

    for (size_t i = 0; i < *count; i++)
        if (unknown ? lines[i].unknown && lines[i].buffer == source->info.buffer
                    : !strcmp(lines[i].sentence, sentence))
            return &lines[i];
    struct verdict_line *line = &lines[*count];
    line->order = (*count)++;
    snprintf(line->sentence, sizeof line->sentence, "%s", sentence);
    line->unknown = unknown;
    line->buffer = source->info.buffer;
    return line;
}

static int most_missing_first(const void *one, const void *other)
{
    const struct verdict_line *a = one, *b = other;

    if (a->missing != b->missing)
        return a->missing > b->missing ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void put_verdict(const struct verdict_line *line, struct lines *out)
{
    char more[32] = "";

    if (line->sources > NAMES_SHOWN)
        snprintf(more, sizeof more, " and %zu more", line->sources - NAMES_SHOWN);
    if (line->unknown && line->sources > 1)
        add_line(out, "%s%s: %llu bytes that no trace unit is configured for", line->names, more,
                 (unsigned long long)line->bytes);
    else
        add_line(out, "%s%s: %s", line->names, more, line->sentence);
}

static void put_verdicts(const struct cli_findings *findings, bool all, struct lines *out)
{
    const struct cli_audit *audit = findings->audit;
    struct verdict_line *lines = calloc(audit->source_count + 1, sizeof *lines);
    size_t count = 0, rest = 0;

    for (size_t i = 0; lines && i < audit->source_count; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        char sentence[CLI_SENTENCE_MAX];
        if (source->state == CLI_AUDIT_NOT_CHOSEN)
            continue;
        cli_verdict_sentence(findings, i, sentence);
        struct verdict_line *line = line_for(lines, &count, sentence, source);
        const struct cli_known known = cli_known_of(source);
        add_name(line, source->info.name);
        line->missing += known.lost + known.unread;
        line->bytes += source->bytes;
    }
    if (count > VERDICTS_MOST && !all)
        qsort(lines, count, sizeof *lines, most_missing_first);
    for (size_t i = 0; i < count; i++) {
        if (all || count <= VERDICTS_MOST || i + 1 < VERDICTS_MOST)
            put_verdict(&lines[i], out);
        else
            rest += lines[i].sources;
    }
    if (rest)
        add_line(out, "and %zu more sources, of which less is missing (--all)", rest);
    free(lines);
}

/* ---- findings ---- */

/* "26783 branches", "3 instructions", "12 bytes"; empty: nothing that can be counted. */
static void cost_text(const struct cli_cost *cost, char text[96])
{
    *text = 0;
    if (cost->branches)
        snprintf(text, 96, "%llu %s", (unsigned long long)cost->branches,
                 cli_unit_word(CLI_UNIT_BRANCHES, cost->branches));
    else if (cost->instructions)
        snprintf(text, 96, "%llu %s", (unsigned long long)cost->instructions,
                 cli_unit_word(CLI_UNIT_INSTRUCTIONS, cost->instructions));
    else if (cost->bytes)
        snprintf(text, 96, "%llu byte%s of trace", (unsigned long long)cost->bytes,
                 cairn_plural(cost->bytes));
}

static void put_place(const struct cli_finding *finding, const struct cli_cost *cost,
                      struct lines *out)
{
    char costs[96], place[96] = "", file[48] = "";
    const struct cli_sighting *first = finding->first;

    cost_text(cost, costs);
    if (first && first->count && first->file_offset != UINT64_MAX)
        snprintf(file, sizeof file, ", file offset 0x%llx", (unsigned long long)first->file_offset);
    if (first && first->count)
        snprintf(place, sizeof place, "first at source offset 0x%llx%s",
                 (unsigned long long)first->offset, file);
    if (*costs || *place)
        add_line(out, "    %s%s%s%s", *costs ? "costs " : "", costs, *costs && *place ? "; " : "",
                 place);
}

static void range_text(const struct cli_range *range, char text[96])
{
    if (range->last != range->first)
        snprintf(text, 96, "0x%llx..0x%llx  %llu time%s", (unsigned long long)range->first,
                 (unsigned long long)range->last, (unsigned long long)range->count,
                 cairn_plural(range->count));
    else
        snprintf(text, 96, "0x%llx  %llu time%s", (unsigned long long)range->first,
                 (unsigned long long)range->count, cairn_plural(range->count));
}

/* The range with most in it of those that are less than `below`, or as much and behind `after`. */
static size_t next_range(const struct cli_ranges *ranges, size_t after)
{
    const uint64_t below = after == SIZE_MAX ? UINT64_MAX : ranges->items[after].count;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < ranges->count; i++) {
        const uint64_t count = ranges->items[i].count;
        const bool left = count < below || (count == below && after != SIZE_MAX && i > after);
        if (left && (best == SIZE_MAX || count > ranges->items[best].count))
            best = i;
    }
    return best;
}

static void put_ranges(const struct cli_ranges *ranges, bool all, struct lines *out)
{
    char text[96], line[256] = "";
    size_t at = SIZE_MAX, shown = 0;

    if (all) {
        for (size_t i = 0; i < ranges->count && i < RANGES_SHOWN; i++) {
            range_text(&ranges->items[i], text);
            add_line(out, "    %s", text);
        }
        if (ranges->count > RANGES_SHOWN)
            add_line(out, "    ... and %zu more ranges (all of them: --format json)",
                     ranges->count - RANGES_SHOWN);
        return;
    }
    for (; shown < RANGES_NAMED && (at = next_range(ranges, at)) != SIZE_MAX; shown++) {
        const size_t length = strlen(line);
        range_text(&ranges->items[at], text);
        snprintf(line + length, sizeof line - length, "%s%s", shown ? ", " : "", text);
    }
    if (ranges->count > shown)
        add_line(out, "    %s, and %zu more range%s (--all)", line, ranges->count - shown,
                 cairn_plural(ranges->count - shown));
    else
        add_line(out, "    %s", line);
}

static void put_finding(const char *before, const struct cli_finding *finding,
                        const struct cli_cost *cost, bool all, struct lines *out)
{
    add_line(out, "%s%s: %s%s%s [%s]", before, cli_severity_word(finding->severity),
             finding->where ? finding->where : "", finding->where ? ": " : "", finding->what,
             finding->code);
    put_place(finding, cost, out);
    if (finding->ranges && finding->ranges->count)
        put_ranges(finding->ranges, all, out);
    if (finding->advice)
        add_line(out, "    what to do: %s%s", finding->advice,
                 finding->remedies[0].mend != CLI_MEND_NOTHING ? " (--fix does it)" : "");
}

/* Whether a member before this one was of the same place. */
static bool is_named(const struct cli_findings *findings, size_t index, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        const struct cli_kept *kept = &findings->items[i];
        if (kept->because == SIZE_MAX && kept->cause == index &&
            !strcmp(kept->finding.where, findings->items[at].finding.where))
            return true;
    }
    return false;
}

/* The members of a cause beside its head, in one line: where else the same is so. */
static void put_members(const struct cli_findings *findings, size_t index, struct lines *out)
{
    const struct cli_cause *cause = &findings->causes[index];
    const char *where = findings->items[cause->head].finding.where;
    char names[192] = "";
    size_t elsewhere = 0, here = 0;

    for (size_t i = 0; i < findings->count; i++) {
        const struct cli_kept *kept = &findings->items[i];
        if (kept->because != SIZE_MAX || kept->cause != index || i == cause->head)
            continue;
        if (!strcmp(kept->finding.where, where)) {
            here++;
        } else if (!is_named(findings, index, i)) {
            const size_t length = strlen(names);
            if (elsewhere < NAMES_SHOWN)
                snprintf(names + length, sizeof names - length, "%s%.60s", elsewhere ? ", " : "",
                         kept->finding.where);
            elsewhere++;
        }
    }
    if (here)
        add_line(out, "    and %zu more like it (--all)", here);
    if (elsewhere > NAMES_SHOWN)
        add_line(out, "    the same in %s and %zu more", names, elsewhere - NAMES_SHOWN);
    else if (elsewhere)
        add_line(out, "    the same in %s", names);
}

static void put_cause(const struct cli_findings *findings, size_t index, struct lines *out)
{
    const struct cli_cause *cause = &findings->causes[index];
    const struct cli_finding *head = &findings->items[cause->head].finding;
    struct lines lines = {0};

    put_finding("", head, &cause->cost, false, &lines);
    add_line(out, "%s", lines.count ? lines.items[0] : "");
    if (cause->members > 1)
        put_members(findings, index, out);
    for (size_t i = 1; i < lines.count; i++)
        add_line(out, "%s", lines.items[i]);
    free_lines(&lines);
}

/* Everything of one cause: its members, and what follows from them. */
static void put_whole_cause(const struct cli_findings *findings, size_t index, struct lines *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct cli_kept *kept = &findings->items[i];
        if (kept->because == SIZE_MAX && kept->cause == index)
            put_finding("", &kept->finding, &kept->finding.cost, true, out);
    }
    for (size_t i = 0; i < findings->count; i++) {
        size_t root = i;
        while (findings->items[root].because != SIZE_MAX)
            root = findings->items[root].because;
        if (root != i && findings->items[root].cause == index)
            put_finding("  follows from it: ", &findings->items[i].finding,
                        &findings->items[i].finding.cost, true, out);
    }
}

/* ---- all of it ---- */

struct totals {
    size_t problems, warnings, notes, losing;
};

static struct totals count(const struct cli_findings *findings)
{
    struct totals totals = {0};

    for (size_t i = 0; i < findings->cause_count; i++) {
        const struct cli_finding *head = &findings->items[findings->causes[i].head].finding;
        totals.problems += head->severity == CAIRN_PROBLEM;
        totals.warnings += head->severity == CAIRN_WARNING;
        totals.notes += head->severity == CAIRN_NOTE;
        totals.losing += cli_finding_matters(head);
    }
    return totals;
}

static void put_last(const struct totals *totals, bool all, struct lines *out)
{
    if (totals->problems + totals->warnings + totals->notes == 0)
        add_line(out, "nothing to complain about: every byte was decoded");
    else
        add_line(out, "%zu problem%s, %zu warning%s, %zu note%s%s; %zu lose%s data",
                 totals->problems, cairn_plural(totals->problems), totals->warnings,
                 cairn_plural(totals->warnings), totals->notes, cairn_plural(totals->notes),
                 totals->notes && !all ? " (--all)" : "", totals->losing,
                 totals->losing == 1 ? "s" : "");
}

/* As many causes, the worst first, as a screen has room for; notes are counted only. */
static void put_worst(const struct cli_findings *findings, const struct totals *totals,
                      struct lines *out)
{
    size_t left = totals->problems + totals->warnings;

    for (size_t i = 0; i < findings->cause_count; i++) {
        struct lines lines = {0};
        if (findings->items[findings->causes[i].head].finding.severity == CAIRN_NOTE)
            break; /* they are last */
        put_cause(findings, i, &lines);
        const bool fits = out->count + lines.count + 2 <= LINES_MOST;
        for (size_t j = 0; fits && j < lines.count; j++)
            add_line(out, "%s", lines.items[j]);
        free_lines(&lines);
        if (!fits)
            break;
        left--;
    }
    if (left)
        add_line(out, "%zu more of less weight: --all", left);
}

void cli_findings_text(const struct cli_findings *findings)
{
    struct cairn_output *output = findings->audit->session->output;
    const bool all = findings->audit->session->options->check.all;
    const struct totals totals = count(findings);
    struct lines lines = {0};

    put_verdicts(findings, all, &lines);
    if (lines.count && (totals.problems + totals.warnings || (all && totals.notes)))
        add_line(&lines, "%s", "");
    if (all)
        for (size_t i = 0; i < findings->cause_count; i++)
            put_whole_cause(findings, i, &lines);
    else
        put_worst(findings, &totals, &lines);
    put_last(&totals, all, &lines);
    print_lines(output, &lines);
    free_lines(&lines);
}
