/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of what was mapped: of each file that is here, the part that a process had mapped for execution. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/letters.h"
#include "capture/perf/image_files.h"
#include "capture/perf/trace.h"
#include "image/names.h"

#define MODULES_MOST 65536u
#define LAYERS_MOST 65536u
#define ENDED_MOST (LAYERS_MOST / 4)
#define LOOK_BACK 4096u /* mappings of a process */
#define NONE SIZE_MAX

/* A mapped file that was looked for, for those that inherit it. */
struct found_file {
    bool is_known;
    struct cairn_module_info info;
    const char *code;
    enum cairn_order order;
};

struct images {
    struct cairn_capture *capture;
    const struct cairn_perf_trace *trace;
    struct cairn_perf_image_files files;
    struct cairn_scope scope; /* of what is added */
    enum cairn_thread_mark threads;
    bool is_one;        /* process */
    bool is_by_source;  /* some are of one thread, and the trace does not say of which */
    bool is_of_several; /* some are not, and the trace does not say either */
    size_t *earlier;    /* of each mapping the one before of the same process, or NONE */
    struct cairn_perf_place *places;
    size_t place_count;
    size_t layers;
    size_t missing; /* mappings without code */
    size_t untimed; /* mappings where something else was before, nobody knows until when */
    size_t ended;   /* layers that are not there to the end */
    size_t stale;   /* mappings that should not be, and are, for want of room */
    /* of the mapping that is added */
    struct cairn_module_info info;
    const char *code; /* the file with the code; NULL: there is none */
    enum cairn_order order;
    struct found_file *found; /* of each mapping, by its number */
};

/* A mapping, by process; those of one in their order. */
struct of_process {
    uint32_t process;
    size_t n;
};

static int compare_of_process(const void *a, const void *b)
{
    const struct of_process *const one = a, *const other = b;

    if (one->process != other->process)
        return one->process < other->process ? -1 : 1;
    return one->n < other->n ? -1 : one->n > other->n;
}

