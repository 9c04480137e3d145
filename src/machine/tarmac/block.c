/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/tarmac/block.h"

#include <string.h>

#include "base/bytes.h"
#include "base/golden.h"
#include "protocol/about.h"

/* Straight-line code longer than this goes to the unit in pieces. */
#define MOST_INSTRUCTIONS 1024u

static struct cairn_tarmac_slot *slot_of(struct cairn_tarmac_shared *shared, uint64_t address)
{
    const uint64_t hash = (address >> 1) * CAIRN_GOLDEN;

    return &shared->slots[hash >> 32 & (CAIRN_TARMAC_SLOTS - 1)];
}

/* In the order of fetch; the first halfword of a wide T32 instruction is the upper one. */
static void bytes_of(const struct cairn_tarmac_record *record, uint8_t bytes[4])
{
    uint32_t word = record->opcode;

    if (record->isa == CAIRN_ISA_T32 && record->size == 4)
        word = word >> 16 | word << 16;
    cairn_store_le32(bytes, word);
}

static void forget(struct cairn_tarmac_shared *shared, uint64_t address)
{
    struct cairn_tarmac_slot *slot = slot_of(shared, address);

    if (slot->address == address)
        slot->size = 0;
}

/* The code is new: it goes to the recording. When it replaces other bytes a new epoch begins, and
 * what was executed before it belongs to the old one, whoever did. */
static void record_code(struct cairn_tarmac_shared *shared, uint64_t address, const uint8_t *bytes,
                        size_t size)
{
    if (!shared->options->recording)
        return;
    const uint64_t epoch = cairn_recording_code(shared->options->recording, address, bytes, size);
    if (epoch == shared->epoch)
        return;
    for (uint32_t i = 0; i < shared->count; i++) {
        if (shared->processors[i])
            cairn_tarmac_flush(shared->processors[i]);
    }
    shared->epoch = epoch;
}

const struct cairn_tarmac_slot *cairn_tarmac_look(struct cairn_tarmac_processor *processor,
                                                  const struct cairn_tarmac_record *record)
{
    struct cairn_tarmac_shared *shared = processor->shared;
    struct cairn_tarmac_slot *slot = slot_of(shared, record->address);
    struct cairn_block block;
    uint8_t bytes[4];

    if (slot->address == record->address && slot->opcode == record->opcode &&
        slot->isa == record->isa && slot->size == record->size)
        return slot;
    bytes_of(record, bytes);
    record_code(shared, record->address, bytes, record->size);
    forget(shared, record->address - 2);
    forget(shared, record->address + 2);
    *slot = (struct cairn_tarmac_slot){.address = record->address,
                                       .opcode = record->opcode,
                                       .isa = record->isa,
                                       .size = record->size};
    /* The log says how long the instruction is. An architecture that would read it otherwise makes
     * it none that decides anything. */
    memset(&block, 0, sizeof block);
    if (cairn_unit_scan(processor->unit, record->isa, record->address, bytes, record->size,
                        &block) == record->size &&
        block.count == 1) {
        slot->kind = block.kind;
        slot->flags = block.flags;
        slot->target = block.target;
        slot->target_isa = block.target_isa;
    }
    return slot;
}

bool cairn_tarmac_leads(const struct cairn_tarmac_slot *slot, bool passed, uint64_t *next)
{
    *next = slot->address + slot->size;
    if (!passed || slot->kind == CAIRN_INSN_OTHER)
        return true;
    if (slot->kind == CAIRN_INSN_BRANCH_INDIRECT)
        return false;
    if (slot->kind == CAIRN_INSN_BRANCH_DIRECT)
        *next = slot->target;
    return true;
}

bool cairn_tarmac_may_lead(const struct cairn_tarmac_slot *slot, bool passed, uint64_t next)
{
    const bool always = slot->flags & CAIRN_INSN_NEVER_N;
    uint64_t leads;

    if (!cairn_tarmac_leads(slot, passed || always, &leads))
        return true;
    /* A branch that is not taken may be listed as passed. */
    return next == leads || (!always && next == slot->address + slot->size);
}

/* The Fast Models list conditional branches that are not taken as failed (IS) or, those that
 * compare or test a register, as passed; gem5 lists all of A64's as passed. Where execution went on
 * decides. */
