/* SPDX-License-Identifier: BSD-2-Clause */
/* Views: which memory the trace speaks of, and the memo that goes with it. */
#include "flow/engine.h"

#include "flow/follow.h"
#include "flow/gate.h"
#include "image/space.h"

#include <stdlib.h>
#include <string.h>

static void enter(struct cairn_engine *engine, struct cairn_view *view)
{
    view->used = ++engine->clock;
    engine->view = view;
    engine->blocks.view = view->number;
    engine->blocks.SF = view->SF;
    cairn_fetch_select(&engine->blocks.fetch, view->number);
}

static void keep_selection(const struct cairn_engine *engine, struct cairn_view *view)
{
    const uint32_t *groups;

    free(view->groups);
    cairn_space_selection(engine->levels->flow->space, &groups, &view->group_count, &view->layers);
    view->groups = malloc((view->group_count + 1) * sizeof *groups);
    if (view->groups && view->group_count > 0)
        memcpy(view->groups, groups, view->group_count * sizeof *groups);
}

static bool is_same(const struct cairn_view *a, const struct cairn_view *b)
{
    return a->identity != 0 && a->groups && b->groups && a->from == b->from && a->SF == b->SF &&
           a->layers == b->layers && a->group_count == b->group_count &&
           memcmp(a->groups, b->groups, a->group_count * sizeof *a->groups) == 0;
}

const struct cairn_memo *cairn_engine_peer_memo(const struct cairn_engine *engine, unsigned *n)
{
    for (; *n < engine->peer_count * CAIRN_ENGINE_VIEWS; ++*n) {
        const struct cairn_engine *peer = engine->peers[*n / CAIRN_ENGINE_VIEWS];
        const struct cairn_view *view = &peer->views[*n % CAIRN_ENGINE_VIEWS];

        if (peer == engine || !is_same(view, engine->view))
            continue;
        ++*n;
        return &view->memo;
    }
    return NULL;
}

static void take(struct cairn_engine *engine, uint64_t identity, uint64_t from, bool SF)
{
    struct cairn_view *oldest = &engine->views[0];

    for (unsigned i = 0; i < CAIRN_ENGINE_VIEWS; i++) {
        struct cairn_view *view = &engine->views[i];

        if (view->identity == identity && view->from == from && view->SF == SF) {
            enter(engine, view);
            return;
        }
        if (view->used < oldest->used)
            oldest = view;
    }
    /* Its counters go with its entries. Others may look for words in them. */
    cairn_engine_flush_counts(engine);
    (void)cairn_gate_enter(engine->gate, &engine->cancelled);
    cairn_memo_clear(&oldest->memo);
    oldest->identity = identity;
    oldest->from = from;
    oldest->SF = SF;
    oldest->number = ++engine->view_numbers;
    keep_selection(engine, oldest);
    cairn_gate_leave(engine->gate);
    enter(engine, oldest);
}

cairn_status cairn_engine_select(struct cairn_engine *engine)
{
    struct cairn_flow *flow = engine->levels->flow;
    const cairn_status status = cairn_follow_select(flow);

    if (status != CAIRN_OK)
        return status;
    if (engine->view && engine->view_generation == flow->generation &&
        engine->view->SF == flow->context.SF)
        return CAIRN_OK;
    take(engine, cairn_space_identity(flow->space), flow->selected_from, flow->context.SF);
    engine->view_generation = flow->generation;
    return CAIRN_OK;
}

void cairn_engine_forget(struct cairn_engine *engine, bool keep_blocks)
{
    if (!keep_blocks)
        cairn_blocks_clear(&engine->blocks);
    for (unsigned i = 0; i < CAIRN_ENGINE_VIEWS; i++) {
        struct cairn_memo *memo = &engine->views[i].memo;

        cairn_memo_clear(memo);
        if (!engine->fresh)
            continue;
        /* Not to be looked up in for nothing. */
        engine->dictionary->bytes -= cairn_memo_bytes(memo);
        cairn_memo_release(memo);
    }
}

void cairn_engine_give_up_tables(struct cairn_engine *engine)
{
    struct cairn_dictionary *dictionary = engine->dictionary;
    struct cairn_blocks *blocks = &engine->blocks;

    for (unsigned i = 0; i < CAIRN_ENGINE_VIEWS; i++) {
        struct cairn_memo *memo = &engine->views[i].memo;

        if (memo->bits == 0)
            continue;
        dictionary->bytes -= cairn_memo_bytes(memo);
        cairn_memo_release(memo);
    }
    if (blocks->slots)
        dictionary->bytes -= sizeof *blocks->slots << blocks->bits;
    cairn_blocks_release(blocks);
    blocks->slots = NULL;
    blocks->bits = 0;
    blocks->used = 0;
}

static void flush(struct cairn_dictionary *dictionary, struct cairn_memo *memo)
{
    const uint32_t size = memo->bits ? 1u << memo->bits : 0;

    for (uint32_t from = 0; from < size; from += 64)
        for (uint64_t held = memo->held[from / 64]; held; held &= held - 1) {
            const uint32_t i = from + (uint32_t)__builtin_ctzll(held);
            uint32_t *const count =
                memo->entries ? &memo->entries[i].count : &memo->stacked[i].count;
            const uint32_t path = memo->entries ? memo->entries[i].path : memo->stacked[i].path;

            dictionary->counts[path] += (uint64_t)(int64_t)(int32_t)*count;
            *count = 0;
        }
}

void cairn_engine_flush_counts(struct cairn_engine *engine)
{
    if (!(engine->options.flags & CAIRN_ENGINE_COUNTS) ||
        !cairn_gate_enter(engine->gate, &engine->cancelled))
        return;
    for (unsigned i = 0; i < CAIRN_ENGINE_VIEWS && engine->dictionary->counts; i++)
        flush(engine->dictionary, &engine->views[i].memo);
    cairn_gate_leave(engine->gate);
}
