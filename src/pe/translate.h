/* SPDX-License-Identifier: BSD-2-Clause */
/* Translation of an address by a PE's tables (VMSAv8-64): stage 1 and stage 2 of the regimes EL1&0, EL2
 * and EL2&0, with granules of 4KB, 16KB and 64KB. DDI0608 E1.2.1.2 to E1.2.1.5 and E1.2.2.4 say what
 * a trace buffer asks of it; the tables themselves are the Arm Architecture Reference Manual's. */
#ifndef CAIRN_PE_TRANSLATE_H
#define CAIRN_PE_TRANSLATE_H

#include "pe/state.h"

enum cairn_pe_regime {
    CAIRN_PE_EL10, /* EL1&0 */
    CAIRN_PE_EL2,  /* EL2, E2H 0: one range, no EL0 */
    CAIRN_PE_EL20, /* EL2&0, E2H 1 */
};

enum cairn_pe_access {
    CAIRN_PE_MEMORY_READ,
    CAIRN_PE_MEMORY_WRITE,
    CAIRN_PE_MEMORY_FETCH,
};

/* Kinds of faults as a Data Abort has them, without the level. */
enum cairn_pe_fault_kind {
    CAIRN_PE_FAULT_NONE,
    CAIRN_PE_FAULT_ADDRESS_SIZE,
    CAIRN_PE_FAULT_TRANSLATION,
    CAIRN_PE_FAULT_ACCESS_FLAG,
    CAIRN_PE_FAULT_PERMISSION,
    CAIRN_PE_FAULT_ABORT_ON_WALK, /* synchronous External Abort on a walk, or an update of a table */
    CAIRN_PE_FAULT_ALIGNMENT,
    CAIRN_PE_FAULT_ATOMIC_UPDATE, /* unsupported atomic hardware update */
};

enum cairn_pe_memory_answer {
    CAIRN_PE_MEMORY_DONE,
    CAIRN_PE_MEMORY_ABORT,   /* External Abort */
    CAIRN_PE_MEMORY_CHANGED, /* of an update: something else is there now, the walk begins again */
    CAIRN_PE_MEMORY_NOT_ATOMIC,
};

/* Physical memory as walks see it. Addresses are multiples of eight, and values are the eight bytes
 * there with the lowest address first in the low bits, whatever SCTLR_ELx.EE says. Security is
 * enum cairn_security. */
struct cairn_pe_memory {
    void *user;
    enum cairn_pe_memory_answer (*read)(void *user, uint64_t address, unsigned security,
                                        uint64_t *value);
    /* Replaces `expected`. It may be NULL: then descriptors cannot be updated atomically. */
    enum cairn_pe_memory_answer (*update)(void *user, uint64_t address, unsigned security,
                                          uint64_t expected, uint64_t value);
};

/* What the architecture leaves to a PE, CONSTRAINED UNPREDICTABLE. */
struct cairn_pe_translate_choices {
    bool
        clamp_size; /* T0SZ or T1SZ out of range: as the nearest in range; else a Translation fault */
    bool
        ignore_top; /* R_BRRK: the bits of a pointer above any PA are ignored; else an Address size fault */
    bool stage1_by_SCR; /* R_RRCNN: where the owner's Security state is not SCR_EL3.NS's, ... */
    bool stage2_by_SCR; /* ... the stage is that of SCR_EL3.NS */
    uint8_t crossing;   /* enum cairn_pe_crossing */
    bool crossing_is_stage2; /* where both stages make it a fault: of stage 2, else of stage 1 */
};

/* What becomes of one access of the unit over a boundary where that is CONSTRAINED UNPREDICTABLE. */
enum cairn_pe_crossing {
    CAIRN_PE_CROSSING_OWN,       /* each part is as its own address says */
    CAIRN_PE_CROSSING_FAULT,     /* an Alignment fault */
    CAIRN_PE_CROSSING_DISCARD,   /* no trace data is written, and the write pointer may stay */
    CAIRN_PE_CROSSING_UNORDERED, /* R_XRQTN: as OWN, but not ordered with other accesses */
};

