/* SPDX-License-Identifier: BSD-2-Clause */
/* lcov's tracefile (geninfo(1), FILES): for genhtml, and for all that merges and shows coverage. Names of
 * functions are symbols: genhtml --demangle-cpp takes them apart. */
#include "report/coverage_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the compiler moved out of a function is no function. */
static bool is_named(const struct cairn_coverage_function *function)
{
    return function->name && function->line && !strstr(function->name, ".cold");
}

static bool is_same(const struct cairn_coverage_function *a,
                    const struct cairn_coverage_function *b)
{
    return a->file == b->file && a->line == b->line && strcmp(a->name, b->name) == 0;
}

/* Functions of one file, `first` up to `end` of the list: the same one in several programs is one. */
static void put_functions(const struct cairn_coverage_view *view, const uint32_t *list,
                          size_t first, size_t end)
{
    const struct cairn_coverage_function *const functions = view->coverage->functions;
    struct cairn_output *const output = view->output;
    size_t found = 0, hit = 0;

    for (unsigned round = 0; round < 2; round++) {
        uint64_t entered = 0;

        for (size_t i = first; i < end; i++) {
            const struct cairn_coverage_function *const one = &functions[list[i]];

            if (!is_named(one))
                continue;
            entered += cairn_coverage_entered(one);
            if (i + 1 < end && is_named(&functions[list[i + 1]]) &&
                is_same(one, &functions[list[i + 1]]))
                continue;
            if (round == 0) {
                cairn_output_format(output, "FN:%" PRIu32 ",", one->line);
                cairn_coverage_put(output, one->name);
            } else {
                cairn_output_format(output, "FNDA:%" PRIu64 ",", entered);
                cairn_coverage_put(output, one->name);
                found++;
                hit += entered != 0;
            }
            cairn_output_line(output);
            entered = 0;
        }
    }
    cairn_output_format(output, "FNF:%zu\nFNH:%zu", found, hit);
    cairn_output_line(output);
}

static void put_way(struct cairn_output *output, uint32_t line, size_t block, unsigned way,
                    const struct cairn_coverage_insn *insn)
{
    cairn_output_format(output, "BRDA:%" PRIu32 ",%zu,%u,", line, block, way);
    if (insn->told)
        cairn_output_decimal(output, way ? insn->told - insn->taken : insn->taken);
    else
        cairn_output_char(output, '-');
    cairn_output_line(output);
}

static void put_branches(const struct cairn_coverage_view *view,
                         const struct cairn_coverage_file *file)
{
    const struct cairn_coverage *const coverage = view->coverage;

    for (size_t i = file->first_line; i < file->first_line + file->line_count; i++) {
        const struct cairn_coverage_line *const line = &coverage->lines[i];
        size_t block = 0;

        for (size_t k = line->first_insn; k < line->first_insn + line->insn_count; k++) {
            const struct cairn_coverage_insn *const insn = &coverage->insns[coverage->by_line[k]];

            if (insn->choice != CAIRN_CHOICE_BRANCH)
                continue;
            put_way(view->output, line->number, block, 0, insn);
            put_way(view->output, line->number, block++, 1, insn);
        }
    }
    cairn_output_format(view->output, "BRF:%" PRIu64 "\nBRH:%" PRIu64, 2 * file->sums.branches,
                        2 * file->sums.both + file->sums.one);
    cairn_output_line(view->output);
}

cairn_status cairn_coverage_lcov(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;
    uint32_t *const functions = cairn_coverage_functions(coverage);
    size_t first = 0;

    if (!functions)
        return CAIRN_E_MEMORY;
    for (uint32_t i = 0; i < coverage->file_count && cairn_output_wanted(output); i++) {
        const struct cairn_coverage_file *const file = &coverage->files[i];
        size_t end = first;

        while (end < coverage->function_count && coverage->functions[functions[end]].file == i)
            end++;
        cairn_output_text(output, "TN:\nSF:");
        cairn_coverage_put(output, file->name);
        cairn_output_line(output);
        put_functions(view, functions, first, end);
        first = end;
        put_branches(view, file);
        for (size_t k = file->first_line; k < file->first_line + file->line_count; k++) {
            cairn_output_format(output, "DA:%" PRIu32 ",%" PRIu64, coverage->lines[k].number,
                                coverage->lines[k].count);
            cairn_output_line(output);
        }
        cairn_output_format(output, "LF:%" PRIu64 "\nLH:%" PRIu64 "\nend_of_record",
                            file->sums.lines, file->sums.lines_hit);
        cairn_output_line(output);
    }
    free(functions);
    return CAIRN_OK;
}
