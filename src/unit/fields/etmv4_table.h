/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of ETE and ETMv4: R(register, units, high, low, FIELD, meaning, section, what it does).
 * DDI0608 names most fields and gives few positions. A section alone: the position follows from it
 * as well (D10.1.3 and D10.2 give values). P: the position is public, from the Arm ARM and what
 * ETMv4 drivers and units do. */
#ifndef CAIRN_UNIT_FIELDS_ETMV4_TABLE_H
#define CAIRN_UNIT_FIELDS_ETMV4_TABLE_H

/* clang-format off */
#define P "Arm ARM / ETMv4 practice"

#define CAIRN_ETMV4_FIELDS(R)                                                                      \
    R(TRCPRGCTLR, BOTH, 0, 0, EN, ENABLE, "D8.3; " P,                                              \
      "Enables the trace unit. Other registers are written while it is 0 and the unit is idle.")   \
    R(TRCPROCSELR, ETMV4, 4, 0, PROCSEL, NUMBER, P,                                                \
      "The PE that is traced, where several share the unit.")                                      \
    R(TRCSTATR, BOTH, 1, 1, PMSTABLE, FLAG, "D10.1.3",                                             \
      "The registers of a disabled unit may be read: their state does not change any more.")       \
    R(TRCSTATR, BOTH, 0, 0, IDLE, FLAG, "D10.1.3",                                                 \
      "The unit is idle: disabled, and all its trace is out. It may be programmed.")               \
    R(TRCCONFIGR, ETE, 18, 18, ITO, FLAG, P,                                                       \
      "Instrumentation trace is allowed as TRCITEEDCR says, whatever self-hosted controls say.")   \
    R(TRCCONFIGR, ETMV4, 17, 17, DV, FLAG, P, "Data values are traced.")                           \
    R(TRCCONFIGR, ETMV4, 16, 16, DA, FLAG, P, "Data addresses are traced.")                        \
    R(TRCCONFIGR, BOTH, 15, 15, VMIDOPT, VMIDOPT, P,                                               \
      "Which register the virtual context identifier is from, where TRCIDR2.VMIDOPT is 1.")        \
    R(TRCCONFIGR, BOTH, 14, 13, QE, QE, "D6.9.11; " P,                                             \
      "Which Q elements may stand for many instructions.")                                         \
    R(TRCCONFIGR, BOTH, 12, 12, RS, FLAG, "D10.2; D6.9.6",                                         \
      "Return stack: returns that it predicts need no address in the trace.")                      \
    R(TRCCONFIGR, BOTH, 11, 11, TS, FLAG, "D10.2; D6.9.17", "Global timestamps are traced.")       \
    R(TRCCONFIGR, ETMV4, 10, 8, COND, COND, P, "Which conditional instructions are traced.")       \
    R(TRCCONFIGR, BOTH, 7, 7, VMID, FLAG, "D10.2", "Virtual context identifiers are traced.")      \
    R(TRCCONFIGR, BOTH, 6, 6, CID, FLAG, "D10.2", "Context identifiers are traced.")               \
    R(TRCCONFIGR, BOTH, 4, 4, CCI, FLAG, "D6.9.18; " P, "Cycles are counted.")                     \
    R(TRCCONFIGR, BOTH, 3, 3, BB, FLAG, "D6.9.13; " P,                                             \
      "Branch broadcasting: targets of taken direct branches are traced, as TRCBBCTLR says.")      \
    R(TRCCONFIGR, ETMV4, 2, 1, INSTP0, INSTP0, P, "Which loads and stores are P0 instructions.")   \
    R(TRCCONFIGR, BOTH, 0, 0, RES1, NUMBER, P, "Reads as 1, whatever is written.")                 \
    R(TRCAUXCTLR, BOTH, 31, 0, IMP, HEX, P,                                                        \
      "IMPLEMENTATION DEFINED. 0 is the behaviour that the architecture describes.")               \
    R(TRCEVENTCTL0R, BOTH, 31, 24, EVENT3, EVENT, "D6.10.7; " P, "What ETEEvent 3 occurs at.")     \
    R(TRCEVENTCTL0R, BOTH, 23, 16, EVENT2, EVENT, "D6.10.7; " P, "What ETEEvent 2 occurs at.")     \
    R(TRCEVENTCTL0R, BOTH, 15, 8, EVENT1, EVENT, "D6.10.7; " P, "What ETEEvent 1 occurs at.")      \
    R(TRCEVENTCTL0R, BOTH, 7, 0, EVENT0, EVENT, "D6.10.7; " P, "What ETEEvent 0 occurs at.")       \
    R(TRCEVENTCTL1R, ETE, 13, 13, OE, FLAG, P, "Trace output is enabled (TRCIDR5.OE).")            \
    R(TRCEVENTCTL1R, BOTH, 12, 12, LPOVERRIDE, FLAG, "D6.2.4; " P,                                 \
      "Resources go on and trace is not drained while the PE is in a low-power state.")            \
    R(TRCEVENTCTL1R, BOTH, 11, 11, ATB, FLAG, "D6.10.7; " P,                                       \
      "ETEEvent 0 is a trigger on the trace bus.")                                                 \
    R(TRCEVENTCTL1R, ETMV4, 4, 4, DATAEN, FLAG, P, "Event 0 is told in the data trace.")           \
    R(TRCEVENTCTL1R, BOTH, 3, 0, INSTEN, EVENTS, "D6.10.7; " P,                                    \
      "ETEEvents that are told in the trace as Event elements.")                                   \
    R(TRCRSR, ETE, 12, 12, TA, FLAG, "D6.8.5; " P, "Trace is active: no Trace On is needed next.") \
    R(TRCRSR, ETE, 11, 8, EVENT, EVENTS, "D6.10.7; " P, "ETEEvents that are still to be told.")    \
    R(TRCRSR, ETE, 3, 0, EXTIN, EXTINS, "D7.11.1; " P,                                             \
      "External input selectors that saw their event while the resources were paused.")            \
    R(TRCSTALLCTLR, BOTH, 13, 13, NOOVERFLOW, FLAG, "D6.10.6; " P,                                 \
      "The PE stalls rather than let the unit overflow. It needs ISTALL.")                         \
    R(TRCSTALLCTLR, ETMV4, 12, 12, DATADISCARDSTORE, FLAG, P, "Data of stores may be discarded.")  \
    R(TRCSTALLCTLR, ETMV4, 11, 11, DATADISCARDLOAD, FLAG, P, "Data of loads may be discarded.")    \
    R(TRCSTALLCTLR, ETMV4, 10, 10, INSTPRIORITY, FLAG, P, "Instruction trace goes before data.")   \
    R(TRCSTALLCTLR, ETMV4, 9, 9, DSTALL, FLAG, P, "The PE stalls where the data trace is full.")   \
    R(TRCSTALLCTLR, BOTH, 8, 8, ISTALL, FLAG, "D6.10.5; " P,                                       \
      "The PE stalls where the unit has less room than LEVEL asks for.")                           \
    R(TRCSTALLCTLR, BOTH, 3, 0, LEVEL, NUMBER, "D6.10.5; " P,                                      \
      "How much the unit may disturb the PE: 0 least, 15 most.")                                   \
    R(TRCTSCTLR, BOTH, 7, 0, EVENT, EVENT, "D6.9.17; " P,                                          \
      "What asks for a timestamp, besides synchronisation and the like.")                          \
    R(TRCSYNCPR, BOTH, 4, 0, PERIOD, PERIOD, "D10.2; D6.9.3",                                      \
      "How many bytes of trace lie between synchronisations.")                                     \
    R(TRCCCCTLR, BOTH, 11, 0, THRESHOLD, NUMBER, "D6.9.18; " P,                                    \
      "Cycles that pass before they are told; at least TRCIDR3.CCITMIN.")                          \
    R(TRCBBCTLR, BOTH, 8, 8, MODE, MODE, "D6.9.13; " P,                                            \
      "Whether branches are broadcast inside the ranges of RANGE or outside.")                     \
    R(TRCBBCTLR, BOTH, 7, 0, RANGE, ARCS, "D6.9.13; " P, "The ranges that MODE speaks of.")        \
    R(TRCTRACEIDR, BOTH, 6, 0, TRACEID, TRACE_ID, "D1.5; " P,                                      \
      "The ID of the trace on a shared bus: 0x01 to 0x6f, each once.")                             \
    R(TRCQCTLR, BOTH, 8, 8, MODE, MODE, "D6.9.11; " P,                                             \
      "Whether Q elements are allowed inside the ranges of RANGE or outside.")                     \
    R(TRCQCTLR, BOTH, 7, 0, RANGE, ARCS, "D6.9.11; " P, "The ranges that MODE speaks of.")         \
    R(TRCITEEDCR, ETE, 6, 6, RL, FLAG, P, "Instrumentation trace is allowed in Realm state.")      \
    R(TRCITEEDCR, ETE, 5, 5, S, FLAG, P, "Instrumentation trace is allowed in Secure state.")      \
    R(TRCITEEDCR, ETE, 4, 4, NS, FLAG, P, "Instrumentation trace is allowed in Non-secure state.") \
    R(TRCITEEDCR, ETE, 3, 3, E3, FLAG, P, "Instrumentation trace is allowed at EL3.")              \
    R(TRCITEEDCR, ETE, 2, 2, E2, FLAG, P, "Instrumentation trace is allowed at EL2.")              \
    R(TRCITEEDCR, ETE, 1, 1, E1, FLAG, P, "Instrumentation trace is allowed at EL1.")              \
    R(TRCITEEDCR, ETE, 0, 0, E0, FLAG, P, "Instrumentation trace is allowed at EL0.")              \
    R(TRCVICTLR, ETE, 26, 24, EXLEVEL_RL, LEVELS, "D6.8.1; " P,                                    \
      "Exception levels of Realm state that are not traced (RME).")                                \
    R(TRCVICTLR, BOTH, 22, 20, EXLEVEL_NS, LEVELS, "D10.2; D6.8.1",                                \
      "Exception levels of Non-secure state that are not traced.")                                 \
    R(TRCVICTLR, BOTH, 19, 16, EXLEVEL_S, LEVELS, "D10.2; D6.8.1",                                 \
      "Exception levels of Secure state that are not traced, and EL3.")                            \
    R(TRCVICTLR, BOTH, 11, 11, TRCERR, FLAG, "D6.8.6; " P,                                         \
      "System Errors are traced even where ViewInst leaves them out.")                             \
    R(TRCVICTLR, BOTH, 10, 10, TRCRESET, FLAG, "D6.8.6; " P,                                       \
      "PE Resets are traced even where ViewInst leaves them out.")                                 \
    R(TRCVICTLR, BOTH, 9, 9, SSSTATUS, SSSTATUS, "D10.2; D6.8.2",                                  \
      "Where the start/stop function stands: without start points it stays there.")                \
    R(TRCVICTLR, BOTH, 7, 0, EVENT, EVENT, "D10.2; D6.8",                                          \
      "When anything is traced at all: selector 1 is always, selector 0 never.")                   \
    R(TRCVIIECTLR, BOTH, 23, 16, EXCLUDE, ARCS, "D6.8.3; D10.4",                                   \
      "Address ranges that are not traced.")                                                       \
    R(TRCVIIECTLR, BOTH, 7, 0, INCLUDE, ARCS, "D6.8.3; D10.5",                                     \
      "Address ranges that alone are traced; none: everything is.")                                \
    R(TRCVISSCTLR, BOTH, 31, 16, STOP, SACS, "D6.8.2; " P, "Address comparators that stop trace.") \
    R(TRCVISSCTLR, BOTH, 15, 0, START, SACS, "D6.8.2; " P,                                         \
      "Address comparators that start trace.")                                                     \
    R(TRCVIPCSSCTLR, BOTH, 23, 16, STOP, PES, "D6.8.2; " P,                                        \
      "PE comparator inputs that stop trace.")                                                     \
    R(TRCVIPCSSCTLR, BOTH, 7, 0, START, PES, "D6.8.2; " P,                                         \
      "PE comparator inputs that start trace.")                                                    \
    R(TRCVDCTLR, ETMV4, 12, 12, TRCEXDATA, FLAG, P, "Data of exceptions is traced (M profile).")   \
    R(TRCVDCTLR, ETMV4, 11, 11, TBI, FLAG, P, "Tags of addresses are traced as they are.")         \
    R(TRCVDCTLR, ETMV4, 10, 10, PCREL, FLAG, P, "Transfers relative to the PC are left out.")      \
    R(TRCVDCTLR, ETMV4, 9, 8, SPREL, NUMBER, P, "What is traced of transfers relative to the SP.") \
    R(TRCVDCTLR, ETMV4, 7, 0, EVENT, EVENT, P, "When data is traced at all.")                      \
    R(TRCVDSACCTLR, ETMV4, 23, 16, EXCLUDE, SACS, P, "Comparators whose data is not traced.")      \
    R(TRCVDSACCTLR, ETMV4, 7, 0, INCLUDE, SACS, P, "Comparators whose data alone is traced.")      \
    R(TRCVDARCCTLR, ETMV4, 23, 16, EXCLUDE, ARCS, P, "Ranges whose data is not traced.")           \
    R(TRCVDARCCTLR, ETMV4, 7, 0, INCLUDE, ARCS, P, "Ranges whose data alone is traced.")           \
    R(TRCSEQEVR, BOTH, 15, 8, B, EVENT, "D7.8; " P,                                                \
      "What takes the sequencer one state back, to this one from the next.")                       \
    R(TRCSEQEVR, BOTH, 7, 0, F, EVENT, "D7.8; " P,                                                 \
      "What takes the sequencer one state forward, from this one to the next.")                    \
    R(TRCSEQRSTEVR, BOTH, 7, 0, RST, EVENT, "D7.8; " P, "What takes the sequencer to state 0.")    \
    R(TRCSEQSTR, BOTH, 1, 0, STATE, STATE4, "D7.8; " P, "The state that the sequencer is in.")     \
    R(TRCEXTINSELR, ETMV4, 31, 24, SEL3, NUMBER, P, "The external input of selector 3.")           \
    R(TRCEXTINSELR, ETMV4, 23, 16, SEL2, NUMBER, P, "The external input of selector 2.")           \
    R(TRCEXTINSELR, ETMV4, 15, 8, SEL1, NUMBER, P, "The external input of selector 1.")            \
    R(TRCEXTINSELR, ETMV4, 7, 0, SEL0, NUMBER, P, "The external input of selector 0.")             \
    R(TRCEXTINSELR0, ETE, 15, 0, evtCount, HEX, "D7.11; " P, "The PMU event of selector 0.")       \
    R(TRCEXTINSELR1, ETE, 15, 0, evtCount, HEX, "D7.11; " P, "The PMU event of selector 1.")       \
    R(TRCEXTINSELR2, ETE, 15, 0, evtCount, HEX, "D7.11; " P, "The PMU event of selector 2.")       \
    R(TRCEXTINSELR3, ETE, 15, 0, evtCount, HEX, "D7.11; " P, "The PMU event of selector 3.")       \
    R(TRCCNTRLDVR, BOTH, 15, 0, VALUE, NUMBER, "D7.7; " P, "What the counter is loaded with.")     \
    R(TRCCNTCTLR, BOTH, 17, 17, CNTCHAIN, CNTCHAIN, "D7.7.1; " P,                                  \
      "The counter goes down when the one below it reloads, too: both are one of 32 bits.")        \
    R(TRCCNTCTLR, BOTH, 16, 16, RLDSELF, FLAG, "D7.7.2; " P,                                       \
      "The counter loads itself when it goes on from 0.")                                          \
    R(TRCCNTCTLR, BOTH, 15, 8, RLDEVENT, EVENT, "D7.7; " P, "What loads the counter.")             \
    R(TRCCNTCTLR, BOTH, 7, 0, CNTEVENT, EVENT, "D7.7; " P, "What counts it down by 1.")            \
    R(TRCCNTVR, BOTH, 15, 0, VALUE, NUMBER, "D7.7; " P, "Where the counter stands.")               \
    R(TRCRSCTLR, BOTH, 21, 21, PAIRINV, PAIRINV, "D7.3.1; " P,                                     \
      "The result of this selector and the next one together is inverted.")                        \
    R(TRCRSCTLR, BOTH, 20, 20, INV, FLAG, "D7.3; " P, "The result of the selector is inverted.")   \
    R(TRCRSCTLR, BOTH, 19, 16, GROUP, GROUP, "D7.3; " P, "The kind of resource.")                  \
    R(TRCRSCTLR, BOTH, 15, 0, SELECT, SELECT, "D7.3; " P,                                          \
      "Which of the group: the selector is active while any of them is.")                          \
    R(TRCSSCCR, BOTH, 24, 24, RST, FLAG, "D7.9.1; " P,                                             \
      "The control may fire again and again; else once, until STATUS is cleared.")                 \
    R(TRCSSCCR, BOTH, 23, 16, ARC, ARCS, "D7.9; " P, "Address ranges that it watches.")            \
    R(TRCSSCCR, BOTH, 15, 0, SAC, SACS, "D7.9; " P, "Addresses that it watches.")                  \
    R(TRCSSCSR, BOTH, 31, 31, STATUS, FLAG, "D7.9; " P, "It has fired.")                           \
    R(TRCSSCSR, BOTH, 30, 30, PENDING, FLAG, "D7.9.2; " P, "It fires when the resources go on.")   \
    R(TRCSSCSR, BOTH, 3, 3, PC, FLAG, P, "It can watch PE comparator inputs.")                     \
    R(TRCSSCSR, BOTH, 2, 2, DV, FLAG, P, "It can watch data values.")                              \
    R(TRCSSCSR, BOTH, 1, 1, DA, FLAG, P, "It can watch data addresses.")                           \
    R(TRCSSCSR, BOTH, 0, 0, INST, FLAG, P, "It can watch instruction addresses.")                  \
    R(TRCSSPCICR, BOTH, 7, 0, PC, PES, "D7.9; " P, "PE comparator inputs that it watches.")        \
    R(TRCACVR, BOTH, 63, 0, ADDRESS, ADDRESS, "D7.4.1",                                            \
      "The address. The comparators 2n and 2n + 1 are first and last address of range n.")         \
    R(TRCACATR, ETMV4, 21, 21, DTBM, FLAG, P, "Tags of data addresses are compared, too.")         \
    R(TRCACATR, ETMV4, 20, 20, DATARANGE, FLAG, P, "Data of the range is compared.")               \
    R(TRCACATR, ETMV4, 19, 18, DATASIZE, DATASIZE, P, "The size of the data that is compared.")    \
    R(TRCACATR, ETE, 18, 16, EXLEVEL_RL, LEVELS, "D7.4.1; " P,                                     \
      "Exception levels of Realm state at which the comparator does not match.")                   \
    R(TRCACATR, ETMV4, 17, 16, DATAMATCH, DATAMATCH, P, "Whether data is compared.")               \
    R(TRCACATR, BOTH, 14, 12, EXLEVEL_NS, LEVELS, "D7.4.1; " P,                                    \
      "Exception levels of Non-secure state at which the comparator does not match.")              \
    R(TRCACATR, BOTH, 11, 8, EXLEVEL_S, LEVELS, "D7.4.1; " P,                                      \
      "Exception levels of Secure state, and EL3, at which the comparator does not match.")        \
    R(TRCACATR, BOTH, 6, 4, CONTEXT, NUMBER, "D7.4.1; " P,                                         \
      "Which of the context comparators CONTEXTTYPE means.")                                       \
    R(TRCACATR, BOTH, 3, 2, CONTEXTTYPE, CONTEXTTYPE, "D7.4.1; " P,                                \
      "Which context comparator has to match as well.")                                            \
    R(TRCACATR, ETMV4, 1, 0, TYPE, ACCESS, P, "What is compared.")                                 \
    R(TRCDVCVR, ETMV4, 63, 0, VALUE, HEX, P, "The data value that is compared.")                   \
    R(TRCDVCMR, ETMV4, 63, 0, MASK, HEX, P, "Bits of the data that are not compared.")             \
    R(TRCCIDCVR, BOTH, 31, 0, VALUE, HEX, "D7.5", "The context identifier that is compared.")      \
    R(TRCVMIDCVR, BOTH, 31, 0, VALUE, HEX, "D7.6",                                                 \
      "The virtual context identifier that is compared.")                                          \
    R(TRCCIDCCTLR0, BOTH, 31, 24, COMP3, BYTES, "D7.5; " P, "Bytes that comparator 3 leaves out.") \
    R(TRCCIDCCTLR0, BOTH, 23, 16, COMP2, BYTES, "D7.5; " P, "Bytes that comparator 2 leaves out.") \
    R(TRCCIDCCTLR0, BOTH, 15, 8, COMP1, BYTES, "D7.5; " P, "Bytes that comparator 1 leaves out.")  \
    R(TRCCIDCCTLR0, BOTH, 7, 0, COMP0, BYTES, "D7.5; " P, "Bytes that comparator 0 leaves out.")   \
    R(TRCCIDCCTLR1, BOTH, 31, 24, COMP7, BYTES, "D7.5; " P, "Bytes that comparator 7 leaves out.") \
    R(TRCCIDCCTLR1, BOTH, 23, 16, COMP6, BYTES, "D7.5; " P, "Bytes that comparator 6 leaves out.") \
    R(TRCCIDCCTLR1, BOTH, 15, 8, COMP5, BYTES, "D7.5; " P, "Bytes that comparator 5 leaves out.")  \
    R(TRCCIDCCTLR1, BOTH, 7, 0, COMP4, BYTES, "D7.5; " P, "Bytes that comparator 4 leaves out.")   \
    R(TRCVMIDCCTLR0, BOTH, 31, 24, COMP3, BYTES, "D7.6; " P, "Bytes that comparator 3 leaves out.")\
    R(TRCVMIDCCTLR0, BOTH, 23, 16, COMP2, BYTES, "D7.6; " P, "Bytes that comparator 2 leaves out.")\
    R(TRCVMIDCCTLR0, BOTH, 15, 8, COMP1, BYTES, "D7.6; " P, "Bytes that comparator 1 leaves out.") \
    R(TRCVMIDCCTLR0, BOTH, 7, 0, COMP0, BYTES, "D7.6; " P, "Bytes that comparator 0 leaves out.")  \
    R(TRCVMIDCCTLR1, BOTH, 31, 24, COMP7, BYTES, "D7.6; " P, "Bytes that comparator 7 leaves out.")\
    R(TRCVMIDCCTLR1, BOTH, 23, 16, COMP6, BYTES, "D7.6; " P, "Bytes that comparator 6 leaves out.")\
    R(TRCVMIDCCTLR1, BOTH, 15, 8, COMP5, BYTES, "D7.6; " P, "Bytes that comparator 5 leaves out.") \
    R(TRCVMIDCCTLR1, BOTH, 7, 0, COMP4, BYTES, "D7.6; " P, "Bytes that comparator 4 leaves out.")

