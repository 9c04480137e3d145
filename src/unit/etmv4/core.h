/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace unit of ETMv4 and ETE as its parts see it. An observation (a block, an exception,
 * anything told that speculation can take back) goes from the feed through three stages:
 *   execute.c, exception.c, state.c, transaction.c, introduce.c, omit.c, q.c
 *                  what of it is traced, and which elements that takes (D6.8, D6.9)
 *   generate.c     elements in order, held back while they may not leave (D6.7)
 *   output.c       elements that leave: Commits, cycle counts, packets, the buffer; stall.c
 * and comes back from speculate.c and mispredict.c. */
#ifndef CAIRN_UNIT_ETMV4_CORE_H
#define CAIRN_UNIT_ETMV4_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "protocol/protocol.h"
#include "unit/etmv4/clocks.h"
#include "unit/etmv4/filter.h"
#include "unit/etmv4/registers.h"
#include "unit/etmv4/session.h"
#include "unit/etmv4/way_out.h"
#include "unit/model.h"
#include "unit/port.h"
#include "unit/returnstack.h"

/* Bounds that do not come from the feed. What is beyond is lost in an overflow, which is counted. */
#define CAIRN_UNIT_SAVED_MAX 16384u       /* unresolved observations */
#define CAIRN_UNIT_HELD_MAX 65536u        /* elements held back */
#define CAIRN_UNIT_EVENTS_MAX (1u << 16)  /* cycles with Events in one call of cairn_unit_cycles */
#define CAIRN_UNIT_OUTPUTS_MAX (1u << 20) /* of them, those of which `outputs` is told */
#define CAIRN_UNIT_CHANGES_MAX (1u << 22) /* and those in which a resource changes */

#define CAIRN_UNIT_IDLE_CYCLES 1024u /* then a packet that has begun is completed */
#define CAIRN_UNIT_BUFFER 16384u     /* bytes kept before the sink gets them */

/* struct cairn_etmv4_unit.mode: why cairn_unit_execute cannot take its short way. */
enum {
    CAIRN_MODE_DISABLED = 1 << 0,
    CAIRN_MODE_INOPERATIVE = 1 << 1, /* recovering from an overflow */
    CAIRN_MODE_OPTIONS = 1 << 2,     /* something has to be looked at block by block */
    CAIRN_MODE_SPECULATIVE = 1 << 3,
    CAIRN_MODE_SYNC = 1 << 4,    /* a synchronisation is wanted */
    CAIRN_MODE_REQUEST = 1 << 5, /* a timestamp is */
    CAIRN_MODE_HELD = 1 << 6,    /* elements are held back */
    CAIRN_MODE_CLOCK = 1 << 7,   /* resource clocks matter, or something was told in this one */
    CAIRN_MODE_SYNCHRONIZED = 1 << 8, /* Context synchronization events matter */
    CAIRN_MODE_LOW = 1 << 9,          /* the unit is in low-power state */
};

/* struct cairn_unit_path.owed: what has to come before the next P0 element, and why not at all. */
enum {
    CAIRN_OWED_TRACE_ON = 1 << 0, /* the block before was not traced */
    CAIRN_OWED_TARGET = 1 << 1,   /* a Target Address, or a return stack match */
    CAIRN_OWED_EXPLICIT = 1 << 2, /* not a match */
    CAIRN_OWED_CONTEXT = 1 << 3,  /* a Context whatever it is */
    CAIRN_OWED_CHANGE = 1 << 4,   /* a Context if it differs */
    CAIRN_OWED_START = 1 << 5,    /* Transaction Start */
    CAIRN_OWED_LANDING = 1 << 6,  /* an Exception that tells what survived a Cancel (R_KDVTX) */
    CAIRN_OWED_AGAIN = 1 << 7,    /* the target, whichever way the P0 instruction went */
    CAIRN_PATH_PROHIBITED = 1 << 8,
    CAIRN_PATH_DEBUG = 1 << 9,
    CAIRN_PATH_BARRED = 1 << 10,  /* the feed says that trace is prohibited */
    CAIRN_PATH_LEAVING = 1 << 11, /* it says so no more; so it is until the next Context
                                     synchronization event (I_JBFTB) */
};

/* What the PE is in, whatever is traced. */
#define CAIRN_PATH_STATES                                                                          \
    (CAIRN_PATH_PROHIBITED | CAIRN_PATH_DEBUG | CAIRN_PATH_BARRED | CAIRN_PATH_LEAVING)

