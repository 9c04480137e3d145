/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/blocks.h"

#include "base/golden.h"
#include "flow/data.h"
#include "flow/walk.h"
#include "isa/plain.h"

#include <stdlib.h>
#include <string.h>

enum {
    A64_SIZE = 4,
    THUMB_WIDE = 4, /* bytes of a 32-bit Thumb instruction, and of a half of it */
    THUMB_HALF = 2,
    FIRST_BITS = 12,
};

void cairn_blocks_release(struct cairn_blocks *blocks)
{
    free(blocks->slots);
}

void cairn_blocks_clear(struct cairn_blocks *blocks)
{
    if (blocks->used > 0)
        memset(blocks->slots, 0, sizeof *blocks->slots << blocks->bits);
    blocks->used = 0;
}

static uint32_t slot_of(const struct cairn_blocks *blocks, uint32_t view, uint64_t code)
{
    return (uint32_t)(((code ^ (uint64_t)view << 40) * CAIRN_GOLDEN) >> (64 - blocks->bits));
}

static uint64_t code_of(const struct cairn_dictionary *dictionary, uint32_t id)
{
    const struct cairn_code_block *block = &dictionary->blocks[id];
    const bool second = dictionary->more[id].half == CAIRN_BLOCK_SECOND_HALF;

    return block->address | (block->isa == CAIRN_ISA_T32) | (second ? CAIRN_CODE_HALF : 0);
}

static void insert(struct cairn_blocks *blocks, uint32_t id)
{
    const struct cairn_dictionary *dictionary = blocks->dictionary;
    const uint32_t mask = (1u << blocks->bits) - 1;
    uint32_t slot = slot_of(blocks, dictionary->more[id].view, code_of(dictionary, id));

    while (blocks->slots[slot] != 0)
        slot = (slot + 1) & mask;
    blocks->slots[slot] = (uint64_t)dictionary->more[id].view << 32 | id;
}

/* Keeps the table at most half full. */
static bool make_room(struct cairn_blocks *blocks)
{
    const unsigned bits = blocks->slots ? blocks->bits + 1 : FIRST_BITS;
    const uint64_t had = blocks->slots ? sizeof *blocks->slots << blocks->bits : 0;
    uint64_t *old = blocks->slots;
    uint64_t *slots;

    if (blocks->slots && blocks->used < 1u << (blocks->bits - 1))
        return true;
    if (!cairn_dictionary_grow(blocks->dictionary, (sizeof *slots << bits) - had))
        return false;
    slots = calloc((size_t)1 << bits, sizeof *slots);
    if (!slots) {
        blocks->dictionary->bytes -= (sizeof *slots << bits) - had;
        blocks->dictionary->full = true;
        return false;
    }
    const uint32_t count = old ? 1u << blocks->bits : 0;

    blocks->slots = slots;
    blocks->bits = bits;
    for (uint32_t i = 0; i < count; i++)
        if (old[i] != 0)
            insert(blocks, (uint32_t)old[i]);
    free(old);
    return true;
}

static uint64_t wrapped(const struct cairn_blocks *blocks, uint64_t address)
{
    return blocks->SF ? address : address & UINT32_MAX;
}

/* Passes A64 instructions that cannot bear on flow, as far as the window goes. */
static void pass_plain(struct cairn_blocks *blocks, struct cairn_code_block *block)
{
    const struct cairn_window *window = &blocks->fetch.window;
    const uint64_t at = block->end - window->address;
    uint64_t count = CAIRN_WALK_MAX - block->instructions;

    if (at >= window->size || window->order == CAIRN_ORDER_BE32)
        return;
    if (count > (window->size - at) / A64_SIZE)
        count = (window->size - at) / A64_SIZE;
    count = cairn_a64_plain_run(window->bytes + at, (size_t)count);
    block->instructions += (uint32_t)count;
    block->end += count * A64_SIZE;
    if (count > 0)
        block->last_size = A64_SIZE;
}

