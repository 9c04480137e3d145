/* SPDX-License-Identifier: BSD-2-Clause */
/* BOLT's fdata: of each branch the function that it is in and the one that it goes to, each with the distance from its
 * beginning, how often it was mispredicted and how often taken. BOLT wants to know as well how often the flow went on
 * from one basic block to the next behind it: such lines lead from the last instruction of the one to the first of
 * the other. Basic blocks are those of the code: they begin where branches go, and behind branches. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image/elf.h"
#include "report/pgo.h"
#include "report/pgo_symbols.h"

#define A64_SIZE 4u
#define MACHINE_AARCH64 183u
#define FUNCTION_MOST ((uint64_t)64 << 20) /* bytes of a function that is looked at */

/* An instruction of a function. */
struct fdata_insn {
    uint64_t executed;
    uint64_t taken;     /* from here */
    uint64_t arrived;   /* here by branches that are no returns */
    bool is_leader;     /* a basic block begins */
    bool is_call, ends; /* the flow does not go on behind it */
};

struct fdata_writer {
    const struct cairn_pgo *pgo;
    const struct cairn_pgo_binary *binary;
    uint32_t number;
    struct cairn_output *output;
    uint64_t lines;
    struct cairn_pgo_functions functions;
    struct cairn_segments segments;
    /* branches into the binary, by target */
    const struct cairn_pgo_branch **arrivals;
    size_t arrival_count;
    size_t at_range, at_arrival; /* of what is behind the function before */
};

/* --- lines --- */

static void write_name(struct cairn_output *output, const char *name)
{
    for (; *name; name++) {
        if (*name == ' ' || *name == '\\')
            cairn_output_char(output, '\\');
        cairn_output_char(output, *name);
    }
}

static void write_end(struct fdata_writer *writer, const struct cairn_pgo_function *function,
                      uint64_t address)
{
    struct cairn_output *const output = writer->output;

    if (!function) {
        cairn_output_text(output, "0 [unknown] 0 ");
        return;
    }
    cairn_output_text(output, "1 ");
    write_name(output, function->name);
    if (function->source) {
        cairn_output_char(output, '/');
        write_name(output, function->source);
    }
    if (function->number) {
        cairn_output_char(output, '/');
        cairn_output_decimal(output, function->number);
    }
    cairn_output_format(output, " %" PRIx64 " ", address - function->first);
}

static const struct cairn_pgo_function *find(const struct fdata_writer *writer, uint32_t binary,
                                             uint64_t address)
{
    return binary == writer->number ? cairn_pgo_functions_find(&writer->functions, address) : NULL;
}

static void write_branch(struct fdata_writer *writer, const struct cairn_pgo_branch *branch)
{
    const struct cairn_pgo_function *const from = find(writer, branch->from_binary, branch->from);
    const struct cairn_pgo_function *const to =
        branch->has_target ? find(writer, branch->to_binary, branch->to) : NULL;

    if (!from && !to)
        return;
    write_end(writer, from, branch->from);
    write_end(writer, to, branch->to);
    cairn_output_format(writer->output, "%" PRIu64 " %" PRIu64, branch->mispredicted,
                        branch->count);
    cairn_output_line(writer->output);
    writer->lines++;
}

/* --- what lies between basic blocks --- */

static const uint8_t *code_at(const struct fdata_writer *writer, uint64_t address)
{
    if (writer->segments.machine != MACHINE_AARCH64)
        return NULL;
    for (size_t i = 0; i < writer->segments.count; i++) {
        const struct cairn_segment *const segment = &writer->segments.list[i];

        if (!segment->is_zeros && address >= segment->address &&
            address - segment->address + A64_SIZE <= segment->size)
            return writer->binary->code->data + segment->offset + (address - segment->address);
    }
    return NULL;
}

static bool decode_at(const struct fdata_writer *writer, uint64_t address, struct cairn_insn *insn)
{
    const struct cairn_arch arch = cairn_arch_any_a();
    const uint8_t *const bytes = code_at(writer, address);

    return bytes && cairn_insn_decode(&arch, CAIRN_ISA_A64, address, bytes, A64_SIZE, insn);
}

static void mark_leader(const struct cairn_pgo_function *function, struct fdata_insn *insns,
                        uint64_t address)
{
    if (address > function->first && address <= function->last &&
        !((address - function->first) % A64_SIZE))
        insns[(address - function->first) / A64_SIZE].is_leader = true;
}

