/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/snapshot/verify.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "image/compare.h"
#include "image/elf.h"
#include "image/names.h"

#define WORD 4u
#define HALF_WORD 2u
/* A file of which so much differs is another one: no more is counted. */
#define ENOUGH 4096u
/* Nor is more looked at that may be another module's. */
#define LOOKED_MOST (UINT64_C(1) << 20)

/* A module, with its file as it is loaded. */
struct loaded {
    struct cairn_module_info *info;
    struct cairn_file *file; /* NULL: nothing is known of its bytes */
    struct cairn_segments segments;
};

struct verifying {
    const struct cairn_layers *layers;
    struct cairn_layer_index index;
    struct loaded *modules;
    size_t count;
    struct loaded *module;           /* that is being compared, */
    struct cairn_bytes own;          /* a segment of it, */
    const struct cairn_layer *layer; /* and with what */
    unsigned unit;
    uint64_t looked; /* units that differ from it */
};

static void load(struct loaded *module)
{
    const struct cairn_module_info *info = module->info;
    const char *const path = info->code ? info->code : info->file;

    if (info->state != CAIRN_MODULE_USED || !path || cairn_file_open(path, &module->file, NULL))
        return;
    if (cairn_elf_segments(module->file, path, &module->segments, NULL)) {
        cairn_file_close(module->file);
        module->file = NULL;
    }
}

/* The bytes of a segment that can be executed, where they are in memory. */
static bool segment_bytes(const struct loaded *module, size_t index, struct cairn_bytes *bytes)
{
    const struct cairn_segment *segment = &module->segments.list[index];
    const uint64_t address = segment->address + module->info->bias;

    if (segment->is_zeros || !segment->executable || segment->size - 1 > UINT64_MAX - address)
        return false;
    *bytes = (struct cairn_bytes){address, segment->size, module->file->data + segment->offset};
    return true;
}

/* Whether the recording says that the module's code was at the address. */
static bool covers(const struct loaded *module, uint64_t address)
{
    const struct cairn_module_info *info = module->info;
    struct cairn_bytes bytes;
    uint64_t left;

    if (info->length)
        return address - info->address < info->length;
    for (size_t i = 0; module->file && i < module->segments.count; i++)
        if (segment_bytes(module, i, &bytes) && cairn_bytes_at(&bytes, address, &left))
            return true;
    return !module->file;
}

static bool has_these(const struct cairn_bytes *bytes, uint64_t address, const uint8_t *these,
                      unsigned size)
{
    uint64_t left;
    const uint8_t *own = cairn_bytes_at(bytes, address, &left);

    return own && left >= size && memcmp(own, these, size) == 0;
}

/* Modules come and go: what was recorded at the address may be another one's, of which nothing is
 * known any more or which has just this there. */
static bool is_anothers(const struct verifying *verifying, uint64_t address,
                        const uint8_t *recorded, unsigned size)
{
    struct cairn_bytes bytes;

    for (size_t i = 0; i < verifying->count; i++) {
        const struct loaded *other = &verifying->modules[i];

        if (other == verifying->module || !covers(other, address))
            continue;
        if (!other->file)
            return true;
        for (size_t j = 0; j < other->segments.count; j++)
            if (segment_bytes(other, j, &bytes) && has_these(&bytes, address, recorded, size))
                return true;
    }
    return false;
}

/* Code that changed while it ran was recorded more than once. */
static bool was_recorded_too(const struct verifying *verifying, uint64_t address,
                             const uint8_t *own, unsigned size)
{
    struct cairn_bytes bytes;
    size_t at = 0, layer;

    while (cairn_layer_index_next(&verifying->index, address, &at, &layer))
        if (!verifying->layers->list[layer].is_elf &&
            cairn_layer_bytes(&verifying->layers->list[layer], &bytes) &&
            has_these(&bytes, address, own, size))
            return true;
    return false;
}

