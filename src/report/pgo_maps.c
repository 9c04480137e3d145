/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of processes as records of a perf.data file tell of it, for samples: at each record what was mapped up to
 * then. Each process has a chain of mappings, the last one first; a fork goes on with the chain of its parent, and an
 * exec begins a new one. */
#include "report/pgo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "base/letters.h"
#include "base/table.h"
#include "capture/perf/trace.h"
#include "capture/snapshot/search.h"
#include "image/elf.h"

#define KERNEL UINT32_MAX    /* the process of its mappings */
#define LOOK_BACK 4096u      /* mappings of a process */
#define PROCESSES (1u << 20) /* with mappings, and as many threads with names */
#define FOUND (1u << 12)     /* answers that are remembered */
#define MISC_EXEC (1u << 13) /* of COMM */

struct pgo_map {
    uint32_t earlier; /* of the process, and 1; 0: there is none */
    uint32_t binary;
    bool is_known; /* `binary` and `bias` were looked for */
    uint64_t bias;
};

struct pgo_process {
    uint32_t process;
    uint32_t last; /* mapping, and 1; 0: there is none */
};

/* TASK_COMM_LEN letters, and a 0. */
#define NAME_SIZE 17u
struct pgo_thread {
    uint32_t thread;
    char name[NAME_SIZE];
};

struct pgo_answer {
    uint32_t process;
    uint32_t map; /* and 1; 0: none has the address */
    uint64_t address;
    uint64_t generation; /* of what was mapped */
};

struct cairn_pgo_maps {
    struct cairn_pgo *pgo;
    struct cairn_module_search search;
    struct cairn_files files;
    struct cairn_arena arena;
    struct cairn_perf_trace trace; /* its mappings */
    struct pgo_map *maps;          /* of each one of them */
    size_t map_count, map_room;
    struct pgo_process *processes;
    size_t process_count, process_room;
    struct cairn_table by_process; /* by their numbers */
    struct pgo_thread *threads;
    size_t thread_count, thread_room;
    struct cairn_table by_thread;
    bool is_full; /* something of mappings was left out for want of room, or not looked at */
    struct pgo_answer answers[FOUND];
    uint64_t generation; /* grows with each change, from 1 on */
};

cairn_status cairn_pgo_maps_new(struct cairn_pgo *pgo, const struct cairn_capture_options *options,
                                struct cairn_pgo_maps **maps)
{
    struct cairn_pgo_maps *const made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->pgo = pgo;
    made->generation = 1;
    made->files = cairn_files_of_system();
    made->search =
        (struct cairn_module_search){.files = &made->files, .folder = "", .options = options};
    made->trace.arena = &made->arena;
    *maps = made;
    return CAIRN_OK;
}

void cairn_pgo_maps_free(struct cairn_pgo_maps *maps)
{
    if (!maps)
        return;
    cairn_perf_trace_clear(&maps->trace);
    cairn_arena_free(&maps->arena);
    free(maps->maps);
    free(maps->processes);
    cairn_table_clear(&maps->by_process);
    free(maps->threads);
    cairn_table_clear(&maps->by_thread);
    free(maps);
}

/* --- records --- */

static struct pgo_process *process_of(const struct cairn_pgo_maps *maps, uint32_t process)
{
    const uint32_t hash = cairn_table_hash(process, 0);
    size_t at = cairn_table_begin(&maps->by_process, hash);
    uint32_t item;

    while ((item = cairn_table_next(&maps->by_process, hash, &at)) != CAIRN_TABLE_NONE)
        if (maps->processes[item].process == process)
            return &maps->processes[item];
    return NULL;
}

static uint32_t last_of(const struct cairn_pgo_maps *maps, uint32_t process)
{
    const struct pgo_process *const found = process_of(maps, process);

    return found ? found->last : 0;
}

