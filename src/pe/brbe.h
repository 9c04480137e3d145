/* SPDX-License-Identifier: BSD-2-Clause */
/* The Branch Record Buffer Extension (DDI0608 part F): FEAT_BRBE and FEAT_BRBEv1p1. The records, what is
 * recorded, the cycle count, pausing and freezing.
 *
 * All calls are in program order, and only of what is architecturally executed (R_KXTRK). Each gets a
 * "side": the register values that count for it, and what the PE is in. Exceptions, exception returns and
 * Debug state have two. Which writes count already is the caller's to know: an event that is a Context
 * synchronization event counts those that it synchronizes, on both sides (I_ZCHRF).
 * BRBFCR_EL1.PAUSED and LASTFAILED, BRBTS_EL1, the injection data registers and the records are written by
 * the PE itself: they live here, and what the register file has in their place is not looked at. */
#ifndef CAIRN_PE_BRBE_H
#define CAIRN_PE_BRBE_H

#include <cairn/brbe.h>

#include "pe/brbe_filter.h"
#include "pe/brbe_predict.h"

#define CAIRN_BRBE_RECORDS_MOST 64u
#define CAIRN_BRBE_BANK 32u /* records that can be read at a time */

/* What software did, or the caller left out. */
enum cairn_brbe_finding {
    CAIRN_BRBE_INJECTS_UNKNOWN, /* BRB INJ with a data register not written since the last one (R_LKDTJ) */
    CAIRN_BRBE_INJECTS_OUTSIDE, /* BRB INJ outside a BRBE Prohibited region (I_BCZRK) */
    CAIRN_BRBE_INJECTS_NOTHING, /* BRB INJ of a record with VALID 0b00: none is added */
    CAIRN_BRBE_READS_OLD,       /* a record from before a reset is read (S_YLMQQ) */
    CAIRN_BRBE_NOT_CONTINUOUS,  /* unpaused while there are records from before (I_XSBPR) */
    CAIRN_BRBE_NOT_PROGRAMMED,  /* EL3 records with controls not written since reset (S_GCYTK) */
    CAIRN_BRBE_RESERVED_TS,     /* a freeze with BRBCR_EL1.TS 0b00 where it decides */
    CAIRN_BRBE_RESERVED_BANK,   /* records read with BRBFCR_EL1.BANK 0b10 or 0b11 */
    CAIRN_BRBE_NO_TARGET, /* the caller never told a taken branch's target: all records are lost */
};

/* Where the architecture leaves a choice. All zero is the plain one of each. */
#define CAIRN_BRBE_RECORDS_ISB (1u << 0) /* ISB is a direct branch (R_FJYDC) */
/* BRB INJ adds a record outside a BRBE Prohibited region too (I_BCZRK) */
#define CAIRN_BRBE_INJECTS_ANYWHERE (1u << 1)
#define CAIRN_BRBE_INJECTION_COUNTS (1u << 2) /* an injected record is a BRB_FILTRATE (I_WGZSC) */
/* a failed transaction that was partly in a BRBE Prohibited region sets LASTFAILED (R_CBTBH) */
#define CAIRN_BRBE_PARTLY_FAILED (1u << 3)
/* branches of which the caller does not say how they were predicted go through brbe_predict.h; else they
 * were not predicted, which is "incorrectly predicted" (R_LRBGV) */
#define CAIRN_BRBE_PREDICTS (1u << 4)

struct cairn_brbe_options {
    uint32_t flags; /* CAIRN_BRBE_... */
    /* R_WMZKF. Below 0: BRB IALL leaves up to so many of the youngest records alone that came behind the
     * last Context synchronization event. Above 0: it takes besides up to so many records that come behind
     * it, up to and with the next Context synchronization event. */
    int32_t invalidate_shift;
    /* R_KSKLG. Records that are still generated behind the one whose BRB_FILTRATE froze the buffer: the
     * freeze happens behind them, or before BRBFCR_EL1 is read, or where a Prohibited region begins. */
    uint32_t skid;
    uint64_t unknown;    /* what is UNKNOWN reads as this */
    uint8_t reserved_TS; /* what BRBCR_EL1.TS 0b00 acts as where it decides: 1, 2, 3; 0: as 1 */
};

struct cairn_brbe_host {
    void *context;
    /* PhysicalCountInt(); NULL: 0. */
    uint64_t (*count)(void *context);
    /* BRB_FILTRATE. `where`: in what the PE was when it occurred; exception-related events are counted by
     * that (R_GMCHN). The PMU may call cairn_brbe_overflow from here. May be NULL. */
    void (*captured)(void *context, const struct cairn_pe_state *where, bool exception_related);
    /* True: this record, which is due, cannot be captured (R_PMRRL). May be NULL: all can. */
    bool (*loses)(void *context);
    /* May be NULL. */
    void (*finding)(void *context, enum cairn_brbe_finding finding);
};

/* How a branch was predicted. */
enum cairn_brbe_prediction {
    CAIRN_BRBE_NOT_TOLD,
    CAIRN_BRBE_HIT,
    CAIRN_BRBE_MISS,
};

