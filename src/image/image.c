/* SPDX-License-Identifier: BSD-2-Clause */
#include <cairn/image.h>

#include "base/error.h"
#include "base/golden.h"
#include "base/sizes.h"
#include "image/elf.h"
#include "image/file.h"
#include "image/groups.h"
#include "image/names.h"
#include "image/symbol.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct cairn_image {
    atomic_size_t references;
    struct cairn_layers layers;
    size_t layer_capacity;
    struct cairn_image_groups groups;
    struct cairn_names_list names;
    struct cairn_folders folders;
    struct cairn_file **files;
    size_t file_count;
    size_t file_capacity;
    uint32_t *places;   /* a hash table: 1 + an index of `files`, or 0 */
    size_t place_count; /* 0 or a power of two, at least twice file_count */
};

/* Layers are counted in 32 bits (struct cairn_interval). */
#define LAYERS_MAX (UINT32_MAX - 1)

cairn_status cairn_image_new(struct cairn_image **image)
{
    if (!image)
        return CAIRN_E_ARGUMENT;
    struct cairn_image *const made = calloc(1, sizeof *made);
    if (!made || pthread_mutex_init(&made->groups.lock, NULL) != 0) {
        free(made);
        return CAIRN_E_MEMORY;
    }
    atomic_init(&made->references, 1);
    *image = made;
    return CAIRN_OK;
}

struct cairn_image *cairn_image_ref(struct cairn_image *image)
{
    if (image)
        atomic_fetch_add_explicit(&image->references, 1, memory_order_relaxed);
    return image;
}

void cairn_image_unref(struct cairn_image *image)
{
    if (!image || atomic_fetch_sub_explicit(&image->references, 1, memory_order_acq_rel) != 1)
        return;
    cairn_groups_forget(&image->groups);
    pthread_mutex_destroy(&image->groups.lock);
    for (size_t i = 0; i < image->layers.count; i++)
        cairn_layer_clear(&image->layers.list[i]);
    cairn_names_clear(&image->names);
    for (size_t i = 0; i < image->file_count; i++)
        cairn_file_close(image->files[i]);
    for (size_t i = 0; i < image->folders.count; i++)
        free((void *)(uintptr_t)image->folders.list[i]);
    free((void *)(uintptr_t)image->folders.list);
    free(image->layers.list);
    free(image->files);
    free(image->places);
    free(image);
}

const struct cairn_layers *cairn_image_layers(const struct cairn_image *image)
{
    return &image->layers;
}

struct cairn_image_groups *cairn_image_groups(struct cairn_image *image)
{
    return &image->groups;
}

const struct cairn_names_list *cairn_image_names(const struct cairn_image *image)
{
    return &image->names;
}

/* Makes room for `more` elements of `element` bytes behind `count` ones. */
static bool reserve(void **list, size_t *capacity, size_t count, size_t more, size_t element)
{
    if (more <= *capacity - count)
        return true;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    while (wanted - count < more)
        wanted *= 2;
    void *const grown = reallocarray(*list, wanted, element);
    if (!grown)
        return false;
    *list = grown;
    *capacity = wanted;
    return true;
}

static bool reserve_layers(struct cairn_image *image, size_t more)
{
    const size_t count = image->layers.count;
    if (more > LAYERS_MAX - count)
        return false;
    void *list = image->layers.list;
    const bool done =
        reserve(&list, &image->layer_capacity, count, more, sizeof *image->layers.list);
    image->layers.list = list;
    return done;
}

/* The layer's name and scope; room for it was reserved. */
static cairn_status append(struct cairn_image *image, struct cairn_layer layer, const char *name,
                           const struct cairn_scope *scope)
{
    layer.name = strdup(name);
    if (!layer.name)
        return CAIRN_E_MEMORY;
    layer.scope = scope ? *scope : cairn_scope_any();
    image->layers.elf_count += layer.is_elf;
    image->layers.list[image->layers.count++] = layer;
    return CAIRN_OK;
}

