/* SPDX-License-Identifier: BSD-2-Clause */
/* One processor of a log, and the trace unit that watches it. What became of an instruction shows
 * in the lines behind its own, so the last one listed is always pending; those before it are
 * gathered into a block, which the unit gets when a P0 instruction ends it or something else comes
 * between. */
#ifndef CAIRN_MACHINE_TARMAC_PROCESSOR_H
#define CAIRN_MACHINE_TARMAC_PROCESSOR_H

#include "machine/tarmac/exception.h"

#define CAIRN_TARMAC_SLOTS 8192u

/* An instruction as it was last seen at its address. */
struct cairn_tarmac_slot {
    uint64_t address;
    uint64_t target;
    uint32_t opcode;
    uint32_t flags; /* CAIRN_INSN_... */
    uint8_t isa;
    uint8_t size; /* 0: empty */
    uint8_t kind; /* enum cairn_insn_kind; OTHER if it is not P0 */
    uint8_t target_isa;
};

/* What all processors of a log share. */
struct cairn_tarmac_shared {
    const struct cairn_tarmac_options *options;
    struct cairn_tarmac_result *result;
    uint64_t epoch;      /* of the recorded code */
    bool leaves_a32_out; /* the trace unit has no packets of it */
    uint32_t count;
    struct cairn_tarmac_processor *processors[CAIRN_TARMAC_CPUS];
    struct cairn_tarmac_slot slots[CAIRN_TARMAC_SLOTS];
};

struct cairn_tarmac_processor {
    struct cairn_tarmac_shared *shared;
    const char *name;                     /* of its source; as long as the unit */
    struct cairn_unit *unit;              /* NULL before the first instruction */
    struct cairn_processor around_unit;   /* whom is told: the PE around it, or it alone */
    struct cairn_around *around;          /* NULL: a unit alone */
    struct cairn_recorded_source *source; /* NULL: not recorded */
    uint64_t epoch;                       /* that the source is in */
    struct cairn_context context;         /* that the unit was told */
    bool has_context;
    bool seen_a64;
    struct cairn_tarmac_ids {
        uint32_t context[2]; /* CONTEXTIDR: Secure bank, the other one */
        uint32_t vmid;
    } written, ids; /* as last written; as the unit sees them */

    bool has_pending;
    bool pending_aborted; /* one of its memory accesses was */
    struct cairn_tarmac_record pending;
    struct cairn_tarmac_exception exception; /* cause: NO_CAUSE when there is none; registers
                                                written since the pending instruction in any case */
    uint64_t exception_time;
    struct cairn_block block; /* count 0: none */
    uint64_t block_time;      /* of its last instruction */
    bool is_open;             /* no P0 element came behind the last instruction told */
    uint64_t open_end;        /* the address behind it */
    uint8_t open_isa;

    bool has_time;
    uint8_t time_unit; /* enum cairn_tarmac_unit */
    uint64_t time;     /* that the unit was told */
    uint64_t carry;    /* units of time that are not a whole cycle yet */
};

/* Whether the trace unit has packets for code of that instruction set. */
bool cairn_tarmac_has_trace(const struct cairn_tarmac_shared *shared, enum cairn_isa isa);

/* NULL when there is no memory. */
struct cairn_tarmac_processor *cairn_tarmac_processor_new(struct cairn_tarmac_shared *shared);
void cairn_tarmac_processor_free(struct cairn_tarmac_processor *processor);

/* Before its first instruction: a source of that name, and the unit programmed and enabled. */
cairn_status cairn_tarmac_processor_start(struct cairn_tarmac_processor *processor,
                                          const char *name, struct cairn_error *error);

/* The records of this processor, in order; instructions once it is started. */
void cairn_tarmac_processor_take(struct cairn_tarmac_processor *processor,
                                 const struct cairn_tarmac_record *record);

/* The log has ended: tells what is pending and disables the unit. */
cairn_status cairn_tarmac_processor_finish(struct cairn_tarmac_processor *processor,
                                           struct cairn_error *error);

#endif
