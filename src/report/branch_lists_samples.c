/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/branch_lists.h"

#include "base/room.h"

#include <stdlib.h>

/* The binary of the profile, as one of the lists. What there is no room for is of no binary. */
static cairn_status list_end(struct cairn_listed_keeper *keeper, const struct cairn_pgo_end *end,
                             struct cairn_listed_end *listed)
{
    *listed = (struct cairn_listed_end){.binary = CAIRN_PGO_NONE};
    if (end->binary == CAIRN_PGO_NONE)
        return CAIRN_OK;
    if (cairn_enlarge(&keeper->numbers, &keeper->number_room, keeper->pgo->binary_count,
                      sizeof *keeper->numbers))
        return CAIRN_E_MEMORY;
    uint32_t *const number = &keeper->numbers[end->binary];
    if (!*number) {
        const struct cairn_pgo_binary *const binary = &keeper->pgo->binaries[end->binary];
        const struct cairn_listed_binary wanted = {.path = binary->path,
                                                   .build_id = binary->build_id};
        const cairn_status status = cairn_branch_lists_binary(keeper->lists, &wanted, number);

        if (status)
            return status == CAIRN_E_LIMIT ? CAIRN_OK : status;
        ++*number;
    }
    *listed = (struct cairn_listed_end){.binary = *number - 1, .address = end->address};
    return CAIRN_OK;
}

cairn_status cairn_listed_keep(struct cairn_listed_keeper *keeper,
                               const struct cairn_pgo_stack *stack)
{
    struct cairn_listed_branch branches[CAIRN_LISTED_STACK_MOST];
    struct cairn_listed_sample sample = {.count = 0};
    cairn_status status = list_end(keeper, &stack->at, &sample.at);
    bool is_known = sample.at.binary != CAIRN_PGO_NONE;

    for (; sample.count < stack->count && sample.count < CAIRN_LISTED_STACK_MOST && !status;
         sample.count++) {
        struct cairn_listed_branch *const branch = &branches[sample.count];

        status = list_end(keeper, &stack->taken[sample.count].from, &branch->from);
        if (!status)
            status = list_end(keeper, &stack->taken[sample.count].to, &branch->to);
        is_known |= branch->from.binary != CAIRN_PGO_NONE || branch->to.binary != CAIRN_PGO_NONE;
    }
    if (status || !is_known)
        return status;
    return cairn_branch_lists_add_sample(keeper->lists, &sample, branches);
}

void cairn_listed_keeper_clear(struct cairn_listed_keeper *keeper)
{
    free(keeper->numbers);
    keeper->numbers = NULL;
    keeper->number_room = 0;
}
