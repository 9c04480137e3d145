/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges are cut where the flow's own unit ends its P0 elements; another unit wants to know of other
 * instructions (WFI, barriers, all that have a condition), and may go on where the flow's range ended. */
#include <string.h>

#include "base/golden.h"
#include "machine/replay/replay.h"
#include "unit/model.h"

/* --- what leads to the unit --- */

/* Nobody ended what was told: a unit that leaves such instructions out is told a halt behind them. */
static void halt(struct cairn_replay *replay)
{
    if (replay->loose == 0 || !(replay->about->record & CAIRN_RECORD_WANTS_END))
        return;
    if (replay->options.flags & CAIRN_REPLAY_NO_HALTS) {
        replay->counts.cut += replay->loose;
        return;
    }
    cairn_replay_settle_cycles(replay);
    cairn_processor_halt(&replay->processor, replay->end, (enum cairn_isa)replay->last_isa);
    replay->counts.halts++;
}

/* The unit is elsewhere for a while. */
static void leave(struct cairn_replay *replay)
{
    halt(replay);
    replay->loose = 0;
    cairn_replay_settle_cycles(replay);
    cairn_processor_prohibit(&replay->processor, true);
    cairn_processor_prohibit(&replay->processor, false);
}

/* What was found out since something was executed last. A context in which nothing was is none. */
void cairn_replay_arrive(struct cairn_replay *replay)
{
    if (replay->breaks && replay->any)
        leave(replay);
    replay->breaks = false;
    if (!replay->has_context)
        return;
    cairn_replay_settle_cycles(replay);
    cairn_processor_context(&replay->processor, &replay->context);
    replay->has_context = false;
}

static void tell_block(struct cairn_replay *replay)
{
    const struct cairn_block *block = &replay->block;

    replay->any = true;
    cairn_replay_begin_block(replay, block->count);
    cairn_processor_execute(&replay->processor, block, replay->taken);
    replay->end = block->address + block->size;
    replay->last_isa = block->isa;
    replay->loose = block->kind == CAIRN_INSN_OTHER ? replay->loose + block->count : 0;
    cairn_replay_end_block(replay);
}

static void tell_exception(struct cairn_replay *replay)
{
    replay->any = true;
    cairn_replay_settle_cycles(replay);
    cairn_processor_exception(&replay->processor, replay->type, replay->address,
                              (enum cairn_isa)replay->address_isa);
    replay->last_isa = CAIRN_ISA_UNKNOWN;
    replay->loose = 0;
}

void cairn_replay_tell(struct cairn_replay *replay)
{
    const unsigned wait = replay->wait;

    replay->wait = CAIRN_REPLAY_NOTHING;
    if (wait == CAIRN_REPLAY_BLOCK)
        tell_block(replay);
    else if (wait == CAIRN_REPLAY_EXCEPTION)
        tell_exception(replay);
    if (replay->status == CAIRN_OK)
        replay->status = cairn_processor_status(&replay->processor);
}

void cairn_replay_break(struct cairn_replay *replay)
{
    cairn_replay_tell(replay);
    replay->breaks = true;
}

/* Behind an exception execution went where nobody saw it. */
void cairn_replay_end_open(struct cairn_replay *replay)
{
    cairn_replay_tell(replay);
    halt(replay);
    replay->loose = 0;
    cairn_replay_settle_cycles(replay);
    if (replay->any && replay->last_isa == CAIRN_ISA_UNKNOWN)
        cairn_processor_prohibit(&replay->processor, true);
}

/* --- blocks --- */

static struct cairn_replay_slot *slot_of(struct cairn_replay_memory *memory, uint64_t address,
                                         enum cairn_isa isa)
{
    const uint64_t hash = ((address >> 1) + (uint64_t)isa) * CAIRN_GOLDEN;

    return &memory->slots[hash >> 32 & (CAIRN_REPLAY_SLOTS - 1)];
}

