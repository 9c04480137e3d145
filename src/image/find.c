/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses by name: the texts that are understood, and what is said of those that are not. */
#include "image/find_say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "image/layer.h"
#include "image/names.h"

/* --- the files --- */

static void add_object(struct cairn_finder *finder, const char *path, struct cairn_file *file,
                       uint64_t bias)
{
    for (size_t i = 0; i < finder->object_count; i++)
        if (finder->objects[i].file == file && finder->objects[i].bias == bias)
            return;
    finder->objects[finder->object_count++] = (struct cairn_object){path, file, bias};
}

static cairn_status collect(struct cairn_finder *finder, const struct cairn_image *image)
{
    const struct cairn_layers *const layers = cairn_image_layers(image);
    const struct cairn_names_list *const names = cairn_image_names(image);

    finder->objects = calloc(layers->count + names->count + 1, sizeof *finder->objects);
    if (!finder->objects)
        return cairn_find_no_memory(finder);
    for (size_t i = 0; i < names->count; i++)
        /* the path of its code, as everything is told to be of (cairn_space_object) */
        add_object(finder, names->list[i].own ? names->list[i].own : names->list[i].path,
                   names->list[i].file, names->list[i].bias);
    for (size_t i = 0; i < layers->count; i++)
        if (layers->list[i].is_elf)
            add_object(finder, layers->list[i].name, layers->list[i].file, layers->list[i].bias);
    return CAIRN_OK;
}

/* --- names --- */

static bool is_better(const struct cairn_found *found, void *context)
{
    (void)context;
    return found->like > CAIRN_LIKE_TAIL;
}

/* The symbols, and by `inlined` the copies, of a name in those files that `qualifier` names; in all
 * where there is none. */
static cairn_status find_name(const struct cairn_finder *finder, struct cairn_slice name,
                              const struct cairn_slice *qualifier, bool inlined,
                              struct cairn_matches *matches)
{
    struct cairn_name wanted;
    bool better = false;
    cairn_status status = cairn_name_read(name.text, name.length, &wanted);

    for (size_t i = 0; i < finder->object_count && !status; i++) {
        if (qualifier && !cairn_find_is_object(finder, i, *qualifier))
            continue;
        status = inlined ? cairn_find_inlined(&finder->objects[i], &wanted, matches)
                         : cairn_find_symbols(&finder->objects[i], &wanted, matches);
    }
    cairn_name_clear(&wanted);
    if (status)
        return cairn_find_failed(finder, name, status);
    for (size_t i = 0; i < matches->count; i++)
        better |= matches->list[i].like > CAIRN_LIKE_TAIL;
    if (better)
        cairn_matches_keep(matches, is_better, NULL);
    return CAIRN_OK;
}

static cairn_status find_function(const struct cairn_finder *finder, struct cairn_slice name,
                                  const struct cairn_slice *qualifier,
                                  struct cairn_matches *matches)
{
    cairn_status status = find_name(finder, name, qualifier, false, matches);

    if (!status && (matches->count == 0 || (finder->flags & CAIRN_FIND_INLINED)))
        status = find_name(finder, name, qualifier, true, matches);
    return status;
}

/* Of a symbol that is local its file is a symbol as well; of others the debug information has it. */
static bool is_of_source(const struct cairn_found *found, void *context)
{
    const struct cairn_slice *const source = context;

    if (found->kind != CAIRN_MATCH_INLINED && found->is_local && found->file)
        return cairn_path_ends(found->file, source->text, source->length);
    char *const file = cairn_find_source(found->object, found->first - found->object->bias);
    const bool is_it = file && cairn_path_ends(file, source->text, source->length);
    free(file);
    return is_it;
}

static cairn_status find_qualified(const struct cairn_finder *finder, struct cairn_slice qualifier,
                                   struct cairn_slice name, struct cairn_matches *matches)
{
    if (cairn_find_any_object(finder, qualifier))
        return find_function(finder, name, &qualifier, matches);
    const cairn_status status = find_function(finder, name, NULL, matches);
    if (!status)
        cairn_matches_keep(matches, is_of_source, &qualifier);
    return status;
}

/* --- lines --- */

static bool is_line(const struct cairn_found *found, void *context)
{
    return found->line == *(const uint32_t *)context;
}

