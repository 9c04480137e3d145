/* SPDX-License-Identifier: BSD-2-Clause */
/* Cobertura's report (coverage-04.dtd), which continuous integration shows: a package is a folder, a class a
 * source file, a method a function. */
#include "report/coverage_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/coverage_markup.h"

struct cobertura {
    const struct cairn_coverage_view *view;
    const uint32_t *functions; /* by file */
    size_t root;               /* letters of paths that the source folder is */
};

static void put_escaped(const struct cobertura *cobertura, const char *text, size_t length)
{
    cairn_markup_text(cobertura->view->output, text, length);
}

/* Four digits behind the point, rounded down. */
static void put_rate(struct cairn_output *output, const char *name, uint64_t part, uint64_t all)
{
    const uint64_t rate = all ? part * 10000 / all : 10000;

    cairn_output_format(output, " %s=\"%" PRIu64 ".%04" PRIu64 "\"", name, rate / 10000,
                        rate % 10000);
}

static void put_rates(struct cairn_output *output, const struct cairn_coverage_sums *sums)
{
    put_rate(output, "line-rate", sums->lines_hit, sums->lines);
    put_rate(output, "branch-rate", 2 * sums->both + sums->one, 2 * sums->branches);
}

/* The folder that all files are in, with its '/'; 0: there is none. */
static size_t find_root(const struct cairn_coverage *coverage)
{
    const char *const first = coverage->file_count ? coverage->files[0].name : "";
    size_t length = strlen(first);

    if (first[0] != '/')
        return 0;
    for (size_t i = 1; i < coverage->file_count; i++) {
        size_t same = 0;

        while (same < length && first[same] == coverage->files[i].name[same])
            same++;
        length = same;
    }
    while (length && first[length - 1] != '/')
        length--;
    return length;
}

static size_t folder_length(const char *name)
{
    const char *const slash = strrchr(name, '/');

    return slash ? (size_t)(slash - name) : 0;
}

/* --- lines --- */

static void put_conditions(struct cairn_output *output, const struct cairn_coverage *coverage,
                           const struct cairn_coverage_line *line)
{
    unsigned number = 0;

    cairn_output_text(output, "<conditions>");
    for (size_t i = line->first_insn; i < line->first_insn + line->insn_count; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[coverage->by_line[i]];

        if (insn->choice != CAIRN_CHOICE_BRANCH)
            continue;
        const bool both = insn->taken && insn->taken < insn->told;
        const char *const one = insn->told ? "50%" : "0%";

        cairn_output_format(output, "<condition number=\"%u\" type=\"jump\" coverage=\"%s\"/>",
                            number++, both ? "100%" : one);
    }
    cairn_output_text(output, "</conditions>");
}

static void put_line(const struct cobertura *cobertura, const struct cairn_coverage_line *line,
                     bool with_conditions, uint64_t count)
{
    struct cairn_output *const output = cobertura->view->output;
    const struct cairn_coverage_sums *const sums = &line->sums;

    cairn_output_format(output, "<line number=\"%" PRIu32 "\" hits=\"%" PRIu64 "\"", line->number,
                        count);
    if (!with_conditions || !sums->branches) {
        cairn_output_text(output, " branch=\"false\"/>\n");
        return;
    }
    const uint64_t ways = 2 * sums->both + sums->one;
    cairn_output_format(
        output, " branch=\"true\" condition-coverage=\"%" PRIu64 "%% (%" PRIu64 "/%" PRIu64 ")\">",
        ways * 100 / (2 * sums->branches), ways, 2 * sums->branches);
    put_conditions(output, cobertura->view->coverage, line);
    cairn_output_text(output, "</line>\n");
}

/* --- methods --- */

struct cobertura_line {
    uint32_t line;
    uint64_t times;
};

/* Of one line what was executed most comes first. */
static int by_number(const void *left, const void *right)
{
    const struct cobertura_line *const one = left, *const other = right;

    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    return (one->times < other->times) - (one->times > other->times);
}

