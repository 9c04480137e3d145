/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of A64 that reach System registers, and barriers. Their encodings are those of the Arm
 * Architecture Reference Manual's System instructions. */
#include "pe/sysreg.h"

/* Bits 31:19 of System instructions: L is bit 21, op0 bits 20:19. */
#define SYSTEM_MASK 0xfff80000u
#define SYS_WORD 0xd5080000u
#define MSR_WORD 0xd5100000u /* op0 2 and 3 */
#define MRS_WORD 0xd5300000u
#define MOVE_MASK 0xfff00000u
#define HINT_TSB 0xd503225fu
#define HINT_PSB 0xd503223fu
#define BARRIER_MASK 0xfffff0ffu
#define ISB_WORD 0xd50330dfu
#define DSB_WORD 0xd503309fu
#define DMB_WORD 0xd50330bfu
#define DSB_SSBB 0u /* of speculation: no DSB */
#define DSB_PSSBB 4u
#define XZR 31u

static const struct {
    enum cairn_pe_instruction_kind kind;
    uint32_t mask, word;
} barriers[] = {
    {CAIRN_PE_TSB_CSYNC, UINT32_MAX, HINT_TSB}, {CAIRN_PE_PSB_CSYNC, UINT32_MAX, HINT_PSB},
    {CAIRN_PE_ISB, BARRIER_MASK, ISB_WORD},     {CAIRN_PE_DSB, BARRIER_MASK, DSB_WORD},
    {CAIRN_PE_DMB, BARRIER_MASK, DMB_WORD},
};
#define BARRIERS (sizeof barriers / sizeof barriers[0])

static struct cairn_pe_instruction barrier_of(uint32_t word)
{
    struct cairn_pe_instruction instruction = {.kind = CAIRN_PE_OTHER};

    for (size_t i = 0; i < BARRIERS; i++)
        if ((word & barriers[i].mask) == barriers[i].word) {
            instruction.kind = barriers[i].kind;
            instruction.CRm = (uint8_t)(barriers[i].mask == BARRIER_MASK ? word >> 8 & 15u : 0);
        }
    if (instruction.kind == CAIRN_PE_DSB &&
        (instruction.CRm == DSB_SSBB || instruction.CRm == DSB_PSSBB))
        instruction = (struct cairn_pe_instruction){.kind = CAIRN_PE_OTHER};
    return instruction;
}

struct cairn_pe_instruction cairn_pe_instruction_of(uint32_t word)
{
    struct cairn_pe_instruction instruction = {.encoding = CAIRN_SYSREG_OF_WORD(word),
                                               .Rt = (uint8_t)(word & 31u)};

    if ((word & MOVE_MASK) == MRS_WORD)
        instruction.kind = CAIRN_PE_MRS;
    else if ((word & MOVE_MASK) == MSR_WORD)
        instruction.kind = CAIRN_PE_MSR;
    else if ((word & SYSTEM_MASK) == SYS_WORD)
        instruction.kind = CAIRN_PE_SYS;
    else
        return barrier_of(word);
    /* These two have no operand: with one they are not these two. */
    if ((instruction.encoding == CAIRN_PE_BRB_IALL || instruction.encoding == CAIRN_PE_BRB_INJ) &&
        instruction.Rt != XZR)
        return (struct cairn_pe_instruction){.kind = CAIRN_PE_OTHER};
    return instruction;
}

uint32_t cairn_pe_instruction_word(const struct cairn_pe_instruction *instruction)
{
    const uint32_t operands = (instruction->encoding & 0xffffu) << 5 | (instruction->Rt & 31u);

    switch (instruction->kind) {
    case CAIRN_PE_OTHER: return 0;
    case CAIRN_PE_MRS: return (MRS_WORD & ~(3u << 19)) | operands;
    case CAIRN_PE_MSR: return (MSR_WORD & ~(3u << 19)) | operands;
    case CAIRN_PE_SYS: return (SYS_WORD & ~(3u << 19)) | operands;
    case CAIRN_PE_TSB_CSYNC: return HINT_TSB;
    case CAIRN_PE_PSB_CSYNC: return HINT_PSB;
    case CAIRN_PE_ISB: return ISB_WORD | (instruction->CRm & 15u) << 8;
    case CAIRN_PE_DSB: return DSB_WORD | (instruction->CRm & 15u) << 8;
    case CAIRN_PE_DMB: return DMB_WORD | (instruction->CRm & 15u) << 8;
    }
    return 0;
}

uint32_t cairn_pe_instruction_syndrome(const struct cairn_pe_instruction *instruction)
{
    const uint32_t encoding = instruction->encoding;
    const uint32_t op0 = encoding >> 14 & 3u, op1 = encoding >> 11 & 7u, CRn = encoding >> 7 & 15u,
                   CRm = encoding >> 3 & 15u, op2 = encoding & 7u;

    return op0 << 20 | op2 << 17 | op1 << 14 | CRn << 10 | (instruction->Rt & 31u) << 5 | CRm << 1 |
           (instruction->kind == CAIRN_PE_MRS);
}
