/* SPDX-License-Identifier: BSD-2-Clause */
/* A Processing Element as far as trace depends on it: Exception level and Security state, System
 * registers with their traps, an ETE, the Trace Buffer Unit (DDI0608 part E), the Branch Record Buffer (part F) and the Performance
 * Monitors. It executes nothing: a board, a replayed flow, a log or a test says what is executed, and what
 * follows from that happens. What is prohibited is computed (TRFCR_ELx, MDCR_ELx, the owner of the buffer).
 *
 *     cairn_pe_mrs, cairn_pe_msr, cairn_pe_sys   what an instruction does, by its encoding
 *     cairn_pe_barrier                           ISB, DSB, TSB CSYNC
 *     cairn_pe_execute, _exception, _return      what the program does
 *     cairn_pe_halt, _resume                     Debug state
 *     cairn_pe_transaction_start, _commit, _fail
 *     cairn_pe_reset, cairn_pe_power             resets, and the power of the PE with all that is around it
 *     cairn_pe_trigger                           what its Cross-trigger Interface tells it
 *     cairn_pe_load, cairn_pe_store              what it does to the trace buffer's memory
 *     cairn_pe_read, cairn_pe_write              what a debugger of the model sees: at once, by name
 *
 * Barriers matter: see enum cairn_pe_order. */
#ifndef CAIRN_PE_H
#define CAIRN_PE_H

#include <cairn/access.h>
#include <cairn/brbe.h>
#include <cairn/lint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_pe;

/* When what software writes counts, and when trace is written (E1.2.3). All three are what the
 * architecture allows. Software that has its barriers sees the same in each. The trace unit is as late, by
 * cairn_unit_access_options, which a caller may set anew (cairn_pe_unit). */
enum cairn_pe_order {
    CAIRN_PE_EARLY, /* all at once */
    CAIRN_PE_LATE, /* as late as may be: behind a Context synchronization event, a TSB CSYNC, a DSB */
    CAIRN_PE_RANDOM, /* at times that `seed` says */
};

/* Barriers, in the order in which software needs them. */
#define CAIRN_PE_MISSES_CSE                                                                        \
    (1u << 0) /* an ISB, an exception or its return, behind what comes first */
#define CAIRN_PE_MISSES_PROHIBITION                                                                \
    (1u << 1)                         /* that event has to lead to a Trace Prohibited region */
#define CAIRN_PE_MISSES_TSB (1u << 2) /* TSB CSYNC, behind that */
#define CAIRN_PE_MISSES_DSB (1u << 3)
#define CAIRN_PE_MISSES_CSE2                                                                       \
    (1u << 4) /* another Context synchronization event, behind TSB or DSB */
/* A read of TRCSTATR, behind an ISB, that gives */
#define CAIRN_PE_MISSES_IDLE (1u << 5)    /* IDLE 1: the trace unit may be programmed */
#define CAIRN_PE_MISSES_RUNNING (1u << 6) /* IDLE 0: it is enabled, and that has come into force */
#define CAIRN_PE_MISSES_STABLE (1u << 7)  /* PMSTABLE 1, or IDLE: what it counted stands still */
#define CAIRN_PE_MISSES_TLBI (1u << 8)    /* TLB maintenance, before the DSB */
#define CAIRN_PE_MISSES_OFF (1u << 9)     /* no barrier: TRBLIMITR_EL1.E is to be 0 */

/* Two accesses whose order the architecture leaves open, where the results differ. */
struct cairn_pe_finding {
    size_t size;        /* of this structure */
    const char *rule;   /* DDI0608's: "R_VTNCS"; "G1.3": that figure; "Arm ARM": not in it */
    const char *name;   /* of the register; NULL: memory at `address` */
    uint32_t missing;   /* CAIRN_PE_MISSES_... */
    uint64_t address;   /* of memory */
    uint64_t place;     /* cairn_pe_at: of the access that may have either result */
    uint64_t since;     /* and of what it is not ordered with */
    uint64_t values[2]; /* of a register, what it may be; both 0 where that is not known */
    const char *what;   /* a sentence */
    const char *remedy;
};
typedef void cairn_pe_tell(void *context, const struct cairn_pe_finding *finding);