static void find_leaders(const struct fdata_writer *writer,
                         const struct cairn_pgo_function *function, struct fdata_insn *insns,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t address = function->first + i * A64_SIZE;
        struct cairn_insn insn;

        if (!decode_at(writer, address, &insn) ||
            (insn.kind != CAIRN_INSN_BRANCH_DIRECT && insn.kind != CAIRN_INSN_BRANCH_INDIRECT))
            continue;
        insns[i].is_call = (insn.flags & CAIRN_INSN_LINK) != 0;
        insns[i].ends = !(insn.flags & (CAIRN_INSN_LINK | CAIRN_INSN_CONDITIONAL));
        if (insns[i].is_call)
            continue;
        mark_leader(function, insns, address + A64_SIZE);
        if (insn.kind == CAIRN_INSN_BRANCH_DIRECT)
            mark_leader(function, insns, insn.target);
    }
}

/* A branch of the binary is one by its instruction. Of others the target tells: returns come back behind calls, where
 * no basic block begins. */
static bool is_return(const struct fdata_writer *writer, const struct cairn_pgo_branch *branch,
                      uint64_t to)
{
    struct cairn_insn insn;

    if (branch->from_binary == writer->number)
        return decode_at(writer, branch->from, &insn) && (insn.flags & CAIRN_INSN_RETURN);
    return to >= A64_SIZE && decode_at(writer, to - A64_SIZE, &insn) &&
           (insn.flags & CAIRN_INSN_LINK);
}

static void count_branches(struct fdata_writer *writer, const struct cairn_pgo_function *function,
                           struct fdata_insn *insns)
{
    size_t count;
    const size_t first = cairn_pgo_branches_of(writer->pgo, writer->number, &count);
    size_t from = first, until = first + count;

    while (from < until) { /* the first branch of the function */
        const size_t middle = from + (until - from) / 2;

        if (writer->pgo->branches[middle].from < function->first)
            from = middle + 1;
        else
            until = middle;
    }
    for (; from < first + count && writer->pgo->branches[from].from <= function->last; from++)
        insns[(writer->pgo->branches[from].from - function->first) / A64_SIZE].taken +=
            writer->pgo->branches[from].count;
    while (writer->at_arrival < writer->arrival_count &&
           writer->arrivals[writer->at_arrival]->to < function->first)
        writer->at_arrival++;
    for (; writer->at_arrival < writer->arrival_count &&
           writer->arrivals[writer->at_arrival]->to <= function->last;
         writer->at_arrival++) {
        const struct cairn_pgo_branch *const branch = writer->arrivals[writer->at_arrival];

        if (is_return(writer, branch, branch->to))
            continue;
        insns[(branch->to - function->first) / A64_SIZE].arrived += branch->count;
        mark_leader(function, insns, branch->to);
    }
}

/* Counts are added where a range begins and taken away behind it, and then summed up. */
static bool count_ranges(struct fdata_writer *writer, const struct cairn_pgo_function *function,
                         struct fdata_insn *insns, size_t size)
{
    size_t count;
    const size_t first = cairn_pgo_ranges_of(writer->pgo, writer->number, &count);
    bool any = false;

    for (size_t i = writer->at_range; i < count; i++) {
        const struct cairn_pgo_range *const range = &writer->pgo->ranges[first + i];

        if (range->first > function->last)
            break;
        if (range->last < function->first || range->last < range->first)
            continue;
        const uint64_t from = range->first > function->first ? range->first : function->first;
        const uint64_t last = range->last < function->last ? range->last : function->last;
        insns[(from - function->first) / A64_SIZE].executed += range->count;
        if ((last - function->first) / A64_SIZE + 1 < size)
            insns[(last - function->first) / A64_SIZE + 1].executed -= range->count;
        any = true;
    }
    for (size_t i = 1; i < size; i++)
        insns[i].executed += insns[i - 1].executed;
    return any;
}

static void write_falls(struct fdata_writer *writer, const struct cairn_pgo_function *function,
                        const struct fdata_insn *insns, size_t size)
{
    for (size_t i = 1; i < size; i++) {
        const struct fdata_insn *const last = &insns[i - 1];
        const uint64_t left = last->executed - (last->is_call ? 0 : last->taken);
        const uint64_t came = insns[i].executed - insns[i].arrived;
        const uint64_t count = left < came ? left : came;

        /* what was cut off, or sampled, may not add up */
        if (!insns[i].is_leader || last->ends || !count || count > insns[i].executed ||
            count > last->executed)
            continue;
        write_end(writer, function, function->first + (i - 1) * A64_SIZE);
        write_end(writer, function, function->first + i * A64_SIZE);
        cairn_output_format(writer->output, "0 %" PRIu64, count);
        cairn_output_line(writer->output);
        writer->lines++;
    }
}

