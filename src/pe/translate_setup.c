/* SPDX-License-Identifier: BSD-2-Clause */
/* What the registers make of a stage of translation. */
#include "pe/translate_stage.h"

/* Places in the arrays of granules. */
enum { G4, G16, G64 };

static uint64_t value_of(const struct cairn_pe_registers *registers, enum cairn_pe_register name)
{
    return registers->value[name];
}

/* One granule at both stages. `none` is ID_AA64MMFR0_EL1's word for one that stage 1 has not, `large` its
 * word for 52-bit addresses by FEAT_LPA2. Stage 2's field is 0 where it is as stage 1. */
static void find_granule(struct cairn_pe_abilities *abilities, unsigned granule, uint64_t first,
                         uint64_t none, uint64_t large, uint64_t second)
{
    abilities->granule[0][granule] = first != none;
    abilities->LPA2[0][granule] = first != none && first == large;
    abilities->granule[1][granule] = second ? second != 1 : abilities->granule[0][granule];
    abilities->LPA2[1][granule] = second ? second == 3 : abilities->LPA2[0][granule];
}

void cairn_pe_find_abilities(struct cairn_pe_abilities *abilities,
                             const struct cairn_pe_registers *registers)
{
    static const uint8_t sizes[] = {32, 36, 40, 42, 44, 48, 52};
    uint64_t mmfr0 = value_of(registers, CAIRN_PE_ID_AA64MMFR0_EL1);
    uint64_t mmfr1 = value_of(registers, CAIRN_PE_ID_AA64MMFR1_EL1);
    uint64_t mmfr2 = value_of(registers, CAIRN_PE_ID_AA64MMFR2_EL1);
    uint64_t range = CAIRN_GET(mmfr0, ID_AA64MMFR0_PARANGE);
    *abilities = (struct cairn_pe_abilities){
        .PA_bits = sizes[range < 6 ? range : 6],
        .LVA = CAIRN_GET(mmfr2, ID_AA64MMFR2_VARANGE) >= 1,
        .small = CAIRN_GET(mmfr2, ID_AA64MMFR2_ST) >= 1,
        .HPD = CAIRN_GET(mmfr1, ID_AA64MMFR1_HPDS) >= 1,
        .XNX = CAIRN_GET(mmfr1, ID_AA64MMFR1_XNX) >= 1,
        .FWB = CAIRN_GET(mmfr2, ID_AA64MMFR2_FWB) >= 1,
        .EPAN = CAIRN_GET(mmfr1, ID_AA64MMFR1_PAN) >= 3,
        .E0PD = CAIRN_GET(mmfr2, ID_AA64MMFR2_E0PD) >= 1,
        .HA = CAIRN_GET(mmfr1, ID_AA64MMFR1_HAFDBS) >= 1,
        .HD = CAIRN_GET(mmfr1, ID_AA64MMFR1_HAFDBS) >= 2,
    };
    find_granule(abilities, G4, CAIRN_GET(mmfr0, ID_AA64MMFR0_TGRAN4), 15, 1,
                 CAIRN_GET(mmfr0, ID_AA64MMFR0_TGRAN4_2));
    find_granule(abilities, G16, CAIRN_GET(mmfr0, ID_AA64MMFR0_TGRAN16), 0, 2,
                 CAIRN_GET(mmfr0, ID_AA64MMFR0_TGRAN16_2));
    find_granule(abilities, G64, CAIRN_GET(mmfr0, ID_AA64MMFR0_TGRAN64), 15, 16,
                 CAIRN_GET(mmfr0, ID_AA64MMFR0_TGRAN64_2));
}

uint64_t cairn_pe_regime_SCTLR(const struct cairn_pe_walk *walk)
{
    return value_of(walk->registers, walk->request->regime == CAIRN_PE_EL10 ? CAIRN_PE_SCTLR_EL1
                                                                            : CAIRN_PE_SCTLR_EL2);
}

/* TCR_ELx of the regime. */
static uint64_t regime_TCR(const struct cairn_pe_walk *walk)
{
    return value_of(walk->registers,
                    walk->request->regime == CAIRN_PE_EL10 ? CAIRN_PE_TCR_EL1 : CAIRN_PE_TCR_EL2);
}

/* The address is of the upper range, that of TTBR1_ELx. */
static bool is_upper(const struct cairn_pe_walk *walk)
{
    return walk->request->regime != CAIRN_PE_EL2 && (walk->request->address >> 55 & 1);
}

