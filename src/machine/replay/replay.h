/* SPDX-License-Identifier: BSD-2-Clause */
/* A flow on its way into a trace unit:
 *   replay.c    making and ending, and what was counted
 *   records.c   flow records -> what the processor did
 *   blocks.c    ranges of instructions -> blocks, as the unit wants them
 *   memory.c    the bytes of instructions, and what of them is known already
 *   clock.c     cycles and time
 * What ends a block is told when the next record is known: what stands behind it, cycles and a timestamp,
 * is of the time before. */
#ifndef CAIRN_MACHINE_REPLAY_REPLAY_H
#define CAIRN_MACHINE_REPLAY_REPLAY_H

#include <cairn/replay.h>

#include "machine/processor.h"
#include "protocol/about.h"

#define CAIRN_REPLAY_SLOTS 16384u

/* What waits for its time. */
enum cairn_replay_wait {
    CAIRN_REPLAY_NOTHING,
    CAIRN_REPLAY_BLOCK,
    CAIRN_REPLAY_EXCEPTION,
};

/* A block as it was scanned: ended by something the unit wants to know of. */
struct cairn_replay_slot {
    uint64_t generation; /* of the memory; 0: empty */
    struct cairn_block block;
};

struct cairn_replay_memory {
    struct cairn_space *space;
    bool selected;
    uint64_t from, until; /* offsets of the source for which what is selected holds */
    uint64_t generation;  /* another selection, another number */
    struct cairn_window window;
    uint8_t *bytes; /* of what is in no window as it stands */
    size_t capacity;
    struct cairn_replay_slot slots[CAIRN_REPLAY_SLOTS];
};

struct cairn_replay_clock {
    bool cycles_told, time_told; /* by the flow; else by instructions */
    bool wanted;                 /* the unit looks at cycles or time */
    uint64_t cycles;             /* since the beginning, told */
    uint32_t owed;               /* and this many more, which are told before anything else is */
    uint64_t instructions;       /* told since the flow told cycles */
};

struct cairn_replay {
    struct cairn_config *config;
    struct cairn_processor processor;
    const struct cairn_about *about; /* of the unit's protocol */
    struct cairn_replay_options options;
    bool
        tells_each; /* the flow does: whether each passed its condition, its cycles in front of it */
    bool wants_each; /* the unit: whether each instruction passed its condition */
    bool has_a64;    /* its core has */
    cairn_status status;

    struct cairn_context context;
    bool has_context; /* the unit was not told of it yet */
    bool any;         /* something was told since the unit was enabled */
    bool breaks;      /* what is told next does not follow from what was told last */
    uint8_t wait;     /* enum cairn_replay_wait */
    struct cairn_block block;
    bool taken;
    bool open;        /* nothing ends the block: it may go on */
    unsigned type;    /* of the exception */
    uint64_t address; /* and its preferred return address */
    uint8_t address_isa;
    bool in_transaction;
    uint8_t last_isa; /* of the block told last; UNKNOWN: none was, or an exception behind it */
    uint64_t end;     /* behind it */
    uint32_t loose;   /* instructions told that nothing has ended */

    struct cairn_replay_memory memory;
    struct cairn_replay_clock clock;
    struct cairn_replay_counts counts;
};

/* --- blocks.c --- */

/* A range was executed; `known`: whether its last instruction has the outcome `taken`. */
void cairn_replay_range(struct cairn_replay *replay, uint64_t address, uint64_t end,
                        enum cairn_isa isa, bool known, bool taken);
/* Tells the unit what waits. */
void cairn_replay_tell(struct cairn_replay *replay);
/* Before something waits: where it is, and in which context. */
void cairn_replay_arrive(struct cairn_replay *replay);
/* Execution goes on unseen behind what was told. */
void cairn_replay_break(struct cairn_replay *replay);
/* There is nothing more: what waits is told, and a halt if nothing ends it. */
void cairn_replay_end_open(struct cairn_replay *replay);

/* --- memory.c --- */

cairn_status cairn_replay_memory_open(struct cairn_replay_memory *memory,
                                      struct cairn_image *image);
void cairn_replay_memory_close(struct cairn_replay_memory *memory);
/* What is executed from here on is of this context, and of the packet at `offset`. */
cairn_status cairn_replay_select(struct cairn_replay *replay, uint64_t offset);
/* `size` bytes in the order of fetch, valid until the next call; NULL: some of them are not there, or
 * there is no memory for them. */
const uint8_t *cairn_replay_bytes(struct cairn_replay_memory *memory, enum cairn_isa isa,
                                  uint64_t address, size_t size);

/* --- clock.c --- */

void cairn_replay_clock_start(struct cairn_replay *replay);
/* The flow tells so many cycles, some number of them, or a time. */
void cairn_replay_cycles(struct cairn_replay *replay, uint64_t cycles);
void cairn_replay_some_cycles(struct cairn_replay *replay);
void cairn_replay_time(struct cairn_replay *replay, uint64_t time);
/* Around a block of so many instructions that is told: the cycle of the last one comes behind it, as where
 * a program runs without a clock (machine/qemu/execute.c), with the next block or before anything else. */
void cairn_replay_begin_block(struct cairn_replay *replay, uint32_t instructions);
void cairn_replay_end_block(struct cairn_replay *replay);
/* To be called before the unit is told anything but a block. */
void cairn_replay_settle_cycles(struct cairn_replay *replay);

#endif
