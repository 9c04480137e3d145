/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/lines.h"

#include "image/dwarf.h"
#include "image/paths.h"
#include "image/scopes.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A compilation unit. */
struct unit {
    Dwarf_Off entry;
    const char *folder; /* that the compiler ran in, or NULL */
    bool is_missing;    /* its other part, and that was counted */
    bool scopes_read;
    enum cairn_discriminators discriminators; /* when scopes are read */
    enum cairn_optimisation optimisation;     /* the same */
    struct cairn_scopes scopes;
    bool functions_read;
    struct cairn_scopes functions; /* of the scopes, those; while these are not read */
};

/* Of a file whose debug information was looked for. */
struct cairn_lines {
    struct cairn_dwarf debug;
    struct unit *units;
    size_t unit_count;
    struct cairn_intervals index;       /* owner: of `units` */
    struct cairn_paths paths;           /* of source files */
    struct cairn_missing_units missing; /* of those of which scopes were read */
};

void cairn_lines_free(struct cairn_lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->unit_count; i++) {
        cairn_scopes_clear(&lines->units[i].scopes);
        cairn_scopes_clear(&lines->units[i].functions);
    }
    cairn_intervals_clear(&lines->index);
    cairn_paths_clear(&lines->paths);
    free(lines->units);
    cairn_dwarf_close(&lines->debug);
    free(lines);
}

/* Units with their claims, while they are counted. */
struct gathered {
    struct unit *units;
    size_t count, capacity;
    struct cairn_claim *claims;
    size_t claim_count, claim_capacity;
};

#define CLAIMS_MAX ((size_t)1 << 24) /* far beyond what the largest programs have */

static bool reserve(void **list, size_t *capacity, size_t count, size_t element)
{
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity ? 2 * *capacity : 64;
    void *const grown = reallocarray(*list, wanted, element);

    if (!grown)
        return false;
    *list = grown;
    *capacity = wanted;
    return true;
}

/* Of what begins at 0, dropped or not, the linker may have left more than is there: others go first. */
static uint64_t rank_of(uint64_t first, size_t number)
{
    return (first ? 0 : UINT64_C(1) << 32) | number;
}

static bool gather_unit(const struct cairn_dwarf *debug, struct gathered *gathered, Dwarf_Die *unit)
{
    void *list = gathered->units;
    ptrdiff_t at = 0;
    Dwarf_Addr base, from, to;

    if (!reserve(&list, &gathered->capacity, gathered->count, sizeof *gathered->units))
        return false;
    gathered->units = list;
    while ((at = cairn_dropped_ranges(debug, unit, at, &base, &from, &to)) > 0) {
        list = gathered->claims;
        if (gathered->claim_count == CLAIMS_MAX ||
            !reserve(&list, &gathered->claim_capacity, gathered->claim_count,
                     sizeof *gathered->claims))
            return false;
        gathered->claims = list;
        gathered->claims[gathered->claim_count] =
            (struct cairn_claim){.first = from,
                                 .last = to - 1,
                                 .rank = rank_of(from, gathered->claim_count),
                                 .owner = (uint32_t)gathered->count};
        gathered->claim_count++;
    }
    gathered->units[gathered->count++] =
        (struct unit){.entry = dwarf_dieoffset(unit), .folder = cairn_dwarf_folder(unit)};
    return true;
}

/* Which unit an address is of: not every compiler writes an index of that. */
static void index_units(struct cairn_lines *lines)
{
    struct gathered gathered = {0};
    Dwarf_Off at = 0, next;
    size_t header;
    Dwarf_Die unit;

    while (!dwarf_nextcu(lines->debug.dwarf, at, &next, &header, NULL, NULL, NULL)) {
        if (dwarf_offdie(lines->debug.dwarf, at + header, &unit) &&
            !gather_unit(&lines->debug, &gathered, &unit))
            break;
        at = next;
    }
    /* Without memory for it no line is known. */
    if (cairn_intervals_flatten(gathered.claims, gathered.claim_count, &lines->index) == CAIRN_OK) {
        lines->units = gathered.units;
        lines->unit_count = gathered.count;
    } else {
        free(gathered.units);
    }
    free(gathered.claims);
}

static struct cairn_lines *open_lines(const struct cairn_file *file)
{
    struct cairn_lines *lines = calloc(1, sizeof *lines);