/* What was built, and what manages the unit. */
#define CAIRN_ETMV4_BUILT_FIELDS(R)                                                                \
    R(TRCIDR0, BOTH, 31, 31, RES0, RESERVED, P, "Nothing.")                                        \
    R(TRCIDR0, BOTH, 30, 30, COMMTRANS, COMMTRANS, "D16; " P,                                      \
      "Whether a Transaction Start is a P0 element.")                                              \
    R(TRCIDR0, BOTH, 29, 29, COMMOPT, COMMOPT, "D16; " P,                                          \
      "Whether Cycle Count packets have Commits in them.")                                         \
    R(TRCIDR0, BOTH, 28, 24, TSSIZE, TSSIZE, "D16; " P, "Timestamps.")                             \
    R(TRCIDR0, BOTH, 23, 23, TSMARK, FLAG, "D16; " P, "Timestamp Marker elements are generated.")  \
    R(TRCIDR0, BOTH, 22, 22, ITE, FLAG, P, "Instrumentation trace is there.")                      \
    R(TRCIDR0, BOTH, 21, 20, RES0, RESERVED, P, "Nothing.")                                        \
    R(TRCIDR0, BOTH, 19, 18, BF, NUMBER, P, "Branch future support (M profile).")                  \
    R(TRCIDR0, BOTH, 17, 17, TRCEXDATA, FLAG, P, "Data of exceptions can be traced (M profile).")  \
    R(TRCIDR0, BOTH, 16, 15, QSUPP, QSUPP, "D16; " P, "Q elements.")                               \
    R(TRCIDR0, BOTH, 14, 14, QFILT, FLAG, "D16; " P, "Q elements can be filtered (TRCQCTLR).")     \
    R(TRCIDR0, BOTH, 13, 12, CONDTYPE, CONDTYPE, P, "How conditions are traced.")                  \
    R(TRCIDR0, BOTH, 11, 10, NUMEVENT, COUNT_MINUS_1, "D16; " P,                                   \
      "How many ETEEvents there are, where there are resource selectors.")                         \
    R(TRCIDR0, BOTH, 9, 9, RETSTACK, FLAG, "D16; " P, "There is a return stack.")                  \
    R(TRCIDR0, BOTH, 8, 8, RES0, RESERVED, P, "Nothing.")                                          \
    R(TRCIDR0, BOTH, 7, 7, TRCCCI, FLAG, "D16; " P, "Cycles can be counted.")                      \
    R(TRCIDR0, BOTH, 6, 6, TRCCOND, FLAG, P, "Conditional instructions can be traced.")            \
    R(TRCIDR0, BOTH, 5, 5, TRCBB, FLAG, "D16; " P, "There is branch broadcasting.")                \
    R(TRCIDR0, BOTH, 4, 3, TRCDATA, TRCDATA, P, "Data trace.")                                     \
    R(TRCIDR0, BOTH, 2, 1, INSTP0, INSTP0_BUILT, P, "Loads and stores as P0 instructions.")        \
    R(TRCIDR0, BOTH, 0, 0, RES1, RESERVED, P, "Reads as 1.")                                       \
    R(TRCIDR1, BOTH, 31, 24, DESIGNER, HEX, P, "Who designed the unit: 0x41 is Arm.")              \
    R(TRCIDR1, BOTH, 23, 12, RES, RESERVED, P, "Nothing; bits 15:12 read as 1.")                   \
    R(TRCIDR1, BOTH, 11, 8, TRCARCHMAJ, MAJOR, "D16; " P, "The major version.")                    \
    R(TRCIDR1, BOTH, 7, 4, TRCARCHMIN, NUMBER, "D16; " P,                                          \
      "The minor version of ETMv4; of ETE TRCDEVARCH.REVISION tells.")                             \
    R(TRCIDR1, BOTH, 3, 0, REVISION, NUMBER, P, "The revision of the implementation.")             \
    R(TRCIDR2, BOTH, 31, 31, WFXMODE, WFXMODE, "D16; " P, "Whether WFI and WFE are P0.")           \
    R(TRCIDR2, BOTH, 30, 29, VMIDOPT, VMIDOPT_BUILT, "D16; " P, "What TRCCONFIGR.VMIDOPT is.")     \
    R(TRCIDR2, BOTH, 28, 25, CCSIZE, CCSIZE, "D16; " P, "The size of the cycle counter.")          \
    R(TRCIDR2, BOTH, 24, 20, DVSIZE, DATA_SIZE, P, "The size of data values.")                     \
    R(TRCIDR2, BOTH, 19, 15, DASIZE, DATA_SIZE, P, "The size of data addresses.")                  \
    R(TRCIDR2, BOTH, 14, 10, VMIDSIZE, VMID_SIZE, "D16; " P, "Virtual context identifiers.")       \
    R(TRCIDR2, BOTH, 9, 5, CIDSIZE, ID_SIZE, "D16; " P, "Context identifiers.")                    \
    R(TRCIDR2, BOTH, 4, 0, IASIZE, ADDRESS_SIZE, "D16; " P, "Instruction addresses.")              \
    R(TRCIDR3, BOTH, 31, 31, NOOVERFLOW, FLAG, "D16; " P, "Overflows can be prevented.")           \
    R(TRCIDR3, BOTH, 30, 28, NUMPROC, NUMBER, P, "PEs that share the unit, less 1: low bits.")     \
    R(TRCIDR3, BOTH, 27, 27, SYSSTALL, FLAG, "D16; " P, "The system lets the unit stall the PE.")  \
    R(TRCIDR3, BOTH, 26, 26, STALLCTL, FLAG, "D16; " P, "Stalling can be controlled.")             \
    R(TRCIDR3, BOTH, 25, 25, SYNCPR, SYNCPR, "D16; " P, "Whether TRCSYNCPR can be written.")       \
    R(TRCIDR3, BOTH, 24, 24, TRCERR, FLAG, "D16; " P, "TRCVICTLR.TRCERR is there.")                \
    R(TRCIDR3, BOTH, 23, 20, EXLEVEL_NS, LEVELS_BUILT, "D16; " P, "Non-secure levels of the PE.")  \
    R(TRCIDR3, BOTH, 19, 16, EXLEVEL_S, LEVELS_BUILT, "D16; " P, "Secure levels of the PE.")       \
    R(TRCIDR3, BOTH, 15, 14, RES0, RESERVED, P, "Nothing.")                                        \
    R(TRCIDR3, BOTH, 13, 12, NUMPROCH, NUMBER, P, "NUMPROC, high bits.")                           \
    R(TRCIDR3, BOTH, 11, 0, CCITMIN, NUMBER, "D16; " P, "The least threshold of cycle counts.")    \
    R(TRCIDR4, BOTH, 31, 28, NUMVMIDC, COUNT, "D16; " P, "Virtual context id comparators.")        \
    R(TRCIDR4, BOTH, 27, 24, NUMCIDC, COUNT, "D16; " P, "Context identifier comparators.")         \
    R(TRCIDR4, BOTH, 23, 20, NUMSSCC, COUNT, "D16; " P, "Single-shot comparator controls.")        \
    R(TRCIDR4, BOTH, 19, 16, NUMRSPAIR, PAIRS_MINUS_1, "D16; " P,                                  \
      "Pairs of resource selectors, the fixed pair 0 with them.")                                  \
    R(TRCIDR4, BOTH, 15, 12, NUMPC, COUNT, "D16; " P, "PE comparator inputs.")                     \
    R(TRCIDR4, BOTH, 11, 9, RES0, RESERVED, P, "Nothing.")                                         \
    R(TRCIDR4, BOTH, 8, 8, SUPPDAC, FLAG, P, "Data addresses can be compared.")                    \
    R(TRCIDR4, BOTH, 7, 4, NUMDVC, COUNT, P, "Data value comparators.")                            \
    R(TRCIDR4, BOTH, 3, 0, NUMACPAIRS, COUNT, "D16; " P, "Pairs of address comparators.")          \
    R(TRCIDR5, BOTH, 31, 31, REDFUNCNTR, FLAG, P, "Counter 0 has less functions than others.")     \
    R(TRCIDR5, BOTH, 30, 28, NUMCNTR, NUMBER, "D16; " P, "Counters.")                              \
    R(TRCIDR5, BOTH, 27, 25, NUMSEQSTATE, SEQSTATES, "D16; " P, "States of the sequencer.")        \
    R(TRCIDR5, BOTH, 24, 24, OE, FLAG, P, "TRCEVENTCTL1R.OE is there.")                            \
    R(TRCIDR5, BOTH, 23, 23, LPOVERRIDE, FLAG, "D16; " P, "TRCEVENTCTL1R.LPOVERRIDE is there.")    \
    R(TRCIDR5, BOTH, 22, 22, ATBTRIG, FLAG, "D16; " P, "TRCEVENTCTL1R.ATB is there.")              \
    R(TRCIDR5, BOTH, 21, 16, TRACEIDSIZE, IDSIZE7, "D16; " P, "The size of the trace ID.")         \
    R(TRCIDR5, BOTH, 15, 12, RES0, RESERVED, P, "Nothing.")                                        \
    R(TRCIDR5, BOTH, 11, 9, NUMEXTINSEL, NUMBER, "D16; " P, "External input selectors.")           \
    R(TRCIDR5, BOTH, 8, 0, NUMEXTIN, HEX, "D16; " P,                                               \
      "External inputs; 0x1ff: the PMU events, as in every ETE.")                                  \
    R(TRCIDR6, BOTH, 31, 3, RES0, RESERVED, P, "Nothing.")                                         \
    R(TRCIDR6, BOTH, 2, 0, EXLEVEL_RL, LEVELS_BUILT, P, "Realm levels of the PE.")                 \
    R(TRCIDR7, BOTH, 31, 0, RES0, RESERVED, P, "Nothing.")                                         \
    R(TRCIDR8, BOTH, 31, 0, MAXSPEC, NUMBER, "D6.7", "P0 elements that may be speculative at once.")\
    R(TRCIDR9, BOTH, 31, 0, NUMP0KEY, NUMBER, P, "P0 keys of the data trace.")                     \
    R(TRCIDR10, BOTH, 31, 0, NUMP1KEY, NUMBER, P, "P1 keys of the data trace.")                    \
    R(TRCIDR11, BOTH, 31, 0, NUMP1SPC, NUMBER, P, "Special P1 keys of the data trace.")            \
    R(TRCIDR12, BOTH, 31, 0, NUMCONDKEY, NUMBER, P, "Keys of conditional instructions.")           \
    R(TRCIDR13, BOTH, 31, 0, NUMCONDSPC, NUMBER, P, "Special keys of conditional instructions.")   \
    R(TRCIMSPEC, BOTH, 31, 0, IMP, HEX, P, "IMPLEMENTATION DEFINED.")                              \
    R(TRCAUTHSTATUS, BOTH, 31, 28, RES0, RESERVED, P, "Nothing.")                                  \
    R(TRCAUTHSTATUS, BOTH, 27, 26, RTNID, AUTH, P, "Root non-invasive debug.")                     \
    R(TRCAUTHSTATUS, BOTH, 25, 24, RTID, AUTH, P, "Root invasive debug.")                          \
    R(TRCAUTHSTATUS, BOTH, 23, 16, RES0, RESERVED, P, "Nothing.")                                  \
    R(TRCAUTHSTATUS, BOTH, 15, 14, RLNID, AUTH, P, "Realm non-invasive debug.")                    \
    R(TRCAUTHSTATUS, BOTH, 13, 12, RLID, AUTH, P, "Realm invasive debug.")                         \
    R(TRCAUTHSTATUS, BOTH, 11, 10, HNID, AUTH, P, "Hypervisor non-invasive debug.")                \
    R(TRCAUTHSTATUS, BOTH, 9, 8, HID, AUTH, P, "Hypervisor invasive debug.")                       \
    R(TRCAUTHSTATUS, BOTH, 7, 6, SNID, AUTH, P, "Secure non-invasive debug.")                      \
    R(TRCAUTHSTATUS, BOTH, 5, 4, SID, AUTH, P, "Secure invasive debug.")                           \
    R(TRCAUTHSTATUS, BOTH, 3, 2, NSNID, AUTH, P, "Non-secure non-invasive debug.")                 \
    R(TRCAUTHSTATUS, BOTH, 1, 0, NSID, AUTH, P, "Non-secure invasive debug.")                      \
    R(TRCDEVARCH, BOTH, 31, 21, ARCHITECT, HEX, "D18; " P, "0x23b is Arm.")                        \
    R(TRCDEVARCH, BOTH, 20, 20, PRESENT, FLAG, "D18; " P, "The register is there.")                \
    R(TRCDEVARCH, BOTH, 19, 16, REVISION, NUMBER, "D18; " P, "The minor version of ETE.")          \
    R(TRCDEVARCH, BOTH, 15, 0, ARCHID, ARCHPART, "D18", "What kind of unit it is.")                \
    R(TRCDEVID, BOTH, 31, 0, RES0, RESERVED, P, "Nothing.")                                        \
    R(TRCDEVID1, BOTH, 31, 0, RES0, RESERVED, P, "Nothing.")                                       \
    R(TRCDEVID2, BOTH, 31, 0, RES0, RESERVED, P, "Nothing.")                                       \
    R(TRCDEVTYPE, BOTH, 31, 8, RES0, RESERVED, P, "Nothing.")                                      \
    R(TRCDEVTYPE, BOTH, 7, 4, SUB, TYPE_SUB, P, "What it traces.")                                 \
    R(TRCDEVTYPE, BOTH, 3, 0, MAJOR, TYPE_MAJOR, P, "What kind of component it is.")               \
    R(TRCOSLAR, ETMV4, 0, 0, OSLK, LOCK, P, "Locks the unit's OS Lock: it is then disabled.")      \
    R(TRCOSLSR, BOTH, 4, 3, OSLM, NUMBER, P, "The kind of OS Lock, high bits: 2 is the PE's.")     \
    R(TRCOSLSR, BOTH, 2, 2, nTT, FLAG, P, "32-bit access is needed: 0.")                           \
    R(TRCOSLSR, BOTH, 1, 1, OSLK, LOCK, "D8.4.2; " P, "Where the OS Lock stands.")                 \
    R(TRCOSLSR, BOTH, 0, 0, OSLM0, NUMBER, P, "The kind of OS Lock, low bit.")                     \
    R(TRCPDCR, BOTH, 3, 3, PU, FLAG, P, "Power is asked for.")                                     \
    R(TRCPDSR, BOTH, 5, 5, OSLK, LOCK, P, "Where the OS Lock stands.")                             \
    R(TRCPDSR, BOTH, 1, 1, STICKYPD, FLAG, "D6.5; " P, "The registers were lost: power went.")     \
    R(TRCPDSR, BOTH, 0, 0, POWER, FLAG, "D6.5; " P, "The unit has power.")                         \
    R(TRCITCTRL, BOTH, 0, 0, IME, FLAG, P, "Integration mode: the unit does not trace.")           \
    R(TRCCLAIMSET, BOTH, 31, 0, SET, HEX, "D8.4.1; " P, "Claim tags that are set.")                \
    R(TRCCLAIMCLR, BOTH, 31, 0, CLR, HEX, "D8.4.1; " P, "Claim tags that are cleared.")            \
    R(TRCDEVAFF, BOTH, 31, 0, MPIDR, HEX, P, "The PE that it belongs to, as MPIDR_EL1 has it.")    \
    R(TRCLAR, BOTH, 31, 0, KEY, HEX, P, "0xc5acce55 lets software write through memory.")          \
    R(TRCLSR, BOTH, 2, 2, nTT, FLAG, P, "TRCLAR has 8 bits: 0.")                                   \
    R(TRCLSR, BOTH, 1, 1, SLK, LOCK, P, "Writes of software through memory.")                      \
    R(TRCLSR, BOTH, 0, 0, SLI, FLAG, P, "There is such a lock.")                                   \
    R(TRCPIDR, BOTH, 31, 0, ID, HEX, P, "Peripheral identification.")                              \
    R(TRCCIDR, BOTH, 31, 0, ID, HEX, P, "Component identification.")                               \
    R(OSLAR_EL1, BOTH, 0, 0, OSLK, LOCK, "D6.2.2; " P, "Locks the PE's OS Lock: it disables ETE.") \
    R(OSLSR_EL1, BOTH, 3, 3, OSLM1, NUMBER, P, "The kind of OS Lock.")                             \
    R(OSLSR_EL1, BOTH, 2, 2, nTT, FLAG, P, "32-bit access is needed: 0.")                          \
    R(OSLSR_EL1, BOTH, 1, 1, OSLK, LOCK, P, "Where the OS Lock stands.")                           \
    R(OSLSR_EL1, BOTH, 0, 0, OSLM0, NUMBER, P, "The kind of OS Lock.")                             \
    R(TRBLIMITR_EL1, BOTH, 63, 12, LIMIT, HEX, "E1.2.1; " P, "Where the trace buffer ends: a page.") \
    R(TRBLIMITR_EL1, BOTH, 5, 5, nVM, FLAG, "E1.2.1; " P, "Its addresses are not translated.")     \
    R(TRBLIMITR_EL1, BOTH, 4, 3, TM, TRIGGER_MODE, "E1.2.1; " P, "What a trigger does.")           \
    R(TRBLIMITR_EL1, BOTH, 2, 1, FM, FILL_MODE, "E1.2.1; " P, "What happens where the buffer ends.") \
    R(TRBLIMITR_EL1, BOTH, 0, 0, E, ENABLE, "E1.2.1; " P, "The Trace Buffer Unit takes the trace.") \
    R(TRFCR_EL1, BOTH, 6, 5, TS, TS_SELF, P, "Which timestamp is traced.")                         \
    R(TRFCR_EL1, BOTH, 1, 1, E1TRE, FLAG, P, "Trace of EL1 is allowed.")                           \
    R(TRFCR_EL1, BOTH, 0, 0, E0TRE, FLAG, P, "Trace of EL0 is allowed.")                           \
    R(TRFCR_EL2, BOTH, 6, 5, TS, TS_SELF, P, "Which timestamp is traced; 0: as TRFCR_EL1 says.")   \
    R(TRFCR_EL2, BOTH, 3, 3, CX, FLAG, P, "CONTEXTIDR_EL2 is traced and compared.")                \
    R(TRFCR_EL2, BOTH, 1, 1, E2TRE, FLAG, P, "Trace of EL2 is allowed.")                           \
    R(TRFCR_EL2, BOTH, 0, 0, E0HTRE, FLAG, P, "Trace of EL0 is allowed where EL2 is its host.")