static cairn_status write_function(struct fdata_writer *writer,
                                   const struct cairn_pgo_function *function)
{
    size_t count;
    const size_t first = cairn_pgo_ranges_of(writer->pgo, writer->number, &count);
    const uint64_t bytes = function->last - function->first + 1;
    const size_t size = (size_t)(bytes / A64_SIZE);

    while (writer->at_range < count &&
           writer->pgo->ranges[first + writer->at_range].last < function->first)
        writer->at_range++;
    if (writer->at_range == count ||
        writer->pgo->ranges[first + writer->at_range].first > function->last || !size ||
        bytes > FUNCTION_MOST)
        return CAIRN_OK;
    struct fdata_insn *const insns = calloc(size + 1, sizeof *insns);
    if (!insns)
        return CAIRN_E_MEMORY;
    if (count_ranges(writer, function, insns, size)) {
        find_leaders(writer, function, insns, size);
        count_branches(writer, function, insns);
        write_falls(writer, function, insns, size);
    }
    free(insns);
    return CAIRN_OK;
}

/* --- all of it --- */

static int by_target(const void *a, const void *b)
{
    const struct cairn_pgo_branch *const *const one = a, *const *const other = b;

    if ((*one)->to != (*other)->to)
        return (*one)->to < (*other)->to ? -1 : 1;
    return (*one > *other) - (*one < *other);
}

static cairn_status gather_arrivals(struct fdata_writer *writer)
{
    const struct cairn_pgo *const pgo = writer->pgo;

    writer->arrivals = malloc((pgo->branch_count + 1) * sizeof *writer->arrivals);
    if (!writer->arrivals)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < pgo->branch_count; i++)
        if (pgo->branches[i].has_target && pgo->branches[i].to_binary == writer->number)
            writer->arrivals[writer->arrival_count++] = &pgo->branches[i];
    if (writer->arrival_count)
        qsort(writer->arrivals, writer->arrival_count, sizeof *writer->arrivals, by_target);
    return CAIRN_OK;
}

/* Branches but returns, which BOLT does not want. */
static void write_branches(struct fdata_writer *writer)
{
    const struct cairn_pgo *const pgo = writer->pgo;

    for (size_t i = 0; i < pgo->branch_count; i++) {
        const struct cairn_pgo_branch *const branch = &pgo->branches[i];
        const bool is_into = branch->has_target && branch->to_binary == writer->number;

        if ((is_into || branch->from_binary == writer->number) &&
            !is_return(writer, branch, is_into ? branch->to : 0))
            write_branch(writer, branch);
    }
}

static cairn_status write_binary(struct fdata_writer *writer)
{
    cairn_status status = cairn_pgo_functions_read(writer->binary->file, &writer->functions);

    /* without segments there is no code to look at */
    if (!status &&
        (!writer->binary->code ||
         cairn_elf_segments(writer->binary->code, writer->binary->path, &writer->segments, NULL)))
        writer->segments = (struct cairn_segments){0};
    if (!status)
        status = gather_arrivals(writer);
    if (!status)
        write_branches(writer);
    for (size_t i = 0;
         i < writer->functions.count && !status && writer->segments.machine == MACHINE_AARCH64; i++)
        status = write_function(writer, &writer->functions.list[i]);
    cairn_segments_clear(&writer->segments);
    cairn_pgo_functions_clear(&writer->functions);
    free(writer->arrivals);
    return status;
}

cairn_status cairn_pgo_fdata(const struct cairn_pgo *pgo, struct cairn_output *output,
                             uint64_t *lines)
{
    cairn_status status = CAIRN_OK;

    *lines = 0;
    for (uint32_t i = 0; i < pgo->binary_count && !status; i++) {
        struct fdata_writer writer = {
            .pgo = pgo, .binary = &pgo->binaries[i], .number = i, .output = output};

        if (writer.binary->chosen && writer.binary->file)
            status = write_binary(&writer);
        *lines += writer.lines;
    }
    return status;
}