static cairn_status set_last(struct cairn_pgo_maps *maps, uint32_t process, uint32_t last)
{
    struct pgo_process *const found = process_of(maps, process);

    if (found)
        found->last = last;
    if (found || !last)
        return CAIRN_OK;
    if (maps->process_count == PROCESSES) {
        maps->is_full = true;
        return CAIRN_OK;
    }
    if (cairn_grow((void **)&maps->processes, maps->process_count, &maps->process_room,
                   sizeof *maps->processes))
        return CAIRN_E_MEMORY;
    maps->processes[maps->process_count] = (struct pgo_process){.process = process, .last = last};
    return cairn_table_add(&maps->by_process, cairn_table_hash(process, 0),
                           (uint32_t)maps->process_count++);
}

static struct pgo_thread *thread_of(const struct cairn_pgo_maps *maps, uint32_t thread)
{
    const uint32_t hash = cairn_table_hash(thread, 0);
    size_t at = cairn_table_begin(&maps->by_thread, hash);
    uint32_t item;

    while ((item = cairn_table_next(&maps->by_thread, hash, &at)) != CAIRN_TABLE_NONE)
        if (maps->threads[item].thread == thread)
            return &maps->threads[item];
    return NULL;
}

static cairn_status set_name(struct cairn_pgo_maps *maps, const struct pgo_thread *named)
{
    struct pgo_thread *const found = thread_of(maps, named->thread);

    if (found) {
        *found = *named;
        return CAIRN_OK;
    }
    if (maps->thread_count == PROCESSES) {
        maps->is_full = true;
        return CAIRN_OK;
    }
    if (cairn_grow((void **)&maps->threads, maps->thread_count, &maps->thread_room,
                   sizeof *maps->threads))
        return CAIRN_E_MEMORY;
    maps->threads[maps->thread_count] = *named;
    return cairn_table_add(&maps->by_thread, cairn_table_hash(named->thread, 0),
                           (uint32_t)maps->thread_count++);
}

static cairn_status take_map(struct cairn_pgo_maps *maps, struct cairn_perf *perf,
                             const struct cairn_perf_record *record)
{
    struct cairn_perf_trace *const trace = &maps->trace;

    cairn_perf_take_mapping(trace, perf, record);
    if (trace->no_memory)
        return CAIRN_E_MEMORY;
    maps->is_full |= trace->too_many && trace->mapping_count == CAIRN_PERF_MAPS_MOST;
    for (; maps->map_count < trace->mapping_count; maps->map_count++) {
        const uint32_t process = trace->mappings[maps->map_count].process;

        if (cairn_grow((void **)&maps->maps, maps->map_count, &maps->map_room, sizeof *maps->maps))
            return CAIRN_E_MEMORY;
        maps->maps[maps->map_count] = (struct pgo_map){.earlier = last_of(maps, process)};
        if (set_last(maps, process, (uint32_t)maps->map_count + 1))
            return CAIRN_E_MEMORY;
        maps->generation++;
    }
    return CAIRN_OK;
}

/* pid, tid, name */
static cairn_status take_name(struct cairn_pgo_maps *maps, struct cairn_perf *perf,
                              const struct cairn_perf_record *record)
{
    struct pgo_thread named = {.thread = cairn_perf_u32(perf, record->bytes + 4)};

    for (size_t i = 0; i + 1 < NAME_SIZE && i + 8 < record->size && record->bytes[i + 8]; i++)
        named.name[i] = (char)record->bytes[i + 8];
    return set_name(maps, &named);
}

/* pid, ppid, tid, ptid: a new thread has its parent's name. */
static cairn_status take_parents_name(struct cairn_pgo_maps *maps, struct cairn_perf *perf,
                                      const struct cairn_perf_record *record)
{
    const struct pgo_thread *const parent =
        thread_of(maps, cairn_perf_u32(perf, record->bytes + 12));

    if (!parent)
        return CAIRN_OK;
    struct pgo_thread named = *parent;
    named.thread = cairn_perf_u32(perf, record->bytes + 8);
    return set_name(maps, &named);
}

const char *cairn_pgo_maps_name(const struct cairn_pgo_maps *maps, uint32_t thread)
{
    const struct pgo_thread *const found = thread_of(maps, thread);

    return found && found->name[0] ? found->name : NULL;
}

