/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts by address: AutoFDO's text, as create_llvm_prof --profiler=text reads it and simpleperf inject writes it,
 * and BOLT's pre-aggregated text. A trace's ranges end at each instruction that decides the path, taken or not. */
#include <inttypes.h>
#include <string.h>

#include "report/pgo.h"

#define BUILD_ID_DIGITS 40 /* shorter ones are padded with zeros */

/* A branch as it is written. */
struct pgo_line {
    uint64_t from, to, count, mispredicted;
};

struct pgo_writer {
    const struct cairn_pgo *pgo;
    const struct cairn_pgo_binary *binary;
    struct cairn_output *output;
    uint64_t base; /* that is taken from addresses */
    bool with_indirect;
    const struct cairn_pgo_branch *branches;
    size_t branch_count;
};

typedef void pgo_write_line(struct pgo_writer *writer, const struct pgo_line *line);

static void begin_binary(struct pgo_writer *writer, uint32_t number)
{
    const size_t first = cairn_pgo_branches_of(writer->pgo, number, &writer->branch_count);

    writer->binary = &writer->pgo->binaries[number];
    writer->branches = writer->branch_count ? &writer->pgo->branches[first] : NULL;
}

/* Whether it is written, and with which target. What samples tell of branches into other files says nothing of this
 * one; of a trace each branch counts. */
static bool line_of(const struct pgo_writer *writer, const struct cairn_pgo_branch *branch,
                    struct pgo_line *line)
{
    const bool is_inside = branch->has_target && branch->to_binary == branch->from_binary;
    const bool is_told = is_inside && (!branch->is_indirect || writer->with_indirect);

    if (branch->from < writer->base || (writer->pgo->is_sampled && !is_inside))
        return false;
    *line = (struct pgo_line){
        .from = branch->from - writer->base,
        .to = is_told && branch->to >= writer->base ? branch->to - writer->base : 0,
        .count = branch->count,
        .mispredicted = branch->mispredicted};
    return true;
}

/* Of the branches from `first` to `end`, all of one instruction, those with a target that is told, or those without;
 * of one target together. Targets in the file ascend. */
static size_t each_of_same(struct pgo_writer *writer, size_t first, size_t end, bool is_told,
                           pgo_write_line *write)
{
    struct pgo_line line = {0}, one;
    size_t count = 0;

    for (size_t i = first; i < end; i++) {
        if (!line_of(writer, &writer->branches[i], &one) || (one.to != 0) != is_told)
            continue;
        if (count && one.to == line.to) {
            line.count += one.count;
            line.mispredicted += one.mispredicted;
            continue;
        }
        if (count && write)
            write(writer, &line);
        line = one;
        count++;
    }
    if (count && write)
        write(writer, &line);
    return count;
}

/* Calls `write` for each branch; returns how many there are. NULL: only counts. */
static size_t each_branch(struct pgo_writer *writer, pgo_write_line *write)
{
    size_t count = 0;

    for (size_t first = 0, end = 0; first < writer->branch_count; first = end) {
        while (end < writer->branch_count &&
               writer->branches[end].from == writer->branches[first].from)
            end++;
        count += each_of_same(writer, first, end, false, write);
        count += each_of_same(writer, first, end, true, write);
    }
    return count;
}

/* --- comments --- */

static void write_build_id(struct pgo_writer *writer)
{
    const char *const id = writer->binary->build_id ? writer->binary->build_id : "";
    size_t length = strlen(id);

    cairn_output_text(writer->output, "// build_id: 0x");
    cairn_output_text(writer->output, id);
    for (; length < BUILD_ID_DIGITS; length++)
        cairn_output_char(writer->output, '0');
}

/* A path is one line, whatever was recorded. */
static void write_path(struct pgo_writer *writer)
{
    for (const char *at = writer->binary->path; *at; at++)
        cairn_output_char(writer->output, *at == '\n' || *at == '\r' ? '?' : *at);
    cairn_output_line(writer->output);
}

static void write_comments(struct pgo_writer *writer)
{
    write_build_id(writer);
    cairn_output_line(writer->output);
    cairn_output_text(writer->output, "// ");
    write_path(writer);
}

static void write_comment_before(struct pgo_writer *writer)
{
    write_build_id(writer);
    cairn_output_text(writer->output, ", ");
    write_path(writer);
}

static size_t chosen(const struct cairn_pgo *pgo)
{
    size_t count = 0;

    for (uint32_t i = 0; i < pgo->binary_count; i++)
        count += pgo->binaries[i].chosen;
    return count;
}