static cairn_status put_method(const struct cobertura *cobertura,
                               const struct cairn_coverage_function *function)
{
    const struct cairn_coverage *const coverage = cobertura->view->coverage;
    struct cairn_output *const output = cobertura->view->output;
    struct cobertura_line *const lines = malloc((function->insn_count + 1) * sizeof *lines);
    size_t count = 0;

    if (!lines)
        return CAIRN_E_MEMORY;
    for (size_t i = function->first_insn; i < function->first_insn + function->insn_count; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[i];

        if (insn->line != CAIRN_COVERAGE_NONE && coverage->lines[insn->line].file == function->file)
            lines[count++] = (struct cobertura_line){insn->line, cairn_coverage_ran(insn)};
    }
    qsort(lines, count, sizeof *lines, by_number);
    const char *const name = cairn_coverage_name(cobertura->view, function);
    cairn_output_text(output, "<method name=\"");
    put_escaped(cobertura, name, strlen(name));
    cairn_output_text(output, "\" signature=\"\"");
    put_rates(output, &function->sums);
    cairn_output_text(output, " complexity=\"0\">\n<lines>\n");
    for (size_t i = 0; i < count; i++)
        if (i == 0 || lines[i].line != lines[i - 1].line)
            put_line(cobertura, &coverage->lines[lines[i].line], false, lines[i].times);
    cairn_output_text(output, "</lines>\n</method>\n");
    free(lines);
    return CAIRN_OK;
}

/* --- classes and packages --- */

/* In the list: functions of no file are last. */
static size_t first_function(const struct cobertura *cobertura, uint32_t file)
{
    const struct cairn_coverage *const coverage = cobertura->view->coverage;
    size_t from = 0, until = coverage->function_count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (coverage->functions[cobertura->functions[middle]].file < file)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

static cairn_status put_class(struct cobertura *cobertura, uint32_t number)
{
    const struct cairn_coverage *const coverage = cobertura->view->coverage;
    const struct cairn_coverage_file *const file = &coverage->files[number];
    struct cairn_output *const output = cobertura->view->output;
    const char *const name = file->name + cobertura->root;
    const size_t folder = folder_length(name);
    const char *const last = folder ? name + folder + 1 : name;
    cairn_status status = CAIRN_OK;

    cairn_output_text(output, "<class name=\"");
    put_escaped(cobertura, last, strlen(last));
    cairn_output_text(output, "\" filename=\"");
    put_escaped(cobertura, name, strlen(name));
    cairn_output_text(output, "\"");
    put_rates(output, &file->sums);
    cairn_output_text(output, " complexity=\"0\">\n<methods>\n");
    for (size_t i = first_function(cobertura, number); i < coverage->function_count && !status;
         i++) {
        const struct cairn_coverage_function *const function =
            &coverage->functions[cobertura->functions[i]];

        if (function->file != number)
            break;
        status = put_method(cobertura, function);
    }
    cairn_output_text(output, "</methods>\n<lines>\n");
    for (size_t i = file->first_line; i < file->first_line + file->line_count; i++)
        put_line(cobertura, &coverage->lines[i], true, coverage->lines[i].count);
    cairn_output_text(output, "</lines>\n</class>\n");
    return status;
}

/* By folder; files of one as they are. */
static int by_folder(const void *left, const void *right, void *context)
{
    const struct cobertura *const cobertura = context;
    const struct cairn_coverage_file *const files = cobertura->view->coverage->files;
    const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    const char *const a = files[one].name + cobertura->root;
    const char *const b = files[other].name + cobertura->root;
    const size_t length = folder_length(a), other_length = folder_length(b);
    const int order = memcmp(a, b, length < other_length ? length : other_length);

    if (order)
        return order;
    if (length != other_length)
        return length < other_length ? -1 : 1;
    return (one > other) - (one < other);
}

static bool is_with(const struct cobertura *cobertura, uint32_t one, uint32_t other)
{
    const struct cairn_coverage_file *const files = cobertura->view->coverage->files;
    const char *const a = files[one].name + cobertura->root;
    const char *const b = files[other].name + cobertura->root;
    const size_t length = folder_length(a);

    return length == folder_length(b) && strncmp(a, b, length) == 0;
}

/* Of `count` files of one folder. */
static cairn_status put_package(struct cobertura *cobertura, const uint32_t *list, size_t count)
{
    const struct cairn_coverage *const coverage = cobertura->view->coverage;
    struct cairn_output *const output = cobertura->view->output;
    const char *const name = coverage->files[list[0]].name + cobertura->root;
    const size_t length = folder_length(name);
    struct cairn_coverage_sums sums = {0};
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < count; i++) {
        const struct cairn_coverage_sums *const more = &coverage->files[list[i]].sums;

        sums.lines += more->lines;
        sums.lines_hit += more->lines_hit;
        sums.branches += more->branches;
        sums.both += more->both;
        sums.one += more->one;
    }
    cairn_output_text(output, "<package name=\"");
    put_escaped(cobertura, length ? name : ".", length ? length : 1);
    cairn_output_text(output, "\"");
    put_rates(output, &sums);
    cairn_output_text(output, " complexity=\"0\">\n<classes>\n");
    for (size_t i = 0; i < count && !status; i++)
        status = put_class(cobertura, list[i]);
    cairn_output_text(output, "</classes>\n</package>\n");
    return status;
}

