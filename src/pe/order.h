/* SPDX-License-Identifier: BSD-2-Clause */
/* In which order a PE's System registers and its trace meet (DDI0608 E1.2.3, part G1). What instructions
 * write, what the trace operations of these instructions read and write, and the memory that trace goes
 * to are ordered by barriers alone: a Context synchronization event (CSE), TSB CSYNC, DSB. Software that
 * leaves one out works on most machines on most days.
 *
 * A *lane* is one legal order. Lane EARLY does all at once; lane LATE as late as it may: a direct write
 * counts for nobody but direct reads until a CSE, a trace operation happens at a TSB CSYNC, what it
 * wrote shows behind the next CSE, memory is written at a DSB; a random lane is between the two. They
 * see the same program. Where the lanes can come to different results there is a finding: which
 * register or memory, which rule, which barrier is missing, and the two places. */
#ifndef CAIRN_PE_ORDER_H
#define CAIRN_PE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/pe.h>

#include "pe/registers.h"

enum cairn_lane_kind { CAIRN_LANE_EARLY, CAIRN_LANE_LATE, CAIRN_LANE_RANDOM };

struct cairn_order_finding {
    const char *rule;   /* "R_VTNCS" */
    uint32_t reg;       /* enum cairn_pe_register; CAIRN_PE_REGISTERS: memory */
    uint32_t missing;   /* CAIRN_PE_MISSES_... */
    uint64_t address;   /* of memory */
    uint64_t place;     /* of the access that may have either result, as cairn_order_at() said */
    uint64_t since;     /* of what it is not ordered with */
    uint64_t values[2]; /* of a register, where they are known: what it may be */
};
typedef void cairn_order_tell(void *context, const struct cairn_order_finding *finding);

struct cairn_access_lane;
/* A trace operation happens in this lane, as it was told: the registers are those it sees, and what
 * it changes there it changes. Memory is written by cairn_lane_store. */
typedef void cairn_lane_operate(void *context, struct cairn_access_lane *lane, unsigned kind,
                                const uint8_t *bytes, size_t size);
/* A lane's memory: it is written when the store is complete. */
typedef void cairn_lane_memory(void *context, struct cairn_access_lane *lane, uint64_t address,
                               const uint8_t *bytes, size_t size);

#define CAIRN_ORDER_WORDS ((CAIRN_PE_REGISTERS + 63) / 64)
struct cairn_register_set {
    uint64_t words[CAIRN_ORDER_WORDS];
};

struct cairn_access_lane {
    enum cairn_lane_kind kind;
    unsigned index;
    uint64_t random;
    struct cairn_pe_registers direct;   /* what a direct read gives */
    struct cairn_pe_registers seen;     /* what instructions and trace operations read indirectly */
    struct cairn_register_set dirty;    /* written directly, and not seen yet */
    struct cairn_register_set fresh;    /* written by a trace operation, and not in `direct` yet */
    struct cairn_register_set settled;  /* and a TSB CSYNC was behind the operation */
    struct cairn_operation *operations; /* that have not happened, oldest first */
    size_t operation_count, operation_room;
    struct cairn_waiting_store *stores; /* that are not complete, oldest first */
    size_t store_count, store_room;
    uint64_t store_bytes;
    uint64_t performing; /* the operation that is, by number */
};

struct cairn_access_order {
    cairn_lane_operate *operate;
    cairn_lane_memory *memory;
    cairn_order_tell *tell; /* NULL: nobody asks */
    void *context;
    cairn_status status; /* CAIRN_E_MEMORY: from here on nothing is late */
    struct cairn_access_lane lanes[3];
    unsigned lane_count;
    uint64_t place;
    uint8_t
        space; /* enum cairn_security: the address space of what is stored; a store that waits keeps it */
    /* Trace operations by number, from 1: the youngest; the youngest in front of a CSE; in front of
     * that and a TSB CSYNC; the same, where the TSB CSYNC was in a Trace Prohibited region; in front of a
     * CSE behind that TSB; in front of a DSB behind the TSB of a prohibited region. */
    uint64_t last, synchronized, drained, drained_prohibited, visible, complete;
    uint64_t last_place;                   /* of operation `last` */
    uint64_t accessed[CAIRN_PE_REGISTERS]; /* the youngest operation that reads or writes it */
    uint64_t written[CAIRN_PE_REGISTERS];  /* the youngest that may write it */
    uint64_t write_place[CAIRN_PE_REGISTERS];
    /* What trace operations read or write of it (R_SXXQJ); all, at first. */
    uint64_t operation_bits[CAIRN_PE_REGISTERS];
    struct cairn_register_set operation_writes; /* that they may write; all, at first */
    struct cairn_software *software; /* stores of software to memory, until DSB and CSE */
    size_t software_count, software_room;
    struct cairn_early_store
        *early; /* what lane EARLY has written and a late one may not have; oldest first */
    size_t early_count, early_room;
};

