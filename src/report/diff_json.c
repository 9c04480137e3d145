/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/diff_view.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/diff_kept.h"
#include "report/json_fields.h"

static const char *const types[] = {"function", "line", "block", "line"};
static const char *const kinds[] = {"ways", "end", "gap", "start", "limit"};
static const char *const rules[] = {NULL, "order", "source", "context"};
static const char *const sides[] = {"a", "b"};

static void put_counts(struct cairn_output *output, const char *key,
                       const uint64_t counts[CAIRN_DIFF_SIDES])
{
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        cairn_output_format(output, ",\"%s_%s\":%" PRIu64, key, sides[side], counts[side]);
}

static void put_flag(struct cairn_output *output, const char *key, bool value)
{
    cairn_output_format(output, ",\"%s\":%s", key, value ? "true" : "false");
}

static void end_object(struct cairn_output *output)
{
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

/* An instruction of a run, or null. */
static void put_place(const struct cairn_diff_view *view, const char *key, unsigned side,
                      bool is_known, uint32_t number, uint64_t address)
{
    struct cairn_output *const output = view->output;
    struct cairn_diff_where where;

    cairn_output_format(output, ",\"%s\":", key);
    if (!is_known) {
        cairn_output_text(output, "null");
        return;
    }
    (void)cairn_diff_where(view->diff, side, number, address, &where);
    cairn_output_format(output, "{\"address\":\"0x%" PRIx64 "\"", address);
    cairn_json_text(output, "function", where.function);
    if (where.function)
        cairn_output_format(output, ",\"function_offset\":%" PRIu64, where.offset);
    cairn_json_text(output, "object", where.object);
    cairn_json_text(output, "file", where.file);
    if (where.file)
        cairn_output_format(output, ",\"line\":%u", where.line);
    else
        cairn_output_text(output, ",\"line\":null");
    cairn_output_char(output, '}');
}

static void put_calls(const struct cairn_diff_view *view, const struct cairn_diff_thread *thread,
                      size_t token)
{
    const struct cairn_diff *const diff = view->diff;
    uint32_t chain;

    (void)cairn_diff_token(diff, thread, token, &chain);
    cairn_output_text(view->output, ",\"calls\":[");
    for (unsigned depth = 0; chain && depth < 1024; chain = diff->chains[chain].parent, depth++) {
        if (depth)
            cairn_output_char(view->output, ',');
        cairn_output_json(view->output, diff->names[diff->chains[chain].name]);
    }
    cairn_output_char(view->output, ']');
}

static void put_parting(const struct cairn_diff_view *view, size_t index,
                        const struct cairn_diff_pair *pair,
                        const struct cairn_diff_parting *parting)
{
    const struct cairn_diff *const diff = view->diff;
    struct cairn_output *const output = view->output;
    uint64_t times[CAIRN_DIFF_SIDES] = {0, 0};

    cairn_output_format(output, "{\"type\":\"parting\",\"pair\":%zu,\"kind\":\"%s\"", index,
                        kinds[parting->kind]);
    put_counts(output, "before", parting->before);
    put_counts(output, "instructions", parting->instructions);
    put_flag(output, "meets", parting->meets);
    put_flag(output, "has_gap", parting->has_gap);
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        const struct cairn_diff_thread *const thread =
            &diff->runs[side].threads[pair->threads[side]];
        static const char *const common_keys[] = {"last_a", "last_b"};
        static const char *const next_keys[] = {"next_a", "next_b"};
        static const char *const meets_keys[] = {"meets_a", "meets_b"};
        uint64_t address = 0;
        uint32_t number = 0;
        size_t token;
        bool is_known = cairn_diff_common(diff, pair, parting, side, &number, &address);

        put_place(view, common_keys[side], side, is_known, number, address);
        cairn_output_format(output, ",\"what_%s\":\"%s\"", sides[side],
                            cairn_diff_what(diff, pair, parting, side));
        cairn_output_format(output, ",\"exception_%s\":", sides[side]);
        bool returns = false;
        const char *const exception = cairn_diff_exception(diff, pair, parting, side, &returns);
        if (exception)
            cairn_output_json(output, exception);
        else
            cairn_output_text(output, "null");
        is_known = cairn_diff_next(diff, pair, parting, side, &number, &address, &token);
        put_place(view, next_keys[side], side, is_known, number, address);
        is_known = parting->meets && parting->to[side].token < thread->count;
        uint32_t chain;
        number = is_known ? cairn_diff_token(diff, thread, parting->to[side].token, &chain) : 0;
        put_place(view, meets_keys[side], side, is_known, number,
                  cairn_diff_insn(diff, side, number, parting->to[side].skip));
        times[side] = cairn_diff_time(thread, parting->from[side].token);
    }
    if (times[CAIRN_DIFF_A] && times[CAIRN_DIFF_B])
        cairn_output_format(output,
                            ",\"timestamp_a\":\"0x%" PRIx64 "\",\"timestamp_b\":\"0x%" PRIx64 "\"",
                            times[CAIRN_DIFF_A], times[CAIRN_DIFF_B]);
    const struct cairn_diff_point from = parting->from[CAIRN_DIFF_A];
    put_calls(view, &diff->runs[CAIRN_DIFF_A].threads[pair->threads[CAIRN_DIFF_A]],
              from.token && !from.skip ? from.token - 1 : from.token);
    end_object(output);
}