struct cairn_brbe_branch {
    uint64_t source;
    uint64_t target;    /* with its tag, if it has one */
    uint32_t flags;     /* CAIRN_INSN_... */
    uint8_t kind;       /* enum cairn_insn_kind */
    uint8_t prediction; /* enum cairn_brbe_prediction */
    bool taken;
    bool
        has_target; /* else cairn_brbe_target tells it before the next event; of ISB it is not needed */
    bool calculated; /* the target is, and only told later: cycles count up to here (R_PGXMB) */
};

struct cairn_brbe_exception {
    uint64_t source; /* the preferred exception return address */
    uint64_t target; /* the vector's address */
    uint8_t type;    /* enum cairn_branch_type, as cairn_brbe_exception_type gives it */
};

struct cairn_brbe_return {
    uint64_t source; /* of the exception return instruction */
    uint64_t target;
    uint8_t prediction;
};

/* What the cycle counter and the host's `count` stand at. */
struct cairn_brbe_moment {
    uint64_t clock, count;
};

/* Parts of a record, and the injection data registers. */
enum cairn_brbe_part { CAIRN_BRBE_INF, CAIRN_BRBE_SRC, CAIRN_BRBE_TGT, CAIRN_BRBE_PARTS };

struct cairn_brbe {
    const struct cairn_pe_features *features;
    struct cairn_brbe_options options;
    struct cairn_brbe_host host;
    struct cairn_branch_registers records[CAIRN_BRBE_RECORDS_MOST]; /* a ring */
    /* CAIRN_BRANCH_SOURCE_UNKNOWN, TARGET_UNKNOWN of each, and of the one that comes next: what the caller has as 0
     * because nobody told it */
    uint16_t untold[CAIRN_BRBE_RECORDS_MOST], untold_next;
    uint32_t youngest; /* its place, if `valid` */
    uint32_t valid;    /* records */
    uint32_t old;      /* of these, the oldest so many are from before a reset */
    uint32_t fresh;    /* the youngest so many, if there are, are generated since the last CSE */
    uint32_t swallow;  /* so many further ones go with the last BRB IALL */
    /* the cycle counter */
    uint64_t clock;
    uint64_t generated_at;
    bool cycles_unknown;
    struct cairn_brbe_moment moment; /* of what is told late; looked at if `is_late` */
    bool is_late;
    /* as last looked at */
    bool prohibited;
    bool counting;
    /* pausing and freezing */
    bool paused;      /* BRBFCR_EL1.PAUSED */
    bool last_failed; /* BRBFCR_EL1.LASTFAILED */
    bool freezing;    /* a freeze waits for `skid` records */
    bool capturing;   /* within host.captured */
    uint32_t skid;
    uint32_t overflow;  /* PMOVSCLR_EL0, without the cycle counter's bit */
    uint64_t timestamp; /* BRBTS_EL1; software may write it */
    /* a taken branch whose target is not known yet */
    struct {
        bool open;
        bool wanted; /* to be recorded */
        bool shows_prediction;
        struct cairn_pe_state where;
        struct cairn_brbe_branch branch;
        struct cairn_brbe_moment moment;
        uint8_t type;
    } waiting;
    /* the outer transaction */
    struct {
        bool open, in_allowed, in_prohibited;
    } transaction;
    uint64_t injection[CAIRN_BRBE_PARTS];
    uint32_t injection_written; /* a bit each: since the last BRB INJ */
    /* Who follows what the buffer gets, in order; may be NULL. `dropped`: records are gone, and no younger
     * ones have pushed them out. */
    struct {
        void (*added)(void *context, const struct cairn_branch_registers *record);
        void (*dropped)(void *context);
        void *context;
    } follower;
    uint32_t unprogrammed; /* of BRBCR_EL1, BRBCR_EL2, BRBFCR_EL1, since the last reset */
    struct cairn_brbe_predictor predictor;
};

/* Makes an empty, unpaused buffer; `features` must outlive it. CAIRN_E_CONFIG: no BRBE, or not 8, 16, 32 or
 * 64 records (I_FBHCC). NULL options, host: the plain ones. */
CAIRN_MUST_CHECK cairn_status cairn_brbe_begin(struct cairn_brbe *brbe,
                                               const struct cairn_pe_features *features,
                                               const struct cairn_brbe_options *options,
                                               const struct cairn_brbe_host *host);

/* --- what the PE does --- */

/* Register values that count have changed, or the state, by nothing that is told by another call: before
 * the next one. What changes back in between unseen does not count. */
void cairn_brbe_look(struct cairn_brbe *brbe, const struct cairn_brbe_side *now);

/* A branch, taken or not, or an ISB. All else, exception returns too, is ignored. */
void cairn_brbe_branch(struct cairn_brbe *brbe, const struct cairn_brbe_side *now,
                       const struct cairn_brbe_branch *branch);
