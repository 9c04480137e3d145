/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/counted_state.h"

#include <stdlib.h>
#include <string.h>

#include "capture/arena.h"
#include "image/names.h"
#include "image/space.h"

#define NONE CAIRN_TABLE_NONE

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
    made->previous = made->row = NONE;
    for (unsigned i = 0; i < COUNTED_VIEWS; i++)
        made->views[i].place = NONE;
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
    cairn_table_clear(&counted->by_row);
    cairn_counted_free_views(counted);
    free(counted->rows);
    free(counted->row_list);
    free(counted->ranges);
    free(counted->branches);
    free(counted);
}

void cairn_counted_want_rows(struct cairn_counted *counted, enum cairn_rows_end end)
{
    counted->rows_end = end;
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

cairn_status cairn_counted_settle(struct cairn_counted *counted, uint64_t offset)
{
    struct cairn_place here = counted->place;

    here.offset = offset;
    counted->view = NULL;
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

cairn_status cairn_counted_find_range(struct cairn_counted *counted,
                                      const struct counted_node *wanted, uint32_t *found)
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
    cairn_counted_look(counted, &counted->nodes[*found]);
    return CAIRN_OK;
}

cairn_status cairn_counted_find_edge(struct cairn_counted *counted, uint32_t from, uint32_t to,
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
cairn_status cairn_counted_count_edge(struct cairn_counted *counted, uint32_t to)
{
    struct counted_node *const from = &counted->nodes[counted->previous];
    cairn_status status = CAIRN_OK;

    if (from->edge == NONE || counted->edges[from->edge].to != to)
        status = cairn_counted_find_edge(counted, counted->previous, to, &from->edge);
    if (!status && from->edge == NONE)
        counted->left_out++;
    else if (!status)
        counted->edges[from->edge].count++;
    return status;
}

static cairn_status end_row(struct cairn_counted *counted)
{
    const struct counted_row row = {.first = counted->row, .last = counted->previous, .count = 1};
    const uint32_t hash = cairn_table_hash(row.first, row.last);
    struct cairn_table *const table = &counted->by_row;
    size_t at = cairn_table_begin(table, hash);
    uint32_t item;

    counted->row = NONE;
    if (row.first == NONE || row.last == NONE)
        return CAIRN_OK;
    while ((item = cairn_table_next(table, hash, &at)) != NONE)
        if (counted->rows[item].first == row.first && counted->rows[item].last == row.last) {
            counted->rows[item].count++;
            return CAIRN_OK;
        }
    if (counted->row_count == CAIRN_COUNTED_MOST) {
        counted->left_out++;
        return CAIRN_OK;
    }
    if (cairn_grow((void **)&counted->rows, counted->row_count, &counted->row_room,
                   sizeof *counted->rows) ||
        cairn_table_add(table, hash, (uint32_t)counted->row_count))
        return CAIRN_E_MEMORY;
    counted->rows[counted->row_count++] = row;
    return CAIRN_OK;
}

cairn_status cairn_counted_break_off(struct cairn_counted *counted)
{
    const cairn_status status = counted->rows_end ? end_row(counted) : CAIRN_OK;

    counted->previous = NONE;
    counted->before = NULL;
    return status;
}

static cairn_status count_range(struct cairn_counted *counted, const struct counted_node *wanted,
                                bool is_taken)
{
    const uint32_t previous = counted->previous;
    uint32_t found = previous == NONE ? NONE : counted->nodes[previous].guess;
    cairn_status status = CAIRN_OK;

    if (found == NONE || !is_range(&counted->nodes[found], wanted))
        status = cairn_counted_find_range(counted, wanted, &found);
    if (status)
        return status;
    if (found == NONE) {
        counted->left_out++;
        return cairn_counted_break_off(counted);
    }
    if (previous != NONE) {
        counted->nodes[previous].guess = found;
        status = counted->is_taken ? cairn_counted_count_edge(counted, found) : CAIRN_OK;
    }
    const bool is_branch = cairn_counted_is_branch(&counted->nodes[found]);
    counted->nodes[found].count++;
    counted->nodes[found].taken += is_taken && is_branch;
    counted->previous = found;
    counted->before = NULL;
    counted->is_taken = is_taken && is_branch;
    if (!counted->rows_end || status)
        return status;
    counted->row = counted->row == NONE ? found : counted->row;
    return counted->is_taken || (is_branch && counted->rows_end == CAIRN_ROWS_TO_BRANCH)
               ? end_row(counted)
               : CAIRN_OK;
}

cairn_status cairn_counted_take_range(struct cairn_counted *counted, uint64_t offset,
                                      const struct cairn_range *range)
{
    const unsigned flags = range->flags;
    cairn_status status = CAIRN_OK;

    if (offset < counted->from || offset > counted->until)
        status = cairn_counted_settle(counted, offset);
    if (status || !range->instructions)
        return status;
    if (flags & CAIRN_FLOW_DISCONTINUITY)
        status = cairn_counted_break_off(counted);
    if (status)
        return status;
    if (counted->at == NONE || !counted->wanted[counted->at]) {
        counted->left_out += counted->at == NONE;
        return cairn_counted_break_off(counted);
    }
    const struct counted_node wanted = {
        .address = range->address,
        .end = range->end,
        .instructions = range->instructions,
        .place = counted->at,
        .guess = NONE,
        .edge = NONE,
        .isa = range->isa,
    };
    const bool is_known = (flags & CAIRN_FLOW_P0) && !(flags & CAIRN_FLOW_UNKNOWN);
    return count_range(counted, &wanted, is_known && range->taken);
}

cairn_status cairn_counted_take_event(struct cairn_counted *counted, uint8_t kind, unsigned flags,
                                      uint64_t address, uint64_t value)
{
    switch (kind) {
    case CAIRN_FLOW_CONTEXT:
        counted->place = cairn_flow_place(counted->place.source, 0, address, value);
        counted->from = 1;
        counted->until = 0;
        return CAIRN_OK;
    case CAIRN_FLOW_GAP:
    case CAIRN_FLOW_TRACE_ON:
    case CAIRN_FLOW_EXCEPTION:
    case CAIRN_FLOW_OVERFLOW:
    case CAIRN_FLOW_DISCARD: return cairn_counted_break_off(counted);
    case CAIRN_FLOW_Q:
        return flags & CAIRN_FLOW_UNKNOWN ? cairn_counted_break_off(counted) : CAIRN_OK;
    default: return CAIRN_OK;
    }
}

static cairn_status take(void *context, const struct cairn_flow_batch *batch)
{
    struct cairn_counted *const counted = context;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && !status && !counted->has_words; i++)
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            status = cairn_counted_take_range(
                counted, batch->offset[i],
                &(struct cairn_range){.address = batch->address[i],
                                      .end = batch->value[i],
                                      .instructions = batch->instructions[i],
                                      .isa = batch->isa[i],
                                      .taken = (batch->flags[i] & CAIRN_FLOW_TAKEN) != 0,
                                      .flags = batch->flags[i]});
        else
            status = cairn_counted_take_event(counted, batch->kind[i], batch->flags[i],
                                              batch->address[i], batch->value[i]);
    return status;
}

struct cairn_consumer cairn_counted_consumer(struct cairn_counted *counted)
{
    return (struct cairn_consumer){
        .size = sizeof(struct cairn_consumer), .context = counted, .events = take};
}
