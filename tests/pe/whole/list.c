/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

void whole_clear(struct whole_list *list)
{
    list->count = list->cleared = 0;
    list->full = false;
    list->instructions = list->branches = list->exceptions = 0;
}

uint8_t whole_type(const struct whole_program *program, unsigned level, unsigned word)
{
    static const uint8_t types[] = {
        [WHOLE_PLAIN] = 0,
        [WHOLE_CONDITIONAL] = CAIRN_BRANCH_CONDITIONAL,
        [WHOLE_DIRECT] = CAIRN_BRANCH_DIRECT,
        [WHOLE_DIRECT_CALL] = CAIRN_BRANCH_DIRECT_CALL,
        [WHOLE_INDIRECT] = CAIRN_BRANCH_INDIRECT,
        [WHOLE_INDIRECT_CALL] = CAIRN_BRANCH_INDIRECT_CALL,
        [WHOLE_SUB_RETURN] = CAIRN_BRANCH_RETURN,
        [WHOLE_ERET] = CAIRN_BRANCH_EXCEPTION_RETURN,
        [WHOLE_SVC] = 0,
        [WHOLE_ISB] = 0,
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
    event->target = whole_address(level, program->targets[level][word]);
    event->to = (uint8_t)level;
}
