/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of PTM (IHI0035 3.16) and ETMv3 (IHI0014 3.5), and of an MTB (DDI0486 3.2), as in
 * etmv4_table.h. Sections are of both where both have the field: they are numbered alike. */
#ifndef CAIRN_UNIT_FIELDS_ETM_TABLE_H
#define CAIRN_UNIT_FIELDS_ETM_TABLE_H

/* clang-format off */
#define CAIRN_ETM_FIELDS(R)                                                                        \
    R(ETMCR, ETM, 30, 30, VMID, FLAG, "3.16.1; IHI0014Q", "Virtual machine identifiers are traced.") \
    R(ETMCR, PTM, 29, 29, RETSTACK, FLAG, "3.16.1", "Return stack: predicted returns need no address.") \
    R(ETMCR, ETM, 28, 28, TIMESTAMP, FLAG, "3.16.1; IHI0014Q", "Timestamps are traced.")           \
    R(ETMCR, ETM, 27, 25, PROCSEL, NUMBER, "3.5.1, 3.16.1", "The core that is traced, where several share the unit.") \
    R(ETMCR, ETM, 24, 24, PRIVILEGED, FLAG, "3.5.1, 3.16.1", "Only privileged code controls instrumentation resources.") \
    R(ETMCR, ETMV3, 23, 23, NOSOFTWARE, FLAG, "3.5.1", "Software cannot write registers.")         \
    R(ETMCR, ETMV3, 22, 22, NODEBUGGER, FLAG, "3.5.1", "The debugger cannot write registers.")     \
    R(ETMCR, ETMV3, 21, 21, PORTSIZE3, NUMBER, "3.5.1", "Bit 3 of the port's size; PORTSIZE has the others.") \
    R(ETMCR, ETMV3, 20, 20, DATAONLY, FLAG, "3.5.1", "Instructions are not traced, data alone is.") \
    R(ETMCR, ETMV3, 19, 19, FILTERCPRT, FLAG, "3.5.1; 2.7.7", "Coprocessor transfers are traced as ViewData says.") \
    R(ETMCR, ETMV3, 18, 18, SUPPRESS, FLAG, "3.5.1; 3.5.8", "Data is left out where the FIFO has less room than ETMFFLR says.") \
    R(ETMCR, ETMV3, 17, 16, PORTMODE, PORT_MODE, "3.5.1", "How the port is clocked, bits 1:0.")    \
    R(ETMCR, ETM, 15, 14, CONTEXTID, CONTEXT_BYTES, "3.5.1, 3.16.1", "How much of the context ID is traced.") \
    R(ETMCR, ETMV3, 13, 13, PORTMODE2, NUMBER, "3.5.1", "How the port is clocked, bit 2.")         \
    R(ETMCR, ETM, 12, 12, CYCLES, FLAG, "3.5.1, 3.16.1", "Cycle-accurate trace.")                  \
    R(ETMCR, ETM, 11, 11, ETMEN, FLAG, "3.5.1", "The pin that selects this unit for the port.")    \
    R(ETMCR, ETM, 10, 10, PROGRAMMING, FLAG, "3.5.1, 3.16.1", "The unit is being programmed, and does not trace.") \
    R(ETMCR, ETM, 9, 9, DBGREQ, FLAG, "3.5.1, 3.16.1", "The trigger asks the core to enter Debug state.") \
    R(ETMCR, ETM, 8, 8, BRANCHES, FLAG, "3.5.1, 3.16.1", "Addresses of direct branches are traced, too.") \
    R(ETMCR, ETM, 7, 7, STALL, FLAG, "3.5.1, 3.16.1; 3.5.8", "The core stalls where the FIFO has less room than ETMFFLR says.") \
    R(ETMCR, ETMV3, 6, 4, PORTSIZE, PORT_SIZE, "3.5.1", "Pins of the port, where PORTSIZE3 is 0.") \
    R(ETMCR, ETMV3, 3, 2, DATA, DATA_ACCESS, "3.5.1", "Whether loads and stores are traced.")      \
    R(ETMCR, ETMV3, 1, 1, MONITORCPRT, FLAG, "3.5.1", "Coprocessor transfers are traced.")         \
    R(ETMCR, ETM, 0, 0, POWERDOWN, FLAG, "3.5.1, 3.16.1", "The unit is powered down.")             \
    R(ETMCCR, ETM, 31, 31, IDR, FLAG, "3.5.2, 3.16.2", "There is an ETMIDR.")                      \
    R(ETMCCR, ETM, 30, 28, RES, RESERVED, "3.5.2", "Nothing.")                                     \
    R(ETMCCR, ETM, 27, 27, SOFTWARE, FLAG, "3.5.2, 3.16.2", "Software reaches the registers.")     \
    R(ETMCCR, ETM, 26, 26, STARTSTOP, FLAG, "3.5.2, 3.16.2", "There is a start/stop block.")       \
    R(ETMCCR, ETM, 25, 24, CONTEXTS, NUMBER, "3.5.2, 3.16.2", "Context ID comparators.")           \
    R(ETMCCR, ETM, 23, 23, FIFOFULL, FLAG, "3.5.2, 3.16.2", "The unit can stall the core.")        \
    R(ETMCCR, ETM, 22, 20, OUTPUTS, NUMBER, "3.5.2, 3.16.2", "External outputs.")                  \
    R(ETMCCR, ETM, 19, 17, INPUTS, NUMBER, "3.5.2, 3.16.2", "External inputs.")                    \
    R(ETMCCR, ETM, 16, 16, SEQUENCER, FLAG, "3.5.2, 3.16.2", "There is a sequencer.")              \
    R(ETMCCR, ETM, 15, 13, COUNTERS, NUMBER, "3.5.2, 3.16.2", "Counters.")                         \
    R(ETMCCR, ETM, 12, 8, MMDS, NUMBER, "3.5.2", "Memory map decoders.")                           \
    R(ETMCCR, ETM, 7, 4, DATAVALUES, NUMBER, "3.5.2", "Data value comparators.")                   \
    R(ETMCCR, ETM, 3, 0, PAIRS, COUNT, "3.5.2, 3.16.2", "Pairs of address comparators.")           \
    R(ETMTRIGGER, ETM, 16, 0, EVENT, EVENT17, "3.5.3", "What the trigger occurs at.")              \
    R(ETMASICCR, ETM, 31, 0, ASIC, HEX, "3.5.4", "For logic around the unit.")                     \
    R(ETMSR, ETM, 3, 3, TRIGGERED, FLAG, "3.5.5, 3.16.4", "The trigger occurred.")                 \
    R(ETMSR, ETM, 2, 2, STARTED, FLAG, "3.5.5, 3.16.4", "Where the start/stop block stands.")      \
    R(ETMSR, ETM, 1, 1, PROGRAMMING, FLAG, "3.5.5, 3.16.4", "The Programming bit has taken effect.") \
    R(ETMSR, ETM, 0, 0, OVERFLOW, FLAG, "3.5.5, 3.16.4", "An overflow is still to be told.")       \
    R(ETMSCR, ETM, 31, 18, RES, RESERVED, "3.5.6", "Nothing.")                                     \
    R(ETMSCR, ETM, 17, 17, NOFETCH, FLAG, "3.5.6", "Fetches cannot be compared.")                  \
    R(ETMSCR, ETM, 16, 15, RES, RESERVED, "3.5.6", "Nothing.")                                     \
    R(ETMSCR, ETM, 14, 12, CORES, COUNT_MINUS_1, "3.5.6, 3.16.5", "Cores that share the unit.")    \
    R(ETMSCR, ETM, 11, 11, MODEOK, FLAG, "3.5.6", "The port's mode is supported.")                 \
    R(ETMSCR, ETM, 10, 10, SIZEOK, FLAG, "3.5.6", "The port's size is supported.")                 \
    R(ETMSCR, ETM, 9, 9, MAXSIZE3, NUMBER, "3.5.6", "The port's largest size, bit 3.")             \
    R(ETMSCR, ETM, 8, 8, FIFOFULL, FLAG, "3.5.6, 3.16.5", "The core can be stalled.")              \
    R(ETMSCR, ETM, 7, 3, RES, RESERVED, "3.5.6", "Nothing; bit 3 reads as 1.")                     \
    R(ETMSCR, ETM, 2, 0, MAXSIZE, NUMBER, "3.5.6", "The port's largest size, bits 2:0.")           \
    R(ETMTSSCR, ETM, 31, 16, STOP, SACS1, "3.5.7", "Address comparators that stop trace.")         \
    R(ETMTSSCR, ETM, 15, 0, START, SACS1, "3.5.7", "Address comparators that start trace.")        \
    R(ETMTECR2, ETMV3, 15, 0, SACS, SACS1, "3.5.7", "Address comparators that are included or excluded, as ETMTECR1 says.") \
    R(ETMTEEVR, ETM, 16, 0, EVENT, EVENT17, "3.5.7", "When anything is traced at all: 0x6f is always.") \
    R(ETMTECR1, ETM, 25, 25, STARTSTOP, FLAG, "3.5.7, 3.16.9", "Trace waits for start and stop points.") \
    R(ETMTECR1, ETM, 24, 24, EXCLUDE, EXCLUDE, "3.5.7, 3.16.9", "Whether what is chosen is traced, or the rest.") \
    R(ETMTECR1, ETMV3, 23, 8, MMDS, MMDS, "3.5.7", "Memory map decodes that are chosen.")          \
    R(ETMTECR1, ETM, 7, 0, RANGES, ARCS1, "3.5.7, 3.16.9", "Address ranges that are chosen.")      \
    R(ETMFFRR, ETM, 24, 24, EXCLUDE, EXCLUDE, "3.5.8", "Whether the core stalls in what is chosen, or in the rest.") \
    R(ETMFFRR, ETM, 23, 8, MMDS, MMDS, "3.5.8", "Memory map decodes that are chosen.")             \
    R(ETMFFRR, ETM, 7, 0, RANGES, ARCS1, "3.5.8", "Address ranges that are chosen.")               \
    R(ETMFFLR, ETM, 7, 0, LEVEL, NUMBER, "3.5.8", "Free bytes in the FIFO below which the core stalls, or data is left out.") \
    R(ETMVDEVR, ETMV3, 16, 0, EVENT, EVENT17, "3.5.9", "When data is traced at all.")              \
    R(ETMVDCR1, ETMV3, 31, 16, EXCLUDE, SACS1, "3.5.9", "Address comparators whose data is not traced.") \
    R(ETMVDCR1, ETMV3, 15, 0, INCLUDE, SACS1, "3.5.9", "Address comparators whose data is traced.") \
    R(ETMVDCR2, ETMV3, 31, 16, EXCLUDE, MMDS, "3.5.9", "Memory map decodes whose data is not traced.") \
    R(ETMVDCR2, ETMV3, 15, 0, INCLUDE, MMDS, "3.5.9", "Memory map decodes whose data is traced.")  \
    R(ETMVDCR3, ETMV3, 16, 16, EXCLUDEONLY, FLAG, "3.5.9", "Nothing has to be included: all but what is excluded is traced.") \
    R(ETMVDCR3, ETMV3, 15, 8, EXCLUDE, ARCS1, "3.5.9", "Address ranges whose data is not traced.") \
    R(ETMVDCR3, ETMV3, 7, 0, INCLUDE, ARCS1, "3.5.9", "Address ranges whose data is traced.")      \
    R(ETMACVR, ETM, 31, 0, ADDRESS, ADDRESS, "3.5.10", "The address. Comparators 2n - 1 and 2n are range n, up to the byte before the second.") \
    R(ETMACTR, PTM, 15, 15, VMID, FLAG, "3.16.13", "The VMID comparator has to match, too (1.1).")  \
    R(ETMACTR, PTM, 14, 14, HYP, FLAG, "3.16.13", "It matches in Hyp mode, too (1.1).")            \
    R(ETMACTR, PTM, 13, 10, MODES, ACTR_MODES, "3.16.13", "The states and modes it matches in: bits 13, 11 Non-secure, 12, 10 Secure (1.1).") \
    R(ETMACTR, ETMV3, 11, 10, SECURITY, ACTR_SECURITY, "3.5.10", "The Security state it matches in.") \
    R(ETMACTR, ETM, 9, 8, CONTEXTID, ACTR_CONTEXT, "3.5.10, 3.16.13", "The context ID comparator that has to match, too.") \
    R(ETMACTR, ETMV3, 7, 7, EXACT, FLAG, "3.5.10", "Exact match: what does not complete does not match.") \
    R(ETMACTR, ETMV3, 6, 5, DATA, ACTR_DATA, "3.5.10", "Whether the data value is compared.")      \
    R(ETMACTR, ETMV3, 4, 3, SIZE, ACTR_SIZE, "3.5.10", "The size of what is compared.")            \
    R(ETMACTR, ETMV3, 2, 0, TYPE, ACTR_TYPE, "3.5.10", "What is compared.")                        \
    R(ETMACTR, PTM, 2, 0, TYPE, ACTR_TYPE_PTM, "3.16.13", "What is compared: executed instructions, nothing else.") \
    R(ETMDCVR, ETMV3, 31, 0, VALUE, HEX, "3.5.11", "The data value that is compared.")             \
    R(ETMDCMR, ETMV3, 31, 0, MASK, HEX, "3.5.11", "Bits of the data that are not compared.")       \
    R(ETMCNTRLDVR, ETM, 15, 0, VALUE, NUMBER, "3.5.12", "What the counter is loaded with.")        \
    R(ETMCNTENR, ETM, 17, 17, SOURCE, FLAG, "3.5.12", "The event counts: reads as 1 from ETMv2 on.") \
    R(ETMCNTENR, ETM, 16, 0, EVENT, EVENT17, "3.5.12", "What counts the counter down.")            \
    R(ETMCNTRLDEVR, ETM, 16, 0, EVENT, EVENT17, "3.5.12", "What loads the counter.")               \
    R(ETMCNTVR, ETM, 15, 0, VALUE, NUMBER, "3.5.12", "Where the counter stands.")                  \
    R(ETMSQ12EVR, ETM, 16, 0, EVENT, EVENT17, "3.5.13", "What takes the sequencer from state 1 to 2.") \
    R(ETMSQ21EVR, ETM, 16, 0, EVENT, EVENT17, "3.5.13", "What takes the sequencer from state 2 to 1.") \
    R(ETMSQ23EVR, ETM, 16, 0, EVENT, EVENT17, "3.5.13", "What takes the sequencer from state 2 to 3.") \
    R(ETMSQ31EVR, ETM, 16, 0, EVENT, EVENT17, "3.5.13", "What takes the sequencer from state 3 to 1.") \
    R(ETMSQ32EVR, ETM, 16, 0, EVENT, EVENT17, "3.5.13", "What takes the sequencer from state 3 to 2.") \
    R(ETMSQ13EVR, ETM, 16, 0, EVENT, EVENT17, "3.5.13", "What takes the sequencer from state 1 to 3.") \
    R(ETMSQR, ETM, 1, 0, STATE, STATE3, "3.5.13", "The state that the sequencer is in.")           \
    R(ETMEXTOUTEVR, ETM, 16, 0, EVENT, EVENT17, "3.5.14", "What the external output is high at.")  \
    R(ETMCIDCVR, ETM, 31, 0, VALUE, HEX, "3.5.15", "The context ID that is compared.")             \
    R(ETMCIDCMR, ETM, 31, 0, MASK, HEX, "3.5.15", "Bits of context IDs that are not compared.")    \
    R(ETMSYNCFR, ETM, 11, 0, PERIOD, NUMBER, "3.5.17, 3.16.27", "Bytes of trace between synchronisations.") \
    R(ETMIDR, ETM, 31, 24, IMPLEMENTER, HEX, "3.5.18, 3.16.28", "Who made the unit: 0x41 is Arm.") \
    R(ETMIDR, ETM, 23, 21, RES, RESERVED, "3.5.18", "Nothing.")                                    \
    R(ETMIDR, ETM, 20, 20, BRANCH, BRANCH, "3.5.18, 3.16.28", "The encoding of branch packets.")   \
    R(ETMIDR, ETM, 19, 19, SECURITY, FLAG, "3.5.18, 3.16.28", "The core has Security Extensions.") \
    R(ETMIDR, ETM, 18, 18, THUMB32, FLAG, "3.5.18, 3.16.28", "A 32-bit Thumb instruction is one.") \
    R(ETMIDR, ETM, 17, 17, RES, RESERVED, "3.5.18", "Nothing.")                                    \
    R(ETMIDR, ETM, 16, 16, PCFIRST, FLAG, "3.5.18", "Of several registers the PC is loaded first.") \
    R(ETMIDR, ETM, 15, 12, FAMILY, HEX, "3.5.18, 3.16.28", "The core's family; 15: told elsewhere.") \
    R(ETMIDR, ETM, 11, 8, MAJOR, ETM_MAJOR, "3.5.18, 3.16.28", "The architecture.")                \
    R(ETMIDR, ETM, 7, 4, MINOR, NUMBER, "3.5.18, 3.16.28", "Its minor version.")                   \
    R(ETMIDR, ETM, 3, 0, REVISION, NUMBER, "3.5.18, 3.16.28", "The revision of the implementation.") \
    R(ETMCCER, ETM, 31, 30, RES, RESERVED, "3.5.19", "Nothing.")                                   \
    R(ETMCCER, ETM, 29, 29, TS64, FLAG, "3.16.29; IHI0014Q", "Timestamps have 64 bits, else 48.")  \
    R(ETMCCER, ETM, 28, 28, TSCODE, TIMESTAMP_CODE, "3.16.29; IHI0014Q", "How timestamps are encoded.") \
    R(ETMCCER, ETM, 27, 27, REDUCED, FLAG, "3.16.29; IHI0014Q", "Counter 1 counts every cycle and loads itself.") \
    R(ETMCCER, ETM, 26, 26, VIRTUAL, FLAG, "3.16.29; IHI0014Q", "The core has Virtualization Extensions.") \
    R(ETMCCER, ETM, 25, 25, BARRIERTS, FLAG, "3.16.29", "Barriers ask for timestamps.")            \
    R(ETMCCER, ETM, 24, 24, BARRIERS, FLAG, "3.16.29", "DMB and DSB are waypoints.")               \
    R(ETMCCER, ETM, 23, 23, RETSTACK, FLAG, "3.16.29", "There is a return stack.")                 \
    R(ETMCCER, ETM, 22, 22, TIMESTAMP, FLAG, "3.16.29; IHI0014Q", "There are timestamps.")         \
    R(ETMCCER, ETM, 21, 21, EIBCR, FLAG, "3.5.19, 3.16.29", "There is an ETMEIBCR.")               \
    R(ETMCCER, ETM, 20, 20, ICESTART, FLAG, "3.5.19, 3.16.29", "EmbeddedICE inputs start and stop trace.") \
    R(ETMCCER, ETM, 19, 16, ICES, NUMBER, "3.5.19, 3.16.29", "EmbeddedICE watchpoint inputs.")     \
    R(ETMCCER, ETM, 15, 13, INSTRUMENTATION, NUMBER, "3.5.19, 3.16.29", "Instrumentation resources.") \
    R(ETMCCER, ETM, 12, 12, NODATA, FLAG, "3.5.19, 3.16.29", "Data addresses cannot be compared.") \
    R(ETMCCER, ETM, 11, 11, READABLE, FLAG, "3.5.19, 3.16.29", "All registers can be read.")       \
    R(ETMCCER, ETM, 10, 3, EXTENDED, NUMBER, "3.5.19, 3.16.29", "Extended external inputs.")       \
    R(ETMCCER, ETM, 2, 0, SELECTORS, NUMBER, "3.5.19, 3.16.29", "Selectors of extended external inputs.") \
    R(ETMEXTINSELR, ETM, 31, 24, SEL4, NUMBER, "3.5.20", "The input of selector 4.")               \
    R(ETMEXTINSELR, ETM, 23, 16, SEL3, NUMBER, "3.5.20", "The input of selector 3.")               \
    R(ETMEXTINSELR, ETM, 15, 8, SEL2, NUMBER, "3.5.20", "The input of selector 2.")                \
    R(ETMEXTINSELR, ETM, 7, 0, SEL1, NUMBER, "3.5.20", "The input of selector 1.")                 \
    R(ETMTESSEICR, ETM, 23, 16, STOP, ICES, "3.5.21", "EmbeddedICE inputs that stop trace.")       \
    R(ETMTESSEICR, ETM, 7, 0, START, ICES, "3.5.21", "EmbeddedICE inputs that start trace.")       \
    R(ETMEIBCR, ETM, 7, 0, LATCH, ICES, "3.5.22", "EmbeddedICE inputs that are latched up to the next sample.") \
    R(ETMTSEVR, ETM, 16, 0, EVENT, EVENT17, "3.16.33; IHI0014Q", "What asks for a timestamp.")     \
    R(ETMAUXCR, ETM, 31, 0, IMP, HEX, "3.16.34", "IMPLEMENTATION DEFINED; what is not 0 may change the protocol.") \
    R(ETMTRACEIDR, ETM, 6, 0, TRACEID, TRACE_ID, "3.16.35", "The ID of the trace on a shared bus: 0x01 to 0x6f, each once.") \
    R(ETMIDR2, ETM, 1, 1, SWP, FLAG, "IHI0014Q", "SWP stores before it loads.")                    \
    R(ETMIDR2, ETM, 0, 0, RFE, FLAG, "IHI0014Q", "RFE loads the CPSR before the PC.")              \
    R(ETMVMIDCVR, ETM, 7, 0, VALUE, HEX, "3.16.36; IHI0014Q", "The VMID that is compared.")        \
    R(ETMOSLAR, ETM, 31, 0, KEY, HEX, "3.17.3", "0xc5acce55 locks the OS Lock, all else unlocks it.") \
    R(ETMOSLSR, ETM, 3, 3, NOSAVE, FLAG, "3.17", "There is no save and restore register (1.1).")   \
    R(ETMOSLSR, ETM, 2, 2, nTT, FLAG, "3.17", "32-bit access is needed: 0.")                       \
    R(ETMOSLSR, ETM, 1, 1, LOCKED, LOCK, "3.17", "Where the OS Lock stands.")                      \
    R(ETMOSLSR, ETM, 0, 0, SAVE, FLAG, "3.17", "There is a save and restore register.")            \
    R(ETMPDSR, ETM, 1, 1, STICKY, FLAG, "3.17", "The registers were lost: power went.")            \
    R(ETMPDSR, ETM, 0, 0, POWER, FLAG, "3.17", "The unit has power.")                              \
    R(ETMITCTRL, ETM, 0, 0, IME, FLAG, "3.15", "Integration mode: the unit does not trace.")       \
    R(ETMCLAIMSET, ETM, 7, 0, SET, HEX, "3.15", "Claim tags that are set.")                        \
    R(ETMCLAIMCLR, ETM, 7, 0, CLR, HEX, "3.15", "Claim tags that are cleared.")                    \
    R(ETMLAR, ETM, 31, 0, KEY, HEX, "3.15", "0xc5acce55 lets software write through memory.")      \
    R(ETMLSR, ETM, 2, 0, LOCK, NUMBER, "3.15", "Where that lock stands: bit 1 is locked.")         \
    R(ETMAUTHSTATUS, ETM, 7, 6, SNID, AUTH, "3.15", "Secure non-invasive debug.")                  \
    R(ETMAUTHSTATUS, ETM, 5, 4, SID, AUTH, "3.15", "Secure invasive debug.")                       \
    R(ETMAUTHSTATUS, ETM, 3, 2, NSNID, AUTH, "3.15", "Non-secure non-invasive debug.")             \
    R(ETMAUTHSTATUS, ETM, 1, 0, NSID, AUTH, "3.15", "Non-secure invasive debug.")

