/* SPDX-License-Identifier: BSD-2-Clause */
/* What is traced, as units are programmed with it. A name is looked up in a file when that is mapped,
 * which is in front of the first instruction of its code; the unit of each thread is programmed anew,
 * as a debugger would, before the thread executes any of it. */
#include <stdlib.h>
#include <string.h>

#include <cairn/image.h>

#include "machine/mapped.h"
#include "machine/qemu/arguments.h"
#include "machine/qemu/plugin.h"

/* A file at an address; all its code needs the program that it came with. */
struct module {
    char *path;
    uint64_t bias;
    uint32_t program;
    bool is_old; /* it was unmapped, and its places are gone */
};

/* Of a name, in a module. */
struct place {
    size_t name, module;
    uint64_t first, last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    struct module *modules;
    size_t module_count, module_capacity;
    struct place *places;
    size_t place_count, place_capacity;
    struct cairn_filters now; /* all that are known; of the settings until there are places */
    struct cairn_unit *trial; /* never enabled: what does not fit it fits no unit */
    uint32_t program;
} state;

static const struct cairn_filters *filters(void)
{
    return state.program ? &state.now : &cairn_qemu.settings.filters;
}

bool cairn_qemu_filters_start(void)
{
    return cairn_filters_have(&cairn_qemu.settings.filters, CAIRN_FILTER_START);
}

static bool grow(void **list, size_t count, size_t *capacity, size_t size)
{
    const size_t wanted = *capacity ? 2 * *capacity : 16;

    if (count < *capacity)
        return true;
    void *const grown = reallocarray(*list, wanted, size);
    if (!grown)
        return false;
    *list = grown;
    *capacity = wanted;
    return true;
}

/* --- places --- */

static bool add_place(size_t name, size_t module, uint64_t first, uint64_t last)
{
    void *list = state.places;
    const bool done = grow(&list, state.place_count, &state.place_capacity, sizeof *state.places);

    state.places = list;
    if (done)
        state.places[state.place_count++] = (struct place){name, module, first, last};
    return done;
}

static bool is_range(enum cairn_filter_use use)
{
    return use == CAIRN_FILTER_INCLUDE || use == CAIRN_FILTER_EXCLUDE;
}

static void mark(_Atomic uint64_t *names, size_t name)
{
    atomic_fetch_or_explicit(names, UINT64_C(1) << name, memory_order_relaxed);
}

static void add_matches(size_t index, size_t module, const struct cairn_matches *matches)
{
    const struct cairn_qemu_name *name = &cairn_qemu.settings.names[index];
    struct cairn_match match = {.size = sizeof match};

    for (size_t i = 0; cairn_matches_at(matches, i, &match) == CAIRN_OK; i++) {
        const bool range = is_range(name->use);

        if (!range && !match.is_entry)
            continue;
        if (match.chooses)
            mark(&cairn_qemu.control->names_chosen, index);
        if (!add_place(index, module, match.first, range ? match.last : match.first))
            return;
    }
}

/* The places of what was unmapped since are nobody's, or somebody else's. */
static void drop_old_places(size_t newest)
{
    size_t kept = 0;

    for (size_t i = 0; i < state.place_count; i++) {
        const struct place *place = &state.places[i];

        struct module *module = &state.modules[place->module];

        module->is_old |=
            place->module != newest && !cairn_qemu_is_mapped(place->first, module->path);
        if (!module->is_old)
            state.places[kept++] = *place;
    }
    state.place_count = kept;
}

/* --- programs --- */

static cairn_status collect(struct cairn_filters *made)
{
    const struct cairn_qemu_settings *settings = &cairn_qemu.settings;
    bool has[CAIRN_QEMU_NAMES_MOST] = {false};
    cairn_status status = CAIRN_OK;

    *made = (struct cairn_filters){.count = 0};
    for (size_t i = 0; i < settings->filters.count && status == CAIRN_OK; i++) {
        const struct cairn_filter *one = &settings->filters.list[i];
        status = cairn_filters_add(made, one->use, one->first, one->last);
    }
    for (size_t i = 0; i < state.place_count && status == CAIRN_OK; i++) {
        const struct place *place = &state.places[i];
        has[place->name] = true;
        status =
            cairn_filters_add(made, settings->names[place->name].use, place->first, place->last);
    }
    for (size_t i = 0; i < settings->name_count; i++)
        made->waits[settings->names[i].use] |= !has[i];
    return status;
}

/* Whether units have comparators for all places; then they are what is programmed from now on. */
static bool settle(void)
{
    const struct cairn_unit_options options = cairn_qemu_unit_options();
    struct cairn_filters made;
    bool fits = collect(&made) == CAIRN_OK;

    if (fits && !state.trial)
        fits = cairn_unit_new(&options, &state.trial, NULL) == CAIRN_OK;
    fits = fits &&
           cairn_filters_program(&made, cairn_qemu.scanner, NULL, state.trial, NULL) == CAIRN_OK;
    if (!fits) {
        cairn_filters_clear(&made);
        return false;
    }
    cairn_filters_clear(&state.now);
    state.now = made;
    return true;
}

