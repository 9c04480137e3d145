/* SPDX-License-Identifier: BSD-2-Clause */
/* What a parting is about, for every format: the last instruction in common, and what each run did next. */
#include "report/diff_view.h"

#include <stdio.h>
#include <string.h>

#include "report/diff_kept.h"

static const struct cairn_diff_thread *thread_of(const struct cairn_diff *diff,
                                                 const struct cairn_diff_pair *pair, unsigned side)
{
    return &diff->runs[side].threads[pair->threads[side]];
}

/* From an address in the file to that in the run. */
static uint64_t in_run(const struct cairn_diff_block *block, unsigned side, uint64_t at)
{
    return block->seen[side].address + (at - block->first);
}

uint64_t cairn_diff_insn(const struct cairn_diff *diff, unsigned side, uint32_t number,
                         uint32_t index)
{
    const struct cairn_diff_run *const run = &diff->runs[side];
    const struct cairn_diff_block *const block = &diff->blocks[number];
    uint64_t at = block->seen[side].address;
    struct cairn_insn insn = {.size = 2};

    if (block->isa != CAIRN_ISA_T32)
        return at + (uint64_t)index * 4;
    if (cairn_space_select(run->space, &block->seen[side].place))
        return at;
    for (uint32_t i = 0; i < index; i++, at += insn.size)
        if (!cairn_space_insn(run->space, block->seen[side].arch, CAIRN_ISA_T32, at, &insn))
            insn.size = 2;
    return at;
}

/* The block at a token of a thread; NULL: it has ended, or there is a gap. */
static const struct cairn_diff_block *block_at(const struct cairn_diff *diff,
                                               const struct cairn_diff_thread *thread, size_t token,
                                               uint32_t *number)
{
    uint32_t chain;

    *number = cairn_diff_token(diff, thread, token, &chain);
    return *number == CAIRN_DIFF_GAP ? NULL : &diff->blocks[*number];
}

bool cairn_diff_common(const struct cairn_diff *diff, const struct cairn_diff_pair *pair,
                       const struct cairn_diff_parting *parting, unsigned side, uint32_t *number,
                       uint64_t *address)
{
    const struct cairn_diff_thread *const thread = thread_of(diff, pair, side);
    const struct cairn_diff_point from = parting->from[side];
    const struct cairn_diff_block *block;

    if (!from.skip && !from.token)
        return false;
    block = block_at(diff, thread, from.skip ? from.token : from.token - 1, number);
    if (!block)
        return false;
    *address = from.skip ? cairn_diff_insn(diff, side, *number, from.skip - 1)
                         : in_run(block, side, block->last);
    return true;
}

bool cairn_diff_next(const struct cairn_diff *diff, const struct cairn_diff_pair *pair,
                     const struct cairn_diff_parting *parting, unsigned side, uint32_t *number,
                     uint64_t *address, size_t *token)
{
    const struct cairn_diff_thread *const thread = thread_of(diff, pair, side);
    uint32_t skip = parting->from[side].skip;
    const struct cairn_diff_block *block;

    *token = parting->from[side].token;
    block = block_at(diff, thread, *token, number);
    if (block && skip >= block->instructions) {
        block = block_at(diff, thread, ++*token, number);
        skip = 0;
    }
    if (!block)
        return false;
    *address = cairn_diff_insn(diff, side, *number, skip);
    return true;
}

const char *cairn_diff_exception(const struct cairn_diff *diff, const struct cairn_diff_pair *pair,
                                 const struct cairn_diff_parting *parting, unsigned side,
                                 bool *returns)
{
    const struct cairn_diff_thread *const thread = thread_of(diff, pair, side);
    struct cairn_diff_mark mark;
    uint32_t number;
    uint64_t address;
    size_t token;

    if (!cairn_diff_next(diff, pair, parting, side, &number, &address, &token) ||
        (token == parting->from[side].token && parting->from[side].skip))
        return NULL;
    *returns = !cairn_diff_find_mark(thread, CAIRN_MARK_EXCEPTION, token, false, &mark);
    if (*returns && !cairn_diff_find_mark(thread, CAIRN_MARK_ELSEWHERE, token, false, &mark))
        return NULL;
    return diff->exceptions[mark.value].name;
}

