/* SPDX-License-Identifier: BSD-2-Clause */
/* What a core does, cycle by cycle, before any trace unit has seen it: instructions, transfers, branches,
 * and what the outside wants of the trace unit. */
#ifndef CAIRN_TESTS_ETMV2_RUN_H
#define CAIRN_TESTS_ETMV2_RUN_H

#include "code.h"

#define SW_NONE UINT32_MAX

enum {
    SW_TAGS = 4,
    SW_MOST_INSTRUCTIONS = 1 << 14,
    SW_MOST_CYCLES = 1 << 16,
    SW_MOST_ITEMS = 1 << 15,
};

/* An instruction that reached Execute. */
struct sw_insn {
    struct sw_place place;
    const struct sw_slot *slot;
    bool has_passed;
    bool is_data; /* 4.10.2: it passed, and was not cancelled in front of its transfers */
    bool has_aborted;
};

/* What goes over the core's buses in a cycle, or changes. */
enum sw_item_kind {
    SW_TRANSFER,
    SW_MISS,   /* a load of which the value comes later */
    SW_RETURN, /* that value */
    SW_NEW_CONTEXT,
};

struct sw_item {
    enum sw_item_kind kind;
    uint32_t owner;   /* number of its instruction */
    uint32_t address; /* as the instruction asked for it */
    uint32_t value;
    uint32_t miss; /* of a return: the item that missed */
    uint8_t tag;
    bool is_viewed;   /* ViewData */
    bool is_register; /* a CPRT, which ViewData says nothing of (4.11.3) */
    bool is_second;   /* of 64 bits, the first of which is the item before */
};

struct sw_cycle {
    uint32_t phantom;     /* number of a folded branch, or SW_NONE */
    uint32_t instruction; /* number of the instruction of which it is the first cycle, or SW_NONE */
    uint32_t open;        /* at its begin: number of the instruction that has transfers to come */
    uint32_t first_item;
    uint32_t item_count;
    uint32_t context; /* Context ID, behind this cycle */
    struct sw_place target;
    bool has_branch; /* the address of the most recent instruction's branch is known */
    bool is_cancelling;
    bool is_reset;
    bool is_enabled; /* TraceEnable */
    bool is_debug;   /* in debug state */
    bool is_trigger;
};

struct sw_settings {
    unsigned minor; /* of ETMv2: 0 or 1 */
    unsigned pins;
    unsigned depth;
    unsigned sync;       /* Synchronization Frequency Register */
    unsigned data_phase; /* where in it the counter asks for a full data address */
    unsigned context_bytes;
    bool has_addresses;
    bool has_values;
    bool has_registers;    /* MonitorCPRT */
    bool is_branch_output; /* every branch's address */
    bool is_cycle_accurate;
    bool has_high_vectors;
    bool loads_pc_first;      /* from v2.1 */
    bool tells_context_twice; /* 6.4.5: as a Context ID packet and as data */
    bool sizes_alone;         /* SS tells the value's size where no value is traced */
    bool forgets_misses;      /* at an overflow and in debug state (6.4.3) */
};

struct sw_run {
    struct sw_settings settings;
    struct sw_code code;
    struct sw_insn instructions[SW_MOST_INSTRUCTIONS];
    uint32_t instruction_count;
    struct sw_cycle cycles[SW_MOST_CYCLES];
    uint32_t cycle_count;
    struct sw_item items[SW_MOST_ITEMS];
    uint32_t item_count;
    uint32_t first_context;
};

/* Settings at random. */
void sw_settings_draw(struct sw_settings *settings, struct peer_random *random);
/* A program and its execution, of about so many instructions; the last cycles have tracing disabled,
 * so that a FIFO drains. */
void sw_run_draw(struct sw_run *run, const struct sw_settings *settings, uint64_t seed,
                 uint32_t instructions);
/* ETMCR and ETMIDR that say so (3.5.1, 3.5.18). */
uint32_t sw_control(const struct sw_settings *settings);
uint32_t sw_id(const struct sw_settings *settings);

#endif
