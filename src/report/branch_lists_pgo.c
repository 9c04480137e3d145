/* SPDX-License-Identifier: BSD-2-Clause */
/* What lists executed, by the code of their binaries: from the address on to the first branch, where the first bit says
 * whether it was taken, and on from there. An ISB has a bit as well, and goes nowhere. */
#include "report/branch_lists.h"

#include <stdlib.h>
#include <string.h>

#include "capture/snapshot/search.h"
#include "image/elf.h"
#include "image/elf_symbols.h"
#include "report/branch_lists_code.h"

#define ASK_AFTER 4096u /* lists: whether to go on */

struct walker {
    const struct cairn_branch_lists *lists;
    struct cairn_listed_profile *told;
    struct cairn_pgo *pgo;
    struct cairn_files files;
    struct cairn_module_search search;
    uint32_t *numbers; /* of each binary, in the profile */
    /* the binary whose lists are followed */
    struct cairn_listed_code *code;
    uint32_t binary; /* in the profile */
    uint64_t shift;  /* that is added to the lists' addresses */
};

static uint64_t sum(uint64_t one, uint64_t other)
{
    return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

static uint64_t product(uint64_t one, uint64_t other)
{
    uint64_t made;

    return __builtin_mul_overflow(one, other, &made) ? UINT64_MAX : made;
}

/* --- binaries --- */

static void forget(struct cairn_pgo_binary *binary)
{
    if (binary->owns_code)
        cairn_file_close(binary->code);
    if (binary->owns_file)
        cairn_file_close(binary->file);
    free(binary->file_path);
    *binary = (struct cairn_pgo_binary){.file = NULL};
}

/* Files that are not for Arm count as not here. */
static cairn_status take_file(struct cairn_pgo_binary *binary, const char *file, const char *code,
                              const char *path)
{
    struct cairn_segments segments;

    if (cairn_file_open(file, &binary->file, NULL))
        return CAIRN_OK;
    binary->owns_file = true;
    binary->file_path = strdup(file);
    cairn_pgo_find_code(binary, code, true);
    cairn_pgo_find_code(binary, path, false);
    if (binary->file_path &&
        !cairn_elf_segments(binary->code ? binary->code : binary->file, file, &segments, NULL)) {
        binary->base = segments.count ? segments.list[0].address : 0;
        cairn_segments_clear(&segments);
        return CAIRN_OK;
    }
    const cairn_status status = binary->file_path ? CAIRN_OK : CAIRN_E_MEMORY;
    forget(binary);
    return status;
}

/* The kernel's file that the user named, if it is that kernel's. */
static bool is_vmlinux(const struct walker *walker, const struct cairn_listed_binary *listed)
{
    const char *const path = walker->told->options->vmlinux;
    struct cairn_elf_facts facts;

    if (!path || listed->kind != CAIRN_LISTED_KERNEL || !cairn_elf_look(path, &facts))
        return false;
    const bool is_it =
        !listed->build_id || (facts.build_id && !strcmp(facts.build_id, listed->build_id));
    free(facts.build_id);
    return is_it;
}

static cairn_status look_for(const struct walker *walker, const struct cairn_listed_binary *listed,
                             struct cairn_pgo_binary *binary)
{
    const struct cairn_module_info info = {
        .size = sizeof info, .path = listed->path, .build_id = listed->build_id};
    struct cairn_module_found found;

    if (is_vmlinux(walker, listed))
        return take_file(binary, walker->told->options->vmlinux, NULL, NULL);
    cairn_status status = cairn_module_find(&walker->search, &info, NULL, &found);
    if (status)
        return status;
    if (found.file)
        status = take_file(binary, found.file, found.code, listed->path);
    cairn_module_found_clear(&found);
    return status;
}

/* Adds it to the profile, or without `always` only if its code is here; else its number there is NONE. */
static cairn_status find_binary(struct walker *walker, uint32_t number, bool always)
{
    const struct cairn_listed_binary *const listed = &walker->lists->binaries[number];
    struct cairn_pgo_binary found = {.file = NULL};
    cairn_status status = look_for(walker, listed, &found);

    walker->numbers[number] = CAIRN_PGO_NONE;
    if (!status && (always || found.code))
        status =
            cairn_pgo_binary(walker->pgo, listed->path, listed->build_id, &walker->numbers[number]);
    if (status || walker->numbers[number] == CAIRN_PGO_NONE) {
        forget(&found);
        return status == CAIRN_E_LIMIT ? CAIRN_OK : status;
    }
    struct cairn_pgo_binary *const binary = &walker->pgo->binaries[walker->numbers[number]];
    binary->has_addresses = true;
    if (binary->file) {
        forget(&found);
        return CAIRN_OK;
    }
    binary->file = found.file;
    binary->code = found.code;
    binary->file_path = found.file_path;
    binary->owns_file = found.owns_file;
    binary->owns_code = found.owns_code;
    binary->base = found.base;
    return CAIRN_OK;
}

/* --- lists --- */

static cairn_status add_range(const struct walker *walker, uint64_t first, uint64_t last,
                              uint64_t count)
{
    return cairn_pgo_add_range(
        walker->pgo, &(struct cairn_pgo_range){
                         .binary = walker->binary, .first = first, .last = last, .count = count});
}

static bool is_branch(const struct cairn_listed_block *block)
{
    return block->kind == CAIRN_INSN_BRANCH_DIRECT || block->kind == CAIRN_INSN_BRANCH_INDIRECT;
}

/* Counts blocks; of rows the ranges at once. */
static cairn_status take_list(struct walker *walker, const struct cairn_branch_list *list)
{
    const uint8_t *const bits = walker->lists->bytes + list->at;
    uint64_t address = list->address + walker->shift;
    uint8_t isa = cairn_listed_code_begin(walker->code, &address);
    struct cairn_return_stack stack;
    uint64_t row = address, last = 0;
    bool is_known = true, has_row = false;
    cairn_status status = CAIRN_OK;
    uint32_t i = 0;

    cairn_return_stack_clear(&stack);
    for (; i < list->bits && is_known && !status; i++) {
        struct cairn_listed_block *const block =
            cairn_listed_code_block(walker->code, address, isa);

        if (!block)
            return CAIRN_E_MEMORY;
        if (!block->instructions)
            break;
        const bool is_taken = is_branch(block) && (bits[i / 8] >> i % 8 & 1);
        uint64_t *const counts = is_taken ? &block->taken : &block->passed;

        *counts = sum(*counts, list->count);
        last = block->last;
        has_row = !is_taken;
        is_known = cairn_listed_follow(block, is_taken, &stack, &address, &isa);
        if (!is_taken || !walker->told->rows)
            continue;
        status = add_range(walker, row, last, list->count);
        row = address;
    }
    if (has_row && walker->told->rows && !status)
        status = add_range(walker, row, last, list->count);
    walker->told->unfollowed = sum(walker->told->unfollowed, product(list->count, list->bits - i));
    return status;
}

static cairn_status give_block(const struct walker *walker, const struct cairn_listed_block *block)
{
    struct cairn_pgo_binary *const binary = &walker->pgo->binaries[walker->binary];
    const bool is_direct = block->kind == CAIRN_INSN_BRANCH_DIRECT;
    const uint64_t count = sum(block->taken, block->passed);
    const bool is_inside = is_direct && cairn_listed_code_has(walker->code, block->target);
    cairn_status status = CAIRN_OK;

    binary->executed = sum(binary->executed, product(count, block->instructions));
    if (!walker->told->rows)
        status = add_range(walker, block->first, block->last, count);
    if (status || !block->taken)
        return status;
    return cairn_pgo_add_branch(walker->pgo,
                                &(struct cairn_pgo_branch){
                                    .from_binary = walker->binary,
                                    .to_binary = is_inside ? walker->binary : CAIRN_PGO_NONE,
                                    .from = block->last,
                                    .to = is_inside ? block->target : 0,
                                    .count = block->taken,
                                    .is_indirect = !is_direct,
                                    .has_target = is_inside,
                                });
}

/* --- lists of a binary --- */

/* Of a kernel that is not where it was linked for: as simpleperf has it its code begins with the section .text. */
static bool find_shift(const struct cairn_listed_binary *listed, const struct cairn_file *file,
                       uint64_t *shift)
{
    uint64_t text = 0;

    *shift = 0;
    if (listed->kind != CAIRN_LISTED_KERNEL || !listed->kernel_start)
        return true;
    struct Elf *const elf = cairn_elf_begin(file);
    const bool is_known = elf && cairn_elf_section_address(elf, ".text", &text);

    elf_end(elf);
    *shift = text - listed->kernel_start;
    return is_known;
}

static void miss(struct walker *walker, const struct cairn_listed_binary *listed)
{
    walker->told->first_missing =
        walker->told->missing++ ? walker->told->first_missing : listed->path;
}

static bool goes_on(const struct walker *walker)
{
    return !walker->told->goes_on || walker->told->goes_on(walker->told->context);
}

static cairn_status follow_lists(struct walker *walker, size_t first, size_t end)
{
    cairn_status status = CAIRN_OK;
    size_t count;

    for (size_t i = first; i < end && !status; i++) {
        if (i % ASK_AFTER == 0 && !goes_on(walker))
            break;
        status = take_list(walker, &walker->lists->lists[i]);
    }
    const struct cairn_listed_block *const blocks = cairn_listed_code_blocks(walker->code, &count);
    for (size_t i = 0; i < count && !status; i++)
        if (blocks[i].taken || blocks[i].passed)
            status = give_block(walker, &blocks[i]);
    return status;
}

static cairn_status take_binary(struct walker *walker, size_t first, size_t end)
{
    const uint32_t number = walker->lists->lists[first].binary;
    const struct cairn_listed_binary *const listed = &walker->lists->binaries[number];

    if (listed->kind == CAIRN_LISTED_MODULE) {
        walker->told->modules++;
        return CAIRN_OK;
    }
    cairn_status status = find_binary(walker, number, false);
    walker->binary = walker->numbers[number];
    const struct cairn_pgo_binary *const binary =
        walker->binary == CAIRN_PGO_NONE ? NULL : &walker->pgo->binaries[walker->binary];
    if (status)
        return status;
    if (binary && find_shift(listed, binary->code, &walker->shift))
        status = cairn_listed_code_new(binary->code, binary->path, false, &walker->code);
    if (status == CAIRN_E_MEMORY)
        return status;
    if (!walker->code) {
        miss(walker, listed);
        return CAIRN_OK;
    }
    status = follow_lists(walker, first, end);
    cairn_listed_code_free(walker->code);
    walker->code = NULL;
    return status;
}

/* --- samples --- */

static struct cairn_pgo_end end_of(const struct walker *walker, const struct cairn_listed_end *end)
{
    return (struct cairn_pgo_end){
        .binary = end->binary == CAIRN_PGO_NONE ? CAIRN_PGO_NONE : walker->numbers[end->binary],
        .address = end->address};
}

static cairn_status take_sample(const struct walker *walker,
                                const struct cairn_listed_sample *sample)
{
    struct cairn_pgo_taken *const taken = calloc(sample->count + 1, sizeof *taken);
    const struct cairn_pgo_stack stack = {
        .at = end_of(walker, &sample->at), .taken = taken, .count = sample->count};

    if (!taken)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < sample->count; i++) {
        const struct cairn_listed_branch *const branch =
            &walker->lists->branches[sample->first + i];

        taken[i] = (struct cairn_pgo_taken){.from = end_of(walker, &branch->from),
                                            .to = end_of(walker, &branch->to)};
    }
    const cairn_status status = cairn_pgo_add_stack(walker->pgo, &stack);
    free(taken);
    return status;
}