void cairn_image_drop_layers(struct cairn_image *image, size_t count)
{
    cairn_groups_forget(&image->groups);
    while (image->layers.count > count) {
        struct cairn_layer *const last = &image->layers.list[--image->layers.count];
        image->layers.elf_count -= last->is_elf;
        cairn_layer_clear(last);
    }
}

void cairn_image_set_precedence(struct cairn_image *image, size_t first,
                                enum cairn_precedence precedence)
{
    cairn_groups_forget(&image->groups);
    for (size_t i = first; i < image->layers.count; i++)
        image->layers.list[i].precedence = precedence;
}

cairn_status cairn_image_set_origin(struct cairn_image *image, size_t first, const char *origin)
{
    for (size_t i = first; i < image->layers.count; i++) {
        char *const copy = strdup(origin);
        if (!copy)
            return CAIRN_E_MEMORY;
        free(image->layers.list[i].origin);
        image->layers.list[i].origin = copy;
    }
    return CAIRN_OK;
}

void cairn_image_set_place(struct cairn_image *image, uint64_t place)
{
    image->layers.list[image->layers.count - 1].place = place;
}

static cairn_status check_scope(const char *name, const struct cairn_scope *scope,
                                struct cairn_error *error)
{
    const char *const problem = scope ? cairn_scope_problem(scope) : NULL;
    if (problem)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: this scope matches nothing: %s", name,
                          problem);
    return CAIRN_OK;
}

static cairn_status check_order(const char *name, enum cairn_order order, struct cairn_error *error)
{
    switch (order) {
    case CAIRN_ORDER_LITTLE:
    case CAIRN_ORDER_BE8:
    case CAIRN_ORDER_BE32: return CAIRN_OK;
    }
    return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: byte order %d does not exist", name,
                      (int)order);
}

static cairn_status check_range(const char *name, uint64_t address, uint64_t size,
                                struct cairn_error *error)
{
    if (size == 0)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: a layer needs at least one byte", name);
    if (size - 1 > UINT64_MAX - address)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "%s: %llu bytes from address 0x%llx do not fit below 2^64", name,
                          (unsigned long long)size, (unsigned long long)address);
    return CAIRN_OK;
}

static cairn_status fail_memory(const char *name, struct cairn_error *error)
{
    return cairn_fail(error, CAIRN_E_MEMORY, "%s: out of memory", name);
}

static cairn_status check_layer(const char *name, const struct cairn_scope *scope,
                                enum cairn_order order, uint64_t address, uint64_t size,
                                struct cairn_error *error)
{
    cairn_status status = check_range(name, address, size, error);

    if (!status)
        status = check_scope(name, scope, error);
    if (!status)
        status = check_order(name, order, error);
    return status;
}

cairn_status cairn_image_add_bytes(struct cairn_image *image, const char *name,
                                   const struct cairn_scope *scope, enum cairn_order order,
                                   uint64_t address, const void *bytes, size_t size,
                                   struct cairn_error *error)
{
    if (!name)
        name = "bytes";
    if (!image || (!bytes && size > 0))
        return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: no image or no bytes given", name);
    cairn_status status = check_layer(name, scope, order, address, size, error);
    if (status)
        return status;
    uint8_t *const copy = malloc(size);
    if (!copy || !reserve_layers(image, 1)) {
        free(copy);
        return fail_memory(name, error);
    }
    memcpy(copy, bytes, size);
    const struct cairn_layer layer = {
        .address = address, .size = size, .bytes = copy, .copy = copy, .order = order};
    if (append(image, layer, name, scope)) {
        free(copy);
        return fail_memory(name, error);
    }
    return CAIRN_OK;
}