static bool was_taken(const struct cairn_tarmac_slot *slot, bool passed, const uint64_t *next)
{
    const uint64_t behind = slot->address + slot->size;

    if (slot->flags & CAIRN_INSN_NEVER_N)
        return true;
    if (!passed)
        return false;
    return slot->kind != CAIRN_INSN_BRANCH_DIRECT || !next || *next != behind ||
           slot->target == behind;
}

/* Whole cycles in so many units of the log's time, with what was left over before. */
static uint64_t cycles_in(struct cairn_tarmac_processor *processor, uint64_t units)
{
    const uint8_t unit = processor->time_unit;
    uint64_t factor = 1, divisor = processor->shared->options->time_per_cycle;

    if (!divisor) {
        divisor = unit == CAIRN_TARMAC_FS ? 1000000 : unit == CAIRN_TARMAC_PS ? 1000 : 1;
        factor = unit == CAIRN_TARMAC_US ? 1000 : 1;
    }
    units = units > (UINT64_MAX >> 12) ? UINT64_MAX >> 12 : units;
    units = units * factor + processor->carry;
    processor->carry = units % divisor;
    return units / divisor;
}

void cairn_tarmac_clock(struct cairn_tarmac_processor *processor, uint64_t time)
{
    if (processor->time_unit == CAIRN_TARMAC_NO_TIME ||
        (processor->has_time && time == processor->time))
        return;
    /* A log that was begun anew in the middle goes back in time: its clock does not. */
    if (processor->has_time && time > processor->time)
        cairn_processor_cycles(&processor->around_unit,
                               cycles_in(processor, time - processor->time));
    processor->has_time = true;
    processor->time = time;
    cairn_processor_time(&processor->around_unit, time);
}

static void tell(struct cairn_tarmac_processor *processor, bool taken)
{
    struct cairn_tarmac_shared *shared = processor->shared;
    struct cairn_block *block = &processor->block;

    if (processor->source && processor->epoch != shared->epoch) {
        /* Failing is remembered by the recording, which stops. */
        (void)cairn_recorded_source_epoch(processor->source, shared->epoch,
                                          cairn_processor_position(&processor->around_unit));
        processor->epoch = shared->epoch;
    }
    cairn_tarmac_clock(processor, processor->block_time);
    cairn_processor_execute(&processor->around_unit, block, taken);
    shared->result->instructions += block->count;
    if (shared->leaves_a32_out && block->isa == CAIRN_ISA_A32)
        shared->result->unseen += block->count;
    processor->is_open = block->kind == CAIRN_INSN_OTHER;
    processor->open_end = block->address + block->size;
    processor->open_isa = block->isa;
    block->count = 0;
}

void cairn_tarmac_flush(struct cairn_tarmac_processor *processor)
{
    if (processor->block.count)
        tell(processor, false);
}

void cairn_tarmac_break(struct cairn_tarmac_processor *processor)
{
    cairn_tarmac_flush(processor);
    if (processor->is_open && processor->shared->options->pe) {
        processor->is_open = false;
        cairn_processor_prohibit(&processor->around_unit, true);
        cairn_processor_prohibit(&processor->around_unit, false);
    }
    if (!processor->is_open || (processor->shared->options->choices & CAIRN_TARMAC_NO_HALTS))
        return;
    processor->is_open = false;
    cairn_processor_halt(&processor->around_unit, processor->open_end,
                         (enum cairn_isa)processor->open_isa);
    processor->shared->result->halts++;
}

void cairn_tarmac_executed(struct cairn_tarmac_processor *processor,
                           const struct cairn_tarmac_record *record, const uint64_t *next)
{
    struct cairn_block *block = &processor->block;
    const struct cairn_tarmac_slot *slot = cairn_tarmac_look(processor, record);

    if (block->count && (block->address + block->size != slot->address || block->isa != slot->isa ||
                         block->count == MOST_INSTRUCTIONS))
        cairn_tarmac_flush(processor);
    if (!block->count)
        *block = (struct cairn_block){.address = slot->address, .isa = slot->isa};
    block->count++;
    block->size += slot->size;
    block->last_size = slot->size;
    processor->block_time = record->time;
    if (slot->kind == CAIRN_INSN_OTHER) {
        if (cairn_about(processor->shared->options->unit->protocol)->record &
            CAIRN_RECORD_EVERY_INSTRUCTION)
            tell(processor, record->passed);
        return;
    }
    block->kind = slot->kind;
    block->flags = slot->flags;
    block->target = slot->target;
    block->target_isa = slot->target_isa;
    tell(processor, was_taken(slot, record->passed, next));
}
