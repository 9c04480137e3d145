/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapped code into the image: in the memory of the threads of its process, by what the trace says of whose it is. */
#include "base/error.h"
#include "capture/perf/images.h"
#include "image/names.h"

/* Nobody knows what is there. */
static size_t read_nothing(void *context, uint64_t address, void *bytes, size_t size)
{
    (void)context;
    (void)address;
    (void)bytes;
    (void)size;
    return 0;
}

bool cairn_perf_is_full(const struct cairn_perf_images *images)
{
    return images->layers > CAIRN_PERF_LAYERS_MOST;
}

static cairn_status add_layer(struct cairn_perf_images *images,
                              const struct cairn_perf_mapping *mapping)
{
    struct cairn_image *const image = images->capture->image;
    struct cairn_error error = {.status = CAIRN_OK};

    if (cairn_perf_is_full(images) || images->layers++ == CAIRN_PERF_LAYERS_MOST)
        return CAIRN_OK;
    const struct cairn_perf_code *const code = &images->code;
    cairn_status status =
        code->path
            ? cairn_image_add_file(image, code->path, mapping->offset, mapping->size,
                                   &images->scope, code->order, mapping->address, &error)
            : cairn_image_add_callback(image, mapping->path, &images->scope, CAIRN_ORDER_LITTLE,
                                       mapping->address, mapping->size, read_nothing, NULL, &error);
    if (status == CAIRN_OK && code->path)
        status = cairn_image_add_names(image, code->info.file, code->info.bias, &images->scope,
                                       mapping->address, mapping->size, &error);
    if (status == CAIRN_OK && code->path && code->info.code)
        status = cairn_image_name_program(image, code->path, &error);
    if (status == CAIRN_OK || status == CAIRN_E_MEMORY)
        return status;
    cairn_capture_say(images->capture, CAIRN_WARNING, "%.400s: its code is not used: %.400s.",
                      code->path ? code->path : mapping->path, error.text);
    return CAIRN_OK;
}

/* Tasks are in the order of their processes. */
static size_t first_task(const struct cairn_perf_trace *trace, uint32_t process)
{
    size_t from = 0, until = trace->task_count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (trace->tasks[middle].process < process)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

/* Where several processes were recorded, each has its own memory: that of its threads, by their numbers. */
static cairn_status add_of_threads(struct cairn_perf_images *images, enum cairn_thread_mark mark,
                                   const struct cairn_perf_mapping *mapping)
{
    const struct cairn_perf_trace *const trace = images->trace;
    const struct cairn_scope scope = images->scope;
    cairn_status status = CAIRN_OK;

    for (size_t i = first_task(trace, mapping->process);
         i < trace->task_count && trace->tasks[i].process == mapping->process &&
         status == CAIRN_OK && !cairn_perf_is_full(images);
         i++) {
        const struct cairn_perf_task *const task = &trace->tasks[i];

        images->scope = scope;
        if (mark == CAIRN_THREAD_VMID) {
            images->scope.any_vmid = false;
            images->scope.vmid = task->thread;
        } else {
            images->scope.any_context_id = false;
            images->scope.context_id = task->thread;
        }
        status = add_layer(images, mapping);
    }
    images->scope = scope;
    return status;
}

static bool is_of_process(const struct cairn_perf_images *images,
                          const struct cairn_perf_place *place, uint32_t process)
{
    const struct cairn_perf_trace *const trace = images->trace;
    size_t from = first_task(trace, process), until = trace->task_count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;
        const struct cairn_perf_task *const task = &trace->tasks[middle];

        if (task->process > process || task->thread >= place->thread)
            until = middle;
        else
            from = middle + 1;
    }
    return from < trace->task_count && trace->tasks[from].process == process &&
           trace->tasks[from].thread == place->thread;
}

static enum cairn_thread_mark mark_of(const struct cairn_perf_images *images,
                                      const struct cairn_perf_place *place)
{
    return images->capture->sources[place->source].thread_mark;
}

/* Into the memory of one source: by what its contexts say, or it is one thread's. Of one that is of several, and does not
 * say of which, it is the memory of all, but where others do say. */
static cairn_status add_of_source(struct cairn_perf_images *images,
                                  const struct cairn_perf_place *place,
                                  const struct cairn_perf_mapping *mapping)
{
    const struct cairn_scope scope = images->scope;
    cairn_status status = CAIRN_OK;

    images->scope.source = (uint32_t)place->source;
    if (mark_of(images, place))
        status = add_of_threads(images, mark_of(images, place), mapping);
    else if (place->thread == CAIRN_PERF_NOBODY ? !images->threads
                                                : is_of_process(images, place, mapping->process))
        status = add_layer(images, mapping);
    images->scope = scope;
    return status;
}

/* A source that is not as the most are: of what those have it has nothing by itself. */
static bool is_by_itself(const struct cairn_perf_images *images,
                         const struct cairn_perf_place *place)
{
    return images->threads ? mark_of(images, place) != images->threads : images->is_by_source;
}

cairn_status cairn_perf_add_layers(struct cairn_perf_images *images,
                                   const struct cairn_perf_mapping *mapping)
{
    const uint32_t source = images->scope.source;
    cairn_status status = CAIRN_OK;

    if (images->is_one || (!images->threads && !images->is_by_source))
        return add_layer(images, mapping);
    if (images->threads && source == CAIRN_ANY_SOURCE)
        status = add_of_threads(images, images->threads, mapping);
    for (size_t i = 0; i < images->place_count && status == CAIRN_OK && !cairn_perf_is_full(images);
         i++) {
        const struct cairn_perf_place *const place = &images->places[i];

        if (source == CAIRN_ANY_SOURCE ? is_by_itself(images, place)
                                       : source == (uint32_t)place->source)
            status = add_of_source(images, place, mapping);
    }
    return status;
}

cairn_status cairn_perf_add_unknown(struct cairn_perf_images *images,
                                    const struct cairn_perf_mapping *mapping, const char *name)
{
    const struct cairn_perf_code code = images->code;
    struct cairn_perf_mapping unknown = *mapping;

    unknown.path = name;
    images->code.path = NULL;
    const cairn_status status = cairn_perf_add_layers(images, &unknown);
    images->code = code;
    return status;
}