static void put_thread(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair,
                       unsigned side)
{
    struct cairn_diff *const diff = view->diff;
    struct cairn_output *const output = view->output;
    const struct cairn_diff_thread *const thread = cairn_diff_thread_of(diff, pair, side);

    cairn_output_format(output, ",\"%s\":", sides[side]);
    if (!thread) {
        cairn_output_text(output, "null");
        return;
    }
    cairn_output_text(output, "{\"source\":");
    cairn_output_json(output, diff->runs[side].sources[thread->source].name);
    cairn_output_format(output,
                        ",\"context_id\":%" PRIu32 ",\"vmid\":%" PRIu32 ",\"instructions\":%" PRIu64
                        ",\"handled\":%" PRIu64 ",\"gaps\":%" PRIu64,
                        thread->context_id, thread->vmid, thread->instructions, thread->handled,
                        thread->gaps);
    cairn_json_text(output, "ended_in", thread->ended_in[0] ? thread->ended_in : NULL);
    cairn_output_char(output, '}');
}

static void put_pair(const struct cairn_diff_view *view, size_t index)
{
    const struct cairn_diff_pair *const pair = &view->diff->pairs[index];
    struct cairn_output *const output = view->output;

    cairn_output_format(output, "{\"type\":\"pair\",\"pair\":%zu", index);
    put_thread(view, pair, CAIRN_DIFF_A);
    put_thread(view, pair, CAIRN_DIFF_B);
    cairn_json_text(output, "paired_by", rules[pair->rule]);
    cairn_output_format(output,
                        ",\"compared_by\":\"%s\",\"partings\":%" PRIu64 ",\"unknowns\":%" PRIu64,
                        pair->by_lines ? "lines" : "blocks", pair->ways, pair->unknowns);
    put_flag(output, "gave_up", pair->gave_up);
    put_counts(output, "common", pair->common);
    put_counts(output, "only", pair->own);
    put_counts(output, "unknown", pair->hidden);
    put_counts(output, "nameless", pair->nameless);
    end_object(output);
    size_t shown[2] = {0, 0};
    for (size_t i = 0; i < pair->parting_count; i++) {
        const uint32_t kind = pair->partings[i].kind;
        const bool known = kind == CAIRN_PARTING_WAYS || kind == CAIRN_PARTING_END;

        if (shown[known]++ < view->partings)
            put_parting(view, index, pair, &pair->partings[i]);
    }
}

static void put_row(const struct cairn_diff_view *view, enum cairn_diff_by by,
                    const struct cairn_diff_row *row)
{
    struct cairn_output *const output = view->output;

    cairn_output_format(output, "{\"type\":\"%s\"", types[by]);
    cairn_json_text(output, "function", row->function);
    cairn_json_text(output, "object", row->object);
    cairn_json_text(output, "file", row->file);
    if (row->file)
        cairn_output_format(output, ",\"line\":%u", row->line);
    else
        cairn_output_text(output, ",\"line\":null");
    if (row->address)
        cairn_output_format(output, ",\"address\":\"0x%" PRIx64 "\"", row->address);
    else
        cairn_output_text(output, ",\"address\":null");
    if (row->end)
        cairn_output_format(output, ",\"end\":\"0x%" PRIx64 "\"", row->end);
    put_counts(output, "instructions", row->instructions);
    put_counts(output, "unknown", row->unknown);
    if (by == CAIRN_DIFF_BY_FUNCTION)
        put_counts(output, "calls", row->calls);
    if (view->diff->runs[CAIRN_DIFF_A].has_cycles && view->diff->runs[CAIRN_DIFF_B].has_cycles)
        put_counts(output, "cycles", row->cycles);
    end_object(output);
}

