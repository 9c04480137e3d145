/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of the trace filter, the trace buffer and the branch records:
 * R(register, high, low, FIELD, meaning,
 * section of DDI0608, what it does). A: the position is public, from the Arm Architecture Reference
 * Manual. */
#ifndef CAIRN_PE_FIELDS_TRACE_TABLE_H
#define CAIRN_PE_FIELDS_TRACE_TABLE_H

/* clang-format off */
#define A "; Arm ARM"

#define CAIRN_PE_TRACE_FIELDS(R)                                                                   \
    R(TRFCR_EL1, 6, 5, TS, TS_SELF, "E1.2.3" A, "Which timestamp is traced.")                      \
    R(TRFCR_EL1, 1, 1, E1TRE, FLAG, "E1.2.3" A, "Trace of EL1 is allowed.")                        \
    R(TRFCR_EL1, 0, 0, E0TRE, FLAG, "E1.2.3" A, "Trace of EL0 is allowed.")                        \
    R(TRFCR_EL2, 6, 5, TS, PE_TS2, "E1.2.3" A, "Which timestamp is traced.")                       \
    R(TRFCR_EL2, 3, 3, CX, FLAG, "E1.2.3" A, "CONTEXTIDR_EL2 is traced and compared.")             \
    R(TRFCR_EL2, 1, 1, E2TRE, FLAG, "E1.2.3" A, "Trace of EL2 is allowed.")                        \
    R(TRFCR_EL2, 0, 0, E0HTRE, FLAG, "E1.2.3" A, "Trace of EL0 is allowed where EL2 is its host.") \
    R(TRBLIMITR_EL1, 63, 12, LIMIT, PE_PAGE, "E1.2.1.1" A, "Where the trace buffer ends: the first byte that is not its own.")\
    R(TRBLIMITR_EL1, 5, 5, nVM, FLAG, "E1.2.1.3" A, "Its addresses are not translated at stage 1.")\
    R(TRBLIMITR_EL1, 4, 3, TM, PE_TM, "E1.2.2.3" A, "What a trigger does.")                        \
    R(TRBLIMITR_EL1, 2, 1, FM, PE_FM, "E1.2.2" A, "What happens where the buffer ends.")           \
    R(TRBLIMITR_EL1, 0, 0, E, ENABLE, "E1.2.1" A, "The Trace Buffer Unit takes the trace.")        \
    R(TRBPTR_EL1, 63, 0, PTR, ADDRESS, "E1.2.1.1" A, "Where the next byte goes; after a fault, the address of the fault.")\
    R(TRBBASER_EL1, 63, 12, BASE, PE_PAGE, "E1.2.1.1" A, "Where the trace buffer begins.")         \
    R(TRBSR_EL1, 31, 26, EC, PE_EC, "E1.2.2" A, "Why collection stopped, where S is 1.")           \
    R(TRBSR_EL1, 22, 22, IRQ, FLAG, "E1.2.2" A, "The interrupt TRBIRQ is asserted.")               \
    R(TRBSR_EL1, 21, 21, TRG, FLAG, "E1.2.2.3" A, "A trigger was detected.")                       \
    R(TRBSR_EL1, 20, 20, WRAP, FLAG, "E1.2.1.1" A, "The pointer has gone from the limit to the base, at least once.")\
    R(TRBSR_EL1, 18, 18, EA, FLAG, "E1.2.2" A, "A write of the buffer met an External Abort.")     \
    R(TRBSR_EL1, 17, 17, S, FLAG, "E1.2.2" A, "Collection is stopped: trace is lost until it is cleared.")\
    R(TRBSR_EL1, 15, 0, MSS, PE_MSS, "E1.2.2" A, "More of the reason: BSC or FSC, as EC says.")    \
    R(TRBMAR_EL1, 9, 8, SH, PE_SH, "E1.2.1.3" A, "Shareability, where nVM is 1.")                  \
    R(TRBMAR_EL1, 7, 0, Attr, PE_ATTRIBUTES, "E1.2.1.3" A, "Memory type and cacheability, where nVM is 1.")\
    R(TRBTRG_EL1, 31, 0, TRG, NUMBER, "E1.2.2.3" A, "Bytes that are still written behind a trigger until it takes effect.")\
    R(TRBIDR_EL1, 5, 5, F, FLAG, "E1.2.1.5" A, "The unit may set Access flags and dirty state.")   \
    R(TRBIDR_EL1, 4, 4, P, FLAG, "Arm ARM", "It cannot be programmed from this Exception level and Security state.")\
    R(TRBIDR_EL1, 3, 0, Align, PE_ALIGN, "E1.2.1.8" A, "What TRBPTR_EL1 and TRBTRG_EL1 have to be multiples of.")\
    R(BRBCR_EL1, 23, 23, EXCEPTION, FLAG, "F1.1.5" A, "Exceptions taken to EL1 are recorded.")     \
    R(BRBCR_EL1, 22, 22, ERTN, FLAG, "F1.1.6" A, "Exception returns from EL1 are recorded.")       \
    R(BRBCR_EL1, 8, 8, FZP, FLAG, "F1.1.10" A, "Recording freezes when an event counter of EL1 overflows.")\
    R(BRBCR_EL1, 6, 5, TS, TS_SELF, "F1.1.10" A, "Which timestamp BRBTS_EL1 gets at a freeze.")    \
    R(BRBCR_EL1, 4, 4, MPRED, FLAG, "F1.1.3" A, "Mispredictions may be recorded: it takes both BRBCR_EL1 and BRBCR_EL2.")\
    R(BRBCR_EL1, 3, 3, CC, FLAG, "F1.1.2" A, "Cycle counts may be recorded: it takes both BRBCR_EL1 and BRBCR_EL2.")\
    R(BRBCR_EL1, 1, 1, E1BRE, FLAG, "F1.1.4" A, "Branches at EL1 are recorded.")                   \
    R(BRBCR_EL1, 0, 0, E0BRE, FLAG, "F1.1.4" A, "Branches at EL0 are recorded.")                   \
    R(BRBCR_EL2, 23, 23, EXCEPTION, FLAG, "F1.1.5" A, "Exceptions taken to EL2 are recorded.")     \
    R(BRBCR_EL2, 22, 22, ERTN, FLAG, "F1.1.6" A, "Exception returns from EL2 are recorded.")       \
    R(BRBCR_EL2, 8, 8, FZP, FLAG, "F1.1.10" A, "Recording freezes when an event counter that EL2 keeps overflows.")\
    R(BRBCR_EL2, 6, 5, TS, PE_TS2, "F1.1.10" A, "Which timestamp BRBTS_EL1 gets at a freeze.")     \
    R(BRBCR_EL2, 4, 4, MPRED, FLAG, "F1.1.3" A, "Mispredictions may be recorded: it takes both BRBCR_EL1 and BRBCR_EL2.")\
    R(BRBCR_EL2, 3, 3, CC, FLAG, "F1.1.2" A, "Cycle counts may be recorded: it takes both BRBCR_EL1 and BRBCR_EL2.")\
    R(BRBCR_EL2, 1, 1, E2BRE, FLAG, "F1.1.4" A, "Branches at EL2 are recorded.")                   \
    R(BRBCR_EL2, 0, 0, E0HBRE, FLAG, "F1.1.4" A, "Branches at EL0 are recorded where EL2 is its host.")\
    R(BRBFCR_EL1, 29, 28, BANK, PE_BANK, "F1.1.11" A, "Which records are seen in the registers of records.")\
    R(BRBFCR_EL1, 22, 22, CONDDIR, FLAG, "F1.1.9" A, "Conditional direct branches are recorded, or with EnI are not.")\
    R(BRBFCR_EL1, 21, 21, DIRCALL, FLAG, "F1.1.9" A, "Direct calls are recorded, or with EnI are not.")\
    R(BRBFCR_EL1, 20, 20, INDCALL, FLAG, "F1.1.9" A, "Indirect calls are recorded, or with EnI are not.")\
    R(BRBFCR_EL1, 19, 19, RTN, FLAG, "F1.1.9" A, "Returns are recorded, or with EnI are not.")     \
    R(BRBFCR_EL1, 18, 18, INDIRECT, FLAG, "F1.1.9" A, "Other indirect branches are recorded, or with EnI are not.")\
    R(BRBFCR_EL1, 17, 17, DIRECT, FLAG, "F1.1.9" A, "Unconditional direct branches are recorded, or with EnI are not.")\
    R(BRBFCR_EL1, 16, 16, EnI, FLAG, "F1.1.9" A, "The filters above say what is left out, and not what is recorded.")\
    R(BRBFCR_EL1, 7, 7, PAUSED, FLAG, "F1.1.10" A, "Recording is paused: by software, or by a freeze.")\
    R(BRBFCR_EL1, 6, 6, LASTFAILED, FLAG, "F1.1.7" A, "A transaction failed or was cancelled since the last record.")\
    R(BRBTS_EL1, 63, 0, TS, HEX, "F1.1.10" A, "The timestamp of the last freeze.")                 \
    R(BRBINF, 46, 46, CCU, FLAG, "F1.1.2" A, "The cycle count is unknown.")                        \
    R(BRBINF, 45, 32, CC, PE_CYCLES, "F1.1.2" A, "Cycles since the record before: exponent 13:8, mantissa 7:0.")\
    R(BRBINF, 17, 17, LASTFAILED, FLAG, "F1.1.7" A, "A transaction failed or was cancelled since the record before.")\
    R(BRBINF, 16, 16, T, FLAG, "Arm ARM", "The branch was in Transactional state.")                \
    R(BRBINF, 13, 8, TYPE, PE_TYPE, "F1.1.9" A, "What was recorded.")                              \
    R(BRBINF, 7, 6, EL, PE_EL, "F1.1.1" A, "The Exception level of the target, where there is one.")\
    R(BRBINF, 5, 5, MPRED, FLAG, "F1.1.3" A, "It was mispredicted.")                               \
    R(BRBINF, 1, 0, VALID, PE_VALID, "F1.1.1" A, "Which of the two addresses are there.")          \
    R(BRBINFINJ_EL1, 46, 46, CCU, FLAG, "F1.1.2" A, "The cycle count is unknown.")                 \
    R(BRBINFINJ_EL1, 45, 32, CC, PE_CYCLES, "F1.1.2" A, "Cycles since the record before: exponent 13:8, mantissa 7:0.")\
    R(BRBINFINJ_EL1, 17, 17, LASTFAILED, FLAG, "F1.1.7" A, "A transaction failed or was cancelled since the record before.")\
    R(BRBINFINJ_EL1, 16, 16, T, FLAG, "Arm ARM", "The branch was in Transactional state.")         \
    R(BRBINFINJ_EL1, 13, 8, TYPE, PE_TYPE, "F1.1.9" A, "What was recorded.")                       \
    R(BRBINFINJ_EL1, 7, 6, EL, PE_EL, "F1.1.1" A, "The Exception level of the target, where there is one.")\
    R(BRBINFINJ_EL1, 5, 5, MPRED, FLAG, "F1.1.3" A, "It was mispredicted.")                        \
    R(BRBINFINJ_EL1, 1, 0, VALID, PE_VALID, "F1.1.1" A, "Which of the two addresses are there.")   \
    R(BRBSRC, 63, 0, ADDRESS, ADDRESS, "F1.1.1" A, "Where the branch is, or the preferred return address.")\
    R(BRBSRCINJ_EL1, 63, 0, ADDRESS, ADDRESS, "F1.1.1" A, "Where the branch is, or the preferred return address.")\
    R(BRBTGT, 63, 0, ADDRESS, ADDRESS, "F1.1.1" A, "Where it went.")                               \
    R(BRBTGTINJ_EL1, 63, 0, ADDRESS, ADDRESS, "F1.1.1" A, "Where it went.")                        \
    R(BRBIDR0_EL1, 15, 12, CC, PE_CC_BUILT, "F1.1.2" A, "The size of cycle counters.")             \
    R(BRBIDR0_EL1, 11, 8, FORMAT, NUMBER, "Arm ARM", "The format of records: 0.")                  \
    R(BRBIDR0_EL1, 7, 0, NUMREC, PE_NUMREC, "F1.1.11" A, "Records that the buffer holds.")

/* clang-format on */

#endif
