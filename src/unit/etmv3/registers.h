/* SPDX-License-Identifier: BSD-2-Clause */
/* The register file of an ETMv3 trace unit, by name (IHI0014 chapter 3; issue Q for v3.5). */
#ifndef CAIRN_UNIT_ETMV3_REGISTERS_H
#define CAIRN_UNIT_ETMV3_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

enum cairn_etmv3_access {
    CAIRN_ETMV3_PROGRAM, /* written by software */
    CAIRN_ETMV3_BUILT,   /* says what was built: read-only to software */
    CAIRN_ETMV3_STATUS,  /* the unit's own, of no interest to a capture */
};

/* R(name, count, number of the first, step, bits that the model has, access, decoder): a register
 * with a count is an array that begins with 1. `decoder` is 1 if a capture needs it even when it
 * is 0. */
#define CAIRN_ETMV3_REGISTERS(R)                                                                   \
    R(ETMCR, 1, 0x000, 0, 0x503ff17e, PROGRAM, 1)                                                  \
    R(ETMCCR, 1, 0x001, 0, 0xffffffff, BUILT, 0)                                                   \
    R(ETMTRIGGER, 1, 0x002, 0, 0x1ffff, PROGRAM, 0)                                                \
    R(ETMSR, 1, 0x004, 0, 0xf, STATUS, 0)                                                          \
    R(ETMSCR, 1, 0x005, 0, 0xffffffff, BUILT, 0)                                                   \
    R(ETMTSSCR, 1, 0x006, 0, 0xffffffff, PROGRAM, 0)                                               \
    R(ETMTECR2, 1, 0x007, 0, 0xffff, PROGRAM, 0)                                                   \
    R(ETMTEEVR, 1, 0x008, 0, 0x1ffff, PROGRAM, 0)                                                  \
    R(ETMTECR1, 1, 0x009, 0, 0x030000ff, PROGRAM, 0)                                               \
    R(ETMFFLR, 1, 0x00b, 0, 0xff, PROGRAM, 0)                                                      \
    R(ETMVDEVR, 1, 0x00c, 0, 0x1ffff, PROGRAM, 0)                                                  \
    R(ETMVDCR1, 1, 0x00d, 0, 0xffffffff, PROGRAM, 0)                                               \
    R(ETMVDCR3, 1, 0x00f, 0, 0x1ffff, PROGRAM, 0)                                                  \
    R(ETMACVR, 16, 0x010, 1, 0xffffffff, PROGRAM, 0)                                               \
    R(ETMACTR, 16, 0x020, 1, 0xfff, PROGRAM, 0)                                                    \
    R(ETMDCVR, 8, 0x030, 2, 0xffffffff, PROGRAM, 0)                                                \
    R(ETMDCMR, 8, 0x040, 2, 0xffffffff, PROGRAM, 0)                                                \
    R(ETMCNTRLDVR, 4, 0x050, 1, 0xffff, PROGRAM, 0)                                                \
    R(ETMCNTENR, 4, 0x054, 1, 0x3ffff, PROGRAM, 0)                                                 \
    R(ETMCNTRLDEVR, 4, 0x058, 1, 0x1ffff, PROGRAM, 0)                                              \
    R(ETMCNTVR, 4, 0x05c, 1, 0xffff, PROGRAM, 0)                                                   \
    R(ETMSQ12EVR, 1, 0x060, 0, 0x1ffff, PROGRAM, 0)                                                \
    R(ETMSQ21EVR, 1, 0x061, 0, 0x1ffff, PROGRAM, 0)                                                \
    R(ETMSQ23EVR, 1, 0x062, 0, 0x1ffff, PROGRAM, 0)                                                \
    R(ETMSQ31EVR, 1, 0x063, 0, 0x1ffff, PROGRAM, 0)                                                \
    R(ETMSQ32EVR, 1, 0x064, 0, 0x1ffff, PROGRAM, 0)                                                \
    R(ETMSQ13EVR, 1, 0x065, 0, 0x1ffff, PROGRAM, 0)                                                \
    R(ETMSQR, 1, 0x067, 0, 0x3, PROGRAM, 0)                                                        \
    R(ETMCIDCVR, 3, 0x06c, 1, 0xffffffff, PROGRAM, 0)                                              \
    R(ETMCIDCMR, 1, 0x06f, 0, 0xffffffff, PROGRAM, 0)                                              \
    R(ETMSYNCFR, 1, 0x078, 0, 0xfff, PROGRAM, 0)                                                   \
    R(ETMIDR, 1, 0x079, 0, 0xffffffff, BUILT, 1)                                                   \
    R(ETMCCER, 1, 0x07a, 0, 0xffffffff, BUILT, 1)                                                  \
    R(ETMTSEVR, 1, 0x07e, 0, 0x1ffff, PROGRAM, 0)                                                  \
    R(ETMTRACEIDR, 1, 0x080, 0, 0x7f, PROGRAM, 1)                                                  \
    R(ETMIDR2, 1, 0x082, 0, 0x3, BUILT, 0)

