/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of what is added up, out of counts instead of a capture. */
#include <stdlib.h>

#include "report/export.h"

/* --- sources --- */

static cairn_status tell_source(struct cairn_export *data, const struct cairn_counts *counts,
                                size_t source, uint64_t (*lost_bytes)(const struct cairn_ledger *))
{
    const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, source);
    const struct cairn_source_info info = {
        .size = sizeof info,
        .name = counts->texts[row[CAIRN_COUNTS_SOURCE_NAME]].bytes,
        .protocol = (enum cairn_protocol_id)row[CAIRN_COUNTS_SOURCE_PROTOCOL],
        .trace_id = -1,
    };
    struct cairn_ledger ledger;

    cairn_counts_ledger(counts, source, &ledger);
    data->capture_name = counts->texts[row[CAIRN_COUNTS_SOURCE_CAPTURE]].bytes;
    data->at = row[CAIRN_COUNTS_SOURCE_INSTRUCTIONS];
    data->cycles = row[CAIRN_COUNTS_SOURCE_CYCLES];
    const struct cairn_export_outcome outcome = {
        .state = cairn_counts_is_whole(counts, source) ? "decoded" : "not whole",
        .ledger = &ledger,
        .lost_bytes = lost_bytes(&ledger)};
    return cairn_export_source_row(data, source, &info, &outcome);
}

/* --- jumps --- */

/* What ends a block says of it what counts of branches do not. */
struct branch_kind {
    uint64_t object; /* as rows refer to it */
    uint64_t address;
    uint32_t flags;
};

static int by_place(const void *left, const void *right)
{
    const struct branch_kind *const a = left, *const b = right;

    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static uint32_t insn_flags(uint64_t flags)
{
    return (flags & CAIRN_BLOCK_LINK ? CAIRN_INSN_LINK : 0) |
           (flags & CAIRN_BLOCK_RETURN ? CAIRN_INSN_RETURN : 0);
}

static struct branch_kind *kinds_of(const struct cairn_counts *counts)
{
    const size_t count = counts->tables[CAIRN_COUNTS_BLOCKS].count;
    struct branch_kind *const kinds = calloc(count + 1, sizeof *kinds);

    for (size_t i = 0; i < count && kinds; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_BLOCKS, i);

        kinds[i] = (struct branch_kind){.object = row[CAIRN_COUNTS_BLOCK_OBJECT],
                                        .address = row[CAIRN_COUNTS_BLOCK_ADDRESS] +
                                                   row[CAIRN_COUNTS_BLOCK_SIZE] -
                                                   row[CAIRN_COUNTS_BLOCK_LAST_SIZE],
                                        .flags = insn_flags(row[CAIRN_COUNTS_BLOCK_MORE_FLAGS])};
    }
    if (kinds && count)
        qsort(kinds, count, sizeof *kinds, by_place);
    /* blocks that end in one place, each with what is known of it: any of them may be found */
    for (size_t i = 1; i < count && kinds; i++)
        if (!by_place(&kinds[i - 1], &kinds[i]))
            kinds[i].flags |= kinds[i - 1].flags;
    for (size_t i = count; i-- > 1 && kinds;)
        if (!by_place(&kinds[i - 1], &kinds[i]))
            kinds[i - 1].flags |= kinds[i].flags;
    return kinds;
}

/* A binary of the counts, and which object it is; both 0 where it is none of the export. */
struct kept_binary {
    uint64_t id, object;
};

static cairn_status know_binaries(struct cairn_export *data, const struct cairn_counts_given *given,
                                  struct kept_binary *binaries)
{
    const struct cairn_counts *const counts = given->counts;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_BINARIES].count && !status; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_BINARIES, i);
        const char *const build_id = counts->texts[row[CAIRN_COUNTS_BINARY_BUILD_ID]].bytes;
        const char *path = counts->texts[row[CAIRN_COUNTS_BINARY_PATH]].bytes;
        const size_t object = cairn_counts_object_of(counts, row);
        uint32_t binary = 0;

        if (object < counts->tables[CAIRN_COUNTS_OBJECTS].count) {
            binaries[i].object = object + 1;
            if (given->files[object].path)
                path = given->files[object].path;
        }
        status = cairn_export_binary_of(data, path, *build_id ? build_id : NULL, true, &binary);
        if (!status)
            binaries[i].id = data->binaries[binary].id;
    }
    return status;
}

