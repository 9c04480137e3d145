/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

#include <string.h>

void whole_clear(struct whole_list *list)
{
    list->count = 0;
    list->full = false;
    memset(&list->totals, 0, sizeof list->totals);
    memset(&list->undone, 0, sizeof list->undone);
    memset(list->deeds, 0, sizeof list->deeds);
    list->mispredicted = 0;
}

uint8_t whole_type(const struct whole_program *program, unsigned level, unsigned word)
{
    static const uint8_t types[] = {
        [WHOLE_PLAIN] = WHOLE_NO_TYPE,
        [WHOLE_CONDITIONAL] = CAIRN_BRANCH_CONDITIONAL,
        [WHOLE_ALWAYS] = CAIRN_BRANCH_CONDITIONAL,
        [WHOLE_DIRECT] = CAIRN_BRANCH_DIRECT,
        [WHOLE_DIRECT_CALL] = CAIRN_BRANCH_DIRECT_CALL,
        [WHOLE_INDIRECT] = CAIRN_BRANCH_INDIRECT,
        [WHOLE_INDIRECT_CALL] = CAIRN_BRANCH_INDIRECT_CALL,
        [WHOLE_SUB_RETURN] = CAIRN_BRANCH_RETURN,
        [WHOLE_ERET] = CAIRN_BRANCH_EXCEPTION_RETURN,
        [WHOLE_SVC] = WHOLE_NO_TYPE,
        [WHOLE_ISB] = CAIRN_BRANCH_DIRECT,
        [WHOLE_TSTART] = WHOLE_NO_TYPE,
        [WHOLE_TCOMMIT] = WHOLE_NO_TYPE,
    };

    return types[program->ops[level][word]];
}

void whole_add(struct whole_list *list, const struct whole_event *event)
{
    if (list->count == WHOLE_EVENTS)
        list->full = true;
    else
        list->events[list->count++] = *event;
}

void whole_aim(const struct whole_program *program, struct whole_event *event)
{
    unsigned level, word;

    if (event->type != CAIRN_BRANCH_CONDITIONAL && event->type != CAIRN_BRANCH_DIRECT &&
        event->type != CAIRN_BRANCH_DIRECT_CALL)
        return;
    if (!whole_find(event->source, &level, &word))
        return;
    event->isb = program->ops[level][word] == WHOLE_ISB;
    event->target = whole_address(level, event->isb ? word + 1 : program->targets[level][word]);
    event->to = (uint8_t)level;
}
