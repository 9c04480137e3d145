/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of calls in counts: each call is a row that is known by a number made of what it is and what it is inside of, so
 * that the same chain has the same number wherever it was executed. */
#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "report/counts_give.h"
#include "report/counts_take.h"

struct node_id {
    uint64_t one, other;
};

static uint64_t mix(uint64_t hash, uint64_t value, uint64_t factor)
{
    hash = (hash ^ value) * factor;
    return hash ^ hash >> 29;
}

static struct node_id node_id(struct node_id id, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        id.one = mix(id.one, values[i], CAIRN_GOLDEN);
        id.other = mix(id.other, values[i] + i, UINT64_C(0xff51afd7ed558ccd));
    }
    /* 0 is nobody's */
    id.one |= UINT64_C(1) << 63;
    return id;
}

static uint64_t hash_of_text(const struct cairn_counts *counts, uint64_t text)
{
    return cairn_counts_checksum((const uint8_t *)counts->texts[text].bytes,
                                 counts->texts[text].size);
}

static uint64_t hash_of_object(const struct cairn_counts *counts, uint64_t object)
{
    return object
               ? hash_of_text(counts, cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, object - 1)[0])
               : 0;
}

/* --- taken --- */

struct call_site {
    uint64_t object, address;
};

static cairn_status locate_at(struct cairn_counts_taker *taker, const struct cairn_place *place,
                              uint64_t address, struct call_site *site)
{
    const cairn_status status = cairn_space_select(taker->space, place);

    *site = (struct call_site){0, address};
    return status ? status : cairn_counts_locate(taker, address, &site->object, &site->address);
}

/* Of code without a symbol the object alone. */
static uint64_t object_called(const struct cairn_counts *counts, const char *path)
{
    for (size_t i = counts->tables[CAIRN_COUNTS_OBJECTS].count; i-- > 0 && path;)
        if (!strcmp(counts
                        ->texts[cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS,
                                                 i)[CAIRN_COUNTS_OBJECT_PATH]]
                        .bytes,
                    path))
            return i + 1;
    return 0;
}

static cairn_status locate_functions(struct cairn_counts_taker *taker,
                                     const struct cairn_profiled *profile, struct call_site *sites)
{
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 1; i < profile->functions.count && !status; i++) {
        const struct cairn_function *const one = &profile->functions.list[i];

        if (one->name)
            status = locate_at(taker, &one->place, one->address, &sites[i]);
        else
            sites[i] = (struct call_site){object_called(taker->counts, one->object),
                                          CAIRN_COUNTS_NO_SYMBOL};
    }
    return status;
}

struct tree_taking {
    struct cairn_counts_taker *taker;
    const struct cairn_profiled *profile;
    const uint64_t *sources;
    struct call_site *functions;
    struct node_id *ids;
    const struct cairn_profile_thread **threads; /* of each node */
};

static struct node_id root_id(const struct tree_taking *taking,
                              const struct cairn_profile_thread *thread)
{
    const struct cairn_counts *const counts = taking->taker->counts;
    const uint64_t *const source =
        cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, taking->sources[thread->source]);
    const uint64_t values[] = {hash_of_text(counts, source[CAIRN_COUNTS_SOURCE_CAPTURE]),
                               source[CAIRN_COUNTS_SOURCE_INDEX],
                               hash_of_text(counts, source[CAIRN_COUNTS_SOURCE_NAME]),
                               source[CAIRN_COUNTS_SOURCE_FINGERPRINT],
                               thread->vmid,
                               thread->context_id};

    return node_id((struct node_id){1, 1}, values, sizeof values / sizeof values[0]);
}

static cairn_status take_node(struct tree_taking *taking, uint32_t number)
{
    struct cairn_counts *const counts = taking->taker->counts;
    const struct cairn_profile_node *const node = &taking->profile->nodes[number];
    const struct cairn_profile_thread *const thread = taking->threads[number];
    const struct call_site *const function = &taking->functions[node->function];
    struct call_site site = {0, 0};
    struct node_id parent = {0, 0};
    cairn_status status = CAIRN_OK;

    if (node->parent) {
        const uint32_t caller = taking->profile->nodes[node->parent].function;

        if (node->site)
            status =
                locate_at(taking->taker,
                          &taking->profile->functions.list[caller ? caller : node->function].place,
                          node->site, &site);
        parent = taking->ids[node->parent];
        const uint64_t values[] = {hash_of_object(counts, function->object), function->address,
                                   node->exception, hash_of_object(counts, site.object),
                                   site.address};
        taking->ids[number] = node_id(parent, values, sizeof values / sizeof values[0]);
    } else {
        taking->ids[number] = root_id(taking, thread);
    }
    const uint64_t cells[] = {taking->ids[number].one,
                              taking->ids[number].other,
                              parent.one,
                              parent.other,
                              taking->sources[thread->source],
                              thread->vmid,
                              thread->context_id,
                              node->parent ? function->object : 0,
                              node->parent ? function->address : 0,
                              node->exception,
                              site.object,
                              site.address,
                              node->kind,
                              node->calls,
                              node->instructions,
                              node->cycles};
    return status ? status : cairn_counts_add(counts, CAIRN_COUNTS_NODES, cells);
}

