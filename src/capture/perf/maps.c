/* SPDX-License-Identifier: BSD-2-Clause */
/* What was mapped where (MMAP, MMAP2), the build-ids of these files, and who runs in which process. */
#include <stdio.h>
#include <string.h>

#include "capture/perf/trace.h"

enum {
    AT_PROCESS = 0,
    AT_ADDRESS = 8,
    AT_SIZE = 16,
    AT_OFFSET = 24,
    MMAP_AT_PATH = 32,
    MMAP2_AT_BUILD_ID = 32, /* its size, three bytes, the bytes of it */
    MMAP2_AT_PROTECTION = 56,
    MMAP2_AT_PATH = 64,
};
#define BUILD_ID_BYTES 20u
#define PROTECTION_EXECUTE 4u
#define MISC_DATA (1u << 13)     /* of MMAP: not executable */
#define MISC_BUILD_ID (1u << 14) /* of MMAP2: not the file's numbers */
#define MISC_BUILD_ID_SIZE (1u << 15)

/* Text of a record, with a 0 behind it or not, in the arena; NULL: memory is out, or there is none. */
static const char *text_of(struct cairn_perf_trace *trace, const uint8_t *bytes, size_t size)
{
    const size_t length = strnlen((const char *)bytes, size);

    return length ? cairn_arena_format(trace->arena, "%.*s", (int)length, (const char *)bytes)
                  : NULL;
}

/* Build-ids of 8 or 16 bytes are padded to 20 with zeros: as linkers make them by default (xxhash, MD5, SHA-1). */
static size_t without_padding(const uint8_t *bytes, size_t size)
{
    static const size_t sizes[] = {8, 16};

    while (size > sizes[0] && !bytes[size - 1])
        size--;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (size <= sizes[i])
            return sizes[i];
    return BUILD_ID_BYTES;
}

static const char *hex_of(struct cairn_perf_trace *trace, const uint8_t *bytes, size_t size)
{
    char hex[2 * BUILD_ID_BYTES + 1] = "";
    bool any = false;

    size = size < BUILD_ID_BYTES ? size : BUILD_ID_BYTES;
    for (size_t i = 0; i < size; i++) {
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
        any |= bytes[i] != 0;
    }
    return any ? cairn_arena_text(trace->arena, hex) : NULL;
}

void cairn_perf_take_mapping(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                             const struct cairn_perf_record *record)
{
    struct cairn_perf_sample_id from = {.time = 0};
    const bool is_new = record->type == CAIRN_PERF_RECORD_MMAP2;
    const size_t path_at = is_new ? MMAP2_AT_PATH : MMAP_AT_PATH;
    const uint8_t *const bytes = record->bytes;

    if (record->size <= path_at)
        return;
    /* perf record --buildid-mmap tells the kernel and its modules by MMAP2, and no protections of them */
    const bool tells_protection =
        is_new && (record->misc & CAIRN_PERF_MODE_MASK) != CAIRN_PERF_MODE_KERNEL;
    const uint32_t protection =
        tells_protection ? cairn_perf_u32(perf, bytes + MMAP2_AT_PROTECTION) : PROTECTION_EXECUTE;
    struct cairn_perf_mapping mapping = {
        .process = cairn_perf_u32(perf, bytes + AT_PROCESS),
        .number = trace->mapping_count,
        .address = cairn_perf_u64(perf, bytes + AT_ADDRESS),
        .size = cairn_perf_u64(perf, bytes + AT_SIZE),
        .offset = cairn_perf_u64(perf, bytes + AT_OFFSET),
        .path = text_of(trace, bytes + path_at, record->size - path_at),
    };
    cairn_perf_take_task(trace, mapping.process, cairn_perf_u32(perf, bytes + 4));
    if (!(protection & PROTECTION_EXECUTE) || (!is_new && (record->misc & MISC_DATA)) ||
        !mapping.path || !mapping.size)
        return;
    (void)cairn_perf_identify(perf, record, &from);
    mapping.time = from.time;
    trace->is_untimed |= !from.has_time;
    if (is_new && (record->misc & MISC_BUILD_ID))
        mapping.build_id = hex_of(trace, bytes + MMAP2_AT_BUILD_ID + 4, bytes[MMAP2_AT_BUILD_ID]);
    if (cairn_perf_room(trace, (void **)&trace->mappings, trace->mapping_count,
                        &trace->mapping_room, sizeof *trace->mappings, CAIRN_PERF_MAPS_MOST))
        trace->mappings[trace->mapping_count++] = mapping;
}

/* pid, build-id in 24 bytes, of which the 21st may tell how many count; path. */
enum { BUILT_AT_ID = 4, BUILT_AT_ID_SIZE = 24, BUILT_AT_PATH = 28 };

void cairn_perf_take_build_id(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                              const uint8_t *bytes, size_t size, uint16_t misc)
{
    (void)perf;
    if (size <= BUILT_AT_PATH || cairn_perf_is_of_guest(misc))
        return;
    const size_t count = misc & MISC_BUILD_ID_SIZE
                             ? bytes[BUILT_AT_ID_SIZE]
                             : without_padding(bytes + BUILT_AT_ID, BUILD_ID_BYTES);
    const struct cairn_perf_built built = {
        .path = text_of(trace, bytes + BUILT_AT_PATH, size - BUILT_AT_PATH),
        .build_id = hex_of(trace, bytes + BUILT_AT_ID, count),
    };
    if (built.path && built.build_id &&
        cairn_perf_room(trace, (void **)&trace->built, trace->built_count, &trace->built_room,
                        sizeof *trace->built, CAIRN_PERF_BUILT_MOST))
        trace->built[trace->built_count++] = built;
}

const char *cairn_perf_build_id_of(const struct cairn_perf_trace *trace,
                                   const struct cairn_perf_mapping *mapping)
{
    if (mapping->build_id)
        return mapping->build_id;
    for (size_t i = 0; i < trace->built_count; i++)
        if (!strcmp(trace->built[i].path, mapping->path))
            return trace->built[i].build_id;
    return NULL;
}

void cairn_perf_take_task(struct cairn_perf_trace *trace, uint32_t process, uint32_t thread)
{
    /* the same again and again, as a rule */
    for (size_t i = trace->task_count; i-- > 0 && trace->task_count - i < 64;)
        if (trace->tasks[i].process == process && trace->tasks[i].thread == thread)
            return;
    if (cairn_perf_room(trace, (void **)&trace->tasks, trace->task_count, &trace->task_room,
                        sizeof *trace->tasks, CAIRN_PERF_MAPS_MOST))
        trace->tasks[trace->task_count++] =
            (struct cairn_perf_task){.process = process, .thread = thread};
}
