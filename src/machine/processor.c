/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/processor.h"

#include "pe/feed.h"

static const bool never = false;

struct cairn_processor cairn_processor_of_unit(struct cairn_unit *unit)
{
    return (struct cairn_processor){.unit = unit, .attends = &never};
}

struct cairn_processor cairn_processor_of_pe(struct cairn_pe *pe)
{
    return (struct cairn_processor){
        .unit = cairn_pe_unit(pe), .pe = pe, .attends = cairn_pe_attends(pe)};
}

cairn_status cairn_processor_status(const struct cairn_processor *processor)
{
    return processor->pe ? cairn_pe_status(processor->pe) : cairn_unit_status(processor->unit);
}

void cairn_processor_enable(struct cairn_processor *processor)
{
    cairn_unit_enable(processor->unit);
    if (processor->pe)
        cairn_pe_feed_programmed(processor->pe);
}

void cairn_processor_disable(struct cairn_processor *processor)
{
    cairn_unit_disable(processor->unit);
    if (processor->pe)
        cairn_pe_feed_programmed(processor->pe);
}

uint64_t cairn_processor_position(struct cairn_processor *processor)
{
    return cairn_processor_attends(processor) ? cairn_pe_feed_position(processor->pe)
                                              : cairn_unit_position(processor->unit);
}

bool cairn_processor_is_timed(const struct cairn_processor *processor)
{
    return processor->pe && cairn_pe_feed_is_timed(processor->pe);
}

void cairn_processor_exception(struct cairn_processor *processor, unsigned type, uint64_t address,
                               enum cairn_isa isa)
{
    if (processor->pe)
        cairn_pe_feed_exception(processor->pe, type, address, isa);
    else
        cairn_unit_exception(processor->unit, type, address, isa);
}

void cairn_processor_context(struct cairn_processor *processor, const struct cairn_context *context)
{
    if (processor->pe)
        cairn_pe_feed_context(processor->pe, context);
    else
        cairn_unit_context(processor->unit, context);
}

void cairn_processor_prohibit(struct cairn_processor *processor, bool prohibited)
{
    if (processor->pe)
        cairn_pe_feed_prohibit(processor->pe, prohibited);
    else
        cairn_unit_prohibit(processor->unit, prohibited);
}

void cairn_processor_debug_state(struct cairn_processor *processor, bool debug)
{
    if (processor->pe)
        cairn_pe_feed_debug_state(processor->pe, debug);
    else
        cairn_unit_debug_state(processor->unit, debug);
}

void cairn_processor_halt(struct cairn_processor *processor, uint64_t address, enum cairn_isa isa)
{
    if (processor->pe) {
        cairn_pe_feed_halt(processor->pe, address, isa);
        return;
    }
    cairn_unit_exception(processor->unit, CAIRN_EXCEPTION_DEBUG_HALT, address, isa);
    cairn_unit_debug_state(processor->unit, true);
    cairn_unit_debug_state(processor->unit, false);
}

void cairn_processor_event(struct cairn_processor *processor, unsigned number)
{
    if (processor->pe)
        cairn_pe_feed_event(processor->pe, number);
    else
        cairn_unit_event(processor->unit, number);
}

void cairn_processor_transaction_start(struct cairn_processor *processor)
{
    if (processor->pe)
        cairn_pe_transaction_start(processor->pe);
    else
        cairn_unit_transaction_start(processor->unit);
}

void cairn_processor_transaction_commit(struct cairn_processor *processor)
{
    if (processor->pe)
        cairn_pe_transaction_commit(processor->pe);
    else
        cairn_unit_transaction_commit(processor->unit);
}

void cairn_processor_transaction_fail(struct cairn_processor *processor)
{
    if (processor->pe)
        cairn_pe_undo_transaction(processor->pe, 0);
    else
        cairn_unit_transaction_fail(processor->unit);
}

void cairn_processor_end(struct cairn_processor *processor)
{
    if (processor->pe)
        cairn_pe_feed_end(processor->pe);
}