cairn_status cairn_image_add_callback(struct cairn_image *image, const char *name,
                                      const struct cairn_scope *scope, enum cairn_order order,
                                      uint64_t address, uint64_t length, cairn_image_read *read,
                                      void *context, struct cairn_error *error)
{
    if (!name)
        name = "callback";
    if (!image || !read)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: no image or no function given", name);
    cairn_status status = check_layer(name, scope, order, address, length, error);
    if (status)
        return status;
    struct cairn_layer layer = {.address = address, .size = length, .order = order};
    if (!reserve_layers(image, 1) ||
        cairn_live_pages_new(address, address + (length - 1), read, context, &layer.pages))
        return fail_memory(name, error);
    if (append(image, layer, name, scope)) {
        cairn_live_pages_free(layer.pages);
        return fail_memory(name, error);
    }
    return CAIRN_OK;
}

/* Where a file is in `places`, or where it would be put. */
static size_t place_of(const struct cairn_image *image, const struct cairn_file_identity *identity)
{
    size_t place = (size_t)(((identity->inode ^ identity->device << 32) * CAIRN_GOLDEN) >> 32);
    for (;; place++) {
        place &= image->place_count - 1;
        const uint32_t index = image->places[place];
        if (index == 0 || cairn_file_is(image->files[index - 1], identity))
            return place;
    }
}

/* Room for one more file in both lists. */
static bool reserve_file(struct cairn_image *image)
{
    void *list = image->files;
    const bool done =
        reserve(&list, &image->file_capacity, image->file_count, 1, sizeof *image->files);
    image->files = list;
    if (!done || image->file_count >= LAYERS_MAX)
        return false;
    if (image->place_count >= 2 * (image->file_count + 1))
        return true;
    const size_t wanted = image->place_count ? image->place_count * 2 : 16;
    uint32_t *const places = calloc(wanted, sizeof *places);
    if (!places)
        return false;
    free(image->places);
    image->places = places;
    image->place_count = wanted;
    for (size_t i = 0; i < image->file_count; i++)
        places[place_of(image, &image->files[i]->identity)] = (uint32_t)i + 1;
    return true;
}

/* The image's one mapping of a file, so that a library of a thousand processes is mapped, and its
 * symbols are read, once. */
static cairn_status use_file(struct cairn_image *image, const char *path, struct cairn_file **file,
                             struct cairn_error *error)
{
    struct cairn_file *opened = NULL;
    struct cairn_file_identity there;
    /* A recording's memory is a file of thousands of layers: it is not mapped only to be found. */
    if (image->place_count && cairn_file_identify(path, &there)) {
        const uint32_t known = image->places[place_of(image, &there)];
        if (known) {
            *file = image->files[known - 1];
            return CAIRN_OK;
        }
    }
    const cairn_status status = cairn_file_open(path, &opened, error);
    if (status)
        return status;
    if (!reserve_file(image)) {
        cairn_file_close(opened);
        return fail_memory(path, error);
    }
    uint32_t *const place = &image->places[place_of(image, &opened->identity)];
    if (*place) {
        cairn_file_close(opened);
        *file = image->files[*place - 1];
        return CAIRN_OK;
    }
    opened->folders = &image->folders;
    image->files[image->file_count++] = opened;
    *place = (uint32_t)image->file_count;
    *file = opened;
    return CAIRN_OK;
}

struct cairn_file *cairn_image_file(const struct cairn_image *image, size_t number)
{
    return number < image->file_count ? image->files[number] : NULL;
}

cairn_status cairn_image_add_file(struct cairn_image *image, const char *path, uint64_t offset,
                                  uint64_t length, const struct cairn_scope *scope,
                                  enum cairn_order order, uint64_t address,
                                  struct cairn_error *error)
{
    if (!image || !path)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "no image or no path given");
    cairn_status status = check_scope(path, scope, error);
    if (!status)
        status = check_order(path, order, error);
    if (status)
        return status;
    struct cairn_file *file = NULL;
    status = use_file(image, path, &file, error);
    if (status)
        return status;
    if (offset >= file->identity.size)
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: has %llu bytes, and offset %llu is behind them; check the offset, "
                          "or whether the file was cut",
                          path, (unsigned long long)file->identity.size,
                          (unsigned long long)offset);
    const uint64_t rest = file->identity.size - offset;
    const uint64_t size = length == 0 || length > rest ? rest : length;
    status = check_range(path, address, size, error);
    if (status)
        return status;
    const struct cairn_layer layer = {.address = address,
                                      .size = size,
                                      .bytes = file->data + offset,
                                      .file = file,
                                      .order = order};
    if (!reserve_layers(image, 1) || append(image, layer, path, scope))
        return fail_memory(path, error);
    return CAIRN_OK;
}