/* Of a write of the Trace Buffer Unit that is complete. `address` as TRBPTR_EL1 had it; the physical one where
 * addresses are translated. */
typedef void cairn_pe_memory(void *context, uint64_t address, const uint8_t *bytes, size_t size);

/* Eight bytes of memory at a physical address, a multiple of eight, for a walk of translation tables, in the
 * address space of `security` (enum cairn_security). They are asked for whenever they are needed, which may be
 * later than the write that asks. false: nothing is there, which is an External abort. */
typedef bool cairn_pe_walk(void *context, unsigned security, uint64_t address, uint8_t bytes[8]);

/* The trigger inputs of a Cross-trigger Interface (CTI), which a PE tells it of, by the numbers of the Arm Architecture
 * Reference Manual. */
#define CAIRN_PE_CTI_HALTED 0u   /* Debug state was entered */
#define CAIRN_PE_CTI_OVERFLOW 1u /* PMUIRQ went high */
#define CAIRN_PE_CTI_TRACE 4u    /* to 7: External Outputs 0 to 3 of the trace unit (I_RFLGF) */
/* `number` is one of these. It may not call the PE. */
typedef void cairn_pe_cti(void *context, unsigned number);

/* What becomes of a write of the Trace Buffer Unit that memory answers with an External abort (R_GQWBF, R_NZTKV). */
enum cairn_pe_abort {
    CAIRN_PE_ABORT_SYNCHRONOUS, /* the unit stops at the byte, and TRBPTR_EL1 is its address */
    /* It stops `abort_delay` bytes later, or when a DSB waits for the write; TRBPTR_EL1 is where it is then. */
    CAIRN_PE_ABORT_ASYNCHRONOUS,
    CAIRN_PE_ABORT_SYSTEM_ERROR, /* the unit goes on; the PE gets an SError interrupt */
};
/* How many of `size` bytes from a physical address on, which are in one page of 4KB, are written in front of the first
 * one that aborts; *how is set if there is one. It is asked for each order that is tried, has to answer alike, and may
 * not call the PE. */
typedef size_t cairn_pe_aborts(void *context, uint64_t address, size_t size,
                               enum cairn_pe_abort *how);

#define CAIRN_PE_HAS_EL2 (1u << 0)
#define CAIRN_PE_HAS_EL3 (1u << 1)
#define CAIRN_PE_HAS_SECURE_EL2 (1u << 2)
#define CAIRN_PE_HAS_REALMS (1u << 3)
#define CAIRN_PE_HAS_TRANSACTIONS (1u << 4)
#define CAIRN_PE_HAS_TRBE (1u << 5)
#define CAIRN_PE_HAS_BRBE (1u << 6)
#define CAIRN_PE_HAS_BRBE_V1P1 (1u << 7) /* with CAIRN_PE_HAS_BRBE */

/* What DDI0608 part F leaves to a Branch Record Buffer. None of them is the plain choice of each. */
#define CAIRN_PE_BRANCHES_RECORD_ISB (1u << 0) /* an ISB is a direct branch (R_FJYDC) */
/* BRB INJ adds a record outside a BRBE Prohibited region too (I_BCZRK) */
#define CAIRN_PE_BRANCHES_INJECT_ANYWHERE (1u << 1)
#define CAIRN_PE_BRANCHES_COUNT_INJECTIONS (1u << 2) /* as BRB_FILTRATE (I_WGZSC) */
/* a failed transaction that was partly in a BRBE Prohibited region sets LASTFAILED (R_CBTBH) */
#define CAIRN_PE_BRANCHES_PARTLY_FAILED (1u << 3)
/* what cairn_pe_predict says nothing of goes through a small predictor; else it was not predicted */
#define CAIRN_PE_BRANCHES_PREDICTED (1u << 4)

