/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of a source line. */
#include "image/find_debug.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "image/paths.h"
#include "image/symbol.h"

struct search {
    const struct cairn_object *object;
    struct cairn_line_search *asked;
    struct cairn_matches *matches;
    size_t first;  /* of the matches: the first of this object */
    uint32_t line; /* the nearest that was found so far; 0: none */
    struct cairn_debug *debug;
    Dwarf_Die unit;     /* that is looked at */
    const char *folder; /* of it, or NULL */
    struct cairn_paths paths;
    const char *name, *path; /* as the unit has it, and whole */
    bool is_wanted;          /* the file `name` */
};

static bool is_source(struct search *search, const char *name)
{
    /* One name is one string for libdw, so that rows in a row are compared once. */
    if (name != search->name) {
        search->name = name;
        search->path = name ? cairn_path_whole(&search->paths, search->folder, name) : NULL;
        search->is_wanted =
            name && cairn_path_ends(search->path, search->asked->source, search->asked->length);
    }
    return search->is_wanted;
}

/* Whether the unit has code of the file; learns the names of others. */
static bool has_source(struct search *search)
{
    Dwarf_Files *files;
    size_t count = 0;
    bool found = false;
    char wanted[256];

    if (dwarf_getsrcfiles(&search->unit, &files, &count) != 0)
        return false;
    const size_t length =
        search->asked->length < sizeof wanted ? search->asked->length : sizeof wanted - 1;
    memcpy(wanted, search->asked->source, length);
    wanted[length] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *const name = dwarf_filesrc(files, i, NULL, NULL);

        if (!name)
            continue;
        if (is_source(search, name)) {
            found = true;
        } else {
            const char *const slash = strrchr(name, '/');
            cairn_near_add(&search->asked->near, wanted, slash ? slash + 1 : name);
        }
    }
    return found;
}

struct row {
    Dwarf_Addr address;
    int line;
    bool is_source, begins_statement, ends;
};

static bool read_row(struct search *search, Dwarf_Lines *lines, size_t index, struct row *row)
{
    Dwarf_Line *const line = dwarf_onesrcline(lines, index);

    *row = (struct row){0};
    if (!line || dwarf_lineaddr(line, &row->address) || dwarf_lineno(line, &row->line) ||
        dwarf_linebeginstatement(line, &row->begins_statement) ||
        dwarf_lineendsequence(line, &row->ends))
        return false;
    row->is_source =
        !row->ends && row->line > 0 && is_source(search, dwarf_linesrc(line, NULL, NULL));
    return true;
}

static cairn_status add_run(struct search *search, uint64_t first, uint64_t last, bool is_entry)
{
    const char *function = NULL;
    const struct cairn_symbols *symbols = NULL;
    uint64_t offset;

    if (cairn_file_symbols(search->object->file, &symbols) == CAIRN_OK)
        (void)!cairn_symbols_find(symbols, first, &function, &offset);
    return cairn_matches_add(search->matches, &(struct cairn_found){
                                                  .first = first + search->object->bias,
                                                  .last = last + search->object->bias,
                                                  .kind = CAIRN_MATCH_LINE,
                                                  .like = CAIRN_LIKE_SAME,
                                                  .is_entry = is_entry,
                                                  .object = search->object,
                                                  .function = (char *)(uintptr_t)function,
                                                  .file = (char *)(uintptr_t)search->path,
                                                  .line = search->line,
                                              });
}

/* Whether rows of this line are better than what was found: then that is forgotten. */
static bool is_nearest(struct search *search, int line)
{
    const uint32_t number = (uint32_t)line;

    if (number > search->asked->last)
        search->asked->last = number;
    if (number < search->asked->line || (search->line && number > search->line))
        return false;
    if (number != search->line)
        cairn_matches_cut(search->matches, search->first);
    search->line = number;
    return true;
}

/* Of the places of the line in one function, or in one copy of it, the lowest is where it begins. */
static bool begins(struct search *search, Dwarf_Off *functions, size_t *count, size_t most,
                   uint64_t address)
{
    const Dwarf_Off function = cairn_debug_function(search->debug, &search->unit, address);

    for (size_t i = 0; i < *count; i++)
        if (functions[i] == function)
            return false;
    if (*count < most)
        functions[(*count)++] = function;
    return true;
}

#define FUNCTIONS_MOST 1024u /* with code of one line, in one unit */

/* The rows of the line of `row`, from *index on, which comes to be the last of them: where they end.
 * Of two rows of one address only the last one has code. */
static uint64_t end_of(struct search *search, Dwarf_Lines *lines, size_t count, struct row *row,
                       size_t *index)
{
    uint64_t end = row->address;
    struct row next;

    for (size_t i = *index + 1; i < count && read_row(search, lines, i, &next); i++) {
        end = next.address;
        if (!next.is_source || next.line != row->line)
            break;
        row->begins_statement |= next.begins_statement && next.address == row->address;
        *index = i;
    }
    return end;
}

/* Where a sequence of rows ends, its last row may come behind the end in libdw's order: it has no code
 * of its own, and is not to be taken for the beginning of what follows. */
static bool is_in_unit(struct search *search, uint64_t address)
{
    Dwarf_Addr base, start, end;

    return cairn_dropped_has(&search->debug->dwarf, &search->unit, address) ||
           dwarf_ranges(&search->unit, 0, &base, &start, &end) <= 0;
}

/* Rows are ascending; a run of those of the line is a place. */
static cairn_status look(struct search *search, Dwarf_Lines *lines, size_t count)
{
    Dwarf_Off *const functions = calloc(FUNCTIONS_MOST, sizeof *functions);
    size_t function_count = 0;
    cairn_status status = functions ? CAIRN_OK : CAIRN_E_MEMORY;
    struct row row;

    for (size_t i = 0; i < count && !status; i++) {
        if (!read_row(search, lines, i, &row) || !row.is_source)
            continue;
        const char *const name = search->name, *const path = search->path;
        const uint64_t end = end_of(search, lines, count, &row, &i);

        if (end <= row.address || !is_in_unit(search, row.address) || !is_nearest(search, row.line))
            continue;
        search->name = name;
        search->path = path;
        search->is_wanted = true;
        if (search->matches->count == search->first)
            function_count = 0;
        status = add_run(search, row.address, end - 1,
                         row.begins_statement && begins(search, functions, &function_count,
                                                        FUNCTIONS_MOST, row.address));
    }
    free(functions);
    return status;
}

cairn_status cairn_find_lines(const struct cairn_object *object, struct cairn_line_search *asked,
                              struct cairn_matches *matches)
{
    struct search search = {
        .object = object, .asked = asked, .matches = matches, .first = matches->count};
    struct cairn_debug debug;
    Dwarf_Off next = 0;
    cairn_status status = CAIRN_OK;

    if (!cairn_debug_open(object, &debug))
        return CAIRN_OK;
    search.debug = &debug;
    while (!status && cairn_debug_unit(&debug, &next, &search.unit)) {
        Dwarf_Lines *lines;
        size_t count = 0;

        asked->has_debug = true;
        search.name = NULL;
        search.folder = cairn_dwarf_folder(&search.unit);
        if (!has_source(&search))
            continue;
        asked->has_source = true;
        if (dwarf_getsrclines(&search.unit, &lines, &count) == 0)
            status = look(&search, lines, count);
    }
    cairn_paths_clear(&search.paths);
    cairn_debug_close(&debug);
    return status;
}
