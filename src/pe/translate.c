/* SPDX-License-Identifier: BSD-2-Clause */
/* Both stages of a translation, one after the other, and what a trace buffer's pointer is in them. */
#include "pe/translate.h"

#include "pe/translate_stage.h"

/* Tries of a translation whose descriptors change meanwhile. */
#define TRIES 4

static bool is_misaligned(const struct cairn_pe_walk *walk)
{
    unsigned size = walk->request->size;
    return size > 1 && walk->request->access != CAIRN_PE_MEMORY_FETCH &&
           (walk->request->address & (size - 1));
}

bool cairn_pe_translate_stage2(struct cairn_pe_walk *walk, uint64_t IPA, unsigned security,
                               enum cairn_pe_access access, bool privileged,
                               struct cairn_pe_translation *to)
{
    struct cairn_pe_stage stage;
    struct cairn_pe_leaf leaf;
    cairn_pe_setup_stage2(walk, security, &stage);
    walk->out->IPA = IPA;
    walk->out->IPA_security = (uint8_t)security;
    if (IPA >> stage.input_bits)
        stage.fails = true;
    if (!cairn_pe_walk_tables(walk, &stage, IPA, &leaf))
        return false;
    struct cairn_pe_attributes first = {to->attributes, to->shareability};
    struct cairn_pe_attributes both =
        cairn_pe_combine_attributes(walk, first, &stage, leaf.descriptor);
    bool is_device = cairn_pe_is_device(both.attributes);
    if (is_device && !walk->walking && is_misaligned(walk))
        return cairn_pe_fault(walk, 2, CAIRN_PE_FAULT_ALIGNMENT, leaf.level);
    if (!cairn_pe_stage2_permits(walk, &stage, leaf.descriptor, access, privileged))
        return cairn_pe_fault(walk, 2, CAIRN_PE_FAULT_PERMISSION, leaf.level);
    /* HCR_EL2.PTW: no walk of stage 1 in Device memory. */
    if (is_device && walk->walking && CAIRN_GET(walk->HCR, HCR_EL2_PTW))
        return cairn_pe_fault(walk, 2, CAIRN_PE_FAULT_PERMISSION, leaf.level);
    if (!cairn_pe_mark_descriptor(walk, &stage, &leaf, access == CAIRN_PE_MEMORY_WRITE))
        return false;
    to->address = leaf.output;
    to->security = stage.output_security;
    to->attributes = both.attributes;
    to->shareability = both.shareability;
    struct cairn_pe_attributes second = cairn_pe_stage2_attributes(walk, &stage, leaf.descriptor);
    to->attributes_of[1] = second.attributes;
    to->shareability_of[1] = second.shareability;
    if (UINT64_C(1) << leaf.bits < to->size)
        to->size = UINT64_C(1) << leaf.bits;
    return true;
}

/* Stage 1 is off: the address is the output, if it is one. Of the pointers of a trace buffer without
 * translation the bits above any physical address may be ignored (R_BRRK). */
static bool skip_stage1(struct cairn_pe_walk *walk, struct cairn_pe_translation *to)
{
    unsigned PA_bits = walk->abilities.PA_bits, top = cairn_pe_address_top(walk);
    uint64_t address = walk->request->address;
    if (walk->request->untranslated) {
        unsigned highest = PA_bits == 52 ? 51 : 47; /* FEAT_LPA */
        top = 64;
        if (walk->choices->ignore_top)
            address &= CAIRN_MASK2(highest, 0);
    }
    address &= CAIRN_MASK2(top - 1, 0);
    if (address >> PA_bits)
        return cairn_pe_fault(walk, 1, CAIRN_PE_FAULT_ADDRESS_SIZE, 0);
    struct cairn_pe_attributes attributes = cairn_pe_stage1_off_attributes(walk);
    *to = (struct cairn_pe_translation){
        .address = address,
        .security = walk->security1,
        .attributes = attributes.attributes,
        .shareability = attributes.shareability,
        .size = 0x1000,
    };
    if (cairn_pe_is_device(to->attributes) && is_misaligned(walk))
        return cairn_pe_fault(walk, 1, CAIRN_PE_FAULT_ALIGNMENT, 0);
    return true;
}

static bool translate_stage1(struct cairn_pe_walk *walk, struct cairn_pe_translation *to)
{
    const struct cairn_pe_translate_request *request = walk->request;
    struct cairn_pe_stage stage;
    struct cairn_pe_leaf leaf;
    if (is_misaligned(walk) && CAIRN_GET(cairn_pe_regime_SCTLR(walk), SCTLR_A))
        return cairn_pe_fault(walk, 1, CAIRN_PE_FAULT_ALIGNMENT, 0);
    if (!cairn_pe_setup_stage1(walk, &stage))
        return skip_stage1(walk, to);
    if (!cairn_pe_walk_tables(walk, &stage, request->address, &leaf))
        return false;
    struct cairn_pe_attributes attributes =
        cairn_pe_stage1_attributes(walk, &stage, leaf.descriptor);
    if (cairn_pe_is_device(attributes.attributes) && is_misaligned(walk))
        return cairn_pe_fault(walk, 1, CAIRN_PE_FAULT_ALIGNMENT, leaf.level);
    if (!cairn_pe_stage1_permits(walk, &stage, &leaf))
        return cairn_pe_fault(walk, 1, CAIRN_PE_FAULT_PERMISSION, leaf.level);
    if (!cairn_pe_mark_descriptor(walk, &stage, &leaf, request->access == CAIRN_PE_MEMORY_WRITE))
        return false;
    *to = (struct cairn_pe_translation){
        .address = leaf.output,
        .security = leaf.security,
        .attributes = attributes.attributes,
        .shareability = attributes.shareability,
        .size = UINT64_C(1) << leaf.bits,
    };
    return true;
}

