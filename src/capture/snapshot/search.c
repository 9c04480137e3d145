/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/snapshot/search.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/debuglink.h"
#include "image/elf.h"
#include "image/stored.h"

enum worth {
    WORTH_NOTHING = 0, /* there is none */
    WORTH_SOME = 1,    /* names of what is linked at run time */
    WORTH_SYMBOLS = 2,
    WORTH_ALL = 3, /* symbols and source lines */
};

/* What was found of one module so far. */
struct finding {
    const struct cairn_module_search *search;
    const struct cairn_module_info *module;
    char *best;   /* for names */
    char *code;   /* the first with code: may be the same path */
    char *own_id; /* where nothing tells the build-id: that of the first file in its place */
    enum worth worth;
    bool is_other; /* a file was where it should be, and is another one */
    bool no_memory;
};

static enum worth worth_of(const struct cairn_elf_facts *facts)
{
    if (!facts->has_symbols)
        return WORTH_SOME;
    return facts->has_lines ? WORTH_ALL : WORTH_SYMBOLS;
}

/* The path, to be freed, if there is a file; else NULL. */
static char *find_path(struct finding *finding, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static char *find_path(struct finding *finding, const char *format, va_list arguments)
{
    const struct cairn_files *const files = finding->search->files;
    struct cairn_file_identity there; /* also in an archive */
    uint64_t size;
    char *path = NULL;

    if (vasprintf(&path, format, arguments) < 0)
        path = NULL;
    finding->no_memory |= !path;
    if (path && (files->size_of(files->context, path, &size) ||
                 (strstr(path, CAIRN_STORED_MARK) && cairn_file_identify(path, &there))))
        return path;
    free(path);
    return NULL;
}

static const char *id_of(const struct finding *finding)
{
    return finding->module->build_id ? finding->module->build_id : finding->own_id;
}

/* The file is the module's. */
static void take(struct finding *finding, const char *path, struct cairn_elf_facts *facts)
{
    if (facts->has_code && !finding->code) {
        finding->code = strdup(path);
        finding->no_memory |= !finding->code;
    }
    if (worth_of(facts) > finding->worth) {
        char *const best = strdup(path);

        finding->no_memory |= !best;
        free(finding->best);
        finding->best = best;
        finding->worth = worth_of(facts);
    }
    if (!id_of(finding)) {
        finding->own_id = facts->build_id;
        facts->build_id = NULL;
    }
}

/* Takes the candidate if it is the module's file and better than what there is. `in_place`: it lies where the
 * module's file has to be, so that it counts without a build-id, and is told if it is another one. */
static void consider(struct finding *finding, bool in_place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void consider(struct finding *finding, bool in_place, const char *format, ...)
{
    const char *const wanted = id_of(finding);
    struct cairn_elf_facts facts;
    char *path;
    va_list arguments;

    if ((finding->worth == WORTH_ALL && finding->code) || (!wanted && !in_place))
        return;
    va_start(arguments, format);
    path = find_path(finding, format, arguments);
    va_end(arguments);
    if (!path)
        return;
    const bool is_elf = cairn_elf_look(path, &facts);
    const bool is_it =
        is_elf && (!wanted || (facts.build_id && strcmp(facts.build_id, wanted) == 0));
    if (is_it)
        take(finding, path, &facts);
    finding->is_other |= in_place && !is_it;
    free(facts.build_id);
    free(path);
}

/* A file that is stored in an archive that lies about. */
static void look_in_archive(struct finding *finding, const char *folder)
{
    const char *const path = finding->module->path;
    const char *const mark = strstr(path, CAIRN_STORED_MARK);
    const char *name = path;

    for (const char *at = path; mark && at < mark; at++)
        name = *at == '/' ? at + 1 : name;
    if (mark)
        consider(finding, false, "%s/%s", folder, name);
}

/* The layouts that debuggers know: gdb's and debuginfod's by build-id, a mirror of the file system, and
 * files lying about. */
static void look_in(struct finding *finding, const char *folder)
{
    const char *const id = id_of(finding);
    const char *const path = finding->module->path;
    const char *const slash = strrchr(path, '/');

    if (!id || strlen(id) < 3)
        return;
    consider(finding, false, "%s/.build-id/%.2s/%s.debug", folder, id, id + 2);
    consider(finding, false, "%s/.build-id/%.2s/%s", folder, id, id + 2);
    consider(finding, false, "%s/.build-id/%.2s/%s/elf", folder, id, id + 2);
    consider(finding, false, "%s/.build-id/%.2s/%s/vdso", folder, id, id + 2);
    consider(finding, false, "%s/%s/debuginfo", folder, id);
    consider(finding, false, "%s/%s/executable", folder, id);
    consider(finding, false, "%s%s.debug", folder, path);
    consider(finding, false, "%s/%s", folder, slash ? slash + 1 : path);
    consider(finding, false, "%s/%s.debug", folder, slash ? slash + 1 : path);
    look_in_archive(finding, folder);
}

/* --- the file that the module's own one names */

struct linked {
    struct finding *finding;
    struct cairn_debuglink link;
    const char *owner;
    char *best, *other;
};

static void consider_linked(struct linked *linked, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void consider_linked(struct linked *linked, const char *format, ...)
{
    struct finding *const finding = linked->finding;
    struct cairn_elf_facts facts = {0};
    char *path;
    va_list arguments;

    if (linked->best)
        return;
    va_start(arguments, format);
    path = find_path(finding, format, arguments);
    va_end(arguments);
    if (!path)
        return;
    char **keep = NULL;
    switch (cairn_debuglink_match(&linked->link, linked->owner, path)) {
    case CAIRN_DEBUGLINK_NONE: break;
    case CAIRN_DEBUGLINK_OTHER: keep = linked->other ? NULL : &linked->other; break;
    case CAIRN_DEBUGLINK_IS:
        if (cairn_elf_look(path, &facts) && worth_of(&facts) > finding->worth)
            keep = &linked->best;
        free(facts.build_id);
        break;
    }
    if (keep)
        *keep = path;
    else
        free(path);
}

/* As gdb does, for the folder that the file is in and for the one that it was in. */
static void look_for_linked(struct linked *linked)
{
    const struct cairn_capture_options *const options = linked->finding->search->options;
    const char *const paths[] = {linked->owner, linked->finding->module->path};
    const char *const name = linked->link.name;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *const slash = strrchr(paths[i], '/');
        const int length = slash ? (int)(slash - paths[i]) + 1 : 0;

        consider_linked(linked, "%.*s%s", length, paths[i], name);
        consider_linked(linked, "%.*s.debug/%s", length, paths[i], name);
        for (size_t j = 0; j < options->debug_folder_count; j++)
            consider_linked(linked, "%s/%.*s%s", options->debug_folders[j], length, paths[i], name);
    }
    for (size_t j = 0; j < options->debug_folder_count; j++)
        consider_linked(linked, "%s/%s", options->debug_folders[j], name);
}

static void follow_link(struct finding *finding, struct cairn_module_found *found)
{
    struct linked linked = {.finding = finding, .owner = finding->best};

    if (!finding->best || finding->worth == WORTH_ALL ||
        !cairn_debuglink_read(finding->best, &linked.link))
        return;
    look_for_linked(&linked);
    free(linked.link.name);
    if (linked.best) {
        free(finding->best);
        finding->best = linked.best;
        free(linked.other); /* the right one is there as well */
    } else {
        found->other = linked.other;
    }
}

void cairn_module_found_clear(struct cairn_module_found *found)
{
    free(found->file);
    free(found->code);
    free(found->other);
    *found = (struct cairn_module_found){0};
}

cairn_status cairn_module_find(const struct cairn_module_search *search,
                               const struct cairn_module_info *module, const char *embedded,
                               struct cairn_module_found *found)
{
    const struct cairn_capture_options *const options = search->options;
    struct finding finding = {.search = search, .module = module};

    *found = (struct cairn_module_found){0};
    if (embedded)
        consider(&finding, true, "%s%s", search->folder, embedded);
    if (options->sysroot)
        consider(&finding, true, "%s/%s", options->sysroot, module->path);
    /* Another machine's root was named: what this one has there counts if it is the very same. */
    consider(&finding, !options->sysroot, "%s", module->path);
    for (size_t i = 0; i < options->debug_folder_count; i++)
        look_in(&finding, options->debug_folders[i]);
    follow_link(&finding, found);
    free(finding.own_id);
    if (finding.code && finding.best && strcmp(finding.code, finding.best) == 0) {
        free(finding.code);
        finding.code = NULL;
    }
    found->file = finding.best;
    found->code = finding.code;
    if (finding.no_memory) {
        cairn_module_found_clear(found);
        return CAIRN_E_MEMORY;
    }
    found->state = finding.best       ? CAIRN_MODULE_USED
                   : finding.is_other ? CAIRN_MODULE_CHANGED
                                      : CAIRN_MODULE_MISSING;
    return CAIRN_OK;
}
