/* SPDX-License-Identifier: BSD-2-Clause */
/* The analyser's return stack: 15 entries whatever the trace unit has; the oldest falls off
 * (DDI0608 D9.5.3). */
#ifndef CAIRN_FLOW_RETURNSTACK_H
#define CAIRN_FLOW_RETURNSTACK_H

#include <stdbool.h>
#include <stdint.h>

#define CAIRN_RETURN_STACK_DEPTH 15

struct cairn_return_entry {
    uint64_t address;
    uint8_t sub_isa;
};

struct cairn_return_stack {
    unsigned depth;
    unsigned top; /* index of the next push */
    struct cairn_return_entry entries[CAIRN_RETURN_STACK_DEPTH];
};

void cairn_return_stack_clear(struct cairn_return_stack *stack);
void cairn_return_stack_push(struct cairn_return_stack *stack, uint64_t address, uint8_t sub_isa);

/* False, with *entry untouched, when the stack is empty. */
bool cairn_return_stack_pop(struct cairn_return_stack *stack, struct cairn_return_entry *entry);

#endif