static bool translate_once(struct cairn_pe_walk *walk)
{
    const struct cairn_pe_translate_request *request = walk->request;
    struct cairn_pe_translation to = {0};
    *walk->out = (struct cairn_pe_translation){.fault_address = request->address};
    walk->again = false;
    if (!translate_stage1(walk, &to))
        return false;
    to.IPA = to.address;
    to.IPA_security = to.security;
    /* A stage 2 that is not there is Write-Back, and changes nothing. */
    to.attributes_of[0] = to.attributes;
    to.shareability_of[0] = to.shareability;
    to.attributes_of[1] = ATTR_WRITE_BACK;
    if (walk->stage2 && !request->stage1_only &&
        !cairn_pe_translate_stage2(walk, to.address, to.security,
                                   (enum cairn_pe_access)request->access, request->privileged, &to))
        return false;
    *walk->out = to;
    return true;
}

/* Of the two readings of R_RRCNN, the one that is chosen. */
static uint8_t security_of_stage(const struct cairn_pe_walk *walk, bool by_SCR)
{
    if (!by_SCR || !walk->features->EL3)
        return walk->request->security;
    return CAIRN_GETS(walk->registers, SCR_EL3, SCR_EL3_NS) ? CAIRN_NONSECURE : CAIRN_SECURE;
}

/* Bits that are 0 to everything but a read where there is no EL2, or where EL0 is its host's. */
static uint64_t effective_HCR(const struct cairn_pe_walk *walk)
{
    uint64_t HCR = walk->registers->value[CAIRN_PE_HCR_EL2];
    if (!cairn_pe_has_EL2(walk->features, walk->registers, walk->security2))
        return 0;
    if (CAIRN_GET(HCR, HCR_EL2_E2H) && CAIRN_GET(HCR, HCR_EL2_TGE))
        HCR &= ~(CAIRN_MASK(HCR_EL2_VM) | CAIRN_MASK(HCR_EL2_PTW) | CAIRN_MASK(HCR_EL2_DC) |
                 CAIRN_MASK(HCR_EL2_CD) | CAIRN_MASK(HCR_EL2_ID));
    return HCR;
}

bool cairn_pe_translate(const struct cairn_pe_features *features,
                        const struct cairn_pe_registers *registers,
                        const struct cairn_pe_translate_request *request,
                        const struct cairn_pe_translate_choices *choices,
                        const struct cairn_pe_memory *memory, struct cairn_pe_translation *out)
{
    struct cairn_pe_walk walk = {
        .features = features,
        .registers = registers,
        .request = request,
        .choices = choices,
        .memory = memory,
        .out = out,
    };
    cairn_pe_find_abilities(&walk.abilities, registers);
    walk.security1 = security_of_stage(&walk, choices->stage1_by_SCR);
    walk.security2 = security_of_stage(&walk, choices->stage2_by_SCR);
    walk.HCR = effective_HCR(&walk);
    walk.stage2 = request->regime == CAIRN_PE_EL10 &&
                  (CAIRN_GET(walk.HCR, HCR_EL2_VM) || CAIRN_GET(walk.HCR, HCR_EL2_DC));
    for (unsigned tries = 1;; tries++) {
        if (translate_once(&walk))
            return true;
        if (!walk.again || tries == TRIES)
            return false;
    }
}

bool cairn_pe_translate_trace(const struct cairn_pe_features *features,
                              const struct cairn_pe_registers *registers, unsigned owner_EL,
                              unsigned owner_security, uint64_t pointer,
                              const struct cairn_pe_translate_choices *choices,
                              const struct cairn_pe_memory *memory,
                              struct cairn_pe_translation *out)
{
    struct cairn_pe_translate_request request = {
        .address = pointer,
        .regime = CAIRN_PE_EL10,
        .security = (uint8_t)owner_security,
        .access = CAIRN_PE_MEMORY_WRITE,
        .privileged = true,
        .manages = CAIRN_GETS(registers, TRBIDR_EL1, TRBIDR_F),
        .untranslated = CAIRN_GETS(registers, TRBLIMITR_EL1, TRBLIMITR_nVM),
        .attributes = (uint8_t)CAIRN_GETS(registers, TRBMAR_EL1, TRBMAR_ATTR),
        .shareability = (uint8_t)CAIRN_GETS(registers, TRBMAR_EL1, TRBMAR_SH),
    };
    if (owner_EL == 2)
        request.regime = CAIRN_GETS(registers, HCR_EL2, HCR_EL2_E2H) ? CAIRN_PE_EL20 : CAIRN_PE_EL2;
    return cairn_pe_translate(features, registers, &request, choices, memory, out);
}

uint64_t cairn_pe_translation_PAR(const struct cairn_pe_translation *t)
{
    /* Bit 11 reads as 1. */
    if (t->fault)
        return UINT64_C(0x801) | (uint64_t)t->FSC << 1 | (uint64_t)t->S1PTW << 8 |
               (uint64_t)(t->stage == 2) << 9;
    return (uint64_t)t->attributes << 56 | (t->address & CAIRN_MASK2(51, 12)) | 0x800 |
           (uint64_t)(t->security == CAIRN_NONSECURE) << 9 | (uint64_t)t->shareability << 7;
}
