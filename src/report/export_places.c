/* SPDX-License-Identifier: BSD-2-Clause */
/* Binaries and functions have numbers made of what they are, so that these depend neither on the order in which they
 * are met, nor on the recording: the same function has the same number in each database. */
#include "report/export.h"

#include <stdlib.h>
#include <string.h>

#include "image/frames.h"
#include "image/space.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* 47 bits take six bytes in a row; two of 100,000 functions have the same with a chance of 1 in 28,000. */
#define ID_BITS 47u
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t mix(uint64_t hash)
{
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = FNV_BASIS;

    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * FNV_PRIME;
    return mix(hash);
}

static uint64_t id_of(uint64_t hash)
{
    const uint64_t id = hash >> (64 - ID_BITS);

    return id ? id : 1;
}

static uint64_t next_id(uint64_t id)
{
    return id == (UINT64_C(1) << ID_BITS) - 1 ? 1 : id + 1;
}

/* --- binaries --- */

static bool is_binary_id_used(const struct cairn_export *data, uint64_t id)
{
    const uint32_t hash = cairn_table_hash(id, 0);
    size_t at = cairn_table_begin(&data->by_binary_id, hash);
    uint32_t item;

    while ((item = cairn_table_next(&data->by_binary_id, hash, &at)) != CAIRN_TABLE_NONE)
        if (data->binaries[item].id == id)
            return true;
    return false;
}

cairn_status cairn_export_binary_of(struct cairn_export *data, const char *path,
                                    const char *build_id, bool is_file, uint32_t *binary)
{
    const uint64_t whole = hash_text(path);
    const uint32_t hash = cairn_table_hash(whole, 0);
    size_t at = cairn_table_begin(&data->by_path, hash);
    uint32_t item;

    while ((item = cairn_table_next(&data->by_path, hash, &at)) != CAIRN_TABLE_NONE) {
        struct cairn_export_binary *const one = &data->binaries[item];

        if (strcmp(one->path, path) == 0) {
            if (!one->build_id && build_id)
                one->build_id = cairn_arena_text(&data->arena, build_id);
            one->is_file |= is_file;
            *binary = item;
            return CAIRN_OK;
        }
    }
    if (data->binary_count == 0) {
        if (cairn_grow((void **)&data->binaries, 0, &data->binary_room, sizeof *data->binaries))
            return CAIRN_E_MEMORY;
        data->binaries[data->binary_count++] = (struct cairn_export_binary){0};
    }
    if (cairn_grow((void **)&data->binaries, data->binary_count, &data->binary_room,
                   sizeof *data->binaries))
        return CAIRN_E_MEMORY;
    struct cairn_export_binary made = {
        .id = id_of(whole), .path = cairn_arena_text(&data->arena, path), .is_file = is_file};
    if (build_id)
        made.build_id = cairn_arena_text(&data->arena, build_id);
    while (is_binary_id_used(data, made.id))
        made.id = next_id(made.id);
    data->binaries[data->binary_count] = made;
    if (!made.path || (build_id && !made.build_id) ||
        cairn_table_add(&data->by_path, hash, (uint32_t)data->binary_count) ||
        cairn_table_add(&data->by_binary_id, cairn_table_hash(made.id, 0),
                        (uint32_t)data->binary_count))
        return CAIRN_E_MEMORY;
    *binary = (uint32_t)data->binary_count++;
    return CAIRN_OK;
}

static cairn_status find_stretch(struct cairn_export *data, uint64_t address,
                                 struct cairn_export_stretch *stretch)
{
    struct cairn_layer_info layer = {.size = sizeof layer};
    struct cairn_window window;
    struct cairn_code_file code;

    *stretch = (struct cairn_export_stretch){.first = address, .last = address};
    if (cairn_space_code_file(data->space, address, &code)) {
        stretch->bias = code.bias;
        stretch->first = code.first;
        stretch->last = code.last;
        return cairn_export_binary_of(data, code.own ? code.own : code.path, code.file->build_id,
                                      true, &stretch->binary);
    }
    if (!cairn_space_window(data->space, address, &window) ||
        cairn_image_layer(cairn_space_image(data->space), window.layer, &layer))
        return CAIRN_OK;
    stretch->first = window.address;
    stretch->last = window.address + (window.size - 1);
    return cairn_export_binary_of(data, layer.name ? layer.name : "memory", NULL, false,
                                  &stretch->binary);
}

