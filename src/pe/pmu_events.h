/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU events that are known by name: E(number, name, class, needs), by ascending numbers. Those from
 * 0x400C to 0x403F and 0x811F are as DDI0608 lists them (C2.5.2, E1.3, F1.2); the others are of the Arm
 * Architecture Reference Manual's list of common events. */
#ifndef CAIRN_PE_PMU_EVENTS_H
#define CAIRN_PE_PMU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pe/state.h"

/* Properties of an event. */
#define CAIRN_PMU_IS_ARCH (1u << 0) /* architectural, else microarchitectural */
/* "Instruction architecturally executed", or EXC_TAKEN: never counted in the wrong state (R_VTYX) */
#define CAIRN_PMU_IS_EXACT (1u << 1)
#define CAIRN_PMU_IS_UNATTRIBUTABLE (1u << 2)
/* between Transactional and Non-transactional state (R_LFLKP) */
#define CAIRN_PMU_IS_TRANSITION (1u << 3)
#define CAIRN_PMU_IS_UNCOUNTABLE (1u << 4) /* an input of the trace unit alone */
#define CAIRN_PMU_IS_MADE (1u << 5)        /* by the PMU, out of what it is told otherwise */

#define CAIRN_PMU_CLASS_MICRO 0u
#define CAIRN_PMU_CLASS_ARCH CAIRN_PMU_IS_ARCH
#define CAIRN_PMU_CLASS_EXACT (CAIRN_PMU_IS_ARCH | CAIRN_PMU_IS_EXACT)
#define CAIRN_PMU_CLASS_SOFTWARE (CAIRN_PMU_CLASS_EXACT | CAIRN_PMU_IS_MADE)
#define CAIRN_PMU_CLASS_CHAIN (CAIRN_PMU_IS_ARCH | CAIRN_PMU_IS_MADE)
#define CAIRN_PMU_CLASS_CYCLES CAIRN_PMU_IS_MADE
#define CAIRN_PMU_CLASS_OVERFLOW (CAIRN_PMU_IS_ARCH | CAIRN_PMU_IS_UNCOUNTABLE | CAIRN_PMU_IS_MADE)
#define CAIRN_PMU_CLASS_OUTSIDE CAIRN_PMU_IS_UNATTRIBUTABLE
#define CAIRN_PMU_CLASS_COMMITTED (CAIRN_PMU_IS_ARCH | CAIRN_PMU_IS_EXACT | CAIRN_PMU_IS_MADE)
#define CAIRN_PMU_CLASS_TRANSITION (CAIRN_PMU_IS_ARCH | CAIRN_PMU_IS_TRANSITION | CAIRN_PMU_IS_MADE)
#define CAIRN_PMU_CLASS_FAILURE (CAIRN_PMU_IS_TRANSITION | CAIRN_PMU_IS_MADE)

/* What makes a PE have an event. */
enum cairn_pmu_needs {
    CAIRN_PMU_NEEDS_NOTHING = 0,
    CAIRN_PMU_NEEDS_HOST = 1, /* somebody who tells it, and says so: cairn_pmu_implement */
    CAIRN_PMU_NEEDS_ETE = 2,
    CAIRN_PMU_NEEDS_ETE_EL2 = 3,
    CAIRN_PMU_NEEDS_TRBE = 4,
    CAIRN_PMU_NEEDS_BRBE = 5,
    CAIRN_PMU_NEEDS_TME = 6,
};

