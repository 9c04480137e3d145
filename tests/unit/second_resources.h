/* SPDX-License-Identifier: BSD-2-Clause */
/* The resources and the ViewInst function of an ETE trace unit, written once more from DDI0608 D7
 * and D6.8 alone, to be compared with the trace unit model. It knows no packets and no elements: it
 * says which blocks are traced, which ETEEvents occur in which clock, and what the registers hold.
 *
 * What the text leaves to the trace unit, and how it is read here. All of it but what stands in
 * struct second_choices is as <cairn/unit.h> promises it, so that the two can be compared:
 *   A clock sees at most one block. All resource events of a clock are evaluated once, when it ends
 *     (I_PBXRH, I_XZKFW: the text sets no time).
 *   Counter-at-zero and Sequencer states are seen one clock after EvalCounter and EvalSequencer
 *     computed them (D7.7.1's note: some logic may be pipelined).
 *   TRCVICTLR.EVENT is sampled when the block is told, with what was told before it in the clock
 *     and with what the block itself matches (I_KMXNS, R_NBKRP).
 *   Pausing evaluates the present clock only if something was told in it. Selector 1 is FALSE then
 *     (R_SXSQT says TRUE of Running alone). Counters and sequencer are seen as the last evaluation
 *     left them, and as the registers then have them (I_BRZXY). That takes no clock (R_YWDVJ).
 *     What counters and sequencer come to by it is in the registers, and is seen when the resources
 *     run again (I_CQNGN allows to lose it).
 *   An input that stays high while Paused is noted when a clock ends (R_KCXLF).
 *   A Single-shot Comparator Control fires for one clock in both modes (R_KJBCH says it of one),
 *     and once for all that one call resolves (R_SNDBZ).
 *   Start and stop points that are unresolved when the unit becomes disabled count (R_BZSXR,
 *     R_LRBDC); when tracing becomes prohibited in a transaction, its outcome decides (R_FFZDC).
 *   A failed transaction goes back to what start/stop was behind the block with TSTART: the first of
 *     R_CYQZV's two sentences; the second, SSSTATUS_i of that block, is the same unless the block
 *     has a start or stop point.
 *   A block of which every instruction is excluded, but not by one comparator alone, may be traced
 *     or not (I_LBNVM): then both are right.
 *   PE Comparator Inputs that are high match each instruction of a block (I_SKDCW); a program's start
 *     and stop points are either such inputs or comparators.
 *   Between the first block that ViewInst wants and the next P0 element everything is traced, since
 *     that element tells of it (R_KHDNX, I_MJMCV). */
#ifndef CAIRN_TESTS_UNIT_SECOND_RESOURCES_H
#define CAIRN_TESTS_UNIT_SECOND_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct second_registers {
    uint32_t rsctlr[32];                        /* D7.3 */
    uint32_t cntrldvr[4], cntctlr[4], cntvr[4]; /* D7.7 */
    uint32_t seqevr[3], seqrstevr, seqstr;      /* D7.8 */
    uint32_t sscc[8], sscs[8];                  /* D7.9: TRCSSCCR, TRCSSCSR */
    uint32_t eventctl0, eventctl1;              /* D7.10 */
    uint32_t extinsel[4];                       /* D7.11 */
    uint32_t rsr;                               /* TRCRSR */
    uint32_t sspcic[8], vipcssctlr;             /* D7.12: TRCSSPCICR, TRCVIPCSSCTLR */
    uint32_t victlr, viiectlr, vissctlr;        /* D6.8 */
    uint64_t acvr[16], acatr[16];               /* D7.4 */
    uint64_t cidcvr[8], vmidcvr[8];             /* D7.5, D7.6 */
    uint32_t cidcctlr[2], vmidcctlr[2];
};

/* What a trace unit can be asked to choose, or to have. */
struct second_choices {
    bool forced_sets_ta;      /* R_NZNDM, R_YFKGM: a forced exception sets TRCRSR.TA */
    bool prohibited_forgets;  /* R_XRSYH: what matched in a transaction, at a Prohibited region */
    bool pending_after_fired; /* R_GBDCK: with RST 0 and STATUS 1 */
    unsigned inputs;          /* External Input Selectors that there are: TRCIDR5.NUMEXTINSEL */
    unsigned events;          /* ETEEvents that there are: TRCIDR0.NUMEVENT */
};

struct second_block {
    uint64_t address;
    unsigned count; /* of A64 instructions */
    bool p0;        /* the last one is a P0 instruction */
};

enum second_security { SECOND_SECURE, SECOND_NONSECURE };
struct second_context {
    unsigned level;
    enum second_security security;
    uint32_t context_id, vmid;
};

enum second_verdict { SECOND_NOT_TRACED, SECOND_TRACED, SECOND_EITHER };

