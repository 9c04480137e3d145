/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE's registers and state for questions about owner and Prohibited regions; rows of tables in which an X
 * stands for every value. */
#ifndef CAIRN_TESTS_PE_TRBE_VIEW_H
#define CAIRN_TESTS_PE_TRBE_VIEW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/unit.h>

#include "pe/prohibit.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static struct {
    struct cairn_pe_features features;
    struct cairn_pe_registers registers;
    struct cairn_pe_state state;
    struct cairn_pe_authentication authentication;
    struct cairn_pe_view view;
} pe;

/* EL3, EL2 and Secure EL2; trace is self-hosted. */
static inline void begin(void)
{
    memset(&pe, 0, sizeof pe);
    pe.features = (struct cairn_pe_features){
        .EL2 = true, .EL3 = true, .secure_EL2 = true, .trbe = true, .trace_filter = true};
    pe.state.security = CAIRN_NONSECURE;
    pe.state.EL = 1;
    pe.view = (struct cairn_pe_view){&pe.features, &pe.registers, &pe.state, &pe.authentication, 0};
}

static inline void set(enum cairn_pe_register number, unsigned bit, uint64_t value)
{
    pe.registers.value[number] |= value << bit;
}

static inline void clear(void)
{
    memset(&pe.registers, 0, sizeof pe.registers);
}

/* Bits as public register descriptions have them, not as the library's header does. */
static inline void set_NS(uint64_t v)
{
    set(CAIRN_PE_SCR_EL3, 0, v);
}
static inline void set_EEL2(uint64_t v)
{
    set(CAIRN_PE_SCR_EL3, 18, v);
}
static inline void set_NSE(uint64_t v)
{
    set(CAIRN_PE_SCR_EL3, 62, v);
}
static inline void set_STE(uint64_t v)
{
    set(CAIRN_PE_MDCR_EL3, 18, v);
}
static inline void set_RLTE(uint64_t v)
{
    set(CAIRN_PE_MDCR_EL3, 0, v);
}
static inline void set_NSTB(uint64_t v)
{
    set(CAIRN_PE_MDCR_EL3, 24, v);
}
static inline void set_NSTBE(uint64_t v)
{
    set(CAIRN_PE_MDCR_EL3, 26, v);
}
static inline void set_E2TB(uint64_t v)
{
    set(CAIRN_PE_MDCR_EL2, 24, v);
}
static inline void set_VM(uint64_t v)
{
    set(CAIRN_PE_HCR_EL2, 0, v);
}
static inline void set_TGE(uint64_t v)
{
    set(CAIRN_PE_HCR_EL2, 27, v);
}
static inline void set_E2H(uint64_t v)
{
    set(CAIRN_PE_HCR_EL2, 34, v);
}
static inline void set_E(uint64_t v)
{
    set(CAIRN_PE_TRBLIMITR_EL1, 0, v);
}

/* A row of a table asks for that value. */
enum { X = -1 };

static inline bool fits(int wanted, unsigned value)
{
    return wanted == X || (unsigned)wanted == value;
}

#endif
