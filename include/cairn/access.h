/* SPDX-License-Identifier: BSD-2-Clause */
/* How the registers of a trace unit are reached: by system instructions of the PE, by an external
 * debugger, and, in ETMv4, by software through memory (DDI0608 D8, D6.1, D6.2, D6.5; the map and the
 * encodings: D8.4). cairn_unit_read and cairn_unit_write (<cairn/unit.h>) look at the same registers
 * without any of this: by name, at once, and whoever asks.
 *
 *     cairn_unit_mrs, cairn_unit_msr        an instruction, by its encoding, at an Exception level
 *     cairn_unit_load, cairn_unit_store     an access by offset, size and who makes it
 *     cairn_unit_session                    the programming state (D8.3)
 *     cairn_unit_os_lock, _reset, _power    what else decides whether the unit is enabled
 *     cairn_unit_tsb                        TSB CSYNC
 *
 * Units of ETMv4 and ETE only: others answer CAIRN_ANSWER_ERROR, and nothing else happens. A call is
 * an access, whole: two of them never mix (R_NBPML). Where the architecture leaves a choice, options
 * make it. What an access did is no matter of speculation: a Cancel does not take it back. */
#ifndef CAIRN_ACCESS_H
#define CAIRN_ACCESS_H

#include <cairn/unit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A system register as MRS and MSR name it; and what of a word of A64 that is one. */
#define CAIRN_SYSREG(op0, op1, CRn, CRm, op2)                                                      \
    ((uint32_t)(op0) << 14 | (uint32_t)(op1) << 11 | (uint32_t)(CRn) << 7 | (uint32_t)(CRm) << 3 | \
     (uint32_t)(op2))
#define CAIRN_SYSREG_OF_WORD(word) ((uint32_t)(word) >> 5 & 0xffffu)
/* Of the PE. In ETE its OS Lock is the unit's (D6.2.1), and these two are answered as well. */
#define CAIRN_SYSREG_OSLAR_EL1 CAIRN_SYSREG(2, 0, 1, 0, 4)
#define CAIRN_SYSREG_OSLSR_EL1 CAIRN_SYSREG(2, 0, 1, 1, 4)

/* What became of an access. Software sees no difference between the first four. */
enum cairn_answer {
    CAIRN_ANSWER_OK,
    CAIRN_ANSWER_RES0,      /* nothing is there, or nothing that way: reads as 0, ignores writes */
    CAIRN_ANSWER_IGNORED,   /* the write changed nothing: the state of the unit, a lock, or a
                               reserved value forbids it */
    CAIRN_ANSWER_UNKNOWN,   /* what was read is UNKNOWN, or what the register has now */
    CAIRN_ANSWER_ERROR,     /* an error response: External Abort */
    CAIRN_ANSWER_UNDEFINED, /* the instruction is UNDEFINED */
};

/* A register that this unit has. */
struct cairn_unit_register_info {
    size_t size; /* of this structure */
    char name[24];
    uint32_t offset; /* in the 4 KiB of the external interface */
    uint32_t sysreg; /* CAIRN_SYSREG(...); 0: no instruction reaches it */
    uint32_t bits;   /* 32 or 64 */
    uint32_t flags;  /* CAIRN_REGISTER_... */
};
#define CAIRN_REGISTER_READABLE (1u << 0)
#define CAIRN_REGISTER_WRITABLE (1u << 1)
/* Register `index`, in no order; CAIRN_E_NOT_FOUND past the last. */
CAIRN_API cairn_status cairn_unit_register_info(const struct cairn_unit *unit, size_t index,
                                                struct cairn_unit_register_info *info);
/* The register of this name, in any case. */
CAIRN_API cairn_status cairn_unit_register_find(const struct cairn_unit *unit, const char *name,
                                                struct cairn_unit_register_info *info);

/* --- accesses --- */

/* `why` is filled with a sentence where the answer is not CAIRN_ANSWER_OK; NULL is fine. `value` is
 * written where there is one: 0 of what is RES0, and with CAIRN_ANSWER_UNKNOWN what the unknown value
 * happens to be. */
CAIRN_API enum cairn_answer cairn_unit_mrs(struct cairn_unit *unit, uint32_t sysreg, unsigned EL,
                                           uint64_t *value, struct cairn_error *why);
