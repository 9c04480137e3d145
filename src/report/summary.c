/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/summary.h"

#include "base/letters.h"
#include "report/event.h"
#include "report/json_fields.h"

void cairn_summary_add(struct cairn_summary *summary, const struct cairn_flow_batch *batch,
                       size_t index)
{
    unsigned kind = batch->kind[index];
    unsigned flags = batch->flags[index];

    if (kind >= CAIRN_SUMMARY_KINDS) {
        summary->others++;
        return;
    }
    summary->records[kind]++;
    if (kind == CAIRN_FLOW_CYCLES && !(flags & CAIRN_FLOW_UNKNOWN))
        summary->cycles += batch->value[index];
    if (kind != CAIRN_FLOW_RANGE)
        return;
    summary->instructions += batch->instructions[index];
    if (!(flags & CAIRN_FLOW_P0) || flags & CAIRN_FLOW_UNKNOWN)
        return;
    if (flags & CAIRN_FLOW_TAKEN)
        summary->taken++;
    else
        summary->not_taken++;
}

/* One path, `times` times. */
static void add_path(struct cairn_summary *summary, const struct cairn_path *path, uint64_t times,
                     const struct cairn_code_block *blocks, const uint32_t *steps)
{
    for (uint32_t i = 0; i < path->steps; i++) {
        const uint32_t step = steps[path->first + i];
        const struct cairn_code_block *block = &blocks[step >> 1];
        if (step & 1 && block->flags & CAIRN_BLOCK_ERET)
            summary->records[CAIRN_FLOW_EXCEPTION_RETURN] += times;
        if (!block->instructions)
            continue;
        summary->records[CAIRN_FLOW_RANGE] += times;
        summary->instructions += times * block->instructions;
        if (!(block->flags & CAIRN_BLOCK_P0))
            continue;
        if (step & 1)
            summary->taken += times;
        else
            summary->not_taken += times;
    }
}

static cairn_status add_counts(void *context, const struct cairn_dictionary *dictionary,
                               const uint64_t *counts, size_t count)
{
    size_t unused;
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &unused);
    const struct cairn_code_block *blocks = cairn_dictionary_blocks(dictionary, &unused);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &unused);

    for (size_t i = 0; i < count; i++)
        if (counts[i])
            add_path(context, &paths[i], counts[i], blocks, steps);
    return CAIRN_OK;
}

struct cairn_consumer cairn_summary_of_counts(struct cairn_summary *summary)
{
    return (struct cairn_consumer){
        .size = sizeof(struct cairn_consumer),
        .context = summary,
        .dictionary_ends = add_counts,
    };
}

static void text_line(struct cairn_output *output, const char *name, uint64_t value)
{
    cairn_output_format(output, "  %12llu  %s", (unsigned long long)value, name);
    cairn_output_line(output);
}

/* Of things that are counted: `rest` stands behind their name. */
static void text_count(struct cairn_output *output, const char *thing, const char *rest,
                       uint64_t count)
{
    cairn_output_format(output, "  %12llu  %s%s%s", (unsigned long long)count, thing,
                        cairn_plural(count), rest);
    cairn_output_line(output);
}

void cairn_summary_text(struct cairn_output *output, const struct cairn_summary *summary,
                        const struct cairn_ledger *ledger)
{
    text_count(output, "instruction", "", summary->instructions);
    if (summary->records[CAIRN_FLOW_CYCLES])
        text_count(output, "cycle", "", summary->cycles);
    text_count(output, "P0 instruction", " taken (E)", summary->taken);
    text_count(output, "P0 instruction", " not taken (N)", summary->not_taken);
    for (unsigned kind = 0; kind < CAIRN_SUMMARY_KINDS; kind++)
        if (summary->records[kind])
            text_line(output, cairn_flow_kind_name(kind), summary->records[kind]);
    if (summary->others)
        text_count(output, "other record", "", summary->others);
    for (unsigned account = 0; account < CAIRN_LEDGER_ACCOUNTS; account++) {
        if (!ledger->account[account].bytes)
            continue;
        cairn_output_format(output, "  %12llu  byte%s: %s",
                            (unsigned long long)ledger->account[account].bytes,
                            cairn_plural(ledger->account[account].bytes),
                            cairn_account_name((enum cairn_account)account));
        cairn_output_line(output);
    }
}

static void json_number(struct cairn_output *output, const char *name, uint64_t value)
{
    cairn_output_format(output, ",\"%s\":%llu", name, (unsigned long long)value);
}

void cairn_summary_json(struct cairn_output *output, const char *source,
                        const struct cairn_summary *summary, const struct cairn_ledger *ledger)
{
    cairn_output_text(output, "{\"type\":\"summary\",\"source\":");
    cairn_output_json(output, source);
    json_number(output, "instructions", summary->instructions);
    json_number(output, "taken", summary->taken);
    json_number(output, "not_taken", summary->not_taken);
    if (summary->records[CAIRN_FLOW_CYCLES])
        json_number(output, "cycles", summary->cycles);
    else
        cairn_output_text(output, ",\"cycles\":null");
    json_number(output, "ranges", summary->records[CAIRN_FLOW_RANGE]);
    json_number(output, "gaps", summary->records[CAIRN_FLOW_GAP]);
    json_number(output, "exceptions", summary->records[CAIRN_FLOW_EXCEPTION]);
    json_number(output, "warnings", summary->records[CAIRN_FLOW_WARNING]);
    cairn_output_text(output, ",\"ledger\":");
    cairn_json_ledger(output, ledger->account);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}