static void put_way(const struct cairn_diff_view *view, const struct cairn_diff_way *way)
{
    const struct cairn_diff_block *const block = &view->diff->blocks[way->block];
    const unsigned seen = block->seen[way->side].times ? way->side : !way->side;

    cairn_output_format(view->output,
                        "{\"type\":\"way\",\"only_in\":\"%s\",\"taken\":%s,\"times\":%" PRIu64,
                        sides[way->side], way->taken ? "true" : "false", way->times);
    put_place(view, "branch", seen, true, way->block,
              block->seen[seen].address + (block->last - block->first));
    end_object(view->output);
}

static cairn_status put_rows(const struct cairn_diff_view *view)
{
    const enum cairn_diff_by by = view->coverage ? CAIRN_DIFF_BY_COVERAGE : view->by;
    struct cairn_diff_row *rows = NULL;
    struct cairn_diff_way *ways = NULL;
    size_t count = 0, way_count = 0, shown = 0;
    cairn_status status = cairn_diff_rows(view->diff, by, &rows, &count);

    if (!status && view->coverage)
        status = cairn_diff_ways(view->diff, &ways, &way_count);
    for (size_t i = 0; i < count && (!view->top || shown < view->top); i++) {
        put_row(view, by, &rows[i]);
        shown++;
    }
    for (size_t i = 0; i < way_count && (!view->top || i < view->top); i++)
        put_way(view, &ways[i]);
    free(rows);
    free(ways);
    return status;
}

cairn_status cairn_diff_json(const struct cairn_diff_view *view)
{
    const struct cairn_diff *const diff = view->diff;
    struct cairn_output *const output = view->output;
    uint64_t instructions[CAIRN_DIFF_SIDES] = {0, 0}, only[CAIRN_DIFF_SIDES] = {0, 0};
    uint64_t common[CAIRN_DIFF_SIDES] = {0, 0}, unknown[CAIRN_DIFF_SIDES] = {0, 0};
    uint64_t nameless[CAIRN_DIFF_SIDES] = {0, 0};
    uint64_t cycles[CAIRN_DIFF_SIDES], other_cycles[CAIRN_DIFF_SIDES];
    uint64_t lost[CAIRN_DIFF_SIDES], partings = 0, unknowns = 0;
    bool is_full = false;

    for (size_t i = 0; i < diff->pair_count && cairn_output_wanted(output); i++)
        put_pair(view, i);
    const cairn_status status = put_rows(view);
    for (size_t i = 0; i < diff->exception_count; i++) {
        const struct cairn_diff_exception *const one = &diff->exceptions[i];

        cairn_output_text(output, "{\"type\":\"exception\"");
        cairn_json_text(output, "exception", one->name);
        put_flag(output, "apart", one->is_apart);
        put_counts(output, "times", one->times);
        put_counts(output, "instructions", one->instructions);
        end_object(output);
    }
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        for (size_t i = 0; i < diff->runs[side].thread_count; i++)
            instructions[side] += diff->runs[side].threads[i].instructions;
        lost[side] = diff->runs[side].lost_bytes;
        cycles[side] = diff->runs[side].cycles;
        other_cycles[side] = diff->runs[side].other_cycles;
        is_full |= diff->runs[side].is_full;
    }
    for (size_t i = 0; i < diff->pair_count; i++) {
        partings += diff->pairs[i].ways;
        unknowns += diff->pairs[i].unknowns;
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            common[side] += diff->pairs[i].common[side];
            only[side] += diff->pairs[i].own[side];
            unknown[side] += diff->pairs[i].hidden[side];
            nameless[side] += diff->pairs[i].nameless[side];
        }
    }
    cairn_output_format(output,
                        "{\"type\":\"total\",\"partings\":%" PRIu64 ",\"unknowns\":%" PRIu64,
                        partings, unknowns);
    put_flag(output, "is_full", is_full);
    put_counts(output, "instructions", instructions);
    put_counts(output, "common", common);
    put_counts(output, "only", only);
    put_counts(output, "unknown", unknown);
    put_counts(output, "nameless", nameless);
    if (diff->runs[CAIRN_DIFF_A].has_cycles && diff->runs[CAIRN_DIFF_B].has_cycles) {
        put_counts(output, "cycles", cycles);
        put_counts(output, "other_cycles", other_cycles);
    }
    put_counts(output, "lost_bytes", lost);
    end_object(output);
    return status;
}