static cairn_status find_line(const struct cairn_finder *finder, struct cairn_line_search *search,
                              const struct cairn_slice *qualifier, struct cairn_matches *matches)
{
    uint32_t nearest = UINT32_MAX;
    bool has_entry = false;

    for (size_t i = 0; i < finder->object_count; i++) {
        if (qualifier && !cairn_find_is_object(finder, i, *qualifier))
            continue;
        const cairn_status status = cairn_find_lines(&finder->objects[i], search, matches);
        if (status)
            return cairn_find_failed(finder, (struct cairn_slice){search->source, search->length},
                                     status);
    }
    for (size_t i = 0; i < matches->count; i++)
        nearest = matches->list[i].line < nearest ? matches->list[i].line : nearest;
    cairn_matches_keep(matches, is_line, &nearest);
    for (size_t i = 0; i < matches->count; i++)
        has_entry |= matches->list[i].is_entry;
    if (matches->count && !has_entry)
        matches->list[0].is_entry = true;
    return CAIRN_OK;
}

/* --- places --- */

static bool read_number(struct cairn_slice piece, uint64_t *value)
{
    char text[24], *end;

    if (piece.length == 0 || piece.length >= sizeof text || piece.text[0] < '0' ||
        piece.text[0] > '9')
        return false;
    snprintf(text, sizeof text, "%.*s", (int)piece.length, piece.text);
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    errno = 0;
    *value = strtoull(text, &end, hex ? 16 : 10);
    return !errno && !*end && !(hex && !text[2]);
}

/* The last ':' that is none of "::"; false: there is none with something on both sides. */
static bool split_qualifier(struct cairn_slice piece, struct cairn_slice *before,
                            struct cairn_slice *behind)
{
    for (size_t i = piece.length; i-- > 1;) {
        if (piece.text[i] != ':' || i + 1 == piece.length)
            continue;
        if (piece.text[i - 1] == ':') {
            i--;
            continue;
        }
        *before = (struct cairn_slice){piece.text, i};
        *behind = (struct cairn_slice){piece.text + i + 1, piece.length - i - 1};
        return true;
    }
    return false;
}

/* "file.c:120", or "libx.so:file.c:120". */
static bool is_line_of(const struct cairn_finder *finder, struct cairn_slice piece,
                       struct cairn_line_search *search, struct cairn_slice *qualifier,
                       bool *is_qualified)
{
    struct cairn_slice source, line, rest;
    uint64_t number;

    if (!split_qualifier(piece, &source, &line) || !read_number(line, &number) ||
        number > UINT32_MAX || number == 0)
        return false;
    *is_qualified =
        split_qualifier(source, qualifier, &rest) && cairn_find_any_object(finder, *qualifier);
    if (*is_qualified)
        source = rest;
    *search = (struct cairn_line_search){
        .source = source.text, .length = source.length, .line = (uint32_t)number};
    return true;
}

static cairn_status find_place(const struct cairn_finder *finder, struct cairn_slice piece,
                               struct cairn_matches *matches);

/* "main+0x40": each beginning of what is in front of the '+', of those that reach so far. */
static cairn_status find_behind(const struct cairn_finder *finder, struct cairn_slice base,
                                uint64_t offset, struct cairn_matches *matches)
{
    struct cairn_matches found = {0};
    cairn_status status = find_place(finder, base, &found);
    uint64_t longest = 0;

    for (size_t i = 0; i < found.count && !status; i++) {
        struct cairn_found place = found.list[i];

        if (!place.is_entry)
            continue;
        if (place.kind == CAIRN_MATCH_FUNCTION && offset > place.last - place.first) {
            longest = place.last - place.first > longest ? place.last - place.first : longest;
            continue;
        }
        place.first += offset;
        place.last = place.first;
        place.kind = CAIRN_MATCH_ADDRESS;
        if (cairn_matches_add(matches, &place) != CAIRN_OK)
            status = cairn_find_no_memory(finder);
    }
    if (!status && !matches->count)
        status = cairn_fail(finder->error, CAIRN_E_ARGUMENT,
                            "'%.*s+0x%llx' is behind its end: it has 0x%llx bytes",
                            cairn_slice_shown(base), base.text, (unsigned long long)offset,
                            (unsigned long long)longest + 1);
    cairn_matches_cut(&found, 0);
    free(found.list);
    return status;
}

/* Splits at the last '+' that a number is behind. */
static bool split_offset(struct cairn_slice piece, struct cairn_slice *base, uint64_t *offset)
{
    const char *const plus = memrchr(piece.text, '+', piece.length);

    if (!plus || plus == piece.text)
        return false;
    *base = (struct cairn_slice){piece.text, (size_t)(plus - piece.text)};
    return read_number((struct cairn_slice){plus + 1, piece.length - base->length - 1}, offset);
}

