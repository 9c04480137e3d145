/* SPDX-License-Identifier: BSD-2-Clause */
/* The Performance Monitors (FEAT_PMUv3), as far as trace depends on them: up to 31 event counters and
 * the cycle counter, what they count where, their overflow, and the events that reach the trace unit
 * (DDI0608 C2.5, C3.2, D7.11, E1.3). What that text takes for known (enables, prohibition, filters,
 * widths) is the Arm Architecture Reference Manual's.
 *
 * Counters and controls are those of a struct cairn_pe_registers that the owner has: PMOVSSET_EL0 and
 * PMOVSCLR_EL0 always have the same value there, as have the other pairs. Whoever changes MDCR_EL2,
 * MDCR_EL3 or a register of the PMU without cairn_pmu_write tells by cairn_pmu_changed.
 *
 * Every event comes with the state that it occurred in. No call takes longer for a larger count. */
#ifndef CAIRN_PE_PMU_H
#define CAIRN_PE_PMU_H

#include <cairn/unit.h>

#include "pe/pmu_events.h"
#include "pe/state.h"

#define CAIRN_PMU_CYCLE_COUNTER 31u /* its bit in PMCNTENSET_EL0 and the like */

/* ID_AA64DFR0_EL1.PMUVer */
#define CAIRN_PMU_V3 1u
#define CAIRN_PMU_V3P1 4u
#define CAIRN_PMU_V3P4 5u
#define CAIRN_PMU_V3P5 6u
#define CAIRN_PMU_V3P7 7u

/* Where the architecture leaves a choice. All zero is the plain one of each. */
/* Events 0x4034 and 0x4035 go to the counter at once and are taken back if the transaction fails; else
 * they wait aside until it commits (I_CJMQ, I_CFNH, I_KHYN). */
#define CAIRN_PMU_COMMITTED_DIRECT (1u << 0)
/* One transaction adds at most 2^32-1 of them (I_WBGV, I_WMBD). */
#define CAIRN_PMU_COMMITTED_CAPPED (1u << 1)
/* Cycle events go on while WFI or WFE has the clock stopped (R_DSFD). */
#define CAIRN_PMU_STOPPED_CLOCK_COUNTS (1u << 2)
/* Events that need not be exact are counted in the Transactional or Non-transactional state of the
 * instruction before (R_QJQP, I_WXMC). */
#define CAIRN_PMU_INEXACT (1u << 3)
/* The T filter lets Unattributable events pass in either state (R_NDRV). */
#define CAIRN_PMU_T_SPARES_UNATTRIBUTABLE (1u << 4)
/* TRB_TRIG is an input of the trace unit only (E1.3.2). */
#define CAIRN_PMU_TRB_TRIG_UNCOUNTABLE (1u << 5)
/* TRCEXTOUT0 to 3 are inputs of the trace unit as well (E1.3.1). */
#define CAIRN_PMU_OUTPUTS_ARE_INPUTS (1u << 6)
/* ETMv4: events reach the trace unit only while PMCR_EL0.X is 1; not so of an ETE (R_PHDQT). */
#define CAIRN_PMU_EXPORT_BY_X (1u << 7)

/* What lies outside; any may be NULL. They are called at the end of the call that caused them. */
struct cairn_pmu_calls {
    void *user;
    /* PMUIRQ changed to this level. */
    void (*line)(void *user, bool level);
    /* Counters overflowed, a bit each as in PMOVSSET_EL0, which has them already (BRBE's freeze). */
    void (*overflow)(void *user, uint32_t counters);
    /* `count` of the event are exported to the trace unit (cairn_unit_pmu_event). */
    void (*exported)(void *user, uint32_t number, uint64_t count);
};

struct cairn_pmu_config {
    struct cairn_pe_features features;
    uint8_t version; /* CAIRN_PMU_V3...; 0 is taken as CAIRN_PMU_V3P7 */
    bool ETE;
    uint32_t choices; /* CAIRN_PMU_... above */
    /* Bit n: a counter with PMEVTYPER<n>_EL0.T 1 counts event 0x4030 + n, of those between states
     * (R_HKGP and the like, IMPLEMENTATION DEFINED for each). */
    uint16_t transitions;
    uint64_t PMMIR;
    struct cairn_pmu_calls calls;
};

/* What decides besides registers which events are exported (R_RFWZB, R_WSXTC, R_KRSMY). */
struct cairn_pmu_gate {
    bool self_hosted; /* SelfHostedTraceEnabled() */
    bool prohibited;  /* tracing is, at present */
};

/* Which counters count in a state: found once, kept until something changes. */
struct cairn_pmu_plan {
    bool fresh;
    struct cairn_pe_state state;
    uint32_t counting[2]; /* Non-transactional, Transactional */
    uint32_t enabled;     /* without filters and freezing */
    uint32_t low;         /* the event counters that are not reserved for EL2 */
    uint64_t sieve;       /* of the numbers that counters count */
};

