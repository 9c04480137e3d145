/* SPDX-License-Identifier: BSD-2-Clause */
/* What registers there are: one line each, in the order of their offsets. */
#ifndef CAIRN_UNIT_ETMV4_REGISTER_TABLE_H
#define CAIRN_UNIT_ETMV4_REGISTER_TABLE_H

#include "unit/etmv4/registers.h"

/* Which protocols have the register. */
#define CAIRN_REGISTER_ETMV4 1u
#define CAIRN_REGISTER_ETE 2u
#define CAIRN_REGISTER_BOTH 3u

enum cairn_register_access {
    CAIRN_REGISTER_PROGRAM, /* written by software */
    CAIRN_REGISTER_BUILT,   /* says what was built: read-only to software */
    CAIRN_REGISTER_STATUS,  /* the unit's own: read-only, and of no interest to a capture */
};

/* R(name, count, offset of number 0, step, bits, protocols, access, mask of the bits that a unit
 * with everything has, identification field that decides whether the register is there) A register
 * with a count is an array: NAME0, NAME1 ...; TRCRSCTLR begins with 2. */
#define CAIRN_UNIT_REGISTER_LIST(R)                                                                \
    R(TRCPRGCTLR, 1, 0x004, 0, 32, BOTH, PROGRAM, 0x1, NULL)                                       \
    R(TRCPROCSELR, 1, 0x008, 0, 32, ETMV4, PROGRAM, 0, "TRCIDR3.NUMPROC")                          \
    R(TRCSTATR, 1, 0x00c, 0, 32, BOTH, STATUS, 0x3, NULL)                                          \
    R(TRCCONFIGR, 1, 0x010, 0, 32, BOTH, PROGRAM, 0xf8d9, "TRCIDR0 and TRCIDR2")                   \
    R(TRCAUXCTLR, 1, 0x018, 0, 32, BOTH, PROGRAM, 0, "nothing IMPLEMENTATION DEFINED")             \
    R(TRCEVENTCTL0R, 1, 0x020, 0, 32, BOTH, PROGRAM, 0x9f9f9f9f, "TRCIDR0.NUMEVENT")               \
    R(TRCEVENTCTL1R, 1, 0x024, 0, 32, BOTH, PROGRAM, 0x180f,                                       \
      "TRCIDR0.NUMEVENT, TRCIDR5.ATBTRIG and LPOVERRIDE")                                          \
    R(TRCRSR, 1, 0x028, 0, 32, ETE, PROGRAM, 0x1f0f, NULL)                                         \
    R(TRCSTALLCTLR, 1, 0x02c, 0, 32, BOTH, PROGRAM, 0x210f, "TRCIDR3.STALLCTL and NOOVERFLOW")     \
    R(TRCTSCTLR, 1, 0x030, 0, 32, BOTH, PROGRAM, 0x9f, "TRCIDR0.TSSIZE")                           \
    R(TRCSYNCPR, 1, 0x034, 0, 32, BOTH, PROGRAM, 0x1f, "TRCIDR3.SYNCPR")                           \
    R(TRCCCCTLR, 1, 0x038, 0, 32, BOTH, PROGRAM, 0xfff, "TRCIDR0.TRCCCI")                          \
    R(TRCBBCTLR, 1, 0x03c, 0, 32, BOTH, PROGRAM, 0x1ff, "TRCIDR0.TRCBB and TRCIDR4.NUMACPAIRS")    \
    R(TRCTRACEIDR, 1, 0x040, 0, 32, BOTH, PROGRAM, 0x7f, NULL)                                     \
    R(TRCQCTLR, 1, 0x044, 0, 32, BOTH, PROGRAM, 0x1ff, "TRCIDR0.QFILT and TRCIDR4.NUMACPAIRS")     \
    R(TRCVICTLR, 1, 0x080, 0, 32, BOTH, PROGRAM, 0x077f0e9f,                                       \
      "TRCIDR3.EXLEVEL_S, EXLEVEL_NS and TRCERR, TRCIDR6, TRCIDR4.NUMRSPAIR")                      \
    R(TRCVIIECTLR, 1, 0x084, 0, 32, BOTH, PROGRAM, 0x00ff00ff, "TRCIDR4.NUMACPAIRS")               \
    R(TRCVISSCTLR, 1, 0x088, 0, 32, BOTH, PROGRAM, 0xffffffff, "TRCIDR4.NUMACPAIRS")               \
    R(TRCVIPCSSCTLR, 1, 0x08c, 0, 32, BOTH, PROGRAM, 0x00ff00ff, "TRCIDR4.NUMPC")                  \
    R(TRCVDCTLR, 1, 0x0a0, 0, 32, ETMV4, PROGRAM, 0, "TRCIDR0.TRCDATA")                            \
    R(TRCVDSACCTLR, 1, 0x0a4, 0, 32, ETMV4, PROGRAM, 0, "TRCIDR0.TRCDATA")                         \
    R(TRCVDARCCTLR, 1, 0x0a8, 0, 32, ETMV4, PROGRAM, 0, "TRCIDR0.TRCDATA")                         \
    R(TRCSEQEVR, 3, 0x100, 4, 32, BOTH, PROGRAM, 0x9f9f, "TRCIDR5.NUMSEQSTATE")                    \
    R(TRCSEQRSTEVR, 1, 0x118, 0, 32, BOTH, PROGRAM, 0x9f, "TRCIDR5.NUMSEQSTATE")                   \
    R(TRCSEQSTR, 1, 0x11c, 0, 32, BOTH, PROGRAM, 0x3, "TRCIDR5.NUMSEQSTATE")                       \
    R(TRCEXTINSELR, 1, 0x120, 0, 32, ETMV4, PROGRAM, 0xffffffff, "TRCIDR5.NUMEXTINSEL")            \
    R(TRCEXTINSELR0, 1, 0x120, 0, 32, ETE, PROGRAM, 0xffff, "TRCIDR5.NUMEXTINSEL")                 \
    R(TRCEXTINSELR1, 1, 0x124, 0, 32, ETE, PROGRAM, 0xffff, "TRCIDR5.NUMEXTINSEL")                 \
    R(TRCEXTINSELR2, 1, 0x128, 0, 32, ETE, PROGRAM, 0xffff, "TRCIDR5.NUMEXTINSEL")                 \
    R(TRCEXTINSELR3, 1, 0x12c, 0, 32, ETE, PROGRAM, 0xffff, "TRCIDR5.NUMEXTINSEL")                 \
    R(TRCCNTRLDVR, 4, 0x140, 4, 32, BOTH, PROGRAM, 0xffff, "TRCIDR5.NUMCNTR")                      \
    R(TRCCNTCTLR, 4, 0x150, 4, 32, BOTH, PROGRAM, 0x39f9f, "TRCIDR5.NUMCNTR")                      \
    R(TRCCNTVR, 4, 0x160, 4, 32, BOTH, PROGRAM, 0xffff, "TRCIDR5.NUMCNTR")                         \
    R(TRCIDR8, 1, 0x180, 0, 32, BOTH, BUILT, 0xffffffff, NULL)                                     \
    R(TRCIDR9, 1, 0x184, 0, 32, BOTH, BUILT, 0xffffffff, NULL)                                     \
    R(TRCIDR10, 1, 0x188, 0, 32, BOTH, BUILT, 0xffffffff, NULL)                                    \
    R(TRCIDR11, 1, 0x18c, 0, 32, BOTH, BUILT, 0xffffffff, NULL)                                    \
    R(TRCIDR12, 1, 0x190, 0, 32, BOTH, BUILT, 0xffffffff, NULL)                                    \
    R(TRCIDR13, 1, 0x194, 0, 32, BOTH, BUILT, 0xffffffff, NULL)                                    \
    R(TRCIMSPEC, 8, 0x1c0, 4, 32, BOTH, PROGRAM, 0, "nothing IMPLEMENTATION DEFINED")              \
    R(TRCIDR, 8, 0x1e0, 4, 32, BOTH, BUILT, 0xffffffff, NULL)                                      \
    R(TRCRSCTLR, 30, 0x200, 4, 32, BOTH, PROGRAM, 0x3fffff, "TRCIDR4.NUMRSPAIR")                   \
    R(TRCSSCCR, 8, 0x280, 4, 32, BOTH, PROGRAM, 0x1ffffff, "TRCIDR4.NUMSSCC")                      \
    R(TRCSSCSR, 8, 0x2a0, 4, 32, BOTH, PROGRAM, 0xc0000000, "TRCIDR4.NUMSSCC")                     \
    R(TRCSSPCICR, 8, 0x2c0, 4, 32, BOTH, PROGRAM, 0xff, "TRCIDR4.NUMSSCC and NUMPC")               \
    R(TRCACVR, 16, 0x400, 8, 64, BOTH, PROGRAM, UINT64_MAX, "TRCIDR4.NUMACPAIRS")                  \
    R(TRCACATR, 16, 0x480, 8, 64, BOTH, PROGRAM, 0x77f7c, "TRCIDR4.NUMACPAIRS")                    \
    R(TRCCIDCVR, 8, 0x600, 8, 64, BOTH, PROGRAM, 0xffffffff, "TRCIDR4.NUMCIDC")                    \
    R(TRCVMIDCVR, 8, 0x640, 8, 64, BOTH, PROGRAM, 0xffffffff, "TRCIDR4.NUMVMIDC")                  \
    R(TRCCIDCCTLR, 2, 0x680, 4, 32, BOTH, PROGRAM, 0x0f0f0f0f, "TRCIDR4.NUMCIDC")                  \
    R(TRCVMIDCCTLR, 2, 0x688, 4, 32, BOTH, PROGRAM, 0x0f0f0f0f, "TRCIDR4.NUMVMIDC")                \
    R(TRCAUTHSTATUS, 1, 0xfb8, 0, 32, BOTH, BUILT, 0xffffffff, NULL)                               \
    R(TRCDEVARCH, 1, 0xfbc, 0, 32, BOTH, BUILT, 0xffffffff, NULL)                                  \
    R(TRCDEVID, 1, 0xfc8, 0, 32, BOTH, BUILT, 0xffffffff, NULL)                                    \
    R(TRCDEVTYPE, 1, 0xfcc, 0, 32, BOTH, BUILT, 0xffffffff, NULL)