/* Selects the place, and says by another `era` that other memory may be there than before. */
static cairn_status select_place(struct cairn_export *data, const struct cairn_place *place)
{
    const cairn_status status = cairn_space_select(data->space, place);
    const uint64_t identity = cairn_space_identity(data->space);

    if (!data->era || status || identity != data->space_identity ||
        place->offset < data->space_from || place->offset > data->space_until) {
        data->era++;
        data->space_identity = identity;
        cairn_space_hold(data->space, &data->space_from, &data->space_until);
        data->stretch = (struct cairn_export_stretch){.first = 1};
    }
    return status;
}

/* Under the place that is selected. */
static cairn_status locate(struct cairn_export *data, uint64_t address)
{
    struct cairn_export_stretch *const stretch = &data->stretch;

    if (address >= stretch->first && address <= stretch->last)
        return CAIRN_OK;
    const cairn_status status = find_stretch(data, address, stretch);
    if (status)
        *stretch = (struct cairn_export_stretch){.first = 1};
    return status;
}

cairn_status cairn_export_locate(struct cairn_export *data, const struct cairn_place *place,
                                 uint64_t address, uint32_t *binary, uint64_t *in_binary)
{
    cairn_status status = select_place(data, place);

    if (!status)
        status = locate(data, address);
    *binary = data->stretch.binary;
    *in_binary = address - data->stretch.bias;
    return status;
}

/* --- functions --- */

static bool is_id_used(const struct cairn_export *data, uint64_t id)
{
    const uint32_t hash = cairn_table_hash(id, 0);
    size_t at = cairn_table_begin(&data->by_id, hash);
    uint32_t item;

    while ((item = cairn_table_next(&data->by_id, hash, &at)) != CAIRN_TABLE_NONE)
        if (data->functions[item].id == id)
            return true;
    return false;
}

cairn_status cairn_export_function_at(struct cairn_export *data, uint32_t binary, bool is_named,
                                      uint64_t address, uint32_t *function)
{
    const uint64_t whole = mix(data->binaries[binary].id * 2 + is_named) ^ address;
    const uint32_t hash = cairn_table_hash(whole, binary);
    size_t at = cairn_table_begin(&data->by_function, hash);
    uint32_t item;

    while ((item = cairn_table_next(&data->by_function, hash, &at)) != CAIRN_TABLE_NONE) {
        const struct cairn_export_function *const one = &data->functions[item];

        if (one->binary == binary && one->is_named == is_named && one->address == address) {
            *function = item;
            return CAIRN_OK;
        }
    }
    if (data->function_count == 0) {
        if (cairn_grow((void **)&data->functions, 0, &data->function_room, sizeof *data->functions))
            return CAIRN_E_MEMORY;
        data->functions[data->function_count++] = (struct cairn_export_function){0};
    }
    if (cairn_grow((void **)&data->functions, data->function_count, &data->function_room,
                   sizeof *data->functions))
        return CAIRN_E_MEMORY;
    struct cairn_export_function made = {.id = id_of(mix(whole)),
                                         .binary = binary,
                                         .is_named = is_named,
                                         .address = address,
                                         .covered = CAIRN_COVERAGE_NONE,
                                         .file = CAIRN_COVERAGE_NONE};
    while (is_id_used(data, made.id))
        made.id = next_id(made.id);
    data->functions[data->function_count] = made;
    if (cairn_table_add(&data->by_function, hash, (uint32_t)data->function_count) ||
        cairn_table_add(&data->by_id, cairn_table_hash(made.id, 0), (uint32_t)data->function_count))
        return CAIRN_E_MEMORY;
    *function = (uint32_t)data->function_count++;
    return CAIRN_OK;
}