struct cairn_pmu_transaction {
    unsigned depth;
    uint64_t instructions, cycles;           /* of events 0x4034 and 0x4035, told in it */
    uint64_t added[CAIRN_PE_EVENT_COUNTERS]; /* aside, or directly */
    /* of a direct one */
    uint64_t saved[CAIRN_PE_EVENT_COUNTERS];
    uint64_t saved_totals[CAIRN_PE_EVENT_COUNTERS];
    uint64_t saved_overflows[CAIRN_PE_EVENT_COUNTERS];
    uint32_t saved_flags;
    uint32_t deferred; /* overflowed; neither interrupt nor event yet */
    uint64_t deferred_wraps[2];
};

struct cairn_pmu {
    struct cairn_pmu_config config;
    struct cairn_pe_registers *registers;
    struct cairn_pmu_events implemented;
    struct cairn_pmu_events selected; /* that the trace unit looks for, if `selects` */
    bool selects;
    struct cairn_pmu_gate gate;
    struct cairn_pmu_plan plan;
    struct cairn_pmu_transaction transaction;
    struct cairn_pe_state exception_from;
    bool before_transactional; /* the state of the instruction before */
    bool line;
    uint8_t divider; /* PMCR_EL0.D: cycles since the last tick */
    uint64_t totals[CAIRN_PE_EVENT_COUNTERS + 1];
    uint64_t overflows[CAIRN_PE_EVENT_COUNTERS + 1];
};

/* --- made and programmed --- */

/* CAIRN_E_ARGUMENT: more than 31 counters, or a version that is none of the above. `registers` stays
 * the owner's and has to live as long; the PMU's and MDCR_EL2.HPMN are reset in it. */
cairn_status cairn_pmu_init(struct cairn_pmu *pmu, const struct cairn_pmu_config *config,
                            struct cairn_pe_registers *registers);

/* A reset of the PE: registers as an implementation may have them (PMCR_EL0.E 0, PMCR_EL0.N and
 * MDCR_EL2.HPMN the number of counters, everything else 0), no transaction. Totals stay. */
void cairn_pmu_reset(struct cairn_pmu *pmu);

/* The owner tells this event: it is implemented. Errors of cairn_pmu_events_add. */
cairn_status cairn_pmu_implement(struct cairn_pmu *pmu, uint32_t number);

/* The numbers that TRCEXTINSELR<n> select: only these are given to calls.exported from here on. Before
 * the first call, all. CAIRN_E_LIMIT as of cairn_pmu_events_add. */
cairn_status cairn_pmu_select(struct cairn_pmu *pmu, const uint32_t *numbers, size_t count);

void cairn_pmu_set_gate(struct cairn_pmu *pmu, struct cairn_pmu_gate gate);

/* Counters that count in this state, a bit each; 31: the cycle counter. */
uint32_t cairn_pmu_counting(struct cairn_pmu *pmu, const struct cairn_pe_state *state);

/* A register that counting depends on was changed by someone else. */
void cairn_pmu_changed(struct cairn_pmu *pmu);

/* Whether a register is one of the PMU's, for the two below. */
bool cairn_pmu_owns(enum cairn_pe_register name);

/* An access that no trap met, at the level of `state`: at EL1 and EL0 counters reserved for EL2 are not
 * there while EL2 is enabled. NULL: a debugger's, to whom all are. Counters that are not there, and
 * PMXEVCNTR_EL0 of the cycle counter, read as zero and ignore writes; so do write-only registers and
 * names that are not the PMU's. */
uint64_t cairn_pmu_read(const struct cairn_pmu *pmu, enum cairn_pe_register name,
                        const struct cairn_pe_state *state);
void cairn_pmu_write(struct cairn_pmu *pmu, enum cairn_pe_register name, uint64_t value,
                     const struct cairn_pe_state *state);

/* --- told what happens --- */

/* Instructions were executed architecturally, in this state; `passed`: the last one passed its
 * condition, or branched if it is one of CBZ's kind. Counts INST_RETIRED and the events of branches and
 * exception returns. An exception return is told in the state that it was executed in. */
void cairn_pmu_retired(struct cairn_pmu *pmu, const struct cairn_block *block, bool passed,
                       const struct cairn_pe_state *state);

enum cairn_pmu_prediction {
    CAIRN_PMU_PREDICTED = 0,
    CAIRN_PMU_MISPREDICTED = 1,
};

/* What was predicted of the branch told last: BR_PRED, and of a wrong one BR_MIS_PRED and
 * BR_MIS_PRED_RETIRED, of a right one BR_PRED_RETIRED. */
void cairn_pmu_predicted(struct cairn_pmu *pmu, enum cairn_pmu_prediction prediction,
                         const struct cairn_pe_state *state);

