/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/counted.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "capture/arena.h"
#include "image/names.h"
#include "image/space.h"

#define NONE CAIRN_TABLE_NONE
#define A64_SIZE 4u

/* A range. */
struct counted_node {
    uint64_t address, end;
    uint64_t count, taken;
    uint64_t last, target;
    uint32_t instructions, place;
    uint32_t guess; /* what came behind it the last time, */
    uint32_t edge;  /* and the edge to that */
    uint32_t insn_flags;
    uint8_t isa, kind;
};

/* From a range whose last instruction was taken to the next. */
struct counted_edge {
    uint32_t from, to;
    uint64_t count;
};

struct cairn_counted {
    struct cairn_image *image;
    struct cairn_config *config;
    struct cairn_space *space;
    bool (*wants)(void *context, const struct cairn_place *place);
    void *wants_context;

    struct counted_node *nodes;
    size_t node_count, node_room;
    struct counted_edge *edges;
    size_t edge_count, edge_room;
    struct cairn_place *places;
    bool *wanted; /* of each place */
    size_t place_count, place_room, wanted_room;
    struct cairn_table by_range, by_edge, by_place;
    uint64_t left_out;

    /* where the flow stands */
    struct cairn_place place;
    uint64_t from, until; /* source offsets at which `at` is the place; from > until: at none */
    uint32_t at;          /* NONE: there is no room for it */
    uint32_t previous;    /* range; NONE: what comes does not follow from one */
    bool is_taken;        /* its last instruction */

    struct cairn_counted_range *ranges;
    size_t range_count;
    struct cairn_counted_branch *branches;
    size_t branch_count, branch_room;
};

/* --- from the outside --- */

cairn_status cairn_counted_new(struct cairn_image *image, struct cairn_config *config,
                               struct cairn_counted **counted)
{
    struct cairn_counted *made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->image = image;
    made->config = config;
    made->place.source = cairn_config_source(config);
    made->from = 1;
    made->previous = NONE;
    const cairn_status status = cairn_space_new(image, &made->space);
    if (status) {
        free(made);
        return status;
    }
    *counted = made;
    return CAIRN_OK;
}

void cairn_counted_free(struct cairn_counted *counted)
{
    if (!counted)
        return;
    cairn_space_free(counted->space);
    free(counted->nodes);
    free(counted->edges);
    free(counted->places);
    free(counted->wanted);
    cairn_table_clear(&counted->by_range);
    cairn_table_clear(&counted->by_edge);
    cairn_table_clear(&counted->by_place);
    free(counted->ranges);
    free(counted->branches);
    free(counted);
}

void cairn_counted_filter(struct cairn_counted *counted,
                          bool (*wants)(void *context, const struct cairn_place *place),
                          void *context)
{
    counted->wants = wants;
    counted->wants_context = context;
}

/* --- places --- */

static bool is_same_place(const struct cairn_place *one, const struct cairn_place *other)
{
    return one->EL == other->EL && one->security == other->security && one->vmid == other->vmid &&
           one->context_id == other->context_id && one->offset == other->offset;
}

/* The place `here`, whose offset is where its epoch begins. */
static cairn_status find_place(struct cairn_counted *counted, const struct cairn_place *here,
                               uint32_t *found)
{
    const uint32_t hash =
        cairn_table_hash((uint64_t)here->vmid << 32 | here->context_id,
                         here->offset << 4 | (uint64_t)here->EL << 2 | here->security);
    struct cairn_table *const table = &counted->by_place;
    size_t at = cairn_table_begin(table, hash);
    uint32_t item;

    while ((item = cairn_table_next(table, hash, &at)) != NONE)
        if (is_same_place(&counted->places[item], here)) {
            *found = item;
            return CAIRN_OK;
        }
    *found = NONE;
    if (counted->place_count == CAIRN_COUNTED_PLACES_MOST)
        return CAIRN_OK;
    if (cairn_grow((void **)&counted->places, counted->place_count, &counted->place_room,
                   sizeof *counted->places) ||
        cairn_grow((void **)&counted->wanted, counted->place_count, &counted->wanted_room,
                   sizeof *counted->wanted) ||
        cairn_table_add(table, hash, (uint32_t)counted->place_count))
        return CAIRN_E_MEMORY;
    *found = (uint32_t)counted->place_count++;
    counted->places[*found] = *here;
    counted->wanted[*found] = !counted->wants || counted->wants(counted->wants_context, here);
    return CAIRN_OK;
}

