/* SPDX-License-Identifier: BSD-2-Clause */
/* The Trace Buffer Unit (DDI0608 part E): trace bytes of a trace unit into memory, by TRB*_EL1.
 *
 * Its registers stand in a struct cairn_pe_registers of the owner and are read and written there, when bytes
 * come and events occur; TRBLIMITR_EL1.E, the filters and the owner are looked at each time. What lies
 * outside is reached by callbacks, none of which may call back into this unit or into the trace unit. A
 * trace unit flush that a Trigger Event begins is therefore a request: the owner sees flush_wanted (or is
 * told by `flush`), has the trace unit write out, and says cairn_pe_trbe_flushed.
 *
 * trbe_byte.c is the loop of R_PLYXP, one byte a turn, to be read beside the text. trbe_block.c does as many
 * bytes at once as nothing can happen to, and has the same results. */
#ifndef CAIRN_PE_TRBE_H
#define CAIRN_PE_TRBE_H

#include <stddef.h>

#include <cairn/unit.h>

#include "pe/prohibit.h"

#define CAIRN_PE_TRBE_UNIT_MOST 2048u  /* TRBIDR_EL1.Align is at most 11; R_BWNRF */
#define CAIRN_PE_TRBE_PAGE_LEAST 4096u /* the smallest granule: no write crosses a boundary of it */
#define CAIRN_PE_TRBE_EVENT_WRAP 0x400cu /* TRB_WRAP, by its PMU number */
#define CAIRN_PE_TRBE_EVENT_TRIG 0x400eu /* TRB_TRIG */

/* TRBSR_EL1.EC and .BSC */
enum {
    CAIRN_PE_TRBE_EC_OTHER = 0x00,
    CAIRN_PE_TRBE_EC_IMPLEMENTATION = 0x1f,
    CAIRN_PE_TRBE_EC_STAGE1 = 0x24,
    CAIRN_PE_TRBE_EC_STAGE2 = 0x25,
    CAIRN_PE_TRBE_BSC_FILLED = 1,
    CAIRN_PE_TRBE_BSC_TRIGGER = 2,
    CAIRN_PE_TRBE_FSC_ALIGNMENT = 0x21, /* as in Data Aborts */
};

/* --- outside --- */

/* A write of trace bytes. It is a privileged one of `regime`, whatever PSTATE.PAN and TCR_ELx.E0PD say, never
 * hits a watchpoint (R_FYBCG), and is Unchecked (R_YGMLW). */
struct cairn_pe_trbe_write {
    uint64_t address; /* of bytes[0]: as TRBPTR_EL1 has it */
    const uint8_t *bytes;
    size_t size; /* at least 1, and in one page of 4KB */
    /* The address is no virtual one: intermediate physical if regime.stage2, else physical. TRBMAR_EL1 gives
     * the attributes. */
    bool nVM;
    uint8_t SH, Attr; /* of TRBMAR_EL1 */
    /* Exclusive monitors and transactions notice it as a store of another observer, if it is to an address of
     * theirs; else not at all (R_NWSKV, R_FVRXJ). */
    bool observed;
    struct cairn_pe_owner regime;
};

/* Why the byte behind the ones that were written was not. Both at once are reported by R_MCKCHT. Stage 0:
 * there is none. */
struct cairn_pe_trbe_answer {
    struct {
        uint8_t stage; /* 1, 2 */
        uint8_t FSC;
    } fault,   /* an Alignment fault or MMU fault */
        abort; /* an External abort, on the write, a walk or an update of a table */
};

/* Returns how many bytes are in memory, from the first on; if fewer than `size`, *answer (which is zero before
 * the call) says why. Each byte is told once, but what is behind such a byte. */
typedef size_t cairn_pe_trbe_store(void *context, const struct cairn_pe_trbe_write *write,
                                   struct cairn_pe_trbe_answer *answer);

