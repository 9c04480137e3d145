/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/letters.h"
#include "cli/branches/branches.h"

#define PLACE_MOST 80u /* an address with a function's short name and an offset */

/* A line's columns. */
struct branch_row {
    char source[PLACE_MOST], target[PLACE_MOST];
    char cycles[48];
};

static void place(const struct cli_branch_list *list, bool known, uint64_t address,
                  char text[PLACE_MOST])
{
    uint64_t offset = 0;
    const char *function = known ? cli_branch_function(list, address, &offset) : NULL;

    if (!known)
        snprintf(text, PLACE_MOST, "-");
    else if (!function)
        snprintf(text, PLACE_MOST, "0x%" PRIx64, address);
    else if (!offset)
        snprintf(text, PLACE_MOST, "0x%" PRIx64 " %s", address, function);
    else
        snprintf(text, PLACE_MOST, "0x%" PRIx64 " %s+0x%" PRIx64, address, function, offset);
}

static struct branch_row row_of(const struct cli_branch_list *list,
                                const struct cairn_branch *branch)
{
    struct branch_row row;

    place(list, branch->flags & CAIRN_BRANCH_SOURCE, branch->source, row.source);
    place(list, branch->flags & CAIRN_BRANCH_TARGET, branch->target, row.target);
    if (branch->flags & CAIRN_BRANCH_CYCLES_UNKNOWN)
        snprintf(row.cycles, sizeof row.cycles, "cycles unknown");
    else
        snprintf(row.cycles, sizeof row.cycles, "%s%" PRIu64 " cycle%s",
                 branch->flags & CAIRN_BRANCH_CYCLES_OVERFLOWED ? "at least " : "", branch->cycles,
                 cairn_plural(branch->cycles));
    return row;
}

static size_t most(size_t one, size_t other)
{
    return one > other ? one : other;
}

/* What else there is to say of a branch, with what stands in front of each. Of a flow nobody may have seen a half. */
static void tell_flags(struct cairn_output *output, const struct cairn_branch *branch, bool of_flow)
{
    static const struct {
        uint32_t mask, bits;
        const char *text;
    } words[] = {
        {CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET, CAIRN_BRANCH_SOURCE,
         "target where recording is prohibited"},
        {CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET, CAIRN_BRANCH_TARGET,
         "source where recording is prohibited"},
        {CAIRN_BRANCH_MISPREDICTED, CAIRN_BRANCH_MISPREDICTED, "mispredicted"},
        {CAIRN_BRANCH_TRANSACTIONAL, CAIRN_BRANCH_TRANSACTIONAL, "in a transaction"},
        {CAIRN_BRANCH_POSSIBLY_ROLLED_BACK, CAIRN_BRANCH_POSSIBLY_ROLLED_BACK,
         "possibly rolled back"},
        {CAIRN_BRANCH_LAST_FAILED, CAIRN_BRANCH_LAST_FAILED, "a transaction failed before it"},
    };
    const char *between = "  ";

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if ((branch->flags & words[i].mask) != words[i].bits)
            continue;
        if (of_flow && i < 2)
            cairn_output_format(output, "%s%s not recorded", between, i == 0 ? "target" : "source");
        else
            cairn_output_format(output, "%s%s", between, words[i].text);
        between = ", ";
    }
}

static void tell_findings(struct cairn_output *output, uint32_t findings)
{
    for (; findings; findings &= findings - 1) {
        cairn_output_format(output, "      wrong: %s", cairn_branch_finding_text(findings));
        cairn_output_line(output);
    }
}

static void tell_heading(const struct cli_branch_list *list, const struct cli_branch_stack *stack)
{
    struct cairn_output *output = list->session->output;
    const struct cli_branch_dump *dump = stack->dump;

    cairn_output_format(output, "== %s%s%s: %zu branch%s", stack->path, dump->name ? ", " : "",
                        dump->name ? dump->name : "", stack->count, stack->count == 1 ? "" : "es");
    if (stack->behind)
        cairn_output_format(output, " behind %" PRIu64 " record%s", stack->behind,
                            cairn_plural(stack->behind));
    if (dump->capacity)
        cairn_output_format(output, " in a buffer of %zu", dump->capacity);
    cairn_output_format(output, ", the %s first",
                        list->session->options->oldest_first ? "oldest" : "youngest");
    cairn_output_line(output);
    if (!stack->has_predictions) {
        cairn_output_text(output,
                          "   MPRED of BRBCR_EL1 or BRBCR_EL2 is 0: predictions were not recorded");
        cairn_output_line(output);
    }
    if (!stack->has_cycles) {
        cairn_output_text(output, "   CC of BRBCR_EL1 or BRBCR_EL2 is 0: cycles were not counted");
        cairn_output_line(output);
    }
    if (stack->failed_last) {
        cairn_output_text(
            output, "   LASTFAILED of BRBFCR_EL1 is 1: a transaction failed behind the youngest");
        cairn_output_line(output);
    }
}

