/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session/differences.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#define ITEMS_MOST ((size_t)1 << 18)
#define ITEMS_FIRST 64
#define WORD 4u
#define HALF_WORD 2u
#define T32_FIRST_OF_TWO 0xe800u

const uint8_t *cli_differences_layer_at(const struct cli_differences *differences, size_t layer,
                                        uint64_t address, uint64_t *left)
{
    struct cairn_bytes bytes;

    return cairn_layer_bytes(&differences->layers->list[layer], &bytes)
               ? cairn_bytes_at(&bytes, address, left)
               : NULL;
}

const uint8_t *cli_differences_file_at(const struct cli_differences *differences,
                                       const struct cli_compared *file, uint64_t address,
                                       uint64_t *left)
{
    const uint8_t *found = NULL;

    for (size_t i = 0; i < file->image->count && !found; i++)
        found = cli_differences_layer_at(differences, file->image->first + i, address, left);
    return found;
}

/* A comparison of two layers. */
struct comparing {
    struct cli_differences *differences;
    struct cli_compared *file;
    struct cairn_bytes own;
    size_t layer; /* the other */
    unsigned unit;
    bool no_memory;
};

static bool add(struct comparing *comparing, uint64_t address, uint64_t size)
{
    struct cli_compared *file = comparing->file;

    if (file->count == file->capacity) {
        const size_t capacity = file->capacity ? 2 * file->capacity : ITEMS_FIRST;
        struct cli_difference *items =
            file->count < ITEMS_MOST ? realloc(file->items, capacity * sizeof *items) : NULL;

        if (!items) {
            comparing->no_memory = file->count < ITEMS_MOST;
            return false;
        }
        file->items = items;
        file->capacity = capacity;
    }
    file->items[file->count++] = (struct cli_difference){.first = address,
                                                         .last = address + (size - 1),
                                                         .layer = comparing->layer,
                                                         .bit = file->bits};
    file->bits += (size_t)(size / HALF_WORD + 1);
    file->bytes += size;
    file->longest = size > file->longest ? size : file->longest;
    return true;
}

/* Whether another time's memory of a recording has the file's bytes: code that changed. */
static bool was_recorded_too(const struct comparing *comparing, uint64_t address, uint64_t size)
{
    const struct cli_differences *differences = comparing->differences;
    uint64_t left;
    const uint8_t *own = cairn_bytes_at(&comparing->own, address, &left);
    size_t at = 0, layer;

    while (cairn_layer_index_next(&differences->own, address, &at, &layer)) {
        const uint8_t *other = cli_differences_layer_at(differences, layer, address, &left);

        if (other && left >= size && !memcmp(own, other, (size_t)size))
            return true;
    }
    return false;
}

/* Whether the capture itself has these addresses. */
static bool is_captures(const struct comparing *comparing, uint64_t address)
{
    size_t at = 0, layer;

    return cairn_layer_index_next(&comparing->differences->own, address, &at, &layer);
}

/* Zeros fill the holes between what a recording has: they were not executed. */
static bool is_hole(const struct comparing *comparing, uint64_t address, uint64_t size)
{
    uint64_t left;
    const uint8_t *bytes =
        cli_differences_layer_at(comparing->differences, comparing->layer, address, &left);

    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size == 0;
}

/* Whether a difference from the other layer says nothing. Of two files that were given the capture's
 * own memory tells which is right, where it has any. */
static bool is_settled(const struct comparing *comparing, uint64_t address, uint64_t size)
{
    if (comparing->layer >= comparing->differences->session->own_layers)
        return is_captures(comparing, address);
    return is_hole(comparing, address, size) || was_recorded_too(comparing, address, size);
}

static bool take(void *context, uint64_t address, uint64_t size)
{
    struct comparing *comparing = context;
    const uint64_t end = address + (size - 1);
    uint64_t begin = address;

    if (!comparing->differences->session->recorded &&
        comparing->layer < comparing->differences->session->own_layers)
        return add(comparing, address, size);
    /* unit by unit: some may be settled */
    for (uint64_t at = address; at <= end && end - at < size; at += comparing->unit) {
        const uint64_t here = end - at + 1 < comparing->unit ? end - at + 1 : comparing->unit;

        if (!is_settled(comparing, at, here))
            continue;
        if (at > begin && !add(comparing, begin, at - begin))
            return false;
        begin = at + here;
    }
    return begin > end || add(comparing, begin, end - begin + 1);
}

