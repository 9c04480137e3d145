/* SPDX-License-Identifier: BSD-2-Clause */
/* Coverage, and what compilers optimise by, out of counts. */
#include <stdlib.h>
#include <string.h>

#include "capture/arena.h"
#include "image/file.h"
#include "report/counts_give.h"

#define BUILD_ID "build-id:"

static const char *text_of(const struct cairn_counts *counts, uint64_t text)
{
    return counts->texts[text].bytes;
}

static cairn_status give_coverage_source(const struct cairn_counts *counts,
                                         struct cairn_coverage *coverage, size_t source,
                                         uint64_t (*lost_bytes)(const struct cairn_ledger *ledger))
{
    const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, source);
    struct cairn_ledger ledger;

    if (cairn_grow((void **)&coverage->sources, coverage->source_count, &coverage->source_room,
                   sizeof *coverage->sources))
        return CAIRN_E_MEMORY;
    cairn_counts_ledger(counts, source, &ledger);
    struct cairn_coverage_source *const made = &coverage->sources[coverage->source_count];
    *made = (struct cairn_coverage_source){
        .capture =
            cairn_arena_text(&coverage->arena, text_of(counts, row[CAIRN_COUNTS_SOURCE_CAPTURE])),
        .name = cairn_arena_text(&coverage->arena, text_of(counts, row[CAIRN_COUNTS_SOURCE_NAME])),
        .instructions = row[CAIRN_COUNTS_SOURCE_INSTRUCTIONS],
        .bytes = row[CAIRN_COUNTS_SOURCE_BYTES],
        .lost_bytes = lost_bytes(&ledger),
        .overflows = row[CAIRN_COUNTS_SOURCE_OVERFLOWS],
    };
    coverage->source_count++;
    return made->capture && made->name ? CAIRN_OK : CAIRN_E_MEMORY;
}

cairn_status cairn_counts_give_coverage(struct cairn_counts_given *given,
                                        struct cairn_coverage *coverage,
                                        uint64_t (*lost_bytes)(const struct cairn_ledger *ledger))
{
    const struct cairn_counts *const counts = given->counts;
    cairn_status status = cairn_coverage_capture(coverage, given->image);

    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_SOURCES].count && !status; i++)
        status = give_coverage_source(counts, coverage, i, lost_bytes);
    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_MISSING].count && !status; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_MISSING, i);

        status = cairn_coverage_miss(coverage, row[0], row[1]);
    }
    coverage->has_more_missing |= cairn_counts_flag(counts, CAIRN_COUNTS_MORE_MISSING) != 0;
    if (!status)
        status = cairn_counts_give_profile(given, &coverage->profile);
    if (!status)
        status = cairn_coverage_blocks(coverage);
    cairn_coverage_captured(coverage);
    return status;
}

/* --- for compilers --- */

static uint32_t number_of(uint64_t reference)
{
    return reference ? (uint32_t)reference - 1 : CAIRN_PGO_NONE;
}

/* Objects are in the order of their identities: compares that of one with a build-id, whose bytes are those
 * in front of a build-id and it. */
static int compare_build_id(const char *id, const char *build_id)
{
    const int order = strncmp(id, BUILD_ID, strlen(BUILD_ID));

    return order ? order : strcmp(id + strlen(BUILD_ID), build_id);
}

static size_t object_with(const struct cairn_counts *counts, const char *build_id)
{
    const size_t count = counts->tables[CAIRN_COUNTS_OBJECTS].count;
    size_t from = 0, until = count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;
        const uint64_t *const one = cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, middle);
        const int order = compare_build_id(text_of(counts, one[CAIRN_COUNTS_OBJECT_ID]), build_id);

        if (order == 0)
            return middle;
        if (order < 0)
            from = middle + 1;
        else
            until = middle;
    }
    return count;
}

