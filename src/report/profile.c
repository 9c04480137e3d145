/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile.h"
#include "capture/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "base/room.h"
#include "calls/calls.h"

/* Chains may not take the room of threads that come after them. */
#define ROOTS_MOST (2 * CAIRN_PROFILE_ALL_NODES_MAX)

enum { FIRST_BITS = 12, FIRST_NODES = 1024, FIRST_THREADS = 8 };

cairn_status cairn_profile_begin(struct cairn_profiled *profile, struct cairn_image *image)
{
    profile->image = image;
    return cairn_space_new(image, &profile->space);
}

void cairn_profile_free(struct cairn_profiled *profile)
{
    cairn_calls_free(profile->calls);
    cairn_functions_free(&profile->functions);
    cairn_block_counts_free(&profile->counted);
    cairn_space_free(profile->space);
    for (size_t i = 0; i < profile->source_count; i++)
        cairn_config_unref(profile->sources[i].config);
    free(profile->sources);
    free(profile->nodes);
    free(profile->slots);
    free(profile->threads);
    cairn_call_totals_free(&profile->added);
    free(profile->insns);
    free(profile->sums);
    free(profile->totals);
    cairn_homes_free(&profile->homes);
    *profile = (struct cairn_profiled){0};
}

/* --- chains of calls --- */

/* A node's number in its slot; its hash above that tells most others apart without looking at them. */
#define NODE_BITS 23
#define NODE_MASK ((UINT32_C(1) << NODE_BITS) - 1)
_Static_assert(ROOTS_MOST <= NODE_MASK + 1, "the numbers of nodes");

static uint64_t hash_of(const struct cairn_profile_node *node)
{
    const uint64_t key =
        ((uint64_t)node->parent << 32 | node->function) ^ node->site * UINT64_C(0xff51afd7ed558ccd);

    return key * CAIRN_GOLDEN;
}

static uint32_t mark_of(uint64_t hash)
{
    return (uint32_t)(hash >> 8) & ~NODE_MASK;
}

static void put_in_slot(uint32_t *slots, unsigned bits, uint64_t hash, uint32_t node)
{
    uint32_t at = (uint32_t)(hash >> (64 - bits));

    while (slots[at])
        at = (at + 1) & ((1u << bits) - 1);
    slots[at] = mark_of(hash) | node;
}

static bool rehash(struct cairn_profiled *profile)
{
    const unsigned bits = profile->bits ? profile->bits + 1 : FIRST_BITS;
    uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);

    if (!slots)
        return false;
    for (uint32_t i = 1; i < profile->node_count; i++)
        put_in_slot(slots, bits, hash_of(&profile->nodes[i]), i);
    free(profile->slots);
    profile->slots = slots;
    profile->bits = bits;
    return true;
}

static bool make_room(struct cairn_profiled *profile, uint32_t most)
{
    if (profile->node_count >= most)
        return false;
    if (profile->node_count >= profile->node_capacity) {
        const uint32_t capacity = profile->node_capacity ? profile->node_capacity * 2 : FIRST_NODES;
        struct cairn_profile_node *grown =
            aligned_alloc(sizeof *grown, (size_t)capacity * sizeof *grown);

        if (!grown)
            return false;
        if (profile->node_count)
            memcpy(grown, profile->nodes, profile->node_count * sizeof *grown);
        free(profile->nodes);
        profile->nodes = grown;
        profile->node_capacity = capacity;
    }
    if (profile->node_count == 0)
        profile->nodes[profile->node_count++] = (struct cairn_profile_node){0};
    return (profile->bits && profile->node_count * 2 <= 1u << profile->bits) || rehash(profile);
}

/* 0: there are as many already, or memory is short. */
static uint32_t add_node(struct cairn_profiled *profile, const struct cairn_profile_node *node,
                         uint32_t most)
{
    if (!make_room(profile, most))
        return 0;
    put_in_slot(profile->slots, profile->bits, hash_of(node), profile->node_count);
    profile->nodes[profile->node_count] = *node;
    return profile->node_count++;
}

/* Numbers of nodes up to which chains of the source may go. */
static uint32_t most_nodes(const struct cairn_profiled *profile)
{
    const uint32_t most = profile->first_node + CAIRN_PROFILE_NODES_MAX;

    return most < CAIRN_PROFILE_ALL_NODES_MAX ? most : CAIRN_PROFILE_ALL_NODES_MAX;
}

static bool is_node(const struct cairn_profile_node *node, const struct cairn_profile_node *wanted)
{
    return node->parent == wanted->parent && node->function == wanted->function &&
           node->site == wanted->site && node->exception == wanted->exception;
}