/* CAIRN_REG_TRCACVR is TRCACVR0, the others of an array follow it. */
enum cairn_register_index {
#define CAIRN_REGISTER_ENUM(name, count, offset, step, bits, protocols, access, mask, needs)       \
    CAIRN_REG_##name, CAIRN_REG_##name##_LAST = CAIRN_REG_##name + (count)-1,
    CAIRN_UNIT_REGISTER_LIST(CAIRN_REGISTER_ENUM)
#undef CAIRN_REGISTER_ENUM
        CAIRN_REG_COUNT
};
_Static_assert(CAIRN_REG_COUNT <= CAIRN_UNIT_REGISTERS_MAX, "values[] has room for every register");

struct cairn_register_row {
    const char *name;
    const char *needs;
    uint64_t mask;
    uint16_t offset; /* in the 4 KiB of the unit */
    uint8_t bits;
    uint8_t protocols;
    uint8_t access; /* enum cairn_register_access */
    uint8_t number; /* the n of NAMEn */
    uint8_t first;  /* enum cairn_register_index of the first of its array: the array's name */
};

extern const struct cairn_register_row cairn_register_rows[CAIRN_REG_COUNT];

/* Bits `high` to `low` of a register value. */
static inline uint32_t cairn_register_bits(uint64_t value, unsigned high, unsigned low)
{
    return (uint32_t)((value >> low) & ((UINT64_C(1) << (high - low + 1)) - 1));
}