#define CAIRN_ETM_FAMILIES(X)                                                                      \
    X(ETMASICCR, 1, NONE, 0x00c, 0, 32, ETM, PROGRAM)                                              \
    X(ETMFFRR, 1, NONE, 0x028, 0, 32, ETM, PROGRAM)                                                \
    X(ETMFFLR, 1, NONE, 0x02c, 0, 32, PTM, PROGRAM)                                                \
    X(ETMVDCR2, 1, NONE, 0x038, 0, 32, ETMV3, PROGRAM)                                             \
    X(ETMEXTOUTEVR, 4, 1, 0x1a0, 4, 32, ETM, PROGRAM)                                              \
    X(ETMEXTINSELR, 1, NONE, 0x1ec, 0, 32, ETMV3, PROGRAM)                                         \
    X(ETMTESSEICR, 1, NONE, 0x1f0, 0, 32, ETM, PROGRAM)                                            \
    X(ETMEIBCR, 1, NONE, 0x1f4, 0, 32, ETM, PROGRAM)                                               \
    X(ETMAUXCR, 1, NONE, 0x1fc, 0, 32, ETM, PROGRAM)                                               \
    X(ETMIDR2, 1, NONE, 0x208, 0, 32, PTM, BUILT)                                                  \
    X(ETMVMIDCVR, 1, NONE, 0x240, 0, 32, ETMV3, PROGRAM)                                           \
    X(ETMOSLAR, 1, NONE, 0x300, 0, 32, ETM, WRITE_ONLY)                                            \
    X(ETMOSLSR, 1, NONE, 0x304, 0, 32, ETM, STATUS)                                                \
    X(ETMPDSR, 1, NONE, 0x314, 0, 32, ETM, STATUS)                                                 \
    X(ETMITCTRL, 1, NONE, 0xf00, 0, 32, ETM, PROGRAM)                                              \
    X(ETMCLAIMSET, 1, NONE, 0xfa0, 0, 32, ETM, FREE)                                               \
    X(ETMCLAIMCLR, 1, NONE, 0xfa4, 0, 32, ETM, FREE)                                               \
    X(ETMLAR, 1, NONE, 0xfb0, 0, 32, ETM, WRITE_ONLY)                                              \
    X(ETMLSR, 1, NONE, 0xfb4, 0, 32, ETM, STATUS)                                                  \
    X(ETMAUTHSTATUS, 1, NONE, 0xfb8, 0, 32, ETM, BUILT)