/* --- beside a flow --- */

static void tell_place(const struct cli_branch_list *list, const struct cli_branch_stack *stack)
{
    const struct cli_branch_check *check = stack->check;
    struct cairn_output *output = list->session->output;

    if (!check->fits) {
        cairn_output_format(output, "   fits nowhere in the flow%s%s: %s",
                            stack->beside ? " of " : "", stack->beside ? stack->beside : "",
                            check->recorded
                                ? "more than half of the records are other ones at the best place"
                                : "nothing of it would have been recorded");
    } else {
        size_t first = 0;

        while (check->beside[first].place != CLI_BRANCH_IN_FLOW)
            first++; /* there is one, since it fits */
        cairn_output_format(output, "   beside %s: record %zu is number %" PRIu64 " of %" PRIu64,
                            stack->beside, stack->dump->first + first, check->number, check->total);
        cairn_output_format(output, "; %zu differ%s", check->disagree,
                            check->disagree == 1 ? "s" : "");
        if (check->lost)
            cairn_output_format(output, ", %zu not in the flow", check->lost);
    }
    cairn_output_line(output);
}

static void tell_beside(const struct cli_branch_list *list, const struct cli_branch_beside *beside)
{
    struct cairn_output *output = list->session->output;
    const struct cairn_branch *flow = &beside->flow.branch;
    const struct branch_row row = row_of(list, flow);
    const char *between = "      differs: the flow has ";

    if (beside->differs & (CLI_BRANCH_DIFFERS_SOURCE | CLI_BRANCH_DIFFERS_HALVES)) {
        cairn_output_format(output, "%ssource %s", between, row.source);
        between = ", ";
    }
    if (beside->differs & (CLI_BRANCH_DIFFERS_TARGET | CLI_BRANCH_DIFFERS_HALVES)) {
        cairn_output_format(output, "%starget %s", between, row.target);
        between = ", ";
    }
    if (beside->differs & CLI_BRANCH_DIFFERS_TYPE) {
        cairn_output_format(output, "%s%s", between, cairn_branch_type_name(flow->type));
        between = ", ";
    }
    if (beside->differs & CLI_BRANCH_DIFFERS_EL)
        cairn_output_format(output, "%sEL%u", between, flow->EL);
    if (beside->differs)
        cairn_output_line(output);
}

static const char *place_text(const struct cli_branch_beside *beside)
{
    switch (beside->place) {
    case CLI_BRANCH_IN_GAP: return "not in the flow: lost in a gap of the trace";
    case CLI_BRANCH_BEFORE: return "not in the flow: older than the trace";
    case CLI_BRANCH_BEHIND: return "not in the flow: younger than the trace";
    default: return NULL;
    }
}

/* Behind what the record says. */
static void tell_check(const struct cli_branch_list *list, const struct cli_branch_stack *stack,
                       size_t n)
{
    struct cairn_output *output = list->session->output;

    if (!stack->check || !stack->check->fits)
        return;
    const char *text = place_text(&stack->check->beside[n]);
    if (text) {
        cairn_output_format(output, "      %s", text);
        cairn_output_line(output);
    }
    tell_beside(list, &stack->check->beside[n]);
}

/* What stands behind the first invalid record. */
static void tell_behind(const struct cli_branch_list *list, const struct cli_branch_stack *stack)
{
    struct cairn_output *output = list->session->output;

    tell_findings(output, stack->hole_findings & ~CAIRN_BRANCH_BAD_HOLE);
    if (!stack->hole)
        return;
    cairn_output_format(
        output,
        "      wrong: %s: %zu is valid, %zu is not; the dump was perhaps taken while "
        "branches were recorded",
        cairn_branch_finding_text(CAIRN_BRANCH_BAD_HOLE), stack->hole,
        stack->dump->first + stack->count);
    cairn_output_line(output);
}

