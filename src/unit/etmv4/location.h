/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the registers of a unit are: offsets of the external interface (DDI0608 D8.4) and encodings
 * of system instructions (D8.1.2), which follow from them. */
#ifndef CAIRN_UNIT_ETMV4_LOCATION_H
#define CAIRN_UNIT_ETMV4_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unit/etmv4/registers.h"

/* Registers that are not in the register file: management registers (D8.4.2), and claim tags.
 * M(name, offset, who reads it, who writes it, the protocols in which an instruction reaches it)
 * of ETE, ETMV4, BOTH, NONE. */
#define CAIRN_MANAGEMENT_LIST(M)                                                                   \
    M(TRCOSLAR, 0x300, NONE, ETMV4, ETMV4)                                                         \
    M(TRCOSLSR, 0x304, BOTH, NONE, BOTH)                                                           \
    M(TRCPDCR, 0x310, BOTH, BOTH, ETMV4)                                                           \
    M(TRCPDSR, 0x314, BOTH, NONE, ETMV4)                                                           \
    M(TRCITCTRL, 0xf00, BOTH, BOTH, ETMV4)                                                         \
    M(TRCCLAIMSET, 0xfa0, BOTH, BOTH, BOTH)                                                        \
    M(TRCCLAIMCLR, 0xfa4, BOTH, BOTH, BOTH)                                                        \
    M(TRCDEVAFF0, 0xfa8, BOTH, NONE, ETMV4)                                                        \
    M(TRCDEVAFF1, 0xfac, BOTH, NONE, ETMV4)                                                        \
    M(TRCLAR, 0xfb0, NONE, BOTH, ETMV4)                                                            \
    M(TRCLSR, 0xfb4, BOTH, NONE, ETMV4)                                                            \
    M(TRCDEVID2, 0xfc0, BOTH, NONE, NONE)                                                          \
    M(TRCDEVID1, 0xfc4, BOTH, NONE, NONE)                                                          \
    M(TRCPIDR4, 0xfd0, BOTH, NONE, ETMV4)                                                          \
    M(TRCPIDR5, 0xfd4, BOTH, NONE, ETMV4)                                                          \
    M(TRCPIDR6, 0xfd8, BOTH, NONE, ETMV4)                                                          \
    M(TRCPIDR7, 0xfdc, BOTH, NONE, ETMV4)                                                          \
    M(TRCPIDR0, 0xfe0, BOTH, NONE, ETMV4)                                                          \
    M(TRCPIDR1, 0xfe4, BOTH, NONE, ETMV4)                                                          \
    M(TRCPIDR2, 0xfe8, BOTH, NONE, ETMV4)                                                          \
    M(TRCPIDR3, 0xfec, BOTH, NONE, ETMV4)                                                          \
    M(TRCCIDR0, 0xff0, BOTH, NONE, ETMV4)                                                          \
    M(TRCCIDR1, 0xff4, BOTH, NONE, ETMV4)                                                          \
    M(TRCCIDR2, 0xff8, BOTH, NONE, ETMV4)                                                          \
    M(TRCCIDR3, 0xffc, BOTH, NONE, ETMV4)

enum cairn_management {
    CAIRN_MANAGEMENT_NONE, /* a register of the register file */
#define CAIRN_MANAGEMENT_ENUM(name, offset, reads, writes, instruction) CAIRN_MANAGEMENT_##name,
    CAIRN_MANAGEMENT_LIST(CAIRN_MANAGEMENT_ENUM)
#undef CAIRN_MANAGEMENT_ENUM
        CAIRN_MANAGEMENT_COUNT
};

#define CAIRN_LOCATION_SPAN 0x1000u  /* of the external interface */
#define CAIRN_LOCATION_COMMON 0xf00u /* from here on: the management registers of any component */
#define CAIRN_LOCATION_NONE UINT32_MAX

/* A register that this unit has. */
struct cairn_location {
    const char *name;
    uint32_t offset;
    uint32_t sysreg; /* 0: no instruction reaches it */
    uint8_t bits;
    bool reads;
    bool writes;
    enum cairn_management management;
    unsigned index; /* enum cairn_register_index; CAIRN_MANAGEMENT_NONE only */
};

/* Location `number` of all that there can be. False: the unit has no such register; past the last,
 * *more is false. */
bool cairn_location_at(const struct cairn_unit_registers *registers, size_t number,
                       struct cairn_location *location, bool *more);
/* The register with the word at this offset, a multiple of four. */
bool cairn_location_of_offset(const struct cairn_unit_registers *registers, uint32_t offset,
                              struct cairn_location *location);
/* The register with this encoding (CAIRN_SYSREG). */
bool cairn_location_of_sysreg(const struct cairn_unit_registers *registers, uint32_t sysreg,
                              struct cairn_location *location);
/* The register of this name, in any case. */
bool cairn_location_of_name(const struct cairn_unit_registers *registers, const char *name,
                            struct cairn_location *location);

#endif
