/* SPDX-License-Identifier: BSD-2-Clause */
/* How often what was executed in either run, by function, line or block; and what was executed in one of them only. */
#include "report/diff_view.h"

#include <stdlib.h>
#include <string.h>

struct diff_rows {
    const struct cairn_diff *diff;
    enum cairn_diff_by by;
    struct cairn_diff_row *list;
    size_t count, room;
    struct cairn_table table;
};

static int compare_texts(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static uint32_t sum_text(const char *text)
{
    uint32_t sum = 1;

    for (; text && *text; text++)
        sum = sum * 131 + (unsigned char)*text;
    return sum;
}

static bool is_row(const struct cairn_diff_row *a, const struct cairn_diff_row *b)
{
    return a->key == b->key && a->address == b->address && a->line == b->line &&
           compare_texts(a->function, b->function) == 0 && compare_texts(a->file, b->file) == 0;
}

static cairn_status find_row(struct diff_rows *rows, const struct cairn_diff_row *wanted,
                             struct cairn_diff_row **found)
{
    const uint32_t hash = cairn_table_hash(wanted->address + wanted->line,
                                           ((uint64_t)wanted->key << 32) +
                                               sum_text(wanted->function) + sum_text(wanted->file));
    size_t at = cairn_table_begin(&rows->table, hash);
    uint32_t item;

    while ((item = cairn_table_next(&rows->table, hash, &at)) != CAIRN_TABLE_NONE)
        if (is_row(&rows->list[item], wanted))
            break;
    if (item == CAIRN_TABLE_NONE) {
        item = (uint32_t)rows->count;
        if (cairn_grow((void **)&rows->list, rows->count, &rows->room, sizeof *rows->list) ||
            cairn_table_add(&rows->table, hash, item))
            return CAIRN_E_MEMORY;
        rows->list[rows->count++] = *wanted;
    }
    *found = &rows->list[item];
    return CAIRN_OK;
}

static const char *last_part(const char *path)
{
    const char *const slash = path ? strrchr(path, '/') : NULL;

    return slash && slash[1] ? slash + 1 : path;
}

/* The row of an instruction: of a run, at its address there, and at `at` in the file. */
static cairn_status row_of(struct diff_rows *rows, unsigned side,
                           const struct cairn_diff_block *block, uint64_t address, uint64_t at,
                           struct cairn_diff_row **found, bool *starts)
{
    const struct cairn_diff_run *const run = &rows->diff->runs[side];
    const struct cairn_diff_object *const object = &rows->diff->objects[block->object];
    const bool is_rebuilt = object->twin != CAIRN_DIFF_NONE;
    struct cairn_diff_row row = {.object = object->path,
                                 .key = is_rebuilt && object->twin < block->object ? object->twin
                                                                                   : block->object};
    uint64_t offset = 0;

    if (cairn_space_symbol(run->space, address, &row.function, &offset))
        row.function = NULL;
    *starts = row.function && offset == 0;
    if (rows->by == CAIRN_DIFF_BY_FUNCTION) {
        if (row.function && !is_rebuilt)
            row.address = at - offset;
        return find_row(rows, &row, found);
    }
    struct cairn_symbol symbol = {.size = sizeof symbol};
    if (cairn_symbolize(run->space, address, &symbol) == CAIRN_OK && symbol.file) {
        row.file = is_rebuilt ? last_part(symbol.file) : symbol.file;
        row.line = symbol.line;
    }
    if (rows->by == CAIRN_DIFF_BY_BLOCK)
        row.address = block->first;
    else if (row.file)
        row.function = NULL; /* a line in several functions is one */
    else if (rows->by == CAIRN_DIFF_BY_COVERAGE && !is_rebuilt)
        row.address = at;
    return find_row(rows, &row, found);
}

static cairn_status add_to_rows(struct diff_rows *rows, unsigned side,
                                const struct cairn_diff_block *block)
{
    const struct cairn_diff_run *const run = &rows->diff->runs[side];
    const struct cairn_diff_seen *const seen = &block->seen[side];
    uint64_t at = seen->address;
    cairn_status status = CAIRN_OK;

    if (seen->times == 0)
        return CAIRN_OK;
    status = cairn_space_select(run->space, &seen->place);
    for (uint32_t i = 0; i < block->instructions && !status; i++) {
        struct cairn_insn insn = {.size = block->isa == CAIRN_ISA_T32 ? 2 : 4};
        struct cairn_diff_row *row;
        bool starts;

        status = row_of(rows, side, block, at, block->first + (at - seen->address), &row, &starts);
        if (status)
            break;
        row->instructions[side] +=
            rows->by == CAIRN_DIFF_BY_BLOCK ? seen->times * block->instructions : seen->times;
        row->unknown[side] +=
            rows->by == CAIRN_DIFF_BY_BLOCK ? seen->hidden * block->instructions : seen->hidden;
        row->calls[side] += starts ? seen->times : 0;
        if (i + 1 == block->instructions || rows->by == CAIRN_DIFF_BY_BLOCK)
            row->cycles[side] += seen->cycles;
        if (rows->by == CAIRN_DIFF_BY_BLOCK)
            break;
        (void)cairn_space_insn(run->space, seen->arch, (enum cairn_isa)block->isa, at, &insn);
        if (rows->by == CAIRN_DIFF_BY_COVERAGE && row->address)
            row->end = row->address + insn.size;
        at += insn.size;
        if (block->isa != CAIRN_ISA_A64)
            at &= UINT32_MAX;
    }
    return status;
}

static uint64_t distance_of(const uint64_t counts[CAIRN_DIFF_SIDES])
{
    return counts[0] > counts[1] ? counts[0] - counts[1] : counts[1] - counts[0];
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_difference(const void *left, const void *right)
{
    const struct cairn_diff_row *const a = left, *const b = right;
    int order = compare_numbers(distance_of(b->instructions), distance_of(a->instructions));

    if (!order)
        order = compare_numbers(distance_of(b->cycles), distance_of(a->cycles));
    if (!order)
        order = compare_numbers(b->instructions[0] + b->instructions[1],
                                a->instructions[0] + a->instructions[1]);
    if (!order)
        order = compare_texts(a->function, b->function);
    if (!order)
        order = compare_texts(a->file, b->file);
    if (!order)
        order = compare_numbers(a->line, b->line);
    if (!order)
        order = compare_numbers(a->address, b->address);
    return order ? order : compare_numbers(a->key, b->key);
}

/* --- code that one of them executed alone --- */

static bool is_alone(const struct cairn_diff_row *row, unsigned side)
{
    return !row->instructions[!side] && row->instructions[side] > row->unknown[side];
}

static int in_file(const void *left, const void *right)
{
    const struct cairn_diff_row *const a = left, *const b = right;
    const int order = compare_numbers(a->key, b->key);

    return order ? order : compare_numbers(a->address, b->address);
}

static bool goes_on(const struct cairn_diff_row *row, const struct cairn_diff_row *next)
{
    const unsigned side = row->instructions[CAIRN_DIFF_B] != 0;

    return row->end && next->end && row->end == next->address && row->key == next->key &&
           compare_texts(row->function, next->function) == 0 && is_alone(next, side);
}

/* Of what both executed nothing is left; instructions one behind the other become one row. */
static size_t only_alone(struct cairn_diff_row *rows, size_t count)
{
    size_t alone = 0, merged = 0;

    for (size_t i = 0; i < count; i++)
        if (is_alone(&rows[i], CAIRN_DIFF_A) || is_alone(&rows[i], CAIRN_DIFF_B))
            rows[alone++] = rows[i];
    if (alone)
        qsort(rows, alone, sizeof *rows, in_file);
    for (size_t i = 0; i < alone; i++) {
        struct cairn_diff_row *const last = merged ? &rows[merged - 1] : NULL;

        if (!last || !goes_on(last, &rows[i])) {
            rows[merged++] = rows[i];
            continue;
        }
        last->end = rows[i].end;
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            last->instructions[side] += rows[i].instructions[side];
            last->unknown[side] += rows[i].unknown[side];
            last->cycles[side] += rows[i].cycles[side];
        }
    }
    return merged;
}

cairn_status cairn_diff_rows(const struct cairn_diff *diff, enum cairn_diff_by by,
                             struct cairn_diff_row **list, size_t *count)
{
    struct diff_rows rows = {.diff = diff, .by = by};
    cairn_status status = CAIRN_OK;

    for (size_t i = 1; i < diff->block_count && !status; i++)
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES && !status; side++)
            status = add_to_rows(&rows, side, &diff->blocks[i]);
    cairn_table_clear(&rows.table);
    if (status) {
        free(rows.list);
        return status;
    }
    if (by == CAIRN_DIFF_BY_COVERAGE)
        rows.count = only_alone(rows.list, rows.count);
    if (rows.count)
        qsort(rows.list, rows.count, sizeof *rows.list, by_difference);
    *list = rows.list;
    *count = rows.count;
    return CAIRN_OK;
}