#define CAIRN_MTB_FIELDS(R)                                                                        \
    R(MTB_POSITION, MTB, 31, 3, POINTER, POINTER, "DDI0486 3.2", "Where the next packet goes.")    \
    R(MTB_POSITION, MTB, 2, 2, WRAP, FLAG, "DDI0486 3.2", "The buffer went round: all of it is written.") \
    R(MTB_MASTER, MTB, 31, 31, EN, ENABLE, "DDI0486 3.2", "Trace is on.")                          \
    R(MTB_MASTER, MTB, 9, 9, HALTREQ, FLAG, "DDI0486 3.2", "The PE is asked to halt.")             \
    R(MTB_MASTER, MTB, 6, 6, TSTOPEN, FLAG, "DDI0486 3.2", "The signal TSTOP clears EN.")          \
    R(MTB_MASTER, MTB, 5, 5, TSTARTEN, FLAG, "DDI0486 3.2", "The signal TSTART sets EN.")          \
    R(MTB_MASTER, MTB, 4, 0, MASK, RING, "DDI0486 3.2", "The size of the buffer.")                 \
    R(MTB_FLOW, MTB, 31, 3, WATERMARK, POINTER, "DDI0486 3.2", "The address of the watermark.")    \
    R(MTB_FLOW, MTB, 1, 1, AUTOHALT, FLAG, "DDI0486 3.2", "At the watermark the PE is halted.")    \
    R(MTB_FLOW, MTB, 0, 0, AUTOSTOP, FLAG, "DDI0486 3.2", "At the watermark trace stops.")         \
    R(MTB_BASE, MTB, 31, 3, BASE, POINTER, "DDI0486 3.2", "Where the buffer's memory is.")

/* Masks: unit/mtb/unit.c */
#define CAIRN_MTB_FAMILIES(X)                                                                      \
    X(MTB_POSITION, 0x000, 0xfffffffc, STATE)                                                      \
    X(MTB_MASTER, 0x004, 0x8000027f, PROGRAM)                                                      \
    X(MTB_FLOW, 0x008, 0xfffffffb, PROGRAM)                                                        \
    X(MTB_BASE, 0x00c, 0xfffffff8, BUILT)
/* clang-format on */

#endif