/* Begin with CAIRN_PE_OPTIONS_INIT. */
struct cairn_pe_options {
    size_t size;             /* of this structure */
    uint32_t flags;          /* CAIRN_PE_HAS_... */
    uint32_t branch_records; /* 8, 16, 32, 64 */
    uint32_t counters;       /* PMCR_EL0.N, 0 to 31 */
    uint32_t trbe_align;     /* TRBIDR_EL1.Align, 0 to 11 */
    const struct cairn_unit_options
        *unit; /* an ETE; NULL: none. Its sink gets what no enabled Trace
                                                Buffer Unit takes; its port is not looked at */
    enum cairn_pe_order order;
    bool finds; /* look for what is not ordered; costs time and memory */
    uint64_t seed;
    cairn_pe_tell *tell;                     /* NULL: nobody asks */
    cairn_pe_memory *memory;                 /* NULL: written nowhere */
    void (*line)(void *context, bool level); /* TRBIRQ; NULL: not connected */
    void *context;
    uint32_t branch_choices; /* CAIRN_PE_BRANCHES_... */
    /* R_WMZKF. Below 0: BRB IALL leaves up to so many of the youngest records alone that came behind the last
     * Context synchronization event. Above 0: it takes besides up to so many records that come behind it, up to
     * and with the next such event. */
    int32_t branch_invalidation;
    uint32_t
        branch_skid; /* R_KSKLG: records that are still made behind the one that asks for a freeze */
    /* Addresses of the buffer are translated as the registers of the regime that owns it say (SCTLR_ELx, TCR_ELx,
     * TTBRn_ELx, and HCR_EL2, VTCR_EL2, VTTBR_EL2 of stage 2). NULL: they are taken as they are. */
    cairn_pe_walk *walk;
    cairn_pe_cti
        *cti; /* NULL: there is no Cross-trigger Interface, or nobody looks at its inputs */
    /* A seed of what registers have that are UNKNOWN after a reset; 0: they are 0. Of the trace unit's there is
     * another one (struct cairn_access_options). */
    uint64_t unknown;
    cairn_pe_aborts *aborts; /* NULL: what is translated is written */
    /* SError, for a byte of trace that was to go to `address`, as TRBPTR_EL1 had it; once for bytes in a row. */
    void (*system_error)(void *context, uint64_t address);
    uint32_t abort_delay; /* below UINT32_MAX */
    /* A Cold or Warm reset, whoever tells it (cairn_pe_reset, power that comes back, a feed): in front of it, when what was
     * traced before is written and the registers are as they were, and once more when it is `done`. It may read and
     * write registers by name then, as software has them when it has come up again. */
    void (*reset)(void *context, enum cairn_reset kind, bool done);
    void (*counter_line)(void *context, bool level); /* PMUIRQ; NULL: not connected */
};
#define CAIRN_PE_OPTIONS_INIT                                                                      \
    {                                                                                              \
        .size = sizeof(struct cairn_pe_options),                                                   \
        .flags = CAIRN_PE_HAS_EL2 | CAIRN_PE_HAS_EL3 | CAIRN_PE_HAS_TRBE | CAIRN_PE_HAS_BRBE,      \
        .branch_records = 32, .counters = 6, .abort_delay = 64                                     \
    }

/* At EL3 after a Cold reset, the trace unit disabled and the OS Lock unlocked. CAIRN_E_ARGUMENT: an option that cannot be.
 * Errors of cairn_unit_new. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_pe_new(const struct cairn_pe_options *options,
                                                     struct cairn_pe **pe,
                                                     struct cairn_error *error);
CAIRN_API void cairn_pe_free(struct cairn_pe *pe);
/* CAIRN_OK, or what went wrong since: memory, or the unit's sink. */
CAIRN_API cairn_status cairn_pe_status(const struct cairn_pe *pe);
/* The trace unit, to look at; NULL without one. What happens to it is told to the PE. */
CAIRN_API struct cairn_unit *cairn_pe_unit(struct cairn_pe *pe);