/* `lanes`: kinds; lane 0 is what the PE does. Begins with the same values in all. */
void cairn_order_begin(struct cairn_access_order *order, const enum cairn_lane_kind *lanes,
                       unsigned lane_count, uint64_t seed, const struct cairn_pe_registers *values);
void cairn_order_end(struct cairn_access_order *order);

/* What is called from here on is at this place of the program. */
static inline void cairn_order_at(struct cairn_access_order *order, uint64_t place)
{
    order->place = place;
}

/* Direct accesses, by MSR and MRS. */
void cairn_order_write(struct cairn_access_order *order, uint32_t reg, uint64_t value);
uint64_t cairn_order_read(struct cairn_access_order *order, uint32_t reg);
/* What a debugger, or a reset, makes of it: in all lanes, at once. */
void cairn_order_set(struct cairn_access_order *order, uint32_t reg, uint64_t value);

/* An instruction, or its trace operation, reads these bits indirectly: they may have been written, and no
 * CSE came. */
void cairn_order_depend(struct cairn_access_order *order, uint32_t reg, uint64_t bits,
                        const char *rule);
/* The instruction, or the trace unit by itself, generates a trace operation that accesses these, and may
 * write those. `kind` is the caller's, `size` may be 0. */
void cairn_order_operation(struct cairn_access_order *order,
                           const struct cairn_register_set *accesses,
                           const struct cairn_register_set *writes, unsigned kind,
                           const uint8_t *bytes, size_t size);
/* Time passes: random lanes do something. To be called once an instruction. */
void cairn_order_step(struct cairn_access_order *order);

void cairn_order_cse(struct cairn_access_order *order);
/* All operations up to here count as of what was executed before the last Context synchronization event. */
void cairn_order_precede(struct cairn_access_order *order);
/* `prohibited`: the PE is in a Trace Prohibited region, or the trace unit is disabled. */
void cairn_order_tsb(struct cairn_access_order *order, bool prohibited);
void cairn_order_dsb(struct cairn_access_order *order);

/* Software reads or writes memory: ordered with the trace that is written there. */
void cairn_order_load(struct cairn_access_order *order, uint64_t address, uint64_t size);
void cairn_order_store(struct cairn_access_order *order, uint64_t address, const uint8_t *bytes,
                       size_t size);

/* Software changes the translation of an address: that trace of before is written by the old one is ordered by
 * TSB CSYNC. `operation` is the youngest that may write there. */
void cairn_order_remap(struct cairn_access_order *order, uint64_t operation, uint64_t address);
/* Software reads `reg`: memory may not have answered what that operation wrote, and abort it later. */
void cairn_order_answer(struct cairn_access_order *order, uint64_t operation, uint32_t reg);
/* What is not complete may be lost from here on. `reg` is what operations write that store to memory, a pointer. */
void cairn_order_lose(struct cairn_access_order *order, uint32_t reg);

/* From an operation: so many bytes go to memory, completed when the lane's order says so. */
void cairn_lane_store(struct cairn_access_order *order, struct cairn_access_lane *lane,
                      uint64_t address, const uint8_t *bytes, size_t size);
/* All that waits in all lanes happens now. */
void cairn_order_settle(struct cairn_access_order *order);

static inline void cairn_set_add(struct cairn_register_set *set, uint32_t reg)
{
    set->words[reg / 64] |= UINT64_C(1) << reg % 64;
}
static inline void cairn_set_remove(struct cairn_register_set *set, uint32_t reg)
{
    set->words[reg / 64] &= ~(UINT64_C(1) << reg % 64);
}
static inline bool cairn_set_has(const struct cairn_register_set *set, uint32_t reg)
{
    return set->words[reg / 64] >> reg % 64 & 1;
}

#endif