/* Of both the first two numbers are processes: of a fork the new one and its parent. */
static cairn_status take_life(struct cairn_pgo_maps *maps, struct cairn_perf *perf,
                              const struct cairn_perf_record *record)
{
    cairn_status status = CAIRN_OK;

    if (record->size < 8)
        return CAIRN_OK;
    const uint32_t process = cairn_perf_u32(perf, record->bytes);
    const uint32_t parent = cairn_perf_u32(perf, record->bytes + 4);

    if (record->type == CAIRN_PERF_RECORD_COMM)
        status = take_name(maps, perf, record);
    else if (record->size >= 16)
        status = take_parents_name(maps, perf, record);
    if (status)
        return status;
    if (record->type == CAIRN_PERF_RECORD_COMM && (record->misc & MISC_EXEC))
        status = set_last(maps, process, 0);
    else if (record->type == CAIRN_PERF_RECORD_FORK && process != parent)
        status = set_last(maps, process, last_of(maps, parent));
    else
        return CAIRN_OK;
    maps->generation++;
    return status;
}

bool cairn_pgo_maps_is_full(const struct cairn_pgo_maps *maps)
{
    return maps->is_full;
}

cairn_status cairn_pgo_maps_take(struct cairn_pgo_maps *maps, struct cairn_perf *perf,
                                 const struct cairn_perf_record *record)
{
    if (record->type < CAIRN_PERF_RECORD_ATTR && cairn_perf_is_of_guest(record->misc))
        return CAIRN_OK;
    switch (record->type) {
    case CAIRN_PERF_RECORD_MMAP:
    case CAIRN_PERF_RECORD_MMAP2: return take_map(maps, perf, record);
    case CAIRN_PERF_RECORD_COMM:
    case CAIRN_PERF_RECORD_FORK: return take_life(maps, perf, record);
    case CAIRN_PERF_RECORD_BUILD_ID:
        cairn_perf_take_build_id(&maps->trace, perf, record->bytes, record->size, record->misc);
        break;
    default: break;
    }
    return CAIRN_OK;
}

/* --- files --- */

/* Address in memory minus address in the file, by the segment that the mapping begins in. False: in none. */
static bool find_bias(const struct cairn_file *file, const char *path,
                      const struct cairn_perf_mapping *mapping, uint64_t *bias, uint64_t *base)
{
    struct cairn_segments segments;
    const struct cairn_segment *best = NULL;

    if (cairn_elf_segments(file, path, &segments, NULL))
        return false;
    for (size_t i = 0; i < segments.count; i++) {
        const struct cairn_segment *const one = &segments.list[i];
        const bool overlaps = !one->is_zeros && one->offset < mapping->offset + mapping->size &&
                              mapping->offset < one->offset + one->size;

        if (overlaps && (!best || (one->executable && !best->executable)))
            best = one;
    }
    if (best) {
        *bias = mapping->address - mapping->offset + best->offset - best->address;
        *base = segments.list[0].address;
    }
    cairn_segments_clear(&segments);
    return best != NULL;
}

/* Debug information that was found by its build-id is of what was mapped, which may be here as well. */
static void find_code_of(const struct cairn_pgo_maps *maps, struct cairn_pgo_binary *binary,
                         const char *path)
{
    const char *const root = maps->search.options->sysroot;
    char *below = NULL;

    if (root && asprintf(&below, "%s/%s", root, path) > 0)
        cairn_pgo_find_code(binary, below, false);
    cairn_pgo_find_code(binary, path, false);
    free(below);
}

static const struct cairn_file *code_of(const struct cairn_pgo_binary *binary)
{
    return binary->code ? binary->code : binary->file;
}

static void forget_file(struct cairn_pgo_binary *binary)
{
    if (binary->owns_code)
        cairn_file_close(binary->code);
    cairn_file_close(binary->file);
    free(binary->file_path);
    binary->code = binary->file = NULL;
    binary->owns_code = binary->owns_file = false;
    binary->file_path = NULL;
}