enum cairn_pe_trbe_finding {
    CAIRN_PE_TRBE_OUT_OF_RANGE,       /* the pointer, when it was to be written to: R_MSPSD */
    CAIRN_PE_TRBE_MISALIGNED_POINTER, /* R_XXZHM, and no restart value */
    CAIRN_PE_TRBE_MISALIGNED_TRIGGER,
    CAIRN_PE_TRBE_FAULT_VALUE,     /* Running from a pointer that an abort left: I_VRFQC */
    CAIRN_PE_TRBE_RESERVED_MODE,   /* TRBLIMITR_EL1.FM or .TM is 0b10 */
    CAIRN_PE_TRBE_WRITE_WHILE_ON,  /* of a register while TRBLIMITR_EL1.E is 1: R_DJMD */
    CAIRN_PE_TRBE_STATES_DISAGREE, /* R_RRCNN */
    CAIRN_PE_TRBE_BYTES_CUT, /* accepted, and not written when the unit was disabled: I_TRWF */
};

struct cairn_pe_trbe_outside {
    cairn_pe_trbe_store *store;
    void (*line)(void *context, bool level); /* TRBIRQ; NULL: not connected. So are the others */
    void (*event)(void *context, unsigned number);
    void (*flush)(void *context);
    void (*system_error)(void *context, uint64_t address, uint8_t FSC);
    /* Each kind once an enabling. */
    void (*finding)(void *context, enum cairn_pe_trbe_finding finding);
    /* The other sink, as cairn_unit_port: gets what comes while the unit is Disabled. NULL: it is lost. */
    size_t (*bus)(void *context, const uint8_t *bytes, size_t size, uint64_t cycles);
    void *context;
};

/* --- what an implementation is --- */

/* What becomes of an External abort (R_GQWBF, R_NZTKV). */
enum cairn_pe_trbe_aborts {
    CAIRN_PE_TRBE_ABORTS_SYNCHRONOUS,
    CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS,
    CAIRN_PE_TRBE_ABORTS_SYSTEM_ERROR,
};

/* A write by an out-of-range pointer, or by a misaligned one that is no restart value (R_MGZWR). */
enum cairn_pe_trbe_astray {
    CAIRN_PE_TRBE_ASTRAY_WRITES,       /* where the pointer points to */
    CAIRN_PE_TRBE_ASTRAY_WRAPS_BEFORE, /* out of range: wrapped first. Misaligned: as WRITES */
    CAIRN_PE_TRBE_ASTRAY_WRAPS_AFTER, /* out of range: writes, then is wrapped. Misaligned: as WRITES */
    CAIRN_PE_TRBE_ASTRAY_FAULTS,      /* misaligned: an Alignment fault. Out of range: as WRITES */
    CAIRN_PE_TRBE_ASTRAY_EVENT,       /* a management event, of which `unknown` gives the bits */
};

/* A Trigger Counter that was written misaligned: the Trigger Event comes (R_CPDMM) */
enum cairn_pe_trbe_misaligned_trigger {
    CAIRN_PE_TRBE_TRIGGER_COUNTS,    /* as if it were aligned */
    CAIRN_PE_TRBE_TRIGGER_NEVER,     /* not at all */
    CAIRN_PE_TRBE_TRIGGER_WITH_UNIT, /* with the last whole unit that is counted */
};

/* Direct writes while TRBLIMITR_EL1.E is 1 are ignored, but for one that changes it (R_DJMD). */
#define CAIRN_PE_TRBE_IGNORES_WRITES (1u << 0)
/* A byte whose write faults or aborts counts for the Trigger Counter (R_BQTGW). */
#define CAIRN_PE_TRBE_FAULTS_COUNT (1u << 1)
/* Bytes are collected into aligned units of 2^Align before they are written (I_QQKZF). */
#define CAIRN_PE_TRBE_COLLECTS (1u << 2)
/* The low Align bits of TRBPTR_EL1 and TRBTRG_EL1 ignore direct writes of what is no restart or fault value
 * (I_YSXXN), else keep them. */
