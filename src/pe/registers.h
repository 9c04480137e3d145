/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a PE's System registers, as one look at them. There may be several at a time: what an
 * instruction reads, what its trace operation reads, what a direct read would give (order.h). */
#ifndef CAIRN_PE_REGISTERS_H
#define CAIRN_PE_REGISTERS_H

#include <stdint.h>

#include "pe/sysreg_table.h"

#define CAIRN_PE_EVENT_COUNTERS 31u

enum cairn_pe_register {
#define S(name, op0, op1, CRn, CRm, op2) CAIRN_PE_##name,
    CAIRN_PE_SYSREGS(S)
#undef S
    CAIRN_PE_PMEVCNTR0_EL0,
    CAIRN_PE_PMEVTYPER0_EL0 = CAIRN_PE_PMEVCNTR0_EL0 + CAIRN_PE_EVENT_COUNTERS,
    CAIRN_PE_REGISTERS = CAIRN_PE_PMEVTYPER0_EL0 + CAIRN_PE_EVENT_COUNTERS,
};

struct cairn_pe_registers {
    uint64_t value[CAIRN_PE_REGISTERS];
};

/* Fields are pairs "high, low". CAIRN_GET(value, TRBLIMITR_TM); CAIRN_GETS(registers, MDCR_EL3, MDCR_EL3_STE) */
#define CAIRN_MASK2(high, low) (~UINT64_C(0) >> (63 - (high) + (low)) << (low))
#define CAIRN_MASK(field) CAIRN_MASK2(field)
#define CAIRN_GET2(value, high, low) ((value) >> (low) & ~UINT64_C(0) >> (63 - (high) + (low)))
#define CAIRN_GET(value, field) CAIRN_GET2(value, field)
#define CAIRN_PUT2(value, high, low, bits)                                                         \
    (((value) & ~CAIRN_MASK2(high, low)) |                                                         \
     ((uint64_t)(bits) << (low) & CAIRN_MASK2(high, low)))
#define CAIRN_PUT(value, field, bits) CAIRN_PUT2(value, field, bits)
#define CAIRN_GETS(registers, name, field) CAIRN_GET2((registers)->value[CAIRN_PE_##name], field)

#endif
