/* SPDX-License-Identifier: BSD-2-Clause */
/* What was counted, added up by instruction and by function. */
#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

#include "image/frames.h"
#include "image/space.h"

/* Instructions of one block that are looked at: as many as the decoder walks. */
#define BLOCK_MOST (1u << 20)

#define SEVERAL UINT32_MAX

static bool select_block(const struct cairn_profiled *profile, const struct cairn_block_count *one)
{
    return cairn_space_select(profile->space, &one->place) == CAIRN_OK;
}

static const struct cairn_arch *arch_of(const struct cairn_profiled *profile, uint32_t source)
{
    for (size_t i = 0; i < profile->source_count; i++)
        if (profile->sources[i].index == source)
            return cairn_config_arch(profile->sources[i].config);
    return NULL;
}

static unsigned size_at(const struct cairn_profiled *profile, const struct cairn_arch *arch,
                        const struct cairn_block_count *one, uint64_t at)
{
    struct cairn_insn insn;

    if (one->block.isa != CAIRN_ISA_T32)
        return 4;
    return arch && cairn_space_insn(profile->space, arch, CAIRN_ISA_T32, at, &insn) ? insn.size : 2;
}

struct insn_list {
    struct cairn_profile_insn *list;
    size_t count, capacity;
    bool is_told_apart; /* some have `memory` */
};

static cairn_status add_insn(struct insn_list *insns, const struct cairn_profile_insn *insn)
{
    if (insns->count == insns->capacity) {
        const size_t capacity = insns->capacity ? insns->capacity * 2 : 4096;
        struct cairn_profile_insn *grown = realloc(insns->list, capacity * sizeof *grown);

        if (!grown)
            return CAIRN_E_MEMORY;
        insns->list = grown;
        insns->capacity = capacity;
    }
    insns->list[insns->count++] = *insn;
    insns->is_told_apart |= insn->memory != 0;
    return CAIRN_OK;
}

/* The function of all instructions of a block whose place is selected; SEVERAL where it runs from one into the next. */
static uint32_t function_of(struct cairn_profiled *profile, const struct cairn_block_count *one)
{
    const uint64_t last =
        one->block.instructions > 1 ? one->block.end - one->block.last_size : one->block.address;
    bool starts;

    return one->is_whole || cairn_functions_at(&profile->functions, profile->space, last,
                                               &starts) == one->function
               ? one->function
               : SEVERAL;
}

static cairn_status add_block(struct cairn_profiled *profile, uint32_t entry,
                              struct insn_list *insns)
{
    const struct cairn_block_count *one = &profile->counted.list[entry];
    const struct cairn_arch *arch = arch_of(profile, one->source);
    uint64_t at = one->block.address;
    cairn_status status = CAIRN_OK;

    if (one->executed == 0 || one->block.instructions > BLOCK_MOST || !select_block(profile, one))
        return CAIRN_OK;
    const char *const object = cairn_space_object(profile->space, at);
    const uint32_t function = function_of(profile, one);
    const bool is_known = one->function || object;
    uint64_t last;
    for (uint32_t i = 0; i < one->block.instructions && !status; i++) {
        const bool is_last = i + 1 == one->block.instructions;
        const unsigned size = is_last ? one->block.last_size : size_at(profile, arch, one, at);
        const struct cairn_profile_insn insn = {
            .address = at,
            .object = object,
            .memory = is_known ? 0 : cairn_space_bytes(profile->space, at, &last),
            .executed = one->executed,
            .taken = is_last ? one->taken : 0,
            .cycles = is_last ? one->cycles : 0,
            .block = entry,
            .function = function,
            .flags = is_last ? one->block.flags : 0,
            .isa = one->block.isa,
            .size = (uint8_t)size,
        };

        status = add_insn(insns, &insn);
        at += size;
        if (one->block.isa != CAIRN_ISA_A64)
            at &= UINT32_MAX;
    }
    return status;
}

/* Names of files are the image's: the same file is the same text. */
static int compare_place(const struct cairn_profile_insn *a, const struct cairn_profile_insn *b)
{
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->object != b->object) {
        const int order = a->object && b->object ? strcmp(a->object, b->object) : 0;

        return order ? order : (a->object != NULL) - (b->object != NULL);
    }
    return (a->isa > b->isa) - (a->isa < b->isa);
}

