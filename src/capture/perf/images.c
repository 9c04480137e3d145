/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of what was mapped: of each file that is here, the part that a process had mapped for execution. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/letters.h"
#include "capture/perf/images.h"

#define MODULES_MOST 65536u
#define ENDED_MOST (CAIRN_PERF_LAYERS_MOST / 4)
#define NO_ENTRY UINT64_MAX

/* Whether there is trace behind the part in which it was that time. */
static bool goes_on(const struct cairn_perf_place *place, uint64_t time)
{
    return cairn_perf_place_part(place, time) + 1 < place->stream->mark_count;
}

/* When it was taken away, if that matters to any source and there is room to say so; or 0. */
static uint64_t end_that_matters(struct cairn_perf_images *images,
                                 const struct cairn_perf_mapping *mapping)
{
    const uint64_t end = cairn_perf_end_of(images->trace, mapping);

    for (size_t i = 0; i < images->place_count && end; i++) {
        if (!goes_on(&images->places[i], end))
            continue;
        if (images->ended < ENDED_MOST)
            return end;
        images->stale++;
        return 0;
    }
    return 0;
}

static void say_state(struct cairn_perf_images *images)
{
    const struct cairn_module_info *const info = &images->code.info;

    if (info->state == CAIRN_MODULE_CHANGED)
        cairn_capture_say(
            images->capture, CAIRN_WARNING,
            "%.400s here is another file than the one that ran (its build-id was %.64s), so it is "
            "not used. Tell where the file that ran is (--sysroot, --debug-dir), or give it with "
            "--image FILE.",
            info->path, info->build_id ? info->build_id : "none");
    images->missing += !images->code.path;
}

/* What ran: the mapped file that has the name of the last program that was started. */
static void set_program(struct cairn_perf_images *images)
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

/* "jit-1234.dump": what a program compiled while it ran, written down for `perf inject --jit`. It maps a page of that, so that
 * perf finds it, and executes nothing there. */
static bool is_log(const char *path)
{
    static const char begin[] = "jit-", end[] = ".dump";
    const char *const slash = strrchr(path, '/');
    const char *const name = slash ? slash + 1 : path;
    const size_t length = sizeof begin - 1;
    const size_t digits = strncmp(name, begin, length) ? 0 : strspn(name + length, "0123456789");

    return digits && !strcmp(name + length + digits, end);
}

/* The kernel's code for programs ([vdso]) is no file, but has a build-id by which perf keeps a copy of it (~/.debug). */
static bool has_file(const struct cairn_perf_images *images,
                     const struct cairn_perf_mapping *mapping)
{
    return (cairn_perf_has_file(mapping) && !is_log(mapping->path)) ||
           (cairn_perf_is_of_user(mapping) && !strcmp(mapping->path, "[vdso]") &&
            cairn_perf_build_id_of(images->trace, mapping));
}

/* The same file as that of the mapping that was copied. */
cairn_status cairn_perf_find_code(struct cairn_perf_images *images,
                                  const struct cairn_perf_mapping *mapping)
{
    struct cairn_perf_found *const found =
        &images->found[mapping->is_inherited ? mapping->origin : mapping->number];

    if (found->is_known) {
        images->code = found->code;
        return CAIRN_OK;
    }
    if (!has_file(images, mapping)) {
        images->code = (struct cairn_perf_code){.info.size = sizeof images->code.info};
        return CAIRN_OK;
    }
    const cairn_status status = cairn_perf_find_file(
        &images->files, mapping, cairn_perf_build_id_of(images->trace, mapping), &images->code);
    *found = (struct cairn_perf_found){status == CAIRN_OK, images->code};
    if (status == CAIRN_OK)
        say_state(images);
    return status;
}

static cairn_status add_mapping(struct cairn_perf_images *images, size_t n)
{
    const struct cairn_perf_mapping *const mapping = &images->trace->mappings[n];
    struct cairn_perf_when when;
    cairn_status status = cairn_perf_look_back(images, n, &when);
    const bool was_other = when.is_second;

    when.is_second &= !images->trace->is_untimed;
    if (!images->log && is_log(mapping->path))
        images->log = mapping->path;
    if (status != CAIRN_OK || when.is_there || (mapping->is_inherited && images->is_one) ||
        (!has_file(images, mapping) && !when.is_second))
        return status;
    status = cairn_perf_find_code(images, mapping);
    if (status != CAIRN_OK)
        return status;
    images->scope = cairn_scope_any();
    images->untimed += was_other && images->trace->is_untimed;
    when.end = end_that_matters(images, mapping);
    if (when.is_second || (when.end && images->code.path))
        status = cairn_perf_add_in_time(images, mapping, &when);
    else if (images->code.path)
        status = cairn_perf_add_layers(images, mapping);
    if (status == CAIRN_OK && !mapping->is_inherited && has_file(images, mapping))
        status = cairn_capture_add_module(images->capture, &images->code.info);
    return status;
}