/* Where a segment is once the bias is added: the sum wraps, its bytes must not. */
static struct cairn_layer layer_of(struct cairn_file *file, const struct cairn_segment *segment,
                                   enum cairn_order order, uint64_t bias)
{
    const uint64_t address = segment->address + bias;
    const uint64_t room = UINT64_MAX - address;
    return (struct cairn_layer){
        .address = address,
        .size = segment->size - 1 > room ? room + 1 : segment->size,
        .bytes = segment->is_zeros ? file->zeros : file->data + segment->offset,
        .file = file,
        .bias = bias,
        .is_elf = true,
        .executable = segment->executable,
        .order = order,
    };
}

static cairn_status add_segments(struct cairn_image *image, struct cairn_file *file,
                                 const struct cairn_segments *segments, uint64_t bias,
                                 const char *path, const struct cairn_scope *scope)
{
    /* Without the address space for them zeros are left out: no instruction is there. */
    const bool has_zeros = segments->zeros_max <= SIZE_MAX &&
                           cairn_file_map_zeros(file, (size_t)segments->zeros_max) == CAIRN_OK;
    if (!reserve_layers(image, segments->count))
        return CAIRN_E_MEMORY;
    const size_t before = image->layers.count;
    for (size_t i = 0; i < segments->count; i++) {
        const struct cairn_segment *const segment = &segments->list[i];
        if (segment->is_zeros && !has_zeros)
            continue;
        if (append(image, layer_of(file, segment, segments->order, bias), path, scope)) {
            cairn_image_drop_layers(image, before);
            return CAIRN_E_MEMORY;
        }
    }
    return CAIRN_OK;
}

/* The image's mapping of an ELF file, and what that loads; `segments` NULL: it need not load any. */
static cairn_status use_elf(struct cairn_image *image, const char *path,
                            const struct cairn_scope *scope, struct cairn_file **file,
                            struct cairn_segments *segments, struct cairn_error *error)
{
    if (!image || !path)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "no image or no path given");
    cairn_status status = check_scope(path, scope, error);
    if (!status)
        status = use_file(image, path, file, error);
    if (!status)
        status = segments ? cairn_elf_segments(*file, path, segments, error)
                          : cairn_elf_check(*file, path, error);
    if (!status && !(*file)->build_id)
        (*file)->build_id = cairn_elf_build_id(*file);
    return status;
}

cairn_status cairn_image_add_elf(struct cairn_image *image, const char *path, uint64_t bias,
                                 const struct cairn_scope *scope, struct cairn_error *error)
{
    struct cairn_file *file = NULL;
    struct cairn_segments segments = {0};
    cairn_status status = use_elf(image, path, scope, &file, &segments, error);
    if (status)
        return status;
    status = add_segments(image, file, &segments, bias, path, scope);
    cairn_segments_clear(&segments);
    return status ? fail_memory(path, error) : CAIRN_OK;
}

char *cairn_image_build_id(const char *path)
{
    struct cairn_file *file = NULL;
    char *build_id = NULL;
    if (path && cairn_file_open(path, &file, NULL) == CAIRN_OK)
        build_id = cairn_elf_build_id(file);
    cairn_file_close(file);
    return build_id;
}

/* From the first to the last address that the file loads. */
static void extent_of(const struct cairn_segments *segments, uint64_t *first, uint64_t *last)
{
    *first = UINT64_MAX;
    *last = 0;
    for (size_t i = 0; i < segments->count; i++) {
        const struct cairn_segment *const segment = &segments->list[i];
        const uint64_t room = UINT64_MAX - segment->address;
        const uint64_t end =
            segment->address + (segment->size - 1 < room ? segment->size - 1 : room);
        *first = segment->address < *first ? segment->address : *first;
        *last = end > *last ? end : *last;
    }
}