/* Target and Context have to be told once more. */
#define CAIRN_OWED_ANEW                                                                            \
    (CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_AGAIN | CAIRN_OWED_CONTEXT)

/* An instruction address as elements have it. */
struct cairn_unit_place {
    uint64_t address;
    uint8_t isa; /* enum cairn_isa; CAIRN_ISA_UNKNOWN: not known */
};

/* What became of a P0 instruction. */
enum cairn_unit_trace {
    CAIRN_TRACE_NOTHING,
    CAIRN_TRACE_ATOM,
    CAIRN_TRACE_SOURCE,  /* a Source Address */
    CAIRN_TRACE_OMITTED, /* an N Atom, left out */
    CAIRN_TRACE_Q,       /* it is in a Q element that has not ended */
};

/* Where execution is, and what a decoder knows of it: all that a Cancel takes back. */
struct cairn_unit_path {
    uint32_t owed;
    uint32_t blocks; /* traced since the youngest P0 element or Trace On: they need another one */
    struct cairn_unit_place next;    /* where the last block leads */
    struct cairn_unit_place target;  /* `blocks` != 0: the first of them */
    struct cairn_unit_place landing; /* CAIRN_OWED_LANDING: behind the last block that survived */
    struct cairn_context context;    /* of the PE */
    struct cairn_context told;       /* in the last Context element */
    uint64_t barrier; /* elements from here on wait until all before this mark is resolved */
    uint32_t
        syncs; /* struct cairn_etmv4_unit.syncs when this was current: a decoder that began at a */
    uint32_t sessions;     /* later one does not know what came before; and `sessions` */
    uint32_t q;            /* instructions in a Q element that has not ended; 0: there is none */
    bool q_closed;         /* and no more may come */
    bool q_tail;           /* blocks without P0 instruction are its last */
    uint32_t instructions; /* in `blocks`, where Q elements are on */
    uint64_t late_time;    /* of the last block in it, or of the last N Atom that was left out */
    uint64_t late_clock;
    uint32_t omitted;                     /* N Atoms left out since the last P0 element */
    uint32_t omitted_blocks;              /* `blocks` behind the last of them */
    struct cairn_unit_place omitted_next; /* and the address */
    uint64_t omitted_first;               /* observation of the first */
    uint64_t synchronized_at;             /* mark behind the last Context synchronization event */
    uint64_t crossed_at; /* and behind the beginning or end of a Prohibited region, plus 1 */
    bool traced;         /* TRCRSR.TA */
    bool start_stop;     /* TRCVICTLR.SSSTATUS */
    bool in_transaction;
    bool started;                /* a Transaction Start element says so */
    bool start_stop_at_start;    /* SSSTATUS behind the outer TSTART */
    uint8_t transaction_matches; /* single-shots that matched in it */
    uint8_t matches;     /* of a saved path: single-shots that the observation behind it matched */
    bool can_mispredict; /* `last` was the last observation, and is P0 */
    bool last_taken;
    uint8_t last_trace;    /* enum cairn_unit_trace: what of it was generated */
    uint64_t last_barrier; /* `barrier` before it, and so on */
    uint32_t last_omitted;
    uint64_t last_omitted_first;
    uint32_t last_blocks;
    struct cairn_block last;
    bool last_pushed; /* onto the return stack, over `last_push` */
    struct cairn_unit_overwritten last_push;
    struct cairn_unit_returns returns;
};

/* An element on its way out. */
struct cairn_unit_element {
    uint64_t observation; /* it belongs to */
    uint64_t barrier;     /* all before this mark has to be resolved before it leaves */
    uint64_t time;
    uint64_t clock;
    struct cairn_element_data data;
    uint16_t flags;
    uint8_t kind;
    bool late; /* `time` and `clock` may be older than those of elements before it */
};

/* Elements that a Cancel does not remove if they are in front of what it cancels. */
enum cairn_unit_behind {
    CAIRN_BEHIND_TARGET,
    CAIRN_BEHIND_CONTEXT,
    CAIRN_BEHIND_TRACE_ON,
    CAIRN_BEHIND_START,
    CAIRN_BEHIND_COUNT,
};

/* A P0 element that is out and that no Commit has resolved for the decoder. */
struct cairn_unit_p0 {
    uint64_t observation;
    bool starts;                         /* a transaction */
    uint64_t behind[CAIRN_BEHIND_COUNT]; /* 1 + observation of the youngest such element between
                                            this P0 and the next; 0: none */
};