/* --- programs that were started --- */

/* Where the kernel begins to execute a program: in it, or in the file that it names for that, which is mapped next. Of a
 * program that is not here nobody knows whether it names one. */
static cairn_status find_entry(struct cairn_perf_images *images, const char **program,
                               const struct cairn_perf_mapping *mapping,
                               struct cairn_perf_exec *exec)
{
    const cairn_status status = cairn_perf_find_code(images, mapping);
    const struct cairn_perf_code *const code = &images->code;

    if (status != CAIRN_OK || exec->entry || (*program && !strcmp(*program, mapping->path)))
        return status;
    if (code->path && !code->is_interpreted)
        exec->entry = code->entry & ~UINT64_C(1);
    if (*program)
        exec->entry = exec->entry ? exec->entry : NO_ENTRY;
    *program = mapping->path;
    return CAIRN_OK;
}

/* Mappings are in the order of time. */
static cairn_status list_execs(struct cairn_perf_images *images)
{
    const struct cairn_perf_trace *const trace = images->trace;
    const char **const programs = calloc(trace->end_count + 1, sizeof *programs);
    cairn_status status = CAIRN_OK;
    size_t count = 0;

    images->execs = calloc(trace->end_count + 1, sizeof *images->execs);
    if (!images->execs || !programs)
        status = CAIRN_E_MEMORY;
    for (size_t i = 0; i < trace->end_count && !status; i++)
        images->execs[i] = (struct cairn_perf_exec){trace->ends[i].process, trace->ends[i].time, 0};
    for (size_t i = 0; i < trace->mapping_count && !status; i++) {
        const struct cairn_perf_mapping *const mapping = &trace->mappings[i];
        const struct cairn_perf_end_of_memory *const end =
            cairn_perf_last_end(trace, mapping->process, mapping->time);

        if (end && end->is_exec && !mapping->is_inherited && cairn_perf_has_file(mapping))
            status = find_entry(images, &programs[end - trace->ends], mapping,
                                &images->execs[end - trace->ends]);
    }
    for (size_t i = 0; i < trace->end_count && !status; i++)
        if (trace->ends[i].is_exec) {
            images->execs[count] = images->execs[i];
            images->execs[count].entry *= images->execs[count].entry != NO_ENTRY;
            count++;
        }
    free(programs);
    images->pinning.execs = images->execs;
    images->pinning.exec_count = count;
    return status;
}

static bool has_room(const struct cairn_perf_images *images)
{
    return images->capture->module_count < MODULES_MOST;
}

cairn_status cairn_perf_add_images(struct cairn_capture *capture, const struct cairn_files *files,
                                   const struct cairn_perf_trace *trace,
                                   struct cairn_perf_place *places, size_t place_count,
                                   const struct cairn_capture_options *options)
{
    struct cairn_perf_images images = {
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
    images.pinning = (struct cairn_perf_pinning){
        .capture = capture, .trace = trace, .is_one_process = images.is_one};
    cairn_status status = CAIRN_OK;

    images.found = calloc(trace->mapping_count + 1, sizeof *images.found);
    if (!images.found)
        status = CAIRN_E_MEMORY;
    if (status == CAIRN_OK && !trace->is_untimed)
        status = list_execs(&images);
    set_program(&images);
    for (size_t i = 0; i < trace->mapping_count && status == CAIRN_OK; i++)
        if (cairn_perf_is_of_user(&trace->mappings[i]) && has_room(&images))
            status = add_mapping(&images, i);
    cairn_perf_held_clear(&images.held);
    free(images.found);
    free(images.execs);
    free(images.older);
    cairn_perf_image_files_clear(&images.files);
    if (images.missing)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "The code of %zu mapped file%s is not here (`cairn info` lists them as modules). Tell where "
            "copies are (--sysroot, --debug-dir), or give one with --image FILE@OFFSET.",
            images.missing, cairn_plural(images.missing));
    if (images.log)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%.400s lists code that was compiled while the program ran, which is not read from there: `perf inject "
            "--jit -i perf.data -o FILE` makes files of it, and a recording FILE that tells when each was there.",
            images.log);
    cairn_perf_say_amid(&images);
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
    if (cairn_perf_is_full(&images) || !has_room(&images))
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "There are more than %u mappings of files%s: what was mapped last is left out, and what was "
            "executed of it is a gap. Record fewer processes at a time.",
            cairn_perf_is_full(&images) ? CAIRN_PERF_LAYERS_MOST : MODULES_MOST,
            cairn_perf_is_full(&images) ? ", each counted for every thread or source it is of"
                                        : "");
    return status;
}
