/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stddef.h>

#include "cli/branches/branches.h"
#include "report/json_fields.h"

static void put_text(struct cairn_output *output, const char *key, const char *text)
{
    cairn_output_format(output, ",\"%s\":", key);
    if (text)
        cairn_output_json(output, text);
    else
        cairn_output_text(output, "null");
}

static void put_flag(struct cairn_output *output, const char *key, bool value)
{
    if (value)
        cairn_output_format(output, ",\"%s\":true", key);
}

/* An array of sentences, of what is wrong. */
static void put_findings(struct cairn_output *output, uint32_t findings)
{
    const char *between = "";

    if (!findings)
        return;
    cairn_output_text(output, ",\"wrong\":[");
    for (; findings; findings &= findings - 1) {
        cairn_output_text(output, between);
        cairn_output_json(output, cairn_branch_finding_text(findings));
        between = ",";
    }
    cairn_output_char(output, ']');
}

static void put_place(const struct cli_branch_list *list, const char *key, bool known,
                      uint64_t address)
{
    struct cairn_output *output = list->session->output;
    uint64_t offset = 0;

    if (!known) {
        cairn_output_format(output, ",\"%s\":null", key);
        return;
    }
    cairn_output_format(output, ",\"%s\":\"0x%" PRIx64 "\"", key, address);
    const char *function = cli_branch_function(list, address, &offset);
    if (!function)
        return;
    cairn_output_format(output, ",\"%s_symbol\":", key);
    cairn_output_json(output, function);
    cairn_output_format(output, ",\"%s_offset\":%" PRIu64, key, offset);
}

/* --- beside a flow --- */

/* Of the stack. */
static void put_check(struct cairn_output *output, const struct cli_branch_stack *stack)
{
    const struct cli_branch_check *check = stack->check;

    if (!check)
        return;
    put_text(output, "beside", check->fits ? stack->beside : NULL);
    if (!check->fits)
        return;
    cairn_output_format(output,
                        ",\"flow_branch\":%" PRIu64 ",\"flow_branches\":%" PRIu64
                        ",\"differing\":%zu,\"not_in_flow\":%zu",
                        check->number, check->total, check->disagree, check->lost);
}

static const char *place_word(unsigned place)
{
    switch (place) {
    case CLI_BRANCH_IN_GAP: return "gap";
    case CLI_BRANCH_BEFORE: return "before";
    case CLI_BRANCH_BEHIND: return "behind";
    default: return NULL;
    }
}

/* Of a record. */
static void put_beside(const struct cli_branch_list *list, const struct cli_branch_beside *beside)
{
    static const struct {
        uint32_t bit;
        const char *word;
    } words[] = {{CLI_BRANCH_DIFFERS_HALVES, "halves"},
                 {CLI_BRANCH_DIFFERS_SOURCE, "source"},
                 {CLI_BRANCH_DIFFERS_TARGET, "target"},
                 {CLI_BRANCH_DIFFERS_TYPE, "kind"},
                 {CLI_BRANCH_DIFFERS_EL, "el"}};
    struct cairn_output *output = list->session->output;
    const struct cairn_branch *flow = &beside->flow.branch;
    const char *between = ",\"differs\":[";

    if (place_word(beside->place))
        put_text(output, "not_in_flow", place_word(beside->place));
    if (!beside->differs)
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(beside->differs & words[i].bit))
            continue;
        cairn_output_format(output, "%s\"%s\"", between, words[i].word);
        between = ",";
    }
    cairn_output_char(output, ']');
    put_place(list, "flow_source", flow->flags & CAIRN_BRANCH_SOURCE, flow->source);
    put_place(list, "flow_target", flow->flags & CAIRN_BRANCH_TARGET, flow->target);
    put_text(output, "flow_kind", cairn_branch_type_name(flow->type));
    if (flow->flags & CAIRN_BRANCH_TARGET)
        cairn_output_format(output, ",\"flow_el\":%u", flow->EL);
    else
        cairn_output_text(output, ",\"flow_el\":null");
}

