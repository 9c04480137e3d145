/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's code: a copy of its memory (kcore), as it was patched and with its modules, or its vmlinux, put where the
 * kernel was. The record of its mapping says where: its name ends with a symbol of which it has the address. Every
 * process has the kernel. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/letters.h"
#include "capture/perf/trace.h"
#include "capture/snapshot/search.h"
#include "image/elf.h"
#include "image/elf_symbols.h"
#include "image/kallsyms.h"
#include "image/names.h"

#define KERNEL "[kernel.kallsyms]"
#define FIRST_SYMBOL "_stext" /* of a mapping whose name has none */
#define MODULES_SHOWN 64u     /* listed: the code of none can be used */

struct kernel {
    struct cairn_capture *capture;
    const struct cairn_files *files;
    const struct cairn_perf_trace *trace;
    const struct cairn_capture_options *options;
    struct cairn_error *error;
    const struct cairn_perf_mapping *text; /* NULL: the file does not tell */
    const char *build_id;                  /* the same */
    uint64_t first, last;                  /* addresses of it and of its modules */
    size_t module_count;
};

static bool is_of_kernel(const struct cairn_perf_mapping *mapping)
{
    return mapping->process == CAIRN_PERF_NOBODY;
}

static bool is_text(const struct cairn_perf_mapping *mapping)
{
    return is_of_kernel(mapping) && !strncmp(mapping->path, KERNEL, strlen(KERNEL));
}

/* "/lib/modules/6.1.0/kernel/drivers/net/dummy.ko", or "[dummy]". */
static bool is_module(const struct cairn_perf_mapping *mapping)
{
    return is_of_kernel(mapping) && !is_text(mapping) && mapping->path[0] != '\0' &&
           strncmp(mapping->path, "[guest.", 7) != 0;
}

static void find_text(struct kernel *kernel)
{
    const struct cairn_perf_trace *const trace = kernel->trace;

    kernel->first = UINT64_MAX;
    for (size_t i = 0; i < trace->mapping_count; i++) {
        const struct cairn_perf_mapping *const mapping = &trace->mappings[i];
        const uint64_t last = mapping->address + (mapping->size - 1);

        if (!is_text(mapping) && !is_module(mapping))
            continue;
        if (is_text(mapping) && !kernel->text)
            kernel->text = mapping;
        kernel->module_count += is_module(mapping);
        kernel->first = mapping->address < kernel->first ? mapping->address : kernel->first;
        kernel->last = last > kernel->last && last >= mapping->address ? last : kernel->last;
    }
    if (kernel->text)
        kernel->build_id = kernel->text->build_id;
    for (size_t i = 0; i < trace->built_count && !kernel->build_id; i++)
        if (!strncmp(trace->built[i].path, KERNEL, strlen(KERNEL)))
            kernel->build_id = trace->built[i].build_id;
}

/* Names that the mapping is told by: the symbol, and where that was. False: it is not told. */
static bool reference_of(const struct kernel *kernel, const char **symbol, uint64_t *address)
{
    if (!kernel->text)
        return false;
    *symbol = kernel->text->path + strlen(KERNEL);
    *symbol = **symbol ? *symbol : FIRST_SYMBOL;
    *address = kernel->text->offset ? kernel->text->offset : kernel->text->address;
    return *address != 0;
}

/* --- a copy of its memory --- */

static cairn_status refuse(const struct kernel *kernel, bool is_named, const char *path,
                           const char *reason)
{
    if (is_named)
        return cairn_fail(kernel->error, CAIRN_E_FORMAT, "--kcore %s: %s", path, reason);
    cairn_capture_say(kernel->capture, CAIRN_WARNING, "%.400s is not used: %.400s.", path, reason);
    return CAIRN_E_NOT_FOUND;
}

/* As an error of a file that is opened begins: with its path, which is told already. */
static const char *reason_of(const struct cairn_error *error, const char *path)
{
    const size_t length = strlen(path);

    return !strncmp(error->text, path, length) && !strncmp(error->text + length, ": ", 2)
               ? error->text + length + 2
               : error->text;
}

/* Programs are in the lower half of what has 64-bit addresses. */
static bool is_of_programs(const struct cairn_segments *segments)
{
    for (size_t i = 0; i < segments->count; i++)
        if (segments->machine == EM_AARCH64 && !(segments->list[i].address >> 63))
            return true;
    return false;
}

static bool has_address(const struct cairn_segments *segments, uint64_t address)
{
    for (size_t i = 0; i < segments->count; i++)
        if (address - segments->list[i].address < segments->list[i].size)
            return true;
    return false;
}