static void put_head(const struct cobertura *cobertura)
{
    const struct cairn_coverage *const coverage = cobertura->view->coverage;
    const struct cairn_coverage_sums *const sums = &coverage->sums;
    struct cairn_output *const output = cobertura->view->output;
    uint64_t branches = 0, ways = 0, written = 0;

    for (size_t i = 0; i < coverage->file_count; i++) {
        const struct cairn_coverage_file *const file = &coverage->files[i];

        branches += 2 * file->sums.branches;
        ways += 2 * file->sums.both + file->sums.one;
        if (file->changed.tv_sec > 0 && (uint64_t)file->changed.tv_sec > written)
            written = (uint64_t)file->changed.tv_sec;
    }
    cairn_output_text(output,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE coverage SYSTEM "
                      "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage");
    put_rate(output, "line-rate", sums->lines_hit, sums->lines);
    put_rate(output, "branch-rate", ways, branches);
    cairn_output_format(output,
                        " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64
                        "\" branches-covered=\"%" PRIu64 "\" branches-valid=\"%" PRIu64
                        "\" complexity=\"0\" version=\"cairn\" timestamp=\"%" PRIu64 "\">\n",
                        sums->lines_hit, sums->lines, ways, branches, written);
    cairn_output_text(output, "<sources><source>");
    if (cobertura->root)
        put_escaped(cobertura, coverage->files[0].name,
                    cobertura->root > 1 ? cobertura->root - 1 : 1);
    else
        cairn_output_text(output, ".");
    cairn_output_text(output, "</source></sources>\n<packages>\n");
}

cairn_status cairn_coverage_cobertura(const struct cairn_coverage_view *view)
{
    const size_t count = view->coverage->file_count;
    uint32_t *const files = malloc((count + 1) * sizeof *files);
    uint32_t *const functions = cairn_coverage_functions(view->coverage);
    struct cobertura cobertura = {
        .view = view, .functions = functions, .root = find_root(view->coverage)};
    cairn_status status = functions && files ? CAIRN_OK : CAIRN_E_MEMORY;

    if (!status) {
        for (size_t i = 0; i < count; i++)
            files[i] = (uint32_t)i;
        qsort_r(files, count, sizeof *files, by_folder, &cobertura);
        put_head(&cobertura);
    }
    for (size_t first = 0, end; first < count && !status; first = end) {
        for (end = first + 1; end < count && is_with(&cobertura, files[first], files[end]); end++)
            ;
        status = put_package(&cobertura, files + first, end - first);
    }
    if (!status)
        cairn_output_text(view->output, "</packages>\n</coverage>\n");
    free(functions);
    free(files);
    return status;
}
