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
    bool stale; /* of a pop: pushed before flow was lost */
};

struct cairn_return_stack {
    unsigned depth;
    unsigned top;   /* index of the next push */
    unsigned stale; /* the lowest `stale` entries are older than a loss of flow */
    struct cairn_return_entry entries[CAIRN_RETURN_STACK_DEPTH];
};

void cairn_return_stack_clear(struct cairn_return_stack *stack);
void cairn_return_stack_push(struct cairn_return_stack *stack, uint64_t address, uint8_t sub_isa);

/* Flow was lost: pushes and pops may be missing, so no entry is sure any more. */
void cairn_return_stack_doubt(struct cairn_return_stack *stack);

/* False, with *entry untouched, when the stack is empty. */
bool cairn_return_stack_pop(struct cairn_return_stack *stack, struct cairn_return_entry *entry);

#endif