/* CAIRN_ETMV3_REG_ETMACVR is ETMACVR1, the others of an array follow it. */
enum cairn_etmv3_register {
#define CAIRN_ETMV3_REG_ENUM(name, count, number, step, mask, access, decoder)                     \
    CAIRN_ETMV3_REG_##name, CAIRN_ETMV3_REG_##name##_LAST = CAIRN_ETMV3_REG_##name + (count)-1,
    CAIRN_ETMV3_REGISTERS(CAIRN_ETMV3_REG_ENUM)
#undef CAIRN_ETMV3_REG_ENUM
        CAIRN_ETMV3_REG_COUNT
};

struct cairn_etmv3_registers {
    uint32_t values[CAIRN_ETMV3_REG_COUNT];
    uint32_t fifo_bytes; /* of the unit: no shorter synchronisation period is written; 0: any */
};

/* ETMCR (3.5.1) */
#define CAIRN_ETMCR3_MONITOR_CPRT (1u << 1)
#define CAIRN_ETMCR3_DATA_VALUE (1u << 2)
#define CAIRN_ETMCR3_DATA_ADDRESS (1u << 3)
#define CAIRN_ETMCR3_BRANCH_OUTPUT (1u << 8)
#define CAIRN_ETMCR3_PROGRAMMING (1u << 10)
#define CAIRN_ETMCR3_CYCLE_ACCURATE (1u << 12)
#define CAIRN_ETMCR3_SUPPRESS_DATA (1u << 18)
#define CAIRN_ETMCR3_FILTER_CPRT (1u << 19)
#define CAIRN_ETMCR3_DATA_ONLY (1u << 20)
#define CAIRN_ETMCR3_TIMESTAMPS (1u << 28)
#define CAIRN_ETMCR3_VMID (1u << 30)

/* Resets to a unit for a PE of this architecture that has all that the model can do and traces
 * every instruction and, once ETMCR turns it on, all data. */
void cairn_etmv3_registers_reset(struct cairn_etmv3_registers *registers,
                                 const struct cairn_arch *arch);
/* A list as options give it, in any order. */
cairn_status cairn_etmv3_registers_program(struct cairn_etmv3_registers *registers,
                                           const struct cairn_register *list, size_t count,
                                           struct cairn_error *error);
cairn_status cairn_etmv3_registers_read(const struct cairn_etmv3_registers *registers,
                                        const char *name, uint64_t *value);
/* `built` allows writing what is read-only to software. */
cairn_status cairn_etmv3_registers_write(struct cairn_etmv3_registers *registers, const char *name,
                                         uint64_t value, bool built, struct cairn_error *error);
/* As cairn_unit_register. */
cairn_status cairn_etmv3_registers_list(const struct cairn_etmv3_registers *registers, size_t index,
                                        struct cairn_register *value);

/* ETMv3.minor. */
static inline unsigned cairn_etmv3_minor(const struct cairn_etmv3_registers *registers)
{
    return registers->values[CAIRN_ETMV3_REG_ETMIDR] >> 4 & 0xfu;
}

#endif
