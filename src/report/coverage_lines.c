/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines and files by the debug information, and what functions, lines and files add up to. */
#include "report/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/lines.h"

#define NAME_SIZE 8192u

static uint32_t hash_of(const char *text)
{
    uint64_t hash = 0;

    for (; *text; text++)
        hash = hash * 31 + (unsigned char)*text;
    return cairn_table_hash(hash, 1);
}

/* --- files --- */

static bool is_moved(const char *path, const struct cairn_source_path *moved)
{
    const size_t length = strlen(moved->from);

    return length && strncmp(path, moved->from, length) == 0 &&
           (moved->from[length - 1] == '/' || path[length] == '/' || !path[length]);
}

/* What the file is called: path, or what is written to `text`. */
static const char *name_for(const struct cairn_coverage *coverage, const char *path,
                            char text[NAME_SIZE])
{
    for (size_t i = 0; i < coverage->path_count; i++)
        if (is_moved(path, &coverage->paths[i])) {
            snprintf(text, NAME_SIZE, "%s%s", coverage->paths[i].to,
                     path + strlen(coverage->paths[i].from));
            return text;
        }
    return path;
}

static cairn_status find_file(struct cairn_coverage *coverage, const struct cairn_frame *frame,
                              const struct timespec *changed, uint32_t *found)
{
    char moved[NAME_SIZE];

    /* most instructions are of the file of the one before; the texts live as long as the program's file */
    if (coverage->last_text == frame->file && coverage->file_count) {
        *found = coverage->last_file;
        return CAIRN_OK;
    }
    const char *const name = name_for(coverage, frame->file, moved);
    const uint32_t hash = hash_of(name);
    size_t at = cairn_table_begin(&coverage->by_name, hash);
    uint32_t item;

    coverage->last_text = frame->file;
    while ((item = cairn_table_next(&coverage->by_name, hash, &at)) != CAIRN_TABLE_NONE)
        if (!strcmp(coverage->files[item].name, name)) {
            *found = coverage->last_file = item;
            return CAIRN_OK;
        }
    coverage->last_file = (uint32_t)coverage->file_count;
    if (cairn_grow((void **)&coverage->files, coverage->file_count, &coverage->file_room,
                   sizeof *coverage->files) ||
        cairn_table_add(&coverage->by_name, hash, (uint32_t)coverage->file_count))
        return CAIRN_E_MEMORY;
    struct cairn_coverage_file *const file = &coverage->files[coverage->file_count];
    *file = (struct cairn_coverage_file){.path = cairn_arena_text(&coverage->arena, frame->file),
                                         .changed = *changed};
    file->name = name == frame->file ? file->path : cairn_arena_text(&coverage->arena, name);
    if (!file->path || !file->name)
        return CAIRN_E_MEMORY;
    *found = (uint32_t)coverage->file_count++;
    return CAIRN_OK;
}

static cairn_status find_line(struct cairn_coverage *coverage, uint32_t file, uint32_t number,
                              uint32_t *found)
{
    const uint32_t hash = cairn_table_hash(file, number);
    size_t at = cairn_table_begin(&coverage->by_place, hash);
    uint32_t item;

    while ((item = cairn_table_next(&coverage->by_place, hash, &at)) != CAIRN_TABLE_NONE)
        if (coverage->lines[item].file == file && coverage->lines[item].number == number) {
            *found = item;
            return CAIRN_OK;
        }
    if (cairn_grow((void **)&coverage->lines, coverage->line_count, &coverage->line_room,
                   sizeof *coverage->lines) ||
        cairn_table_add(&coverage->by_place, hash, (uint32_t)coverage->line_count))
        return CAIRN_E_MEMORY;
    coverage->lines[coverage->line_count] =
        (struct cairn_coverage_line){.file = file, .number = number};
    *found = (uint32_t)coverage->line_count++;
    return CAIRN_OK;
}

/* --- instructions --- */

