/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of the Performance Monitors, of what traps, of debug and identification, as in trace_table.h.
 * Of the
 * host's registers there are those that trace looks at. */
#ifndef CAIRN_PE_FIELDS_CONTROL_TABLE_H
#define CAIRN_PE_FIELDS_CONTROL_TABLE_H

/* clang-format off */
#define A "; Arm ARM"

#define CAIRN_PE_CONTROL_FIELDS(R)                                                                 \
    R(PMCR_EL0, 31, 24, IMP, HEX, "Arm ARM", "Who made it: 0x41 is Arm.")                          \
    R(PMCR_EL0, 23, 16, IDCODE, HEX, "Arm ARM", "The implementation.")                             \
    R(PMCR_EL0, 15, 11, N, NUMBER, "Arm ARM", "Event counters: all that are there, or at EL1 and EL0 those that EL2 leaves.")\
    R(PMCR_EL0, 9, 9, FZO, FLAG, "Arm ARM", "Event counters freeze when one of them overflows.")   \
    R(PMCR_EL0, 7, 7, LP, FLAG, "Arm ARM", "Event counters overflow at 64 bits and not at 32.")    \
    R(PMCR_EL0, 6, 6, LC, FLAG, "Arm ARM", "PMCCNTR_EL0 overflows at 64 bits and not at 32.")      \
    R(PMCR_EL0, 5, 5, DP, FLAG, "Arm ARM", "PMCCNTR_EL0 does not count where counting events is prohibited.")\
    R(PMCR_EL0, 4, 4, X, FLAG, "Arm ARM", "Events are exported.")                                  \
    R(PMCR_EL0, 3, 3, D, FLAG, "Arm ARM", "PMCCNTR_EL0 counts every 64th cycle.")                  \
    R(PMCR_EL0, 2, 2, C, FLAG, "Arm ARM", "Writing 1 makes PMCCNTR_EL0 0.")                        \
    R(PMCR_EL0, 1, 1, P, FLAG, "Arm ARM", "Writing 1 makes event counters 0.")                     \
    R(PMCR_EL0, 0, 0, E, FLAG, "Arm ARM", "Counters that are enabled count.")                      \
    R(PMCNTENSET_EL0, 31, 0, P, PE_COUNTERS, "Arm ARM", "Counters that are enabled; writing 1 enables one.")\
    R(PMCNTENCLR_EL0, 31, 0, P, PE_COUNTERS, "Arm ARM", "Counters that are enabled; writing 1 disables one.")\
    R(PMOVSCLR_EL0, 31, 0, P, PE_COUNTERS, "Arm ARM", "Counters that have overflowed; writing 1 clears that.")\
    R(PMOVSSET_EL0, 31, 0, P, PE_COUNTERS, "Arm ARM", "Counters that have overflowed; writing 1 says so of one.")\
    R(PMINTENSET_EL1, 31, 0, P, PE_COUNTERS, "Arm ARM", "Counters that interrupt when they overflow; writing 1 makes one do so.")\
    R(PMINTENCLR_EL1, 31, 0, P, PE_COUNTERS, "Arm ARM", "Counters that interrupt when they overflow; writing 1 makes one not do so.")\
    R(PMSWINC_EL0, 30, 0, P, PE_COUNTERS, "Arm ARM", "Counters of the event SW_INCR that count one.")\
    R(PMSELR_EL0, 4, 0, SEL, NUMBER, "Arm ARM", "The counter that PMXEVTYPER_EL0 and PMXEVCNTR_EL0 are of; 31: PMCCFILTR_EL0.")\
    R(PMCEID0_EL0, 63, 32, IDhi, HEX, "Arm ARM", "Events 0x4000 to 0x401f that there are.")        \
    R(PMCEID0_EL0, 31, 0, ID, HEX, "Arm ARM", "Events 0x0000 to 0x001f that there are.")           \
    R(PMCEID1_EL0, 63, 32, IDhi, HEX, "Arm ARM", "Events 0x4020 to 0x403f that there are.")        \
    R(PMCEID1_EL0, 31, 0, ID, HEX, "Arm ARM", "Events 0x0020 to 0x003f that there are.")           \
    R(PMCCNTR_EL0, 63, 0, CCNT, NUMBER, "Arm ARM", "Cycles.")                                      \
    R(PMXEVCNTR_EL0, 63, 0, EVCNT, NUMBER, "Arm ARM", "The selected counter.")                     \
    R(PMEVCNTR, 63, 0, EVCNT, NUMBER, "Arm ARM", "Events that were counted.")                      \
    R(PMUSERENR_EL0, 3, 3, ER, FLAG, "Arm ARM", "EL0 may read event counters and select one.")     \
    R(PMUSERENR_EL0, 2, 2, CR, FLAG, "Arm ARM", "EL0 may read PMCCNTR_EL0.")                       \
    R(PMUSERENR_EL0, 1, 1, SW, FLAG, "Arm ARM", "EL0 may write PMSWINC_EL0.")                      \
    R(PMUSERENR_EL0, 0, 0, EN, FLAG, "Arm ARM", "EL0 may use the monitors.")                       \
    R(PMMIR_EL1, 23, 20, THWIDTH, NUMBER, "Arm ARM", "Bits of a threshold.")                       \
    R(PMMIR_EL1, 19, 16, BUS_WIDTH, NUMBER, "Arm ARM", "The width of the bus, as a code.")         \
    R(PMMIR_EL1, 15, 8, BUS_SLOTS, NUMBER, "Arm ARM", "The most by which BUS_ACCESS counts in a cycle.")\
    R(PMMIR_EL1, 7, 0, SLOTS, NUMBER, "Arm ARM", "The most by which STALL_SLOT counts in a cycle.")\
    R(PMCCFILTR_EL0, 31, 31, P, FLAG, "Arm ARM", "EL1 is not counted.")                            \
    R(PMCCFILTR_EL0, 30, 30, U, FLAG, "Arm ARM", "EL0 is not counted.")                            \
    R(PMCCFILTR_EL0, 29, 29, NSK, FLAG, "Arm ARM", "Non-secure EL1 is counted where this equals P.")\
    R(PMCCFILTR_EL0, 28, 28, NSU, FLAG, "Arm ARM", "Non-secure EL0 is counted where this equals U.")\
    R(PMCCFILTR_EL0, 27, 27, NSH, FLAG, "Arm ARM", "EL2 is counted.")                              \
    R(PMCCFILTR_EL0, 26, 26, M, FLAG, "Arm ARM", "EL3 is counted where this equals P.")            \
    R(PMCCFILTR_EL0, 24, 24, SH, FLAG, "Arm ARM", "Secure EL2 is counted where this differs from NSH.")\
    R(PMCCFILTR_EL0, 23, 23, T, FLAG, "C1.2" A, "Only Transactional state is counted.")            \
    R(PMCCFILTR_EL0, 22, 22, RLK, FLAG, "Arm ARM", "Realm EL1 is counted where this equals P.")    \
    R(PMCCFILTR_EL0, 21, 21, RLU, FLAG, "Arm ARM", "Realm EL0 is counted where this equals U.")    \
    R(PMCCFILTR_EL0, 20, 20, RLH, FLAG, "Arm ARM", "Realm EL2 is counted where this differs from NSH.")\
    R(PMXEVTYPER_EL0, 31, 31, P, FLAG, "Arm ARM", "EL1 is not counted.")                           \
    R(PMXEVTYPER_EL0, 30, 30, U, FLAG, "Arm ARM", "EL0 is not counted.")                           \
    R(PMXEVTYPER_EL0, 29, 29, NSK, FLAG, "Arm ARM", "Non-secure EL1 is counted where this equals P.")\
    R(PMXEVTYPER_EL0, 28, 28, NSU, FLAG, "Arm ARM", "Non-secure EL0 is counted where this equals U.")\
    R(PMXEVTYPER_EL0, 27, 27, NSH, FLAG, "Arm ARM", "EL2 is counted.")                             \
    R(PMXEVTYPER_EL0, 26, 26, M, FLAG, "Arm ARM", "EL3 is counted where this equals P.")           \
    R(PMXEVTYPER_EL0, 25, 25, MT, FLAG, "Arm ARM", "Events of all PEs of a multithreaded core are counted.")\
    R(PMXEVTYPER_EL0, 24, 24, SH, FLAG, "Arm ARM", "Secure EL2 is counted where this differs from NSH.")\
    R(PMXEVTYPER_EL0, 23, 23, T, FLAG, "C1.2" A, "Only Transactional state is counted.")           \
    R(PMXEVTYPER_EL0, 22, 22, RLK, FLAG, "Arm ARM", "Realm EL1 is counted where this equals P.")   \
    R(PMXEVTYPER_EL0, 21, 21, RLU, FLAG, "Arm ARM", "Realm EL0 is counted where this equals U.")   \
    R(PMXEVTYPER_EL0, 20, 20, RLH, FLAG, "Arm ARM", "Realm EL2 is counted where this differs from NSH.")\
    R(PMXEVTYPER_EL0, 15, 0, evtCount, HEX, "Arm ARM", "The event.")                               \
    R(PMEVTYPER, 31, 31, P, FLAG, "Arm ARM", "EL1 is not counted.")                                \
    R(PMEVTYPER, 30, 30, U, FLAG, "Arm ARM", "EL0 is not counted.")                                \
    R(PMEVTYPER, 29, 29, NSK, FLAG, "Arm ARM", "Non-secure EL1 is counted where this equals P.")   \
    R(PMEVTYPER, 28, 28, NSU, FLAG, "Arm ARM", "Non-secure EL0 is counted where this equals U.")   \
    R(PMEVTYPER, 27, 27, NSH, FLAG, "Arm ARM", "EL2 is counted.")                                  \
    R(PMEVTYPER, 26, 26, M, FLAG, "Arm ARM", "EL3 is counted where this equals P.")                \
    R(PMEVTYPER, 25, 25, MT, FLAG, "Arm ARM", "Events of all PEs of a multithreaded core are counted.")\
    R(PMEVTYPER, 24, 24, SH, FLAG, "Arm ARM", "Secure EL2 is counted where this differs from NSH.")\
    R(PMEVTYPER, 23, 23, T, FLAG, "C1.2" A, "Only Transactional state is counted.")                \
    R(PMEVTYPER, 22, 22, RLK, FLAG, "Arm ARM", "Realm EL1 is counted where this equals P.")        \
    R(PMEVTYPER, 21, 21, RLU, FLAG, "Arm ARM", "Realm EL0 is counted where this equals U.")        \
    R(PMEVTYPER, 20, 20, RLH, FLAG, "Arm ARM", "Realm EL2 is counted where this differs from NSH.")\
    R(PMEVTYPER, 15, 0, evtCount, HEX, "Arm ARM", "The event.")                                    \
    R(MDSCR_EL1, 31, 31, TFO, FLAG, "Arm ARM", "Trace filter override, of an external debugger.")  \
    R(MDSCR_EL1, 30, 30, RXfull, FLAG, "Arm ARM", "Saved EDSCR.RXfull.")                           \
    R(MDSCR_EL1, 29, 29, TXfull, FLAG, "Arm ARM", "Saved EDSCR.TXfull.")                           \
    R(MDSCR_EL1, 27, 27, RXO, FLAG, "Arm ARM", "Saved EDSCR.RXO.")                                 \
    R(MDSCR_EL1, 26, 26, TXU, FLAG, "Arm ARM", "Saved EDSCR.TXU.")                                 \
    R(MDSCR_EL1, 23, 22, INTdis, NUMBER, "Arm ARM", "Saved EDSCR.INTdis.")                         \
    R(MDSCR_EL1, 21, 21, TDA, FLAG, "Arm ARM", "Saved EDSCR.TDA.")                                 \
    R(MDSCR_EL1, 19, 19, SC2, FLAG, "Arm ARM", "Saved EDSCR.SC2.")                                 \
    R(MDSCR_EL1, 15, 15, MDE, FLAG, "Arm ARM", "Breakpoints and watchpoints are debug exceptions.")\
    R(MDSCR_EL1, 14, 14, HDE, FLAG, "Arm ARM", "Halting debug is enabled.")                        \
    R(MDSCR_EL1, 13, 13, KDE, FLAG, "Arm ARM", "Debug exceptions are taken from the level that takes them.")\
    R(MDSCR_EL1, 12, 12, TDCC, FLAG, "Arm ARM", "EL0 is trapped from the debug communication channel.")\
    R(MDSCR_EL1, 6, 6, ERR, FLAG, "Arm ARM", "Saved EDSCR.ERR.")                                   \
    R(MDSCR_EL1, 0, 0, SS, FLAG, "Arm ARM", "Software step.")                                      \
    R(OSLAR_EL1, 0, 0, OSLK, LOCK, "D6.2.2" A, "Locks the OS Lock: it disables the trace unit.")   \
    R(OSLSR_EL1, 3, 3, OSLM1, NUMBER, "Arm ARM", "The kind of OS Lock, high bit.")                 \
    R(OSLSR_EL1, 2, 2, nTT, FLAG, "Arm ARM", "32-bit access is needed: 0.")                        \
    R(OSLSR_EL1, 1, 1, OSLK, LOCK, "Arm ARM", "Where the OS Lock stands.")                         \
    R(OSLSR_EL1, 0, 0, OSLM0, NUMBER, "Arm ARM", "The kind of OS Lock, low bit.")                  \
    R(MDCR_EL2, 36, 36, HPMFZS, FLAG, "Arm ARM", "EL2 counters freeze at a statistical profiling event.")\
    R(MDCR_EL2, 29, 29, HPMFZO, FLAG, "Arm ARM", "Counters that EL2 keeps freeze when one of them overflows.")\
    R(MDCR_EL2, 28, 28, MTPME, FLAG, "Arm ARM", "PMEVTYPER<n>_EL0.MT counts.")                     \
    R(MDCR_EL2, 27, 27, TDCC, FLAG, "Arm ARM", "The debug communication channel is trapped to EL2.")\
    R(MDCR_EL2, 26, 26, HLP, FLAG, "Arm ARM", "Counters that EL2 keeps overflow at 64 bits.")      \
    R(MDCR_EL2, 25, 24, E2TB, PE_E2TB, "E1.2.1.6" A, "Whose the trace buffer is.")                 \
    R(MDCR_EL2, 23, 23, HCCD, FLAG, "Arm ARM", "PMCCNTR_EL0 does not count at EL2.")               \
    R(MDCR_EL2, 19, 19, TTRF, FLAG, "Arm ARM", "TRFCR_EL1 is trapped to EL2.")                     \
    R(MDCR_EL2, 17, 17, HPMD, FLAG, "Arm ARM", "Counters of EL1 and EL0 do not count at EL2.")     \
    R(MDCR_EL2, 14, 14, TPMS, FLAG, "Arm ARM", "Statistical profiling controls are trapped to EL2.")\
    R(MDCR_EL2, 13, 12, E2PB, PE_E2TB, "Arm ARM", "Whose the profiling buffer is.")                \
    R(MDCR_EL2, 11, 11, TDRA, FLAG, "Arm ARM", "Debug ROM registers are trapped to EL2.")          \
    R(MDCR_EL2, 10, 10, TDOSA, FLAG, "Arm ARM", "Registers of the OS Lock are trapped to EL2.")    \
    R(MDCR_EL2, 9, 9, TDA, FLAG, "Arm ARM", "Debug registers are trapped to EL2.")                 \
    R(MDCR_EL2, 8, 8, TDE, FLAG, "Arm ARM", "Debug exceptions go to EL2.")                         \
    R(MDCR_EL2, 7, 7, HPME, FLAG, "Arm ARM", "Counters that EL2 keeps count.")                     \
    R(MDCR_EL2, 6, 6, TPM, FLAG, "Arm ARM", "Performance Monitors are trapped to EL2.")            \
    R(MDCR_EL2, 5, 5, TPMCR, FLAG, "Arm ARM", "PMCR_EL0 is trapped to EL2.")                       \
    R(MDCR_EL2, 4, 0, HPMN, NUMBER, "Arm ARM", "Event counters that EL1 and EL0 have; EL2 keeps the rest.")\
    R(MDCR_EL3, 38, 38, E3BREC, FLAG, "F1.1.4" A, "EL3 is recorded where this differs from E3BREW; a Cold reset clears it.")\
    R(MDCR_EL3, 37, 37, E3BREW, FLAG, "F1.1.4" A, "EL3 is recorded where this differs from E3BREC; a Warm reset clears it.")\
    R(MDCR_EL3, 36, 36, EnPMSN, FLAG, "Arm ARM", "PMSNEVFR_EL1 is not trapped to EL3.")            \
    R(MDCR_EL3, 35, 35, MPMX, FLAG, "Arm ARM", "Event counters stop at EL3, but for those that SPME and HPMN say.")\
    R(MDCR_EL3, 34, 34, MCCD, FLAG, "Arm ARM", "PMCCNTR_EL0 does not count at EL3.")               \
    R(MDCR_EL3, 33, 32, SBRBE, PE_SBRBE, "F1.1.4" A, "Who may have branch records.")               \
    R(MDCR_EL3, 28, 28, MTPME, FLAG, "Arm ARM", "PMEVTYPER<n>_EL0.MT counts.")                     \
    R(MDCR_EL3, 27, 27, TDCC, FLAG, "Arm ARM", "The debug communication channel is trapped to EL3.")\
    R(MDCR_EL3, 26, 26, NSTBE, FLAG, "Arm ARM", "With NSTB 2 or 3, the trace buffer is Realm state's.")\
    R(MDCR_EL3, 25, 24, NSTB, PE_NSTB, "E1.2.1.6" A, "Which Security state the trace buffer belongs to.")\
    R(MDCR_EL3, 23, 23, SCCD, FLAG, "Arm ARM", "PMCCNTR_EL0 does not count in Secure state.")      \
    R(MDCR_EL3, 22, 22, ETAD, FLAG, "Arm ARM", "Non-secure debuggers do not reach the trace unit.")\
    R(MDCR_EL3, 21, 21, EPMAD, FLAG, "Arm ARM", "Non-secure debuggers do not reach the Performance Monitors.")\
    R(MDCR_EL3, 20, 20, EDAD, FLAG, "Arm ARM", "Non-secure debuggers do not reach debug registers.")\
    R(MDCR_EL3, 19, 19, TTRF, FLAG, "Arm ARM", "Trace filter registers are trapped to EL3.")       \
    R(MDCR_EL3, 18, 18, STE, FLAG, "E1.2.1.6" A, "Trace of Secure state is allowed.")              \
    R(MDCR_EL3, 17, 17, SPME, FLAG, "Arm ARM", "Events are counted in Secure state.")              \
    R(MDCR_EL3, 16, 16, SDD, FLAG, "Arm ARM", "Debug exceptions in Secure state are disabled.")    \
    R(MDCR_EL3, 15, 14, SPD32, PE_SPD32, "Arm ARM", "Debug exceptions of Secure AArch32 EL1.")       \
    R(MDCR_EL3, 13, 12, NSPB, PE_NSTB, "Arm ARM", "Which Security state the profiling buffer belongs to.")\
    R(MDCR_EL3, 11, 11, NSPBE, FLAG, "Arm ARM", "With NSPB 2 or 3, the profiling buffer is Realm state's.")\
    R(MDCR_EL3, 10, 10, TDOSA, FLAG, "Arm ARM", "Registers of the OS Lock are trapped to EL3.")    \
    R(MDCR_EL3, 9, 9, TDA, FLAG, "Arm ARM", "Debug registers are trapped to EL3.")                 \
    R(MDCR_EL3, 6, 6, TPM, FLAG, "Arm ARM", "Performance Monitors are trapped to EL3.")            \
    R(MDCR_EL3, 0, 0, RLTE, FLAG, "Arm ARM", "Trace of Realm state is allowed.")                   \
    R(HCR_EL2, 39, 39, TME, FLAG, "C3.1.9" A, "Transactional memory is there for EL1 and EL0.")    \
    R(HCR_EL2, 34, 34, E2H, FLAG, "Arm ARM", "EL2 is a host: names of EL1 reach its registers.")   \
    R(HCR_EL2, 30, 30, TRVM, FLAG, "Arm ARM", "Reads of registers of stage 1 at EL1 are trapped to EL2.")\
    R(HCR_EL2, 27, 27, TGE, FLAG, "Arm ARM", "EL0 is EL2's.")                                      \
    R(HCR_EL2, 26, 26, TVM, FLAG, "Arm ARM", "Writes of registers of stage 1 at EL1 are trapped to EL2.")\
    R(HCR_EL2, 18, 18, TID3, FLAG, "Arm ARM", "Identification registers are trapped to EL2.")      \
    R(HCR_EL2, 4, 4, IMO, FLAG, "Arm ARM", "IRQs are taken to EL2.")                               \
    R(HCR_EL2, 0, 0, VM, FLAG, "Arm ARM", "Stage 2 translates.")                                   \
    R(SCR_EL3, 62, 62, NSE, FLAG, "Arm ARM", "With NS, the Security state below EL3.")             \
    R(SCR_EL3, 34, 34, TME, FLAG, "C3.1.10" A, "Transactional memory is there below EL3.")         \
    R(SCR_EL3, 28, 28, ECVEn, FLAG, "Arm ARM", "CNTPOFF_EL2 is not trapped to EL3.")               \
    R(SCR_EL3, 27, 27, FGTEn, FLAG, "Arm ARM", "Fine-grained traps are in force, and not trapped to EL3.")\
    R(SCR_EL3, 18, 18, EEL2, FLAG, "Arm ARM", "Secure EL2 is enabled.")                            \
    R(SCR_EL3, 1, 1, IRQ, FLAG, "Arm ARM", "IRQs are taken to EL3.")                               \
    R(SCR_EL3, 0, 0, NS, FLAG, "Arm ARM", "With NSE, the Security state below EL3.")               \
    R(CPACR_EL1, 28, 28, TTA, FLAG, "Arm ARM", "Registers of the trace unit are trapped to EL1.")  \
    R(CPTR_EL2, 31, 31, TCPAC, FLAG, "Arm ARM", "CPACR_EL1 is trapped to EL2.")                    \
    R(CPTR_EL2, 28, 28, TTA_E2H, FLAG, "Arm ARM", "With HCR_EL2.E2H 1: registers of the trace unit are trapped to EL2.")\
    R(CPTR_EL2, 20, 20, TTA, FLAG, "Arm ARM", "With HCR_EL2.E2H 0: registers of the trace unit are trapped to EL2.")\
    R(CPTR_EL3, 31, 31, TCPAC, FLAG, "Arm ARM", "CPTR_EL2 and CPACR_EL1 are trapped to EL3.")      \
    R(CPTR_EL3, 20, 20, TTA, FLAG, "Arm ARM", "Registers of the trace unit are trapped to EL3.")   \
    R(HFGITR_EL2, 56, 56, nBRBIALL, FLAG, "F1.1.13" A, "BRB IALL at EL1 is not trapped to EL2.")   \
    R(HFGITR_EL2, 55, 55, nBRBINJ, FLAG, "F1.1.13" A, "BRB INJ at EL1 is not trapped to EL2.")     \
    R(SCTLR_EL1, 53, 53, TME, FLAG, "C3.1.6" A, "TSTART at EL1 is not trapped.")                   \
    R(SCTLR_EL1, 52, 52, TME0, FLAG, "C3.1.6" A, "TSTART at EL0 is not trapped.")                  \
    R(SCTLR_EL1, 51, 51, TMT, FLAG, "C3.1.6" A, "TSTART at EL1 fails as TRIVIAL.")                 \
    R(SCTLR_EL1, 50, 50, TMT0, FLAG, "C3.1.6" A, "TSTART at EL0 fails as TRIVIAL.")                \
    R(SCTLR_EL1, 0, 0, M, FLAG, "Arm ARM", "Stage 1 translates.")                                \
    R(SCTLR_EL2, 53, 53, TME, FLAG, "C3.1.7" A, "TSTART at EL2 is not trapped.")                   \
    R(SCTLR_EL2, 52, 52, TME0, FLAG, "C3.1.7" A, "TSTART at EL0 is not trapped where EL2 is its host.")\
    R(SCTLR_EL2, 51, 51, TMT, FLAG, "C3.1.7" A, "TSTART at EL2 fails as TRIVIAL.")                 \
    R(SCTLR_EL2, 50, 50, TMT0, FLAG, "C3.1.7" A, "TSTART at EL0 fails as TRIVIAL where EL2 is its host.")\
    R(SCTLR_EL2, 0, 0, M, FLAG, "Arm ARM", "Stage 1 translates.")                                \
    R(TCR_EL1, 54, 54, NFD1, FLAG, "C3.1.3" A, "Transactional accesses at EL0 by TTBR1 do not walk tables: they fail.")\
    R(TCR_EL1, 53, 53, NFD0, FLAG, "C3.1.3" A, "Transactional accesses at EL0 by TTBR0 do not walk tables: they fail.")\
    R(TCR_EL2, 54, 54, NFD1, FLAG, "C3.1.4" A, "Transactional accesses at EL0 by TTBR1 do not walk tables: they fail.")\
    R(TCR_EL2, 53, 53, NFD0, FLAG, "C3.1.4" A, "Transactional accesses at EL0 by TTBR0 do not walk tables: they fail.")\
    R(CONTEXTIDR_EL1, 31, 0, PROCID, HEX, "Arm ARM", "The context identifier.")                    \
    R(CONTEXTIDR_EL2, 31, 0, PROCID, HEX, "Arm ARM", "The context identifier of EL2.")             \
    R(CNTPCT_EL0, 63, 0, COUNT, HEX, "Arm ARM", "The physical count.")                             \
    R(CNTVCT_EL0, 63, 0, COUNT, HEX, "Arm ARM", "The virtual count.")                              \
    R(CNTVOFF_EL2, 63, 0, COUNT, HEX, "Arm ARM", "What the virtual count lies behind the physical one.")\
    R(CNTPOFF_EL2, 63, 0, COUNT, HEX, "Arm ARM", "What the physical count lies behind, as EL1 and EL0 see it.")\
    R(CNTHCTL_EL2, 12, 12, ECV, FLAG, "Arm ARM", "CNTPOFF_EL2 is applied.")                        \
    R(ID_AA64DFR0_EL1, 55, 52, BRBE, PE_BRBE_BUILT, "B1.1" A, "The Branch Record Buffer Extension.")\
    R(ID_AA64DFR0_EL1, 47, 44, TraceBuffer, PE_BUILT, "B1.1" A, "The Trace Buffer Extension.")     \
    R(ID_AA64DFR0_EL1, 43, 40, TraceFilt, PE_BUILT, "B1.1" A, "Trace filter controls (FEAT_TRF).") \
    R(ID_AA64DFR0_EL1, 11, 8, PMUVer, NUMBER, "B1.1" A, "The version of the Performance Monitors.")\
    R(ID_AA64DFR0_EL1, 7, 4, TraceVer, PE_BUILT, "B1.1" A, "Registers of a trace unit, by System instructions.")\
    R(ID_AA64DFR0_EL1, 3, 0, DebugVer, NUMBER, "B1.1" A, "The version of debug.")                  \
    R(ID_AA64ISAR0_EL1, 27, 24, TME, PE_BUILT, "B1.1.3" A, "Transactional memory.")

