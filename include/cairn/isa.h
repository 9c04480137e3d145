/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions as a trace analyser sees them: where a P0 element can end, and where flow goes.
 * Source: DDI0608 D3 for what is a P0 instruction; the Arm ARM's encodings for what a word is. */
#ifndef CAIRN_ISA_H
#define CAIRN_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cairn_isa {
    CAIRN_ISA_UNKNOWN = 0,
    CAIRN_ISA_A64 = 1,
    CAIRN_ISA_A32 = 2,
    CAIRN_ISA_T32 = 3,
};

/* Security state of a PE context, as ETE's {NSE, NS} names it. */
enum cairn_security {
    CAIRN_SECURE = 0,
    CAIRN_NONSECURE = 1,
    CAIRN_ROOT = 2,
    CAIRN_REALM = 3,
};

enum cairn_profile {
    CAIRN_PROFILE_A = 0,
    CAIRN_PROFILE_R = 1,
    CAIRN_PROFILE_M = 2,
};

/* Features that change what an encoding is. A feature is set in the mask when the core has it. */
/* 32-bit T32 beyond BL/BLX pairs (Armv6T2, Armv7, v8-M Mainline) */
#define CAIRN_FEATURE_THUMB2 (1u << 0)
#define CAIRN_FEATURE_TME (1u << 1)     /* TSTART, TCOMMIT, TCANCEL, TTEST */
#define CAIRN_FEATURE_PAUTH (1u << 2)   /* BRAA..., RETAA..., ERETAA...; PAuth_LR: RETAASPPC... */
#define CAIRN_FEATURE_WFXT (1u << 3)    /* WFET, WFIT */
#define CAIRN_FEATURE_CMPBR (1u << 4)   /* CB<cc>, CBB<cc>, CBH<cc> */
#define CAIRN_FEATURE_HBC (1u << 5)     /* BC.cond */
#define CAIRN_FEATURE_LOB (1u << 6)     /* v8.1-M low-overhead loops and branch future */
#define CAIRN_FEATURE_TEXIT (1u << 7)   /* POE2: TENTER, TEXIT */
#define CAIRN_FEATURE_THUMBEE (1u << 8) /* ENTERX, LEAVEX: Armv7-A, and Armv7-R may have it */

/* The architecture a core implements: profile, version (8.1 is major 8, minor 1) and features.
 * An encoding of a feature that is absent is classified as CAIRN_INSN_OTHER. */
struct cairn_arch {
    enum cairn_profile profile;
    uint8_t major;
    uint8_t minor;
    uint32_t features;
};

/* The architecture of a core by its name as Arm DS writes it ("Cortex-A53", "ARMv8.3-A",
 * "ARM-AA64", "ARM-M-profile" ...; case, '-', '_' and ' ' are ignored). A core gets the features
 * that it has; the name of an architecture gets all that its version allows. CAIRN_E_NOT_FOUND for
 * an unknown name: *arch is then the most permissive architecture of the profile that it
 * suggests. */
CAIRN_API cairn_status cairn_arch_from_name(const char *name, struct cairn_arch *arch);

/* Everything on: an Armv9.6-A core with every feature above. */
CAIRN_API struct cairn_arch cairn_arch_any_a(void);

/* How an instruction bears on program flow. The list is open. */
enum cairn_insn_kind {
    CAIRN_INSN_OTHER = 0,           /* flow goes on behind it; not a P0 instruction */
    CAIRN_INSN_BRANCH_DIRECT = 1,   /* target in the opcode */
    CAIRN_INSN_BRANCH_INDIRECT = 2, /* target from a register or memory */
    CAIRN_INSN_ISB = 3,             /* ISB, and MCR p15,0,Rt,c7,c5,4 (CP15ISB) */
    CAIRN_INSN_WFX = 4,             /* WFE, WFI, WFET, WFIT: P0 only if TRCIDR2.WFXMODE */
    CAIRN_INSN_TSTART = 5,          /* TSTART: P0 */
    CAIRN_INSN_UNDEFINED = 6, /* permanently undefined, or a branch of another profile: cannot be
                               * executed. Words that are merely unallocated are OTHER, since
                               * a later architecture may give them a meaning. */
    CAIRN_INSN_BARRIER = 7,   /* A32, T32: DMB and DSB, and MCR p15,0,Rt,c7,c10,5 and 4: P0 in
                                 PTM if ETMCCER[24]; elsewhere as OTHER */
};

