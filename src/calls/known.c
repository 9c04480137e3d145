/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/known.h"

#include <stdlib.h>
#include <string.h>

#include <cairn/flow.h>

#include "base/golden.h"
#include "base/room.h"
#include "flow/dictionary.h"
#include "image/space.h"

#define A32_MOV_LR_PC 0xe1a0e00fu
#define A32_SIZE 4u

void cairn_known_free(struct cairn_known *known)
{
    free(known->paths);
    free(known->sites);
    free(known->counts);
    free(known->blocks);
    free(known->sums);
    free(known->turns);
    free(known->marks);
    *known = (struct cairn_known){0};
}

cairn_status cairn_known_batch(struct cairn_known *known, const struct cairn_word_batch *batch)
{
    size_t paths, blocks;
    size_t counts = known->path_capacity, sites = known->path_capacity;
    size_t sums = known->block_capacity;

    (void)cairn_dictionary_paths(batch->dictionary, &paths);
    (void)cairn_dictionary_blocks(batch->dictionary, &blocks);
    if (batch->generation != known->generation) {
        if (known->path_count) {
            memset(known->paths, 0, known->path_count * sizeof *known->paths);
            memset(known->counts, 0, known->path_count * sizeof *known->counts);
        }
        if (known->block_count)
            memset(known->blocks, 0, known->block_count * sizeof *known->blocks);
        known->path_count = known->block_count = known->turn_count = known->mark_count = 0;
        known->generation = batch->generation;
    }
    cairn_status status = cairn_enlarge(&known->counts, &counts, paths, sizeof *known->counts);
    if (!status)
        status = cairn_enlarge(&known->sums, &sums, blocks, sizeof *known->sums);
    if (!status)
        status = cairn_enlarge(&known->sites, &sites, paths, sizeof *known->sites);
    if (!status)
        status =
            cairn_enlarge_lines(&known->paths, &known->path_capacity, paths, sizeof *known->paths);
    if (!status)
        status =
            cairn_enlarge(&known->blocks, &known->block_capacity, blocks, sizeof *known->blocks);
    if (status)
        return status;
    known->path_count = paths;
    known->block_count = blocks;
    return CAIRN_OK;
}

/* What compilers for Armv4 and before call a pointer by: MOV LR, PC in front of the branch. */
static bool calls_by_hand(const struct cairn_known *known, const struct cairn_space *space,
                          const struct cairn_code_block *block)
{
    struct cairn_insn insn;

    return block->isa == CAIRN_ISA_A32 && block->instructions > 1 &&
           cairn_space_insn(space, known->arch, CAIRN_ISA_A32, block->end - 2u * A32_SIZE, &insn) &&
           insn.opcode == A32_MOV_LR_PC;
}

static enum cairn_call_way way_of(const struct cairn_known *known, const struct cairn_space *space,
                                  const struct cairn_code_block *block)
{
    if (block->flags & CAIRN_BLOCK_ERET)
        return CAIRN_WAY_ERET;
    if (!(block->flags & CAIRN_BLOCK_BRANCH))
        return CAIRN_WAY_ON;
    if (block->flags & CAIRN_BLOCK_LINK)
        return CAIRN_WAY_CALL;
    if (block->flags & CAIRN_BLOCK_RETURN)
        return CAIRN_WAY_RETURN;
    if (calls_by_hand(known, space, block))
        return CAIRN_WAY_CALL;
    /* A64 compilers make no tail call of a conditional branch: it is to a label of assembly. */
    if (block->isa == CAIRN_ISA_A64 && block->flags & CAIRN_BLOCK_CONDITIONAL)
        return CAIRN_WAY_ON;
    return block->flags & CAIRN_BLOCK_INDIRECT ? CAIRN_WAY_JUMP : CAIRN_WAY_DIRECT;
}

