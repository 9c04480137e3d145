/* SPDX-License-Identifier: BSD-2-Clause */
/* The blocks, files and chains of calls that two runs have between them: what is the same in both has one number. */
#include "report/diff.h"

#include <string.h>

#include "base/golden.h"
#include "image/file.h"
#include "image/frames.h"
#include "image/space.h"

/* Instructions of one block that are looked at: as many as the decoder walks. */
#define BLOCK_MOST (1u << 20)

/* --- files --- */

static bool is_same_content(const struct cairn_file *a, const struct cairn_file *b)
{
    if (a == b || cairn_file_is_same(a, b))
        return true;
    if (a->build_id || b->build_id)
        return a->build_id && b->build_id && strcmp(a->build_id, b->build_id) == 0;
    return a->identity.size == b->identity.size &&
           memcmp(a->data, b->data, (size_t)a->identity.size) == 0;
}

static struct cairn_file *any_file(const struct cairn_diff_object *object)
{
    return object->files[CAIRN_DIFF_A] ? object->files[CAIRN_DIFF_A] : object->files[CAIRN_DIFF_B];
}

/* Object 0 is all memory that is no file's. */
static cairn_status find_object(struct cairn_diff *diff, unsigned side,
                                const struct cairn_code_file *code, uint32_t *found)
{
    size_t at = 1;

    for (; at < diff->object_count; at++)
        if (diff->objects[at].files[side] == code->file)
            break;
    for (size_t i = 1; i < diff->object_count && at == diff->object_count; i++)
        if (is_same_content(any_file(&diff->objects[i]), code->file))
            at = i;
    if (at == diff->object_count) {
        if (cairn_grow((void **)&diff->objects, diff->object_count, &diff->object_room,
                       sizeof *diff->objects))
            return CAIRN_E_MEMORY;
        diff->objects[diff->object_count++] =
            (struct cairn_diff_object){.path = code->path, .twin = CAIRN_DIFF_NONE};
    }
    if (!diff->objects[at].files[side]) {
        diff->objects[at].files[side] = code->file;
        diff->objects[at].paths[side] = code->path;
    }
    *found = (uint32_t)at;
    return CAIRN_OK;
}

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

static bool is_alone(const struct cairn_diff_object *object, unsigned side)
{
    return object->files[side] && !object->files[!side] && object->twin == CAIRN_DIFF_NONE;
}

static void pair_files(struct cairn_diff *diff, size_t a, size_t b)
{
    diff->objects[a].twin = (uint32_t)b;
    diff->objects[b].twin = (uint32_t)a;
    diff->has_builds = true;
}

void cairn_diff_find_twins(struct cairn_diff *diff)
{
    size_t alone[CAIRN_DIFF_SIDES] = {0, 0}, which[CAIRN_DIFF_SIDES] = {0, 0};

    for (size_t a = 1; a < diff->object_count; a++)
        for (size_t b = 1; b < diff->object_count && is_alone(&diff->objects[a], CAIRN_DIFF_A); b++)
            if (is_alone(&diff->objects[b], CAIRN_DIFF_B) &&
                strcmp(last_part(diff->objects[a].path), last_part(diff->objects[b].path)) == 0)
                pair_files(diff, a, b);
    for (size_t i = 1; i < diff->object_count; i++)
        for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
            if (is_alone(&diff->objects[i], side)) {
                alone[side]++;
                which[side] = i;
            }
    if (alone[CAIRN_DIFF_A] == 1 && alone[CAIRN_DIFF_B] == 1)
        pair_files(diff, which[CAIRN_DIFF_A], which[CAIRN_DIFF_B]);
}

/* --- blocks --- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * CAIRN_GOLDEN;
    return hash ^ hash >> 29;
}

/* Walks the instructions, which fills in what they are. */
static void walk(const struct cairn_space *space, const struct cairn_arch *arch, uint64_t address,
                 uint64_t end, uint64_t bias, struct cairn_diff_block *block)
{
    const enum cairn_isa isa = (enum cairn_isa)block->isa;
    uint64_t at = address;
    uint8_t it = 0;

    while (at != end && block->instructions < BLOCK_MOST) {
        struct cairn_insn insn = {.size = isa == CAIRN_ISA_T32 ? 2 : 4, .cond = CAIRN_COND_AL};
        const bool is_there = cairn_space_insn(space, arch, isa, at, &insn);

        block->is_direct = is_there && insn.kind == CAIRN_INSN_BRANCH_DIRECT;
        block->is_branch =
            block->is_direct || (is_there && insn.kind == CAIRN_INSN_BRANCH_INDIRECT);
        block->is_conditional = block->is_branch && ((insn.flags & CAIRN_INSN_CONDITIONAL) ||
                                                     insn.cond < CAIRN_COND_AL ||
                                                     cairn_it_condition(it) < CAIRN_COND_AL);
        block->is_return = block->is_branch && (insn.flags & CAIRN_INSN_RETURN);
        block->is_call = block->is_branch && (insn.flags & CAIRN_INSN_LINK);
        block->target = block->is_direct ? insn.target - bias : 0;
        block->last = at - bias;
        block->content = mix(block->content, is_there ? insn.opcode : 0);
        block->instructions++;
        it = insn.flags & CAIRN_INSN_IT ? insn.it : cairn_it_advance(it);
        at += insn.size;
        if (isa != CAIRN_ISA_A64)
            at &= UINT32_MAX;
        if (end - at > end - address) /* it ends in the midst of an instruction */
            break;
    }
}

