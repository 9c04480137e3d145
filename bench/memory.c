/* SPDX-License-Identifier: BSD-2-Clause */
#include "load.h"

#include <stdlib.h>
#include <string.h>

enum {
    MANY = 64,        /* layers: fewer are left alone */
    APART = 64 << 10, /* bytes: pieces nearer to each other become one, with zeros between */
};

struct piece {
    uint64_t address;
    uint64_t size;
};

static int by_address(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static bool is_plain(const struct cairn_layer_info *layer)
{
    const struct cairn_scope any = cairn_scope_any();

    return layer->order == CAIRN_ORDER_LITTLE && layer->scope.source == any.source &&
           layer->scope.el_mask == any.el_mask && layer->scope.security_mask == any.security_mask &&
           layer->scope.any_vmid && layer->scope.any_context_id && layer->scope.epoch_from == 0 &&
           (layer->scope.epoch_to == 0 || layer->scope.epoch_to == UINT64_MAX);
}

/* NULL: some layer is not for everybody and always. */
static struct piece *pieces_of(const struct cairn_image *image, size_t count)
{
    struct piece *pieces = calloc(count, sizeof *pieces);
    struct cairn_layer_info layer = {.size = sizeof layer};

    bench_must(pieces ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "memory");
    for (size_t i = 0; i < count; i++) {
        bench_must(cairn_image_layer(image, i, &layer), NULL, "memory");
        if (!is_plain(&layer)) {
            free(pieces);
            return NULL;
        }
        pieces[i] = (struct piece){.address = layer.address, .size = layer.bytes};
    }
    qsort(pieces, count, sizeof *pieces, by_address);
    return pieces;
}

static void copy(const struct cairn_space *space, const struct piece *piece, uint64_t base,
                 uint8_t *bytes)
{
    struct cairn_window window;
    uint64_t at = piece->address;

    while (at < piece->address + piece->size && cairn_space_window(space, at, &window)) {
        const uint64_t skip = at - window.address;
        uint64_t size = window.size - skip;

        if (size > piece->address + piece->size - at)
            size = piece->address + piece->size - at;
        memcpy(bytes + (at - base), window.bytes + skip, (size_t)size);
        at += size;
    }
}

/* Pieces [from, to) as one layer of `merged`. */
static void add(struct cairn_image *merged, const struct cairn_space *space,
                const struct piece *pieces, size_t from, size_t to, uint64_t end)
{
    const uint64_t base = pieces[from].address;
    struct cairn_error error = {0};
    const size_t size = (size_t)(end - base);
    uint8_t *bytes = calloc(1, size);

    bench_must(bytes ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "memory");
    for (size_t i = from; i < to; i++)
        copy(space, &pieces[i], base, bytes);
    bench_must(cairn_image_add_bytes(merged, "memory", NULL, CAIRN_ORDER_LITTLE, base, bytes, size,
                                     &error),
               &error, "memory");
    free(bytes);
}

struct cairn_image *bench_merged(struct cairn_image *image)
{
    const struct cairn_place place = {.EL = 1, .security = CAIRN_NONSECURE};
    const size_t count = cairn_image_layer_count(image);
    struct piece *pieces = count > MANY ? pieces_of(image, count) : NULL;
    struct cairn_image *merged = NULL;
    struct cairn_space *space = NULL;
    size_t from = 0;
    uint64_t end = 0;

    if (!pieces)
        return cairn_image_ref(image);
    bench_must(cairn_image_new(&merged), NULL, "memory");
    bench_must(cairn_space_new(image, &space), NULL, "memory");
    bench_must(cairn_space_select(space, &place), NULL, "memory");
    for (size_t i = 0; i < count; i++) {
        if (i > from && pieces[i].address > end + APART) {
            add(merged, space, pieces, from, i, end);
            from = i;
            end = 0;
        }
        if (end < pieces[i].address + pieces[i].size)
            end = pieces[i].address + pieces[i].size;
    }
    add(merged, space, pieces, from, count, end);
    cairn_space_free(space);
    free(pieces);
    return merged;
}
