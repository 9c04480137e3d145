/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/mapped.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/arena.h"
#include "image/elf.h"

static bool overlap(const struct cairn_mapped *one, uint64_t address, uint64_t length)
{
    return address - one->address < one->length || one->address - address < length;
}

const struct cairn_mapped *cairn_mapped_find(const struct cairn_mapped_list *mapped,
                                             uint64_t address)
{
    for (size_t i = mapped->count; i-- > 0;) {
        if (mapped->list[i].to == UINT64_MAX && overlap(&mapped->list[i], address, 1))
            return &mapped->list[i];
    }
    return NULL;
}

static bool is_known(const struct cairn_journal_file *file)
{
    return file->inode || file->device;
}

static bool is_same(const struct cairn_journal_file *one, const struct cairn_journal_file *other)
{
    return !is_known(one) || !is_known(other) ||
           (one->device == other->device && one->inode == other->inode &&
            one->bytes == other->bytes && one->seconds == other->seconds &&
            one->nanoseconds == other->nanoseconds);
}

/* The same file's, side by side with it in file and memory. */
static bool continues(const struct cairn_mapped *one, uint64_t address,
                      const struct cairn_journal_mapping *file, const char *path,
                      size_t path_length)
{
    return one->address - one->offset == address - file->offset &&
           strlen(one->path) == path_length && !memcmp(one->path, path, path_length) &&
           is_same(&one->file, &file->file);
}

enum cairn_mapped_news cairn_mapped_look(const struct cairn_mapped_list *mapped,
                                         const struct cairn_journal_mapping *file, uint64_t address,
                                         const char *path)
{
    enum cairn_mapped_news news = CAIRN_MAPPED_ADDED;
    const uint64_t length = file->length;

    for (size_t i = 0; i < mapped->count; i++) {
        const struct cairn_mapped *one = &mapped->list[i];

        if (one->to != UINT64_MAX || !overlap(one, address, length))
            continue;
        if (!continues(one, address, file, path, strlen(path)))
            return CAIRN_MAPPED_REPLACED;
        if (address - one->address < one->length &&
            length <= one->length - (address - one->address))
            news = CAIRN_MAPPED_OLD;
    }
    return news;
}

cairn_status cairn_mapped_add(struct cairn_mapped_list *mapped,
                              const struct cairn_journal_mapping *file, uint64_t address,
                              const char *path, size_t path_length, uint64_t from)
{
    const uint64_t length = file->length;

    if (mapped->count >= CAIRN_JOURNAL_MAPPINGS)
        return CAIRN_E_LIMIT;
    char *own = strndup(path, path_length);
    if (!own || cairn_grow((void **)&mapped->list, mapped->count, &mapped->capacity,
                           sizeof *mapped->list) != CAIRN_OK) {
        free(own);
        return CAIRN_E_MEMORY;
    }
    for (size_t i = 0; i < mapped->count; i++) {
        struct cairn_mapped *one = &mapped->list[i];

        if (one->to == UINT64_MAX && overlap(one, address, length) &&
            !continues(one, address, file, path, path_length))
            one->to = from;
    }
    mapped->list[mapped->count++] = (struct cairn_mapped){.address = address,
                                                          .length = length,
                                                          .offset = file->offset,
                                                          .executed = file->executed,
                                                          .from = from,
                                                          .to = UINT64_MAX,
                                                          .file = file->file,
                                                          .path = own};
    return CAIRN_OK;
}

void cairn_mapped_clear(struct cairn_mapped_list *mapped)
{
    for (size_t i = 0; i < mapped->count; i++)
        free(mapped->list[i].path);
    free(mapped->list);
    *mapped = (struct cairn_mapped_list){0};
}

static const struct cairn_segment *segment_at(const struct cairn_segments *segments,
                                              uint64_t offset)
{
    for (size_t i = 0; i < segments->count; i++) {
        const struct cairn_segment *segment = &segments->list[i];

        if (!segment->is_zeros && offset - segment->offset < segment->size)
            return segment;
    }
    return NULL;
}

bool cairn_mapped_inspect(const char *path, uint64_t address, uint64_t offset, uint64_t *bias,
                          char **build_id)
{
    struct cairn_segments segments = {0};
    struct cairn_file *file = NULL;
    bool found = false;

    *build_id = NULL;
    if (cairn_file_open(path, &file, NULL) != CAIRN_OK)
        return false;
    if (cairn_elf_segments(file, path, &segments, NULL) == CAIRN_OK) {
        const struct cairn_segment *segment = bias ? segment_at(&segments, offset) : NULL;

        if (segment)
            *bias = address - (segment->address + (offset - segment->offset));
        found = !bias || segment;
    }
    if (found)
        *build_id = cairn_elf_build_id(file);
    cairn_segments_clear(&segments);
    cairn_file_close(file);
    return found;
}

/* A file is looked at where the recording opens its own: the program's root may be another one. */
struct look {
    const char *path;
    uint64_t address;
    struct cairn_journal_mapping *mapping;
    struct cairn_journal_file *file;
};

static void identify_task(void *context)
{
    const struct look *look = context;
    struct cairn_journal_file *file = look->file;
    struct stat status;

    if (stat(look->path, &status) != 0)
        return;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->bytes = (uint64_t)status.st_size;
    file->seconds = (uint64_t)status.st_mtim.tv_sec;
    file->nanoseconds = (uint64_t)status.st_mtim.tv_nsec;
}

static void read_task(void *context)
{
    const struct look *look = context;
    const struct cairn_journal_mapping *mapping = look->mapping;
    struct cairn_journal_file *file = look->file;
    char *build_id = NULL;
    const bool is_elf = cairn_mapped_inspect(look->path, mapping->executed,
                                             mapping->offset + (mapping->executed - look->address),
                                             &file->bias, &build_id);

    file->is_elf = is_elf && (!build_id || strlen(build_id) < sizeof file->build_id);
    if (file->is_elf && build_id)
        strcpy(file->build_id, build_id);
    free(build_id);
}

void cairn_mapped_identify(struct cairn_keeper *keeper, const char *path,
                           struct cairn_journal_file *file)
{
    cairn_keeper_run(keeper, identify_task, &(struct look){.path = path, .file = file});
}

void cairn_mapped_read(struct cairn_keeper *keeper, const char *path, uint64_t address,
                       struct cairn_journal_mapping *mapping)
{
    struct look look = {path, address, mapping, &mapping->file};

    cairn_keeper_run(keeper, read_task, &look);
}

void cairn_mapped_look_at(const char *path, struct cairn_journal_file *file)
{
    char *build_id = NULL;

    *file = (struct cairn_journal_file){0};
    cairn_mapped_identify(NULL, path, file);
    const bool is_elf = cairn_mapped_inspect(path, 0, 0, NULL, &build_id);
    file->is_elf = is_elf && (!build_id || strlen(build_id) < sizeof file->build_id);
    if (file->is_elf && build_id)
        strcpy(file->build_id, build_id);
    free(build_id);
}

bool cairn_mapped_is_there(const char *path, const struct cairn_journal_file *file)
{
    struct cairn_journal_file now = {0};

    cairn_mapped_identify(NULL, path, &now);
    return !is_known(file) || (is_known(&now) && is_same(file, &now));
}