/* --- branches --- */

static uint64_t times_of(const struct cairn_diff_block *block, unsigned side, bool taken)
{
    const struct cairn_diff_seen *const seen = &block->seen[side];

    return taken ? seen->taken : seen->told - seen->taken;
}

/* A branch by where it is: several blocks may end with it. */
struct diff_branch {
    const struct cairn_diff_block *block;
    uint32_t number;
    uint64_t times[CAIRN_DIFF_SIDES][2];
    uint64_t hidden[CAIRN_DIFF_SIDES]; /* opposite to gaps, whichever way */
};

static int by_place(const void *left, const void *right)
{
    const struct diff_branch *const a = left, *const b = right;
    int order = compare_numbers(a->block->object, b->block->object);

    if (!order)
        order = compare_numbers(a->block->last, b->block->last);
    if (!order)
        order = compare_numbers(a->block->isa, b->block->isa);
    return order ? order : compare_numbers(a->number, b->number);
}

static bool is_one_branch(const struct diff_branch *a, const struct diff_branch *b)
{
    return a->block->object == b->block->object && a->block->last == b->block->last &&
           a->block->isa == b->block->isa;
}

static size_t list_ways(const struct diff_branch *branch, struct cairn_diff_way *ways)
{
    size_t count = 0;

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        for (unsigned taken = 0; taken < 2; taken++)
            if (branch->times[side][taken] > branch->hidden[side] && !branch->times[!side][taken] &&
                branch->times[!side][!taken])
                ways[count++] = (struct cairn_diff_way){.block = branch->number,
                                                        .side = side,
                                                        .taken = taken,
                                                        .times = branch->times[side][taken]};
    return count;
}