static cairn_status settle(struct cairn_counted *counted, uint64_t offset)
{
    struct cairn_place here = counted->place;

    here.offset = offset;
    const cairn_status status = cairn_space_select(counted->space, &here);
    if (status)
        return status;
    cairn_space_hold(counted->space, &counted->from, &counted->until);
    cairn_names_hold(cairn_image_names(counted->image), &here, &counted->from, &counted->until);
    here.offset = counted->from;
    return find_place(counted, &here, &counted->at);
}

/* --- ranges --- */

static bool is_range(const struct counted_node *node, const struct counted_node *wanted)
{
    return node->address == wanted->address && node->end == wanted->end &&
           node->place == wanted->place && node->isa == wanted->isa;
}

static cairn_status find_range(struct cairn_counted *counted, const struct counted_node *wanted,
                               uint32_t *found)
{
    const uint32_t hash = cairn_table_hash(
        wanted->address, wanted->end ^ (uint64_t)wanted->place << 40 ^ wanted->isa);
    struct cairn_table *const table = &counted->by_range;
    size_t at = cairn_table_begin(table, hash);
    uint32_t item;

    while ((item = cairn_table_next(table, hash, &at)) != NONE)
        if (is_range(&counted->nodes[item], wanted)) {
            *found = item;
            return CAIRN_OK;
        }
    *found = NONE;
    if (counted->node_count == CAIRN_COUNTED_MOST)
        return CAIRN_OK;
    if (cairn_grow((void **)&counted->nodes, counted->node_count, &counted->node_room,
                   sizeof *counted->nodes) ||
        cairn_table_add(table, hash, (uint32_t)counted->node_count))
        return CAIRN_E_MEMORY;
    *found = (uint32_t)counted->node_count++;
    counted->nodes[*found] = *wanted;
    return CAIRN_OK;
}

static cairn_status find_edge(struct cairn_counted *counted, uint32_t from, uint32_t to,
                              uint32_t *found)
{
    const uint32_t hash = cairn_table_hash(from, to);
    struct cairn_table *const table = &counted->by_edge;
    size_t at = cairn_table_begin(table, hash);
    uint32_t item;

    while ((item = cairn_table_next(table, hash, &at)) != NONE)
        if (counted->edges[item].from == from && counted->edges[item].to == to) {
            *found = item;
            return CAIRN_OK;
        }
    *found = NONE;
    if (counted->edge_count == CAIRN_COUNTED_MOST)
        return CAIRN_OK;
    if (cairn_grow((void **)&counted->edges, counted->edge_count, &counted->edge_room,
                   sizeof *counted->edges) ||
        cairn_table_add(table, hash, (uint32_t)counted->edge_count))
        return CAIRN_E_MEMORY;
    *found = (uint32_t)counted->edge_count++;
    counted->edges[*found] = (struct counted_edge){.from = from, .to = to};
    return CAIRN_OK;
}

/* From the range before to `to`: most often where it went the last time. */
static cairn_status count_edge(struct cairn_counted *counted, uint32_t to)
{
    struct counted_node *const from = &counted->nodes[counted->previous];
    cairn_status status = CAIRN_OK;

    if (from->edge == NONE || counted->edges[from->edge].to != to)
        status = find_edge(counted, counted->previous, to, &from->edge);
    if (!status && from->edge != NONE)
        counted->edges[from->edge].count++;
    return status;
}

static cairn_status count_range(struct cairn_counted *counted, const struct counted_node *wanted,
                                bool is_taken)
{
    const uint32_t previous = counted->previous;
    uint32_t found = previous == NONE ? NONE : counted->nodes[previous].guess;
    cairn_status status = CAIRN_OK;

    if (found == NONE || !is_range(&counted->nodes[found], wanted))
        status = find_range(counted, wanted, &found);
    if (status)
        return status;
    if (found == NONE) {
        counted->left_out++;
        counted->previous = NONE;
        return CAIRN_OK;
    }
    if (previous != NONE) {
        counted->nodes[previous].guess = found;
        status = counted->is_taken ? count_edge(counted, found) : CAIRN_OK;
    }
    counted->nodes[found].count++;
    counted->nodes[found].taken += is_taken;
    counted->previous = found;
    counted->is_taken = is_taken;
    return status;
}