    if (!lines)
        return NULL;
    if (cairn_dwarf_open(&lines->debug, file))
        index_units(lines);
    return lines;
}

/* Of a unit without ranges of its own the index of addresses may know. */
static struct unit *find_unit(struct cairn_lines *lines, uint64_t address, Dwarf_Die *die)
{
    const struct cairn_interval *found = cairn_intervals_find(&lines->index, address);

    if (found)
        return dwarf_offdie(lines->debug.dwarf, lines->units[found->owner].entry, die)
                   ? &lines->units[found->owner]
                   : NULL;
    if (!lines->debug.dwarf || !dwarf_addrdie(lines->debug.dwarf, address, die))
        return NULL;
    for (size_t i = 0; i < lines->unit_count; i++)
        if (lines->units[i].entry == dwarf_dieoffset(die))
            return &lines->units[i];
    return NULL;
}

static const char *path_of(struct cairn_lines *lines, const struct unit *unit, const char *name)
{
    return name ? cairn_path_whole(&lines->paths, unit->folder, name) : NULL;
}

static cairn_status line_of(struct cairn_lines *lines, const struct unit *unit, Dwarf_Die *die,
                            uint64_t address, struct cairn_frame *place)
{
    int number;
    unsigned apart;
    Dwarf_Line *found = dwarf_getsrc_die(die, address);
    const char *source = found ? dwarf_linesrc(found, NULL, NULL) : NULL;

    if (!source || dwarf_lineno(found, &number) || number <= 0)
        return CAIRN_E_NOT_FOUND;
    place->file = path_of(lines, unit, source);
    place->line = (uint32_t)number;
    place->discriminator = dwarf_linediscriminator(found, &apart) ? 0 : apart;
    return CAIRN_OK;
}

const char *cairn_frame_below(const struct cairn_frame *frame)
{
    const size_t length = frame->directory ? strlen(frame->directory) : 0;

    return length && strncmp(frame->file, frame->directory, length) == 0 &&
                   frame->file[length] == '/'
               ? frame->file + length + 1
               : NULL;
}

static const char *producer_of(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    const char *const producer =
        dwarf_attr(unit, DW_AT_producer, &attribute) ? dwarf_formstring(&attribute) : NULL;

    return producer ? producer : "";
}

static enum cairn_discriminators discriminators_of(Dwarf_Die *unit)
{
    static const char *const names[] = {"clang", "LLVM", "rustc"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(producer_of(unit), names[i]))
            return CAIRN_DISCRIMINATORS_LLVM;
    return CAIRN_DISCRIMINATORS_PLAIN;
}

/* GCC writes its options down (-grecord-gcc-switches), of which the last -O counts. */
static enum cairn_optimisation optimisation_by_options(const char *producer)
{
    enum cairn_optimisation found = CAIRN_OPTIMISATION_NONE;
    bool has_options = false;

    for (const char *at = strstr(producer, " -"); at; at = strstr(at + 1, " -")) {
        has_options |= at[2] == 'g';
        if (at[2] == 'O')
            found = at[3] == '0' && (at[4] == ' ' || !at[4]) ? CAIRN_OPTIMISATION_NONE
                                                             : CAIRN_OPTIMISATION_SOME;
    }
    return has_options ? found : CAIRN_OPTIMISATION_UNKNOWN;
}

/* Clang does not; but where it optimises, from DWARF 4 on, functions say that their calls are described. */
static enum cairn_optimisation optimisation_of(const struct unit *unit, Dwarf_Die *die)
{
    const char *const producer = producer_of(die);
    Dwarf_Half version = 0;

    /* "GNU C17 12.2.0 ...", "GNU C++17": of others, Ada and Fortran, expressions are not read */
    if (strncmp(producer, "GNU C", 5) == 0 && producer[5] && strchr(" +0123456789", producer[5]))
        return optimisation_by_options(producer);
    if (!strstr(producer, "clang") || strstr(producer, "rustc"))
        return CAIRN_OPTIMISATION_UNKNOWN;
    if (unit->scopes.describes_calls ||
        dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL))
        return CAIRN_OPTIMISATION_SOME;
    return unit->scopes.has_variables && version >= 4 ? CAIRN_OPTIMISATION_NONE
                                                      : CAIRN_OPTIMISATION_UNKNOWN;
}