/* --- system registers --- */

enum cairn_pe_answer {
    CAIRN_PE_ANSWER_OK,
    CAIRN_PE_ANSWER_UNDEFINED,
    CAIRN_PE_ANSWER_TRAP_EL1, /* the instruction is trapped, with EC 0x18 */
    CAIRN_PE_ANSWER_TRAP_EL2,
    CAIRN_PE_ANSWER_TRAP_EL3,
    /* nothing is done, and the transaction that the PE is in fails with ERR (I_TFKNW): cairn_pe_transaction_fail
     * is the caller's to tell */
    CAIRN_PE_ANSWER_FAILS,
};

/* The encoding of a register by its name, in any case: CAIRN_SYSREG(...); 0: there is none of that
 * name. And back: NULL, or `name`. */
CAIRN_API uint32_t cairn_pe_encoding(const char *name);
CAIRN_API const char *cairn_pe_name(uint32_t encoding, char name[24]);

/* What an instruction at the present Exception level does. `value` is written with CAIRN_PE_ANSWER_OK. */
CAIRN_API enum cairn_pe_answer cairn_pe_mrs(struct cairn_pe *pe, uint32_t encoding,
                                            uint64_t *value);
CAIRN_API enum cairn_pe_answer cairn_pe_msr(struct cairn_pe *pe, uint32_t encoding, uint64_t value);
#define CAIRN_PE_BRB_IALL CAIRN_SYSREG(1, 1, 7, 2, 4)
#define CAIRN_PE_BRB_INJ CAIRN_SYSREG(1, 1, 7, 2, 5)
/* A SYS instruction: BRB IALL, BRB INJ, which fail a transaction; and TLBI of EL1 and EL2, by VA, ASID, IPA or all,
 * with IS and OS: what is kept of the buffer's translations. */
CAIRN_API enum cairn_pe_answer cairn_pe_sys(struct cairn_pe *pe, uint32_t encoding, uint64_t value);

/* By name, whoever asks, at once and without anything following from it but what the value means from then
 * on. CAIRN_E_NOT_FOUND: there is no such register. CAIRN_E_UNSUPPORTED: the PE has no power, or keeps it to itself
 * (cairn_pe_power), so that nobody reaches any. */
CAIRN_API cairn_status cairn_pe_read(struct cairn_pe *pe, const char *name, uint64_t *value);
CAIRN_API cairn_status cairn_pe_write(struct cairn_pe *pe, const char *name, uint64_t value);

enum cairn_pe_barrier {
    CAIRN_PE_BARRIER_ISB,
    CAIRN_PE_BARRIER_DSB,
    CAIRN_PE_BARRIER_TSB_CSYNC,
};
CAIRN_API void cairn_pe_barrier(struct cairn_pe *pe, enum cairn_pe_barrier barrier);

/* --- the program --- */

/* What is called from here on is at this place: an address, a line, a number. Findings have it. */
CAIRN_API void cairn_pe_at(struct cairn_pe *pe, uint64_t place);

/* Where the PE is, without anything having led there: at the beginning, or of a feed that lost the
 * thread. The identifiers of this context, and of all that are told below, are of CONTEXTIDR_EL1 and CONTEXTIDR_EL2 (0
 * where TRFCR_EL2.CX disallows it), unless neither was written since the last reset: then of `context`. */
CAIRN_API void cairn_pe_enter(struct cairn_pe *pe, const struct cairn_context *context);

/* A block is executed, as cairn_unit_execute has it. One that ends with an exception return is followed
 * by cairn_pe_return; an ISB in it, if it is executed, is a Context synchronization event. */