size_t cairn_counts_object_of(const struct cairn_counts *counts, const uint64_t *binary)
{
    const size_t count = counts->tables[CAIRN_COUNTS_OBJECTS].count;
    const char *const build_id = text_of(counts, binary[CAIRN_COUNTS_BINARY_BUILD_ID]);
    const uint64_t key = binary[CAIRN_COUNTS_BINARY_KEY];
    size_t found;

    if (*build_id) {
        found = object_with(counts, build_id);
        if (found < count)
            return found;
    } else {
        found = cairn_counts_first_of(counts, CAIRN_COUNTS_OBJECTS, key);
        if (found < count &&
            cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, found)[CAIRN_COUNTS_OBJECT_ID] == key)
            return found;
    }
    for (found = 0; found < count; found++) {
        const uint64_t *const one = cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, found);
        const char *const id = text_of(counts, one[CAIRN_COUNTS_OBJECT_ID]);

        /* one with another build-id is another build */
        if (*build_id && strncmp(id, BUILD_ID, strlen(BUILD_ID)) == 0)
            continue;
        if (one[CAIRN_COUNTS_OBJECT_PATH] == binary[CAIRN_COUNTS_BINARY_FILE])
            break;
    }
    return found;
}

static cairn_status open_binary(const struct cairn_counts_given *given, struct cairn_pgo *pgo,
                                struct cairn_pgo_binary *binary, size_t object)
{
    const size_t count = given->counts->tables[CAIRN_COUNTS_OBJECTS].count;
    const struct cairn_counts_file none = {0};
    const struct cairn_counts_file *const file = object < count ? &given->files[object] : &none;
    const char *const path = file->names ? file->names : file->path;

    if (!path || binary->file || !cairn_pgo_open(pgo, binary, path))
        return CAIRN_OK;
    cairn_pgo_find_code(binary, file->names ? file->path : NULL, true);
    cairn_pgo_find_code(binary, binary->path, false);
    binary->file_path = strdup(path);
    return binary->file_path ? CAIRN_OK : CAIRN_E_MEMORY;
}

static cairn_status give_binary(const struct cairn_counts_given *given, struct cairn_pgo *pgo,
                                const uint64_t *row)
{
    const struct cairn_counts *const counts = given->counts;
    const char *const build_id = text_of(counts, row[CAIRN_COUNTS_BINARY_BUILD_ID]);
    uint32_t number;
    cairn_status status = cairn_pgo_binary(pgo, text_of(counts, row[CAIRN_COUNTS_BINARY_PATH]),
                                           *build_id ? build_id : NULL, &number);

    if (status)
        return status;
    struct cairn_pgo_binary *const binary = &pgo->binaries[number];
    binary->base = row[CAIRN_COUNTS_BINARY_BASE];
    binary->executed = row[CAIRN_COUNTS_BINARY_EXECUTED];
    binary->is_recorded = row[CAIRN_COUNTS_BINARY_RECORDED] != 0;
    binary->has_addresses = true;
    return open_binary(given, pgo, binary, cairn_counts_object_of(counts, row));
}

cairn_status cairn_counts_give_pgo(const struct cairn_counts_given *given, struct cairn_pgo *pgo)
{
    const struct cairn_counts *const counts = given->counts;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_BINARIES].count && !status; i++)
        status = give_binary(given, pgo, cairn_counts_row(counts, CAIRN_COUNTS_BINARIES, i));
    if (!status && pgo->binary_count != counts->tables[CAIRN_COUNTS_BINARIES].count)
        status = CAIRN_E_UNSUPPORTED;
    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_RANGES].count && !status; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_RANGES, i);

        status = cairn_pgo_add_range(
            pgo, &(struct cairn_pgo_range){number_of(row[0]), row[1], row[2], row[3]});
    }
    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_ADDRESSES].count && !status; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_ADDRESSES, i);

        status = cairn_pgo_add_address(
            pgo, &(struct cairn_pgo_address){number_of(row[0]), row[1], row[2]});
    }
    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_BRANCHES].count && !status; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_BRANCHES, i);

        status =
            cairn_pgo_add_branch(pgo, &(struct cairn_pgo_branch){.from_binary = number_of(row[0]),
                                                                 .from = row[1],
                                                                 .to_binary = number_of(row[2]),
                                                                 .to = row[3],
                                                                 .has_target = row[4] != 0,
                                                                 .is_indirect = row[5] != 0,
                                                                 .count = row[6],
                                                                 .mispredicted = row[7]});
    }
    pgo->outside = cairn_counts_sum(counts, CAIRN_COUNTS_OUTSIDE);
    pgo->left_out = cairn_counts_sum(counts, CAIRN_COUNTS_LEFT_OUT);
    return status;
}
