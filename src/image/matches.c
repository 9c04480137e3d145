/* SPDX-License-Identifier: BSD-2-Clause */
/* The places that were found: a list that owns its texts. */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "image/find.h"

static void clear(struct cairn_found *found)
{
    free(found->path);
    free(found->function);
    free(found->file);
}

static bool copy_text(char **text)
{
    if (!*text)
        return true;
    *text = strdup(*text);
    return *text != NULL;
}

static bool grow(struct cairn_matches *matches)
{
    const size_t wanted = matches->capacity ? 2 * matches->capacity : 16;

    if (matches->count < matches->capacity)
        return true;
    struct cairn_found *const list = reallocarray(matches->list, wanted, sizeof *list);
    if (!list)
        return false;
    matches->list = list;
    matches->capacity = wanted;
    return true;
}

cairn_status cairn_matches_add(struct cairn_matches *matches, const struct cairn_found *found)
{
    struct cairn_found made = *found;

    if (matches->count >= CAIRN_MATCHES_MOST)
        return CAIRN_E_LIMIT;
    if (made.object)
        made.path = (char *)(uintptr_t)made.object->path;
    if (!grow(matches))
        return CAIRN_E_MEMORY;
    const bool path = copy_text(&made.path);
    const bool function = copy_text(&made.function);
    const bool file = copy_text(&made.file);
    if (!path || !function || !file) {
        clear(&made);
        return CAIRN_E_MEMORY;
    }
    matches->list[matches->count++] = made;
    return CAIRN_OK;
}

void cairn_matches_cut(struct cairn_matches *matches, size_t count)
{
    while (matches->count > count)
        clear(&matches->list[--matches->count]);
}

void cairn_matches_keep(struct cairn_matches *matches,
                        bool (*keep)(const struct cairn_found *found, void *context), void *context)
{
    size_t kept = 0;

    for (size_t i = 0; i < matches->count; i++) {
        if (keep(&matches->list[i], context))
            matches->list[kept++] = matches->list[i];
        else
            clear(&matches->list[i]);
    }
    matches->count = kept;
}

void cairn_matches_free(struct cairn_matches *matches)
{
    if (!matches)
        return;
    cairn_matches_cut(matches, 0);
    free(matches->list);
    free(matches);
}

size_t cairn_matches_count(const struct cairn_matches *matches)
{
    return matches ? matches->count : 0;
}

cairn_status cairn_matches_at(const struct cairn_matches *matches, size_t index,
                              struct cairn_match *match)
{
    struct cairn_match made;

    if (!matches || !match)
        return CAIRN_E_ARGUMENT;
    if (index >= matches->count)
        return CAIRN_E_NOT_FOUND;
    const struct cairn_found *const found = &matches->list[index];
    memset(&made, 0, sizeof made); /* what is between the members is the caller's to see, too */
    made.first = found->first;
    made.last = found->last;
    made.kind = found->kind;
    made.is_entry = found->is_entry;
    made.chooses = found->chooses;
    made.object = found->path;
    made.function = found->function;
    made.file = found->file;
    made.line = found->line;
    return cairn_info_write(match, &made, sizeof made);
}