#define CAIRN_PMU_EVENTS_COMMON(E)                                                                 \
    E(0x0000, SW_INCR, SOFTWARE, NOTHING)                                                          \
    E(0x0001, L1I_CACHE_REFILL, MICRO, HOST)                                                       \
    E(0x0002, L1I_TLB_REFILL, MICRO, HOST)                                                         \
    E(0x0003, L1D_CACHE_REFILL, MICRO, HOST)                                                       \
    E(0x0004, L1D_CACHE, MICRO, HOST)                                                              \
    E(0x0005, L1D_TLB_REFILL, MICRO, HOST)                                                         \
    E(0x0006, LD_RETIRED, EXACT, HOST)                                                             \
    E(0x0007, ST_RETIRED, EXACT, HOST)                                                             \
    E(0x0008, INST_RETIRED, EXACT, NOTHING)                                                        \
    E(0x0009, EXC_TAKEN, EXACT, NOTHING)                                                           \
    E(0x000A, EXC_RETURN, EXACT, NOTHING)                                                          \
    E(0x000B, CID_WRITE_RETIRED, EXACT, HOST)                                                      \
    E(0x000C, PC_WRITE_RETIRED, EXACT, NOTHING)                                                    \
    E(0x000D, BR_IMMED_RETIRED, EXACT, NOTHING)                                                    \
    E(0x000E, BR_RETURN_RETIRED, EXACT, NOTHING)                                                   \
    E(0x000F, UNALIGNED_LDST_RETIRED, EXACT, HOST)                                                 \
    E(0x0010, BR_MIS_PRED, MICRO, NOTHING)                                                         \
    E(0x0011, CPU_CYCLES, CYCLES, NOTHING)                                                         \
    E(0x0012, BR_PRED, MICRO, NOTHING)                                                             \
    E(0x0013, MEM_ACCESS, MICRO, HOST)                                                             \
    E(0x0014, L1I_CACHE, MICRO, HOST)                                                              \
    E(0x0015, L1D_CACHE_WB, MICRO, HOST)                                                           \
    E(0x0016, L2D_CACHE, MICRO, HOST)                                                              \
    E(0x0017, L2D_CACHE_REFILL, MICRO, HOST)                                                       \
    E(0x0018, L2D_CACHE_WB, MICRO, HOST)                                                           \
    E(0x0019, BUS_ACCESS, OUTSIDE, HOST)                                                           \
    E(0x001A, MEMORY_ERROR, OUTSIDE, HOST)                                                         \
    E(0x001B, INST_SPEC, MICRO, HOST)                                                              \
    E(0x001C, TTBR_WRITE_RETIRED, EXACT, HOST)                                                     \
    E(0x001D, BUS_CYCLES, OUTSIDE, HOST)                                                           \
    E(0x001E, CHAIN, CHAIN, NOTHING)                                                               \
    E(0x0021, BR_RETIRED, EXACT, NOTHING)                                                          \
    E(0x0022, BR_MIS_PRED_RETIRED, EXACT, NOTHING)                                                 \
    E(0x0023, STALL_FRONTEND, MICRO, HOST)                                                         \
    E(0x0024, STALL_BACKEND, MICRO, HOST)                                                          \
    E(0x0070, LD_SPEC, MICRO, HOST)                                                                \
    E(0x0071, ST_SPEC, MICRO, HOST)                                                                \
    E(0x0072, LDST_SPEC, MICRO, HOST)

/* What an exception was: recommended numbers. */
#define CAIRN_PMU_EVENTS_EXCEPTIONS(E)                                                             \
    E(0x0081, EXC_UNDEF, MICRO, NOTHING)                                                           \
    E(0x0082, EXC_SVC, MICRO, NOTHING)                                                             \
    E(0x0083, EXC_PABORT, MICRO, NOTHING)                                                          \
    E(0x0084, EXC_DABORT, MICRO, NOTHING)                                                          \
    E(0x0086, EXC_IRQ, MICRO, NOTHING)                                                             \
    E(0x0087, EXC_FIQ, MICRO, NOTHING)                                                             \
    E(0x0088, EXC_SMC, MICRO, NOTHING)                                                             \
    E(0x008A, EXC_HVC, MICRO, NOTHING)                                                             \
    E(0x008B, EXC_TRAP_PABORT, MICRO, NOTHING)                                                     \
    E(0x008C, EXC_TRAP_DABORT, MICRO, NOTHING)                                                     \
    E(0x008D, EXC_TRAP_OTHER, MICRO, NOTHING)                                                      \
    E(0x008E, EXC_TRAP_IRQ, MICRO, NOTHING)                                                        \
    E(0x008F, EXC_TRAP_FIQ, MICRO, NOTHING)