CAIRN_API void cairn_pe_execute(struct cairn_pe *pe, const struct cairn_block *block, bool taken);

/* How the branch or exception return is predicted that the next block ends with, taken or not. If nobody says, it
 * was not predicted, which is to be incorrectly predicted (R_LRBGV), unless CAIRN_PE_BRANCHES_PREDICTED. */
enum cairn_pe_prediction {
    CAIRN_PE_NOT_PREDICTED,
    CAIRN_PE_PREDICTED,
    CAIRN_PE_MISPREDICTED,
};
CAIRN_API void cairn_pe_predict(struct cairn_pe *pe, enum cairn_pe_prediction prediction);

struct cairn_pe_exception {
    size_t size;             /* of this structure */
    unsigned type;           /* CAIRN_EXCEPTION_... of <cairn/unit.h> */
    uint64_t address;        /* preferred exception return address */
    uint64_t vector;         /* where execution goes on */
    enum cairn_isa isa;      /* of `address` */
    struct cairn_context to; /* the level and state it is taken to */
};
CAIRN_API void cairn_pe_exception(struct cairn_pe *pe, const struct cairn_pe_exception *exception);
/* The exception return that the last block ended with went there. */
CAIRN_API void cairn_pe_return(struct cairn_pe *pe, uint64_t target,
                               const struct cairn_context *to);

/* Debug state is entered in front of the instruction at `address`; and left for the one at `address`, in that
 * context. In between nothing is executed; accesses are the debugger's instructions. */
CAIRN_API void cairn_pe_halt(struct cairn_pe *pe, uint64_t address, enum cairn_isa isa);
CAIRN_API void cairn_pe_resume(struct cairn_pe *pe, uint64_t address,
                               const struct cairn_context *to);

/* The outer transaction of a PE with CAIRN_PE_HAS_TRANSACTIONS; without, nothing happens. The last block ended
 * with its TSTART; with its TCOMMIT; or it fails, or is cancelled: in front of the instruction at `address`, that
 * is not executed any more, with what TSTART then results in. The next block is the one behind TSTART. What makes
 * a transaction fail (an exception, an exception return, most accesses) is the caller's to know, and told behind
 * the failure. */
CAIRN_API void cairn_pe_transaction_start(struct cairn_pe *pe);
CAIRN_API void cairn_pe_transaction_commit(struct cairn_pe *pe);
CAIRN_API void cairn_pe_transaction_fail(struct cairn_pe *pe, uint64_t address, uint64_t result);

/* A reset. COLD: System registers have their reset values or UNKNOWN ones, trace unit, trace buffer and Performance
 * Monitors are disabled, the OS Lock is locked until software unlocks it, and the PE is at its highest Exception
 * level. WARM, in front of the instruction at `address`, which is not executed any more: the same of the PE alone. The
 * trace unit goes on (R_YYHBF), with a PE Reset exception in its trace; the OS Lock is as it was, and of branch records
 * MDCR_EL3.E3BREC is, and with CAIRN_PE_HAS_BRBE_V1P1 all controls are (F1.1.13). TRACE_UNIT: the registers of that
 * alone. What was traced before is written first; records of branches stay in any case (S_YLMQQ). `address` and `isa`
 * are looked at with WARM only. */
CAIRN_API void cairn_pe_reset(struct cairn_pe *pe, enum cairn_reset kind, uint64_t address,
                              enum cairn_isa isa);

/* Power of the PE, and with it of the trace unit, which is in the same domain (D16), of trace buffer, branch records and
 * Performance Monitors. STANDBY: it waits for an interrupt or event (WFI, WFE), all registers are there, the trace unit
 * is in its low-power state, and cycles that pass are those of a clock that is stopped. RETENTION: nothing is lost,
 * and nothing reached. DOWN: all is lost, and NORMAL or STANDBY behind it is a Cold reset. SAVED: as RETENTION, but
 * that the trace unit's trace is out before. In the last three whatever is told of a program, whatever the CTI tells, and
 * a reset nobody hears; instructions are UNDEFINED there, and a debugger's accesses errors. */
