/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch records of the Branch Record Buffer Extension (DDI0608 part F): what the three registers of a
 * record mean, stacks of records, and the same as perf_branch_entry of Linux.
 *
 * DDI0608 names the fields of BRBINF<n>_EL1; their positions, the codes of TYPE and the format of CC are
 * those of the Arm Architecture Reference Manual's register pages. T (Transactional state) is told of
 * there alone. */
#ifndef CAIRN_BRBE_H
#define CAIRN_BRBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* BRBINF<n>_EL1.TYPE (F1.1.9.1). X(NAME, code, "name"). The list is open: all other codes are
 * reserved. */
#define CAIRN_BRANCH_TYPES(X)                                                                      \
    X(DIRECT, 0x00, "Direct branch")                                                               \
    X(INDIRECT, 0x01, "Indirect branch")                                                           \
    X(DIRECT_CALL, 0x02, "Direct branch with link")                                                \
    X(INDIRECT_CALL, 0x03, "Indirect branch with link")                                            \
    X(RETURN, 0x05, "Return from subroutine")                                                      \
    X(EXCEPTION_RETURN, 0x07, "Exception return")                                                  \
    X(CONDITIONAL, 0x08, "Conditional direct branch")                                              \
    X(DEBUG_HALT, 0x21, "Debug halt")                                                              \
    X(CALL, 0x22, "Call")                                                                          \
    X(TRAP, 0x23, "Trap")                                                                          \
    X(SYSTEM_ERROR, 0x24, "System Error")                                                          \
    X(INST_DEBUG, 0x26, "Inst debug")                                                              \
    X(DATA_DEBUG, 0x27, "Data debug")                                                              \
    X(ALIGNMENT, 0x2a, "Alignment")                                                                \
    X(INST_FAULT, 0x2b, "Inst fault")                                                              \
    X(DATA_FAULT, 0x2c, "Data fault")                                                              \
    X(IRQ, 0x2e, "IRQ")                                                                            \
    X(FIQ, 0x2f, "FIQ")                                                                            \
    X(IMPLEMENTATION_DEFINED, 0x30, "IMPLEMENTATION DEFINED exception to EL3")                     \
    X(DEBUG_EXIT, 0x39, "Debug exit")

enum cairn_branch_type {
#define CAIRN_BRANCH_ENUM(NAME, CODE, TEXT) CAIRN_BRANCH_##NAME = CODE,
    CAIRN_BRANCH_TYPES(CAIRN_BRANCH_ENUM)
#undef CAIRN_BRANCH_ENUM
};

/* Flags of a record. VALID is SOURCE and TARGET: with both it is a Full Branch record, with one a
 * Half-source or a Half-target one, with neither there is no record (F1.1.1). */
#define CAIRN_BRANCH_SOURCE (1u << 0)
#define CAIRN_BRANCH_TARGET (1u << 1)
#define CAIRN_BRANCH_MISPREDICTED (1u << 2)
#define CAIRN_BRANCH_TRANSACTIONAL (1u << 3)
/* a transaction failed or was cancelled behind the next older record (F1.1.7) */
#define CAIRN_BRANCH_LAST_FAILED (1u << 4)
#define CAIRN_BRANCH_CYCLES_UNKNOWN (1u << 5)
/* more cycles than the counter holds: at least `cycles` */
#define CAIRN_BRANCH_CYCLES_OVERFLOWED (1u << 6)
/* cairn_branch_mark_rolled_back: perhaps it was undone with the transaction it was in (I_JBPHS) */
#define CAIRN_BRANCH_POSSIBLY_ROLLED_BACK (1u << 7)
/* cairn_pe_branches, of a flow that was replayed (<cairn/replay.h>) or recorded: this half is in the record, but
 * whoever told the PE of the branch did not see where it is. `source` or `target` is 0 then, which is not where
 * it was, and the EL of a target is not known either. No register has these. */
