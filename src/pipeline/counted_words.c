/* SPDX-License-Identifier: BSD-2-Clause */
/* The same counts from the engine's words: a word is one addition to its path, and one to where the path before it
 * went. What the paths' ranges have is added up when the dictionary ends. */
#include <stdlib.h>

#include "base/room.h"
#include "capture/arena.h"
#include "flow/dictionary.h"
#include "pipeline/counted_state.h"

#define NONE CAIRN_TABLE_NONE
/* From the first packet of a path of packets to its last one. */
#define SPAN 7u

void cairn_counted_free_views(struct cairn_counted *counted)
{
    for (unsigned i = 0; i < COUNTED_VIEWS; i++) {
        free(counted->views[i].paths);
        free(counted->views[i].nodes);
        free(counted->views[i].known);
    }
}

/* --- what was counted --- */

static void add_went(struct cairn_counted *counted, struct counted_path *path)
{
    if (path->went)
        counted->edges[path->edge].count += path->went;
    path->went = 0;
}

/* Inside of a path: only of indirect branches it is asked where they go. */
static cairn_status add_edge(struct cairn_counted *counted, uint32_t from, uint32_t to,
                             uint64_t times)
{
    uint32_t edge;
    const cairn_status status = cairn_counted_find_edge(counted, from, to, &edge);

    if (status)
        return status;
    if (edge == NONE)
        counted->left_out += times;
    else
        counted->edges[edge].count += times;
    return CAIRN_OK;
}

static cairn_status add_path(struct cairn_counted *counted, const struct counted_view *view,
                             const struct cairn_path *path, uint64_t times)
{
    const uint32_t *const steps = counted->dictionary->steps + path->first;
    const struct cairn_code_block *const blocks = counted->dictionary->blocks;
    uint32_t jumped = NONE; /* an indirect branch */
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 0; i < path->steps && !status; i++) {
        if (!blocks[steps[i] >> 1].instructions)
            continue;
        const uint32_t number = view->nodes[steps[i] >> 1] - 1;
        struct counted_node *const node = &counted->nodes[number];
        const bool is_taken = (steps[i] & 1) && cairn_counted_is_branch(node) &&
                              (blocks[steps[i] >> 1].flags & CAIRN_BLOCK_P0);

        node->count += times;
        node->taken += is_taken ? times : 0;
        if (jumped != NONE)
            status = add_edge(counted, jumped, number, times);
        jumped = is_taken && node->kind == CAIRN_INSN_BRANCH_INDIRECT ? number : NONE;
    }
    return status;
}

/* Adds up what was counted by path, and forgets what paths mean. */
static cairn_status flush_view(struct cairn_counted *counted, struct counted_view *view)
{
    cairn_status status = CAIRN_OK;

    counted->before = NULL;
    counted->view = NULL;
    for (size_t i = 0; i < view->known_count && !status; i++) {
        const uint32_t id = view->known[i];

        add_went(counted, &view->paths[id]);
        if (view->paths[id].count)
            status =
                add_path(counted, view, &counted->dictionary->paths[id], view->paths[id].count);
        view->paths[id] = (struct counted_path){.is_known = false};
    }
    for (size_t i = 0; i < view->known_count; i++) {
        const struct cairn_path *const path = &counted->dictionary->paths[view->known[i]];

        for (uint32_t k = 0; k < path->steps; k++)
            view->nodes[counted->dictionary->steps[path->first + k] >> 1] = 0;
    }
    view->known_count = 0;
    view->place = NONE;
    return status;
}

static cairn_status flush(struct cairn_counted *counted)
{
    cairn_status status = CAIRN_OK;

    for (unsigned i = 0; i < COUNTED_VIEWS && !status; i++)
        status = flush_view(counted, &counted->views[i]);
    return status;
}

/* --- paths at a place --- */

static cairn_status make_room(struct cairn_counted *counted, struct counted_view *view)
{
    counted->before = NULL;
    const cairn_status status =
        cairn_enlarge(&view->paths, &view->path_room, counted->path_count, sizeof *view->paths);

    return status ? status
                  : cairn_enlarge(&view->nodes, &view->node_room, counted->block_count,
                                  sizeof *view->nodes);
}