static cairn_status add_jump(struct cairn_export *data, const struct cairn_counts *counts,
                             const uint64_t *row, const struct kept_binary *binaries,
                             const struct branch_kind *kinds)
{
    const size_t kind_count = counts->tables[CAIRN_COUNTS_BLOCKS].count;
    const struct kept_binary none = {0, 0};
    const struct kept_binary *const from = row[0] ? &binaries[row[0] - 1] : &none;
    const struct branch_kind wanted = {.object = from->object, .address = row[1]};
    const struct branch_kind *const found =
        from->object ? bsearch(&wanted, kinds, kind_count, sizeof *kinds, by_place) : NULL;

    return cairn_export_add_jump(
        data, &(struct cairn_export_jump){.from_binary = from->id,
                                          .from = row[1],
                                          .to_binary = row[2] ? binaries[row[2] - 1].id : 0,
                                          .to = row[3],
                                          .has_target = row[4] != 0,
                                          .is_indirect = row[5] != 0,
                                          .count = row[6],
                                          .flags = found ? found->flags : 0});
}

/* Those of binaries: where memory of no file branches counts do not say. */
static cairn_status add_jumps(struct cairn_export *data, const struct cairn_counts_given *given)
{
    const struct cairn_counts *const counts = given->counts;
    struct kept_binary *const binaries =
        calloc(counts->tables[CAIRN_COUNTS_BINARIES].count + 1, sizeof *binaries);
    struct branch_kind *const kinds = kinds_of(counts);
    cairn_status status = binaries && kinds ? CAIRN_OK : CAIRN_E_MEMORY;

    if (!status)
        status = know_binaries(data, given, binaries);
    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_BRANCHES].count && !status; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_BRANCHES, i);

        if (row[0])
            status = add_jump(data, counts, row, binaries, kinds);
    }
    data->jumps_left_out = cairn_counts_sum(counts, CAIRN_COUNTS_LEFT_OUT);
    free(binaries);
    free(kinds);
    return status;
}

/* --- all of it --- */

cairn_status cairn_export_kept(struct cairn_export *data, struct cairn_counts_given *given,
                               uint64_t (*lost_bytes)(const struct cairn_ledger *ledger))
{
    const struct cairn_counts *const counts = given->counts;

    data->profile.has_calls = !cairn_counts_flag(counts, CAIRN_COUNTS_NO_CALLS);
    data->wanted[CAIRN_EXPORT_CALL_TREE] &= data->profile.has_calls;
    data->naming = cairn_naming_new();
    data->coverage.of_program = data->of_program;
    cairn_status status = cairn_space_new(given->image, &data->space);
    if (!status)
        status = cairn_counts_give_profile(given, &data->profile);
    if (!status)
        status = cairn_counts_give_coverage(given, &data->coverage, lost_bytes);
    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_SOURCES].count && !status; i++)
        status = tell_source(data, counts, i, lost_bytes);
    if (!status && data->wanted[CAIRN_EXPORT_JUMPS])
        status = add_jumps(data, given);
    /* also where the tree, which refers to them, is not wanted */
    for (size_t i = 0; i < data->profile.thread_count && !status; i++) {
        const struct cairn_profile_thread *const one = &data->profile.threads[i];
        uint32_t thread;

        status = cairn_export_thread_of(data, data->profile.sources[one->source].index, one->vmid,
                                        one->context_id, &thread);
        (void)cairn_export_thread_id(data, thread);
    }
    return status;
}
