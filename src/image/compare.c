/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/compare.h"

#include "image/elf.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 4096u /* compared at once */

bool cairn_layer_bytes(const struct cairn_layer *layer, struct cairn_bytes *bytes)
{
    if (!layer->bytes)
        return false;
    *bytes = (struct cairn_bytes){layer->address, layer->size, layer->bytes};
    return true;
}

const uint8_t *cairn_bytes_at(const struct cairn_bytes *bytes, uint64_t address, uint64_t *left)
{
    const uint64_t offset = address - bytes->address;

    if (offset >= bytes->size)
        return NULL;
    *left = bytes->size - offset;
    return bytes->bytes + offset;
}

static int by_address(const void *one, const void *other, void *context)
{
    const struct cairn_layers *const layers = context;
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    const uint64_t first = layers->list[a].address, second = layers->list[b].address;

    return first != second ? (first > second) - (first < second) : (a > b) - (a < b);
}

cairn_status cairn_layer_index_make(struct cairn_layer_index *index,
                                    const struct cairn_layers *layers, size_t count)
{
    *index = (struct cairn_layer_index){.layers = layers};
    index->order = calloc(count + 1, sizeof *index->order);
    if (!index->order)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < count; i++) {
        if (!layers->list[i].bytes)
            continue;
        index->order[index->count++] = (uint32_t)i;
        if (layers->list[i].size > index->longest)
            index->longest = layers->list[i].size;
    }
    qsort_r(index->order, index->count, sizeof *index->order, by_address,
            (void *)(uintptr_t)layers);
    return CAIRN_OK;
}

void cairn_layer_index_clear(struct cairn_layer_index *index)
{
    free(index->order);
    *index = (struct cairn_layer_index){.count = 0};
}

/* The first one that is long enough to reach the address, if it is as long as the longest. */
static size_t first_near(const struct cairn_layer_index *index, uint64_t address)
{
    const uint64_t from = address >= index->longest ? address - index->longest + 1 : 0;
    size_t low = 0, high = index->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (index->layers->list[index->order[middle]].address < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool cairn_layer_index_next(const struct cairn_layer_index *index, uint64_t address, size_t *at,
                            size_t *layer)
{
    for (size_t i = *at ? *at : first_near(index, address); i < index->count; i++) {
        const struct cairn_layer *const one = &index->layers->list[index->order[i]];

        if (one->address > address)
            return false;
        if (address - one->address >= one->size)
            continue;
        *layer = index->order[i];
        *at = i + 1;
        return true;
    }
    return false;
}

static uint64_t last_of(const struct cairn_bytes *bytes)
{
    return bytes->address + (bytes->size - 1);
}

/* Whether the unit that begins at or contains `at` differs, as far as both have it; *next is behind it. */
static bool unit_differs(const uint8_t *one, const uint8_t *other, uint64_t at, uint64_t size,
                         uint64_t address, unsigned unit, uint64_t *next)
{
    const uint64_t rest = unit - (address + at) % unit;

    *next = size - at < rest ? size : at + rest;
    return memcmp(one + at, other + at, (size_t)(*next - at)) != 0;
}

uint64_t cairn_bytes_compare(const struct cairn_bytes *one, const struct cairn_bytes *other,
                             unsigned unit, cairn_differs *differs, void *context)
{
    const uint64_t first = one->address > other->address ? one->address : other->address;
    const uint64_t one_last = last_of(one), other_last = last_of(other);
    const uint64_t last = one_last < other_last ? one_last : other_last;
    uint64_t begin = 0, at = 0, next;
    bool open = false;

    if (first > last)
        return 0;
    const uint8_t *const a = one->bytes + (first - one->address);
    const uint8_t *const b = other->bytes + (first - other->address);
    const uint64_t size = last - first + 1;

    if (a == b) /* one file used twice */
        return size;
    while (at < size) {
        if (!open && (first + at) % unit == 0 && size - at >= CHUNK &&
            !memcmp(a + at, b + at, CHUNK)) {
            at += CHUNK;
            continue;
        }
        const bool differ = unit_differs(a, b, at, size, first, unit, &next);

        if (differ && !open)
            begin = at;
        else if (!differ && open && !differs(context, first + begin, at - begin))
            return size;
        open = differ;
        at = next;
    }
    if (open)
        (void)differs(context, first + begin, size - begin);
    return size;
}

/* --- an ELF file as raw bytes --- */

/* Whether the bytes have the section headers that the ELF header tells of: what is loaded has not. A layer may be a part
 * of its file, without them. */
static bool has_sections(const struct cairn_layer *layer)
{
    const bool is_begin = layer->file && layer->bytes == layer->file->data;
    struct cairn_file part = {.data = layer->bytes,
                              .identity.size = is_begin ? layer->file->identity.size : layer->size};
    struct Elf *const elf = cairn_elf_begin(&part);
    Elf_Scn *section = NULL;
    size_t names = 0, count = 0;
    bool right = elf && elf_getshdrnum(elf, &count) == 0 && count > 1 &&
                 elf_getshdrstrndx(elf, &names) == 0 && names > 0;

    while (right && (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr shdr;
        const char *name =
            gelf_getshdr(section, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

        right = name != NULL;
    }
    elf_end(elf);
    return right;
}

bool cairn_layer_is_raw_elf(const struct cairn_layer *layer, struct cairn_raw_elf *raw)
{
    struct cairn_segments segments = {0};
    const struct cairn_segment *code = NULL; /* the first that is executed */
    struct cairn_file part = {.data = layer->bytes, .identity.size = layer->size};

    if (layer->is_elf || !layer->bytes || layer->size < SELFMAG ||
        memcmp(layer->bytes, ELFMAG, SELFMAG) != 0 ||
        cairn_elf_segments(&part, layer->name, &segments, NULL))
        return false;
    for (size_t i = 0; i < segments.count && !code; i++)
        if (segments.list[i].executable && !segments.list[i].is_zeros)
            code = &segments.list[i];
    if (code)
        *raw = (struct cairn_raw_elf){.code = code->address, .at = layer->address + code->offset};
    raw->misplaced = code && segments.is_fixed && raw->at != raw->code;
    const bool has_code = code && code->offset < layer->size;
    cairn_segments_clear(&segments);
    return has_code && has_sections(layer);
}