/* The view of the place where the flow is. */
static cairn_status choose_view(struct cairn_counted *counted)
{
    struct counted_view *view = &counted->views[0];
    cairn_status status = CAIRN_OK;

    for (unsigned i = 0; i < COUNTED_VIEWS && view->place != counted->at; i++)
        if (counted->views[i].place == counted->at || counted->views[i].used < view->used)
            view = &counted->views[i];
    if (view->place != counted->at)
        status = flush_view(counted, view);
    if (!status &&
        (view->path_room < counted->path_count || view->node_room < counted->block_count))
        status = make_room(counted, view);
    view->place = counted->at;
    view->used = ++counted->clock;
    counted->view = view;
    return status;
}

static cairn_status learn(struct cairn_counted *counted, uint32_t id)
{
    struct counted_view *const view = counted->view;
    const struct cairn_path *const path = &counted->dictionary->paths[id];
    const uint32_t *const steps = counted->dictionary->steps + path->first;
    struct counted_path made = {.first = NONE,
                                .last = NONE,
                                .edge = NONE,
                                .to = NONE,
                                .is_known = true,
                                .is_bits = path->kind == CAIRN_PATH_BITS};
    bool is_short = false; /* of room */
    cairn_status status = cairn_grow((void **)&view->known, view->known_count, &view->known_room,
                                     sizeof *view->known);

    for (uint32_t i = 0; i < path->steps && !status; i++) {
        const struct cairn_code_block *const block = &counted->dictionary->blocks[steps[i] >> 1];
        uint32_t *const node = &view->nodes[steps[i] >> 1];

        if (!block->instructions)
            continue;
        if (!*node) {
            const struct counted_node wanted = {
                .address = block->address,
                .end = block->end,
                .instructions = block->instructions,
                .place = counted->at,
                .guess = NONE,
                .edge = NONE,
                .isa = block->isa,
            };
            uint32_t found = NONE;

            status = cairn_counted_find_range(counted, &wanted, &found);
            *node = found + 1; /* of NONE 0 */
        }
        if (status || !*node) {
            is_short = true;
            continue;
        }
        const struct counted_node *const range = &counted->nodes[*node - 1];
        made.first = made.first == NONE ? *node - 1 : made.first;
        made.last = *node - 1;
        made.is_taken =
            (steps[i] & 1) && (block->flags & CAIRN_BLOCK_P0) && cairn_counted_is_branch(range);
        made.is_indirect = made.is_taken && range->kind == CAIRN_INSN_BRANCH_INDIRECT;
    }
    if (status)
        return status;
    if (is_short)
        made.first = NONE;
    view->known[view->known_count++] = id;
    view->paths[id] = made;
    return CAIRN_OK;
}

/* --- words --- */

static cairn_status take_event(struct cairn_counted *counted, const struct cairn_word_event *event)
{
    switch (event->kind) {
    case CAIRN_FLOW_RANGE:
        return cairn_counted_take_range(
            counted, event->offset,
            &(struct cairn_range){.address = event->address,
                                  .end = event->value,
                                  .instructions = event->instructions,
                                  .isa = event->isa,
                                  .taken = (event->flags & CAIRN_FLOW_TAKEN) != 0,
                                  .flags = event->flags});
    case CAIRN_WORD_DISCONTINUITY: return cairn_counted_break_off(counted);
    case CAIRN_WORD_PACKET:
    case CAIRN_WORD_WAITS:
        counted->packet_offset = event->offset;
        counted->is_unknown =
            event->kind == CAIRN_WORD_PACKET && (event->flags & CAIRN_FLOW_UNKNOWN);
        return CAIRN_OK;
    default:
        return cairn_counted_take_event(counted, event->kind, event->flags, event->address,
                                        event->value);
    }
}