CAIRN_API void cairn_pe_power(struct cairn_pe *pe, enum cairn_power power);

/* Trigger output `number` of the Cross-trigger Interface: 4 to 7, which are events CTI_TRIGOUT4 to 7 of the Performance
 * Monitors and of the trace unit's External Inputs (E1.3.1, R_VBCBZ). CAIRN_E_ARGUMENT: another one; the Debug request 0
 * and the Restart request 1 are cairn_pe_halt and cairn_pe_resume. */
CAIRN_API cairn_status cairn_pe_trigger(struct cairn_pe *pe, unsigned number);

CAIRN_API void cairn_pe_cycles(struct cairn_pe *pe, uint64_t cycles);
CAIRN_API void cairn_pe_time(struct cairn_pe *pe, uint64_t count);

/* Software reads or writes memory of the trace buffer. The bytes are not the PE's: what is read is asked
 * of the caller's memory, which has what `memory` was told. The address is physical where addresses are
 * translated. */
CAIRN_API void cairn_pe_load(struct cairn_pe *pe, uint64_t address, uint64_t size);
CAIRN_API void cairn_pe_store(struct cairn_pe *pe, uint64_t address, const uint8_t *bytes,
                              size_t size);

/* All that waits happens: what a machine comes to that is left alone. */
CAIRN_API void cairn_pe_settle(struct cairn_pe *pe);

/* Whether what is executed now is in a Trace Prohibited region; with a trace unit, as it sees it. */
CAIRN_API bool cairn_pe_is_prohibited(const struct cairn_pe *pe);

/* Records of the Branch Record Buffer, the youngest first: how many of `count` were written; none where registers are
 * not reached (cairn_pe_power). Each
 * branch has its `size` set by the caller. What nobody told has CAIRN_BRANCH_SOURCE_UNKNOWN or
 * CAIRN_BRANCH_TARGET_UNKNOWN. */
CAIRN_API size_t cairn_pe_branches(const struct cairn_pe *pe, struct cairn_branch *branches,
                                   size_t count);

/* --- programming --- */

/* Calls `tell` for each thing that is wrong with values of System registers of the trace buffer and the branch
 * records, before anything is executed (docs/lint.md); `unit` is in what is told, or NULL. A register that is not
 * given is not judged, and other names are not looked at. Reserved values of TRBLIMITR_EL1 and TRFCR_ELx are
 * cairn_lint's, which knows them with an ETE. */
CAIRN_API void cairn_pe_lint(const struct cairn_register *registers, size_t count, const char *unit,
                             cairn_lint_tell *tell, void *context);
/* Rule `index` of these, as cairn_lint_rule; its protocol is CAIRN_PROTOCOL_UNKNOWN. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_pe_lint_rule(size_t index,
                                                           struct cairn_lint_rule_info *info);

/* --- scripts --- */

/* What an mrs or read of a script gave. */
typedef void cairn_pe_told(void *context, unsigned line, const char *name, uint64_t value);

/* Runs a register script: docs/pe.md has its words (msr, mrs, isb, dsb, tsb, sys, enter, run, load, store
 * ...). Each line's number is its place. `name` is the file's, for errors. CAIRN_E_FORMAT: a line is none.
 * CAIRN_E_CONFIG: an access is UNDEFINED, trapped, or of no register; the error names the line. Addresses of
 * `load` and `store` are virtual ones if anything is translated. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_pe_script(struct cairn_pe *pe, const char *name,
                                                        const char *text, size_t size,
                                                        cairn_pe_told *told, void *context,
                                                        struct cairn_error *error);

#ifdef __cplusplus
}
#endif
#endif
