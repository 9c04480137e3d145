/* SPDX-License-Identifier: BSD-2-Clause */
#include "random.h"

#include <stddef.h>

#include "layout.h"
#include "pe/translate_fields.h"

const enum cairn_pe_register case_registers[16] = {
    CAIRN_PE_SCTLR_EL1, CAIRN_PE_TCR_EL1,    CAIRN_PE_TTBR0_EL1, CAIRN_PE_TTBR1_EL1,
    CAIRN_PE_MAIR_EL1,  CAIRN_PE_SCTLR_EL2,  CAIRN_PE_TCR_EL2,   CAIRN_PE_TTBR0_EL2,
    CAIRN_PE_TTBR1_EL2, CAIRN_PE_MAIR_EL2,   CAIRN_PE_VTCR_EL2,  CAIRN_PE_VTTBR_EL2,
    CAIRN_PE_VSTCR_EL2, CAIRN_PE_VSTTBR_EL2, CAIRN_PE_HCR_EL2,   CAIRN_PE_SCR_EL3,
};

static uint64_t next(struct random_case *c)
{
    uint64_t z = c->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(struct random_case *c, unsigned limit)
{
    return (unsigned)(next(c) >> 33) % limit;
}

static bool chance(struct random_case *c, unsigned percent)
{
    return below(c, 100) < percent;
}

/* A page of the place for tables; seldom one that is none, too large, or unlike anything. */
static uint64_t page(struct random_case *c)
{
    unsigned kind = below(c, 1000);
    uint64_t in = TABLES + (next(c) & (TABLES_BYTES - 1));
    if (kind < 960)
        return in & (chance(c, c->large ? 98 : 60) ? ~UINT64_C(0xffff) : ~UINT64_C(0xfff));
    if (kind < 970) /* no memory there */
        return UINT64_C(0x8000000000) >> below(c, 6) | (in & UINT64_C(0xffff000));
    if (kind < 990)
        return (in & ~UINT64_C(0xffff)) | UINT64_C(1) << (32 + below(c, 20));
    return next(c) & UINT64_C(0xffffffff0000);
}

static uint64_t random_descriptor(struct random_case *c)
{
    static const uint8_t shareabilities[3] = {SH_NON, SH_OUTER, SH_INNER};
    unsigned kind = below(c, 100);
    uint64_t d = page(c);
    d |= kind < 68 ? 3 : kind < 96 ? 1 : below(c, 3);
    if (c->DS && chance(c, 95))
        d &= ~UINT64_C(0x300);
    else
        d |= (uint64_t)shareabilities[below(c, 3)] << 8;
    unsigned MemAttr = below(c, 16);
    if (c->FWB)
        MemAttr &= 7;
    if (!(MemAttr & 3) && MemAttr) /* reserved at stage 2 */
        MemAttr |= 1;
    /* Stage 2 of Device memory forbids walks at times: seldom. */
    if (MemAttr < 4 && chance(c, 60))
        MemAttr |= 12;
    if (c->FWB)
        MemAttr &= 7;
    if (MemAttr == 4 || MemAttr == 8 || MemAttr == 12)
        MemAttr |= 3;
    d |= (uint64_t)MemAttr << 2;
    d |= (uint64_t)(chance(c, 88) ? 1 : 0) << 10;
    d |= (next(c) & 1) << 11;
    d |= (uint64_t)(chance(c, 80) ? below(c, 4) | 1 : below(c, 4)) << 6;
    d |= (next(c) & 15) << 51;
    if (chance(c, 30))
        d |= (next(c) & 31) << 59;
    return d;
}

enum cairn_pe_memory_answer case_read(void *user, uint64_t address, unsigned security,
                                      uint64_t *value)
{
    struct random_case *c = user;
    (void)security;
    for (unsigned i = 0; i < c->count; i++)
        if (c->descriptors[i].address == address) {
            *value = c->descriptors[i].now;
            return CAIRN_PE_MEMORY_DONE;
        }
    if (address >= TABLES && address < TABLES + (uint64_t)TABLES_BYTES && c->count < DESCRIPTORS) {
        uint64_t d = random_descriptor(c);
        if (CAIRN_GETS(&c->registers, SCTLR_EL1, SCTLR_EE) && chance(c, 97))
            d = __builtin_bswap64(d);
        c->descriptors[c->count++] = (struct descriptor){address, d, d};
        *value = d;
        return CAIRN_PE_MEMORY_DONE;
    }
    /* Between memory and the high places of PCI Express nothing answers, nor far above. */
    if ((address >= 0x60000000 && address < UINT64_C(0x4000000000)) || address >= UINT64_C(1) << 41)
        return CAIRN_PE_MEMORY_ABORT;
    c->unfit = true;
    return CAIRN_PE_MEMORY_ABORT;
}

enum cairn_pe_memory_answer case_update(void *user, uint64_t address, unsigned security,
                                        uint64_t expected, uint64_t value)
{
    struct random_case *c = user;
    (void)security;
    for (unsigned i = 0; i < c->count; i++)
        if (c->descriptors[i].address == address && c->descriptors[i].now == expected) {
            c->descriptors[i].now = value;
            return CAIRN_PE_MEMORY_DONE;
        }
    c->unfit = true;
    return CAIRN_PE_MEMORY_ABORT;
}

static uint64_t random_MAIR(struct random_case *c)
{
    static const uint8_t types[] = {0x00, 0x04, 0x08, 0x0c, 0x44, 0xff, 0xff, 0xee, 0xdd,
                                    0xbb, 0xaa, 0x99, 0x77, 0x66, 0x55, 0x33, 0x22, 0x11,
                                    0x4f, 0xf4, 0xbf, 0xfb, 0x7f, 0xf3, 0x3a, 0xa6};
    uint64_t MAIR = 0;
    for (unsigned i = 0; i < 8; i++)
        MAIR |= (uint64_t)types[below(c, sizeof types)] << 8 * i;
    return MAIR;
}

static uint64_t random_size(struct random_case *c)
{
    return chance(c, 75) ? 16 + below(c, 24) : chance(c, 80) ? 12 + below(c, 37) : below(c, 64);
}

static const uint8_t TG1_of_TG0[4] = {2, 3, 1, 0};

/* In a case without 64KB there are pages that would be wrong in one with it: QEMU 7.2 ignores bits 15:12
 * of its descriptors where PS is less than 52 bits, which are bits 51:48 of the address wherever a PE has
 * 52 bits. */
static unsigned random_TG0(struct random_case *c)
{
    return c->large ? below(c, 3) : chance(c, 50) ? 0 : 2;
}

static uint64_t random_PS(struct random_case *c)
{
    return chance(c, 75) ? 4 + below(c, 3) : below(c, 8);
}

/* TCR_ELx of two ranges. */
static uint64_t random_TCR(struct random_case *c)
{
    uint64_t t = 0;
    t = CAIRN_PUT(t, TCR_T0SZ, random_size(c));
    t = CAIRN_PUT(t, TCR_T1SZ, random_size(c));
    t = CAIRN_PUT(t, TCR_TG0, random_TG0(c));
    t = CAIRN_PUT(t, TCR_TG1, TG1_of_TG0[random_TG0(c)]);
    t = CAIRN_PUT(t, TCR_EPD0, chance(c, 3));
    t = CAIRN_PUT(t, TCR_EPD1, chance(c, 3));
    t = CAIRN_PUT(t, TCR_SH0, (2 + below(c, 3)) & 3);
    t = CAIRN_PUT(t, TCR_SH1, (2 + below(c, 3)) & 3);
    t = CAIRN_PUT(t, TCR_IPS, random_PS(c));
    t |= next(c) &
         (CAIRN_MASK(TCR_TBI0) | CAIRN_MASK(TCR_TBI1) | CAIRN_MASK(TCR_HA) | CAIRN_MASK(TCR_HD));
    t = CAIRN_PUT(t, TCR_HPD0, chance(c, 30) && c->has_HPD);
    t = CAIRN_PUT(t, TCR_HPD1, chance(c, 30) && c->has_HPD);
    t = CAIRN_PUT(t, TCR_E0PD0, chance(c, 5));
    t = CAIRN_PUT(t, TCR_E0PD1, chance(c, 5));
    return CAIRN_PUT(t, TCR_DS, c->DS);
}

/* TCR_EL2 of one range. */
static uint64_t random_TCR_EL2(struct random_case *c)
{
    uint64_t t = CAIRN_PUT(UINT64_C(0), TCR_T0SZ, random_size(c));
    t = CAIRN_PUT(t, TCR_TG0, random_TG0(c));
    t = CAIRN_PUT(t, TCR_SH0, (2 + below(c, 3)) & 3);
    t = CAIRN_PUT(t, TCR_EL2_PS, random_PS(c));
    t |= next(c) & (CAIRN_MASK(TCR_EL2_TBI) | CAIRN_MASK(TCR_EL2_HA) | CAIRN_MASK(TCR_EL2_HD));
    t = CAIRN_PUT(t, TCR_EL2_HPD, chance(c, 30) && c->has_HPD);
    return CAIRN_PUT(t, TCR_EL2_DS, c->DS);
}

/* VTCR_EL2 and VSTCR_EL2: mostly a size that fits the level. */
static uint64_t random_VTCR(struct random_case *c)
{
    static const uint8_t bits[3] = {12, 16, 14}; /* by TG0 */
    unsigned TG = random_TG0(c), granule = bits[TG], stride = granule - 3;
    unsigned start = below(c, 3), SL0 = granule == 12 ? 2 - start : start == 0 ? 2 : 3 - start;
    if (granule != 12 && start == 0)
        start = 1;
    unsigned least = (3 - start) * stride + granule + 1, size = least + below(c, stride + 4);
    if (size > 48 && chance(c, 90))
        size = least;
    uint64_t t = CAIRN_PUT(UINT64_C(0), VTCR_T0SZ, chance(c, 93) ? 64 - size : below(c, 64));
    t = CAIRN_PUT(t, VTCR_SL0, chance(c, 95) ? SL0 : below(c, 4));
    /* FEAT_LPA2 lets 16KB begin at level 0 too; QEMU 7.2 does not. */
    if (granule == 14 && CAIRN_GET(t, VTCR_SL0) == 3)
        t = CAIRN_PUT(t, VTCR_SL0, SL0);
    t = CAIRN_PUT(t, VTCR_TG0, TG);
    t = CAIRN_PUT(t, VTCR_SH0, (2 + below(c, 3)) & 3);
    /* No fewer bits come out than go in: QEMU makes that a Translation fault. */
    unsigned in = 64 - (unsigned)CAIRN_GET(t, VTCR_T0SZ), PS = (unsigned)random_PS(c);
    unsigned needed = in > 48 ? 6 : in > 44 ? 5 : in > 42 ? 4 : in > 40 ? 3 : in > 36 ? 2 : in > 32;
    /* Nor does a walk begin at level 0 (4KB) or 1 with 42 bits or less: there QEMU goes by PS, not by what
     * the PE has. */
    if (CAIRN_GET(t, VTCR_SL0) == 2 && needed < 4)
        needed = 4;
    t = CAIRN_PUT(t, VTCR_PS, PS < needed ? needed : PS);
    t |= next(c) &
         (CAIRN_MASK(VTCR_HA) | CAIRN_MASK(VTCR_HD) | CAIRN_MASK(VTCR_NSW) | CAIRN_MASK(VTCR_NSA));
    t = CAIRN_PUT(t, VTCR_SL2, c->DS && chance(c, 20));
    /* Level -1 is for 49 to 52 bits; QEMU 7.2 has it for 52 alone. */
    if (CAIRN_GET(t, VTCR_SL2) && CAIRN_GET(t, VTCR_T0SZ) > 12 && CAIRN_GET(t, VTCR_T0SZ) < 16)
        t = CAIRN_PUT(t, VTCR_T0SZ, 12);
    if (CAIRN_GET(t, VTCR_SL2) && TG == 0 && chance(c, 30)) {
        t = CAIRN_PUT(t, VTCR_SL0, 0);
        t = CAIRN_PUT(t, VTCR_T0SZ, 12);
        t = CAIRN_PUT(t, VTCR_PS, 6);
    }
    return CAIRN_PUT(t, VTCR_DS, c->DS);
}

static uint64_t random_SCTLR(struct random_case *c, bool big_endian)
{
    uint64_t s = CAIRN_MASK(SCTLR_C) | CAIRN_MASK(SCTLR_I);
    s = CAIRN_PUT(s, SCTLR_M, chance(c, 93));
    s = CAIRN_PUT(s, SCTLR_WXN, below(c, 2));
    return CAIRN_PUT(s, SCTLR_EE, big_endian);
}

static uint64_t random_HCR(struct random_case *c)
{
    uint64_t h = UINT64_C(1) << 31; /* RW: EL1 is AArch64 */
    h = CAIRN_PUT(h, HCR_EL2_VM, chance(c, 70));
    h = CAIRN_PUT(h, HCR_EL2_DC, chance(c, 6));
    h = CAIRN_PUT(h, HCR_EL2_TGE, chance(c, 12));
    h = CAIRN_PUT(h, HCR_EL2_E2H, chance(c, 30) && c->has_VHE);
    /* QEMU 7.2 heeds PTW without stage 2 as well, as if all memory were Device then. */
    h = CAIRN_PUT(h, HCR_EL2_PTW, chance(c, 15) && CAIRN_GET(h, HCR_EL2_VM));
    return CAIRN_PUT(h, HCR_EL2_FWB, c->FWB);
}

/* A virtual address that a range of the registers takes, mostly. */
static uint64_t random_address(struct random_case *c)
{
    uint64_t tcr =
        c->registers.value[c->operation == S1E2R || c->operation == S1E2W ? CAIRN_PE_TCR_EL2
                                                                          : CAIRN_PE_TCR_EL1];
    bool upper = chance(c, 35);
    unsigned size = (unsigned)(upper ? CAIRN_GET(tcr, TCR_T1SZ) : CAIRN_GET(tcr, TCR_T0SZ));
    size = size < 12 ? 12 : size > 50 ? 50 : size;
    uint64_t a = next(c) & ~UINT64_C(0) >> size;
    if (upper)
        a |= ~(~UINT64_C(0) >> size);
    /* Without stage 1 the address is what stage 2 takes. */
    if (chance(c, 8))
        a = page(c);
    if (chance(c, 10))
        a ^= next(c) & UINT64_C(0xff) << 56;
    if (chance(c, 2))
        a ^= UINT64_C(1) << below(c, 64);
    return a & ~UINT64_C(0xfff);
}

void make_case(struct random_case *c, uint64_t seed,
               const struct cairn_pe_registers *identification)
{
    *c = (struct random_case){.registers = *identification, .state = seed * 0x10001 + 1};
    uint64_t *value = c->registers.value;
    c->DS = chance(c, 25);
    c->FWB = chance(c, 20) && CAIRN_GET(value[CAIRN_PE_ID_AA64MMFR2_EL1], ID_AA64MMFR2_FWB);
    c->large = chance(c, 40);
    c->has_VHE = CAIRN_GET2(value[CAIRN_PE_ID_AA64MMFR1_EL1], 11, 8);
    /* QEMU 7.2 heeds HPD on cores that have no FEAT_HPDS. */
    c->has_HPD = CAIRN_GET(value[CAIRN_PE_ID_AA64MMFR1_EL1], ID_AA64MMFR1_HPDS);
    bool big_endian = chance(c, 10);
    value[CAIRN_PE_SCTLR_EL1] = random_SCTLR(c, big_endian);
    value[CAIRN_PE_SCTLR_EL2] = random_SCTLR(c, big_endian);
    value[CAIRN_PE_HCR_EL2] = random_HCR(c);
    value[CAIRN_PE_TCR_EL1] = random_TCR(c);
    value[CAIRN_PE_TCR_EL2] =
        CAIRN_GETS(&c->registers, HCR_EL2, HCR_EL2_E2H) ? random_TCR(c) : random_TCR_EL2(c);
    value[CAIRN_PE_VTCR_EL2] = random_VTCR(c);
    value[CAIRN_PE_VSTCR_EL2] = random_VTCR(c);
    /* PS of both is VTCR_EL2's. */
    uint64_t PS = CAIRN_GET(value[CAIRN_PE_VSTCR_EL2], VTCR_PS);
    if (PS > CAIRN_GET(value[CAIRN_PE_VTCR_EL2], VTCR_PS))
        value[CAIRN_PE_VTCR_EL2] = CAIRN_PUT(value[CAIRN_PE_VTCR_EL2], VTCR_PS, PS);
    value[CAIRN_PE_MAIR_EL1] = random_MAIR(c);
    value[CAIRN_PE_MAIR_EL2] = random_MAIR(c);
    for (unsigned i = 0; i < 16; i++)
        switch (case_registers[i]) {
        case CAIRN_PE_TTBR0_EL1:
        case CAIRN_PE_TTBR1_EL1:
        case CAIRN_PE_TTBR0_EL2:
        case CAIRN_PE_TTBR1_EL2:
        case CAIRN_PE_VTTBR_EL2:
        case CAIRN_PE_VSTTBR_EL2:
            value[case_registers[i]] =
                (page(c) & UINT64_C(0xffffffffffff)) | (chance(c, 3) && !c->DS ? 4 : 0);
            break;
        default: break;
        }
    /* RW, HCE, NS, EEL2 */
    value[CAIRN_PE_SCR_EL3] =
        UINT64_C(0x500) | (chance(c, 70) ? 1 : 0) | (uint64_t)below(c, 2) << 18;
    c->operation = (enum operation)below(c, OPERATIONS);
    c->PAN = chance(c, 50);
    c->address = random_address(c);
}