/* Properties, a bit each. */
/* Branch with Link: writes a return address (DDI0608 D3.1.3...) */
#define CAIRN_INSN_LINK (1u << 0)
/* its own encoding may make it fall through (IT not included) */
#define CAIRN_INSN_CONDITIONAL (1u << 1)
/* a function return: RET, BX LR, POP {..pc}, LDM sp!,{..pc} ... */
#define CAIRN_INSN_RETURN (1u << 2)
/* an exception return: ERET*, RFE, SUBS PC,LR, LDM ^ with PC */
#define CAIRN_INSN_ERET (1u << 3)
/* direct branch that changes the instruction set (BLX imm) */
#define CAIRN_INSN_EXCHANGE (1u << 4)
#define CAIRN_INSN_LOAD (1u << 5)    /* reads memory (P0 if TRCCONFIGR.INSTP0 says loads) */
#define CAIRN_INSN_STORE (1u << 6)   /* writes memory (P0 if TRCCONFIGR.INSTP0 says stores) */
#define CAIRN_INSN_IT (1u << 7)      /* IT: opens an IT block; `it` is its ITSTATE */
#define CAIRN_INSN_NEVER_N (1u << 8) /* N on it is reserved (DDI0608 D3.1.4, D3.2.4) */
/* A64 B.AL, B.NV, BC.AL, BC.NV: it has a condition that always passes, and is not
 * CAIRN_INSN_CONDITIONAL; to BRBE it is a conditional branch (Table F1.8) */
#define CAIRN_INSN_PASSES (1u << 9)

/* The condition field of an instruction: the Arm ARM's 4-bit code, 14 (AL) where there is none. */
#define CAIRN_COND_AL 14

/* One instruction, classified. */
struct cairn_insn {
    uint32_t opcode; /* A64, A32, 16-bit T32: as it is; 32-bit T32: first halfword in bits 31:16 */
    uint8_t size;    /* bytes: 2 or 4 */
    uint8_t kind;    /* enum cairn_insn_kind */
    uint8_t cond;    /* condition code; CBZ, TBZ ... are CAIRN_INSN_CONDITIONAL with AL here */
    uint8_t it;      /* ITSTATE after an IT instruction, else 0 */
    uint32_t flags;  /* CAIRN_INSN_... */
    /* enum cairn_isa at a direct branch's target, else CAIRN_ISA_UNKNOWN; also that of ENTERX,
     * which leads to ThumbEE */
    uint8_t target_isa;
    uint64_t target; /* of a direct branch: absolute, wrapped at 32 bits in A32 and T32; else 0 */
};

/* Classifies the instruction at `address`. `bytes` holds `size` readable bytes in the order of
 * instruction fetch (little endian halfwords or words). Returns its size, 2 or 4; or 0 when `size`
 * is too short for it (a T32 first halfword that needs a second, or fewer bytes than one unit), and
 * then *insn is untouched. Every pattern is classified: there is no failure. Unpredictable words
 * are classified by the instruction they would be.
 * Before Thumb-2 (no CAIRN_FEATURE_THUMB2, not the M profile) a BL or BLX pair is one instruction
 * of 4 bytes; a prefix without a suffix is a 2-byte OTHER, and a suffix that is reached on its own
 * a 2-byte indirect Branch with Link. */
CAIRN_API unsigned cairn_insn_decode(const struct cairn_arch *arch, enum cairn_isa isa,
                                     uint64_t address, const uint8_t *bytes, size_t size,
                                     struct cairn_insn *insn);

/* The 4-bit condition under which the next instruction of an IT block runs, and the ITSTATE behind
 * it (Arm ARM, ITAdvance). `it` is the current ITSTATE; 0 means outside a block: AL, and 0. */
CAIRN_API unsigned cairn_it_condition(uint8_t it);
CAIRN_API uint8_t cairn_it_advance(uint8_t it);

/* Which way a transfer of data goes. The list is open. */
enum cairn_transfer_kind {
    CAIRN_TRANSFER_LOAD = 0,             /* from memory */
    CAIRN_TRANSFER_STORE = 1,            /* to memory */
    CAIRN_TRANSFER_FROM_COPROCESSOR = 2, /* MRC, MRRC, VMRS, VMOV to core registers: no address */
    CAIRN_TRANSFER_TO_COPROCESSOR = 3,   /* MCR, MCRR, VMSR, VDUP, VMOV from core registers */
};