/* A word step by step, with what stands between them. */
static cairn_status take_steps(struct cairn_counted *counted, const struct cairn_word_batch *batch,
                               size_t word, size_t *event)
{
    const struct cairn_dictionary *const dictionary = batch->dictionary;
    const struct cairn_path *const path =
        &dictionary->paths[batch->path[word] & ~CAIRN_WORD_INFERRED];
    const bool is_bits = path->kind == CAIRN_PATH_BITS;
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 0; i < path->steps && !status; i++) {
        const uint32_t step = dictionary->steps[path->first + i];
        const struct cairn_code_block *const block = &dictionary->blocks[step >> 1];

        while (*event < batch->event_count && !status) {
            const struct cairn_word_event *const next = cairn_word_event_at(batch, *event);

            if (next->word > word || next->step > i)
                break;
            status = take_event(counted, next);
            ++*event;
        }
        if (status || !block->instructions)
            continue;
        const unsigned known = block->flags & CAIRN_BLOCK_P0 ? CAIRN_FLOW_P0 : 0;
        const unsigned unknown = is_bits && counted->is_unknown ? CAIRN_FLOW_UNKNOWN : 0;

        status = cairn_counted_take_range(
            counted,
            is_bits ? counted->packet_offset
                    : batch->offset[word] + cairn_path_packet(dictionary, path->atoms, i),
            &(struct cairn_range){.address = block->address,
                                  .end = block->end,
                                  .instructions = block->instructions,
                                  .isa = block->isa,
                                  .taken = step & 1,
                                  .flags = (uint16_t)(known | unknown)});
    }
    return status;
}

/* Whether all of a path of packets from `offset` on is at the place that is settled on. */
static bool is_here(const struct cairn_counted *counted, uint64_t offset)
{
    return offset >= counted->from && offset <= counted->until && counted->until - offset >= SPAN;
}

/* Looks where a word is, and what its path means there. False: it is to be taken step by step. */
static cairn_status know(struct cairn_counted *counted, const struct cairn_word_batch *batch,
                         size_t word, bool *is_whole)
{
    const uint32_t id = batch->path[word] & ~CAIRN_WORD_INFERRED;
    const bool is_bits = batch->dictionary->paths[id].kind == CAIRN_PATH_BITS;
    const uint64_t offset = is_bits ? counted->packet_offset : batch->offset[word];
    cairn_status status = CAIRN_OK;

    *is_whole = false;
    if (is_bits && counted->is_unknown)
        return CAIRN_OK;
    if (!is_here(counted, offset) && (offset < counted->from || offset > counted->until))
        status = cairn_counted_settle(counted, offset);
    if (status || !is_here(counted, offset) || counted->at == NONE || !counted->wanted[counted->at])
        return status;
    if (!counted->view)
        status = choose_view(counted);
    if (!status && !counted->view->paths[id].is_known)
        status = learn(counted, id);
    *is_whole = !status && counted->view->paths[id].first != NONE;
    return status;
}

/* Where the path before goes on now: elsewhere than the last time. */
static cairn_status turn_to(struct cairn_counted *counted, struct counted_path *before, uint32_t to)
{
    add_went(counted, before);
    const cairn_status status = cairn_counted_find_edge(counted, before->last, to, &before->edge);

    before->to = before->edge == NONE ? NONE : to;
    return status;
}

static inline cairn_status count_word(struct cairn_counted *counted, struct counted_path *path)
{
    struct counted_path *const before = counted->before;
    cairn_status status = CAIRN_OK;

    if (before && before->is_indirect) {
        if (before->to != path->first || before->went == UINT32_MAX)
            status = turn_to(counted, before, path->first);
        if (before->to == NONE)
            counted->left_out++;
        else
            before->went++;
    } else if (!before && counted->previous != NONE && counted->is_taken) {
        status = cairn_counted_count_edge(counted, path->first);
    }
    path->count++;
    counted->before = path;
    counted->previous = path->last;
    counted->is_taken = path->is_taken;
    return status;
}

