/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 32

void cli_finding_sentence(char sentence[CLI_SENTENCE_MAX], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, CLI_SENTENCE_MAX, format, arguments);
    va_end(arguments);
}

bool cli_finding_matters(const struct cli_finding *finding)
{
    return finding->loss == CLI_LOSES_DATA && finding->severity > CAIRN_NOTE;
}

/* ---- collecting ---- */

/* NULL stays NULL. */
static const char *own_text(struct cli_findings *findings, const char *text)
{
    char *copy = text ? strdup(text) : NULL;

    findings->no_memory |= text && !copy;
    return copy;
}

static void own_ranges(struct cli_findings *findings, struct cli_kept *kept)
{
    const struct cli_ranges *from = kept->finding.ranges;

    kept->finding.ranges = NULL;
    if (!from || !from->count)
        return;
    kept->ranges.items = malloc(from->count * sizeof *from->items);
    if (!kept->ranges.items) {
        findings->no_memory = true;
        return;
    }
    memcpy(kept->ranges.items, from->items, from->count * sizeof *from->items);
    kept->ranges.count = from->count;
    kept->ranges.capacity = from->count;
    kept->ranges.reach = from->reach;
}

/* `items` moves as it grows: what points into it is set once all are there. */
static void point(struct cli_kept *kept)
{
    if (kept->first.count)
        kept->finding.first = &kept->first;
    if (kept->ranges.count)
        kept->finding.ranges = &kept->ranges;
}

void cli_findings_add(struct cli_findings *findings, const struct cli_finding *finding)
{
    if (findings->count == findings->capacity) {
        const size_t capacity = findings->capacity ? findings->capacity * 2 : FIRST_CAPACITY;
        struct cli_kept *items = realloc(findings->items, capacity * sizeof *items);
        if (!items) {
            findings->no_memory = true;
            return;
        }
        findings->items = items;
        findings->capacity = capacity;
    }
    struct cli_kept *kept = &findings->items[findings->count];
    *kept = (struct cli_kept){.finding = *finding, .order = findings->count++};
    kept->finding.where = own_text(findings, finding->where);
    kept->finding.what = own_text(findings, finding->what);
    kept->finding.advice = own_text(findings, finding->advice);
    if (finding->first)
        kept->first = *finding->first;
    kept->finding.first = NULL;
    if (!kept->finding.count)
        kept->finding.count = kept->first.count;
    own_ranges(findings, kept);
    for (size_t i = 0; i < CLI_MENDS_MAX; i++) {
        struct cli_remedy *remedy = &kept->finding.remedies[i];
        remedy->of = own_text(findings, remedy->of);
        remedy->name = own_text(findings, remedy->name);
        remedy->value = own_text(findings, remedy->value);
    }
}

void cli_findings_free(struct cli_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct cli_finding *finding = &findings->items[i].finding;
        free((char *)finding->where);
        free((char *)finding->what);
        free((char *)finding->advice);
        for (size_t j = 0; j < CLI_MENDS_MAX; j++) {
            free((char *)finding->remedies[j].of);
            free((char *)finding->remedies[j].name);
            free((char *)finding->remedies[j].value);
        }
        cli_ranges_free(&findings->items[i].ranges);
    }
    free(findings->items);
    free(findings->causes);
}

/* ---- what follows from what ---- */

/* Finds what `where` names: a source, a buffer, or neither. */
static void find_place(const struct cli_audit *audit, struct cli_kept *kept)
{
    const char *where = kept->finding.where;

    kept->source = SIZE_MAX;
    kept->buffer = SIZE_MAX;
    for (size_t i = 0; where && i < audit->source_count; i++)
        if (!strcmp(where, audit->sources[i].info.name)) {
            kept->source = i;
            kept->buffer = audit->sources[i].info.buffer;
            return;
        }
    for (size_t i = 0; where && i < audit->buffer_count; i++)
        if (!strcmp(where, audit->buffers[i].info.name)) {
            kept->buffer = i;
            return;
        }
}

static bool reaches(const struct cli_kept *cause, const struct cli_kept *other)
{
    if (cause->buffer == SIZE_MAX)
        return true;
    if (cause->finding.whole && other->buffer == SIZE_MAX)
        return true;
    if (cause->source != SIZE_MAX)
        return other->source == cause->source;
    return other->buffer == cause->buffer;
}

static bool explains(const struct cli_kept *cause, const struct cli_kept *other)
{
    if (!reaches(cause, other))
        return false;
    for (const char *const *code = cause->finding.explains; *code; code++)
        if (!strcmp(*code, other->finding.code))
            return true;
    return false;
}

/* Where the chain of what item `at` follows from begins. */
static size_t root_of(const struct cli_findings *findings, size_t at)
{
    while (findings->items[at].because != SIZE_MAX)
        at = findings->items[at].because;
    return at;
}