/* Of trace, transactions and branch records. */
#define CAIRN_PMU_EVENTS_TRACE(E)                                                                  \
    E(0x4004, CNT_CYCLES, MICRO, HOST)                                                             \
    E(0x4005, STALL_BACKEND_MEM, MICRO, HOST)                                                      \
    E(0x400C, TRB_WRAP, ARCH, TRBE)                                                                \
    E(0x400D, PMU_OVFS, OVERFLOW, ETE)                                                             \
    E(0x400E, TRB_TRIG, ARCH, TRBE)                                                                \
    E(0x400F, PMU_HOVFS, OVERFLOW, ETE_EL2)                                                        \
    E(0x4010, TRCEXTOUT0, MICRO, ETE)                                                              \
    E(0x4011, TRCEXTOUT1, MICRO, ETE)                                                              \
    E(0x4012, TRCEXTOUT2, MICRO, ETE)                                                              \
    E(0x4013, TRCEXTOUT3, MICRO, ETE)                                                              \
    E(0x4018, CTI_TRIGOUT4, OUTSIDE, ETE)                                                          \
    E(0x4019, CTI_TRIGOUT5, OUTSIDE, ETE)                                                          \
    E(0x401A, CTI_TRIGOUT6, OUTSIDE, ETE)                                                          \
    E(0x401B, CTI_TRIGOUT7, OUTSIDE, ETE)                                                          \
    E(0x4030, TSTART_RETIRED, TRANSITION, TME)                                                     \
    E(0x4031, TCOMMIT_RETIRED, TRANSITION, TME)                                                    \
    E(0x4032, TME_TRANSACTION_FAILED, TRANSITION, TME)                                             \
    E(0x4034, TME_INST_RETIRED_COMMITTED, COMMITTED, TME)                                          \
    E(0x4035, TME_CPU_CYCLES_COMMITTED, CYCLES, TME)                                               \
    E(0x4038, TME_FAILURE_CNCL, FAILURE, TME)                                                      \
    E(0x4039, TME_FAILURE_NEST, FAILURE, TME)                                                      \
    E(0x403A, TME_FAILURE_ERR, FAILURE, TME)                                                       \
    E(0x403B, TME_FAILURE_IMP, FAILURE, TME)                                                       \
    E(0x403C, TME_FAILURE_MEM, FAILURE, TME)                                                       \
    E(0x403D, TME_FAILURE_SIZE, FAILURE, TME)                                                      \
    E(0x403E, TME_FAILURE_TLBI, FAILURE, TME)                                                      \
    E(0x403F, TME_FAILURE_WSET, FAILURE, TME)                                                      \
    E(0x8107, BR_SKIP_RETIRED, EXACT, NOTHING)                                                     \
    E(0x8108, BR_IMMED_TAKEN_RETIRED, EXACT, NOTHING)                                              \
    E(0x810C, BR_INDNR_TAKEN_RETIRED, EXACT, NOTHING)                                              \
    E(0x811C, BR_PRED_RETIRED, EXACT, NOTHING)                                                     \
    E(0x811D, BR_IND_RETIRED, EXACT, NOTHING)                                                      \
    E(0x811F, BRB_FILTRATE, ARCH, BRBE)

#define CAIRN_PMU_EVENTS(E)                                                                        \
    CAIRN_PMU_EVENTS_COMMON(E)                                                                     \
    CAIRN_PMU_EVENTS_EXCEPTIONS(E)                                                                 \
    CAIRN_PMU_EVENTS_TRACE(E)

enum cairn_pmu_number {
#define E(number, name, class, needs) CAIRN_PMU_##name = number,
    CAIRN_PMU_EVENTS(E)
#undef E
};

struct cairn_pmu_event_row {
    uint16_t number; /* PMEVTYPER<n>_EL0.evtCount, TRCEXTINSELR<n>.evtCount */
    uint8_t needs;   /* enum cairn_pmu_needs */
    uint8_t is;      /* CAIRN_PMU_IS_... */
    const char *name;
};

/* All of them, by ascending numbers. */
const struct cairn_pmu_event_row *cairn_pmu_event_rows(size_t *count);

/* The row of a number, NULL if it has no name here. */
const struct cairn_pmu_event_row *cairn_pmu_event_row(uint32_t number);

/* Which numbers are there: those of the common events by a bit, a few others by a list. */
#define CAIRN_PMU_PAGES 3u   /* 0x00xx, 0x40xx, 0x81xx */
#define CAIRN_PMU_OTHERS 32u /* numbers besides */

struct cairn_pmu_events {
    uint64_t pages[CAIRN_PMU_PAGES][4];
    uint16_t others[CAIRN_PMU_OTHERS];
    unsigned other_count;
    unsigned count; /* of all */
};

bool cairn_pmu_events_have(const struct cairn_pmu_events *events, uint32_t number);

/* CAIRN_E_ARGUMENT: a number above 0xFFFF; CAIRN_E_LIMIT: more than CAIRN_PMU_OTHERS of no page. */
cairn_status cairn_pmu_events_add(struct cairn_pmu_events *events, uint32_t number);

/* Those that a PE of these features has to have (R_FVHG, E1.3, F1.2.1), and those that the PMU makes of
 * what it is told. */
void cairn_pmu_events_of(struct cairn_pmu_events *events, const struct cairn_pe_features *features,
                         bool ETE);

#endif