unsigned cairn_pe_address_top(const struct cairn_pe_walk *walk)
{
    uint64_t tcr = regime_TCR(walk), ignored, data_only;
    if (walk->request->regime == CAIRN_PE_EL2) {
        ignored = CAIRN_GET(tcr, TCR_EL2_TBI);
        data_only = CAIRN_GET(tcr, TCR_EL2_TBID);
    } else {
        ignored = is_upper(walk) ? CAIRN_GET(tcr, TCR_TBI1) : CAIRN_GET(tcr, TCR_TBI0);
        data_only = is_upper(walk) ? CAIRN_GET(tcr, TCR_TBID1) : CAIRN_GET(tcr, TCR_TBID0);
    }
    if (walk->request->access == CAIRN_PE_MEMORY_FETCH && data_only)
        return 64;
    return ignored ? 56 : 64;
}

/* A granule that is reserved or that this PE has not is the smallest that it has. */
static unsigned granule_bits(const struct cairn_pe_walk *walk, unsigned stage, unsigned TG)
{
    /* by TG0 */
    static const uint8_t places[4] = {G4, G64, G16, G4};
    static const uint8_t bits[3] = {12, 14, 16};
    const bool *has = walk->abilities.granule[stage - 1];
    unsigned place = places[TG];
    if (has[place] && TG != 3)
        return bits[place];
    return has[G4] ? 12 : has[G16] ? 14 : 16;
}

static bool has_LPA2(const struct cairn_pe_walk *walk, unsigned stage, unsigned granule)
{
    return walk->abilities.LPA2[stage - 1][granule == 12 ? G4 : granule == 14 ? G16 : G64];
}

/* Bits of the addresses that come out: what TCR_ELx.{I}PS says, at most what this PE has; 52 takes
 * descriptors that have room for them. */
static unsigned output_bits(const struct cairn_pe_walk *walk, unsigned PS,
                            const struct cairn_pe_stage *stage)
{
    static const uint8_t sizes[8] = {32, 36, 40, 42, 44, 48, 52, 52};
    unsigned bits = sizes[PS], limit = walk->abilities.PA_bits;
    if (stage->granule != 16 && !stage->DS && limit > 48)
        limit = 48;
    return bits < limit ? bits : limit;
}

/* Where the first table is. With addresses of 52 bits their top four stand in TTBR[5:2], and the table
 * begins at a multiple of 64 at least; bits below its own size are none. */
static void find_base(const struct cairn_pe_walk *walk, unsigned PS, uint64_t TTBR,
                      struct cairn_pe_stage *stage)
{
    bool large = stage->DS || (stage->granule == 16 && PS >= 6 && walk->abilities.PA_bits == 52);
    unsigned shift = stage->granule + (unsigned)(3 - stage->start) * (stage->granule - 3u);
    /* A size that is not right for the level is a fault before this is read. */
    unsigned entries = stage->input_bits > shift ? stage->input_bits - shift : 0;
    uint64_t base = CAIRN_GET2(TTBR, 47, 1) << 1;
    if (large)
        base = (base & ~UINT64_C(0x3f)) | CAIRN_GET2(TTBR, 5, 2) << 48;
    stage->base = base >> (entries + 3) << (entries + 3);
}

/* The size of an input address; TxSZ is how many bits are missing to 64. */
static void find_input(const struct cairn_pe_walk *walk, unsigned size, unsigned least,
                       struct cairn_pe_stage *stage)
{
    unsigned most = 39;
    if (walk->abilities.small)
        most = stage->granule == 16 ? 47 : 48;
    if (size < least || size > most) {
        stage->fails |= !walk->choices->clamp_size;
        size = size < least ? least : most;
    }
    stage->input_bits = (uint8_t)(64 - size);
}

/* The two that have two ranges, and TCR_EL1's fields. */
static unsigned setup_ranges(const struct cairn_pe_walk *walk, uint64_t tcr, unsigned *PS,
                             struct cairn_pe_stage *stage)
{
    static const uint8_t TG0_of_TG1[4] = {3, 2, 0, 1};
    bool upper = is_upper(walk);
    bool EL0 = !walk->request->privileged;
    uint64_t TG = upper ? TG0_of_TG1[CAIRN_GET(tcr, TCR_TG1)] : CAIRN_GET(tcr, TCR_TG0);
    stage->granule = (uint8_t)granule_bits(walk, 1, (unsigned)TG);
    stage->DS = CAIRN_GET(tcr, TCR_DS) && has_LPA2(walk, 1, stage->granule);
    stage->HA = CAIRN_GET(tcr, TCR_HA);
    stage->HD = CAIRN_GET(tcr, TCR_HD);
    stage->HPD = upper ? CAIRN_GET(tcr, TCR_HPD1) : CAIRN_GET(tcr, TCR_HPD0);
    stage->DS_shareability = (uint8_t)(upper ? CAIRN_GET(tcr, TCR_SH1) : CAIRN_GET(tcr, TCR_SH0));
    stage->fails = upper ? CAIRN_GET(tcr, TCR_EPD1) : CAIRN_GET(tcr, TCR_EPD0);
    /* E0PD is for what EL0 does: a trace buffer's write is none of it. */
    if (EL0 && walk->abilities.E0PD && CAIRN_GET2(tcr >> upper, 55, 55))
        stage->fails = true;
    *PS = (unsigned)CAIRN_GET(tcr, TCR_IPS);
    return (unsigned)(upper ? CAIRN_GET(tcr, TCR_T1SZ) : CAIRN_GET(tcr, TCR_T0SZ));
}

