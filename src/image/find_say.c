/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/find_say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define CHOICES_MOST 6u /* that a sentence lists */

int cairn_slice_shown(struct cairn_slice piece)
{
    return piece.length < 200 ? (int)piece.length : 200;
}

cairn_status cairn_find_no_memory(const struct cairn_finder *finder)
{
    return cairn_fail(finder->error, CAIRN_E_MEMORY, "out of memory for the names of the program");
}

cairn_status cairn_find_failed(const struct cairn_finder *finder, struct cairn_slice piece,
                               cairn_status status)
{
    return status == CAIRN_E_LIMIT
               ? cairn_fail(finder->error, status, "'%.*s' is in more than %u places",
                            cairn_slice_shown(piece), piece.text, CAIRN_MATCHES_MOST)
               : cairn_find_no_memory(finder);
}

bool cairn_find_is_object(const struct cairn_finder *finder, size_t index,
                          struct cairn_slice qualifier)
{
    return cairn_path_ends(finder->objects[index].path, qualifier.text, qualifier.length);
}

bool cairn_find_any_object(const struct cairn_finder *finder, struct cairn_slice qualifier)
{
    for (size_t i = 0; i < finder->object_count; i++)
        if (cairn_find_is_object(finder, i, qualifier))
            return true;
    return false;
}

cairn_status cairn_find_no_object(const struct cairn_finder *finder, struct cairn_slice text)
{
    return cairn_fail(finder->error, CAIRN_E_NOT_FOUND,
                      "'%.*s': there is no ELF file here that has names; give the program, or an "
                      "address such as 0x400600",
                      cairn_slice_shown(text), text.text);
}

static const char *base_of(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void list_objects(const struct cairn_finder *finder, char *text, size_t capacity)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < finder->object_count && length < capacity; i++) {
        if (i == CHOICES_MOST) {
            snprintf(text + length, capacity - length, " and %zu more", finder->object_count - i);
            return;
        }
        length += (size_t)snprintf(text + length, capacity - length, "%s%.60s", i ? ", " : "",
                                   base_of(finder->objects[i].path));
    }
}

cairn_status cairn_find_no_function(const struct cairn_finder *finder, struct cairn_slice name,
                                    const struct cairn_slice *qualifier)
{
    struct cairn_near near = {.count = 0};
    char words[256], objects[200];
    char *const word = cairn_name_last(name.text, name.length);

    if (!word)
        return cairn_find_no_memory(finder);
    for (size_t i = 0; i < finder->object_count; i++)
        if (!qualifier || cairn_find_is_object(finder, i, *qualifier))
            cairn_find_near(&finder->objects[i], word, &near);
    cairn_near_text(&near, words, sizeof words);
    cairn_near_clear(&near);
    free(word);
    list_objects(finder, objects, sizeof objects);
    if (qualifier)
        return cairn_fail(finder->error, CAIRN_E_NOT_FOUND, "no function '%.*s' in %.*s%s",
                          cairn_slice_shown(name), name.text, cairn_slice_shown(*qualifier),
                          qualifier->text, words);
    return cairn_fail(finder->error, CAIRN_E_NOT_FOUND, "no function '%.*s' in %s%s",
                      cairn_slice_shown(name), name.text, objects, words);
}

cairn_status cairn_find_no_line(const struct cairn_finder *finder,
                                const struct cairn_line_search *search)
{
    const struct cairn_slice source = {search->source, search->length};
    char words[256], objects[200];

    list_objects(finder, objects, sizeof objects);
    if (!search->has_debug)
        return cairn_fail(finder->error, CAIRN_E_NOT_FOUND,
                          "'%.*s:%u' cannot be looked up: no debug information (-g) in %s",
                          cairn_slice_shown(source), source.text, search->line, objects);
    cairn_near_text(&search->near, words, sizeof words);
    if (!search->has_source)
        return cairn_fail(finder->error, CAIRN_E_NOT_FOUND,
                          "no source file '%.*s' in the debug information of %s%s",
                          cairn_slice_shown(source), source.text, objects, words);
    return cairn_fail(finder->error, CAIRN_E_NOT_FOUND,
                      "%.*s has no code at line %u or behind it: its last line with code is %u",
                      cairn_slice_shown(source), source.text, search->line, search->last);
}

cairn_status cairn_find_no_qualifier(const struct cairn_finder *finder,
                                     struct cairn_slice qualifier, struct cairn_slice name)
{
    char objects[200];

    list_objects(finder, objects, sizeof objects);
    return cairn_fail(finder->error, CAIRN_E_NOT_FOUND,
                      "no '%.*s' in '%.*s', which is none of the files that have names (%s), or a "
                      "source file of theirs",
                      cairn_slice_shown(name), name.text, cairn_slice_shown(qualifier),
                      qualifier.text, objects);
}

/* No name begins with a digit. */
cairn_status cairn_find_no_number(const struct cairn_finder *finder, struct cairn_slice piece)
{
    return cairn_fail(finder->error, CAIRN_E_ARGUMENT,
                      "'%.*s' is no number of 64 bits, decimal or 0x..., and no name begins with a "
                      "digit",
                      cairn_slice_shown(piece), piece.text);
}

cairn_status cairn_find_several(const struct cairn_finder *finder, struct cairn_slice piece,
                                const struct cairn_matches *found)
{
    char text[300];
    size_t length = 0;

    for (size_t i = 0; i < found->count && length < sizeof text; i++) {
        const struct cairn_found *const one = &found->list[i];

        if (i == CHOICES_MOST) {
            snprintf(text + length, sizeof text - length, " and %zu more", found->count - i);
            break;
        }
        length += (size_t)snprintf(
            text + length, sizeof text - length, "%s0x%llx %.40s (%.30s%s%.30s)", i ? ", " : "",
            (unsigned long long)one->first, one->function ? one->function : "",
            one->file ? base_of(one->file) : "", one->file ? ", " : "",
            one->path ? base_of(one->path) : "");
    }
    return cairn_fail(finder->error, CAIRN_E_ARGUMENT,
                      "'%.*s' is in %zu places, and an end is one: %s; say which by its address, "
                      "or as FILE:%.*s",
                      cairn_slice_shown(piece), piece.text, found->count, text,
                      cairn_slice_shown(piece), piece.text);
}