/* Registers that the model does not have: X(name, count, first, offset, step, bits, units, access) */
#define CAIRN_ETMV4_FAMILIES(X)                                                                    \
    X(TRCITEEDCR, 1, NONE, 0x048, 0, 32, ETE, PROGRAM)                                             \
    X(TRCOSLAR, 1, NONE, 0x300, 0, 32, ETMV4, WRITE_ONLY)                                          \
    X(TRCOSLSR, 1, NONE, 0x304, 0, 32, BOTH, STATUS)                                               \
    X(TRCPDCR, 1, NONE, 0x310, 0, 32, BOTH, FREE)                                                  \
    X(TRCPDSR, 1, NONE, 0x314, 0, 32, BOTH, STATUS)                                                \
    X(TRCDVCVR, 8, 0, 0x500, 16, 64, ETMV4, PROGRAM)                                               \
    X(TRCDVCMR, 8, 0, 0x580, 16, 64, ETMV4, PROGRAM)                                               \
    X(TRCITCTRL, 1, NONE, 0xf00, 0, 32, BOTH, PROGRAM)                                             \
    X(TRCCLAIMSET, 1, NONE, 0xfa0, 0, 32, BOTH, FREE)                                              \
    X(TRCCLAIMCLR, 1, NONE, 0xfa4, 0, 32, BOTH, FREE)                                              \
    X(TRCDEVAFF, 2, 0, 0xfa8, 4, 32, BOTH, BUILT)                                                  \
    X(TRCLAR, 1, NONE, 0xfb0, 0, 32, BOTH, WRITE_ONLY)                                             \
    X(TRCLSR, 1, NONE, 0xfb4, 0, 32, BOTH, STATUS)                                                 \
    X(TRCDEVID2, 1, NONE, 0xfc0, 0, 32, BOTH, BUILT)                                               \
    X(TRCDEVID1, 1, NONE, 0xfc4, 0, 32, BOTH, BUILT)                                               \
    X(TRCPIDR, 4, 4, 0xfd0, 4, 32, BOTH, BUILT)                                                    \
    X(TRCPIDR, 4, 0, 0xfe0, 4, 32, BOTH, BUILT)                                                    \
    X(TRCCIDR, 4, 0, 0xff0, 4, 32, BOTH, BUILT)                                                    \
    X(OSLAR_EL1, 1, NONE, 0xffff, 0, 32, BOTH, PE)                                                 \
    X(OSLSR_EL1, 1, NONE, 0xffff, 0, 32, BOTH, PE)                                                 \
    X(TRBLIMITR_EL1, 1, NONE, 0xffff, 0, 64, BOTH, PE)                                             \
    X(TRFCR_EL1, 1, NONE, 0xffff, 0, 32, BOTH, PE)                                                 \
    X(TRFCR_EL2, 1, NONE, 0xffff, 0, 32, BOTH, PE)
/* clang-format on */

#endif
