/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "capture/arena.h"
#include "pipeline/counted_state.h"

#define A64_SIZE 4u

void cairn_counted_look(struct cairn_counted *counted, struct counted_node *node)
{
    const enum cairn_isa isa = (enum cairn_isa)node->isa;
    const struct cairn_arch *const arch = cairn_config_arch(counted->config);
    struct cairn_insn insn = {.size = A64_SIZE};

    node->last = node->address;
    if (isa == CAIRN_ISA_A64)
        node->last += (uint64_t)(node->instructions - 1) * A64_SIZE;
    for (uint32_t left = isa == CAIRN_ISA_A64 ? 0 : node->instructions - 1; left; left--) {
        if (!cairn_space_insn(counted->space, arch, isa, node->last, &insn))
            return;
        node->last = (node->last + insn.size) & UINT32_MAX;
    }
    if (!cairn_space_insn(counted->space, arch, isa, node->last, &insn))
        return;
    node->kind = insn.kind;
    node->insn_flags = insn.flags;
    node->target = insn.target;
}

static int by_range(const void *a, const void *b)
{
    const struct cairn_counted_range *const one = a, *const other = b;

    if (one->place != other->place)
        return one->place < other->place ? -1 : 1;
    if (one->address != other->address)
        return one->address < other->address ? -1 : 1;
    if (one->last != other->last)
        return one->last < other->last ? -1 : 1;
    return one->isa < other->isa ? -1 : one->isa > other->isa;
}

static int by_branch(const void *a, const void *b)
{
    const struct cairn_counted_branch *const one = a, *const other = b;

    if (one->from_place != other->from_place)
        return one->from_place < other->from_place ? -1 : 1;
    if (one->from != other->from)
        return one->from < other->from ? -1 : 1;
    if (one->has_target != other->has_target)
        return one->has_target ? -1 : 1;
    if (one->to_place != other->to_place)
        return one->to_place < other->to_place ? -1 : 1;
    if (one->to != other->to)
        return one->to < other->to ? -1 : 1;
    return one->kind < other->kind ? -1 : one->kind > other->kind;
}

static cairn_status list_ranges(struct cairn_counted *counted)
{
    counted->ranges = calloc(counted->node_count + 1, sizeof *counted->ranges);
    if (!counted->ranges)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < counted->node_count; i++) {
        const struct counted_node *const node = &counted->nodes[i];

        counted->ranges[i] = (struct cairn_counted_range){
            .address = node->address,
            .last = node->last,
            .end = node->end,
            .count = node->count,
            .taken = node->taken,
            .instructions = node->instructions,
            .place = node->place,
            .flags = node->insn_flags,
            .isa = node->isa,
            .kind = node->kind,
        };
    }
    counted->range_count = counted->node_count;
    if (counted->range_count)
        qsort(counted->ranges, counted->range_count, sizeof *counted->ranges, by_range);
    return CAIRN_OK;
}

static cairn_status add_branch(struct cairn_counted *counted, const struct counted_node *from,
                               const struct cairn_counted_branch *made)
{
    if (!made->count)
        return CAIRN_OK;
    if (cairn_grow((void **)&counted->branches, counted->branch_count, &counted->branch_room,
                   sizeof *counted->branches))
        return CAIRN_E_MEMORY;
    struct cairn_counted_branch *const branch = &counted->branches[counted->branch_count++];

    *branch = *made;
    branch->from = from->last;
    branch->from_place = from->place;
    branch->flags = from->insn_flags;
    branch->kind = from->kind;
    return CAIRN_OK;
}

/* Of indirect branches: `taken` becomes what no edge has. */
static cairn_status list_edges(struct cairn_counted *counted)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < counted->edge_count && !status; i++) {
        const struct counted_edge *const edge = &counted->edges[i];
        struct counted_node *const from = &counted->nodes[edge->from];
        const struct counted_node *const to = &counted->nodes[edge->to];

        if (from->kind != CAIRN_INSN_BRANCH_INDIRECT)
            continue;
        from->taken -= edge->count;
        status = add_branch(counted, from,
                            &(struct cairn_counted_branch){.to = to->address,
                                                           .count = edge->count,
                                                           .to_place = to->place,
                                                           .has_target = true});
    }
    return status;
}

static cairn_status list_branches(struct cairn_counted *counted)
{
    cairn_status status = list_edges(counted);
    size_t kept = 0;

    for (size_t i = 0; i < counted->node_count && !status; i++) {
        const struct counted_node *const node = &counted->nodes[i];

        if (cairn_counted_is_branch(node))
            status = add_branch(counted, node,
                                &(struct cairn_counted_branch){
                                    .to = node->target,
                                    .count = node->taken,
                                    .to_place = node->place,
                                    .has_target = node->kind == CAIRN_INSN_BRANCH_DIRECT,
                                });
    }
    if (status || !counted->branch_count)
        return status;
    qsort(counted->branches, counted->branch_count, sizeof *counted->branches, by_branch);
    for (size_t i = 1; i < counted->branch_count; i++)
        if (by_branch(&counted->branches[kept], &counted->branches[i]) == 0)
            counted->branches[kept].count += counted->branches[i].count;
        else
            counted->branches[++kept] = counted->branches[i];
    counted->branch_count = kept + 1;
    return CAIRN_OK;
}

static cairn_status list_rows(struct cairn_counted *counted)
{
    counted->row_list = calloc(counted->row_count + 1, sizeof *counted->row_list);
    if (!counted->row_list)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < counted->row_count; i++) {
        const struct counted_node *const first = &counted->nodes[counted->rows[i].first];
        const struct counted_node *const last = &counted->nodes[counted->rows[i].last];

        counted->row_list[i] = (struct cairn_counted_range){
            .address = first->address,
            .last = last->last,
            .end = last->end,
            .count = counted->rows[i].count,
            .instructions = last->instructions,
            .place = first->place,
            .flags = last->insn_flags,
            .isa = first->isa,
            .kind = last->kind,
        };
    }
    if (counted->row_count)
        qsort(counted->row_list, counted->row_count, sizeof *counted->row_list, by_range);
    return CAIRN_OK;
}

cairn_status cairn_counted_finish(struct cairn_counted *counted)
{
    cairn_status status = counted->failed;

    if (!status)
        status = cairn_counted_break_off(counted);
    if (!status)
        status = list_ranges(counted);
    if (!status)
        status = list_rows(counted);
    return status ? status : list_branches(counted);
}

const struct cairn_counted_range *cairn_counted_rows(const struct cairn_counted *counted,
                                                     size_t *count)
{
    *count = counted->row_count;
    return counted->row_list;
}

const struct cairn_counted_range *cairn_counted_ranges(const struct cairn_counted *counted,
                                                       size_t *count)
{
    *count = counted->range_count;
    return counted->ranges;
}

const struct cairn_counted_branch *cairn_counted_branches(const struct cairn_counted *counted,
                                                          size_t *count)
{
    *count = counted->branch_count;
    return counted->branches;
}

const struct cairn_place *cairn_counted_place(const struct cairn_counted *counted, uint32_t place)
{
    return &counted->places[place];
}

uint64_t cairn_counted_left_out(const struct cairn_counted *counted)
{
    return counted->left_out;
}