static void add_missing(struct cairn_missing_units *missing, const struct cairn_split *split)
{
    if (missing->count++ == 0) {
        missing->name = split->name;
        missing->folder = split->folder;
    }
}

/* The whole unit; what of it is not here is counted. */
static Dwarf_Die whole_of(struct cairn_lines *lines, struct unit *unit, Dwarf_Die *die)
{
    struct cairn_split split;
    Dwarf_Die whole;

    if (!cairn_dwarf_whole(&lines->debug, die, &whole, &split) && !unit->is_missing) {
        add_missing(&lines->missing, &split);
        unit->is_missing = true;
    }
    return whole;
}

static const struct cairn_scopes *scopes_of(struct cairn_lines *lines, struct unit *unit,
                                            Dwarf_Die *die)
{
    if (!unit->scopes_read) {
        Dwarf_Die whole = whole_of(lines, unit, die);

        cairn_scopes_read(&lines->debug, &whole, &unit->scopes);
        unit->discriminators = discriminators_of(&whole);
        unit->optimisation = optimisation_of(unit, &whole);
    }
    unit->scopes_read = true;
    return &unit->scopes;
}

static const struct cairn_scopes *functions_of(struct cairn_lines *lines, struct unit *unit,
                                               Dwarf_Die *die)
{
    if (!unit->functions_read) {
        Dwarf_Die whole = whole_of(lines, unit, die);

        cairn_scopes_read_functions(&lines->debug, &whole, &unit->functions);
    }
    unit->functions_read = true;
    return &unit->functions;
}

/* Each level has the name of its function and the place where the one inside it was called. */
static size_t frames_of(struct cairn_lines *lines, struct unit *unit, Dwarf_Die *die,
                        uint64_t address, struct cairn_frame *frames, size_t capacity)
{
    const char *const directory =
        unit->folder ? cairn_path_whole(&lines->paths, NULL, unit->folder) : NULL;
    uint32_t at = cairn_scopes_find(scopes_of(lines, unit, die), address);
    struct cairn_frame place = {
        .directory = directory, .optimisation = unit->optimisation, .scope = CAIRN_FRAME_NO_SCOPE};
    size_t count = 0;

    (void)!line_of(lines, unit, die, address, &place);
    if (at == CAIRN_SCOPE_NONE && place.file && capacity)
        frames[count++] = place;
    while (at != CAIRN_SCOPE_NONE && count < capacity) {
        const struct cairn_scope_node *const node = &unit->scopes.list[at];

        place.function = node->name;
        place.start_line = node->start_line;
        place.start_file = path_of(lines, unit, node->start_file);
        place.discriminators = unit->discriminators;
        place.scope = at;
        frames[count++] = place;
        place = (struct cairn_frame){.directory = directory,
                                     .optimisation = unit->optimisation,
                                     .file = path_of(lines, unit, node->call_file),
                                     .line = node->call_line,
                                     .discriminator = node->call_discriminator};
        at = node->parent;
    }
    return count;
}

/* The file's, opened at the first call, under its lock. */
static struct cairn_lines *lines_of(struct cairn_file *file)
{
    if (!file->lines)
        file->lines = open_lines(file);
    return file->lines;
}

/* libdw reads as it is asked, so that each question is under the lock. */
cairn_status cairn_file_line(struct cairn_file *file, uint64_t address, const char **name,
                             uint32_t *line)
{
    struct cairn_frame place = {0};
    cairn_status status = CAIRN_E_MEMORY;
    Dwarf_Die die;

    if (pthread_mutex_lock(&file->lock) != 0)
        return status;
    struct cairn_lines *const lines = lines_of(file);
    struct unit *const unit = lines ? find_unit(lines, address, &die) : NULL;
    if (lines)
        status = unit ? line_of(lines, unit, &die, address, &place) : CAIRN_E_NOT_FOUND;
    pthread_mutex_unlock(&file->lock);
    if (status)
        return status;
    *name = place.file;
    *line = place.line;
    return CAIRN_OK;
}

