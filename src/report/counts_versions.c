/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/counts_versions.h"

#include <stdlib.h>

#include "image/layer.h"
#include "report/counts_take.h"

struct piece {
    uint64_t first, last;
    const void *bytes; /* the same: the same memory, in another source or at another time */
};

static int by_place(const void *left, const void *right)
{
    const struct piece *const one = left, *const other = right;

    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    if (one->last != other->last)
        return one->last < other->last ? -1 : 1;
    return ((uintptr_t)one->bytes > (uintptr_t)other->bytes) -
           ((uintptr_t)one->bytes < (uintptr_t)other->bytes);
}

static size_t list_pieces(const struct cairn_layers *layers, struct piece *pieces)
{
    size_t count = 0;

    for (size_t i = 0; i < layers->count; i++) {
        const struct cairn_layer *const layer = &layers->list[i];

        if (!layer->is_elf)
            pieces[count++] = (struct piece){layer->address, layer->address + (layer->size - 1),
                                             layer->bytes ? (const void *)layer->bytes
                                                          : (const void *)layer->pages};
    }
    if (count)
        qsort(pieces, count, sizeof *pieces, by_place);
    return count;
}

static void add_stretch(struct cairn_counts_versions *versions, uint64_t first, uint64_t last)
{
    struct cairn_counts_stretch *const before =
        versions->count ? &versions->list[versions->count - 1] : NULL;

    first -= first % CAIRN_COUNTS_PAGE;
    last |= CAIRN_COUNTS_PAGE - 1;
    if (before && (first <= before->last || first - before->last == 1))
        before->last = last > before->last ? last : before->last;
    else
        versions->list[versions->count++] = (struct cairn_counts_stretch){first, last};
}

cairn_status cairn_counts_versions_make(struct cairn_counts_versions *versions,
                                        const struct cairn_image *image)
{
    const struct cairn_layers *const layers = cairn_image_layers(image);
    struct piece *const pieces = malloc((layers->count + 1) * sizeof *pieces);

    versions->list = malloc((layers->count + 1) * sizeof *versions->list);
    if (!pieces || !versions->list) {
        free(pieces);
        return CAIRN_E_MEMORY;
    }
    const size_t count = list_pieces(layers, pieces);
    uint64_t reach = 0; /* the last address of those before */
    for (size_t i = 0; i < count; i++) {
        const struct piece *const one = &pieces[i];

        if (i && by_place(one - 1, one) == 0)
            continue;
        if (i && one->first <= reach)
            add_stretch(versions, one->first, one->last < reach ? one->last : reach);
        reach = one->last > reach ? one->last : reach;
    }
    free(pieces);
    versions->is_made = true;
    return CAIRN_OK;
}

bool cairn_counts_versions_any(const struct cairn_counts_versions *versions, uint64_t address,
                               uint64_t size)
{
    const uint64_t last = address + (size - 1);
    size_t from = 0, until = versions->count;

    /* the first that ends at the address or behind */
    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (versions->list[middle].last < address)
            from = middle + 1;
        else
            until = middle;
    }
    return from < versions->count && versions->list[from].first <= last;
}

uint64_t cairn_counts_versions_place(const struct cairn_image *image,
                                     const struct cairn_window *window)
{
    const struct cairn_layer *const layer = &cairn_image_layers(image)->list[window->layer];

    return layer->file ? cairn_layer_place(layer) : window->layer;
}

void cairn_counts_versions_clear(struct cairn_counts_versions *versions)
{
    free(versions->list);
    *versions = (struct cairn_counts_versions){0};
}