#define CAIRN_PE_TRBE_LOW_BITS_FIXED (1u << 3)
/* What was collected when the unit becomes Disabled is written first, else lost (I_TRWF). */
#define CAIRN_PE_TRBE_DISABLING_WRITES (1u << 4)
/* Monitors and transactions notice the writes: see struct cairn_pe_trbe_write. */
#define CAIRN_PE_TRBE_OBSERVED (1u << 5)
/* Each byte by the loop of R_PLYXP. */
#define CAIRN_PE_TRBE_BY_BYTE (1u << 6)

struct cairn_pe_trbe_options {
    uint32_t choices; /* CAIRN_PE_TRBE_... */
    uint8_t align;    /* TRBIDR_EL1.Align, 0 to 11 */
    bool F;           /* TRBIDR_EL1.F */
    uint8_t aborts;   /* enum cairn_pe_trbe_aborts */
    /* Asynchronous: bytes that are still written before it is reported. */
    uint32_t abort_delay;
    uint8_t astray; /* enum cairn_pe_trbe_astray */
    /* ASTRAY_EVENT: EC, MSS, and S and WRAP if it sets them, as in TRBSR_EL1. */
    uint64_t unknown;
    uint8_t misaligned_trigger; /* enum cairn_pe_trbe_misaligned_trigger */
    /* Of the Trigger Counter at a Detected Trigger, at most 2^Align (R_QFGNQ). */
    uint32_t over_decrement;
    uint8_t reserved_FM, reserved_TM; /* what 0b10 behaves as: 0, 1, 3 */
    uint16_t granule;                 /* most bytes of a write, 1 to 2,048; 0: 2,048 */
    uint32_t rate;  /* bytes every 16 cycles that leave for memory; 0: any number */
    uint32_t depth; /* bytes that may wait for that, at least 1; else rejected */
};

/* --- the unit --- */

enum cairn_pe_trbe_state {
    CAIRN_PE_TRBE_DISABLED,
    CAIRN_PE_TRBE_RUNNING,
    CAIRN_PE_TRBE_STOPPED, /* Enabled, and collection is stopped */
};

/* Of bytes that were offered. accepted = written + lost + what is collected. */
struct cairn_pe_trbe_counts {
    uint64_t accepted, rejected, discarded, passed_on; /* passed_on: to the other sink */
    uint64_t written, lost;
    uint64_t wraps, triggers; /* the two events */
};

#define CAIRN_PE_TRBE_LEFT 16u

struct cairn_pe_trbe {
    struct cairn_pe_trbe_options options;
    struct cairn_pe_trbe_outside outside;
    const struct cairn_pe_features *features;
    const struct cairn_pe_state *state;
    const struct cairn_pe_authentication *authentication;
    struct cairn_pe_registers *registers; /* the owner may put another one here between two calls */
    uint32_t prohibit_choices;            /* of cairn_pe_view */
    struct cairn_pe_trbe_counts counts;

    bool flush_wanted; /* a Trigger Event asked for a trace unit flush */
    bool stop_wanted;  /* when it is complete collection stops */
    bool level;        /* of TRBIRQ, as it was told */
    bool was_enabled;
    uint32_t told; /* findings, a bit each */

    struct {
        bool is_pending;
        uint8_t stage, FSC;
        uint32_t bytes_left;
    } abort;              /* an asynchronous one, on its way */
    bool had_abort;       /* since the pointer was written: it is a fault value */
    bool strays;          /* the pointer was written misaligned, and is no restart value */
    uint32_t trigger_low; /* likewise of the Trigger Counter: its low bits then, else 0 */

    uint8_t held[CAIRN_PE_TRBE_UNIT_MOST];
    size_t held_size;
    uint64_t waiting; /* sixteenths of bytes that `rate` has still to take */

