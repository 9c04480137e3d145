/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of a thread: its blocks, what stands between them, and the exceptions that it took. */
#include "report/diff.h"

#include <stdlib.h>
#include <string.h>

cairn_status cairn_diff_add_token(struct cairn_diff_run *run, struct cairn_diff_thread *thread,
                                  uint32_t token)
{
    if (run->is_full || run->tokens >= CAIRN_DIFF_TOKENS_MAX) {
        run->is_full = true;
        return CAIRN_OK;
    }
    if (thread->count == thread->room) {
        const size_t room = thread->room ? thread->room + thread->room / 2 : 1024;
        uint32_t *const tokens = realloc(thread->tokens, room * sizeof *tokens);
        if (!tokens)
            return CAIRN_E_MEMORY;
        thread->tokens = tokens;
        uint32_t *const chains = realloc(thread->chains, room * sizeof *chains);
        if (!chains)
            return CAIRN_E_MEMORY;
        thread->chains = chains;
        thread->room = room;
    }
    run->tokens++;
    thread->tokens[thread->count] = token;
    thread->chains[thread->count++] = thread->chain;
    return CAIRN_OK;
}

cairn_status cairn_diff_add_mark(struct cairn_diff_run *run, struct cairn_diff_thread *thread,
                                 uint32_t kind, uint64_t value, size_t token)
{
    struct cairn_diff_mark *const last =
        thread->mark_count ? &thread->marks[thread->mark_count - 1] : NULL;

    if (last && last->kind == kind && last->token == token && kind != CAIRN_MARK_GAP) {
        last->value = kind == CAIRN_MARK_HANDLED ? last->value + value : value;
        return CAIRN_OK;
    }
    if (run->tokens + CAIRN_DIFF_MARK_TOKENS > CAIRN_DIFF_TOKENS_MAX) {
        run->is_full = true;
        return CAIRN_OK;
    }
    run->tokens += CAIRN_DIFF_MARK_TOKENS;
    if (cairn_grow((void **)&thread->marks, thread->mark_count, &thread->mark_room,
                   sizeof *thread->marks))
        return CAIRN_E_MEMORY;
    thread->marks[thread->mark_count++] =
        (struct cairn_diff_mark){.token = token, .value = value, .kind = kind};
    return CAIRN_OK;
}

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