static cairn_status place_insn(struct cairn_coverage *coverage, size_t index)
{
    struct cairn_coverage_insn *const insn = &coverage->insns[index];
    const struct cairn_coverage_object *const object = &coverage->objects[insn->object];
    struct cairn_coverage_function *const function =
        insn->function == CAIRN_COVERAGE_NONE ? NULL : &coverage->functions[insn->function];
    struct cairn_frame frames[CAIRN_FRAMES_MAX];
    uint32_t file;
    cairn_status status = CAIRN_OK;

    const size_t count = cairn_file_frames(object->file, insn->address, frames, CAIRN_FRAMES_MAX);
    if (!count)
        return CAIRN_OK;
    insn->optimisation = frames[0].optimisation & 0x3fu;
    if (count > 1)
        insn->copy = frames[0].scope;
    if (frames[0].file && frames[0].line) {
        status = find_file(coverage, &frames[0], &object->file->identity.changed, &file);
        if (!status)
            status = find_line(coverage, file, frames[0].line, &insn->line);
    }
    struct cairn_frame *const outer = &frames[count - 1];
    const bool is_declared = outer->start_file && outer->start_line;
    if (is_declared)
        outer->file = outer->start_file;
    if (!status && function && function->first_insn == index && outer->file) {
        function->line = is_declared ? outer->start_line : outer->line;
        status = find_file(coverage, outer, &object->file->identity.changed, &function->file);
    }
    return status;
}

/* Instructions are sorted by objects, of which few have debug information. */
static cairn_status place_insns(struct cairn_coverage *coverage)
{
    cairn_status status = CAIRN_OK;

    for (uint32_t object = 0; object < coverage->object_count && !status; object++) {
        struct cairn_file *const file = coverage->objects[object].file;
        size_t i = cairn_coverage_first(coverage->insns, coverage->insn_count, object);

        if (!file || i == coverage->insn_count || !cairn_file_has_frames(file))
            continue;
        for (; i < coverage->insn_count && coverage->insns[i].object == object && !status; i++)
            status = place_insn(coverage, i);
    }
    return status;
}

/* --- sorted --- */

static int by_name(const void *left, const void *right, void *context)
{
    const struct cairn_coverage_file *const files = context;

    return strcmp(files[*(const uint32_t *)left].name, files[*(const uint32_t *)right].name);
}

static int by_number(const void *left, const void *right, void *context)
{
    const struct cairn_coverage_line *const lines = context;
    const struct cairn_coverage_line *const a = &lines[*(const uint32_t *)left];
    const struct cairn_coverage_line *const b = &lines[*(const uint32_t *)right];

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Sorts `count` items; ranks[i] is where item i has come to. To be freed; NULL: no memory. */
static uint32_t *sort(void *items, size_t count, size_t size,
                      int (*order)(const void *, const void *, void *))
{
    uint32_t *const numbers = malloc((count + 1) * sizeof *numbers);
    uint32_t *const ranks = malloc((count + 1) * sizeof *ranks);
    unsigned char *const copy = malloc(count * size + 1);

    if (numbers && ranks && copy) {
        for (size_t i = 0; i < count; i++)
            numbers[i] = (uint32_t)i;
        qsort_r(numbers, count, sizeof *numbers, order, items);
        if (count)
            memcpy(copy, items, count * size);
        for (size_t i = 0; i < count; i++) {
            ranks[numbers[i]] = (uint32_t)i;
            memcpy((unsigned char *)items + i * size, copy + numbers[i] * size, size);
        }
    }
    free(copy);
    free(numbers);
    if (!copy || !numbers) {
        free(ranks);
        return NULL;
    }
    return ranks;
}

static cairn_status sort_files(struct cairn_coverage *coverage)
{
    uint32_t *const ranks =
        sort(coverage->files, coverage->file_count, sizeof *coverage->files, by_name);

    if (!ranks)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < coverage->line_count; i++)
        coverage->lines[i].file = ranks[coverage->lines[i].file];
    for (size_t i = 0; i < coverage->function_count; i++)
        if (coverage->functions[i].file != CAIRN_COVERAGE_NONE)
            coverage->functions[i].file = ranks[coverage->functions[i].file];
    free(ranks);
    return CAIRN_OK;
}

static cairn_status sort_lines(struct cairn_coverage *coverage)
{
    uint32_t *const ranks =
        sort(coverage->lines, coverage->line_count, sizeof *coverage->lines, by_number);

    if (!ranks)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < coverage->insn_count; i++)
        if (coverage->insns[i].line != CAIRN_COVERAGE_NONE)
            coverage->insns[i].line = ranks[coverage->insns[i].line];
    free(ranks);
    return CAIRN_OK;
}

/* --- what was moved out of functions --- */