    /* Misaligned values that a direct read has seen: what may be written back. */
    struct {
        uint64_t value;
        bool is_fault;
    } left[2][CAIRN_PE_TRBE_LEFT]; /* of TRBPTR_EL1, of TRBTRG_EL1 */
    unsigned left_next[2];
};

/* Out of reset: Disabled. The pointers stay the owner's. CAIRN_E_ARGUMENT: an option that cannot be. */
CAIRN_MUST_CHECK cairn_status cairn_pe_trbe_begin(
    struct cairn_pe_trbe *trbe, const struct cairn_pe_trbe_options *options,
    const struct cairn_pe_trbe_outside *outside, const struct cairn_pe_features *features,
    const struct cairn_pe_state *state, const struct cairn_pe_authentication *authentication,
    struct cairn_pe_registers *registers);
/* TRBLIMITR_EL1.E becomes 0, and TRBSR_EL1 with it (the text gives no reset values; TRBIRQ is low); the fields
 * of the other registers take the bits of `unknown`. What was collected or pending is gone. */
void cairn_pe_trbe_reset(struct cairn_pe_trbe *trbe, uint64_t unknown);

struct cairn_pe_view cairn_pe_trbe_view(const struct cairn_pe_trbe *trbe);
enum cairn_pe_trbe_state cairn_pe_trbe_state(const struct cairn_pe_trbe *trbe);

/* Trace bytes. Returns how many are gone, from the first on: accepted, discarded, or passed on; the others
 * are rejected, and to be offered again. `cycles` have passed since the last call. It is a cairn_unit_port,
 * whose context is the struct cairn_pe_trbe. */
size_t cairn_pe_trbe_port(void *trbe, const uint8_t *bytes, size_t size, uint64_t cycles);
/* ETEEvent 0 is the Detected Trigger: a cairn_unit_outputs (I_YRQCN). */
void cairn_pe_trbe_outputs(void *trbe, uint64_t clock, uint32_t events);

void cairn_pe_trbe_detected_trigger(struct cairn_pe_trbe *trbe);
/* The trace unit flush that was wanted is complete: all its bytes were offered and are gone. */
void cairn_pe_trbe_flushed(struct cairn_pe_trbe *trbe);
/* An IMPLEMENTATION DEFINED management event (R_CHNSL). */
void cairn_pe_trbe_event(struct cairn_pe_trbe *trbe, uint16_t MSS);

/* Writes what was accepted, as a Trace Synchronization event needs it: no trace operation has then anything
 * left to do but what an External abort will say. */
void cairn_pe_trbe_drain(struct cairn_pe_trbe *trbe);
/* Besides: memory has answered, as a DSB behind it waits for (R_NSFRQ): a pending abort is reported. */
void cairn_pe_trbe_complete(struct cairn_pe_trbe *trbe);
/* With the trace unit whose port this one is, and that may be called: a Trace Synchronization event, which has
 * it write out, writes that, and completes the flush of a Trigger Event. The owner has seen to it that the unit
 * generates nothing more meanwhile. It comes to an end whatever the other sink takes (I_ZKRZH); false: that
 * one did not take all. */
bool cairn_pe_trbe_synchronize(struct cairn_pe_trbe *trbe, struct cairn_unit *unit);
/* Nothing is collected, and no flush wanted. */
bool cairn_pe_trbe_is_finished(const struct cairn_pe_trbe *trbe);

/* A direct write, with what follows from it, or a direct read. False: the write was ignored, or no register of
 * this unit. Reserved bits are 0. */
bool cairn_pe_trbe_write(struct cairn_pe_trbe *trbe, enum cairn_pe_register number, uint64_t value);
uint64_t cairn_pe_trbe_read(struct cairn_pe_trbe *trbe, enum cairn_pe_register number);
/* After the owner has changed `registers` by itself: TRBIRQ follows, and Enabled is noticed. */
void cairn_pe_trbe_update(struct cairn_pe_trbe *trbe);

/* R_MSPSD, of a pointer between TRBBASER_EL1 and TRBLIMITR_EL1. */
bool cairn_pe_trbe_in_range(const struct cairn_pe_trbe *trbe, uint64_t pointer);