#define CAIRN_PE_FINE_FIELDS(R)                                                                    \
    R(HDFGRTR_EL2, 63, 63, PMBIDR_EL1, FLAG, "Arm ARM", "MRS of PMBIDR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 62, 62, nPMSNEVFR_EL1, FLAG, "Arm ARM", "MRS of PMSNEVFR_EL1 is not trapped to EL2.")\
    R(HDFGRTR_EL2, 61, 61, nBRBDATA, FLAG, "F1.1.13" A, "MRS of registers of branch records is not trapped to EL2.")\
    R(HDFGRTR_EL2, 60, 60, nBRBCTL, FLAG, "F1.1.13" A, "MRS of BRBCR_EL1 and BRBFCR_EL1 is not trapped to EL2.")\
    R(HDFGRTR_EL2, 59, 59, nBRBIDR, FLAG, "F1.1.13" A, "MRS of BRBIDR0_EL1 is not trapped to EL2.")\
    R(HDFGRTR_EL2, 58, 58, PMCEIDn_EL0, FLAG, "Arm ARM", "MRS of PMCEID<n>_EL0 is trapped to EL2.")\
    R(HDFGRTR_EL2, 57, 57, PMUSERENR_EL0, FLAG, "Arm ARM", "MRS of PMUSERENR_EL0 is trapped to EL2.")\
    R(HDFGRTR_EL2, 56, 56, TRBTRG_EL1, FLAG, "Arm ARM", "MRS of TRBTRG_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 55, 55, TRBSR_EL1, FLAG, "Arm ARM", "MRS of TRBSR_EL1 is trapped to EL2.")      \
    R(HDFGRTR_EL2, 54, 54, TRBPTR_EL1, FLAG, "Arm ARM", "MRS of TRBPTR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 53, 53, TRBMAR_EL1, FLAG, "Arm ARM", "MRS of TRBMAR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 52, 52, TRBLIMITR_EL1, FLAG, "Arm ARM", "MRS of TRBLIMITR_EL1 is trapped to EL2.")\
    R(HDFGRTR_EL2, 51, 51, TRBIDR_EL1, FLAG, "Arm ARM", "MRS of TRBIDR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 50, 50, TRBBASER_EL1, FLAG, "Arm ARM", "MRS of TRBBASER_EL1 is trapped to EL2.")\
    R(HDFGRTR_EL2, 48, 48, TRCVICTLR, FLAG, "Arm ARM", "MRS of TRCVICTLR is trapped to EL2.")      \
    R(HDFGRTR_EL2, 47, 47, TRCSTATR, FLAG, "Arm ARM", "MRS of TRCSTATR is trapped to EL2.")        \
    R(HDFGRTR_EL2, 46, 46, TRCSSCSRn, FLAG, "Arm ARM", "MRS of TRCSSCSR<n> is trapped to EL2.")    \
    R(HDFGRTR_EL2, 45, 45, TRCSEQSTR, FLAG, "Arm ARM", "MRS of TRCSEQSTR is trapped to EL2.")      \
    R(HDFGRTR_EL2, 44, 44, TRCPRGCTLR, FLAG, "Arm ARM", "MRS of TRCPRGCTLR is trapped to EL2.")    \
    R(HDFGRTR_EL2, 43, 43, TRCOSLSR, FLAG, "Arm ARM", "MRS of TRCOSLSR is trapped to EL2.")        \
    R(HDFGRTR_EL2, 41, 41, TRCIMSPECn, FLAG, "Arm ARM", "MRS of TRCIMSPEC<n> is trapped to EL2.")  \
    R(HDFGRTR_EL2, 40, 40, TRCID, FLAG, "Arm ARM", "MRS of identification of the trace unit is trapped to EL2.")\
    R(HDFGRTR_EL2, 37, 37, TRCCNTVRn, FLAG, "Arm ARM", "MRS of TRCCNTVR<n> is trapped to EL2.")    \
    R(HDFGRTR_EL2, 36, 36, TRCCLAIM, FLAG, "Arm ARM", "MRS of TRCCLAIMCLR and TRCCLAIMSET is trapped to EL2.")\
    R(HDFGRTR_EL2, 35, 35, TRCAUXCTLR, FLAG, "Arm ARM", "MRS of TRCAUXCTLR is trapped to EL2.")    \
    R(HDFGRTR_EL2, 34, 34, TRCAUTHSTATUS, FLAG, "Arm ARM", "MRS of TRCAUTHSTATUS is trapped to EL2.")\
    R(HDFGRTR_EL2, 33, 33, TRC, FLAG, "Arm ARM", "MRS of registers of the trace unit that have no bit of their own is trapped to EL2.")\
    R(HDFGRTR_EL2, 32, 32, PMSLATFR_EL1, FLAG, "Arm ARM", "MRS of PMSLATFR_EL1 is trapped to EL2.")\
    R(HDFGRTR_EL2, 31, 31, PMSIRR_EL1, FLAG, "Arm ARM", "MRS of PMSIRR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 30, 30, PMSIDR_EL1, FLAG, "Arm ARM", "MRS of PMSIDR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 29, 29, PMSICR_EL1, FLAG, "Arm ARM", "MRS of PMSICR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 28, 28, PMSFCR_EL1, FLAG, "Arm ARM", "MRS of PMSFCR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 27, 27, PMSEVFR_EL1, FLAG, "Arm ARM", "MRS of PMSEVFR_EL1 is trapped to EL2.")  \
    R(HDFGRTR_EL2, 26, 26, PMSCR_EL1, FLAG, "Arm ARM", "MRS of PMSCR_EL1 is trapped to EL2.")      \
    R(HDFGRTR_EL2, 25, 25, PMBSR_EL1, FLAG, "Arm ARM", "MRS of PMBSR_EL1 is trapped to EL2.")      \
    R(HDFGRTR_EL2, 24, 24, PMBPTR_EL1, FLAG, "Arm ARM", "MRS of PMBPTR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 23, 23, PMBLIMITR_EL1, FLAG, "Arm ARM", "MRS of PMBLIMITR_EL1 is trapped to EL2.")\
    R(HDFGRTR_EL2, 22, 22, PMMIR_EL1, FLAG, "Arm ARM", "MRS of PMMIR_EL1 is trapped to EL2.")      \
    R(HDFGRTR_EL2, 19, 19, PMSELR_EL0, FLAG, "Arm ARM", "MRS of PMSELR_EL0 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 18, 18, PMOVS, FLAG, "Arm ARM", "MRS of PMOVSCLR_EL0 and PMOVSSET_EL0 is trapped to EL2.")\
    R(HDFGRTR_EL2, 17, 17, PMINTEN, FLAG, "Arm ARM", "MRS of PMINTENCLR_EL1 and PMINTENSET_EL1 is trapped to EL2.")\
    R(HDFGRTR_EL2, 16, 16, PMCNTEN, FLAG, "Arm ARM", "MRS of PMCNTENCLR_EL0 and PMCNTENSET_EL0 is trapped to EL2.")\
    R(HDFGRTR_EL2, 15, 15, PMCCNTR_EL0, FLAG, "Arm ARM", "MRS of PMCCNTR_EL0 is trapped to EL2.")  \
    R(HDFGRTR_EL2, 14, 14, PMCCFILTR_EL0, FLAG, "Arm ARM", "MRS of PMCCFILTR_EL0 is trapped to EL2.")\
    R(HDFGRTR_EL2, 13, 13, PMEVTYPERn_EL0, FLAG, "Arm ARM", "MRS of PMEVTYPER<n>_EL0 is trapped to EL2.")\
    R(HDFGRTR_EL2, 12, 12, PMEVCNTRn_EL0, FLAG, "Arm ARM", "MRS of PMEVCNTR<n>_EL0 is trapped to EL2.")\
    R(HDFGRTR_EL2, 11, 11, OSDLR_EL1, FLAG, "Arm ARM", "MRS of OSDLR_EL1 is trapped to EL2.")      \
    R(HDFGRTR_EL2, 10, 10, OSECCR_EL1, FLAG, "Arm ARM", "MRS of OSECCR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 9, 9, OSLSR_EL1, FLAG, "Arm ARM", "MRS of OSLSR_EL1 is trapped to EL2.")        \
    R(HDFGRTR_EL2, 7, 7, DBGPRCR_EL1, FLAG, "Arm ARM", "MRS of DBGPRCR_EL1 is trapped to EL2.")    \
    R(HDFGRTR_EL2, 6, 6, DBGAUTHSTATUS_EL1, FLAG, "Arm ARM", "MRS of DBGAUTHSTATUS_EL1 is trapped to EL2.")\
    R(HDFGRTR_EL2, 5, 5, DBGCLAIM, FLAG, "Arm ARM", "MRS of DBGCLAIMCLR_EL1 and DBGCLAIMSET_EL1 is trapped to EL2.")\
    R(HDFGRTR_EL2, 4, 4, MDSCR_EL1, FLAG, "Arm ARM", "MRS of MDSCR_EL1 is trapped to EL2.")        \
    R(HDFGRTR_EL2, 3, 3, DBGWVRn_EL1, FLAG, "Arm ARM", "MRS of DBGWVR<n>_EL1 is trapped to EL2.")  \
    R(HDFGRTR_EL2, 2, 2, DBGWCRn_EL1, FLAG, "Arm ARM", "MRS of DBGWCR<n>_EL1 is trapped to EL2.")  \
    R(HDFGRTR_EL2, 1, 1, DBGBVRn_EL1, FLAG, "Arm ARM", "MRS of DBGBVR<n>_EL1 is trapped to EL2.")  \
    R(HDFGRTR_EL2, 0, 0, DBGBCRn_EL1, FLAG, "Arm ARM", "MRS of DBGBCR<n>_EL1 is trapped to EL2.")  \
    R(HDFGWTR_EL2, 62, 62, nPMSNEVFR_EL1, FLAG, "Arm ARM", "MSR of PMSNEVFR_EL1 is not trapped to EL2.")\
    R(HDFGWTR_EL2, 61, 61, nBRBDATA, FLAG, "F1.1.13" A, "MSR of registers of branch records is not trapped to EL2.")\
    R(HDFGWTR_EL2, 60, 60, nBRBCTL, FLAG, "F1.1.13" A, "MSR of BRBCR_EL1 and BRBFCR_EL1 is not trapped to EL2.")\
    R(HDFGWTR_EL2, 57, 57, PMUSERENR_EL0, FLAG, "Arm ARM", "MSR of PMUSERENR_EL0 is trapped to EL2.")\
    R(HDFGWTR_EL2, 56, 56, TRBTRG_EL1, FLAG, "Arm ARM", "MSR of TRBTRG_EL1 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 55, 55, TRBSR_EL1, FLAG, "Arm ARM", "MSR of TRBSR_EL1 is trapped to EL2.")      \
    R(HDFGWTR_EL2, 54, 54, TRBPTR_EL1, FLAG, "Arm ARM", "MSR of TRBPTR_EL1 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 53, 53, TRBMAR_EL1, FLAG, "Arm ARM", "MSR of TRBMAR_EL1 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 52, 52, TRBLIMITR_EL1, FLAG, "Arm ARM", "MSR of TRBLIMITR_EL1 is trapped to EL2.")\
    R(HDFGWTR_EL2, 50, 50, TRBBASER_EL1, FLAG, "Arm ARM", "MSR of TRBBASER_EL1 is trapped to EL2.")\
    R(HDFGWTR_EL2, 49, 49, TRFCR_EL1, FLAG, "Arm ARM", "MSR of TRFCR_EL1 is trapped to EL2.")      \
    R(HDFGWTR_EL2, 48, 48, TRCVICTLR, FLAG, "Arm ARM", "MSR of TRCVICTLR is trapped to EL2.")      \
    R(HDFGWTR_EL2, 46, 46, TRCSSCSRn, FLAG, "Arm ARM", "MSR of TRCSSCSR<n> is trapped to EL2.")    \
    R(HDFGWTR_EL2, 45, 45, TRCSEQSTR, FLAG, "Arm ARM", "MSR of TRCSEQSTR is trapped to EL2.")      \
    R(HDFGWTR_EL2, 44, 44, TRCPRGCTLR, FLAG, "Arm ARM", "MSR of TRCPRGCTLR is trapped to EL2.")    \
    R(HDFGWTR_EL2, 42, 42, TRCOSLAR, FLAG, "Arm ARM", "MSR of TRCOSLAR is trapped to EL2.")        \
    R(HDFGWTR_EL2, 41, 41, TRCIMSPECn, FLAG, "Arm ARM", "MSR of TRCIMSPEC<n> is trapped to EL2.")  \
    R(HDFGWTR_EL2, 37, 37, TRCCNTVRn, FLAG, "Arm ARM", "MSR of TRCCNTVR<n> is trapped to EL2.")    \
    R(HDFGWTR_EL2, 36, 36, TRCCLAIM, FLAG, "Arm ARM", "MSR of TRCCLAIMCLR and TRCCLAIMSET is trapped to EL2.")\
    R(HDFGWTR_EL2, 35, 35, TRCAUXCTLR, FLAG, "Arm ARM", "MSR of TRCAUXCTLR is trapped to EL2.")    \
    R(HDFGWTR_EL2, 33, 33, TRC, FLAG, "Arm ARM", "MSR of registers of the trace unit that have no bit of their own is trapped to EL2.")\
    R(HDFGWTR_EL2, 32, 32, PMSLATFR_EL1, FLAG, "Arm ARM", "MSR of PMSLATFR_EL1 is trapped to EL2.")\
    R(HDFGWTR_EL2, 31, 31, PMSIRR_EL1, FLAG, "Arm ARM", "MSR of PMSIRR_EL1 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 29, 29, PMSICR_EL1, FLAG, "Arm ARM", "MSR of PMSICR_EL1 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 28, 28, PMSFCR_EL1, FLAG, "Arm ARM", "MSR of PMSFCR_EL1 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 27, 27, PMSEVFR_EL1, FLAG, "Arm ARM", "MSR of PMSEVFR_EL1 is trapped to EL2.")  \
    R(HDFGWTR_EL2, 26, 26, PMSCR_EL1, FLAG, "Arm ARM", "MSR of PMSCR_EL1 is trapped to EL2.")      \
    R(HDFGWTR_EL2, 25, 25, PMBSR_EL1, FLAG, "Arm ARM", "MSR of PMBSR_EL1 is trapped to EL2.")      \
    R(HDFGWTR_EL2, 24, 24, PMBPTR_EL1, FLAG, "Arm ARM", "MSR of PMBPTR_EL1 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 23, 23, PMBLIMITR_EL1, FLAG, "Arm ARM", "MSR of PMBLIMITR_EL1 is trapped to EL2.")\
    R(HDFGWTR_EL2, 21, 21, PMCR_EL0, FLAG, "Arm ARM", "MSR of PMCR_EL0 is trapped to EL2.")        \
    R(HDFGWTR_EL2, 20, 20, PMSWINC_EL0, FLAG, "Arm ARM", "MSR of PMSWINC_EL0 is trapped to EL2.")  \
    R(HDFGWTR_EL2, 19, 19, PMSELR_EL0, FLAG, "Arm ARM", "MSR of PMSELR_EL0 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 18, 18, PMOVS, FLAG, "Arm ARM", "MSR of PMOVSCLR_EL0 and PMOVSSET_EL0 is trapped to EL2.")\
    R(HDFGWTR_EL2, 17, 17, PMINTEN, FLAG, "Arm ARM", "MSR of PMINTENCLR_EL1 and PMINTENSET_EL1 is trapped to EL2.")\
    R(HDFGWTR_EL2, 16, 16, PMCNTEN, FLAG, "Arm ARM", "MSR of PMCNTENCLR_EL0 and PMCNTENSET_EL0 is trapped to EL2.")\
    R(HDFGWTR_EL2, 15, 15, PMCCNTR_EL0, FLAG, "Arm ARM", "MSR of PMCCNTR_EL0 is trapped to EL2.")  \
    R(HDFGWTR_EL2, 14, 14, PMCCFILTR_EL0, FLAG, "Arm ARM", "MSR of PMCCFILTR_EL0 is trapped to EL2.")\
    R(HDFGWTR_EL2, 13, 13, PMEVTYPERn_EL0, FLAG, "Arm ARM", "MSR of PMEVTYPER<n>_EL0 is trapped to EL2.")\
    R(HDFGWTR_EL2, 12, 12, PMEVCNTRn_EL0, FLAG, "Arm ARM", "MSR of PMEVCNTR<n>_EL0 is trapped to EL2.")\
    R(HDFGWTR_EL2, 11, 11, OSDLR_EL1, FLAG, "Arm ARM", "MSR of OSDLR_EL1 is trapped to EL2.")      \
    R(HDFGWTR_EL2, 10, 10, OSECCR_EL1, FLAG, "Arm ARM", "MSR of OSECCR_EL1 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 8, 8, OSLAR_EL1, FLAG, "Arm ARM", "MSR of OSLAR_EL1 is trapped to EL2.")        \
    R(HDFGWTR_EL2, 7, 7, DBGPRCR_EL1, FLAG, "Arm ARM", "MSR of DBGPRCR_EL1 is trapped to EL2.")    \
    R(HDFGWTR_EL2, 5, 5, DBGCLAIM, FLAG, "Arm ARM", "MSR of DBGCLAIMCLR_EL1 and DBGCLAIMSET_EL1 is trapped to EL2.")\
    R(HDFGWTR_EL2, 4, 4, MDSCR_EL1, FLAG, "Arm ARM", "MSR of MDSCR_EL1 is trapped to EL2.")        \
    R(HDFGWTR_EL2, 3, 3, DBGWVRn_EL1, FLAG, "Arm ARM", "MSR of DBGWVR<n>_EL1 is trapped to EL2.")  \
    R(HDFGWTR_EL2, 2, 2, DBGWCRn_EL1, FLAG, "Arm ARM", "MSR of DBGWCR<n>_EL1 is trapped to EL2.")  \
    R(HDFGWTR_EL2, 1, 1, DBGBVRn_EL1, FLAG, "Arm ARM", "MSR of DBGBVR<n>_EL1 is trapped to EL2.")  \
    R(HDFGWTR_EL2, 0, 0, DBGBCRn_EL1, FLAG, "Arm ARM", "MSR of DBGBCR<n>_EL1 is trapped to EL2.")

/* clang-format on */

#endif
