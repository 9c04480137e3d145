/* SPDX-License-Identifier: BSD-2-Clause */
/* A treap: a tree by process and address that is a heap by numbers that are as good as random, so that it is not deep in
 * whatever order things are mapped. */
#include "capture/perf/held.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/golden.h"
#include "base/room.h"

#define NONE 0u

struct cairn_perf_held_node {
    struct cairn_perf_holding holding;
    uint32_t left, right;
    uint32_t weight; /* not less than those below */
};

static bool is_before(const struct cairn_perf_holding *one, uint32_t process, uint64_t address)
{
    return one->process != process ? one->process < process : one->last < address;
}

/* What is in front of the address comes to *left, all else to *right. */
static void split(struct cairn_perf_held *held, uint32_t tree, uint32_t process, uint64_t address,
                  uint32_t *left, uint32_t *right)
{
    while (tree != NONE) {
        struct cairn_perf_held_node *const node = &held->nodes[tree];

        if (is_before(&node->holding, process, address)) {
            *left = tree;
            left = &node->right;
            tree = node->right;
        } else {
            *right = tree;
            right = &node->left;
            tree = node->left;
        }
    }
    *left = NONE;
    *right = NONE;
}

/* All of `left` is in front of all of `right`. */
static uint32_t join(struct cairn_perf_held *held, uint32_t left, uint32_t right)
{
    uint32_t joined = NONE;
    uint32_t *at = &joined;

    while (left != NONE && right != NONE) {
        if (held->nodes[left].weight >= held->nodes[right].weight) {
            *at = left;
            at = &held->nodes[left].right;
            left = *at;
        } else {
            *at = right;
            at = &held->nodes[right].left;
            right = *at;
        }
    }
    *at = left != NONE ? left : right;
    return joined;
}

/* There is room. */
static uint32_t make_node(struct cairn_perf_held *held, const struct cairn_perf_holding *holding)
{
    uint32_t made = held->unused;

    if (made != NONE)
        held->unused = held->nodes[made].left;
    else
        made = ++held->count;
    held->nodes[made] = (struct cairn_perf_held_node){
        .holding = *holding, .weight = (uint32_t)(made * CAIRN_GOLDEN >> 32)};
    return made;
}

/* Gives up a tree, but for what of its holdings is in front of `first` or behind `last`. */
static void release(struct cairn_perf_held *held, uint32_t tree, uint64_t first, uint64_t last,
                    struct cairn_perf_holding *front, struct cairn_perf_holding *behind)
{
    uint32_t stack = tree; /* linked by `left`; the right ones wait there */

    while (stack != NONE) {
        struct cairn_perf_held_node *const node = &held->nodes[stack];
        const uint32_t here = stack;

        if (node->holding.first < first)
            *front = node->holding;
        if (node->holding.last > last)
            *behind = node->holding;
        stack = node->left;
        if (node->right != NONE) {
            uint32_t at = node->right;

            while (held->nodes[at].left != NONE)
                at = held->nodes[at].left;
            held->nodes[at].left = stack;
            stack = node->right;
        }
        node->left = held->unused;
        held->unused = here;
    }
}

const struct cairn_perf_holding *cairn_perf_held_from(const struct cairn_perf_held *held,
                                                      uint32_t process, uint64_t address)
{
    const struct cairn_perf_holding *found = NULL;

    for (uint32_t tree = held->root; tree != NONE;) {
        const struct cairn_perf_held_node *const node = &held->nodes[tree];

        if (is_before(&node->holding, process, address)) {
            tree = node->right;
        } else {
            found = &node->holding;
            tree = node->left;
        }
    }
    return found && found->process == process ? found : NULL;
}

cairn_status cairn_perf_hold(struct cairn_perf_held *held, const struct cairn_perf_holding *holding)
{
    struct cairn_perf_holding front = {.last = 0}, behind = front;
    uint32_t left, middle, right;

    if (cairn_enlarge(&held->nodes, &held->room, (size_t)held->count + 4, sizeof *held->nodes) !=
        CAIRN_OK)
        return CAIRN_E_MEMORY;
    const struct cairn_perf_holding *const last =
        cairn_perf_held_from(held, holding->process, holding->last);
    const uint64_t until = last && last->first <= holding->last ? last->last : holding->last;

    split(held, held->root, holding->process, holding->first, &left, &middle);
    if (until < UINT64_MAX)
        split(held, middle, holding->process, until + 1, &middle, &right);
    else
        split(held, middle, holding->process + 1, 0, &middle, &right);
    release(held, middle, holding->first, holding->last, &front, &behind);
    if (front.last) {
        front.last = holding->first - 1;
        left = join(held, left, make_node(held, &front));
    }
    left = join(held, left, make_node(held, holding));
    if (behind.last) {
        behind.first = holding->last + 1;
        left = join(held, left, make_node(held, &behind));
    }
    held->root = join(held, left, right);
    return CAIRN_OK;
}

void cairn_perf_held_clear(struct cairn_perf_held *held)
{
    free(held->nodes);
    *held = (struct cairn_perf_held){0};
}
