/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory types, as bytes of MAIR_ELx have them: of each stage, and of both together. */
#include "pe/translate_stage.h"

/* A nibble of Normal memory: its upper two bits are 01 (or 0100 Non-cacheable) write-back transient, 00
 * write-through transient, 10 write-through, 11 write-back; its lower two are the allocation hints. */
#define NIBBLE_NONCACHEABLE 4u
#define NIBBLE_WRITE_THROUGH 8u

bool cairn_pe_is_device(unsigned attributes)
{
    return !(attributes & 0xf0);
}

/* Words for Normal memory with a property beside, without it: 0x40 and 0xa0 of FEAT_XS, 0xf0 Tagged. */
static unsigned plain(unsigned attributes)
{
    switch (attributes) {
    case 0x40: return ATTR_NONCACHEABLE;
    case 0xa0: return 0xaa;
    case 0xf0: return ATTR_WRITE_BACK;
    }
    return attributes;
}

/* Device memory and Normal memory that no cache keeps is Outer Shareable, whatever tables say. */
struct cairn_pe_attributes cairn_pe_effective_attributes(struct cairn_pe_attributes from)
{
    if (cairn_pe_is_device(from.attributes) || plain(from.attributes) == ATTR_NONCACHEABLE)
        from.shareability = SH_OUTER;
    return from;
}

static bool caches_are_off(const struct cairn_pe_walk *walk)
{
    uint64_t sctlr = cairn_pe_regime_SCTLR(walk);
    return walk->request->access == CAIRN_PE_MEMORY_FETCH ? !CAIRN_GET(sctlr, SCTLR_I)
                                                          : !CAIRN_GET(sctlr, SCTLR_C);
}

struct cairn_pe_attributes cairn_pe_stage1_attributes(const struct cairn_pe_walk *walk,
                                                      const struct cairn_pe_stage *stage,
                                                      uint64_t descriptor)
{
    uint64_t MAIR =
        walk->registers
            ->value[walk->request->regime == CAIRN_PE_EL10 ? CAIRN_PE_MAIR_EL1 : CAIRN_PE_MAIR_EL2];
    struct cairn_pe_attributes to = {
        .attributes = (uint8_t)(MAIR >> 8 * CAIRN_GET(descriptor, DESC_ATTRINDX)),
        /* With DS those bits are of the address. */
        .shareability =
            stage->DS ? stage->DS_shareability : (uint8_t)CAIRN_GET(descriptor, DESC_SH),
    };
    if (!cairn_pe_is_device(to.attributes) && caches_are_off(walk))
        to.attributes = ATTR_NONCACHEABLE;
    return cairn_pe_effective_attributes(to);
}

struct cairn_pe_attributes cairn_pe_stage1_off_attributes(const struct cairn_pe_walk *walk)
{
    const struct cairn_pe_translate_request *request = walk->request;
    struct cairn_pe_attributes to = {ATTR_DEVICE_nGnRnE, SH_OUTER};
    if (request->untranslated)
        to = (struct cairn_pe_attributes){request->attributes, request->shareability};
    else if (request->regime == CAIRN_PE_EL10 && CAIRN_GET(walk->HCR, HCR_EL2_DC))
        to = (struct cairn_pe_attributes){ATTR_WRITE_BACK, SH_NON};
    else if (request->access == CAIRN_PE_MEMORY_FETCH)
        /* Write-Through, Read-Allocate; no Write-Allocate */
        to.attributes = caches_are_off(walk) ? ATTR_NONCACHEABLE : 0xaa;
    return cairn_pe_effective_attributes(to);
}

/* The weaker of two cacheabilities, with stage 1's hints: stage 2 has none. */
static unsigned combine_nibbles(unsigned first, unsigned second)
{
    if (first == NIBBLE_NONCACHEABLE || second == NIBBLE_NONCACHEABLE)
        return NIBBLE_NONCACHEABLE;
    bool is_through = (first & 12) == 0 || (first & 12) == NIBBLE_WRITE_THROUGH;
    if (!is_through && (second & 12) == NIBBLE_WRITE_THROUGH)
        return NIBBLE_WRITE_THROUGH | (first & 3);
    return first;
}

/* Write-back with the hints that a cacheable stage 1 has (HCR_EL2.FWB). */
static unsigned force_write_back(unsigned first)
{
    if (first == NIBBLE_NONCACHEABLE)
        return 15;
    /* Transient stays transient. */
    return (first & 8) ? 12 | (first & 3) : 4 | (first & 3);
}

