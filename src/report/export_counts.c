/* SPDX-License-Identifier: BSD-2-Clause */
/* What is added up over the recording, once it has ended. */
#include "report/export.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/counted.h"
#include "report/coverage_view.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* --- jumps --- */

static int by_jump(const void *left, const void *right)
{
    const struct cairn_export_jump *const a = left, *const b = right;

    if (a->from_binary != b->from_binary)
        return a->from_binary < b->from_binary ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->has_target != b->has_target)
        return a->has_target < b->has_target ? -1 : 1;
    if (a->to_binary != b->to_binary)
        return a->to_binary < b->to_binary ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->flags > b->flags) - (a->flags < b->flags);
}

static void merge_jumps(struct cairn_export *data)
{
    size_t made = 0;

    if (data->jump_count)
        qsort(data->jumps, data->jump_count, sizeof *data->jumps, by_jump);
    for (size_t i = 0; i < data->jump_count; i++)
        if (made && !by_jump(&data->jumps[made - 1], &data->jumps[i]))
            data->jumps[made - 1].count += data->jumps[i].count;
        else
            data->jumps[made++] = data->jumps[i];
    data->jump_count = made;
}

cairn_status cairn_export_add_jump(struct cairn_export *data, const struct cairn_export_jump *jump)
{
    const cairn_status status =
        cairn_grow((void **)&data->jumps, data->jump_count, &data->jump_room, sizeof *data->jumps);

    if (!status)
        data->jumps[data->jump_count++] = *jump;
    return status;
}

cairn_status cairn_export_add_jumps(struct cairn_export *data)
{
    size_t count = 0;
    cairn_status status = cairn_counted_finish(data->counted);

    if (status)
        return status;
    const struct cairn_counted_branch *const list = cairn_counted_branches(data->counted, &count);
    data->jumps_left_out += cairn_counted_left_out(data->counted);
    for (size_t i = 0; i < count && !status; i++) {
        const struct cairn_counted_branch *const one = &list[i];
        struct cairn_export_jump made = {
            .count = one->count,
            .flags = one->flags & (CAIRN_INSN_LINK | CAIRN_INSN_RETURN),
            .is_indirect = one->kind == CAIRN_INSN_BRANCH_INDIRECT,
            .has_target = one->has_target,
        };
        uint32_t binary;

        status = cairn_export_locate(data, cairn_counted_place(data->counted, one->from_place),
                                     one->from, &binary, &made.from);
        if (status)
            break;
        made.from_binary = binary ? data->binaries[binary].id : 0;
        if (one->has_target) {
            status = cairn_export_locate(data, cairn_counted_place(data->counted, one->to_place),
                                         one->to, &binary, &made.to);
            made.to_binary = binary ? data->binaries[binary].id : 0;
        }
        if (!status)
            status = cairn_export_add_jump(data, &made);
    }
    merge_jumps(data);
    return status;
}

static cairn_status write_jumps(struct cairn_export *data)
{
    cairn_status status = CAIRN_OK;

    merge_jumps(data);
    data->left_out[CAIRN_EXPORT_JUMPS] = data->jumps_left_out;
    for (size_t i = 0; i < data->jump_count && !status; i++) {
        const struct cairn_export_jump *const one = &data->jumps[i];
        const struct cairn_export_value values[] = {
            cairn_export_number(i + 1),
            cairn_export_number_if(one->from_binary != 0, one->from_binary),
            cairn_export_number(one->from),
            cairn_export_number_if(one->to_binary != 0, one->to_binary),
            cairn_export_number_if(one->has_target, one->to),
            cairn_export_number(one->count),
            cairn_export_number(one->is_indirect),
            cairn_export_number((one->flags & CAIRN_INSN_LINK) != 0),
            cairn_export_number((one->flags & CAIRN_INSN_RETURN) != 0),
        };

        status = cairn_export_row(data, CAIRN_EXPORT_JUMPS, values, COUNT(values));
    }
    return status;
}

/* --- functions --- */