/* What was executed before it is told first: it may be of other code at the same addresses. */
static void tell_code(struct cairn_replay *replay, uint64_t address, const uint8_t *bytes,
                      size_t size)
{
    if (!replay->options.code)
        return;
    if (replay->wait == CAIRN_REPLAY_EXCEPTION || !replay->open)
        cairn_replay_tell(replay);
    if (replay->status == CAIRN_OK)
        replay->status = replay->options.code(replay->options.context, address, bytes, size);
}

/* The block at `address`, no longer than `limit`. False: there is no memory. */
static bool look_up(struct cairn_replay *replay, uint64_t address, enum cairn_isa isa, size_t limit,
                    struct cairn_block *block)
{
    struct cairn_replay_memory *memory = &replay->memory;
    struct cairn_replay_slot *slot = slot_of(memory, address, isa);
    const uint8_t *bytes;

    if (slot->generation == memory->generation && slot->block.address == address &&
        slot->block.isa == (uint8_t)isa && slot->block.size <= limit) {
        *block = slot->block;
        return true;
    }
    bytes = cairn_replay_bytes(memory, isa, address, limit);
    if (!bytes || !cairn_unit_scan(replay->processor.unit, isa, address, bytes, limit, block))
        return false;
    tell_code(replay, address, bytes, block->size);
    if (block->size < limit || block->kind != CAIRN_INSN_OTHER)
        *slot = (struct cairn_replay_slot){.generation = memory->generation, .block = *block};
    return true;
}

/* Whether the instruction at the end of a block that is not the range's end did what it does: flow went
 * on behind it. */
static bool went_on(const struct cairn_block *block)
{
    return block->kind != CAIRN_INSN_BRANCH_DIRECT && block->kind != CAIRN_INSN_BRANCH_INDIRECT;
}

/* What waits is straight-line code that this continues. */
static bool continues(const struct cairn_replay *replay, const struct cairn_block *block)
{
    return replay->wait == CAIRN_REPLAY_BLOCK && replay->open && !replay->breaks &&
           !replay->has_context && replay->block.isa == block->isa &&
           replay->block.address + replay->block.size == block->address &&
           replay->block.size <= UINT32_MAX - block->size;
}

/* `open`: the range ended, and neither the unit nor the flow knows why. */
static void put(struct cairn_replay *replay, const struct cairn_block *block, bool taken, bool open)
{
    struct cairn_block *waits = &replay->block;

    if (continues(replay, block)) {
        waits->size += block->size;
        waits->count += block->count;
        waits->kind = block->kind;
        waits->flags = block->flags;
        waits->target = block->target;
        waits->target_isa = block->target_isa;
        waits->last_size = block->last_size;
    } else {
        cairn_replay_tell(replay);
        cairn_replay_arrive(replay);
        *waits = *block;
    }
    replay->wait = CAIRN_REPLAY_BLOCK;
    replay->taken = taken;
    replay->open = open;
}

static bool is_end(const struct cairn_block *block)
{
    return block->kind != CAIRN_INSN_OTHER;
}

void cairn_replay_range(struct cairn_replay *replay, uint64_t address, uint64_t end,
                        enum cairn_isa isa, bool known, bool taken)
{
    const uint64_t wrap = isa == CAIRN_ISA_A64 ? UINT64_MAX : UINT32_MAX;
    uint64_t left = (end - address) & wrap;

    if (isa == CAIRN_ISA_A64 && !replay->has_a64) {
        replay->counts.unknown_isa += left / 4;
        cairn_replay_break(replay);
        return;
    }
    while (left > 0 && replay->status == CAIRN_OK) {
        struct cairn_block block;
        const size_t limit = left < UINT32_MAX ? (size_t)left : UINT32_MAX;

        if (!look_up(replay, address, isa, limit, &block)) {
            replay->counts.no_memory += left / (isa == CAIRN_ISA_T32 ? 2 : 4);
            cairn_replay_break(replay);
            return;
        }
        const bool last = block.size == left;
        const bool open = last && !is_end(&block) && !replay->wants_each;

        if (last ? !known && (is_end(&block) || replay->wants_each) : replay->wants_each)
            replay->counts.assumed++;
        put(replay, &block, last ? taken || !known : went_on(&block), open);
        address = (address + block.size) & wrap;
        left -= block.size;
    }
}