struct cairn_etmv4_unit {
    struct cairn_unit base; /* first: see below */

    /* the short way's */
    uint32_t mode;
    uint32_t fast_kinds; /* bit n: an instruction of kind n needs no more than its Atom */
    uint32_t slow_flags; /* CAIRN_INSN_... that need more */
    struct cairn_unit_path path;
    uint64_t told; /* observations */
    bool is_late;  /* what is generated belongs to `late_observation` */
    uint64_t late_observation;
    void (*put_atom)(void *state, bool taken, struct cairn_encoder_out *out);
    void *encoder;
    struct cairn_encoder_out out;
    size_t limit;          /* of out.size: then the buffer is full, or a synchronisation due */
    unsigned return_limit; /* entries of the return stack; 0: it is off */
    uint64_t atoms;        /* that took the short way */

    uint64_t time;
    uint64_t clock; /* cycles since the unit was made */
    struct {
        bool valid; /* since trace generation became operative */
        uint64_t time;
        uint64_t clock;
    } stamp; /* of the youngest P0 or Event element */
    struct cairn_unit_counters counters;

    /* what it was made of */
    const struct cairn_protocol *protocol;
    struct cairn_unit_registers registers;
    struct cairn_unit_program program; /* valid while enabled */
    uint32_t choices;
    uint32_t return_stack_depth;
    uint32_t q_instructions;
    cairn_unit_sink *sink;
    void *sink_context;
    cairn_unit_watch *watch;
    void *watch_context;
    cairn_unit_outputs *outputs;
    void *outputs_context;
    cairn_unit_changes *changes;
    void *changes_context;
    cairn_status status;
    bool has_timestamp_event;
    bool low_power;
    bool has_q;       /* Q elements are on */
    bool q_uncounted; /* they have no count */
    uint32_t inputs;  /* levels */

    /* the buffer */
    uint64_t drained;   /* bytes that left it */
    uint64_t delivered; /* of them, to the sink, or to nobody where there is none; with a port see
                           fifo_left */
    struct cairn_unit_taker taker;
    uint32_t
        stall_below; /* free bytes: with fewer the PE is stalled; 0: TRCSTALLCTLR does not ask */
    uint32_t fifo_bytes;
    uint32_t fifo_drain;
    uint64_t fifo_left; /* bytes that have left the FIFO; the others are in it. With a port: that it
                            took */
    uint32_t fifo_carry; /* sixteenths of a byte */
    uint64_t idle_at;    /* atoms + elements ... */
    uint64_t idle_since; /* ... that there are since this clock */

    /* synchronisation and overflow */
    bool unsynchronised; /* nothing was generated since trace generation became operative */
    uint64_t sync_at;    /* bytes generated at which the next one is due */
    uint64_t elements;   /* that took the long way */
    uint64_t fresh;      /* atoms + elements behind the last synchronisation */
    uint32_t syncs;      /* Trace Info elements generated */
    uint32_t sessions;   /* times that trace generation became operative */
    bool lost_p0;        /* at the overflow: a Discard is due */
    uint32_t lost_events;
    bool start_out; /* a decoder is inside a transaction */

    /* cycle counting */
    uint64_t counted_at; /* clock at the last Cycle Count element */
    bool count_unknown;

    /* speculation */
    bool speculative;
    size_t cancel_owed;  /* P0 elements cancelled in low-power state */
    uint64_t resolved;   /* everything before this mark is */
    uint64_t enabled_at; /* mark */
    bool start_stop_at_enable;
    bool traced_at_enable;
    struct cairn_unit_path *saved; /* ring: before each observation from `saved_first` on */
    size_t saved_capacity;
    size_t saved_count;
    uint64_t saved_first;
    struct cairn_unit_element *held; /* ring */
    size_t held_capacity;
    size_t held_first;
    size_t held_count;
    struct cairn_unit_p0 *p0s; /* ring of those outstanding */
    size_t p0_capacity;
    size_t p0_first;
    size_t p0_count;
    size_t p0_resolved;                  /* of them, at least so many of the oldest are */
    uint64_t behind[CAIRN_BEHIND_COUNT]; /* as in struct cairn_unit_p0, behind the last resolved */

    struct cairn_unit_clock present; /* the resources */

    struct cairn_unit_session session;
    /* behind each Context synchronization event; NULL: nobody waits for one */
    void (*synchronized)(struct cairn_etmv4_unit *unit);
    uint32_t signals;    /* CAIRN_UNIT_DBGEN ... */
    uint64_t slept_from; /* clock at which low-power state began */
};