static int by_address(const void *left, const void *right)
{
    const struct cairn_profile_insn *a = left, *b = right;
    const int order = compare_place(a, b);

    if (order)
        return order;
    if (a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

/* Does not depend on where the host has the memory. */
static int by_block(const void *left, const void *right)
{
    const struct cairn_profile_insn *a = left, *b = right;
    const int order = compare_place(a, b);

    return order ? order : (a->block > b->block) - (a->block < b->block);
}

static bool is_same(const struct cairn_profile_insn *a, const struct cairn_profile_insn *b)
{
    return a->address == b->address && a->isa == b->isa && a->memory == b->memory &&
           (a->object == b->object ||
            (a->object && b->object && strcmp(a->object, b->object) == 0));
}

static void merge(struct insn_list *insns)
{
    size_t made = 0;

    for (size_t i = 0; i < insns->count; i++) {
        struct cairn_profile_insn *const last = made ? &insns->list[made - 1] : NULL;
        const struct cairn_profile_insn *const one = &insns->list[i];

        if (!last || !is_same(last, one)) {
            insns->list[made++] = *one;
            continue;
        }
        last->executed += one->executed;
        last->taken += one->taken;
        last->cycles += one->cycles;
        last->flags |= one->flags;
    }
    insns->count = made;
}

static void name_all(struct cairn_profiled *profile)
{
    for (size_t i = 0; i < profile->insn_count; i++) {
        struct cairn_profile_insn *insn = &profile->insns[i];
        const struct cairn_block_count *one = &profile->counted.list[insn->block];
        bool starts;

        if (insn->function != SEVERAL)
            continue;
        insn->function = 0;
        if (select_block(profile, one))
            insn->function =
                cairn_functions_at(&profile->functions, profile->space, insn->address, &starts);
    }
}

/* The instructions one by one, with what each function has of them. */
static cairn_status list_insns(struct cairn_profiled *profile)
{
    struct insn_list insns = {0};
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 1; i < profile->counted.count && !status; i++)
        status = add_block(profile, i, &insns);
    profile->insns = insns.list;
    if (status)
        return status;
    if (insns.count)
        qsort(insns.list, insns.count, sizeof *insns.list, by_address);
    merge(&insns);
    if (insns.is_told_apart)
        qsort(insns.list, insns.count, sizeof *insns.list, by_block);
    profile->insn_count = insns.count;
    name_all(profile);
    return CAIRN_OK;
}

/* --- functions --- */

static cairn_status add_self(struct cairn_profiled *profile, uint32_t function, uint64_t executed,
                             uint64_t cycles)
{
    if (function >= profile->total_count) { /* some are met here for the first time */
        const size_t count = (size_t)profile->functions.count + 1;
        struct cairn_profile_function *grown = realloc(profile->totals, count * sizeof *grown);

        if (!grown)
            return CAIRN_E_MEMORY;
        memset(grown + profile->total_count, 0, (count - profile->total_count) * sizeof *grown);
        profile->totals = grown;
        profile->total_count = count;
    }
    profile->totals[function].self += executed;
    profile->totals[function].self_cycles += cycles;
    profile->instructions += executed;
    profile->cycles += cycles;
    return CAIRN_OK;
}

/* A block that runs from one function into the next. */
static cairn_status add_pieces(struct cairn_profiled *profile, const struct cairn_block_count *one)
{
    const struct cairn_arch *arch = arch_of(profile, one->source);
    uint64_t at = one->block.address;
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 0; i < one->block.instructions && !status; i++) {
        const bool is_last = i + 1 == one->block.instructions;
        bool starts;
        const uint32_t function =
            cairn_functions_at(&profile->functions, profile->space, at, &starts);

        status = add_self(profile, function, one->executed, is_last ? one->cycles : 0);
        at += is_last ? one->block.last_size : size_at(profile, arch, one, at);
        if (one->block.isa != CAIRN_ISA_A64)
            at &= UINT32_MAX;
    }
    return status;
}

/* What each function has of the blocks: what adding up their instructions would give. */
static cairn_status add_blocks(struct cairn_profiled *profile)
{
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 1; i < profile->counted.count && !status; i++) {
        const struct cairn_block_count *one = &profile->counted.list[i];

        if (one->executed == 0 || one->block.instructions > BLOCK_MOST ||
            (!one->is_whole && !select_block(profile, one)))
            continue;
        if (function_of(profile, one) == SEVERAL)
            status = add_pieces(profile, one);
        else
            status = add_self(profile, one->function, one->executed * one->block.instructions,
                              one->cycles);
    }
    return status;
}

