/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ETMv3 looks at, instruction by instruction and transfer by transfer: comparators, context
 * ID comparators, counters, sequencer, start/stop block, events (IHI0014 chapter 2, 3.6), and what
 * they decide: TraceEnable (2.6.4) and ViewData (2.6.5).
 *
 * Everything is evaluated once an instruction and once a transfer, in their order; cycles without
 * either move counters and sequencer alone. Exact matching, fetch-stage comparators, memory map
 * decoders, EmbeddedICE and instrumentation resources are not modelled. */
#ifndef CAIRN_UNIT_ETMV3_RESOURCES_H
#define CAIRN_UNIT_ETMV3_RESOURCES_H

#include "unit/etm/derived.h"
#include "unit/etmv3/registers.h"

#define CAIRN_ETMV3_ADDRESSES 16u
#define CAIRN_ETMV3_RANGES 8u

/* An instruction in execution. */
struct cairn_etmv3_instruction {
    uint32_t address;
    uint8_t size;
    bool passed; /* its condition */
};

/* What stays between two instructions, and what the last one matched. */
struct cairn_etmv3_resources {
    uint16_t instruction_matches; /* single address comparators, a bit each */
    uint8_t instruction_ranges;
    uint16_t data_matches; /* of the transfer in hand */
    uint8_t data_ranges;   /* of the last transfer: they hold until the next one (2.7.6) */
    uint32_t inputs;       /* external inputs 1 to 4 */
    bool prohibited;
    bool held; /* non-invasive debug is disabled (2.14): what moves stands still */
    struct cairn_context context;
    bool start_stop; /* ETMSR[2] */
    bool triggered;  /* ETMSR[3] */
    struct cairn_etm_derived derived;
    bool moves; /* counters or sequencer are programmed to */
};

/* The Programming bit was cleared: counters loaded, sequencer in state 1, start/stop off. */
void cairn_etmv3_resources_reset(struct cairn_etmv3_resources *resources,
                                 const struct cairn_etmv3_registers *registers);

/* An instruction, or a transfer of the last one, comes: comparators, the start/stop block, then
 * counters and sequencer. */
void cairn_etmv3_see_instruction(struct cairn_etmv3_resources *resources,
                                 const struct cairn_etmv3_registers *registers,
                                 const struct cairn_etmv3_instruction *instruction);
void cairn_etmv3_see_transfer(struct cairn_etmv3_resources *resources,
                              const struct cairn_etmv3_registers *registers,
                              const struct cairn_unit_transfer *transfer);
/* Cycles pass with neither. */
void cairn_etmv3_see_cycles(struct cairn_etmv3_resources *resources,
                            const struct cairn_etmv3_registers *registers, uint64_t cycles);

bool cairn_etmv3_event(const struct cairn_etmv3_resources *resources,
                       const struct cairn_etmv3_registers *registers, uint32_t event);
/* Of the instruction seen last. */
/* The terms of TraceEnable that are low: CAIRN_UNIT_WHY_... */
uint32_t cairn_etmv3_low_terms(const struct cairn_etmv3_resources *resources,
                               const struct cairn_etmv3_registers *registers);
bool cairn_etmv3_trace_enable(const struct cairn_etmv3_resources *resources,
                              const struct cairn_etmv3_registers *registers);
/* Of the transfer seen last. */
bool cairn_etmv3_view_data(const struct cairn_etmv3_resources *resources,
                           const struct cairn_etmv3_registers *registers);

#endif