static void find_reasons(struct cli_findings *findings)
{
    struct cli_kept *items = findings->items;

    for (size_t i = 0; i < findings->count; i++)
        items[i].because = SIZE_MAX;
    for (size_t j = 0; j < findings->count; j++)
        for (size_t i = 0; items[j].finding.explains && i < findings->count; i++)
            if (i != j && items[i].because == SIZE_MAX && explains(&items[j], &items[i]) &&
                root_of(findings, j) != i)
                items[i].because = j;
}

/* ---- causes ---- */

static uint64_t weight(const struct cli_cost *cost)
{
    const uint64_t counted = cost->branches + cost->instructions;

    return counted > cost->bytes ? counted : cost->bytes;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Two entries would say the same of two places. */
static bool are_one(const struct cli_finding *a, const struct cli_finding *b)
{
    return a->where && b->where && !strcmp(a->code, b->code) && a->severity == b->severity &&
           same_text(a->advice, b->advice);
}

static void add_cost(struct cli_cost *sum, const struct cli_cost *cost)
{
    sum->branches += cost->branches;
    sum->instructions += cost->instructions;
    sum->bytes += cost->bytes;
}

static void put_into_cause(struct cli_findings *findings, size_t at)
{
    struct cli_kept *kept = &findings->items[at];

    for (size_t i = 0; i < findings->cause_count; i++) {
        struct cli_cause *cause = &findings->causes[i];
        const struct cli_finding *head = &findings->items[cause->head].finding;
        if (!are_one(head, &kept->finding))
            continue;
        kept->cause = i;
        cause->members++;
        if (weight(&kept->finding.cost) > weight(&head->cost))
            cause->head = at;
        add_cost(&cause->cost, &kept->finding.cost);
        return;
    }
    kept->cause = findings->cause_count;
    findings->causes[findings->cause_count++] =
        (struct cli_cause){.head = at, .members = 1, .cost = kept->finding.cost};
}

static bool is_worse(const struct cli_findings *findings, const struct cli_cause *a,
                     const struct cli_cause *b)
{
    const struct cli_kept *first = &findings->items[a->head], *second = &findings->items[b->head];
    const bool note = first->finding.severity == CAIRN_NOTE;
    const uint64_t weight_a = weight(&a->cost), weight_b = weight(&b->cost);

    if (note != (second->finding.severity == CAIRN_NOTE))
        return !note;
    if (weight_a != weight_b)
        return weight_a > weight_b;
    if (first->finding.severity != second->finding.severity)
        return first->finding.severity > second->finding.severity;
    return first->order < second->order;
}

/* There are few. */
static void sort_causes(struct cli_findings *findings)
{
    for (size_t i = 1; i < findings->cause_count; i++) {
        const struct cli_cause cause = findings->causes[i];
        size_t at = i;
        for (; at > 0 && is_worse(findings, &cause, &findings->causes[at - 1]); at--)
            findings->causes[at] = findings->causes[at - 1];
        findings->causes[at] = cause;
    }
}

/* The cause with that head. */
static size_t cause_with(const struct cli_findings *findings, size_t head)
{
    size_t at = 0;

    while (at < findings->cause_count && findings->causes[at].head != head)
        at++;
    return at;
}

void cli_findings_sort(struct cli_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        point(&findings->items[i]);
        find_place(findings->audit, &findings->items[i]);
    }
    find_reasons(findings);
    findings->causes = calloc(findings->count + 1, sizeof *findings->causes);
    if (!findings->causes) {
        findings->no_memory = true;
        return;
    }
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].because == SIZE_MAX)
            put_into_cause(findings, i);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].because != SIZE_MAX)
            add_cost(&findings->causes[findings->items[root_of(findings, i)].cause].cost,
                     &findings->items[i].finding.cost);
    /* Members know their cause by its head while sorting moves causes. */
    for (size_t i = 0; i < findings->count; i++) {
        struct cli_kept *kept = &findings->items[i];
        kept->cause = kept->because == SIZE_MAX ? findings->causes[kept->cause].head : SIZE_MAX;
    }
    sort_causes(findings);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].because == SIZE_MAX)
            findings->items[i].cause = cause_with(findings, findings->items[i].cause);
}

/* Whether a finding is about the source, or its buffer, or about all of them. */
static bool is_about(const struct cli_kept *kept, size_t source, size_t buffer)
{
    if (kept->source != SIZE_MAX)
        return kept->source == source;
    return kept->buffer == buffer ||
           (kept->buffer == SIZE_MAX && kept->finding.loss == CLI_LOSES_DATA);
}

size_t cli_findings_causes_of(const struct cli_findings *findings, size_t source, bool matter)
{
    const size_t buffer = findings->audit->sources[source].info.buffer;
    size_t count = 0;

    for (size_t i = 0; i < findings->cause_count; i++) {
        bool about = false;
        for (size_t j = 0; j < findings->count && !about; j++) {
            const struct cli_finding *finding = &findings->items[j].finding;
            about = findings->items[j].cause == i && finding->severity > CAIRN_NOTE &&
                    cli_finding_matters(finding) == matter &&
                    is_about(&findings->items[j], source, buffer);
        }
        count += about;
    }
    return count;
}