/* The target of the last taken branch, if that was not told: now its record is made. It counts as generated
 * now (R_PGXMB), or where the branch was if the target was calculated then. */
void cairn_brbe_target(struct cairn_brbe *brbe, const struct cairn_brbe_side *now, uint64_t target);
/* The last taken branch, whose target was not told, was not executed after all. */
void cairn_brbe_withdraw(struct cairn_brbe *brbe);

/* `after`: in what the exception is taken to, or what the return has loaded, which after an illegal return
 * is the same Exception level (I_JCYHD). */
void cairn_brbe_exception(struct cairn_brbe *brbe, const struct cairn_brbe_side *before,
                          const struct cairn_brbe_side *after,
                          const struct cairn_brbe_exception *exception);
void cairn_brbe_return(struct cairn_brbe *brbe, const struct cairn_brbe_side *before,
                       const struct cairn_brbe_side *after,
                       const struct cairn_brbe_return *exception_return);
/* Debug state is entered, `address` is where execution stopped; and left to `address`. */
void cairn_brbe_debug_entry(struct cairn_brbe *brbe, const struct cairn_brbe_side *before,
                            const struct cairn_brbe_side *after, uint64_t address);
void cairn_brbe_debug_exit(struct cairn_brbe *brbe, const struct cairn_brbe_side *before,
                           const struct cairn_brbe_side *after, uint64_t address);

/* A Context synchronization event; one that is an exception, a return or an ISB is told as that first. */
void cairn_brbe_synchronize(struct cairn_brbe *brbe);
void cairn_brbe_cycles(struct cairn_brbe *brbe, uint64_t cycles);
/* What is told from here on happened at that moment; and is told as it happens again. */
struct cairn_brbe_moment cairn_brbe_moment(const struct cairn_brbe *brbe);
void cairn_brbe_back_to(struct cairn_brbe *brbe, const struct cairn_brbe_moment *moment);
void cairn_brbe_up_to_date(struct cairn_brbe *brbe);
/* The overflow flags PMOVSCLR_EL0 have changed to this. */
void cairn_brbe_overflow(struct cairn_brbe *brbe, const struct cairn_brbe_side *now,
                         uint64_t flags);

/* The outer transaction begins, commits, or fails or is cancelled: each while still in it. */
void cairn_brbe_transaction_start(struct cairn_brbe *brbe, const struct cairn_brbe_side *now);
void cairn_brbe_transaction_commit(struct cairn_brbe *brbe);
void cairn_brbe_transaction_fail(struct cairn_brbe *brbe, const struct cairn_brbe_side *now);

/* BRB IALL, BRB INJ. Returns 0, or what the transaction fails with, as TSTART's result has it (I_TFKNW):
 * then nothing was done. */
#define CAIRN_BRBE_TRANSACTION_ERR (1u << 19)
uint32_t cairn_brbe_invalidate(struct cairn_brbe *brbe, const struct cairn_brbe_side *now);
uint32_t cairn_brbe_inject(struct cairn_brbe *brbe, const struct cairn_brbe_side *now);

/* A reset of the PE: MDCR_EL3.E3BREC and E3BREW, and after a Cold reset of all controls values that are
 * UNKNOWN, are written to `registers`. The records stay: what they hold after a reset is for software to
 * throw away (S_YLMQQ). */
void cairn_brbe_reset(struct cairn_brbe *brbe, struct cairn_pe_registers *registers, bool cold);

/* --- registers --- */

/* A write of BRBFCR_EL1 counts from now on; `now` has the new value. */
void cairn_brbe_write_control(struct cairn_brbe *brbe, const struct cairn_brbe_side *now,
                              uint64_t value);
/* BRBFCR_EL1 as a direct read gives it. A freeze that waits happens before (S_JCHLT). */
uint64_t cairn_brbe_read_control(struct cairn_brbe *brbe, const struct cairn_brbe_side *now);
/* BRBCR_EL1 or BRBCR_EL2 was written: for CAIRN_BRBE_NOT_PROGRAMMED alone. */
void cairn_brbe_programmed(struct cairn_brbe *brbe, enum cairn_pe_register which);
/* BRBINF<n>_EL1, BRBSRC<n>_EL1, BRBTGT<n>_EL1 with n 0 to 31 and the BANK that counts. */
uint64_t cairn_brbe_read(struct cairn_brbe *brbe, unsigned bank, unsigned n,
                         enum cairn_brbe_part part);
/* Record n, 0 the youngest; all zero where there is none. */
struct cairn_branch_registers cairn_brbe_record(const struct cairn_brbe *brbe, unsigned n);
/* CAIRN_BRANCH_SOURCE_UNKNOWN and TARGET_UNKNOWN of record n, of the halves that it has. */
uint32_t cairn_brbe_untold(const struct cairn_brbe *brbe, unsigned n);
void cairn_brbe_write_injection(struct cairn_brbe *brbe, enum cairn_brbe_part part, uint64_t value);
uint64_t cairn_brbe_read_injection(const struct cairn_brbe *brbe, enum cairn_brbe_part part);

#endif