static inline struct cairn_etmv4_unit *cairn_etmv4_unit(struct cairn_unit *base)
{
    return (struct cairn_etmv4_unit *)base;
}

static inline const struct cairn_etmv4_unit *cairn_etmv4_unit_const(const struct cairn_unit *base)
{
    return (const struct cairn_etmv4_unit *)base;
}

static inline uint8_t cairn_unit_sub_isa(uint8_t isa)
{
    return isa == CAIRN_ISA_T32 ? 1 : 0;
}

static inline uint64_t cairn_unit_wrap(uint8_t isa, uint64_t address)
{
    return isa == CAIRN_ISA_A64 ? address : address & UINT32_MAX;
}

static inline bool cairn_unit_is_p0(const struct cairn_etmv4_unit *unit,
                                    const struct cairn_block *block)
{
    return (unit->base.p0_kinds >> (block->kind & 31u)) & 1u;
}

/* Where a block leads. */
static inline struct cairn_unit_place cairn_unit_follows(const struct cairn_block *block,
                                                         bool taken)
{
    struct cairn_unit_place place = {
        .address = cairn_unit_wrap(block->isa, block->address + block->size),
        .isa = block->isa,
    };

    if (taken && block->kind == CAIRN_INSN_BRANCH_INDIRECT) {
        place.isa = CAIRN_ISA_UNKNOWN;
    } else if (taken && block->kind == CAIRN_INSN_BRANCH_DIRECT) {
        place.address = block->target;
        if (block->target_isa != CAIRN_ISA_UNKNOWN)
            place.isa = block->target_isa;
    }
    return place;
}

static inline struct cairn_unit_place cairn_unit_last_instruction(const struct cairn_block *block)
{
    return (struct cairn_unit_place){
        .address = cairn_unit_wrap(block->isa, block->address + block->size - block->last_size),
        .isa = block->isa,
    };
}

/* PE Comparator Inputs that match what is executed (D7.12). */
static inline uint8_t cairn_unit_pe_matches(const struct cairn_etmv4_unit *unit)
{
    const uint32_t inputs = unit->inputs >> 8;

    if (inputs == 0)
        return 0;
    return (uint8_t)(inputs & ((1u << unit->program.pe_comparators) - 1));
}

/* What filters look at: `block` is NULL in a cycle without one. */
static inline struct cairn_filter_input cairn_unit_filter_input(const struct cairn_etmv4_unit *unit,
                                                                const struct cairn_block *block)
{
    return (struct cairn_filter_input){
        .block = block,
        .context = &unit->path.context,
        .inputs = unit->inputs | unit->present.inputs,
        .pe_matches = cairn_unit_pe_matches(unit),
        .derived = unit->present.state.derived,
        .single_shots = (uint8_t)unit->present.lines.high[CAIRN_GROUP_SINGLE_SHOTS],
    };
}

/* A feed's mistake is no reason to lose a block. */
static inline uint32_t cairn_unit_count(const struct cairn_block *block)
{
    return block->count > 0 ? block->count : 1;
}

