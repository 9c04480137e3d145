/* SPDX-License-Identifier: BSD-2-Clause */
/* What a profile has, as JSON lines: of each binary and each of its functions how much was counted, and what was not. */
#include "report/json_fields.h"
#include "report/pgo.h"
#include "report/pgo_symbols.h"

struct pgo_sums {
    uint64_t ranges, ranges_executed;
    uint64_t branches, branches_taken, mispredicted;
};

static uint64_t add(uint64_t one, uint64_t other)
{
    return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

static void add_range(struct pgo_sums *sums, const struct cairn_pgo_range *range)
{
    sums->ranges++;
    sums->ranges_executed = add(sums->ranges_executed, range->count);
}

static void add_branch(struct pgo_sums *sums, const struct cairn_pgo_branch *branch)
{
    sums->branches++;
    sums->branches_taken = add(sums->branches_taken, branch->count);
    sums->mispredicted = add(sums->mispredicted, branch->mispredicted);
}

static void put_sums(struct cairn_output *output, const struct cairn_pgo *pgo,
                     const struct pgo_sums *sums)
{
    cairn_json_number(output, "ranges", sums->ranges);
    cairn_json_number(output, "ranges_executed", sums->ranges_executed);
    cairn_json_number(output, "branches", sums->branches);
    cairn_json_number(output, "branches_taken", sums->branches_taken);
    if (pgo->is_sampled)
        cairn_json_number(output, "mispredicted", sums->mispredicted);
}

static void end_line(struct cairn_output *output)
{
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

/* --- where counts come from --- */

void cairn_pgo_json_source(struct cairn_output *output, const char *name, uint64_t bytes,
                           uint64_t lost_bytes)
{
    cairn_output_text(output, "{\"type\":\"source\"");
    cairn_json_text(output, "source", name);
    cairn_json_number(output, "bytes", bytes);
    cairn_json_number(output, "lost_bytes", lost_bytes);
    end_line(output);
}

void cairn_pgo_json_samples(struct cairn_output *output, const struct cairn_pgo_samples *told)
{
    cairn_output_text(output, "{\"type\":\"samples\"");
    cairn_json_number(output, "samples", told->samples);
    cairn_json_number(output, "unwanted", told->unwanted);
    cairn_json_number(output, "unreadable", told->unreadable);
    cairn_json_number(output, "unmapped", told->unmapped);
    cairn_json_number(output, "packed", told->packed);
    cairn_output_text(output, told->is_full ? ",\"full\":true" : ",\"full\":false");
    if (told->is_cut)
        cairn_json_number(output, "cut_at", told->cut_at);
    else
        cairn_output_text(output, ",\"cut_at\":null");
    end_line(output);
}

void cairn_pgo_json_lists(struct cairn_output *output, uint64_t files, uint64_t lists,
                          uint64_t samples, uint64_t missing, uint64_t unfollowed)
{
    cairn_output_text(output, "{\"type\":\"branch_lists\"");
    cairn_json_number(output, "files", files);
    cairn_json_number(output, "lists", lists);
    cairn_json_number(output, "samples", samples);
    cairn_json_number(output, "missing", missing);
    cairn_json_number(output, "unfollowed", unfollowed);
    end_line(output);
}

/* --- functions of a binary --- */

struct pgo_slice {
    const struct cairn_pgo_range *ranges;
    size_t range_count;
    const struct cairn_pgo_branch *branches;
    size_t branch_count;
};

static struct pgo_slice slice_of(const struct cairn_pgo *pgo, uint32_t binary)
{
    struct pgo_slice slice;
    const size_t range = cairn_pgo_ranges_of(pgo, binary, &slice.range_count);
    const size_t branch = cairn_pgo_branches_of(pgo, binary, &slice.branch_count);

    slice.ranges = slice.range_count ? &pgo->ranges[range] : NULL;
    slice.branches = slice.branch_count ? &pgo->branches[branch] : NULL;
    return slice;
}

static void put_function(struct cairn_output *output, const struct cairn_pgo *pgo,
                         const char *binary, const struct cairn_pgo_function *function,
                         const struct pgo_sums *sums)
{
    if (!sums->ranges && !sums->branches)
        return;
    cairn_output_text(output, "{\"type\":\"function\"");
    cairn_json_text(output, "function", function ? function->name : NULL);
    cairn_json_text(output, "object", binary);
    if (function)
        cairn_output_format(output, ",\"address\":\"0x%llx\"", (unsigned long long)function->first);
    else
        cairn_output_text(output, ",\"address\":null");
    put_sums(output, pgo, sums);
    end_line(output);
}

/* Both lists are by address, as functions are: what lies before `end` is taken from the front. */
static void take_until(struct pgo_slice *slice, uint64_t end, struct pgo_sums *sums)
{
    for (; slice->range_count && slice->ranges->first < end; slice->ranges++, slice->range_count--)
        add_range(sums, slice->ranges);
    for (; slice->branch_count && slice->branches->from < end;
         slice->branches++, slice->branch_count--)
        add_branch(sums, slice->branches);
}

static void take_rest(struct pgo_slice *slice, struct pgo_sums *sums)
{
    for (; slice->range_count; slice->ranges++, slice->range_count--)
        add_range(sums, slice->ranges);
    for (; slice->branch_count; slice->branches++, slice->branch_count--)
        add_branch(sums, slice->branches);
}

static cairn_status put_functions(struct cairn_output *output, const struct cairn_pgo *pgo,
                                  uint32_t number)
{
    const struct cairn_pgo_binary *const binary = &pgo->binaries[number];
    struct cairn_pgo_functions functions = {0};
    struct pgo_slice slice = slice_of(pgo, number);
    struct pgo_sums others = {0};
    const cairn_status status =
        binary->file ? cairn_pgo_functions_read(binary->file, &functions) : CAIRN_OK;

    for (size_t i = 0; i < functions.count && !status && cairn_output_wanted(output); i++) {
        struct pgo_sums sums = {0};

        take_until(&slice, functions.list[i].first, &others);
        if (functions.list[i].last < UINT64_MAX)
            take_until(&slice, functions.list[i].last + 1, &sums);
        else
            take_rest(&slice, &sums);
        put_function(output, pgo, binary->path, &functions.list[i], &sums);
    }
    take_rest(&slice, &others);
    if (!status)
        put_function(output, pgo, binary->path, NULL, &others);
    cairn_pgo_functions_clear(&functions);
    return status;
}

/* --- all of it --- */

static void put_binary(struct cairn_output *output, const struct cairn_pgo *pgo, uint32_t number)
{
    const struct cairn_pgo_binary *const binary = &pgo->binaries[number];
    struct pgo_slice slice = slice_of(pgo, number);
    struct pgo_sums sums = {0};

    take_rest(&slice, &sums);
    cairn_output_text(output, "{\"type\":\"binary\"");
    cairn_json_text(output, "object", binary->path);
    cairn_json_text(output, "build_id", binary->build_id);
    cairn_output_text(output, binary->file ? ",\"here\":true" : ",\"here\":false");
    cairn_output_text(output, binary->code ? ",\"has_code\":true" : ",\"has_code\":false");
    cairn_output_text(output, binary->chosen ? ",\"chosen\":true" : ",\"chosen\":false");
    if (!pgo->is_sampled)
        cairn_json_number(output, "instructions", binary->executed);
    put_sums(output, pgo, &sums);
    end_line(output);
}

cairn_status cairn_pgo_json(const struct cairn_pgo *pgo, uint64_t lost_bytes,
                            struct cairn_output *output)
{
    struct pgo_sums all = {0};
    cairn_status status = CAIRN_OK;
    size_t chosen = 0;

    for (uint32_t i = 0; i < pgo->binary_count && cairn_output_wanted(output); i++)
        put_binary(output, pgo, i);
    for (uint32_t i = 0; i < pgo->binary_count && !status; i++) {
        struct pgo_slice slice = slice_of(pgo, i);

        if (!pgo->binaries[i].chosen)
            continue;
        chosen++;
        take_rest(&slice, &all);
        status = put_functions(output, pgo, i);
    }
    if (status)
        return status;
    cairn_output_text(output, "{\"type\":\"total\"");
    cairn_json_number(output, "binaries", chosen);
    put_sums(output, pgo, &all);
    cairn_json_number(output, "outside", pgo->outside);
    cairn_json_number(output, "left_out", pgo->left_out);
    cairn_json_number(output, "lost_bytes", lost_bytes);
    end_line(output);
    return CAIRN_OK;
}