/* MemAttr of stage 2 as a byte of MAIR: its pairs are 1 Non-cacheable, 2 Write-Through, 3 Write-Back. */
static unsigned decode_stage2(unsigned MemAttr)
{
    static const uint8_t nibbles[4] = {4, 4, 10, 15};
    if (MemAttr < 4)
        return MemAttr << 2;
    return (unsigned)nibbles[MemAttr >> 2] << 4 | nibbles[MemAttr & 3];
}

struct cairn_pe_attributes cairn_pe_stage2_attributes(const struct cairn_pe_walk *walk,
                                                      const struct cairn_pe_stage *stage,
                                                      uint64_t descriptor)
{
    unsigned MemAttr = (unsigned)CAIRN_GET(descriptor, DESC_MEMATTR);
    struct cairn_pe_attributes to = {
        .attributes = (uint8_t)decode_stage2(MemAttr),
        .shareability =
            stage->DS ? stage->DS_shareability : (uint8_t)CAIRN_GET(descriptor, DESC_SH),
    };
    if (walk->abilities.FWB && CAIRN_GET(walk->HCR, HCR_EL2_FWB) && MemAttr >= 4)
        to.attributes = (MemAttr & 3) == 1 ? ATTR_NONCACHEABLE : ATTR_WRITE_BACK;
    return cairn_pe_effective_attributes(to);
}

static unsigned combine(unsigned first, unsigned second)
{
    if (cairn_pe_is_device(first) && cairn_pe_is_device(second))
        return (first & 12) < (second & 12) ? first & 12 : second & 12;
    if (cairn_pe_is_device(first) || cairn_pe_is_device(second))
        return (cairn_pe_is_device(first) ? first : second) & 12;
    bool is_tagged = first == 0xf0;
    first = plain(first);
    unsigned both =
        combine_nibbles(first >> 4, second >> 4) << 4 | combine_nibbles(first & 15, second & 15);
    return is_tagged && both == ATTR_WRITE_BACK ? 0xf0 : both;
}

/* HCR_EL2.FWB: stage 2 takes stage 1's type, or forces one. */
static unsigned combine_forced(unsigned first, unsigned MemAttr)
{
    if (MemAttr < 4)
        return cairn_pe_is_device(first) ? combine(first, MemAttr << 2) : MemAttr << 2;
    bool is_tagged = first == 0xf0;
    switch (MemAttr & 3) {
    case 3: return first;
    case 2:
        if (cairn_pe_is_device(first))
            return ATTR_WRITE_BACK;
        if (is_tagged)
            return first;
        first = plain(first);
        return force_write_back(first >> 4) << 4 | force_write_back(first & 15);
    }
    return cairn_pe_is_device(first) ? first : ATTR_NONCACHEABLE;
}

struct cairn_pe_attributes cairn_pe_combine_attributes(const struct cairn_pe_walk *walk,
                                                       struct cairn_pe_attributes first,
                                                       const struct cairn_pe_stage *stage,
                                                       uint64_t descriptor)
{
    unsigned MemAttr = (unsigned)CAIRN_GET(descriptor, DESC_MEMATTR);
    unsigned second_sh =
        stage->DS ? stage->DS_shareability : (unsigned)CAIRN_GET(descriptor, DESC_SH);
    bool is_off = walk->request->access == CAIRN_PE_MEMORY_FETCH && !walk->walking
                      ? CAIRN_GET(walk->HCR, HCR_EL2_ID)
                      : CAIRN_GET(walk->HCR, HCR_EL2_CD);
    struct cairn_pe_attributes both = first;
    if (walk->abilities.FWB && CAIRN_GET(walk->HCR, HCR_EL2_FWB)) {
        both.attributes = (uint8_t)combine_forced(first.attributes, MemAttr);
    } else {
        unsigned second = decode_stage2(MemAttr);
        if (is_off && !cairn_pe_is_device(second))
            second = ATTR_NONCACHEABLE;
        both.attributes = (uint8_t)combine(first.attributes, second);
    }
    if (first.shareability == SH_OUTER || second_sh == SH_OUTER)
        both.shareability = SH_OUTER;
    else if (first.shareability == SH_INNER || second_sh == SH_INNER)
        both.shareability = SH_INNER;
    else
        both.shareability = SH_NON;
    return cairn_pe_effective_attributes(both);
}
