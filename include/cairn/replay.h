/* SPDX-License-Identifier: BSD-2-Clause */
/* A decoded flow as a feed: what one trace unit has seen, told to another one, which may be programmed
 * otherwise or be of another protocol. So one recording answers many questions, and a trace can be
 * converted.
 *
 *     cairn_unit_new                 the unit; it is the caller's, as is its sink
 *     cairn_replay_new               which enables it
 *     cairn_replay_records           each batch of the source's flow: `events` of a pipeline's
 *                                    consumer without CAIRN_PIPELINE_COUNTS, or cairn_pipeline_flow
 *     cairn_replay_end               the source has ended: the unit is disabled
 *
 * What is told: instructions with their outcomes, exceptions, contexts, transactions (but to a PE without
 * them), cycles and time.
 * What the trace does not tell nobody can tell the new unit: events of the old one's resources and its
 * external inputs, data transfers, instrumentation, what it left out by its filters. Where execution went
 * on unseen (a Trace On, lost or missing data, an overflow) the new unit has a Trace Prohibited region of
 * no instructions, as if the processor had been where nothing may be traced. */
#ifndef CAIRN_REPLAY_H
#define CAIRN_REPLAY_H

#include <cairn/flow.h>
#include <cairn/unit.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_replay;
struct cairn_pe;

/* Code that is about to be told to the unit for the first time, or may have changed since: for
 * recordings. Anything but CAIRN_OK ends the replay with that status. */
typedef cairn_status cairn_replay_code(void *context, uint64_t address, const uint8_t *bytes,
                                       size_t size);

/* Begin with CAIRN_REPLAY_OPTIONS_INIT. */
struct cairn_replay_options {
    size_t size;             /* of this structure */
    uint32_t flags;          /* CAIRN_REPLAY_... */
    cairn_replay_code *code; /* NULL: nobody wants to know */
    void *context;
    /* A PE (<cairn/pe.h>) with a trace unit, which is told instead of a unit: see below. NULL: none. */
    struct cairn_pe *pe;
};
#define CAIRN_REPLAY_OPTIONS_INIT                                                                  \
    {                                                                                              \
        .size = sizeof(struct cairn_replay_options)                                                \
    }

/* Where the flow breaks off behind instructions that no P0 instruction and no exception ends, a unit
 * whose trace tells of P0 instructions alone (ETMv4, ETE) is told a Debug halt behind them, or they would
 * be in no trace. With this flag they are left out, as hardware would leave them out. */
#define CAIRN_REPLAY_NO_HALTS (1u << 0)
/* The Events of the flow occur in the new unit as well, by their numbers, whatever it selects. */
#define CAIRN_REPLAY_EVENTS (1u << 1)
/* The unit is told cycles although its registers do not ask for them: a FIFO, the counters of an ETMv3 or
 * PTM. */
#define CAIRN_REPLAY_CYCLES (1u << 2)

/* With a PE it is told all that the unit would be, and what follows for its trace buffer, branch records and
 * counters is in them. Its registers are the caller's: nothing is enabled at the beginning or disabled at
 * the end (a unit that is to trace is enabled by TRCPRGCTLR and TRFCR_ELx before), but what waits is
 * written then (cairn_pe_settle). `unit` is NULL or the PE's. Where the flow tells of an exception and then
 * of nothing, the PE was at EL1 of the same Security state and came back by a return: their branch records have
 * CAIRN_BRANCH_TARGET_UNKNOWN and CAIRN_BRANCH_SOURCE_UNKNOWN, if EL1 is recorded (cairn_pe_branches). Where it breaks off
 * otherwise, branches were executed that nobody saw, and the branch records before are gone. Cycles are
 * told if a counter is enabled, or branch records count cycles, when the replay is made. A PE Reset exception is a Warm
 * reset of the PE: `reset` of its options may program it again. */

/* `config` and `image`: what the flow was decoded with; `unit`: not enabled yet, and longer alive than
 * the replay. NULL options: the defaults. CAIRN_E_UNSUPPORTED, with a sentence: the flow of an M profile
 * core. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_replay_new(struct cairn_config *config,
                                                         struct cairn_image *image,
                                                         struct cairn_unit *unit,
                                                         const struct cairn_replay_options *options,
                                                         struct cairn_replay **replay,
                                                         struct cairn_error *error);
CAIRN_API void cairn_replay_free(struct cairn_replay *replay); /* NULL is fine */

/* The next records. The batch has all columns but `length`. The last instructions are told by a later
 * call, when what stands behind them is known. Returns the unit's status (cairn_unit_status), or that
 * of `code`. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_replay_records(struct cairn_replay *replay,
                                                             const struct cairn_flow_batch *batch);
/* The flow has ended: what is left is told, and the unit disabled. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_replay_end(struct cairn_replay *replay);

/* What was told so far, and what was not. Set `size`. */
struct cairn_replay_counts {
    size_t size; /* of this structure */
    uint64_t ranges;
    uint64_t instructions; /* in them; told, but for `unknown_isa` and `no_memory` */
    uint64_t exceptions;
    /* Places where execution went on unseen, by what the flow says there. */
    uint64_t trace_ons;
    uint64_t gaps;
    uint64_t overflows;
    uint64_t discards;
    uint64_t unknown_qs; /* whose instructions are not known */
    uint64_t halts;      /* Debug halts that the flow has not */
    uint64_t cut;        /* instructions that have none, and so are in no trace */
    /* Not told. */
    uint64_t unknown_isa; /* instructions of A64, of which such a unit's core has none */
    uint64_t no_memory;   /* instructions that the image has not any more */
    uint64_t events;
    uint64_t data;
    uint64_t instrumentation;
    uint64_t cycles; /* that the flow tells, or an instruction each */
    /* Instructions of which the flow does not tell whether they passed their condition, and the new unit
     * wants to know if they have one: told as passed. */
    uint64_t assumed;
};
CAIRN_API void cairn_replay_counts(const struct cairn_replay *replay,
                                   struct cairn_replay_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