/* What the identification registers say; counts are of what is there. */
struct cairn_unit_built {
    bool is_ete;
    uint32_t revision;  /* ETE: of TRCDEVARCH; ETMv4: minor version of TRCIDR1 */
    uint32_t arcs;      /* address range comparators; twice as many single ones */
    uint32_t pcs;       /* PE comparator inputs */
    uint32_t selectors; /* 0 and 1 included; 0: events cannot be selected */
    uint32_t sscs;
    uint32_t cids;
    uint32_t vmids;
    uint32_t events;
    uint32_t counters;
    uint32_t extinsels;
    bool sequencer;
};
void cairn_unit_built_read(const struct cairn_unit_registers *registers,
                           struct cairn_unit_built *built);

/* The bits of register `index` that this unit has; 0 when it lacks the register. */
uint64_t cairn_register_implemented(const struct cairn_unit_registers *registers, unsigned index);

/* Refuses values that the architecture reserves, in a sentence. The bits exist. */
cairn_status cairn_register_check(const struct cairn_unit_registers *registers, unsigned index,
                                  uint64_t value, struct cairn_error *error);

/* Refuses what no unit of the protocol is built like, in a sentence. `choices`: CAIRN_UNIT_... */
cairn_status cairn_unit_check_built(const struct cairn_unit_registers *registers, uint32_t choices,
                                    struct cairn_error *error);

#endif
