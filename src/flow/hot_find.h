/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding a word with return stack, and what it does to the stack: for the loops over the words of
 * a trace. Included once for each of them with
 *   HOT_TARGET    attributes of its functions
 *   HOT_HASH(a,b) 32 bits of a key */
#include "flow/hot.h"
#include "flow/returnstack.h"

#define HOT_INLINE static inline HOT_TARGET __attribute__((always_inline))

HOT_INLINE void hot_push(struct cairn_hot_stack *stack, uint64_t code)
{
    if (__builtin_expect(stack->sp == stack->entries + CAIRN_HOT_STACK, 0))
        cairn_hot_stack_lower(stack);
    *stack->sp++ = code;
}

/* What fell off at the bottom when `top` entries were there. */
HOT_INLINE void hot_trim(struct cairn_hot_stack *stack, const uint64_t *top)
{
    uint64_t *const oldest = (uint64_t *)(uintptr_t)(top - CAIRN_RETURN_STACK_DEPTH);

    if (stack->bottom < oldest) {
        stack->bottom = oldest;
        if (stack->base < oldest)
            stack->base = oldest;
    }
}

/* What the word did to the stack. */
HOT_INLINE void hot_apply(const struct cairn_memo *memo, const struct cairn_stack_entry *entry,
                          struct cairn_hot_stack *stack)
{
    const unsigned pushes = entry->pushes;

    hot_trim(stack, stack->sp + entry->peak);
    stack->sp -= entry->pops;
    if (pushes > 0) {
        hot_push(stack, entry->push[0]);
        if (pushes > 1) {
            hot_push(stack, entry->push[1]);
            if (__builtin_expect(pushes > 2, 0)) {
                const struct cairn_stack_more *more = &memo->more[entry->more];

                for (unsigned i = 2; i < pushes; i++)
                    hot_push(stack, more->push[i - 2]);
            }
        }
    }
}

/* The entry of a key under the stack as it is, if one of the likely places has it. */
HOT_INLINE struct cairn_stack_entry *hot_find(const struct cairn_memo *memo, uint64_t code,
                                              uint64_t word, const struct cairn_hot_stack *stack)
{
    const unsigned shift = 32 - memo->bits;
    const uint32_t own = HOT_HASH(code, word);
    struct cairn_stack_entry *entry = &memo->stacked[own >> shift];

    if (__builtin_expect(entry->code != code || entry->atoms != word, 0)) {
        entry = &memo->stacked[((own >> shift) + 1) & ((1u << memo->bits) - 1)];
        if (entry->code != code || entry->atoms != word)
            return NULL;
    }
    if (__builtin_expect(cairn_memo_pops(memo, entry, stack), 1))
        return entry;
    if (stack->sp == stack->base)
        return NULL;
    entry = &memo->stacked[HOT_HASH(own, stack->sp[-1]) >> shift];
    if (entry->code == code && entry->atoms == word && cairn_memo_pops(memo, entry, stack))
        return entry;
    return NULL;
}