/* One that was not the last inside of its parent: there is a node already, so that there are slots. */
static uint32_t find_node(struct cairn_profiled *profile, const struct cairn_profile_node *wanted)
{
    const uint64_t hash = hash_of(wanted);
    const uint32_t mark = mark_of(hash);
    uint32_t at = (uint32_t)(hash >> (64 - profile->bits));

    for (; profile->slots[at]; at = (at + 1) & ((1u << profile->bits) - 1)) {
        const uint32_t node = profile->slots[at] & NODE_MASK;

        if ((profile->slots[at] & ~NODE_MASK) == mark && is_node(&profile->nodes[node], wanted))
            return node;
    }
    return add_node(profile, wanted, most_nodes(profile));
}

static inline uint32_t node_of(struct cairn_profiled *profile, uint32_t parent,
                               const struct cairn_call_frame *call)
{
    /* an interrupt comes anywhere */
    const bool is_anywhere = call->kind == CAIRN_CALL_EXCEPTION || call->kind == CAIRN_CALL_SIGNAL;
    const struct cairn_profile_node wanted = {
        .parent = parent,
        .function = call->function,
        .kind = call->kind,
        .exception = call->kind == CAIRN_CALL_EXCEPTION ? call->exception + 1 : 0,
        .source = (uint32_t)profile->source_count - 1,
        .site = is_anywhere ? 0 : call->site,
    };
    const uint32_t last = profile->nodes[parent].last;

    if (last && is_node(&profile->nodes[last], &wanted))
        return last;
    const uint32_t found = find_node(profile, &wanted);
    return profile->nodes[parent].last = found;
}

/* --- what the calls tell --- */

static cairn_status add_threads(struct cairn_profiled *profile, size_t index)
{
    while (profile->thread_count <= index) {
        if (profile->thread_count == profile->thread_capacity) {
            const size_t capacity =
                profile->thread_capacity ? profile->thread_capacity * 2 : FIRST_THREADS;
            struct cairn_profile_thread *grown =
                realloc(profile->threads, capacity * sizeof *grown);

            if (!grown)
                return CAIRN_E_MEMORY;
            profile->threads = grown;
            profile->thread_capacity = capacity;
        }
        /* A root has no parent, and is found by nobody: its site is the thread's number. */
        const struct cairn_profile_node node = {.site = profile->thread_count};
        const uint32_t root = add_node(profile, &node, ROOTS_MOST);
        struct cairn_calls_thread text = {.size = sizeof text};

        if (root == 0)
            return CAIRN_E_LIMIT;
        const uint32_t number = (uint32_t)(profile->thread_count - profile->first_thread);

        (void)cairn_calls_thread(profile->calls, number, &text);
        profile->threads[profile->thread_count++] = (struct cairn_profile_thread){
            .source = (uint32_t)profile->source_count - 1,
            .vmid = text.vmid,
            .context_id = text.context_id,
            .life = cairn_calls_life(profile->calls, number),
            .root = root,
            .node = root,
        };
    }
    return CAIRN_OK;
}

static inline cairn_status thread_of(struct cairn_profiled *profile, uint32_t number,
                                     struct cairn_profile_thread **thread)
{
    const size_t index = profile->first_thread + number;
    const cairn_status status =
        index < profile->thread_count ? CAIRN_OK : add_threads(profile, index);

    if (!status)
        *thread = &profile->threads[index];
    return status;
}

/* Of a word no cycles are known, and instructions in any number that it can have. */
static void note_effect(struct cairn_call_effects *effects, uint32_t node, uint64_t instructions,
                        uint64_t cycles)
{
    const uint32_t called = effects->called ? CAIRN_CALL_EFFECT_CALLED : 0;

    effects->called = false;
    if (!instructions && !called && !cycles)
        return;
    if (cycles || instructions >= CAIRN_CALL_EFFECT_CALLED ||
        cairn_enlarge(&effects->list, &effects->room, effects->count + 1, sizeof *effects->list)) {
        effects->failed = true;
        return;
    }
    effects->list[effects->count++] =
        (struct cairn_call_effect){node, (uint32_t)instructions | called};
}

/* What was executed since is that of the call that the thread is in. */
static void charge(struct cairn_profiled *profile, struct cairn_profile_thread *thread,
                   uint64_t instructions, uint64_t cycles)
{
    struct cairn_profile_node *node = &profile->nodes[thread->node];

    if (profile->effects)
        note_effect(profile->effects, thread->node, instructions - thread->instructions,
                    cycles - thread->cycles);
    node->instructions += instructions - thread->instructions;
    node->cycles += cycles - thread->cycles;
    thread->instructions = instructions;
    thread->cycles = cycles;
}

