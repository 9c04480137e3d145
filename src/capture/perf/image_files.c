/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/perf/image_files.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "image/elf.h"

struct cairn_perf_image_file {
    const char *path, *build_id; /* as recorded; the recording's */
    enum cairn_module_state state;
    const char *file, *code; /* as cairn_module_found has them */
};

/* --- looking for it --- */

static uint32_t hash_of(const char *path, const char *build_id)
{
    uint64_t hash = 0;

    for (const char *at = path; *at; at++)
        hash = cairn_table_hash(hash, (uint8_t)*at);
    for (const char *at = build_id ? build_id : ""; *at; at++)
        hash = cairn_table_hash(hash, (uint8_t)*at);
    return (uint32_t)hash;
}

static bool is_it(const struct cairn_perf_image_file *file, const char *path, const char *build_id)
{
    return strcmp(file->path, path) == 0 &&
           (build_id && file->build_id ? strcmp(file->build_id, build_id) == 0
                                       : build_id == file->build_id);
}

/* What the kernel says of a file that was removed, or replaced, while it was mapped. It may have come back, and a copy has
 * the name that it had: where the build-id tells that it is the same. */
static const char *without_mark(const struct cairn_perf_image_files *files, const char *path)
{
    static const char mark[] = " (deleted)";
    const size_t length = strlen(path), own = sizeof mark - 1;

    if (length <= own || strcmp(path + length - own, mark) != 0)
        return path;
    return cairn_arena_format(files->arena, "%.*s", (int)(length - own), path);
}

static cairn_status look_for(struct cairn_perf_image_files *files,
                             const struct cairn_module_info *info,
                             struct cairn_perf_image_file *made)
{
    struct cairn_module_info wanted = *info;
    struct cairn_module_found found;
    cairn_status status = CAIRN_OK;

    if (info->build_id && !(wanted.path = without_mark(files, info->path)))
        status = CAIRN_E_MEMORY;
    if (status == CAIRN_OK)
        status = cairn_module_find(&files->search, &wanted, NULL, &found);
    if (status != CAIRN_OK)
        return status;
    *made = (struct cairn_perf_image_file){
        .path = info->path, .build_id = info->build_id, .state = found.state};
    if ((found.file && !(made->file = cairn_arena_text(files->arena, found.file))) ||
        (found.code && !(made->code = cairn_arena_text(files->arena, found.code))))
        status = CAIRN_E_MEMORY;
    cairn_module_found_clear(&found);
    return status;
}

static cairn_status find(struct cairn_perf_image_files *files, const struct cairn_module_info *info,
                         const struct cairn_perf_image_file **found)
{
    const uint32_t hash = hash_of(info->path, info->build_id);
    size_t at = cairn_table_begin(&files->table, hash);
    uint32_t item;

    while ((item = cairn_table_next(&files->table, hash, &at)) != CAIRN_TABLE_NONE)
        if (is_it(&files->list[item], info->path, info->build_id)) {
            *found = &files->list[item];
            return CAIRN_OK;
        }
    cairn_status status =
        cairn_enlarge(&files->list, &files->room, files->count + 1, sizeof *files->list);
    if (status == CAIRN_OK)
        status = look_for(files, info, &files->list[files->count]);
    if (status == CAIRN_OK)
        status = cairn_table_add(&files->table, hash, (uint32_t)files->count);
    if (status == CAIRN_OK)
        *found = &files->list[files->count++];
    return status;
}

/* --- what it is --- */

/* Of a file without segments, as perf wrote functions that were compiled while a program ran (jitted-PID-N.so) until it
 * gave them program headers: by the section of code that the mapping is in. */