/* Numbers of the profile: of every place that a function was loaded at. */
static cairn_status add_totals(struct cairn_export *data)
{
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 1; i < data->profile.functions.count && !status; i++) {
        const struct cairn_profile_function *const one = &data->profile.totals[i];
        uint32_t function;

        status = cairn_export_function_of(data, i, &function);
        if (status || !function)
            continue;
        struct cairn_profile_function *const sum = &data->functions[function].totals;
        sum->self += one->self;
        sum->self_cycles += one->self_cycles;
        sum->total += one->total;
        sum->total_cycles += one->total_cycles;
        sum->calls += one->calls;
    }
    return status;
}

static cairn_status object_of(struct cairn_export *data, uint32_t object, uint32_t *binary)
{
    const struct cairn_coverage_object *const one = &data->coverage.objects[object];

    return cairn_export_binary_of(data, one->path, one->file ? one->file->build_id : NULL,
                                  one->file != NULL, binary);
}

/* The function of the coverage under each function; *of: the other way round. */
static cairn_status add_covered(struct cairn_export *data, uint32_t *of)
{
    const struct cairn_coverage *const coverage = &data->coverage;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < coverage->function_count && !status; i++) {
        const struct cairn_coverage_function *const one = &coverage->functions[i];
        uint32_t binary = 0;

        status = object_of(data, one->object, &binary);
        if (!status)
            status = cairn_export_function_at(data, binary, true, one->first, &of[i]);
        if (status)
            break;
        struct cairn_export_function *const function = &data->functions[of[i]];
        if (!function->symbol)
            function->symbol = one->name;
        function->covered = (uint32_t)i;
        function->end = one->last + 1;
        if (one->file != CAIRN_COVERAGE_NONE) {
            function->file = one->file;
            function->line = one->line;
        }
    }
    return status;
}

static int by_function_id(const void *left, const void *right)
{
    const struct cairn_export_function *const *const a = left, *const *const b = right;

    return ((*a)->id > (*b)->id) - ((*a)->id < (*b)->id);
}

static cairn_status write_function(struct cairn_export *data,
                                   const struct cairn_export_function *one)
{
    const struct cairn_coverage_function *const covered =
        one->covered != CAIRN_COVERAGE_NONE ? &data->coverage.functions[one->covered] : NULL;
    const bool has_cycles = data->profile.has_cycles, has_calls = data->profile.has_calls;
    const bool has_file = one->file != CAIRN_COVERAGE_NONE;
    const struct cairn_export_value values[] = {
        cairn_export_number(one->id),
        cairn_export_number(data->binaries[one->binary].id),
        cairn_export_text(one->symbol ? cairn_naming_whole(data->naming, one->symbol) : NULL),
        cairn_export_text(one->symbol),
        cairn_export_number_if(one->is_named, one->address),
        cairn_export_number_if(one->end != 0, one->end),
        cairn_export_number_if(has_file, (uint64_t)one->file + 1),
        cairn_export_number_if(has_file, one->line),
        cairn_export_number(one->totals.self),
        cairn_export_number_if(has_cycles, one->totals.self_cycles),
        cairn_export_number_if(has_calls, one->totals.total),
        cairn_export_number_if(has_calls && has_cycles, one->totals.total_cycles),
        cairn_export_number_if(has_calls, one->totals.calls),
        cairn_export_number_if(covered != NULL, covered ? covered->sums.insns : 0),
        cairn_export_number_if(covered != NULL, covered ? covered->sums.insns_hit : 0),
        cairn_export_number_if(covered != NULL, covered ? !covered->is_partial : 0),
    };

    return cairn_export_row(data, CAIRN_EXPORT_FUNCTIONS, values, COUNT(values));
}

static cairn_status write_functions(struct cairn_export *data)
{
    const struct cairn_export_function **sorted = calloc(data->function_count + 1, sizeof *sorted);
    cairn_status status = sorted ? CAIRN_OK : CAIRN_E_MEMORY;

    for (size_t i = 1; i < data->function_count && sorted; i++)
        sorted[i] = &data->functions[i];
    if (sorted && data->function_count > 1)
        qsort(sorted + 1, data->function_count - 1, sizeof *sorted, by_function_id);
    for (size_t i = 1; i < data->function_count && !status; i++)
        status = write_function(data, sorted[i]);
    free(sorted);
    return status;
}