static void put_branch(const struct cli_branch_list *list, const struct cli_branch_stack *stack,
                       size_t number, size_t n)
{
    struct cairn_output *output = list->session->output;
    const struct cairn_branch *branch = &stack->branches[n];

    cairn_output_format(output, "{\"type\":\"branch\",\"schema\":%d,\"stack\":%zu,\"index\":%zu",
                        CAIRN_JSON_SCHEMA, number, stack->dump->first + n);
    put_place(list, "source", branch->flags & CAIRN_BRANCH_SOURCE, branch->source);
    put_place(list, "target", branch->flags & CAIRN_BRANCH_TARGET, branch->target);
    put_text(output, "kind", cairn_branch_type_name(branch->type));
    cairn_output_format(output, ",\"code\":%u", branch->type);
    if (branch->flags & CAIRN_BRANCH_TARGET)
        cairn_output_format(output, ",\"el\":%u", branch->EL);
    else
        cairn_output_text(output, ",\"el\":null");
    if (branch->flags & CAIRN_BRANCH_CYCLES_UNKNOWN)
        cairn_output_text(output, ",\"cycles\":null");
    else
        cairn_output_format(output, ",\"cycles\":%" PRIu64, branch->cycles);
    put_flag(output, "at_least", branch->flags & CAIRN_BRANCH_CYCLES_OVERFLOWED);
    put_flag(output, "mispredicted", branch->flags & CAIRN_BRANCH_MISPREDICTED);
    put_flag(output, "transactional", branch->flags & CAIRN_BRANCH_TRANSACTIONAL);
    put_flag(output, "possibly_rolled_back", branch->flags & CAIRN_BRANCH_POSSIBLY_ROLLED_BACK);
    put_flag(output, "last_failed", branch->flags & CAIRN_BRANCH_LAST_FAILED);
    put_findings(output, stack->findings[n]);
    if (stack->check && stack->check->fits)
        put_beside(list, &stack->check->beside[n]);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

void cli_branches_json(struct cli_branch_list *list, const struct cli_branch_stack *stack,
                       size_t number)
{
    struct cairn_output *output = list->session->output;

    cairn_output_format(output, "{\"type\":\"stack\",\"schema\":%d,\"stack\":%zu",
                        CAIRN_JSON_SCHEMA, number);
    put_text(output, "file", stack->path);
    put_text(output, "name", stack->dump->name);
    cairn_output_format(output, ",\"branches\":%zu,\"capacity\":", stack->count);
    if (stack->dump->capacity)
        cairn_output_format(output, "%zu", stack->dump->capacity);
    else
        cairn_output_text(output, "null");
    if (stack->behind)
        cairn_output_format(output, ",\"behind\":%" PRIu64, stack->behind);
    put_flag(output, "last_failed", stack->failed_last);
    put_flag(output, "no_predictions", !stack->has_predictions);
    put_flag(output, "no_cycles", !stack->has_cycles);
    put_findings(output, stack->hole_findings);
    put_check(output, stack);
    cairn_output_char(output, '}');
    cairn_output_line(output);
    for (size_t i = 0; i < stack->count; i++)
        put_branch(list, stack, number, cli_branch_at(list, stack->count, i));
}

/* --- samples --- */

static void put_entry(const struct cli_branch_list *list, const struct cli_branch_sample *sample,
                      size_t number, size_t n)
{
    struct cairn_output *output = list->session->output;
    const struct cairn_branch_entry entry = cairn_perf_entry(sample->perf, &sample->fields, n);

    cairn_output_format(output, "{\"type\":\"branch\",\"schema\":%d,\"stack\":%zu,\"index\":%zu",
                        CAIRN_JSON_SCHEMA, number, n);
    put_place(list, "source", entry.from != 0, entry.from);
    put_place(list, "target", entry.to != 0, entry.to);
    put_text(output, "kind", cli_branch_entry_type(&entry));
    cairn_output_format(output, ",\"code\":%u,\"el\":null", entry.type);
    if (cli_branch_entry_level(&entry))
        put_text(output, "level", cli_branch_entry_level(&entry));
    if (entry.cycles)
        cairn_output_format(output, ",\"cycles\":%u", entry.cycles);
    else
        cairn_output_text(output, ",\"cycles\":null");
    put_flag(output, "mispredicted", entry.flags & CAIRN_BRANCH_ENTRY_MISPRED);
    put_flag(output, "predicted", entry.flags & CAIRN_BRANCH_ENTRY_PREDICTED);
    put_flag(output, "transactional", entry.flags & CAIRN_BRANCH_ENTRY_IN_TX);
    put_flag(output, "aborted", entry.flags & CAIRN_BRANCH_ENTRY_ABORT);
    if (cli_branch_entry_speculation(&entry))
        put_text(output, "speculation", cli_branch_entry_speculation(&entry));
    if (sample->fields.counters)
        cairn_output_format(output, ",\"counters\":\"0x%" PRIx64 "\"",
                            cairn_perf_u64(sample->perf, sample->fields.counters + 8 * n));
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

void cli_branches_json_sample(struct cli_branch_list *list, const struct cli_branch_sample *sample,
                              size_t number)
{
    struct cairn_output *output = list->session->output;
    const struct cairn_perf_fields *fields = &sample->fields;
    const uint64_t has = fields->event->sample_type;

    cairn_output_format(output, "{\"type\":\"stack\",\"schema\":%d,\"stack\":%zu",
                        CAIRN_JSON_SCHEMA, number);
    put_text(output, "file", sample->path);
    put_text(output, "name", sample->name);
    cairn_output_format(output, ",\"branches\":%zu,\"capacity\":null", fields->branches);
    if (has & CAIRN_PERF_SAMPLE_IP)
        cairn_output_format(output, ",\"address\":\"0x%" PRIx64 "\"", fields->address);
    if (has & CAIRN_PERF_SAMPLE_TID)
        cairn_output_format(output, ",\"process\":%" PRIu32 ",\"thread\":%" PRIu32, fields->process,
                            fields->thread);
    if (has & CAIRN_PERF_SAMPLE_CPU)
        cairn_output_format(output, ",\"cpu\":%" PRIu32, fields->cpu);
    if (has & CAIRN_PERF_SAMPLE_TIME)
        cairn_output_format(output, ",\"time\":%" PRIu64, fields->time);
    if (fields->has_index && fields->index != UINT64_MAX)
        cairn_output_format(output, ",\"youngest\":%" PRIu64, fields->index);
    cairn_output_char(output, '}');
    cairn_output_line(output);
    for (size_t i = 0; i < fields->branches; i++)
        put_entry(list, sample, number, cli_branch_at(list, fields->branches, i));
}

void cli_branches_json_file(struct cli_branch_list *list, const struct cli_branch_file *file)
{
    static const char *const ends[] = {
        [CAIRN_PERF_END_WHOLE] = "whole",
        [CAIRN_PERF_END_CUT] = "cut",
        [CAIRN_PERF_END_DAMAGED] = "damaged",
        [CAIRN_PERF_END_UNREADABLE] = "unreadable",
    };
    struct cairn_output *output = list->session->output;

    cairn_output_format(output, "{\"type\":\"file\",\"schema\":%d", CAIRN_JSON_SCHEMA);
    put_text(output, "file", file->path);
    cairn_output_format(output,
                        ",\"samples\":%" PRIu64 ",\"without_branches\":%" PRIu64
                        ",\"lost\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"compressed\":%" PRIu64
                        ",\"unread\":%" PRIu64 ",\"ended\":\"%s\"",
                        file->samples, file->without, file->lost,
                        file->unreadable + file->unknown_event, file->compressed, file->unread,
                        ends[file->ended]);
    put_flag(output, "killed", file->killed);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

void cli_branches_json_end(struct cli_branch_list *list)
{
    struct cairn_output *output = list->session->output;
    const struct cli_branch_totals *totals = &list->totals;

    cairn_output_format(output,
                        "{\"type\":\"result\",\"schema\":%d,\"stacks\":%zu,\"branches\":%zu,"
                        "\"without_source\":%zu,\"without_target\":%zu,\"mispredicted\":%zu,"
                        "\"possibly_rolled_back\":%zu,\"wrong\":%zu",
                        CAIRN_JSON_SCHEMA, totals->stacks, totals->branches, totals->half_targets,
                        totals->half_sources, totals->mispredicted, totals->possibly_rolled_back,
                        totals->findings);
    if (list->session->options->against)
        cairn_output_format(output, ",\"differing\":%zu,\"not_in_flow\":%zu,\"fit_nowhere\":%zu",
                            totals->differing, totals->not_in_flow, totals->fit_nowhere);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}