static cairn_status link_mappings(struct images *images)
{
    const struct cairn_perf_trace *const trace = images->trace;
    const size_t count = trace->mapping_count;
    struct of_process *const list = calloc(count + 1, sizeof *list);

    images->earlier = calloc(count + 1, sizeof *images->earlier);
    images->found = calloc(count + 1, sizeof *images->found);
    if (!list || !images->earlier || !images->found) {
        free(list);
        return CAIRN_E_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        list[i] = (struct of_process){.process = trace->mappings[i].process, .n = i};
    qsort(list, count, sizeof *list, compare_of_process);
    for (size_t i = 0; i < count; i++)
        images->earlier[list[i].n] =
            i && list[i - 1].process == list[i].process ? list[i - 1].n : NONE;
    free(list);
    return CAIRN_OK;
}

/* --- into the image --- */

/* Nobody knows what is there. */
static size_t read_nothing(void *context, uint64_t address, void *bytes, size_t size)
{
    (void)context;
    (void)address;
    (void)bytes;
    (void)size;
    return 0;
}

static bool is_full(const struct images *images)
{
    return images->layers > LAYERS_MOST;
}

static cairn_status add_layer(struct images *images, const struct cairn_perf_mapping *mapping)
{
    struct cairn_image *const image = images->capture->image;
    struct cairn_error error = {.status = CAIRN_OK};

    if (is_full(images) || images->layers++ == LAYERS_MOST)
        return CAIRN_OK;
    cairn_status status =
        images->code
            ? cairn_image_add_file(image, images->code, mapping->offset, mapping->size,
                                   &images->scope, images->order, mapping->address, &error)
            : cairn_image_add_callback(image, mapping->path, &images->scope, CAIRN_ORDER_LITTLE,
                                       mapping->address, mapping->size, read_nothing, NULL, &error);
    if (status == CAIRN_OK && images->code)
        status = cairn_image_add_names(image, images->info.file, images->info.bias, &images->scope,
                                       mapping->address, mapping->size, &error);
    if (status == CAIRN_OK && images->code && images->info.code)
        status = cairn_image_name_program(image, images->code, &error);
    if (status == CAIRN_OK || status == CAIRN_E_MEMORY)
        return status;
    cairn_capture_say(images->capture, CAIRN_WARNING, "%.400s: its code is not used: %.400s.",
                      images->code ? images->code : mapping->path, error.text);
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
static cairn_status add_of_threads(struct images *images, const struct cairn_perf_mapping *mapping)
{
    const struct cairn_perf_trace *const trace = images->trace;
    const struct cairn_scope scope = images->scope;
    cairn_status status = CAIRN_OK;

    for (size_t i = first_task(trace, mapping->process);
         i < trace->task_count && trace->tasks[i].process == mapping->process &&
         status == CAIRN_OK && !is_full(images);
         i++) {
        const struct cairn_perf_task *const task = &trace->tasks[i];

        images->scope = scope;
        if (images->threads == CAIRN_THREAD_VMID) {
            images->scope.any_vmid = false;
            images->scope.vmid = task->thread;
        } else {
            images->scope.any_context_id = false;
            images->scope.context_id = task->thread;
        }
        status = add_layer(images, mapping);
    }
    return status;
}

static bool is_of_process(const struct images *images, const struct cairn_perf_place *place,
                          uint32_t process)
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

/* Where the trace does not say whose it is, each source that is one thread's has the memory of its process, and one that is
 * of several that of all. */
static cairn_status add_of_sources(struct images *images, const struct cairn_perf_mapping *mapping)
{
    const struct cairn_scope scope = images->scope;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < images->place_count && status == CAIRN_OK && !is_full(images); i++) {
        const struct cairn_perf_place *const place = &images->places[i];

        if (scope.source != CAIRN_ANY_SOURCE && scope.source != (uint32_t)place->source)
            continue;
        images->scope = scope;
        images->scope.source = (uint32_t)place->source;
        if (place->thread == CAIRN_PERF_NOBODY || is_of_process(images, place, mapping->process))
            status = add_layer(images, mapping);
    }
    return status;
}

static cairn_status add_layers(struct images *images, const struct cairn_perf_mapping *mapping)
{
    if (images->is_one)
        return add_layer(images, mapping);
    if (images->threads != CAIRN_THREAD_NOT_MARKED)
        return add_of_threads(images, mapping);
    return images->is_by_source ? add_of_sources(images, mapping) : add_layer(images, mapping);
}

/* An epoch that has no end and begins at 0 would be weaker than one that has. */
#define EPOCH_END (UINT64_MAX - 1)

/* When something is in memory. */
struct when {
    bool is_second; /* something else was there before: from then on */
    uint64_t end;   /* it was taken away; 0: it was not */
};

/* This is there from a place in each source on, or until one. */
static cairn_status add_in_time(struct images *images, const struct cairn_perf_mapping *mapping,
                                const struct when *when)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < images->place_count && status == CAIRN_OK && !is_full(images); i++) {
        struct cairn_perf_place *const place = &images->places[i];
        const bool ends = when->end && cairn_perf_place_goes_on(place, when->end);

        images->scope = cairn_scope_any();
        images->scope.source = (uint32_t)place->source;
        if (ends || when->is_second) {
            status = cairn_perf_place_count(images->capture, place);
            if (status != CAIRN_OK ||
                (when->is_second &&
                 !cairn_perf_place_at(place, mapping->time, &images->scope.epoch_from)))
                continue;
            images->scope.epoch_to = ends ? cairn_perf_place_behind(place, when->end) : EPOCH_END;
            /* parts without a byte of this source */
            if (images->scope.epoch_from >= images->scope.epoch_to)
                continue;
        }
        const size_t had = images->layers;

        status = add_layers(images, mapping);
        images->ended += when->end ? images->layers - had : 0;
    }
    return status;
}

