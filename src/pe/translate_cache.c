/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/translate_cache.h"

#include "pe/translate_fields.h"

/* VTCR_EL2.VS and TCR_ELx.AS give 16 bits where they are 1, else eight. */
#define VTCR_VS 19, 19
#define TCR_A1 22, 22
#define TCR_AS 36, 36

static uint64_t value_of(const struct cairn_pe_registers *registers, enum cairn_pe_register name)
{
    return registers->value[name];
}

/* 0 where there is no EL2. */
static uint16_t current_VMID(const struct cairn_pe_features *features,
                             const struct cairn_pe_registers *registers, unsigned security)
{
    if (!cairn_pe_has_EL2(features, registers, security))
        return 0;
    uint64_t VMID = value_of(registers, CAIRN_PE_VTTBR_EL2) >> 48;
    return (uint16_t)(CAIRN_GETS(registers, VTCR_EL2, VTCR_VS) ? VMID : VMID & 0xff);
}

static uint16_t limited_ASID(uint64_t TCR, uint64_t ASID)
{
    return (uint16_t)(CAIRN_GET(TCR, TCR_AS) ? ASID : ASID & 0xff);
}

static uint16_t current_ASID(const struct cairn_pe_registers *registers, unsigned regime)
{
    if (regime == CAIRN_PE_EL2)
        return 0;
    bool is_EL1 = regime == CAIRN_PE_EL10;
    uint64_t TCR = value_of(registers, is_EL1 ? CAIRN_PE_TCR_EL1 : CAIRN_PE_TCR_EL2);
    uint64_t TTBR0 = value_of(registers, is_EL1 ? CAIRN_PE_TTBR0_EL1 : CAIRN_PE_TTBR0_EL2);
    uint64_t TTBR1 = value_of(registers, is_EL1 ? CAIRN_PE_TTBR1_EL1 : CAIRN_PE_TTBR1_EL2);
    return limited_ASID(TCR, (CAIRN_GET(TCR, TCR_A1) ? TTBR1 : TTBR0) >> 48);
}

/* What an entry for an address is found by, with the rest empty. */
static struct cairn_pe_cache_entry key_of(const struct cairn_pe_features *features,
                                          const struct cairn_pe_registers *registers,
                                          unsigned owner_EL, unsigned owner_security,
                                          uint64_t address)
{
    struct cairn_pe_cache_entry key = {
        .untranslated = CAIRN_GETS(registers, TRBLIMITR_EL1, TRBLIMITR_nVM),
        .regime = CAIRN_PE_EL10,
        .security = (uint8_t)owner_security,
        .address = address,
    };
    if (owner_EL == 2)
        key.regime = CAIRN_GETS(registers, HCR_EL2, HCR_EL2_E2H) ? CAIRN_PE_EL20 : CAIRN_PE_EL2;
    uint64_t HCR = value_of(registers, CAIRN_PE_HCR_EL2);
    if (key.regime == CAIRN_PE_EL10) {
        key.VMID = current_VMID(features, registers, owner_security);
        key.has_stage2 = cairn_pe_has_EL2(features, registers, owner_security) &&
                         (CAIRN_GET(HCR, HCR_EL2_VM) || CAIRN_GET(HCR, HCR_EL2_DC));
    }
    if (!key.untranslated)
        key.ASID = current_ASID(registers, key.regime);
    return key;
}

static bool holds(const struct cairn_pe_cache_entry *entry, uint64_t address)
{
    return address >= entry->address && address - entry->address < entry->size;
}

static const struct cairn_pe_cache_entry *find(const struct cairn_pe_translation_cache *cache,
                                               const struct cairn_pe_cache_entry *key)
{
    for (unsigned i = 0; i < CAIRN_PE_CACHE_ENTRIES; i++) {
        const struct cairn_pe_cache_entry *entry = &cache->entries[i];
        if (entry->valid && entry->untranslated == key->untranslated &&
            entry->has_stage2 == key->has_stage2 && entry->regime == key->regime &&
            entry->security == key->security && entry->VMID == key->VMID &&
            entry->ASID == key->ASID && holds(entry, key->address))
            return entry;
    }
    return NULL;
}

static void keep(struct cairn_pe_translation_cache *cache, struct cairn_pe_cache_entry entry,
                 const struct cairn_pe_translation *translation)
{
    uint64_t offset = entry.address & (translation->size - 1);
    entry.valid = true;
    entry.address -= offset;
    entry.size = translation->size;
    entry.IPA = translation->IPA & ~(translation->size - 1);
    entry.translation = *translation;
    entry.translation.address -= offset;
    cache->entries[cache->next] = entry;
    cache->next = (cache->next + 1) % CAIRN_PE_CACHE_ENTRIES;
}

static void forget_all(struct cairn_pe_translation_cache *cache)
{
    for (unsigned i = 0; i < CAIRN_PE_CACHE_ENTRIES; i++)
        cache->entries[i].valid = false;
}

