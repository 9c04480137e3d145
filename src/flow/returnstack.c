/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/returnstack.h"

void cairn_return_stack_clear(struct cairn_return_stack *stack)
{
    stack->depth = 0;
    stack->top = 0;
    stack->stale = 0;
}

void cairn_return_stack_doubt(struct cairn_return_stack *stack)
{
    stack->stale = stack->depth;
}

void cairn_return_stack_push(struct cairn_return_stack *stack, uint64_t address, uint8_t sub_isa)
{
    stack->entries[stack->top].address = address;
    stack->entries[stack->top].sub_isa = sub_isa;
    stack->top = (stack->top + 1) % CAIRN_RETURN_STACK_DEPTH;
    if (stack->depth < CAIRN_RETURN_STACK_DEPTH)
        stack->depth++;
    else if (stack->stale > 0)
        stack->stale--; /* the oldest fell off */
}

bool cairn_return_stack_pop(struct cairn_return_stack *stack, struct cairn_return_entry *entry)
{
    if (stack->depth == 0)
        return false;
    stack->top = (stack->top + CAIRN_RETURN_STACK_DEPTH - 1) % CAIRN_RETURN_STACK_DEPTH;
    stack->depth--;
    *entry = stack->entries[stack->top];
    entry->stale = stack->depth < stack->stale;
    if (stack->stale > stack->depth)
        stack->stale = stack->depth;
    return true;
}