/* --- lines, instructions, branches --- */

static cairn_status write_files(struct cairn_export *data)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < data->coverage.file_count && !status; i++) {
        const struct cairn_export_value values[] = {
            cairn_export_number(i + 1), cairn_export_text(data->coverage.files[i].name)};

        status = cairn_export_row(data, CAIRN_EXPORT_SOURCE_FILES, values, COUNT(values));
    }
    return status;
}

static cairn_status write_lines(struct cairn_export *data)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < data->coverage.line_count && !status; i++) {
        const struct cairn_coverage_line *const one = &data->coverage.lines[i];
        const struct cairn_export_value values[] = {
            cairn_export_number(i + 1),
            cairn_export_number((uint64_t)one->file + 1),
            cairn_export_number(one->number),
            cairn_export_number(one->count),
            cairn_export_number(one->sums.insns),
            cairn_export_number(one->sums.insns_hit),
            cairn_export_number(one->sums.branches),
            cairn_export_number(one->sums.both),
            cairn_export_number(one->sums.one),
        };

        status = cairn_export_row(data, CAIRN_EXPORT_LINES, values, COUNT(values));
    }
    return status;
}

static struct cairn_export_value line_id(const struct cairn_export *data,
                                         const struct cairn_coverage_insn *insn)
{
    return cairn_export_number_if(data->wanted[CAIRN_EXPORT_LINES] &&
                                      insn->line != CAIRN_COVERAGE_NONE,
                                  (uint64_t)insn->line + 1);
}

static cairn_status write_branch(struct cairn_export *data, const struct cairn_coverage_insn *insn,
                                 uint32_t binary, uint32_t function)
{
    const uint64_t target = cairn_coverage_target(&data->coverage, insn);
    const struct cairn_export_value values[] = {
        cairn_export_number(data->rows[CAIRN_EXPORT_BRANCHES] + 1),
        cairn_export_binary_id(data, binary),
        cairn_export_number(insn->address),
        cairn_export_word(insn->choice == CAIRN_CHOICE_BRANCH ? "branch" : "condition"),
        cairn_export_number_if(insn->ends_block && target, target),
        cairn_export_function_id(data, function),
        line_id(data, insn),
        cairn_export_number(insn->executed),
        cairn_export_number(insn->taken),
        cairn_export_number(insn->told - insn->taken),
        cairn_export_number(insn->executed - insn->told),
    };

    return cairn_export_row(data, CAIRN_EXPORT_BRANCHES, values, COUNT(values));
}

static cairn_status write_insns(struct cairn_export *data, const uint32_t *of)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < data->coverage.insn_count && !status; i++) {
        const struct cairn_coverage_insn *const one = &data->coverage.insns[i];
        const uint32_t function = one->function != CAIRN_COVERAGE_NONE ? of[one->function] : 0;
        uint32_t binary = 0;

        status = object_of(data, one->object, &binary);
        if (!status && one->choice != CAIRN_CHOICE_NONE)
            status = write_branch(data, one, binary, function);
        if (status)
            break;
        const struct cairn_export_value values[] = {
            cairn_export_number(i + 1),
            cairn_export_binary_id(data, binary),
            cairn_export_number(one->address),
            cairn_export_number(one->size),
            cairn_export_word(cairn_isa_name((enum cairn_isa)one->isa)),
            cairn_export_function_id(data, function),
            line_id(data, one),
            cairn_export_number(one->executed),
        };
        status = cairn_export_row(data, CAIRN_EXPORT_INSTRUCTIONS, values, COUNT(values));
    }
    return status;
}

/* --- the call tree --- */