/* --- files --- */

static bool is_program(const char *path)
{
    return cairn_qemu.settings.program && strcmp(path, cairn_qemu.settings.program) == 0;
}

/* Looks for the names in a module; true if there are any. */
static bool look(size_t module)
{
    const struct cairn_qemu_settings *settings = &cairn_qemu.settings;
    const struct module *file = &state.modules[module];
    struct cairn_image *image = NULL;
    bool found = false;

    if (cairn_image_new(&image) != CAIRN_OK ||
        cairn_image_add_names(image, file->path, file->bias, NULL, 0, 0, NULL) != CAIRN_OK) {
        cairn_image_unref(image);
        return false;
    }
    drop_old_places(module);
    for (size_t i = 0; i < settings->name_count; i++) {
        struct cairn_matches *matches = NULL;
        const size_t before = state.place_count;

        if ((settings->names[i].own && !is_program(file->path)) ||
            cairn_image_find(image, settings->names[i].text, 0, &matches, NULL) != CAIRN_OK)
            continue;
        add_matches(i, module, matches);
        cairn_matches_free(matches);
        if (settle()) {
            mark(&cairn_qemu.control->names_found, i);
            found = true;
        } else {
            state.place_count = before;
            mark(&cairn_qemu.control->names_refused, i);
        }
    }
    cairn_image_unref(image);
    return found;
}

/* Its number, or that of a new one; SIZE_MAX without memory. */
static size_t find_module(const char *path, uint64_t bias)
{
    for (size_t i = 0; i < state.module_count; i++)
        if (state.modules[i].bias == bias && strcmp(state.modules[i].path, path) == 0)
            return i;
    void *list = state.modules;
    char *const copy = strdup(path);
    const bool done =
        copy && grow(&list, state.module_count, &state.module_capacity, sizeof *state.modules);

    state.modules = list;
    if (!done) {
        free(copy);
        return SIZE_MAX;
    }
    state.modules[state.module_count] = (struct module){.path = copy, .bias = bias, .is_old = true};
    return state.module_count++;
}

static uint32_t add_module(const struct cairn_recorded_file *file)
{
    char *build_id = NULL;
    uint64_t bias = 0;
    const bool is_module =
        cairn_mapped_inspect(file->path, file->executed,
                             file->offset + (file->executed - file->address), &bias, &build_id);

    free(build_id);
    if (!is_module)
        return 0;
    const size_t module = find_module(file->path, bias);
    if (module == SIZE_MAX)
        return 0;
    if (state.modules[module].is_old) {
        state.modules[module].is_old = false;
        if (look(module))
            state.modules[module].program = ++state.program;
    }
    return state.modules[module].program;
}

uint32_t cairn_qemu_filters_mapped(const struct cairn_recorded_file *file)
{
    if (cairn_qemu.settings.name_count == 0)
        return 0;
    pthread_mutex_lock(&lock);
    const uint32_t program = add_module(file);
    pthread_mutex_unlock(&lock);
    return program;
}

/* --- units --- */

static cairn_status program(struct cairn_qemu_thread *thread, bool started, cairn_entry entry)
{
    const struct cairn_filters_state at = {.started = started || !cairn_qemu_filters_start(),
                                           .continues = cairn_entry_address(entry)};

    return cairn_filters_program(filters(), cairn_qemu.scanner, &at, thread->unit, NULL);
}

cairn_status cairn_qemu_filters_begin(struct cairn_qemu_thread *thread, bool started,
                                      cairn_entry entry)
{
    pthread_mutex_lock(&lock);
    cairn_status status = program(thread, started, entry);
    /* What does not fit with a start point more (ETMv3) has to come to one of the others. */
    if (status == CAIRN_E_LIMIT && started)
        status = program(thread, false, entry);
    thread->program = state.program;
    pthread_mutex_unlock(&lock);
    return status;
}

void cairn_qemu_filters_renew(struct cairn_qemu_thread *thread, cairn_entry entry)
{
    const bool started = cairn_filters_started(thread->unit);

    cairn_qemu_settle_cycles(thread);
    cairn_processor_disable(&thread->processor);
    if (cairn_qemu_filters_begin(thread, started, entry) != CAIRN_OK)
        atomic_fetch_add_explicit(&cairn_qemu.control->discontinuities, 1, memory_order_relaxed);
    cairn_processor_enable(&thread->processor);
}

void cairn_qemu_filters_free(void)
{
    for (size_t i = 0; i < state.module_count; i++)
        free(state.modules[i].path);
    free(state.modules);
    free(state.places);
    cairn_filters_clear(&state.now);
    cairn_unit_free(state.trial);
}