/* An exception was taken out of the state `from`: EXC_TAKEN, and `number` if it is not 0 (EXC_SVC ...). */
void cairn_pmu_exception(struct cairn_pmu *pmu, uint32_t number, const struct cairn_pe_state *from);

/* The PE clock made so many steps: CPU_CYCLES, PMCCNTR_EL0, 0x4035. */
void cairn_pmu_cycles(struct cairn_pmu *pmu, uint64_t cycles, const struct cairn_pe_state *state);

/* As many went by while WFI or WFE had the clock stopped. */
void cairn_pmu_stopped_cycles(struct cairn_pmu *pmu, uint64_t cycles,
                              const struct cairn_pe_state *state);

/* `count` of an event that others know of. What the PMU makes itself (CAIRN_PMU_IS_MADE), and an event
 * that the PE does not have, is nothing; CPU_CYCLES are cairn_pmu_cycles. */
void cairn_pmu_event(struct cairn_pmu *pmu, uint32_t number, uint64_t count,
                     const struct cairn_pe_state *state);

/* An Exception-related event of the exception or exception return told last, whatever state the PE is in
 * by now: BRB_FILTRATE of its record (R_GMCHN). */
void cairn_pmu_exception_event(struct cairn_pmu *pmu, uint32_t number);

/* TSTART and TCOMMIT were executed; those inside another transaction may be told or not: the PMU looks
 * at the outer ones (R_NRPB, R_CKYT). The TSTART's own block is told before, in Non-transactional
 * state; TCOMMIT's as the last one in Transactional state. */
void cairn_pmu_transaction_start(struct cairn_pmu *pmu, const struct cairn_pe_state *state);
void cairn_pmu_transaction_commit(struct cairn_pmu *pmu, const struct cairn_pe_state *state);

/* What a failure was besides what TSTART's result says. */
#define CAIRN_PMU_FAILED_BY_TLBI (1u << 0) /* of IMP: another PE's TLBI */
#define CAIRN_PMU_FAILED_BY_WSET (1u << 1) /* of SIZE: an entry of the write set was evicted */

/* Causes in the result of TSTART (C1.2.1). */
#define CAIRN_PMU_RESULT_CNCL 16, 16
#define CAIRN_PMU_RESULT_MEM 17, 17
#define CAIRN_PMU_RESULT_IMP 18, 18
#define CAIRN_PMU_RESULT_ERR 19, 19
#define CAIRN_PMU_RESULT_SIZE 20, 20
#define CAIRN_PMU_RESULT_NEST 21, 21

/* The transaction failed or was cancelled, from whatever depth; `result` is what the outer TSTART's
 * register gets. */
void cairn_pmu_transaction_fail(struct cairn_pmu *pmu, uint64_t result, unsigned besides,
                                const struct cairn_pe_state *state);

/* --- asked --- */

/* No counter is enabled, and the trace unit selects no event (cairn_pmu_select with none): until a write
 * or another selection nobody would see what is told, and an owner in a hurry need not tell it. */
bool cairn_pmu_is_idle(const struct cairn_pmu *pmu);

/* How many more of an event, in this state, until a counter overflows that counts it; of CPU_CYCLES the
 * cycle counter besides. UINT64_MAX: none, or as far. What an owner tells in pieces of no more than
 * that, it sees the overflow of where it is. */
uint64_t cairn_pmu_until_overflow(struct cairn_pmu *pmu, uint32_t number,
                                  const struct cairn_pe_state *state);

/* What a counter counted in the run. */
struct cairn_pmu_total {
    unsigned counter; /* CAIRN_PMU_CYCLE_COUNTER: PMCCNTR_EL0 */
    uint16_t number;  /* of the event; of the cycle counter CPU_CYCLES */
    const char *name; /* NULL if the number has none here */
    uint64_t counted; /* since the counter was given this event, whatever was written to it */
    uint64_t overflows;
};

/* The counters that are enabled or that counted something, by number, the cycle counter last. Returns
 * how many; `list` has room for CAIRN_PE_EVENT_COUNTERS + 1. */
size_t cairn_pmu_totals(const struct cairn_pmu *pmu, struct cairn_pmu_total *list);

#define CAIRN_PMU_IDENTITIES 10u

/* What cannot be of the counts of transactions: each that started committed or failed, but for one that
 * may be under way; a cause is none without a failure; TLBI is of IMP, WSET of SIZE. Causes may sum to
 * more than the failures (several of one) or to less (DBG and TRIVIAL have no counter). Of counters that
 * counted in the same states over the same time. Returns how many are broken, their texts in `texts`. */
size_t cairn_pmu_broken_identities(const struct cairn_pmu_total *list, size_t count,
                                   const char *texts[CAIRN_PMU_IDENTITIES]);

#endif