#define COLD ".cold"

/* The letters of a name in front of ".cold", or all. */
static size_t whole_length(const char *name)
{
    const char *const cold = strstr(name, COLD);

    return cold ? (size_t)(cold - name) : strlen(name);
}

static uint32_t hash_of_function(const struct cairn_coverage_function *function)
{
    return cairn_table_hash((uint64_t)function->object << 32 | function->file, function->line);
}

/* A part is of the function that has its name in front of ".cold", and is declared in the same line. */
static cairn_status find_wholes(struct cairn_coverage *coverage)
{
    struct cairn_coverage_function *const list = coverage->functions;
    struct cairn_table wholes = {0};
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < coverage->function_count && !status; i++) {
        list[i].whole = (uint32_t)i;
        if (list[i].line && !strstr(list[i].name, COLD))
            status = cairn_table_add(&wholes, hash_of_function(&list[i]), (uint32_t)i);
    }
    for (size_t i = 0; i < coverage->function_count && !status; i++) {
        const size_t length = whole_length(list[i].name);

        if (!list[i].line || !list[i].name[length])
            continue;
        size_t at = cairn_table_begin(&wholes, hash_of_function(&list[i]));
        uint32_t item;
        while ((item = cairn_table_next(&wholes, hash_of_function(&list[i]), &at)) !=
               CAIRN_TABLE_NONE)
            if (list[item].object == list[i].object && list[item].file == list[i].file &&
                list[item].line == list[i].line &&
                strncmp(list[item].name, list[i].name, length) == 0 && !list[item].name[length])
                list[i].whole = item;
    }
    cairn_table_clear(&wholes);
    return status;
}

static uint32_t whole_of(const struct cairn_coverage *coverage,
                         const struct cairn_coverage_insn *insn)
{
    return insn->function == CAIRN_COVERAGE_NONE ? CAIRN_COVERAGE_NONE
                                                 : coverage->functions[insn->function].whole;
}

static int by_line(const void *left, const void *right, void *context)
{
    const struct cairn_coverage *const coverage = context;
    const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    const struct cairn_coverage_insn *const a = &coverage->insns[one];
    const struct cairn_coverage_insn *const b = &coverage->insns[other];

    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    const uint32_t whole = whole_of(coverage, a), other_whole = whole_of(coverage, b);
    if (whole != other_whole)
        return whole < other_whole ? -1 : 1;
    if (a->copy != b->copy)
        return a->copy < b->copy ? -1 : 1;
    return (one > other) - (one < other);
}

static cairn_status sort_by_line(struct cairn_coverage *coverage)
{
    coverage->by_line = malloc((coverage->insn_count + 1) * sizeof *coverage->by_line);
    if (!coverage->by_line)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < coverage->insn_count; i++)
        if (coverage->insns[i].line != CAIRN_COVERAGE_NONE)
            coverage->by_line[coverage->by_line_count++] = (uint32_t)i;
    qsort_r(coverage->by_line, coverage->by_line_count, sizeof *coverage->by_line, by_line,
            coverage);
    return CAIRN_OK;
}

/* --- sums --- */

static void add_insn(struct cairn_coverage_sums *sums, const struct cairn_coverage_insn *insn,
                     bool tells_conditions)
{
    const bool both = insn->taken && insn->taken < insn->told;
    const bool one = insn->told && !both;

    sums->insns++;
    sums->insns_hit += cairn_coverage_ran(insn) != 0;
    if (insn->choice == CAIRN_CHOICE_BRANCH) {
        sums->branches++;
        sums->both += both;
        sums->one += one;
    } else if (insn->choice == CAIRN_CHOICE_CONDITION && tells_conditions) {
        sums->conditions++;
        sums->conditions_both += both;
        sums->conditions_one += one;
    }
}

static void add_sums(struct cairn_coverage_sums *sums, const struct cairn_coverage_sums *more)
{
    sums->insns += more->insns;
    sums->insns_hit += more->insns_hit;
    sums->branches += more->branches;
    sums->both += more->both;
    sums->one += more->one;
    sums->conditions += more->conditions;
    sums->conditions_both += more->conditions_both;
    sums->conditions_one += more->conditions_one;
}