/* Whether an address is that in the file of another block: of a file that is in two places in one run, both are of either. */
static bool goes_to(unsigned side, const struct cairn_diff_block *block, uint64_t to,
                    const struct cairn_diff_block *from, uint64_t at)
{
    if (block->object != from->object)
        return to == in_run(from, side, at);
    return block->first + (to - block->seen[side].address) == at;
}

const char *cairn_diff_what(const struct cairn_diff *diff, const struct cairn_diff_pair *pair,
                            const struct cairn_diff_parting *parting, unsigned side)
{
    const struct cairn_diff_thread *const thread = thread_of(diff, pair, side);
    uint32_t number, next;
    uint64_t address, to;
    size_t token;
    bool returns;

    if (!cairn_diff_next(diff, pair, parting, side, &next, &to, &token))
        return token < thread->count ? "gap" : "end";
    if (!cairn_diff_common(diff, pair, parting, side, &number, &address))
        return "begins";
    const struct cairn_diff_block *const last = &diff->blocks[number];
    if (cairn_diff_exception(diff, pair, parting, side, &returns))
        return returns ? "elsewhere" : "exception";
    if (pair->by_lines || address != in_run(last, side, last->last) || !last->is_branch)
        return "goes_on";
    if (last->is_conditional && goes_to(side, &diff->blocks[next], to, last, last->end))
        return "not_taken";
    /* an exception was taken behind it */
    if (last->is_direct && !goes_to(side, &diff->blocks[next], to, last, last->target))
        return "goes_on";
    return last->is_conditional ? "taken" : "goes_to";
}

bool cairn_diff_where(const struct cairn_diff *diff, unsigned side, uint32_t number,
                      uint64_t address, struct cairn_diff_where *where)
{
    const struct cairn_diff_run *const run = &diff->runs[side];
    const struct cairn_diff_block *const block = &diff->blocks[number];
    struct cairn_symbol symbol = {.size = sizeof symbol};

    *where = (struct cairn_diff_where){.object = diff->objects[block->object].path};
    if (number == CAIRN_DIFF_GAP || !block->seen[side].times ||
        cairn_space_select(run->space, &block->seen[side].place))
        return false;
    if (cairn_space_symbol(run->space, address, &where->function, &where->offset))
        where->function = NULL;
    if (cairn_symbolize(run->space, address, &symbol) == CAIRN_OK && symbol.file) {
        where->file = symbol.file;
        where->line = symbol.line;
    }
    return true;
}

uint64_t cairn_diff_time(const struct cairn_diff_thread *thread, size_t token)
{
    struct cairn_diff_mark mark;

    return cairn_diff_find_mark(thread, CAIRN_MARK_TIMESTAMP, token, true, &mark) ? mark.value : 0;
}

uint64_t cairn_diff_account(const struct cairn_diff_thread *thread, size_t token)
{
    struct cairn_diff_mark mark;

    return cairn_diff_find_mark(thread, CAIRN_MARK_GAP, token, false, &mark) ? mark.value : 0;
}

void cairn_diff_thread_name(const struct cairn_diff *diff, const struct cairn_diff_thread *thread,
                            char text[CAIRN_DIFF_NAME])
{
    const char *const source = diff->runs[thread->side].sources[thread->source].name;

    if (thread->others)
        snprintf(text, CAIRN_DIFF_NAME, "%.200s other contexts", source);
    else if (thread->vmid)
        snprintf(text, CAIRN_DIFF_NAME, "%.200s vmid 0x%x context 0x%x", source, thread->vmid,
                 thread->context_id);
    else if (thread->context_id)
        snprintf(text, CAIRN_DIFF_NAME, "%.200s context 0x%x", source, thread->context_id);
    else
        snprintf(text, CAIRN_DIFF_NAME, "%.200s", source);
}