cairn_status cairn_diff_ways(const struct cairn_diff *diff, struct cairn_diff_way **ways,
                             size_t *count)
{
    struct diff_branch *const branches = calloc(diff->block_count, sizeof *branches);
    struct cairn_diff_way *const made = calloc(diff->block_count * 2 + 1, sizeof *made);
    size_t found = 0, merged = 0, listed = 0;

    if (!branches || !made) {
        free(branches);
        free(made);
        return CAIRN_E_MEMORY;
    }
    for (size_t i = 1; i < diff->block_count; i++) {
        const struct cairn_diff_block *const block = &diff->blocks[i];

        if (!block->is_conditional || diff->objects[block->object].twin != CAIRN_DIFF_NONE)
            continue;
        struct diff_branch *const one = &branches[found++];
        one->block = block;
        one->number = (uint32_t)i;
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            one->hidden[side] = block->seen[side].hidden;
            for (unsigned taken = 0; taken < 2; taken++)
                one->times[side][taken] = times_of(block, side, taken);
        }
    }
    if (found)
        qsort(branches, found, sizeof *branches, by_place);
    for (size_t i = 0; i < found; i++) {
        struct diff_branch *const last = merged ? &branches[merged - 1] : NULL;

        if (!last || !is_one_branch(last, &branches[i])) {
            branches[merged++] = branches[i];
            continue;
        }
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
            last->hidden[side] += branches[i].hidden[side];
            for (unsigned taken = 0; taken < 2; taken++)
                last->times[side][taken] += branches[i].times[side][taken];
        }
    }
    for (size_t i = 0; i < merged; i++)
        listed += list_ways(&branches[i], made + listed);
    free(branches);
    *ways = made;
    *count = listed;
    return CAIRN_OK;
}
