/* SPDX-License-Identifier: BSD-2-Clause */
/* Whom a feed tells: a trace unit alone, or the PE around one. The calls are those of <cairn/unit.h>, and a
 * unit alone gets just these. A PE gets what it makes of them (pe/feed.h); while it does not listen, blocks,
 * cycles and data go straight to the unit, for the price of one branch that is well predicted. */
#ifndef CAIRN_MACHINE_PROCESSOR_H
#define CAIRN_MACHINE_PROCESSOR_H

#include <cairn/unit.h>

#include "pe/pe.h"

struct cairn_processor {
    struct cairn_unit *unit; /* the PE's, if there is one */
    struct cairn_pe *pe;     /* NULL: a unit alone */
    const bool *attends;     /* the PE wants to know of every block now */
};

/* Both stay the caller's. */
struct cairn_processor cairn_processor_of_unit(struct cairn_unit *unit);
/* A PE with a trace unit: its cairn_unit_needs, _scan, _read and the like may be called, nothing that
 * makes it write. */
struct cairn_processor cairn_processor_of_pe(struct cairn_pe *pe);
/* The PE's status, or the unit's. */
cairn_status cairn_processor_status(const struct cairn_processor *processor);

/* TRCPRGCTLR.EN. */
void cairn_processor_enable(struct cairn_processor *processor);
void cairn_processor_disable(struct cairn_processor *processor);
uint64_t cairn_processor_position(struct cairn_processor *processor);

/* Somebody wants to be told cycles and time, whatever the unit looks at: the PE's counters and records. */
bool cairn_processor_is_timed(const struct cairn_processor *processor);

void cairn_processor_exception(struct cairn_processor *processor, unsigned type, uint64_t address,
                               enum cairn_isa isa);
void cairn_processor_context(struct cairn_processor *processor,
                             const struct cairn_context *context);
/* What is executed is not seen by the feed from here on, or is again. Directly behind an exception: by a
 * return, which need not be told. */
void cairn_processor_prohibit(struct cairn_processor *processor, bool prohibited);
void cairn_processor_debug_state(struct cairn_processor *processor, bool debug);
/* A unit that leaves instructions out which nothing ends is told a Debug halt behind them, of which a PE
 * does not get to know. */
void cairn_processor_halt(struct cairn_processor *processor, uint64_t address, enum cairn_isa isa);
void cairn_processor_event(struct cairn_processor *processor, unsigned number);
void cairn_processor_transaction_start(struct cairn_processor *processor);
void cairn_processor_transaction_commit(struct cairn_processor *processor);
void cairn_processor_transaction_fail(struct cairn_processor *processor);
/* Nothing more will be told: the exception or the branch told last, if there is nothing behind it, led to where
 * nothing is seen. */
void cairn_processor_end(struct cairn_processor *processor);

static inline bool cairn_processor_attends(const struct cairn_processor *processor)
{
    return __builtin_expect(*processor->attends, 0);
}

static inline void cairn_processor_execute(struct cairn_processor *processor,
                                           const struct cairn_block *block, bool taken)
{
    if (cairn_processor_attends(processor))
        cairn_pe_feed_block(processor->pe, block, taken);
    else
        cairn_unit_execute(processor->unit, block, taken);
}

static inline void cairn_processor_cycles(struct cairn_processor *processor, uint64_t cycles)
{
    if (cairn_processor_attends(processor))
        cairn_pe_cycles(processor->pe, cycles);
    else
        cairn_unit_cycles(processor->unit, cycles);
}

static inline void cairn_processor_time(struct cairn_processor *processor, uint64_t time)
{
    if (cairn_processor_attends(processor))
        cairn_pe_time(processor->pe, time);
    else
        cairn_unit_time(processor->unit, time);
}

/* Only of interest to a unit that traces data, which no PE has. */
static inline void cairn_processor_data(struct cairn_processor *processor,
                                        const struct cairn_unit_transfer *transfer)
{
    cairn_unit_data(processor->unit, transfer);
}

#endif
