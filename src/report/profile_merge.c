/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of one file is one code, wherever processes have it: what was counted of it at several addresses is moved to where
 * the file is loaded lowest, and added up there. */
#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

#include "image/space.h"

/* --- blocks --- */

struct home_of_block {
    uint32_t block, home;
    uint64_t bias;
};

static cairn_status move_block(struct cairn_profiled *profile, const struct home_of_block *of)
{
    struct cairn_block_count *const one = &profile->counted.list[of->block];
    const struct cairn_home *const home = &profile->homes.list[of->home];
    bool holds;

    if (of->bias == home->bias)
        return CAIRN_OK;
    const cairn_status status = cairn_homes_hold(&profile->homes, profile->space, of->home,
                                                 one->block.address - of->bias, &holds);
    if (status || !holds)
        return status;
    one->block.address += home->bias - of->bias;
    one->block.end += home->bias - of->bias;
    if (one->block.isa != CAIRN_ISA_A64) {
        one->block.address &= UINT32_MAX;
        one->block.end &= UINT32_MAX;
    }
    one->place = home->place;
    one->source = home->source;
    return CAIRN_OK;
}

/* What else is known of a block need not have been known each time. */
#define SHAPE_FLAGS (CAIRN_BLOCK_P0 | CAIRN_BLOCK_BRANCH)

static bool is_same_code(const struct home_of_block *first, const struct cairn_code_block *one,
                         const struct home_of_block *second, const struct cairn_code_block *other)
{
    return first->home == second->home && one->address == other->address &&
           one->end == other->end && one->instructions == other->instructions &&
           one->isa == other->isa && ((one->flags ^ other->flags) & SHAPE_FLAGS) == 0;
}

static void add_up_block(struct cairn_block_count *kept, struct cairn_block_count *one)
{
    kept->executed += one->executed;
    kept->taken += one->taken;
    kept->cycles += one->cycles;
    kept->block.flags |= one->block.flags;
    kept->is_whole &= one->is_whole;
    one->executed = one->taken = one->cycles = 0;
}

/* Of equal ones the first in the list is left with what all of them have. */
static cairn_status add_up_blocks(struct cairn_block_count *list, const struct home_of_block *homes,
                                  size_t count)
{
    struct cairn_table table = {0};
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < count && !status; i++) {
        struct cairn_block_count *const one = &list[homes[i].block];
        const uint32_t hash = cairn_table_hash(one->block.address, one->block.end);
        size_t at = cairn_table_begin(&table, hash);
        uint32_t item;

        while ((item = cairn_table_next(&table, hash, &at)) != CAIRN_TABLE_NONE)
            if (is_same_code(&homes[item], &list[homes[item].block].block, &homes[i], &one->block))
                break;
        if (item == CAIRN_TABLE_NONE)
            status = cairn_table_add(&table, hash, (uint32_t)i);
        else
            add_up_block(&list[homes[item].block], one);
    }
    cairn_table_clear(&table);
    return status;
}

cairn_status cairn_profile_merge_blocks(struct cairn_profiled *profile)
{
    struct home_of_block *const list = calloc((size_t)profile->counted.count + 1, sizeof *list);
    struct cairn_held held = {.from = 1}; /* none */
    cairn_status status = list ? CAIRN_OK : CAIRN_E_MEMORY;
    size_t count = 0;

    for (uint32_t i = 1; i < profile->counted.count && !status; i++) {
        const struct cairn_block_count *const one = &profile->counted.list[i];
        struct home_of_block *const of = &list[count];

        if (!one->executed)
            continue;
        if (!cairn_held_has(&held, &one->place)) {
            if (cairn_space_select(profile->space, &one->place))
                continue;
            cairn_space_held(profile->space, &held);
        }
        status = cairn_homes_at(&profile->homes, profile->space, one->block.address, &of->home,
                                &of->bias);
        if (status || !of->home)
            continue;
        of->block = i;
        cairn_homes_tell(&profile->homes, of->home, of->bias, &one->place, one->source);
        count++;
    }
    for (size_t i = 0; i < count && !status; i++)
        status = move_block(profile, &list[i]);
    if (!status)
        status = add_up_blocks(profile->counted.list, list, count);
    free(list);
    return status;
}

/* --- functions --- */

/* A function is told where its file is loaded lowest, and where it was called from in it as well. *moved: by how much. */
static cairn_status move_function(struct cairn_profiled *profile, struct cairn_function *function,
                                  uint64_t *moved)
{
    uint32_t home;
    uint64_t bias;
    bool holds;

    *moved = 0;
    if (!function->name || cairn_space_select(profile->space, &function->place))
        return CAIRN_OK;
    cairn_status status =
        cairn_homes_at(&profile->homes, profile->space, function->address, &home, &bias);
    if (status || !home || bias == profile->homes.list[home].bias)
        return status;
    status =
        cairn_homes_hold(&profile->homes, profile->space, home, function->address - bias, &holds);
    if (status || !holds)
        return status;
    *moved = profile->homes.list[home].bias - bias;
    function->address += *moved;
    function->place = profile->homes.list[home].place;
    function->object = profile->homes.list[home].path;
    return CAIRN_OK;
}

static void add_totals(struct cairn_profile_function *to, const struct cairn_profile_function *from)
{
    to->self += from->self;
    to->self_cycles += from->self_cycles;
    to->total += from->total;
    to->total_cycles += from->total_cycles;
    to->calls += from->calls;
}

cairn_status cairn_profile_merge_functions(struct cairn_profiled *profile, uint32_t *same)
{
    struct cairn_functions *const functions = &profile->functions;
    uint64_t *const moved = calloc((size_t)functions->count + 1, sizeof *moved);
    cairn_status status = moved ? CAIRN_OK : CAIRN_E_MEMORY;

    for (uint32_t i = 0; i < functions->count && !status; i++)
        status = cairn_homes_function(&profile->homes, profile->space, functions, i, &same[i]);
    for (uint32_t i = 1; i < functions->count && !status; i++)
        status = move_function(profile, &functions->list[i], &moved[i]);
    for (uint32_t i = 1; i < functions->count && !status; i++) {
        if (same[i] == i)
            continue;
        add_totals(&profile->totals[same[i]], &profile->totals[i]);
        profile->totals[i] = (struct cairn_profile_function){0};
    }
    for (uint32_t i = 1; i < profile->node_count && !status; i++)
        if (profile->nodes[i].site)
            profile->nodes[i].site += moved[profile->nodes[profile->nodes[i].parent].function];
    free(moved);
    return status;
}