#define CAIRN_BRANCH_SOURCE_UNKNOWN (1u << 8)
#define CAIRN_BRANCH_TARGET_UNKNOWN (1u << 9)

/* The cycle counter has 20 bits (BRBIDR0_EL1.CC 0b0101). */
#define CAIRN_BRANCH_CYCLES_MOST UINT64_C(0xfffff)

struct cairn_branch {
    size_t size;     /* set by who makes it */
    uint64_t source; /* 0 unless CAIRN_BRANCH_SOURCE */
    uint64_t target; /* without its address tag; 0 unless CAIRN_BRANCH_TARGET */
    uint64_t cycles; /* since the next older record; of more than 511 the highest nine bits count */
    uint32_t flags;  /* CAIRN_BRANCH_... */
    uint8_t type;    /* enum cairn_branch_type, or a reserved code */
    uint8_t EL;      /* of the target; 0 unless CAIRN_BRANCH_TARGET */
};

/* BRBINF<n>_EL1, BRBSRC<n>_EL1 and BRBTGT<n>_EL1. */
struct cairn_branch_registers {
    uint64_t BRBINF;
    uint64_t BRBSRC;
    uint64_t BRBTGT;
};

/* What no Branch Record Buffer writes, a bit each. The list is open. */
#define CAIRN_BRANCH_BAD_RESERVED (1u << 0) /* bits of BRBINF that no field has are not 0 */
#define CAIRN_BRANCH_BAD_EMPTY (1u << 1)    /* VALID is 0b00, and there is data all the same */
#define CAIRN_BRANCH_BAD_CYCLES (1u << 2)   /* CCU is 1, and CC is not 0 (R_PBJTJ) */
#define CAIRN_BRANCH_BAD_EXPONENT (1u << 3) /* CC is beyond a counter of 20 bits */
#define CAIRN_BRANCH_BAD_TYPE (1u << 4)     /* a reserved TYPE */
#define CAIRN_BRANCH_BAD_HALF (1u << 5)     /* what belongs to a half that is not there is not 0 */
#define CAIRN_BRANCH_BAD_PREDICTION (1u << 6) /* an exception that was mispredicted (R_DHNPJ) */
/* a record of this type does not come in these halves: a branch is Full, Debug halt Half-source, Debug
 * exit Half-target (R_MLGCF, R_LLCTG, R_RBCFP) */
#define CAIRN_BRANCH_BAD_SHAPE (1u << 7)
#define CAIRN_BRANCH_BAD_HOLE                                                                      \
    (1u << 8) /* cairn_branch_stack: valid behind an invalid one (X_QMKLH) */

/* What BRBIDR0_EL1 says of a Branch Record Buffer. */
struct cairn_branch_identity {
    size_t size;         /* set by the caller */
    uint32_t records;    /* NUMREC: 8, 16, 32, 64 */
    uint32_t cycle_bits; /* CC: of the cycle counter, 20 */
};
/* CAIRN_E_CONFIG: a number of records that there cannot be (I_FBHCC). CAIRN_E_UNSUPPORTED: a FORMAT or a
 * counter that this library does not know. CAIRN_E_ARGUMENT: no identity, or one without its size. */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_branch_identify(uint64_t BRBIDR0, struct cairn_branch_identity *identity);

/* Bits of BRBINF<n>_EL1.CC for a count, rounded down; all ones for one beyond
 * CAIRN_BRANCH_CYCLES_MOST (R_XGSSZ). */
CAIRN_API uint32_t cairn_branch_cycles_encode(uint64_t cycles);
/* The count that CC stands for, UINT64_MAX for one that needs more than 64 bits; CC has 14 bits, higher
 * ones are ignored. All ones: CAIRN_BRANCH_CYCLES_MOST + 1, the least that it can mean. */
CAIRN_API uint64_t cairn_branch_cycles_decode(uint32_t CC);

/* What the registers of a record say, and in *findings, unless that is NULL, CAIRN_BRANCH_BAD_...
 * `branch` comes with its size. Of a half that is not valid nothing is told. CAIRN_E_ARGUMENT without
 * registers, or a branch with a size. */
