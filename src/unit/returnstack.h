/* SPDX-License-Identifier: BSD-2-Clause */
/* The unit's return stack (DDI0608 D6.11.4). What it holds is at any time the top of what a
 * decoder's holds; so it may be emptied whenever that is simpler. */
#ifndef CAIRN_UNIT_RETURNSTACK_H
#define CAIRN_UNIT_RETURNSTACK_H

#include <stdbool.h>
#include <stdint.h>

#define CAIRN_UNIT_RETURNS 15u

/* Entries lie around a ring of CAIRN_UNIT_RETURNS; `top` is the place of the next push. */
struct cairn_unit_returns {
    uint64_t address[CAIRN_UNIT_RETURNS];
    uint8_t sub_isa[CAIRN_UNIT_RETURNS];
    uint8_t top;
    uint8_t depth;
};

static inline void cairn_unit_returns_clear(struct cairn_unit_returns *stack)
{
    stack->depth = 0;
}

/* A stack of `limit` entries; a push onto a full one drops the oldest (R_ZSVDQ). */
static inline void cairn_unit_returns_push(struct cairn_unit_returns *stack, unsigned limit,
                                           uint64_t address, uint8_t sub_isa)
{
    const unsigned at = stack->top;

    if (limit == 0)
        return;
    stack->address[at] = address;
    stack->sub_isa[at] = sub_isa;
    stack->top = (uint8_t)(at + 1 == CAIRN_UNIT_RETURNS ? 0 : at + 1);
    if (stack->depth < limit)
        stack->depth++;
}

/* What a push overwrites: for taking it back. */
struct cairn_unit_overwritten {
    uint64_t address;
    uint8_t sub_isa;
    uint8_t depth;
};

static inline struct cairn_unit_overwritten
cairn_unit_returns_next(const struct cairn_unit_returns *stack)
{
    return (struct cairn_unit_overwritten){.address = stack->address[stack->top],
                                           .sub_isa = stack->sub_isa[stack->top],
                                           .depth = stack->depth};
}

static inline void cairn_unit_returns_undo(struct cairn_unit_returns *stack,
                                           const struct cairn_unit_overwritten *push)
{
    stack->top = (uint8_t)(stack->top == 0 ? CAIRN_UNIT_RETURNS - 1 : stack->top - 1u);
    stack->address[stack->top] = push->address;
    stack->sub_isa[stack->top] = push->sub_isa;
    stack->depth = push->depth;
}

/* Pops the top entry if it is this address (R_QHSEB). */
static inline bool cairn_unit_returns_match(struct cairn_unit_returns *stack, uint64_t address,
                                            uint8_t sub_isa)
{
    const unsigned at = stack->top == 0 ? CAIRN_UNIT_RETURNS - 1 : stack->top - 1u;

    if (stack->depth == 0 || stack->address[at] != address || stack->sub_isa[at] != sub_isa)
        return false;
    stack->top = (uint8_t)at;
    stack->depth--;
    return true;
}

#endif