static void count_line_in(struct cairn_coverage_function *function, uint32_t line, bool is_hit)
{
    function->sums.lines += function->seen_line != line;
    function->seen_line = line;
    if (!is_hit)
        return;
    function->sums.lines_hit += function->hit_line != line;
    function->hit_line = line;
}

/* A line was executed as often as the instruction of it that was executed most; where it is in several
 * functions, or was inlined several times, that is added up. What was moved out of a function is of it. */
static void count_line(struct cairn_coverage *coverage, size_t first, size_t end)
{
    struct cairn_coverage_insn *const insns = coverage->insns;
    const uint32_t *const list = coverage->by_line;
    struct cairn_coverage_line *const line = &coverage->lines[insns[list[first]].line];
    uint64_t most = 0;

    line->first_insn = first;
    line->insn_count = end - first;
    line->sums.lines = 1;
    for (size_t i = first; i < end; i++) {
        const struct cairn_coverage_insn *const insn = &insns[list[i]];
        const struct cairn_coverage_insn *const next = i + 1 < end ? &insns[list[i + 1]] : NULL;

        if (cairn_coverage_ran(insn) > most)
            most = cairn_coverage_ran(insn);
        if (!next || whole_of(coverage, next) != whole_of(coverage, insn) ||
            next->copy != insn->copy) {
            line->count += most;
            most = 0;
        }
        if (insn->function != CAIRN_COVERAGE_NONE)
            count_line_in(&coverage->functions[insn->function], insn->line,
                          cairn_coverage_ran(insn) != 0);
    }
    line->sums.lines_hit = line->count != 0;
}

static bool tells_conditions(const struct cairn_coverage *coverage)
{
    for (size_t i = 0; i < coverage->insn_count && coverage->has_conditions; i++)
        if (coverage->insns[i].choice == CAIRN_CHOICE_CONDITION && coverage->insns[i].told)
            return true;
    return false;
}

static void add_up(struct cairn_coverage *coverage)
{
    const bool conditions = tells_conditions(coverage);
    struct cairn_coverage_sums *const all = &coverage->sums;

    for (size_t i = 0; i < coverage->insn_count; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[i];

        add_insn(insn->function == CAIRN_COVERAGE_NONE            ? &coverage->others
                 : coverage->functions[insn->function].is_partial ? &coverage->partial
                                                                  : all,
                 insn, conditions);
        add_insn(insn->function != CAIRN_COVERAGE_NONE ? &coverage->functions[insn->function].sums
                                                       : &coverage->objects[insn->object].others,
                 insn, conditions);
        if (insn->line != CAIRN_COVERAGE_NONE)
            add_insn(&coverage->lines[insn->line].sums, insn, conditions);
    }
    for (size_t i = 0, end; i < coverage->by_line_count; i = end) {
        const uint32_t line = coverage->insns[coverage->by_line[i]].line;

        for (end = i + 1;
             end < coverage->by_line_count && coverage->insns[coverage->by_line[end]].line == line;
             end++)
            ;
        count_line(coverage, i, end);
    }
    for (size_t i = 0; i < coverage->line_count; i++) {
        const struct cairn_coverage_line *const line = &coverage->lines[i];
        struct cairn_coverage_file *const file = &coverage->files[line->file];

        if (!file->line_count++)
            file->first_line = i;
        add_sums(&file->sums, &line->sums);
        file->sums.lines++;
        file->sums.lines_hit += line->sums.lines_hit;
        all->lines++;
        all->lines_hit += line->sums.lines_hit;
    }
    for (size_t i = 0; i < coverage->function_count; i++) {
        struct cairn_coverage_function *const function = &coverage->functions[i];

        function->sums.functions = 1;
        function->sums.functions_hit = function->is_hit;
        all->functions++;
        all->functions_hit += function->is_hit;
        if (function->file != CAIRN_COVERAGE_NONE) {
            coverage->files[function->file].sums.functions++;
            coverage->files[function->file].sums.functions_hit += function->is_hit;
        }
    }
}

cairn_status cairn_coverage_lines(struct cairn_coverage *coverage)
{
    cairn_status status = place_insns(coverage);

    if (!status)
        status = sort_files(coverage);
    if (!status && coverage->line_count)
        status = sort_lines(coverage);
    if (!status)
        status = find_wholes(coverage);
    if (!status && coverage->line_count)
        status = sort_by_line(coverage);
    if (!status)
        add_up(coverage);
    return status;
}
