/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/branch_lists_code.h"

#include <stdlib.h>

#include "base/room.h"
#include "base/table.h"
#include "image/elf.h"

#define MACHINE_AARCH64 183u
#define BLOCK_MOST (1u << 16) /* instructions without a branch */
#define INSN_MOST 4u          /* bytes */

struct cairn_listed_code {
    const uint8_t *bytes;
    struct cairn_segments segments;
    bool with_wfx;
    struct cairn_listed_block *blocks;
    size_t count, room;
    struct cairn_table by_address;
};

cairn_status cairn_listed_code_new(const struct cairn_file *file, const char *path, bool with_wfx,
                                   struct cairn_listed_code **code)
{
    struct cairn_listed_code *const made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->bytes = file->data;
    made->with_wfx = with_wfx;
    cairn_status status = cairn_elf_segments(file, path, &made->segments, NULL);
    if (!status && made->segments.order == CAIRN_ORDER_BE32) {
        cairn_segments_clear(&made->segments);
        status = CAIRN_E_UNSUPPORTED;
    }
    if (status)
        free(made);
    else
        *code = made;
    return status;
}

void cairn_listed_code_free(struct cairn_listed_code *code)
{
    if (!code)
        return;
    cairn_segments_clear(&code->segments);
    free(code->blocks);
    cairn_table_clear(&code->by_address);
    free(code);
}

/* --- blocks --- */

static const uint8_t *bytes_at(const struct cairn_listed_code *code, uint64_t address, size_t *size)
{
    for (size_t i = 0; i < code->segments.count; i++) {
        const struct cairn_segment *const segment = &code->segments.list[i];
        const uint64_t at = address - segment->address;

        if (segment->is_zeros || !segment->executable || at >= segment->size)
            continue;
        *size = segment->size - at < INSN_MOST ? (size_t)(segment->size - at) : INSN_MOST;
        return code->bytes + segment->offset + at;
    }
    return NULL;
}

bool cairn_listed_code_has(const struct cairn_listed_code *code, uint64_t address)
{
    size_t size;

    return bytes_at(code, address, &size) != NULL;
}

static bool has_bit(const struct cairn_listed_code *code, const struct cairn_insn *insn)
{
    switch (insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT:
    case CAIRN_INSN_BRANCH_INDIRECT:
    case CAIRN_INSN_ISB: return true;
    case CAIRN_INSN_WFX: return code->with_wfx;
    default: return false;
    }
}

static void walk(const struct cairn_listed_code *code, struct cairn_listed_block *block)
{
    const struct cairn_arch arch = cairn_arch_any_a();
    uint64_t address = block->first;
    struct cairn_insn insn;

    for (uint32_t count = 1; count <= BLOCK_MOST; count++) {
        size_t size = 0;
        const uint8_t *const bytes = bytes_at(code, address, &size);

        /* a transaction begins with an element of its own */
        if (!bytes || !cairn_insn_decode(&arch, block->isa, address, bytes, size, &insn) ||
            insn.kind == CAIRN_INSN_UNDEFINED || insn.kind == CAIRN_INSN_TSTART)
            return;
        block->last = address;
        address += insn.size;
        if (!has_bit(code, &insn))
            continue;
        block->next = address;
        block->instructions = count;
        block->kind = insn.kind;
        block->flags = insn.flags;
        block->target = insn.target;
        block->target_isa = insn.target_isa;
        return;
    }
}

uint8_t cairn_listed_code_begin(const struct cairn_listed_code *code, uint64_t *address)
{
    const bool is_T32 = *address & 1;

    *address &= ~(uint64_t)1;
    if (code->segments.machine == MACHINE_AARCH64)
        return CAIRN_ISA_A64;
    return is_T32 ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
}

struct cairn_listed_block *cairn_listed_code_block(struct cairn_listed_code *code, uint64_t address,
                                                   uint8_t isa)
{
    const uint32_t hash = cairn_table_hash(address, isa);
    size_t at = cairn_table_begin(&code->by_address, hash);
    uint32_t item;

    while ((item = cairn_table_next(&code->by_address, hash, &at)) != CAIRN_TABLE_NONE)
        if (code->blocks[item].first == address && code->blocks[item].isa == isa)
            return &code->blocks[item];
    if (cairn_enlarge(&code->blocks, &code->room, code->count + 1, sizeof *code->blocks) ||
        cairn_table_add(&code->by_address, hash, (uint32_t)code->count))
        return NULL;
    struct cairn_listed_block *const made = &code->blocks[code->count++];
    *made = (struct cairn_listed_block){.first = address, .isa = isa};
    walk(code, made);
    return made;
}

const struct cairn_listed_block *cairn_listed_code_blocks(const struct cairn_listed_code *code,
                                                          size_t *count)
{
    *count = code->count;
    return code->blocks;
}

/* --- and on --- */

bool cairn_listed_follow(const struct cairn_listed_block *block, bool is_taken,
                         struct cairn_return_stack *stack, uint64_t *address, uint8_t *isa)
{
    struct cairn_return_entry entry = {.address = 0};

    if (!is_taken ||
        (block->kind != CAIRN_INSN_BRANCH_DIRECT && block->kind != CAIRN_INSN_BRANCH_INDIRECT)) {
        *address = block->next;
        return true;
    }
    if (block->flags & CAIRN_INSN_LINK)
        cairn_return_stack_push(stack, block->next, block->isa);
    if (block->kind == CAIRN_INSN_BRANCH_DIRECT) {
        *address = block->target;
        *isa = block->target_isa;
        return true;
    }
    if (!(block->flags & CAIRN_INSN_RETURN) || !cairn_return_stack_pop(stack, &entry))
        return false;
    *address = entry.address;
    *isa = entry.sub_isa;
    return true;
}
