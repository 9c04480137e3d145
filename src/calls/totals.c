/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/totals.h"

#include <stdlib.h>

#include "base/room.h"

void cairn_call_totals_free(struct cairn_call_totals *totals)
{
    free(totals->list);
    *totals = (struct cairn_call_totals){0};
}

void cairn_call_totals_begin(struct cairn_call_totals *totals)
{
    for (size_t i = 0; i < totals->room; i++)
        totals->list[i].open = 0;
    totals->thread = NULL;
}

void cairn_call_totals_rest(struct cairn_call_totals *totals)
{
    const struct cairn_call_thread *const thread = totals->thread;

    for (size_t i = 0; thread && i < thread->depth; i++)
        totals->list[thread->frames[i].function].open -= thread->frames[i].is_told;
    totals->thread = NULL;
}

cairn_status cairn_call_totals_turn(struct cairn_call_totals *totals,
                                    const struct cairn_call_thread *thread, uint32_t function)
{
    const struct cairn_call_thread *const before = totals->thread;
    size_t highest = function;

    /* others may have been told of its frames before */
    for (size_t i = 0; before != thread && i < thread->depth; i++)
        if (thread->frames[i].function > highest)
            highest = thread->frames[i].function;
    const cairn_status status =
        cairn_enlarge(&totals->list, &totals->room, highest + 1, sizeof *totals->list);
    if (status || before == thread)
        return status;
    cairn_call_totals_rest(totals);
    for (size_t i = 0; i < thread->depth; i++)
        totals->list[thread->frames[i].function].open += thread->frames[i].is_told;
    totals->thread = thread;
    return CAIRN_OK;
}