/* Memory that several cores or spaces share is a layer for each of them. */
static bool seen_before(const struct cairn_layers *layers, size_t index)
{
    const struct cairn_layer *layer = &layers->list[index];

    for (size_t i = 0; i < index; i++)
        if (layers->list[i].bytes == layer->bytes && layers->list[i].address == layer->address &&
            layers->list[i].size == layer->size)
            return true;
    return false;
}

static bool compare_layer(struct comparing *comparing, size_t own)
{
    const struct cairn_layers *layers = comparing->differences->layers;
    const struct cairn_layer *layer = &layers->list[own];
    struct cairn_bytes other;

    if ((layer->is_elf && !layer->executable) || !cairn_layer_bytes(layer, &comparing->own))
        return true;
    comparing->unit = layer->is_elf && layer->file->data[EI_CLASS] == ELFCLASS64 ? WORD : HALF_WORD;
    for (size_t i = 0; i < comparing->file->image->first && !comparing->no_memory; i++) {
        comparing->layer = i;
        if ((!layers->list[i].is_elf || layers->list[i].executable) &&
            cairn_layer_bytes(&layers->list[i], &other) &&
            other.address <= layer->address + (layer->size - 1) &&
            layer->address <= other.address + (other.size - 1) && !seen_before(layers, i))
            cairn_bytes_compare(&comparing->own, &other, comparing->unit, take, comparing);
    }
    return !comparing->no_memory;
}

static int by_address(const void *one, const void *other)
{
    const struct cli_difference *a = one, *b = other;

    return a->first < b->first ? -1 : a->first > b->first;
}

static bool compare(struct cli_differences *differences, struct cli_compared *file)
{
    struct comparing comparing = {.differences = differences, .file = file};

    for (size_t i = 0; i < file->image->count; i++)
        if (!compare_layer(&comparing, file->image->first + i))
            return false;
    if (file->count)
        qsort(file->items, file->count, sizeof *file->items, by_address);
    file->ran = calloc(file->bits / 8 + 1, 1);
    return file->ran != NULL;
}

bool cli_differences_find(struct cli_differences *differences, const struct cli_session *session)
{
    *differences = (struct cli_differences){
        .session = session,
        .layers = cairn_image_layers(cairn_capture_image(session->capture)),
        .count = session->image_count,
    };
    differences->files = calloc(differences->count + 1, sizeof *differences->files);
    if (!differences->files || cairn_layer_index_make(&differences->own, differences->layers,
                                                      session->own_layers) != CAIRN_OK)
        return false;
    for (size_t i = 0; i < differences->count; i++) {
        differences->files[i].image = &session->images[i];
        if (!compare(differences, &differences->files[i]))
            return false;
    }
    return true;
}

void cli_differences_free(struct cli_differences *differences)
{
    for (size_t i = 0; differences->files && i < differences->count; i++) {
        free(differences->files[i].items);
        free(differences->files[i].ran);
    }
    free(differences->files);
    cairn_layer_index_clear(&differences->own);
    *differences = (struct cli_differences){0};
}

/* --- what was executed --- */

/* Bytes of the instruction, as it was followed. */
static unsigned size_at(const struct cli_differences *differences, const struct cli_compared *file,
                        const struct cli_difference *item, enum cairn_isa isa, uint64_t address)
{
    uint64_t left = 0;
    const uint8_t *bytes;

    if (isa != CAIRN_ISA_T32)
        return WORD;
    bytes = differences->session->recorded
                ? cli_differences_layer_at(differences, item->layer, address, &left)
                : cli_differences_file_at(differences, file, address, &left);
    return bytes && left >= HALF_WORD && cairn_load_le16(bytes) >= T32_FIRST_OF_TWO ? WORD
                                                                                    : HALF_WORD;
}