static bool find_section(const struct cairn_file *file, const struct cairn_perf_mapping *mapping,
                         uint64_t *bias, enum cairn_order *order)
{
    struct Elf *const elf = cairn_elf_begin(file);
    Elf_Scn *section = NULL;
    GElf_Ehdr whole;
    GElf_Shdr header;
    bool is_found = false;

    if (elf && gelf_getehdr(elf, &whole) && whole.e_ident[EI_DATA] == ELFDATA2MSB)
        *order = CAIRN_ORDER_BE8;
    while (elf && !is_found && (section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_EXECINSTR) &&
            header.sh_type != SHT_NOBITS && header.sh_offset < mapping->offset + mapping->size &&
            mapping->offset < header.sh_offset + header.sh_size) {
            *bias = mapping->address - mapping->offset + header.sh_offset - header.sh_addr;
            is_found = true;
        }
    elf_end(elf);
    return is_found;
}

/* How many bytes of the segment the mapping has. */
static uint64_t overlap_of(const struct cairn_segment *segment,
                           const struct cairn_perf_mapping *mapping)
{
    const uint64_t end = segment->offset + segment->size;
    const uint64_t mapped_end = mapping->offset + mapping->size;
    const uint64_t from = segment->offset > mapping->offset ? segment->offset : mapping->offset;
    const uint64_t until = end < mapped_end ? end : mapped_end;

    return segment->is_zeros || from >= until ? 0 : until - from;
}

/* Address minus address in the file, by the segment that the mapping's part of the file is in. Whole pages are mapped, with what
 * other segments have in the first and in the last of them: these have less of it. */
static bool find_bias(const struct cairn_segments *segments,
                      const struct cairn_perf_mapping *mapping, uint64_t *bias)
{
    const struct cairn_segment *best = NULL;
    uint64_t most = 0;

    for (size_t i = 0; i < segments->count; i++) {
        const struct cairn_segment *const segment = &segments->list[i];
        const uint64_t overlap = overlap_of(segment, mapping);

        if (overlap && (!best || segment->executable > best->executable ||
                        (segment->executable == best->executable && overlap > most))) {
            best = segment;
            most = overlap;
        }
    }
    if (best)
        *bias = mapping->address - mapping->offset + best->offset - best->address;
    return best != NULL;
}

static void look_at(const struct cairn_perf_mapping *mapping, const char *path,
                    struct cairn_perf_code *code)
{
    struct cairn_file *file = NULL;
    struct cairn_segments segments;

    if (cairn_file_open(path, &file, NULL) != CAIRN_OK)
        return;
    if (cairn_elf_segments(file, path, &segments, NULL) == CAIRN_OK) {
        if (find_bias(&segments, mapping, &code->info.bias) && cairn_elf_has_code(file))
            code->path = path;
        code->order = segments.order;
        code->is_interpreted = segments.is_interpreted;
        code->entry = segments.entry ? segments.entry + code->info.bias : 0;
        cairn_segments_clear(&segments);
    } else if (cairn_elf_check(file, path, NULL) == CAIRN_OK &&
               find_section(file, mapping, &code->info.bias, &code->order)) {
        code->path = path;
    }
    cairn_file_close(file);
}

cairn_status cairn_perf_find_file(struct cairn_perf_image_files *files,
                                  const struct cairn_perf_mapping *mapping, const char *build_id,
                                  struct cairn_perf_code *code)
{
    const struct cairn_perf_image_file *found = NULL;
    struct cairn_module_info *const info = &code->info;

    *code = (struct cairn_perf_code){
        .info = {.size = sizeof *info,
                 .path = mapping->path,
                 .build_id = build_id,
                 .address = mapping->address,
                 .length = mapping->size},
        .order = CAIRN_ORDER_LITTLE,
    };
    const cairn_status status = find(files, info, &found);
    if (status != CAIRN_OK)
        return status;
    info->state = found->state;
    info->file = found->file;
    info->code = found->code;
    if (info->file)
        look_at(mapping, info->code ? info->code : info->file, code);
    return CAIRN_OK;
}

void cairn_perf_image_files_clear(struct cairn_perf_image_files *files)
{
    cairn_table_clear(&files->table);
    free(files->list);
    files->list = NULL;
    files->count = files->room = 0;
}