static bool is_block(const struct cairn_diff_block *a, const struct cairn_diff_block *b)
{
    return a->first == b->first && a->end == b->end && a->object == b->object && a->isa == b->isa &&
           (a->object || a->content == b->content);
}

cairn_status cairn_diff_block_of(struct cairn_diff *diff, unsigned side,
                                 const struct cairn_arch *arch, enum cairn_isa isa,
                                 uint64_t address, uint64_t end, uint32_t *found)
{
    const struct cairn_space *const space = diff->runs[side].space;
    struct cairn_diff_block block = {.isa = (uint8_t)isa};
    struct cairn_code_file code;
    uint64_t bias = 0;

    if (cairn_space_code_file(space, address, &code)) {
        const cairn_status status = find_object(diff, side, &code, &block.object);

        if (status)
            return status;
        bias = code.bias;
    }
    block.first = address - bias;
    block.end = end - bias;
    walk(space, arch, address, end, bias, &block);
    const uint32_t hash =
        cairn_table_hash(block.first, block.end * 8 + block.isa + ((uint64_t)block.object << 40) +
                                          (block.object ? 0 : block.content << 3));
    size_t at = cairn_table_begin(&diff->by_block, hash);
    uint32_t item;
    while ((item = cairn_table_next(&diff->by_block, hash, &at)) != CAIRN_TABLE_NONE)
        if (is_block(&diff->blocks[item], &block))
            break;
    if (item == CAIRN_TABLE_NONE) {
        item = (uint32_t)diff->block_count;
        if (diff->block_count >= CAIRN_DIFF_NONE - 1)
            return CAIRN_E_LIMIT;
        if (cairn_grow((void **)&diff->blocks, diff->block_count, &diff->block_room,
                       sizeof *diff->blocks) ||
            cairn_table_add(&diff->by_block, hash, item))
            return CAIRN_E_MEMORY;
        diff->blocks[diff->block_count++] = block;
        diff->runs[side].kept += sizeof block + 2 * sizeof(struct cairn_table_slot);
    }
    struct cairn_diff_seen *const seen = &diff->blocks[item].seen[side];
    if (!seen->times && !seen->address) {
        seen->address = address;
        seen->arch = arch;
        (void)cairn_space_place(space, &seen->place);
    }
    *found = item;
    return CAIRN_OK;
}

/* --- chains of calls --- */

static uint32_t hash_text(const char *text)
{
    uint64_t hash = 5381;

    for (; *text; text++)
        hash = mix(hash, (unsigned char)*text);
    return (uint32_t)(hash >> 32);
}

static cairn_status name_of(struct cairn_diff *diff, const char *text, uint32_t *name)
{
    const uint32_t hash = hash_text(text);
    size_t at = cairn_table_begin(&diff->by_name, hash);
    uint32_t item;

    while ((item = cairn_table_next(&diff->by_name, hash, &at)) != CAIRN_TABLE_NONE)
        if (strcmp(diff->names[item], text) == 0) {
            *name = item;
            return CAIRN_OK;
        }
    if (cairn_grow((void **)&diff->names, diff->name_count, &diff->name_room,
                   sizeof *diff->names) ||
        cairn_table_add(&diff->by_name, hash, (uint32_t)diff->name_count))
        return CAIRN_E_MEMORY;
    diff->names[diff->name_count] = cairn_arena_text(&diff->arena, text);
    if (!diff->names[diff->name_count])
        return CAIRN_E_MEMORY;
    *name = (uint32_t)diff->name_count++;
    return CAIRN_OK;
}

static uint32_t hash_chain(uint32_t parent, uint32_t name)
{
    return cairn_table_hash(parent, (uint64_t)name + 1);
}

uint32_t cairn_diff_find_chain(const struct cairn_diff *diff, uint32_t parent, uint32_t name)
{
    const uint32_t hash = hash_chain(parent, name);
    size_t at = cairn_table_begin(&diff->by_chain, hash);
    uint32_t item;

    while ((item = cairn_table_next(&diff->by_chain, hash, &at)) != CAIRN_TABLE_NONE)
        if (diff->chains[item].parent == parent && diff->chains[item].name == name)
            return item;
    return 0;
}

cairn_status cairn_diff_chain_of(struct cairn_diff *diff, uint32_t parent, const char *name,
                                 uint32_t *chain)
{
    uint32_t number, item;
    const cairn_status status = name_of(diff, name, &number);

    if (status)
        return status;
    item = cairn_diff_find_chain(diff, parent, number);
    if (item) {
        *chain = item;
        return CAIRN_OK;
    }
    if (diff->chain_count >= CAIRN_DIFF_CHAINS_MAX) {
        *chain = parent;
        return CAIRN_OK;
    }
    item = (uint32_t)diff->chain_count;
    if (cairn_grow((void **)&diff->chains, diff->chain_count, &diff->chain_room,
                   sizeof *diff->chains) ||
        cairn_table_add(&diff->by_chain, hash_chain(parent, number), item))
        return CAIRN_E_MEMORY;
    diff->chains[diff->chain_count++] =
        (struct cairn_diff_chain){parent, number, diff->chains[parent].depth + 1};
    *chain = item;
    return CAIRN_OK;
}
