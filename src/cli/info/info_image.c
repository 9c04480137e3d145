/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/info/info_image.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXTS_MAX 64

struct piece {
    struct cairn_layer_info layer;
    size_t index;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By file, and of one file by address: layers of the same memory side by side. */
static int compare_pieces(const void *one, const void *other)
{
    const struct piece *a = one, *b = other;
    int result = strcmp(a->layer.name, b->layer.name);

    if (!result)
        result = compare_numbers(a->layer.address, b->layer.address);
    if (!result)
        result = compare_numbers(a->layer.bytes, b->layer.bytes);
    return result ? result : compare_numbers(a->index, b->index);
}

static bool is_passing(const struct cairn_scope *scope)
{
    return scope->epoch_to && scope->epoch_to != UINT64_MAX;
}

static bool same_context(const struct cairn_scope *a, const struct cairn_scope *b)
{
    return a->source == b->source && a->el_mask == b->el_mask &&
           a->security_mask == b->security_mask && a->any_vmid == b->any_vmid &&
           a->any_context_id == b->any_context_id && a->vmid == b->vmid &&
           a->context_id == b->context_id;
}

/* How many different contexts the layers of one piece of memory are for, as far as anybody counts. */
static size_t count_contexts(const struct piece *pieces, size_t count)
{
    const struct cairn_scope *seen[CONTEXTS_MAX];
    size_t contexts = 0;

    for (size_t i = 0; i < count && contexts < CONTEXTS_MAX; i++) {
        size_t known = 0;
        while (known < contexts && !same_context(seen[known], &pieces[i].layer.scope))
            known++;
        if (known == contexts)
            seen[contexts++] = &pieces[i].layer.scope;
    }
    return contexts;
}

/* Layers of the same memory from `first` on. */
static size_t same_memory(const struct piece *pieces, size_t first, size_t count)
{
    size_t same = 1;

    while (first + same < count &&
           !strcmp(pieces[first].layer.name, pieces[first + same].layer.name) &&
           pieces[first].layer.address == pieces[first + same].layer.address &&
           pieces[first].layer.bytes == pieces[first + same].layer.bytes)
        same++;
    return same;
}

/* Takes the pieces of one file from `first` on; returns how many layers they were. */
static size_t take_file(const struct piece *pieces, size_t first, size_t count,
                        struct cli_image_file *file, size_t *order)
{
    size_t at = first, same;

    *file = (struct cli_image_file){.first = pieces[first].layer, .low = UINT64_MAX};
    *order = pieces[first].index;
    for (; at < count && !strcmp(pieces[at].layer.name, pieces[first].layer.name); at += same) {
        const struct cairn_layer_info *layer = &pieces[at].layer;
        same = same_memory(pieces, at, count);
        const size_t contexts = count_contexts(pieces + at, same);
        for (size_t i = at; i < at + same; i++) {
            file->passing += is_passing(&pieces[i].layer.scope);
            if (pieces[i].index < *order) {
                *order = pieces[i].index;
                file->first = pieces[i].layer;
            }
        }
        file->pieces++;
        file->bytes += layer->bytes;
        file->low = layer->address < file->low ? layer->address : file->low;
        if (layer->address + layer->bytes > file->high)
            file->high = layer->address + layer->bytes;
        file->scopes = contexts > file->scopes ? contexts : file->scopes;
    }
    return at - first;
}

static struct piece *pieces_of(const struct cairn_image *image, size_t *count)
{
    const size_t layers = cairn_image_layer_count(image);
    struct piece *pieces = calloc(layers + 1, sizeof *pieces);

    *count = 0;
    for (size_t i = 0; pieces && i < layers; i++) {
        struct piece *piece = &pieces[*count];
        piece->layer.size = sizeof piece->layer;
        piece->index = i;
        if (!cairn_image_layer(image, i, &piece->layer) && piece->layer.name)
            ++*count;
    }
    if (pieces)
        qsort(pieces, *count, sizeof *pieces, compare_pieces);
    return pieces;
}

struct ordered {
    struct cli_image_file file;
    size_t order;
};

static int compare_order(const void *one, const void *other)
{
    return compare_numbers(((const struct ordered *)one)->order,
                           ((const struct ordered *)other)->order);
}

bool cli_image_files(const struct cairn_image *image, struct cli_image_file **files, size_t *count)
{
    size_t pieces;
    struct piece *all = pieces_of(image, &pieces);
    struct ordered *ordered = calloc(pieces + 1, sizeof *ordered);

    *count = 0;
    *files = calloc(pieces + 1, sizeof **files);
    if (all && ordered && *files) {
        for (size_t at = 0; at < pieces; ++*count)
            at += take_file(all, at, pieces, &ordered[*count].file, &ordered[*count].order);
        qsort(ordered, *count, sizeof *ordered, compare_order);
        for (size_t i = 0; i < *count; i++)
            (*files)[i] = ordered[i].file;
    }
    const bool done = all && ordered && *files;
    free(all);
    free(ordered);
    return done;
}