CAIRN_API enum cairn_answer cairn_unit_msr(struct cairn_unit *unit, uint32_t sysreg, unsigned EL,
                                           uint64_t value, struct cairn_error *why);

/* Who makes an access from outside, and how. */
#define CAIRN_EXTERNAL_NONSECURE (1u << 0)
#define CAIRN_EXTERNAL_EXCLUSIVE (1u << 1)
/* ETMv4: software, through memory. It is subject to the software lock (TRCLAR) and not to the OS
 * Lock. An ETE has no such way in (D16): the answer is an error. */
#define CAIRN_EXTERNAL_SOFTWARE (1u << 2)
/* `bytes` is any size, 4 and 8 being those that a unit supports (D8.1.1). */
CAIRN_API enum cairn_answer cairn_unit_load(struct cairn_unit *unit, uint32_t offset,
                                            uint32_t bytes, uint32_t flags, uint64_t *value,
                                            struct cairn_error *why);
CAIRN_API enum cairn_answer cairn_unit_store(struct cairn_unit *unit, uint32_t offset,
                                             uint32_t bytes, uint32_t flags, uint64_t value,
                                             struct cairn_error *why);

/* MDCR_EL3.ETAD: Non-secure accesses of external debuggers are denied. At first false. */
CAIRN_API void cairn_unit_deny_external(struct cairn_unit *unit, bool ETAD);
/* EDPRSR.STAD: an access was denied for that reason, and no higher one (R_YSHRS). Reading it, as the
 * call does, clears it. */
CAIRN_API bool cairn_unit_denied(struct cairn_unit *unit);

/* --- sessions --- */

/* DDI0608 D8.3, Table D8.2. */
enum cairn_session {
    CAIRN_SESSION_IDLE,
    CAIRN_SESSION_ENABLING,
    CAIRN_SESSION_RUNNING,
    CAIRN_SESSION_UNSTABLE,
    CAIRN_SESSION_STABLE,
};
/* The unit goes from Enabling to Running, from Unstable to Stable and from there to Idle after so
 * many steps (below); to Idle not before all its trace is out, and if its sink failed, never. A unit
 * is enabled while TRCPRGCTLR.EN is 1, its OS Lock is unlocked and it has power. Executed code is
 * traced from Enabling on. */
CAIRN_API enum cairn_session cairn_unit_session(const struct cairn_unit *unit);

/* Where the architecture leaves a choice. */
/* D8.3, R_RWYQD: a write while the unit is not idle gives the register an UNKNOWN value; else it is
 * ignored. */
#define CAIRN_ACCESS_BUSY_WRITES_UNKNOWN (1u << 0)
/* R_MDZDN: so does one to TRCPRGCTLR that would change EN while the unit is neither idle nor
 * running. */
#define CAIRN_ACCESS_BUSY_ENABLE_UNKNOWN (1u << 1)
/* R_YFRMG: unsupported sizes give an error, and what is written is UNKNOWN; or they read UNKNOWN
 * data and writes are ignored. Neither: reads UNKNOWN, writes make UNKNOWN. */
#define CAIRN_ACCESS_UNSUPPORTED_ERROR (1u << 2)
#define CAIRN_ACCESS_UNSUPPORTED_IGNORED (1u << 3)
/* R_KQMKX: what is not there is an error while the OS Lock is locked; and to those whom ETAD denies;
 * else RES0. */
#define CAIRN_ACCESS_LOCKED_ERROR (1u << 4)
#define CAIRN_ACCESS_DENIED_ERROR (1u << 5)
/* TRCSTATR.PMSTABLE while the unit is enabled (Table D8.2: UNKNOWN) is 1, else 0. */
#define CAIRN_ACCESS_STABLE_WHEN_ENABLED (1u << 6)
/* R_WYWMJ: the authentication signals reach TRCAUTHSTATUS at a Context synchronization event, else
 * at once. */
#define CAIRN_ACCESS_AUTHENTICATION_WAITS (1u << 7)
/* I_KWCGH: what an MSR writes is seen by the unit, and by debuggers, only behind the next Context
 * synchronization event (cairn_unit_synchronize_context, an exception, an executed ISB or ERET); the
 * same of TRCPRGCTLR and OSLAR_EL1. Else at once. MRS sees it in any case, and claim tags are seen by
 * all. */
