/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows that two builds of a program have in common: the functions and source lines that were visited. Code of files that
 * are the same in both runs is told by its blocks, as ever. */
#include <stdlib.h>
#include <string.h>

#include "image/frames.h"
#include "report/diff_window.h"

/* A line of a function, counted from where that begins; or a function whose lines are not known; or a block. */
struct diff_visit {
    uint32_t name, line;
};
#define VISIT_BLOCK UINT32_MAX /* the name of a block: `line` is its number */
#define VISIT_NO_LINE UINT32_MAX

/* What a block visits: symbols, in `list`. */
struct diff_visited {
    size_t first; /* in `list` */
    uint32_t count;
    bool is_known;
};

/* A symbol, and how many instructions of the block are in front. */
struct diff_stop {
    uint32_t symbol, skip;
};

struct cairn_diff_lines {
    struct cairn_diff *diff;
    struct diff_visit *visits; /* by symbol */
    size_t visit_count, visit_room;
    struct cairn_table by_visit;
    const char **names;
    size_t name_count, name_room;
    struct cairn_table by_name;
    struct diff_visited *visited[CAIRN_DIFF_SIDES]; /* by block */
    struct diff_stop *list;
    size_t list_count, list_room;
};

static cairn_status visit_name(struct cairn_diff_lines *lines, const char *text, uint32_t *name)
{
    uint64_t sum = 1;
    uint32_t item;

    for (const char *at = text; *at; at++)
        sum = sum * 131 + (unsigned char)*at;
    const uint32_t hash = cairn_table_hash(sum, 0);
    size_t at = cairn_table_begin(&lines->by_name, hash);
    while ((item = cairn_table_next(&lines->by_name, hash, &at)) != CAIRN_TABLE_NONE)
        if (strcmp(lines->names[item], text) == 0) {
            *name = item;
            return CAIRN_OK;
        }
    if (cairn_grow((void **)&lines->names, lines->name_count, &lines->name_room,
                   sizeof *lines->names) ||
        cairn_table_add(&lines->by_name, hash, (uint32_t)lines->name_count))
        return CAIRN_E_MEMORY;
    lines->names[lines->name_count] = text;
    *name = (uint32_t)lines->name_count++;
    return CAIRN_OK;
}

static cairn_status symbol_of(struct cairn_diff_lines *lines, struct diff_visit visit,
                              uint32_t *symbol)
{
    const uint32_t hash = cairn_table_hash(visit.line, visit.name);
    size_t at = cairn_table_begin(&lines->by_visit, hash);
    uint32_t item;

    while ((item = cairn_table_next(&lines->by_visit, hash, &at)) != CAIRN_TABLE_NONE)
        if (lines->visits[item].name == visit.name && lines->visits[item].line == visit.line) {
            *symbol = item;
            return CAIRN_OK;
        }
    if (cairn_grow((void **)&lines->visits, lines->visit_count, &lines->visit_room,
                   sizeof *lines->visits) ||
        cairn_table_add(&lines->by_visit, hash, (uint32_t)lines->visit_count))
        return CAIRN_E_MEMORY;
    lines->visits[lines->visit_count] = visit;
    *symbol = (uint32_t)lines->visit_count++;
    return CAIRN_OK;
}

/* Where an instruction is: its function, or NULL; false: it is of no line. */
static bool visit_at(const struct cairn_space *space, uint64_t address, const char **name,
                     uint32_t *line)
{
    struct cairn_frame frames[CAIRN_FRAMES_MAX];
    struct timespec changed;
    uint64_t offset;
    const size_t count = cairn_space_frames(space, address, frames, CAIRN_FRAMES_MAX, &changed);

    *line = 0;
    *name = NULL;
    if (count && frames[0].function) {
        *name = frames[0].function;
        if (!frames[0].line)
            return false;
        *line = frames[0].line - frames[0].start_line;
        return true;
    }
    if (cairn_space_symbol(space, address, name, &offset))
        *name = NULL;
    return true;
}

/* All of a block's instructions are of some stop: what is in front of the first one is of that. */
static cairn_status list_symbol(struct cairn_diff_lines *lines, struct diff_visited *visited,
                                uint32_t symbol, uint32_t skip)
{
    if (visited->count && lines->list[lines->list_count - 1].symbol == symbol)
        return CAIRN_OK;
    if (cairn_grow((void **)&lines->list, lines->list_count, &lines->list_room,
                   sizeof *lines->list))
        return CAIRN_E_MEMORY;
    lines->list[lines->list_count++] = (struct diff_stop){symbol, visited->count ? skip : 0};
    visited->count++;
    return CAIRN_OK;
}

static cairn_status list_visit(struct cairn_diff_lines *lines, struct diff_visited *visited,
                               struct diff_visit visit, uint32_t skip)
{
    uint32_t symbol;
    const cairn_status status = symbol_of(lines, visit, &symbol);

    return status ? status : list_symbol(lines, visited, symbol, skip);
}