struct cairn_pe_translate_request {
    uint64_t address;
    uint8_t regime;   /* enum cairn_pe_regime */
    uint8_t security; /* CAIRN_SECURE or CAIRN_NONSECURE */
    uint8_t access;   /* enum cairn_pe_access */
    bool privileged;  /* else an EL0 access */
    bool PAN;         /* heeds Privileged Access Never, and it is set */
    bool manages; /* the hardware that asks manages Access flag and dirty state, where enabled */
    bool stage1_only; /* the end of stage 1; its walks are translated by stage 2 none the less */
    uint8_t size;     /* of the access, for alignment: a power of two, 0 or 1 for bytes */
    /* TRBLIMITR_EL1.nVM: no stage 1 but these attributes. */
    bool untranslated;
    uint8_t attributes, shareability;
};

struct cairn_pe_translation {
    uint64_t address;     /* physical (an IPA where stage1_only asks for it) */
    uint8_t security;     /* enum cairn_security: of the address space */
    uint8_t attributes;   /* as MAIR_ELx.Attr<n> has them */
    uint8_t shareability; /* 0 Non-shareable, 2 Outer, 3 Inner */
    uint64_t size; /* of the aligned area around the address that goes the same way, in bytes */

    uint8_t attributes_of[2], shareability_of[2]; /* of each stage alone */
    uint64_t IPA; /* what stage 1 gave, also of a fault of stage 2 */
    uint8_t IPA_security;

    /* A fault: all but `address` to `size` are valid. */
    uint8_t fault; /* enum cairn_pe_fault_kind; 0: none */
    uint8_t stage; /* 1 or 2 */
    int8_t level;  /* -1 to 3 */
    uint8_t FSC;   /* as in ESR_ELx.ISS, TRBSR_EL1.MSS */
    bool S1PTW;    /* of stage 2, on a walk of stage 1 */
    uint64_t fault_address;
};

/* Translates, marking descriptors (Access flag, dirty state) where that is enabled. false is a fault.
 * At most 5 + 6 * 5 + 5 descriptors are read for each of four tries; only another agent that changes a
 * descriptor meanwhile causes a second. */
bool cairn_pe_translate(const struct cairn_pe_features *features,
                        const struct cairn_pe_registers *registers,
                        const struct cairn_pe_translate_request *request,
                        const struct cairn_pe_translate_choices *choices,
                        const struct cairn_pe_memory *memory, struct cairn_pe_translation *out);

/* The same of a write by the Trace Buffer Unit at `pointer`: a privileged write of the owner (EL 1 or 2 of
 * that Security state, E1.2.1.6), as TRBLIMITR_EL1.nVM, TRBMAR_EL1 and TRBIDR_EL1.F say. */
bool cairn_pe_translate_trace(const struct cairn_pe_features *features,
                              const struct cairn_pe_registers *registers, unsigned owner_EL,
                              unsigned owner_security, uint64_t pointer,
                              const struct cairn_pe_translate_choices *choices,
                              const struct cairn_pe_memory *memory,
                              struct cairn_pe_translation *out);

/* What becomes of an access of the Trace Buffer Unit at `pointer` that begins in the area of `first` and
 * ends in that of `second`, two translations without a fault: R_RZTDD, of areas with another memory type or
 * shareability, and R_XRQTN, of Device memory where `leaves_granule`: the boundary is one of the smallest
 * translation granule. OWN wherever neither is the case. With FAULT out is the fault. */
enum cairn_pe_crossing
cairn_pe_translation_crossing(const struct cairn_pe_translation *first,
                              const struct cairn_pe_translation *second, uint64_t pointer,
                              bool leaves_granule, const struct cairn_pe_translate_choices *choices,
                              struct cairn_pe_translation *out);

/* What AT leaves in PAR_EL1 of a translation. */
uint64_t cairn_pe_translation_PAR(const struct cairn_pe_translation *translation);

#endif