static cairn_status take_range(struct cairn_counted *counted, const struct cairn_flow_batch *batch,
                               size_t i)
{
    const unsigned flags = batch->flags[i];
    const uint64_t offset = batch->offset[i];
    cairn_status status = CAIRN_OK;

    if (offset < counted->from || offset > counted->until)
        status = settle(counted, offset);
    if (status || !batch->instructions[i])
        return status;
    if (flags & CAIRN_FLOW_DISCONTINUITY)
        counted->previous = NONE;
    if (counted->at == NONE || !counted->wanted[counted->at]) {
        counted->left_out += counted->at == NONE;
        counted->previous = NONE;
        return CAIRN_OK;
    }
    const struct counted_node wanted = {
        .address = batch->address[i],
        .end = batch->value[i],
        .instructions = batch->instructions[i],
        .place = counted->at,
        .guess = NONE,
        .edge = NONE,
        .isa = batch->isa[i],
    };
    const bool is_known = (flags & CAIRN_FLOW_P0) && !(flags & CAIRN_FLOW_UNKNOWN);
    return count_range(counted, &wanted, is_known && (flags & CAIRN_FLOW_TAKEN));
}

static cairn_status take(void *context, const struct cairn_flow_batch *batch)
{
    struct cairn_counted *const counted = context;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && !status; i++)
        switch (batch->kind[i]) {
        case CAIRN_FLOW_RANGE: status = take_range(counted, batch, i); break;
        case CAIRN_FLOW_CONTEXT:
            counted->place =
                cairn_flow_place(counted->place.source, 0, batch->address[i], batch->value[i]);
            counted->from = 1;
            counted->until = 0;
            break;
        case CAIRN_FLOW_GAP:
        case CAIRN_FLOW_TRACE_ON:
        case CAIRN_FLOW_EXCEPTION:
        case CAIRN_FLOW_OVERFLOW:
        case CAIRN_FLOW_DISCARD: counted->previous = NONE; break;
        case CAIRN_FLOW_Q:
            if (batch->flags[i] & CAIRN_FLOW_UNKNOWN)
                counted->previous = NONE;
            break;
        default: break;
        }
    return status;
}

struct cairn_consumer cairn_counted_consumer(struct cairn_counted *counted)
{
    return (struct cairn_consumer){
        .size = sizeof(struct cairn_consumer), .context = counted, .events = take};
}

/* --- the lists --- */

/* Where its last instruction is, and what that does. */
static void look_at_last(struct cairn_counted *counted, struct counted_node *node)
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

static bool is_branch(const struct counted_node *node)
{
    return node->kind == CAIRN_INSN_BRANCH_DIRECT || node->kind == CAIRN_INSN_BRANCH_INDIRECT;
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
    cairn_status status = CAIRN_OK;

    counted->ranges = calloc(counted->node_count + 1, sizeof *counted->ranges);
    if (!counted->ranges)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < counted->node_count && !status; i++) {
        struct counted_node *const node = &counted->nodes[i];

        status = cairn_space_select(counted->space, &counted->places[node->place]);
        look_at_last(counted, node);
        counted->ranges[i] = (struct cairn_counted_range){
            .address = node->address,
            .last = node->last,
            .end = node->end,
            .count = node->count,
            .taken = is_branch(node) ? node->taken : 0,
            .instructions = node->instructions,
            .place = node->place,
            .flags = node->insn_flags,
            .isa = node->isa,
            .kind = node->kind,
        };
    }
    counted->range_count = counted->node_count;
    qsort(counted->ranges, counted->range_count, sizeof *counted->ranges, by_range);
    return status;
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

        if (is_branch(node))
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

cairn_status cairn_counted_finish(struct cairn_counted *counted)
{
    const cairn_status status = list_ranges(counted);

    return status ? status : list_branches(counted);
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