/* An instruction of the block that differs. */
static void mark(struct cli_compared *file, const struct cli_difference *item, enum cairn_isa isa,
                 uint64_t address)
{
    const uint64_t where = address > item->first ? address : item->first;
    const size_t bit = item->bit + (size_t)((where - item->first) / HALF_WORD);

    if (file->ran[bit / 8] >> bit % 8 & 1)
        return;
    file->ran[bit / 8] |= (uint8_t)(1u << bit % 8);
    if (!file->differing++ || address < file->first) {
        file->first = address;
        file->isa = isa;
        file->layer = item->layer;
    }
}

static void mark_block(struct cli_differences *differences, struct cli_compared *file,
                       const struct cli_difference *item, enum cairn_isa isa, uint64_t address,
                       uint64_t end)
{
    uint64_t at = address;

    if (isa != CAIRN_ISA_T32 && item->first > address)
        at += (item->first - address) / WORD * WORD;
    while (at < end && at <= item->last) {
        const unsigned size = size_at(differences, file, item, isa, at);

        if (at + (size - 1) >= item->first)
            mark(file, item, isa, at);
        at += size;
    }
}

/* The first item that can reach `address`. */
static size_t first_item(const struct cli_compared *file, uint64_t address)
{
    const uint64_t from = address > file->longest ? address - file->longest : 0;
    size_t low = 0, high = file->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (file->items[middle].first < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has(const struct cli_differences *differences, const struct cli_compared *file,
                uint64_t address)
{
    const struct cairn_layer *layers = &differences->layers->list[file->image->first];

    for (size_t i = 0; i < file->image->count; i++)
        if (address - layers[i].address < layers[i].size)
            return true;
    return false;
}

void cli_differences_ran(struct cli_differences *differences, enum cairn_isa isa, uint64_t address,
                         uint64_t end, uint64_t instructions, uint64_t times)
{
    differences->executed += instructions * times;
    differences->executed_a64 += isa == CAIRN_ISA_A64 ? instructions * times : 0;
    for (size_t i = 0; i < differences->count && end > address; i++) {
        struct cli_compared *file = &differences->files[i];

        if (has(differences, file, address)) {
            file->served += instructions * times;
            *(isa == CAIRN_ISA_A64 ? &file->a64 : &file->a32) += instructions * times;
        }
        for (size_t at = first_item(file, address); at < file->count && file->items[at].first < end;
             at++)
            if (file->items[at].last >= address)
                mark_block(differences, file, &file->items[at], isa, address, end);
    }
}

static cairn_status add_counts(void *context, const struct cairn_dictionary *dictionary,
                               const uint64_t *counts, size_t count)
{
    size_t block_count;
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &block_count);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &block_count);
    const struct cairn_code_block *blocks = cairn_dictionary_blocks(dictionary, &block_count);
    uint64_t *times = calloc(block_count + 1, sizeof *times);

    if (!times)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < count; i++)
        for (uint32_t j = 0; counts[i] && j < paths[i].steps; j++)
            times[steps[paths[i].first + j] >> 1] += counts[i];
    for (size_t i = 0; i < block_count; i++)
        if (times[i] && blocks[i].instructions)
            cli_differences_ran(context, (enum cairn_isa)blocks[i].isa, blocks[i].address,
                                blocks[i].end, blocks[i].instructions, times[i]);
    free(times);
    return CAIRN_OK;
}

static cairn_status add_events(void *context, const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            cli_differences_ran(context, (enum cairn_isa)batch->isa[i], batch->address[i],
                                batch->value[i], batch->instructions[i], 1);
    return CAIRN_OK;
}

struct cairn_consumer cli_differences_consumer(struct cli_differences *differences)
{
    return (struct cairn_consumer){
        .size = sizeof(struct cairn_consumer),
        .context = differences,
        .events = add_events,
        .dictionary_ends = add_counts,
    };
}

const char *cli_differences_other(struct cli_differences *differences, size_t layer)
{
    const struct cairn_layer *other = &differences->layers->list[layer];

    if (layer >= differences->session->own_layers)
        snprintf(differences->other, sizeof differences->other, "%s", other->name);
    else if (differences->session->recorded)
        snprintf(differences->other, sizeof differences->other, "what was recorded");
    else if (other->origin)
        snprintf(differences->other, sizeof differences->other, "%s (%s)", other->origin,
                 other->name);
    else
        snprintf(differences->other, sizeof differences->other, "%s", other->name);
    return differences->other;
}