/* The list of symbols beside it. */
struct list {
    const char *path;
    bool names_code;
    bool is_compared; /* it has the symbol that the recording tells the address of */
    bool is_of_other; /* another start of the kernel, which each time is elsewhere */
};

static void look_at_list(const struct kernel *kernel, struct list *list)
{
    struct cairn_file *file = NULL;
    const char *symbol;
    uint64_t address, listed;

    if (cairn_file_open(list->path, &file, NULL) != CAIRN_OK)
        return;
    const char *const text = (const char *)file->data;
    const size_t size = (size_t)file->identity.size;

    list->names_code = cairn_kallsyms_name_code(text, size);
    list->is_compared =
        reference_of(kernel, &symbol, &address) && cairn_kallsyms_find(text, size, symbol, &listed);
    list->is_of_other = list->is_compared && listed != address;
    cairn_file_close(file);
}

/* It is no program: what names its code is the list of symbols, or vmlinux. */
static cairn_status add_segments(struct kernel *kernel, const char *path,
                                 const struct cairn_segments *segments)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < segments->count && status == CAIRN_OK; i++) {
        const struct cairn_segment *const one = &segments->list[i];

        if (one->is_zeros)
            continue;
        const uint64_t last = one->address + (one->size - 1);
        if (!kernel->text) {
            kernel->first = one->address < kernel->first ? one->address : kernel->first;
            kernel->last = last > kernel->last ? last : kernel->last;
        }
        status = cairn_image_add_file(kernel->capture->image, path, one->offset, one->size, NULL,
                                      segments->order, one->address, kernel->error);
    }
    return status;
}

static cairn_status use_kcore(struct kernel *kernel, bool is_named, const char *path,
                              const struct list *list)
{
    struct cairn_file *file = NULL;
    struct cairn_segments segments;
    struct cairn_error error = {.status = CAIRN_OK};
    cairn_status status = cairn_file_open(path, &file, &error);

    if (status == CAIRN_OK)
        status = cairn_elf_segments(file, path, &segments, &error);
    cairn_file_close(file);
    if (status != CAIRN_OK)
        return refuse(kernel, is_named, path, reason_of(&error, path));
    if (is_of_programs(&segments)) {
        cairn_segments_clear(&segments);
        return refuse(kernel, is_named, path,
                      "it is no copy of a kernel's memory: it has addresses at which programs are");
    }
    if ((kernel->text && !has_address(&segments, kernel->text->address)) || list->is_of_other)
        status = refuse(kernel, is_named, path,
                        "it is of another kernel, or another start of it: the one that was traced "
                        "was at other addresses");
    if (status == CAIRN_OK)
        status = add_segments(kernel, path, &segments);
    cairn_segments_clear(&segments);
    if (status == CAIRN_OK && !list->is_compared)
        cairn_capture_say(
            kernel->capture, CAIRN_WARNING,
            "%.400s: whether it is of the kernel that was traced, and of that start of "
            "it, could not be compared: %s.",
            path,
            kernel->text ? "no kallsyms with addresses is beside it"
                         : "the recording does not say where the kernel was");
    return status;
}

/* The file, and the list of symbols beside it. CAIRN_E_NOT_FOUND: none is used. */
static cairn_status add_kcore(struct kernel *kernel, const char *place, bool is_named)
{
    struct cairn_arena *const arena = &kernel->capture->arena;
    const bool is_folder = cairn_is_folder(place);
    const char *const slash = strrchr(place, '/');
    const int length = is_folder ? (int)strlen(place) : slash ? (int)(slash - place) : 0;
    const char *const path =
        is_folder ? cairn_arena_format(arena, "%s/kcore", place) : cairn_arena_text(arena, place);
    struct list list = {.path = cairn_arena_format(arena, "%.*s%skallsyms", length, place,
                                                   is_folder || slash ? "/" : "")};
    uint64_t size;

    if (!path || !list.path)
        return CAIRN_E_MEMORY;
    if (!is_named && !kernel->files->size_of(kernel->files->context, path, &size))
        return CAIRN_E_NOT_FOUND;
    look_at_list(kernel, &list);
    cairn_status status = use_kcore(kernel, is_named, path, &list);
    if (status == CAIRN_OK && kernel->first <= kernel->last && list.names_code)
        status = cairn_image_add_listed(kernel->capture->image, list.path, kernel->first,
                                        kernel->last, kernel->error);
    return status;
}

/* --- vmlinux --- */

