/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE with tables made by hand: EL1&0 with 4KB and 39-bit addresses, one page at 0x40201000. */
#ifndef TABLES_H
#define TABLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pe/translate.h"

#define TABLE UINT64_C(3)
#define BLOCK UINT64_C(1)
#define PAGE UINT64_C(0x703)   /* Access flag, Inner Shareable, writable at EL1, attributes 0 */
#define S2PAGE UINT64_C(0x7ff) /* Access flag, Inner Shareable, readable and writable, Write-Back */
#define S2BLOCK UINT64_C(0x7fd)
#define READ_ONLY UINT64_C(0x80)
#define EL0 UINT64_C(0x40)
#define ACCESSED UINT64_C(0x400)
#define DBM (UINT64_C(1) << 51)

#define VA UINT64_C(0x40201000) /* index 1 at each level of 4KB */
#define L1 UINT64_C(0x10000)
#define L2 UINT64_C(0x11000)
#define L3 UINT64_C(0x12000)
#define FRAME UINT64_C(0x80005000)
#define S2L1 UINT64_C(0x20000) /* stage 2: begins at level 1, 39 bits */

struct tables {
    struct cairn_pe_features features;
    struct cairn_pe_registers registers;
    struct cairn_pe_translate_choices choices;
    struct cairn_pe_memory memory;
    struct cairn_pe_translation out;
    struct {
        uint64_t address, value;
    } words[64];
    unsigned count, reads, updates;
    uint64_t abort_read, abort_update; /* addresses that answer with an External Abort */
    unsigned changes;                  /* so many updates find something else */
    unsigned securities;               /* seen, a bit each */
};

void begin(struct tables *t);
void put(struct tables *t, uint64_t address, uint64_t value);
uint64_t get(const struct tables *t, uint64_t address);
void set(struct tables *t, enum cairn_pe_register name, uint64_t value);
/* Stage 2 from now on, with 1GB blocks where both addresses are the same, but for what is put after. */
void enable_stage2(struct tables *t);
/* A write by the trace buffer of EL1 in Non-secure state. */
bool trace_write(struct tables *t, uint64_t pointer);
bool trace_write_as(struct tables *t, unsigned EL, unsigned security, uint64_t pointer);
/* Another access of EL1&0 in Non-secure state. */
bool access_by(struct tables *t, uint64_t address, enum cairn_pe_access access, bool privileged);

/* A fault: of that stage, with that FSC. */
#define assert_fault(t, number, code)                                                              \
    do {                                                                                           \
        assert_true((t)->out.fault != CAIRN_PE_FAULT_NONE);                                        \
        assert_int_equal((t)->out.stage, number);                                                  \
        assert_int_equal((t)->out.FSC, code);                                                      \
    } while (0)

#endif