/* What `number` of a transfer counts. The list is open. */
enum cairn_register_file {
    CAIRN_REGISTER_UNKNOWN = 0,
    CAIRN_REGISTER_NONE = 1,        /* TBB, TBH: what is loaded is an offset of PC */
    CAIRN_REGISTER_R = 2,           /* R0 to R15 */
    CAIRN_REGISTER_S = 3,           /* S0 to S31 */
    CAIRN_REGISTER_D = 4,           /* D0 to D31; `part` tells which piece of it */
    CAIRN_REGISTER_FLAGS = 5,       /* the APSR's flags: MRC and VMRS with Rt 15 */
    CAIRN_REGISTER_PSR = 6,         /* CPSR (RFE), SPSR (SRS) */
    CAIRN_REGISTER_COPROCESSOR = 7, /* LDC, STC: CRd */
    CAIRN_REGISTER_SEVERAL = 8, /* pieces of several D registers from `number` on (VLD2.8 ...) */
};

#define CAIRN_TRANSFER_ALL_PARTS 0xff /* of `part`: a load to all lanes */

/* One transfer: what one data packet of an ETM tells (IHI0014 7.4). Values are traced before sign
 * extension, as the register has them (4.9.2). */
struct cairn_transfer {
    uint8_t kind;   /* enum cairn_transfer_kind */
    uint8_t size;   /* bytes: 1, 2 or 4 */
    uint8_t offset; /* bytes from the lowest address that the instruction accesses */
    uint8_t file;   /* enum cairn_register_file */
    uint8_t number; /* of the register in its file */
    uint8_t part;   /* D: which piece of `size` bytes, 0 the least significant; else 0 */
};

/* it may transfer data, but what is not known: A64, MVE, CLREX, Armv8-M's VLSTM and VLLDM, lists
 * that are unpredictable. Nothing is listed */
#define CAIRN_TRANSFERS_UNKNOWN (1u << 0)
/* LDC, STC: the coprocessor decides how many words follow */
#define CAIRN_TRANSFERS_MORE (1u << 1)
/* the specifications do not say how it is cut or ordered: VLDn and VSTn (taken as words; one
 * lane or all lanes: as elements), MCRR, MRRC (taken as Rt, then Rt2) */
#define CAIRN_TRANSFERS_ASSUMED (1u << 2)
#define CAIRN_TRANSFERS_USER (1u << 3) /* LDM, STM with ^: the User mode's registers */

/* What cairn_insn_transfers needs to know of the core and the unit about the order. */
/* ETMIDR[16]: loads with PC in the list load it first */
#define CAIRN_TRANSFERS_PC_FIRST (1u << 0)
#define CAIRN_TRANSFERS_STORE_FIRST (1u << 1) /* ETMIDR2[1]: SWP and SWPB store, then load */
#define CAIRN_TRANSFERS_PSR_FIRST (1u << 2)   /* ETMIDR2[0]: RFE loads CPSR, then PC */
/* BE-8 or BE-32: the upper half of a D register comes first */
#define CAIRN_TRANSFERS_BIG_ENDIAN (1u << 3)

#define CAIRN_TRANSFERS_MAX 32

struct cairn_transfers {
    uint32_t flags;
    uint8_t count;
    uint8_t coprocessor; /* of LDC, STC, MCR, MRC, MCRR, MRRC: its number (VFP: 10, 11); else 0 */
    struct cairn_transfer
        list[CAIRN_TRANSFERS_MAX]; /* as they are traced: ascending addresses, but for
                                    * `order` */
};

/* The data transfers that an instruction makes when it is executed and passes its condition: memory
 * in words or less (LDRD, LDREXD and D registers are two), and moves between coprocessors and core
 * registers (IHI0014 4.10). `insn` is what cairn_insn_decode said of it under the same `arch` and
 * `isa`; `order`: CAIRN_TRANSFERS_..._FIRST, BIG_ENDIAN. Preloads, CLRM and SG transfer nothing.
 * Whatever CAIRN_INSN_LOAD or STORE is said of has at least one load or store here, or is
 * UNKNOWN. */
CAIRN_API void cairn_insn_transfers(const struct cairn_arch *arch, enum cairn_isa isa,
                                    const struct cairn_insn *insn, uint32_t order,
                                    struct cairn_transfers *transfers);

/* "A64", "A32", "T32" or "?". */
CAIRN_API const char *cairn_isa_name(enum cairn_isa isa);

#ifdef __cplusplus
}
#endif
#endif