/* ETEEvents of one clock, a bit each. */
struct second_output {
    uint64_t clock;
    unsigned events;
};
/* How often something happened that the test wants to have seen. */
enum second_deed {
    SECOND_AT_ZERO,
    SECOND_SELF_RELOAD,
    SECOND_CHAINED,
    SECOND_FORWARD,
    SECOND_BACKWARD,
    SECOND_SEVERAL, /* states in one clock */
    SECOND_RESET,
    SECOND_FIRED,
    SECOND_INPUT_NOTED,
    SECOND_INPUT_REPLAYED,
    SECOND_EVENT,
    SECOND_EVENT_NOTED,
    SECOND_EVENT_REPLAYED,
    SECOND_PAUSING_STEP, /* the last propagation changed a counter or the sequencer */
    SECOND_VIEW_BY_EVENT,
    SECOND_STARTED,
    SECOND_STOPPED,
    SECOND_EXCLUDED,
    SECOND_OWED,
    SECOND_FORCED,
    SECOND_PE_MATCH,   /* a PE Comparator Input is a start or stop point, or a single-shot's */
    SECOND_OVERFLOWED, /* the unit, not its resources (R_TMPZZ) */
    SECOND_PENDING,
    SECOND_UNDONE, /* a start or stop point was cancelled, or its transaction failed */
    SECOND_NOT_FIRED,
    SECOND_DEEDS
};
extern const char *const second_deeds[SECOND_DEEDS];

/* What is undone by a Cancel: the state before a block or an Exceptional occurrence. */
struct second_before {
    uint32_t victlr, rsr;
    bool owed, inside;
    uint32_t outer;
};
enum second_told { SECOND_BLOCK, SECOND_BEGIN, SECOND_COMMIT, SECOND_FAIL, SECOND_FORGET };
struct second_entry {
    enum second_told kind;
    unsigned matched; /* Single-shot Comparator Controls */
    struct second_before before;
};

#define SECOND_UNRESOLVED 256u
#define SECOND_OUTPUTS 1048576u

struct second {
    struct second_registers reg;
    struct second_choices choices;
    bool enabled, prohibited, low_power, debug, running;
    uint64_t clock;
    struct second_context context;
    uint32_t levels; /* of the External Input Selectors; bits 15:8: PE Comparator Inputs */

    /* this clock */
    uint16_t line[8]; /* resources that are high, by group */
    bool has_block;   /* observed or not */
    bool told;        /* something that is evaluated even if the clock pauses */
    unsigned events;  /* ETEEvents that are not TRCEVENTCTL0R's */

    /* CounterAtZero and SequencerState as the last evaluation left them */
    unsigned at_zero, states;

    bool owed;  /* R_KHDNX: something is traced that no P0 element tells of yet */
    bool doubt; /* whether it still is: behind a failed transaction, behind a Cancel (R_KDVTX) */
    bool transaction; /* of the PE, whether or not that is observed */
    bool inside;      /* a transaction, as executed */
    uint32_t outer;   /* TRCVICTLR behind its TSTART */
    bool speculative;
    bool resolved_inside;   /* a transaction, as resolved */
    unsigned transactional; /* single-shots that wait for its end */
    struct second_entry entries[SECOND_UNRESOLVED];
    size_t unresolved;
    uint64_t resolved; /* how many were before */

    struct second_output outputs[SECOND_OUTPUTS];
    size_t output_count;
    uint8_t elements[SECOND_OUTPUTS]; /* Event elements, by number */
    size_t element_count;
    unsigned deeds[SECOND_DEEDS];
};

void second_begin(struct second *s, const struct second_registers *registers,
                  const struct second_choices *choices);
void second_enable(struct second *s);
void second_disable(struct second *s);
void second_prohibit(struct second *s, bool prohibited);
void second_low_power(struct second *s, bool low);
void second_debug_state(struct second *s, bool debug);

void second_inputs(struct second *s, uint32_t levels);
void second_pmu_event(struct second *s, unsigned number);
void second_ete_event(struct second *s, unsigned number);
void second_cycles(struct second *s, uint64_t cycles);

/* Whether the block is traced; then second_settle says what the unit did of SECOND_EITHER. */
enum second_verdict second_execute(struct second *s, const struct second_block *block);
void second_settle(struct second *s, const struct second_block *block, bool traced);
enum second_exception { SECOND_SYSTEM_ERROR, SECOND_PE_RESET, SECOND_OTHER_EXCEPTION };
bool second_exception(struct second *s, enum second_exception type);

void second_speculate(struct second *s, bool speculative);
uint64_t second_mark(const struct second *s);
void second_resolve(struct second *s, uint64_t mark);
void second_cancel(struct second *s, uint64_t mark);
void second_transaction(struct second *s, enum second_told kind);

/* --- between the two files --- */

void second_next_clock(struct second *s);
void second_fire(struct second *s, unsigned controls);
bool second_event(const struct second *s, unsigned event);
bool second_observes(const struct second *s);
void second_tell(struct second *s, enum second_told kind, unsigned matched);
void second_forget_unresolved(struct second *s);

#endif