void cli_branches_text(struct cli_branch_list *list, const struct cli_branch_stack *stack)
{
    struct cairn_output *output = list->session->output;
    size_t source = 1, target = 1, type = 1, cycles = 1;

    tell_heading(list, stack);
    if (stack->check && stack->count)
        tell_place(list, stack);
    for (size_t i = 0; i < stack->count; i++) {
        const struct branch_row row = row_of(list, &stack->branches[i]);

        source = most(source, strlen(row.source));
        target = most(target, strlen(row.target));
        type = most(type, strlen(cairn_branch_type_name(stack->branches[i].type)));
        cycles = most(cycles, strlen(row.cycles));
    }
    for (size_t i = 0; i < stack->count; i++) {
        const size_t n = cli_branch_at(list, stack->count, i);
        const struct cairn_branch *branch = &stack->branches[n];
        const struct branch_row row = row_of(list, branch);
        char EL[8] = "-";

        if (branch->flags & CAIRN_BRANCH_TARGET)
            snprintf(EL, sizeof EL, "EL%u", branch->EL);
        cairn_output_format(output, "%4zu  %-*s -> %-*s  %-*s  %-3s  %*s", stack->dump->first + n,
                            (int)source, row.source, (int)target, row.target, (int)type,
                            cairn_branch_type_name(branch->type), EL, (int)cycles, row.cycles);
        tell_flags(output, branch, stack->of_flow);
        cairn_output_line(output);
        tell_findings(output, stack->findings[n]);
        tell_check(list, stack, n);
    }
    tell_behind(list, stack);
}

/* --- samples --- */

static void tell_entry_flags(struct cairn_output *output, const struct cairn_branch_entry *entry)
{
    const char *const words[] = {
        entry->from && !entry->to ? "target not recorded" : NULL,
        entry->to && !entry->from ? "source not recorded" : NULL,
        entry->flags & CAIRN_BRANCH_ENTRY_MISPRED ? "mispredicted" : NULL,
        entry->flags & CAIRN_BRANCH_ENTRY_IN_TX ? "in a transaction" : NULL,
        entry->flags & CAIRN_BRANCH_ENTRY_ABORT ? "a transaction aborted" : NULL,
        cli_branch_entry_speculation(entry),
    };
    const char *between = "  ";

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!words[i])
            continue;
        cairn_output_format(output, "%s%s", between, words[i]);
        between = ", ";
    }
}

/* What the columns of a sample have room for, and which are there. */
struct sample_columns {
    size_t source, target, type, level, cycles;
};

static struct branch_row entry_row(const struct cli_branch_list *list,
                                   const struct cairn_branch_entry *entry)
{
    struct branch_row row;

    place(list, entry->from != 0, entry->from, row.source);
    place(list, entry->to != 0, entry->to, row.target);
    if (entry->cycles)
        snprintf(row.cycles, sizeof row.cycles, "%u cycle%s", entry->cycles,
                 cairn_plural(entry->cycles));
    else
        snprintf(row.cycles, sizeof row.cycles, "cycles unknown");
    return row;
}

/* Columns of which no entry of the sample has anything are left out. */
static struct sample_columns columns_of(const struct cli_branch_list *list,
                                        const struct cli_branch_sample *sample)
{
    struct sample_columns columns = {.source = 1, .target = 1};
    bool cycles = false;

    for (size_t i = 0; i < sample->fields.branches; i++) {
        const struct cairn_branch_entry entry = cairn_perf_entry(sample->perf, &sample->fields, i);
        const struct branch_row row = entry_row(list, &entry);
        const char *level = cli_branch_entry_level(&entry);

        columns.source = most(columns.source, strlen(row.source));
        columns.target = most(columns.target, strlen(row.target));
        columns.cycles = most(columns.cycles, strlen(row.cycles));
        columns.level = most(columns.level, level ? strlen(level) : 0);
        if (entry.type)
            columns.type = most(columns.type, strlen(cli_branch_entry_type(&entry)));
        cycles |= entry.cycles != 0;
    }
    if (!cycles)
        columns.cycles = 0;
    return columns;
}

#define SECOND UINT64_C(1000000000)

