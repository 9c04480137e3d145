/* SPDX-License-Identifier: BSD-2-Clause */
/* The exceptions that threads take, and the stacks that take turns in them. */
#include "report/diff_reader.h"

#include <stdlib.h>
#include <string.h>

/* Begins of the names of exceptions that a program takes by what it does itself: they are of its flow. */
static const char *const own_exceptions[] = {
    "Call",         "SVC",       "Supervisor",  "Secure Monitor", "SMC",        "Hyp entry",
    "Entry to Hyp", "HardFault", "MemManage",   "BusFault",       "UsageFault", "SecureFault",
    "Undefined",    "Alignment", "Lockup",      "PE Reset",       "Reset",      "Processor reset",
    "ThumbEE",      "Jazelle",   "Transaction",
};

static bool is_apart(const struct cairn_diff *diff, const char *name)
{
    for (size_t i = 0; i < sizeof own_exceptions / sizeof *own_exceptions; i++)
        if (strncmp(name, own_exceptions[i], strlen(own_exceptions[i])) == 0)
            return false;
    return !diff->with_exceptions;
}

const char *cairn_diff_exception_name(const struct cairn_config *config, uint64_t type)
{
    const char *const name =
        cairn_exception_name(config, type <= UINT32_MAX ? (unsigned)type : UINT32_MAX);

    if (strcmp(name, "Supervisor Call") == 0 || strcmp(name, "SVCall") == 0)
        return "SVC";
    return strcmp(name, "Secure Monitor Call") == 0 ? "SMC" : name;
}

cairn_status cairn_diff_find_exception(struct cairn_diff *diff, const char *name, uint32_t *found)
{
    for (size_t i = 0; i < diff->exception_count; i++)
        if (strcmp(diff->exceptions[i].name, name) == 0) {
            *found = (uint32_t)i;
            return CAIRN_OK;
        }
    if (cairn_grow((void **)&diff->exceptions, diff->exception_count, &diff->exception_room,
                   sizeof *diff->exceptions))
        return CAIRN_E_MEMORY;
    *found = (uint32_t)diff->exception_count;
    diff->exceptions[diff->exception_count++] = (struct cairn_diff_exception){
        .name = cairn_arena_text(&diff->arena, name), .is_apart = is_apart(diff, name)};
    return diff->exceptions[*found].name ? CAIRN_OK : CAIRN_E_MEMORY;
}

cairn_status cairn_diff_turn(struct cairn_diff_reader *reader, struct cairn_diff_thread *thread,
                             uint32_t stack)
{
    if (thread->stack == stack + 1)
        return CAIRN_OK;
    while (stack >= reader->stack_count) {
        const size_t count = (size_t)stack + stack / 2 + 8;
        struct cairn_diff_stack *const grown =
            realloc(reader->stacks, count * sizeof *reader->stacks);

        if (!grown)
            return CAIRN_E_MEMORY;
        memset(grown + reader->stack_count, 0, (count - reader->stack_count) * sizeof *grown);
        reader->stacks = grown;
        reader->stack_count = count;
    }
    if (thread->stack)
        reader->stacks[thread->stack - 1] =
            (struct cairn_diff_stack){.chain = thread->chain, .above = thread->above};
    thread->stack = stack + 1;
    thread->chain = reader->stacks[stack].chain;
    thread->above = reader->stacks[stack].above;
    return CAIRN_OK;
}