/* EL2 alone. */
static unsigned setup_one_range(const struct cairn_pe_walk *walk, uint64_t tcr, unsigned *PS,
                                struct cairn_pe_stage *stage)
{
    stage->granule = (uint8_t)granule_bits(walk, 1, (unsigned)CAIRN_GET(tcr, TCR_TG0));
    stage->DS = CAIRN_GET(tcr, TCR_EL2_DS) && has_LPA2(walk, 1, stage->granule);
    stage->HA = CAIRN_GET(tcr, TCR_EL2_HA);
    stage->HD = CAIRN_GET(tcr, TCR_EL2_HD);
    stage->HPD = CAIRN_GET(tcr, TCR_EL2_HPD);
    stage->DS_shareability = (uint8_t)CAIRN_GET(tcr, TCR_SH0);
    *PS = (unsigned)CAIRN_GET(tcr, TCR_EL2_PS);
    return (unsigned)CAIRN_GET(tcr, TCR_T0SZ);
}

/* Hardware that manages neither ignores HA and DBM (R_QKLXR); dirty state comes with the Access flag. */
static void find_management(const struct cairn_pe_walk *walk, struct cairn_pe_stage *stage)
{
    stage->HA = stage->HA && walk->abilities.HA && walk->request->manages;
    stage->HD = stage->HD && stage->HA && walk->abilities.HD;
}

static bool stage1_is_enabled(const struct cairn_pe_walk *walk)
{
    if (!CAIRN_GET(cairn_pe_regime_SCTLR(walk), SCTLR_M))
        return false;
    if (walk->request->regime != CAIRN_PE_EL10)
        return true;
    return !CAIRN_GET(walk->HCR, HCR_EL2_DC) && !CAIRN_GET(walk->HCR, HCR_EL2_TGE);
}

bool cairn_pe_setup_stage1(const struct cairn_pe_walk *walk, struct cairn_pe_stage *stage)
{
    const struct cairn_pe_translate_request *request = walk->request;
    bool one_range = request->regime == CAIRN_PE_EL2;
    uint64_t sctlr = cairn_pe_regime_SCTLR(walk), tcr = regime_TCR(walk),
             address = request->address;
    if (request->untranslated || !stage1_is_enabled(walk))
        return false;
    *stage = (struct cairn_pe_stage){
        .number = 1,
        .two_privileges = !one_range,
        .big_endian = CAIRN_GET(sctlr, SCTLR_EE),
        .WXN = CAIRN_GET(sctlr, SCTLR_WXN),
        .table_security = walk->security1,
        .security = walk->security1,
    };
    unsigned PS;
    unsigned size =
        one_range ? setup_one_range(walk, tcr, &PS, stage) : setup_ranges(walk, tcr, &PS, stage);
    bool large = stage->DS || (stage->granule == 16 && walk->abilities.LVA);
    stage->HPD = stage->HPD && walk->abilities.HPD;
    find_management(walk, stage);
    stage->output_bits = (uint8_t)output_bits(walk, PS, stage);
    find_input(walk, size, large ? 12 : 16, stage);
    unsigned stride = stage->granule - 3u;
    stage->start = (int8_t)(3 - (int)((stage->input_bits - 1u - stage->granule) / stride));
    enum cairn_pe_register TTBR = request->regime == CAIRN_PE_EL10
                                      ? (is_upper(walk) ? CAIRN_PE_TTBR1_EL1 : CAIRN_PE_TTBR0_EL1)
                                      : (is_upper(walk) ? CAIRN_PE_TTBR1_EL2 : CAIRN_PE_TTBR0_EL2);
    find_base(walk, PS, value_of(walk->registers, TTBR), stage);

    /* All bits above the input are those of the range. */
    unsigned top = cairn_pe_address_top(walk);
    uint64_t above = CAIRN_MASK2(top - 1, stage->input_bits);
    if ((address & above) != (is_upper(walk) ? above : 0))
        stage->fails = true;
    return true;
}

