/* SPDX-License-Identifier: BSD-2-Clause */
/* drcov, version 2: what Lighthouse, Cartographer, lightkeeper and radare2 show in a disassembler. A text,
 * then 8 bytes for each block: where it begins in its module, its size, the module. */
#include "report/coverage_view.h"

#include <inttypes.h>
#include <stdlib.h>

#define BLOCK_MOST 0xffffu /* bytes: more is several blocks */
#define MODULES_MOST 0xffffu
#define PAGE_MASK UINT64_C(0xfff)

/* An object, or as much of one as offsets of 32 bits reach. */
struct drcov_module {
    uint32_t object;
    uint64_t base;
    uint64_t end;
};

struct drcov_block {
    uint64_t address;
    uint32_t size;
    uint32_t module;
};

struct drcov_lists {
    struct drcov_module *modules;
    size_t module_count, module_room;
    struct drcov_block *blocks;
    size_t block_count, block_room;
};

static cairn_status find_module(const struct cairn_coverage *coverage, struct drcov_lists *lists,
                                const struct cairn_coverage_insn *insn)
{
    struct drcov_module *const last =
        lists->module_count ? &lists->modules[lists->module_count - 1] : NULL;
    const struct cairn_coverage_object *const object = &coverage->objects[insn->object];

    if (last && last->object == insn->object && insn->address - last->base < UINT32_MAX - 4) {
        last->end = insn->address + insn->size;
        return CAIRN_OK;
    }
    if (lists->module_count == MODULES_MOST)
        return CAIRN_E_LIMIT;
    if (cairn_grow((void **)&lists->modules, lists->module_count, &lists->module_room,
                   sizeof *lists->modules))
        return CAIRN_E_MEMORY;
    const bool is_far = insn->address - object->base >= UINT32_MAX - 4;
    lists->modules[lists->module_count++] = (struct drcov_module){
        .object = insn->object,
        .base = (!object->file || is_far ? insn->address : object->base) & ~PAGE_MASK,
        .end = insn->address + insn->size};
    return CAIRN_OK;
}

static cairn_status add(const struct cairn_coverage *coverage, struct drcov_lists *lists,
                        const struct cairn_coverage_insn *insn, bool goes_on)
{
    const size_t before = lists->module_count;
    const cairn_status status = find_module(coverage, lists, insn);

    if (status)
        return status;
    if (goes_on && lists->module_count == before) {
        struct drcov_block *const last = &lists->blocks[lists->block_count - 1];

        if (last->address + last->size == insn->address && last->size + insn->size <= BLOCK_MOST) {
            last->size += insn->size;
            return CAIRN_OK;
        }
    }
    if (cairn_grow((void **)&lists->blocks, lists->block_count, &lists->block_room,
                   sizeof *lists->blocks))
        return CAIRN_E_MEMORY;
    lists->blocks[lists->block_count++] = (struct drcov_block){
        .address = insn->address, .size = insn->size, .module = (uint32_t)lists->module_count - 1};
    return CAIRN_OK;
}

/* Consecutive instructions that were executed equally often are a block, up to a branch. */
static cairn_status make(const struct cairn_coverage *coverage, struct drcov_lists *lists)
{
    const struct cairn_coverage_insn *last = NULL;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < coverage->insn_count && !status; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[i];

        if (!insn->executed)
            continue;
        status = add(coverage, lists, insn,
                     last && !last->ends_block && last->executed == insn->executed &&
                         last->isa == insn->isa);
        last = insn;
    }
    return status;
}

static void put(const struct cairn_coverage *coverage, struct cairn_output *output,
                const struct drcov_lists *lists)
{
    cairn_output_format(output,
                        "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\n"
                        "Module Table: version 2, count %zu\n"
                        "Columns: id, base, end, entry, checksum, timestamp, path\n",
                        lists->module_count);
    for (size_t i = 0; i < lists->module_count; i++) {
        const struct drcov_module *const module = &lists->modules[i];

        cairn_output_format(output,
                            "%3zu, 0x%016" PRIx64 ", 0x%016" PRIx64
                            ", 0x0000000000000000, 0x00000000, 0x00000000, ",
                            i, module->base, (module->end + PAGE_MASK) & ~PAGE_MASK);
        cairn_coverage_put(output, coverage->objects[module->object].path);
        cairn_output_char(output, '\n');
    }
    cairn_output_format(output, "BB Table: %zu bbs\n", lists->block_count);
    for (size_t i = 0; i < lists->block_count; i++) {
        const struct drcov_block *const block = &lists->blocks[i];
        const uint32_t start = (uint32_t)(block->address - lists->modules[block->module].base);
        const uint8_t bytes[8] = {(uint8_t)start,         (uint8_t)(start >> 8),
                                  (uint8_t)(start >> 16), (uint8_t)(start >> 24),
                                  (uint8_t)block->size,   (uint8_t)(block->size >> 8),
                                  (uint8_t)block->module, (uint8_t)(block->module >> 8)};

        cairn_output_data(output, bytes, sizeof bytes);
    }
}

cairn_status cairn_coverage_drcov(const struct cairn_coverage_view *view)
{
    struct drcov_lists lists = {0};
    const cairn_status status = make(view->coverage, &lists);

    if (!status)
        put(view->coverage, view->output, &lists);
    free(lists.modules);
    free(lists.blocks);
    return status;
}