static void describe(const struct cairn_blocks *blocks, const struct cairn_insn *insn,
                     struct cairn_code_block *block, struct cairn_block_more *more)
{
    const bool direct = insn->kind == CAIRN_INSN_BRANCH_DIRECT;
    const bool indirect = insn->kind == CAIRN_INSN_BRANCH_INDIRECT;
    unsigned flags = block->flags | CAIRN_BLOCK_P0;

    /* Without an outcome here its atom is the follower's: what comes behind an undefined instruction
     * says whether it is one. */
    if (cairn_walk_leaves(insn) ||
        (insn->kind == CAIRN_INSN_UNDEFINED && blocks->rules.every_instruction))
        return;
    if (direct || indirect)
        flags |= CAIRN_BLOCK_BRANCH;
    if (indirect)
        flags |= CAIRN_BLOCK_INDIRECT;
    if (insn->flags & CAIRN_INSN_LINK)
        flags |= CAIRN_BLOCK_LINK;
    if (insn->flags & CAIRN_INSN_RETURN)
        flags |= CAIRN_BLOCK_RETURN;
    if (indirect && (insn->flags & CAIRN_INSN_ERET) && !blocks->rules.return_packets)
        flags |= CAIRN_BLOCK_ERET;
    if ((insn->flags & CAIRN_INSN_NEVER_N) && !blocks->rules.every_instruction)
        flags |= CAIRN_BLOCK_NEVER_N;
    if (insn->flags & CAIRN_INSN_CONDITIONAL)
        flags |= CAIRN_BLOCK_CONDITIONAL;
    if (blocks->rules.every_instruction &&
        cairn_data_has(&blocks->rules, &blocks->fetch.arch, (enum cairn_isa)block->isa, insn))
        flags |= CAIRN_BLOCK_TRANSFER;
    block->flags = (uint16_t)flags;
    if (direct) {
        more->target = wrapped(blocks, insn->target);
        more->target_isa = insn->target_isa;
    }
}

/* Whether an instruction that begins at the block's end is further away than a waypoint may be. */
static bool is_too_far(const struct cairn_blocks *blocks, const struct cairn_code_block *block)
{
    const uint32_t bytes = blocks->rules.walk_bytes;

    return bytes != 0 && wrapped(blocks, block->end - block->address) > bytes;
}

/* The first half of a 32-bit Thumb instruction: it goes on with the second, N or E alike. */
static bool is_first_half(const struct cairn_blocks *blocks, const struct cairn_code_block *block,
                          const struct cairn_block_more *more, unsigned size)
{
    return blocks->rules.thumb_halves && block->isa == CAIRN_ISA_T32 && size == THUMB_WIDE &&
           more->half == CAIRN_BLOCK_WHOLE;
}

/* From block->address up to a P0 instruction, or where it cannot go on. False: the dictionary is
 * full. */
static bool walk(struct cairn_blocks *blocks, struct cairn_code_block *block,
                 struct cairn_block_more *more)
{
    const struct cairn_follow_rules *rules = &blocks->rules;
    const bool passes = !rules->loads_are_p0 && !rules->stores_are_p0 &&
                        !rules->every_instruction && rules->walk_bytes == 0;

    for (;;) {
        struct cairn_insn insn;
        unsigned size;

        if (block->isa == CAIRN_ISA_A64 && passes)
            pass_plain(blocks, block);
        if (block->instructions == CAIRN_WALK_MAX || is_too_far(blocks, block)) {
            block->flags |= CAIRN_BLOCK_LIMIT;
            return true;
        }
        size = cairn_fetch_insn(&blocks->fetch, (enum cairn_isa)block->isa, block->end, &insn);
        if (size == 0) {
            block->flags |= CAIRN_BLOCK_NO_MEMORY;
            return true;
        }
        if (is_first_half(blocks, block, more, size)) {
            block->flags |= CAIRN_BLOCK_P0;
            block->end = wrapped(blocks, block->end + THUMB_HALF);
            block->last_size = THUMB_HALF;
            more->half = CAIRN_BLOCK_FIRST_HALF;
            return true;
        }
        if (block->isa == CAIRN_ISA_T32 &&
            !cairn_dictionary_note_size(blocks->dictionary, block->instructions, size))
            return false;
        if (insn.kind == CAIRN_INSN_UNDEFINED && !(block->flags & CAIRN_BLOCK_UNDEFINED)) {
            block->flags |= CAIRN_BLOCK_UNDEFINED;
            more->undefined_at = block->end;
        }
        block->end = wrapped(blocks, block->end + size);
        block->instructions++;
        block->last_size = (uint8_t)size;
        if (cairn_is_p0(&blocks->rules, &insn)) {
            describe(blocks, &insn, block, more);
            return true;
        }
    }
}