CAIRN_API cairn_status cairn_branch_decode(const struct cairn_branch_registers *registers,
                                           struct cairn_branch *branch, uint32_t *findings);
/* The other way. CAIRN_E_ARGUMENT for a type or level that has no bits, for unknown flags, and for a
 * branch without its size. CAIRN_BRANCH_CYCLES_UNKNOWN wins over a count, OVERFLOWED or a count beyond the
 * most gives all ones; POSSIBLY_ROLLED_BACK, SOURCE_UNKNOWN and TARGET_UNKNOWN have no bits. */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_branch_encode(const struct cairn_branch *branch, struct cairn_branch_registers *registers);

/* "Direct branch", ...; "reserved" for codes without a meaning. Never NULL. */
CAIRN_API const char *cairn_branch_type_name(unsigned type);
/* What the lowest finding in `findings` means, as a sentence; "" without one. Never NULL. */
CAIRN_API const char *cairn_branch_finding_text(uint32_t findings);

/* A stack: `branches`, youngest first, of which the first says by its size how far one is from the next.
 * Decodes `count` records up to the first that is invalid, and returns how many are valid. *findings, unless
 * it is NULL, is those of all, with CAIRN_BRANCH_BAD_HOLE if a valid one comes behind. 0 without
 * branches[0].size. */
CAIRN_API size_t cairn_branch_stack(const struct cairn_branch_registers *registers, size_t count,
                                    struct cairn_branch *branches, uint32_t *findings);

/* Marks the records of a stack that were made in Transactional state just before a failure:
 * CAIRN_BRANCH_POSSIBLY_ROLLED_BACK. Not certainly rolled back: the transaction that failed may have been
 * another one, without branches; and one that failed without a record behind it marks none.
 * Returns how many are marked. */
CAIRN_API size_t cairn_branch_mark_rolled_back(struct cairn_branch *branches, size_t count);

/* A branch as Linux has it in perf_branch_entry: the codes are PERF_BR_..., PERF_BR_NEW_... and
 * PERF_BR_PRIV_... of <linux/perf_event.h>. */
struct cairn_branch_entry {
    uint64_t from; /* 0 when that half is missing */
    uint64_t to;
    uint16_t cycles; /* 0 unknown; at most 0xffff */
    uint8_t type;    /* 15 (PERF_BR_EXTEND_ABI): new_type says */
    uint8_t new_type;
    uint8_t spec;
    uint8_t priv;
    uint8_t flags; /* CAIRN_BRANCH_ENTRY_... */
};
#define CAIRN_BRANCH_ENTRY_MISPRED (1u << 0)
#define CAIRN_BRANCH_ENTRY_PREDICTED (1u << 1)
#define CAIRN_BRANCH_ENTRY_IN_TX (1u << 2)
#define CAIRN_BRANCH_ENTRY_ABORT (1u << 3) /* never: LASTFAILED is not of the branch that has it */
/* `cycles` is not all: there were more than its 16 bits hold, or than the counter held. Not in
 * perf_branch_entry */
#define CAIRN_BRANCH_ENTRY_SATURATED (1u << 7)

/* How cairn_branch_entries translates: the kernel runs at EL2 (VHE), so that EL2 is
 * PERF_BR_PRIV_KERNEL, else PERF_BR_PRIV_HV. */
#define CAIRN_BRANCH_KERNEL_AT_EL2 (1u << 0)

/* A stack as entries, in the same order. CAIRN_E_ARGUMENT for unknown options, or branches without
 * their size; then nothing is written. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_branch_entries(const struct cairn_branch *branches,
                                                             size_t count, uint32_t options,
                                                             struct cairn_branch_entry *entries);
/* The third word of perf_branch_entry, as a little-endian machine lays out its bit fields. */
CAIRN_API uint64_t cairn_branch_entry_word(const struct cairn_branch_entry *entry);

#ifdef __cplusplus
}
#endif
#endif
