/* SPDX-License-Identifier: BSD-2-Clause */
/* The register file that ETMs and PTMs have in common (IHI0014 chapter 3, IHI0035 3.16): by name,
 * with the bits that a unit with everything has. */
#ifndef CAIRN_UNIT_ETM_REGISTERS_H
#define CAIRN_UNIT_ETM_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#define CAIRN_ETM_PAIRS 8u /* address range comparators */
#define CAIRN_ETM_ADDRESSES 16u
#define CAIRN_ETM_CONTEXTS 3u /* context ID comparators */

enum cairn_etm_access {
    CAIRN_ETM_PROGRAM, /* written by software */
    CAIRN_ETM_BUILT,   /* says what was built: read-only to software */
    CAIRN_ETM_STATUS,  /* the unit's own */
    CAIRN_ETM_STATE,   /* the unit's own, written by software as well; a capture does not list it */
};

/* R(name, count, offset of the first, bits that are there, access): those of a PTM. A register with
 * a count is an array whose numbers begin with 1. */
#define CAIRN_ETM_REGISTER_LIST(R)                                                                 \
    R(ETMCR, 1, 0x000, 0x7100d581, PROGRAM)                                                        \
    R(ETMCCR, 1, 0x004, 0xffffffff, BUILT)                                                         \
    R(ETMTRIGGER, 1, 0x008, 0x1ffff, PROGRAM)                                                      \
    R(ETMSR, 1, 0x010, 0xf, STATUS)                                                                \
    R(ETMSCR, 1, 0x014, 0xffffffff, BUILT)                                                         \
    R(ETMTSSCR, 1, 0x018, 0xffffffff, PROGRAM)                                                     \
    R(ETMTEEVR, 1, 0x020, 0x1ffff, PROGRAM)                                                        \
    R(ETMTECR1, 1, 0x024, 0x030000ff, PROGRAM)                                                     \
    R(ETMACVR, 16, 0x040, 0xffffffff, PROGRAM)                                                     \
    R(ETMACTR, 16, 0x080, 0xff07, PROGRAM)                                                         \
    R(ETMCNTRLDVR, 4, 0x140, 0xffff, PROGRAM)                                                      \
    R(ETMCNTENR, 4, 0x150, 0x1ffff, PROGRAM)                                                       \
    R(ETMCNTRLDEVR, 4, 0x160, 0x1ffff, PROGRAM)                                                    \
    R(ETMCNTVR, 4, 0x170, 0xffff, STATE)                                                           \
    R(ETMSQ12EVR, 1, 0x180, 0x1ffff, PROGRAM)                                                      \
    R(ETMSQ21EVR, 1, 0x184, 0x1ffff, PROGRAM)                                                      \
    R(ETMSQ23EVR, 1, 0x188, 0x1ffff, PROGRAM)                                                      \
    R(ETMSQ31EVR, 1, 0x18c, 0x1ffff, PROGRAM)                                                      \
    R(ETMSQ32EVR, 1, 0x190, 0x1ffff, PROGRAM)                                                      \
    R(ETMSQ13EVR, 1, 0x194, 0x1ffff, PROGRAM)                                                      \
    R(ETMSQR, 1, 0x19c, 0x3, STATE)                                                                \
    R(ETMCIDCVR, 3, 0x1b0, 0xffffffff, PROGRAM)                                                    \
    R(ETMCIDCMR, 1, 0x1bc, 0xffffffff, PROGRAM)                                                    \
    R(ETMSYNCFR, 1, 0x1e0, 0xfff, PROGRAM)                                                         \
    R(ETMIDR, 1, 0x1e4, 0xffffffff, BUILT)                                                         \
    R(ETMCCER, 1, 0x1e8, 0xffffffff, BUILT)                                                        \
    R(ETMEXTINSELR, 1, 0x1ec, 0xffffffff, PROGRAM)                                                 \
    R(ETMTSEVR, 1, 0x1f8, 0x1ffff, PROGRAM)                                                        \
    R(ETMTRACEIDR, 1, 0x200, 0x7f, PROGRAM)                                                        \
    R(ETMVMIDCVR, 1, 0x240, 0xff, PROGRAM)

/* CAIRN_ETM_ETMACVR is ETMACVR1, the others of an array follow it. */
enum cairn_etm_register {
#define CAIRN_ETM_ENUM(name, count, offset, mask, access)                                          \
    CAIRN_ETM_##name, CAIRN_ETM_##name##_LAST = CAIRN_ETM_##name + (count)-1,
    CAIRN_ETM_REGISTER_LIST(CAIRN_ETM_ENUM)
#undef CAIRN_ETM_ENUM
        CAIRN_ETM_COUNT
};

struct cairn_etm_registers {
    uint32_t values[CAIRN_ETM_COUNT];
};

/* ETMCR */
#define CAIRN_ETMCR_POWERDOWN (1u << 0)
#define CAIRN_ETMCR_STALL (1u << 7)
#define CAIRN_ETMCR_BROADCAST (1u << 8)
#define CAIRN_ETMCR_PROGRAMMING (1u << 10)
#define CAIRN_ETMCR_CYCLES (1u << 12)
#define CAIRN_ETMCR_PRIVILEGED (1u << 24) /* only privileged code has instrumentation */
#define CAIRN_ETMCR_TIMESTAMPS (1u << 28)
#define CAIRN_ETMCR_RETURN_STACK (1u << 29)
#define CAIRN_ETMCR_VMID (1u << 30)

/* ETMACTR[2:0]: the address of an instruction that is executed */
#define CAIRN_ETMACTR_EXECUTE 1u

/* The name of a register. */
const char *cairn_etm_register_name(unsigned index);
/* By name, or by the offset in the memory map ("0x1e4"). CAIRN_ETM_COUNT: no such register. Case is
 * ignored. */
unsigned cairn_etm_register_find(const char *name);

cairn_status cairn_etm_registers_read(const struct cairn_etm_registers *registers, const char *name,
                                      uint64_t *value);
/* `built` allows writing what is read-only to software: what was built, not what is programmed. */
cairn_status cairn_etm_registers_write(struct cairn_etm_registers *registers, const char *name,
                                       uint64_t value, bool built, struct cairn_error *error);
/* Register `index` of those that differ from 0 or that a decoder needs. CAIRN_E_NOT_FOUND: none. */
cairn_status cairn_etm_registers_list(const struct cairn_etm_registers *registers, size_t index,
                                      struct cairn_register *value);

#endif