static cairn_status enter(void *context, const struct cairn_call_thread *of,
                          const struct cairn_call_frame *call)
{
    struct cairn_profiled *profile = context;
    struct cairn_profile_thread *thread;
    const cairn_status status = thread_of(profile, of->id, &thread);

    if (status)
        return status;
    charge(profile, thread, call->began.instructions, call->code_cycles);
    const uint32_t node = thread->above ? 0 : node_of(profile, thread->node, call);
    if (node == 0) {
        thread->above++;
        profile->is_full = true;
        return CAIRN_OK;
    }
    const bool called = call->kind != CAIRN_CALL_FOUND && call->kind != CAIRN_CALL_RESUMED;
    profile->nodes[node].calls += called;
    if (profile->effects)
        profile->effects->called = called;
    thread->node = node;
    return CAIRN_OK;
}

static cairn_status leave(void *context, const struct cairn_call_thread *of, uint64_t cycles)
{
    struct cairn_profiled *profile = context;
    struct cairn_profile_thread *thread;
    const cairn_status status = thread_of(profile, of->id, &thread);

    if (status)
        return status;
    charge(profile, thread, of->instructions, cycles);
    if (thread->above)
        thread->above--;
    else
        thread->node = profile->nodes[thread->node].parent;
    return CAIRN_OK;
}

/* --- what words are known to count --- */

static uint32_t settle(void *context, const struct cairn_call_thread *of, uint64_t instructions,
                       uint64_t cycles)
{
    struct cairn_profiled *profile = context;
    struct cairn_profile_thread *thread;

    if (thread_of(profile, of->id, &thread))
        return 0;
    charge(profile, thread, instructions, cycles);
    return thread->above ? 0 : thread->node;
}

static void resume(void *context, const struct cairn_call_thread *of, uint32_t node,
                   uint64_t instructions)
{
    struct cairn_profiled *profile = context;
    struct cairn_profile_thread *const thread = &profile->threads[profile->first_thread + of->id];

    thread->node = node;
    thread->instructions = instructions;
}

static void note(void *context, struct cairn_call_effects *effects)
{
    struct cairn_profiled *profile = context;

    profile->effects = effects;
}

static void repeat(void *context, const struct cairn_call_effect *effects, size_t count,
                   uint64_t times)
{
    const struct cairn_profiled *profile = context;

    for (size_t i = 0; i < count; i++) {
        struct cairn_profile_node *const node = &profile->nodes[effects[i].node];

        node->instructions += times * (effects[i].instructions & ~CAIRN_CALL_EFFECT_CALLED);
        node->calls += effects[i].instructions & CAIRN_CALL_EFFECT_CALLED ? times : 0;
    }
}

static uint32_t life_of(void *context, uint32_t vmid, uint32_t context_id, uint64_t offset)
{
    const struct cairn_profiled *const profile = context;

    return cairn_capture_life(profile->capture, profile->sources[profile->source_count - 1].index,
                              vmid, context_id, offset);
}

cairn_status cairn_profile_add(struct cairn_profiled *profile, const char *name,
                               struct cairn_pipeline *pipeline)
{
    const struct cairn_call_counter counter = {profile, enter, leave, settle, resume, note, repeat};
    const bool has_totals = profile->has_calls && profile->only_totals;
    const bool has_nodes = profile->has_calls && !profile->only_totals;
    struct cairn_profile_source *grown =
        realloc(profile->sources, (profile->source_count + 1) * sizeof *grown);

    if (!grown)
        return CAIRN_E_MEMORY;
    profile->sources = grown;
    grown[profile->source_count++] = (struct cairn_profile_source){
        .name = name,
        .config = cairn_config_ref(cairn_pipeline_config(pipeline)),
        .index = cairn_config_source(cairn_pipeline_config(pipeline)),
    };
    profile->first_thread = profile->thread_count;
    profile->first_node = profile->node_count ? profile->node_count : 1; /* 0 is none's */
    cairn_status status = cairn_calls_make(cairn_pipeline_config(pipeline), profile->image,
                                           profile->space, &profile->functions, &profile->counted,
                                           profile->also, has_nodes ? &counter : NULL,
                                           has_totals ? &profile->added : NULL, &profile->calls);
    if (status)
        return status;
    if (profile->capture)
        cairn_calls_set_lives(profile->calls, &(struct cairn_call_lives){life_of, profile});
    const struct cairn_consumer consumer = cairn_calls_consumer(profile->calls);
    return cairn_pipeline_add(pipeline, &consumer);
}

cairn_status cairn_profile_added(struct cairn_profiled *profile)
{
    if (!profile->calls) /* the source could not be added */
        return CAIRN_OK;

    struct cairn_profile_source *source = &profile->sources[profile->source_count - 1];
    const struct cairn_call_moment now = cairn_calls_now(profile->calls);

    source->instructions = now.executed;
    source->cycles = now.total_cycles;
    profile->has_cycles = profile->has_cycles || now.total_cycles;
    cairn_calls_free(profile->calls);
    profile->calls = NULL;
    return CAIRN_OK;
}