/* Looks for the file of the binary, once. */
static cairn_status open_file(struct cairn_pgo_maps *maps, struct cairn_pgo_binary *binary,
                              const struct cairn_perf_mapping *mapping,
                              const struct cairn_module_info *info)
{
    struct cairn_module_found found;
    uint64_t bias;

    binary->is_looked_for = true;
    const cairn_status status = cairn_module_find(&maps->search, info, NULL, &found);
    if (status)
        return status;
    if (found.file && cairn_pgo_open(maps->pgo, binary, found.file)) {
        binary->file_path = strdup(found.file);
        cairn_pgo_find_code(binary, found.code, true);
        find_code_of(maps, binary, info->path);
        if (!binary->file_path ||
            !find_bias(code_of(binary), binary->file_path, mapping, &bias, &binary->base))
            forget_file(binary);
    }
    cairn_module_found_clear(&found);
    return CAIRN_OK;
}

static cairn_status know(struct cairn_pgo_maps *maps, uint32_t number)
{
    const struct cairn_perf_mapping *const mapping = &maps->trace.mappings[number];
    struct pgo_map *const map = &maps->maps[number];
    const struct cairn_module_info info = {
        .size = sizeof info,
        .path = mapping->path,
        .build_id = cairn_perf_build_id_of(&maps->trace, mapping),
        .address = mapping->address,
        .length = mapping->size,
    };
    uint64_t base;

    map->is_known = true;
    map->binary = CAIRN_PGO_NONE;
    map->bias = mapping->address - mapping->offset;
    if (mapping->path[0] != '/' || !strncmp(mapping->path, "//anon", 6))
        return CAIRN_OK;
    cairn_status status = cairn_pgo_binary(maps->pgo, mapping->path, info.build_id, &map->binary);
    if (status == CAIRN_E_LIMIT) {
        map->binary = CAIRN_PGO_NONE;
        maps->is_full = true;
        return CAIRN_OK;
    }
    if (status)
        return status;
    struct cairn_pgo_binary *const binary = &maps->pgo->binaries[map->binary];
    if (!binary->is_looked_for)
        status = open_file(maps, binary, mapping, &info);
    if (!status && binary->file)
        (void)find_bias(code_of(binary), binary->file_path, mapping, &map->bias, &base);
    return status;
}

/* --- addresses --- */

/* The last mapping of the process that has the address, and 1; 0: none has. */
static uint32_t look_up(struct cairn_pgo_maps *maps, uint32_t at, uint64_t address)
{
    unsigned steps = 0;

    for (; at && steps < LOOK_BACK; steps++, at = maps->maps[at - 1].earlier) {
        const struct cairn_perf_mapping *const mapping = &maps->trace.mappings[at - 1];

        if (address - mapping->address < mapping->size)
            return at;
    }
    maps->is_full |= at != 0;
    return 0;
}

/* The same: branches come from the same places again and again. */
static uint32_t find_map(struct cairn_pgo_maps *maps, uint32_t process, uint64_t address)
{
    const uint64_t mixed = (address ^ (uint64_t)process << 40) * CAIRN_GOLDEN;
    struct pgo_answer *const answer = &maps->answers[(mixed >> 32) % FOUND];

    if (answer->generation != maps->generation || answer->process != process ||
        answer->address != address)
        *answer = (struct pgo_answer){.process = process,
                                      .address = address,
                                      .generation = maps->generation,
                                      .map = look_up(maps, last_of(maps, process), address)};
    return answer->map;
}

cairn_status cairn_pgo_maps_find(struct cairn_pgo_maps *maps, uint32_t process, uint64_t address,
                                 uint32_t *binary, uint64_t *in_file)
{
    uint32_t map = find_map(maps, process, address);
    cairn_status status = CAIRN_OK;

    if (!map)
        map = find_map(maps, KERNEL, address);
    if (!map)
        return CAIRN_E_NOT_FOUND;
    if (!maps->maps[map - 1].is_known)
        status = know(maps, map - 1);
    if (status)
        return status;
    *binary = maps->maps[map - 1].binary;
    *in_file = address - maps->maps[map - 1].bias;
    return *binary == CAIRN_PGO_NONE ? CAIRN_E_NOT_FOUND : CAIRN_OK;
}