static void start(const struct cairn_blocks *blocks, uint64_t code, struct cairn_code_block *block,
                  struct cairn_block_more *more)
{
    const bool half = blocks->rules.thumb_halves && !blocks->SF && (code & CAIRN_CODE_HALF);
    const uint64_t address = code & ~(half ? CAIRN_CODE_HALF | 1 : UINT64_C(1));

    *block = (struct cairn_code_block){.address = address, .end = address};
    *more = (struct cairn_block_more){.view = blocks->view};
    if (half)
        more->half = CAIRN_BLOCK_SECOND_HALF;
    if (blocks->SF)
        block->isa = CAIRN_ISA_A64;
    else
        block->isa = (code & 1) ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
}

uint32_t cairn_blocks_at(struct cairn_blocks *blocks, uint64_t code)
{
    const struct cairn_dictionary *dictionary = blocks->dictionary;
    struct cairn_code_block block;
    struct cairn_block_more more;
    uint32_t id;

    if (!make_room(blocks))
        return 0;
    const uint32_t mask = (1u << blocks->bits) - 1;

    for (uint32_t slot = slot_of(blocks, blocks->view, code); blocks->slots[slot] != 0;
         slot = (slot + 1) & mask) {
        if (blocks->slots[slot] >> 32 != blocks->view)
            continue;
        id = (uint32_t)blocks->slots[slot];
        if (code_of(dictionary, id) == code)
            return id;
    }
    start(blocks, code, &block, &more);
    if (!walk(blocks, &block, &more))
        return 0;
    id = cairn_dictionary_add_block(blocks->dictionary, &block, &more);
    if (id != 0) {
        insert(blocks, id);
        blocks->used++;
    }
    return id;
}

void cairn_blocks_ask(const struct cairn_blocks *blocks, uint64_t code, bool found)
{
    const uint64_t *slot;

    if (!blocks->slots)
        return;
    slot = &blocks->slots[slot_of(blocks, blocks->view, code)];
    if (!found) {
        __builtin_prefetch(slot);
        return;
    }
    __builtin_prefetch(&blocks->dictionary->blocks[(uint32_t)*slot]);
    __builtin_prefetch(&blocks->dictionary->links[(uint32_t)*slot]);
}

uint32_t cairn_blocks_fresh(struct cairn_blocks *blocks, uint64_t code)
{
    struct cairn_code_block block;
    struct cairn_block_more more;

    start(blocks, code, &block, &more);
    if (!walk(blocks, &block, &more))
        return 0;
    return cairn_dictionary_add_block(blocks->dictionary, &block, &more);
}

uint64_t cairn_blocks_behind(const struct cairn_blocks *blocks, uint32_t id, bool taken)
{
    const struct cairn_code_block *block = &blocks->dictionary->blocks[id];
    const struct cairn_block_more *more = &blocks->dictionary->more[id];

    if (more->half == CAIRN_BLOCK_FIRST_HALF)
        return block->address | 1 | CAIRN_CODE_HALF;
    if (!taken || !(block->flags & CAIRN_BLOCK_BRANCH))
        return block->end | (block->isa == CAIRN_ISA_T32);
    if (block->flags & CAIRN_BLOCK_INDIRECT)
        return CAIRN_CODE_NEED;
    return more->target | (more->target_isa == CAIRN_ISA_T32);
}

uint32_t cairn_blocks_next(struct cairn_blocks *blocks, uint32_t id, bool taken)
{
    uint32_t next = blocks->dictionary->links[id].next[taken];

    if (next != 0)
        return next;
    next = cairn_blocks_at(blocks, cairn_blocks_behind(blocks, id, taken));
    if (next != 0)
        blocks->dictionary->links[id].next[taken] = next;
    return next;
}