static cairn_status add_functions(struct cairn_profiled *profile)
{
    cairn_status status = profile->has_insns ? list_insns(profile) : add_blocks(profile);

    for (size_t i = 0; i < profile->insn_count && !status; i++) {
        const struct cairn_profile_insn *insn = &profile->insns[i];

        status = add_self(profile, insn->function, insn->executed, insn->cycles);
    }
    if (!status)
        status = add_self(profile, profile->functions.count, 0, 0);
    for (size_t i = 0; i < profile->added.room && i < profile->total_count && !status; i++) {
        profile->totals[i].total = profile->added.list[i].instructions;
        profile->totals[i].total_cycles = profile->added.list[i].cycles;
        profile->totals[i].calls = profile->added.list[i].calls;
    }
    return status;
}

static void link_children(struct cairn_profiled *profile)
{
    for (uint32_t i = profile->node_count; i > 1; i--) {
        struct cairn_profile_node *node = &profile->nodes[i - 1];
        struct cairn_profile_node *parent = &profile->nodes[node->parent];

        node->next = parent->child;
        parent->child = i - 1;
    }
}

/* Children have higher numbers than their parents. */
static cairn_status add_up_nodes(struct cairn_profiled *profile)
{
    struct cairn_profile_sum *sums = calloc((size_t)profile->node_count + 1, sizeof *sums);

    if (!sums)
        return CAIRN_E_MEMORY;
    for (uint32_t i = profile->node_count; i > 1; i--) {
        const struct cairn_profile_node *node = &profile->nodes[i - 1];

        sums[i - 1].instructions += node->instructions;
        sums[i - 1].cycles += node->cycles;
        sums[node->parent].instructions += sums[i - 1].instructions;
        sums[node->parent].cycles += sums[i - 1].cycles;
    }
    profile->sums = sums;
    return CAIRN_OK;
}

/* The root of a thread is none of its calls. */
static bool is_call(const struct cairn_profile_node *node)
{
    return node->parent != 0;
}

/* A call inside of another one of the same function is in that one's total. */
static cairn_status add_totals(struct cairn_profiled *profile)
{
    uint32_t *open = calloc(profile->functions.count + 1, sizeof *open);
    uint32_t at = profile->node_count > 1 ? profile->nodes[0].child : 0;

    if (!open)
        return CAIRN_E_MEMORY;
    while (at) {
        const struct cairn_profile_node *node = &profile->nodes[at];
        struct cairn_profile_function *total = &profile->totals[node->function];

        total->calls += node->calls;
        if (is_call(node) && open[node->function]++ == 0) {
            total->total += profile->sums[at].instructions;
            total->total_cycles += profile->sums[at].cycles;
        }
        if (node->child) {
            at = node->child;
            continue;
        }
        for (; at && !profile->nodes[at].next; at = profile->nodes[at].parent)
            open[profile->nodes[at].function] -= is_call(&profile->nodes[at]);
        if (at) {
            open[profile->nodes[at].function] -= is_call(&profile->nodes[at]);
            at = profile->nodes[at].next;
        }
    }
    free(open);
    /* A label inside of a function is executed in that one's calls. */
    for (uint32_t i = 0; i < profile->functions.count; i++) {
        struct cairn_profile_function *total = &profile->totals[i];

        if (total->total < total->self)
            total->total = total->self;
        if (total->total_cycles < total->self_cycles)
            total->total_cycles = total->self_cycles;
    }
    return CAIRN_OK;
}

cairn_status cairn_profile_finish(struct cairn_profiled *profile)
{
    cairn_status status = profile->is_ordered ? cairn_profile_merge_blocks(profile) : CAIRN_OK;

    if (!status)
        status = add_functions(profile);
    if (!status && profile->functions.failed)
        status = CAIRN_E_MEMORY;
    if (!status && profile->is_ordered)
        status = cairn_profile_order(profile);
    if (!status)
        status = add_up_nodes(profile);
    if (status)
        return status;
    link_children(profile);
    return add_totals(profile);
}

bool cairn_profile_line(const struct cairn_profiled *profile, const struct cairn_place *place,
                        uint64_t address, const char **file, uint32_t *line)
{
    struct cairn_symbol symbol = {.size = sizeof symbol};

    if (cairn_space_select(profile->space, place) ||
        cairn_symbolize(profile->space, address, &symbol) || !symbol.file)
        return false;
    *file = symbol.file;
    *line = symbol.line;
    return true;
}

bool cairn_profile_declaration(const struct cairn_profiled *profile,
                               const struct cairn_place *place, uint64_t address, const char **file,
                               uint32_t *line)
{
    return !cairn_space_select(profile->space, place) &&
           cairn_space_declaration(profile->space, address, file, line);
}