static bool take_difference(void *context, uint64_t address, uint64_t size)
{
    static const uint8_t nothing[WORD];
    struct verifying *verifying = context;
    struct cairn_module_info *info = verifying->module->info;

    for (uint64_t at = 0; at + verifying->unit <= size; at += verifying->unit) {
        const uint64_t where = address + at;
        const uint8_t *recorded = verifying->layer->bytes + (where - verifying->layer->address);
        const uint8_t *own = verifying->own.bytes + (where - verifying->own.address);

        if (++verifying->looked > LOOKED_MOST)
            return false;
        /* Zeros fill the holes between what was executed. */
        if (!memcmp(recorded, nothing, verifying->unit) ||
            is_anothers(verifying, where, recorded, verifying->unit) ||
            was_recorded_too(verifying, where, own, verifying->unit))
            continue;
        if (!info->differing || where < info->differs_at)
            info->differs_at = where;
        if (++info->differing >= ENOUGH)
            return false;
    }
    return true;
}

/* Cuts the bytes to what was mapped for execution; false: nothing is left. */
static bool clip(const struct cairn_module_info *info, struct cairn_bytes *bytes)
{
    uint64_t skipped = 0;

    if (!info->length)
        return true;
    if (bytes->address < info->address)
        skipped = info->address - bytes->address;
    if (skipped >= bytes->size)
        return false;
    bytes->address += skipped;
    bytes->bytes += skipped;
    bytes->size -= skipped;
    if (bytes->address - info->address >= info->length)
        return false;
    const uint64_t room = info->length - (bytes->address - info->address);
    bytes->size = bytes->size < room ? bytes->size : room;
    return true;
}

static void compare(struct verifying *verifying)
{
    const struct cairn_module_info *info = verifying->module->info;

    verifying->unit = verifying->module->segments.machine == EM_AARCH64 ? WORD : HALF_WORD;
    for (size_t i = 0; i < verifying->module->segments.count; i++) {
        if (!segment_bytes(verifying->module, i, &verifying->own) || !clip(info, &verifying->own))
            continue;
        for (size_t j = 0; j < verifying->layers->count && info->differing < ENOUGH; j++) {
            struct cairn_bytes there;

            verifying->layer = &verifying->layers->list[j];
            if (!verifying->layer->is_elf && cairn_layer_bytes(verifying->layer, &there))
                cairn_bytes_compare(&verifying->own, &there, verifying->unit, take_difference,
                                    verifying);
        }
    }
}

cairn_status cairn_snapshot_verify(struct cairn_capture *capture)
{
    struct verifying verifying = {.layers = cairn_image_layers(capture->image),
                                  .count = capture->module_count};

    if (!verifying.count)
        return CAIRN_OK;
    verifying.modules = calloc(verifying.count + 1, sizeof *verifying.modules);
    if (!verifying.modules || cairn_layer_index_make(&verifying.index, verifying.layers,
                                                     verifying.layers->count) != CAIRN_OK) {
        free(verifying.modules);
        return CAIRN_E_MEMORY;
    }
    for (size_t i = 0; i < verifying.count; i++) {
        verifying.modules[i].info = &capture->modules[i];
        load(&verifying.modules[i]);
    }
    for (size_t i = 0; i < verifying.count; i++) {
        verifying.module = &verifying.modules[i];
        if (verifying.module->file)
            compare(&verifying);
    }
    for (size_t i = 0; i < verifying.count; i++) {
        struct loaded *module = &verifying.modules[i];

        if (module->info->differing && !module->info->build_id) {
            cairn_image_drop_names(capture->image, module->info->file, module->info->bias);
            module->info->state = CAIRN_MODULE_CHANGED;
            module->info->file = module->info->code = NULL;
        }
        cairn_segments_clear(&module->segments);
        cairn_file_close(module->file);
    }
    cairn_layer_index_clear(&verifying.index);
    free(verifying.modules);
    return CAIRN_OK;
}