static cairn_status know_function(struct cairn_export *data, const struct cairn_function *known,
                                  uint32_t *function)
{
    uint32_t binary = 0;
    uint64_t address = 0;
    cairn_status status;

    if (!known->name) /* all code of the file that has no symbol */
        status = known->object ? cairn_export_binary_of(data, known->object, NULL, true, &binary)
                               : CAIRN_OK;
    else
        status = cairn_export_locate(data, &known->place, known->address, &binary, &address);
    if (!status && binary)
        status = cairn_export_function_at(data, binary, known->name != NULL, address, function);
    if (status || !binary)
        return status;
    struct cairn_export_function *const made = &data->functions[*function];
    if (!made->symbol)
        made->symbol = known->name;
    return CAIRN_OK;
}

cairn_status cairn_export_function_of(struct cairn_export *data, uint32_t number,
                                      uint32_t *function)
{
    const struct cairn_functions *const known = &data->profile.functions;

    *function = 0;
    if (number == 0 || number >= known->count)
        return CAIRN_OK;
    if (number >= data->function_of_count) {
        const size_t count = (size_t)known->count + known->count / 2 + 64;
        uint32_t *const grown = realloc(data->function_of, count * sizeof *grown);

        if (!grown)
            return CAIRN_E_MEMORY;
        memset(grown + data->function_of_count, 0,
               (count - data->function_of_count) * sizeof *grown);
        data->function_of = grown;
        data->function_of_count = count;
    }
    if (data->function_of[number] == 0) {
        const cairn_status status = know_function(data, &known->list[number], function);

        if (status)
            return status;
        data->function_of[number] = *function;
    }
    *function = data->function_of[number];
    return CAIRN_OK;
}

cairn_status cairn_export_spot_of(struct cairn_export *data, const struct cairn_place *place,
                                  uint64_t address, uint32_t *binary, uint32_t *function)
{
    cairn_status status = select_place(data, place);
    struct cairn_export_spot *spot;
    bool starts;

    if (!data->spots)
        data->spots = calloc(CAIRN_EXPORT_SPOTS, sizeof *data->spots);
    if (!data->spots)
        return CAIRN_E_MEMORY;
    spot = &data->spots[(address >> 1 ^ address >> 13) % CAIRN_EXPORT_SPOTS];
    if (!status && (spot->era != data->era || spot->address != address)) {
        const uint32_t era = data->era;

        status = locate(data, address);
        *binary = data->stretch.binary;
        const uint32_t number =
            cairn_functions_at(&data->profile.functions, data->space, address, &starts);
        if (!status)
            status = cairn_export_function_of(data, number, function);
        if (!status)
            *spot = (struct cairn_export_spot){
                .address = address, .binary = *binary, .function = *function, .era = era};
    }
    *binary = spot->binary;
    *function = spot->function;
    return status;
}

/* --- threads --- */

cairn_status cairn_export_thread_of(struct cairn_export *data, uint32_t source, uint32_t vmid,
                                    uint32_t context_id, uint32_t *thread)
{
    const uint64_t key = (uint64_t)vmid << 32 | context_id;
    const uint32_t hash = cairn_table_hash(key, source);
    size_t at = cairn_table_begin(&data->by_thread, hash);
    uint32_t item;

    while ((item = cairn_table_next(&data->by_thread, hash, &at)) != CAIRN_TABLE_NONE) {
        const struct cairn_export_thread *const one = &data->threads[item];

        if (one->source == source && one->vmid == vmid && one->context_id == context_id) {
            *thread = item;
            return CAIRN_OK;
        }
    }
    *thread = 0;
    if (data->thread_count > CAIRN_EXPORT_THREADS_MAX)
        return CAIRN_OK;
    if (data->thread_count == 0) {
        if (cairn_grow((void **)&data->threads, 0, &data->thread_room, sizeof *data->threads))
            return CAIRN_E_MEMORY;
        data->threads[data->thread_count++] = (struct cairn_export_thread){0};
    }
    if (cairn_grow((void **)&data->threads, data->thread_count, &data->thread_room,
                   sizeof *data->threads) ||
        cairn_table_add(&data->by_thread, hash, (uint32_t)data->thread_count))
        return CAIRN_E_MEMORY;
    data->threads[data->thread_count] =
        (struct cairn_export_thread){.source = source, .vmid = vmid, .context_id = context_id};
    *thread = (uint32_t)data->thread_count++;
    return CAIRN_OK;
}