/* Too many stay too many. */
static inline uint32_t cairn_unit_add(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* The observation in progress, or the last one. */
static inline uint64_t cairn_unit_observation(const struct cairn_etmv4_unit *unit)
{
    return unit->told - 1;
}

static inline bool cairn_unit_is_resolved(const struct cairn_etmv4_unit *unit, uint64_t observation)
{
    return !unit->speculative || observation < unit->resolved;
}

static inline uint64_t cairn_unit_generated(const struct cairn_etmv4_unit *unit)
{
    return unit->drained + unit->out.size;
}

/* --- observe.c, execute.c --- */

/* Begins an observation: what a Cancel may have to bring back is saved. */
void cairn_unit_begin(struct cairn_etmv4_unit *unit);
/* Before anything is generated: an overflow may end, or begin. */
void cairn_unit_get_ready(struct cairn_etmv4_unit *unit);
/* Ends whatever call generated elements: Commits, a timestamp, a synchronisation may be due. */
void cairn_unit_end(struct cairn_etmv4_unit *unit);
/* Generates all that waits for what comes: N Atoms that were left out, a Q element. */
void cairn_unit_settle_path(struct cairn_etmv4_unit *unit);
/* Execution goes on elsewhere, unseen: the next block traced begins anew. */
void cairn_unit_lose_path(struct cairn_etmv4_unit *unit);
/* A Context synchronization event that asks for a timestamp, traced or not: what is speculated
 * behind it waits (R_QHQLY). */
void cairn_unit_note_synchronization(struct cairn_etmv4_unit *unit, const struct cairn_block *block,
                                     bool taken);
/* The return address of a taken Branch with Link, onto the return stack (R_HFCTC, R_WRXCW). */
void cairn_unit_push_return(struct cairn_etmv4_unit *unit, const struct cairn_block *block);
/* What else a P0 instruction that is taken does beyond its element. */
void cairn_unit_go(struct cairn_etmv4_unit *unit, const struct cairn_block *block);
/* A Context synchronization event: what is speculated behind it waits (R_QHQLY). */
void cairn_unit_synchronize(struct cairn_etmv4_unit *unit);
/* The same of an ISB or exception return, traced or not; they ask for a timestamp, too. */
void cairn_unit_note_synchronization(struct cairn_etmv4_unit *unit, const struct cairn_block *block,
                                     bool taken);
/* Whether branch broadcasting is active for the P0 instruction of the block. */
bool cairn_unit_broadcasts(const struct cairn_etmv4_unit *unit, const struct cairn_block *block);

/* --- omit.c --- */

/* Leaves out the N Atom of path->last. False: the unit does not do that. */
bool cairn_unit_omit(struct cairn_etmv4_unit *unit);
/* The same when a Source Address was withdrawn. */
void cairn_unit_omit_again(struct cairn_etmv4_unit *unit);
/* Generates the N Atoms that were left out, when nothing may wait for a Source Address. */
void cairn_unit_give_omitted(struct cairn_etmv4_unit *unit);
/* The last of them is taken after all. */
void cairn_unit_correct_omitted(struct cairn_etmv4_unit *unit);

/* --- q.c --- */

/* Whether a block can be in the Q element that has begun; it has to end before one that cannot. */
bool cairn_unit_continues_q(const struct cairn_etmv4_unit *unit, const struct cairn_block *block);
/* Puts the block into the Q element, or begins one with it. False: it needs an Atom. */
bool cairn_unit_join_q(struct cairn_etmv4_unit *unit, const struct cairn_block *block, bool taken);
/* The last block in a Q element went the other way. */
void cairn_unit_correct_q(struct cairn_etmv4_unit *unit, bool taken);
/* Generates the Q element, if there is one; execution goes on at `place`. */
void cairn_unit_end_q(struct cairn_etmv4_unit *unit, struct cairn_unit_place place);
/* The same where it is not known where execution goes on. */
void cairn_unit_settle_q(struct cairn_etmv4_unit *unit);

/* --- introduce.c --- */

/* All that a decoder needs before an element that tells of a block at `place` ... */
void cairn_unit_introduce_block(struct cairn_etmv4_unit *unit, struct cairn_unit_place place);
/* ... or of an exception that is taken from there. */
void cairn_unit_introduce_exception(struct cairn_etmv4_unit *unit, struct cairn_unit_place place);
/* Tells with an Exception what survived a Cancel, if that is owed (R_KDVTX). */
void cairn_unit_land(struct cairn_etmv4_unit *unit);
/* The same for blocks that were introduced before, if a Cancel left anything wrong behind. */
void cairn_unit_introduce_again(struct cairn_etmv4_unit *unit);
/* Address elements lose the bits that instruction addresses have not (R_FSWRC). */
void cairn_unit_put_place(struct cairn_etmv4_unit *unit, unsigned kind,
                          struct cairn_unit_place place, uint64_t value);

/* --- timing.c --- */

/* A Commit was generated: a Cycle Count element may follow. */
void cairn_unit_count_cycles(struct cairn_etmv4_unit *unit);
void cairn_unit_request_timestamp(struct cairn_etmv4_unit *unit);
/* In low-power state nothing is generated (R_LBDSM), but with the override of TRCEVENTCTL1R. */
static inline bool cairn_unit_is_low(const struct cairn_etmv4_unit *unit)
{
    return unit->low_power && !unit->program.low_power_override;
}
/* Generates the Timestamp that was requested, if it may be now. */
void cairn_unit_give_timestamp(struct cairn_etmv4_unit *unit);
/* Event elements of the ETEEvents in `events`; during an overflow they are kept. */
void cairn_unit_put_events(struct cairn_etmv4_unit *unit, unsigned events);
/* So many cycles pass for counts and for the FIFO. */
void cairn_unit_pass_cycles(struct cairn_etmv4_unit *unit, uint64_t cycles);

/* --- speculate.c --- */

/* Keeps the path as it is before the observation that begins. */
void cairn_unit_save(struct cairn_etmv4_unit *unit);
/* The path before an observation, from saved_first on. */
struct cairn_unit_path *cairn_unit_saved(const struct cairn_etmv4_unit *unit, uint64_t mark);
/* cairn_unit_cancel, but for the resources. */
cairn_status cairn_unit_take_back(struct cairn_etmv4_unit *unit, uint64_t mark);
/* Generates what resolving made possible, and a Cancel that had to wait. */
void cairn_unit_let_out(struct cairn_etmv4_unit *unit);
/* Nothing more is going to be resolved: generates what waits and is. */
void cairn_unit_settle_resolved(struct cairn_etmv4_unit *unit);

/* --- transaction.c --- */

/* A Transaction Failure, if a Start was generated; the PE may stay in Transactional state. */
void cairn_unit_fail_started(struct cairn_etmv4_unit *unit);

/* --- the functions of <cairn/unit.h>, for model.c --- */

cairn_status cairn_etmv4_unit_new(const struct cairn_unit_options *options,
                                  struct cairn_unit **base, struct cairn_error *error);
void cairn_etmv4_unit_free(struct cairn_unit *base);
cairn_status cairn_etmv4_unit_status(const struct cairn_unit *base);
void cairn_etmv4_unit_counters(const struct cairn_unit *base, struct cairn_unit_counters *counters);
cairn_status cairn_etmv4_unit_read(const struct cairn_unit *base, const char *name,
                                   uint64_t *value);
cairn_status cairn_etmv4_unit_write(struct cairn_unit *base, const char *name, uint64_t value,
                                    struct cairn_error *error);
cairn_status cairn_etmv4_unit_register(const struct cairn_unit *base, size_t index,
                                       struct cairn_register *value);
struct cairn_config *cairn_etmv4_unit_config(const struct cairn_unit *base);
void cairn_etmv4_unit_enable(struct cairn_unit *base);
void cairn_etmv4_unit_disable(struct cairn_unit *base);
void cairn_etmv4_unit_context(struct cairn_unit *base, const struct cairn_context *context);
void cairn_etmv4_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken);
void cairn_etmv4_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa);
void cairn_etmv4_unit_prohibit(struct cairn_unit *base, bool prohibited);
void cairn_etmv4_unit_flush(struct cairn_unit *base);
uint64_t cairn_etmv4_unit_offer(struct cairn_unit *base);
uint64_t cairn_etmv4_unit_pending(const struct cairn_unit *base);
bool cairn_etmv4_unit_stalls(const struct cairn_unit *base);
uint64_t cairn_etmv4_unit_position(struct cairn_unit *base);
void cairn_etmv4_unit_synchronize_context(struct cairn_unit *base);
void cairn_etmv4_unit_debug_state(struct cairn_unit *base, bool debug);
void cairn_etmv4_unit_low_power(struct cairn_unit *base, bool low);
void cairn_etmv4_unit_cycles(struct cairn_unit *base, uint64_t cycles);
void cairn_etmv4_unit_time(struct cairn_unit *base, uint64_t time);
void cairn_etmv4_unit_clock_stopped(struct cairn_unit *base);
void cairn_etmv4_unit_inputs(struct cairn_unit *base, uint32_t inputs);
void cairn_etmv4_unit_pmu_event(struct cairn_unit *base, uint32_t number);
void cairn_etmv4_unit_event(struct cairn_unit *base, unsigned number);
void cairn_etmv4_unit_authenticate(struct cairn_unit *base, uint32_t signals);
uint32_t cairn_etmv4_unit_needs(const struct cairn_unit *base);
void cairn_etmv4_unit_speculate(struct cairn_unit *base, bool speculative);
uint64_t cairn_etmv4_unit_mark(const struct cairn_unit *base);
cairn_status cairn_etmv4_unit_resolve(struct cairn_unit *base, uint64_t mark);
cairn_status cairn_etmv4_unit_cancel(struct cairn_unit *base, uint64_t mark);
cairn_status cairn_etmv4_unit_mispredict(struct cairn_unit *base);
void cairn_etmv4_unit_transaction_start(struct cairn_unit *base);
void cairn_etmv4_unit_transaction_commit(struct cairn_unit *base);
void cairn_etmv4_unit_transaction_fail(struct cairn_unit *base);
void cairn_etmv4_unit_request_sync(struct cairn_unit *base);

#endif