size_t cairn_file_frames(struct cairn_file *file, uint64_t address, struct cairn_frame *frames,
                         size_t capacity)
{
    size_t count = 0;
    Dwarf_Die die;

    if (pthread_mutex_lock(&file->lock) != 0)
        return 0;
    struct cairn_lines *const lines = lines_of(file);
    struct unit *const unit = lines ? find_unit(lines, address, &die) : NULL;
    if (unit)
        count = frames_of(lines, unit, &die, address, frames, capacity);
    pthread_mutex_unlock(&file->lock);
    return count;
}

/* What the compiler made without being told (a destructor) is declared nowhere: its line is that of the address. False: no
 * function is known there, as of one within another one. */
static bool find_declaration(struct cairn_lines *lines, struct unit *unit, Dwarf_Die *die,
                             uint64_t address, struct cairn_frame *frame)
{
    const struct cairn_scopes *const scopes =
        unit->scopes_read ? NULL : functions_of(lines, unit, die);
    const uint32_t at = scopes ? cairn_scopes_find(scopes, address) : CAIRN_SCOPE_NONE;

    if (at == CAIRN_SCOPE_NONE)
        return false;
    const struct cairn_scope_node *const node = &scopes->list[at];
    *frame = (struct cairn_frame){.function = node->name,
                                  .start_file = path_of(lines, unit, node->start_file),
                                  .start_line = node->start_line,
                                  .scope = CAIRN_FRAME_NO_SCOPE};
    if (!node->start_file || !node->start_line)
        (void)!line_of(lines, unit, die, address, frame);
    return true;
}

bool cairn_file_function_frame(struct cairn_file *file, uint64_t address, struct cairn_frame *frame)
{
    struct cairn_frame frames[CAIRN_FRAMES_MAX];
    bool is_known = false;
    Dwarf_Die die;

    if (pthread_mutex_lock(&file->lock) != 0)
        return false;
    struct cairn_lines *const lines = lines_of(file);
    struct unit *const unit = lines ? find_unit(lines, address, &die) : NULL;
    if (unit && !(is_known = find_declaration(lines, unit, &die, address, frame))) {
        const size_t count = frames_of(lines, unit, &die, address, frames, CAIRN_FRAMES_MAX);

        is_known = count != 0;
        if (is_known)
            *frame = frames[count - 1];
    }
    pthread_mutex_unlock(&file->lock);
    return is_known;
}

bool cairn_file_has_frames(struct cairn_file *file)
{
    if (pthread_mutex_lock(&file->lock) != 0)
        return false;
    const struct cairn_lines *const lines = lines_of(file);
    const bool has_units = lines && lines->unit_count;
    pthread_mutex_unlock(&file->lock);
    return has_units;
}

bool cairn_file_function(struct cairn_file *file, uint64_t address, uint64_t *first, uint64_t *last)
{
    bool is_known = false;
    Dwarf_Die die;

    if (pthread_mutex_lock(&file->lock) != 0)
        return false;
    struct cairn_lines *const lines = lines_of(file);
    struct unit *const unit = lines ? find_unit(lines, address, &die) : NULL;
    if (unit)
        is_known = cairn_scopes_function(scopes_of(lines, unit, &die), address, first, last);
    pthread_mutex_unlock(&file->lock);
    return is_known;
}

void cairn_file_missing_units(struct cairn_file *file, struct cairn_missing_units *missing)
{
    *missing = (struct cairn_missing_units){0};
    if (pthread_mutex_lock(&file->lock) != 0)
        return;
    if (file->lines)
        *missing = file->lines->missing;
    if (file->lines)
        missing->common = file->lines->debug.common.missing;
    pthread_mutex_unlock(&file->lock);
}

void cairn_file_find_units(struct cairn_file *file, struct cairn_missing_units *missing)
{
    struct cairn_split split;
    Dwarf_Die die, whole;

    *missing = (struct cairn_missing_units){0};
    if (pthread_mutex_lock(&file->lock) != 0)
        return;
    struct cairn_lines *const lines = lines_of(file);
    for (size_t i = 0; lines && i < lines->unit_count; i++)
        if (dwarf_offdie(lines->debug.dwarf, lines->units[i].entry, &die) &&
            !cairn_dwarf_whole(&lines->debug, &die, &whole, &split))
            add_missing(missing, &split);
    if (lines)
        missing->common = lines->debug.common.missing;
    pthread_mutex_unlock(&file->lock);
}