/* --- between the files of this unit --- */

static inline uint64_t *cairn_pe_trbe_at(struct cairn_pe_trbe *trbe, enum cairn_pe_register number)
{
    return &trbe->registers->value[number];
}

static inline uint64_t cairn_pe_trbe_base(const struct cairn_pe_trbe *trbe)
{
    return trbe->registers->value[CAIRN_PE_TRBBASER_EL1] & CAIRN_MASK(TRBBASER_BASE);
}

static inline uint64_t cairn_pe_trbe_limit(const struct cairn_pe_trbe *trbe)
{
    return trbe->registers->value[CAIRN_PE_TRBLIMITR_EL1] & CAIRN_MASK(TRBLIMITR_LIMIT);
}

static inline bool cairn_pe_trbe_is_stopped(const struct cairn_pe_trbe *trbe)
{
    return CAIRN_GETS(trbe->registers, TRBSR_EL1, TRBSR_S);
}

/* How many written bytes are still to be counted: 0 without a Detected Trigger. */
static inline uint64_t cairn_pe_trbe_counting(const struct cairn_pe_trbe *trbe)
{
    return CAIRN_GETS(trbe->registers, TRBSR_EL1, TRBSR_TRG)
               ? CAIRN_GETS(trbe->registers, TRBTRG_EL1, TRBTRG_TRG)
               : 0;
}

/* Writes bytes by the loop, or in blocks. Returns how many turns were taken until collection stopped. */
size_t cairn_pe_trbe_by_byte(struct cairn_pe_trbe *trbe, const uint8_t *bytes, size_t size);
size_t cairn_pe_trbe_by_block(struct cairn_pe_trbe *trbe, const uint8_t *bytes, size_t size);

void cairn_pe_trbe_find(struct cairn_pe_trbe *trbe, enum cairn_pe_trbe_finding finding);
/* Sets TRBSR_EL1.IRQ and what else `bits` has, and TRBIRQ. */
void cairn_pe_trbe_set_status(struct cairn_pe_trbe *trbe, uint64_t bits);
/* A management event that stops collection: EC and the low six bits of MSS only if S was 0. */
void cairn_pe_trbe_stop(struct cairn_pe_trbe *trbe, unsigned EC, unsigned code);
/* The pointer has reached the Limit pointer: wrapped, with what the trace buffer mode does. */
void cairn_pe_trbe_wrap(struct cairn_pe_trbe *trbe);
/* The pointer to the Base pointer, TRBSR_EL1.WRAP, TRB_WRAP. */
void cairn_pe_trbe_wrap_pointer(struct cairn_pe_trbe *trbe);
void cairn_pe_trbe_trigger_event(struct cairn_pe_trbe *trbe);
/* So many bytes were written, no more than the counter has: takes them off, with the Trigger Event. */
void cairn_pe_trbe_count_down(struct cairn_pe_trbe *trbe, uint64_t bytes);
/* The byte at the pointer was not written. False: collection is stopped; true: it goes on, as if it was. */
bool cairn_pe_trbe_failed(struct cairn_pe_trbe *trbe, const struct cairn_pe_trbe_answer *answer);
/* So many bytes went to memory while an asynchronous abort was pending, no more than are left. */
void cairn_pe_trbe_abort_nears(struct cairn_pe_trbe *trbe, uint32_t bytes);
void cairn_pe_trbe_report_abort(struct cairn_pe_trbe *trbe);
/* Sends bytes to memory by `store`. */
size_t cairn_pe_trbe_send(struct cairn_pe_trbe *trbe, const uint8_t *bytes, size_t size,
                          struct cairn_pe_trbe_answer *answer);
/* The pointer may not be written to as it is: see enum cairn_pe_trbe_astray. */
bool cairn_pe_trbe_is_astray(struct cairn_pe_trbe *trbe);

#endif