bool cairn_pe_cache_translate(struct cairn_pe_translation_cache *cache,
                              const struct cairn_pe_features *features,
                              const struct cairn_pe_registers *registers, unsigned owner_EL,
                              unsigned owner_security, uint64_t pointer,
                              const struct cairn_pe_translate_choices *choices,
                              const struct cairn_pe_memory *memory,
                              struct cairn_pe_translation *out)
{
    bool is_enabled = CAIRN_GETS(registers, TRBLIMITR_EL1, TRBLIMITR_E);
    struct cairn_pe_cache_entry key =
        key_of(features, registers, owner_EL, owner_security, pointer);
    if (!is_enabled)
        forget_all(cache);
    const struct cairn_pe_cache_entry *entry = find(cache, &key);
    if (entry) {
        *out = entry->translation;
        out->address += pointer - entry->address;
        return true;
    }
    if (!cairn_pe_translate_trace(features, registers, owner_EL, owner_security, pointer, choices,
                                  memory, out))
        return false;
    if (is_enabled)
        keep(cache, key, out);
    return true;
}

void cairn_pe_cache_prefetch(struct cairn_pe_translation_cache *cache,
                             const struct cairn_pe_features *features,
                             const struct cairn_pe_registers *registers, unsigned owner_EL,
                             unsigned owner_security, uint64_t address,
                             const struct cairn_pe_translate_choices *choices,
                             const struct cairn_pe_memory *memory)
{
    struct cairn_pe_translation ignored;
    if (CAIRN_GETS(registers, TRBLIMITR_EL1, TRBLIMITR_E))
        cairn_pe_cache_translate(cache, features, registers, owner_EL, owner_security, address,
                                 choices, memory, &ignored);
    else
        forget_all(cache);
}

/* Maintenance by address gives bits 55:12 of a VA in bits 43:0 of its argument, and the ASID above. */
static bool has_VA(const struct cairn_pe_cache_entry *entry, uint64_t argument)
{
    uint64_t VA = (argument & CAIRN_MASK2(43, 0)) << 12;
    if (VA >> 55 & 1)
        VA |= CAIRN_MASK2(63, 56);
    uint64_t from = entry->address;
    from = from >> 55 & 1 ? from | CAIRN_MASK2(63, 56) : from & CAIRN_MASK2(55, 0);
    return VA >= from && VA - from < entry->size;
}

/* Entries of one VMID; TLBI ALLE1 is for all. */
static bool is_of_EL1(const struct cairn_pe_cache_entry *entry, uint16_t VMID)
{
    return entry->regime == CAIRN_PE_EL10 && entry->VMID == VMID;
}

static bool is_found(const struct cairn_pe_translation_cache *cache,
                     const struct cairn_pe_cache_entry *entry,
                     const struct cairn_pe_registers *registers, uint16_t VMID,
                     enum cairn_pe_TLBI operation, uint64_t argument)
{
    uint16_t ASID = limited_ASID(value_of(registers, CAIRN_PE_TCR_EL1), argument >> 48);
    /* With nVM there is no stage 1; an entry that is not combined is then stage 2's alone. */
    bool is_stage2_alone = entry->untranslated && entry->has_stage2 && !cache->combined;
    switch (operation) {
    case CAIRN_PE_TLBI_ALLE1: return entry->regime == CAIRN_PE_EL10;
    case CAIRN_PE_TLBI_VMALLS12E1: return is_of_EL1(entry, VMID);
    case CAIRN_PE_TLBI_VMALLE1: return is_of_EL1(entry, VMID) && !is_stage2_alone;
    case CAIRN_PE_TLBI_ASIDE1:
        return is_of_EL1(entry, VMID) && !entry->untranslated && entry->ASID == ASID;
    case CAIRN_PE_TLBI_VAE1:
        return is_of_EL1(entry, VMID) && !entry->untranslated && entry->ASID == ASID &&
               has_VA(entry, argument);
    case CAIRN_PE_TLBI_VAAE1:
        return is_of_EL1(entry, VMID) && !entry->untranslated && has_VA(entry, argument);
    case CAIRN_PE_TLBI_IPAS2E1: {
        uint64_t IPA = (argument & CAIRN_MASK2(39, 0)) << 12;
        return is_of_EL1(entry, VMID) && entry->has_stage2 && !cache->combined &&
               IPA >= entry->IPA && IPA - entry->IPA < entry->size;
    }
    case CAIRN_PE_TLBI_ALLE2: return entry->regime != CAIRN_PE_EL10;
    case CAIRN_PE_TLBI_VAE2:
        return entry->regime != CAIRN_PE_EL10 && !entry->untranslated && has_VA(entry, argument);
    }
    return false;
}

void cairn_pe_cache_TLBI(struct cairn_pe_translation_cache *cache,
                         const struct cairn_pe_features *features,
                         const struct cairn_pe_registers *registers, unsigned security,
                         enum cairn_pe_TLBI operation, uint64_t argument)
{
    uint16_t VMID = current_VMID(features, registers, security);
    for (unsigned i = 0; i < CAIRN_PE_CACHE_ENTRIES; i++) {
        struct cairn_pe_cache_entry *entry = &cache->entries[i];
        if (entry->security == security &&
            is_found(cache, entry, registers, VMID, operation, argument))
            entry->valid = false;
    }
}
