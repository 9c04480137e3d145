/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stddef.h>

#include "cli/branches.h"
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
    put_flag(output, "last_failed", stack->failed_last);
    put_flag(output, "no_predictions", !stack->has_predictions);
    put_flag(output, "no_cycles", !stack->has_cycles);
    put_findings(output, stack->hole_findings);
    cairn_output_char(output, '}');
    cairn_output_line(output);
    for (size_t i = 0; i < stack->count; i++)
        put_branch(list, stack, number, cli_branch_at(list, stack, i));
}

void cli_branches_json_end(struct cli_branch_list *list)
{
    struct cairn_output *output = list->session->output;
    const struct cli_branch_totals *totals = &list->totals;

    cairn_output_format(output,
                        "{\"type\":\"result\",\"schema\":%d,\"stacks\":%zu,\"branches\":%zu,"
                        "\"without_source\":%zu,\"without_target\":%zu,\"mispredicted\":%zu,"
                        "\"possibly_rolled_back\":%zu,\"wrong\":%zu}",
                        CAIRN_JSON_SCHEMA, totals->stacks, totals->branches, totals->half_targets,
                        totals->half_sources, totals->mispredicted, totals->possibly_rolled_back,
                        totals->findings);
    cairn_output_line(output);
}