/* --- rows --- */

struct cairn_export_value cairn_export_thread_id(struct cairn_export *data, uint32_t thread)
{
    if (thread)
        data->threads[thread].is_used = true;
    return cairn_export_number_if(thread != 0, thread);
}

struct cairn_export_value cairn_export_function_id(const struct cairn_export *data,
                                                   uint32_t function)
{
    return cairn_export_number_if(function != 0, function ? data->functions[function].id : 0);
}

struct cairn_export_value cairn_export_binary_id(const struct cairn_export *data, uint32_t binary)
{
    return cairn_export_number_if(binary != 0, binary ? data->binaries[binary].id : 0);
}

/* What the system calls a thread of the trace; false: nothing does, or several do. */
static bool find_thread(const struct cairn_export *data, const struct cairn_export_thread *thread,
                        struct cairn_thread_info *found)
{
    struct cairn_source_info source = {.size = sizeof source};
    struct cairn_thread_info one = {.size = sizeof one};
    uint64_t number = 0;
    bool is_found = false;

    if (!data->capture)
        return false;
    if (cairn_capture_source(data->capture, thread->source, &source) == CAIRN_OK)
        number = source.thread_id;
    if (!number)
        switch (source.thread_mark) {
        case CAIRN_THREAD_CONTEXT_ID: number = thread->context_id; break;
        case CAIRN_THREAD_VMID: number = thread->vmid; break;
        case CAIRN_THREAD_NOT_MARKED: break;
        }
    if (!number)
        return false;
    *found = (struct cairn_thread_info){
        .size = sizeof *found, .thread_id = number, .name = source.thread_name};
    for (size_t i = 0; !cairn_capture_thread(data->capture, i, &one); i++) {
        if (one.thread_id != number)
            continue;
        if (is_found) { /* one after the other: of which process it was here is not told */
            found->process_id = 0;
            found->name = source.thread_name;
            return true;
        }
        *found = one;
        is_found = true;
    }
    return is_found || source.thread_id;
}

cairn_status cairn_export_threads(struct cairn_export *data)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 1; i < data->thread_count && !status; i++) {
        const struct cairn_export_thread *const one = &data->threads[i];
        struct cairn_thread_info info = {.size = sizeof info};

        if (!one->is_used)
            continue;
        const bool is_known = find_thread(data, one, &info);
        const struct cairn_export_value values[] = {
            cairn_export_number(i),
            cairn_export_number(one->source),
            cairn_export_number(one->vmid),
            cairn_export_number(one->context_id),
            cairn_export_number_if(is_known && info.process_id, info.process_id),
            cairn_export_number_if(is_known, info.thread_id),
            cairn_export_text(is_known ? info.name : NULL),
        };

        status = cairn_export_row(data, CAIRN_EXPORT_THREADS, values, COUNT(values));
    }
    return status;
}

static int by_binary_id(const void *left, const void *right)
{
    const struct cairn_export_binary *const a = left, *const b = right;

    return (a->id > b->id) - (a->id < b->id);
}

/* Sorts them: their indexes mean nothing afterwards. */
cairn_status cairn_export_binaries(struct cairn_export *data)
{
    cairn_status status = CAIRN_OK;

    if (data->binary_count)
        qsort(data->binaries, data->binary_count, sizeof *data->binaries, by_binary_id);
    for (size_t i = 1; i < data->binary_count && !status; i++) {
        const struct cairn_export_binary *const one = &data->binaries[i];
        const struct cairn_export_value values[] = {
            cairn_export_number(one->id), cairn_export_text(one->path),
            cairn_export_text(one->build_id), cairn_export_number(one->is_file)};

        status = cairn_export_row(data, CAIRN_EXPORT_BINARIES, values, COUNT(values));
    }
    return status;
}