static cairn_status take_nodes(struct tree_taking *taking)
{
    const struct cairn_profiled *const profile = taking->profile;
    cairn_status status = locate_functions(taking->taker, profile, taking->functions);

    for (size_t i = 0; i < profile->thread_count; i++)
        taking->threads[profile->threads[i].root] = &profile->threads[i];
    /* parents come before what is inside of them */
    for (uint32_t i = 1; i < profile->node_count && !status; i++) {
        if (profile->nodes[i].parent)
            taking->threads[i] = taking->threads[profile->nodes[i].parent];
        if (taking->sources[taking->threads[i]->source] != CAIRN_COUNTS_NO_ROW)
            status = take_node(taking, i);
    }
    return status;
}

cairn_status cairn_counts_take_calls(struct cairn_counts_taker *taker,
                                     const struct cairn_profiled *profile, const uint64_t *sources)
{
    struct tree_taking taking = {
        .taker = taker,
        .profile = profile,
        .sources = sources,
        .functions = calloc((size_t)profile->functions.count + 1, sizeof *taking.functions),
        .ids = calloc((size_t)profile->node_count + 1, sizeof *taking.ids),
        .threads = calloc((size_t)profile->node_count + 1, sizeof *taking.threads),
    };
    cairn_status status =
        taking.functions && taking.ids && taking.threads ? CAIRN_OK : CAIRN_E_MEMORY;

    if (!status)
        status = take_nodes(&taking);
    if (!status && profile->is_full)
        status = cairn_counts_set(taker->counts, CAIRN_COUNTS_IS_FULL);
    free(taking.functions);
    free(taking.ids);
    free((void *)(uintptr_t)taking.threads);
    return status;
}

/* --- given back --- */

#define NONE SIZE_MAX

struct tree_giving {
    const struct cairn_counts *counts;
    struct cairn_counts_given *given;
    struct cairn_profiled *profile;
    size_t *first, *next; /* inside of each row; the next one inside of the same */
    size_t *queue;        /* rows, outer ones first; number in the profile is the index and 1 */
    uint32_t *thread;     /* of each in the queue */
    size_t queued;
};

static const uint64_t *node_row(const struct tree_giving *giving, size_t row)
{
    return cairn_counts_row(giving->counts, CAIRN_COUNTS_NODES, row);
}

/* Rows are in the order of their numbers. */
static size_t find_row(const struct tree_giving *giving, uint64_t one, uint64_t other)
{
    size_t from = 0, until = giving->counts->tables[CAIRN_COUNTS_NODES].count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;
        const uint64_t *const row = node_row(giving, middle);

        if (row[0] < one || (row[0] == one && row[1] < other))
            from = middle + 1;
        else
            until = middle;
    }
    if (from == giving->counts->tables[CAIRN_COUNTS_NODES].count)
        return NONE;
    const uint64_t *const row = node_row(giving, from);
    return row[0] == one && row[1] == other ? from : NONE;
}

static cairn_status give_thread(struct tree_giving *giving, const uint64_t *row)
{
    struct cairn_profiled *const profile = giving->profile;
    const uint32_t root = (uint32_t)giving->queued + 1;

    if (row[CAIRN_COUNTS_NODE_VMID] > UINT32_MAX || row[CAIRN_COUNTS_NODE_CONTEXT] > UINT32_MAX)
        return CAIRN_E_FORMAT;
    profile->threads[profile->thread_count++] = (struct cairn_profile_thread){
        .source = (uint32_t)row[CAIRN_COUNTS_NODE_SOURCE],
        .vmid = (uint32_t)row[CAIRN_COUNTS_NODE_VMID],
        .context_id = (uint32_t)row[CAIRN_COUNTS_NODE_CONTEXT],
        .root = root,
        .node = root,
    };
    return CAIRN_OK;
}