#define CAIRN_ACCESS_LATE_WRITES (1u << 8)
#define CAIRN_ACCESS_LATE_ENABLE (1u << 9)
/* R_WZQWC, R_GQKGX: what the unit itself changes in TRCVICTLR and TRCRSR is seen as late as may be:
 * by debuggers when it is Stable or Idle, by MRS at the first Context synchronization event behind
 * that. TRCSTATR is seen by MRS as it was at the last such event (S_HSXGZ), and so is what a debugger
 * wrote into TRCVICTLR and TRCRSR (I_RDFSX). */
#define CAIRN_ACCESS_LATE_READS (1u << 10)

/* Begin with CAIRN_ACCESS_OPTIONS_INIT. A step is an access (behind the answer to it), or a cycle
 * of the PE clock that is told. */
struct cairn_access_options {
    size_t size;       /* of this structure */
    uint32_t choices;  /* CAIRN_ACCESS_... */
    uint32_t enabling; /* steps from Enabling to Running; 0: at once */
    uint32_t unstable; /* from Unstable to Stable */
    uint32_t draining; /* from Stable to Idle */
    uint64_t unknown;  /* seed of values that are UNKNOWN; 0: they are all 0 */
};
#define CAIRN_ACCESS_OPTIONS_INIT                                                                  \
    {                                                                                              \
        .size = sizeof(struct cairn_access_options)                                                \
    }
/* CAIRN_E_ARGUMENT: a choice that this version does not know, or more than 1,048,576 steps.
 * CAIRN_E_UNSUPPORTED: the unit is no ETMv4 or ETE. */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_unit_access_options(struct cairn_unit *unit, const struct cairn_access_options *options);

/* --- what else happens to a unit --- */

/* The OS Lock is locked or not, whoever did it: ETE the PE's (OSLAR_EL1, of which there are two ways
 * in), ETMv4 its own (TRCOSLAR). After cairn_unit_new it is unlocked. Locking it disables an enabled
 * unit, unlocking it enables one whose TRCPRGCTLR.EN is 1. */
CAIRN_API void cairn_unit_os_lock(struct cairn_unit *unit, bool locked);

enum cairn_reset {
    CAIRN_RESET_WARM,       /* of the PE: no matter of the unit (R_YYHBF) */
    CAIRN_RESET_TRACE_UNIT, /* all its registers; those without a reset value are UNKNOWN then, and
                               TRCPDSR.STICKYPD is 1. ETMv4: its OS Lock is locked */
    CAIRN_RESET_COLD,       /* of the PE: the same, and its OS Lock is locked, and it is in a
                               Prohibited region until cairn_unit_prohibit says otherwise (S_WVMHS) */
};
CAIRN_API void cairn_unit_reset(struct cairn_unit *unit, enum cairn_reset kind);

/* Of the trace unit's Core power domain (D6.5). Trace that the unit has is put out before power
 * goes. */
enum cairn_power {
    CAIRN_POWER_NORMAL,    /* from DOWN: a cold reset, for the PE's power is the unit's (D16) */
    CAIRN_POWER_STANDBY,   /* as good as NORMAL */
    CAIRN_POWER_RETENTION, /* no access; nothing is lost */
    CAIRN_POWER_DOWN,      /* no access; everything is lost */
    CAIRN_POWER_SAVED,     /* the same, but what was in registers is there again when power returns,
                              TRCPDSR.STICKYPD too (R_CMKXK) */
};
CAIRN_API void cairn_unit_power(struct cairn_unit *unit, enum cairn_power power);

/* TSB CSYNC is executed, behind a Context synchronization event: when the call returns, all elements
 * of what was told before are generated; where nothing is traced any more (a Prohibited region, a
 * unit that is disabled, Debug state), the unit is not Unstable, and all bytes are out. Returns the
 * steps that it waited for that. It does not wait for speculation or transactions to be resolved
 * (I_HNSGS). */
CAIRN_API uint64_t cairn_unit_tsb(struct cairn_unit *unit);

#ifdef __cplusplus
}
#endif
#endif