static cairn_status append_names(struct cairn_image *image, const char *path,
                                 const struct cairn_names *names, struct cairn_error *error)
{
    void *list = image->names.list;
    char *const own = strdup(path);

    if (!own ||
        !reserve(&list, &image->names.capacity, image->names.count, 1, sizeof *image->names.list)) {
        free(own);
        return fail_memory(path, error);
    }
    image->names.list = list;
    image->names.list[image->names.count] = *names;
    image->names.list[image->names.count++].path = own;
    return CAIRN_OK;
}

cairn_status cairn_image_add_names(struct cairn_image *image, const char *path, uint64_t bias,
                                   const struct cairn_scope *scope, uint64_t address,
                                   uint64_t length, struct cairn_error *error)
{
    struct cairn_file *file = NULL;
    struct cairn_segments segments = {0};
    uint64_t first, last;
    cairn_status status = use_elf(image, path, scope, &file, length == 0 ? &segments : NULL, error);
    if (status)
        return status;
    if (length == 0) {
        extent_of(&segments, &first, &last);
        cairn_segments_clear(&segments);
        address = first + bias;
        length = last - first + 1;
    }
    status = check_range(path, address, length, error);
    if (status)
        return status;
    return append_names(image, path,
                        &(struct cairn_names){.file = file,
                                              .bias = bias,
                                              .first = address,
                                              .last = address + (length - 1),
                                              .scope = scope ? *scope : cairn_scope_any()},
                        error);
}

cairn_status cairn_image_name_program(struct cairn_image *image, const char *own,
                                      struct cairn_error *error)
{
    struct cairn_names *const last = &image->names.list[image->names.count - 1];

    free(last->own);
    last->own = strdup(own);
    return last->own ? CAIRN_OK : fail_memory(own, error);
}

cairn_status cairn_image_set_folders(struct cairn_image *image, const char *const *folders,
                                     size_t count)
{
    char **const list = calloc(count + 1, sizeof *list);

    image->folders.list = (const char *const *)list;
    if (!list)
        return CAIRN_E_MEMORY;
    for (; image->folders.count < count; image->folders.count++)
        if (!(list[image->folders.count] = strdup(folders[image->folders.count])))
            return CAIRN_E_MEMORY;
    return CAIRN_OK;
}

cairn_status cairn_image_is_copy(struct cairn_image *image, const char *path, const char *origin)
{
    struct cairn_file *file = NULL;
    const cairn_status status = use_file(image, path, &file, NULL);

    if (status || file->origin || !strcmp(file->path, origin))
        return status == CAIRN_E_MEMORY ? status : CAIRN_OK; /* one that is gone has no names */
    file->origin = strdup(origin);
    return file->origin ? CAIRN_OK : CAIRN_E_MEMORY;
}

cairn_status cairn_image_add_listed(struct cairn_image *image, const char *path, uint64_t first,
                                    uint64_t last, struct cairn_error *error)
{
    struct cairn_file *file = NULL;
    const cairn_status status = use_file(image, path, &file, error);

    if (status)
        return status;
    return append_names(image, path,
                        &(struct cairn_names){
                            .file = file, .first = first, .last = last, .scope = cairn_scope_any()},
                        error);
}

void cairn_image_drop_names(struct cairn_image *image, const char *path, uint64_t bias)
{
    struct cairn_names_list *const names = &image->names;
    size_t kept = 0;

    for (size_t i = 0; i < names->count; i++) {
        if (names->list[i].bias == bias && strcmp(names->list[i].path, path) == 0) {
            free(names->list[i].path);
            free(names->list[i].own);
        } else {
            names->list[kept++] = names->list[i];
        }
    }
    names->count = kept;
}