static void sample_heading(const struct cli_branch_list *list,
                           const struct cli_branch_sample *sample)
{
    struct cairn_output *output = list->session->output;
    const struct cairn_perf_fields *fields = &sample->fields;
    const uint64_t has = fields->event->sample_type;
    char name[CAIRN_PERF_NAME];

    cairn_output_format(output, "== %s", sample->path);
    if (sample->name) {
        cli_branch_clean(sample->name, name, sizeof name);
        cairn_output_format(output, ", %s", name);
    }
    if (has & CAIRN_PERF_SAMPLE_TID)
        cairn_output_format(output, ", thread %" PRIu32, fields->thread);
    if (has & CAIRN_PERF_SAMPLE_CPU)
        cairn_output_format(output, ", CPU %" PRIu32, fields->cpu);
    if (has & CAIRN_PERF_SAMPLE_TIME)
        cairn_output_format(output, ", %" PRIu64 ".%09" PRIu64 " s", fields->time / SECOND,
                            fields->time % SECOND);
    cairn_output_format(output, ": %zu branch%s", fields->branches,
                        fields->branches == 1 ? "" : "es");
    if (fields->has_index && fields->index != UINT64_MAX)
        cairn_output_format(output, ", the youngest at %" PRIu64, fields->index);
    cairn_output_format(output, ", the %s first",
                        list->session->options->oldest_first ? "oldest" : "youngest");
    cairn_output_line(output);
}

void cli_branches_text_sample(struct cli_branch_list *list, const struct cli_branch_sample *sample)
{
    struct cairn_output *output = list->session->output;
    const struct cairn_perf_fields *fields = &sample->fields;
    const struct sample_columns columns = columns_of(list, sample);

    sample_heading(list, sample);
    for (size_t i = 0; i < fields->branches; i++) {
        const size_t n = cli_branch_at(list, fields->branches, i);
        const struct cairn_branch_entry entry = cairn_perf_entry(sample->perf, fields, n);
        const struct branch_row row = entry_row(list, &entry);
        const char *level = cli_branch_entry_level(&entry);

        cairn_output_format(output, "%4zu  %-*s -> %-*s", n, (int)columns.source, row.source,
                            (int)columns.target, row.target);
        if (columns.type)
            cairn_output_format(output, "  %-*s", (int)columns.type, cli_branch_entry_type(&entry));
        if (columns.level)
            cairn_output_format(output, "  %-*s", (int)columns.level, level ? level : "-");
        if (columns.cycles)
            cairn_output_format(output, "  %*s", (int)columns.cycles, row.cycles);
        tell_entry_flags(output, &entry);
        if (fields->counters)
            cairn_output_format(output, "  counters 0x%" PRIx64,
                                cairn_perf_u64(sample->perf, fields->counters + 8 * n));
        cairn_output_line(output);
    }
}

void cli_branches_text_file(struct cli_branch_list *list, const struct cli_branch_file *file)
{
    struct cairn_output *output = list->session->output;

    cairn_output_format(output, "%s: %" PRIu64 " sample%s", file->path, file->samples,
                        cairn_plural(file->samples));
    if (file->without)
        cairn_output_format(output, ", %" PRIu64 " more without branches", file->without);
    if (file->lost)
        cairn_output_format(output, ", %" PRIu64 " lost while recording", file->lost);
    if (file->killed)
        cairn_output_text(output, "; its recorder was killed: read up to the end of the file");
    cairn_output_line(output);
}

void cli_branches_text_end(struct cli_branch_list *list)
{
    struct cairn_output *output = list->session->output;
    const struct cli_branch_totals *totals = &list->totals;

    cairn_output_format(output, "%zu stack%s, %zu branch%s", totals->stacks,
                        cairn_plural(totals->stacks), totals->branches,
                        totals->branches == 1 ? "" : "es");
    if (totals->half_sources + totals->half_targets)
        cairn_output_format(output, " (%zu without target, %zu without source)",
                            totals->half_sources, totals->half_targets);
    cairn_output_format(output, "; %zu mispredicted", totals->mispredicted);
    if (totals->possibly_rolled_back)
        cairn_output_format(output, ", %zu possibly rolled back", totals->possibly_rolled_back);
    if (list->session->options->against)
        cairn_output_format(
            output, "; %zu differ%s from the flow, %zu not in it, %zu stack%s fit%s nowhere",
            totals->differing, totals->differing == 1 ? "s" : "", totals->not_in_flow,
            totals->fit_nowhere, cairn_plural(totals->fit_nowhere),
            totals->fit_nowhere == 1 ? "s" : "");
    cairn_output_format(output, "; %zu wrong", totals->findings);
    cairn_output_line(output);
}