static bool is_half(struct cairn_slice piece)
{
    return piece.length >= 2 && (strncmp(piece.text + piece.length - 2, "..", 2) == 0 ||
                                 (strncmp(piece.text, "..", 2) == 0 && piece.text[2] != '/'));
}

static cairn_status find_whole(const struct cairn_finder *finder, struct cairn_slice piece,
                               struct cairn_matches *matches)
{
    struct cairn_line_search search = {.near = {.count = 0}};
    struct cairn_slice qualifier = {0}, name;
    uint64_t number;
    bool is_qualified;
    cairn_status status;

    if (read_number(piece, &number))
        return cairn_matches_add(matches, &(struct cairn_found){.first = number,
                                                                .last = number,
                                                                .like = CAIRN_LIKE_SAME,
                                                                .is_entry = true})
                   ? cairn_find_no_memory(finder)
                   : CAIRN_OK;
    if (split_offset(piece, &name, &number) && read_number(name, &(uint64_t){0}))
        return find_behind(finder, name, number, matches);
    if (piece.text[0] >= '0' && piece.text[0] <= '9' && !memchr(piece.text, ':', piece.length))
        return cairn_find_no_number(finder, piece);
    if (finder->object_count == 0)
        return cairn_find_no_object(finder, piece);
    if (is_line_of(finder, piece, &search, &qualifier, &is_qualified)) {
        status = find_line(finder, &search, is_qualified ? &qualifier : NULL, matches);
        if (!status && matches->count == 0)
            status = cairn_find_no_line(finder, &search);
        cairn_near_clear(&search.near);
        return status;
    }
    status = find_function(finder, piece, NULL, matches);
    if (status || matches->count)
        return status;
    if (split_offset(piece, &name, &number))
        return find_behind(finder, name, number, matches);
    if (!split_qualifier(piece, &qualifier, &name))
        return cairn_find_no_function(finder, piece, NULL);
    status = find_qualified(finder, qualifier, name, matches);
    if (status || matches->count)
        return status;
    return cairn_find_any_object(finder, qualifier)
               ? cairn_find_no_function(finder, name, &qualifier)
               : cairn_find_no_qualifier(finder, qualifier, name);
}

/* One place in the user's sense; CAIRN_OK with at least one match. Short names can begin or end with "..". */
static cairn_status find_place(const struct cairn_finder *finder, struct cairn_slice piece,
                               struct cairn_matches *matches)
{
    const cairn_status status = find_whole(finder, piece, matches);

    return status == CAIRN_E_NOT_FOUND && is_half(piece)
               ? cairn_fail(finder->error, CAIRN_E_ARGUMENT,
                            "'%.*s': a range is A..B, and one of its ends is missing",
                            cairn_slice_shown(piece), piece.text)
               : status;
}

/* --- from one place to another --- */

static bool is_end(const struct cairn_found *found, void *context)
{
    (void)context;
    return found->is_entry;
}

/* The one place that begins what `piece` names. */
static cairn_status find_end(const struct cairn_finder *finder, struct cairn_slice piece,
                             struct cairn_matches *found)
{
    cairn_status status = find_place(finder, piece, found);

    if (status)
        return status;
    cairn_matches_keep(found, is_end, NULL);
    return found->count == 1 ? CAIRN_OK : cairn_find_several(finder, piece, found);
}

static cairn_status join(const struct cairn_finder *finder, struct cairn_slice piece,
                         const struct cairn_found *from, const struct cairn_found *to,
                         struct cairn_matches *matches)
{
    struct cairn_found range = *from;

    range.kind = CAIRN_MATCH_RANGE;
    range.last = to->last;
    if (range.last < range.first)
        return cairn_fail(finder->error, CAIRN_E_ARGUMENT,
                          "'%.*s': its end, 0x%llx, is in front of its beginning, 0x%llx",
                          cairn_slice_shown(piece), piece.text, (unsigned long long)range.last,
                          (unsigned long long)range.first);
    return cairn_matches_add(matches, &range) ? cairn_find_no_memory(finder) : CAIRN_OK;
}