/* Address minus address in the file. False: the file has no such symbol, or nothing says where it was. */
static bool find_shift(const struct kernel *kernel, const struct cairn_file *file, uint64_t *shift)
{
    struct Elf *const elf = cairn_elf_begin(file);
    const char *symbol;
    uint64_t address, linked;
    const bool is_known =
        elf && reference_of(kernel, &symbol, &address) && cairn_symbol_value(elf, symbol, &linked);

    elf_end(elf);
    *shift = is_known ? address - linked : 0;
    return is_known;
}

static struct cairn_module_info info_of(const struct kernel *kernel)
{
    return (struct cairn_module_info){
        .size = sizeof(struct cairn_module_info),
        .path = kernel->text ? kernel->text->path : KERNEL,
        .build_id = kernel->build_id,
        .address = kernel->text ? kernel->text->address : 0,
        .length = kernel->text ? kernel->text->size : 0,
        .state = CAIRN_MODULE_MISSING,
    };
}

/* `path` is right, and `own` has its code where that was split off (or NULL); with `names_only` its code is not wanted,
 * since there is better. */
static cairn_status use_vmlinux(struct kernel *kernel, const char *path, const char *own,
                                bool names_only)
{
    struct cairn_image *const image = kernel->capture->image;
    struct cairn_module_info info = info_of(kernel);
    struct cairn_file *file = NULL;
    cairn_status status = cairn_file_open(path, &file, kernel->error);
    uint64_t shift = 0;

    if (status != CAIRN_OK)
        return status;
    const bool is_known = find_shift(kernel, file, &shift);
    const bool has_code = own || cairn_elf_has_code(file);
    cairn_file_close(file);
    if (!names_only && has_code)
        status = cairn_image_add_elf(image, own ? own : path, shift, NULL, kernel->error);
    if (status == CAIRN_OK)
        status = cairn_image_add_names(image, path, shift, NULL, info.address, info.length,
                                       kernel->error);
    if (status == CAIRN_OK && own)
        status = cairn_image_name_program(image, own, kernel->error);
    if (status != CAIRN_OK)
        return status;
    info.file = path;
    info.code = own;
    info.bias = shift;
    info.state = CAIRN_MODULE_USED;
    if (!is_known)
        cairn_capture_say(
            kernel->capture, CAIRN_WARNING,
            "%.400s: nothing says where the kernel was%s: it is taken to be where it was "
            "linked for. Record as root, with kernel.kptr_restrict=0.",
            path, kernel->text ? " that has these symbols" : "");
    if (!names_only && has_code)
        cairn_capture_say(
            kernel->capture, CAIRN_NOTE,
            "%.400s is the kernel as it was linked: where it has patched itself since "
            "(alternatives, static keys, tracing) other instructions ran. `perf record "
            "--kcore` keeps those.",
            path);
    if (!names_only && !has_code)
        cairn_capture_say(
            kernel->capture, CAIRN_WARNING,
            "%.400s has the kernel's names and not its code: give a vmlinux with its code, or "
            "record with --kcore.",
            path);
    return cairn_capture_add_module(kernel->capture, &info);
}

static cairn_status take_given(struct kernel *kernel, bool names_only)
{
    const char *const path = kernel->options->vmlinux;
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_elf_facts facts;
    struct cairn_file *file = NULL;

    if (cairn_file_open(path, &file, &error) != CAIRN_OK)
        return cairn_fail(kernel->error, CAIRN_E_IO, "--vmlinux %s: %s", path,
                          reason_of(&error, path));
    cairn_file_close(file);
    if (!cairn_elf_look(path, &facts))
        return cairn_fail(kernel->error, CAIRN_E_FORMAT,
                          "--vmlinux %s: it is no ELF file of an Arm kernel that can be read",
                          path);
    const bool is_other =
        kernel->build_id && (!facts.build_id || strcmp(kernel->build_id, facts.build_id) != 0);
    if (is_other)
        (void)cairn_fail(
            kernel->error, CAIRN_E_FORMAT,
            "--vmlinux %s: it is another kernel than the one that was traced: its build-id is "
            "%s, and that one's %s",
            path, facts.build_id ? facts.build_id : "none", kernel->build_id);
    free(facts.build_id);
    if (is_other)
        return CAIRN_E_FORMAT;
    if (!kernel->build_id)
        cairn_capture_say(
            kernel->capture, CAIRN_WARNING,
            "%.400s: whether it is the kernel that was traced is not known: the recording "
            "does not say its build-id.",
            path);
    const char *const own = cairn_arena_text(&kernel->capture->arena, path);
    return own ? use_vmlinux(kernel, own, NULL, names_only) : CAIRN_E_MEMORY;
}