static cairn_status list_function(struct cairn_diff_lines *lines, struct diff_visited *visited,
                                  const char *name, uint32_t line, uint32_t skip)
{
    struct diff_visit visit = {.line = line};

    if (!name)
        return list_symbol(lines, visited, CAIRN_DIFF_NAMELESS, skip);
    const cairn_status status = visit_name(lines, name, &visit.name);
    return status ? status : list_visit(lines, visited, visit, skip);
}

static cairn_status look_at_block(struct cairn_diff_lines *lines, unsigned side, uint32_t number,
                                  struct diff_visited *visited)
{
    const struct cairn_diff_block *const block = &lines->diff->blocks[number];
    const struct cairn_diff_seen *const seen = &block->seen[side];
    const struct cairn_diff_run *const run = &lines->diff->runs[side];
    cairn_status status = CAIRN_OK;

    *visited = (struct diff_visited){.first = lines->list_count, .is_known = true};
    if (lines->diff->objects[block->object].twin == CAIRN_DIFF_NONE)
        return list_visit(lines, visited, (struct diff_visit){VISIT_BLOCK, number}, 0);
    status = cairn_space_select(run->space, &seen->place);
    const char *name = NULL;
    uint64_t at = seen->address;
    for (uint32_t i = 0; i < block->instructions && !status; i++) {
        struct cairn_insn insn = {.size = block->isa == CAIRN_ISA_T32 ? 2 : 4};
        uint32_t line;

        if (visit_at(run->space, at, &name, &line))
            status = list_function(lines, visited, name, line, i);
        (void)cairn_space_insn(run->space, seen->arch, (enum cairn_isa)block->isa, at, &insn);
        at += insn.size;
        if (block->isa != CAIRN_ISA_A64)
            at &= UINT32_MAX;
    }
    if (!status && !visited->count)
        status = list_function(lines, visited, name, VISIT_NO_LINE, 0);
    return status;
}

/* What the token that was read last visits. */
static cairn_status list_token(struct cairn_diff_symbols *symbols)
{
    struct cairn_diff_lines *const lines = symbols->lines;
    const unsigned side = symbols->cursor.thread->side;
    const uint32_t token = symbols->cursor.token;
    struct diff_visited *const visited = &lines->visited[side][token];
    cairn_status status = CAIRN_OK;

    if (!visited->is_known)
        status = look_at_block(lines, side, token, visited);
    symbols->next = visited->first;
    symbols->left = visited->count;
    return status;
}

cairn_status cairn_diff_next_line(struct cairn_diff_symbols *symbols, bool *is_over)
{
    struct cairn_diff_cursor *const cursor = &symbols->cursor;
    const struct cairn_diff_lines *const lines = symbols->lines;

    *is_over = false;
    for (;;) {
        if (symbols->left) {
            const struct diff_stop stop = lines->list[symbols->next++];
            const bool is_line = lines->visits[stop.symbol].name != VISIT_BLOCK;

            symbols->left--;
            if (is_line && symbols->has_symbol && symbols->symbol == stop.symbol &&
                symbols->chain == cursor->chain)
                continue;
            symbols->symbol = stop.symbol;
            symbols->point = (struct cairn_diff_point){cursor->position - 1, stop.skip};
        } else {
            *is_over = !cairn_diff_read(cursor);
            if (*is_over)
                return CAIRN_OK;
            if (cursor->token != CAIRN_DIFF_GAP) {
                const cairn_status status = list_token(symbols);

                if (status)
                    return status;
                continue;
            }
            symbols->symbol = CAIRN_DIFF_GAP;
            symbols->point = (struct cairn_diff_point){.token = cursor->position - 1};
        }
        symbols->chain = cursor->chain;
        symbols->has_symbol = true;
        return CAIRN_OK;
    }
}

cairn_status cairn_diff_lines_new(struct cairn_diff *diff, struct cairn_diff_lines **lines)
{
    struct cairn_diff_lines *const made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->diff = diff;
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        made->visited[side] = calloc(diff->block_count, sizeof **made->visited);
    if (!made->visited[CAIRN_DIFF_A] || !made->visited[CAIRN_DIFF_B] ||
        cairn_grow((void **)&made->visits, 0, &made->visit_room, sizeof *made->visits)) {
        cairn_diff_lines_free(made);
        return CAIRN_E_MEMORY;
    }
    /* the gap, and what nothing names: neither is found again */
    made->visits[made->visit_count++] = (struct diff_visit){0, 0};
    made->visits[made->visit_count++] = (struct diff_visit){0, 0};
    *lines = made;
    return CAIRN_OK;
}

void cairn_diff_lines_free(struct cairn_diff_lines *lines)
{
    if (!lines)
        return;
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        free(lines->visited[side]);
    cairn_table_clear(&lines->by_visit);
    cairn_table_clear(&lines->by_name);
    free(lines->visits);
    free(lines->names);
    free(lines->list);
    free(lines);
}