/* The level at which stage 2 begins, by VTCR_EL2.SL0 (and SL2 with DS); -2: this PE has no such. */
static int stage2_start(const struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                        unsigned SL0, unsigned SL2)
{
    unsigned PA_bits = walk->abilities.PA_bits;
    if (stage->granule == 12) {
        if (stage->DS && SL2)
            return SL0 == 0 ? -1 : -2;
        if ((SL0 == 2 && PA_bits < 44) || (SL0 == 3 && !walk->abilities.small))
            return -2;
        return SL0 == 3 ? 3 : 2 - (int)SL0;
    }
    if (stage->granule == 14) {
        if ((SL0 == 2 && PA_bits < 42) || (SL0 == 3 && !stage->DS))
            return -2;
        return 3 - (int)SL0;
    }
    return SL0 == 3 || (SL0 == 2 && PA_bits < 44) ? -2 : 3 - (int)SL0;
}

/* The input fits the level: more than what its next level would take, at most sixteen tables. */
static bool fits_start(const struct cairn_pe_stage *stage)
{
    int stride = stage->granule - 3, levels = 3 - stage->start;
    int least = levels * stride + stage->granule + 1;
    return stage->input_bits >= least && stage->input_bits <= least + stride - 1 + 4;
}

void cairn_pe_setup_stage2(const struct cairn_pe_walk *walk, unsigned security,
                           struct cairn_pe_stage *stage)
{
    uint64_t vtcr = value_of(walk->registers, CAIRN_PE_VTCR_EL2);
    uint64_t vstcr = value_of(walk->registers, CAIRN_PE_VSTCR_EL2);
    bool secure = walk->security2 == CAIRN_SECURE && security == CAIRN_SECURE;
    uint64_t control = secure ? vstcr : vtcr;
    *stage = (struct cairn_pe_stage){
        .number = 2,
        .two_privileges = true,
        .big_endian = CAIRN_GETS(walk->registers, SCTLR_EL2, SCTLR_EE),
        .granule = (uint8_t)granule_bits(walk, 2, (unsigned)CAIRN_GET(control, VTCR_TG0)),
        .HA = CAIRN_GET(vtcr, VTCR_HA),
        .HD = CAIRN_GET(vtcr, VTCR_HD),
        .DS_shareability = (uint8_t)CAIRN_GET(vtcr, VTCR_SH0),
        .table_security = CAIRN_NONSECURE,
        .output_security = CAIRN_NONSECURE,
        .security = walk->security2,
    };
    stage->DS = CAIRN_GET(vtcr, VTCR_DS) && has_LPA2(walk, 2, stage->granule);
    find_management(walk, stage);
    if (walk->security2 == CAIRN_SECURE) {
        /* Each of these four makes the later ones 1: SW, SA, and for Non-secure IPAs NSW, NSA. */
        bool SW = CAIRN_GET(vstcr, VTCR_NSW), SA = SW || CAIRN_GET(vstcr, VTCR_NSA);
        bool NSW = CAIRN_GET(vtcr, VTCR_NSW), NSA = NSW || SA || CAIRN_GET(vtcr, VTCR_NSA);
        stage->table_security = (secure ? SW : NSW) ? CAIRN_NONSECURE : CAIRN_SECURE;
        stage->output_security = (secure ? SA : NSA) ? CAIRN_NONSECURE : CAIRN_SECURE;
    }
    unsigned PS = (unsigned)CAIRN_GET(vtcr, VTCR_PS);
    stage->output_bits = (uint8_t)output_bits(walk, PS, stage);

    /* No IPA has more bits than a physical address. */
    unsigned most = walk->abilities.PA_bits;
    if (most > 48 && stage->granule != 16 && !stage->DS)
        most = 48;
    find_input(walk, (unsigned)CAIRN_GET(control, VTCR_T0SZ), 64 - most, stage);
    int start = stage2_start(walk, stage, (unsigned)CAIRN_GET(control, VTCR_SL0),
                             (unsigned)CAIRN_GET(control, VTCR_SL2));
    stage->start = (int8_t)start;
    if (start < -1 || !fits_start(stage)) {
        stage->fails = true;
        return;
    }
    find_base(walk, PS,
              value_of(walk->registers, secure ? CAIRN_PE_VSTTBR_EL2 : CAIRN_PE_VTTBR_EL2), stage);
}