static cairn_status find_range(const struct cairn_finder *finder, struct cairn_slice piece,
                               size_t dots, struct cairn_matches *matches)
{
    const struct cairn_slice left = {piece.text, dots};
    const struct cairn_slice right = {piece.text + dots + 2, piece.length - dots - 2};
    struct cairn_matches from = {0}, to = {0};
    /* The end is in front of copies of it: those are no ends. */
    struct cairn_finder plain = *finder;

    plain.flags &= ~CAIRN_FIND_INLINED;
    cairn_status status = find_end(&plain, left, &from);
    if (!status)
        status = find_end(&plain, right, &to);
    if (!status)
        status = join(finder, piece, &from.list[0], &to.list[0], matches);
    cairn_matches_cut(&from, 0);
    cairn_matches_cut(&to, 0);
    free(from.list);
    free(to.list);
    return status;
}

/* ".." with something on both sides, and neither "..." of a C++ name, nor the folder of a path, nor the "<..>" of a short
 * name. */
static bool is_dot_or_slash(char c)
{
    return c == '.' || c == '/';
}

static bool is_of_arguments(const char *dots)
{
    return dots[-1] == '<' && dots[2] == '>';
}

static bool find_dots(struct cairn_slice piece, size_t *dots)
{
    for (size_t i = 1; i + 2 < piece.length; i++) {
        if (piece.text[i] != '.' || piece.text[i + 1] != '.')
            continue;
        if (!is_dot_or_slash(piece.text[i + 2]) && !is_dot_or_slash(piece.text[i - 1]) &&
            !is_of_arguments(piece.text + i)) {
            *dots = i;
            return true;
        }
    }
    return false;
}

/* What is no range may be a name that has ".." in it, as those of Rust have: "_$LT$alloc..string..String$GT$". */
static cairn_status find_dotted(const struct cairn_finder *finder, struct cairn_slice piece,
                                size_t dots, struct cairn_matches *matches)
{
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_finder other = *finder;

    other.error = &error;
    const cairn_status status = find_range(&other, piece, dots, matches);
    const struct cairn_error of_range = error;

    if (!status || (status != CAIRN_E_MEMORY && !find_place(&other, piece, matches)))
        return CAIRN_OK;
    if (finder->error)
        *finder->error = of_range;
    return status;
}

/* --- all of it --- */

static int by_address(const void *left, const void *right)
{
    const struct cairn_found *const a = left, *const b = right;

    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->last != b->last)
        return a->last < b->last ? -1 : 1;
    return a->like != b->like ? (a->like > b->like ? -1 : 1) : (int)a->kind - (int)b->kind;
}

struct previous {
    uint64_t first, last;
    bool any;
};

static bool is_other(const struct cairn_found *found, void *context)
{
    struct previous *const previous = context;
    const bool other =
        !previous->any || found->first != previous->first || found->last != previous->last;

    *previous = (struct previous){found->first, found->last, true};
    return other;
}

static void put_in_order(struct cairn_matches *matches)
{
    struct previous previous = {0};

    if (matches->count)
        qsort(matches->list, matches->count, sizeof *matches->list, by_address);
    cairn_matches_keep(matches, is_other, &previous);
}

/* Names come from files, and a terminal would act on control characters. */
static void make_printable(struct cairn_error *error)
{
    for (char *at = error ? error->text : NULL; at && *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
}

cairn_status cairn_image_find(const struct cairn_image *image, const char *text, unsigned flags,
                              struct cairn_matches **matches, struct cairn_error *error)
{
    struct cairn_finder finder = {.flags = flags, .error = error};
    size_t dots;

    if (!image || !text || !matches || (flags & ~CAIRN_FIND_INLINED))
        return cairn_fail(error, CAIRN_E_ARGUMENT, "no image, text or matches given");
    const struct cairn_slice piece = {text, strlen(text)};
    if (piece.length == 0)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "expected an address or a name, such as 0x400600, main or file.c:120");
    struct cairn_matches *const made = calloc(1, sizeof *made);
    if (!made)
        return cairn_find_no_memory(&finder);
    cairn_status status = collect(&finder, image);
    if (!status)
        status = find_dots(piece, &dots) ? find_dotted(&finder, piece, dots, made)
                                         : find_place(&finder, piece, made);
    free(finder.objects);
    if (status) {
        make_printable(error);
        cairn_matches_free(made);
        return status;
    }
    put_in_order(made);
    for (size_t i = 0; i < made->count; i++)
        made->list[i].object = NULL;
    *matches = made;
    return CAIRN_OK;
}