static const char *node_kind(const struct cairn_profile_node *node)
{
    if (node->parent == 0)
        return "thread";
    switch ((enum cairn_call_kind)node->kind) {
    case CAIRN_CALL_EXCEPTION: return "exception";
    case CAIRN_CALL_SIGNAL: return "signal";
    case CAIRN_CALL_FOUND:
    case CAIRN_CALL_CALLED:
    case CAIRN_CALL_JUMPED_TO:
    case CAIRN_CALL_RESUMED: break;
    }
    return "call";
}

struct tree_node {
    uint32_t thread, depth;
    bool is_in_exception;
};

static cairn_status write_node(struct cairn_export *data, uint32_t index, struct tree_node *nodes)
{
    const struct cairn_profile_node *const one = &data->profile.nodes[index];
    const struct cairn_profile_node *const above = &data->profile.nodes[one->parent];
    const bool has_cycles = data->profile.has_cycles;
    uint32_t function = 0;

    if (one->parent)
        nodes[index] = (struct tree_node){
            .thread = nodes[one->parent].thread,
            .depth = nodes[one->parent].depth + 1,
            .is_in_exception = nodes[one->parent].is_in_exception || above->exception != 0,
        };
    const cairn_status status = cairn_export_function_of(data, one->function, &function);
    if (status)
        return status;
    const struct cairn_export_value values[] = {
        cairn_export_number(index),
        cairn_export_number_if(one->parent != 0, one->parent),
        cairn_export_thread_id(data, nodes[index].thread),
        cairn_export_function_id(data, function),
        cairn_export_word(node_kind(one)),
        cairn_export_word(one->exception
                              ? cairn_exception_name(data->profile.sources[one->source].config,
                                                     one->exception - 1)
                              : NULL),
        cairn_export_number(nodes[index].is_in_exception),
        cairn_export_number(nodes[index].depth),
        cairn_export_number_if(one->parent != 0 && one->site != 0, one->site),
        cairn_export_number(one->calls),
        cairn_export_number(one->instructions),
        cairn_export_number_if(has_cycles, one->cycles),
        cairn_export_number(data->profile.sums[index].instructions),
        cairn_export_number_if(has_cycles, data->profile.sums[index].cycles),
    };

    return cairn_export_row(data, CAIRN_EXPORT_CALL_TREE, values, COUNT(values));
}

static cairn_status write_call_tree(struct cairn_export *data)
{
    const struct cairn_profiled *const profile = &data->profile;
    struct tree_node *const nodes = calloc((size_t)profile->node_count + 1, sizeof *nodes);
    cairn_status status = nodes ? CAIRN_OK : CAIRN_E_MEMORY;

    for (size_t i = 0; i < profile->thread_count && !status; i++) {
        const struct cairn_profile_thread *const one = &profile->threads[i];

        status = cairn_export_thread_of(data, profile->sources[one->source].index, one->vmid,
                                        one->context_id, &nodes[one->root].thread);
    }
    for (uint32_t i = 1; i < profile->node_count && !status; i++)
        status = write_node(data, i, nodes);
    free(nodes);
    return status;
}

cairn_status cairn_export_counts(struct cairn_export *data)
{
    uint32_t *of = NULL;
    cairn_status status = cairn_profile_finish(&data->profile);

    cairn_coverage_captured(&data->coverage);
    if (!status)
        status = cairn_coverage_settle(&data->coverage);
    if (!status)
        status = add_totals(data);
    if (!status) {
        of = calloc(data->coverage.function_count + 1, sizeof *of);
        status = of ? add_covered(data, of) : CAIRN_E_MEMORY;
    }
    if (!status)
        status = write_files(data);
    if (!status)
        status = write_functions(data);
    if (!status && data->wanted[CAIRN_EXPORT_LINES])
        status = write_lines(data);
    if (!status)
        status = write_insns(data, of);
    if (!status)
        status = write_jumps(data);
    if (!status && data->wanted[CAIRN_EXPORT_CALL_TREE])
        status = write_call_tree(data);
    free(of);
    if (!status)
        status = cairn_export_threads(data);
    return status ? status : cairn_export_binaries(data);
}