static cairn_status take_samples(struct walker *walker)
{
    cairn_status status = CAIRN_OK;

    if (!walker->lists->sample_count)
        return CAIRN_OK;
    walker->pgo->is_sampled = true;
    for (uint32_t i = 0; i < walker->lists->binary_count && !status; i++)
        status = find_binary(walker, i, true);
    for (size_t i = 0; i < walker->lists->sample_count && !status && goes_on(walker); i++)
        status = take_sample(walker, &walker->lists->samples[i]);
    return status;
}

cairn_status cairn_branch_lists_profile(const struct cairn_branch_lists *lists,
                                        struct cairn_listed_profile *told, struct cairn_pgo *pgo)
{
    struct walker walker = {.lists = lists,
                            .told = told,
                            .pgo = pgo,
                            .files = cairn_files_of_system(),
                            .numbers = calloc(lists->binary_count + 1, sizeof *walker.numbers)};
    cairn_status status = walker.numbers ? CAIRN_OK : CAIRN_E_MEMORY;
    size_t end;

    walker.search = (struct cairn_module_search){
        .files = &walker.files, .folder = "", .options = told->options};
    for (size_t first = 0; first < lists->list_count && !status && goes_on(&walker); first = end) {
        for (end = first;
             end < lists->list_count && lists->lists[end].binary == lists->lists[first].binary;)
            end++;
        status = take_binary(&walker, first, end);
    }
    if (!status)
        status = take_samples(&walker);
    free(walker.numbers);
    return status;
}