static void write_split(const struct cairn_pgo *pgo, struct cairn_output *output)
{
    if (chosen(pgo) < 2)
        return;
    cairn_output_text(output,
                      "// Please split this file. AutoFDO only accepts profile for one binary.");
    cairn_output_line(output);
}

/* --- AutoFDO --- */

static void write_count(struct cairn_output *output, size_t count)
{
    cairn_output_decimal(output, count);
    cairn_output_line(output);
}

static void autofdo_branch(struct pgo_writer *writer, const struct pgo_line *line)
{
    cairn_output_format(writer->output, "%" PRIx64 "->%" PRIx64 ":%" PRIu64, line->from, line->to,
                        line->count);
    cairn_output_line(writer->output);
}

static void autofdo_ranges(struct pgo_writer *writer, uint32_t number)
{
    size_t count, skipped = 0;
    const size_t first = cairn_pgo_ranges_of(writer->pgo, number, &count);

    while (skipped < count && writer->pgo->ranges[first + skipped].first < writer->base)
        skipped++;
    write_count(writer->output, count - skipped);
    for (size_t i = first + skipped; i < first + count; i++) {
        const struct cairn_pgo_range *const range = &writer->pgo->ranges[i];

        cairn_output_format(writer->output, "%" PRIx64 "-%" PRIx64 ":%" PRIu64,
                            range->first - writer->base, range->last - writer->base, range->count);
        cairn_output_line(writer->output);
    }
}

static void autofdo_addresses(struct pgo_writer *writer, uint32_t number)
{
    size_t count, skipped = 0;
    const size_t first = cairn_pgo_addresses_of(writer->pgo, number, &count);

    while (skipped < count && writer->pgo->addresses[first + skipped].address < writer->base)
        skipped++;
    write_count(writer->output, count - skipped);
    for (size_t i = first + skipped; i < first + count; i++) {
        const struct cairn_pgo_address *const address = &writer->pgo->addresses[i];

        cairn_output_format(writer->output, "%" PRIx64 ":%" PRIu64, address->address - writer->base,
                            address->count);
        cairn_output_line(writer->output);
    }
}

void cairn_pgo_autofdo(const struct cairn_pgo *pgo, enum cairn_pgo_comments comments,
                       bool with_indirect, struct cairn_output *output)
{
    struct pgo_writer writer = {.pgo = pgo, .output = output, .with_indirect = with_indirect};

    if (comments != CAIRN_PGO_NO_COMMENTS)
        write_split(pgo, output);
    for (uint32_t i = 0; i < pgo->binary_count && cairn_output_wanted(output); i++) {
        if (!pgo->binaries[i].chosen)
            continue;
        begin_binary(&writer, i);
        writer.base = writer.binary->base;
        autofdo_ranges(&writer, i);
        autofdo_addresses(&writer, i);
        write_count(output, each_branch(&writer, NULL));
        each_branch(&writer, autofdo_branch);
        if (comments != CAIRN_PGO_NO_COMMENTS) {
            write_comments(&writer);
            cairn_output_line(output);
        }
    }
}

/* --- BOLT --- */

static void bolt_branch(struct pgo_writer *writer, const struct pgo_line *line)
{
    cairn_output_format(writer->output, "B %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64,
                        line->from, line->to, line->count, line->mispredicted);
    cairn_output_line(writer->output);
}

void cairn_pgo_preaggregated(const struct cairn_pgo *pgo, enum cairn_pgo_comments comments,
                             bool with_indirect, struct cairn_output *output)
{
    struct pgo_writer writer = {.pgo = pgo, .output = output, .with_indirect = with_indirect};

    if (comments != CAIRN_PGO_NO_COMMENTS)
        write_split(pgo, output);
    for (uint32_t i = 0; i < pgo->binary_count && cairn_output_wanted(output); i++) {
        size_t count;
        const size_t first = cairn_pgo_ranges_of(pgo, i, &count);

        if (!pgo->binaries[i].chosen)
            continue;
        begin_binary(&writer, i);
        if (comments == CAIRN_PGO_BEFORE)
            write_comment_before(&writer);
        for (size_t n = first; n < first + count; n++) {
            const struct cairn_pgo_range *const range = &pgo->ranges[n];

            cairn_output_format(output, "F %" PRIx64 " %" PRIx64 " %" PRIu64, range->first,
                                range->last, range->count);
            cairn_output_line(output);
        }
        each_branch(&writer, bolt_branch);
        if (comments == CAIRN_PGO_BEHIND)
            write_comments(&writer);
    }
}