/* Links each row to the one that it is inside of, and begins with those that are inside of none. */
static cairn_status link_rows(struct tree_giving *giving, size_t count)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < count; i++)
        giving->first[i] = NONE;
    for (size_t i = count; i-- > 0 && !status;) {
        const uint64_t *const row = node_row(giving, i);

        if (!row[CAIRN_COUNTS_NODE_PARENT] && !row[CAIRN_COUNTS_NODE_PARENT_2]) {
            status = give_thread(giving, row);
            giving->thread[giving->queued] = (uint32_t)giving->profile->thread_count - 1;
            giving->queue[giving->queued++] = i;
            continue;
        }
        const size_t parent =
            find_row(giving, row[CAIRN_COUNTS_NODE_PARENT], row[CAIRN_COUNTS_NODE_PARENT_2]);
        if (parent == NONE)
            return CAIRN_E_FORMAT;
        giving->next[i] = giving->first[parent];
        giving->first[parent] = i;
    }
    return status;
}

static cairn_status give_node(struct tree_giving *giving, size_t at, uint32_t parent)
{
    const uint64_t *const row = node_row(giving, giving->queue[at]);
    struct cairn_profile_node *const node = &giving->profile->nodes[at + 1];

    if (row[CAIRN_COUNTS_NODE_EXCEPTION] > UINT32_MAX || row[CAIRN_COUNTS_NODE_KIND] > UINT32_MAX)
        return CAIRN_E_FORMAT;
    *node = (struct cairn_profile_node){
        .parent = parent,
        .function = parent ? cairn_counts_function(giving->given, giving->profile,
                                                   row[CAIRN_COUNTS_NODE_OBJECT],
                                                   row[CAIRN_COUNTS_NODE_ADDRESS])
                           : 0,
        .kind = (uint32_t)row[CAIRN_COUNTS_NODE_KIND],
        .exception = (uint32_t)row[CAIRN_COUNTS_NODE_EXCEPTION],
        .source = giving->profile->threads[giving->thread[at]].source,
        .site = row[CAIRN_COUNTS_NODE_SITE] +
                cairn_counts_bias(giving->counts, row[CAIRN_COUNTS_NODE_SITE_OBJECT]),
        .calls = row[CAIRN_COUNTS_NODE_CALLS],
        .instructions = row[CAIRN_COUNTS_NODE_INSTRUCTIONS],
        .cycles = row[CAIRN_COUNTS_NODE_CYCLES],
    };
    return CAIRN_OK;
}

static cairn_status give_nodes(struct tree_giving *giving, size_t count)
{
    uint32_t *const parents = calloc(count + 1, sizeof *parents);
    cairn_status status = parents ? link_rows(giving, count) : CAIRN_E_MEMORY;

    for (size_t at = 0; at < giving->queued && !status; at++) {
        status = give_node(giving, at, parents[at]);
        for (size_t i = giving->first[giving->queue[at]]; i != NONE; i = giving->next[i]) {
            parents[giving->queued] = (uint32_t)at + 1;
            giving->thread[giving->queued] = giving->thread[at];
            giving->queue[giving->queued++] = i;
        }
    }
    free(parents);
    /* what is inside of itself is inside of no thread */
    return !status && giving->queued != count ? CAIRN_E_FORMAT : status;
}

cairn_status cairn_counts_give_calls(struct cairn_counts_given *given,
                                     struct cairn_profiled *profile)
{
    const size_t count = given->counts->tables[CAIRN_COUNTS_NODES].count;
    struct tree_giving giving = {
        .counts = given->counts,
        .given = given,
        .profile = profile,
        .first = calloc(count + 1, sizeof *giving.first),
        .next = calloc(count + 1, sizeof *giving.next),
        .queue = calloc(count + 1, sizeof *giving.queue),
        .thread = calloc(count + 1, sizeof *giving.thread),
    };
    cairn_status status = CAIRN_OK;

    if (count >= UINT32_MAX - 1)
        status = CAIRN_E_LIMIT;
    if (!status) {
        profile->nodes = calloc(count + 1, sizeof *profile->nodes);
        profile->threads = calloc(count + 1, sizeof *profile->threads);
    }
    if (!giving.first || !giving.next || !giving.queue || !giving.thread || !profile->nodes ||
        !profile->threads)
        status = status ? status : CAIRN_E_MEMORY;
    if (!status) {
        profile->node_count = profile->node_capacity = (uint32_t)count + 1;
        profile->thread_capacity = count + 1;
        status = give_nodes(&giving, count);
    }
    free(giving.first);
    free(giving.next);
    free(giving.queue);
    free(giving.thread);
    profile->is_full = cairn_counts_flag(given->counts, CAIRN_COUNTS_IS_FULL) != 0;
    return status;
}