/* What stands inside of a word and does not break it. */
static bool is_harmless(const struct cairn_counted *counted, const struct cairn_word_event *event)
{
    switch (event->kind) {
    case CAIRN_FLOW_RANGE:
    case CAIRN_FLOW_CONTEXT:
    case CAIRN_FLOW_GAP:
    case CAIRN_FLOW_TRACE_ON:
    case CAIRN_FLOW_EXCEPTION:
    case CAIRN_FLOW_OVERFLOW:
    case CAIRN_FLOW_DISCARD:
    case CAIRN_FLOW_Q:
    case CAIRN_WORD_DISCONTINUITY: return false;
    case CAIRN_WORD_PACKET:
        return !(event->flags & CAIRN_FLOW_UNKNOWN) && is_here(counted, event->offset);
    case CAIRN_WORD_WAITS: return is_here(counted, event->offset);
    default: return true;
    }
}

static cairn_status take_word(struct cairn_counted *counted, const struct cairn_word_batch *batch,
                              size_t word, size_t *event)
{
    bool is_whole;
    cairn_status status = know(counted, batch, word, &is_whole);
    size_t end = *event;

    for (; is_whole && end < batch->event_count; end++) {
        const struct cairn_word_event *const one = cairn_word_event_at(batch, end);

        if (one->word != word)
            break;
        is_whole = is_harmless(counted, one);
    }
    if (status || !is_whole)
        return status ? status : take_steps(counted, batch, word, event);
    for (; *event < end && !status; ++*event)
        status = take_event(counted, cairn_word_event_at(batch, *event));
    return status ? status
                  : count_word(counted,
                               &counted->view->paths[batch->path[word] & ~CAIRN_WORD_INFERRED]);
}

/* Words that nothing stands between, as far as all about them is known: up to the first other one. */
static cairn_status count_words(struct cairn_counted *counted, const struct cairn_word_batch *batch,
                                size_t *word, size_t until)
{
    cairn_status status = CAIRN_OK;

    for (; *word < until && !status && counted->view; ++*word) {
        struct counted_path *const path =
            &counted->view->paths[batch->path[*word] & ~CAIRN_WORD_INFERRED];

        if (!path->is_known || path->first == NONE || (path->is_bits && counted->is_unknown) ||
            !is_here(counted, path->is_bits ? counted->packet_offset : batch->offset[*word]))
            break;
        status = count_word(counted, path);
    }
    return status;
}

/* Whether an event stands in front of a word, or of none. */
static bool is_before(const struct cairn_word_batch *batch, size_t event, size_t word)
{
    if (event >= batch->event_count)
        return false;
    const struct cairn_word_event *const one = cairn_word_event_at(batch, event);

    return one->word < word || (one->word == word && (one->step == 0 || word == batch->count));
}

static cairn_status take_words(void *context, const struct cairn_word_batch *batch)
{
    struct cairn_counted *const counted = context;
    size_t event = 0, word = 0;
    cairn_status status = CAIRN_OK;

    counted->has_words = true;
    counted->dictionary = batch->dictionary;
    counted->path_count = batch->dictionary->path_count;
    counted->block_count = batch->dictionary->block_count;
    counted->view = NULL; /* there may be more paths than it has room for */
    while (!status) {
        for (; !status && is_before(batch, event, word); event++)
            status = take_event(counted, cairn_word_event_at(batch, event));
        if (status || word == batch->count)
            break;
        const size_t next =
            event < batch->event_count ? cairn_word_event_at(batch, event)->word : batch->count;

        status = count_words(counted, batch, &word, next < batch->count ? next : batch->count);
        if (!status && word < batch->count && !is_before(batch, event, word))
            status = take_word(counted, batch, word++, &event);
    }
    if (!status && batch->dictionary_ends)
        status = flush(counted);
    return status;
}

static cairn_status take_records(void *context, const struct cairn_flow_batch *batch)
{
    const struct cairn_consumer records = cairn_counted_consumer(context);

    return records.events(context, batch);
}

static void end(void *context, const struct cairn_ledger *ledger, cairn_status ended)
{
    struct cairn_counted *const counted = context;

    (void)ledger;
    (void)ended;
    if (counted->dictionary)
        counted->failed = flush(counted);
}

struct cairn_consumer cairn_counted_words_consumer(struct cairn_counted *counted)
{
    return (struct cairn_consumer){.size = sizeof(struct cairn_consumer),
                                   .context = counted,
                                   .words = take_words,
                                   .events = take_records,
                                   .end = end};
}
