/* SPDX-License-Identifier: BSD-2-Clause */
/* Translations that a Trace Buffer Unit keeps (DDI0608 E1.2.1.2, E1.2.1.11): what it keeps may be out of
 * date until TLB maintenance has it forgotten. A model of hardware that keeps as much as it may, so that
 * maintenance that is missing shows. */
#ifndef CAIRN_PE_TRANSLATE_CACHE_H
#define CAIRN_PE_TRANSLATE_CACHE_H

#include "pe/translate.h"

#define CAIRN_PE_CACHE_ENTRIES 16u

struct cairn_pe_cache_entry {
    bool valid;
    bool untranslated; /* TRBLIMITR_EL1.nVM: the address is no VA */
    bool has_stage2;
    uint8_t regime, security;
    uint16_t VMID, ASID;
    uint64_t address, IPA; /* of its first byte */
    uint64_t size;
    struct cairn_pe_translation translation; /* of its first byte */
};

/* All zero is an empty one. */
struct cairn_pe_translation_cache {
    /* R_RNPNM: entries are of both stages together, and maintenance of stage 2 alone does not find them. */
    bool combined;
    unsigned next;
    struct cairn_pe_cache_entry entries[CAIRN_PE_CACHE_ENTRIES];
};

/* TLBI instructions by what they name; of the local PE and of the shareable ones alike. */
enum cairn_pe_TLBI {
    CAIRN_PE_TLBI_ALLE1,      /* EL1&0, of all VMIDs, both stages */
    CAIRN_PE_TLBI_VMALLS12E1, /* of the current VMID, both stages */
    CAIRN_PE_TLBI_VMALLE1,    /* of the current VMID, stage 1 */
    CAIRN_PE_TLBI_ASIDE1,     /* of the argument's ASID */
    CAIRN_PE_TLBI_VAE1,       /* of the argument's VA and ASID */
    CAIRN_PE_TLBI_VAAE1,      /* of the argument's VA, of all ASIDs */
    CAIRN_PE_TLBI_IPAS2E1,    /* of the argument's IPA, stage 2 */
    CAIRN_PE_TLBI_ALLE2,      /* EL2, EL2&0 */
    CAIRN_PE_TLBI_VAE2,       /* of the argument's VA */
};

/* As cairn_pe_translate_trace, but what is kept is not looked up again. Nothing is kept, and nothing that
 * was, while TRBLIMITR_EL1.E is 0 (R_BMSLW). Faults are not kept. */
bool cairn_pe_cache_translate(struct cairn_pe_translation_cache *cache,
                              const struct cairn_pe_features *features,
                              const struct cairn_pe_registers *registers, unsigned owner_EL,
                              unsigned owner_security, uint64_t pointer,
                              const struct cairn_pe_translate_choices *choices,
                              const struct cairn_pe_memory *memory,
                              struct cairn_pe_translation *out);

/* Keeps the translation of an address before anything is written there, as the unit may while it is Enabled, in
 * and out of the owner's context (R_SJFRQ). A fault changes nothing. */
void cairn_pe_cache_prefetch(struct cairn_pe_translation_cache *cache,
                             const struct cairn_pe_features *features,
                             const struct cairn_pe_registers *registers, unsigned owner_EL,
                             unsigned owner_security, uint64_t address,
                             const struct cairn_pe_translate_choices *choices,
                             const struct cairn_pe_memory *memory);

/* TLB maintenance of the PE (R_GQJMC); argument is Xt. Current is what the registers say; security is that of the
 * PE that executes it. */
void cairn_pe_cache_TLBI(struct cairn_pe_translation_cache *cache,
                         const struct cairn_pe_features *features,
                         const struct cairn_pe_registers *registers, unsigned security,
                         enum cairn_pe_TLBI operation, uint64_t argument);

#endif