/* When it was taken away, if that matters to any source and there is room to say so; or 0. */
static uint64_t end_that_matters(struct images *images, const struct cairn_perf_mapping *mapping)
{
    const uint64_t end = cairn_perf_end_of(images->trace, mapping);

    for (size_t i = 0; i < images->place_count && end; i++) {
        if (!cairn_perf_place_goes_on(&images->places[i], end))
            continue;
        if (images->ended < ENDED_MOST)
            return end;
        images->stale++;
        return 0;
    }
    return 0;
}

static void say_state(struct images *images)
{
    const struct cairn_module_info *const info = &images->info;

    if (info->state == CAIRN_MODULE_CHANGED)
        cairn_capture_say(
            images->capture, CAIRN_WARNING,
            "%.400s here is another file than the one that ran (its build-id was %.64s), so it is "
            "not used. Tell where the file that ran is (--sysroot, --debug-dir), or give it with "
            "--image FILE.",
            info->path, info->build_id ? info->build_id : "none");
    images->missing += !images->code;
}

/* What ran: the mapped file that has the name of the last program that was started. */
static void set_program(struct images *images)
{
    const struct cairn_perf_trace *const trace = images->trace;
    const size_t length = strnlen(trace->program, sizeof trace->program);

    images->capture->has_program = true;
    images->capture->program.exit_status = -1;
    images->capture->program.recorder = "perf";
    for (size_t i = 0; length && i < trace->mapping_count; i++) {
        const char *const slash = strrchr(trace->mappings[i].path, '/');

        if (slash && !strncmp(slash + 1, trace->program, length))
            images->capture->program.path = trace->mappings[i].path;
    }
}

/* What was mapped there before by the same process, a file if this is none; NULL: nothing, or, with *is_unsure, it was
 * not looked for among all. */
static const struct cairn_perf_mapping *before(const struct images *images, size_t n,
                                               bool *is_unsure)
{
    const struct cairn_perf_mapping *const mapping = &images->trace->mappings[n];
    const bool is_file = cairn_perf_has_file(mapping);
    size_t i = images->earlier[n];

    for (unsigned steps = 0; i != NONE && steps < LOOK_BACK; i = images->earlier[i], steps++) {
        const struct cairn_perf_mapping *const other = &images->trace->mappings[i];

        if ((is_file || cairn_perf_has_file(other)) &&
            (other->address - mapping->address < mapping->size ||
             mapping->address - other->address < other->size))
            return other;
    }
    *is_unsure = i != NONE;
    return NULL;
}

/* The same file as that of the mapping that was copied. */
static cairn_status find_again(struct images *images, const struct cairn_perf_mapping *mapping)
{
    struct found_file *const found =
        &images->found[mapping->is_inherited ? mapping->origin : mapping->number];

    if (found->is_known) {
        images->info = found->info;
        images->code = found->code;
        images->order = found->order;
        return CAIRN_OK;
    }
    if (!cairn_perf_has_file(mapping)) {
        images->info = (struct cairn_module_info){.size = sizeof images->info};
        images->code = NULL;
        images->order = CAIRN_ORDER_LITTLE;
        return CAIRN_OK;
    }
    const cairn_status status = cairn_perf_find_file(&images->files, mapping,
                                                     cairn_perf_build_id_of(images->trace, mapping),
                                                     &images->info, &images->code, &images->order);
    *found = (struct found_file){status == CAIRN_OK, images->info, images->code, images->order};
    if (status == CAIRN_OK)
        say_state(images);
    return status;
}