/* By its build-id. CAIRN_E_NOT_FOUND: there is none. */
static cairn_status look_for_vmlinux(struct kernel *kernel, bool names_only)
{
    const struct cairn_module_search search = {
        .files = kernel->files, .folder = "", .options = kernel->options};
    const struct cairn_module_info wanted = info_of(kernel);
    struct cairn_module_found found;

    if (!kernel->build_id)
        return CAIRN_E_NOT_FOUND;
    cairn_status status = cairn_module_find(&search, &wanted, NULL, &found);
    if (status != CAIRN_OK)
        return status;
    const char *const path =
        found.file ? cairn_arena_text(&kernel->capture->arena, found.file) : NULL;
    const char *const own =
        found.code ? cairn_arena_text(&kernel->capture->arena, found.code) : NULL;
    const bool is_there = found.file != NULL, is_kept = path && (own || !found.code);

    cairn_module_found_clear(&found);
    if (!is_there)
        return CAIRN_E_NOT_FOUND;
    return is_kept ? use_vmlinux(kernel, path, own, names_only) : CAIRN_E_MEMORY;
}

/* --- what is missing --- */

static cairn_status list_missing(struct kernel *kernel)
{
    const struct cairn_perf_trace *const trace = kernel->trace;
    const struct cairn_module_info text = info_of(kernel);
    cairn_status status = CAIRN_OK;

    /* of a kernel of which the file says nothing there is nothing to list */
    if (kernel->text || kernel->build_id)
        status = cairn_capture_add_module(kernel->capture, &text);
    cairn_capture_say(
        kernel->capture, CAIRN_NOTE,
        "The kernel was traced, and its code is not here (%s%.64s): give its vmlinux (--vmlinux FILE), "
        "a folder with it by build-id (--debug-dir), or a copy of its memory, as `perf record --kcore` "
        "makes one (--kcore FOLDER).",
        kernel->build_id ? "build-id "
        : kernel->text   ? "its build-id is not told"
                         : "the file says nothing of it",
        kernel->build_id ? kernel->build_id : "");
    for (size_t i = 0, shown = 0;
         i < trace->mapping_count && shown < MODULES_SHOWN && status == CAIRN_OK; i++) {
        const struct cairn_perf_mapping *const mapping = &trace->mappings[i];

        if (!is_module(mapping))
            continue;
        const struct cairn_module_info info = {
            .size = sizeof info,
            .path = mapping->path,
            .build_id = cairn_perf_build_id_of(trace, mapping),
            .address = mapping->address,
            .length = mapping->size,
            .state = CAIRN_MODULE_MISSING,
        };
        status = cairn_capture_add_module(kernel->capture, &info);
        shown++;
    }
    return status;
}

static void say_modules(const struct kernel *kernel)
{
    if (kernel->module_count)
        cairn_capture_say(
            kernel->capture, CAIRN_NOTE,
            "The code of %zu module%s of the kernel is not here: their files are not linked, so "
            "that only a copy of memory has it (`perf record --kcore`).",
            kernel->module_count, cairn_plural(kernel->module_count));
}

cairn_status cairn_perf_add_kernel(struct cairn_capture *capture, const struct cairn_files *files,
                                   const struct cairn_perf_trace *trace,
                                   const struct cairn_capture_options *options, const char *folder,
                                   bool is_traced, struct cairn_error *error)
{
    struct kernel kernel = {
        .capture = capture, .files = files, .trace = trace, .options = options, .error = error};
    const char *const place = options->kcore ? options->kcore : folder;
    cairn_status status = CAIRN_E_NOT_FOUND;

    capture->is_perf = true;
    if (!is_traced && !options->kcore && !options->vmlinux)
        return CAIRN_OK;
    find_text(&kernel);
    if (is_traced && trace->kernel_changes)
        cairn_capture_say(
            capture, CAIRN_NOTE,
            "%llu records of code that the kernel made or patched while it ran (KSYMBOL, TEXT_POKE) "
            "are not read: where that was executed the trace may contradict the kernel's file. A copy "
            "of its memory (perf record --kcore) has it.",
            (unsigned long long)trace->kernel_changes);
    if (place)
        status = add_kcore(&kernel, place, options->kcore != NULL);
    const bool has_memory = status == CAIRN_OK;
    if (status != CAIRN_OK && status != CAIRN_E_NOT_FOUND)
        return status;
    status =
        options->vmlinux ? take_given(&kernel, has_memory) : look_for_vmlinux(&kernel, has_memory);
    if (status == CAIRN_E_NOT_FOUND)
        return has_memory ? CAIRN_OK : list_missing(&kernel);
    if (status == CAIRN_OK && !has_memory && is_traced)
        say_modules(&kernel);
    return status;
}
