/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the translation: what one stage goes by, one walk of it, and what descriptors say. */
#ifndef CAIRN_PE_TRANSLATE_STAGE_H
#define CAIRN_PE_TRANSLATE_STAGE_H

#include "pe/translate.h"
#include "pe/translate_fields.h"

/* What this PE can, from its ID registers. */
struct cairn_pe_abilities {
    uint8_t PA_bits; /* PAMax() */
    bool LVA;        /* FEAT_LVA: 52-bit VAs with 64KB */
    bool small;      /* FEAT_TTST */
    bool HPD, XNX, FWB, EPAN, E0PD;
    bool HA, HD;
    bool granule[2][3]; /* [stage - 1][4KB, 16KB, 64KB] */
    bool LPA2[2][3];    /* DS is heeded */
};

/* One stage of one translation. */
struct cairn_pe_stage {
    uint8_t number; /* 1 or 2 */
    bool fails;     /* the registers are such that each access is a Translation fault of level 0 */
    bool two_privileges; /* has EL0 */
    bool big_endian;
    bool DS;
    bool HA, HD;
    bool HPD;
    bool WXN;
    uint8_t granule;         /* log2: 12, 14, 16 */
    uint8_t input_bits;      /* of addresses that are translated */
    uint8_t output_bits;     /* of addresses that come out */
    int8_t start;            /* level of the first table */
    uint8_t DS_shareability; /* with DS, of all its Normal memory */
    uint64_t base;
    uint8_t table_security;  /* of the first table */
    uint8_t output_security; /* of what comes out of stage 2 */
    uint8_t security;        /* the regime's */
};

/* The descriptor at the end of a walk. */
struct cairn_pe_leaf {
    uint64_t descriptor;
    uint64_t at; /* its physical address */
    uint8_t at_security;
    uint64_t walk_IPA; /* its address as the stage has it */
    uint8_t walk_security;
    int8_t level;
    uint8_t bits;     /* log2 of the area it describes */
    uint64_t output;  /* of the input address */
    uint8_t security; /* of the output, stage 1 */
    bool APTable0, APTable1, UXNTable, PXNTable;
};

struct cairn_pe_rights {
    bool read, write, execute;
};

/* All that one translation goes by. */
struct cairn_pe_walk {
    const struct cairn_pe_features *features;
    const struct cairn_pe_registers *registers;
    const struct cairn_pe_translate_request *request;
    const struct cairn_pe_translate_choices *choices;
    const struct cairn_pe_memory *memory;
    struct cairn_pe_translation *out;
    struct cairn_pe_abilities abilities;
    uint8_t security1, security2; /* in which each stage works */
    uint64_t HCR;                 /* its effective value */
    bool stage2;                  /* is enabled */
    bool walking;                 /* stage 2 translates the address of a descriptor */
    bool again;                   /* a descriptor changed under an update */
};

/* translate_setup.c */
void cairn_pe_find_abilities(struct cairn_pe_abilities *abilities,
                             const struct cairn_pe_registers *registers);
/* Stage 1 for the request's address; false: it is disabled. */
bool cairn_pe_setup_stage1(const struct cairn_pe_walk *walk, struct cairn_pe_stage *stage);
/* Stage 2 for IPAs of that Security state. */
void cairn_pe_setup_stage2(const struct cairn_pe_walk *walk, unsigned security,
                           struct cairn_pe_stage *stage);
/* One bit above the highest of a VA that counts: 64, or 56 where the top byte is ignored. */
unsigned cairn_pe_address_top(const struct cairn_pe_walk *walk);
uint64_t cairn_pe_regime_SCTLR(const struct cairn_pe_walk *walk);

/* translate_walk.c: each gives false with out->fault filled in */
bool cairn_pe_walk_tables(struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                          uint64_t address, struct cairn_pe_leaf *leaf);
/* The Access flag is set, and the descriptor made dirty for a write. */
bool cairn_pe_mark_descriptor(struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                              const struct cairn_pe_leaf *leaf, bool write);
bool cairn_pe_fault(struct cairn_pe_walk *walk, unsigned stage, enum cairn_pe_fault_kind kind,
                    int level);

/* translate.c: an IPA, with the attributes that stage 1 gave it in out, to a physical address */
bool cairn_pe_translate_stage2(struct cairn_pe_walk *walk, uint64_t IPA, unsigned security,
                               enum cairn_pe_access access, bool privileged,
                               struct cairn_pe_translation *to);

/* translate_attributes.c */
struct cairn_pe_attributes {
    uint8_t attributes, shareability;
};
bool cairn_pe_is_device(unsigned attributes);
struct cairn_pe_attributes cairn_pe_stage1_attributes(const struct cairn_pe_walk *walk,
                                                      const struct cairn_pe_stage *stage,
                                                      uint64_t descriptor);
struct cairn_pe_attributes cairn_pe_stage1_off_attributes(const struct cairn_pe_walk *walk);
/* What stage 2 alone says; of types that it leaves to stage 1 Write-Back. */
struct cairn_pe_attributes cairn_pe_stage2_attributes(const struct cairn_pe_walk *walk,
                                                      const struct cairn_pe_stage *stage,
                                                      uint64_t descriptor);
struct cairn_pe_attributes cairn_pe_combine_attributes(const struct cairn_pe_walk *walk,
                                                       struct cairn_pe_attributes first,
                                                       const struct cairn_pe_stage *stage,
                                                       uint64_t descriptor);
struct cairn_pe_attributes cairn_pe_effective_attributes(struct cairn_pe_attributes attributes);

/* translate_rights.c */
bool cairn_pe_stage1_permits(const struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                             const struct cairn_pe_leaf *leaf);
bool cairn_pe_stage2_permits(const struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                             uint64_t descriptor, enum cairn_pe_access access, bool privileged);

#endif