static uint32_t lowest_place(const struct cairn_calls_watch *watch, uint64_t address)
{
    uint32_t low = 0, high = watch->place_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (watch->places[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Which of the watched places are instructions of a block. */
static cairn_status mark_places(struct cairn_known *known, const struct cairn_space *space,
                                const struct cairn_code_block *block,
                                struct cairn_known_block *made)
{
    const struct cairn_calls_watch *const watch = known->watch;
    const uint64_t last = cairn_block_last(block);
    uint64_t at = block->address;
    uint32_t before = 0;

    made->first_mark = (uint32_t)known->mark_count;
    for (uint32_t place = lowest_place(watch, at);
         place < watch->place_count && watch->places[place] <= last; place++) {
        struct cairn_insn insn = {.size = 4};

        while (at < watch->places[place]) {
            if (block->isa == CAIRN_ISA_T32 &&
                !cairn_space_insn(space, known->arch, CAIRN_ISA_T32, at, &insn))
                return CAIRN_OK;
            at += insn.size;
            before++;
        }
        if (at != watch->places[place])
            continue;
        const cairn_status status = cairn_enlarge(&known->marks, &known->mark_capacity,
                                                  known->mark_count + 1, sizeof *known->marks);
        if (status)
            return status;
        known->marks[known->mark_count++] = (struct cairn_mark){place, before};
        made->marks++;
    }
    return CAIRN_OK;
}

struct cairn_code_block cairn_known_range(const struct cairn_known *known,
                                          const struct cairn_space *space,
                                          const struct cairn_range *range)
{
    struct cairn_code_block block = {
        .address = range->address,
        .end = range->end,
        .instructions = range->instructions,
        .isa = range->isa,
        .last_size = 4,
    };
    struct cairn_insn insn = {.size = 2};

    if (range->isa == CAIRN_ISA_T32) { /* where the last one begins only a walk tells */
        uint64_t at = range->address;

        for (uint32_t i = 0; i < range->instructions; i++, at += insn.size)
            if (!cairn_space_insn(space, known->arch, CAIRN_ISA_T32, at, &insn))
                break;
        block.last_size = insn.size;
    }
    if (!(range->flags & CAIRN_FLOW_P0))
        return block;
    block.flags = CAIRN_BLOCK_P0;
    if (!cairn_space_insn(space, known->arch, (enum cairn_isa)range->isa, cairn_block_last(&block),
                          &insn))
        return block;
    if (insn.kind == CAIRN_INSN_BRANCH_DIRECT || insn.kind == CAIRN_INSN_BRANCH_INDIRECT)
        block.flags |= CAIRN_BLOCK_BRANCH;
    if (insn.kind == CAIRN_INSN_BRANCH_INDIRECT)
        block.flags |= CAIRN_BLOCK_INDIRECT;
    if (insn.flags & CAIRN_INSN_CONDITIONAL || insn.cond < CAIRN_COND_AL)
        block.flags |= CAIRN_BLOCK_CONDITIONAL;
    if (insn.flags & CAIRN_INSN_LINK)
        block.flags |= CAIRN_BLOCK_LINK;
    if (insn.flags & CAIRN_INSN_RETURN)
        block.flags |= CAIRN_BLOCK_RETURN;
    return block;
}

static struct cairn_call_target target_of(const struct cairn_functions *functions,
                                          uint32_t function, bool starts, bool lands)
{
    const struct cairn_function *of = &functions->list[function];
    const bool is_special = of->is_setjmp || of->is_part || of->is_label;

    return (struct cairn_call_target){
        .function = function & (CAIRN_FUNCTIONS_MAX - 1),
        .starts = starts,
        .lands = lands,
        .is_plain = !is_special && !of->is_stub,
        .is_stub = !is_special && of->is_stub,
    };
}

/* What tells a block's memory apart where its function does not: memory that is no file's has no functions, and another
 * program may be at its addresses at another place, or what is there may change inside of a function. */
static uint64_t memory_of(const struct cairn_known *known, const struct cairn_space *space,
                          const struct cairn_code_block *block, bool *is_whole)
{
    const uint64_t site = cairn_block_last(block);
    uint64_t at = block->address, memory = 0, bytes, last;

    *is_whole = cairn_functions_holds(known->functions, at, site);
    if (*is_whole)
        return 0;
    do {
        bytes = cairn_space_bytes(space, at, &last);
        memory = (memory ^ bytes) * CAIRN_GOLDEN;
        at = last + 1;
    } while (bytes && last < site);
    return memory;
}

cairn_status cairn_known_one(struct cairn_known *known, const struct cairn_space *space,
                             const struct cairn_code_block *block, struct cairn_known_block *made)
{
    bool starts, is_whole = false;
    const uint32_t function = cairn_functions_at(known->functions, space, block->address, &starts);
    const bool lands = cairn_functions_lands(known->functions, block->address);
    uint32_t entry;
    cairn_status status = known->functions->failed ? CAIRN_E_MEMORY : CAIRN_OK;

    if (!status)
        status = cairn_block_counts_find(known->counted, block, function,
                                         memory_of(known, space, block, &is_whole), &entry);
    if (status)
        return status;
    struct cairn_block_count *counted = &known->counted->list[entry];
    if (counted->executed == 0) {
        counted->source = known->source;
        (void)cairn_space_place(space, &counted->place);
        counted->is_whole = is_whole;
    }
    *made = (struct cairn_known_block){
        .counted = entry,
        .instructions = block->instructions,
        .to = target_of(known->functions, function, starts, lands),
        .way = {CAIRN_WAY_ON, 0},
    };
    if (block->flags & CAIRN_BLOCK_P0)
        made->way[1] = (uint8_t)way_of(known, space, block);
    return known->watch ? mark_places(known, space, block, made) : CAIRN_OK;
}

/* As cairn_known_behind takes it. */
static uint8_t last_size(const struct cairn_code_block *block)
{
    const uint64_t site = cairn_block_last(block);

    return block->end > site ? (uint8_t)(block->end - site) : 0;
}

/* A path's next block, behind `before`. */
static cairn_status add_turn(struct cairn_known *known, struct cairn_known_path *path,
                             const struct cairn_code_block *before, uint8_t way,
                             const struct cairn_code_block *block,
                             const struct cairn_known_block *of)
{
    cairn_status status = cairn_enlarge_lines(&known->turns, &known->turn_capacity,
                                              known->turn_count + 1, sizeof *known->turns);

    if (status)
        return status;
    known->turns[known->turn_count++] = (struct cairn_turn){
        .address = block->address,
        .site = cairn_block_last(before),
        .site_size = last_size(before),
        .to = of->to,
        .before = path->instructions,
        .way = way,
    };
    path->turns++;
    return CAIRN_OK;
}

/* The watched places of a path's next block. */
static cairn_status add_places(struct cairn_known *known, struct cairn_known_path *path,
                               const struct cairn_known_block *block)
{
    cairn_status status =
        cairn_enlarge_lines(&known->turns, &known->turn_capacity, known->turn_count + block->marks,
                            sizeof *known->turns);

    for (uint32_t i = 0; i < block->marks && !status; i++) {
        const struct cairn_mark *const mark = &known->marks[block->first_mark + i];

        known->turns[known->turn_count++] = (struct cairn_turn){
            .place = mark->place,
            .before = path->instructions + mark->before,
            .way = CAIRN_WAY_PLACE,
        };
        path->turns++;
    }
    return status;
}

/* Whether control that leaves a block this way may still be in the same call. */
static inline bool stays(uint8_t way)
{
    return way == CAIRN_WAY_ON || way == CAIRN_WAY_JUMP || way == CAIRN_WAY_DIRECT;
}

cairn_status cairn_known_learn(struct cairn_known *known, const struct cairn_dictionary *dictionary,
                               const struct cairn_space *space, uint32_t path)
{
    size_t unused;
    const struct cairn_path *of = &cairn_dictionary_paths(dictionary, &unused)[path];
    const struct cairn_code_block *blocks = cairn_dictionary_blocks(dictionary, &unused);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &unused) + of->first;
    struct cairn_known_path made = {.first = (uint32_t)known->turn_count, .is_known = true};
    uint32_t before = 0, function = CAIRN_FUNCTIONS_MAX; /* none */
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 0; i < of->steps; i++) {
        const uint32_t id = steps[i] >> 1;
        struct cairn_known_block *const block = &known->blocks[id];

        if (!block->counted) {
            if (blocks[id].instructions == 0)
                continue;
            status = cairn_known_one(known, space, &blocks[id], block);
            if (status)
                return status;
        }
        if (!known->has_turns) {
            made.instructions += block->instructions;
            made.last = steps[i];
            continue;
        }
        if (made.instructions == 0) {
            made.address = blocks[id].address;
            made.to = block->to;
        } else if (block->to.function != function || !stays(made.way)) {
            status = add_turn(known, &made, &blocks[before], made.way, &blocks[id], block);
        }
        if (!status && block->marks)
            status = add_places(known, &made, block);
        if (status)
            return status;
        made.instructions += block->instructions;
        made.way = block->way[steps[i] & 1];
        made.last = steps[i];
        before = id;
        function = block->to.function;
    }
    made.site_size = last_size(&blocks[before]);
    known->sites[path] = cairn_block_last(&blocks[before]);
    known->paths[path] = made;
    return CAIRN_OK;
}

uint64_t cairn_known_flush(struct cairn_known *known, const struct cairn_dictionary *dictionary)
{
    size_t unused;
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &unused);
    const uint32_t *const steps = cairn_dictionary_steps(dictionary, &unused);
    struct cairn_known_sum *const sums = known->sums;
    uint64_t instructions = 0;

    for (size_t i = 1; i < known->path_count; i++) {
        const uint64_t times = known->counts[i];
        const uint32_t *step = steps + paths[i].first;

        if (times == 0)
            continue;
        instructions += times * known->paths[i].instructions;
        for (const uint32_t *const end = step + paths[i].steps; step < end; step++) {
            sums[*step >> 1].executed += times;
            sums[*step >> 1].taken += *step & 1 ? times : 0;
        }
        known->counts[i] = 0;
    }
    for (size_t i = 0; i < known->block_count; i++) {
        const uint32_t entry = known->blocks[i].counted;
        struct cairn_block_count *const counted = &known->counted->list[entry];

        if (sums[i].executed == 0)
            continue;
        if (entry) { /* else there is no memory, and no instruction */
            counted->executed += sums[i].executed;
            counted->taken += sums[i].taken;
        }
        sums[i] = (struct cairn_known_sum){0};
    }
    return instructions;
}