static cairn_status add_mapping(struct images *images, size_t n)
{
    const struct cairn_perf_mapping *const mapping = &images->trace->mappings[n];
    bool is_unsure = false;
    const struct cairn_perf_mapping *const old = before(images, n, &is_unsure);
    const uint64_t old_end = old ? cairn_perf_end_of(images->trace, old) : 0;
    const bool is_still_there = old && (!old_end || old_end > mapping->time);
    struct when when = {.is_second = (old || is_unsure) && !images->trace->is_untimed};

    if ((is_still_there && cairn_perf_is_same(old, mapping)) ||
        (mapping->is_inherited && images->is_one) ||
        (!cairn_perf_has_file(mapping) && !when.is_second))
        return CAIRN_OK;
    cairn_status status = find_again(images, mapping);
    if (status != CAIRN_OK)
        return status;
    images->scope = cairn_scope_any();
    images->untimed += old && images->trace->is_untimed;
    when.end = end_that_matters(images, mapping);
    if (when.is_second || (when.end && images->code))
        status = add_in_time(images, mapping, &when);
    else if (images->code)
        status = add_layers(images, mapping);
    if (status == CAIRN_OK && !mapping->is_inherited && cairn_perf_has_file(mapping))
        status = cairn_capture_add_module(images->capture, &images->info);
    return status;
}

static bool has_room(const struct images *images)
{
    return images->capture->module_count < MODULES_MOST;
}

cairn_status cairn_perf_add_images(struct cairn_capture *capture, const struct cairn_files *files,
                                   const struct cairn_perf_trace *trace,
                                   struct cairn_perf_place *places, size_t place_count,
                                   const struct cairn_capture_options *options)
{
    struct images images = {
        .capture = capture,
        .trace = trace,
        .files = {.arena = &capture->arena,
                  .search = {.files = files, .folder = "", .options = options}},
        .threads = capture->thread_mark,
        .places = places,
        .place_count = place_count,
    };
    bool is_unsure;

    images.is_one = cairn_perf_has_one_process(trace, &is_unsure);
    images.is_of_several = images.threads == CAIRN_THREAD_NOT_MARKED && !place_count;
    for (size_t i = 0; i < place_count; i++) {
        const bool is_known = places[i].thread != CAIRN_PERF_NOBODY;

        images.is_by_source |= images.threads == CAIRN_THREAD_NOT_MARKED && is_known;
        images.is_of_several |= images.threads == CAIRN_THREAD_NOT_MARKED && !is_known;
    }
    cairn_status status = link_mappings(&images);

    set_program(&images);
    for (size_t i = 0; i < trace->mapping_count && status == CAIRN_OK; i++)
        if (cairn_perf_is_of_user(&trace->mappings[i]) && has_room(&images))
            status = add_mapping(&images, i);
    free(images.earlier);
    free(images.found);
    cairn_perf_image_files_clear(&images.files);
    if (images.missing)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "The code of %zu mapped file%s is not here (`cairn info` lists them as modules). Tell where "
            "copies are (--sysroot, --debug-dir), or give one with --image FILE@OFFSET.",
            images.missing, cairn_plural(images.missing));
    if (images.stale)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%zu mapped file%s had been taken away when %s started another program: there is no room to "
            "tell until when, so that what was executed at these addresses later, if anything was, may be "
            "taken for %s. Record fewer processes at a time.",
            images.stale, cairn_plural(images.stale), images.stale == 1 ? "a process" : "processes",
            images.stale == 1 ? "its" : "theirs");
    if (images.untimed)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%zu file%s mapped where others had been, and nothing says when: the last one is taken to have "
            "been there all the time. Record with times (perf record --timestamp).",
            images.untimed, images.untimed == 1 ? " was" : "s were");
    if (is_unsure)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "Processes have more mappings at the same addresses than are compared (%u pairs): each is taken "
            "to have its own, and trace that does not say which thread it is of has none. Record fewer "
            "processes at a time.",
            CAIRN_PERF_PAIRS_MOST);
    if (!images.is_one && images.is_of_several && images.layers)
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "Several processes were recorded, and the trace does not say which one it is of: "
            "what one has mapped may be taken for another's. Record with contextid (perf record "
            "-e cs_etm/contextid/), or one process.");
    if (is_full(&images) || !has_room(&images))
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "There are more than %u mappings of files%s: what was mapped last is left out, and what was "
            "executed of it is a gap. Record fewer processes at a time.",
            is_full(&images) ? LAYERS_MOST : MODULES_MOST,
            is_full(&images) ? ", each counted for every thread or source it is of" : "");
    return status;
}
